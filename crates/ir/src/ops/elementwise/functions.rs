//! Elementary functions: powers of e, logarithms, roots, trigonometric and hyperbolic functions. All are holomorphic on
//! the complex plane off their cuts (those of C99 Annex G), so one partial serves reals and complex numbers.
use super::rows;
use crate::builder::Builder;
use crate::diag::Result;
use crate::func::ValueId;
use crate::op::Linearize::*;
use crate::op::{Batch, Family, NewOp, OpDef};
use crate::ops::control::STOP_GRADIENT;
use crate::sample::Domain::*;
use crate::scalar::ScalarOp;
use std::f64::consts::LN_2;

rows! {
    EXP Exp "exp" ["x"] INEXACT => same, [Any], Partials(&[|_, _, y| Ok(y)]), "e to the power `x`. Derivative: the result.";
    EXP2 Exp2 "exp2" ["x"] INEXACT => same, [Any], Partials(&[|b, _, y| scaled(b, y, LN_2)]),
        "2 to the power `x`. Derivative: `ln 2` times the result.";
    EXPM1 Expm1 "expm1" ["x"] INEXACT => same, [Any],
        Partials(&[|b, _, y| {
            let one = b.like(y, 1.0)?;
            b.add(y, one)
        }]),
        "`exp(x) - 1`, exact near 0. Derivative: the result plus 1.";
    LOG Log "log" ["x"] INEXACT => same, [Range(0.3, 3.0)], Partials(&[|b, x, _| over(b, 1.0, x[0])]),
        "Natural logarithm; NaN for negative reals, the principal branch for complex numbers. Derivative: `1/x`.";
    LOG1P Log1p "log1p" ["x"] INEXACT => same, [Range(-0.7, 2.0)],
        Partials(&[|b, x, _| {
            let one = b.like(x[0], 1.0)?;
            let sum = b.add(one, x[0])?;
            b.div(one, sum)
        }]),
        "`log(1 + x)`, exact near 0. Derivative: `1/(1 + x)`.";
    SQRT Sqrt "sqrt" ["x"] INEXACT => same, [Range(0.3, 3.0)], Partials(&[|b, _, y| over(b, 0.5, y)]),
        "Square root; NaN for negative reals, the principal branch for complex numbers. Derivative: `0.5/sqrt(x)`, infinite at 0.";
    RSQRT Rsqrt "rsqrt" ["x"] INEXACT => same, [Range(0.3, 3.0)],
        Partials(&[|b, x, y| {
            let q = b.div(y, x[0])?;
            scaled(b, q, -0.5)
        }]),
        "`1/sqrt(x)`. Derivative: `-0.5 rsqrt(x)/x`.";
    CBRT Cbrt "cbrt" ["x"] INEXACT => same, [NonZero],
        // The square of the reciprocal: that of the result has an infinite derivative where its own reciprocal is 0.
        Partials(&[|b, _, y| {
            let r = over(b, 1.0, y)?;
            let square = b.mul(r, r)?;
            scaled(b, square, 1.0 / 3.0)
        }]),
        "Cube root, negative for negative reals; of a complex number the principal one. Derivative: `1/(3 cbrt(x)^2)`, infinite at 0.";
    SIN Sin "sin" ["x"] INEXACT => same, [Any], Partials(&[|b, x, _| b.cos(x[0])]), "Sine. Derivative: `cos(x)`.";
    COS Cos "cos" ["x"] INEXACT => same, [Any],
        Partials(&[|b, x, _| {
            let s = b.sin(x[0])?;
            b.neg(s)
        }]),
        "Cosine. Derivative: `-sin(x)`.";
    TAN Tan "tan" ["x"] INEXACT => same, [Range(-1.3, 1.3)],
        Partials(&[|b, _, y| {
            let square = b.mul(y, y)?;
            let one = b.like(y, 1.0)?;
            b.add(one, square)
        }]),
        "Tangent. Derivative: `1 + tan(x)^2`.";
    ASIN Asin "asin" ["x"] INEXACT => same, [Range(-0.9, 0.9)],
        Partials(&[|b, x, _| arc(b, x[0])]),
        "Inverse sine. Derivative: `1/sqrt(1 - x^2)` (DLMF 4.24.7).";
    ACOS Acos "acos" ["x"] INEXACT => same, [Range(-0.9, 0.9)],
        Partials(&[|b, x, _| {
            let r = arc(b, x[0])?;
            b.neg(r)
        }]),
        "Inverse cosine. Derivative: `-1/sqrt(1 - x^2)` (DLMF 4.24.8).";
    ATAN Atan "atan" ["x"] INEXACT => same, [Any],
        Partials(&[|b, x, _| {
            if b.func().ty(x[0]).dtype.is_complex() {
                let turned = turned(b, x[0])?;
                return over_product(b, turned);
            }
            let (t, sum) = folded(b, x[0])?;
            let square = b.mul(t, t)?;
            b.div(square, sum)
        }]),
        "Inverse tangent. Derivative: `1/(1 + x^2)` (DLMF 4.24.9).";
    SINH Sinh "sinh" ["x"] INEXACT => same, [Any], Partials(&[|b, x, _| b.cosh(x[0])]), "Hyperbolic sine. Derivative: `cosh(x)`.";
    COSH Cosh "cosh" ["x"] INEXACT => same, [Any], Partials(&[|b, x, _| b.sinh(x[0])]), "Hyperbolic cosine. Derivative: `sinh(x)`.";
    TANH Tanh "tanh" ["x"] INEXACT => same, [Any], Partials(&[|b, x, y| square_of_sech(b, x[0], y)]),
        "Hyperbolic tangent. Derivative: `1 - tanh(x)^2`, of reals without cancelling where that is nearly 0.";
    ASINH Asinh "asinh" ["x"] INEXACT => same, [Any],
        Partials(&[|b, x, _| {
            if b.func().ty(x[0]).dtype.is_complex() {
                let turned = turned(b, x[0])?;
                return arc(b, turned);
            }
            let (t, sum) = folded(b, x[0])?;
            let r = b.rsqrt(sum)?;
            b.mul(t, r)
        }]),
        "Inverse hyperbolic sine. Derivative: `1/sqrt(x^2 + 1)` (DLMF 4.38.9).";
    // Two roots, not the root of the product: that has the wrong sign in the left half plane.
    ACOSH Acosh "acosh" ["x"] INEXACT => same, [Range(1.2, 3.0)],
        Partials(&[|b, x, _| {
            let one = b.like(x[0], 1.0)?;
            let (below, above) = (b.sub(x[0], one)?, one_plus(b, x[0])?);
            let (p, q) = (b.rsqrt(below)?, b.rsqrt(above)?);
            b.mul(p, q)
        }]),
        "Inverse hyperbolic cosine; NaN below 1. Derivative: `1/(sqrt(x - 1) sqrt(x + 1))` (DLMF 4.38.10).";
    ATANH Atanh "atanh" ["x"] INEXACT => same, [Range(-0.9, 0.9)],
        Partials(&[|b, x, _| over_product(b, x[0])]),
        "Inverse hyperbolic tangent. Derivative: `1/(1 - x^2)` (DLMF 4.38.11).";
    LOGISTIC Logistic "logistic" ["x"] INEXACT => same, [Any],
        Partials(&[|b, x, y| {
            let rest = if b.func().ty(y).dtype.is_complex() {
                let one = b.like(y, 1.0)?;
                b.sub(one, y)?
            } else {
                let minus = b.neg(x[0])?;
                b.logistic(minus)?
            };
            b.mul(y, rest)
        }]),
        "`1/(1 + exp(-x))`. Derivative: `y (1 - y)` at the result `y`, where `1 - y` is `logistic(-x)` of reals, which does not cancel.";
}

