//! To and from `faer`: matrices of it are views of tensors.
use super::sealed::Sealed;
use faer::{Mat, MatRef};
use std::ptr::NonNull;
use tfc_ir::storage::Storage;
use tfc_ir::{Code, Element, Error, Result, Tensor};

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
            return Err(Error::new(Code::E1022, format!("a matrix has 2 axes, this tensor {}", self.rank()))
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
/// A matrix that is given away, as a tensor. Its elements stay where they are if its columns follow each other, as those of
/// whole cache lines do and of one column always; otherwise what lies between columns belongs to nobody, and they are copied.
///
/// ```
/// let m = faer::Mat::from_fn(2, 3, |i, j| (10 * i + j) as f64);
/// assert_eq!(tfc_api::direct::from_owned_mat(m)?.to_vec::<f64>()?, [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
/// # Ok::<(), tfc_api::Error>(())
/// ```
///
/// # Errors
/// `E0705` where the memory of a copy cannot be had.
pub fn from_owned_mat<T: Element>(m: Mat<T>) -> Result<Tensor> {
    let (rows, columns) = (m.nrows(), m.ncols());
    let n = rows.saturating_mul(columns);
    let follow = columns <= 1 || usize::try_from(m.col_stride()).is_ok_and(|s| s == rows);
    match NonNull::new(m.as_ptr().cast_mut()) {
        Some(at) if follow && n > 0 => {
            // SAFETY: the matrix has its `n` elements there, one after the other, and keeps them, wherever it is moved, until it
            // is dropped; nobody else has it.
            let s = unsafe { Storage::foreign(at, n, Box::new(m)) }?;
            Tensor::with_strides(&[rows, columns], vec![1, rows as isize], 0, s)
        }
        _ => from_mat(m.as_ref()),
    }
}
/// A matrix as a tensor, copied.
///
/// # Errors
/// `E0705` where the memory cannot be had.
pub fn from_mat<T: Element>(m: MatRef<'_, T>) -> Result<Tensor> {
    Tensor::from_fn([m.nrows(), m.ncols()], |i| m[(i[0], i[1])])
}
