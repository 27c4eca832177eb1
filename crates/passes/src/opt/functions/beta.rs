//! The regularised incomplete beta function `I(a, b, x)`.
//!
//! JAX writes a continued fraction (DLMF 8.17.22) by Lentz's algorithm, in a loop that stops when the value of every element has converged,
//! of `x` or of `1 − x`. The derivative in `x` is a density, those in `a` and `b` are the derivatives of [`rise`].
use super::formula::{E, Pen};
use super::gamma::{lgamma, or_unknown, trips, twice};
use super::loggamma::LogGamma;
use tfc_ir::{Builder, DType, Result, ValueId};

/// `betainc` as JAX writes it, and as the importer of StableHLO leaves it: constants are worked out, and what is not equal is said by one row.
pub(super) fn incomplete<'p>(pen: &'p Pen, v: &[E<'p>], lgamma: LogGamma) -> E<'p> {
    let (a, b, x) = (v[0], v[1], v[2]);
    let (zero, one, two, infinity) = (pen.num(0.0), pen.num(1.0), pen.num(2.0), pen.num(f64::INFINITY));
    let a_is_0 = a.eq(zero).or(b.eq(infinity));
    let b_is_0 = b.eq(zero).or(a.eq(infinity));
    let (x_is_0, x_is_1) = (x.eq(zero), x.eq(one));
    let unknown = a.ne(a).or(b.ne(b)).or(x.ne(x));
    let is_0 = b_is_0.and(x.ne(one)).or(a_is_0.and(x_is_0));
    let is_1 = a_is_0.and(x.ne(zero)).or(b_is_0.and(x_is_1));
    let outside = a.lt(zero).or(b.lt(zero)).or(x.lt(zero)).or(x.gt(one));
    let outside = outside.or(a_is_0.and(b_is_0).or(unknown));
    let swift = x.lt((a + one) / (a + b + two));
    let (a, b, x) = (swift.select(a, b), swift.select(b, a), swift.select(x, 1.0 - x));
    let value = fraction(pen, a, b, x);
    let rest = lgamma(pen, b) - lgamma(pen, a + b);
    let whole = lgamma(pen, a) + rest;
    let tiny = 2.0 * if pen.dtype == DType::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let log = (-x).log1p();
    let factor = a.lt(pen.num(tiny)).select((log * b - rest).exp(), (x.log() * a + log * b - whole).exp() / a);
    let y = value * factor;
    let y = swift.select(y, 1.0 - y);
    let y = is_0.select(zero, y);
    let y = is_1.select(one, y);
    outside.select(pen.num(f64::NAN), y)
}
/// `n rem 2` with the sign of 2, as `jnp` writes it.
fn parity<'p>(pen: &'p Pen, n: E<'p>) -> E<'p> {
    let (zero, two) = (pen.int(0), pen.int(2));
    let rest = n.rem(two);
    rest.lt(zero).and(rest.ne(zero)).select(rest + two, rest)
}
/// Half of `n`, towards negative numbers, as `jnp` writes it.
fn half<'p>(pen: &'p Pen, n: E<'p>) -> E<'p> {
    let two = pen.int(2);
    let quotient = n / two;
    let (signs, rest) = (n.sign().ne(two.sign()), n.rem(two).ne(pen.int(0)));
    signs.and(rest).select(quotient - pen.int(1), quotient)
}
fn fraction<'p>(pen: &'p Pen, a: E<'p>, b: E<'p>, x: E<'p>) -> E<'p> {
    let most = if pen.dtype == DType::F32 { 200 } else { 600 };
    let (zero, one, small) = (pen.num(0.0), pen.num(1.0), pen.num(pen.epsilon() / 2.0));
    let or_small = |y: E<'p>| y.abs().lt(small).select(small, y);
    let last = pen.repeat(
        &[pen.single(pen.int(1)), pen.single(pen.flag(true)), pen.each(small), pen.each(zero), pen.each(small)],
        |c| c[0].lt(pen.int(most)).and(c[1]),
        |v| {
            let &[n, _, c, d, h] = v else { return vec![] };
            let even = parity(pen, n).eq(pen.int(0));
            let index = half(pen, n - pen.int(1));
            let m = index.real();
            let two_m = 2.0 * m;
            let begins = -(a + b) * x / (a + 1.0);
            let evens = -(a + m) * (a + b + m) * x / ((a + two_m) * (a + two_m + 1.0));
            let odds = m * (b - m) * x / ((a + two_m - 1.0) * (a + two_m));
            let numerator = even.select(index.eq(pen.int(0)).select(begins, evens), odds);
            let numerator = n.eq(pen.int(1)).select(one, numerator);
            let below = n.eq(pen.int(0)).select(zero, one);
            let c = or_small(below + numerator / c);
            let d = 1.0 / or_small(below + numerator * d);
            let change = c * d;
            let goes = (change - 1.0).abs().ge(small).any();
            vec![n + pen.int(1), goes, c, d, h * change]
        },
    );
    last[4]
}

/// `I(a, b, x)` where the fraction converges swiftly, `−I(b, a, 1 − x)` elsewhere, for its derivatives in `a` and `b`, which are those of `I`.
///
/// The fraction runs on as that of [`super::gamma::rise`] does; it ends where its second parameter is a natural number. In
/// `x^a (1 − x)^b/(a B(a, b))` no poles cancel at `a = 0` or `b = 0`.
pub(super) fn rise<'p>(pen: &'p Pen, v: &[E<'p>]) -> E<'p> {
    let (zero, one, infinity) = (pen.num(0.0), pen.num(1.0), pen.num(f64::INFINITY));
    let (a, b, x) = (v[0], v[1], v[2]);
    let known = |p: E<'p>| p.ge(zero).and(p.lt(infinity));
    let inside = x.gt(zero).and(x.lt(one)).and(known(a)).and(known(b)).and((a + b).gt(zero));
    let [a, b, x] = [(a, 1.0), (b, 1.0), (x, 0.5)].map(|(v, other)| inside.select(v, pen.num(other)));
    let swift = x.lt((a + 1.0) / (a + b + 2.0));
    let (to, from) = (x.log(), (-x).log1p());
    let (p, q) = (swift.select(a, b), swift.select(b, a));
    let (log, rest) = (swift.select(to, from), swift.select(from, to));
    let size = (p + q + 1.0).lgamma() - (p + 1.0).lgamma() - (q + 1.0).lgamma();
    let factor = q / (p + q) * (size + p * log + q * rest).exp();
    let y = factor * long_fraction(pen, p, q, swift.select(x, 1.0 - x));
    inside.select(swift.select(y, -y), zero)
}
fn long_fraction<'p>(pen: &'p Pen, a: E<'p>, b: E<'p>, x: E<'p>) -> E<'p> {
    let (near, tiny) = (pen.num(16.0 * pen.epsilon()), pen.num(1e-30));
    let guarded = move |y: E<'p>| y.abs().lt(tiny).select(tiny, y);
    let starts = |a: E<'p>, b: E<'p>, x: E<'p>| {
        let d = 1.0 / guarded(1.0 - (a + b) * x / (a + 1.0));
        [pen.num(1.0), d, d]
    };
    // Two terms a trip.
    let by = |a: E<'p>, b: E<'p>, x: E<'p>| {
        move |k: E<'p>, v: &[E<'p>]| {
            let m = k + 1.0;
            let at = a + 2.0 * m;
            let odd = m * (b - m) * x / ((at - 1.0) * at);
            let even = -((a + m) * (a + b + m) * x / (at * (at + 1.0)));
            let (mut c, mut d, mut h, mut more) = (v[0], v[1], v[2], pen.flag(false));
            for term in [odd, even] {
                c = guarded(1.0 + term / c);
                d = 1.0 / guarded(1.0 + term * d);
                let change = c * d;
                h = h * change;
                more = (change - 1.0).abs().gt(near);
            }
            (vec![c, d, h], more)
        }
    };
    let (fa, fx, between) = (a.fixed(), x.fixed(), b.fixed().floor() + 0.5);
    let count = trips(pen, &starts(fa, between, fx), by(fa, between, fx));
    twice(pen, count, &starts(a, b, x), by(a, b, x))[2]
}

