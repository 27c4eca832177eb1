//! What eager tensors offer beyond one method a row: matrix products, changes of shape and dtype, numbers beside tensors; and what the
//! methods of `rows.rs` have in common.
use super::runtime::EagerRuntime;
use super::tensor::EagerTensor;
use crate::calls::{self, Call, common_shape, placed};
use crate::value::{Options, Row, Scalar, element, exact};
use tfc_ir::ops::elementwise::BITCAST;
use tfc_ir::{Attrs, Code, DType, Error, OpDef, Result, Slice, Type};

impl EagerRuntime {
    #[track_caller]
    fn call(&self, call: &Call, operands: &[&EagerTensor]) -> Result<EagerTensor> {
        only(call.row, placed(self.call_row(call.row, operands, &call.attrs, call.types.as_deref()))?)
    }
}
fn only(row: &OpDef, mut results: Vec<EagerTensor>) -> Result<EagerTensor> {
    results.pop().ok_or_else(|| Error::new(Code::E0211, format!("`{}` gives no result", row.name)))
}

/// What a generated method does. The first operand is the tensor that the method is of.
#[track_caller]
pub(super) fn generated(
    row: &Row,
    operands: &[&EagerTensor],
    attrs: Options,
    ty: Option<(DType, &[usize])>,
) -> Result<Vec<EagerTensor>> {
    let run = || {
        let row = row.find()?;
        let attrs = if attrs.is_empty() { Attrs::none() } else { exact(row, attrs)? };
        let types = ty.map(|(dtype, dims)| [Type::exact(dtype, dims)]);
        operands[0].runtime().call_row(row, operands, &attrs, types.as_ref().map(|t| &t[..]))
    };
    placed(run())
}
/// As [`generated`], of an op with `N` results.
#[track_caller]
pub(super) fn generated_n<const N: usize>(
    row: &Row,
    operands: &[&EagerTensor],
    attrs: Options,
    ty: Option<(DType, &[usize])>,
) -> Result<[EagerTensor; N]> {
    let all = generated(row, operands, attrs, ty)?;
    let n = all.len();
    let wrong = |_| Error::new(Code::E0211, format!("`{}` gives {n} results, not {N}", row.name()));
    placed(all.try_into().map_err(wrong))
}
/// As [`generated`], of an op with one result.
#[track_caller]
pub(super) fn generated_1(
    row: &Row,
    operands: &[&EagerTensor],
    attrs: Options,
    ty: Option<(DType, &[usize])>,
) -> Result<EagerTensor> {
    only(row.find()?, generated(row, operands, attrs, ty)?)
}

