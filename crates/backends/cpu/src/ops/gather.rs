//! `gather`: where each window starts is found first, in one table; then windows are copied by runs, along whichever
//! axis is dense in the result. Pieces are disjoint and do not depend on the number of threads.
use std::sync::Arc;

use tfc_ir::ops::index::IndexDims;
use tfc_ir::{Code, DType, Error, Result, Type, ops};

use super::singles::Singles;
use super::{Rows, misfit};
use crate::compiled::Compiled;
use crate::copy::{GRAIN, Ready, copy_run, fill_run};
use crate::kernel::{Bound, Kernel, KernelCx, Site};
use crate::machine::mem::Ptr;
use crate::run::frame::{Ctx, Frame};
#[cfg(target_arch = "x86_64")]
use tfc_kernels::vmath::Isa;
use tfc_plan::plan::Slot;
use tfc_plan::space::{Space, strides_like};

/// Kernels of the family.
pub(crate) const CORE: Rows = &[(&ops::index::GATHER, gather)];

fn gather(site: &Site) -> Result<Arc<dyn Kernel>> {
    let (Some(index), a) = (site.operand(1), site.attrs()) else { return Err(misfit(site)) };
    let dims = IndexDims::of_gather(a, index);
    Ok(Arc::new(Gather(Places { dims, clamp: a.word("out_of_bounds") != Some("zero") })))
}

/// Where windows are.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) dims: IndexDims,
    /// Windows that leave the operand are moved inside.
    pub(crate) clamp: bool,
}
/// The entry of a window that leaves the operand.
pub(crate) const OUTSIDE: isize = isize::MIN;
/// Most windows that are bound one by one.
const FEW: usize = 32;
/// Bytes of an entry.
const ENTRY: usize = size_of::<isize>();

