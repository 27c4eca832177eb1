//! From functions to compiled ones: each is planned, its plan checked, its regions compiled, a kernel made for each step that
//! has one.
use tfc_ir::op::Expand;
use tfc_ir::{Error, FuncId, Module, OpDef, Result};

use super::compiled::{Compiled, Fused};
use super::dot::epilogue::NEAR;
use super::fused::program::Program;
use super::fused::rows::MOST_PHASES;
use super::kernel::{Known, Site};
use super::kernels::Kernels;
use super::options::CompileOptions;
use super::scalars::program::Scalars;
use tfc_plan::plan::audit::audit;
use tfc_plan::plan::{Block, Callee, Callees, Do, Plan, Target, lower};
use tfc_plan::region::phases::Graph;

/// The engine while a function is planned: its fused regions so far.
struct Engine<'a> {
    kernels: &'a Kernels,
    fused: Vec<Fused>,
}
impl Target for Engine<'_> {
    fn replaces(&self, row: &OpDef) -> bool {
        self.kernels.replaces(row)
    }
    fn most_phases(&self) -> usize {
        MOST_PHASES
    }
    fn joins(&self, elements: Option<i64>) -> bool {
        elements.is_none_or(|n| n >= NEAR as i64)
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
    let (mut callees, mut all, mut missing) = (Callees::new(), vec![], vec![]);
    // Without an instruction for it, contraction would be slow.
    let contract = options.fast_math && crate::vmath::Isa::chosen().is_some();
    let called = m.callees_first([f], |_| false).into_iter().filter(|&g| g != f);
    for (g, nested) in called.map(|g| (g, true)).chain([(f, false)]) {
        let mut engine = Engine { kernels: &options.kernels, fused: vec![] };
        let plan = lower::plan(m, g, &mut engine, &callees, nested, contract)?;
        if cfg!(debug_assertions) {
            audit(&plan)?;
        }
        let (name, depth, frames) = (plan.func.name.clone(), plan.depth, plan.frames);
        callees.insert(g, Callee { plan: all.len() as u32, name, depth, frames });
        let mut made: Vec<Option<Known>> = vec![None; plan.kernels as usize];
        block(&plan, &plan.body, &options.kernels, &mut made, &mut missing)?;
        // Where one is missing, compilation ends below.
        all.push(Compiled::new(plan, made.into_iter().flatten().collect(), engine.fused));
    }
    if let Some((first, rest)) = missing.split_first() {
        return Err(no_kernel(first, rest));
    }
    let Some(entry) = all.pop() else { return Err(Error::new("E0718", "nothing was planned")) };
    Ok((entry, all))
}
/// A row without a kernel, and the first statement of it.
type Missing = (&'static OpDef, tfc_ir::Span);

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
