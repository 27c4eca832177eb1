//! What a body has to do, as the program says: the term of every value by the program's operations alone, and with them
//! which elements the body may read, and what it writes where.
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::asm::{Insn, Len};
use super::super::lower::{KXNOR, KXOR};
use super::super::shape::same;
use super::super::shared::{Fixed, Kind, Place, unit};
use super::super::ssa::{Grow, Id, Op, Ssa, Ty};
use super::machine::{Address, Machine, RDI, RSP, State};
use super::term::{Head, Loc, NO, T};
use tfc_ir::hash::WordHash;

/// What is checked against: a program, and where the generator wrote its bodies.
#[derive(Hash)]
pub(crate) struct Facts<'a> {
    pub(crate) ssa: &'a Ssa,
    pub(crate) lanes: u32,
    /// Bytes of an element of each operand, and of each reduction.
    pub(crate) size: &'a [u32],
    pub(crate) reds: &'a [u32],
    /// Where operands are.
    pub(crate) place: &'a [Place],
    pub(crate) bodies: &'a [Written],
}
/// A body in the code.
#[derive(Clone, Hash, Debug)]
pub(crate) struct Written {
    pub(crate) at: std::ops::Range<u32>,
    pub(crate) kind: Kind,
    /// Copies.
    pub(crate) u: u32,
    /// Whether reductions are kept in registers.
    pub(crate) accs: bool,
    /// Accumulators begin with a number, not as memory has them.
    pub(crate) begins: bool,
    /// Operands are the accumulators of that reduction, in the registers that a loop has left them in.
    pub(crate) folds: Option<u32>,
    /// Registers that hold what the frame does at these places, in so many bytes, before and after the body.
    pub(crate) held: Vec<(u8, i32, u32)>,
}

/// How an instruction of a program is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Un,
    Down,
    Bin,
    Shift,
    Cmp,
}
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) shape: Shape,
    pub(super) comm: bool,
    /// Bytes of an operand in memory.
    pub(super) unit: u32,
}
pub(super) type Forms = HashMap<(Insn, Len), Form, WordHash>;

/// A body that is being followed.
pub(super) struct Body {
    pub(super) end: usize,
    pub(super) lanes: u32,
    pub(super) reads: BTreeSet<T>,
    pub(super) writes: BTreeMap<Address, (u32, T, T)>,
    pub(super) done: BTreeSet<Address>,
    pub(super) table: T,
    /// Accumulators in registers: which, and what is in them at the end.
    accs: Vec<(u8, T, Address)>,
    /// What the body has to leave as it was.
    kept: Vec<(Loc, T)>,
}

/// The instruction, however its operands may be exchanged.
pub(super) fn plain(i: Insn) -> Insn {
    Insn { comm: false, ..i }
}
pub(super) fn len(lanes: u32, size: u32) -> Len {
    match size * lanes {
        64 => Len::Z,
        32 => Len::Y,
        _ => Len::X,
    }
}
/// Bytes of a value in a register.
fn wide(lanes: u32, ty: Ty) -> u32 {
    if ty == Ty::M { 2 } else { u32::from(unit(len(lanes, ty.size()))) }
}
/// Length of an instruction: that of its widest value.
fn length(f: &Facts, op: &Op, ty: Ty) -> Len {
    let (a, n) = f.ssa.args(op);
    let size = a[..n].iter().map(|&x| f.ssa.ty(x).size()).max().unwrap_or(0);
    len(f.lanes, size.max(ty.size()))
}
/// How the program's instructions are to be read.
pub(super) fn forms(f: &Facts) -> Forms {
    let mut all = Forms::default();
    for (op, &ty) in f.ssa.ops.iter().zip(&f.ssa.ty) {
        let (i, shape) = match *op {
            Op::Un(i, _) => (i, Shape::Un),
            Op::Down(i, _) => (i, Shape::Down),
            Op::Bin(i, ..) => (i, Shape::Bin),
            Op::Shift(i, ..) => (i, Shape::Shift),
            Op::Cmp(i, ..) => (i, Shape::Cmp),
            _ => continue,
        };
        let unit = wide(f.lanes, f.ssa.ty(f.ssa.args(op).0[0]));
        let form = Form { shape, comm: i.comm, unit };
        all.entry((plain(i), length(f, op, ty))).or_insert(form).comm |= i.comm;
    }
    all
}
/// How often each value is used by what has an effect.
fn needed(ssa: &Ssa) -> Vec<bool> {
    let mut need = vec![false; ssa.ops.len()];
    for (i, op) in ssa.ops.iter().enumerate().rev() {
        need[i] |= matches!(op, Op::Store(..) | Op::AccOut(..));
        if need[i] {
            let (a, n) = ssa.args(op);
            a[..n].iter().for_each(|&x| need[x as usize] = true);
        }
    }
    need
}

