//! `gather`, and what it has in common with `scatter`. Where a window begins follows from an index vector, which the
//! thread of an element reads itself.
use tfc_ir::ops::index::IndexDims;
use tfc_ir::{Result, ScalarOp};
use tfc_plan::plan::{KernelStep, Slot};
use tfc_plan::space::Space;

use super::{Site, Step, misfit};
use crate::device::Arg;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, threads};

/// The argument that says where windows may begin.
pub fn places(frame: &Frame, d: &IndexDims, [x, index, windowed]: [Slot; 3], at: Slot) -> Arg {
    let nx = frame.dims(x);
    let mut last: Vec<i64> = nx.iter().map(|&n| n as i64 - 1).collect();
    for (a, &w) in d.window_axes(nx.len()).into_iter().zip(&d.window) {
        last[a] = nx[a] as i64 - frame.dims(windowed)[w] as i64;
    }
    let fits = last.iter().enumerate().all(|(a, &l)| l >= 0 || d.batch.contains(&a));
    let vector = frame.strides(index).get(d.vector).copied().unwrap_or(0);
    let n = d.map.len();
    let mut b: Vec<i64> = (0..n.max(1)).map(|k| d.map.get(k).map_or(0, |&a| last[a])).collect();
    b.extend((0..n.max(1)).map(|k| d.map.get(k).map_or(0, |&a| frame.strides(at)[a] as i64)));
    b.extend([vector as i64, i64::from(fits)]);
    Arg::Longs(b)
}
/// Loops over the axes of what is windowed, the last fastest, as its readers need them: strides in it, in the operand (within
/// windows, and along axes that both walk together) and in the indices. `inside` picks axes of windows, `around` the others.
pub fn nest(frame: &Frame, d: &IndexDims, [x, index, windowed]: [Slot; 3], axes: impl Fn(bool) -> bool) -> Space {
    let (n, s) = (frame.dims(windowed), frame.strides(windowed));
    let window = d.window_axes(frame.dims(x).len());
    let si = frame.strides(index);
    let mut list = d.index_axes(si.len());
    let mut out = Space::default();
    out.clear(3);
    for a in (0..n.len()).rev() {
        let by = match d.window.iter().position(|&w| w == a) {
            Some(k) if axes(true) => [s[a], frame.strides(x)[window[k]], 0],
            Some(_) => continue,
            None => {
                let Some(b) = list.pop() else { continue };
                let together = d.index_batch.iter().zip(&d.batch).filter(|p| *p.0 == b);
                let step: isize = together.map(|p| frame.strides(x)[*p.1]).sum();
                if !axes(false) {
                    continue;
                }
                [s[a], step, si[b]]
            }
        };
        out.push(n[a], false, |k| by[k]);
    }
    out
}

/// A gather. Its kernel takes the operand, the indices, the result, where windows may begin, and loops over the result: its place,
/// that of the element in its window, that of its index vector.
pub struct Gather {
    dims: IndexDims,
    kernel: String,
    rank: usize,
    operand_rank: usize,
}
impl Gather {
    /// What a step gathers, by the kernel of that name.
    ///
    /// # Errors
    /// `E0718` where it has no operands.
    pub fn of(site: &Site, dims: IndexDims, kernel: String) -> Result<Gather> {
        let (rank, operand_rank) = (site.result(0)?.rank().max(1), site.operand(0)?.rank());
        Ok(Gather { dims, kernel, rank, operand_rank })
    }
}
impl Step for Gather {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[x, index], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        let slots = [x, index, dst];
        let at = nest(frame, &self.dims, slots, |_| true);
        if at.is_empty() {
            return Ok(());
        }
        let ptr = |s: Slot| Arg::Ptr(frame.ptr[s as usize]);
        let args = [ptr(x), ptr(index), ptr(dst), places(frame, &self.dims, slots, x), loops(&at, self.rank)];
        ctx.module.launch(&self.kernel, threads(at.len()), &args)
    }
    /// Any number is an index, of an element or of none; sizes of windows, of index vectors and of the operand have to be exact.
    fn pads(&self, _: &Frame, step: &KernelStep, more: &dyn Fn(Slot, usize) -> bool) -> bool {
        let (&[x, index], &[dst]) = (&step.args[..], &step.dsts[..]) else { return false };
        let fixed = (0..self.operand_rank).all(|a| !more(x, a)) && self.dims.window.iter().all(|&w| !more(dst, w));
        fixed && !more(index, self.dims.vector)
    }
}
/// Whether only updates at the same place of their windows can go to the same element: windows move along no axis, or along such where
/// they have one element.
///
/// # Errors
/// `E0718` where the step has no operands.
pub fn disjoint(site: &Site, d: &IndexDims) -> Result<bool> {
    let (x, u) = (site.operand(0)?, site.operand(2)?);
    let mut sizes = d.window_axes(x.rank()).into_iter().zip(&d.window).map(|(a, &w)| (a, u.dims[w].as_exact()));
    Ok(sizes.all(|(a, n)| n == Some(1) || !d.map.contains(&a)))
}
/// How a scatter combines: the word, and the function that it means; `set` and a region mean none.
pub fn combination<'a>(site: &Site<'a>) -> (&'a str, Option<ScalarOp>) {
    let word = if site.op().regions.is_empty() { site.attrs().word("combine").unwrap_or("set") } else { "region" };
    let op = match word {
        "add" => Some(ScalarOp::Add),
        "mul" => Some(ScalarOp::Mul),
        "min" => Some(ScalarOp::Min),
        "max" => Some(ScalarOp::Max),
        _ => None,
    };
    (word, op)
}
/// Loops over places of a window and over windows, of which a thread takes a place of all windows; where windows are not disjoint, one place
/// and all updates.
pub fn shares(frame: &Frame, d: &IndexDims, slots: [Slot; 3], disjoint: bool) -> (Space, Space) {
    if disjoint {
        return (nest(frame, d, slots, |inside| inside), nest(frame, d, slots, |inside| !inside));
    }
    let mut one = Space::default();
    one.clear(3);
    (one, nest(frame, d, slots, |_| true))
}
