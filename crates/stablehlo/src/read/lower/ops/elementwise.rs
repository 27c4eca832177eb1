//! Elementwise ops: those that are rows, and compositions where StableHLO says more (truth values as numbers, complex numbers
//! in order, total order of floats).
use super::super::super::ast::{AttrKind, Op};
use super::super::func::{FuncCx, IntoStop};
use super::super::literal::{Elements, elements};
use super::super::{Made, args, types};
use super::{Emit, Table};
use tfc_ir::ops::composite::SOFTMAX;
use tfc_ir::ops::constant::CONST;
use tfc_ir::ops::elementwise as e;
use tfc_ir::ops::reduce::{REDUCE_MAX, REDUCE_SUM};
use tfc_ir::ops::shape::BROADCAST_IN_DIM;
use tfc_ir::{Attr, Code, DType, Diagnostic, Func, NewOp, OpDef, Type, ValueId};

/// A quotient; where it is how JAX writes a softmax, that, whose derivative does without what cancels.
fn quotient<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [a, b] = operands(op, v)?;
    Ok(vec![match softmax(cx.b.func(), a, b) {
        Some((x, axis)) => {
            let new = NewOp::new(&SOFTMAX, &[x]).attr("axis", Attr::Int(axis)).attr("divide", Attr::Bool(true));
            cx.b.emit1(new)?
        }
        None => cx.b.div(a, b)?,
    }])
}
/// `x` and `axis` where `a / b` is `exp(x − max x) / Σ exp(x − max x)` along an axis.
fn softmax(f: &Func, a: ValueId, b: ValueId) -> Option<(ValueId, i64)> {
    let of = |v: ValueId, row: &OpDef| f.def_op(v).filter(|op| op.def.is(row));
    let (sum, over) = across(f, b)?;
    let added = of(sum, &REDUCE_SUM)?;
    let &[axis] = over.as_slice() else { return None };
    let along = |op: &tfc_ir::Op| op.attrs.indices("axes") == [axis];
    let exp = of(a, &e::EXP).filter(|_| along(added) && added.operands.first() == Some(&a))?;
    let shifted = of(*exp.operands.first()?, &e::SUB)?;
    let &[x, most] = shifted.operands.as_slice() else { return None };
    let (mut most, over) = across(f, most)?;
    if let Some(op) = of(most, &e::MAX) {
        // Of an empty row: −∞.
        let least = |v: &ValueId| fill(f, *v) == Some(f64::NEG_INFINITY);
        let &[p, q] = op.operands.as_slice() else { return None };
        most = if least(&p) { q } else { Some(p).filter(|_| least(&q))? };
    }
    let greatest = of(most, &REDUCE_MAX)?;
    let same = over == [axis] && along(greatest) && greatest.operands.first() == Some(&x);
    (same && f.ty(x).dtype.is_float()).then_some((x, i64::try_from(axis).ok()?))
}
/// What `v` repeats, looked at through broadcasts, and along which axes of `v`; its own axes are the others, in their order.
fn across(f: &Func, v: ValueId) -> Option<(ValueId, Vec<usize>)> {
    let (mut from, mut axes) = (v, (0..f.ty(v).rank()).collect::<Vec<usize>>());
    while let Some(op) = f.def_op(from).filter(|op| op.def.is(&BROADCAST_IN_DIM)) {
        axes = op.attrs.indices("dims").iter().map(|&d| axes.get(d).copied()).collect::<Option<_>>()?;
        from = *op.operands.first()?;
    }
    let whole = f.ty(v);
    let kept = axes.iter().zip(f.ty(from).dims.iter()).all(|(&a, d)| whole.dims.get(a) == Some(d));
    let ordered = axes.windows(2).all(|w| w[0] < w[1]);
    (kept && ordered).then(|| (from, (0..whole.rank()).filter(|a| !axes.contains(a)).collect()))
}
/// The number that fills a constant, broadcast perhaps.
fn fill(f: &Func, v: ValueId) -> Option<f64> {
    let (from, _) = across(f, v)?;
    let op = f.def_op(from)?;
    let t = op.attrs.tensor("splat").or_else(|| op.attrs.tensor("value").filter(|t| t.rank() == 0))?;
    match t.dtype() {
        DType::F64 => t.item::<f64>(),
        DType::F32 => t.item::<f32>().map(f64::from),
        _ => None,
    }
}

