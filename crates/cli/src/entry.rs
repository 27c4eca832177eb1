//! Which function of a module a command is about, and what of the module it needs.
pub(crate) use tfc_api::traced::can_be_entry;

use std::collections::{BTreeMap, BTreeSet};
use tfc_ir::{Attr, BODY, Binder, Builder, Error, Extent, Func, FuncId, Map, Module, Result, SymId, Truth, ValueId};

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

/// The names of a function's results.
pub(crate) fn result_names(f: &Func) -> Vec<String> {
    (0..f.result_types.len()).map(|i| f.result_name(i)).collect()
}

/// A copy of function `f` of the module in which `bind` gives symbolic extents; it takes the name of `f`, which stays
/// for those that call it. Where something in its body certainly does not fit these extents, it is a call of `f`, which
/// fails when it gets there.
pub(crate) fn specialise(m: &Module, id: FuncId, f: &Func, bind: &BTreeMap<String, usize>) -> Result<FuncId> {
    let bound = match bound(m, f, bind, |b, map| {
        for &o in &f.body().ops {
            b.copy(f, o, map)?;
        }
        map.all(f.returns())
    }) {
        Err(e) if e.is_about_extents() && e.data().span != Some(f.span) => bound(m, f, bind, |b, map| {
            let args = map.all(f.params())?;
            let extents =
                map.attr(&Attr::Extents((0..f.syms.len() as u32).map(|i| Extent::sym(SymId(i))).collect()))?;
            let Attr::Extents(extents) = extents else { return Ok(vec![]) };
            Ok(b.call(id, Some(extents.to_vec()), &args)?.0)
        })?,
        made => made?,
    };
    let any = Func { name: m.fresh_name(&format!("{}.any", f.name)).into(), export: false, ..f.clone() };
    m.remove(id);
    let new = m.add(bound);
    m.define(id, any);
    Ok(new)
}
/// The header of `f` with these extents, around `body`.
fn bound<'m>(
    m: &'m Module,
    f: &Func,
    bind: &BTreeMap<String, usize>,
    body: impl FnOnce(&mut Builder<'m>, &mut Map) -> Result<Vec<ValueId>>,
) -> Result<Func> {
    let mut b = Builder::new(m, &f.name);
    b.mend();
    let mut syms = vec![];
    for s in &f.syms {
        syms.push(match bind.get(&*s.name) {
            Some(&n) => Extent::from(n),
            None => Extent::sym(b.sym(&s.name, s.span)),
        });
    }
    let mut map = Map::with_syms(syms);
    f.result_types.iter().for_each(|t| b.bind_fresh(f, &t.dims, &mut map));
    b.func_mut().exists.iter_mut().for_each(|e| e.binder = Some(Binder::Header));
    for c in &f.wheres {
        let c = map.constraint(c)?;
        match b.facts().prove(&c) {
            Truth::Yes => {}
            Truth::No => {
                let text = format!("the extents given do not meet `where {}` of @{}", c.display(b.func()), f.name);
                return Err(Error::new("E0403", text).or_span(f.span));
            }
            Truth::Unknown => b.add_where(c),
        }
    }
    let types = f.result_types.iter().map(|t| map.ty(t)).collect::<Result<_>>()?;
    let with = map.attrs(&f.with)?;
    // The header's existentials are a pack of their own: the body binds fresh ones.
    map.forget_exists();
    let header = b.func_mut();
    (header.result_types, header.with, header.export) = (types, with, f.export);
    (header.result_names, header.span) = (f.result_names.clone(), f.span);
    for &p in f.params() {
        let ty = map.ty(f.ty(p))?;
        let q = b.param(ty, &f.value(p).name);
        map.insert(p, q);
    }
    let ys = body(&mut b, &mut map)?;
    b.finish(ys)
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

/// Exports those of `roots` that can be entry points and `wanted`; nothing else is.
pub(crate) fn export_only(m: &Module, roots: &[FuncId], wanted: impl Fn(FuncId) -> bool) {
    for (id, f) in m.funcs() {
        let export = roots.contains(&id) && wanted(id) && can_be_entry(&f);
        if f.export != export {
            m.define(id, Func { export, ..(*f).clone() });
        }
    }
}

/// Removes what `roots` do not reach; only they are exported, so that passes keep them. Where one cannot be, none is, and
/// passes keep everything.
pub(crate) fn keep_only(m: &mut Module, roots: &[FuncId]) {
    let (mut seen, mut todo, mut data) = (BTreeSet::new(), roots.to_vec(), false);
    while let Some(id) = todo.pop() {
        if let (true, Some(f)) = (seen.insert(id), m.try_func(id)) {
            mentions(&f, &mut todo, &mut data);
        }
    }
    let mut all = true;
    for (id, f) in m.funcs() {
        if !seen.contains(&id) {
            m.remove(id);
        } else {
            all &= !roots.contains(&id) || can_be_entry(&f);
        }
    }
    export_only(m, roots, |_| all);
    if !data {
        m.data.clear();
    }
}
