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
use crate::diag::{Error, Result};
use crate::extent::Atom;
use crate::func::*;
use crate::map::Map;
use crate::module::Module;
use crate::op::NewOp;
use std::sync::Arc;

/// Verifies every function; the errors carry the function they are about.
pub fn module(m: &Module) -> Vec<(Arc<Func>, Error)> {
    m.funcs().into_iter().filter_map(|(_, f)| func(m, &f).err().map(|e| (f, e))).collect()
}
/// Verifies one function.
pub fn func(m: &Module, f: &Func) -> Result<()> {
    for (&v, s) in &f.shardings {
        if let Some((e, _)) = s.fault(m.mesh.as_ref(), f.ty(v)) {
            return Err(e.or_span(f.value(v).span));
        }
    }
    let mut b = Builder::new(m, &f.name);
    b.strict();
    let mut map = Map::new();
    b.copy_header(f, &mut map)?;
    region(&mut b, f, BODY, &mut map)?;
    let ys = map.all(f.returns())?;
    if f.result_types.is_empty() && !ys.is_empty() {
        return Err(Error::new("E0208", format!("@{} returns {} values, its header none", f.name, ys.len())));
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
/// What is left to run time of the op that has just been built again is checked where `op` runs: a condition that followed
/// from a statement which a pass has dropped would be checked nowhere.
fn checked(b: &Builder, f: &Func, op: &Op, map: &Map) -> Result<()> {
    let Some(again) = b.func().ops.last() else { return Ok(()) };
    let inner = |of: &Func, o: &Op| -> Vec<Guard> {
        o.regions.iter().flat_map(|&r| of.region(r).guards.iter().cloned()).collect()
    };
    let asked = [again.guards.clone(), inner(b.func(), again)].concat();
    if asked.is_empty() {
        return Ok(());
    }
    let mut has = vec![];
    for g in op.guards.iter().chain(&inner(f, op)) {
        has.push(Guard { cond: map.constraint(&g.cond)?, ..g.clone() });
    }
    match asked.iter().find(|g| !has.iter().any(|h| h.found == g.found && h.cond.says(&g.cond))) {
        None => Ok(()),
        Some(g) => Err(Error::new(
            "E0417",
            format!("`{}` does not check {} ({}), which is not known here", op.def.name, g.display(b.func()), g.what),
        )
        .or_span(op.span)
        .help("a pass has dropped what it followed from: a bug in tfc, please report it with the program")),
    }
}
fn op_again(b: &mut Builder, f: &Func, op: &Op, map: &mut Map) -> Result<()> {
    let operands =
        map.all(&op.operands).map_err(|_| Error::new("E0303", "an operand is not defined before its use"))?;
    let mut regions = vec![];
    for &r in &op.regions {
        let o = b.open_copy(f, r, map)?;
        region(b, f, r, map)?;
        let ys = map.all(&f.region(r).yields)?;
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
    let rs = b.emit(new)?;
    checked(b, f, op, map)?;
    for (&old, &new) in op.results.iter().zip(&rs) {
        map.insert(old, new);
        let mut free = None;
        for d in b.func().ty(new).dims.iter() {
            d.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a
                    && b.func().exists.get(r.0 as usize).is_none_or(|d| d.binder.is_none())
                {
                    free = Some(r);
                }
            });
        }
        if let Some(r) = free {
            return Err(Error::new(
                "E0401",
                format!("?{} is bound by nothing", crate::ExtentNames::exist(b.func(), r)),
            ));
        }
    }
    Ok(())
}
