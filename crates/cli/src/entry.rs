//! Which function of a module a command is about, and what of the module it needs.
pub(crate) use tfc_api::traced::can_be_entry;
pub(crate) use tfc_stablehlo::specialise;

use std::collections::BTreeMap;
use tfc_ir::extent::{Extent, solvable};
use tfc_ir::{Attr, BODY, Code, Error, Func, FuncId, Module, Result};

/// The entry point: the one named, else `@main`, else the only export, else the only function.
pub(crate) fn pick(m: &Module, name: Option<&str>) -> Result<FuncId> {
    tfc_api::traced::pick(m, name).map_err(|e| match &e.data().help {
        Some(list) if name.is_none() => {
            let text = format!("choose by `--entry NAME`: {list}");
            e.help(text)
        }
        _ => e,
    })
}

/// Function `f` with numbers for those of its extents that arguments do not give: `bind` has them, and loses them.
///
/// # Errors
/// `E0908` where `bind` lacks one; what the body says to the numbers.
pub(crate) fn with_extents(m: &Module, f: FuncId, bind: &mut BTreeMap<String, usize>) -> Result<FuncId> {
    let func = m.func(f)?;
    let dims: Vec<Extent> = func.params().iter().flat_map(|&p| func.ty(p).dims.iter().cloned()).collect();
    let given = solvable(func.syms.len(), &dims);
    let mut numbers = BTreeMap::new();
    for (s, _) in func.syms.iter().zip(given).filter(|(_, given)| !given) {
        let n = bind.remove(&*s.name).ok_or_else(|| {
            let text = format!("no argument of @{} gives its extent `{}`", func.name, s.name);
            Error::new(Code::E0908, text).or_span(s.span).help(format!("give it, as in `--bind {}=128`", s.name))
        })?;
        numbers.insert(s.name.to_string(), n);
    }
    if numbers.is_empty() { Ok(f) } else { specialise(m, f, &func, &numbers) }
}

/// The names of a function's results.
pub(crate) fn result_names(f: &Func) -> Vec<String> {
    (0..f.result_types.len()).map(|i| f.result_name(i)).collect()
}

/// Exports those of `roots` that can be entry points and `wanted`; nothing else is.
pub(crate) fn export_only(m: &Module, roots: &[FuncId], wanted: impl Fn(FuncId) -> bool) {
    for (id, f) in m.funcs() {
        let export = roots.contains(&id) && wanted(id) && can_be_entry(&f);
        if f.export != export {
            m.define(id, f.exported(export));
        }
    }
}

/// Removes what `roots` do not reach; only they are exported, so that passes keep them. Where one cannot be, none is, and
/// passes keep everything.
pub(crate) fn keep_only(m: &mut Module, roots: &[FuncId]) {
    let seen = m.reached(roots.iter().copied());
    let reads = |a: &Attr| matches!(a, Attr::Data(_));
    let mut data = false;
    let mut all = true;
    for (id, f) in m.funcs() {
        if !seen.contains(&id) {
            m.remove(id);
        } else {
            all &= !roots.contains(&id) || can_be_entry(&f);
            f.walk(BODY, &mut |o| data |= f.op(o).attrs.iter().any(|(_, a)| reads(a)));
        }
    }
    export_only(m, roots, |_| all);
    if !data {
        m.data.clear();
    }
}
