//! Small elements, of one and two bytes: the wide value of each, and how wide values become small ones.
use crate::dtype::{BF16, F16};
use crate::tensor::Element;

/// An element of a small dtype.
pub trait Small: Element {
    /// The type in which its values are computed with ([`DType::wide`](crate::DType::wide)).
    type Wide: Element;
    /// The same number.
    fn widen(self) -> Self::Wide;
    /// The nearest number, the even one of two (floats; NaN stays NaN); the low bits (integers).
    fn narrow(x: Self::Wide) -> Self;
}
macro_rules! integers { ($($t:ty: $w:ty),*) => { $(impl Small for $t {
    type Wide = $w;
    #[inline(always)]
    fn widen(self) -> $w {
        self as $w
    }
    #[inline(always)]
    fn narrow(x: $w) -> $t {
        x as $t
    }
})* } }
integers!(i8: i32, i16: i32, u8: u32, u16: u32);
impl Small for BF16 {
    type Wide = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }
    #[inline(always)]
    fn narrow(x: f32) -> BF16 {
        let bits = x.to_bits();
        let near = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
        BF16::from_bits(if x.is_nan() { 0x7fc0 } else { (near >> 16) as u16 })
    }
}
impl Small for F16 {
    type Wide = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        let bits = u32::from(self.to_bits());
        // The exponent is 112 too small; infinities and NaN have the greatest one there is.
        let size = f32::from_bits((bits & 0x7fff) << 13);
        let size = if bits & 0x7c00 == 0x7c00 { size.to_bits() | 0x7f80_0000 } else { (size * EXPONENT).to_bits() };
        f32::from_bits(size | (bits & 0x8000) << 16)
    }
    #[inline(always)]
    fn narrow(x: f32) -> F16 {
        let near = nearest_f16(x);
        let size = (near.abs() * (1.0 / EXPONENT)).to_bits() >> 13 & 0x7fff;
        let size = if x.is_nan() { 0x7e00 } else { size };
        F16::from_bits((size | (near.to_bits() >> 16 & 0x8000)) as u16)
    }
}
/// By what an `f32` with the bits of an `f16` is too small.
const EXPONENT: f32 = f32::from_bits((127 + 112) << 23);

/// The nearest number that an `f16` holds, the even one of two; NaN for NaN.
#[inline(always)]
pub fn nearest_f16(x: f32) -> f32 {
    let (size, sign) = (x.abs(), x.to_bits() & 0x8000_0000);
    // Below 2^-14 multiples of 2^-24: the sum has room for no finer ones.
    let fine = (size + 0.5) - 0.5;
    let bits = size.to_bits();
    let near = f32::from_bits(bits.wrapping_add(0xfff + (bits >> 13 & 1)) & !0x1fff);
    let near = if near >= 65536.0 { f32::INFINITY } else { near };
    let near = if size < f32::from_bits((127 - 14) << 23) { fine } else { near };
    if x.is_nan() { f32::NAN } else { f32::from_bits(near.to_bits() | sign) }
}

/// `x` rounded to odd: towards zero, the last bit set where that loses something. What is then rounded to a format of at most 22
/// bits is as if it were rounded once (S. Boldo and G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved
/// algorithms using rounding to odd", IEEE Trans. Comput. 57, 2008, theorem 2).
#[inline]
pub fn odd(x: f64) -> f32 {
    let near = x as f32;
    let back = f64::from(near);
    if back == x || x.is_nan() {
        return near;
    }
    let inner = if back.abs() > x.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f32::from_bits(inner | 1)
}
/// The same of an integer.
#[inline]
pub fn odd_int(x: i128) -> f64 {
    let near = x as f64;
    let back = near as i128;
    if back == x {
        return near;
    }
    let inner = if back.abs() > x.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f64::from_bits(inner | 1)
}
/// Numbers that become `bf16` and `f16`, rounded once.
pub trait ToHalf: Copy {
    /// A number that rounds as this one does.
    fn single(self) -> f32;
}
impl ToHalf for f32 {
    fn single(self) -> f32 {
        self
    }
}
impl ToHalf for f64 {
    fn single(self) -> f32 {
        odd(self)
    }
}
macro_rules! ints { ($($t:ty),*) => { $(impl ToHalf for $t {
    fn single(self) -> f32 {
        odd(odd_int(self as i128))
    }
})* } }
ints!(i8, i16, i32, i64, u8, u16, u32, u64);

