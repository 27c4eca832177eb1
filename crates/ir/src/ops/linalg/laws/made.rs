//! Laws of rows that are made of others: what mathematics says of their results, not how they are made.
use super::*;

/// `x` over the size of its matrix, where that is not 0.
fn over(cx: &mut LawCx, x: ValueId, size: ValueId) -> Result<ValueId> {
    let (zero, one) = (cx.b.like(size, 0.0)?, cx.b.like(size, 1.0)?);
    let some = cx.b.gt(size, zero)?;
    let by = cx.b.select(some, size, one)?;
    let ty = cx.b.ty(x);
    let by = cx.trailing(by, &ty)?;
    let by = cx.b.convert(by, ty.dtype)?;
    cx.b.div(x, by)
}
/// The sum of squared moduli over `axes`.
fn squares(cx: &mut LawCx, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    let size = cx.b.abs(x)?;
    let square = cx.b.mul(size, size)?;
    cx.b.reduce_sum(square, axes)
}
/// The sum of the main diagonal.
fn trace_of(b: &mut Builder, a: ValueId) -> Result<ValueId> {
    let ty = b.ty(a);
    let off = divided::off_diagonal(b, &ty)?;
    let zero = b.zeros(&ty)?;
    let kept = b.select(off, zero, a)?;
    b.reduce_sum(kept, &[0, 1])
}
/// How many elements a matrix has, at least 1.
fn count(cx: &LawCx, a: ValueId) -> f64 {
    cx.shape(a).iter().take(2).product::<usize>().max(1) as f64
}
pub(in super::super) fn trace(cx: &mut LawCx) -> Result<()> {
    let (a, y) = (cx.operand(0)?, cx.result(0)?);
    let says = "the sum of the a[i, i]";
    if !cx.b.ty(a).dtype.is_inexact() {
        let sum = trace_of(cx.b, a)?;
        return cx.same(says, sum, y);
    }
    let within = within(cx, a);
    let ok = cx.finite(a, &[0, 1])?;
    cx.given(ok);
    let (a, y) = (cx.wide(a)?, cx.wide(y)?);
    let sum = trace_of(cx.b, a)?;
    let rest = cx.b.sub(y, sum)?;
    let size = cx.b.abs(a)?;
    let scale = cx.b.reduce_sum(size, &[0, 1])?;
    cx.vanishes(says, rest, scale, within)
}
pub(in super::super) fn kron(cx: &mut LawCx) -> Result<()> {
    let (x, y, z) = (cx.operand(0)?, cx.operand(1)?, cx.result(0)?);
    let (tx, ty) = (cx.b.ty(x), cx.b.ty(y));
    let within = within(cx, x);
    // Rows and columns of the result are pairs of those of the operands.
    let rows = [tx.dims[0].clone(), ty.dims[0].clone(), tx.dims[1].clone(), ty.dims[1].clone()];
    let all = tx.with_dims([&rows[..], &tx.dims[2..]].concat());
    let place = |first: [usize; 2]| first.into_iter().chain(4..all.rank()).collect::<Vec<_>>();
    let (px, py) = (place([0, 2]), place([1, 3]));
    let (x, y) = (cx.b.broadcast(x, &all, &px)?, cx.b.broadcast(y, &all, &py)?);
    let z = cx.b.reshape(z, &all)?;
    let says = "the block at [i, j] is a[i, j] · b";
    if !tx.dtype.is_inexact() {
        let product = cx.b.mul(x, y)?;
        return cx.same(says, product, z);
    }
    let (fx, fy) = (cx.finite(x, &[0, 1, 2, 3])?, cx.finite(y, &[0, 1, 2, 3])?);
    let ok = cx.b.and(fx, fy)?;
    cx.given(ok);
    let (x, y, z) = (cx.wide(x)?, cx.wide(y)?, cx.wide(z)?);
    let product = cx.b.mul(x, y)?;
    let rest = cx.b.sub(z, product)?;
    let size = cx.b.abs(product)?;
    let scale = reduce(cx.b, &REDUCE_MAX, size, &[0, 1, 2, 3])?;
    cx.vanishes(says, rest, scale, within)
}
pub(in super::super) fn svdvals(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 1)?;
    let s = cx.result(0)?;
    let s = cx.wide(s)?;
    descends(cx, "s descends", s)?;
    let zero = cx.b.like(s, 0.0)?;
    let broken = cx.b.lt(s, zero)?;
    cx.never("s is not negative", broken)?;
    let most = count(cx, a);
    let (a, s) = (over(cx, a, size)?, over(cx, s, size)?);
    let (of_a, of_s) = (squares(cx, a, &[0, 1])?, squares(cx, s, &[0])?);
    let rest = cx.b.sub(of_s, of_a)?;
    cx.small("Σ s² is the sum of squared moduli", rest, within * most)?;
    // Fourth powers: the same of aᴴ · a.
    let gram = hm(cx.b, a, a)?;
    let square = cx.b.mul(s, s)?;
    let (of_a, of_s) = (squares(cx, gram, &[0, 1])?, squares(cx, square, &[0])?);
    let rest = cx.b.sub(of_s, of_a)?;
    cx.small("Σ s⁴ is that of aᴴ · a", rest, within * most * most)
}
pub(in super::super) fn eigvalsh(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 1)?;
    let w = cx.result(0)?;
    let w = cx.wide(w)?;
    if cx.attrs.word("order") == Some("modulus") {
        by_modulus(cx, w)?;
    } else {
        let down = cx.b.neg(w)?;
        descends(cx, "w ascends", down)?;
    }
    let most = count(cx, a);
    let (a, w) = (over(cx, a, size)?, over(cx, w, size)?);
    let h = hermitian(cx.b, a)?;
    let trace = trace_of(cx.b, h)?;
    let trace = real_part(cx.b, trace)?;
    let sum = cx.b.reduce_sum(w, &[0])?;
    let rest = cx.b.sub(sum, trace)?;
    cx.small("Σ w is the trace of (a + aᴴ)/2", rest, within * most)?;
    let (of_a, of_w) = (squares(cx, h, &[0, 1])?, squares(cx, w, &[0])?);
    let rest = cx.b.sub(of_w, of_a)?;
    cx.small("Σ w² is the sum of its squared moduli", rest, within * most)
}
pub(in super::super) fn eigvals(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 1)?;
    let w = cx.result(0)?;
    let w = cx.wide(w)?;
    let most = count(cx, a);
    let (a, w) = (over(cx, a, size)?, over(cx, w, size)?);
    let product = mm(cx.b, a, a)?;
    let square = cx.b.mul(w, w)?;
    for (says, a, w, room) in
        [("Σ w is the trace of a", a, w, most), ("Σ w² is the trace of a · a", product, square, most * most)]
    {
        let trace = trace_of(cx.b, a)?;
        let trace = cx.b.convert(trace, DType::C64)?;
        let sum = cx.b.reduce_sum(w, &[0])?;
        let rest = cx.b.sub(sum, trace)?;
        cx.small(says, rest, within * room)?;
    }
    Ok(())
}
pub(in super::super) fn eigh_gen(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 2)?;
    let (m, w, v) = (cx.operand(1)?, cx.result(0)?, cx.result(1)?);
    let (m, w, v) = (cx.wide(m)?, cx.wide(w)?, cx.wide(v)?);
    let down = cx.b.neg(w)?;
    descends(cx, "w ascends", down)?;
    let h = hermitian(cx.b, a)?;
    // Of the other matrix the lower triangle is read, of its diagonal the real part.
    let low = cx.b.emit1(NewOp::new(&TRIL, &[m]).attr("k", Attr::Int(-1)))?;
    let high = adjoint(cx.b, low)?;
    let ty = cx.b.ty(m);
    let off = divided::off_diagonal(cx.b, &ty)?;
    let (zero, real) = (cx.b.zeros(&ty)?, real_part(cx.b, m)?);
    let real = cx.b.convert(real, ty.dtype)?;
    let d = cx.b.select(off, zero, real)?;
    let m = cx.b.add(low, high)?;
    let m = cx.b.add(m, d)?;
    // Both are as good as the other matrix is conditioned: its size times that of the vectors, squared.
    let (long, wide) = (largest(cx.b, v)?, largest(cx.b, m)?);
    let square = cx.b.mul(long, long)?;
    let room = cx.b.mul(square, wide)?;
    let mv = mm(cx.b, m, v)?;
    let gram = hm(cx.b, v, mv)?;
    let gram_ty = cx.b.ty(gram);
    let off = divided::off_diagonal(cx.b, &gram_ty)?;
    let (zero, one) = (cx.b.zeros(&gram_ty)?, cx.b.splat(&gram_ty, 1.0)?);
    let eye = cx.b.select(off, zero, one)?;
    let rest = cx.b.sub(gram, eye)?;
    cx.vanishes("vᴴ · b · v = 1", rest, room, within * 8.0)?;
    let (x, y) = (mm(cx.b, h, v)?, columns_times(cx.b, mv, w)?);
    let rest = cx.b.sub(x, y)?;
    let scale = cx.b.mul(size, long)?;
    let scale = cx.b.mul(scale, room)?;
    cx.vanishes("a · v = b · v · diag(w)", rest, scale, within * 8.0)
}
pub(in super::super) fn svd_full(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 3)?;
    let (u, s, vt) = (cx.result(0)?, cx.result(1)?, cx.result(2)?);
    let (u, s, vt) = (cx.wide(u)?, cx.wide(s)?, cx.wide(vt)?);
    let gram = hm(cx.b, u, u)?;
    identity(cx, "uᴴ · u = 1", gram, within)?;
    let gram = mh(cx.b, vt, vt)?;
    identity(cx, "vt · vtᴴ = 1", gram, within)?;
    descends(cx, "s descends", s)?;
    let zero = cx.b.like(s, 0.0)?;
    let broken = cx.b.lt(s, zero)?;
    cx.never("s is not negative", broken)?;
    let k = Extent::from(cx.shape(s).first().copied().unwrap_or(0));
    let (left, right) = (cx.b.take_prefix(u, 1, &k)?, cx.b.take_prefix(vt, 0, &k)?);
    let us = columns_times(cx.b, left, s)?;
    let product = mm(cx.b, us, right)?;
    let rest = cx.b.sub(a, product)?;
    cx.vanishes("a = u[:, :k] · diag(s) · vt[:k, :]", rest, size, within)?;
    phases(cx, left, within)
}
pub(in super::super) fn complement(cx: &mut LawCx) -> Result<()> {
    let (u, within, size) = factored(cx, 1)?;
    let y = cx.result(0)?;
    let y = cx.wide(y)?;
    let gram = hm(cx.b, y, y)?;
    identity(cx, "yᴴ · y = 1", gram, within)?;
    let rest = hm(cx.b, u, y)?;
    cx.vanishes("uᴴ · y = 0", rest, size, within)
}
/// Penrose's four equations; where values of `a` are left out, `a · p · a` is `a` without them.
pub(in super::super) fn pinv(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 1)?;
    let p = cx.result(0)?;
    let p = cx.wide(p)?;
    let long = largest(cx.b, p)?;
    let both = cx.b.mul(size, long)?;
    let (ap, pa) = (mm(cx.b, a, p)?, mm(cx.b, p, a)?);
    let rest = mm(cx.b, ap, a)?;
    let rest = cx.b.sub(rest, a)?;
    let scale = cx.b.mul(both, size)?;
    let left = match cx.attrs.get("rtol") {
        Some(Attr::Float(r)) => r.abs(),
        _ => 0.0,
    };
    cx.vanishes("a · p · a = a", rest, scale, within * 8.0 + left)?;
    let rest = mm(cx.b, pa, p)?;
    let rest = cx.b.sub(rest, p)?;
    let scale = cx.b.mul(both, long)?;
    cx.vanishes("p · a · p = p", rest, scale, within * 8.0)?;
    for (says, x) in [("a · p is Hermitian", ap), ("p · a is Hermitian", pa)] {
        let back = adjoint(cx.b, x)?;
        let rest = cx.b.sub(x, back)?;
        cx.vanishes(says, rest, both, within * 8.0)?;
    }
    Ok(())
}
