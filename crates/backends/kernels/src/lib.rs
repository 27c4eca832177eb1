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
