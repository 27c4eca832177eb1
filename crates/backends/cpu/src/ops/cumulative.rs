//! Running reductions. Each line along the axis is walked in order, so results do not depend on threads; neighbouring
//! lines that lie next to each other in memory are walked together.
use std::sync::Arc;

use tfc_ir::{Attr, C32, C64, DType, Result, ops};

use super::Rows;
use crate::compiled::Compiled;
use crate::kernel::{Kernel, KernelCx, Site};
use crate::machine::mem::Ptr;
use crate::run::frame::{Ctx, Frame};
use tfc_kernels::scalar::complex::product;
use tfc_kernels::scalar::num::Real;
use tfc_plan::plan::Slot;
use tfc_plan::space::Space;

/// Kernels of the family.
pub(crate) const CORE: Rows = &[
    (&ops::order::CUMSUM, |s| cumulative(s, Reduction::Sum)),
    (&ops::order::CUMPROD, |s| cumulative(s, Reduction::Prod)),
    (&ops::order::CUMMAX, |s| cumulative(s, Reduction::Max)),
    (&ops::order::CUMMIN, |s| cumulative(s, Reduction::Min)),
    (&ops::order::CUMLOGSUMEXP, |s| cumulative(s, Reduction::LogSumExp)),
];

#[derive(Clone, Copy, Debug)]
enum Reduction {
    Sum,
    Prod,
    Max,
    Min,
    LogSumExp,
}
/// A running reduction.
#[derive(Debug)]
struct Cumulative {
    reduction: Reduction,
    axis: usize,
    reverse: bool,
}
fn cumulative(site: &Site, reduction: Reduction) -> Result<Arc<dyn Kernel>> {
    let a = site.attrs();
    let reverse = a.get("reverse") == Some(&Attr::Bool(true));
    Ok(Arc::new(Cumulative { reduction, axis: a.int("axis") as usize, reverse }))
}

/// What a running reduction does with an element type: how it starts, takes an element in, and shows its value.
trait Fold<T>: Copy {
    fn start() -> Self;
    fn step(self, x: T) -> Self;
    fn value(self) -> T;
}
#[derive(Clone, Copy)]
struct Sum<A>(A);
#[derive(Clone, Copy)]
struct Prod<A>(A);
#[derive(Clone, Copy)]
struct Max<A>(A);
#[derive(Clone, Copy)]
struct Min<A>(A);
/// The greatest exponent so far, and the sum of exponentials relative to it.
#[derive(Clone, Copy)]
struct LogSum(f64, f64);

macro_rules! fold {
    ($f:ident $t:ty, $acc:ty, $start:expr, |$a:ident, $x:ident| $step:expr, |$v:ident| $value:expr) => {
        impl Fold<$t> for $f<$acc> {
            #[inline(always)]
            fn start() -> Self {
                $f($start)
            }
            #[inline(always)]
            fn step(self, $x: $t) -> Self {
                let $a = self.0;
                $f($step)
            }
            #[inline(always)]
            fn value(self) -> $t {
                let $v = self.0;
                $value
            }
        }
    };
}
macro_rules! ints {
    ($($t:ident)*) => { $(
        fold!(Sum $t, $t, 0, |a, x| a.wrapping_add(x), |v| v);
        fold!(Prod $t, $t, 1, |a, x| a.wrapping_mul(x), |v| v);
        fold!(Max $t, $t, $t::MIN, |a, x| a.max(x), |v| v);
        fold!(Min $t, $t, $t::MAX, |a, x| a.min(x), |v| v);
    )* };
}
ints!(i32 i64 u32 u64);
macro_rules! reals {
    ($($t:ident)*) => { $(
        fold!(Prod $t, $t, 1.0, |a, x| a * x, |v| v);
        fold!(Max $t, $t, $t::NEG_INFINITY, |a, x| a.fmax(x), |v| v);
        fold!(Min $t, $t, $t::INFINITY, |a, x| a.fmin(x), |v| v);
    )* };
}
reals!(f32 f64);
// Single precision is summed in double: it costs nothing and long sums stay exact.
fold!(Sum f32, f64, 0.0, |a, x| a + f64::from(x), |v| v as f32);
fold!(Sum f64, f64, 0.0, |a, x| a + x, |v| v);
fold!(Sum C32, C64, C64::new(0.0, 0.0), |a, x| a + C64::new(x.re.into(), x.im.into()), |v| C32::new(v.re as f32, v.im as f32));
fold!(Sum C64, C64, C64::new(0.0, 0.0), |a, x| a + x, |v| v);
fold!(Prod C32, C32, C32::new(1.0, 0.0), |a, x| product(a, x), |v| v);
fold!(Prod C64, C64, C64::new(1.0, 0.0), |a, x| product(a, x), |v| v);
impl LogSum {
    #[inline(always)]
    fn take(self, x: f64) -> LogSum {
        let LogSum(m, s) = self;
        if x > m {
            LogSum(x, s * (m - x).exp() + 1.0)
        } else {
            // Equal infinities have no difference.
            LogSum(m, s + if x == m { 1.0 } else { (x - m).exp() })
        }
    }
}
macro_rules! log_sum {
    ($($t:ident)*) => { $(impl Fold<$t> for LogSum {
        fn start() -> Self { LogSum(f64::NEG_INFINITY, 0.0) }
        #[inline(always)]
        fn step(self, x: $t) -> Self { self.take(x as f64) }
        #[inline(always)]
        fn value(self) -> $t { (self.0 + self.1.ln()) as $t }
    })* };
}
log_sum!(f32 f64);

