//! Loop-invariant code motion: what a loop computes anew in each trip from values that no trip changes is computed once, before the
//! loop.
//!
//! A carry that every trip hands on unchanged is a value from outside. A value that does not change and is collected is a repeated value,
//! and a cut of a repeated value is that value. Each op then has a *level*: the depth of the innermost loop that changes what it reads.
//! An op whose level is less than its depth may leave the loops between.
//!
//! It leaves where that saves work: products, reductions and whatever else shares no loop nest with other ops always; elementwise
//! ops where they are few elements, cost much, or are written to memory in each trip anyway. An elementwise op that is cheaper to compute
//! again than to read stays. Only ops that cannot fail leave a loop, since a loop may run no trip; no bit of any result changes. Sizes
//! are numbers, so that no condition on extents has to hold at the new place.
use crate::PassError;
use crate::rewrite::improve;
use std::collections::{BTreeMap, BTreeSet};
use tfc_ir::op::{Loops, PortKind};
use tfc_ir::outside;
use tfc_ir::{BODY, Builder, Def, Effect, Func, Map, Module, Op, OpId, RegionId, Result, Type, ValueId};

/// Most bytes of one value that is kept for all trips.
const MOST_BYTES: usize = 64 << 20;
/// A value of so few elements is never dearer to keep than to compute.
const FEW: usize = 16;
/// Cost, in additions an element, from which an elementwise value is dearer to compute than to read.
const DEAR: u32 = 12;
/// So often a function is gone through: what one round makes a value from outside lets others leave in the next.
const ROUNDS: usize = 3;

/// The pass `licm`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    let mut any = false;
    for _ in 0..ROUNDS {
        let changed = improve(m, |m, f| {
            let Some(found) = Found::of(m, f)? else { return Ok(None) };
            let mut b = Builder::new(m, &f.name);
            b.mend();
            let mut map = Map::new();
            b.copy_header(f, &mut map)?;
            let mut moved = Moved { b: &mut b, f, found: &found };
            moved.ops(BODY, &mut map)?;
            let ys = map.all(f.returns())?;
            b.finish_rewritten(ys).map(Some)
        })?;
        any |= changed;
        if !changed {
            break;
        }
    }
    Ok(any)
}

/// Number of elements, where all extents are numbers.
fn elements(ty: &Type) -> Option<usize> {
    ty.exact_shape()?.iter().try_fold(1usize, |n, &d| n.checked_mul(d))
}
fn bytes(ty: &Type) -> Option<usize> {
    elements(ty)?.checked_mul(ty.dtype.size())
}
fn is_loop(op: &Op) -> bool {
    op.def.control.trips.is_some() || op.def.control.repeats.is_some()
}
/// True if the op only moves the elements of one operand, so that engines take its result for a view.
fn is_view(op: &Op) -> bool {
    matches!(op.def.loops, Loops::Same | Loops::Repeat) || (op.def.movement.element.is_some() && op.operands.len() == 1)
}

/// A carry of a loop that each trip hands on unchanged, as numbers of operand and result.
struct Constant {
    operand: usize,
    params: Vec<ValueId>,
    result: Option<usize>,
}
/// What leaves which loop.
#[derive(Default)]
struct Found {
    /// By loop, its carries that no trip changes.
    constant: BTreeMap<OpId, Vec<Constant>>,
    /// Parameters and results of such carries, and the operand that each is.
    same: BTreeMap<ValueId, ValueId>,
    /// By loop, the ops that are computed before the loop, in the order of the function. Those that are not in `gone` are computed within
    /// it as well.
    before: BTreeMap<OpId, BTreeSet<OpId>>,
    /// Ops that are no longer computed where they stand.
    gone: BTreeSet<OpId>,
    /// By loop, the collected values that no trip changes: number of the result, and the axis along which it is collected.
    repeated: BTreeMap<OpId, Vec<(usize, usize)>>,
    /// By loop, the cut operands that repeat one value along the axis that is cut: number of the operand.
    cut: BTreeMap<OpId, Vec<usize>>,
}

