//! Inverse hyperbolic functions of reals, `erf_inv`, and the six inverse functions of complex numbers.
//!
//! Complex arcsine and arccosine follow Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine
//! functions using exception handling", ACM TOMS 23 (1997) 299–335; arctangent is the usual form with `log1p`.
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI, SQRT_2};
use tfc_ir::C64;

/// Inverse hyperbolic sine.
pub(super) fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let r = if a > 1e9 {
        a.ln() + LN_2
    } else if a > 1e-9 {
        // asinh a = log1p(a + a²/(1 + √(1 + a²))): no cancellation.
        let a2 = a * a;
        (a + a2 / (1.0 + (1.0 + a2).sqrt())).ln_1p()
    } else {
        a
    };
    r.copysign(x)
}
/// Inverse hyperbolic cosine.
pub(super) fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    if x > 1e9 {
        return x.ln() + LN_2;
    }
    let t = x - 1.0;
    (t + (t * (x + 1.0)).sqrt()).ln_1p()
}
/// Inverse hyperbolic tangent.
pub(super) fn atanh(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * (2.0 * a / (1.0 - a)).ln_1p()).copysign(x)
}

fn horner(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |r, &k| r.mul_add(x, k))
}

/// The inverse of `erf`: ±inf at ±1, NaN beyond. M. J. Wichura, "Algorithm AS 241: the percentage points of the normal
/// distribution", Applied Statistics 37 (1988) 477–484 (PPND16), at p = (1 + x)/2 and over √2.
#[expect(clippy::excessive_precision, reason = "the digits are those of the paper")]
pub(super) fn erf_inv(x: f64) -> f64 {
    const A: [f64; 8] = [
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ];
    const B: [f64; 8] = [
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ];
    const C: [f64; 8] = [
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ];
    const D: [f64; 8] = [
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ];
    const E: [f64; 8] = [
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ];
    const F: [f64; 8] = [
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ];
    let a = x.abs();
    if a > 1.0 || x.is_nan() {
        return f64::NAN;
    }
    if a == 1.0 {
        return f64::INFINITY.copysign(x);
    }
    if a <= 0.85 {
        let r = 0.180625 - 0.25 * a * a;
        return 0.5 * x * horner(&A, r) / horner(&B, r) / SQRT_2;
    }
    // 1 − a is exact here.
    let r = (-(0.5 * (1.0 - a)).ln()).sqrt();
    let v =
        if r <= 5.0 { horner(&C, r - 1.6) / horner(&D, r - 1.6) } else { horner(&E, r - 5.0) / horner(&F, r - 5.0) };
    (v / SQRT_2).copysign(x)
}

const SAFE_MAX: f64 = 8.379879956214127e152; // √MAX / 16
const SAFE_MIN: f64 = 5.966672584960166e-154; // 4 √MIN_POSITIVE

/// |Im| of arcsine and arccosine, in the region where squares are safe: from a = (r + s)/2.
fn imag_safe(x: f64, yy: f64, a: f64, r: f64, s: f64) -> f64 {
    if a > 1.5 {
        return (a + (a * a - 1.0).sqrt()).ln();
    }
    let (xp1, xm1) = (x + 1.0, x - 1.0);
    let am1 = if x < 1.0 { 0.5 * (yy / (r + xp1) + yy / (s - xm1)) } else { 0.5 * (yy / (r + xp1) + (s + xm1)) };
    (am1 + (am1 * (a + 1.0)).sqrt()).ln_1p()
}

/// (Re arcsin, Re arccos, |Im|) of x + iy for x, y ≥ 0, finite.
fn arcs(x: f64, y: f64) -> (f64, f64, f64) {
    let (xp1, xm1) = (x + 1.0, x - 1.0);
    let safe = SAFE_MIN..SAFE_MAX;
    if safe.contains(&x) && safe.contains(&y) {
        let yy = y * y;
        let (r, s) = (xp1.hypot(y), xm1.hypot(y));
        let a = 0.5 * (r + s);
        let b = x / a;
        let im = imag_safe(x, yy, a, r, s);
        if b <= 0.6417 {
            return (b.asin(), b.acos(), im);
        }
        let apx = a + x;
        let t = if x <= 1.0 {
            (0.5 * apx * (yy / (r + xp1) + (s - xm1))).sqrt()
        } else {
            y * (0.5 * (apx / (r + xp1) + apx / (s + xm1))).sqrt()
        };
        return ((x / t).atan(), (t / x).atan(), im);
    }
    if y <= f64::EPSILON * xm1.abs() {
        if x < 1.0 {
            return (x.asin(), x.acos(), y / (xp1 * (1.0 - x)).sqrt());
        }
        let im = if f64::MAX / xp1 > xm1 { (xm1 + (xp1 * xm1).sqrt()).ln_1p() } else { LN_2 + x.ln() };
        let re = if x > 1.0 && y > 0.0 { y / (xp1.sqrt() * xm1.sqrt()) } else { 0.0 };
        (FRAC_PI_2 - re, re, im)
    } else if y <= SAFE_MIN {
        // |x − 1| is below y / ε, hence 0.
        (FRAC_PI_2 - y.sqrt(), y.sqrt(), y.sqrt())
    } else if f64::EPSILON * y - 1.0 >= x {
        (x / y, FRAC_PI_2, LN_2 + y.ln())
    } else if x > 1.0 {
        let q = x / y;
        (q.atan(), (y / x).atan(), LN_2 + y.ln() + 0.5 * (q * q).ln_1p())
    } else {
        let a = y.hypot(1.0);
        (x / a, FRAC_PI_2 - x / a, 0.5 * (2.0 * y * (y + a)).ln_1p())
    }
}

