//! Changes of dtype and precision: `convert`, `bitcast`, `reduce_precision`.
use super::simplify as s;
use super::unary::back;
use super::{kind, small, want};
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::code::Code;
use crate::derive::Transposer;
use crate::diag::{Error, Part, Result};
use crate::extent::Extent;
use crate::func::{OpId, ValueId};
use crate::infer::InferCx;
use crate::op::{Batch, Family, Linearize, NewOp, OnSmall, OpDef, Slot, SlotKind, Transpose};
use crate::sample::Domain::*;
use crate::sample::{Sample, SampleCx};
use crate::scalar::ScalarOp;
use crate::types::Type;

/// `convert`.
pub static CONVERT: OpDef = OpDef {
    name: "convert",
    doc: "To the written dtype. Floats round to nearest; float to integer truncates, saturates and takes NaN to 0; integers wrap; \
          to bool is `!= 0`; a real becomes complex with imaginary part 0, but complex to real is an error (`real`, `abs`). Linear: \
          its transpose converts the cotangent back, and takes its real part where the operand is real.",
    operands: &["x"],
    needs_type: true,
    scalar: Some(ScalarOp::Convert),
    batch: Batch::Elementwise,
    infer: infer_convert,
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(tr_convert),
    simplify: Some(s::convert),
    small: OnSmall::Rule(small::convert),
    sample: sample_convert,
    ..OpDef::BASE
};
/// `bitcast`.
pub static BITCAST: OpDef = OpDef {
    name: "bitcast",
    doc: "The same bits as the written dtype. To a dtype k times narrower a last axis of extent k is added (index 0 holds the \
          lowest bits), to one k times wider the last axis of extent k is dropped. Complex to complex only; no bool. Of a NaN \
          the sign and the payload are whatever the engine made: they are no part of a value. Derivative: none, which is an error, but \
          of integers that only decide something, as a test of the sign does.",
    operands: &["x"],
    needs_type: true,
    infer: infer_bitcast,
    linearize: Linearize::Never("it reads bits, not numbers"),
    batch: Batch::Rule(|cx, o, xs| {
        // The last axis may be one of bits: the batch axis is the first.
        let x = cx.at(xs[0], 0)?;
        cx.again(o, &[x], Attrs::none(), |_| 0)
    }),
    simplify: Some(s::bitcast),
    sample: sample_bitcast,
    small: OnSmall::Rule(small::bitcast),
    ..OpDef::BASE
};
/// `reduce_precision`.
pub static REDUCE_PRECISION: OpDef = OpDef {
    name: "reduce_precision",
    doc: "Rounds to what a format with so many exponent and mantissa bits can hold (ties to even; overflow becomes infinite, \
          subnormals of the format become zero). Derivative: tangents and cotangents are rounded in the same way.",
    operands: &["x"],
    slots: &[Slot::required("exponent", SlotKind::Int), Slot::required("mantissa", SlotKind::Int)],
    batch: Batch::Elementwise,
    infer: infer_reduce_precision,
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| {
        let attrs = cx.op(o).attrs;
        back(cx, ct, |cx, c| cx.b.emit1(NewOp::new(&REDUCE_PRECISION, &[c]).attrs(attrs)))
    }),
    simplify: Some(s::reduce_precision),
    sample: sample_reduce_precision,
    ..OpDef::BASE
};
pub(super) const ROWS: Family = &[&CONVERT, &BITCAST, &REDUCE_PRECISION];

