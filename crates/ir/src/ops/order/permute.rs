//! Elements moved along an axis: neighbours, and permutations along an axis as integer tensors: element `i` of the permuted line is element `p[i]` of the line.
use super::sort::by_key;
use crate::DType;
use crate::attr::Attr;
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::extent::Extent;
use crate::func::ValueId;
use crate::op::NewOp;
use crate::ops::constant::IOTA;
use crate::ops::shape::pad;

/// 0, 1, … along `axis`, in the shape of `like`.
pub(super) fn iota(b: &mut Builder, like: ValueId, axis: usize) -> Result<ValueId> {
    let ty = b.ty(like).with_dtype(DType::I64);
    b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis as i64)).types(vec![ty]))
}
/// The inverse of permutation `p`.
pub(super) fn inverse(b: &mut Builder, p: ValueId, axis: usize) -> Result<ValueId> {
    let places = iota(b, p, axis)?;
    permute_back(b, p, places, axis)
}
/// The lines whose permutation by `p` is `x`: element `p[i]` becomes element `i` of `x`.
pub(super) fn permute_back(b: &mut Builder, p: ValueId, x: ValueId, axis: usize) -> Result<ValueId> {
    by_key(b, &[p, x], axis)?.last().copied().ok_or_else(|| Error::bug(Code::E0599, "`sort` gives no result"))
}
/// At each element the one before it along `axis`, with `reverse` the one after it; `edge` where there is none.
pub(super) fn shift(b: &mut Builder, x: ValueId, axis: usize, reverse: bool, edge: ValueId) -> Result<ValueId> {
    let ty = b.ty(x);
    let by = |n: i64| -> Vec<Extent> { (0..ty.rank()).map(|a| Extent::exact(if a == axis { n } else { 0 })).collect() };
    let (low, high) = if reverse { (-1, 1) } else { (1, -1) };
    pad(b, x, Some(edge), &by(low), &by(high), &vec![0; ty.rank()], &ty)
}
