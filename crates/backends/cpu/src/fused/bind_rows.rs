//! Binding reductions to sizes and strides: which loops are innermost, which phase prefetches, which operands phases find in
//! a buffer of the row or panel, how wide panels are. `rows` runs what is decided here.
use super::bound::{Bound, Mode, Staged, key, streamed};
use super::program::{Phase, Program};
use super::tiles::{FAR, Tiled};
use crate::copy::GRAIN;
use tfc_plan::plan::sizes::{APART, DENSE, STILL};
use tfc_plan::region::body::Role;
use tfc_plan::space::Space;

/// Reduced rows shorter than this are folded across a longer kept loop, where there is one.
const SHORT_ROW: usize = 32;
/// Rows of several phases beyond this are shared among threads one by one, phase after phase.
pub(crate) const LONG_ROW: usize = 16 * GRAIN;
/// Bytes of a panel of columns that several phases go over.
const PANEL_BYTES: usize = 1 << 19;
/// The same of one in which operands are turned.
const TURNED_BYTES: usize = 1 << 14;
/// Trips of such a panel.
const LEAST_TURNED: usize = 3;
pub(crate) const MOST_TURNED: usize = 32;
/// Bytes of rows that are prefetched as a whole.
const LEAST_AHEAD: usize = 1 << 10;
const MOST_AHEAD: usize = 1 << 17;
/// Least number of columns of such a panel.
const LEAST_WIDTH: usize = 64;

