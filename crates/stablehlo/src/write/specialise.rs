//! Functions with numbers in the place of symbols.
use std::collections::BTreeMap;
use tfc_ir::{Attr, Builder, Code, Error, Extent, Finished, Func, FuncId, Map, Module, Result, SymId, Truth, ValueId};

/// A copy of function `f` of the module in which `bind` gives symbolic extents; it takes the name of `f`, which stays
/// for those that call it. Where something in its body certainly does not fit these extents, it is a call of `f`, which
/// fails when it gets there.
///
/// # Errors
/// `E0403` where the extents do not meet the `where` of `f`; what building the copy reports.
pub fn specialise(m: &Module, id: FuncId, f: &Finished, bind: &BTreeMap<String, usize>) -> Result<FuncId> {
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
    let any = f.private(&m.fresh_name(&format!("{}.any", f.name)));
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
) -> Result<Finished> {
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
    b.bind_to_header();
    for c in &f.wheres {
        let c = map.constraint(c)?;
        match b.facts().prove(&c) {
            Truth::Yes => {}
            Truth::No => {
                let text = format!("the extents given do not meet `where {}` of @{}", c.display(b.func()), f.name);
                return Err(Error::new(Code::E0403, text).or_span(f.span));
            }
            Truth::Unknown => b.add_where(c),
        }
    }
    let types = f.result_types.iter().map(|t| map.ty(t)).collect::<Result<_>>()?;
    let with = map.attrs(&f.with)?;
    // The header's existentials are a pack of their own: the body binds fresh ones.
    map.forget_exists();
    b.set_result_types(types);
    b.with(with);
    b.export(f.export);
    b.name_results(f.result_names.clone());
    b.place(f.span);
    for &p in f.params() {
        let ty = map.ty(f.ty(p))?;
        let q = b.param(ty, &f.value(p).name);
        map.insert(p, q);
    }
    let ys = body(&mut b, &mut map)?;
    b.finish(ys)
}
