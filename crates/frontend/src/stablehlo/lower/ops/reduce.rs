//! `reduce` and `map`. A reducer that is one op becomes that reduction, with the initial value combined in unless it is the
//! op's identity; the pair of an extremum and its index becomes `argmax`; any other elementwise reducer runs as a `scan` over
//! the reduced elements, in logical order.
use super::super::super::ast::{AttrKind, Op};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, Stop, args};
use super::region::{Combiner, combiner, expressions};
use super::{Emit, Table};
use tfc_ir::ops::constant::{IOTA, is_splat, splat_of};
use tfc_ir::ops::{control, elementwise as e, reduce as r};
use tfc_ir::{Attr, CmpOp, Constraint, DType, Diagnostic, Extent, NewOp, OpDef, Truth, Type, ValueId};

pub(super) const OPS: Table = &[("stablehlo.map", Emit::Whole(map)), ("stablehlo.reduce", Emit::Whole(reduce))];

/// The region on each element.
fn map<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let block = cx.block(op, 0)?;
    let shape = cx.out(op, 0)?.exact_shape().ok_or_else(|| of_open_extents(op))?;
    cx.lifted(op, block, v, &shape)
}

/// The row of a reducer, and the op that combines two values.
fn rows(name: &str, dtype: DType) -> Option<(&'static OpDef, &'static OpDef)> {
    let truth = dtype == DType::Bool;
    let ordered = !dtype.is_complex();
    Some(match name {
        "stablehlo.add" if truth => (&r::REDUCE_OR, &e::OR),
        "stablehlo.multiply" if truth => (&r::REDUCE_AND, &e::AND),
        "stablehlo.add" => (&r::REDUCE_SUM, &e::ADD),
        "stablehlo.multiply" => (&r::REDUCE_PROD, &e::MUL),
        "stablehlo.maximum" if truth => (&r::REDUCE_OR, &e::OR),
        "stablehlo.minimum" if truth => (&r::REDUCE_AND, &e::AND),
        "stablehlo.maximum" if ordered => (&r::REDUCE_MAX, &e::MAX),
        "stablehlo.minimum" if ordered => (&r::REDUCE_MIN, &e::MIN),
        "stablehlo.and" => (&r::REDUCE_AND, &e::AND),
        "stablehlo.or" => (&r::REDUCE_OR, &e::OR),
        "stablehlo.xor" => (&r::REDUCE_XOR, &e::XOR),
        _ => return None,
    })
}
/// Is `init` what combining with changes nothing? Where that is not certain, it is not.
pub(super) fn is_identity(cx: &FuncCx, combine: &OpDef, init: ValueId) -> bool {
    let dtype = cx.b.func().ty(init).dtype;
    let is = |x: f64| is_splat(&cx.b, init, x);
    match combine.name {
        "add" | "xor" => is(0.0) || is(-0.0),
        "mul" => is(1.0),
        "or" => is(0.0),
        "and" => dtype == DType::Bool && is(1.0),
        "max" if dtype.is_float() => is(f64::NEG_INFINITY),
        "min" if dtype.is_float() => is(f64::INFINITY),
        "max" if dtype == DType::I32 => is(i32::MIN.into()),
        "min" if dtype == DType::I32 => is(i32::MAX.into()),
        "max" if dtype.is_unsigned() => is(0.0),
        _ => false,
    }
}
/// The op that a reducer is: written behind `applies`, or the region's only one.
pub(super) fn reducer<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>) -> Made<Option<&'a str>> {
    if op.regions.is_empty() {
        let word = op.given.iter().find_map(|a| match a.kind {
            AttrKind::Word(w) if w.contains('.') => Some(w),
            _ => None,
        });
        return match word {
            Some(w) => Ok(Some(w)),
            None => cx.block(op, 0).map(|_| None),
        };
    }
    Ok(match combiner(cx.block(op, 0)?) {
        Some(Combiner::Op(name)) => Some(name),
        _ => None,
    })
}
/// Operands and their initial values.
pub(super) fn halves<'v>(op: &Op, v: &'v [ValueId]) -> Made<(&'v [ValueId], &'v [ValueId])> {
    if v.is_empty() || !v.len().is_multiple_of(2) {
        let text = format!("`{}` takes operands and as many initial values, not {} values", op.name.text, v.len());
        return Err(Diagnostic::error("E0210", op.span, text).help("write one initial value an operand").into_stop());
    }
    Ok(v.split_at(v.len() / 2))
}

