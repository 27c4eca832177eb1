//! The Rust API: the same ops, derivatives and engines as the text language, from Rust.
//!
//! Three ways to compute stand on one stack of tensors, rows and plans. *Direct*: [`Tensor`], a value, and ops on it that run
//! at once. *Eager*: a tensor of a runtime, which remembers what it came from and runs backward. *Traced*: a tensor
//! that stands for a value of a program to be; the program is a module of the language like one read from a file.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod backend;
mod calls;
pub mod direct;
pub mod eager;
#[cfg(any(feature = "cuda", feature = "gpu"))]
pub mod gpus;
mod kept;
mod kernels;
mod operators;
pub mod options;
mod plans;
pub mod traced;
pub mod trap;
mod value;

pub use kernels::Kernels;
pub use tfc_ir::{C32, C64, Code, DType, Element, Error, ErrorClass, Result, Tensor, TypedTensor};

/// What most programs use: `use tfc::prelude::*`.
pub mod prelude {
    pub use crate::backend::{Backend, CpuBackend, Place, Placed};
    pub use crate::direct::*;
    pub use crate::eager::*;
    #[cfg(feature = "cuda")]
    pub use crate::gpus::CudaBackend;
    #[cfg(feature = "gpu")]
    pub use crate::gpus::GpuBackend;
    pub use crate::options;
    pub use crate::traced::*;
    pub use crate::trap::Trap;
    pub use crate::{C32, C64, DType, Element, Error, Result, Tensor, TypedTensor};
}
