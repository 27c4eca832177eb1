//! Tiles: runs a tape over a part of an iteration space, one L1 tile after another. This file and `copy.rs` hold the
//! pointer arithmetic of the engine.
//!
//! An operand is read in place where its elements are dense or one for all along the tile, and packed into a slot
//! otherwise; an output that is not dense along the tile is computed into a slot and unpacked.
use super::code::{Class, Form};
use super::fold::LANE_BYTES;
use super::tape::{TAPE_PS, Tape};
use crate::copy::complex::{join, split};
use crate::copy::run::stream_out;
use crate::copy::{How, copy_run, fill_run};
use crate::jit::Code;
use crate::machine::mem::Ptr;
use tfc_kernels::limit::{Limit, limit};
use tfc_kernels::scalar::Src;
use tfc_plan::region::body::Role;
use tfc_plan::space::Space;

/// Most loops of a space whose tiles may span rows.
const SPAN_RANK: usize = 12;
/// Bytes of an operand from which prefetching pays: it does not lie in the second-level cache.
pub(crate) const FAR: usize = 1 << 20;
/// Rows at least this long are cut into tiles one by one; shorter rows share a tile.
const WIDE_ROW: usize = 128;
/// Fewer rows than this are few for one call of machine code.
const FEW_ROWS: usize = 16;
/// Bytes that an operand steps over while such rows pass: with its neighbours they stay in the second-level cache.
const NEAR_ROWS: usize = 256 << 10;
/// Estimated cost of an element of a complex operand whose parts are taken apart, in picoseconds.
const APART_PS: u64 = 450;
/// Rows from this length on are rows of machine code where tiles over several of them would have to be packed.
const LEAST_ROW: usize = 4;
/// Bytes of a vector: inputs in rows that do not fill one are packed many at a time.
pub(crate) const VECTOR: usize = 64;

