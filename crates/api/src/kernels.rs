//! The kernels of the backends that every build has.
use tfc_cpu::Native;
use tfc_engine::Backend;
use tfc_interp::Oracle;

/// The kernels of every backend of this build.
#[derive(Clone)]
pub struct Kernels {
    /// The interpreter's.
    pub interp: tfc_interp::Kernels,
    /// The CPU engine's.
    pub cpu: tfc_cpu::Kernels,
}
impl Default for Kernels {
    /// The kernels of the built-in families.
    fn default() -> Self {
        Kernels { interp: tfc_interp::Kernels::core(), cpu: tfc_cpu::Kernels::core() }
    }
}
impl Kernels {
    /// The backends of this build, with these kernels.
    pub fn backends(&self) -> Vec<Box<dyn Backend>> {
        vec![Box::new(Native(self.cpu.clone())), Box::new(Oracle(self.interp.clone()))]
    }
}
