//! Functions of complex numbers on their principal branches, without spurious overflow or underflow.
//!
//! Everything is written once, for pairs of `f64`; pairs of `f32` go through it and round once. Signed zeros choose the
//! side of a branch cut; infinities and NaN follow ISO C Annex G. Inverse functions are in a file of their own.
use super::dd::{self, Dd, two_prod, two_sum};
use super::{big, turns};
use std::f64::consts::LN_2;
use tfc_ir::{C32, C64, Element};

pub use super::inverse::{
    cacos as acos, cacosh as acosh, casin as asin, casinh as asinh, catan as atan, catanh as atanh,
};

/// A complex element type.
pub trait Cplx: Element + std::ops::Mul<Output = Self> {
    /// 1.
    const ONE: Self;
    /// The type of its parts.
    type Part: Element;
    /// `f` in pairs of `f64`, rounded once.
    fn via(self, f: impl Fn(C64) -> C64) -> Self;
    /// `f` of two in pairs of `f64`, rounded once.
    fn via2(self, b: Self, f: impl Fn(C64, C64) -> C64) -> Self;
    /// |z|, without overflow before the result does.
    fn modulus(self) -> Self::Part;
}
impl Cplx for C64 {
    const ONE: C64 = C64::new(1.0, 0.0);
    type Part = f64;
    #[inline(always)]
    fn via(self, f: impl Fn(C64) -> C64) -> Self {
        f(self)
    }
    #[inline(always)]
    fn via2(self, b: Self, f: impl Fn(C64, C64) -> C64) -> Self {
        f(self, b)
    }
    #[inline(always)]
    fn modulus(self) -> f64 {
        let (a, b) = (self.re.abs(), self.im.abs());
        // Scaled by the exponent of the larger part, in a form that LLVM vectorises.
        let m = if a > b { a } else { b };
        let e = (m.to_bits() >> 52).clamp(1, 2045);
        let (down, up) = (f64::from_bits((2046 - e) << 52), f64::from_bits(e << 52));
        let (u, v) = (a * down, b * down);
        let r = (u * u + v * v).sqrt() * up;
        if (a == f64::INFINITY) | (b == f64::INFINITY) { f64::INFINITY } else { r }
    }
}
impl Cplx for C32 {
    const ONE: C32 = C32::new(1.0, 0.0);
    type Part = f32;
    #[inline(always)]
    fn via(self, f: impl Fn(C64) -> C64) -> Self {
        narrow(f(widen(self)))
    }
    #[inline(always)]
    fn via2(self, b: Self, f: impl Fn(C64, C64) -> C64) -> Self {
        narrow(f(widen(self), widen(b)))
    }
    #[inline(always)]
    fn modulus(self) -> f32 {
        // In `f64` no square overflows or vanishes.
        let (a, b) = (self.re as f64, self.im as f64);
        let r = (a * a + b * b).sqrt() as f32;
        if (a.abs() == f64::INFINITY) | (b.abs() == f64::INFINITY) { f32::INFINITY } else { r }
    }
}
/// The product of factors of which there may be any number: 1 leaves the other as it is, infinite or not, so that what a
/// product starts from does not show. (By the formula, (1 + 0i)(∞ − 2i) has the imaginary part 1·(−2) + 0·∞, which is NaN.)
#[inline(always)]
pub fn product<T: Cplx>(a: T, b: T) -> T {
    let (x, y) = (a == T::ONE, b == T::ONE);
    let both = a * b;
    if x {
        b
    } else if y {
        a
    } else {
        both
    }
}
#[inline(always)]
fn widen(z: C32) -> C64 {
    C64::new(z.re as f64, z.im as f64)
}
fn narrow(z: C64) -> C32 {
    C32::new(z.re as f32, z.im as f32)
}
fn c(re: f64, im: f64) -> C64 {
    C64::new(re, im)
}
const NAN: C64 = C64::new(f64::NAN, f64::NAN);

