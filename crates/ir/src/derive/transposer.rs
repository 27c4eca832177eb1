//! The reverse sweep over a linear function: what does not depend on the linear parameters is copied forward first,
//! then cotangents flow back through the rows' transpose rules. Where a `select` hands a cotangent to one of its branches, the
//! condition goes along through the statements of the branch and is applied behind them, see [`Parts`] and `through`: what the
//! branch that was not taken divides by never makes a NaN of a zero.
use super::masks::{Cond, Mask, Parts};
use super::through::{Through, Wild};
use super::{Derive, Transposed, inherit, prune, reach};
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::extent::{Atom, CmpOp, ExistId, Extent};
use crate::func::*;
use crate::map::Map;
use crate::module::FuncId;
use crate::op::Transpose;
use crate::outside;
use crate::types::Type;
use std::collections::HashMap;
use std::sync::Arc;

/// What transpose rules see.
pub struct Transposer<'m> {
    /// Whoever drives the sweeps.
    pub derive: &'m dyn Derive,
    /// The linear function.
    pub src: Arc<Finished>,
    /// The function being built, at the insertion point.
    pub b: Builder<'m>,
    pub(super) linear: Vec<bool>,
    val: Map,
    pub(super) ct: Vec<Parts>,
    /// What is multiplied, on the way from the linear parameters, by values that may be infinite: of values, and by which ops.
    pub(super) wild: Wild,
    /// Where the cotangents count that the rule at work gives.
    pub(super) rule: Through,
    copied: Vec<bool>,
    /// Extents that parameters of linear regions bind, as statements in these regions say what they are.
    stated: HashMap<ExistId, Extent>,
}

