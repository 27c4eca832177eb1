//! Tensors of random numbers.
use super::sealed::Sealed;
use crate::calls::placed;
use tfc_frontend::data::random::{Distribution, generate};
use tfc_ir::{DType, Result, Tensor};

/// Random numbers by Philox 4×32-10 (Salmon et al. 2011): those of the command line's `randn:SEED` and `uniform:SEED`. Equal seeds give equal
/// numbers, in logical order, for ever and on every machine.
pub trait TensorRandom: Sealed + Sized {
    /// Normal deviates of mean 0 and variance 1; of a complex dtype, both parts.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let w = Tensor::randn(DType::F32, [784, 10], 7)?;
    /// assert_eq!((w.dtype(), w.shape()), (DType::F32, &[784, 10][..]));
    /// assert!(w.same(&Tensor::randn(DType::F32, [784, 10], 7)?) && !w.same(&Tensor::randn(DType::F32, [784, 10], 8)?));
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E0606` for a dtype that is neither floating nor complex, `E0406` and `E0705` for more elements than there is room for.
    fn randn(dtype: DType, shape: impl AsRef<[usize]>, seed: u64) -> Result<Self>;
    /// Uniform on `[0, 1)`; of a complex dtype, both parts.
    ///
    /// # Errors
    /// As [`TensorRandom::randn`].
    fn uniform(dtype: DType, shape: impl AsRef<[usize]>, seed: u64) -> Result<Self>;
}
impl TensorRandom for Tensor {
    #[track_caller]
    fn randn(dtype: DType, shape: impl AsRef<[usize]>, seed: u64) -> Result<Tensor> {
        placed(generate(Distribution::Normal, seed, dtype, shape.as_ref()))
    }
    #[track_caller]
    fn uniform(dtype: DType, shape: impl AsRef<[usize]>, seed: u64) -> Result<Tensor> {
        placed(generate(Distribution::Uniform, seed, dtype, shape.as_ref()))
    }
}
