//! Ops whose extents come as operands, where the written types say them, and the operands that must be known are constants.
use super::super::super::ast::Op;
use super::super::Made;
use super::super::func::{FuncCx, IntoStop};
use super::elementwise::operands;
use super::{Emit, Table, index, shape};
use tfc_ir::ops::constant::{CONST, IOTA};
use tfc_ir::{Attr, DType, Diagnostic, NewOp, Type, ValueId};

pub(super) const OPS: Table = &[
    ("stablehlo.dynamic_broadcast_in_dim", Emit::Whole(broadcast)),
    ("stablehlo.dynamic_gather", Emit::Whole(gather)),
    ("stablehlo.dynamic_iota", Emit::Whole(iota)),
    ("stablehlo.dynamic_pad", Emit::Whole(pad)),
    ("stablehlo.dynamic_reshape", Emit::Whole(reshape)),
    ("stablehlo.get_dimension_size", Emit::Whole(size)),
    ("stablehlo.real_dynamic_slice", Emit::Whole(slice)),
];

/// The elements of a constant operand.
fn known(cx: &FuncCx, op: &Op, v: ValueId) -> Made<Vec<i64>> {
    let f = cx.b.func();
    let of = || {
        let o = f.def_op(v).filter(|o| o.def.is(&CONST))?;
        let (t, n) = match o.attrs.tensor("value") {
            Some(t) => (t, 1),
            None => (o.attrs.tensor("splat")?, f.ty(v).exact_shape()?.iter().product()),
        };
        let list: Vec<i64> = match t.dtype() {
            DType::I32 => t.to_logical::<i32>()?.into_iter().map(i64::from).collect(),
            DType::I64 => t.to_logical::<i64>()?,
            _ => return None,
        };
        Some(if n == 1 { list } else { vec![*list.first()?; n] })
    };
    of().ok_or_else(|| {
        let text = format!("`{}` of extents that are computed is not read", op.name.text);
        Diagnostic::error("E0240", op.span, text).help("its operands of extents must be constants").into_stop()
    })
}
fn naturals(cx: &FuncCx, op: &Op, v: ValueId) -> Made<Vec<usize>> {
    let list: Option<Vec<usize>> = known(cx, op, v)?.into_iter().map(|i| usize::try_from(i).ok()).collect();
    list.ok_or_else(|| {
        Diagnostic::error("E0242", op.span, "a negative number").help("extents are 0 or more").into_stop()
    })
}

fn broadcast<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let ([x, _], ty) = (operands(op, v)?, cx.out(op, 0)?);
    let key = if cx.find(op, "dims").is_some() { "dims" } else { "broadcast_dimensions" };
    let dims = cx.axes(op, key)?;
    Ok(vec![cx.b.broadcast(x, &ty, &dims)?])
}
fn reshape<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let ([x, _], ty) = (operands(op, v)?, cx.out(op, 0)?);
    Ok(vec![cx.b.reshape(x, &ty)?])
}
fn iota<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, _: &[ValueId]) -> Made<Vec<ValueId>> {
    let ty = cx.out(op, 0)?;
    let key = if cx.find(op, "dim").is_some() { "dim" } else { "iota_dimension" };
    let axis = cx.axis(op, key)?;
    Ok(cx.b.emit(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis as i64)).types(vec![ty]))?)
}
fn pad<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, fill, low, high, interior] = operands(op, v)?;
    let (low, high, interior) = (known(cx, op, low)?, known(cx, op, high)?, known(cx, op, interior)?);
    shape::padded(cx, x, fill, [&low, &high, &interior]).map(|v| vec![v])
}
fn slice<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, start, limit, stride] = operands(op, v)?;
    let (start, limit, stride) = (naturals(cx, op, start)?, naturals(cx, op, limit)?, naturals(cx, op, stride)?);
    shape::cut(cx, x, &start, &limit, &stride).map(|v| vec![v])
}
fn gather<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, places, sizes] = operands(op, v)?;
    let sizes = naturals(cx, op, sizes)?;
    index::gather_sized(cx, op, &[x, places], &sizes)
}
/// The extent of an axis, as `i32`.
fn size<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let key = if cx.find(op, "dim").is_some() { "dim" } else { "dimension" };
    let axis = cx.axis(op, key)?;
    let extent = cx.b.func().ty(x).dims.get(axis).and_then(|d| d.as_exact());
    let Some(n) = extent else {
        let d = Diagnostic::error("E0242", op.span, format!("the operand has no axis {axis}"));
        return Err(d.help("axes are counted from 0").into_stop());
    };
    Ok(vec![cx.b.splat(&Type::scalar(DType::I32), n as f64)?])
}
