//! Calls of LAPACK that factor by reflections. As in `linalg`, batch axes lead, and
//! `info` is 0. Results that a call destroys are what they were.
use super::super::super::ast::Op;
use super::super::Made;
use super::super::func::FuncCx;
use super::elementwise::operands;
use super::linalg::{adjoint, back, front, letter, matrix, no_info};
use tfc_ir::ops::constant::IOTA;
use tfc_ir::ops::linalg::{QR_FACTOR, QR_MULTIPLY, SVD};
use tfc_ir::ops::shape::{CONCAT, SLICE};
use tfc_ir::{Attr, DType, Extent, NewOp, OpDef, Type, ValueId};

/// The results of a row on matrices in front, with NaN where it fails.
fn nan(cx: &mut FuncCx, def: &'static OpDef, v: &[ValueId]) -> Made<Vec<ValueId>> {
    Ok(cx.b.emit(NewOp::new(def, v).attr("on_fail", Attr::word("nan")))?)
}
/// The last axis becomes the first one.
fn front_line(cx: &mut FuncCx, x: ValueId) -> Made<ValueId> {
    let n = cx.b.func().ty(x).rank();
    let perm: Vec<usize> = (n.saturating_sub(1)..n).chain(0..n.saturating_sub(1)).collect();
    Ok(cx.b.transpose(x, &perm)?)
}
/// `n` columns of the identity, with the rows and batch axes of the matrices `like` in front.
fn identity(cx: &mut FuncCx, like: ValueId, n: &Extent) -> Made<ValueId> {
    let ty = cx.b.ty(like);
    let index = ty.without(&[1]).with_axis(1, n.clone()).with_dtype(DType::I64);
    let mut place =
        |axis: i64| cx.b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis)).types(vec![index.clone()]));
    let (i, j) = (place(0)?, place(1)?);
    let here = cx.b.eq(i, j)?;
    Ok(cx.b.convert(here, ty.dtype)?)
}
/// What stands along an axis from the extent `n` on.
fn behind(cx: &mut FuncCx, x: ValueId, axis: usize, n: &Extent) -> Made<ValueId> {
    let ty = cx.b.ty(x);
    let mut start = vec![Extent::exact(0); ty.rank()];
    start[axis] = n.clone();
    let op = NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(start));
    Ok(cx.b.emit1(op.attr("limit", Attr::extents(ty.dims.to_vec())))?)
}

/// `(A) → (packed, tau)`
pub(super) fn geqrf<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    let a = front(cx, a)?;
    let made = nan(cx, &QR_FACTOR, &[a])?;
    let [qr, tau] = operands(op, &made)?;
    Ok(vec![back(cx, qr, 2)?, back(cx, tau, 1)?])
}
/// `(packed, tau) → Q` with as many columns as `packed`.
pub(super) fn orgqr<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [qr, tau] = operands(op, v)?;
    matrix(cx, op, qr)?;
    let (qr, tau) = (front(cx, qr)?, front_line(cx, tau)?);
    let n = cx.b.ty(qr).dims[1].clone();
    let eye = identity(cx, qr, &n)?;
    let q = cx.b.emit1(NewOp::new(&QR_MULTIPLY, &[qr, tau, eye]))?;
    Ok(vec![back(cx, q, 2)?])
}
/// `(A) → (A destroyed, S, U, VT, info)`
pub(super) fn gesdd<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    let front = front(cx, a)?;
    let made = nan(cx, &SVD, &[front])?;
    let [mut u, s, mut vt] = operands(op, &made)?;
    let (s, info) = (back(cx, s, 1)?, no_info(cx, op, 4)?);
    // Without vectors, placeholders of the written types stand for them.
    if letter(cx, op, "mode") == Some('N') {
        let (tu, tv) = (cx.out(op, 2)?, cx.out(op, 3)?);
        return Ok(vec![a, s, cx.b.zeros(&tu)?, cx.b.zeros(&tv)?, info]);
    }
    if letter(cx, op, "mode") == Some('A') {
        u = completed(cx, u)?;
        let w = adjoint(cx, vt)?;
        let w = completed(cx, w)?;
        vt = adjoint(cx, w)?;
    }
    Ok(vec![a, s, back(cx, u, 2)?, back(cx, vt, 2)?, info])
}
/// Orthonormal columns, and behind them others that make them a basis: those of the reflections of their QR factorisation.
fn completed(cx: &mut FuncCx, x: ValueId) -> Made<ValueId> {
    let ty: Type = cx.b.ty(x);
    let (m, k) = (ty.dims[0].clone(), ty.dims[1].clone());
    if m == k {
        return Ok(x);
    }
    let made = nan(cx, &QR_FACTOR, &[x])?;
    let eye = identity(cx, x, &m)?;
    let rest = behind(cx, eye, 1, &k)?;
    let rest = cx.b.emit1(NewOp::new(&QR_MULTIPLY, &[made[0], made[1], rest]))?;
    Ok(cx.b.emit1(NewOp::new(&CONCAT, &[x, rest]).attr("axis", Attr::Int(1)))?)
}
