//! Memory of tensors: [`Storage`] is a vector of fixed capacity whose address suits vector units and large pages.
//!
//! From one cache line on it is aligned to one (64 bytes, one AVX-512 register); from 4 MiB on it begins at a 2 MiB
//! boundary and the kernel is asked for 2 MiB pages, since faulting in 4 KiB pages costs more than most programs compute
//! (1–2 GB/s against 3.5–6.6 GB/s). A `Vec` becomes storage, and keeps its address, without a copy.
//!
//! Storage may also be memory of somebody else, which it keeps and only reads.
//!
//! This is the only unsafe code of the crate. It is here because a tensor owns its storage and no crate comes before this
//! one; a `Vec` cannot be told its alignment, and everything above sees a slice.
use crate::code::Code;
use std::alloc::{Layout, alloc, dealloc};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::diag::{Error, Result};

/// One cache line, one AVX-512 register.
pub const LINE: usize = 64;
/// A large page.
const HUGE: usize = 2 << 20;
/// From this size on large pages pay: at most a third is rounded up.
const HUGE_FROM: usize = 2 * HUGE;

/// Room for a number of elements that is fixed when it is made, of which the first `len` are there.
pub struct Storage<T: Copy> {
    at: NonNull<T>,
    len: usize,
    layout: Layout,
    /// Who gave the memory, if it was not allocated here: dropped with it.
    owner: Option<Box<dyn Send + Sync>>,
}
// SAFETY: it owns its elements, like a `Vec`.
unsafe impl<T: Copy + Send> Send for Storage<T> {}
// SAFETY: shared access gives a shared slice.
unsafe impl<T: Copy + Sync> Sync for Storage<T> {}

fn exhausted(bytes: u128) -> Error {
    Error::new(Code::E0705, format!("out of memory: {bytes} bytes could not be allocated"))
}
/// Asks for large pages. What the answer is changes nothing but the time.
fn advise(at: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    // SAFETY: the range is an allocation of ours; this advice does not change its contents.
    unsafe {
        libc::madvise(at.cast(), bytes, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (at, bytes);
}

impl<T: Copy> Storage<T> {
    const NOTHING: Layout = Layout::new::<()>();
    /// Empty, with room for `n` elements; `E0705` where the memory cannot be had.
    pub fn room(n: usize) -> Result<Storage<T>> {
        let failed = || exhausted(n as u128 * size_of::<T>() as u128);
        let bytes = n.checked_mul(size_of::<T>()).ok_or_else(failed)?;
        let (align, unit) = match bytes {
            0 => return Ok(Storage { at: NonNull::dangling(), len: 0, layout: Self::NOTHING, owner: None }),
            1..LINE => (align_of::<T>(), 1),
            LINE..HUGE_FROM => (LINE, 1),
            _ => (HUGE, HUGE),
        };
        let size = bytes.checked_next_multiple_of(unit).ok_or_else(failed)?;
        let layout = Layout::from_size_align(size, align.max(align_of::<T>())).map_err(|_| failed())?;
        // SAFETY: the size is not 0.
        let at = NonNull::new(unsafe { alloc(layout) }).ok_or_else(failed)?;
        if unit == HUGE {
            advise(at.as_ptr(), size);
        }
        Ok(Storage { at: at.cast(), len: 0, layout, owner: None })
    }
    /// The `n` elements at an address that somebody else has. They are read, never written: nobody gets exclusive access to
    /// such storage ([`crate::Data::exclusive`]).
    ///
    /// # Safety
    /// Until `owner` is dropped, `at` is aligned, and the `n` elements there are initialised, valid for their type, and written
    /// by nobody.
    pub unsafe fn foreign(at: NonNull<T>, n: usize, owner: Box<dyn Send + Sync>) -> Result<Storage<T>> {
        let layout = Layout::array::<T>(n).map_err(|_| exhausted(n as u128 * size_of::<T>() as u128))?;
        Ok(Storage { at, len: n, layout, owner: Some(owner) })
    }
    /// Whether the memory is somebody else's.
    pub fn is_foreign(&self) -> bool {
        self.owner.is_some()
    }
    /// `n` elements, all `x`.
    pub fn full(n: usize, x: T) -> Result<Storage<T>> {
        let mut s = Storage::room(n)?;
        s.extend(std::iter::repeat_n(x, n));
        Ok(s)
    }
    /// The first `n` elements that an iterator gives.
    pub fn collect(n: usize, from: impl IntoIterator<Item = T>) -> Result<Storage<T>> {
        let mut s = Storage::room(n)?;
        s.extend(from.into_iter().take(n));
        Ok(s)
    }
    /// How many elements there is room for.
    pub fn capacity(&self) -> usize {
        self.layout.size().checked_div(size_of::<T>()).unwrap_or(usize::MAX)
    }
    /// The address of its first element. Who writes through it must be the only one to use the storage.
    pub fn address(&self) -> *mut T {
        self.at.as_ptr()
    }
    /// Says that `n` elements are there.
    ///
    /// # Safety
    /// The first `n` elements have been written, and `n` is at most the capacity.
    pub unsafe fn set_len(&mut self, n: usize) {
        debug_assert!(n <= self.capacity());
        self.len = n;
    }
    /// Appends an element. Panics where there is no room.
    pub fn push(&mut self, x: T) {
        assert!(self.len < self.capacity(), "storage has no room for another element");
        // SAFETY: within the capacity.
        unsafe { self.at.add(self.len).write(x) };
        self.len += 1;
    }
}
impl<T: Copy> Extend<T> for Storage<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, from: I) {
        let mut left = self.capacity() - self.len;
        for x in from {
            assert!(left > 0, "storage has no room for another element");
            left -= 1;
            // SAFETY: within the capacity.
            unsafe { self.at.add(self.len).write(x) };
            self.len += 1;
        }
    }
}
impl<T: Copy> Drop for Storage<T> {
    fn drop(&mut self) {
        if self.layout.size() > 0 && self.owner.is_none() {
            // SAFETY: allocated with this layout, by `room` or by the `Vec` it was made from.
            unsafe { dealloc(self.at.as_ptr().cast(), self.layout) };
        }
    }
}
impl<T: Copy> From<Vec<T>> for Storage<T> {
    fn from(v: Vec<T>) -> Storage<T> {
        let mut v = ManuallyDrop::new(v);
        let at = NonNull::new(v.as_mut_ptr()).unwrap_or(NonNull::dangling());
        // The layout of a vector's memory (it exists, so it fits).
        let layout = Layout::array::<T>(v.capacity()).unwrap_or(Self::NOTHING);
        Storage { at, len: v.len(), layout, owner: None }
    }
}
impl<T: Copy> Deref for Storage<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: `len` elements have been written.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.len) }
    }
}
impl<T: Copy> DerefMut for Storage<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        assert!(self.owner.is_none(), "memory of somebody else is not written");
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), self.len) }
    }
}
impl<T: Copy + std::fmt::Debug> std::fmt::Debug for Storage<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
impl<T: Copy + PartialEq> PartialEq for Storage<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
