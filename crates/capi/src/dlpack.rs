//! DLPack (dmlc/dlpack, the ABI of version 0.x, `DLManagedTensor`, and that of 1.x, `DLManagedTensorVersioned`): tensors of other
//! libraries, without a copy, and ours for them.
//!
//! Who is given a tensor may write its elements unless a flag forbids it, which 0.x does not have: what somebody else may look at
//! (a constant of a program, another result, memory that was itself given to us) is copied there.
use crate::{Owned, given, guarded, layout, null};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tfc::ir::tensor::foreign::{borrowed, copied};
use tfc::ir::{Code, with_dtype};
use tfc::prelude::*;

/// `DLDevice`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Device {
    kind: i32,
    id: i32,
}
/// `DLDataType`.
#[repr(C)]
#[derive(Clone, Copy)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}
/// `DLTensor`.
#[repr(C)]
struct Elements {
    data: *mut c_void,
    device: Device,
    ndim: i32,
    dtype: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}
/// `DLManagedTensor`.
#[repr(C)]
pub(crate) struct Managed {
    elements: Elements,
    manager: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}
/// `kDLCPU`.
const CPU: i32 = 1;
/// `kDLInt`, `kDLUInt`, `kDLFloat`, `kDLBfloat`, `kDLComplex`, `kDLBool`, and bits.
/// Floats of eight bits have a code each; the format packs numbers of fewer bits, which tensors here do not.
const CODES: [(DType, u8, u8); 22] = [
    (DType::I8, 0, 8),
    (DType::I16, 0, 16),
    (DType::I32, 0, 32),
    (DType::I64, 0, 64),
    (DType::U8, 1, 8),
    (DType::U16, 1, 16),
    (DType::U32, 1, 32),
    (DType::U64, 1, 64),
    (DType::F16, 2, 16),
    (DType::F32, 2, 32),
    (DType::F64, 2, 64),
    (DType::BF16, 4, 16),
    (DType::C32, 5, 64),
    (DType::C64, 5, 128),
    (DType::Bool, 6, 8),
    (DType::F8E3M4, 7, 8),
    (DType::F8E4M3, 8, 8),
    (DType::F8E4M3B11FNUZ, 9, 8),
    (DType::F8E4M3FN, 10, 8),
    (DType::F8E4M3FNUZ, 11, 8),
    (DType::F8E5M2, 12, 8),
    (DType::F8E5M2FNUZ, 13, 8),
];

/// `DLPackVersion`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Version {
    major: u32,
    minor: u32,
}
/// `DLManagedTensorVersioned`.
#[repr(C)]
pub(crate) struct Versioned {
    version: Version,
    manager: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    elements: Elements,
}
/// The version that is given out; others with this major number have the same layout.
const VERSION: Version = Version { major: 1, minor: 0 };
/// `DLPACK_FLAG_BITMASK_READ_ONLY`.
const READ_ONLY: u64 = 1;
/// `DLPACK_FLAG_BITMASK_IS_COPIED`.
const IS_COPIED: u64 = 2;

/// Either structure.
#[derive(Clone, Copy)]
enum Theirs {
    Plain(*mut Managed),
    Versioned(*mut Versioned),
}
/// Calls the deleter when it is dropped, if the tensor has been taken over by then.
struct Release {
    from: Theirs,
    taken: AtomicBool,
}
// SAFETY: DLPack's deleters may be called from any thread.
unsafe impl Send for Release {}
// SAFETY: nothing is done with what it points to but deleting it once.
unsafe impl Sync for Release {}
impl Drop for Release {
    fn drop(&mut self) {
        if !*self.taken.get_mut() {
            return;
        }
        // SAFETY: it was taken over, so it lives until its deleter is called, which is here alone.
        unsafe {
            match self.from {
                Theirs::Plain(m) => {
                    if let Some(delete) = (*m).deleter {
                        delete(m);
                    }
                }
                Theirs::Versioned(m) => {
                    if let Some(delete) = (*m).deleter {
                        delete(m);
                    }
                }
            }
        }
    }
}

