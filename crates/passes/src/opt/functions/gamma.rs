//! The regularised incomplete gamma functions `P(a, x)` and `Q(a, x) = 1 − P(a, x)`.
//!
//! How JAX writes them (after Cephes): a power series (DLMF 8.11.4) below, a continued fraction (DLMF 8.9.2) above, in loops that stop when
//! the value has converged. The derivative in `x` is a density. That in `a` is the derivative of what such loops compute, in loops of our
//! own: see [`rise`].
use super::formula::{E, Pen};
use super::loggamma::LogGamma;
use tfc_ir::ops::elementwise::LGAMMA;
use tfc_ir::{Builder, DType, NewOp, Result, ValueId};

/// The logarithm below which the factor of both loops counts as 0.
fn least<'p>(pen: &'p Pen) -> E<'p> {
    let most = if pen.dtype == DType::F32 { f64::from(f32::MAX) } else { f64::MAX };
    -pen.num(most).log()
}
/// What all of JAX's formula begins with.
struct Begin<'p> {
    a: E<'p>,
    x: E<'p>,
    infinite: E<'p>,
    x_is_0: E<'p>,
    a_is_0: E<'p>,
    outside: E<'p>,
    underflow: E<'p>,
    /// `x^a exp(−x)/Γ(a)`.
    factor: E<'p>,
}
fn begin<'p>(pen: &'p Pen, v: &[E<'p>], lgamma: LogGamma) -> Begin<'p> {
    let (a, x, zero) = (v[0], v[1], pen.num(0.0));
    let unknown = a.ne(a).or(x.ne(x));
    let infinite = x.eq(pen.num(f64::INFINITY));
    let (a_is_0, x_is_0) = (a.eq(zero), x.eq(zero));
    let outside = x.lt(zero).or(a.lt(zero)).or(a_is_0.and(x_is_0)).or(unknown);
    let log = a * x.log() - x - lgamma(pen, a);
    Begin { a, x, infinite, x_is_0, a_is_0, outside, underflow: log.lt(least(pen)), factor: log.exp() }
}
/// `gammainc` as JAX writes it.
pub(super) fn lower<'p>(pen: &'p Pen, v: &[E<'p>], lgamma: LogGamma) -> E<'p> {
    let b = begin(pen, v, lgamma);
    let above = b.x.ge(pen.num(1.0)).and(b.x.gt(b.a));
    let enabled = b.x_is_0.or(b.outside).or(b.underflow).or(b.infinite).not();
    let q = 1.0 - fraction(pen, &b, enabled.and(above));
    let y = above.select(q, series(pen, &b, enabled.and(above.not())));
    let y = b.x_is_0.select(pen.num(0.0), y);
    let y = b.infinite.select(pen.num(1.0), y);
    b.outside.select(pen.num(f64::NAN), y)
}
/// `gammaincc` as JAX writes it.
pub(super) fn upper<'p>(pen: &'p Pen, v: &[E<'p>], lgamma: LogGamma) -> E<'p> {
    let b = begin(pen, v, lgamma);
    let below = b.x.lt(pen.num(1.0)).or(b.x.lt(b.a));
    let enabled = b.outside.or(b.underflow).or(b.infinite).or(b.a_is_0).not();
    let p = 1.0 - series(pen, &b, enabled.and(below));
    let y = below.select(p, fraction(pen, &b, enabled.and(below.not())));
    let y = b.infinite.or(b.a_is_0).select(pen.num(0.0), y);
    b.outside.select(pen.num(f64::NAN), y)
}
fn series<'p>(pen: &'p Pen, b: &Begin<'p>, enabled: E<'p>) -> E<'p> {
    let one = pen.num(1.0);
    let starts = [pen.each(enabled), pen.each(b.a), pen.each(one), pen.each(one)];
    let last = pen.repeat(
        &starts,
        |c| c[0].any(),
        |c| {
            let &[on, r, term, sum] = c else { return vec![] };
            let next = r + 1.0;
            let new = term * (b.x / next);
            let total = sum + new;
            let goes = on.and((new / total).gt(pen.num(pen.epsilon())));
            vec![goes, on.select(next, r), on.select(new, term), on.select(total, sum)]
        },
    );
    last[3] * b.factor / b.a
}
fn fraction<'p>(pen: &'p Pen, b: &Begin<'p>, enabled: E<'p>) -> E<'p> {
    let (one, eps) = (pen.num(1.0), pen.num(pen.epsilon()));
    let y = 1.0 - b.a;
    let z = b.x + y + 1.0;
    let (p, q) = (b.x + 1.0, z * b.x);
    let [on, value, y, z, p1, q1, p2, q2] = [enabled, p / q, y, z, p, q, one, b.x].map(|s| pen.each(s));
    let last = pen.repeat(
        &[on, value, y, z, pen.single(pen.num(0.0)), p1, q1, p2, q2],
        |c| c[4].lt(pen.num(2000.0)).and(c[0].any()),
        |c| {
            let &[on, value, y, z, k, p1, q1, p2, q2] = c else { return vec![] };
            let count = k + 1.0;
            let (b, z_next) = (y + 1.0, z + 2.0);
            let a = b * count;
            let p = p1 * z_next - p2 * a;
            let q = q1 * z_next - q2 * a;
            let some = q.ne(pen.num(0.0));
            let ratio = p / q;
            let change = some.select(((value - ratio) / ratio).abs(), one);
            // The importer folds this quotient of constants.
            let large = p.abs().gt(pen.num(1.0 / pen.epsilon()));
            let scaled = |x: E<'p>| large.select(x * eps, x);
            let goes = on.and(change.gt(eps));
            let next = [some.select(ratio, value), b, z_next];
            let [v1, y1, z1] = [(0, value), (1, y), (2, z)].map(|(i, old)| on.select(next[i], old));
            let [n1, m1, n2, m2] = [(p, p1), (q, q1), (p1, p2), (q1, q2)].map(|(new, old)| on.select(scaled(new), old));
            vec![goes, v1, y1, z1, count, n1, m1, n2, m2]
        },
    );
    last[1] * b.factor
}