/// `x^(a − 1) (1 − x)^(b − 1)/B(a, b)`, the slope in `x`; as powers at 0 and 1, for there are their limits.
pub(super) fn density(b: &mut Builder, v: &[ValueId], y: ValueId) -> Result<ValueId> {
    let (p, q, x) = (v[0], v[1], v[2]);
    let (zero, one) = (b.like(x, 0.0)?, b.like(x, 1.0)?);
    // `a b/(a + b) Γ(a + b + 1)/(Γ(a + 1) Γ(b + 1))`, in which no poles cancel.
    let (sum, product) = (b.add(p, q)?, b.mul(p, q)?);
    let (whole, left, right) = (b.add(sum, one)?, b.add(p, one)?, b.add(q, one)?);
    let (whole, left, right) = (lgamma(b, whole)?, lgamma(b, left)?, lgamma(b, right)?);
    let log = b.sub(whole, left)?;
    let log = b.sub(log, right)?;
    let factor = b.div(product, sum)?;
    let (p, q) = (b.sub(p, one)?, b.sub(q, one)?);
    let (at_0, at_1) = (b.eq(x, zero)?, b.eq(x, one)?);
    // Each end has a power there, and a logarithm elsewhere.
    let (low, high) = (b.select(at_0, x, one)?, b.sub(one, x)?);
    let high = b.select(at_1, high, one)?;
    let (low, high) = (b.pow(low, p)?, b.pow(high, q)?);
    let (above, below) = (b.select(at_0, one, x)?, b.select(at_1, zero, x)?);
    let minus = b.neg(below)?;
    let (to, from) = (b.log(above)?, b.log1p(minus)?);
    let (to, from) = (b.mul(p, to)?, b.mul(q, from)?);
    let between = b.add(to, from)?;
    let log = b.add(log, between)?;
    let rest = b.exp(log)?;
    let rest = b.mul(factor, rest)?;
    let powers = b.mul(low, high)?;
    let d = b.mul(powers, rest)?;
    // For an infinite parameter the function is a step.
    let infinity = b.like(sum, f64::INFINITY)?;
    let step = b.eq(sum, infinity)?;
    let d = b.select(step, zero, d)?;
    or_unknown(b, d, y)
}