pub(super) const OPS: Table = &[
    ("stablehlo.constant", Emit::Each(constant)),
    ("stablehlo.uniform_dequantize", Emit::Each(|_, op, v| uniform(op, v, false))),
    ("stablehlo.uniform_quantize", Emit::Each(|_, op, v| uniform(op, v, true))),
    ("stablehlo.abs", Emit::Each(abs)),
    ("stablehlo.add", Emit::Each(|cx, _, v| arithmetic(cx, &e::ADD, &e::OR, v))),
    ("stablehlo.atan2", Emit::Each(atan2)),
    ("stablehlo.cbrt", Emit::Row(&e::CBRT)),
    ("stablehlo.clamp", Emit::Row(&e::CLAMP)),
    ("stablehlo.compare", Emit::Each(compare)),
    ("stablehlo.complex", Emit::Row(&e::COMPLEX)),
    ("stablehlo.convert", Emit::Each(convert)),
    ("stablehlo.divide", Emit::Each(quotient)),
    ("stablehlo.exponential", Emit::Each(exponential)),
    ("stablehlo.imag", Emit::Each(imag)),
    ("stablehlo.is_finite", Emit::Row(&e::IS_FINITE)),
    ("stablehlo.maximum", Emit::Each(|cx, _, v| extremum(cx, &e::MAX, &e::OR, &e::GT, v))),
    ("stablehlo.minimum", Emit::Each(|cx, _, v| extremum(cx, &e::MIN, &e::AND, &e::LT, v))),
    ("stablehlo.multiply", Emit::Each(|cx, _, v| arithmetic(cx, &e::MUL, &e::AND, v))),
    ("stablehlo.power", Emit::Row(&e::POW)),
    ("stablehlo.real", Emit::Each(real)),
    ("stablehlo.reduce_precision", Emit::Each(reduce_precision)),
    ("stablehlo.remainder", Emit::Row(&e::REM)),
    ("stablehlo.select", Emit::Row(&e::SELECT)),
    ("stablehlo.shift_right_arithmetic", Emit::Row(&e::SHR_ARITH)),
    ("stablehlo.sign", Emit::Each(sign)),
    ("chlo.conj", Emit::Row(&e::CONJ)),
    ("chlo.constant", Emit::Each(constant)),
    ("chlo.constant_like", Emit::Each(constant_like)),
    ("chlo.is_inf", Emit::Each(|cx, op, v| infinite(cx, op, v, &[f64::INFINITY, f64::NEG_INFINITY]))),
    ("chlo.is_neg_inf", Emit::Each(|cx, op, v| infinite(cx, op, v, &[f64::NEG_INFINITY]))),
    ("chlo.is_pos_inf", Emit::Each(|cx, op, v| infinite(cx, op, v, &[f64::INFINITY]))),
    ("chlo.mulhi", Emit::Row(&e::MULHI)),
    ("chlo.square", Emit::Each(square)),
    ("chlo.tan", Emit::Row(&e::TAN)),
];

fn dtype(cx: &FuncCx, v: ValueId) -> DType {
    cx.b.func().ty(v).dtype
}
fn row(cx: &mut FuncCx, def: &'static OpDef, v: &[ValueId]) -> Made<ValueId> {
    Ok(cx.b.emit1(NewOp::new(def, v))?)
}
/// The operands; an error that says how many there must be.
pub(super) fn operands<const N: usize>(op: &Op, v: &[ValueId]) -> Made<[ValueId; N]> {
    v.try_into().map_err(|_| {
        let s = if N == 1 { "" } else { "s" };
        let text = format!("`{}` takes {N} operand{s}, not {}", op.name.text, v.len());
        Diagnostic::error(Code::E0210, op.span, text).help("write as many as it takes").into_stop()
    })
}

