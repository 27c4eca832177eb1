//! `pow`. A constant exponent has a derivative without guards.
use super::simplify as s;
use super::{functions::scaled, kind};
use crate::builder::Builder;
use crate::diag::Result;
use crate::func::ValueId;
use crate::op::Linearize::*;
use crate::op::{Batch, Family, OpDef};
use crate::ops::constant::splat_of;
use crate::sample::Domain::*;
use crate::sample::{Sample, SampleCx};
use crate::scalar::ScalarOp;

/// `pow`.
pub static POW: OpDef = OpDef {
    name: "pow",
    doc: "`a` to the power `b`. Integers wrap, and a negative exponent truncates `1/a^n`. Derivative: `b a^(b-1) da`, which is 0 \
          where `b` is 0, plus `log(a) a^b db`, which is 0 where `a` is 0.",
    operands: &["a", "b"],
    alike: (0, 2),
    scalar: Some(ScalarOp::Pow),
    batch: Batch::Elementwise,
    infer: |cx| super::infer(cx, &kind::NUMBERS, kind::same),
    linearize: Partials(&[in_base, in_exponent]),
    simplify: Some(s::pow),
    sample,
    ..OpDef::BASE
};
pub(super) const ROWS: Family = &[&POW];

fn in_base(b: &mut Builder, x: &[ValueId], _: ValueId) -> Result<ValueId> {
    let (base, exponent) = (x[0], x[1]);
    match splat_of(b.func(), exponent) {
        Some(0.0) => return b.like(base, 0.0),
        Some(1.0) => return b.like(base, 1.0),
        Some(2.0) => return scaled(b, base, 2.0),
        Some(n) => {
            let less = b.like(exponent, n - 1.0)?;
            let power = b.pow(base, less)?;
            return b.mul(exponent, power);
        }
        None => {}
    }
    // Where the exponent is 0 the slope is 0 times a finite power: its derivative by the exponent is that power, so nothing
    // may be chosen in place of the product. Only where the power would be infinite is there another in its place.
    let (zero, one) = (b.like(exponent, 0.0)?, b.like(exponent, 1.0)?);
    let flat = b.eq(exponent, zero)?;
    let inverse = b.div(one, base)?;
    let size = b.abs(inverse)?;
    let infinity = b.like(size, f64::INFINITY)?;
    let steep = b.eq(size, infinity)?;
    let pole = b.and(flat, steep)?;
    let less = b.sub(exponent, one)?;
    let less = b.select(pole, one, less)?;
    let power = b.pow(base, less)?;
    b.mul(exponent, power)
}
/// `log(a) a^b`, whose limits are 0, with all their derivatives, at `a = 0` for a positive exponent and at an infinite `a` for
/// a negative one.
fn in_exponent(b: &mut Builder, x: &[ValueId], y: ValueId) -> Result<ValueId> {
    let base = x[0];
    let (zero, one, infinity) = (b.like(base, 0.0)?, b.like(base, 1.0)?, b.like(base, f64::INFINITY)?);
    let (none, at_end) = (b.eq(y, zero)?, b.eq(base, infinity)?);
    let fallen = b.and(none, at_end)?;
    let vanishes = b.eq(base, zero)?;
    let vanishes = b.or(vanishes, fallen)?;
    let safe = b.select(vanishes, one, base)?;
    let log = b.log(safe)?;
    let slope = b.mul(log, y)?;
    b.select(vanishes, zero, slope)
}
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    let d = cx.dtype;
    let ty = cx.ty(&[2, 3]);
    if d.is_int() {
        return Ok(vec![cx.op(&[(ty.clone(), Any), (ty, Ints(0, 4))], crate::Attrs::none(), None)?]);
    }
    if !d.is_inexact() {
        return Ok(vec![]);
    }
    let base = if d.is_complex() { Any } else { Range(0.5, 2.0) };
    let mut list = vec![cx.op(&[(ty.clone(), base), (ty.clone(), Any)], crate::Attrs::none(), None)?];
    for n in [1.0, 2.0, 3.0, -0.5] {
        list.push(cx.program(&[(ty.clone(), base)], |b, x| {
            let n = b.like(x[0], n)?;
            Ok(vec![b.pow(x[0], n)?])
        })?);
    }
    Ok(list)
}
