//! Special functions of reals: error, gamma, Bessel and zeta functions.
use super::functions::scaled;
use super::{apply, kind, rows};
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::func::ValueId;
use crate::op::Linearize::*;
use crate::op::{Batch, Family, OpDef};
use crate::sample::Domain::*;
use crate::sample::{Sample, SampleCx};
use crate::scalar::ScalarOp;
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

rows! {
    ERF Erf "erf" ["x"] FLOATS => same, [Any], Partials(&[|b, x, _| gauss(b, x[0], FRAC_2_SQRT_PI)]),
        "Error function. Derivative: `2/sqrt(pi) exp(-x^2)` (DLMF 7.10.1).";
    ERFC Erfc "erfc" ["x"] FLOATS => same, [Any], Partials(&[|b, x, _| gauss(b, x[0], -FRAC_2_SQRT_PI)]),
        "`1 - erf(x)`, exact for large `x`. Derivative: `-2/sqrt(pi) exp(-x^2)` (DLMF 7.10.1).";
    ERF_INV ErfInv "erf_inv" ["x"] FLOATS => same, [Range(-0.9, 0.9)],
        Partials(&[|b, _, y| {
            let square = b.mul(y, y)?;
            let e = b.exp(square)?;
            scaled(b, e, PI.sqrt() / 2.0)
        }]),
        "Inverse of `erf`. Derivative: `sqrt(pi)/2 exp(y^2)` at the result `y`.";
    LGAMMA Lgamma "lgamma" ["x"] FLOATS => same, [Range(0.3, 4.0)], Partials(&[|b, x, _| b.digamma(x[0])]),
        "Logarithm of the absolute value of the gamma function. Derivative: `digamma(x)` (DLMF 5.2.2).";
    DIGAMMA Digamma "digamma" ["x"] FLOATS => same, [Range(0.3, 4.0)],
        Partials(&[|b, x, _| {
            let one = b.like(x[0], 1.0)?;
            b.polygamma(one, x[0])
        }]),
        "Logarithmic derivative of the gamma function; NaN at its poles. Derivative: `polygamma(1, x)` (DLMF 5.15).";
    BESSEL_I0E BesselI0e "bessel_i0e" ["x"] FLOATS => same, [NonZero],
        Partials(&[|b, x, y| {
            let (i1, s) = (b.bessel_i1e(x[0])?, b.sign(x[0])?);
            let decay = b.mul(s, y)?;
            b.sub(i1, decay)
        }]),
        "`exp(-|x|) I_0(x)`, I the modified Bessel function. Derivative: `bessel_i1e(x) - sign(x) bessel_i0e(x)` (DLMF 10.29.3).";
    BESSEL_I1E BesselI1e "bessel_i1e" ["x"] FLOATS => same, [NonZero], Partials(&[i1e_slope]),
        "`exp(-|x|) I_1(x)`, I the modified Bessel function. Derivative: `bessel_i0e(x) - y (sign(x) + 1/x)` at the result \
         `y`, 1/2 at 0 (DLMF 10.29.2).";
    + POLYGAMMA ZETA;
}
/// `polygamma`.
pub static POLYGAMMA: OpDef = OpDef {
    name: "polygamma",
    doc: "Derivative of order `n` of `digamma` at `x`; NaN where `n` is not a natural number. Derivative in `x`: \
          `polygamma(n + 1, x)` (DLMF 5.15); none in the order.",
    operands: &["n", "x"],
    alike: (0, 2),
    scalar: Some(ScalarOp::Polygamma),
    batch: Batch::Elementwise,
    infer: |cx| super::infer(cx, &kind::FLOATS, kind::same),
    linearize: Partials(&[
        |_, _, _| Err(no_derivative("polygamma", "order `n`")),
        |b, x, _| {
            let one = b.like(x[0], 1.0)?;
            let n = b.add(x[0], one)?;
            b.polygamma(n, x[1])
        },
    ]),
    sample: |cx| with_constant(cx, &[1.0, 2.0]),
    ..OpDef::BASE
};
/// `zeta`.
pub static ZETA: OpDef = OpDef {
    name: "zeta",
    doc: "Hurwitz zeta function: the sum of `(k + q)^-s` over k = 0, 1, …; NaN for `s < 1`. Derivative in `q`: \
          `-s zeta(s + 1, q)` (DLMF 25.11.17); none in `s`.",
    operands: &["s", "q"],
    alike: (0, 2),
    scalar: Some(ScalarOp::Zeta),
    batch: Batch::Elementwise,
    infer: |cx| super::infer(cx, &kind::FLOATS, kind::same),
    linearize: Partials(&[
        |_, _, _| Err(no_derivative("zeta", "exponent `s`")),
        |b, x, _| {
            let one = b.like(x[0], 1.0)?;
            let s = b.add(x[0], one)?;
            let (z, factor) = (b.zeta(s, x[1])?, b.neg(x[0])?);
            b.mul(factor, z)
        },
    ]),
    sample: |cx| with_constant(cx, &[2.5, 4.0]),
    ..OpDef::BASE
};

