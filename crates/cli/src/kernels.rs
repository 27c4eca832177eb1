//! What ops from outside are computed by, for each backend.
use tfc_backends::backend::{Backend, Native, Oracle};
use tfc_backends::{cpu, interp};

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
    pub(crate) fn backends(&self) -> Vec<Box<dyn Backend>> {
        vec![Box::new(Native(self.cpu.clone())), Box::new(Oracle(self.interp.clone()))]
    }
}
