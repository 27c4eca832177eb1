//! Element types. The list is frozen (TFIR §1); version 1.0 computes with [`DType::is_supported`] ones and can name the rest.
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
    /// The types that programs can compute with.
    pub const SUPPORTED: [DType; 9] = {
        use DType::*;
        [Bool, I32, I64, U32, U64, F32, F64, C32, C64]
    };
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
    /// Whether programs can compute with the dtype (TFIR §1).
    pub fn is_supported(self) -> bool {
        DType::SUPPORTED.contains(&self)
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
    /// Signed or unsigned integer (not `bool`).
    pub fn is_int(self) -> bool {
        self.is_signed() || self.is_unsigned()
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

/// Pair of `f32`.
pub type C32 = Complex<f32>;
/// Pair of `f64`.
pub type C64 = Complex<f64>;
