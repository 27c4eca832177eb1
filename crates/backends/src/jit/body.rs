//! From a program to the text of one loop body: registers by linear scan with Belady's choice of victim, constants and
//! splats as memory operands, loads folded into their only use.
//!
//! Vector registers below `pool` and mask registers k2 to k7 are allocated; k1 holds the tail mask. rax counts elements,
//! rcx and r11 are free for addresses, rdi holds the table, rdx the accumulators, rsp the frame.
use super::asm::*;
use super::lower::{KXNOR, KXOR};
use super::ssa::{Id, Op, Ssa, Ty};

/// What the parts of a function share.
pub(super) struct Shared<'a> {
    pub(super) a: Asm,
    pub(super) ssa: &'a Ssa,
    pub(super) lanes: u32,
    /// Bytes of an element of each operand.
    pub(super) size: &'a [u32],
    /// Bytes of an element of each reduction.
    pub(super) reds: &'a [u32],
    /// Register of an operand's address; the others are read from the table at each use.
    pub(super) pinned: Vec<Option<Gpr>>,
    /// Operands written past the caches.
    pub(super) nt: Vec<bool>,
    /// Where in the frame an operand's only element lies.
    pub(super) splat: Vec<i32>,
    /// Frame: where spills begin, and 64-byte spill slots in use.
    pub(super) spills: i32,
    pub(super) slots: u32,
    /// Frame: where operands and result of calls lie.
    pub(super) area: i32,
    /// Pool offset of a constant.
    pub(super) pooled: Vec<u32>,
    /// Pool offset of sixteen bytes of 1.
    pub(super) ones: Option<u32>,
    /// The routine that saves everything around a call.
    pub(super) save: Option<Label>,
    pub(super) prefetch: i32,
    /// Does the main loop use non-temporal stores?
    pub(super) stream: bool,
    /// How often a value is used; values nobody uses are not computed.
    pub(super) used: Vec<u32>,
}
impl Shared<'_> {
    fn len(&self, size: u32) -> Len {
        match size * self.lanes {
            64 => Len::Z,
            32 => Len::Y,
            _ => Len::X,
        }
    }
    pub(super) fn pool(&mut self, id: Id) -> u32 {
        if self.pooled[id as usize] == NONE {
            self.pooled[id as usize] = match self.ssa.ops[id as usize] {
                Op::Const(x, Ty::W64) => self.a.constant(&x.to_le_bytes()),
                Op::Const(x, _) => self.a.constant(&(x as u32).to_le_bytes()),
                _ => 0,
            };
        }
        self.pooled[id as usize]
    }
    fn ones(&mut self) -> u32 {
        let at = self.ones.unwrap_or_else(|| self.a.constant(&[1; 16]));
        self.ones = Some(at);
        at
    }
    fn save(&mut self) -> Label {
        let l = self.save.unwrap_or_else(|| self.a.label());
        self.save = Some(l);
        l
    }
    /// Call of the saving routine; see `frame.rs` for what the bits of `info` are.
    fn call_out(&mut self, f: usize, info: u64) {
        let save = self.save();
        self.a.movabs(R11, f as u64);
        self.a.movabs(RCX, info);
        self.a.call(save);
    }
}
/// In place of a number of elements: the function of a call is a [`super::ssa::PatchFn`].
pub(super) const PATCH: u64 = 0;

pub(super) const NONE: u32 = u32::MAX;
const FREE: u8 = u8::MAX;
const NEVER: u32 = u32::MAX;

/// How a body is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Whole vectors.
    Whole,
    /// Under the mask k1.
    Masked,
    /// One element.
    One,
}

/// A jump out of the line, to be written after the bodies.
pub(super) struct Stub {
    out: Label,
    back: Label,
    patch: u32,
    dbl: bool,
    x: u8,
    v: u8,
    k: u8,
}
impl Stub {
    pub(super) fn emit(&self, s: &mut Shared) {
        let (len, mov) = (s.len(if self.dbl { 8 } else { 4 }), Insn::fp(false, 0x11));
        let place = |i: i32| Rm::Mem(Mem::at(RSP, s.area + 64 * i), unit(len));
        let (x, v, k) = (place(0), place(1), Mem::at(RSP, s.area + 128));
        s.a.bind(self.out);
        s.a.evex(mov, len, self.x, 0, x, 0, false);
        s.a.evex(mov, len, self.v, 0, v, 0, false);
        s.a.kmov_mem(0x91, self.k, k);
        s.call_out(s.ssa.patches[self.patch as usize] as usize, PATCH);
        s.a.evex(Insn::fp(false, 0x10), len, self.v, 0, v, 0, false);
        s.a.jmp(self.back);
    }
}

