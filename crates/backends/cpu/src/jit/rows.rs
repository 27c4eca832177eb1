//! Programs of phases as one function: an outer loop over rows, in it the loops of each phase, the folds of its lanes, and
//! what is computed once a row. Values that phases exchange stay in the frame.
//!
//! `extern "sysv64" fn(table, n, _, _, rows)`. The frame is that of [`super::frame`], with a vector for each exchanged value,
//! one for results on their way to memory, and the lanes of reductions before the splats.
use super::asm::*;
use super::audit::{Facts, audit_once};
use super::frame::{MOST_AHEAD, Plan, SPLATS, Writer, saved, spills};
use super::lower::{self, Program};
use super::shared::Place;
use super::ssa::Op;
use super::{Access, Ahead, Options, RowPhase};
use crate::fused::fold::{LANE_BYTES, fold};
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
    let at = places.lanes + (LANE_BYTES * most) as i32;
    let plans: Vec<(Plan, Vec<Plan>)> = phases
        .iter()
        .zip(&programs)
        .map(|(x, (p, reds))| Some((plan(x, p, &places, at)?, trees(reds, &places, at))))
        .collect::<Option<_>>()?;
    let all = || plans.iter().flat_map(|p| std::iter::once(&p.0).chain(&p.1));
    let area = all().map(|p| p.end).max().unwrap_or(at);
    let spills = spills(all().any(|p| p.calls), area);
    let mut writers: Vec<Writer> = all().map(|p| p.writer(Asm::default(), area, spills)).collect();
    let kept = phases.iter().zip(&programs).flat_map(|(x, p)| std::iter::once(x.kept).chain(p.1.iter().map(|_| false)));
    let saved = saved(|r| writers.iter().any(|w| w.uses(r)));

    let mut a = Asm::new(avx2);
    let (start, again) = (a.label(), a.label());
    a.bind(start);
    a.lea(RDX, Mem::at(RSP, places.lanes));
    a.bind(again);
    let mut rest = writers.iter_mut().zip(kept);
    let mut save = None;
    for (_, reds) in &programs {
        reds.iter().enumerate().for_each(|(j, r)| clear(&mut a, r, places.lanes + (LANE_BYTES * j) as i32));
        for i in 0..=reds.len() {
            let (w, kept) = rest.next()?;
            std::mem::swap(&mut w.s.a, &mut a);
            w.s.save = save;
            match i.checked_sub(1) {
                None if kept => w.one(),
                None => w.run(None),
                Some(_) => w.vector(),
            }
            save = w.s.save;
            std::mem::swap(&mut w.s.a, &mut a);
            if let Some(r) = i.checked_sub(1).and_then(|j| reds.get(j)) {
                deliver(&mut a, r, &places);
            }
        }
    }
    a.next_trip(again, moving);
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
/// Sets the lanes at `at` to the identity, a vector at a time.
fn clear(a: &mut Asm, r: &Red, at: i32) {
    let (len, bytes) = if a.vex { (Len::Y, 32) } else { (Len::Z, 64) };
    let one = r.identity.iter().copied().take(r.size as usize).collect::<Vec<u8>>();
    let pool = a.constant(&one.repeat(bytes / r.size as usize));
    a.evex(Insn::fp(false, 0x10), len, 0, 0, Rm::Pool(pool), 0, false);
    for to in (0..LANE_BYTES).step_by(bytes) {
        a.evex(Insn::fp(false, 0x11), len, 0, 0, Rm::Mem(Mem::at(RSP, at + to as i32), bytes as u8), 0, false);
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
