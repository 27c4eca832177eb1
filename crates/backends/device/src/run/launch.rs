//! Launches: loop nests as kernels take them, and how many threads.
use tfc_ir::{Code, Error, Result};
use tfc_plan::plan::*;
use tfc_plan::space::Space;

use super::frame::{At, Ctx, Frame};
use super::walks::{Call, Choice, Side, Team, spread};
use crate::device::{Arg, Ptr, Shape};
use crate::region::{PACK, THREADS, Walk};

/// Most blocks of a launch: what is left, they take in turn.
const MOST_BLOCKS: usize = 1 << 14;

/// Blocks of threads that work for themselves, for so many elements.
pub fn threads(n: usize) -> Shape {
    let block = n.next_power_of_two().clamp(32, THREADS as usize);
    Shape { grid: [n.div_ceil(block).clamp(1, MOST_BLOCKS) as u32, 1, 1], block: [block as u32, 1, 1] }
}
/// One thread.
pub fn one() -> Shape {
    Shape { grid: [1, 1, 1], block: [1, 1, 1] }
}
/// So many blocks, of so many threads each.
pub fn blocks(n: usize, block: u32) -> Shape {
    Shape { grid: [n.clamp(1, MOST_BLOCKS) as u32, 1, 1], block: [block, 1, 1] }
}
/// A loop nest as the prelude's `Loops<rank, operands>`: what `s` has, and loops of one trip.
pub fn loops(s: &Space, rank: usize) -> Arg {
    let rank = rank.max(1);
    let k = s.operands.max(1);
    let mut b = Vec::with_capacity((1 + k) * rank);
    b.extend((0..rank).map(|l| if l < s.rank() { s.dims[l] as i64 } else { 1 }));
    for k in 0..k {
        b.extend((0..rank).map(|l| if l < s.rank() && k < s.operands { s.stride(l, k) as i64 } else { 0 }));
    }
    Arg::Longs(b)
}
/// Loops over these extents, with the strides of some operands, in the order that suits operand `by`; neighbours that all operands
/// walk as one are one.
pub fn space(dims: &[usize], strides: &[&[isize]], by: usize) -> Space {
    let mut s = Space::default();
    s.clear(strides.len());
    for (a, &n) in dims.iter().enumerate() {
        s.push(n, false, |k| strides[k][a]);
    }
    s.sort_by_key(|s, l| match s.stride(l, by).unsigned_abs() {
        0 => usize::MAX,
        step => step,
    });
    s.collapse();
    s
}