/// A walk through a function that gives each value its level.
struct Levels<'a> {
    m: &'a Module,
    f: &'a Func,
    uses: &'a Uses,
    /// Loops around the place, outermost first.
    around: Vec<OpId>,
    /// The region is a function's or a loop's, so that its ops run whenever the loops around them run a trip.
    runs: bool,
    level: Vec<u32>,
    /// By op that may leave loops: the loops around it.
    free: BTreeMap<OpId, Vec<OpId>>,
    found: Found,
}
impl Levels<'_> {
    fn region(&mut self, r: RegionId) -> Result<()> {
        let f = self.f;
        for &o in &f.region(r).ops {
            let op = f.op(o);
            let depth = self.around.len() as u32;
            // What a nested region is given by its op does not change where the region's own loop does not.
            let mut level = op.operands.iter().map(|v| self.level[v.ix()]).max().unwrap_or(0);
            let enters = is_loop(op) && plain(op);
            let runs = self.runs;
            if enters {
                self.enter(o, depth)?;
            } else {
                self.runs = false;
                for &v in op.regions.iter().flat_map(|&q| &f.region(q).params) {
                    self.level[v.ix()] = depth;
                }
            }
            for &q in &op.regions {
                self.region(q)?;
                for v in f.captures(q) {
                    level = level.max(self.level[v.ix()]);
                }
            }
            if enters {
                self.around.pop();
            }
            self.runs = runs;
            let free = level < depth && runs && self.may_leave(o);
            for &v in &op.results {
                self.level[v.ix()] = if free { level } else { depth };
            }
            if free {
                self.free.insert(o, self.around.clone());
            }
            for c in self.found.constant.get(&o).into_iter().flatten() {
                if let Some(i) = c.result {
                    self.level[op.results[i].ix()] = self.level[op.operands[c.operand].ix()].min(depth);
                }
            }
        }
        Ok(())
    }
    /// Finds the carries of a loop that no trip changes, and gives its parameters their levels.
    fn enter(&mut self, o: OpId, depth: u32) -> Result<()> {
        let f = self.f;
        let op = f.op(o);
        self.around.push(o);
        for &v in op.regions.iter().flat_map(|&q| &f.region(q).params) {
            self.level[v.ix()] = depth + 1;
        }
        let Some(ports) = op.def.control.ports else { return Ok(()) };
        let mut constant = vec![];
        for p in (ports.of)(f, o) {
            let (PortKind::Carry, Some(operand)) = (p.kind, p.operand) else { continue };
            let params: Vec<ValueId> = p.params.iter().map(|&(r, i)| f.region(op.regions[r]).params[i]).collect();
            let same = |&(r, i): &(usize, usize)| params.contains(&f.region(op.regions[r]).yields[i]);
            let ty = f.ty(op.operands[operand]);
            let exact = elements(ty).is_some() && params.iter().all(|&v| f.ty(v) == ty);
            if exact && !p.yields.is_empty() && p.yields.iter().all(same) {
                for v in &params {
                    self.level[v.ix()] = self.level[op.operands[operand].ix()].min(depth);
                }
                // A loop that only running it ends may run for ever or for too long: who reads its results waits for that.
                constant.push(Constant {
                    operand,
                    params,
                    result: p.result.filter(|_| op.def.control.trips.is_some()),
                });
            }
        }
        let used = |&v: &ValueId| !self.uses.by[v.ix()].is_empty();
        let result =
            |c: &Constant| c.result.is_some_and(|i| used(&op.results[i]) || self.uses.yielded[op.results[i].ix()]);
        constant.retain(|c| c.params.iter().any(used) || result(c));
        for c in &constant {
            let all = c.params.iter().copied().chain(c.result.map(|i| op.results[i]));
            self.found.same.extend(all.map(|v| (v, op.operands[c.operand])));
        }
        if !constant.is_empty() {
            self.found.constant.insert(o, constant);
        }
        Ok(())
    }
    /// Whether an op may run where the loop around it runs no trip, and needs nothing that holds only inside the loop.
    fn may_leave(&self, o: OpId) -> bool {
        let (f, op) = (self.f, self.f.op(o));
        let mut ok =
            self.m.effect(f, o) == Effect::Pure && !op.def.late && !op.def.calls() && f.extents_named(o).is_empty();
        let mut see = |o: OpId| {
            let op = f.op(o);
            let sizes = op.results.iter().chain(&op.operands).all(|&v| elements(f.ty(v)).is_some());
            let regions = op.regions.iter().map(|&q| f.region(q));
            ok &= plain(op) && sizes && regions.into_iter().all(|q| q.guards.is_empty() && q.wheres.is_empty());
        };
        see(o);
        op.regions.iter().for_each(|&q| f.walk(q, &mut see));
        ok
    }
}
/// Nothing is checked where the op runs.
fn plain(op: &Op) -> bool {
    op.guards.is_empty() && op.wheres.is_empty()
}

