//! Tensors in files: `.npy`, `.npz`, `.safetensors`, by the extension.
use super::sealed::Sealed;
use std::path::Path;
use tfc_frontend::data;
use tfc_ir::{Result, Tensor};

/// Reading and writing of a tensor.
pub trait TensorIo: Sealed + Sized {
    /// Reads the only array of a file.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let path = std::env::temp_dir().join(format!("tfc-api-{}.npy", std::process::id()));
    /// let a = Tensor::from_rows([[1.5, 2.5]])?;
    /// a.save(&path)?;
    /// assert!(Tensor::load(&path)?.same(&a));
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E06xx`: the file cannot be read, is damaged, holds several arrays, or elements that programs do not compute with.
    fn load(path: impl AsRef<Path>) -> Result<Self>;
    /// Writes it to a file of its own, which is there whole or not at all.
    ///
    /// # Errors
    /// `E06xx`: the file cannot be written, or the extension names no format.
    fn save(&self, path: impl AsRef<Path>) -> Result<()>;
}
impl TensorIo for Tensor {
    fn load(path: impl AsRef<Path>) -> Result<Tensor> {
        data::load(path.as_ref(), None, None, false)
    }
    fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        save_all(path, &[("data", self)])
    }
}
/// Reads an array by its name from a `.npz` or `.safetensors` file.
///
/// # Errors
/// `E06xx`: as [`TensorIo::load`]; the file has no such array.
pub fn load_named(path: impl AsRef<Path>, name: &str) -> Result<Tensor> {
    data::load(path.as_ref(), Some(name), None, false)
}
/// Writes named tensors to one file, which is there whole or not at all.
///
/// # Errors
/// `E06xx`: as [`TensorIo::save`]; a `.npy` file holds one array.
pub fn save_all(path: impl AsRef<Path>, tensors: &[(&str, &Tensor)]) -> Result<()> {
    data::save(path.as_ref(), tensors)
}
