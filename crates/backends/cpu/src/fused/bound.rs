//! Running regions: [`Bound::bind`] resolves everything that sizes and strides decide, [`Bound::run`] does the work for
//! given addresses, shared among threads. Reductions are bound in `bind_rows` and run in `rows`.
//!
//! Work is cut by sizes alone, and partial results are combined in index order, so the bits do not depend on the thread count.
//!
//! **What has no elements is not touched.** The address of an operand without elements may be anything, and so may its
//! strides: they may look like those of one element that stands still. So a phase over loops without trips does not run,
//! neither as machine code nor on the tape, and reads nothing beforehand either; its reductions leave their identities, and
//! the phases of one element a kept index run element by element (they read what the folded loops do not walk). [`Bound::bind`] is where
//! that is decided, for every form of region: it says [`Mode::Nothing`] where no index is kept, and `bind_reduction` gives
//! rows and panels without elements no code, which would read what stands still before it counts.
use std::sync::atomic::{AtomicBool, Ordering};

use super::blocks::Blocks;
use super::code::Class;
use super::program::Program;
use super::tiles::{FAR, Tiled, Workspace, dense_tile, walk};
use crate::copy::GRAIN;
use crate::jit::Code;
use crate::machine::mem::{ALIGN, Buf, Ptr, with_scratch};
use crate::machine::pool::Pool;
use tfc_ir::Result;
use tfc_plan::region::body::Role;
use tfc_plan::space::Space;

/// Bytes that a step reads and writes from which writing its outputs past the caches pays: of less, the outputs are still in the third-level
/// cache when they are read, or written again.
const MOVED: usize = 20 << 20;
/// Bytes of an output from which writing it so pays, where the step moves that much.
const WRITTEN: usize = 6 << 20;
/// Whether an output of `written` bytes is written past the caches by a step whose operands have so many bytes.
pub(crate) fn streamed(written: usize, operands: impl Iterator<Item = usize>) -> bool {
    written >= WRITTEN && operands.fold(0, usize::saturating_add) >= MOVED
}

