//! A contraction bound to extents and strides: axes grouped into matrices, factors copied only where no strides make
//! them matrices, the result laid out so that the product writes it in place, the kernel chosen. Running it takes
//! addresses alone and allocates nothing.
mod small;

use tfc_ir::{Code, DType, Error, Result};

use super::complex::Complex;
use super::library::{Gemm, Mat, gemm};
use super::run::{Finish, Real, Shape};
use super::small::Fill;
use crate::copy::{At, copy_nd};
use crate::machine::mem::{ALIGN, Ptr};
use crate::machine::pool::Pool;
use tfc_kernels::vmath::Isa;
use tfc_plan::plan::Dot;
use tfc_plan::space::Space;

/// Memory that a bound contraction works in.
pub(crate) struct DotScratch<'a> {
    /// Copies of the factors, the result where it is copied afterwards: [`BoundDot::scratch`] bytes each.
    pub(crate) packs: [Ptr; 3],
    /// Loops of copies.
    pub(crate) space: &'a mut Space,
}

/// A copy between two layouts of one shape.
#[derive(Debug)]
struct Moved {
    dims: Box<[usize]>,
    from: Box<[isize]>,
    to: Box<[isize]>,
}
impl Moved {
    /// # Safety
    /// Both addresses are those of views with these strides; they do not overlap.
    unsafe fn run(&self, pool: &Pool, from: Ptr, to: Ptr, space: &mut Space, size: usize) {
        let (dst, src) = (At { ptr: to, strides: &self.to }, At { ptr: from, strides: &self.from });
        // SAFETY: the caller's promise.
        unsafe { copy_nd(pool, space, &self.dims, dst, src, size) }
    }
}
/// Who multiplies.
#[derive(Debug)]
enum Work {
    F32(Real<f32>),
    F64(Real<f64>),
    /// Of either sign: what wraps has the same bits.
    I32(Real<i32>),
    C32(Complex<f32>),
    C64(Complex<f64>),
    /// The library, or plain loops.
    Other,
}

/// A contraction bound to extents and strides.
#[derive(Debug)]
pub(crate) struct BoundDot {
    key: (Box<[usize]>, Box<[isize]>),
    dtype: DType,
    strides: Box<[isize]>,
    /// Factors that are widened as a whole before all else, at the beginning of their scratch buffer.
    fills: [Option<Fill>; 2],
    packing: [Option<Moved>; 2],
    /// Whether there is any of these.
    copies: bool,
    copying: Option<Moved>,
    bytes: [usize; 3],
    /// Where a copy of a factor is in its scratch buffer, and partial sums are in the third.
    behind: [usize; 3],
    shape: Shape,
    axes: Axes,
    conj: [bool; 2],
    work: Work,
}
/// Axes of the result with their extents: those of each side that are a dimension of the matrices, fastest first, and the
/// loops round them in the order of the batch.
#[derive(Debug)]
struct Axes {
    sides: [Box<[(usize, usize)]>; 2],
    loops: Box<[(usize, usize)]>,
}

/// Axes of one side: the group that becomes a dimension of the matrix, fastest first, and the loops round it.
struct Split {
    group: Vec<usize>,
    loops: Vec<usize>,
}
/// A group of fewer elements than this is not worth a loop round it: the factor is copied.
const SHORTEST: usize = 16;
/// Fewest products that are made side by side, as elements of vectors, and rows and columns of those that had better be made tile by tile.
const LANES: usize = 8;
const TILE: usize = 16;
/// Bytes of the rows of a whole tile.
const WIDE: usize = 192;
/// Bytes of a factor that stays in the second-level cache while windows pass.
const FILTER: usize = 1 << 18;