fn reduce<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let (xs, inits) = halves(op, v)?;
    let axes = cx.axes(op, "dimensions")?;
    let ty = cx.b.ty(xs[0]);
    let mut sorted = axes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() != axes.len() || sorted.last().is_some_and(|&a| a >= ty.rank()) {
        return Err(args::wrong(
            op.span,
            "`dimensions` are not different axes of the operand",
            "axes are counted from 0",
        ));
    }
    if let Some(&x) = xs.iter().find(|&&x| cx.b.func().ty(x).dims != ty.dims) {
        let text = format!("operands of one `reduce` are {} and {}", cx.show(&ty), cx.show(cx.b.func().ty(x)));
        return Err(Diagnostic::error("E0204", op.span, text).help("they have one shape").into_stop());
    }
    let name = reducer(cx, op)?;
    if let (Some((row, combine)), [x], [init]) = (name.and_then(|n| rows(n, ty.dtype)), xs, inits) {
        let folded = match sorted.as_slice() {
            [] => *x,
            axes => cx.b.emit1(NewOp::new(row, &[*x]).attr("axes", Attr::ints(axes)))?,
        };
        if is_identity(cx, combine, *init) {
            return Ok(vec![folded]);
        }
        let all = cx.b.ty(folded);
        let init = cx.b.broadcast(*init, &all, &[])?;
        return Ok(vec![cx.b.emit1(NewOp::new(combine, &[init, folded]))?]);
    }
    if let Some(made) = extremum_and_index(cx, op, xs, inits, &sorted)? {
        return Ok(made);
    }
    by_scan(cx, op, xs, inits, &sorted)
}

/// What JAX's `argmax` and `argmin` say of (value, index) so far and (value, index) of an element: for floats with a NaN that
/// stays, and for integers.
fn extremum_of(block: &[String]) -> Option<bool> {
    let form = |better: &str, nan: bool| {
        let better = format!("compare{better}(0,2)");
        let better = if nan { format!("or({better},compareNE(0,0))") } else { better };
        let tie = "and(compareEQ(0,2),compareLT(1,3))";
        [format!("select({better},0,2)"), format!("select(or({better},{tie}),1,3)")]
    };
    for nan in [true, false] {
        for (word, greatest) in [("GT", true), ("LT", false)] {
            if *block == form(word, nan) {
                return Some(greatest);
            }
        }
    }
    None
}
fn extremum_and_index<'a>(
    cx: &mut FuncCx<'a>,
    op: &'a Op<'a>,
    xs: &[ValueId],
    inits: &[ValueId],
    axes: &[usize],
) -> Made<Option<Vec<ValueId>>> {
    let (&[x, index], &[init, first], &[axis]) = (xs, inits, axes) else { return Ok(None) };
    let Some(greatest) = op.regions.first().and_then(expressions).as_deref().and_then(extremum_of) else {
        return Ok(None);
    };
    let f = cx.b.func();
    let counts = f.def_op(index).is_some_and(|o| o.def.is(&IOTA) && o.attrs.int("axis") == axis as i64);
    let combine: &OpDef = if greatest { &e::MAX } else { &e::MIN };
    let (ty, to) = (f.ty(x).clone(), f.ty(index).dtype);
    let some = ty.dims.get(axis).is_some_and(|d| {
        let one = Constraint { lhs: d.clone(), op: CmpOp::Ge, rhs: Extent::exact(1) };
        cx.b.facts().prove(&one) == Truth::Yes
    });
    let from_start = is_identity(cx, combine, init) && splat_of(cx.b.func(), first) == Some(0.0);
    if !counts || !some || !from_start || ty.dtype == DType::Bool {
        return Ok(None);
    }
    let (fold, arg) = if greatest { (&r::REDUCE_MAX, &r::ARGMAX) } else { (&r::REDUCE_MIN, &r::ARGMIN) };
    let value = cx.b.emit1(NewOp::new(fold, &[x]).attr("axes", Attr::ints(&[axis])))?;
    let place = cx.b.emit1(NewOp::new(arg, &[x]).attr("axis", Attr::Int(axis as i64)))?;
    Ok(Some(vec![value, cx.b.convert(place, to)?]))
}

