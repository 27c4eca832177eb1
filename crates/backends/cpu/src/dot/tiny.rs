//! Products of many small matrices with vectors that follow each other in memory: one after the other, without asking how for each. Sums
//! are those of [`super::tile`]: one chain for each element of the result.
use super::lanes::Element;

/// Most columns of a matrix.
pub(crate) const MOST: usize = 8;

/// `c = A b`, `count` times; strides of rows and columns, and from one product to the next, in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiny<E> {
    pub(crate) mk: [usize; 2],
    pub(crate) a: (*const E, [isize; 2]),
    pub(crate) b: (*const E, isize),
    pub(crate) c: (*mut E, isize),
    pub(crate) count: usize,
    /// Of matrices, vectors, results.
    pub(crate) steps: [isize; 3],
}
/// Rows times `K` columns.
#[inline(always)]
unsafe fn of<E: Element, const K: usize>(g: &Tiny<E>, m: usize, rs: isize, cs: isize) {
    let (mut a, mut b, mut c) = (g.a.0, g.b.0, g.c.0);
    for _ in 0..g.count {
        let mut x = [E::ZERO; K];
        for (k, x) in x.iter_mut().enumerate() {
            // SAFETY: an element of the caller's vector.
            *x = unsafe { b.wrapping_offset(k as isize * g.b.1).read() };
        }
        for i in 0..m as isize {
            let mut sum = E::ZERO;
            for (k, x) in x.iter().enumerate() {
                // SAFETY: an element of the caller's matrix.
                sum = unsafe { a.wrapping_offset(i * rs + k as isize * cs).read() }.fma(*x, sum);
            }
            // SAFETY: an element of the caller's result.
            unsafe { c.wrapping_offset(i * g.c.1).write(sum) };
        }
        a = a.wrapping_offset(g.steps[0]);
        b = b.wrapping_offset(g.steps[1]);
        c = c.wrapping_offset(g.steps[2]);
    }
}
/// All products.
///
/// # Safety
/// Matrices and vectors are readable and results writable at these strides; a matrix has 1 to [`MOST`] columns.
#[inline(always)]
pub(crate) unsafe fn tiny<E: Element>(g: &Tiny<E>) {
    let ([m, k], [rs, cs]) = (g.mk, g.a.1);
    // Where all is known, nothing is left of the loops: dense square matrices by rows, and by columns.
    macro_rules! known {
        ($($k:literal)*) => {
            match (m, k, rs, cs) {
                // SAFETY: passed on.
                $(($k, $k, $k, 1) => unsafe { of::<E, $k>(g, $k, $k, 1) },
                // SAFETY: passed on.
                ($k, $k, 1, $k) => unsafe { of::<E, $k>(g, $k, 1, $k) },)*
                // SAFETY: passed on.
                _ => unsafe { any(g) },
            }
        };
    }
    known!(2 3 4)
}
#[inline(always)]
unsafe fn any<E: Element>(g: &Tiny<E>) {
    macro_rules! columns {
        ($($k:literal)*) => {
            match g.mk[1] {
                // SAFETY: passed on.
                $($k => unsafe { of::<E, $k>(g, g.mk[0], g.a.1[0], g.a.1[1]) },)*
                _ => {}
            }
        };
    }
    columns!(1 2 3 4 5 6 7 8)
}
