//! The spellings of the built-in rows, a table a family.
mod bits;
mod checks;
mod constant;
mod contract;
mod control;
mod conv;
mod elementwise;
mod fft;
mod index;
mod linalg;
mod order;
mod partial;
mod reduce;
mod shape;
mod windows;

use tfc_ir::OpDef;

use crate::write::table::Spelling;

/// Rows and their spellings.
type Rows = &'static [(&'static OpDef, Spelling)];

pub(crate) use partial::PARTIAL;
pub(crate) use shape::diagonal_mask;

pub(crate) const FAMILIES: &[Rows] = &[
    constant::ROWS,
    elementwise::ROWS,
    bits::ROWS,
    shape::ROWS,
    windows::ROWS,
    index::ROWS,
    reduce::ROWS,
    order::ROWS,
    contract::ROWS,
    conv::ROWS,
    control::ROWS,
    checks::ROWS,
    fft::ROWS,
    linalg::ROWS,
];
