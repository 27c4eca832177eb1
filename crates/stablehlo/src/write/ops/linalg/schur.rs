//! Hessenberg and Schur forms of general matrices: reflections, and the QR algorithm with shifts (Golub & Van Loan, §7.4, §7.5), with double
//! ones for real matrices; deflation as Ahues & Tisseur (LAPACK working note 122). Matrices of a batch are reduced together and
//! iterated on one after the other, in double precision.
use tfc_ir::{DType, Result};

use super::batch::{Batch, finite, identity, keep, or_nan, outer, over, pick, product, put, where_is};
use super::jacobi::scaled;
use super::qr::reflect;
use super::scalar::Short;
use crate::write::cx::Cx;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken};

/// Sweeps for each row, of ten at least, until it is given up: as many as LAPACK takes.
const SWEEPS: i64 = 30;

/// Packed reflections and their factors of `[count, n, n]`, and their product, `aᴴ` of which on both sides makes the form.
fn reduced(w: &mut Writer, a: &Val) -> Result<[Val; 3]> {
    let &[count, n, _] = a.dims() else { return Err(broken("matrices")) };
    let steps = n.saturating_sub(1);
    let tau = w.splat(&a.ty.shaped([count, steps]), 0.0)?;
    let q = identity(w, count, n, a.dtype())?;
    if steps == 0 {
        return Ok([a.clone(), tau, q]);
    }
    let made = w.count(steps, &[a.clone(), tau, q], |w, j, c| {
        let [a, taus, q] = c else { return Err(broken("a loop")) };
        let one = w.int(1)?;
        let next = w.bin("add", j, &one);
        let column = pick(w, a, 2, j)?;
        let r = reflect(w, &column, &next)?;
        // Columns behind it, then all rows.
        let vh = super::super::elementwise::conj(w, &r.v);
        let across = product(w, &vh, a, [1, 1]);
        let behind = where_is(w, &across, 1, "GT", j);
        let across = keep(w, &behind, &across)?;
        let by = super::super::elementwise::conj(w, &r.tau);
        let by = over(w, &by, &[0], &r.v);
        let scaled = w.bin("multiply", &by, &r.v);
        let change = outer(w, &scaled, &across);
        let a = w.bin("subtract", a, &change);
        let by = over(w, &r.tau, &[0], &vh);
        let right = w.bin("multiply", &by, &vh);
        let turned = |w: &mut Writer, x: &Val| {
            let sum = product(w, x, &r.v, [2, 1]);
            let change = outer(w, &sum, &right);
            w.bin("subtract", x, &change)
        };
        let (a, q) = (turned(w, &a), turned(w, q));
        let a = put(w, &a, 2, j, &r.column)?;
        let taus = put(w, taus, 1, j, &r.tau)?;
        Ok(vec![a, taus, q])
    })?;
    <[Val; 3]>::try_from(made).map_err(|_| broken("a loop"))
}
pub(super) fn hessenberg(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let outs = (0..2).map(|i| cx.result(i)).collect::<Result<Vec<Ty>>>()?;
    if x.ty.is_empty() {
        return outs.iter().map(|t| cx.splat(t, 0.0)).collect();
    }
    let (batch, a) = Batch::of(cx, &x, 2);
    let ok = finite(cx, &a)?;
    let [h, tau, _] = reduced(cx, &a)?;
    [h, tau]
        .iter()
        .map(|y| {
            let y = or_nan(cx, &ok, y)?;
            Ok(batch.back(cx, &y))
        })
        .collect()
}

