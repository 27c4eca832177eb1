//! LU factorisation with partial pivoting, column by column (G. H. Golub & C. F. Van Loan, *Matrix computations*, 3.4.1).
use tfc_ir::{DType, Result};

use super::batch::{
    Batch, abs, exchange, finite, first_of_most, keep, or_nan, or_one, outer, over, pick, put, take, where_is,
};
use crate::write::cx::Cx;
use crate::write::ty::Ty;
use crate::write::writer::{Val, broken};

/// `lu`, `pivots`, `p`.
pub(super) fn lu_factor(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let (batch, a) = Batch::of(cx, &x, 2);
    let &[count, m, n] = a.dims() else { return Err(broken("matrices")) };
    let k = m.min(n);
    let rows = Ty::new(DType::I64, [count, m]);
    let (p, pivots) = (cx.iota(&rows, 1), cx.splat(&rows.shaped([count, k]), 0.0)?);
    let made = if a.ty.is_empty() {
        vec![a.clone(), pivots, p]
    } else {
        cx.count(k, &[a.clone(), pivots, p], |w, j, c| {
            let [a, pivots, p] = c else { return Err(broken("a loop")) };
            let column = pick(w, a, 2, j)?;
            let size = abs(w, &column);
            let (below, minus) = (where_is(w, &size, 1, "GE", j), w.splat(&size.ty, -1.0)?);
            let size = w.select(&below, &size, &minus);
            let at = first_of_most(w, &size)?;
            let here = w.broadcast(j, &[], &at.ty);
            let order = exchange(w, &rows, &here, &at);
            let (a, p) = (take(w, a, &order)?, take(w, p, &order)?);
            let pivots = put(w, pivots, 1, j, &at)?;
            let (column, row) = (pick(w, &a, 2, j)?, pick(w, &a, 1, j)?);
            let pivot = pick(w, &row, 1, j)?;
            // Below a pivot that is 0 there are zeros alone.
            let pivot = or_one(w, &pivot)?;
            let pivot = over(w, &pivot, &[0], &column);
            let factors = w.bin("divide", &column, &pivot);
            let below = where_is(w, &factors, 1, "GT", j);
            let factors = keep(w, &below, &factors)?;
            let right = where_is(w, &row, 1, "GT", j);
            let row = keep(w, &right, &row)?;
            let change = outer(w, &factors, &row);
            let a = w.bin("subtract", &a, &change);
            let (on, under) = (where_is(w, &a, 2, "EQ", j), where_is(w, &a, 1, "GT", j));
            let mask = w.bin("and", &on, &under);
            let factors = over(w, &factors, &[0, 1], &a);
            Ok(vec![w.select(&mask, &factors, &a), pivots, p])
        })?
    };
    let ok = finite(cx, &a)?;
    made.iter()
        .map(|y| {
            let y = or_nan(cx, &ok, y)?;
            Ok(batch.back(cx, &y))
        })
        .collect()
}
