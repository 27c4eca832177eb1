//! Loop carries that are updated where they lie. A carry alternates between two buffers unless the body makes the next
//! value by replacing parts of it (`dynamic_update_slice`, `scatter`; inside branches and inner loops as well) and reads no
//! older value once a newer one has been written over it: then it has one buffer, into which its initial value is copied
//! once, and a trip costs what it replaces and not what the whole is large. A part that is read before and used afterwards
//! is copied where it is read. What a loop over elements computes of the part that it replaces, element by element, is computed over that part.
//!
//! What is decided here rests on the steps alone, and the checker of plans follows it without knowing why.
use std::collections::{BTreeMap, BTreeSet};

use tfc_ir::extent::Extent;

use super::build::Lower;
use super::*;

/// Most parts of a carry that are copied.
const MOST_COPIES: usize = 16;
/// A part is copied where it has at most so many elements, or one in so many of the whole.
const SMALL: i64 = 16;
/// A part whose rows are shorter is not computed over itself: rows of 30 elements were measured to be slower so.
const LEAST_ROW: i64 = 48;

/// By newer value, the older one that it is written over; by part of a newer value that a loop over elements computes, the same part of the
/// older one, which that loop reads element by element.
#[derive(Default)]
struct Links {
    values: BTreeMap<Slot, Slot>,
    parts: BTreeMap<Slot, Slot>,
}

/// Values in the memory of a carry, each with the part of it that it is a view of, where that could be copied.
type Values = BTreeMap<Slot, Option<Slot>>;
/// A value is read that was written over: the part to be copied, where that helps.
struct Late(Option<Slot>);
type Followed = std::result::Result<(), Late>;

/// What lies in the memory of a carry, between two steps.
#[derive(Clone, Default)]
struct Known {
    /// The present value, and views of it.
    fresh: Values,
    /// Older values and views of them: nobody may read them any more.
    stale: Values,
}
impl Known {
    /// `s` is written over all that was there.
    fn renew(&mut self, s: Slot) {
        self.stale.append(&mut self.fresh);
        self.fresh.insert(s, None);
    }
    /// `to` may lie where one of these does.
    fn alias(&mut self, to: Slot, of: &[Slot]) {
        if let Some(&part) = of.iter().find_map(|s| self.fresh.get(s)) {
            self.fresh.insert(to, part);
        }
    }
    fn readable(&self, slots: &[Slot]) -> Followed {
        slots.iter().find_map(|s| self.stale.get(s)).map_or(Ok(()), |&part| Err(Late(part)))
    }
    fn elsewhere(&self, slots: &[Slot]) -> Followed {
        self.readable(slots)?;
        slots.iter().find_map(|s| self.fresh.get(s)).map_or(Ok(()), |&part| Err(Late(part)))
    }
}

