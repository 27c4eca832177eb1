//! Functions for running a second time: assertions stay in the first run (TFIR §5, effects).
use crate::Result;
use crate::attr::{Attr, SymRef};
use crate::builder::Builder;
use crate::func::*;
use crate::map::Map;
use crate::module::{FuncId, Module};
use crate::op::Effect;

/// `f` without assertions, callees included; `f` itself where it has none. Made once per module.
pub fn without_assertions(m: &Module, f: FuncId) -> Result<FuncId> {
    let src = m.func(f)?;
    if src.effect == Effect::Assert && m.find(&again(&src)).is_none() {
        // Callees first, so that each finds what it calls: calls may nest deeper than a stack reaches.
        for g in m.callees_first([f], |g| m.try_func(g).is_none_or(|g| g.effect != Effect::Assert)) {
            one(m, g)?;
        }
    }
    one(m, f)
}
fn again(f: &Func) -> String {
    format!("{}.again", f.name)
}
fn one(m: &Module, f: FuncId) -> Result<FuncId> {
    let src = m.func(f)?;
    if src.effect != Effect::Assert {
        return Ok(f);
    }
    let name = again(&src);
    if let Some(id) = m.find(&name) {
        return Ok(id);
    }
    let mut b = Builder::new(m, &name);
    let mut map = Map::new();
    b.mend();
    b.copy_header(&src, &mut map)?;
    b.f.export = false;
    region(&mut b, &src, BODY, &mut map)?;
    let ys = map.all(src.returns())?;
    Ok(m.add(b.finish_rewritten(ys)?))
}
fn region(b: &mut Builder, f: &Func, r: RegionId, map: &mut Map) -> Result<()> {
    for &o in &f.region(r).ops {
        let op = f.op(o);
        // What types rest on is said again.
        if op.def.effect == Effect::Assert && !op.def.demands {
            continue;
        }
        let mut new = f.clone_shell(o);
        for (k, a) in op.attrs.iter() {
            if let Attr::Sym(s) = a {
                let func = one(b.module(), s.func)?;
                new.attrs.set(k, Attr::Sym(SymRef { func, ..s.clone() }));
            }
        }
        let mut regions = vec![];
        for &q in &op.regions {
            let opened = b.open_copy(f, q, map)?;
            region(b, f, q, map)?;
            regions.push(b.close_copy(opened, f, q, map)?);
        }
        let operands = map.list(&op.operands)?;
        b.copy_op(f, &new, operands, regions, map)?;
    }
    Ok(())
}