impl EagerTensor {
    /// An elementwise op on operands that are repeated to one shape.
    #[track_caller]
    pub(super) fn elementwise(row: &Row, operands: &[&EagerTensor]) -> Result<EagerTensor> {
        let first = operands[0];
        if operands.iter().all(|t| t.shape() == first.shape()) {
            return generated_1(row, operands, vec![], None);
        }
        let shape = operands.iter().try_fold(vec![], |s, t| common_shape(&s, t.shape()));
        let shape = placed(shape)?;
        let repeated = operands.iter().map(|t| t.broadcast_to(&shape)).collect::<Result<Vec<_>>>()?;
        generated_1(row, &repeated.iter().collect::<Vec<_>>(), vec![], None)
    }
    /// The sum of all elements.
    ///
    /// # Errors
    /// `E0203` for `bool`.
    #[track_caller]
    pub fn sum(&self) -> Result<EagerTensor> {
        self.reduce_sum((0..self.rank()).collect::<Vec<_>>())
    }
    /// The matrix product; of tensors with further axes before the last two, which must agree, one for each index; of a
    /// vector, the sum over its axis.
    ///
    /// ```
    /// # use tfc_api::prelude::*;
    /// let ctx = EagerRuntime::new();
    /// let a = ctx.constant_from(Tensor::from_rows([[1.0, 2.0], [3.0, 4.0]])?);
    /// let v = ctx.constant_from(Tensor::from_rows([1.0, 10.0])?);
    /// assert_eq!(a.matmul(&v)?.tensor().to_vec::<f64>()?, [21.0, 43.0]);
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1028` shapes without a product; `E0202`, `E0204` where dtypes or extents differ; `E1031` tensors of different runtimes.
    #[track_caller]
    pub fn matmul(&self, other: &EagerTensor) -> Result<EagerTensor> {
        self.runtime().call(&placed(calls::matmul(self.shape(), other.shape()))?, &[self, other])
    }
    /// The same elements under other extents, both read with the first axis fastest.
    ///
    /// # Errors
    /// `E0204` where the number of elements is another.
    #[track_caller]
    pub fn reshape(&self, to: &[usize]) -> Result<EagerTensor> {
        self.runtime().call(&calls::reshape(self.dtype(), to, true), &[self])
    }
    /// The same elements under other extents, both read with the last axis fastest.
    ///
    /// # Errors
    /// `E0204` where the number of elements is another.
    #[track_caller]
    pub fn reshape_c(&self, to: &[usize]) -> Result<EagerTensor> {
        self.runtime().call(&calls::reshape(self.dtype(), to, false), &[self])
    }
    /// The tensor with its axes in the opposite order.
    ///
    /// # Errors
    /// None of its own.
    #[track_caller]
    pub fn t(&self) -> Result<EagerTensor> {
        self.transpose((0..self.rank()).rev().collect::<Vec<_>>())
    }
    /// The tensor repeated to a shape by NumPy's rule: axes are matched from the last one on, an extent of 1 is repeated.
    ///
    /// # Errors
    /// `E1026` where an extent is neither 1 nor that of the shape.
    #[track_caller]
    pub fn broadcast_to(&self, to: &[usize]) -> Result<EagerTensor> {
        // Refuses what does not repeat, in the words of the shapes.
        placed(self.tensor().broadcast(to))?;
        self.runtime().call(&calls::broadcast(self.dtype(), self.shape(), to), &[self])
    }
    /// A part of the tensor, as [`Tensor::slice`](tfc_ir::Tensor::slice).
    ///
    /// # Errors
    /// `E1022`, `E1023` as there.
    #[track_caller]
    pub fn slice(&self, slices: &[Slice]) -> Result<EagerTensor> {
        let mut t = self.clone();
        for call in placed(calls::slice(self.dtype(), self.shape(), slices))? {
            t = self.runtime().call(&call, &[&t])?;
        }
        Ok(t)
    }
    /// As another dtype, as the op `convert` says; derivatives follow.
    ///
    /// # Errors
    /// `E0203` from complex to real.
    #[track_caller]
    pub fn convert(&self, to: DType) -> Result<EagerTensor> {
        if self.dtype() == to {
            return Ok(self.clone());
        }
        self.runtime().call(&calls::convert(to, self.shape()), &[self])
    }
    /// The same bits as elements of another dtype of the same size.
    ///
    /// # Errors
    /// Those of the op `bitcast`.
    #[track_caller]
    pub fn bitcast(&self, to: DType) -> Result<EagerTensor> {
        self.runtime().call(&calls::typed(&BITCAST, to, self.shape()), &[self])
    }
    /// Zeros of this tensor's dtype and shape, as a constant.
    ///
    /// # Errors
    /// None that a tensor could lead to.
    #[track_caller]
    pub fn zeros_like(&self) -> Result<EagerTensor> {
        self.beside(0.0.into())
    }
    /// Ones of this tensor's dtype and shape, as a constant.
    ///
    /// # Errors
    /// None that a tensor could lead to.
    #[track_caller]
    pub fn ones_like(&self) -> Result<EagerTensor> {
        self.beside(1.0.into())
    }
    /// A number as a tensor of this one's dtype and shape; no element is stored more than once.
    #[track_caller]
    pub(crate) fn beside(&self, x: Scalar) -> Result<EagerTensor> {
        let one = placed(element(self.dtype(), x))?;
        Ok(self.runtime().constant_from(one.broadcast(self.shape())?))
    }
}
crate::operators::operators!(EagerTensor);
