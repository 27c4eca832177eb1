//! Arithmetic on two operands.
//!
//! Linear ops keep symbolic zeros symbolic: the tangent of `x + y` where only `x` has one is that one.
use super::simplify as s;
use super::{apply, rows, small};
use crate::builder::Builder;
use crate::derive::{Linearizer, Transposer};
use crate::diag::Result;
use crate::func::{OpId, ValueId};
use crate::op::{Batch, Family, OnSmall, OpDef};
use crate::op::{Linearize::*, Transpose};
use crate::sample::Domain::*;
use crate::scalar::ScalarOp;

type Cotangents = Result<Vec<Option<ValueId>>>;

rows! {
    ADD Add "add" ["x", "y"] NUMBERS => same, [Any, Any], Rule(lin_add), "Sum; integers wrap." {
        transpose: Transpose::Rule(|_, _, ct| Ok(vec![ct[0], ct[0]])), simplify: Some(s::add),
    };
    SUB Sub "sub" ["x", "y"] NUMBERS => same, [Any, Any], Rule(lin_sub), "Difference; integers wrap." {
        transpose: Transpose::Rule(tr_sub), simplify: Some(s::sub),
    };
    MUL Mul "mul" ["x", "y"] NUMBERS => same, [Any, Any], Multilinear,
        "Product; integers wrap. The transpose of `a dz` multiplies by `conj(a)`." {
        transpose: Transpose::Rule(tr_mul), simplify: Some(s::mul),
    };
    DIV Div "div" ["x", "y"] NUMBERS => same, [Any, NonZero], Rule(lin_div),
        "Quotient. Integers truncate; `x/0` is -1 (all ones for unsigned), the least integer over -1 is itself. Derivative: \
         `(dx - q dy)/y` at the quotient `q`." {
        transpose: Transpose::Rule(tr_div), simplify: Some(s::div),
    };
    REM Rem "rem" ["x", "y"] REAL_NUMBERS => same, [Any, Range(0.5, 0.9)], Rule(lin_rem),
        "Remainder, with the sign of the dividend `x`; for integers `x` rem 0 is `x`. Derivative: `dx - trunc(x/y) dy`.";
    ATAN2 Atan2 "atan2" ["y", "x"] FLOATS => same, [Any, Any],
        Partials(&[|b, x, _| Ok(angle_slopes(b, x)?.0), |b, x, _| Ok(angle_slopes(b, x)?.1)]),
        "Angle of the point `(x, y)`, between -π and π. Derivative: `(x dy - y dx)/(x^2 + y^2)`.";
    MAX Max "max" ["x", "y"] ORDERED => same, [Any, Any], Partials(&[|b, x, _| share(b, x[0], x[1]), |b, x, _| share(b, x[1], x[0])]),
        "The greater; NaN if either is NaN, and -0 is below +0. Derivative: that of the greater, half of each where they are equal." {
        simplify: Some(s::max),
    };
    MIN Min "min" ["x", "y"] ORDERED => same, [Any, Any], Partials(&[|b, x, _| share(b, x[1], x[0]), |b, x, _| share(b, x[0], x[1])]),
        "The lesser; NaN if either is NaN, and -0 is below +0. Derivative: that of the lesser, half of each where they are equal." {
        simplify: Some(s::min),
    };
    NEXTAFTER Nextafter "nextafter" ["x", "toward"] FLOATS => same, [Any, Any],
        Never("it steps from one representable number to the next"),
        "The representable number next to `x` in the direction of the second operand." { small: OnSmall::Rule(small::nextafter) };
    COMPLEX Complex "complex" ["re", "im"] PARTS => complex, [Any, Any], Rule(lin_complex),
        "The complex number with these parts. Linear over the reals: its transpose takes the parts of the cotangent." {
        transpose: Transpose::Rule(tr_complex), simplify: Some(s::complex),
    };
}

