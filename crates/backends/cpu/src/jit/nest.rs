//! The code of nests of loops ([`crate::nest`]): straight pieces of arithmetic as bodies ([`super::frame`]) whose operands are
//! cells of the frame, eight bytes each; and between them, on general-purpose registers, what moves elements, branches and
//! goes round. rax, rcx, rdx and r11 serve for that; none holds anything from one act to the next.
//!
//! `extern "sysv64" fn(numbers, …)`: rdi holds the address of the numbers, eight bytes each, through which everything comes
//! in and goes out: addresses, strides, extents.
use super::asm::*;
use super::audit::{Facts, audit_parts};
use super::frame::{Plan, SPLATS, Writer, saved, spills};
use super::lower::{self, Program};
use super::shared::{Held, Place};
use super::{Access, Ahead, Options};
use crate::nest::acts::{Act, Acts, Base, Cell, Piece, Round, Spot};
use std::collections::{BTreeMap, BTreeSet};
use tfc_ir::DType;
use tfc_plan::region::body::Role;

/// Registers that hold cells, at most: the others are what arithmetic needs.
const MOST_HELD: usize = 14;

/// Where in the frame a cell is.
fn at(c: Cell) -> i32 {
    SPLATS + 8 * c as i32
}

/// Registers that hold what cells do while a loop runs: through memory, who reads a value waits for who wrote it. Of a loop without loops inside:
/// the cells that it writes and arithmetic reads, itself or where they have been copied to; and those of them of which nothing in the loop needs
/// what the frame holds, so that it is written when the loop ends.
fn held(l: &Round) -> (Held, BTreeSet<i32>) {
    let (mut read, mut written, mut copies, mut inner) = (BTreeMap::new(), BTreeSet::new(), vec![], false);
    let mut in_frame: BTreeSet<Cell> = [l.count].into_iter().chain(l.index.map(|i| i.0)).collect();
    let mut sizes: Vec<(Cell, u32)> = vec![];
    in_frame.extend(l.test.iter().map(|t| t.1));
    let blocks = l.test.iter().map(|t| &t.0[..]).chain([&l.body[..]]);
    blocks.for_each(|b| {
        Act::each(b, &mut |a| match a {
            Act::Piece(p) => {
                for (o, &c) in p.region.operands.iter().zip(&p.cells) {
                    let size = o.dtype.size() as u32;
                    sizes.push((c, size));
                    match o.role {
                        Role::In if matches!(size, 4 | 8) => *read.entry((c, size)).or_insert(0) += 1,
                        Role::Out => _ = written.insert(c),
                        _ => {}
                    }
                }
            }
            Act::Copy { from, to, size } => {
                copies.push((*from, *to, *size));
                sizes.extend([(*from, *size), (*to, *size)]);
            }
            Act::Get { to, at, size } => {
                sizes.push((*to, *size));
                written.insert(*to);
                at.reads(&mut |c| _ = in_frame.insert(c));
            }
            Act::Put { from, at, size } => {
                sizes.push((*from, *size));
                at.reads(&mut |c| _ = in_frame.insert(c));
            }
            Act::Zero { to } | Act::Address { to, .. } => {
                in_frame.insert(*to);
                a.reads(&mut |c| _ = in_frame.insert(c));
            }
            Act::Inside { .. } | Act::Either { .. } | Act::Nth { .. } => a.reads(&mut |c| _ = in_frame.insert(c)),
            Act::Loop(_) => inner = true,
        });
    });
    if inner {
        return Default::default();
    }
    // What is copied to such a cell is read as often as that.
    written.extend(copies.iter().map(|c| c.1));
    for &(from, to, size) in &copies {
        if let Some(&often) = read.get(&(to, size)) {
            *read.entry((from, size)).or_insert(0) += often;
        }
    }
    let other = |c: Cell, n: u32| sizes.iter().any(|&(of, size)| of == c && size != n);
    let mut often: Vec<(u32, Cell, u32)> = read
        .into_iter()
        .filter(|&((c, n), _)| written.contains(&c) && !other(c, n))
        .map(|((c, n), often)| (often, c, n))
        .collect();
    often.sort_by_key(|&(often, c, _)| (u32::MAX - often, c));
    often.truncate(MOST_HELD);
    let alone = often.iter().map(|x| x.1).filter(|c| !in_frame.contains(c)).map(at).collect();
    let of = |(i, (_, c, n)): (usize, (u32, Cell, u32))| (at(c), (31 - i as u8, n));
    (often.into_iter().enumerate().map(of).collect(), alone)
}

