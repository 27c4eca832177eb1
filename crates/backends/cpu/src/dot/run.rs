//! Which kernel multiplies two strided matrices, decided when sizes and strides are known, and the call of it.
//!
//! The work is shared among threads by pieces of the result; no sum is split between them, so the pieces do not change
//! any bit.
mod pieces;

use std::sync::atomic::{AtomicBool, Ordering};

use super::batch::Batch;
use super::outer::SHORT;
use super::packed::{scratch, with_panel};
use super::small::Widen;
use super::tile::{KC, Product, Taps};
use super::tiny::{MOST, Tiny};
use super::vector::{FEW, MatVec, PANEL, by_rows};
use super::{Element, Kernels};
use crate::copy::GRAIN;
use crate::machine::mem::{Ptr, with_scratch};
use crate::machine::pool::Pool;
use tfc_kernels::vmath::Isa;
use tfc_plan::space::Space;

/// A batch of products of matrices: extents `m`, `n`, `k`, byte strides of rows and columns of the factors and the
/// result; batch loops over `lhs rhs out`.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) mnk: [usize; 3],
    pub(crate) a: [isize; 2],
    pub(crate) b: [isize; 2],
    pub(crate) c: [isize; 2],
    pub(crate) batch: Space,
    /// Bytes of an element.
    pub(crate) size: usize,
}

/// Strides of rows and columns, where that of the only one of them does not matter: it is 1 here.
pub(crate) fn of_one(strides: [isize; 2], extents: [usize; 2]) -> [isize; 2] {
    [0, 1].map(|i| if extents[i] == 1 { 1 } else { strides[i] })
}

/// What runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Matrix times vector by columns.
    Columns,
    /// Matrix times vector by rows.
    Rows,
    /// Tiles on the factors where they are.
    Direct,
    /// Column by column, past the caches where the result's memory is warm; otherwise as [`Way::Half`].
    Outer,
    /// Tiles on copied panels of the left factor.
    Half,
    /// Tiles on copied panels of both.
    Packed,
    /// A few rows that do not fill a register, each times a matrix of which rows lie in one piece: a few of these at a time, for all rows.
    Thin,
    /// Tiles on the factors where they are, one of them by displacements along the sum.
    Windows,
    /// Matrices side by side in memory, element by element: a lane each.
    Lanes,
    /// Many small matrices times vectors, one after the other.
    Tiny,
    /// Bytes, by tiles of the machine's own.
    Bytes,
}
/// Most elements of a matrix of many that are multiplied with vectors without asking how for each.
const TINY: u64 = 64;
/// Bytes of the right factor below which tiles read it where it is: it stays in the second-level cache.
const NEAR: usize = 1 << 20;
/// Bytes of a line of the caches.
const LINE_BYTES: usize = 64;
/// Bytes of a result from which on it does not stay in the second-level cache.
const LARGE: usize = 4 << 20;
/// Rows from which on copies of the right factor's panels are used often enough.
const MANY: usize = 256;
/// Columns up to which copies of the left factor's panels are not.
const THIN: usize = 16;
/// Columns up to which a factor beyond the caches is not packed.
const FEWEST: usize = 6;
/// Columns from which on a copied panel of the left factor pays even where its rows are one element apart.
const WIDE: usize = 80;

