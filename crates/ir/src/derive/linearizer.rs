//! The forward sweep. *Split* placement builds `fwd` and `lin` side by side; a forward value used in `lin` becomes a
//! residual at the frame (function or region) that defines it, so values captured from outside a loop are never
//! stacked. *Inline* placement has one builder for both, and a residual is the value itself.
use super::residual::unique_name;
use super::{Derive, Jvp, Linearized, inherit, prune, reach};
use crate::attr::{Attr, Attrs};
use crate::builder::{Builder, Opened};
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::extent::{Atom, ExistId, Extent, SymId};
use crate::func::*;
use crate::list::ValueList;
use crate::map::Map;
use crate::module::FuncId;
use crate::op::{Linearize, NewOp};
use crate::outside;
use crate::types::Type;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

/// A pair of regions that are being filled: the primal's and the linear part's.
pub(super) struct Frame {
    pub(super) fwd: RegionId,
    pub(super) lin: RegionId,
    /// Does it run once a trip? Then what differs in extent at each trip is joined; else it is made again.
    pub(super) looped: bool,
    pub(super) kept: Vec<Kept>,
    /// Extents of which `fwd` has the value already.
    pub(super) sizes: Vec<(Extent, ValueId)>,
    /// Numbers of elements whose running sums are parameters of `lin` already.
    pub(super) starts: Vec<(Extent, ValueId)>,
}
/// A value of a forward region that its linear twin reads.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The value, inside the forward region.
    pub value: ValueId,
    /// The parameter of the linear region that stands for it.
    pub param: ValueId,
    /// How it gets there.
    pub how: Keep,
}
/// How a kept value gets from the trips of a loop to those of its linear part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// One value a trip, all of one type.
    Each,
    /// Flat values of different lengths, joined; this op of the linear region cuts its trip's share out of them. The
    /// parameter is to be replaced by the joined values.
    Joined(OpId),
    /// A number of elements; the linear trip gets the sum of those of the trips before it.
    Starts,
}
/// A linearized region, closed but without yields: the rule decides what leaves it.
pub struct Body {
    /// Primal region; with inline placement, the joint one.
    pub fwd: RegionId,
    /// Linear region; the same with inline placement.
    pub lin: RegionId,
    /// Primals of the yields.
    pub primals: Vec<ValueId>,
    /// Tangents of the yields.
    pub tangents: Vec<Option<ValueId>>,
    /// What the linear region reads of the forward one; empty with inline placement.
    pub kept: Vec<Kept>,
}
/// What forward rules see.
pub struct Linearizer<'m> {
    /// Whoever drives the sweeps.
    pub derive: &'m dyn Derive,
    /// The function being differentiated.
    pub src: Arc<Finished>,
    pub(super) fwd: Builder<'m>,
    pub(super) lin: Option<Builder<'m>>,
    pub(super) active: Vec<bool>,
    pub(super) primal: Map,
    pub(super) tangent: Vec<Option<ValueId>>,
    pub(super) residual: HashMap<ValueId, ValueId>,
    /// Existentials of `fwd` as extents of `lin`.
    pub(super) to_lin: Map,
    /// Existentials of `fwd` that are extent parameters of `lin`, behind the symbols of the source.
    pub(super) lin_syms: Vec<(ExistId, Arc<str>)>,
    pub(super) frames: Vec<Frame>,
    /// Which values lead to more than truth values and places, once somebody has asked.
    pub(super) leads: OnceCell<Vec<bool>>,
}