/// A tape over a space: what is known before the first tile.
#[derive(Debug, Default)]
pub(crate) struct Tiled {
    /// The loops that tiles cover.
    pub(crate) space: Space,
    /// How tiles see the operands.
    pub(crate) class: Vec<Class>,
    /// Whether tiles end at the end of a row.
    pub(crate) wide: bool,
    /// Number of staging slots.
    pub(crate) staged: usize,
    /// Whether reductions go to one accumulator an element.
    pub(crate) columns: bool,
    /// Machine code in place of the tape's instructions.
    pub(crate) code: Option<Code>,
    /// Whether an output is written past the caches.
    pub(crate) streams: bool,
}
impl Tiled {
    /// Decides how tiles of `tape` see the operands in `self.space`. `folded` operands must be seen element by element.
    pub(crate) fn classify(&mut self, tape: &Tape, columns: bool) {
        let s = &self.space;
        let wide = columns || s.rank() <= 1 || s.rank() > SPAN_RANK || s.dims[0] >= WIDE_ROW;
        self.classify_as(tape, columns, wide);
    }
    /// The same, with tiles that end at the end of a row, or not.
    fn classify_as(&mut self, tape: &Tape, columns: bool, wide: bool) {
        let s = &self.space;
        self.columns = columns;
        self.code = None;
        self.streams = false;
        self.wide = wide;
        self.class.clear();
        self.staged = 0;
        for (k, &(size, role)) in tape.operands.iter().enumerate() {
            let folded = tape.reds.iter().any(|r| r.src as usize == k);
            let (dense, splat) = match (self.wide, s.rank()) {
                (_, 0) => (true, false),
                (true, _) => (s.stride(0, k) == size as isize, s.stride(0, k) == 0),
                (false, _) => (s.is_dense(k, size), s.is_splat(k)),
            };
            self.class.push(match (dense, splat && role == Role::In && !folded) {
                _ if role == Role::Reduced => Class::Splat,
                (true, _) => Class::Stream,
                (_, true) => Class::Splat,
                _ => {
                    self.staged += 1;
                    Class::Pack(self.staged as u32 - 1)
                }
            });
        }
    }
    /// Where tiles that span rows would pack operands that need no packing row by row, and there is machine code for rows: takes
    /// that, which runs many rows in a call. Arguments are those of [`Tiled::generate`]. Returns whether it did.
    pub(crate) fn generate_rows(&mut self, tape: &Tape, nt: impl Fn(usize) -> bool, ahead: u32, work_ns: u64) -> bool {
        let d = self.space.dims.first().copied().unwrap_or(0);
        // Inputs in rows that do not fill a vector are packed sooner than a call's rows are begun and ended; and a result in place of an
        // operand waits, row by row, for stores under a mask to end.
        let packed = d * tape.wide < VECTOR
            && self.class.iter().zip(&tape.operands).all(|(c, &(size, role))| match c {
                Class::Pack(_) => role == Role::In && short_rows(d, size).is_some(),
                _ => true,
            });
        if self.wide
            || self.staged == 0
            || d < LEAST_ROW
            || packed
            || tape.complex() > 0
            || !tape.codes.is_worth(work_ns)
        {
            return false;
        }
        self.classify_as(tape, false, true);
        if self.staged == 0 {
            self.generate(tape, nt, ahead, work_ns);
            if self.code.is_some() {
                self.longer(tape);
                return true;
            }
        }
        self.classify_as(tape, false, false);
        false
    }
    /// The rows of one call are those along loop 1. Where that is short, and another loop is long, a part of that one whose elements stay in
    /// the second-level cache comes first.
    fn longer(&mut self, tape: &Tape) {
        let s = &mut self.space;
        if !(3..8).contains(&s.rank()) || s.dims[1] >= FEW_ROWS {
            return;
        }
        let Some(l) = (2..s.rank()).max_by_key(|&l| (s.dims[l], usize::MAX - l)) else { return };
        let step = (0..tape.operands.len()).map(|k| s.stride(l, k).unsigned_abs()).max().unwrap_or(0).max(64);
        let most = (NEAR_ROWS / step / s.dims[1].max(1)).max(1);
        let part = (1..=s.dims[l].min(most)).rev().find(|n| s.dims[l].is_multiple_of(*n)).unwrap_or(1);
        if part >= 4 * s.dims[1].max(1) {
            s.split(l, part, 1);
        }
    }
    /// Looks for machine code. `nt(k)`: may operand `k` be written past the caches? `ahead`: bytes that
    /// prefetches run ahead of what is read, or 0; `work_ns`: of all runs.
    pub(crate) fn generate(&mut self, tape: &Tape, nt: impl Fn(usize) -> bool, ahead: u32, work_ns: u64) {
        let form = match (self.columns, self.space.rank()) {
            (true, _) => Form::Column,
            (false, 0) => Form::One,
            _ => Form::Row,
        };
        let complex = tape.complex() > 0;
        // Accumulators stand where the imaginary parts would; and to take numbers apart costs what a cheap instruction does.
        let streamed = self.class.iter().zip(&tape.imaginary).filter(|x| x.1.is_some() && *x.0 != Class::Splat).count();
        let apart = TAPE_PS + APART_PS * streamed as u64;
        let cheap = form == Form::Row && tape.cost_ps < apart && limit() != Some(Limit::Jit);
        if complex && (form == Form::Column || cheap) {
            return;
        }
        let prefetch = if form == Form::Row && self.staged == 0 && !complex { ahead } else { 0 };
        self.streams = (0..tape.operands.len()).any(&nt);
        let whole = (complex && form == Form::Row).then(|| (self.class.clone(), self.staged));
        if whole.is_some() {
            self.take_apart(tape);
        }
        self.code = tape.codes.get(form, &self.class, &nt, prefetch, work_ns);
        if self.code.is_none()
            && let Some(whole) = whole
        {
            (self.class, self.staged) = whole;
        }
        if self.code.is_none() && form == Form::Row && self.streams {
            let past = |k: usize| tape.operands[k].1 == Role::Out && nt(k);
            for (_, c) in self.class.iter_mut().enumerate().filter(|c| *c.1 == Class::Stream && past(c.0)) {
                *c = Class::Past(self.staged as u32);
                self.staged += 1;
            }
        }
    }
    /// Complex operands that are not one element go through the stage, where their parts lie apart.
    fn take_apart(&mut self, tape: &Tape) {
        for (c, _) in self.class.iter_mut().zip(&tape.imaginary).filter(|x| x.1.is_some()) {
            let slot = match *c {
                Class::Pack(i) => Some(i),
                Class::Stream => None,
                _ => continue,
            };
            *c = Class::Parts(slot, self.staged as u32);
            self.staged += 1;
        }
    }
    /// Whether an output is written past the caches.
    pub(crate) fn streams(&self) -> bool {
        self.streams
    }
    /// Operands are dense along tiles, in a stage, but those that `splat` says are one element.
    pub(crate) fn classify_staged(&mut self, tape: &Tape, splat: impl Fn(usize) -> bool) {
        for (k, c) in self.class.iter_mut().enumerate() {
            *c = if splat(k) { Class::Splat } else { Class::Stream };
        }
        (self.wide, self.staged) = (true, tape.operands.len());
    }
    /// After the last write, before another thread may read.
    pub(crate) fn fence(&self) {
        if self.streams {
            crate::copy::fence();
        }
    }
    fn slot_bytes(tape: &Tape) -> usize {
        (tape.tile * tape.wide).next_multiple_of(64) + 64
    }
    /// Entries of the table: those of the tape, or its operands and the accumulators of columns or the imaginary parts.
    fn entries(tape: &Tape) -> usize {
        tape.entries().max(tape.operands.len() + (2 * tape.reds.len()).max(tape.complex()))
    }
    /// Bytes of scratch memory that [`Workspace::new`] divides.
    pub(crate) fn scratch(&self, tape: &Tape) -> usize {
        let slots = tape.slots + self.staged + tape.reds.len();
        let table = Tiled::entries(tape) * size_of::<Src>() + tape.operands.len() * 8;
        table.next_multiple_of(64) + tape.reds.len() * LANE_BYTES + slots * Tiled::slot_bytes(tape)
    }
}