/// `factor * x`.
pub(super) fn scaled(b: &mut Builder, x: ValueId, factor: f64) -> Result<ValueId> {
    let c = b.like(x, factor)?;
    b.mul(c, x)
}
/// `numerator / x`.
fn over(b: &mut Builder, numerator: f64, x: ValueId) -> Result<ValueId> {
    let c = b.like(x, numerator)?;
    b.div(c, x)
}
/// `1 + z`. (A sum with the complex number 1 would turn a part -0 into 0, on the other side of a cut.)
fn one_plus(b: &mut Builder, z: ValueId) -> Result<ValueId> {
    let minus = b.like(z, -1.0)?;
    b.sub(z, minus)
}
/// `1 - z`, which keeps the side of a cut as well.
fn one_minus(b: &mut Builder, z: ValueId) -> Result<ValueId> {
    let one = b.like(z, 1.0)?;
    if !b.func().ty(z).dtype.is_complex() {
        return b.sub(one, z);
    }
    let less = b.sub(z, one)?;
    b.neg(less)
}
/// `1/sqrt(1 - z^2)`. A complex square may overflow, and the factors decide the side of the cuts, but near 0 their derivatives
/// cancel: so by factors beyond 1/2, by the square before.
fn arc(b: &mut Builder, z: ValueId) -> Result<ValueId> {
    if !b.func().ty(z).dtype.is_complex() {
        let d = one_minus_square_near_one(b, z)?;
        return b.rsqrt(d);
    }
    let (far, square) = near_and_far(b, z)?;
    let (p, q, near) = (one_minus(b, z)?, one_plus(b, z)?, b.rsqrt(square)?);
    let (p, q) = (b.rsqrt(p)?, b.rsqrt(q)?);
    let product = b.mul(p, q)?;
    b.select(far, product, near)
}
/// `1/(1 - z^2)`, in the same two ways.
fn over_product(b: &mut Builder, z: ValueId) -> Result<ValueId> {
    if !b.func().ty(z).dtype.is_complex() {
        let d = one_minus_square_near_one(b, z)?;
        return over(b, 1.0, d);
    }
    let (far, square) = near_and_far(b, z)?;
    let (p, q, near) = (one_minus(b, z)?, one_plus(b, z)?, over(b, 1.0, square)?);
    let r = over(b, 1.0, p)?;
    let r = b.div(r, q)?;
    b.select(far, r, near)
}
/// Is |z| above 1/2? And `1 - z^2` where it is not.
fn near_and_far(b: &mut Builder, z: ValueId) -> Result<(ValueId, ValueId)> {
    let size = b.abs(z)?;
    let (half, zero) = (b.like(size, 0.5)?, b.like(z, 0.0)?);
    let far = b.gt(size, half)?;
    let inner = b.select(far, zero, z)?;
    Ok((far, one_minus_square(b, inner)?))
}
/// `1 - x^2` with a small relative error: by its factors, but their derivatives are those of the square, which neither cancel
/// near 0 nor multiply 0 by infinity at 1.
fn one_minus_square_near_one(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let (p, q, square) = (one_minus(b, x)?, one_plus(b, x)?, one_minus_square(b, x)?);
    let product = b.mul(p, q)?;
    let lost = b.sub(product, square)?;
    let lost = b.emit1(NewOp::new(&STOP_GRADIENT, &[lost]))?;
    b.add(square, lost)
}
/// `iz`.
fn turned(b: &mut Builder, z: ValueId) -> Result<ValueId> {
    let (re, im) = (b.real(z)?, b.imag(z)?);
    let minus = b.neg(im)?;
    b.complex(minus, re)
}
/// (t, s) with `t^2/s = 1/(1 + x^2)` and `s` from 1 to 2: t is `1/|x|` beyond 1 and 1 elsewhere, s is `1 + min(x, 1/x)^2`.
/// Nothing here overflows, in derivatives of any order at any x.
fn folded(b: &mut Builder, x: ValueId) -> Result<(ValueId, ValueId)> {
    let (size, one) = (b.abs(x)?, b.like(x, 1.0)?);
    let far = b.gt(size, one)?;
    let below = b.select(far, size, one)?;
    let t = b.div(one, below)?;
    let u = b.select(far, t, x)?;
    let square = b.mul(u, u)?;
    Ok((t, b.add(one, square)?))
}
/// `1 - y^2` at `y = tanh(x)`. For reals it is `4 logistic(2 x) logistic(-2 x)` , which does not cancel.
fn square_of_sech(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    if b.func().ty(y).dtype.is_complex() {
        return one_minus_square(b, y);
    }
    let twice = scaled(b, x, 2.0)?;
    let minus = b.neg(twice)?;
    let (p, q) = (b.logistic(twice)?, b.logistic(minus)?);
    let product = b.mul(p, q)?;
    scaled(b, product, 4.0)
}
fn one_minus_square(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let square = b.mul(x, x)?;
    let one = b.like(x, 1.0)?;
    b.sub(one, square)
}
