//! Raw memory of the CPU engine: aligned buffers that are reused across calls, result storage that becomes a tensor
//! without a copy, and pointers that may cross threads. Every allocation of the engine is made here.
//!
//! A buffer's bytes are uninitialised until a step writes them; plans write every element of a slot before reading it.
use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::Arc;
use tfc_ir::{Data, Element, Error, Result, Tensor, with_dtype};

/// Alignment of every buffer: one cache line, one AVX-512 register.
pub(crate) const ALIGN: usize = 64;
const HUGE: usize = 2 << 20;

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
    /// `bytes` further (wrapping: nothing is dereferenced).
    pub(crate) fn at(self, bytes: isize) -> Ptr {
        Ptr(self.0.wrapping_offset(bytes))
    }
}

/// A growable aligned buffer. Growing does not keep the contents: a slot is written anew whenever it is sized.
#[derive(Debug, Default)]
pub(crate) struct Buf {
    at: Option<(NonNull<u8>, Layout)>,
}
// SAFETY: the buffer owns its memory; nothing in it is tied to a thread.
unsafe impl Send for Buf {}
// SAFETY: shared access hands out addresses only.
unsafe impl Sync for Buf {}
impl Buf {
    /// The error of a failed allocation.
    pub(crate) fn exhausted(bytes: usize) -> Error {
        Error::new("E0705", format!("out of memory: {bytes} bytes could not be allocated"))
    }
    /// Makes room for `bytes`; earlier contents are lost where it has to grow.
    pub(crate) fn ensure(&mut self, bytes: usize) -> Result<Ptr> {
        if self.capacity() < bytes {
            self.release();
            let align = if bytes >= 2 * HUGE { HUGE } else { ALIGN };
            let size = bytes.checked_next_multiple_of(align).ok_or_else(|| Buf::exhausted(bytes))?;
            let layout = Layout::from_size_align(size, align).map_err(|_| Buf::exhausted(bytes))?;
            // SAFETY: the layout has a size above zero, since the capacity was below `bytes`.
            let p = NonNull::new(unsafe { alloc(layout) }).ok_or_else(|| Buf::exhausted(bytes))?;
            self.at = Some((p, layout));
        }
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
    /// Its address; dangling but aligned while nothing is allocated.
    pub(crate) fn ptr(&self) -> Ptr {
        Ptr(self.at.map_or(ALIGN as *mut u8, |(p, _)| p.as_ptr()))
    }
    /// Bytes it holds.
    pub(crate) fn capacity(&self) -> usize {
        self.at.map_or(0, |(_, l)| l.size())
    }
    /// Gives the memory back.
    pub(crate) fn release(&mut self) {
        if let Some((p, l)) = self.at.take() {
            // SAFETY: allocated by `ensure` with this very layout.
            unsafe { dealloc(p.as_ptr(), l) };
        }
    }
}
impl Drop for Buf {
    fn drop(&mut self) {
        self.release();
    }
}

/// Storage of one result while a plan writes it.
#[derive(Debug)]
pub(crate) struct OutBuf {
    data: Data,
    len: usize,
}
impl OutBuf {
    /// Room for `len` elements of `dtype`.
    pub(crate) fn new(dtype: tfc_ir::DType, len: usize) -> Result<OutBuf> {
        fn room<T: Element>(len: usize) -> Result<Data> {
            let mut v: Vec<T> = Vec::new();
            v.try_reserve_exact(len).map_err(|_| Buf::exhausted(len.saturating_mul(size_of::<T>())))?;
            Ok(T::wrap(Arc::new(v)))
        }
        let data = with_dtype!(dtype, T => room::<T>(len)?, _ => return Err(super::unsupported(dtype)));
        Ok(OutBuf { data, len })
    }
    /// Its address.
    pub(crate) fn ptr(&mut self) -> Ptr {
        fn p<T>(v: &mut Arc<Vec<T>>) -> Ptr {
            Ptr(Arc::get_mut(v).map_or(std::ptr::null_mut(), |v| v.as_mut_ptr().cast()))
        }
        match &mut self.data {
            Data::Bool(v) => p(v),
            Data::I32(v) => p(v),
            Data::I64(v) => p(v),
            Data::U32(v) => p(v),
            Data::U64(v) => p(v),
            Data::F32(v) => p(v),
            Data::F64(v) => p(v),
            Data::C32(v) => p(v),
            Data::C64(v) => p(v),
        }
    }
    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.len * self.dtype().size()
    }
    fn dtype(&self) -> tfc_ir::DType {
        data_view(self.data.clone()).dtype()
    }
    /// The element that an address in it is.
    pub(crate) fn position(&self, p: Ptr) -> Option<usize> {
        let base = with_dtype!(self.dtype(), T => T::unwrap(&self.data).map_or(0, |v| v.as_ptr() as usize), _ => 0);
        let at = (p.0 as usize).checked_sub(base)? / self.dtype().size();
        (at < self.len).then_some(at)
    }
    /// The storage.
    ///
    /// # Safety
    /// Every element has been written with a valid value of the dtype.
    pub(crate) unsafe fn finish(mut self) -> Data {
        fn f<T>(v: &mut Arc<Vec<T>>, len: usize) {
            if let Some(v) = Arc::get_mut(v) {
                // SAFETY: `len` elements were reserved by `new`, and the caller has written them all.
                unsafe { v.set_len(len) };
            }
        }
        let n = self.len;
        match &mut self.data {
            Data::Bool(v) => f(v, n),
            Data::I32(v) => f(v, n),
            Data::I64(v) => f(v, n),
            Data::U32(v) => f(v, n),
            Data::U64(v) => f(v, n),
            Data::F32(v) => f(v, n),
            Data::F64(v) => f(v, n),
            Data::C32(v) => f(v, n),
            Data::C64(v) => f(v, n),
        }
        self.data
    }
}

/// All elements of a storage, as a tensor of one axis.
pub(crate) fn data_view(data: Data) -> Tensor {
    fn len<T>(v: &Arc<Vec<T>>) -> usize {
        v.len()
    }
    let n = match &data {
        Data::Bool(v) => len(v),
        Data::I32(v) => len(v),
        Data::I64(v) => len(v),
        Data::U32(v) => len(v),
        Data::U64(v) => len(v),
        Data::F32(v) => len(v),
        Data::F64(v) => len(v),
        Data::C32(v) => len(v),
        Data::C64(v) => len(v),
    };
    Tensor::view(data, vec![n], vec![1], 0)
}
/// Address of element `[0, …, 0]` of a tensor. To be read only, and only while the tensor lives.
pub(crate) fn tensor_ptr(t: &Tensor) -> Ptr {
    with_dtype!(t.dtype(), T => Ptr(t.storage::<T>().map_or(std::ptr::null_mut(), |s| {
        s.as_ptr().wrapping_add(t.offset()).cast_mut().cast()
    })), _ => Ptr::NULL)
}

thread_local! {
    static SCRATCH: RefCell<Buf> = RefCell::new(Buf::default());
}
/// Runs `f` with this thread's scratch memory of at least `bytes`, kept between calls. Nested use gets memory of its own.
pub(crate) fn with_scratch<R>(bytes: usize, f: impl FnOnce(Ptr) -> R) -> Result<R> {
    SCRATCH.with(|s| match s.try_borrow_mut() {
        Ok(mut b) => Ok(f(b.ensure(bytes)?)),
        Err(_) => {
            let mut b = Buf::default();
            Ok(f(b.ensure(bytes)?))
        }
    })
}
