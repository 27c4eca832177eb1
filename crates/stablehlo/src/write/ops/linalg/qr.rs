//! QR factorisation by Householder's reflections with LAPACK's signs (`larfg`: `beta` has the other sign than the real part of
//! the diagonal entry), and with column pivoting (P. Businger & G. H. Golub 1965).
use tfc_ir::{DType, Result};

use super::super::elementwise::{complex, conj};
use super::batch::{
    Batch, abs, exchange, finite, first_of_most, identity, keep, most, norm, or_nan, or_one, outer, over, pick,
    product, put, squares, take, where_is,
};
use crate::write::cx::Cx;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken};

/// A factorisation: packed reflections, their factors, and the order of columns.
struct Packed {
    qr: Val,
    tau: Val,
    order: Val,
}

/// `qr`, `tau` of matrices `[count, m, n]`.
fn reflections(w: &mut Writer, a: &Val, pivoted: bool) -> Result<Packed> {
    let &[count, m, n] = a.dims() else { return Err(broken("matrices")) };
    let k = m.min(n);
    let (tau, columns) = (w.splat(&a.ty.shaped([count, k]), 0.0)?, Ty::new(DType::I64, [count, n]));
    let order = w.iota(&columns, 1);
    if a.ty.is_empty() {
        return Ok(Packed { qr: a.clone(), tau, order });
    }
    let made = w.count(k, &[a.clone(), tau, order], |w, j, c| {
        let [a, tau, order] = c else { return Err(broken("a loop")) };
        let (mut a, mut order) = (a.clone(), order.clone());
        if pivoted {
            let swap = longest(w, &a, j)?;
            let turned = w.transpose(&a, &[0, 2, 1]);
            let turned = take(w, &turned, &swap)?;
            a = w.transpose(&turned, &[0, 2, 1]);
            order = take(w, &order, &swap)?;
        }
        let column = pick(w, &a, 2, j)?;
        let r = reflect(w, &column, j)?;
        // The columns behind it.
        let vh = conj(w, &r.v);
        let across = product(w, &vh, &a, [1, 1]);
        let behind = where_is(w, &across, 1, "GT", j);
        let across = keep(w, &behind, &across)?;
        let by = conj(w, &r.tau);
        let by = over(w, &by, &[0], &r.v);
        let scaled = w.bin("multiply", &by, &r.v);
        let change = outer(w, &scaled, &across);
        let a = w.bin("subtract", &a, &change);
        let a = put(w, &a, 2, j, &r.column)?;
        let tau = put(w, tau, 1, j, &r.tau)?;
        Ok(vec![a, tau, order])
    })?;
    let [qr, tau, order] = <[Val; 3]>::try_from(made).map_err(|_| broken("a loop"))?;
    Ok(Packed { qr, tau, order })
}
/// The exchange that puts the longest rest of a column first.
fn longest(w: &mut Writer, a: &Val, j: &Val) -> Result<Val> {
    let rest = where_is(w, a, 1, "GE", j);
    let rest = keep(w, &rest, a)?;
    let size = abs(w, &rest);
    let top = most(w, &size, &[1, 2])?;
    let top = or_one(w, &top)?;
    let top = over(w, &top, &[0], &size);
    let part = w.bin("divide", &size, &top);
    let part = squares(w, &part);
    let length = w.sum(&part, &[1])?;
    let (from, minus) = (where_is(w, &length, 1, "GE", j), w.splat(&length.ty, -1.0)?);
    let length = w.select(&from, &length, &minus);
    let at = first_of_most(w, &length)?;
    let here = w.broadcast(j, &[], &at.ty);
    let ty = length.ty.with(DType::I64);
    Ok(exchange(w, &ty, &here, &at))
}
pub(super) struct Reflection {
    /// The vector, 0 before its 1.
    pub(super) v: Val,
    /// Its factor.
    pub(super) tau: Val,
    /// What becomes of the column, packed.
    pub(super) column: Val,
}
/// The reflection that leaves nothing of a column `[count, m]` below place `j`.
pub(super) fn reflect(w: &mut Writer, x: &Val, j: &Val) -> Result<Reflection> {
    let alpha = pick(w, x, 1, j)?;
    let (after, from) = (where_is(w, x, 1, "GT", j), where_is(w, x, 1, "GE", j));
    let (tail, whole) = (keep(w, &after, x)?, keep(w, &from, x)?);
    let (length, total) = (norm(w, &tail, 1)?, norm(w, &whole, 1)?);
    let real = alpha.ty.with(alpha.dtype().real());
    let is_complex = alpha.dtype().is_complex();
    let (re, im) = match is_complex {
        true => (w.to("real", &alpha, real.clone()), w.to("imag", &alpha, real.clone())),
        false => (alpha.clone(), w.splat(&real, 0.0)?),
    };
    let (zero, one) = (w.splat(&real, 0.0)?, w.splat(&real, 1.0)?);
    let (short, plain) = (w.compare("EQ", &length, &zero), w.compare("EQ", &im, &zero));
    let none = w.bin("and", &short, &plain);
    let negative = w.compare("LT", &re, &zero);
    let minus = w.un("negate", &total);
    let beta = w.select(&negative, &total, &minus);
    let beta = w.select(&none, &one, &beta);
    let wide = |w: &mut Writer, x: &Val| if is_complex { complex(w, x, &zero) } else { x.clone() };
    let beta = wide(w, &beta);
    let unit = wide(w, &one);
    let rest = w.bin("subtract", &alpha, &beta);
    let by = w.select(&none, &unit, &rest);
    let by = over(w, &by, &[0], x);
    let v = w.bin("divide", &tail, &by);
    let less = w.un("negate", &rest);
    let tau = w.bin("divide", &less, &beta);
    let nothing = w.splat(&tau.ty, 0.0)?;
    let tau = w.select(&none, &nothing, &tau);
    let end = w.select(&none, &alpha, &beta);
    let on = where_is(w, x, 1, "EQ", j);
    let end = over(w, &end, &[0], x);
    let packed = w.select(&after, &v, x);
    let column = w.select(&on, &end, &packed);
    let ones = w.splat(&x.ty, 1.0)?;
    Ok(Reflection { v: w.select(&on, &ones, &v), tau, column })
}
/// `H₁ … H_k c` for `c` of `[count, m, p]`.
fn multiply(w: &mut Writer, packed: &Packed, c: &Val) -> Result<Val> {
    let k = packed.tau.dims().get(1).copied().unwrap_or(0);
    if c.ty.is_empty() {
        return Ok(c.clone());
    }
    let last = w.int(k as i64 - 1)?;
    let (qr, tau) = (packed.qr.clone(), packed.tau.clone());
    let made = w.count(k, std::slice::from_ref(c), |w, i, c| {
        let [c] = c else { return Err(broken("a loop")) };
        let j = w.bin("subtract", &last, i);
        let column = pick(w, &qr, 2, &j)?;
        let (after, on) = (where_is(w, &column, 1, "GT", &j), where_is(w, &column, 1, "EQ", &j));
        let v = keep(w, &after, &column)?;
        let ones = w.splat(&v.ty, 1.0)?;
        let v = w.select(&on, &ones, &v);
        let t = pick(w, &tau, 1, &j)?;
        let vh = conj(w, &v);
        let across = product(w, &vh, c, [1, 1]);
        let t = over(w, &t, &[0], &v);
        let scaled = w.bin("multiply", &t, &v);
        let change = outer(w, &scaled, &across);
        Ok(vec![w.bin("subtract", c, &change)])
    })?;
    made.into_iter().next().ok_or_else(|| broken("a loop"))
}
/// `q` (`m × p`, the first `p` columns of the unitary matrix) and `r` (`k × n`), whose diagonal is not negative; order of columns.
pub(super) fn unique(w: &mut Writer, a: &Val, p: usize, pivoted: bool) -> Result<[Val; 3]> {
    let &[count, m, n] = a.dims() else { return Err(broken("matrices")) };
    let k = m.min(n);
    let packed = reflections(w, a, pivoted)?;
    let whole = identity(w, count, m, a.dtype())?;
    let start = w.cut(&whole, 2, 0, p);
    let q = multiply(w, &packed, &start)?;
    let r = w.cut(&packed.qr, 1, 0, k);
    if r.ty.is_empty() {
        return Ok([q, r, packed.order]);
    }
    let upper = {
        let ty = r.ty.with(DType::I64);
        let (i, j) = (w.iota(&ty, 1), w.iota(&ty, 2));
        w.compare("LE", &i, &j)
    };
    let r = keep(w, &upper, &r)?;
    // The diagonal is real: a sign makes it what it should be.
    let diagonal = diagonal(w, &r, k)?;
    let re = if r.dtype().is_complex() {
        let ty = diagonal.ty.with(r.dtype().real());
        w.to("real", &diagonal, ty)
    } else {
        diagonal
    };
    let zero = w.splat(&re.ty, 0.0)?;
    let (negative, one, minus) = (w.compare("LT", &re, &zero), w.splat(&re.ty, 1.0)?, w.splat(&re.ty, -1.0)?);
    let sign = w.select(&negative, &minus, &one);
    let sign = w.convert(&sign, r.dtype());
    let rows = over(w, &sign, &[0, 1], &r);
    let r = w.bin("multiply", &r, &rows);
    let wide = if p > k {
        let (more, zero) = (p as i64 - k as i64, w.splat(&Ty::scalar(sign.dtype()), 1.0)?);
        w.pad(&sign, &zero, &[0, 0], &[0, more], &[0, 0])?
    } else {
        w.cut(&sign, 1, 0, p)
    };
    let columns = over(w, &wide, &[0, 2], &q);
    Ok([w.bin("multiply", &q, &columns), r, packed.order])
}
/// The first `k` elements of the diagonals of `[count, m, n]`.
pub(super) fn diagonal(w: &mut Writer, a: &Val, k: usize) -> Result<Val> {
    let square = w.cut(a, 1, 0, k);
    let square = w.cut(&square, 2, 0, k);
    let ty = square.ty.with(DType::I64);
    let (i, j) = (w.iota(&ty, 1), w.iota(&ty, 2));
    let on = w.compare("EQ", &i, &j);
    let on = keep(w, &on, &square)?;
    w.sum(&on, &[2])
}

pub(super) fn qr(cx: &mut Cx, pivoted: bool) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let (batch, a) = Batch::of(cx, &x, 2);
    let k = a.dims().iter().skip(1).copied().min().unwrap_or(0);
    let [q, r, order] = unique(cx, &a, k, pivoted)?;
    let ok = finite(cx, &a)?;
    let mut out = vec![];
    for y in [q, r] {
        let y = or_nan(cx, &ok, &y)?;
        out.push(batch.back(cx, &y));
    }
    if pivoted {
        out.push(batch.back(cx, &order));
    }
    Ok(out)
}
pub(super) fn qr_factor(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let (batch, a) = Batch::of(cx, &x, 2);
    let packed = reflections(cx, &a, false)?;
    let ok = finite(cx, &a)?;
    [packed.qr, packed.tau]
        .iter()
        .map(|y| {
            let y = or_nan(cx, &ok, y)?;
            Ok(batch.back(cx, &y))
        })
        .collect()
}
