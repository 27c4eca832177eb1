//! `top_k`: the greatest elements along the last axis.
use super::laws;
use super::permute::iota;
use super::sort::by_key;
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::{CmpOp, Extent};
use crate::func::ValueId;
use crate::infer::InferCx;
use crate::op::*;
use crate::ops::shape::{REVERSE, TAKE_PREFIX};
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;

/// `top_k`.
pub static TOP_K: OpDef = OpDef {
    name: "top_k",
    doc: "The `k` greatest elements along the last axis, descending, and their indices there as `i64`. Of equal elements \
          that of the lower index comes first; NaN counts as greatest. The derivative of a value is that of the element \
          it is.",
    operands: &["x"],
    slots: &[Slot::required("k", SlotKind::Extent)],
    infer,
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    expand: Expand::Composite(expand),
    law: Law::Holds {
        state: laws::top_k,
        hard: |cx| {
            let by = |s: &[usize]| {
                let n = *s.last()?;
                Some([0, n / 2, n].map(|k| Attrs::of([("k", Attr::extent(k.into()))])).to_vec())
            };
            laws::hard(cx, by, &[])
        },
    },
    sample,
    ..OpDef::BASE
};

fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_dtype(0, |d| !d.is_complex(), "numbers that have an order")
        .map_err(|e| e.help("complex numbers have none: take `abs` or `real`"))?;
    let x = cx.ty(0)?;
    let Some(n) = x.dims.last().cloned() else {
        return Err(Error::new(Code::E0205, "`top_k` needs an axis, a scalar has none").operand(0));
    };
    let k = only(cx.attrs())?;
    cx.demand(&Extent::exact(0), CmpOp::Le, &k, Part::Attr("k"), "number of elements taken")?;
    cx.demand(&k, CmpOp::Le, &n, Part::Attr("k"), "number of elements taken")?;
    let values = shortened(&x, &k);
    Ok(vec![values.clone(), values.with_dtype(DType::I64)])
}
fn only(attrs: &Attrs) -> Result<Extent> {
    attrs.extents("k").first().cloned().ok_or_else(|| Error::new(Code::E0222, "`top_k` needs `k`").attr("k"))
}
fn shortened(x: &Type, k: &Extent) -> Type {
    let mut dims = x.dims.to_vec();
    dims.pop();
    dims.push(k.clone());
    x.with_dims(dims)
}
/// Ascending order of the reversed lines, reversed: so equal elements come by ascending index.
fn expand(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let (x, k) = (op.operands[0], only(&op.attrs)?);
    let ty = b.ty(x);
    let axis = ty.rank().saturating_sub(1);
    let reverse = |b: &mut Builder, x: ValueId| b.emit1(NewOp::new(&REVERSE, &[x]).attr("axes", Attr::ints(&[axis])));
    let places = iota(b, x, axis)?;
    let ends = [reverse(b, x)?, reverse(b, places)?];
    by_key(b, &ends, axis)?
        .into_iter()
        .map(|y| {
            let y = reverse(b, y)?;
            let ty = shortened(&b.ty(y), &k);
            b.emit1(NewOp::new(&TAKE_PREFIX, &[y]).attr("axis", Attr::Int(axis as i64)).types(vec![ty]))
        })
        .collect()
}
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if cx.dtype.is_complex() {
        return Ok(vec![]);
    }
    let cases: &[(&[usize], usize)] =
        &[(&[5], 3), (&[4], 4), (&[3], 0), (&[0], 0), (&[2, 4], 2), (&[0, 3], 1), (&[2, 1, 3, 3], 2)];
    cases
        .iter()
        .map(|(s, k)| cx.op(&[(cx.ty(s), Domain::Any)], Attrs::of([("k", Attr::extent((*k).into()))]), None))
        .collect()
}
