//! `slice`, `pad`, `concat`, `reverse`, `take_prefix`, `pad_suffix`.
use super::*;
use crate::DType;
use crate::code::Code;
use crate::extent::CmpOp;
use crate::sample::{Domain, Sample, SampleCx};
use crate::with_dtype;

/// `slice`.
pub static SLICE: OpDef = OpDef {
    name: "slice",
    doc: "Every `stride`-th element from `start` up to but not including `limit`, along each axis: all three lists have one \
          entry per axis, `stride` is 1 everywhere unless given. `0 <= start <= limit <= n` holds or is checked at run time; \
          the extent of the result is `ceildiv(limit - start, stride)`.",
    operands: &["x"],
    slots: &[
        Slot::required("start", SlotKind::Extents),
        Slot::required("limit", SlotKind::Extents),
        Slot::optional("stride", SlotKind::Ints),
    ],
    infer: infer_slice,
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(tr_slice),
    movement: Movement {
        places: Places::Axes(|f, op, _| moved(&op.attrs, f.ty(op.operands[0]).rank(), "start", 1, ("stride", 1))),
        element: Some(|_, op, index| {
            let (start, by) = (op.attrs.extents("start"), strides(&op.attrs, index.len()));
            let one =
                |(i, &at): (usize, &usize)| usize::try_from(start.get(i)?.as_exact()?).ok()?.checked_add(at * by[i]);
            Some((0, index.iter().enumerate().map(one).collect::<Option<_>>()?))
        }),
        moved: Some(|f, op| {
            let start = op.attrs.extents("start");
            let dense = strides(&op.attrs, f.ty(*op.operands.first()?).rank()).iter().all(|&n| n == 1);
            let start = start.iter().map(|e| usize::try_from(e.as_exact()?).ok()).collect::<Option<_>>()?;
            dense.then_some(Moved::Window(start))
        }),
        ..Movement::NONE
    },
    batch: Batch::Rule(batch_slice),
    simplify: Some(simplify_slice),
    sample: sample_slice,
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `pad`.
pub static PAD: OpDef = OpDef {
    name: "pad",
    doc: "Puts copies of the scalar `v` around and between elements: `interior` between neighbours, then `low` before and \
          `high` after, along each axis. Negative `low` and `high` remove elements instead, as in StableHLO. `interior` is \
          0 everywhere unless given.",
    operands: &["x", "v"],
    alike: (0, 2),
    slots: &[
        Slot::required("low", SlotKind::Extents),
        Slot::required("high", SlotKind::Extents),
        Slot::optional("interior", SlotKind::Ints),
    ],
    infer: infer_pad,
    linearize: Linearize::Rule(lin_jointly),
    transpose: Transpose::Rule(tr_pad),
    movement: Movement {
        places: Places::Axes(|f, op, i| {
            if i == 0 { moved(&op.attrs, f.ty(op.operands[0]).rank(), "low", -1, ("interior", 0)) } else { vec![] }
        }),
        element: Some(|f, op, index| {
            let (low, x) = (op.attrs.extents("low"), f.ty(*op.operands.first()?).exact_shape()?);
            let between = interiors(&op.attrs, index.len());
            let mut from = vec![];
            for (a, &at) in index.iter().enumerate() {
                let (at, step) = (at as i64 - low.get(a)?.as_exact()?, between[a] as i64 + 1);
                if at < 0 || at % step != 0 || at / step >= x[a] as i64 {
                    return Some((1, vec![]));
                }
                from.push((at / step) as usize);
            }
            Some((0, from))
        }),
        moved: Some(|f, op| border_of_pad(&op.attrs, f.ty(*op.operands.first()?).rank()).map(Moved::Surrounded)),
        ..Movement::NONE
    },
    batch: Batch::Rule(batch_pad),
    simplify: Some(simplify_pad),
    sample: sample_pad,
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `concat`.
pub static CONCAT: OpDef = OpDef {
    name: "concat",
    doc: "Joins tensors along `axis`; all other extents are equal.",
    operands: &["x", "y…"],
    alike: (0, usize::MAX),
    slots: &[Slot::required("axis", SlotKind::Int)],
    infer: infer_concat,
    linearize: Linearize::Rule(lin_jointly),
    transpose: Transpose::Rule(tr_concat),
    movement: Movement {
        places: Places::Axes(places_concat),
        element: Some(|f, op, index| {
            let axis = op.attrs.int("axis") as usize;
            let mut index = index.to_vec();
            for (i, &x) in op.operands.iter().enumerate() {
                let n = usize::try_from(f.ty(x).dims.get(axis)?.as_exact()?).ok()?;
                if index[axis] < n {
                    return Some((i, index));
                }
                index[axis] -= n;
            }
            None
        }),
        moved: Some(|_, op| Some(Moved::Joined(usize::try_from(op.attrs.int("axis")).ok()?))),
        ..Movement::NONE
    },
    batch: Batch::Rule(|cx, o, xs| along(cx, o, xs, "axis")),
    simplify: Some(simplify_concat),
    sample: sample_concat,
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `reverse`.
pub static REVERSE: OpDef = OpDef {
    name: "reverse",
    doc: "Reverses the order of elements along `axes`.",
    operands: &["x"],
    slots: &[Slot::required("axes", SlotKind::Ints)],
    infer: |cx| {
        let x = cx.ty(0)?;
        cx.axes("axes", x.rank())?;
        Ok(vec![x])
    },
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(tr_same),
    movement: Movement {
        places: Places::Axes(|f, op, i| across(f, op, i, "axes")),
        element: Some(|f, op, index| {
            let (axes, x) = (op.attrs.indices("axes"), f.ty(*op.operands.first()?).exact_shape()?);
            let one = |(a, &at): (usize, &usize)| if axes.contains(&a) { x[a] - 1 - at } else { at };
            Some((0, index.iter().enumerate().map(one).collect()))
        }),
        ..Movement::NONE
    },
    batch: Batch::Rule(|cx, o, xs| along(cx, o, xs, "axes")),
    simplify: Some(|b, new| {
        let splat = new.operands.first().is_some_and(|&x| splat_tensor(b, x).is_some());
        Ok(if splat || new.attrs.indices("axes").is_empty() { unchanged(b, new) } else { None })
    }),
    sample: |cx| {
        let cases: &[(&[usize], &[usize])] = &[
            (&[], &[]),
            (&[3], &[0]),
            (&[2, 3], &[1]),
            (&[2, 3], &[1, 0]),
            (&[0, 2], &[0]),
            (&[2, 1, 3, 2], &[3, 1, 0]),
        ];
        cases.iter().map(|(s, a)| cx.op(&[(cx.ty(s), Domain::Any)], ints("axes", a), None)).collect()
    },
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `take_prefix`.
pub static TAKE_PREFIX: OpDef = OpDef {
    name: "take_prefix",
    doc: "The first elements along `axis`, as many as the written type says: the way to cut to an extent that a value has \
          decided.",
    operands: &["x"],
    slots: &[Slot::required("axis", SlotKind::Int)],
    needs_type: true,
    infer: |cx| infer_prefix(cx, CmpOp::Le),
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| tr_prefix(cx, o, ct, &PAD_SUFFIX)),
    movement: Movement { places: Places::Axes(|f, op, i| across(f, op, i, "")), ..Movement::NONE },
    batch: Batch::Rule(|cx, o, xs| along(cx, o, xs, "axis")),
    simplify: Some(simplify_prefix),
    sample: |cx| sample_prefix(cx, false),
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `pad_suffix`.
pub static PAD_SUFFIX: OpDef = OpDef {
    name: "pad_suffix",
    doc: "Appends zeros (`false`) along `axis` until the extent of the written type is reached.",
    operands: &["x"],
    slots: &[Slot::required("axis", SlotKind::Int)],
    needs_type: true,
    infer: |cx| infer_prefix(cx, CmpOp::Ge),
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| tr_prefix(cx, o, ct, &TAKE_PREFIX)),
    movement: Movement { places: Places::Axes(|f, op, i| across(f, op, i, "")), ..Movement::NONE },
    batch: Batch::Rule(|cx, o, xs| along(cx, o, xs, "axis")),
    simplify: Some(|b, new| {
        let same = new.operands.first().is_some_and(|&x| declared(new) == Some(b.func().ty(x)));
        Ok(if same { unchanged(b, new) } else { None })
    }),
    sample: |cx| sample_prefix(cx, true),
    small: OnSmall::Kept,
    ..OpDef::BASE
};

/// Strides of a checked `slice` of that rank: 1 unless given.
pub fn strides(attrs: &Attrs, rank: usize) -> Vec<usize> {
    if attrs.get("stride").is_some() { attrs.indices("stride") } else { vec![1; rank] }
}
/// Interior padding of a checked `pad` of that rank: 0 unless given.
pub fn interiors(attrs: &Attrs, rank: usize) -> Vec<usize> {
    if attrs.get("interior").is_some() { attrs.indices("interior") } else { vec![0; rank] }
}
/// A list of integers, one per axis, none below `least`; `least` everywhere where it is absent.
fn ints_per_axis(cx: &mut InferCx, name: &'static str, rank: usize, least: i64) -> Result<Vec<i64>> {
    let Some(Attr::List(l)) = cx.attrs().get(name) else { return Ok(vec![least; rank]) };
    let v: Vec<i64> = l.iter().map(|a| if let Attr::Int(i) = a { *i } else { least - 1 }).collect();
    if v.len() != rank {
        return Err(wrong_length(name, v.len(), rank));
    }
    if let Some(bad) = v.iter().find(|&&i| i < least) {
        return Err(Error::new(Code::E0227, format!("`{name}` is at least {least}, not {bad}")).attr(name));
    }
    if v.iter().all(|&i| i == least) {
        cx.remove_attr(name);
    }
    Ok(v)
}
/// Extent of an axis once `interior` elements stand between neighbours.
pub(crate) fn dilated(n: &Extent, interior: i64) -> Result<Extent> {
    if interior == 0 {
        return Ok(n.clone());
    }
    let gaps = Extent::max(&n.sub(&Extent::exact(1))?, &Extent::exact(0))?;
    n.add(&gaps.mul(&Extent::exact(interior))?)
}
/// `pad` to type `ty`; `v` is zero where not given.
pub(crate) fn pad(
    b: &mut Builder,
    x: ValueId,
    v: Option<ValueId>,
    low: &[Extent],
    high: &[Extent],
    interior: &[usize],
    ty: &Type,
) -> Result<ValueId> {
    let nothing = |e: &Extent| e.as_exact() == Some(0);
    if low.iter().chain(high).all(nothing) && interior.iter().all(|&i| i == 0) && b.func().ty(x) == ty {
        return Ok(x);
    }
    let v = match v {
        Some(v) => v,
        None => b.zeros(&Type::scalar(ty.dtype))?,
    };
    let mut op = NewOp::new(&PAD, &[x, v]).attr("low", Attr::extents(low)).attr("high", Attr::extents(high));
    if interior.iter().any(|&i| i != 0) {
        op = op.attr("interior", Attr::ints(interior));
    }
    b.emit1(op.types(vec![ty.clone()]))
}
/// `slice` to type `ty`.
fn slice(
    b: &mut Builder,
    x: ValueId,
    start: &[Extent],
    limit: &[Extent],
    stride: &[usize],
    ty: &Type,
) -> Result<ValueId> {
    let mut op = NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(start)).attr("limit", Attr::extents(limit));
    if stride.iter().any(|&i| i != 1) {
        op = op.attr("stride", Attr::ints(stride));
    }
    b.emit1(op.types(vec![ty.clone()]))
}

fn infer_slice(cx: &mut InferCx) -> Result<Vec<Type>> {
    let x = cx.ty(0)?;
    let (start, limit) = (extents_per_axis(cx, "start", x.rank())?, extents_per_axis(cx, "limit", x.rank())?);
    let stride = ints_per_axis(cx, "stride", x.rank(), 1)?;
    let mut dims = vec![];
    for (i, n) in x.dims.iter().enumerate() {
        let what = format!("axis {i}");
        cx.demand(&Extent::exact(0), CmpOp::Le, &start[i], Part::Attr("start"), &what)?;
        cx.demand(&start[i], CmpOp::Le, &limit[i], Part::Attr("limit"), &what)?;
        cx.demand(&limit[i], CmpOp::Le, n, Part::Attr("limit"), &what)?;
        dims.push(limit[i].sub(&start[i])?.ceildiv(&Extent::exact(stride[i]))?);
    }
    Ok(vec![x.with_dims(dims)])
}
fn tr_slice(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let (attrs, x, y) = (cx.attrs(&op.attrs)?, cx.ty(op.operands[0])?, cx.ty(op.results[0])?);
    let interior: Vec<usize> = strides(&attrs, x.rank()).iter().map(|s| s - 1).collect();
    let low = attrs.extents("start");
    let mut high = vec![];
    for (i, n) in x.dims.iter().enumerate() {
        let used = dilated(&y.dims[i], interior[i] as i64)?;
        high.push(n.sub(&low[i])?.sub(&used)?);
    }
    Ok(vec![Some(pad(&mut cx.b, cotangent(ct)?, None, low, &high, &interior, &x)?)])
}
fn simplify_slice(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let Some(&x) = new.operands.first() else { return Ok(None) };
    let all = new.attrs.extents("start").iter().all(|e| e.as_exact() == Some(0))
        && *b.func().ty(x).dims == *new.attrs.extents("limit")
        && strides(&new.attrs, 0).iter().all(|&s| s == 1);
    if all {
        return Ok(unchanged(b, new));
    }
    match (splat_tensor(b, x), declared(new)) {
        (Some(t), Some(ty)) => Ok(Some(vec![splat_const(b, t, ty)?])),
        _ => Ok(None),
    }
}

/// Short vectors that are constants are one constant: indices come so.
fn joined(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    const MOST: usize = 64;
    let Some(ty) = declared(new).cloned() else { return Ok(None) };
    let f = b.func();
    let n = match ty.exact_shape().as_deref() {
        Some(&[n]) if n <= MOST => n,
        _ => return Ok(None),
    };
    let value = with_dtype!(ty.dtype, T => {
        let mut all: Vec<T> = Vec::with_capacity(n);
        for &x in &new.operands {
            let op = f.def_op(x).filter(|op| op.def.is(&CONST));
            let given = |name: &str| op.and_then(|op| op.attrs.tensor(name));
            let count = f.ty(x).dims.first().and_then(Extent::as_exact).and_then(|n| usize::try_from(n).ok());
            match (given("splat").and_then(|t| t.item::<T>()), given("value").and_then(|t| t.to_logical::<T>()), count) {
                (Some(x), _, Some(count)) => all.extend(std::iter::repeat_n(x, count)),
                (None, Some(list), _) => all.extend(list),
                _ => return Ok(None),
            }
        }
        crate::Tensor::from_logical(&[n], all)?
    });
    Ok(Some(vec![b.emit1(NewOp::new(&CONST, &[]).attr("value", Attr::Tensor(value)).types(vec![ty]))?]))
}

/// With `e` in front of entry `axis` of a list of extents, and `i` in a list of integers where there is one.
fn with_entry(attrs: Attrs, axis: usize, extents: &[(&'static str, Extent)], ints: &'static str, i: i64) -> Attrs {
    let mut out = attrs;
    for (name, e) in extents {
        let mut list = out.extents(name).to_vec();
        list.insert(axis, e.clone());
        out.set(name, Attr::extents(list));
    }
    if let Some(Attr::List(l)) = out.get(ints) {
        let mut l = l.to_vec();
        l.insert(axis, Attr::Int(i));
        out.set(ints, Attr::List(l.into()));
    }
    out
}
fn batch_slice(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let Batched { value, axis } = xs[0];
    let (axis, n) = (axis.unwrap_or(0), cx.extent.clone());
    let attrs = cx.attrs(&cx.op(o).attrs)?;
    let attrs = with_entry(attrs, axis, &[("start", Extent::exact(0)), ("limit", n)], "stride", 1);
    cx.again(o, &[value], attrs, |_| axis)
}
/// One scalar pads all: where it differs from index to index it is put in by a mask afterwards.
fn batch_pad(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let axis = xs[0].axis.unwrap_or_else(|| cx.src.ty(op.operands[0]).rank());
    let zero = Extent::exact(0);
    let plain = cx.attrs(&op.attrs)?;
    let attrs = with_entry(plain.clone(), axis, &[("low", zero.clone()), ("high", zero)], "interior", 0);
    let x = cx.at(xs[0], axis)?;
    let Batched { value: v, axis: Some(_) } = xs[1] else {
        return cx.again(o, &[x, xs[1].value], attrs, |_| axis);
    };
    let scalar = Type::scalar(cx.b.func().ty(v).dtype);
    let none = cx.b.zeros(&scalar)?;
    let y = cx.again(o, &[x, none], attrs, |_| axis)?[0].value;
    let (from, to) = (cx.ty(op.operands[0])?, cx.ty(op.results[0])?);
    let inside = cx.b.zeros(&from.with_dtype(DType::Bool))?;
    let outside = cx.b.splat(&Type::scalar(DType::Bool), 1.0)?;
    let mask = NewOp::new(&PAD, &[inside, outside]).attrs(plain).types(vec![to.with_dtype(DType::Bool)]);
    let mask = cx.b.emit1(mask)?;
    let mask = cx.at(Batched { value: mask, axis: None }, axis)?;
    let ty = cx.b.ty(y);
    let v = cx.b.broadcast(v, &ty, &[axis])?;
    Ok(vec![Batched::along(cx.b.select(mask, v, y)?, axis)])
}
fn infer_pad(cx: &mut InferCx) -> Result<Vec<Type>> {
    let x = cx.ty(0)?;
    let dtype = x.dtype;
    cx.want_scalar(1, |d| d == dtype, &format!("a scalar {dtype}"))?;
    let (low, high) = (extents_per_axis(cx, "low", x.rank())?, extents_per_axis(cx, "high", x.rank())?);
    let interior = ints_per_axis(cx, "interior", x.rank(), 0)?;
    let mut dims = vec![];
    for (i, n) in x.dims.iter().enumerate() {
        let e = dilated(n, interior[i])?.add(&low[i])?.add(&high[i])?;
        cx.demand(&Extent::exact(0), CmpOp::Le, &e, Part::Attr("high"), &format!("axis {i} after removal"))?;
        dims.push(e);
    }
    Ok(vec![x.with_dims(dims)])
}
fn tr_pad(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let (x, v, c) = (op.operands[0], op.operands[1], cotangent(ct)?);
    let (attrs, tx, ty) = (cx.attrs(&op.attrs)?, cx.ty(x)?, cx.ty(op.results[0])?);
    let interior = interiors(&attrs, tx.rank());
    let (low, high) = (attrs.extents("low"), attrs.extents("high"));
    let mut out = vec![None, None];
    if cx.linear(x) {
        let minus = |v: &[Extent]| v.iter().map(Extent::neg).collect::<Result<Vec<_>>>();
        let (low, high) = (minus(low)?, minus(high)?);
        let mut wide = vec![];
        for (n, &i) in tx.dims.iter().zip(&interior) {
            wide.push(dilated(n, i as i64)?);
        }
        let spread = tx.with_dims(wide);
        let p = pad(&mut cx.b, c, None, &low, &high, &[], &spread)?;
        out[0] = Some(if interior.iter().all(|&i| i == 0) {
            p
        } else {
            let start = vec![Extent::exact(0); tx.rank()];
            let stride: Vec<usize> = interior.iter().map(|i| i + 1).collect();
            slice(&mut cx.b, p, &start, &spread.dims, &stride, &tx)?
        });
    }
    if cx.linear(v) {
        // A mask and not a difference of sums: exact, and right for infinite cotangents.
        let inside = cx.b.zeros(&tx.with_dtype(DType::Bool))?;
        let outside = cx.b.splat(&Type::scalar(DType::Bool), 1.0)?;
        let mask = pad(&mut cx.b, inside, Some(outside), low, high, &interior, &ty.with_dtype(DType::Bool))?;
        let zeros = cx.b.zeros(&ty)?;
        let kept = cx.b.select(mask, c, zeros)?;
        let all: Vec<usize> = (0..ty.rank()).collect();
        out[1] = Some(cx.b.reduce_sum(kept, &all)?);
    }
    Ok(out)
}
fn simplify_pad(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let none = |k| new.attrs.extents(k).iter().all(|e: &Extent| e.as_exact() == Some(0));
    if none("low") && none("high") && new.attrs.indices("interior").iter().all(|&i| i == 0) {
        return Ok(unchanged(b, new));
    }
    let (Some(&x), Some(&v), Some(ty)) = (new.operands.first(), new.operands.get(1), declared(new)) else {
        return Ok(None);
    };
    match (splat_tensor(b, x), splat_tensor(b, v)) {
        (Some(t), Some(u)) if t.same(&u) => return Ok(Some(vec![splat_const(b, t, ty)?])),
        _ => {}
    }
    cut_then_padded(b, new, ty.clone())
}
/// Where elements are removed: a window of the operand, which is a view, padded by what is added. All extents are numbers.
fn cut_then_padded(b: &mut Builder, new: &NewOp, ty: Type) -> Result<Option<Vec<ValueId>>> {
    let (x, v) = (new.operands[0], new.operands[1]);
    let exact = |k| new.attrs.extents(k).iter().map(Extent::as_exact).collect::<Option<Vec<i64>>>();
    let (Some(low), Some(high), Some(shape)) = (exact("low"), exact("high"), b.ty(x).exact_shape()) else {
        return Ok(None);
    };
    let cut = low.iter().chain(&high).any(|&n| n < 0);
    let gaps = new.attrs.indices("interior").iter().any(|&n| n > 0);
    // An axis that loses more than it has is made of padding alone.
    let kept = |a: usize| shape[a] as i64 + low[a].min(0) + high[a].min(0);
    if !cut || gaps || (0..shape.len()).any(|a| kept(a) < 0) {
        return Ok(None);
    }
    let numbers = |n: &mut dyn Iterator<Item = i64>| Attr::Extents(n.map(Extent::exact).collect());
    let axes = 0..shape.len();
    let start = numbers(&mut axes.clone().map(|a| -low[a].min(0)));
    let limit = numbers(&mut axes.clone().map(|a| shape[a] as i64 + high[a].min(0)));
    let window = b.emit1(NewOp::new(&SLICE, &[x]).attr("start", start).attr("limit", limit))?;
    let border: Vec<[usize; 2]> = axes.map(|a| [low[a].max(0) as usize, high[a].max(0) as usize]).collect();
    if border.iter().all(|b| *b == [0, 0]) {
        return Ok(Some(vec![window]));
    }
    let padded = NewOp::new(&PAD, &[window, v]).attrs(pad_with_border(&border)).types(vec![ty]);
    Ok(Some(vec![b.emit1(padded)?]))
}

/// Operands without an element along the axis go; one that is left is the result.
fn simplify_concat(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    if new.operands.len() == 1 {
        return Ok(unchanged(b, new));
    }
    let axis = new.attrs.int("axis") as usize;
    let empty = |x: &ValueId| b.func().ty(*x).dims.get(axis).and_then(Extent::as_exact) == Some(0);
    let left: Vec<ValueId> = new.operands.iter().copied().filter(|x| !empty(x)).collect();
    match (left.as_slice(), declared(new)) {
        ([], _) | (_, None) => joined(b, new),
        (&[x], Some(ty)) if b.func().ty(x) == ty => Ok(Some(vec![x])),
        (_, Some(ty)) if left.len() < new.operands.len() => {
            let fewer = NewOp::new(&CONCAT, &left).attrs(new.attrs.clone()).types(vec![ty.clone()]);
            Ok(Some(vec![b.emit1(fewer)?]))
        }
        _ => joined(b, new),
    }
}
fn border_of_pad(attrs: &Attrs, rank: usize) -> Option<Vec<[usize; 2]>> {
    if interiors(attrs, rank).iter().any(|&n| n > 0) {
        return None;
    }
    let width = |e: &Extent| usize::try_from(e.as_exact()?).ok();
    attrs.extents("low").iter().zip(attrs.extents("high")).map(|(l, h)| Some([width(l)?, width(h)?])).collect()
}
fn pad_with_border(border: &[[usize; 2]]) -> Attrs {
    let side = |k: usize| Attr::Extents(border.iter().map(|b| Extent::exact(b[k] as i64)).collect());
    let mut attrs = Attrs::none();
    attrs.set("low", side(0));
    attrs.set("high", side(1));
    attrs
}

fn infer_concat(cx: &mut InferCx) -> Result<Vec<Type>> {
    let first = cx.ty(0)?;
    let axis = cx.axis("axis", first.rank())?;
    let mut dims = first.dims.to_vec();
    for i in 1..cx.len() {
        let t = cx.ty(i)?;
        if t.rank() != first.rank() {
            return Err(Error::new(
                Code::E0205,
                format!("operands 0 and {i}: ranks differ: {} and {}", cx.show(&first), cx.show(&t)),
            )
            .operand(i));
        }
        // Agreement everywhere but along the axis.
        let mut want = first.dims.to_vec();
        want[axis] = t.dims[axis].clone();
        cx.agree(&first.with_dims(want), &t, Part::Operand(i), &format!("operands 0 and {i}"))?;
        dims[axis] = dims[axis].add(&t.dims[axis])?;
    }
    Ok(vec![first.with_dims(dims)])
}
/// Along the axis an operand comes behind those before it.
fn places_concat(f: &Func, op: &Op, i: usize) -> Vec<Option<Kept>> {
    let axis = op.attrs.int("axis") as usize;
    let before: Option<i64> =
        op.operands.iter().take(i).try_fold(0i64, |n, &x| n.checked_sub(f.ty(x).dims.get(axis)?.as_exact()?));
    let mut kept = across(f, op, i, "axis");
    if let Some(k) = kept.get_mut(axis) {
        *k = before.map(|by| Kept::moved(axis, by));
    }
    kept
}
fn tr_concat(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let (op, c) = (cx.op(o), cotangent(ct)?);
    let axis = op.attrs.int("axis") as usize;
    let mut start = vec![Extent::exact(0); cx.ty(op.results[0])?.rank()];
    let mut limit = cx.ty(op.results[0])?.dims.to_vec();
    let mut out = vec![];
    for &x in &op.operands {
        let ty = cx.ty(x)?;
        limit[axis] = start[axis].add(&ty.dims[axis])?;
        out.push(if cx.linear(x) { Some(slice(&mut cx.b, c, &start, &limit, &[], &ty)?) } else { None });
        start[axis] = limit[axis].clone();
    }
    Ok(out)
}

/// The written type differs from the operand's along `axis` only, and there by `op`.
fn infer_prefix(cx: &mut InferCx, op: CmpOp) -> Result<Vec<Type>> {
    let (t, x) = (written(cx)?, cx.ty(0)?);
    let axis = cx.axis("axis", x.rank())?;
    if t.rank() != x.rank() {
        return Err(Error::new(
            Code::E0205,
            format!("`{}` keeps the rank: written {}, operand {}", cx.def().name, cx.show(&t), cx.show(&x)),
        )
        .at(Part::Result(0)));
    }
    for (i, (a, b)) in t.dims.iter().zip(x.dims.iter()).enumerate() {
        if i == axis {
            cx.demand(a, op, b, Part::Result(0), &format!("axis {i} of the result and of the operand"))?;
        } else {
            cx.equal(a, b, Part::Result(0), || format!("axis {i} of the result and of the operand"))?;
        }
    }
    Ok(vec![t])
}
fn tr_prefix(
    cx: &mut Transposer,
    o: OpId,
    ct: &[Option<ValueId>],
    back: &'static OpDef,
) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let (attrs, ty) = (cx.attrs(&op.attrs)?, cx.ty(op.operands[0])?);
    Ok(vec![Some(cx.b.emit1(NewOp::new(back, &[cotangent(ct)?]).attrs(attrs).types(vec![ty]))?)])
}
fn simplify_prefix(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let (Some(&x), Some(ty)) = (new.operands.first(), declared(new)) else { return Ok(None) };
    if b.func().ty(x) == ty {
        return Ok(Some(vec![x]));
    }
    match splat_tensor(b, x) {
        Some(t) => Ok(Some(vec![splat_const(b, t, ty)?])),
        None => Ok(None),
    }
}

fn extents(v: &[i64]) -> Attr {
    Attr::extents(v.iter().map(|&i| Extent::exact(i)).collect::<Vec<_>>())
}
fn sample_slice(cx: &SampleCx) -> Result<Vec<Sample>> {
    type Case = (&'static [usize], &'static [i64], &'static [i64], &'static [usize]);
    let cases: &[Case] = &[
        (&[], &[], &[], &[]),
        (&[5], &[1], &[4], &[1]),
        (&[7], &[1], &[7], &[3]),
        (&[6], &[0], &[5], &[2]),
        (&[3], &[2], &[2], &[2]),
        (&[3, 4], &[0, 1], &[3, 3], &[1, 1]),
        (&[1, 4, 2], &[0, 0, 1], &[1, 4, 2], &[1, 3, 1]),
        (&[3, 2, 4, 2], &[1, 0, 0, 0], &[3, 2, 4, 1], &[1, 1, 2, 1]),
    ];
    cases
        .iter()
        .map(|(shape, start, limit, stride)| {
            let attrs =
                Attrs::of([("start", extents(start)), ("limit", extents(limit)), ("stride", Attr::ints(stride))]);
            cx.op(&[(cx.ty(shape), Domain::Any)], attrs, None)
        })
        .collect()
}
fn sample_pad(cx: &SampleCx) -> Result<Vec<Sample>> {
    type Case = (&'static [usize], &'static [i64], &'static [i64], &'static [usize]);
    let cases: &[Case] = &[
        (&[], &[], &[], &[]),
        (&[3], &[1], &[2], &[0]),
        (&[3], &[0], &[1], &[2]),
        (&[4], &[-1], &[-2], &[0]),
        (&[3], &[-1], &[2], &[1]),
        (&[0], &[2], &[1], &[3]),
        (&[2, 3], &[1, -1], &[0, 2], &[1, 0]),
        (&[1, 2, 1, 3], &[0, 1, 0, -1], &[1, 0, 0, 0], &[0, 1, 2, 0]),
    ];
    cases
        .iter()
        .map(|(shape, low, high, interior)| {
            let attrs = Attrs::of([("low", extents(low)), ("high", extents(high)), ("interior", Attr::ints(interior))]);
            cx.op(&[(cx.ty(shape), Domain::Any), (cx.ty(&[]), Domain::Any)], attrs, None)
        })
        .collect()
}
fn sample_concat(cx: &SampleCx) -> Result<Vec<Sample>> {
    type Case = (&'static [&'static [usize]], i64);
    let cases: &[Case] = &[
        (&[&[2]], 0),
        (&[&[2], &[3], &[0], &[1]], 0),
        (&[&[2, 3], &[1, 3]], 0),
        (&[&[2, 3], &[2, 1]], 1),
        (&[&[2, 1, 2, 2], &[2, 1, 1, 2], &[2, 1, 3, 2]], 2),
    ];
    cases
        .iter()
        .map(|(shapes, axis)| {
            let params: Vec<_> = shapes.iter().map(|s| (cx.ty(s), Domain::Any)).collect();
            cx.op(&params, Attrs::of([("axis", Attr::Int(*axis))]), None)
        })
        .collect()
}
fn sample_prefix(cx: &SampleCx, back: bool) -> Result<Vec<Sample>> {
    let cases: &[(&[usize], &[usize], i64)] =
        &[(&[5], &[3], 0), (&[2, 4], &[2, 0], 1), (&[3, 1], &[3, 1], 1), (&[2, 3, 4, 1], &[2, 1, 4, 1], 1)];
    cases
        .iter()
        .map(|(long, short, axis)| {
            let (from, to) = if back { (short, long) } else { (long, short) };
            cx.op(&[(cx.ty(from), Domain::Any)], Attrs::of([("axis", Attr::Int(*axis))]), Some(cx.ty(to)))
        })
        .collect()
}