/// 2^e for −1022 ≤ e ≤ 1023.
fn pow2(e: i32) -> f64 {
    f64::from_bits(((1023 + e) as u64) << 52)
}
/// The exponent of a finite x ≠ 0, clamped so that its power of two and the inverse are normal.
fn exponent(x: f64) -> i32 {
    let e = ((x.to_bits() >> 52) & 0x7ff) as i32;
    (e - 1023).clamp(-1022, 1022)
}
fn largest(z: C64) -> f64 {
    z.re.abs().max(z.im.abs())
}

/// z/|z|; 0 at 0.
pub fn sign(z: C64) -> C64 {
    let m = largest(z);
    if m == 0.0 {
        return z;
    }
    if !m.is_finite() {
        let r = z.modulus();
        return c(z.re / r, z.im / r);
    }
    let k = pow2(-exponent(m));
    let w = z * k;
    // A subnormal z is still far from 1 after one scaling.
    let w = if largest(w) < 1.0 { w * pow2(60) } else { w };
    let r = w.re.hypot(w.im);
    c(w.re / r, w.im / r)
}

/// a / b. Both are scaled to exponent 0 first, so nothing overflows before the quotient does. Zeros and infinities as
/// ISO C Annex G.5.1.
pub fn div(a: C64, b: C64) -> C64 {
    let (ma, mb) = (largest(a), largest(b));
    if ma.is_finite() && mb.is_finite() && ma != 0.0 && mb != 0.0 && !a.re.is_nan() && !a.im.is_nan() {
        let (ea, eb) = (exponent(ma), exponent(mb));
        let (u, v) = (a * pow2(-ea), b * pow2(-eb));
        if !v.re.is_nan() && !v.im.is_nan() {
            let (v, more) = if largest(v) < 1.0 { (v * pow2(60), 60) } else { (v, 0) };
            let d = v.re * v.re + v.im * v.im;
            let q = c(dot(u.re, v.re, u.im, v.im) / d, dot(u.im, v.re, -u.re, v.im) / d);
            let e = ea - eb + more;
            let half = e / 2;
            // |e| is at most 2104, so either half is a normal power of two.
            return q * pow2(half.clamp(-1022, 1023)) * pow2((e - half).clamp(-1022, 1023));
        }
    }
    div_special(a, b)
}
/// a·b + c·d with the error of one rounding of each product removed.
fn dot(a: f64, b: f64, cc: f64, d: f64) -> f64 {
    let (p, e) = two_prod(a, b);
    let (q, f) = two_prod(cc, d);
    p + q + (e + f)
}
fn div_special(a: C64, b: C64) -> C64 {
    let flag = |x: f64| if x.is_infinite() { 1.0f64.copysign(x) } else { 0.0f64.copysign(x) };
    let (nan_a, nan_b) = (a.re.is_nan() && a.im.is_nan(), b.re.is_nan() && b.im.is_nan());
    if b.re == 0.0 && b.im == 0.0 && !nan_a {
        let inf = f64::INFINITY.copysign(b.re);
        return c(inf * a.re, inf * a.im);
    }
    let (a_inf, b_inf) = (a.re.is_infinite() || a.im.is_infinite(), b.re.is_infinite() || b.im.is_infinite());
    if a_inf && b.re.is_finite() && b.im.is_finite() {
        let (x, y) = (flag(a.re), flag(a.im));
        return c(f64::INFINITY * (x * b.re + y * b.im), f64::INFINITY * (y * b.re - x * b.im));
    }
    if b_inf && !nan_b && a.re.is_finite() && a.im.is_finite() {
        let (x, y) = (flag(b.re), flag(b.im));
        return c(0.0 * (a.re * x + a.im * y), 0.0 * (a.im * x - a.re * y));
    }
    if a.re == 0.0 && a.im == 0.0 && b.re.is_finite() && b.im.is_finite() {
        return c(flag(a.re) * b.re + flag(a.im) * b.im, flag(a.im) * b.re - flag(a.re) * b.im);
    }
    NAN
}