/// Builds the tangent of a linear op from those of its operands.
fn linear_in_both(
    cx: &mut Linearizer,
    o: OpId,
    f: impl FnOnce(&mut Builder, [Option<ValueId>; 2]) -> Result<Option<ValueId>>,
) -> Result<()> {
    let op = cx.op(o);
    cx.copy_primal(o)?;
    let d = [cx.tangent(op.operands[0]), cx.tangent(op.operands[1])];
    let dy = f(cx.t(), d)?;
    cx.set_tangent(op.results[0], dy)
}
fn lin_add(cx: &mut Linearizer, o: OpId) -> Result<()> {
    linear_in_both(cx, o, |t, d| match d {
        [Some(a), Some(b)] => t.add(a, b).map(Some),
        [a, b] => Ok(a.or(b)),
    })
}
fn lin_sub(cx: &mut Linearizer, o: OpId) -> Result<()> {
    linear_in_both(cx, o, |t, d| match d {
        [Some(a), Some(b)] => t.sub(a, b).map(Some),
        [None, Some(b)] => t.neg(b).map(Some),
        [a, None] => Ok(a),
    })
}
fn lin_complex(cx: &mut Linearizer, o: OpId) -> Result<()> {
    linear_in_both(cx, o, |t, d| {
        let Some(some) = d[0].or(d[1]) else { return Ok(None) };
        let mut parts = [some; 2];
        for (part, d) in parts.iter_mut().zip(d) {
            *part = match d {
                Some(d) => d,
                None => t.like(some, 0.0)?,
            };
        }
        t.complex(parts[0], parts[1]).map(Some)
    })
}
/// With both tangents one division serves: `(dx - q dy)/y`.
fn lin_div(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    cx.copy_primal(o)?;
    let (y, q) = (cx.primal(op.operands[1])?, cx.primal(op.results[0])?);
    let dq = match (cx.tangent(op.operands[0]), cx.tangent(op.operands[1])) {
        (None, None) => return Ok(()),
        (Some(dx), None) => {
            let y = cx.residual(y)?;
            cx.t().div(dx, y)?
        }
        (None, Some(dy)) => {
            let slope = cx.p().div(q, y)?;
            let slope = cx.p().neg(slope)?;
            let slope = cx.residual(slope)?;
            cx.t().mul(slope, dy)?
        }
        (Some(dx), Some(dy)) => {
            let (y, q) = (cx.residual(y)?, cx.residual(q)?);
            let t = cx.t();
            let carried = t.mul(q, dy)?;
            let rest = t.sub(dx, carried)?;
            t.div(rest, y)?
        }
    };
    cx.set_tangent(op.results[0], Some(dq))
}
/// `(rem - x)/y` is the negated truncated quotient; rounding removes what the division added.
fn lin_rem(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    cx.copy_primal(o)?;
    let (dx, dy) = (cx.tangent(op.operands[0]), cx.tangent(op.operands[1]));
    let Some(dy) = dy else { return cx.set_tangent(op.results[0], dx) };
    let (x, y, r) = (cx.primal(op.operands[0])?, cx.primal(op.operands[1])?, cx.primal(op.results[0])?);
    let p = cx.p();
    let multiple = p.sub(r, x)?;
    let quotient = p.div(multiple, y)?;
    let quotient = apply(p, &super::ROUND_EVEN, &[quotient])?;
    let quotient = cx.residual(quotient)?;
    let t = cx.t();
    let moved = t.mul(quotient, dy)?;
    let dr = match dx {
        Some(dx) => t.add(dx, moved)?,
        None => moved,
    };
    cx.set_tangent(op.results[0], Some(dr))
}

fn tr_sub(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Cotangents {
    let (y, c) = (cx.op(o).operands[1], ct[0]);
    Ok(vec![
        c,
        match c {
            Some(c) if cx.linear(y) => Some(cx.b.neg(c)?),
            _ => None,
        },
    ])
}
fn tr_mul(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Cotangents {
    let x = cx.op(o).operands;
    let mut out = vec![None, None];
    let Some(c) = ct[0] else { return Ok(out) };
    for (i, j) in [(0, 1), (1, 0)] {
        if cx.linear(x[i]) {
            let factor = cx.val_conj(x[j])?;
            out[i] = Some(cx.b.mul(factor, c)?);
        }
    }
    Ok(out)
}
fn tr_div(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Cotangents {
    let x = cx.op(o).operands;
    super::unary::back(cx, ct, |cx, c| {
        let y = cx.val_conj(x[1])?;
        cx.b.div(c, y)
    })
    .map(|mut v| {
        v.push(None);
        v
    })
}
fn tr_complex(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Cotangents {
    let x = cx.op(o).operands;
    let Some(c) = ct[0] else { return Ok(vec![None, None]) };
    let re = if cx.linear(x[0]) { Some(cx.b.real(c)?) } else { None };
    let im = if cx.linear(x[1]) { Some(cx.b.imag(c)?) } else { None };
    Ok(vec![re, im])
}
/// `x/(x^2 + y^2)` and `-y/(x^2 + y^2)`, the partials of the angle, by the quotient t of the smaller coordinate by the greater
/// one, g: they are `1/(g (1 + t^2))` and t times that, in one order or the other. No square overflows or vanishes.
fn angle_slopes(b: &mut Builder, yx: &[ValueId]) -> Result<(ValueId, ValueId)> {
    let (y, x) = (yx[0], yx[1]);
    let (height, width) = (b.abs(y)?, b.abs(x)?);
    let steep = b.gt(height, width)?;
    let (less, greater) = (b.select(steep, x, y)?, b.select(steep, y, x)?);
    let (t, one) = (b.div(less, greater)?, b.like(x, 1.0)?);
    let more = b.mul(less, t)?;
    let sum = b.add(greater, more)?;
    let large = b.div(one, sum)?;
    let small = b.mul(t, large)?;
    let (in_y, in_x) = (b.select(steep, small, large)?, b.select(steep, large, small)?);
    Ok((in_y, b.neg(in_x)?))
}
/// 1 where `x > y`, 1/2 where they are equal, else 0.
fn share(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    let (more, tie) = (b.gt(x, y)?, b.eq(x, y)?);
    let (zero, half, one) = (b.like(x, 0.0)?, b.like(x, 0.5)?, b.like(x, 1.0)?);
    let rest = b.select(tie, half, zero)?;
    b.select(more, one, rest)
}
