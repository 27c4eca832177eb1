//! Contractions: `dot`, `dot_general`, `ragged_dot`.
use super::super::super::ast::Op;
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args};
use super::elementwise::{operands, to_dtype};
use super::{Emit, Table};
use tfc_ir::ops::constant::IOTA;
use tfc_ir::ops::contract::DotDims;
use tfc_ir::{Attr, Code, DType, Diagnostic, NewOp, Type, ValueId};

pub(super) const OPS: Table = &[
    ("stablehlo.dot", Emit::Whole(dot)),
    ("stablehlo.dot_general", Emit::Whole(dot_general)),
    ("chlo.ragged_dot", Emit::Whole(ragged_dot)),
];

/// The last axis of the left operand with the first of the right one.
fn dot<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, _] = operands(op, v)?;
    let last = cx.b.func().ty(x).rank().saturating_sub(1);
    contract(cx, op, v, [vec![last], vec![0]], [vec![], vec![]])
}
fn dot_general<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let (contracting, batch) = match cx.find(op, "dot_dimension_numbers") {
        Some(_) => {
            let f = cx.fields(op, "dot_dimension_numbers")?;
            let of = |key: &str| cx.field(f, key);
            (
                [of("lhs_contracting_dimensions")?, of("rhs_contracting_dimensions")?],
                [of("lhs_batching_dimensions")?, of("rhs_batching_dimensions")?],
            )
        }
        None => {
            let none = || [vec![], vec![]];
            let batch = cx.pair(op, "batching_dims")?.unwrap_or_else(none);
            (cx.pair(op, "contracting_dims")?.unwrap_or_else(none), batch)
        }
    };
    contract(cx, op, v, contracting, batch)
}
/// In which dtype operands of these are multiplied and summed to a result of dtype `to`: the widest, truth values as counts.
pub(super) fn within([dx, dy]: [DType; 2], to: DType) -> DType {
    match [dx, dy, to].into_iter().max_by_key(|d| (d.is_complex(), d.is_inexact(), d.size(), *d == to)) {
        None | Some(DType::Bool) => DType::I32,
        // Of two small floats neither holds the numbers of the other.
        Some(d) if d.is_small() && [dx, dy, to].iter().any(|o| *o != d && !o.is_int()) => d.wide(),
        Some(d) => d,
    }
}
/// The result has the batch axes first, and is computed in the widest of the element types, truth values as counts.
fn contract<'a>(
    cx: &mut FuncCx<'a>,
    op: &'a Op<'a>,
    v: &[ValueId],
    contract: [Vec<usize>; 2],
    batch: [Vec<usize>; 2],
) -> Made<Vec<ValueId>> {
    let ([x, y], to) = (operands(op, v)?, cx.out_dtype(op, 0)?);
    let (dx, dy) = (cx.b.func().ty(x).dtype, cx.b.func().ty(y).dtype);
    let within = within([dx, dy], to);
    let (x, y) = (to_dtype(cx, x, dx, within)?, to_dtype(cx, y, dy, within)?);
    let free = |v: ValueId, i: usize| {
        let used = contract[i].len() + batch[i].len();
        cx.b.func().ty(v).rank().checked_sub(used)
    };
    let (Some(left), Some(right)) = (free(x, 0), free(y, 1)) else {
        return Err(args::wrong(op.span, "more axes are named than an operand has", "each axis is named at most once"));
    };
    let all = left + right + batch[0].len();
    let out = (!batch[0].is_empty()).then(|| (left + right..all).chain(0..left + right).collect());
    let dims = DotDims { contract, batch, out, ..DotDims::default() };
    let product = cx.b.dot(x, y, &dims)?;
    Ok(vec![to_dtype(cx, product, within, to)?])
}

