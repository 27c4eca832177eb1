//! What is known of extents while a function is written: numbers, bounds of those that values decide, and who is named where nothing is
//! known.
use std::collections::HashMap;

use tfc_ir::binders::binder;
use tfc_ir::extent::Atom;
use tfc_ir::{Binder, Code, Error, ExistId, Extent, ExtentEnv, Func, Module, Result, SymId, SymRef};

use crate::write::Dynamic;
use crate::write::sizes::{self, Bound, bounds};
use crate::write::walk::Key;

/// The symbols of a function that are numbers.
pub(crate) fn environment(key: &Key) -> ExtentEnv {
    let exact = |b: &Bound| if let Bound::Is(n) = b { Some(*n) } else { None };
    ExtentEnv { syms: key.1.iter().map(exact).collect(), exists: vec![] }
}
/// How large those extents can get that values decide: symbols by the call, existentials by what binds them.
pub(crate) fn caps(m: &Module, f: &Func, key: &Key, dynamic: Dynamic) -> HashMap<Atom, i64> {
    let cap = |(i, b): (usize, &Bound)| match b {
        Bound::UpTo(n) => Some((Atom::Sym(SymId(i as u32)), *n)),
        Bound::Is(_) => None,
    };
    let mut out: HashMap<Atom, i64> = key.1.iter().enumerate().filter_map(cap).collect();
    if dynamic != Dynamic::Refuse {
        let found = bounds(m, f, &environment(key), &out);
        out.extend(found.into_iter().map(|(r, n)| (Atom::Exist(r), n)));
    }
    out
}
pub(crate) fn call_key(f: &Func, env: &ExtentEnv, caps: &HashMap<Atom, i64>, s: &SymRef) -> Result<Key> {
    Ok((s.func, s.extents.iter().map(|e| bound(f, env, caps, e)).collect::<Result<_>>()?))
}
/// What is known of an atom; where nothing is, who decides it.
fn known(f: &Func, env: &ExtentEnv, caps: &HashMap<Atom, i64>, a: Atom) -> Result<Bound> {
    let found = env.get(a).map(Bound::Is).or(caps.get(&a).map(|&n| Bound::UpTo(n)));
    found.ok_or_else(|| unknown(f, a))
}
/// What an extent is, or the most that it can be.
pub(crate) fn bound(f: &Func, env: &ExtentEnv, caps: &HashMap<Atom, i64>, e: &Extent) -> Result<Bound> {
    let mut exact = true;
    e.for_each_atom(&mut |a| exact &= env.get(a).is_some());
    if exact {
        return Ok(Bound::Is(e.eval(env)?));
    }
    Ok(Bound::UpTo(sizes::most(e, &|a| known(f, env, caps, a))?))
}
/// The value of an extent; where it has none, who decides it.
pub(crate) fn value(f: &Func, env: &ExtentEnv, e: &Extent) -> Result<i64> {
    let mut open = None;
    e.for_each_atom(&mut |a| {
        if env.get(a).is_none() {
            open.get_or_insert(a);
        }
    });
    open.map_or_else(|| e.eval(env), |a| Err(unknown(f, a)))
}
/// Nothing is known of an extent.
fn unknown(f: &Func, a: Atom) -> Error {
    match a {
        Atom::Sym(s) => {
            let name = f.syms.get(s.0 as usize).map_or("?", |s| &s.name);
            Error::new(Code::E1101, format!("the extent `{name}` of @{} is not known", f.name))
                .help(format!("give it a number: `--bind {name}=4`"))
        }
        Atom::Exist(r) => {
            let decl = f.exists.get(r.0 as usize);
            let name = decl.map_or("?", |d| &d.name);
            let by = binder(f, r).map_or(String::new(), |by| format!(", which {by} binds,"));
            let text = format!("the extent `?{name}`{by} is decided by values when the program runs");
            let e = Error::new(Code::E1102, text).help(
                "StableHLO's shapes are known when it is compiled: `--dyn=mask` and `--dyn=bounds` take what has a bound",
            );
            match decl {
                Some(d) if d.span != tfc_ir::Span::default() => e.also(d.span, "it is named here"),
                _ => e,
            }
        }
    }
}
/// The same of an extent that a program with extents by values leaves without a bound, and what to add.
pub(crate) fn unbounded(f: &Func, r: ExistId, caps: &HashMap<Atom, i64>) -> Error {
    let decl = f.exists.get(r.0 as usize);
    let name = decl.map_or("?", |d| &d.name);
    // Of a loop's carry, and not of what it collects.
    let carried = |op: &tfc_ir::Op| sizes::place_of(f, r, &op.results).is_some_and(|(i, _)| i < op.operands.len());
    let help = match decl.and_then(|d| d.binder) {
        Some(Binder::Op(o)) => {
            let op = f.op(o);
            match op.def.control.repeats {
                Some(_) if op.attrs.get("max_trips").is_none() && !carried(op) => {
                    "give the loop `max_trips`".to_owned()
                }
                _ if op.def.control.ports.is_some() && carried(op) => {
                    format!("say how large it can get: `where ?{name} <= 64` at the region of the loop")
                }
                _ => format!("say how large it can get: `where ?{name} <= 64`, or cut its operand to an exact extent"),
            }
        }
        Some(Binder::Params(_)) => format!("say how large it can get: `where ?{name} <= 64` at the region"),
        _ => format!("say how large it can get: `where ?{name} <= 64`"),
    };
    let by = binder(f, r).map_or(String::new(), |by| format!(", which {by} binds,"));
    let e = Error::new(Code::E1120, format!("the extent `?{name}`{by} has no bound")).help(help);
    let e = match decl {
        Some(d) if d.span != tfc_ir::Span::default() => e.also(d.span, "it is named here"),
        _ => e,
    };
    // Within a loop it may be for want of another bound.
    let regions = match decl.and_then(|d| d.binder) {
        Some(Binder::Op(o)) => f.op(o).regions.clone(),
        Some(Binder::Params(q)) => vec![q],
        _ => vec![],
    };
    let inner = f.exists.iter().enumerate().find(|(i, d)| {
        let alone = matches!(d.binder, Some(Binder::Op(o)) if f.op(o).results.is_empty());
        let open = !caps.contains_key(&Atom::Exist(ExistId(*i as u32)));
        alone && open && d.span != tfc_ir::Span::default() && regions.iter().any(|&q| f.within(d.region, q))
    });
    match inner {
        Some((_, d)) => e.also(d.span, format!("`?{}` has no bound either", d.name)),
        None => e,
    }
}
