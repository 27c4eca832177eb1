//! The one way to make ops: parser, rules, passes and the Rust API all come through [`Builder::emit`], which infers and
//! thereby checks. [`Builder::copy`] (in `copy.rs`) copies checked ops under a substitution of values and extents.
use crate::attr::{Attr, Attrs};
use crate::code::Code;
use crate::diag::{Error, Result, Span};
use crate::extent::{Atom, CmpOp, Constraint, ExistId, Extent, Facts, SymId, Truth};
use crate::func::*;
use crate::infer::InferCx;
use crate::list::ValueList;
use crate::map::Map;
use crate::module::Module;
use crate::op::{Effect, NewOp, region_name};
use crate::outside;
use crate::reconcile;
use crate::slots::{check_arity, check_regions, normalise};
use crate::tensor::Tensor;
use crate::types::Type;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A function under construction and an insertion point.
pub struct Builder<'m> {
    m: &'m Module,
    pub(crate) f: Func,
    at: RegionId,
    /// What is known in the open regions, outermost first.
    facts: Vec<(RegionId, Facts)>,
    /// What is known for good in a region, whatever is dropped later: equalities of the header, and what `guard` states.
    firm: Vec<(RegionId, Constraint)>,
    /// What was known at the end of regions that no op holds yet.
    closed: HashMap<RegionId, Facts>,
    pub(crate) loc: Option<u32>,
    span: Span,
    strict: bool,
    pub(crate) mends: bool,
    /// What the header has in place of the types of what is returned, where it says something else.
    pub(crate) promised: Vec<Option<Type>>,
    /// Was something put together that nothing has checked? Then the function is verified before it is compiled.
    pub(crate) unchecked: bool,
    /// The seal of the function that was copied last, where the module knows it.
    pub(crate) seen: Option<u64>,
    /// Whether all that is built is taken away again.
    asks: bool,
    /// The size from which on the budget is asked whether there may be more.
    ask: usize,
}
/// The budget is asked once for so many ops at most: it costs more than an op's share of a pass.
const ASK: usize = 64;
/// Where [`Builder::close`] goes back to.
#[derive(Debug)]
#[must_use]
pub struct Opened {
    /// The new region.
    pub region: RegionId,
    back: RegionId,
}

