//! Reductions: `reduce_*` over any set of axes, `argmax`, `argmin`. An empty reduction gives the identity of its
//! operation (TFIR §5).
mod derive;
mod fold;

use super::order::laws::extremum;
use super::shape::{cotangent, splat_const, splat_tensor, unchanged};
use crate::attr::{Attr, Attrs};
use crate::batch::{Batched, Batcher, shift};
use crate::builder::Builder;
use crate::derive::Transposer;
use crate::diag::{Part, Result};
use crate::extent::{CmpOp, Extent};
use crate::func::{OpId, ValueId};
use crate::infer::InferCx;
use crate::op::*;
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;
use crate::{DType, Effect, ScalarOp};

pub use fold::{REDUCE_BY, begins};
pub(crate) use fold::{known, on_all, start_from};

/// `reduce_sum`.
pub static REDUCE_SUM: OpDef = OpDef {
    name: "reduce_sum",
    loops: Loops::Fold(ScalarOp::Add),
    doc: "Sum over `axes`; 0 where there is nothing to add. Integers wrap. The order of additions is not fixed, but gives \
          the same bits for any number of threads.",
    infer: |cx| infer(cx, NUMBERS),
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(tr_sum),
    sample: |cx| sample(cx, NUMBERS),
    ..REDUCE
};
/// `reduce_prod`.
pub static REDUCE_PROD: OpDef = OpDef {
    name: "reduce_prod",
    loops: Loops::Fold(ScalarOp::Mul),
    doc: "Product over `axes`; 1 where there is nothing to multiply. Integers wrap. Its derivative is exact where elements \
          are 0: it multiplies all others and never divides.",
    infer: |cx| infer(cx, NUMBERS),
    linearize: Linearize::Rule(derive::lin_prod),
    sample: |cx| sample(cx, NUMBERS),
    ..REDUCE
};
/// `reduce_max`.
pub static REDUCE_MAX: OpDef = OpDef {
    name: "reduce_max",
    loops: Loops::Fold(ScalarOp::Max),
    doc: "Greatest element over `axes`; NaN where there is one; −inf or the least integer where there is no element. The \
          derivative is shared evenly among equal greatest elements.",
    infer: |cx| infer(cx, ORDERED),
    linearize: Linearize::Rule(derive::lin_extremum),
    sample: |cx| sample(cx, ORDERED),
    ..REDUCE
};
/// `reduce_min`.
pub static REDUCE_MIN: OpDef = OpDef {
    name: "reduce_min",
    loops: Loops::Fold(ScalarOp::Min),
    doc: "Least element over `axes`; NaN where there is one; inf or the greatest integer where there is no element. The \
          derivative is shared evenly among equal least elements.",
    infer: |cx| infer(cx, ORDERED),
    linearize: Linearize::Rule(derive::lin_extremum),
    sample: |cx| sample(cx, ORDERED),
    ..REDUCE
};
/// `reduce_and`.
pub static REDUCE_AND: OpDef = OpDef {
    name: "reduce_and",
    loops: Loops::Fold(ScalarOp::And),
    doc: "Bitwise and over `axes`; `true` or all ones where there is no element.",
    ..BITWISE
};
/// `reduce_or`.
pub static REDUCE_OR: OpDef = OpDef {
    name: "reduce_or",
    loops: Loops::Fold(ScalarOp::Or),
    doc: "Bitwise or over `axes`; `false` or 0 where there is no element.",
    ..BITWISE
};
/// `reduce_xor`.
pub static REDUCE_XOR: OpDef = OpDef {
    name: "reduce_xor",
    loops: Loops::Fold(ScalarOp::Xor),
    doc: "Bitwise exclusive or over `axes`; `false` or 0 where there is no element.",
    ..BITWISE
};
/// `argmax`.
pub static ARGMAX: OpDef = OpDef {
    name: "argmax",
    doc: "Index along `axis` of the greatest element, as `i64`: the first of equal ones, the first NaN where there is one. \
          An empty axis is an error.",
    law: Law::Holds { state: |cx| extremum(cx, true), hard: hard_arg },
    ..ARG
};
/// `argmin`.
pub static ARGMIN: OpDef = OpDef {
    name: "argmin",
    doc: "Index along `axis` of the least element, as `i64`: the first of equal ones, the first NaN where there is one. An \
          empty axis is an error.",
    law: Law::Holds { state: |cx| extremum(cx, false), hard: hard_arg },
    ..ARG
};
/// The rows.
pub static FAMILY: Family = &[
    &REDUCE_SUM,
    &REDUCE_PROD,
    &REDUCE_MAX,
    &REDUCE_MIN,
    &REDUCE_AND,
    &REDUCE_OR,
    &REDUCE_XOR,
    &ARGMAX,
    &ARGMIN,
    &REDUCE_BY,
];

