//! Registers: a linear scan over one body that gives every value a place, with Belady's choice of victim where registers
//! run out. Constants and splats are memory operands until a register is worth it, and loads fold into their only use.
//!
//! Vector registers of the pool and mask registers k2 to k7 are handed out; k1 holds the tail mask. rax counts elements,
//! rcx and r11 are free for addresses, rdi holds the table, rdx the accumulators, rsp the frame.
use super::Ahead;
use super::asm::*;
use super::lower::{KXNOR, KXOR};
use super::shared::{Fixed, Kind, NONE, Once, Place, Shared, Stub, unit};
use super::ssa::{Grow, Id, Op, Ty};

pub(crate) const FREE: u8 = u8::MAX;
const NEVER: u32 = u32::MAX;
/// AVX2: the tail mask.
pub(crate) const TAIL: u8 = 15;

/// Where a value can be fetched from when it is in no register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    /// Nowhere.
    None,
    /// A spill slot.
    Slot(u32),
    /// The constant pool, the frame, or an operand: by what the value is.
    Origin,
}

/// One body being written.
pub(crate) struct Gen<'s, 'a> {
    pub(crate) s: &'s mut Shared<'a>,
    pub(crate) kind: Kind,
    pub(crate) u: u32,
    /// Uses of each value by position, one after the other; where a value's begin, and the next of them.
    pub(crate) uses: Vec<u32>,
    pub(crate) next: Vec<u32>,
    pub(crate) end: Vec<u32>,
    pub(crate) reg: Vec<u8>,
    pub(crate) home: Vec<Home>,
    pub(crate) zfree: u32,
    pub(crate) zowner: [u32; 32],
    pub(crate) kfree: u8,
    pub(crate) kowner: [u32; 8],
    /// Registers that allocation may hand out.
    pub(crate) zpool: u32,
    pub(crate) free_slots: Vec<u32>,
    /// Slots that the instruction being written may still read.
    pub(crate) left: Vec<u32>,
    /// Registers that a value should be computed into.
    pub(crate) wanted: Vec<(u32, u8, u32)>,
    /// Whether reductions are kept in registers.
    pub(crate) accs: bool,
    pub(crate) stubs: Vec<Stub>,
}

