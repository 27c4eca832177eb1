//! The CPU engine: a function is compiled once into a plan over numbered slots, and the plan runs for every value of its
//! symbolic extents and every layout of its inputs.
//!
//! Transposes, slices, broadcasts and the like are strides; elementwise regions, with reductions at their end, run tile by
//! tile out of L1 ([`Cpu`]); contractions are bound to kernels of their own; loops compute carries and collected values where they belong.
//! Results have the same bits for any number of threads.
mod assign;
mod bind_rows;
mod blocks;
mod bound_dot;
mod bound_loop;
mod code;
mod contract;
mod copy;
mod denormal;
mod describe;
mod direct;
mod dot;
mod epilogue;
mod ew;
mod exe;
mod exec;
mod exec_ctl;
mod exec_dot;
pub(crate) mod fold;
mod frame;
mod gather;
mod gemm;
mod hoist;
mod index;
mod linalg;
mod lower;
mod lower_ctl;
mod lower_ew;
mod lower_ops;
mod mem;
mod micro;
mod order;
mod plan;
mod pool;
mod precision;
pub(crate) mod program;
mod radix;
pub(crate) mod region;
mod row_code;
mod rows;
mod scalar_loop;
mod scalar_trips;
mod scalars;
mod scatter;
mod sort;
mod sort_key;
mod space;
#[cfg(test)]
mod tests;
mod walk;

pub use exe::{Cpu, Executable, Kernel, Kernels};
pub use plan::{CompileOptions, RunOptions};

use tfc_ir::{DType, Error};

fn unsupported(d: DType) -> Error {
    Error::new("E0201", format!("`{d}` is reserved, not yet supported"))
}
