//! The reverse sweep over a linear function: what does not depend on the linear parameters is copied forward first,
//! then cotangents flow back through the rows' transpose rules.
use super::{Derive, Transposed, prune, reach};
use crate::builder::Builder;
use crate::diag::{Error, Result};
use crate::func::*;
use crate::map::Map;
use crate::module::FuncId;
use crate::op::Transpose;
use crate::types::Type;
use std::sync::Arc;

/// What transpose rules see.
pub struct Transposer<'m> {
    /// Whoever drives the sweeps.
    pub derive: &'m dyn Derive,
    /// The linear function.
    pub src: Arc<Func>,
    /// The function being built, at the insertion point.
    pub b: Builder<'m>,
    linear: Vec<bool>,
    val: Map,
    ct: Vec<Option<ValueId>>,
    copied: Vec<bool>,
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
        ct: vec![None; src.values.len()],
        copied: vec![false; src.ops.len()],
        src: src.clone(),
    };
    cx.b.copy_syms(&src);
    cx.b.func_mut().span = src.span;
    for (&p, _) in src.params().iter().zip(linear).filter(|p| !p.1) {
        let q = cx.b.param(src.ty(p).clone(), &src.value(p).name);
        cx.val.insert(p, q);
    }
    let mut cts = vec![];
    for (&y, &nz) in src.returns().iter().zip(nonzero) {
        cts.push(nz.then(|| cx.b.param(src.ty(y).clone(), &cotangent_name(&src.value(y).name))));
    }
    let (xs, _) = cx.region(BODY, &cts)?;
    let outs: Vec<_> = xs.into_iter().zip(linear).filter(|p| *p.1).map(|p| p.0).collect();
    let (f, _) = prune(m, &cx.b.finish(outs.iter().flatten().copied().collect())?, |_| true)?;
    Ok(Transposed { func: m.add(f), out: outs.iter().map(Option::is_some).collect() })
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
    /// Does `v` depend on the linear parameters?
    pub fn linear(&self, v: ValueId) -> bool {
        self.linear[v.ix()]
    }
    /// The value, in the function being built, of one that is not linear.
    pub fn val(&self, v: ValueId) -> Result<ValueId> {
        self.val.value(v)
    }
    /// Its complex conjugate (itself where real): the factor of a transposed product under the Hermitian convention.
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
            let mut open = None;
            d.for_each_atom(&mut |a| {
                if let crate::extent::Atom::Exist(r) = a
                    && self.val.exist(r).is_none()
                {
                    open = Some(r);
                }
            });
            if let Some(r) = open {
                return Err(Error::new(
                    "E0599",
                    format!("?{} is not bound where its cotangent is made", crate::ExtentNames::exist(&*src, r)),
                ));
            }
        }
        self.val.ty(src.ty(v))
    }
    /// Attributes of the source, for the function being built.
    pub fn attrs(&self, a: &crate::Attrs) -> Result<crate::Attrs> {
        self.val.attrs(a)
    }
    /// An extent of the source, for the function being built.
    pub fn extent(&self, e: &crate::Extent) -> Result<crate::Extent> {
        self.val.extent(e)
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
        let sum = match self.ct[v.ix()] {
            Some(old) => self.b.add(old, c)?,
            None => c,
        };
        let name = cotangent_name(&self.src.value(v).name);
        self.b.hint(sum, &name);
        self.ct[v.ix()] = Some(sum);
        Ok(())
    }
    /// Transposes `r` at the insertion point; its non-linear parameters must be bound. Gives cotangents of parameters
    /// and of linear captures.
    pub fn region(
        &mut self,
        r: RegionId,
        cts: &[Option<ValueId>],
    ) -> Result<(Vec<Option<ValueId>>, Vec<Option<ValueId>>)> {
        let src = self.src.clone();
        let caps = if r == BODY { vec![] } else { self.linear_captures(r) };
        // Outer cotangents of captures are set aside: an inner sum must not count them once per trip.
        let outer: Vec<_> = caps.iter().map(|v| self.ct[v.ix()].take()).collect();
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
        let params = src.region(r).params.iter().map(|p| self.ct[p.ix()].take()).collect();
        let inner = caps.iter().map(|v| self.ct[v.ix()].take()).collect();
        for (v, c) in caps.iter().zip(outer) {
            self.ct[v.ix()] = c;
        }
        Ok((params, inner))
    }
    /// Copies what op `o` needs of values that are not linear, at the insertion point: just before its first use, so
    /// that what is computed again (checkpoints) lives no longer than it must.
    fn ensure_inputs(&mut self, o: OpId) -> Result<()> {
        let src = self.src.clone();
        let mut todo = vec![(o, false)];
        while let Some((p, ready)) = todo.pop() {
            let op = src.op(p);
            if ready {
                if !std::mem::replace(&mut self.copied[p.ix()], true) {
                    let old = self.b.set_loc(op.loc, op.span);
                    self.b.copy(&src, p, &mut self.val)?;
                    self.b.set_loc(old.0, old.1);
                }
                continue;
            }
            if p != o {
                todo.push((p, true));
            }
            for v in uses(&src, p) {
                if !self.linear(v)
                    && self.val.get(v).is_none()
                    && let Def::Result(q, _) = src.value(v).def
                {
                    todo.push((q, false));
                }
            }
            for q in binders(&src, p) {
                if !self.copied[q.ix()] && !src.op(q).results.iter().any(|&v| self.linear(v)) {
                    todo.push((q, false));
                }
            }
        }
        Ok(())
    }
    fn one(&mut self, src: &Func, o: OpId) -> Result<()> {
        let op = src.op(o);
        if !op.results.iter().any(|&v| self.linear(v)) {
            return Ok(());
        }
        let cts: Vec<_> = op.results.iter().map(|v| self.ct[v.ix()].take()).collect();
        if cts.iter().all(Option::is_none) {
            return Ok(());
        }
        self.ensure_inputs(o)?;
        let Transpose::Rule(rule) = op.def.transpose else {
            let Transpose::Never(why) = op.def.transpose else { return Ok(()) };
            return Err(Error::new("E0504", format!("`{}` cannot be transposed: {why}", op.def.name)));
        };
        let outs = rule(self, o, &cts)?;
        for (&x, c) in op.operands.iter().zip(outs) {
            if let Some(c) = c
                && self.linear(x)
            {
                self.accumulate(x, c)?;
            }
        }
        Ok(())
    }
}
/// Operands of `o` and what its regions capture.
fn uses(f: &Func, o: OpId) -> Vec<ValueId> {
    let op = f.op(o);
    let mut vs = op.operands.clone();
    for &r in &op.regions {
        vs.extend(f.captures(r));
    }
    vs
}
/// Ops that bind existentials which `o` names, regions included.
fn binders(f: &Func, o: OpId) -> Vec<OpId> {
    let op = |r: crate::ExistId| match f.exists[r.0 as usize].binder {
        Some(Binder::Op(p)) => Some(p),
        _ => None,
    };
    f.extents_named(o).into_iter().filter_map(op).collect()
}