/// A contraction of which one axis is cut into groups, as long as `sizes` says, one after the other; what no group holds is 0.
/// Where the ragged axis of the left operand is free, each group has its own right operand; where it is contracted, each
/// group has its own result, and they come first; where it is a batch axis, nothing but that is left out.
fn ragged_dot<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, y, sizes] = operands(op, v)?;
    let f = cx.fields(op, "ragged_dot_dimension_numbers")?;
    let both = |cx: &FuncCx<'a>, what: &str| -> Made<[Vec<usize>; 2]> {
        Ok([cx.field(f, &format!("lhs_{what}_dimensions"))?, cx.field(f, &format!("rhs_{what}_dimensions"))?])
    };
    let (pairs, batch) = (both(cx, "contracting")?, both(cx, "batching")?);
    let (ragged, groups) = (cx.field(f, "lhs_ragged_dimensions")?, cx.field(f, "rhs_group_dimensions")?);
    let &[ragged] = ragged.as_slice() else {
        return Err(args::wrong(
            op.span,
            "one axis of the left operand is ragged",
            "name it in `lhs_ragged_dimensions`",
        ));
    };
    let (tx, ty, ts) = (cx.b.ty(x), cx.b.ty(y), cx.b.ty(sizes));
    if ts.rank() != 1 {
        let d = Diagnostic::error(
            Code::E0240,
            op.span,
            "`chlo.ragged_dot` with groups that differ along batch axes is not read",
        );
        return Err(d.help("sizes of groups are a vector").into_stop());
    }
    if pairs[0].len() != pairs[1].len() || batch[0].len() != batch[1].len() {
        return Err(args::wrong(op.span, "the operands name different numbers of axes", "axes go by pairs"));
    }
    let axes = |list: &[usize], t: &Type| list.iter().all(|&i| i < t.rank());
    let (n, count) = (tx.dims.get(ragged).cloned(), ts.dims.first().cloned());
    let (true, Some(n), Some(count)) = (
        axes(&[&pairs[0][..], &batch[0]].concat(), &tx) && axes(&[&pairs[1][..], &batch[1], &groups].concat(), &ty),
        n,
        count,
    ) else {
        return Err(args::wrong(op.span, "an operand has fewer axes than are named", "axes are counted from 0"));
    };
    // Element `i` belongs to group `g` if `end[g] - size[g] <= i < end[g]`.
    let ends = cx.b.emit1(NewOp::new(&tfc_ir::ops::order::CUMSUM, &[sizes]).attr("axis", Attr::Int(0)))?;
    let grid = Type::new(ts.dtype, [count.clone(), n]);
    let of_group = |cx: &mut FuncCx, v: ValueId| cx.b.broadcast(v, &grid, &[0]);
    let begins = cx.b.sub(ends, sizes)?;
    let (begins, ends) = (of_group(cx, begins)?, of_group(cx, ends)?);
    let places = cx.b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(1)).types(vec![grid.clone()]))?;
    let (after, before) = (cx.b.ge(places, begins)?, cx.b.lt(places, ends)?);
    let inside = cx.b.and(after, before)?;

    if let Some(k) = pairs[0].iter().position(|&i| i == ragged) {
        let mut apart = [x, y];
        for (v, at) in apart.iter_mut().zip([ragged, pairs[1][k]]) {
            let ty = cx.b.ty(*v).with_axis(0, count.clone());
            let every: Vec<usize> = (1..ty.rank()).collect();
            let all = cx.b.broadcast(*v, &ty, &every)?;
            *v = keep(cx, all, inside, &[0, at + 1])?;
        }
        let behind = |list: &[usize]| list.iter().map(|i| i + 1).collect::<Vec<_>>();
        let first = |list: &[usize]| [vec![0], behind(list)].concat();
        let of = [behind(&pairs[0]), behind(&pairs[1])];
        return contract(cx, op, &apart, of, [first(&batch[0]), first(&batch[1])]);
    }
    let product = |cx: &mut FuncCx<'a>| contract(cx, op, &[x, y], pairs.clone(), batch.clone());
    if let Some(k) = batch[0].iter().position(|&i| i == ragged) {
        let some =
            cx.b.emit1(NewOp::new(&tfc_ir::ops::reduce::REDUCE_OR, &[inside]).attr("axes", Attr::ints(&[0usize])))?;
        let all = product(cx)?[0];
        return Ok(vec![keep(cx, all, some, &[k])?]);
    }
    let &[group] = groups.as_slice() else {
        return Err(args::wrong(
            op.span,
            "one axis of the right operand counts groups",
            "name it in `rhs_group_dimensions`",
        ));
    };
    // Every row with every group: of these those are kept that belong together.
    let free = |own: usize, at: usize, side: usize| {
        (0..own).filter(|i| !pairs[side].contains(i) && !batch[side].contains(i)).position(|i| i == at)
    };
    let all = product(cx)?[0];
    let left = tx.rank().saturating_sub(pairs[0].len() + batch[0].len());
    let (Some(row), Some(own)) = (free(tx.rank(), ragged, 0), free(ty.rank(), group, 1)) else {
        return Err(args::wrong(op.span, "the axis of groups is free", "it is neither contracted nor a batch axis"));
    };
    let (row, own) = (batch[0].len() + row, batch[0].len() + left + own);
    let swapped = cx.b.transpose(inside, &[1, 0])?;
    let kept = keep(cx, all, swapped, &[row, own])?;
    Ok(vec![cx.b.reduce_sum(kept, &[own])?])
}
/// `x` where the mask, along these axes, holds, else 0.
fn keep(cx: &mut FuncCx, x: ValueId, mask: ValueId, axes: &[usize]) -> Made<ValueId> {
    let ty = cx.b.ty(x);
    let mask = cx.b.broadcast(mask, &ty.with_dtype(DType::Bool), axes)?;
    let zero = cx.b.zeros(&ty)?;
    Ok(cx.b.select(mask, x, zero)?)
}