impl Machine<'_> {
    /// A body begins: what it has to do, given what is known there.
    pub(super) fn begin(&mut self, st: &State, f: &Facts, w: &Written) -> Result<(), String> {
        let table = self.t.make(Head::Init(Loc::G(RDI as u8)), [NO; 3]);
        let frame = self.t.make(Head::Frame, [NO; 3]);
        if st.g[RSP] != frame || st.g[RDI] != table {
            return Err("begins a body without frame or table".into());
        }
        if w.kind == Kind::Masked && !self.tail(st, f.lanes)? {
            return Err("begins a body under a mask of other lanes than those that are left".into());
        }
        let before = w.kind == Kind::Before;
        let same = if f.ssa.alone { same(f.ssa) } else { vec![] };
        let mut e = Expect { f, w, st, m: self, vals: vec![], same, reads: BTreeSet::new() };
        let need = needed(f.ssa);
        let (mut writes, mut accs) = (BTreeMap::new(), vec![]);
        for (i, op) in f.ssa.ops.iter().enumerate() {
            for c in 0..w.u {
                let t = if need[i] { e.op(i as Id, op, c, &mut writes, &mut accs)? } else { NO };
                e.vals.push(t);
            }
        }
        let reads = if before { BTreeSet::new() } else { e.reads };
        if before {
            writes.clear();
        }
        let mut kept: Vec<(Loc, T)> =
            (0..16u8).filter(|r| !matches!(r, 1 | 11)).map(|r| (Loc::G(r), st.g[r as usize])).collect();
        kept.push(if self.vex { (Loc::Z(15), st.z[15]) } else { (Loc::K(1), st.k[1]) });
        for at in [0, 16, 24, 32, 40, 48, 56] {
            let a = Address { base: frame, index: NO, scale: 0, disp: at };
            kept.push((Loc::Mem(frame, at, 8), self.peek(st, a, 8, NO)?));
        }
        // Values that other bodies left in the frame; the lanes of its own reductions change.
        let lanes = self.plain(st.g[2], 0);
        let lanes = (lanes.base == frame).then_some(lanes.disp..lanes.disp + 256 * f.reds.len() as i64);
        for &disp in &self.exchanged {
            let own = writes.contains_key(&Address { base: frame, index: NO, scale: 0, disp });
            if let (false, Some(&(n, t))) =
                (own || lanes.as_ref().is_some_and(|l| l.contains(&disp)), st.mem.get(&(frame, disp)))
            {
                kept.push((Loc::Mem(frame, disp, n), t));
            }
        }
        let end = w.at.end as usize;
        self.body = Some(Body { end, lanes: f.lanes, reads, writes, done: BTreeSet::new(), table, accs, kept });
        Ok(())
    }
    /// Whether the tail mask holds the lanes from the present element to the limit of the loop.
    fn tail(&mut self, st: &State, lanes: u32) -> Result<bool, String> {
        let limit = self.plain(st.g[RSP], 16);
        let limit = self.peek(st, limit, 8, NO)?;
        let most = self.t.num(u64::from(lanes));
        let left = self.t.make(Head::Int(0x29, 0), [limit, st.g[0], NO]);
        let more = self.t.make(Head::Int(0x8039, 0), [left, most, NO]);
        let left = self.t.make(Head::Int(0xf47, 0), [left, most, more]);
        if !self.vex {
            let all = self.t.num(u64::MAX);
            let ones = self.t.make(Head::Int(0x2f5, 0), [all, left, NO]);
            return Ok(st.k[1] == self.t.low(ones, 2));
        }
        // As many bytes of ones, before zeros, as the lanes that are left have.
        let bytes = self.t.make(Head::Int(0x4c1, i64::from((32 / lanes).trailing_zeros())), [left, NO, NO]);
        let (&Head::Load(0, 32, 32), [from, NO, NO]) = self.t.head(st.z[15]) else { return Ok(false) };
        let (&Head::Int(0x29, 0), [window, by, _]) = self.t.head(from) else { return Ok(false) };
        let &Head::Num(at) = self.t.head(window).0 else { return Ok(false) };
        let there = self.code.get(at as usize..at as usize + 64);
        let right = there.is_some_and(|b| b[..32].iter().all(|&x| x == 255) && b[32..].iter().all(|&x| x == 0));
        Ok(right && by == bytes)
    }
    /// Checks, where a body ends, that it has done everything and left alone what is not its own.
    pub(super) fn end(&mut self, st: &State) -> Result<(), String> {
        let Some(b) = self.body.take() else { return Ok(()) };
        if !b.writes.is_empty() {
            return Err(format!("ends a body with {} values not written", b.writes.len()));
        }
        for (l, t) in b.kept {
            let now = match l {
                Loc::G(r) => st.g[r as usize],
                Loc::Z(r) => st.z[r as usize],
                Loc::K(r) => st.k[r as usize],
                Loc::Mem(base, disp, n) => self.peek(st, Address { base, index: NO, scale: 0, disp }, n, NO)?,
                Loc::Flags => continue,
            };
            if now != t {
                return Err(format!("ends a body that has changed {l:?}, which is not its own"));
            }
        }
        for (r, t, to) in b.accs {
            if st.z[r as usize] != t {
                return Err(format!("ends a body without its accumulator in register {r}"));
            }
            self.held.insert(to, (t, r));
        }
        Ok(())
    }
    /// The lanes that bytes in memory say, as a mask.
    fn truths(&mut self, x: T, lanes: u32, mask: T) -> T {
        let insn = |op| Insn::wide(2, false, op);
        if lanes == 1 {
            let t = self.t.make(Head::Do(insn(0x78), 0, Len::X), [x, NO, NO]);
            return self.t.make(Head::Do(insn(0x26), 0, Len::X), [t, t, NO]);
        }
        let t = self.t.make(Head::Do(insn(if lanes == 8 { 0x32 } else { 0x31 }), 0, Len::Z), [x, NO, mask]);
        self.t.make(Head::Do(Insn::wide(2, lanes == 8, 0x27), 0, Len::Z), [t, t, NO])
    }
    /// A mask as bytes of 0 and 1.
    fn as_bytes(&mut self, k: T) -> T {
        let ones = self.t.bytes(&[1; 16]);
        self.t.make(Head::Zeroed, [k, ones, NO])
    }
}