/// Who reads a value: ops, and whether a region yields it.
struct Uses {
    by: Vec<Vec<OpId>>,
    yielded: Vec<bool>,
}
impl Uses {
    fn of(f: &Func) -> Uses {
        let mut uses = Uses { by: vec![vec![]; f.values.len()], yielded: vec![false; f.values.len()] };
        f.returns().iter().for_each(|v| uses.yielded[v.ix()] = true);
        f.walk(BODY, &mut |o| {
            let op = f.op(o);
            op.operands.iter().for_each(|v| uses.by[v.ix()].push(o));
            for &q in &op.regions {
                f.region(q).yields.iter().for_each(|v| uses.yielded[v.ix()] = true);
            }
        });
        uses
    }
}

/// The value that a carry which no trip changes has from outside; any other value itself.
fn origin(same: &BTreeMap<ValueId, ValueId>, mut v: ValueId) -> ValueId {
    while let Some(&x) = same.get(&v) {
        v = x;
    }
    v
}

impl Found {
    /// What can leave loops of `f`; `None` where nothing can.
    fn of(m: &Module, f: &Func) -> Result<Option<Found>> {
        let mut loops = false;
        f.walk(BODY, &mut |o| loops |= is_loop(f.op(o)));
        if !loops {
            return Ok(None);
        }
        let (level, around, uses) = (vec![0; f.values.len()], vec![], Uses::of(f));
        let (free, found) = (BTreeMap::new(), Found::default());
        let mut levels = Levels { m, f, uses: &uses, around, runs: true, level, free, found };
        levels.region(BODY)?;
        let Levels { level, free, mut found, .. } = levels;
        let choice = Choice { f, level: &level, free: &free, uses: &uses };
        found.gone = free.keys().copied().filter(|&o| choice.is_worth_it(o)).collect();
        for (o, around) in free.iter().filter(|x| choice.is_worth_it(*x.0)) {
            choice.leave(*o, choice.level_of(*o), around, &mut found);
        }
        choice.repeats(&mut found)?;
        let none =
            found.gone.is_empty() && found.constant.is_empty() && found.repeated.is_empty() && found.cut.is_empty();
        Ok((!none).then_some(found))
    }
}
/// Which of the ops that may leave loops do.
struct Choice<'a> {
    f: &'a Func,
    level: &'a [u32],
    free: &'a BTreeMap<OpId, Vec<OpId>>,
    uses: &'a Uses,
}
impl Choice<'_> {
    fn level_of(&self, o: OpId) -> usize {
        self.f.op(o).results.iter().map(|v| self.level[v.ix()]).max().unwrap_or(0) as usize
    }
    fn maker(&self, v: ValueId) -> Option<OpId> {
        match self.f.value(v).def {
            Def::Result(o, _) => Some(o),
            _ => None,
        }
    }
    fn is_worth_it(&self, o: OpId) -> bool {
        let (f, op) = (self.f, self.f.op(o));
        if op.def.constant || is_view(op) {
            return false;
        }
        let size: Option<usize> = op.results.iter().map(|&v| bytes(f.ty(v))).sum();
        if size.is_none_or(|n| n > MOST_BYTES) {
            return false;
        }
        if op.def.scalar.is_none() {
            return true;
        }
        let Some(&v) = op.results.first() else { return false };
        // What only reads it leaves with it: the decision is that op's.
        let level = self.level_of(o);
        let stays = |q: &OpId| !self.free.contains_key(q) || self.level_of(*q) > level;
        let mut readers = vec![];
        let yielded = self.readers(v, &mut readers, &mut 0);
        if !yielded && !readers.iter().any(stays) {
            return false;
        }
        let few = elements(f.ty(v)).is_some_and(|n| n <= FEW);
        let written = |q: &OpId| f.op(*q).def.scalar.is_none() && f.op(*q).def.loops == Loops::Own;
        if few || yielded || readers.iter().any(written) {
            return true;
        }
        let (mut cost, mut leaf) = (0, 0);
        self.chain(v, &mut cost, &mut leaf, &mut BTreeSet::new());
        cost >= DEAR || bytes(f.ty(v)).is_some_and(|n| n <= leaf)
    }
    /// The ops that read a value or a view of it; returns whether a region yields one of these.
    fn readers(&self, v: ValueId, out: &mut Vec<OpId>, steps: &mut usize) -> bool {
        let mut yielded = self.uses.yielded[v.ix()];
        for &q in &self.uses.by[v.ix()] {
            *steps += 1;
            let op = self.f.op(q);
            match op.results.first() {
                Some(&r) if is_view(op) && *steps < 64 => yielded |= self.readers(r, out, steps),
                _ => out.push(q),
            }
        }
        yielded
    }
    /// What computing an element of a value costs by elementwise ops that may leave with it, and the bytes of the largest value that they
    /// read and that nothing else in a loop reads.
    fn chain(&self, v: ValueId, cost: &mut u32, leaf: &mut usize, seen: &mut BTreeSet<ValueId>) {
        if !seen.insert(v) || seen.len() > 64 {
            return;
        }
        let made = self.maker(v).filter(|o| self.free.contains_key(o));
        let op = made.map(|o| self.f.op(o)).filter(|op| op.def.scalar.is_some() || is_view(op) || op.def.constant);
        match op {
            Some(op) => {
                *cost = cost.saturating_add(op.def.scalar.map_or(0, |s| s.cost()));
                op.operands.iter().for_each(|&x| self.chain(x, cost, leaf, seen));
            }
            None => {
                let inside = |q: &OpId| !self.free.contains_key(q) && !seen.iter().any(|&s| self.maker(s) == Some(*q));
                if !self.uses.by[v.ix()].iter().any(inside) {
                    *leaf = (*leaf).max(bytes(self.f.ty(v)).unwrap_or(0));
                }
            }
        }
    }
    /// Op `o` runs before the loop that stands at `level`, and with `o` whatever it reads that would stand inside that loop.
    fn leave(&self, o: OpId, level: usize, around: &[OpId], found: &mut Found) {
        let Some(&target) = around.get(level) else { return };
        if !found.before.entry(target).or_default().insert(o) {
            return;
        }
        let op = self.f.op(o);
        let inner = op.regions.iter().flat_map(|&q| self.f.captures(q));
        for v in op.operands.iter().copied().chain(inner).collect::<Vec<_>>() {
            let made = self.maker(origin(&found.same, v)).filter(|q| !found.gone.contains(q));
            // What leaves for a reason of its own stands before this loop, or before one around it.
            let Some((q, outer)) = made.and_then(|q| Some((q, self.free.get(&q)?))) else { continue };
            if outer.len() > level {
                self.leave(q, level, outer, found);
            }
        }
    }
    /// Collected values that no trip changes, and cut operands that are one value repeated.
    fn repeats(&self, found: &mut Found) -> Result<()> {
        let f = self.f;
        let mut all = vec![];
        f.walk(BODY, &mut |o| all.push(o));
        for o in all {
            let op = f.op(o);
            let (Some(trips), Some(&body)) = (op.def.control.trips, op.regions.first()) else { continue };
            if !plain(op) {
                continue;
            }
            let d = outside::column(op.def, "trips", || trips(f, op))?;
            if d.length.as_exact().is_none() {
                continue;
            }
            for (k, how) in d.collect.iter().enumerate() {
                let (Some(&y), Some(&r)) = (f.region(body).yields.get(d.carry + k), op.results.get(d.carry + k)) else {
                    continue;
                };
                let outside =
                    !f.within(f.value(y).region, body) || self.maker(y).is_some_and(|q| found.gone.contains(&q));
                let stacked = matches!(how, tfc_ir::ops::control::Gather::Stack(_));
                if outside && stacked && elements(f.ty(r)).is_some() && !self.uses.by[r.ix()].is_empty() {
                    found.repeated.entry(o).or_default().push((d.carry + k, how.axis(f.ty(y).rank())));
                }
            }
            for (k, &axis) in d.cut.iter().enumerate() {
                let (x, Some(&p)) = (op.operands[d.carry + k], f.region(body).params.get(d.carry + k)) else {
                    continue;
                };
                let repeats = self
                    .maker(x)
                    .map(|q| f.op(q))
                    .is_some_and(|q| q.def.loops == Loops::Repeat && !q.attrs.indices("dims").contains(&axis));
                if repeats && elements(f.ty(x)).is_some() && !self.uses.by[p.ix()].is_empty() {
                    found.cut.entry(o).or_default().push(d.carry + k);
                }
            }
        }
        Ok(())
    }
}

