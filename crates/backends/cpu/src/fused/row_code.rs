//! Rows by one function: when a program of phases has one, what it prefetches, and how it is run. The others run phase by
//! phase, in `rows`.
use std::sync::atomic::{AtomicBool, Ordering};

use super::bind_rows::work;
use super::bound::{Bound, Mode};
use super::code::Class;
use super::program::Program;
use super::tiles::Tiled;
use crate::copy::GRAIN;
use crate::jit::{Access, Ahead, Code, ROWS_OF_A_BLOCK};
use crate::machine::mem::{Buf, Ptr, with_scratch};
use crate::machine::pool::Pool;
use tfc_ir::Result;
use tfc_kernels::scalar::Src;
use tfc_plan::region::body::Role;

/// Bytes of the rows of a block.
const NEAR: usize = 16384;

impl Bound {
    /// Machine code for all phases at once, where a whole row is accessed at once: dense operands, or one element for the row.
    pub(crate) fn row_code(
        &self,
        p: &Program,
        ahead: (usize, u32),
        stream: impl Fn(u32, usize, usize) -> bool,
    ) -> Option<Code> {
        let whole = self.mode == Mode::Rows && self.all.rank() == 1 && self.all.len() <= GRAIN;
        if !whole || self.phases.iter().any(|t| t.staged > 0) {
            return None;
        }
        let uses = |i: usize, j: usize| {
            let (k, x, t) = (self.uses[i][j], &p.phases[i], &self.phases[i]);
            let (size, role) = x.tape.operands[j];
            let access = match t.class[j] {
                _ if x.kept => Access::Splat,
                Class::Splat => Access::Splat,
                _ if stream(k, t.space.len(), size) => Access::StreamNt,
                _ => Access::Stream,
            };
            // What every row reads is in cache.
            let moves = self.outer.rank() > 0 && (k as usize) < p.roles.len() && self.outer.stride(0, k as usize) != 0;
            let far = ahead.1 > 0 && role == Role::In && access == Access::Stream && moves;
            (k, access, if far { self.share(p, ahead, i, k) } else { Ahead::Bytes(0) })
        };
        let outer = self.outer.len();
        let works = p.phases.iter().zip(&self.phases).map(|(x, t)| work(x, t, outer));
        p.rows.get(p, uses, works.fold(0, u64::saturating_add))
    }
    /// What phase `i` prefetches of operand `k`. Of the next row each phase that reads the operand takes a part, so that memory
    /// never waits; one that takes more than half of the time takes all of it.
    fn share(&self, p: &Program, (phase, bytes): (usize, u32), i: usize, k: u32) -> Ahead {
        if !self.by_rows(p) {
            return Ahead::Bytes(if phase == i { bytes } else { 0 });
        }
        let reads = |j: usize| {
            let x = &p.phases[j];
            !x.kept && x.tape.operands.iter().zip(&self.uses[j]).any(|(t, &m)| t.1 == Role::In && m == k)
        };
        let most = p.phases[phase].tape.cost_ps;
        if 2 * most >= p.cost_ps && reads(phase) {
            return if i == phase { Ahead::Row { from: 0, part: 0 } } else { Ahead::Bytes(0) };
        }
        let (before, all) = ((0..i).filter(|&j| reads(j)).count(), (0..p.phases.len()).filter(|&j| reads(j)).count());
        match (all, before) {
            (1, _) => Ahead::Row { from: 0, part: 0 },
            (2, n) => Ahead::Row { from: 2 * n as u8, part: 1 },
            (_, 0) => Ahead::Row { from: 0, part: 2 },
            (_, 1) => Ahead::Row { from: 1, part: 1 },
            (_, 2) => Ahead::Row { from: 3, part: 2 },
            _ => Ahead::Bytes(0),
        }
    }
    /// All phases by one function, which goes from row to row along the innermost of the loops around.
    ///
    /// # Safety
    /// As [`Bound::run`]; `code` is that of the program.
    pub(crate) unsafe fn coded_rows(
        &self,
        pool: &Pool,
        p: &Program,
        base: impl Fn(usize) -> Ptr + Sync,
        code: &Code,
        (group, work): (usize, u64),
    ) -> Result<()> {
        let (len, kept) = (self.all.len(), self.outer.len());
        debug_assert!(len > 0, "rows without elements have no code");
        let run = self.outer.dims.first().copied().unwrap_or(1).max(1);
        let step = |k: usize| if self.outer.rank() == 0 { 0 } else { self.outer.stride(0, k) };
        let up = |n: usize| n.next_multiple_of(64);
        let table_bytes = up((p.operands() + self.staged.len()) * size_of::<Src>());
        let buffers = || p.temps.iter().copied().chain(self.staged.iter().map(|s| s.size)).map(|z| up(len * z));
        // Rows that stay in the first-level cache from one phase to the next.
        let row: usize = (0..p.roles.len()).map(|k| step(k).unsigned_abs().min(8 * len)).chain(buffers()).sum();
        // Buffers that stand for operands hold one row.
        let most = if self.staged.is_empty() { ROWS_OF_A_BLOCK } else { 1 };
        let block = (NEAR / row.max(1)).clamp(1, most);
        let bytes = table_bytes + block * buffers().sum::<usize>();
        let failed = AtomicBool::new(false);
        pool.run(kept.div_ceil(group), work, |g| {
            let ok = with_scratch(bytes, |mem| {
                let table = mem.0.cast::<Src>();
                // SAFETY: each kept index has its own results; there is an entry for each operand and buffer, and the
                // entries of values that phases exchange, between those of the buffers, are not looked at.
                unsafe {
                    let mut at = mem.at(table_bytes as isize);
                    for (i, bytes) in buffers().enumerate() {
                        let k = p.roles.len() + i + if i < p.temps.len() { 0 } else { p.kept };
                        table.add(k).write(Src { ptr: at.0, stride: bytes as isize });
                        at = at.at((block * bytes) as isize);
                    }
                    let (mut o, end) = (g * group, ((g + 1) * group).min(kept));
                    while o < end {
                        let rows = (run - o % run).min(end - o);
                        for k in 0..p.roles.len() {
                            let ptr = base(k).at(self.outer.offset(k, o)).0;
                            table.add(k).write(Src { ptr, stride: step(k) });
                        }
                        code.rows(len, rows, block, table);
                        o += rows;
                    }
                    self.phases.iter().for_each(Tiled::fence);
                }
            });
            failed.fetch_or(ok.is_err(), Ordering::Relaxed);
        });
        if failed.into_inner() { Err(Buf::exhausted(bytes)) } else { Ok(()) }
    }
}
