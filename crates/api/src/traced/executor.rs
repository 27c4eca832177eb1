//! Running programs: an engine compiles a program once, whatever its extents; what was compiled runs from many threads at once.
use super::graph::TracedTensor;
use super::program::GraphProgram;
use crate::backend::{Backend, Placed};
use crate::kept::Kept;
use crate::plans::CacheStats;
use std::sync::Arc;
use tfc_engine::{Executable, Limits};
use tfc_ir::{Code, Error, Result, Tensor};

/// A compiled program. It is shared between threads freely: each run has a frame of its own, nothing is locked while one runs,
/// and results have the same bits for any number of threads.
pub struct CompiledProgram {
    run: Box<dyn Executable>,
    limits: Limits,
    program: GraphProgram,
}
impl CompiledProgram {
    /// Compiles for a backend: derivatives are expanded, then it is optimised and lowered.
    ///
    /// # Errors
    /// `E05xx` an op without the derivative that is asked for, `E0801` one without a kernel.
    pub fn new(program: &GraphProgram, backend: &dyn Backend) -> Result<CompiledProgram> {
        let made = || {
            let mut module = program.module.fork();
            let passes = crate::backend::pipeline(backend.engine(), backend.level());
            passes.run(&mut module, &mut |_| {}).map_err(|e| e.error)?;
            backend.engine().compile(module, program.entry, backend.options())
        };
        let run = made().map_err(|e| program.place(e))?;
        Ok(CompiledProgram { run, limits: backend.limits().clone(), program: program.clone() })
    }
    /// Runs it: one tensor for each input, in order.
    ///
    /// # Errors
    /// `E0701`–`E0704` arguments that do not fit, `E042x` a condition on extents, a limit, what ops report.
    pub fn run(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
        self.run.run(arguments, &self.limits).map_err(|e| self.program.place(e))
    }
    /// As [`CompiledProgram::run`], of arguments that are given away; results go into the storage of `results` where that fits,
    /// so that a loop of runs allocates nothing.
    ///
    /// # Errors
    /// As [`CompiledProgram::run`]; `results` is empty then.
    pub fn run_into(&self, arguments: Vec<Tensor>, results: &mut Vec<Tensor>) -> Result<()> {
        self.run.run_into(arguments, results, &self.limits).map_err(|e| self.program.place(e))
    }
    /// What it was compiled into, for people.
    pub fn describe(&self) -> String {
        self.run.describe()
    }
    /// The program.
    pub fn program(&self) -> &GraphProgram {
        &self.program
    }
}

/// Which input of a program: a traced tensor or a name.
pub trait InputKey {
    /// Its position among the inputs of `program`.
    ///
    /// # Errors
    /// `E1008` where the program has no such input.
    fn position(&self, program: &GraphProgram) -> Result<usize>;
}
impl InputKey for &TracedTensor {
    fn position(&self, program: &GraphProgram) -> Result<usize> {
        program.inputs.iter().position(|i| i.0 == Some(self.key())).ok_or_else(|| {
            let name = self.node.hint(self.index).unwrap_or_default();
            Error::new(Code::E1008, format!("`{name}`, {self}, is no input of this program"))
                .help("a value is given to an input; a program has those inputs that its outputs are made of")
        })
    }
}
impl InputKey for &str {
    fn position(&self, program: &GraphProgram) -> Result<usize> {
        let all = program.inputs()?;
        all.iter().position(|i| i.0 == *self).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|i| i.0.as_str()).collect();
            Error::new(Code::E1008, format!("this program has no input `{}`", self.escape_debug()))
                .help(format!("it has {}", names.join(", ")))
        })
    }
}

