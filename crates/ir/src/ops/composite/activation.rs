//! Smooth activations, as `jax.nn` has them. No exponential here overflows where the function itself does not, and the
//! derivatives are right at 0 too.
use super::COMPOSITE;
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::diag::Result;
use crate::func::ValueId;
use crate::op::*;
use crate::ops::elementwise::ERFC;
use crate::sample::{Domain, Sample, SampleCx};

/// `silu`.
pub static SILU: OpDef = OpDef {
    name: "silu",
    doc: "`x * logistic(x)`, elementwise (also named swish).",
    expand: Expand::Composite(|b, op| {
        let x = op.operands[0];
        let s = b.logistic(x)?;
        Ok(vec![b.mul(x, s)?])
    }),
    ..ACTIVATION
};
/// `relu`.
pub static RELU: OpDef = OpDef {
    name: "relu",
    since: (1, 1),
    doc: "`max(x, 0)`, elementwise, with slope 0 at 0, as `jax.nn` has it; NaN stays NaN.",
    expand: Expand::Composite(|b, op| {
        let x = op.operands[0];
        let zero = b.like(x, 0.0)?;
        let none = b.le(x, zero)?;
        Ok(vec![b.select(none, zero, x)?])
    }),
    ..ACTIVATION
};
/// `softplus`.
pub static SOFTPLUS: OpDef = OpDef {
    name: "softplus",
    doc: "`log(1 + exp(x))`, elementwise, without overflow; its derivative is `logistic(x)`.",
    expand: Expand::Composite(expand_softplus),
    ..ACTIVATION
};
/// `gelu`.
pub static GELU: OpDef = OpDef {
    name: "gelu",
    doc: "The Gaussian error linear unit `x * Phi(x)`, elementwise. `approximate = true` (the default, as in `jax.nn`) is \
          `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x^3)))`, `approximate = false` is `x/2 * erfc(-x/sqrt(2))` \
          (Hendrycks and Gimpel, arXiv 1606.08415).",
    slots: &[Slot::with_default("approximate", SlotKind::Bool, SlotDefault::Bool(true))],
    expand: Expand::Composite(expand_gelu),
    sample: |cx| {
        let mut all = samples(cx)?;
        if cx.dtype.is_float() {
            let exact = Attrs::of([("approximate", Attr::Bool(false))]);
            all.push(cx.op(&[(cx.ty(&[2, 3]), Domain::Any)], exact, None)?);
        }
        Ok(all)
    },
    ..ACTIVATION
};

const ACTIVATION: OpDef = OpDef {
    infer: |cx| {
        cx.want_dtype(0, DType::is_float, "real floating numbers").map_err(|e| e.help("insert `convert`"))?;
        Ok(vec![cx.ty(0)?])
    },
    sample: samples,
    ..COMPOSITE
};

fn samples(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_float() {
        return Ok(vec![]);
    }
    let shapes: &[&[usize]] = &[&[], &[4], &[2, 3], &[0, 2]];
    shapes.iter().map(|s| cx.op(&[(cx.ty(s), Domain::Any)], Attrs::none(), None)).collect()
}
/// `max(x, 0) + log1p(exp(-|x|))`, with a choice in place of `max` and `abs`, whose slopes at 0 would not add up to those of
/// the second and higher derivatives.
fn expand_softplus(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let x = op.operands[0];
    let zero = b.like(x, 0.0)?;
    let positive = b.gt(x, zero)?;
    let minus = b.neg(x)?;
    let least = b.select(positive, minus, x)?;
    let e = b.exp(least)?;
    let log = b.log1p(e)?;
    let linear = b.select(positive, x, zero)?;
    Ok(vec![b.add(linear, log)?])
}
/// `(1 + tanh(u)) / 2` is `logistic(2 u)`, and loses nothing where it is nearly 0.
///
/// Beyond 40 that is 0 or 1 in every dtype, and its derivatives are 0, whatever the square of `x` in `u` is: there it is taken
/// for 1600, for once it overflows it would be multiplied by them.
fn expand_gelu(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let x = op.operands[0];
    if matches!(op.attrs.get("approximate"), Some(Attr::Bool(false))) {
        let scale = b.like(x, -std::f64::consts::FRAC_1_SQRT_2)?;
        let scaled = b.mul(x, scale)?;
        let tail = b.emit1(NewOp::new(&ERFC, &[scaled]))?;
        let half = b.like(x, 0.5)?;
        let half = b.mul(half, x)?;
        return Ok(vec![b.mul(half, tail)?]);
    }
    let (square, most) = (b.mul(x, x)?, b.like(x, 1600.0)?);
    let far = b.gt(square, most)?;
    let square = b.select(far, most, square)?;
    let twice = 2.0 * (2.0 / std::f64::consts::PI).sqrt();
    let (linear, cubic) = (b.like(x, twice)?, b.like(x, 0.044715 * twice)?);
    let rest = b.mul(cubic, square)?;
    let factor = b.add(linear, rest)?;
    let inner = b.mul(x, factor)?;
    let s = b.logistic(inner)?;
    Ok(vec![b.mul(x, s)?])
}
