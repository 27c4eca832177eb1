//! Hurwitz zeta, polygamma and the exponentially scaled modified Bessel functions.
use super::bessel::{I0_LARGE, I0_SMALL, I1_LARGE, I1_SMALL};
use super::dd::{Dd, two_sum};
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
    // The largest term, which is all of it where it overflows, or where s is large.
    let above = r.value() <= 0.5;
    let most = if above { r } else { Dd::ONE - r }.value().powf(-s);
    if s > 1000.0 || most == f64::INFINITY {
        return if above { most } else { sign * most };
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

/// (2k)! / B₂ₖ
#[expect(clippy::excessive_precision, reason = "the digits are those of the source")]
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
/// From here on, and from ten times s on, the tail alone is enough.
const FAR: f64 = 1000.0;
/// Terms that are added one by one before the tail.
const DIRECT: u8 = 10;

/// Σ (a + k)⁻ˢ relative to a¹⁻ˢ, by Euler–Maclaurin: 1/(s − 1) + 1/(2a) + …
fn tail(s: f64, a: f64) -> f64 {
    let mut sum = 1.0 / (s - 1.0) + 0.5 / a;
    let (mut fac, mut k, mut pow) = (1.0, 0.0, 1.0 / a);
    for c in A {
        fac *= s + k;
        pow /= a;
        let t = pow * fac / c;
        sum += t;
        if t.abs() < 1e-17 * sum.abs() {
            break;
        }
        k += 1.0;
        fac *= s + k;
        pow /= a;
        k += 1.0;
    }
    sum
}
/// q > 0.
fn zeta_positive(s: f64, q: f64) -> f64 {
    if q == f64::INFINITY || s == f64::INFINITY {
        return if s == f64::INFINITY && q < 1.0 {
            f64::INFINITY
        } else if s == f64::INFINITY && q == 1.0 {
            1.0
        } else {
            0.0
        };
    }
    if q >= FAR && q >= 10.0 * s {
        // s − 1 is exact. q⁻ˢ, and what is divided by q once more, might be 0 though the sum is not.
        return q.powf(1.0 - s) * tail(s, q);
    }
    // a⁻ˢ of q + k, whose rounding error would count s times.
    let term = |k: u8| {
        let (a, rest) = two_sum(q, f64::from(k));
        let t = a.powf(-s);
        (a, if rest == 0.0 || t == 0.0 { t } else { t - t * (s * rest / a) })
    };
    // Kept apart and added smallest first at the end.
    let mut terms = [0.0; DIRECT as usize + 1];
    for k in 0..DIRECT {
        terms[usize::from(k)] = term(k).1;
        if terms[usize::from(k)] <= 1e-18 * terms[0] || terms[0] == f64::INFINITY {
            return terms.iter().rev().sum();
        }
    }
    let (a, t) = term(DIRECT);
    terms[usize::from(DIRECT)] = t * (a * tail(s, a));
    terms.iter().rev().sum()
}

/// d · 2ᵉ, 1/2 ≤ |d| < 1: what would overflow or vanish on the way.
#[derive(Clone, Copy)]
struct Scaled(Dd, i64);
impl Scaled {
    fn new(d: Dd, e: i64) -> Scaled {
        let (_, by) = libm::frexp(d.0);
        Scaled(Dd(libm::scalbn(d.0, -by), libm::scalbn(d.1, -by)), e + i64::from(by))
    }
    fn times(self, b: Scaled) -> Scaled {
        Scaled::new(self.0 * b.0, self.1 + b.1)
    }
    /// Whole power.
    fn power(self, mut n: u64) -> Scaled {
        let (mut base, mut r) = (self, Scaled::new(Dd::ONE, 0));
        while n > 0 {
            if n & 1 == 1 {
                r = r.times(base);
            }
            base = base.times(base);
            n >>= 1;
        }
        r
    }
    fn inverse(self) -> Scaled {
        Scaled::new(Dd::ONE / self.0, -self.1)
    }
    fn value(self) -> f64 {
        libm::scalbn(self.0.value(), self.1.clamp(-4000, 4000) as i32)
    }
}
/// n!
fn factorial(n: u64) -> Scaled {
    let x = n as f64;
    if n <= 170 {
        return Scaled::new(Dd::from(libm::tgamma(x + 1.0)), 0);
    }
    // Stirling's series: √(2πn) (n/e)ⁿ e^(1/(12n) − …).
    let e = Dd(std::f64::consts::E, 1.4456468917292502e-16);
    let rest = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * x * x)) / (x * x)) / x;
    let root = Scaled::new(Dd::from((std::f64::consts::TAU * x).sqrt() * rest.exp()), 0);
    Scaled::new(Dd::from(x) / e, 0).power(n).times(root)
}
/// n! ζ(n + 1, x) for n ≥ 1, x > 0 finite.
fn polygamma_positive(n: u64, x: f64) -> f64 {
    let s = n as f64 + 1.0;
    let (first, sum) = if x >= FAR && x >= 10.0 * s {
        (Scaled::new(Dd::from(x), 0).power(n).inverse(), tail(s, x))
    } else {
        // As in `zeta_positive`, relative to the first term.
        let term = |k: u8| {
            let a = Dd::sum(x, f64::from(k));
            (a.0, Scaled::new(a, 0).power(n + 1).inverse())
        };
        let first = term(0).1;
        let relative = |t: Scaled| Scaled(t.0, t.1 - first.1).value();
        let mut terms = [0.0; DIRECT as usize + 1];
        for k in 0..DIRECT {
            terms[usize::from(k)] = relative(term(k).1);
        }
        let (a, t) = term(DIRECT);
        terms[usize::from(DIRECT)] = relative(t) * (a * tail(s, a));
        (Scaled::new(Dd::ONE, first.1), terms.iter().rev().sum())
    };
    factorial(n).times(first).times(Scaled::new(Dd::from(sum), 0)).value()
}

/// The n-th derivative of `digamma`; NaN unless n is a natural number. (−1)ⁿ⁺¹ n! ζ(n + 1, x) for n ≥ 1.
pub(super) fn polygamma(n: f64, x: f64) -> f64 {
    if n.is_nan() || n < 0.0 || n.floor() != n || n.is_infinite() {
        return f64::NAN;
    }
    if n == 0.0 {
        return digamma(x);
    }
    let odd = (0.5 * n).floor() != 0.5 * n;
    let sign = if odd { 1.0 } else { -1.0 };
    if x > 0.0 && x < f64::INFINITY {
        // Beyond, all that is not 0 or infinite is between two neighbouring numbers.
        const MOST: f64 = (1u64 << 40) as f64;
        let log = |n: f64| (libm::lgamma(n + 1.0) - (n + 1.0) * x.ln()).exp();
        return sign * if n <= MOST { polygamma_positive(n as u64, x) } else { log(n) };
    }
    let z = zeta(n + 1.0, x);
    // Of a large factorial nothing but 0 and infinities come.
    let most = libm::tgamma(n + 1.0);
    sign * if z == 0.0 || z.is_nan() { z } else { most * z }
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