const REDUCE: OpDef = OpDef {
    operands: &["x"],
    slots: &[Slot::with_default("axes", SlotKind::Ints, SlotDefault::AllAxes)],
    batch: Batch::Rule(|cx, o, xs| batch(cx, o, xs, "axes")),
    simplify: Some(simplify),
    ..OpDef::BASE
};
const BITWISE: OpDef =
    OpDef { infer: |cx| infer(cx, BITS), linearize: Linearize::Zero, sample: |cx| sample(cx, BITS), ..REDUCE };
const ARG: OpDef = OpDef {
    operands: &["x"],
    slots: &[Slot::required("axis", SlotKind::Int)],
    infer: infer_arg,
    effect: Effect::MayFail,
    linearize: Linearize::Zero,
    batch: Batch::Rule(|cx, o, xs| batch(cx, o, xs, "axis")),
    sample: sample_arg,
    ..OpDef::BASE
};

/// Which dtypes a reduction takes, how that reads, what to do instead.
pub(crate) struct Takes {
    pub(crate) ok: fn(DType) -> bool,
    pub(crate) what: &'static str,
    pub(crate) help: &'static str,
}
pub(crate) const NUMBERS: Takes = Takes {
    ok: |d| d != DType::Bool,
    what: "numbers",
    help: "count by `convert` to i64, or use `reduce_and`, `reduce_or`, `reduce_xor`",
};
pub(crate) const ORDERED: Takes = Takes {
    ok: |d| d != DType::Bool && !d.is_complex(),
    what: "integers and real floating numbers",
    help: "complex numbers have no order: reduce `abs` or `real`; for bool use `reduce_or`, `reduce_and`",
};
const BITS: Takes =
    Takes { ok: |d| !d.is_inexact(), what: "bool and integers", help: "compare first: `ne` gives bool" };

/// A reduction over no axis is its operand; one of copies of a number that are all the same together is that number.
fn simplify(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let axes = new.attrs.indices("axes");
    if axes.is_empty() {
        return Ok(unchanged(b, new));
    }
    let (Some(&x), Loops::Fold(ScalarOp::And | ScalarOp::Or | ScalarOp::Max | ScalarOp::Min)) =
        (new.operands.first(), new.def.loops)
    else {
        return Ok(None);
    };
    let ty = b.ty(x).clone();
    let some = axes.iter().all(|&a| ty.dims.get(a).and_then(Extent::as_exact).is_some_and(|n| n > 0));
    match splat_tensor(b, x).filter(|t| some && t.real().is_none_or(|x| !x.is_nan())) {
        Some(t) => Ok(Some(vec![splat_const(b, t, &ty.without(&axes))?])),
        None => Ok(None),
    }
}

