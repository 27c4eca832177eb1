//! What every backend offers: a function of a module, compiled, and run on tensors under limits. Who drives backends knows
//! them by this alone; one that is added is an entry of a list.
use std::sync::Arc;
use tfc_ir::{Budget, Code, Error, FuncId, Module, OpDef, Result, Span, Tensor};

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
    /// Collects what each step takes, on engines that say it ([`Executable::has_step_times`]).
    pub profile: Option<crate::Profile>,
    /// Told how far the loops are that are inside of no other, on engines that run loops trip by trip.
    pub progress: Option<crate::Progress>,
}

/// A backend with its kernels.
pub trait Backend: Send + Sync {
    /// Name of the engine on the command line.
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
    /// Whether the engine has a kernel for every op of the row, whatever its types.
    fn has(&self, row: &OpDef) -> bool;
    /// Whether the engine has a kernel for each op of this function.
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
        Err(Error::new(Code::E0811, "only the interpreter shows its ops"))
    }
    /// Whether it says what its steps take ([`Limits::profile`]).
    fn has_step_times(&self) -> bool {
        false
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

/// An op that has run.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Row of the op.
    pub def: &'static OpDef,
    /// Place of the op in the source.
    pub span: Span,
    /// How deep in calls and regions it stands. The ops of its own regions and callees have come before it, deeper.
    pub depth: usize,
    /// Operands of the op.
    pub operands: &'a [Tensor],
    /// Results of the op.
    pub results: &'a [Tensor],
}
/// Sees every op of a run, after it.
pub type Watch = Arc<dyn Fn(&Step) + Send + Sync>;

/// Receives what `print` prints.
pub type Print = Arc<dyn Fn(&str, &Tensor) + Send + Sync>;
