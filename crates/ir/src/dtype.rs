//! Element types (TFIR §1). Processors compute with the [wide](DType::WIDE) ones; the *small* ones, of one and two bytes, are
//! stored, moved and converted as they are, and computed with in the [wide type](DType::wide) of each.
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
}

impl DType {
    /// Every element type, in the order of TFIR §1.
    pub const ALL: [DType; 15] = {
        use DType::*;
        [Bool, I8, I16, I32, I64, U8, U16, U32, U64, BF16, F16, F32, F64, C32, C64]
    };
    /// The types that processors compute with: all but the small ones.
    pub const WIDE: [DType; 9] = {
        use DType::*;
        [Bool, I32, I64, U32, U64, F32, F64, C32, C64]
    };
    /// The small types, of one and two bytes.
    pub const SMALL: [DType; 6] = {
        use DType::*;
        [I8, I16, U8, U16, BF16, F16]
    };
    /// Names of element types that belong to the language and of which there are no tensors yet.
    pub const RESERVED: [&str; 7] = ["i4", "u4", "f8e4m3fn", "f8e5m2", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2fnuz"];
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
    /// The type in which a small dtype is computed with, which holds each of its values: `i32` for `i8` and `i16`, `u32` for
    /// `u8` and `u16`, `f32` for `bf16` and `f16`. Others are computed with as they are.
    pub fn wide(self) -> DType {
        match self {
            DType::I8 | DType::I16 => DType::I32,
            DType::U8 | DType::U16 => DType::U32,
            DType::BF16 | DType::F16 => DType::F32,
            d => d,
        }
    }
    /// The least and the greatest number of an integer dtype.
    pub fn int_range(self) -> Option<(i128, i128)> {
        let bits = self.size() as u32 * 8;
        match self {
            d if d.is_signed() => Some((-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)),
            d if d.is_unsigned() => Some((0, (1i128 << bits) - 1)),
            _ => None,
        }
    }
    /// Bits of the exponent and of the mantissa, the leading one not counted, of a float; of a complex dtype those of its parts.
    pub fn float_bits(self) -> Option<(u32, u32)> {
        match self.real() {
            DType::BF16 => Some((8, 7)),
            DType::F16 => Some((5, 10)),
            DType::F32 => Some((8, 23)),
            DType::F64 => Some((11, 52)),
            _ => None,
        }
    }
    /// Unit in the last place of 1, of a float or of the parts of a complex dtype; 0 for others.
    pub fn epsilon(self) -> f64 {
        self.float_bits().map_or(0.0, |(_, mantissa)| (-f64::from(mantissa)).exp2())
    }
    /// Size of one element in bytes.
    pub fn size(self) -> usize {
        use DType::*;
        match self {
            Bool | I8 | U8 => 1,
            I16 | U16 | BF16 | F16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 | C32 => 8,
            C64 => 16,
        }
    }
    /// Real floating point.
    pub fn is_float(self) -> bool {
        matches!(self, DType::BF16 | DType::F16 | DType::F32 | DType::F64)
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
        use DType::*;
        matches!(self, I8 | I16 | I32 | I64)
    }
    /// Unsigned integer.
    pub fn is_unsigned(self) -> bool {
        use DType::*;
        matches!(self, U8 | U16 | U32 | U64)
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