/// The input that moves along the most elements, or an output that moves along more: along all.
fn widest(p: &Program, s: &Space) -> usize {
    let all = |k: usize| (0..s.rank()).all(|l| s.dims[l] < 2 || s.stride(l, k) != 0);
    let size = |k: usize| (0..s.rank()).filter(|&l| s.stride(l, k) != 0).map(|l| s.dims[l]).product::<usize>();
    let may = |&k: &usize| p.roles[k] == Role::In || all(k);
    (0..p.roles.len()).filter(may).max_by_key(|&k| (size(k), p.roles[k] == Role::In, usize::MAX - k)).unwrap_or(0)
}
/// Lanes of a vector; what it costs to bring an element of an operand from where it lies to a row, and to begin a row of a phase, in
/// picoseconds.
const LANES: u64 = 8;
const PACKED_PS: u64 = 1500;
const BEGUN_PS: u64 = 10_000;
/// Bytes between elements whose lines lie in few sets of the first-level cache.
const FAR_APART: usize = 1024;
/// A long loop that had better be the innermost one, where the kept loop that is fills few lanes of what is a long computation, or begins
/// many short rows.
fn longer(p: &Program, s: &Space) -> Option<usize> {
    let idle = |l: usize| {
        let n = (s.dims[l] as u64).max(1);
        let begun = BEGUN_PS.saturating_mul(p.phases.len() as u64);
        p.cost_ps.saturating_mul(LANES.saturating_sub(n)).saturating_add(begun) / n
    };
    // What has fewer elements than there are trips is brought to rows more rarely; lines that are far apart push each other out of the cache.
    let whole = |k: usize| (0..s.rank()).all(|l| s.dims[l] < 2 || s.stride(l, k) != 0);
    let packed = |l: usize| {
        let each = |k: usize| match s.stride(l, k).unsigned_abs() {
            step if step == 0 || step == p.size(k as u32) || !whole(k) => 0,
            step if step >= FAR_APART => 2 * PACKED_PS,
            _ => PACKED_PS,
        };
        (0..p.roles.len()).map(each).sum::<u64>()
    };
    let cost = |l: usize| idle(l).saturating_add(packed(l));
    let best = (1..s.rank()).filter(|&l| s.dims[l] >= 2 * SHORT_ROW).min_by_key(|&l| cost(l))?;
    (cost(best) < cost(0)).then_some(best)
}
/// A long loop that had better be the innermost one, since along the one that is some input's elements lie apart.
fn less_apart(p: &Program, s: &Space) -> Option<usize> {
    let cost = |l: usize| {
        let one = |k: usize| match s.stride(l, k) {
            0 => STILL,
            step if step.unsigned_abs() == p.size(k as u32) => DENSE,
            _ => APART,
        };
        (0..p.roles.len()).filter(|&k| p.roles[k] == Role::In).map(one).sum::<usize>()
    };
    let best = (1..s.rank()).filter(|&l| s.dims[l] >= 2 * SHORT_ROW).min_by_key(|&l| cost(l))?;
    (2 * cost(best) <= cost(0)).then_some(best)
}
impl Bound {
    /// Binds a program with reductions to the loops in `self.all`.
    pub(crate) fn bind_reduction(&mut self, p: &Program, nt: impl Fn(usize) -> bool) {
        let s = &mut self.all;
        if s.dims.iter().zip(&s.kind).any(|(&d, &r)| d == 0 && !r) {
            self.mode = Mode::Nothing;
            return;
        }
        let lead = widest(p, s);
        s.sort_by_key(|s, l| key(s.stride(l, lead)));
        s.collapse();
        let long_kept = |s: &Space| (0..s.rank()).find(|&l| !s.kind[l] && s.dims[l] >= 2 * SHORT_ROW);
        if !s.is_empty()
            && let Some(l) = less_apart(p, s)
        {
            s.bring_inside(l);
        }
        let mut row = s.kind.first().copied().unwrap_or(true);
        if row
            && s.dims.first().is_some_and(|&d| d < SHORT_ROW)
            && !s.is_empty()
            && let Some(l) = long_kept(s)
        {
            s.bring_inside(l);
            row = false;
        }
        if !row && let Some(l) = longer(p, s) {
            row = s.kind[l];
            s.bring_inside(l);
        }
        if row {
            s.sort_by_key(|s, l| !s.kind[l]);
        } else {
            // The innermost loop stays, then the reduced ones, then the others.
            let inner = s.dims[0];
            s.kind[0] = true;
            s.sort_by_key(|s, l| !s.kind[l]);
            debug_assert_eq!(s.dims[0], inner);
            s.kind[0] = false;
        }
        s.collapse();
        let inner = if row {
            s.kind.iter().take_while(|k| **k).count()
        } else {
            1 + s.kind[1..].iter().take_while(|k| **k).count()
        };
        s.split_off(inner, &mut self.outer);
        self.mode = if row { Mode::Rows } else { Mode::Columns };
        self.width = if row { 0 } else { self.panel_width(p) };
        self.stage(p);
        for ((phase, t), uses) in p.phases.iter().zip(&mut self.phases).zip(&self.uses) {
            project(p, (phase, uses), &self.all, self.width, &mut t.space);
            t.classify(&phase.tape, !row);
        }
        let (ahead, outer) = (self.ahead(p), self.outer.len());
        // What is written once more, or read again, stays in cache.
        let bytes = |k: usize| self.outer.bytes(k, self.all.bytes(k, p.size(k as u32)));
        let stream = |k: u32, len: usize, size: usize| {
            p.roles.get(k as usize) == Some(&Role::Out)
                && nt(k as usize)
                && !p.read_back(k)
                && streamed(len.saturating_mul(outer).saturating_mul(size), (0..p.roles.len()).map(bytes))
        };
        // Code reads what stands still along a row before it looks how long the row is: there is none without elements.
        let none = self.all.is_empty();
        self.code = if none { None } else { self.row_code(p, ahead, stream) };
        for (i, ((phase, t), uses)) in p.phases.iter().zip(&mut self.phases).zip(&self.uses).enumerate() {
            if none && !phase.kept {
                continue;
            }
            let len = t.space.len();
            let stream = |j: usize| stream(uses[j], len, phase.tape.operands[j].0);
            if self.code.is_some() {
                t.streams = (0..uses.len()).any(stream);
                continue;
            }
            let work = work(phase, t, outer);
            t.generate(&phase.tape, stream, if ahead.0 == i { ahead.1 } else { 0 }, work);
        }
    }
    /// Which phase prefetches, and how far: a single phase, or the first of long rows, for itself; else the one with most to
    /// compute for the next row, which the first phase would wait for.
    fn ahead(&self, p: &Program) -> (usize, u32) {
        let row = self.row_bytes(p);
        let total = row.saturating_mul(self.outer.len());
        let first = p.phases.iter().position(|x| !x.kept).unwrap_or(0);
        if self.mode != Mode::Rows || total < FAR {
            return (first, 0);
        }
        if !self.by_rows(p) {
            return (first, 4096);
        }
        let most = p.phases.iter().enumerate().filter(|x| !x.1.kept).max_by_key(|x| x.1.tape.cost_ps);
        // A power of two, so that the code does not depend on the length of rows.
        (most.map_or(first, |m| m.0), row.next_power_of_two() as u32)
    }
    /// Bytes of a row of the widest type.
    fn row_bytes(&self, p: &Program) -> usize {
        let wide = p.phases.iter().filter(|x| !x.kept).map(|x| x.tape.wide).max().unwrap_or(8);
        self.all.len().saturating_mul(wide)
    }
    /// Whether rows of several phases are prefetched as a whole.
    pub(crate) fn by_rows(&self, p: &Program) -> bool {
        let single = p.phases.iter().filter(|x| !x.kept).count() == 1;
        !single && (LEAST_AHEAD..=MOST_AHEAD).contains(&self.row_bytes(p))
    }
    /// Decides which operands phases find in a buffer of the row or panel: an output that earlier phases use to hold
    /// something else (so that it is written once, past the caches where that pays), an input that several phases read
    /// in short pieces far apart, whose lines would push each other out of the cache, and what lies with the trips of a column side by side.
    fn stage(&mut self, p: &Program) {
        self.uses.resize_with(p.phases.len(), Vec::new);
        for (uses, x) in self.uses.iter_mut().zip(&p.phases) {
            uses.clear();
            uses.extend_from_slice(&x.operands);
        }
        self.staged.clear();
        let columns = self.mode == Mode::Columns;
        let panel = if columns { self.width * self.trips() } else { self.all.len() };
        let (several, turns) = (p.phases.len() > 1, self.turns(p));
        if !(several || turns) || panel > LONG_ROW {
            return;
        }
        let mut shared = vec![];
        for k in 0..p.roles.len() as u32 {
            let with = |role: Role| {
                let has = move |x: &&Phase| {
                    !x.kept && x.operands.iter().zip(&x.tape.operands).any(|(&o, t)| o == k && t.1 == role)
                };
                (p.phases.iter().filter(has).count(), p.phases.iter().rposition(|x| has(&x)))
            };
            let ((writes, last), (reads, _)) = (with(Role::Out), with(Role::In));
            let (size, read) = (p.size(k), p.roles[k as usize] == Role::In);
            let turned = self.turned(p, k as usize) && reads + writes > 0;
            let far = columns && self.width < self.all.dims[0] && self.all.stride(0, k as usize) == size as isize;
            let copied = read && (turned || far && reads > 1 && several && self.full(k));
            let goes = turned && p.roles[k as usize] == Role::Out;
            if !(copied || goes || several && writes > 1) {
                continue;
            }
            // What is computed may take the place of the copy that it is computed from.
            let over = self.staged.iter().position(|s| {
                let may = |i| p.in_place.contains(&(k, i)) && s.turned == turned;
                !copied && s.size == size && !shared.contains(&s.from) && s.from.is_some_and(may)
            });
            let at = over.unwrap_or(self.staged.len());
            match over {
                Some(i) => shared.push(self.staged[i].from),
                None => self.staged.push(Staged { size, from: copied.then_some(k), to: None, turned }),
            }
            if goes {
                self.staged[at].to = Some(k);
            }
            let to = (p.operands() + at) as u32;
            for (i, (x, uses)) in p.phases.iter().zip(&mut self.uses).enumerate() {
                for (j, m) in uses.iter_mut().enumerate().filter(|m| *m.1 == k) {
                    let final_write = x.tape.operands[j].1 == Role::Out && Some(i) == last && !goes;
                    if !x.kept && !final_write {
                        *m = to;
                    }
                }
            }
        }
    }
    /// Whether an operand lies with the trips of a column side by side, and its columns apart.
    fn turned(&self, p: &Program, k: usize) -> bool {
        let (s, size) = (&self.all, p.size(k as u32));
        let few = s.rank() == 2 && (LEAST_TURNED..=MOST_TURNED).contains(&s.dims[1]) && s.dims[0] >= LEAST_WIDTH;
        let lies = |s: &Space| s.stride(1, k) == size as isize && s.stride(0, k).unsigned_abs() > size;
        self.mode == Mode::Columns
            && matches!(p.roles[k], Role::In | Role::Out)
            && few
            && matches!(size, 4 | 8)
            && lies(s)
    }
    /// Whether some operand does.
    fn turns(&self, p: &Program) -> bool {
        (0..p.roles.len()).any(|k| self.turned(p, k))
    }
    /// Whether operand `k` moves along the loops that are folded.
    fn full(&self, k: u32) -> bool {
        (0..self.all.rank()).any(|l| self.all.kind[l] && self.all.stride(l, k as usize) != 0)
    }
    fn panel_width(&self, p: &Program) -> usize {
        let tile = p.phases.iter().map(|x| x.tape.tile).min().unwrap_or(0);
        let wide = p.phases.iter().map(|x| x.tape.wide).max().unwrap_or(8);
        let n0 = self.all.dims[0].min(tile);
        let bytes = match (self.turns(p), p.phases.len()) {
            (true, _) => TURNED_BYTES,
            (false, 1) => return n0,
            _ => PANEL_BYTES,
        };
        let trips = self.all.dims[1..].iter().product::<usize>().max(1);
        n0.min((bytes / (trips.saturating_mul(wide))).max(LEAST_WIDTH) / LEAST_WIDTH * LEAST_WIDTH)
    }
}

