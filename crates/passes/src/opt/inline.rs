//! Inlining, as far as it makes a program no larger than it may be: what calls what is decided by counting, before any
//! body is copied; then each function that stays is built once, callees written out where they are called.
mod choose;
mod expand;

use crate::PassError;
use choose::Calls;
pub(crate) use choose::Deep;
pub(crate) use expand::expand;
use tfc_ir::extent::{Atom, CmpOp};
use tfc_ir::op::Expand;
use tfc_ir::{Attr, Binder, Builder, Func, FuncId, Guard, Map, Module, NewOp, OpId, Result, Truth, ValueId};

/// By so many ops may one function grow.
const FUNCTION: usize = 1 << 15;
/// By so many all functions together.
const MODULE: usize = 1 << 17;

/// The pass `inline`.
///
/// No function grows by more than 32 768 ops, and the module by no more than 131 072: where it would, the first
/// number is halved until it does not. Within a function small callees come first, then those called earlier. So programs
/// below the limits have no calls left, and what is left of large ones depends on nothing but the program.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    let funcs = m.funcs();
    let exported: Vec<FuncId> = funcs.iter().filter(|f| f.1.export).map(|f| f.0).collect();
    let roots = if exported.is_empty() { funcs.iter().map(|f| f.0).collect() } else { exported };
    let room = MODULE.min(m.budget.room(m.size()));
    let mut calls = Calls::of(m, &roots);
    let mut most = FUNCTION.min(room);
    let needed = loop {
        calls.choose(most, |_| true);
        let needed = calls.needed(&roots);
        if most == 0 || calls.growth(&needed) <= room {
            break needed;
        }
        most /= 2;
    };
    let mut any = false;
    for id in needed {
        let Some(f) = calls.func(id).filter(|_| calls.changes(id)) else { continue };
        if let Some(new) = expand(m, id, f, &|f, o| calls.body(f, o)).map_err(|e| PassError::of(f, e))? {
            m.define(id, new);
            any = true;
        }
    }
    Ok(super::dce::drop_unused(m) | any)
}
/// Does it stay a function? One with a rule for its derivative does until derivatives have been taken.
fn never(f: &Func) -> bool {
    matches!(f.with.word("inline"), Some("never" | "apart")) || crate::ad::rules::of(f).is_some()
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
/// What a statement asked at run time, `guards`, is asked by a `guard` in its place. So are equalities that were `discharged`
/// there by what other statements say: values take each other's place by them.
pub(crate) fn ask(b: &mut Builder, guards: &[Guard], discharged: &[Guard], outer: &Map) -> Result<()> {
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
    let equal = guards.iter().chain(discharged).filter(|g| g.cond.op == CmpOp::Eq);
    let equal = equal.map(|g| outer.constraint(&g.cond)).collect::<Result<Vec<_>>>()?;
    b.state_for_good(equal)
}
/// An existential that leaves the callee has the caller's name.
fn name_extents(b: &mut Builder, f: &Func, old: ValueId, new: ValueId) {
    let dims: Vec<_> = f.ty(old).dims.iter().cloned().zip(b.func().ty(new).dims.iter().cloned()).collect();
    for (x, y) in dims {
        if let (Some(Atom::Exist(x)), Some(Atom::Exist(y))) = (x.as_atom(), y.as_atom()) {
            let name = f.exists[x.0 as usize].name.clone();
            let exists = &b.func().exists;
            let taken = exists
                .iter()
                .enumerate()
                .any(|(i, d)| i != y.0 as usize && d.name == name && d.binder != Some(Binder::Header));
            if !taken {
                b.rename_exist(y, name);
            }
        }
    }
}
