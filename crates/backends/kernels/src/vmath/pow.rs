//! Powers.
use super::coef::*;
use super::exp::scaled_exp;
use super::v::{V, poly};

/// log(m) + e ln 2 in two parts, for m in [0.75, 1.5). (They are no numbers where `e` is not finite.)
///
/// A table gives 1/m to a few bits, so few that r = m/that − 1 is exact; P. T. P. Tang, "Table-driven implementation of the
/// logarithm function in IEEE floating-point arithmetic", ACM TOMS 16 (1990) 378–400.
#[inline(always)]
fn log_parts<T: V>(e: T, m: T) -> (T, T) {
    let j = m.add(T::magic().mul(T::c(0.0625)));
    let r = m.fma(j.lookup(&INV), T::c(-1.0));
    // s + r − r²/2, each rounding kept; s is exact and r is the smaller.
    let s = e.fma(T::pick(LN2_32[0], LN2_64[0]), j.lookup(&INV_LOG));
    let (h, z) = (s.add(r), r.mul(r));
    let v = z.fnma(T::c(0.5), h);
    let l = s.sub(h).add(r).add(z.fnma(T::c(0.5), h.sub(v)));
    let zl = r.fma(r, z.xor(T::sign_bit()));
    let l = l.add(zl.fnma(T::c(0.5), e.fma(T::pick(LN2_32[1], LN2_64[1]), j.lookup(&INV_LOG_LOW))));
    let l = z.mul(r).fma(poly(&POW32, &POW64, r), l);
    let h = v.add(l);
    (h, v.sub(h).add(l))
}

#[inline(always)]
pub(super) fn pow<T: V>(x: T, y: T) -> T {
    let (zero, one) = (T::c(0.0), T::c(1.0));
    let a = x.abs();
    let (e, m) = a.log_parts();
    let (h, l) = log_parts(e, m);
    let h = T::sel(e.abs().below_inf(), h, e);
    // So far that the next number above 1 overflows, and no product does.
    let far = T::pick(4_294_967_296.0, 18_446_744_073_709_551_616.0);
    let y = far.xor(T::sign_bit()).max(far.min(y));
    let w = y.mul(h);
    // Where the first part says all, the second is no number.
    let wl = y.fma(l, y.fma(h, w.xor(T::sign_bit())));
    let wl = T::sel(wl.abs().below_inf(), one.min(T::c(-1.0).max(wl)), zero);
    let v = scaled_exp(T::sel(T::eq(y, zero), zero, w), wl);
    // The distance of |y| to a near even integer: 0 or 2 for even y, 1 for odd. (Of half of it the least of all y would be 0.)
    let (b, whole) = (y.abs(), T::pick(16_777_216.0, 9_007_199_254_740_992.0));
    let g = b.sub(b.add(whole).sub(whole)).abs();
    let v = v.xor(T::sel(T::eq(g, one), x.sign(), zero));
    // No power of a negative number (−∞ aside) where it is another fraction.
    let v = T::sel(T::lt(g, one), T::sel(T::lt(zero, g), T::sel(T::lt(x, a.sub(a)), T::c(f64::NAN), v), v), v);
    T::sel(T::eq(x, one), one, v)
}
