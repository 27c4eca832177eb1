//! Copies between strided views of any rank. The loops are merged; then either rows that both sides walk alike are moved
//! one after the other, or the loops that are dense in the destination and those that are dense in the source form the
//! columns and rows of blocks ([`super::block`]), several short loops together where need be.
use super::block::{BlockFn, fence, kernel, streams};
use super::parts::Block;
use super::parts::few;
use super::run::{Run, STREAM, STREAM_FILL, dense, stream_out};
use super::tiling::{MOST, RANK, Steps, Table, Tiling, Want};
use super::{At, GRAIN, How};
use crate::machine::mem::Ptr;
use crate::machine::pool::Pool;
use tfc_kernels::vmath::Isa;
use tfc_plan::space::Space;

/// Elements of a strided row that are read before the next row of the same source lines.
const PART: usize = 1024;
/// Rows of a block that goes straight to the destination, two lines wide.
const ROWS: usize = 128;
/// How far ahead such a block asks for its columns: what the hardware's prefetch leaves out.
pub(crate) const AHEAD: isize = 128;
/// Columns and rows of a block that is staged in L1: few enough columns that each is a stream of its own.
fn staged_size(bytes: usize) -> [usize; 2] {
    if bytes == 1 { [96, 64] } else { [256 / bytes, 32] }
}
/// Copies of at most so many elements are made one element after the other.
const FEW: usize = 16;

/// The loops of a copy between views with these strides, as few as there can be, the closest elements of the destination
/// innermost; `at`: how many bytes from the first elements they begin.
pub(crate) fn merged(s: &mut Space, dims: &[usize], [to, from]: [&[isize]; 2], at: &mut [isize; 2]) {
    s.clear(2);
    for (a, &n) in dims.iter().enumerate() {
        // The destination is walked upwards.
        let (x, y, last) = (to[a], from[a], n.saturating_sub(1) as isize);
        if x < 0 {
            *at = [at[0].wrapping_add(x.wrapping_mul(last)), at[1].wrapping_add(y.wrapping_mul(last))];
        }
        s.push(n, false, |k| [x, y][k] * if x < 0 { -1 } else { 1 });
    }
    if !s.is_empty() {
        s.sort_by_key(|s, l| s.stride(l, 0));
        s.collapse();
    }
}

/// See [`super::copy_nd`].
///
/// # Safety
/// As there.
pub(crate) unsafe fn copy(how: How, pool: &Pool, s: &mut Space, dims: &[usize], dst: At, src: At, size: usize) {
    let mut at = [0isize; 2];
    merged(s, dims, [dst.strides, src.strides], &mut at);
    if s.is_empty() {
        return;
    }
    let (d, f) = (dst.ptr.at(at[0]), src.ptr.at(at[1]));
    let (z, total) = (size as isize, s.len());
    if s.rank() == 0 || (s.rank() == 1 && s.stride(0, 0) == z && s.stride(0, 1) == z) {
        // SAFETY: one run.
        return unsafe { dense(&how, pool, d, f, size * total) };
    }
    if total <= FEW && s.rank() <= RANK {
        // SAFETY: passed on.
        return unsafe { singly(s, d, f, size) };
    }
    let large = total.saturating_mul(size) >= STREAM;
    let fast = (0..s.rank()).filter(|&l| s.stride(l, 1) != 0).min_by_key(|&l| s.stride(l, 1).unsigned_abs());
    let (mut bytes, mut first) = (size, fast);
    let run = s.stride(0, 0) == z && s.stride(0, 1) == z && size * s.dims[0] <= 64;
    if run && s.rank() <= RANK {
        // A short run that is dense on both sides is one large element.
        bytes = size * s.dims[0];
        s.dims.remove(0);
        s.kind.remove(0);
        s.strides.drain(..2);
        first = (0..s.rank()).filter(|&l| s.stride(l, 1) != 0).min_by_key(|&l| s.stride(l, 1).unsigned_abs());
        first = first.filter(|&r| r != 0);
    } else {
        let near = s.stride(0, 1).unsigned_abs() <= 8 * size && s.dims[0] >= 16;
        if fast.is_none_or(|r| r == 0 || near) || s.rank() > RANK {
            if let Some(r) = fast.filter(|&r| r > 1) {
                s.swap(1, r);
            }
            let repeats = (0..s.rank()).any(|l| s.stride(l, 1) == 0);
            let least = if repeats { STREAM_FILL } else { STREAM };
            // SAFETY: passed on.
            return unsafe { rows(&how, pool, s, d, f, size, how.stream && total.saturating_mul(size) >= least) };
        }
    }
    // SAFETY: passed on.
    unsafe { blocks(&how, pool, s, [d, f], bytes, first, large) }
}
/// Element after element.
unsafe fn singly(s: &Space, d: Ptr, f: Ptr, size: usize) {
    let mut at = [0isize; 2];
    let mut steps = Steps::new(s, 0, &mut at);
    for _ in 0..s.len() {
        // SAFETY: an element of each view.
        unsafe { few(d.at(at[0]).0, f.at(at[1]).0, size) };
        steps.next(s, &mut at);
    }
}

