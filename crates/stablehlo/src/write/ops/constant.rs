//! Constants, external data, numbers of places.
use tfc_ir::ops::constant::{CONST, IOTA, LOAD, decode_base64};
use tfc_ir::{Attr, Code, DType, Error, Result, Tensor};

use super::Rows;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::ty::Ty;
use crate::write::writer::{Val, broken};

pub(super) const ROWS: Rows = &[(&CONST, By(constant)), (&LOAD, By(load)), (&IOTA, By(iota))];

fn constant(cx: &mut Cx) -> Result<Vec<Val>> {
    let ty = cx.result(0)?;
    if let Some(t) = cx.attrs().tensor("value").cloned() {
        return Ok(vec![cx.constant(&t, &ty, false)?]);
    }
    if let Some(t) = cx.attrs().tensor("splat").cloned() {
        return Ok(vec![cx.constant(&t, &ty, true)?]);
    }
    let bytes = cx.attrs().str("bytes").and_then(decode_base64);
    let bytes = bytes.ok_or_else(|| Error::new(Code::E0224, "`bytes` is not base64"))?;
    let t = of_bytes(&ty, &bytes)?;
    Ok(vec![cx.constant(&t, &ty, false)?])
}
/// Little-endian elements in logical order.
fn of_bytes(ty: &Ty, bytes: &[u8]) -> Result<Tensor> {
    fn list<const N: usize, T>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<T> {
        bytes.chunks_exact(N).filter_map(|c| c.try_into().ok().map(&read)).collect()
    }
    let (s, n) = (&ty.dims, tfc_ir::tensor::element_count(&ty.dims)?);
    if bytes.len() != n.saturating_mul(ty.dtype.size()) {
        return Err(Error::new(Code::E0225, format!("{} bytes do not fill {ty}", bytes.len())));
    }
    let floats = || list(bytes, f32::from_le_bytes);
    let doubles = || list(bytes, f64::from_le_bytes);
    match ty.dtype {
        DType::Bool => Tensor::from_logical(s, bytes.iter().map(|&b| b != 0).collect()),
        DType::I32 => Tensor::from_logical(s, list(bytes, i32::from_le_bytes)),
        DType::I64 => Tensor::from_logical(s, list(bytes, i64::from_le_bytes)),
        DType::U32 => Tensor::from_logical(s, list(bytes, u32::from_le_bytes)),
        DType::U64 => Tensor::from_logical(s, list(bytes, u64::from_le_bytes)),
        DType::F32 => Tensor::from_logical(s, floats()),
        DType::F64 => Tensor::from_logical(s, doubles()),
        DType::C32 => {
            let pairs = floats().chunks_exact(2).map(|p| tfc_ir::C32 { re: p[0], im: p[1] }).collect();
            Tensor::from_logical(s, pairs)
        }
        DType::C64 => {
            let pairs = doubles().chunks_exact(2).map(|p| tfc_ir::C64 { re: p[0], im: p[1] }).collect();
            Tensor::from_logical(s, pairs)
        }
        small => Tensor::from_small_bytes(small, s, bytes),
    }
}
fn load(cx: &mut Cx) -> Result<Vec<Val>> {
    let ty = cx.result(0)?;
    let decl = match cx.attrs().get("data") {
        Some(Attr::Data(d)) => cx.walk.module().data_decl(*d).cloned(),
        _ => None,
    };
    let decl = decl.ok_or_else(|| Error::new(Code::E0302, "this data is not declared"))?;
    let none = || Error::new(Code::E0717, format!("the contents of @{} have not been loaded", decl.name));
    let t = decl.value.clone().ok_or_else(none)?;
    Ok(vec![cx.constant(&t, &ty, false)?])
}
fn iota(cx: &mut Cx) -> Result<Vec<Val>> {
    let (ty, axis) = (cx.result(0)?, usize::try_from(cx.attrs().int("axis")).map_err(|_| broken("an axis"))?);
    Ok(vec![numbered(cx, &ty, axis)?])
}
/// Each element is its index along the axis, in any number type.
pub(super) fn numbered(cx: &mut Cx, ty: &Ty, axis: usize) -> Result<Val> {
    if ty.dtype.is_complex() {
        let parts = cx.iota(&ty.with(ty.dtype.real()), axis);
        return Ok(cx.convert(&parts, ty.dtype));
    }
    Ok(cx.iota(ty, axis))
}
