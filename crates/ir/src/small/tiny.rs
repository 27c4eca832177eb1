//! Elements of at most eight bits that no processor computes with, each in a byte of its own.
use super::format::{Format, Special};
use std::cmp::Ordering;

/// An integer of `BITS` bits, two's complement where it is `SIGNED`. Its byte holds the number.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct TinyInt<const BITS: u32, const SIGNED: bool>(i8);

impl<const BITS: u32, const SIGNED: bool> TinyInt<BITS, SIGNED> {
    /// The number with these low bits; the others do not count.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> Self {
        let up = (bits << (8 - BITS)) as i8;
        TinyInt(if SIGNED { up >> (8 - BITS) } else { (up as u8 >> (8 - BITS)) as i8 })
    }
    /// The low bits, those above being 0.
    #[inline(always)]
    pub const fn to_bits(self) -> u8 {
        self.0 as u8 & ((1 << BITS) - 1)
    }
    /// The number.
    #[inline(always)]
    pub const fn get(self) -> i8 {
        // A byte from outside may hold more.
        Self::from_bits(self.0 as u8).0
    }
}
impl<const BITS: u32, const SIGNED: bool> PartialEq for TinyInt<BITS, SIGNED> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}
impl<const BITS: u32, const SIGNED: bool> Eq for TinyInt<BITS, SIGNED> {}
impl<const BITS: u32, const SIGNED: bool> From<TinyInt<BITS, SIGNED>> for i128 {
    fn from(x: TinyInt<BITS, SIGNED>) -> i128 {
        x.get().into()
    }
}
/// A number that a dtype does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfRange;
impl<const BITS: u32, const SIGNED: bool> TryFrom<i128> for TinyInt<BITS, SIGNED> {
    type Error = OutOfRange;
    fn try_from(x: i128) -> Result<Self, OutOfRange> {
        let made = Self::from_bits(x as u8);
        if i128::from(made) == x { Ok(made) } else { Err(OutOfRange) }
    }
}
impl<const BITS: u32, const SIGNED: bool> std::fmt::Display for TinyInt<BITS, SIGNED> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.get().fmt(f)
    }
}
impl<const BITS: u32, const SIGNED: bool> std::fmt::Debug for TinyInt<BITS, SIGNED> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// What [`TinyFloat`] calls the kinds of [`Special`]: parameters of types are numbers.
const IEEE: u8 = 0;
const NAN: u8 = 1;
const UNSIGNED: u8 = 2;
/// As `UNSIGNED`, with 11 as the bias.
const UNSIGNED_11: u8 = 3;
const FINITE: u8 = 4;

/// A float of at most eight bits: `E` of exponent, `M` of mantissa, and how its greatest patterns are used.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct TinyFloat<const E: u32, const M: u32, const S: u8>(u8);

impl<const E: u32, const M: u32, const S: u8> TinyFloat<E, M, S> {
    /// Its format.
    pub const FORMAT: Format = {
        let special = match S {
            IEEE => Special::Ieee,
            NAN => Special::Nan,
            FINITE => Special::Finite,
            _ => Special::Unsigned,
        };
        let plain = Format::new(E, M, special);
        if S == UNSIGNED_11 { Format { bias: 11, ..plain } } else { plain }
    };
    /// The number with these low bits; the others do not count.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> Self {
        TinyFloat(bits & (Self::FORMAT.sign() | Self::FORMAT.size_mask()) as u8)
    }
    /// The bits, those above being 0.
    #[inline(always)]
    pub const fn to_bits(self) -> u8 {
        Self::from_bits(self.0).0
    }
    /// The number.
    #[inline(always)]
    pub const fn to_f32(self) -> f32 {
        Self::FORMAT.widen(self.0 as u32)
    }
    /// The nearest number, the even one of two; what has none follows the format ([`Special`]).
    #[inline(always)]
    pub fn from_f32(x: f32) -> Self {
        TinyFloat(Self::FORMAT.narrow(x) as u8)
    }
}
impl<const E: u32, const M: u32, const S: u8> From<TinyFloat<E, M, S>> for f64 {
    fn from(x: TinyFloat<E, M, S>) -> f64 {
        x.to_f32().into()
    }
}
impl<const E: u32, const M: u32, const S: u8> PartialEq for TinyFloat<E, M, S> {
    fn eq(&self, other: &Self) -> bool {
        self.to_f32() == other.to_f32()
    }
}
impl<const E: u32, const M: u32, const S: u8> PartialOrd for TinyFloat<E, M, S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
}
impl<const E: u32, const M: u32, const S: u8> std::fmt::Display for TinyFloat<E, M, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&format!("{}", self.to_f32()))
    }
}
impl<const E: u32, const M: u32, const S: u8> std::fmt::Debug for TinyFloat<E, M, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&format!("{:?}", self.to_f32()))
    }
}

/// Two bits, signed.
pub type I2 = TinyInt<2, true>;
/// Four bits, signed.
pub type I4 = TinyInt<4, true>;
/// Two bits, unsigned.
pub type U2 = TinyInt<2, false>;
/// Four bits, unsigned.
pub type U4 = TinyInt<4, false>;
/// OCP MX `E2M1`: ±0, 0.5, 1, 1.5, 2, 3, 4, 6.
pub type F4E2M1FN = TinyFloat<2, 1, FINITE>;
/// OCP MX `E2M3`.
pub type F6E2M3FN = TinyFloat<2, 3, FINITE>;
/// OCP MX `E3M2`.
pub type F6E3M2FN = TinyFloat<3, 2, FINITE>;
/// As IEEE 754 would have it with three exponent bits.
pub type F8E3M4 = TinyFloat<3, 4, IEEE>;
/// As IEEE 754 would have it with four exponent bits.
pub type F8E4M3 = TinyFloat<4, 3, IEEE>;
/// Four exponent bits, no infinity, no −0, a bias of 11.
pub type F8E4M3B11FNUZ = TinyFloat<4, 3, UNSIGNED_11>;
/// OCP FP8 `E4M3`: no infinity.
pub type F8E4M3FN = TinyFloat<4, 3, NAN>;
/// Four exponent bits, no infinity, no −0.
pub type F8E4M3FNUZ = TinyFloat<4, 3, UNSIGNED>;
/// OCP FP8 `E5M2`: as IEEE 754 would have it with five exponent bits.
pub type F8E5M2 = TinyFloat<5, 2, IEEE>;
/// Five exponent bits, no infinity, no −0.
pub type F8E5M2FNUZ = TinyFloat<5, 2, UNSIGNED>;
