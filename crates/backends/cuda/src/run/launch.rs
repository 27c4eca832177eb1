//! Launches: loop nests as kernels take them, and how many threads.
use tfc_ir::{Error, Result};
use tfc_plan::plan::*;
use tfc_plan::sizes::space::Space;

use super::frame::{At, Ctx, Frame};
use crate::device::{Arg, Ptr, Shape};
use crate::program::Region;
use crate::text::region::{Form, MOST_THREADS, Walk};

/// Threads of a block where each works for itself.
const THREADS: u32 = 256;
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
    let mut b = Vec::with_capacity((1 + k) * rank * 8);
    for l in 0..rank {
        b.extend((if l < s.rank() { s.dims[l] as i64 } else { 1 }).to_le_bytes());
    }
    for k in 0..k {
        for l in 0..rank {
            b.extend((if l < s.rank() && k < s.operands { s.stride(l, k) as i64 } else { 0 }).to_le_bytes());
        }
    }
    Arg::Bytes(b)
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
        let s = space(dims, &[src.strides, dst.strides], 1);
        if s.is_empty() {
            return Ok(());
        }
        let rank = if s.rank() <= 1 { 1 } else { dims.len() };
        let name = self
            .code
            .copies
            .get(&(size, rank))
            .ok_or_else(|| Error::new("E0718", format!("no kernel copies {size} bytes along {rank} loops")))?;
        ctx.module.launch(name, threads(s.len()), &[Arg::Ptr(src.ptr), Arg::Ptr(dst.ptr), loops(&s, rank)])
    }
    /// Copies bytes that lie one after the other.
    ///
    /// # Errors
    /// What the device reports.
    pub fn bytes(&self, ctx: &mut Ctx, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
        ctx.device.copy(dst, src, bytes)
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
        let stride = |k: usize, l: usize| match r.maps[k * n + l] {
            NONE => 0,
            a => self.strides(r.operands[k])[a as usize],
        };
        let operands = r.operands.len();
        // The order of loops is that of the first output's elements; of reduced ones, that of the first operand which they walk.
        let nest = |reduced: bool| {
            let mut s = Space::default();
            s.clear(operands);
            let mine: Vec<usize> = (0..n).filter(|&l| r.reduced[l] == reduced).collect();
            for &l in &mine {
                s.push(dims[l], false, |k| stride(k, l));
            }
            let walks = |k: usize| mine.iter().any(|&l| dims[l] > 1 && stride(k, l) != 0);
            let outs = operands - r.outs.len()..operands;
            let by = outs.chain(0..operands).find(|&k| walks(k));
            if let Some(by) = by {
                s.sort_by_key(|s, l| match s.stride(l, by).unsigned_abs() {
                    0 => usize::MAX,
                    x => x,
                });
            }
            s.collapse();
            s
        };
        let reduces = region.forms.iter().any(|f| f.0.walk != Walk::Elements);
        let (kept, row) = (nest(false), nest(true));
        if kept.is_empty() {
            return Ok(());
        }
        let mut args: Vec<Arg> = r.operands.iter().map(|&s| Arg::Ptr(self.ptr[s as usize])).collect();
        let (rows, short) = (kept.len(), row.len());
        let walk = match (reduces, region.rows.is_empty()) {
            (false, _) => Walk::Elements,
            (true, true) if short <= 32 || (rows >= 4096 && short <= 1024) => Walk::Each,
            (true, _) => Walk::Rows,
        };
        let form = pick(region, walk, kept.rank(), row.rank())?;
        let shape = match walk {
            Walk::Rows => blocks(rows, short.next_power_of_two().clamp(32, MOST_THREADS as usize) as u32),
            _ => threads(rows),
        };
        for (i, &size) in region.rows.iter().enumerate() {
            let bytes = (shape.grid[0] as usize).checked_mul(short.max(1)).and_then(|n| n.checked_mul(size));
            let bytes = bytes.ok_or_else(|| Error::new("E0406", "rows that are kept are too large"))?;
            args.push(Arg::Ptr(self.scratch(ctx, i, bytes)?));
        }
        args.push(loops(&kept, form.0.kept));
        if reduces {
            args.push(loops(&row, form.0.reduced));
        }
        ctx.module.launch(&form.1, shape, &args)
    }
}
fn pick(region: &Region, walk: Walk, kept: usize, row: usize) -> Result<&(Form, String)> {
    let fits = |f: &&(Form, String)| {
        f.0.walk == walk && kept <= f.0.kept && row <= f.0.reduced.max(usize::from(walk == Walk::Elements))
    };
    region.forms.iter().find(fits).ok_or_else(|| Error::new("E0718", "a region without a kernel for its loops"))
}
