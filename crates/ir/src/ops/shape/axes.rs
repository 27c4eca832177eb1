//! `reshape`, `transpose`, `broadcast_in_dim`.
use super::*;
use crate::batch::shifted;
use crate::code::Code;
use crate::ops::constant::IOTA;
use crate::ops::elementwise::ADD;
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::inverse;

/// `reshape`.
pub static RESHAPE: OpDef = OpDef {
    name: "reshape",
    doc: "The same elements in the same linear order, in the shape of the written type. The order is logical order, last \
          axis fastest, as in NumPy; `order = first` takes the first axis fastest (Fortran order), which costs nothing \
          on column-major data. The numbers of elements must be equal; where that is not certain it is checked at run time.",
    operands: &["x"],
    slots: &[Slot::with_default("order", SlotKind::Word(&["last", "first"]), SlotDefault::Word("last"))],
    needs_type: true,
    infer: infer_reshape,
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| {
        let op = cx.op(o);
        let (attrs, ty) = (cx.attrs(&op.attrs)?, cx.ty(op.operands[0])?);
        let c = cotangent(ct)?;
        Ok(vec![Some(cx.b.emit1(NewOp::new(&RESHAPE, &[c]).attrs(attrs).types(vec![ty]))?)])
    }),
    movement: Movement {
        places: Places::Reshaped,
        element: Some(|f, op, index| {
            let (x, y) = (f.ty(*op.operands.first()?).exact_shape()?, f.ty(*op.results.first()?).exact_shape()?);
            let first = op.attrs.word("order") == Some("first");
            let inwards = |n: usize| (0..n).map(move |i| if first { n - 1 - i } else { i });
            let at = inwards(y.len()).fold(0, |at, a| at * y[a] + index[a]);
            let (mut rest, mut from) = (at, vec![0; x.len()]);
            for a in inwards(x.len()).rev() {
                from[a] = rest % x[a].max(1);
                rest /= x[a].max(1);
            }
            Some((0, from))
        }),
        ..Movement::NONE
    },
    batch: Batch::Rule(batch_reshape),
    simplify: Some(simplify_reshape),
    sample: sample_reshape,
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `transpose`.
pub static TRANSPOSE: OpDef = OpDef {
    name: "transpose",
    doc: "Permutes axes: axis `i` of the result is axis `perm[i]` of the operand.",
    operands: &["x"],
    slots: &[Slot::required("perm", SlotKind::Ints)],
    infer: |cx| {
        let x = cx.ty(0)?;
        let perm = cx.axes("perm", x.rank())?;
        if perm.len() != x.rank() {
            return Err(wrong_length("perm", perm.len(), x.rank()));
        }
        Ok(vec![permuted(&x, &perm)])
    },
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| {
        let perm = inverse(&cx.op(o).attrs.indices("perm"));
        let c = cotangent(ct)?;
        Ok(vec![Some(cx.b.transpose(c, &perm)?)])
    }),
    movement: Movement {
        places: Places::Axes(|f, op, _| {
            let perm = op.attrs.indices("perm");
            let rank = f.ty(op.operands[0]).rank();
            (0..rank).map(|a| perm.iter().position(|&p| p == a).map(Kept::at)).collect()
        }),
        element: Some(|_, op, index| {
            let mut from = vec![0; index.len()];
            op.attrs.indices("perm").iter().zip(index).for_each(|(&p, &at)| from[p] = at);
            Some((0, from))
        }),
        ..Movement::NONE
    },
    batch: Batch::Rule(batch_transpose),
    simplify: Some(simplify_transpose),
    sample: |cx| {
        let cases: &[(&[usize], &[usize])] = &[
            (&[], &[]),
            (&[3], &[0]),
            (&[2, 3], &[1, 0]),
            (&[2, 1, 3], &[2, 0, 1]),
            (&[2, 0], &[1, 0]),
            (&[2, 3, 1, 2], &[3, 1, 0, 2]),
        ];
        cases.iter().map(|(s, p)| cx.op(&[(cx.ty(s), Domain::Any)], ints("perm", p), None)).collect()
    },
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `broadcast_in_dim`.
pub static BROADCAST_IN_DIM: OpDef = OpDef {
    name: "broadcast_in_dim",
    loops: Loops::Repeat,
    doc: "Repeats the operand along new axes: its axis `i` becomes axis `dims[i]` of the written type, every other axis is \
          new. An axis of the operand whose extent is the literal 1 is repeated as well; any other keeps its extent. \
          `dims` names different axes, in any order.",
    operands: &["x"],
    slots: &[Slot::required("dims", SlotKind::Ints)],
    needs_type: true,
    infer: infer_broadcast,
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(tr_broadcast),
    movement: Movement {
        element: Some(|f, op, index| {
            let (dims, x) = (op.attrs.indices("dims"), f.ty(*op.operands.first()?).exact_shape()?);
            Some((0, dims.iter().zip(&x).map(|(&d, &n)| if n == 1 { 0 } else { index[d] }).collect()))
        }),
        ..Movement::NONE
    },
    batch: Batch::Rule(batch_broadcast),
    simplify: Some(simplify_broadcast),
    sample: sample_broadcast,
    small: OnSmall::Kept,
    ..OpDef::BASE
};

