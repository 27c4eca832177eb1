//! The transpose of a linear `scan`: carries run backwards; cotangents of captured values are summed in extra carries, which
//! begin as what is known of them and are added to where rules do so; non-linear slices are read again.
use super::loops::{Gather, ScanDims};
use crate::DType;
use crate::code::Code;
use crate::derive::Transposer;
use crate::diag::{Error, Result};
use crate::extent::{Atom, ExistId, Extent};
use crate::func::{OpId, Region, RegionId, ValueId};
use crate::types::Type;

pub(super) fn tr_scan(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let (src, op) = (cx.src.clone(), cx.op(o));
    let d = ScanDims::of(&src, &op)?;
    let (k, body) = (d.carry, src.region(op.regions[0]));
    if body.params[..k].iter().any(|&p| !cx.linear(p)) {
        return Err(Error::new(Code::E0505, "this scan mixes linear and non-linear carries")
            .help("linearize the function first: that separates them"));
    }
    let caps = cx.linear_captures(op.regions[0]);
    let collected: Vec<_> = (k..op.results.len()).filter(|&i| cx.linear(op.results[i]) && ct[i].is_some()).collect();
    let (joined, stacked): (Vec<_>, Vec<_>) = collected.into_iter().partition(|&i| d.collect[i - k] == Gather::Concat);
    let (mut operands, mut cut, mut types) = (vec![], vec![], vec![]);
    for i in 0..k {
        operands.push(cx.or_zero(ct[i], op.results[i])?);
        types.push(cx.ty(op.operands[i])?);
    }
    for &v in &caps {
        let so_far = cx.take_cotangent(v)?;
        operands.push(cx.or_zero(so_far, v)?);
        types.push(cx.ty(v)?);
    }
    // The cotangent of joined values is walked by an offset, from the end that the first trip here stands at.
    let mut wholes = vec![];
    for &i in &joined {
        let whole = cx.or_zero(ct[i], op.results[i])?;
        let last = cx.b.ty(whole).dims.last().cloned().unwrap_or(Extent::exact(0));
        operands.push(cx.b.dim_value(if d.reverse { Extent::exact(0) } else { last })?);
        types.push(Type::scalar(DType::I64));
        wholes.push(whole);
    }
    for &i in &stacked {
        operands.push(cx.or_zero(ct[i], op.results[i])?);
        cut.push(d.collect[i - k].axis(0));
    }
    let fixed: Vec<_> = (k..op.operands.len()).filter(|&i| !cx.linear(op.operands[i])).collect();
    for &i in &fixed {
        operands.push(cx.val(op.operands[i])?);
        cut.push(d.cut[i - k]);
    }
    let length = cx.extent(&d.length)?;
    let cut_linear: Vec<_> = (k..op.operands.len()).filter(|&i| cx.linear(body.params[i])).collect();
    let mut collect = vec![];
    for &i in &cut_linear {
        collect.push(Gather::Stack(d.cut[i - k]));
        types.push(cx.ty(op.operands[i])?);
    }

    let opened = cx.b.open(&body.label);
    let mut cts: Vec<Option<ValueId>> = vec![None; op.results.len()];
    let mut open = vec![];
    for i in 0..k {
        cts[i] = Some(carry_param(cx, body, op.regions[0], i, &mut open)?);
    }
    let mut sums = vec![];
    for &v in &caps {
        let ty = cx.ty(v)?;
        sums.push(cx.b.param(ty, "sum"));
    }
    let offsets: Vec<_> = joined.iter().map(|_| cx.b.param(Type::scalar(DType::I64), "offset")).collect();
    for &i in &stacked {
        let ty = cx.ty(body.yields[i])?;
        cts[i] = Some(cx.b.param_for(ty, "ct", &src, body.yields[i]));
    }
    for &i in &fixed {
        let p = body.params[i];
        let ty = cx.ty(p)?;
        let q = cx.b.param_like(ty, &src, p);
        cx.bind(p, q);
    }
    settle(cx, body, open, &mut cts)?;
    let mut walked = vec![];
    for ((&i, &whole), &offset) in joined.iter().zip(&wholes).zip(&offsets) {
        let (share, next) = walk(cx, body.yields[i], whole, offset, !d.reverse)?;
        cts[i] = Some(share);
        walked.push(next);
    }
    let (ps, inner) = cx.region_onto(op.regions[0], &cts, &sums)?;
    let mut ys = vec![];
    for i in 0..k {
        ys.push(cx.or_zero(ps[i], body.params[i])?);
    }
    ys.extend(sums.into_iter().zip(inner).map(|(sum, c)| c.unwrap_or(sum)));
    ys.extend(walked);
    for &i in &cut_linear {
        ys.push(cx.or_zero(ps[i], body.params[i])?);
    }
    let region = cx.b.close(opened, ys);
    let carry = k + caps.len() + joined.len();
    let rd = ScanDims { carry, length, cut, collect, reverse: !d.reverse, ..ScanDims::default() };
    let rs = cx.b.scan_typed(&operands, &rd, region, &types)?;
    for (i, &v) in caps.iter().enumerate() {
        cx.accumulate(v, rs[k + i])?;
    }
    let mut stacks = rs[carry..].iter();
    Ok((0..op.operands.len())
        .map(|i| {
            if i < k {
                Some(rs[i])
            } else if cx.linear(body.params[i]) {
                stacks.next().copied()
            } else {
                None
            }
        })
        .collect())
}
/// The parameter for the cotangent of carry `i` as the linear body yields it. Extents that the body binds are the
/// reversed region's own for now: `open` gets (carry, axis, its own, the linear one).
fn carry_param(
    cx: &mut Transposer,
    body: &Region,
    id: RegionId,
    i: usize,
    open: &mut Vec<(usize, usize, ExistId, Extent)>,
) -> Result<ValueId> {
    let src = cx.src.clone();
    let (ty, came) = (src.ty(body.yields[i]).clone(), src.ty(body.params[i]).clone());
    let mut dims = vec![];
    for (axis, (d, e)) in ty.dims.iter().zip(came.dims.iter()).enumerate() {
        // Also where every trip yields the same: what came into the first one may be of another extent.
        if src.bound_within(d, id) || src.bound_within(e, id) {
            let own = cx.b.exist("c", Default::default());
            open.push((i, axis, own, d.clone()));
            dims.push(Extent::exist(own));
        } else {
            dims.push(cx.extent(d)?);
        }
    }
    let name = src.value(body.params[i]).name.replacen("d_", "ct_", 1);
    Ok(cx.b.param_for(ty.with_dims(dims), name, &src, body.params[i]))
}
/// Gives cotangents of carries the extents that the linear body has for them, which are known once what binds these has
/// been copied. An extent that nothing else says is the cotangent's own.
fn settle(
    cx: &mut Transposer,
    body: &Region,
    open: Vec<(usize, usize, ExistId, Extent)>,
    cts: &mut [Option<ValueId>],
) -> Result<()> {
    for (i, axis, own, d) in open {
        let Some(c) = cts[i] else { continue };
        match (cx.known_extent(&d)?, d.as_atom()) {
            (Some(e), _) => cts[i] = Some(cx.b.take_prefix(c, axis, &e)?),
            (None, Some(Atom::Exist(r))) => cx.bind_extent(r, Extent::exist(own)),
            _ => {
                let text =
                    format!("extent {} of carry {i} is known only while the loop runs forward", d.display(&*cx.src));
                return Err(Error::new(Code::E0507, text)
                    .or_span(body.span)
                    .help("state it in the region: `extent(%k, shape[?i]) where …`"));
            }
        }
    }
    Ok(())
}
/// This trip's share of the cotangent `whole` of joined values, and the next offset. The reversed loop walks backwards
/// from the end, or (`back` false) forwards from the start.
fn walk(cx: &mut Transposer, y: ValueId, whole: ValueId, offset: ValueId, back: bool) -> Result<(ValueId, ValueId)> {
    let ty = cx.ty(y)?;
    let last = ty.dims.last().cloned().unwrap_or(Extent::exact(0));
    let n = cx.b.dim_value(last)?;
    let next = if back { cx.b.sub(offset, n)? } else { cx.b.add(offset, n)? };
    let zero = cx.b.zeros(&Type::scalar(DType::I64))?;
    let mut at = vec![zero; ty.rank().saturating_sub(1)];
    at.push(if back { next } else { offset });
    Ok((cx.b.dynamic_slice(whole, &at, ty.dims.to_vec())?, next))
}