/// Split placement.
pub fn linearize_split(derive: &dyn Derive, id: FuncId, active: &[bool], names: (&str, &str)) -> Result<Linearized> {
    let m = derive.module();
    let src = without_dead(m, id)?;
    let mut cx = Linearizer::new(derive, src.clone(), active, names.0, Some(names.1));
    cx.start()?;
    cx.sweep(BODY)?;
    let kept = cx.frames.pop().map(|f| f.kept).unwrap_or_default();
    let outs = cx.primals(src.returns())?;
    let dys: Vec<_> = src.returns().iter().map(|&v| cx.tangent(v)).collect();
    let mut lin = cx.lin.take().ok_or_else(|| Error::bug(Code::E0599, "no linear builder"))?;
    let tangents = lin.func().params().len() - kept.len();
    for (&v, t) in src.returns().iter().zip(&dys) {
        if let Some(t) = t {
            lin.hint(*t, format!("d_{}", src.value(v).name));
        }
    }
    let types = || src.result_types.iter().cloned();
    lin.promise(types().zip(&dys).filter(|p| p.1.is_some()).map(|p| Some(p.0)).collect());
    cx.fwd.promise(types().map(Some).collect());
    // What the dead part of `lin` asked for is not a residual.
    let whole = lin.finish(dys.iter().flatten().copied().collect())?;
    let (lin, stayed) = prune(m, &whole, |i| i < tangents)?;
    let kept: Vec<_> = kept.iter().zip(&stayed[tangents..]).filter(|k| *k.1).map(|k| k.0.value).collect();
    let mut returns = outs;
    returns.extend(&kept);
    let (mut lin, carriers) = carry_extents(&mut cx, lin, &returns)?;
    residuals_first(lin.func_mut(), tangents);
    let residuals = kept.len() + carriers.len();
    returns.extend(carriers);
    let mut names = src.result_names.clone();
    names.resize(src.returns().len(), None);
    cx.fwd.f.result_names = names;
    let whole = cx.fwd.finish(returns)?;
    let (mut fwd, _) = prune(m, &whole, |_| true)?;
    let extents = (0..src.syms.len() as u32).map(|i| Extent::sym(SymId(i)));
    let pack = header_pack(&fwd, &cx.lin_syms)?;
    for (e, name) in &cx.lin_syms {
        let key = unique_name(*e);
        fwd.func_mut().exists.iter_mut().filter(|d| *d.name == *key).for_each(|d| d.name = name.clone());
    }
    let extents = extents.chain(pack).collect();
    inherit(fwd.func_mut(), &src);
    inherit(lin.func_mut(), &src);
    Ok(Linearized {
        fwd: m.add(fwd),
        lin: m.add(lin),
        residuals,
        tangents,
        out: dys.iter().map(Option::is_some).collect(),
        extents,
    })
}
/// The order of TFIR §7: residuals, then tangents.
fn residuals_first(lin: &mut Func, tangents: usize) {
    lin.regions[BODY.ix()].params.rotate_left(tangents);
    for (i, p) in lin.params().to_vec().into_iter().enumerate() {
        lin.values[p.ix()].def = Def::Param(i as u32);
    }
}
/// Extents of the linear part that no result of the forward part shows: an empty residual `bool[0, ?r]` carries each.
fn carry_extents(cx: &mut Linearizer, mut lin: Finished, returns: &[ValueId]) -> Result<(Finished, Vec<ValueId>)> {
    let mut carriers = vec![];
    for (r, _) in cx.lin_syms.clone() {
        let e = Extent::exist(r);
        if returns.iter().any(|&v| cx.fwd.func().ty(v).dims.contains(&e)) {
            continue;
        }
        let ty = Type::new(crate::DType::Bool, [Extent::exact(0), e]);
        carriers.push(cx.fwd.zeros(&ty)?);
        let lin = lin.func_mut();
        let id = ValueId(lin.values.len() as u32);
        let def = Def::Param(lin.params().len() as u32);
        let ty = cx.to_lin.ty(&ty)?;
        lin.values.push(Value { ty, name: "extent".into(), def, region: BODY, span: lin.span });
        lin.regions[BODY.ix()].params.push(id);
    }
    Ok((lin, carriers))
}
/// The extents of the linear part as the pruned forward part's header shows them. Pruning gives existentials other ids:
/// they are found again by their names.
fn header_pack(fwd: &Func, syms: &[(ExistId, Arc<str>)]) -> Result<Vec<Extent>> {
    let mut out = vec![];
    for &(e, _) in syms {
        // `need_extents` names each such existential uniquely before pruning.
        let key = unique_name(e);
        let found = fwd.exists.iter().position(|d| *d.name == *key && d.binder == Some(Binder::Header));
        match found {
            Some(i) => out.push(Extent::exist(ExistId(i as u32))),
            None => {
                return Err(Error::new(Code::E0507, "an extent of the linear part does not leave the forward part")
                    .help("this is a limit of reverse mode through loops inside loops: use `max_trips`, or differentiate by `jvp`"));
            }
        }
    }
    Ok(out)
}

