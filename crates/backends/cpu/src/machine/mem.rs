//! Raw memory of the CPU engine: aligned buffers that are reused across calls, result storage that becomes a tensor
//! without a copy, and pointers that may cross threads. Every allocation of the engine is made here.
//!
//! A buffer's bytes are uninitialised until a step writes them; plans write every element of a slot before reading it.
use std::cell::RefCell;

use tfc_ir::storage::{LINE, Storage};
use tfc_ir::{Code, DType, Data, Error, Result, Tensor, with_dtype};

use super::poison;

/// Alignment of every buffer: one cache line, one AVX-512 register.
pub(crate) const ALIGN: usize = LINE;

/// A pointer that may be shared between the threads of one parallel step: the step writes disjoint elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ptr(pub(crate) *mut u8);
// SAFETY: a `Ptr` is only an address; whoever dereferences it states why that access is exclusive or read-only.
unsafe impl Send for Ptr {}
// SAFETY: as above.
unsafe impl Sync for Ptr {}
impl Ptr {
    /// The null pointer.
    pub(crate) const NULL: Ptr = Ptr(std::ptr::null_mut());
    /// Where there are no elements: aligned, not null, and in the page that is never mapped.
    pub(crate) const NOTHING: Ptr = Ptr(ALIGN as *mut u8);
    /// `bytes` further (wrapping: nothing is dereferenced).
    pub(crate) fn at(self, bytes: isize) -> Ptr {
        Ptr(self.0.wrapping_offset(bytes))
    }
}

/// A growable aligned buffer. Growing does not keep the contents: a slot is written anew whenever it is sized.
#[derive(Debug, Default)]
pub(crate) struct Buf {
    at: Option<Storage<u8>>,
    /// Bytes it holds; behind them may be a zone that nobody writes ([`poison`]).
    room: usize,
    /// Bytes that a step has been given to write since the buffer was allocated.
    used: usize,
}
impl Buf {
    /// The error of a failed allocation.
    pub(crate) fn exhausted(bytes: usize) -> Error {
        Error::new(Code::E0705, format!("out of memory: {bytes} bytes could not be allocated"))
    }
    /// Makes room for `bytes`; earlier contents are lost, and the buffer may move.
    pub(crate) fn ensure(&mut self, bytes: usize) -> Result<Ptr> {
        if self.room < bytes || poison::moves() {
            let room = bytes.max(self.room).max(ALIGN);
            self.release();
            self.at = Some(poison::room(room)?);
            self.room = room;
        }
        poison::fill(self.ptr(), self.room);
        Ok(self.ptr())
    }
    /// Makes room for `bytes` and keeps the first `keep` bytes.
    pub(crate) fn grow(&mut self, bytes: usize, keep: usize) -> Result<Ptr> {
        if self.capacity() >= bytes {
            return Ok(self.ptr());
        }
        let mut new = Buf::default();
        let to = new.ensure(bytes)?;
        let keep = keep.min(self.capacity());
        if keep > 0 {
            // SAFETY: both buffers hold `keep` bytes and are different allocations.
            unsafe { std::ptr::copy_nonoverlapping(self.ptr().0, to.0, keep) };
        }
        *self = new;
        Ok(to)
    }
    /// Have the first `bytes` been given out before, so that their pages are there? They are from now on.
    pub(crate) fn warm(&mut self, bytes: usize) -> bool {
        let warm = self.used >= bytes;
        self.used = self.used.max(bytes);
        warm
    }
    /// Address of the memory; dangling but aligned while nothing is allocated.
    pub(crate) fn ptr(&self) -> Ptr {
        self.at.as_ref().map_or(Ptr::NOTHING, |s| Ptr(s.address()))
    }
    /// Address and size of the memory as numbers, to be compared: what was bound to the memory holds as long as both are the
    /// same.
    pub(crate) fn place(&self) -> (usize, usize) {
        (self.ptr().0 as usize, self.room)
    }
    /// Bytes it holds.
    pub(crate) fn capacity(&self) -> usize {
        self.room
    }
    /// Whether nobody has written behind the buffer's room.
    pub(crate) fn intact(&self) -> bool {
        self.at.as_ref().is_none_or(|s| poison::intact(s, self.room))
    }
    /// Gives the memory back.
    pub(crate) fn release(&mut self) {
        let room = std::mem::take(&mut self.room);
        self.used = 0;
        if let Some(s) = self.at.take() {
            poison::retire(s, room);
        }
    }
}
impl Drop for Buf {
    fn drop(&mut self) {
        self.release();
    }
}

