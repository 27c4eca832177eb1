//! Householder QR of real matrices of any shape and strides, on one thread.
use super::kern::{Kernels, Real};
use super::reflect::{Reflectors, carve, load, padded, pieces, store};
use crate::linalg::Failed;
use faer::dyn_stack::{MemStack, StackReq};
use faer::{MatMut, MatRef};

fn sizes<E: Real>(m: usize, n: usize) -> [usize; 6] {
    let (k, mp) = (m.min(n), padded(m));
    let [v, vt, t, w] = Reflectors::<E>::sizes(m, k, n);
    [mp.saturating_mul(n), mp.saturating_mul(k), v, vt, t, w]
}
/// Memory that [`thin`] needs.
pub(crate) fn scratch<E: Real>(m: usize, n: usize) -> StackReq {
    pieces::<E>(&sizes::<E>(m, n)).and(pieces::<E>(&[m.min(n)]))
}
/// `A = Q R` with `k = min(m, n)` columns in `q` and rows in `r`, whose diagonal is not negative. Fails where an element is
/// not finite.
///
/// The backward error is a few roundings of the norm of each column, whatever the rank (Higham, Accuracy and Stability of
/// Numerical Algorithms, theorem 19.4).
pub(crate) fn thin<E: Real>(
    kern: &'static Kernels<E>,
    a: MatRef<'_, E>,
    q: MatMut<'_, E>,
    r: MatMut<'_, E>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let (m, n) = (a.nrows(), a.ncols());
    let k = m.min(n);
    assert!(q.nrows() == m && q.ncols() == k && r.nrows() == k && r.ncols() == n, "extents of the factors");
    if k == 0 {
        return Ok(());
    }
    let mp = padded(m);
    let ([c, x, v, vt, t, w], stack) = carve::<E, 6>(stack, sizes::<E>(m, n));
    let ([signs], _) = carve::<E, 1>(stack, [k]);
    let mut h = Reflectors::new(kern, m, k, [v, vt, t, w]);
    // SAFETY: the pieces have the sizes asked for; the extents of `a`, `q` and `r` are checked above.
    unsafe {
        load(m, n, (a.as_ptr(), a.row_stride(), a.col_stride()), c, mp);
        let finite = |(sum, top): (E, E)| sum >= E::ZERO && top <= E::MAX;
        if !(0..n).all(|j| finite((kern.squares)(mp, c.add(j * mp)))) {
            return Err(Failed);
        }
        h.factor(c, n, E::ZERO);
        for i in 0..k {
            signs.add(i).write(if c.add(i + i * mp).read() < E::ZERO { -E::ONE } else { E::ONE });
        }
        let signs = std::slice::from_raw_parts(signs.cast_const(), k);
        for j in 0..n {
            let (upper, lower) = std::slice::from_raw_parts_mut(c.add(j * mp), k).split_at_mut(k.min(j + 1));
            upper.iter_mut().zip(signs).for_each(|(x, &s)| *x *= s);
            lower.fill(E::ZERO);
        }
        store(c, mp, r);
        h.form(x, k);
        for (j, _) in signs.iter().enumerate().filter(|s| *s.1 < E::ZERO) {
            std::slice::from_raw_parts_mut(x.add(j * mp), m).iter_mut().for_each(|x| *x = -*x);
        }
        store(x, mp, q);
    }
    Ok(())
}
/// As [`thin`], with the reflections and their factors in place of `q`: `r` on and above the diagonal of `qr`, the vectors below it behind
/// their leading 1, as LAPACK packs them. Memory as for [`thin`].
pub(crate) fn packed<E: Real>(
    kern: &'static Kernels<E>,
    a: MatRef<'_, E>,
    qr: MatMut<'_, E>,
    mut tau: MatMut<'_, E>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let (m, n) = (a.nrows(), a.ncols());
    let k = m.min(n);
    assert!(qr.nrows() == m && qr.ncols() == n && tau.nrows() == k, "extents of the factors");
    if k == 0 {
        return Ok(());
    }
    let mp = padded(m);
    let ([c, _, v, vt, t, w], _) = carve::<E, 6>(stack, sizes::<E>(m, n));
    let mut h = Reflectors::new(kern, m, k, [v, vt, t, w]);
    // SAFETY: the pieces have the sizes asked for; the extents of `a`, `qr` and `tau` are checked above.
    unsafe {
        load(m, n, (a.as_ptr(), a.row_stride(), a.col_stride()), c, mp);
        let finite = |(sum, top): (E, E)| sum >= E::ZERO && top <= E::MAX;
        if !(0..n).all(|j| finite((kern.squares)(mp, c.add(j * mp)))) {
            return Err(Failed);
        }
        h.factor(c, n, E::ZERO);
        for j in 0..k {
            tau[(j, 0)] = h.tau(j);
            std::ptr::copy_nonoverlapping(v.add(j * mp + j + 1).cast_const(), c.add(j * mp + j + 1), m - j - 1);
        }
        store(c, mp, qr);
    }
    Ok(())
}
