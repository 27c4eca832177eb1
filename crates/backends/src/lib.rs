//! What runs verified IR: [`interp`], the oracle, one op at a time; and [`cpu`], the compiled engine. Their kernels are those
//! of `tfc-kernels`; [`choice`] says which of them this machine uses.
mod assertion;
pub mod choice;
pub mod cpu;
pub mod interp;
mod jit;
mod outside;

use tfc_kernels::{limit, linalg};
pub use tfc_kernels::{scalar, vmath};