/// Where a value can be fetched from when it is in no register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    /// Nowhere.
    None,
    /// A spill slot.
    Slot(u32),
    /// The constant pool, the frame, or an operand: by what the value is.
    Origin,
}

/// One body being written.
pub(super) struct Gen<'s, 'a> {
    s: &'s mut Shared<'a>,
    kind: Kind,
    u: u32,
    /// Uses of each value by position, one after the other; where a value's begin, and the next of them.
    uses: Vec<u32>,
    next: Vec<u32>,
    end: Vec<u32>,
    reg: Vec<u8>,
    home: Vec<Home>,
    zfree: u32,
    zowner: [u32; 32],
    kfree: u8,
    kowner: [u32; 8],
    /// Registers that allocation may hand out.
    zpool: u32,
    free_slots: Vec<u32>,
    /// Slots that the instruction being written may still read.
    left: Vec<u32>,
    /// Registers that a value should be computed into.
    wanted: Vec<(u32, u8, u32)>,
    /// Are reductions in registers?
    accs: bool,
    pub(super) stubs: Vec<Stub>,
}

/// Registers that outlive the body.
#[derive(Clone, Default)]
pub(super) struct Fixed {
    /// Constants and splats kept in registers.
    pub(super) hoisted: Vec<(Id, u8)>,
    /// Are reductions accumulated in registers (from 31 down, one for each copy)?
    pub(super) accs: bool,
}
impl Fixed {
    pub(super) fn acc(red: u32, copy: u32) -> u8 {
        31 - (red * 4 + copy) as u8
    }
}

impl<'s, 'a> Gen<'s, 'a> {
    pub(super) fn new(s: &'s mut Shared<'a>, kind: Kind, u: u32, fixed: &Fixed) -> Self {
        let n = s.ssa.ops.len() * u as usize;
        let mut g = Gen {
            kind,
            u,
            uses: vec![],
            next: vec![0; n],
            end: vec![0; n],
            reg: vec![FREE; n],
            home: vec![Home::None; n],
            zfree: !0,
            zowner: [NONE; 32],
            kfree: 0xfc,
            kowner: [NONE; 8],
            zpool: !0,
            free_slots: vec![],
            left: vec![],
            wanted: vec![],
            accs: fixed.accs,
            stubs: vec![],
            s,
        };
        g.positions();
        for &(id, r) in &fixed.hoisted {
            g.zpool &= !(1 << r);
            g.reg[(id * u) as usize] = r;
        }
        if fixed.accs {
            let mut input = vec![0; g.s.reds.len()];
            for (i, op) in g.s.ssa.ops.iter().enumerate() {
                match *op {
                    Op::AccIn(j) => {
                        input[j as usize] = i as u32;
                        for c in 0..u {
                            let r = Fixed::acc(j, c);
                            g.zpool &= !(1 << r);
                            g.reg[i * u as usize + c as usize] = r;
                        }
                    }
                    // The last step may write the accumulator if nothing after it reads the old one.
                    Op::AccOut(j, v) if g.s.used[v as usize] == 1 => {
                        g.wanted.extend((0..u).map(|c| (v * u + c, Fixed::acc(j, c), input[j as usize] * u + c)));
                    }
                    _ => {}
                }
            }
            g.wanted.sort_unstable();
        }
        g.zfree = g.zpool;
        g
    }
    fn shared(op: &Op) -> bool {
        matches!(op, Op::Const(..) | Op::Splat(_))
    }
    fn vid(&self, id: Id, c: u32) -> u32 {
        id * self.u + if Self::shared(&self.s.ssa.ops[id as usize]) { 0 } else { c }
    }
    fn args(&self, i: usize, c: u32) -> ([u32; 3], usize) {
        let (a, n) = self.s.ssa.args(&self.s.ssa.ops[i]);
        (a.map(|x| self.vid(x, c)), n)
    }
    /// Is the operation of a value to be done at all?
    fn wants(&self, i: usize) -> bool {
        self.s.used[i] > 0 || matches!(self.s.ssa.ops[i], Op::Store(..) | Op::AccOut(..))
    }
    fn positions(&mut self) {
        let n = self.s.ssa.ops.len();
        let mut count = vec![0u32; n * self.u as usize + 1];
        for pass in 0..2 {
            for i in 0..n {
                if !self.wants(i) {
                    continue;
                }
                for c in 0..self.u {
                    let (a, k) = self.args(i, c);
                    for &v in &a[..k] {
                        if pass == 0 {
                            count[v as usize + 1] += 1;
                        } else {
                            self.uses[self.end[v as usize] as usize] = i as u32 * self.u + c;
                            self.end[v as usize] += 1;
                        }
                    }
                }
            }
            if pass == 0 {
                for v in 1..count.len() {
                    count[v] += count[v - 1];
                }
                self.uses = vec![0; count[count.len() - 1] as usize];
                self.next.copy_from_slice(&count[..count.len() - 1]);
                self.end.copy_from_slice(&count[..count.len() - 1]);
            }
        }
    }
    fn next_use(&self, v: u32) -> u32 {
        let (n, e) = (self.next[v as usize], self.end[v as usize]);
        if n < e { self.uses[n as usize] } else { NEVER }
    }
    /// Past the uses at `at`; registers of values without further use are free.
    fn consume(&mut self, args: &[u32], at: u32) {
        for &v in args {
            while self.next_use(v) <= at {
                self.next[v as usize] += 1;
            }
            if self.next_use(v) == NEVER {
                self.release(v);
            }
        }
    }
    fn op(&self, v: u32) -> Op {
        self.s.ssa.ops[(v / self.u) as usize]
    }
    fn ty(&self, v: u32) -> Ty {
        self.s.ssa.ty[(v / self.u) as usize]
    }
    fn vlen(&self, v: u32) -> Len {
        self.s.len(self.ty(v).size())
    }
    fn release(&mut self, v: u32) {
        let r = self.reg[v as usize];
        if self.ty(v) == Ty::M {
            if r != FREE {
                self.kfree |= 1 << r;
                self.reg[v as usize] = FREE;
            }
        } else if r != FREE && self.zpool >> r & 1 == 1 {
            self.zfree |= 1 << r;
            self.reg[v as usize] = FREE;
        }
        if let Home::Slot(k) = self.home[v as usize] {
            self.left.push(k);
            self.home[v as usize] = Home::None;
        }
    }

