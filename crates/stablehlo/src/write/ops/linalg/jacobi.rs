//! Eigenvalues of Hermitian matrices and singular values, by Jacobi's rotations: of matrices two-sided (G. H. Golub & C. F. Van
//! Loan, *Matrix computations*, 8.5), of columns one-sided (M. R. Hestenes 1958). A round rotates disjoint pairs of neighbours
//! `i` and `h + i` all at once; between rounds the order changes as in a tournament, so that after `n − 1` rounds, a sweep,
//! every pair has met (R. P. Brent & F. T. Luk 1985). Sweeps end when what is left is rounding: convergence is quadratic.
use tfc_ir::{DType, Result};

use super::super::elementwise::conj;
use super::batch::{Batch, abs, finite, identity, keep, most, norm, or_nan, or_one, over, places, squares, take};
use super::qr::unique;
use crate::write::cx::Cx;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken};

/// Sweeps after which it is given up; six to ten are usual.
const SWEEPS: i64 = 40;
/// The part of the largest entry of a vector from which on an entry may be made real and positive.
const LEADING: f64 = tfc_ir::ops::linalg::LEADING;

/// A rotation of each pair: `p' = c p − s ē q`, `q' = s e p + c q`.
struct Turn {
    c: Val,
    /// `s e`.
    s: Val,
}
/// The rotations that make `[[a, z], [z̄, b]]` diagonal, for reals `a`, `b` and any `z`.
fn turns(w: &mut Writer, a: &Val, b: &Val, z: &Val) -> Result<Turn> {
    let size = abs(w, z);
    let (zero, one) = (w.splat(&size.ty, 0.0)?, w.splat(&size.ty, 1.0)?);
    let none = w.compare("EQ", &size, &zero);
    let safe = w.select(&none, &one, &size);
    let twice = w.bin("add", &safe, &safe);
    let gap = w.bin("subtract", b, a);
    let tau = w.bin("divide", &gap, &twice);
    // 1/(|τ| + √(1 + τ²)) with the sign of τ; a square that overflows leaves 0.
    let square = w.bin("multiply", &tau, &tau);
    let sum = w.bin("add", &one, &square);
    let root = w.un("sqrt", &sum);
    let length = w.un("abs", &tau);
    let below = w.bin("add", &length, &root);
    let t = w.bin("divide", &one, &below);
    let minus = w.un("negate", &t);
    let negative = w.compare("LT", &tau, &zero);
    let t = w.select(&negative, &minus, &t);
    let t = w.select(&none, &zero, &t);
    let square = w.bin("multiply", &t, &t);
    let sum = w.bin("add", &one, &square);
    let c = w.un("rsqrt", &sum);
    let s = w.bin("multiply", &t, &c);
    let (c, s, safe) = (w.convert(&c, z.dtype()), w.convert(&s, z.dtype()), w.convert(&safe, z.dtype()));
    let phase = w.bin("divide", z, &safe);
    Ok(Turn { c, s: w.bin("multiply", &s, &phase) })
}
impl Turn {
    /// Rotates vectors, rows of `[count, 2h, m]`, those of the two halves with one another; `adjoint`: rows are their adjoints.
    fn rows(&self, w: &mut Writer, x: &Val, adjoint: bool) -> Result<Val> {
        let h = x.dims().get(1).copied().unwrap_or(0) / 2;
        let (p, q) = (w.cut(x, 1, 0, h), w.cut(x, 1, h, 2 * h));
        let other = conj(w, &self.s);
        let (s, sbar) = if adjoint { (&other, &self.s) } else { (&self.s, &other) };
        let wide = |w: &mut Writer, v: &Val| over(w, v, &[0, 1], &p);
        let (c, s, sbar) = (wide(w, &self.c), wide(w, s), wide(w, sbar));
        let (cp, sq) = (w.bin("multiply", &c, &p), w.bin("multiply", &sbar, &q));
        let (sp, cq) = (w.bin("multiply", &s, &p), w.bin("multiply", &c, &q));
        let (p, q) = (w.bin("subtract", &cp, &sq), w.bin("add", &sp, &cq));
        w.concat(&[p, q], 1)
    }
}
/// The order of the next round along an axis of `2h`: the first stays, all others go round.
fn next_round(w: &mut Writer, x: &Val, axis: usize) -> Result<Val> {
    let n = x.dims().get(axis).copied().unwrap_or(0);
    let h = n / 2;
    if h < 2 {
        return Ok(x.clone());
    }
    let parts: Vec<Val> = [(0, 1), (h, h + 1), (1, h - 1), (h + 1, n), (h - 1, h)]
        .into_iter()
        .filter(|(a, b)| a < b)
        .map(|(a, b)| w.cut(x, axis, a, b))
        .collect();
    w.concat(&parts, axis)
}
/// Repeats sweeps of rounds of `step` until it says that little was turned, or too many were made: `step` gives the next values
/// and how much it has turned, `[count]`, relative to what counts as rounding.
fn sweeps(
    w: &mut Writer,
    rounds: usize,
    start: &[Val],
    count: usize,
    real: DType,
    step: impl Fn(&mut Writer, &[Val]) -> Result<(Vec<Val>, Val)>,
) -> Result<Vec<Val>> {
    let (zero, much) = (w.int(0)?, w.end(&Ty::new(real, [count]), true)?);
    let all: Vec<Val> = [zero, much].into_iter().chain(start.iter().cloned()).collect();
    let mut made = w.repeat(
        &all,
        |w, c| {
            let [n, left, ..] = c else { return Err(broken("a loop")) };
            let most_sweeps = w.int(SWEEPS)?;
            let few = w.compare("LT", n, &most_sweeps);
            let one = w.splat(&left.ty, 1.0)?;
            let more = w.compare("GT", left, &one);
            let no = w.splat(&Ty::scalar(DType::Bool), 0.0)?;
            let any = w.reduce("or", &more, &no, &[0]);
            Ok(w.bin("and", &few, &any))
        },
        |w, c| {
            let [n, left, state @ ..] = c else { return Err(broken("a loop")) };
            let none = w.splat(&left.ty, 0.0)?;
            let all: Vec<Val> = std::iter::once(none).chain(state.iter().cloned()).collect();
            let mut made = w.count(rounds, &all, |w, _, c| {
                let [worst, state @ ..] = c else { return Err(broken("a loop")) };
                let (state, left) = step(w, state)?;
                let worst = w.bin("maximum", worst, &left);
                Ok(std::iter::once(worst).chain(state).collect())
            })?;
            let one = w.int(1)?;
            made.insert(0, w.bin("add", n, &one));
            Ok(made)
        },
    )?;
    Ok(made.split_off(2))
}
/// One more row of zeros, and one more column where it is asked for, where the number of rows is odd.
fn even(w: &mut Writer, x: &Val, columns: bool) -> Result<Val> {
    let odd = x.dims().get(1).is_some_and(|n| n % 2 == 1);
    let (zero, more) = (w.splat(&Ty::scalar(x.dtype()), 0.0)?, i64::from(odd));
    let high = [0, more, if columns { more } else { 0 }];
    w.pad(x, &zero, &[0; 3], &high, &[0; 3])
}
/// The unit in the last place of 1.
fn unit(d: DType) -> f64 {
    if d.real() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}
