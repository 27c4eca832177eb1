//! Calls, branches, loops, tuples, and what only orders or names values.
use super::super::super::ast::{AttrKind, Func, Op};
use super::super::func::{FuncCx, IntoStop, Slot};
use super::super::{Made, Stop, args, symbolic};
use super::elementwise::operands;
use super::{Emit, Table, dynamic};
use tfc_ir::ops::control::{SCAN, WHILE};
use tfc_ir::{Attr, DType, Diagnostic, NewOp, RegionId, Type, ValueId};

pub(super) const OPS: Table = &[
    ("call", Emit::Slots(call)),
    ("func.call", Emit::Slots(call)),
    ("stablehlo.case", Emit::Whole(case)),
    ("stablehlo.composite", Emit::Slots(call)),
    ("stablehlo.get_tuple_element", Emit::Slots(element)),
    ("stablehlo.if", Emit::Whole(branch)),
    ("stablehlo.optimization_barrier", Emit::Slots(|_, _, slots| Ok(slots))),
    ("stablehlo.partition_id", Emit::Whole(first_device)),
    ("stablehlo.replica_id", Emit::Whole(first_device)),
    ("stablehlo.tuple", Emit::Slots(|_, _, slots| Ok(vec![Slot::Tuple(slots)]))),
    ("stablehlo.while", Emit::Whole(repeat)),
    ("chlo.scan", Emit::Whole(scan)),
    ("sdy.sharding_constraint", Emit::Slots(|_, _, slots| Ok(slots))),
];

/// There is one device, whose number is 0.
fn first_device<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [] = operands(op, v)?;
    Ok(vec![cx.b.splat(&Type::scalar(DType::U32), 0.0)?])
}
/// A call; a composite is one of its decomposition.
fn call<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, slots: Vec<Slot>) -> Made<Vec<Slot>> {
    let key = if op.name.text == "stablehlo.composite" { "decomposition" } else { "callee" };
    let name = cx.symbol(op, key)?;
    let Some(&(id, at)) = cx.file.funcs.get(name.text) else {
        let d = Diagnostic::error("E0302", name.span, format!("`@{}` is not defined", name.text));
        return Err(d.help("no function of this file has that name").into_stop());
    };
    let open = |f: &&Func| f.private && (symbolic::is_open(f) || dynamic::counts(cx, f, &slots));
    if let Some(f) = cx.file.file.funcs.get(at).filter(open) {
        return cx.inline(f, slots);
    }
    // What is wrong with the callee has been said.
    let Some(callee) = cx.file.module.try_func(id) else { return Err(Stop::Lost) };
    let values = cx.ones(&slots)?;
    if values.len() != callee.params().len() {
        let text = format!("@{} takes {} values, not {}", name.text, callee.params().len(), values.len());
        return Err(Diagnostic::error("E0210", op.span, text).help("hand it as many as it has parameters").into_stop());
    }
    let (made, _) = cx.b.call(id, None, &values)?;
    let mut made = made.into_iter();
    let whole = op.outs.iter().map(|t| packed(&t.kind, &mut made)).collect();
    Ok(whole)
}
/// Values in the shape of a written type.
fn packed(t: &super::super::super::ast::TypeKind, values: &mut dyn Iterator<Item = ValueId>) -> Slot {
    match t {
        super::super::super::ast::TypeKind::Tuple(parts) => {
            Slot::Tuple(parts.iter().map(|p| packed(&p.kind, values)).collect())
        }
        _ => values.next().map_or(Slot::Lost, Slot::One),
    }
}
fn element<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, slots: Vec<Slot>) -> Made<Vec<Slot>> {
    let index = match op.given.iter().find(|a| matches!(a.kind, AttrKind::List(_))) {
        Some(a) => args::one(a)?,
        None => cx.int(op, "index")?,
    };
    match slots.as_slice() {
        [Slot::Tuple(parts)] => match usize::try_from(index).ok().and_then(|i| parts.get(i)) {
            Some(s) => Ok(vec![s.clone()]),
            None => Err(args::wrong(
                op.span,
                format!("the tuple has {} elements, and no #{index}", parts.len()),
                "count from 0",
            )),
        },
        _ => Err(Diagnostic::error("E0241", op.span, "the operand is no tuple").help("it takes one tuple").into_stop()),
    }
}

