//! Traced execution: tensors that stand for values of a program to be.
//!
//! A [`TracedTensor`] is a node of a graph; ops on it check their operands at once and add nodes. [`GraphCompiler`] makes a
//! [`GraphProgram`] of what is asked for, a module of the language, which prints, saves and reads like any other;
//! [`GraphExecutor`] runs it. [`AdContext`] takes derivatives, whose result is traced again.
mod ad;
mod apply;
mod arith;
mod control;
mod derivative;
mod dim;
mod einsum;
mod emit;
mod executor;
mod explain;
mod graph;
mod loops;
mod ops;
mod program;
mod rules;

pub use crate::dims;
pub use crate::plans::CacheStats;
pub use ad::{AdContext, AdContextBuilder, LinearMap, Sparsity, TracedTensorAdExt};
pub use apply::{IntoInts, Value, apply, effect};
pub use arith::Scalar;
pub use control::{Given, Tensors, call, checkpoint, cond, vmap};
pub use derivative::{Derivative, can_be_entry, derivative, mapped};
pub use dim::{Dim, IntoDims};
pub use einsum::GraphCompilerEinsumExt;
pub use executor::{CompiledProgram, GraphExecutor, InputKey};
pub use graph::{Effect, TracedTensor};
pub use loops::{Checkpoint, Loop, fori_loop, scan, while_loop, while_loop_within};
pub use program::{GraphCompiler, GraphProgram, InputSpec, f32s, f64s, load_data, pick, trace};
pub use rules::{custom_jvp, custom_vjp};
