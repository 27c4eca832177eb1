//! Loops whose trip is one program of scalars (and whose condition is one): carried values stay in the cells of the
//! program from trip to trip; what is cut and collected moves between cells and arrays. Nothing else happens in a trip.
use std::collections::HashMap;

use tfc_ir::Result;

use super::program::{Scalars, copy_element};
use super::trips::{Joined, Trips};
use crate::compiled::Compiled;
use crate::machine::mem::{Buf, Ptr};
use crate::run::control::{Running, Until};
use crate::run::frame::{Ctx, Frame};
use crate::run::replay::scalars_of;
use tfc_plan::plan::*;

/// Bytes from one cell to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Move {
    from: u32,
    to: u32,
    bytes: u32,
}
/// An element of an array that a trip reads or writes.
#[derive(Clone, Copy, Debug)]
struct Element {
    cell: u32,
    array: Slot,
    step: isize,
    size: u32,
}
/// A loop over cells: those of the body, then those of the condition, then spare ones.
#[derive(Debug)]
pub(crate) struct ScalarLoop {
    area: Buf,
    /// Steps of the body and of the condition, and where the cells of the condition begin.
    body: u32,
    cond: Option<(u32, u32)>,
    /// The cell of the condition's result.
    flag: u32,
    /// Read once, before the first trip: slot, cell, bytes.
    entry: Vec<(Slot, u32, u32)>,
    xs: Vec<Element>,
    ys: Vec<Element>,
    /// After a trip: what is handed on unchanged is put aside first.
    aside: Vec<Move>,
    next: Vec<Move>,
    /// After the last trip: number of the carry, cell, bytes.
    last: Vec<(u32, u32, u32)>,
    cursors: Vec<(Ptr, isize)>,
    /// Several trips in one call.
    trips: Option<Box<Trips>>,
}
/// Trips from which on several are run in one call.
const WARM: usize = 8;

impl ScalarLoop {
    /// Whether several trips are run in one call.
    pub(crate) fn joins_trips(&self) -> bool {
        self.trips.is_some()
    }
}

/// Joins moves of neighbours.
fn joined(mut v: Vec<Move>) -> Vec<Move> {
    v.sort_by_key(|m| m.to);
    let mut out: Vec<Move> = vec![];
    for m in v {
        match out.last_mut() {
            Some(l) if l.to + l.bytes == m.to && l.from + l.bytes == m.from => l.bytes += m.bytes,
            _ => out.push(m),
        }
    }
    out
}
struct Builder<'a> {
    plan: &'a Compiled,
    bytes: u32,
    /// Cells of the body's program, by slot, for what it writes and what it reads.
    written: HashMap<Slot, u32>,
    read: HashMap<Slot, Vec<(u32, u32)>>,
}
impl Builder<'_> {
    fn size(&self, s: Slot) -> u32 {
        self.plan.slots[s as usize].dtype.size() as u32
    }
    fn spare(&mut self, size: u32) -> u32 {
        let at = self.bytes.next_multiple_of(size.max(1));
        self.bytes = at + size;
        at
    }
    /// A cell of a slot that the body writes or reads; one is made where it does neither.
    fn cell(&mut self, s: Slot) -> (u32, bool) {
        if let Some(&at) = self.written.get(&s) {
            return (at, true);
        }
        if let Some(&(at, _)) = self.read.get(&s).and_then(|v| v.first()) {
            return (at, false);
        }
        let size = self.size(s);
        let at = self.spare(size);
        self.read.entry(s).or_default().push((at, size));
        (at, false)
    }
    /// What moves after a trip, and after the last: see [`ScalarLoop`].
    fn moves(&mut self, l: &Loop) -> (Vec<Move>, Vec<Move>, Vec<(u32, u32, u32)>) {
        let (mut aside, mut next, mut last) = (vec![], vec![], vec![]);
        for (i, c) in l.carries.iter().enumerate().filter(|c| !c.1.same) {
            let bytes = self.size(c.yielded);
            let (mut from, fresh) = self.cell(c.yielded);
            if !fresh {
                // The cell of another parameter, which is about to change.
                let to = self.spare(bytes);
                aside.push(Move { from, to, bytes });
                from = to;
            }
            last.push((i as u32, from, bytes));
        }
        // Only now every parameter that something reads has its cells.
        for &(i, from, _) in &last {
            for q in &l.carries[i as usize].params {
                let others = self.read.get(q).into_iter().flatten().filter(|c| c.0 != from);
                next.extend(others.map(|&(to, bytes)| Move { from, to, bytes }));
            }
        }
        (joined(aside), joined(next), last)
    }
}
type Piece<'a> = (&'a Run, &'a Scalars);
/// The programs of a trip and of the condition, if the loop is nothing else.
fn programs<'a>(
    plan: &'a Compiled,
    l: &'a Loop,
    body: u32,
    cond: Option<u32>,
) -> Option<(Piece<'a>, Option<Piece<'a>>)> {
    let scalar = |s: Slot| plan.slots[s as usize].dims.is_empty();
    let mut slots =
        l.carries.iter().map(|c| c.init).chain(l.xs.iter().map(|x| x.1)).chain(l.ys.iter().map(|y| y.yielded));
    // Conditions on extents have been asked; any other step might hand on what the program computes under another name.
    let alone = |b: &Block| b.iter().filter(|s| !matches!(s.what, Do::Guard { .. })).count() == 1;
    if !slots.all(scalar) || !alone(&l.body) {
        return None;
    }
    let test = match (&l.cond, cond) {
        (Some((b, _)), Some(c)) if alone(b) => Some(scalars_of(plan, b.get(c as usize)?)?),
        (None, None) => None,
        _ => return None,
    };
    Some((scalars_of(plan, l.body.get(body as usize)?)?, test))
}

