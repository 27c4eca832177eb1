//! Direct execution: [`Tensor`](crate::Tensor)s are values, and ops on them run at once, through a [`DirectContext`] that knows
//! the backend and keeps compiled plans. Nothing is remembered for derivatives.
//!
//! On this surface, and no other, operands are repeated to a common shape by NumPy's rule and taken to a common dtype
//! ([`promote`]) first.
//!
//! ```
//! use tfc_api::prelude::*;
//! let mut ctx = DirectContext::new();
//! let a = Tensor::from_rows([[1.0, 2.0], [3.0, 4.0]])?;
//! let b = Tensor::from_rows([10, 20])?;
//! assert_eq!(a.add(&b, &mut ctx)?.to_string(), "f64[2, 2] =\n  [[11.0, 22.0],\n   [13.0, 24.0]]");
//! assert_eq!(a.matmul(&a.t(), &mut ctx)?.to_vec::<f64>()?, [5.0, 11.0, 11.0, 25.0]);
//! # Ok::<(), tfc_api::Error>(())
//! ```
mod context;
#[cfg(feature = "faer")]
mod faer;
mod io;
#[cfg(feature = "ndarray")]
mod ndarray;
mod ops;
mod random;

#[cfg(feature = "faer")]
pub use self::faer::{TensorFaerExt, from_mat, from_owned_mat};
#[cfg(feature = "ndarray")]
pub use self::ndarray::{TensorNdarrayExt, from_array};
pub use crate::calls::promote;
pub use context::DirectContext;
pub use io::{TensorIo, load_named, save_all};
pub use ops::TensorOpsExt;
pub use random::TensorRandom;
pub use tfc_ir::{Number, Rows, Slice};

/// Nobody else implements the traits of this crate: they may grow.
pub(crate) mod sealed {
    pub trait Sealed {}
    impl Sealed for tfc_ir::Tensor {}
    impl<T: tfc_ir::Element> Sealed for tfc_ir::TypedTensor<T> {}
}