/// The region of that number, without parameters.
fn plain<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, label: &str, i: usize) -> Made<RegionId> {
    let block = cx.block(op, i)?;
    cx.region(label, op, block, &[])
}
fn branch<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [p] = operands(op, v)?;
    let (then, other) = (plain(cx, op, "then", 0)?, plain(cx, op, "else", 1)?);
    Ok(cx.b.cond(p, &[], then, other)?)
}
/// Halves of the branches by halves: depth grows as the logarithm of their number. An index outside takes the last.
fn case<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [i] = operands(op, v)?;
    let count = op.regions.len();
    let (zero, last) = (cx.b.like(i, 0.0)?, cx.b.like(i, count.saturating_sub(1) as f64)?);
    let (below, above) = (cx.b.lt(i, zero)?, cx.b.gt(i, last)?);
    let outside = cx.b.or(below, above)?;
    let i = cx.b.select(outside, last, i)?;
    if count == 1 {
        // Both ways are the one region.
        let always = cx.b.splat(&Type::scalar(DType::Bool), 1.0)?;
        let then = plain(cx, op, "then", 0)?;
        let other = plain(cx, op, "else", 0)?;
        return Ok(cx.b.cond(always, &[], then, other)?);
    }
    among(cx, op, i, 0, count)
}
/// The regions `from..to`, of which there are at least two.
fn among<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, i: ValueId, from: usize, to: usize) -> Made<Vec<ValueId>> {
    let middle = from + (to - from) / 2;
    let bound = cx.b.like(i, middle as f64)?;
    let low = cx.b.lt(i, bound)?;
    let then = half(cx, op, "then", i, from, middle)?;
    let other = half(cx, op, "else", i, middle, to)?;
    Ok(cx.b.cond(low, &[], then, other)?)
}
fn half<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, label: &str, i: ValueId, from: usize, to: usize) -> Made<RegionId> {
    if to - from == 1 {
        return plain(cx, op, label, from);
    }
    let opened = cx.b.open(label);
    match among(cx, op, i, from, to) {
        Ok(values) => Ok(cx.b.close(opened, values)),
        Err(stop) => {
            cx.b.suspend(opened);
            Err(stop)
        }
    }
}

fn repeat<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let types: Vec<Type> = v.iter().map(|&x| cx.b.ty(x)).collect();
    let (cond, body) = (cx.block(op, 0)?, cx.block(op, 1)?);
    let cond = cx.region("cond", op, cond, &types)?;
    let body = cx.region("body", op, body, &types)?;
    Ok(cx.b.emit(NewOp::new(&WHILE, v).regions(vec![cond, body]))?)
}

/// Inputs are cut along an axis, carries go from cut to cut: `(inputs, carries) → (outputs, carries)`, as the region says.
fn scan<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let carries = match cx.ints(op, "operandSegmentSizes")?.as_deref() {
        Some(&[_, n]) => usize::try_from(n).unwrap_or(usize::MAX),
        _ => op.inits,
    };
    let Some(inputs) = v.len().checked_sub(carries) else {
        return Err(args::wrong(op.span, "more initial values than operands", "`operandSegmentSizes` counts both"));
    };
    let axis = cx.axis(op, "dimension")?;
    let (xs, inits) = v.split_at(inputs);
    let mut cut = vec![];
    for &x in xs {
        let ty = cx.b.ty(x);
        if axis >= ty.rank() {
            return Err(args::wrong(op.span, format!("an operand has no axis {axis}"), "axes are counted from 0"));
        }
        cut.push(ty.without(&[axis]));
    }
    let carried: Vec<Type> = inits.iter().map(|&v| cx.b.ty(v)).collect();
    let block = cx.block(op, 0)?;
    let opened = cx.b.open("body");
    let own: Vec<ValueId> = carried.iter().chain(&cut).map(|t| cx.b.param(t.clone(), "")).collect();
    let (c, x) = own.split_at(carried.len());
    let (args, types) = ([x, c].concat(), [cut, carried].concat());
    let made = match cx.inlined(op, block, &args, &types) {
        Ok(made) => made,
        Err(stop) => {
            cx.b.suspend(opened);
            return Err(stop);
        }
    };
    let outputs = made.len().saturating_sub(carries);
    let mut yields = made;
    yields.rotate_left(outputs);
    let body = cx.b.close(opened, yields);
    let reverse = cx.flag(op, "is_reverse");
    let new = NewOp::new(&SCAN, &[inits, xs].concat()).attr("carry", Attr::Int(carries as i64));
    let new = new.attr("axis", Attr::ints(&vec![axis; xs.len() + outputs])).attr("reverse", Attr::Bool(reverse));
    let mut out = cx.b.emit(new.regions(vec![body]))?;
    out.rotate_left(carries.min(v.len()));
    Ok(out)
}
