//! What follows from a Schur form: eigenvectors by substitution (Golub & Van Loan, §7.6.4), the square root (Björck & Hammarling 1983) and
//! the logarithm (inverse scaling and squaring, Al-Mohy & Higham 2012). Whole batches at once, in double precision.
use std::f64::consts::PI;

use tfc_ir::{DType, Result};

use super::batch::{Batch, finite, keep, most, norm, or_nan, or_one, over, pick, product, put, where_is};
use super::jacobi::{phases, times_rows};
use super::scalar::Short;
use super::schur::{Form, form, scaled_by};
use crate::write::cx::Cx;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken};

/// The diagonals `[count, n]` of `[count, n, n]`.
fn diagonals(w: &mut Writer, t: &Val) -> Result<Val> {
    let s = Short::of(w);
    let on = s.is("EQ", &s.places(t, 1), &s.places(t, 2));
    s.sum(&s.keep(&on, t)?, 2)
}
/// A form with its blocks of two rows made triangular, by a rotation each: complex `t` and `z`.
fn triangular(w: &mut Writer, f: &Form) -> Result<[Val; 2]> {
    let &[count, n, _] = f.t.dims() else { return Err(broken("matrices")) };
    let (t, z) = (w.convert(&f.t, DType::C64), w.convert(&f.z, DType::C64));
    if f.t.dtype().is_complex() || n < 2 {
        return Ok([t, z]);
    }
    let values = f.w.clone();
    let made = w.count(n - 1, &[t, z], |w, k, c| {
        let [t, z] = c else { return Err(broken("a loop")) };
        let (m, zero) = {
            let s = Short::of(w);
            (s.sub(&s.int(n as i64 - 2)?, k), s.int(0)?)
        };
        // Rows and columns m, m + 1.
        let rows = w.dynamic_slice(t, &[zero.clone(), m.clone(), zero.clone()], &[count, 2, n]);
        let block = w.dynamic_slice(&rows, &[zero.clone(), zero.clone(), m.clone()], &[count, 2, 2]);
        let entry = |w: &mut Writer, i: usize, j: usize| {
            let one = w.slice(&block, &[0, i, j], &[count, i + 1, j + 1], &[1; 3]);
            w.reshape(&one, &[count])
        };
        let (below, last, value) = (entry(w, 1, 0), entry(w, 1, 1), pick(w, &values, 1, &m)?);
        let s = Short::of(w);
        // The vector of the block's first value.
        let mu = s.sub(&value, &last);
        let (p, q) = (s.abs(&mu), s.abs(&below));
        let joined = s.is("NE", &q, &s.like(&q, 0.0)?);
        let r = s.sqrt(&s.add(&s.mul(&p, &p), &s.mul(&q, &q)));
        let one = s.like(&r, 1.0)?;
        let r = s.wide(&s.pick(&joined, &r, &one), DType::C64);
        let cos = s.pick(&joined, &s.div(&mu, &r), &s.like(&mu, 1.0)?);
        let sin = s.pick(&joined, &s.div(&below, &r), &s.like(&mu, 0.0)?);
        let turn = {
            let parts = [s.conj(&cos), s.conj(&sin), s.neg(&sin), cos];
            s.by(|w| -> Result<Val> {
                let parts: Vec<Val> = parts.iter().map(|x| w.reshape(x, &[count, 1])).collect();
                let all = w.concat(&parts, 1)?;
                Ok(w.reshape(&all, &[count, 2, 2]))
            })?
        };
        let rows = product(w, &turn, &rows, [2, 1]);
        let t = w.dynamic_update(t, &rows, &[zero.clone(), m.clone(), zero.clone()]);
        let back = super::super::elementwise::conj(w, &turn);
        let columns = |w: &mut Writer, x: &Val| {
            let part = w.dynamic_slice(x, &[zero.clone(), zero.clone(), m.clone()], &[count, n, 2]);
            let part = product(w, &part, &back, [2, 2]);
            w.dynamic_update(x, &part, &[zero.clone(), zero.clone(), m.clone()])
        };
        Ok(vec![columns(w, &t), columns(w, z)])
    })?;
    <[Val; 2]>::try_from(made).map_err(|_| broken("a loop"))
}
/// Eigenvectors of a triangle and of its adjoint (`left`), as columns, for the values `w`.
fn of_triangle(w: &mut Writer, t: &Val, values: &Val, left: bool) -> Result<Val> {
    let &[_, n, _] = t.dims() else { return Err(broken("matrices")) };
    let size = super::batch::abs(w, t);
    let size = most(w, &size, &[1, 2])?;
    let size = or_one(w, &size)?;
    let least = {
        let s = Short::of(w);
        s.times(&size, f64::EPSILON)?
    };
    let (t, values) = if left {
        let turned = w.transpose(t, &[0, 2, 1]);
        (super::super::elementwise::conj(w, &turned), super::super::elementwise::conj(w, values))
    } else {
        (t.clone(), values.clone())
    };
    let diagonal = diagonals(w, &t)?;
    let start = w.splat(&t.ty, 0.0)?;
    let made = w.count(n, &[start], |w, k, c| {
        let [x] = c else { return Err(broken("a loop")) };
        let last = w.int(n as i64 - 1)?;
        let i = if left { k.clone() } else { w.bin("subtract", &last, k) };
        let row = pick(w, &t, 1, &i)?;
        let sum = w.dot(&row, x, [&[0], &[0]], [&[1], &[1]]);
        let own = pick(w, &diagonal, 1, &i)?;
        let own = over(w, &own, &[0], &values);
        let (on, known) = (where_is(w, &sum, 1, "EQ", &i), where_is(w, &sum, 1, if left { "LT" } else { "GT" }, &i));
        let s = Short::of(w);
        let gap = s.sub(&own, &values);
        let least = s.over(&least, &[0], &s.abs(&gap));
        let small = s.is("LT", &s.abs(&gap), &least);
        let gap = s.pick(&small, &s.wide(&least, DType::C64), &gap);
        let x_i = s.keep(&known, &s.neg(&s.div(&sum, &gap)))?;
        let x_i = s.pick(&on, &s.like(&x_i, 1.0)?, &x_i);
        Ok(vec![put(w, x, 1, &i, &x_i)?])
    })?;
    made.into_iter().next().ok_or_else(|| broken("a loop"))
}
/// `w`, `v`, `u`.
pub(super) fn eig(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let outs = (0..3).map(|i| cx.result(i)).collect::<Result<Vec<Ty>>>()?;
    if x.ty.is_empty() {
        return outs.iter().map(|t| cx.splat(t, 0.0)).collect();
    }
    let (batch, a) = Batch::of(cx, &x, 2);
    let f = form(cx, &a)?;
    let [t, z] = triangular(cx, &f)?;
    let mut made = vec![scaled_by(cx, &f.w, &f.scale)];
    for left in [false, true] {
        let x = of_triangle(cx, &t, &f.w, left)?;
        let v = product(cx, &z, &x, [2, 1]);
        let rows = cx.transpose(&v, &[0, 2, 1]);
        let length = norm(cx, &rows, 2)?;
        let length = or_one(cx, &length)?;
        let length = cx.convert(&length, DType::C64);
        let length = over(cx, &length, &[0, 1], &rows);
        let rows = cx.bin("divide", &rows, &length);
        let phase = phases(cx, &rows)?;
        let rows = times_rows(cx, &rows, &phase);
        made.push(cx.transpose(&rows, &[0, 2, 1]));
    }
    made.iter()
        .zip(&outs)
        .map(|(y, out)| {
            let y = cx.convert(y, out.dtype);
            let y = or_nan(cx, &f.ok, &y)?;
            Ok(batch.back(cx, &y))
        })
        .collect()
}