/// Runs programs on a backend and keeps what it compiles.
///
/// ```
/// use tfc_api::prelude::*;
/// let x = TracedTensor::input("x", DType::F64, ["n"])?;
/// let program = GraphCompiler::new().compile(&(&x * &x)?.sum()?)?;
/// let executor = GraphExecutor::new(CpuBackend::new());
/// for n in [2, 3] {
///     let given = Tensor::from_column_major(&[n], vec![2.0; n])?;
///     assert_eq!(executor.run_with(&program, &[(&x, given)])?[0].item(), Some(4.0 * n as f64));
/// }
/// assert_eq!(executor.cache_stats().misses, 1);
/// # Ok::<(), Error>(())
/// ```
pub struct GraphExecutor<B: Backend> {
    backend: B,
    /// By the program.
    kept: Kept<u64, Arc<CompiledProgram>>,
}
impl<B: Backend> GraphExecutor<B> {
    /// On that backend.
    pub fn new(backend: B) -> GraphExecutor<B> {
        GraphExecutor { backend, kept: Kept::new(64) }
    }
    /// Keeps at most so many compiled programs (64 unless said).
    pub fn cache_limit(self, entries: usize) -> GraphExecutor<B> {
        self.kept.set_limit(entries);
        self
    }
    /// The backend.
    pub fn backend(&self) -> &B {
        &self.backend
    }
    /// How its cache is used.
    pub fn cache_stats(&self) -> CacheStats {
        self.kept.stats()
    }
    /// Forgets what it has compiled.
    pub fn clear_caches(&self) {
        self.kept.clear();
    }
    /// The program, compiled, to be run without a look at the cache.
    ///
    /// # Errors
    /// As [`CompiledProgram::new`].
    pub fn prepare(&self, program: &GraphProgram) -> Result<Arc<CompiledProgram>> {
        if let Some(found) = self.kept.get(&program.id, |_| true) {
            return Ok(found);
        }
        let made = Arc::new(CompiledProgram::new(program, &self.backend)?);
        self.kept.put(program.id, made.clone());
        Ok(made)
    }
    /// Runs a program on tensors that lie in the backend's memory, one for each input, in order; results stay there.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let program = trace([f64s("x", ["n"])], |[x]| Ok([(x * 2.0)?]))?;
    /// let executor = GraphExecutor::new(CpuBackend::new());
    /// let there = executor.backend().upload(&Tensor::from_rows([1.0, 2.0])?)?;
    /// let twice = executor.run_placed(&program, &executor.run_placed(&program, &[there])?)?;
    /// assert_eq!(executor.backend().download(&twice[0])?.to_vec::<f64>()?, [4.0, 8.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1012` a tensor that lies elsewhere; as [`CompiledProgram::run`].
    pub fn run_placed(&self, program: &GraphProgram, arguments: &[Placed]) -> Result<Vec<Placed>> {
        let compiled = self.prepare(program)?;
        self.backend.run(&*compiled.run, arguments).map_err(|e| program.place(e))
    }
    /// Runs a program with one output, whose inputs have values ([`TracedTensor::from_tensor`]).
    ///
    /// # Errors
    /// `E1009` where it has another number of outputs; as [`GraphExecutor::run_many`].
    pub fn run(&self, program: &GraphProgram) -> Result<Tensor> {
        let mut all = self.run_many(program)?;
        match (all.pop(), all.len()) {
            (Some(t), 0) => Ok(t),
            (last, n) => {
                let n = n + usize::from(last.is_some());
                let e = Error::new(Code::E1009, format!("`run` is for programs with one output; this one has {n}"));
                Err(e.help("use `run_many`"))
            }
        }
    }
    /// Runs a program whose inputs have values.
    ///
    /// # Errors
    /// `E1008` an input without a value; as [`CompiledProgram::run`].
    pub fn run_many(&self, program: &GraphProgram) -> Result<Vec<Tensor>> {
        self.run_with::<&str>(program, &[])
    }
    /// Runs a program with these values in place of those that inputs have, if any.
    ///
    /// # Errors
    /// `E1008` a value for something else than an input, or an input without a value; as [`CompiledProgram::run`].
    pub fn run_with<K: InputKey>(&self, program: &GraphProgram, values: &[(K, Tensor)]) -> Result<Vec<Tensor>> {
        let mut given: Vec<Option<Tensor>> = program.inputs.iter().map(|i| i.1.clone()).collect();
        for (key, value) in values {
            let at = key.position(program)?;
            if let Some(slot) = given.get_mut(at) {
                *slot = Some(value.clone());
            }
        }
        if let Some(i) = given.iter().position(Option::is_none) {
            let (name, ty) = program.inputs()?.get(i).cloned().unwrap_or_default();
            return Err(Error::new(Code::E1008, format!("input `{name}`: {ty} has no value"))
                .help("give it to `run_with`, or make the input by `TracedTensor::from_tensor`"));
        }
        let arguments: Vec<Tensor> = given.into_iter().flatten().collect();
        self.prepare(program)?.run(&arguments)
    }
}
