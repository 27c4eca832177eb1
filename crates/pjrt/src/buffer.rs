//! Buffers: tensors on a device. Their elements lie in whatever order the engine left them in; a client sees them with the last axis fastest.
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use tfc::ir::DType;
use tfc::ir::tensor::foreign::{Layout, borrowed, copied, write};
use tfc::ir::tensor::row_major;
use tfc::prelude::Tensor;
use tfc_pjrt_abi::*;

use crate::border::{Fault, guarded};
use crate::client::{Client, Device, functions};
use crate::event::Event;
use crate::{behind, list};

/// A buffer.
pub(crate) struct Buffer {
    /// `None` where it has been deleted, or given away.
    tensor: Mutex<Option<Tensor>>,
    element: i32,
    dims: Vec<i64>,
    /// Axes from the fastest to the slowest.
    order: Vec<i64>,
    bytes: i64,
    device: &'static Device,
    /// How many outside look at its memory: then it is not written, whoever gives it away.
    watched: AtomicUsize,
}
impl Drop for Buffer {
    fn drop(&mut self) {
        self.device.bytes.fetch_sub(self.bytes, Relaxed);
    }
}
/// The dtype of an element type.
fn dtype(element: i32) -> Result<DType, Fault> {
    let name = ELEMENTS.iter().find(|e| e.0 == element).map(|e| e.1);
    let found = name.and_then(DType::from_name);
    found.ok_or_else(|| Fault::unimplemented(format!("tfc has no tensors of PJRT's element type {element}")))
}
/// The element type of a dtype.
pub(crate) fn element_of(d: DType) -> Result<i32, Fault> {
    element(d.name()).ok_or_else(|| Fault::unimplemented(format!("PJRT has no element type for {d}")))
}
impl Buffer {
    pub(crate) fn new(t: Tensor, device: &'static Device) -> Result<Buffer, Fault> {
        let dims: Vec<i64> = t.shape().iter().map(|&n| n as i64).collect();
        let bytes = t.len().saturating_mul(t.dtype().size()) as i64;
        let element = element_of(t.dtype())?;
        device.bytes.fetch_add(bytes, Relaxed);
        Ok(Buffer {
            element,
            order: (0..dims.len() as i64).rev().collect(),
            dims,
            bytes,
            device,
            tensor: Mutex::new(Some(t)),
            watched: AtomicUsize::new(0),
        })
    }
    pub(crate) fn handle(self) -> Handle {
        Box::into_raw(Box::new(self)).cast()
    }
    /// Its tensor.
    pub(crate) fn tensor(&self) -> Result<Tensor, Fault> {
        let t = self.tensor.lock().unwrap_or_else(|e| e.into_inner());
        t.clone().ok_or_else(|| Fault::invalid("the buffer has been deleted or donated"))
    }
    /// Its tensor, which leaves it: its memory may be used anew, where nobody else sees it.
    pub(crate) fn donate(&self) -> Result<Tensor, Fault> {
        let mut t = self.tensor.lock().unwrap_or_else(|e| e.into_inner());
        let given = if self.watched.load(Relaxed) > 0 { t.clone() } else { t.take() };
        given.ok_or_else(|| Fault::invalid("the buffer has been deleted or donated"))
    }
    fn is_deleted(&self) -> bool {
        self.tensor.lock().unwrap_or_else(|e| e.into_inner()).is_none()
    }
    /// Whether its elements lie as a client sees them.
    fn is_plain(&self) -> bool {
        self.tensor().is_ok_and(|t| t.is_order(&row_major(t.shape())))
    }
    /// The address of its first element.
    fn address(&self) -> Result<Handle, Fault> {
        let t = self.tensor()?;
        if !t.is_order(&row_major(t.shape())) {
            return Err(Fault::unimplemented("the elements of the buffer lie in another order than the default one"));
        }
        Ok(t.data().address().wrapping_add(t.offset() * t.dtype().size()).cast_mut().cast())
    }
    /// The buffer behind a handle.
    ///
    /// # Errors
    /// Where it is null.
    ///
    /// # Safety
    /// As [`behind`].
    pub(crate) unsafe fn of<'a>(handle: Handle) -> Result<&'a Buffer, Fault> {
        // SAFETY: by contract.
        unsafe { behind::<Buffer>(handle, "the buffer") }
    }
}
/// Says that memory is the caller's again, when it is dropped.
struct Done(Event);
impl Drop for Done {
    fn drop(&mut self) {
        self.0.happens(None);
    }
}
/// The layout of a host's memory; without strides the last axis is fastest.
fn host_layout(d: DType, dims: &[i64], byte_strides: Option<&[i64]>) -> Result<Layout, Fault> {
    let extent = |&n: &i64| usize::try_from(n).map_err(|_| Fault::invalid(format!("an extent is {n}")));
    let shape = dims.iter().map(extent).collect::<Result<Vec<usize>, Fault>>()?;
    let size = d.size() as i64;
    let strides = match byte_strides {
        None => row_major(&shape),
        Some(all) => {
            // Along an axis of one element nobody steps.
            let one = |(&s, &n): (&i64, &usize)| match s % size {
                0 => Ok((s / size) as isize),
                _ if n <= 1 => Ok(0),
                _ => Err(Fault::unimplemented(format!("a stride of {s} bytes is no multiple of {size}"))),
            };
            all.iter().zip(&shape).map(one).collect::<Result<Vec<isize>, Fault>>()?
        }
    };
    Ok(Layout::new(d, shape, Some(strides))?)
}
/// The layout that a client asks for.
///
/// # Safety
/// Lists of the layout are as long as it says.
unsafe fn asked(t: &Tensor, dims: &[i64], layout: Option<&MemoryLayout>) -> Result<Layout, Fault> {
    let Some(l) = layout else { return host_layout(t.dtype(), dims, None) };
    if l.kind == STRIDES {
        // SAFETY: by contract; the arm of strides begins as that of tiles does.
        let strides = unsafe { list(l.tiled.minor_to_major, l.tiled.minor_to_major_size, "the strides") }?;
        return host_layout(t.dtype(), dims, Some(strides));
    }
    // SAFETY: by contract.
    let order = unsafe { list(l.tiled.minor_to_major, l.tiled.minor_to_major_size, "the order of axes") }?;
    if l.tiled.num_tiles > 0 || order.len() != dims.len() {
        return Err(Fault::unimplemented("tiled layouts, or ones that leave axes out"));
    }
    let mut strides = vec![0; dims.len()];
    let mut next = t.dtype().size() as i64;
    for &axis in order {
        let at = usize::try_from(axis).ok().and_then(|a| Some((strides.get_mut(a)?, dims.get(a)?)));
        let (stride, n) = at.ok_or_else(|| Fault::invalid(format!("there is no axis {axis}")))?;
        *stride = next;
        next = next.saturating_mul((*n).max(1));
    }
    host_layout(t.dtype(), dims, Some(&strides))
}

