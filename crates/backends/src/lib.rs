//! What runs verified IR: [`interp`], the oracle, one op at a time; and [`cpu`], the compiled engine. Their kernels are those
//! of `tfc-kernels`; [`cpu::choice`] says which of them this machine uses.
//!
//! What an engine compiles is a plan of the crate `tfc-plan`, which knows no engine. Who drives engines knows them as a
//! [`backend::Backend`] each.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod backend;
pub mod cpu;
pub mod interp;
mod outside;

pub use tfc_kernels::outside as function;
use tfc_kernels::{choose, fft, limit, linalg};
pub use tfc_kernels::{scalar, vmath};
pub use tfc_plan::kernels;
