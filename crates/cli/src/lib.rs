//! The library `tfc`: tensors, programs and derivatives from Rust, and the command line.
//!
//! `use tfc::prelude::*` is what most programs need. [`direct`], [`eager`] and [`traced`] are the three ways to compute; the
//! crates below are there whole, as [`ir`], [`passes`], [`backends`], [`stablehlo`] and [`frontend`], for those who write op families,
//! passes and tools.
//!
//! ```
//! use tfc::prelude::*;
//! let x = TracedTensor::from_vec_col_major([3], vec![1.0_f64, 2.0, 3.0])?;
//! let loss = (&x * &x)?.sum()?;
//! let program = GraphCompiler::new().compile(&loss.grad(&x)?)?;
//! let g = GraphExecutor::new(CpuBackend::new()).run(&program)?;
//! assert_eq!(g.to_logical::<f64>(), Some(vec![2.0, 4.0, 6.0]));
//! # Ok::<(), Error>(())
//! ```
//!
//! The feature `cli`, on unless it is turned off, adds the command line: [`main_with`] is the whole program over a set of
//! ops and kernels, so that a crate with more op families builds its own `tfc` in three lines; and the runner of file tests.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#[cfg(feature = "cli")]
mod args;
#[cfg(feature = "cli")]
mod bind;
#[cfg(feature = "cli")]
mod cmd;
#[cfg(feature = "cli")]
mod deliver;
#[cfg(feature = "cli")]
mod device;
#[cfg(feature = "cli")]
mod engine;
#[cfg(feature = "cli")]
mod entry;
#[cfg(feature = "cli")]
mod exit;
#[cfg(feature = "cli")]
pub mod filetest;
#[cfg(feature = "cli")]
mod limits;
#[cfg(feature = "cli")]
mod page;
#[cfg(feature = "cli")]
mod plot;
#[cfg(feature = "cli")]
mod program;
#[cfg(feature = "cli")]
mod progress;
#[cfg(feature = "cli")]
mod rates;
#[cfg(feature = "cli")]
mod readback;
#[cfg(feature = "cli")]
mod session;
#[cfg(feature = "cli")]
mod start;
#[cfg(feature = "cli")]
mod trace;
#[cfg(feature = "cli")]
mod watchdog;

pub use tfc_api::*;
/// Scalar functions of families from outside.
pub use tfc_kernels::outside as function;
pub use {tfc_frontend as frontend, tfc_ir as ir, tfc_passes as passes, tfc_stablehlo as stablehlo};

/// What runs programs: the engines of every build, and what all engines have in common.
pub mod backends {
    pub use tfc_engine::*;
    pub use {tfc_cpu as cpu, tfc_interp as interp};
}

#[cfg(feature = "cuda")]
pub use tfc_cuda as cuda;
#[cfg(feature = "gpu")]
pub use tfc_gpu as gpu;
#[cfg(feature = "xla")]
pub use tfc_xla as xla;

#[cfg(feature = "cli")]
pub use start::{main_exporting, main_with, runner};

/// The Rust programs of the README and of the book.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/api.md")]
    struct Api;
}

/// What is tested from inside stands beside the code, is compiled with it where assertions are, and is run by `tests/it`.
#[cfg(all(debug_assertions, feature = "cli"))]
#[doc(hidden)]
pub mod inside {
    pub use crate::filetest::directives::tests as directives;
    pub use crate::filetest::expect::tests as expect;
    pub use crate::filetest::snap::tests as snap;
    pub use crate::limits::tests as limits;
    pub use crate::start::tests as start;
}
