//! Running reductions that `bind_rows` has bound. Either the innermost loops are folded away (*rows*: each kept index is a
//! fold of its own, long ones in chunks), or the innermost loop is kept (*columns*: panels of it are folded trip by trip into
//! as many accumulators). The phases of a program follow each other on one row or panel while it is in cache.
use std::sync::atomic::{AtomicBool, Ordering};

use super::bind_rows::{LONG_ROW, MOST_TURNED};
use super::bound::{Bound, Mode, Staged};
use super::program::{Phase, Program};
use super::tape::RedIns;
use super::tiles::{Tiled, Workspace, clear_columns, column_tile, column_trips, walk};
use crate::copy::block::kernel;
use crate::copy::parts::Block;
use crate::copy::run::move_rows;
use crate::copy::{GRAIN, How, copy_run, fill_run};
use crate::machine::mem::{Buf, Ptr, with_scratch};
use crate::machine::pool::Pool;
use tfc_ir::Result;
use tfc_plan::region::body::Role;
use tfc_plan::space::{Odometer, Space};

/// Most trips and columns of panels that are folded where their result goes.
const FEW_TRIPS: usize = 8;
const FEW_COLUMNS: usize = 256;
/// Trips of a panel that are copied at once.
const TOGETHER: usize = 64;

#[repr(align(16))]
struct Acc([u8; 16]);

/// Folds one more partial result into `acc`.
unsafe fn join(r: &RedIns, acc: &mut Acc, part: *const u8) {
    // SAFETY: one accumulator and one element.
    unsafe { (r.fold.col)(acc.0.as_mut_ptr(), part, 1) };
}

/// How one thread's memory is divided: addresses of the program's operands, row buffers, kept values, then the workspaces of
/// the phases.
struct Layout {
    temps: usize,
    kept: usize,
    workspaces: usize,
    bytes: usize,
}

