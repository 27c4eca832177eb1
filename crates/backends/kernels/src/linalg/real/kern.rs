//! Kernels of the dense factorisations: products of small matrices, reflections and plane rotations on columns side by
//! side in memory, compiled for each instruction set: one element at a time, AVX2, AVX-512, NEON. All give the same bits
//! (`loops` says how), so factorisations do; a machine without fused multiply-adds emulates them.
//!
//! Nothing is packed: the caller keeps whole matrices column-major with columns padded by zeros to whole vectors, so no
//! kernel has a masked end. Every sum runs in one fixed order; threads have no part in it.
use super::loops::{house, product, reflect, rotate, squares};
use crate::isa::Isa;
#[cfg(target_arch = "aarch64")]
use crate::vmath::neon;
use crate::vmath::one;
#[cfg(target_arch = "x86_64")]
use crate::vmath::{avx2, avx512};
use faer::traits::RealField;
use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The longest vector in elements: columns start and blocks of rows begin at multiples of it.
pub(crate) const PAD: usize = 16;

/// A real scalar that the kernels exist for: `f32`, `f64`.
pub(crate) trait Real:
    Copy
    + Debug
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + RealField
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Half the distance from 1 to the next number.
    const ROUND: Self;
    /// The smallest normal number.
    const TINY: Self;
    /// The largest number.
    const MAX: Self;
    /// √.
    fn root(self) -> Self;
    /// | |.
    fn mag(self) -> Self;
    /// `|self|` with the sign of `s`.
    fn with_sign(self, s: Self) -> Self;
    /// Rounded.
    fn of(x: f64) -> Self;
    /// The number as `f64`.
    fn wide(self) -> f64;
    /// The bits of the number.
    fn raw(self) -> u64;
    /// The kernels for an instruction set.
    fn kernels_of(isa: Isa) -> Option<&'static Kernels<Self>>;
    /// The kernels for any machine, whose multiply-adds may be emulated.
    #[cfg(debug_assertions)]
    fn portable() -> &'static Kernels<Self>;
    /// The kernels of this machine.
    fn kernels() -> &'static Kernels<Self>;
}
macro_rules! real {
    ($($E:ident $scalar:ident $fma:ident $avx2:ident $avx512:ident $neon:ident;)*) => { $(impl Real for $E {
        const ZERO: $E = 0.0;
        const ONE: $E = 1.0;
        const ROUND: $E = $E::EPSILON / 2.0;
        const TINY: $E = $E::MIN_POSITIVE;
        const MAX: $E = $E::MAX;
        #[inline(always)]
        fn root(self) -> $E { self.sqrt() }
        #[inline(always)]
        fn mag(self) -> $E { self.abs() }
        #[inline(always)]
        fn with_sign(self, s: $E) -> $E { self.copysign(s) }
        #[inline(always)]
        fn of(x: f64) -> $E { x as $E }
        #[inline(always)]
        fn wide(self) -> f64 { self.into() }
        #[inline(always)]
        fn raw(self) -> u64 { self.to_bits().into() }
        fn kernels_of(isa: Isa) -> Option<&'static Kernels<$E>> {
            match isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => Some(&$avx2),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => Some(&$avx512),
                #[cfg(target_arch = "aarch64")]
                Isa::Neon => Some(&$neon),
                #[cfg(target_arch = "x86_64")]
                Isa::Scalar if std::arch::is_x86_feature_detected!("fma") => Some(&$fma),
                Isa::Scalar => Some(&$scalar),
                _ => None,
            }
        }
        #[cfg(debug_assertions)]
        fn portable() -> &'static Kernels<$E> {
            &$scalar
        }
        fn kernels() -> &'static Kernels<$E> {
            Self::kernels_of(Isa::chosen().unwrap_or(Isa::Scalar)).unwrap_or(&$scalar)
        }
    })* };
}
real! { f32 SCALAR_32 FMA_32 AVX2_32 AVX512_32 NEON_32; f64 SCALAR_64 FMA_64 AVX2_64 AVX512_64 NEON_64; }

/// A product `C = A B` or `C -= A B`; `A` and `C` have columns side by side in memory, `B` any strides.
#[derive(Clone, Copy)]
pub(crate) struct Product<E> {
    /// Rows of `C`, a multiple of the vector; columns of `C`; length of the sums.
    pub(crate) mnk: [usize; 3],
    /// `A` and its column stride.
    pub(crate) a: (*const E, usize),
    /// `B`, its row and its column stride.
    pub(crate) b: (*const E, usize, usize),
    /// `C` and its column stride.
    pub(crate) c: (*mut E, usize),
    /// Whether the product is subtracted from `C`, rather than replacing it.
    pub(crate) sub: bool,
}

/// `H = I - tau v vᵀ` with `H x = beta e₁`; with `v₁ = 1` (LAPACK's
/// dlarfg). Where `x` is such a multiple already, `H = I`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reflection<E> {
    /// 0, or in [1, 2].
    pub(crate) tau: E,
    /// What `x` becomes.
    pub(crate) beta: E,
}

