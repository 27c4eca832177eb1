//! The checker of generated code: reads the bytes of a function back and follows them on terms, registers, frame and
//! operands, from the entry to the return. It knows nothing of how registers and spill slots were chosen, and asks the
//! generator for nothing but where the bodies begin and end.
//!
//! It holds that each body writes to its operands and accumulators the values that the program ([`super::ssa`]) names and
//! nothing else, reads nothing but its operands' elements, leaves alone addresses, the tail mask and what the frame keeps
//! for the loops, and that the function returns with its caller's registers. A value that was overwritten, not fetched,
//! fetched from another's slot, cut short or lost in a call is another term where it is written. Loops are followed until
//! nothing new is found; where ways come together, what they do not agree on is known no more. Where nothing is known of
//! a value that a program needs, the code is refused: what passes has no such fault.
//!
//! It takes on trust that operands overlap no further than [`super::Code::run`] allows, that loops run as often as they
//! should (whichever way a jump takes, what is held holds), and where the operands of a function are.
//!
//! Time is linear in the code, but for the few times that loops are followed.
mod decode;
mod exec;
mod expect;
mod machine;
mod term;

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use decode::{Inst, decode};
pub(crate) use expect::{Facts, Written};
use expect::{Forms, forms};
use machine::{Address, Machine, RSP, State};
use term::{Head, Loc, NO, Terms};

/// Holds that the function at `entry` of `code` does what the programs say.
///
/// # Errors
/// The first instruction that does not.
pub(crate) fn audit(code: &[u8], entry: usize, vex: bool, programs: &[Facts]) -> Result<(), String> {
    let forms: Vec<Forms> = programs.iter().map(forms).collect();
    let none = Forms::default();
    let mut bodies = BTreeMap::new();
    for (p, f) in programs.iter().enumerate() {
        bodies.extend(f.bodies.iter().map(|w| (w.at.start as usize, (p, w))));
    }
    let calls = programs.iter().flat_map(|f| &f.ssa.calls);
    let m = Machine {
        code,
        vex,
        t: Terms::default(),
        forms: &none,
        body: None,
        held: BTreeMap::new(),
        arity: calls.map(|c| (c.f as usize as u64, c.arity)).collect(),
        exchanged: programs.iter().flat_map(|f| f.place).filter_map(|p| p.frame()).map(i64::from).collect(),
        bytes: 0,
        pc: entry,
    };
    let heads = heads(code, &bodies).into_iter().map(|pc| (pc, None)).collect();
    let mut w = Way {
        m,
        programs,
        forms: &forms,
        none: &none,
        bodies,
        heads,
        open: vec![],
        known: BTreeMap::new(),
        registers: BTreeMap::new(),
        again: false,
    };
    let start = w.m.start();
    w.all(entry, &start).map_err(|e| {
        let inst = decode(code, w.m.pc).map(|(inst, _)| inst);
        format!("the instruction at byte {} {e}: {inst:?}", w.m.pc)
    })
}

/// [`audit`], once a process for the same code of the same programs: it follows nothing but these, so what it held of them it
/// holds again. They are known by two hashes of 64 bits.
///
/// # Errors
/// Those of [`audit`].
pub(crate) fn audit_once(code: &[u8], entry: usize, vex: bool, programs: &[Facts]) -> Result<(), String> {
    static HELD: Mutex<Option<HashSet<[u64; 2]>>> = Mutex::new(None);
    let key = [0u8, 1].map(|seed| {
        let mut h = DefaultHasher::new();
        (seed, code, entry, vex, programs).hash(&mut h);
        h.finish()
    });
    let held = || HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if held().as_ref().is_some_and(|all| all.contains(&key)) {
        return Ok(());
    }
    audit(code, entry, vex, programs)?;
    held().get_or_insert_default().insert(key);
    Ok(())
}