/// A result of the body's program that is computed in the cell of a parameter.
struct Over {
    slot: Slot,
    operand: u32,
    cell: u32,
}
/// Carried values that machine code computes over what came in: nothing else wants the old value.
fn computed_over(l: &Loop, run: &Run, p: &Scalars) -> Vec<Over> {
    let mut out: Vec<Over> = vec![];
    for c in l.carries.iter().filter(|c| !c.same) {
        let Some(&q) = c.params.last() else { continue };
        let mut loads = p.loads.iter().filter(|x| run.operands[x.operand as usize] == q);
        let (Some(from), None) = (loads.next(), loads.next()) else { continue };
        let Some(to) = p.stores.iter().find(|x| run.operands[x.operand as usize] == c.yielded) else { continue };
        let wanted = l.ys.iter().any(|y| y.yielded == q) || l.carries.iter().any(|d| d.yielded == q);
        let taken = out.iter().any(|o| o.slot == c.yielded);
        if !wanted && !taken && from.size == to.size && p.may_write(from.operand) {
            out.push(Over { slot: c.yielded, operand: to.operand, cell: from.at });
        }
    }
    out
}

/// Moves bytes from cell to cell.
///
/// # Safety
/// Both lie in the area and do not overlap.
#[inline(always)]
unsafe fn carry_on(area: Ptr, m: &Move) {
    let cell = |o: u32| area.0.wrapping_add(o as usize);
    // SAFETY: by contract.
    unsafe {
        match m.bytes {
            8 => copy_element(cell(m.to), cell(m.from), 8),
            n => std::ptr::copy_nonoverlapping(cell(m.from), cell(m.to), n as usize),
        }
    }
}
/// The trips of a loop whose body is machine code, joined where they can be.
fn joined_trips(plan: &Compiled, l: &Loop, (run, p): Piece, test: Option<Piece>) -> Option<Joined> {
    let body = (run, p.source.as_deref().filter(|_| p.is_code())?);
    let cond = match (&l.cond, test) {
        (Some((_, slot)), Some((run, t))) => Some(((run, t.source.as_deref()?), *slot)),
        (None, None) => None,
        _ => return None,
    };
    Joined::new(plan, l, body, cond)
}

