//! To and from `ndarray`, without copies.
use super::sealed::Sealed;
use ndarray::{ArrayD, ArrayViewD, Axis, IxDyn, ShapeBuilder};
use tfc_ir::{Code, Element, Error, Result, Tensor};

/// A tensor as a view of `ndarray`.
pub trait TensorNdarrayExt: Sealed {
    /// The elements as they lie, whatever the strides are; no element is copied.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let a = Tensor::from_rows([[1, 2], [3, 4]])?.reverse(&[1])?;
    /// assert_eq!(a.view_nd::<i32>()?, ndarray::arr2(&[[2, 1], [4, 3]]).into_dyn());
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1025` for another dtype.
    fn view_nd<T: Element>(&self) -> Result<ArrayViewD<'_, T>>;
}
impl TensorNdarrayExt for Tensor {
    fn view_nd<T: Element>(&self) -> Result<ArrayViewD<'_, T>> {
        // Positive strides from the lowest address on; axes that go backwards are turned round afterwards.
        let back: Vec<usize> = (0..self.rank()).filter(|&a| self.strides()[a] < 0).collect();
        let lowest = self.reverse(&back)?;
        let strides: Vec<usize> = lowest.strides().iter().map(|s| s.unsigned_abs()).collect();
        self.iter::<T>()?;
        let data = self.storage::<T>().unwrap_or_default();
        let refused = |e: ndarray::ShapeError| {
            Error::new(Code::E1024, format!("ndarray takes no view of these strides: {e}")).help("use `dense()`")
        };
        if self.is_empty() {
            // Strides of nothing would still be held against the length of the storage.
            return ArrayViewD::from_shape(IxDyn(self.shape()), &data[..0]).map_err(refused);
        }
        let shape = IxDyn(self.shape()).strides(IxDyn(&strides));
        let mut view = ArrayViewD::from_shape(shape, &data[lowest.offset()..]).map_err(refused)?;
        back.into_iter().for_each(|a| view.invert_axis(Axis(a)));
        Ok(view)
    }
}
/// An array as a tensor; its elements stay where they are.
///
/// # Errors
/// `E1024` where the array's strides leave its elements, as they do of none that `ndarray` makes.
pub fn from_array<T: Element>(array: ArrayD<T>) -> Result<Tensor> {
    let (shape, strides) = (array.shape().to_vec(), array.strides().to_vec());
    let (data, offset) = array.into_raw_vec_and_offset();
    Tensor::with_strides(&shape, strides, offset.unwrap_or_default(), data)
}