impl<'m> Builder<'m> {
    /// An empty function.
    pub fn new(m: &'m Module, name: &str) -> Builder<'m> {
        let body = Region {
            label: "".into(),
            params: vec![],
            ops: vec![],
            yields: vec![],
            wheres: vec![],
            guards: vec![],
            discharged: vec![],
            parent: None,
            span: Span::default(),
        };
        let f = Func {
            name: name.into(),
            export: false,
            syms: vec![],
            exists: vec![],
            wheres: vec![],
            result_types: vec![],
            result_names: vec![],
            with: Attrs::none(),
            values: vec![],
            shardings: BTreeMap::new(),
            defaults: BTreeMap::new(),
            ops: vec![],
            regions: vec![body],
            span: Span::default(),
            effect: Effect::Pure,
            seal: Seal::default(),
        };
        Builder {
            m,
            f,
            at: BODY,
            facts: vec![(BODY, Facts::new())],
            firm: vec![],
            closed: HashMap::new(),
            loc: None,
            span: Span::default(),
            strict: false,
            mends: false,
            promised: vec![],
            unchecked: false,
            seen: None,
            asks: false,
            ask: 0,
        }
    }
    /// Asks something of rules that would build: whatever `f` builds at the end of a region of the function, it is taken
    /// away again. Nothing is known of symbols there.
    pub fn ask<R>(m: &'m Module, func: &mut Finished, f: impl FnOnce(&mut Builder<'m>) -> Result<R>) -> Result<R> {
        let mut b = Builder::new(m, &func.name);
        b.asks = true;
        let func = func.func_mut();
        std::mem::swap(&mut b.f, func);
        let lengths = (b.f.values.len(), b.f.ops.len(), b.f.regions.len(), b.f.exists.len());
        let answer = f(&mut b);
        std::mem::swap(&mut b.f, func);
        if b.unchecked {
            func.seal = Seal::default();
        }
        func.values.truncate(lengths.0);
        func.shardings.retain(|v, _| v.ix() < lengths.0);
        func.ops.truncate(lengths.1);
        func.regions.truncate(lengths.2);
        for r in &mut func.regions {
            while r.ops.pop_if(|o| o.ix() >= lengths.1).is_some() {}
        }
        func.exists.truncate(lengths.3);
        answer
    }
    /// The module.
    pub fn module(&self) -> &'m Module {
        self.m
    }
    /// From now on a statement's `where` must follow from what is known (texts are read so).
    pub fn strict(&mut self) {
        self.strict = true;
    }
    /// From now on an equality between extents that different statements decide is stated by a `guard` in front of the
    /// op that needs it: what a pass rewrites need not rest on what its source rested on.
    pub fn mend(&mut self) {
        self.mends = true;
    }
    /// The header that is made of the types of what is returned takes these where they are given and name no extent that
    /// values decide.
    pub fn promise(&mut self, types: Vec<Option<Type>>) {
        self.promised = types;
    }
    /// The function so far.
    pub fn func(&self) -> &Func {
        &self.f
    }
    /// The function so far, to be changed at will: it is verified before an engine compiles it.
    pub fn func_mut(&mut self) -> &mut Func {
        self.unchecked = true;
        &mut self.f
    }
    /// Makes it an entry point, or none.
    pub fn export(&mut self, export: bool) {
        self.f.export = export;
    }
    /// Where the function is written.
    pub fn place(&mut self, span: Span) {
        self.f.span = span;
    }
    /// The header's `with (…)`.
    pub fn with(&mut self, with: Attrs) {
        self.f.with = with;
    }
    /// The header's names of results.
    pub fn name_results(&mut self, names: Vec<Option<Arc<str>>>) {
        self.f.result_names = names;
    }
    /// The header's types of results: what is returned is held against them.
    pub fn set_result_types(&mut self, types: Vec<Type>) {
        self.f.result_types = types;
    }
    /// Every existential so far belongs to the header's results.
    pub fn bind_to_header(&mut self) {
        self.f.exists.iter_mut().for_each(|e| e.binder = Some(Binder::Header));
    }
    /// Where the terminator of region `r` is written.
    pub fn place_end(&mut self, r: RegionId, span: Span) {
        if let Some(r) = self.f.regions.get_mut(r.ix()) {
            r.span = span;
        }
    }
    /// Gives an existential another name.
    pub fn rename_exist(&mut self, e: ExistId, name: Arc<str>) {
        if let Some(d) = self.f.exists.get_mut(e.0 as usize) {
            d.name = name;
        }
    }
    /// The region at the insertion point says this of its parameters: the op that takes the region demands it.
    pub fn region_where(&mut self, c: Constraint) {
        // Nobody demands it of the body, nor of a region that an op holds already.
        self.unchecked |= self.at == BODY || !self.loose(self.at);
        self.know(c.clone());
        self.f.regions[self.at.ix()].wheres.push(c);
    }
    /// The insertion point.
    pub fn at(&self) -> RegionId {
        self.at
    }
    /// Moves the insertion point to the end of `r`, an open or reopened region; returns the old one.
    pub fn set_at(&mut self, r: RegionId) -> RegionId {
        self.unchecked |= !self.asks && !self.loose(r);
        self.go_to(r)
    }
    pub(crate) fn go_to(&mut self, r: RegionId) -> RegionId {
        std::mem::replace(&mut self.at, r)
    }
    /// `loc` and span that ops get which bring none (adjoint statements carry their primal's); returns the old ones.
    pub fn set_loc(&mut self, loc: Option<u32>, span: Span) -> (Option<u32>, Span) {
        (std::mem::replace(&mut self.loc, loc), std::mem::replace(&mut self.span, span))
    }
    /// Declares an extent parameter.
    pub fn sym(&mut self, name: &str, span: Span) -> SymId {
        self.f.syms.push(SymDecl { name: name.into(), likely: None, span });
        SymId(self.f.syms.len() as u32 - 1)
    }
    /// Declares an existential; some result or region parameter must bind it.
    pub fn exist(&mut self, name: &str, span: Span) -> ExistId {
        let region = self.at;
        self.f.exists.push(ExistDecl { name: name.into(), span, region, binder: None });
        ExistId(self.f.exists.len() as u32 - 1)
    }
    /// Adds to the header's `where` (a fact in the body, where it is about symbols only).
    pub fn add_where(&mut self, c: Constraint) {
        if !c.lhs.mentions_existential() && !c.rhs.mentions_existential() {
            self.know(c.clone());
            if c.op == CmpOp::Eq {
                self.firm.push((BODY, c.clone()));
            }
        }
        self.f.wheres.push(c);
    }
    /// A fact from here to the end of the region, for which nobody vouches: the function is verified before it is compiled.
    pub fn assume(&mut self, c: Constraint) {
        self.unchecked = true;
        self.know(c);
    }
    pub(crate) fn know(&mut self, c: Constraint) {
        let level = self.level();
        self.facts[level].1.assume(c);
    }
    /// What is known at the insertion point.
    pub fn facts(&self) -> &Facts {
        &self.facts[self.level()].1
    }
    /// The innermost open region that is the one at the insertion point or around it.
    fn level(&self) -> usize {
        let mut level = self.facts.len() - 1;
        // The stack is never empty: it starts with the body, in which every region lies, and closing keeps that.
        while level > 0 && self.facts[level].0 != self.at && !self.f.within(self.at, self.facts[level].0) {
            level -= 1;
        }
        level
    }
    /// What is known at the insertion point whatever is dropped later.
    pub(crate) fn firm_facts(&self) -> Facts {
        let mut facts = Facts::new();
        for (r, c) in &self.firm {
            if self.f.within(self.at, *r) {
                facts.assume(c.clone());
            }
        }
        facts
    }
    /// Is `r` a region that no op holds yet? What it holds is checked with the op.
    fn loose(&self, r: RegionId) -> bool {
        self.closed.contains_key(&r) || self.facts.iter().any(|x| x.0 == r)
    }
    /// Whether ops of region `r` may use `v`.
    pub(crate) fn reaches(&self, v: ValueId, r: RegionId) -> bool {
        self.f.values.get(v.ix()).is_some_and(|x| x.region == r || self.f.within(r, x.region))
    }
    fn add_value(&mut self, ty: Type, name: Arc<str>, def: Def, region: RegionId, span: Span) -> ValueId {
        self.f.values.push(Value { ty, name, def, region, span });
        ValueId(self.f.values.len() as u32 - 1)
    }
    /// Adds a parameter to the region at the insertion point.
    pub fn param(&mut self, ty: Type, name: &str) -> ValueId {
        self.param_to(self.at, ty, name)
    }
    /// Adds a parameter to region `r`.
    pub fn param_of(&mut self, r: RegionId, ty: Type, name: &str) -> ValueId {
        self.unchecked |= !self.loose(r);
        self.param_to(r, ty, name)
    }
    pub(crate) fn param_to(&mut self, r: RegionId, ty: Type, name: &str) -> ValueId {
        self.param_at(r, ty, name.into(), self.span)
    }
    /// Adds a parameter to the region at the insertion point that stands for value `v` of `src`, with its name, place
    /// and sharding.
    pub fn param_like(&mut self, ty: Type, src: &Func, v: ValueId) -> ValueId {
        self.param_for(ty, src.value(v).name.clone(), src, v)
    }
    /// As [`Builder::param_like`], under another name: a tangent's or a cotangent's.
    pub fn param_for(&mut self, ty: Type, name: impl Into<Arc<str>>, src: &Func, v: ValueId) -> ValueId {
        let (old, name) = (src.value(v), name.into());
        // A tangent has another name, and no default.
        let default = src.default_of(v).filter(|t| Func::is_default(&ty, t) && *name == *src.value(v).name);
        let sharding = src.sharding(v).filter(|s| s.0.len() == ty.dims.len());
        let p = self.param_at(self.at, ty, name, old.span);
        if let Some(t) = default {
            self.f.defaults.insert(p, t.clone());
        }
        if let Some(s) = sharding {
            self.shard(p, s.clone());
        }
        p
    }
    /// Parameter `p` of the function may be left out by callers, and is `t` then: one number for all elements, or the elements.
    ///
    /// # Errors
    /// `E0206` where its type has another dtype or shape, or an extent that is no number.
    pub fn set_default(&mut self, p: ValueId, t: Tensor) -> Result<()> {
        let ty = self.f.ty(p);
        if !Func::is_default(ty, &t) {
            return Err(no_default(&self.f, p, &t));
        }
        self.f.defaults.insert(p, t);
        Ok(())
    }
    /// As [`Builder::param`], with a name that is shared.
    pub fn param_named(&mut self, ty: Type, name: Arc<str>) -> ValueId {
        self.param_at(self.at, ty, name, self.span)
    }
    fn param_at(&mut self, r: RegionId, ty: Type, name: Arc<str>, span: Span) -> ValueId {
        let i = self.f.region(r).params.len() as u32;
        self.claim(&ty.dims, Binder::Params(r));
        let v = self.add_value(ty, name, Def::Param(i), r, span);
        self.f.regions[r.ix()].params.push(v);
        v
    }
    /// Replaces the parameter list of a region by a rearrangement of it.
    pub fn set_params(&mut self, r: RegionId, params: Vec<ValueId>) {
        let own = |&p: &ValueId| self.f.values.get(p.ix()).is_some_and(|x| x.region == r);
        self.unchecked |= !self.loose(r) || !params.iter().all(own);
        self.put_params(r, params);
    }
    pub(crate) fn put_params(&mut self, r: RegionId, params: Vec<ValueId>) {
        for (i, &p) in params.iter().enumerate() {
            self.f.values[p.ix()].def = Def::Param(i as u32);
        }
        self.f.regions[r.ix()].params = params;
    }
    /// Takes parameter `p` away from region `r`: operand 0 of `op`, its only use, becomes `v`. So a linear loop reads what
    /// forward trips have joined ([`Keep::Joined`](crate::derive::Keep)).
    /// What the op asks of the extents that `p` shows it asks of those of `v`.
    pub(crate) fn replace_param(&mut self, r: RegionId, p: ValueId, op: OpId, v: ValueId) -> Result<()> {
        let mut map = Map::new();
        for (old, new) in self.f.ty(p).dims.iter().zip(self.f.ty(v).dims.iter()) {
            if let Some(Atom::Exist(e)) = old.as_atom() {
                map.bind(e, new.clone());
            }
        }
        let op = &mut self.f.ops[op.ix()];
        op.operands[0] = v;
        let discharged = op.proved.iter_mut().flat_map(|p| &mut p.discharged);
        for g in op.guards.iter_mut().chain(discharged) {
            g.cond = map.constraint(&g.cond)?;
        }
        let rest = self.f.region(r).params.iter().copied().filter(|&q| q != p).collect();
        self.put_params(r, rest);
        Ok(())
    }
    /// Takes parameter `p` away from region `r`: who reads it there reads `v` from around the region, which is of the same type.
    pub(crate) fn fix_param(&mut self, r: RegionId, p: ValueId, v: ValueId) {
        let mut ops = vec![];
        self.f.walk(r, &mut |o| ops.push(o));
        let mut regions = vec![r];
        for o in ops {
            let op = &mut self.f.ops[o.ix()];
            op.operands.iter_mut().filter(|x| **x == p).for_each(|x| *x = v);
            regions.extend(op.regions.iter().copied());
        }
        for q in regions {
            self.f.regions[q.ix()].yields.iter_mut().filter(|x| **x == p).for_each(|x| *x = v);
        }
        let rest = self.f.region(r).params.iter().copied().filter(|&q| q != p).collect();
        self.put_params(r, rest);
    }
    /// Replaces what a region yields.
    pub fn set_yields(&mut self, r: RegionId, yields: Vec<ValueId>) {
        self.unchecked |= !self.loose(r) || !yields.iter().all(|&v| self.reaches(v, r));
        self.put_yields(r, yields);
    }
    pub(crate) fn put_yields(&mut self, r: RegionId, yields: Vec<ValueId>) {
        self.f.regions[r.ix()].yields = yields;
    }
    /// A value's type.
    pub fn ty(&self, v: ValueId) -> Type {
        self.f.ty(v).clone()
    }
    /// A value's name hint.
    pub fn name(&self, v: ValueId) -> Arc<str> {
        self.f.value(v).name.clone()
    }
    /// Gives a value a name hint.
    pub fn rename(&mut self, v: ValueId, name: impl Into<Arc<str>>) -> ValueId {
        self.f.values[v.ix()].name = name.into();
        v
    }
    /// Gives a value a name hint unless it has one.
    pub fn hint(&mut self, v: ValueId, name: impl Into<Arc<str>>) -> ValueId {
        if self.f.values[v.ix()].name.is_empty() {
            self.rename(v, name);
        }
        v
    }
    /// Records where a value is written.
    pub fn set_span(&mut self, v: ValueId, span: Span) {
        self.f.values[v.ix()].span = span;
    }
    /// Opens a region nested at the insertion point and moves there.
    pub fn open(&mut self, label: &str) -> Opened {
        self.f.regions.push(Region {
            label: label.into(),
            params: vec![],
            ops: vec![],
            yields: vec![],
            wheres: vec![],
            guards: vec![],
            discharged: vec![],
            parent: Some(self.at),
            span: self.span,
        });
        let region = RegionId(self.f.regions.len() as u32 - 1);
        let known = self.facts().clone();
        let back = std::mem::replace(&mut self.at, region);
        self.facts.push((region, known));
        Opened { region, back }
    }
    /// Ends a region and goes back to where it was opened.
    pub fn close(&mut self, o: Opened, yields: Vec<ValueId>) -> RegionId {
        self.unchecked |= !yields.iter().all(|&v| self.reaches(v, o.region));
        self.f.regions[o.region.ix()].yields = yields;
        self.suspend(o)
    }
    /// Leaves a region without ending it: its yields are set later.
    pub fn suspend(&mut self, o: Opened) -> RegionId {
        self.at = o.back;
        if let Some(level) = self.facts.iter().rposition(|x| x.0 == o.region).filter(|&l| l > 0) {
            let (_, known) = self.facts.remove(level);
            self.closed.insert(o.region, known);
        }
        o.region
    }
    /// A whole region: parameters of these types, then `body`.
    pub fn region(
        &mut self,
        label: &str,
        params: &[(Type, &str)],
        body: impl FnOnce(&mut Self, &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<RegionId> {
        let o = self.open(label);
        let ps: Vec<_> = params.iter().map(|(t, n)| self.param(t.clone(), n)).collect();
        let ys = body(self, &ps)?;
        Ok(self.close(o, ys))
    }
    /// Adds an op: checks arity, slots and scope, infers, reconciles with the written types. Returns its results.
    pub fn emit(&mut self, new: NewOp) -> Result<Vec<ValueId>> {
        self.emit_partly(new, &[])
    }
    /// As [`Builder::emit`] where only some result types are written: one entry a result, instead of `new.declared`.
    pub fn emit_partly(&mut self, mut new: NewOp, some: &[Option<Type>]) -> Result<Vec<ValueId>> {
        let def = new.def;
        check_arity(def, new.operands.len())?;
        for (i, &v) in new.operands.iter().enumerate() {
            if v.ix() >= self.f.values.len() || !self.f.within(self.at, self.f.value(v).region) {
                return Err(Error::new(Code::E0303, "this value is not in scope here").operand(i));
            }
        }
        check_regions(def, new.regions.len())?;
        // A region that was closed for another op is called what it is here.
        for (i, &r) in new.regions.iter().enumerate() {
            if let Some(label) = region_name(def.regions, i).filter(|l| *self.f.regions[r.ix()].label != **l) {
                self.f.regions[r.ix()].label = label.as_ref().into();
            }
        }
        normalise(def, &mut new.attrs)?;
        if let Some(s) =
            def.slots.iter().find(|s| s.default == crate::op::SlotDefault::AllAxes && new.attrs.get(s.name).is_none())
        {
            let rank = new.operands.first().map_or(0, |&x| self.f.ty(x).rank());
            new.attrs.set(s.name, Attr::ints(&(0..rank).collect::<Vec<_>>()));
        }
        // Taken out for the call, so that inference may hold it beside the function.
        let level = self.level();
        let facts = std::mem::take(&mut self.facts[level].1);
        let span = if new.span == Span::default() { self.span } else { new.span };
        let declared = new.declared.take();
        let written: Option<Vec<Option<&Type>>> = match &declared {
            Some(all) => Some(all.iter().map(Some).collect()),
            None if some.is_empty() => None,
            None => Some(some.iter().map(Option::as_ref).collect()),
        };
        let known = self.f.exists.len();
        // What is written must follow: the op brings its own facts, and nobody else vouches for others.
        let claims = if def.demands { vec![] } else { std::mem::take(&mut new.wheres) };
        let mut cx = InferCx {
            m: self.m,
            f: &mut self.f,
            facts: &facts,
            closed: &self.closed,
            def,
            operands: &new.operands,
            attrs: &mut new.attrs,
            regions: &new.regions,
            declared: declared.as_deref(),
            written: written.as_deref().unwrap_or_default(),
            wheres: &mut new.wheres,
            guards: vec![],
            discharged: vec![],
            span,
            at: self.at,
            assumed: vec![],
            stated: self.mends.then(Vec::new),
        };
        let types = outside::column(def, "infer", || (def.infer)(&mut cx)).and_then(|mut inferred| {
            reconcile::attrs(&cx)?;
            reconcile::known(&cx, &inferred)?;
            if let Some(written) = &written {
                reconcile::name_fresh(&mut cx, known, &mut inferred, written)?;
                reconcile::written(&mut cx, &mut inferred, written)?;
            }
            Ok(inferred)
        });
        let (guards, discharged, gives) = (cx.guards, cx.discharged, cx.assumed);
        let stated = cx.stated.unwrap_or_default();
        self.facts[level].1 = facts;
        let types = types?;
        normalise(def, &mut new.attrs)?;
        if !stated.is_empty() {
            self.state(stated)?;
        }
        for c in new.wheres.iter().chain(&gives) {
            self.know(c.clone());
        }
        let mut kept = vec![];
        for c in claims {
            if new.wheres.iter().chain(&kept).any(|w| w.says(&c)) {
                continue;
            }
            if self.facts().prove(&c) == Truth::Yes {
                kept.push(c);
            } else if self.strict {
                return Err(Error::new(
                    Code::E0416,
                    format!("`{}` does not give `where {}`", def.name, c.display(&self.f)),
                )
                .help("a fact that no op gives is stated by a statement of its own: `guard() where …`"));
            }
        }
        let proved = Proved::of(discharged, kept, gives);
        let loc = new.loc.or(self.loc);
        let op = Op {
            def,
            operands: new.operands,
            attrs: new.attrs,
            regions: new.regions,
            results: ValueList::new(),
            wheres: new.wheres,
            guards,
            proved,
            loc,
            span,
        };
        Ok(self.push(op, types.into_iter().map(|t| Ok((t, Arc::default(), span))))?.to_vec())
    }
    /// Existentials in `extents` that nothing binds yet are bound by `binder`.
    fn claim(&mut self, extents: &[Extent], binder: Binder) {
        if self.f.exists.is_empty() {
            return;
        }
        for e in extents.iter().filter(|e| e.mentions_existential()) {
            e.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a
                    && let Some(d) = self.f.exists.get_mut(r.0 as usize)
                {
                    d.binder.get_or_insert(binder);
                }
            });
        }
    }
    /// May the function grow? Then not asked again for some ops: fewer, the less is left.
    fn ask_budget(&mut self, span: Span) -> Result<()> {
        let size = self.f.size();
        let left = self.m.allows(&self.f.name, size + 1).map_err(|e| match span {
            unknown if unknown == Span::default() => e,
            span => e.or_span(span),
        })?;
        self.ask = size + (left / 2).clamp(1, ASK);
        Ok(())
    }
    /// Adds a checked op whose results have these types, names and places.
    pub(crate) fn push(
        &mut self,
        mut op: Op,
        results: impl Iterator<Item = Result<(Type, Arc<str>, Span)>>,
    ) -> Result<ValueList> {
        let (id, at) = (OpId(self.f.ops.len() as u32), self.at);
        if self.f.size() >= self.ask {
            self.ask_budget(op.span)?;
        }
        let mut add = |(i, result): (usize, Result<(Type, Arc<str>, Span)>)| {
            let (ty, name, span) = result?;
            self.claim(&ty.dims, Binder::Op(id));
            Ok(self.add_value(ty, name, Def::Result(id, i as u32), at, span))
        };
        op.results = results.enumerate().map(&mut add).collect::<Result<_>>()?;
        if !self.f.exists.is_empty() {
            for (_, a) in op.attrs.iter() {
                if let Attr::Extents(v) = a {
                    self.claim(v, Binder::Op(id));
                }
            }
        }
        for r in &op.regions {
            self.closed.remove(r);
        }
        if op.def.demands && op.def.effect == Effect::Assert {
            self.firm.extend(op.wheres.iter().map(|c| (at, c.clone())));
        }
        let results = op.results.clone();
        self.f.ops.push(op);
        self.f.regions[at.ix()].ops.push(id);
        Ok(results)
    }
    /// [`Builder::emit`] for an op with one result.
    pub fn emit1(&mut self, new: NewOp) -> Result<ValueId> {
        let name = new.def.name;
        let r = self.emit(new)?;
        r.first().copied().ok_or_else(|| Error::new(Code::E0211, format!("`{name}` gives no result")))
    }
}

/// That a parameter cannot be `t` where a caller leaves it out.
pub(crate) fn no_default(f: &Func, p: ValueId, t: &Tensor) -> Error {
    let (ty, name) = (f.ty(p), &f.value(p).name);
    let e =
        Error::new(Code::E0206, format!("`%{name}` is {}, its default {}{:?}", ty.display(f), t.dtype(), t.shape()));
    e.help(match ty.exact_shape() {
        None => "a default is of a type whose extents are numbers",
        Some(_) => "give one number for all elements, or as many as there are",
    })
}
