//! Control flow for many indices at once, where all of them take the same way ([`super::ways`] has where they do not). Regions run
//! with batched parameters; a carry that comes to depend on the index in some trip is batched from the first one on. Batch axes are
//! in front.
use super::loops::{Gather, ScanDims};
use crate::batch::{Batched, Batcher};
use crate::diag::Result;
use crate::func::{OpId, RegionId, ValueId};
use crate::op::NewOp;

/// Which operands of a loop depend on the index while `body` runs, the first `carries` of which are carried.
fn settled(cx: &Batcher, body: RegionId, xs: &[Batched], carries: usize) -> Vec<bool> {
    let mut on: Vec<bool> = xs.iter().map(|x| x.axis.is_some()).collect();
    loop {
        let ys = cx.depends(body, &on);
        let Some(i) = (0..carries).find(|&i| ys[i] && !on[i]) else { return on };
        on[i] = true;
    }
}
fn in_front(on: &[bool]) -> Vec<Option<usize>> {
    on.iter().map(|&on| on.then_some(0)).collect()
}
/// Operands with the batch axis in front where `on` says so.
fn placed(cx: &mut Batcher, xs: &[Batched], on: &[bool]) -> Result<Vec<ValueId>> {
    xs.iter().zip(on).map(|(&x, &on)| if on { cx.at(x, 0) } else { Ok(x.value) }).collect()
}
/// A copy of region `r`, which yields with the batch axis in front what `on` says, and beyond that what depends on the index.
/// Gives which of it does.
fn region(cx: &mut Batcher, r: RegionId, params: &[bool], on: &[bool]) -> Result<(RegionId, Vec<bool>)> {
    let (opened, ys) = cx.region(r, &in_front(params))?;
    let on: Vec<bool> = ys.iter().enumerate().map(|(i, y)| on.get(i).copied().unwrap_or(y.axis.is_some())).collect();
    let ys = placed(cx, &ys, &on)?;
    Ok((cx.b.close(opened, ys), on))
}
fn results(ys: Vec<ValueId>, on: &[bool]) -> Vec<Batched> {
    ys.into_iter().zip(in_front(on)).map(|(value, axis)| Batched { value, axis }).collect()
}

pub(super) fn scan(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let mut d = ScanDims::of(&cx.src, &op)?;
    d.length = cx.map_extent(&d.length)?;
    let on = settled(cx, op.regions[0], xs, d.carry);
    let operands = placed(cx, xs, &on)?;
    for (cut, &on) in d.cut.iter_mut().zip(&on[d.carry..]) {
        *cut += usize::from(on);
    }
    let (body, ys) = region(cx, op.regions[0], &on, &on[..d.carry])?;
    for (how, &on) in d.collect.iter_mut().zip(&ys[d.carry..]) {
        if let (Gather::Stack(axis), true) = (&mut *how, on) {
            *axis += 1;
        }
    }
    let rs = cx.b.scan(&operands, &d, body)?;
    Ok(results(rs, &ys))
}
/// Collected values are stacked along their last axis, or joined along it: in front nothing moves.
pub(super) fn whiles(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let &[cond, body] = op.regions.as_slice() else { return Ok(vec![]) };
    let on = settled(cx, body, xs, xs.len());
    if cx.depends(cond, &on).contains(&true) {
        return super::ways::whiles(cx, o, xs, &on);
    }
    let operands = placed(cx, xs, &on)?;
    let attrs = cx.attrs(&op.attrs)?;
    let (cond, _) = region(cx, cond, &on, &[false])?;
    let (body, ys) = region(cx, body, &on, &on)?;
    let rs = cx.b.emit(NewOp::new(op.def, &operands).attrs(attrs).regions(vec![cond, body]))?;
    Ok(results(rs, &ys))
}
pub(super) fn cond(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    if xs[0].axis.is_some() {
        return super::ways::branch(cx, o, xs);
    }
    let on: Vec<bool> = xs[1..].iter().map(|x| x.axis.is_some()).collect();
    let operands: Vec<ValueId> = xs[..1].iter().map(|x| x.value).chain(placed(cx, &xs[1..], &on)?).collect();
    let either: Vec<Vec<bool>> = op.regions.iter().map(|&r| cx.depends(r, &on)).collect();
    let ys: Vec<bool> = (0..op.results.len()).map(|i| either.iter().any(|ys| ys[i])).collect();
    let mut regions = vec![];
    for &r in &op.regions {
        regions.push(region(cx, r, &on, &ys)?.0);
    }
    // What branches yield may be of different extents: the result binds one then, for all indices as for one.
    let mut types = vec![];
    for (&y, &on) in op.results.iter().zip(&ys) {
        types.push(cx.bound_type(y, on.then_some(0))?);
    }
    let rs = cx.b.branch_typed(op.def, operands[0], &operands[1..], regions, &types)?;
    Ok(results(rs, &ys))
}
