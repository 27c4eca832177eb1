//! `cond`.
use super::port;
use crate::DType;
use crate::derive::{Body, Linearizer, Transposer};
use crate::diag::{Error, Part, Result};
use crate::extent::{CmpOp, Constraint, Extent, Truth};
use crate::func::{Func, OpId, RegionId, ValueId};
use crate::infer::InferCx;
use crate::op::*;
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;

/// `cond`.
pub static COND: OpDef = OpDef {
    name: "cond",
    doc: "Runs `then` where the predicate is true, else `else`: `cond(%p, %x, …) { then(%a: T) {…} else(%a: T) {…} }`. \
          Both regions take the operands behind the predicate (or capture outer values) and yield the results.",
    operands: &["p", "x…"],
    regions: &["then", "else"],
    infer: infer_cond,
    batch: Batch::Rule(super::batch::cond),
    linearize: Linearize::Rule(lin_cond),
    transpose: Transpose::Rule(tr_cond),
    ports: Some(Ports { of: ports, keep: |_, _, _, _| {}, needs: |_, _| vec![] }),
    sample,
    ..OpDef::BASE
};

fn ports(f: &Func, o: OpId) -> Vec<Port> {
    let op = f.op(o);
    let mut ps = vec![port(PortKind::Control, Some(0), &[], &[], None)];
    ps.extend((1..op.operands.len()).map(|i| port(PortKind::In, Some(i), &[(0, i - 1), (1, i - 1)], &[], None)));
    ps.extend((0..op.results.len()).map(|i| port(PortKind::Out, None, &[], &[(0, i), (1, i)], Some(i))));
    ps
}
fn infer_cond(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_scalar(0, |d| d == DType::Bool, "a bool[] predicate")?;
    let args: Vec<Type> = cx.types().split_off(1);
    for r in 0..2 {
        super::loops::check_params(cx, r, &args)?;
    }
    let (a, b) = (cx.region_yields(0), cx.region_yields(1));
    if a.len() != b.len() {
        return Err(
            Error::new("E0215", format!("`then` yields {} values, `else` {}", a.len(), b.len())).at(Part::Region(1))
        );
    }
    let (mut out, mut open) = (vec![], vec![]);
    for (i, (x, y)) in a.iter().zip(&b).enumerate() {
        out.push(join(cx, i, x, y, &mut open)?);
    }
    Ok(out)
}
/// The type of result `i`, which `then` yields as `x` and `else` as `y`. Where their extents certainly differ, or one is
/// bound in a branch, or the written type binds a new one, the result binds an existential that stands for either, at most
/// the greater: the same for each pair of extents (`open`), or the one that is written.
fn join(cx: &mut InferCx, i: usize, x: &Type, y: &Type, open: &mut Vec<(Extent, Extent, Extent)>) -> Result<Type> {
    let what = format!("what the branches yield as result {i}");
    if x.dtype != y.dtype || x.rank() != y.rank() {
        cx.agree(x, y, Part::Region(1), &what)?;
    }
    let mut dims = vec![];
    for (k, (p, q)) in x.dims.iter().zip(y.dims.iter()).enumerate() {
        let asked = cx.named(i, k);
        let differ = p.mentions_existential() || q.mentions_existential() || cx.proves(p, CmpOp::Eq, q) == Truth::No;
        // What is written may be known by another name: a claim then.
        let known = p == q && !cx.func().bound_within(p, cx.region_id(0)) && !renamed(cx, i, k, p);
        if !asked && (known || p != q && !differ) {
            cx.equal(p, q, Part::Region(1), || format!("{what}, axis {k}"))?;
            dims.push(p.clone());
            continue;
        }
        if let Some(o) = open.iter().find(|o| o.0 == *p && o.1 == *q) {
            dims.push(o.2.clone());
            continue;
        }
        let c = match cx.claimed(i, k) {
            Some(e) => {
                cx.claim(i, k, &e);
                e
            }
            None => {
                let c = Extent::exist(cx.fresh_exist("c"));
                let inner = [(p, 0), (q, 1)].iter().any(|&(e, r)| cx.func().bound_within(e, cx.region_id(r)));
                if !inner {
                    cx.add_where(Constraint { lhs: c.clone(), op: CmpOp::Le, rhs: Extent::max(p, q)? });
                }
                c
            }
        };
        open.push((p.clone(), q.clone(), c.clone()));
        dims.push(c);
    }
    Ok(x.with_dims(dims))
}