/// The root of triangles, diagonal by diagonal: `r_ij (r_ii + r_jj) = t_ij − Σ r_ik r_kj` (Higham, *Functions of Matrices*, eq. 6.5), and
/// which of them have one. `tol`, `[count]`: what is rounding beside each.
fn root(w: &mut Writer, t: &Val, tol: &Val, ulp: f64) -> Result<[Val; 2]> {
    let &[_, n, _] = t.dims() else { return Err(broken("matrices")) };
    let d = diagonals(w, t)?;
    let (start, ok, by, on) = {
        let s = Short::of(w);
        let tol = s.over(tol, &[0], &s.re(&d));
        let negative = negative(&s, &d, &tol)?;
        let bad = s.and(&negative, &s.is("GT", &s.abs(&d), &tol));
        let r = s.pick(&negative, &s.like(&d, 0.0)?, &s.sqrt(&d));
        let eye = s.is("EQ", &s.places(t, 1), &s.places(t, 2));
        let start = s.keep(&eye, &s.over(&r, &[0, 1], t))?;
        let by = s.add(&s.over(&r, &[0, 1], t), &s.over(&r, &[0, 2], t));
        (start, none(&s, &bad, &[1])?, by, s.sub(&s.places(t, 2), &s.places(t, 1)))
    };
    if n < 2 {
        return Ok([start, ok]);
    }
    let made = w.count(n - 1, &[start, ok], |w, k, c| {
        let [r, ok] = c else { return Err(broken("a loop")) };
        let square = product(w, r, r, [2, 1]);
        let s = Short::of(w);
        let here = s.is("EQ", &on, &s.over(&s.plus(k, 1.0)?, &[], &on));
        let x = s.sub(t, &square);
        let size = s.abs(&x);
        let zero = s.is("EQ", &s.abs(&by), &s.like(&size, 0.0)?);
        let room = s.over(&s.max(tol, &s.like(tol, ulp)?), &[0], &size);
        let bad = s.and(&s.and(&here, &zero), &s.is("GT", &size, &room));
        let q = s.div(&x, &s.pick(&zero, &s.like(&by, 1.0)?, &by));
        let q = s.pick(&zero, &s.like(&q, 0.0)?, &q);
        Ok(vec![s.pick(&here, &q, r), s.and(ok, &none(&s, &bad, &[1, 2])?)])
    })?;
    <[Val; 2]>::try_from(made).map_err(|_| broken("a loop"))
}
/// True where a number is real and negative, up to rounding.
fn negative(s: &Short, z: &Val, tol: &Val) -> Result<Val> {
    let re = s.re(z);
    Ok(s.and(&s.is("LT", &re, &s.like(&re, 0.0)?), &s.is("LE", &s.abs(&s.im(z)?), tol)))
}
/// True where none holds along these axes.
fn none(s: &Short, bad: &Val, axes: &[usize]) -> Result<Val> {
    let no = s.by(|w| w.splat(&Ty::scalar(DType::Bool), 0.0))?;
    let any = s.by(|w| w.reduce("or", bad, &no, axes));
    Ok(s.not(&any))
}
/// `z f(t) zᴴ` of the complex Schur form; `f` gets `t`, the tolerance of each matrix, what it was divided by and the unit in the last
/// place, and gives the function and which matrices have one.
fn applied(cx: &mut Cx, f: impl FnOnce(&mut Writer, &Val, &Val, &Val, f64) -> Result<[Val; 2]>) -> Result<Vec<Val>> {
    let (x, out) = (cx.arg(0)?, cx.result(0)?);
    if x.ty.is_empty() {
        return Ok(vec![cx.splat(&out, 0.0)?]);
    }
    let n = x.dims().first().copied().unwrap_or(0);
    let ulp = if x.dtype().real() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let (batch, a) = Batch::of(cx, &x, 2);
    let wide = cx.convert(&a, DType::C64);
    let s = form(cx, &wide)?;
    let size = super::batch::squares(cx, &s.t);
    let size = cx.sum(&size, &[1, 2])?;
    let size = cx.un("sqrt", &size);
    let tol = Short::of(cx).times(&size, ulp * n as f64)?;
    let [r, has] = f(cx, &s.t, &tol, &s.scale, ulp)?;
    let y = product(cx, &s.z, &r, [2, 1]);
    let back = super::super::elementwise::conj(cx, &s.z);
    let y = product(cx, &y, &back, [2, 2]);
    let y = if out.dtype.is_complex() { y } else { Short::of(cx).re(&y) };
    let sound = finite(cx, &y)?;
    let ok = cx.bin("and", &s.ok, &has);
    let ok = cx.bin("and", &ok, &sound);
    let y = cx.convert(&y, out.dtype);
    let y = or_nan(cx, &ok, &y)?;
    Ok(vec![batch.back(cx, &y)])
}
pub(super) fn sqrtm(cx: &mut Cx) -> Result<Vec<Val>> {
    applied(cx, |w, t, tol, scale, ulp| {
        let [r, ok] = root(w, t, tol, ulp)?;
        let by = w.un("sqrt", scale);
        Ok([scaled_by(w, &r, &by), ok])
    })
}

