//! What deals in positions: lines of numbers, triangles, the place of an extreme element. A position is
//! an operand without memory: its stride along an axis says how it grows.
use tfc_ir::{Code, Error, Result};
use tfc_plan::plan::{KernelStep, Slot};

use super::{Site, Step, long, misfit, step};
use crate::device::Arg;
use crate::dialect::{Dialect, Texts};
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, space, threads};
use crate::text::Kernel;

/// Two kernels: for one loop, and for a loop an axis.
pub struct Forms {
    flat: String,
    full: String,
    rank: usize,
}
impl Forms {
    /// Writes both: `kernel` of a number of loops.
    pub fn of<D: Dialect>(texts: &mut Texts<D>, rank: usize, mut kernel: impl FnMut(usize) -> Kernel) -> Forms {
        let rank = rank.max(1);
        Forms { flat: texts.add(kernel(1)), full: texts.add(kernel(rank)), rank }
    }
    /// Starts the one that suits loops over these extents, with the strides of some operands, in the order of operand `by`; they are the
    /// last argument.
    ///
    /// # Errors
    /// What the device reports.
    pub fn launch(
        &self,
        ctx: &mut Ctx,
        dims: &[usize],
        strides: &[&[isize]],
        by: usize,
        mut args: Vec<Arg>,
    ) -> Result<()> {
        let s = space(dims, strides, by);
        if s.is_empty() {
            return Ok(());
        }
        let (name, rank) = if s.rank() <= 1 { (&self.flat, 1) } else { (&self.full, self.rank) };
        args.push(loops(&s, rank));
        ctx.module.launch(name, threads(s.len()), &args)
    }
}

/// Numbers that count up along an axis. Its kernel takes the result, and loops over it and the numbers.
pub struct Iota {
    axis: usize,
    forms: Forms,
}
impl Iota {
    /// What a step counts.
    pub fn of(site: &Site, forms: Forms) -> Iota {
        Iota { axis: site.attrs().int("axis") as usize, forms }
    }
}
impl Step for Iota {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let &[dst] = &step.dsts[..] else { return Err(misfit()) };
        let dims = frame.dims(dst);
        // Of a result that is a line, the line is the axis.
        let axis = if dims.len() == 1 { 0 } else { self.axis };
        let count: Vec<isize> = (0..dims.len()).map(|a| isize::from(a == axis)).collect();
        self.forms.launch(ctx, dims, &[frame.strides(dst), &count], 0, vec![Arg::Ptr(frame.ptr[dst as usize])])
    }
    fn pads(&self, _: &Frame, _: &KernelStep, _: &dyn Fn(Slot, usize) -> bool) -> bool {
        true
    }
}

/// A triangle of a matrix. Its kernel takes the operand, the result, `k`, and loops over both and over column minus row.
pub struct Triangle {
    k: i64,
    forms: Forms,
}
impl Triangle {
    /// What a step keeps.
    pub fn of(site: &Site, forms: Forms) -> Triangle {
        Triangle { k: site.attrs().int("k"), forms }
    }
}
impl Step for Triangle {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        let dims = frame.dims(dst);
        // Column minus row.
        let mut d = vec![0; dims.len()];
        (d[0], d[1]) = (-1, 1);
        let args = vec![Arg::Ptr(frame.ptr[src as usize]), Arg::Ptr(frame.ptr[dst as usize]), Arg::Longs(vec![self.k])];
        self.forms.launch(ctx, dims, &[frame.strides(src), frame.strides(dst), &d], 1, args)
    }
}

/// The place of the first extreme element along an axis; NaN is more extreme than any number. Its
/// kernel takes the operand, the result, elements of a line and bytes from one to the next, and loops over lines.
pub struct Extreme {
    axis: usize,
    forms: Forms,
}
impl Extreme {
    /// What a step looks along.
    pub fn of(site: &Site, forms: Forms) -> Extreme {
        Extreme { axis: site.attrs().int("axis") as usize, forms }
    }
}
impl Step for Extreme {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        let (n, by) = (frame.dims(src)[self.axis], frame.strides(src)[self.axis]);
        if n == 0 && frame.len(dst)? > 0 {
            let text = format!("there is no largest or smallest element: axis {} is empty", self.axis);
            return Err(Error::bug(Code::E0718, text));
        }
        let from: Vec<isize> =
            (0..frame.dims(src).len()).filter(|&a| a != self.axis).map(|a| frame.strides(src)[a]).collect();
        let args = vec![Arg::Ptr(frame.ptr[src as usize]), Arg::Ptr(frame.ptr[dst as usize]), long(n), step(by)];
        self.forms.launch(ctx, frame.dims(dst), &[&from, frame.strides(dst)], 1, args)
    }
}
