//! Elementary functions: powers of e, logarithms, roots, trigonometric and hyperbolic functions. All are holomorphic on
//! the complex plane off their cuts (those of C99 Annex G), so one partial serves reals and complex numbers.
use super::rows;
use crate::builder::Builder;
use crate::diag::Result;
use crate::func::ValueId;
use crate::op::Linearize::*;
use crate::op::{Batch, Family, OpDef};
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
        Partials(&[|b, _, y| {
            let square = b.mul(y, y)?;
            over(b, 1.0 / 3.0, square)
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
        Partials(&[|b, x, _| {
            let cos2 = one_minus_square(b, x[0])?;
            b.rsqrt(cos2)
        }]),
        "Inverse sine. Derivative: `1/sqrt(1 - x^2)` (DLMF 4.24.7).";
    ACOS Acos "acos" ["x"] INEXACT => same, [Range(-0.9, 0.9)],
        Partials(&[|b, x, _| {
            let sin2 = one_minus_square(b, x[0])?;
            let r = b.rsqrt(sin2)?;
            b.neg(r)
        }]),
        "Inverse cosine. Derivative: `-1/sqrt(1 - x^2)` (DLMF 4.24.8).";
    ATAN Atan "atan" ["x"] INEXACT => same, [Any],
        Partials(&[|b, x, _| {
            let square = b.mul(x[0], x[0])?;
            let one = b.like(square, 1.0)?;
            let sum = b.add(one, square)?;
            b.div(one, sum)
        }]),
        "Inverse tangent. Derivative: `1/(1 + x^2)` (DLMF 4.24.9).";
    SINH Sinh "sinh" ["x"] INEXACT => same, [Any], Partials(&[|b, x, _| b.cosh(x[0])]), "Hyperbolic sine. Derivative: `cosh(x)`.";
    COSH Cosh "cosh" ["x"] INEXACT => same, [Any], Partials(&[|b, x, _| b.sinh(x[0])]), "Hyperbolic cosine. Derivative: `sinh(x)`.";
    TANH Tanh "tanh" ["x"] INEXACT => same, [Any], Partials(&[|b, _, y| one_minus_square(b, y)]),
        "Hyperbolic tangent. Derivative: `1 - tanh(x)^2`.";
    ASINH Asinh "asinh" ["x"] INEXACT => same, [Any],
        Partials(&[|b, x, _| {
            let square = b.mul(x[0], x[0])?;
            let one = b.like(square, 1.0)?;
            let sum = b.add(square, one)?;
            b.rsqrt(sum)
        }]),
        "Inverse hyperbolic sine. Derivative: `1/sqrt(x^2 + 1)` (DLMF 4.38.9).";
    // Two roots, not the root of the product: that has the wrong sign in the left half plane.
    ACOSH Acosh "acosh" ["x"] INEXACT => same, [Range(1.2, 3.0)],
        Partials(&[|b, x, _| {
            let one = b.like(x[0], 1.0)?;
            let (below, above) = (b.sub(x[0], one)?, b.add(x[0], one)?);
            let (p, q) = (b.rsqrt(below)?, b.rsqrt(above)?);
            b.mul(p, q)
        }]),
        "Inverse hyperbolic cosine; NaN below 1. Derivative: `1/(sqrt(x - 1) sqrt(x + 1))` (DLMF 4.38.10).";
    ATANH Atanh "atanh" ["x"] INEXACT => same, [Range(-0.9, 0.9)],
        Partials(&[|b, x, _| {
            let d = one_minus_square(b, x[0])?;
            over(b, 1.0, d)
        }]),
        "Inverse hyperbolic tangent. Derivative: `1/(1 - x^2)` (DLMF 4.38.11).";
    LOGISTIC Logistic "logistic" ["x"] INEXACT => same, [Any],
        Partials(&[|b, _, y| {
            let one = b.like(y, 1.0)?;
            let rest = b.sub(one, y)?;
            b.mul(y, rest)
        }]),
        "`1/(1 + exp(-x))`. Derivative: `y (1 - y)` at the result `y`.";
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
fn one_minus_square(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let square = b.mul(x, x)?;
    let one = b.like(x, 1.0)?;
    b.sub(one, square)
}
