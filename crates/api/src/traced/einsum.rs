//! Products of traced tensors by labelled axes, as functions of a list of them.
use super::apply::generated_1;
use super::graph::{TracedTensor, placed};
use super::program::GraphCompiler;
use crate::calls::subscripts;
use crate::options;
use crate::value::Row;
use std::panic::Location;
use tfc_ir::{Code, Error, Result};

/// `einsum` of traced tensors, called on a compiler as in tenferro; [`TracedTensor::einsum`] is the same as a method of the
/// first one.
pub trait GraphCompilerEinsumExt {
    /// Sums of products by labelled axes, as the op `einsum` says: `"ij,jk->ik"` is a product of matrices.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let a = TracedTensor::input("a", DType::F64, dims!["m", "k"])?;
    /// let b = TracedTensor::input("b", DType::F64, dims!["k", 3])?;
    /// let x = TracedTensor::input("x", DType::F64, [3])?;
    /// let y = GraphCompiler::new().einsum(&[&a, &b, &x], "ij,jk,k->i")?;
    /// assert_eq!(y.to_string(), "f64[m]");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `E0210` for an empty list; those of the op: `E1200` to `E1204` about the text, `E0202` where dtypes and `E0204` where
    /// extents of one label differ.
    fn einsum(&self, operands: &[&TracedTensor], spec: &str) -> Result<TracedTensor>;
    /// The same with options.
    ///
    /// # Errors
    /// As [`GraphCompilerEinsumExt::einsum`], and those of the options (`E1205`, `E1206`, `E0227`, `E0228`).
    fn einsum_with(&self, operands: &[&TracedTensor], spec: &str, options: options::Einsum) -> Result<TracedTensor>;
    /// The same with numbers as labels: `&[&[0, 1], &[1, 2]], &[0, 2]`.
    ///
    /// # Errors
    /// As [`GraphCompilerEinsumExt::einsum`].
    fn einsum_subscripts(&self, operands: &[&TracedTensor], terms: &[&[u32]], output: &[u32]) -> Result<TracedTensor>;
}
impl GraphCompilerEinsumExt for GraphCompiler {
    #[track_caller]
    fn einsum(&self, operands: &[&TracedTensor], spec: &str) -> Result<TracedTensor> {
        self.einsum_with(operands, spec, options::Einsum::new())
    }
    #[track_caller]
    fn einsum_with(&self, operands: &[&TracedTensor], spec: &str, options: options::Einsum) -> Result<TracedTensor> {
        let place = Location::caller();
        if operands.is_empty() {
            return Err(placed(Error::new(Code::E0210, "`einsum` takes at least 1 operand, not 0"), place));
        }
        static ROW: Row = Row::of("einsum");
        generated_1(&ROW, operands, options.with(vec![("spec", spec.into())]), None, place)
    }
    #[track_caller]
    fn einsum_subscripts(&self, operands: &[&TracedTensor], terms: &[&[u32]], output: &[u32]) -> Result<TracedTensor> {
        self.einsum_with(operands, &subscripts(terms, output), options::Einsum::new())
    }
}
