//! Extents that the device computes. A copy is asked for at once ([`Frame::ask`]); steps that do not depend on the extent go on. So do
//! steps that may be computed for more of it than there is, where a condition bounds it (`where ?r <= n`) and the bound is small: they
//! run as if the extent were its bound, and what lies beyond is never read by anyone who would notice. All others wait
//! ([`Frame::settle`]): then the extent is what it is, and slots keep the strides that they were made with.
//!
//! Which steps wait follows from the plan and from sizes alone, never from time, so that results are the same each time.
use tfc_ir::extent::{Atom, CmpOp, Constraint};
use tfc_ir::op::Effect;
use tfc_ir::{Code, DType, Error, ExistId, Extent, Result, Span};
use tfc_plan::plan::*;

use super::frame::{Ctx, Frame, integer};
use crate::device::Fetched;

/// Elements up to which a step runs at a bound: to move them takes a device a microsecond or two, a host that waits and starts anew
/// about ten.
const MOST_PADDED: usize = 1 << 17;

/// What the host does not know yet, in the order of the program.
pub(super) enum Pending<'p> {
    /// An extent that is on its way to the host.
    Extent {
        exist: ExistId,
        dtype: DType,
        value: Box<dyn Fetched>,
        span: Span,
        /// What it is at most, where that is known.
        most: Option<i64>,
    },
    /// A condition that says so, to be checked once the extent is known: what asks for it, the error's code, and where.
    Condition(&'p Constraint, &'p str, Code, Span),
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
        self.pending.push(Pending::Extent { exist, dtype, value, span, most: None });
        Ok(())
    }
    /// Waits for the extents that have been asked for.
    ///
    /// # Errors
    /// `E0422` where one is negative; that of a condition that does not hold; what the device reports.
    pub fn settle(&mut self) -> Result<()> {
        let plan = self.plan();
        for p in std::mem::take(&mut self.pending) {
            match p {
                Pending::Extent { exist, dtype, value, span, .. } => {
                    let v = integer(dtype, &value.wait()?);
                    if v < 0 {
                        let e = Extent::exist(exist);
                        let text = format!("extent {} would be {v}, which is negative", e.display(&*plan.func));
                        return Err(Error::new(Code::E0422, text).or_span(span));
                    }
                    self.sizes.bind(plan, exist, v);
                }
                Pending::Condition(cond, what, code, span) => {
                    tfc_engine::shapes::check(&plan.func, self.sizes.env(), cond, code, what, span)?;
                }
            }
        }
        Ok(())
    }
    /// The extents that have been asked for, and what they are at most.
    fn asked(&self) -> impl Iterator<Item = (ExistId, Option<i64>)> {
        self.pending.iter().filter_map(|p| match p {
            Pending::Extent { exist, most, .. } => Some((*exist, *most)),
            Pending::Condition(..) => None,
        })
    }
    /// A condition: checked, or left for later where it bounds an extent that has been asked for.
    ///
    /// # Errors
    /// That it does not hold.
    pub(super) fn guard(&mut self, cond: &'p Constraint, (what, code): (&'p str, Code), span: Span) -> Result<()> {
        let plan = self.plan();
        let Some((x, bound)) = self.bound(cond) else {
            return tfc_engine::shapes::check(&plan.func, self.sizes.env(), cond, code, what, span);
        };
        for p in &mut self.pending {
            if let Pending::Extent { exist, most, .. } = p
                && *exist == x
            {
                let least = most.map_or(bound, |m| m.min(bound));
                *most = Some(least);
                self.sizes.bind(plan, x, least);
            }
        }
        self.pending.push(Pending::Condition(cond, what, code, span));
        Ok(())
    }
    /// Does a condition say what an extent is at most that has been asked for? Which, and what.
    fn bound(&self, c: &Constraint) -> Option<(ExistId, i64)> {
        let (least, most) = match c.op {
            CmpOp::Le => (&c.lhs, &c.rhs),
            CmpOp::Ge => (&c.rhs, &c.lhs),
            CmpOp::Eq => return None,
        };
        let atom = least.as_atom()?;
        let (x, _) = self.asked().find(|a| Atom::Exist(a.0) == atom)?;
        let most = if self.is_pending(most) { None } else { most.eval(self.sizes.env()).ok() };
        most.filter(|&m| m >= 0).map(|m| (x, m))
    }
    fn is_pending(&self, e: &Extent) -> bool {
        self.asked().any(|a| e.mentions(Atom::Exist(a.0)))
    }
    /// Has a step to wait for an extent that has been asked for? Of a step it has to be known what it reads: branches, loops and
    /// calls wait. Where memory is limited, none takes more than it needs.
    pub(super) fn waits(&self, ctx: &Ctx, what: &Do) -> bool {
        if self.pending.is_empty() {
            return false;
        }
        let plan = self.plan();
        let limited = ctx.limits.budget.limits().memory.is_some();
        let of = |e: Ext| self.is_pending(&plan.exts[e as usize]);
        let whole = |s: Slot| !self.decl(s).dims.iter().any(|&e| of(e));
        let known = |s: Slot| whole(s) || (!limited && self.padded(self.decl(s).dims.iter().copied()));
        let region = |r: &Run| {
            let folds = r.loops.iter().zip(&r.reduced).any(|(&e, &reduced)| reduced && of(e));
            let all = !r.loops.iter().any(|&e| of(e)) || (!limited && self.padded(r.loops.iter().copied()));
            !folds && all && r.operands.iter().all(|&s| known(s))
        };
        match what {
            Do::Run(r) => !region(r),
            Do::Copy { src, dst } => !known(*src) || !known(*dst),
            Do::Bind { .. } => false,
            Do::Guard { cond, .. } => {
                (self.is_pending(&cond.lhs) || self.is_pending(&cond.rhs)) && self.bound(cond).is_none()
            }
            Do::View(v) => {
                let start = |s: &(u32, Start)| matches!(s.1, Start::Ext(e) if of(e));
                let apart = !v.axes.iter().any(|a| of(a.step)) && !v.start.iter().any(start);
                // Where a view begins, and at which end, depends on the extent of what it shows.
                let still = v.start.is_empty() && !v.axes.iter().any(|a| a.reversed);
                !apart || !(whole(v.src) && whole(v.dst) || still && known(v.src) && known(v.dst))
            }
            Do::Reshape { src, dst, .. } => !whole(*src) || !whole(*dst),
            Do::Kernel(k) => {
                let apart = k.binds.is_empty()
                    && k.regions.is_empty()
                    && k.then.as_ref().is_none_or(|r| region(r))
                    && plan.func.op(k.op).def.effect != Effect::Assert
                    && !k.exts.iter().flat_map(|e| &e.1).any(|&e| of(e));
                let slots = || k.args.iter().chain(&k.dsts).copied();
                let pads = || {
                    let axis = |s: Slot, a: usize| self.decl(s).dims.get(a).is_some_and(|&e| of(e));
                    slots().all(known) && self.code.steps[k.id as usize].pads(self, k, &axis)
                };
                !apart || !(slots().all(whole) || pads())
            }
            _ => true,
        }
    }
    /// Are these extents known well enough? One that is asked for has to stand for itself, with a bound, and there are not to be many
    /// elements.
    fn padded(&self, extents: impl Iterator<Item = Ext>) -> bool {
        let plan = self.plan();
        let mut n = 1usize;
        for e in extents {
            let x = &plan.exts[e as usize];
            let bounded = |a: (ExistId, Option<i64>)| a.1.is_some() && x.as_atom() == Some(Atom::Exist(a.0));
            if self.is_pending(x) && !self.asked().any(bounded) {
                return false;
            }
            n = n.saturating_mul(self.sizes.count(plan, e).unwrap_or(usize::MAX));
        }
        n <= MOST_PADDED
    }
}