/// eˣ·(p + iq) for |p|, |q| ≤ 1, finite whenever the product is.
fn exp_times(x: f64, p: f64, q: f64) -> C64 {
    if x <= 700.0 {
        let e = x.exp();
        return c(e * p, e * q);
    }
    const SHIFT: f64 = 700.0;
    let e = (x - SHIFT).exp();
    let k = SHIFT.exp();
    c(e * p * k, e * q * k)
}

/// e^z.
pub fn exp(z: C64) -> C64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(x.exp(), y);
    }
    if x == f64::NEG_INFINITY {
        return if y.is_finite() { c(0.0 * y.cos(), 0.0 * y.sin()) } else { c(0.0, 0.0) };
    }
    if !y.is_finite() {
        return if x == f64::INFINITY { c(x, f64::NAN) } else { NAN };
    }
    if x == f64::INFINITY {
        return c(x * y.cos(), x * y.sin());
    }
    let (s, cs) = y.sin_cos();
    exp_times(x, cs, s)
}

/// Sine and cosine of an angle of which the second part may be as large as the rounding of the first.
fn rotation(angle: Dd) -> (f64, f64) {
    let ((s, c), (t, d)) = (angle.0.sin_cos(), angle.1.sin_cos());
    (s * d + c * t, c * d - s * t)
}
/// Sine and cosine after n more quarter turns.
fn turned(n: u32, (s, c): (f64, f64)) -> (f64, f64) {
    match n {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}
/// 2^z.
pub fn exp2(z: C64) -> C64 {
    if !z.re.is_finite() || !z.im.is_finite() || z.im == 0.0 {
        return if z.im == 0.0 { c(z.re.exp2(), z.im) } else { exp(z) };
    }
    // The angle needs more digits than one product has: its error is absolute.
    let y = z.im.abs();
    let (n, angle) = if y < 1.0 { (0, Dd::from(y) * Dd::LN_2) } else { turns::quarters(y) };
    let (s, cs) = turned(n, rotation(angle));
    let s = s * z.im.signum();
    if z.re <= 1000.0 {
        let r = z.re.exp2();
        return c(r * cs, r * s);
    }
    let r = (z.re - 1000.0).exp2();
    c(r * cs * pow2(1000), r * s * pow2(1000))
}

/// e^z − 1, accurate near 0.
pub fn expm1(z: C64) -> C64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(x.exp_m1(), y);
    }
    if !x.is_finite() || !y.is_finite() || x > 50.0 {
        return exp(z) - 1.0;
    }
    let (s, cs) = y.sin_cos();
    let h = (0.5 * y).sin();
    c(x.exp_m1() * cs - 2.0 * h * h, x.exp() * s)
}

/// ln |x + iy|, accurate where |x + iy| is near 1.
fn ln_abs(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    let (a, b) = if x > y { (x, y) } else { (y, x) };
    if a > 1e300 {
        return (a * pow2(-10)).hypot(b * pow2(-10)).ln() + 10.0 * LN_2;
    }
    if a < 1e-290 && a > 0.0 {
        return (a * pow2(100)).hypot(b * pow2(100)).ln() - 100.0 * LN_2;
    }
    let r2 = a * a + b * b;
    if (0.4..2.5).contains(&r2) { 0.5 * sum_squares(-1.0, a, b).ln_1p() } else { a.hypot(b).ln() }
}
/// k + a² + b² as if in twice the precision.
fn sum_squares(k: f64, a: f64, b: f64) -> f64 {
    let (p, e1) = two_prod(a, a);
    let (q, e2) = two_prod(b, b);
    let (s, l1) = two_sum(p, k);
    let (s, l2) = two_sum(s, q);
    s + (l1 + l2 + e1 + e2)
}

/// ln z, cut along the negative real axis.
pub fn log(z: C64) -> C64 {
    c(ln_abs(z.re, z.im), z.im.atan2(z.re))
}

