//! Fusion: ops that share loops become one `fused` op, whose body is ordinary IR: elementwise ops over one shape, the
//! reductions of what they compute over one set of axes, and what is computed from those and repeated along the same axes
//! (softmax, layer norm, variance, log-sum-exp).
//!
//! Grouping is linear in the number of ops. Each op gets a level: the level of its operands' producers, plus one where the
//! data leaves a group. Ops of one region and level that are connected by data flow and fit one loop nest form a group; a
//! path that leaves a group raises the level, so no group can depend on itself. Elementwise groups of one level that read
//! the same array become one in the end, so that it is read once.
use std::collections::HashMap;

use crate::PassError;
use crate::rewrite::{improve, rewrite, uses};
use tfc_ir::hash::WordHash;
use tfc_ir::op::Loops;
use tfc_ir::ops::constant::CONST;
use tfc_ir::{
    BODY, Binder, Builder, Def, Extent, Finished, Func, Map, Module, NewOp, Op, OpId, RegionId, Result, ValueId,
};

/// Most members of a group with a reduction.
const MOST: usize = 128;
/// What an element of a group costs at most that is sunk: next to more work the memory saved is little, and loops of a reduction may
/// be shorter ones.
const CHEAP: u32 = 8;
/// Values from outside that a group keeps account of: with two it is never sunk, and what one group reads another one may make.
const FULL: usize = 4;

/// The pass `fuse`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    let same = improve(m, |m, f| {
        if !f.ops.iter().any(|o| o.def.loops == Loops::Same) {
            return Ok(None);
        }
        let mut pass_on = |_: &mut Builder, f: &Func, o: OpId, args: &[ValueId], _: &mut Map| {
            Ok((f.op(o).def.loops == Loops::Same).then(|| args.to_vec()))
        };
        let (f, changed) = rewrite(m, f, &mut pass_on)?;
        Ok(changed.then_some(f))
    })?;
    let fused = improve(m, |m, f| {
        let binders = binders(f);
        let groups = group(f, &binders);
        if groups.members.iter().all(|g| g.len() < 2) {
            Ok(None)
        } else {
            Ok(Some(rewritten(m, f, &groups, &binders)?))
        }
    })?;
    Ok(same || fused)
}
fn rewritten(m: &Module, f: &Func, groups: &Groups, binders: &[Vec<OpId>]) -> Result<Finished> {
    let mut e = Emit {
        b: Builder::new(m, &f.name),
        f,
        g: groups,
        binders,
        map: Map::new(),
        op_done: vec![false; f.ops.len()],
        group_done: vec![false; groups.members.len()],
        input_of: vec![0; f.values.len()],
    };
    e.b.mend();
    if f.has_open_extents() {
        // Ops move, perhaps ahead of a statement that their types rest on.
        e.map.reopen();
    }
    e.b.copy_header(f, &mut e.map)?;
    e.region(BODY)?;
    let ys = e.map.all(f.returns())?;
    e.b.finish_rewritten(ys)
}

