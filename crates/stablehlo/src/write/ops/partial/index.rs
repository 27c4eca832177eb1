//! `gather` and `scatter` of axes of which a beginning counts: indices are held within it, and what does not count is written
//! nowhere.
use tfc_ir::ops::index::IndexDims;
use tfc_ir::{DType, Extent, Result, Tensor};

use super::super::shape::index;
use super::shape::whole;
use crate::write::cx::Cx;
use crate::write::partial::counting;
use crate::write::ty::Ty;
use crate::write::writer::{Val, broken};

/// For each component of index vectors, the greatest start at which a window lies inside: broadcast to the indices.
fn rooms(cx: &mut Cx, at: &Val, d: &IndexDims, sizes: &[Extent]) -> Result<Val> {
    let &v = cx.op().operands.first().ok_or_else(|| broken("an operand"))?;
    let dims = cx.func().ty(v).dims.to_vec();
    let mut parts = vec![];
    for &a in &d.map {
        let (n, size) = dims.get(a).zip(sizes.get(a)).ok_or_else(|| broken("an axis"))?;
        let room = n.sub(size)?;
        let room = cx.count_of(&room)?;
        parts.push(cx.reshape(&room, &[1]));
    }
    if d.vector >= at.rank() {
        let one = parts.first().cloned().ok_or_else(|| broken("an index"))?;
        let one = cx.reshape(&one, &[]);
        return Ok(cx.broadcast(&one, &[], &at.ty));
    }
    let line = cx.concat(&parts, 0)?;
    Ok(cx.broadcast(&line, &[d.vector], &at.ty))
}
/// The indices, with −1, which is outside of everything, in the place of those at which no window lies inside; or held inside.
fn held(cx: &mut Cx, at: &Val, d: &IndexDims, sizes: &[Extent], clamp: bool) -> Result<Val> {
    if d.map.is_empty() {
        return Ok(at.clone());
    }
    let room = rooms(cx, at, d, sizes)?;
    if clamp {
        return Ok(cx.bin("minimum", at, &room));
    }
    let (over, out) = (cx.compare("GT", at, &room), cx.splat(&at.ty, -1.0)?);
    Ok(cx.select(&over, &out, at))
}
pub(super) fn gather(cx: &mut Cx) -> Result<Vec<Val>> {
    let &at = cx.op().operands.get(1).ok_or_else(|| broken("an operand"))?;
    let d = IndexDims::of_gather(cx.attrs(), cx.func().ty(at));
    let sizes = cx.attrs().extents("slice_sizes").to_vec();
    whole(cx, &sizes)?;
    let at = cx.arg(1)?;
    let at = index(cx, &at)?;
    let clamp = cx.attrs().word("out_of_bounds") != Some("zero");
    let at = held(cx, &at, &d, &sizes, clamp)?;
    if let Some(slot) = cx.args.get_mut(1) {
        *slot = at;
    }
    super::super::index::gather(cx)
}
pub(super) fn scatter(cx: &mut Cx) -> Result<Vec<Val>> {
    let &v = cx.op().operands.get(1).ok_or_else(|| broken("an operand"))?;
    let d = IndexDims::of_scatter(cx.attrs(), cx.func().ty(v));
    let (x, at) = (cx.arg(0)?, cx.arg(1)?);
    let &u = cx.op().operands.get(2).ok_or_else(|| broken("an operand"))?;
    let updates = cx.func().ty(u).dims.to_vec();
    let mut sizes = vec![Extent::exact(1); x.rank()];
    for (&a, &w) in d.window_axes(x.rank()).iter().zip(&d.window) {
        if let (Some(s), Some(n)) = (sizes.get_mut(a), updates.get(w)) {
            *s = n.clone();
        }
    }
    whole(cx, &sizes)?;
    let mut at = index(cx, &at)?;
    let clamp = cx.attrs().word("out_of_bounds") == Some("clamp");
    if clamp && !d.map.is_empty() {
        // Held inside here, so that nothing is moved afterwards.
        let zero = cx.splat(&at.ty, 0.0)?;
        at = cx.bin("maximum", &at, &zero);
    }
    at = held(cx, &at, &d, &sizes, clamp)?;
    // Updates that do not count go nowhere.
    let mut open = cx.open_of(1)?;
    let batch = d.batch_axes(updates.len());
    let walks = d.index_axes(at.rank());
    for (axis, count) in cx.open_of(2)? {
        let walk = batch.iter().position(|&b| b == axis).and_then(|k| walks.get(k));
        if let Some(&w) = walk
            && !open.iter().any(|o| o.0 == w)
        {
            open.push((w, count));
        }
    }
    if let (false, Some(mask)) = (d.map.is_empty(), counting(cx, at.dims(), &open)) {
        let out = cx.constant(&Tensor::scalar(-1i64), &Ty::new(DType::I64, at.dims()), true)?;
        at = cx.select(&mask, &at, &out);
    }
    if let Some(slot) = cx.args.get_mut(1) {
        *slot = at;
    }
    super::super::index::scattered(cx, false)
}