impl BoundDot {
    /// Binds a contraction to the extents and byte strides of its factors. `given`: strides of the result where its place
    /// has them already; otherwise the contraction chooses, `turned` telling, where neither factor does, whether
    /// the free axes of the right factor had better be the fastest.
    ///
    /// # Errors
    /// `E0705` where a copy of a factor or of the result would not fit the address space.
    /// `dtypes`: of the factors as they lie, and in which they are multiplied.
    pub(crate) fn bind(
        d: &Dot,
        dtypes: ([DType; 2], DType),
        dims: [&[usize]; 2],
        strides: [&[isize]; 2],
        how: (Option<&[isize]>, bool),
    ) -> Result<BoundDot> {
        BoundDot::bind_small((Isa::chosen(), true), d, dtypes, dims, strides, how)
    }
    /// As [`BoundDot::bind_small`] where both factors are what is multiplied.
    ///
    /// # Errors
    /// As [`BoundDot::bind`].
    pub(crate) fn bind_for(
        isa: Option<Isa>,
        d: &Dot,
        dtype: DType,
        dims: [&[usize]; 2],
        strides: [&[isize]; 2],
        how: (Option<&[isize]>, bool),
    ) -> Result<BoundDot> {
        let floats = isa.filter(|_| matches!(dtype, DType::F32 | DType::F64));
        if let Some(isa) = floats
            && let Some(side) = windows(d, dims, strides, dtype.size())
            && let Some(bound) = BoundDot::bind_as(Some(isa), d, dtype, dims, strides, how, Some(side))?
        {
            return Ok(bound);
        }
        let bound = BoundDot::bind_as(isa, d, dtype, dims, strides, how, None)?;
        bound.ok_or_else(|| Error::bug(Code::E0718, "a product of copied factors has no kernel"))
    }
    /// The same; `taps`: that factor is not copied, but read by displacements along the sum. `None` where no kernel does that.
    fn bind_as(
        isa: Option<Isa>,
        d: &Dot,
        dtype: DType,
        dims: [&[usize]; 2],
        strides: [&[isize]; 2],
        (given, turned): (Option<&[isize]>, bool),
        taps: Option<usize>,
    ) -> Result<Option<BoundDot>> {
        let size = dtype.size();
        let key = key(dims, strides, given);
        let by = |side: usize, axes: &[usize]| {
            let mut v = axes.to_vec();
            v.sort_by_key(|&a| strides[side][a].unsigned_abs());
            v
        };
        let mut free = [by(0, &d.free[0]), by(1, &d.free[1])];
        // Contracted axes follow the larger factor.
        let count = |s: usize| dims[s].iter().fold(1usize, |n, &x| n.saturating_mul(x));
        let lead = usize::from(count(1) > count(0));
        let mut pairs: Vec<usize> = (0..d.contract[0].len()).collect();
        pairs.sort_by_key(|&i| strides[lead][d.contract[lead][i]].unsigned_abs());
        let contract: [Vec<usize>; 2] = [0, 1].map(|s| pairs.iter().map(|&i| d.contract[s][i]).collect());

        let (mut bytes, mut packing) = ([0; 3], [None, None]);
        let mut laid = strides.map(<[isize]>::to_vec);
        let mut split = [0, 1].map(|s| split(&free[s], dims[s], strides[s]));
        // The side whose rows are one element apart, where one factor is read by displacements: its own are, or the other's.
        let unit = size as isize;
        let first_axis = [0, 1].map(|s| split[s].group.first().map(|&a| (strides[s][a], dims[s][a])));
        let rows = taps.map(|s| match first_axis[s] {
            Some((step, n)) if step == unit && n >= SHORTEST => s,
            _ => 1 - s,
        });
        for s in 0..2 {
            if taps == Some(s) {
                continue;
            }
            if rows == Some(s) && (!split[s].loops.is_empty() || first_axis[s].is_some_and(|x| x.0 != unit)) {
                let order = free[s].iter().chain(&contract[s]).chain(d.batch[s].iter());
                bytes[s] = dense(order.copied(), dims[s], &mut laid[s], size)?;
                packing[s] = Some(Moved { dims: dims[s].into(), from: strides[s].into(), to: laid[s].clone().into() });
                split[s] = Split { group: free[s].clone(), loops: vec![] };
                continue;
            }
            let whole = merge(&contract[s], dims[s], strides[s], size).is_some();
            if whole && (split[s].loops.is_empty() || extent(&split[s].group, dims[s]) >= SHORTEST) {
                continue;
            }
            let (x, y) = if s == 0 { (&free[0], &contract[0]) } else { (&contract[1], &free[1]) };
            let order = x.iter().chain(y).chain(d.batch[s].iter());
            bytes[s] = dense(order.copied(), dims[s], &mut laid[s], size)?;
            let (from, to) = (strides[s].into(), laid[s].clone().into());
            packing[s] = Some(Moved { dims: dims[s].into(), from, to });
            split[s] = Split { group: free[s].clone(), loops: vec![] };
        }
        let group = |s: usize, axes: &[usize]| merge(axes, dims[s], &laid[s], size).unwrap_or((0, 0));
        let ((m, ar), (_, ac)) = (group(0, &split[0].group), group(0, &contract[0]));
        let k = extent(&contract[0], dims[0]);
        let ((_, br), (n, bc)) = (group(1, &contract[1]), group(1, &split[1].group));

        // Rows of the result are one element apart where only the left factor's are, columns where only the right factor's are;
        // where neither says, as the caller likes it, if a column fills the registers of a tile.
        let turned = match (ar == unit, bc == unit) {
            _ if rows.is_some() => rows == Some(1),
            (true, false) => false,
            (false, true) => true,
            _ => turned && n.saturating_mul(size) >= WIDE,
        };
        let first = usize::from(turned && (rows.is_some() || n > 1 && m > 1));
        let is = |step: isize, n: usize| step == unit && n > 1;
        let beside = d.batch[0]
            .iter()
            .zip(d.batch[1].iter())
            .find(|(x, y)| dims[0][**x] >= LANES && laid[0][**x] == unit && laid[1][**y] == unit);
        let few = (1..=super::run::LONGEST).contains(&k) && m.min(n) < TILE;
        let lanes = beside.filter(|_| few && !is(ar, m) && !is(ac, k) && !is(br, k) && !is(bc, n)).map(|(x, _)| *x);
        for s in 0..2 {
            free[s] = split[s].group.iter().chain(&split[s].loops).copied().collect();
        }
        let (natural, total) = natural(d, dims, &free, (first, lanes), size)?;
        let chosen: Box<[isize]> = d.order.iter().map(|&i| natural[i]).collect();
        let rank = d.order.len();
        let place = |i: usize| d.order.iter().position(|&o| o == i).unwrap_or(0);
        let base = [0, d.free[0].len(), rank - d.batch[0].len()];
        let free_place = |s: usize, a: usize| place(base[s] + d.free[s].iter().position(|&x| x == a).unwrap_or(0));
        // Strides of the axes of one side in a result.
        let side = |s: usize, out: &[isize]| -> Vec<isize> {
            (0..dims[s].len()).map(|a| if d.free[s].contains(&a) { out[free_place(s, a)] } else { 0 }).collect()
        };
        let fits = |out: &[isize]| (0..2).all(|s| merge(&split[s].group, dims[s], &side(s, out), size).is_some());
        // Tiles write rows or columns that are one element apart.
        let lane = lanes.and_then(|a| d.batch[0].iter().position(|&x| x == a));
        let tiled = |out: &[isize]| {
            let near = |s: usize| merge(&split[s].group, dims[s], &side(s, out), size).is_some_and(|g| g.1 == unit);
            let real = isa.is_some() && matches!(dtype, DType::F32 | DType::F64 | DType::I32 | DType::U32);
            !real || m <= 1 || n <= 1 || near(0) || near(1) || lane.is_some_and(|i| out[place(base[2] + i)] == unit)
        };
        let (written, copying) = match given {
            Some(g) if !fits(g) || !tiled(g) => {
                bytes[2] = total;
                let mut shape = vec![0; rank];
                for s in 0..2 {
                    d.free[s].iter().for_each(|&a| shape[free_place(s, a)] = dims[s][a]);
                }
                d.batch[0].iter().enumerate().for_each(|(i, &a)| shape[place(base[2] + i)] = dims[0][a]);
                (chosen.clone(), Some(Moved { dims: shape.into(), from: chosen.clone(), to: g.into() }))
            }
            Some(g) => (g.into(), None),
            None => (chosen.clone(), None),
        };
        let out = |s: usize| merge(&split[s].group, dims[s], &side(s, &written), size).map_or(unit, |g| g.1);
        let c = [out(0), out(1)];
        let mut loops: Vec<(usize, usize, [isize; 3])> = vec![];
        for (i, (&x, &y)) in d.batch[0].iter().zip(d.batch[1].iter()).enumerate() {
            let axis = place(base[2] + i);
            loops.push((axis, dims[0][x], [laid[0][x], laid[1][y], written[axis]]));
        }
        for s in 0..2 {
            for &a in &split[s].loops {
                let (axis, by) = (free_place(s, a), laid[s][a]);
                loops.push((axis, dims[s][a], [by * isize::from(s == 0), by * isize::from(s == 1), written[axis]]));
            }
        }
        loops.sort_by_key(|l| l.2[2].unsigned_abs());
        let mut batch = Space::default();
        batch.clear(3);
        loops.iter().for_each(|(_, n, s)| batch.push(*n, false, |k| s[k]));
        batch.collapse();
        let axes = Axes {
            sides: [0, 1].map(|s| split[s].group.iter().map(|&a| (free_place(s, a), dims[s][a])).collect()),
            loops: loops.iter().map(|l| (l.0, l.1)).collect(),
        };
        let shape = Shape { mnk: [m, n, k], a: [ar, ac], b: [br, bc], c, batch, size };
        let places = taps.map(|s| (s, displacements(&contract[s], dims[s], strides[s], size)));
        let work = match dtype {
            _ if let Some((s, at)) = places => {
                let Some(work) = isa.and_then(|i| by_taps(i, dtype, &shape, s, at)) else { return Ok(None) };
                Some(work)
            }
            DType::F32 => isa.and_then(|i| Real::choose(i, &shape)).map(Work::F32),
            DType::F64 => isa.and_then(|i| Real::choose(i, &shape)).map(Work::F64),
            DType::I32 | DType::U32 => isa.and_then(|i| Real::choose(i, &shape)).map(Work::I32),
            DType::C32 => isa.and_then(|i| Complex::choose(i, &shape, d.conj)).map(Work::C32),
            DType::C64 => isa.and_then(|i| Complex::choose(i, &shape, d.conj)).map(Work::C64),
            _ => None,
        };
        let work = work.unwrap_or(Work::Other);
        let room = match &work {
            Work::F32(r) => r.partials(),
            Work::F64(r) => r.partials(),
            Work::I32(r) => r.partials(),
            _ => 0,
        };
        let behind = [0, 0, bytes[2].next_multiple_of(ALIGN)];
        if room > 0 {
            bytes[2] = behind[2] + room;
        }
        let (strides, fills) = (given.map_or(chosen, Into::into), [None, None]);
        let copies = packing.iter().any(Option::is_some);
        Ok(Some(BoundDot {
            key,
            dtype,
            strides,
            fills,
            packing,
            copies,
            copying,
            bytes,
            behind,
            shape,
            axes,
            conj: d.conj,
            work,
        }))
    }
    /// Whether binding to these extents and strides would give the same.
    pub(crate) fn fits(&self, dims: [&[usize]; 2], strides: [&[isize]; 2], given: Option<&[isize]>) -> bool {
        let (d, s) = (&*self.key.0, &*self.key.1);
        let given = given.unwrap_or(&[]);
        let (x, y) = (dims[0].len(), dims[0].len() + dims[1].len());
        d.len() == y
            && s.len() == y + given.len()
            && d[..x] == *dims[0]
            && d[x..] == *dims[1]
            && s[..x] == *strides[0]
            && s[x..y] == *strides[1]
            && s[y..] == *given
    }
    /// Strides of the result: those given, or those chosen.
    pub(crate) fn strides(&self) -> &[isize] {
        &self.strides
    }
    /// Bytes that [`BoundDot::run`] needs in each of [`DotScratch::packs`].
    pub(crate) fn scratch(&self) -> [usize; 3] {
        self.bytes
    }
    /// Contracts.
    ///
    /// # Safety
    /// The addresses are those of the operands as bound; the result overlaps neither factor; the scratch memory has the
    /// bytes asked for.
    pub(crate) unsafe fn run(&self, pool: &Pool, a: Ptr, b: Ptr, out: Ptr, scratch: &mut DotScratch) {
        // SAFETY: passed on.
        unsafe { self.run_into(pool, a, b, (out, false), scratch, None) }
    }
    /// The same; `warm`: the pages of the result have been written before, so writing past the caches may pay. What `then`
    /// says is done to parts of a product that has [`BoundDot::tiles`].
    ///
    /// # Safety
    /// As [`BoundDot::run`].
    pub(crate) unsafe fn run_into(
        &self,
        pool: &Pool,
        a: Ptr,
        b: Ptr,
        (out, warm): (Ptr, bool),
        scratch: &mut DotScratch,
        then: Option<&Finish>,
    ) {
        let size = self.dtype.size();
        let mut at = [a, b];
        if self.copies {
            // SAFETY: passed on.
            unsafe { self.copied(pool, &mut at, scratch) };
        }
        // Behind the result, where that is made in scratch memory.
        let partials = scratch.packs[2].at(self.behind[2] as isize);
        let (c, warm) = if self.copying.is_some() { (scratch.packs[2], false) } else { (out, warm) };
        // SAFETY: the factors and the result have these extents and strides; the caller keeps them apart.
        unsafe {
            match &self.work {
                Work::F32(r) => r.run(&self.shape.batch, pool, [at[0], at[1], c], warm, partials, then),
                Work::F64(r) => r.run(&self.shape.batch, pool, [at[0], at[1], c], warm, partials, then),
                Work::I32(r) => r.run(&self.shape.batch, pool, [at[0], at[1], c], warm, partials, None),
                Work::C32(x) if x.run(&self.shape.batch, pool, [at[0], at[1], c]) => {}
                Work::C64(x) if x.run(&self.shape.batch, pool, [at[0], at[1], c]) => {}
                _ => self.other(pool, at, c),
            }
        }
        if let Some(p) = &self.copying {
            // SAFETY: from scratch memory to the placed result.
            unsafe { p.run(pool, c, out, scratch.space, size) };
        }
    }
    /// Widens factors as a whole, and copies them, where that is how they are read.
    ///
    /// # Safety
    /// As [`BoundDot::run`].
    unsafe fn copied(&self, pool: &Pool, at: &mut [Ptr; 2], scratch: &mut DotScratch) {
        for s in 0..2 {
            if let Some(f) = &self.fills[s] {
                // SAFETY: the operand's own view; scratch memory has room for every element.
                unsafe { f.run(pool, at[s], scratch.packs[s], scratch.space) };
                at[s] = scratch.packs[s];
            }
            if let Some(p) = &self.packing[s] {
                let to = scratch.packs[s].at(self.behind[s] as isize);
                // SAFETY: as above, behind what has been widened.
                unsafe { p.run(pool, at[s], to, scratch.space, self.dtype.size()) };
                at[s] = to;
            }
        }
    }
    /// How many rows and columns its tiles cover, where parts of the result can be finished as they are made.
    pub(crate) fn tiles(&self) -> Option<[usize; 2]> {
        let [m, n, _] = self.shape.mnk;
        self.turned().map(|t| if t { [n, m] } else { [m, n] })
    }
    /// Are rows of its tiles columns of the result? `None` where there are no tiles that can be finished.
    fn turned(&self) -> Option<bool> {
        match &self.work {
            _ if self.copying.is_some() => None,
            Work::F32(r) => r.tiled(),
            Work::F64(r) => r.tiled(),
            _ => None,
        }
    }
    /// The loops round the matrices, innermost first, and the strides along them of a tensor of the result's shape.
    pub(crate) fn loops<'a>(&'a self, strides: &'a [isize]) -> impl Iterator<Item = (usize, isize)> + 'a {
        self.axes.loops.iter().map(|&(a, n)| (n, strides[a]))
    }
    /// Strides from a row of its tiles to the next and from a column to the next in a tensor of the result's shape; `None`
    /// where no strides are.
    pub(crate) fn seen(&self, strides: &[isize]) -> Option<[isize; 2]> {
        let turned = self.turned()?;
        let side = |s: usize| {
            let axes: &[(usize, usize)] = &self.axes.sides[s];
            let (mut step, mut n) = (None, 1isize);
            for &(a, d) in axes.iter().filter(|x| x.1 != 1) {
                let due = step.map_or(strides[a], |s: isize| s.wrapping_mul(n));
                step.get_or_insert(strides[a]);
                if strides[a] != due {
                    return None;
                }
                n = n.wrapping_mul(d as isize);
            }
            Some(step.unwrap_or(0))
        };
        let (x, y) = (side(0)?, side(1)?);
        Some(if turned { [y, x] } else { [x, y] })
    }
    unsafe fn other(&self, pool: &Pool, at: [Ptr; 2], c: Ptr) {
        let s = &self.shape;
        let mat = |ptr, [row, col]: [isize; 2]| Mat { ptr, row, col };
        let g = Gemm {
            dtype: self.dtype,
            mnk: s.mnk,
            lhs: mat(at[0], s.a),
            conj_lhs: self.conj[0],
            rhs: mat(at[1], s.b),
            conj_rhs: self.conj[1],
            out: mat(c, s.c),
            batch: &s.batch,
        };
        // SAFETY: passed on.
        unsafe { gemm(pool, &g) }
    }
}

