//! Extents that a loop's region binds by its parameters (TFIR §4): `body(%x: f64[?i]) where ?i <= n`. Initial operands,
//! yields and results instantiate them; the region's `where` is an invariant, asked at entry and at each `yield`, and holds
//! of the results.
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::{Atom, Constraint, ExistId, Extent};
use crate::func::Binder;
use crate::infer::InferCx;
use crate::types::Type;
use std::collections::BTreeMap;

/// What a region's own extents stand for at one place.
type Instance = BTreeMap<ExistId, Extent>;

/// Existentials that region `r` binds by its parameters, in order of appearance.
pub(super) fn own(cx: &InferCx, r: usize) -> Vec<ExistId> {
    let id = cx.region_id(r);
    let mut out = vec![];
    for t in cx.region_params(r) {
        for d in t.dims.iter() {
            d.for_each_atom(&mut |a| {
                if let Atom::Exist(x) = a
                    && cx.func().binder(x) == Some(Binder::Params(id))
                    && !out.contains(&x)
                {
                    out.push(x);
                }
            });
        }
    }
    out
}
fn instantiate(e: &Extent, inst: &Instance) -> Result<Extent> {
    if inst.is_empty() {
        return Ok(e.clone());
    }
    e.subst(&|a| if let Atom::Exist(x) = a { inst.get(&x).cloned() } else { None })
}
fn instantiate_type(t: &Type, inst: &Instance) -> Result<Type> {
    if inst.is_empty() {
        return Ok(t.clone());
    }
    Ok(t.with_dims(t.dims.iter().map(|d| instantiate(d, inst)).collect::<Result<Vec<_>>>()?))
}
/// The places where an own extent is a whole extent of a parameter: (own, parameter, axis), the first of each.
fn places(cx: &InferCx, r: usize) -> Result<Vec<(ExistId, usize, usize)>> {
    let params = cx.region_params(r);
    let mut out = vec![];
    for x in own(cx, r) {
        let at = params
            .iter()
            .enumerate()
            .find_map(|(i, t)| Some((x, i, t.dims.iter().position(|d| d.as_atom() == Some(Atom::Exist(x)))?)));
        out.push(at.ok_or_else(|| {
            let name = crate::ExtentNames::exist(cx.func(), x).to_string();
            let text = format!("extent `?{name}` does not follow from the parameters of `{}`", cx.region(r).label);
            let e = cx.unbound(x, Part::Region(r), text);
            e.help(format!("some parameter needs a plain `?{name}` as an extent"))
        })?);
    }
    Ok(out)
}

/// Values of types `given` are handed to the parameters of region `r`, at entry or as what region `from` yields: their number
/// (`E0215`), dtypes, ranks and extents agree, and the region's `where` holds or is checked at run time. `what` names value `i` in
/// messages.
pub fn hand(
    cx: &mut InferCx,
    r: usize,
    given: &[Type],
    from: Option<usize>,
    what: impl Fn(usize) -> String,
) -> Result<()> {
    let params = cx.region_params(r);
    let label = cx.region(r).label.clone();
    let part = Part::Region(from.unwrap_or(r));
    if params.len() != given.len() {
        return Err(Error::new(
            Code::E0215,
            format!("`{label}` has {} parameters, {} are handed to it", params.len(), given.len()),
        )
        .at(part));
    }
    let mut inst = Instance::new();
    for (x, i, axis) in places(cx, r)? {
        if let Some(d) = given[i].dims.get(axis) {
            inst.insert(x, d.clone());
        }
    }
    for (i, (g, p)) in given.iter().zip(&params).enumerate() {
        // What has another rank or dtype is reported as it is written.
        let p = if g.rank() == p.rank() { instantiate_type(p, &inst)? } else { p.clone() };
        match from {
            None => cx.agree_at(None, &p, g, part, &what(i))?,
            Some(_) => cx.agree_at(from, g, &p, part, &what(i))?,
        }
    }
    for c in cx.region(r).wheres.clone() {
        let c = Constraint { lhs: instantiate(&c.lhs, &inst)?, op: c.op, rhs: instantiate(&c.rhs, &inst)? };
        let place = if from.is_some() { "at `yield`" } else { "at entry" };
        cx.demand_at(from, c, part, &format!("`where` of `{label}` {place}"))?;
    }
    Ok(())
}
/// Types of values that start as `entry`, go through the parameters of region `r` any number of times and come out: extents
/// that the region binds become extents that the op binds, or what is written; the region's `where` holds of them.
pub fn results(cx: &mut InferCx, r: usize, entry: &[Type]) -> Result<Vec<Type>> {
    let params = cx.region_params(r);
    let mut inst = Instance::new();
    for (x, i, axis) in places(cx, r)? {
        // An own extent of a cut operand stays as it came in.
        if i >= entry.len() {
            continue;
        }
        let e = match cx.claimed(i, axis) {
            Some(e) => {
                cx.claim(i, axis, &e);
                e
            }
            None => {
                let name = crate::ExtentNames::exist(cx.func(), x).to_string();
                Extent::exist(cx.fresh_exist(&name))
            }
        };
        inst.insert(x, e);
    }
    let mut out = vec![];
    for (t, p) in entry.iter().zip(&params) {
        let dim = |(d, q): (&Extent, &Extent)| {
            if cx.func().bound_within(q, cx.region_id(r)) { instantiate(q, &inst) } else { Ok(d.clone()) }
        };
        out.push(t.with_dims(t.dims.iter().zip(p.dims.iter()).map(dim).collect::<Result<Vec<_>>>()?));
    }
    for c in cx.region(r).wheres.clone() {
        let c = Constraint { lhs: instantiate(&c.lhs, &inst)?, op: c.op, rhs: instantiate(&c.rhs, &inst)? };
        if !cx.func().bound_within(&c.lhs, cx.region_id(r)) && !cx.func().bound_within(&c.rhs, cx.region_id(r)) {
            cx.add_where(c);
        }
    }
    Ok(out)
}
