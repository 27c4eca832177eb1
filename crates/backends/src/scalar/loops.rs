//! The loops around scalar functions. An element function is a zero-sized type, so every loop is monomorphic.
//!
//! Cheap functions get blocked loops for the usual strides: a block is read whole before any of it is written, which
//! makes in-place use correct and lets LLVM vectorise without alias checks. A second copy is compiled for AVX2. Library
//! functions get one plain loop.
use super::{Kernel, KernelFn, Src};
use tfc_ir::{DType, Element};

/// Elements read before the first is written.
const BLOCK: usize = 16;

/// A function of one element.
pub(super) trait Un {
    type A: Element;
    type R: Element;
    const CHEAP: bool;
    fn f(a: Self::A) -> Self::R;
}
/// A function of two elements of one type.
pub(super) trait Bin {
    type A: Element;
    type R: Element;
    const CHEAP: bool;
    fn f(a: Self::A, b: Self::A) -> Self::R;
}
/// A function of three elements, the first of another type.
pub(super) trait Ter {
    type P: Element;
    type A: Element;
    fn f(p: Self::P, a: Self::A, b: Self::A) -> Self::A;
}

/// Block `i` of an operand: its own elements (`V`), or the one value.
///
/// # Safety
/// `p` has elements up to `i + BLOCK` (`V`), or one.
#[inline(always)]
unsafe fn load<T: Copy, const V: bool>(p: *const T, i: usize) -> [T; BLOCK] {
    // SAFETY: by contract.
    unsafe { if V { p.add(i).cast::<[T; BLOCK]>().read() } else { [p.read(); BLOCK] } }
}

/// # Safety
/// As [`Kernel::run`] with stride 1.
#[inline(always)]
unsafe fn blocks1<K: Un>(n: usize, a: *const K::A, d: *mut K::R) {
    let mut i = 0;
    // SAFETY: every index is below `n`.
    unsafe {
        while i + BLOCK <= n {
            let x = load::<K::A, true>(a, i);
            let mut r = [K::R::default(); BLOCK];
            let mut k = 0;
            while k < BLOCK {
                r[k] = K::f(x[k]);
                k += 1;
            }
            d.add(i).cast::<[K::R; BLOCK]>().write(r);
            i += BLOCK;
        }
        while i < n {
            d.add(i).write(K::f(a.add(i).read()));
            i += 1;
        }
    }
}

/// # Safety
/// As [`Kernel::run`]; `VA`, `VB` say which operands have stride 1, the others have stride 0.
#[inline(always)]
unsafe fn blocks2<K: Bin, const VA: bool, const VB: bool>(n: usize, a: *const K::A, b: *const K::A, d: *mut K::R) {
    let mut i = 0;
    // SAFETY: every index is below `n`.
    unsafe {
        while i + BLOCK <= n {
            let x = load::<K::A, VA>(a, i);
            let y = load::<K::A, VB>(b, i);
            let mut r = [K::R::default(); BLOCK];
            let mut k = 0;
            while k < BLOCK {
                r[k] = K::f(x[k], y[k]);
                k += 1;
            }
            d.add(i).cast::<[K::R; BLOCK]>().write(r);
            i += BLOCK;
        }
        while i < n {
            let x = a.add(if VA { i } else { 0 }).read();
            let y = b.add(if VB { i } else { 0 }).read();
            d.add(i).write(K::f(x, y));
            i += 1;
        }
    }
}

/// # Safety
/// As [`Kernel::run`]; `VP`, `VA`, `VB` say which operands have stride 1, the others have stride 0.
#[inline(always)]
unsafe fn blocks3<K: Ter, const VP: bool, const VA: bool, const VB: bool>(
    n: usize,
    p: *const K::P,
    a: *const K::A,
    b: *const K::A,
    d: *mut K::A,
) {
    let mut i = 0;
    // SAFETY: every index is below `n`.
    unsafe {
        while i + BLOCK <= n {
            let c = load::<K::P, VP>(p, i);
            let x = load::<K::A, VA>(a, i);
            let y = load::<K::A, VB>(b, i);
            let mut r = [K::A::default(); BLOCK];
            let mut k = 0;
            while k < BLOCK {
                r[k] = K::f(c[k], x[k], y[k]);
                k += 1;
            }
            d.add(i).cast::<[K::A; BLOCK]>().write(r);
            i += BLOCK;
        }
        while i < n {
            let c = p.add(if VP { i } else { 0 }).read();
            let x = a.add(if VA { i } else { 0 }).read();
            let y = b.add(if VB { i } else { 0 }).read();
            d.add(i).write(K::f(c, x, y));
            i += 1;
        }
    }
}