functions! {
    from_host(a: ClientBufferFromHostBuffer) {
        let client = behind::<Client>(a.client, "the client")?;
        let dims = list(a.dims, a.num_dims, "the extents")?;
        let strides = if a.byte_strides.is_null() || a.num_byte_strides == 0 {
            None
        } else {
            Some(list(a.byte_strides, a.num_byte_strides, "the strides")?)
        };
        let layout = host_layout(dtype(a.element)?, dims, strides)?;
        // A memory has the address of its device.
        let at = if a.memory.is_null() { a.device } else { a.memory };
        let device = if at.is_null() { client.device(0)? } else { behind::<Device>(at, "the device")? };
        let done = Event::default();
        let owner = Box::new(Done(done.clone()));
        let t = borrowed(a.data.cast_mut().cast(), layout, owner)?;
        // Only where it may lie there for as long as the buffer lives it is not copied.
        let t = if a.host_buffer_semantics == ZERO_COPY { t } else { copied(&t)? };
        a.buffer = Buffer::new(t, device)?.handle();
        a.done_with_host_buffer = done.handle();
    }
    destroy(a: BufferDestroy) {
        if !a.buffer.is_null() {
            drop(Box::from_raw(a.buffer.cast::<Buffer>()));
        }
    }
    element_type(a: BufferElementType) { a.element = Buffer::of(a.buffer)?.element }
    dimensions(a: BufferDimensions) {
        let b = Buffer::of(a.buffer)?;
        (a.dims, a.num_dims) = (b.dims.as_ptr(), b.dims.len())
    }
    unpadded(a: BufferDimensions) {
        let b = Buffer::of(a.buffer)?;
        (a.dims, a.num_dims) = (b.dims.as_ptr(), b.dims.len())
    }
    dynamic(a: BufferDynamicDimensionIndices) {
        (a.dynamic_dim_indices, a.num_dynamic_dims) = (std::ptr::null(), 0)
    }
    layout(a: BufferGetMemoryLayout) {
        let b = Buffer::of(a.buffer)?;
        a.layout = MemoryLayout::new();
        a.layout.kind = TILED;
        a.layout.tiled = Tiled::new();
        (a.layout.tiled.minor_to_major, a.layout.tiled.minor_to_major_size) = (b.order.as_ptr(), b.order.len())
    }
    size(a: BufferOnDeviceSizeInBytes) { a.on_device_size_in_bytes = Buffer::of(a.buffer)?.bytes as usize }
    device(a: BufferDevice) { a.device = Buffer::of(a.buffer)?.device.handle() }
    memory(a: BufferMemory) { a.memory = Buffer::of(a.buffer)?.device.handle() }
    delete(a: BufferDelete) {
        let gone = Buffer::of(a.buffer)?.tensor.lock().unwrap_or_else(|e| e.into_inner()).take();
        drop(gone)
    }
    is_deleted(a: BufferIsDeleted) { a.is_deleted = Buffer::of(a.buffer)?.is_deleted() }
    copy_to_device(a: BufferCopyToDevice) {
        let device = behind::<Device>(a.dst_device, "the device")?;
        a.dst_buffer = Buffer::new(Buffer::of(a.buffer)?.tensor()?, device)?.handle()
    }
    copy_to_memory(a: BufferCopyToMemory) {
        let device = behind::<Device>(a.dst_memory, "the memory")?;
        a.dst_buffer = Buffer::new(Buffer::of(a.buffer)?.tensor()?, device)?.handle()
    }
    to_host(a: BufferToHostBuffer) {
        let b = Buffer::of(a.src)?;
        let t = b.tensor()?;
        if a.dst.is_null() {
            a.dst_size = b.bytes as usize;
            return Ok(());
        }
        let layout = asked(&t, &b.dims, a.host_layout.as_ref())?;
        if a.dst_size < b.bytes as usize {
            return Err(Fault::invalid(format!("there is room for {} bytes, {} are written", a.dst_size, b.bytes)));
        }
        write(&t, a.dst.cast(), &layout)?;
        a.event = Event::ready().handle();
    }
    is_on_cpu(a: BufferIsOnCpu) { a.is_on_cpu = Buffer::of(a.buffer)?.is_plain() }
    ready(a: BufferReadyEvent) {
        Buffer::of(a.buffer)?;
        a.event = Event::ready().handle()
    }
    unsafe_pointer(a: BufferUnsafePointer) { a.buffer_pointer = Buffer::of(a.buffer)?.address()? as usize }
    watch(a: BufferIncreaseExternalReferenceCount) { Buffer::of(a.buffer)?.watched.fetch_add(1, Relaxed); }
    unwatch(a: BufferDecreaseExternalReferenceCount) {
        let b = Buffer::of(a.buffer)?;
        let less = b.watched.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1));
        less.map_err(|_| Fault::invalid("nobody outside looks at the buffer"))?;
    }
    pointer(a: BufferOpaqueDeviceMemoryDataPointer) { a.device_memory_ptr = Buffer::of(a.buffer)?.address()? }
}
pub(crate) const fn fill(api: Api) -> Api {
    Api {
        client_buffer_from_host_buffer: Some(from_host),
        buffer_destroy: Some(destroy),
        buffer_element_type: Some(element_type),
        buffer_dimensions: Some(dimensions),
        buffer_unpadded_dimensions: Some(unpadded),
        buffer_dynamic_dimension_indices: Some(dynamic),
        buffer_get_memory_layout: Some(layout),
        buffer_on_device_size_in_bytes: Some(size),
        buffer_device: Some(device),
        buffer_memory: Some(memory),
        buffer_delete: Some(delete),
        buffer_is_deleted: Some(is_deleted),
        buffer_copy_to_device: Some(copy_to_device),
        buffer_copy_to_memory: Some(copy_to_memory),
        buffer_to_host_buffer: Some(to_host),
        buffer_is_on_cpu: Some(is_on_cpu),
        buffer_ready_event: Some(ready),
        buffer_unsafe_pointer: Some(unsafe_pointer),
        buffer_increase_external_reference_count: Some(watch),
        buffer_decrease_external_reference_count: Some(unwatch),
        buffer_opaque_device_memory_data_pointer: Some(pointer),
        ..api
    }
}
