//! Algebraic simplification of elementwise ops. Every rule gives the same value for NaN, both zeros and infinities
//! (TFIR §5); NaN payloads and signs may differ. What is *not* here is as deliberate: `x*0`, `x-x`, `x/x`, `x + 0.0` and, on
//! complex numbers, `x*1` (an infinite part makes the other NaN) stay.
//!
//! A replacement has the type of what it replaces; where extents agree only under a guard, the op stays.
mod logic;
mod numbers;

pub(super) use logic::*;
pub(super) use numbers::*;

use super::*;
use crate::ops::constant::{is_splat, splat_of};

type Simplified = Result<Option<Vec<ValueId>>>;

/// The operands of the op that makes `v`, if it is a `def`.
fn made_by(b: &Builder, v: ValueId, def: &OpDef) -> Option<crate::ValueList> {
    let op = b.func().def_op(v)?;
    op.def.is(def).then(|| op.operands.clone())
}
/// The operand of the unary op `def` that makes `v`.
fn under(b: &Builder, v: ValueId, def: &OpDef) -> Option<ValueId> {
    made_by(b, v, def).and_then(|x| x.first().copied())
}
fn dtype(b: &Builder, v: ValueId) -> DType {
    b.func().ty(v).dtype
}
/// Whether `v` is the constant `x` (bit for bit, so `-0.0` is not `0.0`).
fn is(b: &Builder, v: ValueId, x: f64) -> bool {
    is_splat(b, v, x)
}
/// `v` instead of `op`, if it has the type that `op` would have.
fn keep(b: &Builder, op: &NewOp, v: ValueId) -> Simplified {
    let ty = b.func().ty(v);
    let agrees = match op.declared.as_deref() {
        Some([t]) => t == ty,
        _ => op.operands.iter().all(|&x| b.func().ty(x).is_scalar() || b.func().ty(x).dims == ty.dims),
    };
    Ok(agrees.then(|| vec![v]))
}
/// As [`keep`], for a value that a rule makes.
fn made(b: &Builder, op: &NewOp, v: Result<ValueId>) -> Simplified {
    keep(b, op, v?)
}
/// Whether all operands have one shape, so that any may stand for the result.
fn uniform(b: &Builder, op: &NewOp) -> bool {
    op.operands.windows(2).all(|w| b.func().ty(w[0]).dims == b.func().ty(w[1]).dims)
}
