//! Vector math of the CPU engine: elementary functions of `f32` and `f64` within 2 units in the last place on their whole
//! domain (denormals, ±0, infinities and NaN included), as kernels over memory.
//!
//! Each function is written once against the trait `V` and compiled for every instruction set; every set gives the same bits
//! (those of a NaN aside), whatever the length, position or stride of the operands. Arguments of `sin`, `cos` and `tan`
//! beyond the range of the short reduction are reduced by the method of Payne and Hanek, in vectors too.
//! `docs/vmath.md` lists the largest errors found and where.
#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
mod coef;
mod cplx;
mod erf;
mod exp;
mod kern;
mod log;
#[cfg(target_arch = "aarch64")]
pub mod neon;
pub(crate) mod one;
mod payne;
mod pow;
mod root;
mod trig;
pub mod v;

use crate::limit::{Limit, limit};
use crate::scalar::KernelFn;
use kern::{bin, un};
use std::sync::OnceLock;
use tfc_ir::{DType, ScalarOp};
use v::{Bin, Un, V};

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Isa {
    /// One element at a time, any machine; slow where the machine has no fused multiply-add.
    Scalar,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, DQ, VL and BW.
    Avx512,
    /// The vectors that every AArch64 machine has.
    Neon,
}
impl Isa {
    /// All of them, the best last.
    pub const ALL: [Isa; 4] = [Isa::Scalar, Isa::Avx2, Isa::Avx512, Isa::Neon];

    /// Can this machine run it?
    pub fn available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let avx2 = has!("avx2") && has!("fma");
            match self {
                Isa::Scalar => true,
                Isa::Avx2 => avx2,
                Isa::Neon => false,
                Isa::Avx512 => avx2 && has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw"),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Isa::Scalar || cfg!(target_arch = "aarch64") && self == Isa::Neon
        }
    }
    /// The set that [`kernel`] uses: the best of the machine, or what `TFC_CPU=avx2|scalar` limits it to.
    /// `None` where only emulated multiply-adds would be left: the scalar library is faster there.
    pub fn chosen() -> Option<Isa> {
        static CHOSEN: OnceLock<Option<Isa>> = OnceLock::new();
        *CHOSEN.get_or_init(|| {
            let limit = match limit() {
                Some(Limit::Scalar) => return Some(Isa::Scalar),
                Some(Limit::Avx2) => Isa::Avx2,
                _ => Isa::Neon,
            };
            let best = Isa::ALL.into_iter().rfind(|&i| i <= limit && i.available());
            best.filter(|&i| i != Isa::Scalar || cfg!(target_feature = "fma"))
        })
    }
}

macro_rules! functions {
    ($($K:ident $f:path;)*) => { $(
        struct $K;
        impl Un for $K {
            #[inline(always)]
            fn f<T: V>(x: T) -> T {
                $f(x)
            }
        }
    )* };
}
functions! {
    Exp exp::exp;
    Exp2 exp::exp2;
    Expm1 exp::expm1;
    Tanh exp::tanh;
    Logistic exp::logistic;
    Sinh exp::sinh;
    Cosh exp::cosh;
    Log log::log;
    Log1p log::log1p;
    Sin trig::sin;
    Cos trig::cos;
    Tan trig::tan;
    Atan trig::atan;
    Sqrt root::sqrt;
    Rsqrt root::rsqrt;
    Cbrt root::cbrt;
    Asin trig::asin;
    Acos trig::acos;
    Asinh log::asinh;
    Acosh log::acosh;
    Atanh log::atanh;
    Erf erf::erf;
    Erfc erf::erfc;
}
struct Pow;
impl Bin for Pow {
    #[inline(always)]
    fn f<T: V>(x: T, y: T) -> T {
        pow::pow(x, y)
    }
}

struct Atan2;
impl Bin for Atan2 {
    #[inline(always)]
    fn f<T: V>(y: T, x: T) -> T {
        trig::atan2(y, x)
    }
}

/// The kernel of `op` on operands and result of `dtype`, for the instruction set [`Isa::chosen`]; `None` where there is
/// none, and [`crate::scalar::kernel`] serves.
pub fn kernel(op: ScalarOp, dtype: DType) -> Option<KernelFn> {
    kernel_for(Isa::chosen()?, op, dtype)
}
/// As [`kernel`], for a particular instruction set; `None` also where this machine lacks it.
pub fn kernel_for(isa: Isa, op: ScalarOp, dtype: DType) -> Option<KernelFn> {
    if !isa.available() {
        return None;
    }
    if dtype.is_complex() {
        return cplx::kernel(isa, op, dtype);
    }
    visit(op, Compile { isa, dtype }).flatten()
}

/// Something to be done with a function as a type.
pub trait Visit {
    /// What comes out of it.
    type Out;
    /// Does it with a function of one operand.
    fn un<F: Un>(self) -> Self::Out;
    /// Does it with a function of two operands.
    fn bin<F: Bin>(self) -> Self::Out;
}
/// Does it with the function of `op`; `None` where there is no formula.
pub fn visit<W: Visit>(op: ScalarOp, w: W) -> Option<W::Out> {
    Some(match op {
        ScalarOp::Exp => w.un::<Exp>(),
        ScalarOp::Exp2 => w.un::<Exp2>(),
        ScalarOp::Expm1 => w.un::<Expm1>(),
        ScalarOp::Tanh => w.un::<Tanh>(),
        ScalarOp::Logistic => w.un::<Logistic>(),
        ScalarOp::Sinh => w.un::<Sinh>(),
        ScalarOp::Cosh => w.un::<Cosh>(),
        ScalarOp::Log => w.un::<Log>(),
        ScalarOp::Log1p => w.un::<Log1p>(),
        ScalarOp::Sin => w.un::<Sin>(),
        ScalarOp::Cos => w.un::<Cos>(),
        ScalarOp::Tan => w.un::<Tan>(),
        ScalarOp::Atan => w.un::<Atan>(),
        ScalarOp::Sqrt => w.un::<Sqrt>(),
        ScalarOp::Rsqrt => w.un::<Rsqrt>(),
        ScalarOp::Cbrt => w.un::<Cbrt>(),
        ScalarOp::Erf => w.un::<Erf>(),
        ScalarOp::Erfc => w.un::<Erfc>(),
        ScalarOp::Asin => w.un::<Asin>(),
        ScalarOp::Acos => w.un::<Acos>(),
        ScalarOp::Asinh => w.un::<Asinh>(),
        ScalarOp::Acosh => w.un::<Acosh>(),
        ScalarOp::Atanh => w.un::<Atanh>(),
        ScalarOp::Pow => w.bin::<Pow>(),
        ScalarOp::Atan2 => w.bin::<Atan2>(),
        _ => return None,
    })
}
struct Compile {
    isa: Isa,
    dtype: DType,
}
impl Visit for Compile {
    type Out = Option<KernelFn>;
    fn un<F: Un>(self) -> Self::Out {
        un::<F>(self.isa, self.dtype)
    }
    fn bin<F: Bin>(self) -> Self::Out {
        bin::<F>(self.isa, self.dtype)
    }
}
