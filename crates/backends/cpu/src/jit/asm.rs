//! An encoder for the part of x86-64 that the generator uses: EVEX vector instructions of any length, or the same ones with
//! VEX prefixes, mask-register and general-purpose instructions (Intel SDM volume 2, chapters 2.3 and 2.7). It knows nothing of values or of allocation.

/// What an EVEX instruction is, apart from its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Insn {
    /// Opcode map: 1 (0F), 2 (0F38) or 3 (0F3A).
    pub(crate) map: u8,
    /// Prefix: 0 none, 1 66, 2 F3, 3 F2.
    pub(crate) pp: u8,
    /// W; also the size of a broadcast element (4 or 8 bytes).
    pub(crate) w: bool,
    /// Opcode.
    pub(crate) op: u8,
    /// Immediate byte, −1 for none.
    pub(crate) imm: i16,
    /// Whether the two sources may be exchanged.
    pub(crate) comm: bool,
}
impl Insn {
    /// `map.pp.w op`.
    pub(crate) const fn new(map: u8, pp: u8, w: bool, op: u8) -> Insn {
        Insn { map, pp, w, op, imm: -1, comm: false }
    }
    /// `PS` with no prefix and W0, `PD` with 66 and W1, in map 0F.
    pub(crate) const fn fp(dbl: bool, op: u8) -> Insn {
        Insn::new(1, dbl as u8, dbl, op)
    }
    /// 66-prefixed with W for elements of 64 bits.
    pub(crate) const fn wide(map: u8, dbl: bool, op: u8) -> Insn {
        Insn::new(map, 1, dbl, op)
    }
    /// With an immediate.
    pub(crate) const fn imm(self, imm: u8) -> Insn {
        Insn { imm: imm as i16, ..self }
    }
    /// As it is written with a VEX prefix. There W means something only where it chooses the size of elements (shifts by vectors,
    /// fused multiply-adds, permutations of quadwords); elsewhere both ways are one instruction (WIG in the SDM), of which
    /// valgrind up to 3.19 decodes the one without.
    pub(crate) const fn vex(self) -> Insn {
        let counts = matches!((self.map, self.op), (2, 0x45..=0x47 | 0x96..=0xbf) | (3, 0x00 | 0x01));
        Insn { w: self.w && counts, ..self }
    }
    /// With exchangeable sources.
    pub(crate) const fn comm(self) -> Insn {
        Insn { comm: true, ..self }
    }
}

/// Length of a vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Len {
    /// 128 bits.
    X = 0,
    /// 256 bits.
    Y = 1,
    /// 512 bits.
    Z = 2,
}

/// A general-purpose register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Gpr(pub(crate) u8);
pub(crate) const RAX: Gpr = Gpr(0);
pub(crate) const RCX: Gpr = Gpr(1);
pub(crate) const RDX: Gpr = Gpr(2);
pub(crate) const RSP: Gpr = Gpr(4);
pub(crate) const RSI: Gpr = Gpr(6);
pub(crate) const RDI: Gpr = Gpr(7);
pub(crate) const R11: Gpr = Gpr(11);

/// An address: `base + rax · 2^scale + disp`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mem {
    pub(crate) base: Gpr,
    /// log2 of the scale of rax, where it is part of the address.
    pub(crate) scale: Option<u8>,
    pub(crate) disp: i32,
}
impl Mem {
    pub(crate) fn at(base: Gpr, disp: i32) -> Mem {
        Mem { base, scale: None, disp }
    }
}

/// The operand that may be in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rm {
    /// A vector or mask register.
    Reg(u8),
    /// Memory; the number is the unit of a one-byte displacement (bytes that the instruction accesses).
    Mem(Mem, u8),
    /// One element, broadcast.
    Bc(Mem),
    /// Bytes of the constant pool.
    Pool(u32),
    /// One element of the constant pool, broadcast.
    PoolBc(u32),
}

/// A place in the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Label(u32);

