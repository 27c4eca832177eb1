//! Logarithms.
use super::coef::*;
use super::v::{V, horner};

/// `e ln 2 + log(1 + f) + c` for f in [−0.25, 0.5] and small c.
#[inline(always)]
fn core<T: V>(e: T, f: T, c: T) -> T {
    if T::DBL {
        let s = f.div(f.add(T::c(2.0)));
        let z = s.mul(s);
        let h = f.mul(f).mul(T::c(0.5));
        // log(1 + f) = f − (h − s (h + r)), the terms added from the smallest.
        let t = s.fma(horner::<T>(&LOG64, z).fma(z, h), e.fma(T::c(LN2_64[1]), c));
        e.fma(T::c(LN2_64[0]), f.sub(h.sub(t)))
    } else {
        let z = f.mul(f);
        let t = z.mul(f).fma(horner(&LOG32, f), e.fma(T::c(LN2_32[1]), c));
        e.fma(T::c(LN2_32[0]), f.add(z.fnma(T::c(0.5), t)))
    }
}
#[inline(always)]
pub(super) fn log<T: V>(x: T) -> T {
    let (e, m) = x.log_parts();
    let v = core(e, m.sub(T::c(1.0)), T::c(0.0));
    T::sel(T::lt(x, T::c(0.0)), T::c(f64::NAN), v)
}
#[inline(always)]
pub(super) fn log1p<T: V>(x: T) -> T {
    let one = T::c(1.0);
    let u = x.add(one);
    let (e, m) = u.log_parts();
    // What the sum lost, relative to it. (Not a number at x = −1, where log(u) says all, and at infinity.)
    let c = x.sub(u.sub(one)).div(u);
    let c = T::sel(T::eq(c, c), c, T::c(0.0));
    let v = core(e, m.sub(one), c).or(x.sign());
    T::sel(T::lt(u, T::c(0.0)), T::c(f64::NAN), v)
}
