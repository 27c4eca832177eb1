//! Extents that the device computes. A copy is asked for at once ([`Frame::ask`]); steps that do not depend on the extent go on. So do
//! steps that may be computed for more of it than there is, where a condition bounds it (`where ?r <= n`) and the bound is small: they
//! run as if the extent were its bound, and what lies beyond is never read by anyone who would notice. All others wait
//! ([`Frame::settle`]): then the extent is what it is, and slots keep the strides that they were made with.
//!
//! Which steps wait follows from the plan and from sizes alone, never from time, so that results are the same each time.
use tfc_ir::extent::{Atom, CmpOp, Constraint};
use tfc_ir::op::Effect;
use tfc_ir::{DType, Error, ExistId, Extent, Result, Span};
use tfc_plan::plan::*;

use super::frame::{Ctx, Frame, integer};
use crate::device::Fetched;

/// Elements up to which a step runs at a bound: to move them takes a device a microsecond or two, a host that waits and starts anew
/// about ten.
const MOST_PADDED: usize = 1 << 17;

/// An extent that is on its way to the host.
pub(super) struct Pending<'p> {
    exist: ExistId,
    dtype: DType,
    value: Box<dyn Fetched>,
    span: Span,
    /// What it is at most, where that is known.
    most: Option<i64>,
    /// Conditions that say so, to be checked once it is known: what asks for them, and where.
    guards: Vec<(&'p Constraint, &'p str, &'static str, Span)>,
}
impl<'p> Frame<'p> {
    /// Asks for an extent that the device has computed; what does not depend on it can go on.
    ///
    /// # Errors
    /// What the device reports.
    pub(super) fn ask(&mut self, ctx: &mut Ctx, src: Slot, exist: ExistId, span: Span) -> Result<()> {
        let (at, dtype) = (self.ptr[src as usize], self.decl(src).dtype);
        ctx.waits += 1;
        let value = ctx.device.fetch(at, dtype.size())?;
        self.pending.push(Pending { exist, dtype, value, span, most: None, guards: vec![] });
        Ok(())
    }
    /// Waits for the extents that have been asked for.
    ///
    /// # Errors
    /// `E0422` where one is negative; that of a condition that does not hold; what the device reports.
    pub fn settle(&mut self) -> Result<()> {
        let plan = self.plan();
        for p in std::mem::take(&mut self.pending) {
            let v = integer(p.dtype, &p.value.wait()?);
            if v < 0 {
                let e = Extent::exist(p.exist);
                let text = format!("extent {} would be {v}, which is negative", e.display(&*plan.func));
                return Err(Error::new("E0422", text).or_span(p.span));
            }
            self.sizes.bind(plan, p.exist, v);
            for (cond, what, code, span) in p.guards {
                tfc_plan::sizes::shapes::check(&plan.func, self.sizes.env(), cond, code, what, span)?;
            }
        }
        Ok(())
    }
    /// A condition: checked, or left for later where it bounds an extent that has been asked for.
    ///
    /// # Errors
    /// That it does not hold.
    pub(super) fn guard(
        &mut self,
        cond: &'p Constraint,
        (what, code): (&'p str, &'static str),
        span: Span,
    ) -> Result<()> {
        let plan = self.plan();
        let Some((i, most)) = self.bound(cond) else {
            return tfc_plan::sizes::shapes::check(&plan.func, self.sizes.env(), cond, code, what, span);
        };
        let p = &mut self.pending[i];
        p.guards.push((cond, what, code, span));
        let most = p.most.map_or(most, |m| m.min(most));
        p.most = Some(most);
        self.sizes.bind(plan, p.exist, most);
        Ok(())
    }
    /// Does a condition say what an extent is at most that has been asked for? Which, and what.
    fn bound(&self, c: &Constraint) -> Option<(usize, i64)> {
        let (least, most) = match c.op {
            CmpOp::Le => (&c.lhs, &c.rhs),
            CmpOp::Ge => (&c.rhs, &c.lhs),
            CmpOp::Eq => return None,
        };
        let atom = least.as_atom()?;
        let i = self.pending.iter().position(|p| Atom::Exist(p.exist) == atom)?;
        let most = if self.is_pending(most) { None } else { most.eval(self.sizes.env()).ok() };
        most.filter(|&m| m >= 0).map(|m| (i, m))
    }
    fn is_pending(&self, e: &Extent) -> bool {
        self.pending.iter().any(|p| e.mentions(Atom::Exist(p.exist)))
    }
    /// Has a step to wait for an extent that has been asked for? Of a step it has to be known what it reads: the others wait.
    pub(super) fn waits(&self, what: &Do) -> bool {
        if self.pending.is_empty() {
            return false;
        }
        let plan = self.plan();
        let of = |e: Ext| self.is_pending(&plan.exts[e as usize]);
        let known = |s: Slot| self.padded(self.decl(s).dims.iter().copied());
        let region = |r: &Run| {
            let folds = r.loops.iter().zip(&r.reduced).any(|(&e, &reduced)| reduced && of(e));
            !folds && self.padded(r.loops.iter().copied()) && r.operands.iter().all(|&s| known(s))
        };
        match what {
            Do::Run(r) => !region(r),
            Do::Copy { src, dst } => !known(*src) || !known(*dst),
            Do::Bind { .. } => false,
            Do::Guard { cond, .. } => {
                (self.is_pending(&cond.lhs) || self.is_pending(&cond.rhs)) && self.bound(cond).is_none()
            }
            Do::View(v) => {
                let still = v.start.is_empty() && v.axes.iter().all(|a| !a.reversed && !of(a.step));
                !still || !known(v.src) || !known(v.dst)
            }
            Do::Kernel(k) => {
                let whole = |s: Slot| !self.decl(s).dims.iter().any(|&e| of(e));
                let apart = k.binds.is_empty()
                    && k.regions.is_empty()
                    && k.then.as_ref().is_none_or(|r| region(r))
                    && plan.func.op(k.op).def.effect != Effect::Assert
                    && !k.exts.iter().flat_map(|e| &e.1).any(|&e| of(e));
                let slots = || k.args.iter().chain(&k.dsts).copied();
                let pads = || {
                    let axis = |s: Slot, a: usize| self.decl(s).dims.get(a).is_some_and(|&e| of(e));
                    slots().all(known) && self.code.steps[k.id as usize].pads(k, &axis)
                };
                !apart || !(slots().all(whole) || pads())
            }
            _ => true,
        }
    }
    /// Are these extents known, or known well enough? An extent that is asked for has to stand for itself, with a bound, and there are
    /// not to be many elements.
    fn padded(&self, extents: impl Iterator<Item = Ext>) -> bool {
        let plan = self.plan();
        let (mut n, mut padded) = (1usize, false);
        for e in extents {
            let x = &plan.exts[e as usize];
            if self.is_pending(x) {
                let bounded = |p: &Pending| p.most.is_some() && x.as_atom() == Some(Atom::Exist(p.exist));
                if !self.pending.iter().any(bounded) {
                    return false;
                }
                padded = true;
            }
            n = n.saturating_mul(self.sizes.count(plan, e).unwrap_or(usize::MAX));
        }
        !padded || n <= MOST_PADDED
    }
}