/// A tensor of theirs, which is taken over if that succeeds, and only then.
///
/// SAFETY: `e` is what `from` points to, as the header says.
unsafe fn take(e: &Elements, from: Theirs) -> Result<Owned> {
    let wrong = |what: String| Error::new(Code::E1044, what).help("bring it to the CPU, in a dtype of tfc.h");
    if e.device.kind != CPU {
        return Err(wrong(format!("the tensor lies on a device of kind {}", e.device.kind)));
    }
    let d = e.dtype;
    let found = CODES.iter().find(|c| (c.1, c.2) == (d.code, d.bits) && d.lanes == 1);
    let dtype = found.ok_or_else(|| {
        wrong(format!("the tensor has elements of type code {}, {} bits, {} lanes", d.code, d.bits, d.lanes))
    })?;
    let index = crate::DTYPES.iter().position(|&t| t == dtype.0).unwrap_or_default();
    let offset = usize::try_from(e.byte_offset).unwrap_or(usize::MAX);
    let row_major: Vec<i64>;
    let mut buffer = crate::Buffer {
        data: if e.data.is_null() { null_mut() } else { e.data.cast::<u8>().wrapping_add(offset) },
        dtype: index as i32,
        rank: e.ndim,
        shape: e.shape,
        strides: e.strides,
    };
    if e.strides.is_null() {
        // Dense, the last axis fastest.
        let rank = usize::try_from(e.ndim).unwrap_or_default();
        // SAFETY: as the header says.
        let shape = unsafe { crate::list(e.shape, rank, "the shape of the tensor") }?;
        let sizes: Vec<usize> = shape.iter().map(|&n| usize::try_from(n).unwrap_or_default()).collect();
        row_major = tfc::ir::tensor::row_major(&sizes).into_iter().map(|s| s as i64).collect();
        buffer.strides = row_major.as_ptr();
    }
    // SAFETY: shape and strides are as many as the rank says.
    let layout = unsafe { layout(&buffer) }?;
    let release = Arc::new(Release { from, taken: AtomicBool::new(false) });
    // SAFETY: its elements live until its deleter is called, and who shares a tensor does not write it.
    let made = unsafe { borrowed(buffer.data, layout, Box::new(release.clone())) }?;
    // From here on it is ours. Where the elements were copied, this is the last that holds it, and gives it back.
    release.taken.store(true, Relaxed);
    Ok(Owned::new(made))
}
/// See the header.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tfc_from_dlpack(managed: *mut Managed) -> *mut Owned {
    given(guarded(|| {
        // SAFETY: as the header says.
        let m = unsafe { managed.as_ref() }.ok_or_else(|| null("the managed tensor"))?;
        // SAFETY: as the header says.
        unsafe { take(&m.elements, Theirs::Plain(managed)) }
    }))
}
/// See the header.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tfc_from_dlpack_versioned(managed: *mut Versioned) -> *mut Owned {
    given(guarded(|| {
        if managed.is_null() {
            return Err(null("the managed tensor"));
        }
        // SAFETY: as the header says; of another major version nothing else has the same place.
        let version = unsafe { (&raw const (*managed).version).read() };
        if version.major != VERSION.major {
            let text = format!("the tensor is one of DLPack {}.{}", version.major, version.minor);
            return Err(Error::new(Code::E1044, text).help("ask for one of DLPack 1"));
        }
        // SAFETY: as the header says.
        unsafe { take(&(*managed).elements, Theirs::Versioned(managed)) }
    }))
}

