//! Normal forms of `min max floordiv ceildiv mod`.
//!
//! - `min`/`max`: nested calls of the same kind are flattened, arguments sorted; an argument that another one bounds by
//!   form alone (interval of the difference, atoms ≥ 0) is dropped, duplicates and all but one exact among them.
//! - Division by an exact number: the divisor is made positive; the common divisor of the coefficients is cancelled;
//!   multiples of the divisor leave the call, so coefficients and constant inside lie in `[0, divisor)`; nested
//!   divisions are joined; a quotient that its interval determines is that number.
//! - Division by anything else stays as written, unless the divisor cannot be 0 and the quotient is plain.
use super::normal::Extent;
use super::poly::{Mono, call_extent, finish};
use super::range::Range;
use super::{ceil_div, division_by_zero, floor_div, floor_mod, overflow};
use crate::Result;

/// The functions of extents that are no polynomials.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) enum CallOp {
    Min,
    Max,
    FloorDiv,
    CeilDiv,
    Mod,
}
impl CallOp {
    pub(super) fn name(self) -> &'static str {
        match self {
            CallOp::Min => "min",
            CallOp::Max => "max",
            CallOp::FloorDiv => "floordiv",
            CallOp::CeilDiv => "ceildiv",
            CallOp::Mod => "mod",
        }
    }
    /// The value of the call on two integers.
    pub(super) fn of_values(self, a: i128, b: i128) -> Result<i128> {
        let quotient = match self {
            CallOp::Min => return Ok(a.min(b)),
            CallOp::Max => return Ok(a.max(b)),
            CallOp::FloorDiv => floor_div(a, b),
            CallOp::CeilDiv => ceil_div(a, b),
            CallOp::Mod => floor_mod(a, b),
        };
        quotient.ok_or_else(|| if b == 0 { division_by_zero() } else { overflow() })
    }
}

/// The normal form of `op(args…)`.
pub(super) fn apply(op: CallOp, args: &[Extent]) -> Result<Extent> {
    let mut rest = args.iter();
    let mut out = rest.next().cloned().unwrap_or(Extent::exact(0));
    for x in rest {
        out = match op {
            CallOp::Min | CallOp::Max => extremum(op, &out, x)?,
            CallOp::FloorDiv | CallOp::CeilDiv => divide(op, &out, x)?,
            CallOp::Mod => modulo(&out, x)?,
        };
    }
    Ok(out)
}

/// `min` or `max` of two extents.
pub(super) fn extremum(op: CallOp, a: &Extent, b: &Extent) -> Result<Extent> {
    if let (Some(x), Some(y)) = (a.as_exact(), b.as_exact()) {
        return Ok(Extent::exact(if op == CallOp::Min { x.min(y) } else { x.max(y) }));
    }
    let mut args: Vec<Extent> = Vec::new();
    for x in [a, b] {
        match x.as_call() {
            Some(c) if c.op == op => args.extend(c.args.iter().cloned()),
            _ => args.push(x.clone()),
        }
    }
    args.sort();
    args.dedup();
    // Comparing against dropped arguments too makes the result independent of the order in which it was built: the
    // relation is transitive. Of two that bound each other the first stays.
    let kept = |i: usize, x: &Extent| {
        !args.iter().enumerate().any(|(j, y)| i != j && bounds(op, y, x) && (j < i || !bounds(op, x, y)))
    };
    let mut out: Vec<Extent> = args.iter().enumerate().filter(|(i, x)| kept(*i, x)).map(|(_, x)| x.clone()).collect();
    match out.len() {
        1 => Ok(out.swap_remove(0)),
        _ => call_extent(op, out),
    }
}
/// Whether `op(a, b)` is `a` by form alone.
fn bounds(op: CallOp, a: &Extent, b: &Extent) -> bool {
    let (low, high) = if op == CallOp::Min { (a, b) } else { (b, a) };
    high.sub(low).is_ok_and(|d| Range::intrinsic(&d).lo.is_some_and(|lo| lo >= 0))
}

/// `x = divisor*quotient + rest` with the coefficients and the constant of `rest` in `[0, divisor)`.
fn split(x: &Extent, divisor: i64) -> Result<(Extent, Extent)> {
    let d = i128::from(divisor);
    let part = |c: i64| {
        let c = i128::from(c);
        floor_div(c, d).zip(floor_mod(c, d)).ok_or_else(overflow)
    };
    let (mut quotient, mut rest): (Vec<(Mono, i128)>, Vec<(Mono, i128)>) = Default::default();
    for t in x.terms() {
        let (q, r) = part(t.coef)?;
        quotient.push((t.mono.clone(), q));
        rest.push((t.mono.clone(), r));
    }
    let (q, r) = part(x.constant())?;
    Ok((finish(quotient, q)?, finish(rest, r)?))
}
/// The greatest common divisor of `d` and the coefficients of the terms of `x`.
fn common(x: &Extent, d: i64) -> i64 {
    x.terms().iter().fold(d.unsigned_abs(), |g, t| gcd(g, t.coef.unsigned_abs())) as i64
}
pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
/// The terms of `x` divided by `g`, which divides them, with another constant.
fn reduce_terms(x: &Extent, g: i64, constant: i128) -> Result<Extent> {
    finish(x.terms().iter().map(|t| (t.mono.clone(), i128::from(t.coef / g))).collect(), constant)
}

