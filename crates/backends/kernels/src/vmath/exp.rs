//! Exponentials and hyperbolic functions.
use super::coef::*;
use super::v::{V, poly, tail};
use std::f64::consts::{LN_2, LOG2_E};

/// `x` between the bounds; a NaN stays.
#[inline(always)]
fn clamp<T: V>(x: T, lo: T, hi: T) -> T {
    lo.max(hi.min(x))
}
/// `x - n ln 2` for integers n.
#[inline(always)]
fn less_ln2<T: V>(x: T, n: T) -> T {
    n.fnma(T::pick(LN2_32[1], LN2_64[1]), n.fnma(T::pick(LN2_32[0], LN2_64[0]), x))
}
/// e^r − 1 for |r| ≤ 0.347.
#[inline(always)]
fn expm1_near<T: V>(r: T) -> T {
    r.mul(r).fma(poly(&EXP32, &EXP64, r), r)
}
/// (n, p) with e^x = 2^n (1 + p) and n the integer nearest to x / ln 2.
#[inline(always)]
fn core<T: V>(x: T) -> (T, T) {
    let m = T::magic();
    let n = x.fma(T::c(LOG2_E), m).sub(m);
    (n, expm1_near(less_ln2(x, n)))
}
/// As [`core`]; n is shifted by `bias` (0 or −¼) so that it is 0 up to x = 0.52, where 2^n (1 + p) − 1 would cancel.
#[inline(always)]
fn core_biased<T: V>(x: T, bias: T) -> (T, T) {
    let m = T::magic();
    let n = x.fma(T::c(LOG2_E), bias).add(m).sub(m);
    let r = less_ln2(x, n);
    (n, r.mul(r).fma(tail(&EM32, &EM64, r), r))
}
/// `m` 2^n, a power of a base whose exponent is `x`; 0 where that is below `least`. There the power would be less than the least number,
/// and an instruction whose result is rounded to 0 takes a hundred times as long as one that multiplies 0.
#[inline(always)]
fn power<T: V>(m: T, n: T, x: T, least: T) -> T {
    T::sel(T::lt(x, least), T::c(0.0), m).scalef(n)
}
/// e^(x + l) for small `l`; 0 or infinity for |l| ≤ 1 where e^x is.
#[inline(always)]
pub(super) fn scaled_exp<T: V>(x: T, l: T) -> T {
    let x = clamp(x, T::pick(-106.0, -748.0), T::pick(91.0, 712.0));
    let m = T::magic();
    let n = x.fma(T::c(LOG2_E), m).sub(m);
    power(expm1_near(less_ln2(x, n).add(l)).add(T::c(1.0)), n, x, T::pick(-105.5, -747.0))
}
/// (n, h, l) with e^(x + rest) = 2^n (h + l), for small `rest`; `l` is below 0.07, the error far less than a unit of `h`.
#[inline(always)]
pub(super) fn exp_parts<T: V>(x: T, rest: T) -> (T, T, T) {
    let (one, m) = (T::c(1.0), T::magic());
    let n = x.fma(T::c(LOG2_E), m).sub(m);
    // The first difference is exact.
    let t = n.fnma(T::pick(LN2_32[0], LN2_64[0]), x);
    let rest = n.fnma(T::pick(LN2_32[1], LN2_64[1]), rest);
    let r = t.add(rest);
    let p = r.mul(r).fma(poly(&EXP32, &EXP64, r), t.sub(r).add(rest));
    // 1 + r + p
    let h = one.add(r);
    (n, h, one.sub(h).add(r).add(p))
}
/// e^a / 2 in two parts, for a ≥ 0 up to where it overflows.
#[inline(always)]
fn half_exp<T: V>(a: T) -> (T, T) {
    let (n, h, l) = exp_parts(T::pick(91.0, 712.0).min(a), T::c(0.0));
    let (n, s) = (n.sub(T::c(1.0)), h.add(l));
    let (h, l) = (s, h.sub(s).add(l));
    (h.scalef(n), l.scalef(n))
}

#[inline(always)]
pub(super) fn exp<T: V>(x: T) -> T {
    let (n, p) = core(clamp(x, T::pick(-104.5, -746.0), T::pick(89.0, 710.0)));
    power(p.add(T::c(1.0)), n, x, T::pick(-104.0, -745.5))
}
#[inline(always)]
pub(super) fn exp2<T: V>(x: T) -> T {
    let (x, m) = (clamp(x, T::pick(-151.0, -1077.0), T::pick(129.0, 1025.0)), T::magic());
    let n = x.add(m).sub(m);
    power(expm1_near(x.sub(n).mul(T::c(LN_2))).add(T::c(1.0)), n, x, T::pick(-150.5, -1075.5))
}
#[inline(always)]
pub(super) fn expm1<T: V>(x: T) -> T {
    let s = x.sign();
    let y = clamp(x, T::c(-40.0), T::pick(89.0, 710.0));
    let (n, p) = core_biased(y, T::sel(T::lt(y, T::c(0.0)), T::c(0.0), T::c(-0.25)));
    // Half of it, so that the power of two does not overflow before the result does.
    let k = T::c(1.0).scalef(n.sub(T::c(1.0)));
    let half = k.fma(p, k.sub(T::c(0.5)));
    T::sel(T::eq(n, T::c(0.0)), p, half.add(half)).or(s)
}
#[inline(always)]
pub(super) fn tanh<T: V>(x: T) -> T {
    let (s, two) = (x.sign(), T::c(2.0));
    let a = T::pick(10.0, 22.0).min(x.abs());
    let (n, p) = core_biased(a.add(a), T::c(-0.25));
    let k = T::c(1.0).scalef(n);
    // e / (e + 2) for e = expm1(2|x|), with the rounding of the denominator and of the quotient put back.
    let e = k.fma(p, k.sub(T::c(1.0)));
    let d = e.add(two);
    let err = e.sub(d.sub(two));
    let rc = T::c(1.0).div(d);
    let q = e.mul(rc);
    q.fnma(err, q.fnma(d, e)).fma(rc, q).or(s)
}
#[inline(always)]
pub(super) fn logistic<T: V>(x: T) -> T {
    let one = T::c(1.0);
    let less = x.or(T::sign_bit());
    let (n, p) = core(T::pick(-104.5, -746.0).max(less));
    let e = power(p.add(one), n, less, T::pick(-104.0, -745.5));
    // e^-|x| / (1 + e^-|x|) or 1 / (1 + e^-|x|), with both roundings put back.
    let num = T::sel(T::lt(x, T::c(0.0)), e, one);
    let d = e.add(one);
    let err = e.sub(d.sub(one));
    let rc = one.div(d);
    let q = num.mul(rc);
    q.fnma(err, q.fnma(d, num)).fma(rc, q)
}
#[inline(always)]
pub(super) fn sinh<T: V>(x: T) -> T {
    let a = x.abs();
    let z = a.mul(a);
    let near = a.mul(z).fma(poly(&SINH32, &SINH64, z), a);
    let (h, l) = half_exp(a);
    // (e^a − e^-a) / 2
    let far = h.add(l.sub(T::c(0.25).div(h)));
    T::sel(T::lt(a, T::c(1.0)), near, far).or(x.sign())
}
#[inline(always)]
pub(super) fn cosh<T: V>(x: T) -> T {
    let (h, l) = half_exp(x.abs());
    h.add(T::c(0.25).div(h).add(l))
}
