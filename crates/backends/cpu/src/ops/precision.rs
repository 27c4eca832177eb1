//! `reduce_precision`: a copy whose elements are then rounded where they lie.
use std::sync::Arc;

use tfc_ir::{DType, Result, ops};

use super::{Rows, misfit};
use crate::kernel::{Kernel, KernelCx};

use crate::machine::mem::Ptr;

/// Kernels of the row.
pub(crate) const CORE: Rows = &[(&ops::elementwise::REDUCE_PRECISION, |s| {
    let a = s.attrs();
    Ok(Arc::new(Precision { exponent: a.int("exponent"), mantissa: a.int("mantissa") }))
})];

/// Rounding to fewer bits of exponent and mantissa.
#[derive(Debug)]
struct Precision {
    exponent: i64,
    mantissa: i64,
}
impl Kernel for Precision {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[src], &[dst]) = (args, dsts) else { return Err(misfit(&cx.site())) };
        frame.copy_slot(plan, ctx, src, dst);
        let d = plan.slots[dst as usize].dtype;
        let mut space = std::mem::take(&mut frame.space);
        let (dims, at) = (frame.dims(plan, dst), frame.at(plan, dst));
        space.clear(1);
        for (&n, &s) in dims.iter().zip(at.strides) {
            space.push(n, false, |_| s);
        }
        space.sort_by_key(|s, l| s.stride(l, 0).unsigned_abs());
        space.collapse();
        let (n, step) = if space.rank() == 0 { (1, 0) } else { (space.dims[0], space.stride(0, 0)) };
        let runs = space.len().checked_div(n).unwrap_or(0);
        for r in 0..runs {
            // SAFETY: a run of elements of the placed slot.
            unsafe { reduce_precision(d, at.ptr.at(space.offset(0, r * n)), step, n, self.exponent, self.mantissa) };
        }
        frame.space = space;
        Ok(())
    }
}

/// Rounds to `e` bits of exponent and `m` bits of mantissa, half to even; overflow to infinity, what is below the least
/// normal number to zero.
fn round(v: f64, e: i64, m: i64, own: i64) -> f64 {
    if !v.is_finite() || v == 0.0 {
        return v;
    }
    let (e, m) = (e.clamp(1, 11), m.clamp(0, own));
    let bias = (1i64 << (e - 1)) - 1;
    let drop = (52 - m) as u64;
    let bits = v.to_bits();
    let half = if drop == 0 { 0 } else { (1u64 << (drop - 1)) - 1 + ((bits >> drop) & 1) };
    let rounded = f64::from_bits((bits + half) >> drop << drop);
    let least = 2f64.powi((1 - bias) as i32);
    let most = 2f64.powi(bias.min(1023) as i32) * (2.0 - 2f64.powi(-(m as i32)));
    if rounded.abs() > most {
        f64::INFINITY.copysign(v)
    } else if rounded.abs() < least {
        0f64.copysign(v)
    } else {
        rounded
    }
}
/// Rounds `n` elements where they are, `step` bytes apart.
///
/// # Safety
/// `p` has `n` such elements of `dtype`, which is `f32` or `f64`.
unsafe fn reduce_precision(dtype: DType, p: Ptr, step: isize, n: usize, e: i64, m: i64) {
    for i in 0..n as isize {
        let p = p.at(i * step);
        // SAFETY: by contract.
        unsafe {
            match dtype {
                DType::F32 => {
                    let x = p.0.cast::<f32>();
                    x.write(round(f64::from(x.read()), e, m, 23) as f32);
                }
                _ => {
                    let x = p.0.cast::<f64>();
                    x.write(round(x.read(), e, m, 52));
                }
            }
        }
    }
}
