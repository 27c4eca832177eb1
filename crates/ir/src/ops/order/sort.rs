//! `sort`: several tensors permuted alike along an axis. Its derivative holds the permutation fixed: tangents are
//! permuted by a `sort` of their own whose key is the inverse permutation, and transposed by one whose key is the
//! permutation.
use super::keyed::keyed;
use super::laws;
use super::permute::{inverse, iota};
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::batch::{Batched, Batcher, shifted};
use crate::code::Code;
use crate::derive::{Linearizer, Transposer};
use crate::diag::{Error, Part, Result};
use crate::func::{Func, OpId, ValueId};
use crate::infer::InferCx;
use crate::op::*;
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;

/// `sort`.
pub static SORT: OpDef = OpDef {
    name: "sort",
    doc: "Permutes its operands alike along `axis` (the last unless given), so that the first `keys` of them ascend: by \
          the first, where that is equal by the second, and so on. −0 equals 0, NaN comes last and equals NaN, `false` \
          comes before `true`. Equal keys keep their order; `stable = false` gives that up. In place of `keys` a region \
          may say which element comes first: `comparator(%a0: T0, %b0: T0, %a1: T1, %b1: T1, …)` gets the elements at \
          two places of each operand and yields one `bool[]`, true where the first place comes before the second. The \
          derivative holds the permutation fixed.",
    operands: &["x…"],
    slots: &[
        Slot::optional("axis", SlotKind::Int),
        Slot::with_default("keys", SlotKind::Int, SlotDefault::Int(1)),
        Slot::with_default("stable", SlotKind::Bool, SlotDefault::Bool(true)),
    ],
    regions: &["comparator?"],
    infer,
    linearize: Linearize::Rule(linearize),
    transpose: Transpose::Rule(transpose),
    batch: Batch::Rule(batch),
    simplify: Some(simplify),
    control: Control {
        within: Some(keyed),
        ports: Some(Ports { of: ports, keep: |_, _, _, _| {}, needs: |_, _| vec![] }),
        ..Control::NONE
    },
    law: Law::Holds {
        state: laws::sort,
        hard: |cx| {
            let by = |s: &[usize]| {
                let ways = |axis: usize| {
                    let at = Attrs::of([("axis", Attr::Int(axis as i64))]);
                    let two = at.clone().with("keys", Attr::Int(2));
                    [at.clone(), two.clone(), two.with("stable", Attr::Bool(false))]
                };
                Some((0..s.len()).flat_map(ways).collect())
            };
            laws::hard(cx, by, &[DType::F64, DType::I32])
        },
    },
    sample,
    ..OpDef::BASE
};

/// The axis of a checked `sort` of operands of that rank.
pub fn sort_axis(attrs: &Attrs, rank: usize) -> usize {
    if attrs.get("axis").is_some() { attrs.int("axis") as usize } else { rank.saturating_sub(1) }
}
/// The number of leading operands that are keys.
pub fn sort_keys(attrs: &Attrs) -> usize {
    if attrs.get("keys").is_some() { attrs.int("keys") as usize } else { 1 }
}

fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    let n = cx.len();
    if n == 0 {
        return Err(Error::new(Code::E0210, "`sort` takes at least 1 operand, not 0"));
    }
    let first = cx.ty(0)?;
    if cx.attrs().get("axis").is_some() {
        if cx.axis("axis", first.rank())? + 1 == first.rank() {
            cx.remove_attr("axis");
        }
    } else if first.rank() == 0 {
        return Err(Error::new(Code::E0205, "`sort` needs an axis, a scalar has none").operand(0));
    }
    let mut types = vec![first.clone()];
    for i in 1..n {
        let t = cx.ty(i)?;
        cx.agree(&first, &t.with_dtype(first.dtype), Part::Operand(i), &format!("shapes of operands 0 and {i}"))?;
        types.push(first.with_dtype(t.dtype));
    }
    if cx.region_count() == 0 {
        keys(cx, n)?
    } else {
        comparator(cx, &types)?
    }
    Ok(types)
}
fn keys(cx: &InferCx, n: usize) -> Result<()> {
    let keys = sort_keys(cx.attrs());
    if keys < 1 || keys > n {
        let text = format!("`keys` is between 1 and the number of operands, {n}, not {}", cx.attrs().int("keys"));
        return Err(Error::new(Code::E0227, text).attr("keys"));
    }
    (0..keys).try_for_each(|i| {
        cx.want_dtype(i, |d| !d.is_complex(), "keys that have an order")
            .map(drop)
            .map_err(|e| e.help("complex numbers have none: sort by `abs` or `real`, or write a `comparator`"))
    })
}
fn comparator(cx: &InferCx, types: &[Type]) -> Result<()> {
    if cx.attrs().get("keys").is_some() {
        return Err(Error::new(Code::E0227, "`keys` says nothing beside a `comparator`")
            .attr("keys")
            .help("leave it out"));
    }
    let want: Vec<Type> = types.iter().flat_map(|t| [Type::scalar(t.dtype), Type::scalar(t.dtype)]).collect();
    let (got, yields) = (cx.region_params(0), cx.region_yields(0));
    let list = |ts: &[Type]| ts.iter().map(|t| cx.show(t)).collect::<Vec<_>>().join(", ");
    let text = if got != want {
        format!("`comparator` takes ({}), not ({})", list(&want), list(&got))
    } else if yields != [Type::scalar(DType::Bool)] {
        format!("`comparator` yields bool[], not {}", list(&yields))
    } else {
        return Ok(());
    };
    Err(Error::new(Code::E0215, text)
        .at(Part::Region(0))
        .help("it gets two scalars of each operand, one after the other, and says whether the first comes before"))
}
/// Lines of one element have one order.
fn simplify(b: &mut crate::Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let Some(&x) = new.operands.first() else { return Ok(None) };
    let ty = b.func().ty(x);
    let one = ty.dims.get(sort_axis(&new.attrs, ty.rank())).is_some_and(|d| d.as_exact() == Some(1));
    let same = match new.declared.as_deref() {
        Some(types) => new.operands.iter().zip(types).all(|(&x, t)| b.func().ty(x) == t),
        None => new.operands.iter().all(|&x| b.func().ty(x).dims == b.func().ty(new.operands[0]).dims),
    };
    Ok((one && same).then(|| new.operands.to_vec()))
}
/// Each operand becomes the result at its place. Those that decide the order are needed whatever is used.
fn ports(f: &Func, o: OpId) -> Vec<Port> {
    let op = f.op(o);
    let regions = op.regions.len();
    let keys = if regions > 0 { op.operands.len() } else { sort_keys(&op.attrs) };
    let mut out: Vec<Port> = (0..op.operands.len())
        .map(|i| Port {
            kind: if i < keys { PortKind::Control } else { PortKind::Carry },
            operand: Some(i),
            params: if regions > 0 { vec![(0, 2 * i), (0, 2 * i + 1)] } else { vec![] },
            yields: vec![],
            result: Some(i),
        })
        .collect();
    if regions > 0 {
        out.push(Port { kind: PortKind::Control, operand: None, params: vec![], yields: vec![(0, 0)], result: None });
    }
    out
}

/// The primal sorts the numbers of the places along; what comes of them is the permutation.
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    if op.operands.iter().all(|&x| cx.tangent(x).is_none()) {
        cx.copy_primal(o)?;
        return Ok(());
    }
    let mut xs = cx.primals(&op.operands)?;
    let axis = sort_axis(&op.attrs, cx.src.ty(op.operands[0]).rank());
    let mut regions = vec![];
    for &r in &op.regions {
        let region = cx.copy_region(r)?;
        let place = Type::scalar(DType::I64);
        cx.p().param_to(region, place.clone(), "i");
        cx.p().param_to(region, place, "j");
        regions.push(region);
    }
    let places = iota(cx.p(), xs[0], axis)?;
    xs.push(places);
    let mut ys = cx.p().emit(NewOp::new(&SORT, &xs).attrs(op.attrs.clone()).regions(regions))?;
    let Some(perm) = ys.pop() else { return Ok(()) };
    cx.p().hint(perm, "perm");
    let back = inverse(cx.p(), perm, axis)?;
    let back = cx.p().hint(back, "place");
    let mut moved = vec![cx.residual(back)?];
    moved.extend(op.operands.iter().filter_map(|&x| cx.tangent(x)));
    let mut moved = by_key(cx.t(), &moved, axis)?.into_iter().skip(1);
    for ((&x, &y), &primal) in op.operands.iter().zip(&op.results).zip(&ys) {
        let tangent = cx.tangent(x).and_then(|_| moved.next());
        cx.set(y, primal, tangent);
    }
    Ok(())
}
/// All lines of all indices are sorted alike.
fn batch(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let axis = xs.iter().find_map(|x| x.axis).unwrap_or(0);
    let line = shifted(sort_axis(&op.attrs, cx.src.ty(op.operands[0]).rank()), axis);
    let attrs = cx.attrs(&op.attrs)?.with("axis", Attr::Int(line as i64));
    let xs = xs.iter().map(|&x| cx.at(x, axis)).collect::<Result<Vec<_>>>()?;
    cx.again(o, &xs, attrs, |_| axis)
}
/// `sort` along `axis` with the first operand as key.
pub(super) fn by_key(b: &mut crate::Builder, xs: &[ValueId], axis: usize) -> Result<Vec<ValueId>> {
    b.emit(NewOp::new(&SORT, xs).attr("axis", Attr::Int(axis as i64)))
}
fn transpose(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let keys = sort_keys(&op.attrs);
    if !op.regions.is_empty() || op.operands.iter().take(keys).any(|&x| cx.linear(x)) {
        return Err(Error::new(Code::E0504, "`sort` cannot be transposed: its order depends on what it is linear in"));
    }
    let axis = sort_axis(&op.attrs, cx.src.ty(op.operands[0]).rank());
    let mut xs = op.operands.iter().take(keys).map(|&x| cx.val(x)).collect::<Result<Vec<_>>>()?;
    xs.push(iota(&mut cx.b, xs[0], axis)?);
    let sorted = cx.b.emit(NewOp::new(&SORT, &xs).attrs(op.attrs.clone()))?;
    let moved: Vec<ValueId> = sorted.last().copied().into_iter().chain(ct.iter().copied().flatten()).collect();
    let mut moved = by_key(&mut cx.b, &moved, axis)?.into_iter().skip(1);
    Ok(ct.iter().map(|c| c.and_then(|_| moved.next())).collect())
}