impl Places {
    /// Number of entries of the table.
    pub(crate) fn entries(frame: &Frame, plan: &Compiled, index: Slot, d: &IndexDims) -> usize {
        let n = frame.dims(plan, index);
        d.index_axes(n.len()).into_iter().map(|a| n[a]).product()
    }
    /// Bytes of the table, where all extents are exact.
    pub(crate) fn table_bytes(&self, site: &Site) -> Option<usize> {
        let dims = &site.operand(1)?.dims;
        let size = |a: usize| dims.get(a)?.as_exact().and_then(|n| usize::try_from(n).ok());
        let axes = self.dims.index_axes(dims.len());
        axes.into_iter().try_fold(ENTRY, |n, a| n.checked_mul(size(a)?))
    }
    /// [`Places::table_bytes`] of a kernel that needs no table for [`Singles`]; `windowed` is the type of the result or of the updates.
    pub(crate) fn scratch(&self, site: &Site, windowed: Option<&Type>) -> Option<usize> {
        let (x, w) = (site.operand(0)?.exact_shape(), windowed?);
        let axes = self.dims.index_axes(site.operand(1)?.dims.len());
        let single = axes.len() == 1
            && self.dims.batch.is_empty()
            && self.dims.window.iter().all(|&a| w.dims[a].as_exact() == Some(1));
        let bytes = x?.into_iter().try_fold(site.operand(0)?.dtype.size(), usize::checked_mul);
        if single && bytes.is_some_and(|n| n <= i32::MAX as usize) { Some(0) } else { self.table_bytes(site) }
    }
    /// Writes the table: for each index vector, in the order in which indices lie, the byte offset in `x` at which its window starts, or
    /// [`OUTSIDE`]. `windowed` is the result or the updates.
    pub(crate) fn table(
        &self,
        frame: &mut Frame,
        plan: &Compiled,
        ctx: &mut Ctx,
        [x, index, windowed]: [Slot; 3],
    ) -> Result<Ptr> {
        let d = &self.dims;
        let axes = d.index_axes(frame.dims(plan, index).len());
        let count = axes.iter().try_fold(1usize, |n, &a| n.checked_mul(frame.dims(plan, index)[a]));
        let bytes = count.and_then(|n| n.checked_mul(ENTRY)).filter(|&n| isize::try_from(n).is_ok());
        let (Some(count), Some(bytes)) = (count, bytes) else {
            return Err(Error::new(Code::E0406, "the table of indices is too large"));
        };
        let old = frame.packs[0].capacity();
        if old < bytes {
            ctx.mem.change(bytes, old, "a table of indices")?;
        }
        let table = frame.packs[0].ensure(bytes)?;
        let (nx, sx) = (frame.dims(plan, x), frame.strides(plan, x));
        let (ni, si) = (frame.dims(plan, index), frame.strides(plan, index));
        // The last start along each operand axis.
        let mut last: Vec<i64> = nx.iter().map(|&n| n as i64 - 1).collect();
        for (a, &w) in d.window_axes(nx.len()).into_iter().zip(&d.window) {
            last[a] = nx[a] as i64 - frame.dims(plan, windowed)[w] as i64;
        }
        let fits = last.iter().enumerate().all(|(a, &l)| l >= 0 || d.batch.contains(&a));
        let vector = si.get(d.vector).copied().unwrap_or(0);
        let parts: Vec<(i64, isize)> = d.map.iter().map(|&a| (last[a], sx[a])).collect();
        // What one more step along each axis of the indices adds to the place in the operand.
        let mut step = vec![0isize; ni.len()];
        for (&a, &b) in d.batch.iter().zip(&d.index_batch) {
            step[b] += sx[a];
        }
        let fill = filler(plan.slots[index as usize].dtype)?;
        let line = Line { parts: &parts, vector, fits, clamp: self.clamp };
        // Entries lie as indices do: the axis on which these lie closest is the inner loop.
        let mut space = Space::default();
        space.clear(3);
        let (dims, strides): (Vec<_>, Vec<_>) = axes.iter().map(|&a| (ni[a], si[a])).unzip();
        let (order, entries) = entries(&dims, &strides);
        for k in order {
            let a = axes[k];
            space.push(ni[a], true, |o| [si[a], step[a], entries[k]][o]);
        }
        space.collapse();
        let (s, from) = (&space, frame.ptr[index as usize]);
        let (n, inner) = if s.rank() == 0 { (1, [0; 3]) } else { (s.dims[0], [0, 1, 2].map(|k| s.stride(0, k))) };
        let rows = count.checked_div(n).unwrap_or(0);
        let (part, each) = (n.min(GRAIN), (GRAIN / n.max(1)).max(1));
        let (parts, groups) = (n.div_ceil(part.max(1)), rows.div_ceil(each));
        ctx.pool.run(parts * groups, (count as u64).saturating_mul(2), |i| {
            let (lo, group) = (i % parts * part, i / parts);
            let (first, m) = (lo as isize, part.min(n - lo));
            s.rows(group * each..((group + 1) * each).min(rows), |[at, place, entry]: [isize; 3]| {
                let (at, place) = (at + first * inner[0], place.wrapping_add(first.wrapping_mul(inner[1])));
                // SAFETY: the indices are walked inside their slot; the table has an entry for each, suitably aligned.
                unsafe {
                    fill(
                        &line,
                        table.at(entry).0.cast::<isize>().offset(first),
                        from.at(at),
                        place,
                        (m, inner[0], inner[1]),
                    )
                };
            });
        });
        Ok(table)
    }
    /// Loops over `windowed`, outermost axis last: strides of it, of the operand (within windows) and of the table.
    /// The kind of a loop says whether it walks a window.
    pub(crate) fn space(&self, frame: &Frame, plan: &Compiled, [x, index, windowed]: [Slot; 3], space: &mut Space) {
        let d = &self.dims;
        let (n, s) = (frame.dims(plan, windowed), frame.strides(plan, windowed));
        let axes = d.window_axes(frame.dims(plan, x).len());
        let (ni, si) = (frame.dims(plan, index), frame.strides(plan, index));
        let (dims, strides): (Vec<_>, Vec<_>) = d.index_axes(ni.len()).into_iter().map(|a| (ni[a], si[a])).unzip();
        let (_, mut entry) = entries(&dims, &strides);
        space.clear(3);
        for a in (0..n.len()).rev() {
            match d.window.iter().position(|&w| w == a) {
                Some(k) => {
                    let step = frame.strides(plan, x)[axes[k]];
                    space.push(n[a], true, |o| [s[a], step, 0][o]);
                }
                // Axes of windows stand for those of the indices, in order.
                None => {
                    let entry = entry.pop().unwrap_or(0);
                    space.push(n[a], false, |o| [s[a], 0, entry][o]);
                }
            }
        }
    }
}
/// How the table lies, whose axes are those of the indices: the axes, innermost first, and their strides in bytes.
fn entries(dims: &[usize], like: &[isize]) -> (Vec<usize>, Vec<isize>) {
    let (mut order, mut strides) = (vec![], vec![0; dims.len()]);
    strides_like(dims, Some(like), false, ENTRY, &mut order, &mut strides);
    (order, strides)
}
/// What is the same for all index vectors.
pub(super) struct Line<'a> {
    /// For each component, the last start along its operand axis and bytes from one start to the next.
    pub(super) parts: &'a [(i64, isize)],
    /// Bytes from one component to the next.
    pub(super) vector: isize,
    /// Windows are not longer than the operand.
    pub(super) fits: bool,
    pub(super) clamp: bool,
}
/// Fills the entries of index vectors one after the other: number, bytes between them, and what each step adds to the
/// place in the operand, which starts at the given one.
type FillFn = unsafe fn(&Line, *mut isize, Ptr, isize, (usize, isize, isize));
unsafe fn fill<T: Index>(
    line: &Line,
    table: *mut isize,
    from: Ptr,
    to: isize,
    (n, bytes, step): (usize, isize, isize),
) {
    let wide = |p: Ptr| {
        // SAFETY: the caller's indices have this type and one element for each component.
        unsafe { p.0.cast::<T>().read() }.wide()
    };
    let put = |i: isize, inside: bool, place: isize| {
        // SAFETY: the caller's table has `n` entries.
        unsafe { table.offset(i).write(if inside { place } else { OUTSIDE }) }
    };
    if let &[(last, stride)] = line.parts {
        if bytes == size_of::<T>() as isize {
            // SAFETY: the caller's indices lie side by side, and its table has `n` entries.
            let (from, table) = unsafe {
                (
                    std::slice::from_raw_parts(from.0.cast::<T>().cast_const(), n),
                    std::slice::from_raw_parts_mut(table, n),
                )
            };
            return side_by_side(line, table, from, to, step);
        }
        for i in 0..n as isize {
            let start = wide(from.at(i * bytes));
            let inside = line.fits & (line.clamp | ((start >= 0) & (start <= last)));
            let moved = (start.min(last).max(0) as isize).wrapping_mul(stride);
            put(i, inside, to.wrapping_add(i.wrapping_mul(step)).wrapping_add(moved));
        }
        return;
    }
    for i in 0..n as isize {
        let (first, mut place, mut inside) = (from.at(i * bytes), to.wrapping_add(i.wrapping_mul(step)), line.fits);
        for (k, &(last, stride)) in line.parts.iter().enumerate() {
            let start = wide(first.at(k as isize * line.vector));
            inside &= line.clamp | ((start >= 0) & (start <= last));
            place = place.wrapping_add((start.min(last).max(0) as isize).wrapping_mul(stride));
        }
        put(i, inside, place);
    }
}
/// Indices of one component that lie side by side.
fn side_by_side<T: Index>(line: &Line, table: &mut [isize], from: &[T], to: isize, step: isize) {
    let &[(last, stride)] = line.parts else { return };
    let mut place = to;
    for (entry, x) in table.iter_mut().zip(from) {
        let start = x.wide();
        let at = place.wrapping_add((start.min(last).max(0) as isize).wrapping_mul(stride));
        let inside = line.fits & (line.clamp | ((start >= 0) & (start <= last)));
        *entry = if inside { at } else { OUTSIDE };
        place = place.wrapping_add(step);
    }
}
/// One window, bound to extents and strides: where it is depends on one index vector alone.
#[derive(Debug)]
pub(crate) struct Window {
    index: Slot,
    dtype: DType,
    /// For each component, the last start along its operand axis and bytes from one start to the next.
    parts: Box<[(i64, isize)]>,
    /// Bytes from one component to the next.
    vector: isize,
    fits: bool,
    clamp: bool,
    /// Extents of the window, its strides in the result or the updates, and in the operand.
    dims: Vec<usize>,
    outer: Vec<isize>,
    inner: Vec<isize>,
}
impl Window {
    /// Bytes from the first element of the operand to the window whose index vector begins `from` bytes behind the first one; `None`
    /// where it leaves the operand.
    pub(crate) fn place(&self, frame: &Frame, from: isize) -> Option<isize> {
        let (at, mut place, mut inside) = (frame.ptr[self.index as usize].at(from), 0isize, self.fits);
        for (k, &(last, stride)) in self.parts.iter().enumerate() {
            let p = at.at(k as isize * self.vector).0;
            // SAFETY: an index vector has a component of this type for each part.
            let start = unsafe {
                match self.dtype {
                    DType::I32 => p.cast::<i32>().read().wide(),
                    DType::U32 => p.cast::<u32>().read().wide(),
                    DType::U64 => p.cast::<u64>().read().wide(),
                    _ => p.cast::<i64>().read().wide(),
                }
            };
            inside &= self.clamp | ((start >= 0) & (start <= last));
            place = place.wrapping_add((start.min(last).max(0) as isize).wrapping_mul(stride));
        }
        inside.then_some(place)
    }
    /// The loops of the window: strides of `windowed`, of the operand, and of a table of one entry.
    pub(crate) fn space(&self) -> Space {
        let mut s = Space::default();
        s.clear(3);
        for (a, &n) in self.dims.iter().enumerate() {
            s.push(n, true, |o| [self.outer[a], self.inner[a], 0][o]);
        }
        s
    }
    /// The copy of the window to the result, or (`back`) of the updates to the window.
    pub(crate) fn copy(&self, back: bool, size: usize) -> Ready {
        let (to, from) = if back { (&self.inner, &self.outer) } else { (&self.outer, &self.inner) };
        Ready::new(&self.dims, to, from, size)
    }
}
impl Places {
    /// Whether there are so few windows that they are bound one by one.
    pub(crate) fn has_few(&self, frame: &Frame, plan: &Compiled, index: Slot) -> bool {
        (1..=FEW).contains(&Places::entries(frame, plan, index, &self.dims))
    }
    /// Of each window, bytes from the first index vector to its own, and from the first element of `windowed` to the window's: in the
    /// order of the index vectors, the last axis fastest.
    pub(crate) fn each(&self, frame: &Frame, plan: &Compiled, index: Slot, windowed: Slot) -> Box<[[isize; 2]]> {
        let (n, s) = (frame.dims(plan, windowed), frame.strides(plan, windowed));
        // Axes that walk no window stand for those of the indices, in order.
        let mut axes = self.dims.index_axes(frame.dims(plan, index).len()).into_iter();
        let mut all = vec![[0; 2]];
        for a in (0..n.len()).filter(|a| !self.dims.window.contains(a)) {
            let by = [axes.next().map_or(0, |a| frame.strides(plan, index)[a]), s[a]];
            let before = std::mem::take(&mut all);
            all = before
                .into_iter()
                .flat_map(|o| (0..n[a] as isize).map(move |i| [o[0] + i * by[0], o[1] + i * by[1]]))
                .collect();
        }
        all.into()
    }
    /// The window of any index vector; `None` where axes of indices and operand are paired.
    pub(crate) fn window(&self, frame: &Frame, plan: &Compiled, [x, index, windowed]: [Slot; 3]) -> Option<Window> {
        let d = &self.dims;
        if !d.batch.is_empty() {
            return None;
        }
        let (n, s) = (frame.dims(plan, windowed), frame.strides(plan, windowed));
        let (nx, sx) = (frame.dims(plan, x), frame.strides(plan, x));
        let (mut last, mut inner): (Vec<i64>, Vec<isize>) = (nx.iter().map(|&n| n as i64 - 1).collect(), vec![]);
        let (mut dims, mut outer) = (vec![], vec![]);
        for (a, &w) in d.window_axes(nx.len()).into_iter().zip(&d.window) {
            last[a] = nx[a] as i64 - n[w] as i64;
            dims.push(n[w]);
            outer.push(s[w]);
            inner.push(sx[a]);
        }
        Some(Window {
            index,
            dtype: plan.slots[index as usize].dtype,
            parts: d.map.iter().map(|&a| (last[a], sx[a])).collect(),
            vector: frame.strides(plan, index).get(d.vector).copied().unwrap_or(0),
            fits: last.iter().all(|&l| l >= 0),
            clamp: self.clamp,
            dims,
            outer,
            inner,
        })
    }
}
/// The elements of a `gather` of single ones.
#[derive(Debug)]
struct Reads {
    slots: [Slot; 3],
    all: Singles,
    space: Space,
}
impl Bound for Reads {
    fn run(&mut self, cx: &mut KernelCx) -> Result<()> {
        let (frame, _, ctx, ..) = cx.all();
        self.all.read(ctx, &self.space, self.slots.map(|s| frame.ptr[s as usize]));
        Ok(())
    }
}
/// The windows of a `gather` that has few.
#[derive(Debug)]
struct FewWindows {
    x: Slot,
    dst: Slot,
    window: Window,
    copy: Ready,
    zeros: Ready,
    /// Of each, bytes from the first index vector to its own, and from the result's first element to the window's.
    all: Box<[[isize; 2]]>,
}
impl Bound for FewWindows {
    fn run(&mut self, cx: &mut KernelCx) -> Result<()> {
        let (frame, _, ctx, ..) = cx.all();
        let zero = [0u64; 2];
        for &[index, to] in &self.all {
            let dst = frame.ptr[self.dst as usize].at(to);
            // SAFETY: the window lies inside the operand, and the result has its extents.
            unsafe {
                match self.window.place(frame, index) {
                    Some(o) => self.copy.go(ctx.pool, &mut frame.space, dst, frame.ptr[self.x as usize].at(o)),
                    None => self.zeros.go(ctx.pool, &mut frame.space, dst, Ptr(zero.as_ptr().cast_mut().cast())),
                }
            }
        }
        Ok(())
    }
}