/// Transposes a function that is linear in the parameters where `linear`; cotangents come for the results where
/// `nonzero`.
pub fn transpose_func(
    derive: &dyn Derive,
    id: FuncId,
    linear: &[bool],
    nonzero: &[bool],
    name: &str,
) -> Result<Transposed> {
    let m = derive.module();
    let src = m.func(id)?;
    let seeds: Vec<_> = src.params().iter().zip(linear).filter(|p| *p.1).map(|p| *p.0).collect();
    let mut cx = Transposer {
        derive,
        linear: reach(&src, &seeds),
        b: Builder::new(m, name),
        val: Map::new(),
        ct: vec![Parts::default(); src.values.len()],
        wild: Wild::default(),
        rule: Through::default(),
        copied: vec![false; src.ops.len()],
        stated: stated(&src),
        src: src.clone(),
    };
    cx.wild = Wild::of(&src, &cx.linear);
    cx.b.mend();
    if src.has_open_extents() {
        // What is copied from there stands in another order.
        cx.val.reopen();
    }
    cx.b.copy_syms(&src);
    cx.b.f.span = src.span;
    for (&p, _) in src.params().iter().zip(linear).filter(|p| !p.1) {
        let q = cx.b.param_like(src.ty(p).clone(), &src, p);
        cx.val.insert(p, q);
    }
    let mut cts = vec![];
    for (i, (&y, &nz)) in src.returns().iter().zip(nonzero).enumerate() {
        // As callers see it: they know nothing of what the body finds equal.
        let ty = src.result_types.get(i).filter(|t| !t.mentions_existential()).unwrap_or_else(|| src.ty(y));
        cts.push(nz.then(|| cx.b.param_for(ty.clone(), cotangent_name(&src.value(y).name), &src, y)));
    }
    let (xs, _) = cx.region(BODY, &cts)?;
    let outs: Vec<_> = xs.into_iter().zip(linear).filter(|p| *p.1).map(|p| p.0).collect();
    let linear_params = src.params().iter().zip(linear).filter(|p| *p.1).map(|p| src.ty(*p.0).clone());
    cx.b.promise(linear_params.zip(&outs).filter(|p| p.1.is_some()).map(|p| Some(p.0)).collect());
    let whole = cx.b.finish(outs.iter().flatten().copied().collect())?;
    let (mut f, _) = prune(m, &whole, |_| true)?;
    if sink(f.func_mut()) {
        // Where statements stand otherwise, other facts are known: what they check is found again.
        f = prune(m, &f, |_| true)?.0;
    }
    inherit(f.func_mut(), &src);
    Ok(Transposed { func: m.add(f), out: outs.iter().map(Option::is_some).collect() })
}
/// Moves ops whose rows are `late` to the statement that uses them first: what does not depend on cotangents was copied in
/// front of everything. Returns whether any op moved.
fn sink(f: &mut Func) -> bool {
    let mut moved = false;
    for r in 0..f.regions.len() {
        let mut ops = f.regions[r].ops.clone();
        for i in (0..ops.len()).rev() {
            let o = ops[i];
            if !f.op(o).def.late {
                continue;
            }
            let results = &f.op(o).results;
            let binds = |e: &ExistId| f.binder(*e) == Some(Binder::Op(o));
            let needs =
                |&q: &OpId| uses(f, q).iter().any(|v| results.contains(v)) || f.extents_named(q).iter().any(binds);
            let until = ops[i + 1..].iter().position(needs).map_or(ops.len(), |k| i + 1 + k);
            moved |= until > i + 1;
            ops[i..until].rotate_left(1);
        }
        f.regions[r].ops = ops;
    }
    moved
}
/// `?a == e`, demanded by a statement, where parameters of a region bind `?a`.
fn stated(f: &Func) -> HashMap<ExistId, Extent> {
    let mut out = HashMap::new();
    let own = |e: &Extent| match e.as_atom() {
        Some(Atom::Exist(r)) => {
            let params = |b: Option<Binder>| matches!(b, Some(Binder::Params(q)) if q != BODY);
            params(f.binder(r)).then_some(r)
        }
        _ => None,
    };
    f.walk(BODY, &mut |o| {
        let op = f.op(o);
        for c in op.wheres.iter().filter(|c| op.def.demands && c.op == CmpOp::Eq) {
            match (own(&c.lhs), own(&c.rhs)) {
                (Some(r), None) => out.insert(r, c.rhs.clone()),
                (_, Some(r)) => out.insert(r, c.lhs.clone()),
                _ => None,
            };
        }
    });
    out
}
/// `d_x` → `ct_x`.
fn cotangent_name(tangent: &str) -> String {
    match tangent.strip_prefix("d_") {
        Some(x) => format!("ct_{x}"),
        None if tangent.is_empty() => String::new(),
        None => format!("ct_{tangent}"),
    }
}