/// Schur forms of a batch, in double precision, of matrices that have been divided by `scale`.
pub(super) struct Form {
    /// `[count, n, n]`.
    pub(super) t: Val,
    pub(super) z: Val,
    /// Eigenvalues `[count, n]`, complex.
    pub(super) w: Val,
    /// `[count]`.
    pub(super) scale: Val,
    /// Which matrices have one.
    pub(super) ok: Val,
}
/// Of `[count, n, n]`, none empty.
pub(super) fn form(w: &mut Writer, a: &Val) -> Result<Form> {
    let &[count, n, _] = a.dims() else { return Err(broken("matrices")) };
    let ulp = if a.dtype().real() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let wide = if a.dtype().is_complex() { DType::C64 } else { DType::F64 };
    let a = w.convert(a, wide);
    let sound = finite(w, &a)?;
    // What is not finite would be iterated on for nothing.
    let whole = over(w, &sound, &[0], &a);
    let a = keep(w, &whole, &a)?;
    let (a, scale) = scaled(w, &a)?;
    let [h, _, q] = reduced(w, &a)?;
    let mask = super::super::shape::diagonal_mask(w, &[n, n], "GE", -1)?;
    let mask = w.broadcast(&mask, &[1, 2], &h.ty.with(DType::Bool));
    let h = keep(w, &mask, &h)?;
    // Room for parts that begin in the last row.
    let zero = w.splat(&Ty::scalar(wide), 0.0)?;
    let h = w.pad(&h, &zero, &[0; 3], &[0, 2, 2], &[0; 3])?;
    let z = w.pad(&q, &zero, &[0; 3], &[0, 0, 2], &[0; 3])?;
    let values = w.splat(&Ty::new(DType::C64, [count, n + 2]), 0.0)?;
    let found = w.splat(&Ty::new(DType::Bool, [count]), 0.0)?;
    let made = w.count(count, &[h, z, values, found], |w, b, c| {
        let [hs, zs, ws, oks] = c else { return Err(broken("a loop")) };
        let (h, z) = (pick(w, hs, 0, b)?, pick(w, zs, 0, b)?);
        let [h, z, values, ok] = iterated(w, &h, &z, n, ulp)?;
        Ok(vec![put(w, hs, 0, b, &h)?, put(w, zs, 0, b, &z)?, put(w, ws, 0, b, &values)?, put(w, oks, 0, b, &ok)?])
    })?;
    let [h, z, values, found] = <[Val; 4]>::try_from(made).map_err(|_| broken("a loop"))?;
    let ok = w.bin("and", &sound, &found);
    Ok(Form {
        t: w.slice(&h, &[0; 3], &[count, n, n], &[1; 3]),
        z: w.slice(&z, &[0; 3], &[count, n, n], &[1; 3]),
        w: w.slice(&values, &[0; 2], &[count, n], &[1; 2]),
        scale,
        ok,
    })
}
/// The form of one Hessenberg matrix, what made it, its eigenvalues, and whether they were found.
fn iterated(w: &mut Writer, h: &Val, z: &Val, n: usize, ulp: f64) -> Result<[Val; 4]> {
    let values = w.splat(&Ty::new(DType::C64, [n + 2]), 0.0)?;
    let (end, zero) = (w.int(n as i64)?, w.int(0)?);
    let tries = SWEEPS * (n as i64).max(10);
    let made = w.repeat(
        &[h.clone(), z.clone(), values, end, zero],
        |w, c| {
            let [.., end, count] = c else { return Err(broken("a loop")) };
            let s = Short::of(w);
            let (zero, most) = (s.int(0)?, s.int(tries)?);
            Ok(s.and(&s.is("GT", end, &zero), &s.is("LE", count, &most)))
        },
        |w, c| {
            let [h, z, values, end, count] = c else { return Err(broken("a loop")) };
            step(w, [h, z, values, end, count], n, ulp)
        },
    )?;
    let [h, z, values, end, _] = <[Val; 5]>::try_from(made).map_err(|_| broken("a loop"))?;
    let s = Short::of(w);
    let ok = s.is("EQ", &end, &s.int(0)?);
    Ok([h, z, values, ok])
}
/// Looks for eigenvalues at the end of what is left, or makes a sweep.
fn step(w: &mut Writer, [h, z, values, end, count]: [&Val; 5], n: usize, ulp: f64) -> Result<Vec<Val>> {
    let complex = h.dtype().is_complex();
    let s = Short::of(w);
    let i = s.plus(end, -1.0)?;
    let low = deflated(&s, h, &i, n, ulp)?;
    let (zero, before) = (s.int(0)?, s.plus(&low, -1.0)?);
    // Below the block there is nothing, up to rounding. (Above the first row nothing is written.)
    let inner = s.is("GT", &low, &zero);
    let cleared = s.set(h, &low, &before, &s.by(|w| w.splat(&Ty::scalar(h.dtype()), 0.0))?);
    let h = s.pick(&inner, &cleared, h);
    let single = s.is("EQ", &low, &i);
    let pair = s.and(&s.is("EQ", &s.plus(&low, 1.0)?, &i), &s.not(&s.is("LT", &i, &zero)));
    let done = if complex { single.clone() } else { s.or(&single, &pair) };
    let count = s.plus(count, 1.0)?;
    let from = s.pick(&done, &i, &low);
    let [h, z] =
        if complex { single_sweep(&s, &h, z, &from, &i, &count)? } else { double_sweep(&s, &h, z, &from, &i, &count)? };
    let (h, z, values) = if complex {
        let here = s.places_are(values, 0, "EQ", &i);
        let mine = s.and(&here, &s.over(&single, &[], &here));
        let x = s.at(&h, &i, &i);
        let values = s.pick(&mine, &s.over(&x, &[], values), values);
        (h, z, values)
    } else {
        paired(&s, &h, &z, values, &i, [&single, &pair])?
    };
    let less = if complex { s.int(1)? } else { s.pick(&pair, &s.int(2)?, &s.int(1)?) };
    let end = s.pick(&done, &s.sub(end, &less), end);
    let count = s.pick(&done, &zero, &count);
    Ok(vec![h, z, values, end, count])
}
/// The first row of the block that ends in row `i`: above it stands a 0, up to rounding.
fn deflated(s: &Short, h: &Val, i: &Val, n: usize, ulp: f64) -> Result<Val> {
    let size = |x: &Val| -> Result<Val> {
        Ok(match x.dtype().is_complex() {
            true => s.add(&s.abs(&s.re(x)), &s.abs(&s.im(x)?)),
            false => s.abs(x),
        })
    };
    let (rows, columns) = (s.places(h, 0), s.places(h, 1));
    let apart = s.sub(&columns, &rows);
    let line = |k: f64, axis: usize| -> Result<Val> {
        let on = s.is("EQ", &apart, &s.like(&apart, k)?);
        s.sum(&s.keep(&on, h)?, axis)
    };
    // Of row k: what stands left of the diagonal, and in column k above it.
    let (lower, below, across) = (line(0.0, 1)?, line(-1.0, 1)?, line(1.0, 0)?);
    let upper = s.shifted(&lower, true)?;
    let (below_size, across) = (size(&below)?, size(&across)?);
    let least = s.like(&below_size, f64::MIN_POSITIVE * (n as f64 / ulp))?;
    let mut whole = s.add(&size(&upper)?, &size(&lower)?);
    let none = s.is("EQ", &whole, &s.like(&whole, 0.0)?);
    let beside = s.add(&s.shifted(&below_size, true)?, &s.shifted(&below_size, false)?);
    whole = s.pick(&none, &beside, &whole);
    let ulps = s.like(&whole, ulp)?;
    let near = s.is("LE", &s.abs(&s.re(&below)), &s.mul(&ulps, &whole));
    let (ab, ba) = (s.max(&below_size, &across), s.min(&below_size, &across));
    let (gap, last) = (size(&s.sub(&upper, &lower))?, size(&lower)?);
    let (aa, bb) = (s.max(&last, &gap), s.min(&last, &gap));
    let sum = s.add(&aa, &ab);
    let product = s.mul(&ba, &s.div(&ab, &sum));
    let room = s.max(&least, &s.mul(&ulps, &s.mul(&bb, &s.div(&aa, &sum))));
    let small = s.or(&s.is("LE", &below_size, &least), &s.and(&near, &s.is("LE", &product, &room)));
    let (zero, at) = (s.int(0)?, s.places(&small, 0));
    let may = s.and(&small, &s.places_are(&small, 0, "LE", i));
    let at = s.keep(&may, &at)?;
    Ok(s.by(|w| w.reduce("maximum", &at, &zero, &[0])))
}
/// True where the number of the sweep is a multiple of this.
fn every(s: &Short, count: &Val, k: i64) -> Result<Val> {
    let k = s.int(k)?;
    let rest = s.by(|w| w.bin("remainder", count, &k));
    Ok(s.is("EQ", &rest, &s.int(0)?))
}
/// For `k` from `from` up to `i`: `body(k, is it the first, h, z)`.
fn along(
    s: &Short,
    [h, z]: [&Val; 2],
    from: &Val,
    i: &Val,
    body: impl FnOnce(&Short, &Val, &Val, [&Val; 2]) -> Result<[Val; 2]>,
) -> Result<[Val; 2]> {
    let made = s.by(|w| {
        w.repeat(
            &[from.clone(), h.clone(), z.clone()],
            |w, c| {
                let [k, ..] = c else { return Err(broken("a loop")) };
                Ok(w.compare("LT", k, i))
            },
            |w, c| {
                let [k, h, z] = c else { return Err(broken("a loop")) };
                let s = Short::of(w);
                let first = s.is("EQ", k, from);
                let [h, z] = body(&s, k, &first, [h, z])?;
                Ok(vec![s.plus(k, 1.0)?, h, z])
            },
        )
    })?;
    let [_, h, z] = <[Val; 3]>::try_from(made).map_err(|_| broken("a loop"))?;
    Ok([h, z])
}
/// Rows and columns from `k` on, as many as `v` has entries, times `1 − tau v vᴴ` from both sides; what the reflection was made for,
/// column `k − 1`, becomes `beta` above zeros unless it is the first.
fn reflected(s: &Short, [h, z]: [&Val; 2], k: &Val, first: &Val, [v, tau, beta]: [&Val; 3]) -> Result<[Val; 2]> {
    let (size, all, n) = (v.dims()[0], h.dims()[0], z.dims()[0]);
    let (zero, vh) = (s.int(0)?, s.conj(v));
    let rows = s.part(h, k, &zero, [size, all]);
    let sum = s.dot(&vh, &rows, [&[0], &[0]]);
    let by = s.mul(v, &s.over(&s.conj(tau), &[], v));
    let turned = s.sub(&rows, &s.dot(&by, &sum, [&[], &[]]));
    let behind = s.places_are(&rows, 1, "GE", k);
    let before = s.places_are(&rows, 1, "EQ", &s.plus(k, -1.0)?);
    let before = s.and(&before, &s.over(&s.not(first), &[], &before));
    let top = s.places_are(&rows, 0, "EQ", &zero);
    let ends = s.keep(&top, &s.over(beta, &[], &rows))?;
    let rows = s.pick(&behind, &turned, &s.pick(&before, &ends, &rows));
    let h = s.put(h, k, &zero, &rows);
    let right = s.mul(&vh, &s.over(tau, &[], &vh));
    let columns = |x: &Val, n: usize| {
        let part = s.part(x, &zero, k, [n, size]);
        let sum = s.dot(&part, v, [&[1], &[0]]);
        let part = s.sub(&part, &s.dot(&sum, &right, [&[], &[]]));
        s.put(x, &zero, k, &part)
    };
    Ok([columns(&h, all), columns(z, n)])
}
/// The reflection that leaves nothing of a vector but `beta` at its head: the vector, its factor, and `beta`.
fn reflection(s: &Short, x: &[&Val]) -> Result<[Val; 3]> {
    let (head, tail) = x.split_first().ok_or_else(|| broken("a vector"))?;
    let (re, im) = (s.re(head), s.im(head)?);
    let mut rest = s.like(&re, 0.0)?;
    for x in tail {
        let a = s.abs(x);
        rest = s.add(&rest, &s.mul(&a, &a));
    }
    let (zero, one) = (s.like(&re, 0.0)?, s.like(&re, 1.0)?);
    let none = s.and(&s.is("EQ", &rest, &zero), &s.is("EQ", &im, &zero));
    let own = s.add(&s.mul(&re, &re), &s.mul(&im, &im));
    let beta = s.neg(&s.signed(&s.sqrt(&s.add(&own, &rest)), &re)?);
    let safe = s.pick(&none, &one, &beta);
    let (over_re, over_im) = (s.div(&s.sub(&safe, &re), &safe), s.neg(&s.div(&im, &safe)));
    let (over_re, over_im) = (s.pick(&none, &zero, &over_re), s.pick(&none, &zero, &over_im));
    let whole = head.dtype().is_complex();
    let wide = |re: &Val, im: &Val| if whole { s.complex(re, im) } else { re.clone() };
    let (tau, beta) = (wide(&over_re, &over_im), wide(&s.pick(&none, &re, &beta), &zero));
    let unit = wide(&one, &zero);
    let by = s.pick(&none, &unit, &s.sub(head, &wide(&safe, &zero)));
    let mut v = vec![unit];
    v.extend(tail.iter().map(|x| s.div(x, &by)));
    let v = s.vector(&v.iter().collect::<Vec<_>>())?;
    Ok([v, tau, beta])
}

