//! Scalar functions: what elementwise op rows, fused bodies and kernels mean by "apply to each element".
//!
//! A row carries a [`ScalarOp`]; interpreter, CPU tapes, CUDA text and StableHLO spelling are tables over it. The exact
//! meaning on every dtype is TFIR §5. A family from outside brings functions of its own, as rows of [`ScalarFunction`].
mod outside;

use crate::ops::constant::scalar_of;
use crate::{DType, Tensor};

pub use outside::{Formulas, ScalarFunction};

macro_rules! scalar_ops {
    ($($variant:ident $name:literal $arity:literal $cost:literal,)*;
     $($(#[$doc:meta])* $made:ident $text:literal $n:literal $price:literal,)*) => {
        /// A function of scalars. The variant is the op's name in camel case.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the names are those of the ops, documented in their rows")]
        pub enum ScalarOp {
            $($variant,)*
            $($(#[$doc])* $made,)*
            /// A function of a family from outside.
            Outside(&'static ScalarFunction),
        }
        impl ScalarOp {
            /// All that built-in rows have.
            pub const ALL: &'static [ScalarOp] = &[$(ScalarOp::$variant,)*];
            /// Functions that no row has: engines make them of others.
            pub const MADE: &'static [ScalarOp] = &[$(ScalarOp::$made,)*];
            /// The op's name.
            #[inline]
            pub fn name(self) -> &'static str {
                match self {
                    $(ScalarOp::$variant => $name,)*
                    $(ScalarOp::$made => $text,)*
                    ScalarOp::Outside(f) => f.name,
                }
            }
            /// Number of operands.
            #[inline]
            pub fn arity(self) -> usize {
                match self {
                    $(ScalarOp::$variant => $arity,)*
                    $(ScalarOp::$made => $n,)*
                    ScalarOp::Outside(f) => f.arity(),
                }
            }
            /// About how many additions it takes.
            #[inline]
            pub fn cost(self) -> u32 {
                match self {
                    $(ScalarOp::$variant => $cost,)*
                    $(ScalarOp::$made => $price,)*
                    ScalarOp::Outside(f) => f.cost,
                }
            }
        }
    };
}
// Name, number of operands, about how many additions it takes.
scalar_ops! {
    Neg "neg" 1 1, Abs "abs" 1 1, Sign "sign" 1 4, Exp "exp" 1 32, Exp2 "exp2" 1 32, Expm1 "expm1" 1 32, Log "log" 1 32,
    Log1p "log1p" 1 32, Sqrt "sqrt" 1 4, Rsqrt "rsqrt" 1 32, Cbrt "cbrt" 1 32, Sin "sin" 1 32, Cos "cos" 1 32,
    Tan "tan" 1 32, Asin "asin" 1 32, Acos "acos" 1 32, Atan "atan" 1 32, Sinh "sinh" 1 32, Cosh "cosh" 1 32,
    Tanh "tanh" 1 32, Asinh "asinh" 1 32, Acosh "acosh" 1 32, Atanh "atanh" 1 32, Logistic "logistic" 1 32,
    Erf "erf" 1 32, Erfc "erfc" 1 32, ErfInv "erf_inv" 1 32, Lgamma "lgamma" 1 32, Digamma "digamma" 1 32,
    BesselI0e "bessel_i0e" 1 32, BesselI1e "bessel_i1e" 1 32, Floor "floor" 1 4, Ceil "ceil" 1 4, Round "round" 1 4,
    RoundEven "round_even" 1 4, IsFinite "is_finite" 1 32, Not "not" 1 1, Popcnt "popcnt" 1 32, Clz "clz" 1 32,
    Real "real" 1 32, Imag "imag" 1 32, Conj "conj" 1 32, Convert "convert" 1 1,
    Add "add" 2 1, Sub "sub" 2 1, Mul "mul" 2 1, Mulhi "mulhi" 2 32, Div "div" 2 4, Rem "rem" 2 32, Pow "pow" 2 32,
    Atan2 "atan2" 2 32, Max "max" 2 1, Min "min" 2 1, And "and" 2 1, Or "or" 2 1, Xor "xor" 2 1, Shl "shl" 2 32,
    ShrArith "shr_arith" 2 32, ShrLogical "shr_logical" 2 32, Nextafter "nextafter" 2 32, Complex "complex" 2 32,
    Polygamma "polygamma" 2 32, Zeta "zeta" 2 32, Eq "eq" 2 1, Ne "ne" 2 1, Lt "lt" 2 1, Le "le" 2 1, Gt "gt" 2 1,
    Ge "ge" 2 1,
    Select "select" 3 1, Clamp "clamp" 3 32,
    ;
    /// `a·b + c` of reals, rounded once.
    Fma "fma" 3 1,
    /// `c − a·b` of reals, rounded once.
    Fnma "fnma" 3 1,
}
impl ScalarOp {
    /// Whether exchanging the operands leaves the result the same.
    pub fn is_commutative(self) -> bool {
        use ScalarOp::*;
        matches!(self, Add | Mul | Mulhi | Max | Min | And | Or | Xor | Eq | Ne)
    }
    /// What a fold by the function begins with, as a scalar: combined with any number of the dtype it is that number. `None` for functions that
    /// fold nothing, and on dtypes that they do not fold.
    pub fn identity(self, d: DType) -> Option<Tensor> {
        use ScalarOp::*;
        let truth = d == DType::Bool;
        let extreme = |least: bool| match d.int_range() {
            Some((low, high)) => Tensor::from_ints(d, &[], [if least { low } else { high }]).ok(),
            None if truth => Some(Tensor::scalar(!least)),
            None if d.is_float() => Some(scalar_of(d, if least { f64::NEG_INFINITY } else { f64::INFINITY })),
            None => None,
        };
        match self {
            Add if !truth => Some(scalar_of(d, 0.0)),
            Mul if !truth => Some(scalar_of(d, 1.0)),
            Max => extreme(true),
            Min => extreme(false),
            Or | Xor if truth || d.is_int() => Some(scalar_of(d, 0.0)),
            And if truth => Some(Tensor::scalar(true)),
            // All ones.
            And if d.is_signed() => Tensor::from_ints(d, &[], [-1]).ok(),
            And if d.is_int() => extreme(false),
            _ => None,
        }
    }
}
