//! Tensors in the memory of a device.
use std::sync::Arc;

use tfc_ir::{Code, DType, Error, Result, Tensor};

use crate::backend::upload;
use crate::device::{Device, Ptr};
use crate::run::frame::download;

/// A tensor on a device: its memory is given back when it is dropped.
pub struct Resident {
    device: Arc<dyn Device>,
    held: Option<Ptr>,
    first: Ptr,
    dtype: DType,
    shape: Vec<usize>,
    /// Bytes.
    strides: Vec<isize>,
}
impl Drop for Resident {
    fn drop(&mut self) {
        if let Some(p) = self.held {
            let _turn = self.device.turn();
            self.device.free(p);
        }
    }
}
impl Resident {
    /// A copy of a tensor of the host, the first axis fastest.
    ///
    /// # Errors
    /// `E0705` there is no memory; `E1303` what the device says.
    pub fn upload(device: &Arc<dyn Device>, t: &Tensor) -> Result<Resident> {
        let _turn = device.turn();
        let dense = t.strides() == tfc_ir::tensor::column_major(t.shape());
        let there = match dense {
            true => upload(&**device, t)?,
            false => upload(&**device, &t.dense()?)?,
        };
        let mut made = Resident::place(device, t.dtype(), t.shape());
        made.held = there.map(|p| p.0);
        made.first = there.map_or_else(Ptr::default, |p| p.1);
        Ok(made)
    }
    fn place(device: &Arc<dyn Device>, dtype: DType, shape: &[usize]) -> Resident {
        let size = dtype.size() as isize;
        let strides = tfc_ir::tensor::column_major(shape).iter().map(|s| s * size).collect();
        let shape = shape.to_vec();
        Resident { device: device.clone(), held: None, first: Ptr::default(), dtype, shape, strides }
    }
    /// Memory for a tensor, the first axis fastest; for who has the device.
    pub(crate) fn room(device: &Arc<dyn Device>, dtype: DType, shape: &[usize]) -> Result<Resident> {
        let n: usize = shape.iter().product();
        let mut made = Resident::place(device, dtype, shape);
        if n > 0 {
            made.first = device.alloc(n * dtype.size())?;
            made.held = Some(made.first);
        }
        Ok(made)
    }
    /// A copy on the host, the first axis fastest.
    ///
    /// # Errors
    /// `E0705` there is no memory; `E1303` what the device says.
    pub fn download(&self) -> Result<Tensor> {
        let _turn = self.device.turn();
        download(&*self.device, self.first, self.dtype, &self.shape)
    }
    /// Element type of the tensor.
    pub fn dtype(&self) -> DType {
        self.dtype
    }
    /// Extents of the tensor.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    pub(crate) fn first(&self) -> Ptr {
        self.first
    }
    pub(crate) fn strides(&self) -> &[isize] {
        &self.strides
    }
    /// Checks that the tensor is on that device.
    pub(crate) fn check(&self, device: &Arc<dyn Device>) -> Result<()> {
        if Arc::ptr_eq(&self.device, device) {
            return Ok(());
        }
        let text = format!("a tensor of type {}{:?} lies on another device", self.dtype, self.shape);
        Err(Error::new(Code::E1012, text).help("`download` it there, and `upload` it here: nothing is moved unasked"))
    }
}
