//! The driver that is installed. Bindings are those of `cudarc`, whose libraries are loaded when they are asked for.
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::sys as cu;
use cudarc::{cublas::sys as blas, cublaslt::sys as lt, cufft::sys as fft, cusolver::sys as solver};
use tfc_ir::{Code, DType, Error, Result};

use super::Bindings;
use crate::device::{Arg, Fetched, Module, Ptr, Shape};
use crate::libraries::{Call, LineKind, Lines, Product, Substitution};
use crate::nvrtc::Nvrtc;
use crate::text::{Source, Written as _};

mod product;
mod routines;

/// Bytes that are fetched without waiting, at most: scalars.
const MOST_FETCHED: usize = 16;

/// A stream of a device, and what is loaded for it.
struct Inner {
    device: c_int,
    context: cu::CUcontext,
    stream: cu::CUstream,
    /// For people: name, memory, driver.
    about: String,
    /// The architecture as NVRTC takes it: `sm_90`.
    arch: String,
    nvrtc: Nvrtc,
    /// Pinned memory for scalars, and its event, when nobody has it.
    pinned: Mutex<Vec<Pinned>>,
    blas: OnceLock<Result<usize>>,
    lt: OnceLock<Result<usize>>,
    solver: OnceLock<Result<(usize, usize)>>,
    fft: OnceLock<Result<()>>,
}
// SAFETY: contexts, streams, events and functions of the driver may be used by any thread; each call makes the context current.
unsafe impl Send for Inner {}
// SAFETY: the same.
unsafe impl Sync for Inner {}
/// The installed driver's device.
pub struct Real(Arc<Inner>);

