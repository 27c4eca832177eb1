//! Laws of factorisations: they give the matrix back, their vectors are orthonormal, their values come in order. Engines
//! share the kernels that factor, so these are what says that a factorisation is right.
//!
//! Clauses that rounding touches allow what a backward stable method leaves (Higham, *Accuracy and Stability of Numerical
//! Algorithms*, ch. 8 and 19): a multiple of `n` units in the last place, relative to the largest entry of the matrix.
pub(super) mod function;
pub(super) mod householder;
pub(super) mod made;
pub(super) mod solve;
pub(super) mod spectral;

use super::triangular::Triangular;
use super::*;
use crate::law::LawCx;
use crate::ops::constant::IOTA;
use crate::ops::order::CUMSUM;
use crate::ops::reduce::{REDUCE_MAX, REDUCE_OR, expand, reduce};
use crate::ops::shape::{TRIL, TRIU};

/// How many units in the last place, times the larger extent, a factorisation may be off.
const STEPS: f64 = 12.0;
/// What clauses about matrices of these values allow.
fn within(cx: &LawCx, a: ValueId) -> f64 {
    let n = cx.shape(a).iter().take(2).copied().max().unwrap_or(0).max(1);
    let dtype = cx.b.func().ty(a).dtype;
    STEPS * n as f64 * unit(dtype)
}
/// Operand 0 in double precision, what clauses about it allow, and the largest modulus of each matrix. Clauses from here on
/// are about matrices without NaN and infinity; the results (`named` of them, the first) of others are NaN throughout.
fn factored(cx: &mut LawCx, named: usize) -> Result<(ValueId, f64, ValueId)> {
    let a = cx.operand(0)?;
    let within = within(cx, a);
    let ok = cx.finite(a, &[0, 1])?;
    let bad = cx.b.not(ok)?;
    for i in 0..named {
        let y = cx.result(i)?;
        let y = cx.wide(y)?;
        let (ty, number) = (cx.b.ty(y), cx.b.eq(y, y)?);
        let bad = cx.trailing(bad, &ty)?;
        let broken = cx.b.and(bad, number)?;
        cx.never("NaN where the matrix is not finite", broken)?;
    }
    cx.given(ok);
    let a = cx.wide(a)?;
    let size = largest(cx.b, a)?;
    Ok((a, within, size))
}
/// The largest modulus of each matrix.
fn largest(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let size = b.abs(x)?;
    reduce(b, &REDUCE_MAX, size, &[0, 1])
}
/// `x` with column `j` times `s_j`.
fn columns_times(b: &mut Builder, x: ValueId, s: ValueId) -> Result<ValueId> {
    let ty = b.ty(x);
    let s = b.convert(s, ty.dtype)?;
    let s = along(b, s, &ty, 1)?;
    b.mul(x, s)
}
/// `x` with row `i` times `s_i`.
fn rows_times(b: &mut Builder, s: ValueId, x: ValueId) -> Result<ValueId> {
    let ty = b.ty(x);
    let s = b.convert(s, ty.dtype)?;
    let s = along(b, s, &ty, 0)?;
    b.mul(x, s)
}
/// `gram`, the products of vectors with each other, is the identity.
fn identity(cx: &mut LawCx, says: &'static str, gram: ValueId, within: f64) -> Result<()> {
    let ty = cx.b.ty(gram);
    let off = divided::off_diagonal(cx.b, &ty)?;
    let (zero, one) = (cx.b.zeros(&ty)?, cx.b.splat(&ty, 1.0)?);
    let eye = cx.b.select(off, zero, one)?;
    let rest = cx.b.sub(gram, eye)?;
    cx.small(says, rest, within)
}
/// `n` elements along axis 0, from `from` on.
fn part(b: &mut Builder, x: ValueId, from: usize, n: usize) -> Result<ValueId> {
    let ty = b.ty(x);
    let index = Type::scalar(DType::I64);
    let mut at = vec![b.zeros(&index)?; ty.rank()];
    at[0] = b.splat(&index, from as f64)?;
    let mut sizes = ty.dims.to_vec();
    sizes[0] = Extent::from(n);
    b.dynamic_slice(x, &at, sizes)
}
/// Neighbours along axis 0: those but the last, those but the first. `None` where there are no two.
fn neighbours(cx: &mut LawCx, x: ValueId) -> Result<Option<(ValueId, ValueId)>> {
    let n = cx.shape(x).first().copied().unwrap_or(0);
    if n < 2 {
        return Ok(None);
    }
    Ok(Some((part(cx.b, x, 0, n - 1)?, part(cx.b, x, 1, n - 1)?)))
}
/// No value is greater than the one before.
fn descends(cx: &mut LawCx, says: &'static str, s: ValueId) -> Result<()> {
    if let Some((x, y)) = neighbours(cx, s)? {
        let broken = cx.b.gt(y, x)?;
        cx.never(says, broken)?;
    }
    Ok(())
}
/// In each column the first entry whose modulus is at least [`LEADING`] times the largest is real and positive: it is its
/// modulus.
fn phases(cx: &mut LawCx, u: ValueId, within: f64) -> Result<()> {
    let ty = cx.b.ty(u);
    if cx.shape(u).first() == Some(&0) {
        return Ok(());
    }
    let size = cx.b.abs(u)?;
    let top = reduce(cx.b, &REDUCE_MAX, size, &[0])?;
    let least = cx.b.like(top, LEADING)?;
    let least = cx.b.mul(least, top)?;
    let least = expand(cx.b, least, &ty.with_dtype(DType::F64), &[0])?;
    let leads = cx.b.ge(size, least)?;
    let number = cx.b.convert(leads, DType::F64)?;
    let number = cx.b.emit1(NewOp::new(&CUMSUM, &[number]).attr("axis", Attr::Int(0)))?;
    let one = cx.b.like(number, 1.0)?;
    let first = cx.b.eq(number, one)?;
    let first = cx.b.and(first, leads)?;
    let size = cx.b.convert(size, ty.dtype)?;
    let rest = cx.b.sub(u, size)?;
    let zero = cx.b.like(rest, 0.0)?;
    let rest = cx.b.select(first, rest, zero)?;
    cx.small("the leading entry of each column of the vectors is real and positive", rest, within)
}
/// Vectors of a singular value decomposition of `a`, whole or truncated: `aᴴ u = v diag(s)` and `a v = u diag(s)`.
fn singular(cx: &mut LawCx, a: ValueId, within: f64, size: ValueId) -> Result<[ValueId; 3]> {
    let (u, s, vt) = (cx.result(0)?, cx.result(1)?, cx.result(2)?);
    let (u, s, vt) = (cx.wide(u)?, cx.wide(s)?, cx.wide(vt)?);
    let gram = hm(cx.b, u, u)?;
    identity(cx, "uᴴ · u = 1", gram, within)?;
    let gram = mh(cx.b, vt, vt)?;
    identity(cx, "vt · vtᴴ = 1", gram, within)?;
    let (x, y) = (hm(cx.b, u, a)?, rows_times(cx.b, s, vt)?);
    let rest = cx.b.sub(x, y)?;
    cx.vanishes("uᴴ · a = diag(s) · vt", rest, size, within)?;
    let (x, y) = (mh(cx.b, a, vt)?, columns_times(cx.b, u, s)?);
    let rest = cx.b.sub(x, y)?;
    cx.vanishes("a · vtᴴ = u · diag(s)", rest, size, within)?;
    descends(cx, "s descends", s)?;
    let zero = cx.b.like(s, 0.0)?;
    let broken = cx.b.lt(s, zero)?;
    cx.never("s is not negative", broken)?;
    phases(cx, u, within)?;
    Ok([u, s, vt])
}
pub(super) fn svd(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 3)?;
    let [u, s, vt] = singular(cx, a, within, size)?;
    let us = columns_times(cx.b, u, s)?;
    let product = mm(cx.b, us, vt)?;
    let rest = cx.b.sub(a, product)?;
    cx.vanishes("a = u · diag(s) · vt", rest, size, within)
}
/// `(a + aᴴ)/2`.
fn hermitian(b: &mut Builder, a: ValueId) -> Result<ValueId> {
    let half = b.like(a, 0.5)?;
    let a = b.mul(half, a)?;
    let back = adjoint(b, a)?;
    b.add(a, back)
}
/// Vectors of eigenvalues, all or some.
fn eigenvectors(cx: &mut LawCx, a: ValueId, within: f64, size: ValueId) -> Result<[ValueId; 2]> {
    let (w, v) = (cx.result(0)?, cx.result(1)?);
    let (w, v) = (cx.wide(w)?, cx.wide(v)?);
    let gram = hm(cx.b, v, v)?;
    identity(cx, "vᴴ · v = 1", gram, within)?;
    let h = hermitian(cx.b, a)?;
    let (x, y) = (mm(cx.b, h, v)?, columns_times(cx.b, v, w)?);
    let rest = cx.b.sub(x, y)?;
    cx.vanishes("(a + aᴴ)/2 · v = v · diag(w)", rest, size, within)?;
    phases(cx, v, within)?;
    Ok([w, h])
}
/// Values descend in modulus, the positive one of two equal moduli first.
fn by_modulus(cx: &mut LawCx, w: ValueId) -> Result<()> {
    let size = cx.b.abs(w)?;
    descends(cx, "w descends in modulus", size)?;
    if let (Some((x, y)), Some((p, q))) = (neighbours(cx, w)?, neighbours(cx, size)?) {
        let (equal, greater) = (cx.b.eq(p, q)?, cx.b.gt(y, x)?);
        let broken = cx.b.and(equal, greater)?;
        cx.never("of two values of one modulus the positive one is first", broken)?;
    }
    Ok(())
}
pub(super) fn eigh(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 2)?;
    let [w, _] = eigenvectors(cx, a, within, size)?;
    if cx.attrs.word("order") == Some("modulus") {
        return by_modulus(cx, w);
    }
    let down = cx.b.neg(w)?;
    descends(cx, "w ascends", down)
}
/// `r` is upper triangular with a diagonal that is real and not negative.
fn upper(cx: &mut LawCx, r: ValueId) -> Result<()> {
    let up = cx.b.emit1(NewOp::new(&TRIU, &[r]))?;
    let low = cx.b.sub(r, up)?;
    cx.small("r is upper triangular", low, 0.0)?;
    let d = diagonal(cx.b, r)?;
    if cx.b.func().ty(d).dtype.is_complex() {
        let i = cx.b.imag(d)?;
        cx.small("the diagonal of r is real", i, 0.0)?;
    }
    let d = real_part(cx.b, d)?;
    let zero = cx.b.like(d, 0.0)?;
    let broken = cx.b.lt(d, zero)?;
    cx.never("the diagonal of r is not negative", broken)
}
/// `columns = q · r` for the columns that `r` has.
fn reconstructs(cx: &mut LawCx, columns: ValueId, q: ValueId, r: ValueId, size: ValueId, within: f64) -> Result<()> {
    let product = mm(cx.b, q, r)?;
    let rest = cx.b.sub(columns, product)?;
    cx.vanishes("the columns of a, as p orders them, are q · r", rest, size, within)
}
pub(super) fn qr(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 2)?;
    let (q, r) = (cx.result(0)?, cx.result(1)?);
    let (q, r) = (cx.wide(q)?, cx.wide(r)?);
    let gram = hm(cx.b, q, q)?;
    identity(cx, "qᴴ · q = 1", gram, within)?;
    reconstructs(cx, a, q, r, size, within)?;
    upper(cx, r)
}
/// `l · u` is the matrix with its rows moved; no entry of `l` is greater than 1 by more than rounding.
pub(super) fn lu(cx: &mut LawCx) -> Result<()> {
    let (a, within, _) = factored(cx, 1)?;
    let (lu, p) = (cx.result(0)?, cx.result(2)?);
    let lu = cx.wide(lu)?;
    let (m, n) = (cx.shape(lu)[0], cx.shape(lu)[1]);
    let k = Extent::from(m.min(n));
    let moved = pick(cx.b, a, p, 0)?;
    let l = lu::unit_lower(cx.b, lu)?;
    let l = cx.b.take_prefix(l, 1, &k)?;
    let u = cx.b.emit1(NewOp::new(&TRIU, &[lu]))?;
    let u = cx.b.take_prefix(u, 0, &k)?;
    let back = mm(cx.b, l, u)?;
    let rest = cx.b.sub(back, moved)?;
    // Entry by entry (Higham, theorem 9.3).
    let (rest, size_l, size_u) = (cx.b.abs(rest)?, cx.b.abs(l)?, cx.b.abs(u)?);
    let most = mm(cx.b, size_l, size_u)?;
    let share = cx.b.like(most, within)?;
    let most = cx.b.mul(share, most)?;
    let broken = cx.b.gt(rest, most)?;
    cx.never("l · u = a[p, :]", broken)?;
    // Of complex numbers that with the greatest sum of parts is the pivot, as in LAPACK.
    let most = if cx.b.ty(l).dtype.is_complex() { std::f64::consts::SQRT_2 } else { 1.0 };
    let modulus = cx.b.abs(l)?;
    let most = cx.b.like(modulus, most * (1.0 + within))?;
    let broken = cx.b.gt(modulus, most)?;
    cx.never("no entry of l is greater than 1", broken)?;
    exchanges(cx, lu, p)
}
/// `p` is what the exchanges that `pivots` names make of the order of rows, each with a row behind; where a pivot is 0 nothing is
/// exchanged, and the column below it is 0.
fn exchanges(cx: &mut LawCx, lu: ValueId, p: ValueId) -> Result<()> {
    let pivots = cx.result(1)?;
    let d = diagonal(cx.b, lu)?;
    let zero = cx.b.like(d, 0.0)?;
    let none = cx.b.eq(d, zero)?;
    let ty = cx.b.ty(pivots);
    let own = cx.b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![ty]))?;
    let moved = cx.b.ne(pivots, own)?;
    let count = cx.shape(p)[0] as f64;
    let count = cx.b.like(pivots, count)?;
    let (before, outside) = (cx.b.lt(pivots, own)?, cx.b.ge(pivots, count)?);
    let wrong = cx.b.and(none, moved)?;
    let wrong = cx.b.or(wrong, outside)?;
    let broken = cx.b.or(before, wrong)?;
    cx.never("rows are exchanged with rows behind, none where the pivot is 0", broken)?;
    let low = cx.b.emit1(NewOp::new(&TRIL, &[lu]).attr("k", Attr::Int(-1)))?;
    let k = cx.b.ty(none).dims[0].clone();
    let low = cx.b.take_prefix(low, 1, &k)?;
    let ty = cx.b.ty(low);
    let (none, zero) = (along(cx.b, none, &ty, 1)?, cx.b.zeros(&ty)?);
    let some = cx.b.ne(low, zero)?;
    let broken = cx.b.and(none, some)?;
    cx.never("a column of l below a pivot of 0 is 0", broken)?;
    let order = cx.b.ty(p);
    let rows = cx.b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![order.clone()]))?;
    let line = cx.b.ty(pivots).without(&[0]);
    let body = cx.b.region("body", &[(order.clone(), "rows"), (line.clone(), "own"), (line, "with")], |b, x| {
        let spread = |b: &mut Builder, v: ValueId| b.broadcast(v, &order, &(1..order.rank()).collect::<Vec<_>>());
        let index = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![order.clone()]))?;
        let (own, with) = (spread(b, x[1])?, spread(b, x[2])?);
        let (here, there) = (b.eq(index, own)?, b.eq(index, with)?);
        let none = b.zeros(&order)?;
        let at = |b: &mut Builder, place: ValueId| -> Result<ValueId> {
            let one = b.select(place, x[0], none)?;
            let one = b.reduce_sum(one, &[0])?;
            spread(b, one)
        };
        let (a, c) = (at(b, here)?, at(b, there)?);
        let y = b.select(there, a, x[0])?;
        Ok(vec![b.select(here, c, y)?])
    })?;
    let dims = crate::ops::control::ScanDims {
        carry: 1,
        length: k,
        cut: vec![0, 0],
        collect: vec![],
        reverse: false,
        ..Default::default()
    };
    let made = cx.b.scan(&[rows, own, pivots], &dims, body)?[0];
    let broken = cx.b.ne(made, p)?;
    cx.never("p is what the exchanges make of the order of rows", broken)
}
/// `l · lᴴ` is the matrix whose lower triangle was read, `l` lower triangular, its diagonal real and positive.
pub(super) fn cholesky(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 1)?;
    let l = cx.result(0)?;
    let l = cx.wide(l)?;
    let h = cholesky::from_lower(cx.b, a)?;
    let back = mh(cx.b, l, l)?;
    let rest = cx.b.sub(back, h)?;
    cx.vanishes("l · lᴴ = a", rest, size, within)?;
    let ty = cx.b.ty(l);
    let above = cx.b.emit1(NewOp::new(&TRIU, &[l]).attr("k", Attr::Int(1)))?;
    let zero = cx.b.zeros(&ty)?;
    let broken = cx.b.ne(above, zero)?;
    cx.never("l is lower triangular", broken)?;
    let d = diagonal(cx.b, l)?;
    let size = cx.b.abs(d)?;
    let dtype = cx.b.ty(d).dtype;
    let size = cx.b.convert(size, dtype)?;
    let broken = cx.b.ne(d, size)?;
    cx.never("the diagonal of l is real and positive", broken)
}
/// `a[:, p]`, by a matrix that has one 1 in each row and column, which is what makes `p` a permutation.
fn pivoted(cx: &mut LawCx, a: ValueId, p: ValueId) -> Result<ValueId> {
    // pairs[i, j]: column j of the result is column i of a.
    let ty = pairs_type(&cx.b.ty(p));
    let index = cx.b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![ty.clone()]))?;
    let wanted = along(cx.b, p, &ty, 1)?;
    let chosen = cx.b.eq(index, wanted)?;
    let number = cx.b.convert(chosen, DType::F64)?;
    for axis in [0, 1] {
        let count = cx.b.reduce_sum(number, &[axis])?;
        let one = cx.b.like(count, 1.0)?;
        let broken = cx.b.ne(count, one)?;
        cx.never("p names each column once", broken)?;
    }
    let wide = cx.b.ty(a).dtype;
    let number = cx.b.convert(chosen, wide)?;
    mm(cx.b, a, number)
}
/// `x` in units of `size` (one a matrix), where that is not 0.
fn relative(cx: &mut LawCx, x: ValueId, size: ValueId) -> Result<ValueId> {
    let (ty, zero, one) = (cx.b.ty(x), cx.b.like(size, 0.0)?, cx.b.like(size, 1.0)?);
    let some = cx.b.gt(size, zero)?;
    let size = cx.b.select(some, size, one)?;
    let size = cx.b.convert(size, ty.dtype)?;
    let size = cx.trailing(size, &ty)?;
    cx.b.div(x, size)
}
/// Euclidean norms over `axes`.
fn norms(b: &mut Builder, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    let size = b.abs(x)?;
    let square = b.mul(size, size)?;
    let sum = b.reduce_sum(square, axes)?;
    b.sqrt(sum)
}
/// How far `x` is above `most`, 0 where it is not.
fn excess(b: &mut Builder, x: ValueId, most: ValueId) -> Result<ValueId> {
    let ty = b.ty(x);
    let (over, zero) = (b.sub(x, most)?, b.zeros(&ty)?);
    b.max(over, zero)
}
/// Each pivot is the largest part of a column that is left: `r_ii >= |r[i.., j]|` for `j >= i`. Norms are compared up to
/// roots of rounding: they are brought up to date, not found anew, at each step (Businger & Golub 1965; what that loses:
/// Drmač & Bujanović 2008).
fn pivots(cx: &mut LawCx, r: ValueId, size: ValueId, within: f64) -> Result<()> {
    let x = cx.b.abs(r)?;
    let x = relative(cx, x, size)?;
    let ty = cx.b.ty(x);
    let square = cx.b.mul(x, x)?;
    let up = NewOp::new(&CUMSUM, &[square]).attr("axis", Attr::Int(0)).attr("reverse", Attr::Bool(true));
    let below = cx.b.emit1(up)?;
    let below = cx.b.sqrt(below)?;
    let d = diagonal(cx.b, x)?;
    let d = along(cx.b, d, &ty, 0)?;
    let over = excess(cx.b, below, d)?;
    let over = cx.b.emit1(NewOp::new(&TRIU, &[over]))?;
    cx.small("each pivot is the largest that is left", over, within.sqrt())
}
pub(super) fn qr_pivoted(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 2)?;
    let (q, r, p) = (cx.result(0)?, cx.result(1)?, cx.result(2)?);
    let (q, r) = (cx.wide(q)?, cx.wide(r)?);
    let gram = hm(cx.b, q, q)?;
    identity(cx, "qᴴ · q = 1", gram, within)?;
    let moved = pivoted(cx, a, p)?;
    reconstructs(cx, moved, q, r, size, within)?;
    upper(cx, r)?;
    pivots(cx, r, size, within)
}