/// (shape, axis, keys, one more operand of this dtype).
type Case<'a> = (&'a [usize], Option<i64>, i64, &'a [DType]);
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if cx.dtype.is_complex() {
        return sample_complex(cx);
    }
    let cases: &[Case] = &[
        (&[6], None, 1, &[]),
        (&[0], None, 1, &[]),
        (&[1], None, 1, &[DType::F64]),
        (&[2, 3], Some(0), 1, &[]),
        (&[2, 3], Some(1), 1, &[DType::I32, DType::C64]),
        (&[3, 0], Some(1), 1, &[]),
        (&[2, 3, 2], Some(1), 1, &[DType::F64]),
        (&[2, 1, 5, 2], Some(2), 2, &[DType::F64, DType::Bool]),
    ];
    let mut out = vec![];
    for (shape, axis, keys, more) in cases {
        let mut attrs = Attrs::none().with("keys", Attr::Int(*keys));
        if let Some(a) = axis {
            attrs.set("axis", Attr::Int(*a));
        }
        let mut params = vec![(cx.ty(shape), Domain::Any)];
        params.extend(more.iter().map(|&d| (Type::exact(d, shape), Domain::Any)));
        out.push(cx.program(&params, |b, xs| b.emit(NewOp::new(cx.def, xs).attrs(attrs)))?);
    }
    // The second operand decides, from large to small; the first goes along.
    let (ty, key) = (cx.ty(&[4, 2]), Type::exact(DType::F64, &[4, 2]));
    out.push(cx.program(&[(ty.clone(), Domain::Any), (key, Domain::Any)], |b, xs| {
        let (x, k) = (Type::scalar(ty.dtype), Type::scalar(DType::F64));
        let params = [(x.clone(), "a"), (x, "b"), (k.clone(), "c"), (k, "d")];
        let by = b.region("comparator", &params, |b, p| Ok(vec![b.gt(p[2], p[3])?]))?;
        b.emit(NewOp::new(cx.def, xs).attr("axis", Attr::Int(0)).regions(vec![by]))
    })?);
    Ok(out)
}
/// Complex numbers go along with a key, or are compared by their real parts.
fn sample_complex(cx: &SampleCx) -> Result<Vec<Sample>> {
    let (ty, key) = (cx.ty(&[2, 4]), Type::exact(DType::F32, &[2, 4]));
    let along = cx.program(&[(key, Domain::Any), (ty.clone(), Domain::Any)], |b, xs| b.emit(NewOp::new(cx.def, xs)))?;
    let compared = cx.program(&[(ty.clone(), Domain::Any)], |b, xs| {
        let z = Type::scalar(ty.dtype);
        let by = b.region("comparator", &[(z.clone(), "a"), (z, "b")], |b, p| {
            let (re, other) = (b.real(p[0])?, b.real(p[1])?);
            Ok(vec![b.lt(re, other)?])
        })?;
        b.emit(NewOp::new(cx.def, xs).regions(vec![by]))
    })?;
    Ok(vec![along, compared])
}