/// An index; `u64` beyond `i64` saturates.
pub(super) trait Index: Copy {
    fn wide(self) -> i64;
}
impl Index for i32 {
    #[inline(always)]
    fn wide(self) -> i64 {
        self.into()
    }
}
impl Index for u32 {
    #[inline(always)]
    fn wide(self) -> i64 {
        self.into()
    }
}
impl Index for i64 {
    #[inline(always)]
    fn wide(self) -> i64 {
        self
    }
}
impl Index for u64 {
    #[inline(always)]
    fn wide(self) -> i64 {
        self.min(i64::MAX as u64) as i64
    }
}
fn filler(d: DType) -> Result<FillFn> {
    #[cfg(target_arch = "x86_64")]
    if Isa::chosen() == Some(Isa::Avx512) {
        macro_rules! by {
            ($d:ident) => {
                // SAFETY: the machine has the instructions; else by the caller's contract.
                |line, table, from, to, n| unsafe { super::gather_x86::fill(DType::$d, line, table, from, to, n) }
            };
        }
        match d {
            DType::I32 => return Ok(by!(I32)),
            DType::U32 => return Ok(by!(U32)),
            DType::I64 => return Ok(by!(I64)),
            DType::U64 => return Ok(by!(U64)),
            _ => {}
        }
    }
    Ok(match d {
        DType::I32 => fill::<i32>,
        DType::U32 => fill::<u32>,
        DType::I64 => fill::<i64>,
        DType::U64 => fill::<u64>,
        d => return Err(Error::bug(Code::E0718, format!("{d} is no index"))),
    })
}

