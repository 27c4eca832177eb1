//! `dynamic_slice`, `dynamic_update_slice`: windows whose place is decided by values.
use super::*;
use crate::code::Code;
use crate::extent::CmpOp;
use crate::ops::index::{IndexDims, gather, scatter};
use crate::sample::{Domain, Sample, SampleCx};
use crate::{DType, types};

/// `dynamic_slice`.
pub static DYNAMIC_SLICE: OpDef = OpDef {
    name: "dynamic_slice",
    doc: "The window of extents `sizes` that starts at the integer scalars `i…`, one per axis. Starts are clamped, so that \
          the window lies inside.",
    operands: &["x", "i…"],
    slots: &[Slot::required("sizes", SlotKind::Extents)],
    infer: |cx| {
        let x = cx.ty(0)?;
        starts(cx, 1, x.rank())?;
        let sizes = extents_per_axis(cx, "sizes", x.rank())?;
        for (i, (s, n)) in sizes.iter().zip(x.dims.iter()).enumerate() {
            let what = format!("size along axis {i}");
            cx.demand(&Extent::exact(0), CmpOp::Le, s, Part::Attr("sizes"), &what)?;
            cx.demand(s, CmpOp::Le, n, Part::Attr("sizes"), &what)?;
        }
        Ok(vec![x.with_dims(sizes)])
    },
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(tr_dynamic_slice),
    movement: Movement {
        window: Window::Read,
        element: Some(|f, op, index| {
            let (x, y) = (f.ty(*op.operands.first()?), f.ty(*op.results.first()?));
            let start = known_starts(f, op.operands.get(1..)?, x, y)?;
            Some((0, index.iter().zip(start).map(|(i, s)| i + s).collect()))
        }),
        ..Movement::NONE
    },
    batch: Batch::Rule(|cx, o, xs| batch_window(cx, o, xs, 1)),
    simplify: Some(|b, new| {
        let (Some((&x, starts)), Some(to)) = (new.operands.split_first(), declared(new)) else { return Ok(None) };
        let from = b.func().ty(x);
        if *from.dims == *new.attrs.extents("sizes") {
            return Ok(unchanged(b, new));
        }
        let Some(start) = known_starts(b.func(), starts, from, to) else { return Ok(None) };
        let start: Vec<Extent> = start.into_iter().map(|s| Extent::exact(s as i64)).collect();
        let limit = start.iter().zip(to.dims.iter()).map(|(s, n)| s.add(n)).collect::<Result<Vec<_>>>()?;
        let slice = NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(start)).attr("limit", Attr::extents(limit));
        Ok(Some(vec![b.emit1(slice.types(vec![to.clone()]))?]))
    }),
    sample: sample_slice,
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `dynamic_update_slice`.
pub static DYNAMIC_UPDATE_SLICE: OpDef = OpDef {
    name: "dynamic_update_slice",
    doc: "`x` with the window that starts at the integer scalars `i…`, one per axis, replaced by `u`. Starts are clamped, so \
          that the window lies inside.",
    operands: &["x", "u", "i…"],
    alike: (0, 2),
    infer: |cx| {
        let (x, u) = (cx.ty(0)?, cx.ty(1)?);
        if x.dtype != u.dtype {
            return Err(Error::new(
                Code::E0202,
                format!("operands 0 and 1: dtypes differ: {} and {}", cx.show(&x), cx.show(&u)),
            )
            .operand(1)
            .help("nothing is promoted in the IR: insert `convert`"));
        }
        if x.rank() != u.rank() {
            return Err(Error::new(
                Code::E0205,
                format!("operands 0 and 1: ranks differ: {} and {}", cx.show(&x), cx.show(&u)),
            )
            .operand(1)
            .help("the window has as many axes as the operand: insert `reshape`"));
        }
        starts(cx, 2, x.rank())?;
        for (i, (s, n)) in u.dims.iter().zip(x.dims.iter()).enumerate() {
            cx.demand(s, CmpOp::Le, n, Part::Operand(1), &format!("window along axis {i}"))?;
        }
        Ok(vec![x])
    },
    linearize: Linearize::Rule(lin_jointly),
    transpose: Transpose::Rule(tr_update),
    movement: Movement {
        window: Window::Written,
        element: Some(|f, op, index| {
            let (x, u) = (f.ty(*op.operands.first()?), f.ty(*op.operands.get(1)?));
            let (start, shape) = (known_starts(f, op.operands.get(2..)?, x, u)?, u.exact_shape()?);
            let within = |((&i, &s), &n): ((&usize, &usize), &usize)| i.checked_sub(s).filter(|&i| i < n);
            match index.iter().zip(&start).zip(&shape).map(within).collect() {
                Some(inside) => Some((1, inside)),
                None => Some((0, index.to_vec())),
            }
        }),
        moved: Some(|f, op| {
            let (x, u) = (f.ty(*op.operands.first()?), f.ty(*op.operands.get(1)?));
            known_starts(f, op.operands.get(2..)?, x, u).map(Moved::Replaced)
        }),
        ..Movement::NONE
    },
    batch: Batch::Rule(|cx, o, xs| batch_window(cx, o, xs, 2)),
    sample: sample_update,
    small: OnSmall::Kept,
    ..OpDef::BASE
};

