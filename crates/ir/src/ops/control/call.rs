//! `call`, `checkpoint`, `stop_gradient`.
use crate::attr::{Attr, SymRef};
use crate::batch::{Batched, Batcher};
use crate::code::Code;
use crate::derive::{Linearizer, Transposer, callee, instance, spread};
use crate::diag::{Error, Part, Result};
use crate::extent::{Atom, Extent, SymId, solve_extents};
use crate::func::{Finished, Func, OpId, ValueId};
use crate::infer::InferCx;
use crate::module::FuncId;
use crate::op::*;
use crate::sample::{Domain, SampleCx};
use crate::types::Type;
use std::collections::BTreeMap;

/// `call`.
pub static CALL: OpDef = OpDef {
    name: "call",
    doc: "Calls a function: `call(@f<m, n>, %x, …)`. Extent arguments may be left out where they follow from the \
          operands' types. Existentials of the callee's results are bound anew by the call.",
    operands: &["x…"],
    slots: &[Slot::leading("callee", SlotKind::Func)],
    infer: infer_call,
    linearize: Linearize::Rule(lin_call),
    transpose: Transpose::Rule(tr_call),
    batch: Batch::Rule(batch),
    expand: Expand::Inline,
    sample: |cx| sample_call(cx),
    ..OpDef::BASE
};
/// `checkpoint`.
pub static CHECKPOINT: OpDef = OpDef {
    name: "checkpoint",
    doc: "A call that keeps only its operands for the derivative: the callee runs again when its residuals are needed.",
    linearize: Linearize::Rule(lin_checkpoint),
    expand: Expand::No,
    late: true,
    ..CALL
};
/// `stop_gradient`.
pub static STOP_GRADIENT: OpDef = OpDef {
    name: "stop_gradient",
    loops: Loops::Same,
    doc: "Its operand, through which no derivative flows.",
    operands: &["x"],
    infer: |cx| Ok(vec![cx.ty(0)?]),
    linearize: Linearize::Zero,
    batch: Batch::Elementwise,
    sample: |cx| Ok(vec![cx.op(&[(cx.ty(&[3]), Domain::Any)], Default::default(), None)?]),
    small: OnSmall::Kept,
    ..OpDef::BASE
};

