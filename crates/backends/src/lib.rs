//! What runs verified IR: [`interp`], the oracle, one op at a time; and [`cpu`], the compiled engine. Their kernels are those
//! of `tfc-kernels`; [`cpu::choice`] says which of them this machine uses.
//!
//! What an engine compiles is a `plan`: steps over slots and storages, with fused `region`s cut into phases; what a call
//! knows of extents and strides is in `sizes`. None of the three knows an engine. Who drives engines
//! knows them as a [`backend::Backend`] each.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod backend;
pub mod cpu;
pub mod interp;
pub mod kernels;
mod outside;
mod plan;
mod region;
mod sizes;

use tfc_kernels::{fft, limit, linalg};
pub use tfc_kernels::{scalar, vmath};
