//! Derivatives of a plan, by the rules of its rows: a forward plan that keeps residuals, and plans of the linear part and
//! of its transpose, each made when it is first asked for. So a factorisation, say, is computed once, forward.
use super::plan::Plan;
use crate::backend::Backend;
use std::sync::{Arc, Mutex, PoisonError};
use tfc_engine::Limits;
use tfc_ir::derive::{Derive, Linearized};
use tfc_ir::extent::Atom;
use tfc_ir::{
    Builder, Code, DType, Error, Extent, ExtentEnv, Finished, Func, FuncId, Module, Op, Result, SymId, Tensor, Type,
};
use tfc_passes::Memo;

/// Where a residual is found once the forward plan has run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The residual is an operand.
    Operand(usize),
    /// The residual is a result of the forward plan: one of the op's, or one behind them that is kept for this.
    Result(usize),
}
/// The plans of an op's forward and backward computation, for operands of which some have derivatives.
pub(crate) struct Derived {
    active: Vec<bool>,
    linear: Arc<Linearized>,
    /// `None`: the plan itself, all of whose residuals are operands and results.
    forward: Option<Plan>,
    residuals: Vec<Source>,
    /// Extent parameters of the linear part that are extents of operands: operand and axis. `None` where some are more.
    plain: Option<Vec<(usize, usize)>>,
    /// Which results show extents that only running tells: existential, result, axis.
    found: Vec<(Atom, usize, usize)>,
    backward: Mutex<Vec<Arc<Linear>>>,
    tangents: Mutex<Option<Arc<Linear>>>,
}
/// A linear function as a plan: its parameters are residuals, then tangents or cotangents, then where that is needed a
/// tensor without elements of its own whose shape tells extents that stand nowhere else.
pub(crate) struct Linear {
    /// `None` where nothing flows.
    plan: Option<Plan>,
    nonzero: Vec<bool>,
    /// By value that takes part, whether it gets something.
    pub(crate) out: Vec<bool>,
    told: Vec<usize>,
}

