//! Composites: ops with an expansion into others, which derivatives and every backend may use.
mod activation;
mod conv;
mod familiar;
mod norm;
mod pool;

use super::extents::DIM_VALUE;
use super::reduce::{REDUCE_MAX, expand, reduce};
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::code::Code;
use crate::derive::Linearizer;
use crate::diag::{Error, Part, Result};
use crate::extent::{CmpOp, Extent};
use crate::func::{OpId, ValueId};
use crate::infer::InferCx;
use crate::op::*;
use crate::ops::constant::IOTA;
use crate::ops::control::STOP_GRADIENT;
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;

pub use activation::{GELU, RELU, SILU, SOFTPLUS};
pub use conv::CONV;
pub use familiar::{ARGSORT, LINSPACE, LOG2, LOG10, MATMUL, ROLL, SCATTER_ADD, STACK, matmul_dims};
pub use norm::{LAYER_NORM, RMS_NORM, VAR};
pub use pool::{REDUCE_WINDOW, SELECT_AND_SCATTER};

/// `mean`.
pub static MEAN: OpDef = OpDef {
    name: "mean",
    doc: "Arithmetic mean over `axes`; NaN where there is no element.",
    slots: ANY_AXES,
    infer: |cx| infer_over_axes(cx, DType::is_inexact, "floating or complex numbers"),
    expand: Expand::Composite(expand_mean),
    sample: |cx| if cx.dtype.is_inexact() { sample_axes(cx) } else { Ok(vec![]) },
    ..COMPOSITE
};
/// `logsumexp`.
pub static LOGSUMEXP: OpDef = OpDef {
    name: "logsumexp",
    doc: "`log(sum(exp(x)))` over `axes` without overflow; −inf where there is no element.",
    slots: ANY_AXES,
    infer: |cx| infer_over_axes(cx, DType::is_float, "real floating numbers"),
    expand: Expand::Composite(|b, op| {
        let (x, axes) = (op.operands[0], op.attrs.indices("axes"));
        let (sum, greatest) = sum_of_exp(b, x, &axes)?;
        let log = b.log(sum)?;
        Ok(vec![b.add(log, greatest)?])
    }),
    sample: |cx| if cx.dtype.is_float() { sample_axes(cx) } else { Ok(vec![]) },
    ..COMPOSITE
};
/// `softmax`.
pub static SOFTMAX: OpDef = OpDef {
    name: "softmax",
    doc: "`exp(x) / sum(exp(x))` along `axis` without overflow. With `divide = true` each element is divided by the sum, else \
          multiplied by its reciprocal.",
    slots: &[
        Slot::required("axis", SlotKind::Int),
        Slot::with_default("divide", SlotKind::Bool, SlotDefault::Bool(false)),
    ],
    linearize: Linearize::Rule(lin_softmax),
    expand: Expand::Composite(|b, op| {
        let (x, axes) = (op.operands[0], axis_of(op));
        let (_, e, sum) = shifted_sum(b, x, &axes)?;
        let ty = b.ty(x);
        if op.attrs.flag("divide") {
            let sum = expand(b, sum, &ty, &axes)?;
            return Ok(vec![b.div(e, sum)?]);
        }
        // The sum is at least 1, so its reciprocal is safe: one division a row, not one an element.
        let one = b.like(sum, 1.0)?;
        let share = b.div(one, sum)?;
        let share = expand(b, share, &ty, &axes)?;
        Ok(vec![b.mul(e, share)?])
    }),
    ..ALONG
};
/// `ẏ = y (ẋ − Σ y ẋ)`: of all that is computed only the result is kept.
fn lin_softmax(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let axes = op.attrs.indices("axis");
    let y = cx.copy_primal(o)?[0];
    let Some(dx) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let y = cx.residual(y)?;
    let b = cx.t();
    let ty = b.ty(dx);
    let weighed = b.mul(y, dx)?;
    let sum = b.reduce_sum(weighed, &axes)?;
    let sum = expand(b, sum, &ty, &axes)?;
    let less = b.sub(dx, sum)?;
    let dy = b.mul(y, less)?;
    cx.set_tangent(op.results[0], Some(dy))
}
/// `log_softmax`.
pub static LOG_SOFTMAX: OpDef = OpDef {
    name: "log_softmax",
    doc: "Logarithm of `softmax` along `axis`, without overflow or cancellation.",
    expand: Expand::Composite(|b, op| {
        let (x, axes) = (op.operands[0], axis_of(op));
        let (shifted, _, sum) = shifted_sum(b, x, &axes)?;
        let ty = b.ty(x);
        let log = b.log(sum)?;
        let log = expand(b, log, &ty, &axes)?;
        Ok(vec![b.sub(shifted, log)?])
    }),
    ..ALONG
};
/// `x` less its greatest element over `axes`, its exponential, and the sum of that.
fn shifted_sum(b: &mut Builder, x: ValueId, axes: &[usize]) -> Result<(ValueId, ValueId, ValueId)> {
    let shifted = shifted(b, x, axes)?;
    let e = b.exp(shifted)?;
    let sum = b.reduce_sum(e, axes)?;
    Ok((shifted, e, sum))
}
/// `one_hot`.
pub static ONE_HOT: OpDef = OpDef {
    name: "one_hot",
    doc: "1 (`true`) at the place that an index names along `axis` of the written type, 0 elsewhere; all 0 for an index out \
          of range. `axis` is the new one, the last unless given; the other axes are the operand's.",
    operands: &["i"],
    slots: &[Slot::optional("axis", SlotKind::Int)],
    needs_type: true,
    infer: infer_one_hot,
    expand: Expand::Composite(expand_one_hot),
    linearize: Linearize::Zero,
    batch: Batch::Expand,
    sample: sample_one_hot,
    ..OpDef::BASE
};
/// The rows.
pub static FAMILY: Family = &[
    &MEAN,
    &VAR,
    &SOFTMAX,
    &LOG_SOFTMAX,
    &LOGSUMEXP,
    &LAYER_NORM,
    &RMS_NORM,
    &GELU,
    &SILU,
    &SOFTPLUS,
    &ONE_HOT,
    &REDUCE_WINDOW,
    &SELECT_AND_SCATTER,
    &CONV,
    &RELU,
    &MATMUL,
    &STACK,
    &ROLL,
    &LINSPACE,
    &ARGSORT,
    &LOG2,
    &LOG10,
    &SCATTER_ADD,
];

