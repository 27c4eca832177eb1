//! What a division of real numbers leaves, several elements at a time.
//!
//! Where the quotient rounds to less than `2ᵖ` (`p` bits of a number), its whole part `q` is at most one too many. Then `x − q y` is a
//! multiple of the last place of `y` and less than `y` in magnitude, so that one fused multiply-add gives it exactly, and adding `y` to what is
//! left of one too many is exact as well. Other elements, of which a program has few, are divided bit by bit.
use super::loops::{Bin, plain2};
use crate::isa::Isa;
use crate::kernel::{Kernel, Src};

/// Elements that are looked at together.
const BLOCK: usize = 16;

/// A real number with what a block of remainders takes.
pub(super) trait Real: Copy {
    /// The remainders of a block; false where an element wants another way, whose place then holds anything.
    fn block(x: &[Self; BLOCK], y: &[Self; BLOCK], to: &mut [Self; BLOCK]) -> bool;
    /// The remainder of one.
    fn one(x: Self, y: Self) -> Self;
}
macro_rules! real {
    ($($T:ty, $bits:literal;)*) => { $(
        impl Real for $T {
            #[inline(always)]
            fn block(x: &[$T; BLOCK], y: &[$T; BLOCK], to: &mut [$T; BLOCK]) -> bool {
                const MOST: $T = (1u64 << $bits) as $T;
                let mut all = true;
                for i in 0..BLOCK {
                    let (x, y) = (x[i], y[i].abs());
                    let q = x.abs() / y;
                    let rest = (-q.trunc()).mul_add(y, x.abs());
                    let rest = if rest < 0.0 { rest + y } else { rest };
                    // What stands still where the divisor is infinite is not a number here.
                    all &= q < MOST && y < <$T>::INFINITY;
                    to[i] = rest.copysign(x);
                }
                all
            }
            #[inline(always)]
            fn one(x: $T, y: $T) -> $T {
                x % y
            }
        }
    )* };
}
real! {
    f32, 24;
    f64, 53;
}

/// # Safety
/// As [`Kernel::run`], for operands of which the first is dense and the second is dense or one element.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn blocks<T: Real>(n: usize, s: &[Src; 3], to: *mut T) {
    let (x, y) = (s[0].ptr.cast::<T>(), s[1].ptr.cast::<T>());
    let one = s[1].stride == 0;
    let mut at = 0;
    // SAFETY: the caller's promise: whole blocks lie inside, and the last elements are read one by one.
    unsafe {
        while at + BLOCK <= n {
            let a = x.add(at).cast::<[T; BLOCK]>().read_unaligned();
            let b = if one { [y.read(); BLOCK] } else { y.add(at).cast::<[T; BLOCK]>().read_unaligned() };
            let mut rest = a;
            if !T::block(&a, &b, &mut rest) {
                rest = std::array::from_fn(|i| T::one(a[i], b[i]));
            }
            to.add(at).cast::<[T; BLOCK]>().write_unaligned(rest);
            at += BLOCK;
        }
        for i in at..n {
            to.add(i).write(T::one(x.add(i).read(), if one { y } else { y.add(i) }.read()));
        }
    }
}
/// # Safety
/// As [`blocks`], on a machine with AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn blocks_avx2<T: Real>(n: usize, s: &[Src; 3], to: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { blocks(n, s, to) }
}
/// # Safety
/// As [`Kernel::run`].
unsafe fn run<K: Bin<R = <K as Bin>::A>>(n: usize, s: &[Src; 3], dst: *mut u8)
where
    K::A: Real,
{
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if s[0].stride == 1 && matches!(s[1].stride, 0 | 1) && matches!(Isa::chosen(), Some(Isa::Avx2 | Isa::Avx512)) {
            return blocks_avx2::<K::A>(n, s, dst.cast());
        }
        plain2::<K>(n, s, dst);
    }
}
/// The kernel of `K`, which is a remainder.
#[allow(private_bounds, reason = "the numbers of this file")]
pub(super) fn of<K: Bin<R = <K as Bin>::A>>() -> Kernel
where
    K::A: Real,
{
    Kernel { f: run::<K>, ..Kernel::of2::<K>() }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    #[cfg(target_arch = "x86_64")]
    use super::*;

    /// Numbers of all sizes, near multiples of others too, beside the remainder that is found bit by bit.
    #[cfg(target_arch = "x86_64")]
    fn remainders_are_exact() {
        if !std::arch::is_x86_feature_detected!("avx2") || !std::arch::is_x86_feature_detected!("fma") {
            return;
        }
        let mut state = 11u64;
        let mut bits = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 29)
        };
        macro_rules! holds {
            ($T:ty, $pick:expr) => {{
                let special = [
                    0.0,
                    -0.0,
                    1.0,
                    -3.0,
                    <$T>::INFINITY,
                    -<$T>::INFINITY,
                    <$T>::NAN,
                    <$T>::MAX,
                    <$T>::MIN_POSITIVE,
                    1e-40,
                    0.1,
                    5.7,
                ];
                let mut xs: Vec<$T> = vec![];
                let mut ys: Vec<$T> = vec![];
                for &x in &special {
                    for &y in &special {
                        xs.push(x);
                        ys.push(y);
                    }
                }
                for k in 0..60_000u32 {
                    let (a, b): ($T, $T) = ($pick(bits()), $pick(bits()));
                    let near = b * (k % 1000) as $T;
                    let x = match k % 4 {
                        0 => a,
                        1 => near,
                        2 => <$T>::from_bits(near.to_bits().wrapping_add(1)),
                        _ => <$T>::from_bits(near.to_bits().wrapping_sub(1)),
                    };
                    xs.push(x);
                    ys.push(b);
                }
                let mut to = vec![0.0; xs.len()];
                let src = |v: &[$T], stride| Src { ptr: v.as_ptr().cast(), stride };
                for splat in [false, true] {
                    let s = [src(&xs, 1), src(&ys, isize::from(!splat)), src(&ys, 0)];
                    // SAFETY: there are as many elements of each; the machine has AVX2 and FMA.
                    unsafe { blocks_avx2::<$T>(xs.len(), &s, to.as_mut_ptr()) };
                    for i in 0..xs.len() {
                        let y = if splat { ys[0] } else { ys[i] };
                        let want = xs[i] % y;
                        let same = to[i].to_bits() == want.to_bits() || to[i].is_nan() && want.is_nan();
                        assert!(same, "{:?} % {y:?}: {:?}, not {want:?}", xs[i], to[i]);
                    }
                    ys[0] = 0.7;
                }
            }};
        }
        holds!(f64, |b: u64| f64::from_bits((b >> 12) | ((1000 + b % 80) << 52)));
        holds!(f32, |b: u64| f32::from_bits(((b >> 41) as u32) | ((100 + (b % 50) as u32) << 23)));
    }
    /// All of them.
    #[cfg(target_arch = "x86_64")]
    pub const ALL: &[fn()] = &[remainders_are_exact];
    /// Blocks are those of x86-64.
    #[cfg(not(target_arch = "x86_64"))]
    pub const ALL: &[fn()] = &[];
}
