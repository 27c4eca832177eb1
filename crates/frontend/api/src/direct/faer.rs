//! To and from `faer`: matrices of it are views of tensors.
use super::sealed::Sealed;
use faer::MatRef;
use tfc_ir::{Element, Error, Result, Tensor};

/// A tensor as a matrix of `faer`.
pub trait TensorFaerExt: Sealed {
    /// A tensor of two axes as it lies, whatever the strides are; no element is copied.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let a = Tensor::from_rows([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.t().view_mat::<f64>()?[(0, 1)], 3.0);
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1022` where it has another number of axes, `E1025` for another dtype.
    fn view_mat<T: Element>(&self) -> Result<MatRef<'_, T>>;
}
impl TensorFaerExt for Tensor {
    fn view_mat<T: Element>(&self) -> Result<MatRef<'_, T>> {
        let ([m, n], [r, c]) = (self.shape(), self.strides()) else {
            return Err(Error::new("E1022", format!("a matrix has 2 axes, this tensor {}", self.rank()))
                .help("slice or reshape it first"));
        };
        self.iter::<T>()?;
        let data = self.storage::<T>().unwrap_or_default();
        let at = data.as_ptr().wrapping_add(if self.is_empty() { 0 } else { self.offset() });
        // SAFETY: a tensor's elements lie in its storage, which nobody writes and which lives as long as the view borrows
        // the tensor; faer has no other way to take strides that may be negative.
        Ok(unsafe { MatRef::from_raw_parts(at, *m, *n, *r, *c) })
    }
}
/// A matrix as a tensor. Copied: its columns lie apart, in memory that is freed in a way of its own.
///
/// # Errors
/// `E0705` where the memory cannot be had.
pub fn from_mat<T: Element>(m: MatRef<'_, T>) -> Result<Tensor> {
    Tensor::from_fn([m.nrows(), m.ncols()], |i| m[(i[0], i[1])])
}
