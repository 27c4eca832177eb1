//! Constants: each result is the attribute's tensor itself, data that has been loaded, or numbers written here.
use super::OpCx;
use super::grid::{build, every};
use tfc_ir::ops::constant::decode_base64;
use tfc_ir::{Attr, C32, C64, Code, DType, Element, Error, Result, ScalarOp, Tensor};
use tfc_kernels::scalar::apply1;

pub(super) fn constant(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    if let Some(t) = cx.attrs().tensor("value") {
        return Ok(vec![t.clone()]);
    }
    let (dtype, shape) = cx.result_shape(0)?;
    if let Some(t) = cx.attrs().tensor("splat") {
        return every!(dtype, T => {
            let x = t.item::<T>().ok_or_else(|| Error::new(Code::E0223, "`splat` is one number of the result's dtype"))?;
            Ok(vec![build(&shape, |_| x)?])
        });
    }
    let bytes = cx.attrs().str("bytes").and_then(decode_base64);
    let bytes = bytes.ok_or_else(|| Error::new(Code::E0224, "`bytes` is not base64"))?;
    Ok(vec![from_bytes(dtype, &shape, &bytes)?])
}

/// Little-endian elements in logical order.
pub(super) fn from_bytes(dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<Tensor> {
    fn number<const N: usize, T>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<T> {
        bytes.chunks_exact(N).filter_map(|c| c.try_into().ok().map(&read)).collect()
    }
    let n = tfc_ir::tensor::element_count(shape)?;
    if bytes.len() != n.saturating_mul(dtype.size()) {
        return Err(Error::new(Code::E0225, format!("{} bytes do not fill {dtype}{shape:?}", bytes.len())));
    }
    match dtype {
        DType::Bool => Tensor::from_logical(shape, bytes.iter().map(|&b| b != 0).collect()),
        DType::I32 => Tensor::from_logical(shape, number(bytes, i32::from_le_bytes)),
        DType::I64 => Tensor::from_logical(shape, number(bytes, i64::from_le_bytes)),
        DType::U32 => Tensor::from_logical(shape, number(bytes, u32::from_le_bytes)),
        DType::U64 => Tensor::from_logical(shape, number(bytes, u64::from_le_bytes)),
        DType::F32 => Tensor::from_logical(shape, number(bytes, f32::from_le_bytes)),
        DType::F64 => Tensor::from_logical(shape, number(bytes, f64::from_le_bytes)),
        DType::C32 => {
            let parts = number(bytes, f32::from_le_bytes);
            Tensor::from_logical(shape, parts.chunks_exact(2).map(|p| C32::new(p[0], p[1])).collect())
        }
        DType::C64 => {
            let parts = number(bytes, f64::from_le_bytes);
            Tensor::from_logical(shape, parts.chunks_exact(2).map(|p| C64::new(p[0], p[1])).collect())
        }
        small => Tensor::from_small_bytes(small, shape, bytes),
    }
}

pub(super) fn load(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let decl = match cx.attrs().get("data") {
        Some(Attr::Data(d)) => cx.module().data_decl(*d),
        _ => None,
    };
    let decl = decl.ok_or_else(|| Error::new(Code::E0302, "this data is not declared"))?;
    let value = decl.value.clone();
    Ok(vec![
        value.ok_or_else(|| Error::new(Code::E0717, format!("the contents of @{} have not been loaded", decl.name)))?,
    ])
}

pub(super) fn iota(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let axis = cx.attrs().int("axis") as usize;
    fn element<T: Element>(i: usize) -> T {
        apply1::<i64, T>(ScalarOp::Convert, i as i64).unwrap_or_default()
    }
    every!(dtype, T => Ok(vec![build::<T>(&shape, |ix| element(ix.get(axis).copied().unwrap_or(0)))?]))
}
