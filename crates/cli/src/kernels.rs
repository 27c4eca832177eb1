//! What ops from outside are computed by, for each backend.
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
