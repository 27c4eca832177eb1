//! What the bodies of one function share: code so far, constants, places in the frame; and the vocabulary of bodies.
use super::Ahead;
use super::asm::*;
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
    /// Where an operand is found.
    pub(super) place: Vec<Place>,
    /// Register of an operand's address; the others are read from the table at each use.
    pub(super) pinned: Vec<Option<Gpr>>,
    /// Operands written past the caches.
    pub(super) nt: Vec<bool>,
    /// Where in the frame an operand's only element lies.
    pub(super) splat: Vec<i32>,
    /// Frame: where spills begin, and spill slots in use.
    pub(super) spills: i32,
    pub(super) slots: u32,
    /// Frame: where operands and result of calls lie.
    pub(super) area: i32,
    /// Pool offset of a constant.
    pub(super) pooled: Vec<u32>,
    /// Pool offset of a table.
    pub(super) tabled: Vec<u32>,
    /// Pool offset of sixteen bytes of 1.
    pub(super) ones: Option<u32>,
    /// The routine that saves everything around a call.
    pub(super) save: Option<Label>,
    /// How each operand is prefetched.
    pub(super) prefetch: Vec<Ahead>,
    /// Register of the address of what is prefetched of the next row.
    pub(super) reach: Vec<Option<Gpr>>,
    /// Does the main loop use non-temporal stores?
    pub(super) stream: bool,
    /// How often a value is used; values nobody uses are not computed.
    pub(super) used: Vec<u32>,
    /// What is computed once a run.
    pub(super) fixed: Vec<Once>,
}
impl Shared<'_> {
    pub(super) fn len(&self, size: u32) -> Len {
        match size * self.lanes {
            64 => Len::Z,
            32 => Len::Y,
            _ => Len::X,
        }
    }
    pub(super) fn pool(&mut self, id: Id) -> u32 {
        if self.pooled[id as usize] == NONE {
            self.pooled[id as usize] = match self.ssa.ops[id as usize] {
                // Without broadcasts a constant is there for each lane.
                Op::Const(x, Ty::W64) if self.a.vex => self.a.constant(&x.to_le_bytes().repeat(4)),
                Op::Const(x, _) if self.a.vex => self.a.constant(&(x as u32).to_le_bytes().repeat(8)),
                Op::Const(x, Ty::W64) => self.a.constant(&x.to_le_bytes()),
                Op::Const(x, _) => self.a.constant(&(x as u32).to_le_bytes()),
                _ => 0,
            };
        }
        self.pooled[id as usize]
    }
    /// Bytes of a spill slot: a vector.
    pub(super) fn slot_bytes(&self) -> i32 {
        if self.lanes == 1 { 16 } else { 64 }
    }
    pub(super) fn ones(&mut self) -> u32 {
        let at = self.ones.unwrap_or_else(|| self.a.constant(&[1; 16]));
        self.ones = Some(at);
        at
    }
    pub(super) fn table(&mut self, k: u32, ty: Ty) -> u32 {
        if self.tabled[k as usize] == NONE {
            let wide = |x: &u64| x.to_le_bytes().into_iter().take(ty.size() as usize).collect::<Vec<u8>>();
            let bytes: Vec<u8> = self.ssa.tables[k as usize].iter().flat_map(wide).collect();
            self.tabled[k as usize] = self.a.constant(&bytes);
        }
        self.tabled[k as usize]
    }
    pub(super) fn save(&mut self) -> Label {
        let l = self.save.unwrap_or_else(|| self.a.label());
        self.save = Some(l);
        l
    }
    /// Call of the saving routine; see `frame.rs` for what the bits of `info` are.
    pub(super) fn call_out(&mut self, f: usize, info: u64) {
        let save = self.save();
        self.a.movabs(R11, f as u64);
        self.a.movabs(RCX, info);
        self.a.call(save);
    }
}
/// In place of a number of elements: the function of a call is a [`super::ssa::PatchFn`].
pub(super) const PATCH: u64 = 0;

pub(super) const NONE: u32 = u32::MAX;

/// Where an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// At the address in that entry of the table.
    Table(u32),
    /// Its only element, or vector, is there in the frame.
    Frame(i32),
}
impl Place {
    /// The entry of the table, for operands that have one.
    pub(super) fn entry(self) -> Mem {
        match self {
            Place::Table(k) => Mem::at(RDI, 16 * k as i32),
            Place::Frame(at) => Mem::at(RSP, at),
        }
    }
}

/// Is a value the same for the whole run?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Once {
    /// No.
    No,
    /// Yes, and the loops do not read it; or a constant or splat.
    Inner,
    /// Yes, and the loops read it from this place in the frame.
    Kept(i32),
}

/// How a body is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Whole vectors.
    Whole,
    /// Under the mask k1.
    Masked,
    /// One element.
    One,
    /// What is the same for the whole run, before the loops.
    Before,
}

/// A jump out of the line, to be written after the bodies.
pub(super) struct Stub {
    pub(super) out: Label,
    pub(super) back: Label,
    pub(super) patch: u32,
    pub(super) dbl: bool,
    pub(super) x: u8,
    pub(super) v: u8,
    pub(super) k: u8,
}
impl Stub {
    pub(super) fn emit(&self, s: &mut Shared) {
        let (len, mov) = (s.len(if self.dbl { 8 } else { 4 }), Insn::fp(false, 0x11));
        let place = |i: i32| Rm::Mem(Mem::at(RSP, s.area + 64 * i), unit(len));
        let (x, v, k) = (place(0), place(1), Mem::at(RSP, s.area + 128));
        s.a.bind(self.out);
        let Some(f) = s.ssa.patches[self.patch as usize] else {
            s.a.evex(Insn::fp(false, 0x28), len, self.v, 0, Rm::Reg(self.x), 0, false);
            s.a.jmp(self.back);
            return;
        };
        s.a.evex(mov, len, self.x, 0, x, 0, false);
        s.a.evex(mov, len, self.v, 0, v, 0, false);
        if s.a.vex {
            s.a.evex(mov, len, self.k, 0, place(2), 0, false);
        } else {
            s.a.kmov_mem(0x91, self.k, k);
        }
        s.call_out(f as usize, PATCH);
        s.a.evex(Insn::fp(false, 0x10), len, self.v, 0, v, 0, false);
        s.a.jmp(self.back);
    }
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

/// Bytes of a vector.
pub(super) fn unit(len: Len) -> u8 {
    16 << len as u8
}
