//! The machine as far as generated code uses it, on terms instead of numbers: registers, the frame, the table of operands.
//! What code reads elsewhere is a term of its address, what it writes elsewhere is held against what a body has to write.
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::decode::Rm;
use super::expect::{Body, Forms};
use super::term::{Head, Loc, NO, T, Terms};
use tfc_ir::hash::WordHash;

/// What is known between two instructions.
#[derive(Clone, PartialEq)]
pub(super) struct State {
    pub(super) g: [T; 16],
    pub(super) z: [T; 32],
    pub(super) k: [T; 8],
    pub(super) flags: T,
    /// Bytes of the frame, the stack and the table that were written: how many, and what.
    pub(super) mem: Mem,
}
type Mem = BTreeMap<(T, i64), (u32, T)>;
type Classes = HashMap<(T, T), T, WordHash>;
impl State {
    /// Places outside of memory.
    fn all() -> impl Iterator<Item = Loc> {
        let (g, z, k) = ((0..16).map(Loc::G), (0..32).map(Loc::Z), (0..8).map(Loc::K));
        g.chain(z).chain(k).chain([Loc::Flags])
    }
    fn place(&mut self, l: Loc) -> Option<&mut T> {
        match l {
            Loc::G(r) => self.g.get_mut(r as usize),
            Loc::Z(r) => self.z.get_mut(r as usize),
            Loc::K(r) => self.k.get_mut(r as usize),
            Loc::Flags => Some(&mut self.flags),
            Loc::Mem(..) => None,
        }
    }
    pub(super) fn get(&self, l: Loc) -> Option<T> {
        match l {
            Loc::G(r) => self.g.get(r as usize).copied(),
            Loc::Z(r) => self.z.get(r as usize).copied(),
            Loc::K(r) => self.k.get(r as usize).copied(),
            Loc::Flags => Some(self.flags),
            Loc::Mem(base, at, _) => self.mem.get(&(base, at)).map(|e| e.1),
        }
    }
    fn set(&mut self, l: Loc, t: T) {
        if let Some(p) = self.place(l) {
            *p = t;
        }
    }
    /// Bytes are written: what else lay there is gone.
    fn put(&mut self, base: T, at: i64, n: u32, t: T) {
        // What is there lies side by side, so that ends are ordered as beginnings are.
        let over = self.mem.range((base, i64::MIN)..(base, at + i64::from(n))).rev();
        let gone: Vec<_> = over.take_while(|(k, v)| k.1 + i64::from(v.0) > at).map(|(k, _)| *k).collect();
        for k in &gone {
            self.mem.remove(k);
        }
        self.mem.insert((base, at), (n, t));
    }
}

/// An address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Address {
    pub(super) base: T,
    pub(super) index: T,
    pub(super) scale: u8,
    pub(super) disp: i64,
}

/// What one function is followed with.
pub(super) struct Machine<'a> {
    pub(super) code: &'a [u8],
    pub(super) vex: bool,
    pub(super) t: Terms,
    /// The instructions of the program whose body is followed, and that body.
    pub(super) forms: &'a Forms,
    pub(super) body: Option<Body>,
    /// Accumulators in registers that a loop left, by where they go: what they are, and the register.
    pub(super) held: BTreeMap<Address, (T, u8)>,
    /// How many operands a kernel takes, by its address.
    pub(super) arity: BTreeMap<u64, u8>,
    /// Where in the frame values lie that bodies hand to one another.
    pub(super) exchanged: BTreeSet<i64>,
    /// Bytes of the frame.
    pub(super) bytes: i64,
    /// The instruction that is being followed.
    pub(super) pc: usize,
}

pub(super) const RSP: usize = 4;
pub(super) const RDI: usize = 7;