impl Derived {
    /// # Errors
    /// `E05xx` where a rule is missing, those of compiling.
    pub(super) fn new(backend: &dyn Backend, plan: &Plan, active: Vec<bool>) -> Result<Derived> {
        let m = plan.module();
        let linear = Memo::new(m).linearize(plan.func(), &active)?;
        let (forward, residuals) = forward(&*m.func(linear.fwd)?, linear.out.len());
        let found = shown(&forward);
        let sym = |e: &Extent| if let Some(Atom::Sym(s)) = e.as_atom() { plan.place(s) } else { None };
        let plain = linear.extents.iter().map(sym).collect();
        let same = same_op(&forward, &*m.func(plan.func())?);
        let forward = if same { None } else { Some(plan.beside(backend, m.add(forward))?) };
        let (backward, tangents) = Default::default();
        Ok(Derived { active, linear, forward, residuals, plain, found, backward, tangents })
    }
    /// By which operands.
    pub(crate) fn active(&self) -> &[bool] {
        &self.active
    }
    /// Which results of the op have a derivative.
    pub(crate) fn out(&self) -> &[bool] {
        &self.linear.out
    }
    /// Runs the op and keeps residuals: its results, and behind them what is kept beside.
    ///
    /// # Errors
    /// Those of the engine.
    pub(crate) fn run(&self, plan: &Plan, args: &[&Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        self.forward.as_ref().unwrap_or(plan).run(args, limits)
    }
    /// The residuals of a run, in order.
    pub(crate) fn residuals(&self, args: &[&Tensor], results: &[Tensor]) -> Result<Vec<Tensor>> {
        let missing = || Error::bug(Code::E0599, "a forward plan gives fewer results than it has");
        let of = |r: &Source| match *r {
            Source::Operand(i) => args.get(i).copied(),
            Source::Result(i) => results.get(i),
        };
        self.residuals.iter().map(|r| of(r).cloned().ok_or_else(missing)).collect()
    }
    /// The values of the linear part's extents.
    ///
    /// # Errors
    /// Those of evaluating extents.
    pub(crate) fn extents(&self, plan: &Plan, args: &[&Tensor], results: &[Tensor]) -> Result<Vec<i64>> {
        if let Some(plain) = &self.plain {
            let extent = |&(i, axis): &(usize, usize)| args.get(i).and_then(|t| t.shape().get(axis)).copied();
            return Ok(plain.iter().map(|p| extent(p).map_or(0, |n| n as i64)).collect());
        }
        let mut env = ExtentEnv::default();
        for s in (0..).map(SymId) {
            let Some((i, axis)) = plan.place(s) else { break };
            let n = args.get(i).and_then(|t| t.shape().get(axis)).copied().unwrap_or_default();
            env.bind(Atom::Sym(s), n as i64);
        }
        for &(atom, r, axis) in &self.found {
            if let Some(&n) = results.get(r).and_then(|t| t.shape().get(axis)) {
                env.bind(atom, n as i64);
            }
        }
        self.linear.extents.iter().map(|e| e.eval(&env)).collect()
    }
    /// The transpose of the linear part, for cotangents of those results of which `nonzero` holds, counted among the
    /// results that have a derivative.
    ///
    /// # Errors
    /// `E05xx` where a rule is missing, those of compiling.
    pub(crate) fn backward(&self, backend: &dyn Backend, plan: &Plan, nonzero: &[bool]) -> Result<Arc<Linear>> {
        let list = || self.backward.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(l) = list().iter().find(|l| l.nonzero == nonzero) {
            return Ok(l.clone());
        }
        let (m, l) = (plan.module(), &self.linear);
        let linear: Vec<bool> = (0..l.residuals + l.tangents).map(|i| i >= l.residuals).collect();
        let t = Memo::new(m).transpose(l.lin, &linear, nonzero)?;
        let made = Arc::new(Linear::new(backend, plan, t.func, t.out.clone(), nonzero.to_vec())?);
        list().push(made.clone());
        Ok(made)
    }
    /// The linear part.
    ///
    /// # Errors
    /// Those of compiling.
    pub(crate) fn tangents(&self, backend: &dyn Backend, plan: &Plan) -> Result<Arc<Linear>> {
        let mut kept = self.tangents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(l) = &*kept {
            return Ok(l.clone());
        }
        let l = &self.linear;
        let out = vec![true; l.out.iter().filter(|o| **o).count()];
        let made = Arc::new(Linear::new(backend, plan, l.lin, out, vec![])?);
        *kept = Some(made.clone());
        Ok(made)
    }
    /// Zeros of the type of tangent `i`, without elements of their own.
    ///
    /// # Errors
    /// Those of evaluating extents.
    pub(crate) fn zero(&self, plan: &Plan, i: usize, extents: &[i64]) -> Result<Tensor> {
        let f = plan.module().func(self.linear.lin)?;
        let mut env = ExtentEnv::default();
        extents.iter().enumerate().for_each(|(s, &n)| env.bind(Atom::Sym(SymId(s as u32)), n));
        let missing = || Error::bug(Code::E0599, "a linear function lacks a parameter");
        let ty = f.ty(*f.params().get(self.linear.residuals + i).ok_or_else(missing)?);
        let n = |d: &Extent| d.eval(&env).map(|n| usize::try_from(n).unwrap_or_default());
        let shape = ty.dims.iter().map(n).collect::<Result<Vec<_>>>()?;
        Tensor::zeros(ty.dtype, &[])?.broadcast(shape)
    }
}
impl Linear {
    fn new(backend: &dyn Backend, plan: &Plan, f: FuncId, out: Vec<bool>, nonzero: Vec<bool>) -> Result<Linear> {
        if !out.contains(&true) {
            return Ok(Linear { plan: None, nonzero, out, told: vec![] });
        }
        let (entry, told) = entry(plan.module(), f)?;
        Ok(Linear { plan: Some(plan.beside(backend, plan.module().add(entry))?), nonzero, out, told })
    }
    /// Runs it; `extents`: what [`Derived::extents`] gave.
    ///
    /// # Errors
    /// Those of the engine.
    pub(crate) fn run(
        &self,
        residuals: &[Tensor],
        flowing: impl Iterator<Item = Tensor>,
        extents: &[i64],
        limits: &Limits,
    ) -> Result<Vec<Tensor>> {
        let Some(plan) = &self.plan else { return Ok(vec![]) };
        let mut own: Vec<Tensor> = flowing.collect();
        if !self.told.is_empty() {
            let n = |&s: &usize| extents.get(s).and_then(|&n| usize::try_from(n).ok()).unwrap_or_default();
            own.push(Tensor::scalar(false).broadcast(self.told.iter().map(n).collect::<Vec<_>>())?);
        }
        let args: Vec<&Tensor> = residuals.iter().chain(&own).collect();
        plan.run(&args, limits)
    }
}

/// The forward function without residuals that are operands or other results, and where those are.
fn forward(fwd: &Finished, results: usize) -> (Finished, Vec<Source>) {
    let returns = fwd.returns();
    let mut kept: Vec<usize> = (0..results.min(returns.len())).collect();
    let mut residuals = vec![];
    for (k, v) in returns.iter().enumerate().skip(results) {
        residuals.push(if let Some(i) = fwd.params().iter().position(|p| p == v) {
            Source::Operand(i)
        } else if let Some(j) = kept.iter().position(|&j| returns[j] == *v) {
            Source::Result(j)
        } else {
            kept.push(k);
            Source::Result(kept.len() - 1)
        });
    }
    (fwd.with_results(&kept).exported(true), residuals)
}
/// The results that show an existential whole.
fn shown(f: &Func) -> Vec<(Atom, usize, usize)> {
    let mut found = vec![];
    for (r, t) in f.result_types.iter().enumerate() {
        for (axis, d) in t.dims.iter().enumerate() {
            if let Some(a @ Atom::Exist(_)) = d.as_atom() {
                found.push((a, r, axis));
            }
        }
    }
    found
}
/// Whether both functions are the same single op on their parameters.
fn same_op(a: &Func, b: &Func) -> bool {
    fn only(f: &Func) -> Option<(&Op, Vec<Option<usize>>)> {
        let [o] = f.body().ops[..] else { return None };
        let op = f.op(o);
        let place = |v| f.params().iter().position(|p| p == v);
        (f.returns() == &op.results[..] && op.regions.is_empty()).then(|| (op, op.operands.iter().map(place).collect()))
    }
    let (Some((x, xs)), Some((y, ys))) = (only(a), only(b)) else { return false };
    x.def.is(y.def) && x.attrs == y.attrs && xs == ys && a.params().len() == b.params().len()
}
/// A function that calls `f` and gets its extents from its arguments: those that stand whole in no parameter's type from
/// the shape of one more. Which these are.
fn entry(m: &Module, f: FuncId) -> Result<(Finished, Vec<usize>)> {
    let f_id = f;
    let f = m.func(f)?;
    let mut b = Builder::new(m, &format!("{}.entry", f.name));
    b.copy_syms(&f);
    b.export(true);
    let params: Vec<_> = f.params().iter().map(|&p| b.param(f.ty(p).clone(), &f.value(p).name)).collect();
    let syms: Vec<Extent> = (0..f.syms.len() as u32).map(|s| Extent::sym(SymId(s))).collect();
    let stands = |e: &Extent| f.params().iter().any(|&p| f.ty(p).dims.contains(e));
    let told: Vec<usize> = (0..syms.len()).filter(|&s| !stands(&syms[s])).collect();
    if !told.is_empty() {
        b.param(Type::new(DType::Bool, told.iter().map(|&s| syms[s].clone()).collect::<Vec<_>>()), "extents");
    }
    let (results, _) = b.call(f_id, Some(syms), &params)?;
    Ok((b.finish(results)?, told))
}