/// Row after row, in pieces of about a grain; long rows in parts.
unsafe fn rows(how: &How, pool: &Pool, s: &Space, d: Ptr, f: Ptr, size: usize, stream: bool) {
    let (d0, count) = (s.dims[0], s.len() / s.dims[0]);
    let run = Run::new(how, s.stride(0, 0), s.stride(0, 1), size, stream && d0 * size >= 512);
    // Rows that read the same lines follow each other part by part.
    let shared = s.rank() > 1
        && s.stride(1, 1) != 0
        && s.stride(1, 1).unsigned_abs() < s.stride(0, 1).unsigned_abs()
        && d0 > 2 * PART;
    let (part, each) = match shared {
        true => (PART, s.dims[1]),
        false => (d0.min(GRAIN), (GRAIN / d0).max(1)),
    };
    let (parts, groups) = (d0.div_ceil(part), count.div_ceil(each));
    let work = (s.len() as u64).saturating_mul(size as u64) / 8 + count as u64 * 2;
    let (d1, ds1, ss1) = if s.rank() > 1 { (s.dims[1], s.stride(1, 0), s.stride(1, 1)) } else { (1, 0, 0) };
    pool.run(parts * groups, work, |i| {
        let (lo, mut r) = (i % parts * part, i / parts * each);
        let (n, end) = (part.min(d0 - lo), (r + each).min(count));
        let (p, q) = (d.at(lo as isize * s.stride(0, 0)), f.at(lo as isize * s.stride(0, 1)));
        while r < end {
            let (p, q) = (p.at(s.offset(0, r * d0)), q.at(s.offset(1, r * d0)));
            let m = (d1 - r % d1).min(end - r);
            for j in 0..m as isize {
                // SAFETY: parts of rows are disjoint and inside both views.
                unsafe { run.go(p.at(j * ds1).0, q.at(j * ss1).0, n) };
            }
            r += m;
        }
        if stream {
            fence();
        }
    });
}

