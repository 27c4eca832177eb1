//! Machine code read back: the instructions that the generator writes, with their operands as numbers. Anything else is
//! no instruction: what is not understood is not passed.
use super::super::asm::{Insn, Len};

/// An address, or a place in the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rm {
    /// A register.
    Reg(u8),
    /// Base, index with the logarithm of its scale, displacement (of one byte, to be multiplied, where `short`).
    Mem { base: u8, index: Option<(u8, u8)>, disp: i64, short: bool },
    /// Bytes of the code itself.
    Code(usize),
}

/// A vector instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector {
    pub(super) insn: Insn,
    pub(super) len: Len,
    pub(super) reg: u8,
    pub(super) v: u8,
    pub(super) rm: Rm,
    pub(super) k: u8,
    pub(super) zero: bool,
    pub(super) broadcast: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Inst {
    Vector(Vector),
    /// A mask instruction on registers: opcode, result, operands.
    Mask(u8, u8, [u8; 2]),
    /// `kmovw` from memory (0x90), to it (0x91), from a general-purpose register (0x92).
    MaskMove(u8, u8, Rm),
    /// `kortestw` of a mask with itself.
    MaskTest(u8, u8),
    /// An integer instruction: opcode, the register or number in the middle field, the other operand, eight bytes?, immediate.
    Int {
        op: u16,
        reg: u8,
        rm: Rm,
        wide: bool,
        imm: i64,
    },
    /// Jumps, by their target.
    Jump(usize),
    JumpIf(u8, usize),
    Call(usize),
    Return,
    Push(u8),
    Pop(u8),
    /// `vzeroupper`.
    ZeroUpper,
    Nothing,
}

struct Cursor<'a> {
    code: &'a [u8],
    at: usize,
}
impl Cursor<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.at += 1;
        self.code.get(self.at - 1).copied()
    }
    fn four(&mut self) -> Option<i64> {
        let b = self.code.get(self.at..self.at + 4)?;
        self.at += 4;
        Some(i64::from(i32::from_le_bytes(b.try_into().ok()?)))
    }
    fn target(&mut self) -> Option<usize> {
        let d = self.four()?;
        self.at.checked_add_signed(d as isize)
    }
    /// The middle field (its low three bits) and the operand; `r`, `x`, `b` are the bits of prefixes, `after` the bytes of
    /// the instruction that follow.
    fn modrm(&mut self, x: u8, b: u8, after: usize) -> Option<(u8, Rm)> {
        let m = self.byte()?;
        let (mode, reg, rm) = (m >> 6, m >> 3 & 7, m & 7);
        if mode == 3 {
            return Some((reg, Rm::Reg(rm | b << 3 | x << 4)));
        }
        let (mut base, mut index) = (rm | b << 3, None);
        if rm == 4 {
            let sib = self.byte()?;
            base = sib & 7 | b << 3;
            index = (sib >> 3 & 7 != 4).then_some((sib >> 3 & 7, sib >> 6));
        } else if mode == 0 && rm == 5 {
            let to = self.target()?;
            return Some((reg, Rm::Code(to + after)));
        }
        let disp = match mode {
            0 if base & 7 == 5 => return None,
            0 => 0,
            1 => i64::from(self.byte()? as i8),
            _ => self.four()?,
        };
        Some((reg, Rm::Mem { base, index, disp, short: mode == 1 }))
    }
}
/// Whether the opcode takes an immediate byte.
fn has_imm(map: u8, op: u8) -> bool {
    map == 3 || map == 1 && matches!(op, 0x72 | 0x73 | 0xc2 | 0xc6)
}
fn length(l: u8) -> Option<Len> {
    [Len::X, Len::Y, Len::Z].get(l as usize).copied()
}

