//! `reduce`: a reduction whose operation is a region.
use crate::code::Code;
use std::collections::HashMap;

use super::*;
use crate::diag::Error;
use crate::extent::ExistId;
use crate::func::{Func, Op, RegionId};
use crate::map::Map;
use crate::ops::control::{Gather, ScanDims, hand, handed_on};
use crate::ops::elementwise as e;
use crate::ops::shape::splat_tensor;
use crate::with_dtype;

/// `reduce`.
pub static REDUCE_BY: OpDef = OpDef {
    name: "reduce",
    doc: "A reduction by a region over `axes` of all `x`: `reduce(%init…, %x…, carry = k, axes = [1]) { combine(%acc: T[]…, %e: U[]…) \
          {… yield %acc1…} }`. The first `carry` operands (1 unless given) are scalars that it starts from, one a result; the \
          others have equal extents. `combine` takes what there is so far and one element of each `x`, and yields what there is \
          then. Elements come in logical order, the last of `axes` fastest. A region that is one of `add mul max min and or xor` of \
          its parameters is that reduction, whose order is not fixed.",
    operands: &["x…"],
    slots: &[Slot::with_default("carry", SlotKind::Int, SlotDefault::Int(1)), Slot::required("axes", SlotKind::Ints)],
    regions: &["combine"],
    infer,
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    expand: Expand::Composite(expand_fold),
    control: Control { ports: Some(Ports { of: ports, keep, needs: |_, _| vec![] }), ..Control::NONE },
    sample,
    ..OpDef::BASE
};

fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    let types = cx.types();
    let k = usize::try_from(cx.attrs().int_or_one("carry")).unwrap_or(0);
    let Some((inits, xs)) = types.split_at_checked(k).filter(|(_, xs)| !xs.is_empty()) else {
        let text = format!("`reduce` with `carry = {k}` needs more than {k} operands, not {}", types.len());
        return Err(Error::new(Code::E0210, text)
            .attr("carry")
            .help("initial values come first, then what is reduced"));
    };
    for (i, t) in inits.iter().enumerate() {
        cx.want_scalar(i, |_| true, "a scalar")?;
        debug_assert!(t.is_scalar());
    }
    let axes = cx.axes("axes", xs[0].rank())?;
    if !axes.is_sorted() {
        let mut sorted = axes.clone();
        sorted.sort_unstable();
        cx.set_attr("axes", Attr::ints(&sorted));
    }
    for (i, t) in xs.iter().enumerate().skip(1) {
        let same = xs[0].with_dtype(t.dtype);
        cx.agree(&same, t, Part::Operand(k + i), &format!("operands {k} and {}", k + i))?;
    }
    let scalars: Vec<Type> = types.iter().map(|t| Type::scalar(t.dtype)).collect();
    hand(cx, 0, &scalars, None, |i| format!("parameter {i} of `combine`"))?;
    let kept = xs[0].without(&axes);
    handed_on(cx, 0, &scalars[..k])?;
    Ok(inits.iter().map(|t| kept.with_dtype(t.dtype)).collect())
}
fn ports(f: &Func, o: OpId) -> Vec<Port> {
    let op = f.op(o);
    let k = op.attrs.int_or_one("carry") as usize;
    let port = |kind, i: usize, out: bool| Port {
        kind,
        operand: Some(i),
        params: vec![(0, i)],
        yields: if out { vec![(0, i)] } else { vec![] },
        result: out.then_some(i),
    };
    let n = op.operands.len();
    // The first of what is reduced says over how many elements.
    let rest = (k..n).map(|i| port(if i == k { PortKind::Control } else { PortKind::In }, i, false));
    (0..k).map(|i| port(PortKind::Carry, i, true)).chain(rest).collect()
}
fn keep(attrs: &mut Attrs, _: &Func, _: OpId, kept: &[Port]) {
    match kept.iter().filter(|p| p.kind == PortKind::Carry).count() {
        1 => attrs.remove("carry"),
        n => attrs.set("carry", Attr::Int(n as i64)),
    }
}

