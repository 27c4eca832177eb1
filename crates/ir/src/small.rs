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