impl Frame<'_> {
    /// Copies the elements of a slot to a place with these strides.
    ///
    /// # Errors
    /// What the device reports.
    pub fn copy_to(&self, ctx: &mut Ctx, src: Slot, dst: At) -> Result<()> {
        self.copy(ctx, self.dims(src), self.at(src), dst, self.size(src))
    }
    /// Copies elements of that size between places with strides of their own.
    ///
    /// # Errors
    /// What the device reports.
    pub fn copy(&self, ctx: &mut Ctx, dims: &[usize], src: At, dst: At, size: usize) -> Result<()> {
        let mut s = space(dims, &[src.strides, dst.strides], 1);
        if s.is_empty() {
            return Ok(());
        }
        let rank = dims.len().max(1);
        let sides = [src.ptr, dst.ptr].into_iter().enumerate();
        let sides: Vec<Side> = sides.map(|(k, ptr)| Side { k, ptr, size: size as isize }).collect();
        let copies = &self.code.copies;
        let (walk, shape) = spread(&mut s, &sides, PACK / size, |w| copies.contains_key(&(w, size, rank)));
        let rank = if walk == Walk::Elements && s.rank() <= 1 { 1 } else { rank };
        let name = copies
            .get(&(walk, size, rank))
            .ok_or_else(|| Error::bug(Code::E0718, format!("no kernel copies {size} bytes along {rank} loops")))?;
        ctx.module.launch(name, shape, &[Arg::Ptr(src.ptr), Arg::Ptr(dst.ptr), loops(&s, rank)])
    }
    /// Copies bytes that lie one after the other.
    ///
    /// # Errors
    /// What the device reports.
    pub fn bytes(&self, ctx: &mut Ctx, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
        ctx.device.copy(dst, src, bytes)
    }
    /// Bytes from one trip of loop `l` of a region to the next in its operand `k`.
    pub(super) fn loop_stride(&self, r: &Run, k: usize, l: usize) -> isize {
        match r.maps[k * r.loops.len() + l] {
            NONE => 0,
            axis => self.strides(r.operands[k])[axis as usize],
        }
    }
    /// Runs a region whose outputs are placed.
    ///
    /// # Errors
    /// `E042x` extents, what the device reports.
    pub fn run_region(&mut self, ctx: &mut Ctx, r: &Run) -> Result<()> {
        let code = self.code;
        let region = &code.regions[r.id as usize];
        let plan = self.plan();
        let dims = r.loops.iter().map(|&e| self.sizes.count(plan, e)).collect::<Result<Vec<_>>>()?;
        let n = r.loops.len();
        let stride = |k: usize, l: usize| self.loop_stride(r, k, l);
        let operands = r.operands.len();
        let outs = operands - r.outs.len()..operands;
        let nest = |reduced: bool, by: &dyn Fn(&dyn Fn(usize) -> bool) -> Option<usize>| {
            let mut s = Space::default();
            s.clear(operands);
            let mine: Vec<usize> = (0..n).filter(|&l| r.reduced[l] == reduced).collect();
            for &l in &mine {
                s.push(dims[l], false, |k| stride(k, l));
            }
            let walks = |k: usize| mine.iter().any(|&l| dims[l] > 1 && stride(k, l) != 0);
            if let Some(by) = by(&walks) {
                s.sort_by_key(|s, l| match s.stride(l, by).unsigned_abs() {
                    0 => usize::MAX,
                    x => x,
                });
            }
            s.collapse();
            s
        };
        // The order of loops is that of the first output's elements; where something is reduced, that of the first operand along
        // whose rows that is done.
        let first = |walks: &dyn Fn(usize) -> bool| outs.clone().chain(0..operands).find(|&k| walks(k));
        let row = nest(true, &first);
        let main = (0..operands).find(|&k| (0..row.rank()).any(|l| row.stride(l, k) != 0));
        let kept = nest(false, &|walks| main.filter(|&k| walks(k)).or_else(|| first(walks)));
        if kept.is_empty() {
            return Ok(());
        }
        let ptr: Vec<Ptr> = r.operands.iter().map(|&s| self.ptr[s as usize]).collect();
        let mut call = Call { region, kept, row, ptr: &ptr };
        let choice = call.choose()?;
        if let Some((code, all)) = &mut ctx.taken
            && std::ptr::eq(*code, self.code)
        {
            all.entry(r.id).or_insert(call.taken(&choice)?);
        }
        self.launch_region(ctx, &call, &choice)
    }
    /// Starts the kernel, or the two kernels, that were chosen.
    fn launch_region(&mut self, ctx: &mut Ctx, call: &Call, choice: &Choice) -> Result<()> {
        let region = call.region;
        let too_large = || Error::new(Code::E0406, "rows that are kept are too large");
        let mut args: Vec<Arg> = call.ptr.iter().map(|&p| Arg::Ptr(p)).collect();
        let form = choice.form.0;
        if form.walk == Walk::Teams {
            let row = call.row.len().max(1).next_multiple_of(16);
            for (i, &size) in region.rows.iter().enumerate() {
                let bytes = (choice.shape.grid[0] as usize).checked_mul(row).and_then(|n| n.checked_mul(size));
                args.push(Arg::Ptr(self.scratch(ctx, i, bytes.ok_or_else(too_large)?)?));
            }
        }
        let mut buffers = vec![];
        if let Some((_, parts)) = choice.parts {
            for (i, &size) in region.folds.iter().enumerate() {
                let bytes = call.kept.len().checked_mul(parts).and_then(|n| n.checked_mul(size));
                buffers.push(Arg::Ptr(self.scratch(ctx, i, bytes.ok_or_else(too_large)?)?));
            }
        }
        let mut folds = args.clone();
        args.extend(buffers.clone());
        args.push(loops(&call.kept, form.kept));
        if let Some(t) = choice.team {
            args.extend([loops(&call.row, form.reduced), team(t)]);
        }
        let Some((section, parts)) = choice.parts else {
            return ctx.module.launch(&choice.form.1, choice.shape, &args);
        };
        args.push(long(section));
        ctx.module.launch(&choice.form.1, choice.shape, &args)?;
        let fold = call.fold(parts)?;
        folds.extend(buffers);
        folds.push(loops(&call.kept, fold.form.0.kept));
        folds.extend(fold.team.map(team));
        folds.push(long(parts));
        ctx.module.launch(&fold.form.1, fold.shape, &folds)
    }
}
/// A team as the prelude's `Team`.
fn team(t: Team) -> Arg {
    Arg::Words(vec![t.lanes, t.step, u32::from(t.packed)])
}
fn long(n: usize) -> Arg {
    Arg::Longs(vec![n as i64])
}