/// Arcsine, cut along the real axis beyond ±1.
pub fn casin(z: C64) -> C64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (re, im) = if x.is_finite() && y.is_finite() {
        let (s, _, im) = arcs(x, y);
        (s, im)
    } else if x.is_nan() {
        (f64::NAN, if y.is_infinite() { y } else { f64::NAN })
    } else if x.is_infinite() {
        (
            if y.is_nan() {
                y
            } else if y.is_infinite() {
                FRAC_PI_4
            } else {
                FRAC_PI_2
            },
            x,
        )
    } else if y.is_nan() {
        (if x == 0.0 { x } else { f64::NAN }, y)
    } else {
        (0.0, y)
    };
    C64::new(re.copysign(z.re), im.copysign(z.im))
}

/// Arccosine, cut along the real axis beyond ±1.
pub fn cacos(z: C64) -> C64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (re, im) = if x.is_finite() && y.is_finite() {
        let (_, c, im) = arcs(x, y);
        (c, im)
    } else if x.is_nan() {
        (f64::NAN, if y.is_infinite() { y } else { f64::NAN })
    } else if x.is_infinite() {
        (
            if y.is_nan() {
                y
            } else if y.is_infinite() {
                FRAC_PI_4
            } else {
                0.0
            },
            x,
        )
    } else if y.is_nan() {
        (if x == 0.0 { FRAC_PI_2 } else { f64::NAN }, y)
    } else {
        (FRAC_PI_2, y)
    };
    let re = if z.re.is_sign_negative() { PI - re } else { re };
    C64::new(re, im.copysign(-z.im.signum()))
}

/// Inverse hyperbolic sine, cut along the imaginary axis beyond ±i.
pub fn casinh(z: C64) -> C64 {
    let w = casin(C64::new(-z.im, z.re));
    C64::new(w.im, -w.re)
}

/// Inverse hyperbolic cosine with non-negative real part, cut along the real axis below 1.
pub fn cacosh(z: C64) -> C64 {
    let w = cacos(z);
    if z.im.is_sign_negative() { C64::new(w.im, -w.re) } else { C64::new(-w.im, w.re) }
}

/// Inverse hyperbolic tangent, cut along the real axis beyond ±1.
pub fn catanh(z: C64) -> C64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (re, im) = if x.is_infinite() || y.is_infinite() {
        (0.0, if x.is_nan() || y.is_nan() && !x.is_infinite() { f64::NAN } else { FRAC_PI_2 })
    } else if x.is_nan() || y.is_nan() {
        (if x == 0.0 { 0.0 } else { f64::NAN }, f64::NAN)
    } else if x.max(y) > 1e150 {
        let (u, v) = (0.5 * x, 0.5 * y);
        let h = u.hypot(v);
        (0.5 * (u / h) / h, FRAC_PI_2)
    } else if x == 1.0 && y == 0.0 {
        // At the poles themselves C99 has the imaginary part 0 (G.6.2.3), though its limit along the cut is π/4.
        (f64::INFINITY, 0.0)
    } else if x == 1.0 && y < 1e-150 {
        (0.5 * (LN_2 - y.ln()), FRAC_PI_4)
    } else {
        let m = 1.0 - x;
        (0.25 * (4.0 * x / (m * m + y * y)).ln_1p(), 0.5 * (2.0 * y).atan2(m * (1.0 + x) - y * y))
    };
    C64::new(re.copysign(z.re), im.copysign(z.im))
}

/// Arctangent, cut along the imaginary axis beyond ±i.
pub fn catan(z: C64) -> C64 {
    let w = catanh(C64::new(-z.im, z.re));
    C64::new(w.im, -w.re)
}
