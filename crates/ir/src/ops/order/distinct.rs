//! `unique`: the distinct elements of a tensor, as many as its values decide.
use super::cumulative::CUMSUM;
use super::laws;
use super::permute::{iota, permute_back, shift};
use super::sort::{SORT, by_key};
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::Result;
use crate::extent::{CmpOp, Constraint, Extent};
use crate::func::ValueId;
use crate::infer::InferCx;
use crate::op::*;
use crate::ops::extents::{DIM_VALUE, EXTENT};
use crate::ops::shape::TAKE_PREFIX;
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;

/// `unique`.
pub static UNIQUE: OpDef = OpDef {
    name: "unique",
    doc: "The distinct elements, ascending: `%v: f64[?r], %inverse: i64[n], %counts: i64[?r] = unique(%x)`. `inverse` has \
          the operand's shape and says at each element which of them it is; `counts` says how often each occurs. NaN \
          equals NaN and comes last, −0 equals 0. Each value is that of its first occurrence in logical order, and its \
          derivative goes there.",
    operands: &["x"],
    infer,
    effect: crate::Effect::MayFail,
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    expand: Expand::Composite(expand),
    law: Law::Holds { state: laws::unique, hard: |cx| laws::hard(cx, |_| Some(vec![Attrs::none()]), &[]) },
    sample,
    ..OpDef::BASE
};

fn elements(x: &Type) -> Result<Extent> {
    x.dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))
}
fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_dtype(0, |d| !d.is_complex(), "elements that have an order")
        .map_err(|e| e.help("complex numbers have none: sort by a `comparator` and compare neighbours"))?;
    let x = cx.ty(0)?;
    let n = elements(&x)?;
    let r = Extent::exist(cx.fresh_exist("r"));
    cx.add_where(Constraint { lhs: r.clone(), op: CmpOp::Le, rhs: n });
    let index = |dims: &[Extent]| Type::new(DType::I64, dims.to_vec());
    Ok(vec![x.with_dims(vec![r.clone()]), index(&x.dims), index(&[r])])
}
/// Sorts, marks the first of each run of equal elements, and counts the marks.
fn expand(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let x = op.operands[0];
    let (shape, n) = (b.ty(x), elements(&b.ty(x))?);
    let line = shape.with_dims(vec![n.clone()]);
    let flat = b.reshape(x, &line)?;
    let places = iota(b, flat, 0)?;
    let [sorted, perm] = pair(by_key(b, &[flat, places], 0)?)?;
    let first = first_of_runs(b, sorted, places)?;
    let mark = b.convert(first, DType::I64)?;
    let found = b.reduce_sum(mark, &[0])?;
    let r = Extent::exist(b.exist("r", op.span));
    let mut bind = NewOp::new(&EXTENT, &[found]).attr("extent", Attr::extent(r.clone()));
    bind.wheres = vec![Constraint { lhs: r.clone(), op: CmpOp::Le, rhs: n.clone() }];
    b.emit(bind)?;
    // The marked elements to the front, in their order.
    let later = b.not(first)?;
    let front = b.emit(NewOp::new(&SORT, &[later, sorted, places]))?;
    let mut cut = front.into_iter().skip(1).map(|v| {
        let ty = b.ty(v).with_dims(vec![r.clone()]);
        b.emit1(NewOp::new(&TAKE_PREFIX, &[v]).attr("axis", Attr::Int(0)).types(vec![ty]))
    });
    let none = || Err(crate::Error::bug(Code::E0599, "`sort` gives no result"));
    let (values, starts) = (cut.next().unwrap_or_else(none)?, cut.next().unwrap_or_else(none)?);
    drop(cut);
    let end = b.emit1(NewOp::new(&DIM_VALUE, &[]).attr("extent", Attr::extent(n)))?;
    let next = shift(b, starts, 0, true, end)?;
    let counts = b.sub(next, starts)?;
    let run = b.emit1(NewOp::new(&CUMSUM, &[mark]).attr("axis", Attr::Int(0)))?;
    let one = b.like(run, 1.0)?;
    let run = b.sub(run, one)?;
    let inverse = permute_back(b, perm, run, 0)?;
    let inverse = b.reshape(inverse, &shape.with_dtype(DType::I64))?;
    Ok(vec![values, inverse, counts])
}
fn pair(v: Vec<ValueId>) -> Result<[ValueId; 2]> {
    v.try_into().map_err(|_| crate::Error::bug(Code::E0599, "`sort` gives two results for two operands"))
}
/// Where a sorted line differs from the element before; `places` counts from 0.
fn first_of_runs(b: &mut Builder, sorted: ValueId, places: ValueId) -> Result<ValueId> {
    let ty = b.ty(sorted);
    let edge = b.splat(&Type::scalar(ty.dtype), 0.0)?;
    let before = shift(b, sorted, 0, false, edge)?;
    let mut new = b.ne(sorted, before)?;
    if ty.dtype.is_float() {
        // NaN differs from itself, but is one value here; what comes after a NaN is a NaN.
        let is_number = b.eq(before, before)?;
        new = b.and(new, is_number)?;
    }
    let zero = b.like(places, 0.0)?;
    let start = b.eq(places, zero)?;
    b.or(new, start)
}
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if cx.dtype.is_complex() {
        return Ok(vec![]);
    }
    let cases: &[(&[usize], Domain)] = &[
        (&[6], Domain::Any),
        (&[8], Domain::Ints(0, 3)),
        (&[1], Domain::Any),
        (&[0], Domain::Any),
        (&[], Domain::Any),
        (&[2, 3], Domain::Ints(0, 1)),
        (&[2, 0, 2], Domain::Any),
    ];
    let mut out = vec![];
    for (shape, domain) in cases {
        // Equal values have no difference quotient.
        if cx.dtype.is_float() && matches!(domain, Domain::Ints(..)) {
            continue;
        }
        out.push(cx.op(&[(cx.ty(shape), *domain)], Attrs::none(), None)?);
    }
    Ok(out)
}
