//! Bodies: the instructions of each operation of a program, once its operands have places.
use super::alloc::{FREE, Gen, Home, TAIL};
use super::asm::*;
use super::lower::{KAND, KNOT};
use super::shared::{Fixed, Kind, Stub, unit};
use super::ssa::{Op, Ty};

impl Gen<'_, '_> {
    /// Writes the body.
    pub(crate) fn body(mut self) -> Vec<Stub> {
        let far = self.prefetches();
        let all = if far.is_empty() { 0 } else { (0..self.s.ssa.ops.len()).filter(|&i| self.wants(i)).count() };
        let (all, mut done, mut far) = (all * self.u as usize, 0, far.into_iter().enumerate().peekable());
        let count = far.len();
        for i in 0..self.s.ssa.ops.len() {
            if !self.wants(i) {
                continue;
            }
            for c in 0..self.u {
                while let Some((_, m)) = far.next_if(|&(j, _)| j * all <= done * count) {
                    self.s.a.prefetch(m);
                }
                done += 1;
                self.emit(i, c);
                if let Some(place) = self.keeps(i) {
                    self.keep(i as u32, place);
                }
                self.free_slots.append(&mut self.left);
            }
        }
        self.stubs
    }
    /// Puts a value into the frame for the loops.
    fn keep(&mut self, v: u32, place: i32) {
        let m = Mem::at(RSP, place);
        if self.ty(v) == Ty::M {
            let r = self.k(v, &[v]);
            self.s.a.kmov_mem(0x91, r, m);
        } else {
            let (r, len) = (self.z(v, &[v]), self.vlen(v));
            self.s.a.evex(Insn::fp(false, 0x11), len, r, 0, Rm::Mem(m, unit(len)), 0, false);
        }
        self.consume(&[v], v);
    }
    fn emit(&mut self, i: usize, c: u32) {
        let (op, at) = (self.s.ssa.ops[i], i as u32 * self.u + c);
        let (a, n) = self.args(i, c);
        let keep = &a[..n];
        match op {
            Op::Const(..) | Op::Splat(_) | Op::Load(_) => self.home[at as usize] = Home::Origin,
            Op::AccIn(j) => self.acc_in(j, at),
            Op::AccOut(j, _) => self.acc_out(j, c, at, a[0]),
            Op::Store(k, _) => self.store(k, c, at, a[0]),
            Op::Fma(neg, dbl, _) => self.fma(neg, dbl, a, at),
            Op::Lookup(k, _) => self.lookup(k, a[0], at),
            Op::Patch(p, _) => self.patch(p, a, at),
            Op::Call(f, _) => self.call(f, keep, at),
            Op::Cmp(..) | Op::Kbin(..) | Op::Knot(_) => self.mask_op(op, keep, at),
            Op::Un(..) | Op::Down(..) | Op::Bin(..) | Op::Shift(..) | Op::Blend(..) => self.vector_op(op, keep, at),
        }
    }
    /// Length of an instruction: that of its widest value.
    fn length(&self, a: &[u32], at: u32) -> Len {
        let size = a.iter().map(|&v| self.ty(v).size()).max().unwrap_or(0);
        self.s.len(size.max(self.ty(at).size()))
    }
    fn vector_op(&mut self, op: Op, a: &[u32], at: u32) {
        let len = self.length(a, at);
        // Instruction, register field (unless it is the result), first source, second source, mask.
        let (ins, field, v, m, k) = match op {
            // What reads half a register takes no broadcast element, and half of what would lie in memory.
            Op::Un(i, _) if i.map == 2 && i.pp == 1 && matches!(i.op, 0x13 | 0x25 | 0x33 | 0x35) => {
                (i, None, None, Rm::Reg(self.z(a[0], a)), 0)
            }
            Op::Un(i, _) => (i, None, None, self.rm(a[0], at, a), 0),
            Op::Down(i, _) => (i, Some(self.z(a[0], a)), None, Rm::Reg(0), 0),
            Op::Shift(i, ext, _) if self.s.a.vex => (i, Some(ext), None, Rm::Reg(self.z(a[0], a)), 0),
            Op::Shift(i, ext, _) => (i, Some(ext), None, self.rm(a[0], at, a), 0),
            Op::Bin(i, ..) => {
                let swap = i.comm && self.reg[a[0] as usize] == FREE && !self.afar(a[1]);
                let (x, y) = if swap { (a[1], a[0]) } else { (a[0], a[1]) };
                let x = self.z(x, a);
                (i, None, Some(x), self.rm(y, at, a), 0)
            }
            _ if self.s.a.vex => {
                // The mask is named by the immediate.
                let (k, y) = (self.z(a[0], a), self.z(a[2], a));
                let i = Insn::wide(3, false, if self.ty(at) == Ty::W64 { 0x4b } else { 0x4a });
                (i.imm(k << 4), None, Some(y), self.rm(a[1], at, a), 0)
            }
            _ => {
                let k = self.k(a[0], a);
                let y = self.z(a[2], a);
                (Insn::wide(2, self.ty(at) == Ty::W64, 0x65), None, Some(y), self.rm(a[1], at, a), k)
            }
        };
        self.consume(a, at);
        let r = self.dest(at);
        match (op, field) {
            // The result is the operand that could be memory, or the one that the prefix names.
            (Op::Down(..), Some(x)) => self.s.a.evex(ins, len, x, 0, Rm::Reg(r), 0, false),
            (_, Some(ext)) => self.s.a.evex(ins, len, ext, r, m, 0, false),
            _ => self.s.a.evex(ins, len, r, v.unwrap_or(0), m, k, false),
        }
        self.own(at, r);
    }
    fn mask_op(&mut self, op: Op, a: &[u32], at: u32) {
        if let Op::Cmp(ins, ..) = op {
            let (x, len) = (self.z(a[0], a), self.length(a, at));
            let m = self.rm(a[1], at, a);
            self.consume(a, at);
            let r = self.kalloc(&[]);
            self.s.a.evex(ins, len, r, x, m, 0, false);
            self.own(at, r);
            return;
        }
        let x = self.k(a[0], a);
        let y = if a.len() > 1 { self.k(a[1], a) } else { x };
        self.consume(a, at);
        let r = self.kalloc(&[]);
        match op {
            Op::Kbin(code, ..) => self.s.a.kop(code, true, r, x, y),
            _ => self.s.a.kop(KNOT, false, r, 0, x),
        }
        self.own(at, r);
    }

