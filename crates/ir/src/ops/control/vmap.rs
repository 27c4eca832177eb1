//! `vmap`: a function at many indices at once. It stays whole until derivatives have been taken: its derivative is the derivative
//! of the function at each index, as that of a loop over the indices would be. Then it becomes a call of the function that
//! [`crate::batch`] makes.
use super::call::{bind_callee, lin_by, open_results};
use crate::attr::{Attr, Attrs, SymRef};
use crate::batch::{Batched, BatchedFunc, Batcher};
use crate::builder::Builder;
use crate::code::Code;
use crate::derive::{Derive, Linearizer, Transposer, callee, spread};
use crate::diag::{Error, Part, Result};
use crate::extent::{ExistId, Extent};
use crate::func::{BODY, OpId, ValueId};
use crate::infer::InferCx;
use crate::module::FuncId;
use crate::op::*;
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;
use std::collections::BTreeMap;

/// `vmap`.
pub static VMAP: OpDef = OpDef {
    name: "vmap",
    doc: "Runs a function at many indices at once: `vmap(@f, %x, …, in = [0, none], out = [0])`. Each operand is cut along its axis in \
          `in`, as `@f` takes it without that axis; with `none` it is the same at every index. Each result has the index along its axis \
          in `out`; with `none` it must not depend on the index. Without `in` and `out` the axis is 0 everywhere; negative axes count from \
          the last. Where no operand is cut, `length` says how many indices there are. The numbers are those of a loop over the indices, \
          and so are derivatives. Loops may take another number of trips at each index, and branches another way; extents may not.",
    since: (1, 1),
    operands: &["x…"],
    slots: &[
        Slot::leading("callee", SlotKind::Func),
        Slot::optional("in", SlotKind::Axes),
        Slot::optional("out", SlotKind::Axes),
        Slot::optional("length", SlotKind::Extent),
    ],
    infer,
    linearize: Linearize::Rule(linearize),
    transpose: Transpose::Rule(transpose),
    batch: Batch::Rule(batch),
    expand: Expand::Derivative(expand),
    sample,
    ..OpDef::BASE
};

/// The axis of each of `n` operands or results along which the index runs.
fn axes(attrs: &Attrs, name: &str, n: usize) -> Vec<Option<usize>> {
    match attrs.get(name) {
        Some(Attr::List(l)) => {
            l.iter().map(|a| if let Attr::Int(i) = a { usize::try_from(*i).ok() } else { None }).collect()
        }
        _ => vec![Some(0); n],
    }
}
fn attr(axes: &[Option<usize>]) -> Attr {
    Attr::List(axes.iter().map(|a| a.map_or(Attr::word("none"), |a| Attr::Int(a as i64))).collect())
}
/// The attribute `name`, written with axes that count from the first.
fn read(cx: &mut InferCx, name: &'static str, ranks: &[usize], what: &str) -> Result<Vec<Option<usize>>> {
    let list = match cx.attrs().get(name) {
        Some(Attr::List(l)) => l.clone(),
        _ => ranks.iter().map(|_| Attr::Int(0)).collect(),
    };
    if list.len() != ranks.len() {
        let text = format!("`{name}` names {} axes for {} {what}s", list.len(), ranks.len());
        return Err(Error::new(Code::E0228, text)
            .attr(name)
            .help("one each, `none` where the index does not run: `[0, none]`"));
    }
    let mut out = vec![];
    for (i, (a, &rank)) in list.iter().zip(ranks).enumerate() {
        let Attr::Int(a) = a else {
            out.push(None);
            continue;
        };
        let at = if *a < 0 { a + rank as i64 } else { *a };
        let Some(at) = usize::try_from(at).ok().filter(|&k| k < rank) else {
            let e = Error::new(Code::E0212, format!("axis {a} of {what} {i} is out of range for rank {rank}"));
            let e = if cx.attrs().get(name).is_some() { e.attr(name) } else { e };
            return Err(match rank {
                0 => e.help("a scalar is the same at every index: `none`"),
                n => e.help(format!("its last axis is {}", n - 1)),
            });
        };
        out.push(Some(at));
    }
    if cx.attrs().get(name).is_some() {
        cx.set_attr(name, attr(&out));
    }
    Ok(out)
}
fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    let types = cx.types();
    let ranks: Vec<usize> = types.iter().map(Type::rank).collect();
    let ins = read(cx, "in", &ranks, "operand")?;
    let mut length = cx.attrs().extents("length").first().cloned();
    let mut one = vec![];
    for (i, (t, a)) in types.iter().zip(&ins).enumerate() {
        let Some(a) = *a else {
            one.push(t.clone());
            continue;
        };
        match &length {
            None => length = Some(t.dims[a].clone()),
            Some(n) => {
                let n = n.clone();
                cx.equal(&n, &t.dims[a], Part::Operand(i), || {
                    format!("the number of indices and axis {a} of operand {i}")
                })?;
            }
        }
        one.push(t.without(&[a]));
    }
    let Some(length) = length else {
        let e = Error::new(Code::E0222, "a `vmap` none of whose operands is cut needs `length`");
        return Err(e.help("write `length = 10` or `length = shape[n]`"));
    };
    let (f, sym) = bind_callee(cx, &one)?;
    let ys = open_results(cx, &f, &sym)?;
    cx.set_attr("callee", Attr::Sym(sym));
    // Of a result without an axis nothing is asked here: whether it depends on the index is seen when `vmap` is expanded.
    let ranks: Vec<usize> = ys.iter().map(|y| y.rank() + 1).collect();
    let outs = read(cx, "out", &ranks, "result")?;
    let placed = |(y, a): (Type, Option<usize>)| a.map_or_else(|| y.clone(), |a| y.with_axis(a, length.clone()));
    Ok(ys.into_iter().zip(outs).map(placed).collect())
}

