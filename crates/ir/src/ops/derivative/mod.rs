//! The derivative ops: rows whose expansion asks the engines. Operands and results are those of TFIR §7.
use super::control::call::{active_params, bind_callee, open_results};
use crate::attr::Attr;
use crate::builder::Builder;
use crate::code::Code;
use crate::derive::{Derive, callee, instance};
use crate::diag::{Error, Part, Result};
use crate::extent::{Extent, SymId};
use crate::func::{Func, ValueId};
use crate::infer::InferCx;
use crate::module::{FuncId, Module};
use crate::op::*;
use crate::types::Type;

mod jacobian;

const D: OpDef = OpDef {
    operands: &["x…"],
    slots: &[Slot::leading("callee", SlotKind::Func), Slot { always: true, ..Slot::optional("wrt", SlotKind::Ints) }],
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    ..OpDef::BASE
};
/// `grad`.
pub static GRAD: OpDef = OpDef {
    name: "grad",
    doc: "Gradients of a function whose first result is a real floating scalar, one per parameter in `wrt`. Complex \
          gradients follow the Hermitian convention: they point along steepest ascent.",
    infer: |cx| infer(cx, Kind::Grad),
    expand: Expand::Derivative(|b, d, op| vjp(b, d, op, true, false)),
    ..D
};
/// `value_and_grad`.
pub static VALUE_AND_GRAD: OpDef = OpDef {
    name: "value_and_grad",
    doc: "All results of a function whose first is a real floating scalar, then its gradients, one per parameter in `wrt`.",
    infer: |cx| infer(cx, Kind::ValueAndGrad),
    expand: Expand::Derivative(|b, d, op| vjp(b, d, op, true, true)),
    ..D
};
/// `vjp`.
pub static VJP: OpDef = OpDef {
    name: "vjp",
    doc: "Vector–Jacobian product: operands are the callee's, then one cotangent per floating or complex result; \
          results are the callee's, then one cotangent per parameter in `wrt`.",
    infer: |cx| infer(cx, Kind::Vjp),
    expand: Expand::Derivative(|b, d, op| vjp(b, d, op, false, true)),
    ..D
};
/// `jvp`.
pub static JVP: OpDef = OpDef {
    name: "jvp",
    doc: "Jacobian–vector product: operands are the callee's, then one tangent per parameter in `wrt`; results are the \
          callee's, then one tangent per floating or complex result.",
    infer: |cx| infer(cx, Kind::Jvp),
    expand: Expand::Derivative(jvp),
    ..D
};
/// `hvp`.
pub static HVP: OpDef = OpDef {
    name: "hvp",
    doc: "Hessian–vector product of a function whose first result is a real floating scalar: operands are the callee's, \
          then one vector per parameter in `wrt`; results are the callee's, the gradients, the products.",
    infer: |cx| infer(cx, Kind::Hvp),
    expand: Expand::Derivative(hvp),
    ..D
};
/// `jacobian`.
pub static JACOBIAN: OpDef = OpDef {
    name: "jacobian",
    doc: "Jacobians of a function: for each floating or complex result, for each parameter in `wrt`, its derivatives by each \
          element, the result's axes first. `mode = forward` runs all directions at once, `reverse` all results; `auto` \
          takes the fewer. Where derivatives are 0 whatever values are, those that meet nowhere are added up and come of one \
          run: of an axis that is kept, as a batch is, and of one along which neighbours meet; `compile --emit plan` says what \
          was found, `dense = true` looks for nothing. Where it is not found but known that the derivative of element `i` by \
          element `j` is 0 unless they lie at most `band` apart, or in the same block of `blocks` elements, say so: so many \
          directions are enough.",
    slots: WITH_STRUCTURE,
    infer: |cx| infer(cx, Kind::Jacobian),
    expand: Expand::Derivative(|b, d, op| jacobian::expand(b, d, op, false)),
    explain: Some(|d, f, op| jacobian::explain(d, f, op, false)),
    ..D
};
/// `hessian`.
pub static HESSIAN: OpDef = OpDef {
    name: "hessian",
    doc: "Second derivatives of a function whose first result is a real floating scalar: for each two parameters in `wrt` the \
          derivatives of the gradient by the first by each element of the second. `mode`, `band`, `blocks` and `dense` are \
          those of `jacobian`, of the gradient.",
    slots: WITH_STRUCTURE,
    infer: |cx| infer(cx, Kind::Hessian),
    expand: Expand::Derivative(|b, d, op| jacobian::expand(b, d, op, true)),
    explain: Some(|d, f, op| jacobian::explain(d, f, op, true)),
    ..D
};
const WITH_STRUCTURE: &[Slot] = &[
    Slot::leading("callee", SlotKind::Func),
    Slot { always: true, ..Slot::optional("wrt", SlotKind::Ints) },
    Slot::with_default("mode", SlotKind::Word(&["auto", "forward", "reverse"]), SlotDefault::Word("auto")),
    Slot::optional("band", SlotKind::Int),
    Slot::optional("blocks", SlotKind::Int),
    Slot::with_default("dense", SlotKind::Bool, SlotDefault::Bool(false)),
];
/// The rows.
pub static FAMILY: Family = &[&GRAD, &VALUE_AND_GRAD, &VJP, &JVP, &HVP, &JACOBIAN, &HESSIAN];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Grad,
    ValueAndGrad,
    Vjp,
    Jvp,
    Hvp,
    Jacobian,
    Hessian,
}
/// `wrt`, checked; the default is the first floating or complex parameter.
fn read_wrt(cx: &mut InferCx, f: &Func) -> Result<Vec<usize>> {
    let n = f.params().len();
    if cx.attrs().get("wrt").is_none() {
        let first = f.params().iter().position(|&p| f.ty(p).dtype.is_inexact());
        let first = first
            .ok_or_else(|| Error::new(Code::E0502, format!("@{} has no floating or complex parameter", f.name)))?;
        cx.set_attr("wrt", Attr::ints(&[first]));
    }
    let wrt = cx.axes("wrt", n).map_err(|e| {
        let text = format!("`wrt` lists parameters of @{} by position, each once, below {n}", f.name);
        let what = e.data().message.replacen("axis", "position", 1);
        let what = what.replace(&format!("rank {n}"), &format!("{n} parameters"));
        Error::new(Code::E0506, text).attr("wrt").note(what)
    })?;
    for &w in &wrt {
        let p = f.value(f.params()[w]);
        if !p.ty.dtype.is_inexact() {
            return Err(Error::new(
                Code::E0502,
                format!("%{} of @{} is {}: it has no derivative", p.name, f.name, p.ty.display(f)),
            )
            .attr("wrt")
            .also(p.span, "declared here")
            .help("name a floating or complex parameter"));
        }
    }
    if wrt.is_empty() {
        return Err(Error::new(Code::E0506, "`wrt` is empty").attr("wrt"));
    }
    Ok(wrt)
}
fn infer(cx: &mut InferCx, kind: Kind) -> Result<Vec<Type>> {
    let types = cx.types();
    let sym = callee(cx.attrs())?;
    let n = cx.module().func(sym.func)?.params().len();
    if types.len() < n {
        return Err(Error::new(
            Code::E0210,
            format!("@{} takes {n} operands, not {}", cx.module().func_name(sym.func), types.len()),
        ));
    }
    let (f, sym) = bind_callee(cx, &types[..n])?;
    let wrt = read_wrt(cx, &f)?;
    let ys = open_results(cx, &f, &sym)?;
    cx.set_attr("callee", Attr::Sym(sym));
    if matches!(kind, Kind::Grad | Kind::ValueAndGrad | Kind::Hvp | Kind::Hessian)
        && !ys.first().is_some_and(|t| t.is_scalar() && t.dtype.is_float())
    {
        let got = ys.first().map_or("nothing".into(), |t| cx.show(t));
        return Err(Error::new(
            Code::E0501,
            format!(
                "`{}` needs a function whose first result is a real floating scalar; @{} gives {got}",
                cx.def().name,
                f.name
            ),
        )
        .also(f.span, "defined here")
        .help("reduce the result to a scalar, or use `vjp`"));
    }
    let at = |w: &usize| types[*w].clone();
    let grads: Vec<Type> = wrt.iter().map(at).collect();
    let floats: Vec<Type> = ys.iter().filter(|t| t.dtype.is_inexact()).cloned().collect();
    let extra: &[Type] = match kind {
        Kind::Grad | Kind::ValueAndGrad | Kind::Jacobian | Kind::Hessian => &[],
        Kind::Jvp | Kind::Hvp => &grads,
        Kind::Vjp => &floats,
    };
    if types.len() != n + extra.len() {
        let what = if kind == Kind::Vjp {
            "cotangents"
        } else if kind == Kind::Hvp {
            "vectors"
        } else {
            "tangents"
        };
        return Err(Error::new(
            Code::E0210,
            format!(
                "`{}` takes {n} operands of @{}, then {} {what}; {} are given",
                cx.def().name,
                f.name,
                extra.len(),
                types.len()
            ),
        ));
    }
    for (i, want) in extra.iter().enumerate() {
        let got = types[n + i].clone();
        // A result's existential extents are known only when it has been computed: the expansion guards them.
        let want = want.with_dims(
            want.dims
                .iter()
                .zip(got.dims.iter().chain(std::iter::repeat(&Extent::exact(0))))
                .map(|(w, g)| if w.mentions_existential() && kind == Kind::Vjp { g.clone() } else { w.clone() })
                .collect::<Vec<_>>(),
        );
        cx.agree(&got, &want, Part::Operand(n + i), &format!("operand {}", n + i))?;
    }
    Ok(match kind {
        Kind::Grad => grads,
        Kind::ValueAndGrad | Kind::Vjp => [ys, grads].concat(),
        Kind::Jvp => [ys, floats].concat(),
        Kind::Hvp => [ys, grads.clone(), grads].concat(),
        Kind::Jacobian => jacobian::types(cx, &f, &floats, &grads)?,
        Kind::Hessian => jacobian::types(cx, &f, &grads, &grads)?,
    })
}