/// What a tensor that was given out holds on to.
struct Given<M> {
    owned: Owned,
    managed: M,
}
unsafe extern "C" fn release(m: *mut Managed) {
    if !m.is_null() {
        // SAFETY: made by `tfc_to_dlpack`, and deleted once.
        drop(unsafe { Box::from_raw((*m).manager.cast::<Given<Managed>>()) });
    }
}
unsafe extern "C" fn release_versioned(m: *mut Versioned) {
    if !m.is_null() {
        // SAFETY: made by `tfc_to_dlpack_versioned`, and deleted once.
        drop(unsafe { Box::from_raw((*m).manager.cast::<Given<Versioned>>()) });
    }
}
/// A tensor whose elements nobody else can look at, each at a place of its own, and whether that took a copy.
fn writable(owned: Owned) -> Result<(Owned, bool)> {
    let (shape, strides) = (owned.tensor.shape().to_vec(), owned.tensor.strides().to_vec());
    let offset = owned.tensor.offset();
    let mut axes: Vec<(usize, usize)> = shape.iter().zip(&strides).map(|(&n, s)| (s.unsigned_abs(), n)).collect();
    axes.retain(|a| a.1 > 1);
    axes.sort_unstable();
    let mut reach = 0;
    let apart = shape.contains(&0)
        || axes.into_iter().all(|(s, n)| {
            let beyond = s > reach;
            reach += s * (n - 1);
            beyond
        });
    let mut data = owned.tensor.into_data();
    let own = apart && data.exclusive().is_some();
    let tensor = Tensor::view(data, shape, strides, offset)?;
    Ok(if own { (Owned::new(tensor), false) } else { (Owned::new(copied(&tensor)?), true) })
}
/// Where the elements of a tensor lie; shape and strides are to be set where the tensor stays.
fn elements(owned: &Owned) -> Result<Elements> {
    let t = &owned.tensor;
    let code = CODES.iter().find(|c| c.0 == t.dtype());
    let (_, code, bits) = *code.ok_or_else(|| {
        let text = format!("{} has a byte for each element, where DLPack packs it", t.dtype());
        Error::new(Code::E1044, text).help("`convert` to a dtype of at least eight bits")
    })?;
    let size = with_dtype!(t.dtype(), T => size_of::<T>());
    Ok(Elements {
        data: t.data().address().cast_mut().cast(),
        device: Device { kind: CPU, id: 0 },
        ndim: owned.shape.len() as i32,
        dtype: DataType { code, bits, lanes: 1 },
        shape: null_mut(),
        strides: null_mut(),
        byte_offset: (t.offset() * size) as u64,
    })
}
/// See the header.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tfc_to_dlpack(tensor: *mut Owned) -> *mut Managed {
    let made = guarded(|| {
        if tensor.is_null() {
            return Err(null("the tensor"));
        }
        // SAFETY: given out by this library, and not used again.
        let (owned, _) = writable(*unsafe { Box::from_raw(tensor) })?;
        let managed = Managed { elements: elements(&owned)?, manager: null_mut(), deleter: Some(release) };
        let given = Box::into_raw(Box::new(Given { owned, managed }));
        // SAFETY: just made, and nobody else has it. The lists stay where they are: the box does.
        unsafe {
            (*given).managed.manager = given.cast();
            (*given).managed.elements.shape = (*given).owned.shape.as_mut_ptr();
            (*given).managed.elements.strides = (*given).owned.strides.as_mut_ptr();
            Ok(&raw mut (*given).managed)
        }
    });
    made.unwrap_or(null_mut())
}
/// See the header.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tfc_to_dlpack_versioned(tensor: *mut Owned, writing: c_int) -> *mut Versioned {
    let made = guarded(|| {
        if tensor.is_null() {
            return Err(null("the tensor"));
        }
        // SAFETY: given out by this library, and not used again.
        let owned = *unsafe { Box::from_raw(tensor) };
        let (owned, flags) = match writing {
            0 => (owned, READ_ONLY),
            _ => writable(owned).map(|(owned, copied)| (owned, if copied { IS_COPIED } else { 0 }))?,
        };
        let managed = Versioned {
            version: VERSION,
            manager: null_mut(),
            deleter: Some(release_versioned),
            flags,
            elements: elements(&owned)?,
        };
        let given = Box::into_raw(Box::new(Given { owned, managed }));
        // SAFETY: as in `tfc_to_dlpack`.
        unsafe {
            (*given).managed.manager = given.cast();
            (*given).managed.elements.shape = (*given).owned.shape.as_mut_ptr();
            (*given).managed.elements.strides = (*given).owned.strides.as_mut_ptr();
            Ok(&raw mut (*given).managed)
        }
    });
    made.unwrap_or(null_mut())
}
