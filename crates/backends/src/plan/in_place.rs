//! Loop carries that are updated where they lie. A carry alternates between two buffers unless the body makes the next
//! value by replacing parts of it (`dynamic_update_slice`, `scatter`; inside branches and inner loops as well) and reads no
//! older value once a newer one has been written over it: then it has one buffer, into which its initial value is copied
//! once, and a trip costs what it replaces and not what the whole is large.
//!
//! What is decided here rests on the steps alone, and the checker of plans follows it without knowing why.
use std::collections::{BTreeMap, BTreeSet};

use super::build::Lower;
use super::*;

/// By newer value, the older one that it is written over.
type Links = BTreeMap<Slot, Slot>;

/// What lies in the memory of a carry, between two steps.
#[derive(Clone, Default)]
struct Known {
    /// The present value, and views of it.
    fresh: BTreeSet<Slot>,
    /// Older values and views of them: nobody may read them any more.
    stale: BTreeSet<Slot>,
}
impl Known {
    /// `s` is written over all that was there.
    fn renew(&mut self, s: Slot) {
        self.stale.append(&mut self.fresh);
        self.fresh.insert(s);
    }
    /// `to` may lie where one of these does.
    fn alias(&mut self, to: Slot, of: &[Slot]) {
        if of.iter().any(|s| self.fresh.contains(s)) {
            self.fresh.insert(to);
        }
    }
    fn readable(&self, slots: &[Slot]) -> bool {
        !slots.iter().any(|s| self.stale.contains(s))
    }
    fn elsewhere(&self, slots: &[Slot]) -> bool {
        self.readable(slots) && !slots.iter().any(|s| self.fresh.contains(s))
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
            let mut known = Known::default();
            known.renew(param);
            let others = l.carries.iter().enumerate().filter(|o| o.0 != i).map(|o| o.1.yielded);
            let others: Vec<Slot> = others.chain(l.ys.iter().map(|y| y.yielded)).collect();
            if !follow(&l.body, &mut known, &links) || !known.readable(&others) {
                continue;
            }
            let [own, other] = l.carries[i].stores;
            self.merged.push((other, own));
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
                    let Some(o) = c.outs.iter().find(|o| o.0 == s) else { continue };
                    let then = self.origin(&c.then, o.1, links)?;
                    if self.origin(&c.other, o.2, links)? != then {
                        return None;
                    }
                    s = then;
                }
                _ => {}
            }
        }
        Some(s)
    }
    /// Has the one the type of the other?
    fn alike(&self, a: Slot, b: Slot) -> bool {
        let (a, b) = (&self.slots[a as usize], &self.slots[b as usize]);
        a.dtype == b.dtype && a.dims == b.dims
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
                Do::Cond(c) => {
                    self.write_over(&mut c.then, links, own);
                    self.write_over(&mut c.other, links, own);
                }
                _ => {}
            }
        }
    }
}

/// Follows the memory of a carry through a block; false where an older value is read after it was written over, or by the
/// step that writes over it.
fn follow(block: &Block, known: &mut Known, links: &Links) -> bool {
    block.iter().all(|step| follow_step(&step.what, known, links))
}
fn follow_step(what: &Do, known: &mut Known, links: &Links) -> bool {
    match what {
        Do::Kernel(k) => match k.dsts.first().filter(|s| links.contains_key(s)) {
            Some(&s) => {
                let fine = known.readable(&k.args[..1]) && known.elsewhere(&k.args[1..]);
                known.renew(s);
                fine
            }
            None => {
                known.readable(&k.args)
                    && k.regions.iter().all(|r| {
                        r.params.iter().for_each(|&p| known.alias(p, &k.args));
                        follow(&r.block, known, links) && known.readable(&r.yields)
                    })
            }
        },
        Do::Cond(c) => {
            let mut other = known.clone();
            let fine = known.readable(&[c.pred])
                && follow(&c.then, known, links)
                && follow(&c.other, &mut other, links)
                && c.outs.iter().all(|o| known.readable(&[o.1]) && other.readable(&[o.2]));
            let held = |o: &&(Slot, Slot, Slot)| known.fresh.contains(&o.1) || other.fresh.contains(&o.2);
            let results: Vec<Slot> = c.outs.iter().filter(held).map(|o| o.0).collect();
            known.stale.append(&mut other.stale);
            known.fresh.append(&mut other.fresh);
            known.fresh.extend(results);
            known.fresh.retain(|s| !known.stale.contains(s));
            fine
        }
        Do::Loop(l) => follow_loop(l, known, links),
        Do::View(v) => {
            let fine = reads(what, known);
            known.alias(v.dst, &[v.src]);
            fine
        }
        Do::Reshape { src, dst, .. } => {
            known.alias(*dst, &[*src]);
            known.readable(&[*src])
        }
        Do::Run(_) | Do::Copy { .. } | Do::Dot(_) | Do::Bind { .. } | Do::Guard { .. } | Do::Call(_) => {
            reads(what, known)
        }
    }
}
fn reads(what: &Do, known: &Known) -> bool {
    let mut fine = true;
    what.uses(&mut |s, u| fine &= u == Use::Write || known.readable(&[s]));
    fine
}
/// An inner loop: what it carries in the memory that is followed is followed by the loop's own decision.
fn follow_loop(l: &Loop, known: &mut Known, links: &Links) -> bool {
    let over = l.carries.iter().find(|c| links.contains_key(&c.result));
    let other = |c: &&Carry| over.is_none_or(|o| o.result != c.result);
    let starts: Vec<Slot> = l.carries.iter().filter(other).map(|c| c.init).chain(l.xs.iter().map(|x| x.0)).collect();
    if !known.readable(&starts) {
        return false;
    }
    match over {
        Some(c) => {
            if !known.elsewhere(&starts) || !known.readable(&[c.init]) {
                return false;
            }
            known.stale.append(&mut known.fresh);
        }
        None => {
            for c in &l.carries {
                c.params.iter().chain([&c.result]).for_each(|&s| known.alias(s, &[c.init]));
            }
            l.xs.iter().for_each(|x| known.alias(x.1, &[x.0]));
        }
    }
    let ends = |s: Slot, known: &Known| known.readable(&[s]);
    let fine = l.cond.as_ref().is_none_or(|(b, flag)| follow(b, known, links) && ends(*flag, known))
        && follow(&l.body, known, links)
        && l.carries.iter().all(|c| ends(c.yielded, known))
        && l.ys.iter().all(|y| ends(y.yielded, known));
    if let Some(c) = over {
        known.fresh.insert(c.result);
    }
    fine
}
