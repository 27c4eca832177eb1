//! Programs of phases as one function: an outer loop over rows, in it the loops of each phase, the folds of its lanes, and
//! what is computed once a row. Values that phases exchange stay in the frame.
//!
//! `extern "sysv64" fn(table, n, block, _, rows)`. The frame is that of [`super::frame`], with a vector for each exchanged value,
//! one for results on their way to memory, and the lanes of reductions before the splats.
//!
//! A row is a chain: the sum of a row is folded, what is computed of it is read by the next phase, and so on. Where phases wait for
//! each other so, each *stage*, a phase over rows with what is computed once a row behind it, runs over a block of rows before the next
//! stage does, so that chains of several rows are under way at once. Values that stages exchange lie in arrays in the frame, and come to
//! their places row by row. A block is short enough for its rows to stay in the first-level cache; its rows are a parameter.
use super::asm::*;
use super::audit::{Facts, audit_once};
use super::frame::{Folds, MOST_AHEAD, Plan, SPLATS, Writer, saved, spills};
use super::lower::{self, Program};
use super::shared::{Fixed, Place, TRIPS};
use super::ssa::Op;
use super::{Access, Ahead, Options, ROWS_OF_A_BLOCK, RowPhase};
use crate::fused::fold::{LANE_BYTES, fold};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tfc_plan::region::body::{Node, Region, Role};

/// A reduction of a phase.
struct Red {
    tree: Program,
    region: Region,
    /// The accumulator of an empty row.
    identity: [u8; 16],
    size: u32,
    /// The program's operand that receives the result.
    to: u32,
}
impl Red {
    fn new(x: &RowPhase, node: &Node, avx2: bool) -> Option<Option<Red>> {
        let Node::Red(op, k, _) = *node else { return Some(None) };
        let d = x.region.operands.get(k as usize)?.dtype;
        let tree = lower::tree(op, d, avx2)?;
        let mut region = Region::default();
        for _ in 0..LANE_BYTES / (d.size() * tree.lanes as usize) {
            region.operand(d, Role::In);
        }
        region.operand(d, Role::Out);
        let (identity, size) = (fold(op, d)?.identity, d.size() as u32);
        Some(Some(Red { tree, region, identity, size, to: *x.operands.get(k as usize)? }))
    }
    /// The identity in every lane of a vector: its length, its bytes, where in the pool it lies.
    fn identity_of(&self, a: &mut Asm) -> (Len, usize, u32) {
        let (len, bytes) = if a.vex { (Len::Y, 32) } else { (Len::Z, 64) };
        let one = self.identity.iter().copied().take(self.size as usize).collect::<Vec<u8>>();
        let pool = a.constant(&one.repeat(bytes / self.size as usize));
        (len, bytes, pool)
    }
}

/// Places in the frame.
struct Places {
    inside: Range<u32>,
    /// Where results pass on their way to memory.
    way: i32,
    lanes: i32,
}
impl Places {
    fn of(&self, k: u32) -> Place {
        if self.inside.contains(&k) {
            Place::Frame(SPLATS + 64 * (k - self.inside.start) as i32)
        } else {
            Place::Table(k)
        }
    }
}

/// Frame: rows of a block; of this one; of these, those that a stage has still to do; bytes from the beginning of an array to the
/// element of its row.
const MOST: i32 = 32;
const ROWS: i32 = 40;
const LEFT: i32 = 48;
const CURSOR: i32 = 56;
/// Bytes of an element of an array in the frame.
const ELEMENT: i32 = 8;