/// Real parts.
fn real(w: &mut Writer, x: &Val) -> Val {
    if !x.dtype().is_complex() {
        return x.clone();
    }
    let ty = x.ty.with(x.dtype().real());
    w.to("real", x, ty)
}
/// Each matrix divided by its largest modulus, and that.
pub(super) fn scaled(w: &mut Writer, a: &Val) -> Result<(Val, Val)> {
    let size = abs(w, a);
    let top = most(w, &size, &[1, 2])?;
    let zero = w.splat(&top.ty, 0.0)?;
    let top = w.bin("maximum", &top, &zero);
    let top = or_one(w, &top)?;
    let wide = over(w, &top, &[0], a);
    let wide = w.convert(&wide, a.dtype());
    Ok((w.bin("divide", a, &wide), top))
}
/// The permutation of `[count, n]` that makes the keys ascend, the first key first.
fn order(w: &mut Writer, keys: &[Val]) -> Result<Val> {
    let first = keys.first().ok_or_else(|| broken("a key"))?;
    let at = places(w, first, 1);
    let all: Vec<Val> = keys.iter().cloned().chain([at]).collect();
    let params: Vec<Ty> = all.iter().flat_map(|x| [Ty::scalar(x.dtype()), Ty::scalar(x.dtype())]).collect();
    let region = w.scalars(&params, |w, p| {
        let mut out: Option<Val> = None;
        for pair in p.get(..2 * keys.len()).unwrap_or_default().rchunks(2) {
            let [a, b] = pair else { return Err(broken("keys go in pairs")) };
            let less = w.compare("LT", a, b);
            out = Some(match out {
                None => less,
                Some(rest) => {
                    let same = w.compare("EQ", a, b);
                    let then = w.bin("and", &same, &rest);
                    w.bin("or", &less, &then)
                }
            });
        }
        Ok(vec![out.ok_or_else(|| broken("a key"))?])
    })?;
    let outs: Vec<Ty> = all.iter().map(|x| x.ty.clone()).collect();
    let made = w.generic("sort", &all, "dimension = 1 : i64, is_stable = true", &[region], &outs);
    made.last().cloned().ok_or_else(|| broken("a sort"))
}
/// The phases by which vectors, rows of `[count, k, m]`, are multiplied so that the first entry that is large is real and
/// positive.
pub(super) fn phases(w: &mut Writer, rows: &Val) -> Result<Val> {
    let size = abs(w, rows);
    let top = most(w, &size, &[2])?;
    let share = w.splat(&top.ty, LEADING)?;
    let least = w.bin("multiply", &top, &share);
    let least = over(w, &least, &[0, 1], &size);
    let large = w.compare("GE", &size, &least);
    let at = places(w, rows, 2);
    let beyond = w.end(&at.ty, true)?;
    let at_large = w.select(&large, &at, &beyond);
    let init = w.end(&Ty::scalar(DType::I64), true)?;
    let first = w.reduce("minimum", &at_large, &init, &[2]);
    let first = over(w, &first, &[0, 1], rows);
    let on = w.compare("EQ", &at, &first);
    let entry = keep(w, &on, rows)?;
    let entry = w.sum(&entry, &[2])?;
    let length = abs(w, &entry);
    let (zero, one) = (w.splat(&length.ty, 0.0)?, w.splat(&entry.ty, 1.0)?);
    let none = w.compare("EQ", &length, &zero);
    let length = w.convert(&length, entry.dtype());
    let length = w.select(&none, &one, &length);
    let turned = conj(w, &entry);
    let phase = w.bin("divide", &turned, &length);
    Ok(w.select(&none, &one, &phase))
}
pub(super) fn times_rows(w: &mut Writer, rows: &Val, by: &Val) -> Val {
    let by = over(w, by, &[0, 1], rows);
    w.bin("multiply", rows, &by)
}

