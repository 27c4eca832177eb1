//! GPUs as backends: programs run on tensors in their memory.
use std::sync::Arc;

use tfc_device::backend::{OnDevice, Program};
use tfc_device::device::Device;
use tfc_device::dialect::Dialect;
use tfc_device::resident::Resident;
use tfc_device::steps::Steps;
use tfc_engine::{Backend as Engine, Executable, Limits, Options};
use tfc_ir::{Code, Error, OpSet, Result, Tensor};

use crate::backend::{Backend, Place, Placed, to_standard_error};

/// Programs as kernels of a dialect. Its tensors lie in the memory of the device; [`Backend::upload`] and [`Backend::download`] are what
/// moves them. Running starts work and does not wait for it, where the program does not ask for a value.
pub struct DeviceBackend<D: Dialect> {
    device: Arc<dyn Device>,
    engine: OnDevice<D>,
    options: Options,
    ops: Arc<OpSet>,
    limits: Limits,
    place: Place,
}
/// Programs as CUDA kernels, on GPUs of NVIDIA.
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
#[cfg(feature = "cuda")]
pub type CudaBackend = DeviceBackend<tfc_cuda::backend::Cpp>;
#[cfg(feature = "cuda")]
impl CudaBackend {
    /// On the GPU of that number, with the built-in ops.
    ///
    /// # Errors
    /// `E1305` there is no driver or no such GPU; `E1301` there is no NVRTC.
    pub fn new(ordinal: u32) -> Result<CudaBackend> {
        Ok(CudaBackend::on(tfc_cuda::backend::device_named(Some(&ordinal.to_string()))?))
    }
}
/// Programs as WGSL, on any GPU that Vulkan, Metal or Direct3D 12 reach.
///
/// ```no_run
/// use tfc_api::prelude::*;
/// let program = trace([f32s("x", ["n"])], |[x]| Ok([(&x * &x)?]))?;
/// let executor = GraphExecutor::new(GpuBackend::new(None)?);
/// let there = executor.backend().upload(&Tensor::from_rows([1.0f32, 2.0])?)?;
/// let squares = executor.run_placed(&program, &[there])?;
/// assert_eq!(executor.backend().download(&squares[0])?.to_vec::<f32>()?, [1.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
#[cfg(feature = "gpu")]
pub type GpuBackend = DeviceBackend<tfc_gpu::backend::Wgsl>;
#[cfg(feature = "gpu")]
impl GpuBackend {
    /// On the adapter of that number in the list of `tfc doctor`, or on the first that is no software, with the built-in ops.
    ///
    /// # Errors
    /// `E1305` there is none.
    pub fn new(adapter: Option<u32>) -> Result<GpuBackend> {
        let name = adapter.map(|n| n.to_string());
        Ok(GpuBackend::on(tfc_gpu::backend::adapter_named(name.as_deref())?))
    }
}
impl<D: Dialect> DeviceBackend<D> {
    /// On any device that takes the dialect: `tfc_cuda::host::Host` is one for CUDA C, for tests.
    pub fn on(device: Arc<dyn Device>) -> Self {
        Self::with_families(device, OpSet::core(), Steps::default())
    }
    /// With these ops, and what they have for kernels.
    pub fn with_families(device: Arc<dyn Device>, ops: OpSet, steps: Steps<D>) -> Self {
        DeviceBackend {
            engine: OnDevice::new(device.clone()).with_steps(steps),
            device,
            options: Options::default(),
            ops: Arc::new(ops),
            limits: Limits { print: Some(to_standard_error()), ..Limits::default() },
            place: Place::fresh(),
        }
    }
    /// Products may be less exact where that is faster (TF32).
    #[must_use]
    pub fn fast_math(mut self, yes: bool) -> Self {
        self.options.fast_math = yes;
        self
    }
}
impl<D: Dialect> Backend for DeviceBackend<D> {
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
