//! Vectors of 256 bits (AVX2 and FMA); within this crate, as those of 512 bits are.
use super::v::{Lut, Un, V};
use std::arch::x86_64::*;

macro_rules! ymm {
    ($V:ident $R:ident $E:ident $I:ident $N:literal $W:literal $dbl:literal $table:ident $lut:ident $far:ident $turn:ident; $cast:ident $back:ident $set1:ident $bcast:ident
     $load:ident $store:ident $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident
     $min:ident $max:ident $fma:ident $fnma:ident $and:ident $or:ident $xor:ident $iadd:ident $isub:ident $sll:ident
     $srl:ident $cmp:ident $blend:ident $movemask:ident) => {
        /// A 256-bit register.
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $V($R);
        #[expect(
            clippy::undocumented_unsafe_blocks,
            reason = "one argument for all: these values exist only inside functions compiled for AVX2 and FMA, which the \
                      dispatcher enters after detecting both; memory operands are the caller's promise"
        )]
        impl V for $V {
            type E = $E;
            type Mask = Self;
            const N: usize = $N;
            const DBL: bool = $dbl;
            #[inline(always)]
            fn bits(x: u64) -> Self {
                unsafe { $V($cast($set1(x as $I))) }
            }
            #[inline(always)]
            unsafe fn load(p: *const $E) -> Self {
                unsafe { $V($load(p)) }
            }
            #[inline(always)]
            unsafe fn load_part(p: *const $E, k: usize) -> Self {
                unsafe {
                    let mut a = [0.0; $N];
                    std::ptr::copy_nonoverlapping(p, a.as_mut_ptr(), k);
                    Self::load(a.as_ptr())
                }
            }
            #[inline(always)]
            unsafe fn splat(p: *const $E) -> Self {
                unsafe { $V($bcast(*p)) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $E) {
                unsafe { $store(p, self.0) }
            }
            #[inline(always)]
            unsafe fn store_part(self, p: *mut $E, k: usize) {
                unsafe {
                    let mut a = [0.0; $N];
                    self.store(a.as_mut_ptr());
                    std::ptr::copy_nonoverlapping(a.as_ptr(), p, k);
                }
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                unsafe { $V($add(self.0, o.0)) }
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                unsafe { $V($sub(self.0, o.0)) }
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                unsafe { $V($mul(self.0, o.0)) }
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                unsafe { $V($div(self.0, o.0)) }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                unsafe { $V($sqrt(self.0)) }
            }
            #[inline(always)]
            fn min(self, o: Self) -> Self {
                unsafe { $V($min(self.0, o.0)) }
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                unsafe { $V($max(self.0, o.0)) }
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                unsafe { $V($fma(self.0, b.0, c.0)) }
            }
            #[inline(always)]
            fn fnma(self, b: Self, c: Self) -> Self {
                unsafe { $V($fnma(self.0, b.0, c.0)) }
            }
            #[inline(always)]
            fn and(self, o: Self) -> Self {
                unsafe { $V($and(self.0, o.0)) }
            }
            #[inline(always)]
            fn or(self, o: Self) -> Self {
                unsafe { $V($or(self.0, o.0)) }
            }
            #[inline(always)]
            fn xor(self, o: Self) -> Self {
                unsafe { $V($xor(self.0, o.0)) }
            }
            #[inline(always)]
            fn iadd(self, o: Self) -> Self {
                unsafe { $V($cast($iadd($back(self.0), $back(o.0)))) }
            }
            #[inline(always)]
            fn isub(self, o: Self) -> Self {
                unsafe { $V($cast($isub($back(self.0), $back(o.0)))) }
            }
            #[inline(always)]
            fn shl(self, k: u32) -> Self {
                unsafe { $V($cast($sll($back(self.0), _mm_cvtsi32_si128(k as i32)))) }
            }
            #[inline(always)]
            fn shr(self, k: u32) -> Self {
                unsafe { $V($cast($srl($back(self.0), _mm_cvtsi32_si128(k as i32)))) }
            }
            #[inline(always)]
            fn lt(a: Self, b: Self) -> Self {
                unsafe { $V($cmp::<_CMP_LT_OQ>(a.0, b.0)) }
            }
            #[inline(always)]
            fn eq(a: Self, b: Self) -> Self {
                unsafe { $V($cmp::<_CMP_EQ_OQ>(a.0, b.0)) }
            }
            #[inline(always)]
            fn odd(self) -> Self {
                self.shl($W - 1)
            }
            #[inline(always)]
            fn sel(m: Self, a: Self, b: Self) -> Self {
                unsafe { $V($blend(b.0, a.0, m.0)) }
            }
            #[inline(always)]
            fn any(m: Self) -> bool {
                unsafe { $movemask(m.0) != 0 }
            }
            #[inline(always)]
            fn lookup(self, t: &'static Lut) -> Self {
                unsafe { $V($lut(self.0, &t.$table)) }
            }
            #[inline(always)]
            fn rare<F: Un>(self, m: Self, x: Self) -> Self {
                if Self::any(m) { Self::sel(m, unsafe { $far::<F>(x) }, self) } else { self }
            }
            #[inline(always)]
            fn turn(rows: &mut [Self]) {
                unsafe { $turn(rows) }
            }
        }
    };
}
/// # Safety
/// On a machine with AVX2.
#[inline(always)]
unsafe fn lut32(i: __m256, t: &'static [f32; 16]) -> __m256 {
    // SAFETY: the table has the size of two vectors; the caller's promise.
    unsafe {
        let i = _mm256_castps_si256(i);
        let (low, high) = (_mm256_loadu_ps(t.as_ptr()), _mm256_loadu_ps(t.as_ptr().add(8)));
        let bit3 = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(i));
        _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, i), _mm256_permutevar8x32_ps(high, i), bit3)
    }
}
/// # Safety
/// On a machine with AVX2.
#[inline(always)]
unsafe fn lut64(i: __m256d, t: &'static [f64; 16]) -> __m256d {
    // SAFETY: the masked index is below the table's size; the caller's promise.
    unsafe {
        let i = _mm256_and_si256(_mm256_castpd_si256(i), _mm256_set1_epi64x(15));
        _mm256_i64gather_pd::<8>(t.as_ptr(), i)
    }
}
/// # Safety
/// On a machine with AVX2.
#[inline(always)]
unsafe fn turn64(rows: &mut [F64x4]) {
    let Ok(r) = <&mut [F64x4; 4]>::try_from(rows) else { return };
    // SAFETY: the caller's promise.
    unsafe {
        let (a, b) = (_mm256_unpacklo_pd(r[0].0, r[1].0), _mm256_unpackhi_pd(r[0].0, r[1].0));
        let (c, d) = (_mm256_unpacklo_pd(r[2].0, r[3].0), _mm256_unpackhi_pd(r[2].0, r[3].0));
        r[0] = F64x4(_mm256_permute2f128_pd::<0x20>(a, c));
        r[1] = F64x4(_mm256_permute2f128_pd::<0x20>(b, d));
        r[2] = F64x4(_mm256_permute2f128_pd::<0x31>(a, c));
        r[3] = F64x4(_mm256_permute2f128_pd::<0x31>(b, d));
    }
}
/// # Safety
/// On a machine with AVX2.
#[inline(always)]
unsafe fn turn32(rows: &mut [F32x8]) {
    let Ok(r) = <&mut [F32x8; 8]>::try_from(rows) else { return };
    // SAFETY: the caller's promise; numbers of either width are the same bits.
    unsafe {
        let mut t = [_mm256_setzero_pd(); 8];
        for i in 0..4 {
            let (a, b) = (r[2 * i].0, r[2 * i + 1].0);
            t[i] = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
            t[4 + i] = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
        }
        for (part, first) in [(0, 0), (4, 2)] {
            let low = |i: usize| _mm256_castpd_ps(_mm256_unpacklo_pd(t[part + 2 * i], t[part + 2 * i + 1]));
            let high = |i: usize| _mm256_castpd_ps(_mm256_unpackhi_pd(t[part + 2 * i], t[part + 2 * i + 1]));
            for (k, a, b) in [(first, low(0), low(1)), (first + 1, high(0), high(1))] {
                r[k] = F32x8(_mm256_permute2f128_ps::<0x20>(a, b));
                r[k + 4] = F32x8(_mm256_permute2f128_ps::<0x31>(a, b));
            }
        }
    }
}
macro_rules! far {
    ($($name:ident $V:ident)*) => { $(
        /// # Safety
        /// On a machine with AVX2 and FMA.
        #[cold]
        #[inline(never)]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn $name<F: Un>(x: $V) -> $V {
            F::f(x)
        }
    )* };
}
far! { far32 F32x8 far64 F64x4 }
ymm! { F32x8 __m256 f32 i32 8 32 false s lut32 far32 turn32; _mm256_castsi256_ps _mm256_castps_si256 _mm256_set1_epi32 _mm256_set1_ps
_mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_sqrt_ps _mm256_min_ps
_mm256_max_ps _mm256_fmadd_ps _mm256_fnmadd_ps _mm256_and_ps _mm256_or_ps _mm256_xor_ps _mm256_add_epi32
_mm256_sub_epi32 _mm256_sll_epi32 _mm256_srl_epi32 _mm256_cmp_ps _mm256_blendv_ps _mm256_movemask_ps }
ymm! { F64x4 __m256d f64 i64 4 64 true d lut64 far64 turn64; _mm256_castsi256_pd _mm256_castpd_si256 _mm256_set1_epi64x _mm256_set1_pd
_mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_sqrt_pd _mm256_min_pd
_mm256_max_pd _mm256_fmadd_pd _mm256_fnmadd_pd _mm256_and_pd _mm256_or_pd _mm256_xor_pd _mm256_add_epi64
_mm256_sub_epi64 _mm256_sll_epi64 _mm256_srl_epi64 _mm256_cmp_pd _mm256_blendv_pd _mm256_movemask_pd }