impl Machine<'_> {
    /// What there is when the function begins.
    pub(super) fn start(&mut self) -> State {
        let mut init = |l| self.t.make(Head::Init(l), [NO; 3]);
        State {
            g: std::array::from_fn(|i| init(Loc::G(i as u8))),
            z: std::array::from_fn(|i| init(Loc::Z(i as u8))),
            k: std::array::from_fn(|i| init(Loc::K(i as u8))),
            flags: init(Loc::Flags),
            mem: BTreeMap::new(),
        }
    }
    /// Bytes of a whole vector register.
    pub(super) fn full(&self) -> u32 {
        if self.vex { 32 } else { 64 }
    }
    /// What a move of `n` bytes of a vector register carries.
    pub(super) fn moved(&mut self, t: T, n: u32) -> T {
        if n == self.full() { t } else { self.t.low(t, n) }
    }
    /// Whether what lies at the base is followed byte by byte.
    fn followed(&self, a: Address) -> bool {
        let own = matches!(self.t.head(a.base).0, Head::Frame | Head::Init(Loc::G(4)) | Head::Init(Loc::G(7)));
        own && a.index == NO
    }
    /// The address of an operand in memory whose short displacement counts `unit` bytes.
    pub(super) fn address(&mut self, st: &State, rm: Rm, unit: u32) -> Result<Address, String> {
        let Rm::Mem { base, index, disp, short } = rm else { return Err("has no address".into()) };
        let (base, off) = self.t.place(st.g[base as usize]);
        let disp = off + if short && !self.vex { disp * i64::from(unit) } else { disp };
        Ok(match index {
            Some((r, scale)) => Address { base, index: st.g[r as usize], scale, disp },
            None => Address { base, index: NO, scale: 0, disp },
        })
    }
    /// An address without index.
    pub(super) fn plain(&self, t: T, disp: i64) -> Address {
        let (base, off) = self.t.place(t);
        Address { base, index: NO, scale: 0, disp: off + disp }
    }
    /// The term of `n` bytes at an address that is not followed.
    pub(super) fn far(&mut self, a: Address, n: u32, mask: T) -> T {
        self.t.make(Head::Load(a.scale, a.disp, n), [a.base, a.index, mask])
    }
    /// What `n` bytes hold; lanes outside of a mask are 0.
    pub(super) fn peek(&mut self, st: &State, a: Address, n: u32, mask: T) -> Result<T, String> {
        if !self.followed(a) {
            return Ok(self.far(a, n, mask));
        }
        let before = st.mem.range((a.base, i64::MIN)..(a.base, a.disp + i64::from(n))).next_back();
        let t = match before {
            Some((&(_, at), &(size, t))) if at + i64::from(size) > a.disp => {
                match (at == a.disp, at + i64::from(size) >= a.disp + i64::from(n)) {
                    (true, true) if size == n => t,
                    (true, true) => self.t.low(t, n),
                    (false, true) if at < a.disp => self.t.make(Head::Part((a.disp - at) as u32, n), [t, NO, NO]),
                    _ => return Err(format!("reads {n} bytes at {} that were not written as one", a.disp)),
                }
            }
            _ => self.t.make(Head::Init(Loc::Mem(a.base, a.disp, n)), [NO; 3]),
        };
        Ok(if mask == NO { t } else { self.t.make(Head::Load(0, 0, n), [t, NO, mask]) })
    }
    /// [`Machine::peek`] by the code: a body reads nothing but its operands.
    pub(super) fn read(&mut self, st: &State, a: Address, n: u32, mask: T) -> Result<T, String> {
        let t = self.peek(st, a, n, mask)?;
        if let Some(b) = &self.body
            && !self.followed(a)
            && !b.reads.contains(&t)
        {
            return Err("reads memory that is no operand's element".into());
        }
        if self.body.as_ref().is_some_and(|b| b.done.contains(&a)) {
            return Err("reads what the body has written over".into());
        }
        Ok(t)
    }
    /// An operand of a vector instruction: a register, `n` bytes of memory, or an element for all lanes.
    pub(super) fn operand(&mut self, st: &State, rm: Rm, n: u32, broadcast: Option<u32>) -> Result<T, String> {
        let bytes = broadcast.unwrap_or(n);
        let t = match rm {
            Rm::Reg(r) => return Ok(st.z[r as usize]),
            Rm::Code(at) => match self.code.get(at..at + bytes as usize) {
                Some(b) => self.t.bytes(b),
                None => return Err("reads beyond the constants".into()),
            },
            Rm::Mem { .. } => {
                let a = self.address(st, rm, bytes)?;
                self.read(st, a, bytes, NO)?
            }
        };
        // With one lane there is nothing to spread an element over.
        let one = self.body.as_ref().is_some_and(|b| b.lanes == 1);
        Ok(if broadcast.is_some() && !one { self.t.spread(bytes, t) } else { t })
    }
    /// Writes `n` bytes of memory that is followed.
    pub(super) fn put(&mut self, st: &mut State, a: Address, n: u32, t: T) -> Result<(), String> {
        let end = a.disp + i64::from(n);
        if matches!(self.t.head(a.base).0, Head::Frame) && (a.disp < -24 || end > self.bytes) {
            return Err(format!("writes at {} of a frame of {} bytes", a.disp, self.bytes));
        }
        st.put(a.base, a.disp, n, t);
        Ok(())
    }
    /// Writes `n` bytes; `vector`: from a vector register.
    pub(super) fn write(
        &mut self,
        st: &mut State,
        a: Address,
        n: u32,
        mask: T,
        t: T,
        vector: bool,
    ) -> Result<(), String> {
        let followed = self.followed(a);
        if let Some(b) = &mut self.body {
            if let Some(want) = b.writes.get(&a) {
                if *want != (n, mask, t) {
                    return Err("writes to an operand another value than the program's".into());
                }
                b.writes.remove(&a);
                b.done.insert(a);
            } else if !followed || b.table == a.base {
                return Err("writes to memory that is no operand's element".into());
            }
        } else if let Some((want, _)) = self.held.remove(&a) {
            if want != t || n != 64 {
                return Err("puts an accumulator back that is not there any more".into());
            }
        } else if vector && (!followed || !self.held.is_empty()) {
            return Err("writes elements where nothing is computed".into());
        }
        if followed {
            if mask != NO {
                return Err("writes under a mask to the frame".into());
            }
            return self.put(st, a, n, t);
        }
        // The lanes of reductions may be in the frame, and the present ones of them at an address that is computed.
        if let (&Head::Int(0x01, _), [_, to, _]) = self.t.head(a.base) {
            let (base, off) = self.t.place(to);
            let lanes = Address { base, index: NO, scale: 0, disp: off + a.disp.div_euclid(256) * 256 };
            if self.followed(lanes) {
                let left = self.t.make(Head::Join(self.pc as u32, Loc::Mem(base, lanes.disp, 256)), [t, NO, NO]);
                return self.put(st, lanes, 256, left);
            }
        }
        Ok(())
    }
    /// `a + b`.
    pub(super) fn add(&mut self, a: T, b: T) -> T {
        match (self.t.head(a).0, self.t.head(b).0) {
            (_, &Head::Num(x)) => self.t.off(a, x as i64),
            (&Head::Num(x), _) => self.t.off(b, x as i64),
            _ => self.t.make(Head::Int(0x01, 0), [a, b, NO]),
        }
    }
    /// The number that an address is.
    pub(super) fn lea(&mut self, a: Address) -> T {
        if a.index == NO {
            return self.t.off(a.base, a.disp);
        }
        let scaled = self.t.make(Head::Int(0x8d, i64::from(a.scale)), [a.index, NO, NO]);
        let sum = self.add(a.base, scaled);
        self.t.off(sum, a.disp)
    }

    /// Says of what one way has not written what was there from the beginning, where the other way wrote it.
    fn fill(&mut self, mem: &mut Mem, other: &Mem) {
        for (&(base, at), &(n, _)) in other {
            let end = at + i64::from(n);
            let last = mem.range((base, i64::MIN)..(base, end)).next_back();
            if last.is_none_or(|(k, v)| k.1 + i64::from(v.0) <= at) {
                let t = self.t.make(Head::Init(Loc::Mem(base, at, n)), [NO; 3]);
                mem.insert((base, at), (n, t));
            }
        }
    }
    /// Whether the term is what was given up at `pc`.
    pub(super) fn given_up(&self, t: T, pc: usize) -> bool {
        matches!(self.t.head(t).0, Head::Join(at, _) if *at as usize == pc)
    }
    /// What is known of `l` where two ways come together. Places that hold the same on one way and the same on the other
    /// hold the same: `classes` has a term for each pair.
    fn meet(&mut self, classes: &mut Classes, (a, b): (T, T), l: Loc, pc: usize) -> T {
        *classes.entry((a, b)).or_insert_with(|| self.t.make(Head::Join(pc as u32, l), [NO; 3]))
    }
    /// What is known at `pc` when the first way comes there, of which more is known to be lost.
    pub(super) fn widen(&mut self, old: &State, st: &State, pc: usize) -> State {
        let (mut new, mut classes) = (st.clone(), Classes::default());
        for l in State::all() {
            if let (Some(was), Some(is)) = (old.get(l), st.get(l))
                && self.given_up(was, pc)
            {
                new.set(l, self.meet(&mut classes, (was, is), l, pc));
            }
        }
        for (&(base, at), &(n, was)) in &old.mem {
            if !self.given_up(was, pc) {
                continue;
            }
            let l = Loc::Mem(base, at, n);
            let is = match st.mem.get(&(base, at)) {
                Some(&(m, is)) if m == n => self.meet(&mut classes, (was, is), l, pc),
                _ => self.t.make(Head::Join(pc as u32, l), [NO; 3]),
            };
            new.put(base, at, n, is);
        }
        new
    }
    /// Keeps what is known where two paths come together. Returns whether that is less than what the first knew.
    pub(super) fn join(&mut self, head: &mut State, st: &State, pc: usize) -> bool {
        let mut st = st.clone();
        self.fill(&mut head.mem, &st.mem);
        // What was there from the beginning was known before it was said.
        let before = head.clone();
        self.fill(&mut st.mem, &head.mem);
        let mut classes = Classes::default();
        for l in State::all() {
            if let (Some(a), Some(b)) = (head.get(l), st.get(l))
                && (a != b || self.given_up(a, pc))
            {
                head.set(l, self.meet(&mut classes, (a, b), l, pc));
            }
        }
        let mut gaps: Vec<(T, i64, i64)> = vec![];
        for (k, (n, a)) in &mut head.mem {
            match st.mem.get(k) {
                Some((m, b)) if m == n => {
                    if a != b || self.given_up(*a, pc) {
                        *a = self.meet(&mut classes, (*a, *b), Loc::Mem(k.0, k.1, *n), pc);
                    }
                }
                _ => gaps.push((k.0, k.1, k.1 + i64::from(*n))),
            }
        }
        let other = |(k, v): &(&(T, i64), &(u32, T))| head.mem.get(k).is_none_or(|h| h.0 != v.0);
        gaps.extend(st.mem.iter().filter(other).map(|(k, v)| (k.0, k.1, k.1 + i64::from(v.0))));
        gaps.sort_unstable();
        let mut whole: Vec<(T, i64, i64)> = vec![];
        for (base, from, to) in gaps {
            head.mem.remove(&(base, from));
            match whole.last_mut() {
                Some(w) if w.0 == base && from < w.2 => w.2 = w.2.max(to),
                _ => whole.push((base, from, to)),
            }
        }
        for (base, from, to) in whole {
            let n = (to - from) as u32;
            let left = self.t.make(Head::Join(pc as u32, Loc::Mem(base, from, n)), [NO; 3]);
            head.mem.insert((base, from), (n, left));
        }
        *head != before
    }
}
