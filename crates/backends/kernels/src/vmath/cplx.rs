//! Functions of complex numbers over the vector functions of reals, in `f64` throughout: pairs of `f32` are rounded once.
//!
//! The formulas serve ordinary arguments. Each says which lanes are not (zeros, infinities, NaN, what would overflow on
//! the way); those go through [`crate::scalar::complex`], so special values are the same everywhere.
use super::kern::Patch;
#[cfg(target_arch = "aarch64")]
use super::neon;
use super::v::V;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use super::{exp, log, one, trig};
use crate::functions::functions;
use crate::isa::Isa;
use crate::kernel::{KernelFn, Src};
use crate::scalar::complex as cx;
use tfc_ir::{C32, C64, DType, ScalarOp};

/// A function of complex numbers: the parts, and not 0 where the argument is no ordinary one.
trait Cx {
    const ARITY: usize;
    fn f<T: V>(a: [T; 2], b: [T; 2]) -> [T; 3];
    fn rare(a: C64, b: C64) -> C64;
}
/// 0 where `lo < x < hi`, else 1.
#[inline(always)]
fn outside<T: V>(x: T, lo: f64, hi: f64) -> T {
    let (zero, one) = (T::c(0.0), T::c(1.0));
    T::sel(T::lt(T::c(lo), x), T::sel(T::lt(x, T::c(hi)), zero, one), one)
}
/// True in lanes where |x| + |y| is too small or too large to be squared.
#[inline(always)]
fn unfit<T: V>([x, y]: [T; 2]) -> T {
    outside(x.abs().add(y.abs()), 1e-140, 1e140)
}
/// a b + c d, the errors of the products put back.
#[inline(always)]
fn dot<T: V>(a: T, b: T, c: T, d: T) -> T {
    let (p, q) = (a.mul(b), c.mul(d));
    p.add(q).add(a.fma(b, p.xor(T::sign_bit())).add(c.fma(d, q.xor(T::sign_bit()))))
}

struct Div;
impl Cx for Div {
    const ARITY: usize = 2;
    #[inline(always)]
    fn f<T: V>([x, y]: [T; 2], [u, v]: [T; 2]) -> [T; 3] {
        let d = u.mul(u).add(v.mul(v));
        let minus = x.xor(T::sign_bit());
        // 0 is an ordinary dividend, but that the sum of the errors, +0, must not touch the sign of a quotient.
        let zero = T::c(0.0);
        let none = T::eq(x.abs().add(y.abs()), zero);
        let signed = |a: T, b: T| T::sel(none, a.mul(u).add(b.mul(v)), dot(a, u, b, v)).div(d);
        [signed(x, y), signed(y, minus), T::sel(none, zero, unfit([x, y])).add(unfit([u, v]))]
    }
    fn rare(a: C64, b: C64) -> C64 {
        cx::div(a, b)
    }
}
macro_rules! one_operand {
    ($($K:ident $rare:path, |$x:ident, $y:ident| $body:block)*) => { $(
        struct $K;
        impl Cx for $K {
            const ARITY: usize = 1;
            #[inline(always)]
            fn f<T: V>([$x, $y]: [T; 2], _: [T; 2]) -> [T; 3] $body
            fn rare(a: C64, _: C64) -> C64 {
                $rare(a)
            }
        }
    )* };
}
one_operand! {
    Exp cx::exp, |x, y| {
        let (n, h, l) = exp::exp_parts(x, T::c(0.0));
        let (c, s) = (trig::cos(y), trig::sin(y));
        let bad = outside(x, -700.0, 700.0).add(outside(y, -1e300, 1e300));
        // Scaled before it is multiplied: where a sine is denormal, scaling the product would round it a second time, and only
        // where that takes two steps.
        let (h, l) = (h.scalef(n), l.scalef(n));
        [h.fma(c, l.mul(c)), h.fma(s, l.mul(s)), bad]
    }
    Log cx::log, |x, y| {
        // log |z| = log(x² + y²) / 2, the square in two parts.
        let (a, b) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
        let (p, q) = (a.mul(a), b.mul(b));
        let (e, f) = (a.fma(a, p.xor(T::sign_bit())), b.fma(b, q.xor(T::sign_bit())));
        let r = p.add(q);
        let l = p.sub(r).add(q).add(e.add(f));
        // The logarithm holds its divisor, a square, between 1e-20 and 1e100. The sum is of x and y: a and b have lost a NaN.
        let bad = outside(x.abs().add(y.abs()), 1e-9, 1e49);
        [log::log_sum(r, l).mul(T::c(0.5)), trig::atan2(y, x), bad]
    }
    Sqrt cx::sqrt, |x, y| {
        let a = x.abs();
        let t = T::c(0.5).mul(a.add(x.fma(x, y.mul(y)).sqrt())).sqrt();
        let other = y.abs().div(t.add(t));
        let left = T::lt(x, T::c(0.0));
        [T::sel(left, other, t), T::sel(left, t, other).or(y.sign()), unfit([x, y])]
    }
    Sin cx::sin, |x, y| {
        let bad = outside(y, -700.0, 700.0).add(outside(x, -1e300, 1e300));
        [trig::sin(x).mul(exp::cosh(y)), trig::cos(x).mul(exp::sinh(y)), bad]
    }
    Cos cx::cos, |x, y| {
        let bad = outside(y, -700.0, 700.0).add(outside(x, -1e300, 1e300));
        [trig::cos(x).mul(exp::cosh(y)), trig::sin(x).mul(exp::sinh(y.xor(T::sign_bit()))), bad]
    }
    Sinh cx::sinh, |x, y| {
        let bad = outside(x, -700.0, 700.0).add(outside(y, -1e300, 1e300));
        [exp::sinh(x).mul(trig::cos(y)), exp::cosh(x).mul(trig::sin(y)), bad]
    }
    Cosh cx::cosh, |x, y| {
        let bad = outside(x, -700.0, 700.0).add(outside(y, -1e300, 1e300));
        [exp::cosh(x).mul(trig::cos(y)), exp::sinh(x).mul(trig::sin(y)), bad]
    }
    Tanh cx::tanh, |x, y| {
        // (sinh x cosh x + i sin y cos y) / (sinh² x + cos² y): the sum does not cancel.
        let (h, s, c) = (exp::sinh(x), trig::sin(y), trig::cos(y));
        let d = h.fma(h, c.mul(c));
        [h.mul(exp::cosh(x)).div(d), s.mul(c).div(d), outside(x, -20.0, 20.0).add(outside(y, -1e300, 1e300))]
    }
}