fn permuted(x: &Type, perm: &[usize]) -> Type {
    x.with_dims(perm.iter().filter_map(|&p| x.dims.get(p).cloned()).collect::<Vec<_>>())
}
fn count(dims: &[Extent]) -> Result<Extent> {
    dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))
}
fn infer_reshape(cx: &mut InferCx) -> Result<Vec<Type>> {
    let (t, x) = (written(cx)?, cx.ty(0)?);
    let (have, want) = (count(&x.dims)?, count(&t.dims).map_err(|e| e.at(Part::Result(0)))?);
    cx.equal(&have, &want, Part::Result(0), || "number of elements of the operand and of the written type".into())
        .map_err(|e| match e.data().code {
            Code::E0204 => e.help("the extents of the result must multiply to the number of elements of the operand"),
            _ => e,
        })?;
    Ok(vec![t])
}
/// Without literal ones: both orders agree on what such axes do.
fn proper(t: &Type) -> Vec<&Extent> {
    t.dims.iter().filter(|d| d.as_exact() != Some(1)).collect()
}
fn simplify_reshape(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let (Some(&x), Some(ty)) = (new.operands.first(), declared(new)) else { return Ok(None) };
    if b.func().ty(x) == ty {
        return Ok(Some(vec![x]));
    }
    if let Some(t) = splat_tensor(b, x) {
        return Ok(Some(vec![splat_const(b, t, ty)?]));
    }
    if b.func().def_op(x).is_some_and(|op| op.def.is(&IOTA)) {
        return Ok(numbered(b, x, new)?.map(|y| vec![y]));
    }
    let Some(op) = b.func().def_op(x).filter(|op| op.def.is(&RESHAPE) && op.guards.is_empty()) else { return Ok(None) };
    let Some(&source) = op.operands.first() else { return Ok(None) };
    let written = |a: &Attrs| a.word("order") == Some("first");
    let (inner, outer, mid) = (written(&op.attrs), written(&new.attrs), b.func().ty(x));
    let first = if inner == outer || proper(mid) == proper(b.func().ty(source)) {
        outer
    } else if proper(mid) == proper(ty) {
        inner
    } else {
        return Ok(None);
    };
    if b.func().ty(source) == ty {
        return Ok(Some(vec![source]));
    }
    let order = Attr::word(if first { "first" } else { "last" });
    Ok(Some(vec![b.emit1(NewOp::new(&RESHAPE, &[source]).attr("order", order).types(vec![ty.clone()]))?]))
}
/// Fewest elements of an array of numbers that is not kept, and of those that stand still while others pass.
const NUMBERED: usize = 4096;
const NUMBERS: usize = 64;
/// The numbers from 0 on as an array: numbers along its fastest axes, and multiples along each of the others, added. So none of as many
/// elements is read, and none that lies in another order than what it meets.
fn numbered(b: &mut Builder, line: ValueId, new: &NewOp) -> Result<Option<ValueId>> {
    let (Some(ty), of) = (declared(new), b.func().ty(line).clone()) else { return Ok(None) };
    let Some(shape) = ty.exact_shape().filter(|s| of.rank() == 1 && of.dtype.is_int() && s.len() > 1) else {
        return Ok(None);
    };
    let many = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).is_some_and(|n| n >= NUMBERED);
    let order = new.attrs.word("order").unwrap_or("last");
    // The fastest axes first, as many as make a long line.
    let fast: Vec<usize> = if order == "last" { (0..shape.len()).rev().collect() } else { (0..shape.len()).collect() };
    let (mut step, mut taken) = (1usize, 0);
    while many && step < NUMBERS && taken < fast.len() {
        step *= shape[fast[taken]];
        taken += 1;
    }
    let others = &fast[taken..];
    if !many || step >= NUMBERED || others.iter().all(|&a| shape[a] < 2) || others.iter().any(|&a| shape[a] >= NUMBERED)
    {
        return Ok(None);
    }
    let mut numbers = |n: usize, step: usize, axes: &[usize]| -> Result<ValueId> {
        let (mut axes, all) = (axes.to_vec(), (0..n).map(|i| (i * step) as i128));
        axes.sort_unstable();
        let mut v = b.constant(Tensor::from_ints(of.dtype, &[n], all)?)?;
        if axes.len() > 1 {
            let to = Type::exact(of.dtype, &axes.iter().map(|&a| shape[a]).collect::<Vec<_>>());
            v = b.emit1(NewOp::new(&RESHAPE, &[v]).attr("order", Attr::word(order)).types(vec![to]))?;
        }
        b.emit1(NewOp::new(&BROADCAST_IN_DIM, &[v]).attr("dims", Attr::ints(&axes)).types(vec![ty.clone()]))
    };
    let mut all = vec![numbers(step, 1, &fast[..taken])?];
    for &a in others {
        all.push(numbers(shape[a], step, &[a])?);
        step *= shape[a];
    }
    // What stands still longest is added first.
    let mut sum: Option<ValueId> = None;
    for v in all.into_iter().rev() {
        sum = Some(match sum {
            Some(s) => b.emit1(NewOp::new(&ADD, &[s, v]))?,
            None => v,
        });
    }
    Ok(sum)
}
fn simplify_transpose(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let Some(&x) = new.operands.first() else { return Ok(None) };
    let perm = new.attrs.indices("perm");
    if perm.iter().enumerate().all(|(i, &p)| i == p) {
        return Ok(unchanged(b, new));
    }
    if let Some(t) = splat_tensor(b, x) {
        let ty = permuted(b.func().ty(x), &perm);
        return Ok(Some(vec![splat_const(b, t, declared(new).unwrap_or(&ty))?]));
    }
    let Some(op) = b.func().def_op(x).filter(|op| op.def.is(&TRANSPOSE)) else { return Ok(None) };
    let (Some(&source), first) = (op.operands.first(), op.attrs.indices("perm")) else { return Ok(None) };
    let both: Vec<usize> = perm.iter().filter_map(|&p| first.get(p).copied()).collect();
    if declared(new).is_some_and(|t| *t != permuted(b.func().ty(source), &both)) {
        return Ok(None);
    }
    Ok(Some(vec![b.transpose(source, &both)?]))
}
fn infer_broadcast(cx: &mut InferCx) -> Result<Vec<Type>> {
    let (t, x) = (written(cx)?, cx.ty(0)?);
    let dims = cx.axes("dims", t.rank())?;
    if dims.len() != x.rank() {
        return Err(wrong_length("dims", dims.len(), x.rank()));
    }
    for (i, &d) in dims.iter().enumerate() {
        if x.dims[i].as_exact() != Some(1) {
            cx.equal(&x.dims[i], &t.dims[d], Part::Result(0), || {
                format!("axis {i} of the operand and axis {d} of the result")
            })
            .map_err(|e| match e.data().code {
                Code::E0204 => e.help("only an axis of extent 1 is repeated"),
                _ => e,
            })?;
        }
    }
    Ok(vec![t])
}
fn tr_broadcast(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let (x, y) = (cx.ty(op.operands[0])?, cx.ty(op.results[0])?);
    let dims = op.attrs.indices("dims");
    let one = Some(1);
    // Operand axes that are not repeated, and where they are in the result.
    let same: Vec<usize> =
        (0..x.rank()).filter(|&i| x.dims[i].as_exact() != one || y.dims[dims[i]].as_exact() == one).collect();
    let mut at: Vec<usize> = same.iter().map(|&i| dims[i]).collect();
    let places = at.clone();
    at.sort_unstable();
    let summed: Vec<usize> = (0..y.rank()).filter(|d| !at.contains(d)).collect();
    let s = cx.b.reduce_sum(cotangent(ct)?, &summed)?;
    let perm: Vec<usize> = places.iter().filter_map(|d| at.iter().position(|e| e == d)).collect();
    let p = cx.b.transpose(s, &perm)?;
    Ok(vec![Some(cx.b.broadcast(p, &x, &same)?)])
}
fn simplify_broadcast(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let (Some(&x), Some(ty)) = (new.operands.first(), declared(new)) else { return Ok(None) };
    let dims = new.attrs.indices("dims");
    if b.func().ty(x) == ty && dims.iter().enumerate().all(|(i, &d)| i == d) {
        return Ok(Some(vec![x]));
    }
    if let Some(t) = splat_tensor(b, x) {
        return Ok(Some(vec![splat_const(b, t, ty)?]));
    }
    let Some(op) = b.func().def_op(x).filter(|op| op.def.is(&BROADCAST_IN_DIM)) else { return Ok(None) };
    let (Some(&source), first) = (op.operands.first(), op.attrs.indices("dims")) else { return Ok(None) };
    let (s, mid) = (b.func().ty(source), b.func().ty(x));
    let exactly = |(i, &d): (usize, &usize)| s.dims[i] == mid.dims[d] || s.dims[i].as_exact() == Some(1);
    if !first.iter().enumerate().all(exactly) {
        return Ok(None);
    }
    let both: Vec<usize> = first.iter().filter_map(|&d| dims.get(d).copied()).collect();
    let ty = ty.clone();
    Ok(Some(vec![b.broadcast(source, &ty, &both)?]))
}

