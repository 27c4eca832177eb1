//! Functions: arenas of values, ops and single-block regions. A finished function is immutable and shared.
use crate::attr::{Attr, Attrs};
use crate::diag::{Result, Span};
use crate::extent::{Atom, Constraint, ExistId, Extent, ExtentNames, SymId};
use crate::list::ValueList;
use crate::mesh::Sharding;
use crate::module::FuncId;
use crate::op::{Effect, OpDef};
use crate::tensor::Tensor;
use crate::types::Type;
use crate::with_dtype;
use std::collections::BTreeMap;
use std::sync::Arc;

macro_rules! ids {
    ($($(#[$d:meta])* $n:ident)*) => { $(
        $(#[$d])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $n(pub u32);
        impl $n {
            /// The id as an index into the function's table.
            #[inline]
            pub fn ix(self) -> usize { self.0 as usize }
        }
    )* };
}
ids! {
    /// A value of a function.
    ValueId
    /// An op of a function.
    OpId
    /// A region of a function; [`BODY`] is the function's own.
    RegionId
}
/// The region that is the function's body.
pub const BODY: RegionId = RegionId(0);

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    /// A parameter of its region, by position.
    Param(u32),
    /// A result of an op, by position.
    Result(OpId, u32),
}
/// A value.
#[derive(Clone, Debug)]
pub struct Value {
    /// Type of the value.
    pub ty: Type,
    /// A hint; the printer makes names unique and numbers the unnamed.
    pub name: Arc<str>,
    /// Where it comes from.
    pub def: Def,
    /// The region that defines it.
    pub region: RegionId,
    /// Where it is written.
    pub span: Span,
}
/// An op.
#[derive(Clone, Debug)]
pub struct Op {
    /// Row of the op.
    pub def: &'static OpDef,
    /// Operands.
    pub operands: ValueList,
    /// Attributes.
    pub attrs: Attrs,
    /// Regions.
    pub regions: Vec<RegionId>,
    /// Results.
    pub results: ValueList,
    /// The statement's `where`: a demand on `guard` and `extent`, elsewhere the facts that the op brings.
    pub wheres: Vec<Constraint>,
    /// Equalities and bounds that inference could not prove: checked when the op runs.
    pub guards: Vec<Guard>,
    /// What was proved by the facts that statements in front of the op say; a copy proves it again where it stands.
    pub proved: Option<Box<Proved>>,
    /// Index into the module's `loc` table.
    pub loc: Option<u32>,
    /// Where it is written.
    pub span: Span,
}
/// A condition that is checked at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// What must hold.
    pub cond: Constraint,
    /// What it is about: "operand 1, axis 0".
    pub what: Arc<str>,
    /// The extent that the op finds along this axis of this result is the right side of `cond`, as its written type says.
    pub found: Option<(usize, usize)>,
}
impl Guard {
    /// A condition on extents that are known.
    pub fn new(cond: Constraint, what: impl Into<Arc<str>>) -> Guard {
        Guard { cond, what: what.into(), found: None }
    }
    /// What is asked, as text.
    pub fn display<'a>(&'a self, names: &'a dyn ExtentNames) -> impl std::fmt::Display + 'a {
        std::fmt::from_fn(move |f| match self.found {
            None => write!(f, "{}", self.cond.display(names)),
            Some((i, axis)) => write!(f, "axis {axis} of result {i} == {}", self.cond.rhs.display(names)),
        })
    }
}
/// What an op takes from the facts where it stands, and gives to those behind it beside what it prints. A fact is worth as
/// much as the statement that says it: where that is dropped, what was proved by it has to be asked when the op runs.
#[derive(Clone, Debug, Default)]
pub struct Proved {
    /// Conditions that follow from what statements in scope say, and not from nothing.
    pub discharged: Vec<Guard>,
    /// Facts written at the op that it does not bring itself: they follow from its own and from those in scope.
    pub claims: Vec<Constraint>,
    /// Facts that the op brings and that are not printed: what a callee's header says of its results.
    pub gives: Vec<Constraint>,
}
impl Proved {
    /// `None` where there is nothing, as for almost every op.
    pub(crate) fn of(discharged: Vec<Guard>, claims: Vec<Constraint>, gives: Vec<Constraint>) -> Option<Box<Proved>> {
        if discharged.is_empty() && claims.is_empty() && gives.is_empty() {
            return None;
        }
        Some(Box::new(Proved { discharged, claims, gives }))
    }
}
/// A single-block region.
#[derive(Clone, Debug)]
pub struct Region {
    /// `body`, `cond`, `then`, …
    pub label: Arc<str>,
    /// Parameters.
    pub params: Vec<ValueId>,
    /// Ops in order.
    pub ops: Vec<OpId>,
    /// What `yield` or `return` hands on.
    pub yields: Vec<ValueId>,
    /// `where` on the region's parameters.
    pub wheres: Vec<Constraint>,
    /// Equalities and bounds of what is yielded that inference could not prove: checked at each `yield`.
    pub guards: Vec<Guard>,
    /// Conditions of what is yielded that follow from facts at the end of the region: proved again wherever it is copied.
    pub discharged: Vec<Guard>,
    /// The region around it.
    pub parent: Option<RegionId>,
    /// Where its terminator is written.
    pub span: Span,
}
/// A symbolic extent parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymDecl {
    /// Its name.
    pub name: Arc<str>,
    /// What all callers give it, where that is one number: a hint to expansions that choose by extents, for as long as a pass
    /// keeps it.
    pub likely: Option<i64>,
    /// Where it is declared.
    pub span: Span,
}
/// An existential extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistDecl {
    /// Its name, without `?`; the printer makes it unique.
    pub name: Arc<str>,
    /// Where it is bound.
    pub span: Span,
    /// The region in which it can be named.
    pub region: RegionId,
    /// What binds it; `None` while nothing does.
    pub binder: Option<Binder>,
}
/// What binds an existential.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binder {
    /// An op: its results, or its `where`.
    Op(OpId),
    /// A region's parameter list.
    Params(RegionId),
    /// The header's result list.
    Header,
}
/// A function.
#[derive(Clone, Debug)]
pub struct Func {
    /// Name without `@`.
    pub name: Arc<str>,
    /// Whether the function is an entry point.
    pub export: bool,
    /// Extent parameters `<m, n>`.
    pub syms: Vec<SymDecl>,
    /// Existentials, of the header and of the body.
    pub exists: Vec<ExistDecl>,
    /// The header's `where`.
    pub wheres: Vec<Constraint>,
    /// The header's result types; their existentials are a pack that `return` instantiates.
    pub result_types: Vec<Type>,
    /// Names of results, where given.
    pub result_names: Vec<Option<Arc<str>>>,
    /// The header's `with (…)`.
    pub with: Attrs,
    /// Values.
    pub values: Vec<Value>,
    /// How values are cut over the module's mesh, where something is said of them.
    pub shardings: BTreeMap<ValueId, Arc<Sharding>>,
    /// Values of parameters that a caller may leave out: one number for all elements, or the elements.
    pub defaults: BTreeMap<ValueId, Tensor>,
    /// Ops.
    pub ops: Vec<Op>,
    /// Regions.
    pub regions: Vec<Region>,
    /// Where its name is written.
    pub span: Span,
    /// The worst effect of its body, known once it is finished.
    pub effect: Effect,
    /// Who has checked it.
    pub(crate) seal: Seal,
}
/// The module whose builder has checked every part of a function. A copy of the function may be changed: it has none.
#[derive(Debug, Default)]
pub(crate) struct Seal(pub(crate) Option<u64>);
impl Clone for Seal {
    fn clone(&self) -> Seal {
        Seal(None)
    }
}
/// A function that cannot be changed any more. It is read like a [`Func`]; what the builder has checked stays checked, and
/// what was put together otherwise ([`From`]) is verified before an engine compiles it.
#[derive(Debug)]
pub struct Finished(Func);
impl Finished {
    pub(crate) fn sealed(mut func: Func, by: Option<u64>) -> Finished {
        func.seal = Seal(by);
        Finished(func)
    }
    /// For changes within this crate that keep the function right.
    pub(crate) fn func_mut(&mut self) -> &mut Func {
        &mut self.0
    }
    /// The same function as an entry point, or as none; one whose extents do not follow from its arguments stays none
    /// (`E0415` says which, where text is read).
    pub fn exported(&self, export: bool) -> Finished {
        let mut f = self.clone();
        f.0.export = export && f.0.open_extent().is_none();
        f
    }
    /// The same function with one more entry of its header's `with (…)`.
    pub fn with_attr(&self, name: &'static str, a: Attr) -> Finished {
        let mut f = self.clone();
        f.0.with.set(name, a);
        f
    }
    /// The same function with these of its results alone, in this order.
    pub fn with_results(&self, kept: &[usize]) -> Finished {
        let mut f = self.clone();
        f.0.result_types = kept.iter().filter_map(|&k| self.result_types.get(k).cloned()).collect();
        f.0.result_names = kept.iter().map(|&k| self.result_names.get(k).cloned().flatten()).collect();
        f.0.regions[0].yields = kept.iter().filter_map(|&k| self.returns().get(k).copied()).collect();
        f
    }
    /// The same function with these names of results, for those that have none.
    pub fn with_names(&self, names: impl Iterator<Item = String>) -> Finished {
        let mut f = self.clone();
        for (slot, name) in f.0.result_names.iter_mut().zip(names) {
            slot.get_or_insert(name.into());
        }
        f
    }
    /// The same function under another name, and no entry point.
    pub fn private(&self, name: &str) -> Finished {
        let mut f = self.clone();
        (f.0.name, f.0.export) = (name.into(), false);
        f
    }
}
impl Clone for Finished {
    fn clone(&self) -> Finished {
        Finished::sealed(self.0.clone(), self.0.seal.0)
    }
}
impl std::ops::Deref for Finished {
    type Target = Func;
    fn deref(&self) -> &Func {
        &self.0
    }
}
impl ExtentNames for Finished {
    fn sym(&self, s: SymId) -> &str {
        self.0.sym(s)
    }
    fn exist(&self, e: ExistId) -> &str {
        self.0.exist(e)
    }
}
impl From<Func> for Finished {
    fn from(func: Func) -> Finished {
        Finished::sealed(func, None)
    }
}
impl ExtentNames for Func {
    fn sym(&self, s: SymId) -> &str {
        self.syms.get(s.0 as usize).map_or("<unknown>", |s| &s.name)
    }
    fn exist(&self, e: ExistId) -> &str {
        self.exists.get(e.0 as usize).map_or("<unknown>", |e| &e.name)
    }
}
impl Op {
    /// The facts written at the op: what it brings or demands, then what follows from that and from the facts in scope.
    pub fn said(&self) -> impl Iterator<Item = &Constraint> {
        self.wheres.iter().chain(self.proved.iter().flat_map(|p| &p.claims))
    }
    /// Conditions that are proved by facts in scope.
    pub fn discharged(&self) -> &[Guard] {
        self.proved.as_ref().map_or(&[], |p| &p.discharged)
    }
}
impl Func {
    /// A value.
    #[inline]
    pub fn value(&self, v: ValueId) -> &Value {
        &self.values[v.ix()]
    }
    /// How a value is cut over the module's mesh, where something is said of it.
    #[inline]
    pub fn sharding(&self, v: ValueId) -> Option<&Arc<Sharding>> {
        if self.shardings.is_empty() {
            return None;
        }
        self.shardings.get(&v)
    }
    /// The value of a parameter that a caller may leave out.
    pub fn default_of(&self, v: ValueId) -> Option<&Tensor> {
        self.defaults.get(&v)
    }
    /// The same with all elements.
    ///
    /// # Errors
    /// `E0406`, `E0705` where there is no room for them.
    pub fn whole_default_of(&self, v: ValueId) -> Result<Option<Tensor>> {
        let Some(t) = self.default_of(v) else { return Ok(None) };
        let shape = self.ty(v).exact_shape().unwrap_or_default();
        if t.rank() == shape.len() {
            return Ok(Some(t.clone()));
        }
        with_dtype!(t.dtype(), T => Tensor::full::<T>(&shape, t.item::<T>().unwrap_or_default())).map(Some)
    }
    /// Whether a value of that type can be this one where a caller leaves it out.
    pub(crate) fn is_default(ty: &Type, t: &Tensor) -> bool {
        t.dtype() == ty.dtype && ty.exact_shape().is_some_and(|s| t.rank() == 0 || t.shape() == s)
    }
    /// A value's type.
    #[inline]
    pub fn ty(&self, v: ValueId) -> &Type {
        &self.values[v.ix()].ty
    }
    /// An op.
    #[inline]
    pub fn op(&self, o: OpId) -> &Op {
        &self.ops[o.ix()]
    }
    /// A region.
    #[inline]
    pub fn region(&self, r: RegionId) -> &Region {
        &self.regions[r.ix()]
    }
    /// The function's own region.
    pub fn body(&self) -> &Region {
        &self.regions[0]
    }
    /// The function's parameters.
    pub fn params(&self) -> &[ValueId] {
        &self.regions[0].params
    }
    /// What it returns.
    pub fn returns(&self) -> &[ValueId] {
        &self.regions[0].yields
    }
    /// Types of several values.
    pub fn types(&self, vs: &[ValueId]) -> Vec<Type> {
        vs.iter().map(|&v| self.ty(v).clone()).collect()
    }
    /// The first symbol that does not follow from the types of its parameters: an entry point has none.
    pub(crate) fn open_extent(&self) -> Option<&SymDecl> {
        let dims: Vec<Extent> = self.params().iter().flat_map(|&p| self.ty(p).dims.iter().cloned()).collect();
        let known = crate::extent::solvable(self.syms.len(), &dims);
        self.syms.iter().zip(known).find(|x| !x.1).map(|x| x.0)
    }
    /// Whether the function's body knows extents that values decide.
    pub fn has_open_extents(&self) -> bool {
        self.exists.iter().any(|d| !matches!(d.binder, None | Some(Binder::Header)))
    }
    /// The op that defines `v`, if an op does.
    pub fn def_op(&self, v: ValueId) -> Option<&Op> {
        match self.value(v).def {
            Def::Result(o, _) => Some(self.op(o)),
            Def::Param(_) => None,
        }
    }
    /// Name of result `i` for users: its own, or `out{i}`.
    pub fn result_name(&self, i: usize) -> String {
        self.result_names.get(i).cloned().flatten().map_or_else(|| format!("out{i}"), |n| n.to_string())
    }
    /// The first existential of `e` that nothing binds.
    pub fn unbound(&self, e: &Extent) -> Option<ExistId> {
        let mut found = None;
        e.for_each_atom(&mut |a| {
            if let Atom::Exist(r) = a
                && self.binder(r).is_none()
            {
                found.get_or_insert(r);
            }
        });
        found
    }
    /// Whether `e` names an extent that `region` or something in it binds.
    pub fn bound_within(&self, e: &Extent, region: RegionId) -> bool {
        let mut found = false;
        e.for_each_atom(&mut |a| {
            if let Atom::Exist(r) = a {
                found |= self.exists.get(r.0 as usize).is_some_and(|d| self.within(d.region, region));
            }
        });
        found
    }
    /// Whether `inner` is `outer`, or nested in it.
    pub fn within(&self, mut inner: RegionId, outer: RegionId) -> bool {
        loop {
            if inner == outer {
                return true;
            }
            match self.region(inner).parent {
                Some(p) => inner = p,
                None => return false,
            }
        }
    }
    /// Every op of `region` and of the regions nested in it, in order.
    pub fn walk(&self, region: RegionId, f: &mut dyn FnMut(OpId)) {
        for &o in &self.region(region).ops {
            f(o);
            for &r in &self.op(o).regions {
                self.walk(r, f);
            }
        }
    }
    /// What binds an existential of the function; `None` where nothing does, or it is none of the function's.
    pub fn binder(&self, r: ExistId) -> Option<Binder> {
        self.exists.get(r.0 as usize)?.binder
    }
    /// Functions that its ops name, each once, in the order of their first naming.
    pub fn callees(&self) -> Vec<FuncId> {
        let (mut seen, mut out) = (std::collections::HashSet::new(), vec![]);
        self.walk(BODY, &mut |o| {
            let op = self.op(o);
            if op.def.calls() {
                let named =
                    op.attrs.iter().filter_map(|(_, a)| if let crate::Attr::Sym(s) = a { Some(s.func) } else { None });
                out.extend(named.filter(|&f| seen.insert(f)));
            }
        });
        out
    }
    /// Existentials that op `o`, regions included, names but does not bind: in types, attributes, `where`s and guards.
    pub fn extents_named(&self, o: OpId) -> Vec<ExistId> {
        let mut out = vec![];
        self.extents_into(o, &mut out);
        let own = |r: &ExistId| {
            let d = &self.exists[r.0 as usize];
            d.binder == Some(Binder::Op(o)) || self.op(o).regions.iter().any(|&q| self.within(d.region, q))
        };
        out.retain(|r| !own(r));
        out
    }
    fn extents_into(&self, o: OpId, out: &mut Vec<ExistId>) {
        let op = self.op(o);
        let mut see = |e: &Extent| {
            e.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a
                    && !out.contains(&r)
                {
                    out.push(r);
                }
            })
        };
        let inner = op.regions.iter().flat_map(|&r| &self.region(r).params);
        for &v in op.results.iter().chain(&op.operands).chain(inner) {
            self.ty(v).dims.iter().for_each(&mut see);
        }
        for (_, a) in op.attrs.iter() {
            match a {
                crate::Attr::Extents(e) => e.iter().for_each(&mut see),
                crate::Attr::Sym(s) => s.extents.iter().for_each(&mut see),
                _ => {}
            }
        }
        for c in op.wheres.iter().chain(op.guards.iter().map(|g| &g.cond)) {
            see(&c.lhs);
            see(&c.rhs);
        }
        for r in op.regions.iter().map(|&r| self.region(r)) {
            r.yields.iter().for_each(|&v| self.ty(v).dims.iter().for_each(&mut see));
            for c in r.wheres.iter().chain(r.guards.iter().map(|g| &g.cond)) {
                see(&c.lhs);
                see(&c.rhs);
            }
        }
        for &inner in op.regions.iter().flat_map(|&r| &self.region(r).ops) {
            self.extents_into(inner, out);
        }
    }
    /// Values used in `region` (deep) and defined outside it, each once, in order of first use.
    pub fn captures(&self, region: RegionId) -> Vec<ValueId> {
        let (mut seen, mut out) = (std::collections::HashSet::new(), vec![]);
        self.captures_into(region, region, &mut seen, &mut out);
        out
    }
    fn captures_into(
        &self,
        r: RegionId,
        outer: RegionId,
        seen: &mut std::collections::HashSet<ValueId>,
        out: &mut Vec<ValueId>,
    ) {
        let mut see = |v: ValueId| {
            if !self.within(self.value(v).region, outer) && seen.insert(v) {
                out.push(v)
            }
        };
        for &o in &self.region(r).ops {
            self.op(o).operands.iter().for_each(|&v| see(v));
        }
        self.region(r).yields.iter().for_each(|&v| see(v));
        for &o in &self.region(r).ops {
            for &q in &self.op(o).regions {
                self.captures_into(q, outer, seen, out);
            }
        }
    }
    /// A copy of op `o` without its regions, to be changed and copied elsewhere.
    pub(crate) fn clone_shell(&self, o: OpId) -> Op {
        Op { regions: vec![], ..self.op(o).clone() }
    }
    /// What it counts towards a limit on ops: an op of several results, or a value that is a parameter, counts as that
    /// many. Calls of derivatives have a result for each value that is kept.
    pub fn size(&self) -> usize {
        self.ops.len().max(self.values.len())
    }
    /// Number of ops, nested ones included.
    pub fn op_count(&self) -> usize {
        let mut n = 0;
        self.walk(BODY, &mut |_| n += 1);
        n
    }
}