/// The shortest decimal that reads back as the same number, `nan` for NaN.
pub fn shortest<T: Small<Wide = f32>>(x: T) -> String {
    let wide = x.widen();
    if !wide.is_finite() {
        return if wide.is_nan() { "nan".into() } else { format!("{wide:?}") };
    }
    let digits = (0..9).map(|n| format!("{wide:.n$e}").parse::<f64>().unwrap_or(f64::NAN));
    let mut same = digits.filter(|&d| T::narrow(odd(d)) == x);
    format!("{:?}", same.next().unwrap_or(f64::from(wide)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number there is comes back; between two neighbours the nearer one is taken, the even one in the middle.
    fn all<T: Small<Wide = f32>>(of: fn(u16) -> T, bits: fn(T) -> u16, outside: fn(f32) -> u16) {
        for b in 0..=u16::MAX {
            let x = of(b).widen();
            assert_eq!(x.is_nan(), T::narrow(x).widen().is_nan(), "{b:#x}");
            if !x.is_nan() {
                assert_eq!(bits(T::narrow(x)), b, "{x:e}");
                let text = shortest(of(b));
                assert_eq!(bits(T::narrow(odd(text.parse().unwrap()))), b, "{text}");
            }
            for near in
                [x.to_bits().wrapping_sub(1), x.to_bits().wrapping_add(1), x.to_bits() ^ 0x1000, x.to_bits() ^ 0x8000]
            {
                for near in [near, near.wrapping_add(1), near.wrapping_sub(1)] {
                    let y = f32::from_bits(near);
                    if !y.is_nan() {
                        assert_eq!(bits(T::narrow(y)), outside(y), "{y:e}");
                    }
                }
            }
        }
    }
    #[test]
    fn numbers_round_as_an_independent_crate_rounds_them() {
        all(BF16::from_bits, BF16::to_bits, |x| BF16::from_f32(x).to_bits());
        all(F16::from_bits, F16::to_bits, |x| F16::from_f32_const(x).to_bits());
        for b in 0..=u16::MAX {
            let x = F16::from_bits(b);
            assert!(x.is_nan() || x.widen().to_bits() == x.to_f32_const().to_bits(), "{b:#x}");
            let y = BF16::from_bits(b);
            assert!(y.is_nan() || y.widen().to_bits() == y.to_f32().to_bits(), "{b:#x}");
        }
    }
    #[test]
    fn wide_numbers_are_rounded_once() {
        // A little more than the middle between 1 and its neighbour, which `f32` does not see.
        let x = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
        assert_eq!(BF16::narrow(x.single()).to_bits(), 0x3f81);
        assert_eq!(BF16::narrow(x as f32).to_bits(), 0x3f80);
        let n = (1i64 << 40) + (1 << 32) + 1;
        assert_eq!(BF16::narrow(n.single()).widen(), 2f32.powi(40) + 2f32.powi(33));
        assert_eq!(BF16::narrow(f64::MAX.single()).widen(), f32::INFINITY);
        assert_eq!(F16::narrow(65519.999.single()).widen(), 65504.0);
        assert_eq!(F16::narrow(65520.0.single()).widen(), f32::INFINITY);
        assert_eq!(F16::narrow((-1e-300).single()).to_bits(), 0x8000);
        assert_eq!(F16::narrow(u64::MAX.single()).widen(), f32::INFINITY);
        assert_eq!(shortest(BF16::narrow(0.1)), "0.1");
        assert_eq!(shortest(F16::narrow(65504.0)), "65500.0");
    }
}
