//! From a program to a function: prologue, a main loop over whole vectors (unrolled), where bodies are short a loop over whole
//! vectors one by one, a loop under a mask for what is left, epilogue, and the routine around calls.
//!
//! `extern "sysv64" fn(table, n, accumulators, _, trips)`. The frame, aligned to 64 bytes, holds from rsp up: the caller's
//! rsp, the limit of the masked loop, the trips that are left, splats, the area of calls, everything saved around one, spilled values.
use super::alloc::{Gen, TAIL};
use super::asm::*;
use super::audit::{Facts, Written, audit_once};
use super::lower::Program;
use super::shape::{Shape, fixed, shape, used};
use super::shared::{Fixed, Held, Kind, NONE, Once, PATCH, Place, Shared, Stub, TRIPS, unit};
use super::ssa::{Id, Op, PatchFn, Ty};
use super::{Access, Ahead, Options};
use tfc_kernels::scalar::{KernelFn, Src};
use tfc_plan::region::body::{Region, Role};

/// Registers for the addresses of operands; those from the fourth on belong to the caller.
const PINS: [Gpr; 9] = [Gpr(8), Gpr(9), Gpr(10), Gpr(3), Gpr(5), Gpr(12), Gpr(13), Gpr(14), Gpr(15)];
const OWN_PINS: usize = 3;
/// Bytes of the largest frame.
const MOST_FRAME: i32 = 1 << 18;
/// Frame: limit of the masked loop.
const LIMIT: i32 = 16;
pub(crate) const SPLATS: i32 = 64;
/// Bytes that prefetches run ahead at most.
pub(crate) const MOST_AHEAD: u32 = 1 << 20;
/// Operands and result of a call, and four vectors that patches of one function keep for one another.
const AREA_BYTES: i32 = 512;
const SAVE_BYTES: i32 = 32 * 64 + 128;

/// What the code of a call does: `f` on vectors in `area`, whose elements `info` counts (or [`PATCH`]).
///
/// # Safety
/// The code's own frame: operands 64 bytes apart, then the result; `f` is of the kind that `info` names.
unsafe extern "sysv64" fn call_out(f: usize, area: *mut u8, info: u64) {
    // SAFETY: `f` is a function of that type (the generator writes both), and the area has four places of 64 bytes.
    unsafe {
        if info == PATCH {
            std::mem::transmute::<usize, PatchFn>(f)(area);
        } else {
            let f = std::mem::transmute::<usize, KernelFn>(f);
            let src = |i: usize| Src { ptr: area.add(64 * i), stride: 1 };
            f(info as usize, &[src(0), src(1), src(2)], area.add(192));
        }
    }
}