/// ln(1 + z), accurate near 0.
pub fn log1p(z: C64) -> C64 {
    let im = z.im.atan2(1.0 + z.re);
    if largest(z) < 2.0 {
        let s = sum_squares(2.0 * z.re, z.re, z.im);
        if (-0.6..1.5).contains(&s) {
            return c(0.5 * s.ln_1p(), im);
        }
        // 1 + Re z is exact or far from 0 relative to its error.
    }
    c(ln_abs(1.0 + z.re, z.im), im)
}

/// The square root with non-negative real part.
pub fn sqrt(z: C64) -> C64 {
    let (x, y) = (z.re, z.im);
    if x == 0.0 && y == 0.0 {
        return c(0.0, y);
    }
    if y.is_infinite() {
        return c(f64::INFINITY, y);
    }
    if x.is_nan() || y.is_nan() && x.is_finite() {
        return NAN;
    }
    if x.is_infinite() {
        return if x < 0.0 { c((0.0 * y).abs(), x.abs().copysign(y)) } else { c(x, (0.0 * y).copysign(y)) };
    }
    let m = largest(z);
    let (scale, back) = if m > 1e300 {
        (pow2(-4), 4.0)
    } else if m < 1e-290 {
        (pow2(108), pow2(-54))
    } else {
        (1.0, 1.0)
    };
    let (x, y) = (x * scale, y * scale);
    let t = (0.5 * (x.abs() + x.hypot(y))).sqrt();
    let other = y.abs() / (2.0 * t);
    if x >= 0.0 { c(t * back, other.copysign(y) * back) } else { c(other * back, t.copysign(y) * back) }
}

/// 1 / √z.
pub fn rsqrt(z: C64) -> C64 {
    div(c(1.0, 0.0), sqrt(z))
}

/// The cube root of a third of the angle.
pub fn cbrt(z: C64) -> C64 {
    if z.im == 0.0 && z.re >= 0.0 {
        return c(z.re.cbrt(), z.im);
    }
    let m = largest(z);
    if m == 0.0 {
        return z;
    }
    let (scale, back) = if m > 1e300 { (pow2(-6), 4.0) } else { (1.0, 1.0) };
    let r = (z * scale).modulus().cbrt() * back;
    let (s, cs) = (z.im.atan2(z.re) / 3.0).sin_cos();
    c(r * cs, r * s)
}

/// z^w = e^(w ln z); 1 for w = 0, 0 for z = 0 and Re w > 0. The logarithm and its product with w carry twice the digits,
/// because their error counts absolutely.
pub fn pow(z: C64, w: C64) -> C64 {
    if w.re == 0.0 && w.im == 0.0 {
        return c(1.0, 0.0);
    }
    if z.re == 0.0 && z.im == 0.0 {
        return if w.re > 0.0 { c(0.0, 0.0) } else { NAN };
    }
    let l = log(z);
    let p = w * l;
    if !l.re.is_finite() || !l.im.is_finite() || !w.re.is_finite() || !w.im.is_finite() {
        return exp(p);
    }
    // Up to here 105 bits of the logarithm leave 60 of the product; beyond, as many are made as there must be.
    const LARGE: f64 = 17_592_186_044_416.0;
    let (re, n, angle) = if largest(w) < LARGE && largest(p) < LARGE {
        let (lr, li) = dd::log(z, l);
        let (wr, wi) = (Dd::from(w.re), Dd::from(w.im));
        (wr * lr - wi * li, 0, wr * li + wi * lr)
    } else {
        big::exponent(z, w, l)
    };
    let (s, cs) = turned(n, rotation(angle));
    if re.0 > 1400.0 {
        let far = |part: f64| if part == 0.0 { part } else { f64::INFINITY * part };
        return c(far(cs), far(s));
    }
    let grow = 1.0 + re.1;
    exp_times(re.0, cs * grow, s * grow)
}

