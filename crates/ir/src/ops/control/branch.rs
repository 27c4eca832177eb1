//! `cond` and `switch`: one of several regions runs.
use super::port;
use crate::DType;
use crate::code::Code;
use crate::derive::{Body, Linearizer, Transposer};
use crate::diag::{Error, Part, Result};
use crate::extent::{CmpOp, Constraint, Extent, Truth};
use crate::func::{Func, OpId, RegionId, ValueId};
use crate::infer::InferCx;
use crate::op::*;
use crate::sample::{Domain, Sample, SampleCx};
use crate::tensor::Tensor;
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
    control: Control {
        ports: Some(Ports { of: ports, keep: |_, _, _, _| {}, needs: |_, _| vec![] }),
        taken: Some(|flag, _| flag.item::<bool>().map(|p| usize::from(!p))),
        ..Control::NONE
    },
    sample: sample_cond,
    ..OpDef::BASE
};
/// `switch`.
pub static SWITCH: OpDef = OpDef {
    name: "switch",
    doc: "Runs one of several regions, by an index: `switch(%i, %x, …) { case0(%a: T) {…} case1(%a: T) {…} … }`. The index \
          is an `i32[]` or an `i64[]`; one that no region has, negative or too great, takes the last region. All regions \
          take the operands behind the index (or capture outer values) and yield the results.",
    operands: &["i", "x…"],
    regions: &["case…"],
    infer: infer_switch,
    control: Control { taken: Some(chosen), ..COND.control },
    sample: sample_switch,
    ..COND
};

/// The region of that index, or the last.
fn chosen(index: &Tensor, regions: usize) -> Option<usize> {
    let i = index.item::<i64>().or_else(|| index.item::<i32>().map(i64::from))?;
    Some(nth(i, regions))
}
/// The region that index `i` of a `switch` takes.
pub fn nth(i: i64, regions: usize) -> usize {
    usize::try_from(i).unwrap_or(usize::MAX).min(regions.saturating_sub(1))
}

fn ports(f: &Func, o: OpId) -> Vec<Port> {
    let op = f.op(o);
    let all = |i: usize| (0..op.regions.len()).map(|r| (r, i)).collect::<Vec<_>>();
    let mut ps = vec![port(PortKind::Control, Some(0), &[], &[], None)];
    ps.extend((1..op.operands.len()).map(|i| port(PortKind::In, Some(i), &all(i - 1), &[], None)));
    ps.extend((0..op.results.len()).map(|i| port(PortKind::Out, None, &[], &all(i), Some(i))));
    ps
}
fn infer_cond(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_scalar(0, |d| d == DType::Bool, "a bool[] predicate")?;
    infer(cx)
}
fn infer_switch(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_scalar(0, |d| matches!(d, DType::I32 | DType::I64), "an i32[] or i64[] index")?;
    infer(cx)
}
fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    let args: Vec<Type> = cx.types().split_off(1);
    let regions = cx.region_count();
    for r in 0..regions {
        super::loops::check_params(cx, r, &args)?;
    }
    let yields: Vec<Vec<Type>> = (0..regions).map(|r| cx.region_yields(r)).collect();
    let count = yields.first().map_or(0, Vec::len);
    if let Some(r) = yields.iter().position(|y| y.len() != count) {
        let label = |r: usize| cx.region(r).label.clone();
        let text = format!("`{}` yields {count} values, `{}` {}", label(0), label(r), yields[r].len());
        return Err(Error::new(Code::E0215, text).at(Part::Region(r)));
    }
    let (mut out, mut open) = (vec![], vec![]);
    for i in 0..count {
        let all: Vec<&Type> = yields.iter().map(|y| &y[i]).collect();
        out.push(join(cx, i, &all, &mut open)?);
    }
    Ok(out)
}
/// The type of result `i`, which the regions yield as `all`, one each. Where extents certainly differ, or one is bound in a
/// region, or the written type binds a new one, the result binds an existential that stands for any, at most the greatest:
/// the same for the same extents (`open`), or the one that is written.
fn join(cx: &mut InferCx, i: usize, all: &[&Type], open: &mut Vec<(Vec<Extent>, Extent)>) -> Result<Type> {
    let what = format!("what the branches yield as result {i}");
    let [x, others @ ..] = all else { return Ok(Type::scalar(DType::Bool)) };
    for (r, y) in (1..).zip(others) {
        if x.dtype != y.dtype || x.rank() != y.rank() {
            cx.agree(x, y, Part::Region(r), &what)?;
        }
    }
    let mut dims = vec![];
    for (k, p) in x.dims.iter().enumerate() {
        let extents: Vec<Extent> = all.iter().map(|t| t.dims[k].clone()).collect();
        let same = extents.iter().all(|q| q == p);
        let asked = cx.named(i, k);
        let differ = extents.iter().any(Extent::mentions_existential)
            || extents.iter().any(|q| q != p && cx.proves(p, CmpOp::Eq, q) == Truth::No);
        // What is written may be known by another name: a claim then.
        let known = same && !cx.func().bound_within(p, cx.region_id(0)) && !renamed(cx, i, k, p);
        if !asked && (known || !same && !differ) {
            match cx.claimed(i, k).filter(|_| !same) {
                // What each branch yields is the written extent by what is known at its end.
                Some(w) => {
                    for (r, q) in extents.iter().enumerate() {
                        cx.equal_at(Some(r), &w, q, Part::Region(r), || format!("{what}, axis {k}"))?;
                    }
                    dims.push(w);
                }
                None => {
                    for (r, q) in extents.iter().enumerate().skip(1) {
                        cx.equal(p, q, Part::Region(r), || format!("{what}, axis {k}"))?;
                    }
                    dims.push(p.clone());
                }
            }
            continue;
        }
        if let Some(o) = open.iter().find(|o| o.0 == extents) {
            dims.push(o.1.clone());
            continue;
        }
        let c = match cx.claimed(i, k) {
            Some(e) => {
                cx.claim(i, k, &e);
                e
            }
            None => {
                let c = Extent::exist(cx.fresh_exist("c"));
                let inner = |(r, e): (usize, &Extent)| cx.func().bound_within(e, cx.region_id(r));
                if !extents.iter().enumerate().any(inner) {
                    let most = extents[1..].iter().try_fold(p.clone(), |m, q| Extent::max(&m, q))?;
                    cx.add_where(Constraint { lhs: c.clone(), op: CmpOp::Le, rhs: most });
                }
                c
            }
        };
        open.push((extents, c.clone()));
        dims.push(c);
    }
    Ok(x.with_dims(dims))
}

