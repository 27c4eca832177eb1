//! The leaves of the CPU backends: scalar functions on every dtype ([`scalar`]), vector math ([`vmath`]), factorisations of
//! one matrix ([`linalg`]), Fourier transforms of one line ([`fft`]), and which of them `TFC_CPU` allows ([`limit`]). Nothing here knows plans, fusion, threads or
//! machine code, so that changes to those do not compile hundreds of kernels again.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod choose;
mod digits;
pub mod fft;
pub mod functions;
mod isa;
mod kernel;
pub mod limit;
pub mod linalg;
pub mod outside;
pub mod scalar;
pub mod vmath;

/// What is tested from inside stands beside the code, is compiled with it where assertions are, and is run by `tests/it`.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod inside {
    pub use crate::fft::tests as fft;
    pub use crate::linalg::factor::tests as factor;
    pub use crate::linalg::jacobi::tests as jacobi;
    pub use crate::linalg::lanes::tests as lanes;
    pub use crate::linalg::real::tests as real;
    pub use crate::linalg::spectral::tests as spectral;
    pub use crate::scalar::quotient::tests as quotient;
    pub use crate::scalar::remainder::tests as remainder;
}
