//! Kernels: the formulas as loops over memory, compiled for each instruction set.
#[cfg(target_arch = "aarch64")]
use super::neon;
use super::one;
use super::v::{Bin, Un, V};

#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::isa::Isa;
use crate::kernel::{KernelFn, Src};
use std::mem::MaybeUninit;
use tfc_ir::DType;

/// Elements that a strided operand is gathered into at a time.
const CHUNK: usize = 256;

/// # Safety
/// `n` elements are readable at `a` and writable at `d`; the two are disjoint or the same.
#[inline(always)]
unsafe fn dense1<F: Un, T: V>(n: usize, a: *const T::E, d: *mut T::E) {
    let mut i = 0;
    // SAFETY: every index is below `n`.
    unsafe {
        while i + 2 * T::N <= n {
            let (x0, x1) = (T::load(a.add(i)), T::load(a.add(i + T::N)));
            let (y0, y1) = (F::f(x0), F::f(x1));
            y0.store(d.add(i));
            y1.store(d.add(i + T::N));
            i += 2 * T::N;
        }
        while i < n {
            let k = n - i;
            let y = F::f(if k >= T::N { T::load(a.add(i)) } else { T::load_part(a.add(i), k) });
            if k >= T::N {
                y.store(d.add(i))
            } else {
                y.store_part(d.add(i), k)
            }
            i += T::N;
        }
    }
}
/// # Safety
/// As [`dense1`], with a second operand. One that is a single value (`one`) stands at its address for all.
#[inline(always)]
unsafe fn dense2<F: Bin, T: V>(n: usize, [a, b]: [*const T::E; 2], one: [bool; 2], d: *mut T::E) {
    let mut i = 0;
    // SAFETY: every index is below `n`.
    unsafe {
        let (sa, sb) = (T::splat(a), T::splat(b));
        while i + 2 * T::N <= n {
            let (x0, x1) = if one[0] { (sa, sa) } else { (T::load(a.add(i)), T::load(a.add(i + T::N))) };
            let (y0, y1) = if one[1] { (sb, sb) } else { (T::load(b.add(i)), T::load(b.add(i + T::N))) };
            let (r0, r1) = (F::f(x0, y0), F::f(x1, y1));
            r0.store(d.add(i));
            r1.store(d.add(i + T::N));
            i += 2 * T::N;
        }
        while i < n {
            let k = n - i;
            let full = k >= T::N;
            let x = if one[0] {
                sa
            } else if full {
                T::load(a.add(i))
            } else {
                T::load_part(a.add(i), k)
            };
            let y = if one[1] {
                sb
            } else if full {
                T::load(b.add(i))
            } else {
                T::load_part(b.add(i), k)
            };
            let r = F::f(x, y);
            if k >= T::N {
                r.store(d.add(i))
            } else {
                r.store_part(d.add(i), k)
            }
            i += T::N;
        }
    }
}

/// Elements `i..i + k` of an operand, side by side: in place, or copied to `buf`.
///
/// # Safety
/// They are readable; `k <= CHUNK` unless the stride is 1.
#[inline(always)]
unsafe fn gather<E: Copy>(s: Src, i: usize, k: usize, buf: &mut [MaybeUninit<E>; CHUNK]) -> *const E {
    let p = s.ptr.cast::<E>();
    // SAFETY: by contract.
    unsafe {
        if s.stride == 1 {
            return p.add(i);
        }
        for (j, b) in buf.iter_mut().enumerate().take(k) {
            b.write(p.offset((i + j) as isize * s.stride).read());
        }
    }
    buf.as_ptr().cast()
}
/// Copies the first element over the others.
///
/// # Safety
/// `d` is writable for `n` elements, the first initialised.
#[inline(always)]
unsafe fn spread<E: Copy>(n: usize, d: *mut E) {
    // SAFETY: by contract.
    unsafe {
        if n > 1 {
            let x = d.read();
            (1..n).for_each(|i| d.add(i).write(x));
        }
    }
}

/// # Safety
/// As [`crate::kernel::Kernel::run`].
#[inline(always)]
unsafe fn any1<F: Un, T: V>(n: usize, s: &[Src; 3], dst: *mut u8) {
    let d = dst.cast::<T::E>();
    let mut buf = [const { MaybeUninit::<T::E>::uninit() }; CHUNK];
    let (one, dense) = (s[0].stride == 0, s[0].stride == 1);
    let (m, mut i) = (if one { n.min(1) } else { n }, 0);
    // SAFETY: the caller's promise, a piece at a time.
    unsafe {
        while i < m {
            let k = if dense { m } else { CHUNK.min(m - i) };
            let a = gather(s[0], i, k, &mut buf);
            dense1::<F, T>(k, a, d.add(i));
            i += k;
        }
        if one {
            spread(n, d);
        }
    }
}
/// # Safety
/// As [`crate::kernel::Kernel::run`].
#[inline(always)]
unsafe fn any2<F: Bin, T: V>(n: usize, s: &[Src; 3], dst: *mut u8) {
    let d = dst.cast::<T::E>();
    let mut bufs = [const { [const { MaybeUninit::<T::E>::uninit() }; CHUNK] }; 2];
    let one = [s[0].stride == 0, s[1].stride == 0];
    let (single, dense) = (one[0] && one[1], matches!((s[0].stride, s[1].stride), (0 | 1, 0 | 1)));
    let (m, mut i) = (if single { n.min(1) } else { n }, 0);
    // SAFETY: the caller's promise, a piece at a time.
    unsafe {
        while i < m {
            let k = if dense { m } else { CHUNK.min(m - i) };
            let [p, q] = &mut bufs;
            let a = if one[0] { s[0].ptr.cast() } else { gather(s[0], i, k, p) };
            let b = if one[1] { s[1].ptr.cast() } else { gather(s[1], i, k, q) };
            dense2::<F, T>(k, [a, b], one, d.add(i));
            i += k;
        }
        if single {
            spread(n, d);
        }
    }
}

