//! Inlining: callees first, so that each body is expanded once.
use crate::PassError;
use crate::rewrite::{bind_extents, rewrite};
use std::collections::HashMap;
use std::sync::Arc;
use tfc_ir::extent::Atom;
use tfc_ir::op::Expand;
use tfc_ir::{
    Attr, BODY, Binder, Builder, Error, Func, FuncId, Guard, Map, Module, NewOp, OpId, Result, Truth, ValueId,
};

/// Calls of a function that are found one after the other not to fit.
const KEPT: usize = 16;

/// The pass `inline`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    let mut done: HashMap<FuncId, Arc<Func>> = HashMap::new();
    let mut any = false;
    for (id, f) in m.funcs() {
        let new = inlined(m, id, &mut done).map_err(|e| PassError::of(&f, e))?;
        if !Arc::ptr_eq(&new, &f) {
            any = true;
        }
    }
    for (id, f) in done {
        if m.try_func(id).is_some_and(|old| !Arc::ptr_eq(&old, &f)) {
            m.define(id, Arc::unwrap_or_clone(f));
        }
    }
    Ok(super::dce::drop_unused(m) | any)
}
fn never(f: &Func) -> bool {
    f.with.word("inline") == Some("never")
}
/// The callee of `o`, where `o` is a call that may be inlined.
fn target(m: &Module, f: &Func, o: OpId) -> Option<FuncId> {
    let op = f.op(o);
    if !matches!(op.def.expand, Expand::Inline) {
        return None;
    }
    let id = op.attrs.iter().find_map(|(_, a)| if let Attr::Sym(s) = a { Some(s.func) } else { None })?;
    (!never(m.try_func(id).as_deref()?)).then_some(id)
}
fn inlined(m: &Module, id: FuncId, done: &mut HashMap<FuncId, Arc<Func>>) -> Result<Arc<Func>> {
    if let Some(f) = done.get(&id) {
        return Ok(f.clone());
    }
    let f = m.func(id)?;
    let mut callees = vec![];
    f.walk(BODY, &mut |o| callees.extend(target(m, &f, o)));
    if callees.is_empty() {
        done.insert(id, f.clone());
        return Ok(f);
    }
    let mut bodies = HashMap::new();
    for c in callees {
        if let std::collections::hash_map::Entry::Vacant(e) = bodies.entry(c) {
            e.insert(inlined(m, c, done)?);
        }
    }
    let new = pasted(m, &f, &bodies)?.map_or(f, Arc::new);
    done.insert(id, new.clone());
    Ok(new)
}
/// `f` with these bodies in place of calls. A call whose extents certainly do not fit what the body asks stays a call,
/// which fails where it runs; `None` where more than [`KEPT`] do, or something else does not fit behind them.
fn pasted(m: &Module, f: &Func, bodies: &HashMap<FuncId, Arc<Func>>) -> Result<Option<Func>> {
    let mut kept: Vec<OpId> = vec![];
    loop {
        let before = kept.len();
        let made = rewrite(m, f, &mut |b, f, o, args, map| match target(m, f, o).and_then(|c| bodies.get(&c)) {
            Some(body) if !kept.contains(&o) => {
                let rs = paste(b, f, o, args, map, body);
                if rs.as_ref().is_err_and(Error::is_about_extents) {
                    kept.push(o);
                }
                rs.map(Some)
            }
            _ => Ok(None),
        });
        match made {
            Err(e) if !e.is_about_extents() => return Err(e),
            Err(_) if kept.len() == before || kept.len() > KEPT => return Ok(None),
            Err(_) => {}
            Ok((new, changed)) => return Ok(changed.then_some(new)),
        }
    }
}
fn paste(b: &mut Builder, f: &Func, o: OpId, args: &[ValueId], outer: &mut Map, body: &Func) -> Result<Vec<ValueId>> {
    let attrs = outer.attrs(&f.op(o).attrs)?;
    let sym = tfc_ir::derive::callee(&attrs)?;
    ask(b, &f.op(o).guards, outer)?;
    let mut map = Map::with_syms(sym.extents.to_vec());
    for (&p, &a) in body.params().iter().zip(args) {
        map.insert(p, a);
    }
    for &inner in &body.body().ops {
        b.copy(body, inner, &mut map)?;
    }
    let rs = map.all(body.returns())?;
    for (&old, &new) in f.op(o).results.iter().zip(&rs) {
        bind_extents(b, f, old, new, outer);
        name_extents(b, f, old, new);
        // The caller's name wins, but for an operand that is handed through.
        let name = f.value(old).name.clone();
        if !name.is_empty() && !args.contains(&new) {
            b.rename(new, name);
        }
    }
    Ok(rs)
}
/// What the call asked of its arguments at run time is asked by a `guard` in its place.
fn ask(b: &mut Builder, guards: &[Guard], outer: &Map) -> Result<()> {
    let mut conds = vec![];
    for g in guards {
        let c = outer.constraint(&g.cond)?;
        if b.facts().prove(&c) != Truth::Yes {
            conds.push(c);
        }
    }
    if !conds.is_empty() {
        let mut op = NewOp::new(&tfc_ir::ops::extents::GUARD, &[]);
        op.wheres = conds;
        b.emit(op)?;
    }
    Ok(())
}
/// An existential that leaves the callee has the caller's name.
fn name_extents(b: &mut Builder, f: &Func, old: ValueId, new: ValueId) {
    let dims: Vec<_> = f.ty(old).dims.iter().cloned().zip(b.func().ty(new).dims.iter().cloned()).collect();
    for (x, y) in dims {
        if let (Some(Atom::Exist(x)), Some(Atom::Exist(y))) = (x.as_atom(), y.as_atom()) {
            let name = f.exists[x.0 as usize].name.clone();
            let exists = &mut b.func_mut().exists;
            let taken = exists
                .iter()
                .enumerate()
                .any(|(i, d)| i != y.0 as usize && d.name == name && d.binder != Some(Binder::Header));
            if !taken {
                exists[y.0 as usize].name = name;
            }
        }
    }
}
