//! What compilers made, kept on disk under the hash of all that went into it.
//!
//! The folder is `TFC_CACHE`, else `tfc` in the user's folder for caches. A file appears whole, by a rename: two processes that
//! compile the same write the same. Where there is no such folder, or nothing can be written there, a folder that only this
//! process may enter takes its place, so that nobody else's libraries are ever loaded.
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};
use tfc_ir::{Code, Error, Result};

/// The most files that stay when a process begins to make use of the folder.
const MOST_FILES: usize = 4096;

/// A number for names that no other file has.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The hash of texts: their SHA-256, each with its length before it.
pub(crate) fn key(parts: &[&str]) -> String {
    let mut h = Sha256::new();
    for p in parts {
        h.update((p.len() as u64).to_le_bytes());
        h.update(p.as_bytes());
    }
    h.finalize().iter().map(|b| format!("{b:02x}")).collect()
}
/// The file of that name; where there is none, `make` writes it, to the path that it is given.
///
/// # Errors
/// What `make` says; `E1301` where no file can be written at all.
pub(crate) fn file(name: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let dir = folder()?;
    let path = dir.join(name);
    if path.is_file() {
        return Ok(path);
    }
    let fresh = dir.join(format!("{name}.{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    let made = make(&fresh).and_then(|()| fs::rename(&fresh, &path).map_err(|e| denied(&path, &e)));
    if made.is_err() {
        // What is left of it is of no use; that it may not be there is what is wanted.
        let _ = fs::remove_file(&fresh);
    }
    made.map(|()| path)
}
/// The error that a file cannot be written.
pub(crate) fn denied(path: &Path, e: &std::io::Error) -> Error {
    Error::new(Code::E1301, format!("compiled kernels cannot be kept in `{}`: {e}", path.display()))
        .help("set TFC_CACHE to a folder in which files can be written")
}
fn folder() -> Result<&'static Path> {
    static FOLDER: OnceLock<Result<PathBuf>> = OnceLock::new();
    FOLDER.get_or_init(find).as_deref().map_err(Error::clone)
}
fn find() -> Result<PathBuf> {
    let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(dir) = var("TFC_CACHE") {
        return open(&dir).map(|()| dir.clone()).map_err(|e| denied(&dir, &e));
    }
    let user = var("XDG_CACHE_HOME").or_else(|| var("HOME").map(|h| h.join(".cache")));
    if let Some(dir) = user.map(|u| u.join("tfc"))
        && open(&dir).is_ok()
    {
        return Ok(dir);
    }
    own().map_err(|e| denied(&std::env::temp_dir(), &e))
}
/// Makes the folder where it is missing, and sees whether files can be written there.
fn open(dir: &Path) -> std::io::Result<()> {
    builder(true).create(dir)?;
    let probe = dir.join(format!("probe.{}", std::process::id()));
    fs::write(&probe, [])?;
    fs::remove_file(probe)?;
    prune(dir);
    Ok(())
}
/// Removes the older half of very many files. Where that fails, there are many files, and nothing else.
fn prune(dir: &Path) {
    let mut all: Vec<_> = fs::read_dir(dir).into_iter().flatten().flatten().collect();
    if all.len() > MOST_FILES {
        all.sort_by_cached_key(|f| f.metadata().and_then(|m| m.modified()).ok());
        for f in &all[..all.len() / 2] {
            let _ = fs::remove_file(f.path());
        }
    }
}
/// A folder that nobody had before.
fn own() -> std::io::Result<PathBuf> {
    let time = std::time::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_nanos());
    let dir = std::env::temp_dir().join(format!("tfc-{}-{time}", std::process::id()));
    builder(false).create(&dir)?;
    Ok(dir)
}
fn builder(recursive: bool) -> fs::DirBuilder {
    let mut b = fs::DirBuilder::new();
    b.recursive(recursive);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut b, 0o700);
    b
}
/// The line of a text that a compiler's message is about, quoted, where the message begins with the file `kernels.cu`.
pub(crate) fn quote(text: &str, message: &str) -> Option<String> {
    let at = message.find("kernels.cu").map(|i| i + "kernels.cu".len())?;
    let digits: String = message[at..].chars().skip(1).take_while(char::is_ascii_digit).collect();
    line(text, digits.parse().ok()?)
}
/// A line of a text, by its number from 1, as a note.
pub(crate) fn line(text: &str, n: usize) -> Option<String> {
    let line = text.lines().nth(n.checked_sub(1)?)?;
    Some(format!("line {n}: `{}`", line.trim()))
}
/// The error that a text does not compile: the first lines of what the compiler says, and the line of the text.
pub(crate) fn refused(who: &str, text: &str, log: &str) -> Error {
    let lines: Vec<&str> = log.lines().filter(|l| !l.trim().is_empty()).take(6).collect();
    // Of the log, what says `error` comes first: before it may stand where a function was called from.
    let first = log.lines().find(|l| l.contains("error")).unwrap_or_default();
    let e = Error::new(Code::E1302, format!("{who} does not compile the kernels"));
    let e = match quote(text, first) {
        Some(q) => e.note(q),
        None => e,
    };
    e.note(lines.join("\n"))
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn keys_tell_parts_apart() {
        assert_eq!(key(&["ab", "c"]).len(), 64);
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a"]), key(&["a", ""]));
    }
    fn lines_of_messages() {
        assert_eq!(quote("a\n  b;\nc", "kernels.cu:2:1: error: x").as_deref(), Some("line 2: `b;`"));
        assert_eq!(quote("a\n  b;\nc", "kernels.cu(3): error: x").as_deref(), Some("line 3: `c`"));
        assert_eq!(quote("a", "kernels.cu(3): error: x"), None);
        assert_eq!(quote("a", "launch.cpp:1:1: error: x"), None);
        assert_eq!(line("a", 0), None);
    }
    fn the_older_half_of_very_many_goes() {
        let dir = own().unwrap();
        for i in 0..=MOST_FILES {
            fs::write(dir.join(i.to_string()), []).unwrap();
        }
        prune(&dir);
        let left = fs::read_dir(&dir).unwrap().count();
        prune(&dir);
        assert_eq!((left, fs::read_dir(&dir).unwrap().count()), (MOST_FILES / 2 + 1, left));
        fs::remove_dir_all(dir).unwrap();
    }
    fn a_file_is_made_once_and_what_fails_leaves_nothing() {
        let name = format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let fail = |p: &Path| {
            fs::write(p, "half").unwrap();
            Err(Error::new(tfc_ir::Code::E1302, "no"))
        };
        assert_eq!(file(&name, fail).unwrap_err().data().code.name(), "E1302");
        let path = file(&name, |p| fs::write(p, "whole").map_err(|e| denied(p, &e))).unwrap();
        assert_eq!(file(&name, fail).unwrap(), path);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        let dir = path.parent().unwrap();
        let mine =
            fs::read_dir(dir).unwrap().flatten().filter(|f| f.file_name().to_string_lossy().starts_with(&name)).count();
        assert_eq!(mine, 1);
        fs::remove_file(path).unwrap();
    }
    /// All of them.
    pub const ALL: &[fn()] = &[
        keys_tell_parts_apart,
        lines_of_messages,
        the_older_half_of_very_many_goes,
        a_file_is_made_once_and_what_fails_leaves_nothing,
    ];
}