macro_rules! entries {
    ($($name:ident $bound:ident $body:ident $T:ty $(, $features:literal)?;)*) => { $(
        /// # Safety
        /// As [`crate::kernel::Kernel::run`], on a machine with the instruction set of the name.
        $(#[target_feature(enable = $features)])?
        unsafe fn $name<F: $bound>(n: usize, s: &[Src; 3], dst: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { $body::<F, $T>(n, s, dst) }
        }
    )* };
}
entries! {
    one_un32 Un any1 one::F32x1;
    one_un64 Un any1 one::F64x1;
    one_bin32 Bin any2 one::F32x1;
    one_bin64 Bin any2 one::F64x1;
}
#[cfg(target_arch = "x86_64")]
entries! {
    avx2_un32 Un any1 avx2::F32x8, "avx2,fma";
    avx2_un64 Un any1 avx2::F64x4, "avx2,fma";
    avx2_bin32 Bin any2 avx2::F32x8, "avx2,fma";
    avx2_bin64 Bin any2 avx2::F64x4, "avx2,fma";
    avx512_un32 Un any1 avx512::F32x16, "avx512f,avx512dq,avx512vl,avx2,fma";
    avx512_un64 Un any1 avx512::F64x8, "avx512f,avx512dq,avx512vl,avx2,fma";
    avx512_bin32 Bin any2 avx512::F32x16, "avx512f,avx512dq,avx512vl,avx2,fma";
    avx512_bin64 Bin any2 avx512::F64x8, "avx512f,avx512dq,avx512vl,avx2,fma";
}
#[cfg(target_arch = "aarch64")]
entries! {
    neon_un32 Un any1 neon::F32x4;
    neon_un64 Un any1 neon::F64x2;
    neon_bin32 Bin any2 neon::F32x4;
    neon_bin64 Bin any2 neon::F64x2;
}

/// The kernel of a function of one operand.
pub(crate) fn un<F: Un>(isa: Isa, d: DType) -> Option<KernelFn> {
    Some(match (isa, d) {
        (Isa::Scalar, DType::F32) => one_un32::<F>,
        (Isa::Scalar, DType::F64) => one_un64::<F>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2, DType::F32) => avx2_un32::<F>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2, DType::F64) => avx2_un64::<F>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, DType::F32) => avx512_un32::<F>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, DType::F64) => avx512_un64::<F>,
        #[cfg(target_arch = "aarch64")]
        (Isa::Neon, DType::F32) => neon_un32::<F>,
        #[cfg(target_arch = "aarch64")]
        (Isa::Neon, DType::F64) => neon_un64::<F>,
        _ => return None,
    })
}
/// The kernel of a function of two operands.
pub(crate) fn bin<F: Bin>(isa: Isa, d: DType) -> Option<KernelFn> {
    Some(match (isa, d) {
        (Isa::Scalar, DType::F32) => one_bin32::<F>,
        (Isa::Scalar, DType::F64) => one_bin64::<F>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2, DType::F32) => avx2_bin32::<F>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2, DType::F64) => avx2_bin64::<F>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, DType::F32) => avx512_bin32::<F>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, DType::F64) => avx512_bin64::<F>,
        #[cfg(target_arch = "aarch64")]
        (Isa::Neon, DType::F32) => neon_bin32::<F>,
        #[cfg(target_arch = "aarch64")]
        (Isa::Neon, DType::F64) => neon_bin64::<F>,
        _ => return None,
    })
}

/// Replaces lanes of the second vector at an address by a function of the first, where the mask after both holds; the three
/// stand 64 bytes apart.
#[cfg(target_arch = "x86_64")]
pub type Patch = unsafe fn(area: *mut u8);
#[cfg(target_arch = "x86_64")]
macro_rules! patches {
    ($($name:ident $V:ty, $features:literal;)*) => { $(
        /// # Safety
        /// `area` has two vectors and a mask, 64 bytes apart; the machine has the features.
        #[target_feature(enable = $features)]
        unsafe fn $name<F: Un>(area: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe {
                let (x, v) = (<$V>::load(area.cast()), <$V>::load(area.add(64).cast()));
                let m = area.add(128).cast::<<$V as V>::Mask>().read();
                <$V>::sel(m, F::f(x), v).store(area.add(64).cast());
            }
        }
    )* };
}
#[cfg(target_arch = "x86_64")]
patches! {
    avx2_patch32 avx2::F32x8, "avx2,fma";
    avx2_patch64 avx2::F64x4, "avx2,fma";
    avx512_patch32 avx512::F32x16, "avx512f,avx512dq,avx512vl,avx2,fma";
    avx512_patch64 avx512::F64x8, "avx512f,avx512dq,avx512vl,avx2,fma";
}
/// The [`Patch`] by `F` on whole vectors of an instruction set, of f64 where `dbl` and of f32 where not; `None` where the
/// set has no vectors. To call it is safe on two vectors and a mask of the set, on a machine that has it.
#[cfg(target_arch = "x86_64")]
pub fn patch<F: Un>(isa: Isa, dbl: bool) -> Option<Patch> {
    Some(match (isa, dbl) {
        (Isa::Avx2, false) => avx2_patch32::<F>,
        (Isa::Avx2, true) => avx2_patch64::<F>,
        (Isa::Avx512, false) => avx512_patch32::<F>,
        (Isa::Avx512, true) => avx512_patch64::<F>,
        _ => return None,
    })
}