/// What nothing needs must not ask for a rule.
fn without_dead(m: &crate::Module, id: FuncId) -> Result<Arc<Finished>> {
    Ok(Arc::new(prune(m, &*m.func(id)?, |_| true)?.0))
}

/// Inline placement.
pub fn linearize_inline(derive: &dyn Derive, id: FuncId, active: &[bool], name: &str) -> Result<Jvp> {
    let m = derive.module();
    let src = without_dead(m, id)?;
    let mut cx = Linearizer::new(derive, src.clone(), active, name, None);
    cx.start()?;
    cx.sweep(BODY)?;
    let mut returns = cx.primals(src.returns())?;
    let dys: Vec<_> = src.returns().iter().map(|&v| cx.tangent(v)).collect();
    returns.extend(dys.iter().flatten());
    let types = || src.result_types.iter().cloned();
    let tangents = types().zip(&dys).filter(|p| p.1.is_some()).map(|p| p.0);
    cx.fwd.promise(types().chain(tangents).map(Some).collect());
    cx.fwd.f.result_names = src.result_names.clone();
    let whole = cx.fwd.finish(returns)?;
    let (mut f, _) = prune(m, &whole, |_| true)?;
    inherit(f.func_mut(), &src);
    Ok(Jvp { func: m.add(f), out: dys.iter().map(Option::is_some).collect() })
}

