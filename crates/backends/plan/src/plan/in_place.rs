//! Loop carries that are updated where they lie. A carry alternates between two buffers unless the body makes the next
//! value by replacing parts of it (`dynamic_update_slice`, `scatter`; inside branches and inner loops as well) and reads no
//! older value once a newer one has been written over it: then it has one buffer, into which its initial value is copied
//! once, and a trip costs what it replaces and not what the whole is large. A part that is read before and used afterwards
//! is copied where it is read.
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

/// By newer value, the older one that it is written over.
type Links = BTreeMap<Slot, Slot>;

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
            let mut links = Links::new();
            if self.origin(&l.body, c.yielded, &mut links) != Some(param) || links.is_empty() {
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
                    let around = |u: &Slot| matches!(self.slots[*u as usize].place, Place::Part { of, .. } if of == s);
                    if !self.alike(s, old) || k.args.iter().any(around) {
                        return Some(s);
                    }
                    links.insert(s, old);
                    s = old;
                }
                Do::Loop(l) => {
                    let Some(c) = l.carries.iter().find(|c| c.result == s) else { continue };
                    if !c.same {
                        if c.buffers == Buffers::Two || !self.alike(s, c.init) {
                            return Some(s);
                        }
                        links.insert(s, c.init);
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
                Do::Kernel(k) => {
                    if let Some((&s, &old)) = k.dsts.first().and_then(|s| links.get_key_value(s)) {
                        let d = &mut self.slots[s as usize];
                        d.over = old;
                        if let Place::Own(r) = d.place {
                            self.merged.push((r, own));
                        }
                    }
                }
                Do::Loop(l) => {
                    if let Some(c) = l.carries.iter_mut().find(|c| links.contains_key(&c.result)) {
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
                match k.dsts.first().filter(|s| self.links.contains_key(s)) {
                    Some(&s) => {
                        known.readable(&k.args[..1])?;
                        known.elsewhere(&k.args[1..])?;
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
        let over = l.carries.iter().find(|c| self.links.contains_key(&c.result));
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
fn reads(what: &Do, known: &Known) -> Followed {
    let mut slots = vec![];
    what.uses(&mut |s, u| {
        if u == Use::Read {
            slots.push(s);
        }
    });
    known.readable(&slots)
}
