//! Functions that hold a factorisation are differentiated as one piece: its derivative depends on how its results are
//! used, and where a use is a function of the factored matrix, that is marked ([`Prepare`]).
use crate::opt::inline::pasted;
use crate::rewrite::{new_op, rewrite};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tfc_ir::op::{Expand, Prepare};
use tfc_ir::{Attr, BODY, Func, FuncId, Module, Op, OpId, Result};

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
/// `f` with its calls inlined; `whole` gives a callee that is so itself.
pub(super) fn inlined(m: &Module, f: Arc<Func>, whole: &dyn Fn(FuncId) -> Result<Arc<Func>>) -> Result<Arc<Func>> {
    let mut calls = vec![];
    f.walk(BODY, &mut |o| calls.extend(callee(f.op(o)).filter(|_| inlines(f.op(o))).map(|c| (o, c))));
    let mut size = f.op_count();
    let mut bodies: HashMap<OpId, Arc<Func>> = HashMap::new();
    for (o, c) in calls {
        let body = whole(c)?;
        let longer = size.saturating_add(body.op_count());
        if longer <= MOST_OPS {
            size = longer;
            bodies.insert(o, body);
        }
    }
    if bodies.is_empty() {
        return Ok(f);
    }
    Ok(pasted(m, &f, &|o| bodies.get(&o).cloned())?.map_or(f, Arc::new))
}
fn inlines(op: &Op) -> bool {
    matches!(op.def.expand, Expand::Inline)
}
/// `f` with the ops replaced that say so.
pub(super) fn marked(m: &Module, f: &Func) -> Result<Func> {
    let (new, _) = rewrite(m, f, &mut |b, f, o, args, map| match f.op(o).def.prepare {
        Prepare::Replace(rule) => rule(b, &new_op(f, o, args, map)?),
        _ => Ok(None),
    })?;
    Ok(new)
}
