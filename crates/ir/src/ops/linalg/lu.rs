//! LU factorisation with partial pivoting, and its derivative.
use super::triangular::{Triangular, solve};
use super::*;
use crate::ops::constant::IOTA;
use crate::ops::shape::{CONCAT, EMBED_DIAG, PAD_SUFFIX, REVERSE, SLICE, TRIL, TRIU, pad};

/// `linalg.lu_factor`.
pub static LU_FACTOR: OpDef = OpDef {
    name: "linalg.lu_factor",
    doc: "LU factorisation with partial pivoting of matrices `m × n`: `a[p, :] = l · u` with `k = min(m, n)`, `l` unit lower triangular, \
          `m × k`, and `u` upper triangular, `k × n`. `lu` holds `u` and, below the diagonal, `l` without its ones, as LAPACK's `getrf`. \
          `pivots` (`i64[k]`, from 0) says with which row each row was exchanged in turn, `p` (`i64[m]`) the row of `a` that each row \
          was. A matrix without an inverse is factored too.\n\n`on_fail`: a matrix with a NaN or an infinity is an error (`E0740`), or \
          gives NaN.\n\nDerivative: `pivots` and `p` are locally constant. Where a pivot that `l` was divided by is 0 there is none, \
          and it holds infinities or NaN; a 0 in the last row does no harm.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| {
        let a = matrices(cx)?;
        let batch = a.without(&[0, 1]).with_dtype(DType::I64);
        let k = Extent::min(&a.dims[0], &a.dims[1])?;
        let p = batch.with_axis(0, a.dims[0].clone());
        Ok(vec![a, batch.with_axis(0, k), p])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize),
    batch: Batch::Rule(trailing),
    law: Law::Holds { state: laws::lu, hard: |cx| hard::factorisation(cx, |_| true, &[Attrs::none()]) },
    sample,
    ..OpDef::BASE
};

