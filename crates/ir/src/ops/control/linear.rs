//! Forward derivatives of loops. Inline: carries and tangents run together, nothing is stored. Split: the primal loop
//! stacks its residuals, the linear part is a `scan` over the stacks (of a `while` too, along its trip count).
use super::loops::{Gather, ScanDims, set_collect, while_gathers};
use super::spaced::{self, Checkpoint};
use crate::code::Code;
use crate::derive::{Body, Keep, Kept, Linearizer};
use crate::diag::Result;
use crate::extent::Extent;
use crate::func::{Def, Op, OpId, ValueId};
use crate::op::NewOp;
use crate::types::Type;
use crate::{DType, Error};

pub(super) fn lin_scan(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let mut d = ScanDims::of(&cx.src, &op)?;
    if !cx.inline() && d.checkpoint != Checkpoint::None {
        return spaced::linearize(cx, o, d.checkpoint);
    }
    d.length = cx.primal_extent(&d.length)?;
    let body = cx.loop_body(op.regions[0])?;
    let args = cx.primals(&op.operands)?;
    if cx.inline() {
        return joint_scan(cx, o, &op, &d, body, &args);
    }
    // A slice of an operand is that operand when stacked again: only what the body made is yielded.
    let params = cx.p().func().region(body.fwd).params.clone();
    let operand = |k: &Kept| params.iter().position(|&p| p == k.value).filter(|&i| i >= d.carry && k.how == Keep::Each);
    let made = once(body.kept.iter().filter(|k| operand(k).is_none()));
    let mut fd = d.clone();
    fd.collect.extend(gathers(cx, &made));
    let yields = body.primals.iter().copied().chain(made.iter().map(|k| k.value)).collect();
    cx.p().put_yields(body.fwd, yields);
    let types = result_types(cx, &op)?;
    let ys = cx.p().scan_typed(&args, &fd, body.fwd, &types)?;
    cx.bind_results(o, &ys);
    let (ys, stacks) = ys.split_at(op.results.len());
    let mut kept = vec![];
    for k in &body.kept {
        kept.push(match operand(k) {
            Some(i) => (args[i], d.cut[i - d.carry]),
            None => stack_of(cx, k, &made, stacks)?,
        });
    }
    lin_loop(cx, &op, body, ys, &kept, &d)
}
pub(super) fn lin_while(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    if cx.inline() {
        return joint_while(cx, o, &op);
    }
    let how = Checkpoint::read(&op.attrs)?;
    if how != Checkpoint::None {
        return spaced::linearize(cx, o, how);
    }
    let cond = cx.copy_region(op.regions[0])?;
    let mut body = cx.loop_body(op.regions[1])?;
    let k = op.operands.len();
    let mut collect = while_gathers(&cx.src, &op)?;
    let counts = |g: &[Gather]| g.iter().any(|g| *g != Gather::Concat);
    if !counts(&collect) && !counts(&gathers(cx, &body.kept)) {
        // The linear loop needs the trip count: keep something to count by.
        let flag = Type::scalar(DType::Bool);
        let back = cx.p().go_to(body.fwd);
        let one = cx.p().splat(&flag, 1.0)?;
        cx.p().go_to(back);
        let p = cx.t().param_to(body.lin, flag, "trip");
        body.kept.push(Kept { value: one, param: p, how: Keep::Each });
    }
    let made = once(body.kept.iter());
    let yields = body.primals.iter().copied().chain(made.iter().map(|k| k.value)).collect();
    cx.p().put_yields(body.fwd, yields);
    let args = cx.primals(&op.operands)?;
    let mut attrs = cx.primal_attrs(&op.attrs)?;
    let own = collect.clone();
    collect.extend(gathers(cx, &made));
    set_collect(&mut attrs, &collect);
    let types = result_types(cx, &op)?;
    let new = NewOp::new(op.def, &args).attrs(attrs).regions(vec![cond, body.fwd]);
    let ys = cx.p().emit_typed(new, k + collect.len(), &types)?;
    cx.bind_results(o, &ys);
    let stack = collect.iter().position(|g| *g != Gather::Concat).map(|j| ys[k + j]);
    let trips = stack.and_then(|v| cx.p().ty(v).dims.last().cloned()).unwrap_or(Extent::exact(0));
    let (ys, stacks) = ys.split_at(op.results.len());
    let kept = body.kept.iter().map(|k| stack_of(cx, k, &made, stacks)).collect::<Result<Vec<_>>>()?;
    let d = ScanDims { length: trips, carry: k, collect: own, ..ScanDims::default() };
    lin_loop(cx, &op, body, ys, &kept, &d)
}
/// Kept values, each once: how it is read does not change how it is stored.
fn once<'a>(kept: impl Iterator<Item = &'a Kept>) -> Vec<Kept> {
    let mut out: Vec<Kept> = vec![];
    for k in kept {
        if !out.iter().any(|o| o.value == k.value) {
            out.push(*k);
        }
    }
    out
}
/// Where a forward loop that yields `made` has collected kept value `k`: value and axis.
fn stack_of(cx: &mut Linearizer, k: &Kept, made: &[Kept], stacks: &[ValueId]) -> Result<(ValueId, usize)> {
    let at = made.iter().position(|m| m.value == k.value).and_then(|i| stacks.get(i).copied());
    let s = at.ok_or_else(|| Error::bug(Code::E0599, "a stack is missing"))?;
    Ok((s, cx.p().ty(s).rank() - 1))
}
/// How kept values leave a forward loop.
fn gathers(cx: &mut Linearizer, kept: &[Kept]) -> Vec<Gather> {
    let how = |k: &Kept| match k.how {
        Keep::Joined(_) => Gather::Concat,
        _ => Gather::Stack(cx.p().ty(k.value).rank()),
    };
    kept.iter().map(how).collect()
}
/// Types of the primal results of `op`: what it binds is bound anew, what its types claim is claimed again.
fn result_types(cx: &mut Linearizer, op: &Op) -> Result<Vec<Type>> {
    op.results.iter().map(|&v| cx.primal_type(v)).collect()
}
/// The linear part of a loop: a scan over the residuals `kept` (value, axis). `d` describes the primal loop.
fn lin_loop(
    cx: &mut Linearizer,
    op: &Op,
    mut body: Body,
    ys: &[ValueId],
    kept: &[(ValueId, usize)],
    d: &ScanDims,
) -> Result<()> {
    let src = cx.src.clone();
    let region = *op.regions.last().ok_or_else(|| Error::bug(Code::E0599, "a loop without a body"))?;
    let (n, k) = (op.results.len(), d.carry);
    let (params, yields) = (&src.region(region).params, &src.region(region).yields);
    let (mut operands, mut cut, mut carries) = (vec![], vec![], 0);
    let still = still(cx, op, &mut body, params, k)?;
    for (i, (&x, &p)) in op.operands.iter().zip(params).enumerate() {
        if cx.active(p) && !still.get(i).is_some_and(|s| *s) {
            operands.push(cx.tangent_or_zero(x)?);
            if i < k {
                carries += 1;
            } else {
                cut.push(d.cut[i - k]);
            }
        }
    }
    for (&(s, axis), &kept) in kept.iter().zip(&body.kept) {
        let name = cx.p().name(kept.value);
        if let Def::Result(..) = cx.p().func().value(s).def {
            cx.p().hint(s, name);
        }
        let r = cx.residual(s)?;
        match kept.how {
            Keep::Each => operands.push(r),
            Keep::Starts => operands.push(cx.t().sum_before(r)?),
            Keep::Joined(cutter) => {
                cx.t().replace_param(body.lin, kept.param, cutter, r)?;
                continue;
            }
        }
        cut.push(axis);
    }
    let mut out = vec![];
    for i in 0..n {
        out.push(if i < k { cx.active(params[i]) && !still[i] } else { body.tangents[i].is_some() });
    }
    let dys = yield_tangents(cx, &body, yields, &out)?;
    cx.t().put_yields(body.lin, dys);
    let collect = (k..n).filter(|&i| out[i]).map(|i| d.collect[i - k]).collect();
    let length = cx.lin_extent(&d.length)?;
    let ld = ScanDims { carry: carries, length, cut, collect, reverse: d.reverse, ..ScanDims::default() };
    let mut types = vec![];
    for (&v, _) in op.results.iter().zip(&out).filter(|x| *x.1) {
        types.push(cx.tangent_type(v)?);
    }
    let ds = if out.contains(&true) { cx.t().scan_typed(&operands, &ld, body.lin, &types)? } else { vec![] };
    let mut ds = ds.into_iter();
    for i in 0..n {
        let t = if out[i] { ds.next() } else { None };
        cx.set(op.results[i], ys[i], t);
    }
    Ok(())
}
/// Which carries have a tangent that is 0 from the start to the end, though one might have arrived: what a callee or a rule gives
/// has none. They are none of the linear loop, whose body reads 0 in their place.
fn still(cx: &mut Linearizer, op: &Op, body: &mut Body, params: &[ValueId], k: usize) -> Result<Vec<bool>> {
    let mut still: Vec<bool> = (0..k).map(|i| cx.active(params[i]) && cx.tangent(op.operands[i]).is_none()).collect();
    // A carry that is handed on is still where the other is.
    loop {
        let moves = |i: usize, still: &[bool]| {
            let from = |t: ValueId| (0..k).any(|j| still[j] && cx.tangent(params[j]) == Some(t));
            still[i] && body.tangents[i].is_some_and(|t| !from(t))
        };
        match (0..k).find(|&i| moves(i, &still)) {
            Some(i) => still[i] = false,
            None => break,
        }
    }
    for i in (0..k).filter(|&i| still[i]).collect::<Vec<_>>() {
        let Some(p) = cx.tangent(params[i]) else { continue };
        let zero = cx.zero_tangent(op.operands[i])?;
        if cx.t().ty(zero) == cx.t().ty(p) {
            cx.t().fix_param(body.lin, p, zero);
            // What the body gives of it, to be collected or as another carry, has no tangent either.
            body.tangents.iter_mut().filter(|t| **t == Some(p)).for_each(|t| *t = None);
        } else {
            // Its extents are other ones in the loop: it is carried.
            still[i] = false;
        }
    }
    Ok(still)
}
/// What the linear (or joint) body yields as tangents, zeros where symbolic.
fn yield_tangents(cx: &mut Linearizer, body: &Body, yields: &[ValueId], out: &[bool]) -> Result<Vec<ValueId>> {
    let back = cx.t().go_to(body.lin);
    let mut dys = vec![];
    for (i, &o) in out.iter().enumerate() {
        if o {
            dys.push(match body.tangents[i] {
                Some(t) => t,
                None => cx.zero_tangent(yields[i])?,
            });
        }
    }
    cx.t().go_to(back);
    Ok(dys)
}
fn joint_scan(cx: &mut Linearizer, o: OpId, op: &Op, d: &ScanDims, body: Body, args: &[ValueId]) -> Result<()> {
    let src = cx.src.clone();
    let region = src.region(op.regions[0]);
    let (n, k) = (op.results.len(), d.carry);
    let on: Vec<bool> = region.params.iter().map(|&p| cx.active(p)).collect();
    // The body's parameters are primals, then tangents of the active ones; the scan wants carries first.
    let ps = cx.p().func().region(body.fwd).params.clone();
    let (prim, tan) = ps.split_at(region.params.len());
    let mut tan = tan.iter();
    let tan: Vec<_> = on.iter().map(|&a| if a { tan.next().copied() } else { None }).collect();
    let order = [
        &prim[..k],
        &tan[..k].iter().flatten().copied().collect::<Vec<_>>(),
        &prim[k..],
        &tan[k..].iter().flatten().copied().collect::<Vec<_>>(),
    ]
    .concat();
    cx.p().put_params(body.fwd, order);
    let (mut dcarry, mut dxs, mut cut) = (vec![], vec![], d.cut.clone());
    for (i, &x) in op.operands.iter().enumerate() {
        if on[i] {
            let t = cx.tangent_or_zero(x)?;
            if i < k {
                dcarry.push(t);
            } else {
                dxs.push(t);
                cut.push(d.cut[i - k]);
            }
        }
    }
    let out: Vec<bool> = (0..n).map(|i| if i < k { on[i] } else { body.tangents[i].is_some() }).collect();
    let dys = yield_tangents(cx, &body, &region.yields, &out)?;
    let ncarry = dcarry.len();
    let yields = [&body.primals[..k], &dys[..ncarry], &body.primals[k..], &dys[ncarry..]].concat();
    cx.p().put_yields(body.fwd, yields);
    let mut collect = d.collect.clone();
    collect.extend((k..n).filter(|&i| out[i]).map(|i| d.collect[i - k]));
    let jd = ScanDims { carry: k + ncarry, cut, collect, ..d.clone() };
    let operands = [&args[..k], &dcarry, &args[k..], &dxs].concat();
    let types = joint_types(cx, op, k, &out)?;
    let rs = cx.p().scan_typed(&operands, &jd, body.fwd, &types)?;
    cx.bind_results(o, &primal_results(&rs, k, ncarry, n));
    set_joint(cx, op, &rs, k, ncarry, &out);
    Ok(())
}
/// Types of the results of a joint loop: carries, their tangents, collected values, their tangents.
fn joint_types(cx: &mut Linearizer, op: &Op, k: usize, out: &[bool]) -> Result<Vec<Type>> {
    let all = result_types(cx, op)?;
    let on = |i: &usize| out[*i];
    let order = (0..k).chain((0..k).filter(on)).chain(k..all.len()).chain((k..all.len()).filter(on));
    Ok(order.map(|i| all[i].clone()).collect())
}
/// The primal ones among the results of a joint loop, in the op's order.
fn primal_results(rs: &[ValueId], k: usize, ncarry: usize, n: usize) -> Vec<ValueId> {
    rs[..k].iter().chain(&rs[k + ncarry..ncarry + n]).copied().collect()
}
/// Results of a joint loop: carries, their tangents, collected values, their tangents.
fn set_joint(cx: &mut Linearizer, op: &Op, rs: &[ValueId], k: usize, ncarry: usize, out: &[bool]) {
    let n = op.results.len();
    let mut dc = rs[k..k + ncarry].iter();
    let mut dy = rs[ncarry + n..].iter();
    for i in 0..n {
        let y = if i < k { rs[i] } else { rs[i + ncarry] };
        let d = match (out[i], i < k) {
            (false, _) => None,
            (true, true) => dc.next().copied(),
            (true, false) => dy.next().copied(),
        };
        cx.set(op.results[i], y, d);
    }
}
fn joint_while(cx: &mut Linearizer, o: OpId, op: &Op) -> Result<()> {
    let src = cx.src.clone();
    let (k, n) = (op.operands.len(), op.results.len());
    let region = src.region(op.regions[1]);
    let on: Vec<bool> = region.params.iter().map(|&p| cx.active(p)).collect();
    let cond = cx.copy_region(op.regions[0])?;
    let args = cx.primals(&op.operands)?;
    let mut operands = args.clone();
    for (i, &x) in op.operands.iter().enumerate() {
        if on[i] {
            let t = cx.tangent_or_zero(x)?;
            let primal = cx.p().func().region(cond).params[i];
            let ty = cx.p().ty(primal);
            let name = format!("d_{}", src.value(region.params[i]).name);
            cx.p().param_to(cond, ty, &name);
            operands.push(t);
        }
    }
    let ncarry = operands.len() - k;
    let body = cx.loop_body(op.regions[1])?;
    let out: Vec<bool> = (0..n).map(|i| if i < k { on[i] } else { body.tangents[i].is_some() }).collect();
    let dys = yield_tangents(cx, &body, &region.yields, &out)?;
    let yields = [&body.primals[..k], &dys[..ncarry], &body.primals[k..], &dys[ncarry..]].concat();
    cx.p().put_yields(body.fwd, yields);
    let mut attrs = cx.primal_attrs(&op.attrs)?;
    let mut collect = while_gathers(&src, op)?;
    let own = collect.clone();
    collect.extend((k..n).filter(|&i| out[i]).map(|i| own[i - k]));
    set_collect(&mut attrs, &collect);
    let types = joint_types(cx, op, k, &out)?;
    let new = NewOp::new(op.def, &operands).attrs(attrs).regions(vec![cond, body.fwd]);
    let rs = cx.p().emit_typed(new, types.len(), &types)?;
    cx.bind_results(o, &primal_results(&rs, k, ncarry, n));
    set_joint(cx, op, &rs, k, ncarry, &out);
    Ok(())
}
