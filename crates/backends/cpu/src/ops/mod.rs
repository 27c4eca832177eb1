//! Ops with an algorithm of their own, one file a family: its kernels, and which row each is for.
use std::sync::Arc;

use tfc_ir::{Code, Error, OpDef, Result};

use super::kernel::{Kernel, Site};

mod checks;
mod contract;
mod cumulative;
mod fft;
mod gather;
#[cfg(target_arch = "x86_64")]
mod gather_x86;
mod linalg;
mod moves;
mod overlap;
mod positions;
mod precision;
pub(crate) mod radix;
mod scatter;
mod singles;
mod sort;
mod sort_key;
pub(crate) mod sort_part;

/// Makes the kernel of a step.
pub(crate) type Make = fn(&Site) -> Result<Arc<dyn Kernel>>;
/// Rows of a family and how their kernels are made.
type Rows = &'static [(&'static OpDef, Make)];

/// Every family.
pub(crate) const CORE: &[Rows] = &[
    moves::CORE,
    overlap::CORE,
    positions::CORE,
    precision::CORE,
    checks::CORE,
    contract::CORE,
    gather::CORE,
    scatter::CORE,
    cumulative::CORE,
    sort::CORE,
    linalg::CORE,
    fft::CORE,
];

/// An inconsistency that verification excludes.
fn misfit(site: &Site) -> Error {
    Error::bug(Code::E0718, format!("`{}` does not have the operands or regions of its row", site.op().def.name))
}

/// A kernel that a dtype never reaches: verification or the plan has refused it.
fn not_taken(d: tfc_ir::DType) -> tfc_ir::Error {
    tfc_ir::Error::bug(tfc_ir::Code::E0718, format!("a kernel does not take {d}"))
}