/// Code being written.
#[derive(Default, Debug)]
pub(crate) struct Asm {
    pub(crate) code: Vec<u8>,
    /// Whether vector instructions are written with VEX prefixes (AVX2: sixteen registers, no masks, no broadcasts).
    pub(crate) vex: bool,
    labels: Vec<u32>,
    /// Where a 32-bit displacement to a label stands.
    jumps: Vec<(u32, Label)>,
    /// Where a 32-bit displacement to the pool stands, where its instruction ends, and the offset in the pool.
    pools: Vec<(u32, u32, u32)>,
    pub(crate) pool: Vec<u8>,
}

const OPEN: u32 = u32::MAX;

impl Asm {
    /// No code yet; with VEX prefixes, or EVEX.
    pub(crate) fn new(vex: bool) -> Asm {
        Asm { vex, ..Asm::default() }
    }
    pub(crate) fn bytes(&mut self, b: &[u8]) {
        self.code.extend_from_slice(b);
    }
    fn here(&self) -> u32 {
        self.code.len() as u32
    }
    /// A label to be bound later.
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(OPEN);
        Label(self.labels.len() as u32 - 1)
    }
    /// The label is here.
    pub(crate) fn bind(&mut self, l: Label) {
        self.labels[l.0 as usize] = self.here();
    }
    /// Puts `bytes` into the pool at a multiple of their length; gives the offset.
    pub(crate) fn constant(&mut self, bytes: &[u8]) -> u32 {
        let at = self.pool.len().next_multiple_of(bytes.len());
        self.pool.resize(at, 0);
        self.pool.extend_from_slice(bytes);
        at as u32
    }
    /// No-ops up to a multiple of 32.
    pub(crate) fn align(&mut self) {
        // The long no-op of the SDM, in the lengths it lists.
        const NOPS: [&[u8]; 9] = [
            &[0x90],
            &[0x66, 0x90],
            &[0x0f, 0x1f, 0x00],
            &[0x0f, 0x1f, 0x40, 0x00],
            &[0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
            &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
        ];
        let mut gap = self.code.len().next_multiple_of(32) - self.code.len();
        while gap > 0 {
            let k = gap.min(9);
            self.bytes(NOPS[k - 1]);
            gap -= k;
        }
    }

    /// ModRM, SIB and displacement of an address, `reg` in the middle field.
    fn address(&mut self, reg: u8, m: Mem, unit: i32) {
        let (r, b) = ((reg & 7) << 3, m.base.0 & 7);
        let short = m.disp % unit == 0 && (-128..128).contains(&(m.disp / unit));
        // A base of rbp or r13 has no form without displacement.
        let mode = if m.disp == 0 && b != 5 {
            0
        } else if short {
            0x40
        } else {
            0x80
        };
        match m.scale {
            Some(s) => self.bytes(&[mode | r | 4, s << 6 | b]),
            None if b == 4 => self.bytes(&[mode | r | 4, 0x24]),
            None => self.bytes(&[mode | r | b]),
        }
        match mode {
            0 => {}
            0x40 => self.code.push((m.disp / unit) as u8),
            _ => self.bytes(&m.disp.to_le_bytes()),
        }
    }
    fn pool_address(&mut self, reg: u8, off: u32, after: u32) {
        self.code.push((reg & 7) << 3 | 5);
        let at = self.here();
        self.bytes(&[0; 4]);
        self.pools.push((at, at + 4 + after, off));
    }

    /// [`Asm::evex`] with a three-byte VEX prefix.
    fn vex(&mut self, i: Insn, len: Len, reg: u8, v: u8, rm: Rm) {
        let b = match rm {
            Rm::Reg(r) => r >> 3 & 1,
            Rm::Mem(m, _) | Rm::Bc(m) => m.base.0 >> 3 & 1,
            Rm::Pool(_) | Rm::PoolBc(_) => 0,
        };
        let i = i.vex();
        let p0 = (!(reg >> 3) & 1) << 7 | 0x40 | (!b & 1) << 5 | i.map;
        let p1 = u8::from(i.w) << 7 | (!v & 15) << 3 | (len as u8) << 2 | i.pp;
        self.bytes(&[0xc4, p0, p1, i.op]);
        match rm {
            Rm::Reg(r) => self.code.push(0xc0 | (reg & 7) << 3 | r & 7),
            Rm::Mem(m, _) | Rm::Bc(m) => self.address(reg, m, 1),
            Rm::Pool(off) | Rm::PoolBc(off) => self.pool_address(reg, off, u32::from(i.imm >= 0)),
        }
        if i.imm >= 0 {
            self.code.push(i.imm as u8);
        }
    }
    /// `lea r64` of an address in the pool.
    pub(crate) fn lea_pool(&mut self, r: Gpr, off: u32) {
        self.bytes(&[0x48 | (r.0 >> 3) << 2, 0x8d]);
        self.pool_address(r.0, off, 0);
    }
    /// An EVEX instruction: `reg` destination (or source of a store, or opcode extension), `v` first source, `k` mask
    /// register (0: none), `z` zero what is masked away.
    pub(crate) fn evex(&mut self, i: Insn, len: Len, reg: u8, v: u8, rm: Rm, k: u8, z: bool) {
        if self.vex {
            debug_assert!(k == 0 && len < Len::Z && reg < 16 && v < 16);
            return self.vex(i, len, reg, v, rm);
        }
        let (x, b) = match rm {
            Rm::Reg(r) => (r >> 4 & 1, r >> 3 & 1),
            Rm::Mem(m, _) | Rm::Bc(m) => (0, m.base.0 >> 3 & 1),
            Rm::Pool(_) | Rm::PoolBc(_) => (0, 0),
        };
        let bc = matches!(rm, Rm::Bc(_) | Rm::PoolBc(_));
        let p0 = (!(reg >> 3) & 1) << 7 | (!x & 1) << 6 | (!b & 1) << 5 | (!(reg >> 4) & 1) << 4 | i.map;
        let p1 = (i.w as u8) << 7 | (!v & 15) << 3 | 4 | i.pp;
        let p2 = (z as u8) << 7 | (len as u8) << 5 | (bc as u8) << 4 | (!(v >> 4) & 1) << 3 | k;
        self.bytes(&[0x62, p0, p1, p2, i.op]);
        let el = if i.w { 8 } else { 4 };
        let imm = u32::from(i.imm >= 0);
        match rm {
            Rm::Reg(r) => self.code.push(0xc0 | (reg & 7) << 3 | r & 7),
            Rm::Mem(m, unit) => self.address(reg, m, i32::from(unit)),
            Rm::Bc(m) => self.address(reg, m, el),
            Rm::Pool(off) | Rm::PoolBc(off) => self.pool_address(reg, off, imm),
        }
        if i.imm >= 0 {
            self.code.push(i.imm as u8);
        }
    }

    /// A mask instruction on registers: `dst = v op rm` (two-byte VEX in map 0F, W0).
    pub(crate) fn kop(&mut self, op: u8, two: bool, dst: u8, v: u8, rm: u8) {
        self.bytes(&[0xc5, 0x80 | (!v & 15) << 3 | u8::from(two) << 2, op, 0xc0 | dst << 3 | rm]);
    }
    /// `kmovw` from memory (0x90) or to it (0x91).
    pub(crate) fn kmov_mem(&mut self, op: u8, k: u8, m: Mem) {
        debug_assert!(m.base.0 < 8);
        self.bytes(&[0xc5, 0xf8, op]);
        self.address(k, m, 1);
    }
    /// `kmovw k, r32` for one of the first eight registers.
    pub(crate) fn kmov_gpr(&mut self, k: u8, r: Gpr) {
        debug_assert!(r.0 < 8);
        self.bytes(&[0xc5, 0xf8, 0x92, 0xc0 | k << 3 | r.0]);
    }

    fn rex(&mut self, w: bool, reg: Gpr, m: Mem) {
        let r = u8::from(w) << 3 | (reg.0 >> 3) << 2 | m.base.0 >> 3;
        if r != 0 {
            self.code.push(0x40 | r);
        }
    }
    /// An integer instruction `op` between a register and memory.
    pub(crate) fn gm(&mut self, w: bool, op: &[u8], reg: Gpr, m: Mem) {
        self.rex(w, reg, m);
        self.bytes(op);
        self.address(reg.0, m, 1);
    }
    /// `mov r64, [m]`.
    pub(crate) fn load(&mut self, r: Gpr, m: Mem) {
        self.gm(true, &[0x8b], r, m);
    }
    /// `mov [m], r64`.
    pub(crate) fn store(&mut self, r: Gpr, m: Mem) {
        self.gm(true, &[0x89], r, m);
    }
    /// `lea r64, [m]`.
    pub(crate) fn lea(&mut self, r: Gpr, m: Mem) {
        self.gm(true, &[0x8d], r, m);
    }
    /// `op rm64, r64` on registers (01 add, 29 sub, 39 cmp, 89 mov).
    pub(crate) fn gg(&mut self, op: u8, rm: Gpr, reg: Gpr) {
        self.bytes(&[0x48 | (reg.0 >> 3) << 2 | rm.0 >> 3, op, 0xc0 | (reg.0 & 7) << 3 | rm.0 & 7]);
    }
    /// `op r64, imm32` (/0 add, /4 and, /5 sub, /7 cmp); gives where the number stands.
    pub(crate) fn gi(&mut self, ext: u8, rm: Gpr, imm: i32) -> usize {
        self.bytes(&[0x48 | rm.0 >> 3, 0x81, 0xc0 | ext << 3 | rm.0 & 7]);
        self.bytes(&imm.to_le_bytes());
        self.code.len() - 4
    }
    /// `mov r64, imm64`.
    pub(crate) fn movabs(&mut self, r: Gpr, x: u64) {
        self.bytes(&[0x48 | r.0 >> 3, 0xb8 | r.0 & 7]);
        self.bytes(&x.to_le_bytes());
    }
    pub(crate) fn push(&mut self, r: Gpr) {
        if r.0 >= 8 {
            self.code.push(0x41);
        }
        self.code.push(0x50 | r.0 & 7);
    }
    pub(crate) fn pop(&mut self, r: Gpr) {
        if r.0 >= 8 {
            self.code.push(0x41);
        }
        self.code.push(0x58 | r.0 & 7);
    }
    /// `prefetcht0 [m]`.
    pub(crate) fn prefetch(&mut self, m: Mem) {
        self.gm(false, &[0x0f, 0x18], Gpr(1), m);
    }
    /// A conditional jump (`cc`: 2 below, 3 not below, 4 zero, 5 not zero, 6 not above, 7 above).
    pub(crate) fn jcc(&mut self, cc: u8, l: Label) {
        self.bytes(&[0x0f, 0x80 | cc]);
        self.rel(l);
    }
    pub(crate) fn jmp(&mut self, l: Label) {
        self.code.push(0xe9);
        self.rel(l);
    }
    pub(crate) fn call(&mut self, l: Label) {
        self.code.push(0xe8);
        self.rel(l);
    }
    fn rel(&mut self, l: Label) {
        let at = self.here();
        self.jumps.push((at, l));
        self.bytes(&[0; 4]);
    }

    /// The finished bytes: code, then the pool at a multiple of 64.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        for &(at, l) in &self.jumps {
            let to = self.labels[l.0 as usize];
            debug_assert!(to != OPEN);
            let d = to.wrapping_sub(at + 4);
            self.code[at as usize..at as usize + 4].copy_from_slice(&d.to_le_bytes());
        }
        if !self.pools.is_empty() {
            self.code.resize(self.code.len().next_multiple_of(64), 0xcc);
        }
        let base = self.code.len() as u32;
        for &(at, end, off) in &self.pools {
            let d = (base + off).wrapping_sub(end);
            self.code[at as usize..at as usize + 4].copy_from_slice(&d.to_le_bytes());
        }
        self.code.extend_from_slice(&self.pool);
        self.code
    }
}