/// One thread's memory while it runs tiles.
#[derive(Clone, Copy)]
pub(crate) struct Workspace {
    table: *mut Src,
    row: *mut isize,
    /// Lanes of row accumulators.
    acc: *mut u8,
    stage: *mut u8,
    /// Column accumulators, a slot each.
    cols: *mut u8,
    slot: usize,
}
impl Workspace {
    /// Divides `mem` and fills in what does not change from tile to tile.
    ///
    /// # Safety
    /// `mem` is 64-byte aligned, has `bound.scratch(tape)` bytes, and is used by this workspace alone.
    pub(crate) unsafe fn new(tape: &Tape, bound: &Tiled, mem: Ptr) -> Workspace {
        let (no, slot) = (tape.operands.len(), Tiled::slot_bytes(tape));
        let table = mem.0.cast::<Src>();
        // SAFETY: the parts follow each other inside `scratch` bytes; entries beyond the operands are written here, the
        // operands' before each tile.
        unsafe {
            let row = table.add(Tiled::entries(tape)).cast::<isize>();
            let used = Tiled::entries(tape) * size_of::<Src>() + no * 8;
            let acc = mem.0.add(used.next_multiple_of(64));
            let slots = acc.add(tape.reds.len() * LANE_BYTES);
            let stage = slots.add(tape.slots * slot);
            let cols = stage.add(bound.staged * slot);
            if bound.code.is_some() {
                for i in 0..if bound.columns { 2 * tape.reds.len() } else { 0 } {
                    table.add(no + i).write(Src { ptr: cols.add(i / 2 * slot), stride: 0 });
                }
            } else {
                for (i, c) in tape.consts.iter().enumerate() {
                    table.add(no + i).write(Src { ptr: c.0.as_ptr(), stride: 0 });
                }
                for i in 0..tape.slots {
                    table.add(no + tape.consts.len() + i).write(Src { ptr: slots.add(i * slot), stride: 1 });
                }
            }
            Workspace { table, row, acc, stage, cols, slot }
        }
    }
    /// Sets the row accumulators to the identities.
    ///
    /// # Safety
    /// `self` was made for `tape`.
    pub(crate) unsafe fn clear_row(&self, tape: &Tape) {
        for (i, r) in tape.reds.iter().enumerate() {
            // SAFETY: each reduction has its lanes.
            unsafe { (r.fold.clear)(self.row_acc(i)) };
        }
    }
    /// Sets the table's entry of operand `k`, and for machine code that of its imaginary parts, which begin `second` bytes behind.
    ///
    /// # Safety
    /// `self` was made for `tape` and `b`.
    unsafe fn enter(&self, tape: &Tape, b: &Tiled, k: usize, x: Src, second: usize) {
        // SAFETY: the table has an entry for each operand, and with machine code one for the imaginary parts of each complex operand.
        unsafe {
            self.table.add(k).write(x);
            if let Some(i) = tape.imaginary[k].filter(|_| b.code.is_some()) {
                self.table.add(i as usize).write(Src { ptr: x.ptr.wrapping_add(second), ..x });
            }
        }
    }
    /// Lanes of row accumulator `i`.
    pub(crate) fn row_acc(&self, i: usize) -> *mut u8 {
        self.acc.wrapping_add(LANE_BYTES * i)
    }
    /// Column accumulators of reduction `i`: one for each element of a tile.
    pub(crate) fn col_acc(&self, i: usize) -> *mut u8 {
        self.cols.wrapping_add(self.slot * i)
    }
}