/// Operations, and the reductions by them.
const KNOWN: &[(&OpDef, &OpDef)] = &[
    (&e::ADD, &REDUCE_SUM),
    (&e::MUL, &REDUCE_PROD),
    (&e::MAX, &REDUCE_MAX),
    (&e::MIN, &REDUCE_MIN),
    (&e::AND, &REDUCE_AND),
    (&e::OR, &REDUCE_OR),
    (&e::XOR, &REDUCE_XOR),
];
/// The operation and the reduction that a region of two scalars is, whichever comes first.
pub(crate) fn known(f: &Func, r: RegionId) -> Option<(&'static OpDef, &'static OpDef)> {
    let region = f.region(r);
    let ([p, q], [o], [y]) = (&region.params[..], &region.ops[..], &region.yields[..]) else { return None };
    let op = f.op(*o);
    let both = op.operands[..] == [*p, *q] || op.operands[..] == [*q, *p];
    let is = both && op.results[..] == [*y] && f.ty(*p).dtype == f.ty(*q).dtype;
    // The greater of two flags is their `or`.
    let def = match f.ty(*p).dtype {
        DType::Bool if op.def.is(&e::MAX) => &e::OR,
        DType::Bool if op.def.is(&e::MIN) => &e::AND,
        _ => op.def,
    };
    KNOWN.iter().find(|k| is && def.is(k.0)).map(|k| (k.0, k.1))
}
/// `init op` a reduction of `x`.
fn fold_known(
    b: &mut Builder,
    (op, row): (&'static OpDef, &'static OpDef),
    init: ValueId,
    x: ValueId,
    axes: &[usize],
) -> Result<ValueId> {
    let y = reduce(b, row, x, axes)?;
    start_from(b, op, init, y)
}
/// `init op y` for each element of a reduction by `op`; `y` itself where that changes nothing.
pub(crate) fn start_from(b: &mut Builder, op: &'static OpDef, init: ValueId, y: ValueId) -> Result<ValueId> {
    let ty = b.ty(y);
    if begins(b, op, init) {
        return Ok(y);
    }
    let all = b.broadcast(init, &ty, &[])?;
    b.emit1(NewOp::new(op, &[all, y]))
}
/// Whether a reduction by `op` that starts from this scalar gives what it gives without: zeros of both signs count as one.
pub fn begins(b: &Builder, op: &OpDef, init: ValueId) -> bool {
    let (Some(t), Some(op)) = (splat_tensor(b, init), op.scalar) else { return false };
    op.identity(t.dtype()).is_some_and(|none| with_dtype!(t.dtype(), T => t.item::<T>() == none.item::<T>()))
}

/// A fold over whole tensors: `combine` runs on all that is kept at once.
fn expand_fold(b: &mut Builder, new: &NewOp) -> Result<Vec<ValueId>> {
    let (k, axes) = (new.attrs.int_or_one("carry") as usize, new.attrs.indices("axes"));
    let (inits, xs) = new.operands.split_at(k);
    let r = new.regions[0];
    if let (Some(op), [init], [x]) = (known(b.func(), r), inits, xs) {
        return Ok(vec![fold_known(b, op, *init, *x, &axes)?]);
    }
    let kept = b.ty(xs[0]).without(&axes);
    let length = axes.iter().try_fold(Extent::exact(1), |n, &a| n.mul(&b.ty(xs[0]).dims[a].clone()))?;
    let mut operands = vec![];
    for &init in inits {
        let ty = kept.with_dtype(b.ty(init).dtype);
        operands.push(b.broadcast(init, &ty, &[])?);
    }
    for &x in xs {
        // Reduced axes behind the others, as one.
        let ty = b.ty(x);
        let perm: Vec<usize> = super::kept(ty.rank(), &axes).into_iter().chain(axes.iter().copied()).collect();
        let t = if perm.is_sorted() { x } else { b.transpose(x, &perm)? };
        let line = kept.with_dtype(ty.dtype).with_axis(kept.rank(), length.clone());
        operands.push(b.reshape(t, &line)?);
    }
    let rank = kept.rank();
    let o = b.open("body");
    let params: Vec<ValueId> = operands
        .iter()
        .enumerate()
        .map(|(i, &x)| {
            let ty = b.ty(x);
            b.param(if i < k { ty } else { ty.without(&[rank]) }, if i < k { "acc" } else { "e" })
        })
        .collect();
    let ys = on_all(b, r, &params, &kept)?;
    let body = b.close(o, ys);
    let dims = ScanDims {
        carry: k,
        length,
        cut: vec![rank; xs.len()],
        collect: vec![],
        reverse: false,
        ..ScanDims::default()
    };
    b.scan(&operands, &dims, body)
}
/// What region `r`, of scalars, yields for each element of `args`: its statements on whole tensors where all are elementwise,
/// else one element after the other.
pub(crate) fn on_all(b: &mut Builder, r: RegionId, args: &[ValueId], shape: &Type) -> Result<Vec<ValueId>> {
    let f = b.func();
    let region = f.region(r).clone();
    let ops: Vec<(Op, Vec<Type>)> = region.ops.iter().map(|&o| (f.op(o).clone(), f.types(&f.op(o).results))).collect();
    let each = |op: &Op| matches!(op.def.batch, Batch::Elementwise) || op.operands.is_empty() && op.regions.is_empty();
    if !ops.iter().all(|o| each(&o.0)) {
        return one_by_one(b, r, args, shape);
    }
    let mut known: HashMap<ValueId, ValueId> = region.params.iter().copied().zip(args.iter().copied()).collect();
    for (op, types) in ops {
        let operands = op
            .operands
            .iter()
            .map(|v| spread(b, known.get(v).copied().unwrap_or(*v), shape))
            .collect::<Result<Vec<_>>>()?;
        let types =
            types.into_iter().map(|t| if operands.is_empty() { t } else { shape.with_dtype(t.dtype) }).collect();
        let ys = b.emit(NewOp::new(op.def, &operands).attrs(op.attrs).types(types))?;
        known.extend(op.results.iter().copied().zip(ys));
    }
    region.yields.iter().map(|v| spread(b, known.get(v).copied().unwrap_or(*v), shape)).collect()
}
/// A scalar for every element, or what is there for each already.
fn spread(b: &mut Builder, x: ValueId, shape: &Type) -> Result<ValueId> {
    let ty = shape.with_dtype(b.ty(x).dtype);
    if b.ty(x) == ty { Ok(x) } else { b.broadcast(x, &ty, &[]) }
}
fn one_by_one(b: &mut Builder, r: RegionId, args: &[ValueId], shape: &Type) -> Result<Vec<ValueId>> {
    let n = shape.dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))?;
    let mut lines = vec![];
    for &x in args {
        let ty = Type::new(b.ty(x).dtype, [n.clone()]);
        lines.push(b.reshape(x, &ty)?);
    }
    let f = b.func().clone();
    let mut map = Map::new();
    f.captures(r).into_iter().for_each(|v| map.insert(v, v));
    for (i, e) in f.exists.iter().enumerate().filter(|e| !f.within(e.1.region, r)) {
        let _ = e;
        map.bind(ExistId(i as u32), Extent::exist(ExistId(i as u32)));
    }
    let body = b.copy_region(&f, r, &mut map)?;
    let collect = vec![Gather::Stack(0); f.region(r).yields.len()];
    let dims =
        ScanDims { carry: 0, length: n, cut: vec![0; args.len()], collect, reverse: false, ..ScanDims::default() };
    let mut out = vec![];
    for y in b.scan(&lines, &dims, body)? {
        let ty = shape.with_dtype(b.ty(y).dtype);
        out.push(b.reshape(y, &ty)?);
    }
    Ok(out)
}

