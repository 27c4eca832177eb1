//! Circular functions and the arc tangent.
use super::coef::*;
use super::payne;
use super::v::{Un, V, poly, tail};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4};

/// Arguments up to here are reduced by three parts of π/2, those beyond by [`payne`].
#[inline(always)]
fn limit<T: V>() -> T {
    T::pick(30_000.0, 1.0e9)
}
/// (t, n): the nearest integer n to 2a/π, also in the low bits of t.
#[inline(always)]
fn quadrant<T: V>(a: T) -> (T, T) {
    let m = T::magic();
    let t = a.fma(T::c(FRAC_2_PI), m);
    (t, t.sub(m))
}
#[inline(always)]
fn sin_cos<T: V>(x: T, cosine: bool) -> T {
    let a = x.abs();
    let (t, n) = quadrant(a);
    // The first difference is exact; each rounding after it is relative to what is left. Near zero n is 0 and nothing changes.
    let r = n.fnma(T::pick(PIO2_32[0], PIO2_64[0]), a);
    let r = n.fnma(T::pick(PIO2_32[1], PIO2_64[1]), r).unless(T::lt(T::c(0.785), a), a);
    let z = r.mul(r);
    // What the third part changes is seen where the rest is so small that the polynomials are not.
    let rest = n.fnma(T::pick(PIO2_32[2], PIO2_64[2]), r);
    let s = z.mul(r).fma(tail(&SIN32, &SIN64, z), rest);
    let c = z.mul(z).fma(tail(&COS32, &COS64, z), z.fnma(T::c(0.5), T::c(1.0)));
    turned(x, t, s, c, cosine)
}
/// The sine or cosine of `x` from those of what is left of |x| and the quadrant.
#[inline(always)]
fn turned<T: V>(x: T, t: T, s: T, c: T, cosine: bool) -> T {
    let (q, v) = if cosine { (t.iadd(T::bits(1)), T::sel(t.odd(), s, c)) } else { (t, T::sel(t.odd(), c, s)) };
    let sign = q.shr(1).shl(if T::DBL { 63 } else { 31 });
    v.xor(if cosine { sign } else { sign.xor(x.sign()) })
}
/// As [`sin_cos`], for |x| ≥ 2; not a number for infinities.
#[inline(always)]
fn far_sin_cos<T: V>(x: T, cosine: bool) -> T {
    let a = x.abs();
    let (r, l, t) = payne::reduce(a);
    let z = r.mul(r);
    let s = z.mul(r).fma(tail(&SIN32, &SIN64, z), l).add(r);
    let c = z.mul(z).fma(tail(&COS32, &COS64, z), r.fnma(l, z.fnma(T::c(0.5), T::c(1.0))));
    turned(x, t, s, c, cosine).add(a.sub(a))
}
struct FarSin;
impl Un for FarSin {
    #[inline(always)]
    fn f<T: V>(x: T) -> T {
        far_sin_cos(x, false)
    }
}
struct FarCos;
impl Un for FarCos {
    #[inline(always)]
    fn f<T: V>(x: T) -> T {
        far_sin_cos(x, true)
    }
}
struct FarTan;
impl Un for FarTan {
    #[inline(always)]
    fn f<T: V>(x: T) -> T {
        let a = x.abs();
        let (r, l, t) = payne::reduce(a);
        let (r, l) = two_sum(r, l);
        quotient(x, r, l, t).add(a.sub(a))
    }
}
#[inline(always)]
pub(super) fn sin<T: V>(x: T) -> T {
    sin_cos(x, false).rare::<FarSin>(T::lt(limit(), x.abs()), x)
}
#[inline(always)]
pub(super) fn cos<T: V>(x: T) -> T {
    sin_cos(x, true).rare::<FarCos>(T::lt(limit(), x.abs()), x)
}
/// `a + b` in two parts, for |a| ≥ |b|.
#[inline(always)]
fn two_sum<T: V>(a: T, b: T) -> (T, T) {
    let h = a.add(b);
    (h, a.sub(h).add(b))
}
#[inline(always)]
pub(super) fn tan<T: V>(x: T) -> T {
    let a = x.abs();
    let (t, n) = quadrant(a);
    // r + l is what is left of a: the first difference is exact, the second in two parts.
    let u = n.fnma(T::pick(PIO2_32[0], PIO2_64[0]), a);
    let p = T::pick(PIO2_32[1], PIO2_64[1]);
    let ph = n.mul(p);
    let pl = n.fma(p, ph.xor(T::sign_bit()));
    let r = u.sub(ph);
    let v = r.sub(u);
    let l = u.sub(r.sub(v)).sub(ph.add(v)).sub(n.fma(T::pick(PIO2_32[2], PIO2_64[2]), pl));
    let (r, l) = two_sum(r, l);
    quotient(x, r, l, t).rare::<FarTan>(T::lt(limit(), a), x)
}
/// The tangent of `x` from r + l, what is left of |x|, and the quadrant.
#[inline(always)]
fn quotient<T: V>(x: T, r: T, l: T, t: T) -> T {
    let (one, z) = (T::c(1.0), r.mul(r));
    // Sine and cosine, each as a sum of a large and a small part.
    let ss = z.mul(r).fma(poly(&SIN32, &SIN64, z), l);
    let half = z.mul(T::c(0.5));
    let ch = one.sub(half);
    let cs = z.mul(z).fma(poly(&COS32, &COS64, z), r.fnma(l, one.sub(ch).sub(half)));
    let ((sh, sl), (ch, cl)) = (two_sum(r, ss), two_sum(ch, cs));
    let odd = t.odd();
    let (nh, nl, dh, dl) = (T::sel(odd, ch, sh), T::sel(odd, cl, sl), T::sel(odd, sh, ch), T::sel(odd, sl, cl));
    let rc = one.div(dh);
    let q = nh.mul(rc);
    let v = q.fnma(dh, nh).add(q.fnma(dl, nl)).fma(rc, q);
    v.xor(t.shl(if T::DBL { 63 } else { 31 })).xor(x.sign())
}
#[inline(always)]
pub(super) fn atan<T: V>(x: T) -> T {
    let (a, one) = (x.abs(), T::c(1.0));
    // atan a = base + atan(num / den), with a quotient below tan(π/8).
    let (mid, far) = (T::lt(T::c(0.414_213_562_373_095_03), a), T::lt(T::c(2.414_213_562_373_095), a));
    let num = T::sel(far, T::c(-1.0), T::sel(mid, a.sub(one), a));
    let den = T::sel(far, a, T::sel(mid, a.add(one), one));
    let zero = T::c(0.0);
    let base = T::sel(far, T::c(FRAC_PI_2), T::sel(mid, T::c(FRAC_PI_4), zero));
    let low = T::pick(-4.371_139_000_186_241e-8, 6.123_233_995_736_766e-17);
    let low = T::sel(far, low, T::sel(mid, low.mul(T::c(0.5)), zero));
    let t = num.div(den);
    let z = t.mul(t);
    base.add(t.add(z.mul(t).fma(poly(&ATAN32, &ATAN64, z), low))).or(x.sign())
}
/// (s, p, big): where |x| ≤ 1/2, s = |x| and asin s = s + p; elsewhere s² = (1 − |x|)/2, and it is π/2 − 2 asin s.
#[inline(always)]
fn arc<T: V>(x: T) -> (T, T, T::Mask) {
    let (a, half) = (x.abs(), T::c(0.5));
    let big = T::lt(half, a);
    let z = T::sel(big, T::c(1.0).sub(a).mul(half), a.mul(a));
    let s = T::sel(big, z.sqrt(), a);
    (s, z.mul(s).mul(poly(&ASIN32, &ASIN64, z)), big)
}
/// What π/2 rounded lacks.
#[inline(always)]
fn half_pi_low<T: V>() -> T {
    T::pick(-4.371_139_000_186_241e-8, 6.123_233_995_736_766e-17)
}
#[inline(always)]
pub(super) fn asin<T: V>(x: T) -> T {
    let (s, p, big) = arc(x);
    let far = T::c(FRAC_PI_2).sub(s.add(s)).sub(p.add(p).sub(half_pi_low()));
    T::sel(big, far, s.add(p)).or(x.sign())
}
#[inline(always)]
pub(super) fn acos<T: V>(x: T) -> T {
    let (s, p, big) = arc(x);
    let (pi2, low, neg) = (T::c(FRAC_PI_2), half_pi_low::<T>(), x.sign());
    let near = pi2.sub(s.xor(neg).sub(low.sub(p.xor(neg))));
    let below = pi2.sub(s.add(p.sub(low)));
    let v = T::sel(T::lt(x, T::c(0.0)), below, s.add(p));
    T::sel(big, v.add(v), near)
}
#[inline(always)]
pub(super) fn atan2<T: V>(y: T, x: T) -> T {
    let (zero, one, inf) = (T::c(0.0), T::c(1.0), T::c(f64::INFINITY));
    let (ay, ax) = (y.abs(), x.abs());
    let steep = T::lt(ax, ay);
    let (a, b) = (T::sel(steep, ax, ay), T::sel(steep, ay, ax));
    // Of infinities and zeros only the quotient counts; else both come near to 1 in scale.
    let a = T::sel(T::eq(b, inf), T::sel(T::eq(a, inf), one, zero), a);
    let b = T::sel(T::eq(b, inf), one, T::sel(T::eq(b, zero), one, b));
    let (large, tiny) = (T::pick(1.329e36, 1.0e300), T::pick(1.0e-30, 1.0e-250));
    let scale = T::sel(T::lt(large, b), T::pick(SMALL32, SMALL64), one);
    let scale = T::sel(T::lt(b, tiny), T::pick(1.0 / SMALL32, 1.0 / SMALL64), scale);
    let (a, b) = (a.mul(scale), b.mul(scale));
    // a/b, or where that is above tan(π/8), (a − b)/(a + b), which is π/4 less.
    let mid = T::lt(b.mul(T::c(0.414_213_562_373_095_03)), a);
    let (d, n) = (b.add(a), a.sub(b));
    let (dl, nl) = (b.sub(d).add(a), a.sub(n.add(b)));
    let (num, den) = (T::sel(mid, n, a), T::sel(mid, d, b));
    let rc = one.div(den);
    let t = num.mul(rc);
    let rest = T::sel(mid, t.fnma(dl, nl), zero).add(t.fnma(den, num)).mul(rc);
    let z = t.mul(t);
    let p = z.mul(t).fma(poly(&ATAN32, &ATAN64, z), rest);
    // The angle is n π/4 ± (t + p).
    let left = T::sel(T::lt(one.or(x.sign()), zero), one, zero);
    let turn = T::sel(steep, T::c(2.0), T::sel(T::eq(left, one), T::c(4.0), zero));
    let back =
        T::sel(steep, T::sel(T::eq(left, one), zero, T::sign_bit()), T::sel(T::eq(left, one), T::sign_bit(), zero));
    let turn = turn.add(T::sel(mid, one.or(back), zero)).add(T::magic());
    let v = turn.lookup(&QUARTERS).add(t.xor(back).add(p.xor(back).add(turn.lookup(&QUARTERS_LOW))));
    let v = T::sel(T::eq(x, x), v, x);
    T::sel(T::eq(y, y), v.or(y.sign()), y)
}
/// 2⁻⁶⁴ and 2⁻²⁰⁰.
const SMALL32: f64 = 5.421010862427522e-20;
const SMALL64: f64 = 6.223015277861142e-61;
