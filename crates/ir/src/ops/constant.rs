//! Constants: `const`, `load`, `iota`.
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::Extent;
use crate::infer::InferCx;
use crate::op::*;
use crate::sample::{Domain, SampleCx};
use crate::types::Type;
use crate::{Attr, DType, NewOp};

/// `const`.
pub static CONST: OpDef = OpDef {
    name: "const",
    doc: "A constant. `const(1.5)` is a scalar, `const([[1.0, 2.0], [3.0, 4.0]])` a tensor (nested lists in logical \
          order), `const(splat = 0.0)` has every element the same and takes its shape from the written type, \
          `const(bytes = \"…\")` holds base64 of the elements, little-endian, in logical order.",
    slots: &[
        Slot::trailing("value", SlotKind::Literal, SlotDefault::Absent),
        Slot::optional("splat", SlotKind::Literal),
        Slot::optional("bytes", SlotKind::Str),
    ],
    infer: infer_const,
    linearize: Linearize::Zero,
    batch: Batch::Never("it takes nothing that could depend on an index"),
    sample: |cx| {
        let ty = cx.ty(&[2, 3]);
        Ok(vec![cx.program(&[], |b, _| {
            let z = b.zeros(&ty)?;
            let one = b.splat(&ty, 1.0)?;
            Ok(vec![z, one])
        })?])
    },
    constant: true,
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `load`.
pub static LOAD: OpDef = OpDef {
    name: "load",
    doc: "External data: the tensor that a `data` declaration names.",
    slots: &[Slot::leading("data", SlotKind::Data)],
    infer: |cx| {
        let Some(Attr::Data(d)) = cx.attrs().get("data") else {
            return Err(Error::new(Code::E0222, "`load` needs a data symbol"));
        };
        let decl = cx.module().data_decl(*d).ok_or_else(|| Error::new(Code::E0302, "this data is not declared"))?;
        Ok(vec![decl.ty.clone()])
    },
    linearize: Linearize::Zero,
    batch: Batch::Never("it takes nothing that could depend on an index"),
    constant: true,
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `iota`.
pub static IOTA: OpDef = OpDef {
    name: "iota",
    doc: "Each element is its index along `axis`, converted to the written dtype (integers wrap).",
    slots: &[Slot::with_default("axis", SlotKind::Int, SlotDefault::Int(-1))],
    needs_type: true,
    infer: |cx| {
        let t = cx.declared()?;
        if t.dtype == DType::Bool {
            return Err(Error::new(Code::E0203, "`iota` makes numbers, not bool").at(Part::Result(0)));
        }
        if cx.attrs().get("axis").is_none() {
            return Err(Error::new(Code::E0222, "`iota` needs `axis`").help("`axis` is an integer, counted from 0"));
        }
        cx.axis("axis", t.rank())?;
        Ok(vec![t])
    },
    linearize: Linearize::Zero,
    batch: Batch::Never("it takes nothing that could depend on an index"),
    sample: |cx: &SampleCx| {
        if cx.dtype == DType::Bool {
            return Ok(vec![]);
        }
        (0..2)
            .map(|axis| {
                cx.op(&[] as &[(Type, Domain)], crate::Attrs::of([("axis", Attr::Int(axis))]), Some(cx.ty(&[3, 4])))
            })
            .collect()
    },
    constant: true,
    ..OpDef::BASE
};
/// The rows.
pub static FAMILY: Family = &[&CONST, &LOAD, &IOTA];

fn infer_const(cx: &mut InferCx) -> Result<Vec<Type>> {
    let given = ["value", "splat", "bytes"].into_iter().filter(|k| cx.attrs().get(k).is_some()).count();
    if given != 1 {
        return Err(Error::new(Code::E0222, "`const` takes exactly one of a literal, `splat` and `bytes`"));
    }
    if let Some(t) = cx.attrs().tensor("value") {
        return Ok(vec![Type::exact(t.dtype(), t.shape())]);
    }
    let ty = cx.declared()?;
    if let Some(t) = cx.attrs().tensor("splat") {
        if t.rank() != 0 {
            return Err(Error::new(Code::E0223, "`splat` is one number").attr("splat"));
        }
        if t.dtype() != ty.dtype {
            return Err(
                Error::new(Code::E0202, format!("`splat` is {}, the result {}", t.dtype(), ty.dtype)).attr("splat")
            );
        }
        return Ok(vec![ty]);
    }
    let n = base64_len(cx.attrs().str("bytes").unwrap_or_default())
        .ok_or_else(|| Error::new(Code::E0224, "`bytes` is not base64").attr("bytes"))?;
    let size = ty.dtype.size() as i64;
    let mut want = Extent::exact(size);
    for d in ty.dims.iter() {
        want = want.mul(d)?;
    }
    if want != Extent::from(n) {
        return Err(Error::new(
            Code::E0225,
            format!("`bytes` holds {n} bytes, {} needs {}", cx.show(&ty), cx.show_extent(&want)),
        )
        .attr("bytes"));
    }
    Ok(vec![ty])
}

/// Number of bytes that a base64 text (RFC 4648, padded) stands for; `None` where it is malformed.
fn base64_len(s: &str) -> Option<usize> {
    decode_base64(s).map(|v| v.len())
}
/// Decodes base64 (RFC 4648, padded).
pub fn decode_base64(s: &str) -> Option<Vec<u8>> {
    let b = s.as_bytes();
    if !b.len().is_multiple_of(4) {
        return None;
    }
    let pad = b.iter().rev().take_while(|&&c| c == b'=').count();
    if pad > 2 {
        return None;
    }
    let mut out = Vec::with_capacity(b.len() / 4 * 3);
    let (mut acc, mut bits) = (0u32, 0);
    for &c in &b[..b.len() - pad] {
        let v = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        acc = acc << 6 | u32::from(v);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((acc >> bits) as u8);
        }
    }
    Some(out)
}
/// Whether `v` is a constant with every element equal to `x` (−0 counts as 0 only where `x` is −0).
pub fn is_splat(b: &crate::Builder, v: crate::ValueId, x: f64) -> bool {
    splat_of(b.func(), v).is_some_and(|y| y.to_bits() == x.to_bits())
}
/// The element of a real constant whose elements are all one number, as f64 (exact for every dtype but large integers).
pub fn splat_of(f: &crate::Func, v: crate::ValueId) -> Option<f64> {
    let op = f.def_op(v)?;
    if !op.def.is(&CONST) {
        return None;
    }
    let t = op.attrs.tensor("splat").or_else(|| op.attrs.tensor("value").filter(|t| t.rank() == 0))?;
    match t.dtype() {
        DType::Bool => t.item::<bool>().map(|x| f64::from(u8::from(x))),
        DType::C64 => t.item::<crate::C64>().filter(|z| z.im.to_bits() == 0).map(|z| z.re),
        DType::C32 => t.item::<crate::C32>().filter(|z| z.im.to_bits() == 0).map(|z| f64::from(z.re)),
        d if d.is_int() => t.int().filter(|x| x.unsigned_abs() < 1 << 53).map(|x| x as f64),
        _ => t.real(),
    }
}
/// A scalar tensor of any dtype that holds `x`: rounded once, saturated.
pub fn scalar_of(dtype: DType, x: f64) -> crate::Tensor {
    use crate::Tensor;
    use crate::small::{Small, ToHalf};
    match dtype {
        DType::Bool => Tensor::scalar(x != 0.0),
        DType::I32 => Tensor::scalar(x as i32),
        DType::I64 => Tensor::scalar(x as i64),
        DType::U32 => Tensor::scalar(x as u32),
        DType::U64 => Tensor::scalar(x as u64),
        DType::F32 => Tensor::scalar(x as f32),
        DType::F64 => Tensor::scalar(x),
        DType::C32 => Tensor::scalar(crate::C32::new(x as f32, 0.0)),
        DType::C64 => Tensor::scalar(crate::C64::new(x, 0.0)),
        d => crate::with_small_float!(d, T => Tensor::scalar(T::narrow(x.single())), _ => {
            let (low, high) = d.int_range().unwrap_or_default();
            let x = (x as i128).clamp(low, high) as u32;
            crate::with_small_int!(d, T => Tensor::scalar(T::of_bits(x)), _ => Tensor::scalar(false))
        }),
    }
}
/// `const(splat = x)`, or `const(x)` for a scalar type.
pub(crate) fn splat_op(ty: &Type, x: f64) -> Result<NewOp> {
    let t = scalar_of(ty.dtype, x);
    let key = if ty.is_scalar() { "value" } else { "splat" };
    Ok(NewOp::new(&CONST, &[]).attr(key, Attr::Tensor(t)).types(vec![ty.clone()]))
}