struct Expect<'e, 'a, 'm> {
    f: &'e Facts<'a>,
    w: &'e Written,
    st: &'e State,
    m: &'e mut Machine<'m>,
    /// Copy by copy.
    vals: Vec<T>,
    /// Which values are the same for the whole run, in programs whose patches look at present lanes only.
    same: Vec<bool>,
    reads: BTreeSet<T>,
}
impl Expect<'_, '_, '_> {
    fn arg(&self, x: Id, c: u32) -> T {
        self.vals.get((x * self.w.u + c) as usize).copied().unwrap_or(NO)
    }
    /// The mask of the lanes that there are.
    fn mask(&self) -> T {
        match (self.w.kind, self.m.vex) {
            (Kind::Masked, true) => self.st.z[15],
            (Kind::Masked, false) => self.st.k[1],
            _ => NO,
        }
    }
    /// Where copy `c` of an operand's elements is.
    fn at(&mut self, k: u32, c: u32) -> Result<Address, String> {
        let size = self.f.size[k as usize];
        Ok(match self.f.place[k as usize] {
            Place::Frame(at) => self.m.plain(self.st.g[RSP], i64::from(at)),
            Place::Table(e) => {
                let entry = self.m.plain(self.st.g[RDI], 16 * i64::from(e));
                let base = self.m.peek(self.st, entry, 8, NO)?;
                let a = self.m.plain(base, 0);
                if self.w.kind == Kind::One {
                    return Ok(a);
                }
                let disp = a.disp + i64::from(c * self.f.lanes * size);
                Address { index: self.st.g[0], scale: size.trailing_zeros() as u8, disp, ..a }
            }
        })
    }
    /// Where the lanes of a reduction for copy `c` are.
    fn lanes_at(&mut self, j: u32, c: u32) -> Address {
        let (size, to) = (self.f.reds[j as usize], self.st.g[2]);
        let first = 256 * i64::from(j);
        if self.w.kind == Kind::One {
            return self.m.plain(to, first);
        }
        if self.w.accs {
            return self.m.plain(to, first + 64 * i64::from(c));
        }
        let zero = self.m.t.num(0);
        let scale = size.trailing_zeros() as u8;
        let bytes = self.m.lea(Address { base: zero, index: self.st.g[0], scale, disp: 0 });
        let round = if size == 1 { Head::Int(0x83, 63) } else { Head::Int(0xfb6, 0) };
        let part = self.m.t.make(round, [bytes, NO, NO]);
        let base = self.m.add(part, to);
        self.m.plain(base, first + i64::from(c * self.f.lanes * size))
    }
    /// Bytes of a copy's elements of such a type in memory: also of truth values.
    fn bytes(&self, ty: Ty) -> u32 {
        match (ty, self.w.kind) {
            (Ty::M, Kind::One) => 1,
            (Ty::M, _) => self.f.lanes,
            (_, Kind::One) => ty.size(),
            _ => wide(self.f.lanes, ty),
        }
    }
    /// The value of elements in memory.
    fn elements(&mut self, a: Address, ty: Ty, mask: T) -> Result<T, String> {
        let n = self.bytes(ty);
        if ty == Ty::M {
            // The mask is that of the widened bytes.
            let x = self.m.peek(self.st, a, n, NO)?;
            self.reads.insert(x);
            return Ok(self.m.truths(x, self.f.lanes, mask));
        }
        let t = self.m.peek(self.st, a, n, mask)?;
        self.reads.insert(t);
        Ok(t)
    }
    /// The value of elements that grow.
    fn grown(&mut self, a: Address, g: Grow, mask: T) -> Result<T, String> {
        let one = self.w.kind == Kind::One;
        let n = if one { g.size() } else { g.part(wide(self.f.lanes, Ty::W32)) };
        let mut x = self.m.peek(self.st, a, n, NO)?;
        self.reads.insert(x);
        if one {
            x = self.m.t.make(Head::Do(g.one(), 0, Len::X), [x, NO, NO]);
        }
        let l = if one { Len::X } else { len(self.f.lanes, 4) };
        Ok(self.m.t.make(Head::Do(g.grown(), 0, l), [x, NO, mask]))
    }
    /// What is written of the low bits of a value's lanes.
    fn cut(&mut self, v: T, g: Grow, mask: T) -> (u32, T, T) {
        if self.w.kind == Kind::One {
            return (g.size(), mask, self.m.moved(v, g.size()));
        }
        let t = self.m.t.make(Head::Do(g.cut(), 0, len(self.f.lanes, 4)), [v, NO, NO]);
        let n = g.part(wide(self.f.lanes, Ty::W32));
        self.m.t.wide(t, n);
        (n, mask, t)
    }
    /// What is written of a value, how many bytes and under which mask.
    fn written(&mut self, v: T, ty: Ty, mask: T) -> (u32, T, T) {
        if ty != Ty::M {
            let n = self.bytes(ty);
            return (n, mask, self.m.moved(v, n));
        }
        let n = if mask == NO { self.bytes(ty) } else { 16 };
        let t = self.m.as_bytes(v);
        (n, mask, self.m.moved(t, n))
    }
    fn op(
        &mut self,
        id: Id,
        op: &Op,
        c: u32,
        writes: &mut BTreeMap<Address, (u32, T, T)>,
        accs: &mut Vec<(u8, T, Address)>,
    ) -> Result<T, String> {
        let (f, ty) = (self.f, self.f.ssa.ty(id));
        let (ids, n) = f.ssa.args(op);
        let a = std::array::from_fn(|j| if j < n { self.arg(ids[j], c) } else { NO });
        let l = length(f, op, ty);
        let t = match *op {
            Op::Const(x, Ty::M) => self.m.t.mask(if x == 0 { KXOR } else { KXNOR }, NO, NO),
            Op::Const(x, ty) => self.m.t.bytes(&x.to_le_bytes()[..ty.size() as usize]),
            Op::Splat(k) => {
                let entry = match f.place[k as usize] {
                    Place::Frame(at) => self.m.plain(self.st.g[RSP], i64::from(at)),
                    Place::Table(e) => {
                        let entry = self.m.plain(self.st.g[RDI], 16 * i64::from(e));
                        let base = self.m.peek(self.st, entry, 8, NO)?;
                        self.m.plain(base, 0)
                    }
                };
                let x = self.m.peek(self.st, entry, f.size[k as usize], NO)?;
                if let Some(g) = f.ssa.grow(k) {
                    let grown = self.m.t.make(Head::Int(0xf00 | u16::from(g.integer()), 0), [x, NO, NO]);
                    let lane = self.m.t.low(grown, 4);
                    self.m.t.spread(4, lane)
                } else if ty == Ty::M {
                    let byte = self.m.t.make(Head::Int(0xfb6, 0), [x, NO, NO]);
                    let all = self.m.t.make(Head::Int(0xf7, 3), [byte, NO, NO]);
                    self.m.t.low(all, 2)
                } else {
                    self.m.t.spread(ty.size(), x)
                }
            }
            Op::Load(k) if let Some(j) = self.w.folds => {
                let (at, register) = (self.at(k, c)?, Fixed::acc(j, k));
                let t = self.st.z[register as usize];
                if self.m.held.remove(&at) != Some((t, register)) {
                    return Err("folds what is no accumulator".into());
                }
                t
            }
            Op::Load(k) => {
                let (at, mask) = (self.at(k, c)?, self.mask());
                match f.ssa.grow(k) {
                    Some(g) => self.grown(at, g, mask)?,
                    None => self.elements(at, ty, mask)?,
                }
            }
            Op::Un(i, _) | Op::Down(i, _) | Op::Cmp(i, ..) => self.m.t.make(Head::Do(plain(i), 0, l), a),
            Op::Shift(i, ext, _) => self.m.t.make(Head::Do(plain(i), ext, l), a),
            Op::Bin(i, ..) => {
                let comm = self.m.forms.get(&(plain(i), l)).is_some_and(|f| f.comm);
                self.m.t.make(Head::Do(plain(i), 0, l), if comm { sorted(a) } else { a })
            }
            Op::Fma(neg, dbl, _) => self.m.t.make(Head::Fma(neg, dbl, l), sorted(a)),
            Op::Lookup(k, _) => {
                let size = ty.size() as usize;
                let all: Vec<u8> =
                    f.ssa.tables[k as usize].1.iter().flat_map(|x| x.to_le_bytes().into_iter().take(size)).collect();
                let (first, rest) = all.split_at(64);
                let first = self.m.t.bytes(first);
                if ty == Ty::W64 {
                    let rest = self.m.t.bytes(rest);
                    self.m.t.make(Head::Do(Insn::wide(2, true, 0x7f), 0, Len::Z), [first, a[0], rest])
                } else {
                    self.m.t.make(Head::Do(Insn::wide(2, false, 0x16), 0, Len::Z), [a[0], first, NO])
                }
            }
            Op::Blend(..) => self.m.t.make(Head::Select(len(f.lanes, ty.size())), a),
            Op::Kbin(code, ..) => self.m.t.mask(code, a[0], a[1]),
            Op::Knot(_) => self.m.t.mask(0x44, a[0], NO),
            Op::AccIn(j) => {
                let at = self.lanes_at(j, c);
                if self.w.accs {
                    let t = self.st.z[Fixed::acc(j, c) as usize];
                    let there = self.m.peek(self.st, at, 64, NO)?;
                    // What a trip before this one left is what it was held against at its end.
                    let again = self.m.given_up(t, self.w.at.start as usize);
                    let number = self.w.begins && matches!(self.m.t.head(t).0, Head::Const(_) | Head::Bytes(_));
                    if t != there && !again && !number {
                        return Err("begins a body without its accumulators".into());
                    }
                    t
                } else {
                    self.elements(at, ty, NO)?
                }
            }
            Op::AccOut(j, v) => {
                let (at, ty) = (self.lanes_at(j, c), f.ssa.ty(v));
                if self.w.accs {
                    accs.push((Fixed::acc(j, c), a[0], at));
                } else if self.w.kind == Kind::Masked && ty != Ty::M {
                    // All lanes are written, those outside of the mask as they were.
                    let (old, mask) = (self.elements(at, ty, NO)?, self.mask());
                    let t = self.m.t.make(Head::Select(len(f.lanes, ty.size())), [mask, a[0], old]);
                    self.m.t.wide(t, wide(f.lanes, ty));
                    writes.insert(at, (wide(f.lanes, ty), NO, t));
                } else {
                    let what = self.written(a[0], ty, self.mask());
                    writes.insert(at, what);
                }
                NO
            }
            Op::Store(k, v) => {
                let (at, ty, mask) = (self.at(k, c)?, f.ssa.ty(v), self.mask());
                let what = match f.ssa.grow(k) {
                    Some(g) => self.cut(a[0], g, mask),
                    None => self.written(a[0], ty, mask),
                };
                writes.insert(at, what);
                NO
            }
            Op::Patch(p, _) => {
                let mut a = a;
                if f.ssa.alone && self.w.kind == Kind::Masked && !self.same[id as usize] {
                    let mask = self.mask();
                    a[0] = self.m.t.mask(0x41, a[0], mask);
                    self.m.t.wide(a[0], wide(f.lanes, Ty::M));
                }
                let any = if self.m.vex {
                    let signs = self.m.t.make(Head::Signs(ty == Ty::W64, l), [a[0], NO, NO]);
                    self.m.t.make(Head::Any, [signs, NO, NO])
                } else {
                    self.m.t.make(Head::Any, [a[0], NO, NO])
                };
                let new = match f.ssa.patches[p as usize] {
                    Some(p) => {
                        let t = self.m.t.make(Head::Patched(p as usize as u64), [a[1], a[2], a[0]]);
                        self.m.t.wide(t, wide(f.lanes, ty));
                        t
                    }
                    None => a[1],
                };
                self.m.t.either(any, new, a[2])
            }
            Op::Call(k, _) => {
                let mut args = a;
                for j in 0..n {
                    if f.ssa.ty(ids[j]) == Ty::M {
                        let t = self.m.as_bytes(a[j]);
                        args[j] = self.m.moved(t, if f.lanes == 8 { 8 } else { 16 });
                    }
                }
                let t = self.m.t.make(Head::Called(f.ssa.calls[k as usize].f as usize as u64), args);
                if ty == Ty::M {
                    let n = self.bytes(ty);
                    let low = self.m.t.low(t, n);
                    self.m.truths(low, f.lanes, NO)
                } else {
                    t
                }
            }
        };
        if !matches!(op, Op::Store(..) | Op::AccOut(..)) {
            self.m.t.wide(t, wide(f.lanes, ty));
        }
        Ok(t)
    }
}
/// The first two in order.
pub(super) fn sorted([a, b, c]: [T; 3]) -> [T; 3] {
    [a.min(b), a.max(b), c]
}
