//! Tridiagonal systems, by elimination with exchanges of neighbouring rows (LAPACK's `gtsv`).
use tfc_ir::{DType, Result};

use super::batch::{Batch, abs, finite, or_nan, over, pick, put};
use crate::write::cx::Cx;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken};

pub(super) fn solve(cx: &mut Cx) -> Result<Vec<Val>> {
    let mut diagonals = vec![];
    for i in 0..3 {
        let x = cx.arg(i)?;
        diagonals.push(Batch::of(cx, &x, 1).1);
    }
    let [below, on, above] = <[Val; 3]>::try_from(diagonals).map_err(|_| broken("diagonals"))?;
    let b = cx.arg(3)?;
    let (batch, b) = Batch::of(cx, &b, 2);
    let &[_, n, _] = b.dims() else { return Err(broken("right-hand sides")) };
    if b.ty.is_empty() {
        return Ok(vec![batch.back(cx, &b)]);
    }
    // The first of `dl` and the last of `du` are not read.
    let (low, high) = (cx.cut(&below, 1, 1, n), cx.cut(&above, 1, 0, n - 1));
    let mut ok = finite(cx, &on)?;
    for x in [&low, &high, &b] {
        let more = finite(cx, x)?;
        ok = cx.bin("and", &ok, &more);
    }
    let zero = cx.splat(&Ty::scalar(b.dtype()), 0.0)?;
    let next = cx.pad(&high, &zero, &[0, 0], &[0, 1], &[0, 0])?;
    let second = cx.splat(&on.ty, 0.0)?;
    let made = cx.count(n - 1, &[on, next, second, b], |w, i, c| eliminated(w, i, c, &below))?;
    let [on, next, second, b] = <[Val; 4]>::try_from(made).map_err(|_| broken("a loop"))?;
    let size = abs(cx, &on);
    let none = cx.splat(&size.ty, 0.0)?;
    let some = cx.compare("NE", &size, &none);
    let truth = cx.splat(&Ty::scalar(DType::Bool), 1.0)?;
    let some = cx.reduce("and", &some, &truth, &[1]);
    let ok = cx.bin("and", &ok, &some);
    // Two rows of zeros behind the last one.
    let x = cx.pad(&b, &zero, &[0; 3], &[0, 2, 0], &[0; 3])?;
    let last = cx.int(n as i64 - 1)?;
    let x = cx.count(n, &[x], |w, i, c| {
        let [x] = c else { return Err(broken("a loop")) };
        let at = w.bin("subtract", &last, i);
        let mut row = pick(w, x, 1, &at)?;
        let mut from = at.clone();
        for by in [&next, &second] {
            let one = w.int(1)?;
            from = w.bin("add", &from, &one);
            let (by, x) = (pick(w, by, 1, &at)?, pick(w, x, 1, &from)?);
            let by = over(w, &by, &[0], &x);
            let part = w.bin("multiply", &by, &x);
            row = w.bin("subtract", &row, &part);
        }
        let pivot = pick(w, &on, 1, &at)?;
        let pivot = over(w, &pivot, &[0], &row);
        let row = w.bin("divide", &row, &pivot);
        Ok(vec![put(w, x, 1, &at, &row)?])
    })?;
    let x = x.into_iter().next().ok_or_else(|| broken("a loop"))?;
    let x = cx.cut(&x, 1, 0, n);
    let x = or_nan(cx, &ok, &x)?;
    Ok(vec![batch.back(cx, &x)])
}
/// Row `i` clears the one below it, or that one, if its entry is larger, takes its place first.
fn eliminated(w: &mut Writer, i: &Val, c: &[Val], below: &Val) -> Result<Vec<Val>> {
    let [on, next, second, b] = c else { return Err(broken("a loop")) };
    let one = w.int(1)?;
    let j = w.bin("add", i, &one);
    let (a, e) = (pick(w, on, 1, i)?, pick(w, next, 1, i)?);
    let (l, d, f) = (pick(w, below, 1, &j)?, pick(w, on, 1, &j)?, pick(w, next, 1, &j)?);
    let (x, y) = (pick(w, b, 1, i)?, pick(w, b, 1, &j)?);
    let (sa, sl) = (abs(w, &a), abs(w, &l));
    let swap = w.compare("LT", &sa, &sl);
    let none = w.splat(&a.ty, 0.0)?;
    // The rows (a, e, 0 | x) and (l, d, f | y), the one with the larger first entry first.
    let mut choose = |p: &Val, q: &Val| (w.select(&swap, p, q), w.select(&swap, q, p));
    let ((top, under), (e1, e2), (f1, f2)) = (choose(&l, &a), choose(&d, &e), choose(&f, &none));
    let wide = over(w, &swap, &[0], &x);
    let (x1, x2) = (w.select(&wide, &y, &x), w.select(&wide, &x, &y));
    let by = w.bin("divide", &under, &top);
    let mut less = |q: &Val, p: &Val| {
        let part = w.bin("multiply", &by, p);
        w.bin("subtract", q, &part)
    };
    let (d2, g2) = (less(&e2, &e1), less(&f2, &f1));
    let wide_by = over(w, &by, &[0], &x1);
    let part = w.bin("multiply", &wide_by, &x1);
    let x2 = w.bin("subtract", &x2, &part);
    let (on, next) = (put(w, on, 1, i, &top)?, put(w, next, 1, i, &e1)?);
    let (on, next) = (put(w, &on, 1, &j, &d2)?, put(w, &next, 1, &j, &g2)?);
    let second = put(w, second, 1, i, &f1)?;
    let b = put(w, b, 1, i, &x1)?;
    Ok(vec![on, next, second, put(w, &b, 1, &j, &x2)?])
}
