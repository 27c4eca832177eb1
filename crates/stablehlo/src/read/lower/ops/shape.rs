//! Ops that move, repeat, cut and join.
use super::super::super::ast::{AttrKind, Op};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args};
use super::elementwise::operands;
use super::index::with_indices;
use super::{Emit, Table};
use tfc_ir::ops::constant::IOTA;
use tfc_ir::ops::reduce::REDUCE_OR;
use tfc_ir::ops::{elementwise, shape};
use tfc_ir::{Attr, Code, DType, Diagnostic, Extent, NewOp, Type, ValueId};

pub(super) const OPS: Table = &[
    ("stablehlo.bitcast_convert", Emit::Whole(bitcast)),
    ("stablehlo.broadcast", Emit::Whole(broadcast)),
    ("stablehlo.broadcast_in_dim", Emit::Whole(broadcast_in_dim)),
    ("stablehlo.concatenate", Emit::Whole(concatenate)),
    ("stablehlo.dynamic_slice", Emit::Whole(dynamic_slice)),
    (
        "stablehlo.dynamic_update_slice",
        Emit::Whole(|cx, _, v| {
            let v = with_indices(cx, v, 2)?;
            Ok(cx.b.emit(NewOp::new(&shape::DYNAMIC_UPDATE_SLICE, &v))?)
        }),
    ),
    ("stablehlo.iota", Emit::Whole(iota)),
    ("stablehlo.pad", Emit::Whole(pad)),
    ("stablehlo.reshape", Emit::Whole(reshape)),
    ("stablehlo.reverse", Emit::Whole(reverse)),
    ("stablehlo.slice", Emit::Whole(slice)),
    ("stablehlo.transpose", Emit::Whole(transpose)),
];

/// Axes under the key of the short form, or under that of the generic one.
fn either<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, short: &str, long: &str) -> Made<Vec<usize>> {
    if cx.find(op, short).is_some() { cx.axes(op, short) } else { cx.axes(op, long) }
}
fn extents(list: &[usize]) -> Attr {
    Attr::extents(list.iter().map(|&n| Extent::from(n)).collect::<Vec<_>>())
}

