//! Calls, branches and loops. Branches and loops hand values on without copies: a result is a view of what the branch
//! yielded or the loop carried last; carries alternate between two buffers, and the body computes the next carry and each
//! collected element where they belong, whenever it computes them at all.
use std::collections::BTreeSet;

use tfc_ir::derive::callee;
use tfc_ir::extent::Atom;
use tfc_ir::ops::control::{Gather, ScanDims, while_gathers};
use tfc_ir::{Binder, Def, ExistId, Func, Guard, Op, RegionId, Result, ValueId};

use super::build::{Lower, bug};
use super::*;

impl Lower<'_> {
    /// `call`.
    pub(crate) fn call(&mut self, op: &Op) -> Result<()> {
        let sym = callee(&op.attrs)?;
        let callees = self.callees;
        let Some(callee) = callees.get(&sym.func) else { return Err(bug(op, "its callee has no plan")) };
        let plan = callee.plan;
        self.nests(callee.depth)?;
        let f = self.f.clone();
        let syms = self.ext_list(&sym.extents);
        let args: Box<[Slot]> = (0..op.operands.len()).map(|i| self.operand(op, i)).collect::<Result<_>>()?;
        let results: Box<[Slot]> = op.results.iter().map(|&v| self.own(v)).collect();
        let binds = bound_by_results(&f, op);
        let (frame, name) = (self.frames, callee.name.clone());
        self.frames = frame.saturating_add(1).saturating_add(callee.frames);
        self.push(Do::Call(Box::new(Call { plan, name, frame, syms, args, results, binds })));
        Ok(())
    }
    /// `cond`, `switch`.
    pub(crate) fn branch(&mut self, op: &Op, by: By) -> Result<()> {
        let f = self.f.clone();
        let choice = self.value(*op.operands.first().ok_or_else(|| bug(op, "nothing chooses"))?)?;
        let mut ways = vec![];
        for &r in &op.regions {
            let region = f.region(r);
            for (&p, &x) in region.params.iter().zip(&op.operands[1..]) {
                let s = self.value(x)?;
                self.of[p.ix()] = s;
            }
            self.pos += 1;
            let block = self.nested_block(|l| l.block_ops(r))?;
            let yields = region.yields.iter().map(|&v| self.value(v)).collect::<Result<_>>()?;
            ways.push(Way { block, yields });
        }
        self.span = op.span;
        if ways.is_empty() {
            return Err(bug(op, "no regions"));
        }
        let mut outs = vec![];
        for (i, &v) in op.results.iter().enumerate() {
            let all: Vec<Slot> = ways.iter().map(|w| w.yields[i]).collect();
            outs.push(self.alias(v, &all));
        }
        let (binds, claims) = (bound_by_results(&f, op), claims(op));
        let (ways, outs) = (ways.into(), outs.into());
        self.push(Do::Cond(Box::new(Cond { choice, by, ways, outs, binds, claims })));
        // What the branches yield lives as long as the results, whichever branch runs.
        for &v in &op.results {
            let s = self.of[v.ix()];
            self.read(s);
        }
        Ok(())
    }
    /// A carry: its parameters, buffers and, where the body computes it, the request to do so in the buffer.
    fn carry(
        &mut self,
        op: &Op,
        i: usize,
        regions: &[RegionId],
        body: RegionId,
        asked: &mut Vec<ValueId>,
    ) -> Result<Carry> {
        let f = self.f.clone();
        let init = self.value(op.operands[i])?;
        let ty = f.ty(op.operands[i]).clone();
        let region = f.region(body);
        let (y, p) = (region.yields[i], region.params[i]);
        let same = y == p;
        let grows = f.ty(p).dims.iter().any(|d| f.bound_within(d, body));
        let (a, b) = (self.store(&ty), self.store(&ty));
        let mut params = vec![];
        for &r in regions {
            let q = f.region(r).params[i];
            let s = self.alias(q, &[init]);
            if !same {
                self.roots[s as usize].extend([a, b]);
            }
            params.push(s);
        }
        if !same && !grows {
            self.ask(y, body, vec![a, b], asked);
        }
        let (yielded, result) = (NONE, NONE);
        Ok(Carry {
            init,
            params: params.into(),
            yielded,
            result,
            stores: [a, b],
            buffers: Buffers::Two,
            direct: false,
            same,
            grows,
            turns: false,
        })
    }
    /// Finds the carries that only regions have to do with.
    fn carries_turn(&self, l: &mut Loop) {
        for i in 0..l.carries.len() {
            let c = &l.carries[i];
            if c.same || c.grows || c.buffers != Buffers::Two || self.slots[c.init as usize].dims.len() < 2 {
                continue;
            }
            let mut parts: BTreeSet<Slot> = c.params.iter().copied().collect();
            let blocks: Vec<&Block> = l.cond.iter().map(|b| &b.0).chain([&l.body]).collect();
            let fine = blocks.into_iter().all(|b| self.regions_alone(b, c.yielded, &mut parts));
            let handed =
                l.carries.iter().map(|c| c.yielded).chain(l.ys.iter().map(|y| y.yielded)).any(|y| parts.contains(&y));
            l.carries[i].turns = fine && !handed;
        }
    }
    /// Whether nothing in the block but regions reads what is in `parts`, or views of it, or computes `made`.
    fn regions_alone(&self, block: &Block, made: Slot, parts: &mut BTreeSet<Slot>) -> bool {
        block.iter().all(|step| {
            let (mut reads, mut writes) = (false, vec![]);
            step.what.uses(&mut |s, u| match u {
                Use::Read => reads |= parts.contains(&s),
                Use::Write => writes.push(s),
            });
            match &step.what {
                Do::Run(_) => {}
                Do::View(_) if reads => parts.extend(writes),
                Do::View(_) => {}
                _ if reads || writes.contains(&made) => return false,
                _ => {}
            }
            step.what.blocks().into_iter().all(|b| self.regions_alone(b, made, parts))
        })
    }
    /// Asks the body to compute `y` in given storage, if it computes it and nobody else has asked.
    fn ask(&mut self, y: ValueId, body: RegionId, roots: Vec<Store>, asked: &mut Vec<ValueId>) {
        let v = self.f.value(y);
        if matches!(v.def, Def::Result(..)) && v.region == body && !asked.contains(&y) {
            asked.push(y);
            self.forward.insert(y, roots);
        }
    }
    /// Finishes carries and collected values after the body has been lowered.
    fn finish(&mut self, op: &Op, body: RegionId, l: &mut Loop) -> Result<()> {
        let f = self.f.clone();
        let yields = &f.region(body).yields;
        let k = l.carries.len();
        let asks = |i: usize| match l.carries.get(i) {
            Some(c) => !c.same && !c.grows,
            None => !l.ys[i - k].joined,
        };
        let direct: Vec<bool> = (0..yields.len())
            .map(|i| {
                let v = yields[i];
                let given = self.of[v.ix()] != NONE && self.slots[self.of[v.ix()] as usize].place == Place::Given;
                // The first to ask for a value got it.
                given
                    && asks(i)
                    && yields[..i].iter().enumerate().all(|(j, &w)| w != v || !asks(j))
                    && !self.forward.contains_key(&v)
                    && f.value(v).region == body
            })
            .collect();
        for (i, &y) in yields.iter().enumerate() {
            self.forward.remove(&y);
            let s = self.value(y)?;
            if i < k {
                let c = &mut l.carries[i];
                (c.yielded, c.direct) = (s, direct[i] && !c.same);
            } else {
                let c = &mut l.ys[i - k];
                (c.yielded, c.direct) = (s, direct[i]);
            }
        }
        self.leave_loop();
        for (i, &v) in op.results.iter().enumerate() {
            if i < k {
                let (init, stores, same) = (l.carries[i].init, l.carries[i].stores, l.carries[i].same);
                let s = self.alias(v, &[init]);
                if !same {
                    self.roots[s as usize].extend(stores);
                }
                self.read(s);
                l.carries[i].result = s;
            } else {
                let (s, r) = (l.ys[i - k].result, l.ys[i - k].store);
                self.stores[r as usize].live.1 = self.stores[r as usize].live.1.max(self.pos);
                self.of[v.ix()] = s;
                self.read(s);
            }
        }
        Ok(())
    }
    fn touch_all(&mut self, l: &Loop) {
        for c in &l.carries {
            for s in c.params.iter() {
                self.read(*s);
            }
            self.read(c.init);
        }
    }
    /// `scan`.
    pub(crate) fn scan(&mut self, op: &Op) -> Result<()> {
        let f = self.f.clone();
        let d = ScanDims::of(&f, op)?;
        let body = op.regions[0];
        let mut asked = vec![];
        let mut l = Loop {
            id: 0,
            bindable: false,
            trips: self.ext(&d.length),
            reverse: d.reverse,
            cond: None,
            max_trips: None,
            binds: None,
            own: own_extents(&f, &[body]),
            bound: bound_by_results(&f, op),
            claims: claims(op),
            carries: vec![],
            xs: vec![],
            ys: vec![],
            body: Box::new([]),
        };
        for i in 0..d.carry {
            let c = self.carry(op, i, &[body], body, &mut asked)?;
            l.carries.push(c);
        }
        for (i, &axis) in d.cut.iter().enumerate() {
            let src = self.value(op.operands[d.carry + i])?;
            let p = f.region(body).params[d.carry + i];
            let s = self.alias(p, &[src]);
            l.xs.push((src, s, axis as u32));
        }
        self.collect(op, body, &d.collect, d.carry, false, &mut l, &mut asked)?;
        self.run_loop(op, None, body, l)
    }
    fn collect(
        &mut self,
        op: &Op,
        body: RegionId,
        how: &[Gather],
        carry: usize,
        grows: bool,
        l: &mut Loop,
        asked: &mut Vec<ValueId>,
    ) -> Result<()> {
        let f = self.f.clone();
        for (j, &how) in how.iter().enumerate() {
            let v = op.results[carry + j];
            let s = self.own(v);
            // Collected into storage of its own even where a loop around asked for the result.
            let store = match self.slots[s as usize].place {
                Place::Own(r) => r,
                _ => {
                    let r = self.store(f.ty(v));
                    self.slots[s as usize].place = Place::Own(r);
                    self.roots[s as usize] = vec![r];
                    r
                }
            };
            let joined = how == Gather::Concat;
            self.stores[store as usize].grows = grows || joined;
            let y = f.region(body).yields[carry + j];
            if !joined {
                self.ask(y, body, vec![store], asked);
            }
            let axis = how.axis(f.ty(v).rank()) as u32;
            l.ys.push(Collect { yielded: NONE, result: s, store, axis, joined, direct: false });
        }
        Ok(())
    }
    /// `while`.
    pub(crate) fn while_loop(&mut self, op: &Op) -> Result<()> {
        let f = self.f.clone();
        let (cond, body) = (op.regions[0], op.regions[1]);
        let k = op.operands.len();
        let mut asked = vec![];
        let max = op.attrs.extents("max_trips").first().cloned();
        let how = while_gathers(&f, op)?;
        let stack = how.iter().position(|g| *g != Gather::Concat).and_then(|j| op.results.get(k + j));
        let binds = stack.and_then(|&v| f.ty(v).dims.last()).and_then(|d| d.as_atom());
        let mut l = Loop {
            id: 0,
            bindable: false,
            trips: NONE,
            reverse: false,
            cond: None,
            max_trips: max.map(|e| self.ext(&e)),
            binds: if let Some(Atom::Exist(x)) = binds { Some(x) } else { None },
            own: own_extents(&f, &[cond, body]),
            bound: bound_by_results(&f, op),
            claims: claims(op),
            carries: vec![],
            xs: vec![],
            ys: vec![],
            body: Box::new([]),
        };
        for i in 0..k {
            let c = self.carry(op, i, &[cond, body], body, &mut asked)?;
            l.carries.push(c);
        }
        self.collect(op, body, &how, k, true, &mut l, &mut asked)?;
        self.run_loop(op, Some(cond), body, l)
    }
    fn run_loop(&mut self, op: &Op, cond: Option<RegionId>, body: RegionId, mut l: Loop) -> Result<()> {
        let f = self.f.clone();
        l.id = self.loop_count;
        self.loop_count += 1;
        self.enter_loop();
        self.touch_all(&l);
        if let Some(c) = cond {
            let mut flag = NONE;
            let steps = self.nested_block(|lw| {
                lw.block_ops(c)?;
                flag = lw.value(f.region(c).yields[0])?;
                Ok(())
            })?;
            l.cond = Some((steps, flag));
        }
        for (src, p, _) in &l.xs {
            self.read(*src);
            self.read(*p);
        }
        l.body = self.nested_block(|lw| lw.block_ops(body))?;
        self.span = op.span;
        self.finish(op, body, &mut l)?;
        self.carries_in_place(&mut l);
        self.carries_turn(&mut l);
        l.bindable = l.has_bindable_trips();
        self.push(Do::Loop(Box::new(l)));
        Ok(())
    }
}
/// Extents that results of `op` are said to have.
fn claims(op: &Op) -> Box<[Guard]> {
    op.guards.iter().filter(|g| g.found.is_some()).cloned().collect()
}
/// Existentials that parameters of these regions bind: (existential, parameter, axis), the first place of each.
fn own_extents(f: &Func, regions: &[RegionId]) -> Vec<(ExistId, u32, u32)> {
    let mut out: Vec<(ExistId, u32, u32)> = vec![];
    for &r in regions {
        for (i, &p) in f.region(r).params.iter().enumerate() {
            for (a, d) in f.ty(p).dims.iter().enumerate() {
                if let Some(Atom::Exist(x)) = d.as_atom()
                    && f.binder(x) == Some(Binder::Params(r))
                    && out.iter().all(|o| o.0 != x)
                {
                    out.push((x, i as u32, a as u32));
                }
            }
        }
    }
    out
}
/// Existentials that the extents of `op`'s results bind: (result, axis, existential).
pub(crate) fn bound_by_results(f: &Func, op: &Op) -> Box<[(u32, u32, ExistId)]> {
    let mut binds: Vec<(u32, u32, ExistId)> = vec![];
    for (i, &v) in op.results.iter().enumerate() {
        for (a, d) in f.ty(v).dims.iter().enumerate() {
            if let Some(Atom::Exist(x)) = d.as_atom()
                && binds.iter().all(|b| b.2 != x)
                && let Some(Binder::Op(o)) = f.binder(x)
                && f.op(o).results == op.results
            {
                binds.push((i as u32, a as u32, x));
            }
        }
    }
    binds.into()
}