/// The first `n` elements of the table's entries: by machine code, or one instruction after the other. Reductions go to
/// the workspace's accumulators.
unsafe fn run_tile(tape: &Tape, b: &Tiled, f: &Workspace, n: usize) {
    let table = f.table;
    if let Some(code) = &b.code {
        // SAFETY: the code was compiled for this tape and these classes of operands.
        return unsafe { code.run(n, table, f.acc) };
    }
    for i in &tape.ins {
        // SAFETY: entries of the table are set, hold `n` elements of the instruction's types, and the tape's slots are
        // never shared by values that live together.
        unsafe {
            let src = [*table.add(i.src[0] as usize), *table.add(i.src[1] as usize), *table.add(i.src[2] as usize)];
            let dst = (*table.add(i.dst as usize)).ptr.cast_mut();
            match i.f {
                Some(f) => f(n, &src, dst),
                None => {
                    let s = i.size as usize;
                    copy_run(dst, s as isize, src[0].ptr, src[0].stride * s as isize, n, s);
                }
            }
        }
    }
    for (i, r) in tape.reds.iter().enumerate() {
        // SAFETY: the workspace has accumulators for each reduction; what is folded lives to the end of the tile.
        unsafe {
            let src = (*table.add(r.src as usize)).ptr;
            if b.columns { (r.fold.col)(f.col_acc(i), src, n) } else { (r.fold.row)(f.row_acc(i), src, n) }
        }
    }
}

