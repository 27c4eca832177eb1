//! The interpreter as a backend.
use crate::{Interp, Kernels, RunOptions};
use tfc_engine::{Backend, Executable, Limits, Options, Watch};
use tfc_ir::{FuncId, Module, OpDef, Result, Tensor};

/// The interpreter.
#[derive(Clone, Default)]
pub struct Oracle(pub Kernels);
struct Interpreted {
    module: Module,
    entry: FuncId,
    kernels: Kernels,
}
impl Backend for Oracle {
    fn name(&self) -> &'static str {
        "interp"
    }
    fn as_written(&self) -> bool {
        true
    }
    fn device(&self, _: usize) -> String {
        "interp, 1 thread".into()
    }
    fn has(&self, row: &OpDef) -> bool {
        self.0.has(row)
    }
    fn runs(&self, m: &Module, f: FuncId) -> bool {
        let interp = Interp::new(m).with_kernels(self.0.clone());
        m.try_func(f).is_some_and(|f| interp.missing(&f).is_empty())
    }
    fn compile(&self, m: Module, f: FuncId, _: &Options) -> Result<Box<dyn Executable>> {
        Ok(Box::new(Interpreted { module: m, entry: f, kernels: self.0.clone() }))
    }
}
impl Interpreted {
    fn go(&self, args: &[Tensor], limits: &Limits, watch: Option<Watch>) -> Result<Vec<Tensor>> {
        let (budget, fuel, print) = (limits.budget.clone(), limits.fuel, limits.print.clone().map(Into::into));
        let options = RunOptions { fuel, budget, print, watch };
        Interp::new(&self.module).with_kernels(self.kernels.clone()).run(self.entry, args, &options)
    }
}
impl Executable for Interpreted {
    fn run(&self, args: &[Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        self.go(args, limits, None)
    }
    fn watched(&self, args: &[Tensor], limits: &Limits, watch: Watch) -> Result<Vec<Tensor>> {
        self.go(args, limits, Some(watch))
    }
    fn describe(&self) -> String {
        format!("@{}: interpreted, one op at a time\n", self.module.func_name(self.entry))
    }
}
