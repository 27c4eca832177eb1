//! Rebuilding a function op by op: the shared skeleton of passes.
use std::collections::BTreeSet;
use tfc_ir::{
    Attr, BODY, Builder, Finished, Func, FuncId, Map, Module, NewOp, Op, OpId, RegionId, Result, Type, ValueId,
};

/// What a hook answers for an op: its replacement's results, or `None` to copy it.
pub(crate) type Hook<'a> =
    &'a mut dyn FnMut(&mut Builder, &Func, OpId, &[ValueId], &mut Map) -> Result<Option<Vec<ValueId>>>;

/// What is written at the end of each region, before what it yields.
pub(crate) type AtEnd<'a> = &'a dyn Fn(&mut Builder) -> Result<()>;

/// Rebuilds `f`; says whether the hook replaced anything.
pub(crate) fn rewrite(m: &Module, f: &Func, hook: Hook) -> Result<(Finished, bool)> {
    rewrite_ending(m, f, hook, &|_| Ok(()))
}
/// The same, with something at the end of each region.
pub(crate) fn rewrite_ending(m: &Module, f: &Func, hook: Hook, end: AtEnd) -> Result<(Finished, bool)> {
    let mut b = Builder::new(m, &f.name);
    b.mend();
    let mut map = Map::new();
    b.copy_header(f, &mut map)?;
    let mut changed = false;
    region(&mut b, f, BODY, &mut map, (hook, end), &mut changed)?;
    let ys = map.all(f.returns())?;
    Ok((b.finish_rewritten(ys)?, changed))
}
fn region(
    b: &mut Builder,
    f: &Func,
    r: RegionId,
    map: &mut Map,
    (hook, end): (Hook, AtEnd),
    changed: &mut bool,
) -> Result<()> {
    for &o in &f.region(r).ops {
        let op = f.op(o);
        let args = map.list(&op.operands)?;
        let old = b.set_loc(op.loc, op.span);
        let before = b.func().ops.len();
        let replaced = hook(b, f, o, &args, map).map_err(|e| e.or_span(op.span))?;
        b.set_loc(old.0, old.1);
        match replaced {
            Some(new) => {
                *changed = true;
                crate::journal::note(f, o, || crate::journal::place_taken(b, before, &new));
                // Names first: what one result shows may be a part of what another has.
                for (&old, &new) in op.results.iter().zip(&new) {
                    bind_extents(b, f, old, new, map);
                }
                for (&old, new) in op.results.iter().zip(new) {
                    let name = f.value(old).name.clone();
                    b.hint(new, name);
                    b.shard_like(new, f, old);
                    let ty = type_of(b, f, old, new, map)?;
                    b.state_type(new, &ty).map_err(|e| e.or_span(op.span))?;
                    map.insert(old, new);
                }
            }
            None => {
                let mut regions = Vec::with_capacity(op.regions.len());
                for &q in &op.regions {
                    let opened = b.open_copy(f, q, map)?;
                    region(b, f, q, map, (hook, end), changed)?;
                    regions.push(b.close_copy(opened, f, q, map)?);
                }
                b.copy_with(f, o, args, regions, map)?;
            }
        }
    }
    end(b)
}
/// Existentials that the old value's type binds are those of the new value's.
pub(crate) fn bind_extents(b: &Builder, f: &Func, old: ValueId, new: ValueId, map: &mut Map) {
    for (x, y) in f.ty(old).dims.iter().zip(b.func().ty(new).dims.iter()) {
        if let Some(tfc_ir::extent::Atom::Exist(r)) = x.as_atom()
            && map.exist(r).is_none()
        {
            map.bind(r, y.clone());
        }
    }
}
/// The type of `old` here, where `new` takes its place: extents that are not known here are those of `new`.
pub(crate) fn type_of(b: &Builder, f: &Func, old: ValueId, new: ValueId, map: &Map) -> Result<Type> {
    let new = b.func().ty(new);
    let dims = f.ty(old).dims.iter().enumerate().map(|(i, d)| {
        let mut known = true;
        d.for_each_atom(&mut |a| known &= !matches!(a, tfc_ir::extent::Atom::Exist(r) if map.exist(r).is_none()));
        match new.dims.get(i) {
            Some(e) if !known => Ok(e.clone()),
            _ => map.extent(d),
        }
    });
    Ok(f.ty(old).with_dims(dims.collect::<Result<Vec<_>>>()?))
}
/// Op `o` of `f` as one about to be built with operands `args` in the function of `map`.
pub(crate) fn new_op(f: &Func, o: OpId, args: &[ValueId], map: &Map) -> Result<NewOp> {
    let op = f.op(o);
    let mut new = NewOp::new(op.def, args).attrs(map.attrs(&op.attrs)?);
    new.declared = Some(op.results.iter().map(|&r| map.ty(f.ty(r))).collect::<Result<_>>()?);
    new.wheres = op.said().map(|c| map.constraint(c)).collect::<Result<_>>()?;
    new.loc = op.loc;
    new.span = op.span;
    Ok(new)
}
/// Runs `f` over every function of the module and puts back what changed.
pub(crate) fn each(
    m: &Module,
    mut f: impl FnMut(&Module, &Func) -> Result<Option<Finished>>,
) -> Result<bool, crate::PassError> {
    let mut any = false;
    for (id, func) in m.funcs() {
        if let Some(new) = f(m, &func).map_err(|e| crate::PassError::of(&func, e))? {
            m.define(id, new);
            any = true;
        }
    }
    Ok(any)
}
/// As [`each`], for rewriting that may as well be left: a function in which it finds that extents certainly differ, so that
/// it fails when it runs, stays as it is.
pub(crate) fn improve(
    m: &Module,
    mut f: impl FnMut(&Module, &Func) -> Result<Option<Finished>>,
) -> Result<bool, crate::PassError> {
    each(m, |m, func| match f(m, func) {
        Err(e) if e.is_about_extents() => Ok(None),
        done => done,
    })
}
/// How often each value is read, or handed on by a region.
pub(crate) fn uses(f: &Func) -> Vec<u32> {
    let mut n = vec![0; f.values.len()];
    let read = f.ops.iter().flat_map(|o| o.operands.iter()).chain(f.regions.iter().flat_map(|r| r.yields.iter()));
    read.for_each(|v| n[v.ix()] += 1);
    n
}
/// The ops that read each value.
pub(crate) struct Users {
    list: Vec<OpId>,
    /// Where those of a value begin in the list; those of the next are behind them.
    start: Vec<u32>,
}
impl Users {
    /// Of all ops of a function.
    pub(crate) fn of(f: &Func) -> Users {
        let mut start = vec![0u32; f.values.len() + 1];
        let reads = || f.ops.iter().zip(0u32..).flat_map(|(op, i)| op.operands.iter().map(move |v| (v.ix(), OpId(i))));
        reads().for_each(|(v, _)| start[v + 1] += 1);
        for v in 1..start.len() {
            start[v] += start[v - 1];
        }
        let (mut next, mut list) = (start.clone(), vec![OpId(0); start.last().map_or(0, |&n| n as usize)]);
        for (v, o) in reads() {
            list[next[v] as usize] = o;
            next[v] += 1;
        }
        Users { list, start }
    }
    /// Those that read `v`, once for each time.
    pub(crate) fn of_value(&self, v: ValueId) -> &[OpId] {
        &self.list[self.start[v.ix()] as usize..self.start[v.ix() + 1] as usize]
    }
}
/// Functions that such ops name, and what these call.
pub(crate) fn reached(m: &Module, by: impl Fn(&Op) -> bool) -> BTreeSet<FuncId> {
    let mut roots = vec![];
    for (_, f) in m.funcs() {
        f.walk(BODY, &mut |o| {
            if by(f.op(o)) {
                f.op(o).attrs.iter().for_each(|(_, a)| symbols(a, &mut roots));
            }
        });
    }
    let mut all = BTreeSet::new();
    while let Some(id) = roots.pop() {
        let Some(f) = m.try_func(id).filter(|_| all.insert(id)) else { continue };
        roots.extend(f.callees());
        f.with.iter().for_each(|(_, a)| symbols(a, &mut roots));
    }
    all
}
fn symbols(a: &Attr, out: &mut Vec<FuncId>) {
    match a {
        Attr::Sym(s) => out.push(s.func),
        Attr::List(l) => l.iter().for_each(|a| symbols(a, out)),
        _ => {}
    }
}
