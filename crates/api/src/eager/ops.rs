//! Methods and operators of eager tensors. Each is a row called through [`EagerRuntime::apply`].
use super::runtime::EagerRuntime;
use super::tensor::EagerTensor;
use crate::calls::{self, Call, placed};
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use tfc_ir::ops::{composite, elementwise as e, reduce, shape};
use tfc_ir::{Attrs, Code, DType, Error, OpDef, Result, Slice};

impl EagerRuntime {
    /// An op with one result.
    #[inline]
    #[track_caller]
    fn one(&self, row: &'static OpDef, operands: &[&EagerTensor]) -> Result<EagerTensor> {
        only(row, placed(self.call_row(row, operands, &Attrs::none(), None))?)
    }
    #[track_caller]
    fn call(&self, call: &Call, operands: &[&EagerTensor]) -> Result<EagerTensor> {
        only(call.row, placed(self.call_row(call.row, operands, &call.attrs, call.types.as_deref()))?)
    }
}
fn only(row: &OpDef, mut results: Vec<EagerTensor>) -> Result<EagerTensor> {
    results.pop().ok_or_else(|| Error::new(Code::E0211, format!("`{}` gives no result", row.name)))
}

macro_rules! unary { ($($(#[$d:meta])* $f:ident $row:path,)*) => { impl EagerTensor { $(
    $(#[$d])* #[doc = concat!("`", stringify!($f), "`, element by element.\n\n# Errors\nThose of the row: dtypes it does not take.")]
    #[track_caller]
    pub fn $f(&self) -> Result<EagerTensor> {
        self.runtime().one(&$row, &[self])
    }
)* } } }
macro_rules! binary { ($($f:ident $row:path,)*) => { impl EagerTensor { $(
    #[doc = concat!("`", stringify!($f), "`, element by element, of two tensors of one dtype and shape.\n\n# Errors\n`E1031` \
        tensors of different runtimes; those of the row: dtypes it does not take, `E0202` and `E0204` where they differ.")]
    #[track_caller]
    pub fn $f(&self, other: &EagerTensor) -> Result<EagerTensor> {
        self.runtime().one(&$row, &[self, other])
    }
)* } } }
unary! {
    neg e::NEG, abs e::ABS, sign e::SIGN, exp e::EXP, exp2 e::EXP2, expm1 e::EXPM1, log e::LOG, log1p e::LOG1P, sqrt e::SQRT,
    rsqrt e::RSQRT, cbrt e::CBRT, sin e::SIN, cos e::COS, tan e::TAN, sinh e::SINH, cosh e::COSH, tanh e::TANH,
    erf e::ERF, floor e::FLOOR, ceil e::CEIL, conj e::CONJ, real e::REAL, imag e::IMAG, not e::NOT,
    /// The logistic function,
    sigmoid e::LOGISTIC,
    silu composite::SILU, softplus composite::SOFTPLUS,
}
binary! {
    add e::ADD, sub e::SUB, mul e::MUL, div e::DIV, rem e::REM, pow e::POW, atan2 e::ATAN2, maximum e::MAX, minimum e::MIN,
    eq e::EQ, ne e::NE, lt e::LT, le e::LE, gt e::GT, ge e::GE, and e::AND, or e::OR, xor e::XOR, complex e::COMPLEX,
}
macro_rules! reductions { ($($f:ident $all:ident $row:path, $what:literal;)*) => { impl EagerTensor { $(
    #[doc = concat!("The ", $what, " over these axes, which are gone in the result.\n\n# Errors\n`E0212` where there is no such \
        axis; those of the row: dtypes it does not take.")]
    #[track_caller]
    pub fn $f(&self, axes: &[usize]) -> Result<EagerTensor> {
        self.runtime().call(&calls::over(&$row, axes), &[self])
    }
    #[doc = concat!("The ", $what, " over all axes: a scalar.\n\n# Errors\nThose of the row: dtypes it does not take.")]
    #[track_caller]
    pub fn $all(&self) -> Result<EagerTensor> {
        self.$f(&(0..self.rank()).collect::<Vec<_>>())
    }
)* } } }
reductions! {
    sum sum_all reduce::REDUCE_SUM, "sum";
    prod prod_all reduce::REDUCE_PROD, "product";
    max max_all reduce::REDUCE_MAX, "greatest element";
    min min_all reduce::REDUCE_MIN, "least element";
    mean mean_all composite::MEAN, "mean";
    logsumexp logsumexp_all composite::LOGSUMEXP, "logarithm of the sum of exponentials";
}
impl EagerTensor {
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
    /// The softmax along an axis.
    ///
    /// # Errors
    /// `E0212` where there is no such axis; `E0203` for a dtype that is not real and floating.
    #[track_caller]
    pub fn softmax(&self, axis: usize) -> Result<EagerTensor> {
        self.runtime().call(&calls::along(&composite::SOFTMAX, axis), &[self])
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
    /// Axis `i` of the result is axis `perm[i]` of the tensor.
    ///
    /// # Errors
    /// `E0212` where `perm` does not list every axis once.
    #[track_caller]
    pub fn transpose(&self, perm: &[usize]) -> Result<EagerTensor> {
        self.runtime().call(&calls::transpose(perm), &[self])
    }
    /// The tensor with its axes in the opposite order.
    ///
    /// # Errors
    /// None of its own.
    #[track_caller]
    pub fn t(&self) -> Result<EagerTensor> {
        self.transpose(&(0..self.rank()).rev().collect::<Vec<_>>())
    }
    /// The tensor repeated to a shape by NumPy's rule: axes are matched from the last one on, an extent of 1 is repeated.
    ///
    /// # Errors
    /// `E1026` where an extent is neither 1 nor that of the shape.
    #[track_caller]
    pub fn broadcast(&self, to: &[usize]) -> Result<EagerTensor> {
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
    /// The tensor backwards along these axes.
    ///
    /// # Errors
    /// `E0212` where there is no such axis.
    #[track_caller]
    pub fn reverse(&self, axes: &[usize]) -> Result<EagerTensor> {
        self.runtime().call(&calls::over(&shape::REVERSE, axes), &[self])
    }
    /// The tensors one behind the other along an axis.
    ///
    /// # Errors
    /// `E0204` where other extents differ; `E0210` for an empty list; `E1031` tensors of different runtimes.
    #[track_caller]
    pub fn concat(&self, others: &[&EagerTensor], axis: usize) -> Result<EagerTensor> {
        let all: Vec<&EagerTensor> = std::iter::once(self).chain(others.iter().copied()).collect();
        self.runtime().call(&calls::along(&shape::CONCAT, axis), &all)
    }
    /// Sums of products by labelled axes of this tensor and others, as the op `einsum` says.
    ///
    /// ```
    /// # use tfc_api::prelude::*;
    /// let ctx = EagerRuntime::new();
    /// let a = ctx.constant_from(Tensor::from_rows([[1.0, 2.0], [3.0, 4.0]])?);
    /// let v = ctx.constant_from(Tensor::from_rows([1.0, 10.0])?);
    /// assert_eq!(a.einsum(&[&v, &a], "ij,j,kj->ik")?.tensor().to_vec::<f64>()?, [41.0, 83.0, 83.0, 169.0]);
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1200` to `E1204` about the text; `E0202`, `E0204` where dtypes or extents of one label differ; `E1031` tensors of
    /// different runtimes.
    #[track_caller]
    pub fn einsum(&self, others: &[&EagerTensor], spec: &str) -> Result<EagerTensor> {
        let all: Vec<&EagerTensor> = std::iter::once(self).chain(others.iter().copied()).collect();
        self.runtime().call(&calls::einsum(spec), &all)
    }
    /// The element of `yes` where this is true, else that of `no`.
    ///
    /// # Errors
    /// `E0203` where this is not of dtype `bool`, `E0202` and `E0204` where the others differ.
    #[track_caller]
    pub fn select(&self, yes: &EagerTensor, no: &EagerTensor) -> Result<EagerTensor> {
        self.runtime().one(&e::SELECT, &[self, yes, no])
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
    /// Every element `x`, of this dtype and shape; no element is stored more than once.
    #[track_caller]
    fn filled(&self, x: f64) -> Result<EagerTensor> {
        let one = placed(crate::direct::number(self.dtype(), x))?;
        Ok(self.runtime().constant_from(one.broadcast(self.shape())?))
    }
}
macro_rules! operators { ($($trait:ident $f:ident,)*) => { $(
    impl $trait<&EagerTensor> for &EagerTensor {
        type Output = Result<EagerTensor>;
        #[track_caller]
        fn $f(self, other: &EagerTensor) -> Self::Output {
            EagerTensor::$f(self, other)
        }
    }
    impl $trait<EagerTensor> for &EagerTensor {
        type Output = Result<EagerTensor>;
        #[track_caller]
        fn $f(self, other: EagerTensor) -> Self::Output {
            EagerTensor::$f(self, &other)
        }
    }
    impl $trait<&EagerTensor> for EagerTensor {
        type Output = Result<EagerTensor>;
        #[track_caller]
        fn $f(self, other: &EagerTensor) -> Self::Output {
            EagerTensor::$f(&self, other)
        }
    }
    impl $trait<EagerTensor> for EagerTensor {
        type Output = Result<EagerTensor>;
        #[track_caller]
        fn $f(self, other: EagerTensor) -> Self::Output {
            EagerTensor::$f(&self, &other)
        }
    }
    /// The number takes the tensor's dtype.
    impl $trait<f64> for &EagerTensor {
        type Output = Result<EagerTensor>;
        #[track_caller]
        fn $f(self, other: f64) -> Self::Output {
            EagerTensor::$f(self, &self.filled(other)?)
        }
    }
    /// The number takes the tensor's dtype.
    impl $trait<&EagerTensor> for f64 {
        type Output = Result<EagerTensor>;
        #[track_caller]
        fn $f(self, other: &EagerTensor) -> Self::Output {
            EagerTensor::$f(&other.filled(self)?, other)
        }
    }
)* } }
operators! { Add add, Sub sub, Mul mul, Div div, Rem rem, }
impl Neg for &EagerTensor {
    type Output = Result<EagerTensor>;
    #[track_caller]
    fn neg(self) -> Self::Output {
        EagerTensor::neg(self)
    }
}
