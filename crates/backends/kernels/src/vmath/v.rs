//! One vector of floats as a trait: the formulas of this module are written once against it and compiled for each
//! instruction set.
//!
//! Every operation gives the same bits on every implementation (the bits of a NaN aside), so the formulas do too. No
//! method takes a closure and every method is `#[inline(always)]`: the intrinsics only become instructions where they
//! are inlined into a function that has their target features.

/// Sixteen numbers, for [`V::lookup`], in both precisions.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Lut {
    /// For lanes of `f32`.
    pub s: [f32; 16],
    /// For lanes of `f64`.
    pub d: [f64; 16],
}
/// A function of one vector: a type, never a closure, because closures are compiled without the target features of the
/// function around them, at a twenty-fifth of the speed.
pub trait Un {
    /// The value of the function in every lane.
    fn f<T: V>(x: T) -> T;
}
/// A function of two vectors.
pub trait Bin {
    /// The value of the function in every lane.
    fn f<T: V>(x: T, y: T) -> T;
}

/// A vector of `N` floats of one type, or a recorder of what is done to one.
///
/// `Mask` says for each lane whether a comparison held.
pub trait V: Copy {
    /// One element.
    type E: Copy;
    /// The outcome of a comparison.
    type Mask: Copy;
    /// Lanes.
    const N: usize;
    /// Whether an element is an `f64` (rather than an `f32`).
    const DBL: bool;

    /// Every lane the value with these bits (the low 32 for `f32`).
    fn bits(x: u64) -> Self;
    /// Every lane `x`, rounded to the element type.
    #[inline(always)]
    fn c(x: f64) -> Self {
        if Self::DBL { Self::bits(x.to_bits()) } else { Self::bits((x as f32).to_bits() as u64) }
    }
    /// The constant of the element type.
    #[inline(always)]
    fn pick(single: f64, double: f64) -> Self {
        Self::c(if Self::DBL { double } else { single })
    }

    /// # Safety
    /// `N` elements are readable at `p`.
    unsafe fn load(p: *const Self::E) -> Self;
    /// The first `k < N` lanes from memory, zeros above.
    /// # Safety
    /// `k` elements are readable at `p`.
    unsafe fn load_part(p: *const Self::E, k: usize) -> Self;
    /// # Safety
    /// `N` elements are writable at `p`.
    unsafe fn store(self, p: *mut Self::E);
    /// Every lane the element at `p`.
    /// # Safety
    /// It is readable.
    unsafe fn splat(p: *const Self::E) -> Self;
    /// Only the first `k < N` lanes.
    /// # Safety
    /// `k` elements are writable at `p`.
    unsafe fn store_part(self, p: *mut Self::E, k: usize);

    /// `self + o`, rounded.
    fn add(self, o: Self) -> Self;
    /// `self - o`, rounded.
    fn sub(self, o: Self) -> Self;
    /// `self * o`, rounded.
    fn mul(self, o: Self) -> Self;
    /// `self / o`, rounded.
    fn div(self, o: Self) -> Self;
    /// The square root, rounded.
    fn sqrt(self) -> Self;
    /// `self < o ? self : o`: `o` where either is NaN and where both are zeros.
    fn min(self, o: Self) -> Self;
    /// `self > o ? self : o`: `o` where either is NaN and where both are zeros.
    fn max(self, o: Self) -> Self;
    /// `self * b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// `c - self * b`, rounded once.
    fn fnma(self, b: Self, c: Self) -> Self;

    /// The bits set in both.
    fn and(self, o: Self) -> Self;
    /// The bits set in either.
    fn or(self, o: Self) -> Self;
    /// The bits set in one of them.
    fn xor(self, o: Self) -> Self;
    /// Lanes as integers of their width, wrapping.
    fn iadd(self, o: Self) -> Self;
    /// Lanes as integers of their width, wrapping.
    fn isub(self, o: Self) -> Self;
    /// Lanes as integers, shifted left by `k` below their width.
    fn shl(self, k: u32) -> Self;
    /// Lanes as integers, shifted right by `k` below their width, zeros from above.
    fn shr(self, k: u32) -> Self;

