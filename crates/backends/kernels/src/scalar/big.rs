//! Powers of complex numbers whose exponent is so large that a logarithm with twice the digits of a double is too short: fixed
//! point numbers of up to 1216 binary places. Slow, and rarely asked.
use super::dd::Dd;
use super::turns;
use crate::digits::TWO_OVER_PI;
use tfc_ir::C64;

/// Words of the longest number: one before the point, the others after it.
const MOST: usize = 20;
/// ln 2, without the word before the point.
const LN_2: [u64; MOST - 1] = [
    0xb172_17f7_d1cf_79ab,
    0xc9e3_b398_03f2_f6af,
    0x40f3_4326_7298_b62d,
    0x8a0d_175b_8baa_fa2b,
    0xe7b8_7620_6deb_ac98,
    0x5595_52fb_4afa_1b10,
    0xed2e_ae35_c138_2144,
    0x2757_3b29_1169_b825,
    0x3e96_ca16_224a_e8c5,
    0x1acb_da11_317c_387e,
    0xb9ea_9bc3_b136_603b,
    0x256f_a0ec_7657_f74b,
    0x72ce_87b1_9d65_48ca,
    0xf5df_a6bd_3830_3248,
    0x655f_a187_2f20_e3a2,
    0xda2d_97c5_0f3f_d5c6,
    0x07f4_ca11_fb5b_fb90,
    0x610d_30f8_8fe5_51a2,
    0xee56_9d6d_fc1e_fa15,
];

/// A sign and `n` words, the first before the point. Results are cut off, by less than a unit of the last word.
#[derive(Clone, Copy)]
struct Fix {
    n: usize,
    minus: bool,
    w: [u64; MOST],
}
impl Fix {
    fn zero(n: usize) -> Fix {
        Fix { n, minus: false, w: [0; MOST] }
    }
    fn one(n: usize) -> Fix {
        let mut r = Fix::zero(n);
        r.w[0] = 1;
        r
    }
    fn fraction(n: usize, digits: &[u64; MOST - 1]) -> Fix {
        let mut r = Fix::zero(n);
        r.w[1..n].copy_from_slice(&digits[..n - 1]);
        r
    }
    /// x 2^−k, below 2⁶⁴.
    fn scaled(n: usize, x: f64, k: i32) -> Fix {
        let mut r = Fix::zero(n);
        let (m, e) = parts(x);
        // The lowest bit of m stands so far above the end.
        let at = 64 * (n as i32 - 1) + e - k;
        for (i, word) in r.w[..n].iter_mut().rev().enumerate() {
            *word = window(&[0, m], 64 * i as i32 - at);
        }
        r.minus = x < 0.0;
        r
    }
    fn neg(mut self) -> Fix {
        self.minus = !self.minus;
        self
    }
    fn add(self, o: Fix) -> Fix {
        let (mut a, mut b) = (self, o);
        if a.minus != b.minus && a.w < b.w {
            (a, b) = (b, a);
        }
        let mut carry = false;
        for i in (0..a.n).rev() {
            let (x, y) = (a.w[i], b.w[i]);
            let (s, c, d);
            if a.minus == b.minus {
                (s, c) = x.overflowing_add(y);
                (a.w[i], d) = s.overflowing_add(carry.into());
            } else {
                (s, c) = x.overflowing_sub(y);
                (a.w[i], d) = s.overflowing_sub(carry.into());
            }
            carry = c | d;
        }
        a
    }
    fn mul(&self, o: &Fix) -> Fix {
        let n = self.n;
        let mut p = [0u64; 2 * MOST];
        for i in (0..n).rev() {
            let mut carry = 0u128;
            for j in (0..n).rev() {
                let t = u128::from(self.w[i]) * u128::from(o.w[j]) + u128::from(p[i + j + 1]) + carry;
                p[i + j + 1] = t as u64;
                carry = t >> 64;
            }
            p[i] = carry as u64;
        }
        let mut r = Fix::zero(n);
        r.w[..n].copy_from_slice(&p[1..=n]);
        r.minus = self.minus != o.minus;
        r
    }
    fn over(mut self, d: u64) -> Fix {
        let mut rest = 0u128;
        for w in &mut self.w[..self.n] {
            let t = rest << 64 | u128::from(*w);
            *w = (t / u128::from(d)) as u64;
            rest = t % u128::from(d);
        }
        self
    }
    /// The words of y times this with `places` binary places, in two's complement: as many as `out` has, the lowest first.
    fn times(&self, y: f64, places: i32, out: &mut [u64]) {
        let (m, e) = parts(y);
        let mut p = [0u64; MOST + 1];
        let mut carry = 0u128;
        for i in (0..self.n).rev() {
            let t = u128::from(self.w[i]) * u128::from(m) + carry;
            p[i + 1] = t as u64;
            carry = t >> 64;
        }
        p[0] = carry as u64;
        let from = 64 * (self.n as i32 - 1) - places - e;
        let minus = self.minus != (y < 0.0);
        let mut borrow = minus;
        for (i, word) in out.iter_mut().enumerate() {
            let v = window(&p[..=self.n], from + 64 * i as i32);
            // −v = !v + 1
            (*word, borrow) = if minus { (!v).overflowing_add(borrow.into()) } else { (v, false) };
        }
    }
}
/// (m, e) with |x| = m 2^e.
fn parts(x: f64) -> (u64, i32) {
    let (f, e) = (x.to_bits() & ((1 << 52) - 1), (x.to_bits() >> 52 & 0x7ff) as i32);
    if e == 0 { (f, -1074) } else { (f | 1 << 52, e - 1075) }
}
/// 64 bits of a number, the highest word first, from bit `at` of its end on; zeros outside.
fn window(w: &[u64], at: i32) -> u64 {
    let word =
        |i: i32| u128::from(usize::try_from(w.len() as i32 - 1 - i).ok().and_then(|i| w.get(i)).copied().unwrap_or(0));
    let (i, k) = (at.div_euclid(64), at.rem_euclid(64));
    ((word(i + 1) << 64 | word(i)) >> k) as u64
}

