//! Every function with a formula of its own, once: one row gives what computes it on reals, on complex numbers, and in
//! vectors of either. The macro `functions` hands the rows to whoever makes something of a column: the scalar library, the
//! visitors of vector math, complex vector math. Tests walk [`FUNCTIONS`], so that a new row is asked for its accuracy.
//!
//! What a few instructions do (sums, comparisons, bits) has no row: it is one expression for each kind of dtype, in
//! `scalar::table`.
use tfc_ir::ScalarOp;

/// Hands every row to the macro `$then`: op, then in brackets a function of `f64`, one of `C64` (shorter ones are their
/// results rounded once), a formula of real vectors and one of complex vectors; empty where there is none. Paths are those of
/// the module that `$then` is expanded in.
macro_rules! functions {
    ($then:ident) => {
        $then! {
            one {
                Exp [f64::exp] [cx::exp] [exp::exp] [Exp];
                Exp2 [f64::exp2] [cx::exp2] [exp::exp2] [];
                Expm1 [f64::exp_m1] [cx::expm1] [exp::expm1] [];
                Log [f64::ln] [cx::log] [log::log] [Log];
                Log1p [f64::ln_1p] [cx::log1p] [log::log1p] [];
                Tanh [f64::tanh] [cx::tanh] [exp::tanh] [Tanh];
                Sinh [f64::sinh] [cx::sinh] [exp::sinh] [Sinh];
                Cosh [f64::cosh] [cx::cosh] [exp::cosh] [Cosh];
                Logistic [logistic] [cx::logistic] [exp::logistic] [];
                Sin [f64::sin] [cx::sin] [trig::sin] [Sin];
                Cos [f64::cos] [cx::cos] [trig::cos] [Cos];
                Tan [f64::tan] [cx::tan] [trig::tan] [];
                Asin [f64::asin] [cx::asin] [trig::asin] [];
                Acos [f64::acos] [cx::acos] [trig::acos] [];
                Atan [f64::atan] [cx::atan] [trig::atan] [];
                Asinh [inverse::asinh] [cx::asinh] [log::asinh] [];
                Acosh [inverse::acosh] [cx::acosh] [log::acosh] [];
                Atanh [inverse::atanh] [cx::atanh] [log::atanh] [];
                Erf [libm::erf] [] [erf::erf] [];
                Erfc [libm::erfc] [] [erf::erfc] [];
                Sqrt [f64::sqrt] [cx::sqrt] [root::sqrt] [Sqrt];
                Rsqrt [|x| 1.0 / x.sqrt()] [cx::rsqrt] [root::rsqrt] [];
                Cbrt [f64::cbrt] [cx::cbrt] [root::cbrt] [];
                ErfInv [inverse::erf_inv] [] [erf::erf_inv] [];
                Lgamma [gamma::lgamma] [] [] [];
                Digamma [gamma::digamma] [] [] [];
                BesselI0e [special::bessel_i0e] [] [] [];
                BesselI1e [special::bessel_i1e] [] [] [];
            }
            two {
                Pow [f64::powf] [cx::pow] [pow::pow] [];
                Atan2 [f64::atan2] [] [trig::atan2] [];
                Div [] [cx::div] [] [Div];
                Polygamma [special::polygamma] [] [] [];
                Zeta [special::zeta] [] [] [];
            }
        }
    };
}
pub(crate) use functions;

/// A row: the function, and which formulas it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// The function.
    pub op: ScalarOp,
    /// Whether there is a formula of reals.
    pub real: bool,
    /// Whether there is a formula of complex numbers.
    pub complex: bool,
    /// Whether there is a formula of vectors of reals.
    pub vector: bool,
    /// Whether there is a formula of vectors of complex numbers.
    pub complex_vector: bool,
}
macro_rules! there {
    ([]) => {
        false
    };
    ([$($formula:tt)+]) => {
        true
    };
}
macro_rules! list {
    ($($arity:ident { $($op:ident $real:tt $complex:tt $vector:tt $pairs:tt;)* })*) => {
        /// All rows.
        pub const FUNCTIONS: &[Function] = &[$($(Function {
            op: ScalarOp::$op,
            real: there!($real),
            complex: there!($complex),
            vector: there!($vector),
            complex_vector: there!($pairs),
        },)*)*];
    };
}
functions!(list);
