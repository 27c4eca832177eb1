//! Tensors whose element type is known when Rust compiles: what [`Tensor`] does, without asking for dtypes.
use super::{Element, Iter, Number, Rows, Slice, Tensor};
use crate::diag::Result;
use std::marker::PhantomData;

/// A tensor whose element type is known when Rust compiles.
///
/// ```
/// # use tfc_ir::TypedTensor;
/// let a = TypedTensor::from_rows([[1.0, 2.0], [3.0, 4.0]])?;
/// assert_eq!(a.t().iter().collect::<Vec<f64>>(), [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), tfc_ir::Error>(())
/// ```
#[derive(Clone)]
pub struct TypedTensor<T: Element> {
    inner: Tensor,
    of: PhantomData<T>,
}
impl<T: Element> TypedTensor<T> {
    /// `inner` has this dtype.
    fn of(inner: Tensor) -> Self {
        TypedTensor { inner, of: PhantomData }
    }
    /// `t`, if its dtype is `T`'s.
    pub fn from_tensor(t: Tensor) -> Option<Self> {
        (t.dtype() == T::DTYPE).then(|| Self::of(t))
    }
    /// The untyped tensor.
    pub fn as_tensor(&self) -> &Tensor {
        &self.inner
    }
    /// The untyped tensor.
    pub fn into_tensor(self) -> Tensor {
        self.inner
    }
    /// As [`Tensor::from_vec_col_major`].
    ///
    /// # Errors
    /// The same.
    pub fn from_vec_col_major(shape: impl AsRef<[usize]>, v: Vec<T>) -> Result<Self> {
        Tensor::from_vec_col_major(shape, v).map(Self::of)
    }
    /// As [`Tensor::from_vec_row_major`].
    ///
    /// # Errors
    /// The same.
    pub fn from_vec_row_major(shape: impl AsRef<[usize]>, v: Vec<T>) -> Result<Self> {
        Tensor::from_vec_row_major(shape, v).map(Self::of)
    }
    /// As [`Tensor::from_rows`].
    ///
    /// # Errors
    /// The same.
    pub fn from_rows<R: Rows<Element = T>>(rows: R) -> Result<Self> {
        Tensor::from_rows(rows).map(Self::of)
    }
    /// As [`Tensor::from_fn`].
    ///
    /// # Errors
    /// The same.
    pub fn from_fn(shape: impl AsRef<[usize]>, f: impl FnMut(&[usize]) -> T) -> Result<Self> {
        Tensor::from_fn(shape, f).map(Self::of)
    }
    /// Every element `x`.
    ///
    /// # Errors
    /// As [`Tensor::full`].
    pub fn full(shape: impl AsRef<[usize]>, x: T) -> Result<Self> {
        Tensor::full(shape.as_ref(), x).map(Self::of)
    }
    /// Zeros (`false`).
    ///
    /// # Errors
    /// As [`Tensor::full`].
    pub fn zeros(shape: impl AsRef<[usize]>) -> Result<Self> {
        Self::full(shape, T::default())
    }
    /// Ones (`true`).
    ///
    /// # Errors
    /// As [`Tensor::full`].
    pub fn ones(shape: impl AsRef<[usize]>) -> Result<Self> {
        Tensor::ones(T::DTYPE, shape.as_ref()).map(Self::of)
    }
    /// The identity matrix of `n` rows.
    ///
    /// # Errors
    /// As [`Tensor::full`].
    pub fn eye(n: usize) -> Result<Self> {
        Tensor::eye(T::DTYPE, n).map(Self::of)
    }
    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.inner.shape()
    }
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.inner.rank()
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.inner.len()
    }
    /// Whether the tensor has no element.
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }
    /// The element at `index`, or `None` outside.
    pub fn get(&self, index: &[usize]) -> Option<T> {
        self.inner.get(index)
    }
    /// The only element of a tensor with one.
    pub fn item(&self) -> Option<T> {
        self.inner.item()
    }
    /// Elements in logical order.
    pub fn to_logical(&self) -> Vec<T> {
        self.inner.to_logical().unwrap_or_default()
    }
    /// As [`Tensor::as_slice`].
    ///
    /// # Errors
    /// `E1024`.
    pub fn as_slice(&self) -> Result<&[T]> {
        self.inner.as_slice()
    }
    /// The elements in logical order (last axis fastest).
    pub fn iter(&self) -> Iter<'_, T> {
        // The storage is of this type: `of` is given nothing else.
        Iter::over(&self.inner, self.inner.storage().unwrap_or_default())
    }
    /// As [`Tensor::slice`].
    ///
    /// # Errors
    /// The same.
    pub fn slice(&self, slices: &[Slice]) -> Result<Self> {
        self.inner.slice(slices).map(Self::of)
    }
    /// As [`Tensor::transpose`].
    ///
    /// # Errors
    /// The same.
    pub fn transpose(&self, perm: &[usize]) -> Result<Self> {
        self.inner.transpose(perm).map(Self::of)
    }
    /// The tensor with its axes in the opposite order.
    pub fn t(&self) -> Self {
        Self::of(self.inner.t())
    }
    /// As [`Tensor::reverse`].
    ///
    /// # Errors
    /// The same.
    pub fn reverse(&self, axes: &[usize]) -> Result<Self> {
        self.inner.reverse(axes).map(Self::of)
    }
    /// As [`Tensor::reshape`]: first axis fastest.
    ///
    /// # Errors
    /// The same.
    pub fn reshape(&self, shape: impl AsRef<[usize]>) -> Result<Self> {
        self.inner.reshape(shape).map(Self::of)
    }
    /// As [`Tensor::reshape_c`]: last axis fastest.
    ///
    /// # Errors
    /// The same.
    pub fn reshape_c(&self, shape: impl AsRef<[usize]>) -> Result<Self> {
        self.inner.reshape_c(shape).map(Self::of)
    }
    /// As [`Tensor::broadcast`].
    ///
    /// # Errors
    /// The same.
    pub fn broadcast(&self, shape: impl AsRef<[usize]>) -> Result<Self> {
        self.inner.broadcast(shape).map(Self::of)
    }
}
impl<T: Number> TypedTensor<T> {
    /// As [`Tensor::arange`].
    ///
    /// # Errors
    /// The same.
    pub fn arange(start: T, stop: T, step: T) -> Result<Self> {
        Tensor::arange(start, stop, step).map(Self::of)
    }
}
impl TypedTensor<f64> {
    /// As [`Tensor::linspace`].
    ///
    /// # Errors
    /// The same.
    pub fn linspace(start: f64, stop: f64, n: usize) -> Result<Self> {
        Tensor::linspace(start, stop, n).map(Self::of)
    }
}
impl<T: Element> From<TypedTensor<T>> for Tensor {
    fn from(t: TypedTensor<T>) -> Tensor {
        t.inner
    }
}
impl<T: Element> TryFrom<Tensor> for TypedTensor<T> {
    type Error = crate::Error;
    /// `t`, if its dtype is `T`'s; `E1025` otherwise.
    fn try_from(t: Tensor) -> Result<Self> {
        if t.dtype() == T::DTYPE { Ok(Self::of(t)) } else { Err(t.other_dtype(T::DTYPE)) }
    }
}