/// The kernels for one element type and instruction set.
pub(crate) struct Kernels<E: 'static> {
    /// See [`Product`].
    ///
    /// # Safety
    /// The matrices are inside memory of the caller; `C` overlaps neither factor.
    pub(crate) product: unsafe fn(&Product<E>),
    /// `A[m, n] -= t v (vᵀ A)`: `m` a multiple of the vector, columns `ld` apart.
    ///
    /// # Safety
    /// `v` has `m` elements, `A` has `n` such columns, and they are disjoint.
    pub(crate) reflect: unsafe fn(m: usize, n: usize, v: *const E, t: E, a: *mut E, ld: usize),
    /// The reflection that maps rows `j..m` of `x` to a multiple of the first unit vector: see [`Reflection`]. Writes `v`
    /// with zeros above row `j` and 1 in it; `m` is a multiple of the vector.
    ///
    /// # Safety
    /// `x` is readable and `v` writable for `m` elements, `j < m`; they are disjoint.
    pub(crate) house: unsafe fn(m: usize, j: usize, x: *const E, v: *mut E) -> Reflection<E>,
    /// Plane rotations `(c, s)` of neighbouring columns `x, y`, one after the other: `x, y = c x + s y, c y - s x`. The
    /// first turns columns 0 and 1; columns are `ld` apart, `m` is a multiple of the vector.
    ///
    /// # Safety
    /// One column more than there are rotations is writable from `x` on, for `m` elements each.
    pub(crate) rotate: unsafe fn(m: usize, x: *mut E, ld: isize, rotations: &[(E, E)]),
    /// `Σ x²` and `max |x|` (which ignores NaN) of `m` elements, a multiple of the vector.
    ///
    /// # Safety
    /// They are readable.
    pub(crate) squares: unsafe fn(m: usize, x: *const E) -> (E, E),
}

macro_rules! sets {
    ($($table:ident $E:ident $T:ty, $K:literal $C:literal, $(#[$set:meta])? $product:ident $reflect:ident $house:ident $rotate:ident $squares:ident;)*) => { $(
        $(#[$set])?
        unsafe fn $product(g: &Product<$E>) {
            // SAFETY: the caller's promise.
            unsafe { product::<$T, $C>(g) }
        }
        $(#[$set])?
        unsafe fn $reflect(m: usize, n: usize, v: *const $E, t: $E, a: *mut $E, ld: usize) {
            // SAFETY: the caller's promise.
            unsafe { reflect::<$T, $K, $C>(m, n, v, t, a, ld) }
        }
        $(#[$set])?
        unsafe fn $house(m: usize, j: usize, x: *const $E, v: *mut $E) -> Reflection<$E> {
            // SAFETY: the caller's promise.
            unsafe { house::<$T, $K>(m, j, x, v) }
        }
        $(#[$set])?
        unsafe fn $rotate(m: usize, x: *mut $E, ld: isize, rotations: &[($E, $E)]) {
            // SAFETY: the caller's promise.
            unsafe { rotate::<$T>(m, x, ld, rotations) }
        }
        $(#[$set])?
        unsafe fn $squares(m: usize, x: *const $E) -> ($E, $E) {
            // SAFETY: the caller's promise.
            unsafe { squares::<$T, $K>(m, x) }
        }
        static $table: Kernels<$E> = Kernels { product: $product, reflect: $reflect, house: $house, rotate: $rotate, squares: $squares };
    )* };
}
sets! {
    SCALAR_32 f32 one::F32x1, 16 4, product_scalar_32 reflect_scalar_32 house_scalar_32 rotate_scalar_32 squares_scalar_32;
    SCALAR_64 f64 one::F64x1, 8 4, product_scalar_64 reflect_scalar_64 house_scalar_64 rotate_scalar_64 squares_scalar_64;
}
#[cfg(target_arch = "aarch64")]
sets! {
    NEON_32 f32 neon::F32x4, 4 4, product_neon_32 reflect_neon_32 house_neon_32 rotate_neon_32 squares_neon_32;
    NEON_64 f64 neon::F64x2, 4 4, product_neon_64 reflect_neon_64 house_neon_64 rotate_neon_64 squares_neon_64;
}
#[cfg(target_arch = "x86_64")]
sets! {
    FMA_32 f32 one::F32x1, 16 4, #[target_feature(enable = "fma")] product_fma_32 reflect_fma_32 house_fma_32 rotate_fma_32 squares_fma_32;
    FMA_64 f64 one::F64x1, 8 4, #[target_feature(enable = "fma")] product_fma_64 reflect_fma_64 house_fma_64 rotate_fma_64 squares_fma_64;
    AVX2_32 f32 avx2::F32x8, 2 4, #[target_feature(enable = "avx2,fma")] product_avx2_32 reflect_avx2_32 house_avx2_32 rotate_avx2_32 squares_avx2_32;
    AVX2_64 f64 avx2::F64x4, 2 4, #[target_feature(enable = "avx2,fma")] product_avx2_64 reflect_avx2_64 house_avx2_64 rotate_avx2_64 squares_avx2_64;
    AVX512_32 f32 avx512::F32x16, 1 8, #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")] product_avx512_32 reflect_avx512_32 house_avx512_32 rotate_avx512_32 squares_avx512_32;
    AVX512_64 f64 avx512::F64x8, 1 8, #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")] product_avx512_64 reflect_avx512_64 house_avx512_64 rotate_avx512_64 squares_avx512_64;
}
