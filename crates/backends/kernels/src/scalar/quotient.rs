//! Quotients and remainders by one divisor for all elements: a multiplication and shifts in place of a division.
//!
//! Source: T. Granlund, P. L. Montgomery, Division by invariant integers using multiplication, PLDI 1994: figure 4.1 for unsigned
//! numbers of `N` bits; signed ones by their magnitudes. With `l = ⌈log₂ d⌉` and `m = ⌊2ᴺ (2ˡ − d) / d⌋ + 1`, the quotient of `x` is
//! `(t + ((x − t) >> min(l, 1))) >> max(l − 1, 0)` for `t = ⌊m x / 2ᴺ⌋`.
use super::loops::{Bin, plain2};
use crate::isa::Isa;
use crate::kernel::{Kernel, Src};
use tfc_ir::Element;

/// From so many elements on the multiplier is worth its division.
const LEAST: usize = 8;

/// A divisor as what multiplies and shifts.
#[derive(Clone, Copy)]
struct By<U> {
    m: U,
    first: u32,
    second: u32,
}
/// An integer with its magnitudes.
trait Whole: Element + Copy {
    type U: Copy;
    /// The divisor 0 has no quotients.
    fn by(self) -> Option<By<Self::U>>;
    /// The quotient, rounded towards 0, of `self` by `d`, which `by` stands for; or what is left.
    fn over<const REM: bool>(self, d: Self, by: By<Self::U>) -> Self;
    /// The lower 32 bits, and the others.
    fn halves(self) -> [u32; 2];
    /// A number of 32 bits, which has no sign.
    fn low(x: u32) -> Self;
}
macro_rules! whole {
    ($($T:ty, $U:ty, $wide:ty;)*) => { $(
        impl Whole for $T {
            type U = $U;
            fn by(self) -> Option<By<$U>> {
                #[allow(unused_comparisons, reason = "one text for signed and unsigned numbers")]
                let d = if self < 0 { self.wrapping_neg() as $U } else { self as $U };
                let l = <$U>::BITS - d.checked_sub(1)?.leading_zeros();
                let m = ((((1 as $wide) << l) - d as $wide) << <$U>::BITS) / d as $wide + 1;
                Some(By { m: m as $U, first: l.min(1), second: l.saturating_sub(1) })
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "one text for signed and unsigned numbers")]
            fn over<const REM: bool>(self, d: $T, by: By<$U>) -> $T {
                let x = if self < 0 { self.wrapping_neg() as $U } else { self as $U };
                let t = ((by.m as $wide * x as $wide) >> <$U>::BITS) as $U;
                let q = (t + ((x - t) >> by.first)) >> by.second;
                let q = if (self < 0) != (d < 0) { (q as $T).wrapping_neg() } else { q as $T };
                if REM { self.wrapping_sub(q.wrapping_mul(d)) } else { q }
            }
            #[inline(always)]
            #[allow(clippy::unnecessary_cast, reason = "one text for 32 and 64 bits")]
            fn halves(self) -> [u32; 2] {
                [self as u32, (self as u64 >> 32) as u32]
            }
            #[inline(always)]
            #[allow(clippy::unnecessary_cast, reason = "one text for 32 and 64 bits")]
            fn low(x: u32) -> $T {
                x as $T
            }
        }
    )* };
}
whole! {
    i32, u32, u64;
    u32, u32, u64;
    i64, u64, u128;
    u64, u64, u128;
}

