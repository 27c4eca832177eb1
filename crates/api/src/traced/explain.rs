//! Where a NaN or an infinity comes from.
use super::executor::CompiledProgram;
use super::program::GraphProgram;
use crate::backend::CpuBackend;
use crate::trap::{self, Origins, Trap};
use tfc_engine::{Backend as Engine, Limits, Options};
use tfc_interp::Oracle;
use tfc_ir::{Error, Result, Tensor};

impl GraphProgram {
    /// Runs the program on `arguments` and says where the first NaN or infinity of its results comes from: the op that makes it of operands
    /// without, with its place, or the input that it came in by. `None` where no result has what `traps` name.
    ///
    /// The program is run on the processor first, and where a result is caught, once more by the interpreter, one op at a time.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let program = trace([f64s("x", ["n"])], |[x]| Ok([x.log()?.sum()?]))?;
    /// let x = Tensor::from_column_major(&[2], vec![1.0, -1.0])?;
    /// let said = program.explain(&[x], &[Trap::Nan])?.expect("the logarithm of -1");
    /// assert!(said.to_string().contains("which `log` makes"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CompiledProgram::new`] and [`CompiledProgram::run`]. That a NaN was found is no error of this function: it is what it returns
    /// (`E0732`).
    pub fn explain(&self, arguments: &[Tensor], traps: &[Trap]) -> Result<Option<Error>> {
        let limits = Limits::default();
        let names: Vec<String> = self.outputs()?.into_iter().map(|o| o.0).collect();
        let results = CompiledProgram::new(self, &CpuBackend::new())?.run(arguments)?;
        let Some((i, text)) = trap::find(&names, &results, traps, &limits.budget)? else { return Ok(None) };
        let oracle = Oracle(tfc_interp::Kernels::core());
        let followed = || {
            let mut module = self.module.fork();
            // What no result needs may fail where the processor has not run it.
            for passes in [tfc_passes::Pipeline::parse("dce")?, crate::backend::pipeline(&oracle, 0)] {
                passes.run(&mut module, &mut |_| {}).map_err(|e| e.error)?;
            }
            let inputs: Vec<String> = self.inputs()?.iter().map(|i| i.0.clone()).collect();
            let run = oracle.compile(module, self.entry, &Options::default())?;
            let origins = Origins::new(traps, &inputs, arguments, &limits.budget);
            trap::follow(origins, |watch| run.watched(arguments, &limits, watch))
        };
        let said = followed().ok().and_then(|(origins, again)| {
            Some(origins.explain(again.get(i)?, &text, &self.module.func_name(self.entry), self.source()))
        });
        Ok(Some(said.map_or_else(|| trap::unexplained(&text), |e| self.place(e))))
    }
}
