//! Reduction of large arguments to the quadrant: M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric
//! functions", ACM SIGNUM Newsletter 18 (1983) 19–24, with products in pairs of floats in place of integers.
//!
//! a·2/π counts modulo 4 only. With a = a'·2^k for a multiple k of the width of a window, that is a' times the digits of
//! 2/π from place k − p on (p: bits of a float; what stands before is a multiple of 4 for every a'), cut into four floats.
use super::coef::PIO2_64;
use super::v::{Lut, V};
use crate::digits::TWO_OVER_PI;

/// `n` binary digits of 2/π from digit `first` on (1 is the first after the point), as an integer.
const fn digits(first: i32, n: i32) -> u64 {
    let (mut v, mut i) = (0, first);
    while i < first + n {
        let bit = if i < 1 { 0 } else { TWO_OVER_PI[(i - 1) as usize / 64] >> (63 - (i - 1) % 64) & 1 };
        v = v << 1 | bit;
        i += 1;
    }
    v
}
/// 2^−e.
const fn scale(e: i32) -> f64 {
    f64::from_bits(((1023 - e) as u64) << 52)
}
/// Part `k` of the digits for every window: of 8 digits for `f32`, of 32 for `f64`, of which this has every second.
const fn part(k: i32, odd: i32) -> Lut {
    let mut t = Lut { s: [0.0; 16], d: [0.0; 16] };
    let mut w = 0;
    while w < 16 {
        t.s[w] = (digits(8 * w as i32 - 23 + 24 * k, 24) as f64 * scale(24 * k)) as f32;
        t.d[w] = digits(32 * (2 * w as i32 + odd) - 52 + 53 * k, 53) as f64 * scale(53 * k);
        w += 1;
    }
    t
}
static EVEN: [Lut; 4] = [part(0, 0), part(1, 0), part(2, 0), part(3, 0)];
static ODD: [Lut; 4] = [part(0, 1), part(1, 1), part(2, 1), part(3, 1)];

/// `a + b` and its error.
#[inline(always)]
fn sum<T: V>(a: T, b: T) -> (T, T) {
    let s = a.add(b);
    let u = s.sub(a);
    (s, a.sub(s.sub(u)).add(b.sub(u)))
}
/// `v` less a multiple of 4, given 1.5 times a power of two whose unit in the last place is 4 or more and that `v` does not
/// reach.
#[inline(always)]
fn less<T: V>(v: T, magic: T) -> T {
    v.sub(v.add(magic).sub(magic))
}

/// The digits for the windows `w`, of f64 the second half of each where `odd`.
#[inline(always)]
fn window<T: V>(w: T, odd: T::Mask, k: usize) -> T {
    let even = w.lookup(&EVEN[k]);
    if T::DBL { T::sel(odd, w.lookup(&ODD[k]), even) } else { even }
}

/// (r, l, t): `a` less a multiple n of π/2 is r + l, and n stands in the low bits of t. For finite `a` ≥ 2.
#[inline(always)]
pub(super) fn reduce<T: V>(a: T) -> (T, T, T) {
    let (w, odd) = (a.shr(if T::DBL { 58 } else { 26 }), a.shr(57 & if T::DBL { 63 } else { 31 }).odd());
    // a' in [2, 2^9) or [2, 2^33).
    let a = a.and(T::bits(if T::DBL { (1 << 57) - 1 } else { (1 << 26) - 1 })).or(T::c(2.0));
    let (t0, t1, t2) = (window(w, odd, 0), window(w, odd, 1), window(w, odd, 2));
    let (p0, p1, p2) = (a.mul(t0), a.mul(t1), a.mul(t2));
    let neg = T::sign_bit();
    let (l0, l1, l2) = (a.fma(t0, p0.xor(neg)), a.fma(t1, p1.xor(neg)), a.fma(t2, p2.xor(neg)));
    let rest = a.fma(window(w, odd, 3), l2);
    // p0 is below 2^33 or 2^86, l0 and p1 below 2^9 or 2^33, l1 and p2 below 2^-14 or 2^-19.
    let four = T::magic().mul(T::c(4.0));
    let p0 = less(less(p0, T::pick(12_884_901_888.0, 1.5 * scale(-86))), four);
    let (h, e) = sum(p0.add(less(l0, four)), less(p1, four));
    let (g, ge) = sum(l1, p2);
    let m = T::magic();
    let t = h.add(m);
    // Nothing is lost in these sums, however much of them cancels.
    let (h, e2) = sum(h.sub(t.sub(m)), g);
    let (e, e3) = sum(e, e2);
    let (h, l) = sum(h, e);
    let l = l.add(e3.add(ge.add(rest)));
    // Times π/2.
    let (q, ql) = (T::c(PIO2_64[0]), T::pick(-4.371_139_000_186_241e-8, PIO2_64[1]));
    let r = h.mul(q);
    (r, h.fma(ql, l.fma(q, h.fma(q, r.xor(neg)))), t)
}
