//! Fourier transforms in plans: axis by axis, a line at a time. Lines are shared out among threads; which of them computes a
//! line changes nothing of it. A line that does not lie in one piece is brought together first, with its neighbours where they
//! lie next to it. Transforms and the memory that they work in are made once and kept.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use num_complex::Complex;
use tfc_ir::ops::fft::Norm;
use tfc_ir::{DType, Result, ops};

use super::{Rows, misfit};
use crate::compiled::Compiled;
use crate::copy::At;
use crate::kernel::{Kernel, KernelCx, Site};
use crate::machine::mem::{Buf, Ptr};
use crate::machine::pool::Pool;
use crate::run::frame::Frame;
use tfc_kernels::fft::{Kind, Number, Transform};
use tfc_plan::plan::Slot;
use tfc_plan::space::Space;

/// Kernels of the family.
pub(crate) const CORE: Rows = &[
    (&ops::fft::FFT, |s| fourier(s, Kind::Complex, false)),
    (&ops::fft::IFFT, |s| fourier(s, Kind::Complex, true)),
    (&ops::fft::RFFT, |s| fourier(s, Kind::Real, false)),
    (&ops::fft::IRFFT, |s| fourier(s, Kind::InverseReal, true)),
];

fn fourier(site: &Site, kind: Kind, inverse: bool) -> Result<Arc<dyn Kernel>> {
    let dtype = site.operand(0).ok_or_else(|| misfit(site))?.dtype.real();
    let (axes, norm) = (site.attrs().indices("axes"), Norm::of(site.attrs()));
    Ok(match dtype {
        DType::F32 => Arc::new(Fourier::<f32> { kind, inverse, axes, norm, kept: Kept::default() }),
        _ => Arc::new(Fourier::<f64> { kind, inverse, axes, norm, kept: Kept::default() }),
    })
}

