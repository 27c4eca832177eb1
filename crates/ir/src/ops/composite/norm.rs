//! Variance and normalisation. Deviations are taken from the mean before they are squared: nothing cancels.
use super::{ANY_AXES, AXES, COMPOSITE, infer_over_axes};
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::Extent;
use crate::func::ValueId;
use crate::infer::InferCx;
use crate::op::*;
use crate::ops::reduce::expand;
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;

/// `var`.
pub static VAR: OpDef = OpDef {
    name: "var",
    doc: "Variance over `axes`: the sum of `|x - mean|^2` divided by the number of elements less `correction` (0: of a whole \
          population, 1: Bessel's estimate from a sample). NaN where that number is not positive. Of complex numbers the \
          result is real.",
    slots: &[ANY_AXES[0], Slot::with_default("correction", SlotKind::Int, SlotDefault::Int(0))],
    infer: |cx| {
        let types = infer_over_axes(cx, DType::is_inexact, "floating or complex numbers")?;
        Ok(types.iter().map(|t| t.with_dtype(t.dtype.real())).collect())
    },
    expand: Expand::Composite(expand_var),
    sample: sample_var,
    ..COMPOSITE
};
/// `layer_norm`.
pub static LAYER_NORM: OpDef = OpDef {
    name: "layer_norm",
    doc: "`(x - mean) / sqrt(var + eps)` over `axes`, then times `scale` and plus `bias` where these are given: \
          `layer_norm(%x, %scale, %bias, axes = [1])`. Both have the extents of `x` along `axes`, in that order.",
    operands: &["x", "scale_bias…"],
    alike: (0, usize::MAX),
    slots: &[AXES[0], Slot::with_default("eps", SlotKind::Float, SlotDefault::Float(LAYER_EPS))],
    infer: |cx| infer_norm(cx, 2),
    expand: Expand::Composite(|b, op| {
        let (x, axes) = (op.operands[0], op.attrs.indices("axes"));
        let centred = centred(b, x, &axes)?;
        let y = by_root_of_mean_square(b, centred, &axes, eps_of(op, LAYER_EPS))?;
        Ok(vec![affine(b, y, op)?])
    }),
    sample: |cx| sample_norm(cx, 2),
    ..COMPOSITE
};
/// `rms_norm`.
pub static RMS_NORM: OpDef = OpDef {
    name: "rms_norm",
    doc: "`x / sqrt(mean(x^2) + eps)` over `axes`, then times `scale` where it is given: \
          `rms_norm(%x, %scale, axes = [1])`. It has the extents of `x` along `axes`, in that order (Zhang and Sennrich, \
          arXiv 1910.07467).",
    operands: &["x", "scale…"],
    alike: (0, usize::MAX),
    slots: &[AXES[0], Slot::with_default("eps", SlotKind::Float, SlotDefault::Float(RMS_EPS))],
    infer: |cx| infer_norm(cx, 1),
    expand: Expand::Composite(|b, op| {
        let y = by_root_of_mean_square(b, op.operands[0], &op.attrs.indices("axes"), eps_of(op, RMS_EPS))?;
        Ok(vec![affine(b, y, op)?])
    }),
    sample: |cx| sample_norm(cx, 1),
    ..COMPOSITE
};
const LAYER_EPS: f64 = 1e-5;
const RMS_EPS: f64 = 1e-6;

