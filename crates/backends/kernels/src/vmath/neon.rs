//! Vectors of 128 bits (NEON, which every AArch64 machine has).
use super::v::{Lut, Un, V};
use std::arch::aarch64::*;

macro_rules! quad {
    ($V:ident $R:ident $E:ident $I:ident $M:ident $N:literal $dbl:literal $table:ident; $cast:ident $back:ident
     $dup:ident $dupf:ident $dups:ident $load:ident $store:ident $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident
     $fma:ident $fms:ident $and:ident $or:ident $xor:ident $iadd:ident $isub:ident $shift:ident $lt:ident $eq:ident
     $test:ident $blend:ident $lanes:ident) => {
        /// A 128-bit register.
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $V($R);
        #[expect(
            clippy::undocumented_unsafe_blocks,
            reason = "one argument for all: every AArch64 machine has NEON; memory operands are the caller's promise"
        )]
        impl V for $V {
            type E = $E;
            type Mask = $M;
            const N: usize = $N;
            const DBL: bool = $dbl;
            #[inline(always)]
            fn bits(x: u64) -> Self {
                unsafe { $V($cast($dup(x as $I))) }
            }
            #[inline(always)]
            unsafe fn load(p: *const $E) -> Self {
                unsafe { $V($load(p)) }
            }
            #[inline(always)]
            unsafe fn load_part(p: *const $E, k: usize) -> Self {
                let mut a = [0.0; $N];
                unsafe {
                    std::ptr::copy_nonoverlapping(p, a.as_mut_ptr(), k);
                    Self::load(a.as_ptr())
                }
            }
            #[inline(always)]
            unsafe fn splat(p: *const $E) -> Self {
                unsafe { $V($dupf(p.read())) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $E) {
                unsafe { $store(p, self.0) }
            }
            #[inline(always)]
            unsafe fn store_part(self, p: *mut $E, k: usize) {
                let mut a = [0.0; $N];
                unsafe {
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
                Self::sel(Self::lt(self, o), self, o)
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                Self::sel(Self::lt(o, self), self, o)
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                unsafe { $V($fma(c.0, self.0, b.0)) }
            }
            #[inline(always)]
            fn fnma(self, b: Self, c: Self) -> Self {
                unsafe { $V($fms(c.0, self.0, b.0)) }
            }
            #[inline(always)]
            fn and(self, o: Self) -> Self {
                unsafe { $V($cast($and($back(self.0), $back(o.0)))) }
            }
            #[inline(always)]
            fn or(self, o: Self) -> Self {
                unsafe { $V($cast($or($back(self.0), $back(o.0)))) }
            }
            #[inline(always)]
            fn xor(self, o: Self) -> Self {
                unsafe { $V($cast($xor($back(self.0), $back(o.0)))) }
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
                unsafe { $V($cast($shift($back(self.0), $dups(k as _)))) }
            }
            #[inline(always)]
            fn shr(self, k: u32) -> Self {
                unsafe { $V($cast($shift($back(self.0), $dups(-(k as i32) as _)))) }
            }
            #[inline(always)]
            fn lt(a: Self, b: Self) -> $M {
                unsafe { $lt(a.0, b.0) }
            }
            #[inline(always)]
            fn eq(a: Self, b: Self) -> $M {
                unsafe { $eq(a.0, b.0) }
            }
            #[inline(always)]
            fn odd(self) -> $M {
                unsafe { $test($back(self.0), $dup(1)) }
            }
            #[inline(always)]
            fn sel(m: $M, a: Self, b: Self) -> Self {
                unsafe { $V($blend(m, a.0, b.0)) }
            }
            #[inline(always)]
            fn any(m: $M) -> bool {
                unsafe { vmaxvq_u32($lanes(m)) != 0 }
            }
            #[inline(always)]
            fn lookup(self, t: &'static Lut) -> Self {
                let mut a = [0.0; $N];
                unsafe {
                    self.store(a.as_mut_ptr());
                    for x in &mut a {
                        *x = t.$table[(x.to_bits() & 15) as usize];
                    }
                    Self::load(a.as_ptr())
                }
            }
            #[inline(always)]
            fn rare<F: Un>(self, m: $M, x: Self) -> Self {
                if Self::any(m) { Self::sel(m, F::f(x), self) } else { self }
            }
        }
    };
}
#[inline(always)]
unsafe fn as_is(m: uint32x4_t) -> uint32x4_t {
    m
}
quad! { F32x4 float32x4_t f32 u32 uint32x4_t 4 false s; vreinterpretq_f32_u32 vreinterpretq_u32_f32 vdupq_n_u32 vdupq_n_f32
vdupq_n_s32 vld1q_f32 vst1q_f32 vaddq_f32 vsubq_f32 vmulq_f32 vdivq_f32 vsqrtq_f32 vfmaq_f32 vfmsq_f32 vandq_u32 vorrq_u32
veorq_u32 vaddq_u32 vsubq_u32 vshlq_u32 vcltq_f32 vceqq_f32 vtstq_u32 vbslq_f32
as_is }
quad! { F64x2 float64x2_t f64 u64 uint64x2_t 2 true d; vreinterpretq_f64_u64 vreinterpretq_u64_f64 vdupq_n_u64 vdupq_n_f64
vdupq_n_s64 vld1q_f64 vst1q_f64 vaddq_f64 vsubq_f64 vmulq_f64 vdivq_f64 vsqrtq_f64 vfmaq_f64 vfmsq_f64 vandq_u64 vorrq_u64
veorq_u64 vaddq_u64 vsubq_u64 vshlq_u64 vcltq_f64 vceqq_f64 vtstq_u64 vbslq_f64
vreinterpretq_u32_u64 }
