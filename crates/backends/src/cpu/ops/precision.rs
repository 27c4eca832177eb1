//! `reduce_precision`.
use tfc_ir::DType;

use crate::cpu::machine::mem::Ptr;

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
/// Rounds `n` dense elements where they are.
///
/// # Safety
/// `p` has `n` elements of `dtype`, which is `f32` or `f64`.
pub(crate) unsafe fn reduce_precision(dtype: DType, p: Ptr, n: usize, e: i64, m: i64) {
    for i in 0..n {
        // SAFETY: by contract.
        unsafe {
            match dtype {
                DType::F32 => {
                    let x = p.0.cast::<f32>().add(i);
                    x.write(round(f64::from(x.read()), e, m, 23) as f32);
                }
                _ => {
                    let x = p.0.cast::<f64>().add(i);
                    x.write(round(x.read(), e, m, 52));
                }
            }
        }
    }
}
