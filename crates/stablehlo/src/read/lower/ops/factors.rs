//! Calls of LAPACK that factor by reflections or find eigenvalues, and tridiagonal systems. As in `linalg`, batch axes lead, and
//! `info` is 0. Results that a call destroys are what they were.
use super::super::super::ast::Op;
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, Stop};
use super::elementwise::operands;
use super::linalg::{adjoint, back, front, letter, matrix, no_info, setting, whole};
use tfc_ir::ops::constant::{IOTA, splat_of};
use tfc_ir::ops::index::GATHER;
use tfc_ir::ops::linalg::{EIG, HESSENBERG, QR_FACTOR, QR_MULTIPLY, QR_PIVOTED, SCHUR, SVD, TRIDIAGONAL_SOLVE};
use tfc_ir::ops::shape::{BROADCAST_IN_DIM, CONCAT, EXTRACT_DIAG, SLICE, TRIL, TRIU};
use tfc_ir::{Attr, Code, DType, Diagnostic, Extent, NewOp, OpDef, Type, ValueId};

fn refused(op: &Op, text: &str, help: &'static str) -> Stop {
    Diagnostic::error(Code::E0240, op.span, text).help(help).into_stop()
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
/// `(packed, tau, C) → Q C`, or `C Q` where `left` is false; of the adjoint of `Q` with `transpose`.
pub(super) fn ormqr<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [qr, tau, c] = operands(op, v)?;
    matrix(cx, op, qr)?;
    matrix(cx, op, c)?;
    let is = |key: &str| setting(cx, op, key) == Some(1);
    let (left, adjoined) = (is("left"), is("transpose"));
    let (qr, tau, mut c) = (front(cx, qr)?, front_line(cx, tau)?, front(cx, c)?);
    // `C Q` is the adjoint of `Qᴴ Cᴴ`.
    if !left {
        c = adjoint(cx, c)?;
    }
    let new = NewOp::new(&QR_MULTIPLY, &[qr, tau, c]).attr("adjoint", Attr::Bool(adjoined == left));
    let mut y = cx.b.emit1(new)?;
    if !left {
        y = adjoint(cx, y)?;
    }
    Ok(vec![back(cx, y, 2)?])
}
/// `(A, jpvt) → (packed, order of columns from 1, tau)`; `jpvt` fixes no column.
pub(super) fn geqp3<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a, free] = operands(op, v)?;
    matrix(cx, op, a)?;
    // JAX repeats one 0.
    let f = cx.b.func();
    let repeated = f.def_op(free).filter(|o| o.def.is(&BROADCAST_IN_DIM)).and_then(|o| o.operands.first().copied());
    if splat_of(f, repeated.unwrap_or(free)) != Some(0.0) {
        return Err(refused(
            op,
            "a pivoted QR factorisation with columns in places that are given is not read",
            "let `jpvt` be 0",
        ));
    }
    let whole = front(cx, a)?;
    let made = nan(cx, &QR_PIVOTED, &[whole])?;
    let [_, _, p] = operands(op, &made)?;
    let p = back(cx, p, 1)?;
    // The columns in that order, whose packed factors are those of `A P`.
    let (ty, lead) = (cx.b.ty(a), cx.b.ty(p).rank().saturating_sub(1));
    let leads: Vec<usize> = (0..lead).collect();
    let mut sizes = vec![Extent::exact(1); ty.rank()];
    sizes[lead] = ty.dims[lead].clone();
    let new = NewOp::new(&GATHER, &[a, p])
        .attr("offset_dims", Attr::ints(&[lead]))
        .attr("collapsed_slice_dims", Attr::ints(&[lead + 1]))
        .attr("operand_batching_dims", Attr::ints(&leads))
        .attr("start_indices_batching_dims", Attr::ints(&leads))
        .attr("start_index_map", Attr::ints(&[lead + 1]))
        .attr("index_vector_dim", Attr::Int(lead as i64 + 1))
        .attr("slice_sizes", Attr::extents(sizes));
    let ordered = cx.b.emit1(new)?;
    let packed = geqrf(cx, op, &[ordered])?;
    let [packed, tau] = operands(op, &packed)?;
    let dtype = cx.out_dtype(op, 1)?;
    let one = cx.b.like(p, 1.0)?;
    let p = cx.b.add(p, one)?;
    Ok(vec![packed, cx.b.convert(p, dtype)?, tau])
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
/// `(A) → (packed, d, e, tau, info)`: the Hessenberg form of a Hermitian matrix of which one triangle is read. By the upper
/// one LAPACK begins at the last column: all is as by the lower triangle of the matrix with rows and columns in reverse.
pub(super) fn sytrd<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    let upper = letter(cx, op, "uplo") == Some('U');
    let turned = |cx: &mut FuncCx<'a>, x: ValueId, axes: usize| match upper {
        true => (0..axes).try_fold(x, |x, axis| cx.b.reverse(x, axis)),
        false => Ok(x),
    };
    let given = front(cx, a)?;
    let given = turned(cx, given, 2)?;
    let a = whole(cx, given, true)?;
    let made = nan(cx, &HESSENBERG, &[a])?;
    let [h, tau] = operands(op, &made)?;
    let below = behind(cx, h, 0, &Extent::exact(1))?;
    let (d, e) = (real_diagonal(cx, h)?, real_diagonal(cx, below)?);
    // The other triangle is left as it was.
    let low = cx.b.emit1(NewOp::new(&TRIL, &[h]))?;
    let up = cx.b.emit1(NewOp::new(&TRIU, &[given]).attr("k", Attr::Int(1)))?;
    let h = cx.b.add(low, up)?;
    let h = turned(cx, h, 2)?;
    let mut out = vec![back(cx, h, 2)?];
    for line in [d, e, tau] {
        let line = turned(cx, line, 1)?;
        out.push(back(cx, line, 1)?);
    }
    out.push(no_info(cx, op, 4)?);
    Ok(out)
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
            "what orders them is no part of the program: export with `sort_eig_vals = False`",
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