/// What a `vmap` says.
struct Mapped {
    ins: Vec<Option<usize>>,
    outs: Vec<Option<usize>>,
    /// `length`, where it is written.
    length: Option<Extent>,
}
impl Mapped {
    fn of(attrs: &Attrs, operands: usize, results: usize) -> Mapped {
        let length = attrs.extents("length").first().cloned();
        Mapped { ins: axes(attrs, "in", operands), outs: axes(attrs, "out", results), length }
    }
    /// How many indices there are, for operands of `b`.
    fn count(&self, b: &Builder, operands: &[ValueId]) -> Result<Extent> {
        let cut = self.ins.iter().zip(operands).find_map(|(a, &x)| a.map(|a| b.func().ty(x).dims[a].clone()));
        self.length.clone().or(cut).ok_or_else(|| Error::bug(Code::E0599, "a `vmap` without a number of indices"))
    }
}
impl Builder<'_> {
    /// `vmap(@f<extents>, args, in = ins, out = outs)`; `length` where nothing is cut. Gives the results and what the header's
    /// existentials became.
    ///
    /// # Errors
    /// Those of the op.
    pub fn vmap(
        &mut self,
        f: FuncId,
        extents: Vec<Extent>,
        (ins, outs): (&[Option<usize>], &[Option<usize>]),
        length: Option<&Extent>,
        args: &[ValueId],
    ) -> Result<(Vec<ValueId>, BTreeMap<ExistId, Extent>)> {
        let mut attrs = Attrs::none();
        for (name, axes) in [("in", ins), ("out", outs)] {
            if axes.iter().any(|a| *a != Some(0)) {
                attrs.set(name, attr(axes));
            }
        }
        if let Some(n) = length.filter(|_| ins.iter().all(Option::is_none)) {
            attrs.set("length", Attr::extent(n.clone()));
        }
        let callee = self.module().func(f)?;
        let same = |y: &Type, a: &Option<usize>, x: &Type| match a {
            Some(a) => x.without(&[*a]).dims.to_vec(),
            None => y.dims.iter().zip(x.dims.iter()).map(|(_, d)| d.clone()).collect(),
        };
        self.call_with(&VMAP, f, Some(extents), args, attrs, &|i, x| {
            callee.result_types.get(i).zip(outs.get(i)).map_or_else(Vec::new, |(y, a)| same(y, a, x))
        })
    }
}

/// A call of the function for all indices.
fn expand(b: &mut Builder, d: &dyn Derive, op: &NewOp) -> Result<Vec<ValueId>> {
    let sym = callee(&op.attrs)?;
    let f = b.module().func(sym.func)?;
    let m = Mapped::of(&op.attrs, op.operands.len(), f.returns().len());
    let n = m.count(b, &op.operands)?;
    let all = batched(d, sym.func, &m)?;
    let extents = sym.extents.iter().cloned().chain([n]).collect();
    Ok(b.call(all.func, Some(extents), &op.operands)?.0)
}
fn batched(d: &dyn Derive, f: FuncId, m: &Mapped) -> Result<BatchedFunc> {
    d.batched(f, &m.ins, Some(&m.outs)).map_err(|e| {
        let text = format!("while @{} is run for all indices of a `vmap`", d.module().func_name(f));
        e.note(text)
    })
}

