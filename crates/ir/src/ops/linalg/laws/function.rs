//! Laws of functions of square matrices: what they are the inverse of gives the matrix back, and their eigenvalues are the principal
//! ones. The exponential is compared with a Taylor series.
use super::*;
use crate::code::Code;
use crate::ops::linalg::SCHUR;

/// The eigenvalues of `x`, complex.
fn values(cx: &mut LawCx, x: ValueId) -> Result<ValueId> {
    let made = cx.b.emit(NewOp::new(&SCHUR, &[x]).attr("on_fail", Attr::word("nan")))?;
    made.get(2).copied().ok_or_else(|| Error::new(Code::E0299, "a Schur form has three results"))
}
/// Where a number is one, in any of its parts.
fn number(cx: &mut LawCx, x: ValueId) -> Result<ValueId> {
    if !cx.b.ty(x).dtype.is_complex() {
        return cx.b.eq(x, x);
    }
    let (re, im) = (cx.b.real(x)?, cx.b.imag(x)?);
    let (re, im) = (cx.b.eq(re, re)?, cx.b.eq(im, im)?);
    cx.b.or(re, im)
}
/// The operand and the result in double precision, what clauses allow, and the sizes of both. A result that is no number is NaN
/// throughout, and only where an eigenvalue of the matrix lies on the closed negative axis, up to rounding; clauses from here on are about
/// the others.
fn defined(cx: &mut LawCx) -> Result<(ValueId, ValueId, f64, [ValueId; 2])> {
    let (a, within, size) = factored(cx, 1)?;
    let x = cx.result(0)?;
    let x = cx.wide(x)?;
    let ok = cx.finite(x, &[0, 1])?;
    let some = number(cx, x)?;
    let some = reduce(cx.b, &REDUCE_OR, some, &[0, 1])?;
    let missing = cx.b.not(ok)?;
    let broken = cx.b.and(missing, some)?;
    cx.never("a result that is no matrix is NaN throughout", broken)?;
    let w = values(cx, a)?;
    let w = relative(cx, w, size)?;
    let (re, im) = (cx.b.real(w)?, cx.b.imag(w)?);
    let im = cx.b.abs(im)?;
    let near = cx.b.like(re, within.sqrt())?;
    let (left, flat) = (cx.b.le(re, near)?, cx.b.le(im, near)?);
    let on = cx.b.and(left, flat)?;
    let on = reduce(cx.b, &REDUCE_OR, on, &[0])?;
    let off = cx.b.not(on)?;
    let broken = cx.b.and(missing, off)?;
    cx.never("there is a result where no eigenvalue is near the closed negative axis", broken)?;
    cx.given(ok);
    let length = largest(cx.b, x)?;
    Ok((a, x, within, [size, length]))
}
/// `x · x` is the matrix (Higham, *Functions of Matrices*, eq. 6.9), and no eigenvalue of `x` has a negative real part.
pub(in super::super) fn sqrtm(cx: &mut LawCx) -> Result<()> {
    let (a, x, within, [_, length]) = defined(cx)?;
    let square = mm(cx.b, x, x)?;
    let rest = cx.b.sub(square, a)?;
    let scale = cx.b.mul(length, length)?;
    cx.vanishes("x · x = a", rest, scale, 8.0 * within)?;
    let w = values(cx, x)?;
    let re = cx.b.real(w)?;
    let zero = cx.b.like(re, 0.0)?;
    let below = cx.b.min(re, zero)?;
    cx.vanishes("no eigenvalue of x has a negative real part", below, length, within.sqrt())
}
/// `exp(x)` is the matrix, and eigenvalues of `x` have imaginary parts between −π and π.
pub(in super::super) fn logm(cx: &mut LawCx) -> Result<()> {
    let (a, x, within, [size, length]) = defined(cx)?;
    let back = series(cx.b, x)?;
    let rest = cx.b.sub(back, a)?;
    let one = cx.b.like(length, 1.0)?;
    let scale = cx.b.add(length, one)?;
    let scale = cx.b.mul(scale, size)?;
    cx.vanishes("exp(x) = a", rest, scale, (64.0 * within).max(ROUNDED))?;
    let w = values(cx, x)?;
    let im = cx.b.imag(w)?;
    let im = cx.b.abs(im)?;
    let most = cx.b.like(im, std::f64::consts::PI * (1.0 + within.sqrt()))?;
    let broken = cx.b.gt(im, most)?;
    cx.never("eigenvalues of x have imaginary parts between -pi and pi", broken)
}
/// How often the series is squared, and of what degree it is.
const SQUARINGS: i32 = 12;
const DEGREE: i32 = 14;
/// What rounding leaves of it in double precision: every square doubles that of the one before.
const ROUNDED: f64 = 64.0 * 4096.0 * f64::EPSILON;
/// The Taylor series of `x / 2^12`, squared as often.
fn series(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let by = b.like(x, f64::from(-SQUARINGS).exp2())?;
    let part = b.mul(by, x)?;
    let eye = super::super::solve::identity(b, x)?;
    let mut sum = eye;
    for k in (1..=DEGREE).rev() {
        let next = mm(b, part, sum)?;
        let share = b.like(next, 1.0 / f64::from(k))?;
        let next = b.mul(share, next)?;
        sum = b.add(eye, next)?;
    }
    for _ in 0..SQUARINGS {
        sum = mm(b, sum, sum)?;
    }
    Ok(sum)
}
/// The Taylor series.
pub(in super::super) fn expm(cx: &mut LawCx) -> Result<()> {
    let (a, within, _) = factored(cx, 1)?;
    let y = cx.result(0)?;
    let y = cx.wide(y)?;
    let sum = series(cx.b, a)?;
    let rest = cx.b.sub(y, sum)?;
    let scale = largest(cx.b, sum)?;
    cx.vanishes("the Taylor series", rest, scale, (8.0 * within).max(ROUNDED))
}
