//! The CPU engine: a function is compiled once into a plan over numbered slots, and the plan runs for every value of its
//! symbolic extents and every layout of its inputs.
//!
//! Transposes, slices, broadcasts and the like are strides; elementwise regions, with reductions at their end, run tile by
//! tile out of L1 ([`Cpu`]); contractions are bound to kernels of their own; loops compute carries and collected values where they belong.
//! Results have the same bits for any number of threads.
//!
//! What is compiled is a plan of the crate `tfc-plan`; kernels are those of `tfc-kernels`, and [`choice`] says which of them
//! this machine uses.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod backend;
pub mod choice;
mod compile;
pub(crate) mod compiled;
pub(crate) mod copy;
pub(crate) mod dot;
pub(crate) mod epilogue;
mod executable;
pub(crate) mod fused;
pub(crate) mod jit;
pub(crate) mod kernel;
mod kernels;
pub(crate) mod machine;
pub(crate) mod nest;
pub(crate) mod ops;
mod options;
pub(crate) mod run;
pub(crate) mod scalars;
#[cfg(debug_assertions)]
pub mod tests;

pub use backend::Native;
pub use executable::{Cpu, Executable};
pub use kernel::{Bound, Kernel, KernelCx, Open, Operand, Placed, Site};
pub use kernels::{Kernels, WholeFn};
pub use options::{CompileOptions, RunOptions};

/// How many threads this process may use: processors that it may run on, or the share of them that it has.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}
/// How many threads run a program for which so many are asked: no more than the process may use, and all of them for 0. More
/// would take turns, and each of them has to be started first.
pub fn threads_of(asked: usize) -> usize {
    match asked {
        1 => 1,
        0 => threads(),
        n => n.min(threads()),
    }
}

/// Turns the mode on in which wrong uses of memory show (`TFC_POISON=1`), for tests that run programs in this process.
#[doc(hidden)]
pub fn poison_memory() {
    machine::poison::turn_on();
}

/// What is tested from inside stands beside the code, is compiled with it where assertions are, and is run by `tests/it`.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod inside {
    pub use crate::choice::tests as choice;
    pub use crate::copy::tests as copy;
    pub use crate::dot::tests as dot;
    pub use crate::fused::blocks::tests as blocks;
    #[cfg(all(target_arch = "x86_64", unix))]
    pub use crate::jit::tests::{audit, bytes, regions, rows};
    pub use crate::ops::radix::tests as radix;
    pub use crate::ops::sort_part::tests as sort_part;
    pub use crate::tests as kernels;
}