    fn slot(&mut self) -> u32 {
        self.free_slots.pop().unwrap_or_else(|| {
            self.s.slots += 1;
            self.s.slots - 1
        })
    }
    fn slot_mem(&self, k: u32) -> Mem {
        Mem::at(RSP, self.s.spills + 64 * k as i32)
    }
    /// A free vector register; a value that is not in `keep` gives one up where there is none.
    fn zalloc(&mut self, keep: &[u32]) -> u8 {
        if self.zfree == 0 {
            let (mut best, mut far) = (0u8, 0);
            for r in 0..32u8 {
                let v = self.zowner[r as usize];
                if self.zpool >> r & 1 == 1 && v != NONE && !keep.contains(&v) && self.next_use(v) >= far {
                    (best, far) = (r, self.next_use(v));
                }
            }
            let v = self.zowner[best as usize];
            if self.home[v as usize] == Home::None {
                let (k, len) = (self.slot(), self.vlen(v));
                self.home[v as usize] = Home::Slot(k);
                let m = Rm::Mem(self.slot_mem(k), unit(len));
                self.s.a.evex(Insn::fp(false, 0x11), len, best, 0, m, 0, false);
            }
            self.reg[v as usize] = FREE;
            self.zfree |= 1 << best;
        }
        let r = self.zfree.trailing_zeros() as u8;
        self.zfree &= !(1 << r);
        self.zowner[r as usize] = NONE;
        r
    }
    fn own(&mut self, v: u32, r: u8) {
        self.reg[v as usize] = r;
        if self.ty(v) == Ty::M {
            self.kowner[r as usize] = v;
            self.kfree &= !(1 << r);
        } else if self.zpool >> r & 1 == 1 {
            self.zowner[r as usize] = v;
            self.zfree &= !(1 << r);
        }
        if self.next_use(v) == NEVER {
            self.release(v);
        }
    }
    /// The register for the result `v`.
    fn dest(&mut self, v: u32) -> u8 {
        if let Ok(i) = self.wanted.binary_search_by_key(&v, |w| w.0) {
            let (_, r, input) = self.wanted[i];
            if self.next_use(input) == NEVER {
                return r;
            }
        }
        self.zalloc(&[])
    }
    fn kalloc(&mut self, keep: &[u32]) -> u8 {
        if self.kfree == 0 {
            let (mut best, mut far) = (2u8, 0);
            for r in 2..8u8 {
                let v = self.kowner[r as usize];
                if !keep.contains(&v) && self.next_use(v) >= far {
                    (best, far) = (r, self.next_use(v));
                }
            }
            let v = self.kowner[best as usize];
            if self.home[v as usize] == Home::None {
                let k = self.slot();
                self.home[v as usize] = Home::Slot(k);
                let m = self.slot_mem(k);
                self.s.a.kmov_mem(0x91, best, m);
            }
            self.reg[v as usize] = FREE;
            self.kfree |= 1 << best;
        }
        let r = self.kfree.trailing_zeros() as u8;
        self.kfree &= !(1 << r);
        r
    }