fn of_open_extents(op: &Op) -> Stop {
    let text = format!("`{}` by a region of its own, of extents `?`, is not read", op.name.text);
    Diagnostic::error("E0240", op.span, text).help("export the program for the extents that it is to have").into_stop()
}
/// Reduced axes become one, in front, over which a `scan` carries what has been combined so far.
fn by_scan<'a>(
    cx: &mut FuncCx<'a>,
    op: &'a Op<'a>,
    xs: &[ValueId],
    inits: &[ValueId],
    axes: &[usize],
) -> Made<Vec<ValueId>> {
    let shape = cx.b.ty(xs[0]).exact_shape().ok_or_else(|| of_open_extents(op))?;
    let kept: Vec<usize> = (0..shape.len()).filter(|i| !axes.contains(i)).collect();
    let rest: Vec<usize> = kept.iter().map(|&i| shape[i]).collect();
    let count: usize = axes.iter().map(|&i| shape[i]).product();
    let perm: Vec<usize> = axes.iter().chain(&kept).copied().collect();
    let mut operands = vec![];
    for &init in inits {
        let dtype = cx.b.func().ty(init).dtype;
        operands.push(cx.b.broadcast(init, &Type::exact(dtype, &rest), &[])?);
    }
    let mut joined = vec![count];
    joined.extend(&rest);
    for &x in xs {
        let front = cx.b.transpose(x, &perm)?;
        let ty = Type::exact(cx.b.func().ty(x).dtype, &joined);
        operands.push(cx.b.reshape(front, &ty)?);
    }
    fold(cx, op, &operands, inits.len(), &rest)
}
/// A `scan` along the first axis of the operands behind `carry` ones, whose body is the op's region on extents `rest`.
pub(super) fn fold<'a>(
    cx: &mut FuncCx<'a>,
    op: &'a Op<'a>,
    operands: &[ValueId],
    carry: usize,
    rest: &[usize],
) -> Made<Vec<ValueId>> {
    let opened = cx.b.open("body");
    let mut params = vec![];
    for (i, &v) in operands.iter().enumerate() {
        let ty = cx.b.ty(v);
        params.push(cx.b.param(if i < carry { ty } else { ty.without(&[0]) }, ""));
    }
    let made = combine(cx, op, &params, rest);
    let yields = match made {
        Ok(y) => y,
        Err(stop) => {
            cx.b.suspend(opened);
            return Err(stop);
        }
    };
    let body = cx.b.close(opened, yields);
    let new = NewOp::new(&control::SCAN, operands).attr("carry", Attr::Int(carry as i64));
    let cut = vec![0usize; operands.len() - carry];
    Ok(cx.b.emit(new.attr("axis", Attr::ints(&cut)).regions(vec![body]))?)
}
/// What the reducer makes of accumulated values and elements, of extents `rest`.
pub(super) fn combine<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, args: &[ValueId], rest: &[usize]) -> Made<Vec<ValueId>> {
    if let (true, Some(name), &[x, _]) = (op.regions.is_empty(), reducer(cx, op)?, args) {
        let dtype = cx.b.func().ty(x).dtype;
        return match rows(name, dtype) {
            Some((_, combine)) => Ok(cx.b.emit(NewOp::new(combine, args))?),
            None => {
                let text = format!("`{name}` does not reduce {dtype}");
                Err(Diagnostic::error("E0240", op.span, text).help("write the reducer as a region").into_stop())
            }
        };
    }
    let block = cx.block(op, 0)?;
    cx.lifted(op, block, args, rest)
}
