//! `sort` and `top_k`.
use super::super::super::ast::Op;
use super::super::func::FuncCx;
use super::super::{Made, args};
use super::elementwise::operands;
use super::region::expressions;
use super::{Emit, Table};
use tfc_ir::ops::order::{SORT, TOP_K};
use tfc_ir::{Attr, DType, Extent, NewOp, Type, ValueId};

pub(super) const OPS: Table = &[("stablehlo.sort", Emit::Whole(sort)), ("chlo.top_k", Emit::Whole(top_k))];

/// A comparator that says "the first operand ascends" becomes `keys = 1`; any other stays a region.
fn sort<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let block = cx.block(op, 0)?;
    let types: Vec<Type> = v.iter().map(|&x| cx.b.ty(x)).collect();
    let rank = types.first().map_or(0, Type::rank) as i64;
    let axis = cx.int_or(op, "dimension", -1)?;
    let axis = if axis < 0 { axis + rank } else { axis };
    if !(0..rank).contains(&axis) {
        return Err(args::wrong(
            op.span,
            format!("`dimension` is no axis of an operand of rank {rank}"),
            "count from 0",
        ));
    }
    let new = NewOp::new(&SORT, v).attr("axis", Attr::Int(axis));
    let whole = types.first().is_some_and(|t| t.dtype.is_int() || t.dtype == DType::Bool);
    if whole && expressions(block).as_deref() == Some(&["compareLT(0,1)".to_owned()]) {
        return Ok(cx.b.emit(new)?);
    }
    let scalars: Vec<Type> = types.iter().flat_map(|t| [Type::scalar(t.dtype), Type::scalar(t.dtype)]).collect();
    let region = cx.region("comparator", op, block, &scalars)?;
    Ok(cx.b.emit(new.regions(vec![region]))?)
}

/// Values and `i32` indices.
fn top_k<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let k = cx.axis(op, "k")?;
    let truth = cx.b.func().ty(x).dtype == DType::Bool;
    let key = if truth { cx.b.convert(x, DType::I32)? } else { x };
    let made = cx.b.emit(NewOp::new(&TOP_K, &[key]).attr("k", Attr::extent(Extent::from(k))))?;
    let &[values, places] = made.as_slice() else { return Ok(made) };
    let values = if truth { cx.b.convert(values, DType::Bool)? } else { values };
    Ok(vec![values, cx.b.convert(places, DType::I32)?])
}