/// Is something else written for the extent `e` of result `i` along `axis`, which is not certainly `e` or certainly not?
pub(super) fn renamed(cx: &InferCx, i: usize, axis: usize, e: &Extent) -> bool {
    cx.claimed(i, axis).is_some_and(|w| w != *e && cx.proves(&w, CmpOp::Eq, e) == Truth::Unknown)
}

fn lin_cond(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let (src, op) = (cx.src.clone(), cx.op(o));
    let bodies = [cx.body(op.regions[0])?, cx.body(op.regions[1])?];
    let n = op.results.len();
    let dy: Vec<bool> = (0..n).map(|i| bodies.iter().any(|b| b.tangents[i].is_some())).collect();
    let args = cx.primals(&op.operands)?;
    let mut dx = vec![];
    for (&x, &p) in op.operands[1..].iter().zip(&src.region(op.regions[0]).params) {
        if cx.active(p) {
            dx.push(cx.tangent_or_zero(x)?);
        }
    }
    if cx.inline() {
        for (b, &r) in bodies.iter().zip(&op.regions) {
            let dys = branch_tangents(cx, b, &src.region(r).yields, &dy)?;
            let ys = [b.primals.clone(), dys].concat();
            cx.p().set_yields(b.fwd, ys);
        }
        let args2: Vec<_> = args[1..].iter().copied().chain(dx).collect();
        let mut types = op.results.iter().map(|&v| cx.primal_type(v)).collect::<Result<Vec<_>>>()?;
        types.extend((0..n).filter(|&i| dy[i]).map(|i| types[i].clone()).collect::<Vec<_>>());
        let ys = cx.p().cond_typed(args[0], &args2, bodies[0].fwd, bodies[1].fwd, &types)?;
        cx.bind_results(o, &ys[..n]);
        let mut ds = ys[n..].iter();
        for i in 0..n {
            let d = if dy[i] { ds.next().copied() } else { None };
            cx.set(op.results[i], ys[i], d);
        }
        return Ok(());
    }
    let names = share_residuals(cx, &bodies, &op.regions, &dy)?;
    let types = op.results.iter().map(|&v| cx.primal_type(v)).collect::<Result<Vec<_>>>()?;
    let ys = cx.p().cond_typed(args[0], &args[1..], bodies[0].fwd, bodies[1].fwd, &types)?;
    cx.bind_results(o, &ys[..n]);
    for (&r, name) in ys[n..].iter().zip(names) {
        cx.p().rename(r, name);
        dx.push(cx.residual(r)?);
    }
    let p = cx.residual(args[0])?;
    let mut types = vec![];
    for i in (0..n).filter(|&i| dy[i]) {
        types.push(cx.tangent_type(op.results[i])?);
    }
    let dys =
        if dy.contains(&true) { cx.t().cond_typed(p, &dx, bodies[0].lin, bodies[1].lin, &types)? } else { vec![] };
    let mut dys = dys.into_iter();
    for i in 0..n {
        let d = if dy[i] { dys.next() } else { None };
        cx.set(op.results[i], ys[i], d);
    }
    Ok(())
}
/// What a branch yields as tangents: zeros where only the other branch has one.
fn branch_tangents(cx: &mut Linearizer, b: &Body, yields: &[ValueId], dy: &[bool]) -> Result<Vec<ValueId>> {
    let back = cx.t().set_at(b.lin);
    let mut out = vec![];
    for (i, &y) in yields.iter().enumerate() {
        if dy[i] {
            out.push(match b.tangents[i] {
                Some(t) => t,
                None => cx.zero_tangent(y)?,
            });
        }
    }
    cx.t().set_at(back);
    Ok(out)
}
/// Both branches yield one list of residual slots; residuals of equal type share a slot, the rest of a branch's slots
/// are zeros. Returns the slots' names.
fn share_residuals(
    cx: &mut Linearizer,
    bodies: &[Body; 2],
    regions: &[RegionId],
    dy: &[bool],
) -> Result<Vec<std::sync::Arc<str>>> {
    // A slot: its residual (index into `kept`) in either branch.
    let mut slots: Vec<[Option<usize>; 2]> = vec![];
    let types = bodies.each_ref().map(|b| b.kept.iter().map(|k| cx.p().ty(k.value)).collect::<Vec<_>>());
    for i in 0..bodies[0].kept.len() {
        slots.push([Some(i), None]);
    }
    for j in 0..bodies[1].kept.len() {
        let free = slots.iter_mut().find(|s| s[1].is_none() && s[0].is_some_and(|i| types[0][i] == types[1][j]));
        match free {
            Some(s) => s[1] = Some(j),
            None => slots.push([None, Some(j)]),
        }
    }
    let mut names = vec![];
    for (k, body) in bodies.iter().enumerate() {
        let (mut ys, kept_params): (Vec<_>, Vec<_>) =
            (body.primals.clone(), body.kept.iter().map(|x| x.param).collect());
        let all = cx.t().func().region(body.lin).params.clone();
        let mut ps: Vec<_> = all.into_iter().filter(|p| !kept_params.contains(p)).collect();
        let (fback, lback) = (cx.p().set_at(body.fwd), cx.t().set_at(body.lin));
        for s in &slots {
            match s[k] {
                Some(i) => {
                    ys.push(body.kept[i].value);
                    ps.push(body.kept[i].param);
                }
                None => {
                    let other = 1 - k;
                    let ty = s[other].map(|i| types[other][i].clone()).unwrap_or(Type::scalar(DType::Bool));
                    ys.push(cx.p().zeros(&ty)?);
                    let ty = cx.lin_type(&ty)?;
                    ps.push(cx.t().param(ty, "unused"));
                }
            }
            if k == 0 {
                let v = s[0].map(|i| bodies[0].kept[i].value).or(s[1].map(|j| bodies[1].kept[j].value));
                names.push(v.map_or_else(Default::default, |v| cx.p().name(v)));
            }
        }
        cx.p().set_at(fback);
        cx.t().set_at(lback);
        cx.t().set_params(body.lin, ps);
        cx.p().set_yields(body.fwd, ys);
        let yields = cx.src.region(regions[k]).yields.clone();
        let dys = branch_tangents(cx, body, &yields, dy)?;
        cx.t().set_yields(body.lin, dys);
    }
    Ok(names)
}
/// Captures cotangents from outside; yields cotangents of operands and of the union of both branches' captures.
fn tr_cond(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let (src, op) = (cx.src.clone(), cx.op(o));
    let caps = [0, 1].map(|k| cx.linear_captures(op.regions[k]));
    let mut all = caps[0].clone();
    all.extend(caps[1].iter().filter(|v| !caps[0].contains(v)));
    let mut regions: Vec<RegionId> = vec![];
    for k in 0..2 {
        let r = src.region(op.regions[k]);
        let opened = cx.b.open(&r.label);
        for (&p, &x) in r.params.iter().zip(&op.operands[1..]) {
            if !cx.linear(p) {
                let v = cx.val(x)?;
                cx.bind(p, v);
            }
        }
        // Here a result is as long as this branch says.
        let mut cts = ct.to_vec();
        for (c, &y) in cts.iter_mut().zip(&r.yields) {
            let dims = src.ty(y).dims.clone();
            for (axis, d) in dims.iter().enumerate() {
                if let Some(v) = *c
                    && cx.linear(y)
                {
                    let e = cx.extent(d)?;
                    *c = Some(cx.b.take_prefix(v, axis, &e)?);
                }
            }
        }
        let (ps, inner) = cx.region(op.regions[k], &cts)?;
        let mut ys = vec![];
        for (&p, c) in r.params.iter().zip(ps) {
            if cx.linear(p) {
                ys.push(cx.or_zero(c, p)?);
            }
        }
        for &v in &all {
            let c = caps[k].iter().position(|&u| u == v).and_then(|i| inner[i]);
            ys.push(cx.or_zero(c, v)?);
        }
        regions.push(cx.b.close(opened, ys));
    }
    let p = cx.val(op.operands[0])?;
    let mut rs = cx.b.cond(p, &[], regions[0], regions[1])?.into_iter();
    let mut out = vec![None];
    for &p in &src.region(op.regions[0]).params {
        out.push(if cx.linear(p) { rs.next() } else { None });
    }
    for (v, r) in all.into_iter().zip(rs) {
        cx.accumulate(v, r)?;
    }
    Ok(out)
}
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let ty = cx.ty(&[2]);
    let flag = Type::scalar(DType::Bool);
    let def = cx.def;
    Ok(vec![cx.program(&[(flag, Domain::Any), (ty.clone(), Domain::Any), (ty.clone(), Domain::Any)], |b, x| {
        let then = b.region("then", &[(ty.clone(), "a")], |b, a| Ok(vec![b.mul(a[0], x[2])?]))?;
        let other = b.region("else", &[(ty.clone(), "a")], |b, a| {
            let s = b.sin(a[0])?;
            Ok(vec![b.mul(s, s)?])
        })?;
        b.emit(NewOp::new(def, &[x[0], x[1]]).regions(vec![then, other]))
    })?])
}
