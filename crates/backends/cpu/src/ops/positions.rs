//! Kernels that deal in positions: `argmax`, `argmin`, `iota`, what lies round the operand of `pad`, triangles.
use std::sync::Arc;

use tfc_ir::{C32, C64, Code, DType, Error, Result, ops};

use super::{Rows, misfit};
use crate::kernel::{Kernel, KernelCx};

use crate::copy::{At, GRAIN, copy_run, fill_nd, fill_run};
use crate::machine::mem::Ptr;
use crate::machine::pool::Pool;
use tfc_plan::space::Space;

/// Kernels of these rows.
pub(crate) const CORE: Rows = &[
    (&ops::reduce::ARGMAX, |s| Ok(Arc::new(Extreme { axis: s.attrs().int("axis") as usize, max: true }))),
    (&ops::reduce::ARGMIN, |s| Ok(Arc::new(Extreme { axis: s.attrs().int("axis") as usize, max: false }))),
    (&ops::shape::TRIL, |s| Ok(Arc::new(Triangle { k: s.attrs().int("k"), lower: true }))),
    (&ops::shape::TRIU, |s| Ok(Arc::new(Triangle { k: s.attrs().int("k"), lower: false }))),
];

/// Position of the first extreme element along an axis.
#[derive(Debug)]
struct Extreme {
    axis: usize,
    max: bool,
}
impl Kernel for Extreme {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let axis = self.axis;
        let (n, step) = (frame.dims(plan, src)[axis], frame.strides(plan, src)[axis]);
        let count = frame.len(plan, dst)?;
        if n == 0 && count > 0 {
            return Err(Error::bug(
                Code::E0718,
                format!("there is no largest or smallest element: axis {axis} is empty"),
            ));
        }
        let mut space = std::mem::take(&mut frame.space);
        space.clear(2);
        let kept = (0..frame.dims(plan, src).len()).filter(|&a| a != axis);
        for (i, a) in kept.enumerate() {
            let s = [frame.strides(plan, src)[a], frame.strides(plan, dst)[i]];
            space.push(frame.dims(plan, src)[a], false, |k| s[k]);
        }
        let d = plan.slots[src as usize].dtype;
        // SAFETY: the loops are those of both slots.
        let ok = count == 0
            || unsafe { arg(ctx.pool, d, self.max, &space, n, step, frame.ptr[src as usize], frame.ptr[dst as usize]) };
        frame.space = space;
        if ok { Ok(()) } else { Err(super::not_taken(d)) }
    }
}
/// One triangle, zeros elsewhere.
#[derive(Debug)]
struct Triangle {
    k: i64,
    lower: bool,
}
impl Kernel for Triangle {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let size = plan.slots[src as usize].dtype.size();
        let mut space = std::mem::take(&mut frame.space);
        let both = [frame.at(plan, dst), frame.at(plan, src)];
        // SAFETY: both slots are placed and have one shape; the result's storage is its own.
        unsafe { triangle(ctx.pool, &mut space, frame.dims(plan, src), both, (self.k, self.lower), size) };
        frame.space = space;
        Ok(())
    }
}

trait Ord1: Copy {
    /// Whether `self` is a better maximum than `than` (NaN is better than any number, nothing is better than NaN).
    fn above(self, than: Self) -> bool;
    /// Whether `self` is a better minimum than `than`.
    fn below(self, than: Self) -> bool;
}
macro_rules! ord {
    ($($t:ty),*; $($f:ty),*) => {
        $(impl Ord1 for $t {
            #[inline(always)]
            fn above(self, than: $t) -> bool { self > than }
            #[inline(always)]
            fn below(self, than: $t) -> bool { self < than }
        })*
        $(impl Ord1 for $f {
            #[inline(always)]
            fn above(self, than: $f) -> bool { self > than || (self.is_nan() && !than.is_nan()) }
            #[inline(always)]
            fn below(self, than: $f) -> bool { self < than || (self.is_nan() && !than.is_nan()) }
        })*
    };
}
ord!(bool, i32, i64, u32, u64; f32, f64);