fn infer(cx: &mut InferCx, takes: Takes) -> Result<Vec<Type>> {
    cx.want_dtype(0, takes.ok, takes.what).map_err(|e| e.help(takes.help))?;
    let x = cx.ty(0)?;
    let axes = cx.axes("axes", x.rank())?;
    if !axes.is_sorted() {
        let mut sorted = axes.clone();
        sorted.sort_unstable();
        cx.set_attr("axes", Attr::ints(&sorted));
    }
    Ok(vec![x.without(&axes)])
}
fn infer_arg(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_dtype(0, ORDERED.ok, ORDERED.what)
        .map_err(|e| e.help("convert bool to i32; complex numbers have no order"))?;
    let x = cx.ty(0)?;
    let axis = cx.axis("axis", x.rank())?;
    let what = format!("axis {axis}, which must not be empty");
    cx.demand(&Extent::exact(1), CmpOp::Le, &x.dims[axis], Part::Operand(0), &what)?;
    Ok(vec![x.without(&[axis]).with_dtype(DType::I64)])
}
/// The batch axis remains, among the others where it was.
fn batch(cx: &mut Batcher, o: OpId, xs: &[Batched], name: &'static str) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let (value, axis) = (xs[0].value, xs[0].axis.unwrap_or(0));
    let place = axis - op.attrs.indices(name).iter().filter(|&&a| a < axis).count();
    let attrs = shift(cx.attrs(&op.attrs)?, name, axis);
    cx.again(o, &[value], attrs, |_| place)
}
/// Axes that remain.
fn kept(rank: usize, axes: &[usize]) -> Vec<usize> {
    (0..rank).filter(|i| !axes.contains(i)).collect()
}
/// The reduction `def` of `x` over `axes`.
pub(crate) fn reduce(b: &mut Builder, def: &'static OpDef, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    b.emit1(NewOp::new(def, &[x]).attr("axes", Attr::ints(axes)))
}
/// A reduced value back at its place in type `ty`, whose `axes` were reduced.
pub(crate) fn expand(b: &mut Builder, y: ValueId, ty: &Type, axes: &[usize]) -> Result<ValueId> {
    let dims = kept(ty.rank(), axes);
    b.broadcast(y, ty, &dims)
}
fn tr_sum(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let ty = cx.ty(op.operands[0])?;
    Ok(vec![Some(expand(&mut cx.b, cotangent(ct)?, &ty, &op.attrs.indices("axes"))?)])
}

fn sample(cx: &SampleCx, takes: Takes) -> Result<Vec<Sample>> {
    if !(takes.ok)(cx.dtype) {
        return Ok(vec![]);
    }
    let cases: &[(&[usize], &[usize])] = &[
        (&[], &[]),
        (&[4], &[0]),
        (&[1], &[0]),
        (&[0], &[0]),
        (&[2, 3], &[]),
        (&[3, 4], &[0]),
        (&[3, 4], &[1]),
        (&[2, 3], &[0, 1]),
        (&[2, 3, 2], &[1]),
        (&[2, 3, 2], &[2, 0]),
        (&[2, 0, 3], &[1]),
        (&[2, 1, 3, 2], &[1, 3]),
    ];
    // The extremum of no number is infinite: no difference quotient tests that.
    let finite = |s: &[usize]| {
        !(s.contains(&0) && cx.dtype.is_float() && [&REDUCE_MAX, &REDUCE_MIN].iter().any(|d| cx.def.is(d)))
    };
    cases
        .iter()
        .filter(|(s, _)| finite(s))
        .map(|(s, a)| cx.op(&[(cx.ty(s), Domain::Any)], Attrs::of([("axes", Attr::ints(a))]), None))
        .collect()
}
/// Every axis that is not empty.
fn hard_arg(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !(ORDERED.ok)(cx.dtype) {
        return Ok(vec![]);
    }
    let by = |s: &[usize]| {
        let axes = (0..s.len()).filter(|&a| s[a] > 0);
        Some(axes.map(|a| Attrs::of([("axis", Attr::Int(a as i64))])).collect())
    };
    crate::ops::order::laws::hard(cx, by, &[])
}
fn sample_arg(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !(ORDERED.ok)(cx.dtype) {
        return Ok(vec![]);
    }
    let cases: &[(&[usize], i64, Domain)] = &[
        (&[1], 0, Domain::Any),
        (&[5], 0, Domain::Any),
        (&[3, 4], 0, Domain::Any),
        (&[3, 4], 1, Domain::Ints(0, 2)),
        (&[0, 2], 1, Domain::Any),
        (&[2, 3, 1, 2], 1, Domain::Any),
    ];
    cases.iter().map(|(s, a, d)| cx.op(&[(cx.ty(s), *d)], Attrs::of([("axis", Attr::Int(*a))]), None)).collect()
}
