//! What puts elements of its operands somewhere else: joined, padded, replaced in part, on a diagonal. All are copies.
use tfc_ir::{Code, Error, Result, ops};
use tfc_plan::plan::KernelStep;
use tfc_plan::space::pad_axis;

use super::{Rows, Step, extents, misfit};
use crate::dialect::Dialect;
use crate::run::frame::{At, Ctx, Frame};

/// The rows whose steps are copies.
pub fn core<D: Dialect>() -> Rows<D> {
    vec![
        (&ops::shape::CONCAT, |s, _| Ok(Box::new(Concat { axis: s.attrs().int("axis") as usize }))),
        (&ops::shape::PAD, |_, _| Ok(Box::new(Pad { suffix: false }))),
        (&ops::shape::PAD_SUFFIX, |_, _| Ok(Box::new(Pad { suffix: true }))),
        (&ops::shape::DYNAMIC_UPDATE_SLICE, |_, _| Ok(Box::new(Update))),
        (&ops::shape::EMBED_DIAG, |_, _| Ok(Box::new(EmbedDiag))),
    ]
}

struct Concat {
    axis: usize,
}
impl Step for Concat {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let &[dst] = &step.dsts[..] else { return Err(misfit()) };
        let mut at = 0;
        for &a in &step.args {
            frame.copy_part(ctx, a, dst, at as isize * frame.strides(dst)[self.axis])?;
            at += frame.dims(a)[self.axis];
        }
        Ok(())
    }
}
/// Padding by given numbers of elements, or (`suffix`) behind, up to the extents of the result.
struct Pad {
    suffix: bool,
}
impl Step for Pad {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[src, ..], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        let by = match self.suffix {
            true => None,
            false => {
                Some([extents(frame, step, "low")?, extents(frame, step, "high")?, extents(frame, step, "interior")?])
            }
        };
        match step.args.get(1) {
            Some(&v) => frame.fill(ctx, dst, frame.ptr[v as usize])?,
            None => frame.zero(ctx, dst)?,
        }
        let rank = frame.dims(src).len();
        let (mut dims, mut from, mut to) = (vec![0; rank], vec![0; rank], vec![0; rank]);
        let (mut p, mut q) = (frame.ptr[src as usize], frame.ptr[dst as usize]);
        for a in 0..rank {
            let n = frame.dims(src)[a];
            let [low, high, gap] = match &by {
                Some(lists) => lists.each_ref().map(|l| l.get(a).copied().unwrap_or(0)),
                None => [0, frame.dims(dst)[a] as i64 - n as i64, 0],
            };
            let (first, count, place) =
                pad_axis(n, low, high, gap).ok_or_else(|| Error::new(Code::E0405, "padding overflows 64 bits"))?;
            dims[a] = count;
            from[a] = frame.strides(src)[a];
            to[a] = frame.strides(dst)[a];
            p = p.at(first as isize * from[a]);
            q = q.at(place as isize * to[a]);
            to[a] *= gap as isize + 1;
        }
        frame.copy(ctx, &dims, At { ptr: p, strides: &from }, At { ptr: q, strides: &to }, frame.size(src))
    }
}
/// A copy (none where the result lies over the operand) with a part replaced that starts at computed indices.
struct Update;
impl Step for Update {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[src, update, ref at @ ..], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        if frame.decl(dst).over != src {
            frame.copy_slot(ctx, src, dst)?;
        }
        let mut o = 0;
        for (axis, &i) in at.iter().enumerate() {
            let last = frame.sizes.room(frame.plan(), dst, update, axis);
            o += frame.scalar(ctx, i)?.clamp(0, last) as isize * frame.strides(dst)[axis];
        }
        frame.copy_part(ctx, update, dst, o)
    }
}
struct EmbedDiag;
impl Step for EmbedDiag {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        frame.zero(ctx, dst)?;
        let mut to: Vec<isize> = frame.strides(dst)[1..].to_vec();
        to[0] += frame.strides(dst)[0];
        frame.copy_to(ctx, src, At { ptr: frame.ptr[dst as usize], strides: &to })
    }
}
