//! A GPU as a device: CUDA's driver and its libraries, behind a trait that has a method for each function in use ([`Bindings`]).
//!
//! * [`real`]: the driver that is installed, and the libraries beside it, loaded when they are needed.
//! * [`stub`]: the same calls on this machine, where there is no GPU. Kernels are run by [`crate::host`], routines of libraries by
//!   stand-ins; arguments, the order of calls, work memory and lifetimes are checked.
//!
//! [`Driver`] is what makes a device of either: it hands out work memory of libraries, keeps plans of transforms, takes down
//! graphs, and knows what was started when something goes wrong.
pub mod real;
mod standin;
pub mod stub;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfc_ir::{Code, Error, Result};

use crate::device::{Arg, Device, Fetched, Module, Ptr, Recorded, Shape};
use crate::libraries::{Call, Libraries, Lines, Product, Routine, Substitution};
use crate::text::Source;

/// The variable by which the host waits for each kernel, so that what goes wrong is known to the kernel.
pub const WATCH: &str = "TFC_CUDA_WATCH";
/// The variable that keeps libraries out of it where it is `off`: kernels of this crate do what they do.
pub const LIBRARIES: &str = "TFC_CUDA_LIBRARIES";

/// Work memory of a product.
const PRODUCT_WORK: usize = 32 << 20;
/// Most plans of transforms that are kept.
const MOST_PLANS: usize = 32;
/// Kernels that are remembered, the last ones.
const REMEMBERED: usize = 16;

/// Functions of the driver and of libraries, on one stream of one device.
///
/// Addresses are of that device; calls follow each other there, and only those that say so are waited for. What fails is
/// `E1303`, with the function's name and status; memory that is not there is `E0705`, and a library that is not there `E1306`.
#[allow(clippy::missing_errors_doc, reason = "the same for all: see above")]
pub trait Bindings: Send + Sync + 'static {
    /// The device, for people.
    fn describe(&self) -> String;
    /// `cuMemAllocAsync`.
    fn alloc(&self, bytes: usize) -> Result<Ptr>;
    /// `cuMemFreeAsync`.
    fn free(&self, p: Ptr) -> Result<()>;
    /// `cuMemcpyHtoDAsync`: the bytes are read before it returns, unless calls are taken down.
    fn upload(&self, to: Ptr, from: &[u8]) -> Result<()>;
    /// The same while calls are taken down: the bytes are read each time the graph is started.
    fn upload_later(&self, to: Ptr, from: &Arc<[u8]>) -> Result<()>;
    /// `cuMemcpyDtoHAsync` and `cuStreamSynchronize`.
    fn download(&self, from: Ptr, to: &mut [u8]) -> Result<()>;
    /// `cuMemcpyDtoHAsync` to memory that stays where it is, and `cuEventRecord`.
    fn fetch(&self, from: Ptr, bytes: usize) -> Result<Box<dyn Fetched>>;
    /// `cuMemcpyDtoDAsync`.
    fn copy(&self, to: Ptr, from: Ptr, bytes: usize) -> Result<()>;
    /// `cuStreamSynchronize`.
    fn synchronize(&self) -> Result<()>;
    /// NVRTC, `cuModuleLoadData`, `cuModuleGetFunction`; what it gives launches by `cuLaunchKernel`.
    fn load(&self, source: &Source) -> Result<Box<dyn Module>>;
    /// `cuStreamBeginCapture`: what follows is taken down and not run.
    fn begin_capture(&self) -> Result<()>;
    /// `cuStreamEndCapture`, `cuGraphInstantiate`.
    fn end_capture(&self) -> Result<u64>;
    /// `cuGraphLaunch`.
    fn launch_graph(&self, graph: u64) -> Result<()>;
    /// `cuGraphExecDestroy`, when it has run.
    fn destroy_graph(&self, graph: u64);
    /// `cublasLtMatmul`; whether there is an algorithm for it.
    fn product(&self, p: &Product, work: (Ptr, usize)) -> Result<bool>;
    /// `cublas?trsm`.
    fn substitution(&self, s: &Substitution) -> Result<()>;
    /// `cusolverDnX…_bufferSize`: bytes on the device and on the host.
    fn solver_work(&self, c: &Call) -> Result<(usize, usize)>;
    /// `cusolverDnX…`. Memory of the host is in use until the stream has been waited for.
    fn solver(&self, c: &Call, work: (Ptr, usize), host: &mut [u8]) -> Result<()>;
    /// Whether the solver has a function of that name.
    fn has(&self, symbol: &'static str) -> Result<bool>;
    /// `cufftMakePlanMany64`: the plan and its work memory.
    fn plan(&self, l: &Lines) -> Result<(i32, usize)>;
    /// `cufftSetWorkArea`, `cufftExec…`.
    fn transform(&self, plan: i32, l: &Lines, work: Ptr, from: Ptr, to: Ptr) -> Result<()>;
    /// `cufftDestroy`.
    fn destroy_plan(&self, plan: i32);
}