/// A `vmap` for all indices of another one: the function for all indices of this one, run for all of that; where that is refused, for
/// all pairs of indices, which may go another way each.
fn batch(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let attrs = cx.attrs(&op.attrs)?;
    let (sym, m) = (callee(&attrs)?, Mapped::of(&attrs, op.operands.len(), op.results.len()));
    let cut = m.ins.iter().zip(&op.operands).find_map(|(a, &x)| a.map(|a| cx.src.ty(x).dims[a].clone()));
    let n = match (m.length.clone(), cut) {
        (Some(n), _) => n,
        (None, Some(d)) => cx.map_extent(&d)?,
        (None, None) => return Err(Error::bug(Code::E0599, "a `vmap` without a number of indices")),
    };
    let axes: Vec<Option<usize>> = xs.iter().map(|x| x.axis).collect();
    let one = cx.driver.batch_to(sym.func, &m.ins, &m.outs)?;
    let mut extents = sym.extents.to_vec();
    match cx.driver.batch(one.func, &axes) {
        Ok(all) => {
            extents.extend([n, cx.extent.clone()]);
            let xs: Vec<ValueId> = xs.iter().map(|x| x.value).collect();
            let (ys, _) = cx.b.call(all.func, Some(extents), &xs)?;
            Ok(ys.into_iter().zip(&all.axes).map(|(value, &axis)| Batched { value, axis }).collect())
        }
        Err(e) if e.data().code == Code::E0508 && m.outs.iter().all(Option::is_some) => {
            let pairs = n.mul(&cx.extent)?;
            let (mut args, mut ins) = (vec![], vec![]);
            for (&x, &a) in xs.iter().zip(&m.ins) {
                if x.axis.is_none() && a.is_none() {
                    args.push(x.value);
                    ins.push(None);
                    continue;
                }
                // The index of this `vmap` first, then the other one.
                let x = cx.at(x, 0)?;
                let ty = cx.b.ty(x);
                let x = match a {
                    Some(a) => {
                        let rest = (1..ty.rank()).filter(|&i| i != a + 1);
                        let perm: Vec<usize> = [a + 1, 0].into_iter().chain(rest).collect();
                        cx.b.transpose(x, &perm)?
                    }
                    None => {
                        let dims: Vec<usize> = (1..=ty.rank()).collect();
                        cx.b.broadcast(x, &ty.with_axis(0, n.clone()), &dims)?
                    }
                };
                let ty = cx.b.ty(x).without(&[0, 1]).with_axis(0, pairs.clone());
                args.push(cx.b.reshape_first(x, &ty)?);
                ins.push(Some(0));
            }
            let all = cx.driver.batch_to(sym.func, &ins, &vec![Some(0); m.outs.len()]);
            let Ok(all) = all else { return Err(e) };
            extents.push(pairs);
            let (ys, _) = cx.b.call(all.func, Some(extents), &args)?;
            let mut out = vec![];
            for (y, a) in ys.into_iter().zip(&m.outs) {
                let ty = cx.b.ty(y).without(&[0]).with_axis(0, cx.extent.clone()).with_axis(0, n.clone());
                let y = cx.b.reshape_first(y, &ty)?;
                // The other index stays in front.
                let mut perm: Vec<usize> = (2..ty.rank()).collect();
                perm.insert(a.unwrap_or(0), 0);
                perm.insert(0, 1);
                out.push(Batched::along(cx.b.transpose(y, &perm)?, 0));
            }
            Ok(out)
        }
        Err(e) => Err(e),
    }
}
/// As [`Derive::batched`], where it might be refused; `None` where it is.
fn tried(d: &dyn Derive, f: FuncId, ins: &[Option<usize>]) -> Result<Option<BatchedFunc>> {
    match d.batched(f, ins, None) {
        Ok(all) => Ok(Some(all)),
        Err(e) if e.data().code == Code::E0508 => Ok(None),
        Err(e) => Err(e),
    }
}
/// Whether a function has ops that go another way at each index, or may have.
fn has_ways(d: &dyn Derive, f: FuncId) -> Result<bool> {
    let f = d.module().func(f)?;
    let mut found = false;
    f.walk(BODY, &mut |o| {
        let def = f.op(o).def;
        found |= def.control.repeats.is_some() || def.calls() || def.demands;
    });
    Ok(found)
}
fn mask(cx: &Linearizer, vs: &[ValueId]) -> Vec<bool> {
    vs.iter().map(|&v| cx.tangent(v).is_some()).collect()
}
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let attrs = cx.primal_attrs(&op.attrs)?;
    let (sym, m) = (callee(&attrs)?, Mapped::of(&attrs, op.operands.len(), op.results.len()));
    let active = mask(cx, &op.operands);
    let args = cx.primals(&op.operands)?;
    let n = m.count(cx.p(), &args)?;
    let of_active: Vec<Option<usize>> = crate::derive::pick(&m.ins, &active);
    let results = op.results.len();
    if cx.inline() {
        let j = cx.derive.jvp(sym.func, &active)?;
        let dx = op.operands.iter().filter_map(|&v| cx.tangent(v));
        let args: Vec<ValueId> = args.iter().copied().chain(dx).collect();
        let ins = [&m.ins[..], &of_active].concat();
        let outs = [&m.outs[..], &crate::derive::pick(&m.outs, &j.out)].concat();
        let (ys, _) = cx.p().vmap(j.func, sym.extents.to_vec(), (&ins, &outs), Some(&n), &args)?;
        cx.bind_results(o, &ys);
        let dys = spread(ys[results..].to_vec(), &j.out);
        for ((&r, &y), d) in op.results.iter().zip(&ys).zip(dys) {
            cx.set(r, y, d);
        }
        return Ok(());
    }
    let l = cx.derive.linearize(sym.func, &active)?;
    // Where the forward part of one index makes residuals of extents of its own, as a loop of its own number of trips does, or the
    // linear part runs such a loop again, it is the function of all indices that is differentiated.
    let mut there = tried(cx.derive, l.fwd, &m.ins)?;
    if let Some(fwd) = &there
        && has_ways(cx.derive, l.lin)?
    {
        let ins = [fwd.axes.get(results..).unwrap_or_default(), &of_active].concat();
        if tried(cx.derive, l.lin, &ins)?.is_none() {
            there = None;
        }
    }
    let Some(there) = there else {
        let all = batched(cx.derive, sym.func, &m)?;
        let extents = sym.extents.iter().cloned().chain([n]).collect();
        return lin_by(cx, o, all.func, extents, &op.operands);
    };
    let kept = there.axes.get(results..).unwrap_or_default();
    let outs = [&m.outs[..], kept].concat();
    let (ys, pack) = cx.p().vmap(l.fwd, sym.extents.to_vec(), (&m.ins, &outs), Some(&n), &args)?;
    cx.bind_results(o, &ys);
    let dys = if l.out.contains(&true) {
        let (mut extents, mut xs) = (vec![], vec![]);
        for e in &l.extents {
            let e = crate::derive::instance(e, &sym.extents, &pack)?;
            extents.push(cx.lin_extent(&e)?);
        }
        for &r in ys.get(results..).unwrap_or_default() {
            xs.push(cx.residual(r)?);
        }
        xs.extend(op.operands.iter().filter_map(|&v| cx.tangent(v)));
        let n = cx.lin_extent(&n)?;
        let (ins, outs) = ([kept, &of_active].concat(), crate::derive::pick(&m.outs, &l.out));
        cx.t().vmap(l.lin, extents, (&ins, &outs), Some(&n), &xs)?.0
    } else {
        vec![]
    };
    for ((&r, &y), d) in op.results.iter().zip(&ys).zip(spread(dys, &l.out)) {
        cx.set(r, y, d);
    }
    Ok(())
}
/// At each index the transpose of the function; cotangents of operands that are the same at every index are summed over them.
/// Results that are the same at every index depend on such operands alone: their cotangents go back by a `vmap` of their own, once.
fn transpose(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let attrs = cx.attrs(&op.attrs)?;
    let (sym, m) = (callee(&attrs)?, Mapped::of(&attrs, op.operands.len(), op.results.len()));
    let linear: Vec<bool> = op.operands.iter().map(|&v| cx.linear(v)).collect();
    let (mut fixed, mut at) = (vec![], vec![]);
    for ((&v, &l), &a) in op.operands.iter().zip(&linear).zip(&m.ins) {
        if !l {
            fixed.push(cx.val(v)?);
            at.push(a);
        }
    }
    let mut n = m.length.clone();
    for (&v, a) in op.operands.iter().zip(&m.ins) {
        if let (None, Some(a)) = (&n, a) {
            let d = cx.src.ty(v).dims[*a].clone();
            n = Some(cx.extent(&d)?);
        }
    }
    let mut out: Vec<Option<ValueId>> = vec![None; op.operands.len()];
    for cut in [true, false] {
        let nonzero: Vec<bool> = ct.iter().zip(&m.outs).map(|(c, a)| c.is_some() && a.is_some() == cut).collect();
        if !nonzero.contains(&true) {
            continue;
        }
        let t = cx.derive.transpose(sym.func, &linear, &nonzero)?;
        if !t.out.contains(&true) {
            continue;
        }
        let cts = ct.iter().zip(&nonzero).filter(|p| *p.1).filter_map(|p| *p.0);
        let args: Vec<ValueId> = fixed.iter().copied().chain(cts).collect();
        let ins = [&at[..], &crate::derive::pick(&m.outs, &nonzero)].concat();
        let back: Vec<Option<usize>> = crate::derive::pick(&m.ins, &linear);
        let back = crate::derive::pick(&back, &t.out);
        // What comes to a shared operand from an index may have its axis anywhere.
        let natural = if back.contains(&None) || has_ways(cx.derive, t.func)? {
            match tried(cx.derive, t.func, &ins)? {
                Some(all) => all.axes,
                None => return transpose_all(cx, &sym, &m, n, (&linear, ct), &fixed),
            }
        } else {
            back.clone()
        };
        let outs: Vec<Option<usize>> = back.iter().zip(&natural).map(|(b, n)| b.or(*n)).collect();
        let (ys, _) = cx.b.vmap(t.func, sym.extents.to_vec(), (&ins, &outs), n.as_ref(), &args)?;
        let mut made = vec![];
        for ((y, b), at) in ys.into_iter().zip(&back).zip(&outs) {
            made.push(match (b, at) {
                (None, Some(a)) => cx.b.reduce_sum(y, &[*a])?,
                _ => y,
            });
        }
        let mut made = spread(made, &t.out).into_iter();
        for (sum, _) in out.iter_mut().zip(&linear).filter(|p| *p.1) {
            *sum = match (sum.take(), made.next().flatten()) {
                (Some(a), Some(b)) => Some(cx.b.add(a, b)?),
                (a, b) => a.or(b),
            };
        }
    }
    Ok(out)
}
/// The transpose of the function for all indices, where the transpose of the function goes another way at each.
fn transpose_all(
    cx: &mut Transposer,
    sym: &SymRef,
    m: &Mapped,
    n: Option<Extent>,
    (linear, ct): (&[bool], &[Option<ValueId>]),
    fixed: &[ValueId],
) -> Result<Vec<Option<ValueId>>> {
    let all = batched(cx.derive, sym.func, m)?;
    let nonzero: Vec<bool> = ct.iter().map(Option::is_some).collect();
    let t = cx.derive.transpose(all.func, linear, &nonzero)?;
    let args: Vec<ValueId> = fixed.iter().copied().chain(ct.iter().flatten().copied()).collect();
    let extents = sym.extents.iter().cloned().chain(n).collect();
    let ys = if t.out.contains(&true) { cx.b.call(t.func, Some(extents), &args)?.0 } else { vec![] };
    let mut made = spread(ys, &t.out).into_iter();
    Ok(linear.iter().map(|&l| if l { made.next().flatten() } else { None }).collect())
}
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let (ty, wide, def) = (cx.ty(&[3]), cx.ty(&[3, 2]), cx.def);
    let callee = cx.program(&[(ty.clone(), Domain::Any), (ty.clone(), Domain::Any)], |b, x| {
        let p = b.mul(x[0], x[1])?;
        let e = b.sin(p)?;
        let own = b.mul(x[1], x[1])?;
        Ok(vec![e, p, own])
    })?;
    let at = |list: &[Option<usize>]| attr(list);
    let mut out = vec![];
    for (ins, outs) in [([Some(1), None], [Some(0), Some(1), None]), ([Some(1), Some(1)], [Some(1), Some(0), Some(1)])]
    {
        let second = if ins[1].is_some() { &wide } else { &ty };
        out.push(cx.program(&[(wide.clone(), Domain::Any), (second.clone(), Domain::Any)], |b, x| {
            let op = NewOp::new(def, x).attr("callee", Attr::Sym(callee.func.into()));
            b.emit(op.attr("in", at(&ins)).attr("out", at(&outs)))
        })?);
    }
    Ok(out)
}