/// Storage of one result: written by the plan, then shared with the caller. It is used again at a later call if the
/// caller has dropped the result.
#[derive(Debug)]
pub(crate) struct OutBuf {
    data: Data,
    dtype: DType,
    len: usize,
    ptr: Ptr,
    warm: bool,
    counted: bool,
}
impl OutBuf {
    /// Fresh room for `len` elements of `dtype`.
    pub(crate) fn new(dtype: DType, len: usize) -> Result<OutBuf> {
        let mut data = Data::room(dtype, len)?;
        let ptr = data.exclusive().map_or(Ptr::NULL, Ptr);
        poison::fill(ptr, len * dtype.size());
        Ok(OutBuf { data, dtype, len, ptr, warm: false, counted: true })
    }
    /// Storage that exists, for `len` elements; `None` where somebody else refers to it, or it has another size.
    pub(crate) fn of(mut data: Data, len: usize) -> Option<OutBuf> {
        let (dtype, p) = (data.dtype(), data.exclusive()?);
        (data.len() == len).then_some(OutBuf { data, dtype, len, ptr: Ptr(p), warm: true, counted: false })
    }
    /// Takes it for another call, if the caller has dropped what it was handed.
    pub(crate) fn again(&mut self) -> bool {
        (self.warm, self.counted) = (true, true);
        let free = self.data.exclusive().is_some();
        if free {
            poison::fill(self.ptr, self.bytes());
        }
        free
    }
    /// Whether the buffer is that storage.
    pub(crate) fn is(&self, data: &Data) -> bool {
        self.data.same_storage(data)
    }
    /// Whether the buffer has room for `len` elements of `dtype`.
    pub(crate) fn fits(&self, dtype: DType, len: usize) -> bool {
        self.dtype == dtype && self.len == len
    }
    /// Whether the pages of the buffer have been written before.
    pub(crate) fn warm(&self) -> bool {
        self.warm
    }
    /// Address of the memory.
    pub(crate) fn ptr(&self) -> Ptr {
        self.ptr
    }
    /// Size of the memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.len * self.dtype.size()
    }
    /// Bytes of the memory in the account of the call: an argument computed over is none of the call's memory.
    pub(crate) fn counted(&self) -> usize {
        if self.counted { self.bytes() } else { 0 }
    }
    /// Element type of the memory.
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }
    /// The element that an address in it is.
    pub(crate) fn position(&self, p: Ptr) -> Option<usize> {
        let at = (p.0 as usize).checked_sub(self.ptr.0 as usize)? / self.dtype.size();
        (at < self.len).then_some(at)
    }
    /// The storage, shared.
    ///
    /// # Safety
    /// Every element has been written with a valid value of the dtype.
    pub(crate) unsafe fn finish(&mut self) -> Data {
        if self.data.len() != self.len {
            // SAFETY: by contract; there is room for `len` elements.
            unsafe { self.data.set_len(self.len) };
        }
        self.data.clone()
    }
}

/// Address of element `[0, …, 0]` of a tensor. To be read only, and only while the tensor lives.
pub(crate) fn tensor_ptr(t: &Tensor) -> Ptr {
    with_dtype!(t.dtype(), T => Ptr(t.storage::<T>().map_or(std::ptr::null_mut(), |s| {
        s.as_ptr().wrapping_add(t.offset()).cast_mut().cast()
    })))
}

type Scratch = std::thread::LocalKey<RefCell<Buf>>;
thread_local! {
    static SCRATCH: RefCell<Buf> = RefCell::new(Buf::default());
    static PIECE: RefCell<Buf> = RefCell::new(Buf::default());
}
fn with<R>(memory: &'static Scratch, bytes: usize, f: impl FnOnce(Ptr) -> R) -> Result<R> {
    memory.with(|s| match s.try_borrow_mut() {
        Ok(mut b) => Ok(f(b.ensure(bytes)?)),
        Err(_) => {
            let mut b = Buf::default();
            Ok(f(b.ensure(bytes)?))
        }
    })
}
/// Runs `f` with this thread's scratch memory of at least `bytes`, kept between calls. Nested use gets memory of its own.
pub(crate) fn with_scratch<R>(bytes: usize, f: impl FnOnce(Ptr) -> R) -> Result<R> {
    with(&SCRATCH, bytes, f)
}
/// The same with other memory: for what works on pieces, by something that takes scratch memory.
pub(crate) fn with_piece<R>(bytes: usize, f: impl FnOnce(Ptr) -> R) -> Result<R> {
    with(&PIECE, bytes, f)
}