/// A phase over rows with what is computed once a row behind it.
#[derive(Default)]
struct Stage {
    phases: Range<usize>,
    /// Operands in the table, of which the addresses go from row to row.
    moving: BTreeSet<u32>,
    /// Exchanged values that other stages have made, and those that others need, each with the bytes of its element.
    takes: BTreeMap<u32, u32>,
    gives: BTreeMap<u32, u32>,
}
/// The stages of a program, whose exchanged values are `inside`. One is all phases where none waits for another.
fn stages(phases: &[RowPhase], inside: &Range<u32>) -> Vec<Stage> {
    let mut all: Vec<Stage> = vec![];
    for (i, x) in phases.iter().enumerate() {
        // What comes before the first phase over rows belongs to its stage.
        let opens = !x.kept && all.last().is_none_or(|s| phases[s.phases.clone()].iter().any(|x| !x.kept));
        if opens || all.is_empty() {
            all.push(Stage { phases: i..i, ..Stage::default() });
        }
        if let Some(s) = all.last_mut() {
            s.phases.end = i + 1;
        }
    }
    // Which stage makes an exchanged value.
    let mut made: BTreeMap<u32, usize> = BTreeMap::new();
    let mut taken: Vec<(usize, u32, u32)> = vec![];
    for (n, s) in all.iter_mut().enumerate() {
        for x in &phases[s.phases.clone()] {
            s.moving.extend(x.operands.iter().filter(|&&k| k < inside.start));
            for node in &x.region.body {
                let (at, makes) = match *node {
                    Node::Load(at) => (at, false),
                    Node::Store(at, _) | Node::Red(_, at, _) => (at, true),
                    _ => continue,
                };
                let (Some(&k), Some(o)) = (x.operands.get(at as usize), x.region.operands.get(at as usize)) else {
                    continue;
                };
                if !inside.contains(&k) {
                    continue;
                }
                if makes {
                    made.insert(k, n);
                } else if made.get(&k).is_some_and(|&by| by != n) {
                    taken.push((n, k, o.dtype.size() as u32));
                }
            }
        }
    }
    for (n, k, size) in taken {
        all[n].takes.insert(k, size);
        if let Some(by) = made.get(&k).and_then(|&by| all.get_mut(by)) {
            by.gives.insert(k, size);
        }
    }
    all
}
/// How blocks of rows are gone through; places in the frame.
struct Blocks {
    /// All operands in the table whose addresses change, the program's own first.
    all: u32,
    /// Those of the program.
    own: u32,
    /// Their addresses at the beginning of the block.
    begin: i32,
    /// The array of each value that stages exchange.
    arrays: BTreeMap<u32, i32>,
}
impl Blocks {
    /// The rows of the next block, and where they begin.
    fn enter(&self, a: &mut Asm) {
        a.load(RAX, Mem::at(RSP, TRIPS));
        a.load(RCX, Mem::at(RSP, MOST));
        // rcx = min(rcx, rax)
        a.gg(0x39, RCX, RAX);
        a.bytes(&[0x48, 0x0f, 0x47, 0xc8]);
        a.store(RCX, Mem::at(RSP, ROWS));
        for k in 0..self.all as i32 {
            a.load(RAX, Mem::at(RDI, 16 * k));
            a.store(RAX, Mem::at(RSP, self.begin + 8 * k));
        }
    }
    /// A stage begins with the first row.
    fn first(&self, a: &mut Asm) {
        a.load(RCX, Mem::at(RSP, ROWS));
        a.store(RCX, Mem::at(RSP, LEFT));
        a.bytes(&[0x31, 0xc0]);
        a.store(RAX, Mem::at(RSP, CURSOR));
    }
    /// Moves elements between the arrays and the places of exchanged values.
    fn exchange(&self, a: &mut Asm, values: &BTreeMap<u32, u32>, places: &Places, out: bool) {
        if values.is_empty() {
            return;
        }
        a.load(RAX, Mem::at(RSP, CURSOR));
        for (k, &size) in values {
            let (Some(&array), Place::Frame(place)) = (self.arrays.get(k), places.of(*k)) else { continue };
            let [from, to] = match out {
                true => [Mem::at(RSP, place), Mem { base: RSP, scale: Some(0), disp: array }],
                false => [Mem { base: RSP, scale: Some(0), disp: array }, Mem::at(RSP, place)],
            };
            let load: &[u8] = match size {
                1 => &[0x0f, 0xb6],
                2 => &[0x0f, 0xb7],
                _ => &[0x8b],
            };
            a.gm(size == 8, load, RCX, from);
            a.gm(size == 8, &[0x89], RCX, to);
        }
    }
    /// On to the stage's next row, at `again`; behind the last, where the next stage begins, or, behind the last stage, the next block.
    fn next(&self, a: &mut Asm, s: &Stage, last: bool, again: Label) {
        let own = (0..self.own).filter(|k| last || s.moving.contains(k));
        let buffers = (self.own..self.all).filter(|k| s.moving.contains(k));
        for k in own.chain(buffers) {
            a.load(RAX, Mem::at(RDI, 16 * k as i32 + 8));
            a.gm(true, &[0x01], RAX, Mem::at(RDI, 16 * k as i32));
        }
        a.load(RAX, Mem::at(RSP, CURSOR));
        a.lea(RAX, Mem::at(RAX, ELEMENT));
        a.store(RAX, Mem::at(RSP, CURSOR));
        // dec qword [rsp + LEFT]
        a.bytes(&[0x48, 0xff, 0x4c, 0x24, LEFT as u8]);
        a.jcc(5, again);
        for &k in s.moving.iter().filter(|&&k| k >= self.own || !last) {
            a.load(RAX, Mem::at(RSP, self.begin + 8 * k as i32));
            a.store(RAX, Mem::at(RDI, 16 * k as i32));
        }
    }
    /// On to the next block, if rows are left.
    fn leave(&self, a: &mut Asm, again: Label) {
        a.load(RAX, Mem::at(RSP, TRIPS));
        a.load(RCX, Mem::at(RSP, ROWS));
        a.gg(0x29, RAX, RCX);
        a.store(RAX, Mem::at(RSP, TRIPS));
        // test rax, rax
        a.gg(0x85, RAX, RAX);
        a.jcc(5, again);
    }
}

