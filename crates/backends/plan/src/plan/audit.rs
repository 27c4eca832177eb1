//! The checker of plans: follows every slot through the steps, over the memory that assignment gave it, and holds that each
//! read sees what its slot was given. It knows nothing of how memory was assigned, so that neither a rule that forgets
//! what a step reads nor a wrong lifetime stays unseen; every plan is checked where debug assertions are on.
//!
//! What is followed: for each slot the memories in which it may lie, and whether one of them has been written for another
//! slot since. A loop is followed trip by trip, its carries alternating between their two buffers, until nothing new is
//! found; a carry that has one buffer has to be there at the end of each trip; branches are joined. What is said is sure in one direction: a plan that passes has no such fault.
use std::collections::BTreeMap;
use std::sync::Arc;

use tfc_ir::{Code, Error, Result};

use super::*;

/// Steps that are followed at most: loops in loops in loops are followed many times.
const MOST_STEPS: u64 = 4_000_000;

/// A piece of memory that slots share or do not share as a whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Mem {
    /// A buffer of the frame.
    Buffer(u32),
    /// Storage of its own, of a result.
    Result(Store),
    /// The memory of an argument.
    Arg(u32),
    /// A constant.
    Const(u32),
}
/// Where a slot lies: any of these, in order.
type Mems = Arc<[Mem]>;

/// Whether the memory of a slot was written for others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Written {
    No,
    /// For this slot alone.
    For(Slot),
    /// For several, or it is not known for which.
    Often,
}
/// What is known between two steps.
#[derive(Clone, PartialEq)]
struct State {
    /// By slot; `None`: it has not been given elements.
    at: Vec<Option<Mems>>,
    /// By slot: the other slot for which a memory that it may lie in was written.
    stale: Vec<Written>,
    /// For each memory, slots that may lie in it.
    holders: BTreeMap<Mem, Vec<Slot>>,
}
impl State {
    /// Slot `s` lies in `mems`, where nothing is written for it.
    fn define(&mut self, s: Slot, mems: &Mems) {
        for &m in mems.iter() {
            let list = self.holders.entry(m).or_default();
            if !list.contains(&s) {
                list.push(s);
            }
        }
        self.at[s as usize] = Some(mems.clone());
        self.stale[s as usize] = Written::No;
    }
    /// The memories are written for slot `s`: what else lies there is gone, but for `keep`.
    fn clobber(&mut self, mems: &[Mem], s: Slot, keep: &[Slot]) {
        for m in mems {
            let Some(list) = self.holders.get_mut(m) else { continue };
            list.retain(|&h| {
                // It may have moved since.
                let there = self.at[h as usize].as_ref().is_some_and(|l| l.contains(m));
                if there && h != s && !keep.contains(&h) {
                    let by = &mut self.stale[h as usize];
                    *by = if *by == Written::No { Written::For(s) } else { Written::Often };
                }
                keep.contains(&h)
            });
        }
    }
    /// What holds on both ways.
    fn join(&mut self, other: &State) {
        for s in 0..self.at.len() {
            let both = match (&self.at[s], &other.at[s]) {
                (Some(a), Some(b)) if a == b => Some(a.clone()),
                (Some(a), Some(b)) => {
                    let mut all: Vec<Mem> = a.iter().chain(b.iter()).copied().collect();
                    all.sort_unstable();
                    all.dedup();
                    Some(all.into())
                }
                _ => None,
            };
            self.at[s] = both;
            if self.stale[s] != other.stale[s] {
                self.stale[s] = Written::Often;
            }
        }
        for (m, list) in &other.holders {
            let own = self.holders.entry(*m).or_default();
            for h in list {
                if !own.contains(h) {
                    own.push(*h);
                }
            }
        }
    }
}

/// Holds that the steps of a plan read what they mean to read.
///
/// # Errors
/// `E0718` with the first read that may see something else.
pub fn audit(plan: &Plan) -> Result<()> {
    let n = plan.slots.len();
    let mut st = State { at: vec![None; n], stale: vec![Written::No; n], holders: BTreeMap::new() };
    for (s, d) in plan.slots.iter().enumerate() {
        match d.place {
            Place::Arg(i) => st.define(s as Slot, &[Mem::Arg(i)].into()),
            Place::Const(i) => st.define(s as Slot, &[Mem::Const(i)].into()),
            _ => {}
        }
    }
    let mut views = BTreeMap::new();
    windows(&plan.body, &mut views);
    let mut a = Audit { plan, given: BTreeMap::new(), views, steps: 0 };
    a.parts()?;
    a.block(&mut st, &plan.body)?;
    plan.results.iter().try_for_each(|&s| a.read(&st, s, "the results"))
}

