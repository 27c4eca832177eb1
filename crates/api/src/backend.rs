//! Where programs and ops run: an engine with its options, and the ops that it knows.
use crate::Kernels;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
pub use tfc_engine::Print;
use tfc_engine::{Backend as Engine, Executable, Limits, Options};
use tfc_ir::{Budget, Code, DType, Error, OpSet, Result, Tensor};

/// What programs print, on standard error, since it is no result.
pub fn to_standard_error() -> Print {
    Arc::new(|label: &str, t: &Tensor| {
        let text = tfc_frontend::data::show::show(label, t, tfc_frontend::data::show::Detail::Summary);
        // That nobody listens is no reason to fail.
        let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), text.as_bytes());
    })
}

/// The passes that run before an engine takes over, at an optimisation level from 0 to 2.
pub fn pipeline(engine: &dyn Engine, level: u8) -> tfc_passes::Pipeline {
    if engine.lowers() {
        return tfc_passes::nothing();
    }
    // What is written is run, as far as that can be, by the engine that others are compared with.
    if engine.as_written() { tfc_passes::plain() } else { tfc_passes::level(level) }
}

/// Whose memory a tensor lies in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place(u64);
impl Place {
    /// The memory of this process, in which all backends for its processor work.
    pub const HOST: Place = Place(0);
    /// A memory of its own.
    pub fn fresh() -> Place {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Place(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
/// A tensor in the memory of a backend. It is made by [`Backend::upload`] and by running, and read by [`Backend::download`];
/// nothing else moves it. Cloning shares the memory.
#[derive(Clone)]
pub struct Placed {
    place: Place,
    dtype: DType,
    shape: Vec<usize>,
    what: Arc<dyn Any + Send + Sync>,
}
impl Placed {
    /// What a backend has made: `what` is its own business.
    pub fn new(place: Place, dtype: DType, shape: &[usize], what: Arc<dyn Any + Send + Sync>) -> Placed {
        Placed { place, dtype, shape: shape.to_vec(), what }
    }
    /// Where it lies.
    pub fn place(&self) -> Place {
        self.place
    }
    /// Element type of the tensor.
    pub fn dtype(&self) -> DType {
        self.dtype
    }
    /// Extents of the tensor.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// What the backend of `place` has made.
    ///
    /// # Errors
    /// `E1012` where it lies elsewhere.
    pub fn at<T: Any + Send + Sync>(&self, place: Place) -> Result<&T> {
        self.what.downcast_ref::<T>().filter(|_| self.place == place).ok_or_else(|| {
            let text = format!("a tensor of type {}{:?} lies in the memory of another backend", self.dtype, self.shape);
            Error::new(Code::E1012, text).help("`download` it there, and `upload` it here: nothing is moved unasked")
        })
    }
}
impl std::fmt::Debug for Placed {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}{:?} at {:?}", self.dtype, self.shape, self.place)
    }
}

/// What runs programs and single ops. Tensors are made for one backend and stay with it: nothing is moved unasked.
pub trait Backend: Send + Sync {
    /// Where its tensors lie.
    fn place(&self) -> Place;
    /// Brings a tensor of this process to it.
    ///
    /// # Errors
    /// `E0705` where the memory cannot be had.
    fn upload(&self, t: &Tensor) -> Result<Placed>;
    /// Brings a tensor from it to this process.
    ///
    /// # Errors
    /// `E1012` where it lies elsewhere.
    fn download(&self, t: &Placed) -> Result<Tensor>;
    /// Runs what its engine has compiled, on tensors that lie there.
    ///
    /// # Errors
    /// `E1012` where one lies elsewhere; those of the run.
    fn run(&self, program: &dyn Executable, arguments: &[Placed]) -> Result<Vec<Placed>>;
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
    level: u8,
}
impl CpuBackend {
    /// All threads of the machine, the built-in ops.
    pub fn new() -> CpuBackend {
        CpuBackend::with_families(OpSet::core(), Kernels::default())
    }
    /// With these ops and their kernels.
    pub fn with_families(ops: OpSet, kernels: Kernels) -> CpuBackend {
        CpuBackend {
            engine: Box::new(tfc_cpu::Native(kernels.cpu)),
            options: Options::default(),
            ops: Arc::new(ops),
            limits: Limits { print: Some(to_standard_error()), ..Limits::default() },
            level: 2,
        }
    }
    /// What programs print goes there, and not to standard error.
    pub fn print_to(mut self, print: Print) -> CpuBackend {
        self.limits.print = Some(print);
        self
    }
    /// With that many threads, of which no more run than the process may use; results have the same bits for any number.
    pub fn threads(mut self, n: usize) -> CpuBackend {
        self.options.threads = n;
        self
    }
    /// Whether speed goes before exactness: denormal numbers are zeros, and a product and a sum are rounded once.
    pub fn fast_math(mut self, yes: bool) -> CpuBackend {
        self.options.fast_math = yes;
        self
    }
    /// Runs keep within this budget: its clock runs from where it was made, over all of them, and loops look at it (`E0714`); memory is
    /// what one run takes (`E0715`).
    ///
    /// ```
    /// use tfc_api::backend::CpuBackend;
    /// use tfc_ir::{Budget, Limits};
    /// let backend = CpuBackend::new().within(Budget::new(Limits { memory: Some(1 << 30), ..Limits::default() }));
    /// # let _ = backend;
    /// ```
    pub fn within(mut self, budget: Budget) -> CpuBackend {
        self.limits.budget = budget;
        self
    }
    /// Programs are rewritten by the passes of this level: 0 those that an engine needs, 1 and those that clean up and fuse, 2 (unless this is
    /// called) and those that simplify and order products anew.
    pub fn optimised(mut self, level: u8) -> CpuBackend {
        self.level = level.min(2);
        self
    }
}
impl Default for CpuBackend {
    fn default() -> Self {
        CpuBackend::new()
    }
}
impl Backend for CpuBackend {
    fn place(&self) -> Place {
        Place::HOST
    }
    /// No copy: the processor works where tensors lie.
    fn upload(&self, t: &Tensor) -> Result<Placed> {
        Ok(Placed::new(Place::HOST, t.dtype(), t.shape(), Arc::new(t.clone())))
    }
    fn download(&self, t: &Placed) -> Result<Tensor> {
        t.at::<Tensor>(Place::HOST).cloned()
    }
    fn run(&self, program: &dyn Executable, arguments: &[Placed]) -> Result<Vec<Placed>> {
        let arguments = arguments.iter().map(|t| self.download(t)).collect::<Result<Vec<_>>>()?;
        program.run(&arguments, &self.limits)?.iter().map(|t| self.upload(t)).collect()
    }
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
    fn level(&self) -> u8 {
        self.level
    }
}
