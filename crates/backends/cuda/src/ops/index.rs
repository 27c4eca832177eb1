//! `gather`, and what it has in common with `scatter` ([`super::scatter`]). Where a window begins follows from an index vector, which the
//! thread of an element reads itself.
use tfc_ir::ops::index::IndexDims;
use tfc_ir::{Result, ops};
use tfc_plan::plan::{KernelStep, Slot};
use tfc_plan::space::Space;

use super::{Rows, Site, Step, misfit};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, threads};
use crate::text::moves::word;
use crate::text::scalar::ctype;
use crate::text::{Kernel, Param};

pub(super) const CORE: Rows = &[(&ops::index::GATHER, gather)];

fn param(ty: String, name: &str) -> Param {
    Param { ty, name: name.into() }
}
/// Statements that add to `place` where the window begins whose index vector lies at `from`, and say whether it is `inside`.
pub(super) fn starts(components: usize, clamp: bool, from: &str) -> String {
    let mut out = String::new();
    for k in 0..components {
        let check = if clamp { "" } else { " inside = inside && s >= 0 && s <= by.last[K];" };
        let line = format!(
            "{{ i64 s = wide(index({from} + K * by.vector));{check} s = s < 0 ? 0 : s; s = s > by.last[K] ? by.last[K] : s; place += s * by.stride[K]; }}\n"
        );
        out += &line.replace('K', &k.to_string());
    }
    out
}
/// The argument that says where windows may begin.
pub(super) fn places(frame: &Frame, d: &IndexDims, [x, index, windowed]: [Slot; 3], at: Slot) -> Arg {
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
pub(super) fn nest(
    frame: &Frame,
    d: &IndexDims,
    [x, index, windowed]: [Slot; 3],
    axes: impl Fn(bool) -> bool,
) -> Space {
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

struct Gather {
    dims: IndexDims,
    kernel: String,
    rank: usize,
    operand_rank: usize,
}
fn gather(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let (index, y) = (site.operand(1)?, site.result(0)?);
    let dims = IndexDims::of_gather(site.attrs(), index);
    let clamp = site.attrs().word("out_of_bounds") != Some("zero");
    let (t, it) = (word(y.dtype.size()), ctype(index.dtype));
    let rank = y.rank().max(1);
    let zero = if t == "c64" { "c64{0.0, 0.0}" } else { "0" };
    let body = format!(
        "  for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {{
    const auto x_ = at.index(i);
    const i64 from = at.place(2, x_);
    i64 place = at.place(1, x_);
    bool inside = by.fits != 0;
    {}    y(at.place(0, x_)) = inside ? x(place) : {zero};
  }}
",
        starts(dims.map.len(), clamp, "from").replace('\n', "\n    ").trim_end_matches(' ').to_owned()
    );
    let kernel = texts.add(Kernel {
        name: format!("gather_{t}"),
        params: vec![
            param(format!("In<{t}>"), "x"),
            param(format!("In<{it}>"), "index"),
            param(format!("Out<{t}>"), "y"),
            param(format!("Starts<{}>", dims.map.len().max(1)), "by"),
            param(format!("Loops<{rank}, 3>"), "at"),
        ],
        body,
    });
    Ok(Box::new(Gather { dims, kernel, rank, operand_rank: site.operand(0)?.rank() }))
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
