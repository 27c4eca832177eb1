//! Which loop an engine runs for a scalar function of particular dtypes, and about how long it takes: one choice for tapes,
//! generated code and programs of scalars, which therefore agree to the bit.
use tfc_ir::{DType, ScalarOp};

use crate::kernel::{Kernel, KernelFn};
use crate::{outside, scalar, vmath};

/// A loop for a function.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The loop.
    pub f: KernelFn,
    /// Estimated time of an element in picoseconds.
    pub picoseconds: u64,
}
/// The loop whose bits are the oracle's: the scalar library's, or that of a function from outside. `None` where the op is not
/// defined on these dtypes.
pub fn exact(op: ScalarOp, from: &[DType], to: DType) -> Option<Kernel> {
    match op {
        ScalarOp::Outside(f) => outside::kernel(f, from, to),
        _ => scalar::kernel(op, from, to),
    }
}
/// The loop of `op` from operands of dtypes `from` to `to`: that of vector math where there is one, otherwise
/// [`exact`]. `None` where the op is not defined on them.
pub fn choose(op: ScalarOp, from: &[DType], to: DType) -> Option<Choice> {
    let exact = exact(op, from, to)?;
    let size = to.size() as u64;
    let vector = if from.iter().all(|&d| d == to) { vmath::kernel(op, to) } else { None };
    Some(match vector {
        Some(f) => Choice { f, picoseconds: 120 * size },
        None => {
            let picoseconds = match op {
                ScalarOp::Outside(f) => 30 * size * u64::from(f.cost),
                _ if exact.cheap => 30 * size,
                _ => 6000,
            };
            Choice { f: exact.f, picoseconds }
        }
    })
}
