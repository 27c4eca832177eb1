//! Functions for many indices at once as a pass: naming, memoisation, and what comes before the sweep, which lives beside the
//! rows ([`tfc_ir::batch`]).
use crate::PassError;
use crate::ad::{Memo, mapped, rules, without_composites};
use crate::rewrite::{new_op, rewrite};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use tfc_ir::batch::{self, BatchedFunc};
use tfc_ir::op::{Batch, Expand};
use tfc_ir::{
    Attr, Builder, Code, Error, Extent, Finished, Func, FuncId, Module, Op, Result, SymId, SymRef, Type, outside,
};

/// A function, the batch axes of its parameters, and those of its results where they are given.
type Key = (FuncId, Vec<Option<usize>>, Option<Vec<Option<usize>>>);
/// What is known of functions for many indices.
#[derive(Default)]
pub(crate) struct Batching {
    /// Each function is batched once per lists of axes.
    done: RefCell<HashMap<Key, Arc<BatchedFunc>>>,
    /// Functions with `vmap`s, and what they are with calls in their places.
    plain: RefCell<HashMap<FuncId, [Arc<Finished>; 2]>>,
    depth: Cell<usize>,
}
/// Calls nest at most this deep: a callee is batched while its caller is.
const MAX_DEPTH: usize = 64;
impl Memo<'_> {
    /// `f` with the batch axis of parameter `i` at `axes[i]` and that of result `i` at `outs[i]`, under the name `name` if that is
    /// free. `None`: it does not depend on the index, in a result: must not.
    ///
    /// # Errors
    /// Those of [`batch::batch_func`], of a rule for the derivative of `f` too; `E0719` where calls nest deeper than 64.
    pub fn batch_named(
        &self,
        f: FuncId,
        axes: &[Option<usize>],
        outs: Option<&[Option<usize>]>,
        name: &str,
    ) -> Result<BatchedFunc> {
        let made = self.alone(f, axes, outs, name)?;
        self.with_rule(f, axes, &made)?;
        Ok(made)
    }
    /// As [`Memo::batch_named`], each function once per lists of axes.
    pub(crate) fn batch_once(
        &self,
        f: FuncId,
        axes: &[Option<usize>],
        outs: Option<&[Option<usize>]>,
    ) -> Result<Arc<BatchedFunc>> {
        let key = (f, axes.to_vec(), outs.map(<[_]>::to_vec));
        if let Some(b) = self.batching.done.borrow().get(&key) {
            return Ok(b.clone());
        }
        // Perhaps that is where results have it anyway.
        if let Some(outs) = outs {
            let anywhere = self.batching.done.borrow().get(&(f, axes.to_vec(), None)).cloned();
            if let Some(b) = anywhere.filter(|b| b.axes == outs) {
                return Ok(b);
            }
        }
        let words: Vec<String> = axes.iter().map(|a| a.map_or("n".into(), |a| a.to_string())).collect();
        let name = format!("{}.batch_{}", self.m.func_name(f), words.join("_"));
        let made = Arc::new(self.alone(f, axes, outs, &name)?);
        // Before its rule, which may call it.
        self.batching.done.borrow_mut().insert(key, made.clone());
        self.with_rule(f, axes, &made)?;
        Ok(made)
    }
    /// `f` with calls in place of its `vmap`s; derivatives have been taken.
    pub(crate) fn without_maps(&self, f: FuncId) -> Result<Arc<Finished>> {
        if let Some([_, done]) = self.batching.plain.borrow().get(&f) {
            return Ok(done.clone());
        }
        let func = self.m.func(f)?;
        if !crate::ad::has(&func, mapped) {
            return Ok(func);
        }
        let (new, _) = rewrite(self.m, &func, &mut |b, f, o, args, map| match f.op(o).def.expand {
            Expand::Derivative(e) => {
                let new = new_op(f, o, args, map)?;
                outside::column(new.def, "expand", || e(b, self, &new)).map(Some)
            }
            _ => Ok(None),
        })?;
        let new = Arc::new(new);
        self.batching.plain.borrow_mut().insert(f, [func, new.clone()]);
        Ok(new)
    }
    /// The rule of `f` for its derivative, for all indices at once, becomes that of `made`. A tangent has its batch axis where the
    /// parameter or result has it, a cotangent too: that of a parameter that is the same for every index is summed over them.
    fn with_rule(&self, f: FuncId, axes: &[Option<usize>], made: &BatchedFunc) -> Result<()> {
        let src = self.m.func(f)?;
        let Some(rule) = rules::of(&src) else { return Ok(()) };
        let of = |types: &[Type], axes: &[Option<usize>]| -> Vec<Option<usize>> {
            types.iter().zip(axes).filter(|p| p.0.dtype.is_inexact()).map(|p| *p.1).collect()
        };
        let params = src.types(src.params());
        let tangents = of(&params, axes);
        let results = of(&src.result_types, &made.axes);
        let why =
            |e: Error| e.note(format!("in the rule of @{} for its derivative, which is batched with it", src.name));
        let name = |what: &str| format!("{}.{what}", self.m.func_name(made.func));
        let symbol = |func: FuncId| Attr::Sym(SymRef { func, extents: [].into(), explicit: false });
        let attr = match rule {
            rules::Rule::Jvp(r) => {
                let (ins, outs) = ([axes, &tangents].concat(), [&made.axes[..], &results].concat());
                let all = self.batch_named(r, &ins, Some(&outs), &name("jvp")).map_err(why)?;
                ("jvp", symbol(all.func))
            }
            rules::Rule::Vjp(fwd, bwd) => {
                let there = self.batch_named(fwd, axes, None, &name("fwd")).map_err(why)?;
                let count = made.axes.len();
                let mut outs = made.axes.clone();
                outs.extend(there.axes.iter().skip(count).copied());
                let there = self.batch_named(fwd, axes, Some(&outs), &name("fwd")).map_err(why)?;
                let residuals = there.axes.get(count..).unwrap_or_default();
                let ins = [residuals, &results].concat();
                let back = self.batch_named(bwd, &ins, None, &name("bwd")).map_err(why)?;
                let back = self.summed(&back, &tangents, &name("bwd"))?;
                ("vjp", Attr::List([symbol(there.func), symbol(back)].into()))
            }
        };
        let mut new = Func::clone(&*self.m.func(made.func)?);
        new.with.set(attr.0, attr.1);
        self.m.define(made.func, new);
        Ok(())
    }
    /// `f` with results at `axes`, those without an axis there being summed over the index.
    fn summed(&self, f: &BatchedFunc, axes: &[Option<usize>], name: &str) -> Result<FuncId> {
        if f.axes == axes {
            return Ok(f.func);
        }
        let src = self.m.func(f.func)?;
        let mut b = Builder::new(self.m, name);
        b.mend();
        b.copy_syms(&src);
        b.place(src.span);
        let extent = Extent::sym(SymId(src.syms.len().saturating_sub(1) as u32));
        let ps: Vec<_> = src.params().iter().map(|&p| b.param_like(src.ty(p).clone(), &src, p)).collect();
        let extents = (0..src.syms.len() as u32).map(|i| Extent::sym(SymId(i))).collect();
        let ys = b.call(f.func, Some(extents), &ps)?.0;
        let mut out = vec![];
        for ((y, have), want) in ys.into_iter().zip(&f.axes).zip(axes) {
            out.push(match (have, want) {
                (Some(a), None) => b.reduce_sum(y, &[*a])?,
                (Some(a), Some(w)) => {
                    let mut perm: Vec<usize> = (0..b.ty(y).rank()).filter(|i| i != a).collect();
                    perm.insert(*w, *a);
                    b.transpose(y, &perm)?
                }
                (None, Some(w)) => {
                    let ty = b.ty(y);
                    let dims: Vec<usize> = (0..ty.rank()).map(|i| if i < *w { i } else { i + 1 }).collect();
                    b.broadcast(y, &ty.with_axis(*w, extent.clone()), &dims)?
                }
                (None, None) => y,
            });
        }
        Ok(self.m.add(b.finish(out)?.exported(false)))
    }
    fn alone(
        &self,
        f: FuncId,
        axes: &[Option<usize>],
        outs: Option<&[Option<usize>]>,
        name: &str,
    ) -> Result<BatchedFunc> {
        self.m.budget.check()?;
        if self.batching.depth.get() == MAX_DEPTH {
            return Err(Error::new(
                Code::E0719,
                format!("calls nest deeper than {MAX_DEPTH} in a function to be batched"),
            )
            .help("run the pass `inline` before `batch`"));
        }
        self.batching.depth.set(self.batching.depth.get() + 1);
        let made = self.without_ops(f).and_then(|src| batch::batch_func(self, src, axes, outs, name));
        self.batching.depth.set(self.batching.depth.get() - 1);
        let (func, axes) = made?;
        Ok(BatchedFunc { func: self.m.add(func.exported(false)), axes })
    }
    /// Without derivative ops, and without composites that are batched by their expansion.
    fn without_ops(&self, f: FuncId) -> Result<Arc<Finished>> {
        self.expand(f)?;
        // A `vmap` is batched as one, even where it is a call by now.
        let before = self.batching.plain.borrow().get(&f).map(|[before, _]| before.clone());
        let func = before.map_or_else(|| self.m.func(f), Ok)?;
        let by = |o: &Op| matches!((o.def.batch, o.def.expand), (Batch::Expand, Expand::Composite(_)));
        if !crate::ad::has(&func, by) {
            return Ok(func);
        }
        without_composites(self.m, &func, &|_, o| by(o)).map(Arc::new)
    }
}
impl batch::Batches for Memo<'_> {
    fn module(&self) -> &Module {
        self.m
    }
    fn batch(&self, f: FuncId, axes: &[Option<usize>]) -> Result<Arc<BatchedFunc>> {
        self.batch_once(f, axes, None)
    }
    fn batch_to(&self, f: FuncId, axes: &[Option<usize>], outs: &[Option<usize>]) -> Result<Arc<BatchedFunc>> {
        self.batch_once(f, axes, Some(outs))
    }
}

