//! The error function and its complement.
use super::coef::*;
use super::exp::{exp, exp_parts};
use super::v::{V, poly};

#[inline(always)]
pub(super) fn erf<T: V>(x: T) -> T {
    let (one, a) = (T::c(1.0), T::pick(5.0, 6.5).min(x.abs()));
    let z = a.mul(a);
    let near = a.fma(poly(&ERF32, &ERF64, z), a);
    // erfc, below 0.22, so that a few units in its own last place are less than one of the result.
    let (k, d) = (T::pick(2.25, 3.75), T::c(2.0).fma(a, one));
    let (t, u) = (a.sub(k), a.add(k));
    let r = one.div(u.mul(d));
    let small = exp(z.xor(T::sign_bit())).mul(poly(&ERFC32, &ERFC64, t.mul(d).mul(r))).mul(u.mul(r));
    T::sel(T::lt(a, T::c(0.875)), near, one.sub(small)).or(x.sign())
}
#[inline(always)]
pub(super) fn erfc<T: V>(x: T) -> T {
    let (one, two, b) = (T::c(1.0), T::c(2.0), x.abs());
    // 1 − x − x P(x²), the rounding of 1 − x put back.
    let u = one.sub(x);
    let near = u.add(x.fnma(poly(&ERF32, &ERF64, x.mul(x)), one.sub(u).sub(x)));
    let a = T::pick(10.5, 28.0).min(b);
    let z = a.mul(a);
    let zl = a.fnma(a, z);
    let (n, h, l) = exp_parts(z.xor(T::sign_bit()), zl);
    // (h + l) tail / (1 + 2a), the larger roundings put back.
    let k = T::pick(2.25, 3.75);
    let t = a.sub(k).div(a.add(k));
    let (c0, p) = (T::pick(ERFC32[0], ERFC64[0]), poly(&ERFC32[1..], &ERFC64[1..], t).mul(t));
    let q = c0.add(p);
    let ql = c0.sub(q).add(p);
    let (c, a2) = (q.mul(h), a.add(a));
    let cl = ql.fma(h, q.fma(l, q.fma(h, c.xor(T::sign_bit()))));
    let d = a2.add(one);
    let dl = a2.sub(d).add(one);
    let rc = one.div(d);
    let v = c.mul(rc);
    let v = v.fnma(d, c).add(v.fnma(dl, cl)).fma(rc, v).scalef(n);
    let far = T::sel(T::lt(x, T::c(0.0)), two.sub(v), v);
    T::sel(T::lt(b, T::c(0.5)), near, far)
}
