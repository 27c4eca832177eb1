//! Functions of complex numbers over the vector functions of reals, in `f64` throughout: pairs of `f32` are rounded once.
//!
//! The formulas serve ordinary arguments. Each says which lanes are not (zeros, infinities, NaN, what would overflow on
//! the way); those go through [`crate::scalar::complex`], so special values are the same everywhere.
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
        [dot(x, u, y, v).div(d), dot(y, u, minus, v).div(d), unfit([x, y]).add(unfit([u, v]))]
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