#[derive(Debug)]
struct Gather(Places);
impl Kernel for Gather {
    fn scratch(&self, site: &Site) -> Option<usize> {
        self.0.scratch(site, site.result(0))
    }
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[x, index], &[dst]) = (args, dsts) else {
            return Err(Error::bug(Code::E0718, "`gather` takes two operands"));
        };
        let mut space = std::mem::take(&mut frame.space);
        let all = Singles::of(&self.0, frame, plan, [x, index, dst], &mut space);
        Singles::in_order(&mut space);
        if let Some(all) = all.filter(|all| all.suits(&space)) {
            all.read(ctx, &space, [x, index, dst].map(|s| frame.ptr[s as usize]));
            frame.space = space;
            return Ok(());
        }
        self.0.space(frame, plan, [x, index, dst], &mut space);
        if space.is_empty() {
            frame.space = space;
            return Ok(());
        }
        let table = self.0.table(frame, plan, ctx, [x, index, dst])?;
        space.sort_by_key(|s, l| s.stride(l, 0).unsigned_abs());
        space.collapse();
        if space.rank() == 0 {
            // One element: a loop of one trip.
            space.dims.push(1);
            space.kind.push(true);
            space.strides.extend([0, 0, 0]);
        }
        let size = plan.slots[x as usize].dtype.size();
        let (s, from, to) = (&space, frame.ptr[x as usize], frame.ptr[dst as usize]);
        let (n, rows) = (s.dims[0], s.len() / s.dims[0]);
        let bytes = n * size;
        if s.rank() == 2
            && [s.stride(0, 0), s.stride(0, 1), s.stride(0, 2)] == [size as isize, size as isize, 0]
            && let Some(copy) = windows_of(bytes)
        {
            // Short windows, each in one piece.
            let each = (GRAIN / n).max(1);
            ctx.pool.run(rows.div_ceil(each), (s.len() as u64).saturating_mul(2), |i| {
                let steps = [0, 1, 2].map(|k| s.stride(1, k));
                let [to, from, table] =
                    [(to, 0), (from, 1), (table, 2)].map(|(p, k): (Ptr, usize)| p.at((i * each) as isize * steps[k]));
                // SAFETY: rows of the result; each entry of the table is a window inside the operand.
                unsafe { copy([to, from, table], steps, each.min(rows - i * each)) };
            });
            frame.space = space;
            return Ok(());
        }
        // Pieces of about a grain: parts of a long row, or several short rows.
        let (part, each) = (n.min(GRAIN), (GRAIN / n).max(1));
        let (parts, groups) = (n.div_ceil(part), rows.div_ceil(each));
        let work = (s.len() as u64).saturating_mul(if s.kind[0] { 1 } else { 2 });
        ctx.pool.run(parts * groups, work, |i| {
            let (lo, group) = (i % parts * part, i / parts);
            s.rows(group * each..((group + 1) * each).min(rows), |[d, x, t]: [isize; 3]| {
                // SAFETY: the row lies inside the result; each entry of the table is a window inside the operand.
                unsafe { row(s, lo..(lo + part).min(n), [to.at(d), from.at(x), table.at(t)], size) };
            });
        });
        frame.space = space;
        Ok(())
    }
    fn bind(&self, cx: &mut KernelCx) -> Result<Option<Box<dyn Bound>>> {
        let (frame, plan, _, args, dsts) = cx.all();
        let (&[x, index], &[dst]) = (args, dsts) else { return Ok(None) };
        if !self.0.has_few(frame, plan, index) {
            let mut space = Space::default();
            let all = Singles::of(&self.0, frame, plan, [x, index, dst], &mut space);
            Singles::in_order(&mut space);
            let all = all.filter(|all| all.suits(&space));
            return Ok(all.map(|all| Box::new(Reads { slots: [x, index, dst], all, space }) as Box<dyn Bound>));
        }
        let Some(window) = self.0.window(frame, plan, [x, index, dst]) else { return Ok(None) };
        let size = plan.slots[x as usize].dtype.size();
        let zeros = Ready::new(&window.dims, &window.outer, &vec![0; window.dims.len()], size);
        let copy = window.copy(false, size);
        let all = self.0.each(frame, plan, index, dst);
        Ok(Some(Box::new(FewWindows { x, dst, window, copy, zeros, all })))
    }
}
/// Part of a row (the innermost loop) of the result.
unsafe fn row(s: &Space, part: std::ops::Range<usize>, [to, from, table]: [Ptr; 3], size: usize) {
    let (ds, ss, ts) = (s.stride(0, 0), s.stride(0, 1), s.stride(0, 2));
    let zero = [0u64; 2];
    let (lo, n) = (part.start as isize, part.len());
    // SAFETY: by the caller's contract.
    unsafe {
        if ts == 0 {
            let (o, bytes) = (table.0.cast::<isize>().read(), n * size);
            if o != OUTSIDE && (ds, ss) == (size as isize, size as isize) && (4..=SHORT).contains(&bytes) {
                return short(to.at(lo * ds).0, from.at(o).at(lo * ss).0, bytes);
            }
            match o {
                OUTSIDE => fill_run(to.at(lo * ds).0, ds, zero.as_ptr().cast(), n, size),
                o => copy_run(to.at(lo * ds).0, ds, from.at(o).at(lo * ss).0, ss, n, size),
            }
            return;
        }
        let (to, table) = (to.at(lo * ds), table.at(lo * ts));
        #[cfg(target_arch = "x86_64")]
        if ds == size as isize && ts == ENTRY as isize && Isa::chosen() == Some(Isa::Avx512) {
            let table = table.0.cast::<isize>().cast_const();
            match size {
                4 => return super::gather_x86::elements::<false>(to.0, from.0, table, n),
                8 => return super::gather_x86::elements::<true>(to.0, from.0, table, n),
                _ => {}
            }
        }
        match size {
            1 => elements::<u8>([to, from, table], [ds, ts], n),
            2 => elements::<u16>([to, from, table], [ds, ts], n),
            4 => elements::<u32>([to, from, table], [ds, ts], n),
            8 => elements::<u64>([to, from, table], [ds, ts], n),
            _ => elements::<[u64; 2]>([to, from, table], [ds, ts], n),
        }
    }
}
/// Copies so many windows of `N` bytes: result, operand and table, and the steps of each.
unsafe fn windows<const N: usize>([to, from, table]: [Ptr; 3], steps: [isize; 3], n: usize) {
    for i in 0..n as isize {
        let [to, from, table] = [(to, 0), (from, 1), (table, 2)].map(|(p, k)| p.at(i * steps[k]));
        // SAFETY: by the caller's contract.
        unsafe {
            let x = match table.0.cast::<isize>().read() {
                OUTSIDE => [0; N],
                o => from.at(o).0.cast::<[u8; N]>().read(),
            };
            to.0.cast::<[u8; N]>().write(x);
        }
    }
}
/// [`windows`] of so many bytes, which windows often have.
fn windows_of(bytes: usize) -> Option<unsafe fn([Ptr; 3], [isize; 3], usize)> {
    Some(match bytes {
        8 => windows::<8>,
        12 => windows::<12>,
        16 => windows::<16>,
        24 => windows::<24>,
        32 => windows::<32>,
        64 => windows::<64>,
        128 => windows::<128>,
        256 => windows::<256>,
        _ => return None,
    })
}
/// Bytes of a window that are copied without asking for the fastest way.
const SHORT: usize = 256;
/// Copies 4 to [`SHORT`] bytes, the last of them perhaps twice.
///
/// # Safety
/// As for [`std::ptr::copy_nonoverlapping`].
#[inline(always)]
unsafe fn short(to: *mut u8, from: *const u8, bytes: usize) {
    #[inline(always)]
    unsafe fn by<T: Copy>(to: *mut u8, from: *const u8, bytes: usize) {
        let (each, mut at) = (size_of::<T>(), 0);
        // SAFETY: pieces inside both, read and written without regard to alignment.
        unsafe {
            let last = from.add(bytes - each).cast::<T>().read_unaligned();
            while at + each < bytes {
                to.add(at).cast::<T>().write_unaligned(from.add(at).cast::<T>().read_unaligned());
                at += each;
            }
            to.add(bytes - each).cast::<T>().write_unaligned(last);
        }
    }
    // SAFETY: passed on.
    unsafe {
        match bytes {
            16.. => by::<u128>(to, from, bytes),
            8.. => by::<u64>(to, from, bytes),
            _ => by::<u32>(to, from, bytes),
        }
    }
}
/// One element for each entry of the table.
unsafe fn elements<T: Copy + Default>([to, from, table]: [Ptr; 3], [ds, ts]: [isize; 2], n: usize) {
    for i in 0..n as isize {
        // SAFETY: as for `row`; elements have this size and at least this alignment.
        unsafe {
            let x = match table.at(i * ts).0.cast::<isize>().read() {
                OUTSIDE => T::default(),
                o => from.at(o).0.cast::<T>().read(),
            };
            to.at(i * ds).0.cast::<T>().write(x);
        }
    }
}
