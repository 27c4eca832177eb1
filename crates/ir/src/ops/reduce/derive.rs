//! Forward derivatives of the reductions that are not linear.
use super::{REDUCE_PROD, expand, reduce};
use crate::builder::Builder;
use crate::derive::Linearizer;
use crate::diag::Result;
use crate::func::{OpId, ValueId};
use crate::ops::control::{Gather, ScanDims};

/// `reduce_max`, `reduce_min`: the tangents of the elements that are extreme, shared evenly.
pub(super) fn lin_extremum(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let y = cx.copy_primal(o)?[0];
    let Some(dx) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let x = cx.primal(op.operands[0])?;
    let axes = op.attrs.indices("axes");
    let share = share(cx.p(), x, y, &axes)?;
    let share = cx.residual(share)?;
    let t = cx.t();
    let dx = t.mul(share, dx)?;
    let dy = t.reduce_sum(dx, &axes)?;
    cx.set_tangent(op.results[0], Some(dy))
}
/// 1 / (number of extreme elements) at each of them, 0 elsewhere.
fn share(b: &mut Builder, x: ValueId, y: ValueId, axes: &[usize]) -> Result<ValueId> {
    let ty = b.ty(x);
    let extreme = expand(b, y, &ty, axes)?;
    let hit = b.eq(x, extreme)?;
    let hit = b.convert(hit, ty.dtype)?;
    let ties = b.reduce_sum(hit, axes)?;
    let ties = expand(b, ties, &ty, axes)?;
    let share = b.div(hit, ties)?;
    Ok(b.hint(share, "share"))
}
/// `reduce_prod`: sum of each tangent times the product of all *other* elements, one axis after the other.
pub(super) fn lin_prod(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    cx.copy_primal(o)?;
    let Some(mut d) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let mut x = cx.primal(op.operands[0])?;
    let mut axes = op.attrs.indices("axes");
    axes.sort_unstable();
    while let Some(axis) = axes.pop() {
        let others = others(cx.p(), x, axis)?;
        let others = cx.residual(others)?;
        let t = cx.t();
        d = t.mul(others, d)?;
        d = t.reduce_sum(d, &[axis])?;
        if !axes.is_empty() {
            x = reduce(cx.p(), &REDUCE_PROD, x, &[axis])?;
        }
    }
    cx.set_tangent(op.results[0], Some(d))
}
/// At each element, the product of the other elements along `axis`: that of all before times that of all after, in
/// linear time and without a division, so that it is right with zeros and can be differentiated again.
fn others(b: &mut Builder, x: ValueId, axis: usize) -> Result<ValueId> {
    let before = running(b, x, axis, false)?;
    let after = running(b, x, axis, true)?;
    let others = b.mul(before, after)?;
    Ok(b.hint(others, "others"))
}
/// At each element, the product of those before it along `axis`; with `reverse`, of those after it.
fn running(b: &mut Builder, x: ValueId, axis: usize, reverse: bool) -> Result<ValueId> {
    let ty = b.ty(x);
    let element = ty.without(&[axis]);
    let one = b.splat(&element, 1.0)?;
    let body =
        b.region("body", &[(element.clone(), "product"), (element, "x")], |b, p| Ok(vec![b.mul(p[0], p[1])?, p[0]]))?;
    let dims = ScanDims {
        carry: 1,
        length: ty.dims[axis].clone(),
        cut: vec![axis],
        collect: vec![Gather::Stack(axis)],
        reverse,
        ..ScanDims::default()
    };
    Ok(b.scan(&[one, x], &dims, body)?[1])
}
