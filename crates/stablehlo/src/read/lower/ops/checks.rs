//! Ops of the `check` dialect, and `interpreter.probe`: they hold when the program runs, or it fails. Tolerances are those of
//! StableHLO's interpreter: absolute where none is written, or units in the last place.
use super::super::super::ast::{AttrKind, Op};
use super::super::Made;
use super::super::func::FuncCx;
use super::super::probes::Seen;
use super::elementwise::{literal, operands};
use super::{Emit, Table};
use tfc_ir::ops::extents::{CHECK_CLOSE, CHECK_EQUAL};
use tfc_ir::{Attr, NewOp, ValueId};

pub(super) const OPS: Table = &[
    ("check.expect_almost_eq", Emit::Whole(almost)),
    ("check.expect_almost_eq_const", Emit::Whole(almost_const)),
    ("check.expect_close", Emit::Whole(close)),
    ("check.expect_eq", Emit::Whole(equal)),
    ("check.expect_eq_const", Emit::Whole(equal_const)),
    ("check.expect_serialized_eq", Emit::Whole(serialized)),
    ("interpreter.probe", Emit::Whole(probe)),
];

/// The tolerance of `check.expect_almost_eq` where none is written.
const ALMOST: f64 = 1e-4;

pub(super) fn equal<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, y] = operands(op, v)?;
    Ok(cx.b.emit(NewOp::new(&CHECK_EQUAL, &[x, y]))?)
}
/// The constant that stands behind the operand.
fn constant<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, x: ValueId) -> Made<ValueId> {
    let given = op.given.iter().find(|a| matches!(a.kind, AttrKind::Dense(..)));
    let a = match given {
        Some(a) => a,
        None => cx.need(op, "value")?,
    };
    let ty = cx.b.ty(x);
    literal(cx, a, &ty)
}
fn equal_const<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let y = constant(cx, op, x)?;
    equal(cx, op, &[x, y])
}
fn almost<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, y] = operands(op, v)?;
    let tolerance = cx.number(op, "tolerance")?.unwrap_or(ALMOST);
    within(cx, [x, y], tolerance)
}
pub(super) fn within(cx: &mut FuncCx, [x, y]: [ValueId; 2], tolerance: f64) -> Made<Vec<ValueId>> {
    let dtype = cx.b.func().ty(x).dtype;
    if !dtype.is_inexact() {
        return Ok(cx.b.emit(NewOp::new(&CHECK_EQUAL, &[x, y]))?);
    }
    let parts = if dtype.is_complex() {
        // Each part by itself.
        vec![(cx.b.real(x)?, cx.b.real(y)?), (cx.b.imag(x)?, cx.b.imag(y)?)]
    } else {
        vec![(x, y)]
    };
    for (x, y) in parts {
        cx.b.emit(NewOp::new(&CHECK_CLOSE, &[x, y]).attr("atol", Attr::Float(tolerance)))?;
    }
    Ok(vec![])
}
fn almost_const<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let y = constant(cx, op, x)?;
    almost(cx, op, &[x, y])
}
fn close<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, y] = operands(op, v)?;
    let ulp = match cx.find(op, "max_ulp_difference") {
        // A limit that does not fit, as the greatest of 64 bits, lets everything through.
        Some(a) => match a.kind {
            AttrKind::Num(n) => n.parse::<i64>().unwrap_or(i64::MAX),
            _ => cx.int(op, "max_ulp_difference")?,
        },
        None => 3,
    };
    near(cx, [x, y], ulp)
}
/// At most `ulp` units in the last place apart; numbers without such are equal.
pub(super) fn near(cx: &mut FuncCx, [x, y]: [ValueId; 2], ulp: i64) -> Made<Vec<ValueId>> {
    if ulp == i64::MAX {
        return Ok(vec![]);
    }
    let inexact = cx.b.func().ty(x).dtype.is_inexact();
    let new = NewOp::new(if inexact { &CHECK_CLOSE } else { &CHECK_EQUAL }, &[x, y]);
    Ok(cx.b.emit(if inexact { new.attr("ulp", Attr::Int(ulp)) } else { new })?)
}

/// Hands its operand on, and keeps it under the id for `expect_serialized_eq`.
fn probe<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    if let Some(id) = cx.text(op, "probe_id") {
        cx.see(id, Seen::One(x));
    }
    Ok(vec![x])
}
/// Compares with the value that a probe has seen: the first, or of that number.
fn serialized<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let number = cx.int_or(op, "iter", 0)?;
    let y = cx.seen_at(op, cx.text(op, "probe_id").unwrap_or_default(), number)?;
    equal(cx, op, &[x, y])
}
