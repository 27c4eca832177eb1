//! Kernels that put elements of their operands somewhere else: joined, padded, replaced in part, on a diagonal; and lines of
//! numbers.
use std::sync::Arc;

use tfc_ir::{Code, Error, Result, ops};

use super::positions::{displaced, fill_outside, iota, outside};
use super::{Rows, misfit};
use crate::compiled::Compiled;
use crate::copy::{At, Ready, copy_nd};
use crate::kernel::{Bound, Kernel, KernelCx};
use crate::machine::mem::Ptr;
use tfc_plan::plan::{Place, Slot};
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

/// Copies into parts of a result, each from a slot or from zeros.
#[derive(Debug)]
struct Parts {
    dst: Slot,
    from: Vec<(Option<Slot>, isize, Ready)>,
}
/// An element of zeros.
static ZERO: [u64; 2] = [0; 2];
impl Bound for Parts {
    fn run(&mut self, cx: &mut KernelCx) -> Result<()> {
        let (frame, _, ctx, ..) = cx.all();
        let to = frame.ptr[self.dst as usize];
        for (src, at, ready) in &self.from {
            let src = src.map_or(Ptr(ZERO.as_ptr().cast_mut().cast()), |s| frame.ptr[s as usize]);
            // SAFETY: the slots have the extents and strides that the copies were made for; parts of the result are disjoint.
            unsafe { ready.go(ctx.pool, &mut frame.space, to.at(*at), src) };
        }
        Ok(())
    }
}

/// Whether an operand has been computed where it goes in the result.
fn is_part(plan: &Compiled, operand: Slot, result: Slot) -> bool {
    matches!(plan.slots[operand as usize].place, Place::Part { of, .. } if of == result)
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
            if !is_part(plan, a, dst) {
                frame.copy_part(plan, ctx, a, dst, at as isize * frame.strides(plan, dst)[self.axis]);
            }
            at += frame.dims(plan, a)[self.axis];
        }
        Ok(())
    }
    fn bind(&self, cx: &mut KernelCx) -> Result<Option<Box<dyn Bound>>> {
        let (frame, plan, _, args, dsts) = cx.all();
        let &[dst] = dsts else { return Err(misfit(&cx.site())) };
        let (to, size) = (frame.strides(plan, dst), plan.slots[dst as usize].dtype.size());
        let (mut at, mut from) = (0, vec![]);
        for &a in args {
            if !is_part(plan, a, dst) {
                let ready = Ready::new(frame.dims(plan, a), to, frame.strides(plan, a), size);
                from.push((Some(a), at as isize * to[self.axis], ready));
            }
            at += frame.dims(plan, a)[self.axis];
        }
        Ok(Some(Box::new(Parts { dst, from })))
    }
}

/// Padding by given numbers of elements, or (`suffix`) behind, up to the extents of the result.
#[derive(Debug)]
struct Pad {
    suffix: bool,
}
/// Where the elements of a padded operand go.
struct Padded {
    /// Extents of what is copied, strides of the operand and of the result.
    dims: Vec<usize>,
    from: Vec<isize>,
    to: Vec<isize>,
    /// Bytes from the first elements of the operand and of the result to where the copy begins.
    at: [isize; 2],
    /// By axis: the place in the result, and how many elements, where nothing stands between them.
    inside: Vec<(usize, usize)>,
    gaps: bool,
}
impl Pad {
    fn padded(&self, cx: &mut KernelCx) -> Result<Padded> {
        let by =
            if self.suffix { None } else { Some([cx.extents("low")?, cx.extents("high")?, cx.extents("interior")?]) };
        let (frame, plan, _, args, dsts) = cx.all();
        let (&[src, ..], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let rank = plan.slots[src as usize].dims.len();
        let (dims, from, to, inside) = (vec![0; rank], vec![0; rank], vec![0; rank], vec![(0, 0); rank]);
        let mut p = Padded { dims, from, to, at: [0; 2], inside, gaps: false };
        for a in 0..rank {
            let n = frame.dims(plan, src)[a];
            let [low, high, gap] = match &by {
                Some(lists) => lists.each_ref().map(|l| l.get(a).copied().unwrap_or(0)),
                None => [0, frame.dims(plan, dst)[a] as i64 - n as i64, 0],
            };
            let (first, count, place) =
                pad_axis(n, low, high, gap).ok_or_else(|| Error::new(Code::E0405, "padding overflows 64 bits"))?;
            p.dims[a] = count;
            p.inside[a] = (place, count);
            p.gaps |= gap > 0 && count > 1;
            p.from[a] = frame.strides(plan, src)[a];
            p.to[a] = frame.strides(plan, dst)[a];
            p.at = [p.at[0] + first as isize * p.from[a], p.at[1] + place as isize * p.to[a]];
            p.to[a] *= gap as isize + 1;
        }
        Ok(p)
    }
}
impl Kernel for Pad {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let p = self.padded(cx)?;
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src, ..], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let value = args.get(1).map_or(Ptr(ZERO.as_ptr().cast_mut().cast()), |&v| frame.ptr[v as usize]);
        let size = plan.slots[src as usize].dtype.size();
        // What the operand's elements do not cover.
        if p.gaps || p.dims.contains(&0) {
            frame.fill(plan, ctx, dst, value);
        } else {
            let mut space = std::mem::take(&mut frame.space);
            let whole = frame.dims(plan, dst);
            // SAFETY: the slot is placed, and the box inside it; the value is an element of its type.
            unsafe { fill_outside(ctx.pool, &mut space, whole, frame.at(plan, dst), &p.inside, value, size) };
            frame.space = space;
        }
        if is_part(plan, src, dst) {
            return Ok(());
        }
        let s = At { ptr: frame.ptr[src as usize].at(p.at[0]), strides: &p.from };
        let d = At { ptr: frame.ptr[dst as usize].at(p.at[1]), strides: &p.to };
        // SAFETY: `pad_axis` keeps both views inside their tensors.
        unsafe { copy_nd(ctx.pool, &mut frame.space, &p.dims, d, s, size) };
        Ok(())
    }
    fn bind(&self, cx: &mut KernelCx) -> Result<Option<Box<dyn Bound>>> {
        let p = self.padded(cx)?;
        let (frame, plan, _, args, dsts) = cx.all();
        let (&[src, ..], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let (whole, to) = (frame.dims(plan, dst), frame.strides(plan, dst));
        let (value, size) = (args.get(1).copied(), plan.slots[src as usize].dtype.size());
        let parts = match p.gaps || p.dims.contains(&0) {
            true => vec![(whole.to_vec(), vec![0; whole.len()])],
            false => outside(whole, to, &p.inside),
        };
        let zeros = vec![0; to.len()];
        let mut from: Vec<(Option<Slot>, isize, Ready)> = parts
            .into_iter()
            .map(|(dims, at)| (value, displaced(&at, to), Ready::new(&dims, to, &zeros, size)))
            .collect();
        if !is_part(plan, src, dst) {
            let ready = Ready::new(&p.dims, &p.to, &p.from, size);
            from.push((Some(src), p.at[1], ready.from(p.at[0])));
        }
        Ok(Some(Box::new(Parts { dst, from })))
    }
}

