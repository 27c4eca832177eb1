//! Ops with an algorithm of their own, one file a family: the text of their kernels, and how they are launched.
use tfc_device::dialect::Texts;
use tfc_device::steps::{Rows, Site, Step};
use tfc_ir::Result;

use crate::backend::Wgsl;

mod contract;
mod fft;
mod index;
mod linalg;
mod order;
mod overlap;
mod positions;

/// A step that has been made, its kernels written.
pub type Made = Result<Box<dyn Step>>;
/// Kernels written so far.
type Written<'a> = &'a mut Texts<Wgsl>;

/// What this backend has for rows.
pub fn core() -> Vec<Rows<Wgsl>> {
    vec![
        contract::core(),
        fft::core(),
        linalg::core(),
        index::core(),
        order::core(),
        overlap::core(),
        positions::core(),
    ]
}
