//! One register of numbers, as far as products need it: written once against [`Lanes`], compiled for AVX-512, AVX2 and,
//! with arrays, for any machine.
//!
//! Every operation gives the same bits on every implementation. No method takes a closure and every method is
//! `#[inline(always)]`: intrinsics become instructions only inside a function that has their target features.

use super::Kernels;
use tfc_kernels::vmath::Isa;

/// An element that the kernels exist for: `f32`, `f64`, and `i32`, whose arithmetic wraps and is that of `u32` as well.
pub(crate) trait Element: Copy + Default + Send + Sync + 'static + PartialEq + std::fmt::Debug {
    /// 0.
    const ZERO: Self;
    /// `self * b + c`, of floats rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// `self + b`.
    fn plus(self, b: Self) -> Self;
    /// `self * b`.
    fn times(self, b: Self) -> Self;
    /// A small number.
    fn of(x: f32) -> Self;
    /// The kernels of an instruction set.
    fn kernels_of(isa: Isa) -> &'static Kernels<Self>;
}
macro_rules! element {
    ($($E:ident $one:ident $avx2:ident $avx512:ident $zero:literal |$x:ident, $b:ident, $c:ident| $fma:expr, $plus:expr, $times:expr; $of:expr;)*) => { $(impl Element for $E {
        const ZERO: $E = $zero;
        #[inline(always)]
        fn fma(self, $b: $E, $c: $E) -> $E {
            let $x = self;
            $fma
        }
        #[inline(always)]
        fn plus(self, $b: $E) -> $E {
            let $x = self;
            $plus
        }
        #[inline(always)]
        fn times(self, $b: $E) -> $E {
            let $x = self;
            $times
        }
        fn of(x: f32) -> $E {
            $of(x)
        }
        fn kernels_of(isa: Isa) -> &'static Kernels<$E> {
            match isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => &super::$avx2,
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => &super::$avx512,
                _ => &super::$one,
            }
        }
    })* };
}
element! {
    f32 ONE32 AVX2_32 AVX512_32 0.0 |x, b, c| x.mul_add(b, c), x + b, x * b; |x| x;
    f64 ONE64 AVX2_64 AVX512_64 0.0 |x, b, c| x.mul_add(b, c), x + b, x * b; f64::from;
    i32 ONE_INT AVX2_INT AVX512_INT 0 |x, b, c| x.wrapping_mul(b).wrapping_add(c), x.wrapping_add(b), x.wrapping_mul(b); |x| x as i32;
}

