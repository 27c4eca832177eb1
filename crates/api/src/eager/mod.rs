//! Eager execution: ops run when they are called, on tensors that remember what they came from, and derivatives run backward
//! over what has run.
//!
//! Each op goes through a cache of compiled plans ([`EagerRuntime::cache_stats`]); its derivative is that of its row, as a
//! forward plan that keeps residuals and a transposed one. Operands of arithmetic are repeated to one shape, as those of traced
//! tensors; their dtype has to be one.
//!
//! ```
//! use tfc_api::prelude::*;
//! let ctx = EagerRuntime::new();
//! let x = ctx.variable_from(Tensor::from_rows([1.0, 1.0, 1.0])?)?;
//! let loss = (&x * &x)?.sum()?;
//! loss.backward()?;
//! assert_eq!(x.grad()?.to_vec::<f64>()?, [2.0, 2.0, 2.0]);
//! // Gradients add up until they are cleared.
//! loss.backward()?;
//! assert_eq!(x.grad()?.to_vec::<f64>()?, [4.0, 4.0, 4.0]);
//! ctx.clear_grads();
//! assert!(x.grad_optional().is_none());
//! # Ok::<(), tfc_api::Error>(())
//! ```
mod history;
mod ops;
mod profile;
mod rows;
mod runtime;
mod sweep;
mod tensor;

pub use crate::plans::CacheStats;
pub use profile::OpProfile;
pub use runtime::{EagerRuntime, NoGrad};
pub use tensor::EagerTensor;
