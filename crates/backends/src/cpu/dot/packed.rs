//! Products of larger matrices: panels of both factors are copied side by side, so that a tile reads them in order and
//! they stay in the cache level that the loops were cut for (Goto and van de Geijn, ACM TOMS 34(3), 2008; Van Zee and van
//! de Geijn, ACM TOMS 41(3), 2015). Sums are those of [`super::tile`].
use super::lanes::{Float, Lanes};
use super::tile::{At, Band, KC, MV, Product, band_width, tile};

/// Rows of the left factor that are packed at once, at most (elements of `KC` columns: half of a second-level cache).
const ROWS: usize = 480;
/// Columns of the right factor that are packed at once, at most.
const COLUMNS: usize = 2048;

/// Elements of scratch that [`packed`] needs for `m` rows, `n` columns, sums of `k`.
pub(crate) fn scratch([m, n, k]: [usize; 3]) -> usize {
    let kc = KC.min(k);
    // Rows are padded to 48, columns to 8 at most.
    (ROWS.min(m) + 48) * kc + (COLUMNS.min(n) + 8) * kc
}

/// Copies a strip of `rows` rows (`rs` apart, columns `ks` apart), padded with zeros to `r`, so that the elements of a
/// column follow each other.
#[inline(always)]
unsafe fn strip<T: Lanes>(r: usize, rows: usize, k: usize, src: *const T::E, rs: isize, ks: isize, dst: *mut T::E) {
    // SAFETY: `rows * k` elements of the caller's matrix, `r * k` of its scratch.
    unsafe {
        if rs == 1 {
            for v in (0..r).step_by(T::N) {
                let (to, from) = (T::mask(T::N.min(r - v)), rows.saturating_sub(v).min(T::N));
                let (s, d) = (src.wrapping_add(v), dst.add(v));
                if from == T::N {
                    for p in 0..k {
                        T::load(s.wrapping_offset(p as isize * ks)).store(d.add(p * r));
                    }
                } else {
                    let some = T::mask(from.max(1));
                    for p in 0..k {
                        let x =
                            if from > 0 { T::load_mask(s.wrapping_offset(p as isize * ks), some) } else { T::zero() };
                        x.store_mask(d.add(p * r), to);
                    }
                }
            }
            return;
        }
        let (mut i0, mut k0) = (0, 0);
        if ks == 1 {
            (i0, k0) = (rows / T::BLOCK * T::BLOCK, k / T::BLOCK * T::BLOCK);
            for p in (0..k0).step_by(T::BLOCK) {
                for i in (0..i0).step_by(T::BLOCK) {
                    T::turn(src.wrapping_offset(i as isize * rs).wrapping_add(p), rs, dst.add(p * r + i), r as isize);
                }
            }
        }
        for p in 0..k {
            let s = src.wrapping_offset(p as isize * ks);
            for i in if p < k0 { i0 } else { 0 }..rows {
                dst.add(p * r + i).write(s.wrapping_offset(i as isize * rs).read());
            }
            for i in rows..r {
                dst.add(p * r + i).write(T::E::ZERO);
            }
        }
    }
}
/// Strips of `R` rows one element apart, whole ones, side by side: each column is read to its end before the next, as
/// memory likes it.
#[inline(always)]
unsafe fn strips<T: Lanes, const R: usize>(rows: usize, k: usize, src: *const T::E, ks: isize, dst: *mut T::E) {
    for p in 0..k {
        let s = src.wrapping_offset(p as isize * ks);
        for i in (0..rows).step_by(R) {
            for v in (0..R).step_by(T::N) {
                // SAFETY: `rows * k` elements of the caller's matrix and as many of its scratch.
                unsafe { T::load(s.wrapping_add(i + v)).store(dst.add(i * k + p * R + v)) };
            }
        }
    }
}
/// Bytes of a panel of the left factor: `KC` columns of the rows of a tile.
const PANEL: usize = 49152;
#[repr(C, align(64))]
struct Panel(std::mem::MaybeUninit<[u8; PANEL]>);
/// Calls `f` with memory for a panel. A function of its own that is never inlined: LLVM may move the probing of a large
/// stack frame behind an early exit and let it overwrite a register in use there.
#[inline(never)]
pub(crate) fn with_panel(f: &mut dyn FnMut(*mut u8)) {
    let mut panel = Panel(std::mem::MaybeUninit::uninit());
    f(panel.0.as_mut_ptr().cast());
}