    /// Where copy `c` of operand `k` is, from the present element on.
    fn operand(&mut self, k: u32, c: u32) -> Mem {
        let size = self.s.size[k as usize];
        let base = match self.s.pinned[k as usize] {
            Some(r) => r,
            None => {
                self.s.a.load(RCX, Mem::at(RDI, 16 * k as i32));
                RCX
            }
        };
        if self.kind == Kind::One {
            return Mem::at(base, 0);
        }
        let disp = (c * self.s.lanes * size) as i32;
        Mem { base, scale: Some(size.trailing_zeros() as u8), disp }
    }
    fn prefetch(&mut self, k: u32, c: u32, m: Mem) {
        let bytes = self.s.lanes * self.s.size[k as usize];
        if self.kind == Kind::Whole && self.s.prefetch > 0 && (c * bytes).is_multiple_of(64) {
            self.s.a.prefetch(Mem { disp: m.disp + self.s.prefetch, ..m });
        }
    }
    fn mask(&self) -> (u8, bool) {
        if self.kind == Kind::Masked { (1, true) } else { (0, false) }
    }

    /// The value in a vector register.
    fn z(&mut self, v: u32, keep: &[u32]) -> u8 {
        if self.reg[v as usize] != FREE {
            return self.reg[v as usize];
        }
        let r = self.zalloc(keep);
        self.fetch(v, r);
        self.own(v, r);
        r
    }
    /// Brings a value to register `r` from where it lies.
    fn fetch(&mut self, v: u32, r: u8) {
        let (len, wide, c) = (self.vlen(v), self.ty(v) == Ty::W64, v % self.u);
        if let Home::Slot(k) = self.home[v as usize] {
            let m = Rm::Mem(self.slot_mem(k), unit(len));
            self.s.a.evex(Insn::fp(false, 0x10), len, r, 0, m, 0, false);
            return;
        }
        let spread = Insn::wide(2, wide, if wide { 0x59 } else { 0x58 });
        let el = if wide { 8 } else { 4 };
        match self.op(v) {
            Op::Const(..) => {
                let at = self.s.pool(v / self.u);
                self.s.a.evex(spread, len, r, 0, Rm::Pool(at, el), 0, false);
            }
            Op::Splat(k) => {
                let m = Mem::at(RSP, self.s.splat[k as usize]);
                self.s.a.evex(spread, len, r, 0, Rm::Mem(m, el), 0, false);
            }
            Op::Load(k) => {
                let m = self.operand(k, c);
                self.load_into(r, m, len, wide);
                self.prefetch(k, c, m);
            }
            _ => debug_assert!(false, "a value that is nowhere"),
        }
    }
    fn load_into(&mut self, r: u8, m: Mem, len: Len, wide: bool) {
        let (k, z) = self.mask();
        if self.kind == Kind::One {
            let i = Insn::new(1, if wide { 3 } else { 2 }, wide, 0x10);
            self.s.a.evex(i, Len::X, r, 0, Rm::Mem(m, if wide { 8 } else { 4 }), 0, false);
        } else {
            self.s.a.evex(Insn::fp(wide, 0x10), len, r, 0, Rm::Mem(m, unit(len)), k, z);
        }
    }
    /// The value as an operand that may be in memory.
    fn rm(&mut self, v: u32, at: u32, keep: &[u32]) -> Rm {
        if self.reg[v as usize] != FREE {
            return Rm::Reg(self.reg[v as usize]);
        }
        // More uses than this one: is it worth a register?
        let again = self.uses.get(self.next[v as usize] as usize + 1..self.end[v as usize] as usize);
        let last = again.is_none_or(|u| u.iter().all(|&u| u <= at));
        let len = self.vlen(v);
        match (self.home[v as usize], self.op(v)) {
            (Home::Slot(k), _) if last => Rm::Mem(self.slot_mem(k), unit(len)),
            (Home::Slot(_), _) => Rm::Reg(self.z(v, keep)),
            (_, Op::Const(..)) => Rm::PoolBc(self.s.pool(v / self.u)),
            (_, Op::Splat(k)) => Rm::Bc(Mem::at(RSP, self.s.splat[k as usize])),
            (_, Op::Load(k)) if last && self.kind != Kind::Masked => {
                let c = v % self.u;
                let m = self.operand(k, c);
                self.prefetch(k, c, m);
                if self.kind == Kind::One { Rm::Bc(m) } else { Rm::Mem(m, unit(len)) }
            }
            _ => Rm::Reg(self.z(v, keep)),
        }
    }
    /// Is it a constant or splat without a register?
    fn afar(&self, v: u32) -> bool {
        self.reg[v as usize] == FREE && self.home[v as usize] == Home::Origin && Self::shared(&self.op(v))
    }
    /// The mask in a register.
    fn k(&mut self, v: u32, keep: &[u32]) -> u8 {
        if self.reg[v as usize] != FREE {
            return self.reg[v as usize];
        }
        let r = self.kalloc(keep);
        if let Home::Slot(k) = self.home[v as usize] {
            let m = self.slot_mem(k);
            self.s.a.kmov_mem(0x90, r, m);
        } else {
            match self.op(v) {
                Op::Const(x, _) => self.s.a.kop(if x == 0 { KXOR } else { KXNOR }, true, r, r, r),
                Op::Splat(k) => self.s.a.kmov_mem(0x90, r, Mem::at(RSP, self.s.splat[k as usize])),
                Op::Load(k) => {
                    let c = v % self.u;
                    let m = self.operand(k, c);
                    self.bytes_to_mask(r, m, keep);
                    self.prefetch(k, c, m);
                }
                _ => debug_assert!(false, "a mask that is nowhere"),
            }
        }
        self.own(v, r);
        r
    }
    /// Sets mask `k` where bytes in memory are not zero.
    fn bytes_to_mask(&mut self, k: u8, m: Mem, keep: &[u32]) {
        let t = self.zalloc(keep);
        if self.s.lanes == 1 {
            self.s.a.evex(Insn::wide(2, false, 0x78), Len::X, t, 0, Rm::Mem(m, 1), 0, false);
            self.s.a.evex(Insn::wide(2, false, 0x26), Len::X, k, t, Rm::Reg(t), 0, false);
        } else {
            // Bytes widened to lanes: the tail mask counts lanes.
            let wide = self.s.lanes == 8;
            let (km, z) = self.mask();
            let widen = Insn::wide(2, false, if wide { 0x32 } else { 0x31 });
            self.s.a.evex(widen, Len::Z, t, 0, Rm::Mem(m, if wide { 8 } else { 16 }), km, z);
            self.s.a.evex(Insn::wide(2, wide, 0x27), Len::Z, k, t, Rm::Reg(t), 0, false);
        }
        self.zfree |= 1 << t;
    }
    /// Writes a mask as bytes of 0 and 1.
    fn mask_to_bytes(&mut self, k: u8, m: Mem, keep: &[u32]) {
        let t = self.zalloc(keep);
        let ones = self.s.ones();
        let bytes = |op| Insn::new(1, 3, false, op);
        self.s.a.evex(bytes(0x6f), Len::X, t, 0, Rm::Pool(ones, 16), k, true);
        match (self.kind, self.s.lanes) {
            (Kind::One, _) => self.s.a.evex(Insn::wide(3, false, 0x14).imm(0), Len::X, t, 0, Rm::Mem(m, 1), 0, false),
            (Kind::Masked, _) => self.s.a.evex(bytes(0x7f), Len::X, t, 0, Rm::Mem(m, 16), 1, false),
            (_, 8) => self.s.a.evex(Insn::wide(1, true, 0xd6), Len::X, t, 0, Rm::Mem(m, 8), 0, false),
            _ => self.s.a.evex(Insn::fp(false, 0x11), Len::X, t, 0, Rm::Mem(m, 16), 0, false),
        }
        self.zfree |= 1 << t;
    }

