//! Ops whose extents come as operands. What is known of these operands as extents is followed from statement to statement.
use super::super::super::ast::{Func, Op};
use super::super::func::{FuncCx, IntoStop, Slot};
use super::super::{Made, Stop, types};
use super::elementwise::operands;
use super::shape::cut_at;
use super::{Emit, Table, index, rounding};
use tfc_ir::ops::constant::{CONST, IOTA};
use tfc_ir::ops::shape::PAD;
use tfc_ir::{Attr, CmpOp, Code, Constraint, DType, Diagnostic, Extent, NewOp, Truth, Type, ValueId};

pub(super) const OPS: Table = &[
    ("chlo.dynamic_reshape", Emit::Whole(reshape)),
    ("stablehlo.dynamic_broadcast_in_dim", Emit::Whole(broadcast)),
    ("stablehlo.dynamic_gather", Emit::Whole(gather)),
    ("stablehlo.dynamic_iota", Emit::Whole(iota)),
    ("stablehlo.dynamic_pad", Emit::Whole(pad)),
    ("stablehlo.dynamic_reshape", Emit::Whole(reshape)),
    ("stablehlo.get_dimension_size", Emit::Whole(size)),
    ("stablehlo.real_dynamic_slice", Emit::Whole(slice)),
    ("stablehlo.set_dimension_size", Emit::Whole(resized)),
];

/// No longer list of extents is followed.
const MOST: usize = 32;

/// The elements of a small constant of integers.
fn constant(cx: &FuncCx, v: ValueId) -> Option<Vec<Extent>> {
    let f = cx.b.func();
    let o = f.def_op(v).filter(|o| o.def.is(&CONST))?;
    let count = tfc_ir::tensor::element_count(&f.ty(v).exact_shape()?).ok().filter(|&n| n <= MOST)?;
    let (t, splat) = match o.attrs.tensor("value") {
        Some(t) => (t, false),
        None => (o.attrs.tensor("splat")?, true),
    };
    let list: Vec<i64> = match t.dtype() {
        DType::I32 => t.to_logical::<i32>()?.into_iter().map(i64::from).collect(),
        DType::I64 => t.to_logical::<i64>()?,
        _ => return None,
    };
    let list = if splat { vec![*list.first()?; count] } else { list };
    Some(list.into_iter().map(Extent::exact).collect())
}
pub(super) fn known(cx: &FuncCx, v: ValueId) -> Option<Vec<Extent>> {
    cx.extents.get(&v).cloned().or_else(|| constant(cx, v))
}
/// An operand's elements as extents.
pub(super) fn extents(cx: &FuncCx, op: &Op, v: ValueId) -> Made<Vec<Extent>> {
    known(cx, v).ok_or_else(|| {
        let text = format!("`{}` of extents that are computed in this way is not read", op.name.text);
        let help = "extents are constants, extents of operands, and sums, products, quotients and extrema of them";
        Diagnostic::error(Code::E0240, op.span, text).help(help).into_stop()
    })
}
pub(super) fn exact(cx: &FuncCx, op: &Op, v: ValueId) -> Made<Vec<i64>> {
    let list: Option<Vec<i64>> = extents(cx, op, v)?.iter().map(Extent::as_exact).collect();
    list.ok_or_else(|| {
        let text = format!("`{}` with an operand that is no constant is not read", op.name.text);
        Diagnostic::error(Code::E0240, op.span, text).help("strides and interior padding are constants").into_stop()
    })
}

/// What an op on integers does to extents.
type OnExtents = fn(&Extent, &Extent) -> tfc_ir::Result<Extent>;
const ARITHMETIC: &[(&str, OnExtents)] = &[
    ("stablehlo.add", Extent::add),
    ("stablehlo.maximum", Extent::max),
    ("stablehlo.minimum", Extent::min),
    ("stablehlo.multiply", Extent::mul),
    ("stablehlo.subtract", Extent::sub),
];
/// Functions that agree with their counterpart where nothing is negative, and the divisor not 0.
const DIVISION: &[(&str, OnExtents)] =
    &[("stablehlo.divide", Extent::floordiv), ("stablehlo.remainder", Extent::modulo)];
/// Ops that hand elements on, one after the other: the second and the third only along the first axis.
const HANDED: &[&str] =
    &["stablehlo.broadcast_in_dim", "stablehlo.concatenate", "stablehlo.convert", "stablehlo.reshape"];

