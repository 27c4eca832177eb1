//! Element types (TFIR §1). Processors compute with the [wide](DType::WIDE) ones; the *small* ones, of at most two bytes, are
//! stored, moved and converted as they are, and computed with in the [wide type](DType::wide) of each. Of them the
//! [*tiny*](DType::TINY) ones are of formats that neither processors nor Rust have.
use crate::small::{self, Format};
use num_complex::Complex;
use std::fmt;

/// An element type. `C32` is a pair of `f32`, `C64` a pair of `f64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum DType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    BF16,
    F16,
    F32,
    F64,
    C32,
    C64,
    I2,
    I4,
    U2,
    U4,
    F4E2M1FN,
    F6E2M3FN,
    F6E3M2FN,
    F8E3M4,
    F8E4M3,
    F8E4M3B11FNUZ,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
}

impl DType {
    /// Every element type: the wide ones, the small ones of one and two bytes, the tiny ones.
    pub const ALL: [DType; 29] = {
        use DType::*;
        [
            Bool,
            I8,
            I16,
            I32,
            I64,
            U8,
            U16,
            U32,
            U64,
            BF16,
            F16,
            F32,
            F64,
            C32,
            C64,
            I2,
            I4,
            U2,
            U4,
            F4E2M1FN,
            F6E2M3FN,
            F6E3M2FN,
            F8E3M4,
            F8E4M3,
            F8E4M3B11FNUZ,
            F8E4M3FN,
            F8E4M3FNUZ,
            F8E5M2,
            F8E5M2FNUZ,
        ]
    };
    /// The types that processors compute with: all but the small ones.
    pub const WIDE: [DType; 9] = {
        use DType::*;
        [Bool, I32, I64, U32, U64, F32, F64, C32, C64]
    };
    /// The tiny types: small ones of formats of at most eight bits that neither processors nor Rust have. Each element has a byte
    /// of its own.
    pub const TINY: [DType; 14] = {
        use DType::*;
        [
            I2,
            I4,
            U2,
            U4,
            F4E2M1FN,
            F6E2M3FN,
            F6E3M2FN,
            F8E3M4,
            F8E4M3,
            F8E4M3B11FNUZ,
            F8E4M3FN,
            F8E4M3FNUZ,
            F8E5M2,
            F8E5M2FNUZ,
        ]
    };
    /// Names of element types of which there are no tensors: `f8e8m0fnu`, powers of two that scale others, has no zero.
    pub const RESERVED: [&str; 1] = ["f8e8m0fnu"];
    /// Name of the dtype in the text format.
    pub fn name(self) -> &'static str {
        use DType::*;
        match self {
            Bool => "bool",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            BF16 => "bf16",
            F16 => "f16",
            F32 => "f32",
            F64 => "f64",
            C32 => "c32",
            C64 => "c64",
            I2 => "i2",
            I4 => "i4",
            U2 => "u2",
            U4 => "u4",
            F4E2M1FN => "f4e2m1fn",
            F6E2M3FN => "f6e2m3fn",
            F6E3M2FN => "f6e3m2fn",
            F8E3M4 => "f8e3m4",
            F8E4M3 => "f8e4m3",
            F8E4M3B11FNUZ => "f8e4m3b11fnuz",
            F8E4M3FN => "f8e4m3fn",
            F8E4M3FNUZ => "f8e4m3fnuz",
            F8E5M2 => "f8e5m2",
            F8E5M2FNUZ => "f8e5m2fnuz",
        }
    }
    /// The type of that name.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|d| d.name() == name)
    }
    /// Whether the dtype is one of the small ones.
    pub fn is_small(self) -> bool {
        self.wide() != self
    }
    /// Whether the dtype is one of the tiny ones.
    pub fn is_tiny(self) -> bool {
        DType::TINY.contains(&self)
    }
    /// The type in which a small dtype is computed with, which holds each of its values: `i32` for signed integers of at most two
    /// bytes, `u32` for unsigned ones, `f32` for such floats. Others are computed with as they are.
    pub fn wide(self) -> DType {
        use DType::*;
        match self {
            I2 | I4 | I8 | I16 => I32,
            U2 | U4 | U8 | U16 => U32,
            Bool | I32 | I64 | U32 | U64 | F32 | F64 | C32 | C64 => self,
            BF16 | F16 | F4E2M1FN | F6E2M3FN | F6E3M2FN | F8E3M4 | F8E4M3 | F8E4M3B11FNUZ | F8E4M3FN | F8E4M3FNUZ
            | F8E5M2 | F8E5M2FNUZ => F32,
        }
    }
    /// How many bits say which number an element is: fewer than its bytes have for some tiny dtypes, 1 for `bool`.
    pub const fn bits(self) -> u32 {
        use DType::*;
        match self {
            Bool => 1,
            I2 | U2 => 2,
            I4 | U4 | F4E2M1FN => 4,
            F6E2M3FN | F6E3M2FN => 6,
            d => 8 * d.size() as u32,
        }
    }
    /// The format of a small float.
    pub fn format(self) -> Option<Format> {
        use DType::*;
        Some(match self {
            F16 => small::HALF,
            BF16 => small::BRAIN,
            F4E2M1FN => small::F4E2M1FN::FORMAT,
            F6E2M3FN => small::F6E2M3FN::FORMAT,
            F6E3M2FN => small::F6E3M2FN::FORMAT,
            F8E3M4 => small::F8E3M4::FORMAT,
            F8E4M3 => small::F8E4M3::FORMAT,
            F8E4M3B11FNUZ => small::F8E4M3B11FNUZ::FORMAT,
            F8E4M3FN => small::F8E4M3FN::FORMAT,
            F8E4M3FNUZ => small::F8E4M3FNUZ::FORMAT,
            F8E5M2 => small::F8E5M2::FORMAT,
            F8E5M2FNUZ => small::F8E5M2FNUZ::FORMAT,
            _ => return None,
        })
    }
    /// The least and the greatest number of an integer dtype.
    pub fn int_range(self) -> Option<(i128, i128)> {
        let bits = self.bits();
        match self {
            d if d.is_signed() => Some((-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)),
            d if d.is_unsigned() => Some((0, (1i128 << bits) - 1)),
            _ => None,
        }
    }
    /// Bits of the exponent and of the mantissa, the leading one not counted, of a float; of a complex dtype those of its parts.
    pub fn float_bits(self) -> Option<(u32, u32)> {
        match self.real() {
            DType::F32 => Some((8, 23)),
            DType::F64 => Some((11, 52)),
            d => d.format().map(|f| (f.exponent, f.mantissa)),
        }
    }
    /// Whether every number of dtype `d` is one of this one.
    pub fn holds(self, d: DType) -> bool {
        match (d.int_range(), d.float_bits(), self.int_range(), self.float_bits()) {
            _ if d == self => true,
            (Some((low, high)), _, Some((least, most)), _) => least <= low && high <= most,
            (Some((_, high)), _, None, Some((_, m))) => high < 1 << (m + 1),
            (None, Some((e, m)), None, Some((f, n))) => e <= f && m <= n && d.is_complex() <= self.is_complex(),
            _ => false,
        }
    }
    /// Unit in the last place of 1, of a float or of the parts of a complex dtype; 0 for others.
    pub fn epsilon(self) -> f64 {
        self.float_bits().map_or(0.0, |(_, mantissa)| (-f64::from(mantissa)).exp2())
    }
    /// Size of one element in bytes: a tiny one has a byte of its own.
    pub const fn size(self) -> usize {
        use DType::*;
        match self {
            Bool | I8 | U8 => 1,
            I16 | U16 | BF16 | F16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 | C32 => 8,
            C64 => 16,
            _ => 1,
        }
    }
    /// Real floating point.
    pub fn is_float(self) -> bool {
        matches!(self.wide(), DType::F32 | DType::F64)
    }
    /// Complex.
    pub fn is_complex(self) -> bool {
        matches!(self, DType::C32 | DType::C64)
    }
    /// Floating or complex: the types that carry derivatives.
    pub fn is_inexact(self) -> bool {
        self.is_float() || self.is_complex()
    }
    /// Floating or complex, of 32 bits at least: what matrices are factored in.
    pub fn is_field(self) -> bool {
        self.is_inexact() && !self.is_small()
    }
    /// Signed or unsigned integer (not `bool`).
    pub fn is_int(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }
    /// An integer that says where something is: one of 32 or 64 bits.
    pub fn is_index(self) -> bool {
        self.is_int() && !self.is_small()
    }
    /// Signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self.wide(), DType::I32 | DType::I64)
    }
    /// Unsigned integer.
    pub fn is_unsigned(self) -> bool {
        matches!(self.wide(), DType::U32 | DType::U64)
    }
    /// The type of the real part: `f32` for `c32`, `f64` for `c64`, itself for others.
    pub fn real(self) -> DType {
        match self {
            DType::C32 => DType::F32,
            DType::C64 => DType::F64,
            d => d,
        }
    }
    /// The complex type whose parts have this type, for `f32` and `f64`.
    pub fn complex(self) -> Option<DType> {
        match self {
            DType::F32 => Some(DType::C32),
            DType::F64 => Some(DType::C64),
            _ => None,
        }
    }
}
impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The upper half of an `f32`.
pub use half::bf16 as BF16;
/// IEEE 754 binary16.
pub use half::f16 as F16;
/// Pair of `f32`.
pub type C32 = Complex<f32>;
/// Pair of `f64`.
pub type C64 = Complex<f64>;