/// # Safety
/// As [`Kernel::run`].
#[inline(always)]
unsafe fn body1<K: Un>(n: usize, s: &[Src; 3], dst: *mut u8) {
    let (a, d) = (s[0].ptr.cast::<K::A>(), dst.cast::<K::R>());
    // SAFETY: the caller's promise.
    unsafe {
        match s[0].stride {
            1 if K::CHEAP => blocks1::<K>(n, a, d),
            0 if n > 0 => {
                let r = K::f(a.read());
                (0..n).for_each(|i| d.add(i).write(r));
            }
            st => (0..n).for_each(|i| d.add(i).write(K::f(a.offset(i as isize * st).read()))),
        }
    }
}

/// # Safety
/// As [`Kernel::run`].
#[inline(always)]
unsafe fn body2<K: Bin>(n: usize, s: &[Src; 3], dst: *mut u8) {
    let (a, b, d) = (s[0].ptr.cast::<K::A>(), s[1].ptr.cast::<K::A>(), dst.cast::<K::R>());
    // SAFETY: the caller's promise.
    unsafe {
        match (s[0].stride, s[1].stride) {
            (1, 1) if K::CHEAP => blocks2::<K, true, true>(n, a, b, d),
            (1, 0) if K::CHEAP => blocks2::<K, true, false>(n, a, b, d),
            (0, 1) if K::CHEAP => blocks2::<K, false, true>(n, a, b, d),
            (sa, sb) => {
                for i in 0..n as isize {
                    d.offset(i).write(K::f(a.offset(i * sa).read(), b.offset(i * sb).read()));
                }
            }
        }
    }
}

/// # Safety
/// As [`Kernel::run`].
#[inline(always)]
unsafe fn body3<K: Ter>(n: usize, s: &[Src; 3], dst: *mut u8) {
    let (p, a, b) = (s[0].ptr.cast::<K::P>(), s[1].ptr.cast::<K::A>(), s[2].ptr.cast::<K::A>());
    let d = dst.cast::<K::A>();
    // SAFETY: the caller's promise.
    unsafe {
        match (s[0].stride, s[1].stride, s[2].stride) {
            (1, 1, 1) => blocks3::<K, true, true, true>(n, p, a, b, d),
            (1, 1, 0) => blocks3::<K, true, true, false>(n, p, a, b, d),
            (1, 0, 1) => blocks3::<K, true, false, true>(n, p, a, b, d),
            (1, 0, 0) => blocks3::<K, true, false, false>(n, p, a, b, d),
            (0, 1, 1) => blocks3::<K, false, true, true>(n, p, a, b, d),
            (0, 1, 0) => blocks3::<K, false, true, false>(n, p, a, b, d),
            (sp, sa, sb) => {
                for i in 0..n as isize {
                    d.offset(i).write(K::f(p.offset(i * sp).read(), a.offset(i * sa).read(), b.offset(i * sb).read()));
                }
            }
        }
    }
}

macro_rules! entry {
    ($($bound:ident $body:ident $base:ident $avx2:ident;)*) => { $(
        /// # Safety
        /// As [`Kernel::run`].
        unsafe fn $base<K: $bound>(n: usize, s: &[Src; 3], dst: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { $body::<K>(n, s, dst) }
        }
        /// # Safety
        /// As [`Kernel::run`], on a machine with AVX2.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn $avx2<K: $bound>(n: usize, s: &[Src; 3], dst: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { $body::<K>(n, s, dst) }
        }
    )* };
}
entry! {
    Un body1 base1 avx2_1;
    Bin body2 base2 avx2_2;
    Ter body3 base3 avx2_3;
}

macro_rules! pick {
    ($cheap:expr, $base:expr, $avx2:ident) => {{
        #[cfg(target_arch = "x86_64")]
        let f: KernelFn =
            if $cheap && std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                $avx2::<K>
            } else {
                $base
            };
        #[cfg(not(target_arch = "x86_64"))]
        let f: KernelFn = $base;
        f
    }};
}

impl Kernel {
    pub(super) fn of1<K: Un>() -> Kernel {
        let f = pick!(K::CHEAP, base1::<K>, avx2_1);
        Kernel { f, arity: 1, from: [K::A::DTYPE, DType::Bool, DType::Bool], to: K::R::DTYPE, cheap: K::CHEAP }
    }
    pub(super) fn of2<K: Bin>() -> Kernel {
        let f = pick!(K::CHEAP, base2::<K>, avx2_2);
        Kernel { f, arity: 2, from: [K::A::DTYPE, K::A::DTYPE, DType::Bool], to: K::R::DTYPE, cheap: K::CHEAP }
    }
    pub(super) fn of3<K: Ter>() -> Kernel {
        let f = pick!(true, base3::<K>, avx2_3);
        Kernel { f, arity: 3, from: [K::P::DTYPE, K::A::DTYPE, K::A::DTYPE], to: K::A::DTYPE, cheap: true }
    }
}