/// The value that a constant's text says, of a written type.
fn constant<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, _: &[ValueId]) -> Made<Vec<ValueId>> {
    let dense = |a: &&'a super::super::super::ast::Attr<'a>| matches!(a.kind, AttrKind::Dense(..));
    let given = op.given.iter().map(|a| cx.resolve(a)).find(dense);
    let a = match given {
        Some(a) => a,
        None => cx.need(op, "value")?,
    };
    let mut ty = cx.out(op, 0)?;
    if let Some(t) = op.outs.first() {
        // Of a quantised type the integers are written.
        ty = ty.with_dtype(types::pattern(t)?.held().dtype);
    }
    literal(cx, a, &ty).map(|v| vec![v])
}
/// Between quantised tensors and the numbers that they stand for: which one a value is, its written type says.
fn uniform(op: &Op, v: &[ValueId], quantises: bool) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let made = match op.outs.first() {
        Some(t) => types::pattern(t)?,
        None => return Err(args::wrong(op.span, "the type of the result is not written", "write it: `(T) -> U`")),
    };
    let given = match op.ins.as_deref() {
        Some([t]) => Some(types::pattern(t)?),
        _ => None,
    };
    let ok =
        if quantises { made.quant.is_some() } else { made.quant.is_none() && given.is_none_or(|t| t.quant.is_some()) };
    if !ok {
        let (text, help) = match quantises {
            true => ("gives a quantised tensor", "write its type: `!quant.uniform<i8:f32, 0.5:3>`"),
            false => {
                ("takes a quantised tensor and gives the numbers that it stands for", "`convert` takes plain numbers")
            }
        };
        let text = format!("`{}` {text}", op.name.text);
        return Err(Diagnostic::error(Code::E0245, op.span, text).help(help).into_stop());
    }
    Ok(vec![x])
}
/// A constant as a value of type `ty`.
pub(super) fn literal<'a>(cx: &mut FuncCx<'a>, a: &'a super::super::super::ast::Attr<'a>, ty: &Type) -> Made<ValueId> {
    let AttrKind::Dense(body, own) = &a.kind else { return Err(args::not(a, "a constant, `dense<…>`")) };
    let Some(shape) = ty.exact_shape() else { return Err(args::not(a, "of a type with extents")) };
    let shape = if cx.lift.is_some() { vec![] } else { shape };
    if let Some(t) = own {
        let own = types::pattern(t)?;
        if own.held().exact() != Some(Type::exact(ty.dtype, &shape)) {
            let text = format!("the constant is {}, and what it makes is {}", own.show(), cx.show(ty));
            return Err(Diagnostic::error(Code::E0245, t.span, text).help("both have one type").into_stop());
        }
    }
    let elements = elements(body, ty.dtype, &shape, a.span)?;
    let op = match elements {
        Elements::Each(t) if !shape.is_empty() || ty.is_scalar() => {
            NewOp::new(&CONST, &[]).attr("value", Attr::Tensor(t))
        }
        Elements::Each(t) | Elements::Splat(t) => {
            NewOp::new(&CONST, &[]).attr("splat", Attr::Tensor(t)).types(vec![ty.clone()])
        }
    };
    Ok(cx.b.emit1(op)?)
}
/// A constant of the operand's type.
fn constant_like<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let value =
        cx.number(op, "value")?.ok_or_else(|| args::wrong(op.span, "`value` is no number", "write a number"))?;
    Ok(vec![cx.b.like(x, value)?])
}

