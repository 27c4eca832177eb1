//! Rules of arithmetic, of the parts of complex numbers, and of changes of dtype.
use super::*;

/// `neg(neg(x))`.
pub(in super::super) fn neg(b: &mut Builder, op: &NewOp) -> Simplified {
    match under(b, op.operands[0], &NEG) {
        Some(x) => keep(b, op, x),
        None => Ok(None),
    }
}
/// `abs` of `neg`, of `abs` (of unsigned integers `neg` wraps).
pub(in super::super) fn abs(b: &mut Builder, op: &NewOp) -> Simplified {
    let x = op.operands[0];
    if made_by(b, x, &ABS).is_some() {
        return keep(b, op, x);
    }
    match under(b, x, &NEG) {
        Some(y) if !dtype(b, y).is_unsigned() => {
            let v = b.abs(y);
            made(b, op, v)
        }
        _ => Ok(None),
    }
}
/// Rounding what is integral already.
pub(in super::super) fn integral(b: &mut Builder, op: &NewOp) -> Simplified {
    let x = op.operands[0];
    if [&FLOOR, &CEIL, &ROUND, &ROUND_EVEN].into_iter().any(|d| made_by(b, x, d).is_some()) {
        return keep(b, op, x);
    }
    Ok(None)
}
/// `real` of a real, of `complex`, of `conj`.
pub(in super::super) fn real(b: &mut Builder, op: &NewOp) -> Simplified {
    let z = op.operands[0];
    if !dtype(b, z).is_complex() {
        return keep(b, op, z);
    }
    if let Some(re) = under(b, z, &COMPLEX) {
        return keep(b, op, re);
    }
    match under(b, z, &CONJ) {
        Some(w) => {
            let v = b.real(w);
            made(b, op, v)
        }
        None => Ok(None),
    }
}
/// `imag` of a real, of `complex`, of `conj`.
pub(in super::super) fn imag(b: &mut Builder, op: &NewOp) -> Simplified {
    let z = op.operands[0];
    if !dtype(b, z).is_complex() {
        let v = b.like(z, 0.0);
        return made(b, op, v);
    }
    if let Some(parts) = made_by(b, z, &COMPLEX) {
        return keep(b, op, parts[1]);
    }
    if let Some(w) = under(b, z, &CONJ) {
        let im = b.imag(w)?;
        let v = b.neg(im);
        return made(b, op, v);
    }
    Ok(None)
}
/// `conj` of a real, of `conj`.
pub(in super::super) fn conj(b: &mut Builder, op: &NewOp) -> Simplified {
    let z = op.operands[0];
    if !dtype(b, z).is_complex() {
        return keep(b, op, z);
    }
    match under(b, z, &CONJ) {
        Some(w) => keep(b, op, w),
        None => Ok(None),
    }
}
/// `complex(real(z), imag(z))`.
pub(in super::super) fn complex(b: &mut Builder, op: &NewOp) -> Simplified {
    match (under(b, op.operands[0], &REAL), under(b, op.operands[1], &IMAG)) {
        (Some(z), Some(w)) if z == w && dtype(b, z).is_complex() => keep(b, op, z),
        _ => Ok(None),
    }
}