/// Elements of a left factor that is copied before its rows multiply one by one.
const COPIED: usize = 4096;
/// What folding the lanes of a sum costs, in multiplications of registers.
const FOLDED: usize = 4;
/// Whether few rows are multiplied faster one by one along the sum, than side by side in registers that they do not fill; `steps`: along the sum.
fn thin([m, n, k]: [usize; 3], steps: [isize; 2], size: usize) -> bool {
    let lanes = (LINE_BYTES / size).max(1);
    let fits = steps[0] == 1 || m.saturating_mul(k) <= COPIED;
    steps[1] == 1 && n >= lanes && 2 * m <= lanes && fits && 3 * m * (k.div_ceil(lanes) + FOLDED) <= 2 * k
}
/// A product of matrices, complex ones excepted, with the kernel chosen. Strides are in elements; sides may have been exchanged so that the
/// rows of the result are one element apart.
#[derive(Debug)]
pub(crate) struct Real<E: 'static> {
    table: &'static Kernels<E>,
    pub(crate) way: Way,
    swap: bool,
    mnk: [usize; 3],
    a: [isize; 2],
    b: [isize; 2],
    c: [isize; 2],
    /// Estimated nanoseconds of one product.
    work: u64,
    /// Length of the pieces that long sums of few results are cut into; 0 where they are not.
    chunk: usize,
    /// Displacements along the sum of a factor that has no stride there, and whether that is the left one.
    taps: Option<(Box<[isize]>, bool)>,
    /// Factors that lie in memory in fewer bits and are read so, left and right as exchanged; their strides are those that they would have in
    /// full.
    small: [Option<Widen>; 2],
    /// Bits that tell every element of both factors, where that is known.
    bits: Option<u32>,
}
impl<E: Element> Real<E> {
    /// For an instruction set; `None` where its kernels do not fit the strides.
    pub(crate) fn choose(isa: Isa, s: &Shape) -> Option<Real<E>> {
        let table = E::kernels_of(isa);
        let z = size_of::<E>() as isize;
        let el = |x: [isize; 2]| x.map(|b| b / z);
        let ([mut m, mut n, k], [mut a, mut b, mut c]) = (s.mnk, [s.a, s.b, s.c].map(el));
        (a, b, c) = (of_one(a, [m, k]), of_one(b, [k, n]), of_one(c, [m, n]));
        let size = z as u64;
        let cells = (m as u64).saturating_mul(n as u64).saturating_mul(k as u64);
        if side_by_side(s) && (1..=LONGEST).contains(&k) {
            let work = cells.saturating_mul(size) / 100 + 1;
            return Some(Real {
                table,
                way: Way::Lanes,
                swap: false,
                mnk: [m, n, k],
                a,
                b,
                c,
                work,
                chunk: 0,
                taps: None,
                small: [None; 2],
                bits: None,
            });
        }
        let vector = m == 1 || n == 1;
        let swap = if vector { n != 1 || (m == 1 && a[1] != 1 && b[0] == 1) } else { c[0] != 1 && c[1] == 1 };
        if swap {
            (m, n) = (n, m);
            (a, b, c) = ([b[1], b[0]], [a[1], a[0]], [c[1], c[0]]);
        }
        let (way, work) = if k == 0 {
            return None;
        } else if n == 1 && s.batch.len() > 1 && k <= MOST && cells <= TINY {
            (Way::Tiny, cells / 4)
        } else if vector {
            let way = if a[0] == 1 && m > 1 {
                Way::Columns
            } else if a[1] == 1 && (b[0] == 1 || k <= PANEL) {
                Way::Rows
            } else {
                return None;
            };
            (way, cells.saturating_mul(size) / 16)
        } else if c[0] == 1 {
            let bytes = |x: usize, y: usize| x.saturating_mul(y).saturating_mul(z as usize);
            let near = match bytes(n, k) {
                _ if m <= THIN => true,
                _ if n <= THIN => a[0] != 1 || bytes(m, k) < 2 * NEAR,
                b => b < NEAR || (m < MANY && b < 4 * NEAR),
            };
            let large = m.saturating_mul(n) >= LARGE / z as usize && m >= 64;
            // A factor that comes from memory is read in longer runs, and ahead of its use, where it is packed.
            let far = bytes(m, k).max(bytes(n, k)) >= 2 * NEAR;
            let way = match near {
                _ if thin([m, n, k], [a[1], b[0]], z as usize) => Way::Thin,
                _ if k <= SHORT && a[0] == 1 && large => Way::Outer,
                _ if far && n > FEWEST && m > THIN => Way::Packed,
                _ if table.narrow.is_some() && m > THIN && n > FEWEST && k > THIN => Way::Packed,
                true if a[0] == 1 && n < WIDE => Way::Direct,
                true => Way::Half,
                false => Way::Packed,
            };
            (way, cells.saturating_mul(size) / 320)
        } else {
            return None;
        };
        let chunk = if s.batch.rank() == 0 { chunk([m, n, k]) } else { 0 };
        let (mnk, small, bits) = ([m, n, k], [None; 2], None);
        Some(Real { table, way, swap, mnk, a, b, c, work: work + 1, chunk, taps: None, small, bits })
    }
    /// For a factor, the one of side `side`, whose elements along the sum are displaced by `taps` elements; `None` where rows of the
    /// other operands are not one element apart.
    pub(crate) fn by_taps(isa: Isa, s: &Shape, side: usize, taps: Box<[isize]>) -> Option<Real<E>> {
        let z = size_of::<E>() as isize;
        let el = |x: [isize; 2]| x.map(|b| b / z);
        let ([mut m, mut n, k], [mut a, mut b, mut c]) = (s.mnk, [s.a, s.b, s.c].map(el));
        let swap = c[0] != 1 && c[1] == 1;
        if swap {
            (m, n) = (n, m);
            (a, b, c) = ([b[1], b[0]], [a[1], a[0]], [c[1], c[0]]);
        }
        if k == 0 || c[0] != 1 || (a[0] != 1 && m > 1) {
            return None;
        }
        let cells = (m as u64).saturating_mul(n as u64).saturating_mul(k as u64);
        let (work, taps) = (cells.saturating_mul(z as u64) / 320 + 1, Some((taps, (side == 0) != swap)));
        let table = E::kernels_of(isa);
        let (mnk, small, bits) = ([m, n, k], [None; 2], None);
        Some(Real { table, way: Way::Windows, swap, mnk, a, b, c, work, chunk: 0, taps, small, bits })
    }
    /// Bytes of memory for partial sums that [`Real::run`] needs.
    pub(crate) fn partials(&self) -> usize {
        let [m, n, k] = self.mnk;
        if self.chunk == 0 { 0 } else { m * n * k.div_ceil(self.chunk) * size_of::<E>() }
    }
    /// `Some` where a product ends in tiles of which [`Finish`] can be told: true where its rows are columns of the result.
    pub(crate) fn tiled(&self) -> Option<bool> {
        let tiles = matches!(self.way, Way::Direct | Way::Outer | Way::Half | Way::Packed | Way::Windows);
        (tiles && self.chunk == 0).then_some(self.swap)
    }
    /// Multiplies. Parts of the result, of a product that is [`Real::tiled`], are finished as they are made.
    ///
    /// # Safety
    /// The matrices of every batch index are inside memory of the caller; results overlap neither each other nor a factor.
    /// `partials` has [`Real::partials`] bytes.
    pub(crate) unsafe fn run(
        &self,
        batch: &Space,
        pool: &Pool,
        at: [Ptr; 3],
        warm: bool,
        partials: Ptr,
        then: Option<&Finish>,
    ) {
        let [m, n, _] = self.mnk;
        if m == 0 || n == 0 || batch.is_empty() {
            return;
        }
        if self.way == Way::Lanes {
            // SAFETY: passed on.
            return unsafe { self.lanes(batch, pool, at) };
        }
        let count = batch.len();
        // SAFETY: passed on, item by item.
        unsafe {
            if self.chunk > 0 {
                return self.deep(pool, at, partials);
            }
            if count == 1 {
                return self.one(pool, at, warm, then.map(|f| (f, 0)));
            }
            if self.work >= 1 << 20 {
                return self.items(batch, pool, at, 0..count, then);
            }
            // A piece is some ten microseconds.
            let group = ((1usize << 13) / self.work as usize).max(1);
            let quiet = Pool::new(1);
            pool.run(count.div_ceil(group), self.work.saturating_mul(count as u64), |p| {
                self.items(batch, &quiet, at, p * group..((p + 1) * group).min(count), then);
            });
        }
    }
    /// A product with few results and long sums: chunks of the sums, added in order.
    unsafe fn deep(&self, pool: &Pool, [a, b, c]: [Ptr; 3], partials: Ptr) {
        let [m, n, k] = self.mnk;
        let (chunks, cells, z) = (k.div_ceil(self.chunk), m * n, size_of::<E>() as isize);
        // Factors were exchanged with the rows and columns.
        let [x, y] = if self.swap { [b, a] } else { [a, b] };
        let quiet = Pool::new(1);
        let place = |p: usize| partials.at((p * cells) as isize * z);
        let one = |p: usize, to: Ptr| {
            let at = p * self.chunk;
            let len = self.chunk.min(k - at);
            let Real { table, way, swap, a, b, small, bits, .. } = *self;
            let (mnk, c) = ([m, n, len], [1, m as isize]);
            let part = Real { table, way, swap, a, b, mnk, c, work: 1, chunk: 0, taps: None, small, bits };
            let x = x.at(at as isize * self.a[1] * z);
            let y = y.at(at as isize * self.b[0] * z);
            let [a, b] = if self.swap { [y, x] } else { [x, y] };
            // SAFETY: columns and rows of the caller's factors; partial sums have places of their own.
            unsafe { part.one(&quiet, [a, b, to], false, None) };
        };
        // SAFETY: there is room for the sums of every chunk; the result's places are those of the product.
        unsafe {
            let shared = pool.shares(self.work);
            if shared {
                pool.run(chunks, self.work, |p| one(p, place(p)));
            } else {
                one(0, partials);
            }
            let sums = partials.0.cast::<E>();
            for p in 1..chunks {
                let from = place(if shared { p } else { 1 });
                if !shared {
                    one(p, from);
                }
                for i in 0..cells {
                    sums.add(i).write(sums.add(i).read().plus(from.0.cast::<E>().add(i).read()));
                }
            }
            let to = c.0.cast::<E>();
            for j in 0..n {
                for i in 0..m {
                    let at = i as isize * self.c[0] + j as isize * self.c[1];
                    to.wrapping_offset(at).write(sums.add(j * m + i).read());
                }
            }
        }
    }
    /// Products of a range of batch indices.
    unsafe fn items(
        &self,
        batch: &Space,
        pool: &Pool,
        at: [Ptr; 3],
        range: std::ops::Range<usize>,
        then: Option<&Finish>,
    ) {
        let (d, mut i) = (batch.dims[0], range.start);
        let step = [0, 1, 2].map(|k| batch.stride(0, k));
        while i < range.end {
            let first = [0, 1, 2].map(|k| at[k].at(batch.offset(k, i)));
            let n = (d - i % d).min(range.end - i);
            if self.way == Way::Tiny {
                let z = size_of::<E>() as isize;
                let [a, b] = if self.swap { [1, 0] } else { [0, 1] };
                let g = Tiny {
                    mk: [self.mnk[0], self.mnk[2]],
                    a: (first[a].0.cast_const().cast(), self.a),
                    b: (first[b].0.cast_const().cast(), self.b[0]),
                    c: (first[2].0.cast(), self.c[0]),
                    count: n,
                    steps: [step[a] / z, step[b] / z, step[2] / z],
                };
                // SAFETY: matrices of these batch indices.
                unsafe { (self.table.tiny)(&g) };
                i += n;
                continue;
            }
            for t in 0..n as isize {
                // SAFETY: matrices of one batch index.
                unsafe {
                    let at = [0, 1, 2].map(|k| first[k].at(t * step[k]));
                    self.one(pool, at, false, then.map(|f| (f, i + t as usize)));
                }
            }
            i += n;
        }
    }
    /// The innermost batch loop along the lanes.
    unsafe fn lanes(&self, batch: &Space, pool: &Pool, at: [Ptr; 3]) {
        let d = batch.dims[0];
        let pieces = d.div_ceil(SHARE);
        let each = d.div_ceil(pieces).next_multiple_of(LINE);
        let pieces = d.div_ceil(each);
        pool.run(pieces * (batch.len() / d), self.work.saturating_mul(batch.len() as u64), |p| {
            let lo = p % pieces * each;
            let [a, b, c] = [0, 1, 2].map(|k| at[k].at(batch.offset(k, p / pieces * d + lo)));
            let g = Batch {
                mnk: self.mnk,
                a: (a.0.cast_const().cast(), self.a[0], self.a[1]),
                b: (b.0.cast_const().cast(), self.b[0], self.b[1]),
                c: (c.0.cast(), self.c[0], self.c[1]),
                count: each.min(d - lo),
            };
            // SAFETY: matrices of these batch indices; pieces of the result are disjoint.
            unsafe { (self.table.batch)(&g) };
        });
    }
    unsafe fn one(&self, pool: &Pool, [a, b, c]: [Ptr; 3], warm: bool, then: Option<(&Finish, usize)>) {
        let (a, b) = if self.swap { (b, a) } else { (a, b) };
        let (a, b, c) = (a.0.cast_const().cast::<E>(), b.0.cast_const().cast::<E>(), c.0.cast::<E>());
        // SAFETY: passed on; a small factor lies at its address in its own elements.
        unsafe {
            match (self.way, &self.small) {
                (Way::Columns, [None, _]) => self.columns(pool, a, b, c),
                (Way::Rows, [None, _]) => self.rows(pool, a, b, c),
                (_, [None, None]) => self.product(pool, a, b, c, warm, then),
                _ => self.lying(pool, a, b, c, then),
            }
        }
    }
    unsafe fn product(
        &self,
        pool: &Pool,
        a: *const E,
        b: *const E,
        c: *mut E,
        warm: bool,
        then: Option<(&Finish, usize)>,
    ) {
        let [m, n, k] = self.mnk;
        let (a, b) = ((a, self.a[0], self.a[1]), (b, self.b[0], self.b[1]));
        let taps = self.taps.as_ref().map(|(at, left)| Taps { at, left: *left });
        let whole = Product { mnk: [m, n, k], a, b, c: (c, self.c[1]), then: None, taps };
        if !pool.shares(self.work) {
            // SAFETY: passed on.
            return unsafe { self.finished(whole, warm, then, [0, 0]) };
        }
        // Pieces of whole tiles of the longer side.
        let pieces = 2 * pool.threads();
        let (long, unit) = if n >= m { (n, 8) } else { (m, 48) };
        let each = long.div_ceil(pieces).next_multiple_of(unit);
        let whole = Shared(whole);
        pool.run(long.div_ceil(each), self.work, |p| {
            let mut g = whole.get();
            let (lo, len) = (p * each, each.min(long - p * each));
            if n >= m {
                g.mnk[1] = len;
                g.b.0 = g.b.0.wrapping_offset(lo as isize * g.b.2);
                g.c.0 = g.c.0.wrapping_offset(lo as isize * g.c.1);
            } else {
                g.mnk[0] = len;
                g.a.0 = g.a.0.wrapping_offset(lo as isize * g.a.1);
                g.c.0 = g.c.0.wrapping_add(lo);
            }
            // SAFETY: columns or rows of the caller's matrices; pieces of the result are disjoint.
            unsafe { self.finished(g, warm, then, if n >= m { [0, lo] } else { [lo, 0] }) };
        });
    }
    /// A piece of a product, whose first row and column are `at` in the whole, and what is to follow.
    unsafe fn finished(&self, g: Product<'_, E>, warm: bool, then: Option<(&Finish, usize)>, at: [usize; 2]) {
        let panels = if self.way == Way::Packed { scratch(g.mnk).saturating_mul(size_of::<E>()) } else { 0 };
        let panels = panels.next_multiple_of(64);
        let Some((f, item)) = then else {
            // SAFETY: passed on; without memory for panels, the product is made without them.
            return unsafe {
                if panels == 0 || with_scratch(panels, |p| self.tiles(&g, warm, Some(p))).is_err() {
                    self.tiles(&g, warm, None);
                }
            };
        };
        let done = with_scratch(panels + f.bytes, |p| {
            let part = |[i, rows, j, cols]: [usize; 4]| {
                (f.part)(p.at(panels as isize), item, [at[0] + i, rows, at[1] + j, cols]);
            };
            // SAFETY: as above. What is written past the caches cannot be finished in them.
            unsafe { self.tiles(&Product { then: Some(&part), ..g }, false, Some(p)) };
        });
        if done.is_err() {
            f.failed.store(true, Ordering::Relaxed);
        }
    }
    /// The tiles of a product; `panels`: memory for copies of both factors' panels.
    unsafe fn tiles(&self, g: &Product<E>, warm: bool, panels: Option<Ptr>) {
        let line = LINE_BYTES / size_of::<E>();
        let [m, n, _] = g.mnk;
        let past = warm
            && m.saturating_mul(n) >= LARGE / size_of::<E>()
            && g.c.0.addr().is_multiple_of(LINE_BYTES)
            && g.c.1 % line as isize == 0;
        // SAFETY: passed on; scratch memory and panels have the sizes the kernels ask for.
        unsafe {
            match (self.way, panels) {
                (Way::Outer, _) if warm => (self.table.outer)(g),
                (Way::Direct, _) => (self.table.direct)(g),
                (Way::Thin, _) => self.thin(g),
                (Way::Windows, _) => (self.table.windows)(g),
                (Way::Packed, Some(p)) => {
                    let packed = match &self.table.narrow {
                        Some(of) => match self.bits.filter(|_| (of.can)()).unwrap_or_else(|| (of.bits)(g)) {
                            8 => of.bytes,
                            16 => of.words,
                            _ => self.table.packed,
                        },
                        None => self.table.packed,
                    };
                    packed(g, p.0.cast(), past);
                }
                _ => with_panel(&mut |p| (self.table.half)(g, p.cast())),
            }
        }
    }
    /// See [`Way::Thin`].
    unsafe fn thin(&self, g: &Product<E>) {
        let [m, n, k] = g.mnk;
        let mut near;
        let (mut x, mut step) = (g.a.0, g.a.1);
        if g.a.2 != 1 {
            near = [E::ZERO; COPIED];
            for (at, to) in near.iter_mut().enumerate().take(m * k) {
                let (i, j) = ((at / k) as isize, (at % k) as isize);
                // SAFETY: an element of the caller's factor, which has no more than `near` where it is not read where it is.
                *to = unsafe { g.a.0.wrapping_offset(i * g.a.1 + j * g.a.2).read() };
            }
            (x, step) = (near.as_ptr(), k as isize);
        }
        let v = MatVec { mk: [n, k], total: self.mnk[1], a: (g.b.0, g.b.2), x: (x, 1), y: (g.c.0, g.c.1), more: false };
        // SAFETY: columns of the caller's right factor, which have their elements side by side, and rows of the result.
        unsafe { by_rows(self.table.rows, &v, m, [step, 1]) };
    }
    unsafe fn columns(&self, pool: &Pool, a: *const E, x: *const E, y: *mut E) {
        let ([m, _, k], ac, xs, ys) = (self.mnk, self.a[1], self.b[0], self.c[0]);
        if ys == 1 && !pool.shares(self.work) {
            // At once: a small product takes no longer than copying its description, which waits for the stores of its parts.
            let g = MatVec { mk: [m, k], total: m, a: (a, ac), x: (x, xs), y: (y, 1), more: false };
            // SAFETY: the caller's matrix and vectors.
            return unsafe { (self.table.columns)(&g) };
        }
        let whole = Shared(MatVec { mk: [m, k], total: m, a: (a, ac), x: (x, xs), y: (y, 1), more: false });
        let piece = |p: usize, each: usize| {
            let (mut g, lo) = (whole.get(), p * each);
            g.mk[0] = each.min(m - lo);
            g.a.0 = g.a.0.wrapping_add(lo);
            g.y.0 = g.y.0.wrapping_offset(lo as isize * ys);
            if ys == 1 {
                // SAFETY: rows from `lo` on.
                return unsafe { (self.table.columns)(&g) };
            }
            let (to, mut t) = (g.y.0, [E::ZERO; PANEL]);
            g.y.0 = t.as_mut_ptr();
            // SAFETY: as above; a piece has no more rows than `t`.
            unsafe {
                (self.table.columns)(&g);
                for i in 0..g.mk[0] {
                    to.wrapping_offset(i as isize * ys).write(t[i]);
                }
            }
        };
        if m <= FEW {
            piece(0, m);
        } else {
            pool.run(m.div_ceil(PANEL), self.work, |p| piece(p, PANEL));
        }
    }
    unsafe fn rows(&self, pool: &Pool, a: *const E, x: *const E, y: *mut E) {
        let ([m, _, k], ar, xs, ys) = (self.mnk, self.a[0], self.b[0], self.c[0]);
        if xs == 1 && !pool.shares(self.work) {
            // At once, as above, and without a buffer to be cleared.
            let g = MatVec { mk: [m, k], total: m, a: (a, ar), x: (x, 1), y: (y, ys), more: false };
            // SAFETY: the caller's matrix and vectors.
            return unsafe { (self.table.rows)(&g) };
        }
        let mut near = [E::ZERO; PANEL];
        // SAFETY: the caller's vector, which has no more elements than `near` where they are apart.
        let x = unsafe { beside(x, xs, k, &mut near) };
        let whole = Shared(MatVec { mk: [m, k], total: m, a: (a, ar), x: (x, 1), y: (y, ys), more: false });
        let each = if pool.shares(self.work) { (GRAIN / k).clamp(8, 512).next_multiple_of(8) } else { m };
        pool.run(m.div_ceil(each), self.work, |p| {
            let (mut g, lo) = (whole.get(), p * each);
            g.mk[0] = each.min(m - lo);
            g.a.0 = g.a.0.wrapping_offset(lo as isize * ar);
            g.y.0 = g.y.0.wrapping_offset(lo as isize * ys);
            // SAFETY: rows from `lo` on; pieces of the result are disjoint.
            unsafe { (self.table.rows)(&g) };
        });
    }
}
/// The `k` elements of a vector side by side: where they are, or copied.
///
/// # Safety
/// They are readable, `step` elements apart; there is room for them where that is not 1.
unsafe fn beside<E: Element>(x: *const E, step: isize, k: usize, near: &mut [E; PANEL]) -> *const E {
    if step == 1 {
        return x;
    }
    for (i, to) in near.iter_mut().enumerate().take(k) {
        // SAFETY: the caller's promise.
        *to = unsafe { x.wrapping_offset(i as isize * step).read() };
    }
    near.as_ptr()
}
/// What is done with a product's parts while they are in cache.
pub(crate) struct Finish<'a> {
    /// Bytes of scratch memory that `part` needs.
    pub(crate) bytes: usize,
    /// Takes the scratch memory, the batch index, and as [`super::tile::Then`] the part.
    pub(crate) part: &'a (dyn Fn(Ptr, usize, [usize; 4]) + Sync),
    /// There was no memory.
    pub(crate) failed: AtomicBool,
}
/// Length of the pieces of long sums of few results, by extents alone; 0: they are not cut.
fn chunk([m, n, k]: [usize; 3]) -> usize {
    if m == 0 || n == 0 || m.max(n) > MOST_DEEP {
        return 0;
    }
    let each = (DEEP / (m * n)).clamp(SHORTEST, LONGEST_CHUNK).max(k.div_ceil(CHUNKS)).next_multiple_of(KC);
    if k >= 4 * each { each } else { 0 }
}
/// Most rows and columns of a result whose sums are cut.
const MOST_DEEP: usize = 128;
/// Products in a piece of such a sum, about; bounds of its length; most pieces.
const DEEP: usize = 1 << 20;
const SHORTEST: usize = 2048;
const LONGEST_CHUNK: usize = 32768;
const CHUNKS: usize = 64;
/// Longest sums along the lanes: they are chains without blocks.
pub(crate) const LONGEST: usize = KC;
/// Batch indices of one piece along the lanes, and what pieces are multiples of.
const SHARE: usize = 512;
const LINE: usize = 16;
/// Whether the matrices of a batch lie side by side, so that no factor has rows or columns one element apart.
pub(crate) fn side_by_side(s: &Shape) -> bool {
    let [m, n, k] = s.mnk;
    let unit = |x: [isize; 2], [r, c]: [usize; 2], z: isize| (x[0] == z && r > 1) || (x[1] == z && c > 1);
    s.batch.rank() > 0 && {
        let z = s.batch.stride(0, 2);
        let same = s.size as isize == z && (0..2).all(|k| s.batch.stride(0, k) == z);
        same && !unit(s.a, [m, k], z) && !unit(s.b, [k, n], z) && !unit(s.c, [m, n], z)
    }
}
/// Addresses that the pieces of one product share.
#[derive(Clone, Copy)]
struct Shared<T: Copy>(T);
// SAFETY: only addresses; whoever uses them states why accesses are disjoint or reads.
unsafe impl<T: Copy> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Copy> Sync for Shared<T> {}
impl<T: Copy> Shared<T> {
    fn get(&self) -> T {
        self.0
    }
}