/// Below this 1-norm of `t − 1` the approximant of degree 7 is as good as double precision (Al-Mohy & Higham 2012, table 2.1).
const THETA: f64 = 0.264;
/// Nodes and weights of Gauss and Legendre on the unit interval, of degree 7: the partial fractions of the approximant (Higham, *Functions
/// of Matrices*, eq. 11.18).
const NODES: [(f64, f64); 7] = [
    (0.02544604382862074, 0.06474248308443485),
    (0.12923440720030278, 0.13985269574463834),
    (0.2970774243113014, 0.19091502525255946),
    (0.5, 0.2089795918367347),
    (0.7029225756886985, 0.19091502525255946),
    (0.8707655927996972, 0.13985269574463834),
    (0.9745539561713793, 0.06474248308443485),
];
/// Roots until triangles are near the identity; more than any number of double precision needs.
const ROOTS: i64 = 64;

/// The principal logarithm of numbers.
fn log(s: &Short, z: &Val) -> Result<Val> {
    let (size, re, im) = (s.abs(z), s.re(z), s.im(z)?);
    Ok(s.complex(&s.by(|w| w.un("log", &size)), &s.by(|w| w.bin("atan2", &im, &re))))
}
/// `exp(z) − 1`, where `z` is small.
fn expm1(s: &Short, z: &Val) -> Result<Val> {
    let (re, im) = (s.re(z), s.im(z)?);
    let f = |op: &str, x: &Val| s.by(|w| w.un(op, x));
    let half = f("sine", &s.times(&im, 0.5)?);
    let first = s.mul(&f("exponential_minus_one", &re), &f("cosine", &im));
    let first = s.sub(&first, &s.times(&s.mul(&half, &half), 2.0)?);
    Ok(s.complex(&first, &s.mul(&f("exponential", &re), &f("sine", &im))))
}
/// `log(1 + z)`.
fn log1p(s: &Short, z: &Val) -> Result<Val> {
    let (re, im) = (s.re(z), s.im(z)?);
    let size = s.add(&s.times(&re, 2.0)?, &s.add(&s.mul(&re, &re), &s.mul(&im, &im)));
    let size = s.times(&s.by(|w| w.un("log_plus_one", &size)), 0.5)?;
    let one = s.plus(&re, 1.0)?;
    Ok(s.complex(&size, &s.by(|w| w.bin("atan2", &im, &one))))
}
/// `(log y − log x) / (y − x)` (Higham, *Functions of Matrices*, eq. 11.28): by the inverse hyperbolic tangent of `(y − x)/(y + x)` where
/// both are of one size.
fn slope(s: &Short, x: &Val, y: &Val) -> Result<Val> {
    let gap = s.sub(y, x);
    let (p, q) = (s.abs(x), s.abs(y));
    let zero = s.like(&p, 0.0)?;
    let one = s.like(x, 1.0)?;
    let equal = s.is("EQ", &s.abs(&gap), &zero);
    let safe = s.pick(&equal, &one, &gap);
    let rise = s.sub(&log(s, y)?, &log(s, x)?);
    let far = s.or(&s.is("LT", &p, &s.times(&q, 0.5)?), &s.is("LT", &q, &s.times(&p, 0.5)?));
    let sum = s.add(x, y);
    let none = s.is("EQ", &s.abs(&sum), &zero);
    let z = s.div(&gap, &s.pick(&none, &one, &sum));
    let turns = s.times(&s.plus(&s.im(&rise)?, -PI)?, 1.0 / (2.0 * PI))?;
    let turns = s.by(|w| w.un("ceil", &turns));
    let both = s.sub(&log1p(s, &z)?, &log1p(s, &s.neg(&z))?);
    let both = s.add(&both, &s.complex(&zero, &s.times(&turns, 2.0 * PI)?));
    let near = s.div(&s.pick(&s.or(&far, &none), &rise, &both), &safe);
    let own = s.div(&one, &s.pick(&s.is("EQ", &p, &zero), &one, x));
    Ok(s.pick(&equal, &own, &near))
}
/// The greatest 1-norm of `t − 1`, `[count]`.
fn distance(w: &mut Writer, t: &Val) -> Result<Val> {
    let size = {
        let s = Short::of(w);
        let eye = s.is("EQ", &s.places(t, 1), &s.places(t, 2));
        let one = s.keep(&eye, &s.like(t, 1.0)?)?;
        s.abs(&s.sub(t, &one))
    };
    let sums = w.sum(&size, &[1])?;
    most(w, &sums, &[1])
}
fn logarithm(w: &mut Writer, t: &Val, tol: &Val) -> Result<[Val; 2]> {
    let count = t.dims().first().copied().unwrap_or(0);
    let d = diagonals(w, t)?;
    let ok = {
        let s = Short::of(w);
        let tol = s.over(tol, &[0], &s.re(&d));
        let zero = s.is("EQ", &s.abs(&d), &s.like(&tol, 0.0)?);
        none(&s, &s.or(&negative(&s, &d, &tol)?, &zero), &[1])?
    };
    let (first, zero) = (w.splat(&Ty::new(DType::F64, [count]), 0.0)?, w.int(0)?);
    let good = ok.clone();
    let made = w.repeat(
        &[t.clone(), first, zero],
        |w, c| {
            let [now, _, k] = c else { return Err(broken("a loop")) };
            let far = distance(w, now)?;
            let s = Short::of(w);
            let more = s.and(&good, &s.is("GT", &far, &s.like(&far, THETA)?));
            let any = s.not(&none(&s, &more, &[0])?);
            Ok(s.and(&any, &s.is("LT", k, &s.int(ROOTS)?)))
        },
        |w, c| {
            let [now, roots, k] = c else { return Err(broken("a loop")) };
            let far = distance(w, now)?;
            let zero = w.splat(&far.ty, 0.0)?;
            let [next, _] = root(w, now, &zero, 0.0)?;
            let s = Short::of(w);
            let more = s.is("GT", &far, &s.like(&far, THETA)?);
            let wide = s.over(&more, &[0], now);
            let up = s.pick(&more, &s.plus(roots, 1.0)?, roots);
            Ok(vec![s.pick(&wide, &next, now), up, s.plus(k, 1.0)?])
        },
    )?;
    let [now, roots, _] = <[Val; 3]>::try_from(made).map_err(|_| broken("a loop"))?;
    let far = distance(w, &now)?;
    let (near, up, logs, eye, now) = {
        let s = Short::of(w);
        let near = s.is("LE", &far, &s.like(&far, THETA)?);
        let two = s.like(&roots, 2.0)?;
        let up = s.by(|w| w.bin("power", &two, &roots));
        let logs = log(&s, &d)?;
        // What is left of the diagonal once 1 is taken away, without cancellation (Al-Mohy 2012).
        let part = s.div(&logs, &s.over(&s.wide(&up, DType::C64), &[0], &logs));
        let eye = s.is("EQ", &s.places(&now, 1), &s.places(&now, 2));
        let now = s.pick(&eye, &s.over(&expm1(&s, &part)?, &[0, 1], &now), &now);
        (near, up, logs, eye, now)
    };
    let mut sum = w.splat(&now.ty, 0.0)?;
    for (x, weight) in NODES {
        // (1 + x now)⁻¹ now
        let a = {
            let s = Short::of(w);
            let one = s.keep(&eye, &s.like(&now, 1.0)?)?;
            s.add(&one, &s.times(&now, x)?)
        };
        let attrs =
            "left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false";
        let ty = now.ty.clone();
        let part = w.generic("triangular_solve", &[a, now.clone()], attrs, &[], &[ty]);
        let part = part.into_iter().next().ok_or_else(|| broken("a solution"))?;
        let s = Short::of(w);
        sum = s.add(&sum, &s.times(&part, weight)?);
    }
    let sum = scaled_by(w, &sum, &up);
    let upper = {
        let s = Short::of(w);
        s.is("GE", &s.places(&sum, 2), &s.places(&sum, 1))
    };
    let sum = keep(w, &upper, &sum)?;
    let s = Short::of(w);
    let (x, y) = (s.over(&d, &[0, 1], t), s.over(&d, &[0, 2], t));
    let beside = s.is("EQ", &s.places(t, 2), &s.plus(&s.places(t, 1), 1.0)?);
    let r = s.pick(&beside, &s.mul(t, &slope(&s, &x, &y)?), &sum);
    let r = s.pick(&eye, &s.over(&logs, &[0, 1], t), &r);
    Ok([r, s.and(&ok, &near)])
}
pub(super) fn logm(cx: &mut Cx) -> Result<Vec<Val>> {
    applied(cx, |w, t, tol, scale, _| {
        let [r, ok] = logarithm(w, t, tol)?;
        let s = Short::of(w);
        let shift = s.wide(&s.by(|w| w.un("log", scale)), DType::C64);
        let eye = s.is("EQ", &s.places(&r, 1), &s.places(&r, 2));
        let shift = s.keep(&eye, &s.over(&shift, &[0], &r))?;
        Ok([s.add(&r, &shift), ok])
    })
}