    /// On whole registers, however few lanes there are: the table has sixteen entries.
    fn lookup(&mut self, k: u32, x: u32, at: u32) {
        let (i, wide, table) = (self.z(x, &[x]), self.ty(x) == Ty::W64, self.s.table(k));
        if wide {
            // The first half of the table is replaced by the result.
            let r = self.zalloc(&[x]);
            self.s.a.evex(Insn::fp(true, 0x10), Len::Z, r, 0, Rm::Pool(table), 0, false);
            self.s.a.evex(Insn::wide(2, true, 0x7f), Len::Z, r, i, Rm::Pool(table + 64), 0, false);
            self.consume(&[x], at);
            self.own(at, r);
        } else {
            self.consume(&[x], at);
            let r = self.dest(at);
            self.s.a.evex(Insn::wide(2, false, 0x16), Len::Z, r, i, Rm::Pool(table), 0, false);
            self.own(at, r);
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
            self.mask_to_bytes(r, m, self.kind, &[v]);
        } else {
            let (r, len, wide) = (self.z(v, &[v]), self.vlen(v), self.ty(v) == Ty::W64);
            let m = self.operand(k, c);
            let nt = self.kind == Kind::Whole && self.s.stream && self.s.nt[k as usize];
            match self.s.ssa.grow(k) {
                Some(g) => self.store_cut((r, v), m, len, g, nt),
                None => self.store_from(r, m, len, wide, nt),
            }
            // The register that holds the place holds the value as well.
            if let Some(&(to, _)) = self.s.place[k as usize].frame().and_then(|at| self.s.held.get(&at)) {
                self.s.a.evex(Insn::fp(false, 0x28), len, to, 0, Rm::Reg(r), 0, false);
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
        // All of them also under the tail mask: accumulators are always there.
        if self.ty(at) == Ty::M {
            let r = self.kalloc(&[]);
            self.bytes_to_mask(r, m, (0, false), &[]);
            self.own(at, r);
        } else {
            let r = self.zalloc(&[]);
            self.load_into(r, m, len, wide, (0, false));
            self.own(at, r);
        }
    }
    fn acc_out(&mut self, j: u32, c: u32, at: u32, v: u32) {
        if self.ty(v) == Ty::M {
            let r = self.k(v, &[v]);
            let m = self.acc_mem(j, c);
            self.mask_to_bytes(r, m, self.kind, &[v]);
        } else {
            let (r, len, wide) = (self.z(v, &[v]), self.vlen(v), self.ty(v) == Ty::W64);
            if self.accs {
                let fixed = Fixed::acc(j, c);
                if r != fixed {
                    self.s.a.evex(Insn::fp(false, 0x28), len, fixed, 0, Rm::Reg(r), 0, false);
                }
            } else if self.kind == Kind::Masked {
                // All lanes: what is written in part is slow to read again.
                let m = self.acc_mem(j, c);
                let t = self.zalloc(&[v]);
                let load = Insn::fp(false, 0x10);
                self.s.a.evex(load, len, t, 0, Rm::Mem(m, unit(len)), 0, false);
                if self.s.a.vex {
                    let blend = Insn::wide(3, false, if wide { 0x4b } else { 0x4a }).imm(TAIL << 4);
                    self.s.a.evex(blend, len, t, t, Rm::Reg(r), 0, false);
                } else {
                    self.s.a.evex(Insn::fp(wide, 0x28), len, t, 0, Rm::Reg(r), 1, false);
                }
                self.s.a.evex(Insn::fp(false, 0x11), len, t, 0, Rm::Mem(m, unit(len)), 0, false);
                self.zfree |= 1 << t;
            } else {
                let m = self.acc_mem(j, c);
                self.store_from(r, m, len, wide, false);
            }
        }
        self.consume(&[v], at);
    }

    fn patch(&mut self, p: u32, [m, x, v]: [u32; 3], at: u32) {
        let keep = [m, x, v];
        let mut k = if self.s.a.vex { self.z(m, &keep) } else { self.k(m, &keep) };
        // The formula is not for what lanes behind the last element hold.
        let present = self.s.ssa.alone && self.kind == Kind::Masked;
        if present {
            let r = self.kalloc(&keep);
            self.s.a.kop(KAND, true, r, k, 1);
            k = r;
        }
        let (rx, rv) = (self.z(x, &keep), self.z(v, &keep));
        let (out, back) = (self.s.a.label(), self.s.a.label());
        let len = self.vlen(at);
        // A register of its own, which the jump out of line changes.
        let r = self.zalloc(&keep);
        self.s.a.evex(Insn::fp(false, 0x28), len, r, 0, Rm::Reg(rv), 0, false);
        if self.s.a.vex {
            // vmovmskps ecx, k; test ecx, ecx
            self.s.a.evex(Insn::fp(self.ty(at) == Ty::W64, 0x50), len, RCX.0, 0, Rm::Reg(k), 0, false);
            self.s.a.bytes(&[0x85, 0xc9]);
        } else {
            self.s.a.kop(0x98, false, k, 0, k);
        }
        self.s.a.jcc(5, out);
        self.s.a.bind(back);
        self.stubs.push(Stub { out, back, patch: p, dbl: self.ty(at) == Ty::W64, x: rx, v: r, k });
        if present {
            self.kfree |= 1 << k;
        }
        self.consume(&keep, at);
        self.own(at, r);
    }
    fn call(&mut self, f: u32, args: &[u32], at: u32) {
        for (j, &v) in args.iter().enumerate() {
            let place = Mem::at(RSP, self.s.area + 64 * j as i32);
            if self.ty(v) == Ty::M {
                let r = self.k(v, args);
                self.mask_to_bytes(r, place, Kind::Whole, args);
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
            self.bytes_to_mask(r, result, (0, false), &[]);
            self.own(at, r);
        } else {
            let (r, len) = (self.dest(at), self.vlen(at));
            self.s.a.evex(Insn::fp(false, 0x10), len, r, 0, Rm::Mem(result, unit(len)), 0, false);
            self.own(at, r);
        }
    }
}
