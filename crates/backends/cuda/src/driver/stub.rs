//! The driver's functions where there is no GPU: calls are written down and checked as far as that can be done without one. Kernels run
//! on this machine ([`Host`]), routines of libraries are stand-ins that compute the same by the textbook, in double precision, and choose
//! signs and phases of vectors otherwise than this crate does.
//!
//! As with a device, what goes wrong in a kernel is not known when it is started, but when somebody waits.
//!
//! What is checked: addresses and lifetimes (by [`Host`]); that work memory is as much as was asked for and is not relied on; that
//! nothing waits while a graph is taken down; that what a graph reads lives as long as it; that memory taken in a graph is given
//! back in it; that calls of libraries keep to their documentation.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tfc_ir::{Code, DType, Error, Result};

use super::{Bindings, PRODUCT_WORK, standin};
use crate::device::{Arg, Device, Fetched, Module, Ptr, Shape};
use crate::host::Host;
use crate::libraries::{Added, Call, LineKind, Lines, Plus, Product, Routine, Substitution};
use crate::run::product::COLUMN_ALIGNED;
use crate::text::Source;

/// What a graph does.
enum Op {
    Upload(Ptr, Weak<[u8]>),
    Copy(Ptr, Ptr, usize),
    Launch(Arc<dyn Module>, String, Shape, Vec<Arg>),
    Product(Product, (Ptr, usize)),
    Substitution(Substitution),
    Transform(Lines, Ptr, Ptr),
}
#[derive(Default)]
struct Graph {
    ops: Vec<Op>,
    /// Memory that was taken in it, and whether it was given back.
    memory: BTreeMap<Ptr, bool>,
}
#[derive(Default)]
struct State {
    /// Names of calls, in order.
    calls: Vec<&'static str>,
    capture: Option<Graph>,
    graphs: BTreeMap<u64, Graph>,
    plans: BTreeMap<i32, (Lines, usize)>,
    made: u64,
    /// The call of a solver whose work memory was asked for last.
    asked: Option<Call>,
    /// Functions of the solver that were asked for, and that it does not have.
    probed: BTreeSet<&'static str>,
    lacks: BTreeSet<&'static str>,
    /// What went wrong since somebody waited.
    fault: Option<Error>,
    /// Bytes by address, and their sum.
    memory: BTreeMap<Ptr, usize>,
    used: usize,
}
struct Inner {
    host: Host,
    /// Bytes that there are.
    most: usize,
    state: Mutex<State>,
}
/// Bindings to nothing.
pub struct Stub(Arc<Inner>);

