//! Windows summed where they overlap.
use tfc_ir::Result;
use tfc_plan::plan::KernelStep;
use tfc_plan::space::Space;

use super::{Site, Step, extents, misfit};
use crate::device::Arg;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, threads};

/// Windows summed where they overlap: a thread an element of the result, which walks the elements of a window, the last axis
/// fastest, and takes those of windows that begin in the right place. Its kernel takes the operand, the result, loops over the result (places
/// in both), and over a window: its place in the operand, then dilation, stride and number of windows along each axis.
pub struct OverlapAdd {
    kernel: String,
    axes: Vec<usize>,
}
impl OverlapAdd {
    /// What a step sums, by the kernel of that name.
    pub fn of(site: &Site, kernel: String) -> OverlapAdd {
        OverlapAdd { kernel, axes: site.attrs().indices("axes") }
    }
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
