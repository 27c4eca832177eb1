//! Collectives, over the one device that there is: what each of several would hand to the others it keeps. Groups that name
//! another device are refused.
use super::super::super::ast::{Attr as Written, AttrKind, Op, TypeKind};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args};
use super::elementwise::operands;
use super::{Emit, Table};
use tfc_ir::{Code, Diagnostic, Type, ValueId};

pub(super) const OPS: Table = &[
    ("stablehlo.all_gather", Emit::Whole(|cx, op, v| along(cx, op, v, &["all_gather_dim"]))),
    ("stablehlo.all_reduce", Emit::Whole(reduced)),
    ("stablehlo.all_to_all", Emit::Whole(all_to_all)),
    ("stablehlo.collective_broadcast", Emit::Whole(|cx, op, v| along(cx, op, v, &[]))),
    ("stablehlo.collective_permute", Emit::Whole(permute)),
    ("stablehlo.reduce_scatter", Emit::Whole(scattered)),
];

/// The numbers of `replica_groups` or `source_target_pairs`, and the extents of that constant.
fn numbers<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, key: &str) -> Made<(&'a Written<'a>, Vec<u64>, Vec<i64>)> {
    let a = cx.need(op, key)?;
    let AttrKind::Dense(_, Some(ty)) = &a.kind else { return Err(args::not(a, "a constant with its type")) };
    let TypeKind::Tensor(dims, "i64", _) = &ty.kind else { return Err(args::not(a, "of type `tensor<…xi64>`")) };
    let dims: Option<Vec<u64>> = dims.iter().copied().collect();
    match dims {
        Some(dims) if dims.len() == 2 => Ok((a, dims, args::ints(a)?)),
        _ => Err(args::not(a, "a table, `dense<[[0]]> : tensor<1x1xi64>`")),
    }
}
fn several(a: &Written, op: &Op) -> super::Stop {
    let text = format!("`{}` over several devices is not read", op.name.text);
    Diagnostic::error(Code::E0240, a.span, text)
        .help("a program runs on one device here, whose number is 0: export it for a mesh of one")
        .into_stop()
}
/// The device is in a group, by itself.
fn alone<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>) -> Made<()> {
    let (a, _, all) = numbers(cx, op, "replica_groups")?;
    match all.as_slice() {
        // No group stands for one of all devices.
        [] | [0] => Ok(()),
        _ => Err(several(a, op)),
    }
}
/// What is handed on along axes, which the operands have.
fn along<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId], keys: &[&str]) -> Made<Vec<ValueId>> {
    alone(cx, op)?;
    if v.is_empty() {
        let text = format!("`{}` without operands", op.name.text);
        return Err(Diagnostic::error(Code::E0210, op.span, text).help("write what it hands on").into_stop());
    }
    for key in keys {
        let axis = cx.axis(op, key)?;
        if v.iter().any(|&x| axis >= cx.b.func().ty(x).rank()) {
            return Err(args::wrong(op.span, format!("`{key}` is no axis of an operand"), "axes are counted from 0"));
        }
    }
    Ok(v.to_vec())
}
fn all_to_all<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let a = cx.need(op, "split_count")?;
    if args::one(a)? != 1 {
        return Err(several(a, op));
    }
    along(cx, op, v, &["split_dimension", "concat_dimension"])
}
/// The region that would combine what devices have is read, and combines nothing.
fn region<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<()> {
    let block = cx.block(op, 0)?;
    let Some(dtype) = v.first().map(|&x| cx.b.func().ty(x).dtype) else { return Ok(()) };
    cx.checked_region(op, block, &[Type::scalar(dtype), Type::scalar(dtype)], &[dtype])
}
fn reduced<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    region(cx, op, v)?;
    along(cx, op, v, &[])
}
fn scattered<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [_] = operands(op, v)?;
    region(cx, op, v)?;
    along(cx, op, v, &["scatter_dimension"])
}
/// A device that nobody sends to has zeros.
fn permute<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let (a, dims, pairs) = numbers(cx, op, "source_target_pairs")?;
    if dims.get(1) != Some(&2) {
        return Err(args::not(a, "a table of pairs, `dense<[[0, 0]]> : tensor<1x2xi64>`"));
    }
    match pairs.as_slice() {
        [] => {
            let ty = cx.b.ty(x);
            Ok(vec![cx.b.zeros(&ty)?])
        }
        [0, 0] => Ok(vec![x]),
        _ => Err(several(a, op)),
    }
}
