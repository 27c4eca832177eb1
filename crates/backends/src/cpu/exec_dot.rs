//! Contractions as steps: bound once per layout of the operands, kept in the frame, run on addresses.
use std::sync::Arc;

use tfc_ir::Result;

use super::bound_dot::{BoundDot, DotScratch};
use super::frame::{Ctx, Frame};
use super::mem::Buf;
use super::plan::*;

impl Frame {
    /// Runs a contraction.
    pub(crate) fn dot(&mut self, plan: &Plan, ctx: &mut Ctx, d: &Dot) -> Result<()> {
        let b = self.bind_dot(plan, ctx, d)?;
        let ptr = |s: Slot| self.ptr[s as usize];
        let (x, y, out) = (ptr(d.args[0]), ptr(d.args[1]), (ptr(d.out), self.warm[d.out as usize]));
        let packs = self.packs.each_ref().map(Buf::ptr);
        let mut scratch = DotScratch { packs, space: &mut self.space };
        // SAFETY: the operands are placed slots with the extents and strides that the contraction was bound to; the
        // result's storage is its own.
        unsafe { b.run_into(ctx.pool, x, y, out, &mut scratch) };
        Ok(())
    }
    /// Places the result of a contraction and binds it, unless it was bound to this layout of its operands before.
    /// What comes back may be run for as long as that layout stays.
    pub(crate) fn bind_dot(&mut self, plan: &Plan, ctx: &mut Ctx, d: &Dot) -> Result<Arc<BoundDot>> {
        let s = &plan.slots[d.out as usize];
        let own = match s.place {
            Place::Own(r) if s.over == NONE => {
                let n = self.len(plan, d.out)?;
                (self.ptr[d.out as usize], self.warm[d.out as usize]) = self.memory(plan, ctx, r, n)?;
                true
            }
            _ => {
                self.place(plan, ctx, d.out)?;
                false
            }
        };
        if self.dots.len() < plan.slots.len() {
            self.dots.resize_with(plan.slots.len(), || None);
        }
        let [a, b] = d.args;
        let dims = [self.dims(plan, a), self.dims(plan, b)];
        let strides = [self.strides(plan, a), self.strides(plan, b)];
        let given = if own { None } else { Some(self.strides(plan, d.out)) };
        let bound = match &self.dots[d.out as usize] {
            Some(b) if b.fits(dims, strides, given) => b.clone(),
            _ => {
                let new = Arc::new(BoundDot::bind(d, s.dtype, dims, strides, given)?);
                for (p, n) in self.packs.iter_mut().zip(new.scratch()) {
                    p.ensure(n)?;
                }
                self.dots[d.out as usize] = Some(new.clone());
                new
            }
        };
        let at = s.at as usize;
        self.strides[at..at + s.dims.len()].copy_from_slice(bound.strides());
        Ok(bound)
    }
}
