//! Forward derivatives of the running reductions that are not linear. Each is a linear recurrence along the axis,
//! `d_i = a_i * d_(i-1) + w_i * dx_i`, whose coefficients follow from operand and result.
use super::cumulative::reversed;
use super::permute::shift;
use crate::builder::Builder;
use crate::derive::Linearizer;
use crate::diag::Result;
use crate::func::{OpId, ValueId};
use crate::ops::control::{Gather, ScanDims};
use crate::types::Type;

/// Along which axis, and from which end.
#[derive(Clone, Copy)]
struct Walk {
    axis: usize,
    reverse: bool,
}
impl Walk {
    fn of(cx: &Linearizer, o: OpId) -> Walk {
        let attrs = &cx.src.op(o).attrs;
        Walk { axis: attrs.int("axis") as usize, reverse: reversed(attrs) }
    }
    /// At each element the one before it on the walk, `first` where there is none.
    fn before(self, b: &mut Builder, x: ValueId, first: f64) -> Result<ValueId> {
        let edge = b.splat(&Type::scalar(b.func().ty(x).dtype), first)?;
        shift(b, x, self.axis, self.reverse, edge)
    }
    /// `s_i = a_i * s_(i-1) + u_i`, starting from 0.
    fn recur(self, b: &mut Builder, a: ValueId, u: ValueId) -> Result<ValueId> {
        let ty = b.ty(u);
        let element = ty.without(&[self.axis]);
        let zero = b.zeros(&element)?;
        let params = [(element.clone(), "sum"), (element.clone(), "a"), (element, "u")];
        let body = b.region("body", &params, |b, p| {
            let kept = b.mul(p[1], p[0])?;
            let sum = b.add(kept, p[2])?;
            Ok(vec![sum, sum])
        })?;
        let length = ty.dims[self.axis].clone();
        let (axis, reverse) = (self.axis, self.reverse);
        let dims = ScanDims {
            carry: 1,
            length,
            cut: vec![axis, axis],
            collect: vec![Gather::Stack(axis)],
            reverse,
            ..ScanDims::default()
        };
        Ok(b.scan(&[zero, a, u], &dims, body)?[1])
    }
}
/// The tangent of op `o` by the recurrence with these coefficients, made from operand and result.
fn by_recurrence(
    cx: &mut Linearizer,
    o: OpId,
    coefficients: impl FnOnce(&mut Builder, Walk, ValueId, ValueId) -> Result<(ValueId, ValueId)>,
) -> Result<()> {
    let op = cx.op(o);
    let y = cx.copy_primal(o)?[0];
    let Some(dx) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let (walk, x) = (Walk::of(cx, o), cx.primal(op.operands[0])?);
    let (a, w) = coefficients(cx.p(), walk, x, y)?;
    let (a, w) = (cx.residual(a)?, cx.residual(w)?);
    let t = cx.t();
    let u = t.mul(w, dx)?;
    let dy = walk.recur(t, a, u)?;
    cx.set_tangent(op.results[0], Some(dy))
}
/// `cumprod`: `dy_i = x_i * dy_(i-1) + y_(i-1) * dx_i`.
pub(super) fn lin_prod(cx: &mut Linearizer, o: OpId) -> Result<()> {
    by_recurrence(cx, o, |b, walk, x, y| Ok((x, walk.before(b, y, 1.0)?)))
}
/// `cummax`, `cummin`: the mean of the tangents of the elements that equal the extremum so far. With `c_i` their number,
/// `dy_i = (k_i c_(i-1) / c_i) dy_(i-1) + (h_i / c_i) dx_i`, where `k_i` says whether the extremum stays and `h_i` whether
/// element `i` equals it.
pub(super) fn lin_extremum(cx: &mut Linearizer, o: OpId) -> Result<()> {
    by_recurrence(cx, o, |b, walk, x, y| {
        let dtype = b.ty(x).dtype;
        // Nothing precedes the first element: NaN equals nothing.
        let last = walk.before(b, y, f64::NAN)?;
        let stays = b.eq(y, last)?;
        let stays = b.convert(stays, dtype)?;
        let hit = b.eq(x, y)?;
        let hit = b.convert(hit, dtype)?;
        let ties = walk.recur(b, stays, hit)?;
        let ties = b.hint(ties, "ties");
        let earlier = walk.before(b, ties, 0.0)?;
        let earlier = b.mul(stays, earlier)?;
        Ok((b.div(earlier, ties)?, b.div(hit, ties)?))
    })
}
/// `cumlogsumexp`: `dy_i = exp(y_(i-1) - y_i) dy_(i-1) + exp(x_i - y_i) dx_i`; the two weights add up to 1.
pub(super) fn lin_logsumexp(cx: &mut Linearizer, o: OpId) -> Result<()> {
    by_recurrence(cx, o, |b, walk, x, y| {
        let last = walk.before(b, y, f64::NEG_INFINITY)?;
        Ok((weight(b, last, y)?, weight(b, x, y)?))
    })
}
/// `exp(x - y)`; where `y` is infinite 1 for `x = inf` and 0 for any other, chosen before `exp`, so that no derivative of
/// it computes inf − inf.
fn weight(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    let infinity = b.like(y, f64::INFINITY)?;
    let size = b.abs(y)?;
    let infinite = b.eq(size, infinity)?;
    let top = b.eq(x, infinity)?;
    let (all, none) = (b.like(y, 0.0)?, b.like(y, f64::NEG_INFINITY)?);
    let limit = b.select(top, all, none)?;
    let gap = b.sub(x, y)?;
    let gap = b.select(infinite, limit, gap)?;
    b.exp(gap)
}
