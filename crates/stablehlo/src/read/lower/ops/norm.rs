//! `batch_norm_*`, by the formulas of the StableHLO specification: statistics over every axis but `feature_index`.
use super::super::super::ast::Op;
use super::super::func::FuncCx;
use super::super::{Made, args};
use super::elementwise::operands;
use super::{Emit, Table};
use tfc_ir::{Type, ValueId};

pub(super) const OPS: Table = &[
    ("stablehlo.batch_norm_grad", Emit::Whole(grad)),
    ("stablehlo.batch_norm_inference", Emit::Whole(inference)),
    ("stablehlo.batch_norm_training", Emit::Whole(training)),
];

/// What these ops share: the operand's type, its feature axis, and the other axes.
struct Features {
    ty: Type,
    axis: usize,
    others: Vec<usize>,
    epsilon: f64,
}
impl Features {
    fn of<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, x: ValueId) -> Made<Features> {
        let (ty, axis) = (cx.b.ty(x), cx.axis(op, "feature_index")?);
        if axis >= ty.rank() {
            let text = format!("`feature_index` is {axis}, but the operand has {} axes", ty.rank());
            return Err(args::wrong(op.span, text, "axes are counted from 0"));
        }
        let others = (0..ty.rank()).filter(|&i| i != axis).collect();
        Ok(Features { ty, axis, others, epsilon: cx.number(op, "epsilon")?.unwrap_or(0.0) })
    }
    /// One value a feature, for every element.
    fn spread(&self, cx: &mut FuncCx, v: ValueId) -> Made<ValueId> {
        Ok(cx.b.broadcast(v, &self.ty, &[self.axis])?)
    }
    fn sum(&self, cx: &mut FuncCx, v: ValueId) -> Made<ValueId> {
        Ok(cx.b.reduce_sum(v, &self.others)?)
    }
    /// How many elements a feature has, as a value of the type of `like`.
    fn count(&self, cx: &mut FuncCx, like: ValueId) -> Made<ValueId> {
        let ty = cx.b.ty(like);
        let mut all: Option<ValueId> = None;
        for &i in &self.others {
            let n = match self.ty.dims.get(i).cloned() {
                Some(n) => cx.b.dim_value(n)?,
                None => continue,
            };
            let n = cx.b.convert(n, ty.dtype)?;
            all = Some(match all {
                Some(m) => cx.b.mul(m, n)?,
                None => n,
            });
        }
        match all {
            Some(n) => Ok(cx.b.broadcast(n, &ty, &[])?),
            None => Ok(cx.b.like(like, 1.0)?),
        }
    }
    /// `variance + epsilon`, one a feature.
    fn shifted(&self, cx: &mut FuncCx, variance: ValueId) -> Made<ValueId> {
        let epsilon = cx.b.like(variance, self.epsilon)?;
        Ok(cx.b.add(variance, epsilon)?)
    }
    /// The operand without its mean, and that divided by the standard deviation.
    fn normalised(&self, cx: &mut FuncCx, x: ValueId, mean: ValueId, variance: ValueId) -> Made<[ValueId; 2]> {
        let mean = self.spread(cx, mean)?;
        let centred = cx.b.sub(x, mean)?;
        let shifted = self.shifted(cx, variance)?;
        let deviation = cx.b.sqrt(shifted)?;
        let deviation = self.spread(cx, deviation)?;
        Ok([centred, cx.b.div(centred, deviation)?])
    }
    /// `normalised · scale + offset`
    fn placed(&self, cx: &mut FuncCx, normalised: ValueId, scale: ValueId, offset: ValueId) -> Made<ValueId> {
        let (scale, offset) = (self.spread(cx, scale)?, self.spread(cx, offset)?);
        let scaled = cx.b.mul(normalised, scale)?;
        Ok(cx.b.add(scaled, offset)?)
    }
}

fn inference<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, scale, offset, mean, variance] = operands(op, v)?;
    let f = Features::of(cx, op, x)?;
    let [_, normalised] = f.normalised(cx, x, mean, variance)?;
    Ok(vec![f.placed(cx, normalised, scale, offset)?])
}
/// The result, and the mean and the variance (divided by the number of elements) of each feature.
fn training<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, scale, offset] = operands(op, v)?;
    let f = Features::of(cx, op, x)?;
    let total = f.sum(cx, x)?;
    let count = f.count(cx, total)?;
    let mean = cx.b.div(total, count)?;
    let all = f.spread(cx, mean)?;
    let centred = cx.b.sub(x, all)?;
    let squares = cx.b.mul(centred, centred)?;
    let squares = f.sum(cx, squares)?;
    let variance = cx.b.div(squares, count)?;
    let [_, normalised] = f.normalised(cx, x, mean, variance)?;
    Ok(vec![f.placed(cx, normalised, scale, offset)?, mean, variance])
}
/// Cotangents of operand, scale and offset of `training`.
fn grad<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, scale, mean, variance, ct] = operands(op, v)?;
    let f = Features::of(cx, op, x)?;
    let [centred, normalised] = f.normalised(cx, x, mean, variance)?;
    let shifted = f.shifted(cx, variance)?;
    let count = f.count(cx, variance)?;
    let of_offset = f.sum(cx, ct)?;
    let product = cx.b.mul(ct, normalised)?;
    let of_scale = f.sum(cx, product)?;
    // scale / sqrt(variance + eps) / n · (n ct - Σ ct - centred Σ (ct centred) / (variance + eps))
    let along = cx.b.mul(ct, centred)?;
    let along = f.sum(cx, along)?;
    let along = cx.b.div(along, shifted)?;
    let along = f.spread(cx, along)?;
    let along = cx.b.mul(along, centred)?;
    let whole = f.spread(cx, count)?;
    let whole = cx.b.mul(ct, whole)?;
    let shared = f.spread(cx, of_offset)?;
    let rest = cx.b.sub(whole, shared)?;
    let rest = cx.b.sub(rest, along)?;
    let deviation = cx.b.sqrt(shifted)?;
    let factor = cx.b.div(scale, deviation)?;
    let factor = cx.b.div(factor, count)?;
    let factor = f.spread(cx, factor)?;
    Ok(vec![cx.b.mul(factor, rest)?, of_scale, of_offset])
}
