//! From storages to buffers: first what can be computed in place shares the storage of an operand that dies there, then a
//! linear scan gives storages that do not live together one buffer. Linear but for the sort.
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use tfc_ir::extent::Extent;

use super::{NONE, Place, Slot, SlotDecl, Store, StoreDecl};

/// What is decided about, and what that rests on.
pub(crate) struct Memory<'a> {
    /// For slots that might be computed in place: position, candidates, all that the step reads.
    pub(crate) over: Vec<(u32, Slot, Vec<Slot>, Vec<Slot>)>,
    /// Storages that are one already: the first is the second, which lives at least as long.
    pub(crate) merged: Vec<(Store, Store)>,
    /// The plan's extents.
    pub(crate) exts: &'a [Extent],
    pub(crate) slots: &'a mut [SlotDecl],
    pub(crate) stores: &'a mut [StoreDecl],
    /// Storages in which each slot's memory may lie.
    pub(crate) roots: &'a mut [Vec<Store>],
}

/// Decides slots that are computed in place, and the buffer of each storage; returns the number of buffers.
pub(crate) fn assign(mut lw: Memory) -> usize {
    let over = std::mem::take(&mut lw.over);
    // A storage merged into an older one: its representative.
    let mut rep: Vec<Store> = (0..lw.stores.len() as Store).collect();
    for (r, own) in std::mem::take(&mut lw.merged) {
        let (r, own) = (find(&mut rep, r), find(&mut rep, own));
        if r == own {
            continue;
        }
        let (live, escapes) = (lw.stores[r as usize].live, lw.stores[r as usize].escapes);
        let a = &mut lw.stores[own as usize];
        a.live = (a.live.0.min(live.0), a.live.1.max(live.1));
        a.escapes |= escapes;
        rep[r as usize] = own;
    }
    for (pos, slot, candidates, operands) in over {
        let Place::Own(own) = lw.slots[slot as usize].place else { continue };
        if lw.slots[slot as usize].over != NONE {
            continue;
        }
        for c in candidates {
            let (r, arg) = match lw.slots[c as usize].place {
                Place::Own(r) => (find(&mut rep, r), NONE),
                Place::Arg(i) => match lw.roots[c as usize].iter().find(|&&r| lw.stores[r as usize].arg == i) {
                    Some(&r) => (r, i),
                    None => continue,
                },
                _ => continue,
            };
            let shared = operands
                .iter()
                .filter(|&&o| {
                    let roots = lw.roots[o as usize].clone();
                    roots.into_iter().any(|x| find(&mut rep, x) == r)
                })
                .count();
            let (a, b) = (&lw.stores[r as usize], &lw.stores[own as usize]);
            let same = a.dims == b.dims && a.size == b.size && a.live.1 == pos && a.live.0 < pos;
            // An escaping storage is freshly allocated with its own element type.
            let types = a.dtype == b.dtype || !(a.escapes || b.escapes);
            if !same || shared != 1 || !types || a.grows || b.grows {
                continue;
            }
            let (end, escapes) = (b.live.1, b.escapes);
            if arg != NONE {
                // The caller decides at each call whether the argument's memory may be had.
                if a.dtype == b.dtype && lw.slots[slot as usize].donor == NONE {
                    lw.slots[slot as usize].donor = arg;
                    lw.stores[r as usize].live.1 = end;
                }
                continue;
            }
            lw.slots[slot as usize].donor = NONE;
            rep[own as usize] = r;
            let a = &mut lw.stores[r as usize];
            a.live.1 = a.live.1.max(end);
            a.escapes |= escapes;
            lw.slots[slot as usize].over = c;
            break;
        }
    }
    for s in lw.slots.iter_mut() {
        match s.place {
            Place::Own(r) => s.place = Place::Own(find(&mut rep, r)),
            Place::Around(r) => s.place = Place::Around(find(&mut rep, r)),
            _ => {}
        }
    }
    for roots in lw.roots.iter_mut() {
        for r in roots.iter_mut() {
            *r = find(&mut rep, *r);
        }
    }
    scan(&mut lw, &rep)
}
fn find(rep: &mut [Store], mut r: Store) -> Store {
    while rep[r as usize] != r {
        rep[r as usize] = rep[rep[r as usize] as usize];
        r = rep[r as usize];
    }
    r
}

type Key = (Box<[u32]>, usize);

/// Buffers that hold nothing: of sizes known now by bytes, others by their extents.
#[derive(Default)]
struct Free {
    exact: BTreeMap<usize, Vec<u32>>,
    symbolic: HashMap<Key, Vec<u32>>,
}
impl Free {
    fn take_exact(&mut self, bytes: usize) -> Option<u32> {
        // The smallest that is large enough without waste, else the largest of all grows.
        let fit = self.exact.range(bytes..=bytes.saturating_mul(4).max(4096)).next().map(|x| *x.0);
        let k = fit.or_else(|| self.exact.range(..bytes).next_back().map(|x| *x.0).filter(|&k| k >= bytes / 4))?;
        let list = self.exact.get_mut(&k)?;
        let b = list.pop();
        if list.is_empty() {
            self.exact.remove(&k);
        }
        b
    }
}

fn scan(lw: &mut Memory, merged: &[Store]) -> usize {
    let mut order: Vec<Store> = (0..lw.stores.len() as Store).filter(|&r| merged[r as usize] == r).collect();
    order.sort_by_key(|&r| lw.stores[r as usize].live.0);
    let mut active: BinaryHeap<Reverse<(u32, Store)>> = BinaryHeap::new();
    let mut free = Free::default();
    // Bytes of each buffer of exact size.
    let mut size: Vec<usize> = vec![];
    for r in order {
        let now = lw.stores[r as usize].live.0;
        while let Some(&Reverse((end, old))) = active.peek()
            && end < now
        {
            active.pop();
            let b = lw.stores[old as usize].buf;
            match key(lw, old) {
                Ok(_) => free.exact.entry(size[b as usize]).or_default().push(b),
                Err(k) => free.symbolic.entry(k).or_default().push(b),
            }
        }
        if lw.stores[r as usize].escapes || lw.stores[r as usize].arg != NONE {
            continue;
        }
        let found = match key(lw, r) {
            Ok(bytes) => free.take_exact(bytes).inspect(|&b| size[b as usize] = size[b as usize].max(bytes)),
            Err(k) => free.symbolic.get_mut(&k).and_then(Vec::pop),
        };
        let b = found.unwrap_or_else(|| {
            size.push(key(lw, r).unwrap_or(0));
            size.len() as u32 - 1
        });
        lw.stores[r as usize].buf = b;
        active.push(Reverse((lw.stores[r as usize].live.1, r)));
    }
    debug_assert!(
        lw.stores
            .iter()
            .enumerate()
            .all(|(i, s)| s.escapes || s.arg != NONE || s.buf != NONE || merged[i] != i as Store)
    );
    size.len()
}
/// Bytes of a storage, or the extents that decide them.
fn key(lw: &Memory, r: Store) -> Result<usize, Key> {
    let s = &lw.stores[r as usize];
    let mut n = Some(s.size);
    for &d in &s.dims {
        n = match (n, lw.exts[d as usize].as_exact().and_then(|x| usize::try_from(x).ok())) {
            (Some(a), Some(b)) if !s.grows => a.checked_mul(b),
            _ => None,
        };
    }
    n.ok_or_else(|| {
        let mut d = s.dims.clone();
        d.sort_unstable();
        (d, if s.grows { usize::MAX } else { s.size })
    })
}
