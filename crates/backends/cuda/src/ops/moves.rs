//! Windows summed where they overlap.
use tfc_ir::{Result, ScalarOp, ops};
use tfc_plan::plan::KernelStep;
use tfc_plan::space::Space;

use super::{Rows, Site, Step, extents, misfit};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, threads};
use crate::text::scalar::{ctype, literal};
use crate::text::{Kernel, Param};

pub(super) const CORE: Rows = &[(&ops::shape::OVERLAP_ADD, overlap)];

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
    let sum = texts.functions.apply(ScalarOp::Add, &[("sum", d), ("x(place)", d)], d)?;
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
