//! Contractions as steps: bound once per layout of the operands, kept in the frame, run on addresses.
use std::sync::Arc;

use tfc_ir::Result;

use super::bind::{BoundDot, DotScratch};
use super::epilogue::Epilogue;
use crate::cpu::compiled::Compiled;
use crate::cpu::machine::mem::Buf;
use crate::cpu::run::frame::{Ctx, Frame};
use tfc_plan::plan::*;

impl Frame {
    /// Runs a contraction, and the region that is joined to it.
    pub(crate) fn dot(&mut self, plan: &Compiled, ctx: &mut Ctx, d: &Dot) -> Result<()> {
        let b = self.bind_dot(plan, ctx, d)?;
        if let Some(r) = &d.then {
            self.place_outs(plan, ctx, r)?;
            let e = self.bind_epilogue(plan, d, r, &b);
            if e.joined() {
                // SAFETY: bound to the slots as they are now.
                return unsafe { self.run_joined(plan, ctx, d, r, &e) };
            }
        }
        let ptr = |s: Slot| self.ptr[s as usize];
        let (x, y, out) = (ptr(d.args[0]), ptr(d.args[1]), (ptr(d.out), self.warm[d.out as usize]));
        let packs = self.packs.each_ref().map(Buf::ptr);
        let mut scratch = DotScratch { packs, space: &mut self.space };
        // SAFETY: the operands are placed slots with the extents and strides that the contraction was bound to; the
        // result's storage is its own.
        unsafe { b.run_into(ctx.pool, x, y, out, &mut scratch, None) };
        d.then.as_ref().map_or(Ok(()), |r| self.run_placed(plan, ctx, r))
    }
    /// Binds the region joined to a contraction, unless it was bound to these layouts before; its outputs are placed.
    fn bind_epilogue(&mut self, plan: &Compiled, d: &Dot, r: &Run, dot: &Arc<BoundDot>) -> Arc<Epilogue> {
        let mut strides = std::mem::take(&mut self.flat);
        self.loop_strides(plan, r, &mut strides);
        if self.epilogues.len() < plan.slots.len() {
            self.epilogues.resize_with(plan.slots.len(), || None);
        }
        let known = &mut self.epilogues[d.out as usize];
        let e = match known {
            Some(e) if e.fits(dot, &strides) => e.clone(),
            _ => known.insert(Arc::new(Epilogue::bind(dot, &plan.fused(r).program, &strides))).clone(),
        };
        self.flat = strides;
        e
    }
    /// Runs a contraction and the region that is joined to it, tile by tile.
    ///
    /// # Safety
    /// `e` is joined and was bound to `d` and `r` and the layouts that their slots have; all are placed.
    pub(crate) unsafe fn run_joined(
        &mut self,
        plan: &Compiled,
        ctx: &Ctx,
        d: &Dot,
        r: &Run,
        e: &Epilogue,
    ) -> Result<()> {
        let at = [d.args[0], d.args[1], d.out].map(|s| self.ptr[s as usize]);
        let packs = self.packs.each_ref().map(Buf::ptr);
        let (ptr, mut scratch) = (&self.ptr, DotScratch { packs, space: &mut self.space });
        // SAFETY: slots are placed; lowering lets the region's outputs lie over no factor, and over the product or another
        // operand only where its tape allows that.
        unsafe { e.run(ctx.pool, &plan.fused(r).program, at, |k| ptr[r.operands[k] as usize], &mut scratch) }
    }
    /// Places the result of a contraction and binds it, unless it was bound to this layout of its operands before.
    /// What comes back may be run for as long as that layout stays.
    pub(crate) fn bind_dot(&mut self, plan: &Compiled, ctx: &mut Ctx, d: &Dot) -> Result<Arc<BoundDot>> {
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
        self.strides_mut(plan, d.out).copy_from_slice(bound.strides());
        Ok(bound)
    }
}