fn eps_of(op: &NewOp, default: f64) -> f64 {
    match op.attrs.get("eps") {
        Some(Attr::Float(e)) => *e,
        _ => default,
    }
}
fn count(b: &Builder, x: ValueId, axes: &[usize]) -> Result<Extent> {
    let dims = &b.func().ty(x).dims;
    axes.iter().filter_map(|&a| dims.get(a)).try_fold(Extent::exact(1), |n, d| n.mul(d))
}
/// `sum / n`, where `n` is the number of elements over the axes less `correction`; NaN where that is not positive.
fn divided(b: &mut Builder, sum: ValueId, n: &Extent, correction: i64) -> Result<ValueId> {
    let ty = b.ty(sum);
    let n = n.sub(&Extent::exact(correction))?;
    let by = match n.as_exact() {
        Some(n) => b.splat(&ty, if n > 0 { n as f64 } else { f64::NAN })?,
        None => {
            let scalar = Type::scalar(ty.dtype);
            // The number itself is never negative, the difference may be.
            let whole = b.dim_value(n.add(&Extent::exact(correction))?)?;
            let whole = b.convert(whole, ty.dtype)?;
            let less = b.splat(&scalar, correction as f64)?;
            let n = b.sub(whole, less)?;
            let (zero, nan) = (b.splat(&scalar, 0.0)?, b.splat(&scalar, f64::NAN)?);
            let some = b.gt(n, zero)?;
            let n = b.select(some, n, nan)?;
            b.broadcast(n, &ty, &[])?
        }
    };
    b.div(sum, by)
}
fn mean(b: &mut Builder, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    let (n, sum) = (count(b, x, axes)?, b.reduce_sum(x, axes)?);
    let ty = b.ty(sum);
    if ty.dtype.is_complex() {
        // The number of elements is real.
        let (re, im) = (b.real(sum)?, b.imag(sum)?);
        let (re, im) = (divided(b, re, &n, 0)?, divided(b, im, &n, 0)?);
        return b.complex(re, im);
    }
    divided(b, sum, &n, 0)
}
/// `x` less its mean.
fn centred(b: &mut Builder, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    let (m, ty) = (mean(b, x, axes)?, b.ty(x));
    let m = expand(b, m, &ty, axes)?;
    b.sub(x, m)
}
/// `|x|²`.
fn square(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    if !b.func().ty(x).dtype.is_complex() {
        return b.mul(x, x);
    }
    let conj = b.conj(x)?;
    let square = b.mul(conj, x)?;
    b.real(square)
}
fn expand_var(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let (x, axes) = (op.operands[0], op.attrs.indices("axes"));
    let n = count(b, x, &axes)?;
    let c = centred(b, x, &axes)?;
    let squares = square(b, c)?;
    let sum = b.reduce_sum(squares, &axes)?;
    Ok(vec![divided(b, sum, &n, op.attrs.int("correction"))?])
}
fn by_root_of_mean_square(b: &mut Builder, x: ValueId, axes: &[usize], eps: f64) -> Result<ValueId> {
    let ty = b.ty(x);
    let squares = square(b, x)?;
    let m = mean(b, squares, axes)?;
    let eps = b.like(m, eps)?;
    let m = b.add(m, eps)?;
    let r = b.rsqrt(m)?;
    let r = expand(b, r, &ty, axes)?;
    b.mul(x, r)
}
/// Times the second operand and plus the third, where there are.
fn affine(b: &mut Builder, y: ValueId, op: &NewOp) -> Result<ValueId> {
    let (ty, axes) = (b.ty(y), op.attrs.indices("axes"));
    let mut y = y;
    if let Some(&scale) = op.operands.get(1) {
        let scale = b.broadcast(scale, &ty, &axes)?;
        y = b.mul(y, scale)?;
    }
    if let Some(&bias) = op.operands.get(2) {
        let bias = b.broadcast(bias, &ty, &axes)?;
        y = b.add(y, bias)?;
    }
    Ok(y)
}
fn infer_norm(cx: &mut InferCx, most: usize) -> Result<Vec<Type>> {
    cx.want_dtype(0, DType::is_float, "real floating numbers").map_err(|e| e.help("insert `convert`"))?;
    let x = cx.ty(0)?;
    let axes = cx.axes("axes", x.rank())?;
    if cx.len() > most + 1 {
        let name = cx.def().name;
        return Err(Error::new(Code::E0210, format!("`{name}` takes 1 to {} operands, not {}", most + 1, cx.len())));
    }
    if let Some(Attr::Float(e)) = cx.attrs().get("eps")
        && (e.is_nan() || *e < 0.0)
    {
        return Err(Error::new(Code::E0227, format!("`eps` is at least 0, not {e}")).attr("eps"));
    }
    let along: Vec<Extent> = axes.iter().filter_map(|&a| x.dims.get(a).cloned()).collect();
    for i in 1..cx.len() {
        let (t, what) = (cx.ty(i)?, format!("`x` along `axes` and operand {i}"));
        cx.agree(&x.with_dims(along.clone()), &t, Part::Operand(i), &what)?;
    }
    Ok(vec![x])
}

fn sample_var(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let cases: &[(&[usize], &[usize], i64)] = &[
        (&[], &[], 0),
        (&[4], &[0], 0),
        (&[4], &[0], 1),
        (&[2, 3], &[1], 1),
        (&[2, 3], &[1, 0], 0),
        (&[0, 2], &[1], 0),
    ];
    let attrs = |a: &[usize], c| Attrs::of([("axes", Attr::ints(a)), ("correction", Attr::Int(c))]);
    cases.iter().map(|(s, a, c)| cx.op(&[(cx.ty(s), Domain::Any)], attrs(a, *c), None)).collect()
}
fn sample_norm(cx: &SampleCx, params: usize) -> Result<Vec<Sample>> {
    if !cx.dtype.is_float() {
        return Ok(vec![]);
    }
    let cases: &[(&[usize], &[usize])] =
        &[(&[4], &[0]), (&[2, 3], &[1]), (&[3, 2], &[0]), (&[2, 3], &[1, 0]), (&[0, 2], &[1]), (&[2, 1, 3], &[0, 2])];
    let mut all = vec![];
    for (i, (shape, axes)) in cases.iter().enumerate() {
        let along: Vec<usize> = axes.iter().map(|&a| shape[a]).collect();
        let mut operands = vec![(cx.ty(shape), Domain::Any)];
        operands.resize(1 + i % (params + 1), (cx.ty(&along), Domain::Any));
        let mut attrs = Attrs::of([("axes", Attr::ints(axes))]);
        if i == 3 {
            attrs.set("eps", Attr::Float(0.25));
        }
        all.push(cx.op(&operands, attrs, None)?);
    }
    Ok(all)
}