/// Whether something else is written for the extent `e` of result `i` along `axis`, which is not certainly `e` or certainly not.
pub(super) fn renamed(cx: &InferCx, i: usize, axis: usize, e: &Extent) -> bool {
    cx.claimed(i, axis).is_some_and(|w| w != *e && cx.proves(&w, CmpOp::Eq, e) == Truth::Unknown)
}

fn lin_cond(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let (src, op) = (cx.src.clone(), cx.op(o));
    let bodies = op.regions.iter().map(|&r| cx.body(r)).collect::<Result<Vec<_>>>()?;
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
            cx.p().put_yields(b.fwd, ys);
        }
        let args2: Vec<_> = args[1..].iter().copied().chain(dx).collect();
        let mut types = op.results.iter().map(|&v| cx.primal_type(v)).collect::<Result<Vec<_>>>()?;
        types.extend((0..n).filter(|&i| dy[i]).map(|i| types[i].clone()).collect::<Vec<_>>());
        let regions = bodies.iter().map(|b| b.fwd).collect();
        let ys = cx.p().branch_typed(op.def, args[0], &args2, regions, &types)?;
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
    let regions = bodies.iter().map(|b| b.fwd).collect();
    let ys = cx.p().branch_typed(op.def, args[0], &args[1..], regions, &types)?;
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
    let mut dys = vec![];
    if dy.contains(&true) {
        let regions = bodies.iter().map(|b| b.lin).collect();
        dys = cx.t().branch_typed(op.def, p, &dx, regions, &types)?;
    }
    let mut dys = dys.into_iter();
    for i in 0..n {
        let d = if dy[i] { dys.next() } else { None };
        cx.set(op.results[i], ys[i], d);
    }
    Ok(())
}
/// What a branch yields as tangents: zeros where only others have one.
fn branch_tangents(cx: &mut Linearizer, b: &Body, yields: &[ValueId], dy: &[bool]) -> Result<Vec<ValueId>> {
    let back = cx.t().go_to(b.lin);
    let mut out = vec![];
    for (i, &y) in yields.iter().enumerate() {
        if dy[i] {
            out.push(match b.tangents[i] {
                Some(t) => t,
                None => cx.zero_tangent(y)?,
            });
        }
    }
    cx.t().go_to(back);
    Ok(out)
}
/// All branches yield one list of residual slots; residuals of equal type share a slot, the rest of a branch's slots
/// are zeros. Returns the slots' names.
fn share_residuals(
    cx: &mut Linearizer,
    bodies: &[Body],
    regions: &[RegionId],
    dy: &[bool],
) -> Result<Vec<std::sync::Arc<str>>> {
    /// What the branches hand on in one place: the type, the name, and of each branch which residual it is.
    struct Place {
        ty: Type,
        name: std::sync::Arc<str>,
        of: Vec<Option<usize>>,
    }
    let mut places: Vec<Place> = vec![];
    for (k, b) in bodies.iter().enumerate() {
        for (j, kept) in b.kept.iter().enumerate() {
            let ty = cx.p().ty(kept.value);
            match places.iter_mut().find(|p| p.of[k].is_none() && p.ty == ty) {
                Some(p) => p.of[k] = Some(j),
                None => {
                    let mut of = vec![None; bodies.len()];
                    of[k] = Some(j);
                    let name = cx.p().name(kept.value);
                    places.push(Place { ty, name, of });
                }
            }
        }
    }
    for (k, body) in bodies.iter().enumerate() {
        let (mut ys, kept_params): (Vec<_>, Vec<_>) =
            (body.primals.clone(), body.kept.iter().map(|x| x.param).collect());
        let all = cx.t().func().region(body.lin).params.clone();
        let mut ps: Vec<_> = all.into_iter().filter(|p| !kept_params.contains(p)).collect();
        let (fback, lback) = (cx.p().go_to(body.fwd), cx.t().go_to(body.lin));
        for place in &places {
            match place.of[k] {
                Some(i) => {
                    ys.push(body.kept[i].value);
                    ps.push(body.kept[i].param);
                }
                None => {
                    ys.push(cx.p().zeros(&place.ty)?);
                    let ty = cx.lin_type(&place.ty)?;
                    ps.push(cx.t().param(ty, "unused"));
                }
            }
        }
        cx.p().go_to(fback);
        cx.t().go_to(lback);
        cx.t().put_params(body.lin, ps);
        cx.p().put_yields(body.fwd, ys);
        let yields = cx.src.region(regions[k]).yields.clone();
        let dys = branch_tangents(cx, body, &yields, dy)?;
        cx.t().put_yields(body.lin, dys);
    }
    Ok(places.into_iter().map(|p| p.name).collect())
}
/// Captures cotangents from outside; yields cotangents of operands and of the union of all branches' captures.
fn tr_cond(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let (src, op) = (cx.src.clone(), cx.op(o));
    let caps: Vec<Vec<ValueId>> = op.regions.iter().map(|&r| cx.linear_captures(r)).collect();
    let mut all: Vec<ValueId> = vec![];
    for &v in caps.iter().flatten() {
        if !all.contains(&v) {
            all.push(v);
        }
    }
    let mut regions: Vec<RegionId> = vec![];
    for k in 0..op.regions.len() {
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
    let mut rs = cx.b.branch_typed(op.def, p, &[], regions, &[])?.into_iter();
    let mut out = vec![None];
    for &p in &src.region(op.regions[0]).params {
        out.push(if cx.linear(p) { rs.next() } else { None });
    }
    for (v, r) in all.into_iter().zip(rs) {
        cx.accumulate(v, r)?;
    }
    Ok(out)
}
fn sample_cond(cx: &SampleCx) -> Result<Vec<Sample>> {
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
fn sample_switch(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let (ty, def) = (cx.ty(&[2]), cx.def);
    // Of one sample the index is inside, of the other beyond the last region.
    let mut out = vec![];
    for (index, dtype) in [(1.0, DType::I32), (7.0, DType::I64)] {
        out.push(cx.program(&[(ty.clone(), Domain::Any), (ty.clone(), Domain::Any)], |b, x| {
            let i = b.splat(&Type::scalar(dtype), index)?;
            let first = b.region("case0", &[(ty.clone(), "a")], |b, a| Ok(vec![b.mul(a[0], x[1])?]))?;
            let second = b.region("case1", &[(ty.clone(), "a")], |b, a| {
                let s = b.sin(a[0])?;
                Ok(vec![b.mul(s, s)?])
            })?;
            let third = b.region("case2", &[(ty.clone(), "a")], |b, a| {
                let y = b.mul(x[1], x[1])?;
                Ok(vec![b.add(a[0], y)?])
            })?;
            b.emit(NewOp::new(def, &[i, x[0]]).regions(vec![first, second, third]))
        })?);
    }
    Ok(out)
}