impl Bound {
    /// Copies the inputs that phases find in a buffer: `n` columns of each trip. Nothing is prefetched: hardware follows
    /// pieces at a constant distance by itself, and in a model of this copy 8 trips ahead took twice the time.
    ///
    /// # Safety
    /// `f` has the addresses of the panel.
    unsafe fn fill_staged(&self, p: &Program, f: &Workspaces, n: usize) {
        let (d0, trips, isa) = (self.all.dims[0], self.trips(), How::best().isa);
        for (i, &Staged { size, from, turned, .. }) in self.staged.iter().enumerate() {
            let Some(k) = from.map(|k| k as usize) else { continue };
            if turned {
                // SAFETY: there are addresses for operands and buffers.
                unsafe {
                    self.turn(*f.ptrs.add(k), self.all.stride(0, k), *f.ptrs.add(p.operands() + i), size, n, true)
                };
                continue;
            }
            // SAFETY: there are addresses for operands and buffers; a buffer holds `width` columns of each trip.
            unsafe {
                let (src, dst) = (*f.ptrs.add(k), *f.ptrs.add(p.operands() + i));
                let row = |t: usize| dst.at((t * self.width * size) as isize).0;
                if self.all.rank() == 2 && n == self.width {
                    let step = self.all.stride(1, k);
                    let at: [isize; TOGETHER] = std::array::from_fn(|j| (j as isize).wrapping_mul(step));
                    for t in (0..trips).step_by(TOGETHER) {
                        let at = &at[..TOGETHER.min(trips - t)];
                        move_rows(isa, src.at(t as isize * step).0, at, row(t), n * size, true, false);
                    }
                    continue;
                }
                for t in 0..trips {
                    let from = src.at(self.all.offset(k, t * d0));
                    copy_run(row(t), size as isize, from.0, size as isize, n, size);
                }
            }
        }
    }
    /// Copies the outputs that phases leave in a buffer to where they lie: `n` columns of each trip.
    ///
    /// # Safety
    /// `f` has the addresses of the panel.
    unsafe fn drain_staged(&self, p: &Program, f: &Workspaces, n: usize) {
        for (i, s) in self.staged.iter().enumerate() {
            let Some(k) = s.to.map(|k| k as usize) else { continue };
            // SAFETY: there are addresses for operands and buffers.
            unsafe {
                self.turn(*f.ptrs.add(k), self.all.stride(0, k), *f.ptrs.add(p.operands() + i), s.size, n, false)
            };
        }
    }
    /// Copies `n` columns, whose trips lie side by side at `there` and which are `step` bytes apart, to a buffer of the panel (`load`), in which
    /// the columns of each trip lie side by side, or from it.
    ///
    /// # Safety
    /// The columns are there, and the buffer holds `width` columns of each trip.
    unsafe fn turn(&self, there: Ptr, step: isize, buffer: Ptr, size: usize, n: usize, load: bool) {
        let (trips, one) = (self.trips(), size as isize);
        let f = kernel(How::best().isa, size, true, false);
        let row = (self.width * size) as isize;
        let of_trip: [isize; MOST_TURNED] = std::array::from_fn(|t| (t as isize).wrapping_mul(row));
        let of_column: [isize; TOGETHER] = std::array::from_fn(|c| (c as isize).wrapping_mul(step));
        for c in (0..n).step_by(TOGETHER) {
            let cols = TOGETHER.min(n - c);
            let (memory, panel) = (there.at(c as isize * step).0, buffer.at((c * size) as isize).0);
            let (trip, column) = ((of_trip.as_ptr(), trips), (of_column.as_ptr(), cols));
            let (dst, src, (doff, rows), (soff, cols)) =
                if load { (panel, memory, trip, column) } else { (memory, panel, column, trip) };
            // SAFETY: by contract; the tables have an offset for each row and column.
            unsafe { f(&Block { dst, doff, src, soff, rows, cols, ds: one, ss: one, ahead: 0, bytes: size }) };
        }
    }
    fn layout(&self, p: &Program, columns: bool, row_buffers: bool) -> Layout {
        let up = |n: usize| n.next_multiple_of(64);
        let temps = up((p.operands() + self.staged.len()) * size_of::<Ptr>());
        let each = if columns { self.width * self.trips() } else { self.all.len() };
        let sizes = p.temps.iter().copied().chain(self.staged.iter().map(|s| s.size));
        let room = if row_buffers { sizes.map(|z| up(each * z)).sum() } else { 0 };
        let kept = temps + room;
        // Columns also hold the sums of earlier chunks.
        let reds = if columns { p.phases.iter().map(|x| x.tape.reds.len()).max().unwrap_or(0) } else { 0 };
        let workspaces = kept + up((p.kept + reds) * 16 * self.width.max(1));
        let bytes = p.phases.iter().zip(&self.phases).map(|(x, t)| up(t.scratch(&x.tape))).sum::<usize>();
        Layout { temps, kept, workspaces, bytes: workspaces + bytes }
    }
    /// Trips of the loops that panels of columns go over.
    pub(crate) fn trips(&self) -> usize {
        self.all.dims.get(1..).map_or(1, |d| d.iter().product())
    }
    /// Writes the addresses of row buffers and kept values, and makes the workspaces of the phases.
    ///
    /// # Safety
    /// `mem` has the layout's bytes, for this thread alone.
    unsafe fn workspaces(&self, p: &Program, l: &Layout, mem: Ptr, row_buffers: Option<Ptr>) -> Workspaces {
        let ptrs = mem.0.cast::<Ptr>();
        let each = if self.mode == Mode::Columns { self.width * self.trips() } else { self.all.len() };
        let mut at = row_buffers.unwrap_or(mem.at(l.temps as isize));
        let mut k = p.roles.len();
        // SAFETY: the layout has room for an address an operand and for the buffers.
        unsafe {
            for &z in &p.temps {
                ptrs.add(k).write(at);
                at = at.at((each * z).next_multiple_of(64) as isize);
                k += 1;
            }
            for (i, s) in self.staged.iter().enumerate() {
                ptrs.add(p.operands() + i).write(at);
                at = at.at((each * s.size).next_multiple_of(64) as isize);
            }
            for i in 0..p.kept {
                ptrs.add(k).write(mem.at((l.kept + i * 16 * self.width.max(1)) as isize));
                k += 1;
            }
            let total = mem.at((l.kept + p.kept * 16 * self.width.max(1)) as isize);
            let mut f = Workspaces { ptrs, total, of: [None; MOST_PHASES] };
            let mut at = l.workspaces;
            for ((x, t), f) in p.phases.iter().zip(&self.phases).zip(&mut f.of) {
                *f = Some(Workspace::new(&x.tape, t, mem.at(at as isize)));
                at += t.scratch(&x.tape).next_multiple_of(64);
            }
            f
        }
    }

