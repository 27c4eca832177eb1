//! Ops with an algorithm of their own, one file a family: the text of their kernels, and how they are launched. Elementwise ops,
//! reductions, views and control flow need none.
pub use tfc_device::steps::{Site, Step};
use tfc_device::steps::{beside, long, misfit, param, step};
use tfc_ir::{OpDef, Result};

use crate::Cpp;
use crate::program::Texts;

mod contract;
mod cumulative;
mod fft;
mod index;
mod jacobi;
mod library;
mod linalg;
mod moves;
mod numbers;
mod positions;
mod radix;
mod reflections;
mod scan;
mod scatter;
mod sort;
mod systems;
mod warps;
mod work;

/// What this backend has for rows.
pub type Steps = tfc_device::steps::Steps<Cpp>;
type Rows = &'static [(&'static OpDef, fn(&Site, &mut Texts) -> Result<Box<dyn Step>>)];

pub(crate) const CORE: &[Rows] = &[
    moves::CORE,
    positions::CORE,
    contract::CORE,
    index::CORE,
    scatter::CORE,
    cumulative::CORE,
    sort::CORE,
    linalg::CORE,
    systems::CORE,
    reflections::CORE,
    jacobi::CORE,
    fft::CORE,
];
