//! Products: bound to extents and strides once for each layout of their operands, run on addresses alone from then on.
//!
//! A product lays out its result as it is made in place best, where that has storage of its own. It takes an elementwise
//! region that reads it: whether that is applied to its tiles or after it is decided when layouts are known
//! ([`crate::dot::epilogue`]).
use std::sync::Arc;

use tfc_ir::{DType, Result, ops};

use super::Rows;
use crate::compiled::Compiled;
use crate::dot::bind::{BoundDot, DotScratch};
use crate::dot::epilogue::{Joined, NEAR};
use crate::kernel::{Bound, Kernel, KernelCx, Site};
use crate::machine::mem::Buf;
use crate::run::frame::Frame;
use tfc_plan::plan::{Dot, NONE, Place};

/// Kernels of the family.
pub(crate) const CORE: Rows = &[(&ops::contract::DOT_GENERAL, |s| Ok(Arc::new(Product(Dot::of(s.func, s.step)?))))];

/// `dot_general`.
#[derive(Debug)]
struct Product(Dot);

/// The forms for the layouts of the last execution.
#[derive(Default)]
struct Kept {
    dot: Option<Arc<BoundDot>>,
    joined: Option<Arc<Joined>>,
}

impl Kernel for Product {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let dot = self.bound(cx)?;
        match self.joined(cx, &dot)? {
            // SAFETY: bound to the slots as they are now.
            Some(joined) => unsafe { run_joined(cx, &self.0, &joined) },
            None => {
                self.multiply(cx, &dot);
                Ok(())
            }
        }
    }
    fn bind(&self, cx: &mut KernelCx) -> Result<Option<Box<dyn Bound>>> {
        let Kept { dot, joined } = cx.state()?;
        let (dot, joined) = (dot.clone(), joined.clone().filter(|j| j.on_tiles()));
        if let Some(mut joined) = joined {
            let (_, plan, ..) = cx.all();
            if let Some(new) = cx.step.then.as_ref().and_then(|r| joined.again(&plan.fused(r).program)) {
                joined = Arc::new(new);
                cx.state::<Kept>()?.joined = Some(joined.clone());
            }
            cx.applies_region();
            return Ok(Some(Box::new(OnTiles { joined, dot: self.0.clone() })));
        }
        let slots = [self.0.args[0], self.0.args[1], self.0.out];
        Ok(dot.map(|dot| -> Box<dyn Bound> { Box::new(Alone { dot, slots }) }))
    }
    /// Products of real matrices are made tile by tile; small ones stay in the first-level cache anyway.
    fn joins(&self, site: &Site) -> bool {
        let Some(t) = site.result(0) else { return false };
        let elements = t.dims.iter().try_fold(1i64, |n, e| n.checked_mul(e.as_exact()?));
        matches!(t.dtype, DType::F32 | DType::F64) && t.rank() > 1 && elements.is_none_or(|n| n >= NEAR as i64)
    }
}
impl Product {
    /// The product as bound to the layout of its operands, now or in an execution before; the result, which has been placed,
    /// has the strides that it is made with afterwards.
    fn bound(&self, cx: &mut KernelCx) -> Result<Arc<BoundDot>> {
        let known = cx.state::<Kept>()?.dot.clone();
        let (d, (frame, plan, ..)) = (&self.0, cx.all());
        let s = &plan.slots[d.out as usize];
        let own = matches!(s.place, Place::Own(_)) && s.over == NONE;
        let fits = |b: &Arc<BoundDot>| {
            let given = if own { None } else { Some(frame.strides(plan, d.out)) };
            b.fits(d.args.map(|s| frame.dims(plan, s)), d.args.map(|s| frame.strides(plan, s)), given)
        };
        let dot = match known.filter(fits) {
            Some(b) => b,
            None => {
                let turned = frame.wants_turned(plan, d);
                let given = if own { None } else { Some(frame.strides(plan, d.out)) };
                let (dims, strides) = (d.args.map(|s| frame.dims(plan, s)), d.args.map(|s| frame.strides(plan, s)));
                let dtypes = (d.args.map(|a| plan.slots[a as usize].dtype), s.dtype);
                let new = Arc::new(BoundDot::bind(d, dtypes, dims, strides, (given, turned))?);
                for (p, n) in frame.packs.iter_mut().zip(new.scratch()) {
                    p.ensure(n)?;
                }
                cx.state::<Kept>()?.dot = Some(new.clone());
                new
            }
        };
        let (frame, plan, ..) = cx.all();
        frame.strides_mut(plan, d.out).copy_from_slice(dot.strides());
        Ok(dot)
    }
    fn multiply(&self, cx: &mut KernelCx, dot: &BoundDot) {
        let (frame, _, ctx, ..) = cx.all();
        let Frame { ptr, warm, packs, space, .. } = frame;
        let [a, b, out] = [self.0.args[0], self.0.args[1], self.0.out].map(|s| ptr[s as usize]);
        let mut scratch = DotScratch { packs: packs.each_ref().map(Buf::ptr), space };
        // SAFETY: the operands are placed slots with the extents and strides that the product was bound to; the result's
        // storage is its own.
        unsafe { dot.run_into(ctx.pool, a, b, (out, warm[self.0.out as usize]), &mut scratch, None) };
    }
    /// The product with the region of the step, as bound to these layouts, now or in an execution before; `None` where there is
    /// none that is applied to tiles. What it writes is placed.
    fn joined(&self, cx: &mut KernelCx, dot: &Arc<BoundDot>) -> Result<Option<Arc<Joined>>> {
        let Some(r) = &cx.step.then else { return Ok(None) };
        cx.place_region()?;
        let known = cx.state::<Kept>()?.joined.clone();
        let (frame, plan, ..) = cx.all();
        let mut strides = std::mem::take(&mut frame.flat);
        frame.loop_strides(plan, r, &mut strides);
        let joined = match known {
            Some(j) if j.fits(dot, &strides) => j,
            _ => Arc::new(Joined::bind(dot, &plan.fused(r).program, &strides)),
        };
        frame.flat = strides;
        cx.state::<Kept>()?.joined = Some(joined.clone());
        Ok(Some(joined).filter(|j| j.on_tiles()))
    }
}
impl Frame {
    /// Whether a product's result had better have free axes of the right factor as the fastest: as what it meets lies, or as the
    /// program's axes do.
    fn wants_turned(&mut self, plan: &Compiled, d: &Dot) -> bool {
        let left = d.free[0].len();
        let right = left..left + d.free[1].len();
        match self.wanted_first(plan, d.out).map(|a| d.order[a]) {
            Some(axis) if axis < right.end => right.contains(&axis),
            _ => self.last_first(),
        }
    }
}
/// Multiplies and applies the region of the step, tile by tile.
///
/// # Safety
/// `joined` is applied to tiles and was bound to the layouts that the slots of `d` and of the region have; all are placed.
unsafe fn run_joined(cx: &mut KernelCx, d: &Dot, joined: &Joined) -> Result<()> {
    let Some(r) = &cx.step.then else { return Err(super::misfit(&cx.site())) };
    cx.applies_region();
    let (frame, plan, ctx, ..) = cx.all();
    let Frame { ptr, packs, space, .. } = frame;
    let at = [d.args[0], d.args[1], d.out].map(|s| ptr[s as usize]);
    let mut scratch = DotScratch { packs: packs.each_ref().map(Buf::ptr), space };
    let base = |k: usize| ptr[r.operands[k] as usize];
    // SAFETY: slots are placed; planning lets the region's outputs lie over no factor, and over the product or another
    // operand only where its tape allows that.
    unsafe { joined.run(ctx.pool, &plan.fused(r).program, at, base, &mut scratch) }
}

/// A product bound to its layouts.
#[derive(Debug)]
struct Alone {
    dot: Arc<BoundDot>,
    /// Factors, result.
    slots: [u32; 3],
}
impl Bound for Alone {
    fn run(&mut self, cx: &mut KernelCx) -> Result<()> {
        let Frame { ptr, packs, space, .. } = &mut *cx.frame;
        let [a, b, out] = self.slots.map(|s| ptr[s as usize]);
        let mut scratch = DotScratch { packs: packs.each_ref().map(Buf::ptr), space };
        // SAFETY: extents and strides are those that it was bound to; the result's storage is its own.
        unsafe { self.dot.run(cx.ctx.pool, a, b, out, &mut scratch) };
        Ok(())
    }
}
/// The same with the region that is applied to its tiles.
#[derive(Debug)]
struct OnTiles {
    dot: Dot,
    joined: Arc<Joined>,
}
impl Bound for OnTiles {
    fn run(&mut self, cx: &mut KernelCx) -> Result<()> {
        // SAFETY: extents and strides are those that it was bound to.
        unsafe { run_joined(cx, &self.dot, &self.joined) }
    }
}
