//! What the bodies of one function share: code so far, constants, places in the frame; and the vocabulary of bodies.
use super::Ahead;
use super::asm::*;
use super::ssa::{Id, Op, Ssa, Ty};
use std::collections::BTreeMap;

/// What the parts of a function share.
pub(crate) struct Shared<'a> {
    pub(crate) a: Asm,
    pub(crate) ssa: &'a Ssa,
    pub(crate) lanes: u32,
    /// Bytes of an element of each operand.
    pub(crate) size: &'a [u32],
    /// Bytes of an element of each reduction.
    pub(crate) reds: &'a [u32],
    /// Where an operand is found.
    pub(crate) place: Vec<Place>,
    /// Register of an operand's address; the others are read from the table at each use.
    pub(crate) pinned: Vec<Option<Gpr>>,
    /// Operands written past the caches.
    pub(crate) nt: Vec<bool>,
    /// Where in the frame an operand's only element lies.
    pub(crate) splat: Vec<i32>,
    /// Frame: where spills begin, and spill slots in use.
    pub(crate) spills: i32,
    pub(crate) slots: u32,
    /// Frame: where operands and result of calls lie.
    pub(crate) area: i32,
    /// Pool offset of a constant.
    pub(crate) pooled: Vec<u32>,
    /// Pool offset of a table.
    pub(crate) tabled: Vec<u32>,
    /// Pool offset of sixteen bytes of 1.
    pub(crate) ones: Option<u32>,
    /// The routine that saves everything around a call.
    pub(crate) save: Option<Label>,
    /// Registers that hold what places in the frame do, by these places: who writes one writes the other.
    pub(crate) held: Held,
    /// How each operand is prefetched.
    pub(crate) prefetch: Vec<Ahead>,
    /// Register of the address of what is prefetched of the next row.
    pub(crate) reach: Vec<Option<Gpr>>,
    /// Whether the main loop uses non-temporal stores.
    pub(crate) stream: bool,
    /// How often a value is used; values nobody uses are not computed.
    pub(crate) used: Vec<u32>,
    /// What is computed once a run.
    pub(crate) fixed: Vec<Once>,
}
impl Shared<'_> {
    pub(crate) fn len(&self, size: u32) -> Len {
        match size * self.lanes {
            64 => Len::Z,
            32 => Len::Y,
            _ => Len::X,
        }
    }
    pub(crate) fn pool(&mut self, id: Id) -> u32 {
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
    pub(crate) fn slot_bytes(&self) -> i32 {
        if self.lanes == 1 { 16 } else { 64 }
    }
    pub(crate) fn ones(&mut self) -> u32 {
        let at = self.ones.unwrap_or_else(|| self.a.constant(&[1; 16]));
        self.ones = Some(at);
        at
    }
    pub(crate) fn table(&mut self, k: u32) -> u32 {
        if self.tabled[k as usize] == NONE {
            let (ty, table) = self.ssa.tables[k as usize];
            let bytes: Vec<u8> =
                table.iter().flat_map(|x| x.to_le_bytes().into_iter().take(ty.size() as usize)).collect();
            self.tabled[k as usize] = self.a.constant(&bytes);
        }
        self.tabled[k as usize]
    }
    pub(crate) fn save(&mut self) -> Label {
        let l = self.save.unwrap_or_else(|| self.a.label());
        self.save = Some(l);
        l
    }
    /// Call of the saving routine; see `frame.rs` for what the bits of `info` are.
    pub(crate) fn call_out(&mut self, f: usize, info: u64) {
        let save = self.save();
        self.a.movabs(R11, f as u64);
        self.a.movabs(RCX, info);
        self.a.call(save);
    }
}
/// In place of a number of elements: the function of a call is a [`super::ssa::PatchFn`].
pub(crate) const PATCH: u64 = 0;

/// Frame: trips that are left.
pub(crate) const TRIPS: i32 = 24;

pub(crate) const NONE: u32 = u32::MAX;

/// Where an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// At the address in that entry of the table.
    Table(u32),
    /// The only element, or vector, of the operand is in the frame, at this offset.
    Frame(i32),
}
impl Place {
    /// The place in the frame, for operands that have one.
    pub(crate) fn frame(self) -> Option<i32> {
        if let Place::Frame(at) = self { Some(at) } else { None }
    }
    /// The entry of the table, for operands that have one.
    pub(crate) fn entry(self) -> Mem {
        match self {
            Place::Table(k) => Mem::at(RDI, 16 * k as i32),
            Place::Frame(at) => Mem::at(RSP, at),
        }
    }
}

/// Whether a value is the same for the whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Once {
    /// No.
    No,
    /// Yes, and the loops do not read it; or a constant or splat.
    Inner,
    /// Yes, and the loops read it from this place in the frame.
    Kept(i32),
}

/// How a body is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
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
pub(crate) struct Stub {
    pub(crate) out: Label,
    pub(crate) back: Label,
    pub(crate) patch: u32,
    pub(crate) dbl: bool,
    pub(crate) x: u8,
    pub(crate) v: u8,
    pub(crate) k: u8,
}
impl Stub {
    pub(crate) fn emit(&self, s: &mut Shared) {
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

/// Registers that hold what places in the frame do, by these places, with its bytes.
pub(crate) type Held = BTreeMap<i32, (u8, u32)>;

/// Registers that outlive the body.
#[derive(Clone, Default)]
pub(crate) struct Fixed {
    /// Constants and splats kept in registers.
    pub(crate) hoisted: Vec<(Id, u8)>,
    /// Whether reductions are accumulated in registers (from 31 down, one for each copy).
    pub(crate) accs: bool,
    /// Registers that others need, as bits.
    pub(crate) others: u32,
}
impl Fixed {
    pub(crate) fn acc(red: u32, copy: u32) -> u8 {
        31 - (red * 4 + copy) as u8
    }
}

/// Bytes of a vector.
pub(crate) fn unit(len: Len) -> u8 {
    16 << len as u8
}