/// # Safety
/// As [`Kernel::run`] for `n` elements from `x` on, `stride` apart.
#[inline(always)]
unsafe fn each<T: Whole, const REM: bool>(n: usize, (x, stride): (*const T, isize), d: T, by: By<T::U>, to: *mut T) {
    for i in 0..n as isize {
        // SAFETY: the caller's promise.
        unsafe { to.offset(i).write(x.offset(i * stride).read().over::<REM>(d, by)) };
    }
}
/// # Safety
/// As [`each`], on a machine with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn dense_avx2<T: Whole, const REM: bool>(n: usize, x: *const T, d: T, by: By<T::U>, to: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { each::<T, REM>(n, (x, 1), d, by, to) }
}
/// Elements that are looked at together: where the upper half of none is used, lanes multiply halves, as they cannot whole ones.
#[cfg(target_arch = "x86_64")]
const BLOCK: usize = 64;
/// As [`dense_avx2`], for numbers of 64 bits and a divisor that fits into 32.
///
/// # Safety
/// As there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn halves_avx2<T: Whole, const REM: bool>(n: usize, x: *const T, (d, by): (T, By<T::U>), to: *mut T) {
    let small = d.halves()[0];
    let half = small.by();
    for at in (0..n).step_by(BLOCK) {
        let m = BLOCK.min(n - at);
        // SAFETY: the caller's promise.
        unsafe {
            let (x, to) = (x.add(at), to.add(at));
            let upper = (0..m).fold(0, |all, i| all | x.add(i).read().halves()[1]);
            match half.filter(|_| upper == 0) {
                Some(half) => {
                    for i in 0..m {
                        to.add(i).write(T::low(x.add(i).read().halves()[0].over::<REM>(small, half)));
                    }
                }
                None => each::<T, REM>(m, (x, 1), d, by, to),
            }
        }
    }
}
/// # Safety
/// As [`Kernel::run`].
unsafe fn run<K: Bin<R = <K as Bin>::A>, const REM: bool>(n: usize, s: &[Src; 3], dst: *mut u8)
where
    K::A: Whole,
{
    // SAFETY: the caller's promise.
    unsafe {
        if s[1].stride == 0 && n >= LEAST {
            let d = s[1].ptr.cast::<K::A>().read();
            if let Some(by) = d.by() {
                let (x, to) = (s[0].ptr.cast::<K::A>(), dst.cast::<K::A>());
                return match (s[0].stride, Isa::chosen()) {
                    #[cfg(target_arch = "x86_64")]
                    (1, Some(Isa::Avx2 | Isa::Avx512)) if size_of::<K::A>() == 8 && d.halves()[1] == 0 => {
                        halves_avx2::<K::A, REM>(n, x, (d, by), to);
                    }
                    #[cfg(target_arch = "x86_64")]
                    (1, Some(Isa::Avx2 | Isa::Avx512)) => dense_avx2::<K::A, REM>(n, x, d, by, to),
                    (stride, _) => each::<K::A, REM>(n, (x, stride), d, by, to),
                };
            }
        }
        plain2::<K>(n, s, dst);
    }
}
/// The kernel of `K`, which is a quotient or, if `REM`, a remainder.
#[allow(private_bounds, reason = "the integers of this file")]
pub(super) fn of<K: Bin<R = <K as Bin>::A>, const REM: bool>() -> Kernel
where
    K::A: Whole,
{
    Kernel { f: run::<K, REM>, ..Kernel::of2::<K>() }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::scalar::num::Int;

    fn holds<T: Whole + Int + PartialEq + std::fmt::Debug>(all: &[T]) {
        for &d in all {
            let Some(by) = d.by() else { continue };
            for &x in all {
                assert_eq!(x.over::<false>(d, by), x.idiv(d), "{x:?} / {d:?}");
                assert_eq!(x.over::<true>(d, by), x.irem(d), "{x:?} % {d:?}");
            }
        }
    }
    /// Lines of numbers of which some have a used upper half.
    #[cfg(target_arch = "x86_64")]
    fn lines<T: Whole + Int + PartialEq + std::fmt::Debug>(all: &[T]) {
        if !std::arch::is_x86_feature_detected!("avx2") {
            return;
        }
        let small: Vec<T> = all.iter().copied().filter(|x| x.halves()[1] == 0).collect();
        assert!(small.len() > 100);
        for &d in &small {
            let Some(by) = d.by() else { continue };
            for line in [&small[..], all] {
                let (mut q, mut r) = (line.to_vec(), line.to_vec());
                // SAFETY: the lines are their own results; the machine has AVX2.
                unsafe {
                    halves_avx2::<T, false>(q.len(), q.as_ptr(), (d, by), q.as_mut_ptr());
                    halves_avx2::<T, true>(r.len(), r.as_ptr(), (d, by), r.as_mut_ptr());
                }
                for ((&x, q), r) in line.iter().zip(q).zip(r) {
                    assert_eq!((q, r), (x.idiv(d), x.irem(d)), "{x:?} by {d:?}");
                }
            }
        }
    }
    fn quotients_by_multiplication() {
        let mut state = 7u64;
        let mut bits = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let width = state >> 58;
            (state ^ (state << 17)) >> width
        };
        let mut all: Vec<u64> = (0..400).map(|_| bits()).collect();
        for k in 0..64 {
            let p = 1u64 << k;
            all.extend([p, p - 1, p + 1, p.wrapping_neg(), !p]);
        }
        holds(&all);
        #[cfg(target_arch = "x86_64")]
        {
            lines(&all);
            lines(&all.iter().map(|&x| x as i64).collect::<Vec<_>>());
        }
        holds(&all.iter().map(|&x| x as i64).collect::<Vec<_>>());
        holds(&all.iter().map(|&x| x as u32).collect::<Vec<_>>());
        holds(&all.iter().map(|&x| x as i32).collect::<Vec<_>>());
    }
    /// All of them.
    pub const ALL: &[fn()] = &[quotients_by_multiplication];
}
