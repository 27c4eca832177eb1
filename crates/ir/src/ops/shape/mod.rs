//! Shape ops: the same elements at other places. All are linear in their tensor operands and derive by being applied to
//! tangents; none does arithmetic on elements.
mod axes;
mod diagonal;
mod dynamic;
mod sliding;
mod window;

use crate::code::Code;
pub use axes::{BROADCAST_IN_DIM, RESHAPE, TRANSPOSE};
pub(crate) use diagonal::matrix;
pub use diagonal::{EMBED_DIAG, EXTRACT_DIAG, TRIL, TRIU};
pub use dynamic::{DYNAMIC_SLICE, DYNAMIC_UPDATE_SLICE};
pub(crate) use sliding::Sliding;
pub use sliding::{OVERLAP_ADD, WINDOWS};
pub use window::{CONCAT, PAD, PAD_SUFFIX, REVERSE, SLICE, TAKE_PREFIX, interiors, strides};
pub(crate) use window::{dilated, pad};

use super::constant::CONST;
use crate::attr::{Attr, Attrs};
use crate::batch::{Batched, Batcher, along, trailing};
use crate::builder::Builder;
use crate::derive::{Linearizer, Transposer};
use crate::diag::{Error, Part, Result};
use crate::extent::Extent;
use crate::func::{Func, Op, OpId, ValueId};
use crate::infer::InferCx;
use crate::op::*;
use crate::places::{Kept, Places, across, moved};
use crate::tensor::Tensor;
use crate::types::Type;

/// The rows.
pub static FAMILY: Family = &[
    &RESHAPE,
    &TRANSPOSE,
    &BROADCAST_IN_DIM,
    &SLICE,
    &PAD,
    &CONCAT,
    &REVERSE,
    &DYNAMIC_SLICE,
    &DYNAMIC_UPDATE_SLICE,
    &TAKE_PREFIX,
    &PAD_SUFFIX,
    &EXTRACT_DIAG,
    &EMBED_DIAG,
    &TRIL,
    &TRIU,
    &WINDOWS,
    &OVERLAP_ADD,
];

/// A list attribute does not have one entry per axis.
pub(crate) fn wrong_length(name: &'static str, got: usize, rank: usize) -> Error {
    let s = if got == 1 { "y" } else { "ies" };
    Error::new(Code::E0228, format!("`{name}` has {got} entr{s} for rank {rank}"))
        .attr(name)
        .help(format!("`{name}` takes one entry per axis of the operand"))
}
/// The extents of attribute `name`, one per axis.
pub(crate) fn extents_per_axis(cx: &InferCx, name: &'static str, rank: usize) -> Result<Vec<Extent>> {
    let v = cx.attrs().extents(name).to_vec();
    if v.len() != rank {
        return Err(wrong_length(name, v.len(), rank));
    }
    Ok(v)
}
/// The written result type: its dtype is the operand's.
pub(crate) fn written(cx: &InferCx) -> Result<Type> {
    let (t, x) = (cx.declared()?, cx.ty(0)?);
    if t.dtype != x.dtype {
        return Err(Error::new(
            Code::E0202,
            format!("`{}` keeps the dtype: written {}, operand {}", cx.def().name, cx.show(&t), cx.show(&x)),
        )
        .at(Part::Result(0))
        .help("change the dtype by `convert`"));
    }
    Ok(t)
}
/// The cotangent of an op with one result.
pub(crate) fn cotangent(ct: &[Option<ValueId>]) -> Result<ValueId> {
    ct.first().copied().flatten().ok_or_else(|| Error::bug(Code::E0599, "a transpose rule was run without a cotangent"))
}
/// The transpose of an op that is its own transpose.
pub(crate) fn tr_same(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let attrs = cx.attrs(&op.attrs)?;
    Ok(vec![Some(cx.b.emit1(NewOp::new(op.def, &[cotangent(ct)?]).attrs(attrs))?)])
}
/// Forward rule of an op that is linear in all its floating operands together (`concat`, not `mul`): the op on the
/// tangents, zeros where they are symbolic; indices stay.
pub(crate) fn lin_jointly(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    cx.copy_primal(o)?;
    if op.operands.iter().all(|&x| cx.tangent(x).is_none()) {
        return Ok(());
    }
    let mut xs = vec![];
    for &x in &op.operands {
        xs.push(if cx.src.ty(x).dtype.is_inexact() {
            cx.tangent_or_zero(x)?
        } else {
            let p = cx.primal(x)?;
            cx.residual(p)?
        });
    }
    let attrs = cx.lin_attrs(&op.attrs)?;
    let Some(&y) = op.results.first() else { return Ok(()) };
    let ty = cx.tangent_type(y)?;
    let t = cx.t().emit1(NewOp::new(op.def, &xs).attrs(attrs).types(vec![ty]))?;
    cx.set_tangent(y, Some(t))
}

/// The type that a row to be simplified has written.
pub(crate) fn declared(new: &NewOp) -> Option<&Type> {
    new.declared.as_deref().and_then(|d| d.first())
}
/// Is the op to be built without effect on its first operand? (The written type, if any, is that of the operand.)
pub(crate) fn unchanged(b: &Builder, new: &NewOp) -> Option<Vec<ValueId>> {
    let x = *new.operands.first()?;
    declared(new).is_none_or(|t| t == b.func().ty(x)).then(|| vec![x])
}
/// The one element of a constant whose elements are all written as one.
pub(crate) fn splat_tensor(b: &Builder, v: ValueId) -> Option<Tensor> {
    let op = b.func().def_op(v)?;
    if !op.def.is(&CONST) {
        return None;
    }
    op.attrs.tensor("splat").or_else(|| op.attrs.tensor("value").filter(|t| t.rank() == 0)).cloned()
}
/// A constant of type `ty` with that element.
pub(crate) fn splat_const(b: &mut Builder, t: Tensor, ty: &Type) -> Result<ValueId> {
    let key = if ty.is_scalar() { "value" } else { "splat" };
    b.emit1(NewOp::new(&CONST, &[]).attr(key, Attr::Tensor(t)).types(vec![ty.clone()]))
}
/// Attributes of one list of integers.
pub(crate) fn ints(name: &'static str, v: &[usize]) -> Attrs {
    Attrs::of([(name, Attr::ints(v))])
}
