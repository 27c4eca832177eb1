//! What puts elements of its operands somewhere else: joined, padded, replaced in part, on a diagonal, summed where windows
//! overlap. All but the last are copies.
use tfc_ir::{Code, Error, Result, ScalarOp, ops};
use tfc_plan::plan::KernelStep;
use tfc_plan::space::{Space, pad_axis};

use super::{Rows, Site, Step, extents, misfit};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::{At, Ctx, Frame};
use crate::run::launch::{loops, threads};
use crate::text::scalar::{ctype, literal};
use crate::text::{Kernel, Param};

pub(super) const CORE: Rows = &[
    (&ops::shape::CONCAT, |s, _| Ok(Box::new(Concat { axis: s.attrs().int("axis") as usize }))),
    (&ops::shape::PAD, |_, _| Ok(Box::new(Pad { suffix: false }))),
    (&ops::shape::PAD_SUFFIX, |_, _| Ok(Box::new(Pad { suffix: true }))),
    (&ops::shape::DYNAMIC_UPDATE_SLICE, |_, _| Ok(Box::new(Update))),
    (&ops::shape::EMBED_DIAG, |_, _| Ok(Box::new(EmbedDiag))),
    (&ops::shape::OVERLAP_ADD, overlap),
];

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

/// Windows summed where they overlap: a thread an element of the result, which walks the elements of a window, the last axis
/// fastest, and takes those of windows that begin in the right place.
struct OverlapAdd {
    kernel: String,
    axes: Vec<usize>,
}
fn overlap(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let axes = site.attrs().indices("axes");
    let d = site.result(0)?.dtype;
    let rank = site.result(0)?.rank();
    let t = ctype(d);
    let n = axes.len();
    let sum = texts.source.functions.apply(ScalarOp::Add, &[("sum", d), ("x(place)", d)], d)?;
    let zero = literal([0; 16], d);
    let mut body = format!(
        "  for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {{
    const auto x_ = at.index(i);
    {t} sum = {zero};
    for (i64 e = 0; e < windows.count(); e++) {{
      const auto w = windows.index(e);
      i64 place = at.place(0, x_) + windows.place(0, w);
      bool inside = true;
"
    );
    for (k, &a) in axes.iter().enumerate() {
        // Axis `a` of the result; the last axis of the window is its first loop.
        let l = n - 1 - k;
        body += &format!(
            "      {{
        const i64 p = x_.at[{a}] - w.at[{l}] * windows.stride[1][{l}];
        const i64 s = p / windows.stride[2][{l}];
        inside = inside && p >= 0 && p % windows.stride[2][{l}] == 0 && s < windows.stride[3][{l}];
        place += (s - x_.at[{a}]) * at.stride[0][{a}];
      }}
"
        );
    }
    body += &format!("      if (inside) sum = {sum};\n    }}\n    y(at.place(1, x_)) = sum;\n  }}\n");
    let param = |ty: String, name: &str| Param { ty, name: name.into() };
    let kernel = texts.add(Kernel {
        name: format!("overlap_add_{t}"),
        params: vec![
            param(format!("In<{t}>"), "x"),
            param(format!("Out<{t}>"), "y"),
            param(format!("Loops<{}, 2>", rank.max(1)), "at"),
            param(format!("Loops<{}, 4>", n.max(1)), "windows"),
        ],
        body,
    });
    Ok(Box::new(OverlapAdd { kernel, axes }))
}
impl Step for OverlapAdd {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        let list = |name: &str| -> Result<Vec<i64>> {
            let v = extents(frame, step, name)?;
            Ok(if v.is_empty() { vec![1; self.axes.len()] } else { v })
        };
        let (stride, dilation) = (list("stride")?, list("dilation")?);
        let (n, from, to) = (frame.dims(src), frame.strides(src), frame.strides(dst));
        let (rank, all) = (to.len(), frame.len(dst)?);
        if all == 0 {
            return Ok(());
        }
        // Loops as they are written: the kernel names axes.
        let mut at = raw(2);
        for a in 0..rank {
            at.dims.push(frame.dims(dst)[a]);
            at.strides.extend([from[a], to[a]]);
        }
        let mut windows = raw(4);
        for (i, &a) in self.axes.iter().enumerate().rev() {
            windows.dims.push(n[rank + i]);
            windows.strides.extend([from[rank + i], dilation[i] as isize, stride[i] as isize, n[a] as isize]);
        }
        let ptr = |s: u32| Arg::Ptr(frame.ptr[s as usize]);
        let args = [ptr(src), ptr(dst), loops(&at, rank), loops(&windows, self.axes.len())];
        ctx.module.launch(&self.kernel, threads(all), &args)
    }
}
/// Loops that are filled as they are.
fn raw(operands: usize) -> Space {
    let mut s = Space::default();
    s.clear(operands);
    s
}