impl<'m> Linearizer<'m> {
    fn new(
        derive: &'m dyn Derive,
        src: Arc<Finished>,
        active: &[bool],
        fwd: &str,
        lin: Option<&str>,
    ) -> Linearizer<'m> {
        let m = derive.module();
        let seeds: Vec<_> = src.params().iter().zip(active).filter(|p| *p.1).map(|p| *p.0).collect();
        Linearizer {
            derive,
            active: reach(&src, &seeds),
            fwd: Builder::new(m, fwd),
            lin: lin.map(|n| Builder::new(m, n)),
            primal: Map::new(),
            tangent: vec![None; src.values.len()],
            residual: HashMap::new(),
            to_lin: Map::new(),
            lin_syms: vec![],
            frames: vec![Frame { fwd: BODY, lin: BODY, looped: false, kept: vec![], sizes: vec![], starts: vec![] }],
            leads: OnceCell::new(),
            src,
        }
    }
    fn start(&mut self) -> Result<()> {
        let src = self.src.clone();
        self.fwd.mend();
        self.fwd.copy_syms(&src);
        self.fwd.f.span = src.span;
        if let Some(l) = &mut self.lin {
            l.mend();
            l.copy_syms(&src);
            l.f.span = src.span;
        }
        self.bind_params(BODY)
    }
    /// Whether the placement is inline (one joint program).
    pub fn inline(&self) -> bool {
        self.lin.is_none()
    }
    /// Builder of the primal part.
    pub fn p(&mut self) -> &mut Builder<'m> {
        &mut self.fwd
    }
    /// Builder of the linear part.
    pub fn t(&mut self) -> &mut Builder<'m> {
        self.lin.as_mut().unwrap_or(&mut self.fwd)
    }
    /// Op `o` of the source.
    pub fn op(&self, o: OpId) -> Op {
        self.src.op(o).clone()
    }
    /// Whether a tangent may arrive at `v`.
    pub fn active(&self, v: ValueId) -> bool {
        self.active[v.ix()]
    }
    /// The primal of a source value.
    pub fn primal(&self, v: ValueId) -> Result<ValueId> {
        self.primal.value(v)
    }
    /// Primals of several.
    pub fn primals(&self, vs: &[ValueId]) -> Result<Vec<ValueId>> {
        self.primal.all(vs)
    }
    /// The tangent of a source value; `None` is a symbolic zero.
    pub fn tangent(&self, v: ValueId) -> Option<ValueId> {
        self.tangent[v.ix()]
    }
    /// The tangent, a zero constant where it is symbolic.
    pub fn tangent_or_zero(&mut self, v: ValueId) -> Result<ValueId> {
        match self.tangent(v) {
            Some(t) => Ok(t),
            None => self.zero_tangent(v),
        }
    }
    /// A zero of the type of `v`'s tangent.
    pub fn zero_tangent(&mut self, v: ValueId) -> Result<ValueId> {
        let ty = self.tangent_type(v)?;
        self.t().zeros(&ty)
    }
    /// The type of the tangent of source value `v`.
    pub fn tangent_type(&mut self, v: ValueId) -> Result<Type> {
        let ty = self.primal_type(v)?;
        self.lin_type(&ty)
    }
    /// The type of the primal of source value `v`.
    pub fn primal_type(&mut self, v: ValueId) -> Result<Type> {
        let src = self.src.clone();
        self.fwd.bind_fresh(&src, &src.ty(v).dims, &mut self.primal);
        self.primal.ty(src.ty(v))
    }
    /// Attributes of the source, for the primal part.
    pub fn primal_attrs(&self, a: &Attrs) -> Result<Attrs> {
        self.primal.attrs(a)
    }
    /// A primal type, for the linear part.
    pub fn lin_type(&mut self, t: &Type) -> Result<Type> {
        if self.lin.is_none() || !t.mentions_existential() {
            return Ok(t.clone());
        }
        self.need_extents(&t.dims)?;
        self.to_lin.ty(t)
    }
    /// An extent of the primal part, for the linear part.
    pub fn lin_extent(&mut self, e: &Extent) -> Result<Extent> {
        if self.lin.is_none() || !e.mentions_existential() {
            return Ok(e.clone());
        }
        self.need_extents(std::slice::from_ref(e))?;
        self.to_lin.extent(e)
    }
    /// Attributes of the source, for the linear part.
    pub fn lin_attrs(&mut self, a: &Attrs) -> Result<Attrs> {
        let a = self.primal.attrs(a)?;
        if self.lin.is_none() {
            return Ok(a);
        }
        for (_, x) in a.iter() {
            match x {
                Attr::Extents(e) => self.need_extents(e)?,
                Attr::Sym(s) => self.need_extents(&s.extents)?,
                _ => {}
            }
        }
        self.to_lin.attrs(&a)
    }
    /// Sets primal and tangent of a source value.
    pub fn set(&mut self, v: ValueId, primal: ValueId, tangent: Option<ValueId>) {
        let name = self.src.value(v).name.clone();
        if !name.is_empty() {
            self.fwd.rename(primal, name.clone());
        }
        self.fwd.set_span(primal, self.src.value(v).span);
        self.fwd.shard_like(primal, &self.src, v);
        self.primal.insert(v, primal);
        if let Some(t) = tangent {
            if !name.is_empty() {
                self.t().hint(t, format!("d_{name}"));
            }
            if let Some(s) = self.src.sharding(v).cloned() {
                self.t().shard_as(t, s);
            }
            self.tangent[v.ix()] = Some(t);
        }
    }
    /// Sets the tangent of a source value whose primal is set.
    pub fn set_tangent(&mut self, v: ValueId, tangent: Option<ValueId>) -> Result<()> {
        let p = self.primal(v)?;
        self.set(v, p, tangent);
        Ok(())
    }
    /// Copies op `o` (no regions with tangents) into the primal part; results are set without tangents.
    pub fn copy_primal(&mut self, o: OpId) -> Result<ValueList> {
        let src = self.src.clone();
        self.fwd.copy(&src, o, &mut self.primal)
    }
    /// An extent of the source, for the primal part.
    pub fn primal_extent(&self, e: &Extent) -> Result<Extent> {
        self.primal.extent(e)
    }
    /// Existentials of source value `old` are those of primal value `new`.
    pub fn bind_value(&mut self, old: ValueId, new: ValueId) {
        let (a, b) = (self.src.ty(old).clone(), self.fwd.ty(new));
        for (x, y) in a.dims.iter().zip(b.dims.iter()) {
            if let Some(Atom::Exist(r)) = x.as_atom()
                && self.primal.exist(r).is_none()
            {
                self.primal.bind(r, y.clone());
            }
        }
    }
    /// The results of op `o` have been built as `new`: existentials that it binds are taken over by position.
    pub fn bind_results(&mut self, o: OpId, new: &[ValueId]) {
        let src = self.src.clone();
        for (&old, &new) in src.op(o).results.iter().zip(new) {
            self.bind_value(old, new);
        }
    }
    fn bind_params(&mut self, r: RegionId) -> Result<()> {
        let src = self.src.clone();
        let params = &src.region(r).params;
        for &p in params {
            self.fwd.bind_fresh(&src, &src.ty(p).dims, &mut self.primal);
            let ty = self.primal.ty(src.ty(p))?;
            let q = self.fwd.param_like(ty, &src, p);
            self.primal.insert(p, q);
        }
        for c in &src.region(r).wheres {
            let c = self.primal.constraint(c)?;
            self.fwd.region_where(c);
        }
        let mut stands: Vec<(Extent, Extent)> = vec![];
        for &p in params {
            if self.active(p) {
                let ty = self.tangent_param(p, &mut stands)?;
                let t = self.t().param_for(ty, format!("d_{}", src.value(p).name), &src, p);
                self.tangent[p.ix()] = Some(t);
            }
        }
        self.tie(stands)
    }
    /// Linearizes a region into a new pair of regions (one joint region with inline placement, whose parameters are
    /// the primals, then the tangents).
    pub fn body(&mut self, r: RegionId) -> Result<Body> {
        self.frame(r, false)
    }
    /// As [`Linearizer::body`], of a loop: what it keeps may be [`Keep::Joined`].
    pub fn loop_body(&mut self, r: RegionId) -> Result<Body> {
        self.frame(r, true)
    }
    fn frame(&mut self, r: RegionId, looped: bool) -> Result<Body> {
        let src = self.src.clone();
        let label = src.region(r).label.clone();
        let fwd: Opened = self.fwd.open(&label);
        let lin = self.lin.as_mut().map(|l| l.open(&label));
        let regions = (fwd.region, lin.as_ref().map_or(fwd.region, |l| l.region));
        self.frames.push(Frame { fwd: regions.0, lin: regions.1, looped, kept: vec![], sizes: vec![], starts: vec![] });
        self.bind_params(r)?;
        self.sweep(r)?;
        // A rule may ask for a zero of what is yielded when the region has ended: its extents must be known by then.
        for &y in &src.region(r).yields {
            let inner = src.ty(y).dims.iter().any(|d| src.bound_within(d, r));
            if inner && src.ty(y).dtype.is_inexact() && self.tangent(y).is_none() {
                self.tangent_type(y)?;
            }
        }
        self.fwd.suspend(fwd);
        if let (Some(l), Some(o)) = (&mut self.lin, lin) {
            l.suspend(o);
        }
        let kept = self.frames.pop().map(|f| f.kept).unwrap_or_default();
        let ys = &src.region(r).yields;
        Ok(Body {
            fwd: regions.0,
            lin: regions.1,
            primals: self.primals(ys)?,
            tangents: ys.iter().map(|&v| self.tangent(v)).collect(),
            kept,
        })
    }
    /// Copies a region that carries no tangents (a loop's condition) into the primal part.
    pub fn copy_region(&mut self, r: RegionId) -> Result<RegionId> {
        let src = self.src.clone();
        self.fwd.copy_region(&src, r, &mut self.primal)
    }

    fn sweep(&mut self, r: RegionId) -> Result<()> {
        let src = self.src.clone();
        for &o in &src.region(r).ops {
            let op = src.op(o);
            let old = self.t().set_loc(op.loc, op.span);
            self.fwd.set_loc(op.loc, op.span);
            self.one(&src, o).map_err(|e| e.or_span(op.span))?;
            self.t().set_loc(old.0, old.1);
        }
        Ok(())
    }
    pub(super) fn one(&mut self, src: &Func, o: OpId) -> Result<()> {
        let op = src.op(o);
        if !op.results.iter().any(|&v| self.active(v)) {
            // A tangent may end here only where the row says so: never silently, by a change of dtype.
            if let Linearize::Never(why) = op.def.linearize
                && op.operands.iter().any(|&v| self.tangent(v).is_some())
                && !op.results.iter().all(|&v| self.only_decides(v))
            {
                return Err(no_rule(op.def.name, why));
            }
            self.fwd.copy(src, o, &mut self.primal)?;
            return Ok(());
        }
        let ps = match op.def.linearize {
            Linearize::Rule(rule) => return outside::column(op.def, "linearize", || rule(self, o)),
            Linearize::Expand => {
                return Err(Error::bug(Code::E0599, format!("`{}` should have been expanded", op.def.name)));
            }
            Linearize::Partials(ps) => Some(ps),
            _ => None,
        };
        self.fwd.copy(src, o, &mut self.primal)?;
        let y = op.results[0];
        let args = self.primals(&op.operands)?;
        let mut sum = None;
        for (i, &x) in op.operands.iter().enumerate() {
            let Some(dx) = self.tangent(x) else { continue };
            let term = match op.def.linearize {
                Linearize::Zero => continue,
                Linearize::Never(why) => {
                    return Err(no_rule(op.def.name, why));
                }
                Linearize::Multilinear => self.linear_term(o, i, dx, &args)?,
                _ => {
                    let Some(partial) = ps.and_then(|p| p.get(i)) else {
                        return Err(Error::bug(Code::E0599, format!("`{}` has no partial {i}", op.def.name)));
                    };
                    let out = self.primal(y)?;
                    let p = outside::column(op.def, "linearize", || partial(&mut self.fwd, &args, out))?;
                    let name = src.value(y).name.clone();
                    if !name.is_empty() {
                        self.fwd.hint(p, format!("res_{name}"));
                    }
                    let p = self.residual(p)?;
                    self.t().mul(p, dx)?
                }
            };
            sum = Some(match sum {
                None => term,
                Some(s) => self.t().add(s, term)?,
            });
        }
        self.set_tangent(y, sum)
    }
    /// Is nothing made of `v` but truth values, keys of a sort and places? These have no slope, whatever they are made of: the sign bit
    /// of a number decides like a comparison.
    fn only_decides(&self, v: ValueId) -> bool {
        !self.leads.get_or_init(|| super::flow::leads(&self.src))[v.ix()]
    }
    /// The op itself with operand `i` replaced by its tangent.
    fn linear_term(&mut self, o: OpId, i: usize, dx: ValueId, args: &[ValueId]) -> Result<ValueId> {
        let src = self.src.clone();
        let op = src.op(o);
        let mut xs = vec![];
        for (j, &a) in args.iter().enumerate() {
            xs.push(if i == j { dx } else { self.residual(a)? });
        }
        let attrs = self.lin_attrs(&op.attrs)?;
        let ty = self.tangent_type(op.results[0])?;
        self.t().emit1(NewOp::new(op.def, &xs).attrs(attrs).types(vec![ty]))
    }
}
fn no_rule(op: &str, why: &str) -> Error {
    Error::new(Code::E0503, format!("`{op}` has no derivative: {why}"))
        .help("cut the dependence with `stop_gradient`, or differentiate with respect to something else")
}