struct Groups {
    /// Per op: its group.
    of: Vec<Option<u32>>,
    /// Ops of each group in order.
    members: Vec<Vec<OpId>>,
    /// By value: whether it is used outside the group that makes it.
    escapes: Vec<bool>,
}
impl Groups {
    fn with(&self, o: OpId, f: &Func, v: ValueId) -> bool {
        matches!(f.value(v).def, Def::Result(p, _) if self.of[p.ix()].is_some() && self.of[p.ix()] == self.of[o.ix()])
    }
}
/// What an op can be in a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Nothing.
    Apart,
    /// Elementwise.
    Each,
    /// A reduction.
    Fold,
    /// The op repeats a value along new axes.
    Repeat,
}
fn kind(f: &Func, op: &Op) -> Kind {
    let [r] = op.results.as_ref() else { return Kind::Apart };
    let k = match (op.def.scalar, op.def.loops) {
        (Some(_), _) => Kind::Each,
        (_, Loops::Fold(_)) => Kind::Fold,
        (_, Loops::Repeat) => Kind::Repeat,
        _ => return Kind::Apart,
    };
    // Equal only by what a statement says, which does not stand in a loop nest.
    let unlike = |a: &[Extent], b: &[Extent]| a.iter().any(|e| e.mentions_existential() && !b.contains(e));
    let rests = |&v: &ValueId| match k {
        Kind::Fold => unlike(&f.ty(*r).dims, &f.ty(v).dims),
        _ => unlike(&f.ty(v).dims, &f.ty(*r).dims),
    };
    let said = f.exists.is_empty() || !op.operands.iter().any(rests);
    if op.guards.is_empty() && said { k } else { Kind::Apart }
}
/// The loop nest of a group.
#[derive(Clone)]
struct Nest<'f> {
    shape: &'f [Extent],
    /// The axes that its reductions fold, once there is one.
    axes: Option<Vec<usize>>,
    size: usize,
    /// What an element costs.
    cost: u32,
    /// How often members' results are read, and how often by members.
    reads: u32,
    inner: u32,
    /// Values with an element for each trip that the group reads.
    full: Few,
}
/// Up to a few values; once there are more, it is known only that there are many.
#[derive(Clone, Copy, Default)]
struct Few {
    ids: [Option<ValueId>; FULL],
    many: bool,
}
impl Few {
    fn add(&mut self, v: ValueId) {
        for i in &mut self.ids {
            match i {
                Some(x) if *x == v => return,
                Some(_) => {}
                None => {
                    *i = Some(v);
                    return;
                }
            }
        }
        self.many = true;
    }
}
/// How a value relates to a nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fit {
    /// The value has an element for each trip of the loops.
    Full,
    /// The value has an element for each index of the loops that are kept.
    Kept,
}
impl<'f> Nest<'f> {
    fn new(shape: &'f [Extent], axes: Option<Vec<usize>>) -> Nest<'f> {
        Nest { shape, axes, size: 0, cost: 0, reads: 0, inner: 0, full: Few::default() }
    }
    fn fit(&self, dims: &[Extent]) -> Option<Fit> {
        if dims == self.shape {
            return Some(Fit::Full);
        }
        let axes = self.axes.as_ref()?;
        let mut kept = self.shape.iter().enumerate().filter(|(a, _)| !axes.contains(a)).map(|(_, d)| d);
        let alone = dims.len() + axes.len() == self.shape.len() && dims.iter().all(|d| kept.next() == Some(d));
        // The form in which folded axes stay, with one element.
        let ones = dims.len() == self.shape.len()
            && dims.iter().enumerate().all(|(a, d)| if axes.contains(&a) { is_one(d) } else { *d == self.shape[a] });
        (alone || ones).then_some(Fit::Kept)
    }
    /// Whether these axes of a result hold the kept loops in order.
    fn spreads(&self, from: &[Extent], dims: &[usize]) -> bool {
        let Some(axes) = &self.axes else { return false };
        let own: Vec<usize> = (0..self.shape.len()).filter(|a| !axes.contains(a)).collect();
        (from.len() == own.len() && dims == own)
            || (from.len() == self.shape.len() && dims.iter().copied().eq(0..from.len()))
    }
}
fn is_one(d: &Extent) -> bool {
    d.as_exact() == Some(1)
}

/// Per op: those that bind the extents which it names. It comes after them as after those that make its operands.
fn binders(f: &Func) -> Vec<Vec<OpId>> {
    let mut all = vec![vec![]; f.ops.len()];
    if f.exists.iter().any(|e| matches!(e.binder, Some(Binder::Op(_)))) {
        f.walk(BODY, &mut |o| {
            let bound = f.extents_named(o).into_iter().filter_map(|r| match f.binder(r) {
                Some(Binder::Op(p)) => Some(p),
                _ => None,
            });
            all[o.ix()] = bound.collect();
        });
    }
    all
}

struct Find<'f> {
    f: &'f Func,
    /// As [`binders`] gives it.
    binders: &'f [Vec<OpId>],
    /// How often each value is read, or handed on by a region.
    uses: Vec<u32>,
    level: Vec<u32>,
    parent: Vec<u32>,
    nest: Vec<Option<Nest<'f>>>,
}
impl<'f> Find<'f> {
    fn root(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            self.parent[x as usize] = self.parent[self.parent[x as usize] as usize];
            x = self.parent[x as usize];
        }
        x
    }
    fn dims(&self, v: ValueId) -> &'f [Extent] {
        &self.f.ty(v).dims
    }
    fn maker(&self, v: ValueId) -> Option<OpId> {
        match self.f.value(v).def {
            Def::Result(o, _) => Some(o),
            Def::Param(_) => None,
        }
    }
    /// The nest of `g` with what `o`, of that kind, needs of it; `None` where it does not fit.
    fn accept(&mut self, g: u32, o: OpId, k: Kind, v: ValueId) -> Option<Nest<'f>> {
        let nest = self.nest[g as usize].clone()?;
        let op = self.f.op(o);
        let fit = nest.fit(self.dims(v))?;
        let own = nest.fit(self.dims(*op.results.first()?));
        match k {
            // A scalar operand serves every element.
            Kind::Each => (own == Some(fit) || own == Some(Fit::Full) && self.dims(v).is_empty()).then_some(nest),
            Kind::Fold => {
                let axes = op.attrs.indices("axes");
                if fit != Fit::Full || axes.is_empty() || axes.iter().any(|&a| is_one(&nest.shape[a])) {
                    return None;
                }
                match &nest.axes {
                    Some(a) => (*a == axes).then_some(nest),
                    None => Some(Nest { axes: Some(axes), ..nest }),
                }
            }
            Kind::Repeat => {
                let spreads = fit == Fit::Kept && nest.spreads(self.dims(v), &op.attrs.indices("dims"));
                (spreads && own.is_some()).then_some(nest)
            }
            Kind::Apart => None,
        }
    }
    /// One nest for both groups: the same loops, or one whose values are all kept values of the other.
    fn both(a: &Nest<'f>, b: &Nest<'f>) -> Option<Nest<'f>> {
        let (size, reads, inner) = (a.size + b.size, a.reads + b.reads, a.inner + b.inner);
        let cost = a.cost.saturating_add(b.cost);
        let mut full = a.full;
        b.full.ids.iter().flatten().for_each(|&v| full.add(v));
        full.many |= b.full.many;
        let axes = match (&a.axes, &b.axes) {
            (Some(x), Some(y)) if x != y => None,
            (x, y) => Some(x.clone().or_else(|| y.clone())),
        };
        if a.shape == b.shape {
            return axes.map(|axes| Nest { shape: a.shape, axes, size, cost, reads, inner, full });
        }
        if b.axes.is_none() && a.fit(b.shape) == Some(Fit::Kept) {
            return Some(Nest { size, cost, reads, inner, full, ..a.clone() });
        }
        if a.axes.is_none() && b.fit(a.shape) == Some(Fit::Kept) {
            return Some(Nest { size, cost, reads, inner, full, ..b.clone() });
        }
        None
    }
    /// The nest of group `g`, or of none, with one member more.
    fn with(&mut self, mut nest: Nest<'f>, o: OpId, g: Option<u32>) -> Nest<'f> {
        let op = self.f.op(o);
        nest.size += 1;
        nest.cost = nest.cost.saturating_add(op.def.scalar.map_or(0, |s| s.cost()));
        nest.reads += op.results.iter().map(|r| self.uses[r.ix()]).sum::<u32>();
        for &v in &op.operands {
            let free = self.maker(v).is_some_and(|p| {
                let d = self.f.op(p).def;
                d.loops == Loops::Repeat || d.is(&CONST) || Some(self.root(p.0)) == g
            });
            if !free && self.dims(v) == nest.shape {
                nest.full.add(v);
            }
        }
        nest
    }
    /// How many operands of an op are made by members of a group.
    fn made_by(&mut self, g: u32, o: OpId) -> u32 {
        let f = self.f;
        let made = |s: &mut Self, &v: &ValueId| s.maker(v).is_some_and(|p| s.root(p.0) == g);
        f.op(o).operands.iter().filter(|v| made(self, v)).count() as u32
    }
    /// Raises an elementwise group to the level of an op that alone reads what the group makes: nothing else waits for it, and so
    /// the results need no memory. Not where the group reads several arrays, all of which would have to be kept until then.
    fn sink(&mut self, g: u32, o: OpId, level: u32) {
        let Some(nest) = self.nest[g as usize].as_ref().filter(|_| self.level[g as usize] < level) else { return };
        let (alone, full) = (nest.axes.is_none() && nest.cost <= CHEAP && !nest.full.many, nest.full);
        let (reads, inner) = (nest.reads, nest.inner);
        if !alone || reads != inner + self.made_by(g, o) {
            return;
        }
        let outside = |s: &mut Self, v: ValueId| s.maker(v).is_none_or(|p| s.root(p.0) != g);
        if full.ids.iter().flatten().filter(|&&v| outside(self, v)).count() <= 1 {
            self.level[g as usize] = level;
        }
    }
    fn join(&mut self, o: OpId) {
        let op = self.f.op(o);
        let k = kind(self.f, op);
        let mut level = 0;
        let mut near: Vec<(u32, ValueId)> = vec![];
        let home = |f: &Func, o: OpId| f.op(o).results.first().map(|&r| f.value(r).region);
        for &v in &op.operands {
            let Some(p) = self.maker(v) else { continue };
            let g = self.root(p.0);
            let fits = home(self.f, p) == home(self.f, o) && self.accept(g, o, k, v).is_some();
            let inside = self.nest[g as usize].is_some();
            level = level.max(self.level[p.ix()] + u32::from(inside && !fits));
            if fits {
                near.push((g, v));
            }
        }
        for &r in &op.regions {
            for v in self.f.captures(r) {
                let Some(p) = self.maker(v) else { continue };
                let g = self.root(p.0);
                level = level.max(self.level[p.ix()] + u32::from(self.nest[g as usize].is_some()));
            }
        }
        for p in &self.binders[o.ix()] {
            level = level.max(self.level[p.ix()]);
        }
        self.level[o.ix()] = level;
        let mut mine: Option<u32> = None;
        for (g, v) in near {
            let g = self.root(g);
            self.sink(g, o, level);
            let same = self.level[g as usize] == level;
            let Some(nest) = self.accept(g, o, k, v).filter(|n| same && (n.axes.is_none() || n.size < MOST)) else {
                continue;
            };
            let joined = match mine {
                Some(m) if m == g => continue,
                Some(m) => self.nest[m as usize].as_ref().and_then(|n| Find::both(n, &nest)),
                None => Some(self.with(nest, o, Some(g))),
            };
            // Groups that cannot be one: this op stays with the first, the other's value comes from outside, which is
            // only right on a higher level.
            let Some(joined) = joined else {
                self.level[o.ix()] = level + 1;
                mine = None;
                break;
            };
            if let Some(m) = mine {
                self.parent[m as usize] = g;
            }
            self.nest[g as usize] = Some(joined);
            mine = Some(g);
        }
        match mine {
            Some(g) => {
                self.parent[o.ix()] = g;
                let inner = self.made_by(g, o);
                self.nest[g as usize].iter_mut().for_each(|n| n.inner += inner);
            }
            None => self.nest[o.ix()] = self.own_nest(o, k),
        }
    }
    /// Makes one group of elementwise ones that no data connect but that read the same array, so that it is read once. They stand in one
    /// region on one level, so none waits for another.
    fn siblings(&mut self, order: &[OpId]) {
        let mut readers: HashMap<(RegionId, u32, ValueId), u32, WordHash> = HashMap::default();
        let mut seen = vec![false; self.parent.len()];
        for &o in order {
            let g = self.root(o.0);
            if std::mem::replace(&mut seen[g as usize], true) {
                continue;
            }
            let alone = self.nest[g as usize].as_ref().filter(|n| n.axes.is_none() && !n.full.many);
            let (Some(nest), Some(&r)) = (alone.cloned(), self.f.op(o).results.first()) else { continue };
            let (home, level) = (self.f.value(r).region, self.level[g as usize]);
            for &v in nest.full.ids.iter().flatten() {
                let first = *readers.entry((home, level, v)).or_insert(g);
                let (first, g) = (self.root(first), self.root(g));
                if first == g {
                    continue;
                }
                let (Some(a), Some(b)) = (&self.nest[first as usize], &self.nest[g as usize]) else { continue };
                let both = Find::both(a, b).filter(|n| a.shape == b.shape && n.axes.is_none() && !n.full.many);
                if let Some(both) = both {
                    self.parent[g as usize] = first;
                    self.nest[first as usize] = Some(both);
                }
            }
        }
    }
    /// The nest of an op that starts a group; scalar programs are not worth a loop of their own.
    fn own_nest(&mut self, op_id: OpId, k: Kind) -> Option<Nest<'f>> {
        let op = self.f.op(op_id);
        let r = *op.results.first()?;
        match k {
            Kind::Each if !self.f.ty(r).is_scalar() => Some(self.with(Nest::new(self.dims(r), None), op_id, None)),
            Kind::Fold => {
                let (shape, axes) = (self.dims(op.operands[0]), op.attrs.indices("axes"));
                let plain = !axes.is_empty() && !axes.iter().any(|&a| is_one(&shape[a]));
                plain.then(|| self.with(Nest::new(shape, Some(axes)), op_id, None))
            }
            _ => None,
        }
    }
}