/// Pairs that go through pairs of `f64`.
trait Elem: Copy {
    fn wide(self) -> C64;
    fn narrow(z: C64) -> Self;
}
impl Elem for C64 {
    #[inline(always)]
    fn wide(self) -> C64 {
        self
    }
    #[inline(always)]
    fn narrow(z: C64) -> C64 {
        z
    }
}
impl Elem for C32 {
    #[inline(always)]
    fn wide(self) -> C64 {
        C64::new(self.re as f64, self.im as f64)
    }
    #[inline(always)]
    fn narrow(z: C64) -> C32 {
        C32::new(z.re as f32, z.im as f32)
    }
}

/// Elements that are taken apart at a time: a multiple of every vector's lanes.
const CHUNK: usize = 64;

/// # Safety
/// As [`crate::kernel::Kernel::run`].
#[inline(always)]
unsafe fn run<F: Cx, P: Elem, T: V<E = f64>>(n: usize, s: &[Src; 3], dst: *mut u8) {
    let d = dst.cast::<P>();
    // What a last piece leaves unset is an ordinary argument.
    let mut parts = [[1.0f64; CHUNK]; 4];
    let mut out = [[0.0f64; CHUNK]; 3];
    let mut i = 0;
    while i < n {
        let k = CHUNK.min(n - i);
        for o in 0..F::ARITY {
            let p = s[o].ptr.cast::<P>();
            for j in 0..k {
                // SAFETY: element `i + j < n` of an operand.
                let z = unsafe { p.offset((i + j) as isize * s[o].stride).read() }.wide();
                (parts[2 * o][j], parts[2 * o + 1][j]) = (z.re, z.im);
            }
        }
        let mut j = 0;
        while j < k {
            // SAFETY: the arrays have room for whole vectors.
            unsafe {
                let a = [T::load(parts[0].as_ptr().add(j)), T::load(parts[1].as_ptr().add(j))];
                let b = [T::load(parts[2].as_ptr().add(j)), T::load(parts[3].as_ptr().add(j))];
                let v = F::f::<T>(a, b);
                v[0].store(out[0].as_mut_ptr().add(j));
                v[1].store(out[1].as_mut_ptr().add(j));
                v[2].store(out[2].as_mut_ptr().add(j));
            }
            j += T::N;
        }
        for j in 0..k {
            let mut z = C64::new(out[0][j], out[1][j]);
            if out[2][j] != 0.0 {
                z = F::rare(C64::new(parts[0][j], parts[1][j]), C64::new(parts[2][j], parts[3][j]));
            }
            // SAFETY: element `i + j < n` of the result; operands were read up to here.
            unsafe { d.add(i + j).write(P::narrow(z)) };
        }
        i += k;
    }
}
macro_rules! entries {
    ($($name:ident $T:ty $(, $features:literal)?;)*) => { $(
        /// # Safety
        /// As [`crate::kernel::Kernel::run`], on a machine with the instruction set of the name.
        $(#[target_feature(enable = $features)])?
        unsafe fn $name<F: Cx, P: Elem>(n: usize, s: &[Src; 3], dst: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { run::<F, P, $T>(n, s, dst) }
        }
    )* };
}
entries! { scalar one::F64x1; }
#[cfg(target_arch = "x86_64")]
entries! {
    avx2 avx2::F64x4, "avx2,fma";
    avx512 avx512::F64x8, "avx512f,avx512dq,avx512vl,avx2,fma";
}
#[cfg(target_arch = "aarch64")]
entries! { neon neon::F64x2; }

fn on<F: Cx, P: Elem>(isa: Isa) -> Option<KernelFn> {
    Some(match isa {
        Isa::Scalar => scalar::<F, P>,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => avx2::<F, P>,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => avx512::<F, P>,
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => neon::<F, P>,
        _ => return None,
    })
}
fn either<F: Cx>(isa: Isa, d: DType) -> Option<KernelFn> {
    match d {
        DType::C32 => on::<F, C32>(isa),
        DType::C64 => on::<F, C64>(isa),
        _ => None,
    }
}
/// Where [`PairPatches`] keep what they hand to one another: vectors behind the three that a patch is called with.
const KEPT: usize = 256;
/// Patches that put right what a formula of [`formula`] gives for arguments that are no ordinary ones, on vectors of eight `f64`.
///
/// They are run one after the other, under one mask, for the lanes that it holds: `keep`, for each part of the operands but the last,
/// in order, with the part as `x`; then `first`, with the last part as `x` and the formula's real parts as `v`; then `second`,
/// with its imaginary parts as `v`. Between the first and the last no others are run.
#[derive(Clone, Copy, Debug)]
pub struct PairPatches {
    /// Operands of the function.
    pub arity: usize,
    /// Keep a part each, and leave `v`.
    pub keep: [Patch; 3],
    /// Puts the real parts right.
    pub first: Patch,
    /// Puts the imaginary parts right.
    pub second: Patch,
}
/// The lanes of the mask of a patch.
///
/// # Safety
/// As for a [`Patch`] on vectors of eight lanes.
unsafe fn lanes(area: *mut u8) -> impl Iterator<Item = usize> {
    // SAFETY: by contract: the mask lies behind two vectors.
    let mask = unsafe { area.add(128).cast::<u64>().read_unaligned() };
    (0..8).filter(move |j| mask >> j & 1 == 1)
}
/// # Safety
/// As for a [`Patch`] of [`PairPatches`].
unsafe fn keep<const PART: usize>(area: *mut u8) {
    // SAFETY: by contract: there is room for what is kept.
    unsafe { std::ptr::copy_nonoverlapping(area, area.add(KEPT + 64 * PART), 64) }
}
/// # Safety
/// As for a [`Patch`] of [`PairPatches`].
unsafe fn first<F: Cx>(area: *mut u8) {
    let last = 2 * F::ARITY - 1;
    // SAFETY: by contract: eight lanes each, at `x`, at `v` and among what is kept, whose last place receives the imaginary parts.
    unsafe {
        for j in lanes(area) {
            let kept = |k: usize| area.add(KEPT + 64 * k).cast::<f64>().add(j);
            let part = |k: usize| if k == last { area.cast::<f64>().add(j).read() } else { kept(k).read() };
            let a = C64::new(part(0), part(1));
            let z = F::rare(a, if F::ARITY == 2 { C64::new(part(2), part(3)) } else { a });
            area.add(64).cast::<f64>().add(j).write(z.re);
            kept(3).write(z.im);
        }
    }
}
/// # Safety
/// As for a [`Patch`] of [`PairPatches`].
unsafe fn second(area: *mut u8) {
    // SAFETY: by contract: eight lanes at `v`, and in the last place of what is kept.
    unsafe {
        for j in lanes(area) {
            let im = area.add(KEPT + 64 * 3).cast::<f64>().add(j).read();
            area.add(64).cast::<f64>().add(j).write(im);
        }
    }
}
/// What the kernel of `op` computes on complex operands: its formula on vectors, whose third is not 0 in lanes that the patches are for;
/// `None` where there is none.
pub fn formula<T: V>(op: ScalarOp, a: [T; 2], b: [T; 2]) -> Option<([T; 3], PairPatches)> {
    fn with<F: Cx, T: V>(a: [T; 2], b: [T; 2]) -> ([T; 3], PairPatches) {
        let keep = [keep::<0> as Patch, keep::<1>, keep::<2>];
        (F::f(a, b), PairPatches { arity: F::ARITY, keep, first: first::<F>, second })
    }
    macro_rules! formula_of {
        ([]) => {
            None
        };
        ([$K:ident]) => {
            Some(with::<$K, T>(a, b))
        };
    }
    macro_rules! formulas {
        ($($arity:ident { $($op:ident $real:tt $complex:tt $vector:tt $pairs:tt;)* })*) => {
            match op {
                $($(ScalarOp::$op => formula_of!($pairs),)*)*
                _ => None,
            }
        };
    }
    functions!(formulas)
}
macro_rules! kernel_of {
    ($isa:ident $d:ident []) => {
        None
    };
    ($isa:ident $d:ident [$K:ident]) => {
        either::<$K>($isa, $d)
    };
}
macro_rules! kernels {
    ($($arity:ident { $($op:ident $real:tt $complex:tt $vector:tt $pairs:tt;)* })*) => {
        /// The kernel of `op` on complex operands and results.
        pub(super) fn kernel(isa: Isa, op: ScalarOp, d: DType) -> Option<KernelFn> {
            match op {
                $($(ScalarOp::$op => kernel_of!(isa d $pairs),)*)*
                _ => None,
            }
        }
    };
}
functions!(kernels);
