//! Linear algebra: `triangular_solve`, and the calls of LAPACK that have a row. Here batch axes lead, in the rows they trail.
//! A call's `info` is 0: a matrix without a factorisation gives NaN, which is what JAX makes of another `info`.
use super::super::super::ast::{Attr as Written, AttrKind, Op, Word};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args};
use super::elementwise::operands;
use super::{Emit, Table};
use tfc_ir::ops::linalg::{CHOLESKY, EIGH, LU_FACTOR, SVD, TRIANGULAR_SOLVE};
use tfc_ir::ops::shape::{TRIL, TRIU};
use tfc_ir::{Attr, Diagnostic, NewOp, ValueId};

pub(super) const OPS: Table = &[
    ("stablehlo.cholesky", Emit::Whole(|cx, op, v| cholesky(cx, op, v, cx.flag(op, "lower")))),
    ("stablehlo.triangular_solve", Emit::Whole(triangular_solve)),
];

/// The two last axes become the first ones.
fn front(cx: &mut FuncCx, x: ValueId) -> Made<ValueId> {
    let n = cx.b.func().ty(x).rank();
    let perm: Vec<usize> = (n.saturating_sub(2)..n).chain(0..n.saturating_sub(2)).collect();
    Ok(cx.b.transpose(x, &perm)?)
}
/// The `k` first axes become the last ones.
fn back(cx: &mut FuncCx, x: ValueId, k: usize) -> Made<ValueId> {
    let n = cx.b.func().ty(x).rank();
    let perm: Vec<usize> = (k.min(n)..n).chain(0..k.min(n)).collect();
    Ok(cx.b.transpose(x, &perm)?)
}
fn matrix(cx: &FuncCx, op: &Op, x: ValueId) -> Made<()> {
    if cx.b.func().ty(x).rank() >= 2 {
        return Ok(());
    }
    let text = format!("`{}` takes matrices", op.name.text);
    Err(Diagnostic::error("E0205", op.span, text)
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
    let (a, b) = (front(cx, a)?, front(cx, b)?);
    let new = NewOp::new(&TRIANGULAR_SOLVE, &[a, b])
        .attr("left", Attr::Bool(t.left))
        .attr("lower", Attr::Bool(t.lower))
        .attr("transpose", Attr::word(t.transpose))
        .attr("unit", Attr::Bool(t.unit));
    let x = cx.b.emit1(new)?;
    back(cx, x, 2)
}
fn triangular_solve<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a, b] = operands(op, v)?;
    let transpose = match cx.word(op, "transpose_a", 0) {
        None | Some("NO_TRANSPOSE" | "TRANSPOSE_INVALID") => "none",
        Some("TRANSPOSE") => "transpose",
        Some("ADJOINT") => "adjoint",
        Some(w) => return Err(args::wrong(op.span, format!("`{w}` is no way to transpose"), "TRANSPOSE or ADJOINT")),
    };
    let flag = |key: &str| cx.flag(op, key);
    let t = Triangle { left: flag("left_side"), lower: flag("lower"), unit: flag("unit_diagonal"), transpose };
    Ok(vec![solve(cx, op, a, b, &t)?])
}

/// The adjoints of matrices in front.
fn adjoint(cx: &mut FuncCx, x: ValueId) -> Made<ValueId> {
    let perm: Vec<usize> = [1, 0].into_iter().chain(2..cx.b.func().ty(x).rank()).collect();
    let x = cx.b.transpose(x, &perm)?;
    Ok(cx.b.conj_if_complex(x)?)
}
/// The factor, of which the triangle is read that is asked for; 0 stands in the other one.
fn cholesky<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId], lower: bool) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    let mut a = front(cx, a)?;
    if !lower {
        a = adjoint(cx, a)?;
    }
    let mut l = cx.b.emit1(NewOp::new(&CHOLESKY, &[a]).attr("on_fail", Attr::word("nan")))?;
    if !lower {
        l = adjoint(cx, l)?;
    }
    Ok(vec![back(cx, l, 2)?])
}
/// `(A) → (A', info)`
pub(super) fn potrf<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let lower = letter(cx, op, "uplo") != Some('U');
    let l = cholesky(cx, op, v, lower)?;
    Ok(vec![l[0], no_info(cx, op, 1)?])
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
fn letter<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, key: &str) -> Option<char> {
    let config: &'a [(Word, Written)] = match &cx.find(op, "mhlo.backend_config")?.kind {
        AttrKind::Dict(d) => d,
        _ => return None,
    };
    let (_, a) = config.iter().find(|(k, _)| k.text == key)?;
    char::from_u32(u32::try_from(args::one(a).ok()?).ok()?)
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

/// Values and vectors of a Hermitian matrix of which one triangle is read.
fn hermitian(cx: &mut FuncCx, op: &Op, a: ValueId, lower: bool) -> Made<(ValueId, ValueId)> {
    matrix(cx, op, a)?;
    let a = front(cx, a)?;
    let (row, k) = if lower { (&TRIL, -1) } else { (&TRIU, 1) };
    let own = cx.b.emit1(NewOp::new(row, &[a]))?;
    let strict = cx.b.emit1(NewOp::new(row, &[a]).attr("k", Attr::Int(k)))?;
    let rank = cx.b.func().ty(a).rank();
    let perm: Vec<usize> = [1, 0].into_iter().chain(2..rank).collect();
    let other = cx.b.transpose(strict, &perm)?;
    let other = cx.b.conj_if_complex(other)?;
    let whole = cx.b.add(own, other)?;
    let made = cx.b.emit(NewOp::new(&EIGH, &[whole]).attr("on_fail", Attr::word("nan")))?;
    let [w, u] = operands(op, &made)?;
    Ok((back(cx, w, 1)?, back(cx, u, 2)?))
}
fn no_info<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, i: usize) -> Made<ValueId> {
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
/// `(A) → (A destroyed, S, U, VT, info)`: nobody reads the first, in whose place the operand stands.
pub(super) fn gesdd<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a] = operands(op, v)?;
    matrix(cx, op, a)?;
    let ty = cx.b.ty(a);
    let square = matches!(&ty.dims[..], [.., m, n] if m == n);
    if letter(cx, op, "mode") == Some('A') && !square {
        let d = Diagnostic::error("E0240", op.span, "all singular vectors of a matrix that is not square are not read");
        return Err(d.help("export with `full_matrices = False`").into_stop());
    }
    let front = front(cx, a)?;
    let made = cx.b.emit(NewOp::new(&SVD, &[front]).attr("on_fail", Attr::word("nan")))?;
    let [u, s, vt] = operands(op, &made)?;
    let (u, s, vt) = (back(cx, u, 2)?, back(cx, s, 1)?, back(cx, vt, 2)?);
    let info = no_info(cx, op, 4)?;
    // Without vectors, placeholders of the written types stand for them.
    if letter(cx, op, "mode") == Some('N') {
        let (tu, tv) = (cx.out(op, 2)?, cx.out(op, 3)?);
        return Ok(vec![a, s, cx.b.zeros(&tu)?, cx.b.zeros(&tv)?, info]);
    }
    Ok(vec![a, s, u, vt, info])
}
