//! Straight-line programs over vectors and masks: what the recorder and the lowering of regions write, and what the
//! generator reads. Equal operations are one value (value numbering); effects are never merged.
use super::asm::Insn;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use tfc_ir::hash::WordHash;
use tfc_kernels::scalar::KernelFn;

/// A value: position of its operation.
pub(crate) type Id = u32;

/// What a lane of a value is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Ty {
    /// One bit, in a mask register.
    M,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}
impl Ty {
    /// Bytes of a lane in a vector register; 0 for masks.
    pub(crate) fn size(self) -> u32 {
        match self {
            Ty::M => 0,
            Ty::W32 => 4,
            Ty::W64 => 8,
        }
    }
}

/// How elements of one or two bytes become lanes of 32 bits when they are loaded, of which they are the low bits when stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Grow {
    /// Of two bytes.
    pub(crate) word: bool,
    /// Above them are copies of the sign bit, not zeros.
    pub(crate) signed: bool,
}
impl Grow {
    /// Bytes of an element.
    pub(crate) fn size(self) -> u32 {
        1 + u32::from(self.word)
    }
    /// Bytes of the elements of a vector of so many.
    pub(crate) fn part(self, bytes: u32) -> u32 {
        bytes * self.size() / 4
    }
    /// `vpmovzxbd`, `vpmovzxwd`, `vpmovsxbd`, `vpmovsxwd`.
    pub(crate) fn grown(self) -> Insn {
        Insn::wide(2, false, 0x21 + 2 * u8::from(self.word) + 0x10 * u8::from(!self.signed))
    }
    /// `vpmovdb`, `vpmovdw`.
    pub(crate) fn cut(self) -> Insn {
        Insn::new(2, 2, false, 0x31 + 2 * u8::from(self.word))
    }
    /// `vpbroadcastb`, `vpbroadcastw`: reads one element.
    pub(crate) fn one(self) -> Insn {
        Insn::wide(2, false, 0x78 + u8::from(self.word))
    }
    /// `vpextrb`, `vpextrw`: writes the first element.
    pub(crate) fn first(self) -> Insn {
        Insn::wide(3, false, 0x14 + u8::from(self.word)).imm(0)
    }
    /// The opcode of `movzx` or `movsx` behind 0f.
    pub(crate) fn integer(self) -> u8 {
        0xb6 + u8::from(self.word) + 8 * u8::from(self.signed)
    }
}

/// An operation. Vector lengths follow from the types of operands and result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// The element of an operand that streams.
    Load(u32),
    /// The element of an operand that is one for the run.
    Splat(u32),
    /// The value with these bits in every lane (masks: 0 or 1).
    Const(u64, Ty),
    /// An instruction of one operand.
    Un(Insn, Id),
    /// An instruction of one operand that is encoded as source register and destination operand.
    Down(Insn, Id),
    /// An instruction of two operands.
    Bin(Insn, Id, Id),
    /// A shift by an immediate; the number is the opcode extension.
    Shift(Insn, u8, Id),
    /// `a·b + c`, or `c − a·b`, rounded once.
    Fma(bool, bool, [Id; 3]),
    /// The entry of a table of sixteen that the low four bits of a lane number.
    Lookup(u32, Id),
    /// A comparison into a mask.
    Cmp(Insn, Id, Id),
    /// `m ? a : b`.
    Blend(Id, Id, Id),
    /// A mask instruction of two operands, by opcode.
    Kbin(u8, Id, Id),
    /// The other lanes.
    Knot(Id),
    /// The lanes of accumulators that the present elements fall to.
    AccIn(u32),
    /// Puts them back.
    AccOut(u32, Id),
    /// Writes an operand.
    Store(u32, Id),
    /// `v`, with the lanes of `m` replaced by a function of `x`: entry in the list of patches; `m`, `x`, `v`.
    Patch(u32, [Id; 3]),
    /// A scalar kernel: entry in the list of calls, its operands.
    Call(u32, [Id; 3]),
}
impl Op {
    /// With its instruction as it is written with a VEX prefix.
    fn vex(mut self) -> Op {
        if let Op::Un(i, _) | Op::Down(i, _) | Op::Bin(i, ..) | Op::Shift(i, ..) | Op::Cmp(i, ..) = &mut self {
            *i = i.vex();
        }
        self
    }
}

/// Replaces lanes of the second vector at an address by a function of the first, where the bits after both are set; each
/// has 64 bytes.
pub(crate) type PatchFn = unsafe fn(*mut u8);

/// A call of a scalar kernel on a vector.
#[derive(Clone, Copy, Hash, Debug)]
pub(crate) struct Callee {
    pub(crate) f: KernelFn,
    pub(crate) arity: u8,
}

