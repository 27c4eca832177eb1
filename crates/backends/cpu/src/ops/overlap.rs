//! `overlap_add`: windows summed where they overlap. One element of all windows after the other is added to the result, so
//! that every sum has one order; threads share the result.
use std::sync::Arc;

use tfc_ir::{C32, C64, DType, Result, ops};

use super::{Rows, misfit};
use crate::kernel::{Kernel, KernelCx};
use crate::machine::mem::Ptr;
use tfc_plan::space::Space;

pub(super) const CORE: Rows = &[(&ops::shape::OVERLAP_ADD, |_| Ok(Arc::new(OverlapAdd)))];

/// Estimated picoseconds an element takes.
const COST_PS: u64 = 500;
/// Most parts of the result that threads share.
const PARTS: usize = 16;

#[derive(Debug)]
struct OverlapAdd;
impl Kernel for OverlapAdd {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let axes = cx.site().attrs().indices("axes");
        let list = |name: &str| {
            let v = cx.extents(name)?;
            Ok(if v.is_empty() { vec![1; axes.len()] } else { v })
        };
        let (stride, dilation): (Vec<i64>, Vec<i64>) = (list("stride")?, list("dilation")?);
        let add = cx.site().result(0).and_then(|t| adder(t.dtype)).ok_or_else(|| misfit(&cx.site()))?;
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        let zero = [0u8; 16];
        frame.fill(plan, ctx, dst, Ptr(zero.as_ptr().cast_mut()));
        let (n, from, to) = (frame.dims(plan, src), frame.strides(plan, src), frame.strides(plan, dst));
        let rank = to.len();
        let all: usize = n.iter().product();
        if all == 0 {
            return Ok(());
        }
        // Where windows start, and the elements of one window, the last of its axes fastest: all but one axis is the rank's.
        let mut starts = Space::default();
        starts.clear(2);
        // An axis along which nothing overlaps is cut for threads: that with the longest steps.
        let cut = (0..rank).filter(|a| !axes.contains(a)).max_by_key(|&a| (n[a] > 1, to[a].unsigned_abs()));
        for a in 0..rank {
            let step = axes.iter().position(|&x| x == a).map_or(1, |i| stride[i] as isize);
            if Some(a) != cut {
                starts.push(n[a], false, |k| [from[a], to[a] * step][k]);
            }
        }
        starts.sort_by_key(|s, l| s.stride(l, 1).unsigned_abs());
        starts.collapse();
        let mut elements: Vec<[isize; 2]> = vec![[0, 0]];
        for (i, &a) in axes.iter().enumerate() {
            let (by, step) = (from[rank + i], to[a] * dilation[i] as isize);
            elements = elements
                .iter()
                .flat_map(|e| (0..n[rank + i] as isize).map(move |k| [e[0] + k * by, e[1] + k * step]))
                .collect();
        }
        let (lines, by) = cut.map_or((1, [0, 0]), |a| (n[a], [from[a], to[a]]));
        let (src, dst) = (frame.ptr[src as usize], frame.ptr[dst as usize]);
        let parts = lines.min(PARTS);
        let work = (all as u64).saturating_mul(COST_PS) / 1000;
        ctx.pool.run(parts, work, |p| {
            for l in lines * p / parts..lines * (p + 1) / parts {
                let (x, y) = (src.at(l as isize * by[0]), dst.at(l as isize * by[1]));
                for e in &elements {
                    let inner = |o: usize| [x.at(e[0] + starts.offset(0, o)), y.at(e[1] + starts.offset(1, o))];
                    let (m, steps) = match starts.rank() {
                        0 => (1, [0, 0]),
                        _ => (starts.dims[0], [starts.stride(0, 0), starts.stride(0, 1)]),
                    };
                    for o in (0..starts.len()).step_by(m) {
                        let [x, y] = inner(o);
                        // SAFETY: windows lie inside the result; lines of the cut axis are disjoint, and each is one thread's.
                        unsafe { add(x, y, m, steps) };
                    }
                }
            }
        });
        Ok(())
    }
}

/// Adds elements with these byte strides to others.
type Add = unsafe fn(Ptr, Ptr, usize, [isize; 2]);
fn adder(d: DType) -> Option<Add> {
    macro_rules! by {
        ($t:ty, $add:expr) => {
            Some(|x, y, n, steps| {
                // SAFETY: passed on.
                unsafe { run::<$t>(x, y, n, steps, $add) }
            })
        };
    }
    match d {
        DType::I32 => by!(i32, i32::wrapping_add),
        DType::I64 => by!(i64, i64::wrapping_add),
        DType::U32 => by!(u32, u32::wrapping_add),
        DType::U64 => by!(u64, u64::wrapping_add),
        DType::F32 => by!(f32, |a, b| a + b),
        DType::F64 => by!(f64, |a, b| a + b),
        DType::C32 => by!(C32, |a, b| a + b),
        DType::C64 => by!(C64, |a, b| a + b),
        _ => None,
    }
}
/// # Safety
/// Both are addresses of `n` elements of type `T` with these strides; those of `y` are this thread's.
unsafe fn run<T: Copy>(x: Ptr, y: Ptr, n: usize, [sx, sy]: [isize; 2], add: impl Fn(T, T) -> T) {
    let size = size_of::<T>() as isize;
    // SAFETY: by contract.
    unsafe {
        if sx == size && sy == size {
            for i in 0..n {
                let p = y.0.cast::<T>().add(i);
                p.write(add(p.read(), x.0.cast::<T>().add(i).read()));
            }
        } else {
            for i in 0..n as isize {
                let p = y.at(i * sy).0.cast::<T>();
                p.write(add(p.read(), x.at(i * sx).0.cast::<T>().read()));
            }
        }
    }
}