/// Holds that each body of a function with a frame of `bytes` does what its program says, whatever the frame held before: what
/// stands between bodies is not looked at. For functions whose bodies hand values to one another in the frame alone.
///
/// # Errors
/// Those of [`audit`].
pub(crate) fn audit_parts(code: &[u8], bytes: i32, vex: bool, programs: &[Facts]) -> Result<(), String> {
    for p in programs {
        for w in p.bodies {
            let forms = forms(p);
            let m = Machine {
                code,
                vex,
                t: Terms::default(),
                forms: &forms,
                body: None,
                held: BTreeMap::new(),
                arity: p.ssa.calls.iter().map(|c| (c.f as usize as u64, c.arity)).collect(),
                exchanged: p.place.iter().filter_map(|p| p.frame()).map(i64::from).collect(),
                bytes: i64::from(bytes),
                pc: w.at.start as usize,
            };
            let none = Forms::default();
            let mut way = Way {
                m,
                programs,
                forms: &[],
                none: &none,
                bodies: BTreeMap::new(),
                heads: BTreeMap::new(),
                open: vec![],
                known: BTreeMap::new(),
                registers: BTreeMap::new(),
                again: false,
            };
            way.part(p, w).map_err(|e| {
                let inst = decode(code, way.m.pc).map(|(inst, _)| inst);
                format!("the instruction at byte {} {e}: {inst:?}", way.m.pc)
            })?;
        }
    }
    Ok(())
}

type Bodies<'a> = BTreeMap<usize, (usize, &'a Written)>;

/// Places that jumps go to, but for those out of the line and back within bodies.
fn heads(code: &[u8], bodies: &Bodies) -> Vec<usize> {
    let within = |pc: usize, after: bool| {
        bodies.range(..pc + usize::from(!after)).next_back().is_some_and(|(_, (_, w))| pc < w.at.end as usize)
    };
    let (mut at, mut out) = (0, vec![]);
    while let Some((inst, next)) = decode(code, at) {
        match inst {
            Inst::Jump(to) if !within(to, true) => out.push(to),
            Inst::JumpIf(_, to) if !within(at, false) => out.push(to),
            _ => {}
        }
        at = next;
    }
    out
}

