//! Forward derivatives of loops. Inline: carries and tangents run together, nothing is stored. Split: the primal loop
//! stacks its residuals, the linear part is a `scan` over the stacks (of a `while` too, along its trip count).
use super::loops::ScanDims;
use crate::derive::{Body, Linearizer};
use crate::diag::Result;
use crate::extent::Extent;
use crate::func::{Def, Op, OpId, ValueId};
use crate::op::NewOp;
use crate::types::Type;
use crate::{DType, Error};

pub(super) fn lin_scan(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let mut d = ScanDims::of(&cx.src, &op)?;
    d.length = cx.primal_extent(&d.length)?;
    let body = cx.body(op.regions[0])?;
    let args = cx.primals(&op.operands)?;
    if cx.inline() {
        return joint_scan(cx, &op, &d, body, &args);
    }
    // A slice of an operand is that operand when stacked again: only what the body made is yielded.
    let params = cx.p().func().region(body.fwd).params.clone();
    let operand = |v: ValueId| params.iter().position(|&p| p == v).filter(|&i| i >= d.carry);
    let made: Vec<_> = body.kept.iter().map(|k| k.0).filter(|&v| operand(v).is_none()).collect();
    let mut fd = d.clone();
    for &v in &made {
        let rank = cx.p().ty(v).rank();
        fd.stack.push(rank);
    }
    let yields = body.primals.iter().copied().chain(made).collect();
    cx.p().set_yields(body.fwd, yields);
    let ys = cx.p().scan(&args, &fd, body.fwd)?;
    let (ys, stacks) = ys.split_at(op.results.len());
    let mut made = stacks.iter();
    let mut kept = vec![];
    for k in &body.kept {
        kept.push(match operand(k.0) {
            Some(i) => (args[i], d.cut[i - d.carry]),
            None => {
                let s = *made.next().ok_or_else(|| Error::new("E0599", "a stack is missing"))?;
                (s, cx.p().ty(s).rank() - 1)
            }
        });
    }
    lin_loop(cx, &op, body, ys, &kept, &d)
}
pub(super) fn lin_while(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    if cx.inline() {
        return joint_while(cx, &op);
    }
    let cond = cx.copy_region(op.regions[0])?;
    let mut body = cx.body(op.regions[1])?;
    let k = op.operands.len();
    if body.kept.is_empty() && op.results.len() == k {
        // The linear loop needs the trip count: keep something to count by.
        let flag = Type::scalar(DType::Bool);
        let back = cx.p().set_at(body.fwd);
        let one = cx.p().splat(&flag, 1.0)?;
        cx.p().set_at(back);
        let p = cx.t().param_of(body.lin, flag, "trip");
        body.kept.push((one, p));
    }
    let yields = body.primals.iter().copied().chain(body.kept.iter().map(|k| k.0)).collect();
    cx.p().set_yields(body.fwd, yields);
    let args = cx.primals(&op.operands)?;
    let attrs = cx.primal_attrs(&op.attrs)?;
    let ys = cx.p().emit(NewOp::new(op.def, &args).attrs(attrs).regions(vec![cond, body.fwd]))?;
    cx.bind_results(o, &ys);
    let (ys, stacks) = ys.split_at(op.results.len());
    let last = stacks.first().or(ys.get(k)).copied();
    let trips = last.and_then(|v| cx.p().ty(v).dims.last().cloned()).unwrap_or(Extent::exact(0));
    let kept: Vec<_> = stacks.iter().map(|&s| (s, cx.p().ty(s).rank() - 1)).collect();
    let stack = ys[k..].iter().map(|&y| cx.p().ty(y).rank() - 1).collect();
    let d = ScanDims { carry: k, length: trips, cut: vec![], stack, reverse: false };
    lin_loop(cx, &op, body, ys, &kept, &d)
}
/// The linear part of a loop: a scan over the residuals `kept` (value, axis). `d` describes the primal loop.
fn lin_loop(
    cx: &mut Linearizer,
    op: &Op,
    body: Body,
    ys: &[ValueId],
    kept: &[(ValueId, usize)],
    d: &ScanDims,
) -> Result<()> {
    let src = cx.src.clone();
    let region = *op.regions.last().ok_or_else(|| Error::new("E0599", "a loop without a body"))?;
    let (n, k) = (op.results.len(), d.carry);
    let (params, yields) = (&src.region(region).params, &src.region(region).yields);
    let (mut operands, mut cut, mut carries) = (vec![], vec![], 0);
    for (i, (&x, &p)) in op.operands.iter().zip(params).enumerate() {
        if cx.active(p) {
            operands.push(cx.tangent_or_zero(x)?);
            if i < k {
                carries += 1;
            } else {
                cut.push(d.cut[i - k]);
            }
        }
    }
    for (&(s, axis), &(v, _)) in kept.iter().zip(&body.kept) {
        let name = cx.p().name(v);
        if let Def::Result(..) = cx.p().func().value(s).def {
            cx.p().hint(s, &name);
        }
        operands.push(cx.residual(s)?);
        cut.push(axis);
    }
    let mut out = vec![];
    for i in 0..n {
        out.push(if i < k { cx.active(params[i]) } else { body.tangents[i].is_some() });
    }
    let dys = yield_tangents(cx, &body, yields, &out)?;
    cx.t().set_yields(body.lin, dys);
    let stack = (k..n).filter(|&i| out[i]).map(|i| d.stack[i - k]).collect();
    let length = cx.lin_extent(&d.length)?;
    let ld = ScanDims { carry: carries, length, cut, stack, reverse: d.reverse };
    let ds = if out.contains(&true) { cx.t().scan(&operands, &ld, body.lin)? } else { vec![] };
    let mut ds = ds.into_iter();
    for i in 0..n {
        let t = if out[i] { ds.next() } else { None };
        cx.set(op.results[i], ys[i], t);
    }
    Ok(())
}
/// What the linear (or joint) body yields as tangents, zeros where symbolic.
fn yield_tangents(cx: &mut Linearizer, body: &Body, yields: &[ValueId], out: &[bool]) -> Result<Vec<ValueId>> {
    let back = cx.t().set_at(body.lin);
    let mut dys = vec![];
    for (i, &o) in out.iter().enumerate() {
        if o {
            dys.push(match body.tangents[i] {
                Some(t) => t,
                None => cx.zero_tangent(yields[i])?,
            });
        }
    }
    cx.t().set_at(back);
    Ok(dys)
}
fn joint_scan(cx: &mut Linearizer, op: &Op, d: &ScanDims, body: Body, args: &[ValueId]) -> Result<()> {
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
    cx.p().set_params(body.fwd, order);
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
    cx.p().set_yields(body.fwd, yields);
    let mut stack = d.stack.clone();
    stack.extend((k..n).filter(|&i| out[i]).map(|i| d.stack[i - k]));
    let jd = ScanDims { carry: k + ncarry, cut, stack, ..d.clone() };
    let operands = [&args[..k], &dcarry, &args[k..], &dxs].concat();
    let rs = cx.p().scan(&operands, &jd, body.fwd)?;
    set_joint(cx, op, &rs, k, ncarry, &out);
    Ok(())
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
fn joint_while(cx: &mut Linearizer, op: &Op) -> Result<()> {
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
            let ty = cx.p().ty(t);
            let name = format!("d_{}", src.value(region.params[i]).name);
            cx.p().param_of(cond, ty, &name);
            operands.push(t);
        }
    }
    let ncarry = operands.len() - k;
    let body = cx.body(op.regions[1])?;
    let out: Vec<bool> = (0..n).map(|i| if i < k { on[i] } else { body.tangents[i].is_some() }).collect();
    let dys = yield_tangents(cx, &body, &region.yields, &out)?;
    let yields = [&body.primals[..k], &dys[..ncarry], &body.primals[k..], &dys[ncarry..]].concat();
    cx.p().set_yields(body.fwd, yields);
    let attrs = cx.primal_attrs(&op.attrs)?;
    let rs = cx.p().emit(NewOp::new(op.def, &operands).attrs(attrs).regions(vec![cond, body.fwd]))?;
    let ys: Vec<_> = rs[..k].iter().chain(&rs[k + ncarry..ncarry + n]).copied().collect();
    for (&old, &new) in op.results.iter().zip(&ys) {
        cx.bind_value(old, new);
    }
    set_joint(cx, op, &rs, k, ncarry, &out);
    Ok(())
}