/// Breaks the assignment of memory, or does not: two buffers become one, a slot lies over another one of its shape, or a part lies
/// elsewhere in what it is a part of. `pick` says which; false where the plan has no such places. What [`audit()`] says of it can then be held against what it does.
pub fn tamper(plan: &mut Plan, pick: u64) -> bool {
    let at = |n: usize, k: u64| (pick >> k) as usize % n;
    if pick.is_multiple_of(2) {
        let (a, b) = match plan.bufs {
            0 | 1 => return false,
            n => (at(n, 8) as u32, at(n, 24) as u32),
        };
        plan.stores.iter_mut().filter(|s| s.buf == b).for_each(|s| s.buf = a);
        return a != b;
    }
    let parts: Vec<usize> =
        (0..plan.slots.len()).filter(|&s| matches!(plan.slots[s].place, Place::Part { .. })).collect();
    if pick % 4 == 3 && !parts.is_empty() {
        let d = &mut plan.slots[parts[at(parts.len(), 8)]];
        match (&mut d.place, d.start.iter_mut().max()) {
            (Place::Part { first, .. }, _) if at(3, 24) == 0 => *first = !*first,
            (_, Some(start)) if at(3, 24) == 1 && *start > 0 => *start -= 1,
            (_, Some(start)) => *start += 1,
            _ => return false,
        }
        return true;
    }
    let free = |d: &SlotDecl| matches!(d.place, Place::Own(_)) && d.over == NONE && d.donor == NONE;
    let all: Vec<usize> = (0..plan.slots.len()).filter(|&s| free(&plan.slots[s])).collect();
    let Some(&s) = all.get(at(all.len().max(1), 8)) else { return false };
    let like = |d: &SlotDecl| d.dtype == plan.slots[s].dtype && d.dims == plan.slots[s].dims;
    let under: Vec<usize> = (0..s).filter(|&c| free(&plan.slots[c]) && like(&plan.slots[c])).collect();
    let Some(&c) = under.get(at(under.len().max(1), 24)) else { return false };
    plan.slots[s].over = c as Slot;
    true
}

