//! A plan with what this engine makes of it: tapes of fused regions, the kernel of each step that has one.
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::fused::program::{Phase, Program};
use super::kernel::{Known, Site};
use super::nest::build::{Nest, acts};
use super::scalars::program::Scalars;
use super::scalars::trips::Joined;
use tfc_plan::plan::describe::Made;
use tfc_plan::plan::{KernelStep, Loop, Named, Plan, Run};

/// A fused region as it runs here.
#[derive(Debug)]
pub(crate) struct Fused {
    /// Phases as tapes.
    pub(crate) program: Program,
    /// The same as a program of scalars, where there is no loop.
    pub(crate) scalars: Option<Scalars>,
}
/// The code of a loop, made when the loop is first bound.
#[derive(Debug, Default)]
struct LoopCode {
    /// The nest that the loop is.
    nest: OnceLock<Option<Arc<Nest>>>,
    /// Several of its trips.
    joined: OnceLock<Option<Arc<Joined>>>,
    /// What its steps name.
    named: OnceLock<Named>,
}
/// A compiled function.
#[derive(Debug)]
pub(crate) struct Compiled {
    plan: Plan,
    /// By number of the step.
    kernels: Vec<Known>,
    /// By number of the region.
    fused: Vec<Fused>,
    /// By number of the loop.
    loops: Vec<LoopCode>,
}
impl Deref for Compiled {
    type Target = Plan;
    fn deref(&self) -> &Plan {
        &self.plan
    }
}
impl Compiled {
    /// Kernels by number of the step, regions by their number.
    pub(crate) fn new(plan: Plan, kernels: Vec<Known>, fused: Vec<Fused>) -> Compiled {
        let loops = std::iter::repeat_with(LoopCode::default).take(plan.loops as usize).collect();
        Compiled { plan, kernels, fused, loops }
    }
    /// The plan, to be tried with faults.
    pub(crate) fn plan_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
    /// The kernel of a step.
    pub(crate) fn kernel(&self, step: &KernelStep) -> &Known {
        &self.kernels[step.id as usize]
    }
    /// The nest that a loop is.
    pub(crate) fn nest(&self, l: &Loop) -> Option<Arc<Nest>> {
        self.loops.get(l.id as usize)?.nest.get_or_init(|| Nest::new(self, l).map(Arc::new)).clone()
    }
    /// What the steps of a loop name.
    pub(crate) fn named(&self, l: &Loop) -> Option<&Named> {
        Some(self.loops.get(l.id as usize)?.named.get_or_init(|| l.named()))
    }
    /// Several trips of a loop in one, which `make` makes where that has not been done.
    pub(crate) fn joined(&self, l: &Loop, make: impl FnOnce() -> Option<Joined>) -> Option<Arc<Joined>> {
        self.loops.get(l.id as usize)?.joined.get_or_init(|| make().map(Arc::new)).clone()
    }
    /// What runs for a fused region.
    pub(crate) fn fused(&self, run: &Run) -> &Fused {
        &self.fused[run.id as usize]
    }
}
impl Made for Compiled {
    fn one_function(&self, l: &Loop) -> bool {
        acts(self, l).is_some()
    }
    fn scratch(&self, step: &KernelStep) -> Option<usize> {
        self.kernel(step).kernel.scratch(&Site { func: &self.func, step })
    }
    fn fused(&self, run: &Run, over: &str) -> String {
        let Fused { program, scalars } = self.fused(run);
        if let Some(p) = scalars {
            return format!("scalars, {} instructions", p.len());
        }
        let phases = &program.phases;
        let kind = if program.reduces() { "reduce" } else { "tape" };
        let cut = if phases.len() > 1 { format!(" in {} phases", phases.len()) } else { String::new() };
        let most = |n: fn(&Phase) -> usize| phases.iter().map(n).max().unwrap_or(0);
        format!(
            "{kind} over {over}{cut}, {} instructions, {} slots, tile {}",
            phases.iter().map(|p| p.tape.ins.len()).sum::<usize>(),
            most(|p| p.tape.slots),
            most(|p| p.tape.tile),
        )
    }
}