struct Way<'a> {
    m: Machine<'a>,
    programs: &'a [Facts<'a>],
    forms: &'a [Forms],
    none: &'a Forms,
    bodies: Bodies<'a>,
    /// What is known where jumps go.
    heads: BTreeMap<usize, Option<State>>,
    /// Heads from where the code is still to be followed.
    open: Vec<usize>,
    /// What was known there at last, where that was less than what came first.
    known: BTreeMap<usize, State>,
    /// Which registers hold accumulators that a loop left, where jumps go; `None` where ways disagreed.
    registers: BTreeMap<usize, Option<BTreeMap<Address, u8>>>,
    /// Whether less has turned out to be known, so that the code has to be gone through again.
    again: bool,
}
impl Way<'_> {
    /// Follows everything, from the beginning again whenever less turns out to be known where ways come together: what was
    /// derived from more is forgotten with it.
    fn all(&mut self, entry: usize, start: &State) -> Result<(), String> {
        loop {
            self.again = false;
            self.straight(entry, start.clone())?;
            while let (false, Some(pc)) = (self.again, self.open.pop()) {
                if let Some(Some(st)) = self.heads.get(&pc) {
                    let st = st.clone();
                    let held = self.registers.get(&pc).into_iter().flatten().flatten();
                    self.m.held = held.map(|(&a, &r)| (a, (st.z[r as usize], r))).collect();
                    self.straight(pc, st)?;
                }
            }
            if !self.again {
                return Ok(());
            }
            self.open.clear();
            self.m.held.clear();
            self.registers.retain(|_, r| r.is_none());
            self.heads.values_mut().for_each(|h| *h = None);
        }
    }
    /// A way comes to a place that jumps go to.
    fn arrive(&mut self, pc: usize, st: &State) {
        let there = self.m.held.values().all(|&(t, r)| st.z[r as usize] == t);
        let held = self.m.held.iter().filter(|_| there).map(|(&a, h)| (a, h.1)).collect();
        match self.registers.get_mut(&pc) {
            None => _ = self.registers.insert(pc, Some(held)),
            Some(r) => {
                if r.as_ref().is_some_and(|r| !r.is_empty() && *r != held) {
                    *r = None;
                    self.again = true;
                }
            }
        }
        let Some(head) = self.heads.get_mut(&pc) else { return };
        let Some(h) = head else {
            *head = Some(match self.known.get(&pc) {
                Some(old) => self.m.widen(old, st, pc),
                None => st.clone(),
            });
            self.open.push(pc);
            return;
        };
        if self.m.join(h, st, pc) {
            self.known.insert(pc, h.clone());
            self.again = true;
        }
    }
    /// Follows the code up to where ways come together.
    fn straight(&mut self, from: usize, mut st: State) -> Result<(), String> {
        let (mut pc, mut first) = (from, true);
        loop {
            self.m.pc = pc;
            if self.m.body.as_ref().is_some_and(|b| b.end == pc) {
                self.m.end(&st)?;
                self.m.forms = self.none;
            }
            if !first && self.heads.contains_key(&pc) {
                self.left()?;
                self.arrive(pc, &st);
                return Ok(());
            }
            first = false;
            if let Some(&(p, w)) = self.bodies.get(&pc)
                && self.m.body.is_none()
                && w.at.end as usize > pc
            {
                self.m.forms = &self.forms[p];
                self.m.begin(&st, &self.programs[p], w)?;
            }
            let (inst, next) = decode(self.m.code, pc).ok_or("is none that the generator writes")?;
            pc = match inst {
                Inst::Jump(to) => {
                    self.left()?;
                    self.arrive(to, &st);
                    return Ok(());
                }
                Inst::JumpIf(cc, to) if self.m.body.is_some() => {
                    if cc != 5 {
                        return Err("jumps out of the line otherwise than where a lane asks for it".into());
                    }
                    let taken = self.aside(to, next, st.clone())?;
                    self.m.pc = pc;
                    self.m.either(&mut st, &taken);
                    next
                }
                Inst::JumpIf(_, to) => {
                    self.arrive(to, &st);
                    if self.again {
                        return Ok(());
                    }
                    next
                }
                Inst::Call(to) => {
                    let back = self.m.t.num(next as u64);
                    self.m.push(&mut st, back)?;
                    to
                }
                Inst::Return => match self.back(&mut st)? {
                    Some(pc) => pc,
                    None => return self.left(),
                },
                inst => {
                    self.m.step(&mut st, &inst)?;
                    next
                }
            };
        }
    }
    /// Follows one body, from whatever state.
    fn part(&mut self, p: &Facts, w: &Written) -> Result<(), String> {
        let mut st = self.m.start();
        st.g[RSP] = self.m.t.make(Head::Frame, [NO; 3]);
        let base = st.g[RSP];
        let place = |at: i32| Address { base, index: NO, scale: 0, disp: i64::from(at) };
        for &(r, at, n) in &w.held {
            st.z[r as usize] = self.m.peek(&st, place(at), n, NO)?;
        }
        self.m.begin(&st, p, w)?;
        // Who reads a value that a register holds reads the register: what the frame holds may be older.
        let mut older = vec![];
        for &(r, at, n) in &w.held {
            let t = self.m.t.make(Head::Join(w.at.start, Loc::Z(r)), [NO; 3]);
            self.m.put(&mut st, place(at), n, t)?;
            older.push((t, st.z[r as usize]));
        }
        let mut pc = w.at.start as usize;
        loop {
            self.m.pc = pc;
            if self.m.body.as_ref().is_some_and(|b| b.end == pc) {
                for (&(r, at, n), &(old, first)) in w.held.iter().zip(&older) {
                    let (now, holds) = (self.m.peek(&st, place(at), n, NO)?, self.m.t.low(st.z[r as usize], n));
                    if now != holds && !(now == old && st.z[r as usize] == first) {
                        return Err(format!("ends a body where register {r} is not what the frame holds"));
                    }
                }
                return self.m.end(&st);
            }
            let (inst, next) = decode(self.m.code, pc).ok_or("is none that the generator writes")?;
            pc = match inst {
                Inst::JumpIf(5, to) => {
                    let taken = self.aside(to, next, st.clone())?;
                    self.m.pc = pc;
                    self.m.either(&mut st, &taken);
                    next
                }
                Inst::Jump(_) | Inst::JumpIf(..) => return Err("jumps out of the line".into()),
                Inst::Call(to) => {
                    let back = self.m.t.num(next as u64);
                    self.m.push(&mut st, back)?;
                    to
                }
                Inst::Return => self.back(&mut st)?.ok_or("returns out of a body")?,
                inst => {
                    self.m.step(&mut st, &inst)?;
                    next
                }
            };
        }
    }
    /// Code out of the line, up to where it comes back.
    fn aside(&mut self, from: usize, back: usize, mut st: State) -> Result<State, String> {
        let mut pc = from;
        loop {
            self.m.pc = pc;
            let (inst, next) = decode(self.m.code, pc).ok_or("is none that the generator writes")?;
            pc = match inst {
                Inst::Jump(to) if to == back => return Ok(st),
                Inst::Call(to) => {
                    let back = self.m.t.num(next as u64);
                    self.m.push(&mut st, back)?;
                    to
                }
                Inst::Return => self.back(&mut st)?.ok_or("returns out of a body")?,
                Inst::Jump(_) | Inst::JumpIf(..) => return Err("does not come back to the body".into()),
                inst => {
                    self.m.step(&mut st, &inst)?;
                    next
                }
            };
        }
    }
    /// Where a return goes to; `None`: to the caller of all this.
    fn back(&mut self, st: &mut State) -> Result<Option<usize>, String> {
        let to = self.m.pushed(st);
        let t = self.m.pop(st)?;
        if to.is_none() {
            self.m.returned(st, t)?;
        }
        Ok(to)
    }
    /// No accumulator is left in a register.
    fn left(&mut self) -> Result<(), String> {
        if self.m.held.is_empty() { Ok(()) } else { Err("leaves accumulators in registers".into()) }
    }
}