/// Bits as another dtype. Truth values are bits of which one counts, lowest first.
fn bitcast<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let (to, from) = (cx.out_like(op, 0, x)?, cx.b.ty(x));
    if from == to {
        return Ok(vec![x]);
    }
    let plain = |cx: &mut FuncCx<'a>, x, to: Type| cx.b.emit1(NewOp::new(&elementwise::BITCAST, &[x]).types(vec![to]));
    let bits = |d: DType| if d.size() == 4 { DType::U32 } else { DType::U64 };
    let last = |t: &Type| t.dims.last().and_then(Extent::as_exact);
    let counts = |d: DType| i64::try_from(d.size() * 8).ok();
    if from.dtype == DType::Bool && last(&from) != counts(to.dtype)
        || to.dtype == DType::Bool && last(&to) != counts(from.dtype)
    {
        let text = format!("`bitcast_convert` of {} to {}", cx.show(&from), cx.show(&to));
        return Err(Diagnostic::error(Code::E0245, op.span, text)
            .help("truth values have one more axis, of as many as there are bits")
            .into_stop());
    }
    match (from.dtype, to.dtype) {
        (DType::Bool, d) if !d.is_complex() => {
            let wide = from.with_dtype(bits(d));
            let places = along_last(cx, &wide)?;
            let one = cx.b.convert(x, wide.dtype)?;
            let shifted = cx.b.emit1(NewOp::new(&elementwise::SHL, &[one, places]))?;
            let last = from.rank().saturating_sub(1);
            let word = cx.b.emit1(NewOp::new(&REDUCE_OR, &[shifted]).attr("axes", Attr::ints(&[last])))?;
            let word = if wide.dtype == d { word } else { plain(cx, word, to)? };
            Ok(vec![word])
        }
        (d, DType::Bool) if !d.is_complex() => {
            let word = if bits(d) == d { x } else { plain(cx, x, from.with_dtype(bits(d)))? };
            let wide = to.with_dtype(bits(d));
            let axes: Vec<usize> = (0..from.rank()).collect();
            let word = cx.b.broadcast(word, &wide, &axes)?;
            let places = along_last(cx, &wide)?;
            let shifted = cx.b.emit1(NewOp::new(&elementwise::SHR_LOGICAL, &[word, places]))?;
            let one = cx.b.like(shifted, 1.0)?;
            let bit = cx.b.and(shifted, one)?;
            Ok(vec![cx.b.convert(bit, DType::Bool)?])
        }
        _ => Ok(vec![plain(cx, x, to)?]),
    }
}
fn along_last(cx: &mut FuncCx, ty: &Type) -> Made<ValueId> {
    let last = ty.rank().saturating_sub(1) as i64;
    Ok(cx.b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(last)).types(vec![ty.clone()]))?)
}
/// New axes in front.
fn broadcast<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let ([x], sizes) = (operands(op, v)?, either(cx, op, "sizes", "broadcast_sizes")?);
    let own = cx.b.ty(x);
    let dims: Vec<usize> = (sizes.len()..sizes.len() + own.rank()).collect();
    let whole: Vec<Extent> = sizes.into_iter().map(Extent::from).chain(own.dims.iter().cloned()).collect();
    Ok(vec![cx.b.broadcast(x, &own.with_dims(whole), &dims)?])
}
fn broadcast_in_dim<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let ([x], ty) = (operands(op, v)?, cx.out(op, 0)?);
    let dims = either(cx, op, "dims", "broadcast_dimensions")?;
    Ok(vec![cx.b.broadcast(x, &ty, &dims)?])
}
fn reshape<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let ([x], ty) = (operands(op, v)?, cx.out(op, 0)?);
    Ok(vec![cx.b.reshape(x, &ty)?])
}
fn transpose<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let perm = either(cx, op, "dims", "permutation")?;
    if perm.len() != cx.b.func().ty(x).rank() {
        return Err(args::wrong(op.span, "the permutation does not name every axis", "it names each axis once"));
    }
    Ok(vec![cx.b.transpose(x, &perm)?])
}
fn reverse<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let axes = either(cx, op, "dims", "dimensions")?;
    if axes.is_empty() {
        return Ok(vec![x]);
    }
    Ok(cx.b.emit(NewOp::new(&shape::REVERSE, &[x]).attr("axes", Attr::ints(&axes)))?)
}
fn concatenate<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let axis = if cx.find(op, "dim").is_some() { cx.axis(op, "dim")? } else { cx.axis(op, "dimension")? };
    if let [x] = v
        && axis < cx.b.func().ty(*x).rank()
    {
        return Ok(vec![*x]);
    }
    Ok(cx.b.emit(NewOp::new(&shape::CONCAT, v).attr("axis", Attr::Int(axis as i64)))?)
}
fn iota<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, _: &[ValueId]) -> Made<Vec<ValueId>> {
    let ty = cx.out(op, 0)?;
    let axis = if cx.find(op, "dim").is_some() { cx.axis(op, "dim")? } else { cx.axis(op, "iota_dimension")? };
    Ok(vec![cx.b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis as i64)).types(vec![ty]))?])
}
/// `[0:1, 4:8:2]`, or three lists.
fn slice<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let ranges = op.given.iter().find_map(|a| match &a.kind {
        AttrKind::List(l) => Some(l),
        _ => None,
    });
    let (mut start, mut limit, mut stride) = (vec![], vec![], vec![]);
    match ranges {
        Some(list) => {
            for a in list {
                let AttrKind::Range(parts) = &a.kind else { return Err(args::not(a, "a range, `0:4` or `0:4:2`")) };
                let number = |i: usize| parts.get(i).map_or(Ok(1), |n| n.parse::<usize>());
                match (number(0), number(1), number(2)) {
                    (Ok(s), Ok(l), Ok(t)) => {
                        start.push(s);
                        limit.push(l);
                        stride.push(t);
                    }
                    _ => return Err(args::not(a, "a range, `0:4` or `0:4:2`")),
                }
            }
        }
        None => {
            (start, limit) = (cx.axes(op, "start_indices")?, cx.axes(op, "limit_indices")?);
            stride = if cx.find(op, "strides").is_some() { cx.axes(op, "strides")? } else { vec![1; start.len()] };
        }
    }
    let rank = cx.b.func().ty(x).rank();
    if [&start, &limit, &stride].iter().any(|l| l.len() != rank) {
        return Err(args::wrong(
            op.span,
            format!("ranges of `slice` are not one for each of {rank} axes"),
            "write one an axis",
        ));
    }
    cut(cx, x, &start, &limit, &stride).map(|v| vec![v])
}
fn cut(cx: &mut FuncCx, x: ValueId, start: &[usize], limit: &[usize], stride: &[usize]) -> Made<ValueId> {
    let of = |l: &[usize]| l.iter().map(|&n| Extent::from(n)).collect();
    let stride: Vec<i64> = stride.iter().map(|&s| s as i64).collect();
    cut_at(cx, x, of(start), of(limit), &stride)
}
pub(super) fn cut_at(
    cx: &mut FuncCx,
    x: ValueId,
    start: Vec<Extent>,
    limit: Vec<Extent>,
    stride: &[i64],
) -> Made<ValueId> {
    if start.is_empty() {
        return Ok(x);
    }
    let new = NewOp::new(&shape::SLICE, &[x]).attr("start", Attr::extents(start)).attr("limit", Attr::extents(limit));
    let new = if stride.iter().all(|&s| s == 1) { new } else { new.attr("stride", Attr::ints(stride)) };
    Ok(cx.b.emit1(new)?)
}
fn dynamic_slice<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let sizes = either(cx, op, "sizes", "slice_sizes")?;
    let v = with_indices(cx, v, 1)?;
    Ok(cx.b.emit(NewOp::new(&shape::DYNAMIC_SLICE, &v).attr("sizes", extents(&sizes)))?)
}
/// Low, high and interior padding, of which the first two may be negative.
fn pad<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, fill] = operands(op, v)?;
    let list = |short: &str, long: &str| -> Made<Vec<i64>> {
        match cx.ints(op, short)? {
            Some(l) => Ok(l),
            None => Ok(cx.ints(op, long)?.unwrap_or_else(|| vec![0; cx.b.func().ty(x).rank()])),
        }
    };
    let (low, high) = (list("low", "edge_padding_low")?, list("high", "edge_padding_high")?);
    let interior = list("interior", "interior_padding")?;
    padded(cx, x, fill, [&low, &high, &interior]).map(|v| vec![v])
}
fn padded(cx: &mut FuncCx, x: ValueId, fill: ValueId, [low, high, interior]: [&[i64]; 3]) -> Made<ValueId> {
    if [low, high, interior].iter().all(|l| l.iter().all(|&n| n == 0)) {
        return Ok(x);
    }
    let ends = |l: &[i64]| Attr::extents(l.iter().map(|&n| Extent::exact(n)).collect::<Vec<_>>());
    let new = NewOp::new(&shape::PAD, &[x, fill]).attr("low", ends(low)).attr("high", ends(high));
    let new = if interior.iter().all(|&n| n == 0) { new } else { new.attr("interior", Attr::ints(interior)) };
    Ok(cx.b.emit1(new)?)
}