/// Runs elements `lo..hi` of the bound space (linear index, loop 0 fastest), with operand `k` displaced to `base(k)`.
/// Row accumulators of the workspace take the reductions.
///
/// # Safety
/// The operands' memory covers the space; outputs are written by nobody else; `workspace` was made for `tape` and `b`.
pub(crate) unsafe fn walk(
    tape: &Tape,
    b: &Tiled,
    base: impl Fn(usize) -> Ptr,
    workspace: &Workspace,
    lo: usize,
    hi: usize,
) {
    let s = &b.space;
    if let Some(code) = b.code.as_ref().filter(|_| b.staged == 0 && s.rank() <= 1 && lo < hi) {
        // SAFETY: by contract; operands are dense or stand still along the only loop.
        return unsafe {
            for (k, &(size, _)) in tape.operands.iter().enumerate() {
                let dense = b.class[k] == Class::Stream;
                let ptr = base(k).at(if dense { (lo * size) as isize } else { 0 }).0.cast_const();
                workspace.enter(tape, b, k, Src { ptr, stride: isize::from(dense) }, size / 2);
            }
            code.run(hi - lo, workspace.table, workspace.acc)
        };
    }
    if let Some(code) = b.code.as_ref().filter(|_| b.staged == 0 && b.wide && s.rank() > 1 && lo < hi) {
        // SAFETY: by contract; operands are dense or stand still along rows.
        return unsafe { walk_rows(tape, b, code, base, workspace, lo, hi) };
    }
    let d0 = if b.wide { s.dims.first().copied().unwrap_or(1).max(1) } else { usize::MAX };
    // Staged operands are read a tile at a time; code needs no other tiles.
    let most = if b.code.is_some() && b.staged == 0 { usize::MAX } else { tape.tile };
    let (mut at, mut row, isa) = (lo, usize::MAX, How::best().isa);
    while at < hi {
        let (r, off) = (at / d0, at % d0);
        let n = most.min(d0 - off).min(hi - at);
        if b.wide && r != row {
            row = r;
            for k in 0..tape.operands.len() {
                // SAFETY: `row` has one place for each operand.
                unsafe { workspace.row.add(k).write(s.offset(k, r * d0)) };
            }
        }
        // SAFETY: by contract; addresses stay inside the operands because `at + n <= hi <= len`, and a slot of the stage holds a tile.
        unsafe {
            let stage = |i: u32| workspace.stage.add(i as usize * workspace.slot);
            // Where the tile of a dense operand begins.
            let dense = |k: usize| {
                let size = tape.operands[k].0;
                base(k).at(if b.wide { *workspace.row.add(k) + (off * size) as isize } else { (at * size) as isize }).0
            };
            // Moves the tile of an operand to a slot, or from it.
            let moved = |k: usize, slot: *mut u8, load: bool, n: usize| {
                let size = tape.operands[k].0;
                if !b.wide {
                    return pack(s, k, base(k), at, n, slot, size, load);
                }
                let (s0, step) = (s.stride(0, k), size as isize);
                let there = base(k).at(*workspace.row.add(k) + off as isize * s0).0;
                if load { copy_run(slot, step, there, s0, n, size) } else { copy_run(there, s0, slot, step, n, size) }
            };
            let half = |size: usize| tape.tile * size / 2;
            for (k, &(size, role)) in tape.operands.iter().enumerate() {
                let p = |o: isize| base(k).at(o).0.cast_const();
                let mut second = size / 2;
                let e = match (b.class[k], b.wide) {
                    (Class::Splat, false) => Src { ptr: p(0), stride: 0 },
                    (Class::Splat, true) => Src { ptr: p(*workspace.row.add(k)), stride: 0 },
                    (Class::Stream, _) => Src { ptr: dense(k), stride: 1 },
                    (Class::Past(i), _) => Src { ptr: stage(i), stride: 1 },
                    (Class::Pack(i), _) => {
                        let slot = stage(i);
                        if role == Role::In {
                            moved(k, slot, true, n);
                        }
                        Src { ptr: slot, stride: 1 }
                    }
                    (Class::Parts(through, i), _) => {
                        let parts = stage(i);
                        if role == Role::In {
                            let whole = match through {
                                Some(i) => {
                                    moved(k, stage(i), true, n);
                                    stage(i)
                                }
                                None => dense(k),
                            };
                            split(isa, whole, parts, half(size), n, size);
                        }
                        second = half(size);
                        Src { ptr: parts, stride: 1 }
                    }
                };
                workspace.enter(tape, b, k, e, second);
            }
            run_tile(tape, b, workspace, n);
            for (k, &(size, role)) in tape.operands.iter().enumerate() {
                match (b.class[k], role) {
                    (Class::Past(i), _) => stream_out(isa, dense(k), stage(i), n * size),
                    (Class::Pack(i), Role::Out) => moved(k, stage(i), false, n),
                    (Class::Parts(None, i), Role::Out) => join(isa, dense(k), stage(i), half(size), n, size),
                    (Class::Parts(Some(through), i), Role::Out) => {
                        join(isa, stage(through), stage(i), half(size), n, size);
                        moved(k, stage(through), false, n);
                    }
                    _ => {}
                }
            }
        }
        at += n;
    }
}

