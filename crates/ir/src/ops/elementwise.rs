//! Elementwise ops.
use crate::diag::{Error, Part, Result};
use crate::infer::InferCx;
use crate::op::*;
use crate::scalar::ScalarOp;
use crate::types::Type;
use crate::DType;

fn same(cx: &mut InferCx) -> Result<Vec<Type>> {
    for i in 1..cx.len() { cx.same_operands(0, i)?; }
    Ok(vec![cx.ty(0)?])
}
macro_rules! stub { ($($s:ident $v:ident $n:literal $ops:expr,)*) => { $(
    /// (stub)
    pub static $s: OpDef = OpDef { name: $n, operands: $ops, infer: same, scalar: Some(ScalarOp::$v), ..OpDef::BASE };
)*
    /// The rows.
    pub static FAMILY: Family = &[$(&$s,)* &SELECT, &CONVERT];
} }
const U: &[&str] = &["x"];
const B: &[&str] = &["x", "y"];
stub! {
    NEG Neg "neg" U, ABS Abs "abs" U, SIGN Sign "sign" U, EXP Exp "exp" U, EXP2 Exp2 "exp2" U, EXPM1 Expm1 "expm1" U, LOG Log "log" U, LOG1P Log1p "log1p" U,
    SQRT Sqrt "sqrt" U, RSQRT Rsqrt "rsqrt" U, CBRT Cbrt "cbrt" U, SIN Sin "sin" U, COS Cos "cos" U, TAN Tan "tan" U, SINH Sinh "sinh" U, COSH Cosh "cosh" U, TANH Tanh "tanh" U,
    LOGISTIC Logistic "logistic" U, DIGAMMA Digamma "digamma" U, BESSEL_I0E BesselI0e "bessel_i0e" U, BESSEL_I1E BesselI1e "bessel_i1e" U, CONJ Conj "conj" U, REAL Real "real" U,
    IMAG Imag "imag" U, NOT Not "not" U, ERF_INV ErfInv "erf_inv" U, IS_FINITE IsFinite "is_finite" U,
    ADD Add "add" B, SUB Sub "sub" B, MUL Mul "mul" B, DIV Div "div" B, REM Rem "rem" B, POW Pow "pow" B, MAX Max "max" B, MIN Min "min" B, AND And "and" B, OR Or "or" B,
    COMPLEX Complex "complex" B, POLYGAMMA Polygamma "polygamma" B, ZETA Zeta "zeta" B, EQ Eq "eq" B, NE Ne "ne" B, LT Lt "lt" B, LE Le "le" B, GT Gt "gt" B, GE Ge "ge" B,
}
/// (stub)
pub static SELECT: OpDef = OpDef { name: "select", operands: &["p", "t", "f"], scalar: Some(ScalarOp::Select), ..OpDef::BASE };
/// (stub)
pub static CONVERT: OpDef = OpDef { name: "convert", operands: U, needs_type: true, scalar: Some(ScalarOp::Convert), ..OpDef::BASE };
#[allow(unused)]
fn _u(_: DType, _: Part, _: Error) {}
