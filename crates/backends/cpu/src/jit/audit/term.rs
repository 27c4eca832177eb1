//! What registers and memory hold, as terms: equal terms are one number, so that two ways to compute a value are compared
//! by comparing numbers. A term says what a lane holds, not where it is; constants have one form at every width.
use std::collections::HashMap;

use super::super::asm::{Insn, Len};
use tfc_ir::hash::WordHash;

/// A term, by number.
pub(super) type T = u32;
/// No operand.
pub(super) const NO: T = T::MAX;

/// A place whose contents are a term of their own: before the function begins, or where ways meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Loc {
    /// A general-purpose register.
    G(u8),
    /// A vector register.
    Z(u8),
    /// A mask register.
    K(u8),
    /// The flags.
    Flags,
    /// Bytes at a base, from an offset on.
    Mem(T, i64, u32),
}

/// What a term is, apart from its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Head {
    /// What was there when the function began.
    Init(Loc),
    /// What is there where ways come together at a place in the code and bring different things, or what a call leaves.
    Join(u32, Loc),
    /// The second operand where the first holds, else the third: after a jump out of the line and back.
    Either,
    /// The bottom of the frame.
    Frame,
    /// A number.
    Num(u64),
    /// The operand plus a number.
    Off(i64),
    /// An integer instruction, with its immediate.
    Int(u16, i64),
    /// Every eight bytes of a vector.
    Const(u64),
    /// The bytes of a vector.
    Bytes(Vec<u8>),
    /// So many bytes in memory, at base plus scaled index plus displacement; the third operand is the mask.
    Load(u8, i64, u32),
    /// The first bytes in every lane of that size.
    Spread(u32),
    /// The first bytes, the rest is lost.
    Low(u32),
    /// Bytes out of the middle: from, how many.
    Part(u32, u32),
    /// A vector instruction on operands in the order of their meaning.
    Do(Insn, u8, Len),
    /// `a·b + c` or `c − a·b`.
    Fma(bool, bool, Len),
    /// The second operand where the first holds, else the third, lane by lane.
    Select(Len),
    /// A mask instruction.
    Kop(u8),
    /// The second operand where the first holds, else 0, byte by byte.
    Zeroed,
    /// The signs of the lanes, as bits.
    Signs(bool, Len),
    /// A flag that says whether any lane holds.
    Any,
    /// What a scalar kernel, by its address, makes of vectors.
    Called(u64),
    /// What a patch makes of `x`, `v` and the mask.
    Patched(u64),
}

/// All terms of one function.
#[derive(Default)]
pub(super) struct Terms {
    known: HashMap<(Head, [T; 3]), T, WordHash>,
    all: Vec<(Head, [T; 3])>,
    /// Bytes that matter of a term's value; 0: as many as are looked at, `None`: nobody said.
    width: Vec<Option<u32>>,
}
impl Terms {
    pub(super) fn make(&mut self, head: Head, args: [T; 3]) -> T {
        let width = match head {
            Head::Const(_) | Head::Spread(_) | Head::Bytes(_) => Some(0),
            Head::Load(_, _, n) | Head::Low(n) | Head::Part(_, n) | Head::Init(Loc::Mem(_, _, n)) => Some(n),
            Head::Num(_) | Head::Off(_) | Head::Int(..) => Some(8),
            _ => None,
        };
        let next = self.all.len() as T;
        let (all, widths) = (&mut self.all, &mut self.width);
        *self.known.entry((head, args)).or_insert_with_key(|k| {
            all.push(k.clone());
            widths.push(width);
            next
        })
    }
    pub(super) fn head(&self, t: T) -> (&Head, [T; 3]) {
        match self.all.get(t as usize) {
            Some((h, a)) => (h, *a),
            None => (&Head::Frame, [NO; 3]),
        }
    }
    /// The value that a term stands for has so many bytes.
    pub(super) fn wide(&mut self, t: T, bytes: u32) {
        if let Some(w @ None) = self.width.get_mut(t as usize) {
            *w = Some(bytes);
        }
    }
    /// The first `n` bytes of a term: all of it, if its value has no more.
    pub(super) fn low(&mut self, t: T, n: u32) -> T {
        match self.width.get(t as usize) {
            Some(Some(w)) if *w <= n => t,
            _ => self.make(Head::Low(n), [t, NO, NO]),
        }
    }
    pub(super) fn num(&mut self, x: u64) -> T {
        self.make(Head::Num(x), [NO; 3])
    }
    /// `t + by`.
    pub(super) fn off(&mut self, t: T, by: i64) -> T {
        let (base, at) = self.place(t);
        match (self.head(base), at.wrapping_add(by)) {
            ((&Head::Num(x), _), by) => self.num(x.wrapping_add_signed(by)),
            (_, 0) => base,
            (_, by) => self.make(Head::Off(by), [base, NO, NO]),
        }
    }
    /// A term as another one plus a number.
    pub(super) fn place(&self, t: T) -> (T, i64) {
        match self.head(t) {
            (&Head::Off(by), [base, ..]) => (base, by),
            _ => (t, 0),
        }
    }
    /// The bytes of a vector, or the first of it that are repeated.
    pub(super) fn bytes(&mut self, b: &[u8]) -> T {
        let eight: [u8; 8] = std::array::from_fn(|i| b.get(i % b.len().max(1)).copied().unwrap_or(0));
        if b.chunks(8).all(|c| eight.starts_with(c)) {
            self.make(Head::Const(u64::from_le_bytes(eight)), [NO; 3])
        } else {
            self.make(Head::Bytes(b.to_vec()), [NO; 3])
        }
    }
    /// The first `n` bytes of `t` in every lane.
    pub(super) fn spread(&mut self, n: u32, t: T) -> T {
        match self.head(t) {
            (&Head::Const(x), _) => self.bytes(&x.to_le_bytes()[..n.min(8) as usize]),
            _ => self.make(Head::Spread(n), [t, NO, NO]),
        }
    }
    /// `a` where the flags held, else `b`.
    pub(super) fn either(&mut self, holds: T, a: T, b: T) -> T {
        if a == b { a } else { self.make(Head::Either, [holds, a, b]) }
    }
    /// A mask instruction of two operands: 0x44 is the complement of the first.
    pub(super) fn mask(&mut self, op: u8, a: T, b: T) -> T {
        let one = a == b && matches!(op, 0x46 | 0x47);
        let ordered = op != 0x42 && op != 0x44 && b < a;
        match (one, op) {
            (true, _) => self.make(Head::Kop(op), [NO; 3]),
            (_, 0x44) => self.make(Head::Kop(op), [a, NO, NO]),
            _ => self.make(Head::Kop(op), if ordered { [b, a, NO] } else { [a, b, NO] }),
        }
    }
}
