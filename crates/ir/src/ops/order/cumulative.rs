//! Running reductions: element `i` of the result is the reduction of elements `0 … i`, or with `reverse` of `i …`.
use super::derive;
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::derive::Transposer;
use crate::diag::Result;
use crate::func::{OpId, ValueId};
use crate::infer::InferCx;
use crate::op::*;
use crate::ops::elementwise as e;
use crate::ops::reduce::{NUMBERS, ORDERED, Takes};
use crate::ops::shape::{cotangent, unchanged};
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;

/// `cumsum`.
pub static CUMSUM: OpDef = OpDef {
    name: "cumsum",
    doc: "Running sums along `axis`: element `i` is the sum of elements `0` to `i`, or with `reverse = true` of `i` to the \
          last. Integers wrap.",
    infer: |cx| infer(cx, NUMBERS),
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(tr_sum),
    sample: |cx| sample(cx, NUMBERS),
    ..CUMULATIVE
};
/// `cumprod`.
pub static CUMPROD: OpDef = OpDef {
    name: "cumprod",
    doc: "Running products along `axis`: element `i` is the product of elements `0` to `i`, or with `reverse = true` of `i` \
          to the last. Integers wrap. Its derivative is exact where elements are 0: it never divides.",
    infer: |cx| infer(cx, NUMBERS),
    linearize: Linearize::Rule(derive::lin_prod),
    simplify: Some(simplify),
    sample: |cx| sample(cx, NUMBERS),
    ..CUMULATIVE
};
/// `cummax`.
pub static CUMMAX: OpDef = OpDef {
    name: "cummax",
    doc: "Running maxima along `axis`: element `i` is the greatest of elements `0` to `i`, or with `reverse = true` of `i` \
          to the last; NaN from the first NaN on. The derivative of each element is shared evenly among the equal greatest \
          elements that it covers, as that of `reduce_max`.",
    infer: |cx| infer(cx, ORDERED),
    linearize: Linearize::Rule(derive::lin_extremum),
    simplify: Some(simplify),
    sample: |cx| sample(cx, ORDERED),
    ..CUMULATIVE
};
/// `cummin`.
pub static CUMMIN: OpDef = OpDef {
    name: "cummin",
    doc: "Running minima along `axis`: element `i` is the least of elements `0` to `i`, or with `reverse = true` of `i` to \
          the last; NaN from the first NaN on. The derivative of each element is shared evenly among the equal least \
          elements that it covers, as that of `reduce_min`.",
    infer: |cx| infer(cx, ORDERED),
    linearize: Linearize::Rule(derive::lin_extremum),
    simplify: Some(simplify),
    sample: |cx| sample(cx, ORDERED),
    ..CUMULATIVE
};
/// `cumlogsumexp`.
pub static CUMLOGSUMEXP: OpDef = OpDef {
    name: "cumlogsumexp",
    doc: "Running `log(sum(exp(x)))` along `axis` without overflow: element `i` covers elements `0` to `i`, or with \
          `reverse = true` `i` to the last. Where every element covered is −inf, the result is −inf and its derivative 0.",
    infer: |cx| infer(cx, FLOATS),
    linearize: Linearize::Rule(derive::lin_logsumexp),
    sample: |cx| sample(cx, FLOATS),
    ..CUMULATIVE
};

/// The running reduction by an op on two scalars.
pub(crate) fn running(op: &OpDef) -> Option<&'static OpDef> {
    let all: [(&OpDef, &'static OpDef); 4] =
        [(&e::ADD, &CUMSUM), (&e::MUL, &CUMPROD), (&e::MAX, &CUMMAX), (&e::MIN, &CUMMIN)];
    all.into_iter().find(|a| op.is(a.0)).map(|a| a.1)
}

const FLOATS: Takes = Takes { ok: DType::is_float, what: "real floating numbers", help: "insert `convert`" };
const CUMULATIVE: OpDef = OpDef {
    operands: &["x"],
    slots: &[
        Slot::required("axis", SlotKind::Int),
        Slot::with_default("reverse", SlotKind::Bool, SlotDefault::Bool(false)),
    ],
    movement: Movement {
        places: crate::places::Places::Axes(|f, op, i| crate::places::across(f, op, i, "axis")),
        ..Movement::NONE
    },
    batch: Batch::Rule(|cx, o, xs| crate::batch::along(cx, o, xs, "axis")),
    ..OpDef::BASE
};

fn infer(cx: &mut InferCx, takes: Takes) -> Result<Vec<Type>> {
    cx.want_dtype(0, takes.ok, takes.what).map_err(|e| e.help(takes.help))?;
    let x = cx.ty(0)?;
    cx.axis("axis", x.rank())?;
    Ok(vec![x])
}
/// Whether the op runs from the last element to the first.
pub(super) fn reversed(attrs: &Attrs) -> bool {
    attrs.get("reverse") == Some(&Attr::Bool(true))
}
/// One element is its own reduction. (Not its own sum: 0 + −0 is 0.)
fn simplify(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let Some(&x) = new.operands.first() else { return Ok(None) };
    let one = |&a: &usize| b.func().ty(x).dims.get(a).is_some_and(|d| d.as_exact() == Some(1));
    Ok(if new.attrs.indices("axis").first().is_some_and(one) { unchanged(b, new) } else { None })
}
fn tr_sum(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let attrs = cx.op(o).attrs;
    let back = Attr::Bool(!reversed(&attrs));
    let op = NewOp::new(&CUMSUM, &[cotangent(ct)?]).attrs(attrs.with("reverse", back));
    Ok(vec![Some(cx.b.emit1(op)?)])
}

fn sample(cx: &SampleCx, takes: Takes) -> Result<Vec<Sample>> {
    if !(takes.ok)(cx.dtype) {
        return Ok(vec![]);
    }
    let cases: &[(&[usize], i64, bool)] = &[
        (&[5], 0, false),
        (&[5], 0, true),
        (&[1], 0, false),
        (&[0], 0, true),
        (&[3, 4], 0, false),
        (&[3, 4], 1, false),
        (&[4, 3], 0, true),
        (&[0, 3], 1, false),
        (&[2, 3, 2], 1, true),
        (&[2, 1, 3, 2], 2, false),
    ];
    cases
        .iter()
        .map(|(s, a, r)| {
            let attrs = Attrs::of([("axis", Attr::Int(*a)), ("reverse", Attr::Bool(*r))]);
            cx.op(&[(cx.ty(s), Domain::Any)], attrs, None)
        })
        .collect()
}
