//! Full verification: every function is built again through the one builder, as it is where text is read: what verifies,
//! reads back once it is printed. After `Ok`, passes and backends return values or errors and never panic.
//!
//! Invariants (code of the error):
//! - a callee is defined, and calls form a DAG (E0302, E0305);
//! - an operand is defined before its use, in its region or one around it (E0303);
//! - arity, attributes, regions and result types are those that the row's inference gives (E02xx, E04xx);
//! - every existential in a type is bound by exactly one op, region or header, before its use (E0401);
//! - `return` gives what the header promises (E0208, E0409), by facts that statements say;
//! - annotations fit the mesh and the axes of their values (E0231, E0313, E0314);
//! - the extents of an entry point follow from its arguments (E0415);
//! - what does not follow from statements in scope is checked when the op runs (E0417);
//! - extents are never negative where known (E0402).
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::extent::{Atom, Extent, Facts, Truth};
use crate::func::*;
use crate::map::Map;
use crate::module::{FuncId, Module};
use crate::op::NewOp;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A function, and all that it calls, of a module that has been verified and that nobody else can change any more: what
/// engines compile. Whoever has one may rely on every invariant above.
pub struct Checked {
    module: Module,
    entry: FuncId,
}
impl Checked {
    /// Verifies what of `entry` and all that it calls, as the module has them now, no builder of the module has checked.
    ///
    /// # Errors
    /// What does not hold; `E0305` where calls form a circle, `E0302` where a function is not defined, `E0607`
    /// where loaded data is not what its declaration says.
    pub fn of(m: &Module, entry: FuncId) -> Result<Checked> {
        let module = m.fork();
        let mut done = BTreeSet::new();
        for id in module.callees_first([entry], |_| false) {
            let f = module.func(id)?;
            if let Some(g) = f.callees().into_iter().find(|g| !done.contains(g)) {
                let text = format!("@{} and @{} call each other in a circle", f.name, module.func_name(g));
                return Err(Error::new(Code::E0305, text)
                    .or_span(f.span)
                    .help("write a loop: functions may not recur"));
            }
            // What the builder has checked has been.
            if !module.sealed(&f) {
                func(&module, &f)?;
            }
            done.insert(id);
        }
        for d in &module.data {
            let Some(t) = &d.value else { continue };
            let shape: Vec<Extent> = t.shape().iter().map(|&n| Extent::exact(n as i64)).collect();
            if t.dtype() != d.ty.dtype || shape != *d.ty.dims {
                let text =
                    format!("data @{} is declared otherwise: what was loaded is {}{:?}", d.name, t.dtype(), t.shape());
                return Err(Error::new(Code::E0607, text).or_span(d.span).help("load what the declaration says"));
            }
        }
        Ok(Checked { module, entry })
    }
    /// The function.
    pub fn entry(&self) -> FuncId {
        self.entry
    }
    /// The module, for those who only read it.
    pub fn module(&self) -> &Module {
        &self.module
    }
}

