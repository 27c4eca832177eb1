//! What every backend offers: a function of a module, compiled, and run on tensors under limits. Who drives backends knows
//! them by this alone; one that is added is an entry of a list.
use tfc_ir::{Budget, Error, FuncId, Module, OpDef, Result, Tensor};

use crate::cpu::{self, Cpu};
use crate::interp::{self, Interp, Print, Watch};
pub use tfc_plan::sizes::shapes::enter;

/// What compiling may choose.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Threads (0: as many as the machine offers).
    pub threads: usize,
    /// Speed before exactness, as the backend's own page says.
    pub fast_math: bool,
}
/// Limits and outlets of a run.
#[derive(Clone, Default)]
pub struct Limits {
    /// Time (`E0714`), and memory, arguments included (`E0715`).
    pub budget: Budget,
    /// Most steps (`E0713`): ops of the interpreter, trips of compiled loops.
    pub fuel: Option<u64>,
    /// Where `print` goes; nowhere by default.
    pub print: Option<Print>,
}

/// A backend with its kernels.
pub trait Backend: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// Does it run what is written, op by op? Then passes before it only lower.
    fn as_written(&self) -> bool {
        false
    }
    /// Does it take derivatives and composites apart itself? Then no pass runs before.
    fn lowers(&self) -> bool {
        false
    }
    /// What runs programs, for people: `cpu, 2 threads, avx512`.
    fn device(&self, threads: usize) -> String;
    /// Has it a kernel for every op of the row, whatever its types?
    fn has(&self, row: &OpDef) -> bool;
    /// Has it a kernel for each op of this function?
    fn runs(&self, m: &Module, f: FuncId) -> bool;
    /// Compiles a function whose derivative ops have been expanded, unless it [lowers](Backend::lowers) them itself. The result serves every value of its extents.
    ///
    /// # Errors
    /// `E0801` a kernel is missing; what else the backend reports.
    fn compile(&self, m: Module, f: FuncId, options: &Options) -> Result<Box<dyn Executable>>;
}
/// A compiled function. Several threads may run it at once.
pub trait Executable: Send + Sync {
    /// Runs it.
    ///
    /// # Errors
    /// `E0701`–`E0704` arguments that do not fit, `E042x` a condition on extents, a limit, what ops report. The error's span
    /// is the statement's.
    fn run(&self, args: &[Tensor], limits: &Limits) -> Result<Vec<Tensor>>;
    /// As [`Executable::run`], on arguments that lie anywhere.
    ///
    /// # Errors
    /// The same.
    fn run_on(&self, args: &[&Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        self.run(&args.iter().copied().cloned().collect::<Vec<_>>(), limits)
    }
    /// The same code with memory of its own, for calls whose extents or strides differ from those of others; `None` where
    /// that makes no difference.
    fn another(&self) -> Option<Box<dyn Executable>> {
        None
    }
    /// Runs it on arguments that are given away, and puts the results into the storage of `results` where the backend can.
    ///
    /// # Errors
    /// As [`Executable::run`]; `results` is empty then.
    fn run_into(&self, args: Vec<Tensor>, results: &mut Vec<Tensor>, limits: &Limits) -> Result<()> {
        results.clear();
        results.extend(self.run(&args, limits)?);
        Ok(())
    }
    /// Runs it and shows `watch` every op.
    ///
    /// # Errors
    /// `E0811` where the backend has no single ops; as [`Executable::run`].
    fn watched(&self, _args: &[Tensor], _limits: &Limits, _watch: Watch) -> Result<Vec<Tensor>> {
        Err(Error::new("E0811", "only the interpreter shows its ops"))
    }
    /// What it was compiled into, for people.
    fn describe(&self) -> String;
    /// The program as its backend knows it, where that has more to say of it.
    fn any(&self) -> Option<&dyn std::any::Any> {
        None
    }
    /// Most bytes that the run that ended last had at one time, arguments not counted; `None` where nobody counts.
    fn peak_bytes(&self) -> Option<usize> {
        None
    }
}

/// The kernels of every backend of this build.
#[derive(Clone)]
pub struct Kernels {
    /// The interpreter's.
    pub interp: interp::Kernels,
    /// The CPU engine's.
    pub cpu: cpu::Kernels,
}
impl Default for Kernels {
    /// Those of the built-in families.
    fn default() -> Self {
        Kernels { interp: interp::Kernels::core(), cpu: cpu::Kernels::core() }
    }
}
impl Kernels {
    /// The backends of this build, with these kernels.
    pub fn backends(&self) -> Vec<Box<dyn Backend>> {
        vec![Box::new(Native(self.cpu.clone())), Box::new(Oracle(self.interp.clone()))]
    }
}

/// The interpreter.
#[derive(Clone, Default)]
pub struct Oracle(pub interp::Kernels);
struct Interpreted {
    module: Module,
    entry: FuncId,
    kernels: interp::Kernels,
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
        let (budget, fuel, print) = (limits.budget.clone(), limits.fuel, limits.print.clone());
        let options = interp::RunOptions { fuel, budget, print, watch };
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

/// The compiled engine.
#[derive(Clone, Default)]
pub struct Native(pub cpu::Kernels);
impl Native {
    fn options(&self, o: &Options) -> cpu::CompileOptions {
        cpu::CompileOptions { kernels: self.0.clone(), threads: o.threads, fast_math: o.fast_math }
    }
}
impl Backend for Native {
    fn name(&self) -> &'static str {
        "cpu"
    }
    fn device(&self, threads: usize) -> String {
        let n = cpu::threads_of(threads);
        let more =
            if n < threads { format!(" (of {threads} asked for: the process may use no more)") } else { String::new() };
        format!("cpu, {n} thread{}{more}, {}", if n == 1 { "" } else { "s" }, cpu::choice::isa())
    }
    fn has(&self, row: &OpDef) -> bool {
        self.0.has(row)
    }
    fn runs(&self, m: &Module, f: FuncId) -> bool {
        Cpu::compile(m, f, &self.options(&Options { threads: 1, ..Options::default() })).is_ok()
    }
    fn compile(&self, m: Module, f: FuncId, options: &Options) -> Result<Box<dyn Executable>> {
        Ok(Box::new(Cpu::compile(&m, f, &self.options(options))?))
    }
}
fn of_limits(l: &Limits) -> cpu::RunOptions {
    let (memory, taken) = (l.budget.limits().memory, l.budget.bytes());
    cpu::RunOptions { memory, taken, fuel: l.fuel, print: l.print.clone() }
}
impl Executable for cpu::Executable {
    fn run(&self, args: &[Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        cpu::Executable::run(self, args, &of_limits(limits))
    }
    fn run_on(&self, args: &[&Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        cpu::Executable::run_on(self, args, &of_limits(limits))
    }
    fn another(&self) -> Option<Box<dyn Executable>> {
        Some(Box::new(cpu::Executable::another(self)))
    }
    fn run_into(&self, args: Vec<Tensor>, results: &mut Vec<Tensor>, limits: &Limits) -> Result<()> {
        cpu::Executable::run_into(self, args, results, &of_limits(limits))
    }
    fn describe(&self) -> String {
        cpu::Executable::describe(self)
    }
    fn peak_bytes(&self) -> Option<usize> {
        Some(cpu::Executable::peak_bytes(self))
    }
}
