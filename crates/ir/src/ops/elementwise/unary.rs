//! Sign, rounding, and the parts of a complex number.
use super::rows;
use super::simplify as s;
use crate::derive::{Linearizer, Transposer};
use crate::diag::Result;
use crate::func::{OpId, ValueId};
use crate::op::{Batch, Family, OpDef};
use crate::op::{Linearize::*, Transpose};
use crate::sample::Domain::*;
use crate::scalar::ScalarOp;

type Cotangents = Result<Vec<Option<ValueId>>>;

rows! {
    NEG Neg "neg" ["x"] NUMBERS => same, [Any], Multilinear, "Negation; integers wrap." {
        transpose: Transpose::Rule(|cx, _, ct| back(cx, ct, |cx, c| cx.b.neg(c))),
        simplify: Some(s::neg),
    };
    ABS Abs "abs" ["x"] NUMBERS => real, [NonZero], Rule(lin_abs),
        "Absolute value; of a complex number its modulus, a real. Integers wrap: the least one is its own absolute value. \
         Derivative: `sign(x)`, which is 0 at 0; for complex `z`, `Re(conj(sign(z)) dz)`." { simplify: Some(s::abs) };
    SIGN Sign "sign" ["x"] NUMBERS => same, [NonZero], Rule(lin_sign),
        "-1, 0 or 1; of a complex number `z/|z|`, 0 at 0. Zeros keep their sign, NaN stays. Derivative: 0; for complex `z`, \
         `i sign(z) Im(conj(sign(z)) dz) / |z|`, 0 at 0.";
    FLOOR Floor "floor" ["x"] FLOATS => same, [Any], Zero, "The greatest integer that is not greater." {
        simplify: Some(s::integral),
    };
    CEIL Ceil "ceil" ["x"] FLOATS => same, [Any], Zero, "The least integer that is not less." {
        simplify: Some(s::integral),
    };
    ROUND Round "round" ["x"] FLOATS => same, [Any], Zero, "The nearest integer; halves go away from zero." {
        simplify: Some(s::integral),
    };
    ROUND_EVEN RoundEven "round_even" ["x"] FLOATS => same, [Any], Zero, "The nearest integer; halves go to the even one." {
        simplify: Some(s::integral),
    };
    IS_FINITE IsFinite "is_finite" ["x"] FLOATS => truth, [Any], Zero, "Is it neither infinite nor NaN?";
    REAL Real "real" ["z"] INEXACT => real, [Any], Multilinear,
        "Real part; a real number is its own. Linear over the reals: the transpose of a cotangent `c` is `c + 0i`." {
        transpose: Transpose::Rule(tr_real), simplify: Some(s::real),
    };
    IMAG Imag "imag" ["z"] INEXACT => real, [Any], Multilinear,
        "Imaginary part; that of a real number is 0. Linear over the reals: the transpose of a cotangent `c` is `0 + ci`." {
        transpose: Transpose::Rule(tr_imag), simplify: Some(s::imag),
    };
    CONJ Conj "conj" ["z"] INEXACT => same, [Any], Multilinear,
        "Complex conjugate; a real number is its own. Linear over the reals: it is its own transpose." {
        transpose: Transpose::Rule(|cx, _, ct| back(cx, ct, |cx, c| cx.b.conj(c))), simplify: Some(s::conj),
    };
}

/// The cotangent of the only operand, from that of the result.
pub(super) fn back(
    cx: &mut Transposer,
    ct: &[Option<ValueId>],
    f: impl FnOnce(&mut Transposer, ValueId) -> Result<ValueId>,
) -> Cotangents {
    Ok(vec![match ct.first().copied().flatten() {
        Some(c) => Some(f(cx, c)?),
        None => None,
    }])
}
/// Whether the first operand of a linear op is complex.
fn of_complex(cx: &Transposer, o: OpId) -> bool {
    let src = &cx.src;
    src.op(o).operands.first().is_some_and(|&x| src.ty(x).dtype.is_complex())
}
fn tr_real(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Cotangents {
    if !of_complex(cx, o) {
        return Ok(ct.to_vec());
    }
    back(cx, ct, |cx, c| {
        let zero = cx.b.like(c, 0.0)?;
        cx.b.complex(c, zero)
    })
}
fn tr_imag(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Cotangents {
    if !of_complex(cx, o) {
        return Ok(vec![None]);
    }
    back(cx, ct, |cx, c| {
        let zero = cx.b.like(c, 0.0)?;
        cx.b.complex(zero, c)
    })
}
fn lin_abs(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let x = op.operands[0];
    cx.copy_primal(o)?;
    let Some(dx) = cx.tangent(x) else { return Ok(()) };
    let z = cx.primal(x)?;
    let s = cx.p().sign(z)?;
    let s = cx.p().conj_if_complex(s)?;
    let s = cx.residual(s)?;
    let t = cx.t();
    let along = t.mul(s, dx)?;
    let dy = if t.func().ty(along).dtype.is_complex() { t.real(along)? } else { along };
    cx.set_tangent(op.results[0], Some(dy))
}
fn lin_sign(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let (x, y) = (op.operands[0], op.results[0]);
    cx.copy_primal(o)?;
    if !cx.src.ty(x).dtype.is_complex() {
        return Ok(());
    }
    let Some(dx) = cx.tangent(x) else { return Ok(()) };
    let (z, s) = (cx.primal(x)?, cx.primal(y)?);
    let p = cx.p();
    let radius = p.abs(z)?;
    let (zero, one) = (p.like(radius, 0.0)?, p.like(radius, 1.0)?);
    let at_zero = p.eq(radius, zero)?;
    let radius = p.select(at_zero, one, radius)?;
    let turned = p.conj(s)?;
    let (radius, turned, s) = (cx.residual(radius)?, cx.residual(turned)?, cx.residual(s)?);
    let t = cx.t();
    let across = t.mul(turned, dx)?;
    let across = t.imag(across)?;
    let angle = t.div(across, radius)?;
    let zero = t.like(angle, 0.0)?;
    let turn = t.complex(zero, angle)?;
    let dy = t.mul(s, turn)?;
    cx.set_tangent(y, Some(dy))
}
