//! Liveness by ports, and the copy of a function without what is dead: ops, loop carries that only feed themselves,
//! and, where the caller allows, parameters. Linear time. An extent in a live type is a use of its binder.
use super::flow::Flow;
use crate::Result;
use crate::attr::Attr;
use crate::builder::Builder;
use crate::extent::{Atom, Constraint, Extent};
use crate::func::*;
use crate::map::Map;
use crate::module::Module;
use crate::op::{Effect, PortKind};
use std::collections::HashSet;

/// What is live.
pub struct Live {
    /// Per value.
    pub values: Vec<bool>,
    /// Per op: kept for its effect or for an existential that it binds, whatever its results.
    pub ops: Vec<bool>,
}

/// Which values and ops of `f` are needed by its results and its assertions.
pub fn live(m: &Module, f: &Func) -> Live {
    let mut g = Flow::of(f);
    let n = f.values.len();
    // One node per op, behind values and hubs: reached when the op itself is needed; it needs the op's operands.
    let mut node = vec![u32::MAX; f.ops.len()];
    let mut roots: Vec<u32> = f.returns().iter().map(|v| v.0).collect();
    f.walk(BODY, &mut |o| {
        let op = f.op(o);
        let mut also: Vec<ValueId> = vec![];
        if let Some(ports) = op.def.control.ports {
            for p in (ports.of)(f, o).iter() {
                if p.kind == PortKind::Carry
                    && let Some(i) = p.result
                {
                    // A carry stays whole: the extents that its parameters show are needed, read or not.
                    for &(r, j) in &p.params {
                        g.edge(f.region(op.regions[r]).params[j].0, op.results[i].0);
                    }
                }
                if p.kind != PortKind::Control {
                    continue;
                }
                also.extend(p.operand.map(|i| op.operands[i]));
                // A result that stands for an operand which decides stays with it.
                also.extend(p.result.map(|i| op.results[i]));
                also.extend(p.yields.iter().map(|&(r, i)| f.region(op.regions[r]).yields[i]));
            }
        } else {
            also.extend(&op.operands);
        }
        let h = g.node();
        node[o.ix()] = h;
        also.iter().for_each(|v| g.edge(v.0, h));
        for v in op.results.iter().chain(op.regions.iter().flat_map(|&r| &f.region(r).params)) {
            g.edge(h, v.0);
        }
        // Whatever lives inside a region needs the region op around it to run.
        for &r in &op.regions {
            for &inner in &f.region(r).ops {
                for &v in &f.op(inner).results {
                    g.edge(h, v.0);
                }
            }
        }
        if op.def.effect == Effect::Assert || (m.effect(f, o) == Effect::Assert && op.regions.is_empty()) {
            roots.push(h);
        }
    });
    // An assertion inside a region keeps every region op around it.
    let mut around = vec![None; f.regions.len()];
    f.walk(BODY, &mut |o| f.op(o).regions.iter().for_each(|r| around[r.ix()] = Some(o)));
    for (r, outer) in f.regions.iter().zip(&around) {
        if let Some(outer) = outer {
            r.ops.iter().for_each(|o| g.edge(node[outer.ix()], node[o.ix()]));
        }
    }
    let g = g.used();
    let mut on = vec![false; g.len()];
    let mut todo = roots;
    let mut op_of = vec![u32::MAX; g.len()];
    for (i, &h) in node.iter().enumerate() {
        if h != u32::MAX {
            op_of[h as usize] = i as u32;
        }
    }
    while let Some(v) = todo.pop() {
        let v = v as usize;
        if std::mem::replace(&mut on[v], true) {
            continue;
        }
        todo.extend(g.of(v));
        if v < n {
            need_extents(f, &f.values[v].ty.dims, &node, &mut todo);
        } else if op_of[v] != u32::MAX {
            let op = &f.ops[op_of[v] as usize];
            if let Some(p) = op.def.control.ports {
                need_extents(f, &(p.needs)(f, OpId(op_of[v])), &node, &mut todo);
            }
            for (_, a) in op.attrs.iter() {
                match a {
                    Attr::Extents(e) => need_extents(f, e, &node, &mut todo),
                    Attr::Sym(s) => need_extents(f, &s.extents, &node, &mut todo),
                    _ => {}
                }
            }
            let asked = op.guards.iter().chain(op.discharged()).map(|g| &g.cond);
            for c in op.wheres.iter().chain(asked) {
                need_extents(f, &[c.lhs.clone(), c.rhs.clone()], &node, &mut todo);
            }
        }
    }
    let ops = node.iter().map(|&h| h != u32::MAX && on[h as usize]).collect();
    on.truncate(n);
    Live { values: on, ops }
}
fn need_extents(f: &Func, extents: &[Extent], node: &[u32], todo: &mut Vec<u32>) {
    for e in extents.iter().filter(|e| e.mentions_existential()) {
        e.for_each_atom(&mut |a| {
            if let Atom::Exist(r) = a {
                match f.binder(r) {
                    Some(Binder::Op(o)) => {
                        todo.push(node[o.ix()]);
                        // A result that shows it must stay, or the op would bind it no longer.
                        let shows = |v: &&ValueId| f.ty(**v).dims.iter().any(|d| d.as_atom() == Some(a));
                        todo.extend(f.op(o).results.iter().find(shows).map(|v| v.0));
                    }
                    Some(Binder::Params(r)) => {
                        let shows = |v: &&ValueId| f.ty(**v).dims.iter().any(|d| d.as_atom() == Some(a));
                        todo.extend(f.region(r).params.iter().find(shows).map(|v| v.0));
                        // What says what it is: the transpose asks.
                        for &o in &f.region(r).ops {
                            let op = f.op(o);
                            let about = |c: &Constraint| c.lhs.mentions(a) || c.rhs.mentions(a);
                            if op.def.demands && op.wheres.iter().any(about) {
                                todo.push(node[o.ix()]);
                            }
                        }
                    }
                    _ => {}
                }
            }
        });
    }
}