/// Does a function compute extents from what is known here? It is inlined, so that they stay known.
pub(super) fn counts(cx: &FuncCx, f: &Func, slots: &[Slot]) -> bool {
    let number = |t: &super::super::super::ast::Type| {
        let plain = |p: types::Pattern| p.dims.is_empty() && (p.dtype.is_signed() || p.dtype == DType::Bool);
        types::pattern(t).is_ok_and(plain)
    };
    let known = |s: &Slot| matches!(s, Slot::One(v) if known(cx, *v).is_some());
    let all = f.params.iter().map(|p| &p.ty).chain(&f.results).all(number);
    all && !cx.b.func().syms.is_empty() && slots.iter().any(known)
}

/// Keeps what is known of the result of an op, after it was emitted.
pub(in super::super) fn follow<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId], made: &[ValueId]) {
    let &[result] = made else { return };
    let name = op.name.text;
    if let Some(truth) = truth(cx, op, v).or_else(|| rounding::truth(cx, name, v)) {
        cx.decided.insert(result, truth);
    }
    rounding::follow(cx, op, v, result);
    if let ("stablehlo.compare", &[x, y]) = (name, v) {
        let relation = match cx.word(op, "comparison_direction", 0) {
            Some("EQ") => Some(CmpOp::Eq),
            Some("GE") => Some(CmpOp::Ge),
            _ => None,
        };
        if let (Some(relation), Some([x]), Some([y])) = (relation, known(cx, x).as_deref(), known(cx, y).as_deref()) {
            cx.compared.insert(result, Constraint { lhs: x.clone(), op: relation, rhs: y.clone() });
        }
    }
    let ty = cx.b.func().ty(result);
    let Some(count) = ty.exact_shape().map(|s| s.iter().product::<usize>()).filter(|&n| n <= MOST) else { return };
    let reorders = match name {
        "stablehlo.broadcast_in_dim" => ty.rank() > 1,
        "stablehlo.concatenate" => {
            ty.rank() > 1 && cx.axis(op, "dim").or_else(|_| cx.axis(op, "dimension")).ok() != Some(0)
        }
        _ => false,
    };
    if !ty.dtype.is_signed() || reorders {
        return;
    }
    if let ("stablehlo.select", &[p, yes, no]) = (name, v) {
        let chosen = cx.decided.get(&p).map(|&p| if p { yes } else { no });
        let list = match chosen {
            Some(x) => known(cx, x),
            None => rounding::selected(cx, p, yes, no).map(|e| vec![e]),
        };
        if let Some(list) = list {
            cx.extents.insert(result, list);
        }
        return;
    }
    let Some(lists) = v.iter().map(|&v| known(cx, v)).collect::<Option<Vec<_>>>() else {
        if let ("stablehlo.add", &[x, y]) = (name, v)
            && let Some(both) = known(cx, y).map(|n| (x, n)).or_else(|| Some((y, known(cx, x)?)))
        {
            cx.beyond.insert(result, both);
        }
        return;
    };
    let list = match (HANDED.contains(&name), name, lists.as_slice()) {
        (true, ..) => Some(lists.concat()).filter(|l| l.len() == count),
        (_, "stablehlo.sign", [x]) if at_least(cx, x, 1) => Some(vec![Extent::exact(1); count]),
        (_, "stablehlo.sign", [x]) if x.iter().all(|x| rounding::is_negative(cx, x)) => {
            Some(vec![Extent::exact(-1); count])
        }
        (_, "stablehlo.clamp", [low, x, high]) => {
            let each = low.iter().zip(x).zip(high);
            each.map(|((l, x), h)| Extent::max(l, x).and_then(|m| Extent::min(&m, h)).ok()).collect()
        }
        (_, _, [x, y]) => {
            let divides = DIVISION.iter().find(|a| a.0 == name).filter(|_| at_least(cx, x, 0) && at_least(cx, y, 1));
            let Some((_, f)) = ARITHMETIC.iter().find(|a| a.0 == name).or(divides) else { return };
            x.iter().zip(y).map(|(x, y)| f(x, y).ok()).collect()
        }
        _ => None,
    };
    if let Some(list) = list {
        cx.extents.insert(result, list);
    }
}
/// What relations between extents, and truth values that are decided, decide.
fn truth<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Option<bool> {
    let of = |v: &ValueId| cx.decided.get(v).copied();
    match (op.name.text, v) {
        ("stablehlo.and", [x, y]) => match (of(x), of(y)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        ("stablehlo.or", [x, y]) => match (of(x), of(y)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        ("stablehlo.not", [x]) => of(x).map(|x| !x),
        ("stablehlo.select", [p, yes, no]) => of(if of(p)? { yes } else { no }),
        ("stablehlo.compare", [x, y]) => {
            let direction = cx.word(op, "comparison_direction", 0)?;
            if let (Some(x), Some(y)) = (of(x), of(y)) {
                return match direction {
                    "EQ" => Some(x == y),
                    "NE" => Some(x != y),
                    _ => None,
                };
            }
            let (x, y) = (known(cx, *x)?, known(cx, *y)?);
            let ([x], [y]) = (x.as_slice(), y.as_slice()) else { return None };
            let holds =
                |relation| match cx.b.facts().prove(&Constraint { lhs: x.clone(), op: relation, rhs: y.clone() }) {
                    Truth::Yes => Some(true),
                    Truth::No => Some(false),
                    Truth::Unknown => None,
                };
            match direction {
                "EQ" => holds(CmpOp::Eq),
                "NE" => holds(CmpOp::Eq).map(|h| !h),
                "GE" => holds(CmpOp::Ge),
                "LT" => holds(CmpOp::Ge).map(|h| !h),
                "LE" => holds(CmpOp::Le),
                "GT" => holds(CmpOp::Le).map(|h| !h),
                _ => None,
            }
        }
        _ => None,
    }
}
pub(super) fn at_least(cx: &FuncCx, list: &[Extent], least: i64) -> bool {
    let holds = |e: &Extent| {
        let c = Constraint { lhs: e.clone(), op: CmpOp::Ge, rhs: Extent::exact(least) };
        cx.b.facts().prove(&c) == Truth::Yes
    };
    list.iter().all(holds)
}

/// An operand that lists one integer an axis, of so many axes.
fn line(cx: &FuncCx, op: &Op, v: ValueId, axes: usize) -> Made<()> {
    let ty = cx.b.func().ty(v);
    if ty.dtype.is_int() && ty.exact_shape().is_some_and(|s| s == [axes]) {
        return Ok(());
    }
    let text = format!("an operand of `{}` is {}, not {axes} integers", op.name.text, cx.show(ty));
    Err(Diagnostic::error(Code::E0205, op.span, text).help("it lists one integer an axis").into_stop())
}
/// The written type, or where it does not say all, with extents that an operand says.
fn sized<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, dims: ValueId) -> Made<Type> {
    let written = match op.outs.first() {
        Some(t) => types::pattern(t)?,
        None => return cx.out(op, 0),
    };
    line(cx, op, dims, written.dims.len())?;
    let list = known(cx, dims);
    let misfit =
        |(w, e): (&Option<usize>, &Extent)| w.is_some_and(|n| e.as_exact().is_some_and(|e| i64::try_from(n) != Ok(e)));
    if let (Some(list), Some(t)) = (&list, op.outs.first())
        && written.dims.iter().zip(list).any(misfit)
    {
        let list: Vec<String> = list.iter().map(|e| e.display(cx.b.func()).to_string()).collect();
        let text = format!("`{}` gives extents [{}], not {}", op.name.text, list.join(", "), written.show());
        return Err(Diagnostic::error(Code::E0245, t.span, text).help("write the type that it gives").into_stop());
    }
    match (cx.out(op, 0), list) {
        (Ok(ty), _) => Ok(ty),
        (Err(_), Some(dims)) => Ok(Type::new(cx.out_dtype(op, 0)?, dims)),
        (Err(_), None) => Err(extents(cx, op, dims).err().unwrap_or(Stop::Lost)),
    }
}
fn broadcast<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, shape] = operands(op, v)?;
    let ty = sized(cx, op, shape)?;
    let key = if cx.find(op, "dims").is_some() { "dims" } else { "broadcast_dimensions" };
    let dims = cx.axes(op, key)?;
    Ok(vec![cx.b.broadcast(x, &ty, &dims)?])
}
fn reshape<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, shape] = operands(op, v)?;
    let ty = sized(cx, op, shape)?;
    Ok(vec![cx.b.reshape(x, &ty)?])
}
fn iota<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [shape] = operands(op, v)?;
    let ty = sized(cx, op, shape)?;
    let key = if cx.find(op, "dim").is_some() { "dim" } else { "iota_dimension" };
    let axis = cx.axis(op, key)?;
    Ok(cx.b.emit(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis as i64)).types(vec![ty]))?)
}
fn pad<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, fill, low, high, interior] = operands(op, v)?;
    let rank = cx.b.func().ty(x).rank();
    [low, high, interior].into_iter().try_for_each(|l| line(cx, op, l, rank))?;
    let (low, high, interior) = (extents(cx, op, low)?, extents(cx, op, high)?, exact(cx, op, interior)?);
    let new = NewOp::new(&PAD, &[x, fill]).attr("low", Attr::extents(low)).attr("high", Attr::extents(high));
    let new = if interior.iter().all(|&n| n == 0) { new } else { new.attr("interior", Attr::ints(&interior)) };
    Ok(cx.b.emit(new)?)
}
fn slice<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, start, limit, stride] = operands(op, v)?;
    let rank = cx.b.func().ty(x).rank();
    [start, limit, stride].into_iter().try_for_each(|l| line(cx, op, l, rank))?;
    // From where a value says, as many elements as is known.
    if let (None, Some((from, sizes))) = (known(cx, start), cx.beyond.get(&limit).cloned())
        && from == start
        && exact(cx, op, stride)?.iter().all(|&s| s == 1)
    {
        let mut at = vec![];
        for i in 0..sizes.len() {
            let one = |i: usize| vec![Extent::from(i)];
            let part = cut_at(cx, start, one(i), one(i + 1), &[1])?;
            at.push(cx.b.reshape(part, &Type::scalar(cx.b.func().ty(start).dtype))?);
        }
        return Ok(vec![cx.b.dynamic_slice(x, &at, sizes)?]);
    }
    let (start, limit, stride) = (extents(cx, op, start)?, extents(cx, op, limit)?, exact(cx, op, stride)?);
    cut_at(cx, x, start, limit, &stride).map(|v| vec![v])
}
fn gather<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, places, sizes] = operands(op, v)?;
    line(cx, op, sizes, cx.b.func().ty(x).rank())?;
    let sizes = extents(cx, op, sizes)?;
    index::gather_sized(cx, op, &[x, places], sizes)
}
/// The first elements along an axis, as many as an operand says: an extent that is known, or one that it binds.
fn resized<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, count] = operands(op, v)?;
    let key = if cx.find(op, "dim").is_some() { "dim" } else { "dimension" };
    let (axis, ty) = (cx.axis(op, key)?, cx.b.ty(x));
    let Some(all) = ty.dims.get(axis).cloned() else {
        let d = Diagnostic::error(Code::E0242, op.span, format!("the operand has no axis {axis}"));
        return Err(d.help("axes are counted from 0").into_stop());
    };
    let n = match known(cx, count).as_deref() {
        Some([n]) => n.clone(),
        _ => {
            let n = Extent::exist(cx.b.exist("n", op.span));
            let within = Constraint { lhs: n.clone(), op: CmpOp::Le, rhs: all };
            let wide = cx.b.convert(count, DType::I64)?;
            cx.b.bind_extent(wide, n.clone(), vec![within])?;
            n
        }
    };
    Ok(vec![cx.b.take_prefix(x, axis, &n)?])
}
/// The extent of an axis, as `i32`.
fn size<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let key = if cx.find(op, "dim").is_some() { "dim" } else { "dimension" };
    let axis = cx.axis(op, key)?;
    let Some(extent) = cx.b.func().ty(x).dims.get(axis).cloned() else {
        let d = Diagnostic::error(Code::E0242, op.span, format!("the operand has no axis {axis}"));
        return Err(d.help("axes are counted from 0").into_stop());
    };
    if let Some(n) = extent.as_exact() {
        return Ok(vec![cx.b.splat(&Type::scalar(DType::I32), n as f64)?]);
    }
    let wide = cx.b.dim_value(extent.clone())?;
    let value = cx.b.convert(wide, DType::I32)?;
    cx.extents.insert(value, vec![extent]);
    Ok(vec![value])
}
