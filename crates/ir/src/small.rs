//! Small elements: the wide value of each, and how wide values become small ones.
mod format;
mod tiny;

use crate::dtype::{BF16, F16};
use crate::tensor::Element;
pub use format::{Format, Special};
pub use tiny::*;

/// An element of a small dtype.
pub trait Small: Element {
    /// The type in which its values are computed with ([`DType::wide`](crate::DType::wide)).
    type Wide: Element;
    /// The same number.
    fn widen(self) -> Self::Wide;
    /// The nearest number, the even one of two (floats; NaN stays NaN where there is one); the low bits (integers).
    fn narrow(x: Self::Wide) -> Self;
    /// The number with these low bits.
    fn of_bits(bits: u32) -> Self;
    /// Its bits, those above being 0.
    fn bits(self) -> u32;
}
macro_rules! integers { ($($t:ty: $u:ty, $w:ty),*) => { $(impl Small for $t {
    type Wide = $w;
    #[inline(always)]
    fn widen(self) -> $w {
        self as $w
    }
    #[inline(always)]
    fn narrow(x: $w) -> $t {
        x as $t
    }
    #[inline(always)]
    fn of_bits(bits: u32) -> $t {
        bits as $t
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        (self as $u).into()
    }
})* } }
integers!(i8: u8, i32, i16: u16, i32, u8: u8, u32, u16: u16, u32);
macro_rules! tiny { ($($t:ty: $w:ty, $widen:expr, $narrow:expr),*) => { $(impl Small for $t {
    type Wide = $w;
    #[inline(always)]
    fn widen(self) -> $w {
        $widen(self)
    }
    #[inline(always)]
    fn narrow(x: $w) -> $t {
        $narrow(x)
    }
    #[inline(always)]
    fn of_bits(bits: u32) -> $t {
        <$t>::from_bits(bits as u8)
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.to_bits().into()
    }
})* } }
macro_rules! tiny_ints { ($($t:ty: $w:ty),*) => {
    tiny!($($t: $w, |x: $t| x.get() as $w, |x: $w| <$t>::from_bits(x as u8)),*);
} }
macro_rules! tiny_floats { ($($t:ty),*) => { tiny!($($t: f32, <$t>::to_f32, <$t>::from_f32),*); } }
tiny_ints!(I2: i32, I4: i32, U2: u32, U4: u32);
crate::for_tiny_floats!(tiny_floats);

/// `$m!(… F4E2M1FN, F6E2M3FN, …)`: a macro that takes the tiny types of floats of `tfc_ir::small`, which are in scope.
#[macro_export]
macro_rules! for_tiny_floats {
    ($m:ident $($before:tt)*) => {
        $m!($($before)* F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ);
    };
}
/// The same of the tiny types of integers.
#[macro_export]
macro_rules! for_tiny_ints {
    ($m:ident $($before:tt)*) => {
        $m!($($before)* I2, I4, U2, U4);
    };
}
/// Runs `$body` with `$t` the Rust type of a small dtype of floats, `$other` for other dtypes.
#[macro_export]
macro_rules! with_small_float {
    ($dtype:expr, $t:ident => $body:expr, _ => $other:expr) => {
        $crate::with_small_float!(@ $dtype, $t, $body, $other, BF16 $crate::BF16, F16 $crate::F16,
            F4E2M1FN $crate::small::F4E2M1FN, F6E2M3FN $crate::small::F6E2M3FN, F6E3M2FN $crate::small::F6E3M2FN,
            F8E3M4 $crate::small::F8E3M4, F8E4M3 $crate::small::F8E4M3, F8E4M3B11FNUZ $crate::small::F8E4M3B11FNUZ,
            F8E4M3FN $crate::small::F8E4M3FN, F8E4M3FNUZ $crate::small::F8E4M3FNUZ, F8E5M2 $crate::small::F8E5M2,
            F8E5M2FNUZ $crate::small::F8E5M2FNUZ)
    };
    (@ $dtype:expr, $t:ident, $body:expr, $other:expr, $($D:ident $s:ty),*) => {
        match $dtype {
            $($crate::DType::$D => {
                type $t = $s;
                $body
            })*
            _ => $other,
        }
    };
}
/// Runs `$body` with `$t` the Rust type of a small dtype of integers, `$other` for other dtypes.
#[macro_export]
macro_rules! with_small_int {
    ($dtype:expr, $t:ident => $body:expr, _ => $other:expr) => {
        $crate::with_small_float!(@ $dtype, $t, $body, $other, I2 $crate::small::I2, I4 $crate::small::I4, I8 i8, I16 i16,
            U2 $crate::small::U2, U4 $crate::small::U4, U8 u8, U16 u16)
    };
}
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
    #[inline(always)]
    fn of_bits(bits: u32) -> BF16 {
        BF16::from_bits(bits as u16)
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.to_bits().into()
    }
}
/// The upper half of an `f32`.
pub const BRAIN: Format = Format::new(8, 7, Special::Ieee);
/// IEEE 754 binary16.
pub const HALF: Format = Format::new(5, 10, Special::Ieee);
impl Small for F16 {
    type Wide = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        let x = HALF.widen(self.to_bits().into());
        // NaN is quiet, as machines' own instructions have it.
        f32::from_bits(x.to_bits() | u32::from(x.is_nan()) << 22)
    }
    #[inline(always)]
    fn narrow(x: f32) -> F16 {
        F16::from_bits(HALF.narrow(x) as u16)
    }
    #[inline(always)]
    fn of_bits(bits: u32) -> F16 {
        F16::from_bits(bits as u16)
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.to_bits().into()
    }
}

/// Whether a number is larger than every one of a dtype that has neither infinity nor NaN to say so.
pub fn beyond(dtype: crate::DType, x: f64) -> bool {
    let finite = dtype.format().filter(|f| f.special == Special::Finite);
    finite.is_some_and(|f| x.is_nan() || x.abs() > f.most().into())
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
macro_rules! small { ($($t:ty),*) => { $(impl ToHalf for $t {
    fn single(self) -> f32 {
        self.widen() as f32
    }
})* } }
small!(I2, I4, U2, U4);

/// The shortest decimal that reads back as the same number, `nan` for NaN. Of a tiny dtype, whose numbers are so far apart that it
/// would be another number, the number itself.
pub fn shortest<T: Small<Wide = f32>>(x: T) -> String {
    let wide = x.widen();
    if !wide.is_finite() || T::DTYPE.is_tiny() {
        return if wide.is_nan() { "nan".into() } else { format!("{wide:?}") };
    }
    let digits = (0..9).map(|n| format!("{wide:.n$e}").parse::<f64>().unwrap_or(f64::NAN));
    let mut same = digits.filter(|&d| T::narrow(odd(d)) == x);
    format!("{:?}", same.next().unwrap_or(f64::from(wide)))
}
