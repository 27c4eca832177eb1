//! Writing without leaving half a file: what goes to a regular file (or a new path) is written to a temporary file
//! beside it and renamed; a device, pipe, socket or terminal is written directly; a link is followed first.
//!
//! Who writes a temporary file has it locked until it is renamed. One that nobody has locked is left over from a process that was
//! killed, and whoever writes to the same path next removes it.
use super::{Format, csv, npy, reason, write_npz, write_safetensors};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};
use tfc_ir::{Budget, Code, Error, Result, Tensor};

fn cannot_write(path: &Path, e: &std::io::Error) -> Error {
    Error::new(Code::E0610, format!("cannot write `{}`: {}", path.display(), reason(e)))
}

/// Where writing to `path` ends: links followed, dangling ones included.
fn follow(path: &Path) -> std::io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    // The kernel's own limit.
    for _ in 0..40 {
        match fs::symlink_metadata(&at) {
            Ok(m) if m.is_symlink() => {
                let to = fs::read_link(&at)?;
                at = at.parent().unwrap_or(Path::new("")).join(to);
            }
            _ => return Ok(at),
        }
    }
    Err(std::io::Error::other("too many levels of links"))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}

/// A temporary file that is gone again unless it is renamed.
struct Temporary {
    path: PathBuf,
    kept: bool,
}
impl Temporary {
    fn open(path: PathBuf) -> Temporary {
        open_files().push(path.clone());
        Temporary { path, kept: false }
    }
}
impl Drop for Temporary {
    fn drop(&mut self) {
        let mut open = open_files();
        open.retain(|p| *p != self.path);
        if !self.kept {
            // Nothing can be done about a failure here, and the first error is the one to report.
            let _ = fs::remove_file(&self.path);
        }
    }
}
/// Temporary files that are being written.
fn open_files() -> MutexGuard<'static, Vec<PathBuf>> {
    static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(vec![]);
    OPEN.lock().unwrap_or_else(|e| e.into_inner())
}

/// Removes what is half written, by whatever thread, and lets nobody begin or finish a file until `end` has ended the
/// process: for those who must end it while others work.
pub fn abandon(end: impl FnOnce()) {
    let open = open_files();
    for p in open.iter() {
        let _ = fs::remove_file(p);
    }
    end();
}

/// A new file beside a path, locked as long as it is open.
fn temporary(beside: &Path) -> std::io::Result<(Temporary, File)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = beside.file_name().unwrap_or_default().to_string_lossy();
    // A name near the file system's limit must not grow past it.
    let name: String = name.chars().take(40).collect();
    remove_left_over(parent(beside), &name);
    loop {
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent(beside).join(format!(".{name}.{}.{n}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => {
                // Where there are no locks, nobody else takes the file for left over either.
                let _ = file.lock();
                let made = Temporary::open(path);
                // Somebody may have found it before it was locked.
                if fs::symlink_metadata(&made.path).is_ok() {
                    return Ok((made, file));
                }
            }
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}
/// Removes temporary files for `name` that nobody is writing. What cannot be looked at or removed stays.
fn remove_left_over(folder: &Path, name: &str) {
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let is_temporary = |file: &str| {
        let rest = file.strip_prefix('.').and_then(|f| f.strip_prefix(name)).and_then(|f| f.strip_prefix('.'));
        let numbers = rest.and_then(|f| f.strip_suffix(".tmp")).and_then(|f| f.split_once('.'));
        numbers.is_some_and(|(process, n)| is_number(process) && is_number(n))
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().to_str().is_some_and(is_temporary) || !entry.file_type().is_ok_and(|t| t.is_file()) {
            continue;
        }
        let path = entry.path();
        if OpenOptions::new().write(true).open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Whether what is at the path, if anything, is to be replaced by renaming.
fn is_renamed(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |m| m.is_file())
}

/// So many files are locked at once: a process has only so many that are open. Further ones are safe from whoever does not write to the
/// same path at the same time.
const MOST_LOCKED: usize = 256;
/// A file that is written and has only to be put in its place; gone again where it is not.
struct Ready {
    temporary: Temporary,
    /// Open, since it is locked.
    file: Option<File>,
    target: PathBuf,
}
impl Ready {
    fn write(target: PathBuf, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<Ready> {
        let (temporary, file) = temporary(&target)?;
        if let Ok(old) = fs::metadata(&target) {
            file.set_permissions(old.permissions())?;
        }
        let mut out = BufWriter::with_capacity(1 << 16, file);
        write(&mut out)?;
        let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        Ok(Ready { temporary, file: Some(file), target })
    }
    fn put(mut self) -> std::io::Result<()> {
        fs::rename(&self.temporary.path, &self.target)?;
        self.temporary.kept = true;
        drop(self.file);
        Ok(())
    }
}
/// What is no regular file cannot be renamed.
fn write_directly(to: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut out = BufWriter::new(OpenOptions::new().write(true).open(to)?);
    write(&mut out)?;
    out.flush()
}

/// Has `write` write the file at `path`; on an error nothing of it remains, and an older file is as it was.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let go = || {
        let target = follow(path)?;
        if is_renamed(&target) { Ready::write(target, write)?.put() } else { write_directly(&target, write) }
    };
    go().map_err(|e: std::io::Error| cannot_write(path, &e))
}

/// Says, before any work is done, whether `path` can be written at all.
pub fn check_writable(path: &Path) -> Result<()> {
    let go = || {
        let target = follow(path)?;
        match fs::metadata(&target) {
            Ok(m) if m.is_dir() => Err(std::io::Error::other("it is a folder")),
            // Opening a pipe would wait for its reader, so it is left to the writing.
            Ok(m) if !m.is_file() => Ok(()),
            Ok(_) => OpenOptions::new().write(true).open(&target).and_then(|_| temporary(&target)).map(drop),
            Err(_) if target.file_name().is_none() => Err(std::io::Error::other("it names no file")),
            Err(_) => temporary(&target).map(drop),
        }
    };
    go().map_err(|e| cannot_write(path, &e))
}

/// Whether both paths lead to one existing file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        match (fs::metadata(a), fs::metadata(b)) {
            (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
            _ => false,
        }
    }
    #[cfg(not(unix))]
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// The format that `path` is written in: by its extension; a device or pipe without one takes `.npy`.
pub fn output_format(path: &Path) -> Result<Format> {
    let is_device = || fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir());
    match Format::of(path) {
        Err(_) if path.extension().is_none() && is_device() => Ok(Format::Npy),
        known => known,
    }
}