impl<'s, 'a> Gen<'s, 'a> {
    pub(crate) fn new(s: &'s mut Shared<'a>, kind: Kind, u: u32, fixed: &Fixed) -> Self {
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
            // AVX2: ymm15 holds the tail mask.
            zpool: if s.a.vex { 0x7fff } else { !0 },
            free_slots: vec![],
            left: vec![],
            wanted: vec![],
            accs: fixed.accs,
            stubs: vec![],
            s,
        };
        g.positions();
        for id in 0..g.s.ssa.ops.len() as Id {
            if g.lasts(id) {
                g.home[(id * u) as usize] = Home::Origin;
            }
        }
        g.zpool &= !fixed.others;
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
    /// Whether the body finds the value in memory, one for all copies.
    pub(crate) fn lasts(&self, id: Id) -> bool {
        match self.s.ssa.ops[id as usize] {
            Op::Const(..) | Op::Splat(_) => true,
            _ => self.kind != Kind::Before && matches!(self.s.fixed[id as usize], Once::Kept(_)),
        }
    }
    fn vid(&self, id: Id, c: u32) -> u32 {
        id * self.u + if self.lasts(id) { 0 } else { c }
    }
    pub(crate) fn args(&self, i: usize, c: u32) -> ([u32; 3], usize) {
        let (a, n) = self.s.ssa.args(&self.s.ssa.ops[i]);
        (a.map(|x| self.vid(x, c)), n)
    }
    /// Whether the operation of a value is to be done at all.
    pub(crate) fn wants(&self, i: usize) -> bool {
        match self.s.ssa.ops[i] {
            Op::Const(..) | Op::Splat(_) => false,
            Op::Store(..) | Op::AccOut(..) => self.kind != Kind::Before,
            _ => self.s.used[i] > 0 && (self.kind == Kind::Before) == (self.s.fixed[i] != Once::No),
        }
    }
    /// The place in the frame that the operation's value goes to.
    pub(crate) fn keeps(&self, i: usize) -> Option<i32> {
        match self.s.fixed[i] {
            Once::Kept(at) if self.kind == Kind::Before => Some(at),
            _ => None,
        }
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
                    let at = i as u32 * self.u + c;
                    let (a, k) = self.args(i, c);
                    // Putting a value into the frame uses it.
                    let kept = self.keeps(i).map(|_| at);
                    for v in a[..k].iter().copied().chain(kept) {
                        if pass == 0 {
                            count[v as usize + 1] += 1;
                        } else {
                            self.uses[self.end[v as usize] as usize] = at;
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
    pub(crate) fn next_use(&self, v: u32) -> u32 {
        let (n, e) = (self.next[v as usize], self.end[v as usize]);
        if n < e { self.uses[n as usize] } else { NEVER }
    }
    /// Past the uses at `at`; registers of values without further use are free.
    pub(crate) fn consume(&mut self, args: &[u32], at: u32) {
        for &v in args {
            while self.next_use(v) <= at {
                self.next[v as usize] += 1;
            }
            if self.next_use(v) == NEVER {
                self.release(v);
            }
        }
    }
    pub(crate) fn op(&self, v: u32) -> Op {
        self.s.ssa.ops[(v / self.u) as usize]
    }
    pub(crate) fn ty(&self, v: u32) -> Ty {
        self.s.ssa.ty[(v / self.u) as usize]
    }
    pub(crate) fn vlen(&self, v: u32) -> Len {
        self.s.len(self.ty(v).size())
    }
    pub(crate) fn release(&mut self, v: u32) {
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
        Mem::at(RSP, self.s.spills + self.s.slot_bytes() * k as i32)
    }
    /// A free vector register; a value that is not in `keep` gives one up where there is none.
    pub(crate) fn zalloc(&mut self, keep: &[u32]) -> u8 {
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
    pub(crate) fn own(&mut self, v: u32, r: u8) {
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
    pub(crate) fn dest(&mut self, v: u32) -> u8 {
        if let Ok(i) = self.wanted.binary_search_by_key(&v, |w| w.0) {
            let (_, r, input) = self.wanted[i];
            if self.next_use(input) == NEVER {
                return r;
            }
        }
        self.zalloc(&[])
    }
    pub(crate) fn kalloc(&mut self, keep: &[u32]) -> u8 {
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
    pub(crate) fn operand(&mut self, k: u32, c: u32) -> Mem {
        let size = self.s.size[k as usize];
        let base = match (self.s.pinned[k as usize], self.s.place[k as usize]) {
            (_, Place::Frame(at)) => return Mem::at(RSP, at),
            (Some(r), _) => r,
            (None, place) => {
                self.s.a.load(RCX, place.entry());
                RCX
            }
        };
        if self.kind == Kind::One {
            return Mem::at(base, 0);
        }
        let disp = (c * self.s.lanes * size) as i32;
        Mem { base, scale: Some(size.trailing_zeros() as u8), disp }
    }
    /// Prefetches what belongs to a load whose address has no register; for the others the body does.
    pub(crate) fn prefetch(&mut self, k: u32, c: u32, m: Mem) {
        if self.s.pinned[k as usize].is_none()
            && let Some(m) = self.far(k, c, m)
        {
            self.s.a.prefetch(m);
        }
    }
    /// What copy `c` prefetches of operand `k`, of which it loads from `m`.
    fn far(&self, k: u32, c: u32, m: Mem) -> Option<Mem> {
        let size = self.s.size[k as usize];
        if self.kind != Kind::Whole || !(c * self.s.lanes * size).is_multiple_of(64) {
            return None;
        }
        match (self.s.prefetch[k as usize], self.s.reach[k as usize]) {
            (Ahead::Bytes(b), _) if b > 0 => Some(Mem { disp: m.disp + b as i32, ..m }),
            // A part of the next row while this one passes whole.
            (Ahead::Row { part, .. }, Some(base)) if c < (self.u >> part).max(1) => {
                let scale = (size.trailing_zeros() as u8).saturating_sub(part);
                Some(Mem { base, scale: Some(scale), disp: (c * self.s.lanes * size) as i32 })
            }
            _ => None,
        }
    }
    /// All that the body prefetches through addresses in registers, the first copy's first. Memory serves a few lines at
    /// a time, so they are written evenly among the other instructions (Σ exp(−a²) b in f64: a fifth faster).
    pub(crate) fn prefetches(&mut self) -> Vec<Mem> {
        let mut all = vec![];
        if self.kind != Kind::Whole || self.s.prefetch.iter().all(|&a| a == Ahead::Bytes(0)) {
            return all;
        }
        for c in 0..self.u {
            for i in 0..self.s.ssa.ops.len() {
                if let (Op::Load(k), true) = (self.s.ssa.ops[i], self.wants(i))
                    && self.s.pinned[k as usize].is_some()
                {
                    let m = self.operand(k, c);
                    all.extend(self.far(k, c, m));
                }
            }
        }
        all
    }
    pub(crate) fn mask(&self) -> (u8, bool) {
        if self.kind == Kind::Masked { (1, true) } else { (0, false) }
    }

    /// The value in a vector register.
    pub(crate) fn z(&mut self, v: u32, keep: &[u32]) -> u8 {
        if self.reg[v as usize] != FREE {
            return self.reg[v as usize];
        }
        let r = self.zalloc(keep);
        self.fetch(v, r);
        self.own(v, r);
        r
    }
    /// Brings a value to register `r` from where it lies.
    pub(crate) fn fetch(&mut self, v: u32, r: u8) {
        let (len, wide, c) = (self.vlen(v), self.ty(v) == Ty::W64, v % self.u);
        if let Home::Slot(k) = self.home[v as usize] {
            let m = Rm::Mem(self.slot_mem(k), unit(len));
            self.s.a.evex(Insn::fp(false, 0x10), len, r, 0, m, 0, false);
            return;
        }
        let spread = Insn::wide(2, wide, if wide { 0x59 } else { 0x58 });
        let el = if wide { 8 } else { 4 };
        if let Once::Kept(at) = self.s.fixed[(v / self.u) as usize] {
            let m = Rm::Mem(Mem::at(RSP, at), unit(len));
            self.s.a.evex(Insn::fp(false, 0x10), len, r, 0, m, 0, false);
            return;
        }
        match self.op(v) {
            Op::Const(..) if self.s.a.vex => {
                let at = self.s.pool(v / self.u);
                self.s.a.evex(Insn::fp(false, 0x10), len, r, 0, Rm::Pool(at), 0, false);
            }
            Op::Splat(k) if self.s.a.vex => {
                let m = Mem::at(RSP, self.s.splat[k as usize]);
                self.s.a.evex(Insn::fp(false, 0x10), len, r, 0, Rm::Mem(m, 32), 0, false);
            }
            Op::Const(..) => {
                let at = self.s.pool(v / self.u);
                self.s.a.evex(spread, len, r, 0, Rm::Pool(at), 0, false);
            }
            Op::Splat(k) => {
                let m = Mem::at(RSP, self.s.splat[k as usize]);
                self.s.a.evex(spread, len, r, 0, Rm::Mem(m, el), 0, false);
            }
            Op::Load(k) => {
                let m = self.operand(k, c);
                match self.s.ssa.grow(k) {
                    Some(g) => self.load_grown(r, m, len, g),
                    None => self.load_into(r, m, len, wide, self.mask()),
                }
                self.prefetch(k, c, m);
            }
            _ => debug_assert!(false, "a value that is nowhere"),
        }
    }
    pub(crate) fn load_into(&mut self, r: u8, m: Mem, len: Len, wide: bool, (k, z): (u8, bool)) {
        if self.kind == Kind::One {
            let i = Insn::new(1, if wide { 3 } else { 2 }, wide, 0x10);
            self.s.a.evex(i, Len::X, r, 0, Rm::Mem(m, if wide { 8 } else { 4 }), 0, false);
        } else if self.s.a.vex && k != 0 {
            let part = Insn::wide(2, false, if wide { 0x2d } else { 0x2c });
            self.s.a.evex(part, len, r, TAIL, Rm::Mem(m, 1), 0, false);
        } else {
            self.s.a.evex(Insn::fp(wide, 0x10), len, r, 0, Rm::Mem(m, unit(len)), k, z);
        }
    }
    /// Loads elements that grow.
    fn load_grown(&mut self, r: u8, m: Mem, len: Len, g: Grow) {
        if self.kind == Kind::One {
            self.s.a.evex(g.one(), Len::X, r, 0, Rm::Mem(m, g.size() as u8), 0, false);
            self.s.a.evex(g.grown(), Len::X, r, 0, Rm::Reg(r), 0, false);
        } else {
            let (k, z) = self.mask();
            self.s.a.evex(g.grown(), len, r, 0, Rm::Mem(m, g.part(unit(len).into()) as u8), k, z);
        }
    }
    /// Stores the low bits of the lanes of `v`, which are in `r`. `nt`: past the caches, by way of a register.
    pub(crate) fn store_cut(&mut self, (r, v): (u8, u32), m: Mem, len: Len, g: Grow, nt: bool) {
        let part = g.part(unit(len).into()) as u8;
        let past = [Len::X, Len::Y].into_iter().find(|&l| nt && unit(l) == part);
        if self.kind == Kind::One {
            self.s.a.evex(g.first(), Len::X, r, 0, Rm::Mem(m, g.size() as u8), 0, false);
        } else if let Some(l) = past {
            let t = self.zalloc(&[v]);
            self.s.a.evex(g.cut(), len, r, 0, Rm::Reg(t), 0, false);
            self.s.a.evex(Insn::fp(false, 0x2b), l, t, 0, Rm::Mem(m, part), 0, false);
            self.zfree |= 1 << t;
        } else {
            self.s.a.evex(g.cut(), len, r, 0, Rm::Mem(m, part), self.mask().0, false);
        }
    }
    /// Stores the lanes of a body: the element, or the lanes under the tail mask. `nt`: past the caches.
    pub(crate) fn store_from(&mut self, r: u8, m: Mem, len: Len, wide: bool, nt: bool) {
        if self.kind == Kind::One {
            let i = Insn::new(1, if wide { 3 } else { 2 }, wide, 0x11);
            self.s.a.evex(i, Len::X, r, 0, Rm::Mem(m, if wide { 8 } else { 4 }), 0, false);
        } else if self.s.a.vex && self.kind == Kind::Masked {
            let part = Insn::wide(2, false, if wide { 0x2f } else { 0x2e });
            self.s.a.evex(part, len, r, TAIL, Rm::Mem(m, 1), 0, false);
        } else {
            let i = Insn::fp(wide, if nt { 0x2b } else { 0x11 });
            self.s.a.evex(i, len, r, 0, Rm::Mem(m, unit(len)), self.mask().0, false);
        }
    }
    /// The value as an operand that may be in memory.
    pub(crate) fn rm(&mut self, v: u32, at: u32, keep: &[u32]) -> Rm {
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
            (Home::Origin, op) if !matches!(op, Op::Const(..) | Op::Splat(_) | Op::Load(_)) => {
                match self.s.fixed[(v / self.u) as usize] {
                    Once::Kept(at) => Rm::Mem(Mem::at(RSP, at), unit(len)),
                    _ => Rm::Reg(self.z(v, keep)),
                }
            }
            (_, Op::Const(..)) if self.s.a.vex => Rm::Pool(self.s.pool(v / self.u)),
            (_, Op::Splat(k)) if self.s.a.vex => Rm::Mem(Mem::at(RSP, self.s.splat[k as usize]), 32),
            (_, Op::Const(..)) => Rm::PoolBc(self.s.pool(v / self.u)),
            (_, Op::Splat(k)) => Rm::Bc(Mem::at(RSP, self.s.splat[k as usize])),
            (_, Op::Load(k))
                if last
                    && self.kind != Kind::Masked
                    && !(self.s.a.vex && self.kind == Kind::One)
                    && self.s.ssa.grow(k).is_none() =>
            {
                let c = v % self.u;
                let m = self.operand(k, c);
                self.prefetch(k, c, m);
                if self.kind == Kind::One { Rm::Bc(m) } else { Rm::Mem(m, unit(len)) }
            }
            _ => Rm::Reg(self.z(v, keep)),
        }
    }
    /// Whether the value is a constant or splat without a register.
    pub(crate) fn afar(&self, v: u32) -> bool {
        self.reg[v as usize] == FREE && self.home[v as usize] == Home::Origin && self.lasts(v / self.u)
    }
    /// The mask in a register.
    pub(crate) fn k(&mut self, v: u32, keep: &[u32]) -> u8 {
        if self.reg[v as usize] != FREE {
            return self.reg[v as usize];
        }
        let r = self.kalloc(keep);
        if let Home::Slot(k) = self.home[v as usize] {
            let m = self.slot_mem(k);
            self.s.a.kmov_mem(0x90, r, m);
        } else {
            match self.op(v) {
                _ if let Once::Kept(at) = self.s.fixed[(v / self.u) as usize] => {
                    self.s.a.kmov_mem(0x90, r, Mem::at(RSP, at));
                }
                Op::Const(x, _) => self.s.a.kop(if x == 0 { KXOR } else { KXNOR }, true, r, r, r),
                Op::Splat(k) => self.s.a.kmov_mem(0x90, r, Mem::at(RSP, self.s.splat[k as usize])),
                Op::Load(k) => {
                    let c = v % self.u;
                    let m = self.operand(k, c);
                    self.bytes_to_mask(r, m, self.mask(), keep);
                    self.prefetch(k, c, m);
                }
                _ => debug_assert!(false, "a mask that is nowhere"),
            }
        }
        self.own(v, r);
        r
    }
    /// Sets mask `k` where bytes in memory are not zero (and the lane is in the given mask).
    pub(crate) fn bytes_to_mask(&mut self, k: u8, m: Mem, (km, z): (u8, bool), keep: &[u32]) {
        let t = self.zalloc(keep);
        if self.s.lanes == 1 {
            self.s.a.evex(Insn::wide(2, false, 0x78), Len::X, t, 0, Rm::Mem(m, 1), 0, false);
            self.s.a.evex(Insn::wide(2, false, 0x26), Len::X, k, t, Rm::Reg(t), 0, false);
        } else {
            // Bytes widened to lanes: the tail mask counts lanes.
            let wide = self.s.lanes == 8;
            let widen = Insn::wide(2, false, if wide { 0x32 } else { 0x31 });
            self.s.a.evex(widen, Len::Z, t, 0, Rm::Mem(m, if wide { 8 } else { 16 }), km, z);
            self.s.a.evex(Insn::wide(2, wide, 0x27), Len::Z, k, t, Rm::Reg(t), 0, false);
        }
        self.zfree |= 1 << t;
    }
    /// Writes a mask as bytes of 0 and 1, as many as a body of that kind has elements.
    pub(crate) fn mask_to_bytes(&mut self, k: u8, m: Mem, kind: Kind, keep: &[u32]) {
        let t = self.zalloc(keep);
        let ones = self.s.ones();
        let bytes = |op| Insn::new(1, 3, false, op);
        self.s.a.evex(bytes(0x6f), Len::X, t, 0, Rm::Pool(ones), k, true);
        match (kind, self.s.lanes) {
            (Kind::One, _) => self.s.a.evex(Insn::wide(3, false, 0x14).imm(0), Len::X, t, 0, Rm::Mem(m, 1), 0, false),
            (Kind::Masked, _) => self.s.a.evex(bytes(0x7f), Len::X, t, 0, Rm::Mem(m, 16), 1, false),
            (_, 8) => self.s.a.evex(Insn::wide(1, true, 0xd6), Len::X, t, 0, Rm::Mem(m, 8), 0, false),
            _ => self.s.a.evex(Insn::fp(false, 0x11), Len::X, t, 0, Rm::Mem(m, 16), 0, false),
        }
        self.zfree |= 1 << t;
    }
}