/// Axes that are all of them unless given.
const ANY_AXES: &[Slot] = &[Slot::with_default("axes", SlotKind::Ints, SlotDefault::AllAxes)];
const AXES: &[Slot] = &[Slot::required("axes", SlotKind::Ints)];
const COMPOSITE: OpDef = OpDef { operands: &["x"], linearize: Linearize::Expand, batch: Batch::Expand, ..OpDef::BASE };
const ALONG: OpDef = OpDef {
    slots: &[Slot::required("axis", SlotKind::Int)],
    infer: |cx| {
        cx.want_dtype(0, DType::is_float, "real floating numbers")?;
        let x = cx.ty(0)?;
        cx.axis("axis", x.rank())?;
        Ok(vec![x])
    },
    sample: sample_axis,
    ..COMPOSITE
};

fn infer_over_axes(cx: &mut InferCx, ok: fn(DType) -> bool, what: &str) -> Result<Vec<Type>> {
    cx.want_dtype(0, ok, what).map_err(|e| e.help("insert `convert`"))?;
    let x = cx.ty(0)?;
    let axes = cx.axes("axes", x.rank())?;
    Ok(vec![x.without(&axes)])
}
fn axis_of(op: &NewOp) -> Vec<usize> {
    op.attrs.indices("axis")
}
/// The greatest elements over `axes`, through which no derivative flows: it cancels from every use here.
fn greatest(b: &mut Builder, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    let m = reduce(b, &REDUCE_MAX, x, axes)?;
    b.emit1(NewOp::new(&STOP_GRADIENT, &[m]))
}
/// `x` minus its greatest elements.
fn shifted(b: &mut Builder, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    let (m, ty) = (greatest(b, x, axes)?, b.ty(x));
    let m = expand(b, m, &ty, axes)?;
    b.sub(x, m)
}
/// Sums of `exp(x - m)` and `m`, the greatest elements, 0 where these are infinite.
fn sum_of_exp(b: &mut Builder, x: ValueId, axes: &[usize]) -> Result<(ValueId, ValueId)> {
    let (m, ty) = (greatest(b, x, axes)?, b.ty(x));
    let finite = b.is_finite(m)?;
    let zero = b.like(m, 0.0)?;
    let m = b.select(finite, m, zero)?;
    let wide = expand(b, m, &ty, axes)?;
    let shifted = b.sub(x, wide)?;
    let e = b.exp(shifted)?;
    Ok((b.reduce_sum(e, axes)?, m))
}
fn expand_mean(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let (x, axes) = (op.operands[0], op.attrs.indices("axes"));
    let dims = b.ty(x).dims;
    let n = axes.iter().filter_map(|&a| dims.get(a)).try_fold(Extent::exact(1), |n, d| n.mul(d))?;
    let sum = b.reduce_sum(x, &axes)?;
    let ty = b.ty(sum);
    let count = match n.as_exact() {
        Some(n) => b.splat(&ty, n as f64)?,
        None => {
            let n = b.emit1(NewOp::new(&DIM_VALUE, &[]).attr("extent", Attr::extent(n)))?;
            let n = b.convert(n, ty.dtype)?;
            b.broadcast(n, &ty, &[])?
        }
    };
    Ok(vec![b.div(sum, count)?])
}
/// The new axis of a `one_hot` whose result has that rank.
fn hot_axis(attrs: &Attrs, rank: usize) -> usize {
    if attrs.get("axis").is_some() { attrs.int("axis") as usize } else { rank.saturating_sub(1) }
}
fn infer_one_hot(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_dtype(0, DType::is_int, "integers").map_err(|e| e.help("insert `convert`"))?;
    let (t, i) = (cx.declared()?, cx.ty(0)?);
    if t.rank() != i.rank() + 1 {
        return Err(Error::new(
            Code::E0205,
            format!("`one_hot` adds one axis: written {}, operand {}", cx.show(&t), cx.show(&i)),
        )
        .at(Part::Result(0)));
    }
    if cx.attrs().get("axis").is_some() {
        cx.axis("axis", t.rank())?;
    }
    let want = t.without(&[hot_axis(cx.attrs(), t.rank())]).with_dtype(i.dtype);
    cx.agree(&want, &i, Part::Result(0), "the result without its new axis and the operand")?;
    if cx.attrs().int("axis") + 1 == t.rank() as i64 {
        cx.remove_attr("axis");
    }
    Ok(vec![t])
}
fn expand_one_hot(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let Some([ty]) = op.declared.as_deref() else {
        return Err(Error::new(Code::E0207, "`one_hot` needs its result type written"));
    };
    let i = op.operands[0];
    let places = ty.with_dtype(b.ty(i).dtype);
    let axis = hot_axis(&op.attrs, ty.rank());
    let wide = expand(b, i, &places, &[axis])?;
    let iota = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis as i64)).types(vec![places]))?;
    let hit = b.eq(wide, iota)?;
    Ok(vec![b.convert(hit, ty.dtype)?])
}

