//! Calls of LAPACK that factor by reflections or find eigenvalues, and tridiagonal systems. As in `linalg`, batch axes lead, and
//! `info` is 0. Results that a call destroys are what they were.
use super::super::super::ast::Op;
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, Stop};
use super::elementwise::operands;
use super::linalg::{adjoint, back, front, letter, matrix, no_info, setting, whole};
use tfc_ir::ops::constant::IOTA;
use tfc_ir::ops::linalg::{EIG, HESSENBERG, QR_FACTOR, QR_MULTIPLY, SCHUR, SVD, TRIDIAGONAL_SOLVE};
use tfc_ir::ops::shape::{CONCAT, EXTRACT_DIAG, SLICE, TRIL, TRIU};
use tfc_ir::{Attr, DType, Diagnostic, Extent, NewOp, OpDef, Type, ValueId};

fn refused(op: &Op, text: &str, help: &'static str) -> Stop {
    Diagnostic::error("E0240", op.span, text).help(help).into_stop()
}
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
/// `(A) → (packed, tau, info)`, of whole matrices only.
pub(super) fn gehrd<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    let front = front(cx, a)?;
    let rows = cx.b.ty(front).dims[0].as_exact();
    let bound = |key: &str| setting(cx, op, key);
    if bound("low").is_some_and(|l| l != 1) || bound("high").zip(rows).is_some_and(|(high, n)| high != n) {
        return Err(refused(
            op,
            "a Hessenberg form of a part of the rows is not read",
            "export with `low = 1` and `high` the number of rows",
        ));
    }
    let made = nan(cx, &HESSENBERG, &[front])?;
    let [h, tau] = operands(op, &made)?;
    Ok(vec![back(cx, h, 2)?, back(cx, tau, 1)?, no_info(cx, op, 2)?])
}
/// `(A) → (packed, d, e, tau, info)`: the Hessenberg form of a Hermitian matrix, of which the lower triangle is read.
pub(super) fn sytrd<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    if letter(cx, op, "uplo") == Some('U') {
        return Err(refused(
            op,
            "a reduction to tridiagonal form by the upper triangle is not read",
            "export with `lower = True`",
        ));
    }
    let given = front(cx, a)?;
    let a = whole(cx, given, true)?;
    let made = nan(cx, &HESSENBERG, &[a])?;
    let [h, tau] = operands(op, &made)?;
    let below = behind(cx, h, 0, &Extent::exact(1))?;
    let (d, e) = (real_diagonal(cx, h)?, real_diagonal(cx, below)?);
    // The other triangle is left as it was.
    let low = cx.b.emit1(NewOp::new(&TRIL, &[h]))?;
    let up = cx.b.emit1(NewOp::new(&TRIU, &[given]).attr("k", Attr::Int(1)))?;
    let h = cx.b.add(low, up)?;
    Ok(vec![back(cx, h, 2)?, back(cx, d, 1)?, back(cx, e, 1)?, back(cx, tau, 1)?, no_info(cx, op, 4)?])
}
fn real_diagonal(cx: &mut FuncCx, x: ValueId) -> Made<ValueId> {
    let d = cx.b.emit1(NewOp::new(&EXTRACT_DIAG, &[x]))?;
    Ok(if cx.b.ty(d).dtype.is_complex() { cx.b.real(d)? } else { d })
}
/// Eigenvalues as a call gives them: two vectors of a real matrix, one of a complex one.
fn values(cx: &mut FuncCx, w: ValueId, real: bool) -> Made<Vec<ValueId>> {
    let w = back(cx, w, 1)?;
    Ok(if real { vec![cx.b.real(w)?, cx.b.imag(w)?] } else { vec![w] })
}
/// `(A) → (T, Z, values, sdim, info)`
pub(super) fn gees<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    if letter(cx, op, "sort") == Some('S') {
        return Err(refused(
            op,
            "a Schur form with eigenvalues in an order is not read",
            "export with `sort_eig_vals = False`",
        ));
    }
    let a = front(cx, a)?;
    let real = !cx.b.ty(a).dtype.is_complex();
    let made = nan(cx, &SCHUR, &[a])?;
    let [t, z, w] = operands(op, &made)?;
    let mut out = vec![back(cx, t, 2)?, back(cx, z, 2)?];
    out.extend(values(cx, w, real)?);
    out.push(no_info(cx, op, out.len())?);
    out.push(no_info(cx, op, out.len())?);
    Ok(out)
}
/// `(A) → (values, left vectors, right vectors, info)`
pub(super) fn geev<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    let a = front(cx, a)?;
    let real = !cx.b.ty(a).dtype.is_complex();
    let made = nan(cx, &EIG, &[a])?;
    let [w, right, left] = operands(op, &made)?;
    let mut out = values(cx, w, real)?;
    out.extend([back(cx, left, 2)?, back(cx, right, 2)?]);
    out.push(no_info(cx, op, out.len())?);
    Ok(out)
}
/// `(dl, d, du, B) → (dl, d, du destroyed, X, info)`
pub(super) fn gtsv<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [dl, d, du, b] = operands(op, v)?;
    matrix(cx, op, b)?;
    let mut all = vec![];
    for x in [dl, d, du] {
        all.push(front_line(cx, x)?);
    }
    all.push(front(cx, b)?);
    let x = nan(cx, &TRIDIAGONAL_SOLVE, &all)?;
    let [x] = operands(op, &x)?;
    Ok(vec![dl, d, du, back(cx, x, 2)?, no_info(cx, op, 4)?])
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