fn said(what: &str, status: impl std::fmt::Debug) -> Error {
    Error::new(Code::E1303, format!("{what} says {status:?}"))
}
fn driver(what: &str, r: cu::CUresult) -> Result<()> {
    if r == cu::CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let mut text: *const c_char = std::ptr::null();
    // SAFETY: it takes any status, and gives a text that lives as long as the driver, or null.
    unsafe { cu::cuGetErrorString(r, &raw mut text) };
    let e = said(what, r);
    if text.is_null() {
        return Err(e);
    }
    // SAFETY: it is not null, and ends in a zero.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    Err(e.note(text))
}
/// Names under which a library is looked for.
fn tried(name: &str) -> String {
    cudarc::get_lib_name_candidates(name).join(", ")
}
/// That a library is there, or what is missing. Where the dynamic linker does not find it, its files are loaded from `dir`, the last
/// of them its own: packages put all of CUDA's libraries into one folder.
fn there(dir: &Path, name: &str, files: &[&str], present: impl Fn() -> bool) -> Result<()> {
    if present() {
        return Ok(());
    }
    let paths: Vec<PathBuf> = files.iter().map(|n| dir.join(n)).collect();
    for p in paths.iter().filter(|p| p.is_file()) {
        // SAFETY: NVIDIA's libraries do nothing when they are loaded.
        if let Ok(l) = unsafe { libloading::Library::new(p) } {
            // Loaded as long as the process lives: cudarc finds it by its name.
            std::mem::forget(l);
        }
    }
    if present() {
        return Ok(());
    }
    let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    Err(Error::new(Code::E1306, format!("there is no {name}"))
        .note(format!("tried: {}, {}", tried(&name.to_lowercase()), paths.join(", ")))
        .help(format!("install CUDA's libraries; {}=off does without them", super::LIBRARIES)))
}
impl Real {
    /// Device number `ordinal` of the installed driver.
    ///
    /// # Errors
    /// `E1305` there is no driver, or no such device; `E1301` there is no NVRTC.
    pub fn new(ordinal: u32) -> Result<Real> {
        // SAFETY: loading the driver's library has no other effect.
        if !unsafe { cu::is_culib_present() } {
            return Err(Error::new(Code::E1305, "there is no CUDA driver")
                .note(format!("tried: {}", tried("cuda")))
                .help(format!(
                    "install NVIDIA's driver; {}=host runs kernels on this machine, under watch",
                    crate::backend::VARIABLE
                )));
        }
        let none = |e: Error| {
            Error::new(Code::E1305, format!("there is no CUDA device {ordinal}")).note(e.data().message.clone())
        };
        // SAFETY: it may be called any number of times, with 0.
        driver("cuInit", unsafe { cu::cuInit(0) }).map_err(none)?;
        let (mut device, mut version) = (0, 0);
        // SAFETY: each writes to the place that it is given.
        unsafe {
            driver("cuDeviceGet", cu::cuDeviceGet(&raw mut device, ordinal as c_int)).map_err(none)?;
            driver("cuDriverGetVersion", cu::cuDriverGetVersion(&raw mut version))?;
        }
        use cu::CUdevice_attribute as A;
        let attribute = |a: A| {
            let mut x = 0;
            // SAFETY: it writes to the place that it is given.
            driver("cuDeviceGetAttribute", unsafe { cu::cuDeviceGetAttribute(&raw mut x, a, device) }).map(|()| x)
        };
        let major = attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        if attribute(A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
            return Err(Error::new(Code::E1305, format!("CUDA device {ordinal} has no memory pools")));
        }
        let (mut name, mut bytes) = ([0; 128], 0);
        let (mut context, mut stream) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: each writes to the place that it is given, the name no more than is said.
        unsafe {
            driver("cuDeviceGetName", cu::cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int - 1, device))?;
            driver("cuDeviceTotalMem", cu::cuDeviceTotalMem_v2(&raw mut bytes, device))?;
            driver("cuDevicePrimaryCtxRetain", cu::cuDevicePrimaryCtxRetain(&raw mut context, device))?;
            driver("cuCtxSetCurrent", cu::cuCtxSetCurrent(context))?;
            // CU_STREAM_NON_BLOCKING: it does not wait for what others start.
            driver("cuStreamCreate", cu::cuStreamCreate(&raw mut stream, 1))?;
            // What is given back stays in the pool.
            let (mut pool, mut most) = (std::ptr::null_mut(), u64::MAX);
            driver("cuDeviceGetDefaultMemPool", cu::cuDeviceGetDefaultMemPool(&raw mut pool, device))?;
            let threshold = cu::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            driver("cuMemPoolSetAttribute", cu::cuMemPoolSetAttribute(pool, threshold, (&raw mut most).cast()))?;
        }
        // SAFETY: the driver ends it with a zero, which is there in any case.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let about = format!(
            "{name}, {} GiB, sm_{major}{minor}, driver {}.{}",
            bytes >> 30,
            version / 1000,
            version % 1000 / 10
        );
        let inner = Inner {
            device,
            context,
            stream,
            about,
            arch: format!("sm_{major}{minor}"),
            nvrtc: Nvrtc::find()?,
            pinned: Mutex::default(),
            blas: OnceLock::new(),
            lt: OnceLock::new(),
            solver: OnceLock::new(),
            fft: OnceLock::new(),
        };
        Ok(Real(Arc::new(inner)))
    }
}
impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: made by `new` or by `made`, and nothing makes use of them any more. What fails here harms nobody.
        unsafe {
            cu::cuCtxSetCurrent(self.context);
            for p in self.pinned.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
                cu::cuEventDestroy_v2(p.event);
                cu::cuMemFreeHost(p.at);
            }
            if let Some(Ok(h)) = self.blas.get() {
                blas::cublasDestroy_v2(*h as blas::cublasHandle_t);
            }
            if let Some(Ok(h)) = self.lt.get() {
                lt::cublasLtDestroy(*h as lt::cublasLtHandle_t);
            }
            if let Some(Ok((h, p))) = self.solver.get() {
                solver::cusolverDnDestroyParams(*p as solver::cusolverDnParams_t);
                solver::cusolverDnDestroy(*h as solver::cusolverDnHandle_t);
            }
            cu::cuStreamDestroy_v2(self.stream);
            cu::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}