/// Eigenvalues `[count, n]` and eigenvectors, the rows of `[count, n, n]`, in no order, of Hermitian matrices.
fn hermitian(w: &mut Writer, a: &Val) -> Result<[Val; 2]> {
    let &[count, n, _] = a.dims() else { return Err(broken("matrices")) };
    let wide = even(w, a, true)?;
    let h = wide.dims()[1] / 2;
    let vectors = identity(w, count, 2 * h, a.dtype())?;
    // The order of rows tells the one that was added.
    let tags = w.iota(&Ty::new(DType::I64, [count, 2 * h]), 1);
    let real_dtype = a.dtype().real();
    let whole = squares(w, &wide);
    let whole = w.sum(&whole, &[1, 2])?;
    let whole = w.un("sqrt", &whole);
    let least = w.splat(&whole.ty, unit(a.dtype()))?;
    let rounding = w.bin("multiply", &whole, &least);
    let rounding = or_one(w, &rounding)?;
    let made = sweeps(w, (2 * h).saturating_sub(1).max(1), &[wide, vectors, tags], count, real_dtype, |w, c| {
        let [a, v, tags] = c else { return Err(broken("a loop")) };
        let on = super::qr::diagonal(w, a, 2 * h)?;
        let on = real(w, &on);
        let (p, q) = (w.cut(&on, 1, 0, h), w.cut(&on, 1, h, 2 * h));
        let corner = w.cut(a, 1, 0, h);
        let corner = w.cut(&corner, 2, h, 2 * h);
        let z = super::qr::diagonal(w, &corner, h)?;
        let size = abs(w, &z);
        let size = most(w, &size, &[1])?;
        let left = w.bin("divide", &size, &rounding);
        let t = turns(w, &p, &q, &z)?;
        let a = t.rows(w, a, true)?;
        let turned = w.transpose(&a, &[0, 2, 1]);
        let turned = t.rows(w, &turned, false)?;
        let a = w.transpose(&turned, &[0, 2, 1]);
        let v = t.rows(w, v, false)?;
        let a = next_round(w, &a, 1)?;
        let a = next_round(w, &a, 2)?;
        Ok((vec![a, next_round(w, &v, 1)?, next_round(w, tags, 1)?], left))
    })?;
    let [a, v, tags] = <[Val; 3]>::try_from(made).map_err(|_| broken("a loop"))?;
    let values = super::qr::diagonal(w, &a, 2 * h)?;
    let values = real(w, &values);
    if 2 * h == n {
        return Ok([values, v]);
    }
    // The row that was added turned with none: it goes.
    let at = order(w, std::slice::from_ref(&tags))?;
    let at = w.cut(&at, 1, 0, n);
    let (values, v) = (take(w, &values, &at)?, take(w, &v, &at)?);
    Ok([values, w.cut(&v, 2, 0, n)])
}