/// Verifies every function; the errors carry the function they are about.
pub fn module(m: &Module) -> Vec<(Arc<Finished>, Error)> {
    m.funcs().into_iter().filter_map(|(_, f)| func(m, &f).err().map(|e| (f, e))).collect()
}
/// Verifies one function.
pub fn func(m: &Module, f: &Func) -> Result<()> {
    for (&v, s) in &f.shardings {
        if let Some((e, _)) = s.fault(m.mesh.as_ref(), f.ty(v)) {
            return Err(e.or_span(f.value(v).span));
        }
    }
    for (&v, t) in &f.defaults {
        if !f.params().contains(&v) || !Func::is_default(f.ty(v), t) {
            return Err(crate::builder::no_default(f, v, t).or_span(f.value(v).span));
        }
    }
    let mut b = Builder::new(m, &f.name);
    b.strict();
    let mut map = Map::new();
    b.copy_header(f, &mut map)?;
    region(&mut b, f, BODY, &mut map)?;
    let ys = map.all(f.returns())?;
    if f.result_types.is_empty() && !ys.is_empty() {
        return Err(Error::new(Code::E0208, format!("@{} returns {} values, its header none", f.name, ys.len())));
    }
    b.finish(ys).map(|_| ())
}
fn region(b: &mut Builder, f: &Func, r: RegionId, map: &mut Map) -> Result<()> {
    for &o in &f.region(r).ops {
        let op = f.op(o);
        op_again(b, f, op, map).map_err(|e| e.or_span(op.span))?;
    }
    Ok(())
}
/// What is left to run time of the op that has just been built again, where `before` was known, is checked where `op` runs: a condition that followed
/// from a statement which a pass has dropped would be checked nowhere.
fn checked(b: &Builder, f: &Func, op: &Op, map: &Map, before: Option<Facts>) -> Result<()> {
    let Some(again) = b.func().ops.last() else { return Ok(()) };
    let inner = again.regions.iter().flat_map(|&r| &b.func().region(r).guards);
    if again.guards.is_empty() && inner.clone().next().is_none() {
        return Ok(());
    }
    let has = || op.guards.iter().chain(op.regions.iter().flat_map(|&r| &f.region(r).guards));
    let (mut before, mut told) = (before.unwrap_or_default(), false);
    for g in again.guards.iter().chain(inner) {
        let mut found = false;
        for h in has().filter(|h| h.found == g.found) {
            found |= map.constraint(&h.cond)?.says(&g.cond);
        }
        if found {
            continue;
        }
        // Another spelling of what is checked.
        if !std::mem::replace(&mut told, true) {
            for h in has().filter(|h| h.found.is_none()) {
                before.assume(map.constraint(&h.cond)?);
            }
        }
        if g.found.is_none() && before.prove(&g.cond) == Truth::Yes {
            continue;
        }
        let text =
            format!("`{}` does not check {} ({}), which is not known here", op.def.name, g.display(b.func()), g.what);
        return Err(Error::bug(Code::E0417, text).or_span(op.span).note("a pass has dropped what it followed from"));
    }
    Ok(())
}
fn op_again(b: &mut Builder, f: &Func, op: &Op, map: &mut Map) -> Result<()> {
    let operands =
        map.all(&op.operands).map_err(|_| Error::new(Code::E0303, "an operand is not defined before its use"))?;
    let mut regions = vec![];
    for &r in &op.regions {
        let o = b.open_copy(f, r, map)?;
        region(b, f, r, map)?;
        let ys = map.all(&f.region(r).yields)?;
        // What is checked at each `yield` holds at the region's end.
        for g in &f.region(r).guards {
            b.assume(map.constraint(&g.cond)?);
        }
        regions.push(b.close(o, ys));
    }
    for &r in &op.results {
        b.bind_fresh(f, &f.ty(r).dims, map);
    }
    for (_, a) in op.attrs.iter() {
        if let crate::Attr::Extents(v) = a {
            b.bind_fresh(f, v, map);
        }
    }
    let mut new = NewOp::new(op.def, &operands).attrs(map.attrs(&op.attrs)?).regions(regions);
    new.declared = Some(op.results.iter().map(|&r| map.ty(f.ty(r))).collect::<Result<_>>()?);
    new.wheres = op.said().map(|c| map.constraint(c)).collect::<Result<_>>()?;
    new.span = op.span;
    // Known before the op has said anything of its results. Without guards nothing is compared with it.
    let asks = !op.guards.is_empty() || op.regions.iter().any(|&r| !f.region(r).guards.is_empty());
    let before = asks.then(|| b.facts().clone());
    let rs = b.emit(new)?;
    checked(b, f, op, map, before)?;
    for (&old, &new) in op.results.iter().zip(&rs) {
        map.insert(old, new);
        let mut free = None;
        for d in b.func().ty(new).dims.iter() {
            d.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a
                    && b.func().binder(r).is_none()
                {
                    free = Some(r);
                }
            });
        }
        if let Some(r) = free {
            return Err(Error::new(
                Code::E0401,
                format!("?{} is bound by nothing", crate::ExtentNames::exist(b.func(), r)),
            ));
        }
    }
    Ok(())
}
