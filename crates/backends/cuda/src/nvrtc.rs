//! NVRTC, NVIDIA's compiler of kernels as a library: text to code for a device. It needs no device, and nothing of it is needed to
//! build this crate: the library is loaded when a compiler is asked for ([`Nvrtc::find`]).
//!
//! Products and sums stay two roundings (`--fmad=false`): a kernel gives what the same text gives elsewhere. Results are kept on
//! disk under the hash of the text, the device, the flags and the compiler's version.
//!
//! All that talks to the library is in this file. Its interface is that of `nvrtc.h` (NVRTC 12 and 13 have what is used here).
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libloading::Library;
use tfc_ir::{Code, Error, Result};

use crate::cache;

/// The variable that says where NVRTC is: its file, or a folder that has it.
pub const VARIABLE: &str = "TFC_NVRTC";
/// Names of the library, the best first.
const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];
/// Where it is, from a folder that is named: there, in a toolkit, in what pip unpacks.
const INSIDE: [&str; 5] = ["", "lib64", "lib", "nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"];
const HOW: &str = "`pip install nvidia-cuda-nvrtc==13.0.88` brings it; the variable TFC_NVRTC names its file, or the folder that has it";

/// `nvrtcResult`; zero is success.
type Status = c_int;
/// `nvrtcProgram`.
type Program = *mut c_void;
/// A function that gives a size.
type SizeOf = unsafe extern "C" fn(Program, *mut usize) -> Status;
/// A function that fills so many bytes.
type Fill = unsafe extern "C" fn(Program, *mut c_char) -> Status;

struct Api {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    error: unsafe extern "C" fn(Status) -> *const c_char,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    log: (SizeOf, Fill),
    cubin: (SizeOf, Fill),
    ptx: (SizeOf, Fill),
    /// What the functions are in, and what that loads by name. Never unloaded: NVRTC has threads of its own.
    _libraries: ManuallyDrop<Vec<Library>>,
}
impl Api {
    fn load(path: &Path) -> Result<Api, libloading::Error> {
        let mut all = vec![];
        // NVRTC asks for its built-in functions by name, and finds them only where they are loaded already: no search path is in it.
        for b in builtins(path) {
            // SAFETY: a library of NVRTC's own, beside the one that was named; it only holds data.
            all.push(unsafe { Library::new(b) }?);
        }
        // SAFETY: the user named it as NVRTC, or it has NVRTC's name; loading it runs its constructors, which ask for nothing.
        let l = unsafe { Library::new(path) }?;
        /// A function of the library, of the type of the field.
        macro_rules! symbol {
            ($name:literal) => {
                // SAFETY: in NVRTC, the symbol of that name is the function that `nvrtc.h` declares with that type.
                *unsafe { l.get(concat!($name, "\0").as_bytes()) }?
            };
        }
        Ok(Api {
            version: symbol!("nvrtcVersion"),
            error: symbol!("nvrtcGetErrorString"),
            create: symbol!("nvrtcCreateProgram"),
            compile: symbol!("nvrtcCompileProgram"),
            destroy: symbol!("nvrtcDestroyProgram"),
            log: (symbol!("nvrtcGetProgramLogSize"), symbol!("nvrtcGetProgramLog")),
            cubin: (symbol!("nvrtcGetCUBINSize"), symbol!("nvrtcGetCUBIN")),
            ptx: (symbol!("nvrtcGetPTXSize"), symbol!("nvrtcGetPTX")),
            _libraries: {
                all.push(l);
                ManuallyDrop::new(all)
            },
        })
    }
    /// What a status is called.
    fn name(&self, s: Status) -> String {
        // SAFETY: it gives a text that ends in a zero and is there for good, for any number.
        unsafe { CStr::from_ptr((self.error)(s)) }.to_string_lossy().into_owned()
    }
    /// Bytes of a program: its log, its code.
    fn bytes(&self, p: Program, (size, fill): (SizeOf, Fill)) -> Result<Vec<u8>, Status> {
        let mut n = 0;
        // SAFETY: the program is alive, and the size is written to `n`.
        let s = unsafe { size(p, &raw mut n) };
        if s != 0 {
            return Err(s);
        }
        let mut out = vec![0u8; n];
        if n > 0 {
            // SAFETY: the program is alive, and so many bytes as it said are there to be written.
            let s = unsafe { fill(p, out.as_mut_ptr().cast()) };
            if s != 0 {
                return Err(s);
            }
        }
        Ok(out)
    }
}
/// Libraries with built-in functions beside NVRTC.
fn builtins(nvrtc: &Path) -> Vec<PathBuf> {
    let Some(dir) = nvrtc.parent().filter(|d| !d.as_os_str().is_empty()) else { return vec![] };
    let mut all: Vec<PathBuf> = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|f| f.path()).collect();
    all.retain(|f| f.file_name().is_some_and(|n| n.to_string_lossy().starts_with("libnvrtc-builtins.so.")));
    all.sort();
    all
}