/// `w`, `v`.
pub(in crate::write::ops) fn eigh(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let by_modulus = cx.attrs().word("order") == Some("modulus");
    let (batch, a) = Batch::of(cx, &x, 2);
    if a.ty.is_empty() {
        let (w, v) = (cx.result(0)?, cx.result(1)?);
        return Ok(vec![cx.splat(&w, 0.0)?, cx.splat(&v, 0.0)?]);
    }
    let ok = finite(cx, &a)?;
    let (a, scale) = scaled(cx, &a)?;
    let adjoint = cx.transpose(&a, &[0, 2, 1]);
    let adjoint = conj(cx, &adjoint);
    let sum = cx.bin("add", &a, &adjoint);
    let half = cx.splat(&sum.ty, 0.5)?;
    let a = cx.bin("multiply", &sum, &half);
    let [values, vectors] = hermitian(cx, &a)?;
    let keys = if by_modulus {
        let size = cx.un("abs", &values);
        vec![cx.un("negate", &size), cx.un("negate", &values)]
    } else {
        vec![values.clone()]
    };
    let at = order(cx, &keys)?;
    let (values, vectors) = (take(cx, &values, &at)?, take(cx, &vectors, &at)?);
    let scale = over(cx, &scale, &[0], &values);
    let values = cx.bin("multiply", &values, &scale);
    let phase = phases(cx, &vectors)?;
    let vectors = times_rows(cx, &vectors, &phase);
    let v = cx.transpose(&vectors, &[0, 2, 1]);
    let (values, v) = (or_nan(cx, &ok, &values)?, or_nan(cx, &ok, &v)?);
    Ok(vec![batch.back(cx, &values), batch.back(cx, &v)])
}

