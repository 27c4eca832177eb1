//! The function that `tfc grad` makes: parameters and results in the order that the command line promises, around one
//! derivative op.
use crate::args::Mode;
use std::collections::BTreeMap;
use tfc_ir::ops::derivative::{GRAD, HVP, JVP, VALUE_AND_GRAD, VJP, wrt_suffix};
use tfc_ir::{
    Attr, Builder, Error, ExistId, Extent, Func, FuncId, Module, NewOp, OpDef, Result, Span, SymId, SymRef, Type,
    ValueId,
};

/// The op of a mode, and what it is called in names.
fn op_of(mode: Mode) -> Result<&'static OpDef> {
    Ok(match mode {
        Mode::Grad => &GRAD,
        Mode::ValueAndGrad => &VALUE_AND_GRAD,
        Mode::Vjp => &VJP,
        Mode::Jvp => &JVP,
        Mode::Hvp => &HVP,
        Mode::Linearize | Mode::Transpose => {
            return Err(Error::new("E0599", "linearize and transpose are no derivative ops"));
        }
    })
}

/// The positions of floating or complex results.
fn inexact_results(f: &Func) -> Vec<usize> {
    (0..f.result_types.len()).filter(|&i| f.result_types[i].dtype.is_inexact()).collect()
}

/// Adds the function for `mode` of `f` with respect to `wrt` to the module, exported.
pub(crate) fn add(m: &Module, f: FuncId, mode: Mode, wrt: &[usize]) -> Result<FuncId> {
    let def = op_of(mode)?;
    let src = m.func(f)?;
    let active: Vec<bool> = (0..src.params().len()).map(|i| wrt.contains(&i)).collect();
    let mut b = Builder::new(m, &format!("{}.{}{}", src.name, def.name, wrt_suffix(&active)));
    b.copy_syms(&src);
    let name = |i: usize| src.params().get(i).map_or_else(String::new, |&p| src.value(p).name.to_string());
    let mut operands: Vec<ValueId> =
        src.params().iter().map(|&p| b.param(src.ty(p).clone(), &src.value(p).name)).collect();
    match mode {
        Mode::Jvp | Mode::Hvp => {
            let prefix = if mode == Mode::Jvp { "d" } else { "v" };
            for &w in wrt {
                let ty = src.params().get(w).map(|&p| src.ty(p).clone());
                let ty = ty.ok_or_else(|| Error::new("E0506", format!("there is no parameter {w}")))?;
                operands.push(b.param(ty, &format!("{prefix}_{}", name(w))));
            }
        }
        Mode::Vjp => {
            let mut renamed = BTreeMap::new();
            for i in inexact_results(&src) {
                let ty = free_extents(&mut b, &src, &src.result_types[i], &mut renamed)?;
                operands.push(b.param(ty, &format!("ct_{}", src.result_name(i))));
            }
        }
        _ => {}
    }
    let extents: Vec<Extent> = (0..src.syms.len() as u32).map(|i| Extent::sym(SymId(i))).collect();
    let explicit = !crate::entry::can_be_entry(&src);
    let callee = Attr::Sym(SymRef { func: f, extents: extents.into(), explicit });
    let op = NewOp::new(def, &operands).attr("callee", callee).attr("wrt", Attr::ints(wrt));
    let results = b.emit(op)?;
    let names = distinct(names_of_results(&src, mode, wrt, &name));
    for (&v, n) in results.iter().zip(&names) {
        b.hint(v, n.as_str());
    }
    let header = b.func_mut();
    header.export = crate::entry::can_be_entry(header);
    header.span = src.span;
    header.result_names = names.iter().map(|n| Some(n.as_str().into())).collect();
    Ok(m.add(b.finish(results)?))
}

/// Each name once: a later one that is taken gets a number.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    for n in names {
        let numbered = (2..).map(|k| format!("{n}_{k}"));
        let free = std::iter::once(n.clone()).chain(numbered).find(|x| !out.contains(x));
        out.extend(free);
    }
    out
}

/// A result's existential extents become extents of their own in its cotangent; the expansion guards them.
fn free_extents(b: &mut Builder, src: &Func, ty: &Type, renamed: &mut BTreeMap<ExistId, SymId>) -> Result<Type> {
    for d in ty.dims.iter() {
        d.for_each_atom(&mut |a| {
            if let tfc_ir::extent::Atom::Exist(r) = a {
                let name = src.exists.get(r.0 as usize).map_or("r", |e| &e.name).to_owned();
                renamed.entry(r).or_insert_with(|| b.sym(&name, Span::default()));
            }
        });
    }
    let dims = ty.dims.iter().map(|d| {
        d.subst(&|a| match a {
            tfc_ir::extent::Atom::Exist(r) => renamed.get(&r).map(|&s| Extent::sym(s)),
            tfc_ir::extent::Atom::Sym(_) => None,
        })
    });
    Ok(ty.with_dims(dims.collect::<Result<Vec<_>>>()?))
}

fn names_of_results(src: &Func, mode: Mode, wrt: &[usize], param: &dyn Fn(usize) -> String) -> Vec<String> {
    let outs = || (0..src.result_types.len()).map(|i| src.result_name(i));
    let each = |prefix: &'static str| wrt.iter().map(move |&w| format!("{prefix}_{}", param(w)));
    match mode {
        Mode::Grad => each("g").collect(),
        Mode::ValueAndGrad => outs().chain(each("g")).collect(),
        Mode::Vjp => outs().chain(each("ct")).collect(),
        Mode::Jvp => {
            outs().chain(inexact_results(src).into_iter().map(|i| format!("d_{}", src.result_name(i)))).collect()
        }
        Mode::Hvp => outs().chain(each("g")).chain(each("hv")).collect(),
        Mode::Linearize | Mode::Transpose => vec![],
    }
}

/// The positions that `--wrt` names; the first floating or complex parameter where it names none.
pub(crate) fn wrt_positions(m: &Module, f: &Func, list: &[String]) -> Result<Vec<usize>> {
    let names = crate::bind::param_names(m, f);
    let mut out = vec![];
    for name in list {
        let i = crate::bind::position(name, &names, "parameter")?;
        if out.contains(&i) {
            return Err(Error::new("E0904", format!("parameter `{name}` is named twice")));
        }
        out.push(i);
    }
    if list.is_empty() {
        out.extend(f.params().iter().position(|&p| f.ty(p).dtype.is_inexact()));
    }
    if out.is_empty() {
        return Err(Error::new(
            "E0502",
            format!("@{} has no floating or complex parameter to differentiate by", f.name),
        ));
    }
    Ok(out)
}