struct Audit<'a> {
    plan: &'a Plan,
    /// Where loops want slots, and the stack that such a slot is a part of.
    given: BTreeMap<Slot, (Mem, Option<Slot>)>,
    /// Views, by slot.
    views: BTreeMap<Slot, &'a ViewOf>,
    steps: u64,
}
fn windows<'a>(block: &'a Block, all: &mut BTreeMap<Slot, &'a ViewOf>) {
    for step in block {
        if let Do::View(v) = &step.what {
            all.insert(v.dst, v);
        }
        step.what.blocks().into_iter().for_each(|b| windows(b, all));
    }
}
impl Audit<'_> {
    fn mem(&self, r: Store) -> Mem {
        let st = &self.plan.stores[r as usize];
        match (st.arg, st.escapes) {
            (NONE, true) => Mem::Result(r),
            (NONE, false) => Mem::Buffer(st.buf),
            (i, _) => Mem::Arg(i),
        }
    }
    fn wrong(&self, s: Slot, what: &str) -> Error {
        let (f, name) = (&self.plan.func.name, &self.plan.slots[s as usize].name);
        Error::bug(Code::E0718, format!("the plan of @{f} is wrong: s{s} %{name} {what}"))
    }
    fn read(&self, st: &State, s: Slot, by: &str) -> Result<()> {
        match (&st.at[s as usize], st.stale[s as usize]) {
            (None, _) => Err(self.wrong(s, &format!("is read by {by} before it is computed"))),
            (_, Written::No) => Ok(()),
            _ => Err(self.wrong(s, &format!("is read by {by} after its memory was used for something else"))),
        }
    }
    fn mems(&self, st: &State, s: Slot) -> Result<Mems> {
        st.at[s as usize].clone().ok_or_else(|| self.wrong(s, "is needed before it is computed"))
    }
    /// Where a step that computes `s` puts it, which slot it may lie over, and which slots keep their elements there. `before`: what
    /// the step has placed already.
    fn target(&self, st: &State, s: Slot, before: &[Slot]) -> Result<(Mems, Option<Slot>, Vec<Slot>)> {
        let d = &self.plan.slots[s as usize];
        if d.over != NONE {
            return Ok((self.mems(st, d.over)?, Some(d.over), vec![]));
        }
        match d.place {
            Place::Own(r) if d.donor != NONE => {
                let p = self.plan.params[d.donor as usize];
                let mut both = [self.mem(r), Mem::Arg(d.donor)];
                both.sort_unstable();
                Ok((both.into(), Some(p), vec![]))
            }
            Place::Own(r) => Ok(([self.mem(r)].into(), None, vec![])),
            Place::Around(r) => Ok(([self.mem(r)].into(), None, self.parts_of(s).collect())),
            Place::Part { of, first } => {
                let r = match (self.plan.slots[of as usize].place, self.given.get(&of)) {
                    (Place::Around(r), _) => r,
                    (Place::Given, Some(&(m, keep))) => {
                        return Ok(([m].into(), None, self.parts_of(of).chain(keep).collect()));
                    }
                    _ => return Err(self.wrong(s, "is a part of what has no parts")),
                };
                let had = |t: Slot| {
                    matches!(self.plan.slots[t as usize].place, Place::Part { first: true, .. })
                        && (st.at[t as usize].is_some() || before.contains(&t))
                };
                if !first && !self.parts_of(of).any(had) {
                    return Err(self.wrong(s, "is a part of what has no memory yet"));
                }
                Ok(([self.mem(r)].into(), None, self.parts_of(of).collect()))
            }
            Place::Given => match self.given.get(&s) {
                Some(&(m, keep)) => Ok(([m].into(), None, self.parts_of(s).chain(keep).collect())),
                None => Err(self.wrong(s, "is computed where no loop says where it lies")),
            },
            _ => Err(self.wrong(s, "is computed, but has no place of its own")),
        }
    }
    /// The parts in which a slot is computed before the step that computes the rest.
    fn parts_of(&self, whole: Slot) -> impl Iterator<Item = Slot> + '_ {
        let of = move |d: &SlotDecl| matches!(d.place, Place::Part { of, .. } if of == whole);
        (0..).zip(&self.plan.slots).filter(move |x| of(x.1)).map(|x| x.0)
    }
    /// Holds that parts lie inside of what they are parts of, and apart.
    fn parts(&self) -> Result<()> {
        let exact = |e: Ext| self.plan.exts.get(e as usize)?.as_exact().and_then(|n| usize::try_from(n).ok());
        let mut windows: BTreeMap<Slot, Vec<Vec<(usize, usize)>>> = BTreeMap::new();
        for (s, d) in (0..).zip(&self.plan.slots) {
            let Place::Part { of, .. } = d.place else { continue };
            let whole = &self.plan.slots[of as usize];
            let mut window = vec![];
            for ((&e, &m), &start) in d.dims.iter().zip(&whole.dims).zip(&d.start) {
                match (exact(e), exact(m)) {
                    (Some(n), Some(m)) if start + n <= m => window.push((start, start + n)),
                    _ => return Err(self.wrong(s, "reaches beyond what it is a part of")),
                }
            }
            if window.len() != whole.dims.len() || d.dims.len() != window.len() || d.dtype != whole.dtype {
                return Err(self.wrong(s, "is no part of what it is said to be a part of"));
            }
            // The storage is had where the first part is computed, and once; or it is given.
            let first = matches!(d.place, Place::Part { first: true, .. });
            let others = windows.entry(of).or_default();
            if first != (others.is_empty() && whole.place != Place::Given) {
                return Err(self.wrong(s, "is not the first part of what it is a part of, or the second first one"));
            }
            let apart = |o: &Vec<(usize, usize)>| o.iter().zip(&window).any(|(a, b)| a.1 <= b.0 || b.1 <= a.0);
            if !others.iter().all(apart) {
                return Err(self.wrong(s, "lies over another part"));
            }
            others.push(window);
        }
        Ok(())
    }
    /// A step computes `outs` from `reads`.
    fn compute(&self, st: &mut State, reads: &[Slot], outs: &[Slot], by: &str) -> Result<()> {
        reads.iter().try_for_each(|&s| self.read(st, s, by))?;
        let place = |(i, &s): (usize, &Slot)| self.target(st, s, &outs[..i]);
        let targets = outs.iter().enumerate().map(place).collect::<Result<Vec<_>>>()?;
        for (&s, (mems, over, _)) in outs.iter().zip(&targets) {
            let part = |x: Slot| matches!(self.plan.slots[x as usize].place, Place::Part { of, .. } if of == s);
            // Where a part is, and a piece of it, the step writes nothing.
            let piece = |x: Slot| self.views.get(&x).is_some_and(|v| part(v.src));
            for &x in reads.iter().filter(|&&x| Some(x) != *over && !part(x) && !piece(x)) {
                if self.mems(st, x)?.iter().any(|m| mems.contains(m)) {
                    return Err(self.wrong(s, &format!("is computed by {by} over s{x}, which it reads")));
                }
            }
        }
        for (i, (&s, (mems, _, keep))) in outs.iter().zip(&targets).enumerate() {
            let part = matches!(self.plan.slots[s as usize].place, Place::Part { .. });
            let beside = |j: usize| if part { keep.contains(&outs[j]) } else { !keep.is_empty() };
            if (0..i).any(|j| targets[j].0.iter().any(|m| mems.contains(m)) && !beside(j)) {
                return Err(self.wrong(s, &format!("is computed by {by} over another result")));
            }
            st.clobber(mems, s, keep);
        }
        outs.iter().zip(&targets).for_each(|(&s, t)| st.define(s, &t.0));
        Ok(())
    }
    fn block(&mut self, st: &mut State, block: &Block) -> Result<()> {
        block.iter().try_for_each(|s| self.step(st, &s.what).map_err(|e| e.or_span(s.span)))
    }
    fn step(&mut self, st: &mut State, what: &Do) -> Result<()> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Ok(());
        }
        let (mut reads, mut writes) = (vec![], vec![]);
        what.uses(&mut |s, u| if u == Use::Read { reads.push(s) } else { writes.push(s) });
        match what {
            Do::Run(_) => self.compute(st, &reads, &writes, "a loop"),
            Do::Copy { .. } => self.compute(st, &reads, &writes, "a copy"),
            Do::Call(_) => self.compute(st, &reads, &writes, "a call"),
            Do::View(v) => {
                reads.iter().try_for_each(|&s| self.read(st, s, "a view"))?;
                let at = self.mems(st, v.src)?;
                st.define(v.dst, &at);
                Ok(())
            }
            Do::Reshape { src, dst, store, .. } => {
                self.read(st, *src, "a reshape")?;
                let (from, own) = (self.mems(st, *src)?, self.mem(*store));
                if from.contains(&own) {
                    return Err(self.wrong(*dst, "is copied over what it is copied from"));
                }
                st.clobber(&[own], *dst, &[]);
                let mut both = from.to_vec();
                both.push(own);
                both.sort_unstable();
                st.define(*dst, &both.into());
                Ok(())
            }
            Do::Bind { src, .. } => self.read(st, *src, "an extent"),
            Do::Guard { .. } => Ok(()),
            Do::Cond(c) => {
                self.read(st, c.choice, "a branch")?;
                let before = st.clone();
                for (i, w) in c.ways.iter().enumerate() {
                    let mut end = before.clone();
                    self.branch(&mut end, &w.block, c.outs.iter().copied().zip(w.yields.iter().copied()))?;
                    match i {
                        0 => *st = end,
                        _ => st.join(&end),
                    }
                }
                Ok(())
            }
            Do::Loop(l) => self.a_loop(st, l),
            Do::Kernel(k) => self.kernel(st, k),
        }
    }
    fn branch(&mut self, st: &mut State, b: &Block, outs: impl Iterator<Item = (Slot, Slot)>) -> Result<()> {
        self.block(st, b)?;
        for (r, y) in outs {
            self.read(st, y, "the end of a branch")?;
            let at = self.mems(st, y)?;
            st.define(r, &at);
        }
        Ok(())
    }
    /// A kernel reads operands and writes results all the while its regions run, whose parameters lie in either.
    fn kernel(&mut self, st: &mut State, k: &KernelStep) -> Result<()> {
        let wholes = |s: &&Slot| match self.plan.slots[**s as usize].place {
            Place::Around(_) => true,
            Place::Given => self.parts_of(**s).next().is_some(),
            _ => false,
        };
        for &s in k.dsts.iter().filter(wholes) {
            let known = super::parts::parts(&self.plan.func, self.plan.func.op(k.op));
            let its =
                |p: Slot| known.iter().any(|(i, at)| k.args[*i] == p && **at == *self.plan.slots[p as usize].start);
            if self.parts_of(s).next().is_none() || !self.parts_of(s).all(its) {
                return Err(self.wrong(s, "is computed by a step that does not know of its parts"));
            }
        }
        match self.replaced(st, k) {
            // What it reads of the older value is what lies there still.
            Some(part) => {
                let others: Vec<Slot> = k.args[1..].to_vec();
                let (&s, &old) = (&k.dsts[0], &k.args[0]);
                self.read(st, part, "a kernel")?;
                st.stale[old as usize] = Written::No;
                self.compute(st, &[&[old], &others[..]].concat(), &[s], "a kernel")?;
            }
            None => self.compute(st, &k.args, &k.dsts, "a kernel")?,
        }
        if !k.regions.is_empty() {
            self.kernel_regions(st, k)?;
        }
        let Some(r) = &k.then else { return Ok(()) };
        // It runs while the kernel does.
        let reads: Vec<Slot> = k.args.iter().chain(&k.dsts).copied().chain(r.reads()).collect();
        self.compute(st, &reads, &r.outs, "a region that is applied to what a kernel makes")
    }
    /// The part that a kernel puts into its first operand, where that part has been computed over the same part of the operand, nothing else was
    /// written there, and the result lies over the operand.
    fn replaced(&self, st: &State, k: &KernelStep) -> Option<Slot> {
        let (&s, &old) = (k.dsts.first()?, k.args.first()?);
        let slot = |s: Slot| &self.plan.slots[s as usize];
        let over = k.updates && k.dsts.len() == 1 && slot(s).over == old;
        let Written::For(part) = st.stale[old as usize] else { return None };
        let view = self.views.get(&slot(part).over)?;
        let there = matches!(slot(part).place, Place::Part { of, .. } if of == s) && k.args[1..].contains(&part);
        let same = view.src == old && slot(view.dst).dims == slot(part).dims;
        (over && there && same && super::in_place::is_window(view, &self.plan.exts, &slot(part).start)).then_some(part)
    }
    fn kernel_regions(&mut self, st: &mut State, k: &KernelStep) -> Result<()> {
        let mut all = vec![];
        for &s in k.args.iter().chain(&k.dsts) {
            all.extend(self.mems(st, s)?.iter().copied());
        }
        all.sort_unstable();
        all.dedup();
        let all: Mems = all.into();
        for r in &k.regions {
            loop {
                let before = st.clone();
                r.params.iter().for_each(|&p| st.define(p, &all));
                self.block(st, &r.block)?;
                let held = r.yields.iter().chain(&k.args).chain(&k.dsts);
                held.copied().try_for_each(|s| self.read(st, s, "a kernel that runs a region"))?;
                st.join(&before);
                // What the region computes counts for nothing before it has run.
                if *st == before || self.steps > MOST_STEPS {
                    break;
                }
            }
        }
        Ok(())
    }
    fn a_loop(&mut self, st: &mut State, l: &Loop) -> Result<()> {
        let inits: Vec<Slot> = l.carries.iter().map(|c| c.init).chain(l.xs.iter().map(|x| x.0)).collect();
        inits.iter().try_for_each(|&s| self.read(st, s, "a loop that starts"))?;
        let mut homes: Vec<Mems> = vec![];
        for c in &l.carries {
            self.read(st, c.init, "a loop that starts")?;
            let at = self.mems(st, c.init)?;
            let at = match c.buffers {
                Buffers::Two => at,
                Buffers::One => {
                    let own: Mems = [self.mem(c.stores[0])].into();
                    if at.contains(&own[0]) {
                        return Err(self.wrong(c.init, "is copied over itself where a loop starts"));
                    }
                    st.clobber(&own, c.init, &[]);
                    own
                }
                // From here on it is the loop's: whoever else looks at it sees what the loop writes.
                Buffers::Init => {
                    st.clobber(&at, NONE, &[]);
                    at
                }
            };
            c.params.iter().for_each(|&p| st.define(p, &at));
            homes.push(at);
        }
        for y in &l.ys {
            let at = self.mem(y.store);
            st.clobber(&[at], y.result, &[]);
            st.define(y.result, &[at].into());
        }
        // What is known before trips of even and of odd numbers, and where the loop may end.
        let mut heads: [Option<State>; 2] = [None, None];
        let mut end: Option<State> = None;
        let mut settled = 0;
        for t in 0.. {
            let head = &mut heads[t % 2];
            match head {
                Some(h) => {
                    let before = h.clone();
                    h.join(st);
                    settled = if *h == before { settled + 1 } else { 0 };
                }
                None => *head = Some(st.clone()),
            }
            if let Some(h) = head {
                st.clone_from(h);
            }
            if settled == 2 || self.steps > MOST_STEPS {
                break;
            }
            if let Some((cond, flag)) = &l.cond {
                self.block(st, cond)?;
                self.read(st, *flag, "the condition of a loop")?;
            }
            match &mut end {
                Some(e) => e.join(st),
                None => end = Some(st.clone()),
            }
            self.trip(st, l, t % 2, &homes)?;
        }
        if let Some(e) = end {
            *st = e;
        }
        for c in &l.carries {
            if let Some(&p) = c.params.last() {
                self.read(st, p, "the end of a loop")?;
                let at = self.mems(st, p)?;
                st.define(c.result, &at);
            }
        }
        l.ys.iter().try_for_each(|y| self.read(st, y.result, "the end of a loop"))
    }
    /// One trip; `homes`: where carries that have one buffer lie.
    fn trip(&mut self, st: &mut State, l: &Loop, parity: usize, homes: &[Mems]) -> Result<()> {
        for &(src, p, _) in &l.xs {
            self.read(st, src, "a trip")?;
            let at = self.mems(st, src)?;
            st.define(p, &at);
        }
        for c in l.carries.iter().filter(|c| c.direct && c.buffers == Buffers::Two) {
            self.given.insert(c.yielded, (self.mem(c.stores[parity]), None));
        }
        for y in l.ys.iter().filter(|y| y.direct) {
            self.given.insert(y.yielded, (self.mem(y.store), Some(y.result)));
        }
        self.block(st, &l.body)?;
        // All that the body yields is there; what it did not compute in place is copied, one after the other.
        for y in &l.ys {
            self.read(st, y.yielded, "the end of a trip")?;
            let at = self.mem(y.store);
            if !y.direct {
                if self.mems(st, y.yielded)?.contains(&at) {
                    return Err(self.wrong(y.yielded, "is collected over itself"));
                }
                st.clobber(&[at], y.result, &[y.result]);
                st.define(y.result, &[at].into());
            }
        }
        for (c, home) in l.carries.iter().zip(homes).filter(|c| !c.0.same) {
            self.read(st, c.yielded, "the end of a trip")?;
            if c.buffers != Buffers::Two {
                if self.mems(st, c.yielded)? != *home {
                    return Err(self.wrong(c.yielded, "is carried where it lay, and lies elsewhere"));
                }
                continue;
            }
            let at = self.mem(c.stores[parity]);
            if !c.direct {
                if self.mems(st, c.yielded)?.contains(&at) {
                    return Err(self.wrong(c.yielded, "is carried over itself"));
                }
                st.clobber(&[at], c.yielded, &[]);
            }
        }
        let mut taken: Vec<Mem> = vec![];
        for (c, home) in l.carries.iter().zip(homes).filter(|c| !c.0.same) {
            let at: Mems = if c.buffers == Buffers::Two { [self.mem(c.stores[parity])].into() } else { home.clone() };
            if at.iter().any(|m| taken.contains(m)) {
                return Err(self.wrong(c.yielded, "is carried in the memory of another carry"));
            }
            taken.extend(at.iter());
            c.params.iter().for_each(|&p| st.define(p, &at));
        }
        Ok(())
    }
}
