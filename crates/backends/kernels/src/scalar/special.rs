//! Hurwitz zeta, polygamma and the exponentially scaled modified Bessel functions.
use super::bessel::{I0_LARGE, I0_SMALL, I1_LARGE, I1_SMALL};
use super::dd::Dd;
use super::gamma::digamma;

/// ζ(s, q) = Σ (q + k)⁻ˢ. NaN for s < 1, +inf at s = 1. For q ≤ 0: at whole q +inf if s is even and NaN otherwise; else
/// NaN unless s is whole. Direct terms, then Euler–Maclaurin, as in Cephes `zeta.c` (S. L. Moshier).
pub(super) fn zeta(s: f64, q: f64) -> f64 {
    if s.is_nan() || q.is_nan() || s < 1.0 {
        return f64::NAN;
    }
    if s == 1.0 {
        return f64::INFINITY;
    }
    if q > 0.0 {
        return zeta_positive(s, q);
    }
    let even = (0.5 * s).floor() == 0.5 * s;
    if q.floor() == q {
        return if even && q.is_finite() { f64::INFINITY } else { f64::NAN };
    }
    if s.floor() != s {
        return f64::NAN;
    }
    zeta_negative(s, q, if even { 1.0 } else { -1.0 })
}

/// Whole s ≥ 2, q < 0 not whole. The terms with q + k < 0 are a difference of two zetas of positive argument. Near zeros
/// all this cancels, hence the twofold precision.
fn zeta_negative(s: f64, q: f64, sign: f64) -> f64 {
    let floor = q.floor();
    let r = Dd::sum(q, -floor);
    if s > 1000.0 {
        let low = (1.0 - r.value()).min(r.value());
        return if low == r.value() { low.powf(-s) } else { sign * low.powf(-s) };
    }
    let n = s as u32;
    let below = if floor == -1.0 {
        Dd::ONE / Dd::from(-q).powi(n)
    } else {
        zeta_whole(n, Dd::ONE - r) - zeta_whole(n, Dd::sum(1.0, -q))
    };
    (zeta_whole(n, r) + if sign > 0.0 { below } else { -below }).value()
}
/// ζ(n, q) for n ≥ 2, q > 0.
fn zeta_whole(n: u32, q: Dd) -> Dd {
    let (mut sum, mut a) = (Dd::from(0.0), q);
    for _ in 0..10 {
        let t = a.powi(n);
        if t.0.is_finite() {
            sum = sum + if t.0 == 0.0 { Dd::from(f64::INFINITY) } else { Dd::ONE / t };
        }
        a = a + Dd::ONE;
    }
    sum + Dd::from(zeta_positive(f64::from(n), a.value()))
}

#[expect(clippy::excessive_precision, reason = "the digits are those of the source")]
fn zeta_positive(s: f64, q: f64) -> f64 {
    // (2k)! / B₂ₖ
    const A: [f64; 12] = [
        12.0,
        -720.0,
        30240.0,
        -1209600.0,
        47900160.0,
        -1.8924375803183791606e9,
        7.47242496e10,
        -2.950130727918164224e12,
        1.1646782814350067249e14,
        -4.5979787224074726105e15,
        1.8152105401943546773e17,
        -7.1661652561756670113e18,
    ];
    if q == f64::INFINITY || s == f64::INFINITY {
        return if s == f64::INFINITY && q < 1.0 {
            f64::INFINITY
        } else if s == f64::INFINITY && q == 1.0 {
            1.0
        } else {
            0.0
        };
    }
    // Kept apart and added smallest first at the end.
    let mut terms = [0.0; 12];
    let mut n = 0;
    let mut a = q;
    while n < terms.len() - 1 && (n < 10 || a < 10.0) {
        let t = a.powf(-s);
        terms[n] = t;
        n += 1;
        a += 1.0;
        if t <= 1e-18 * terms[0] || terms[0] == f64::INFINITY {
            return terms.iter().rev().sum();
        }
    }
    let b = a.powf(-s);
    let mut tail = b * a / (s - 1.0) + 0.5 * b;
    let (mut fac, mut k, mut pow) = (1.0, 0.0, b);
    for c in A {
        fac *= s + k;
        pow /= a;
        let t = pow * fac / c;
        tail += t;
        if t.abs() < 1e-17 * tail.abs() {
            break;
        }
        k += 1.0;
        fac *= s + k;
        pow /= a;
        k += 1.0;
    }
    terms[n] = tail;
    terms[..=n].iter().rev().sum()
}

/// The n-th derivative of `digamma`; NaN unless n is a natural number. (−1)ⁿ⁺¹ n! ζ(n + 1, x) for n ≥ 1.
pub(super) fn polygamma(n: f64, x: f64) -> f64 {
    if n.is_nan() || n < 0.0 || n.floor() != n || n.is_infinite() {
        return f64::NAN;
    }
    if n == 0.0 {
        return digamma(x);
    }
    let z = zeta(n + 1.0, x);
    let odd = (0.5 * n).floor() != 0.5 * n;
    let sign = if odd { 1.0 } else { -1.0 };
    if n <= 170.0 || !z.is_finite() || z == 0.0 {
        return sign * (libm::tgamma(n + 1.0) * z);
    }
    // n! overflows though the product may not.
    sign * (libm::lgamma(n + 1.0) + z.abs().ln()).exp() * z.signum()
}

/// Σ' cₖ Tₖ(t) by Clenshaw's recurrence; c₀ counts whole.
fn chebyshev(c: &[f64], t: f64) -> f64 {
    let (mut b1, mut b2) = (0.0, 0.0);
    for &k in c.iter().skip(1).rev() {
        (b1, b2) = (2.0 * t * b1 - b2 + k, b1);
    }
    t * b1 - b2 + c.first().copied().unwrap_or(0.0)
}

/// Σ (x²/4)ᵏ / (k! (k + n)!) for n = 0 or 1 and |x| < 1: exact at 0, where Chebyshev sums are not.
fn bessel_series(n: f64, x: f64) -> f64 {
    let q = 0.25 * x * x;
    (1..=9u8).rev().map(f64::from).fold(1.0, |s, k| 1.0 + s * q / (k * (k + n)))
}

/// e^−|x| I₀(x).
pub(super) fn bessel_i0e(x: f64) -> f64 {
    let a = x.abs();
    if a < 1.0 {
        (-a).exp() * bessel_series(0.0, a)
    } else if a <= 8.0 {
        chebyshev(&I0_SMALL, 0.25 * a - 1.0)
    } else {
        chebyshev(&I0_LARGE, 16.0 / a - 1.0) / a.sqrt()
    }
}

/// e^−|x| I₁(x).
pub(super) fn bessel_i1e(x: f64) -> f64 {
    let a = x.abs();
    if a < 1.0 {
        0.5 * x * ((-a).exp() * bessel_series(1.0, a))
    } else if a <= 8.0 {
        x * chebyshev(&I1_SMALL, 0.25 * a - 1.0)
    } else {
        (chebyshev(&I1_LARGE, 16.0 / a - 1.0) / a.sqrt()).copysign(x)
    }
}
