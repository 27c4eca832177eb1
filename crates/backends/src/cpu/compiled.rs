//! A plan with what this engine makes of it: the kernel of each step that has one.
use std::ops::Deref;

use tfc_ir::op::Expand;
use tfc_ir::{Error, FuncId, Module, OpDef, Result};

use super::executable::CompileOptions;
use super::kernel::{Kernels, Known, Site};
use crate::plan::audit::audit;
use crate::plan::build::{Options, lower};
use crate::plan::{Block, Do, KernelStep, Plan};

/// A compiled function.
#[derive(Debug)]
pub(crate) struct Compiled {
    plan: Plan,
    /// By number of the step.
    kernels: Vec<Known>,
}
impl Deref for Compiled {
    type Target = Plan;
    fn deref(&self) -> &Plan {
        &self.plan
    }
}
impl Compiled {
    /// The plan, to be tried with faults.
    pub(crate) fn plan_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
    /// The kernel of a step.
    pub(crate) fn kernel(&self, step: &KernelStep) -> &Known {
        &self.kernels[step.id as usize]
    }
}

/// Compiles a function and what it calls, callees first.
///
/// # Errors
/// `E0801` where kernels are missing: all rows without one are named.
pub(crate) fn compile(m: &Module, f: FuncId, options: &CompileOptions) -> Result<(Compiled, Vec<Compiled>)> {
    let kernels = &options.kernels;
    let opt = Options { replaced: &|row| kernels.replaces(row), fast_math: options.fast_math };
    let (plan, callees) = lower(m, f, opt)?;
    if cfg!(debug_assertions) {
        callees.iter().chain([&plan]).try_for_each(audit)?;
    }
    let mut missing = vec![];
    let mut all =
        callees.into_iter().chain([plan]).map(|p| one(p, kernels, &mut missing)).collect::<Result<Vec<_>>>()?;
    if let Some((first, rest)) = missing.split_first() {
        return Err(no_kernel(first, rest));
    }
    let Some(entry) = all.pop() else { return Err(Error::new("E0718", "nothing was planned")) };
    Ok((entry, all))
}
/// A row without a kernel, and the first statement of it.
type Missing = (&'static OpDef, tfc_ir::Span);

fn one(plan: Plan, kernels: &Kernels, missing: &mut Vec<Missing>) -> Result<Compiled> {
    let mut made: Vec<Option<Known>> = vec![None; plan.kernels as usize];
    block(&plan, &plan.body, kernels, &mut made, missing)?;
    // Those that are missing end the compilation.
    Ok(Compiled { kernels: made.into_iter().flatten().collect(), plan })
}
fn block(
    plan: &Plan,
    steps: &Block,
    kernels: &Kernels,
    made: &mut [Option<Known>],
    missing: &mut Vec<Missing>,
) -> Result<()> {
    for s in steps {
        if let Do::Kernel(k) = &s.what {
            let row = plan.func.op(k.op).def;
            match kernels.get(row) {
                Some(e) => {
                    let kernel = e.kernel(&Site { plan, step: k }).map_err(|e| e.or_span(s.span))?;
                    made[k.id as usize] = Some(kernel);
                }
                None if missing.iter().any(|m| std::ptr::eq(m.0, row)) => {}
                None => missing.push((row, s.span)),
            }
        }
        s.what.blocks().into_iter().try_for_each(|b| block(plan, b, kernels, made, missing))?;
    }
    Ok(())
}
fn no_kernel((row, span): &Missing, rest: &[Missing]) -> Error {
    let e = Error::new("E0801", format!("the cpu backend has no kernel for `{}`", row.name)).or_span(*span);
    let e = match row.expand {
        Expand::Derivative(_) => e.help("run the pass `expand-ad` first"),
        Expand::Composite(_) => e.help("run the pass `expand` first"),
        _ => e.help("use another backend, or add a kernel with `Kernels::with`"),
    };
    if rest.is_empty() {
        return e;
    }
    let names: Vec<String> = rest.iter().map(|m| format!("`{}`", m.0.name)).collect();
    e.note(format!("nor for {}", names.join(", ")))
}