/// The code of these acts, and where in it the function begins; `None` where something is missing or the frame would be too
/// large.
pub(crate) fn function(acts: &Acts, avx2: bool) -> Option<(Vec<u8>, usize)> {
    let mut pieces: Vec<&Piece> = vec![];
    Act::each(&acts.all, &mut |a| {
        if let Act::Piece(p) = a {
            pieces.push(p);
        }
    });
    let o = Options { one: true, ..Options::default() };
    let programs: Vec<(Vec<Access>, Program)> = pieces
        .iter()
        .map(|p| {
            let access = vec![Access::Splat; p.region.operands.len()];
            let program = lower::program(&p.region, &access, &o, avx2)?;
            Some((access, program))
        })
        .collect::<Option<_>>()?;
    let first = i32::try_from(acts.cells).ok().filter(|&n| n < 1 << 14).map(|n| (SPLATS + 8 * n + 63) / 64 * 64)?;
    let plans: Vec<Plan> = pieces
        .iter()
        .zip(&programs)
        .map(|(p, (access, program))| {
            let place = p.cells.iter().map(|&c| Place::Frame(at(c))).collect();
            Plan::new(program, &p.region, access, place, vec![Ahead::Bytes(0); p.cells.len()], true, first)
        })
        .collect();
    let area = plans.iter().map(|p| p.end).max().unwrap_or(first);
    let spills = spills(plans.iter().any(|p| p.calls), area);
    let mut writers: Vec<Writer> = plans.iter().map(|p| p.writer(Asm::default(), area, spills)).collect();
    let saved = saved(|r| writers.iter().any(|w| w.uses(r)));

    let mut g =
        Glue { a: Asm::new(avx2), writers: writers.iter_mut(), save: None, held: Held::new(), alone: BTreeSet::new() };
    let start = g.a.label();
    g.a.bind(start);
    g.acts(&acts.all)?;
    for &(c, n, size) in &acts.out {
        g.fetch(size, Mem::at(RSP, at(c)));
        g.leave(size, Mem::at(RDI, 8 * n as i32));
    }
    g.a.leave(&saved);
    let Glue { mut a, mut save, .. } = g;
    writers.iter_mut().for_each(|w| written_by(w, &mut a, &mut save, |w| w.rest()));
    if let Some(w) = writers.first_mut() {
        written_by(w, &mut a, &mut save, |w| w.routine());
    }
    let bytes = writers.iter().map(Writer::frame).max().unwrap_or(first).max(first);
    let entry = a.enter(&saved, start, bytes)?;
    let code = a.finish();
    let facts: Vec<Facts> = writers.iter().map(Writer::facts).collect();
    debug_assert_eq!(audit_parts(&code, bytes, avx2, &facts), Ok(()), "registers of generated code");
    Some((code, entry))
}
/// Lets one of the writers of a function write a part of its code.
fn written_by<'a>(w: &mut Writer<'a>, a: &mut Asm, save: &mut Option<Label>, part: impl FnOnce(&mut Writer<'a>)) {
    std::mem::swap(&mut w.s.a, a);
    w.s.save = *save;
    part(w);
    *save = w.s.save;
    std::mem::swap(&mut w.s.a, a);
}
/// Code being written.
struct Glue<'w, 'a> {
    a: Asm,
    /// Of the pieces that are left.
    writers: std::slice::IterMut<'w, Writer<'a>>,
    save: Option<Label>,
    /// Registers that hold what cells do, in the loop that is written.
    held: Held,
    /// The cells of these whose places in the frame are written when the loop ends.
    alone: BTreeSet<i32>,
}
impl Glue<'_, '_> {
    fn acts(&mut self, acts: &[Act]) -> Option<()> {
        acts.iter().try_for_each(|a| self.act(a))
    }
    fn act(&mut self, act: &Act) -> Option<()> {
        match act {
            Act::Piece(_) => {
                let w = self.writers.next()?;
                let held = &self.held;
                written_by(w, &mut self.a, &mut self.save, |w| w.one(held));
            }
            Act::Copy { from, to, size } => match (self.held.get(&at(*from)), self.held.get(&at(*to))) {
                (Some(&(from, _)), Some(&(r, _))) => {
                    self.a.evex(Insn::fp(false, 0x28), Len::X, r, 0, Rm::Reg(from), 0, false);
                    if !self.alone.contains(&at(*to)) {
                        self.put(r, *size, Mem::at(RSP, at(*to)));
                    }
                }
                (Some(&(from, _)), None) => self.put(from, *size, Mem::at(RSP, at(*to))),
                (None, _) => {
                    self.fetch(*size, Mem::at(RSP, at(*from)));
                    self.leave(*size, Mem::at(RSP, at(*to)));
                    self.hold(*to);
                }
            },
            Act::Zero { to } => {
                self.clear(RAX);
                self.a.store(RAX, Mem::at(RSP, at(*to)));
                self.hold(*to);
            }
            Act::Address { to, of } => {
                self.spot(of);
                self.a.store(R11, Mem::at(RSP, at(*to)));
                self.hold(*to);
            }
            Act::Get { to, at: from, size } => {
                self.spot(from);
                let held = self.held.get(&at(*to)).copied();
                if let Some((r, n)) = held {
                    self.get(r, n, Mem::at(R11, 0));
                }
                if held.is_none() || !self.alone.contains(&at(*to)) {
                    self.fetch(*size, Mem::at(R11, 0));
                    self.leave(*size, Mem::at(RSP, at(*to)));
                }
            }
            Act::Put { from, at: to, size } => {
                self.spot(to);
                match self.held.get(&at(*from)) {
                    Some(&(r, _)) => self.put(r, *size, Mem::at(R11, 0)),
                    None => {
                        self.fetch(*size, Mem::at(RSP, at(*from)));
                        self.leave(*size, Mem::at(R11, 0));
                    }
                }
            }
            Act::Inside { indices, then } => {
                let out = self.a.label();
                for &(c, dtype, last) in indices {
                    self.index(c, dtype);
                    // An index before 0 is a number beyond every last place.
                    self.a.gm(true, &[0x3b], RAX, Mem::at(RDI, 8 * last as i32));
                    self.a.jcc(7, out);
                }
                self.acts(then)?;
                self.a.bind(out);
            }
            Act::Either { flag, ways: [yes, no] } => {
                let (other, end) = (self.a.label(), self.a.label());
                self.unless(*flag, other);
                self.acts(yes)?;
                self.a.jmp(end);
                self.a.bind(other);
                self.acts(no)?;
                self.a.bind(end);
            }
            Act::Nth { index, dtype, ways } => {
                let (last, end) = (ways.len().checked_sub(1)?, self.a.label());
                let labels: Vec<Label> = ways.iter().map(|_| self.a.label()).collect();
                self.index(*index, *dtype);
                for (i, &l) in labels[..last].iter().enumerate() {
                    self.a.gi(7, RAX, i as i32);
                    self.a.jcc(4, l);
                }
                self.a.jmp(labels[last]);
                for (w, l) in ways.iter().zip(labels) {
                    self.a.bind(l);
                    self.acts(w)?;
                    self.a.jmp(end);
                }
                self.a.bind(end);
            }
            Act::Loop(l) => self.round(l)?,
        }
        Some(())
    }
    fn round(&mut self, l: &Round) -> Option<()> {
        let count = Mem::at(RSP, at(l.count));
        let (top, over, end) = (self.a.label(), self.a.label(), self.a.label());
        match l.from {
            Some(n) => self.a.load(RAX, Mem::at(RDI, 8 * n as i32)),
            None => self.clear(RAX),
        }
        self.a.store(RAX, count);
        // Loops around have none: they have this one inside.
        (self.held, self.alone) = if self.a.vex { Default::default() } else { held(l) };
        let cells: Vec<i32> = self.held.keys().copied().collect();
        cells.into_iter().for_each(|c| self.hold_at(c));
        self.a.align();
        self.a.bind(top);
        if let Some(n) = l.to {
            self.a.load(RAX, count);
            self.a.gm(true, &[0x3b], RAX, Mem::at(RDI, 8 * n as i32));
            self.a.jcc(3, end);
        }
        if let Some((acts, flag)) = &l.test {
            self.acts(acts)?;
            self.unless(*flag, over);
        }
        if let Some((c, last)) = l.index {
            self.a.load(RAX, count);
            if let Some(n) = last {
                self.a.load(RCX, Mem::at(RDI, 8 * n as i32));
                self.a.gg(0x29, RCX, RAX);
                self.a.gg(0x89, RAX, RCX);
            }
            self.a.store(RAX, Mem::at(RSP, at(c)));
            self.hold(c);
        }
        self.acts(&l.body)?;
        self.a.load(RAX, count);
        self.a.lea(RAX, Mem::at(RAX, 1));
        self.a.store(RAX, count);
        self.hold(l.count);
        self.a.jmp(top);
        self.a.bind(over);
        if let Some(n) = l.over {
            self.a.movabs(RAX, 1);
            self.a.store(RAX, Mem::at(RDI, 8 * n as i32));
        }
        self.a.bind(end);
        for c in std::mem::take(&mut self.alone) {
            if let Some(&(r, n)) = self.held.get(&c) {
                self.put(r, n, Mem::at(RSP, c));
            }
        }
        self.held.clear();
        Some(())
    }
    /// Brings a cell that has been written to the register that holds it, if one does.
    fn hold(&mut self, c: Cell) {
        self.hold_at(at(c));
    }
    fn hold_at(&mut self, c: i32) {
        if let Some(&(r, n)) = self.held.get(&c) {
            self.get(r, n, Mem::at(RSP, c));
        }
    }
    /// Brings so many bytes to every lane of a register.
    fn get(&mut self, r: u8, n: u32, m: Mem) {
        let spread = Insn::wide(2, n == 8, if n == 8 { 0x59 } else { 0x58 });
        self.a.evex(spread, Len::X, r, 0, Rm::Mem(m, n as u8), 0, false);
    }
    /// Writes the first so many bytes of a register.
    fn put(&mut self, r: u8, n: u32, m: Mem) {
        let wide = n == 8;
        self.a.evex(Insn::new(1, if wide { 3 } else { 2 }, wide, 0x11), Len::X, r, 0, Rm::Mem(m, n as u8), 0, false);
    }
    /// Jumps where a flag does not hold.
    fn unless(&mut self, flag: Cell, to: Label) {
        self.fetch(1, Mem::at(RSP, at(flag)));
        // test eax, eax
        self.a.bytes(&[0x85, 0xc0]);
        self.a.jcc(4, to);
    }
    /// r11 = the address.
    fn spot(&mut self, s: &Spot) {
        self.a.load(
            R11,
            match s.base {
                Base::Num(n) => Mem::at(RDI, 8 * n as i32),
                Base::Cell(c) => Mem::at(RSP, at(c)),
            },
        );
        if let Some(n) = s.add {
            self.a.gm(true, &[0x03], R11, Mem::at(RDI, 8 * n as i32));
        }
        for t in &s.by {
            self.index(t.index, t.dtype);
            if let Some(n) = t.room {
                self.a.load(RCX, Mem::at(RDI, 8 * n as i32));
                if matches!(t.dtype, DType::I32 | DType::I64) {
                    // Before 0: 0.
                    self.clear(RDX);
                    self.a.gg(0x85, RAX, RAX);
                    self.a.bytes(&[0x48, 0x0f, 0x48, 0xc2]);
                }
                // What is left is no negative number, and compared without a sign.
                self.a.gg(0x39, RAX, RCX);
                self.a.bytes(&[0x48, 0x0f, 0x47, 0xc1]);
            }
            self.a.gm(true, &[0x0f, 0xaf], RAX, Mem::at(RDI, 8 * t.stride as i32));
            self.a.gg(0x01, R11, RAX);
        }
    }
    /// rax = an integer, or a truth value as 0 or 1.
    fn index(&mut self, c: Cell, d: DType) {
        let m = Mem::at(RSP, at(c));
        match d {
            DType::I32 => self.a.gm(true, &[0x63], RAX, m),
            DType::U32 => self.fetch(4, m),
            DType::Bool => self.fetch(1, m),
            _ => self.fetch(8, m),
        }
    }
    /// rax = so many bytes, and zeros.
    fn fetch(&mut self, size: u32, m: Mem) {
        match size {
            1 => self.a.gm(false, &[0x0f, 0xb6], RAX, m),
            4 => self.a.gm(false, &[0x8b], RAX, m),
            _ => self.a.load(RAX, m),
        }
    }
    /// Writes so many bytes of rax.
    fn leave(&mut self, size: u32, m: Mem) {
        match size {
            1 => self.a.gm(false, &[0x88], RAX, m),
            4 => self.a.gm(false, &[0x89], RAX, m),
            _ => self.a.store(RAX, m),
        }
    }
    fn clear(&mut self, r: Gpr) {
        // xor r32, r32
        self.a.bytes(&[0x31, 0xc0 | r.0 << 3 | r.0]);
    }
}
