//! The error function and its complement.
//!
//! (x + n) exp(x²) erfc(x) is nearly constant and smooth in (x − k)/(x + k), which maps x ≥ 0 to [−1, 1): M. M. Shepherd and
//! J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x²) erfc x in 0 ≤ x < ∞", Math. Comp. 36 (1981) 249–253.
use super::coef::*;
use super::exp::{exp, exp_parts};
use super::v::{V, poly};

#[inline(always)]
pub(super) fn erf<T: V>(x: T) -> T {
    let (one, a) = (T::c(1.0), T::pick(4.0, 5.95).min(x.abs()));
    let z = a.mul(a);
    let near = a.fma(poly(&ERF32, &ERF64, z), a);
    // erfc, below 0.22, so that a few units in its own last place are less than one of the result.
    let k = T::pick(1.75, 2.5);
    let r = one.div(a.add(k));
    let small = exp(z.xor(T::sign_bit())).mul(poly(&ERFT32, &ERFT64, a.sub(k).mul(r))).mul(r);
    T::sel(T::lt(a, T::c(0.875)), near, one.sub(small)).or(x.sign())
}
#[inline(always)]
pub(super) fn erfc<T: V>(x: T) -> T {
    let a = T::pick(10.2, 27.5).min(x.abs());
    let z = a.mul(a);
    let (n, h, l) = exp_parts(z.xor(T::sign_bit()), a.fnma(a, z));
    // (h + l) q / (a + near), the larger roundings put back.
    let (k, near) = (T::pick(2.25, 4.0), T::c(0.8828125));
    let d = a.add(near);
    let dl = a.max(near).sub(d).add(a.min(near));
    let t = a.sub(k).div(a.add(k));
    let (c0, p) = (T::pick(ERFC32[0], ERFC64[0]), poly(&ERFC32[1..], &ERFC64[1..], t).mul(t));
    let q = c0.add(p);
    let ql = c0.sub(q).add(p);
    let (c, rc) = (q.mul(h), T::c(1.0).div(d));
    let less = ql.fnma(h, q.fnma(l, q.fnma(h, c)));
    let v = c.mul(rc);
    let v = v.fnma(d, c).sub(v.fma(dl, less)).fma(rc, v).scalef(n);
    let v = T::sel(T::lt(x, T::c(0.0)), T::c(2.0).sub(v), v);
    T::sel(T::eq(a, T::c(0.0)), T::c(1.0), v)
}
