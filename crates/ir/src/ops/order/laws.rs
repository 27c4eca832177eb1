//! Laws of ops that order elements: where an element goes follows from how many come before it, which is counted. Nothing is
//! sorted to say what sorted is.
use super::sort::{sort_axis, sort_keys};
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::diag::Result;
use crate::func::ValueId;
use crate::law::{LawCx, alike};
use crate::op::NewOp;
use crate::ops::constant::{CONST, IOTA};
use crate::sample::{Sample, SampleCx};
use crate::types::Type;
use crate::{DType, Tensor};

fn shape(b: &Builder, v: ValueId) -> Vec<usize> {
    // Laws are stated of exact types.
    b.func().ty(v).exact_shape().unwrap_or_default()
}
/// With `axis` in front.
fn lines(b: &mut Builder, x: ValueId, axis: usize) -> Result<ValueId> {
    let perm: Vec<usize> = std::iter::once(axis).chain((0..shape(b, x).len()).filter(|&a| a != axis)).collect();
    b.transpose(x, &perm)
}
/// Pairs of an element of `x` and one of `y`, which are lines `[n, …]` and `[m, …]`: both as `[n, m, …]`.
fn pairs(b: &mut Builder, x: ValueId, y: ValueId) -> Result<(ValueId, ValueId)> {
    let (n, m) = (shape(b, x), shape(b, y));
    let wide = [&[n[0], m[0]], &n[1..]].concat();
    let mut at = |v: ValueId, place: usize| {
        let ty = Type::exact(b.func().ty(v).dtype, &wide);
        b.broadcast(v, &ty, &std::iter::once(place).chain(2..wide.len()).collect::<Vec<_>>())
    };
    Ok((at(x, 0)?, at(y, 1)?))
}
/// The place of each element in its line.
fn places(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let ty = b.ty(x).with_dtype(DType::I64);
    b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![ty]))
}
/// `x < y`, or `x` is a number and `y` is NaN; `false` is less than `true`.
fn less(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    let dtype = b.func().ty(x).dtype;
    if dtype == DType::Bool {
        let not = b.not(x)?;
        return b.and(not, y);
    }
    let less = b.lt(x, y)?;
    if !dtype.is_float() {
        return Ok(less);
    }
    let (number, nan) = (b.eq(x, x)?, b.ne(y, y)?);
    let last = b.and(number, nan)?;
    b.or(less, last)
}
/// Whether, of each pair, the second comes before the first by the keys; `equal` where they are equal.
fn second_first(b: &mut Builder, keys: &[(ValueId, ValueId)], equal: ValueId) -> Result<ValueId> {
    let mut before = equal;
    for &(x, y) in keys.iter().rev() {
        let (first, last) = (less(b, y, x)?, less(b, x, y)?);
        let differ = b.or(first, last)?;
        before = b.select(differ, first, before)?;
    }
    Ok(before)
}
/// How many elements of its line come before each by the keys; equal ones keep their order, which `descending` does not turn.
fn rank(b: &mut Builder, keys: &[ValueId], descending: bool) -> Result<ValueId> {
    let place = places(b, keys[0])?;
    let (own, other) = pairs(b, place, place)?;
    let equal = b.lt(other, own)?;
    let mut both = vec![];
    for &k in keys {
        let (x, y) = pairs(b, k, k)?;
        both.push(if descending { (y, x) } else { (x, y) });
    }
    let before = second_first(b, &both, equal)?;
    count(b, before, 1)
}
fn count(b: &mut Builder, x: ValueId, axis: usize) -> Result<ValueId> {
    let x = b.convert(x, DType::I64)?;
    b.reduce_sum(x, &[axis])
}
/// The element of `x` of rank `i` is element `i` of `y`.
fn goes(cx: &mut LawCx, says: &'static str, rank: ValueId, x: ValueId, y: ValueId) -> Result<()> {
    let place = places(cx.b, y)?;
    let (rank, place) = pairs(cx.b, rank, place)?;
    let (x, y) = pairs(cx.b, x, y)?;
    let (here, same) = (cx.b.eq(rank, place)?, alike(cx.b, x, y)?);
    let other = cx.b.not(same)?;
    let broken = cx.b.and(here, other)?;
    cx.never(says, broken)
}