impl<'m> Transposer<'m> {
    /// Op `o` of the source.
    pub fn op(&self, o: OpId) -> Op {
        self.src.op(o).clone()
    }
    /// Whether `v` depends on the linear parameters.
    pub fn linear(&self, v: ValueId) -> bool {
        self.linear[v.ix()]
    }
    /// The value, in the function being built, of one that is not linear.
    pub fn val(&self, v: ValueId) -> Result<ValueId> {
        match self.rule.instead(v) {
            Some(x) => Ok(x),
            None => self.val.value(v),
        }
    }
    /// The complex conjugate of the value (the value itself where it is real): the factor of a transposed product under the
    /// Hermitian convention.
    pub fn val_conj(&mut self, v: ValueId) -> Result<ValueId> {
        let x = self.val(v)?;
        self.b.conj_if_complex(x)
    }
    /// Sets the value of one that is not linear (a region parameter).
    pub fn bind(&mut self, v: ValueId, new: ValueId) {
        self.val.insert(v, new);
    }
    /// The type of source value `v`, in the function being built.
    pub fn ty(&mut self, v: ValueId) -> Result<Type> {
        let src = self.src.clone();
        for d in src.ty(v).dims.iter() {
            self.extent(d)?;
        }
        self.val.ty(src.ty(v))
    }
    /// Attributes of the source, for the function being built.
    pub fn attrs(&self, a: &crate::Attrs) -> Result<crate::Attrs> {
        self.val.attrs(a)
    }
    /// An extent of the source, for the function being built; what binds it is copied, if it is not yet.
    pub fn extent(&mut self, e: &Extent) -> Result<Extent> {
        match self.known_extent(e)? {
            Some(e) => Ok(e),
            None => {
                let text = format!("{} is not bound where its cotangent is made", e.display(&*self.src));
                Err(Error::bug(Code::E0599, text))
            }
        }
    }
    /// As [`Transposer::extent`]; `None` where parameters of a linear region bind a part of it and no statement says what
    /// that is.
    pub fn known_extent(&mut self, e: &Extent) -> Result<Option<Extent>> {
        let names = atoms(std::slice::from_ref(e));
        self.ensure(names.iter().filter_map(|&r| self.binder(r)).collect())?;
        self.tie(&names)?;
        Ok(if names.iter().all(|&r| self.val.exist(r).is_some()) { Some(self.val.extent(e)?) } else { None })
    }
    /// Extent `r` of the source becomes `e`.
    pub fn bind_extent(&mut self, r: ExistId, e: Extent) {
        self.val.bind(r, e);
    }
    /// The op that binds `r`, or what `r` is stated to be.
    fn binder(&self, r: ExistId) -> Option<OpId> {
        let of = |r: ExistId| match self.src.binder(r) {
            Some(Binder::Op(p)) => Some(p),
            _ => None,
        };
        of(r).or_else(|| atoms(std::slice::from_ref(self.stated.get(&r)?)).into_iter().find_map(of))
    }
    /// Extents that are stated to be others take these, once those are known.
    fn tie(&mut self, names: &[ExistId]) -> Result<()> {
        for &r in names {
            if self.val.exist(r).is_none()
                && let Some(e) = self.stated.get(&r)
                && atoms(std::slice::from_ref(e)).iter().all(|&q| self.val.exist(q).is_some())
            {
                let e = self.val.extent(e)?;
                self.val.bind(r, e);
            }
        }
        Ok(())
    }
    /// The cotangent, a zero constant where it is symbolic; `like` gives the type.
    pub fn or_zero(&mut self, ct: Option<ValueId>, like: ValueId) -> Result<ValueId> {
        match ct {
            Some(c) => Ok(c),
            None => {
                let ty = self.ty(like)?;
                self.b.zeros(&ty)
            }
        }
    }
    /// Linear values that `region` uses from outside.
    pub fn linear_captures(&self, r: RegionId) -> Vec<ValueId> {
        self.src.captures(r).into_iter().filter(|&v| self.linear(v)).collect()
    }
    /// Adds `c` to the cotangent of source value `v`.
    pub fn accumulate(&mut self, v: ValueId, c: ValueId) -> Result<()> {
        let mask = self.rule.mask.clone();
        self.add_part(v, mask, c)
    }
    /// Adds `c` where `p`, of the function being built, is `side`, and 0 elsewhere.
    pub fn accumulate_where(&mut self, v: ValueId, c: ValueId, p: ValueId, side: bool) -> Result<()> {
        let cond = Cond::new(&mut self.b, p, side)?;
        match self.rule.mask.and(cond) {
            Some(mask) => self.add_part(v, mask, c),
            None => Ok(()),
        }
    }
    pub(super) fn add_part(&mut self, v: ValueId, mask: Mask, c: ValueId) -> Result<()> {
        let sum = self.ct[v.ix()].add(&mut self.b, mask, c)?;
        let name = cotangent_name(&self.src.value(v).name);
        self.b.hint(sum, name);
        self.b.shard_like(sum, &self.src, v);
        Ok(())
    }
    /// The cotangent of source value `v`, which is none from here on.
    pub(super) fn take(&mut self, v: ValueId) -> Result<Option<ValueId>> {
        let whole = std::mem::take(&mut self.ct[v.ix()]).whole(&mut self.b)?;
        Ok(self.named(v, whole))
    }
    /// A cotangent of source value `v`, which gets its name where it is a new value.
    pub(super) fn named(&mut self, v: ValueId, c: Option<(ValueId, bool)>) -> Option<ValueId> {
        let (c, new) = c?;
        if new {
            let name = cotangent_name(&self.src.value(v).name);
            self.b.hint(c, name);
        }
        self.b.shard_like(c, &self.src, v);
        Some(c)
    }
    /// Takes the cotangent of source value `v`, as far as it is known, out of the sweep: a rule that adds to it itself gives
    /// it back by [`Transposer::accumulate`]. `None` where it is zero so far, or has not the type that `v` has here, or counts
    /// elsewhere than what the rule adds.
    pub fn take_cotangent(&mut self, v: ValueId) -> Result<Option<ValueId>> {
        if self.rule.masks() {
            return Ok(None);
        }
        let Some(c) = self.take(v)? else { return Ok(None) };
        if self.b.ty(c) == self.ty(v)? {
            return Ok(Some(c));
        }
        self.ct[v.ix()] = Parts::of(c);
        Ok(None)
    }
    /// Transposes `r` at the insertion point; its non-linear parameters must be bound. Gives cotangents of parameters
    /// and of linear captures.
    pub fn region(
        &mut self,
        r: RegionId,
        cts: &[Option<ValueId>],
    ) -> Result<(Vec<Option<ValueId>>, Vec<Option<ValueId>>)> {
        self.region_onto(r, cts, &[])
    }
    /// As [`Transposer::region`]; cotangents of captures begin as these, one for each capture, and include them.
    pub fn region_onto(
        &mut self,
        r: RegionId,
        cts: &[Option<ValueId>],
        sums: &[ValueId],
    ) -> Result<(Vec<Option<ValueId>>, Vec<Option<ValueId>>)> {
        let src = self.src.clone();
        // What counts where is said of what leaves the op around.
        let around = std::mem::take(&mut self.rule);
        let caps = if r == BODY { vec![] } else { self.linear_captures(r) };
        // Outer cotangents of captures are set aside: an inner sum must not count them once per trip.
        let outer: Vec<_> = caps.iter().map(|v| std::mem::take(&mut self.ct[v.ix()])).collect();
        for (v, &s) in caps.iter().zip(sums) {
            self.ct[v.ix()] = Parts::of(s);
        }
        for (&y, c) in src.region(r).yields.iter().zip(cts) {
            if let Some(c) = c
                && self.linear(y)
            {
                self.accumulate(y, *c)?;
            }
        }
        for &o in src.region(r).ops.iter().rev() {
            let op = src.op(o);
            let old = self.b.set_loc(op.loc, op.span);
            self.one(&src, o).map_err(|e| e.or_span(op.span))?;
            self.b.set_loc(old.0, old.1);
        }
        let params = src.region(r).params.iter().map(|&p| self.take(p)).collect::<Result<_>>()?;
        let inner = caps.iter().map(|&v| self.take(v)).collect::<Result<_>>()?;
        for (v, c) in caps.iter().zip(outer) {
            self.ct[v.ix()] = c;
        }
        self.rule = around;
        Ok((params, inner))
    }
    /// Copies what op `o` needs and does not depend on linear values, where it has not been copied yet: just before its
    /// use, so that what is computed again (checkpoints) lives no longer than it must.
    fn ensure_inputs(&mut self, o: OpId) -> Result<()> {
        self.ensure(self.inputs(o))?;
        let names = self.src.extents_named(o);
        self.tie(&names)
    }
    /// Ops that op `o` needs.
    fn inputs(&self, o: OpId) -> Vec<OpId> {
        let src = &self.src;
        let mut out = vec![];
        for v in uses(src, o) {
            if !self.linear(v)
                && self.val.get(v).is_none()
                && let Def::Result(q, _) = src.value(v).def
            {
                out.push(q);
            }
        }
        for q in src.extents_named(o).into_iter().filter_map(|r| self.binder(r)) {
            if !self.copied[q.ix()] && q != o && !src.op(q).results.iter().any(|&v| self.linear(v)) {
                out.push(q);
            }
        }
        out
    }
    /// Copies these ops and what they need.
    fn ensure(&mut self, ops: Vec<OpId>) -> Result<()> {
        let linear = |cx: &Self, o: OpId| cx.src.op(o).results.iter().any(|&v| cx.linear(v));
        let mut todo: Vec<_> = ops.into_iter().filter(|&o| !linear(self, o)).map(|o| (o, false)).collect();
        while let Some((p, ready)) = todo.pop() {
            if self.copied[p.ix()] {
                continue;
            }
            if ready {
                self.copied[p.ix()] = true;
                self.copy(p)?;
                continue;
            }
            todo.push((p, true));
            todo.extend(self.inputs(p).into_iter().map(|q| (q, false)));
        }
        Ok(())
    }
    /// Copies an op that does not depend on linear values.
    fn copy(&mut self, p: OpId) -> Result<()> {
        let src = self.src.clone();
        let mut op = std::borrow::Cow::Borrowed(src.op(p));
        if op.def.demands {
            // What it says of a linear region's extents has been used: these are known by other names.
            let about = |e: &Extent| atoms(std::slice::from_ref(e)).iter().any(|r| self.stated.contains_key(r));
            op.to_mut().wheres.retain(|c| !about(&c.lhs) && !about(&c.rhs));
        } else {
            self.tie(&src.extents_named(p))?;
        }
        let old = self.b.set_loc(op.loc, op.span);
        let operands = self.val.list(&op.operands)?;
        let mut regions = vec![];
        for &r in &op.regions {
            regions.push(self.b.copy_region(&src, r, &mut self.val)?);
        }
        self.b.copy_op(&src, &op, operands, regions, &mut self.val)?;
        self.b.set_loc(old.0, old.1);
        Ok(())
    }
    fn one(&mut self, src: &Func, o: OpId) -> Result<()> {
        let op = src.op(o);
        if !op.results.iter().any(|&v| self.linear(v)) {
            return Ok(());
        }
        let (cts, mask) = self.arrived(src, o)?;
        if cts.iter().all(Option::is_none) {
            return Ok(());
        }
        self.ensure_inputs(o)?;
        let Transpose::Rule(rule) = op.def.transpose else {
            let Transpose::Never(why) = op.def.transpose else { return Ok(()) };
            return Err(Error::new(Code::E0504, format!("`{}` cannot be transposed: {why}", op.def.name)));
        };
        let (cts, through) = self.through(src, o, rule, cts, mask)?;
        let around = std::mem::replace(&mut self.rule, through);
        let outs = outside::column(op.def, "transpose", || rule(self, o, &cts))?;
        for (i, (&x, c)) in op.operands.iter().zip(outs).enumerate() {
            if let Some(c) = c
                && self.linear(x)
            {
                let mask = self.rule.of(i);
                self.add_part(x, mask, c)?;
            }
        }
        self.rule = around;
        Ok(())
    }
}
/// Operands of `o` and what its regions capture.
fn uses(f: &Func, o: OpId) -> Vec<ValueId> {
    let op = f.op(o);
    let mut vs = op.operands.to_vec();
    for &r in &op.regions {
        vs.extend(f.captures(r));
    }
    vs
}
/// Existentials in `extents`, each once.
fn atoms(extents: &[Extent]) -> Vec<ExistId> {
    let mut out = vec![];
    for e in extents {
        e.for_each_atom(&mut |a| {
            if let Atom::Exist(r) = a
                && !out.contains(&r)
            {
                out.push(r);
            }
        });
    }
    out
}