/// Blocks of columns (dense in the destination, from loop 0) by rows (dense in the source, from loop `fast`).
unsafe fn blocks(how: &How, pool: &Pool, s: &mut Space, at: [Ptr; 2], bytes: usize, fast: Option<usize>, large: bool) {
    let z = bytes as isize;
    let unit = fast.is_some_and(|l| s.stride(0, 0) == z && s.stride(l, 1).abs() == z);
    let (ds, ss) = (s.stride(0, 0), fast.map_or(0, |l| s.stride(l, 1).abs()));
    let stream = large && unit && streams(how.isa, bytes);
    let even = |x: isize| x % 64 == 0;
    // Without touching other lines, rows must start at lines wherever a block does.
    let direct = even(at[0].0 as isize) && (0..s.rank()).all(|l| l == 0 || even(s.stride(l, 0)));
    let lanes = (64 / bytes).max(1);
    let staged = stream && (!direct || bytes == 1);
    let want = Want {
        cols: (0, 0),
        rows: fast.map(|l| (1, l)),
        size: if staged { staged_size(bytes) } else { [(2 * lanes).max(8), ROWS] },
        lanes,
    };
    // Columns of the next block that may be needed to fill a line.
    let more = if staged { 63usize.div_ceil(bytes) } else { 0 };
    let (mut base, mut soff, mut doff) = ([0isize; 2], Table::new(), Table::new());
    let mut tiling = Tiling::new(s, &want, &mut base, |s, cols, rows| {
        cols.table(s, 1, more, &mut soff);
        rows.table(s, 0, 0, &mut doff);
    });
    // The source is read in long streams; what is written need not be near.
    tiling.order(s, |s, l| s.stride(l, 1).unsigned_abs());
    // Rows of the stage do not lie a multiple of 512 bytes apart: they would share few sets of the cache.
    let pitch = ((tiling.cols.most() + more) * bytes).next_multiple_of(64) | 64;
    let staged = staged && pitch * tiling.rows.most() <= STAGE && tiling.cols.most() * bytes >= 96;
    let mut stages = [0isize; MOST];
    if staged {
        stages.iter_mut().enumerate().for_each(|(r, p)| *p = (r * pitch) as isize);
    }
    let walk = Walk {
        s,
        tiling,
        f: kernel(how.isa, bytes, unit, stream && direct),
        ds,
        ss,
        bytes,
        soff: &soff,
        doff: &doff,
        staged: staged.then_some((how.isa, &stages)),
        more,
        // Hardware does not follow so many streams.
        ahead: if staged {
            (tiling.rows.most() * bytes) as isize
        } else if stream {
            AHEAD
        } else {
            0
        },
    };
    let total = s.len();
    let block = tiling.cols.most() * tiling.rows.most();
    let each = (GRAIN / block).max(1);
    let work = (total * block * bytes) as u64 / 4;
    let place = [at[0].at(base[0]), at[1].at(base[1])];
    pool.run(total.div_ceil(each), work, |i| {
        // SAFETY: blocks are disjoint parts of both views.
        unsafe { walk.go(place, i * each, ((i + 1) * each).min(total)) };
        if stream {
            fence();
        }
    });
}
/// Bytes of the memory that blocks are staged in.
const STAGE: usize = 40 << 10;
#[repr(align(64))]
struct Stage(#[expect(dead_code, reason = "memory only")] [u8; STAGE]);

/// The blocks of a copy.
struct Walk<'a> {
    s: &'a Space,
    tiling: Tiling,
    f: BlockFn,
    ds: isize,
    ss: isize,
    bytes: usize,
    soff: &'a Table,
    doff: &'a Table,
    /// Blocks go through L1, whose rows lie at these offsets.
    staged: Option<(Isa, &'a [isize; MOST])>,
    more: usize,
    /// See [`Block::ahead`].
    ahead: isize,
}
impl Walk<'_> {
    /// Blocks `lo..hi`.
    unsafe fn go(&self, [d, f]: [Ptr; 2], lo: usize, hi: usize) {
        let mut at = [0isize; 2];
        let mut steps = Steps::new(self.s, lo, &mut at);
        let mut stage = std::mem::MaybeUninit::<Stage>::uninit();
        for _ in lo..hi {
            let (cols, all) = self.tiling.cols.at(&steps.ix);
            let b = Block {
                dst: d.at(at[0]).0,
                doff: self.doff.as_ptr(),
                src: f.at(at[1]).0,
                soff: self.soff.as_ptr(),
                rows: self.tiling.rows.at(&steps.ix).0,
                cols,
                ds: self.ds,
                ss: self.ss,
                ahead: self.ahead,
                bytes: self.bytes,
            };
            // SAFETY: by the contract of `copy`; the tables have an entry for each row and column.
            unsafe {
                match self.staged {
                    None => (self.f)(&b),
                    Some(x) => self.through(x, b, all, all < self.tiling.cols.trips(), stage.as_mut_ptr().cast()),
                }
            }
            steps.next(self.s, &mut at);
        }
    }
    /// A block by way of L1, whose rows are then written by whole lines: where a row goes on in the next block, this one
    /// takes columns of the next to fill its last line.
    unsafe fn through(&self, (isa, pitch): (Isa, &[isize; MOST]), b: Block, all: usize, later: bool, stage: *mut u8) {
        let joined = self.tiling.cols.is_cut_loop();
        let cols = if joined { (b.cols + self.more).min(all) } else { b.cols };
        let (dst, doff, goes_on) = (b.dst, b.doff, joined && all > b.cols);
        let (rows, n) = (b.rows, b.cols * self.bytes);
        // SAFETY: the stage holds the block with the further columns, which exist; rows are written inside their part.
        unsafe {
            (self.f)(&Block { dst: stage, doff: pitch.as_ptr(), cols, ..b });
            for r in 0..rows {
                let p = dst.offset(*doff.add(r));
                let lo = if joined && later { p.align_offset(64) } else { 0 };
                let hi = if goes_on { n + p.add(n).align_offset(64) } else { n }.min(cols * self.bytes);
                if lo < hi {
                    stream_out(isa, p.add(lo), stage.offset(pitch[r]).add(lo), hi - lo);
                }
            }
        }
    }
}