/// The walk of a running reduction: lines of `n` elements, `steps` bytes apart in operand and result, and the loops over
/// lines.
struct Lines<'a> {
    n: usize,
    steps: [isize; 2],
    loops: &'a Space,
    ptrs: [Ptr; 2],
}
/// Lines walked together.
const LANES: usize = 32;

impl Kernel for Cumulative {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src], &[dst]) = (args, dsts) else { return Ok(()) };
        if frame.len(plan, src)? == 0 {
            return Ok(());
        }
        let dtype = plan.slots[src as usize].dtype;
        let mut loops = std::mem::take(&mut frame.space);
        let n = around(frame, plan, &[src, dst], self.axis, &mut loops);
        let mut steps = [frame.strides(plan, src)[self.axis], frame.strides(plan, dst)[self.axis]];
        let mut ptrs = [frame.ptr[src as usize], frame.ptr[dst as usize]];
        if self.reverse {
            for (p, s) in ptrs.iter_mut().zip(&mut steps) {
                *p = p.at(*s * (n as isize - 1));
                *s = -*s;
            }
        }
        let lines = Lines { n, steps, loops: &loops, ptrs };
        // SAFETY: operand and result have the shape of the loops and the axis, and storage of their own.
        let done = unsafe { self.dispatch(ctx, dtype, &lines) };
        frame.space = loops;
        if done { Ok(()) } else { Err(super::not_taken(dtype)) }
    }
}
impl Cumulative {
    /// False where the op does not take the dtype.
    unsafe fn dispatch(&self, ctx: &Ctx, dtype: DType, lines: &Lines) -> bool {
        macro_rules! go {
            ($($d:ident $t:ty, $f:ty;)*) => {
                match dtype {
                    // SAFETY: passed on.
                    $(DType::$d => unsafe { walk::<$t, $f>(ctx, lines) },)*
                    _ => return false,
                }
            };
        }
        match self.reduction {
            Reduction::Sum => go!(I32 i32, Sum<i32>; I64 i64, Sum<i64>; U32 u32, Sum<u32>; U64 u64, Sum<u64>;
                F32 f32, Sum<f64>; F64 f64, Sum<f64>; C32 C32, Sum<C64>; C64 C64, Sum<C64>;),
            Reduction::Prod => go!(I32 i32, Prod<i32>; I64 i64, Prod<i64>; U32 u32, Prod<u32>; U64 u64, Prod<u64>;
                F32 f32, Prod<f32>; F64 f64, Prod<f64>; C32 C32, Prod<C32>; C64 C64, Prod<C64>;),
            Reduction::Max => go!(I32 i32, Max<i32>; I64 i64, Max<i64>; U32 u32, Max<u32>; U64 u64, Max<u64>;
                F32 f32, Max<f32>; F64 f64, Max<f64>;),
            Reduction::Min => go!(I32 i32, Min<i32>; I64 i64, Min<i64>; U32 u32, Min<u32>; U64 u64, Min<u64>;
                F32 f32, Min<f32>; F64 f64, Min<f64>;),
            Reduction::LogSumExp => go!(F32 f32, LogSum; F64 f64, LogSum;),
        }
        true
    }
}
/// Fills `loops` with the loops over the lines along `axis`, those of the smallest strides of the last slot innermost;
/// gives the extent of the axis.
pub(crate) fn around(frame: &Frame, plan: &Compiled, slots: &[Slot], axis: usize, loops: &mut Space) -> usize {
    let dims = frame.dims(plan, slots[0]);
    loops.clear(slots.len());
    for (a, &d) in dims.iter().enumerate().filter(|&(a, _)| a != axis) {
        loops.push(d, false, |k| frame.strides(plan, slots[k])[a]);
    }
    loops.sort_by_key(|s, l| s.stride(l, slots.len() - 1).unsigned_abs());
    loops.collapse();
    dims[axis]
}
/// # Safety
/// Lines and loops stay inside operand and result, whose elements are `T`; the result overlaps nothing.
unsafe fn walk<T: Copy, F: Fold<T>>(ctx: &Ctx, w: &Lines) {
    let (total, inner) = (w.loops.len(), w.loops.dims.first().copied().unwrap_or(1));
    let across = [0, 1].map(|k| if w.loops.rank() > 0 { w.loops.stride(0, k) } else { 0 });
    let dense = across == [size_of::<T>() as isize; 2];
    let together = if dense { LANES } else { 1 };
    let groups = inner.div_ceil(together);
    let work = (total * w.n) as u64 * if size_of::<F>() > size_of::<C32>() { 8 } else { 1 };
    ctx.pool.run(total / inner * groups, work, |g| {
        let (outer, first) = (g / groups, g % groups * together);
        let [p, q] = [0, 1].map(|k| w.ptrs[k].at(w.loops.offset(k, outer * inner + first)));
        let at = |i: usize| {
            let i = i as isize;
            (p.at(i * w.steps[0]).0.cast::<T>(), q.at(i * w.steps[1]).0.cast::<T>())
        };
        if !dense {
            let mut acc = F::start();
            for i in 0..w.n {
                let (p, q) = at(i);
                // SAFETY: by contract; element `i` of one line.
                unsafe {
                    acc = acc.step(p.read());
                    q.write(acc.value());
                }
            }
            return;
        }
        let mut acc = [F::start(); LANES];
        let acc = &mut acc[..LANES.min(inner - first)];
        for i in 0..w.n {
            let (p, q) = at(i);
            for (l, a) in acc.iter_mut().enumerate() {
                // SAFETY: by contract; element `i` of neighbouring lines.
                unsafe {
                    *a = a.step(p.add(l).read());
                    q.add(l).write(a.value());
                }
            }
        }
    });
}