impl Lower<'_> {
    /// Gives those carries of a loop one buffer that allow it; its body has been lowered.
    pub(crate) fn carries_in_place(&mut self, l: &mut Loop) {
        for i in 0..l.carries.len() {
            let c = &l.carries[i];
            let Some(&param) = c.params.last().filter(|_| !c.same && !c.grows) else { continue };
            let mut links = Links::default();
            if self.origin(&l.body, c.yielded, &mut links) != Some(param) || links.values.is_empty() {
                continue;
            }
            let others = l.carries.iter().enumerate().filter(|o| o.0 != i).map(|o| o.1.yielded);
            let others: Vec<Slot> = others.chain(l.ys.iter().map(|y| y.yielded)).collect();
            let mut copied = BTreeSet::new();
            let allowed = loop {
                let mut known = Known::default();
                known.renew(param);
                let ways = Ways { slots: &self.slots, exts: &self.exts, links: &links, copied: &copied };
                match ways.follow(&l.body, &mut known).and_then(|()| known.readable(&others)) {
                    Ok(()) => break true,
                    Err(Late(Some(part))) if copied.len() < MOST_COPIES && copied.insert(part) => {}
                    Err(_) => break false,
                }
            };
            if !allowed {
                continue;
            }
            let [own, other] = l.carries[i].stores;
            self.merged.push((other, own));
            self.copy_parts(&mut l.body, &copied, own);
            self.write_over(&mut l.body, &links, own);
            let c = &mut l.carries[i];
            (c.stores, c.buffers, c.direct) = ([own, own], Buffers::One, true);
        }
    }
    /// The value before the block that `s` is made of by replacing parts, and what is written over what on the way; `None`
    /// where branches make it of different ones.
    fn origin(&self, block: &Block, mut s: Slot, links: &mut Links) -> Option<Slot> {
        for step in block.iter().rev() {
            match &step.what {
                Do::Kernel(k) if k.updates && k.dsts.first() == Some(&s) => {
                    let old = *k.args.first()?;
                    if !self.alike(s, old) {
                        return Some(s);
                    }
                    let part = |u: &&Slot| matches!(self.slots[**u as usize].place, Place::Part { of, .. } if of == s);
                    for &p in k.args.iter().filter(part) {
                        let Some(same) = self.same_part(block, p, old) else { return Some(s) };
                        links.parts.insert(p, same);
                    }
                    links.values.insert(s, old);
                    s = old;
                }
                Do::Loop(l) => {
                    let Some(c) = l.carries.iter().find(|c| c.result == s) else { continue };
                    if !c.same {
                        if c.buffers == Buffers::Two || !self.alike(s, c.init) {
                            return Some(s);
                        }
                        links.values.insert(s, c.init);
                    }
                    s = c.init;
                }
                Do::Cond(c) => {
                    let Some(i) = c.outs.iter().position(|&o| o == s) else { continue };
                    let mut first = None;
                    for w in &c.ways {
                        let from = self.origin(&w.block, *w.yields.get(i)?, links)?;
                        if *first.get_or_insert(from) != from {
                            return None;
                        }
                    }
                    s = first?;
                }
                _ => {}
            }
        }
        Some(s)
    }
    /// The part of `old` that is where part `p` of the value that takes its place is, if a loop over elements of the block computes `p` and may
    /// do so over that part.
    fn same_part(&self, block: &Block, p: Slot, old: Slot) -> Option<Slot> {
        let dims = &self.slots[p as usize].dims;
        let long = |e: Option<&Ext>| e.and_then(|&e| self.exts[e as usize].as_exact()).is_some_and(|n| n >= LEAST_ROW);
        if !long(dims.first()) || !long(dims.last()) {
            return None;
        }
        let computed = block.iter().any(|s| matches!(&s.what, Do::Run(r) if r.outs.contains(&p)));
        let candidates = self.over.iter().filter(|o| o.1 == p).flat_map(|o| &o.2);
        let view = |w: &Slot| {
            block.iter().find_map(|s| match &s.what {
                Do::View(v) if v.dst == *w && v.src == old => Some(v),
                _ => None,
            })
        };
        let here = |w: &&Slot| {
            self.alike(**w, p) && view(w).is_some_and(|v| is_window(v, &self.exts, &self.slots[p as usize].start))
        };
        candidates.into_iter().find(here).copied().filter(|_| computed)
    }
    /// Whether the one slot has the type of the other.
    fn alike(&self, a: Slot, b: Slot) -> bool {
        let (a, b) = (&self.slots[a as usize], &self.slots[b as usize]);
        a.dtype == b.dtype && a.dims == b.dims
    }
    /// Copies parts where they are read, into storage that they have while the loop runs that `own` is of.
    fn copy_parts(&mut self, block: &mut Block, copied: &BTreeSet<Slot>, own: Store) {
        if copied.is_empty() {
            return;
        }
        let mut steps = Vec::with_capacity(block.len() + copied.len());
        for mut step in std::mem::take(block).into_vec() {
            let (span, at) = (step.span, step.at);
            let mut copy = None;
            match &mut step.what {
                Do::View(v) if copied.contains(&v.dst) => {
                    let part = v.dst;
                    let decl = self.slots[part as usize].clone();
                    let view = SlotDecl { at: self.axes as u32, ..decl.clone() };
                    self.axes += view.dims.len();
                    self.slots.push(view);
                    self.roots.push(self.roots[part as usize].clone());
                    self.homes.push(self.homes[part as usize].clone());
                    v.dst = self.slots.len() as Slot - 1;
                    let whole = &self.stores[own as usize];
                    let live = (whole.live.0, whole.live.1.max(self.pos));
                    let store = StoreDecl { dims: decl.dims, live, escapes: false, ..whole.clone() };
                    self.stores.push(store);
                    let r = self.stores.len() as Store - 1;
                    self.slots[part as usize].place = Place::Own(r);
                    self.roots[part as usize] = vec![r];
                    copy = Some(Do::Copy { src: v.dst, dst: part });
                }
                Do::Cond(c) => c.ways.iter_mut().for_each(|w| self.copy_parts(&mut w.block, copied, own)),
                Do::Loop(l) => {
                    if let Some((cond, _)) = &mut l.cond {
                        self.copy_parts(cond, copied, own);
                    }
                    self.copy_parts(&mut l.body, copied, own);
                }
                Do::Kernel(k) => k.regions.iter_mut().for_each(|r| self.copy_parts(&mut r.block, copied, own)),
                _ => {}
            }
            steps.push(step);
            steps.extend(copy.map(|what| Step { what, span, at }));
        }
        *block = steps.into();
    }
    /// Puts newer values over older ones, and their storages into `own`.
    fn write_over(&mut self, block: &mut Block, links: &Links, own: Store) {
        for step in block.iter_mut() {
            match &mut step.what {
                Do::Run(r) => {
                    for p in &r.outs {
                        if let Some(&same) = links.parts.get(p) {
                            self.slots[*p as usize].over = same;
                        }
                    }
                }
                Do::Kernel(k) => {
                    if let Some((&s, &old)) = k.dsts.first().and_then(|s| links.values.get_key_value(s)) {
                        let d = &mut self.slots[s as usize];
                        d.over = old;
                        if let Place::Own(r) = d.place {
                            self.merged.push((r, own));
                        }
                    }
                }
                Do::Loop(l) => {
                    if let Some(c) = l.carries.iter_mut().find(|c| links.values.contains_key(&c.result)) {
                        self.merged.push((c.stores[0], own));
                        c.buffers = Buffers::Init;
                    }
                }
                Do::Cond(c) => c.ways.iter_mut().for_each(|w| self.write_over(&mut w.block, links, own)),
                _ => {}
            }
        }
    }
}