/// What decides how many values are kept.
struct Cut<'a> {
    /// The matrix, and what of it the kept values do not give.
    whole: ValueId,
    rest: ValueId,
    size: ValueId,
    /// The values that were kept, descending and not negative.
    kept: ValueId,
    rule: &'a str,
    within: f64,
}
/// As many are kept as the rule says: the last one passes it, and nothing that passes is left. The largest value that was left
/// out is the norm of the rest: at least that of each of its columns, and of all of it by the root of their number.
fn counted(cx: &mut LawCx, c: Cut) -> Result<()> {
    let shape = cx.shape(c.whole);
    let all = shape.iter().take(2).copied().min().unwrap_or(0);
    let number = |name: &str| cx.attrs.extents(name).first().and_then(Extent::as_exact).map(|n| n as usize);
    let least = number("min_rank").unwrap_or(1).min(all);
    let most = number("max_rank").unwrap_or(all).min(all);
    let found = cx.shape(c.kept).first().copied().unwrap_or(0);
    let outside = cx.b.splat(&Type::scalar(DType::F64), if (least..=most).contains(&found) { 0.0 } else { 1.0 })?;
    cx.small("the number that is kept lies between its bounds", outside, 0.0)?;
    if all == 0 || found == 0 {
        return Ok(());
    }
    let tol = cx.operand(1)?;
    let tol = cx.wide(tol)?;
    let (rest, kept) = (relative(cx, c.rest, c.size)?, relative(cx, c.kept, c.size)?);
    let whole = relative(cx, c.whole, c.size)?;
    let end = |cx: &mut LawCx, i: usize| -> Result<ValueId> {
        let x = part(cx.b, kept, i, 1)?;
        cx.b.reduce_sum(x, &[0])
    };
    let (first, last) = (end(cx, 0)?, end(cx, found - 1)?);
    let left = norms(cx.b, rest, &[0, 1])?;
    let (threshold, passing) = match c.rule {
        "absolute" => (relative(cx, tol, c.size)?, last),
        "tail" => {
            let norm = norms(cx.b, whole, &[0, 1])?;
            let (x, y) = (cx.b.mul(left, left)?, cx.b.mul(last, last)?);
            let tail = cx.b.add(x, y)?;
            (cx.b.mul(tol, norm)?, cx.b.sqrt(tail)?)
        }
        _ => (cx.b.mul(tol, first)?, last),
    };
    let within = c.within * (all as f64).sqrt();
    if found > least {
        let short = excess(cx.b, threshold, passing)?;
        cx.small("the last value that is kept passes the rule", short, within)?;
    }
    if found < most {
        let (alone, most_left) = if c.rule == "tail" {
            (left, threshold)
        } else {
            let number = cx.b.like(threshold, ((all - found) as f64).sqrt())?;
            (left, cx.b.mul(number, threshold)?)
        };
        let over = excess(cx.b, alone, most_left)?;
        cx.small("no value that passes the rule is left out", over, within)?;
        if c.rule != "tail" {
            let columns = norms(cx.b, rest, &[0])?;
            let ty = cx.b.ty(columns);
            let threshold = cx.b.broadcast(threshold, &ty, &[])?;
            let over = excess(cx.b, columns, threshold)?;
            cx.small("no direction that passes the rule is left out", over, within)?;
        }
    }
    Ok(())
}
pub(super) fn svd_trunc(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 3)?;
    let [u, s, vt] = singular(cx, a, within, size)?;
    let us = columns_times(cx.b, u, s)?;
    let product = mm(cx.b, us, vt)?;
    let rest = cx.b.sub(a, product)?;
    let rule = cx.attrs.word("rule").unwrap_or("relative");
    counted(cx, Cut { whole: a, rest, size, kept: s, rule, within })
}
pub(super) fn eigh_trunc(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 2)?;
    let [w, h] = eigenvectors(cx, a, within, size)?;
    by_modulus(cx, w)?;
    let v = cx.result(1)?;
    let v = cx.wide(v)?;
    let vw = columns_times(cx.b, v, w)?;
    let product = mh(cx.b, vw, v)?;
    let (rest, kept) = (cx.b.sub(h, product)?, cx.b.abs(w)?);
    let rule = cx.attrs.word("rule").unwrap_or("relative");
    counted(cx, Cut { whole: h, rest, size, kept, rule, within })
}
pub(super) fn qr_rank(cx: &mut LawCx) -> Result<()> {
    let (a, within, size) = factored(cx, 2)?;
    let (q, r, p) = (cx.result(0)?, cx.result(1)?, cx.result(2)?);
    let (q, r) = (cx.wide(q)?, cx.wide(r)?);
    let gram = hm(cx.b, q, q)?;
    identity(cx, "qᴴ · q = 1", gram, within)?;
    let moved = pivoted(cx, a, p)?;
    upper(cx, r)?;
    pivots(cx, r, size, within)?;
    let along_q = hm(cx.b, q, moved)?;
    let off = cx.b.sub(along_q, r)?;
    cx.vanishes("qᴴ · a[:, p] = r", off, size, within)?;
    let product = mm(cx.b, q, r)?;
    let rest = cx.b.sub(moved, product)?;
    let found = cx.shape(r)[0];
    let columns = cx.b.transpose(rest, &[1, 0])?;
    let first = part(cx.b, columns, 0, found)?;
    cx.vanishes("the first columns of a[:, p] are q · r", first, size, within)?;
    let d = diagonal(cx.b, r)?;
    let kept = cx.b.abs(d)?;
    // Pivots are found up to roots of rounding.
    counted(cx, Cut { whole: a, rest, size, kept, rule: "relative", within: within.sqrt() })
}

