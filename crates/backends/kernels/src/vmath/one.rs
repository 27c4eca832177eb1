//! Vectors of one lane: the portable implementation, and the reference for the others.
use super::v::{Lut, Un, V};

macro_rules! one {
    ($V:ident $E:ident $I:ident $dbl:literal $table:ident) => {
        /// One element.
        #[derive(Clone, Copy)]
        pub(crate) struct $V($E);
        impl $V {
            #[inline(always)]
            fn of(x: $I) -> Self {
                $V($E::from_bits(x))
            }
        }
        impl V for $V {
            type E = $E;
            type Mask = bool;
            const N: usize = 1;
            const DBL: bool = $dbl;
            #[inline(always)]
            fn bits(x: u64) -> Self {
                Self::of(x as $I)
            }
            #[inline(always)]
            unsafe fn load(p: *const $E) -> Self {
                // SAFETY: the caller's promise.
                $V(unsafe { p.read() })
            }
            #[inline(always)]
            unsafe fn load_part(_: *const $E, _: usize) -> Self {
                $V(0.0)
            }
            #[inline(always)]
            unsafe fn splat(p: *const $E) -> Self {
                // SAFETY: the caller's promise.
                $V(unsafe { p.read() })
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $E) {
                // SAFETY: the caller's promise.
                unsafe { p.write(self.0) }
            }
            #[inline(always)]
            unsafe fn store_part(self, _: *mut $E, _: usize) {}
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                $V(self.0 + o.0)
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                $V(self.0 - o.0)
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                $V(self.0 * o.0)
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                $V(self.0 / o.0)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $V(self.0.sqrt())
            }
            #[inline(always)]
            fn min(self, o: Self) -> Self {
                if self.0 < o.0 { self } else { o }
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                if self.0 > o.0 { self } else { o }
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                $V(self.0.mul_add(b.0, c.0))
            }
            #[inline(always)]
            fn fnma(self, b: Self, c: Self) -> Self {
                $V((-self.0).mul_add(b.0, c.0))
            }
            #[inline(always)]
            fn and(self, o: Self) -> Self {
                Self::of(self.0.to_bits() & o.0.to_bits())
            }
            #[inline(always)]
            fn or(self, o: Self) -> Self {
                Self::of(self.0.to_bits() | o.0.to_bits())
            }
            #[inline(always)]
            fn xor(self, o: Self) -> Self {
                Self::of(self.0.to_bits() ^ o.0.to_bits())
            }
            #[inline(always)]
            fn iadd(self, o: Self) -> Self {
                Self::of(self.0.to_bits().wrapping_add(o.0.to_bits()))
            }
            #[inline(always)]
            fn isub(self, o: Self) -> Self {
                Self::of(self.0.to_bits().wrapping_sub(o.0.to_bits()))
            }
            #[inline(always)]
            fn shl(self, k: u32) -> Self {
                Self::of(self.0.to_bits().wrapping_shl(k))
            }
            #[inline(always)]
            fn shr(self, k: u32) -> Self {
                Self::of(self.0.to_bits().wrapping_shr(k))
            }
            #[inline(always)]
            fn lt(a: Self, b: Self) -> bool {
                a.0 < b.0
            }
            #[inline(always)]
            fn eq(a: Self, b: Self) -> bool {
                a.0 == b.0
            }
            #[inline(always)]
            fn odd(self) -> bool {
                self.0.to_bits() & 1 == 1
            }
            #[inline(always)]
            fn sel(m: bool, a: Self, b: Self) -> Self {
                if m { a } else { b }
            }
            #[inline(always)]
            fn any(m: bool) -> bool {
                m
            }
            #[inline(always)]
            fn lookup(self, t: &'static Lut) -> Self {
                $V(t.$table[(self.0.to_bits() & 15) as usize])
            }
            #[inline(always)]
            fn rare<F: Un>(self, m: bool, x: Self) -> Self {
                if m { F::f(x) } else { self }
            }
        }
    };
}
one! { F32x1 f32 u32 false s }
one! { F64x1 f64 u64 true d }