fn product(a: &[Fix; 2], b: &[Fix; 2]) -> [Fix; 2] {
    [a[0].mul(&b[0]).add(a[1].mul(&b[1]).neg()), a[0].mul(&b[1]).add(a[1].mul(&b[0]))]
}
/// e^z for |z| < 4: the Taylor series at z/2²⁴, squared 24 times.
fn exp(z: &[Fix; 2]) -> [Fix; 2] {
    let n = z[0].n;
    let (one, part) = (Fix::one(n), z.map(|p| p.over(1 << 24)));
    let mut sum = [one, Fix::zero(n)];
    // Each term is 22 bits below the one before it.
    for k in (1..=64 * n as u64 / 22 + 1).rev() {
        let [re, im] = product(&sum, &part);
        sum = [re.over(k).add(one), im.over(k)];
    }
    for _ in 0..24 {
        sum = product(&sum, &sum);
    }
    sum
}
/// ln z for finite z ≠ 0, given it as a double: Newton's steps l + (z e⁻ˡ − 1), each of which doubles the digits.
fn log(n: usize, z: C64, l: C64) -> [Fix; 2] {
    let k = (l.re / std::f64::consts::LN_2).round();
    let u = [Fix::scaled(n, z.re, k as i32), Fix::scaled(n, z.im, k as i32)];
    let mut r = [Fix::scaled(n, l.re - k * std::f64::consts::LN_2, 0), Fix::scaled(n, l.im, 0)];
    let mut digits = 40;
    while digits < 64 * n {
        let [re, im] = product(&u, &exp(&r.map(Fix::neg)));
        r = [r[0].add(re.add(Fix::one(n).neg())), r[1].add(im)];
        digits *= 2;
    }
    let mut twos = Fix::fraction(n, &LN_2).mul(&Fix::scaled(n, k.abs(), 0));
    twos.minus = k < 0.0;
    [r[0].add(twos), r[1]]
}

/// Real part of w ln z, and its imaginary part modulo 2π as a number of quarter turns and a rest, for finite w, z ≠ 0 and the
/// logarithm of z as a double. The errors are below 2⁻⁶⁰; a real part beyond ±2000 is ±2000.
pub(super) fn exponent(z: C64, w: C64, l: C64) -> (Dd, u32, Dd) {
    let size = parts(w.re.abs().max(w.im.abs())).1 + 53;
    let n = 1 + (size.max(0) as usize + 140).div_ceil(64);
    let n = n.min(MOST);
    let [re, im] = log(n, z, l);
    // Up to 2¹⁰³⁵ with 64 places.
    let mut sum = [0u64; MOST];
    for (factor, part) in [(w.re, re), (-w.im, im)] {
        let mut term = [0u64; MOST];
        part.times(factor, 64, &mut term);
        let mut carry = false;
        for (s, t) in sum.iter_mut().zip(term) {
            let (x, c) = s.overflowing_add(t);
            let (x, d) = x.overflowing_add(carry.into());
            (*s, carry) = (x, c | d);
        }
    }
    let low = (u128::from(sum[1]) << 64 | u128::from(sum[0])) as i128;
    let fits = sum[2..].iter().all(|&s| s == if low < 0 { u64::MAX } else { 0 });
    let grow = if !fits || low.unsigned_abs() >> 64 > 2000 {
        Dd(if sum[MOST - 1] >> 63 == 1 { -2000.0 } else { 2000.0 }, 0.0)
    } else {
        turns::pair(low, 64)
    };
    let quarter = Fix::fraction(n, &TWO_OVER_PI);
    let turned = [(w.re, im.mul(&quarter)), (w.im, re.mul(&quarter))].map(|(factor, part)| {
        let mut term = [0u64; 2];
        part.times(factor, 126, &mut term);
        u128::from(term[1]) << 64 | u128::from(term[0])
    });
    let (turn, rest) = turns::nearest(turned[0].wrapping_add(turned[1]));
    (grow, turn, rest)
}