/// The function without what is dead. Parameter `i` stays if it is live or `keep(i)`; the mask says which stayed.
pub fn prune(m: &Module, f: &Func, keep: impl Fn(usize) -> bool) -> Result<(Finished, Vec<bool>)> {
    prune_live(m, f, &live(m, f), keep)
}
/// As [`prune`], where it is known what is live.
pub fn prune_live(m: &Module, f: &Func, live: &Live, keep: impl Fn(usize) -> bool) -> Result<(Finished, Vec<bool>)> {
    let mut b = Builder::new(m, &f.name);
    let mut map = Map::new();
    b.mend();
    b.copy_syms(f);
    let mut stayed = vec![];
    for t in &f.result_types {
        b.bind_fresh(f, &t.dims, &mut map);
    }
    b.bind_to_header();
    let types = f.result_types.iter().map(|t| map.ty(t)).collect::<Result<_>>()?;
    let wheres = f.wheres.iter().map(|c| map.constraint(c)).collect::<Result<_>>()?;
    let header = &mut b.f;
    header.result_types = types;
    header.wheres = wheres;
    header.export = f.export;
    header.result_names = f.result_names.clone();
    header.with = f.with.clone();
    header.span = f.span;
    map.forget_exists();
    for (i, &p) in f.params().iter().enumerate() {
        stayed.push(keep(i) || live.values[p.ix()]);
        if stayed[i] {
            let q = b.param_like(f.ty(p).clone(), f, p);
            map.insert(p, q);
        }
    }
    prune_region(&mut b, f, BODY, live, &mut map)?;
    let ys = map.all(f.returns())?;
    Ok((b.finish_rewritten(ys)?, stayed))
}
fn prune_region(b: &mut Builder, f: &Func, r: RegionId, live: &Live, map: &mut Map) -> Result<()> {
    for &o in &f.region(r).ops {
        let op = f.op(o);
        if !live.ops[o.ix()] {
            continue;
        }
        let Some(table) = op.def.control.ports else {
            b.copy(f, o, map)?;
            continue;
        };
        let all = (table.of)(f, o);
        let total = all.len();
        let kept: Vec<_> = all
            .into_iter()
            .filter(|p| {
                p.kind == PortKind::Control
                    || p.result.is_some_and(|i| live.values[op.results[i].ix()])
                    || p.params.iter().any(|&(r, i)| live.values[f.region(op.regions[r]).params[i].ix()])
            })
            .collect();
        if kept.len() == total {
            let mut regions = vec![];
            for &r in &op.regions {
                let o = b.open_copy(f, r, map)?;
                prune_region(b, f, r, live, map)?;
                regions.push(b.close_copy(o, f, r, map)?);
            }
            let operands = map.list(&op.operands)?;
            b.copy_with(f, o, operands, regions, map)?;
            continue;
        }
        prune_ports(b, f, o, &kept, live, map)?;
    }
    Ok(())
}
fn prune_ports(b: &mut Builder, f: &Func, o: OpId, kept: &[crate::op::Port], live: &Live, map: &mut Map) -> Result<()> {
    let op = f.op(o);
    let set: HashSet<(u8, usize, usize)> = kept
        .iter()
        .flat_map(|p| {
            p.params
                .iter()
                .map(|&(r, i)| (0, r, i))
                .chain(p.yields.iter().map(|&(r, i)| (1, r, i)))
                .chain(p.operand.map(|i| (2, 0, i)))
                .chain(p.result.map(|i| (3, 0, i)))
        })
        .collect();
    let pick = |what: u8, r: usize, all: &[ValueId]| -> Vec<ValueId> {
        all.iter().enumerate().filter(|(i, _)| set.contains(&(what, r, *i))).map(|(_, &v)| v).collect()
    };
    let mut g = f.clone_shell(o);
    if let Some(p) = op.def.control.ports {
        (p.keep)(&mut g.attrs, f, o, kept);
    }
    let mut regions = vec![];
    for (k, &r) in op.regions.iter().enumerate() {
        let opened = b.open(&f.region(r).label);
        for p in pick(0, k, &f.region(r).params) {
            b.bind_fresh(f, &f.ty(p).dims, map);
            let ty = map.ty(f.ty(p))?;
            let q = b.param_like(ty, f, p);
            map.insert(p, q);
        }
        let known = |c: &Constraint, map: &Map| {
            let mut all = true;
            for e in [&c.lhs, &c.rhs] {
                e.for_each_atom(&mut |a| all &= !matches!(a, Atom::Exist(r) if map.exist(r).is_none()));
            }
            all
        };
        for c in f.region(r).wheres.iter().filter(|c| known(c, map)) {
            let c = map.constraint(c)?;
            b.region_where(c);
        }
        prune_region(b, f, r, live, map)?;
        let stays =
            |list: &[Guard], map: &Map| list.iter().filter(|g| known(&g.cond, map)).cloned().collect::<Vec<_>>();
        let (asked, proved) = (stays(&f.region(r).guards, map), stays(&f.region(r).discharged, map));
        let (guards, discharged) = b.guards_of(&asked, &proved, map)?;
        let region = &mut b.f.regions[opened.region.ix()];
        region.guards.extend(guards);
        region.discharged.extend(discharged);
        let ys = map.all(&pick(1, k, &f.region(r).yields))?;
        regions.push(b.close(opened, ys));
    }
    g.operands = pick(2, 0, &op.operands).into();
    g.results = pick(3, 0, &op.results).into();
    // Facts about an existential go with the last result that binds it.
    let shown = |c: &Constraint, results: &[ValueId]| {
        let mut bound = true;
        for e in [&c.lhs, &c.rhs] {
            e.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a {
                    bound &=
                        map.exist(r).is_some() || results.iter().any(|&v| f.ty(v).dims.iter().any(|d| d.mentions(a)));
                }
            });
        }
        bound
    };
    let results = g.results.clone();
    g.wheres.retain(|c| shown(c, &results));
    g.guards.retain(|g| shown(&g.cond, &results));
    if let Some(p) = &mut g.proved {
        p.discharged.retain(|g| shown(&g.cond, &results));
        p.claims.retain(|c| shown(c, &results));
        p.gives.retain(|c| shown(c, &results));
    }
    let place = |i: usize| op.results.get(i).and_then(|v| results.iter().position(|r| r == v));
    g.guards.retain_mut(|g| match g.found {
        None => true,
        Some((i, axis)) => {
            g.found = place(i).map(|i| (i, axis));
            g.found.is_some()
        }
    });
    let operands = map.list(&g.operands)?;
    if g.wheres.is_empty() && g.proved.is_none() && op.guards.iter().all(|g| g.found.is_none()) {
        b.copy_op(f, &g, operands, regions, map)?;
    } else {
        // What the op says of its results may have rested on a port that is gone: `where` of a region on a carry, or a claim on
        // the first of several values that are joined to one extent.
        b.infer_again(f, &g, operands, regions, map)?;
    }
    Ok(())
}
