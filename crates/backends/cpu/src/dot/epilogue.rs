//! Epilogues: an elementwise region that reads a product (bias, activation, scaling, residual) is applied to its tiles
//! while they are in cache, rather than in a second pass over memory. The region's own tape or machine code runs over each
//! rectangle of rows and columns as the product finishes it, so every element has the bits of the second pass.
//!
//! Whether that can be done is known when layouts are: the operands have to lie along the tiles' rows as the product does,
//! or stand still there. Otherwise, and where the result is small enough to stay near anyway, the region runs afterwards.
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tfc_ir::Result;

use super::bind::{BoundDot, DotScratch};
use super::run::Finish;
use crate::fused::program::Program;
use crate::fused::tiles::{Tiled, VECTOR, Workspace, column_trips};
use crate::machine::mem::{Buf, Ptr};
use crate::machine::pool::Pool;
use tfc_plan::space::Space;

/// Elements of one matrix below which calling the region for its parts costs more than a pass over it in cache.
pub(crate) const LEAST: usize = 1024;
/// Elements of the whole result below which it stays in the first-level cache.
pub(crate) const NEAR: usize = 8192;

/// A product and the region after it, bound to extents and strides.
#[derive(Debug)]
pub(crate) struct Joined {
    dot: Arc<BoundDot>,
    /// Strides of the operands, operand by operand, along the axes of the result.
    strides: Box<[isize]>,
    /// The region over a tile's rows and columns; `None` where it runs afterwards.
    tiled: Option<Tiled>,
    /// The operands along the batch.
    batch: Space,
}
impl Joined {
    /// Binds `p`, an elementwise program over the axes of the result of `dot`; `strides`: of its operands, operand by
    /// operand, along these axes.
    pub(crate) fn bind(dot: &Arc<BoundDot>, p: &Program, strides: &[isize]) -> Joined {
        let mut e = Joined { dot: dot.clone(), strides: strides.into(), tiled: None, batch: Space::default() };
        e.tiled = e.tile(p);
        e
    }
    fn tile(&mut self, p: &Program) -> Option<Tiled> {
        let ([rows, columns], phase) = (self.dot.tiles()?, p.phases.first()?);
        let (count, axes) = (p.roles.len(), self.strides.len() / p.roles.len().max(1));
        let of = |k: usize| &self.strides[k * axes..(k + 1) * axes];
        let steps = (0..count).map(|k| self.dot.seen(of(k))).collect::<Option<Vec<_>>>()?;
        let loops: Vec<Vec<(usize, isize)>> = (0..count).map(|k| self.dot.loops(of(k)).collect()).collect();
        let batch = &mut self.batch;
        batch.clear(count);
        for l in 0..loops.first().map_or(0, Vec::len) {
            batch.push(loops[0][l].0, false, |k| loops[k][l].1);
        }
        batch.collapse();
        let cells = rows.saturating_mul(columns);
        let all = cells.saturating_mul(batch.len());
        // Rows that do not fill a vector: a pass over the whole result does, where it lies in one piece.
        if cells < LEAST || all < NEAR || rows.saturating_mul(phase.tape.wide) < VECTOR {
            return None;
        }
        let mut t = Tiled::default();
        t.space.clear(count);
        t.space.push(rows, false, |k| steps[k][0]);
        t.space.push(columns, false, |k| steps[k][1]);
        t.classify(&phase.tape, true);
        if t.staged > 0 || t.space.rank() != 2 {
            return None;
        }
        let work = (all as u64).saturating_mul(phase.tape.cost_ps) / 1000;
        t.generate(&phase.tape, |_| false, 0, work);
        Some(t)
    }
    /// The same, bound once more, where there is no machine code yet: what is run again is worth it.
    pub(crate) fn again(&self, p: &Program) -> Option<Joined> {
        let waits = self.tiled.as_ref().is_some_and(|t| t.code.is_none());
        waits.then(|| Joined::bind(&self.dot, p, &self.strides))
    }
    /// Whether [`Joined::bind`] would give the same.
    pub(crate) fn fits(&self, dot: &Arc<BoundDot>, strides: &[isize]) -> bool {
        Arc::ptr_eq(&self.dot, dot) && *self.strides == *strides
    }
    /// Whether the region is applied to the product's tiles.
    pub(crate) fn on_tiles(&self) -> bool {
        self.tiled.is_some()
    }
    /// Multiplies and applies the region; `at`: factors and product, `base(k)` the address of the region's operand `k`.
    ///
    /// # Errors
    /// `E0705` where there is no scratch memory.
    ///
    /// # Safety
    /// It is [`Joined::on_tiles`] and `p` is what it was bound to. The addresses are those of operands as bound; the product
    /// and the region's outputs overlap neither factor, and each other and other operands only where the program allows it.
    pub(crate) unsafe fn run(
        &self,
        pool: &Pool,
        p: &Program,
        [a, b, out]: [Ptr; 3],
        base: impl Fn(usize) -> Ptr + Sync,
        scratch: &mut DotScratch,
    ) -> Result<()> {
        let (Some(t), Some(phase)) = (&self.tiled, p.phases.first()) else { return Ok(()) };
        let tape = &phase.tape;
        let most = if t.code.is_some() { usize::MAX } else { tape.tile };
        let part = |mem: Ptr, item: usize, [i, rows, j, columns]: [usize; 4]| {
            let step = |l: usize, k: usize, n: usize| n as isize * t.space.stride(l, k);
            for lo in (0..rows).step_by(most) {
                let at = |k: usize| base(k).at(self.batch.offset(k, item) + step(0, k, i + lo) + step(1, k, j));
                // SAFETY: by contract; parts are disjoint, and the scratch memory is this thread's.
                unsafe {
                    let f = Workspace::new(tape, t, mem);
                    column_trips(tape, t, at, &f, most.min(rows - lo), 0..columns);
                }
            }
        };
        let finish = Finish { bytes: t.scratch(tape), part: &part, failed: AtomicBool::new(false) };
        // SAFETY: passed on.
        unsafe { self.dot.run_into(pool, a, b, (out, false), scratch, Some(&finish)) };
        if finish.failed.into_inner() { Err(Buf::exhausted(finish.bytes)) } else { Ok(()) }
    }
}
