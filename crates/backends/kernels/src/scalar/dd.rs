//! Pairs of doubles with about 106 bits, for the few places where a result is the small difference of large terms.
//!
//! T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18 (1971) 224–242.
use std::ops::{Add, Div, Mul, Neg, Sub};
use tfc_ir::C64;

/// hi + lo, with |lo| at most half an ulp of hi.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dd(pub(super) f64, pub(super) f64);

/// a + b exactly, as a rounded sum and its error.
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}
/// a · b exactly, as a rounded product and its error.
pub(super) fn two_prod(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, a.mul_add(b, -p))
}

impl Dd {
    pub(super) const ONE: Dd = Dd(1.0, 0.0);
    pub(super) const LN_2: Dd = Dd(std::f64::consts::LN_2, 2.3190468138462996e-17);
    /// a + b exactly.
    pub(super) fn sum(a: f64, b: f64) -> Dd {
        let (h, l) = two_sum(a, b);
        Dd(h, l)
    }
    fn renormal(h: f64, l: f64) -> Dd {
        let s = h + l;
        Dd(s, l - (s - h))
    }
    pub(super) fn value(self) -> f64 {
        self.0 + self.1
    }
    /// Whole power, n ≥ 1.
    pub(super) fn powi(self, n: u32) -> Dd {
        let (mut base, mut n, mut r) = (self, n, Dd::ONE);
        while n > 0 {
            if n & 1 == 1 {
                r = r * base;
            }
            base = base * base;
            n >>= 1;
        }
        r
    }
}
impl From<f64> for Dd {
    fn from(x: f64) -> Dd {
        Dd(x, 0.0)
    }
}
impl Add for Dd {
    type Output = Dd;
    fn add(self, b: Dd) -> Dd {
        let (h, l) = two_sum(self.0, b.0);
        let (m, e) = two_sum(self.1, b.1);
        let Dd(h, l) = Dd::renormal(h, l + m);
        Dd::renormal(h, l + e)
    }
}
impl Neg for Dd {
    type Output = Dd;
    fn neg(self) -> Dd {
        Dd(-self.0, -self.1)
    }
}
impl Sub for Dd {
    type Output = Dd;
    fn sub(self, b: Dd) -> Dd {
        self + -b
    }
}
impl Mul for Dd {
    type Output = Dd;
    fn mul(self, b: Dd) -> Dd {
        let (p, e) = two_prod(self.0, b.0);
        Dd::renormal(p, e + (self.0 * b.1 + self.1 * b.0))
    }
}
impl Div for Dd {
    type Output = Dd;
    fn div(self, b: Dd) -> Dd {
        let q = self.0 / b.0;
        let r = self - b * Dd(q, 0.0);
        Dd::renormal(q, r.0 / b.0)
    }
}

/// A complex number of such pairs.
#[derive(Clone, Copy)]
struct Cdd(Dd, Dd);
impl Mul for Cdd {
    type Output = Cdd;
    fn mul(self, b: Cdd) -> Cdd {
        Cdd(self.0 * b.0 - self.1 * b.1, self.0 * b.1 + self.1 * b.0)
    }
}
/// e^(x + iy) for |x| < 1, |y| < 4: Taylor series of a 256th, squared eight times.
fn exp_small(x: Dd, y: f64) -> Cdd {
    let part = |d: Dd| Dd(d.0 / 256.0, d.1 / 256.0);
    let z = Cdd(part(x), part(Dd(y, 0.0)));
    let mut sum = Cdd(Dd::ONE, Dd(0.0, 0.0));
    for k in (1..=14u8).rev() {
        let k = Dd::from(f64::from(k));
        let t = sum * z;
        sum = Cdd(Dd::ONE + t.0 / k, t.1 / k);
    }
    for _ in 0..8 {
        sum = sum * sum;
    }
    sum
}

/// ln z for finite z ≠ 0 with twice the digits, given ln z in one: `(re, im)`. One Newton step, l + (z e⁻ˡ − 1).
pub(super) fn log(z: C64, l: C64) -> (Dd, Dd) {
    let k = (l.re / std::f64::consts::LN_2).round();
    let x = Dd::from(l.re) - Dd::LN_2 * Dd::from(k);
    let Cdd(er, ei) = exp_small(-x, -l.im);
    // Two steps, because 2⁻ᵏ alone may not be a normal number.
    let (h, k) = ((k / 2.0).trunc() as i32, k as i32);
    let z = z * 2f64.powi(-h) * 2f64.powi(h - k);
    let w = Cdd(Dd::from(z.re), Dd::from(z.im)) * Cdd(er, ei);
    let d = C64::new((w.0 - Dd::ONE).value(), w.1.value());
    (Dd::sum(l.re, d.re), Dd::sum(l.im, d.im))
}
