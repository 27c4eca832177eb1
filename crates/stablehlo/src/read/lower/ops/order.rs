//! `sort` and `top_k`.
use super::super::super::ast::{AttrKind, Op};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args, types};
use super::elementwise::operands;
use super::reduce::halves;
use super::region::{expressions, expressions_of};
use super::{Emit, Table, dynamic};
use tfc_ir::ops::order::{SORT, TOP_K};
use tfc_ir::{Attr, Code, DType, Diagnostic, Extent, NewOp, Type, ValueId};

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
    let scalars: Vec<Type> = types.iter().flat_map(|t| [Type::scalar(t.dtype), Type::scalar(t.dtype)]).collect();
    if whole && expressions(block).as_deref() == Some(&["compareLT(0,1)".to_owned()]) {
        cx.checked_region(op, block, &scalars, &[DType::Bool])?;
        return Ok(cx.b.emit(new)?);
    }
    let region = cx.region("comparator", op, block, &scalars)?;
    Ok(cx.b.emit(new.regions(vec![region]))?)
}

/// Values and `i32` indices.
fn top_k<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let k = cx.axis(op, "k")?;
    greatest(cx, op, v, Extent::from(k))
}
/// `@stablehlo.dynamic_top_k`: the last operand says how many.
pub(super) fn dynamic_top_k<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, count] = operands(op, v)?;
    match dynamic::extents(cx, op, count)?.as_slice() {
        [k] => greatest(cx, op, &[x], k.clone()),
        _ => Err(args::wrong(op.span, "how many elements are wanted is one number", "it is a scalar")),
    }
}
/// `@ApproxTopK` may find others than the first elements in the order of its comparator; here it finds these.
pub(super) fn approximate<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let a = cx.need(op, "mhlo.backend_config")?;
    let AttrKind::Dict(given) = &a.kind else { return Err(args::not(a, "a dictionary")) };
    let of = |key: &str| given.iter().find(|(k, _)| k.text == key).map(|(_, a)| a);
    let number = |key: &str| -> Made<i64> {
        let n = of(key)
            .ok_or_else(|| args::wrong(a.span, format!("`@ApproxTopK` has no `{key}`"), "it says what to find"))?;
        args::one(n)
    };
    if of("aggregate_to_topk").is_some_and(|a| matches!(a.kind, AttrKind::Bool(false))) {
        let d = Diagnostic::error(Code::E0240, op.span, "`@ApproxTopK` without `aggregate_to_topk` is not read");
        return Err(d.help("the number of its results is up to the machine").into_stop());
    }
    let (xs, _) = halves(op, v)?;
    let types: Vec<Type> = xs.iter().map(|&x| cx.b.ty(x)).collect();
    let (rank, axis, k) = (types.first().map_or(0, Type::rank) as i64, number("reduction_dim")?, number("top_k")?);
    let axis = if axis < 0 { axis + rank } else { axis };
    if !(0..rank).contains(&axis) {
        return Err(args::wrong(
            op.span,
            format!("`reduction_dim` is no axis of an operand of rank {rank}"),
            "count from 0",
        ));
    }
    let scalars: Vec<Type> = types.iter().flat_map(|t| [Type::scalar(t.dtype), Type::scalar(t.dtype)]).collect();
    let comparator = cx.called_region(op, "comparator", "called_computations", &scalars)?;
    let sorted = cx.b.emit(NewOp::new(&SORT, xs).attr("axis", Attr::Int(axis)).regions(vec![comparator]))?;
    sorted.into_iter().map(|x| Ok(cx.b.take_prefix(x, axis as usize, &Extent::exact(k))?)).collect()
}
/// The call in which older versions of JAX write it.
pub(super) fn called_top_k<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let a = cx.need(op, "mhlo.attributes")?;
    let AttrKind::Dict(given) = &a.kind else { return Err(args::not(a, "a dictionary")) };
    let of = |key: &str| given.iter().find(|(k, _)| k.text == key).map(|(_, a)| a);
    if of("largest").is_some_and(|a| matches!(a.kind, AttrKind::Bool(false))) {
        let d = Diagnostic::error(Code::E0240, op.span, "the least elements by `@mhlo.topk` are not read");
        return Err(d.help("negate the operand and take the greatest").into_stop());
    }
    let k = of("k").ok_or_else(|| args::wrong(a.span, "`@mhlo.topk` has no `k`", "`k` says how many"))?;
    let k = usize::try_from(args::one(k)?).map_err(|_| args::not(k, "a number of elements"))?;
    greatest(cx, op, v, Extent::from(k))
}
/// `@TopK`, as XLA writes it: as many elements as the result has, by a comparator that says which come first.
pub(super) fn top_k_by<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let ty = cx.b.ty(x);
    let whole = op.outs.iter().map(types::flat).collect::<Result<Vec<_>, _>>()?.concat();
    let k = whole.first().and_then(|t| t.dims.last().copied().flatten());
    let (Some(k), [_, indices]) = (k, whole.as_slice()) else {
        return Err(args::wrong(
            op.span,
            "`@TopK` gives values and their indices",
            "write both types, with their extents",
        ));
    };
    if indices.dtype != DType::I32 {
        return Err(args::wrong(op.span, "indices of `@TopK` are i32", "write the type of the second result"));
    }
    let scalars = [ty.dtype, ty.dtype, DType::I32, DType::I32].map(Type::scalar);
    let comparator = cx.called(op, "called_computations", scalars.len())?;
    let said = comparator.body.as_ref().and_then(|b| expressions_of(&comparator.params, &b.ops));
    let first = said.as_deref().and_then(|s| s.first()).map(String::as_str);
    // For floats that is the order of `top_k`; other numbers have but one.
    match first {
        Some("compareGT~(0,1)") if ty.dtype.is_float() => {}
        Some("compareGT(0,1)") => {}
        _ => {
            let d = Diagnostic::error(Code::E0240, op.span, "`@TopK` by this comparator is not read");
            return Err(d
                .help("the greatest elements are read, by `compare GT` of the first two parameters")
                .into_stop());
        }
    }
    greatest(cx, op, &[x], Extent::from(k))
}
fn greatest<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId], k: Extent) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let truth = cx.b.func().ty(x).dtype == DType::Bool;
    let key = if truth { cx.b.convert(x, DType::I32)? } else { x };
    let made = cx.b.emit(NewOp::new(&TOP_K, &[key]).attr("k", Attr::extent(k)))?;
    let &[values, places] = made.as_slice() else { return Ok(made) };
    let values = if truth { cx.b.convert(values, DType::Bool)? } else { values };
    Ok(vec![values, cx.b.convert(places, DType::I32)?])
}