/// The index runs outside of all axes: in logical order it is the first, by `order = first` the last.
fn batch_reshape(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let attrs = cx.attrs(&cx.op(o).attrs)?;
    let first = attrs.word("order") == Some("first");
    let x = if first { cx.last(xs[0])? } else { cx.at(xs[0], 0)? };
    cx.again(o, &[x], attrs, |t| if first { t.rank() } else { 0 })
}
/// The batch axis stays where it is.
fn batch_transpose(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let Batched { value, axis } = xs[0];
    let axis = axis.unwrap_or(0);
    let mut perm: Vec<usize> = cx.op(o).attrs.indices("perm").into_iter().map(|p| shifted(p, axis)).collect();
    perm.insert(axis, axis);
    cx.again(o, &[value], ints("perm", &perm), |_| axis)
}
/// The batch axis becomes the last.
fn batch_broadcast(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let (Batched { value, axis }, mut dims) = (xs[0], op.attrs.indices("dims"));
    dims.insert(axis.unwrap_or(0), cx.src.ty(op.results[0]).rank());
    cx.again(o, &[value], ints("dims", &dims), Type::rank)
}

fn sample_reshape(cx: &SampleCx) -> Result<Vec<Sample>> {
    let cases: &[(&[usize], &[usize])] = &[
        (&[], &[1, 1]),
        (&[1], &[]),
        (&[2, 3], &[3, 2]),
        (&[2, 3], &[6]),
        (&[2, 0], &[0, 5]),
        (&[2, 3, 2], &[4, 3]),
        (&[2, 1, 3, 2], &[3, 1, 4]),
    ];
    let mut out = vec![];
    for (from, to) in cases {
        for order in ["last", "first"] {
            let attrs = Attrs::of([("order", Attr::word(order))]);
            out.push(cx.op(&[(cx.ty(from), Domain::Any)], attrs, Some(cx.ty(to)))?);
        }
    }
    Ok(out)
}
fn sample_broadcast(cx: &SampleCx) -> Result<Vec<Sample>> {
    let cases: &[(&[usize], &[usize], &[usize])] = &[
        (&[], &[], &[]),
        (&[], &[2, 3], &[]),
        (&[3], &[2, 3], &[1]),
        (&[2], &[2, 3], &[0]),
        (&[1, 3], &[2, 3], &[0, 1]),
        (&[3, 2], &[2, 4, 3], &[2, 0]),
        (&[1, 2, 1], &[3, 2, 1], &[2, 1, 0]),
        (&[0], &[2, 0], &[1]),
        (&[2], &[0, 2], &[1]),
        (&[2, 1, 3], &[2, 3, 4, 2], &[0, 3, 1]),
    ];
    cases
        .iter()
        .map(|(from, to, dims)| cx.op(&[(cx.ty(from), Domain::Any)], ints("dims", dims), Some(cx.ty(to))))
        .collect()
}