fn key(dims: [&[usize]; 2], strides: [&[isize]; 2], given: Option<&[isize]>) -> (Box<[usize]>, Box<[isize]>) {
    ([dims[0], dims[1]].concat().into(), [strides[0], strides[1], given.unwrap_or(&[])].concat().into())
}
fn extent(axes: &[usize], dims: &[usize]) -> usize {
    axes.iter().map(|&a| dims[a]).product()
}
/// The factor that is windows of something smaller: its sum has no stride, its elements lie several times in it, and the other
/// factor stays in cache.
fn windows(d: &Dot, dims: [&[usize]; 2], strides: [&[isize]; 2], size: usize) -> Option<usize> {
    let count = |s: usize| dims[s].iter().fold(1usize, |n, &x| n.saturating_mul(x));
    let s = usize::from(count(1) > count(0));
    // Elements from the first place to the last.
    let span = dims[s].iter().zip(strides[s]).filter(|x| *x.0 > 0);
    let span = span.fold(1usize, |n, (&x, &y)| n.saturating_add((x - 1).saturating_mul(y.unsigned_abs() / size)));
    let near = count(1 - s).saturating_mul(size) <= FILTER && count(1 - s) > 0;
    let mut order = d.contract[s].to_vec();
    order.sort_by_key(|&a| strides[s][a].unsigned_abs());
    let apart = merge(&order, dims[s], strides[s], size).is_none();
    (near && apart && span.saturating_mul(2) <= count(s)).then_some(s)
}
fn by_taps(isa: Isa, dtype: DType, s: &Shape, side: usize, at: Box<[isize]>) -> Option<Work> {
    match dtype {
        DType::F32 => Real::by_taps(isa, s, side, at).map(Work::F32),
        DType::F64 => Real::by_taps(isa, s, side, at).map(Work::F64),
        _ => None,
    }
}
/// Displacements, in elements, along axes of which the first is the fastest.
fn displacements(axes: &[usize], dims: &[usize], strides: &[isize], size: usize) -> Box<[isize]> {
    let mut all = vec![0isize];
    for &a in axes {
        let step = strides[a] / size as isize;
        all = (0..dims[a] as isize).flat_map(|i| all.iter().map(move |&x| x + i * step)).collect();
    }
    all.into()
}
/// The longest run of axes from the fastest on that one stride walks, and the rest.
fn split(axes: &[usize], dims: &[usize], strides: &[isize]) -> Split {
    let long: Vec<usize> = axes.iter().copied().filter(|&a| dims[a] != 1).collect();
    let mut n = long.len().min(1);
    while n < long.len() && strides[long[n]] == strides[long[n - 1]].wrapping_mul(dims[long[n - 1]] as isize) {
        n += 1;
    }
    Split { group: long[..n].to_vec(), loops: long[n..].to_vec() }
}
/// A group of axes as one: its extent and stride, where the strides allow it.
fn merge(axes: &[usize], dims: &[usize], strides: &[isize], size: usize) -> Option<(usize, isize)> {
    let (mut n, mut step, mut first) = (1usize, size as isize, true);
    for &a in axes {
        if dims[a] == 1 {
            continue;
        }
        if first {
            step = strides[a];
        } else if strides[a] != step.wrapping_mul(n as isize) {
            return None;
        }
        first = false;
        n = n.checked_mul(dims[a])?;
    }
    Some((n, step))
}
/// Dense strides of the axes in this order, the first fastest; gives the bytes of all elements.
fn dense(order: impl Iterator<Item = usize>, dims: &[usize], strides: &mut [isize], size: usize) -> Result<usize> {
    let mut step = size;
    for a in order {
        strides[a] = step as isize;
        step = step.checked_mul(dims[a].max(1)).filter(|&s| s <= isize::MAX as usize).ok_or_else(too_large)?;
    }
    Ok(step)
}
fn too_large() -> Error {
    crate::machine::mem::Buf::exhausted(usize::MAX)
}
/// Dense strides of the result by natural axis (lhs free, rhs free, batch), the free axes of side `first` fastest, then
/// those of the other, then batches (but batch axis `lanes` of the left factor before all); and its bytes.
fn natural(
    d: &Dot,
    dims: [&[usize]; 2],
    free: &[Vec<usize>; 2],
    (first, lanes): (usize, Option<usize>),
    size: usize,
) -> Result<(Vec<isize>, usize)> {
    let rank = d.order.len();
    let (mut extents, mut order) = (vec![1; rank], vec![]);
    let base = [0, d.free[0].len(), rank - d.batch[0].len()];
    for s in 0..2 {
        d.free[s].iter().enumerate().for_each(|(i, &a)| extents[base[s] + i] = dims[s][a]);
    }
    d.batch[0].iter().enumerate().for_each(|(i, &a)| extents[base[2] + i] = dims[0][a]);
    let lane = lanes.and_then(|a| d.batch[0].iter().position(|&x| x == a)).map(|i| base[2] + i);
    order.extend(lane);
    for s in [first, 1 - first] {
        let at = |a: usize| d.free[s].iter().position(|&x| x == a);
        order.extend(free[s].iter().filter_map(|&a| Some(base[s] + at(a)?)));
        // Axes of one element, which the grouping leaves out.
        let rest = d.free[s].iter().enumerate().filter(|(_, a)| !free[s].contains(a));
        order.extend(rest.map(|(i, _)| base[s] + i));
    }
    order.extend((base[2]..rank).filter(|&i| Some(i) != lane));
    let mut strides = vec![0; rank];
    let bytes = dense(order.into_iter(), &extents, &mut strides, size)?;
    Ok((strides, bytes))
}
