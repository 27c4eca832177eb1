//! The client, its devices, their memory. There is one kind of device, the processor, of which a client may ask for several, and each has
//! one memory.
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use tfc::prelude::CpuBackend;
use tfc_pjrt_abi::*;

use crate::border::{Fault, guarded};
use crate::program::Kept;
use crate::{behind, callback, list};

/// A client. It lives until the process ends: buffers and executables may outlive the handle.
pub(crate) struct Client {
    devices: Vec<Device>,
    /// Their addresses, which are the handles of devices and of memories.
    handles: Vec<usize>,
    pub(crate) backend: CpuBackend,
    /// Programs that have been compiled.
    pub(crate) kept: Mutex<Kept>,
}
/// A device, its description, and its memory: handles of all three are its address.
pub(crate) struct Device {
    id: i32,
    text: String,
    debug: String,
    /// Bytes of its buffers.
    pub(crate) bytes: AtomicI64,
    itself: [usize; 1],
}
const KIND: &str = "cpu";
/// The kind of memory, with a zero behind it.
pub(crate) const MEMORY: &std::ffi::CStr = c"device";
const PLATFORM: &str = "tfc";
const VERSION: &str = concat!("tfc ", env!("CARGO_PKG_VERSION"));
/// As many devices may be asked for.
const MOST_DEVICES: i64 = 1024;

impl Client {
    fn new(devices: usize, backend: CpuBackend) -> &'static Client {
        let one = |id: usize| Device {
            id: id as i32,
            text: format!("TfcDevice(id={id})"),
            debug: format!("TFC_{id}"),
            bytes: AtomicI64::new(0),
            itself: [0],
        };
        let devices = (0..devices).map(one).collect();
        let made = Client { devices, handles: vec![], backend, kept: Mutex::default() };
        let client = Box::leak(Box::new(made));
        // From here on nothing moves.
        for d in &mut client.devices {
            d.itself = [&raw const *d as usize];
        }
        client.handles = client.devices.iter().map(|d| d.itself[0]).collect();
        client
    }
    /// The device of this number.
    pub(crate) fn device(&self, id: u64) -> Result<&Device, Fault> {
        let found = usize::try_from(id).ok().and_then(|i| self.devices.get(i));
        found.ok_or_else(|| Fault::invalid(format!("there is no device {id}: there are {}", self.devices.len())))
    }
}
impl Device {
    pub(crate) fn handle(&self) -> Handle {
        self.itself[0] as Handle
    }
    /// A list of the device alone.
    pub(crate) fn alone(&self) -> *const Handle {
        self.itself.as_ptr().cast()
    }
    pub(crate) fn id(&self) -> u64 {
        self.id as u64
    }
}
fn text(at: &str) -> (*const std::ffi::c_char, usize) {
    (at.as_ptr().cast(), at.len())
}
/// A function that fills in the struct of its arguments.
macro_rules! functions {
    ($($name:ident($a:ident: $args:ty) $body:block)*) => { $(
        unsafe extern "C" fn $name(args: *mut $args) -> Handle {
            // SAFETY: as the header says.
            #[allow(unused_unsafe, reason = "some look behind no handle")]
            unsafe { guarded(args, |$a| { $body; Ok(()) }) }
        }
    )* };
}
pub(crate) use functions;