/// A program.
#[derive(Default, Debug)]
pub(crate) struct Ssa {
    pub(crate) ops: Vec<Op>,
    pub(crate) ty: Vec<Ty>,
    /// Functions of patches; `None`: `x` itself.
    pub(crate) patches: Vec<Option<PatchFn>>,
    /// Whether there is one element only.
    pub(crate) one: bool,
    pub(crate) calls: Vec<Callee>,
    /// Tables of sixteen, each for one type of lane.
    pub(crate) tables: Vec<(Ty, [u64; 16])>,
    /// For AVX2, which has no mask registers: the type of every lane. A mask is then a vector, by the sign bits.
    pub(crate) avx2: Option<Ty>,
    /// Whether the body is written once in the main loop: its patches keep values for one another.
    pub(crate) alone: bool,
    /// Whether something was asked for that this instruction set does not have.
    pub(crate) failed: bool,
    /// The operands whose elements grow, by number; those behind the last are as wide as lanes.
    pub(crate) grow: Vec<Option<Grow>>,
    memo: HashMap<Op, Id, WordHash>,
}
impl Hash for Ssa {
    /// All that a program is; what is known of it while it is made is not a part of it.
    fn hash<H: Hasher>(&self, h: &mut H) {
        let Ssa { ops, ty, patches, one, calls, tables, avx2, alone, failed, grow, memo: _ } = self;
        (ops, ty, patches, one, calls, tables, avx2, alone, failed, grow).hash(h);
    }
}
impl Ssa {
    /// An empty program that may well get `n` operations.
    pub(crate) fn with_room(n: usize) -> Ssa {
        let mut s = Ssa::default();
        s.ops.reserve(n);
        s.ty.reserve(n);
        s.memo.reserve(n);
        s
    }
    /// How the elements of an operand grow.
    pub(crate) fn grow(&self, operand: u32) -> Option<Grow> {
        self.grow.get(operand as usize).copied().flatten()
    }
    /// The value of an operation without effect: the one that is there, or a new one.
    pub(crate) fn value(&mut self, op: Op, ty: Ty) -> Id {
        let op = if self.avx2.is_some() { op.vex() } else { op };
        let next = self.ops.len() as Id;
        let id = *self.memo.entry(op).or_insert(next);
        if id == next {
            self.ops.push(op);
            self.ty.push(ty);
        }
        id
    }
    /// An operation that is never merged with another.
    pub(crate) fn effect(&mut self, op: Op, ty: Ty) -> Id {
        self.ops.push(op);
        self.ty.push(ty);
        self.ops.len() as Id - 1
    }
    pub(crate) fn constant(&mut self, bits: u64, ty: Ty) -> Id {
        self.value(Op::Const(bits, ty), ty)
    }
    pub(crate) fn ty(&self, x: Id) -> Ty {
        self.ty[x as usize]
    }
    pub(crate) fn un(&mut self, i: Insn, x: Id, ty: Ty) -> Id {
        self.value(Op::Un(i, x), ty)
    }
    /// An instruction of two operands of one type.
    pub(crate) fn bin(&mut self, i: Insn, a: Id, b: Id) -> Id {
        let ty = self.ty(a);
        let (a, b) = if i.comm && b < a { (b, a) } else { (a, b) };
        self.value(Op::Bin(i, a, b), ty)
    }
    /// The mask of a truth value.
    pub(crate) fn truth(&mut self, x: bool) -> Id {
        match self.avx2 {
            Some(Ty::W64) => self.constant(if x { !0 } else { 0 }, Ty::W64),
            Some(t) => self.constant(if x { 0xffff_ffff } else { 0 }, t),
            None => self.constant(u64::from(x), Ty::M),
        }
    }
    pub(crate) fn cmp(&mut self, i: Insn, a: Id, b: Id) -> Id {
        match (self.avx2, i.op) {
            (None, _) => self.value(Op::Cmp(i, a, b), Ty::M),
            (Some(t), 0xc2) => self.value(Op::Bin(i, a, b), t),
            (Some(t), _) => self.compare_integers(i, a, b, t == Ty::W64),
        }
    }
    /// `vptestm`, `vpcmp` and `vpcmpu` by the two comparisons of AVX2, both signed.
    fn compare_integers(&mut self, i: Insn, a: Id, b: Id, wide: bool) -> Id {
        let t = self.ty(a);
        let eq = if wide { Insn::new(2, 1, false, 0x29) } else { Insn::new(1, 1, false, 0x76) };
        let gt = if wide { Insn::new(2, 1, false, 0x37) } else { Insn::new(1, 1, false, 0x66) };
        if i.op == 0x27 {
            let (both, zero) = (self.bin(Insn::wide(1, wide, 0xdb).comm(), a, b), self.constant(0, t));
            let none = self.bin(eq, both, zero);
            return self.knot(none);
        }
        let (mut a, mut b) = (a, b);
        if i.op == 0x1e && i.imm & 3 != 0 {
            let s = self.constant(if wide { 1 << 63 } else { 1 << 31 }, t);
            let flip = Insn::wide(1, wide, 0xef).comm();
            (a, b) = (self.bin(flip, a, s), self.bin(flip, b, s));
        }
        match i.imm & 7 {
            0 => self.bin(eq, a, b),
            1 => self.bin(gt, b, a),
            6 => self.bin(gt, a, b),
            not => {
                let m = match not {
                    4 => self.bin(eq, a, b),
                    2 => self.bin(gt, a, b),
                    _ => self.bin(gt, b, a),
                };
                self.knot(m)
            }
        }
    }
    /// True in lanes whose bit 0 is set.
    pub(crate) fn odd(&mut self, x: Id) -> Id {
        let t = self.ty(x);
        if self.avx2.is_some() {
            return self.shift(false, if t == Ty::W64 { 63 } else { 31 }, x);
        }
        let one = self.constant(1, t);
        self.cmp(Insn::wide(2, t == Ty::W64, 0x27), x, one)
    }
    /// `m ? a : b`.
    pub(crate) fn blend(&mut self, m: Id, a: Id, b: Id) -> Id {
        let ty = self.ty(a);
        if a == b { a } else { self.value(Op::Blend(m, a, b), ty) }
    }
    pub(crate) fn kbin(&mut self, op: u8, a: Id, b: Id) -> Id {
        if self.avx2.is_none() {
            return self.value(Op::Kbin(op, a, b), Ty::M);
        }
        match op {
            0x41 => self.bin(Insn::fp(false, 0x54).comm(), a, b),
            0x42 => self.bin(Insn::fp(false, 0x55), a, b),
            0x45 => self.bin(Insn::fp(false, 0x56).comm(), a, b),
            0x47 => self.bin(Insn::fp(false, 0x57).comm(), a, b),
            _ => {
                let x = self.bin(Insn::fp(false, 0x57).comm(), a, b);
                self.knot(x)
            }
        }
    }
    pub(crate) fn knot(&mut self, a: Id) -> Id {
        if self.avx2.is_none() {
            return self.value(Op::Knot(a), Ty::M);
        }
        let ones = self.truth(true);
        self.bin(Insn::fp(false, 0x57).comm(), a, ones)
    }
    pub(crate) fn fma(&mut self, neg: bool, a: Id, b: Id, c: Id) -> Id {
        let ty = self.ty(a);
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        self.value(Op::Fma(neg, ty == Ty::W64, [a, b, c]), ty)
    }
    pub(crate) fn shift(&mut self, right: bool, k: u8, x: Id) -> Id {
        let ty = self.ty(x);
        let (w, ext) = (ty == Ty::W64, if right { 2 } else { 6 });
        self.value(Op::Shift(Insn::wide(1, w, if w { 0x73 } else { 0x72 }).imm(k), ext, x), ty)
    }
    pub(crate) fn patch(&mut self, m: Id, x: Id, v: Id, f: PatchFn) -> Id {
        self.replace(m, x, v, Some(f))
    }
    /// `v`, which is `x` wherever `m` does not hold. With one element a branch says so, and what needs the value need not wait
    /// for it.
    pub(crate) fn guess(&mut self, m: Id, v: Id, x: Id) -> Id {
        if self.one { self.replace(m, v, x, None) } else { v }
    }
    fn replace(&mut self, m: Id, x: Id, v: Id, f: Option<PatchFn>) -> Id {
        self.patches.push(f);
        let (k, ty) = (self.patches.len() as u32 - 1, self.ty(x));
        self.effect(Op::Patch(k, [m, x, v]), ty)
    }
    pub(crate) fn lookup(&mut self, x: Id, table: [u64; 16]) -> Id {
        if self.avx2.is_some() {
            self.failed = true;
            return x;
        }
        let (ty, next) = (self.ty(x), self.tables.len());
        let known = self.tables.iter().position(|t| *t == (ty, table));
        let k = known.unwrap_or_else(|| {
            self.tables.push((ty, table));
            next
        });
        self.value(Op::Lookup(k as u32, x), ty)
    }
    pub(crate) fn call(&mut self, f: KernelFn, args: &[Id], ty: Ty) -> Id {
        let mut a = [0; 3];
        a[..args.len()].copy_from_slice(args);
        self.calls.push(Callee { f, arity: args.len() as u8 });
        self.effect(Op::Call(self.calls.len() as u32 - 1, a), ty)
    }
    /// The operands of an operation, and how many.
    pub(crate) fn args(&self, op: &Op) -> ([Id; 3], usize) {
        match *op {
            Op::Load(_) | Op::Splat(_) | Op::Const(..) | Op::AccIn(_) => ([0; 3], 0),
            Op::Un(_, a) | Op::Down(_, a) | Op::Shift(_, _, a) | Op::Lookup(_, a) | Op::Knot(a) => ([a, 0, 0], 1),
            Op::AccOut(_, a) | Op::Store(_, a) => ([a, 0, 0], 1),
            Op::Bin(_, a, b) | Op::Cmp(_, a, b) | Op::Kbin(_, a, b) => ([a, b, 0], 2),
            Op::Fma(_, _, a) | Op::Patch(_, a) => (a, 3),
            Op::Blend(m, a, b) => ([m, a, b], 3),
            Op::Call(k, a) => (a, self.calls[k as usize].arity as usize),
        }
    }
}
