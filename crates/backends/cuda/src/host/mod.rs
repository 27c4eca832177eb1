//! This machine as a device: the kernels' text is compiled as C++, and blocks and threads run one after the other, always in the
//! same order. Nothing is fast here; everything is watched.
//!
//! * **Inside**: an access lies in the allocation into which its parameter points, which is not freed, at a multiple of its
//!   alignment, and what is read has been written.
//! * **No race**: of two accesses of a launch to one place by two threads, at least one of which writes, one comes before the
//!   other by a barrier (or `__syncwarp`, for a warp) or both are atomic. Shuffles give no order, as in CUDA.
//! * **Barriers** are reached by all threads of the block, at the same line; shuffles and `__syncwarp` by all 32 lanes of a warp.
//!
//! What breaks a rule is an error with the kernel, the block, the thread, the parameter and the line; the launch ends there, and
//! the device goes on to work. Texts are compiled once and kept on disk.
//!
//! Text for it keeps to what CUDA has, and to this: memory is read and written by `In<T>`, `Out<T>` and arrays of `SHARED`;
//! values are read into a variable of a written type (`const f32 t = x(0)`, not `auto`); `&y(0)` is for atomics only.
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use libloading::Library;
use tfc_ir::{Code, Error, Result};

use crate::cache;
use crate::device::{Arg, Device, Module, Ptr, Shape};
use crate::text::{Kernel, Source, Written as _};

const SHIM: &str = include_str!("shim.h");
const MACHINE: &str = include_str!("machine.cpp");
/// Flags of kernels. Most of them run once, on little: the compiler takes longer than they do. A product and a sum stay two roundings, as on a device; texts look at one place as of several types.
const FLAGS: [&str; 7] = ["-std=c++17", "-O0", "-fPIC", "-shared", "-ffp-contract=off", "-fno-strict-aliasing", "-w"];
/// Flags of the machine. It changes stacks by `longjmp`, which a fortified libc takes for an attack.
const MACHINE_FLAGS: [&str; 7] =
    ["-std=c++17", "-O2", "-fPIC", "-shared", "-U_FORTIFY_SOURCE", "-fno-strict-aliasing", "-w"];
/// Bytes and number of freed allocations that are still known, so that a use of them is told apart from any other address.
const MOST_DEAD: (usize, usize) = (64 << 20, 4096);

/// The machine's functions, as `machine.cpp` has them.
struct Api {
    new: unsafe extern "C" fn() -> *mut c_void,
    delete: unsafe extern "C" fn(*mut c_void),
    shape: unsafe extern "C" fn(*mut c_void, *const u32, *const u32),
    message: unsafe extern "C" fn(*const c_void, *mut u32) -> *const c_char,
    buf_new: unsafe extern "C" fn(u64) -> *mut c_void,
    buf_delete: unsafe extern "C" fn(*mut c_void),
    buf_base: unsafe extern "C" fn(*const c_void) -> u64,
    buf_end: unsafe extern "C" fn(*mut c_void),
    buf_write: unsafe extern "C" fn(*mut c_void, u64, *const u8, u64),
    buf_read: unsafe extern "C" fn(*const c_void, u64, *mut u8, u64) -> u64,
    buf_copy: unsafe extern "C" fn(*mut c_void, u64, *const c_void, u64, u64),
    /// What they are in: loaded as long as they are.
    _library: Library,
}
impl Api {
    fn load(path: &Path) -> Result<Api, libloading::Error> {
        /// A function of the library, of the type of the field.
        macro_rules! symbol {
            ($l:expr, $name:literal) => {
                // SAFETY: the library is `machine.cpp`, compiled from the text beside this file, where it has that type.
                *unsafe { $l.get(concat!($name, "\0").as_bytes()) }?
            };
        }
        // SAFETY: what the library does when it is loaded is nothing: `machine.cpp` has no constructors.
        let l = unsafe { Library::new(path) }?;
        Ok(Api {
            new: symbol!(l, "tfc_machine_new"),
            delete: symbol!(l, "tfc_machine_delete"),
            shape: symbol!(l, "tfc_machine_shape"),
            message: symbol!(l, "tfc_machine_message"),
            buf_new: symbol!(l, "tfc_buf_new"),
            buf_delete: symbol!(l, "tfc_buf_delete"),
            buf_base: symbol!(l, "tfc_buf_base"),
            buf_end: symbol!(l, "tfc_buf_end"),
            buf_write: symbol!(l, "tfc_buf_write"),
            buf_read: symbol!(l, "tfc_buf_read"),
            buf_copy: symbol!(l, "tfc_buf_copy"),
            _library: l,
        })
    }
}
/// `tfc_Arg` of `shim.h`.
#[repr(C)]
struct RawArg {
    ptr: u64,
    buf: *const c_void,
    bytes: *const u8,
    size: u64,
}
type Start = unsafe extern "C" fn(*mut c_void, *const RawArg) -> i32;

