//! `reduce` and `map`. A reducer that is one op becomes that reduction, with the initial value combined in unless it is the
//! op's identity; the pair of an extremum and its index becomes `argmax`; any other is a `reduce` by its region.
use super::super::super::ast::{AttrKind, Op};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, Stop, args};
use super::region::{combiner, expressions};
use super::{Emit, Table, find};
use tfc_ir::ops::constant::{IOTA, splat_of};
use tfc_ir::ops::{elementwise as e, reduce as r};
use tfc_ir::{Attr, CmpOp, Code, Constraint, DType, Diagnostic, Extent, NewOp, OpDef, RegionId, Truth, Type, ValueId};

pub(super) const OPS: Table = &[("stablehlo.map", Emit::Whole(map)), ("stablehlo.reduce", Emit::Whole(reduce))];

/// The region on each element.
fn map<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let block = cx.block(op, 0)?;
    let dims = match v.first() {
        Some(&x) => cx.b.ty(x).dims,
        None => cx.out(op, 0)?.dims,
    };
    let axes = cx.axes(op, "dimensions")?;
    if axes != (0..dims.len()).collect::<Vec<_>>() {
        let text = format!("`dimensions` of `map` are not those of operands of rank {}", dims.len());
        return Err(args::wrong(op.span, text, "they are all axes, in their order"));
    }
    if let Some(&x) = v.iter().find(|&&x| cx.b.func().ty(x).dims != dims) {
        let text = format!("an operand of `map` is {}, and the first has another shape", cx.show(cx.b.func().ty(x)));
        return Err(Diagnostic::error(Code::E0204, op.span, text).help("they have one shape").into_stop());
    }
    cx.lifted(op, block, v, &dims)
}

/// What may be written behind `applies`: ops of two operands whose order means nothing.
const APPLIED: &[&str] = &[
    "stablehlo.add",
    "stablehlo.and",
    "stablehlo.maximum",
    "stablehlo.minimum",
    "stablehlo.multiply",
    "stablehlo.or",
    "stablehlo.xor",
];
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
/// The op that a reducer is: written behind `applies`, or the region's only one.
fn reducer<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>) -> Made<Option<&'a str>> {
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
    Ok(combiner(cx.block(op, 0)?))
}
/// Operands and their initial values.
pub(super) fn halves<'v>(op: &Op, v: &'v [ValueId]) -> Made<(&'v [ValueId], &'v [ValueId])> {
    if v.is_empty() || !v.len().is_multiple_of(2) {
        let text = format!("`{}` takes operands and as many initial values, not {} values", op.name.text, v.len());
        return Err(Diagnostic::error(Code::E0210, op.span, text)
            .help("write one initial value an operand")
            .into_stop());
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
        return Err(Diagnostic::error(Code::E0204, op.span, text).help("they have one shape").into_stop());
    }
    let scalars: Vec<Type> = inits.iter().chain(xs).map(|&v| Type::scalar(cx.b.func().ty(v).dtype)).collect();
    if let Some(block) = op.regions.first() {
        let gives: Vec<DType> = scalars.iter().take(inits.len()).map(|t| t.dtype).collect();
        cx.checked_region(op, block, &scalars, &gives)?;
    }
    if let Some(&z) = inits.iter().find(|&&z| !cx.b.func().ty(z).is_scalar()) {
        let text = format!("an initial value of `reduce` is {}", cx.show(cx.b.func().ty(z)));
        return Err(Diagnostic::error(Code::E0205, op.span, text).help("initial values are scalars").into_stop());
    }
    let name = reducer(cx, op)?;
    if let (Some((row, combine)), [x], [init]) = (name.and_then(|n| rows(n, ty.dtype)), xs, inits) {
        let folded = match sorted.as_slice() {
            [] => *x,
            axes => cx.b.emit1(NewOp::new(row, &[*x]).attr("axes", Attr::ints(axes)))?,
        };
        if r::begins(&cx.b, combine, *init) {
            return Ok(vec![folded]);
        }
        let all = cx.b.ty(folded);
        let init = cx.b.broadcast(*init, &all, &[])?;
        return Ok(vec![cx.b.emit1(NewOp::new(combine, &[init, folded]))?]);
    }
    if let Some(made) = extremum_and_index(cx, op, xs, inits, &sorted)? {
        return Ok(made);
    }
    by_region(cx, op, xs, inits, &sorted)
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
    let truth = ty.dtype == DType::Bool;
    let least = r::begins(&cx.b, combine, init);
    let from_start = least && splat_of(cx.b.func(), first) == Some(0.0);
    if !counts || !some || !from_start {
        return Ok(None);
    }
    let (fold, arg) = match (greatest, truth) {
        (true, false) => (&r::REDUCE_MAX, &r::ARGMAX),
        (false, false) => (&r::REDUCE_MIN, &r::ARGMIN),
        (true, true) => (&r::REDUCE_OR, &r::ARGMAX),
        (false, true) => (&r::REDUCE_AND, &r::ARGMIN),
    };
    let value = cx.b.emit1(NewOp::new(fold, &[x]).attr("axes", Attr::ints(&[axis])))?;
    let number = if truth { cx.b.convert(x, DType::I32)? } else { x };
    let place = cx.b.emit1(NewOp::new(arg, &[number]).attr("axis", Attr::Int(axis as i64)))?;
    Ok(Some(vec![value, cx.b.convert(place, to)?]))
}

/// By the region itself.
fn by_region<'a>(
    cx: &mut FuncCx<'a>,
    op: &'a Op<'a>,
    xs: &[ValueId],
    inits: &[ValueId],
    axes: &[usize],
) -> Made<Vec<ValueId>> {
    let operands = [inits, xs].concat();
    let types: Vec<Type> = operands.iter().map(|&v| Type::scalar(cx.b.func().ty(v).dtype)).collect();
    let combine = match reducer(cx, op)?.filter(|_| op.regions.is_empty()) {
        Some(name) => named(cx, op, name, &types)?,
        None => {
            let block = cx.block(op, 0)?;
            cx.region("combine", op, block, &types)?
        }
    };
    let new = NewOp::new(&r::REDUCE_BY, &operands).attr("carry", Attr::Int(inits.len() as i64));
    Ok(cx.b.emit(new.attr("axes", Attr::ints(axes)).regions(vec![combine]))?)
}
/// The region whose only op is that one.
fn named<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, name: &str, types: &[Type]) -> Made<RegionId> {
    let opened = cx.b.open("combine");
    let params: Vec<ValueId> = types.iter().map(|t| cx.b.param(t.clone(), "")).collect();
    let made = match find(name).filter(|_| APPLIED.contains(&name)) {
        Some(Emit::Row(def)) => cx.b.emit(NewOp::new(def, &params)).map_err(Stop::from),
        Some(Emit::Each(f)) => f(cx, op, &params),
        _ => {
            let text = format!("`{name}` is no reducer");
            Err(Diagnostic::error(Code::E0240, op.span, text).help("write the reducer as a region").into_stop())
        }
    };
    cx.closed(opened, made)
}
