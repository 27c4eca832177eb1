//! Executable memory. A page is writable or executable, never both: pages are filled while they are writable, sealed with
//! `mprotect`, and never opened again. Functions share mappings, each on pages of its own, and a mapping goes with the
//! last function in it.
use std::io::Error;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

const PAGE: usize = 4096;
/// Bytes of a mapping that functions share.
const CHUNK: usize = 1 << 20;

/// A mapping.
#[derive(Debug)]
struct Map {
    at: NonNull<u8>,
    len: usize,
}
// SAFETY: the address of memory that is written only before others learn of it.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}
impl Map {
    fn new(len: usize) -> Result<Map, String> {
        let (rw, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: a new mapping disturbs nothing.
        let p = unsafe { libc::mmap(std::ptr::null_mut(), len, rw, private, -1, 0) };
        let at = if p == libc::MAP_FAILED { None } else { NonNull::new(p.cast()) };
        at.map(|at| Map { at, len }).ok_or_else(|| format!("no memory for code: {}", Error::last_os_error()))
    }
}
impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the mapping is whole, and its last user is gone.
        unsafe { libc::munmap(self.at.as_ptr().cast(), self.len) };
    }
}

/// A function in executable memory.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    map: Arc<Map>,
    at: usize,
    entry: usize,
}
impl Text {
    /// Where it begins.
    pub(crate) fn entry(&self) -> *const u8 {
        self.map.at.as_ptr().wrapping_add(self.at + self.entry)
    }
}

/// The mapping with room, and how much of it is used.
static OPEN: Mutex<Option<(Weak<Map>, usize)>> = Mutex::new(None);

/// Makes `code` executable, a function that begins at byte `entry`.
pub(crate) fn seal(code: &[u8], entry: usize) -> Result<Text, String> {
    let len = code.len().next_multiple_of(PAGE);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let (map, at) = match open.take().and_then(|(m, used)| Some((m.upgrade()?, used))) {
        Some((m, used)) if used + len <= m.len => (m, used),
        _ => (Arc::new(Map::new(len.max(CHUNK))?), 0),
    };
    let p = map.at.as_ptr().wrapping_add(at);
    // SAFETY: the pages from `at` on are inside the mapping, writable, and nobody knows them yet.
    let r = unsafe {
        std::ptr::copy_nonoverlapping(code.as_ptr(), p, code.len());
        libc::mprotect(p.cast(), len, libc::PROT_READ | libc::PROT_EXEC)
    };
    if r != 0 {
        return Err(format!("memory cannot be made executable: {}", Error::last_os_error()));
    }
    *open = Some((Arc::downgrade(&map), at + len));
    Ok(Text { map, at, entry })
}

/// Can this process run code that it wrote? (Asked once.)
pub(crate) fn works() -> Result<(), String> {
    static ONCE: OnceLock<Result<(), String>> = OnceLock::new();
    ONCE.get_or_init(|| {
        // mov eax, 42; ret
        let t = seal(&[0xb8, 42, 0, 0, 0, 0xc3], 0)?;
        // SAFETY: the function takes nothing, touches nothing and returns 42.
        let f = unsafe { std::mem::transmute::<*const u8, unsafe extern "sysv64" fn() -> u32>(t.entry()) };
        // SAFETY: as above.
        if unsafe { f() } == 42 { Ok(()) } else { Err("written code does not run".into()) }
    })
    .clone()
}