/// A function being built again.
struct Moved<'h, 'm> {
    b: &'h mut Builder<'m>,
    f: &'h Func,
    found: &'h Found,
}
impl Moved<'_, '_> {
    fn ops(&mut self, r: RegionId, map: &mut Map) -> Result<()> {
        let f = self.f;
        for &o in f.region(r).ops.iter().filter(|o| !self.found.gone.contains(o)) {
            self.op(o, map)?;
        }
        Ok(())
    }
    fn op(&mut self, o: OpId, map: &mut Map) -> Result<()> {
        let f = self.f;
        let op = f.op(o);
        for &q in self.found.before.get(&o).into_iter().flatten() {
            let inner = f.op(q).regions.iter().flat_map(|&r| f.captures(r));
            for v in f.op(q).operands.iter().copied().chain(inner).collect::<Vec<_>>() {
                let x = origin(&self.found.same, v);
                if x != v {
                    map.insert(v, map.value(x)?);
                }
            }
            self.op(q, map)?;
        }
        let none = vec![];
        let constant = self.found.constant.get(&o).unwrap_or(&none);
        let args = map.list(&op.operands)?;
        let mut same: Vec<(ValueId, ValueId)> = vec![];
        for c in constant {
            same.extend(c.params.iter().map(|&p| (p, args[c.operand])));
        }
        for &k in self.found.cut.get(&o).into_iter().flatten() {
            let p = f.region(op.regions[0]).params[k];
            same.push((p, self.slice(o, k, map)?));
        }
        let mut regions = Vec::with_capacity(op.regions.len());
        for &q in &op.regions {
            let opened = self.b.open_copy(f, q, map)?;
            let own: Vec<_> = f.region(q).params.iter().filter_map(|&p| Some((p, map.get(p)?))).collect();
            same.iter().for_each(|&(p, x)| map.insert(p, x));
            self.ops(q, map)?;
            // What is handed on is the parameter itself: the carry costs nothing, or goes where nothing reads it.
            own.iter().for_each(|&(p, x)| map.insert(p, x));
            regions.push(self.b.close_copy(opened, f, q, map)?);
        }
        self.b.copy_with(f, o, args.clone(), regions, map)?;
        for c in constant {
            if let Some(i) = c.result {
                map.insert(op.results[i], args[c.operand]);
            }
        }
        for &(k, axis) in self.found.repeated.get(&o).into_iter().flatten() {
            let body = *op.regions.first().ok_or_else(lost)?;
            let y = map.value(f.region(body).yields[k])?;
            let ty = map.ty(f.ty(op.results[k]))?;
            let dims: Vec<usize> = (0..ty.rank()).filter(|&a| a != axis).collect();
            let old = self.b.set_loc(op.loc, op.span);
            let all = self.b.broadcast(y, &ty, &dims)?;
            self.b.set_loc(old.0, old.1);
            self.b.shard_like(all, f, op.results[k]);
            map.insert(op.results[k], all);
        }
        Ok(())
    }
    /// What each trip cuts of operand `k` of a loop, which repeats one value.
    fn slice(&mut self, o: OpId, k: usize, map: &Map) -> Result<ValueId> {
        let (f, op) = (self.f, self.f.op(o));
        let trips = op.def.control.trips.ok_or_else(lost)?;
        let d = outside::column(op.def, "trips", || trips(f, op))?;
        let axis = *d.cut.get(k - d.carry).ok_or_else(lost)?;
        let repeat = f.def_op(op.operands[k]).ok_or_else(lost)?;
        let ty = map.ty(f.ty(f.region(op.regions[0]).params[k]))?;
        let dims: Vec<usize> = repeat.attrs.indices("dims").iter().map(|&a| if a > axis { a - 1 } else { a }).collect();
        let source = map.value(repeat.operands[0])?;
        self.b.broadcast(source, &ty, &dims)
    }
}
fn lost() -> tfc_ir::Error {
    tfc_ir::Error::bug(tfc_ir::Code::E0599, "a value of a loop is not known where it leaves the loop")
}
