//! A GPU as a backend: programs run on tensors in its memory.
use std::sync::Arc;

use tfc_cuda::backend::{Cuda, Program, device_named};
use tfc_cuda::device::Device;
use tfc_cuda::ops::Steps;
use tfc_cuda::resident::Resident;
use tfc_engine::{Backend as Engine, Executable, Limits, Options};
use tfc_ir::{Code, Error, OpSet, Result, Tensor};

use crate::backend::{Backend, Place, Placed, to_standard_error};

/// Programs as CUDA kernels. Its tensors lie in the memory of the device; [`Backend::upload`] and [`Backend::download`] are what moves
/// them. Running starts work and does not wait for it, where the program does not ask for a value.
///
/// ```no_run
/// use tfc_api::prelude::*;
/// let program = trace([f64s("x", ["n"])], |[x]| Ok([(x * 2.0)?]))?;
/// let executor = GraphExecutor::new(CudaBackend::new(0)?);
/// let there = executor.backend().upload(&Tensor::from_rows([1.0, 2.0])?)?;
/// let twice = executor.run_placed(&program, &executor.run_placed(&program, &[there])?)?;
/// assert_eq!(executor.backend().download(&twice[0])?.to_vec::<f64>()?, [4.0, 8.0]);
/// # Ok::<(), Error>(())
/// ```
pub struct CudaBackend {
    device: Arc<dyn Device>,
    engine: Cuda,
    options: Options,
    ops: Arc<OpSet>,
    limits: Limits,
    place: Place,
}
impl CudaBackend {
    /// On the GPU of that number, with the built-in ops.
    ///
    /// # Errors
    /// `E1305` there is no driver or no such GPU; `E1301` there is no NVRTC.
    pub fn new(ordinal: u32) -> Result<CudaBackend> {
        Ok(CudaBackend::on(device_named(Some(&ordinal.to_string()))?))
    }
    /// On any device: `tfc_cuda::host::Host` is one, for tests.
    pub fn on(device: Arc<dyn Device>) -> CudaBackend {
        CudaBackend::with_families(device, OpSet::core(), Steps::default())
    }
    /// With these ops, and what they have for kernels.
    pub fn with_families(device: Arc<dyn Device>, ops: OpSet, steps: Steps) -> CudaBackend {
        CudaBackend {
            engine: Cuda::new(device.clone()).with_steps(steps),
            device,
            options: Options::default(),
            ops: Arc::new(ops),
            limits: Limits { print: Some(to_standard_error()), ..Limits::default() },
            place: Place::fresh(),
        }
    }
    /// Products may be less exact where that is faster (TF32).
    #[must_use]
    pub fn fast_math(mut self, yes: bool) -> CudaBackend {
        self.options.fast_math = yes;
        self
    }
}
impl Backend for CudaBackend {
    fn place(&self) -> Place {
        self.place
    }
    fn upload(&self, t: &Tensor) -> Result<Placed> {
        let there = Resident::upload(&self.device, t)?;
        Ok(Placed::new(self.place, t.dtype(), t.shape(), Arc::new(there)))
    }
    fn download(&self, t: &Placed) -> Result<Tensor> {
        t.at::<Resident>(self.place)?.download()
    }
    fn run(&self, program: &dyn Executable, arguments: &[Placed]) -> Result<Vec<Placed>> {
        let Some(program) = program.any().and_then(|p| p.downcast_ref::<Program>()) else {
            return Err(Error::new(Code::E1012, "the program was compiled by another backend")
                .help("compile it by the executor that runs it"));
        };
        let arguments = arguments.iter().map(|t| t.at::<Resident>(self.place)).collect::<Result<Vec<_>>>()?;
        let results = program.run_resident(&arguments, &self.limits)?;
        let placed = |t: Resident| Placed::new(self.place, t.dtype(), &t.shape().to_vec(), Arc::new(t));
        Ok(results.into_iter().map(placed).collect())
    }
    fn engine(&self) -> &dyn Engine {
        &self.engine
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