pub(super) fn sort(cx: &mut LawCx) -> Result<()> {
    let axis = sort_axis(cx.attrs, cx.shape(cx.operand(0)?).len());
    let keys = sort_keys(cx.attrs);
    let xs = cx.operands().to_vec().into_iter().map(|x| lines(cx.b, x, axis)).collect::<Result<Vec<_>>>()?;
    let ys = cx.results().to_vec().into_iter().map(|y| lines(cx.b, y, axis)).collect::<Result<Vec<_>>>()?;
    if cx.attrs.get("stable") != Some(&Attr::Bool(false)) {
        let rank = rank(cx.b, &xs[..keys], false)?;
        for (&x, &y) in xs.iter().zip(&ys) {
            goes(cx, "each element is at the place that the number of those before it gives", rank, x, y)?;
        }
        return Ok(());
    }
    // Which of equal elements comes first is open: no later one comes before an earlier one, and none is lost.
    let place = places(cx.b, ys[0])?;
    let (own, other) = pairs(cx.b, place, place)?;
    let later = cx.b.gt(other, own)?;
    let never = cx.b.zeros(&cx.b.ty(later))?;
    let both = ys[..keys].iter().map(|&k| pairs(cx.b, k, k)).collect::<Result<Vec<_>>>()?;
    let before = second_first(cx.b, &both, never)?;
    let broken = cx.b.and(later, before)?;
    cx.never("the keys ascend", broken)?;
    let mut number = |to: &[ValueId]| -> Result<ValueId> {
        let mut all = None;
        for (&x, &y) in xs.iter().zip(to) {
            let (x, y) = pairs(cx.b, x, y)?;
            let same = alike(cx.b, x, y)?;
            all = Some(match all {
                Some(a) => cx.b.and(a, same)?,
                None => same,
            });
        }
        count(cx.b, all.unwrap_or(later), 1)
    };
    let (taken, given) = (number(&xs)?, number(&ys)?);
    let broken = cx.b.ne(taken, given)?;
    cx.never("each element is there as often as before", broken)
}
pub(super) fn top_k(cx: &mut LawCx) -> Result<()> {
    let (x, values, indices) = (cx.operand(0)?, cx.result(0)?, cx.result(1)?);
    let axis = cx.shape(x).len() - 1;
    let x = lines(cx.b, x, axis)?;
    let (values, indices) = (lines(cx.b, values, axis)?, lines(cx.b, indices, axis)?);
    let rank = rank(cx.b, &[x], true)?;
    goes(cx, "value i is the one that i elements come before", rank, x, values)?;
    let place = places(cx.b, x)?;
    goes(cx, "index i is its place", rank, place, indices)
}
/// Law of `argmax` and `argmin`: the element of rank 0, where NaN comes before all numbers.
pub(crate) fn extremum(cx: &mut LawCx, greatest: bool) -> Result<()> {
    let (x, y) = (cx.operand(0)?, cx.result(0)?);
    let x = lines(cx.b, x, cx.attrs.int("axis") as usize)?;
    let mut keys = vec![x];
    if !greatest && cx.b.func().ty(x).dtype.is_float() {
        keys.insert(0, cx.b.eq(x, x)?);
    }
    let rank = rank(cx.b, &keys, greatest)?;
    let place = places(cx.b, x)?;
    let ty = cx.b.ty(y).with_axis(0, 1usize.into());
    let y = cx.b.reshape(y, &ty)?;
    goes(cx, "the index is that of the first element that no other comes before", rank, place, y)
}
pub(super) fn unique(cx: &mut LawCx) -> Result<()> {
    let (x, v, inverse, counts) = (cx.operand(0)?, cx.result(0)?, cx.result(1)?, cx.result(2)?);
    let n: usize = cx.shape(x).iter().product();
    let mut flat = |v: ValueId| {
        let ty = Type::exact(cx.b.func().ty(v).dtype, &[n]);
        cx.b.reshape(v, &ty)
    };
    let (x, inverse) = (flat(x)?, flat(inverse)?);
    let place = places(cx.b, v)?;
    let (own, other) = pairs(cx.b, place, place)?;
    let later = cx.b.gt(other, own)?;
    let (p, q) = pairs(cx.b, v, v)?;
    let less_of = less(cx.b, p, q)?;
    let not = cx.b.not(less_of)?;
    let broken = cx.b.and(later, not)?;
    cx.never("the values ascend, and no two are equal", broken)?;
    let (at, place) = pairs(cx.b, inverse, place)?;
    let here = cx.b.eq(at, place)?;
    let found = count(cx.b, here, 1)?;
    let one = cx.b.like(found, 1.0)?;
    let broken = cx.b.ne(found, one)?;
    cx.never("each element is one of the values", broken)?;
    let found = count(cx.b, here, 0)?;
    let broken = cx.b.ne(found, counts)?;
    cx.never("counts says how many are", broken)?;
    let (a, b) = pairs(cx.b, x, v)?;
    let (below, above) = (less(cx.b, a, b)?, less(cx.b, b, a)?);
    let differ = cx.b.or(below, above)?;
    let broken = cx.b.and(here, differ)?;
    cx.never("each element equals the value that inverse names", broken)?;
    // The first element of each value: no earlier one has its number.
    let order = places(cx.b, inverse)?;
    let (own, other) = pairs(cx.b, order, order)?;
    let earlier = cx.b.lt(other, own)?;
    let (p, q) = pairs(cx.b, inverse, inverse)?;
    let equal = cx.b.eq(p, q)?;
    let again = cx.b.and(earlier, equal)?;
    let again = count(cx.b, again, 1)?;
    let zero = cx.b.like(again, 0.0)?;
    let first = cx.b.eq(again, zero)?;
    let (first, _) = pairs(cx.b, first, v)?;
    let first = cx.b.and(first, here)?;
    let same = alike(cx.b, a, b)?;
    let other = cx.b.not(same)?;
    let broken = cx.b.and(first, other)?;
    cx.never("each value is its first occurrence", broken)
}