/// The axes that `with (name = […])` of a function names, one for each of `n` parameters or results.
fn axes(f: &Func, name: &'static str, n: usize, of: &str) -> Result<Option<Vec<Option<usize>>>> {
    let Some(Attr::List(l)) = f.with.get(name) else { return Ok(None) };
    if l.len() != n {
        let text = format!("`{name}` of @{} names {} axes for {n} {of}", f.name, l.len());
        return Err(Error::new(Code::E0228, text).help("one each, `none` where there is no batch axis: `[0, none]`"));
    }
    Ok(Some(l.iter().map(|a| if let Attr::Int(i) = a { usize::try_from(*i).ok() } else { None }).collect()))
}
/// The pass `batch`: for each function `@f` that says `with (batch = […])`, a function `@f.batch`, exported where `@f` is. Where
/// `batch_out` does not say where results have the batch axis, each has it behind all others.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    let memo = Memo::new(m);
    let mut any = false;
    for (id, f) in m.funcs() {
        let one = || -> Result<bool> {
            let Some(ins) = axes(&f, "batch", f.params().len(), "parameters")? else { return Ok(false) };
            let name = format!("{}.batch", f.name);
            if m.find(&name).is_some() {
                return Ok(false);
            }
            let last = || f.returns().iter().map(|&y| Some(f.ty(y).rank())).collect();
            let outs = axes(&f, "batch_out", f.returns().len(), "results")?.unwrap_or_else(last);
            let made = memo.batch_named(id, &ins, Some(&outs), &name)?;
            let func = m.func(made.func)?;
            m.define(made.func, func.exported(f.export));
            Ok(true)
        };
        any |= one().map_err(|e| PassError::of(&f, e))?;
    }
    Ok(any)
}
