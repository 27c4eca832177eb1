//! Scalar functions: what elementwise op rows, fused bodies and kernels mean by "apply to each element".
//!
//! A row carries a [`ScalarOp`]; interpreter, CPU tapes, CUDA text and StableHLO spelling are tables over it. The exact
//! meaning on every dtype is TFIR §5.

macro_rules! scalar_ops {
    ($($variant:ident $name:literal $arity:literal,)*; $($(#[$doc:meta])* $made:ident $text:literal $n:literal,)*) => {
        /// A function of scalars. The variant is the op's name in camel case.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the names are those of the ops, documented in their rows")]
        pub enum ScalarOp { $($variant,)* $($(#[$doc])* $made,)* }
        impl ScalarOp {
            /// All that op rows have.
            pub const ALL: &'static [ScalarOp] = &[$(ScalarOp::$variant,)*];
            /// Those that no row has: engines make them of others.
            pub const MADE: &'static [ScalarOp] = &[$(ScalarOp::$made,)*];
            /// The op's name.
            pub fn name(self) -> &'static str {
                match self { $(ScalarOp::$variant => $name,)* $(ScalarOp::$made => $text,)* }
            }
            /// Number of operands.
            pub fn arity(self) -> usize {
                match self { $(ScalarOp::$variant => $arity,)* $(ScalarOp::$made => $n,)* }
            }
        }
    };
}
scalar_ops! {
    Neg "neg" 1, Abs "abs" 1, Sign "sign" 1, Exp "exp" 1, Exp2 "exp2" 1, Expm1 "expm1" 1, Log "log" 1, Log1p "log1p" 1,
    Sqrt "sqrt" 1, Rsqrt "rsqrt" 1, Cbrt "cbrt" 1, Sin "sin" 1, Cos "cos" 1, Tan "tan" 1, Asin "asin" 1, Acos "acos" 1,
    Atan "atan" 1, Sinh "sinh" 1, Cosh "cosh" 1, Tanh "tanh" 1, Asinh "asinh" 1, Acosh "acosh" 1, Atanh "atanh" 1,
    Logistic "logistic" 1, Erf "erf" 1, Erfc "erfc" 1, ErfInv "erf_inv" 1, Lgamma "lgamma" 1, Digamma "digamma" 1,
    BesselI0e "bessel_i0e" 1, BesselI1e "bessel_i1e" 1, Floor "floor" 1, Ceil "ceil" 1, Round "round" 1,
    RoundEven "round_even" 1, IsFinite "is_finite" 1, Not "not" 1, Popcnt "popcnt" 1, Clz "clz" 1, Real "real" 1,
    Imag "imag" 1, Conj "conj" 1, Convert "convert" 1,
    Add "add" 2, Sub "sub" 2, Mul "mul" 2, Mulhi "mulhi" 2, Div "div" 2, Rem "rem" 2, Pow "pow" 2, Atan2 "atan2" 2,
    Max "max" 2, Min "min" 2, And "and" 2, Or "or" 2, Xor "xor" 2, Shl "shl" 2, ShrArith "shr_arith" 2,
    ShrLogical "shr_logical" 2, Nextafter "nextafter" 2, Complex "complex" 2, Polygamma "polygamma" 2, Zeta "zeta" 2,
    Eq "eq" 2, Ne "ne" 2, Lt "lt" 2, Le "le" 2, Gt "gt" 2, Ge "ge" 2,
    Select "select" 3, Clamp "clamp" 3,
    ;
    /// `a·b + c` of reals, rounded once.
    Fma "fma" 3,
    /// `c − a·b` of reals, rounded once.
    Fnma "fnma" 3,
}
impl ScalarOp {
    /// Does exchanging its operands leave the result the same?
    pub fn is_commutative(self) -> bool {
        use ScalarOp::*;
        matches!(self, Add | Mul | Mulhi | Max | Min | And | Or | Xor | Eq | Ne)
    }
}
