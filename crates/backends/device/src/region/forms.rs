//! Which forms of a region are written: those that some call may take, as far as that is known before.
use std::collections::BTreeSet;

use tfc_plan::region::body::{Node, Role};

use super::{Form, SCARCE, Site, Walk};

/// Elements from which on packs and tiles are worth while.
pub const LEAST_PACKED: usize = 1024;
/// Elements of a row from which on it is held in registers.
pub const LEAST_ONCE: usize = 64;
/// Elements of a row from which on it may be shared out among blocks.
pub const LEAST_PARTS: usize = 1024;
/// Additions that one round of a loop may cost: what costs more is bound by them, and not worth being written out several times.
const MOST_COST: u32 = 512;
/// The same of a row in registers, all chunks of which are written out.
const MOST_COST_ONCE: u32 = 2048;

/// What is known of a region's loops beforehand.
#[derive(Clone, Copy, Debug)]
pub struct Extents {
    /// Loops over kept indices (all loops, without a reduction), and over reduced ones.
    pub loops: [usize; 2],
    /// Their trips, where they are known.
    pub trips: [Option<usize>; 2],
    /// Whether neighbours of an operand may lie along another axis than those of the first output.
    pub turns: bool,
}
impl Extents {
    /// Whether there are so few elements, whatever the call, that no time is spent on finding them.
    fn small(&self) -> bool {
        self.trips[0].zip(self.trips[1]).and_then(|(n, m)| n.checked_mul(m)).is_some_and(|n| n < LEAST_PACKED)
    }
    /// Whether there are few elements, whatever the call.
    pub fn few(&self) -> bool {
        let reduces = self.loops[1] > 0;
        self.trips[usize::from(reduces)].is_some_and(|n| n < if reduces { LEAST_ONCE } else { LEAST_PACKED })
    }
}
/// The forms of a region. What walks several loops walks one, too, with some arithmetic for each element: a kernel that walks but one is
/// written where that is time, since every kernel takes time to compile.
pub fn forms(site: &Site, e: Extents) -> Vec<Form> {
    let (kept, reduced) = (e.loops[0].max(1), e.loops[1]);
    let flat = !e.small() && site.cost() <= MOST_COST;
    let at_least = |trips: Option<usize>, n: usize| trips.is_none_or(|t| t >= n);
    let mut all = vec![];
    if !site.reduces() {
        let mut add = |walk, kept| all.push(Form { walk, kept, reduced: 0 });
        if flat && kept > 1 {
            add(Walk::Elements, 1);
        }
        add(Walk::Elements, kept);
        if at_least(e.trips[0], LEAST_PACKED) && e.loops[0] > 0 {
            if site.pack() > 1 {
                add(Walk::Packs, kept);
            }
            if kept > 1 && e.turns {
                add(Walk::Tiles, kept);
            }
        }
        return all;
    }
    let mut add = |walk, reduced| all.push(Form { walk, kept, reduced });
    if flat && reduced > 1 {
        add(Walk::Teams, 1);
    }
    add(Walk::Teams, reduced.max(1));
    for chunks in site.once() {
        // Of a row whose extent is known, the fewest chunks that hold it; teams of 32 threads beside each other hold less.
        let most = |threads: u32| chunks * site.pack() * threads as usize;
        let walk = Walk::Once(chunks);
        if e.trips[1].is_none_or(|t| t >= LEAST_ONCE && t <= most(walk.most_threads()) && t > most(32) / 8) {
            add(walk, 1);
        }
    }
    if site.phases().count() == 1 && site.cutting.temps.is_empty() && at_least(e.trips[1], LEAST_PARTS) {
        add(Walk::Parts, 1);
        add(Walk::Fold, 0);
    }
    all
}
impl Site<'_> {
    /// About how many additions an element costs, all phases together.
    fn cost(&self) -> u32 {
        let nodes = self.phases().flat_map(|p| &p.region.body);
        nodes.map(|n| if let Node::Apply(op, ..) = n { op.cost() } else { 1 }).fold(0, u32::saturating_add)
    }
    /// Neighbours that a thread takes at a time: 16 bytes of the widest elements, or fewer where they cost much.
    pub fn pack(&self) -> usize {
        let mut n = if self.few { 1 } else { self.widest_pack() };
        while n > 1 && self.cost().saturating_mul(n as u32) > MOST_COST {
            n /= 2;
        }
        n
    }
    /// Chunks of a row for each thread in registers, where several phases have to do with the same elements: few, and as many as
    /// there is room for.
    fn once(&self) -> Vec<usize> {
        let phases: Vec<_> = self.phases().map(|p| p.operands.iter().copied().collect::<BTreeSet<u32>>()).collect();
        let along: Vec<u32> = self.along().into_iter().map(|a| a.0).collect();
        let with = |i: usize, k: u32| phases[i].contains(&k);
        // What waits for a later phase, and what a phase has in registers beside that: what it reads.
        let waits = |i: usize, k: u32| (0..i).any(|e| with(e, k)) && (i..phases.len()).any(|l| with(l, k));
        let read = |i: usize, k: u32| with(i, k) && self.cutting.roles.get(k as usize).is_some_and(|r| *r == Role::In);
        let most = |f: &dyn Fn(usize, u32) -> bool| {
            (0..phases.len()).map(|i| along.iter().filter(|&&k| f(i, k)).count()).max().unwrap_or(0)
        };
        let (wait, live) = (most(&waits), most(&|i, k| waits(i, k) || read(i, k)));
        let each = self.cost().saturating_mul(self.pack() as u32);
        let room = |chunks: usize| match chunks {
            SCARCE => wait < 2,
            4 => live < 4,
            _ => live < 8,
        };
        let fits = |c: &usize| wait > 0 && room(*c) && each.saturating_mul(*c as u32) <= MOST_COST_ONCE;
        [1, 4, SCARCE].into_iter().filter(fits).collect()
    }
}