/// Lines with what makes order hard: equal elements, zeros of both signs, infinities, NaN, the ends of the dtype's range.
fn hard_value(b: &mut Builder, dtype: DType, shape: &[usize]) -> Result<ValueId> {
    let n: usize = shape.iter().product();
    let pick = |i: usize| (i * i * 31 + i * 7 + 3) % 11;
    const FLOATS: [f64; 11] =
        [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0, -1.0, 1.0, f64::MIN_POSITIVE, 0.0, -f64::NAN];
    let ints = |i: usize| [0, 1, -1, 3, 3, i64::MAX, i64::MIN, 2, 0, -1, 7][pick(i)];
    let t = match dtype {
        DType::Bool => Tensor::from_logical(shape, (0..n).map(|i| pick(i) > 5).collect()),
        // The least number is at neither end of the unsigned ones.
        d if d.is_unsigned() => Tensor::from_ints(d, shape, (0..n).map(|i| ints(i).into())),
        d if d.is_int() => {
            let (low, high) = d.int_range().unwrap_or_default();
            Tensor::from_ints(d, shape, (0..n).map(|i| i128::from(ints(i)).clamp(low, high)))
        }
        // Of a small float the least normal number is 0.
        d => Tensor::from_reals(d, shape, (0..n).map(|i| FLOATS[pick(i)])),
    }?;
    b.emit1(NewOp::new(&CONST, &[]).attr("value", Attr::Tensor(t)))
}
/// The row on lines of several lengths, `more` operands beside each.
pub(crate) fn hard(cx: &SampleCx, attrs: fn(&[usize]) -> Option<Vec<Attrs>>, more: &[DType]) -> Result<Vec<Sample>> {
    if cx.dtype.is_complex() {
        return Ok(vec![]);
    }
    let shapes: &[&[usize]] = &[&[1], &[2], &[17], &[70], &[0], &[5, 3], &[1, 4], &[3, 0], &[3, 9, 2], &[2, 40]];
    let mut out = vec![];
    for s in shapes {
        for attrs in attrs(s).into_iter().flatten() {
            out.push(cx.program(&[], |b, _| {
                let mut xs = vec![hard_value(b, cx.dtype, s)?];
                for &d in more {
                    xs.push(hard_value(b, d, s)?);
                }
                b.emit(NewOp::new(cx.def, &xs).attrs(attrs))
            })?);
        }
    }
    Ok(out)
}
