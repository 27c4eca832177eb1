//! Sliding windows, and sums of windows that overlap.
use tfc_ir::ops::shape::{OVERLAP_ADD, WINDOWS};
use tfc_ir::{DType, Result, Tensor};

use super::Rows;
use super::index::at_indices;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken};

pub(super) const ROWS: Rows = &[(&WINDOWS, By(windows)), (&OVERLAP_ADD, By(overlap_add))];

/// Window elements up to which sums are written out.
const FEW: usize = 8;

/// Axes, and stride and dilation of each.
fn sliding(cx: &Cx) -> Result<Vec<(usize, usize, usize)>> {
    let axes = cx.attrs().indices("axes");
    let (stride, dilation) = (cx.sizes("stride", axes.len(), 1)?, cx.sizes("dilation", axes.len(), 1)?);
    Ok(axes.into_iter().zip(stride).zip(dilation).map(|((a, s), d)| (a, s, d)).collect())
}
/// One axis after the other is looked up by index: it becomes one that counts windows, and their elements a last one.
fn windows(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, ty) = (cx.arg(0)?, cx.result(0)?);
    if ty.is_empty() {
        return Ok(vec![cx.splat(&ty, 0.0)?]);
    }
    let mut y = x.clone();
    for (i, (axis, stride, dilation)) in sliding(cx)?.into_iter().enumerate() {
        let extent = |a: usize| ty.dims.get(a).copied().ok_or_else(|| broken("an axis"));
        let (count, size) = (extent(axis)?, extent(x.rank() + i)?);
        let at: Vec<i64> = (0..count * size).map(|k| ((k / size) * stride + (k % size) * dilation) as i64).collect();
        let at = Tensor::from_logical(&[count, size, 1], at)?;
        let at = cx.constant(&at, &Ty::new(DType::I64, [count, size, 1]), false)?;
        let cut = at_indices(cx, &y, &at, &[axis], axis);
        // The elements stand behind the windows, and go to the end.
        let perm: Vec<usize> = (0..cut.rank()).filter(|&a| a != axis + 1).chain([axis + 1]).collect();
        y = cx.transpose(&cut, &perm);
    }
    Ok(vec![y])
}
/// From the last axis to the first: each element of a window adds the windows' elements at that place, `stride` apart.
fn overlap_add(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, ty) = (cx.arg(0)?, cx.result(0)?);
    if x.ty.is_empty() || ty.is_empty() {
        return Ok(vec![cx.splat(&ty, 0.0)?]);
    }
    let mut y = x;
    for (axis, stride, dilation) in sliding(cx)?.into_iter().rev() {
        let n = ty.dims.get(axis).copied().ok_or_else(|| broken("an axis"))?;
        y = overlap(cx, &y, axis, n, stride, dilation)?;
    }
    Ok(vec![y])
}
/// The last axis of `x` goes: element `k` of window `i` is added at `i·stride + k·dilation` of an axis of extent `n`.
fn overlap(w: &mut Writer, x: &Val, axis: usize, n: usize, stride: usize, dilation: usize) -> Result<Val> {
    let last = x.rank() - 1;
    let (count, size) = (x.dims()[axis], x.dims()[last]);
    let flat = x.dims()[..last].to_vec();
    let zero = w.splat(&Ty::scalar(x.dtype()), 0.0)?;
    // What one element of all windows spans.
    let span = (count - 1) * stride + 1;
    let spread = |w: &mut Writer, part: &Val, low: usize| -> Result<Val> {
        let (mut lows, mut highs, mut gaps) = (vec![0; last], vec![0; last], vec![0; last]);
        (lows[axis], gaps[axis]) = (low as i64, stride - 1);
        highs[axis] = n as i64 - (low + span) as i64;
        w.pad(part, &zero, &lows, &highs, &gaps)
    };
    if size <= FEW {
        let mut sum: Option<Val> = None;
        for k in 0..size {
            let part = w.cut(x, last, k, k + 1);
            let part = w.reshape(&part, &flat);
            let part = spread(w, &part, k * dilation)?;
            sum = Some(match sum {
                Some(s) => w.bin("add", &s, &part),
                None => part,
            });
        }
        return sum.ok_or_else(|| broken("an empty window"));
    }
    let mut whole = flat.clone();
    whole[axis] = n;
    let none = w.splat(&x.ty.shaped(whole), 0.0)?;
    let mut gaps = vec![0; last];
    gaps[axis] = stride - 1;
    let mut made = w.count(size, &[none, x.clone()], |w, k, c| {
        let [sum, x] = c else { return Err(broken("a loop")) };
        let at0 = w.int(0)?;
        let mut starts = vec![at0.clone(); last + 1];
        starts[last] = k.clone();
        let mut one = x.dims().to_vec();
        one[last] = 1;
        let part = w.dynamic_slice(x, &starts, &one);
        let part = w.reshape(&part, &flat);
        let zero = w.splat(&Ty::scalar(x.dtype()), 0.0)?;
        let part = w.pad(&part, &zero, &vec![0; last], &vec![0; last], &gaps)?;
        let by = w.int(dilation as i64)?;
        let low = w.bin("multiply", k, &by);
        let mut starts = vec![at0; last];
        starts[axis] = low;
        let before = w.dynamic_slice(sum, &starts, part.dims());
        let after = w.bin("add", &before, &part);
        Ok(vec![w.dynamic_update(sum, &after, &starts), x.clone()])
    })?;
    Ok(made.swap_remove(0))
}