/// The instruction at `at`, and where the next one begins.
pub(super) fn decode(code: &[u8], at: usize) -> Option<(Inst, usize)> {
    let mut c = Cursor { code, at };
    let inst = match c.byte()? {
        0x62 => evex(&mut c)?,
        0xc4 => vex(&mut c)?,
        0xc5 => short(&mut c)?,
        b => integer(&mut c, b)?,
    };
    Some((inst, c.at))
}
fn evex(c: &mut Cursor) -> Option<Inst> {
    let (p0, p1, p2, op) = (c.byte()?, c.byte()?, c.byte()?, c.byte()?);
    let (map, after) = (p0 & 7, usize::from(has_imm(p0 & 7, op)));
    let (reg, rm) = c.modrm(!p0 >> 6 & 1, !p0 >> 5 & 1, after)?;
    let imm = if after == 1 { i16::from(c.byte()?) } else { -1 };
    Some(Inst::Vector(Vector {
        insn: Insn { map, pp: p1 & 3, w: p1 >> 7 == 1, op, imm, comm: false },
        len: length(p2 >> 5 & 3)?,
        reg: reg | (!p0 >> 7 & 1) << 3 | (!p0 >> 4 & 1) << 4,
        v: !p1 >> 3 & 15 | (!p2 >> 3 & 1) << 4,
        rm,
        k: p2 & 7,
        zero: p2 >> 7 == 1,
        broadcast: p2 >> 4 & 1 == 1,
    }))
}
fn vex(c: &mut Cursor) -> Option<Inst> {
    let (p0, p1, op) = (c.byte()?, c.byte()?, c.byte()?);
    let (map, w) = (p0 & 31, p1 >> 7 == 1);
    let after = usize::from(has_imm(map, op));
    let (reg, rm) = c.modrm(0, !p0 >> 5 & 1, after)?;
    let reg = reg | (!p0 >> 7 & 1) << 3;
    // bzhi
    if (map, op) == (2, 0xf5) {
        return Some(Inst::Int { op: 0x2f5, reg, rm, wide: w, imm: i64::from(!p1 >> 3 & 15) });
    }
    let imm = if after == 1 { i16::from(c.byte()?) } else { -1 };
    Some(Inst::Vector(Vector {
        insn: Insn { map, pp: p1 & 3, w, op, imm, comm: false },
        len: length(p1 >> 2 & 1)?,
        reg,
        v: !p1 >> 3 & 15,
        rm,
        k: 0,
        zero: false,
        broadcast: false,
    }))
}
fn short(c: &mut Cursor) -> Option<Inst> {
    let (p, op) = (c.byte()?, c.byte()?);
    if op == 0x77 {
        return (p == 0xf8).then_some(Inst::ZeroUpper);
    }
    let (reg, rm) = c.modrm(0, 0, 0)?;
    let v = !p >> 3 & 15;
    match (op, rm) {
        (0x90..=0x92, _) if p == 0xf8 => Some(Inst::MaskMove(op, reg, rm)),
        (0x98, Rm::Reg(b)) => Some(Inst::MaskTest(reg, b)),
        (0x41..=0x47, Rm::Reg(b)) if v < 8 => Some(Inst::Mask(op, reg, [v, b])),
        _ => None,
    }
}
fn integer(c: &mut Cursor, first: u8) -> Option<Inst> {
    let (mut b, mut rex) = (first, 0);
    if b == 0x66 {
        // Only in no-ops.
        b = c.byte()?;
        if b == 0x90 {
            return Some(Inst::Nothing);
        }
    }
    if b & 0xf0 == 0x40 {
        (rex, b) = (b, c.byte()?);
    }
    let (wide, r, x, low) = (rex >> 3 & 1 == 1, rex >> 2 & 1, rex >> 1 & 1, rex & 1);
    let mut op = u16::from(b);
    match b {
        0x90 => return Some(Inst::Nothing),
        0xc3 => return Some(Inst::Return),
        0xe8 => return Some(Inst::Call(c.target()?)),
        0xe9 => return Some(Inst::Jump(c.target()?)),
        0x50..=0x57 => return Some(Inst::Push(b & 7 | low << 3)),
        0x58..=0x5f => return Some(Inst::Pop(b & 7 | low << 3)),
        0xb8..=0xbf if wide => {
            let x = c.code.get(c.at..c.at + 8)?;
            c.at += 8;
            let imm = i64::from_le_bytes(x.try_into().ok()?);
            return Some(Inst::Int { op: 0xb8, reg: b & 7 | low << 3, rm: Rm::Reg(0), wide, imm });
        }
        0x0f => op = 0xf00 | u16::from(c.byte()?),
        _ => {}
    }
    if op & 0xff0 == 0xf80 {
        return Some(Inst::JumpIf(op as u8 & 15, c.target()?));
    }
    let bytes = match op {
        0x81 => 4,
        0x83 | 0xc1 | 0xf6 => 1,
        0x01 | 0x03 | 0x29 | 0x31 | 0x39 | 0x3b | 0x85 | 0x89 | 0x8b | 0x8d | 0xf7 | 0xff => 0,
        0xf18 | 0xf1f | 0xf42 | 0xf47 | 0xfb6 | 0xfb7 | 0xfbe | 0xfbf => 0,
        _ => return None,
    };
    let (reg, rm) = c.modrm(0, low, bytes)?;
    if x == 1 {
        return None;
    }
    let imm = match bytes {
        4 => c.four()?,
        1 => i64::from(c.byte()?),
        _ => 0,
    };
    if matches!(op, 0xf18 | 0xf1f) {
        return Some(Inst::Nothing);
    }
    Some(Inst::Int { op, reg: reg | r << 3, rm, wide, imm })
}