/// Nanoseconds of a phase over all rows or panels.
pub(crate) fn work(x: &Phase, t: &Tiled, outer: usize) -> u64 {
    let each = if x.kept { 1 } else { t.space.len() as u64 };
    each.saturating_mul(outer as u64).saturating_mul(x.tape.cost_ps) / 1000
}
/// The loops inside, as a phase sees them.
fn project(p: &Program, (x, uses): (&Phase, &[u32]), all: &Space, width: usize, to: &mut Space) {
    to.clear(x.operands.len());
    let own = p.roles.len();
    let (columns, loops) = (width > 0, if x.kept { usize::from(width > 0) } else { all.rank() });
    let mut step = if columns { width } else { 1 };
    for l in 0..loops {
        let kept_loop = columns && l == 0;
        let strides = |j: usize| {
            let (k, size) = (uses[j] as usize, x.tape.operands[j].0 as isize);
            if k < own {
                all.stride(l, k)
            } else if kept_loop {
                size
            } else if k < own + p.temps.len() || k >= p.operands() {
                step as isize * size
            } else {
                0
            }
        };
        // Loops of one trip are kept here, so that loop 0 stays loop 0.
        to.dims.push(all.dims[l]);
        to.kind.push(all.kind[l]);
        to.strides.extend((0..x.operands.len()).map(strides));
        step *= if kept_loop { 1 } else { all.dims[l] };
    }
}
