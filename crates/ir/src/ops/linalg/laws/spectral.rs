//! Laws of forms and eigenvalues of square matrices.
use super::householder::{reflected, reflections};
use super::*;

/// A backward stable reduction rounds more often than a factorisation does.
const MORE: f64 = 8.0;

/// `q · x` for the `q` of a Hessenberg form: what its reflections do to the rows from 1 on.
fn turned(cx: &mut LawCx, v: ValueId, tau: ValueId, x: ValueId, adjoint: bool) -> Result<ValueId> {
    let n = cx.shape(x)[0];
    let (head, rest) = (part(cx.b, x, 0, 1)?, part(cx.b, x, 1, n - 1)?);
    let rest = reflected(cx.b, v, tau, rest, adjoint)?;
    cx.b.emit1(NewOp::new(&crate::ops::shape::CONCAT, &[head, rest]).attr("axis", Attr::Int(0)))
}
/// The reflections are sound and `qᴴ · a · q` is `h`.
pub(in super::super) fn hessenberg(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 2)?;
    let (h, tau) = (cx.result(0)?, cx.result(1)?);
    let (h, tau) = (cx.wide(h)?, cx.wide(tau)?);
    let n = cx.shape(h)[0];
    let form = cx.b.emit1(NewOp::new(&TRIU, &[h]).attr("k", Attr::Int(-1)))?;
    let (a, form) = (relative(cx, a, size)?, relative(cx, form, size)?);
    if n < 2 {
        let rest = cx.b.sub(form, a)?;
        return cx.small("h is the matrix", rest, 0.0);
    }
    let below = part(cx.b, h, 1, n - 1)?;
    let below = cx.b.take_prefix(below, 1, &Extent::from(n - 1))?;
    let v = super::super::householder::vectors(cx.b, below, &Extent::from(n - 1))?;
    reflections(cx, v, tau, within * MORE)?;
    let x = turned(cx, v, tau, a, true)?;
    let x = adjoint(cx.b, x)?;
    let x = turned(cx, v, tau, x, true)?;
    let x = adjoint(cx.b, x)?;
    let rest = cx.b.sub(x, form)?;
    cx.small("qᴴ · a · q = h", rest, within * MORE)?;
    if n > 1 && cx.b.ty(h).dtype.is_complex() {
        // The first diagonal below the main one is real, where a reflection made it.
        let d = diagonal(cx.b, below)?;
        let i = cx.b.imag(d)?;
        cx.small("the diagonal below the main one is real", i, 0.0)?;
    }
    Ok(())
}
/// `z` is unitary, `z · t · zᴴ` the matrix, `t` of its form, and `w` what stands on its diagonal.
pub(in super::super) fn schur(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 3)?;
    let within = within * MORE;
    let (t, z, w) = (cx.result(0)?, cx.result(1)?, cx.result(2)?);
    let (t, z, w) = (cx.wide(t)?, cx.wide(z)?, cx.wide(w)?);
    let gram = hm(cx.b, z, z)?;
    identity(cx, "zᴴ · z = 1", gram, within)?;
    let (a, t) = (relative(cx, a, size)?, relative(cx, t, size)?);
    let w = relative(cx, w, size)?;
    let x = mm(cx.b, z, t)?;
    let back = mh(cx.b, x, z)?;
    let rest = cx.b.sub(back, a)?;
    cx.small("z · t · zᴴ = a", rest, within)?;
    let complex = cx.b.ty(t).dtype.is_complex();
    let low = cx.b.emit1(NewOp::new(&TRIL, &[t]).attr("k", Attr::Int(if complex { -1 } else { -2 })))?;
    cx.small("t is upper triangular, but for blocks", low, 0.0)?;
    let d = diagonal(cx.b, t)?;
    if complex {
        let rest = cx.b.sub(w, d)?;
        return cx.small("w is the diagonal", rest, within);
    }
    let (re, im) = (cx.b.real(w)?, cx.b.imag(w)?);
    let rest = cx.b.sub(re, d)?;
    cx.small("the real part of w is the diagonal", rest, within)?;
    if cx.shape(t)[0] < 2 {
        return cx.small("w is real", im, 0.0);
    }
    blocks(cx, t, d, im, within)
}
/// Blocks on the diagonal of a real form stand apart, have equal numbers on the diagonal, of different sign beside it, and values whose
/// squares of imaginary parts are their product.
fn blocks(cx: &mut LawCx, t: ValueId, d: ValueId, im: ValueId, within: f64) -> Result<()> {
    let n = cx.shape(t)[0];
    let lower = part(cx.b, t, 1, n - 1)?;
    let lower = diagonal(cx.b, lower)?;
    let turned = adjoint(cx.b, t)?;
    let upper = part(cx.b, turned, 1, n - 1)?;
    let upper = diagonal(cx.b, upper)?;
    let zero = cx.b.like(lower, 0.0)?;
    let joined = cx.b.ne(lower, zero)?;
    if let Some((x, y)) = neighbours(cx, joined)? {
        let broken = cx.b.and(x, y)?;
        cx.never("blocks have two rows", broken)?;
    }
    let (x, y) = (part(cx.b, d, 0, n - 1)?, part(cx.b, d, 1, n - 1)?);
    let other = cx.b.ne(x, y)?;
    let broken = cx.b.and(joined, other)?;
    cx.never("a block has equal numbers on the diagonal", broken)?;
    let product = cx.b.mul(lower, upper)?;
    let same = cx.b.ge(product, zero)?;
    let broken = cx.b.and(joined, same)?;
    cx.never("a block has numbers of different sign beside the diagonal", broken)?;
    // What the imaginary part is by the block that a row begins, less what it is by the one that it ends.
    let size = cx.b.abs(product)?;
    let size = cx.b.sqrt(size)?;
    let size = cx.b.select(joined, size, zero)?;
    let ty = cx.b.ty(im);
    let end = ty.without(&[0]).with_axis(0, Extent::exact(1));
    let none = cx.b.zeros(&end)?;
    let join = |b: &mut Builder, x: ValueId, y: ValueId| {
        b.emit1(NewOp::new(&crate::ops::shape::CONCAT, &[x, y]).attr("axis", Attr::Int(0)))
    };
    let (begins, ends) = (join(cx.b, size, none)?, join(cx.b, none, size)?);
    let want = cx.b.sub(begins, ends)?;
    let rest = cx.b.sub(im, want)?;
    cx.small("the imaginary part of w is that of the block", rest, within)
}
/// Right and left vectors of norm 1 with a real leading entry; the values sum to the trace.
pub(in super::super) fn eig(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 3)?;
    let within = within * MORE;
    let (w, v, u) = (cx.result(0)?, cx.result(1)?, cx.result(2)?);
    let (w, v, u) = (cx.wide(w)?, cx.wide(v)?, cx.wide(u)?);
    let (a, w) = (relative(cx, a, size)?, relative(cx, w, size)?);
    let a = cx.b.convert(a, DType::C64)?;
    for x in [v, u] {
        let length = norms(cx.b, x, &[0])?;
        let one = cx.b.like(length, 1.0)?;
        let rest = cx.b.sub(length, one)?;
        cx.small("vectors have norm 1", rest, within)?;
        phases(cx, x, within)?;
    }
    let (x, y) = (mm(cx.b, a, v)?, columns_times(cx.b, v, w)?);
    let rest = cx.b.sub(x, y)?;
    cx.small("a · v = v · diag(w)", rest, within)?;
    let (x, values) = (hm(cx.b, a, u)?, cx.b.conj(w)?);
    let y = columns_times(cx.b, u, values)?;
    let rest = cx.b.sub(x, y)?;
    cx.small("aᴴ · u = u · diag(w)ᴴ", rest, within)?;
    let d = diagonal(cx.b, a)?;
    let (x, y) = (cx.b.reduce_sum(d, &[0])?, cx.b.reduce_sum(w, &[0])?);
    let rest = cx.b.sub(x, y)?;
    cx.small("the values sum to the trace", rest, within)
}