    /// The innermost loops are folded away: every kept index is a fold of its own, long ones in chunks.
    ///
    /// # Safety
    /// As [`Bound::run`].
    pub(crate) unsafe fn rows(&mut self, pool: &Pool, p: &Program, base: impl Fn(usize) -> Ptr + Sync) -> Result<()> {
        let (len, kept) = (self.all.len(), self.outer.len());
        let chunks = len.div_ceil(GRAIN).max(1);
        let work = (len as u64).saturating_mul(kept as u64).saturating_mul(p.cost_ps) / 1000;
        if chunks > 1 && (p.phases.len() == 1 || len > LONG_ROW) {
            // SAFETY: passed on.
            return unsafe { self.long_rows(pool, p, base, chunks, work) };
        }
        let group = (GRAIN / len.max(1)).max(1);
        if let Some(code) = &self.code {
            // SAFETY: passed on.
            return unsafe { self.coded_rows(pool, p, base, code, (group, work)) };
        }
        let l = self.layout(p, false, true);
        let (this, failed) = (&*self, AtomicBool::new(false));
        pool.run(kept.div_ceil(group), work, |g| {
            let ok = with_scratch(l.bytes, |mem| {
                // SAFETY: each kept index has its own results.
                unsafe {
                    let f = this.workspaces(p, &l, mem, None);
                    let mut o = this.outer.odometer(0, g * group);
                    for i in g * group..((g + 1) * group).min(kept) {
                        if i > g * group {
                            o.step(&this.outer);
                        }
                        f.enter(&this.outer, &base, p.roles.len(), &o);
                        for (i, (x, t)) in p.phases.iter().zip(&this.phases).enumerate() {
                            if let Some(workspace) = &f.of[i] {
                                row_phase((x, &this.uses[i]), t, &f, workspace, len, chunks);
                            }
                        }
                    }
                    this.phases.iter().for_each(Tiled::fence);
                }
            });
            failed.fetch_or(ok.is_err(), Ordering::Relaxed);
        });
        if failed.into_inner() { Err(Buf::exhausted(l.bytes)) } else { Ok(()) }
    }
    /// Rows that are worth several threads each: phase by phase, in chunks whose partial results are combined in order.
    unsafe fn long_rows(
        &mut self,
        pool: &Pool,
        p: &Program,
        base: impl Fn(usize) -> Ptr + Sync,
        chunks: usize,
        work: u64,
    ) -> Result<()> {
        let (len, kept) = (self.all.len(), self.outer.len());
        // A single phase takes all rows at once.
        let at_once = if p.phases.len() == 1 { kept } else { 1 };
        let reds = p.phases.iter().map(|x| x.tape.reds.len()).max().unwrap_or(0);
        let parts = (at_once * chunks * reds * 16).next_multiple_of(64);
        let temps: usize = p.temps.iter().map(|&z| (len * z).next_multiple_of(64)).sum();
        let kept_bytes = (p.kept * 16).next_multiple_of(64);
        let mem = self.partial.ensure(parts + kept_bytes + temps)?;
        let (kept_at, temps_at) = (mem.at(parts as isize), mem.at((parts + kept_bytes) as isize));
        let l = self.layout(p, false, false);
        let (this, failed) = (&*self, AtomicBool::new(false));
        let first_kept = (p.roles.len() + p.temps.len()) as u32;
        for first in (0..kept).step_by(at_once) {
            for (i, (x, t)) in p.phases.iter().zip(&this.phases).enumerate() {
                let n = if x.kept { 1 } else { chunks };
                let each = x.tape.reds.len();
                let part =
                    |o: usize, c: usize, j: usize| mem.at(((((o - first) * chunks + c) * each + j) * 16) as isize);
                // SAFETY: each item has its own part of the row and its own partial results.
                let item = |q: usize, mem: Ptr| unsafe {
                    let (o, c) = (first + q / n, q % n);
                    let f = this.workspaces(p, &l, mem, Some(temps_at));
                    for k in 0..p.kept {
                        f.ptrs.add(first_kept as usize + k).write(kept_at.at(16 * k as isize));
                    }
                    f.enter(&this.outer, &base, p.roles.len(), &this.outer.odometer(0, o));
                    let Some(workspace) = &f.of[i] else { return };
                    let at = |k: usize| *f.ptrs.add(x.operands[k] as usize);
                    if x.kept {
                        walk(&x.tape, t, at, workspace, 0, 1);
                        return;
                    }
                    workspace.clear_row(&x.tape);
                    walk(&x.tape, t, at, workspace, c * GRAIN, ((c + 1) * GRAIN).min(len));
                    t.fence();
                    for (j, r) in x.tape.reds.iter().enumerate() {
                        (r.fold.finish)(workspace.row_acc(j), part(o, c, j).0);
                    }
                };
                pool.run(at_once * n, if x.kept { 0 } else { work }, |q| {
                    failed.fetch_or(with_scratch(l.bytes, |mem| item(q, mem)).is_err(), Ordering::Relaxed);
                });
                for o in first..first + at_once {
                    for (j, r) in x.tape.reds.iter().enumerate() {
                        let mut acc = Acc(r.fold.identity);
                        let k = x.operands[r.operand as usize];
                        // SAFETY: the partials were written above; the result belongs to this row alone.
                        unsafe {
                            (0..chunks).for_each(|c| join(r, &mut acc, part(o, c, j).0));
                            let to = if k >= first_kept {
                                kept_at.at(16 * (k - first_kept) as isize)
                            } else {
                                base(k as usize).at(this.outer.offset(k as usize, o))
                            };
                            copy_run(to.0, r.size as isize, acc.0.as_ptr(), r.size as isize, 1, r.size);
                        }
                    }
                }
            }
        }
        if failed.into_inner() { Err(Buf::exhausted(l.bytes)) } else { Ok(()) }
    }

