//! Linear algebra: `triangular_solve`, and the calls of LAPACK that have a row. Here batch axes lead, in the rows they trail.
//! A call's `info` is 0: a matrix without a factorisation gives NaN, which is what JAX makes of another `info`.
use super::super::super::ast::{Attr as Written, AttrKind, Op, Word};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args};
use super::elementwise::operands;
use super::{Emit, Table};
use tfc_ir::ops::elementwise::small::widened;
use tfc_ir::ops::linalg::{CHOLESKY, EIGH, LU_FACTOR, TRIANGULAR_SOLVE};
use tfc_ir::ops::shape::{TRIL, TRIU};
use tfc_ir::{Attr, Code, Diagnostic, NewOp, ValueId};

pub(super) const OPS: Table = &[
    ("stablehlo.cholesky", Emit::Whole(|cx, op, v| cholesky(cx, op, v, cx.flag(op, "lower")))),
    ("stablehlo.triangular_solve", Emit::Whole(triangular_solve)),
];

/// The two last axes become the first ones.
pub(super) fn front(cx: &mut FuncCx, x: ValueId) -> Made<ValueId> {
    let n = cx.b.func().ty(x).rank();
    let perm: Vec<usize> = (n.saturating_sub(2)..n).chain(0..n.saturating_sub(2)).collect();
    Ok(cx.b.transpose(x, &perm)?)
}
/// The `k` first axes become the last ones.
pub(super) fn back(cx: &mut FuncCx, x: ValueId, k: usize) -> Made<ValueId> {
    let n = cx.b.func().ty(x).rank();
    let perm: Vec<usize> = (k.min(n)..n).chain(0..k.min(n)).collect();
    Ok(cx.b.transpose(x, &perm)?)
}
pub(super) fn matrix(cx: &FuncCx, op: &Op, x: ValueId) -> Made<()> {
    if cx.b.func().ty(x).rank() >= 2 {
        return Ok(());
    }
    let text = format!("`{}` takes matrices", op.name.text);
    Err(Diagnostic::error(Code::E0205, op.span, text)
        .help("its operands have two axes, and those of batches in front")
        .into_stop())
}

struct Triangle {
    left: bool,
    lower: bool,
    unit: bool,
    transpose: &'static str,
}
fn solve(cx: &mut FuncCx, op: &Op, a: ValueId, b: ValueId, t: &Triangle) -> Made<ValueId> {
    matrix(cx, op, a)?;
    matrix(cx, op, b)?;
    let dtype = cx.b.func().ty(b).dtype;
    let (a, b) = (widened(&mut cx.b, a)?, widened(&mut cx.b, b)?);
    let (a, b) = (front(cx, a)?, front(cx, b)?);
    let new = NewOp::new(&TRIANGULAR_SOLVE, &[a, b])
        .attr("left", Attr::Bool(t.left))
        .attr("lower", Attr::Bool(t.lower))
        .attr("transpose", Attr::word(t.transpose))
        .attr("unit", Attr::Bool(t.unit));
    let x = cx.b.emit1(new)?;
    let x = cx.b.convert(x, dtype)?;
    back(cx, x, 2)
}
fn triangular_solve<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a, b] = operands(op, v)?;
    let transpose = match cx.word(op, "transpose_a", 0) {
        None | Some("NO_TRANSPOSE") => "none",
        Some("TRANSPOSE") => "transpose",
        Some("ADJOINT") => "adjoint",
        Some(w) => return Err(args::wrong(op.span, format!("`{w}` is no way to transpose"), "TRANSPOSE or ADJOINT")),
    };
    let flag = |key: &str| cx.flag(op, key);
    let t = Triangle { left: flag("left_side"), lower: flag("lower"), unit: flag("unit_diagonal"), transpose };
    Ok(vec![solve(cx, op, a, b, &t)?])
}