/// A sweep of a real block of at least three rows, `from..=i`, with both eigenvalues of its last two rows as shifts.
fn double_sweep(s: &Short, h: &Val, z: &Val, from: &Val, i: &Val, count: &Val) -> Result<[Val; 2]> {
    let (i1, i2) = (s.plus(i, -1.0)?, s.plus(i, -2.0)?);
    let (l1, l2) = (s.plus(from, 1.0)?, s.plus(from, 2.0)?);
    let odd = |at: Val, size: Val| -> Result<[Val; 4]> {
        let more = s.add(&s.times(&size, 0.75)?, &at);
        Ok([more.clone(), size.clone(), s.times(&size, -0.4375)?, more])
    };
    let last = odd(s.at(h, i, i), s.add(&s.abs(&s.at(h, i, &i1)), &s.abs(&s.at(h, &i1, &i2))))?;
    let top = odd(s.at(h, from, from), s.add(&s.abs(&s.at(h, &l1, from)), &s.abs(&s.at(h, &l2, &l1))))?;
    let usual = [s.at(h, &i1, &i1), s.at(h, i, &i1), s.at(h, &i1, i), s.at(h, i, i)];
    let (tenth, twentieth) = (every(s, count, 10)?, every(s, count, 20)?);
    let mut block = vec![];
    for ((u, t), l) in usual.iter().zip(&top).zip(&last) {
        block.push(s.pick(&twentieth, l, &s.pick(&tenth, t, u)));
    }
    let [h11, h21, h12, h22] = <[Val; 4]>::try_from(block).map_err(|_| broken("a block"))?;
    let size = s.add(&s.add(&s.abs(&h11), &s.abs(&h12)), &s.add(&s.abs(&h21), &s.abs(&h22)));
    let (zero, one) = (s.like(&size, 0.0)?, s.like(&size, 1.0)?);
    let size = s.pick(&s.is("EQ", &size, &zero), &one, &size);
    let [h11, h21, h12, h22] = [h11, h21, h12, h22].map(|x| s.div(&x, &size));
    let mean = s.times(&s.add(&h11, &h22), 0.5)?;
    let det = s.sub(&s.mul(&s.sub(&h11, &mean), &s.sub(&h22, &mean)), &s.mul(&h12, &h21));
    let root = s.sqrt(&s.abs(&det));
    let pair = s.is("GE", &det, &zero);
    let (p, q) = (s.add(&mean, &root), s.sub(&mean, &root));
    let closer = s.is("LE", &s.abs(&s.sub(&p, &h22)), &s.abs(&s.sub(&q, &h22)));
    let near = s.pick(&closer, &p, &q);
    let re = s.mul(&s.pick(&pair, &mean, &near), &size);
    let im = s.mul(&s.pick(&pair, &root, &zero), &size);
    along(s, [h, z], from, i, |s, k, first, [h, z]| {
        let (k1, k2, before) = (s.plus(k, 1.0)?, s.plus(k, 2.0)?, s.plus(k, -1.0)?);
        // The first column of the product of both shifted matrices.
        let (h11, h21) = (s.at(h, k, k), s.at(h, &k1, k));
        let a = s.sub(&h11, &re);
        let size = s.add(&s.add(&s.abs(&a), &s.abs(&im)), &s.abs(&h21));
        let zero = s.like(&size, 0.0)?;
        let size = s.pick(&s.is("EQ", &size, &zero), &s.like(&size, 1.0)?, &size);
        let part = s.div(&h21, &size);
        let x0 = s.add(&s.mul(&part, &s.at(h, k, &k1)), &s.mul(&a, &s.div(&a, &size)));
        let x0 = s.add(&x0, &s.mul(&im, &s.div(&im, &size)));
        let x1 = s.mul(&part, &s.sub(&s.add(&h11, &s.at(h, &k1, &k1)), &s.add(&re, &re)));
        let x2 = s.mul(&part, &s.at(h, &k2, &k1));
        let x0 = s.pick(first, &x0, &s.at(h, k, &before));
        let x1 = s.pick(first, &x1, &s.at(h, &k1, &before));
        let x2 = s.pick(first, &x2, &s.at(h, &k2, &before));
        let x2 = s.pick(&s.is("GT", &k2, i), &zero, &x2);
        let [v, tau, beta] = reflection(s, &[&x0, &x1, &x2])?;
        reflected(s, [h, z], k, first, [&v, &tau, &beta])
    })
}
/// A sweep of a complex block of at least two rows, with the eigenvalue of its last two rows that is nearer to the last element as shift
/// (Wilkinson). What stands below the diagonal stays real.
fn single_sweep(s: &Short, h: &Val, z: &Val, from: &Val, i: &Val, count: &Val) -> Result<[Val; 2]> {
    let (i1, l1) = (s.plus(i, -1.0)?, s.plus(from, 1.0)?);
    let size = |x: &Val| -> Result<Val> { Ok(s.add(&s.abs(&s.re(x)), &s.abs(&s.im(x)?))) };
    let t = s.at(h, i, i);
    let wide = |x: &Val| s.wide(x, h.dtype());
    let u = s.mul(&s.sqrt(&s.at(h, &i1, i)), &s.sqrt(&s.at(h, i, &i1)));
    let x = s.times(&s.sub(&s.at(h, &i1, &i1), &t), 0.5)?;
    let (us, xs) = (size(&u)?, size(&x)?);
    let (zero, one) = (s.like(&us, 0.0)?, s.like(&us, 1.0)?);
    let plain = s.is("EQ", &us, &zero);
    let most = wide(&s.pick(&plain, &one, &s.max(&us, &xs)));
    let (p, q) = (s.div(&x, &most), s.div(&u, &most));
    let y = s.mul(&s.sqrt(&s.add(&s.mul(&p, &p), &s.mul(&q, &q))), &most);
    let along_x = s.add(&s.mul(&s.re(&x), &s.re(&y)), &s.mul(&s.im(&x)?, &s.im(&y)?));
    let y = s.pick(&s.and(&s.is("GT", &xs, &zero), &s.is("LT", &along_x, &zero)), &s.neg(&y), &y);
    let sum = s.add(&x, &y);
    let sum = s.pick(&s.is("EQ", &s.abs(&sum), &zero), &s.like(&sum, 1.0)?, &sum);
    let usual = s.pick(&plain, &t, &s.sub(&t, &s.mul(&u, &s.div(&u, &sum))));
    let moved = |at: Val, by: Val| -> Result<Val> { Ok(s.add(&at, &wide(&s.times(&s.abs(&s.re(&by)), 0.75)?))) };
    let last = moved(t, s.at(h, i, &i1))?;
    let top = moved(s.at(h, from, from), s.at(h, &l1, from))?;
    let shift = s.pick(&every(s, count, 20)?, &last, &s.pick(&every(s, count, 10)?, &top, &usual));
    let [h, z] = along(s, [h, z], from, i, |s, k, first, [h, z]| {
        let (k1, before) = (s.plus(k, 1.0)?, s.plus(k, -1.0)?);
        let x0 = s.pick(first, &s.sub(&s.at(h, k, k), &shift), &s.at(h, k, &before));
        let x1 = s.pick(first, &s.at(h, &k1, k), &s.at(h, &k1, &before));
        let [v, tau, beta] = reflection(s, &[&x0, &x1])?;
        reflected(s, [h, z], k, first, [&v, &tau, &beta])
    })?;
    // The last element below the diagonal: row i behind it is turned, and column i above it back.
    let last = s.at(&h, i, &i1);
    let r = s.abs(&last);
    let turns = s.and(&s.is("NE", &s.im(&last)?, &zero), &s.is("LT", from, i));
    let by = s.div(&s.conj(&last), &wide(&s.pick(&turns, &r, &one)));
    let by = s.pick(&turns, &by, &s.like(&by, 1.0)?);
    let back = s.conj(&by);
    let h = s.set(&h, i, &i1, &s.pick(&turns, &wide(&r), &last));
    let row = s.and(&s.places_are(&h, 0, "EQ", i), &s.places_are(&h, 1, "GT", i));
    let column = s.and(&s.places_are(&h, 1, "EQ", i), &s.places_are(&h, 0, "LT", i));
    let h = s.pick(&row, &s.mul(&h, &s.over(&by, &[], &h)), &h);
    let h = s.pick(&column, &s.mul(&h, &s.over(&back, &[], &h)), &h);
    let z = s.pick(&s.places_are(&z, 1, "EQ", i), &s.mul(&z, &s.over(&back, &[], &z)), &z);
    Ok([h, z])
}
/// Eigenvalues at the end of a real form: one, or those of a block of two rows, which gets its standard form.
fn paired(s: &Short, h: &Val, z: &Val, values: &Val, i: &Val, [single, pair]: [&Val; 2]) -> Result<(Val, Val, Val)> {
    let (zero, all, n) = (s.int(0)?, h.dims()[0], z.dims()[0]);
    let i1 = s.max(&s.plus(i, -1.0)?, &zero);
    let i2 = s.plus(&i1, 1.0)?;
    let block = [s.at(h, &i1, &i1), s.at(h, &i1, &i2), s.at(h, &i2, &i1), s.at(h, &i2, &i2)];
    let [a, b, c, d, cos, sin] = standard(s, &block)?;
    let one = s.like(&cos, 1.0)?;
    let (cos, sin) = (s.pick(pair, &cos, &one), s.pick(pair, &sin, &s.like(&sin, 0.0)?));
    let turn = s.vector(&[&cos, &s.neg(&sin), &sin, &cos])?;
    let turn = s.by(|w| w.reshape(&turn, &[2, 2]));
    let rows = s.part(h, &i1, &zero, [2, all]);
    let turned = s.dot(&turn, &rows, [&[0], &[0]]);
    let rows = s.pick(&s.places_are(&rows, 1, "GT", &i2), &turned, &rows);
    let h = s.put(h, &i1, &zero, &rows);
    let columns = s.part(&h, &zero, &i1, [all, 2]);
    let turned = s.dot(&columns, &turn, [&[1], &[0]]);
    let columns = s.pick(&s.places_are(&columns, 0, "LT", &i1), &turned, &columns);
    let mut h = s.put(&h, &zero, &i1, &columns);
    let columns = s.part(z, &zero, &i1, [n, 2]);
    let z = s.put(z, &zero, &i1, &s.dot(&columns, &turn, [&[1], &[0]]));
    for (x, (old, at)) in
        [&a, &b, &c, &d].iter().zip(block.iter().zip([(&i1, &i1), (&i1, &i2), (&i2, &i1), (&i2, &i2)]))
    {
        h = s.set(&h, at.0, at.1, &s.pick(pair, x, old));
    }
    let none = s.like(&a, 0.0)?;
    let im = s.mul(&s.sqrt(&s.abs(&b)), &s.sqrt(&s.abs(&c)));
    let here = |k: &Val, p: &Val| {
        let on = s.places_are(values, 0, "EQ", k);
        s.and(&on, &s.over(p, &[], &on))
    };
    let put = |values: &Val, mask: &Val, x: &Val| s.pick(mask, &s.over(x, &[], values), values);
    let own = s.complex(&s.at(&h, i, i), &none);
    let made = put(values, &here(i, single), &own);
    let made = put(&made, &here(&i1, pair), &s.complex(&a, &im));
    let made = put(&made, &here(&i2, pair), &s.complex(&d, &s.neg(&im)));
    Ok((h, z, made))
}
/// The Schur form of `[a b; c d]`: `c = 0`, or `a = d` and `b c < 0`; and cosine and sine of the rotation that makes it (LAPACK's `lanv2`).
fn standard(s: &Short, [a, b, c, d]: &[Val; 4]) -> Result<[Val; 6]> {
    let (zero, one) = (s.like(a, 0.0)?, s.like(a, 1.0)?);
    let eq = |x: &Val, y: &Val| s.is("EQ", x, y);
    let low = |x: &Val| s.is("LT", x, &zero);
    let sign = |x: &Val| s.pick(&low(x), &s.neg(&one), &one);
    let safe = |x: &Val| s.pick(&eq(x, &zero), &one, x);
    let hypot = |x: &Val, y: &Val| s.sqrt(&s.add(&s.mul(x, x), &s.mul(y, y)));
    let gap = s.sub(a, d);
    let (large, few) = (s.max(&s.abs(b), &s.abs(c)), s.min(&s.abs(b), &s.abs(c)));
    let half = s.times(&gap, 0.5)?;
    let small = s.mul(&few, &s.mul(&sign(b), &sign(c)));
    let scale = safe(&s.max(&s.abs(&half), &large));
    let disc = s.add(&s.mul(&s.div(&half, &scale), &half), &s.mul(&s.div(&large, &scale), &small));
    // Real values that are apart.
    let apart = s.is("GE", &disc, &s.like(a, 4.0 * f64::EPSILON)?);
    let x = s.add(&half, &s.signed(&s.mul(&s.sqrt(&scale), &s.sqrt(&s.abs(&disc))), &half)?);
    let r = safe(&hypot(c, &x));
    let real = [
        s.add(d, &x),
        s.sub(b, c),
        zero.clone(),
        s.sub(d, &s.mul(&s.div(&large, &safe(&x)), &small)),
        s.div(&x, &r),
        s.div(c, &r),
    ];
    // Complex ones, or real ones that are all but equal: equal numbers on the diagonal.
    let sum = s.add(b, c);
    let r = safe(&hypot(&sum, &gap));
    let cos = s.sqrt(&s.times(&s.add(&one, &s.div(&s.abs(&sum), &r)), 0.5)?);
    let sin = s.neg(&s.mul(&s.div(&half, &s.mul(&r, &cos)), &sign(&sum)));
    let mix = |x: &Val, y: &Val| (s.add(&s.mul(x, &cos), &s.mul(y, &sin)), s.sub(&s.mul(y, &cos), &s.mul(x, &sin)));
    let ((aa, bb), (cc, dd)) = (mix(a, b), mix(c, d));
    let ((p, q), (u, v)) = (mix(&aa, &cc), mix(&bb, &dd));
    // p, q are the new a and c, u and v the new b and d.
    let mean = s.times(&s.add(&p, &v), 0.5)?;
    let (nb, nc) = (u, q);
    let flips = s.and(&s.not(&eq(&nc, &zero)), &eq(&nb, &zero));
    let flipped = [mean.clone(), s.neg(&nc), zero.clone(), mean.clone(), s.neg(&sin), cos.clone()];
    let still = s.and(&s.not(&eq(&nc, &zero)), &eq(&s.wide(&low(&nb), DType::I64), &s.wide(&low(&nc), DType::I64)));
    let (sp, sq) = (s.sqrt(&s.abs(&nb)), s.sqrt(&s.abs(&nc)));
    let x = s.signed(&s.mul(&sp, &sq), &nc)?;
    let r = s.div(&one, &s.sqrt(&safe(&s.abs(&s.add(&nb, &nc)))));
    let (xr, yr) = (s.mul(&sp, &r), s.mul(&sq, &r));
    let again = [
        s.add(&mean, &x),
        s.sub(&nb, &nc),
        zero.clone(),
        s.sub(&mean, &x),
        s.sub(&s.mul(&cos, &xr), &s.mul(&sin, &yr)),
        s.add(&s.mul(&cos, &yr), &s.mul(&sin, &xr)),
    ];
    let equal = [mean.clone(), nb, nc, mean, cos, sin];
    let same = [a.clone(), b.clone(), c.clone(), d.clone(), one.clone(), zero.clone()];
    let swapped = [d.clone(), s.neg(c), zero.clone(), a.clone(), zero.clone(), one.clone()];
    let (b_low, c_low) = (s.wide(&low(b), DType::I64), s.wide(&low(c), DType::I64));
    let is_same = s.or(&eq(c, &zero), &s.and(&eq(a, d), &s.is("NE", &b_low, &c_low)));
    let b_none = eq(b, &zero);
    // The first that applies: nothing below, nothing above, complex as it stands, apart, and what is left.
    let nothing = eq(c, &zero);
    let mut out = vec![];
    for k in 0..6 {
        let x = s.pick(&flips, &flipped[k], &s.pick(&still, &again[k], &equal[k]));
        let x = s.pick(&apart, &real[k], &x);
        let x = s.pick(&is_same, &same[k], &x);
        let x = s.pick(&b_none, &swapped[k], &x);
        out.push(s.pick(&nothing, &same[k], &x));
    }
    <[Val; 6]>::try_from(out).map_err(|_| broken("a block"))
}

/// `t`, `z`, `w`.
pub(super) fn schur(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let outs = (0..3).map(|i| cx.result(i)).collect::<Result<Vec<Ty>>>()?;
    if x.ty.is_empty() {
        return outs.iter().map(|t| cx.splat(t, 0.0)).collect();
    }
    let (batch, a) = Batch::of(cx, &x, 2);
    let f = form(cx, &a)?;
    let (t, w) = (scaled_by(cx, &f.t, &f.scale), scaled_by(cx, &f.w, &f.scale));
    let made = [t, f.z, w];
    made.iter()
        .zip(&outs)
        .map(|(y, out)| {
            let y = cx.convert(y, out.dtype);
            let y = or_nan(cx, &f.ok, &y)?;
            Ok(batch.back(cx, &y))
        })
        .collect()
}
/// Each matrix or vector of the batch times its number.
pub(super) fn scaled_by(w: &mut Writer, x: &Val, by: &Val) -> Val {
    let by = over(w, by, &[0], x);
    let by = w.convert(&by, x.dtype());
    w.bin("multiply", x, &by)
}