/// Where a window of type `window` starts in an operand of type `x`: by constants, clamped. `None` where a value or an extent that is
/// no number has a say.
fn known_starts(f: &Func, starts: &[ValueId], x: &Type, window: &Type) -> Option<Vec<usize>> {
    let most = x.exact_shape()?.into_iter().zip(window.exact_shape()?).map(|(n, size)| n.checked_sub(size));
    let one = |(&v, most): (&ValueId, Option<usize>)| {
        let op = f.def_op(v).filter(|op| op.def.is(&CONST))?;
        let start = *op.attrs.tensor("value")?.ints()?.first()?;
        Some(usize::try_from(start.max(0)).unwrap_or(usize::MAX).min(most?))
    };
    starts.iter().zip(most).map(one).collect()
}
/// Operands from `first` on are integer scalars, one per axis.
fn starts(cx: &InferCx, first: usize, rank: usize) -> Result<()> {
    if cx.len() != first + rank {
        let given = cx.len().saturating_sub(first);
        return Err(Error::new(
            Code::E0210,
            format!("`{}` takes one start per axis: {rank}, not {given}", cx.def().name),
        ));
    }
    (first..cx.len()).try_for_each(|i| cx.want_scalar(i, DType::is_index, "integer scalars of 32 or 64 bits"))
}
/// The first `tensors` operands have the batch axis at one place, where the window is all of it. Starts that differ from index to
/// index are those of a `gather` or a `scatter`.
fn batch_window(cx: &mut Batcher, o: OpId, xs: &[Batched], tensors: usize) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    if xs[tensors..].iter().any(|x| x.axis.is_some()) {
        return apart(cx, &op, xs, tensors);
    }
    let axis = xs[..tensors].iter().find_map(|x| x.axis).unwrap_or(0);
    let mut operands = vec![];
    for (i, &x) in xs.iter().enumerate() {
        operands.push(if i < tensors { cx.at(x, axis)? } else { x.value });
    }
    operands.insert(tensors + axis, cx.b.zeros(&Type::scalar(DType::I64))?);
    let mut attrs = cx.attrs(&op.attrs)?;
    if attrs.get("sizes").is_some() {
        let mut sizes = attrs.extents("sizes").to_vec();
        sizes.insert(axis, cx.extent.clone());
        attrs.set("sizes", Attr::extents(sizes));
    }
    cx.again(o, &operands, attrs, |_| axis)
}
/// Windows at another place at each index.
fn apart(cx: &mut Batcher, op: &Op, xs: &[Batched], tensors: usize) -> Result<Vec<Batched>> {
    let line = Type::new(DType::I64, [cx.extent.clone(), Extent::exact(1)]);
    let mut starts = vec![];
    for &x in &xs[tensors..] {
        let mut at = cx.at(x, 0)?;
        let ty = cx.b.ty(at);
        if ty.dtype == DType::U64 {
            // Far outside of anything, and an `i64`.
            let most = cx.b.splat(&ty, 2f64.powi(62))?;
            at = cx.b.min(at, most)?;
        }
        let at = cx.b.convert(at, DType::I64)?;
        starts.push(cx.b.broadcast(at, &line, &[0])?);
    }
    let index = cx.b.emit1(NewOp::new(&CONCAT, &starts).attr("axis", Attr::Int(1)))?;
    let operand = tensors > 1 || xs[0].axis.is_some();
    let all: Vec<usize> = (0..starts.len()).collect();
    let d = IndexDims { window: all.clone(), map: all, ..IndexDims::default() }.batched(operand, true);
    let x = if operand { cx.at(xs[0], 0)? } else { xs[0].value };
    let y = match xs.get(1).filter(|_| tensors > 1) {
        Some(&u) => {
            let u = cx.at(u, 0)?;
            scatter(&mut cx.b, [x, index, u], &d, "set", true)?
        }
        None => {
            let mut sizes = cx.attrs(&op.attrs)?.extents("sizes").to_vec();
            if operand {
                sizes.insert(0, Extent::exact(1));
            }
            gather(&mut cx.b, x, index, &d, sizes, true)?
        }
    };
    Ok(vec![Batched::along(y, 0)])
}
fn values(cx: &Transposer, vs: &[ValueId]) -> Result<Vec<ValueId>> {
    vs.iter().map(|&v| cx.val(v)).collect()
}
fn tr_dynamic_slice(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let (at, mut c) = (values(cx, &op.operands[1..])?, cotangent(ct)?);
    // Only the window of what is known so far changes: a loop that reads by index adds what it has read, and not the whole.
    let whole = match cx.take_cotangent(op.operands[0])? {
        Some(whole) => {
            let sizes = cx.b.ty(c).dims.to_vec();
            let part = cx.b.dynamic_slice(whole, &at, sizes)?;
            c = cx.b.add(part, c)?;
            whole
        }
        None => cx.or_zero(None, op.operands[0])?,
    };
    let xs = [&[whole, c], &at[..]].concat();
    let mut out = vec![None; op.operands.len()];
    out[0] = Some(cx.b.emit1(NewOp::new(&DYNAMIC_UPDATE_SLICE, &xs))?);
    Ok(out)
}
fn tr_update(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let (x, u, c) = (op.operands[0], op.operands[1], cotangent(ct)?);
    let at = values(cx, &op.operands[2..])?;
    let window = cx.ty(u)?;
    let mut out = vec![None; op.operands.len()];
    // Read first: what is written then may be written over it.
    if cx.linear(u) {
        out[1] = Some(cx.b.dynamic_slice(c, &at, window.dims.to_vec())?);
    }
    if cx.linear(x) {
        let zeros = cx.b.zeros(&window)?;
        let xs = [&[c, zeros], &at[..]].concat();
        out[0] = Some(cx.b.emit1(NewOp::new(&DYNAMIC_UPDATE_SLICE, &xs))?);
    }
    Ok(out)
}