/// The code, and where in it the function begins; `None` where something is missing or the frame would be too large.
pub(crate) fn function(phases: &[RowPhase], moving: u32, inside: Range<u32>, avx2: bool) -> Option<(Vec<u8>, usize)> {
    written(phases, moving, inside, avx2, |code, entry, facts| {
        debug_assert_eq!(audit_once(&code, entry, avx2, facts), Ok(()), "registers of generated code");
        (code, entry)
    })
}
/// [`function`] for who also asks what the checker asks: `then` gets the code, its entry, and what it was written from.
pub(crate) fn written<R>(
    phases: &[RowPhase],
    moving: u32,
    inside: Range<u32>,
    avx2: bool,
    then: impl FnOnce(Vec<u8>, usize, &[Facts]) -> R,
) -> Option<R> {
    let mut programs = vec![];
    for x in phases {
        let o = Options { one: x.kept, ..Options::default() };
        let p = lower::program(x.region, &x.access, &o, avx2)?;
        let reds: Vec<Option<Red>> = x.region.body.iter().map(|n| Red::new(x, n, avx2)).collect::<Option<_>>()?;
        programs.push((p, reds.into_iter().flatten().collect::<Vec<Red>>()));
    }
    let way = SPLATS + 64 * inside.len() as i32;
    let places = Places { inside, way, lanes: way + 64 };
    let most = programs.iter().map(|p| p.1.len()).max().unwrap_or(0);
    let mut at = places.lanes + (LANE_BYTES * most) as i32;
    let stages = stages(phases, &places.inside);
    let blocks = (stages.len() > 1).then(|| {
        let (own, all) = (moving, places.inside.start);
        let mut room = |bytes: i32| {
            let here = at;
            at += (bytes + 63) / 64 * 64;
            here
        };
        let begin = room(8 * all as i32);
        let values: BTreeSet<u32> = stages.iter().flat_map(|s| s.gives.keys().copied()).collect();
        let arrays = values.into_iter().map(|k| (k, room(ELEMENT * ROWS_OF_A_BLOCK as i32))).collect();
        Blocks { all, own, begin, arrays }
    });
    let plans: Vec<(Plan, Vec<Plan>)> = phases
        .iter()
        .zip(&programs)
        .map(|(x, (p, reds))| Some((plan(x, p, &places, at)?, trees(reds, &places, at))))
        .collect::<Option<_>>()?;
    let all = || plans.iter().flat_map(|p| std::iter::once(&p.0).chain(&p.1));
    let area = all().map(|p| p.end).max().unwrap_or(at);
    let spills = spills(all().any(|p| p.calls), area);
    let mut writers: Vec<Writer> = all().map(|p| p.writer(Asm::default(), area, spills)).collect();
    let saved = saved(|r| writers.iter().any(|w| w.uses(r)));

    let mut a = Asm::new(avx2);
    let (start, again) = (a.label(), a.label());
    a.bind(start);
    if blocks.is_some() {
        a.store(RDX, Mem::at(RSP, MOST));
    }
    a.lea(RDX, Mem::at(RSP, places.lanes));
    a.bind(again);
    if let Some(b) = &blocks {
        b.enter(&mut a);
    }
    let mut rest = writers.as_mut_slice();
    let mut save = None;
    let mut row = again;
    for (i, (x, (_, reds))) in phases.iter().zip(&programs).enumerate() {
        let stage = stages.iter().find(|s| s.phases.contains(&i));
        if let (Some(b), Some(s)) = (&blocks, stage.filter(|s| s.phases.start == i)) {
            b.first(&mut a);
            row = a.label();
            a.bind(row);
            b.exchange(&mut a, &s.takes, &places, false);
        }
        let (mine, others) = std::mem::take(&mut rest).split_at_mut(1 + reds.len());
        rest = others;
        let (w, trees) = mine.split_first_mut()?;
        std::mem::swap(&mut w.s.a, &mut a);
        w.s.save = save;
        match (x.kept, reds.is_empty()) {
            (true, _) => w.one(&super::shared::Held::new()),
            (_, true) => w.run(None),
            _ => w.row(&mut Trees { trees, reds, places: &places }),
        }
        save = w.s.save;
        std::mem::swap(&mut w.s.a, &mut a);
        if let (Some(b), Some(s)) = (&blocks, stage.filter(|s| s.phases.end == i + 1)) {
            b.exchange(&mut a, &s.gives, &places, true);
            b.next(&mut a, s, s.phases.end == phases.len(), row);
        }
    }
    match &blocks {
        Some(b) => b.leave(&mut a, again),
        None => a.next_trip(again, moving),
    }
    a.leave(&saved);
    for w in &mut writers {
        std::mem::swap(&mut w.s.a, &mut a);
        w.s.save = save;
        w.rest();
        save = w.s.save;
        std::mem::swap(&mut w.s.a, &mut a);
    }
    if let Some(w) = writers.first_mut() {
        std::mem::swap(&mut w.s.a, &mut a);
        w.s.save = save;
        w.routine();
        std::mem::swap(&mut w.s.a, &mut a);
    }
    let bytes = writers.iter().map(Writer::frame).max().unwrap_or(0);
    let entry = a.enter(&saved, start, bytes)?;
    let facts: Vec<Facts> = writers.iter().map(Writer::facts).collect();
    Some(then(a.finish(), entry, &facts))
}
/// The plan of a phase; `None` where one of rows reads or writes an exchanged value otherwise than as one element for the row.
fn plan<'p>(x: &RowPhase, p: &'p Program, places: &Places, at: i32) -> Option<Plan<'p>> {
    let place: Vec<Place> = x.operands.iter().map(|&k| places.of(k)).collect();
    let exchanged = |op: &Op| match *op {
        Op::Load(k) | Op::Store(k, _) => matches!(place.get(k as usize), None | Some(Place::Frame(_))),
        _ => false,
    };
    if place.len() < x.region.operands.len() || !x.kept && p.ssa.ops.iter().any(exchanged) {
        return None;
    }
    let near = |a: &Ahead| match *a {
        Ahead::Bytes(b) => Ahead::Bytes(b.min(MOST_AHEAD)),
        row => row,
    };
    Some(Plan::new(p, x.region, &x.access, place, x.ahead.iter().map(near).collect(), x.kept, at))
}
/// Plans of the folds of lanes.
fn trees<'p>(reds: &'p [Red], places: &Places, at: i32) -> Vec<Plan<'p>> {
    let plan = |(j, r): (usize, &'p Red)| {
        let n = r.region.operands.len();
        let vector = (r.tree.lanes * r.size) as usize;
        let lanes = |k: usize| Place::Frame(places.lanes + (LANE_BYTES * j + vector * k) as i32);
        let mut place: Vec<Place> = (0..n - 1).map(lanes).collect();
        place.push(match places.of(r.to) {
            Place::Table(_) => Place::Frame(places.way),
            inside => inside,
        });
        Plan::new(&r.tree, &r.region, &vec![Access::Stream; n], place, vec![Ahead::Bytes(0); n], false, at)
    };
    reds.iter().enumerate().map(plan).collect()
}
/// The folds of a phase's reductions.
struct Trees<'t, 'p> {
    trees: &'t mut [Writer<'p>],
    reds: &'t [Red],
    places: &'t Places,
}
impl Folds for Trees<'_, '_> {
    fn clear(&mut self, a: &mut Asm) {
        for (j, r) in self.reds.iter().enumerate() {
            let (len, bytes, pool) = r.identity_of(a);
            a.evex(Insn::fp(false, 0x10), len, 0, 0, Rm::Pool(pool), 0, false);
            for to in (0..LANE_BYTES).step_by(bytes) {
                let to = Mem::at(RDX, (LANE_BYTES * j + to) as i32);
                a.evex(Insn::fp(false, 0x11), len, 0, 0, Rm::Mem(to, bytes as u8), 0, false);
            }
        }
    }
    fn begin(&mut self, a: &mut Asm) {
        for (j, r) in self.reds.iter().enumerate() {
            let (len, _, pool) = r.identity_of(a);
            let [first, others @ ..] = [0, 1, 2, 3].map(|c| Fixed::acc(j as u32, c));
            a.evex(Insn::fp(false, 0x10), len, first, 0, Rm::Pool(pool), 0, false);
            others.into_iter().for_each(|c| a.evex(Insn::fp(false, 0x28), len, c, 0, Rm::Reg(first), 0, false));
        }
    }
    fn fold(&mut self, a: &mut Asm, save: &mut Option<Label>, registers: bool) {
        let all = self.reds.len() as u32;
        for (j, (w, r)) in self.trees.iter_mut().zip(self.reds).enumerate() {
            std::mem::swap(&mut w.s.a, a);
            w.s.save = *save;
            if registers {
                w.accumulated(j as u32, all);
            } else {
                w.vector();
            }
            *save = w.s.save;
            std::mem::swap(&mut w.s.a, a);
            deliver(a, r, self.places);
        }
    }
}
/// Writes a result to its operand, where that is in memory.
fn deliver(a: &mut Asm, r: &Red, places: &Places) {
    if let to @ Place::Table(_) = places.of(r.to) {
        let wide = r.size == 8;
        a.gm(wide, &[0x8b], RAX, Mem::at(RSP, places.way));
        a.load(RCX, to.entry());
        a.gm(wide, &[0x89], RAX, Mem::at(RCX, 0));
    }
}
