//! Products of matrices: a tile of the result is summed in registers over the whole of `k` (or one block of it), its rows
//! along the lanes.
//!
//! Every element of the result is a sum in one fixed order, whatever the instruction set, the tiling and the packing:
//! blocks of [`KC`] products, each a chain of fused multiply-adds from zero, added in order.
use super::lanes::Lanes;

/// Products of one chain.
pub(crate) const KC: usize = 256;
/// Registers of rows of a tile, at most.
pub(crate) const MV: usize = 3;

/// `C = A B`: addresses, strides in elements. Rows of `C` are one element apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product<E> {
    /// Extents `m`, `n`, `k`.
    pub(crate) mnk: [usize; 3],
    /// Left factor; strides of rows and columns.
    pub(crate) a: (*const E, isize, isize),
    /// Right factor.
    pub(crate) b: (*const E, isize, isize),
    /// Result; stride of columns.
    pub(crate) c: (*mut E, isize),
}

/// Where a tile reads and writes: a left panel with rows one element apart, a right panel, the result.
#[derive(Clone, Copy)]
pub(crate) struct At<E> {
    pub(crate) k: usize,
    pub(crate) a: *const E,
    pub(crate) ac: isize,
    pub(crate) b: *const E,
    pub(crate) br: isize,
    pub(crate) bc: isize,
    pub(crate) c: *mut E,
    pub(crate) cc: isize,
    /// Add to the result rather than replace it?
    pub(crate) more: bool,
}

/// `W` registers of rows, the last under the mask, by `R` columns.
#[inline(always)]
pub(crate) unsafe fn tile<T: Lanes, const W: usize, const R: usize, const PACKED: bool>(t: &At<T::E>, mask: T::Mask) {
    let mut acc = [[T::zero(); W]; R];
    let (mut a, mut b) = (t.a, t.b);
    let (ac, br, bc) = if PACKED { ((W * T::N) as isize, R as isize, 1) } else { (t.ac, t.br, t.bc) };
    // SAFETY: the caller's panels cover the tile; prefetching touches nothing.
    unsafe {
        if PACKED {
            for j in 0..R {
                for v in 0..W {
                    T::fetch(t.c.wrapping_offset(j as isize * t.cc).wrapping_add(v * T::N));
                }
            }
        }
        for _ in 0..t.k {
            let mut x = [T::zero(); W];
            for v in 0..W - 1 {
                x[v] = T::load(a.add(v * T::N));
            }
            let last = a.add((W - 1) * T::N);
            x[W - 1] = if PACKED { T::load(last) } else { T::load_mask(last, mask) };
            for j in 0..R {
                let s = T::splat(b.wrapping_offset(j as isize * bc));
                for v in 0..W {
                    acc[j][v] = x[v].fma(s, acc[j][v]);
                }
            }
            a = a.wrapping_offset(ac);
            b = b.wrapping_offset(br);
        }
        for j in 0..R {
            let c = t.c.wrapping_offset(j as isize * t.cc);
            for v in 0..W {
                let p = c.add(v * T::N);
                if v < W - 1 {
                    (if t.more { T::load(p).add(acc[j][v]) } else { acc[j][v] }).store(p);
                } else {
                    (if t.more { T::load_mask(p, mask).add(acc[j][v]) } else { acc[j][v] }).store_mask(p, mask);
                }
            }
        }
    }
}
/// A band of `rows` rows in so many registers, and `n` columns, any number.
pub(crate) type Band<E> = unsafe fn(&At<E>, n: usize, rows: usize);
/// A [`Band`] of `W` registers.
#[inline(always)]
pub(crate) unsafe fn band<T: Lanes, const W: usize>(t: &At<T::E>, n: usize, rows: usize) {
    let (mut t, mut left, mask) = (*t, n, T::mask(rows - (W - 1) * T::N));
    // SAFETY: passed on.
    unsafe {
        while left >= T::COLS {
            if T::COLS == 8 {
                tile::<T, W, 8, false>(&t, mask);
            } else {
                tile::<T, W, 4, false>(&t, mask);
            }
            left -= T::COLS;
            t.b = t.b.wrapping_offset(T::COLS as isize * t.bc);
            t.c = t.c.wrapping_offset(T::COLS as isize * t.cc);
        }
        match left {
            0 => {}
            1 => tile::<T, W, 1, false>(&t, mask),
            2 => tile::<T, W, 2, false>(&t, mask),
            3 => tile::<T, W, 3, false>(&t, mask),
            4 => tile::<T, W, 4, false>(&t, mask),
            5 => tile::<T, W, 5, false>(&t, mask),
            6 => tile::<T, W, 6, false>(&t, mask),
            _ => tile::<T, W, 7, false>(&t, mask),
        }
    }
}
/// Registers of the next band of rows where `left` are left: as even as possible.
#[inline(always)]
pub(crate) fn band_width(left: usize) -> usize {
    match left {
        0..=MV => left,
        4 => 2,
        _ => MV,
    }
}
/// A product without packing: rows of `A` and `C` one element apart.
#[inline(always)]
pub(crate) unsafe fn direct<T: Lanes>(p: &Product<T::E>, bands: &[Band<T::E>; MV]) {
    let [m, n, k] = p.mnk;
    let mut p0 = 0;
    while p0 < k {
        let kc = KC.min(k - p0);
        let (mut i, mut left) = (0, m.div_ceil(T::N));
        while left > 0 {
            let w = band_width(left);
            let rows = (m - i).min(w * T::N);
            let t = At {
                k: kc,
                a: p.a.0.wrapping_add(i).wrapping_offset(p0 as isize * p.a.2),
                ac: p.a.2,
                b: p.b.0.wrapping_offset(p0 as isize * p.b.1),
                br: p.b.1,
                bc: p.b.2,
                c: p.c.0.wrapping_add(i),
                cc: p.c.1,
                more: p0 > 0,
            };
            // SAFETY: rows `i..i + rows` of the caller's matrices.
            unsafe { bands[w - 1](&t, n, rows) };
            i += rows;
            left -= w;
        }
        p0 += kc;
    }
}
