//! Discrete Fourier transforms of any length along any axes, complex and real.
//!
//! `W` is the matrix `W[k, j] = exp(-2πi·jk/n)`; of a transform along several axes it is the product of one for each. A real
//! line has a spectrum with `y[n - k] = conj(y[k])`, so that its first `n/2 + 1` numbers say all. All rows are linear over the
//! reals, and the adjoint of each is another of them.
mod derive;
mod laws;
mod samples;

use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::batch::along;
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::{CmpOp, Extent};
use crate::infer::InferCx;
use crate::op::*;
use crate::ops::shape::unchanged;
use crate::types::Type;

/// The rows.
pub static FAMILY: Family = &[&FFT, &IFFT, &RFFT, &IRFFT];

/// `fft.fft`.
pub static FFT: OpDef = OpDef {
    name: "fft.fft",
    doc: "Discrete Fourier transform of complex lines along each of `axes`: `y[k] = Σ x[j]·exp(-2πi·jk/n)`. Any extent, 0 \
          included.\n\n`norm` says which of a transform and its inverse is divided by `n`: `backward` the inverse, `forward` the \
          transform, `ortho` both by `√n`. An op and its inverse are written with the same `norm`.",
    transpose: Transpose::Rule(|cx, o, ct| derive::complex(cx, o, ct, &IFFT)),
    law: Law::Holds { state: |cx| laws::complex(cx, false), hard: samples::hard_complex },
    ..COMPLEX
};
/// `fft.ifft`.
pub static IFFT: OpDef = OpDef {
    name: "fft.ifft",
    doc: "Inverse of `fft.fft`: `y[k] = 1/n · Σ x[j]·exp(2πi·jk/n)` along each of `axes`. `norm` as there.",
    transpose: Transpose::Rule(|cx, o, ct| derive::complex(cx, o, ct, &FFT)),
    law: Law::Holds { state: |cx| laws::complex(cx, true), hard: samples::hard_complex },
    ..COMPLEX
};
/// `fft.rfft`.
pub static RFFT: OpDef = OpDef {
    name: "fft.rfft",
    doc: "Discrete Fourier transform of real lines: of the axis that `axes` names last the first `n/2 + 1` numbers (rounded \
          down), as in NumPy; the others are their conjugates. `norm` as in `fft.fft`.",
    infer: |cx| {
        cx.want_dtype(0, DType::is_float, "real floating numbers")
            .map_err(|e| e.help("`fft.fft` takes complex ones"))?;
        cx.want_parts(0)?;
        let x = cx.ty(0)?;
        let a = halved(cx, &x)?;
        let complex = x.dtype.complex().unwrap_or(x.dtype);
        Ok(vec![x.without(&[a]).with_axis(a, half(&x.dims[a])?).with_dtype(complex)])
    },
    transpose: Transpose::Rule(derive::real),
    law: Law::Holds { state: laws::real, hard: samples::hard_real },
    sample: samples::real,
    ..TRANSFORM
};
/// `fft.irfft`.
pub static IRFFT: OpDef = OpDef {
    name: "fft.irfft",
    doc: "Inverse of `fft.rfft`: real lines of extent `length` along the axis that `axes` names last, which has `length/2 + 1` \
          numbers here. What a real line cannot have, an imaginary part of number 0 and, of an even length, of number \
          `length/2`, is not looked at. `norm` as in `fft.fft`.",
    slots: &[AXES, NORM, Slot::required("length", SlotKind::Extent)],
    infer: infer_irfft,
    transpose: Transpose::Rule(derive::inverse_real),
    law: Law::Holds { state: laws::inverse_real, hard: samples::hard_inverse_real },
    sample: samples::inverse_real,
    ..TRANSFORM
};

const AXES: Slot = Slot::required("axes", SlotKind::Ints);
const NORM: Slot =
    Slot::with_default("norm", SlotKind::Word(&["backward", "ortho", "forward"]), SlotDefault::Word("backward"));
const TRANSFORM: OpDef = OpDef {
    operands: &["x"],
    slots: &[AXES, NORM],
    linearize: Linearize::Multilinear,
    movement: Movement {
        places: crate::places::Places::Axes(|f, op, i| crate::places::across(f, op, i, "axes")),
        ..Movement::NONE
    },
    batch: Batch::Rule(|cx, o, xs| along(cx, o, xs, "axes")),
    ..OpDef::BASE
};
const COMPLEX: OpDef = OpDef {
    infer: complex,
    simplify: Some(|b, new| Ok(if new.attrs.indices("axes").is_empty() { unchanged(b, new) } else { None })),
    sample: samples::complex,
    ..TRANSFORM
};

/// Which of a transform and its inverse is divided by the number of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Norm {
    /// The inverse.
    Backward,
    /// Both, by its square root.
    Ortho,
    /// The transform.
    Forward,
}
impl Norm {
    /// The attribute.
    pub fn of(attrs: &Attrs) -> Norm {
        match attrs.word("norm") {
            Some("ortho") => Norm::Ortho,
            Some("forward") => Norm::Forward,
            _ => Norm::Backward,
        }
    }
    /// What sums over lines of `n` elements in all are multiplied by; `inverse`: of an inverse. 1 where there is none.
    pub fn scale(self, n: usize, inverse: bool) -> f64 {
        let n = n.max(1) as f64;
        match (self, inverse) {
            (Norm::Backward, false) | (Norm::Forward, true) => 1.0,
            (Norm::Ortho, _) => 1.0 / n.sqrt(),
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / n,
        }
    }
    /// The one by which the adjoint of a transform is an inverse, and the other way round.
    fn adjoint(self) -> &'static str {
        match self {
            Norm::Backward => "forward",
            Norm::Ortho => "ortho",
            Norm::Forward => "backward",
        }
    }
}

/// `n/2 + 1`: how many numbers say the spectrum of a real line.
fn half(n: &Extent) -> Result<Extent> {
    n.floordiv(&Extent::exact(2))?.add(&Extent::exact(1))
}
/// The axis along which a spectrum is that of a real line.
fn halved(cx: &InferCx, x: &Type) -> Result<usize> {
    cx.axes("axes", x.rank())?.last().copied().ok_or_else(|| {
        let text = format!("`{}` has at least one axis in `axes`", cx.def().name);
        Error::new(Code::E0228, text).attr("axes").help("the last one is that of which half is kept")
    })
}
fn complex(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_dtype(0, DType::is_complex, "complex numbers")
        .map_err(|e| e.help("`fft.rfft` takes real ones; or insert `convert`"))?;
    let x = cx.ty(0)?;
    cx.axes("axes", x.rank())?;
    Ok(vec![x])
}
fn infer_irfft(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_dtype(0, DType::is_complex, "complex numbers").map_err(|e| e.help("insert `convert`"))?;
    let x = cx.ty(0)?;
    let a = halved(cx, &x)?;
    let Some(n) = cx.attrs().extents("length").first().cloned() else {
        return Err(Error::new(Code::E0222, "`fft.irfft` needs `length`").help("it is the extent of the result"));
    };
    cx.demand(&Extent::exact(0), CmpOp::Le, &n, Part::Attr("length"), "`length`")?;
    cx.equal(&x.dims[a], &half(&n)?, Part::Operand(0), || format!("axis {a} of operand 0 and `length/2 + 1`"))?;
    Ok(vec![x.without(&[a]).with_axis(a, n).with_dtype(x.dtype.real())])
}
