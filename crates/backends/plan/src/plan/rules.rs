//! How ops enter a plan, as a table by row: views, regions, control, and what differs from a step with a kernel, which every
//! other row becomes.
use std::collections::HashMap;
use std::sync::OnceLock;

use tfc_ir::hash::WordHash;
use tfc_ir::{OpDef, ops};

use super::build::Rule;
use super::{steps, views};

/// The rule of a row: of that row, not of that name. An outside row may have the name of a built-in one (in an op set that
/// holds it instead), with attributes and result types of its own, for which the built-in rule would compute addresses.
pub(crate) fn rule(def: &'static OpDef) -> Option<Rule> {
    static TABLE: OnceLock<HashMap<usize, Rule, WordHash>> = OnceLock::new();
    let key = |d: &OpDef| std::ptr::from_ref(d) as usize;
    TABLE.get_or_init(|| RULES.iter().map(|r| (key(r.0), r.1)).collect()).get(&key(def)).copied()
}

/// Whether it is a row of linear algebra, whose kernels take matrices column by column.
pub(crate) fn of_matrices(def: &'static OpDef) -> bool {
    ops::linalg::FAMILY.iter().any(|row| std::ptr::eq(*row, def))
}

static RULES: &[(&OpDef, Rule)] = &[
    (&ops::constant::CONST, |l, o| l.constant_op(o)),
    (&ops::constant::LOAD, |l, o| l.load_op(o)),
    (&ops::constant::IOTA, steps::iota),
    (&ops::fused::FUSED, |l, o| l.fused(o)),
    (&ops::reduce::REDUCE_SUM, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_PROD, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_MAX, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_MIN, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_AND, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_OR, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_XOR, |l, o| l.reduce(o)),
    (&ops::control::STOP_GRADIENT, views::alias),
    (&ops::shape::TRANSPOSE, views::transpose),
    (&ops::shape::BROADCAST_IN_DIM, views::broadcast),
    (&ops::shape::RESHAPE, views::reshape),
    (&ops::shape::SLICE, views::slice),
    (&ops::shape::REVERSE, views::reverse),
    (&ops::shape::TAKE_PREFIX, views::prefix),
    (&ops::shape::DYNAMIC_SLICE, views::dynamic_slice),
    (&ops::shape::EXTRACT_DIAG, views::extract_diag),
    (&ops::shape::WINDOWS, views::windows),
    (&ops::elementwise::BITCAST, views::bitcast),
    (&ops::shape::DYNAMIC_UPDATE_SLICE, steps::update),
    (&ops::index::SCATTER, steps::scatter),
    (&ops::index::GATHER, steps::gather),
    (&ops::shape::CONCAT, steps::concat),
    (&ops::contract::DOT_GENERAL, steps::product),
    (&ops::linalg::QR, steps::like_first),
    (&ops::fft::FFT, steps::like_first),
    (&ops::fft::IFFT, steps::like_first),
    (&ops::fft::RFFT, steps::like_first),
    (&ops::fft::IRFFT, steps::like_first),
    (&ops::extents::EXTENT, steps::extent),
    (&ops::extents::GUARD, steps::guard),
    (&ops::control::CALL, |l, o| l.call(o)),
    (&ops::control::CHECKPOINT, |l, o| l.call(o)),
    (&ops::control::COND, |l, o| l.branch(o, super::By::Flag)),
    (&ops::control::SWITCH, |l, o| l.branch(o, super::By::Index)),
    (&ops::control::SCAN, |l, o| l.scan(o)),
    (&ops::control::WHILE, |l, o| l.while_loop(o)),
];