/// A writer that looks at the clock.
struct Timed<'a> {
    out: &'a mut dyn Write,
    budget: &'a Budget,
}
impl Write for Timed<'_> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        self.budget.check().map_err(std::io::Error::other)?;
        self.out.write(buffer)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Writes `arrays` to `path` in its format ([`output_format`]); a `.npy` file takes exactly one.
pub fn save(path: &Path, arrays: &[(&str, &Tensor)]) -> Result<()> {
    save_within(path, arrays, &Budget::unlimited())
}

/// [`save`], within these limits; where one is reached, nothing is written.
pub fn save_within(path: &Path, arrays: &[(&str, &Tensor)], budget: &Budget) -> Result<()> {
    save_all(&[(path, arrays.to_vec())], budget)
}

/// Writes several files, each as [`save`] does. Where one cannot be written, or a limit is reached, all files are as they were:
/// they are put in their places when all are written. What went to a device or pipe has gone.
pub fn save_all(files: &[(&Path, Vec<(&str, &Tensor)>)], budget: &Budget) -> Result<()> {
    let mut ready = vec![];
    let mut direct = vec![];
    for (path, arrays) in files {
        let target = follow(path).map_err(|e| cannot_write(path, &e))?;
        if is_renamed(&target) {
            encode(path, arrays, budget, &mut |write| {
                let mut file = Ready::write(target.clone(), write)?;
                if ready.len() >= MOST_LOCKED {
                    file.file = None;
                }
                ready.push((path, file));
                Ok(())
            })?;
        } else {
            direct.push((path, arrays, target));
        }
    }
    for (path, arrays, target) in direct {
        encode(path, arrays, budget, &mut |write| write_directly(&target, write))?;
    }
    ready.into_iter().try_for_each(|(path, file)| file.put().map_err(|e| cannot_write(path, &e)))
}

/// What writes a file.
type Writes<'a> = &'a dyn Fn(&mut dyn Write) -> std::io::Result<()>;
/// Hands `put` what writes these arrays in the format of `path`.
fn encode(
    path: &Path,
    arrays: &[(&str, &Tensor)],
    budget: &Budget,
    put: &mut dyn FnMut(Writes) -> std::io::Result<()>,
) -> Result<()> {
    let mut go = |write: &dyn Fn(&mut Timed) -> std::io::Result<()>| {
        let done = put(&|out| write(&mut Timed { out, budget }));
        done.map_err(|e| budget.check().err().unwrap_or_else(|| cannot_write(path, &e)))
    };
    let format = output_format(path)?;
    match (format, arrays) {
        (Format::Npy, [(_, t)]) => go(&|out| npy::write(t, out)),
        (Format::Csv, [(_, t)]) => go(&|out| csv::write(t, out)),
        (Format::Npy | Format::Csv, _) => {
            Err(Error::new(Code::E0610, format!("`{}` can hold one array, not {}", path.display(), arrays.len()))
                .help("write several to a .npz or .safetensors file"))
        }
        // The archive's directory needs seeking, which a pipe cannot do.
        (Format::Npz, _) => {
            let all =
                arrays.iter().fold(0, |n: usize, a| n.saturating_add(a.1.len().saturating_mul(a.1.dtype().size())));
            let _held = budget.hold(all)?;
            go(&|out| {
                let mut bytes = Cursor::new(Vec::new());
                write_npz(&mut bytes, arrays)?;
                out.write_all(bytes.get_ref())
            })
        }
        (Format::Safetensors, _) => go(&|out| write_safetensors(out, arrays)),
    }
}
