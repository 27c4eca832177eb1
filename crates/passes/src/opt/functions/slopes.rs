//! Slopes of the functions of the table. Each is right where terms cancel, overflow or have a removable pole, and so are its
//! derivatives: they are differentiated like any other statements.
use tfc_ir::{Builder, Result, ValueId};

/// `f(x) f(−x)` for the logistic function `f`: `f (1 − f)` without cancelling.
pub(super) fn sigmoid(b: &mut Builder, x: &[ValueId], _: ValueId) -> Result<ValueId> {
    let p = b.logistic(x[0])?;
    let minus = b.neg(x[0])?;
    let q = b.logistic(minus)?;
    b.mul(p, q)
}
/// `f(x) + x f(x) f(−x)`.
pub(super) fn silu(b: &mut Builder, x: &[ValueId], y: ValueId) -> Result<ValueId> {
    let (f, rise) = (b.logistic(x[0])?, sigmoid(b, x, y)?);
    let more = b.mul(x[0], rise)?;
    b.add(f, more)
}
/// `1/(1 + exp(factor (y − x)))`: how much of `log(exp x + exp y)` is `x`.
pub(super) fn share(b: &mut Builder, x: ValueId, y: ValueId, factor: f64) -> Result<ValueId> {
    let ahead = b.sub(x, y)?;
    // Two infinities of one sign are as far as two equal numbers.
    let (equal, unknown, zero) = (b.eq(x, y)?, b.ne(ahead, ahead)?, b.like(x, 0.0)?);
    let tie = b.and(equal, unknown)?;
    let ahead = b.select(tie, zero, ahead)?;
    let factor = b.like(x, factor)?;
    let ahead = b.mul(ahead, factor)?;
    b.logistic(ahead)
}
/// `x/y`, the slope of `x log y`; at `x = y = 0`, where `x log y` is 0 beside as well, 0. There it has a slope in no direction,
/// so its own is infinite: the root.
pub(super) fn quotient(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    let (zero, one) = (b.like(x, 0.0)?, b.like(x, 1.0)?);
    let (p, q) = (b.eq(x, zero)?, b.eq(y, zero)?);
    let corner = b.and(p, q)?;
    let y = b.select(corner, one, y)?;
    let beside = b.div(x, y)?;
    let x = b.select(corner, x, one)?;
    let root = b.sqrt(x)?;
    b.select(corner, root, beside)
}
/// `x`, at least `−y` and at most `y`.
pub(super) fn within(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    let least = b.neg(y)?;
    b.emit1(tfc_ir::NewOp::new(&tfc_ir::ops::elementwise::CLAMP, &[least, x, y]))
}
/// By how much `|x|` is more than `y`.
pub(super) fn beyond(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    let size = b.abs(x)?;
    let least = b.min(size, y)?;
    b.sub(size, least)
}
/// `d/dt sin(t)/t = (t cos t − sin t)/t²`; below 1 the series `Σ (−1)ⁿ 2n t²ⁿ⁻¹/(2n + 1)!`, for there it cancels.
pub(super) fn sine_over(b: &mut Builder, t: ValueId) -> Result<ValueId> {
    near_or(
        b,
        t,
        &sine_terms(),
        |b, t| {
            let (s, c) = (b.sin(t)?, b.cos(t)?);
            let q = b.div(s, t)?;
            let rest = b.sub(c, q)?;
            b.div(rest, t)
        },
        true,
    )
}
/// `d/dx (exp(x) − 1)/x = (exp(x) − y)/x` at the value `y`; below 1 the series `Σ n xⁿ⁻¹/(n + 1)!`.
pub(super) fn exponential_over(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    near_or(
        b,
        x,
        &exponential_terms(),
        |b, t| {
            // `exp(x) = 1 + x y`, but far below 0, where that cancels.
            let e = b.exp(t)?;
            let rest = b.sub(e, y)?;
            b.div(rest, t)
        },
        false,
    )
}
/// Terms of a series up to which those left out are below rounding, up to 1, in derivatives of the first orders too.
const TERMS: u32 = 24;
fn factorial(n: u32) -> f64 {
    (1..=n).map(f64::from).product()
}
fn sine_terms() -> Vec<f64> {
    let sign = |n: u32| if n.is_multiple_of(2) { 1.0 } else { -1.0 };
    let term = |n: u32| sign(n) * f64::from(2 * n) / factorial(2 * n + 1);
    (1..=TERMS / 2).map(term).collect()
}
fn exponential_terms() -> Vec<f64> {
    (1..=TERMS).map(|n| f64::from(n) / factorial(n + 1)).collect()
}
/// Where `|t| < 1` the polynomial of these coefficients, lowest first, in `t²` and times `t` if `odd`, else in `t`; `far` elsewhere.
/// Each is worked out where it does not count on a number where it and its slopes are finite.
fn near_or(
    b: &mut Builder,
    t: ValueId,
    terms: &[f64],
    far: impl FnOnce(&mut Builder, ValueId) -> Result<ValueId>,
    odd: bool,
) -> Result<ValueId> {
    let (size, one, zero) = (b.abs(t)?, b.like(t, 1.0)?, b.like(t, 0.0)?);
    let near = b.lt(size, one)?;
    let inner = b.select(near, t, zero)?;
    let by = if odd { b.mul(inner, inner)? } else { inner };
    let mut sum = zero;
    for &c in terms.iter().rev() {
        let (c, higher) = (b.like(t, c)?, b.mul(sum, by)?);
        sum = b.add(c, higher)?;
    }
    let series = if odd { b.mul(sum, inner)? } else { sum };
    let outer = b.select(near, one, t)?;
    let far = far(b, outer)?;
    b.select(near, series, far)
}
/// With `u = √(2/π) (x + 0.044715 x³)` and the logistic function `f`: `f(2u) + x f(2u) f(−2u) 2u′`. Beyond 40 `f` is 0 or 1 in every
/// dtype, and no cube is to overflow.
pub(super) fn gelu(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let (least, most) = (b.like(x, -40.0)?, b.like(x, 40.0)?);
    let x = b.emit1(tfc_ir::NewOp::new(&tfc_ir::ops::elementwise::CLAMP, &[least, x, most]))?;
    let twice = 2.0 * (2.0 / std::f64::consts::PI).sqrt();
    let square = b.mul(x, x)?;
    let scaled = |b: &mut Builder, first: f64, second: f64| -> Result<ValueId> {
        let (first, second) = (b.like(x, first)?, b.like(x, second)?);
        let second = b.mul(second, square)?;
        b.add(first, second)
    };
    let (by, grown) = (scaled(b, twice, 0.044715 * twice)?, scaled(b, twice, 3.0 * 0.044715 * twice)?);
    let u = b.mul(x, by)?;
    let (f, rise) = (b.logistic(u)?, sigmoid(b, &[u], u)?);
    let steep = b.mul(x, grown)?;
    let more = b.mul(rise, steep)?;
    b.add(f, more)
}
