//! Rules of bits, comparisons and `select`.
use super::*;

/// `not` of `not`, of `eq`, of `ne`.
pub(in super::super) fn not(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(in super::super) fn and(b: &mut Builder, op: &NewOp) -> Simplified {
    lattice(b, op, 0.0, 1.0)
}
/// `x or x`; bool: `x or true`, `x or false`.
pub(in super::super) fn or(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(in super::super) fn xor(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(in super::super) fn shift(b: &mut Builder, op: &NewOp) -> Simplified {
    if is(b, op.operands[1], 0.0) { keep(b, op, op.operands[0]) } else { Ok(None) }
}

fn truth(b: &mut Builder, op: &NewOp, value: bool) -> Simplified {
    let ty = b.ty(op.operands[0]).with_dtype(DType::Bool);
    let v = b.splat(&ty, f64::from(u8::from(value)));
    made(b, op, v)
}
/// `x == x` of what cannot be NaN; bool compared with a constant.
pub(in super::super) fn eq(b: &mut Builder, op: &NewOp) -> Simplified {
    equality(b, op, true)
}
/// `x != x` of what cannot be NaN; bool compared with a constant.
pub(in super::super) fn ne(b: &mut Builder, op: &NewOp) -> Simplified {
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
pub(in super::super) fn strict(b: &mut Builder, op: &NewOp) -> Simplified {
    if op.operands[0] == op.operands[1] { truth(b, op, false) } else { Ok(None) }
}
/// `x <= x` of what cannot be NaN.
pub(in super::super) fn weak(b: &mut Builder, op: &NewOp) -> Simplified {
    let same = op.operands[0] == op.operands[1] && !dtype(b, op.operands[0]).is_inexact();
    if same { truth(b, op, true) } else { Ok(None) }
}
/// A known or negated predicate, equal branches, branches chosen by the same predicate, `select(p, true, false)`.
pub(in super::super) fn select(b: &mut Builder, op: &NewOp) -> Simplified {
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
    let chosen = |b: &Builder, v: ValueId, i: usize| made_by(b, v, &SELECT).filter(|x| x[0] == p).map_or(v, |x| x[i]);
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