/// `|b − op(a) · x| <= γ |op(a)| · |x|`, element by element (Higham, theorem 8.5), and nothing finite where the diagonal has a 0.
pub(super) fn triangular_solve(cx: &mut LawCx) -> Result<()> {
    let t = Triangular::of(cx.attrs);
    let (a, b, x) = (cx.operand(0)?, cx.operand(1)?, cx.result(0)?);
    let within = within(cx, a);
    let (a, b, x) = (cx.wide(a)?, cx.wide(b)?, cx.wide(x)?);
    let (def, k) = match (t.lower, t.unit) {
        (true, unit) => (&TRIL, if unit { -1 } else { 0 }),
        (false, unit) => (&TRIU, if unit { 1 } else { 0 }),
    };
    let mut a = cx.b.emit1(NewOp::new(def, &[a]).attr("k", Attr::Int(k)))?;
    if t.unit {
        let ty = cx.b.ty(a);
        let off = divided::off_diagonal(cx.b, &ty)?;
        let one = cx.b.splat(&ty, 1.0)?;
        a = cx.b.select(off, a, one)?;
    }
    let d = diagonal(cx.b, a)?;
    let zero = cx.b.like(d, 0.0)?;
    let singular = cx.b.eq(d, zero)?;
    let singular = reduce(cx.b, &REDUCE_OR, singular, &[0])?;
    // Every line that is solved for: a column, or a row where `x` stands in front.
    let lines = cx.finite(x, &[usize::from(!t.left)])?;
    let ty = cx.b.ty(lines);
    let wrong = cx.trailing(singular, &ty)?;
    let broken = cx.b.and(wrong, lines)?;
    cx.never("a 0 on the diagonal gives infinities or NaN", broken)?;
    let regular = cx.b.not(singular)?;
    cx.given(regular);
    let (axis, other) = if t.transpose { (0, 1) } else { (1, 0) };
    let times = |b: &mut Builder, a: ValueId, x: ValueId| {
        if t.left {
            product(b, (a, axis, t.conj), (x, 0, false))
        } else {
            product(b, (x, 1, false), (a, other, t.conj))
        }
    };
    let got = times(cx.b, a, x)?;
    let rest = cx.b.sub(b, got)?;
    let (size, length) = (cx.b.abs(a)?, cx.b.abs(x)?);
    let most = times(cx.b, size, length)?;
    let given = cx.b.abs(b)?;
    let scale = cx.b.add(most, given)?;
    cx.vanishes("op(a) · x = b, or x · op(a) = b", rest, scale, within)
}
/// What is handed through unchanged: (result, operand).
pub(super) fn handed(cx: &mut LawCx, pairs: &[(usize, usize)]) -> Result<()> {
    for &(i, k) in pairs {
        let (y, x) = (cx.result(i)?, cx.operand(k)?);
        cx.same("the operand is handed through", x, y)?;
    }
    Ok(())
}