    /// Writes the body.
    pub(super) fn body(mut self) -> Vec<Stub> {
        for i in 0..self.s.ssa.ops.len() {
            if !self.wants(i) {
                continue;
            }
            for c in 0..self.u {
                self.emit(i, c);
                self.free_slots.append(&mut self.left);
            }
        }
        self.stubs
    }
    fn emit(&mut self, i: usize, c: u32) {
        let (op, at) = (self.s.ssa.ops[i], i as u32 * self.u + c);
        let (a, n) = self.args(i, c);
        let keep = &a[..n];
        let len = |g: &Self| {
            let size = keep.iter().map(|&v| g.ty(v)).max().map_or(0, Ty::size);
            g.s.len(size.max(g.ty(at).size()))
        };
        match op {
            Op::Const(..) | Op::Splat(_) => self.home[i * self.u as usize] = Home::Origin,
            Op::Load(_) => self.home[at as usize] = Home::Origin,
            Op::AccIn(j) => self.acc_in(j, at),
            Op::AccOut(j, _) => self.acc_out(j, c, at, a[0]),
            Op::Store(k, _) => self.store(k, c, at, a[0]),
            Op::Un(ins, _) => {
                // The widening moves of integers take no broadcast element.
                let bare = ins.map == 2 && ins.pp == 1 && matches!(ins.op, 0x25 | 0x35);
                let m = if bare { Rm::Reg(self.z(a[0], keep)) } else { self.rm(a[0], at, keep) };
                let l = len(self);
                self.consume(keep, at);
                let r = self.dest(at);
                self.s.a.evex(ins, l, r, 0, m, 0, false);
                self.own(at, r);
            }
            Op::Down(ins, _) => {
                let (x, l) = (self.z(a[0], keep), len(self));
                self.consume(keep, at);
                let r = self.dest(at);
                self.s.a.evex(ins, l, x, 0, Rm::Reg(r), 0, false);
                self.own(at, r);
            }
            Op::Bin(ins, ..) => {
                let swap = ins.comm && self.reg[a[0] as usize] == FREE && !self.afar(a[1]);
                let (x, y) = if swap { (a[1], a[0]) } else { (a[0], a[1]) };
                let (x, l) = (self.z(x, keep), len(self));
                let m = self.rm(y, at, keep);
                self.consume(keep, at);
                let r = self.dest(at);
                self.s.a.evex(ins, l, r, x, m, 0, false);
                self.own(at, r);
            }
            Op::Shift(ins, ext, _) => {
                let (m, l) = (self.rm(a[0], at, keep), len(self));
                self.consume(keep, at);
                let r = self.dest(at);
                self.s.a.evex(ins, l, ext, r, m, 0, false);
                self.own(at, r);
            }
            Op::Fma(neg, dbl, _) => self.fma(neg, dbl, a, at),
            Op::Cmp(ins, ..) => {
                let (x, l) = (self.z(a[0], keep), len(self));
                let m = self.rm(a[1], at, keep);
                self.consume(keep, at);
                let r = self.kalloc(&[]);
                self.s.a.evex(ins, l, r, x, m, 0, false);
                self.own(at, r);
            }
            Op::Blend(..) => {
                let k = self.k(a[0], keep);
                let (y, l) = (self.z(a[2], keep), len(self));
                let m = self.rm(a[1], at, keep);
                self.consume(keep, at);
                let r = self.dest(at);
                self.s.a.evex(Insn::wide(2, self.ty(at) == Ty::W64, 0x65), l, r, y, m, k, false);
                self.own(at, r);
            }
            Op::Kbin(code, ..) => {
                let (x, y) = (self.k(a[0], keep), self.k(a[1], keep));
                self.consume(keep, at);
                let r = self.kalloc(&[]);
                self.s.a.kop(code, true, r, x, y);
                self.own(at, r);
            }
            Op::Knot(_) => {
                let x = self.k(a[0], keep);
                self.consume(keep, at);
                let r = self.kalloc(&[]);
                self.s.a.kop(0x44, false, r, 0, x);
                self.own(at, r);
            }
            Op::Patch(p, _) => self.patch(p, a, at),
            Op::Call(f, _) => self.call(f, keep, at),
        }
    }

