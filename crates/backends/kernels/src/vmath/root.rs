//! Roots.
use super::coef::*;
use super::v::{V, poly};

#[inline(always)]
pub(super) fn sqrt<T: V>(x: T) -> T {
    x.sqrt()
}
#[inline(always)]
pub(super) fn rsqrt<T: V>(x: T) -> T {
    T::c(1.0).div(x.sqrt())
}
/// The cube root of 2.
const CBRT2: f64 = 1.259_921_049_894_873_2;

#[inline(always)]
pub(super) fn cbrt<T: V>(x: T) -> T {
    let (e, m) = x.log_parts();
    let mg = T::magic();
    // e = 3k + j with j = −1, 0 or 1; zero and infinity come out of the end of the range below.
    let k = e.mul(T::c(1.0 / 3.0)).add(mg).sub(mg);
    let j = k.fnma(T::c(3.0), e);
    let (low, high) = (T::lt(j, T::c(-0.5)), T::lt(T::c(0.5), j));
    let y = poly(&RCBRT32, &RCBRT64, m);
    let y = y.mul(T::sel(low, T::c(CBRT2), T::sel(high, T::c(1.0 / CBRT2), T::c(1.0))));
    let m = T::sel(low, m.mul(T::c(0.5)), T::sel(high, m.add(m), m));
    let y = step(m, y);
    let y = if T::DBL { step(m, y) } else { y };
    // m^(1/3) = m y², with its error put back.
    let (z, third) = (y.mul(y), T::c(1.0 / 3.0));
    let r = m.mul(z);
    let r = r.mul(r).fnma(r, m).fma(z.mul(third), r).scalef(k);
    let (a, zero) = (x.abs(), T::c(0.0));
    T::sel(a.below_inf(), T::sel(T::eq(a, zero), zero, r), a).or(x.sign())
}
/// y ≈ m^(−1/3) with the square of its relative error, doubled.
#[inline(always)]
fn step<T: V>(m: T, y: T) -> T {
    let h = y.mul(y).mul(y).fnma(m, T::c(1.0));
    y.mul(h).fma(T::c(1.0 / 3.0), y)
}
