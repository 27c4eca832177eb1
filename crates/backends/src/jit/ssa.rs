//! Straight-line programs over vectors and masks: what the recorder and the lowering of regions write, and what the
//! generator reads. Equal operations are one value (value numbering); effects are never merged.
use super::asm::Insn;
use crate::scalar::KernelFn;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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

/// Replaces lanes of the second vector at an address by a function of the first, where the bits after both are set; each
/// has 64 bytes.
pub(crate) type PatchFn = unsafe fn(*mut u8);

/// A call of a scalar kernel on a vector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callee {
    pub(crate) f: KernelFn,
    pub(crate) arity: u8,
}

/// A hash of few instructions: keys are small and made by this program alone.
#[derive(Default, Clone)]
pub(crate) struct Mix(u64);
impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
    fn write(&mut self, b: &[u8]) {
        b.iter().for_each(|&x| self.write_u64(u64::from(x)));
    }
    fn write_u8(&mut self, x: u8) {
        self.write_u64(u64::from(x));
    }
    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }
    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0.rotate_left(5) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }
}

/// A program.
#[derive(Default, Debug)]
pub(crate) struct Ssa {
    pub(crate) ops: Vec<Op>,
    pub(crate) ty: Vec<Ty>,
    pub(crate) patches: Vec<PatchFn>,
    pub(crate) calls: Vec<Callee>,
    memo: HashMap<Op, Id, BuildHasherDefault<Mix>>,
}
impl Ssa {
    /// The value of an operation without effect: the one that is there, or a new one.
    pub(crate) fn value(&mut self, op: Op, ty: Ty) -> Id {
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
    pub(crate) fn cmp(&mut self, i: Insn, a: Id, b: Id) -> Id {
        self.value(Op::Cmp(i, a, b), Ty::M)
    }
    /// `m ? a : b`.
    pub(crate) fn blend(&mut self, m: Id, a: Id, b: Id) -> Id {
        let ty = self.ty(a);
        if a == b { a } else { self.value(Op::Blend(m, a, b), ty) }
    }
    pub(crate) fn kbin(&mut self, op: u8, a: Id, b: Id) -> Id {
        self.value(Op::Kbin(op, a, b), Ty::M)
    }
    pub(crate) fn knot(&mut self, a: Id) -> Id {
        self.value(Op::Knot(a), Ty::M)
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
        self.patches.push(f);
        let (k, ty) = (self.patches.len() as u32 - 1, self.ty(x));
        self.effect(Op::Patch(k, [m, x, v]), ty)
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
            Op::Un(_, a) | Op::Down(_, a) | Op::Shift(_, _, a) | Op::Knot(a) => ([a, 0, 0], 1),
            Op::AccOut(_, a) | Op::Store(_, a) => ([a, 0, 0], 1),
            Op::Bin(_, a, b) | Op::Cmp(_, a, b) | Op::Kbin(_, a, b) => ([a, b, 0], 2),
            Op::Fma(_, _, a) | Op::Patch(_, a) => (a, 3),
            Op::Blend(m, a, b) => ([m, a, b], 3),
            Op::Call(k, a) => (a, self.calls[k as usize].arity as usize),
        }
    }
}
