//! Small regions as one call: where the machine code of a region serves all its elements at once and there is no work to
//! share, replaying it is filling in addresses and calling. (What [`Bound::run`] does around that costs more than thirty
//! elements of arithmetic.)
use crate::copy::GRAIN;
use crate::fused::bound::{Bound, Mode};
use crate::fused::code::Class;
use crate::fused::program::Program;
use crate::jit::Code;
use crate::machine::mem::Ptr;
use tfc_kernels::scalar::Src;
use tfc_plan::plan::Slot;

/// A bound region that is one run of machine code.
#[derive(Debug)]
pub(crate) struct Direct {
    code: Code,
    n: usize,
    /// The slot of each operand, and its entry.
    slots: Box<[Slot]>,
    table: Box<[Src]>,
}
// SAFETY: addresses in the table are written before each use and read by nobody else.
unsafe impl Send for Direct {}
// SAFETY: as above.
unsafe impl Sync for Direct {}

impl Direct {
    /// What `bound` does, if it is that; `operands`: the slots of `p`'s operands.
    pub(crate) fn new(bound: &Bound, p: &Program, operands: &[Slot]) -> Option<Direct> {
        let ([phase], [b], Mode::Elementwise) = (&p.phases[..], &bound.phases[..], bound.mode) else { return None };
        let tape = &phase.tape;
        let code = b.code.clone()?;
        let (n, grain) = (b.space.len(), GRAIN / tape.tile * tape.tile);
        if b.staged > 0
            || b.space.rank() > 1
            || b.streams()
            || n == 0
            || n > grain
            || operands.len() != tape.operands.len()
            || tape.complex() > 0
        {
            return None;
        }
        let stride = |k: usize| isize::from(b.class[k] == Class::Stream);
        let table = (0..operands.len()).map(|k| Src { ptr: std::ptr::null(), stride: stride(k) }).collect();
        Some(Direct { code, n, slots: operands.into(), table })
    }
    /// Runs it; `ptr`: addresses by slot.
    ///
    /// # Safety
    /// As [`Bound::run`].
    pub(crate) unsafe fn run(&mut self, ptr: &[Ptr]) {
        for (e, &s) in self.table.iter_mut().zip(&self.slots) {
            e.ptr = ptr[s as usize].0;
        }
        // SAFETY: by contract; operands are dense along the only loop or stand still, as the code was compiled for, and
        // nothing is reduced.
        unsafe { self.code.run(self.n, self.table.as_mut_ptr(), std::ptr::null_mut()) }
    }
}