/// A product whose left factor has any strides: its panels are copied one at a time to `buf` (see [`with_panel`]); the
/// right factor is read where it is. Rows of `C` one element apart.
#[inline(always)]
pub(crate) unsafe fn half<T: Lanes>(g: &Product<T::E>, buf: *mut T::E, bands: &[Band<T::E>; MV]) {
    let [m, n, k] = g.mnk;
    for p0 in (0..k).step_by(KC) {
        let kc = KC.min(k - p0);
        let (mut i, mut left) = (0, m.div_ceil(T::N));
        while left > 0 {
            let w = band_width(left);
            let rows = (m - i).min(w * T::N);
            let t = At {
                k: kc,
                a: buf.cast_const(),
                ac: (w * T::N) as isize,
                b: g.b.0.wrapping_offset(p0 as isize * g.b.1),
                br: g.b.1,
                bc: g.b.2,
                c: g.c.0.wrapping_add(i),
                cc: g.c.1,
                more: p0 > 0,
            };
            let a = g.a.0.wrapping_offset(i as isize * g.a.1 + p0 as isize * g.a.2);
            // SAFETY: rows `i..i + rows` of the caller's matrices; a panel has `MV * N * KC` elements at most.
            unsafe {
                strip::<T>(w * T::N, rows, kc, a, g.a.1, g.a.2, buf);
                bands[w - 1](&t, n, rows);
            }
            i += rows;
            left -= w;
        }
    }
}
/// A product of any strides in the factors; rows of `C` one element apart. `buf`: [`scratch`] elements.
#[inline(always)]
pub(crate) unsafe fn packed<T: Lanes, const MR: usize, const NR: usize>(
    g: &Product<T::E>,
    buf: *mut T::E,
    bands: &[Band<T::E>; MV],
) {
    let [m, n, k] = g.mnk;
    // Even shares rather than a short last one.
    let share = |n: usize, most: usize, unit: usize| n.div_ceil(n.div_ceil(most).max(1)).next_multiple_of(unit);
    let (mc, nc) = (share(m, ROWS, MR), share(n, COLUMNS, NR));
    let (pa, pb) = (buf, buf.wrapping_add((ROWS.min(m) + 48) * KC.min(k)));
    // SAFETY: every index below is inside the caller's matrices or the scratch.
    unsafe {
        for jc in (0..n).step_by(nc) {
            let nb = nc.min(n - jc);
            for p0 in (0..k).step_by(KC) {
                let kc = KC.min(k - p0);
                for j in (0..nb).step_by(NR) {
                    let s = g.b.0.wrapping_offset((jc + j) as isize * g.b.2 + p0 as isize * g.b.1);
                    strip::<T>(NR, NR.min(nb - j), kc, s, g.b.2, g.b.1, pb.add(j * kc));
                }
                for ic in (0..m).step_by(mc) {
                    let mb = mc.min(m - ic);
                    let mut done = 0;
                    if g.a.1 == 1 {
                        done = mb / MR * MR;
                        let s = g.a.0.wrapping_add(ic).wrapping_offset(p0 as isize * g.a.2);
                        strips::<T, MR>(done, kc, s, g.a.2, pa);
                    }
                    for i in (done..mb).step_by(MR) {
                        let s = g.a.0.wrapping_offset((ic + i) as isize * g.a.1 + p0 as isize * g.a.2);
                        strip::<T>(MR, MR.min(mb - i), kc, s, g.a.1, g.a.2, pa.add(i * kc));
                    }
                    for j in (0..nb).step_by(NR) {
                        for i in (0..mb).step_by(MR) {
                            let rows = MR.min(mb - i);
                            let w = rows.div_ceil(T::N);
                            let t = At {
                                k: kc,
                                a: pa.add(i * kc).cast_const(),
                                ac: MR as isize,
                                b: pb.add(j * kc).cast_const(),
                                br: NR as isize,
                                bc: 1,
                                c: g.c.0.wrapping_offset((jc + j) as isize * g.c.1).wrapping_add(ic + i),
                                cc: g.c.1,
                                more: p0 > 0,
                            };
                            let cols = NR.min(nb - j);
                            if w == MV && cols == NR {
                                tile::<T, MV, NR, true>(&t, T::mask(rows - (MV - 1) * T::N));
                            } else {
                                bands[w - 1](&t, cols, rows);
                            }
                        }
                    }
                }
            }
        }
    }
}