/// A program, and where its parts go.
pub(crate) struct Plan<'p> {
    p: &'p Program,
    size: Vec<u32>,
    place: Vec<Place>,
    prefetch: Vec<Ahead>,
    reach: Vec<Option<Gpr>>,
    used: Vec<u32>,
    fixed: Vec<Once>,
    splat: Vec<i32>,
    pinned: Vec<Option<Gpr>>,
    nt: Vec<bool>,
    stream: bool,
    /// Whether the code calls functions.
    pub(crate) calls: bool,
    /// Frame: where its splats and what it computes once a run end.
    pub(crate) end: i32,
}
impl<'p> Plan<'p> {
    /// What is the same for the whole run lies in the frame from `at` on.
    pub(crate) fn new(
        p: &'p Program,
        r: &Region,
        access: &[Access],
        place: Vec<Place>,
        prefetch: Vec<Ahead>,
        one: bool,
        mut at: i32,
    ) -> Plan<'p> {
        let (used, avx2) = (used(p), p.ssa.avx2.is_some());
        let calls = p.ssa.ops.iter().any(|op| matches!(op, Op::Patch(..) | Op::Call(..)));
        let size: Vec<u32> = r.operands.iter().map(|o| o.dtype.size() as u32).collect();
        let mut touched = vec![false; size.len()];
        let mut splat = vec![0; size.len()];
        for (i, op) in p.ssa.ops.iter().enumerate() {
            match *op {
                Op::Load(k) => touched[k as usize] |= used[i] > 0,
                Op::Store(k, _) => touched[k as usize] = true,
                Op::Splat(k) if used[i] > 0 => match place[k as usize] {
                    Place::Frame(there) if !avx2 && size[k as usize] >= 4 => splat[k as usize] = there,
                    _ => {
                        splat[k as usize] = at;
                        at += if avx2 { 32 } else { 8 };
                    }
                },
                _ => {}
            }
        }
        let (mut pinned, mut reach) = (vec![None; size.len()], vec![None; size.len()]);
        if !one {
            let streams = touched.iter().enumerate().filter(|t| *t.1 && matches!(place[t.0], Place::Table(_)));
            let mut free = PINS.into_iter();
            streams.zip(&mut free).for_each(|((k, _), r)| pinned[k] = Some(r));
            let far = |k: &usize| {
                pinned[*k].is_some()
                    && (size[*k] >= 4 || p.ssa.grow(*k as u32).is_some())
                    && matches!(prefetch[*k], Ahead::Row { .. })
            };
            (0..size.len()).filter(far).zip(free).for_each(|(k, r)| reach[k] = Some(r));
        }
        let (fixed, end) = fixed(p, &used, one, at);
        let nt: Vec<bool> = (0..size.len())
            .map(|k| {
                access[k] == Access::StreamNt
                    && r.operands[k].role == Role::Out
                    && touched[k]
                    && (size[k] >= 4 || p.ssa.grow(k as u32).is_some())
            })
            .collect();
        let stream = p.reds.is_empty() && !one && nt.iter().any(|&x| x);
        Plan { p, size, place, prefetch, reach, used, fixed, splat, pinned, nt, stream, calls, end }
    }
    /// Begins to write the code; `area`: where in the frame the operands of calls lie, `spills`: where spilled values do.
    pub(crate) fn writer(&self, a: Asm, area: i32, spills: i32) -> Writer<'_> {
        let s = Shared {
            a,
            ssa: &self.p.ssa,
            lanes: self.p.lanes,
            size: &self.size,
            reds: &self.p.reds,
            place: self.place.clone(),
            pinned: self.pinned.clone(),
            nt: self.nt.clone(),
            splat: self.splat.clone(),
            spills,
            slots: 0,
            area,
            pooled: vec![NONE; self.p.ssa.ops.len()],
            tabled: vec![NONE; self.p.ssa.tables.len()],
            ones: None,
            save: None,
            held: Held::new(),
            prefetch: self.prefetch.clone(),
            reach: self.reach.clone(),
            stream: self.stream,
            used: self.used.clone(),
            fixed: self.fixed.clone(),
        };
        Writer { s, stubs: vec![], bodies: vec![] }
    }
}
/// Where spilled values lie in a frame whose area of calls begins at `area`.
pub(crate) fn spills(calls: bool, area: i32) -> i32 {
    if calls { area + AREA_BYTES + SAVE_BYTES } else { area }
}

/// The code of a program, and where in it the function begins; `None` where it wants too large a frame.
pub(crate) fn function(p: &Program, r: &Region, access: &[Access], o: &Options) -> Option<(Vec<u8>, usize)> {
    written(p, r, access, o, |code, entry, facts| {
        debug_assert_eq!(audit_once(&code, entry, p.ssa.avx2.is_some(), facts), Ok(()), "registers of generated code");
        (code, entry)
    })
}
/// [`function`] for who also asks what the checker asks: `then` gets the code, its entry, and what it was written from.
pub(crate) fn written<R>(
    p: &Program,
    r: &Region,
    access: &[Access],
    o: &Options,
    then: impl FnOnce(Vec<u8>, usize, &[Facts]) -> R,
) -> Option<R> {
    let n = r.operands.len();
    let place = (0..n as u32).map(Place::Table).collect();
    let prefetch = vec![Ahead::Bytes(o.prefetch.min(MOST_AHEAD)); n];
    let plan = Plan::new(p, r, access, place, prefetch, o.one, SPLATS);
    let mut w = plan.writer(Asm::new(p.ssa.avx2.is_some()), plan.end, spills(plan.calls, plan.end));
    let saved = saved(|r| w.uses(r));
    let start = w.s.a.label();
    w.s.a.bind(start);
    if o.one {
        w.one(&Held::new());
    } else {
        let again = w.s.a.label();
        w.s.a.bind(again);
        w.run(o.unroll);
        w.s.a.next_trip(again, n as u32);
    }
    w.s.a.leave(&saved);
    w.rest();
    w.routine();
    let bytes = w.frame();
    let entry = w.s.a.enter(&saved, start, bytes)?;
    let code = std::mem::take(&mut w.s.a).finish();
    Some(then(code, entry, &[w.facts()]))
}
/// Registers for addresses that belong to the caller and are in use.
pub(crate) fn saved(used: impl Fn(Gpr) -> bool) -> Vec<Gpr> {
    PINS[OWN_PINS..].iter().copied().filter(|&r| used(r)).collect()
}