/// What is known of what was started.
struct Trace {
    /// Names of all kernels that were loaded, by number.
    names: Mutex<Vec<String>>,
    /// Numbers of kernels since the host waited last, the oldest overwritten first.
    ring: [AtomicU32; REMEMBERED],
    count: AtomicUsize,
}
impl Trace {
    fn started(&self, kernel: u32) {
        let i = self.count.fetch_add(1, Ordering::Relaxed);
        self.ring[i % REMEMBERED].store(kernel, Ordering::Relaxed);
    }
    /// The host has waited, and all is well.
    fn settle(&self) {
        self.count.store(0, Ordering::Relaxed);
    }
    /// The error, with what may have caused it.
    fn blame(&self, e: Error) -> Error {
        let n = self.count.swap(0, Ordering::Relaxed);
        if n == 0 || e.data().code != Code::E1303 {
            return e;
        }
        let known = names(&self.names);
        let mut seen: Vec<String> = vec![];
        for i in n.saturating_sub(REMEMBERED)..n {
            let k = self.ring[i % REMEMBERED].load(Ordering::Relaxed) as usize;
            let name = known.get(k).map_or("a library's", String::as_str);
            if !seen.iter().any(|s| s == name) {
                seen.push(name.to_owned());
            }
        }
        match seen.as_slice() {
            [one] => e.note(format!("since the host waited last, one kernel was started: `{one}`")),
            _ => e
                .note(format!("kernels started since the host waited last: `{}`", seen.join("`, `")))
                .help(format!("{WATCH}=1 waits for each kernel and names the one")),
        }
    }
}
fn names(m: &Mutex<Vec<String>>) -> MutexGuard<'_, Vec<String>> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}
/// What calls leave behind.
#[derive(Default)]
struct Kept {
    /// While a graph is taken down: bytes that it reads.
    uploads: Vec<Arc<[u8]>>,
    /// Work memory of the host until the next wait.
    host: Vec<Box<[u8]>>,
    /// Plans of transforms, the oldest first.
    plans: Vec<Plan>,
}
/// A plan of a transform.
struct Plan {
    of: Lines,
    plan: i32,
    /// Bytes of work memory.
    work: usize,
    /// A graph makes use of it.
    stays: bool,
}
struct Shared<B: Bindings> {
    api: B,
    turn: Mutex<()>,
    kept: Mutex<Kept>,
    trace: Trace,
    /// Calls are taken down.
    capturing: AtomicBool,
    /// Something was called that a graph cannot have.
    lost: AtomicBool,
    watch: bool,
    libraries: Option<Least>,
}
/// From which sizes on libraries are called.
#[derive(Clone, Copy, Debug)]
pub struct Least {
    /// Rows or columns of a matrix.
    pub matrix: usize,
    /// Numbers of a line.
    pub line: usize,
    /// Multiplications of a product.
    pub product: usize,
}
impl Least {
    /// Where a block of threads that has the whole matrix or line is no match for many.
    pub const USUAL: Least = Least { matrix: 33, line: 4097, product: 4096 };
    /// Whatever there is.
    pub const ALL: Least = Least { matrix: 2, line: 2, product: 1 };
}
impl<B: Bindings> Shared<B> {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// After a wait.
    fn settled(&self, r: Result<()>) -> Result<()> {
        match r {
            Ok(()) => {
                self.trace.settle();
                self.kept().host.clear();
                Ok(())
            }
            Err(e) => Err(self.trace.blame(e)),
        }
    }
    /// A kernel, or a routine of a library, has been started.
    fn started(&self, kernel: u32) -> Result<()> {
        self.trace.started(kernel);
        if self.watch && !self.capturing.load(Ordering::Relaxed) {
            return self.settled(self.api.synchronize());
        }
        Ok(())
    }
    /// Work memory for a call of a library; it is given back once the call is done.
    fn with_work<T>(&self, bytes: usize, call: impl FnOnce((Ptr, usize)) -> Result<T>) -> Result<T> {
        if bytes == 0 {
            return call((Ptr::default(), 0));
        }
        let p = self.api.alloc(bytes)?;
        let done = call((p, bytes));
        self.api.free(p)?;
        done
    }
    /// Waiting is nothing that a graph can do.
    fn cannot_be_recorded(&self) -> Result<()> {
        if self.capturing.load(Ordering::Relaxed) {
            self.lost.store(true, Ordering::Relaxed);
            return Err(Error::bug(Code::E0718, "a graph cannot wait for the host"));
        }
        Ok(())
    }
}
/// The number of a routine of a library among kernels.
const LIBRARY: u32 = u32::MAX;