fn group(f: &Func, binders: &[Vec<OpId>]) -> Groups {
    let n = f.ops.len();
    let (level, parent, nest) = (vec![0; n], (0..n as u32).collect(), vec![None; n]);
    let mut find = Find { f, binders, uses: uses(f), level, parent, nest };
    let mut order = vec![];
    f.walk(BODY, &mut |o| order.push(o));
    for &o in &order {
        find.join(o);
    }
    find.siblings(&order);
    let mut ids: HashMap<(u32, bool, &[Extent]), u32, WordHash> = HashMap::default();
    let mut g = Groups { of: vec![None; n], members: vec![], escapes: vec![false; f.values.len()] };
    let useful = back(&mut find, &order);
    for &o in &order {
        let root = find.root(o.0);
        let (Some(nest), Some(&r)) = (&find.nest[root as usize], f.op(o).results.first()) else { continue };
        let dims: &[Extent] = &f.ty(r).dims;
        // Kept values that nothing in the loops reads are better computed all at once, afterwards.
        let tail = !useful[o.ix()];
        if tail && dims.is_empty() {
            continue;
        }
        let key = (root, tail, if tail { dims } else { nest.shape });
        let id = *ids.entry(key).or_insert_with(|| {
            g.members.push(vec![]);
            g.members.len() as u32 - 1
        });
        g.members[id as usize].push(o);
        g.of[o.ix()] = Some(id);
    }
    escapes(f, &order, &mut g);
    g
}
/// Members that belong into the loops: everything but kept values that lead to no full one.
fn back(find: &mut Find, order: &[OpId]) -> Vec<bool> {
    let f = find.f;
    let mut useful = vec![false; f.ops.len()];
    let mut leads = vec![false; f.values.len()];
    for &o in order.iter().rev() {
        let op = f.op(o);
        let root = find.root(o.0);
        let (Some(nest), Some(&r)) = (find.nest[root as usize].clone(), op.results.first()) else { continue };
        let full = nest.fit(&f.ty(r).dims) == Some(Fit::Full);
        useful[o.ix()] = full || matches!(kind(f, op), Kind::Fold) || leads[r.ix()];
        if !useful[o.ix()] {
            continue;
        }
        for &v in &op.operands {
            if let Some(p) = find.maker(v)
                && find.root(p.0) == root
            {
                leads[v.ix()] = true;
            }
        }
    }
    useful
}
fn escapes(f: &Func, order: &[OpId], g: &mut Groups) {
    let outside = |g: &Groups, o: OpId, v: ValueId| matches!(f.value(v).def, Def::Result(..)) && !g.with(o, f, v);
    for &o in order {
        for &v in &f.op(o).operands {
            if outside(g, o, v) {
                g.escapes[v.ix()] = true;
            }
        }
    }
    for r in &f.regions {
        r.yields.iter().for_each(|v| g.escapes[v.ix()] = true);
    }
    // A repeated value that is used outside is repeated there: the view of it costs nothing.
    for &o in order.iter().rev() {
        if g.of[o.ix()].is_some()
            && kind(f, f.op(o)) == Kind::Repeat
            && f.op(o).results.iter().any(|r| g.escapes[r.ix()])
        {
            f.op(o).operands.iter().for_each(|v| g.escapes[v.ix()] = true);
        }
    }
}
/// What is emitted as one: an op, or a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Op(OpId),
    Group(u32),
}
/// The function being written.
struct Emit<'a, 'm> {
    b: Builder<'m>,
    f: &'a Func,
    g: &'a Groups,
    binders: &'a [Vec<OpId>],
    map: Map,
    /// By op and by group: whether it is written.
    op_done: Vec<bool>,
    group_done: Vec<bool>,
    /// Per value: one more than the group that has it among its inputs.
    input_of: Vec<u32>,
}
impl Emit<'_, '_> {
    fn unit(&self, o: OpId) -> Unit {
        match self.g.of[o.ix()] {
            Some(id) if self.g.members[id as usize].len() > 1 => Unit::Group(id),
            _ => Unit::Op(o),
        }
    }
    fn done(&mut self, u: Unit) -> &mut bool {
        match u {
            Unit::Op(o) => &mut self.op_done[o.ix()],
            Unit::Group(id) => &mut self.group_done[id as usize],
        }
    }
    fn region(&mut self, r: RegionId) -> Result<()> {
        let (f, g) = (self.f, self.g);
        let mut stack = vec![];
        for &o in &f.region(r).ops {
            let first = self.unit(o);
            // A group waits for its last member, unless somebody needs it before.
            if let Unit::Group(id) = first
                && g.members[id as usize].last() != Some(&o)
            {
                continue;
            }
            stack.push((first, false));
            while let Some((u, ready)) = stack.pop() {
                if *self.done(u) {
                    continue;
                }
                if ready {
                    *self.done(u) = true;
                    match u {
                        Unit::Op(o) => self.op(o)?,
                        Unit::Group(id) => self.group(id)?,
                    }
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
                        if let Def::Result(p, _) = f.value(v).def
                            && f.value(v).region == r
                        {
                            let needed = self.unit(p);
                            if needed != u && !*self.done(needed) {
                                stack.push((needed, false));
                            }
                        }
                    }
                    for &p in &self.binders[o.ix()] {
                        // What is bound outside is written already.
                        let here = f.op(p).results.first().is_none_or(|&v| f.value(v).region == r);
                        let needed = self.unit(p);
                        if here && needed != u && !*self.done(needed) {
                            stack.push((needed, false));
                        }
                    }
                }
            }
        }
        Ok(())
    }
    fn op(&mut self, o: OpId) -> Result<()> {
        let op = self.f.op(o);
        let mut regions = Vec::with_capacity(op.regions.len());
        for &q in &op.regions {
            let opened = self.b.open_copy(self.f, q, &mut self.map)?;
            self.region(q)?;
            regions.push(self.b.close_copy(opened, self.f, q, &self.map)?);
        }
        let args = self.map.list(&op.operands)?;
        self.b.copy_with(self.f, o, args, regions, &mut self.map)?;
        Ok(())
    }
    fn group(&mut self, id: u32) -> Result<()> {
        let (f, g, b, map) = (self.f, self.g, &mut self.b, &mut self.map);
        let ops = &g.members[id as usize];
        let mut inputs: Vec<ValueId> = vec![];
        for &o in ops {
            for &v in &f.op(o).operands {
                if !g.with(o, f, v) && self.input_of[v.ix()] != id + 1 {
                    self.input_of[v.ix()] = id + 1;
                    inputs.push(v);
                }
            }
        }
        let operands = map.all(&inputs)?;
        let opened = b.open("body");
        // Inside, inputs are the body's parameters.
        for (&v, &x) in inputs.iter().zip(&operands) {
            let (ty, name) = (b.ty(x), b.name(x));
            let p = b.param_named(ty, name);
            map.insert(v, p);
        }
        let (mut outs, mut again) = (vec![], vec![]);
        for &o in ops {
            b.copy(f, o, map)?;
            let repeats = kind(f, f.op(o)) == Kind::Repeat;
            for &r in f.op(o).results.iter().filter(|r| g.escapes[r.ix()]) {
                if repeats { again.push(o) } else { outs.push(r) }
            }
        }
        let ys = map.all(&outs)?;
        let body = b.close(opened, ys);
        for (&v, &x) in inputs.iter().zip(&operands) {
            map.insert(v, x);
        }
        let rs = b.emit(NewOp::new(&tfc_ir::ops::fused::FUSED, &operands).regions(vec![body]))?;
        for (&old, &new) in outs.iter().zip(&rs) {
            let name = f.value(old).name.clone();
            b.hint(new, name);
            map.insert(old, new);
        }
        for o in again {
            b.copy(f, o, map)?;
        }
        Ok(())
    }
}
