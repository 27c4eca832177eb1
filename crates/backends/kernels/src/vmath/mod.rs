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

pub use crate::isa::Isa;
use crate::kernel::KernelFn;
use kern::{bin, un};
use tfc_ir::{DType, ScalarOp};
use v::{Bin, Un, V};

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