    fn fma(&mut self, neg: bool, dbl: bool, a: [u32; 3], at: u32) {
        let len = self.vlen(at);
        let form = |f: u8| Insn::wide(2, dbl, (f | 8) + if neg { 4 } else { 0 });
        let (f132, f213, f231) = (form(0x90), form(0xa0), form(0xb0));
        let [x, y, z] = if self.afar(a[0]) { [a[1], a[0], a[2]] } else { a };
        // May the register of a value be overwritten?
        let dies = |g: &Self, v: u32| {
            let u = &g.uses[g.next[v as usize] as usize..g.end[v as usize] as usize];
            let fixed = g.reg[v as usize] != FREE && g.zpool >> g.reg[v as usize] & 1 == 0;
            !fixed && !g.afar(v) && u.iter().all(|&u| u <= at)
        };
        let (ins, d, v, m);
        if dies(self, z) {
            (ins, d, v) = (f231, self.z(z, &a), self.z(x, &a));
            m = self.rm(y, at, &a);
        } else if dies(self, x) {
            d = self.z(x, &a);
            let swap = self.afar(y);
            ins = if swap { f132 } else { f213 };
            v = self.z(if swap { z } else { y }, &a);
            m = self.rm(if swap { y } else { z }, at, &a);
        } else if dies(self, y) {
            (ins, d, v) = (f213, self.z(y, &a), self.z(x, &a));
            m = self.rm(z, at, &a);
        } else {
            v = self.z(x, &a);
            if self.afar(y) && !self.afar(z) {
                (ins, m) = (f213, self.rm(z, at, &a));
                d = self.zalloc(&a);
                self.fetch(y, d);
            } else {
                // An operand before the address of another: both may go through rcx.
                let old = if self.afar(z) { None } else { Some(self.z(z, &a)) };
                (ins, m) = (f231, self.rm(y, at, &a));
                d = self.zalloc(&a);
                match old {
                    Some(r) => self.s.a.evex(Insn::fp(false, 0x28), len, d, 0, Rm::Reg(r), 0, false),
                    None => self.fetch(z, d),
                }
            }
        }
        self.s.a.evex(ins, len, d, v, m, 0, false);
        self.consume(&a, at);
        // The register changes owner, whoever had it.
        self.zfree |= 1 << d;
        self.own(at, d);
    }