fn sample_axes(cx: &SampleCx) -> Result<Vec<Sample>> {
    let cases: &[(&[usize], &[usize])] =
        &[(&[], &[]), (&[4], &[0]), (&[1], &[0]), (&[2, 3], &[1]), (&[2, 3], &[0, 1]), (&[2, 1, 3, 2], &[1, 3])];
    cases.iter().map(|(s, a)| cx.op(&[(cx.ty(s), Domain::Any)], Attrs::of([("axes", Attr::ints(a))]), None)).collect()
}
fn sample_axis(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_float() {
        return Ok(vec![]);
    }
    let cases: &[(&[usize], i64)] =
        &[(&[4], 0), (&[1], 0), (&[2, 3], 0), (&[2, 3], 1), (&[0, 2], 1), (&[2, 3, 2, 1], 1)];
    cases.iter().map(|(s, a)| cx.op(&[(cx.ty(s), Domain::Any)], Attrs::of([("axis", Attr::Int(*a))]), None)).collect()
}
fn sample_one_hot(cx: &SampleCx) -> Result<Vec<Sample>> {
    let cases: &[(&[usize], &[usize], Option<i64>)] =
        &[(&[], &[4], None), (&[3], &[3, 4], None), (&[3], &[4, 3], Some(0)), (&[2, 1], &[2, 3, 1], Some(1))];
    let mut out = vec![];
    for (from, to, axis) in cases {
        let mut attrs = Attrs::none();
        if let Some(a) = axis {
            attrs.set("axis", Attr::Int(*a));
        }
        let index = Type::exact(DType::I64, from);
        out.push(cx.op(&[(index, Domain::Ints(-1, 4))], attrs, Some(cx.ty(to)))?);
    }
    Ok(out)
}