/// How a bound region runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Mode {
    /// There is nothing to do.
    #[default]
    Nothing,
    /// No reduction.
    Elementwise,
    /// No reduction, and transposed operands.
    Blocks,
    /// Reductions along the innermost loops.
    Rows,
    /// Reductions along loops around a kept one.
    Columns,
}
/// A buffer of a row or panel that takes an operand's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Staged {
    /// Bytes of an element.
    pub(crate) size: usize,
    /// The input that is copied there.
    pub(crate) from: Option<u32>,
    /// The output that is copied from there.
    pub(crate) to: Option<u32>,
    /// Both lie in memory with the trips of a column side by side, and not its neighbours.
    pub(crate) turned: bool,
}
/// A program bound to sizes and strides: what is missing are the addresses. Its buffers are kept from one binding to the
/// next.
#[derive(Debug, Default)]
pub(crate) struct Bound {
    pub(crate) mode: Mode,
    /// The loops of the step's operands; in a reduction, those inside.
    pub(crate) all: Space,
    /// In a reduction, the loops around.
    pub(crate) outer: Space,
    /// For each phase, the loops that tiles cover.
    pub(crate) phases: Vec<Tiled>,
    /// For each phase, the operands that it uses: those of the program, then `staged`.
    pub(crate) uses: Vec<Vec<u32>>,
    /// Buffers of a row or panel that take an operand's place.
    pub(crate) staged: Vec<Staged>,
    /// Columns of a panel.
    pub(crate) width: usize,
    /// Machine code for whole rows, in place of the code of phases.
    pub(crate) code: Option<Code>,
    pub(crate) partial: Buf,
    blocks: Option<Blocks>,
}
impl Bound {
    /// Binds `p` to loops of extents `dims`. `strides(k)` gives the byte strides (one a loop) of operand `k`;
    /// `reduced(l)` says which loops reductions fold away, `nt(k)` which outputs may be written past the caches.
    pub(crate) fn bind<'a>(
        &mut self,
        p: &Program,
        dims: &[usize],
        strides: impl Fn(usize) -> &'a [isize],
        reduced: impl Fn(usize) -> bool,
        nt: impl Fn(usize) -> bool,
    ) {
        let s = &mut self.all;
        s.clear(p.roles.len());
        for (l, &d) in dims.iter().enumerate() {
            s.push(d, reduced(l), |k| strides(k)[l]);
        }
        self.phases.resize_with(p.phases.len(), Tiled::default);
        if p.reduces() {
            self.bind_reduction(p, nt);
        } else if s.is_empty() {
            self.mode = Mode::Nothing;
        } else {
            let lead = lead(p);
            s.sort_by_key(|s, l| key(s.stride(l, lead)));
            s.collapse();
            if let (Some(t), Some(phase)) = (self.phases.first_mut(), p.phases.first()) {
                std::mem::swap(&mut t.space, s);
                t.classify(&phase.tape, false);
                self.blocks = Blocks::bind(&t.space, &phase.tape.operands);
                let staged = self.blocks.is_some();
                if let Some(b) = &self.blocks {
                    t.classify_staged(&phase.tape, |k| b.is_splat(k));
                }
                let total = t.space.len();
                let work = (total as u64).saturating_mul(p.cost_ps) / 1000;
                let size = |k: usize| phase.tape.operands[k].0;
                let widest = (0..phase.tape.operands.len()).filter(|&k| nt(k)).map(size).max().unwrap_or(0);
                let bytes = (0..t.space.operands).map(|k| t.space.bytes(k, size(k)));
                let large = !staged && streamed(total.saturating_mul(widest), bytes);
                let stream = |k: usize| large && nt(k);
                let ahead = match total.saturating_mul(phase.tape.wide) {
                    b if b < FAR => 0,
                    _ if phase.tape.wide == 4 => 2048,
                    _ => 4096,
                };
                // Blocks are staged as they lie, and code wants the parts of complex numbers apart.
                let code = !staged || phase.tape.complex() == 0;
                if code && (staged || !t.generate_rows(&phase.tape, stream, ahead, work)) {
                    t.generate(&phase.tape, stream, ahead, work);
                }
            }
            self.mode = if self.blocks.is_some() { Mode::Blocks } else { Mode::Elementwise };
        }
    }
    /// Runs the program it is bound to; `base(k)` gives the address of operand `k`.
    ///
    /// # Safety
    /// `p` is the one given to `bind`. Every operand covers the loops with elements of its type; outputs overlap nothing
    /// else, except inputs that `p.in_place` pairs with them and that have the same strides.
    pub(crate) unsafe fn run(&mut self, pool: &Pool, p: &Program, base: impl Fn(usize) -> Ptr + Sync) -> Result<()> {
        // SAFETY: passed on.
        unsafe {
            match self.mode {
                Mode::Nothing => Ok(()),
                Mode::Elementwise => self.elementwise(pool, p, base),
                Mode::Blocks => self.blockwise(pool, p, base),
                Mode::Rows => self.rows(pool, p, base),
                Mode::Columns => self.columns(pool, p, base),
            }
        }
    }

    unsafe fn blockwise(&self, pool: &Pool, p: &Program, base: impl Fn(usize) -> Ptr + Sync) -> Result<()> {
        let (Some(t), Some(phase), Some(b)) = (self.phases.first(), p.phases.first(), &self.blocks) else {
            return Ok(());
        };
        let tape = &phase.tape;
        let own = t.scratch(tape).next_multiple_of(ALIGN);
        let tile = if t.code.is_some() { usize::MAX } else { tape.tile };
        let work = (t.space.len() as u64).saturating_mul(p.cost_ps.max(1000)) / 1000;
        let failed = AtomicBool::new(false);
        pool.run(b.pieces(), work, |i| {
            let ok = with_scratch(own + b.scratch(), |mem| {
                // SAFETY: pieces are disjoint parts of the space; the scratch memory is cut in two.
                unsafe {
                    let f = Workspace::new(tape, t, mem);
                    b.run(i, tile, &base, mem.at(own as isize), |src, n| dense_tile(tape, t, &f, src, n));
                }
            });
            failed.fetch_or(ok.is_err(), Ordering::Relaxed);
        });
        if failed.into_inner() { Err(Buf::exhausted(own + b.scratch())) } else { Ok(()) }
    }
    unsafe fn elementwise(&self, pool: &Pool, p: &Program, base: impl Fn(usize) -> Ptr + Sync) -> Result<()> {
        let (Some(b), Some(phase)) = (self.phases.first(), p.phases.first()) else { return Ok(()) };
        let (tape, total) = (&phase.tape, b.space.len());
        let bytes = b.scratch(tape);
        let work = (total as u64).saturating_mul(tape.cost_ps) / 1000;
        let packs = b.class.iter().any(|c| matches!(c, Class::Pack(_) | Class::Parts(Some(_), _)));
        let failed = AtomicBool::new(false);
        let s = &b.space;
        if packs && b.wide && s.rank() > 1 && s.dims[0] > tape.tile {
            // A transposed operand: a panel of columns goes down many rows before the next, so its lines are used whole.
            let (d0, d1) = (s.dims[0], s.dims[1]);
            let (panels, rows) = (d0.div_ceil(tape.tile), d1.min(64));
            let chunks = d1.div_ceil(rows);
            let rest = s.len() / d0 / d1;
            pool.run(panels * chunks * rest, work, |i| {
                let (p, c, o) = (i % panels * tape.tile, i / panels % chunks * rows, i / panels / chunks);
                let ok = with_scratch(bytes, |mem| {
                    // SAFETY: panels are disjoint parts of the space.
                    unsafe {
                        let f = Workspace::new(tape, b, mem);
                        for r in c..(c + rows).min(d1) {
                            let lo = (o * d1 + r) * d0 + p;
                            walk(tape, b, &base, &f, lo, lo + tape.tile.min(d0 - p));
                        }
                        b.fence();
                    }
                });
                failed.fetch_or(ok.is_err(), Ordering::Relaxed);
            });
        } else {
            let grain = GRAIN / tape.tile * tape.tile;
            pool.run(total.div_ceil(grain), work, |i| {
                let ok = with_scratch(bytes, |mem| {
                    // SAFETY: grains are disjoint parts of the space.
                    unsafe {
                        let f = Workspace::new(tape, b, mem);
                        walk(tape, b, &base, &f, i * grain, ((i + 1) * grain).min(total));
                        b.fence();
                    }
                });
                failed.fetch_or(ok.is_err(), Ordering::Relaxed);
            });
        }
        if failed.into_inner() { Err(Buf::exhausted(bytes)) } else { Ok(()) }
    }
}

/// Orders loops from the smallest stride; those that stand still come last.
pub(crate) fn key(stride: isize) -> usize {
    if stride == 0 { usize::MAX } else { stride.unsigned_abs() }
}
/// The operand whose order the loops follow: the first output, else the first input.
fn lead(p: &Program) -> usize {
    p.roles.iter().position(|&r| r == Role::Out).unwrap_or(0)
}