/// `P(a, x)` where `x ≤ a` or `x < 1`, `−Q(a, x)` elsewhere, for its derivatives in `a`, which are those of `P`.
///
/// What a loop computes converges to the function, and its derivatives to those of the function, but later: derivatives of terms that fall like
/// `rⁿ` fall like `n rⁿ` (Griewank & Walther, Evaluating Derivatives, chapter 15). So trips are counted until the value has converged,
/// and twice as many are made. The fraction ends where `a` is a natural number, and its derivative does not: trips are counted
/// between such numbers. Each element makes its own number of trips, so that it does not depend on its neighbours.
///
/// `Γ(a + 1)` in place of `Γ(a)` has no pole to cancel at `a = 0`.
pub(super) fn rise<'p>(pen: &'p Pen, v: &[E<'p>]) -> E<'p> {
    let (a, x) = (v[0], v[1]);
    let (zero, one, infinity) = (pen.num(0.0), pen.num(1.0), pen.num(f64::INFINITY));
    let inside = x.gt(zero).and(x.lt(infinity)).and(a.ge(zero)).and(a.lt(infinity));
    let (a, x) = (inside.select(a, one), inside.select(x, one));
    let above = x.ge(one).and(x.gt(a));
    let factor = (a * x.log() - x - (a + 1.0).lgamma()).exp();
    let sum = long_series(pen, above.select(one, a), above.select(one, x));
    let value = long_fraction(pen, above.select(a, one), above.select(x, pen.num(2.0)));
    let y = above.select(-(a * factor * value), factor * sum);
    inside.select(y, zero)
}
/// Trips are counted until what a trip changes is less than so many roundings.
const NEAR: f64 = 16.0;
/// Trips at most.
const MOST: f64 = 100_000.0;

/// Trips that each element needs: `step` makes one of what `starts` begin with, and says whether there is another.
pub(super) fn trips<'p>(
    pen: &'p Pen,
    starts: &[E<'p>],
    step: impl Fn(E<'p>, &[E<'p>]) -> (Vec<E<'p>>, E<'p>),
) -> E<'p> {
    let mut all = vec![pen.single(pen.num(0.0)), pen.each(pen.flag(true)), pen.each(pen.num(0.0))];
    all.extend(starts.iter().map(|s| pen.each(s.fixed())));
    let last = pen.repeat(
        &all,
        |c| c[1].any().and(c[0].lt(pen.num(MOST))),
        |c| {
            let (next, more) = step(c[0], &c[3..]);
            let (count, on) = (c[1].select(c[2] + 1.0, c[2]), c[1].and(more));
            [&[c[0] + 1.0, on, count], &next[..]].concat()
        },
    );
    last[2].fixed()
}
/// What twice as many trips of each element, and a few more, make of `starts`.
pub(super) fn twice<'p>(
    pen: &'p Pen,
    trips: E<'p>,
    starts: &[E<'p>],
    step: impl Fn(E<'p>, &[E<'p>]) -> (Vec<E<'p>>, E<'p>),
) -> Vec<E<'p>> {
    let number = trips * 2.0 + 4.0;
    let mut all = vec![pen.single(pen.num(0.0))];
    all.extend(starts.iter().map(|s| pen.each(*s)));
    let last = pen.repeat(
        &all,
        |c| c[0].lt(number).any(),
        |c| {
            let (next, _) = step(c[0], &c[1..]);
            let on = c[0].lt(number);
            let mut out = vec![c[0] + 1.0];
            out.extend(next.iter().zip(&c[1..]).map(|(n, old)| on.select(*n, *old)));
            out
        },
    );
    last[1..].to_vec()
}
/// `Σ xⁿ/((a + 1) … (a + n))`.
fn long_series<'p>(pen: &'p Pen, a: E<'p>, x: E<'p>) -> E<'p> {
    let near = pen.num(NEAR * pen.epsilon());
    let by = |a: E<'p>, x: E<'p>| {
        move |k: E<'p>, c: &[E<'p>]| {
            let term = c[0] * (x / (a + (k + 1.0)));
            let sum = c[1] + term;
            (vec![term, sum], term.gt(near * sum))
        }
    };
    let starts = [pen.num(1.0), pen.num(1.0)];
    let count = trips(pen, &starts, by(a.fixed(), x.fixed()));
    twice(pen, count, &starts, by(a, x))[1]
}
/// `Γ(a, x) exp(x) x^(−a)`.
fn long_fraction<'p>(pen: &'p Pen, a: E<'p>, x: E<'p>) -> E<'p> {
    let (near, eps) = (pen.num(NEAR * pen.epsilon()), pen.num(pen.epsilon()));
    let starts = |a: E<'p>, x: E<'p>| {
        let (p, q) = (x + 1.0, (x + (1.0 - a) + 1.0) * x);
        [p / q, p, q, pen.num(1.0), x]
    };
    let by = |a: E<'p>, x: E<'p>| {
        move |k: E<'p>, c: &[E<'p>]| {
            let &[value, p1, q1, p2, q2] = c else { return (vec![], pen.flag(false)) };
            let count = k + 1.0;
            let factor = (1.0 - a + count) * count;
            let z = x + (1.0 - a) + (2.0 * count + 1.0);
            let (p, q) = (p1 * z - p2 * factor, q1 * z - q2 * factor);
            let some = q.ne(pen.num(0.0));
            let ratio = some.select(p / some.select(q, pen.num(1.0)), value);
            let large = p.abs().gt(pen.num(1.0 / pen.epsilon()));
            let [p, q, p1, q1] = [p, q, p1, q1].map(|x| large.select(x * eps, x));
            let more = (value - ratio).abs().gt(near * ratio.abs()).or(some.not());
            (vec![ratio, p, q, p1, q1], more)
        }
    };
    let (between, at) = (a.fixed().floor() + 0.5, x.fixed());
    let count = trips(pen, &starts(between, at), by(between, at));
    twice(pen, count, &starts(a, x), by(a, x))[0]
}

