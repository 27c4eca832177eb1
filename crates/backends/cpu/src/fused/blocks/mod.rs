//! Elementwise regions with transposed operands: the loops are cut into blocks that fit L1. Inputs are brought into a
//! block's order, transposed in registers where they run along its rows, the region runs over the block as one dense run,
//! and outputs are written from there: by whole lines past the caches where they are large.
use crate::copy::block::{BlockFn, fence, kernel};
use crate::copy::nd::AHEAD;
use crate::copy::parts::Block;
use crate::copy::run::{STREAM, move_rows, stream_out};
use crate::copy::tiling::{MOST, RANK, Side, Steps, Table, Tiling, Want};
use crate::copy::{GRAIN, How, prefetch};
use crate::machine::mem::Ptr;
use tfc_kernels::scalar::Src;
use tfc_kernels::vmath::Isa;
use tfc_plan::region::body::Role;
use tfc_plan::space::Space;

/// Fewer elements are not worth being cut into blocks.
const LEAST: usize = 256;

/// How a block sees an operand.
#[derive(Clone, Copy, Debug)]
enum Seen {
    /// One element.
    Splat,
    /// Dense along the block's rows of elements.
    Rows,
    /// Dense along its columns: transposed by that kernel.
    Flip(BlockFn),
    /// In no order: moved row by row by that kernel.
    Any(BlockFn),
}
/// An operand of the blocks.
#[derive(Debug)]
struct Operand {
    size: usize,
    role: Role,
    seen: Seen,
    /// How far its first element moves because loops are turned.
    base: isize,
    cols: Table,
    rows: Table,
    /// Offsets of the rows of a whole block in the stage.
    pitch: Table,
    /// Bytes before its part of the stage.
    stage: usize,
}
/// A region bound to blocks.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// The loops around blocks.
    space: Space,
    tiling: Tiling,
    operands: Vec<Operand>,
    isa: Isa,
    /// The output whose order the blocks follow.
    lead: usize,
    /// Columns of the next block that a block may take to fill lines.
    more: usize,
    /// Elements in all.
    len: usize,
    /// Bytes of scratch memory of a thread.
    bytes: usize,
}
impl Blocks {
    /// Binds a region over `s`, whose loop 0 is the first output's, where an operand is dense along another loop only;
    /// `None` where there is none, or blocks would be too small to be worth it.
    pub(crate) fn bind(s: &Space, operands: &[(usize, Role)]) -> Option<Blocks> {
        let lead = operands.iter().position(|o| o.1 == Role::Out)?;
        let size = |k: usize| operands[k].0;
        let unit = |l: usize, k: usize| s.stride(l, k).unsigned_abs() == size(k);
        if !(2..=RANK).contains(&s.rank()) || s.len() < LEAST || s.stride(0, lead) != size(lead) as isize {
            return None;
        }
        let turned = |k: usize| (1..s.rank()).find(|&l| unit(l, k) && s.stride(0, k) != 0 && !unit(0, k));
        let flip = (0..operands.len()).find_map(|k| Some((k, turned(k)?)))?;
        let lanes = (64 / size(lead)).max(1);
        let along = (0..operands.len()).any(|k| operands[k].1 == Role::In && s.stride(0, k) == size(k) as isize);
        // Lines of an output that does not start rows at lines are filled up with columns of the next block, unless
        // another output may be computed in place of what those come from.
        let even = (1..s.rank()).all(|l| s.stride(l, lead) % 64 == 0);
        let join = !even && s.len() * size(lead) >= STREAM && operands.iter().filter(|o| o.1 == Role::Out).count() == 1;
        let want = Want {
            cols: (lead, 0),
            rows: Some(flip),
            // Few streams of columns, unless other operands have to be read along the rows.
            size: match (along, join) {
                (true, _) => [(4 * lanes).min(MOST / 2), 16],
                (_, true) => [(4 * lanes).min(MOST / 2), 32],
                _ => [(2 * lanes).min(MOST / 2), if operands.len() <= 3 { 64 } else { 32 }],
            },
            lanes,
        };
        let more = if join { 63usize.div_ceil(size(lead)) } else { 0 };
        let isa = How::best().isa;
        let (mut space, mut base) = (s.clone(), vec![0isize; operands.len()]);
        let mut list: Vec<Operand> = vec![];
        let mut tiling = Tiling::new(&mut space, &want, &mut base, |s, cols, rows| {
            list.extend(
                operands
                    .iter()
                    .enumerate()
                    .map(|(k, &(size, role))| operand(s, [cols, rows], k, (size, role), more, isa)),
            );
        });
        if tiling.cols.trips() < 4 || tiling.rows.trips() < 4 {
            return None;
        }
        let join = join && tiling.cols.is_cut_loop();
        let more = if join { more } else { 0 };
        tiling.order(&mut space, |s, l| s.stride(l, flip.0).unsigned_abs());
        let (cols, rows) = (tiling.cols.most() + more, tiling.rows.most());
        let mut bytes = operands.len() * (size_of::<isize>() + size_of::<Src>());
        for (o, b) in list.iter_mut().zip(base) {
            bytes = bytes.next_multiple_of(64);
            (o.base, o.stage) = (b, bytes);
            o.pitch.fill(rows, (cols * o.size) as isize);
            bytes += if matches!(o.seen, Seen::Splat) { 0 } else { cols * rows * o.size };
        }
        Some(Blocks { space, tiling, operands: list, isa, len: s.len(), bytes, lead, more })
    }
    /// Bytes of 64-byte aligned memory that [`Blocks::run`] needs.
    pub(crate) fn scratch(&self) -> usize {
        self.bytes
    }
    /// Is operand `k` one element for a whole block? The others are dense.
    pub(crate) fn is_splat(&self, k: usize) -> bool {
        matches!(self.operands[k].seen, Seen::Splat)
    }
    /// Number of pieces that may run at once.
    pub(crate) fn pieces(&self) -> usize {
        self.space.len().div_ceil(self.each())
    }
    fn each(&self) -> usize {
        (GRAIN / (self.tiling.cols.most() * self.tiling.rows.most())).max(1)
    }
    /// Runs a piece: `f(operands, n)` computes `n` elements, at most `tile`.
    ///
    /// # Safety
    /// As for `Bound::run`: `base(k)` is operand `k`, which covers the space; `mem` is `scratch` bytes of this thread.
    pub(crate) unsafe fn run(
        &self,
        piece: usize,
        tile: usize,
        base: impl Fn(usize) -> Ptr,
        mem: Ptr,
        f: impl Fn(&[Src], usize),
    ) {
        let (n, s) = (self.operands.len(), &self.space);
        let lo = piece * self.each();
        let hi = (lo + self.each()).min(s.len());
        // SAFETY: the scratch memory begins with room for both lists, which are written here.
        let (at, src) = unsafe {
            let at = mem.0.cast::<isize>();
            let src = at.add(n).cast::<Src>();
            for (k, o) in self.operands.iter().enumerate() {
                at.add(k).write(o.base);
                src.add(k).write(Src { ptr: mem.0, stride: 0 });
            }
            (std::slice::from_raw_parts_mut(at, n), std::slice::from_raw_parts_mut(src, n))
        };
        // Computed in place, columns of the next block may have been written already.
        let apart = |k: usize| self.operands[k].role == Role::Out || base(k) != base(self.lead);
        let more = if (0..n).all(apart) { self.more } else { 0 };
        let mut steps = Steps::new(s, lo, at);
        for _ in lo..hi {
            let ((own, all), rows) = (self.tiling.cols.at(&steps.ix), self.tiling.rows.at(&steps.ix).0);
            let cols = (own + more).min(all);
            let part = Part {
                cols,
                rows,
                mem,
                isa: self.isa,
                len: self.len,
                most: self.tiling.cols.most() + self.more,
                join: (more > 0).then_some((own, all < self.tiling.cols.trips())),
            };
            // SAFETY: the block lies inside every operand, and fits the stage.
            unsafe {
                for (k, o) in self.operands.iter().enumerate() {
                    let p = base(k).at(at[k]);
                    src[k] = match o.seen {
                        Seen::Splat => Src { ptr: p.0, stride: 0 },
                        _ => Src { ptr: mem.0.add(o.stage), stride: 1 },
                    };
                    if o.role == Role::In {
                        part.load(o, p, if s.rank() > 0 { s.stride(0, k) } else { 0 });
                    }
                }
                let (mut done, total) = (0, cols * rows);
                while done < total {
                    let m = tile.min(total - done);
                    f(src, m);
                    for (x, o) in src.iter_mut().zip(&self.operands) {
                        x.ptr = x.ptr.offset(x.stride * (m * o.size) as isize);
                    }
                    done += m;
                }
                for (k, o) in self.operands.iter().enumerate().filter(|x| x.1.role == Role::Out) {
                    part.store(o, base(k).at(at[k]));
                }
            }
            steps.next(s, at);
        }
        fence();
    }
}
fn operand(
    s: &Space,
    [cols, rows]: [&Side; 2],
    k: usize,
    (size, role): (usize, Role),
    more: usize,
    isa: Isa,
) -> Operand {
    let z = size as isize;
    let seen = match (cols.step(s, k), rows.step(s, k)) {
        (Some(0), Some(0)) if role == Role::In => Seen::Splat,
        (Some(c), _) if c == z => Seen::Rows,
        (_, Some(r)) if r == z => Seen::Flip(kernel(isa, size, true, false)),
        _ => Seen::Any(kernel(isa, size, false, false)),
    };
    let mut o =
        Operand { size, role, seen, base: 0, cols: Table::new(), rows: Table::new(), pitch: Table::new(), stage: 0 };
    cols.table(s, k, more, &mut o.cols);
    rows.table(s, k, 0, &mut o.rows);
    o
}
/// One block.
struct Part {
    cols: usize,
    rows: usize,
    mem: Ptr,
    isa: Isa,
    /// Elements in all.
    len: usize,
    /// Columns of a whole block.
    most: usize,
    /// Where lines are filled up with columns of the next block: the block's own columns, and whether one went before.
    join: Option<(usize, bool)>,
}
impl Part {
    /// Brings an input at `p` into the stage. `next`: how far the next block most likely is.
    unsafe fn load(&self, o: &Operand, p: Ptr, next: isize) {
        let (cols, rows, z) = (self.cols, self.rows, o.size);
        let stage = self.mem.at(o.stage as isize).0;
        let row = cols * z;
        let b = Block {
            dst: stage,
            doff: std::ptr::null(),
            src: p.0,
            soff: o.cols.as_ptr(),
            rows,
            cols,
            ds: z as isize,
            ss: z as isize,
            ahead: 0,
            bytes: z,
        };
        // SAFETY: the stage has room for the block, and the operand covers it.
        unsafe {
            match o.seen {
                Seen::Splat => {}
                Seen::Rows => {
                    let at = o.rows.first(rows);
                    for &r in at {
                        (0..row).step_by(64).for_each(|j| prefetch(p.0.wrapping_offset(r + next + j as isize)));
                    }
                    move_rows(self.isa, p.0, at, stage, row, true, false);
                }
                Seen::Flip(f) => {
                    let mut tail = Table::new();
                    let doff = if cols == self.most { &o.pitch } else { tail.fill(rows, row as isize) };
                    f(&Block { doff: doff.as_ptr(), ahead: AHEAD, ..b });
                }
                Seen::Any(f) => {
                    for r in 0..rows {
                        let src = p.0.offset(*o.rows.as_ptr().add(r));
                        f(&Block { dst: stage.add(r * row), doff: &0, src, rows: 1, ..b });
                    }
                }
            }
        }
    }
    /// Writes an output at `p` from the stage.
    unsafe fn store(&self, o: &Operand, p: Ptr) {
        let (cols, rows, z) = (self.cols, self.rows, o.size);
        let stage = self.mem.at(o.stage as isize).0.cast_const();
        let row = cols * z;
        let b = Block {
            dst: p.0,
            doff: o.cols.as_ptr(),
            src: stage,
            soff: &0,
            rows: cols,
            cols: 1,
            ds: z as isize,
            ss: z as isize,
            ahead: 0,
            bytes: z,
        };
        // SAFETY: as for `load`; no other block has these elements.
        unsafe {
            match o.seen {
                Seen::Splat => {}
                Seen::Rows => {
                    let stream = self.len * z >= STREAM;
                    let at = o.rows.first(rows);
                    if let Some((own, later)) = self.join {
                        for (r, &o) in at.iter().enumerate() {
                            let (q, n) = (p.0.offset(o), own * z);
                            let lo = if later { q.align_offset(64) } else { 0 };
                            let hi = (n + if cols > own { q.add(n).align_offset(64) } else { 0 }).min(row);
                            if lo < hi {
                                stream_out(self.isa, q.add(lo), stage.add(r * row + lo), hi - lo);
                            }
                        }
                        return;
                    }
                    let lines = row % 64 == 0 && at.iter().fold(p.0.addr() as isize, |a, b| a | b) % 64 == 0;
                    move_rows(self.isa, p.0, at, stage.cast_mut(), row, false, stream && lines);
                }
                Seen::Flip(f) => {
                    let mut tail = Table::new();
                    let soff = if cols == self.most { &o.pitch } else { tail.fill(rows, row as isize) };
                    f(&Block { soff: soff.as_ptr(), cols: rows, ..b });
                }
                Seen::Any(f) => {
                    for r in 0..rows {
                        f(&Block { dst: p.0.offset(*o.rows.as_ptr().add(r)), src: stage.add(r * row), ..b });
                    }
                }
            }
        }
    }
}
#[cfg(debug_assertions)]
pub mod tests;