/// How the memory of a carry is followed through steps.
struct Ways<'a> {
    slots: &'a [SlotDecl],
    exts: &'a [Extent],
    links: &'a Links,
    /// Parts that are copied where they are read.
    copied: &'a BTreeSet<Slot>,
}
impl Ways<'_> {
    /// Fails where an older value is read after it was written over, or by the step that writes over it.
    fn follow(&self, block: &Block, known: &mut Known) -> Followed {
        block.iter().try_for_each(|step| self.step(&step.what, known))
    }
    fn step(&self, what: &Do, known: &mut Known) -> Followed {
        match what {
            Do::Kernel(k) => {
                match k.dsts.first().filter(|s| self.links.values.contains_key(s)) {
                    Some(&s) => {
                        // A part that has been computed over the older value is there, and so is the rest of that.
                        let (parts, others): (Vec<Slot>, Vec<Slot>) =
                            k.args[1..].iter().partition(|u| self.links.parts.contains_key(u));
                        match parts.is_empty() {
                            true => known.readable(&k.args[..1])?,
                            false => known.readable(&parts)?,
                        }
                        known.elsewhere(&others)?;
                        known.renew(s);
                    }
                    None => {
                        known.readable(&k.args)?;
                        for r in &k.regions {
                            r.params.iter().for_each(|&p| known.alias(p, &k.args));
                            self.follow(&r.block, known)?;
                            known.readable(&r.yields)?;
                        }
                    }
                }
                k.then.iter().try_for_each(|r| known.readable(&r.reads().collect::<Vec<_>>()))
            }
            Do::Cond(c) => self.branches(c, known),
            Do::Loop(l) => self.inner(l, known),
            Do::View(v) => {
                reads(what, known)?;
                if known.fresh.contains_key(&v.src) && !self.copied.contains(&v.dst) {
                    known.alias(v.dst, &[v.src]);
                    if self.is_part(v) {
                        known.fresh.insert(v.dst, Some(v.dst));
                    }
                }
                Ok(())
            }
            Do::Reshape { src, dst, .. } => {
                known.alias(*dst, &[*src]);
                known.readable(&[*src])
            }
            Do::Run(r) if r.outs.iter().any(|p| self.links.parts.contains_key(p)) => {
                reads(what, known)?;
                let mut parts = r.outs.iter().filter_map(|p| self.links.parts.get_key_value(p));
                let (Some((&p, &same)), None) = (parts.next(), parts.next()) else { return Err(Late(None)) };
                // What it is computed over is read at the same elements, and nothing else of that memory is.
                let others: Vec<Slot> = r.reads().filter(|&x| x != same).collect();
                known.elsewhere(&others)?;
                if self.copied.contains(&same) || !known.fresh.contains_key(&same) {
                    return Err(Late(None));
                }
                known.renew(p);
                Ok(())
            }
            Do::Run(_) | Do::Copy { .. } | Do::Bind { .. } | Do::Guard { .. } | Do::Call(_) => reads(what, known),
        }
    }
    /// Whether the view is a small part of its source, so that a copy of it costs little beside one of the whole.
    fn is_part(&self, v: &ViewOf) -> bool {
        let (from, to) = (&self.slots[v.src as usize].dims, &self.slots[v.dst as usize].dims);
        let exact = |e: Ext| self.exts[e as usize].as_exact();
        let walked: Vec<u32> = v.axes.iter().map(|a| a.from).filter(|&a| a != NONE).collect();
        let each = walked.iter().collect::<BTreeSet<_>>().len() == walked.len();
        let once = each && v.also == NONE && v.axes.iter().zip(to).all(|(a, &e)| a.from != NONE || exact(e) == Some(1));
        let size = |dims: &[Ext]| dims.iter().try_fold(1i64, |n, &e| n.checked_mul(exact(e)?));
        let small = match (size(to), size(from)) {
            (Some(part), Some(whole)) => part <= SMALL.max(whole / SMALL),
            (Some(part), None) => part <= SMALL,
            // Extents that are not known: an axis at least is gone.
            _ => {
                to.iter().filter(|&&e| exact(e) != Some(1)).count()
                    < from.iter().filter(|&&e| exact(e) != Some(1)).count()
            }
        };
        once && small
    }
    fn branches(&self, c: &Cond, known: &mut Known) -> Followed {
        known.readable(&[c.choice])?;
        let mut ends = vec![];
        for w in &c.ways {
            let mut end = known.clone();
            self.follow(&w.block, &mut end)?;
            end.readable(&w.yields)?;
            ends.push(end);
        }
        let mut results = vec![];
        for (i, &r) in c.outs.iter().enumerate() {
            // A part that is a copy in one branch only is none.
            let parts: Vec<_> = ends.iter().zip(&c.ways).map(|(e, w)| e.fresh.get(&w.yields[i]).copied()).collect();
            if parts.iter().any(Option::is_some) {
                let first = parts.first().copied().flatten().flatten();
                results.push((r, first.filter(|_| parts.iter().all(|p| *p == Some(first)))));
            }
        }
        let mut ends = ends.into_iter();
        if let Some(first) = ends.next() {
            *known = first;
        }
        for mut end in ends {
            known.stale.append(&mut end.stale);
            known.fresh.append(&mut end.fresh);
        }
        known.fresh.extend(results);
        let Known { fresh, stale } = known;
        fresh.retain(|s, _| !stale.contains_key(s));
        Ok(())
    }
    /// An inner loop: what it carries in the memory that is followed is followed by that loop's own decision.
    fn inner(&self, l: &Loop, known: &mut Known) -> Followed {
        let over = l.carries.iter().find(|c| self.links.values.contains_key(&c.result));
        let other = |c: &&Carry| over.is_none_or(|o| o.result != c.result);
        let starts = l.carries.iter().filter(other).map(|c| c.init).chain(l.xs.iter().map(|x| x.0));
        let starts: Vec<Slot> = starts.collect();
        known.readable(&starts)?;
        match over {
            Some(c) => {
                known.elsewhere(&starts)?;
                known.readable(&[c.init])?;
                known.stale.append(&mut known.fresh);
            }
            None => {
                for c in &l.carries {
                    c.params.iter().chain([&c.result]).for_each(|&s| known.alias(s, &[c.init]));
                }
                l.xs.iter().for_each(|x| known.alias(x.1, &[x.0]));
            }
        }
        if let Some((cond, flag)) = &l.cond {
            self.follow(cond, known)?;
            known.readable(&[*flag])?;
        }
        self.follow(&l.body, known)?;
        l.carries.iter().try_for_each(|c| known.readable(&[c.yielded]))?;
        l.ys.iter().try_for_each(|y| known.readable(&[y.yielded]))?;
        if let Some(c) = over {
            known.fresh.insert(c.result, None);
        }
        Ok(())
    }
}
/// Whether a view is the window of its source that begins there, each axis of it that of the source.
pub(super) fn is_window(v: &ViewOf, exts: &[Extent], start: &[usize]) -> bool {
    let number = |e: Ext| exts.get(e as usize).and_then(Extent::as_exact);
    let axis = |(a, x): (usize, &ViewAxis)| x.from as usize == a && !x.reversed && number(x.step) == Some(1);
    let at = |a: usize| {
        let mut all = v.start.iter().filter(|s| s.0 as usize == a).map(|s| match s.1 {
            Start::Ext(e) => number(e),
            Start::Index(_) => None,
        });
        (all.next().unwrap_or(Some(0)), all.next())
    };
    let begins = |(a, &s): (usize, &usize)| matches!(at(a), (Some(n), None) if usize::try_from(n) == Ok(s));
    v.also == NONE
        && v.axes.len() == start.len()
        && v.axes.iter().enumerate().all(axis)
        && start.iter().enumerate().all(begins)
}
fn reads(what: &Do, known: &Known) -> Followed {
    let mut slots = vec![];
    what.uses(&mut |s, u| {
        if u == Use::Read {
            slots.push(s);
        }
    });
    known.readable(&slots)
}