/// A call of the callee for all indices at once.
fn batch(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let sym = callee(&op.attrs)?;
    let axes: Vec<Option<usize>> = xs.iter().map(|x| x.axis).collect();
    let all = cx.driver.batch(sym.func, &axes)?;
    let mut extents = sym.extents.iter().map(|e| cx.map_extent(e)).collect::<Result<Vec<_>>>()?;
    extents.push(cx.extent.clone());
    let xs: Vec<ValueId> = xs.iter().map(|x| x.value).collect();
    let (ys, _) = cx.b.call_by(op.def, all.func, Some(extents), &xs)?;
    Ok(ys.into_iter().zip(&all.axes).map(|(value, &axis)| Batched { value, axis }).collect())
}
/// The callee's parameters take the operands; gives the callee and its extents as the caller sees them.
pub(crate) fn bind_callee(cx: &mut InferCx, operands: &[Type]) -> Result<(std::sync::Arc<Finished>, SymRef)> {
    let mut sym = callee(cx.attrs())?;
    let f = cx.module().try_func(sym.func).ok_or_else(|| {
        Error::new(
            Code::E0305,
            format!(
                "@{} is not defined yet: functions may not call each other in a circle",
                cx.module().func_name(sym.func)
            ),
        )
    })?;
    let n = f.syms.len();
    if f.params().len() != operands.len() {
        return Err(Error::new(
            Code::E0210,
            format!("@{} takes {} operands, not {}", f.name, f.params().len(), operands.len()),
        )
        .also(f.span, "defined here"));
    }
    let mut start = vec![None; n];
    if !sym.extents.is_empty() || sym.explicit {
        if sym.extents.len() != n {
            return Err(Error::new(Code::E0411, format!("@{} takes {n} extents, not {}", f.name, sym.extents.len()))
                .also(f.span, "defined here"));
        }
        start = sym.extents.iter().cloned().map(Some).collect();
    }
    let mut eqs = vec![];
    for (i, (&p, a)) in f.params().iter().zip(operands).enumerate() {
        let p = f.ty(p);
        if p.dtype != a.dtype || p.rank() != a.rank() {
            return Err(Error::new(
                if p.dtype != a.dtype { Code::E0202 } else { Code::E0205 },
                format!("@{} takes {} as operand {i}, not {}", f.name, p.display(&*f), cx.show(a)),
            )
            .operand(i)
            .also(f.value(f.params()[i]).span, "declared here"));
        }
        eqs.extend(p.dims.iter().cloned().zip(a.dims.iter().cloned()));
    }
    let mut solved = Vec::with_capacity(n);
    for (i, e) in solve_extents(n, &start, &eqs)?.into_iter().enumerate() {
        solved.push(e.ok_or_else(|| {
            Error::new(
                Code::E0412,
                format!("extent `{}` of @{} does not follow from the operands", f.syms[i].name, f.name),
            )
            .help(format!("give the extents: `@{}<…>`", f.name))
        })?);
    }
    let inst = |e: &Extent| subst_syms(e, &solved);
    for (i, (&p, a)) in f.params().iter().zip(operands).enumerate() {
        for (k, (d, x)) in f.ty(p).dims.clone().iter().zip(a.dims.iter()).enumerate() {
            cx.equal(&inst(d)?, x, Part::Operand(i), || format!("operand {i} of @{}, axis {k}", f.name))?;
        }
    }
    for c in &f.wheres {
        if !c.lhs.mentions_existential() && !c.rhs.mentions_existential() {
            cx.demand(&inst(&c.lhs)?, c.op, &inst(&c.rhs)?, Part::Op, &format!("`where` of @{}", f.name))?;
        }
    }
    sym.extents = solved.into();
    Ok((f, sym))
}
pub(crate) fn subst_syms(e: &Extent, syms: &[Extent]) -> Result<Extent> {
    e.subst(&|a| if let Atom::Sym(SymId(i)) = a { syms.get(i as usize).cloned() } else { None })
}
/// The callee's results as the caller sees them, with fresh existentials.
pub(crate) fn open_results(cx: &mut InferCx, f: &Func, sym: &SymRef) -> Result<Vec<Type>> {
    let mut pack: BTreeMap<_, Extent> = BTreeMap::new();
    let mut missing = vec![];
    for t in &f.result_types {
        for d in t.dims.iter() {
            d.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a
                    && !missing.contains(&r)
                {
                    missing.push(r);
                }
            });
        }
    }
    for r in missing {
        let name = f.exists.get(r.0 as usize).map_or("r".into(), |d| d.name.clone());
        let new = cx.fresh_exist(&name);
        pack.insert(r, Extent::exist(new));
    }
    let inst = |e: &Extent| instance(e, &sym.extents, &pack);
    for c in &f.wheres {
        if c.lhs.mentions_existential() || c.rhs.mentions_existential() {
            cx.assume(crate::extent::Constraint { lhs: inst(&c.lhs)?, op: c.op, rhs: inst(&c.rhs)? });
        }
    }
    f.result_types.iter().map(|t| Ok(t.with_dims(t.dims.iter().map(inst).collect::<Result<Vec<_>>>()?))).collect()
}
fn infer_call(cx: &mut InferCx) -> Result<Vec<Type>> {
    let types = cx.types();
    let (f, sym) = bind_callee(cx, &types)?;
    let rs = open_results(cx, &f, &sym)?;
    cx.set_attr("callee", Attr::Sym(sym));
    Ok(rs)
}

