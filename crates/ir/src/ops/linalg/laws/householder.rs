//! Laws of reflections: they are unitary, and applied one after the other they do what is said of all of them.
use super::*;
use crate::ops::control::ScanDims;

/// `H₁ … H_k · c` with `H_j = 1 − tau_j v_j v_jᴴ`, or its adjoint, one reflection after the other.
pub(super) fn reflected(b: &mut Builder, v: ValueId, tau: ValueId, c: ValueId, adjoint: bool) -> Result<ValueId> {
    let ty = b.ty(c);
    let (column, factor) = (b.ty(v).without(&[1]), b.ty(tau).without(&[0]));
    let k = b.ty(tau).dims[0].clone();
    let body = b.region("body", &[(ty.clone(), "c"), (column, "v"), (factor, "tau")], |b, x| {
        let tau = if adjoint { b.conj_if_complex(x[2])? } else { x[2] };
        let v = along(b, x[1], &ty, 0)?;
        let conj = b.conj_if_complex(v)?;
        let w = b.mul(conj, x[0])?;
        let w = b.reduce_sum(w, &[0])?;
        let line = b.ty(w);
        let tau = b.broadcast(tau, &line, &(1..line.rank()).collect::<Vec<_>>())?;
        let w = b.mul(tau, w)?;
        let w = along(b, w, &ty, 1)?;
        let moved = b.mul(v, w)?;
        Ok(vec![b.sub(x[0], moved)?])
    })?;
    let dims =
        ScanDims { carry: 1, length: k, cut: vec![1, 0], collect: vec![], reverse: !adjoint, ..ScanDims::default() };
    Ok(b.scan(&[c, v, tau], &dims, body)?[0])
}
/// Each reflection is unitary, `|tau|² vᴴ v = 2 Re tau`, of the two that there are the one that cancels nothing, `Re tau >= 1`; or nothing,
/// `tau = 0` and `v` without a tail.
pub(super) fn reflections(cx: &mut LawCx, v: ValueId, tau: ValueId, within: f64) -> Result<()> {
    let (size, length) = (cx.b.abs(v)?, cx.b.abs(tau)?);
    let square = cx.b.mul(size, size)?;
    let square = cx.b.reduce_sum(square, &[0])?;
    let re = real_part(cx.b, tau)?;
    let (x, y) = (cx.b.mul(length, length)?, cx.b.add(re, re)?);
    let x = cx.b.mul(x, square)?;
    let rest = cx.b.sub(x, y)?;
    cx.small("reflections are unitary", rest, within)?;
    let zero = cx.b.like(length, 0.0)?;
    let one = cx.b.like(length, 1.0 - within)?;
    let (some, low) = (cx.b.gt(length, zero)?, cx.b.lt(re, one)?);
    let broken = cx.b.and(some, low)?;
    cx.never("a reflection cancels nothing", broken)?;
    let tail = cx.b.emit1(NewOp::new(&TRIL, &[size]).attr("k", Attr::Int(-1)))?;
    let zero = cx.b.like(tail, 0.0)?;
    let some = cx.b.ne(tail, zero)?;
    let ty = cx.b.ty(tail);
    let zero = cx.b.like(length, 0.0)?;
    let none = cx.b.eq(length, zero)?;
    let none = along(cx.b, none, &ty, 1)?;
    let broken = cx.b.and(none, some)?;
    cx.never("what is not reflected has no vector", broken)
}
/// The reflections are sound, `H₁ … H_k · r` is the matrix, and the diagonal of `r` is real.
pub(in super::super) fn qr_factor(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 2)?;
    let (qr, tau) = (cx.result(0)?, cx.result(1)?);
    let (qr, tau) = (cx.wide(qr)?, cx.wide(tau)?);
    let k = cx.b.ty(tau).dims[0].clone();
    let v = super::super::householder::vectors(cx.b, qr, &k)?;
    reflections(cx, v, tau, within)?;
    let r = cx.b.emit1(NewOp::new(&TRIU, &[qr]))?;
    let d = diagonal(cx.b, r)?;
    if cx.b.func().ty(d).dtype.is_complex() {
        let i = cx.b.imag(d)?;
        cx.small("the diagonal of r is real", i, 0.0)?;
    }
    // In units of the matrix: its squares may overflow.
    let (a, r) = (relative(cx, a, size)?, relative(cx, r, size)?);
    let back = reflected(cx.b, v, tau, r, false)?;
    let rest = cx.b.sub(back, a)?;
    cx.small("the reflections of r are the matrix", rest, within)
}
/// One reflection after the other gives the same.
pub(in super::super) fn qr_multiply(cx: &mut LawCx) -> Result<()> {
    let (qr, tau, c) = (cx.operand(0)?, cx.operand(1)?, cx.operand(2)?);
    let within = within(cx, qr);
    let y = cx.result(0)?;
    let [qr, tau, c, y] = [cx.wide(qr)?, cx.wide(tau)?, cx.wide(c)?, cx.wide(y)?];
    let k = cx.b.ty(tau).dims[0].clone();
    let v = super::super::householder::vectors(cx.b, qr, &k)?;
    let same = reflected(cx.b, v, tau, c, cx.attrs.flag("adjoint"))?;
    let rest = cx.b.sub(y, same)?;
    // Numbers may grow by 1 + |tau| |v|² at each.
    let (size, length) = (cx.b.abs(v)?, cx.b.abs(tau)?);
    let square = cx.b.mul(size, size)?;
    let square = cx.b.reduce_sum(square, &[0])?;
    let one = cx.b.like(square, 1.0)?;
    let growth = cx.b.mul(length, square)?;
    let growth = cx.b.add(one, growth)?;
    let growth = reduce(cx.b, &crate::ops::reduce::REDUCE_PROD, growth, &[0])?;
    let scale = largest(cx.b, c)?;
    let scale = cx.b.mul(scale, growth)?;
    cx.vanishes("the reflections, one after the other", rest, scale, within)
}
