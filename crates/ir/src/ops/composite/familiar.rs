//! Ops under the names that NumPy has for them: `matmul`, `stack`, `roll`, `linspace`, `argsort`, `log2`, `log10`, and
//! `scatter_add`, which is `x.at[i].add(u)` in JAX.
use super::COMPOSITE;
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::Extent;
use crate::func::ValueId;
use crate::infer::InferCx;
use crate::op::*;
use crate::ops::constant::IOTA;
use crate::ops::contract::DotDims;
use crate::ops::index::{IndexDims, scatter};
use crate::ops::order::SORT;
use crate::ops::shape::{CONCAT, SLICE};
use crate::sample::Domain;
use crate::types::Type;

/// `matmul`.
pub static MATMUL: OpDef = OpDef {
    name: "matmul",
    since: (1, 1),
    doc: "The product of matrices, as NumPy's `@`: `[m, k]` and `[k, n]` give `[m, n]`. An operand with one axis is a vector, and the \
          result lacks the axis that it lacks. Axes before the last two are those of a batch: both operands have the same ones, \
          or one of them has none and is shared. (The batch axes of `linalg` and `einsum` trail.)",
    operands: &["a", "b"],
    alike: (0, 2),
    infer: infer_matmul,
    expand: Expand::Composite(|b, op| {
        let (x, y) = (op.operands[0], op.operands[1]);
        let dims = matmul_dims(b.ty(x).rank(), b.ty(y).rank())?;
        Ok(vec![b.dot(x, y, &dims)?])
    }),
    sample: |cx| {
        let cases: &[[&[usize]; 2]] = &[
            [&[2, 3], &[3, 4]],
            [&[2, 3], &[3]],
            [&[3], &[3, 2]],
            [&[3], &[3]],
            [&[2, 2, 3], &[2, 3, 1]],
            [&[2, 3], &[2, 3, 2]],
            [&[2, 1, 2, 3], &[3, 2]],
            [&[2, 2, 3], &[3]],
            [&[3], &[2, 3, 2]],
            [&[2, 0], &[0, 2]],
        ];
        if cx.dtype == DType::Bool {
            return Ok(vec![]);
        }
        let two =
            |[a, b]: &[&[usize]; 2]| cx.op(&[(cx.ty(a), Domain::Any), (cx.ty(b), Domain::Any)], Attrs::none(), None);
        cases.iter().map(two).collect()
    },
    ..COMPOSITE
};
/// `stack`.
pub static STACK: OpDef = OpDef {
    name: "stack",
    since: (1, 1),
    doc: "Joins tensors of one type along a new axis `axis` (0 unless given).",
    operands: &["x", "y…"],
    alike: (0, usize::MAX),
    slots: &[Slot::with_default("axis", SlotKind::Int, SlotDefault::Int(0))],
    infer: |cx| {
        for i in 1..cx.len() {
            cx.same_operands(0, i)?;
        }
        let x = cx.ty(0)?;
        let axis = cx.axis("axis", x.rank() + 1)?;
        Ok(vec![x.with_axis(axis, Extent::exact(cx.len() as i64))])
    },
    expand: Expand::Composite(|b, op| {
        let axis = op.attrs.int("axis") as usize;
        let one = |&x: &ValueId| {
            let ty = b.ty(x).with_axis(axis, Extent::exact(1));
            b.reshape(x, &ty)
        };
        let parts = op.operands.iter().map(one).collect::<Result<Vec<_>>>()?;
        Ok(vec![b.emit1(NewOp::new(&CONCAT, &parts).attr("axis", Attr::Int(axis as i64)))?])
    }),
    sample: |cx| {
        let cases: &[(&[usize], usize, i64)] =
            &[(&[], 3, 0), (&[2], 1, 0), (&[2, 3], 2, 0), (&[2, 3], 3, 1), (&[2, 3], 2, 2)];
        let one = |(s, n, axis): &(&[usize], usize, i64)| {
            cx.op(&vec![(cx.ty(s), Domain::Any); *n], Attrs::of([("axis", Attr::Int(*axis))]), None)
        };
        cases.iter().map(one).collect()
    },
    small: OnSmall::Kept,
    ..COMPOSITE
};
/// `roll`.
pub static ROLL: OpDef = OpDef {
    name: "roll",
    since: (1, 1),
    doc: "Moves every element `shift` places up along `axis`, round its end: element `i` becomes element `i + shift` modulo the \
          extent. A negative `shift` moves down.",
    slots: &[Slot::required("shift", SlotKind::Int), Slot::required("axis", SlotKind::Int)],
    infer: |cx| {
        let x = cx.ty(0)?;
        cx.axis("axis", x.rank())?;
        Ok(vec![x])
    },
    expand: Expand::Composite(expand_roll),
    sample: |cx| {
        let cases: &[(&[usize], i64, i64)] = &[
            (&[4], 1, 0),
            (&[4], -1, 0),
            (&[3], 7, 0),
            (&[3], 0, 0),
            (&[2, 3], -5, 1),
            (&[3, 2], 2, 0),
            (&[0, 2], 1, 0),
        ];
        let one = |(s, shift, axis): &(&[usize], i64, i64)| {
            let attrs = Attrs::of([("shift", Attr::Int(*shift)), ("axis", Attr::Int(*axis))]);
            cx.op(&[(cx.ty(s), Domain::Any)], attrs, None)
        };
        cases.iter().map(one).collect()
    },
    small: OnSmall::Kept,
    ..COMPOSITE
};
/// `linspace`.
pub static LINSPACE: OpDef = OpDef {
    name: "linspace",
    since: (1, 1),
    doc: "Evenly spaced numbers from `start` to `stop`, which is the last of them, or, with `endpoint = false`, would be the next \
          one. The written type has one axis and says how many there are: `%x: f64[101] = linspace(0, 1)`. Of one number it is \
          `start`.",
    operands: &["start", "stop"],
    alike: (0, 2),
    slots: &[Slot::with_default("endpoint", SlotKind::Bool, SlotDefault::Bool(true))],
    needs_type: true,
    infer: |cx| {
        let ty = cx.declared()?;
        if ty.rank() != 1 || !ty.dtype.is_float() {
            let text = format!("`linspace` gives real floating numbers along one axis, not {}", cx.show(&ty));
            return Err(Error::new(Code::E0206, text).at(Part::Result(0)).help("write `%x: f64[n] = linspace(…)`"));
        }
        for i in 0..2 {
            cx.agree(&Type::scalar(ty.dtype), &cx.ty(i)?, Part::Operand(i), "an end and the result, without its axis")?;
        }
        Ok(vec![ty])
    },
    expand: Expand::Composite(expand_linspace),
    sample: |cx| {
        if !cx.dtype.is_float() {
            return Ok(vec![]);
        }
        let end = (cx.ty(&[]), Domain::Any);
        let mut all = vec![];
        for n in [0, 1, 2, 5] {
            for endpoint in [true, false] {
                all.push(cx.op(
                    &[end.clone(), end.clone()],
                    Attrs::of([("endpoint", Attr::Bool(endpoint))]),
                    Some(cx.ty(&[n])),
                )?);
            }
        }
        Ok(all)
    },
    ..COMPOSITE
};
/// `argsort`.
pub static ARGSORT: OpDef = OpDef {
    name: "argsort",
    since: (1, 1),
    doc: "The indices, as `i64`, that sort `x` along `axis` (the last unless given), ascending, or, with `descending = true`, from \
          the greatest on. Equal elements keep their order. NaN is greater than any number.",
    slots: &[
        Slot::optional("axis", SlotKind::Int),
        Slot::with_default("descending", SlotKind::Bool, SlotDefault::Bool(false)),
    ],
    infer: |cx| {
        cx.want_dtype(0, |d| !d.is_complex(), "elements that have an order")
            .map_err(|e| e.help("complex numbers have none: take `abs` or `real`"))?;
        let x = cx.ty(0)?;
        if x.rank() == 0 {
            return Err(Error::new(Code::E0205, "`argsort` needs an axis, a scalar has none").operand(0));
        }
        if cx.attrs().get("axis").is_some() && cx.axis("axis", x.rank())? + 1 == x.rank() {
            cx.remove_attr("axis");
        }
        Ok(vec![x.with_dtype(DType::I64)])
    },
    linearize: Linearize::Zero,
    expand: Expand::Composite(expand_argsort),
    sample: |cx| {
        if cx.dtype.is_complex() {
            return Ok(vec![]);
        }
        let cases: &[(&[usize], Option<i64>, bool)] = &[
            (&[5], None, false),
            (&[5], None, true),
            (&[3, 4], Some(0), false),
            (&[3, 4], Some(0), true),
            (&[2, 3], None, true),
            (&[2, 0], None, true),
        ];
        let one = |(s, axis, descending): &(&[usize], Option<i64>, bool)| {
            let mut attrs = Attrs::of([("descending", Attr::Bool(*descending))]);
            axis.iter().for_each(|a| attrs.set("axis", Attr::Int(*a)));
            cx.op(&[(cx.ty(s), Domain::Any)], attrs, None)
        };
        cases.iter().map(one).collect()
    },
    ..COMPOSITE
};
/// `log2`.
pub static LOG2: OpDef = OpDef {
    name: "log2",
    doc: "`log(x) / log(2)`, rounded at both steps.",
    expand: Expand::Composite(|b, op| by_base(b, op, std::f64::consts::LN_2)),
    ..LOGARITHM
};
/// `log10`.
pub static LOG10: OpDef = OpDef {
    name: "log10",
    doc: "`log(x) / log(10)`, rounded at both steps.",
    expand: Expand::Composite(|b, op| by_base(b, op, std::f64::consts::LN_10)),
    ..LOGARITHM
};
const LOGARITHM: OpDef = OpDef {
    since: (1, 1),
    infer: |cx| {
        cx.want_dtype(0, DType::is_inexact, "floating or complex numbers").map_err(|e| e.help("insert `convert`"))?;
        Ok(vec![cx.ty(0)?])
    },
    sample: |cx| {
        if !cx.dtype.is_inexact() {
            return Ok(vec![]);
        }
        let from = if cx.dtype.is_complex() { Domain::Any } else { Domain::Range(0.3, 3.0) };
        let shapes: &[&[usize]] = &[&[], &[2, 3], &[0, 2]];
        shapes.iter().map(|s| cx.op(&[(cx.ty(s), from)], Attrs::none(), None)).collect()
    },
    ..COMPOSITE
};
/// `scatter_add`.
pub static SCATTER_ADD: OpDef = OpDef {
    name: "scatter_add",
    since: (1, 1),
    doc: "`x` with `u` added at the indices `i` along `axis`: what `take` reads is added to, where an index occurs more than once \
          as often. The axes of `u` are those of `x`, with the axes of `i` in the place of `axis`. An index outside is dropped. \
          It is the transpose of `take`.",
    operands: &["x", "i", "u"],
    slots: &[Slot::required("axis", SlotKind::Int)],
    infer: |cx| {
        cx.want_dtype(0, |d| d != DType::Bool, "numbers")?;
        cx.want_dtype(1, DType::is_index, "integer indices of 32 or 64 bits")
            .map_err(|e| e.help("insert `convert`"))?;
        let (x, i, u) = (cx.ty(0)?, cx.ty(1)?, cx.ty(2)?);
        let axis = cx.axis("axis", x.rank())?;
        let want = x.with_dims([&x.dims[..axis], &i.dims, &x.dims[axis + 1..]].concat());
        cx.agree(&want, &u, Part::Operand(2), "what is added, and `x` with the axes of `i`")?;
        Ok(vec![x])
    },
    expand: Expand::Composite(|b, op| {
        let (x, i, u, axis) = (op.operands[0], op.operands[1], op.operands[2], op.attrs.int("axis") as usize);
        let vector = b.ty(i).rank();
        let dims = IndexDims {
            window: (0..axis).chain(axis + vector..b.ty(u).rank()).collect(),
            collapsed: vec![axis],
            batch: vec![],
            index_batch: vec![],
            map: vec![axis],
            vector,
        };
        Ok(vec![scatter(b, [x, i, u], &dims, "add", false)?])
    }),
    sample: |cx| {
        if cx.dtype == DType::Bool {
            return Ok(vec![]);
        }
        let cases: &[(&[usize], &[usize], &[usize], i64)] = &[
            (&[4], &[], &[], 0),
            (&[4], &[5], &[5], 0),
            (&[3, 2], &[2, 2], &[2, 2, 2], 0),
            (&[2, 3, 2], &[4], &[2, 4, 2], 1),
            (&[2, 3], &[0], &[2, 0], 1),
        ];
        let one = |(x, i, u, axis): &(&[usize], &[usize], &[usize], i64)| {
            let index = (Type::exact(DType::I64, i), Domain::Ints(-2, 4));
            let attrs = Attrs::of([("axis", Attr::Int(*axis))]);
            cx.op(&[(cx.ty(x), Domain::Any), index, (cx.ty(u), Domain::Any)], attrs, None)
        };
        cases.iter().map(one).collect()
    },
    ..COMPOSITE
};
/// The dimension numbers of `matmul` of operands of these ranks.
///
/// # Errors
/// `E0205` for scalars, and for batches of another number of axes.
pub fn matmul_dims(a: usize, b: usize) -> Result<DotDims> {
    let before = a.max(b).saturating_sub(2);
    let both = a > 2 && b > 2;
    if a == 0 || b == 0 || (both && a != b) {
        let text = format!("there is no `matmul` of operands with {a} and {b} axes");
        let help =
            "matrices are the last two axes, a vector has one; both have the axes before them, or one of them has none";
        return Err(Error::new(Code::E0205, text).help(help));
    }
    let pairs: Vec<usize> = if both { (0..before).collect() } else { vec![] };
    let contract = [vec![a - 1], vec![b.saturating_sub(2)]];
    // Products list what is left of the left operand, of the right one, then the pairs.
    let out = match () {
        () if both => Some((2..2 + before).chain([0, 1]).collect()),
        () if a == 2 && b > 2 => Some((1..=before).chain([0, before + 1]).collect()),
        () => None,
    };
    Ok(DotDims { contract, batch: [pairs.clone(), pairs], out, ..DotDims::default() })
}
fn infer_matmul(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_dtype(0, |d| d != DType::Bool, "numbers")?;
    let types = [cx.ty(0)?, cx.ty(1)?];
    let dims = matmul_dims(types[0].rank(), types[1].rank())?;
    let scalars = [types[0].with_dims(vec![]), types[1].with_dims(vec![])];
    cx.agree(&scalars[0], &scalars[1], Part::Operand(1), "elements of operands 0 and 1")?;
    for (what, lists) in [("contracted", &dims.contract), ("batch", &dims.batch)] {
        for (&i, &j) in lists[0].iter().zip(&lists[1]) {
            let text = || format!("{what} axes {i} of operand 0 and {j} of operand 1");
            cx.equal(&types[0].dims[i], &types[1].dims[j], Part::Operand(1), text)?;
        }
    }
    let axes = dims.axes([types[0].rank(), types[1].rank()]);
    Ok(vec![types[0].with_dims(axes.into_iter().map(|(k, a)| types[k].dims[a].clone()).collect::<Vec<_>>())])
}
/// The last `shift` elements, then the others.
fn expand_roll(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let (x, axis) = (op.operands[0], op.attrs.int("axis") as usize);
    let ty = b.ty(x);
    let n = &ty.dims[axis];
    let shift = Extent::exact(op.attrs.int("shift")).modulo(&n.max(&Extent::exact(1))?)?;
    if shift.as_exact() == Some(0) {
        return Ok(vec![x]);
    }
    let split = n.sub(&shift)?;
    let mut part = |from: Extent, to: Extent| {
        let (mut start, mut limit) = (vec![Extent::exact(0); ty.rank()], ty.dims.to_vec());
        (start[axis], limit[axis]) = (from, to);
        b.emit1(NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(start)).attr("limit", Attr::extents(limit)))
    };
    let last = part(split.clone(), n.clone())?;
    let first = part(Extent::exact(0), split)?;
    let both = NewOp::new(&CONCAT, &[last, first]).attr("axis", Attr::Int(axis as i64));
    Ok(vec![b.emit1(both.types(vec![ty]))?])
}
/// `start (1 - t) + stop t`, where `t` ends in 1, so that the ends are exact.
fn expand_linspace(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let Some([ty]) = op.declared.as_deref() else {
        return Err(Error::new(Code::E0207, "`linspace` needs its result type written"));
    };
    let n = &ty.dims[0];
    let steps =
        if op.attrs.get("endpoint") == Some(&Attr::Bool(false)) { n.clone() } else { n.sub(&Extent::exact(1))? };
    let steps = b.dim_value(Extent::max(&steps, &Extent::exact(1))?)?;
    let steps = b.convert(steps, ty.dtype)?;
    let steps = b.broadcast(steps, ty, &[])?;
    let i = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![ty.clone()]))?;
    let t = b.div(i, steps)?;
    let (start, stop) = (b.broadcast(op.operands[0], ty, &[])?, b.broadcast(op.operands[1], ty, &[])?);
    let one = b.splat(ty, 1.0)?;
    let rest = b.sub(one, t)?;
    let (from, to) = (b.mul(start, rest)?, b.mul(stop, t)?);
    Ok(vec![b.add(from, to)?])
}
/// Places sorted along with the elements; turned round before and after, where the greatest comes first, so that equal elements
/// keep their order.
fn expand_argsort(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let x = op.operands[0];
    let ty = b.ty(x);
    let last = ty.rank() - 1;
    let axis = if op.attrs.get("axis").is_some() { op.attrs.int("axis") as usize } else { last };
    let places = ty.with_dtype(DType::I64);
    let i = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis as i64)).types(vec![places]))?;
    let descending = op.attrs.flag("descending");
    let turned = |b: &mut Builder, v: ValueId| if descending { b.reverse(v, axis) } else { Ok(v) };
    let (x, i) = (turned(b, x)?, turned(b, i)?);
    let new = NewOp::new(&SORT, &[x, i]);
    let sorted = b.emit(if axis == last { new } else { new.attr("axis", Attr::Int(axis as i64)) })?;
    Ok(vec![turned(b, sorted[1])?])
}
fn by_base(b: &mut Builder, op: &NewOp, ln: f64) -> Result<Vec<ValueId>> {
    let log = b.log(op.operands[0])?;
    let base = b.like(log, ln)?;
    Ok(vec![b.div(log, base)?])
}
