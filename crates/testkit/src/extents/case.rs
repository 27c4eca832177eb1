//! A sample with other extents: the function and its derivatives built, lowered, and run on every backend.
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tfc_engine::Executable;
use tfc_ir::ops::derivative::{GRAD, HVP};
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::{
    Attr, Builder, Code, DType, Error, Extent, Finished, FuncId, Module, NewOp, OpDef, Result, Tensor, ValueId, verify,
};

use crate::again::{Axis, How, Made, again, alone};
use crate::complete::reads_back;
use crate::context::{Checked, Cx, coarse, compile, run, show, tame};
use crate::layouts::padded;
use crate::tensors::close;

/// What running a function gave.
pub(super) type Outcome = std::result::Result<Vec<Tensor>, Error>;

/// Every backend on one function.
pub(super) struct All<'m> {
    cx: &'m Cx<'m>,
    m: &'m Module,
    f: FuncId,
    compiled: Vec<(&'static str, Box<dyn Executable>)>,
    tolerance: f64,
}
/// How far results may be apart: sums are of any order.
fn tolerance(m: &Module) -> f64 {
    coarse(m).map_or(1e-9, |c| 10.0 * c)
}
impl<'m> All<'m> {
    pub(super) fn new(cx: &'m Cx<'m>, m: &'m Module, f: FuncId) -> Checked<All<'m>> {
        let one = |b: Box<dyn tfc_engine::Backend>| Ok((b.name(), compile(&*b, m, f, 2)?));
        let compiled = cx.others().into_iter().map(one).collect::<Checked<_>>()?;
        Ok(All { cx, m, f, compiled, tolerance: tolerance(m) })
    }
    /// The results, on which backends agree; an error where all fail.
    pub(super) fn run(&self, args: &[Tensor]) -> Checked<Outcome> {
        let slow = self.cx.interp(self.m, self.f, args);
        for (name, exe) in &self.compiled {
            let fast = run(&**exe, args);
            let agree = match (&slow, &fast) {
                (Ok(x), Ok(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| close(x, y, self.tolerance)),
                // One backend may come upon the negative extent or the division by zero, another upon the guard against it.
                (Err(x), Err(y)) => failure(x) == failure(y),
                _ => false,
            };
            if !agree {
                return Err(format!("engines differ: interp {slow:?}, {name} {fast:?}"));
            }
        }
        Ok(slow)
    }
}
fn failure(e: &Error) -> Code {
    match e.data().code {
        Code::E0402 | Code::E0407 => Code::E0420,
        code => code,
    }
}
/// A function that applies `grad`, or `hvp` with the arguments themselves as the vectors.
fn derived(m: &Module, f: FuncId, def: &'static OpDef, wrt: &[usize]) -> Result<FuncId> {
    let src = m.func(f)?;
    let mut b = Builder::new(m, &format!("{}.{}", src.name, def.name));
    b.copy_syms(&src);
    let xs: Vec<_> = src.params().iter().map(|&p| b.param(src.ty(p).clone(), &src.value(p).name)).collect();
    let vectors = if def.is(&HVP) { wrt.iter().map(|&i| xs[i]).collect() } else { vec![] };
    let op = NewOp::new(def, &[xs, vectors].concat()).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(wrt));
    let ys = b.emit(op)?;
    Ok(m.add(b.finish(ys)?))
}
/// Verifies, prints and reads back.
fn verified(cx: &Cx, m: &Module) -> Checked {
    match verify::module(m).first() {
        None => reads_back(cx, m),
        Some((f, e)) => Err(format!("does not verify: {e}\n{}", tfc_ir::print::func(m, f))),
    }
}
/// With exact extents nothing is new to the verifier.
fn verified_if(general: bool, cx: &Cx, m: &Module) -> Checked {
    if general { verified(cx, m) } else { Ok(()) }
}
pub(super) fn lowered(general: bool, cx: &Cx, m: &Module) -> Checked<Module> {
    let plain = crate::context::lowered(m, 0)?;
    verified_if(general, cx, &plain).map_err(|e| format!("lowered: {e}"))?;
    Ok(plain)
}

/// Derivatives of the first and the second order.
pub(super) static ORDERS: [&OpDef; 2] = [&GRAD, &HVP];

/// One sample of a row.
pub(super) struct Case<'s> {
    pub(super) cx: &'s Cx<'s>,
    pub(super) def: &'static OpDef,
    pub(super) m: Module,
    pub(super) src: Arc<Finished>,
    pub(super) domains: &'s [Domain],
    /// That of the sample.
    pub(super) dtype: DType,
    pub(super) seed: u64,
    /// Which derivatives are looked at.
    pub(super) derivatives: &'static [&'static OpDef],
    /// What programs of exact extents gave.
    pub(super) known: RefCell<BTreeMap<Sizes, Checked<Result<Vec<Outcome>>>>>,
}
/// Axes that stay as they are, and what the extents of the others become.
pub(super) type Sizes = (BTreeSet<Axis>, BTreeMap<i64, i64>);
impl Case<'_> {
    /// Arguments of the function that `How::At(to)` makes.
    pub(super) fn inputs(&self, kept: &BTreeSet<Axis>, to: &BTreeMap<i64, i64>) -> Checked<Vec<Tensor>> {
        let mut draw = Draw::new(self.seed);
        let one = |(i, (&p, &d)): (usize, (&ValueId, &Domain))| {
            let ty = self.src.ty(p);
            let dims: Vec<Extent> = ty
                .dims
                .iter()
                .enumerate()
                .map(|(k, e)| {
                    let v = e.as_exact().unwrap_or(0);
                    Extent::exact(if kept.contains(&(i, k)) { v } else { to.get(&v).copied().unwrap_or(v) })
                })
                .collect();
            draw.tensor(&ty.with_dims(dims), d).map_err(show)
        };
        let inputs = self.src.params().iter().zip(self.domains).enumerate().map(one).collect::<Checked<Vec<_>>>()?;
        tame(self.def, inputs)
    }
    /// Arguments of a general function for these sizes: longer ones where they are cut.
    pub(super) fn arguments(
        &self,
        made: &Made,
        kept: &BTreeSet<Axis>,
        to: &BTreeMap<i64, i64>,
    ) -> Checked<Vec<Tensor>> {
        let args = self.inputs(kept, to)?;
        if made.cuts.is_empty() {
            return Ok(args);
        }
        let longer = |i: usize, x: &Tensor| {
            let axis = |(k, n): (usize, &usize)| n + usize::from(!kept.contains(&(i, k)));
            padded(x, &x.shape().iter().enumerate().map(axis).collect::<Vec<_>>())
        };
        let mut long = args.iter().enumerate().map(|(i, x)| longer(i, x)).collect::<Checked<Vec<_>>>()?;
        long.extend(made.cuts.iter().map(|v| Tensor::scalar(to.get(v).copied().unwrap_or(*v))));
        Ok(long)
    }
    pub(super) fn wrt(&self) -> Vec<usize> {
        let is = |&i: &usize| self.src.ty(self.src.params()[i]).dtype.is_inexact();
        (0..self.src.params().len()).filter(is).collect()
    }
    fn differentiable(&self) -> bool {
        !self.wrt().is_empty() && self.src.result_types.iter().any(|t| t.dtype.is_inexact())
    }
    /// Function and derivatives of `how`, lowered; none where the row has none.
    pub(super) fn build(&self, how: &How, kept: &BTreeSet<Axis>) -> Checked<Result<Lowered>> {
        let m = self.m.fork();
        let f = match again(&m, &self.src, how, kept, false) {
            Ok(made) => made.func,
            Err(e) => return Ok(Err(e)),
        };
        let (cx, general) = (self.cx, !matches!(how, How::At(_)));
        let own = |f: FuncId| -> Checked<(Module, FuncId)> {
            let m = alone(&m, f);
            verified_if(general, cx, &m)?;
            Ok((lowered(general, cx, &m)?, f))
        };
        let mut made = Lowered { all: vec![own(f)?] };
        if self.differentiable() {
            let loss = again(&m, &self.src, how, kept, true).map_err(|e| format!("the loss: {e}"))?;
            for def in self.derivatives {
                let d = derived(&m, loss.func, def, &self.wrt()).map_err(|e| format!("{}: {e}", def.name))?;
                match own(d) {
                    Ok(one) => made.all.push(one),
                    Err(e) if e.contains("E0503") => break,
                    Err(e) => return Err(e),
                }
            }
        }
        Ok(Ok(made))
    }
    /// What the function of these extents gives, and its derivatives: the program that is compiled for them alone. Each is
    /// asked for once for every way in which extents are general.
    pub(super) fn exact(&self, kept: &BTreeSet<Axis>, to: &BTreeMap<i64, i64>) -> Checked<Result<Vec<Outcome>>> {
        let key = (kept.clone(), to.clone());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let run = || {
            let made = match self.build(&How::At(to.clone()), kept)? {
                Ok(made) => made,
                Err(e) => return Ok(Err(e)),
            };
            let args = self.inputs(kept, to)?;
            made.compiled(self.cx)?.iter().map(|f| f.run(&args)).collect::<Checked<_>>().map(Ok)
        };
        let found = run();
        self.known.borrow_mut().insert(key, found.clone());
        found
    }
}
/// A function and its derivatives, each lowered in a module of its own.
pub(super) struct Lowered {
    all: Vec<(Module, FuncId)>,
}
impl Lowered {
    /// How many derivatives there are.
    pub(super) fn derivatives(&self) -> usize {
        self.all.len() - 1
    }
    pub(super) fn tolerance(&self) -> f64 {
        self.all.iter().map(|(m, _)| tolerance(m)).fold(0.0, f64::max)
    }
    pub(super) fn compiled<'m>(&'m self, cx: &'m Cx<'m>) -> Checked<Vec<All<'m>>> {
        self.all.iter().map(|(m, f)| All::new(cx, m, *f)).collect()
    }
}
