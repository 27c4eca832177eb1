//! Types of StableHLO tensors, all extents known, and how they are written.
use std::fmt;

use tfc_ir::DType;

/// An element type and extents.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ty {
    /// The element type; `bool` is written `i1`.
    pub dtype: DType,
    /// The extents, in logical order.
    pub dims: Vec<usize>,
}
impl Ty {
    /// The type of that element type and shape.
    pub fn new(dtype: DType, dims: impl Into<Vec<usize>>) -> Ty {
        Ty { dtype, dims: dims.into() }
    }
    /// One element.
    pub fn scalar(dtype: DType) -> Ty {
        Ty { dtype, dims: vec![] }
    }
    /// The same shape with another element type.
    pub fn with(&self, dtype: DType) -> Ty {
        Ty { dtype, dims: self.dims.clone() }
    }
    /// The same element type in another shape.
    pub fn shaped(&self, dims: impl Into<Vec<usize>>) -> Ty {
        Ty { dtype: self.dtype, dims: dims.into() }
    }
    /// Without these axes.
    pub fn without(&self, axes: &[usize]) -> Ty {
        self.shaped(tfc_ir::types::without(&self.dims, axes))
    }
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }
    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.dims.contains(&0)
    }
}
impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("tensor<")?;
        for d in &self.dims {
            write!(f, "{d}x")?;
        }
        write!(f, "{}>", element(self.dtype))
    }
}
/// How an element type is written.
pub(crate) fn element(d: DType) -> &'static str {
    match d {
        DType::Bool => "i1",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U8 => "ui8",
        DType::U16 => "ui16",
        DType::U32 => "ui32",
        DType::U64 => "ui64",
        DType::BF16 => "bf16",
        DType::F16 => "f16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::C32 => "complex<f32>",
        DType::C64 => "complex<f64>",
        DType::I2 => "i2",
        DType::I4 => "i4",
        DType::U2 => "ui2",
        DType::U4 => "ui4",
        DType::F4E2M1FN => "f4E2M1FN",
        DType::F6E2M3FN => "f6E2M3FN",
        DType::F6E3M2FN => "f6E3M2FN",
        DType::F8E3M4 => "f8E3M4",
        DType::F8E4M3 => "f8E4M3",
        DType::F8E4M3B11FNUZ => "f8E4M3B11FNUZ",
        DType::F8E4M3FN => "f8E4M3FN",
        DType::F8E4M3FNUZ => "f8E4M3FNUZ",
        DType::F8E5M2 => "f8E5M2",
        DType::F8E5M2FNUZ => "f8E5M2FNUZ",
    }
}
/// `(A, B)`
pub(crate) fn list<'a>(types: impl IntoIterator<Item = &'a Ty>) -> String {
    let all: Vec<String> = types.into_iter().map(Ty::to_string).collect();
    all.join(", ")
}
/// What several results of a generic op are: `T`, or `(T, U)` where there is not exactly one.
pub(crate) fn results(types: &[Ty]) -> String {
    match types {
        [one] => one.to_string(),
        _ => format!("({})", list(types)),
    }
}