/// `floordiv` or `ceildiv`.
pub(super) fn divide(op: CallOp, x: &Extent, divisor: &Extent) -> Result<Extent> {
    let Some(d) = divisor.as_exact() else { return divide_symbolic(op, x, divisor) };
    match d {
        0 => return Err(division_by_zero()),
        1 => return Ok(x.clone()),
        _ if d < 0 => return divide(op, &x.neg()?, &divisor.neg()?),
        _ => {}
    }
    let round = if op == CallOp::FloorDiv { floor_div } else { ceil_div };
    let rounded = |a: i128, b: i64| round(a, i128::from(b)).ok_or_else(overflow);
    let g = common(x, d);
    let d = d / g;
    let x = if g == 1 { x.clone() } else { reduce_terms(x, g, rounded(i128::from(x.constant()), g)?)? };
    if d == 1 {
        return Ok(x);
    }
    let (quotient, rest) = split(&x, d)?;
    let range = Range::intrinsic(&rest);
    if let Some((lo, hi)) = range.lo.zip(range.hi) {
        let (lo, hi) = (rounded(lo, d)?, rounded(hi, d)?);
        if lo == hi {
            return quotient.add(&Extent::exact(i64::try_from(lo).map_err(|_| overflow())?));
        }
    }
    let call = match join(op, &rest, d) {
        Some(joined) => joined,
        None => call_extent(op, vec![rest, Extent::exact(d)])?,
    };
    quotient.add(&call)
}
/// `op(op(y, a) + k, d)` as `op(y + k*a, a*d)`, where that fits.
fn join(op: CallOp, rest: &Extent, d: i64) -> Option<Extent> {
    let inner = rest.sub(&Extent::exact(rest.constant())).ok()?;
    let call = inner.as_call().filter(|c| c.op == op)?;
    let [y, a] = &*call.args else { return None };
    let a = a.as_exact().filter(|a| *a > 0)?;
    let y = y.add(&Extent::exact(rest.constant().checked_mul(a)?)).ok()?;
    divide(op, &y, &Extent::exact(a.checked_mul(d)?)).ok()
}
fn divide_symbolic(op: CallOp, x: &Extent, divisor: &Extent) -> Result<Extent> {
    if Range::intrinsic(divisor).excludes_zero() {
        if x.as_exact() == Some(0) {
            return Ok(Extent::exact(0));
        }
        if x == divisor {
            return Ok(Extent::exact(1));
        }
    }
    call_extent(op, vec![x.clone(), divisor.clone()])
}

/// `mod`, with the sign of the divisor.
pub(super) fn modulo(x: &Extent, divisor: &Extent) -> Result<Extent> {
    let Some(d) = divisor.as_exact() else {
        let plain = x.as_exact() == Some(0) || x == divisor;
        if plain && Range::intrinsic(divisor).excludes_zero() {
            return Ok(Extent::exact(0));
        }
        return call_extent(CallOp::Mod, vec![x.clone(), divisor.clone()]);
    };
    match d {
        0 => return Err(division_by_zero()),
        1 => return Ok(Extent::exact(0)),
        _ if d < 0 => return modulo(&x.neg()?, &divisor.neg()?)?.neg(),
        _ => {}
    }
    // mod(g*y + k, g*d) = g*mod(y + floordiv(k, g), d) + mod(k, g)
    let g = common(x, d);
    let d = d / g;
    let k = i128::from(x.constant());
    let (up, down) = floor_div(k, i128::from(g)).zip(floor_mod(k, i128::from(g))).ok_or_else(overflow)?;
    let down = Extent::exact(i64::try_from(down).map_err(|_| overflow())?);
    let (_, rest) = split(&reduce_terms(x, g, up)?, d)?;
    let range = Range::intrinsic(&rest);
    let inner = match range.lo.zip(range.hi) {
        Some((lo, hi)) if floor_div(lo, i128::from(d)) == floor_div(hi, i128::from(d)) => {
            let times = floor_div(lo, i128::from(d)).and_then(|q| q.checked_mul(i128::from(d))).ok_or_else(overflow)?;
            rest.sub(&Extent::exact(i64::try_from(times).map_err(|_| overflow())?))?
        }
        _ => call_extent(CallOp::Mod, vec![rest, Extent::exact(d)])?,
    };
    inner.mul(&Extent::exact(g))?.add(&down)
}