/// Lines that are compared together, at most.
const BESIDE: usize = 64;
/// Elements of a line among which one is looked for once it is known that there is one.
const BLOCK: usize = 64;
/// Lines: the first element of the first and its result, elements of a line and the bytes between them, number of lines, bytes from one
/// to the next and from one result to the next.
struct Lines {
    src: Ptr,
    dst: Ptr,
    n: usize,
    step: isize,
    lines: usize,
    apart: [isize; 2],
}
/// Writes the places of the first extreme elements of lines; `beside`: of at most [`BESIDE`] lines one element apart.
///
/// # Safety
/// The lines and results lie in memory of the caller; lines have an element each.
#[inline(always)]
unsafe fn extremes<T: Ord1>(l: &Lines, max: bool, beside: bool) {
    let better = |x: T, than: T| if max { x.above(than) } else { x.below(than) };
    // SAFETY: the caller's lines.
    let element = |p: Ptr, i: usize, j: usize| unsafe { p.at(j as isize * l.step).0.cast::<T>().add(i).read() };
    // SAFETY: the caller's results.
    let put = |i: usize, at: i64| unsafe { l.dst.at(i as isize * l.apart[1]).0.cast::<i64>().write(at) };
    if beside {
        let (mut best, mut places) = ([element(l.src, 0, 0); BESIDE], [0i64; BESIDE]);
        (0..l.lines).for_each(|i| best[i] = element(l.src, i, 0));
        for j in 1..l.n {
            for i in 0..l.lines {
                let x = element(l.src, i, j);
                let found = better(x, best[i]);
                best[i] = if found { x } else { best[i] };
                places[i] = if found { j as i64 } else { places[i] };
            }
        }
        (0..l.lines).for_each(|i| put(i, places[i]));
        return;
    }
    for i in 0..l.lines {
        let line = l.src.at(i as isize * l.apart[0]);
        let (mut best, mut at) = (element(line, 0, 0), 0);
        for from in (1..l.n).step_by(BLOCK) {
            let to = l.n.min(from + BLOCK);
            if to - from == BLOCK && l.step == size_of::<T>() as isize {
                let mut any = false;
                for j in 0..BLOCK {
                    any |= better(element(line, from + j, 0), best);
                }
                if !any {
                    continue;
                }
            }
            for j in from..to {
                let x = element(line, 0, j);
                let found = better(x, best);
                best = if found { x } else { best };
                at = if found { j as i64 } else { at };
            }
        }
        put(i, at);
    }
}

