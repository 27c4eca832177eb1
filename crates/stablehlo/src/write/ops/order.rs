//! Running reductions and sorting.
use tfc_ir::ops::order as o;
use tfc_ir::{Attr, DType, Result};

use super::Rows;
use super::shape::reverse;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken, types};

pub(super) const ROWS: Rows = &[
    (&o::CUMSUM, By(|cx| running(cx, |w, a, b| Ok(w.bin("add", a, b))))),
    (&o::CUMPROD, By(|cx| running(cx, |w, a, b| Ok(w.bin("multiply", a, b))))),
    (&o::CUMMAX, By(|cx| running(cx, |w, a, b| Ok(w.bin("maximum", a, b))))),
    (&o::CUMMIN, By(|cx| running(cx, |w, a, b| Ok(w.bin("minimum", a, b))))),
    (&o::CUMLOGSUMEXP, By(|cx| running(cx, log_add_exp))),
    (&o::SORT, By(sort)),
];

/// In `log₂ n` steps, each of which joins neighbours twice as far apart (W. D. Hillis & G. L. Steele, *Data parallel
/// algorithms*, 1986): after `k` of them an element covers `2ᵏ`.
fn running(cx: &mut Cx, join: fn(&mut Writer, &Val, &Val) -> Result<Val>) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let axis = cx.attrs().indices("axis").first().copied().ok_or_else(|| broken("an axis"))?;
    let back = cx.attrs().get("reverse") == Some(&Attr::Bool(true));
    let n = x.dims().get(axis).copied().unwrap_or(0);
    if x.ty.is_empty() {
        return Ok(vec![x]);
    }
    let mut y = if back { reverse(cx, &x, &[axis]) } else { x };
    if [&o::CUMSUM, &o::CUMLOGSUMEXP].iter().any(|row| cx.op().def.is(row)) && y.dtype().is_inexact() {
        // A sum of −0 alone is 0.
        let zero = cx.splat(&y.ty, 0.0)?;
        y = cx.bin("add", &y, &zero);
    }
    let mut step = 1;
    while step < n {
        let (head, low, high) = (cx.cut(&y, axis, 0, step), cx.cut(&y, axis, 0, n - step), cx.cut(&y, axis, step, n));
        let joined = join(cx, &low, &high)?;
        y = cx.concat(&[head, joined], axis)?;
        step *= 2;
    }
    Ok(vec![if back { reverse(cx, &y, &[axis]) } else { y }])
}
/// `log(eᵃ + eᵇ)`: of equal infinities that infinity (two of +∞, where the difference is NaN), of a NaN NaN.
fn log_add_exp(w: &mut Writer, a: &Val, b: &Val) -> Result<Val> {
    let top = w.bin("maximum", a, b);
    let d = w.bin("subtract", a, b);
    let d = w.un("abs", &d);
    let d = w.un("negate", &d);
    let d = w.un("exponential", &d);
    let d = w.un("log_plus_one", &d);
    let sum = w.bin("add", &top, &d);
    let finite = top.ty.with(DType::Bool);
    let finite = w.to("is_finite", &top, finite);
    Ok(w.select(&finite, &sum, &top))
}

fn sort(cx: &mut Cx) -> Result<Vec<Val>> {
    let xs = cx.args().to_vec();
    let Some(first) = xs.first() else { return Err(broken("nothing to sort")) };
    let axis = o::sort_axis(cx.attrs(), first.rank());
    let stable = cx.attrs().get("stable") != Some(&Attr::Bool(false));
    let params: Vec<Ty> = xs.iter().flat_map(|x| [Ty::scalar(x.dtype()), Ty::scalar(x.dtype())]).collect();
    let region = if cx.op().regions.is_empty() {
        let keys = o::sort_keys(cx.attrs());
        cx.scalars(&params, |w, p| Ok(vec![before(w, p.get(..2 * keys).unwrap_or_default())?]))?
    } else {
        cx.closed(0, &params)?
    };
    let outs = types(&xs);
    Ok(cx.generic("sort", &xs, &format!("dimension = {axis} : i64, is_stable = {stable}"), &[region], &outs))
}
/// Of an axis of which a beginning counts, what does not count comes last: whether it does is the first key.
pub(super) fn sorted(cx: &mut Cx) -> Result<Vec<Val>> {
    let xs = cx.args().to_vec();
    let Some(first) = xs.first() else { return Err(broken("nothing to sort")) };
    let axis = o::sort_axis(cx.attrs(), first.rank());
    let Some((_, count)) = cx.open_of(0)?.into_iter().find(|(a, _)| *a == axis) else { return sort(cx) };
    let all = first.dims().to_vec();
    let counts = crate::write::partial::counts_along(cx, &all, axis, &count);
    let behind = cx.un("not", &counts);
    let behind = cx.convert(&behind, DType::I32);
    let mut operands = vec![behind];
    for x in &xs {
        operands.push(crate::write::partial::refit(cx, x, &all)?);
    }
    let stable = cx.attrs().get("stable") != Some(&Attr::Bool(false));
    let params: Vec<Ty> = operands.iter().flat_map(|x| [Ty::scalar(x.dtype()), Ty::scalar(x.dtype())]).collect();
    let region = if cx.op().regions.is_empty() {
        let keys = o::sort_keys(cx.attrs()) + 1;
        cx.scalars(&params, |w, p| Ok(vec![before(w, p.get(..2 * keys).unwrap_or_default())?]))?
    } else {
        cx.closed_with(0, &params, 2, |w, p, less| {
            let [a, b] = p else { return Err(broken("a comparison")) };
            let (one, same) = (w.compare("LT", a, b), w.compare("EQ", a, b));
            let both = w.bin("and", &same, less);
            Ok(w.bin("or", &one, &both))
        })?
    };
    let attrs = format!("dimension = {axis} : i64, is_stable = {stable}");
    let mut made = cx.generic("sort", &operands, &attrs, &[region], &types(&operands));
    made.remove(0);
    Ok(made)
}
/// Do the first of each pair come before the second ones? NaN comes last and equals NaN, −0 equals 0.
fn before(w: &mut Writer, pairs: &[Val]) -> Result<Val> {
    let mut out: Option<Val> = None;
    for pair in pairs.rchunks(2) {
        let [a, b] = pair else { return Err(broken("keys go in pairs")) };
        let (mut less, mut same) = (w.compare("LT", a, b), None);
        if out.is_some() {
            same = Some(w.compare("EQ", a, b));
        }
        if a.dtype().is_float() {
            let (an, bn) = (w.compare("NE", a, a), w.compare("NE", b, b));
            let number = w.un("not", &an);
            let last = w.bin("and", &number, &bn);
            less = w.bin("or", &less, &last);
            if let Some(s) = same {
                let both = w.bin("and", &an, &bn);
                same = Some(w.bin("or", &s, &both));
            }
        }
        out = Some(match (out, same) {
            (Some(rest), Some(same)) => {
                let then = w.bin("and", &same, &rest);
                w.bin("or", &less, &then)
            }
            _ => less,
        });
    }
    out.ok_or_else(|| broken("no key"))
}