fn wrong(what: impl Into<String>) -> Error {
    Error::new(Code::E1303, what)
}
impl Stub {
    /// With this machine in the place of a GPU.
    ///
    /// # Errors
    /// As [`Host::new`].
    pub fn new() -> Result<Stub> {
        Stub::with_memory(usize::MAX)
    }
    /// The same with that many bytes of memory.
    ///
    /// # Errors
    /// As [`Host::new`].
    pub fn with_memory(most: usize) -> Result<Stub> {
        Ok(Stub(Arc::new(Inner { host: Host::new()?, most, state: Mutex::default() })))
    }
    /// From now on the solver does not have that function, as older ones do not, or cuBLASLt no algorithm for that call.
    pub fn lack(&self, symbol: &'static str) {
        self.0.state().lacks.insert(symbol);
    }
    /// Names of the calls so far, which are then forgotten.
    pub fn calls(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.0.state().calls)
    }
}
impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn called(&self, name: &'static str) {
        self.state().calls.push(name);
    }
    /// Takes an operation down, if a graph is; else it is to be run.
    fn taken(&self, op: impl FnOnce() -> Op) -> bool {
        match &mut self.state().capture {
            Some(g) => {
                g.ops.push(op());
                true
            }
            None => false,
        }
    }
    /// What has gone wrong, for who waits.
    fn waited(&self) -> Result<()> {
        let fault = self.state().fault.take();
        match fault {
            Some(e) => Err(wrong("cuStreamSynchronize says CUDA_ERROR_LAUNCH_FAILED").note(e.data().message.clone())),
            None => Ok(()),
        }
    }
    /// Starts a kernel, unless something has gone wrong before.
    fn launch(&self, module: &dyn Module, kernel: &str, shape: Shape, args: &[Arg]) {
        if self.state().fault.is_none()
            && let Err(e) = module.launch(kernel, shape, args)
        {
            self.state().fault = Some(e);
        }
    }
    fn no_capture(&self, what: &str) -> Result<()> {
        if self.state().capture.is_some() {
            return Err(wrong(format!("{what} says CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED")));
        }
        Ok(())
    }
    fn work(&self, p: Ptr, bytes: usize, need: usize) -> Result<()> {
        if bytes < need {
            return Err(wrong(format!("work memory of {bytes} bytes where {need} were asked for")));
        }
        if bytes > 0 {
            // Whatever was there, a library may write there.
            self.host.upload(p, &vec![0xA5; bytes.min(4096)])?;
        }
        Ok(())
    }
    fn run(&self, op: &Op) -> Result<()> {
        match op {
            Op::Upload(to, bytes) => match bytes.upgrade() {
                Some(b) => self.host.upload(*to, &b),
                None => Err(wrong("a graph uploads bytes that are no longer there")),
            },
            Op::Copy(to, from, n) => self.host.copy(*to, *from, *n),
            Op::Launch(module, kernel, shape, args) => {
                self.launch(&**module, kernel, *shape, args);
                Ok(())
            }
            Op::Product(p, work) => {
                self.work(work.0, work.1, 0)?;
                standin::product(&self.host, p)
            }
            Op::Substitution(s) => standin::substitution(&self.host, s),
            Op::Transform(l, from, to) => standin::transform(&self.host, l, *from, *to),
        }
    }
}
/// An address is a multiple of the size of an element.
fn aligned(p: Ptr, d: DType) -> Result<()> {
    if p.0 == 0 || !p.0.is_multiple_of(d.size() as u64) {
        return Err(wrong(format!("address {:#x} is none of {d}", p.0)));
    }
    Ok(())
}
struct Loaded {
    of: Arc<Inner>,
    module: Arc<dyn Module>,
}
impl Module for Loaded {
    fn launch(&self, kernel: &str, shape: Shape, args: &[Arg]) -> Result<()> {
        self.of.called("cuLaunchKernel");
        if self.of.taken(|| Op::Launch(self.module.clone(), kernel.to_owned(), shape, args.to_vec())) {
            return Ok(());
        }
        self.of.launch(&*self.module, kernel, shape, args);
        Ok(())
    }
}
struct Read {
    of: Arc<Inner>,
    bytes: Result<Vec<u8>>,
}
impl Fetched for Read {
    fn wait(self: Box<Self>) -> Result<Vec<u8>> {
        self.of.called("cuEventSynchronize");
        self.bytes
    }
}
impl Bindings for Stub {
    fn describe(&self) -> String {
        format!("a driver's stand-in on {}", self.0.host.describe())
    }
    fn alloc(&self, bytes: usize) -> Result<Ptr> {
        self.0.called("cuMemAllocAsync");
        {
            let s = self.0.state();
            if self.0.most - s.used.min(self.0.most) < bytes {
                return Err(Error::new(Code::E0705, format!("the device has no memory for {bytes} bytes"))
                    .note(format!("{} of its {} bytes are free", self.0.most - s.used, self.0.most)));
            }
        }
        let p = self.0.host.alloc(bytes)?;
        {
            let mut s = self.0.state();
            s.used += bytes;
            s.memory.insert(p, bytes);
        }
        if let Some(g) = &mut self.0.state().capture {
            g.memory.insert(p, false);
        }
        Ok(p)
    }
    fn free(&self, p: Ptr) -> Result<()> {
        self.0.called("cuMemFreeAsync");
        if let Some(g) = &mut self.0.state().capture {
            return match g.memory.get_mut(&p) {
                Some(back) if !*back => {
                    *back = true;
                    Ok(())
                }
                _ => Err(wrong("a graph gives memory back that it did not take, or twice")),
            };
        }
        {
            let mut s = self.0.state();
            s.used -= s.memory.remove(&p).unwrap_or_default();
        }
        self.0.host.free(p);
        Ok(())
    }
    fn upload(&self, to: Ptr, from: &[u8]) -> Result<()> {
        self.0.called("cuMemcpyHtoDAsync");
        self.0.no_capture("cuMemcpyHtoDAsync of bytes that do not stay")?;
        self.0.host.upload(to, from)
    }
    fn upload_later(&self, to: Ptr, from: &Arc<[u8]>) -> Result<()> {
        self.0.called("cuMemcpyHtoDAsync");
        match self.0.taken(|| Op::Upload(to, Arc::downgrade(from))) {
            true => Ok(()),
            false => Err(wrong("no graph is taken down")),
        }
    }
    fn download(&self, from: Ptr, to: &mut [u8]) -> Result<()> {
        self.0.called("cuMemcpyDtoHAsync");
        self.0.no_capture("cuStreamSynchronize")?;
        self.0.waited()?;
        self.0.host.download(from, to)
    }
    fn fetch(&self, from: Ptr, bytes: usize) -> Result<Box<dyn Fetched>> {
        self.0.called("cuMemcpyDtoHAsync");
        self.0.called("cuEventRecord");
        self.0.no_capture("cuEventRecord for the host")?;
        let mut b = vec![0; bytes];
        let done = self.0.waited().and_then(|()| self.0.host.download(from, &mut b));
        // It is said when somebody waits for the bytes.
        Ok(Box::new(Read { of: self.0.clone(), bytes: done.map(|()| b) }))
    }
    fn copy(&self, to: Ptr, from: Ptr, bytes: usize) -> Result<()> {
        self.0.called("cuMemcpyDtoDAsync");
        if self.0.taken(|| Op::Copy(to, from, bytes)) {
            return Ok(());
        }
        self.0.host.copy(to, from, bytes)
    }
    fn synchronize(&self) -> Result<()> {
        self.0.called("cuStreamSynchronize");
        self.0.no_capture("cuStreamSynchronize")?;
        self.0.waited()
    }
    fn load(&self, source: &Source) -> Result<Box<dyn Module>> {
        self.0.called("cuModuleLoadData");
        let module: Arc<dyn Module> = Arc::from(self.0.host.load(source)?);
        Ok(Box::new(Loaded { of: self.0.clone(), module }))
    }
    fn begin_capture(&self) -> Result<()> {
        self.0.called("cuStreamBeginCapture");
        self.0.no_capture("cuStreamBeginCapture")?;
        self.0.state().capture = Some(Graph::default());
        Ok(())
    }
    fn end_capture(&self) -> Result<u64> {
        self.0.called("cuStreamEndCapture");
        let mut s = self.0.state();
        let Some(g) = s.capture.take() else { return Err(wrong("cuStreamEndCapture without a beginning")) };
        if let Some((p, _)) = g.memory.iter().find(|m| !*m.1) {
            // It could be started once only.
            return Err(wrong(format!("a graph takes the memory at {:#x} and does not give it back", p.0)));
        }
        s.made += 1;
        let id = s.made;
        s.graphs.insert(id, g);
        Ok(id)
    }
    fn launch_graph(&self, graph: u64) -> Result<()> {
        self.0.called("cuGraphLaunch");
        self.0.no_capture("cuGraphLaunch")?;
        let Some(g) = self.0.state().graphs.remove(&graph) else {
            return Err(wrong("cuGraphLaunch of what is no graph"));
        };
        let done = g.ops.iter().try_for_each(|op| self.0.run(op));
        self.0.state().graphs.insert(graph, g);
        done
    }
    fn destroy_graph(&self, graph: u64) {
        self.0.called("cuGraphExecDestroy");
        let gone = self.0.state().graphs.remove(&graph);
        for p in gone.iter().flat_map(|g| g.memory.keys()) {
            let mut s = self.0.state();
            s.used -= s.memory.remove(p).unwrap_or_default();
            drop(s);
            self.0.host.free(*p);
        }
    }
    fn product(&self, p: &Product, work: (Ptr, usize)) -> Result<bool> {
        let name = match p.plus.map(|s| s.what) {
            None => "cublasLtMatmul",
            Some(Added::Matrix(_)) => "cublasLtMatmul, beta",
            Some(Added::Column(_)) => "cublasLtMatmul, bias",
        };
        if self.0.state().lacks.contains(name) {
            return Ok(false);
        }
        self.0.called(name);
        [p.a.at, p.b.at, p.c.at].into_iter().try_for_each(|x| aligned(x, p.dtype))?;
        let [m, n, k] = p.mnk;
        let wide = [(&p.a, m, k), (&p.b, k, n), (&p.c, m, n)].iter().any(|(x, rows, cols)| {
            let lead = if x.transposed { *cols } else { *rows };
            x.ld < lead
        });
        let conj = [p.a, p.b, p.c].iter().any(|x| x.conj && !x.transposed);
        if m * n * k * p.batch == 0 || wide || p.c.transposed || conj {
            return Err(wrong(format!("cublasLtMatmul says CUBLAS_STATUS_INVALID_VALUE: {p:?}")));
        }
        if p.batch > 1 && p.c.step.unsigned_abs() < m {
            return Err(wrong("results of products overlap"));
        }
        let fits = match p.plus {
            None => true,
            Some(Plus { what: Added::Matrix(x), .. }) => {
                aligned(x.at, p.dtype)?;
                !x.transposed && !x.conj && x.ld >= m && x.at != p.c.at && p.dtype.is_float()
            }
            Some(Plus { what: Added::Column(at), minus_added, .. }) => {
                aligned(at, p.dtype)?;
                p.dtype == DType::F32 && !minus_added && at.0.is_multiple_of(COLUMN_ALIGNED)
            }
        };
        if !fits {
            return Err(wrong(format!("cublasLtMatmul says CUBLAS_STATUS_NOT_SUPPORTED: {p:?}")));
        }
        self.0.work(work.0, work.1, PRODUCT_WORK)?;
        if !self.0.taken(|| Op::Product(*p, work)) {
            self.0.run(&Op::Product(*p, work))?;
        }
        Ok(true)
    }
    fn substitution(&self, s: &Substitution) -> Result<()> {
        self.0.called("cublas trsm");
        [s.a.0, s.b.0].into_iter().try_for_each(|x| aligned(x, s.dtype))?;
        let n = if s.left { s.mn[0] } else { s.mn[1] };
        if s.mn.contains(&0) || s.a.1 < n || s.b.1 < s.mn[0] || (s.conj && !s.transpose) {
            return Err(wrong(format!("cublas trsm says CUBLAS_STATUS_INVALID_VALUE: {s:?}")));
        }
        if self.0.taken(|| Op::Substitution(*s)) {
            return Ok(());
        }
        standin::substitution(&self.0.host, s)
    }
    fn solver_work(&self, c: &Call) -> Result<(usize, usize)> {
        self.0.called("cusolverDn bufferSize");
        self.0.no_capture("cusolverDn")?;
        self.0.state().asked = Some(*c);
        Ok(room(c))
    }
    fn solver(&self, c: &Call, work: (Ptr, usize), host: &mut [u8]) -> Result<()> {
        self.0.called(match c.routine {
            Routine::Cholesky { .. } => "cusolverDnXpotrf",
            Routine::Lu { .. } => "cusolverDnXgetrf",
            Routine::Qr { .. } => "cusolverDnXgeqrf",
            Routine::Reflections { .. } => "cusolverDn orgqr",
            Routine::Eigen { .. } => "cusolverDnXsyevd",
            Routine::Eigens { .. } => "cusolverDnXsyevBatched",
            Routine::General { .. } => "cusolverDnXgeev",
            Routine::Jacobi { .. } => "cusolverDn gesvdj",
            Routine::Svd { .. } => "cusolverDnXgesvd",
        });
        if self.0.state().asked.take() != Some(*c) {
            return Err(wrong("the work memory of another call of a solver was asked for"));
        }
        let (need, there) = room(c);
        self.0.work(work.0, work.1, need)?;
        if host.len() < there {
            return Err(wrong(format!("{} bytes of the host where {there} were asked for", host.len())));
        }
        host.fill(0xA5);
        aligned(c.a, c.dtype)?;
        aligned(c.info, DType::I32)?;
        if c.routine.symbol().is_some_and(|s| !self.0.state().probed.contains(s)) {
            return Err(wrong(format!("nobody has asked whether there is {:?}", c.routine.symbol())));
        }
        standin::solver(&self.0.host, c)
    }
    fn has(&self, symbol: &'static str) -> Result<bool> {
        let mut s = self.0.state();
        s.probed.insert(symbol);
        Ok(!s.lacks.contains(symbol))
    }
    fn plan(&self, l: &Lines) -> Result<(i32, usize)> {
        self.0.called("cufftMakePlanMany64");
        self.0.no_capture("cufftMakePlanMany64")?;
        if l.n == 0 || l.count == 0 || l.from[0] == 0 || l.to[0] == 0 {
            return Err(wrong(format!("cufftMakePlanMany64 says CUFFT_INVALID_SIZE: {l:?}")));
        }
        let mut s = self.0.state();
        s.made += 1;
        let id = s.made as i32;
        let work = 16 * l.n;
        s.plans.insert(id, (*l, work));
        Ok((id, work))
    }
    fn transform(&self, plan: i32, l: &Lines, work: Ptr, from: Ptr, to: Ptr) -> Result<()> {
        self.0.called(match l.kind {
            LineKind::Forward | LineKind::Inverse => "cufftExec C2C",
            LineKind::Real => "cufftExec R2C",
            LineKind::InverseReal => "cufftExec C2R",
        });
        let Some((of, room)) = self.0.state().plans.get(&plan).copied() else {
            return Err(wrong("cufftExec says CUFFT_INVALID_PLAN"));
        };
        if of != *l {
            return Err(wrong("a plan is used for other lines"));
        }
        self.0.work(work, room, room)?;
        if self.0.taken(|| Op::Transform(*l, from, to)) {
            return Ok(());
        }
        standin::transform(&self.0.host, l, from, to)
    }
    fn destroy_plan(&self, plan: i32) {
        self.0.called("cufftDestroy");
        self.0.state().plans.remove(&plan);
    }
}
/// Work memory that a call asks for: some, on either side.
fn room(c: &Call) -> (usize, usize) {
    match c.routine {
        Routine::Cholesky { n } | Routine::Eigen { n, .. } | Routine::General { n, .. } => (n * c.dtype.size(), 64),
        Routine::Lu { m, n, .. } | Routine::Qr { m, n, .. } | Routine::Svd { m, n, .. } => {
            ((m + n) * c.dtype.size(), 32)
        }
        Routine::Eigens { n, count, .. } => (n * count * c.dtype.size(), 16),
        Routine::Reflections { n, .. } | Routine::Jacobi { n, .. } => (n * c.dtype.size(), 0),
    }
}