/// [`walk`] where machine code runs rows whose operands need no stage: all rows along loop 1 in one call.
///
/// # Safety
/// As [`walk`].
unsafe fn walk_rows(
    tape: &Tape,
    b: &Tiled,
    code: &Code,
    base: impl Fn(usize) -> Ptr,
    workspace: &Workspace,
    lo: usize,
    hi: usize,
) {
    let s = &b.space;
    let (d0, d1) = (s.dims[0].max(1), s.dims[1].max(1));
    let (mut at, mut row) = (lo, lo / d0 % d1);
    let mut outer = s.odometer(2, lo / d0 / d1);
    while at < hi {
        let off = at % d0;
        let (n, rows) = match hi - at {
            left if off > 0 || left < d0 => ((d0 - off).min(left), 1),
            left => (d0, (left / d0).min(d1 - row)),
        };
        for (k, &(size, _)) in tape.operands.iter().enumerate() {
            let along = if b.class[k] == Class::Splat { 0 } else { (off * size) as isize };
            let ptr = base(k).at(outer.offset(s, k)).at(row as isize * s.stride(1, k) + along).0.cast_const();
            // SAFETY: the workspace is that of the tape.
            unsafe { workspace.enter(tape, b, k, Src { ptr, stride: s.stride(1, k) }, size / 2) };
        }
        // SAFETY: by contract: rows lie inside the operands.
        unsafe { code.trips(n, rows, workspace.table, workspace.acc) };
        at += n * rows;
        row += if off + n == d0 || rows > 1 { rows } else { 0 };
        if row == d1 {
            row = 0;
            outer.step(s);
        }
    }
}

/// One tile of `n` elements of operands that lie as `src` says.
///
/// # Safety
/// The operands have `n` elements of their types, or one for all where they were classified so; `workspace` was made for
/// `tape` and `b`; without machine code, `n` is at most the tape's tile.
pub(crate) unsafe fn dense_tile(tape: &Tape, b: &Tiled, workspace: &Workspace, src: &[Src], n: usize) {
    // SAFETY: the table has an entry for each operand.
    unsafe {
        src.iter().enumerate().for_each(|(k, &x)| workspace.table.add(k).write(x));
        run_tile(tape, b, workspace, n);
    }
}

/// One tile of `n` elements along loop 0 with operand `k` at `base(k)`; reductions go to the column accumulators.
///
/// # Safety
/// As [`walk`], with `n` at most the tape's tile.
pub(crate) unsafe fn column_tile(tape: &Tape, b: &Tiled, base: impl Fn(usize) -> Ptr, workspace: &Workspace, n: usize) {
    // SAFETY: by contract.
    unsafe {
        for (k, &(size, role)) in tape.operands.iter().enumerate() {
            let (p, s0) = (base(k).0, if b.space.rank() == 0 { size as isize } else { b.space.stride(0, k) });
            let e = match b.class[k] {
                Class::Splat => Src { ptr: p, stride: 0 },
                Class::Stream => Src { ptr: p, stride: 1 },
                Class::Pack(i) | Class::Past(i) | Class::Parts(_, i) => {
                    let slot = workspace.stage.add(i as usize * workspace.slot);
                    if role == Role::In {
                        copy_run(slot, size as isize, p, s0, n, size);
                    }
                    Src { ptr: slot, stride: 1 }
                }
            };
            workspace.table.add(k).write(e);
        }
        run_tile(tape, b, workspace, n);
        for (k, &(size, role)) in tape.operands.iter().enumerate() {
            if let (Class::Pack(i) | Class::Past(i) | Class::Parts(_, i), Role::Out) = (b.class[k], role) {
                let s0 = b.space.stride(0, k);
                copy_run(base(k).0, s0, workspace.stage.add(i as usize * workspace.slot), size as isize, n, size);
            }
        }
    }
}