    /// The innermost loop is kept: panels of it are folded trip by trip into a row of accumulators.
    ///
    /// # Safety
    /// As [`Bound::run`].
    pub(crate) unsafe fn columns(
        &mut self,
        pool: &Pool,
        p: &Program,
        base: impl Fn(usize) -> Ptr + Sync,
    ) -> Result<()> {
        let (n0, trips, kept, width) = (self.all.dims[0], self.trips(), self.outer.len(), self.width);
        let panels = n0.div_ceil(width);
        let work =
            (n0 as u64).saturating_mul(trips as u64).saturating_mul(kept as u64).saturating_mul(p.cost_ps) / 1000;
        let depth = (GRAIN / width).max(64);
        let chunks = trips.div_ceil(depth).max(1);
        if p.phases.len() == 1 && chunks > 1 && panels * kept < 16 {
            // SAFETY: passed on.
            return unsafe { self.deep_columns(pool, p, base, (depth, chunks), work) };
        }
        if let Some(bare) = self.bare(p, trips).filter(|b| base(b.0).0 != base(b.1).0) {
            // SAFETY: passed on; the input lies elsewhere than the result.
            unsafe { self.bare_columns(pool, base, bare, work) };
            return Ok(());
        }
        let l = self.layout(p, true, true);
        let items = kept * panels;
        let group = (GRAIN / (width * trips.max(1))).max(1);
        let (this, failed) = (&*self, AtomicBool::new(false));
        pool.run(items.div_ceil(group), work, |g| {
            let ok = with_scratch(l.bytes, |mem| {
                // SAFETY: each panel has its own results.
                unsafe {
                    let f = this.workspaces(p, &l, mem, None);
                    let mut o = this.outer.odometer(0, g * group / panels);
                    for i in g * group..((g + 1) * group).min(items) {
                        let panel = i % panels;
                        if panel == 0 && i > g * group {
                            o.step(&this.outer);
                        }
                        let at = panel * width;
                        let here = |k: usize| base(k).at(at as isize * this.all.stride(0, k));
                        f.enter(&this.outer, here, p.roles.len(), &o);
                        let n = width.min(n0 - at);
                        this.fill_staged(p, &f, n);
                        for (i, (x, t)) in p.phases.iter().zip(&this.phases).enumerate() {
                            if let Some(workspace) = &f.of[i] {
                                column_phase((x, &this.uses[i]), t, &f, workspace, n, (trips, depth), width);
                            }
                        }
                        this.drain_staged(p, &f, n);
                    }
                    this.phases.iter().for_each(Tiled::fence);
                }
            });
            failed.fetch_or(ok.is_err(), Ordering::Relaxed);
        });
        if failed.into_inner() { Err(Buf::exhausted(l.bytes)) } else { Ok(()) }
    }
    /// Of a program that folds few trips of short panels of one input as it is: the input, the result, and the fold, where columns lie
    /// side by side in both.
    fn bare<'a>(&self, p: &'a Program, trips: usize) -> Option<(usize, usize, &'a RedIns)> {
        let ([x], 2..=FEW_TRIPS) = (&p.phases[..], trips) else { return None };
        let ([r], [], false) = (&x.tape.reds[..], &x.tape.ins[..], x.kept) else { return None };
        let operand = |j: u32| x.operands.get(j as usize).map(|&k| k as usize).filter(|&k| k < p.roles.len());
        let (from, to) = (operand(r.src)?, operand(r.operand)?);
        let dense = [from, to].iter().all(|&k| self.all.stride(0, k) == r.size as isize);
        let fits = p.roles[from] == Role::In && x.tape.operands[r.src as usize].0 == r.size;
        (dense && fits && self.width <= FEW_COLUMNS).then_some((from, to, r))
    }
    /// Folds them.
    ///
    /// # Safety
    /// As [`Bound::run`]; the input is other memory than the result.
    unsafe fn bare_columns(
        &self,
        pool: &Pool,
        base: impl Fn(usize) -> Ptr + Sync,
        (from, to, r): (usize, usize, &RedIns),
        work: u64,
    ) {
        let (n0, width, kept, trips) = (self.all.dims[0], self.width, self.outer.len(), self.trips());
        let panels = n0.div_ceil(width);
        let items = kept * panels;
        let group = (GRAIN / (width * trips)).max(1);
        let places: [isize; FEW_TRIPS] =
            std::array::from_fn(|t| if t < trips { self.all.offset(from, t * n0) } else { 0 });
        pool.run(items.div_ceil(group), work, |g| {
            let mut o = self.outer.odometer(0, g * group / panels);
            for i in g * group..((g + 1) * group).min(items) {
                if i % panels == 0 && i > g * group {
                    o.step(&self.outer);
                }
                let at = i % panels * width;
                let [src, dst] = [from, to].map(|k| base(k).at((at * r.size) as isize + o.offset(&self.outer, k)));
                let n = width.min(n0 - at);
                // SAFETY: each panel has its own results.
                unsafe {
                    fill_run(dst.0, r.size as isize, r.fold.identity.as_ptr(), n, r.size);
                    places[..trips].iter().for_each(|&t| (r.fold.col)(dst.0, src.at(t).0, n));
                }
            }
        });
    }
    /// Few panels of many trips: the trips are cut into chunks whose partial results are combined in order.
    unsafe fn deep_columns(
        &mut self,
        pool: &Pool,
        p: &Program,
        base: impl Fn(usize) -> Ptr + Sync,
        (depth, chunks): (usize, usize),
        work: u64,
    ) -> Result<()> {
        let (n0, trips, kept, width) = (self.all.dims[0], self.trips(), self.outer.len(), self.width);
        let panels = n0.div_ceil(width);
        let Some((x, t)) = p.phases.first().zip(self.phases.first()) else { return Ok(()) };
        let tape = &x.tape;
        let room = tape.reds.len() * width * 16;
        let items = kept * panels * chunks;
        let (outer, bytes) = (&self.outer, t.scratch(tape));
        let partial = self.partial.ensure(items * room)?;
        let place = |i: usize| (i / chunks / panels, i / chunks % panels * width, i % chunks * depth);
        let result = |k: usize, o: usize, p: usize| {
            let k = x.operands[k] as usize;
            base(k).at(outer.offset(k, o)).at(p as isize * self.all.stride(0, k))
        };
        let failed = AtomicBool::new(false);
        pool.run(items, work, |i| {
            let ok = with_scratch(bytes, |mem| {
                // SAFETY: each item has its own partials.
                unsafe {
                    let f = Workspace::new(tape, t, mem);
                    let (o, p, first) = place(i);
                    let n = width.min(n0 - p);
                    clear_columns(tape, &f, n);
                    column_trips(tape, t, |k| result(k, o, p), &f, n, first..(first + depth).min(trips));
                    for (j, r) in tape.reds.iter().enumerate() {
                        let to = partial.at((i * room + j * width * 16) as isize);
                        copy_run(to.0, r.size as isize, f.col_acc(j), r.size as isize, n, r.size);
                    }
                }
            });
            failed.fetch_or(ok.is_err(), Ordering::Relaxed);
        });
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
                    copy_run(result(k, o, p).0, t.space.stride(0, k), acc.0, r.size as isize, n, r.size);
                }
            }
        }
        if failed.into_inner() { Err(Buf::exhausted(bytes)) } else { Ok(()) }
    }
}

