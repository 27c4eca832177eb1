//! Laws of what is solved with: residuals are small, determinants are products of eigenvalues.
use super::super::tridiagonal::times;
use super::*;
use crate::ops::linalg::{LU_FACTOR, SCHUR};
use crate::ops::reduce::{REDUCE_AND, REDUCE_PROD};

/// Where no pivot of the LU factorisation of `a` is rounding.
fn regular(cx: &mut LawCx, a: ValueId, size: ValueId, within: f64) -> Result<ValueId> {
    let f = cx.b.emit(NewOp::new(&LU_FACTOR, &[a]).attr("on_fail", Attr::word("nan")))?;
    let d = diagonal(cx.b, f[0])?;
    let d = cx.b.abs(d)?;
    let least = cx.b.like(size, within)?;
    let least = cx.b.mul(least, size)?;
    let ty = cx.b.ty(d);
    let least = cx.trailing(least, &ty)?;
    let sound = cx.b.gt(d, least)?;
    reduce(cx.b, &REDUCE_AND, sound, &[0])
}
/// `a · x = b`, beside `|a| |x|`; `x` is finite where the matrix is regular.
fn residual(cx: &mut LawCx, a: ValueId, x: ValueId, b: ValueId, size: ValueId, within: f64) -> Result<()> {
    let ok = cx.finite(x, &[0, 1])?;
    let sound = regular(cx, a, size, within)?;
    let bad = cx.b.not(ok)?;
    let broken = cx.b.and(bad, sound)?;
    cx.never("the solution of a system that is not singular is finite", broken)?;
    cx.given(ok);
    let got = mm(cx.b, a, x)?;
    let rest = cx.b.sub(got, b)?;
    let length = largest(cx.b, x)?;
    let scale = cx.b.mul(size, length)?;
    let given = largest(cx.b, b)?;
    let scale = cx.b.add(scale, given)?;
    cx.vanishes("a · x = b", rest, scale, within)
}
pub(in super::super) fn solve(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 1)?;
    let (b, x) = (cx.operand(1)?, cx.result(0)?);
    let (b, x) = (cx.wide(b)?, cx.wide(x)?);
    residual(cx, a, x, b, size, within)
}
pub(in super::super) fn inv(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 1)?;
    let x = cx.result(0)?;
    let x = cx.wide(x)?;
    let eye = super::super::solve::identity(cx.b, a)?;
    residual(cx, a, x, eye, size, within)
}
/// `l · u = a[p, :]`, triangles, and entries of `l` that are at most 1.
pub(in super::super) fn lu(cx: &mut LawCx) -> Result<()> {
    let a = cx.operand(0)?;
    let within = within(cx, a);
    let ok = cx.finite(a, &[0, 1])?;
    cx.given(ok);
    let (p, l, u) = (cx.result(0)?, cx.result(1)?, cx.result(2)?);
    let [a, l, u] = [cx.wide(a)?, cx.wide(l)?, cx.wide(u)?];
    let moved = pick(cx.b, a, p, 0)?;
    let back = mm(cx.b, l, u)?;
    let rest = cx.b.sub(back, moved)?;
    let (rest, size_l, size_u) = (cx.b.abs(rest)?, cx.b.abs(l)?, cx.b.abs(u)?);
    let most = mm(cx.b, size_l, size_u)?;
    let share = cx.b.like(most, within)?;
    let most = cx.b.mul(share, most)?;
    let broken = cx.b.gt(rest, most)?;
    cx.never("l · u = a[p, :]", broken)?;
    let upper = cx.b.emit1(NewOp::new(&TRIU, &[u]))?;
    let off = cx.b.sub(u, upper)?;
    cx.small("u is upper triangular", off, 0.0)?;
    let lower = cx.b.emit1(NewOp::new(&TRIL, &[l]))?;
    let off = cx.b.sub(l, lower)?;
    cx.small("l is lower triangular", off, 0.0)?;
    let d = diagonal(cx.b, l)?;
    let one = cx.b.like(d, 1.0)?;
    let off = cx.b.sub(d, one)?;
    cx.small("the diagonal of l is 1", off, 0.0)?;
    let most = if cx.b.ty(l).dtype.is_complex() { std::f64::consts::SQRT_2 } else { 1.0 };
    let modulus = cx.b.abs(l)?;
    let most = cx.b.like(modulus, most * (1.0 + within))?;
    let broken = cx.b.gt(modulus, most)?;
    cx.never("no entry of l is greater than 1", broken)?;
    // Each row once.
    let ty = pairs_type(&cx.b.ty(p));
    let index = cx.b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![ty.clone()]))?;
    let wanted = along(cx.b, p, &ty, 1)?;
    let chosen = cx.b.eq(index, wanted)?;
    let number = cx.b.convert(chosen, DType::F64)?;
    let count = cx.b.reduce_sum(number, &[1])?;
    let one = cx.b.like(count, 1.0)?;
    let broken = cx.b.ne(count, one)?;
    cx.never("p names each row once", broken)?;
    let d = diagonal(cx.b, u)?;
    let zero = cx.b.like(d, 0.0)?;
    let none = cx.b.eq(d, zero)?;
    let low = cx.b.emit1(NewOp::new(&TRIL, &[l]).attr("k", Attr::Int(-1)))?;
    let ty = cx.b.ty(low);
    let (none, zero) = (along(cx.b, none, &ty, 1)?, cx.b.zeros(&ty)?);
    let some = cx.b.ne(low, zero)?;
    let broken = cx.b.and(none, some)?;
    cx.never("a column of l below a pivot of 0 is 0", broken)
}
/// The product of the eigenvalues, and what it is to be compared with: the product of the norms of columns (Hadamard's bound).
fn product(cx: &mut LawCx, a: ValueId, within: f64) -> Result<(ValueId, ValueId)> {
    let given = cx.operand(0)?;
    let single = cx.b.ty(given).dtype.real() == DType::F32;
    let made = cx.b.emit(NewOp::new(&SCHUR, &[a]).attr("on_fail", Attr::word("nan")))?;
    let product = reduce(cx.b, &REDUCE_PROD, made[2], &[0])?;
    let lengths = norms(cx.b, a, &[0])?;
    let bound = reduce(cx.b, &REDUCE_PROD, lengths, &[0])?;
    // A product that is no normal number has lost bits.
    let least = if single { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let least = cx.b.like(bound, least / within)?;
    Ok((product, cx.b.add(bound, least)?))
}
/// The determinant is the product of the eigenvalues.
pub(in super::super) fn det(cx: &mut LawCx) -> Result<()> {
    let (a, within, _) = factored(cx, 1)?;
    let (values, bound) = product(cx, a, within)?;
    let d = cx.result(0)?;
    let d = cx.b.convert(d, DType::C64)?;
    let rest = cx.b.sub(d, values)?;
    cx.vanishes("the product of the eigenvalues", rest, bound, within * 8.0)
}
/// `sign · exp(logabs)` is the product of the eigenvalues; `sign` has modulus 1, or both are those of 0.
pub(in super::super) fn slogdet(cx: &mut LawCx) -> Result<()> {
    let (a, within, _) = factored(cx, 2)?;
    let (values, bound) = product(cx, a, within)?;
    let (sign, log) = (cx.result(0)?, cx.result(1)?);
    let (sign, log) = (cx.b.convert(sign, DType::C64)?, cx.wide(log)?);
    let modulus = cx.b.abs(sign)?;
    let zero = cx.b.like(modulus, 0.0)?;
    let one = cx.b.like(modulus, 1.0)?;
    let least = cx.b.like(log, f64::NEG_INFINITY)?;
    let (none, nothing) = (cx.b.eq(modulus, zero)?, cx.b.eq(log, least)?);
    let broken = cx.b.ne(none, nothing)?;
    cx.never("sign is 0 where logabs is −inf", broken)?;
    let rest = cx.b.sub(modulus, one)?;
    let rest = cx.b.select(none, zero, rest)?;
    cx.small("sign has modulus 1", rest, within)?;
    let size = cx.b.exp(log)?;
    let size = cx.b.convert(size, DType::C64)?;
    let d = cx.b.mul(sign, size)?;
    let rest = cx.b.sub(d, values)?;
    // The logarithm of a number of any size is rounded.
    cx.vanishes("sign · exp(logabs) is the product of the eigenvalues", rest, bound, within * 64.0)
}
/// `a · x = b` for the matrix of three diagonals; NaN where something is not finite, finite where no pivot is rounding.
pub(in super::super) fn tridiagonal(cx: &mut LawCx) -> Result<()> {
    let (b, x) = (cx.operand(3)?, cx.result(0)?);
    let within = within(cx, b);
    let (b, x) = (cx.wide(b)?, cx.wide(x)?);
    let mut bands = [b; 3];
    for (i, band) in bands.iter_mut().enumerate() {
        let d = cx.operand(i)?;
        *band = cx.wide(d)?;
    }
    let a = dense(cx, bands)?;
    let (whole, given) = (cx.finite(a, &[0, 1])?, cx.finite(b, &[0, 1])?);
    let sound = cx.b.and(whole, given)?;
    let bad = cx.b.not(sound)?;
    let parts = if cx.b.ty(x).dtype.is_complex() { vec![cx.b.real(x)?, cx.b.imag(x)?] } else { vec![x] };
    for part in parts {
        let (ty, number) = (cx.b.ty(part), cx.b.eq(part, part)?);
        let bad = cx.trailing(bad, &ty)?;
        let broken = cx.b.and(bad, number)?;
        cx.never("NaN where an operand is not finite", broken)?;
    }
    cx.given(sound);
    let size = largest(cx.b, a)?;
    let ok = cx.finite(x, &[0, 1])?;
    let regular = regular(cx, a, size, within)?;
    let lost = cx.b.not(ok)?;
    let broken = cx.b.and(lost, regular)?;
    cx.never("the solution of a system that is not singular is finite", broken)?;
    let both = cx.b.and(sound, ok)?;
    cx.given(both);
    let Some(got) = times(cx.b, bands.map(Some), x)? else { return Ok(()) };
    let rest = cx.b.sub(got, b)?;
    let length = largest(cx.b, x)?;
    let scale = cx.b.mul(size, length)?;
    let given = largest(cx.b, b)?;
    let scale = cx.b.add(scale, given)?;
    cx.vanishes("a · x = b", rest, scale, within)
}
/// The matrix of three diagonals; of `dl` the first and of `du` the last element count for nothing.
fn dense(cx: &mut LawCx, [dl, d, du]: [ValueId; 3]) -> Result<ValueId> {
    let ty = pairs_type(&cx.b.ty(d));
    let index = ty.with_dtype(DType::I64);
    let place = |b: &mut Builder, axis: i64| {
        b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis)).types(vec![index.clone()]))
    };
    let (i, j) = (place(cx.b, 0)?, place(cx.b, 1)?);
    let off = cx.b.sub(j, i)?;
    let mut a = cx.b.zeros(&ty)?;
    for (band, k) in [(dl, -1.0), (d, 0.0), (du, 1.0)] {
        let k = cx.b.like(off, k)?;
        let here = cx.b.eq(off, k)?;
        let band = along(cx.b, band, &ty, 0)?;
        a = cx.b.select(here, band, a)?;
    }
    Ok(a)
}
