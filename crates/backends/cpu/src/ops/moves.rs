//! Kernels that put elements of their operands somewhere else: joined, padded, replaced in part, on a diagonal; and lines of
//! numbers.
use std::sync::Arc;

use tfc_ir::{Code, Error, Result, ops};

use super::positions::{fill_outside, iota};
use super::{Rows, misfit};
use crate::copy::{At, copy_nd};
use crate::kernel::{Bound, Kernel, KernelCx};
use crate::machine::mem::Ptr;
use tfc_plan::plan::Slot;
use tfc_plan::space::pad_axis;

/// Kernels of these rows.
pub(crate) const CORE: Rows = &[
    (&ops::constant::IOTA, |s| Ok(Arc::new(Iota { axis: s.attrs().int("axis") as usize }))),
    (&ops::shape::CONCAT, |s| Ok(Arc::new(Concat { axis: s.attrs().int("axis") as usize }))),
    (&ops::shape::PAD, |_| Ok(Arc::new(Pad { suffix: false }))),
    (&ops::shape::PAD_SUFFIX, |_| Ok(Arc::new(Pad { suffix: true }))),
    (&ops::shape::DYNAMIC_UPDATE_SLICE, |_| Ok(Arc::new(Update))),
    (&ops::shape::EMBED_DIAG, |_| Ok(Arc::new(EmbedDiag))),
];

/// 0, 1, … along an axis; of a single line, along that.
#[derive(Debug)]
struct Iota {
    axis: usize,
}
impl Kernel for Iota {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, _, dsts) = cx.all();
        let &[dst] = dsts else { return Err(misfit(&cx.site())) };
        let d = &plan.slots[dst as usize];
        let axis = if d.dims.len() == 1 { 0 } else { self.axis };
        let n = frame.dims(plan, dst)[axis];
        if d.dims.len() == 1 && frame.strides(plan, dst)[0] == d.dtype.size() as isize {
            // SAFETY: the slot is placed, and dense.
            unsafe { iota(d.dtype, n, frame.ptr[dst as usize]) };
            return Ok(());
        }
        let p = frame.packs[0].ensure(n * d.dtype.size())?;
        // SAFETY: the buffer has room; the copy below reads it along one axis.
        unsafe {
            iota(d.dtype, n, p);
            let mut from = std::mem::take(&mut frame.flat);
            from.clear();
            from.resize(d.dims.len(), 0);
            from[axis] = d.dtype.size() as isize;
            let src = At { ptr: p, strides: &from };
            let mut space = std::mem::take(&mut frame.space);
            copy_nd(ctx.pool, &mut space, frame.dims(plan, dst), frame.at(plan, dst), src, d.dtype.size());
            frame.space = space;
            frame.flat = from;
        }
        Ok(())
    }
}

/// Operands one after the other.
#[derive(Debug)]
struct Concat {
    axis: usize,
}
impl Kernel for Concat {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let &[dst] = dsts else { return Err(misfit(&cx.site())) };
        let mut at = 0;
        for &a in args {
            frame.copy_part(plan, ctx, a, dst, at as isize * frame.strides(plan, dst)[self.axis]);
            at += frame.dims(plan, a)[self.axis];
        }
        Ok(())
    }
}