/// sinh z.
pub fn sinh(z: C64) -> C64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(x.sinh(), y);
    }
    if !y.is_finite() {
        return if x == 0.0 || x.is_infinite() { c(x, f64::NAN) } else { NAN };
    }
    let (s, cs) = y.sin_cos();
    if x.is_infinite() {
        return c(x * cs, x.abs() * s);
    }
    if x.abs() <= 700.0 || x.is_nan() {
        return c(x.sinh() * cs, x.cosh() * s);
    }
    let r = exp_times(x.abs(), 0.5 * cs, 0.5 * s);
    c(r.re * x.signum(), r.im)
}

/// cosh z.
pub fn cosh(z: C64) -> C64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(x.cosh(), if x.is_finite() { x.signum() * y } else { 0.0f64.copysign(x) * y.signum() });
    }
    if !y.is_finite() {
        return if x == 0.0 {
            c(f64::NAN, x)
        } else if x.is_infinite() {
            c(f64::INFINITY, f64::NAN)
        } else {
            NAN
        };
    }
    let (s, cs) = y.sin_cos();
    if x.is_infinite() {
        return c(x.abs() * cs, x * s);
    }
    if x.abs() <= 700.0 || x.is_nan() {
        return c(x.cosh() * cs, x.sinh() * s);
    }
    let r = exp_times(x.abs(), 0.5 * cs, 0.5 * s);
    c(r.re, r.im * x.signum())
}

/// tanh z (Kahan 1987, with sin and cos in place of tan).
pub fn tanh(z: C64) -> C64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(x.tanh(), y);
    }
    if !y.is_finite() {
        return if x.is_infinite() {
            c(x.signum(), 0.0f64.copysign(y))
        } else if x == 0.0 {
            c(x, f64::NAN)
        } else {
            NAN
        };
    }
    if x.abs() > 22.0 {
        let e = (-x.abs()).exp();
        return c(x.signum(), 2.0 * (2.0 * y).sin() * e * e);
    }
    // y near the largest double has no double: then sin 2y = 2 sin y cos y.
    let (s2, c2) = if y.abs() < 1e300 {
        (2.0 * y).sin_cos()
    } else {
        let (s, cs) = y.sin_cos();
        (2.0 * s * cs, 1.0 - 2.0 * s * s)
    };
    if x.abs() > 0.5 {
        // One exponential in numerator and denominator: its error cancels.
        let e = (2.0 * x.abs()).exp();
        let d = e + 1.0 / e + 2.0 * c2;
        return c(((e - 1.0 / e) / d).copysign(x), 2.0 * s2 / d);
    }
    let d = if c2 >= 0.0 {
        (2.0 * x).cosh() + c2
    } else {
        let (sh, cs) = (x.sinh(), y.cos());
        2.0 * (sh * sh + cs * cs)
    };
    c((2.0 * x).sinh() / d, s2 / d)
}

/// sin z = −i sinh(iz).
pub fn sin(z: C64) -> C64 {
    let w = sinh(c(-z.im, z.re));
    c(w.im, -w.re)
}
/// cos z = cosh(iz).
pub fn cos(z: C64) -> C64 {
    cosh(c(-z.im, z.re))
}
/// tan z = −i tanh(iz).
pub fn tan(z: C64) -> C64 {
    let w = tanh(c(-z.im, z.re));
    c(w.im, -w.re)
}

/// 1 / (1 + e⁻ᶻ), without overflow on either side, accurate next to its poles.
pub fn logistic(z: C64) -> C64 {
    let (x, y) = (z.re, z.im);
    let (s, cs) = y.sin_cos();
    if x.abs() < 30.0 {
        // 1 + e⁻ˣ cos y, in a form that keeps the digits where it is near 0.
        let h = (0.5 * y).cos();
        let e = (-x).exp();
        let d = if cs < 0.0 { 2.0 * h * h + (-x).exp_m1() * cs } else { 1.0 + e * cs };
        return div(c(1.0, 0.0), c(d, -e * s));
    }
    let e = (-x.abs()).exp();
    let d = 1.0 + e * cs;
    if x >= 0.0 { div(c(1.0, 0.0), c(d, -e * s)) } else { div(c(e * cs, e * s), c(d, e * s)) }
}