/// A copy (none where the result lies over the operand) with a part replaced that starts at computed indices.
#[derive(Debug)]
struct Update;
impl Update {
    /// By axis: where the part begins in the result, and its extent.
    fn window(cx: &mut KernelCx) -> Result<Vec<(usize, usize)>> {
        let (frame, plan, _, args, dsts) = cx.all();
        let (&[_, update, ref at @ ..], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let one = |(a, &i)| (frame.clamped(plan, dst, update, a, i) as usize, frame.dims(plan, update)[a]);
        Ok(at.iter().enumerate().map(one).collect())
    }
    /// The boxes of the result that are copied from the operand: extents and where they begin.
    fn rest(cx: &mut KernelCx, window: &[(usize, usize)]) -> Result<Vec<(Vec<usize>, Vec<usize>)>> {
        let (frame, plan, _, args, dsts) = cx.all();
        let (&[src, update, ..], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let whole = frame.dims(plan, dst);
        let most = is_part(plan, update, dst) || 2 * frame.len(plan, update)? > frame.len(plan, dst)?;
        Ok(match plan.slots[dst as usize].over == src {
            true => vec![],
            // What is replaced is not copied.
            false if most => outside(whole, frame.strides(plan, dst), window),
            false => vec![(whole.to_vec(), vec![0; whole.len()])],
        })
    }
}
impl Kernel for Update {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let window = Update::window(cx)?;
        let rest = Update::rest(cx, &window)?;
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src, update, ..], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let mut space = std::mem::take(&mut frame.space);
        let [to, from] = [dst, src].map(|s| frame.at(plan, s));
        let size = plan.slots[dst as usize].dtype.size();
        for (dims, start) in rest {
            let [d, s] = [to, from].map(|x| At { ptr: x.ptr.at(displaced(&start, x.strides)), ..x });
            // SAFETY: a part of both slots, which have one shape; the result's storage is its own.
            unsafe { copy_nd(ctx.pool, &mut space, &dims, d, s, size) };
        }
        frame.space = space;
        if !is_part(plan, update, dst) {
            let start: Vec<usize> = window.iter().map(|x| x.0).collect();
            let o = displaced(&start, frame.strides(plan, dst));
            frame.copy_part(plan, ctx, update, dst, o);
        }
        Ok(())
    }
    fn bind(&self, cx: &mut KernelCx) -> Result<Option<Box<dyn Bound>>> {
        let (frame, plan, _, args, dsts) = cx.all();
        let (&[src, update, ref at @ ..], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        if plan.slots[dst as usize].over == src
            && !is_part(plan, update, dst)
            && let Some(n) = frame.contiguous(plan, update, dst, update)?
        {
            return Ok(Some(Box::new(Bytes { update, dst, n, at: frame.places(plan, dst, update, at) })));
        }
        // Where the part begins is known now, or at each run.
        if !at.iter().all(|&i| matches!(plan.slots[i as usize].place, Place::Const(_))) {
            return Ok(None);
        }
        let window = Update::window(cx)?;
        let rest = Update::rest(cx, &window)?;
        let (frame, plan, ..) = cx.all();
        let size = plan.slots[dst as usize].dtype.size();
        let [to, old, new] = [dst, src, update].map(|s| frame.strides(plan, s));
        let mut from: Vec<(Option<Slot>, isize, Ready)> = rest
            .into_iter()
            .map(|(dims, at)| {
                (Some(src), displaced(&at, to), Ready::new(&dims, to, old, size).from(displaced(&at, old)))
            })
            .collect();
        if !is_part(plan, update, dst) {
            let start: Vec<usize> = window.iter().map(|x| x.0).collect();
            let ready = Ready::new(frame.dims(plan, update), to, new, size);
            from.push((Some(update), displaced(&start, to), ready));
        }
        Ok(Some(Box::new(Parts { dst, from })))
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