/// Truth values add as `or` and multiply as `and`.
fn arithmetic(cx: &mut FuncCx, def: &'static OpDef, on_bool: &'static OpDef, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let truth = v.iter().all(|&x| dtype(cx, x) == DType::Bool);
    Ok(vec![row(cx, if truth { on_bool } else { def }, v)?])
}
/// Complex numbers are ordered by their real parts, then by their imaginary parts.
fn extremum(
    cx: &mut FuncCx,
    def: &'static OpDef,
    on_bool: &'static OpDef,
    before: &'static OpDef,
    v: &[ValueId],
) -> Made<Vec<ValueId>> {
    let &[x, y] = v else { return arithmetic(cx, def, on_bool, v) };
    if !dtype(cx, x).is_complex() {
        let made = arithmetic(cx, def, on_bool, v)?;
        let (true, true, &[value]) = (cx.file.first_of_equals, dtype(cx, x).is_float(), made.as_slice()) else {
            return Ok(made);
        };
        // The derivative of `max` and `min` goes to equal operands in halves.
        let equal = cx.b.eq(x, y)?;
        return Ok(vec![cx.b.select(equal, x, value)?]);
    }
    let (xr, yr) = (cx.b.real(x)?, cx.b.real(y)?);
    let (xi, yi) = (cx.b.imag(x)?, cx.b.imag(y)?);
    let (real, imaginary) = (row(cx, before, &[xr, yr])?, row(cx, before, &[xi, yi])?);
    let same = cx.b.eq(xr, yr)?;
    let second = cx.b.and(same, imaginary)?;
    let first = cx.b.or(real, second)?;
    Ok(vec![cx.b.select(first, x, y)?])
}
fn abs<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    // An unsigned number is its own.
    Ok(vec![if dtype(cx, x).is_unsigned() { x } else { cx.b.abs(x)? }])
}
/// The sign. Of a complex number with a NaN in either part both parts are NaN.
fn sign<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [z] = operands(op, v)?;
    let sign = cx.b.sign(z)?;
    if !dtype(cx, z).is_complex() {
        return Ok(vec![sign]);
    }
    let number = cx.b.eq(z, z)?;
    let real = cx.b.real(z)?;
    let nan = cx.b.like(real, f64::NAN)?;
    let nan = cx.b.complex(nan, nan)?;
    Ok(vec![cx.b.select(number, sign, nan)?])
}
fn real<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    Ok(vec![if dtype(cx, x).is_complex() { cx.b.real(x)? } else { x }])
}
fn imag<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    Ok(vec![if dtype(cx, x).is_complex() { cx.b.imag(x)? } else { cx.b.like(x, 0.0)? }])
}
/// `atan2`. Of complex numbers `−i log((x + i y) / sqrt(x² + y²))`.
fn atan2<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [y, x] = operands(op, v)?;
    if !dtype(cx, x).is_complex() {
        return Ok(vec![row(cx, &e::ATAN2, v)?]);
    }
    let (zero, one) = (cx.b.like(x, 0.0)?, cx.b.like(x, 1.0)?);
    let (re, im) = (cx.b.real(zero)?, cx.b.real(one)?);
    let i = cx.b.complex(re, im)?;
    let iy = cx.b.mul(i, y)?;
    let sum = cx.b.add(x, iy)?;
    let (xx, yy) = (cx.b.mul(x, x)?, cx.b.mul(y, y)?);
    let squares = cx.b.add(xx, yy)?;
    let root = cx.b.sqrt(squares)?;
    let quotient = cx.b.div(sum, root)?;
    let log = cx.b.log(quotient)?;
    let turned = cx.b.mul(i, log)?;
    Ok(vec![cx.b.neg(turned)?])
}
/// `(x − y)(x + y) + 2xy i`, which neither overflows nor cancels before the result does.
fn square<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [z] = operands(op, v)?;
    if !dtype(cx, z).is_complex() {
        return Ok(vec![cx.b.mul(z, z)?]);
    }
    let (x, y) = (cx.b.real(z)?, cx.b.imag(z)?);
    let (less, more) = (cx.b.sub(x, y)?, cx.b.add(x, y)?);
    let product = cx.b.mul(less, more)?;
    // |x| = |y| gives 0 also where x + y overflows.
    let (ax, ay) = (cx.b.abs(x)?, cx.b.abs(y)?);
    let (same, finite) = (cx.b.eq(ax, ay)?, cx.b.is_finite(x)?);
    let cancels = cx.b.and(same, finite)?;
    let zero = cx.b.like(x, 0.0)?;
    let re = cx.b.select(cancels, zero, product)?;
    let xy = cx.b.mul(x, y)?;
    let im = cx.b.add(xy, xy)?;
    Ok(vec![cx.b.complex(re, im)?])
}
/// The exponential. Of complex numbers `exp(x) (cos y + i sin y)`, also where that is `0 · NaN`.
fn exponential<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [z] = operands(op, v)?;
    let power = cx.b.exp(z)?;
    if !dtype(cx, z).is_complex() {
        return Ok(vec![power]);
    }
    let (x, y) = (cx.b.real(z)?, cx.b.imag(z)?);
    let least = cx.b.like(x, f64::NEG_INFINITY)?;
    let (vanishes, turns) = (cx.b.eq(x, least)?, cx.b.is_finite(y)?);
    let endless = cx.b.not(turns)?;
    let none = cx.b.and(vanishes, endless)?;
    let nan = cx.b.like(x, f64::NAN)?;
    let nan = cx.b.complex(nan, nan)?;
    Ok(vec![cx.b.select(none, nan, power)?])
}
fn infinite(cx: &mut FuncCx, op: &Op, v: &[ValueId], which: &[f64]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    if !dtype(cx, x).is_float() {
        let text = format!("`{}` takes floats, not {}", op.name.text, cx.show(cx.b.func().ty(x)));
        return Err(Diagnostic::error(Code::E0203, op.span, text).help("nothing else is infinite").into_stop());
    }
    let mut out: Option<ValueId> = None;
    for &x in which {
        for &operand in v {
            let like = cx.b.like(operand, x)?;
            let hit = cx.b.eq(operand, like)?;
            out = Some(match out {
                Some(o) => cx.b.or(o, hit)?,
                None => hit,
            });
        }
    }
    Ok(out.into_iter().collect())
}