/// Most phases of a program.
pub(crate) const MOST_PHASES: usize = 12;
/// One thread's memory.
struct Workspaces {
    /// Addresses of the program's operands at the present kept index.
    ptrs: *mut Ptr,
    /// Sums of earlier chunks of a panel.
    total: Ptr,
    of: [Option<Workspace>; MOST_PHASES],
}
impl Workspaces {
    /// Sets the addresses of the step's operands for kept index `o`.
    unsafe fn enter(&self, outer: &Space, base: impl Fn(usize) -> Ptr, operands: usize, o: &Odometer) {
        for k in 0..operands {
            // SAFETY: there is an address for each operand.
            unsafe { self.ptrs.add(k).write(base(k).at(o.offset(outer, k))) };
        }
    }
}
/// One phase over one row.
///
/// # Safety
/// The addresses in `f` are those of the row; `workspace` was made for the phase.
unsafe fn row_phase(
    (x, uses): (&Phase, &[u32]),
    t: &Tiled,
    f: &Workspaces,
    workspace: &Workspace,
    len: usize,
    chunks: usize,
) {
    // SAFETY: by contract.
    unsafe {
        let at = |k: usize| *f.ptrs.add(uses[k] as usize);
        if x.kept {
            return walk(&x.tape, t, at, workspace, 0, 1);
        }
        for c in 0..chunks {
            workspace.clear_row(&x.tape);
            walk(&x.tape, t, at, workspace, c * GRAIN, ((c + 1) * GRAIN).min(len));
            for (j, r) in x.tape.reds.iter().enumerate() {
                let to = at(r.operand as usize).0;
                if chunks == 1 {
                    (r.fold.finish)(workspace.row_acc(j), to);
                    continue;
                }
                let (mut acc, mut part) = (Acc(r.fold.identity), Acc([0; 16]));
                if c > 0 {
                    copy_run(acc.0.as_mut_ptr(), r.size as isize, to, r.size as isize, 1, r.size);
                }
                (r.fold.finish)(workspace.row_acc(j), part.0.as_mut_ptr());
                join(r, &mut acc, part.0.as_ptr());
                copy_run(to, r.size as isize, acc.0.as_ptr(), r.size as isize, 1, r.size);
            }
        }
    }
}
/// One phase over one panel of `n` columns.
///
/// # Safety
/// The addresses in `f` are those of the panel; `workspace` was made for the phase.
unsafe fn column_phase(
    (x, uses): (&Phase, &[u32]),
    t: &Tiled,
    f: &Workspaces,
    workspace: &Workspace,
    n: usize,
    (trips, depth): (usize, usize),
    width: usize,
) {
    // SAFETY: by contract.
    unsafe {
        let at = |k: usize| *f.ptrs.add(uses[k] as usize);
        if x.kept {
            return column_tile(&x.tape, t, at, workspace, n);
        }
        let mut first = 0;
        loop {
            clear_columns(&x.tape, workspace, n);
            column_trips(&x.tape, t, at, workspace, n, first..(first + depth).min(trips));
            let last = first + depth >= trips;
            for (j, r) in x.tape.reds.iter().enumerate() {
                let (z, total) = (r.size as isize, f.total.at((j * width * 16) as isize).0);
                let mut sum = workspace.col_acc(j);
                if first > 0 {
                    (r.fold.col)(total, sum, n);
                    sum = total;
                } else if !last {
                    copy_run(total, z, sum, z, n, r.size);
                }
                if last {
                    copy_run(at(r.operand as usize).0, t.space.stride(0, r.operand as usize), sum, z, n, r.size);
                }
            }
            if last {
                break;
            }
            first += depth;
        }
    }
}
