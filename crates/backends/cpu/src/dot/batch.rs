//! Products of many small matrices whose elements of one place follow each other in memory: each lane multiplies matrices
//! of its own. Sums are those of [`super::tile`]: one chain for each element of the result.
use super::lanes::Lanes;

/// `C = A B` for each of `count` lanes; strides of rows and columns in elements, lanes one element apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch<E> {
    pub(crate) mnk: [usize; 3],
    pub(crate) a: (*const E, isize, isize),
    pub(crate) b: (*const E, isize, isize),
    pub(crate) c: (*mut E, isize, isize),
    pub(crate) count: usize,
}

/// `R` rows by `C` columns of the results of one register of lanes.
#[inline(always)]
unsafe fn tile<T: Lanes, const R: usize, const C: usize, const ALL: bool>(
    g: &Batch<T::E>,
    i: usize,
    j: usize,
    mask: T::Mask,
) {
    let mut acc = [[T::zero(); R]; C];
    let (mut a, mut b) = (g.a.0.wrapping_offset(i as isize * g.a.1), g.b.0.wrapping_offset(j as isize * g.b.2));
    let (ar, bc) = (g.a.1, g.b.2);
    // SAFETY: rows and columns of the caller's matrices, lanes under the mask.
    unsafe {
        for _ in 0..g.mnk[2] {
            let mut x = [T::zero(); R];
            for r in 0..R {
                let p = a.wrapping_offset(r as isize * ar);
                x[r] = if ALL { T::load(p) } else { T::load_mask(p, mask) };
            }
            for c in 0..C {
                let p = b.wrapping_offset(c as isize * bc);
                let y = if ALL { T::load(p) } else { T::load_mask(p, mask) };
                for r in 0..R {
                    acc[c][r] = x[r].fma(y, acc[c][r]);
                }
            }
            a = a.wrapping_offset(g.a.2);
            b = b.wrapping_offset(g.b.1);
        }
        for c in 0..C {
            for r in 0..R {
                let p = g.c.0.wrapping_offset((i + r) as isize * g.c.1 + (j + c) as isize * g.c.2);
                if ALL { acc[c][r].store(p) } else { acc[c][r].store_mask(p, mask) }
            }
        }
    }
}
#[inline(always)]
unsafe fn columns<T: Lanes, const C: usize, const ALL: bool>(g: &Batch<T::E>, j: usize, mask: T::Mask) {
    let (m, mut i) = (g.mnk[0], 0);
    // SAFETY: passed on.
    unsafe {
        while i + 4 <= m {
            tile::<T, 4, C, ALL>(g, i, j, mask);
            i += 4;
        }
        match m - i {
            0 => {}
            1 => tile::<T, 1, C, ALL>(g, i, j, mask),
            2 => tile::<T, 2, C, ALL>(g, i, j, mask),
            _ => tile::<T, 3, C, ALL>(g, i, j, mask),
        }
    }
}
#[inline(always)]
unsafe fn block<T: Lanes, const ALL: bool>(g: &Batch<T::E>, mask: T::Mask) {
    let (n, mut j) = (g.mnk[1], 0);
    // SAFETY: passed on.
    unsafe {
        while T::COLS == 8 && j + 4 <= n {
            columns::<T, 4, ALL>(g, j, mask);
            j += 4;
        }
        while j + 2 <= n {
            columns::<T, 2, ALL>(g, j, mask);
            j += 2;
        }
        if j < n {
            columns::<T, 1, ALL>(g, j, mask);
        }
    }
}
/// All lanes, a register of them after the other.
#[inline(always)]
pub(crate) unsafe fn batch<T: Lanes>(g: &Batch<T::E>) {
    let (mut g, mut left) = (*g, g.count);
    // SAFETY: passed on.
    unsafe {
        while left >= T::N {
            block::<T, true>(&g, T::mask(T::N));
            left -= T::N;
            g.a.0 = g.a.0.wrapping_add(T::N);
            g.b.0 = g.b.0.wrapping_add(T::N);
            g.c.0 = g.c.0.wrapping_add(T::N);
        }
        if left > 0 {
            block::<T, false>(&g, T::mask(left));
        }
    }
}
