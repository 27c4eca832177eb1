//! Ops that move elements.
use tfc_ir::ops::shape as s;
use tfc_ir::{Code, Result};

use super::Rows;
use super::index::at_indices;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken, ints};
use tfc_ir::DType;

pub(super) const ROWS: Rows = &[
    (&s::RESHAPE, By(reshape)),
    (
        &s::TRANSPOSE,
        By(|cx| {
            let (x, perm) = (cx.arg(0)?, cx.attrs().indices("perm"));
            Ok(vec![cx.transpose(&x, &perm)])
        }),
    ),
    (
        &s::BROADCAST_IN_DIM,
        By(|cx| {
            let (x, dims, ty) = (cx.arg(0)?, cx.attrs().indices("dims"), cx.result(0)?);
            Ok(vec![cx.broadcast(&x, &dims, &ty)])
        }),
    ),
    (&s::SLICE, By(slice)),
    (&s::PAD, By(pad)),
    (
        &s::CONCAT,
        By(|cx| {
            let (xs, axis) = (cx.args().to_vec(), cx.attrs().indices("axis"));
            let axis = axis.first().copied().ok_or_else(|| broken("an axis"))?;
            Ok(vec![cx.concat(&xs, axis)?])
        }),
    ),
    (
        &s::REVERSE,
        By(|cx| {
            let (x, axes) = (cx.arg(0)?, cx.attrs().indices("axes"));
            Ok(vec![reverse(cx, &x, &axes)])
        }),
    ),
    (&s::DYNAMIC_SLICE, By(dynamic_slice)),
    (&s::DYNAMIC_UPDATE_SLICE, By(dynamic_update_slice)),
    (&s::TAKE_PREFIX, By(resize)),
    (&s::PAD_SUFFIX, By(resize)),
    (&s::TRIL, By(|cx| band(cx, "LE"))),
    (&s::TRIU, By(|cx| band(cx, "GE"))),
    (&s::EXTRACT_DIAG, By(extract_diag)),
    (&s::EMBED_DIAG, By(embed_diag)),
];

