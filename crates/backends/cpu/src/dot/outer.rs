//! Products with short sums and a result larger than the caches: written past them, column by column of a block of rows
//! whose left factor stays in the first-level cache. Sums are those of [`super::tile`].
use super::lanes::Lanes;
use super::tile::Product;

/// Longest sums: their right factors stay in registers.
pub(crate) const SHORT: usize = 8;
/// Bytes of a block of the left factor.
const BLOCK: usize = 24 * 1024;

/// `rows` rows of one column.
#[inline(always)]
unsafe fn column<T: Lanes, const K: usize>(
    rows: usize,
    a: *const T::E,
    ac: isize,
    b: *const T::E,
    br: isize,
    c: *mut T::E,
) {
    let mut s = [T::zero(); K];
    // SAFETY: the caller's rows.
    unsafe {
        for p in 0..K {
            s[p] = T::splat(b.wrapping_offset(p as isize * br));
        }
        // Rows before the first whole line of the result.
        let bytes = size_of::<T::E>();
        let head = (c.addr().wrapping_neg() % (T::N * bytes)) / bytes;
        let mut i = 0;
        while i < rows {
            let n = if i == 0 && head > 0 { head } else { T::N }.min(rows - i);
            let p = a.wrapping_add(i);
            let mut t = T::zero();
            if n == T::N {
                for q in 0..K {
                    t = T::load(p.wrapping_offset(q as isize * ac)).fma(s[q], t);
                }
                t.stream(c.wrapping_add(i));
            } else {
                let mask = T::mask(n);
                for q in 0..K {
                    t = T::load_mask(p.wrapping_offset(q as isize * ac), mask).fma(s[q], t);
                }
                t.store_mask(c.wrapping_add(i), mask);
            }
            i += n;
        }
    }
}
/// A product of at most [`SHORT`] columns of `A`, whose rows are one element apart; so are those of `C`, which is aligned
/// to its elements. Writes past the caches.
#[inline(always)]
pub(crate) unsafe fn outer<T: Lanes>(g: &Product<T::E>) {
    let [m, n, k] = g.mnk;
    let each = (BLOCK / size_of::<T::E>() / k.max(1)).next_multiple_of(64);
    for i in (0..m).step_by(each) {
        let (rows, a) = (each.min(m - i), g.a.0.wrapping_add(i));
        for j in 0..n {
            let (b, c) =
                (g.b.0.wrapping_offset(j as isize * g.b.2), g.c.0.wrapping_offset(j as isize * g.c.1).wrapping_add(i));
            // SAFETY: rows `i..i + rows` of column `j`.
            unsafe {
                match k {
                    1 => column::<T, 1>(rows, a, g.a.2, b, g.b.1, c),
                    2 => column::<T, 2>(rows, a, g.a.2, b, g.b.1, c),
                    3 => column::<T, 3>(rows, a, g.a.2, b, g.b.1, c),
                    4 => column::<T, 4>(rows, a, g.a.2, b, g.b.1, c),
                    5 => column::<T, 5>(rows, a, g.a.2, b, g.b.1, c),
                    6 => column::<T, 6>(rows, a, g.a.2, b, g.b.1, c),
                    7 => column::<T, 7>(rows, a, g.a.2, b, g.b.1, c),
                    _ => column::<T, 8>(rows, a, g.a.2, b, g.b.1, c),
                }
            }
        }
    }
    T::fence();
}