/// A register.
pub(crate) trait Lanes: Copy {
    /// Element.
    type E: Element;
    /// So many neighbours of a sum are a lane of a factor, and [`Lanes::fma`] adds the sum of their products: two of 16 bits, or four
    /// of 8, those of the left factor as numbers from 0 on, 128 larger.
    const JOINED: usize = 1;
    /// Which lanes a partial load or store touches.
    type Mask: Copy;
    /// Lanes.
    const N: usize;
    /// Registers that hold sums in a tile of a product: columns by registers of rows.
    const COLS: usize;
    /// Registers of rows of a tile whose left factor is read under a mask, at most.
    const ROWS: usize = 3;
    /// Hints that the line at `p` will be needed.
    #[inline(always)]
    unsafe fn fetch(_: *const Self::E) {}
    /// Hints that the line at `p` will be needed later: it is brought near, but not into the first-level cache.
    #[inline(always)]
    unsafe fn near(_: *const u8) {}
    /// Side of the blocks of [`Lanes::turn`].
    const BLOCK: usize;
    /// Transposes a square block: element `[i, p]` at `src + i * rs + p` goes to `dst + p * ds + i`.
    ///
    /// # Safety
    /// Both blocks are inside memory of the caller.
    unsafe fn turn(src: *const Self::E, rs: isize, dst: *mut Self::E, ds: isize);
    /// Zeros.
    fn zero() -> Self;
    /// The first `k` lanes, `1 <= k <= N`.
    fn mask(k: usize) -> Self::Mask;
    /// The element at `p` in every lane.
    ///
    /// # Safety
    /// `p` is readable.
    unsafe fn splat(p: *const Self::E) -> Self;
    /// # Safety
    /// `N` elements are readable.
    unsafe fn load(p: *const Self::E) -> Self;
    /// Zeros where the mask does not hold.
    ///
    /// # Safety
    /// The mask's elements are readable.
    unsafe fn load_mask(p: *const Self::E, m: Self::Mask) -> Self;
    /// # Safety
    /// `N` elements are writable.
    unsafe fn store(self, p: *mut Self::E);
    /// # Safety
    /// The mask's elements are writable.
    unsafe fn store_mask(self, p: *mut Self::E, m: Self::Mask);
    /// Past the caches, where the machine can.
    ///
    /// # Safety
    /// `N` elements are writable at `p`, which is aligned to them.
    #[inline(always)]
    unsafe fn stream(self, p: *mut Self::E) {
        // SAFETY: the caller's promise.
        unsafe { self.store(p) }
    }
    /// Orders what [`Lanes::stream`] wrote before what follows.
    #[inline(always)]
    fn fence() {}
    /// As many rows as the mask has of [`Lanes::JOINED`] columns of a factor, `step` elements apart; only `columns` of these are
    /// there. A lane has the neighbours of a row.
    ///
    /// # Safety
    /// The mask's elements of each column are readable.
    #[inline(always)]
    unsafe fn join(p: *const Self::E, _step: isize, _columns: usize, m: Self::Mask, _left: bool) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::load_mask(p, m) }
    }
    /// The same of one row.
    ///
    /// # Safety
    /// An element of each column is readable.
    #[inline(always)]
    unsafe fn join_one(p: *const Self::E, _step: isize, _columns: usize, _left: bool) -> Self::E {
        // SAFETY: the caller's promise.
        unsafe { p.read() }
    }
    /// What the sums of eight columns of the right factor, joined, start with: it takes away what the left factor is larger. `steps` rows
    /// of eight lie at `p`, and eight elements behind them are written.
    ///
    /// # Safety
    /// Those elements are memory of the caller.
    #[inline(always)]
    unsafe fn starts(_p: *mut Self::E, _steps: usize) {}
    /// `self * b + c`, of floats rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// Sum.
    fn add(self, o: Self) -> Self;
    /// Product.
    fn mul(self, o: Self) -> Self;
    /// Lanes 1, 0, 3, 2, …
    fn pairs(self) -> Self;
    /// Sums of the lanes of four rows of 64 bytes (`a[r]` the registers of row `r`), each as a tree that adds the upper
    /// half of the lanes to the lower until one is left.
    ///
    /// # Safety
    /// Four elements are writable at `out`.
    unsafe fn fold4<const U: usize>(a: [[Self; U]; 4], out: *mut Self::E);
}

