//! Fusion: groups of elementwise ops over one shape become one `fused` op, whose body is ordinary IR.
//!
//! Grouping is linear in the number of ops. Each op gets a level: the level of its operands' producers, plus one where
//! the data passes an op that cannot be fused or comes from another shape. Fusible ops of one region, level and shape
//! that are connected by data flow form a group; a path that leaves a group raises the level, so no group can depend on
//! itself.
use crate::PassError;
use crate::rewrite::each;
use std::collections::HashMap;
use tfc_ir::{BODY, Builder, Extent, Func, Map, Module, NewOp, OpId, RegionId, Result, ValueId};

/// The pass `fuse`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    each(m, |m, f| {
        let groups = group(f);
        if groups.members.iter().all(|g| g.len() < 2) {
            return Ok(None);
        }
        let mut b = Builder::new(m, &f.name);
        let mut map = Map::new();
        b.copy_header(f, &mut map)?;
        region(&mut b, f, BODY, &groups, &mut map)?;
        let ys = map.all(f.returns())?;
        Ok(Some(b.finish_rewritten(ys)?))
    })
}

struct Groups {
    /// Per op: its group.
    of: Vec<Option<u32>>,
    /// Ops of each group in order.
    members: Vec<Vec<OpId>>,
    /// Per value: is it used outside the group that makes it?
    escapes: Vec<bool>,
}
fn fusible(f: &Func, o: OpId) -> bool {
    let op = f.op(o);
    op.def.scalar.is_some()
        && op.guards.is_empty()
        && op.results.len() == 1
        // A scalar program is not worth a loop of its own.
        && !f.ty(op.results[0]).is_scalar()
}
fn group(f: &Func) -> Groups {
    let mut level = vec![0u32; f.ops.len()];
    let mut parent: Vec<u32> = (0..f.ops.len() as u32).collect();
    fn find(p: &mut [u32], mut x: u32) -> u32 {
        while p[x as usize] != x {
            p[x as usize] = p[p[x as usize] as usize];
            x = p[x as usize];
        }
        x
    }
    let maker = |v: ValueId| match f.value(v).def {
        tfc_ir::Def::Result(o, _) => Some(o),
        tfc_ir::Def::Param(_) => None,
    };
    let shape = |o: OpId| -> &[Extent] { f.op(o).results.first().map_or(&[][..], |&r| &f.ty(r).dims) };
    let home = |o: OpId| f.op(o).results.first().map(|&r| f.value(r).region);
    let mut order = vec![];
    f.walk(BODY, &mut |o| order.push(o));
    for &o in &order {
        let op = f.op(o);
        let (mut l, me) = (0, fusible(f, o));
        let mut uses: Vec<ValueId> = op.operands.clone();
        for &r in &op.regions {
            uses.extend(f.captures(r));
        }
        for &v in &uses {
            let Some(p) = maker(v) else { continue };
            let joins = me && fusible(f, p) && home(p) == home(o) && shape(p) == shape(o);
            l = l.max(level[p.ix()] + u32::from(!joins));
        }
        level[o.ix()] = l;
        for &v in &op.operands {
            let Some(p) = maker(v) else { continue };
            if me && fusible(f, p) && home(p) == home(o) && shape(p) == shape(o) && level[p.ix()] == l {
                let (a, b) = (find(&mut parent, p.0), find(&mut parent, o.0));
                parent[a as usize] = b;
            }
        }
    }
    let mut ids: HashMap<u32, u32> = HashMap::new();
    let mut g = Groups { of: vec![None; f.ops.len()], members: vec![], escapes: vec![false; f.values.len()] };
    for &o in order.iter().filter(|&&o| fusible(f, o)) {
        let root = find(&mut parent, o.0);
        let id = *ids.entry(root).or_insert_with(|| {
            g.members.push(vec![]);
            g.members.len() as u32 - 1
        });
        g.members[id as usize].push(o);
        g.of[o.ix()] = Some(id);
    }
    for &o in &order {
        for &v in &f.op(o).operands {
            if let Some(p) = maker(v)
                && (g.of[p.ix()].is_none() || g.of[p.ix()] != g.of[o.ix()])
            {
                g.escapes[v.ix()] = true;
            }
        }
    }
    for r in &f.regions {
        r.yields.iter().for_each(|v| g.escapes[v.ix()] = true);
    }
    g
}
/// What is emitted as one: an op, or a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Unit {
    Op(OpId),
    Group(u32),
}
fn unit(g: &Groups, o: OpId) -> Unit {
    match g.of[o.ix()] {
        Some(id) if g.members[id as usize].len() > 1 => Unit::Group(id),
        _ => Unit::Op(o),
    }
}
fn region(b: &mut Builder, f: &Func, r: RegionId, g: &Groups, map: &mut Map) -> Result<()> {
    let mut done: std::collections::HashSet<Unit> = Default::default();
    for &o in &f.region(r).ops {
        let first = unit(g, o);
        // A group waits for its last member, unless somebody needs it before.
        if let Unit::Group(id) = first
            && g.members[id as usize].last() != Some(&o)
        {
            continue;
        }
        let mut stack = vec![(first, false)];
        while let Some((u, ready)) = stack.pop() {
            if done.contains(&u) {
                continue;
            }
            if ready {
                done.insert(u);
                emit(b, f, u, g, map)?;
                continue;
            }
            stack.push((u, true));
            let ops: &[OpId] = match &u {
                Unit::Op(o) => std::slice::from_ref(o),
                Unit::Group(id) => &g.members[*id as usize],
            };
            for &o in ops {
                let op = f.op(o);
                let inner = op.regions.iter().flat_map(|&q| f.captures(q));
                for v in op.operands.iter().copied().chain(inner) {
                    if let tfc_ir::Def::Result(p, _) = f.value(v).def
                        && f.value(v).region == r
                        && unit(g, p) != u
                        && !done.contains(&unit(g, p))
                    {
                        stack.push((unit(g, p), false));
                    }
                }
            }
        }
    }
    Ok(())
}
fn emit(b: &mut Builder, f: &Func, u: Unit, g: &Groups, map: &mut Map) -> Result<()> {
    let id = match u {
        Unit::Group(id) => id,
        Unit::Op(o) => {
            let op = f.op(o);
            let mut regions = vec![];
            for &q in &op.regions {
                let opened = b.open_copy(f, q, map)?;
                region(b, f, q, g, map)?;
                regions.push(b.close_copy(opened, f, q, map)?);
            }
            let args = map.all(&op.operands)?;
            b.copy_with(f, o, args, regions, map)?;
            return Ok(());
        }
    };
    let ops = &g.members[id as usize];
    let mut inputs: Vec<ValueId> = vec![];
    let mut seen = std::collections::HashSet::new();
    for &o in ops {
        for &v in &f.op(o).operands {
            let own = matches!(f.value(v).def, tfc_ir::Def::Result(p, _) if g.of[p.ix()] == Some(id));
            if !own && seen.insert(v) {
                inputs.push(v);
            }
        }
    }
    let operands = map.all(&inputs)?;
    let opened = b.open("body");
    let mut inner = map.clone_extents();
    for (&v, &x) in inputs.iter().zip(&operands) {
        let (ty, name) = (b.ty(x), b.name(x));
        let p = b.param(ty, &name);
        inner.insert(v, p);
    }
    let mut outs = vec![];
    for &o in ops {
        b.copy(f, o, &mut inner)?;
        outs.extend(f.op(o).results.iter().copied().filter(|r| g.escapes[r.ix()]));
    }
    let ys = inner.all(&outs)?;
    let body = b.close(opened, ys);
    let rs = b.emit(NewOp::new(&tfc_ir::ops::fused::FUSED, &operands).regions(vec![body]))?;
    for (&old, &new) in outs.iter().zip(&rs) {
        let name = f.value(old).name.clone();
        b.hint(new, &name);
        map.insert(old, new);
    }
    Ok(())
}
