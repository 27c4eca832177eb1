//! Steps from a matrix to bidiagonal form: scaling, the rows of a triangle that matter, the core, its reduction.
use super::kern::{Kernels, Product, Real};
use super::reflect::{Reflectors, padded};

/// Reduces the `c × c` matrix at `a` (columns padded) to `diag(d) + superdiag(e)`, with reflections from left and right.
///
/// # Safety
/// All memory has the extents of `c`; `row` and `w` have a padded column each.
pub(super) unsafe fn bidiagonalize<E: Real>(
    kern: &Kernels<E>,
    (a, c): (*mut E, usize),
    [left, right]: [&mut Reflectors<E>; 2],
    d: &mut [E],
    e: &mut [E],
    taus: [&mut [E]; 2],
    [row, w]: [*mut E; 2],
) {
    let cp = padded(c);
    let [tau_l, tau_r] = taus;
    // SAFETY: rows and columns of the core. Rows that are finished may be written again, which nothing reads.
    unsafe {
        for j in 0..c {
            let r0 = left.start(j);
            let (v, at) = (left.v.add(r0 + j * cp), |col: usize| a.add(r0 + col * cp));
            let h = (kern.house)(cp - r0, j - r0, at(j), v);
            (d[j], tau_l[j]) = (h.beta, h.tau);
            let rest = c - j - 1;
            if rest == 0 {
                break;
            }
            if h.tau != E::ZERO {
                (kern.reflect)(cp - r0, rest, v, h.tau, at(j + 1), cp);
            }
            let r1 = right.start(j);
            for i in r1..cp {
                row.add(i).write(if i > j && i < c { a.add(j + i * cp).read() } else { E::ZERO });
            }
            let v = right.v.add(r1 + j * cp);
            let h = (kern.house)(cp - r1, j + 1 - r1, row.add(r1), v);
            (e[j], tau_r[j]) = (h.beta, h.tau);
            if h.tau != E::ZERO {
                let v = right.v.add(j + 1 + j * cp).cast_const();
                let product = |mnk, a, b, c, sub| (kern.product)(&Product { mnk, a, b, c, sub });
                product([cp - r0, 1, rest], (at(j + 1).cast_const(), cp), (v, 1, 0), (w, cp), false);
                for i in 0..cp - r0 {
                    w.add(i).write(w.add(i).read() * h.tau);
                }
                product([cp - r0, rest, 1], (w.cast_const(), cp), (v, 0, 1), (at(j + 1), cp), true);
            }
        }
    }
}

/// Scales the matrix by a power of two where squares of its elements leave the range of the type. Gives the power and the
/// Frobenius norm; `None` where an element is not finite.
///
/// # Safety
/// `x` has `n` columns of `mp` elements.
pub(super) unsafe fn rescale<E: Real>(kern: &Kernels<E>, x: *mut E, mp: usize, n: usize) -> Option<(E, E)> {
    let measure = || {
        (0..n).fold((E::ZERO, E::ZERO), |(sum, top), j| {
            // SAFETY: the caller's columns.
            let (s, t) = unsafe { (kern.squares)(mp, x.add(j * mp)) };
            (sum + s, if t > top { t } else { top })
        })
    };
    let (sum, top) = measure();
    let round = E::ROUND * E::ROUND;
    if top == E::ZERO && sum == E::ZERO || sum >= E::TINY / (round * round) && sum <= E::MAX * round {
        return Some((E::ONE, sum.root()));
    }
    if !(top <= E::MAX) || !(sum >= E::ZERO) {
        return None;
    }
    let limit = if size_of::<E>() == 8 { 1000.0 } else { 120.0 };
    let scale = E::of((-top.wide().log2().floor()).min(limit).exp2());
    for i in 0..mp * n {
        // SAFETY: as above.
        unsafe { x.add(i).write(x.add(i).read() * scale) }
    }
    Some((scale, measure().0.root()))
}
/// Of the first `k` rows of `R` (`n` columns), those that remain if the last ones go as long as their norm is at most `drop`.
///
/// # Safety
/// `x` has `n` columns of `mp >= k` elements.
pub(super) unsafe fn settled_rows<E: Real>(x: *const E, mp: usize, k: usize, n: usize, drop: E) -> usize {
    let (mut c, mut sum) = (k, E::ZERO);
    while drop > E::ZERO && c > 0 {
        for j in c - 1..n {
            // SAFETY: an element of the caller's.
            let y = unsafe { x.add(c - 1 + j * mp).read() };
            sum += y * y;
        }
        if !(sum <= drop * drop) {
            break;
        }
        c -= 1;
    }
    c
}
/// Copies the leading `c × c` block, its upper triangle alone if so said, to padded columns.
///
/// # Safety
/// The block is readable; `to` has `c` padded columns.
pub(super) unsafe fn copy_core<E: Real>((x, ld, c): (*const E, usize, usize), upper: bool, to: *mut E) {
    let cp = padded(c);
    for j in 0..c {
        let rows = if upper { j + 1 } else { c };
        // SAFETY: the caller's columns.
        unsafe {
            std::ptr::copy_nonoverlapping(x.add(j * ld), to.add(j * cp), rows);
            std::slice::from_raw_parts_mut(to.add(j * cp + rows), cp - rows).fill(E::ZERO);
        }
    }
}
