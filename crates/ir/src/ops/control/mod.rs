//! Control flow: `call`, `vmap`, `checkpoint`, `cond`, `switch`, `scan`, `while`, and `stop_gradient`.
mod batch;
mod branch;
pub(crate) mod call;
mod linear;
mod loops;
mod pack;
mod reverse;
mod spaced;
mod vmap;
mod ways;

pub use branch::{COND, SWITCH, nth};
pub use call::{CALL, CHECKPOINT, STOP_GRADIENT};
pub use loops::{Gather, SCAN, ScanDims, WHILE, while_gathers};
pub use pack::{hand, results as handed_on};
pub use spaced::Checkpoint;
pub use vmap::VMAP;

use crate::op::{Family, Port, PortKind};

/// The rows.
pub static FAMILY: Family = &[&CALL, &VMAP, &CHECKPOINT, &STOP_GRADIENT, &COND, &SWITCH, &SCAN, &WHILE];

fn port(
    kind: PortKind,
    operand: Option<usize>,
    params: &[(usize, usize)],
    yields: &[(usize, usize)],
    result: Option<usize>,
) -> Port {
    Port { kind, operand, params: params.to_vec(), yields: yields.to_vec(), result }
}