/// (shape, window).
const CASES: &[(&[usize], &[usize])] = &[
    (&[], &[]),
    (&[5], &[2]),
    (&[3, 4], &[2, 4]),
    (&[3, 4], &[0, 2]),
    (&[1, 3], &[1, 1]),
    (&[2, 3, 2, 3], &[1, 2, 2, 1]),
];
/// Index parameters: some far outside, so that clamping shows; dtypes alternate.
fn index_params(rank: usize) -> Vec<(types::Type, Domain)> {
    let dtypes = [DType::I64, DType::I32, DType::U32, DType::U64];
    (0..rank)
        .map(|i| {
            let d = dtypes[i % dtypes.len()];
            (Type::scalar(d), Domain::Ints(if d.is_signed() { -3 } else { 0 }, 6))
        })
        .collect()
}
fn sample_slice(cx: &SampleCx) -> Result<Vec<Sample>> {
    CASES
        .iter()
        .map(|(shape, sizes)| {
            let params = [vec![(cx.ty(shape), Domain::Any)], index_params(shape.len())].concat();
            let sizes: Vec<Extent> = sizes.iter().map(|&n| n.into()).collect();
            cx.op(&params, Attrs::of([("sizes", Attr::extents(sizes))]), None)
        })
        .collect()
}
fn sample_update(cx: &SampleCx) -> Result<Vec<Sample>> {
    CASES
        .iter()
        .map(|(shape, window)| {
            let tensors = vec![(cx.ty(shape), Domain::Any), (cx.ty(window), Domain::Any)];
            cx.op(&[tensors, index_params(shape.len())].concat(), Attrs::none(), None)
        })
        .collect()
}
