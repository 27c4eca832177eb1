//! What kernels of linear algebra are written with: expressions of an element type.
use tfc_ir::{DType, Result, ScalarOp};

use crate::program::Texts;
use crate::text::scalar::ctype;

/// Expressions of one element type.
pub(super) struct Numbers<'a> {
    pub(super) texts: &'a mut Texts,
    d: DType,
    /// The type of a modulus.
    pub(super) real: DType,
}
impl Numbers<'_> {
    pub(super) fn of(texts: &mut Texts, d: DType) -> Numbers<'_> {
        let real = match d {
            DType::C32 => DType::F32,
            DType::C64 => DType::F64,
            _ => d,
        };
        Numbers { texts, d, real }
    }
    pub(super) fn op(&mut self, op: ScalarOp, args: &[&str]) -> Result<String> {
        let args: Vec<(&str, DType)> = args.iter().map(|&a| (a, self.d)).collect();
        self.texts.functions.apply(op, &args, self.d)
    }
    /// `x - a b`.
    pub(super) fn less(&mut self, x: &str, a: &str, b: &str) -> Result<String> {
        let product = self.op(ScalarOp::Mul, &[a, b])?;
        self.op(ScalarOp::Sub, &[x, &product])
    }
    pub(super) fn conj(&mut self, x: &str) -> Result<String> {
        if self.d.is_complex() { self.op(ScalarOp::Conj, &[x]) } else { Ok(x.to_owned()) }
    }
    /// A real number as an element.
    pub(super) fn number(&self, x: &str) -> Result<String> {
        Ok(if self.d.is_complex() { format!("{}{{{x}, 0}}", ctype(self.d)) } else { x.to_owned() })
    }
    /// The real part.
    pub(super) fn re(&self, x: &str) -> String {
        if self.d.is_complex() { format!("({x}).re") } else { x.to_owned() }
    }
    /// The square of the modulus.
    pub(super) fn square(&self, x: &str) -> String {
        if self.d.is_complex() { format!("({x}.re * {x}.re + {x}.im * {x}.im)") } else { format!("({x} * {x})") }
    }
    /// How large it is beside others, of double precision; of complex numbers, as LAPACK's and other engines' choice of pivots has it, the
    /// sum of the moduli of both parts.
    pub(super) fn size(&self, x: &str) -> String {
        if self.d.is_complex() { format!("(fabs((f64){x}.re) + fabs((f64){x}.im))") } else { format!("fabs((f64){x})") }
    }
    /// The test that `x` is a number of finite parts, in C.
    pub(super) fn finite(&self, x: &str) -> String {
        // The difference of an infinity or a NaN with itself is a NaN.
        if self.d.is_complex() {
            format!("({x}.re - {x}.re == 0 && {x}.im - {x}.im == 0)")
        } else {
            format!("({x} - {x} == 0)")
        }
    }
    pub(super) fn nan(&self) -> Result<&'static str> {
        Ok(match self.d {
            DType::F32 => "(f32)(0.0 / 0.0)",
            DType::F64 => "(0.0 / 0.0)",
            DType::C32 => "c32{(f32)(0.0 / 0.0), (f32)(0.0 / 0.0)}",
            _ => "c64{0.0 / 0.0, 0.0 / 0.0}",
        })
    }
}
