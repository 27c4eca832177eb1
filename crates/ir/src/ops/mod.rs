//! The built-in op rows, by family.
pub mod composite;
pub mod constant;
pub mod contract;
pub mod control;
pub mod derivative;
pub mod elementwise;
pub mod extents;
pub mod fft;
pub mod fused;
pub mod index;
pub mod linalg;
pub mod order;
pub mod random;
pub mod reduce;
pub mod shape;
mod vocab;

use crate::op::Family;

/// Every family of this crate.
pub static FAMILIES: &[Family] = &[
    constant::FAMILY,
    elementwise::FAMILY,
    shape::FAMILY,
    index::FAMILY,
    reduce::FAMILY,
    order::FAMILY,
    contract::FAMILY,
    control::FAMILY,
    extents::FAMILY,
    derivative::FAMILY,
    composite::FAMILY,
    fused::FAMILY,
    linalg::FAMILY,
    linalg::MADE_OF,
    fft::FAMILY,
    random::FAMILY,
];