#[derive(Clone, Copy)]
struct Buf {
    /// `tfc_Buf` of `machine.cpp`.
    raw: *mut c_void,
    size: usize,
    live: bool,
}
struct State {
    api: Api,
    machine: *mut c_void,
    /// By address.
    bufs: BTreeMap<u64, Buf>,
    /// Freed, the oldest first.
    dead: VecDeque<u64>,
    dead_bytes: usize,
    /// What went wrong where nothing could be said.
    fault: Option<String>,
}
// SAFETY: the machine and the allocations belong to this state alone and are bound to no thread; a lock stands before them.
unsafe impl Send for State {}
impl Drop for State {
    fn drop(&mut self) {
        for b in self.bufs.values() {
            // SAFETY: each was made by `buf_new` and is deleted here only, or in `bury`, which takes it out of the map.
            unsafe { (self.api.buf_delete)(b.raw) }
        }
        // SAFETY: made by `new`; nothing makes use of it any more.
        unsafe { (self.api.delete)(self.machine) }
    }
}
impl State {
    /// The allocation of an address, which may be the end of it, and the bytes before the address.
    fn find(&self, p: Ptr) -> Option<(Buf, usize)> {
        let (&base, &b) = self.bufs.range(..=p.0).next_back()?;
        let off = usize::try_from(p.0 - base).ok()?;
        (off <= b.size).then_some((b, off))
    }
    /// So many bytes from an address on.
    fn range(&self, p: Ptr, n: usize, what: &str) -> Result<(Buf, usize)> {
        match self.find(p) {
            Some((b, off)) if b.live && b.size - off >= n => Ok((b, off)),
            Some((b, _)) if !b.live => Err(broken(format!("{what} {n} bytes of memory that has been given back"))),
            Some((b, off)) => {
                Err(broken(format!("{what} {n} bytes from byte {off} on of an allocation of {} bytes", b.size)))
            }
            None if n == 0 => Ok((Buf { raw: std::ptr::null_mut(), size: 0, live: true }, 0)),
            None => Err(broken(format!("{what} {n} bytes of an address in no allocation"))),
        }
    }
    fn bury(&mut self, base: u64, size: usize) {
        self.dead.push_back(base);
        self.dead_bytes += size;
        while self.dead_bytes > MOST_DEAD.0 || self.dead.len() > MOST_DEAD.1 {
            let Some(b) = self.dead.pop_front().and_then(|a| self.bufs.remove(&a)) else { break };
            self.dead_bytes -= b.size;
            // SAFETY: made by `buf_new`, and no longer in the map.
            unsafe { (self.api.buf_delete)(b.raw) }
        }
    }
}
struct Inner {
    compiler: Compiler,
    state: Mutex<State>,
}
impl Inner {
    fn lock(&self) -> Result<MutexGuard<'_, State>> {
        // A panic elsewhere leaves the state whole: nothing here panics half-way.
        let mut s = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match s.fault.take() {
            Some(f) => Err(broken(f)),
            None => Ok(s),
        }
    }
}
/// This machine as a device.
#[derive(Clone)]
pub struct Host(Arc<Inner>);
impl Host {
    /// The device; its compiler is `CXX`, else `c++`, `g++` or `clang++`.
    ///
    /// # Errors
    /// `E1301` there is no C++ compiler; `E1302` it does not compile what runs kernels.
    pub fn new() -> Result<Host> {
        let compiler = Compiler::find()?;
        let text = MACHINE.replace("#include \"shim.h\"\n", SHIM);
        let api = compiler.library(&text, &MACHINE_FLAGS, &text, Api::load)?;
        // SAFETY: it takes nothing and gives a machine, or null.
        let machine = unsafe { (api.new)() };
        if machine.is_null() {
            return Err(Error::new(Code::E0705, "there is no memory for a machine that runs kernels"));
        }
        let state = State { api, machine, bufs: BTreeMap::new(), dead: VecDeque::new(), dead_bytes: 0, fault: None };
        Ok(Host(Arc::new(Inner { compiler, state: Mutex::new(state) })))
    }
}
fn broken(what: impl Into<String>) -> Error {
    Error::new(Code::E1303, what)
}
impl Device for Host {
    fn describe(&self) -> String {
        format!("this machine, kernels compiled by {} and watched", self.0.compiler.version)
    }
    fn alloc(&self, bytes: usize) -> Result<Ptr> {
        let mut s = self.0.lock()?;
        // SAFETY: any size may be asked for; null says that there is none.
        let raw = unsafe { (s.api.buf_new)(bytes as u64) };
        if raw.is_null() {
            return Err(Error::new(Code::E0705, format!("there is no memory for {bytes} bytes that are watched")));
        }
        // SAFETY: it was made right here.
        let base = unsafe { (s.api.buf_base)(raw) };
        s.bufs.insert(base, Buf { raw, size: bytes, live: true });
        Ok(Ptr(base))
    }
    fn free(&self, p: Ptr) {
        let mut guard = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        let s = &mut *guard;
        match s.bufs.get_mut(&p.0).filter(|b| b.live) {
            Some(b) => {
                b.live = false;
                // SAFETY: it was made by `buf_new` and not deleted.
                unsafe { (s.api.buf_end)(b.raw) }
                let size = b.size;
                s.bury(p.0, size);
            }
            None => s.fault = Some("memory is given back that was not taken, or twice".into()),
        }
    }
    fn upload(&self, to: Ptr, from: &[u8]) -> Result<()> {
        let s = self.0.lock()?;
        let (b, off) = s.range(to, from.len(), "an upload writes")?;
        if !from.is_empty() {
            // SAFETY: so many bytes lie in the live allocation from there on, and in the slice, which is elsewhere.
            unsafe { (s.api.buf_write)(b.raw, off as u64, from.as_ptr(), from.len() as u64) }
        }
        Ok(())
    }
    fn download(&self, from: Ptr, to: &mut [u8]) -> Result<()> {
        let s = self.0.lock()?;
        let (b, off) = s.range(from, to.len(), "a download reads")?;
        if to.is_empty() {
            return Ok(());
        }
        // SAFETY: so many bytes lie in the live allocation from there on, and in the slice, which is elsewhere.
        let read = unsafe { (s.api.buf_read)(b.raw, off as u64, to.as_mut_ptr(), to.len() as u64) } as usize;
        if read < to.len() {
            return Err(broken(format!(
                "a download reads byte {} of an allocation of {} bytes, which nothing has written",
                off + read,
                b.size
            )));
        }
        Ok(())
    }
    fn copy(&self, to: Ptr, from: Ptr, bytes: usize) -> Result<()> {
        let s = self.0.lock()?;
        let (b, off) = s.range(to, bytes, "a copy writes")?;
        let (a, start) = s.range(from, bytes, "a copy reads")?;
        if bytes > 0 {
            if a.raw == b.raw && start.abs_diff(off) < bytes {
                return Err(broken(format!(
                    "a copy of {bytes} bytes from byte {start} to byte {off} of one allocation overlaps"
                )));
            }
            // SAFETY: so many bytes lie in either live allocation from there on.
            unsafe { (s.api.buf_copy)(b.raw, off as u64, a.raw, start as u64, bytes as u64) }
        }
        Ok(())
    }
    fn load(&self, source: &Source) -> Result<Box<dyn Module>> {
        let text = source.text();
        let mut all = format!(
            "#define TFC_HOST\n#line 1 \"shim.h\"\n{SHIM}#line 1 \"kernels.cu\"\n{text}\n#line 1 \"launch.cpp\"\n"
        );
        for k in &source.kernels {
            launcher(&mut all, k);
        }
        let library = self.0.compiler.library(&all, &FLAGS, &text, |p| {
            // SAFETY: it was compiled from that text, which does nothing when it is loaded.
            unsafe { Library::new(p) }
        })?;
        let mut kernels = HashMap::new();
        for k in &source.kernels {
            // SAFETY: `launcher` wrote it, with that type.
            let start =
                *unsafe { library.get::<Start>(format!("tfc_start_{}\0", k.name).as_bytes()) }.map_err(|e| {
                    Error::new(Code::E1302, format!("kernel `{}` is missing where it was compiled: {e}", k.name))
                })?;
            kernels.insert(k.name.clone(), (start, k.params.len()));
        }
        Ok(Box::new(Loaded { host: self.0.clone(), kernels, text, _library: library }))
    }
}
/// What starts a kernel: takes its arguments, and hands the machine the call of one thread.
fn launcher(out: &mut String, k: &Kernel) {
    let name = &k.name;
    let fields: String = k.params.iter().map(|p| format!("  {} {};\n", p.ty, p.name)).collect();
    let pass: Vec<String> = k.params.iter().map(|p| format!("b.{}", p.name)).collect();
    let takes: String = k
        .params
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let (n, ty) = (i + 1, &p.ty);
            format!(
                "  if (!tfc_take(b.{0}, a[{i}], \"{0}\")) return m->refuse(m, \"{name}\", \"argument {n} is none for `{ty} {0}`\");\n",
                p.name
            )
        })
        .collect();
    let _ = write!(
        out,
        "struct tfc_args_{name} {{\n{fields}}};\nstatic void tfc_call_{name}(const void *a) {{\n  \
         const tfc_args_{name} &b = *(const tfc_args_{name} *)a;\n  {name}({});\n}}\n\
         extern \"C\" int tfc_start_{name}(tfc_Machine *m, const tfc_Arg *a) {{\n  tfc_machine = m;\n  tfc_args_{name} b;\n{takes}  \
         return m->run(m, \"{name}\", tfc_call_{name}, &b);\n}}\n",
        pass.join(", ")
    );
}
/// Kernels that this machine has compiled.
struct Loaded {
    host: Arc<Inner>,
    /// How each is started, and its number of parameters.
    kernels: HashMap<String, (Start, usize)>,
    /// The text as written: errors quote it.
    text: String,
    /// What they are in: loaded as long as they are.
    _library: Library,
}
impl Module for Loaded {
    fn launch(&self, kernel: &str, shape: Shape, args: &[Arg]) -> Result<()> {
        let s = self.host.lock()?;
        let Some(&(start, params)) = self.kernels.get(kernel) else {
            return Err(broken(format!("there is no kernel `{kernel}`")));
        };
        if params != args.len() {
            return Err(broken(format!("kernel `{kernel}` takes {params} arguments, not {}", args.len())));
        }
        fits(kernel, shape)?;
        let raw: Vec<RawArg> = args
            .iter()
            .map(|a| match a {
                Arg::Ptr(p) => {
                    let buf = s.find(*p).map_or(std::ptr::null(), |(b, _)| b.raw.cast_const());
                    RawArg { ptr: p.0, buf, bytes: std::ptr::null(), size: u64::MAX }
                }
                other => {
                    let (bytes, size) = other.value();
                    RawArg { ptr: 0, buf: std::ptr::null(), bytes, size: size as u64 }
                }
            })
            .collect();
        // SAFETY: the machine is alive and under the lock; grid and block have three numbers each.
        unsafe { (s.api.shape)(s.machine, shape.grid.as_ptr(), shape.block.as_ptr()) };
        // SAFETY: there is an argument for each parameter; sizes are checked there, and all accesses are. No frame of Rust lies
        // above it that it could jump over: what it jumps over is its own.
        if unsafe { start(s.machine, raw.as_ptr()) } == 0 {
            return Ok(());
        }
        let mut line = 0;
        // SAFETY: the machine's message ends in a zero and stays as it is under the lock.
        let message =
            unsafe { CStr::from_ptr((s.api.message)(s.machine, &raw mut line)) }.to_string_lossy().into_owned();
        let mut lines = message.lines();
        let mut e = broken(format!("kernel `{kernel}`: {}", lines.next().unwrap_or_default()));
        for l in lines {
            e = e.note(l);
        }
        match cache::line(&self.text, line as usize) {
            Some(l) => Err(e.note(l)),
            None => Err(e),
        }
    }
}
/// Checks that devices take that shape.
fn fits(kernel: &str, s: Shape) -> Result<()> {
    let threads: u64 = s.block.iter().map(|&n| u64::from(n)).product();
    let ok = (1..=1024).contains(&threads)
        && s.block[2] <= 64
        && s.grid.iter().all(|&n| n > 0)
        && s.grid[0] <= i32::MAX as u32
        && s.grid[1..].iter().all(|&n| n <= 65535);
    if ok {
        return Ok(());
    }
    Err(broken(format!("kernel `{kernel}`: no device takes a grid of {:?} blocks of {:?} threads", s.grid, s.block)))
}
/// The C++ compiler of this machine.
struct Compiler {
    command: Vec<String>,
    /// The first line of what it says of itself.
    version: String,
}
impl Compiler {
    fn find() -> Result<Compiler> {
        let set = std::env::var("CXX").ok().filter(|c| !c.trim().is_empty());
        let tried: Vec<String> = match &set {
            Some(c) => vec![c.clone()],
            None => ["c++", "g++", "clang++"].map(String::from).to_vec(),
        };
        for c in &tried {
            let command: Vec<String> = c.split_whitespace().map(String::from).collect();
            let Some((program, rest)) = command.split_first() else { continue };
            if let Ok(o) = Command::new(program).args(rest).arg("--version").output()
                && o.status.success()
            {
                let text = String::from_utf8_lossy(&o.stdout);
                let version = text.lines().next().unwrap_or_default().to_owned();
                return Ok(Compiler { command, version });
            }
        }
        let tried: Vec<String> = tried.iter().map(|t| format!("`{t}`")).collect();
        Err(Error::new(Code::E1301, "there is no C++ compiler").note(format!("tried: {}", tried.join(", "))).help(
            match set {
                Some(_) => "CXX names no compiler that runs; unset it or name one",
                None => "install g++ or clang++, or name one in CXX",
            },
        ))
    }
    /// A library from a text, compiled unless it was, and loaded. `shown` is the text whose lines errors quote.
    fn library<T>(
        &self,
        text: &str,
        flags: &[&str],
        shown: &str,
        load: impl Fn(&Path) -> Result<T, libloading::Error>,
    ) -> Result<T> {
        let name = cache::key(&[&self.command.join(" "), &self.version, &flags.join(" "), text]) + ".so";
        let path = cache::file(&name, |to| self.compile(text, flags, shown, to))?;
        load(&path).or_else(|_| {
            // A file that does not load was left by a disk that was full, or is not of this machine; or another process has
            // removed it. Once more; where it cannot be removed, it is found again, and does not load again.
            let _ = std::fs::remove_file(&path);
            let path = cache::file(&name, |to| self.compile(text, flags, shown, to))?;
            load(&path)
                .map_err(|e| Error::new(Code::E1302, format!("what {} compiled cannot be loaded: {e}", self.version)))
        })
    }
    fn compile(&self, text: &str, flags: &[&str], shown: &str, to: &Path) -> Result<()> {
        let source =
            to.with_file_name(to.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default() + ".cpp");
        std::fs::write(&source, text).map_err(|e| cache::denied(&source, &e))?;
        let (program, rest) =
            self.command.split_first().ok_or_else(|| Error::new(Code::E1301, "there is no C++ compiler"))?;
        let out = Command::new(program).args(rest).args(flags).arg("-o").arg(to).arg(&source).output();
        // It is of no use any more; that it may stay is no harm.
        let _ = std::fs::remove_file(&source);
        let out = out.map_err(|e| Error::new(Code::E1301, format!("`{program}` does not start: {e}")))?;
        if out.status.success() {
            return Ok(());
        }
        Err(cache::refused(&self.version, shown, &String::from_utf8_lossy(&out.stderr)))
    }
}
