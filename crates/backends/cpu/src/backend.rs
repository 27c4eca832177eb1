//! The compiled engine as a backend.
use crate::{CompileOptions, Cpu, Kernels, RunOptions, choice, threads_of};
use tfc_engine::{Backend, Limits, Options};
use tfc_ir::{FuncId, Module, OpDef, Result, Tensor};

/// The compiled engine.
#[derive(Clone, Default)]
pub struct Native(pub Kernels);
impl Native {
    fn options(&self, o: &Options) -> CompileOptions {
        CompileOptions { kernels: self.0.clone(), threads: o.threads, fast_math: o.fast_math }
    }
}
impl Backend for Native {
    fn name(&self) -> &'static str {
        "cpu"
    }
    fn device(&self, threads: usize) -> String {
        let n = threads_of(threads);
        let more =
            if n < threads { format!(" (of {threads} asked for: the process may use no more)") } else { String::new() };
        format!("cpu, {n} thread{}{more}, {}", if n == 1 { "" } else { "s" }, choice::isa())
    }
    fn has(&self, row: &OpDef) -> bool {
        self.0.has(row)
    }
    fn runs(&self, m: &Module, f: FuncId) -> bool {
        Cpu::compile(m, f, &self.options(&Options { threads: 1, ..Options::default() })).is_ok()
    }
    fn compile(&self, m: Module, f: FuncId, options: &Options) -> Result<Box<dyn tfc_engine::Executable>> {
        Ok(Box::new(Cpu::compile(&m, f, &self.options(options))?))
    }
}
fn of_limits(l: &Limits) -> RunOptions {
    let (memory, taken) = (l.budget.limits().memory, l.budget.bytes());
    let budget = Some(l.budget.clone());
    let (print, profile, progress) = (l.print.clone().map(Into::into), l.profile.clone(), l.progress.clone());
    RunOptions { memory, taken, budget, fuel: l.fuel, print, profile, progress }
}
impl tfc_engine::Executable for crate::Executable {
    fn run(&self, args: &[Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        crate::Executable::run(self, args, &of_limits(limits))
    }
    fn run_on(&self, args: &[&Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        crate::Executable::run_on(self, args, &of_limits(limits))
    }
    fn another(&self) -> Option<Box<dyn tfc_engine::Executable>> {
        Some(Box::new(crate::Executable::another(self)))
    }
    fn run_into(&self, args: Vec<Tensor>, results: &mut Vec<Tensor>, limits: &Limits) -> Result<()> {
        crate::Executable::run_into(self, args, results, &of_limits(limits))
    }
    fn has_step_times(&self) -> bool {
        true
    }
    fn describe(&self) -> String {
        crate::Executable::describe(self)
    }
    fn peak_bytes(&self) -> Option<usize> {
        Some(crate::Executable::peak_bytes(self))
    }
}
