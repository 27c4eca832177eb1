//! What kernels of linear algebra are written with: expressions of an element type, strides of matrices and batches of them, launches
//! that say which matrix could not be factored.
use tfc_ir::{Code, DType, Error, Result, ScalarOp};
use tfc_kernels::linalg::Factor;
use tfc_plan::plan::Slot;

use super::Site;
use crate::device::{Arg, Shape};
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, space};
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
/// Strides of the first two axes; a vector is a matrix of one column.
pub(super) fn of_matrix(frame: &Frame, s: Slot) -> [isize; 2] {
    let by = frame.strides(s);
    [by.first().copied().unwrap_or(0), by.get(1).copied().unwrap_or(0)]
}
/// Loops over the axes behind the first `own` of each slot.
pub(super) fn batches(frame: &Frame, slots: &[(Slot, usize)], rank: usize) -> (Arg, usize) {
    let Some(&(first, own)) = slots.first() else { return (loops(&space(&[], &[], 0), rank), 1) };
    let dims: Vec<usize> = frame.dims(first).iter().skip(own).copied().collect();
    let strides: Vec<Vec<isize>> =
        slots.iter().map(|&(s, own)| frame.strides(s).iter().skip(own).copied().collect()).collect();
    let by: Vec<&[isize]> = strides.iter().map(Vec::as_slice).collect();
    // In the order of the axes, so that the number of a matrix is its place in the batch.
    let mut s = tfc_plan::space::Space::default();
    s.clear(by.len());
    dims.iter().enumerate().for_each(|(a, &n)| s.push(n, false, |k| by[k][a]));
    (loops(&s, rank), dims.iter().product())
}
/// A launch that reports matrices it cannot factor.
pub(super) struct Reported {
    pub(super) factor: Factor,
    pub(super) nan: bool,
}
impl Reported {
    pub(super) fn of(site: &Site, d: DType) -> Result<Reported> {
        let nan = site.attrs().word("on_fail") == Some("nan");
        Ok(Reported { factor: Factor::of(site.op().def, site.attrs(), d)?, nan })
    }
    /// Launches with memory for a word of each matrix, behind the pointers; then what the words say.
    pub(super) fn launch(
        &self,
        (frame, ctx): (&mut Frame, &mut Ctx),
        kernel: &str,
        shape: Shape,
        (pointers, rest): (Vec<Arg>, Vec<Arg>),
        batch: &[usize],
    ) -> Result<()> {
        let count: usize = batch.iter().product();
        let bytes = count.checked_mul(4).ok_or_else(|| Error::new(Code::E0406, "a batch is too large"))?;
        let bad = frame.scratch(ctx, 0, bytes)?;
        let args = [pointers, vec![Arg::Ptr(bad)], rest].concat();
        ctx.module.launch(kernel, shape, &args)?;
        if self.nan {
            return Ok(());
        }
        let mut words = vec![0u8; bytes];
        ctx.download(bad, &mut words)?;
        match words.chunks(4).position(|w| w != [0; 4]) {
            Some(i) => Err(self.factor.failed(batch, i, None)),
            None => Ok(()),
        }
    }
}
