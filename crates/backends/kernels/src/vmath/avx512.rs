//! Vectors of 512 bits (AVX-512 F and DQ). Their methods look safe and are not on a machine without these instructions, so
//! the types stay within this crate, whose entry points for them are unsafe functions.
use super::v::{Lut, Un, V};
use std::arch::x86_64::*;

macro_rules! zmm {
    ($V:ident $R:ident $E:ident $I:ident $M:ident $N:literal $dbl:literal $table:ident $lut:ident $far:ident; $cast:ident $back:ident $set1:ident $bcast:ident
     $load:ident $loadz:ident $store:ident $storem:ident $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident
     $min:ident $max:ident $fma:ident $fnma:ident $and:ident $or:ident $xor:ident $iadd:ident $isub:ident $sll:ident
     $srl:ident $cmp:ident $blend:ident $test:ident $scalef:ident $getexp:ident $getmant:ident) => {
        /// A 512-bit register.
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $V($R);
        #[expect(
            clippy::undocumented_unsafe_blocks,
            reason = "one argument for all: these values exist only inside functions compiled for AVX-512 F and DQ, which the \
                      dispatcher enters after detecting both; memory operands are the caller's promise"
        )]
        impl V for $V {
            type E = $E;
            type Mask = $M;
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
                unsafe { $V($loadz(((1u32 << k) - 1) as $M, p)) }
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
                unsafe { $storem(p, ((1u32 << k) - 1) as $M, self.0) }
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
            fn lt(a: Self, b: Self) -> $M {
                unsafe { $cmp::<_CMP_LT_OQ>(a.0, b.0) }
            }
            #[inline(always)]
            fn eq(a: Self, b: Self) -> $M {
                unsafe { $cmp::<_CMP_EQ_OQ>(a.0, b.0) }
            }
            #[inline(always)]
            fn odd(self) -> $M {
                unsafe { $test($back(self.0), $set1(1)) }
            }
            #[inline(always)]
            fn sel(m: $M, a: Self, b: Self) -> Self {
                unsafe { $V($blend(m, b.0, a.0)) }
            }
            #[inline(always)]
            fn any(m: $M) -> bool {
                m != 0
            }
            #[inline(always)]
            fn lookup(self, t: &'static Lut) -> Self {
                unsafe { $V($lut(self.0, &t.$table)) }
            }
            #[inline(always)]
            fn rare<F: Un>(self, m: $M, x: Self) -> Self {
                if m != 0 { Self::sel(m, unsafe { $far::<F>(x) }, self) } else { self }
            }
            #[inline(always)]
            fn scalef(self, n: Self) -> Self {
                unsafe { $V($scalef(self.0, n.0)) }
            }
            #[inline(always)]
            fn log_parts(self) -> (Self, Self) {
                unsafe {
                    let m = $getmant::<_MM_MANT_NORM_P75_1P5, _MM_MANT_SIGN_ZERO>(self.0);
                    ($V($sub($getexp(self.0), $getexp(m))), $V(m))
                }
            }
        }
    };
}
/// # Safety
/// On a machine with AVX-512 F.
#[inline(always)]
unsafe fn lut32(i: __m512, t: &'static [f32; 16]) -> __m512 {
    // SAFETY: the table has the size of the vector; the caller's promise.
    unsafe { _mm512_permutexvar_ps(_mm512_castps_si512(i), _mm512_loadu_ps(t.as_ptr())) }
}
/// # Safety
/// On a machine with AVX-512 F.
#[inline(always)]
unsafe fn lut64(i: __m512d, t: &'static [f64; 16]) -> __m512d {
    // SAFETY: the table has the size of two vectors; the caller's promise.
    unsafe {
        let (low, high) = (_mm512_loadu_pd(t.as_ptr()), _mm512_loadu_pd(t.as_ptr().add(8)));
        _mm512_permutex2var_pd(low, _mm512_castpd_si512(i), high)
    }
}
macro_rules! far {
    ($($name:ident $V:ident)*) => { $(
        /// # Safety
        /// On a machine with AVX-512 F, DQ and VL.
        #[cold]
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
        unsafe fn $name<F: Un>(x: $V) -> $V {
            F::f(x)
        }
    )* };
}
far! { far32 F32x16 far64 F64x8 }
zmm! { F32x16 __m512 f32 i32 u16 16 false s lut32 far32; _mm512_castsi512_ps _mm512_castps_si512 _mm512_set1_epi32 _mm512_set1_ps
_mm512_loadu_ps _mm512_maskz_loadu_ps _mm512_storeu_ps _mm512_mask_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps
_mm512_div_ps _mm512_sqrt_ps _mm512_min_ps _mm512_max_ps _mm512_fmadd_ps _mm512_fnmadd_ps _mm512_and_ps _mm512_or_ps
_mm512_xor_ps _mm512_add_epi32 _mm512_sub_epi32 _mm512_sll_epi32 _mm512_srl_epi32 _mm512_cmp_ps_mask
_mm512_mask_blend_ps _mm512_test_epi32_mask _mm512_scalef_ps _mm512_getexp_ps _mm512_getmant_ps }
zmm! { F64x8 __m512d f64 i64 u8 8 true d lut64 far64; _mm512_castsi512_pd _mm512_castpd_si512 _mm512_set1_epi64 _mm512_set1_pd
_mm512_loadu_pd _mm512_maskz_loadu_pd _mm512_storeu_pd _mm512_mask_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd
_mm512_div_pd _mm512_sqrt_pd _mm512_min_pd _mm512_max_pd _mm512_fmadd_pd _mm512_fnmadd_pd _mm512_and_pd _mm512_or_pd
_mm512_xor_pd _mm512_add_epi64 _mm512_sub_epi64 _mm512_sll_epi64 _mm512_srl_epi64 _mm512_cmp_pd_mask
_mm512_mask_blend_pd _mm512_test_epi64_mask _mm512_scalef_pd _mm512_getexp_pd _mm512_getmant_pd }