/// What a client may be told.
///
/// # Safety
/// Names and values are as long as they say.
unsafe fn asked(options: &[NamedValue]) -> Result<(usize, CpuBackend), Fault> {
    let (mut devices, mut backend) = (1, CpuBackend::with_families(callback::ops()?, callback::kernels()));
    for o in options {
        // SAFETY: by contract.
        let name = String::from_utf8_lossy(unsafe { list(o.name.cast::<u8>(), o.name_size, "a name") }?);
        // SAFETY: the kind says which it is.
        let number = unsafe {
            match o.kind {
                1 => Some(o.value.number),
                4 => Some(i64::from(o.value.yes)),
                _ => None,
            }
        };
        match (&*name, number) {
            ("num_devices" | "cpu_device_count", Some(n)) if (1..=MOST_DEVICES).contains(&n) => devices = n as usize,
            ("threads", Some(n)) if (0..=MOST_DEVICES).contains(&n) => backend = backend.threads(n as usize),
            ("fast_math", Some(n)) => backend = backend.fast_math(n != 0),
            _ => {
                let all = "num_devices (1 to 1024), threads (0: all), fast_math (0 or 1)";
                return Err(Fault::invalid(format!(
                    "`{name}` is no option of tfc's plugin, or not with this value; there are {all}"
                )));
            }
        }
    }
    Ok((devices, backend))
}
functions! {
    create(a: ClientCreate) {
        let options = list(a.create_options, a.num_options, "the list of options")?;
        let (devices, backend) = asked(options)?;
        a.client = std::ptr::from_ref(Client::new(devices, backend)).cast_mut().cast();
    }
    // It lives on for what it has given out.
    destroy(_a: ClientDestroy) {}
    platform_name(a: ClientPlatformName) { (a.name, a.name_size) = text(PLATFORM) }
    platform_version(a: ClientPlatformVersion) { (a.version, a.version_size) = text(VERSION) }
    process_index(a: ClientProcessIndex) { a.process_index = 0 }
    devices(a: ClientDevices) {
        let c = behind::<Client>(a.client, "the client")?;
        (a.devices, a.num_devices) = (c.handles.as_ptr().cast(), c.handles.len())
    }
    addressable_devices(a: ClientAddressableDevices) {
        let c = behind::<Client>(a.client, "the client")?;
        (a.devices, a.num_devices) = (c.handles.as_ptr().cast(), c.handles.len())
    }
    lookup(a: ClientLookupDevice) {
        a.device = behind::<Client>(a.client, "the client")?.device(a.id as u64)?.handle()
    }
    lookup_addressable(a: ClientLookupAddressableDevice) {
        a.addressable_device = behind::<Client>(a.client, "the client")?.device(a.local_hardware_id as u64)?.handle()
    }
    memories(a: ClientAddressableMemories) {
        let c = behind::<Client>(a.client, "the client")?;
        (a.addressable_memories, a.num_addressable_memories) = (c.handles.as_ptr().cast(), c.handles.len())
    }
    assignment(a: ClientDefaultDeviceAssignment) {
        let c = behind::<Client>(a.client, "the client")?;
        let n = usize::try_from(i64::from(a.num_replicas) * i64::from(a.num_partitions)).unwrap_or(usize::MAX);
        if n > a.default_assignment_size || n > c.devices.len() {
            return Err(Fault::invalid(format!("{n} devices are asked for; there are {}", c.devices.len())));
        }
        for i in 0..n {
            a.default_assignment.add(i).write(i as i32);
        }
    }
    description_id(a: DeviceDescriptionId) { a.id = behind::<Device>(a.device_description, "the description")?.id }
    description_process(a: DeviceDescriptionProcessIndex) { a.process_index = 0 }
    description_attributes(a: DeviceDescriptionAttributes) {
        (a.attributes, a.num_attributes) = (std::ptr::null(), 0)
    }
    description_kind(a: DeviceDescriptionKind) { (a.device_kind, a.device_kind_size) = text(KIND) }
    description_debug(a: DeviceDescriptionDebugString) {
        (a.debug_string, a.debug_string_size) = text(&behind::<Device>(a.device_description, "the description")?.debug)
    }
    description_text(a: DeviceDescriptionToString) {
        (a.text, a.text_size) = text(&behind::<Device>(a.description, "the description")?.text)
    }
    description(a: DeviceGetDescription) { a.description = behind::<Device>(a.device, "the device")?.handle() }
    is_addressable(a: DeviceIsAddressable) { a.is_addressable = true }
    hardware_id(a: DeviceLocalHardwareId) { a.local_hardware_id = behind::<Device>(a.device, "the device")?.id }
    device_memories(a: DeviceAddressableMemories) {
        (a.memories, a.num_memories) = (behind::<Device>(a.device, "the device")?.alone(), 1)
    }
    default_memory(a: DeviceDefaultMemory) { a.memory = behind::<Device>(a.device, "the device")?.handle() }
    memory_stats(a: DeviceMemoryStats) {
        a.bytes_in_use = behind::<Device>(a.device, "the device")?.bytes.load(Relaxed);
        a.peak_bytes_in_use_is_set = false;
        a.num_allocs_is_set = false;
        a.largest_alloc_size_is_set = false;
        a.bytes_limit_is_set = false;
        a.bytes_reserved_is_set = false;
        a.peak_bytes_reserved_is_set = false;
        a.bytes_reservable_limit_is_set = false;
        a.largest_free_block_bytes_is_set = false;
        a.pool_bytes_is_set = false;
        a.peak_pool_bytes_is_set = false;
    }
    memory_id(a: MemoryId) { a.id = behind::<Device>(a.memory, "the memory")?.id }
    memory_kind(a: MemoryKind) {
        (a.kind, a.kind_size) = (MEMORY.as_ptr(), MEMORY.count_bytes())
    }
    memory_kind_id(a: MemoryKindId) { a.kind_id = 0 }
    memory_debug(a: MemoryDebugString) {
        (a.debug_string, a.debug_string_size) = text(&behind::<Device>(a.memory, "the memory")?.debug)
    }
    memory_text(a: MemoryToString) {
        (a.to_string, a.to_string_size) = text(&behind::<Device>(a.memory, "the memory")?.text)
    }
    memory_devices(a: MemoryAddressableByDevices) {
        (a.devices, a.num_devices) = (behind::<Device>(a.memory, "the memory")?.alone(), 1)
    }
}
pub(crate) const fn fill(api: Api) -> Api {
    Api {
        client_create: Some(create),
        client_destroy: Some(destroy),
        client_platform_name: Some(platform_name),
        client_process_index: Some(process_index),
        client_platform_version: Some(platform_version),
        client_devices: Some(devices),
        client_addressable_devices: Some(addressable_devices),
        client_lookup_device: Some(lookup),
        client_lookup_addressable_device: Some(lookup_addressable),
        client_addressable_memories: Some(memories),
        client_default_device_assignment: Some(assignment),
        device_description_id: Some(description_id),
        device_description_process_index: Some(description_process),
        device_description_attributes: Some(description_attributes),
        device_description_kind: Some(description_kind),
        device_description_debug_string: Some(description_debug),
        device_description_to_string: Some(description_text),
        device_get_description: Some(description),
        device_is_addressable: Some(is_addressable),
        device_local_hardware_id: Some(hardware_id),
        device_addressable_memories: Some(device_memories),
        device_default_memory: Some(default_memory),
        device_memory_stats: Some(memory_stats),
        memory_id: Some(memory_id),
        memory_kind: Some(memory_kind),
        memory_kind_id: Some(memory_kind_id),
        memory_debug_string: Some(memory_debug),
        memory_to_string: Some(memory_text),
        memory_addressable_by_devices: Some(memory_devices),
        ..api
    }
}