/// The adjoints of matrices in front.
pub(super) fn adjoint(cx: &mut FuncCx, x: ValueId) -> Made<ValueId> {
    let perm: Vec<usize> = [1, 0].into_iter().chain(2..cx.b.func().ty(x).rank()).collect();
    let x = cx.b.transpose(x, &perm)?;
    Ok(cx.b.conj_if_complex(x)?)
}
/// The factor, of which the triangle is read that is asked for; 0 stands in the other one.
fn cholesky<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId], lower: bool) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    let dtype = cx.b.func().ty(a).dtype;
    let a = widened(&mut cx.b, a)?;
    let mut a = front(cx, a)?;
    if !lower {
        a = adjoint(cx, a)?;
    }
    let mut l = cx.b.emit1(NewOp::new(&CHOLESKY, &[a]).attr("on_fail", Attr::word("nan")))?;
    if !lower {
        l = adjoint(cx, l)?;
    }
    let l = cx.b.convert(l, dtype)?;
    Ok(vec![back(cx, l, 2)?])
}
/// `(A) → (A', info)`: in the other triangle stays what was there.
pub(super) fn potrf<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let lower = letter(cx, op, "uplo") != Some('U');
    let [l] = operands(op, &cholesky(cx, op, v, lower)?)?;
    let [a] = operands(op, v)?;
    let (row, k) = if lower { (&TRIU, 1) } else { (&TRIL, -1) };
    let a = front(cx, a)?;
    let other = cx.b.emit1(NewOp::new(row, &[a]).attr("k", Attr::Int(k)))?;
    let other = back(cx, other, 2)?;
    // 0 stands there in the factor.
    Ok(vec![cx.b.add(l, other)?, no_info(cx, op, 1)?])
}
/// Packed factors, pivots from 0 and the order of rows.
fn lu(cx: &mut FuncCx, op: &Op, v: &[ValueId]) -> Made<[ValueId; 3]> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    let a = front(cx, a)?;
    let made = cx.b.emit(NewOp::new(&LU_FACTOR, &[a]).attr("on_fail", Attr::word("nan")))?;
    let [lu, pivots, p] = operands(op, &made)?;
    Ok([back(cx, lu, 2)?, back(cx, pivots, 1)?, back(cx, p, 1)?])
}
/// `(A) → (LU, pivots from 1, info)`
pub(super) fn getrf<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [lu, pivots, _] = lu(cx, op, v)?;
    let one = cx.b.like(pivots, 1.0)?;
    let pivots = cx.b.add(pivots, one)?;
    let dtype = cx.out_dtype(op, 1)?;
    Ok(vec![lu, cx.b.convert(pivots, dtype)?, no_info(cx, op, 2)?])
}
/// `(A) → (LU, pivots, order of rows)`
pub(super) fn lu_decomposition<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [lu, pivots, p] = lu(cx, op, v)?;
    let (a, b) = (cx.out_dtype(op, 1)?, cx.out_dtype(op, 2)?);
    Ok(vec![lu, cx.b.convert(pivots, a)?, cx.b.convert(p, b)?])
}

/// A character of `mhlo.backend_config`, which comes as its number.
pub(super) fn letter<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, key: &str) -> Option<char> {
    char::from_u32(u32::try_from(setting(cx, op, key)?).ok()?)
}
/// A number of `mhlo.backend_config`.
pub(super) fn setting<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, key: &str) -> Option<i64> {
    let config: &'a [(Word, Written)] = match &cx.find(op, "mhlo.backend_config")?.kind {
        AttrKind::Dict(d) => d,
        _ => return None,
    };
    let (_, a) = config.iter().find(|(k, _)| k.text == key)?;
    args::one(a).ok()
}
pub(super) fn trsm<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a, b] = operands(op, v)?;
    let is = |key: &str, c: char| letter(cx, op, key) == Some(c);
    let transpose = if is("trans_x", 'T') {
        "transpose"
    } else if is("trans_x", 'C') {
        "adjoint"
    } else {
        "none"
    };
    let t = Triangle { left: is("side", 'L'), lower: is("uplo", 'L'), unit: is("diag", 'U'), transpose };
    Ok(vec![solve(cx, op, a, b, &t)?])
}

/// The Hermitian matrices in front of which one triangle is given.
pub(super) fn whole(cx: &mut FuncCx, a: ValueId, lower: bool) -> Made<ValueId> {
    let (row, k) = if lower { (&TRIL, -1) } else { (&TRIU, 1) };
    let own = cx.b.emit1(NewOp::new(row, &[a]))?;
    let strict = cx.b.emit1(NewOp::new(row, &[a]).attr("k", Attr::Int(k)))?;
    let other = adjoint(cx, strict)?;
    Ok(cx.b.add(own, other)?)
}
/// Values and vectors of a Hermitian matrix of which one triangle is read.
fn hermitian(cx: &mut FuncCx, op: &Op, a: ValueId, lower: bool) -> Made<(ValueId, ValueId)> {
    matrix(cx, op, a)?;
    let a = front(cx, a)?;
    let whole = whole(cx, a, lower)?;
    let made = cx.b.emit(NewOp::new(&EIGH, &[whole]).attr("on_fail", Attr::word("nan")))?;
    let [w, u] = operands(op, &made)?;
    Ok((back(cx, w, 1)?, back(cx, u, 2)?))
}
pub(super) fn no_info<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, i: usize) -> Made<ValueId> {
    let ty = cx.out(op, i)?;
    Ok(cx.b.zeros(&ty)?)
}
/// `(A) → (V, W, info)`
pub(super) fn syevd<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    let lower = letter(cx, op, "uplo") != Some('U');
    let (w, u) = hermitian(cx, op, a, lower)?;
    Ok(vec![u, w, no_info(cx, op, 2)?])
}
/// `(A) → (V, W)`; what the configuration says first is whether the lower triangle is read.
pub(super) fn eigh<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    let lower = cx.text(op, "backend_config").is_none_or(|c| !c.starts_with('0'));
    let (w, u) = hermitian(cx, op, a, lower)?;
    Ok(vec![u, w])
}
