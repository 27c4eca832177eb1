//! Vector math of the CPU engine: elementary functions of `f32` and `f64` within 2 units in the last place on their whole
//! domain (denormals, ±0, infinities and NaN included), as kernels over memory.
//!
//! Each function is written once against the trait `V` and compiled for every instruction set; every set gives the same bits
//! (those of a NaN aside), whatever the length, position or stride of the operands. Arguments of `sin`, `cos` and `tan`
//! beyond the range of the short reduction are reduced by the method of Payne and Hanek, in vectors too.
//! `docs/vmath.md` lists the largest errors found and where.
//!
//! Nobody outside of this crate can name a vector of an instruction set: what such a type does is only instructions that the
//! machine may lack. Kernels are unsafe functions, and [`kernel_for`] gives none that the machine cannot run.
//!
//! ```compile_fail
//! use tfc_kernels::vmath::{avx512::F64x8, v::V};
//! let x = F64x8::c(1.0);
//! ```
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
mod coef;
mod cplx;
mod erf;
mod exp;
pub(crate) mod kern;
mod log;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub(crate) mod one;
mod payne;
mod pow;
pub(crate) mod recorded;
mod root;
mod trig;
pub mod v;

use crate::functions::functions;
pub use crate::isa::Isa;
use crate::kernel::KernelFn;
pub use cplx::{PairPatches, formula as pair_formula};
#[cfg(target_arch = "x86_64")]
pub use kern::{Patch, patch};
use kern::{bin, un};
pub use recorded::{Recorded, Step, formula};
use tfc_ir::{DType, ScalarFunction, ScalarOp};
use v::{Bin, Un, V};

/// A vector formula as a type of the op's name.
macro_rules! formula {
    ($op:ident [] $arity:ident) => {};
    ($op:ident [$f:path] one) => {
        struct $op;
        impl Un for $op {
            #[inline(always)]
            fn f<T: V>(x: T) -> T {
                $f(x)
            }
        }
    };
    ($op:ident [$f:path] two) => {
        struct $op;
        impl Bin for $op {
            #[inline(always)]
            fn f<T: V>(x: T, y: T) -> T {
                $f(x, y)
            }
        }
    };
}
macro_rules! formulas {
    ($($arity:ident { $($op:ident $real:tt $complex:tt $vector:tt $pairs:tt;)* })*) => {
        $($(formula!($op $vector $arity);)*)*
    };
}
functions!(formulas);

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
    /// Does it with a function from outside, whose formula, if it has one, is data:
    /// [`formula`](crate::outside::formula).
    fn outside(self, f: &'static ScalarFunction) -> Self::Out;
}
macro_rules! visited {
    ($w:ident $op:ident [] $arity:ident) => {
        None
    };
    ($w:ident $op:ident [$f:path] one) => {
        Some($w.un::<$op>())
    };
    ($w:ident $op:ident [$f:path] two) => {
        Some($w.bin::<$op>())
    };
}
macro_rules! visits {
    ($($arity:ident { $($op:ident $real:tt $complex:tt $vector:tt $pairs:tt;)* })*) => {
        /// Does it with the function of `op`; `None` where there is no formula.
        pub fn visit<W: Visit>(op: ScalarOp, w: W) -> Option<W::Out> {
            match op {
                $($(ScalarOp::$op => visited!(w $op $vector $arity),)*)*
                ScalarOp::Outside(f) => Some(w.outside(f)),
                _ => None,
            }
        }
    };
}
functions!(visits);

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
    /// The loops of a function from outside are the function's own.
    fn outside(self, _: &'static ScalarFunction) -> Self::Out {
        None
    }
}