/// [`column_tile`] for the trips in `trips` of the loops beyond loop 0; operand `k` is at `base(k)` in trip 0.
///
/// # Safety
/// As [`column_tile`].
pub(crate) unsafe fn column_trips(
    tape: &Tape,
    b: &Tiled,
    base: impl Fn(usize) -> Ptr,
    workspace: &Workspace,
    n: usize,
    trips: std::ops::Range<usize>,
) {
    let s = &b.space;
    let (inner, step) =
        (s.dims.get(1).copied().unwrap_or(1).max(1), |k: usize| if s.rank() > 1 { s.stride(1, k) } else { 0 });
    let (mut t, mut outer) = (trips.start, s.odometer(2, trips.start / inner));
    // SAFETY: by contract; along loop 1 operands advance by its strides.
    unsafe {
        while t < trips.end {
            // What is left of loop 1.
            let lo = if t == trips.start { t % inner } else { 0 };
            let m = (inner - lo).min(trips.end - t);
            let from = |k: usize| base(k).at(outer.offset(s, k)).at(lo as isize * step(k));
            if b.staged > 0 {
                for j in 0..m as isize {
                    column_tile(tape, b, |k| from(k).at(j * step(k)), workspace, n);
                }
            } else if let Some(code) = &b.code {
                for k in 0..tape.operands.len() {
                    workspace.table.add(k).write(Src { ptr: from(k).0.cast_const(), stride: step(k) });
                }
                code.trips(n, m, workspace.table, workspace.acc);
            } else {
                for k in 0..tape.operands.len() {
                    let stride = isize::from(b.class[k] == Class::Stream);
                    workspace.table.add(k).write(Src { ptr: from(k).0.cast_const(), stride });
                }
                for _ in 0..m {
                    run_tile(tape, b, workspace, n);
                    for k in 0..tape.operands.len() {
                        let e = &mut (*workspace.table.add(k)).ptr;
                        *e = e.wrapping_offset(step(k));
                    }
                }
            }
            t += m;
            outer.step(s);
        }
    }
}

/// Sets `n` column accumulators of each reduction to the identity.
///
/// # Safety
/// `workspace` was made for `tape`, and `n` is at most its tile.
pub(crate) unsafe fn clear_columns(tape: &Tape, workspace: &Workspace, n: usize) {
    for (i, r) in tape.reds.iter().enumerate() {
        // SAFETY: a slot holds a tile of elements.
        unsafe { fill_run(workspace.col_acc(i), r.size as isize, r.fold.identity.as_ptr(), n, r.size) };
    }
}