/// `a x^(a − 1) exp(−x)/Γ(a + 1)`, the slope of `P` in `x`; as a power below 1, for at `x = 0` are its limits.
pub(super) fn density(b: &mut Builder, v: &[ValueId], y: ValueId) -> Result<ValueId> {
    let (a, x) = (v[0], v[1]);
    let (zero, one, infinity) = (b.like(x, 0.0)?, b.like(x, 1.0)?, b.like(x, f64::INFINITY)?);
    let end = b.eq(x, infinity)?;
    let x = b.select(end, one, x)?;
    let (less, more) = (b.sub(a, one)?, b.add(a, one)?);
    let size = lgamma(b, more)?;
    let near = b.lt(x, one)?;
    let inner = b.select(near, x, one)?;
    let power = b.pow(inner, less)?;
    let outer = b.select(near, one, x)?;
    let log = b.log(outer)?;
    let log = b.mul(less, log)?;
    let log = b.sub(log, x)?;
    let log = b.sub(log, size)?;
    let rest = b.exp(log)?;
    let rest = b.mul(a, rest)?;
    let d = b.mul(power, rest)?;
    let d = b.select(end, zero, d)?;
    or_unknown(b, d, y)
}
pub(super) fn lgamma(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    b.emit1(NewOp::new(&LGAMMA, &[x]))
}
/// `slope`, or NaN where the value is.
pub(super) fn or_unknown(b: &mut Builder, slope: ValueId, y: ValueId) -> Result<ValueId> {
    let unknown = b.ne(y, y)?;
    b.select(unknown, y, slope)
}