/// An array as a register.
#[derive(Clone, Copy)]
pub(crate) struct Array<E, const L: usize>([E; L]);
impl<E: Element, const L: usize> Lanes for Array<E, L> {
    type E = E;
    type Mask = usize;
    const N: usize = L;
    const COLS: usize = 4;
    const BLOCK: usize = 4;
    #[inline(always)]
    unsafe fn turn(src: *const E, rs: isize, dst: *mut E, ds: isize) {
        for p in 0..4 {
            for i in 0..4 {
                // SAFETY: the caller's promise.
                unsafe { dst.offset(p * ds + i).write(src.offset(i * rs + p).read()) };
            }
        }
    }
    #[inline(always)]
    fn zero() -> Self {
        Array([E::ZERO; L])
    }
    #[inline(always)]
    fn mask(k: usize) -> usize {
        k
    }
    #[inline(always)]
    unsafe fn splat(p: *const E) -> Self {
        // SAFETY: the caller's promise.
        Array([unsafe { p.read() }; L])
    }
    #[inline(always)]
    unsafe fn load(p: *const E) -> Self {
        // SAFETY: the caller's promise.
        Array(unsafe { p.cast::<[E; L]>().read() })
    }
    #[inline(always)]
    unsafe fn load_mask(p: *const E, m: usize) -> Self {
        let mut a = [E::ZERO; L];
        for i in 0..L {
            if i < m {
                // SAFETY: the caller's promise.
                a[i] = unsafe { p.add(i).read() };
            }
        }
        Array(a)
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut E) {
        // SAFETY: the caller's promise.
        unsafe { p.cast::<[E; L]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn store_mask(self, p: *mut E, m: usize) {
        for i in 0..L {
            if i < m {
                // SAFETY: the caller's promise.
                unsafe { p.add(i).write(self.0[i]) };
            }
        }
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        let mut r = c.0;
        for i in 0..L {
            r[i] = self.0[i].fma(b.0[i], c.0[i]);
        }
        Array(r)
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let mut r = o.0;
        for i in 0..L {
            r[i] = self.0[i].plus(o.0[i]);
        }
        Array(r)
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let mut r = o.0;
        for i in 0..L {
            r[i] = self.0[i].times(o.0[i]);
        }
        Array(r)
    }
    #[inline(always)]
    fn pairs(self) -> Self {
        let mut r = self.0;
        for i in 0..L {
            r[i] = self.0[i ^ 1];
        }
        Array(r)
    }
    #[inline(always)]
    unsafe fn fold4<const U: usize>(a: [[Self; U]; 4], out: *mut E) {
        for r in 0..4 {
            let mut s = [E::ZERO; 16];
            for u in 0..U {
                for i in 0..L {
                    s[u * L + i] = a[r][u].0[i];
                }
            }
            let mut half = U * L / 2;
            while half > 0 {
                for i in 0..half {
                    s[i] = s[i].plus(s[i + half]);
                }
                half /= 2;
            }
            // SAFETY: the caller's promise.
            unsafe { out.add(r).write(s[0]) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::*;
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// Sums of the lanes of four registers.
    #[inline(always)]
    unsafe fn fold_pd(a: [__m256d; 4], out: *mut f64) {
        // SAFETY: the caller's promise; the caller has AVX2.
        unsafe {
            let ab = _mm256_add_pd(_mm256_permute2f128_pd(a[0], a[1], 0x20), _mm256_permute2f128_pd(a[0], a[1], 0x31));
            let cd = _mm256_add_pd(_mm256_permute2f128_pd(a[2], a[3], 0x20), _mm256_permute2f128_pd(a[2], a[3], 0x31));
            let s = _mm256_add_pd(_mm256_unpacklo_pd(ab, cd), _mm256_unpackhi_pd(ab, cd));
            _mm256_storeu_pd(out, _mm256_permute4x64_pd(s, 0b11_01_10_00));
        }
    }
    /// Sums of the lanes of four registers.
    #[inline(always)]
    unsafe fn fold_ps(a: [__m256; 4], out: *mut f32) {
        // SAFETY: the caller's promise; the caller has AVX2.
        unsafe {
            let ab = _mm256_add_ps(_mm256_permute2f128_ps(a[0], a[1], 0x20), _mm256_permute2f128_ps(a[0], a[1], 0x31));
            let cd = _mm256_add_ps(_mm256_permute2f128_ps(a[2], a[3], 0x20), _mm256_permute2f128_ps(a[2], a[3], 0x31));
            let t = _mm256_add_ps(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xee));
            let s = _mm256_add_ps(_mm256_shuffle_ps(t, t, 0x88), _mm256_shuffle_ps(t, t, 0xdd));
            _mm_storeu_ps(out, _mm_unpacklo_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1)));
        }
    }
    /// A block of 4 by 4.
    #[inline(always)]
    unsafe fn turn_pd(src: *const f64, rs: isize, dst: *mut f64, ds: isize) {
        // SAFETY: the caller's promise; the caller has AVX2.
        unsafe {
            macro_rules! two {
                ($i:literal, $p:literal) => {{
                    let lo = _mm256_castpd128_pd256(_mm_loadu_pd(src.wrapping_offset($i * rs + $p)));
                    _mm256_insertf128_pd(lo, _mm_loadu_pd(src.wrapping_offset(($i + 2) * rs + $p)), 1)
                }};
            }
            let (a, b, c, d) = (two!(0, 0), two!(1, 0), two!(0, 2), two!(1, 2));
            _mm256_storeu_pd(dst, _mm256_unpacklo_pd(a, b));
            _mm256_storeu_pd(dst.wrapping_offset(ds), _mm256_unpackhi_pd(a, b));
            _mm256_storeu_pd(dst.wrapping_offset(2 * ds), _mm256_unpacklo_pd(c, d));
            _mm256_storeu_pd(dst.wrapping_offset(3 * ds), _mm256_unpackhi_pd(c, d));
        }
    }
    /// A block of 8 by 8.
    #[inline(always)]
    unsafe fn turn_ps(src: *const f32, rs: isize, dst: *mut f32, ds: isize) {
        // SAFETY: the caller's promise; the caller has AVX2.
        unsafe {
            for h in 0..2isize {
                // Rows `i` and `i + 4`, four columns from `4 h`.
                macro_rules! two {
                    ($i:literal) => {{
                        let lo = _mm256_castps128_ps256(_mm_loadu_ps(src.wrapping_offset($i * rs + 4 * h)));
                        _mm256_insertf128_ps(lo, _mm_loadu_ps(src.wrapping_offset(($i + 4) * rs + 4 * h)), 1)
                    }};
                }
                let (a, b, c, d) = (two!(0), two!(1), two!(2), two!(3));
                let (e, f) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
                let (g, i) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
                let at = dst.wrapping_offset(4 * h * ds);
                _mm256_storeu_ps(at, _mm256_shuffle_ps(e, g, 0x44));
                _mm256_storeu_ps(at.wrapping_offset(ds), _mm256_shuffle_ps(e, g, 0xee));
                _mm256_storeu_ps(at.wrapping_offset(2 * ds), _mm256_shuffle_ps(f, i, 0x44));
                _mm256_storeu_ps(at.wrapping_offset(3 * ds), _mm256_shuffle_ps(f, i, 0xee));
            }
        }
    }
    #[inline(always)]
    unsafe fn halves_pd(a: __m512d) -> __m256d {
        // SAFETY: the caller has AVX-512.
        unsafe { _mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1)) }
    }
    #[inline(always)]
    unsafe fn halves_ps(a: __m512) -> __m256 {
        // SAFETY: the caller has AVX-512 with DQ.
        unsafe { _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1)) }
    }

    #[inline(always)]
    unsafe fn turn_int(src: *const i32, rs: isize, dst: *mut i32, ds: isize) {
        // SAFETY: passed on; moving bits asks for no kind of number.
        unsafe { turn_ps(src.cast(), rs, dst.cast(), ds) }
    }
    macro_rules! int {
        ($($name:ident($($x:ident: $t:ty),*) $(-> $out:ty)? { $($body:tt)* })*) => { $(
            #[inline(always)]
            unsafe fn $name($($x: $t),*) $(-> $out)? {
                // SAFETY: memory is the caller's promise, and the caller has the instruction set.
                unsafe { $($body)* }
            }
        )* };
    }
    int! {
        stream_int(p: *mut i32, x: __m512i) { _mm512_stream_si512(p.cast(), x) }
        stream_half(p: *mut i32, x: __m256i) { _mm256_stream_si256(p.cast(), x) }
        store_half(p: *mut i32, x: __m256i) { _mm256_storeu_si256(p.cast(), x) }
        load_half(p: *const i32) -> __m256i { _mm256_loadu_si256(p.cast()) }
        wide_fma(a: __m512i, b: __m512i, c: __m512i) -> __m512i { _mm512_add_epi32(_mm512_mullo_epi32(a, b), c) }
        half_fma(a: __m256i, b: __m256i, c: __m256i) -> __m256i { _mm256_add_epi32(_mm256_mullo_epi32(a, b), c) }
        words_fma(a: __m512i, b: __m512i, c: __m512i) -> __m512i { _mm512_dpwssd_epi32(c, a, b) }
        bytes_fma(a: __m512i, b: __m512i, c: __m512i) -> __m512i { _mm512_dpbusd_epi32(c, a, b) }
        join_words(p: *const i32, step: isize, columns: usize, m: __mmask16, _left: bool) -> __m512i {
            let low = _mm512_maskz_loadu_epi32(m, p);
            let high = if columns > 1 { _mm512_maskz_loadu_epi32(m, p.wrapping_offset(step)) } else { _mm512_setzero_si512() };
            _mm512_mask_blend_epi16(0xaaaa_aaaa, low, _mm512_slli_epi32(high, 16))
        }
        join_bytes(p: *const i32, step: isize, columns: usize, m: __mmask16, left: bool) -> __m512i {
            let one = |c: usize| if c < columns { _mm512_maskz_loadu_epi32(m, p.wrapping_offset(c as isize * step)) } else { _mm512_setzero_si512() };
            let even = _mm512_mask_blend_epi16(0xaaaa_aaaa, one(0), _mm512_slli_epi32(one(2), 16));
            let odd = _mm512_mask_blend_epi16(0xaaaa_aaaa, one(1), _mm512_slli_epi32(one(3), 16));
            let all = _mm512_mask_blend_epi8(0xaaaa_aaaa_aaaa_aaaa, even, _mm512_slli_epi16(odd, 8));
            if left { _mm512_xor_si512(all, _mm512_set1_epi8(-128)) } else { all }
        }
        one_word(p: *const i32, step: isize, columns: usize, _left: bool) -> i32 {
            let high = if columns > 1 { p.wrapping_offset(step).read() } else { 0 };
            p.read() & 0xffff | high << 16
        }
        one_byte(p: *const i32, step: isize, columns: usize, left: bool) -> i32 {
            let bytes = if step == 1 && columns == 4 {
                _mm_cvtsi128_si32(_mm_cvtepi32_epi8(_mm_loadu_si128(p.cast())))
            } else {
                (0..columns).fold(0, |all, c| all | (p.wrapping_offset(c as isize * step).read() & 0xff) << (8 * c))
            };
            if left { bytes ^ 0x8080_8080_u32 as i32 } else { bytes }
        }
        byte_starts(p: *mut i32, steps: usize) {
            let by = _mm256_set1_epi8(-128);
            let sum = (0..steps).fold(_mm256_setzero_si256(), |sum, s| _mm256_dpbusd_epi32(sum, by, load_half(p.add(8 * s))));
            store_half(p.add(8 * steps), _mm256_sub_epi32(_mm256_setzero_si256(), sum));
        }
    }
    #[inline(always)]
    unsafe fn no_starts(_p: *mut i32, _steps: usize) {}
    /// The items of [`Lanes`] for lanes of several numbers.
    macro_rules! joined {
        ($n:literal $join:ident $one:ident $starts:ident) => {
            const JOINED: usize = $n;
            #[inline(always)]
            unsafe fn join(p: *const i32, step: isize, columns: usize, m: __mmask16, left: bool) -> Self {
                unsafe { Self($join(p, step, columns, m, left)) }
            }
            #[inline(always)]
            unsafe fn join_one(p: *const i32, step: isize, columns: usize, left: bool) -> i32 {
                unsafe { $one(p, step, columns, left) }
            }
            #[inline(always)]
            unsafe fn starts(p: *mut i32, steps: usize) {
                unsafe { $starts(p, steps) }
            }
        };
    }

    macro_rules! lanes {
        ($($T:ident($R:ident) $E:ident [$($joined:tt)*] $N:literal $COLS:literal $M:ident = |$k:ident| $mask:expr; $B:literal $turn:ident
            $zero:ident $set:ident $load:ident $store:ident $stream:ident $fma:ident $add:ident $mul:ident |$px:ident| $pairs:expr;
            |$lp:ident, $lm:ident| $loadm:expr; |$sx:ident, $sp:ident, $sm:ident| $storem:expr;
            |$a:ident, $out:ident| $fold:expr;)*) => { $(
            /// A register of this instruction set.
            #[derive(Clone, Copy)]
            pub(crate) struct $T($R);
            // SAFETY (for every block below): memory is the caller's promise; the method is inlined into a function with
            // the target features.
            #[allow(clippy::undocumented_unsafe_blocks, unused_unsafe)]
            impl Lanes for $T {
                type E = $E;
                $($joined)*
                type Mask = $M;
                const N: usize = $N;
                const COLS: usize = $COLS;
                // Of sixteen registers three are too many: the sums, the mask and both factors do not fit.
                const ROWS: usize = if $COLS == 8 { 3 } else { 2 };
                #[inline(always)]
                unsafe fn fetch(p: *const $E) {
                    unsafe { _mm_prefetch(p.cast(), _MM_HINT_T0) }
                }
                #[inline(always)]
                unsafe fn near(p: *const u8) {
                    unsafe { _mm_prefetch(p.cast(), _MM_HINT_T1) }
                }
                const BLOCK: usize = $B;
                #[inline(always)]
                unsafe fn turn(src: *const $E, rs: isize, dst: *mut $E, ds: isize) {
                    unsafe { $turn(src, rs, dst, ds) }
                }
                #[inline(always)]
                fn zero() -> Self {
                    unsafe { $T($zero()) }
                }
                #[inline(always)]
                fn mask($k: usize) -> $M {
                    unsafe { $mask }
                }
                #[inline(always)]
                unsafe fn splat(p: *const $E) -> Self {
                    unsafe { $T($set(*p)) }
                }
                #[inline(always)]
                unsafe fn load(p: *const $E) -> Self {
                    unsafe { $T($load(p)) }
                }
                #[inline(always)]
                unsafe fn load_mask($lp: *const $E, $lm: $M) -> Self {
                    unsafe { $T($loadm) }
                }
                #[inline(always)]
                unsafe fn store(self, p: *mut $E) {
                    unsafe { $store(p, self.0) }
                }
                #[inline(always)]
                unsafe fn stream(self, p: *mut $E) {
                    unsafe { $stream(p, self.0) }
                }
                #[inline(always)]
                fn fence() {
                    unsafe { _mm_sfence() }
                }
                #[inline(always)]
                unsafe fn store_mask(self, $sp: *mut $E, $sm: $M) {
                    let $sx = self.0;
                    unsafe { $storem }
                }
                #[inline(always)]
                fn fma(self, b: Self, c: Self) -> Self {
                    unsafe { $T($fma(self.0, b.0, c.0)) }
                }
                #[inline(always)]
                fn add(self, o: Self) -> Self {
                    unsafe { $T($add(self.0, o.0)) }
                }
                #[inline(always)]
                fn mul(self, o: Self) -> Self {
                    unsafe { $T($mul(self.0, o.0)) }
                }
                #[inline(always)]
                fn pairs(self) -> Self {
                    let $px = self.0;
                    unsafe { $T($pairs) }
                }
                #[inline(always)]
                unsafe fn fold4<const U: usize>($a: [[Self; U]; 4], $out: *mut $E) {
                    unsafe { $fold }
                }
            }
        )* };
    }
    lanes! {
        Z64(__m512d) f64 [] 8 8 __mmask8 = |k| ((1u32 << k) - 1) as __mmask8; 4 turn_pd
            _mm512_setzero_pd _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_stream_pd _mm512_fmadd_pd _mm512_add_pd
            _mm512_mul_pd |x| _mm512_permute_pd(x, 0x55);
            |p, m| _mm512_maskz_loadu_pd(m, p); |x, p, m| _mm512_mask_storeu_pd(p, m, x);
            |a, out| fold_pd([halves_pd(a[0][0].0), halves_pd(a[1][0].0), halves_pd(a[2][0].0), halves_pd(a[3][0].0)], out);
        Z32(__m512) f32 [] 16 8 __mmask16 = |k| ((1u32 << k) - 1) as __mmask16; 8 turn_ps
            _mm512_setzero_ps _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_stream_ps _mm512_fmadd_ps _mm512_add_ps
            _mm512_mul_ps |x| _mm512_permute_ps(x, 0xb1);
            |p, m| _mm512_maskz_loadu_ps(m, p); |x, p, m| _mm512_mask_storeu_ps(p, m, x);
            |a, out| fold_ps([halves_ps(a[0][0].0), halves_ps(a[1][0].0), halves_ps(a[2][0].0), halves_ps(a[3][0].0)], out);
        Y64(__m256d) f64 [] 4 4 __m256i = |k| _mm256_cmpgt_epi64(_mm256_set1_epi64x(k as i64), _mm256_setr_epi64x(0, 1, 2, 3)); 4 turn_pd
            _mm256_setzero_pd _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_stream_pd _mm256_fmadd_pd _mm256_add_pd
            _mm256_mul_pd |x| _mm256_permute_pd(x, 0x5);
            |p, m| _mm256_maskload_pd(p, m); |x, p, m| _mm256_maskstore_pd(p, m, x);
            |a, out| fold_pd([
                _mm256_add_pd(a[0][0].0, a[0][U - 1].0), _mm256_add_pd(a[1][0].0, a[1][U - 1].0),
                _mm256_add_pd(a[2][0].0, a[2][U - 1].0), _mm256_add_pd(a[3][0].0, a[3][U - 1].0),
            ], out);
        Y32(__m256) f32 [] 8 4 __m256i = |k| _mm256_cmpgt_epi32(_mm256_set1_epi32(k as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); 8 turn_ps
            _mm256_setzero_ps _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_stream_ps _mm256_fmadd_ps _mm256_add_ps
            _mm256_mul_ps |x| _mm256_permute_ps(x, 0xb1);
            |p, m| _mm256_maskload_ps(p, m); |x, p, m| _mm256_maskstore_ps(p, m, x);
            |a, out| fold_ps([
                _mm256_add_ps(a[0][0].0, a[0][U - 1].0), _mm256_add_ps(a[1][0].0, a[1][U - 1].0),
                _mm256_add_ps(a[2][0].0, a[2][U - 1].0), _mm256_add_ps(a[3][0].0, a[3][U - 1].0),
            ], out);
        Zi(__m512i) i32 [] 16 8 __mmask16 = |k| ((1u32 << k) - 1) as __mmask16; 8 turn_int
            _mm512_setzero_si512 _mm512_set1_epi32 _mm512_loadu_epi32 _mm512_storeu_epi32 stream_int wide_fma _mm512_add_epi32
            _mm512_mullo_epi32 |x| _mm512_shuffle_epi32(x, 0xb1);
            |p, m| _mm512_maskz_loadu_epi32(m, p); |x, p, m| _mm512_mask_storeu_epi32(p, m, x);
            |a, out| (0..4).for_each(|r| out.add(r).write(_mm512_reduce_add_epi32(a[r][0].0)));
        Zw(__m512i) i32 [joined! { 2 join_words one_word no_starts }] 16 8 __mmask16 = |k| ((1u32 << k) - 1) as __mmask16; 8 turn_int
            _mm512_setzero_si512 _mm512_set1_epi32 _mm512_loadu_epi32 _mm512_storeu_epi32 stream_int words_fma _mm512_add_epi32
            _mm512_mullo_epi32 |x| _mm512_shuffle_epi32(x, 0xb1);
            |p, m| _mm512_maskz_loadu_epi32(m, p); |x, p, m| _mm512_mask_storeu_epi32(p, m, x);
            |a, out| (0..4).for_each(|r| out.add(r).write(_mm512_reduce_add_epi32(a[r][0].0)));
        Zb(__m512i) i32 [joined! { 4 join_bytes one_byte byte_starts }] 16 8 __mmask16 = |k| ((1u32 << k) - 1) as __mmask16; 8 turn_int
            _mm512_setzero_si512 _mm512_set1_epi32 _mm512_loadu_epi32 _mm512_storeu_epi32 stream_int bytes_fma _mm512_add_epi32
            _mm512_mullo_epi32 |x| _mm512_shuffle_epi32(x, 0xb1);
            |p, m| _mm512_maskz_loadu_epi32(m, p); |x, p, m| _mm512_mask_storeu_epi32(p, m, x);
            |a, out| (0..4).for_each(|r| out.add(r).write(_mm512_reduce_add_epi32(a[r][0].0)));
        Yi(__m256i) i32 [] 8 4 __m256i = |k| _mm256_cmpgt_epi32(_mm256_set1_epi32(k as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); 8 turn_int
            _mm256_setzero_si256 _mm256_set1_epi32 load_half store_half stream_half half_fma _mm256_add_epi32
            _mm256_mullo_epi32 |x| _mm256_shuffle_epi32(x, 0xb1);
            |p, m| _mm256_maskload_epi32(p, m); |x, p, m| _mm256_maskstore_epi32(p, m, x);
            |a, out| (0..4).for_each(|r| {
                let mut lanes = [0; 8];
                store_half(lanes.as_mut_ptr(), _mm256_add_epi32(a[r][0].0, a[r][U - 1].0));
                out.add(r).write(lanes.into_iter().fold(0, i32::wrapping_add));
            });
    }
}
