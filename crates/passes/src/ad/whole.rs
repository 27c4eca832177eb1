//! Functions that hold a factorisation are differentiated as one piece: its derivative depends on how its results are
//! used, and where a use is a function of the factored matrix, that is marked ([`Prepare`]).
use crate::opt::inline::expand;
use crate::rewrite::{new_op, rewrite};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tfc_ir::op::{Expand, Prepare};
use tfc_ir::{Attr, BODY, Finished, Func, FuncId, Module, Op, OpId, Result};

/// Calls stay calls where inlining would make a function longer than this. Derivatives are right then as well, or an
/// error when they run, only not known at equal values.
const MOST_OPS: usize = 20_000;

/// Does `f` hold an op that asks for whole functions, itself or in what it calls? `none` lists functions that do not.
pub(super) fn holds(m: &Module, f: FuncId, none: &mut HashSet<FuncId>) -> bool {
    let (mut seen, mut todo) = (HashSet::from([f]), vec![f]);
    while let Some(f) = todo.pop() {
        let Some(func) = m.try_func(f).filter(|_| !none.contains(&f)) else { continue };
        let mut found = false;
        func.walk(BODY, &mut |o| {
            let op = func.op(o);
            found |= matches!(op.def.prepare, Prepare::Whole);
            todo.extend(callee(op).filter(|&c| seen.insert(c)));
        });
        if found {
            return true;
        }
    }
    none.extend(seen);
    false
}
fn callee(op: &Op) -> Option<FuncId> {
    op.attrs.iter().find_map(|(_, a)| if let Attr::Sym(s) = a { Some(s.func) } else { None })
}
/// The functions that `f` calls where calls may be inlined.
pub(super) fn callees(m: &Module, f: &Func) -> Vec<FuncId> {
    calls(m, f).into_iter().map(|c| c.1).collect()
}
fn calls(m: &Module, f: &Func) -> Vec<(OpId, FuncId)> {
    let mut calls = vec![];
    // A function with a rule is differentiated by that.
    let plain = |c: &FuncId| m.try_func(*c).is_none_or(|f| super::rules::of(&f).is_none());
    f.walk(BODY, &mut |o| {
        let op = f.op(o);
        calls.extend(callee(op).filter(|_| matches!(op.def.expand, Expand::Inline)).filter(plain).map(|c| (o, c)));
    });
    calls
}
/// `f`, which is `id` of the module, with its calls inlined; `whole` lists callees that are so themselves.
pub(super) fn inlined(
    m: &Module,
    id: FuncId,
    f: Arc<Finished>,
    whole: &HashMap<FuncId, Arc<Finished>>,
) -> Result<Arc<Finished>> {
    let mut size = f.op_count();
    let mut bodies: HashMap<OpId, (FuncId, Arc<Finished>)> = HashMap::new();
    for (o, c) in calls(m, &f) {
        let Some(body) = whole.get(&c) else { continue };
        let longer = size.saturating_add(body.op_count());
        if longer <= MOST_OPS {
            size = longer;
            bodies.insert(o, (c, body.clone()));
        }
    }
    if bodies.is_empty() {
        return Ok(f);
    }
    // What a callee still calls stays called.
    let written = |g: FuncId, o: OpId| if g == id { bodies.get(&o).cloned() } else { None };
    Ok(expand(m, id, &f, &written)?.map_or(f, Arc::new))
}
/// `f` with the ops replaced that say so.
pub(super) fn marked(m: &Module, f: &Func) -> Result<Finished> {
    let (new, _) = rewrite(m, f, &mut |b, f, o, args, map| match f.op(o).def.prepare {
        Prepare::Replace(rule) => rule(b, &new_op(f, o, args, map)?),
        _ => Ok(None),
    })?;
    Ok(new)
}