/// Whether a value of dtype `from` can be converted to `to`.
fn convertible(from: DType, to: DType) -> bool {
    !from.is_complex() || to.is_complex() || to == DType::Bool
}
fn infer_convert(cx: &mut InferCx) -> Result<Vec<Type>> {
    let (x, to) = (cx.ty(0)?, cx.declared()?.dtype);
    if !convertible(x.dtype, to) {
        return Err(Error::new(Code::E0203, format!("`convert` does not take {} to {to}", x.dtype))
            .operand(0)
            .help("say which part is meant: `real`, `imag` or `abs`"));
    }
    Ok(vec![x.with_dtype(to)])
}
fn tr_convert(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let src = cx.src.clone();
    let from = src.ty(src.op(o).operands[0]).dtype;
    back(cx, ct, |cx, c| {
        let narrow = cx.b.func().ty(c).dtype.is_complex() && !from.is_complex();
        let c = if narrow { cx.b.real(c)? } else { c };
        cx.b.convert(c, from)
    })
}
fn infer_bitcast(cx: &mut InferCx) -> Result<Vec<Type>> {
    let (x, to) = (cx.ty(0)?, cx.declared()?.dtype);
    let no = |part, text: String, help: &str| Err(Error::new(Code::E0203, text).at(part).help(help));
    if x.dtype == DType::Bool || to == DType::Bool {
        let part = if to == DType::Bool { Part::Result(0) } else { Part::Operand(0) };
        return no(part, "`bitcast` takes numbers, not bool".into(), "use `convert` or a comparison");
    }
    if x.dtype.is_complex() != to.is_complex() {
        let text = format!("`bitcast` does not take {} to {to}", x.dtype);
        return no(Part::Operand(0), text, "take `real` and `imag`, or build the number by `complex`");
    }
    let (a, b) = (x.dtype.bits() as usize, to.bits() as usize);
    if a == b {
        return Ok(vec![x.with_dtype(to)]);
    }
    if a.max(b) % a.min(b) != 0 {
        let text = format!("`bitcast` does not take {} to {to}: {a} and {b} bits", x.dtype);
        return no(Part::Operand(0), text, "the bits of one dtype have to make some elements of the other one");
    }
    if a > b {
        return Ok(vec![x.with_axis(x.rank(), Extent::from(a / b)).with_dtype(to)]);
    }
    let k = b / a;
    let help = format!("{k} elements of {} make one of {to}", x.dtype);
    let Some((last, rest)) = x.dims.split_last() else {
        return Err(Error::new(Code::E0205, format!("`bitcast` to {to} needs a last axis of extent {k}"))
            .operand(0)
            .help(help));
    };
    cx.equal(last, &Extent::from(k), Part::Operand(0), || format!("the last axis, for `bitcast` to {to}"))
        .map_err(|e| e.help(help))?;
    Ok(vec![Type::new(to, rest.to_vec())])
}
fn infer_reduce_precision(cx: &mut InferCx) -> Result<Vec<Type>> {
    want(cx, 0, &kind::FLOATS)?;
    for (name, least) in [("exponent", 1), ("mantissa", 0)] {
        let n = cx.attrs().int(name);
        if n < least {
            return Err(Error::new(Code::E0223, format!("`{name}` is {n}, but at least {least} is needed"))
                .attr(name)
                .help("f32 has `exponent = 8, mantissa = 23`, bf16 has `exponent = 8, mantissa = 7`"));
        }
    }
    Ok(vec![cx.ty(0)?])
}

fn sample_convert(cx: &SampleCx) -> Result<Vec<Sample>> {
    let x = cx.ty(&[2, 3]);
    let to = DType::ALL.into_iter().filter(|&to| convertible(cx.dtype, to));
    to.map(|to| cx.op(&[(x.clone(), Any)], Attrs::none(), Some(x.with_dtype(to)))).collect()
}
fn sample_bitcast(cx: &SampleCx) -> Result<Vec<Sample>> {
    let d = cx.dtype;
    let mut list = vec![];
    for to in DType::ALL {
        if [d, to].contains(&DType::Bool) || d.is_complex() != to.is_complex() {
            continue;
        }
        let (a, b) = (d.bits() as usize, to.bits() as usize);
        if a.max(b) % a.min(b) != 0 {
            continue;
        }
        let (x, y) = match a.cmp(&b) {
            std::cmp::Ordering::Equal => (cx.ty(&[2, 3]), cx.ty(&[2, 3])),
            std::cmp::Ordering::Less => (cx.ty(&[2, 3, b / a]), cx.ty(&[2, 3])),
            std::cmp::Ordering::Greater => (cx.ty(&[2, 3]), cx.ty(&[2, 3, a / b])),
        };
        list.push(cx.op(&[(x, Any)], Attrs::none(), Some(y.with_dtype(to)))?);
    }
    Ok(list)
}
/// The op with the operand's own precision; and, read as bits because a staircase has no useful derivative, a rounding one.
fn sample_reduce_precision(cx: &SampleCx) -> Result<Vec<Sample>> {
    let bits = match cx.dtype {
        DType::F4E2M1FN => DType::I4,
        // There are no integers of six bits.
        d if d.is_tiny() && d.is_float() => DType::I8,
        DType::BF16 | DType::F16 => DType::I16,
        DType::F32 => DType::I32,
        DType::F64 => DType::I64,
        _ => return Ok(vec![]),
    };
    let (exponent, mantissa) = cx.dtype.float_bits().unwrap_or_default();
    let own = (exponent.into(), mantissa.into());
    let x = cx.ty(&[2, 3]);
    let attrs = |(e, m): (i64, i64)| Attrs::of([("exponent", Attr::Int(e)), ("mantissa", Attr::Int(m))]);
    let mut list = vec![cx.op(&[(x.clone(), Any)], attrs(own), None)?];
    for format in [(5, 10), (2, 3)] {
        if bits.bits() != cx.dtype.bits() {
            continue;
        }
        list.push(cx.program(&[(x.clone(), Any)], |b, v| {
            let y = b.emit1(NewOp::new(&REDUCE_PRECISION, v).attrs(attrs(format)))?;
            b.emit(NewOp::new(&BITCAST, &[y]).types(vec![x.with_dtype(bits)]))
        })?);
    }
    Ok(list)
}