fn vjp(b: &mut Builder, d: &dyn Derive, op: &NewOp, scalar: bool, outputs: bool) -> Result<Vec<ValueId>> {
    let sym = callee(&op.attrs)?;
    let wrt = op.attrs.indices("wrt");
    let f = b.module().func(sym.func)?;
    let n = f.params().len();
    let l = d.linearize(sym.func, &active_params(&f, &wrt))?;
    let (ys, pack) = b.call(l.fwd, Some(sym.extents.to_vec()), &op.operands[..n])?;
    let outs = l.out.len();
    let types = b.func().types(&ys[..outs]);
    // Which results get a cotangent: the first alone for a gradient.
    let given: Vec<bool> = (0..outs).map(|i| l.out[i] && (!scalar || i == 0)).collect();
    let mut cts = vec![];
    let mut next = n;
    for (i, t) in types.iter().enumerate() {
        if !t.dtype.is_inexact() {
            continue;
        }
        let ct = if scalar { None } else { op.operands.get(next).copied() };
        next += 1;
        if given[i] {
            cts.push(match ct {
                Some(c) => c,
                None => b.like(ys[i], 1.0)?,
            });
        }
    }
    let linear: Vec<_> = (0..l.residuals + l.tangents).map(|i| i >= l.residuals).collect();
    let nonzero: Vec<bool> = given.iter().zip(&l.out).filter(|p| *p.1).map(|p| *p.0).collect();
    let grads = if nonzero.contains(&true) {
        let t = d.transpose(l.lin, &linear, &nonzero)?;
        let extents = l.extents.iter().map(|e| instance(e, &sym.extents, &pack)).collect::<Result<Vec<_>>>()?;
        let args = [&ys[outs..], &cts].concat();
        let rs = if t.out.contains(&true) { b.call(t.func, Some(extents), &args)?.0 } else { vec![] };
        crate::derive::spread(rs, &t.out)
    } else {
        vec![None; l.tangents]
    };
    let order: Vec<_> = (0..n).filter(|i| wrt.contains(i)).collect();
    let mut out = if outputs { ys[..outs].to_vec() } else { vec![] };
    for w in &wrt {
        let ct = order.iter().position(|x| x == w).and_then(|i| grads.get(i).copied().flatten());
        out.push(match ct {
            Some(c) => c,
            None => b.like(op.operands[*w], 0.0)?,
        });
    }
    Ok(out)
}
fn jvp(b: &mut Builder, d: &dyn Derive, op: &NewOp) -> Result<Vec<ValueId>> {
    let sym = callee(&op.attrs)?;
    let wrt = op.attrs.indices("wrt");
    let f = b.module().func(sym.func)?;
    let n = f.params().len();
    let (ys, ds) = joint(b, d, sym.func, &sym.extents, &wrt, &op.operands[..n], &op.operands[n..])?;
    let mut out = ys.clone();
    for (&y, t) in ys.iter().zip(ds) {
        if b.func().ty(y).dtype.is_inexact() {
            out.push(match t {
                Some(t) => t,
                None => b.like(y, 0.0)?,
            });
        }
    }
    Ok(out)
}
/// Calls the inline derivative of `f`: results, and a tangent each where one flows.
fn joint(
    b: &mut Builder,
    d: &dyn Derive,
    f: FuncId,
    extents: &[Extent],
    wrt: &[usize],
    args: &[ValueId],
    tangents: &[ValueId],
) -> Result<(Vec<ValueId>, Vec<Option<ValueId>>)> {
    let func = b.module().func(f)?;
    let j = d.jvp(f, &active_params(&func, wrt))?;
    let mut operands = args.to_vec();
    for i in 0..args.len() {
        if let Some(k) = wrt.iter().position(|&w| w == i) {
            operands.push(tangents[k]);
        }
    }
    let (rs, _) = b.call(j.func, Some(extents.to_vec()), &operands)?;
    let (ys, ds) = rs.split_at(j.out.len());
    Ok((ys.to_vec(), crate::derive::spread(ds.to_vec(), &j.out)))
}
fn hvp(b: &mut Builder, d: &dyn Derive, op: &NewOp) -> Result<Vec<ValueId>> {
    let sym = callee(&op.attrs)?;
    let wrt = op.attrs.indices("wrt");
    let g = value_and_grad_of(b, sym.func, &wrt)?;
    let func = b.module().func(sym.func)?;
    let (n, outs) = (func.params().len(), func.returns().len());
    let (ys, ds) = joint(b, d, g, &sym.extents, &wrt, &op.operands[..n], &op.operands[n..])?;
    let mut out = ys.clone();
    for i in outs..ys.len() {
        out.push(match ds[i] {
            Some(t) => t,
            None => b.like(ys[i], 0.0)?,
        });
    }
    Ok(out)
}
/// `@f.value_and_grad`, made once per module and `wrt`.
fn value_and_grad_of(b: &Builder, f: FuncId, wrt: &[usize]) -> Result<FuncId> {
    derivative_of(b.module(), f, wrt, &VALUE_AND_GRAD)
}
/// `f` with a row of this family applied to its parameters, made once per module and `wrt`.
fn derivative_of(m: &Module, f: FuncId, wrt: &[usize], row: &'static OpDef) -> Result<FuncId> {
    let src = m.func(f)?;
    let name = format!("{}.{}{}", src.name, row.name, wrt_suffix(&active_params(&src, wrt)));
    if let Some(id) = m.find(&name)
        && m.func(id)?.params().len() == src.params().len()
    {
        return Ok(id);
    }
    let mut g = Builder::new(m, &name);
    g.copy_syms(&src);
    let ps: Vec<_> = src.params().iter().map(|&p| g.param_like(src.ty(p).clone(), &src, p)).collect();
    let syms: Vec<_> = (0..src.syms.len() as u32).map(|i| Extent::sym(SymId(i))).collect();
    let sym = crate::SymRef { func: f, extents: syms.into(), explicit: true };
    let rs = g.emit(NewOp::new(row, &ps).attr("callee", Attr::Sym(sym)).attr("wrt", Attr::ints(wrt)))?;
    Ok(m.add(g.finish(rs)?))
}
/// `.w0_2`, or nothing for the first parameter alone.
pub fn wrt_suffix(active: &[bool]) -> String {
    let list: Vec<String> = active.iter().enumerate().filter(|a| *a.1).map(|a| a.0.to_string()).collect();
    if list == ["0"] { String::new() } else { format!(".w{}", list.join("_")) }
}
