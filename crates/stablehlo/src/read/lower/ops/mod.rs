//! What each op becomes: tables from names to functions that emit, one file a family. The only place that names ops.
mod broadcast;
mod checks;
mod collectives;
mod contract;
mod control;
mod custom;
mod dynamic;
mod elementwise;
mod enzyme;
mod factors;
mod fft;
pub(super) mod forms;
mod index;
mod linalg;
mod norm;
mod order;
mod random;
mod reduce;
mod region;
mod rounding;
mod shape;
mod window;

pub(super) use dynamic::follow;
pub(super) use rounding::Rounding;

use super::super::ast::Op;
use super::func::{FuncCx, Slot};
use super::{Made, Stop};
use crate::spelling::BOTH_WAYS;
use std::collections::HashMap;
use std::sync::LazyLock;
use tfc_ir::{Code, Diagnostic, OpDef, ValueId};

/// Emits an op on tensors.
pub(super) type OnValues = for<'a> fn(&mut FuncCx<'a>, &'a Op<'a>, &[ValueId]) -> Made<Vec<ValueId>>;
/// Emits an op on tensors and tuples.
pub(super) type OnSlots = for<'a> fn(&mut FuncCx<'a>, &'a Op<'a>, Vec<Slot>) -> Made<Vec<Slot>>;

/// How an op is emitted.
#[derive(Clone, Copy)]
pub(super) enum Emit {
    /// The op is this row, elementwise, without attributes.
    Row(&'static OpDef),
    /// Elementwise: what it does to scalars it does to tensors.
    Each(OnValues),
    /// Anything else on tensors.
    Whole(OnValues),
    /// Takes or gives tuples.
    Slots(OnSlots),
}
type Table = &'static [(&'static str, Emit)];

static TABLE: LazyLock<HashMap<&'static str, Emit>> = LazyLock::new(|| {
    let all: [Table; 18] = [
        elementwise::OPS,
        shape::OPS,
        index::OPS,
        reduce::OPS,
        order::OPS,
        random::OPS,
        control::OPS,
        checks::OPS,
        collectives::OPS,
        custom::OPS,
        linalg::OPS,
        dynamic::OPS,
        enzyme::OPS,
        fft::OPS,
        window::OPS,
        contract::OPS,
        norm::OPS,
        broadcast::OPS,
    ];
    let rows = BOTH_WAYS.iter().map(|&(row, op)| (op, Emit::Row(row)));
    rows.chain(all.into_iter().flatten().copied()).collect()
});

/// How the op of that name is emitted.
pub(super) fn find(name: &str) -> Option<&'static Emit> {
    TABLE.get(name)
}
/// The names of all ops that are read, and of the targets of `custom_call`, in order.
pub(in crate::read) fn names() -> Vec<String> {
    let mut all: Vec<String> = TABLE.keys().map(|n| n.to_string()).chain(custom::targets()).collect();
    all.sort_unstable();
    all.dedup();
    all
}
/// Whether the op is a derivative of Enzyme.
pub(super) fn is_enzyme(op: &Op) -> bool {
    enzyme::OPS.iter().any(|o| o.0 == op.name.text)
}
/// Whether the op ends a block.
pub(super) fn is_terminator(name: &str) -> bool {
    matches!(name, "return" | "func.return" | "stablehlo.return" | "chlo.return")
}

/// The diagnostic of an op that is not read.
pub(super) fn unread(op: &Op) -> Diagnostic {
    let name = op.name.text;
    let d = Diagnostic::error(Code::E0240, op.name.span, format!("`{name}` is not read"));
    if name == "stablehlo.rng" {
        let help = "nothing says which numbers it draws: draw them by `rng_bit_generator`, as `jax.random` does";
        return d.help(help);
    }
    d.help(match name.split_once('.').map(|n| n.0) {
        Some("stablehlo" | "chlo" | "func" | "check" | "interpreter" | "sdy") => {
            "this version has no counterpart of it: `tfc check --unsupported` lists all such ops of the file"
        }
        Some(_) => "StableHLO, CHLO and func are read, other dialects are not",
        None => "an op is written `dialect.name`",
    })
}
