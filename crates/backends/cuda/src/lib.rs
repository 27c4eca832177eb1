//! Programs as CUDA kernels. A function is planned as for every engine (`tfc-plan`); each fused region of the plan, and each
//! step with a kernel, becomes a kernel in CUDA C ([`text`]), which NVRTC compiles and a device runs.
//!
//! * **Text knows no sizes.** Extents and strides are arguments of kernels, so that one text serves every call; two regions
//!   with the same body are one kernel.
//! * **A device is a trait** ([`device::Device`]): memory, copies, launches. One is the driver's. Another one is this machine
//!   ([`host`]): the same text compiled as C++, with blocks and threads one after the other, where every access is checked
//!   to be inside its allocation and against all others since the last barrier.
//! * **Nothing falls back.** What has no kernel is an error before anything runs.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod backend;
mod cache;
pub mod driver;
pub mod host;
mod model;
pub mod nvrtc;
pub mod ops;
pub mod text;

pub use backend::Cuda;
pub use tfc_device::{device, libraries, rehearsal, resident, run};

/// Planned functions and their kernels.
pub mod program {
    pub use tfc_device::program::*;
    /// Kernels written so far.
    pub type Texts = tfc_device::dialect::Texts<crate::backend::Cpp>;
}
pub(crate) use backend::Cpp;

/// What is tested from inside stands beside the code, is compiled with it where assertions are, and is run by `tests/it`.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod inside {
    pub use crate::cache::tests as cache;
    pub use crate::driver::real::tests as libraries;
    pub use crate::nvrtc::tests as nvrtc;
    pub use tfc_device::steps::fft::tests as fft;
}