/// Transforms along axes, along the one that `axes` names last of another kind than along the others.
#[derive(Debug)]
struct Fourier<T: Number> {
    kind: Kind,
    inverse: bool,
    axes: Vec<usize>,
    norm: Norm,
    kept: Kept<T>,
}
impl<T: Number> Kernel for Fourier<T> {
    fn scratch(&self, _: &Site) -> Option<usize> {
        None
    }
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let Some((&last, others)) = self.axes.split_last() else {
            frame.copy_slot(plan, ctx, src, dst);
            return Ok(());
        };
        // Half a spectrum becomes real when all is done along the other axes, for which there is room between.
        let (mut room, mut steps, mut warm) = (Ptr::NOTHING, std::mem::take(&mut frame.flat), true);
        steps.clear();
        if self.kind == Kind::InverseReal && !others.is_empty() {
            let size = size_of::<Complex<T>>();
            let bytes = frame.len(plan, src)? * size;
            ctx.mem.change(bytes, 0, "half a spectrum")?;
            ctx.mem.change(0, bytes, "half a spectrum")?;
            room = frame.packs[0].ensure(bytes)?;
            warm = frame.packs[0].warm(bytes);
            let step = |step: &mut isize, &n: &usize| Some(std::mem::replace(step, *step * n as isize));
            steps.extend(frame.dims(plan, src).iter().scan(size as isize, step));
        }
        let mut loops = std::mem::take(&mut frame.space);
        let (x, y) = (View::of(frame, plan, src), View::of(frame, plan, dst));
        let between = View { dims: x.dims, at: At { ptr: room, strides: &steps }, warm };
        let long = if self.kind == Kind::InverseReal { y.dims } else { x.dims };
        let scale = self.norm.scale(self.axes.iter().map(|&a| long[a]).product(), self.inverse);
        let mut pass = |kind: Kind, axis: usize, views: [View; 2], scale: f64| {
            let (t, scale) = (self.kept.transform(kind, long[axis], self.inverse), T::of(scale));
            let pass = Pass { t: &t, axis, from: views[0], to: views[1], scale, kept: &self.kept };
            // SAFETY: the slots are placed, and the room is there; what is written is nobody else's, and is either another
            // place than what is read or the same view.
            unsafe { pass.run(ctx.pool, &mut loops) }
        };
        let done = if self.kind == Kind::InverseReal {
            let (mut from, mut to) = (x, between);
            let first = others.iter().try_for_each(|&a| {
                pass(Kind::Complex, a, [from, to], 1.0)?;
                to.warm = true;
                from = to;
                Ok(())
            });
            first.and_then(|()| pass(self.kind, last, [from, y], scale))
        } else {
            let first = pass(self.kind, last, [x, y], scale);
            let y = View { warm: true, ..y };
            first.and_then(|()| others.iter().try_for_each(|&a| pass(Kind::Complex, a, [y, y], 1.0)))
        };
        frame.space = loops;
        frame.flat = steps;
        done
    }
}
/// The lines of a tensor.
#[derive(Clone, Copy)]
struct View<'a> {
    dims: &'a [usize],
    at: At<'a>,
    /// Whether the memory has been written before.
    warm: bool,
}
impl<'a> View<'a> {
    fn of(frame: &'a Frame, plan: &Compiled, s: Slot) -> View<'a> {
        View { dims: frame.dims(plan, s), at: frame.at(plan, s), warm: frame.warm[s as usize] }
    }
}

/// How many transforms a step keeps: extents may differ from one execution to the next.
const TRANSFORMS: usize = 16;
/// What a step keeps.
#[derive(Debug)]
struct Kept<T: Number> {
    transforms: Mutex<Vec<Arc<Transform<T>>>>,
    /// Memory that no thread is working in.
    free: Mutex<Vec<Vec<Complex<T>>>>,
}
impl<T: Number> Default for Kept<T> {
    fn default() -> Self {
        Kept { transforms: Mutex::default(), free: Mutex::default() }
    }
}
impl<T: Number> Kept<T> {
    /// The transform of lines of `n` numbers, made where there is none yet.
    fn transform(&self, kind: Kind, n: usize, inverse: bool) -> Arc<Transform<T>> {
        let mut all = self.transforms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(t) = all.iter().find(|t| t.is(kind, n, inverse)) {
            return t.clone();
        }
        if all.len() == TRANSFORMS {
            all.remove(0);
        }
        let t = Arc::new(Transform::new(kind, n, inverse));
        all.push(t.clone());
        t
    }
    /// Runs `f` in memory for that many numbers; `Err` with its bytes where there is none.
    fn memory(&self, n: usize, f: impl FnOnce(&mut [Complex<T>])) -> std::result::Result<(), usize> {
        let mut m = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        if m.len() < n {
            m.try_reserve_exact(n - m.len()).map_err(|_| n * size_of::<Complex<T>>())?;
            m.resize(n, Complex::new(T::zero(), T::zero()));
        }
        f(&mut m[..n]);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(m);
        Ok(())
    }
}

/// The transform of every line along an axis, times a number.
struct Pass<'a, T: Number> {
    t: &'a Transform<T>,
    axis: usize,
    from: View<'a>,
    to: View<'a>,
    scale: T,
    kept: &'a Kept<T>,
}
/// Lines that lie next to each other are brought together by as many as fit into so many bytes, at most [`LANES`] and at least as
/// many as share a line of the cache.
const TOGETHER: usize = 1 << 18;
const LANES: usize = 16;
const CACHE_LINE: usize = 64;
/// What is known of a pass before its lines: extents and strides along the axis (in bytes) of what is read and what is written,
/// and the loops over the others.
struct Lines<'a> {
    n: [usize; 2],
    steps: [isize; 2],
    loops: &'a Space,
}
impl<T: Number> Pass<'_, T> {
    /// # Safety
    /// The views are of memory with numbers of the kind that the transform takes and gives, which nobody else uses. They are one,
    /// or share none of it.
    unsafe fn run(&self, pool: &Pool, loops: &mut Space) -> Result<()> {
        let t = self.t;
        let scaled = |y: &mut [Complex<T>]| {
            if self.scale != T::one() {
                y.iter_mut().for_each(|y| *y = y.scale(self.scale));
            }
        };
        match t.kind() {
            Kind::Complex => {
                let line = |x: &[_], y: &mut [_], memory: &mut [_]| {
                    t.complex(x, y, memory);
                    scaled(y);
                };
                // SAFETY: passed on.
                unsafe { self.lines::<Complex<T>, Complex<T>>(pool, loops, line) }
            }
            Kind::Real => {
                let line = |x: &[_], y: &mut [_], memory: &mut [_]| {
                    t.real(x, y, memory);
                    scaled(y);
                };
                // SAFETY: passed on.
                unsafe { self.lines::<T, Complex<T>>(pool, loops, line) }
            }
            Kind::InverseReal => {
                let line = |x: &[_], y: &mut [T], memory: &mut [_]| {
                    t.inverse_real(x, y, memory);
                    if self.scale != T::one() {
                        y.iter_mut().for_each(|y| *y = *y * self.scale);
                    }
                };
                // SAFETY: passed on.
                unsafe { self.lines::<Complex<T>, T>(pool, loops, line) }
            }
        }
    }
    /// # Safety
    /// As [`Pass::run`], of elements `X` and `Y`.
    unsafe fn lines<X: Copy, Y: Copy>(
        &self,
        pool: &Pool,
        loops: &mut Space,
        line: impl Fn(&[X], &mut [Y], &mut [Complex<T>]) + Sync,
    ) -> Result<()> {
        let views = [&self.from, &self.to];
        loops.clear(2);
        for (a, &d) in self.to.dims.iter().enumerate().filter(|&(a, _)| a != self.axis) {
            loops.push(d, false, |k| views[k].at.strides[a]);
        }
        loops.sort_by_key(|s, l| s.stride(l, 1).unsigned_abs());
        loops.collapse();
        let n = views.map(|v| v.dims[self.axis]);
        let steps = views.map(|v| v.at.strides[self.axis]);
        let (total, inner) = (loops.len(), loops.dims.first().copied().unwrap_or(1));
        let size = [size_of::<X>(), size_of::<Y>()];
        let across = (0..2).all(|k| loops.rank() > 0 && loops.stride(0, k) == size[k] as isize);
        let bytes = n[0] * size[0] + n[1] * size[1];
        let lanes = if across { (TOGETHER / bytes.max(1)).clamp(CACHE_LINE / size[0].max(size[1]), LANES) } else { 1 };
        let l = Lines { n, steps, loops };
        let groups = inner.div_ceil(lanes);
        let long = n[0].max(n[1]) as u64;
        let work = total as u64 * long * (2 + u64::from(long.max(1).ilog2()) / 4);
        let full = AtomicUsize::new(0);
        pool.run(total.checked_div(inner).unwrap_or(0) * groups, work, |g| {
            let (outer, first) = (g / groups, g % groups * lanes);
            // SAFETY: by contract; each line is in one group.
            let done = unsafe { self.group::<X, Y>(&l, outer * inner + first, lanes.min(inner - first), &line) };
            if let Err(bytes) = done {
                full.store(bytes, Ordering::Relaxed);
            }
        });
        match full.into_inner() {
            0 => Ok(()),
            bytes => Err(Buf::exhausted(bytes)),
        }
    }
    /// `count` lines from line `first` on.
    ///
    /// # Safety
    /// As [`Pass::lines`]; nobody else reads or writes these lines.
    unsafe fn group<X: Copy, Y: Copy>(
        &self,
        l: &Lines,
        first: usize,
        count: usize,
        line: &impl Fn(&[X], &mut [Y], &mut [Complex<T>]),
    ) -> std::result::Result<(), usize> {
        let [p, q] = [(0, &self.from), (1, &self.to)].map(|(k, v)| v.at.ptr.at(l.loops.offset(k, first)));
        let [n, m] = l.n;
        let size = [size_of::<X>() as isize, size_of::<Y>() as isize];
        // Where a line is read and written in place it has to be moved as well.
        let gather = n > 1 && l.steps[0] != size[0] || p == q;
        let scatter = m > 1 && l.steps[1] != size[1];
        // A line more than a power of two apart, so that neighbours do not push each other out of the caches.
        let [lx, ly] = [n + CACHE_LINE / size_of::<X>(), m + CACHE_LINE / size_of::<Y>()];
        let room = |bytes: usize, yes: bool| if yes { (bytes * count).div_ceil(size_of::<Complex<T>>()) } else { 0 };
        let (xs, ys) = (room(lx * size_of::<X>(), gather), room(ly * size_of::<Y>(), scatter));
        self.kept.memory(xs + ys + self.t.scratch(), |memory| {
            let (a, memory) = memory.split_at_mut(xs);
            let (b, memory) = memory.split_at_mut(ys);
            let (a, b) = (a.as_mut_ptr().cast::<X>(), b.as_mut_ptr().cast::<Y>());
            let at = |p: Ptr, i: usize, step: isize| p.at(i as isize * step).0;
            // SAFETY: by contract; lanes are neighbours where there are several. Slices are of memory made with numbers in it, of
            // operands, or of results, which are set before where nothing has been written to them yet.
            unsafe {
                if gather {
                    for i in 0..n {
                        let from = at(p, i, l.steps[0]).cast::<X>();
                        (0..count).for_each(|k| a.add(k * lx + i).write(from.add(k).read()));
                    }
                }
                for k in 0..count {
                    let x = if gather { a.add(k * lx) } else { p.0.cast::<X>().add(k) };
                    let y = if scatter { b.add(k * ly) } else { q.0.cast::<Y>().add(k) };
                    if !scatter && !self.to.warm {
                        y.write_bytes(0, m);
                    }
                    line(std::slice::from_raw_parts(x, n), std::slice::from_raw_parts_mut(y, m), memory);
                }
                if scatter {
                    for i in 0..m {
                        let to = at(q, i, l.steps[1]).cast::<Y>();
                        (0..count).for_each(|k| to.add(k).write(b.add(k * ly + i).read()));
                    }
                }
            }
        })
    }
}