/// With `a[p, :] = L U`, `L₁` and `U₁` their leading `k × k` blocks, `A₁` and `A₂` the first `k` rows and columns of `a[p, :]`,
/// `F = L₁⁻¹ dA₁₁ U₁⁻¹`: `dL₁ = L₁ low(F)`, `dU₁ = up(F) U₁`; below, `dL₂ = (dA₂₁ − L₂ dU₁) U₁⁻¹`, and to the right
/// `dU₂ = L₁⁻¹ (dA₁₂ − dL₁ U₂)` (de Hoog, Anderssen & Lukas 2011, for the square block; the others follow from `dA = dL U + L dU`).
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let [m, n] = {
        let ty = cx.p().ty(primals[0]);
        [ty.dims[0].clone(), ty.dims[1].clone()]
    };
    let k = cx.lin_extent(&Extent::min(&m, &n)?)?;
    let (tall, wide) = (m != Extent::min(&m, &n)?, n != Extent::min(&m, &n)?);
    let sound = with_last_pivot(cx.p(), primals[0])?;
    let (lu, p) = (cx.residual(sound)?, cx.residual(primals[2])?);
    let t = cx.t();
    let moved = pick(t, da, p, 0)?;
    let square = |t: &mut Builder, x: ValueId| -> Result<ValueId> {
        let x = t.take_prefix(x, 0, &k)?;
        t.take_prefix(x, 1, &k)
    };
    let (lu1, da1) = (square(t, lu)?, square(t, moved)?);
    let left = Triangular { left: true, lower: true, transpose: false, conj: false, unit: true };
    let right = Triangular { left: false, lower: false, unit: false, ..left };
    let x = solve(t, lu1, da1, left)?;
    let f = solve(t, lu1, x, right)?;
    let low = t.emit1(NewOp::new(&TRIL, &[f]).attr("k", Attr::Int(-1)))?;
    let up = t.emit1(NewOp::new(&TRIU, &[f]))?;
    let (l1, u1) = (unit_lower(t, lu1)?, t.emit1(NewOp::new(&TRIU, &[lu1]))?);
    let (dl1, du1) = (mm(t, l1, low)?, mm(t, up, u1)?);
    let mut d = t.add(dl1, du1)?;
    // Columns to the right, rows below: some of one of them at most.
    if wide {
        let left_of = |t: &mut Builder, x: ValueId| t.take_prefix(x, 0, &k);
        let (u2, da2) = (left_of(t, lu)?, left_of(t, moved)?);
        let (u2, da2) = (beyond(t, u2, 1, &k)?, beyond(t, da2, 1, &k)?);
        let moved = mm(t, dl1, u2)?;
        let due = t.sub(da2, moved)?;
        let du2 = solve(t, lu1, due, left)?;
        d = t.emit1(NewOp::new(&CONCAT, &[d, du2]).attr("axis", Attr::Int(1)))?;
    }
    if tall {
        let above = |t: &mut Builder, x: ValueId| t.take_prefix(x, 1, &k);
        let (l2, da2) = (above(t, lu)?, above(t, moved)?);
        let (l2, da2) = (beyond(t, l2, 0, &k)?, beyond(t, da2, 0, &k)?);
        let moved = mm(t, l2, du1)?;
        let due = t.sub(da2, moved)?;
        let mut dl2 = solve(t, lu1, due, right)?;
        let ty = t.ty(dl2);
        let n = t.ty(d).dims[1].clone();
        if ty.dims[1] != n {
            let whole = ty.without(&[1]).with_axis(1, n);
            dl2 = t.emit1(NewOp::new(&PAD_SUFFIX, &[dl2]).attr("axis", Attr::Int(1)).types(vec![whole]))?;
        }
        d = t.emit1(NewOp::new(&CONCAT, &[d, dl2]).attr("axis", Attr::Int(0)))?;
    }
    cx.set_tangent(op.results[0], Some(d))
}
/// `lu` with 1 in place of a 0 on the diagonal by the last row: no entry of `l` was divided by it, and what the last column of `F` is
/// divided by is multiplied back.
fn with_last_pivot(b: &mut Builder, lu: ValueId) -> Result<ValueId> {
    let ty = b.ty(lu);
    let index = ty.with_dtype(DType::I64);
    let place = |b: &mut Builder, axis: i64| {
        b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis)).types(vec![index.clone()]))
    };
    let (i, j) = (place(b, 0)?, place(b, 1)?);
    let rows = b.dim_value(ty.dims[0].clone())?;
    let one = b.like(rows, 1.0)?;
    let last = b.sub(rows, one)?;
    let last = b.broadcast(last, &index, &[])?;
    let (by_last, on) = (b.eq(i, last)?, b.eq(i, j)?);
    let (zero, one) = (b.like(lu, 0.0)?, b.like(lu, 1.0)?);
    let none = b.eq(lu, zero)?;
    let here = b.and(by_last, on)?;
    let here = b.and(here, none)?;
    b.select(here, one, lu)
}
/// What is behind the first `n` along an axis.
pub(super) fn beyond(b: &mut Builder, x: ValueId, axis: usize, n: &Extent) -> Result<ValueId> {
    let ty = b.ty(x);
    let mut start = vec![Extent::exact(0); ty.rank()];
    start[axis] = n.clone();
    let op = NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(start));
    b.emit1(op.attr("limit", Attr::extents(ty.dims.to_vec())))
}
/// The lower triangle with ones on the diagonal.
pub(super) fn unit_lower(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let low = b.emit1(NewOp::new(&TRIL, &[x]).attr("k", Attr::Int(-1)))?;
    let d = diagonal(b, x)?;
    let one = b.like(d, 1.0)?;
    let eye = b.emit1(NewOp::new(&EMBED_DIAG, &[one]))?;
    let ty = b.ty(low);
    if b.ty(eye) == ty {
        return b.add(low, eye);
    }
    let (mut low_pad, mut high) = (vec![], vec![]);
    for (n, k) in ty.dims.iter().zip(b.ty(eye).dims.iter()) {
        low_pad.push(Extent::exact(0));
        high.push(n.sub(k)?);
    }
    let eye = pad(b, eye, None, &low_pad, &high, &[], &ty)?;
    b.add(low, eye)
}

/// `lu` is unique where the pivots are: diagonals that dominate make them so, here from the last column on, so that rows move.
pub(super) fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let one = |shape: &&[usize]| {
        cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            let a = b.emit1(NewOp::new(&REVERSE, &[a]).attr("axes", Attr::ints(&[0usize])))?;
            b.emit(NewOp::new(cx.def, &[a]))
        })
    };
    SHAPES.iter().map(one).collect()
}
