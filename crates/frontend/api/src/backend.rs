//! Where programs and ops run: an engine with its options, and the ops that it knows.
use std::sync::Arc;
use tfc_backends::backend::{Backend as Engine, Kernels, Limits, Options};
use tfc_ir::OpSet;

/// The passes that run before an engine takes over, at an optimisation level from 0 to 2.
pub fn pipeline(engine: &dyn Engine, level: u8) -> tfc_passes::Pipeline {
    // What is written is run, as far as that can be, by the engine that others are compared with.
    tfc_passes::level(if engine.as_written() { 0 } else { level })
}

/// What runs programs and single ops. Tensors are made for one backend and stay with it: nothing is moved unasked.
pub trait Backend: Send + Sync {
    /// The engine that compiles and runs.
    fn engine(&self) -> &dyn Engine;
    /// What compiling may choose.
    fn options(&self) -> &Options;
    /// The ops that programs may hold.
    fn ops(&self) -> &Arc<OpSet>;
    /// Limits of each run.
    fn limits(&self) -> &Limits;
    /// Optimisation level, 0 to 2.
    fn level(&self) -> u8 {
        2
    }
}

/// The compiled engine on this machine's processor.
pub struct CpuBackend {
    engine: Box<dyn Engine>,
    options: Options,
    ops: Arc<OpSet>,
    limits: Limits,
}
impl CpuBackend {
    /// All threads of the machine, the built-in ops.
    pub fn new() -> CpuBackend {
        CpuBackend::with_families(OpSet::core(), Kernels::default())
    }
    /// With these ops and their kernels.
    pub fn with_families(ops: OpSet, kernels: Kernels) -> CpuBackend {
        CpuBackend {
            engine: Box::new(tfc_backends::backend::Native(kernels.cpu)),
            options: Options::default(),
            ops: Arc::new(ops),
            limits: Limits::default(),
        }
    }
    /// With that many threads; results have the same bits for any number.
    pub fn threads(mut self, n: usize) -> CpuBackend {
        self.options.threads = n;
        self
    }
}
impl Default for CpuBackend {
    fn default() -> Self {
        CpuBackend::new()
    }
}
impl Backend for CpuBackend {
    fn engine(&self) -> &dyn Engine {
        &*self.engine
    }
    fn options(&self) -> &Options {
        &self.options
    }
    fn ops(&self) -> &Arc<OpSet> {
        &self.ops
    }
    fn limits(&self) -> &Limits {
        &self.limits
    }
}