/// Writes the position of the first extreme element along one axis as `i64`. `space` holds the kept loops with operands
/// `source`, `result`; the axis has `n >= 1` elements, `step` bytes apart. False where the dtype has no order.
///
/// # Safety
/// Both operands cover the loops inside memory of the caller.
pub(crate) unsafe fn arg(
    pool: &Pool,
    dtype: DType,
    max: bool,
    s: &Space,
    n: usize,
    step: isize,
    src: Ptr,
    dst: Ptr,
) -> bool {
    unsafe fn go<T: Ord1>(pool: &Pool, max: bool, s: &Space, n: usize, step: isize, src: Ptr, dst: Ptr) {
        let (total, size) = (s.len(), size_of::<T>() as isize);
        // Lines side by side are compared element by element, others one after the other.
        let run = s.dims.first().copied().unwrap_or(1);
        let beside = s.rank() > 0 && s.stride(0, 0) == size && step != size && run > 1;
        let each = if beside { BESIDE.min(run) } else { (GRAIN / n).clamp(1, run) };
        let pieces = run.div_ceil(each);
        let count = total / run * pieces;
        let group = (GRAIN / n / each).max(1);
        pool.run(count.div_ceil(group), (total * n) as u64, |g| {
            for i in g * group..((g + 1) * group).min(count) {
                let first = i % pieces * each;
                let (at, lines) = (i / pieces * run + first, each.min(run - first));
                let apart = if s.rank() > 0 { [s.stride(0, 0), s.stride(0, 1)] } else { [0; 2] };
                let l = Lines { src: src.at(s.offset(0, at)), dst: dst.at(s.offset(1, at)), n, step, lines, apart };
                // SAFETY: lines of the caller's operand.
                unsafe { fastest::<T>(&l, max, beside) };
            }
        });
        /// For the best instruction set of the machine.
        unsafe fn fastest<T: Ord1>(l: &Lines, max: bool, beside: bool) {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: passed on; the machine has the instructions.
                return unsafe { with_avx2::<T>(l, max, beside) };
            }
            // SAFETY: passed on.
            unsafe { extremes::<T>(l, max, beside) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        unsafe fn with_avx2<T: Ord1>(l: &Lines, max: bool, beside: bool) {
            // SAFETY: passed on.
            unsafe { extremes::<T>(l, max, beside) }
        }
    }
    // SAFETY: passed on.
    unsafe {
        match dtype {
            DType::Bool => go::<bool>(pool, max, s, n, step, src, dst),
            DType::I32 => go::<i32>(pool, max, s, n, step, src, dst),
            DType::I64 => go::<i64>(pool, max, s, n, step, src, dst),
            DType::U32 => go::<u32>(pool, max, s, n, step, src, dst),
            DType::U64 => go::<u64>(pool, max, s, n, step, src, dst),
            DType::F32 => go::<f32>(pool, max, s, n, step, src, dst),
            DType::F64 => go::<f64>(pool, max, s, n, step, src, dst),
            _ => return false,
        }
    }
    true
}

/// Writes 0, 1, …, `n - 1` as `dtype`, dense.
///
/// # Safety
/// `dst` has room for `n` aligned elements.
pub(crate) unsafe fn iota(dtype: DType, n: usize, dst: Ptr) {
    macro_rules! go {
        ($t:ty, $i:ident => $e:expr) => {
            for $i in 0..n {
                // SAFETY: by contract.
                unsafe { dst.0.cast::<$t>().add($i).write($e) }
            }
        };
    }
    match dtype {
        DType::I32 => go!(i32, i => i as i32),
        DType::I64 => go!(i64, i => i as i64),
        DType::U32 => go!(u32, i => i as u32),
        DType::U64 => go!(u64, i => i as u64),
        DType::F32 => go!(f32, i => i as f32),
        DType::F64 => go!(f64, i => i as f64),
        DType::C32 => go!(C32, i => C32::new(i as f32, 0.0)),
        DType::C64 => go!(C64, i => C64::new(i as f64, 0.0)),
        _ => go!(bool, i => i != 0),
    }
}

/// Fills what lies outside a box of a view: `inside` holds for each axis where the box starts and how long it is. Slabs
/// across the slowest axes come first, so that they are long.
///
/// # Safety
/// The view is inside memory of the caller; `value` holds an element.
pub(crate) unsafe fn fill_outside(
    pool: &Pool,
    space: &mut Space,
    dims: &[usize],
    dst: At,
    inside: &[(usize, usize)],
    value: Ptr,
    size: usize,
) {
    for (part, at) in outside(dims, dst.strides, inside) {
        let to = At { ptr: dst.ptr.at(displaced(&at, dst.strides)), ..dst };
        // SAFETY: a part of the view.
        unsafe { fill_nd(pool, space, &part, to, value.0, size) };
    }
}
/// The parts of a view of shape `dims` around a box (by axis: where it begins, how many elements): extents, and the indices of the
/// first element.
pub(crate) fn outside(dims: &[usize], strides: &[isize], inside: &[(usize, usize)]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let (mut part, mut first, mut all) = (dims.to_vec(), vec![0; dims.len()], vec![]);
    let mut order: Vec<usize> = (0..dims.len()).collect();
    order.sort_by_key(|&a| std::cmp::Reverse(strides[a].unsigned_abs()));
    for a in order {
        let (start, count) = inside[a];
        for (at, n) in [(0, start), (start + count, dims[a] - start - count)] {
            (part[a], first[a]) = (n, at);
            if n > 0 {
                all.push((part.clone(), first.clone()));
            }
        }
        (part[a], first[a]) = (count, start);
    }
    all
}
/// Bytes from the first element of a view to that with these indices.
pub(crate) fn displaced(indices: &[usize], strides: &[isize]) -> isize {
    indices.iter().zip(strides).map(|(&i, s)| (i as isize).wrapping_mul(*s)).fold(0, isize::wrapping_add)
}

/// Copies one triangle of matrices (axes 0 and 1; the others are batches) and puts zeros in place of the other: kept is
/// what lies on or below (`lower`), or on or above, the diagonal `j - i = k`.
///
/// # Safety
/// Both views have shape `dims` inside memory of the caller and do not overlap.
pub(crate) unsafe fn triangle(
    pool: &Pool,
    s: &mut Space,
    dims: &[usize],
    [dst, src]: [At; 2],
    (k, lower): (i64, bool),
    size: usize,
) {
    // Lines run along the destination's faster axis; the other axis comes first among those around.
    let fast = usize::from(dst.strides[1].unsigned_abs() < dst.strides[0].unsigned_abs());
    let (n, across) = (dims[fast], dims[1 - fast]);
    let lines: usize = dims.iter().enumerate().filter(|x| x.0 != fast).map(|x| x.1).product();
    if n == 0 || lines == 0 {
        return;
    }
    s.clear(2);
    for (a, &d) in dims.iter().enumerate().skip(2) {
        s.push(d, false, |o| [dst.strides[a], src.strides[a]][o]);
    }
    let (ds, ss) = (dst.strides[fast], src.strides[fast]);
    let each = (GRAIN / n).max(1);
    let (s, zero) = (&*s, [0u8; 16]);
    pool.run(lines.div_ceil(each), (lines * n) as u64 / 4, |g| {
        for i in g * each..((g + 1) * each).min(lines) {
            let (j, batch) = (i % across, i / across);
            let at = |v: At, o: usize| v.ptr.at(j as isize * v.strides[1 - fast] + s.offset(o, batch));
            let (p, q) = (at(dst, 0), at(src, 1));
            // Places kept in this line: from the diagonal on, or up to it.
            let line = j as i64;
            let (lo, hi) = match (lower, fast) {
                (true, 0) => (line.saturating_sub(k), i64::MAX),
                (false, 0) => (0, line.saturating_sub(k).saturating_add(1)),
                (true, _) => (0, line.saturating_add(k).saturating_add(1)),
                (false, _) => (line.saturating_add(k), i64::MAX),
            };
            let hi = hi.clamp(0, n as i64) as usize;
            let lo = (lo.clamp(0, n as i64) as usize).min(hi);
            // SAFETY: parts of a line of both views.
            unsafe {
                fill_run(p.0, ds, zero.as_ptr(), lo, size);
                copy_run(p.at(lo as isize * ds).0, ds, q.at(lo as isize * ss).0, ss, hi - lo, size);
                fill_run(p.at(hi as isize * ds).0, ds, zero.as_ptr(), n - hi, size);
            }
        }
    });
}
