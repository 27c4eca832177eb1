//! Reductions, and the places of greatest and least elements.
use tfc_ir::ops::reduce as r;
use tfc_ir::{DType, Result};

use super::Rows;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken};

pub(super) const ROWS: Rows = &[
    (&r::REDUCE_SUM, By(|cx| fold(cx, "add", |w, t| w.splat(t, 0.0)))),
    (&r::REDUCE_PROD, By(|cx| fold(cx, "multiply", |w, t| w.splat(t, 1.0)))),
    (&r::REDUCE_MAX, By(|cx| fold(cx, "maximum", |w, t| w.end(t, false)))),
    (&r::REDUCE_MIN, By(|cx| fold(cx, "minimum", |w, t| w.end(t, true)))),
    (&r::REDUCE_AND, By(|cx| fold(cx, "and", ones))),
    (&r::REDUCE_OR, By(|cx| fold(cx, "or", |w, t| w.splat(t, 0.0)))),
    (&r::REDUCE_XOR, By(|cx| fold(cx, "xor", |w, t| w.splat(t, 0.0)))),
    (&r::ARGMAX, By(|cx| place(cx, "maximum"))),
    (&r::ARGMIN, By(|cx| place(cx, "minimum"))),
];

/// Every bit.
fn ones(w: &mut Writer, ty: &Ty) -> Result<Val> {
    let zero = w.splat(ty, 0.0)?;
    Ok(w.un("not", &zero))
}
fn fold(cx: &mut Cx, op: &str, init: fn(&mut Writer, &Ty) -> Result<Val>) -> Result<Vec<Val>> {
    let (x, axes) = (cx.arg(0)?, cx.attrs().indices("axes"));
    let init = init(cx, &Ty::scalar(x.dtype()))?;
    Ok(vec![cx.reduce(op, &x, &init, &axes)])
}
/// The least index of what is equal to the extremum, or of the first NaN where that is the extremum.
fn place(cx: &mut Cx, op: &str) -> Result<Vec<Val>> {
    let (x, ty) = (cx.arg(0)?, cx.result(0)?);
    let axis = cx.attrs().indices("axis").first().copied().ok_or_else(|| broken("an axis"))?;
    if ty.is_empty() {
        return Ok(vec![cx.splat(&ty, 0.0)?]);
    }
    let init = cx.end(&Ty::scalar(x.dtype()), op == "minimum")?;
    let best = cx.reduce(op, &x, &init, &[axis]);
    let axes: Vec<usize> = (0..x.rank()).filter(|&a| a != axis).collect();
    let best = cx.broadcast(&best, &axes, &x.ty);
    let mut hit = cx.compare("EQ", &x, &best);
    if x.dtype().is_float() {
        // A NaN is the only number that differs from itself, and the extremum wherever it is.
        let nan = cx.compare("NE", &x, &x);
        hit = cx.bin("or", &hit, &nan);
    }
    let places = x.ty.with(DType::I64);
    let at = cx.iota(&places, axis);
    let beyond = cx.end(&places, true)?;
    let at = cx.select(&hit, &at, &beyond);
    let init = cx.end(&Ty::scalar(DType::I64), true)?;
    Ok(vec![cx.reduce("minimum", &at, &init, &[axis])])
}
