//! `fft`: along the last axes, the last of which is halved by `RFFT` and whole again by `IRFFT`.
use super::super::super::ast::Op;
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args};
use super::elementwise::operands;
use super::{Emit, Table};
use tfc_ir::ops::fft::{FFT, IFFT, IRFFT, RFFT};
use tfc_ir::{Attr, Code, DType, Diagnostic, Extent, NewOp, ValueId};

pub(super) const OPS: Table = &[("stablehlo.fft", Emit::Whole(fft))];

fn fft<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let kind = cx.word(op, "fft_type", 0).or_else(|| cx.word(op, "type", 0));
    let key = if cx.find(op, "fft_length").is_some() { "fft_length" } else { "length" };
    let length = cx.axes(op, key)?;
    let ty = cx.b.ty(x);
    let (Some(first), Some(&last)) = (ty.rank().checked_sub(length.len()), length.last()) else {
        let text = format!("`{key}` has {} entries for an operand of rank {}", length.len(), ty.rank());
        return Err(args::wrong(op.span, text, "one for each of the last axes, at least one"));
    };
    let row = match kind {
        Some("FFT") => &FFT,
        Some("IFFT") => &IFFT,
        Some("RFFT") => &RFFT,
        Some("IRFFT") => &IRFFT,
        _ => return Err(args::wrong(op.span, "`fft` says by `type` what it is", "FFT, IFFT, RFFT or IRFFT")),
    };
    let real = row.is(&IRFFT);
    for (i, (d, &n)) in ty.dims[first..].iter().zip(&length).enumerate() {
        // Of the axis that is halved the length is that of the result.
        let own = !(real && i + 1 == length.len());
        if own && d.as_exact().is_some_and(|d| d != n as i64) {
            let text = format!("`{key}` says {n} of axis {}, whose extent is {}", first + i, d.as_exact().unwrap_or(0));
            return Err(args::wrong(op.span, text, "it has the extents of the lines"));
        }
    }
    // Lines of no element have a spectrum of none here, in the row one of a single 0.
    if last == 0 {
        let halves = row.is(&RFFT);
        let takes = if halves { ty.dtype.is_float() } else { ty.dtype.is_complex() };
        if !takes {
            let text = format!("`fft` of {} is not {}", cx.show(&ty), kind.unwrap_or_default());
            return Err(Diagnostic::error(Code::E0203, op.span, text)
                .help("RFFT takes floats, all others complex numbers")
                .into_stop());
        }
        let dtype = match (halves, ty.dtype) {
            (true, DType::F32) => DType::C32,
            (true, _) => DType::C64,
            (false, d) if real => d.real(),
            (false, d) => d,
        };
        let lines = ty.dims.iter().take(ty.rank() - 1).cloned();
        let ty = ty.with_dims(lines.chain([Extent::exact(0)]).collect::<Vec<_>>()).with_dtype(dtype);
        return Ok(vec![cx.b.zeros(&ty)?]);
    }
    let axes: Vec<usize> = (first..ty.rank()).collect();
    let new = NewOp::new(row, &[x]).attr("axes", Attr::ints(&axes));
    let new = if real { new.attr("length", Attr::extent(Extent::from(last))) } else { new };
    Ok(vec![cx.b.emit1(new)?])
}