/// `x + (-0.0)`, `x + 0` of integers; a negated term becomes a difference.
pub(in super::super) fn add(b: &mut Builder, op: &NewOp) -> Simplified {
    let d = dtype(b, op.operands[0]);
    for (x, y) in [(op.operands[0], op.operands[1]), (op.operands[1], op.operands[0])] {
        if (d.is_int() && is(b, y, 0.0)) || (d.is_float() && is(b, y, -0.0)) {
            return keep(b, op, x);
        }
    }
    if !uniform(b, op) {
        return Ok(None);
    }
    for (x, y) in [(op.operands[0], op.operands[1]), (op.operands[1], op.operands[0])] {
        if let Some(y) = under(b, y, &NEG) {
            let v = b.sub(x, y);
            return made(b, op, v);
        }
    }
    Ok(None)
}
/// `x - 0.0`; `0 - x` of integers and `-0.0 - x` of floats; a negated subtrahend becomes a sum.
pub(in super::super) fn sub(b: &mut Builder, op: &NewOp) -> Simplified {
    let (x, y) = (op.operands[0], op.operands[1]);
    let d = dtype(b, x);
    if is(b, y, 0.0) {
        return keep(b, op, x);
    }
    let v = if (d.is_int() && is(b, x, 0.0)) || (d.is_float() && is(b, x, -0.0)) {
        b.neg(y)
    } else if let Some(y) = under(b, y, &NEG) {
        b.add(x, y)
    } else {
        return Ok(None);
    };
    made(b, op, v)
}
/// Real `x * 1`, `x * (-1)`; integer `x * 0`; two negated factors.
pub(in super::super) fn mul(b: &mut Builder, op: &NewOp) -> Simplified {
    let d = dtype(b, op.operands[0]);
    for (x, y) in [(op.operands[0], op.operands[1]), (op.operands[1], op.operands[0])] {
        if d.is_complex() {
            break;
        }
        if is(b, y, 1.0) {
            return keep(b, op, x);
        }
        if is(b, y, -1.0) {
            let v = b.neg(x);
            return made(b, op, v);
        }
        if d.is_int() && is(b, y, 0.0) {
            return keep(b, op, y);
        }
    }
    match (under(b, op.operands[0], &NEG), under(b, op.operands[1], &NEG)) {
        (Some(x), Some(y)) => {
            let v = b.mul(x, y);
            made(b, op, v)
        }
        _ => Ok(None),
    }
}
/// Real `x / 1`, `x / (-1)`; both operands negated (not of integers: dividing by zero and wrapping differ).
pub(in super::super) fn div(b: &mut Builder, op: &NewOp) -> Simplified {
    let (x, y) = (op.operands[0], op.operands[1]);
    let d = dtype(b, x);
    if !d.is_complex() && is(b, y, 1.0) {
        return keep(b, op, x);
    }
    if !d.is_complex() && is(b, y, -1.0) {
        let v = b.neg(x);
        return made(b, op, v);
    }
    match (under(b, x, &NEG), under(b, y, &NEG)) {
        (Some(x), Some(y)) if d.is_float() => {
            let v = b.div(x, y);
            made(b, op, v)
        }
        _ => Ok(None),
    }
}
/// Real exponents 0, 1, 2, -1 (integers: 0, 1, 2): each at most one rounding.
pub(in super::super) fn pow(b: &mut Builder, op: &NewOp) -> Simplified {
    let (x, n) = (op.operands[0], op.operands[1]);
    let d = dtype(b, x);
    if d.is_complex() {
        return Ok(None);
    }
    let v = match splat_of(b.func(), n) {
        Some(0.0) => b.like(x, 1.0),
        Some(1.0) => Ok(x),
        Some(2.0) => b.mul(x, x),
        Some(-1.0) if d.is_float() => {
            let one = b.like(x, 1.0)?;
            b.div(one, x)
        }
        _ => return Ok(None),
    };
    made(b, op, v)
}
/// `max(x, x)`, `max(x, -inf)`.
pub(in super::super) fn max(b: &mut Builder, op: &NewOp) -> Simplified {
    extremum(b, op, f64::NEG_INFINITY)
}
/// `min(x, x)`, `min(x, inf)`.
pub(in super::super) fn min(b: &mut Builder, op: &NewOp) -> Simplified {
    extremum(b, op, f64::INFINITY)
}
fn extremum(b: &Builder, op: &NewOp, neutral: f64) -> Simplified {
    let (x, y) = (op.operands[0], op.operands[1]);
    if x == y || is(b, y, neutral) {
        return keep(b, op, x);
    }
    if is(b, x, neutral) { keep(b, op, y) } else { Ok(None) }
}
/// `clamp(-inf, x, inf)`.
pub(in super::super) fn clamp(b: &mut Builder, op: &NewOp) -> Simplified {
    if is(b, op.operands[0], f64::NEG_INFINITY) && is(b, op.operands[2], f64::INFINITY) {
        return keep(b, op, op.operands[1]);
    }
    Ok(None)
}

/// Whether every value of dtype `a` survives the conversion to `via` and back.
fn lossless(a: DType, via: DType) -> bool {
    // Between integers low bits survive.
    a == DType::Bool || a.is_int() && via.is_int() && via.size() >= a.size() || via.holds(a)
}
/// To the same dtype; there and back without loss.
pub(in super::super) fn convert(b: &mut Builder, op: &NewOp) -> Simplified {
    let (x, Some([to])) = (op.operands[0], op.declared.as_deref()) else { return Ok(None) };
    if dtype(b, x) == to.dtype {
        return keep(b, op, x);
    }
    match under(b, x, &CONVERT) {
        Some(y) if dtype(b, y) == to.dtype && lossless(to.dtype, dtype(b, x)) => keep(b, op, y),
        _ => Ok(None),
    }
}
/// To the same dtype; there and back.
pub(in super::super) fn bitcast(b: &mut Builder, op: &NewOp) -> Simplified {
    let (x, Some([to])) = (op.operands[0], op.declared.as_deref()) else { return Ok(None) };
    if b.func().ty(x) == to {
        return Ok(Some(vec![x]));
    }
    match under(b, x, &BITCAST) {
        Some(y) if b.func().ty(y) == to => Ok(Some(vec![y])),
        _ => Ok(None),
    }
}
/// Twice to the same format; to one that holds the dtype.
pub(in super::super) fn reduce_precision(b: &mut Builder, op: &NewOp) -> Simplified {
    let x = op.operands[0];
    let (e, m) = dtype(b, x).float_bits().unwrap_or((11, 52));
    let holds = op.attrs.int("exponent") >= e.into() && op.attrs.int("mantissa") >= m.into();
    let twice = b.func().def_op(x).is_some_and(|o| o.def.is(&REDUCE_PRECISION) && o.attrs == op.attrs);
    if holds || twice { keep(b, op, x) } else { Ok(None) }
}
