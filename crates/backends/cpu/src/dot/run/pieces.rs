//! Products of factors that lie in memory in fewer bits than they are multiplied in ([`super::super::small`]), read as they lie.
use super::super::Element;
#[cfg(target_arch = "x86_64")]
use super::super::amx::{self, Bytes};
use super::super::packed::{PANEL as STACK, with_panel};
use super::super::small::Widen;
use super::super::tile::Product;
use super::super::vector::{FEW, MatVec, PANEL};
use super::{Finish, NEAR, Real, Shared, Way, beside};
use crate::copy::GRAIN;
use crate::machine::mem::{with_piece, with_scratch};
use crate::machine::pool::Pool;
use tfc_plan::space::Space;

/// Columns of a matrix that lies in fewer bits which are widened at once, for a vector.
const STRIP: usize = 8;
/// Rows of the shorter factor up to which the longer one, which lies in fewer bits, is widened piece by piece: each piece reads the shorter
/// factor anew.
const SHARED: usize = 64;
/// Bytes of such a piece in full.
const WIDENED: usize = 1 << 20;

impl<E: Element> Real<E> {
    /// Whether it can read the factor of side `side` where that lies in fewer bits, piece by piece, and had better: a factor of which every
    /// element is used once or a few times, and that leaves the caches in full.
    pub(crate) fn takes(&self, side: usize, batch: &Space) -> bool {
        let ([m, n, k], z) = (self.mnk, size_of::<E>());
        let left = (side == 0) != self.swap;
        let line = k.saturating_mul(z) <= STACK;
        let large = |x: usize| x.saturating_mul(k).saturating_mul(z) >= NEAR;
        batch.rank() == 0
            && self.chunk == 0
            && match self.way {
                Way::Columns => left && m > FEW && large(m),
                Way::Rows => left && line && large(m),
                Way::Direct | Way::Half | Way::Packed | Way::Thin => {
                    let (long, other, steps) = if left { (m, n, self.a) } else { (n, m, [self.b[1], self.b[0]]) };
                    let longer = if left { m > n } else { n >= m };
                    longer && other <= SHARED && line && large(long) && steps.contains(&1)
                }
                _ => false,
            }
    }
    /// Has both factors read as the bytes that they are, where the machine has tiles for that.
    pub(crate) fn as_bytes(&mut self, small: [Widen; 2], batch: &Space) -> bool {
        let tiles = matches!(self.way, Way::Direct | Way::Half | Way::Packed | Way::Thin);
        let bytes = small.iter().all(|w| w.byte.is_some()) && self.table.narrow.is_some() && bytes_ready();
        let taken = tiles && bytes && batch.rank() == 0 && self.chunk == 0;
        if taken {
            self.way = Way::Bytes;
            self.reads(small.map(Some), None);
        }
        taken
    }
    /// Says which factors, by side, are read as they lie, and how many bits tell all elements of both.
    pub(crate) fn reads(&mut self, small: [Option<Widen>; 2], bits: Option<u32>) {
        self.small = if self.swap { [small[1], small[0]] } else { small };
        self.bits = bits;
    }
    /// The product, of which a factor lies in fewer bits at its address. (Not inlined: its memory on the stack is not that of other products.)
    ///
    /// # Safety
    /// As [`Real::run`], of one batch index.
    #[inline(never)]
    pub(super) unsafe fn lying(
        &self,
        pool: &Pool,
        a: *const E,
        b: *const E,
        c: *mut E,
        then: Option<(&Finish, usize)>,
    ) {
        // SAFETY: passed on.
        unsafe {
            match (self.way, self.small) {
                (Way::Columns, [Some(by), _]) => self.small_columns(pool, (a.cast(), by), b, c),
                (Way::Rows, [Some(by), _]) => self.small_rows(pool, (a.cast(), by), b, c),
                #[cfg(target_arch = "x86_64")]
                (Way::Bytes, [Some(x), Some(y)]) => self.bytes(pool, [(a.cast(), x), (b.cast(), y)], c),
                (_, [Some(by), _]) => self.pieces(pool, (a.cast(), by, true), [a, b], c, then),
                (_, [_, Some(by)]) => self.pieces(pool, (b.cast(), by, false), [a, b], c, then),
                (_, [None, None]) => {}
            }
        }
    }
    /// See [`Way::Columns`], of a matrix that lies in fewer bits: a few columns at a time are widened.
    unsafe fn small_columns(&self, pool: &Pool, (a, by): (*const u8, Widen), x: *const E, y: *mut E) {
        let ([m, _, k], xs, ys, z) = (self.mnk, self.b[0], self.c[0], by.size as isize);
        let (a, x, y) = (Shared(a), Shared(x), Shared(y));
        pool.run(m.div_ceil(PANEL), self.work, |p| {
            let (lo, rows) = (p * PANEL, PANEL.min(m - p * PANEL));
            let (a, x, y) =
                (a.get().wrapping_offset(lo as isize * z), x.get(), y.get().wrapping_offset(lo as isize * ys));
            let mut sums = [E::ZERO; PANEL];
            let to = if ys == 1 { y } else { sums.as_mut_ptr() };
            with_panel(&mut |near| {
                for j in (0..k).step_by(STRIP) {
                    let (cols, at) = (STRIP.min(k - j), j as isize);
                    let step = self.a[1] * z;
                    // SAFETY: rows from `lo` of columns of the caller's matrix; a panel has room for as many.
                    unsafe {
                        let to_step = (PANEL * size_of::<E>()) as isize;
                        by.lines((a.wrapping_offset(at * step), step), (near, to_step), [cols, rows]);
                        (self.table.columns)(&MatVec {
                            mk: [rows, cols],
                            total: m,
                            a: (near.cast_const().cast(), PANEL as isize),
                            x: (x.wrapping_offset(at * xs), xs),
                            y: (to, 1),
                            more: j > 0,
                        });
                    }
                }
            });
            if ys != 1 {
                for (i, &s) in sums.iter().enumerate().take(rows) {
                    // SAFETY: rows of the caller's result.
                    unsafe { y.wrapping_offset(i as isize * ys).write(s) };
                }
            }
        });
    }
    /// See [`Way::Rows`], of a matrix that lies in fewer bits: a few rows at a time are widened.
    unsafe fn small_rows(&self, pool: &Pool, (a, by): (*const u8, Widen), x: *const E, y: *mut E) {
        let ([m, _, k], xs, ys, z) = (self.mnk, self.b[0], self.c[0], by.size as isize);
        let mut near = [E::ZERO; PANEL];
        // SAFETY: the caller's vector, which has no more elements than `near` where they are apart.
        let x = unsafe { beside(x, xs, k, &mut near) };
        let each = (STACK / (k * size_of::<E>())).clamp(1, 8);
        let group = (GRAIN / (k * each)).max(1) * each;
        let (a, x, y) = (Shared(a), Shared(x), Shared(y));
        pool.run(m.div_ceil(group), self.work, |p| {
            with_panel(&mut |near| {
                for lo in (p * group..((p + 1) * group).min(m)).step_by(each) {
                    let (rows, at, step) = (each.min(m - lo), lo as isize, self.a[0] * z);
                    // SAFETY: rows from `lo` of the caller's matrix; a panel has room for as many.
                    unsafe {
                        let to_step = (k * size_of::<E>()) as isize;
                        by.lines((a.get().wrapping_offset(at * step), step), (near, to_step), [rows, k]);
                        (self.table.rows)(&MatVec {
                            mk: [rows, k],
                            total: m,
                            a: (near.cast_const().cast(), k as isize),
                            x: (x.get(), 1),
                            y: (y.get().wrapping_offset(at * ys), ys),
                            more: false,
                        });
                    }
                }
            });
        });
    }
    /// See [`Way::Bytes`].
    #[cfg(target_arch = "x86_64")]
    unsafe fn bytes(&self, pool: &Pool, [a, b]: [(*const u8, Widen); 2], c: *mut E) {
        let mnk @ [m, n, _] = self.mnk;
        let factor = |(at, by): (*const u8, Widen), steps| Bytes { at, steps, signed: by.byte == Some(true) };
        let c = (c.cast::<i32>(), self.c[1]);
        let whole = amx::Product { mnk, a: factor(a, self.a), b: factor(b, [self.b[1], self.b[0]]), c };
        let whole = Shared(whole);
        // Pieces of whole tiles of the longer side.
        let long = m.max(n);
        let each = if pool.shares(self.work) { long.div_ceil(pool.threads()).next_multiple_of(32) } else { long };
        pool.run(long.div_ceil(each), self.work, |p| {
            let mut g = whole.get();
            let (lo, len) = (p * each, each.min(long - p * each));
            let at = |f: &Bytes| f.at.wrapping_offset(lo as isize * f.steps[0]);
            if n >= m {
                (g.mnk[1], g.b.at, g.c.0) = (len, at(&g.b), g.c.0.wrapping_offset(lo as isize * g.c.1));
            } else {
                (g.mnk[0], g.a.at, g.c.0) = (len, at(&g.a), g.c.0.wrapping_add(lo));
            }
            // SAFETY: the machine has the tiles, or this way is not taken; pieces of the result are disjoint.
            unsafe {
                if with_scratch(amx::scratch(g.mnk), |m| amx::product(&g, Some(m.0))).is_err() {
                    amx::product(&g, None);
                }
            }
        });
    }
    /// A product of which the longer factor, at `a` with `left`, lies in fewer bits: some of its rows or columns at a time are widened.
    unsafe fn pieces(
        &self,
        pool: &Pool,
        (from, by, left): (*const u8, Widen, bool),
        [a, b]: [*const E; 2],
        c: *mut E,
        then: Option<(&Finish, usize)>,
    ) {
        let ([m, n, k], z) = (self.mnk, size_of::<E>());
        // Along the longer side, and along the sum.
        let (long, unit, steps) = if left { (m, 48, self.a) } else { (n, 8, [self.b[1], self.b[0]]) };
        let most = (WIDENED / (k * z)).max(1);
        let share = long.div_ceil(2 * pool.threads()).min(most);
        let each = if share < unit { share } else { share / unit * unit };
        let (from, a, b, c) = (Shared(from), Shared(a), Shared(b), Shared(c));
        let piece = |lo: usize, len: usize, near: *mut u8| {
            let at = from.get().wrapping_offset(lo as isize * steps[0] * by.size as isize);
            let of = by.size as isize;
            // SAFETY: rows or columns of the caller's factor; there is room for them.
            let laid = unsafe {
                if steps[0] == 1 {
                    by.lines((at, steps[1] * of), (near, (len * z) as isize), [k, len]);
                    [1, len as isize]
                } else {
                    by.lines((at, steps[0] * of), (near, (k * z) as isize), [len, k]);
                    [k as isize, 1]
                }
            };
            let near = near.cast_const().cast::<E>();
            let mut g = Product {
                mnk: [m, n, k],
                a: (a.get(), self.a[0], self.a[1]),
                b: (b.get(), self.b[0], self.b[1]),
                c: (c.get(), self.c[1]),
                then: None,
                taps: None,
            };
            if left {
                (g.mnk[0], g.a, g.c.0) = (len, (near, laid[0], laid[1]), g.c.0.wrapping_add(lo));
            } else {
                (g.mnk[1], g.b) = (len, (near, laid[1], laid[0]));
                g.c.0 = g.c.0.wrapping_offset(lo as isize * g.c.1);
            }
            // SAFETY: a piece of the caller's product.
            unsafe { self.finished(g, false, then, if left { [lo, 0] } else { [0, lo] }) };
        };
        pool.run(long.div_ceil(each), self.work, |p| {
            let (lo, len) = (p * each, each.min(long - p * each));
            if with_piece(len * k * z, |near| piece(lo, len, near.0)).is_err() {
                // As many as there is room for without memory.
                let few = STACK / (k * z);
                with_panel(&mut |near| {
                    (lo..lo + len).step_by(few.max(1)).for_each(|at| piece(at, few.min(lo + len - at), near));
                });
            }
        });
    }
}
/// Whether the machine has tiles that multiply bytes.
fn bytes_ready() -> bool {
    #[cfg(target_arch = "x86_64")]
    return amx::ready();
    #[cfg(not(target_arch = "x86_64"))]
    false
}