    fn store(&mut self, k: u32, c: u32, at: u32, v: u32) {
        if self.ty(v) == Ty::M {
            let r = self.k(v, &[v]);
            let m = self.operand(k, c);
            self.mask_to_bytes(r, m, &[v]);
        } else {
            let (r, len, wide) = (self.z(v, &[v]), self.vlen(v), self.ty(v) == Ty::W64);
            let m = self.operand(k, c);
            if self.kind == Kind::One {
                let i = Insn::new(1, if wide { 3 } else { 2 }, wide, 0x11);
                self.s.a.evex(i, Len::X, r, 0, Rm::Mem(m, if wide { 8 } else { 4 }), 0, false);
            } else {
                let nt = self.kind == Kind::Whole && self.s.stream && self.s.nt[k as usize];
                let i = Insn::fp(wide, if nt { 0x2b } else { 0x11 });
                self.s.a.evex(i, len, r, 0, Rm::Mem(m, unit(len)), self.mask().0, false);
            }
        }
        self.consume(&[v], at);
    }

    /// Where the lanes of accumulators for copy `c` are.
    fn acc_mem(&mut self, j: u32, c: u32) -> Mem {
        let (size, base) = (self.s.reds[j as usize], 256 * j as i32);
        if self.kind == Kind::One {
            return Mem::at(RDX, base);
        }
        // rcx = rdx + (bytes before this vector, mod the bytes of the lanes)
        let bytes = Mem { base: RCX, scale: Some(size.trailing_zeros() as u8), disp: 0 };
        self.s.a.bytes(&[0x31, 0xc9]);
        self.s.a.lea(RCX, bytes);
        // movzx ecx, cl, or and ecx, 63
        self.s.a.bytes(if size == 1 { &[0x83, 0xe1, 0x3f] } else { &[0x0f, 0xb6, 0xc9] });
        self.s.a.gg(0x01, RCX, RDX);
        Mem::at(RCX, base + (c * self.s.lanes * size) as i32)
    }
    fn acc_in(&mut self, j: u32, at: u32) {
        if self.reg[at as usize] != FREE {
            return;
        }
        let m = self.acc_mem(j, at % self.u);
        let (len, wide) = (self.vlen(at), self.ty(at) == Ty::W64);
        if self.ty(at) == Ty::M {
            let r = self.kalloc(&[]);
            // Whole bytes also under the tail mask: accumulators are all there.
            let kind = std::mem::replace(&mut self.kind, Kind::Whole);
            self.bytes_to_mask(r, m, &[]);
            self.kind = kind;
            self.own(at, r);
        } else {
            let r = self.zalloc(&[]);
            let kind = self.kind;
            if kind == Kind::Masked {
                self.kind = Kind::Whole;
            }
            self.load_into(r, m, len, wide);
            self.kind = kind;
            self.own(at, r);
        }
    }
    fn acc_out(&mut self, j: u32, c: u32, at: u32, v: u32) {
        if self.ty(v) == Ty::M {
            let r = self.k(v, &[v]);
            let m = self.acc_mem(j, c);
            self.mask_to_bytes(r, m, &[v]);
        } else {
            let (r, len, wide) = (self.z(v, &[v]), self.vlen(v), self.ty(v) == Ty::W64);
            let fixed = Fixed::acc(j, c);
            if self.accs {
                if r != fixed {
                    self.s.a.evex(Insn::fp(false, 0x28), len, fixed, 0, Rm::Reg(r), 0, false);
                }
            } else {
                let m = self.acc_mem(j, c);
                if self.kind == Kind::One {
                    let i = Insn::new(1, if wide { 3 } else { 2 }, wide, 0x11);
                    self.s.a.evex(i, Len::X, r, 0, Rm::Mem(m, if wide { 8 } else { 4 }), 0, false);
                } else {
                    let k = self.mask().0;
                    self.s.a.evex(Insn::fp(wide, 0x11), len, r, 0, Rm::Mem(m, unit(len)), k, false);
                }
            }
        }
        self.consume(&[v], at);
    }

