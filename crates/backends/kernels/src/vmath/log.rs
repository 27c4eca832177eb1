//! Logarithms.
use super::coef::*;
use super::v::{V, horner, pairs};

/// `e ln 2 + log(1 + f) + num/den` for f in [−0.25, 0.5] and a small quotient. (`log` leaves it out.)
#[inline(always)]
fn core<T: V>(e: T, f: T, extra: Option<(T, T)>) -> T {
    if T::DBL {
        let d = f.add(T::c(2.0));
        // One division for both quotients. (Where `den` is clamped `num` is 0.)
        let (s, c) = match extra {
            Some((num, den)) => {
                let den = T::c(1e-20).max(T::c(1e100).min(den));
                let r = T::c(1.0).div(den.mul(d));
                (f.mul(r.mul(den)), num.mul(r.mul(d)))
            }
            None => (f.div(d), T::c(0.0)),
        };
        let z = s.mul(s);
        let h = f.mul(f).mul(T::c(0.5));
        // log(1 + f) = f − (h − s (h + r)), the terms added from the smallest.
        let t = s.fma(pairs::<T>(&LOG64, z).fma(z, h), e.fma(T::c(LN2_64[1]), c));
        e.fma(T::c(LN2_64[0]), f.sub(h.sub(t)))
    } else {
        let z = f.mul(f);
        let c = match extra {
            Some((num, den)) => num.div(T::c(1e-20).max(den)),
            None => T::c(0.0),
        };
        let t = z.mul(f).fma(horner(&LOG32, f), e.fma(T::c(LN2_32[1]), c));
        e.fma(T::c(LN2_32[0]), f.add(z.fnma(T::c(0.5), t)))
    }
}
#[inline(always)]
pub(super) fn log<T: V>(x: T) -> T {
    let (e, m) = x.log_parts();
    let v = core(e, m.sub(T::c(1.0)), None);
    T::sel(T::lt(x, T::c(0.0)), T::c(f64::NAN), v)
}
/// log(h + l) for h > 0 and |l| at most a few units of h.
#[inline(always)]
pub(super) fn log_sum<T: V>(h: T, l: T) -> T {
    let (e, m) = h.log_parts();
    core(e, m.sub(T::c(1.0)), Some((l, h)))
}
#[inline(always)]
pub(super) fn log1p<T: V>(x: T) -> T {
    let one = T::c(1.0);
    let u = x.add(one);
    let (e, m) = u.log_parts();
    // What the sum lost, relative to it. (At −1 and at infinity log(u) says all.)
    let lost = x.sub(u.sub(one));
    let lost = T::sel(T::lt(u, T::pick(1e30, 1e100)), lost, T::c(0.0));
    let v = core(e, m.sub(one), Some((lost, u))).or(x.sign());
    T::sel(T::lt(u, T::c(0.0)), T::c(f64::NAN), v)
}

/// log1p(small), but where `a` is far above 1, log(2a).
#[inline(always)]
fn log1p_or_twice<T: V>(small: T, a: T) -> T {
    let far = T::lt(T::pick(1_073_741_824.0, 1_152_921_504_606_846_976.0), a);
    let v = log1p(T::sel(far, a, small));
    T::sel(far, v.add(T::c(std::f64::consts::LN_2)), v)
}
#[inline(always)]
pub(super) fn asinh<T: V>(x: T) -> T {
    let (a, one) = (x.abs(), T::c(1.0));
    let z = a.mul(a);
    // log(a + √(a² + 1)): no cancellation.
    let t = a.add(z.div(one.add(z.add(one).sqrt())));
    log1p_or_twice(t, a).or(x.sign())
}
#[inline(always)]
pub(super) fn acosh<T: V>(x: T) -> T {
    let one = T::c(1.0);
    let t = x.sub(one);
    let v = log1p_or_twice(t.add(t.mul(x.add(one)).sqrt()), x);
    T::sel(T::lt(x, one), T::c(f64::NAN), v)
}
#[inline(always)]
pub(super) fn atanh<T: V>(x: T) -> T {
    let (a, one) = (x.abs(), T::c(1.0));
    let (t, d) = (a.add(a), one.sub(a));
    // 2a/(1 − a), of which 2a is exact and the rest small for small a.
    let near = T::lt(a, T::c(0.5));
    let q = T::sel(near, t.mul(a), t).div(d);
    log1p(T::sel(near, t.add(q), q)).mul(T::c(0.5)).or(x.sign())
}