fn mask(cx: &Linearizer, vs: &[ValueId]) -> Vec<bool> {
    vs.iter().map(|&v| cx.tangent(v).is_some()).collect()
}
fn set_all(cx: &mut Linearizer, results: &[ValueId], ys: &[ValueId], dys: Vec<Option<ValueId>>) {
    for ((&r, &y), d) in results.iter().zip(ys).zip(dys) {
        cx.set(r, y, d);
    }
}
fn lin_call(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let sym = callee(&cx.primal_attrs(&op.attrs)?)?;
    let active = mask(cx, &op.operands);
    let args = cx.primals(&op.operands)?;
    let dx: Vec<_> = op.operands.iter().filter_map(|&v| cx.tangent(v)).collect();
    let n = op.results.len();
    if cx.inline() {
        let j = cx.derive.jvp(sym.func, &active)?;
        let (ys, _) = cx.p().call(j.func, Some(sym.extents.to_vec()), &[args, dx].concat())?;
        cx.bind_results(o, &ys);
        let dys = spread(ys[n..].to_vec(), &j.out);
        set_all(cx, &op.results, &ys, dys);
        return Ok(());
    }
    lin_by(cx, o, sym.func, sym.extents.to_vec(), &op.operands)
}
/// The split derivative of `o` as that of a call `@f<extents>(given)`; extents are the primal part's, `given` of the source.
pub(super) fn lin_by(cx: &mut Linearizer, o: OpId, f: FuncId, extents: Vec<Extent>, given: &[ValueId]) -> Result<()> {
    let results = cx.op(o).results;
    let n = results.len();
    let l = cx.derive.linearize(f, &mask(cx, given))?;
    let args = cx.primals(given)?;
    let dx: Vec<_> = given.iter().filter_map(|&v| cx.tangent(v)).collect();
    let (ys, pack) = cx.p().call(l.fwd, Some(extents.clone()), &args)?;
    cx.bind_results(o, &ys);
    // A function that stands for an op may show less of its extents than the op did.
    for (&old, &new) in results.iter().zip(&ys) {
        let ty = cx.primal_type(old)?;
        cx.p().state_type(new, &ty)?;
    }
    let dys = if l.out.contains(&true) { lin_part(cx, &l, &extents, &pack, dx, &ys[n..])? } else { vec![] };
    set_all(cx, &results, &ys, spread(dys, &l.out));
    Ok(())
}
/// The call of the linear part, residuals `res` being forward values.
fn lin_part(
    cx: &mut Linearizer,
    l: &crate::derive::Linearized,
    given: &[Extent],
    pack: &BTreeMap<crate::extent::ExistId, Extent>,
    dx: Vec<ValueId>,
    res: &[ValueId],
) -> Result<Vec<ValueId>> {
    let mut args = vec![];
    for &r in res {
        args.push(cx.residual(r)?);
    }
    args.extend(dx);
    let mut extents = vec![];
    for e in &l.extents {
        let e = instance(e, given, pack)?;
        extents.push(cx.lin_extent(&e)?);
    }
    Ok(cx.t().call(l.lin, Some(extents), &args)?.0)
}
fn lin_checkpoint(cx: &mut Linearizer, o: OpId) -> Result<()> {
    if cx.inline() {
        return lin_call(cx, o);
    }
    let op = cx.op(o);
    let sym = callee(&cx.primal_attrs(&op.attrs)?)?;
    let l = cx.derive.linearize(sym.func, &mask(cx, &op.operands))?;
    let args = cx.primals(&op.operands)?;
    let ys = cx.copy_primal(o)?;
    if !l.out.contains(&true) {
        return Ok(());
    }
    let mut again = vec![];
    for a in args {
        again.push(cx.residual(a)?);
    }
    let mut extents = vec![];
    for e in sym.extents.iter() {
        extents.push(cx.lin_extent(e)?);
    }
    // A `checkpoint` again: it is neither inlined nor merged with the first run.
    let again_func = crate::derive::without_assertions(cx.derive.module(), l.fwd)?;
    let (rs, pack) = cx.t().call_by(&CHECKPOINT, again_func, Some(extents.clone()), &again)?;
    let mut dx = rs[op.results.len()..].to_vec();
    dx.extend(op.operands.iter().filter_map(|&v| cx.tangent(v)));
    // Extents that the first run has bound are those of the second: cotangents come with the former.
    let mut pack = pack;
    let fwd = cx.derive.module().func(l.fwd)?;
    for (ty, &y) in fwd.result_types.iter().zip(&ys) {
        let own = cx.p().ty(y);
        for (d, e) in ty.dims.iter().zip(own.dims.iter()) {
            if let Some(Atom::Exist(r)) = d.as_atom() {
                pack.insert(r, cx.lin_extent(e)?);
            }
        }
    }
    let lin_extents: Vec<Extent> = l.extents.iter().map(|e| instance(e, &extents, &pack)).collect::<Result<_>>()?;
    let (dys, _) = cx.t().call(l.lin, Some(lin_extents), &dx)?;
    set_all(cx, &op.results, &ys, spread(dys, &l.out));
    Ok(())
}
fn tr_call(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let sym = callee(&cx.attrs(&op.attrs)?)?;
    let linear: Vec<_> = op.operands.iter().map(|&v| cx.linear(v)).collect();
    let nonzero: Vec<_> = ct.iter().map(Option::is_some).collect();
    let t = cx.derive.transpose(sym.func, &linear, &nonzero)?;
    let mut args = vec![];
    for (&v, &l) in op.operands.iter().zip(&linear) {
        if !l {
            args.push(cx.val(v)?);
        }
    }
    args.extend(ct.iter().flatten());
    let rs = if t.out.contains(&true) { cx.b.call(t.func, Some(sym.extents.to_vec()), &args)?.0 } else { vec![] };
    let mut outs = spread(rs, &t.out).into_iter();
    Ok(linear.iter().map(|&l| if l { outs.next().flatten() } else { None }).collect())
}
/// The function symbol of a derivative op's callee, with its active parameters.
pub(crate) fn active_params(f: &Func, wrt: &[usize]) -> Vec<bool> {
    (0..f.params().len()).map(|i| wrt.contains(&i)).collect()
}
fn sample_call(cx: &SampleCx) -> Result<Vec<crate::sample::Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let ty = cx.ty(&[3]);
    let callee = cx.program(&[(ty.clone(), Domain::Any), (ty.clone(), Domain::Any)], |b, x| {
        let p = b.mul(x[0], x[1])?;
        let e = b.sin(p)?;
        Ok(vec![e, p])
    })?;
    let def = cx.def;
    Ok(vec![cx.program(&[(ty.clone(), Domain::Any), (ty, Domain::Any)], |b, x| {
        let op = NewOp::new(def, x).attr("callee", Attr::Sym(callee.func.into()));
        let r = b.emit(op)?;
        Ok(vec![b.mul(r[0], r[1])?])
    })?])
}