/// Padding by given numbers of elements, or (`suffix`) behind, up to the extents of the result.
#[derive(Debug)]
struct Pad {
    suffix: bool,
}
impl Kernel for Pad {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let by =
            if self.suffix { None } else { Some([cx.extents("low")?, cx.extents("high")?, cx.extents("interior")?]) };
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src, ..], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let zero = [0u8; 16];
        let value = args.get(1).map_or(Ptr(zero.as_ptr().cast_mut()), |&v| frame.ptr[v as usize]);
        let (rank, size) = (plan.slots[src as usize].dims.len(), plan.slots[src as usize].dtype.size());
        let (mut dims, mut from, mut to) = (vec![0; rank], vec![0; rank], vec![0; rank]);
        let (mut inside, mut gaps) = (vec![(0, 0); rank], false);
        let (mut p, mut q) = (frame.ptr[src as usize], frame.ptr[dst as usize]);
        for a in 0..rank {
            let n = frame.dims(plan, src)[a];
            let [low, high, gap] = match &by {
                Some(lists) => lists.each_ref().map(|l| l.get(a).copied().unwrap_or(0)),
                None => [0, frame.dims(plan, dst)[a] as i64 - n as i64, 0],
            };
            let (first, count, place) =
                pad_axis(n, low, high, gap).ok_or_else(|| Error::new(Code::E0405, "padding overflows 64 bits"))?;
            dims[a] = count;
            inside[a] = (place, count);
            gaps |= gap > 0 && count > 1;
            from[a] = frame.strides(plan, src)[a];
            to[a] = frame.strides(plan, dst)[a];
            p = p.at(first as isize * from[a]);
            q = q.at(place as isize * to[a]);
            to[a] *= gap as isize + 1;
        }
        // What the operand's elements do not cover.
        if gaps || dims.contains(&0) {
            frame.fill(plan, ctx, dst, value);
        } else {
            let mut space = std::mem::take(&mut frame.space);
            let whole = frame.dims(plan, dst);
            // SAFETY: the slot is placed, and the box inside it; the value is an element of its type.
            unsafe { fill_outside(ctx.pool, &mut space, whole, frame.at(plan, dst), &inside, value, size) };
            frame.space = space;
        }
        let (d, s) = (At { ptr: q, strides: &to }, At { ptr: p, strides: &from });
        // SAFETY: `pad_axis` keeps both views inside their tensors.
        unsafe { copy_nd(ctx.pool, &mut frame.space, &dims, d, s, size) };
        Ok(())
    }
}

/// A copy (none where the result lies over the operand) with a part replaced that starts at computed indices.
#[derive(Debug)]
struct Update;
impl Kernel for Update {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src, update, ref at @ ..], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        if plan.slots[dst as usize].over != src {
            frame.copy_slot(plan, ctx, src, dst);
        }
        let mut o = 0;
        for (axis, &i) in at.iter().enumerate() {
            o += frame.clamped(plan, dst, update, axis, i) as isize * frame.strides(plan, dst)[axis];
        }
        frame.copy_part(plan, ctx, update, dst, o);
        Ok(())
    }
    fn bind(&self, cx: &mut KernelCx) -> Result<Option<Box<dyn Bound>>> {
        let (frame, plan, _, args, dsts) = cx.all();
        let (&[src, update, ref at @ ..], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        if plan.slots[dst as usize].over != src {
            return Ok(None);
        }
        let Some(n) = frame.contiguous(plan, update, dst, update)? else { return Ok(None) };
        Ok(Some(Box::new(Bytes { update, dst, n, at: frame.places(plan, dst, update, at) })))
    }
}
/// A part of a slot replaced by contiguous bytes.
#[derive(Debug)]
struct Bytes {
    update: Slot,
    dst: Slot,
    n: usize,
    /// For each index: its slot, the last place, the stride.
    at: Box<[(Slot, i64, isize)]>,
}
impl Bound for Bytes {
    fn run(&mut self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ..) = cx.all();
        let to = frame.ptr[self.dst as usize].at(frame.offset_of(plan, &self.at));
        crate::run::replay::copy_bytes(frame.ptr[self.update as usize], to, self.n);
        Ok(())
    }
}

/// A diagonal matrix.
#[derive(Debug)]
struct EmbedDiag;
impl Kernel for EmbedDiag {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let zero = [0u8; 16];
        frame.fill(plan, ctx, dst, Ptr(zero.as_ptr().cast_mut()));
        let mut to: Vec<isize> = frame.strides(plan, dst)[1..].to_vec();
        to[0] += frame.strides(plan, dst)[0];
        frame.copy_to(plan, ctx, src, At { ptr: frame.ptr[dst as usize], strides: &to });
        Ok(())
    }
}