/// The beginning and the end of functions.
impl Asm {
    /// Entry of a function with a frame of `bytes`, whose code is at `start`. It is written last: only then the size is
    /// known. `None` where the frame is too large.
    pub(crate) fn enter(&mut self, saved: &[Gpr], start: Label, bytes: i32) -> Option<usize> {
        self.align();
        let entry = self.code.len();
        if bytes > MOST_FRAME {
            return None;
        }
        saved.iter().for_each(|&r| self.push(r));
        self.gg(0x89, RCX, RSP);
        // Touched page by page, so that a stack without room is noticed at its guard page.
        for page in 1..=bytes / 4096 {
            self.gm(false, &[0x85], RAX, Mem::at(RSP, -4096 * page));
        }
        self.gi(5, RSP, bytes);
        self.gi(4, RSP, -64);
        self.store(RCX, Mem::at(RSP, 0));
        self.store(Gpr(8), Mem::at(RSP, TRIPS));
        self.jmp(start);
        Some(entry)
    }
    /// Back to the caller.
    pub(crate) fn leave(&mut self, saved: &[Gpr]) {
        self.bytes(&[0xc5, 0xf8, 0x77]);
        self.load(RSP, Mem::at(RSP, 0));
        saved.iter().rev().for_each(|&r| self.pop(r));
        self.bytes(&[0xc3]);
    }
    /// One trip less; if there is another, the first `operands` of the table advance by their strides.
    pub(crate) fn next_trip(&mut self, again: Label, operands: u32) {
        let done = self.label();
        // dec qword [rsp + TRIPS]
        self.bytes(&[0x48, 0xff, 0x4c, 0x24, TRIPS as u8]);
        self.jcc(4, done);
        for k in 0..operands as i32 {
            self.load(RAX, Mem::at(RDI, 16 * k + 8));
            self.gm(true, &[0x01], RAX, Mem::at(RDI, 16 * k));
        }
        self.jmp(again);
        self.bind(done);
    }
}

/// What is done with the reductions of a row.
pub(crate) trait Folds {
    /// Sets accumulators in memory to what they begin with.
    fn clear(&mut self, a: &mut Asm);
    /// Sets those in registers.
    fn begin(&mut self, a: &mut Asm);
    /// Folds those in memory, or in registers, and writes results; `save`: see [`Shared::save`].
    fn fold(&mut self, a: &mut Asm, save: &mut Option<Label>, registers: bool);
}

