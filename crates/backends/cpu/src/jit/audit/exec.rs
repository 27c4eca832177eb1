//! What each instruction does to what is known.
use super::super::asm::Len;
use super::super::shared::{PATCH, unit};
use super::decode::{Inst, Rm, Vector};
use super::expect::{Shape, plain, sorted};
use super::machine::{Machine, RSP, State};
use super::term::{Head, Loc, NO, T};

impl Machine<'_> {
    /// Follows an instruction that neither jumps nor returns.
    pub(super) fn step(&mut self, st: &mut State, inst: &Inst) -> Result<(), String> {
        match *inst {
            Inst::Vector(v) => self.vector(st, &v),
            Inst::Mask(op, to, [a, b]) => {
                let (a, b) = (st.k[a as usize], st.k[b as usize]);
                st.k[to as usize] = if op == 0x44 { self.t.mask(op, b, NO) } else { self.t.mask(op, a, b) };
                Ok(())
            }
            Inst::MaskMove(op, k, rm) => self.mask_move(st, op, k as usize, rm),
            Inst::MaskTest(a, b) if a == b => {
                st.flags = self.t.make(Head::Any, [st.k[a as usize], NO, NO]);
                Ok(())
            }
            Inst::Int { op, reg, rm, wide, imm } => self.int(st, op, reg as usize, rm, wide, imm),
            Inst::Push(r) => self.push(st, st.g[r as usize]),
            Inst::Pop(r) => {
                st.g[r as usize] = self.pop(st)?;
                Ok(())
            }
            Inst::ZeroUpper => {
                for z in &mut st.z[..16] {
                    *z = self.t.low(*z, 16);
                }
                Ok(())
            }
            Inst::Nothing => Ok(()),
            _ => Err("is not understood".into()),
        }
    }
    pub(super) fn push(&mut self, st: &mut State, t: T) -> Result<(), String> {
        st.g[RSP] = self.t.off(st.g[RSP], -8);
        let to = self.plain(st.g[RSP], 0);
        self.put(st, to, 8, t)
    }
    pub(super) fn pop(&mut self, st: &mut State) -> Result<T, String> {
        let from = self.plain(st.g[RSP], 0);
        st.g[RSP] = self.t.off(st.g[RSP], 8);
        self.peek(st, from, 8, NO)
    }
    fn mask_move(&mut self, st: &mut State, op: u8, k: usize, rm: Rm) -> Result<(), String> {
        match (op, rm) {
            (0x90, Rm::Mem { .. }) => {
                let a = self.address(st, rm, 1)?;
                st.k[k] = self.read(st, a, 2, NO)?;
            }
            (0x91, Rm::Mem { .. }) => {
                let a = self.address(st, rm, 1)?;
                self.write(st, a, 2, NO, st.k[k], true)?;
            }
            (0x92, Rm::Reg(r)) => st.k[k] = self.t.low(st.g[r as usize], 2),
            _ => return Err("is not understood".into()),
        }
        Ok(())
    }

    fn vector(&mut self, st: &mut State, v: &Vector) -> Result<(), String> {
        let (i, len, reg) = (plain(v.insn), v.len, v.reg as usize);
        let bytes = u32::from(unit(len));
        let spread = v.broadcast.then_some(if i.w { 8 } else { 4 });
        if let Some(done) = self.moves(st, v, bytes) {
            return done;
        }
        // Fields without use have one form.
        let (alone, to_mask) = (v.v == 0, v.reg < 8);
        let first = st.z[v.v as usize];
        // The instructions that the generator chooses by itself.
        match (i.map, i.pp, i.op) {
            (2, 1, 0x98 | 0x9c | 0xa8 | 0xac | 0xb8 | 0xbc) if v.k == 0 => {
                let (old, m) = (st.z[reg], self.operand(st, v.rm, bytes, spread)?);
                let args = match i.op & 0xf0 {
                    0x90 => [old, m, first],
                    0xa0 => [first, old, m],
                    _ => [first, m, old],
                };
                st.z[reg] = self.t.make(Head::Fma(i.op & 4 != 0, i.w, len), sorted(args));
                return Ok(());
            }
            (3, 1, 0x4a | 0x4b) if self.vex => {
                let m = self.operand(st, v.rm, bytes, None)?;
                let by = st.z[usize::from(i.imm as u8 >> 4)];
                st.z[reg] = self.t.make(Head::Select(len), [by, m, first]);
                return Ok(());
            }
            (2, 1, 0x65) if !self.vex && !v.zero => {
                let m = self.operand(st, v.rm, bytes, spread)?;
                st.z[reg] = self.t.make(Head::Select(len), [st.k[v.k as usize], m, first]);
                return Ok(());
            }
            (2, 1, 0x26 | 0x27) if !self.vex && v.k == 0 && to_mask => {
                let m = self.operand(st, v.rm, bytes, spread)?;
                st.k[reg] = self.t.make(Head::Do(i, 0, len), [first, m, NO]);
                return Ok(());
            }
            (2, 1, 0x16) if len == Len::Z && v.k == 0 => {
                let m = self.operand(st, v.rm, bytes, spread)?;
                st.z[reg] = self.t.make(Head::Do(i, 0, len), [first, m, NO]);
                return Ok(());
            }
            (2, 1, 0x7f) if len == Len::Z && v.k == 0 => {
                let (old, m) = (st.z[reg], self.operand(st, v.rm, bytes, spread)?);
                st.z[reg] = self.t.make(Head::Do(i, 0, len), [old, first, m]);
                return Ok(());
            }
            (1, _, 0x50) if self.vex && alone => {
                let m = self.operand(st, v.rm, bytes, None)?;
                st.g[reg] = self.t.make(Head::Signs(i.pp == 1, len), [m, NO, NO]);
                return Ok(());
            }
            _ => {}
        }
        // Those of the program.
        let Some(&form) = self.forms.get(&(i, len)).filter(|_| v.k == 0) else {
            return Err("is no instruction of the program".into());
        };
        if matches!(form.shape, Shape::Un | Shape::Down) && !alone || form.shape == Shape::Cmp && !to_mask {
            return Err("is not understood".into());
        }
        if form.shape == Shape::Down {
            let Rm::Reg(to) = v.rm else { return Err("is not understood".into()) };
            st.z[to as usize] = self.t.make(Head::Do(i, 0, len), [st.z[reg], NO, NO]);
            return Ok(());
        }
        let m = self.operand(st, v.rm, form.unit, spread)?;
        match form.shape {
            Shape::Cmp => st.k[reg] = self.t.make(Head::Do(i, 0, len), [first, m, NO]),
            Shape::Shift => st.z[v.v as usize] = self.t.make(Head::Do(i, v.reg & 7, len), [m, NO, NO]),
            Shape::Bin => {
                let args = [first, m, NO];
                st.z[reg] = self.t.make(Head::Do(i, 0, len), if form.comm { sorted(args) } else { args });
            }
            Shape::Un | Shape::Down => st.z[reg] = self.t.make(Head::Do(i, 0, len), [m, NO, NO]),
        }
        Ok(())
    }
    /// Moves, loads and stores; `None`: it is none of them.
    fn moves(&mut self, st: &mut State, v: &Vector, bytes: u32) -> Option<Result<(), String>> {
        let (i, reg) = (v.insn, v.reg as usize);
        let element = if i.pp >= 2 { [4, 8][usize::from(i.pp == 3)] } else { bytes };
        let mask = if v.k == 0 { NO } else { st.k[v.k as usize] };
        let two = self.vex && i.map == 2 && matches!(i.op, 0x2c..=0x2f);
        if v.v != 0 && !two {
            return None;
        }
        Some(match (i.map, i.pp, i.op) {
            (1, 3, 0x6f) if v.k != 0 && v.zero => self.operand(st, v.rm, bytes, None).map(|m| {
                st.z[reg] = self.t.make(Head::Zeroed, [mask, m, NO]);
            }),
            (1, 3, 0x7f) if !v.zero => self.store(st, reg, v.rm, bytes, mask),
            (1, _, 0x10) if v.k == 0 || v.zero => self.load(st, reg, v.rm, element, mask),
            (1, _, 0x11 | 0x2b) if !v.zero => self.store(st, reg, v.rm, element, mask),
            (1, 0 | 1, 0x28) => match v.rm {
                Rm::Reg(r) if v.k == 0 => {
                    st.z[reg] = self.moved(st.z[r as usize], bytes);
                    Ok(())
                }
                Rm::Reg(r) if !v.zero => {
                    st.z[reg] = self.t.make(Head::Select(v.len), [mask, st.z[r as usize], st.z[reg]]);
                    Ok(())
                }
                _ => Err("is not understood".into()),
            },
            (2, 1, 0x58 | 0x59) if !self.vex && v.k == 0 => self.spread(st, reg, v.rm, if i.w { 8 } else { 4 }),
            (2, 1, 0x18 | 0x19) if self.vex => self.spread(st, reg, v.rm, if i.op == 0x19 { 8 } else { 4 }),
            (2, 1, 0x2c | 0x2d) if self.vex => self.load(st, reg, v.rm, bytes, st.z[v.v as usize]),
            (2, 1, 0x2e | 0x2f) if self.vex => self.store(st, reg, v.rm, bytes, st.z[v.v as usize]),
            (2, 1, 0x21 | 0x23 | 0x31 | 0x32 | 0x33) if !self.vex && (v.k == 0 || v.zero) => {
                // Words become double words, bytes these or quad words.
                let n = bytes
                    / match i.op & 15 {
                        1 => 4,
                        2 => 8,
                        _ => 2,
                    };
                self.operand(st, v.rm, n, None).map(|m| {
                    st.z[reg] = self.t.make(Head::Do(plain(i), 0, v.len), [m, NO, mask]);
                })
            }
            (2, 2, 0x31 | 0x33) if !self.vex && !v.zero => {
                let n = if i.op == 0x31 { bytes / 4 } else { bytes / 2 };
                let t = self.t.make(Head::Do(plain(i), 0, v.len), [st.z[reg], NO, NO]);
                self.t.wide(t, n);
                match v.rm {
                    Rm::Mem { .. } => self.address(st, v.rm, n).and_then(|a| self.write(st, a, n, mask, t, true)),
                    Rm::Reg(to) if v.k == 0 => {
                        st.z[to as usize] = t;
                        Ok(())
                    }
                    _ => Err("is not understood".into()),
                }
            }
            (2, 1, 0x78 | 0x79) if v.k == 0 => self.operand(st, v.rm, u32::from(i.op) - 0x77, None).map(|m| {
                st.z[reg] = self.t.make(Head::Do(plain(i), 0, v.len), [m, NO, NO]);
            }),
            (3, 1, 0x14 | 0x15) if i.imm == 0 && v.k == 0 => self.store(st, reg, v.rm, u32::from(i.op) - 0x13, NO),
            (1, 1, 0xd6) if v.k == 0 => self.store(st, reg, v.rm, 8, NO),
            _ => return None,
        })
    }
    fn load(&mut self, st: &mut State, reg: usize, rm: Rm, n: u32, mask: T) -> Result<(), String> {
        st.z[reg] = match rm {
            Rm::Mem { .. } => {
                let a = self.address(st, rm, n)?;
                self.read(st, a, n, mask)?
            }
            Rm::Code(_) if mask == NO => self.operand(st, rm, n, None)?,
            _ => return Err("is not understood".into()),
        };
        Ok(())
    }
    fn store(&mut self, st: &mut State, reg: usize, rm: Rm, n: u32, mask: T) -> Result<(), String> {
        let a = self.address(st, rm, n)?;
        let t = self.moved(st.z[reg], n);
        self.write(st, a, n, mask, t, true)
    }
    fn spread(&mut self, st: &mut State, reg: usize, rm: Rm, n: u32) -> Result<(), String> {
        let t = match rm {
            Rm::Reg(_) => return Err("is not understood".into()),
            _ => self.operand(st, rm, n, None)?,
        };
        st.z[reg] = self.t.spread(n, t);
        Ok(())
    }

    fn flags(&mut self, st: &mut State, op: u16, imm: i64, a: T, b: T) {
        st.flags = match self.t.head(a).0 {
            Head::Signs(..) if op == 0x85 && a == b => self.t.make(Head::Any, [a, NO, NO]),
            _ => self.t.make(Head::Int(op | 0x8000, imm), [a, b, NO]),
        };
    }
    fn int(&mut self, st: &mut State, op: u16, reg: usize, rm: Rm, wide: bool, imm: i64) -> Result<(), String> {
        let n = if matches!(op, 0xfb6 | 0xfbe | 0xf6) {
            1
        } else if matches!(op, 0xfb7 | 0xfbf) {
            2
        } else if wide {
            8
        } else {
            4
        };
        match op {
            0xb8 => {
                st.g[reg] = self.t.num(imm as u64);
                return Ok(());
            }
            0x8d => {
                st.g[reg] = match rm {
                    Rm::Code(at) => self.t.num(at as u64),
                    _ => {
                        let a = self.address(st, rm, 1)?;
                        self.lea(a)
                    }
                };
                return Ok(());
            }
            0x89 => {
                match rm {
                    Rm::Reg(r) if wide => st.g[r as usize] = st.g[reg],
                    Rm::Reg(_) | Rm::Code(_) => return Err("is not understood".into()),
                    Rm::Mem { .. } => {
                        let (a, t) = (self.address(st, rm, 1)?, st.g[reg]);
                        let t = if wide { t } else { self.t.low(t, 4) };
                        self.write(st, a, n, NO, t, false)?;
                    }
                }
                return Ok(());
            }
            0xff if (reg, rm) == (2, Rm::Reg(0)) => return self.native(st),
            _ => {}
        }
        let (to, old) = match rm {
            Rm::Reg(r) => (Err(r as usize), st.g[r as usize]),
            Rm::Code(_) => return Err("is not understood".into()),
            Rm::Mem { .. } => {
                let a = self.address(st, rm, 1)?;
                // The pages of the frame are touched before it is there.
                let touch = op == 0x85;
                (Ok(a), if touch { NO } else { self.read(st, a, n, NO)? })
            }
        };
        let own = st.g[reg];
        let new = match op {
            0x8b | 0x03 | 0xf42 | 0xf47 => {
                st.g[reg] = match op {
                    0x8b => old,
                    0x03 => self.add(own, old),
                    _ => self.t.make(Head::Int(op, 0), [own, old, st.flags]),
                };
                if op == 0x03 {
                    self.flags(st, op, 0, own, old);
                }
                return Ok(());
            }
            0xfb6 | 0xfb7 | 0xfbe | 0xfbf => {
                st.g[reg] = self.t.make(Head::Int(op, 0), [old, NO, NO]);
                return Ok(());
            }
            0x2f5 => {
                st.g[reg] = self.t.make(Head::Int(op, 0), [old, st.g[imm as usize], NO]);
                return Ok(());
            }
            0x39 | 0x3b | 0x85 => {
                self.flags(st, op, 0, old, own);
                return Ok(());
            }
            0xf6 => {
                self.flags(st, op, imm, old, NO);
                return Ok(());
            }
            0x01 => self.add(old, own),
            0x31 if to == Err(reg) => self.t.num(0),
            0x29 | 0x31 => self.t.make(Head::Int(op, 0), [old, own, NO]),
            0x81 if reg == 7 => {
                self.flags(st, op, imm, old, NO);
                return Ok(());
            }
            0x81 if reg == 0 => self.t.off(old, imm),
            0x81 if reg == 5 => {
                if to == Err(RSP) && self.bytes == 0 {
                    self.bytes = imm;
                }
                self.t.off(old, -imm)
            }
            0x81 if reg == 4 && to == Err(RSP) && imm == -64 => self.t.make(Head::Frame, [NO; 3]),
            0x83 if reg == 4 => self.t.make(Head::Int(op, imm), [old, NO, NO]),
            0xc1 => self.t.make(Head::Int(op | (reg as u16) << 8, imm), [old, NO, NO]),
            0xf7 if reg == 3 => self.t.make(Head::Int(op, 3), [old, NO, NO]),
            0xff if reg == 1 => self.t.off(old, -1),
            _ => return Err("is not understood".into()),
        };
        self.flags(st, op, imm, old, own);
        match to {
            Err(r) => st.g[r] = new,
            Ok(a) => self.write(st, a, n, NO, new, false)?,
        }
        Ok(())
    }
    /// A call of what is not generated: a scalar kernel or a patch, on vectors in memory. Nothing but the frame and the
    /// caller's registers is left.
    fn native(&mut self, st: &mut State) -> Result<(), String> {
        let at = |m: &Self, i: i64| m.plain(st.g[6], 64 * i);
        let there = |m: &Self, i: i64| st.mem.get(&(at(m, i).base, at(m, i).disp)).map(|e| e.1);
        let (&Head::Num(f), &Head::Num(info)) = (self.t.head(st.g[7]).0, self.t.head(st.g[2]).0) else {
            return Err("calls nobody knows what".into());
        };
        let (base, off) = self.t.place(st.g[RSP]);
        if !matches!(self.t.head(base).0, Head::Frame) || off % 16 != 0 {
            return Err("calls with a stack that is not aligned".into());
        }
        let arity = if info == PATCH { 3 } else { self.arity.get(&f).copied().unwrap_or(0) };
        let mut args = [NO; 3];
        for (i, a) in args.iter_mut().enumerate().take(usize::from(arity)) {
            *a = there(self, i as i64).ok_or("calls without operands")?;
        }
        let (head, to) = if info == PATCH { (Head::Patched(f), at(self, 1)) } else { (Head::Called(f), at(self, 3)) };
        let t = self.t.make(head, args);
        self.put(st, to, 64, t)?;
        let pc = self.pc as u32;
        let mut lost = |l| self.t.make(Head::Join(pc, l), [NO; 3]);
        [0, 1, 2, 6, 7, 8, 9, 10, 11].into_iter().for_each(|r: u8| st.g[r as usize] = lost(Loc::G(r)));
        (0..32).for_each(|r: u8| st.z[r as usize] = lost(Loc::Z(r)));
        (0..8).for_each(|r: u8| st.k[r as usize] = lost(Loc::K(r)));
        st.flags = lost(Loc::Flags);
        Ok(())
    }
    /// Ways that a jump out of the line and back joins: where the flags held, what `taken` knows.
    pub(super) fn either(&mut self, st: &mut State, taken: &State) {
        let (here, holds) = (st.z, st.flags);
        self.join(st, taken, self.pc);
        for r in 0..32 {
            st.z[r] = self.t.either(holds, taken.z[r], here[r]);
        }
    }
    /// Checks that `to` is the address of the caller, and that all that is the caller's is as it was.
    pub(super) fn returned(&mut self, st: &State, to: T) -> Result<(), String> {
        let mut init = |l| self.t.make(Head::Init(l), [NO; 3]);
        let own = [3, 5, 12, 13, 14, 15].iter().all(|&r| st.g[r as usize] == init(Loc::G(r)));
        let rsp = init(Loc::G(RSP as u8));
        if to != init(Loc::Mem(rsp, 0, 8)) || st.g[RSP] != self.t.off(rsp, 8) || !own {
            return Err("returns without what is the caller's".into());
        }
        Ok(())
    }
    /// The place in the code that the top of the stack says.
    pub(super) fn pushed(&mut self, st: &State) -> Option<usize> {
        let a = self.plain(st.g[RSP], 0);
        let t = st.mem.get(&(a.base, a.disp))?.1;
        if let Head::Num(x) = self.t.head(t).0 { usize::try_from(*x).ok() } else { None }
    }
}