/// What a kernel takes of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Registers of a thread, of 32 bits.
    pub registers: u32,
    /// Bytes of shared memory of a block.
    pub shared: u32,
    /// Bytes that a thread stores and loads because registers are short.
    pub spills: u32,
}
/// What text became.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// The code: an ELF file (cubin), or text (PTX).
    pub image: Vec<u8>,
    /// What the compiler said.
    pub log: String,
    /// By kernel.
    pub usage: BTreeMap<String, Usage>,
}
/// NVRTC.
#[derive(Clone)]
pub struct Nvrtc {
    api: Arc<Api>,
    version: (c_int, c_int),
    path: PathBuf,
}
impl Nvrtc {
    /// NVRTC where [`VARIABLE`] says it is; else that of the Python environment that is active, of `target/nvrtc`, of the toolkit
    /// (`CUDA_HOME`, `CUDA_PATH`), or what the system finds by name.
    ///
    /// # Errors
    /// `E1301` there is none.
    pub fn find() -> Result<Nvrtc> {
        let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        if let Some(p) = var(VARIABLE) {
            return Nvrtc::at(&p);
        }
        let folders = ["VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(var);
        let folders = folders.chain([PathBuf::from("target/nvrtc")]);
        let mut all: Vec<PathBuf> = folders.flat_map(|f| files(&f)).collect();
        all.extend(NAMES.map(PathBuf::from));
        Nvrtc::first(&all)
    }
    /// NVRTC from a file, or from a folder that has it: the library's own, a toolkit's, a Python environment's.
    ///
    /// # Errors
    /// `E1301` there is none.
    pub fn at(path: &Path) -> Result<Nvrtc> {
        let all = if path.is_dir() { files(path) } else { vec![path.to_owned()] };
        if all.is_empty() {
            return Err(Error::new(Code::E1301, format!("there is no NVRTC in `{}`", path.display())).help(HOW));
        }
        Nvrtc::first(&all)
    }
    fn first(all: &[PathBuf]) -> Result<Nvrtc> {
        let mut e = Error::new(Code::E1301, "there is no NVRTC, the compiler of kernels");
        for path in all {
            match Api::load(path) {
                Ok(api) => {
                    let mut version = (0, 0);
                    // SAFETY: it writes two numbers.
                    let s = unsafe { (api.version)(&raw mut version.0, &raw mut version.1) };
                    if s == 0 {
                        return Ok(Nvrtc { api: Arc::new(api), version, path: path.clone() });
                    }
                    e = e.note(format!("`{}`: {}", path.display(), api.name(s)));
                }
                Err(why) => e = e.note(format!("`{}`: {why}", path.display())),
            }
        }
        Err(e.help(HOW))
    }
    /// Version and file of the compiler, for people.
    pub fn describe(&self) -> String {
        format!("NVRTC {}.{} ({})", self.version.0, self.version.1, self.path.display())
    }
    /// File of the compiler.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Version of the compiler.
    pub fn version(&self) -> (u32, u32) {
        (self.version.0.unsigned_abs(), self.version.1.unsigned_abs())
    }
    /// Text as machine code of a device: `sm_80`, `sm_90`.
    ///
    /// # Errors
    /// `E1302` it does not compile, or there is no such device.
    pub fn cubin(&self, text: &str, arch: &str) -> Result<Compiled> {
        self.kept(text, arch, "cubin", self.api.cubin)
    }
    /// Text as PTX for a device, which drivers of later devices compile too.
    ///
    /// # Errors
    /// `E1302` it does not compile, or there is no such device.
    pub fn ptx(&self, text: &str, arch: &str) -> Result<Compiled> {
        let mut c = self.kept(text, arch, "ptx", self.api.ptx)?;
        // It comes as C's texts do.
        while c.image.last() == Some(&0) {
            c.image.pop();
        }
        Ok(c)
    }
    fn kept(&self, text: &str, arch: &str, kind: &str, what: (SizeOf, Fill)) -> Result<Compiled> {
        let options = [
            format!("--gpu-architecture={arch}"),
            "--std=c++17".into(),
            "--fmad=false".into(),
            "--ptxas-options=-v".into(),
        ];
        let name = cache::key(&[&format!("nvrtc {:?}", self.version), kind, &options.join(" "), text]) + "." + kind;
        let write = |to: &Path| {
            let (log, image) = self.compile(text, &options, what)?;
            let all = [&(log.len() as u64).to_le_bytes(), log.as_bytes(), &image].concat();
            std::fs::write(to, all).map_err(|e| cache::denied(to, &e))
        };
        let path = cache::file(&name, write)?;
        if let Some(c) = std::fs::read(&path).ok().and_then(|all| split(&all)) {
            return Ok(c);
        }
        // What a full disk left there, or another process has removed.
        write(&path)?;
        let all = std::fs::read(&path).map_err(|e| cache::denied(&path, &e))?;
        split(&all)
            .ok_or_else(|| Error::new(Code::E1302, format!("`{}` is not what was written there", path.display())))
    }
    fn compile(&self, text: &str, options: &[String], what: (SizeOf, Fill)) -> Result<(String, Vec<u8>)> {
        let c = |s: &str| {
            CString::new(s)
                .map_err(|_| Error::new(Code::E1302, "the text of kernels, or an option, has a zero byte in it"))
        };
        let (source, options) = (c(text)?, options.iter().map(|o| c(o)).collect::<Result<Vec<_>>>()?);
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let api = &*self.api;
        let failed = |s: Status| Error::new(Code::E1302, format!("{} fails: {}", self.describe(), api.name(s)));
        let mut program = std::ptr::null_mut();
        // SAFETY: texts end in zeros and outlive the call, which copies them; there are no headers.
        let s = unsafe {
            (api.create)(
                &raw mut program,
                source.as_ptr(),
                c"kernels.cu".as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            )
        };
        if s != 0 {
            return Err(failed(s));
        }
        // SAFETY: the program was made above, and there are so many options.
        let s = unsafe { (api.compile)(program, pointers.len() as c_int, pointers.as_ptr()) };
        let log = api.bytes(program, api.log);
        let image = if s == 0 { api.bytes(program, what) } else { Err(s) };
        // SAFETY: it was made above, and nothing makes use of it any more.
        unsafe { (api.destroy)(&raw mut program) };
        let log = String::from_utf8_lossy(&log.map_err(failed)?).trim_end_matches('\0').to_owned();
        match image {
            Ok(image) => Ok((log, image)),
            // Of options it says in the log only what they are called.
            Err(s) if !log.contains("kernels.cu") => {
                Err(failed(s).note(format!("{}: {}", options[0].to_string_lossy(), log.trim())))
            }
            Err(_) => Err(cache::refused(&format!("NVRTC {}.{}", self.version.0, self.version.1), text, &log)),
        }
    }
}
/// What is kept on disk: the length of the log, the log, the code.
fn split(all: &[u8]) -> Option<Compiled> {
    let (n, rest) = all.split_first_chunk::<8>()?;
    let (log, image) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*n)).ok()?)?;
    let log = String::from_utf8(log.to_vec()).ok()?;
    if image.is_empty() {
        return None;
    }
    Some(Compiled { image: image.to_vec(), usage: usage(&log), log })
}
/// Files in a folder that may be NVRTC.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = INSIDE.iter().map(|d| dir.join(d)).collect();
    // A Python environment has its version in the path.
    let pythons =
        std::fs::read_dir(dir.join("lib")).into_iter().flatten().flatten().map(|f| f.path().join("site-packages"));
    let mut pythons: Vec<PathBuf> = pythons.filter(|p| p.is_dir()).collect();
    pythons.sort();
    folders.extend(pythons.iter().flat_map(|p| INSIDE[3..].iter().map(|d| p.join(d))));
    folders.iter().flat_map(|f| NAMES.map(|n| f.join(n))).filter(|f| f.is_file()).collect()
}
/// What the assembler says of each kernel: after `Compiling entry function 'k'`, numbers stand before their names.
fn usage(log: &str) -> BTreeMap<String, Usage> {
    let mut all = BTreeMap::new();
    let mut now: Option<String> = None;
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            now = rest.split('\'').next().map(str::to_owned);
        }
        let Some(kernel) = &now else { continue };
        let u: &mut Usage = all.entry(kernel.clone()).or_default();
        for (name, to) in [("registers", &mut u.registers), ("bytes smem", &mut u.shared)] {
            if let Some(n) = before(line, name) {
                *to = n;
            }
        }
        for name in ["bytes spill stores", "bytes spill loads"] {
            u.spills += before(line, name).unwrap_or(0);
        }
    }
    all
}
/// The number before a name.
fn before(line: &str, name: &str) -> Option<u32> {
    let (head, _) = line.split_once(name)?;
    head.trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// What is tested from inside.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn numbers_of_a_log() {
        let log = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
                   ptxas         .     800 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n\
                   ptxas info    : Used 247 registers, used 1 barriers, 1024 bytes smem\n\
                   ptxas info    : Compiling entry function 'l' for 'sm_90'\n\
                   ptxas info    : Used 10 registers, used 0 barriers\n";
        let u = usage(log);
        assert_eq!(u["k"], Usage { registers: 247, shared: 1024, spills: 20 });
        assert_eq!(u["l"], Usage { registers: 10, shared: 0, spills: 0 });
        assert_eq!(u.len(), 2);
    }
    fn files_that_are_cut_are_known() {
        assert_eq!(split(&[]), None);
        assert_eq!(split(&[9, 0, 0, 0, 0, 0, 0, 0, b'a']), None);
        assert_eq!(split(&[1, 0, 0, 0, 0, 0, 0, 0, b'a']), None);
        assert_eq!(split(&[1, 0, 0, 0, 0, 0, 0, 0, b'a', 7]).map(|c| (c.log, c.image)), Some(("a".into(), vec![7])));
    }
    /// All of them.
    pub const ALL: &[fn()] = &[numbers_of_a_log, files_that_are_cut_are_known];
}