impl Frame {
    /// Binds a loop whose body is the region of scalars at step `body`, and whose condition, if it has one, is another.
    pub(crate) fn scalar_loop(
        &mut self,
        plan: &Compiled,
        l: &Loop,
        body: u32,
        cond: Option<u32>,
    ) -> Result<Option<ScalarLoop>> {
        let Some(((run, p), test)) = programs(plan, l, body, cond) else { return Ok(None) };
        let at_cond = p.bytes as u32;
        let mut b = Builder {
            plan,
            bytes: at_cond + test.map_or(0, |t| t.1.bytes as u32),
            written: HashMap::new(),
            read: HashMap::new(),
        };
        let cells = |b: &mut Builder, run: &Run, p: &Scalars, base: u32| {
            for c in &p.loads {
                b.read.entry(run.operands[c.operand as usize]).or_default().push((base + c.at, c.size));
            }
        };
        cells(&mut b, run, p, 0);
        for c in &p.stores {
            b.written.insert(run.operands[c.operand as usize], c.at);
        }
        // Results that are computed in the cells of the parameters they become.
        let over = computed_over(l, run, p);
        for o in &over {
            b.written.insert(o.slot, o.cell);
        }
        let mut flag = 0;
        if let (Some((run, t)), Some((_, slot))) = (test, &l.cond) {
            cells(&mut b, run, t, at_cond);
            match t.stores.iter().find(|c| run.operands[c.operand as usize] == *slot) {
                Some(c) => flag = at_cond + c.at,
                None => return Ok(None),
            }
        }
        let mut ys = vec![];
        for y in &l.ys {
            let (cell, _) = b.cell(y.yielded);
            ys.push(Element { cell, array: y.result, step: 0, size: b.size(y.yielded) });
        }
        let (aside, next, last) = b.moves(l);
        let mut xs = vec![];
        for &(src, q, axis) in &l.xs {
            for &(cell, size) in b.read.get(&q).into_iter().flatten() {
                xs.push(Element { cell, array: src, step: self.strides(plan, src)[axis as usize], size });
            }
        }
        let cut = |s: &Slot| l.xs.iter().any(|x| x.1 == *s);
        let mut entry: Vec<(Slot, u32, u32)> =
            b.read.iter().filter(|x| !cut(x.0)).flat_map(|(&s, v)| v.iter().map(move |&(at, n)| (s, at, n))).collect();
        entry.sort_by_key(|e| e.1);
        let mut area = Buf::default();
        let at = area.ensure(b.bytes as usize)?;
        // SAFETY: the area holds the cells of both programs, each at a cache line.
        unsafe {
            p.init(at);
            for o in &over {
                p.move_operand(at, o.operand, o.cell);
            }
            if let Some((_, t)) = test {
                t.init(at.at(at_cond as isize));
            }
        }
        let cond = cond.map(|c| (c, at_cond));
        let trips = match plan.joined(l, || joined_trips(plan, l, (run, p), test)) {
            Some(code) => Some(Box::new(Trips::new(code)?)),
            None => None,
        };
        Ok(Some(ScalarLoop { area, body, cond, flag, entry, xs, ys, aside, next, last, cursors: vec![], trips }))
    }
    /// Runs trips from `t` on until the loop ends.
    pub(crate) fn replay_scalars(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        l: &Loop,
        s: &mut ScalarLoop,
        run: &mut Running,
        until: &Until,
        t: &mut usize,
    ) -> Result<()> {
        let Some((_, body)) = l.body.get(s.body as usize).and_then(|x| scalars_of(plan, x)) else { return Ok(()) };
        let test = match (&l.cond, s.cond) {
            (Some((b, _)), Some((c, at))) => b.get(c as usize).and_then(|x| scalars_of(plan, x)).map(|x| (x.1, at)),
            _ => None,
        };
        for (y, (_, step)) in s.ys.iter_mut().zip(&run.ys) {
            y.step = *step;
        }
        let area = s.area.ptr();
        let cell = |o: u32| area.0.wrapping_add(o as usize);
        for &(slot, at, size) in &s.entry {
            // SAFETY: a placed scalar, and a cell of its size.
            unsafe { copy_element(cell(at), self.ptr[slot as usize].0, size) };
        }
        let start = *t;
        let until = &until.fuelled(ctx, start);
        self.cursors(s, until, *t);
        loop {
            if let Some((p, at)) = test {
                // SAFETY: the cells of what it reads hold values.
                let more = unsafe {
                    p.run(area.at(at as isize));
                    cell(s.flag).cast::<bool>().read()
                };
                if !more {
                    break;
                }
                until.begins(ctx, *t)?;
            } else if until.trips == Some(*t) {
                break;
            } else {
                ctx.look()?;
            }
            if *t == start + WARM
                && let Some(several) = &mut s.trips
            {
                let from: Vec<Ptr> = s.last.iter().map(|&(_, at, _)| Ptr(cell(at))).collect();
                // SAFETY: these cells hold the carried values since the first trip; what no trip changes is placed.
                let done = unsafe { several.run(self, &from, until, *t, ctx.opt.budget.as_ref()) };
                if done > 0 {
                    *t += done;
                    // SAFETY: as after any trip.
                    unsafe { s.next.iter().for_each(|m| carry_on(area, m)) };
                    continue;
                }
            }
            if *t >= run.room {
                self.more_room(plan, ctx, l, run, *t)?;
                self.cursors(s, until, *t);
            }
            // SAFETY: cursors stand at element `t` of arrays with room for it; cells are those of the program; what is moved
            // does not overlap.
            unsafe {
                let (xs, ys) = s.cursors.split_at_mut(s.xs.len());
                for (x, c) in s.xs.iter().zip(xs) {
                    copy_element(cell(x.cell), c.0.0, x.size);
                    c.0 = c.0.at(c.1);
                }
                body.run(area);
                for (y, c) in s.ys.iter().zip(ys) {
                    copy_element(c.0.0, cell(y.cell), y.size);
                    c.0 = c.0.at(c.1);
                }
                s.aside.iter().chain(&s.next).for_each(|m| carry_on(area, m));
            }
            *t += 1;
        }
        if until.trips.is_none() {
            ctx.spend((*t - start) as u64)?;
        }
        if *t > start {
            for &(i, from, size) in &s.last {
                let to = run.carries[i as usize].0[(*t - 1) % 2];
                // SAFETY: a buffer of the carried scalar.
                unsafe { copy_element(to.0, cell(from), size) };
                for &q in &l.carries[i as usize].params {
                    self.ptr[q as usize] = to;
                }
            }
        }
        Ok(())
    }
    /// Addresses of the elements of trip `t`.
    fn cursors(&self, s: &mut ScalarLoop, until: &Until, t: usize) {
        let back = if until.reverse { -1 } else { 1 };
        s.cursors.clear();
        if until.trips == Some(t) {
            // No element is left; none is touched.
            s.cursors.resize(s.xs.len() + s.ys.len(), (Ptr::NULL, 0));
            return;
        }
        let i = until.index(t) as isize;
        s.cursors.extend(s.xs.iter().chain(&s.ys).map(|e| (self.ptr[e.array as usize].at(i * e.step), back * e.step)));
    }
}