/// From complex the real part, to complex from anything; to truth values `≠ 0`.
fn convert<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x] = operands(op, v)?;
    let (from, to) = (dtype(cx, x), cx.out_dtype(op, 0)?);
    Ok(vec![to_dtype(cx, x, from, to)?])
}
pub(super) fn to_dtype(cx: &mut FuncCx, x: ValueId, from: DType, to: DType) -> Made<ValueId> {
    let mut x = x;
    if from.is_complex() && !to.is_complex() {
        x = cx.b.real(x)?;
    } else if to.is_complex() && !from.is_inexact() {
        x = cx.b.convert(x, to.real())?;
    }
    Ok(cx.b.convert(x, to)?)
}

fn compare<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, y] = operands(op, v)?;
    let def = match cx.word(op, "comparison_direction", 0) {
        Some("EQ") => &e::EQ,
        Some("NE") => &e::NE,
        Some("LT") => &e::LT,
        Some("LE") => &e::LE,
        Some("GT") => &e::GT,
        Some("GE") => &e::GE,
        _ => return Err(args::wrong(op.span, "`compare` without a direction", "it is one of EQ, NE, LT, LE, GT, GE")),
    };
    let kind = cx.word(op, "compare_type", 1);
    if let Some(w) = kind.filter(|w| !matches!(*w, "FLOAT" | "TOTALORDER" | "SIGNED" | "UNSIGNED" | "NOTYPE")) {
        return Err(args::wrong(
            op.span,
            format!("`{w}` is no way to compare"),
            "FLOAT, TOTALORDER, SIGNED or UNSIGNED",
        ));
    }
    // Which ways there are to compare elements of a dtype, by what they are.
    let d = dtype(cx, x);
    let ways: &[&str] = if d.is_float() {
        &["FLOAT", "TOTALORDER"]
    } else if d.is_complex() {
        &["FLOAT"]
    } else if d.is_signed() {
        &["SIGNED"]
    } else {
        &["UNSIGNED"]
    };
    if let Some(w) = kind.filter(|w| *w != "NOTYPE" && !ways.contains(w)) {
        let text = format!("`compare` of {d} is not {w}");
        return Err(args::wrong(op.span, text, format!("write {}, or no way to compare", ways.join(" or "))));
    }
    let total = kind == Some("TOTALORDER");
    if !total {
        return Ok(vec![row(cx, def, &[x, y])?]);
    }
    let (x, y) = (total_order(cx, x)?, total_order(cx, y)?);
    Ok(vec![row(cx, def, &[x, y])?])
}
/// Integers in the order of IEEE 754's totalOrder: bits, of negative numbers with all but the sign turned round.
fn total_order(cx: &mut FuncCx, x: ValueId) -> Made<ValueId> {
    let ty = cx.b.ty(x);
    let int = match ty.dtype.size() {
        2 => DType::I16,
        4 => DType::I32,
        _ => DType::I64,
    };
    let bits = cx.b.emit1(NewOp::new(&e::BITCAST, &[x]).types(vec![ty.with_dtype(int)]))?;
    let width = cx.b.like(bits, 31.0 + if int == DType::I64 { 32.0 } else { 0.0 })?;
    let sign = row(cx, &e::SHR_ARITH, &[bits, width])?;
    let one = cx.b.like(bits, 1.0)?;
    let mask = row(cx, &e::SHR_LOGICAL, &[sign, one])?;
    row(cx, &e::XOR, &[bits, mask])
}

/// `format = e5m10`
fn reduce_precision<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let (exponent, mantissa) = match cx.word(op, "format", usize::MAX) {
        Some(f) => f
            .strip_prefix('e')
            .and_then(|f| f.split_once('m'))
            .and_then(|(e, m)| Some((e.parse::<i64>().ok()?, m.parse::<i64>().ok()?)))
            .ok_or_else(|| args::wrong(op.span, format!("`{f}` is no format"), "it is written `e5m10`"))?,
        None => (cx.int(op, "exponent_bits")?, cx.int(op, "mantissa_bits")?),
    };
    let [x] = operands(op, v)?;
    let new = NewOp::new(&e::REDUCE_PRECISION, &[x]);
    let rounded = cx.b.emit1(new.attr("exponent", Attr::Int(exponent)).attr("mantissa", Attr::Int(mantissa)))?;
    if mantissa != 0 {
        return Ok(vec![rounded]);
    }
    // Without a bit of mantissa a format has no NaN: what is none becomes infinite.
    let (number, infinity) = (cx.b.eq(x, x)?, cx.b.like(x, f64::INFINITY)?);
    Ok(vec![cx.b.select(number, rounded, infinity)?])
}
