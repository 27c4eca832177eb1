//! What the steps of a call take, where the caller asks ([`tfc_engine::Profile`]): a step's own time is that between its begin and
//! its end, less that of the steps inside it.
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use super::frame::{Ctx, Frame};
use crate::compiled::Compiled;
use tfc_engine::StepTime;
use tfc_ir::hash::WordHash;
use tfc_ir::outside;
use tfc_plan::plan::describe::first_line;
use tfc_plan::plan::{Do, KernelStep, NONE, Place, Run, Slot, Step, Use};

/// The times of a call so far.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    /// Nanoseconds of the steps inside the one that runs.
    inside: u64,
    /// By plan and position.
    steps: HashMap<(usize, u32), StepTime, WordHash>,
}
impl Clock {
    /// What has been measured.
    pub(crate) fn into_steps(self) -> impl Iterator<Item = StepTime> {
        self.steps.into_values()
    }
}
/// When a step began, and the nanoseconds of the steps before it inside the one around.
pub(crate) type Begun = Option<(Instant, u64)>;
impl Ctx<'_> {
    /// A step begins.
    #[inline]
    pub(crate) fn begin(&mut self) -> Begun {
        let clock = self.clock.as_mut()?;
        Some((Instant::now(), std::mem::take(&mut clock.inside)))
    }
}
impl Frame {
    /// The step that began then has ended.
    #[inline]
    pub(crate) fn end(&self, plan: &Compiled, ctx: &mut Ctx, step: &Step, begun: Begun) {
        if let (Some(begun), Some(clock)) = (begun, ctx.clock.as_mut()) {
            self.note(plan, clock, step, begun);
        }
    }
    #[inline(never)]
    fn note(&self, plan: &Compiled, clock: &mut Clock, step: &Step, (start, before): (Instant, u64)) {
        let all = start.elapsed().as_nanos() as u64;
        let own = all.saturating_sub(clock.inside);
        clock.inside = before + all;
        let bytes = self.bytes(plan, &step.what);
        let operations = self.operations(plan, &step.what);
        let key = (std::ptr::from_ref(plan) as usize, step.at);
        let row = clock.steps.entry(key).or_insert_with(|| StepTime {
            at: (plan.func.name.to_string(), step.at),
            what: first_line(plan, plan, &step.what),
            times: 0,
            nanos: 0,
            bytes: 0,
            operations: 0,
            element: computed(plan, &step.what),
        });
        row.times += 1;
        row.nanos += own;
        row.bytes += bytes;
        row.operations += operations;
    }
    /// Bytes of the elements that a step reads and writes.
    fn bytes(&self, plan: &Compiled, what: &Do) -> u64 {
        if matches!(what, Do::Loop(_) | Do::Cond(_) | Do::Call(_) | Do::View(_)) {
            return 0;
        }
        let size = |s: Slot| {
            // A broadcast element is read once.
            let axes = self.dims(plan, s).iter().zip(self.strides(plan, s));
            let elements = axes.filter(|a| *a.1 != 0).fold(1u64, |n, a| n.saturating_mul(*a.0 as u64));
            elements.saturating_mul(plan.slots[s as usize].dtype.size() as u64)
        };
        let mut bytes = 0u64;
        what.uses(&mut |s, _| bytes += size(s));
        // What has been computed where it goes is neither read nor written; what is over the older value is there.
        if let Do::Kernel(k) = what {
            for &s in &k.dsts {
                let part = |p: Slot| matches!(plan.slots[p as usize].place, Place::Part { of, .. } if of == s);
                let there: u64 = k.args.iter().copied().filter(|&p| part(p)).map(size).sum();
                let over = plan.slots[s as usize].over;
                let kept = if k.updates && over != NONE { (2 * size(s)).saturating_sub(there) } else { 0 };
                bytes = bytes.saturating_sub(2 * there + kept);
            }
        }
        bytes
    }
    /// Operations on elements of a step, as far as they are known.
    fn operations(&self, plan: &Compiled, what: &Do) -> u64 {
        match what {
            Do::Run(r) => self.of_region(plan, r),
            Do::Kernel(k) => {
                let then = k.then.as_ref().map_or(0, |r| self.of_region(plan, r));
                self.of_product(plan, k).unwrap_or(0).saturating_add(then)
            }
            _ => 0,
        }
    }
    fn of_region(&self, plan: &Compiled, r: &Run) -> u64 {
        let elements = r.loops.iter().fold(1u64, |n, &e| {
            let extent = self.count(plan, e).unwrap_or(0);
            n.saturating_mul(extent as u64)
        });
        let phases = &plan.fused(r).program.phases;
        let each = phases.iter().filter(|p| !p.kept).map(|p| p.tape.ins.len() + p.tape.reds.len()).sum::<usize>();
        elements.saturating_mul(each as u64)
    }
    /// A multiplication and an addition for each pair of elements that meet; of complex numbers four of each.
    fn of_product(&self, plan: &Compiled, k: &KernelStep) -> Option<u64> {
        let op = plan.func.op(k.op);
        let (labels, &[a, b, ..]) = (op.def.contraction.labels?, &*k.args) else { return None };
        let dims = [a, b].map(|s| self.dims(plan, s));
        let l = outside::column(op.def, "labels", || labels(&op.attrs, dims.map(<[usize]>::len))).ok()??;
        let mut extents = BTreeMap::new();
        for (terms, dims) in l.terms.iter().zip(dims) {
            terms.iter().zip(dims).for_each(|(t, &d)| _ = extents.insert(*t, d as u64));
        }
        let each = if plan.slots[a as usize].dtype.is_complex() { 8 } else { 2 };
        Some(extents.values().fold(each, |n, &d| n.saturating_mul(d)))
    }
}
/// Bytes of the widest element that a step computes.
fn computed(plan: &Compiled, what: &Do) -> u8 {
    let mut widest = 0;
    what.uses(&mut |s, u| {
        if u == Use::Write {
            widest = widest.max(plan.slots[s as usize].dtype.size());
        }
    });
    widest as u8
}
