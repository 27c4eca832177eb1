//! Logarithm of the gamma function and its derivative.
use std::f64::consts::PI;

/// ln |Γ(x)|; +inf at the poles and at ±inf.
pub(super) fn lgamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// Γ'(x)/Γ(x); NaN at 0, −1, −2, … and at −inf. Recurrence up to 10, then the asymptotic series (Abramowitz and Stegun
/// 6.3.18); reflection (6.3.7) below 0.
pub(super) fn digamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY || (x <= 0.0 && x.floor() == x) {
        return f64::NAN;
    }
    if x < 0.0 {
        // The cotangent has period 1 and its argument is exact.
        let r = x - x.round();
        let cot = if r.abs() == 0.5 { 0.0 } else { PI / (PI * r).tan() };
        return digamma_positive(1.0 - x) - cot;
    }
    digamma_positive(x)
}

fn digamma_positive(x: f64) -> f64 {
    // B₂ₖ / 2k
    const B: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32760.0,
        1.0 / 12.0,
        -3617.0 / 8160.0,
    ];
    let steps = if x < 10.0 { (10.0 - x).ceil() as u32 } else { 0 };
    let a = x + f64::from(steps);
    let w = 1.0 / (a * a);
    let tail = B.iter().rev().fold(0.0, |s, &b| (s + b) * w);
    // Largest denominators first: the small terms are summed before 1/x drowns them.
    let shift: f64 = (0..steps).rev().map(|k| 1.0 / (x + f64::from(k))).sum();
    (a.ln() - 0.5 / a - tail) - shift
}