    fn patch(&mut self, p: u32, [m, x, v]: [u32; 3], at: u32) {
        let keep = [m, x, v];
        let (k, rx, rv) = (self.k(m, &keep), self.z(x, &keep), self.z(v, &keep));
        let (out, back) = (self.s.a.label(), self.s.a.label());
        let len = self.vlen(at);
        // A register of its own, which the jump out of line changes.
        let r = self.zalloc(&keep);
        self.s.a.evex(Insn::fp(false, 0x28), len, r, 0, Rm::Reg(rv), 0, false);
        self.s.a.kop(0x98, false, k, 0, k);
        self.s.a.jcc(5, out);
        self.s.a.bind(back);
        self.stubs.push(Stub { out, back, patch: p, dbl: self.ty(at) == Ty::W64, x: rx, v: r, k });
        self.consume(&keep, at);
        self.own(at, r);
    }
    fn call(&mut self, f: u32, args: &[u32], at: u32) {
        for (j, &v) in args.iter().enumerate() {
            let place = Mem::at(RSP, self.s.area + 64 * j as i32);
            if self.ty(v) == Ty::M {
                let r = self.k(v, args);
                let kind = std::mem::replace(&mut self.kind, Kind::Whole);
                self.mask_to_bytes(r, place, args);
                self.kind = kind;
            } else {
                let (r, len) = (self.z(v, args), self.vlen(v));
                self.s.a.evex(Insn::fp(false, 0x11), len, r, 0, Rm::Mem(place, unit(len)), 0, false);
            }
        }
        let callee = self.s.ssa.calls[f as usize].f;
        self.s.call_out(callee as usize, u64::from(self.s.lanes));
        self.consume(args, at);
        let result = Mem::at(RSP, self.s.area + 192);
        if self.ty(at) == Ty::M {
            let r = self.kalloc(&[]);
            let kind = std::mem::replace(&mut self.kind, Kind::Whole);
            self.bytes_to_mask(r, result, &[]);
            self.kind = kind;
            self.own(at, r);
        } else {
            let (r, len) = (self.dest(at), self.vlen(at));
            self.s.a.evex(Insn::fp(false, 0x10), len, r, 0, Rm::Mem(result, unit(len)), 0, false);
            self.own(at, r);
        }
    }
}
/// Bytes of a vector.
pub(super) fn unit(len: Len) -> u8 {
    16 << len as u8
}