/// `order = first` is logical order with the axes turned round.
fn reshape(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, ty) = (cx.arg(0)?, cx.result(0)?);
    if cx.attrs().word("order") != Some("first") {
        return Ok(vec![cx.reshape(&x, &ty.dims)]);
    }
    let back = |n: usize| (0..n).rev().collect::<Vec<usize>>();
    let turned = cx.transpose(&x, &back(x.rank()));
    let dims: Vec<usize> = ty.dims.iter().rev().copied().collect();
    let made = cx.reshape(&turned, &dims);
    Ok(vec![cx.transpose(&made, &back(ty.rank()))])
}
fn slice(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let (start, limit) = (cx.sizes("start", x.rank(), 0)?, cx.sizes("limit", x.rank(), 0)?);
    let stride = s::strides(cx.attrs(), x.rank());
    for ((s, l), n) in start.iter().zip(&limit).zip(x.dims()) {
        if s > l || l > n {
            let text = format!("`slice` from {s} to {l} leaves an axis of extent {n}");
            return Err(
                tfc_ir::Error::new(Code::E1104, text).help("the program fails where it gets here: give other extents")
            );
        }
    }
    Ok(vec![cx.slice(&x, &start, &limit, &stride)])
}
fn pad(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, v) = (cx.arg(0)?, cx.arg(1)?);
    let (low, high) = (cx.extents("low")?, cx.extents("high")?);
    let interior = s::interiors(cx.attrs(), x.rank());
    Ok(vec![cx.pad(&x, &v, &low, &high, &interior)?])
}
/// Along these axes from the last element to the first.
pub(super) fn reverse(w: &mut Writer, x: &Val, axes: &[usize]) -> Val {
    if axes.is_empty() {
        return x.clone();
    }
    w.emit(x.ty.clone(), format_args!("stablehlo.reverse {x}, dims = {} : {}", ints(axes), x.ty))
}
/// Integers as `i64`: those of `u64` that it cannot hold are its greatest, which is outside of anything.
pub(super) fn index(w: &mut Writer, i: &Val) -> Result<Val> {
    if i.dtype() != DType::U64 {
        return Ok(w.convert(i, DType::I64));
    }
    let most = w.end(&i.ty.with(DType::I64), true)?;
    let most = w.convert(&most, DType::U64);
    let i = w.bin("minimum", i, &most);
    Ok(w.convert(&i, DType::I64))
}
fn dynamic_slice(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, ty) = (cx.arg(0)?, cx.result(0)?);
    let starts = cx.args().get(1..).unwrap_or_default().to_vec();
    let starts = starts.iter().map(|i| index(cx, i)).collect::<Result<Vec<_>>>()?;
    Ok(vec![cx.dynamic_slice(&x, &starts, &ty.dims)])
}
fn dynamic_update_slice(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, u) = (cx.arg(0)?, cx.arg(1)?);
    let starts = cx.args().get(2..).unwrap_or_default().to_vec();
    let starts = starts.iter().map(|i| index(cx, i)).collect::<Result<Vec<_>>>()?;
    Ok(vec![cx.dynamic_update(&x, &u, &starts)])
}
/// `take_prefix`, `pad_suffix`: the operand where it reaches, zero beyond.
fn resize(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, ty) = (cx.arg(0)?, cx.result(0)?);
    let kept: Vec<usize> = x.dims().iter().zip(&ty.dims).map(|(&a, &b)| a.min(b)).collect();
    let head = cx.slice(&x, &vec![0; x.rank()], &kept, &vec![1; x.rank()]);
    let zero = cx.splat(&Ty::scalar(ty.dtype), 0.0)?;
    let more = |(&a, &b): (&usize, &usize)| i64::try_from(b - a).map_err(|_| broken("an extent"));
    let high = kept.iter().zip(&ty.dims).map(more).collect::<Result<Vec<_>>>()?;
    Ok(vec![cx.pad(&head, &zero, &vec![0; x.rank()], &high, &vec![0; x.rank()])?])
}
/// `j − i` of the two leading axes, compared with `k`.
pub(crate) fn diagonal_mask(w: &mut Writer, dims: &[usize], how: &str, k: i64) -> Result<Val> {
    let ty = Ty::new(DType::I64, dims.get(..2).ok_or_else(|| broken("a matrix"))?);
    let (i, j) = (w.iota(&ty, 0), w.iota(&ty, 1));
    let d = w.bin("subtract", &j, &i);
    let k = w.constant(&tfc_ir::Tensor::scalar(k), &ty, true)?;
    let mask = w.compare(how, &d, &k);
    Ok(w.broadcast(&mask, &[0, 1], &Ty::new(DType::Bool, dims)))
}
fn band(cx: &mut Cx, how: &str) -> Result<Vec<Val>> {
    let (x, k) = (cx.arg(0)?, cx.attrs().int("k"));
    let mask = diagonal_mask(cx, x.dims(), how, k)?;
    let zero = cx.splat(&x.ty, 0.0)?;
    Ok(vec![cx.select(&mask, &x, &zero)])
}
fn extract_diag(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, ty) = (cx.arg(0)?, cx.result(0)?);
    let n = ty.dims.first().copied().unwrap_or(0);
    if ty.is_empty() {
        return Ok(vec![cx.splat(&ty, 0.0)?]);
    }
    let places = cx.iota(&Ty::new(DType::I64, [n, 2]), 0);
    Ok(vec![at_indices(cx, &x, &places, &[0, 1], 0)])
}
fn embed_diag(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, ty) = (cx.arg(0)?, cx.result(0)?);
    let axes: Vec<usize> = (1..ty.rank()).collect();
    let wide = cx.broadcast(&x, &axes, &ty);
    let mask = diagonal_mask(cx, &ty.dims, "EQ", 0)?;
    let zero = cx.splat(&ty, 0.0)?;
    Ok(vec![cx.select(&mask, &wide, &zero)])
}
