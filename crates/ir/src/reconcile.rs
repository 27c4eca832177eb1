//! Inferred against written: names for the extents that an op binds, equality of all others. What a written type binds is
//! what inference has brought (TFIR §4): a `?r` that nothing binds and the op does not give is `E0401`.
use crate::attr::Attr;
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::{Atom, CmpOp, Constraint, ExistId, Extent, ExtentNames, Facts, Truth};
use crate::infer::InferCx;
use crate::map::Map;
use crate::op::Place;
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// Attributes mention bound existentials only; the unkeyed slot of `extent`, which binds one, is for its row to judge.
pub(crate) fn attrs(cx: &InferCx) -> Result<()> {
    for (k, a) in cx.attrs.iter().filter(|(k, _)| cx.def.slot(k).is_some_and(|s| s.place != Place::Trailing)) {
        match a {
            Attr::Extents(v) => cx.all_bound(v, Part::Attr(k))?,
            Attr::Sym(s) => cx.all_bound(&s.extents, Part::Attr(k))?,
            _ => {}
        }
    }
    Ok(())
}
/// Extents are not negative.
pub(crate) fn known(cx: &InferCx, inferred: &[Type]) -> Result<()> {
    for (i, t) in inferred.iter().enumerate() {
        if let Some(d) = t.dims.iter().find(|d| d.as_exact().is_some_and(|n| n < 0)) {
            return Err(
                Error::new(Code::E0402, format!("extent {} is negative", cx.show_extent(d))).at(Part::Result(i))
            );
        }
    }
    Ok(())
}
/// Existentials that inference has made take the written names: where a whole extent is one of them (those from `known`
/// on) and the written one is a `?r` that nothing binds yet, they are one. No two of them get the same name.
pub(crate) fn name_fresh(
    cx: &mut InferCx,
    known: usize,
    inferred: &mut [Type],
    written: &[Option<&Type>],
) -> Result<()> {
    let mut names: BTreeMap<ExistId, Extent> = BTreeMap::new();
    for (t, w) in inferred.iter().zip(written) {
        let Some(w) = w else { continue };
        for (y, x) in t.dims.iter().zip(w.dims.iter()) {
            let Some(Atom::Exist(fresh)) = y.as_atom() else { continue };
            if (fresh.0 as usize) < known || names.contains_key(&fresh) {
                continue;
            }
            if matches!(x.as_atom(), Some(Atom::Exist(_))) && cx.f.unbound(x).is_some() {
                if !names.values().any(|n| n == x) {
                    names.insert(fresh, x.clone());
                }
            } else if cx.f.unbound(x).is_none()
                && let Some(e) = follows(cx, y, x)
            {
                names.insert(fresh, e);
            }
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    // Those that took a written name are gone; the others move up.
    let mut map = Map::new();
    for (i, d) in cx.f.exists.split_off(known).into_iter().enumerate() {
        let old = ExistId((known + i) as u32);
        let new = names.get(&old).cloned().unwrap_or_else(|| {
            cx.f.exists.push(d);
            Extent::exist(ExistId(cx.f.exists.len() as u32 - 1))
        });
        map.bind(old, new);
    }
    for t in inferred.iter_mut() {
        *t = map.ty(t)?;
    }
    for g in cx.guards.iter_mut().chain(&mut cx.discharged) {
        g.cond = map.constraint(&g.cond)?;
    }
    for c in &mut cx.assumed {
        *c = map.constraint(c)?;
    }
    for c in std::mem::take(cx.wheres) {
        let c = map.constraint(&c)?;
        cx.add_where(c);
    }
    *cx.attrs = map.attrs(cx.attrs)?;
    Ok(())
}
/// What `fresh` is by what the op says of its results, where that is certainly `e`: `e` itself, or an extent that facts in
/// scope make equal to it, which the comparison with the written type then rests on.
fn follows(cx: &InferCx, fresh: &Extent, e: &Extent) -> Option<Extent> {
    if !cx.wheres.iter().any(|c| [&c.lhs, &c.rhs].into_iter().any(|x| x.mentions_existential())) {
        return None;
    }
    let mut own = Facts::new();
    cx.wheres.iter().for_each(|c| own.assume(c.clone()));
    if own.prove(&Constraint { lhs: fresh.clone(), op: CmpOp::Eq, rhs: e.clone() }) == Truth::Yes {
        return Some(e.clone());
    }
    let is = own.reduce(fresh).filter(|x| x != fresh && cx.f.unbound(x).is_none())?;
    (cx.proves(&is, CmpOp::Eq, e) == Truth::Yes).then_some(is)
}
/// Checks written result types against inferred ones. A value takes the written form of its type.
pub(crate) fn written(cx: &mut InferCx, inferred: &mut [Type], written: &[Option<&Type>]) -> Result<()> {
    if written.len() != inferred.len() {
        return Err(Error::new(
            Code::E0211,
            format!("`{}` gives {} results, {} are written", cx.def.name, inferred.len(), written.len()),
        ));
    }
    let unbound = |cx: &InferCx, t: &Type| -> BTreeSet<ExistId> {
        let mut set = BTreeSet::new();
        for d in t.dims.iter() {
            d.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a
                    && cx.f.unbound(&Extent::exist(r)).is_some()
                {
                    set.insert(r);
                }
            });
        }
        set
    };
    // What the op binds is what inference has brought.
    let binds: BTreeSet<ExistId> = inferred.iter().flat_map(|t| unbound(cx, t)).collect();
    for (i, (w, t)) in written.iter().zip(inferred.iter_mut()).enumerate() {
        let Some(w) = w.filter(|w| *w != t) else { continue };
        let mismatch = |cx: &InferCx| {
            Error::new(
                Code::E0206,
                format!("result type does not match: written {}, but the operands give {}", cx.show(w), cx.show(t)),
            )
            .at(Part::Result(i))
            .help(format!("write `{}`, or leave the type out", cx.show(t)))
        };
        if w.dtype != t.dtype || w.rank() != t.rank() {
            return Err(mismatch(cx));
        }
        if let Some(r) = unbound(cx, w).into_iter().find(|r| !binds.contains(r)) {
            let text = format!("`{}` does not bind `?{}`", cx.def.name, cx.f.exist(r));
            let e = cx.unbound(r, Part::Result(i), text);
            return Err(e.help("write the extent that the op gives, or leave the type out"));
        }
        for (k, (x, y)) in w.dims.iter().zip(t.dims.iter()).enumerate() {
            let name = cx.def.name;
            // What the op finds out when it runs has a name; another statement says what it equals.
            if x != y && cx.f.unbound(y).is_some() && !x.mentions_existential() {
                let e = mismatch(cx);
                return Err(e.help("bind a name, then state `guard() where … == …`"));
            }
            if let Err(e) = cx.equal(x, y, Part::Result(i), || format!("result {i} of `{name}`, axis {k}")) {
                return Err(if e.data().code == Code::E0404 { e } else { mismatch(cx) });
            }
        }
        *t = w.clone();
    }
    Ok(())
}
