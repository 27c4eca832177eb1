//! What every sweep works with: the ops, the kernels, the excuses, and where it puts what it finds.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;

use tfc_api::Kernels;
use tfc_engine::{Backend, Executable, Limits, Options};
use tfc_interp::{Interp, RunOptions};
use tfc_ir::sample::{Sample, SampleCx};
use tfc_ir::{DType, FuncId, Module, OpDef, OpSet, Tensor, Type};
use tfc_passes::{PassError, Pipeline};

use crate::tensors::moved;
use crate::{Exceptions, Listed, Part};

/// A step of a check, or what is wrong.
pub(crate) type Checked<T = ()> = Result<T, String>;
pub(crate) fn show(e: impl Display) -> String {
    e.to_string()
}

/// What one sweep found of one row.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) faults: Vec<String>,
    pub(crate) cases: usize,
    pub(crate) counts: BTreeMap<&'static str, usize>,
    /// What ran and was right, of which dtype.
    pub(crate) ran: BTreeSet<(DType, Part)>,
}
impl Found {
    pub(crate) fn fault(&mut self, text: impl Into<String>) {
        self.faults.push(text.into());
    }
    /// One case more, named where it is a fault.
    pub(crate) fn case(&mut self, done: Checked, name: impl FnOnce() -> String) {
        self.cases += 1;
        if let Err(e) = done {
            self.fault(format!("{}: {e}", name()));
        }
    }
    pub(crate) fn count(&mut self, what: &'static str, n: usize) {
        *self.counts.entry(what).or_default() += n;
    }
}

/// What sweeps work with.
pub(crate) struct Cx<'a> {
    pub(crate) ops: Arc<OpSet>,
    pub(crate) kernels: &'a Kernels,
    pub(crate) exceptions: &'a Exceptions<'a>,
}
impl Cx<'_> {
    pub(crate) fn module(&self) -> Module {
        Module::new(self.ops.clone())
    }
    /// A fresh module with the samples of a row.
    pub(crate) fn samples(&self, def: &'static OpDef, dtype: DType) -> Checked<(Module, Vec<Sample>)> {
        let m = self.module();
        let list = (def.sample)(&SampleCx { m: &m, def, dtype });
        let list = list.map_err(|e| format!("the {dtype} sample does not build: {e}"))?;
        Ok((m, list))
    }
    /// As [`Cx::samples`] for a sweep: a row whose samples cannot be built has one fault, and no sample.
    pub(crate) fn samples_or_fault(
        &self,
        def: &'static OpDef,
        dtype: DType,
        found: &mut Found,
    ) -> (Module, Vec<Sample>) {
        self.samples(def, dtype).unwrap_or_else(|e| {
            found.fault(e);
            (self.module(), vec![])
        })
    }
    /// The interpreter's results.
    pub(crate) fn interp(&self, m: &Module, f: FuncId, args: &[Tensor]) -> tfc_ir::Result<Vec<Tensor>> {
        Interp::new(m).with_kernels(self.kernels.interp.clone()).run(f, args, &RunOptions::default())
    }
    /// The backends that are compared with the interpreter.
    pub(crate) fn others(&self) -> Vec<Box<dyn Backend>> {
        self.kernels.backends().into_iter().filter(|b| !b.as_written()).collect()
    }
}
/// Compiles a function.
pub(crate) fn compile(b: &dyn Backend, m: &Module, f: FuncId, threads: usize) -> Checked<Box<dyn Executable>> {
    let options = Options { threads, ..Options::default() };
    b.compile(m.fork(), f, &options).map_err(|e| format!("{} compiles: {e}", b.name()))
}
pub(crate) fn run(exe: &dyn Executable, args: &[Tensor]) -> tfc_ir::Result<Vec<Tensor>> {
    exe.run(args, &Limits::default())
}
/// Inputs for samples of the row: iterated functions of large complex numbers leave every range, so those of rows with regions
/// are made smaller.
pub(crate) fn tame(def: &OpDef, x: Vec<Tensor>) -> Checked<Vec<Tensor>> {
    let small = |x: Tensor| if x.dtype().is_complex() { moved(&x, &x, -0.8) } else { Ok(x) };
    if def.regions.is_empty() { Ok(x) } else { x.into_iter().map(small).collect() }
}
/// Whether the row is on the list.
pub(crate) fn listed(list: Listed, def: &OpDef) -> bool {
    list.iter().any(|l| l.0 == def.name)
}
/// Without derivative ops and composites, otherwise as written.
pub(crate) fn expand(m: &mut Module) -> Result<(), PassError> {
    Pipeline::parse("expand-ad,expand")?.run(m, &mut |_| {}).map(|_| ())
}
/// The module at a level of optimisation.
pub(crate) fn lowered(m: &Module, level: u8) -> Checked<Module> {
    let mut plain = m.fork();
    tfc_passes::level(level).run(&mut plain, &mut |_| {}).map_err(|e| format!("lowering: {e}"))?;
    Ok(plain)
}
/// The types of tensors.
pub(crate) fn types(of: &[Tensor]) -> Vec<Type> {
    of.iter().map(|t| Type::exact(t.dtype(), t.shape())).collect()
}
/// How far numbers may be apart that two orders of the operations of a module give: by the coarsest floats in it. `None`: there
/// are none coarser than doubles.
pub(crate) fn coarse(m: &Module) -> Option<f64> {
    let dtypes = || m.funcs().into_iter().flat_map(|(_, f)| f.values.iter().map(|v| v.ty.dtype).collect::<Vec<_>>());
    let small = dtypes().filter(|d| d.is_small() && d.is_float()).map(|d| 16.0 * d.epsilon());
    let single = dtypes().any(|d| matches!(d, DType::F32 | DType::C32)).then_some(1e-5);
    small.reduce(f64::max).or(single)
}