/// Brings rows of a few elements side by side: where they go, the first one, how many rows of how many planes, and bytes from one element,
/// row and plane to the next.
type ShortRows = unsafe fn(*mut u8, *const u8, [usize; 2], [isize; 3]);
unsafe fn short<T: Copy, const N: usize>(
    to: *mut u8,
    from: *const u8,
    [rows, planes]: [usize; 2],
    [s0, s1, s2]: [isize; 3],
) {
    let mut to = to.cast::<[T; N]>();
    for p in 0..planes as isize {
        let row = |r: usize| from.wrapping_offset(p * s2 + r as isize * s1);
        // SAFETY: the rows are there, and there is room for them.
        unsafe {
            if s1 == 0 && s0 == size_of::<T>() as isize {
                let one = row(0).cast::<[T; N]>().read_unaligned();
                (0..rows).for_each(|r| to.add(r).write(one));
            } else if s0 == 0 {
                (0..rows).for_each(|r| to.add(r).write([row(r).cast::<T>().read_unaligned(); N]));
            } else if s0 == size_of::<T>() as isize {
                (0..rows).for_each(|r| to.add(r).write(row(r).cast::<[T; N]>().read_unaligned()));
            } else {
                let one = |r: usize, i: usize| row(r).wrapping_offset(i as isize * s0).cast::<T>().read_unaligned();
                (0..rows).for_each(|r| to.add(r).write(std::array::from_fn(|i| one(r, i))));
            }
            to = to.add(rows);
        }
    }
}
/// How rows of so many elements of so many bytes are brought side by side, where they are short.
fn short_rows(n: usize, size: usize) -> Option<ShortRows> {
    macro_rules! by {
        ($($n:literal)*) => {
            match (n, size) {
                $(($n, 4) => Some(short::<u32, $n>), ($n, 8) => Some(short::<u64, $n>),)*
                _ => None,
            }
        };
    }
    by!(2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

/// Moves elements `at..at + n` of operand `k` to (`load`) or from the dense `slot`, row by row.
unsafe fn pack(s: &Space, k: usize, base: Ptr, at: usize, n: usize, slot: *mut u8, size: usize, load: bool) {
    let mut c = [0usize; SPAN_RANK];
    let (mut rest, mut p) = (at, base);
    for (l, &d) in s.dims.iter().enumerate() {
        c[l] = rest % d;
        rest /= d;
        p = p.at(c[l] as isize * s.stride(l, k));
    }
    let (d0, s0, step) = (s.dims[0], s.stride(0, k), size as isize);
    // Steps `by` trips of loop `l` on, which stays inside or ends it, and so the next where it ends.
    let on = |c: &mut [usize; SPAN_RANK], p: &mut Ptr, first: usize, by: usize| {
        let mut by = by;
        for l in first..s.rank() {
            c[l] += by;
            *p = p.at(s.stride(l, k) * by as isize);
            if c[l] < s.dims[l] {
                break;
            }
            *p = p.at(-s.stride(l, k) * s.dims[l] as isize);
            (c[l], by) = (0, 1);
        }
    };
    let short = if load && s.rank() > 1 { short_rows(d0, size) } else { None };
    let stride = |l: usize| if l < s.rank() { s.stride(l, k) } else { 0 };
    let mut done = 0;
    while done < n {
        let left = n - done;
        // SAFETY: the slot holds a tile; `p` walks the operand inside its space.
        let q = unsafe { slot.add(done * size) };
        if let Some(short) = short.filter(|_| c[0] == 0 && left >= d0) {
            // Rows of a few elements: all those along loops 1 and 2 in one call.
            let (d1, d2) = (s.dims[1], s.dims.get(2).copied().unwrap_or(1));
            let [rows, planes] = match c[1] == 0 && left / d0 >= d1 {
                true => [d1, (left / d0 / d1).min(d2 - c[2])],
                false => [(left / d0).min(d1 - c[1]), 1],
            };
            // SAFETY: as above.
            unsafe { short(q, p.0, [rows, planes], [s0, s.stride(1, k), stride(2)]) };
            done += rows * planes * d0;
            if rows == d1 && planes > 1 {
                on(&mut c, &mut p, 2, planes)
            } else {
                on(&mut c, &mut p, 1, rows)
            }
            continue;
        }
        let m = left.min(d0 - c[0]);
        // SAFETY: as above.
        unsafe { if load { copy_run(q, step, p.0, s0, m, size) } else { copy_run(p.0, s0, q, step, m, size) } }
        done += m;
        on(&mut c, &mut p, 0, m);
    }
}