impl Inner {
    /// Makes the context that of this thread.
    fn enter(&self) -> Result<()> {
        // SAFETY: the context is retained as long as this lives.
        driver("cuCtxSetCurrent", unsafe { cu::cuCtxSetCurrent(self.context) })
    }
    fn synchronize(&self) -> Result<()> {
        self.enter()?;
        // SAFETY: the stream lives.
        driver("cuStreamSynchronize", unsafe { cu::cuStreamSynchronize(self.stream) })
    }
    /// Checks that a library is there; the error says what is missing.
    fn there(&self, name: &str, files: &[&str], present: impl Fn() -> bool) -> Result<()> {
        let dir = self.nvrtc.path().parent().map(PathBuf::from).unwrap_or_default();
        there(&dir, name, files, present)
    }
    fn blas(&self) -> Result<blas::cublasHandle_t> {
        let made = self.blas.get_or_init(|| {
            self.there("cuBLAS", &["libcublasLt.so.13", "libcublas.so.13"], || {
                // SAFETY: loading the library has no other effect.
                unsafe { blas::is_culib_present() }
            })?;
            let mut h = std::ptr::null_mut();
            // SAFETY: it writes the handle, which is used on this stream of this context.
            unsafe {
                status("cublasCreate", blas::cublasCreate_v2(&raw mut h), blas::cublasStatus_t::CUBLAS_STATUS_SUCCESS)?;
                let r = blas::cublasSetStream_v2(h, self.stream.cast());
                status("cublasSetStream", r, blas::cublasStatus_t::CUBLAS_STATUS_SUCCESS)?;
            }
            Ok(h as usize)
        });
        made.clone().map(|h| h as blas::cublasHandle_t)
    }
    fn lt(&self) -> Result<lt::cublasLtHandle_t> {
        let made = self.lt.get_or_init(|| {
            self.there("cuBLASLt", &["libcublasLt.so.13"], || {
                // SAFETY: loading the library has no other effect.
                unsafe { lt::is_culib_present() }
            })?;
            let mut h = std::ptr::null_mut();
            // SAFETY: it writes the handle.
            lt_status("cublasLtCreate", unsafe { lt::cublasLtCreate(&raw mut h) })?;
            Ok(h as usize)
        });
        made.clone().map(|h| h as lt::cublasLtHandle_t)
    }
    fn solver(&self) -> Result<(solver::cusolverDnHandle_t, solver::cusolverDnParams_t)> {
        let made = self.solver.get_or_init(|| {
            let files = [
                "libnvJitLink.so.13",
                "libcusparse.so.12",
                "libcublasLt.so.13",
                "libcublas.so.13",
                "libcusolver.so.12",
            ];
            self.there("cuSOLVER", &files, || {
                // SAFETY: loading the library has no other effect.
                unsafe { solver::is_culib_present() }
            })?;
            let (mut h, mut p) = (std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: they write handles, which are used on this stream of this context.
            unsafe {
                solved("cusolverDnCreate", solver::cusolverDnCreate(&raw mut h))?;
                solved("cusolverDnSetStream", solver::cusolverDnSetStream(h, self.stream.cast()))?;
                solved("cusolverDnCreateParams", solver::cusolverDnCreateParams(&raw mut p))?;
            }
            Ok((h as usize, p as usize))
        });
        made.clone().map(|(h, p)| (h as solver::cusolverDnHandle_t, p as solver::cusolverDnParams_t))
    }
    fn fft(&self) -> Result<()> {
        let there = || {
            self.there("cuFFT", &["libcufft.so.12"], || {
                // SAFETY: loading the library has no other effect.
                unsafe { fft::is_culib_present() }
            })
        };
        self.fft.get_or_init(there).clone()
    }
}
fn status<S: PartialEq + std::fmt::Debug>(what: &str, r: S, success: S) -> Result<()> {
    if r == success { Ok(()) } else { Err(said(what, r)) }
}
fn lt_status(what: &str, r: lt::cublasStatus_t) -> Result<()> {
    status(what, r, lt::cublasStatus_t::CUBLAS_STATUS_SUCCESS)
}
fn solved(what: &str, r: solver::cusolverStatus_t) -> Result<()> {
    status(what, r, solver::cusolverStatus_t::CUSOLVER_STATUS_SUCCESS)
}
fn transformed(what: &str, r: fft::cufftResult) -> Result<()> {
    status(what, r, fft::cufftResult::CUFFT_SUCCESS)
}

/// Memory of the host that the device writes, for a scalar.
struct Pinned {
    at: *mut c_void,
    event: cu::CUevent,
}
// SAFETY: any thread may read the memory and wait for the event.
unsafe impl Send for Pinned {}
/// A scalar on its way.
struct Scalar {
    of: Arc<Inner>,
    pinned: Option<Pinned>,
    bytes: usize,
}
impl Fetched for Scalar {
    fn wait(mut self: Box<Self>) -> Result<Vec<u8>> {
        let Some(p) = &self.pinned else { return Err(Error::bug(Code::E0718, "a scalar is waited for twice")) };
        self.of.enter()?;
        // SAFETY: the event was recorded on the stream behind the copy.
        driver("cuEventSynchronize", unsafe { cu::cuEventSynchronize(p.event) })?;
        // SAFETY: so many bytes were written there by the copy, which is done.
        let out = unsafe { std::slice::from_raw_parts(p.at.cast::<u8>(), self.bytes) }.to_vec();
        if let Some(p) = self.pinned.take() {
            self.of.pinned.lock().unwrap_or_else(PoisonError::into_inner).push(p);
        }
        Ok(out)
    }
}
impl Drop for Scalar {
    fn drop(&mut self) {
        if let Some(p) = self.pinned.take() {
            // The copy may be under way: the memory is used again when it is done. An error is one of the stream, which others report.
            let _ = self.of.synchronize();
            self.of.pinned.lock().unwrap_or_else(PoisonError::into_inner).push(p);
        }
    }
}
impl Inner {
    fn pinned(&self) -> Result<Pinned> {
        if let Some(p) = self.pinned.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(p);
        }
        let (mut at, mut event) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: they write to the places that they are given.
        unsafe {
            driver("cuMemHostAlloc", cu::cuMemHostAlloc(&raw mut at, MOST_FETCHED, 0))?;
            // CU_EVENT_DISABLE_TIMING
            driver("cuEventCreate", cu::cuEventCreate(&raw mut event, 2))?;
        }
        Ok(Pinned { at, event })
    }
}
/// Kernels that the driver has loaded.
struct Loaded {
    of: Arc<Inner>,
    module: cu::CUmodule,
    kernels: HashMap<String, (cu::CUfunction, usize)>,
}
// SAFETY: functions of the driver may be launched by any thread.
unsafe impl Send for Loaded {}
// SAFETY: the same.
unsafe impl Sync for Loaded {}
impl Drop for Loaded {
    fn drop(&mut self) {
        // A kernel may be at work. What fails here has failed before.
        let _ = self.of.synchronize();
        // SAFETY: it was loaded in this context, and none of its kernels is at work.
        unsafe { cu::cuModuleUnload(self.module) };
    }
}
impl Module for Loaded {
    fn launch(&self, kernel: &str, shape: Shape, args: &[Arg]) -> Result<()> {
        let Some(&(function, params)) = self.kernels.get(kernel) else {
            return Err(Error::new(Code::E1303, format!("there is no kernel `{kernel}`")));
        };
        if params != args.len() {
            let text = format!("kernel `{kernel}` takes {params} arguments, not {}", args.len());
            return Err(Error::new(Code::E1303, text));
        }
        self.of.enter()?;
        let mut at: Vec<*mut c_void> = args.iter().map(|a| a.value().0.cast_mut().cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
        // SAFETY: there is a value for each parameter, with its size: texts and arguments are written side by side, which the host
        // device checks. The driver copies them before it returns.
        let r = unsafe {
            cu::cuLaunchKernel(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                0,
                self.of.stream,
                at.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        driver("cuLaunchKernel", r).map_err(|e| e.note(format!("kernel `{kernel}`")))
    }
}
impl Bindings for Real {
    fn describe(&self) -> String {
        self.0.about.clone()
    }
    fn alloc(&self, bytes: usize) -> Result<Ptr> {
        self.0.enter()?;
        let mut p = 0;
        // SAFETY: it writes the address.
        let r = unsafe { cu::cuMemAllocAsync(&raw mut p, bytes.max(1), self.0.stream) };
        if r == cu::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let (mut free, mut total) = (0, 0);
            // SAFETY: it writes both numbers; where it fails, they stay 0.
            unsafe { cu::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
            return Err(Error::new(Code::E0705, format!("the device has no memory for {bytes} bytes"))
                .note(format!("{free} of its {total} bytes are free")));
        }
        driver("cuMemAllocAsync", r)?;
        Ok(Ptr(p))
    }
    fn free(&self, p: Ptr) -> Result<()> {
        self.0.enter()?;
        // SAFETY: `alloc` gave it; what was started before is done with it when the stream comes here.
        driver("cuMemFreeAsync", unsafe { cu::cuMemFreeAsync(p.0, self.0.stream) })
    }
    fn upload(&self, to: Ptr, from: &[u8]) -> Result<()> {
        self.0.enter()?;
        // SAFETY: the slice has so many bytes; of memory that is not pinned they are read before it returns.
        driver("cuMemcpyHtoDAsync", unsafe {
            cu::cuMemcpyHtoDAsync_v2(to.0, from.as_ptr().cast(), from.len(), self.0.stream)
        })
    }
    fn upload_later(&self, to: Ptr, from: &Arc<[u8]>) -> Result<()> {
        // What reads them, a graph, is dropped before them.
        self.upload(to, from)
    }
    fn download(&self, from: Ptr, to: &mut [u8]) -> Result<()> {
        self.0.enter()?;
        // SAFETY: the slice has so many bytes, and is borrowed until the stream has been waited for.
        driver("cuMemcpyDtoHAsync", unsafe {
            cu::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from.0, to.len(), self.0.stream)
        })?;
        self.0.synchronize()
    }
    fn fetch(&self, from: Ptr, bytes: usize) -> Result<Box<dyn Fetched>> {
        if bytes > MOST_FETCHED {
            let mut b = vec![0; bytes];
            self.download(from, &mut b)?;
            return Ok(Box::new(Done(b)));
        }
        self.0.enter()?;
        let p = self.0.pinned()?;
        let (at, event) = (p.at, p.event);
        let scalar = Scalar { of: self.0.clone(), pinned: Some(p), bytes };
        // SAFETY: there is room for so many bytes, which nobody else has until the event has been waited for.
        unsafe {
            driver("cuMemcpyDtoHAsync", cu::cuMemcpyDtoHAsync_v2(at, from.0, bytes, self.0.stream))?;
            driver("cuEventRecord", cu::cuEventRecord(event, self.0.stream))?;
        }
        Ok(Box::new(scalar))
    }
    fn copy(&self, to: Ptr, from: Ptr, bytes: usize) -> Result<()> {
        self.0.enter()?;
        // SAFETY: addresses of the device, which checks them.
        driver("cuMemcpyDtoDAsync", unsafe { cu::cuMemcpyDtoDAsync_v2(to.0, from.0, bytes, self.0.stream) })
    }
    fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }
    fn load(&self, source: &Source) -> Result<Box<dyn Module>> {
        let image = self.0.nvrtc.cubin(&source.text(), &self.0.arch)?.image;
        self.0.enter()?;
        let mut module = std::ptr::null_mut();
        // SAFETY: the image is machine code with its length in it, as NVRTC wrote it; the driver copies it.
        driver("cuModuleLoadData", unsafe { cu::cuModuleLoadData(&raw mut module, image.as_ptr().cast()) })?;
        let mut loaded = Loaded { of: self.0.clone(), module, kernels: HashMap::new() };
        for k in &source.kernels {
            let name = CString::new(k.name.as_str())
                .map_err(|_| Error::new(Code::E1302, "a kernel's name has a zero byte"))?;
            let mut f = std::ptr::null_mut();
            // SAFETY: the module is loaded, and the name ends in a zero.
            driver("cuModuleGetFunction", unsafe { cu::cuModuleGetFunction(&raw mut f, module, name.as_ptr()) })
                .map_err(|e| e.note(format!("kernel `{}`", k.name)))?;
            loaded.kernels.insert(k.name.clone(), (f, k.params.len()));
        }
        Ok(Box::new(loaded))
    }
    fn begin_capture(&self) -> Result<()> {
        self.0.enter()?;
        let mode = cu::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream lives, and nothing else is started on it meanwhile.
        driver("cuStreamBeginCapture", unsafe { cu::cuStreamBeginCapture_v2(self.0.stream, mode) })
    }
    fn end_capture(&self) -> Result<u64> {
        self.0.enter()?;
        let (mut graph, mut exec) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: each writes to the place that it is given; the graph is no longer needed once it has been made ready.
        unsafe {
            driver("cuStreamEndCapture", cu::cuStreamEndCapture(self.0.stream, &raw mut graph))?;
            let r = cu::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0);
            cu::cuGraphDestroy(graph);
            driver("cuGraphInstantiate", r)?;
        }
        Ok(exec as u64)
    }
    fn launch_graph(&self, graph: u64) -> Result<()> {
        self.0.enter()?;
        // SAFETY: `end_capture` gave it, and what it reads and writes lives as long as it.
        driver("cuGraphLaunch", unsafe { cu::cuGraphLaunch(graph as cu::CUgraphExec, self.0.stream) })
    }
    fn destroy_graph(&self, graph: u64) {
        // It may be at work. What fails here has failed before.
        let _ = self.0.synchronize();
        // SAFETY: `end_capture` gave it, and it is not at work.
        unsafe { cu::cuGraphExecDestroy(graph as cu::CUgraphExec) };
    }
    fn product(&self, p: &Product, work: (Ptr, usize)) -> Result<bool> {
        self.0.product(p, work)
    }
    fn substitution(&self, s: &Substitution) -> Result<()> {
        use blas::{cublasDiagType_t as D, cublasFillMode_t as F, cublasOperation_t as O, cublasSideMode_t as S};
        let h = self.0.blas()?;
        self.0.enter()?;
        let side = if s.left { S::CUBLAS_SIDE_LEFT } else { S::CUBLAS_SIDE_RIGHT };
        let fill = if s.lower { F::CUBLAS_FILL_MODE_LOWER } else { F::CUBLAS_FILL_MODE_UPPER };
        let op = match (s.transpose, s.conj) {
            (false, _) => O::CUBLAS_OP_N,
            (true, false) => O::CUBLAS_OP_T,
            (true, true) => O::CUBLAS_OP_C,
        };
        let diag = if s.unit { D::CUBLAS_DIAG_UNIT } else { D::CUBLAS_DIAG_NON_UNIT };
        let ([m, n], lda, ldb) = (s.mn.map(int), int(s.a.1), int(s.b.1));
        let ([m, n], lda, ldb) = ([m?, n?], lda?, ldb?);
        let (one, wide) = ([1f32, 0.0], [1f64, 0.0]);
        /// Calls the function of a type.
        macro_rules! trsm {
            ($f:ident, $t:ty, $one:expr) => {
                // SAFETY: addresses of the device, with these extents; the factor is read before it returns.
                unsafe {
                    blas::$f(
                        h,
                        side,
                        fill,
                        op,
                        diag,
                        m,
                        n,
                        $one.as_ptr().cast::<$t>(),
                        s.a.0.0 as *const $t,
                        lda,
                        s.b.0.0 as *mut $t,
                        ldb,
                    )
                }
            };
        }
        let r = match s.dtype {
            DType::F32 => trsm!(cublasStrsm_v2, f32, one),
            DType::F64 => trsm!(cublasDtrsm_v2, f64, wide),
            DType::C32 => trsm!(cublasCtrsm_v2, blas::cuComplex, one),
            DType::C64 => trsm!(cublasZtrsm_v2, blas::cuDoubleComplex, wide),
            d => return Err(none(d)),
        };
        status("cublas trsm", r, blas::cublasStatus_t::CUBLAS_STATUS_SUCCESS)
    }
    fn solver_work(&self, c: &Call) -> Result<(usize, usize)> {
        self.0.solver_work(c)
    }
    fn solver(&self, c: &Call, work: (Ptr, usize), host: &mut [u8]) -> Result<()> {
        self.0.solve(c, work, host)
    }
    fn has(&self, symbol: &'static str) -> Result<bool> {
        self.0.has(symbol)
    }
    fn plan(&self, l: &Lines) -> Result<(i32, usize)> {
        self.0.fft()?;
        self.0.enter()?;
        let (mut plan, mut work) = (0, 0usize);
        // SAFETY: it writes the handle.
        transformed("cufftCreate", unsafe { fft::cufftCreate(&raw mut plan) })?;
        let half = l.n as i64 / 2 + 1;
        let (mut n, mut long) = (l.n as i64, l.n as i64);
        let mut short = half;
        let (input, output) = match l.kind {
            LineKind::Real => (&raw mut long, &raw mut short),
            LineKind::InverseReal => (&raw mut short, &raw mut long),
            LineKind::Forward | LineKind::Inverse => (&raw mut long, &raw mut long),
        };
        let [step_in, line_in] = l.from.map(|x| x as i64);
        let [step_out, line_out] = l.to.map(|x| x as i64);
        // SAFETY: the handle was made above; lengths are read, and the number of bytes written, before they return.
        let made = unsafe {
            transformed("cufftSetAutoAllocation", fft::cufftSetAutoAllocation(plan, 0)).and_then(|()| {
                let r = fft::cufftMakePlanMany64(
                    plan,
                    1,
                    &raw mut n,
                    input,
                    step_in,
                    line_in,
                    output,
                    step_out,
                    line_out,
                    kind(l),
                    l.count as i64,
                    &raw mut work,
                );
                transformed("cufftMakePlanMany64", r)?;
                transformed("cufftSetStream", fft::cufftSetStream(plan, self.0.stream.cast()))
            })
        };
        if let Err(e) = made {
            self.destroy_plan(plan);
            return Err(e);
        }
        Ok((plan, work))
    }
    fn transform(&self, plan: i32, l: &Lines, work: Ptr, from: Ptr, to: Ptr) -> Result<()> {
        self.0.enter()?;
        /// Calls the function of a type.
        macro_rules! run {
            ($f:ident($($way:expr)?)) => {
                // SAFETY: addresses of the device with the extents of the plan, which has its work memory.
                unsafe { fft::$f(plan, from.0 as *mut _, to.0 as *mut _ $(, $way)?) }
            };
        }
        // SAFETY: the plan lives, and asked for no more.
        transformed("cufftSetWorkArea", unsafe { fft::cufftSetWorkArea(plan, work.0 as *mut c_void) })?;
        // CUFFT_FORWARD, CUFFT_INVERSE
        let way = if l.kind == LineKind::Forward { -1 } else { 1 };
        let r = match (l.kind, l.double) {
            (LineKind::Forward | LineKind::Inverse, false) => run!(cufftExecC2C(way)),
            (LineKind::Forward | LineKind::Inverse, true) => run!(cufftExecZ2Z(way)),
            (LineKind::Real, false) => run!(cufftExecR2C()),
            (LineKind::Real, true) => run!(cufftExecD2Z()),
            (LineKind::InverseReal, false) => run!(cufftExecC2R()),
            (LineKind::InverseReal, true) => run!(cufftExecZ2D()),
        };
        transformed("cufftExec", r)
    }
    fn destroy_plan(&self, plan: i32) {
        // SAFETY: `plan` gave it. What fails here harms nobody.
        unsafe { fft::cufftDestroy(plan) };
    }
}
/// Bytes that have been copied from the device already, so that nobody waits for them.
struct Done(Vec<u8>);
impl Fetched for Done {
    fn wait(self: Box<Self>) -> Result<Vec<u8>> {
        Ok(self.0)
    }
}
fn none(d: DType) -> Error {
    Error::bug(Code::E0718, format!("no library has {d}"))
}
fn int(n: usize) -> Result<c_int> {
    c_int::try_from(n).map_err(|_| Error::new(Code::E1303, format!("no library takes an extent of {n}")))
}
fn kind(l: &Lines) -> fft::cufftType {
    use fft::cufftType as T;
    match (l.kind, l.double) {
        (LineKind::Forward | LineKind::Inverse, false) => T::CUFFT_C2C,
        (LineKind::Forward | LineKind::Inverse, true) => T::CUFFT_Z2Z,
        (LineKind::Real, false) => T::CUFFT_R2C,
        (LineKind::Real, true) => T::CUFFT_D2Z,
        (LineKind::InverseReal, false) => T::CUFFT_C2R,
        (LineKind::InverseReal, true) => T::CUFFT_Z2D,
    }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn a_library_that_is_missing_is_named_with_where_it_was_looked_for() {
        let e = there(Path::new("/nowhere"), "cuFFT", &["libcufft.so.12"], || false).unwrap_err();
        let d = e.data();
        assert_eq!((d.code.name(), &*d.message), ("E1306", "there is no cuFFT"));
        assert!(d.notes[0].contains("libcufft.so.13") && d.notes[0].contains("/nowhere/libcufft.so.12"), "{e}");
        assert!(there(Path::new("/nowhere"), "cuFFT", &[], || true).is_ok());
    }
    /// All of them.
    pub const ALL: &[fn()] = &[a_library_that_is_missing_is_named_with_where_it_was_looked_for];
}