/// An instruction of a function, as tests want to know it.
#[cfg(debug_assertions)]
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) at: std::ops::Range<usize>,
    pub(crate) vector: bool,
    /// Whether the instruction moves masks.
    pub(crate) mask: bool,
    /// Whether the instruction reads or writes the frame, or reads constants.
    pub(crate) frame: bool,
    pub(crate) code: bool,
    /// Bytes of the displacement, which ends `tail` bytes before the end.
    pub(crate) disp: usize,
    pub(crate) tail: usize,
}
/// All instructions of a function.
#[cfg(debug_assertions)]
pub(crate) fn places(code: &[u8]) -> Vec<Found> {
    use decode::Rm;
    let (mut at, mut out) = (0, vec![]);
    while let Some((inst, next)) = decode(code, at) {
        let (rm, imm) = match inst {
            Inst::Vector(v) => (v.rm, v.insn.imm >= 0),
            Inst::MaskMove(_, _, rm) => (rm, false),
            _ => (Rm::Reg(0), false),
        };
        let (frame, disp) = match rm {
            Rm::Mem { base: 4, index: None, disp, short } => (true, if short { 1 } else { 4 * usize::from(disp != 0) }),
            _ => (false, 0),
        };
        out.push(Found {
            at: at..next,
            vector: matches!(inst, Inst::Vector(_)),
            mask: matches!(inst, Inst::MaskMove(..)),
            frame: frame && disp > 0,
            code: matches!(rm, Rm::Code(_)),
            disp,
            tail: usize::from(imm),
        });
        at = next;
    }
    out
}
