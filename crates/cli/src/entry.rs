//! Which function of a module a command is about, and what of the module it needs.
use std::collections::BTreeSet;
use tfc_ir::{Attr, BODY, Error, Func, FuncId, Module, Result};

/// The entry point: the one named, else `@main`, else the only export, else the only function.
pub(crate) fn pick(m: &Module, name: Option<&str>) -> Result<FuncId> {
    let funcs = m.funcs();
    let list = |which: &mut dyn Iterator<Item = &Func>| -> String {
        let names: Vec<String> = which.map(|f| format!("@{}", f.name)).collect();
        if names.is_empty() { "it has no function".into() } else { format!("it has {}", names.join(", ")) }
    };
    if let Some(name) = name {
        let plain = name.trim_start_matches('@');
        return m.find(plain).filter(|&f| m.try_func(f).is_some()).ok_or_else(|| {
            Error::new("E0907", format!("there is no function @{}", plain.escape_debug()))
                .help(list(&mut funcs.iter().map(|(_, f)| &**f)))
        });
    }
    if let Some((id, _)) = funcs.iter().find(|(_, f)| &*f.name == "main") {
        return Ok(*id);
    }
    let exports: Vec<_> = funcs.iter().filter(|(_, f)| f.export).collect();
    match (exports.as_slice(), funcs.as_slice()) {
        ([(id, _)], _) | ([], [(id, _)]) => Ok(*id),
        (several, all) => {
            let candidates = if several.is_empty() { all.iter().collect::<Vec<_>>() } else { exports.clone() };
            Err(Error::new("E0907", "which function is meant is not clear")
                .help(format!("choose by `--entry NAME`: {}", list(&mut candidates.iter().map(|(_, f)| &**f)))))
        }
    }
}

/// The names of a function's results.
pub(crate) fn result_names(f: &Func) -> Vec<String> {
    (0..f.result_types.len()).map(|i| f.result_name(i)).collect()
}

/// Functions and data that a function's text mentions.
fn mentions(f: &Func, funcs: &mut Vec<FuncId>, data: &mut bool) {
    let mut attr = |a: &Attr| see(a, funcs, data);
    f.with.iter().for_each(|(_, a)| attr(a));
    f.walk(BODY, &mut |o| f.op(o).attrs.iter().for_each(|(_, a)| attr(a)));
}
fn see(a: &Attr, funcs: &mut Vec<FuncId>, data: &mut bool) {
    match a {
        Attr::Sym(s) => funcs.push(s.func),
        Attr::Data(_) => *data = true,
        Attr::List(l) => l.iter().for_each(|a| see(a, funcs, data)),
        _ => {}
    }
}

/// Removes what `roots` do not reach; only they stay exported.
pub(crate) fn keep_only(m: &mut Module, roots: &[FuncId]) {
    let (mut seen, mut todo, mut data) = (BTreeSet::new(), roots.to_vec(), false);
    while let Some(id) = todo.pop() {
        if let (true, Some(f)) = (seen.insert(id), m.try_func(id)) {
            mentions(&f, &mut todo, &mut data);
        }
    }
    for (id, f) in m.funcs() {
        if !seen.contains(&id) {
            m.remove(id);
        } else if f.export != roots.contains(&id) {
            m.define(id, Func { export: roots.contains(&id), ..(*f).clone() });
        }
    }
    if !data {
        m.data.clear();
    }
}