/// A program being written.
pub(crate) struct Writer<'a> {
    pub(crate) s: Shared<'a>,
    stubs: Vec<Stub>,
    /// Where its bodies are.
    bodies: Vec<Written>,
}
impl Writer<'_> {
    fn body(&mut self, kind: Kind, u: u32, fixed: &Fixed) {
        self.body_of(kind, u, fixed, (false, None));
    }
    /// [`Writer::body`], and what the checker has to know of its accumulators.
    fn body_of(&mut self, kind: Kind, u: u32, fixed: &Fixed, (begins, folds): (bool, Option<u32>)) {
        let from = self.s.a.code.len() as u32;
        let stubs = Gen::new(&mut self.s, kind, u, fixed).body();
        self.stubs.extend(stubs);
        let held = self.s.held.iter().map(|(&at, &(r, n))| (r, at, n)).collect();
        let at = from..self.s.a.code.len() as u32;
        self.bodies.push(Written { at, kind, u, accs: fixed.accs, begins, folds, held });
    }
    /// What the checker holds the code against.
    pub(crate) fn facts(&self) -> Facts<'_> {
        let s = &self.s;
        Facts { ssa: s.ssa, lanes: s.lanes, size: s.size, reds: s.reds, place: &s.place, bodies: &self.bodies }
    }
    /// For one element, where registers hold some of what the frame does.
    pub(crate) fn one(&mut self, held: &Held) {
        let register = |k: u32| held.get(&self.s.place[k as usize].frame()?).map(|h| h.0);
        let read = self.s.ssa.ops.iter().zip(&self.s.ssa.ty).enumerate().filter_map(|(id, (op, ty))| match *op {
            Op::Splat(k) | Op::Load(k) if *ty != Ty::M && self.s.ssa.grow(k).is_none() => {
                Some((id as Id, register(k)?))
            }
            _ => None,
        });
        let others = held.values().fold(0, |all, h| all | 1 << h.0);
        let fixed = Fixed { hoisted: read.collect(), accs: false, others };
        self.s.held = held.clone();
        self.body(Kind::One, 1, &fixed);
        self.s.held = Held::new();
    }
    /// For one whole vector.
    pub(crate) fn vector(&mut self) {
        self.body(Kind::Whole, 1, &Fixed::default());
    }
    /// For the vectors that are the accumulators of reduction `j` of `all`, in registers.
    pub(crate) fn accumulated(&mut self, j: u32, all: u32) {
        let loads = self.s.ssa.ops.iter().enumerate().filter_map(|(id, op)| match *op {
            Op::Load(k) => Some((id as Id, Fixed::acc(j, k))),
            _ => None,
        });
        let others = (j + 1..all).flat_map(|j| (0..4).map(move |k| 1 << Fixed::acc(j, k))).sum();
        let fixed = Fixed { hoisted: loads.collect(), accs: false, others };
        self.body_of(Kind::Whole, 1, &fixed, (false, Some(j)));
    }
    /// For a run of elements.
    pub(crate) fn run(&mut self, unroll: Option<u8>) {
        let shape = self.before(unroll);
        self.loops(&shape, None);
    }
    /// For a row, whose reductions are folded.
    pub(crate) fn row(&mut self, folds: &mut dyn Folds) {
        let shape = self.before(None);
        if shape.fixed.accs {
            return self.loops(&shape, Some(folds));
        }
        folds.clear(&mut self.s.a);
        self.loops(&shape, None);
        folds.fold(&mut self.s.a, &mut self.s.save, false);
    }
    /// What comes before loops, and how they are written.
    fn before(&mut self, unroll: Option<u8>) -> Shape {
        self.operands();
        if self.s.fixed.iter().any(|f| matches!(f, Once::Kept(_))) {
            self.body(Kind::Before, 1, &Fixed::default());
        }
        shape(&self.s, unroll)
    }
    /// What is out of line.
    pub(crate) fn rest(&mut self) {
        for stub in std::mem::take(&mut self.stubs) {
            stub.emit(&mut self.s);
        }
    }
    /// The routine around calls, if there are any.
    pub(crate) fn routine(&mut self) {
        if let Some(l) = self.s.save {
            self.s.a.bind(l);
            self.save_all();
        }
    }
    /// Whether the frame holds an address in the register.
    pub(crate) fn uses(&self, r: Gpr) -> bool {
        self.s.pinned.contains(&Some(r)) || self.s.reach.contains(&Some(r))
    }
    /// Bytes of the frame.
    pub(crate) fn frame(&self) -> i32 {
        self.s.spills + self.s.slot_bytes() * self.s.slots as i32
    }
    /// Addresses into registers, splats into the frame.
    fn operands(&mut self) {
        for k in 0..self.s.size.len() {
            let place = self.s.place[k];
            if let Some(r) = self.s.pinned[k] {
                self.s.a.load(r, place.entry());
            }
            if let (Some(r), Ahead::Row { from, .. }) = (self.s.reach[k], self.s.prefetch[k]) {
                // rcx = the bytes of so many quarters of a row
                self.s.a.bytes(&[0x31, 0xc9]);
                (0..from).for_each(|_| self.s.a.gg(0x01, RCX, RSI));
                if self.s.size[k] == 8 {
                    self.s.a.gg(0x01, RCX, RCX);
                }
                self.s.a.load(r, place.entry());
                let Mem { base, disp, .. } = place.entry();
                self.s.a.gm(true, &[0x03], r, Mem::at(base, disp + 8));
                self.s.a.gg(0x01, r, RCX);
            }
            let to = Mem::at(RSP, self.s.splat[k]);
            if to.disp == 0 || place == Place::Frame(to.disp) {
                continue;
            }
            let from = match place {
                Place::Frame(at) => Mem::at(RSP, at),
                Place::Table(_) => {
                    self.s.a.load(RCX, place.entry());
                    Mem::at(RCX, 0)
                }
            };
            match self.s.size[k] {
                _ if let Some(g) = self.s.ssa.grow(k as u32) => {
                    self.s.a.gm(false, &[0x0f, g.integer()], RAX, from);
                    self.s.a.gm(false, &[0x89], RAX, to);
                }
                size if self.s.a.vex => {
                    let spread = Insn::wide(2, false, if size == 8 { 0x19 } else { 0x18 });
                    self.s.a.evex(spread, Len::Y, 0, 0, Rm::Mem(from, 1), 0, false);
                    self.s.a.evex(Insn::fp(false, 0x11), Len::Y, 0, 0, Rm::Mem(to, 1), 0, false);
                }
                1 => {
                    // 0 or all ones, from which masks are loaded.
                    self.s.a.gm(false, &[0x0f, 0xb6], RAX, from);
                    self.s.a.bytes(&[0x48, 0xf7, 0xd8]);
                    self.s.a.store(RAX, to);
                }
                size => {
                    self.s.a.gm(size == 8, &[0x8b], RAX, from);
                    self.s.a.gm(size == 8, &[0x89], RAX, to);
                }
            }
        }
    }

    /// The loops; `folds`: what is done with accumulators in registers behind them, which need not come to memory where no element is
    /// left behind the main loop.
    fn loops(&mut self, shape: &Shape, mut folds: Option<&mut dyn Folds>) {
        let (main, tail, masked, end) = (self.s.a.label(), self.s.a.label(), self.s.a.label(), self.s.a.label());
        let (none, left, done) = (self.s.a.label(), self.s.a.label(), self.s.a.label());
        let limit = Mem::at(RSP, LIMIT);
        let step = (shape.unroll * self.s.lanes) as i32;
        self.s.a.bytes(&[0x31, 0xc0]);
        if self.s.stream {
            self.head(masked, limit);
        }
        self.s.a.bind(main);
        self.room(step);
        self.s.a.jcc(7, if folds.is_some() { none } else { tail });
        self.hoist(&shape.fixed);
        match &mut folds {
            Some(f) => f.begin(&mut self.s.a),
            None if shape.fixed.accs => self.accumulators(0x10),
            None => {}
        }
        self.s.a.align();
        let top = self.s.a.label();
        self.s.a.bind(top);
        self.body_of(Kind::Whole, shape.unroll, &shape.fixed, (folds.is_some(), None));
        self.s.a.gi(0, RAX, step);
        self.room(step);
        self.s.a.jcc(6, top);
        if let Some(f) = &mut folds {
            self.s.a.gg(0x39, RAX, RSI);
            self.s.a.jcc(2, left);
            f.fold(&mut self.s.a, &mut self.s.save, true);
            self.s.a.jmp(done);
            self.s.a.bind(none);
            f.clear(&mut self.s.a);
            self.s.a.jmp(tail);
            self.s.a.bind(left);
        }
        if shape.fixed.accs {
            self.accumulators(0x11);
        }
        self.s.a.bind(tail);
        if shape.vectors {
            self.vectors();
        }
        self.s.a.store(RSI, limit);
        self.s.a.gg(0x39, RAX, RSI);
        self.s.a.jcc(3, end);
        self.s.a.bind(masked);
        self.masked(limit, masked);
        if self.s.stream {
            self.s.a.gg(0x39, RAX, RSI);
            self.s.a.jcc(2, main);
        }
        self.s.a.bind(end);
        if let Some(f) = folds {
            f.fold(&mut self.s.a, &mut self.s.save, false);
            self.s.a.bind(done);
        }
    }
    /// Whole vectors that are left behind the main loop, one by one: without a mask they need no more instructions than there.
    fn vectors(&mut self) {
        let (test, top) = (self.s.a.label(), self.s.a.label());
        self.s.a.jmp(test);
        self.s.a.bind(top);
        self.body(Kind::Whole, 1, &Fixed::default());
        self.s.a.gi(0, RAX, self.s.lanes as i32);
        self.s.a.bind(test);
        self.room(self.s.lanes as i32);
        self.s.a.jcc(6, top);
    }
    /// Compares the element after a step with the number of elements.
    fn room(&mut self, step: i32) {
        self.s.a.lea(RCX, Mem::at(RAX, step));
        self.s.a.gg(0x39, RCX, RSI);
    }
    /// Elements from rax to the limit under a mask, a vector at a time.
    fn masked(&mut self, limit: Mem, top: Label) {
        let lanes = self.s.lanes as i32;
        // rcx = min(limit − rax, lanes); the tail mask = that many ones
        self.s.a.load(RCX, limit);
        self.s.a.gg(0x29, RCX, RAX);
        self.s.a.movabs(R11, lanes as u64);
        self.s.a.gg(0x39, RCX, R11);
        self.s.a.bytes(&[0x49, 0x0f, 0x47, 0xcb]);
        if self.s.a.vex {
            // The window of as many ones, before zeros.
            let shift = (32 / lanes).trailing_zeros() as u8;
            let mut window = [0u8; 64];
            window[..32].fill(0xff);
            let at = self.s.a.constant(&window);
            self.s.a.lea_pool(R11, at);
            self.s.a.bytes(&[0x48, 0xc1, 0xe1, shift]);
            self.s.a.gg(0x29, R11, RCX);
            self.s.a.evex(Insn::fp(false, 0x10), Len::Y, TAIL, 0, Rm::Mem(Mem::at(R11, 32), 1), 0, false);
        } else {
            self.s.a.movabs(R11, u64::MAX);
            self.s.a.bytes(&[0xc4, 0xc2, 0x70, 0xf5, 0xcb]);
            self.s.a.kmov_gpr(1, RCX);
        }
        self.body(Kind::Masked, 1, &Fixed::default());
        // rax = min(rax + lanes, limit)
        self.s.a.lea(RCX, Mem::at(RAX, lanes));
        self.s.a.load(RAX, limit);
        self.s.a.gg(0x39, RCX, RAX);
        self.s.a.bytes(&[0x48, 0x0f, 0x42, 0xc1]);
        self.s.a.gm(true, &[0x3b], RAX, limit);
        self.s.a.jcc(2, top);
    }
    /// Under the mask up to where the first output is aligned; all of it where the others are not aligned there.
    fn head(&mut self, masked: Label, limit: Mem) {
        let outputs: Vec<usize> = (0..self.s.nt.len()).filter(|&k| self.s.nt[k]).collect();
        let fixed = self.s.a.label();
        for (i, &k) in outputs.iter().enumerate() {
            let (entry, shift) = (self.s.place[k].entry(), self.s.size[k].trailing_zeros() as u8);
            self.s.a.load(R11, entry);
            if i == 0 {
                // rcx = min((−address mod 64) / size, n)
                self.s.a.gg(0x89, RCX, R11);
                self.s.a.bytes(&[0x48, 0xf7, 0xd9, 0x83, 0xe1, 0x3f, 0x48, 0xc1, 0xe9, shift]);
                self.s.a.gg(0x39, RCX, RSI);
                self.s.a.bytes(&[0x48, 0x0f, 0x47, 0xce]);
                continue;
            }
            // r11 += rcx << shift; a multiple of 64?
            self.s.a.bytes(&[0x48, 0xc1, 0xe1, shift]);
            self.s.a.gg(0x01, R11, RCX);
            self.s.a.bytes(&[0x48, 0xc1, 0xe9, shift, 0x41, 0xf6, 0xc3, 0x3f]);
            let next = self.s.a.label();
            self.s.a.jcc(4, next);
            self.s.a.gg(0x89, RCX, RSI);
            self.s.a.jmp(fixed);
            self.s.a.bind(next);
        }
        self.s.a.bind(fixed);
        self.s.a.store(RCX, limit);
        // test rcx, rcx
        self.s.a.gg(0x85, RCX, RCX);
        self.s.a.jcc(5, masked);
    }
    fn hoist(&mut self, fixed: &Fixed) {
        for &(id, r) in &fixed.hoisted {
            let wide = self.s.ssa.ty(id) == Ty::W64;
            let el = if wide { 8 } else { 4 };
            let len = if el * self.s.lanes == 64 { Len::Z } else { Len::Y };
            if self.s.a.vex {
                let rm = match (self.s.ssa.ops[id as usize], self.s.fixed[id as usize]) {
                    (_, Once::Kept(at)) => Rm::Mem(Mem::at(RSP, at), 1),
                    (Op::Splat(k), _) => Rm::Mem(Mem::at(RSP, self.s.splat[k as usize]), 1),
                    _ => Rm::Pool(self.s.pool(id)),
                };
                self.s.a.evex(Insn::fp(false, 0x10), len, r, 0, rm, 0, false);
                continue;
            }
            let rm = match self.s.ssa.ops[id as usize] {
                _ if let Once::Kept(at) = self.s.fixed[id as usize] => {
                    let m = Rm::Mem(Mem::at(RSP, at), unit(len));
                    self.s.a.evex(Insn::fp(false, 0x10), len, r, 0, m, 0, false);
                    continue;
                }
                Op::Splat(k) => Rm::Mem(Mem::at(RSP, self.s.splat[k as usize]), el as u8),
                _ => Rm::Pool(self.s.pool(id)),
            };
            self.s.a.evex(Insn::wide(2, wide, if wide { 0x59 } else { 0x58 }), len, r, 0, rm, 0, false);
        }
    }
    /// Moves the accumulators in registers from (0x10) or to (0x11) memory.
    fn accumulators(&mut self, op: u8) {
        for j in 0..self.s.reds.len() as u32 {
            for c in 0..4 {
                let m = Rm::Mem(Mem::at(RDX, (256 * j + 64 * c) as i32), 64);
                self.s.a.evex(Insn::fp(false, op), Len::Z, Fixed::acc(j, c), 0, m, 0, false);
            }
        }
    }
    /// Saves every register the body uses, calls, and restores them. r11: the function, rcx: what it is.
    fn save_all(&mut self) {
        const KEPT: [Gpr; 7] = [RAX, RDX, RSI, RDI, Gpr(8), Gpr(9), Gpr(10)];
        let base = self.s.area + AREA_BYTES + 8;
        let (masks, gprs) = (base + 32 * 64, base + 32 * 64 + 64);
        for load in [false, true] {
            let (len, regs, first) = if self.s.a.vex { (Len::Y, 16, 8) } else { (Len::Z, 32, 1) };
            for r in 0..regs {
                let m = Rm::Mem(Mem::at(RSP, base + 64 * i32::from(r)), unit(len));
                self.s.a.evex(Insn::fp(false, if load { 0x10 } else { 0x11 }), len, r, 0, m, 0, false);
            }
            for k in first..8u8 {
                self.s.a.kmov_mem(if load { 0x90 } else { 0x91 }, k, Mem::at(RSP, masks + 8 * i32::from(k)));
            }
            for (i, &r) in KEPT.iter().enumerate() {
                let m = Mem::at(RSP, gprs + 8 * i as i32);
                if load { self.s.a.load(r, m) } else { self.s.a.store(r, m) }
            }
            if !load {
                self.s.a.gg(0x89, RDI, R11);
                self.s.a.gg(0x89, RDX, RCX);
                self.s.a.lea(RSI, Mem::at(RSP, self.s.area + 8));
                self.s.a.movabs(RAX, call_out as *const () as u64);
                // The call's own address leaves the stack 8 bytes off.
                self.s.a.gi(5, RSP, 8);
                self.s.a.bytes(&[0xc5, 0xf8, 0x77, 0xff, 0xd0]);
                self.s.a.gi(0, RSP, 8);
            }
        }
        self.s.a.bytes(&[0xc3]);
    }
}