fn no_derivative(op: &str, of: &str) -> Error {
    Error::new(Code::E0503, format!("`{op}` has no derivative: none is known in closed form in its {of}"))
        .operand(0)
        .help("cut the dependence with `stop_gradient`, or differentiate with respect to something else")
}
/// `factor * exp(-x^2)`. Beyond 40 it and its derivatives are 0 in every dtype: that of 40 there changes none of them, and keeps
/// 0 times infinity away.
fn gauss(b: &mut Builder, x: ValueId, factor: f64) -> Result<ValueId> {
    let (size, end) = (b.abs(x)?, b.like(x, 40.0)?);
    let far = b.gt(size, end)?;
    let x = b.select(far, end, x)?;
    let square = b.mul(x, x)?;
    let exponent = b.neg(square)?;
    let e = b.exp(exponent)?;
    scaled(b, e, factor)
}
/// `i0 - y/x - sign(x) y`. Near 0, where a derivative of the quotient would cancel, it is `i0 (1/2 - x^2/16 + …)` (the quotient
/// of the series DLMF 10.25.2).
fn i1e_slope(b: &mut Builder, x: &[ValueId], y: ValueId) -> Result<ValueId> {
    let x = x[0];
    let i0 = b.bessel_i0e(x)?;
    let (size, near, one) = (b.abs(x)?, b.like(x, 1.0 / 32.0)?, b.like(x, 1.0)?);
    let small = b.lt(size, near)?;
    let zero = b.like(x, 0.0)?;
    let inner = b.select(small, x, zero)?;
    let square = b.mul(inner, inner)?;
    let mut series = b.like(x, -11.0 / 6144.0)?;
    for c in [1.0 / 96.0, -1.0 / 16.0, 0.5] {
        let (c, higher) = (b.like(x, c)?, b.mul(series, square)?);
        series = b.add(c, higher)?;
    }
    let series = b.mul(series, i0)?;
    let safe = b.select(small, one, x)?;
    let quotient = b.div(y, safe)?;
    let quotient = b.select(small, series, quotient)?;
    let sign = b.sign(x)?;
    let (rest, fall) = (b.sub(i0, quotient)?, b.mul(sign, y)?);
    b.sub(rest, fall)
}
/// The first operand is a constant: there is no derivative in it.
fn with_constant(cx: &SampleCx, firsts: &[f64]) -> Result<Vec<Sample>> {
    if !cx.dtype.is_float() {
        return Ok(vec![]);
    }
    let ty = cx.ty(&[2, 3]);
    let one = |&first: &f64| {
        cx.program(&[(ty.clone(), Range(0.4, 4.0))], |b, x| {
            let c = b.splat(&ty, first)?;
            Ok(vec![apply(b, cx.def, &[c, x[0]])?])
        })
    };
    firsts.iter().map(one).collect()
}