/// Of columns, rows of `x` (`[count, n, m]`), orthogonal ones, and the turns, rows of `[count, n, n]`, that make them.
fn orthogonal(w: &mut Writer, x: &Val) -> Result<[Val; 2]> {
    let &[count, n, _] = x.dims() else { return Err(broken("matrices")) };
    let wide = even(w, x, false)?;
    let h = wide.dims()[1] / 2;
    let turned = identity(w, count, 2 * h, x.dtype())?;
    let tags = w.iota(&Ty::new(DType::I64, [count, 2 * h]), 1);
    let real_dtype = x.dtype().real();
    let eps = unit(x.dtype());
    let whole = squares(w, &wide);
    let whole = w.sum(&whole, &[1, 2])?;
    let made = sweeps(w, (2 * h).saturating_sub(1).max(1), &[wide, turned, tags], count, real_dtype, |w, c| {
        let [x, v, tags] = c else { return Err(broken("a loop")) };
        let (p, q) = (w.cut(x, 1, 0, h), w.cut(x, 1, h, 2 * h));
        let pbar = conj(w, &p);
        let z = w.bin("multiply", &pbar, &q);
        let z = w.sum(&z, &[2])?;
        let mut lengths = |x: &Val| -> Result<Val> {
            let s = squares(w, x);
            w.sum(&s, &[2])
        };
        let (a, b) = (lengths(&p)?, lengths(&q)?);
        // What is left beside the lengths of both, or beside rounding of all.
        let both = w.bin("multiply", &a, &b);
        let both = w.un("sqrt", &both);
        let few = w.splat(&both.ty, (n as f64).sqrt() * eps)?;
        let near = w.bin("multiply", &both, &few);
        let tiny = w.splat(&whole.ty, eps * eps)?;
        let floor = w.bin("multiply", &whole, &tiny);
        let floor = over(w, &floor, &[0], &near);
        let near = w.bin("maximum", &near, &floor);
        let near = or_one(w, &near)?;
        let size = abs(w, &z);
        let left = w.bin("divide", &size, &near);
        let left = most(w, &left, &[1])?;
        let t = turns(w, &a, &b, &z)?;
        let (x, v) = (t.rows(w, x, false)?, t.rows(w, v, false)?);
        Ok((vec![next_round(w, &x, 1)?, next_round(w, &v, 1)?, next_round(w, tags, 1)?], left))
    })?;
    let [x, v, tags] = <[Val; 3]>::try_from(made).map_err(|_| broken("a loop"))?;
    if 2 * h == n {
        return Ok([x, v]);
    }
    let at = order(w, std::slice::from_ref(&tags))?;
    let at = w.cut(&at, 1, 0, n);
    let (x, v) = (take(w, &x, &at)?, take(w, &v, &at)?);
    Ok([x, w.cut(&v, 2, 0, n)])
}

/// `u`, `s`, `vt`. Of a wide matrix it is that of the adjoint turned round.
pub(super) fn svd(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let (batch, a) = Batch::of(cx, &x, 2);
    let outs = (0..3).map(|i| cx.result(i)).collect::<Result<Vec<Ty>>>()?;
    if a.ty.is_empty() {
        return outs.iter().map(|t| cx.splat(t, 0.0)).collect();
    }
    let ok = finite(cx, &a)?;
    let (a, scale) = scaled(cx, &a)?;
    let wide = a.dims()[1] < a.dims()[2];
    // Rows are the columns of the matrix that has more rows.
    let columns = if wide { conj(cx, &a) } else { cx.transpose(&a, &[0, 2, 1]) };
    let [x, v] = orthogonal(cx, &columns)?;
    let s = norm(cx, &x, 2)?;
    let down = cx.un("negate", &s);
    let at = order(cx, std::slice::from_ref(&down))?;
    let (s, x, v) = (take(cx, &s, &at)?, take(cx, &x, &at)?, take(cx, &v, &at)?);
    let by = or_one(cx, &s)?;
    let by = cx.convert(&by, x.dtype());
    let by = over(cx, &by, &[0, 1], &x);
    let u = cx.bin("divide", &x, &by);
    // Vectors of value 0 are what is orthogonal to the others.
    let u = cx.transpose(&u, &[0, 2, 1]);
    let k = u.dims()[2];
    let [u, ..] = unique(cx, &u, k, false)?;
    let u = cx.transpose(&u, &[0, 2, 1]);
    // Columns of `u` and of `v` as rows; for a wide matrix they change places.
    let (left, right) = if wide { (v, u) } else { (u, v) };
    let phase = phases(cx, &left)?;
    let (left, right) = (times_rows(cx, &left, &phase), times_rows(cx, &right, &phase));
    let u = cx.transpose(&left, &[0, 2, 1]);
    let vt = conj(cx, &right);
    let scale = over(cx, &scale, &[0], &s);
    let s = cx.bin("multiply", &s, &scale);
    [u, s, vt]
        .iter()
        .map(|y| {
            let y = or_nan(cx, &ok, y)?;
            Ok(batch.back(cx, &y))
        })
        .collect()
}
