//! Vectors of 512 bits (AVX-512 F and DQ). Their methods look safe and are not on a machine without these instructions, so
//! the types stay within this crate, whose entry points for them are unsafe functions.
use super::v::{Lut, Un, V};
use std::arch::x86_64::*;

macro_rules! zmm {
    ($V:ident $R:ident $E:ident $I:ident $M:ident $N:literal $dbl:literal $table:ident $lut:ident $far:ident $turn:ident; $cast:ident $back:ident $set1:ident $bcast:ident
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
            fn turn(rows: &mut [Self]) {
                unsafe { $turn(rows) }
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
/// # Safety
/// On a machine with AVX-512 F.
#[inline(always)]
unsafe fn turn64(rows: &mut [F64x8]) {
    let Ok(r) = <&mut [F64x8; 8]>::try_from(rows) else { return };
    // SAFETY: the caller's promise.
    unsafe {
        // Pairs of rows, then pairs of these, then halves.
        let low = |i: usize| _mm512_unpacklo_pd(r[i].0, r[i + 1].0);
        let high = |i: usize| _mm512_unpackhi_pd(r[i].0, r[i + 1].0);
        let (even, odd) = ([low(0), low(2), low(4), low(6)], [high(0), high(2), high(4), high(6)]);
        for (first, t) in [(0, even), (1, odd)] {
            let a = _mm512_shuffle_f64x2::<0x88>(t[0], t[1]);
            let b = _mm512_shuffle_f64x2::<0xdd>(t[0], t[1]);
            let c = _mm512_shuffle_f64x2::<0x88>(t[2], t[3]);
            let d = _mm512_shuffle_f64x2::<0xdd>(t[2], t[3]);
            r[first] = F64x8(_mm512_shuffle_f64x2::<0x88>(a, c));
            r[first + 2] = F64x8(_mm512_shuffle_f64x2::<0x88>(b, d));
            r[first + 4] = F64x8(_mm512_shuffle_f64x2::<0xdd>(a, c));
            r[first + 6] = F64x8(_mm512_shuffle_f64x2::<0xdd>(b, d));
        }
    }
}
/// # Safety
/// On a machine with AVX-512 F.
#[inline(always)]
unsafe fn turn32(rows: &mut [F32x16]) {
    let Ok(r) = <&mut [F32x16; 16]>::try_from(rows) else { return };
    // SAFETY: the caller's promise; numbers of either width are the same bits.
    unsafe {
        let mut t = [_mm512_setzero_pd(); 16];
        for i in 0..8 {
            let (a, b) = (r[2 * i].0, r[2 * i + 1].0);
            t[i] = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
            t[8 + i] = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
        }
        // Of each 128 bits `t` has columns 0 and 1 (2 and 3) of two rows; now one column of four.
        for (part, first) in [(0, 0), (8, 2)] {
            let mut u = [_mm512_setzero_ps(); 8];
            for i in 0..4 {
                u[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(t[part + 2 * i], t[part + 2 * i + 1]));
                u[4 + i] = _mm512_castpd_ps(_mm512_unpackhi_pd(t[part + 2 * i], t[part + 2 * i + 1]));
            }
            for (k, v) in [(first, &u[..4]), (first + 1, &u[4..])] {
                let a = _mm512_shuffle_f32x4::<0x88>(v[0], v[1]);
                let b = _mm512_shuffle_f32x4::<0xdd>(v[0], v[1]);
                let c = _mm512_shuffle_f32x4::<0x88>(v[2], v[3]);
                let d = _mm512_shuffle_f32x4::<0xdd>(v[2], v[3]);
                r[k] = F32x16(_mm512_shuffle_f32x4::<0x88>(a, c));
                r[k + 4] = F32x16(_mm512_shuffle_f32x4::<0x88>(b, d));
                r[k + 8] = F32x16(_mm512_shuffle_f32x4::<0xdd>(a, c));
                r[k + 12] = F32x16(_mm512_shuffle_f32x4::<0xdd>(b, d));
            }
        }
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
zmm! { F32x16 __m512 f32 i32 u16 16 false s lut32 far32 turn32; _mm512_castsi512_ps _mm512_castps_si512 _mm512_set1_epi32 _mm512_set1_ps
_mm512_loadu_ps _mm512_maskz_loadu_ps _mm512_storeu_ps _mm512_mask_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps
_mm512_div_ps _mm512_sqrt_ps _mm512_min_ps _mm512_max_ps _mm512_fmadd_ps _mm512_fnmadd_ps _mm512_and_ps _mm512_or_ps
_mm512_xor_ps _mm512_add_epi32 _mm512_sub_epi32 _mm512_sll_epi32 _mm512_srl_epi32 _mm512_cmp_ps_mask
_mm512_mask_blend_ps _mm512_test_epi32_mask _mm512_scalef_ps _mm512_getexp_ps _mm512_getmant_ps }
zmm! { F64x8 __m512d f64 i64 u8 8 true d lut64 far64 turn64; _mm512_castsi512_pd _mm512_castpd_si512 _mm512_set1_epi64 _mm512_set1_pd
_mm512_loadu_pd _mm512_maskz_loadu_pd _mm512_storeu_pd _mm512_mask_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd
_mm512_div_pd _mm512_sqrt_pd _mm512_min_pd _mm512_max_pd _mm512_fmadd_pd _mm512_fnmadd_pd _mm512_and_pd _mm512_or_pd
_mm512_xor_pd _mm512_add_epi64 _mm512_sub_epi64 _mm512_sll_epi64 _mm512_srl_epi64 _mm512_cmp_pd_mask
_mm512_mask_blend_pd _mm512_test_epi64_mask _mm512_scalef_pd _mm512_getexp_pd _mm512_getmant_pd }