/// A sum by a region; sums of squares, which no known reduction is; a value with its index; a region with a loop.
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let one = cx.ty(&[]);
    let cases: &[(&[usize], &[usize])] =
        &[(&[4], &[0]), (&[0], &[0]), (&[2, 3], &[1]), (&[2, 3, 2], &[0, 2]), (&[2, 0], &[1]), (&[2], &[])];
    let mut out = vec![];
    for (i, (shape, axes)) in cases.iter().enumerate() {
        for squares in [false, true] {
            let params = [(one.clone(), Domain::Any), (cx.ty(shape), Domain::Any)];
            out.push(cx.program(&params, |b, x| {
                let r = b.region("combine", &[(one.clone(), "acc"), (one.clone(), "e")], |b, p| {
                    let y = match (squares, i) {
                        (false, _) => b.add(p[1], p[0])?,
                        (true, 2) => {
                            let looped = twice(b, p[1])?;
                            b.add(p[0], looped)?
                        }
                        (true, _) => {
                            let e = b.mul(p[1], p[1])?;
                            b.add(p[0], e)?
                        }
                    };
                    Ok(vec![y])
                })?;
                b.emit(NewOp::new(cx.def, x).attr("axes", Attr::ints(axes)).regions(vec![r]))
            })?);
        }
    }
    if cx.dtype.is_float() {
        out.push(sample_pair(cx)?);
    }
    Ok(out)
}
/// `2 x` by a loop of two trips.
fn twice(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let ty = b.ty(x);
    let zero = b.zeros(&ty)?;
    let body = b.region("body", &[(ty, "s")], |b, s| Ok(vec![b.add(s[0], x)?]))?;
    let dims = ScanDims {
        carry: 1,
        length: Extent::exact(2),
        cut: vec![],
        collect: vec![],
        reverse: false,
        ..ScanDims::default()
    };
    Ok(b.scan(&[zero], &dims, body)?[0])
}
/// The greatest element and its index, as JAX writes it.
fn sample_pair(cx: &SampleCx) -> Result<Sample> {
    let (one, index) = (cx.ty(&[]), Type::scalar(DType::I64));
    let line = cx.ty(&[3, 4]);
    cx.program(&[(line.clone(), Domain::Any)], |b, x| {
        let i = NewOp::new(&crate::ops::constant::IOTA, &[]).attr("axis", Attr::Int(1));
        let i = b.emit1(i.types(vec![line.with_dtype(DType::I64)]))?;
        let low = b.splat(&one, f64::NEG_INFINITY)?;
        let first = b.zeros(&index)?;
        let params = [(one.clone(), "v"), (index.clone(), "i"), (one.clone(), "w"), (index.clone(), "j")];
        let r = b.region("combine", &params, |b, p| {
            let more = b.gt(p[2], p[0])?;
            let v = b.select(more, p[2], p[0])?;
            Ok(vec![v, b.select(more, p[3], p[1])?])
        })?;
        let op = NewOp::new(cx.def, &[low, first, x[0], i]).attr("carry", Attr::Int(2)).attr("axes", Attr::ints(&[1]));
        b.emit(op.regions(vec![r]))
    })
}
