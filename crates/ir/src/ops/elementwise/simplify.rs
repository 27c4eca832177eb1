//! Algebraic simplification of elementwise ops. Every rule gives the same value for NaN, both zeros and infinities
//! (TFIR §5); NaN payloads and signs may differ. What is *not* here is as deliberate: `x*0`, `x-x`, `x/x`, `x + 0.0` and, on
//! complex numbers, `x*1` (an infinite part makes the other NaN) stay.
//!
//! A replacement has the type of what it replaces; where extents agree only under a guard, the op stays.
use super::*;
use crate::ops::constant::{is_splat, splat_of};

type Simplified = Result<Option<Vec<ValueId>>>;

/// The operands of the op that makes `v`, if it is a `def`.
fn made_by(b: &Builder, v: ValueId, def: &OpDef) -> Option<Vec<ValueId>> {
    let op = b.func().def_op(v)?;
    op.def.is(def).then(|| op.operands.clone())
}
/// The operand of the unary op `def` that makes `v`.
fn under(b: &Builder, v: ValueId, def: &OpDef) -> Option<ValueId> {
    made_by(b, v, def).and_then(|x| x.first().copied())
}
fn dtype(b: &Builder, v: ValueId) -> DType {
    b.func().ty(v).dtype
}
/// Is `v` the constant `x` (bit for bit, so `-0.0` is not `0.0`)?
fn is(b: &Builder, v: ValueId, x: f64) -> bool {
    is_splat(b, v, x)
}
/// `v` instead of `op`, if it has the type that `op` would have.
fn keep(b: &Builder, op: &NewOp, v: ValueId) -> Simplified {
    let ty = b.func().ty(v);
    let agrees = match op.declared.as_deref() {
        Some([t]) => t == ty,
        _ => op.operands.iter().all(|&x| b.func().ty(x).is_scalar() || b.func().ty(x).dims == ty.dims),
    };
    Ok(agrees.then(|| vec![v]))
}
/// As [`keep`], for a value that a rule makes.
fn made(b: &Builder, op: &NewOp, v: Result<ValueId>) -> Simplified {
    keep(b, op, v?)
}
/// Do all operands have one shape, so that any may stand for the result?
fn uniform(b: &Builder, op: &NewOp) -> bool {
    op.operands.windows(2).all(|w| b.func().ty(w[0]).dims == b.func().ty(w[1]).dims)
}

