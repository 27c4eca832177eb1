//! Running regions: [`Bound::bind`] resolves everything that sizes and strides decide, [`Bound::run`] does the work for
//! given addresses, shared among threads.
//!
//! Work is cut by sizes alone, and partial results meet in index order, so the bits do not depend on the thread count.
use std::sync::atomic::{AtomicBool, Ordering};

use super::copy::{GRAIN, copy_run};
use super::mem::{Buf, Ptr, with_scratch};
use super::pool::Pool;
use super::region::{Role, Tape};
use super::space::Space;
use super::walk::{Frame, Tiled, clear_columns, column_tile, walk};
use tfc_ir::Result;

/// Reduced rows shorter than this are folded across a longer kept loop, where there is one.
const SHORT_ROW: usize = 32;

/// How a bound region runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Mode {
    /// There is nothing to do.
    #[default]
    Nothing,
    /// No reduction.
    Elementwise,
    /// Reductions along the innermost loops.
    Rows,
    /// Reductions along loops around a kept one.
    Columns,
}
/// A tape bound to sizes and strides: what is missing are the addresses. Its buffers are kept from one binding to the next.
#[derive(Debug, Default)]
pub(crate) struct Bound {
    mode: Mode,
    all: Space,
    outer: Space,
    inner: Tiled,
    partial: Buf,
}
impl Bound {
    /// Binds `tape` to loops of extents `dims`. `strides(k)` gives the byte strides (one a loop) of operand `k`;
    /// `reduced(l)` says which loops reductions fold away.
    pub(crate) fn bind<'a>(
        &mut self,
        tape: &Tape,
        dims: &[usize],
        strides: impl Fn(usize) -> &'a [isize],
        reduced: impl Fn(usize) -> bool,
    ) {
        let s = &mut self.all;
        s.clear(tape.operands.len());
        for (l, &d) in dims.iter().enumerate() {
            s.push(d, reduced(l), |k| strides(k)[l]);
        }
        if !tape.reds.is_empty() {
            self.bind_reduction(tape);
        } else if s.is_empty() {
            self.mode = Mode::Nothing;
        } else {
            let lead = lead(tape, s);
            s.sort_by_key(|s, l| key(s.stride(l, lead)));
            s.collapse();
            std::mem::swap(&mut self.inner.space, s);
            self.inner.classify(tape, false);
            self.mode = Mode::Elementwise;
        }
    }
    /// Runs the tape it is bound to; `base(k)` gives the address of operand `k`.
    ///
    /// # Safety
    /// `tape` is the one given to `bind`. Every operand covers the loops with elements of its type; outputs overlap nothing
    /// else, except inputs that `tape.in_place` pairs with them and that have the same strides.
    pub(crate) unsafe fn run(&mut self, pool: &Pool, tape: &Tape, base: impl Fn(usize) -> Ptr + Sync) -> Result<()> {
        // SAFETY: passed on.
        unsafe {
            match self.mode {
                Mode::Nothing => Ok(()),
                Mode::Elementwise => self.elementwise(pool, tape, base),
                Mode::Rows => self.rows(pool, tape, base),
                Mode::Columns => self.columns(pool, tape, base),
            }
        }
    }

    unsafe fn elementwise(&self, pool: &Pool, tape: &Tape, base: impl Fn(usize) -> Ptr + Sync) -> Result<()> {
        let (b, total) = (&self.inner, self.inner.space.len());
        let bytes = b.scratch(tape);
        let work = (total as u64).saturating_mul(tape.cost_ps) / 1000;
        let packs = b.class.iter().any(|c| matches!(c, super::walk::Class::Pack(_)));
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
                        let f = Frame::new(tape, b, mem);
                        for r in c..(c + rows).min(d1) {
                            let lo = (o * d1 + r) * d0 + p;
                            walk(tape, b, &base, &f, lo, lo + tape.tile.min(d0 - p));
                        }
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
                        let f = Frame::new(tape, b, mem);
                        walk(tape, b, &base, &f, i * grain, ((i + 1) * grain).min(total));
                    }
                });
                failed.fetch_or(ok.is_err(), Ordering::Relaxed);
            });
        }
        if failed.into_inner() { Err(Buf::exhausted(bytes)) } else { Ok(()) }
    }

    fn bind_reduction(&mut self, tape: &Tape) {
        let s = &mut self.all;
        if s.dims.iter().zip(&s.kind).any(|(&d, &r)| d == 0 && !r) {
            self.mode = Mode::Nothing;
            return;
        }
        let lead = widest_input(tape, s);
        s.sort_by_key(|s, l| key(s.stride(l, lead)));
        s.collapse();
        let long_kept = |s: &Space| (0..s.rank()).find(|&l| !s.kind[l] && s.dims[l] >= 2 * SHORT_ROW);
        let mut row = s.kind.first().copied().unwrap_or(true);
        if row
            && s.dims.first().is_some_and(|&d| d < SHORT_ROW)
            && !s.is_empty()
            && let Some(l) = long_kept(s)
        {
            s.bring_inside(l);
            row = false;
        }
        if row {
            s.sort_by_key(|s, l| !s.kind[l]);
        } else {
            let mut first = Some(());
            // The innermost loop stays, then the reduced ones, then the others.
            let place: Vec<u8> =
                s.kind.iter().map(|&k| if first.take().is_some() { 0 } else { 2 - u8::from(k) }).collect();
            let mut order = place;
            for i in 1..order.len() {
                let mut j = i;
                while j > 0 && order[j] < order[j - 1] {
                    order.swap(j, j - 1);
                    s.swap(j, j - 1);
                    j -= 1;
                }
            }
        }
        s.collapse();
        let inner = if row {
            s.kind.iter().take_while(|k| **k).count()
        } else {
            1 + s.kind[1..].iter().take_while(|k| **k).count()
        };
        s.split_at(inner, &mut self.inner.space, &mut self.outer);
        self.inner.classify(tape, !row);
        self.mode = if row { Mode::Rows } else { Mode::Columns };
    }

    /// The innermost loops are folded away: every kept index is a fold of its own, long ones in chunks.
    unsafe fn rows(&mut self, pool: &Pool, tape: &Tape, base: impl Fn(usize) -> Ptr + Sync) -> Result<()> {
        let (b, outer) = (&self.inner, &self.outer);
        let (len, kept, bytes) = (b.space.len(), outer.len(), b.scratch(tape));
        let chunks = len.div_ceil(GRAIN).max(1);
        let work = (len as u64).saturating_mul(kept as u64).saturating_mul(tape.cost_ps) / 1000;
        let failed = AtomicBool::new(false);
        let partial = if chunks > 1 { self.partial.ensure(kept * chunks * tape.reds.len() * 16)? } else { Ptr::NULL };
        let group = if chunks > 1 { 1 } else { (GRAIN / len.max(1)).max(1) };
        let items = kept * chunks;
        pool.run(items.div_ceil(group), work, |g| {
            let ok = with_scratch(bytes, |mem| {
                // SAFETY: each item has its own result or partial.
                unsafe {
                    let f = Frame::new(tape, b, mem);
                    for i in g * group..((g + 1) * group).min(items) {
                        let (o, c) = (i / chunks, i % chunks);
                        let at = |k: usize| base(k).at(outer.offset(k, o));
                        f.clear_row(tape);
                        walk(tape, b, at, &f, c * GRAIN, ((c + 1) * GRAIN).min(len));
                        for (j, r) in tape.reds.iter().enumerate() {
                            let to = if chunks > 1 {
                                partial.at(((i * tape.reds.len() + j) * 16) as isize)
                            } else {
                                at(r.operand as usize)
                            };
                            copy_run(to.0, r.size as isize, f.row_acc(j), r.size as isize, 1, r.size);
                        }
                    }
                }
            });
            failed.fetch_or(ok.is_err(), Ordering::Relaxed);
        });
        if chunks > 1 {
            for o in 0..kept {
                for (j, r) in tape.reds.iter().enumerate() {
                    let mut acc = Acc(r.fold.identity);
                    // SAFETY: the partials were written above; the result belongs to this item alone.
                    unsafe {
                        for c in 0..chunks {
                            let p = partial.at((((o * chunks + c) * tape.reds.len() + j) * 16) as isize);
                            (r.fold.row)(acc.0.as_mut_ptr(), p.0, 1);
                        }
                        let to = base(r.operand as usize).at(outer.offset(r.operand as usize, o));
                        copy_run(to.0, r.size as isize, acc.0.as_ptr(), r.size as isize, 1, r.size);
                    }
                }
            }
        }
        if failed.into_inner() { Err(Buf::exhausted(bytes)) } else { Ok(()) }
    }

    /// The innermost loop is kept: panels of it are folded trip by trip into a row of accumulators.
    unsafe fn columns(&mut self, pool: &Pool, tape: &Tape, base: impl Fn(usize) -> Ptr + Sync) -> Result<()> {
        let (b, outer) = (&self.inner, &self.outer);
        let (n0, trips) = (b.space.dims[0], b.space.dims[1..].iter().product::<usize>());
        let (kept, bytes) = (outer.len(), b.scratch(tape));
        let width = n0.min(tape.tile);
        let panels = n0.div_ceil(width);
        let depth = if panels * kept >= 16 { trips.max(1) } else { (GRAIN / width).max(64) };
        let chunks = trips.div_ceil(depth).max(1);
        let work =
            (n0 as u64).saturating_mul(trips as u64).saturating_mul(kept as u64).saturating_mul(tape.cost_ps) / 1000;
        let failed = AtomicBool::new(false);
        let room = tape.reds.len() * width * 16;
        let items = kept * panels * chunks;
        let partial = if chunks > 1 { self.partial.ensure(items * room)? } else { Ptr::NULL };
        let group = if chunks > 1 { 1 } else { (GRAIN / (width * trips.max(1))).max(1) };
        let place = |i: usize| (i / chunks / panels, i / chunks % panels * width, i % chunks * depth);
        let result =
            |k: usize, o: usize, p: usize| base(k).at(outer.offset(k, o)).at(p as isize * b.space.stride(0, k));
        pool.run(items.div_ceil(group), work, |g| {
            let ok = with_scratch(bytes, |mem| {
                // SAFETY: each item has its own results or partials.
                unsafe {
                    let f = Frame::new(tape, b, mem);
                    for i in g * group..((g + 1) * group).min(items) {
                        let (o, p, t) = place(i);
                        let n = width.min(n0 - p);
                        clear_columns(tape, &f, n);
                        for t in t..(t + depth).min(trips) {
                            let at = |k: usize| result(k, o, p).at(b.space.offset(k, t * n0));
                            column_tile(tape, b, at, &f, n);
                        }
                        for (j, r) in tape.reds.iter().enumerate() {
                            let (to, stride) = if chunks > 1 {
                                (partial.at((i * room + j * width * 16) as isize), r.size as isize)
                            } else {
                                (result(r.operand as usize, o, p), b.space.stride(0, r.operand as usize))
                            };
                            copy_run(to.0, stride, f.col_acc(j), r.size as isize, n, r.size);
                        }
                    }
                }
            });
            failed.fetch_or(ok.is_err(), Ordering::Relaxed);
        });
        if chunks > 1 {
            for i in (0..items).step_by(chunks) {
                let (o, p, _) = place(i);
                let n = width.min(n0 - p);
                for (j, r) in tape.reds.iter().enumerate() {
                    let acc = partial.at((i * room + j * width * 16) as isize);
                    // SAFETY: the partials were written above and are folded into the first of them.
                    unsafe {
                        for c in 1..chunks {
                            (r.fold.col)(acc.0, partial.at(((i + c) * room + j * width * 16) as isize).0, n);
                        }
                        let k = r.operand as usize;
                        copy_run(result(k, o, p).0, b.space.stride(0, k), acc.0, r.size as isize, n, r.size);
                    }
                }
            }
        }
        if failed.into_inner() { Err(Buf::exhausted(bytes)) } else { Ok(()) }
    }
}

#[repr(align(16))]
struct Acc([u8; 16]);

fn key(stride: isize) -> usize {
    if stride == 0 { usize::MAX } else { stride.unsigned_abs() }
}
/// The operand whose order the loops follow: the first output, else the first input.
fn lead(tape: &Tape, _: &Space) -> usize {
    tape.operands.iter().position(|o| o.1 == Role::Out).unwrap_or(0)
}
/// The input that moves along the most elements.
fn widest_input(tape: &Tape, s: &Space) -> usize {
    let size = |k: usize| (0..s.rank()).filter(|&l| s.stride(l, k) != 0).map(|l| s.dims[l]).product::<usize>();
    (0..tape.operands.len())
        .filter(|&k| tape.operands[k].1 == Role::In)
        .max_by_key(|&k| (size(k), usize::MAX - k))
        .unwrap_or(0)
}
