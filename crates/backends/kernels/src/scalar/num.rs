//! Integers and reals: the operations of TFIR §5 that Rust's operators do not give as they stand.
use tfc_ir::Element;

/// Integers of 32 and 64 bits. Nothing traps: overflow wraps, division by zero has a value.
pub trait Int: Element + PartialOrd {
    /// Width in bits.
    const BITS: u32;
    /// `x / 0` is −1 (all ones for unsigned); `MIN / -1` is `MIN`; otherwise truncated.
    fn idiv(self, d: Self) -> Self;
    /// `x % 0` is `x`; `MIN % -1` is 0; otherwise the sign of the dividend.
    fn irem(self, d: Self) -> Self;
    /// The high half of the double-width product.
    fn imulhi(self, b: Self) -> Self;
    /// Wrapping power. A negative exponent truncates 1/xⁿ: ±1 for a base of ±1, else 0.
    fn ipow(self, n: Self) -> Self;
    /// −1, 0 or 1.
    fn isign(self) -> Self;
    /// Wrapping absolute value.
    fn iabs(self) -> Self;
    /// Left shift; the amount is unsigned, 0 at the width or above.
    fn ishl(self, s: Self) -> Self;
    /// Right shift that repeats the top bit, whatever the type's signedness; the amount is unsigned.
    fn ishr_arith(self, s: Self) -> Self;
    /// Right shift that fills with zeros; the amount is unsigned.
    fn ishr_logical(self, s: Self) -> Self;
}

macro_rules! int {
    ($($t:ident $signed:ident $unsigned:ident $wide:ident $is_signed:literal;)*) => { $(impl Int for $t {
        const BITS: u32 = $t::BITS;
        #[inline(always)]
        fn idiv(self, d: Self) -> Self { if d == 0 { !0 } else { self.wrapping_div(d) } }
        #[inline(always)]
        fn irem(self, d: Self) -> Self { if d == 0 { self } else { self.wrapping_rem(d) } }
        #[inline(always)]
        fn imulhi(self, b: Self) -> Self { ((self as $wide * b as $wide) >> $t::BITS) as $t }
        #[inline(always)]
        fn ipow(self, n: Self) -> Self {
            if $is_signed && (n as $signed) < 0 {
                return match self as $signed {
                    1 => 1,
                    -1 => if n & 1 == 0 { 1 } else { !0 },
                    _ => 0,
                };
            }
            let (mut base, mut e, mut r) = (self, n as $unsigned, 1 as $t);
            while e > 0 {
                if e & 1 == 1 {
                    r = r.wrapping_mul(base);
                }
                base = base.wrapping_mul(base);
                e >>= 1;
            }
            r
        }
        #[inline(always)]
        fn isign(self) -> Self { if $is_signed && (self as $signed) < 0 { !0 } else { (self != 0) as $t } }
        #[inline(always)]
        fn iabs(self) -> Self { if $is_signed { (self as $signed).wrapping_abs() as $t } else { self } }
        #[inline(always)]
        fn ishl(self, s: Self) -> Self {
            let s = s as $unsigned;
            if s >= $t::BITS as $unsigned { 0 } else { self << s }
        }
        #[inline(always)]
        fn ishr_arith(self, s: Self) -> Self {
            let s = (s as $unsigned).min($t::BITS as $unsigned - 1);
            ((self as $signed) >> s) as $t
        }
        #[inline(always)]
        fn ishr_logical(self, s: Self) -> Self {
            let s = s as $unsigned;
            if s >= $t::BITS as $unsigned { 0 } else { ((self as $unsigned) >> s) as $t }
        }
    })* };
}
int! { i32 i32 u32 i64 true; i64 i64 u64 i128 true; u32 i32 u32 u64 false; u64 i64 u64 u128 false; }

/// `f32` and `f64`.
pub trait Real: Element + PartialOrd {
    /// `f` in `f64`, rounded once to this type.
    fn via(self, f: impl Fn(f64) -> f64) -> Self;
    /// `f` of two in `f64`, rounded once to this type.
    fn via2(self, b: Self, f: impl Fn(f64, f64) -> f64) -> Self;
    /// The larger; NaN if either is; −0 is below +0.
    fn fmax(self, b: Self) -> Self;
    /// The smaller; NaN if either is; −0 is below +0.
    fn fmin(self, b: Self) -> Self;
    /// ±1, ±0 or NaN.
    fn fsign(self) -> Self;
    /// The next value from `self` towards `to`; `to` where they are equal; NaN if either is.
    fn next_towards(self, to: Self) -> Self;
}
macro_rules! real {
    ($($t:ident;)*) => { $(impl Real for $t {
        #[inline(always)]
        fn via(self, f: impl Fn(f64) -> f64) -> Self { f(self as f64) as $t }
        #[inline(always)]
        fn via2(self, b: Self, f: impl Fn(f64, f64) -> f64) -> Self { f(self as f64, b as f64) as $t }
        #[inline(always)]
        fn fmax(self, b: Self) -> Self {
            let r = if self > b { self } else { b };
            let r = if self == b { $t::from_bits(self.to_bits() & b.to_bits()) } else { r };
            // The sum of a NaN and anything is a NaN.
            if self.is_nan() | b.is_nan() { self + b } else { r }
        }
        #[inline(always)]
        fn fmin(self, b: Self) -> Self {
            let r = if self < b { self } else { b };
            let r = if self == b { $t::from_bits(self.to_bits() | b.to_bits()) } else { r };
            if self.is_nan() | b.is_nan() { self + b } else { r }
        }
        #[inline(always)]
        fn fsign(self) -> Self { if self.is_nan() | (self == 0.0) { self } else { (1.0 as $t).copysign(self) } }
        #[inline(always)]
        fn next_towards(self, to: Self) -> Self {
            if self.is_nan() || to.is_nan() {
                self + to
            } else if self == to {
                to
            } else if to > self {
                self.next_up()
            } else {
                self.next_down()
            }
        }
    })* };
}
real! { f32; f64; }

/// A float towards an integer type, as `as` does it (truncated; the nearest bound where it is out of range; 0 for NaN), in a
/// form that LLVM vectorises.
pub trait Saturate<I> {
    /// `self as I`.
    fn saturate(self) -> I;
}
macro_rules! saturate {
    ($($f:ident $i:ident;)*) => { $(impl Saturate<$i> for $f {
        #[inline(always)]
        fn saturate(self) -> $i {
            // The lower bound is a float; `high` is the first float above the upper one, or the bound itself.
            let (low, high) = ($i::MIN as $f, $i::MAX as $f);
            let y = if self > low { self } else { low };
            let y = if y < high { y } else { low };
            // SAFETY: `y` is no NaN and in range.
            let r: $i = unsafe { y.to_int_unchecked() };
            let r = if self >= high { $i::MAX } else { r };
            if self.is_nan() { 0 } else { r }
        }
    })* };
}
saturate! { f32 i32; f32 i64; f32 u32; f32 u64; f64 i32; f64 i64; f64 u32; f64 u64; }

/// 1 / (1 + e⁻ˣ), without overflow on either side.
pub fn logistic(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}