/// `neg(neg(x))`.
pub(super) fn neg(b: &mut Builder, op: &NewOp) -> Simplified {
    match under(b, op.operands[0], &NEG) {
        Some(x) => keep(b, op, x),
        None => Ok(None),
    }
}
/// `abs` of `neg`, of `abs`.
pub(super) fn abs(b: &mut Builder, op: &NewOp) -> Simplified {
    let x = op.operands[0];
    if made_by(b, x, &ABS).is_some() {
        return keep(b, op, x);
    }
    match under(b, x, &NEG) {
        Some(y) => {
            let v = b.abs(y);
            made(b, op, v)
        }
        None => Ok(None),
    }
}
/// Rounding what is integral already.
pub(super) fn integral(b: &mut Builder, op: &NewOp) -> Simplified {
    let x = op.operands[0];
    if [&FLOOR, &CEIL, &ROUND, &ROUND_EVEN].into_iter().any(|d| made_by(b, x, d).is_some()) {
        return keep(b, op, x);
    }
    Ok(None)
}
/// `real` of a real, of `complex`, of `conj`.
pub(super) fn real(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn imag(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn conj(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn complex(b: &mut Builder, op: &NewOp) -> Simplified {
    match (under(b, op.operands[0], &REAL), under(b, op.operands[1], &IMAG)) {
        (Some(z), Some(w)) if z == w && dtype(b, z).is_complex() => keep(b, op, z),
        _ => Ok(None),
    }
}

/// `x + (-0.0)`, `x + 0` of integers; a negated term becomes a difference.
pub(super) fn add(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn sub(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn mul(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn div(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn pow(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn max(b: &mut Builder, op: &NewOp) -> Simplified {
    extremum(b, op, f64::NEG_INFINITY)
}
/// `min(x, x)`, `min(x, inf)`.
pub(super) fn min(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn clamp(b: &mut Builder, op: &NewOp) -> Simplified {
    if is(b, op.operands[0], f64::NEG_INFINITY) && is(b, op.operands[2], f64::INFINITY) {
        return keep(b, op, op.operands[1]);
    }
    Ok(None)
}

/// `not` of `not`, of `eq`, of `ne`.
pub(super) fn not(b: &mut Builder, op: &NewOp) -> Simplified {
    let x = op.operands[0];
    if let Some(y) = under(b, x, &NOT) {
        return keep(b, op, y);
    }
    let v = if let Some(y) = made_by(b, x, &EQ) {
        b.ne(y[0], y[1])
    } else if let Some(y) = made_by(b, x, &NE) {
        b.eq(y[0], y[1])
    } else {
        return Ok(None);
    };
    made(b, op, v)
}
/// `x and x`, `x and false`; bool: `x and true`.
pub(super) fn and(b: &mut Builder, op: &NewOp) -> Simplified {
    lattice(b, op, 0.0, 1.0)
}
/// `x or x`; bool: `x or true`, `x or false`.
pub(super) fn or(b: &mut Builder, op: &NewOp) -> Simplified {
    lattice(b, op, 1.0, 0.0)
}
/// An idempotent op of bits with an absorbing and a neutral constant. Of integers only 0 is looked for: it absorbs in `and`
/// and is neutral in `or`.
fn lattice(b: &Builder, op: &NewOp, absorbing: f64, neutral: f64) -> Simplified {
    let (x, y) = (op.operands[0], op.operands[1]);
    let bool = dtype(b, x) == DType::Bool;
    if x == y {
        return keep(b, op, x);
    }
    for (x, y) in [(x, y), (y, x)] {
        if (bool || neutral == 0.0) && is(b, y, neutral) {
            return keep(b, op, x);
        }
        if (bool || absorbing == 0.0) && is(b, y, absorbing) {
            return keep(b, op, y);
        }
    }
    Ok(None)
}
/// `x xor x`, `x xor 0`; bool: `x xor true`.
pub(super) fn xor(b: &mut Builder, op: &NewOp) -> Simplified {
    let (x, y) = (op.operands[0], op.operands[1]);
    if x == y {
        let v = b.like(x, 0.0);
        return made(b, op, v);
    }
    for (x, y) in [(x, y), (y, x)] {
        if is(b, y, 0.0) {
            return keep(b, op, x);
        }
        if dtype(b, x) == DType::Bool && is(b, y, 1.0) {
            let v = b.not(x);
            return made(b, op, v);
        }
    }
    Ok(None)
}
/// Shifts by 0.
pub(super) fn shift(b: &mut Builder, op: &NewOp) -> Simplified {
    if is(b, op.operands[1], 0.0) { keep(b, op, op.operands[0]) } else { Ok(None) }
}

fn truth(b: &mut Builder, op: &NewOp, value: bool) -> Simplified {
    let ty = b.ty(op.operands[0]).with_dtype(DType::Bool);
    let v = b.splat(&ty, f64::from(u8::from(value)));
    made(b, op, v)
}
/// `x == x` of what cannot be NaN; bool compared with a constant.
pub(super) fn eq(b: &mut Builder, op: &NewOp) -> Simplified {
    equality(b, op, true)
}
/// `x != x` of what cannot be NaN; bool compared with a constant.
pub(super) fn ne(b: &mut Builder, op: &NewOp) -> Simplified {
    equality(b, op, false)
}
fn equality(b: &mut Builder, op: &NewOp, equal: bool) -> Simplified {
    let (x, y) = (op.operands[0], op.operands[1]);
    let d = dtype(b, x);
    if x == y && !d.is_inexact() {
        return truth(b, op, equal);
    }
    for (x, y) in [(x, y), (y, x)] {
        if d != DType::Bool {
            break;
        }
        let Some(c) = splat_of(b.func(), y) else { continue };
        let v = if (c != 0.0) == equal { Ok(x) } else { b.not(x) };
        return made(b, op, v);
    }
    Ok(None)
}
/// `x < x`: false, for NaN too.
pub(super) fn strict(b: &mut Builder, op: &NewOp) -> Simplified {
    if op.operands[0] == op.operands[1] { truth(b, op, false) } else { Ok(None) }
}
/// `x <= x` of what cannot be NaN.
pub(super) fn weak(b: &mut Builder, op: &NewOp) -> Simplified {
    let same = op.operands[0] == op.operands[1] && !dtype(b, op.operands[0]).is_inexact();
    if same { truth(b, op, true) } else { Ok(None) }
}
/// A known or negated predicate, equal branches, branches chosen by the same predicate, `select(p, true, false)`.
pub(super) fn select(b: &mut Builder, op: &NewOp) -> Simplified {
    let (p, t, f) = (op.operands[0], op.operands[1], op.operands[2]);
    if let Some(c) = splat_of(b.func(), p) {
        return keep(b, op, if c != 0.0 { t } else { f });
    }
    if t == f {
        return keep(b, op, t);
    }
    if dtype(b, t) == DType::Bool && is(b, t, 1.0) && is(b, f, 0.0) && b.func().ty(p).dims == b.func().ty(t).dims {
        return keep(b, op, p);
    }
    let chosen = |b: &Builder, v: ValueId, i: usize| {
        made_by(b, v, &SELECT).filter(|x| x[0] == p).map_or(v, |x| x[i])
    };
    let (q, t2, f2) = match under(b, p, &NOT) {
        Some(q) => (q, chosen(b, f, 2), chosen(b, t, 1)),
        None => (p, chosen(b, t, 1), chosen(b, f, 2)),
    };
    if (q, t2, f2) == (p, t, f) {
        return Ok(None);
    }
    let v = b.select(q, t2, f2);
    made(b, op, v)
}

/// Does every value of dtype `a` survive the way to `via` and back?
fn lossless(a: DType, via: DType) -> bool {
    use DType::*;
    a == via
        || a == Bool
        || matches!(
            (a, via),
            (I32, I64 | U32 | U64 | F64 | C64)
                | (U32, I32 | I64 | U64 | F64 | C64)
                | (I64, U64)
                | (U64, I64)
                | (F32, F64)
                | (C32, C64)
        )
}
/// To the same dtype; there and back without loss.
pub(super) fn convert(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn bitcast(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(super) fn reduce_precision(b: &mut Builder, op: &NewOp) -> Simplified {
    let x = op.operands[0];
    let (e, m) = if dtype(b, x) == DType::F32 { (8, 23) } else { (11, 52) };
    let holds = op.attrs.int("exponent") >= e && op.attrs.int("mantissa") >= m;
    let twice = b.func().def_op(x).is_some_and(|o| o.def.is(&REDUCE_PRECISION) && o.attrs == op.attrs);
    if holds || twice { keep(b, op, x) } else { Ok(None) }
}
