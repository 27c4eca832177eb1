//! Functions whose derivative depends on what stands around an op are differentiated as one piece, so that it is the same
//! whether a part of them is called or written out. Of a factorisation it depends on how its results are used: where a use is
//! a function of the factored matrix, that is marked ([`Prepare`]). Of a `select`, on what makes its branches.
use crate::opt::inline::expand;
use crate::opt::simplify;
use crate::rewrite::{new_op, rewrite};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tfc_ir::op::{Expand, Prepare};
use tfc_ir::{Attr, BODY, Finished, Func, FuncId, Module, Op, OpId, Result};

/// Calls stay calls where inlining would make a function longer than this. Derivatives are right then as well, or an
/// error when they run, only not known at equal values.
const MOST_OPS: usize = 20_000;

/// What a function asks for before it is differentiated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asks {
    Nothing,
    /// That its calls are inlined.
    Calls,
    /// That it is simplified, and its ops replaced that say so, as well.
    Whole,
}
/// What `f` asks for, for what it holds itself or in what it calls. `none` lists functions that ask for nothing.
pub(super) fn asks(m: &Module, f: FuncId, none: &mut HashSet<FuncId>) -> Asks {
    let (mut seen, mut todo) = (HashSet::from([f]), vec![f]);
    let mut asks = Asks::Nothing;
    while let Some(f) = todo.pop() {
        let Some(func) = m.try_func(f).filter(|_| !none.contains(&f)) else { continue };
        func.walk(BODY, &mut |o| {
            let op = func.op(o);
            asks = asks.max(match op.def.prepare {
                Prepare::Whole => Asks::Whole,
                Prepare::Calls => Asks::Calls,
                _ => Asks::Nothing,
            });
            todo.extend(callee(op).filter(|&c| seen.insert(c)));
        });
        if asks == Asks::Whole {
            break;
        }
    }
    if asks == Asks::Nothing {
        none.extend(seen);
    }
    asks
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
    // A function with a rule is differentiated by that; one that is to stay a function stays one, if it can.
    let stays = |f: &Func| matches!(f.with.word("inline"), Some("never" | "apart"));
    let factors = |c: FuncId| asks(m, c, &mut HashSet::new()) == Asks::Whole;
    let plain =
        |c: &FuncId| m.try_func(*c).is_none_or(|f| super::rules::of(&f).is_none() && (!stays(&f) || factors(*c)));
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
/// `f` simplified, with the ops replaced that say so: what stands between a factorisation and a product of its results, a
/// `select` by a flag that is always set or a transpose, hides that they belong together.
pub(super) fn marked(m: &Module, f: &Func) -> Result<Finished> {
    let simple = match simplify::function(m, f) {
        Ok(simple) => simple,
        Err(e) if e.is_about_extents() => None,
        Err(e) => return Err(e),
    };
    let f = simple.as_deref().unwrap_or(f);
    let (new, _) = rewrite(m, f, &mut |b, f, o, args, map| match f.op(o).def.prepare {
        Prepare::Replace(rule) => rule(b, &new_op(f, o, args, map)?),
        _ => Ok(None),
    })?;
    Ok(new)
}
