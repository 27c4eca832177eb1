//! How conditions on a cotangent pass an op on the way back. What an op does to cotangents is linear, so a condition on all of one
//! passes any op. One that differs along axes passes where the op keeps these apart; else it is applied, what the cotangent is
//! multiplied by is made 0 where only such elements would meet it, and what is left of it goes on: that an element counts where
//! any counts that it is a sum of.
//!
//! Nothing of this is made where nothing on the way back to the parameters multiplies.
use super::masks::{Cond, Mask};
use super::transposer::Transposer;
use crate::attr::{Attr, Attrs};
use crate::diag::Result;
use crate::extent::Extent;
use crate::func::{BODY, Def, Func, Op, OpId, ValueId};
use crate::op::{Batch, Effect, Linearize, NewOp};
use crate::outside;
use crate::places::{Places, kept};
use crate::tensor::Tensor;
use crate::types::Type;

/// What is multiplied by values that are not linear, which may be infinite where a branch was not taken.
#[derive(Default)]
pub(super) struct Wild {
    /// By value: whether an op that multiplies by such a value lies somewhere on the way from the parameters to it.
    values: Vec<bool>,
    /// By op: whether the op multiplies by such a value.
    ops: Vec<bool>,
}
impl Wild {
    pub(super) fn of(f: &Func, linear: &[bool]) -> Wild {
        let mut w = Wild { values: vec![false; f.values.len()], ops: vec![false; f.ops.len()] };
        let outer = &f.region(BODY).params;
        f.walk(BODY, &mut |o| {
            let op = f.op(o);
            let fixed = |&v: &ValueId| !linear[v.ix()] && f.ty(v).dtype.is_inexact() && !finite(f, v);
            let wild = !op.regions.is_empty() || op.def.calls() || op.operands.iter().any(fixed);
            w.ops[o.ix()] = wild;
            let linear_operands = |v: &&ValueId| linear[v.ix()];
            let before = op.operands.iter().filter(linear_operands).any(|v| w.values[v.ix()]);
            for &y in &op.results {
                w.values[y.ix()] = wild || before;
            }
            // What comes into a region may come from the trip before.
            for p in op.regions.iter().flat_map(|&r| &f.region(r).params).filter(|p| !outer.contains(p)) {
                w.values[p.ix()] = true;
            }
        });
        w
    }
}
/// Where what a rule gives counts, and what it multiplies by instead of what stands in the source.
#[derive(Clone, Debug, Default)]
pub(super) struct Through {
    /// Everything that it gives.
    pub(super) mask: Mask,
    /// Beyond that, what it gives for each operand; empty where there is nothing.
    own: Vec<Mask>,
    instead: Vec<(ValueId, ValueId)>,
    /// The rule is asked how elements get from one place to another.
    asked: bool,
}
impl Through {
    /// Where the cotangent of operand `i` counts.
    pub(super) fn of(&self, i: usize) -> Mask {
        let mut all = self.mask.clone();
        for (c, clean) in self.own.get(i).map_or(&[][..], |m| &m.0) {
            all.push(c.clone(), *clean);
        }
        all
    }
    /// Whether anything is said of where the value counts.
    pub(super) fn masks(&self) -> bool {
        self.asked || !self.mask.0.is_empty() || self.own.iter().any(|m| !m.0.is_empty())
    }
    /// What source value `v` is multiplied by instead.
    pub(super) fn instead(&self, v: ValueId) -> Option<ValueId> {
        self.instead.iter().find(|i| i.0 == v).map(|i| i.1)
    }
}
type Rule = fn(&mut Transposer, OpId, &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>>;

impl Transposer<'_> {
    /// The cotangents of the results of `o`, taken out of the sweep, and conditions that are still to be applied to all of them.
    pub(super) fn arrived(&mut self, src: &Func, o: OpId) -> Result<(Vec<Option<ValueId>>, Mask)> {
        let op = src.op(o);
        let on = self.wild.ops[o.ix()] || self.wild.values[op.results[0].ix()];
        if !elementwise(src, op, &self.linear) && !on {
            return Ok((op.results.iter().map(|&v| self.take(v)).collect::<Result<_>>()?, Mask::default()));
        }
        let mut all: Vec<(ValueId, Option<ValueId>, Mask)> = vec![];
        for &y in &op.results {
            let (c, mask) = std::mem::take(&mut self.ct[y.ix()]).common(&mut self.b, on)?;
            all.push((y, self.named(y, c), mask));
        }
        if let [(_, c, mask)] = &all[..] {
            return Ok((vec![*c], mask.clone()));
        }
        // Axes of different results are not the same ones: of each, what holds of all of it.
        let mut shared: Option<Mask> = None;
        for (_, _, m) in all.iter().filter(|a| a.1.is_some()) {
            shared = Some(match shared {
                Some(s) => s.common(m),
                None => m.clone(),
            });
        }
        let mut shared = shared.unwrap_or_default();
        shared.0.retain(|c| c.0.axes.is_empty());
        let (mut cts, mut any, mut everywhere) = (vec![], None, false);
        for (y, c, m) in all {
            let Some(c) = c else {
                cts.push(None);
                continue;
            };
            let own = m.beyond(&shared);
            match own.anywhere(&mut self.b)? {
                Some(p) => {
                    any = Some(match any {
                        Some(q) => self.b.or(q, p)?,
                        None => p,
                    });
                }
                None => everywhere = true,
            }
            let d = own.apply(&mut self.b, c)?;
            cts.push(self.named(y, Some((d, d != c))));
        }
        if let (Some(p), false) = (any, everywhere) {
            shared.push(Cond { p, side: true, axes: vec![] }, false);
        }
        Ok((cts, shared))
    }
    /// How `mask` passes op `o`: the cotangents with what does not pass applied, and what to say of what its rule gives.
    pub(super) fn through(
        &mut self,
        src: &Func,
        o: OpId,
        rule: Rule,
        mut cts: Vec<Option<ValueId>>,
        mut mask: Mask,
    ) -> Result<(Vec<Option<ValueId>>, Through)> {
        let op = src.op(o);
        let wild = self.wild.ops[o.ix()];
        let on = wild || self.wild.values[op.results[0].ix()];
        if !on {
            mask.0.retain(|c| !c.1);
        }
        if mask.0.is_empty() {
            return Ok((cts, Through::default()));
        }
        // What fails where it is given certain numbers is not given those that do not count.
        if self.derive.module().effect(src, o) != Effect::Pure {
            for (cond, clean) in &mut mask.0 {
                self.apply(op, cond, *clean, &mut cts)?;
                *clean = true;
            }
        }
        if elementwise(src, op, &self.linear) {
            if wild {
                mask.0.iter_mut().for_each(|c| c.1 = false);
            }
            return Ok((cts, Through { mask, ..Through::default() }));
        }
        let product = matches!(op.def.linearize, Linearize::Multilinear) && op.regions.is_empty() && !op.def.calls();
        // A factor may be negative, so that its numbers cancel where they are added.
        let factor = |v: &ValueId| !self.linear(*v) && src.ty(*v).dtype.is_inexact();
        let moves = product && !op.operands.iter().any(factor) && real(src, op);
        let to: Vec<Option<Vec<Option<usize>>>> = (0..op.operands.len())
            .map(|i| if self.linear(op.operands[i]) { self.places(src, op, i) } else { None })
            .collect();
        let linear: Vec<usize> = (0..op.operands.len()).filter(|&i| self.linear(op.operands[i])).collect();
        let mut out = Through { own: vec![Mask::default(); op.operands.len()], ..Through::default() };
        for (cond, clean) in mask.0 {
            if cond.axes.is_empty() {
                out.mask.push(cond, clean && !wild);
                continue;
            }
            let moved: Option<Vec<Cond>> = linear
                .iter()
                .map(|&i| cond.moved(to[i].as_deref()?).filter(|c| self.fits(c, op.operands[i])))
                .collect();
            if let Some(moved) = moved.filter(|m| !m.is_empty()) {
                for (&i, c) in linear.iter().zip(moved) {
                    out.own[i].push(c, clean && !wild);
                }
                continue;
            }
            if let Some(p) = self.reshaped(op, &cond)? {
                out.own[linear[0]].push(p, clean);
                continue;
            }
            self.apply(op, &cond, clean, &mut cts)?;
            if !op.regions.is_empty() || linear.is_empty() {
                // Also of what its regions use from outside.
                let any = cond.any(&mut self.b, &[])?;
                out.mask.push(any, false);
                continue;
            }
            let clean = !wild || product && self.factors(src, op, &cond, &to, &mut out)?;
            let kept = if moves { self.asked(o, rule, &cond, cts[0])? } else { vec![] };
            for &i in &linear {
                let (x, known) = (op.operands[i], kept.get(i).copied().flatten());
                if clean && !self.wild.values[x.ix()] {
                    continue;
                }
                let any = match known {
                    Some(p) => Cond { p, side: true, axes: (0..self.b.func().ty(p).rank()).collect() },
                    None => {
                        let nowhere = vec![];
                        let mut at = to[i].clone().unwrap_or(nowhere);
                        // Along an axis that is not as long here, it is not known where it holds.
                        for (k, a) in cond.axes.iter().zip(0..) {
                            let one = Cond { p: cond.p, side: true, axes: vec![*k] };
                            let fits = one.moved(&at).is_some_and(|m| self.fits_along(&m, a, x));
                            if let Some(a) = at.get_mut(*k).filter(|_| !fits) {
                                *a = None;
                            }
                        }
                        cond.any(&mut self.b, &at)?
                    }
                };
                out.own[i].push(any, clean);
            }
        }
        Ok((cts, out))
    }
    /// Applies a condition to the cotangents of the results of `op`, unless they are 0 where it does not hold.
    fn apply(&mut self, op: &Op, cond: &Cond, clean: bool, cts: &mut [Option<ValueId>]) -> Result<()> {
        for (y, c) in op.results.iter().zip(cts).filter(|_| !clean) {
            if let Some(d) = *c {
                let e = cond.apply(&mut self.b, d)?;
                *c = self.named(*y, Some((e, true)));
            }
        }
        Ok(())
    }
    /// Whether the cotangent of source value `x` has the extents of a condition on it.
    fn fits(&mut self, c: &Cond, x: ValueId) -> bool {
        (0..c.axes.len()).all(|k| self.fits_along(&Cond { axes: vec![c.axes[k]], ..c.clone() }, k, x))
    }
    /// Whether axis `k` of the condition is as long as the axis of source value `x` that it is.
    fn fits_along(&mut self, c: &Cond, k: usize, x: ValueId) -> bool {
        let Ok(ty) = self.ty(x) else { return false };
        let p = self.b.func().ty(c.p);
        c.axes.first().is_some_and(|&a| p.dims.get(k).is_some() && p.dims.get(k) == ty.dims.get(a))
    }
    /// Which axis of operand `i` each axis of the result is, index for index.
    fn places(&self, src: &Func, op: &Op, i: usize) -> Option<Vec<Option<usize>>> {
        let (x, y) = (src.ty(op.operands[i]), src.ty(*op.results.first()?));
        if op.results.len() > 1 || !op.regions.is_empty() || op.def.calls() {
            return None;
        }
        let mut to = vec![None; y.rank()];
        if let Places::Reshaped = op.def.movement.places {
            // Of several axes of extent 1 with as much before and behind them each is one of its own.
            let mut free = vec![true; x.rank()];
            for (k, slot) in to.iter_mut().enumerate() {
                *slot = (0..x.rank()).find(|&a| free[a] && apart(x, a, y, k));
                if let Some(a) = *slot {
                    free[a] = false;
                }
            }
            return Some(to);
        }
        for (a, k) in kept(src, op, i)?.into_iter().enumerate() {
            if let Some(k) = k
                && (k.from, k.to) == (0, 0)
                && let Some(slot @ None) = to.get_mut(k.axis)
            {
                *slot = Some(a);
            }
        }
        Some(to)
    }
    /// A condition on each element, where the op only writes these in another shape.
    fn reshaped(&mut self, op: &Op, c: &Cond) -> Result<Option<Cond>> {
        let (Places::Reshaped, [x]) = (op.def.movement.places, &op.operands[..]) else { return Ok(None) };
        let ty = self.ty(*x)?.with_dtype(crate::DType::Bool);
        let y = self.ty(op.results[0])?;
        if !c.axes.iter().copied().eq(0..y.rank()) {
            return Ok(None);
        }
        let mut attrs = Attrs::none();
        if let Some(a) = op.attrs.get("order") {
            attrs.set("order", a.clone());
        }
        let p = self.b.emit1(NewOp::new(op.def, &[c.p]).attrs(attrs).types(vec![ty.clone()]))?;
        Ok(Some(Cond { p, side: c.side, axes: (0..ty.rank()).collect() }))
    }
    /// Makes 0 of what a product multiplies by, where that meets no element of the cotangent that counts. Returns whether
    /// nothing is left that does.
    fn factors(
        &mut self,
        src: &Func,
        op: &Op,
        cond: &Cond,
        to: &[Option<Vec<Option<usize>>>],
        out: &mut Through,
    ) -> Result<bool> {
        let mut all = true;
        for (i, &v) in op.operands.iter().enumerate() {
            if self.linear(v) || !src.ty(v).dtype.is_inexact() || finite(src, v) {
                continue;
            }
            let Some(mut at) = self.places(src, op, i) else {
                all = false;
                continue;
            };
            let linear: Vec<bool> = op.operands.iter().map(|&x| self.linear(x)).collect();
            let known = |t: &Vec<Option<usize>>, k: usize| t.get(k).is_some_and(Option::is_some);
            let apart = |k: usize| to.iter().zip(&linear).all(|(t, &l)| !l || t.as_ref().is_some_and(|t| known(t, k)));
            for (j, &k) in cond.axes.iter().enumerate() {
                let fits = at.get(k).copied().flatten().is_some_and(|a| {
                    let one = Cond { p: cond.p, side: true, axes: vec![a] };
                    self.fits_along(&one, j, v)
                });
                if !fits && let Some(a) = at.get_mut(k) {
                    *a = None;
                }
            }
            let here = |k: &usize| at.get(*k).is_some_and(Option::is_some);
            if !cond.axes.iter().any(|k| here(k) && !apart(*k)) {
                all &= cond.axes.iter().all(|k| apart(*k));
                continue;
            }
            // What has more elements than the cotangent stays as it is: a pass over weights costs more than the mask is worth.
            // The condition is applied behind the product then.
            if !cond.axes.iter().all(here) && larger(src.ty(v), src.ty(op.results[0])) {
                all = false;
                continue;
            }
            let any = cond.any(&mut self.b, &at)?;
            let x = match out.instead(v) {
                Some(x) => x,
                None => self.val(v)?,
            };
            let x = any.apply(&mut self.b, x)?;
            out.instead.retain(|i| i.0 != v);
            out.instead.push((v, x));
        }
        Ok(all)
    }
    /// Where anything arrives in the operands of an op that moves and adds elements, when it comes from where `cond` holds: the
    /// rule itself says so, given 1 there. It only moves and adds, so that nothing cancels.
    fn asked(&mut self, o: OpId, rule: Rule, cond: &Cond, ct: Option<ValueId>) -> Result<Vec<Option<ValueId>>> {
        let Some(c) = ct else { return Ok(vec![]) };
        let one = self.b.like(c, 1.0)?;
        let ones = cond.apply(&mut self.b, one)?;
        let around = std::mem::replace(&mut self.rule, Through { asked: true, ..Through::default() });
        let def = self.op(o).def;
        let outs = outside::column(def, "transpose", || rule(self, o, &[Some(ones)]));
        self.rule = around;
        let mut places = vec![];
        for x in outs? {
            places.push(match x {
                Some(x) => {
                    let zero = self.b.like(x, 0.0)?;
                    Some(self.b.ne(x, zero)?)
                }
                None => None,
            });
        }
        Ok(places)
    }
}
/// Whether each element of the result stems from the elements at its place alone.
fn elementwise(f: &Func, op: &Op, linear: &[bool]) -> bool {
    let [y] = op.results[..] else { return false };
    let same = |v: &ValueId| !linear[v.ix()] || f.ty(*v).rank() == f.ty(y).rank();
    matches!(op.def.batch, Batch::Elementwise) && op.operands.iter().all(same)
}
/// Whether the value is a constant without infinities.
fn finite(f: &Func, v: ValueId) -> bool {
    let Def::Result(o, _) = f.value(v).def else { return false };
    let op = f.op(o);
    let numbers = |t: &Tensor| {
        let t = t.distinct();
        t.to_logical::<f64>().is_some_and(|v| v.iter().all(|x| x.is_finite()))
            || t.to_logical::<f32>().is_some_and(|v| v.iter().all(|x| x.is_finite()))
    };
    op.def.constant
        && op.attrs.iter().all(|(_, a)| match a {
            Attr::Tensor(t) => numbers(t),
            Attr::Data(_) | Attr::Str(_) => false,
            _ => true,
        })
}
fn real(f: &Func, op: &Op) -> bool {
    op.results.iter().chain(&op.operands).all(|&v| !f.ty(v).dtype.is_complex())
}
/// Whether `x` certainly has more elements than `y`.
fn larger(x: &Type, y: &Type) -> bool {
    let size = |t: &Type| t.dims.iter().try_fold(1i64, |n, d| n.checked_mul(d.as_exact()?));
    size(x).is_some_and(|n| size(y).is_some_and(|m| n > m))
}
/// Whether axis `a` of `x` is axis `k` of `y`, with the same elements in the same order: there is as much before and behind it.
fn apart(x: &Type, a: usize, y: &Type, k: usize) -> bool {
    let size = |d: &[Extent]| d.iter().try_fold(Extent::exact(1), |n, e| n.mul(e)).ok();
    let same = |d: &[Extent], e: &[Extent]| size(d).is_some_and(|n| Some(n) == size(e));
    x.dims[a] == y.dims[k] && same(&x.dims[..a], &y.dims[..k]) && same(&x.dims[a + 1..], &y.dims[k + 1..])
}
