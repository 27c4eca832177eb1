//! `select` and `clamp`: the predicate and the bounds may be scalars.
use super::simplify as s;
use super::{kind, scalar_or_like, want};
use crate::DType;
use crate::attr::Attrs;
use crate::code::Code;
use crate::derive::{Linearizer, Transposer};
use crate::diag::{Error, Result};
use crate::func::{OpId, ValueId};
use crate::infer::InferCx;
use crate::op::{Batch, Family, Linearize, OpDef, Prepare, Transpose};
use crate::sample::Domain::*;
use crate::sample::{Sample, SampleCx};
use crate::scalar::ScalarOp;
use crate::types::Type;

/// `select`.
pub static SELECT: OpDef = OpDef {
    name: "select",
    doc: "The element of `t` where `p` is true, else that of `f`. `p` is a scalar or has the shape of `t`. Derivative: that of \
          the element chosen.",
    operands: &["p", "t", "f"],
    alike: (1, 3),
    scalar: Some(ScalarOp::Select),
    batch: Batch::Elementwise,
    infer: infer_select,
    linearize: Linearize::Rule(lin_select),
    prepare: Prepare::Calls,
    transpose: Transpose::Rule(tr_select),
    simplify: Some(s::select),
    sample: |cx| both(cx, |p, x| vec![(p.with_dtype(DType::Bool), Any), (x.clone(), Any), (x, Any)]),
    ..OpDef::BASE
};
/// `clamp`.
pub static CLAMP: OpDef = OpDef {
    name: "clamp",
    doc: "`min(max(lo, x), hi)`. The bounds are scalars or have the shape of `x`. Derivative: that of `x` strictly between the \
          bounds, elsewhere that of the bound which is taken.",
    operands: &["lo", "x", "hi"],
    alike: (0, 3),
    scalar: Some(ScalarOp::Clamp),
    batch: Batch::Elementwise,
    infer: infer_clamp,
    linearize: Linearize::Rule(lin_clamp),
    prepare: Prepare::Calls,
    simplify: Some(s::clamp),
    sample: sample_clamp,
    ..OpDef::BASE
};
pub(super) const ROWS: Family = &[&SELECT, &CLAMP];

fn infer_select(cx: &mut InferCx) -> Result<Vec<Type>> {
    let p = cx.ty(0)?;
    if p.dtype != DType::Bool {
        return Err(Error::new(Code::E0203, format!("`select` takes a bool predicate, not {}", p.dtype))
            .operand(0)
            .help("compare it with something: `ne(%p, %zero)`"));
    }
    cx.same_operands(1, 2)?;
    let t = cx.ty(1)?;
    scalar_or_like(cx, 0, &t, 1)?;
    Ok(vec![t])
}
fn infer_clamp(cx: &mut InferCx) -> Result<Vec<Type>> {
    want(cx, 1, &kind::ORDERED)?;
    let t = cx.ty(1)?;
    for i in [0, 2] {
        let bound = cx.ty(i)?;
        if bound.dtype != t.dtype {
            let (a, b) = (cx.show(&bound), cx.show(&t));
            return Err(Error::new(Code::E0202, format!("operands {i} and 1: dtypes differ: {a} and {b}"))
                .operand(i)
                .help("nothing is promoted in the IR: insert `convert`"));
        }
        scalar_or_like(cx, i, &t, 1)?;
    }
    Ok(vec![t])
}

fn lin_select(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    cx.copy_primal(o)?;
    let (t, f) = (op.operands[1], op.operands[2]);
    if cx.tangent(t).is_none() && cx.tangent(f).is_none() {
        return Ok(());
    }
    let p = cx.primal(op.operands[0])?;
    let p = cx.small_residual(p)?;
    let (dt, df) = (cx.tangent_or_zero(t)?, cx.tangent_or_zero(f)?);
    let dy = cx.t().select(p, dt, df)?;
    cx.set_tangent(op.results[0], Some(dy))
}
fn tr_select(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let x = cx.op(o).operands;
    let Some(c) = ct[0] else { return Ok(vec![None; 3]) };
    let p = cx.val(x[0])?;
    for (branch, side) in [(x[1], true), (x[2], false)] {
        if cx.linear(branch) {
            cx.accumulate_where(branch, c, p, side)?;
        }
    }
    Ok(vec![None; 3])
}
/// Inside, the tangent of `x`; elsewhere that of the upper bound where the result is that bound, else of the lower one.
fn lin_clamp(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let y = cx.copy_primal(o)?[0];
    let d = [cx.tangent(op.operands[0]), cx.tangent(op.operands[1]), cx.tangent(op.operands[2])];
    if d.iter().all(Option::is_none) {
        return Ok(());
    }
    let v = cx.primals(&op.operands)?;
    let p = cx.p();
    let ty = p.ty(y);
    let (lo, hi) = (p.broadcast(v[0], &ty, &[])?, p.broadcast(v[2], &ty, &[])?);
    let (above, below) = (p.gt(v[1], lo)?, p.lt(v[1], hi)?);
    let inside = p.and(above, below)?;
    let inside = cx.residual(inside)?;
    let dx = match d[1] {
        Some(dx) => dx,
        None => cx.zero_tangent(op.results[0])?,
    };
    let bounds = match (d[0], d[2]) {
        (None, None) => cx.zero_tangent(op.results[0])?,
        _ => {
            let at_hi = cx.p().eq(y, hi)?;
            let at_hi = cx.residual(at_hi)?;
            let (dlo, dhi) = (spread_tangent(cx, &op, 0)?, spread_tangent(cx, &op, 2)?);
            cx.t().select(at_hi, dhi, dlo)?
        }
    };
    let dy = cx.t().select(inside, dx, bounds)?;
    cx.set_tangent(op.results[0], Some(dy))
}
/// The tangent of bound `i` in the shape of the result, zeros where it has none.
fn spread_tangent(cx: &mut Linearizer, op: &crate::func::Op, i: usize) -> Result<ValueId> {
    let ty = cx.tangent_type(op.results[0])?;
    match cx.tangent(op.operands[i]) {
        Some(d) if cx.t().func().ty(d).is_scalar() => cx.t().broadcast(d, &ty, &[]),
        Some(d) => Ok(d),
        None => cx.t().zeros(&ty),
    }
}
/// Samples with the optional scalar as a scalar, and in full shape.
fn both(cx: &SampleCx, params: impl Fn(Type, Type) -> Vec<(Type, crate::sample::Domain)>) -> Result<Vec<Sample>> {
    let x = cx.ty(&[2, 3]);
    [cx.ty(&[]), x.clone()].into_iter().map(|p| cx.op(&params(p, x.clone()), Attrs::none(), None)).collect()
}
fn sample_clamp(cx: &SampleCx) -> Result<Vec<Sample>> {
    let (lo, hi) = match cx.dtype {
        d if d.is_complex() => return Ok(vec![]),
        DType::Bool => (Any, Any),
        d if d.is_float() => (Range(-1.1, -0.3), Range(0.3, 1.1)),
        _ => (Ints(1, 2), Ints(3, 4)),
    };
    both(cx, |bound, x| vec![(bound.clone(), lo), (x, Any), (bound, hi)])
}
