//! DLPack (dmlc/dlpack, ABI of version 0.x: `DLManagedTensor`): tensors of other libraries, without a copy, and ours for them.
use crate::{Layout, Owned, given, guarded, null, tensor};
use std::ffi::c_void;
use std::ptr::null_mut;
use tfc::ir::with_dtype;
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
/// `kDLInt`, `kDLUInt`, `kDLFloat`, `kDLComplex`, `kDLBool`, and bits.
const CODES: [(DType, u8, u8); 9] = [
    (DType::I32, 0, 32),
    (DType::I64, 0, 64),
    (DType::U32, 1, 32),
    (DType::U64, 1, 64),
    (DType::F32, 2, 32),
    (DType::F64, 2, 64),
    (DType::C32, 5, 64),
    (DType::C64, 5, 128),
    (DType::Bool, 6, 8),
];

/// Calls the deleter when it is dropped.
struct Release(*mut Managed);
// SAFETY: DLPack's deleters may be called from any thread.
unsafe impl Send for Release {}
// SAFETY: nothing is done with it but dropping it.
unsafe impl Sync for Release {}
impl Drop for Release {
    fn drop(&mut self) {
        // SAFETY: it was taken over, so it lives until its deleter is called, which is here alone.
        unsafe {
            if let Some(delete) = (*self.0).deleter {
                delete(self.0);
            }
        }
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tfc_from_dlpack(managed: *mut Managed) -> *mut Owned {
    given(guarded(|| {
        // SAFETY: as the header says.
        let m = unsafe { managed.as_ref() }.ok_or_else(|| null("the managed tensor"))?;
        let e = &m.elements;
        let wrong = |what: String| Error::new("E1044", what).help("bring it to the CPU, in a dtype of tfc.h");
        if e.device.kind != CPU {
            return Err(wrong(format!("the tensor lies on a device of kind {}", e.device.kind)));
        }
        let d = e.dtype;
        let found = CODES.iter().find(|c| (c.1, c.2) == (d.code, d.bits) && d.lanes == 1);
        let dtype = found.ok_or_else(|| {
            wrong(format!("the tensor has elements of type code {}, {} bits, {} lanes", d.code, d.bits, d.lanes))
        })?;
        let index = crate::DTYPES.iter().position(|&t| t == dtype.0).unwrap_or_default();
        let row_major: Vec<i64>;
        let mut buffer = crate::Buffer {
            data: e.data.cast::<u8>().wrapping_add(usize::try_from(e.byte_offset).unwrap_or(usize::MAX)),
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
        let layout = unsafe { Layout::of(&buffer) }?;
        // From here on it is ours.
        // SAFETY: its elements live until its deleter is called, and who shares a tensor does not write it.
        unsafe { tensor(buffer.data, layout, Box::new(Release(managed))) }.map(Owned::new)
    }))
}

/// What a tensor that was given out holds on to.
struct Given {
    owned: Owned,
    managed: Managed,
}
unsafe extern "C" fn release(m: *mut Managed) {
    if !m.is_null() {
        // SAFETY: made by `tfc_to_dlpack`, and deleted once.
        drop(unsafe { Box::from_raw((*m).manager.cast::<Given>()) });
    }
}
/// See the header.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tfc_to_dlpack(tensor: *mut Owned) -> *mut Managed {
    let made = guarded(|| {
        if tensor.is_null() {
            return Err(null("the tensor"));
        }
        // SAFETY: given out by this library, and not used again.
        let owned = *unsafe { Box::from_raw(tensor) };
        let t = &owned.tensor;
        let code = CODES.iter().find(|c| c.0 == t.dtype());
        let (_, code, bits) = *code.ok_or_else(|| Error::new("E0201", format!("{} is reserved", t.dtype())))?;
        let size = with_dtype!(t.dtype(), T => size_of::<T>(), _ => 0);
        let elements = Elements {
            data: t.data().address().cast_mut().cast(),
            device: Device { kind: CPU, id: 0 },
            ndim: owned.shape.len() as i32,
            dtype: DataType { code, bits, lanes: 1 },
            shape: null_mut(),
            strides: null_mut(),
            byte_offset: (t.offset() * size) as u64,
        };
        let managed = Managed { elements, manager: null_mut(), deleter: Some(release) };
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
