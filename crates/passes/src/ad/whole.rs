//! Functions that hold a factorisation are differentiated as one piece: its derivative depends on how its results are
//! used, and where a use is a function of the factored matrix, that is marked ([`Prepare`]).
use crate::opt::inline::paste;
use crate::rewrite::{new_op, rewrite};
use std::collections::HashMap;
use std::sync::Arc;
use tfc_ir::op::{Expand, Prepare};
use tfc_ir::{Attr, BODY, Func, FuncId, Module, Op, Result};

/// Calls stay calls where inlining would make a function longer than this. Derivatives are right then as well, or an
/// error when they run, only not known at equal values.
const MOST_OPS: usize = 20_000;

/// Does `f` hold an op that asks for whole functions, itself or in what it calls?
pub(super) fn holds(m: &Module, f: FuncId) -> bool {
    fn any(m: &Module, f: FuncId, seen: &mut HashMap<FuncId, bool>) -> bool {
        if let Some(&known) = seen.get(&f) {
            return known;
        }
        seen.insert(f, false);
        let Some(func) = m.try_func(f) else { return false };
        let mut found = false;
        func.walk(BODY, &mut |o| {
            let op = func.op(o);
            found = found || matches!(op.def.prepare, Prepare::Whole) || callee(op).is_some_and(|c| any(m, c, seen));
        });
        seen.insert(f, found);
        found
    }
    any(m, f, &mut HashMap::new())
}
fn callee(op: &Op) -> Option<FuncId> {
    op.attrs.iter().find_map(|(_, a)| if let Attr::Sym(s) = a { Some(s.func) } else { None })
}
/// `f` with the calls inlined that hold such ops; `flat` gives a callee that is so itself.
pub(super) fn inlined(m: &Module, f: Arc<Func>, flat: &dyn Fn(FuncId) -> Result<Arc<Func>>) -> Result<Arc<Func>> {
    let mut bodies: HashMap<FuncId, Arc<Func>> = HashMap::new();
    let mut size = f.op_count();
    let mut calls = vec![];
    f.walk(BODY, &mut |o| {
        let op = f.op(o);
        calls.extend(callee(op).filter(|&c| matches!(op.def.expand, Expand::Inline) && holds(m, c)));
    });
    for c in calls {
        let body = flat(c)?;
        size = size.saturating_add(body.op_count());
        if size > MOST_OPS {
            return Ok(f);
        }
        bodies.insert(c, body);
    }
    if bodies.is_empty() {
        return Ok(f);
    }
    let (new, _) = rewrite(m, &f, &mut |b, f, o, args, map| {
        let op = f.op(o);
        match callee(op).filter(|_| matches!(op.def.expand, Expand::Inline)).and_then(|c| bodies.get(&c)) {
            Some(body) => paste(b, f, o, args, map, body).map(Some),
            None => Ok(None),
        }
    })?;
    Ok(Arc::new(new))
}
/// `f` with the ops replaced that say so.
pub(super) fn marked(m: &Module, f: &Func) -> Result<Func> {
    let (new, _) = rewrite(m, f, &mut |b, f, o, args, map| match f.op(o).def.prepare {
        Prepare::Replace(rule) => rule(b, &new_op(f, o, args, map)?),
        _ => Ok(None),
    })?;
    Ok(new)
}
