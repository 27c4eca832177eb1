//! From functions to compiled ones: each is planned, its regions compiled and a kernel made for each step that has one on the
//! way, its plan checked.
use tfc_ir::op::Expand;
use tfc_ir::verify::Checked;
use tfc_ir::{Code, Error, Func, FuncId, Module, OpDef, Result};

use super::compiled::{Compiled, Fused};
use super::fused::program::Program;
use super::fused::rows::MOST_PHASES;
use super::kernel::{Known, Site};
use super::kernels::Kernels;
use super::options::CompileOptions;
use super::scalars::program::Scalars;
use tfc_plan::plan::audit::audit;
use tfc_plan::plan::{Callee, Callees, KernelStep, Target, lower};
use tfc_plan::region::phases::Graph;

/// The engine while a function is planned: its kernels and fused regions so far.
struct Engine<'a> {
    kernels: &'a Kernels,
    /// By number of the step.
    made: Vec<Option<Known>>,
    fused: Vec<Fused>,
    missing: &'a mut Vec<Missing>,
}
impl Target for Engine<'_> {
    fn replaces(&self, row: &OpDef) -> bool {
        self.kernels.replaces(row)
    }
    fn most_phases(&self) -> usize {
        MOST_PHASES
    }
    fn kernel(&mut self, func: &Func, step: &KernelStep) -> Result<()> {
        let op = func.op(step.op);
        let made = match self.kernels.get(op.def) {
            Some(e) => Some(e.kernel(&Site { func, step })?),
            None => None,
        };
        if made.is_none() && !self.missing.iter().any(|m| std::ptr::eq(m.0, op.def)) {
            self.missing.push((op.def, op.span));
        }
        self.made.push(made);
        Ok(())
    }
    fn parts(&self) -> bool {
        true
    }
    fn factor(&self, stored: tfc_ir::DType, wide: tfc_ir::DType) -> bool {
        crate::dot::small::reads(stored, wide)
    }
    fn joins(&self, func: &Func, step: &KernelStep) -> bool {
        let known = self.made.get(step.id as usize).and_then(Option::as_ref);
        known.is_some_and(|k| k.kernel.joins(&Site { func, step }))
    }
    fn fused(&mut self, g: &Graph, outs: &[(u32, u32)], loops: usize, hot: bool) -> Result<Vec<(u32, u32)>> {
        let program = Program::new(g.cut(outs))?;
        let scalars = if loops == 0 { Scalars::new(g, outs, hot) } else { None };
        let in_place = program.in_place.clone();
        self.fused.push(Fused { program, scalars });
        Ok(in_place)
    }
}

/// Compiles a function and what it calls, each once, callees first: none of it by recursion, however deep calls are.
///
/// # Errors
/// `E0801` where kernels are missing: all rows without one are named.
pub(crate) fn compile(m: &Module, f: FuncId, options: &CompileOptions) -> Result<(Compiled, Vec<Compiled>)> {
    let checked = Checked::of(m, f)?;
    let (mut callees, mut all, mut missing) = (Callees::new(), vec![], vec![]);
    // Without an instruction for it, contraction would be slow.
    let contract = options.fast_math && tfc_kernels::vmath::Isa::chosen().is_some();
    let called = checked.module().callees_first([f], |_| false).into_iter().filter(|&g| g != f);
    for (g, nested) in called.map(|g| (g, true)).chain([(f, false)]) {
        let mut engine = Engine { kernels: &options.kernels, made: vec![], fused: vec![], missing: &mut missing };
        let plan = lower::plan(&checked, g, &mut engine, &callees, nested, contract)?;
        if cfg!(debug_assertions) {
            audit(&plan)?;
        }
        let (name, depth, frames) = (plan.func.name.clone(), plan.depth, plan.frames);
        callees.insert(g, Callee { plan: all.len() as u32, name, depth, frames });
        // Where one is missing, compilation ends below.
        all.push(Compiled::new(plan, engine.made.into_iter().flatten().collect(), engine.fused));
    }
    if let Some((first, rest)) = missing.split_first() {
        return Err(no_kernel(first, rest));
    }
    let Some(entry) = all.pop() else { return Err(Error::bug(Code::E0718, "nothing was planned")) };
    Ok((entry, all))
}
/// A row without a kernel, and the first statement of it.
type Missing = (&'static OpDef, tfc_ir::Span);

fn no_kernel((row, span): &Missing, rest: &[Missing]) -> Error {
    let e = Error::new(Code::E0801, format!("the cpu backend has no kernel for `{}`", row.name)).or_span(*span);
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