/// A device by bindings.
pub struct Driver<B: Bindings>(Arc<Shared<B>>);
impl<B: Bindings> Driver<B> {
    /// On a device. [`WATCH`] and [`LIBRARIES`] are looked at.
    pub fn new(api: B, least: Least) -> Driver<B> {
        let set = |name: &str, to: &str| std::env::var(name).is_ok_and(|v| v == to);
        Driver::with(api, set(WATCH, "1"), (!set(LIBRARIES, "off")).then_some(least))
    }
    /// A driver. `watch`: the host waits for each kernel. `libraries`: the sizes from which on libraries are called.
    pub fn with(api: B, watch: bool, libraries: Option<Least>) -> Driver<B> {
        let trace = Trace { names: Mutex::default(), ring: Default::default(), count: AtomicUsize::new(0) };
        Driver(Arc::new(Shared {
            api,
            turn: Mutex::default(),
            kept: Mutex::default(),
            trace,
            capturing: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            watch,
            libraries,
        }))
    }
    /// The bindings.
    pub fn bindings(&self) -> &B {
        &self.0.api
    }
}
impl<B: Bindings> Device for Driver<B> {
    fn describe(&self) -> String {
        self.0.api.describe()
    }
    fn alloc(&self, bytes: usize) -> Result<Ptr> {
        self.0.api.alloc(bytes)
    }
    fn free(&self, p: Ptr) {
        // What fails here has failed before, and is reported where somebody waits.
        let _ = self.0.api.free(p);
    }
    fn upload(&self, to: Ptr, from: &[u8]) -> Result<()> {
        if self.0.capturing.load(Ordering::Relaxed) {
            let bytes: Arc<[u8]> = from.into();
            self.0.api.upload_later(to, &bytes)?;
            self.0.kept().uploads.push(bytes);
            return Ok(());
        }
        self.0.api.upload(to, from)
    }
    fn download(&self, from: Ptr, to: &mut [u8]) -> Result<()> {
        self.0.cannot_be_recorded()?;
        self.0.settled(self.0.api.download(from, to))
    }
    fn copy(&self, to: Ptr, from: Ptr, bytes: usize) -> Result<()> {
        self.0.api.copy(to, from, bytes)
    }
    fn load(&self, source: &Source) -> Result<Box<dyn Module>> {
        let module = self.0.api.load(source)?;
        let mut all = names(&self.0.trace.names);
        let numbers =
            source.kernels.iter().enumerate().map(|(i, k)| (k.name.clone(), (all.len() + i) as u32)).collect();
        all.extend(source.kernels.iter().map(|k| k.name.clone()));
        Ok(Box::new(Loaded { shared: self.0.clone(), module, numbers }))
    }
    fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        Some(self.0.turn.lock().unwrap_or_else(PoisonError::into_inner))
    }
    fn fetch(&self, from: Ptr, bytes: usize) -> Result<Box<dyn Fetched>> {
        self.0.cannot_be_recorded()?;
        Ok(Box::new(Waiting { shared: self.0.clone(), there: self.0.api.fetch(from, bytes)? }))
    }
    fn record(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<Option<Box<dyn Recorded>>> {
        let s = &self.0;
        s.lost.store(false, Ordering::Relaxed);
        s.api.begin_capture()?;
        s.capturing.store(true, Ordering::Relaxed);
        let done = work();
        s.capturing.store(false, Ordering::Relaxed);
        let uploads = std::mem::take(&mut s.kept().uploads);
        let graph = s.api.end_capture();
        if s.lost.load(Ordering::Relaxed) {
            if let Ok(g) = graph {
                s.api.destroy_graph(g);
            }
            return Ok(None);
        }
        let graph = Graph { shared: s.clone(), graph: graph?, _uploads: uploads };
        done.map(|()| Some(Box::new(graph) as Box<dyn Recorded>))
    }
    fn libraries(&self) -> Option<&dyn Libraries> {
        self.0.libraries.map(|_| self as &dyn Libraries)
    }
}
impl<B: Bindings> Drop for Shared<B> {
    fn drop(&mut self) {
        // What was started may be at work with what goes now; that it fails changes nothing.
        let _ = self.api.synchronize();
        let plans = std::mem::take(&mut self.kept().plans);
        plans.iter().for_each(|p| self.api.destroy_plan(p.plan));
    }
}
struct Loaded<B: Bindings> {
    shared: Arc<Shared<B>>,
    module: Box<dyn Module>,
    numbers: BTreeMap<String, u32>,
}
impl<B: Bindings> Module for Loaded<B> {
    fn launch(&self, kernel: &str, shape: Shape, args: &[Arg]) -> Result<()> {
        self.module.launch(kernel, shape, args)?;
        self.shared.started(self.numbers.get(kernel).copied().unwrap_or(LIBRARY))
    }
}
struct Waiting<B: Bindings> {
    shared: Arc<Shared<B>>,
    there: Box<dyn Fetched>,
}
impl<B: Bindings> Fetched for Waiting<B> {
    fn wait(self: Box<Self>) -> Result<Vec<u8>> {
        // Kernels started after it may be at work still: nothing is forgotten.
        self.there.wait().map_err(|e| self.shared.trace.blame(e))
    }
}
struct Graph<B: Bindings> {
    shared: Arc<Shared<B>>,
    graph: u64,
    /// What it reads.
    _uploads: Vec<Arc<[u8]>>,
}
impl<B: Bindings> Recorded for Graph<B> {
    fn start(&self) -> Result<()> {
        self.shared.api.launch_graph(self.graph)
    }
}
impl<B: Bindings> Drop for Graph<B> {
    fn drop(&mut self) {
        self.shared.api.destroy_graph(self.graph);
    }
}
impl<B: Bindings> Libraries for Driver<B> {
    fn least_matrix(&self) -> usize {
        self.0.libraries.map_or(usize::MAX, |l| l.matrix)
    }
    fn least_line(&self) -> usize {
        self.0.libraries.map_or(usize::MAX, |l| l.line)
    }
    fn least_product(&self) -> usize {
        self.0.libraries.map_or(usize::MAX, |l| l.product)
    }
    fn product(&self, p: &Product) -> Result<bool> {
        let done = self.0.with_work(PRODUCT_WORK, |work| self.0.api.product(p, work))?;
        if done {
            self.0.started(LIBRARY)?;
        }
        Ok(done)
    }
    fn substitution(&self, s: &Substitution) -> Result<()> {
        self.0.api.substitution(s)?;
        self.0.started(LIBRARY)
    }
    fn solver(&self, c: &Call) -> Result<()> {
        // cuSOLVER may wait for the device.
        self.0.cannot_be_recorded()?;
        let (bytes, host) = self.0.api.solver_work(c)?;
        let mut host = vec![0; host].into_boxed_slice();
        self.0.with_work(bytes, |work| self.0.api.solver(c, work, &mut host))?;
        self.0.kept().host.push(host);
        self.0.started(LIBRARY)
    }
    fn has(&self, r: &Routine) -> Result<bool> {
        r.symbol().map_or(Ok(true), |s| self.0.api.has(s))
    }
    fn transform(&self, l: &Lines, from: Ptr, to: Ptr) -> Result<()> {
        let mut kept = self.0.kept();
        let recording = self.0.capturing.load(Ordering::Relaxed);
        let (plan, bytes) = match kept.plans.iter_mut().find(|p| p.of == *l) {
            Some(p) => {
                p.stays |= recording;
                (p.plan, p.work)
            }
            None => {
                // A plan puts tables onto the device, and may wait.
                self.0.cannot_be_recorded()?;
                if kept.plans.len() >= MOST_PLANS
                    && let Some(old) = kept.plans.iter().position(|p| !p.stays)
                {
                    self.0.api.synchronize()?;
                    self.0.api.destroy_plan(kept.plans.remove(old).plan);
                }
                let (plan, work) = self.0.api.plan(l)?;
                kept.plans.push(Plan { of: *l, plan, work, stays: false });
                (plan, work)
            }
        };
        drop(kept);
        self.0.with_work(bytes, |work| self.0.api.transform(plan, l, work.0, from, to))?;
        self.0.started(LIBRARY)
    }
}