    /// `a < b`; false where either is NaN.
    fn lt(a: Self, b: Self) -> Self::Mask;
    /// `a == b`; false where either is NaN.
    fn eq(a: Self, b: Self) -> Self::Mask;
    /// True in lanes whose bit 0 is set.
    fn odd(self) -> Self::Mask;
    /// `m ? a : b`.
    fn sel(m: Self::Mask, a: Self, b: Self) -> Self;
    /// Whether any lane holds.
    fn any(m: Self::Mask) -> bool;
    /// The entry of `t` that the low four bits of the lane number.
    fn lookup(self, t: &'static Lut) -> Self;
    /// `self`, but `F` of `x` in the lanes where `m` holds: for rare arguments that the usual formula does not cover.
    /// Implementations may skip `F` where no lane holds, and may keep it out of line.
    fn rare<F: Un>(self, m: Self::Mask, x: Self) -> Self;

    /// Exchanges rows and lanes of a square of `N` vectors: element `l` of vector `i` and element `i` of vector `l`. (Nothing, where
    /// there are not so many.)
    #[inline(always)]
    fn turn(rows: &mut [Self]) {
        if rows.len() != Self::N || size_of::<Self>() != Self::N * size_of::<Self::E>() {
            return;
        }
        let p = rows.as_mut_ptr().cast::<Self::E>();
        for i in 0..Self::N {
            for l in 0..i {
                // SAFETY: a vector is its `N` elements, and there are `N` vectors.
                unsafe { std::ptr::swap(p.add(i * Self::N + l), p.add(l * Self::N + i)) };
            }
        }
    }
    /// `self`. It is `x` wherever `m` does not hold, so an implementation may go on with `x` before `self` is there.
    #[inline(always)]
    fn unless(self, _m: Self::Mask, _x: Self) -> Self {
        self
    }

    /// `1.5 * 2^(bits of the significand - 1)`: its sum with a small `x` has the rounded integer in its low bits.
    #[inline(always)]
    fn magic() -> Self {
        Self::pick(12_582_912.0, 6_755_399_441_055_744.0)
    }
    /// The sign bit of every lane.
    #[inline(always)]
    fn sign_bit() -> Self {
        Self::bits(if Self::DBL { 1 << 63 } else { 1 << 31 })
    }
    /// The sign bits of `self`.
    #[inline(always)]
    fn sign(self) -> Self {
        self.and(Self::sign_bit())
    }
    /// The modulus.
    #[inline(always)]
    fn abs(self) -> Self {
        self.and(Self::bits(if Self::DBL { !0 >> 1 } else { 0x7fff_ffff }))
    }
    /// Is it below infinity? (False for NaN; meant for `self >= 0`.)
    #[inline(always)]
    fn below_inf(self) -> Self::Mask {
        Self::lt(self, Self::c(f64::INFINITY))
    }

    /// `self * 2^n`, rounded once, for integers |n| up to 2200 (f32: 300) and `self` near 1 or NaN.
    #[inline(always)]
    fn scalef(self, n: Self) -> Self {
        let (m, one, mant) = (Self::magic(), Self::c(1.0), if Self::DBL { 52 } else { 23 });
        let t = n.mul(Self::c(0.5)).add(m);
        let u = n.sub(t.sub(m)).add(m);
        // The low bits of `t` and `u` are the two halves of `n`; the shift drops everything above an exponent.
        let (s, t) = (t.shl(mant).iadd(one), u.shl(mant).iadd(one));
        self.mul(s).mul(t)
    }
    /// `(e, m)` with |self| = m·2^e and m in [0.75, 1.5). Zero gives (−∞, 1), infinity (∞, 1), NaN a NaN `e`.
    #[inline(always)]
    fn log_parts(self) -> (Self, Self) {
        let (a, one, mant) = (self.abs(), Self::c(1.0), if Self::DBL { 52 } else { 23 });
        let tiny = Self::lt(a, Self::pick(f32::MIN_POSITIVE as f64, f64::MIN_POSITIVE));
        let y = Self::sel(tiny, a.mul(Self::pick(16_777_216.0, 18_014_398_509_481_984.0)), a);
        // The exponent field of `j` is that of the power of two that brings `y` into [0.75, 1.5).
        let j = y.iadd(Self::bits(1 << (mant - 1)));
        let m = y.isub(j.shr(mant).shl(mant)).iadd(one);
        // The field as the low bits of a float.
        let f = j.shr(mant).or(Self::pick(8_388_608.0, 4_503_599_627_370_496.0));
        let bias = Self::pick(8_388_608.0 + 127.0, 4_503_599_627_370_496.0 + 1023.0);
        let more = Self::pick(8_388_608.0 + 127.0 + 24.0, 4_503_599_627_370_496.0 + 1023.0 + 54.0);
        let e = f.sub(Self::sel(tiny, more, bias));
        let e = Self::sel(a.below_inf(), e, a);
        (Self::sel(Self::eq(a, Self::c(0.0)), Self::c(f64::NEG_INFINITY), e), m)
    }
}

/// `Σ c[i] xⁱ` by Horner's rule.
#[inline(always)]
pub(super) fn horner<T: V>(c: &[f64], x: T) -> T {
    let mut i = c.len() - 1;
    let mut p = T::c(c[i]);
    while i > 0 {
        i -= 1;
        p = p.fma(x, T::c(c[i]));
    }
    p
}
/// `Σ c[i] xⁱ` by pairs, `(c₀ + c₁ x) + x² ((c₂ + c₃ x) + x² (…))`: about half the latency of Horner's rule for one
/// multiplication more, a constant to be fetched for each pair, and another rounding in the place of the result. Long loops
/// lose by it where other work keeps the units busy (4 % of a loop over `exp`), so it is for functions that wait for
/// themselves. (G. Estrin, "Organization of computer systems: the fixed plus variable structure computer", 1960; only the
/// first of his steps.)
#[inline(always)]
pub(super) fn pairs<T: V>(c: &[f64], x: T) -> T {
    let xx = x.mul(x);
    let mut i = (c.len() - 1) & !1;
    let mut p = pair(c, i, x);
    while i > 0 {
        i -= 2;
        p = p.fma(xx, pair(c, i, x));
    }
    p
}
#[inline(always)]
fn pair<T: V>(c: &[f64], i: usize, x: T) -> T {
    if i + 1 < c.len() { x.fma(T::c(c[i + 1]), T::c(c[i])) } else { T::c(c[i]) }
}
/// [`pairs`] of f64, where polynomials are long, [`horner`] of f32: for polynomials that are small beside what they are
/// added to.
#[inline(always)]
pub(super) fn tail<T: V>(single: &[f64], double: &[f64], x: T) -> T {
    if T::DBL { pairs(double, x) } else { horner(single, x) }
}
/// [`horner`] with the coefficients of the element type.
#[inline(always)]
pub(super) fn poly<T: V>(single: &[f64], double: &[f64], x: T) -> T {
    horner(if T::DBL { double } else { single }, x)
}
