//! A contraction whose factors may lie in memory in fewer bits than they are multiplied in: who widens which of them, and when.
use tfc_ir::{Code, DType, Error, Result};

use super::super::small::{Fill, Widen};
use super::{BoundDot, Work, key, too_large};
use crate::machine::mem::ALIGN;
use tfc_kernels::vmath::Isa;
use tfc_plan::plan::Dot;

impl BoundDot {
    /// The same for an instruction set; `None`: the library and plain loops. `tiles`: the machine's own tiles may be used where it has any.
    ///
    /// # Errors
    /// As [`BoundDot::bind`].
    pub(crate) fn bind_small(
        (isa, tiles): (Option<Isa>, bool),
        d: &Dot,
        (stored, dtype): ([DType; 2], DType),
        dims: [&[usize]; 2],
        strides: [&[isize]; 2],
        how: (Option<&[isize]>, bool),
    ) -> Result<BoundDot> {
        let small = stored.map(|s| if s == dtype { None } else { Widen::of(s, dtype, isa) });
        if small.iter().zip(stored).any(|(w, s)| w.is_none() && s != dtype) {
            return Err(Error::bug(Code::E0718, format!("no product of {dtype} reads {stored:?}")));
        }
        if small.iter().all(Option::is_none) {
            return BoundDot::bind_for(isa, d, dtype, dims, strides, how);
        }
        // Bound as if the factors lay there in full, in their order, the product says which of them it reads as they are.
        let mut full = strides.map(<[isize]>::to_vec);
        for (full, by) in full.iter_mut().zip(small) {
            full.iter_mut().for_each(|s| *s = by.map_or(*s, |w| w.full(*s)));
        }
        let (mut fills, mut room) = ([None, None], [0; 2]);
        loop {
            let mut bound = BoundDot::bind_for(isa, d, dtype, dims, [&full[0], &full[1]], how)?;
            if tiles && fills.iter().all(Option::is_none) && bound.as_bytes(small) {
                bound.key = key(dims, strides, how.0);
                return Ok(bound);
            }
            let mut again = false;
            for s in 0..2 {
                let Some(by) = small[s].filter(|_| fills[s].is_none() && !bound.takes(s)) else { continue };
                let (fill, laid, bytes) = Fill::of(by, dims[s], strides[s]).ok_or_else(too_large)?;
                again |= laid != full[s];
                (fills[s], full[s], room[s]) = (Some(fill), laid, bytes);
            }
            if again {
                continue;
            }
            bound.key = key(dims, strides, how.0);
            for s in 0..2 {
                bound.behind[s] = room[s].next_multiple_of(ALIGN);
                bound.bytes[s] = bound.behind[s].checked_add(bound.bytes[s]).ok_or_else(too_large)?;
            }
            bound.reads([0, 1].map(|s| small[s].filter(|_| fills[s].is_none())), small);
            bound.copies |= fills.iter().any(Option::is_some);
            bound.fills = fills;
            return Ok(bound);
        }
    }
    /// Has both factors read as bytes, by what multiplies bytes, where the machine has that.
    fn as_bytes(&mut self, small: [Option<Widen>; 2]) -> bool {
        let plain = self.packing.iter().all(Option::is_none);
        match (&mut self.work, small) {
            (Work::I32(r), [Some(a), Some(b)]) if plain => r.as_bytes([a, b], &self.shape.batch),
            _ => false,
        }
    }
    /// Whether it reads a small factor as that lies.
    fn takes(&self, side: usize) -> bool {
        self.packing[side].is_none()
            && match &self.work {
                Work::F32(r) => r.takes(side, &self.shape.batch),
                Work::I32(r) => r.takes(side, &self.shape.batch),
                _ => false,
            }
    }
    /// Says which factors it reads as they lie, and how small all of them are.
    fn reads(&mut self, lying: [Option<Widen>; 2], all: [Option<Widen>; 2]) {
        let bits = if let [Some(a), Some(b)] = all { Some(a.bits.max(b.bits)) } else { None };
        match &mut self.work {
            Work::F32(r) => r.reads(lying, bits),
            Work::I32(r) => r.reads(lying, bits),
            _ => {}
        }
    }
}
