//! The PJRT C API, as `pjrt_c_api.h` of openxla/xla declares it at version 0.81: field by field, in its order. Both sides of it read these
//! declarations: who calls a plugin (`tfc-xla`), and who is one (`tfc-pjrt`).
//!
//! Every struct of arguments begins with its size, by which each side knows how many of its fields there are. Fields are only ever added
//! at the end within a major version.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(missing_docs, reason = "names are those of the header, which says what each is")]
use std::ffi::{c_char, c_int, c_void};

/// The major version of these declarations.
pub const MAJOR: c_int = 0;
/// Their minor version.
pub const MINOR: c_int = 81;

/// Something of the plugin's: an error, an event, a client, a device, a buffer, an executable.
pub type Handle = *mut c_void;
/// A function of the plugin's that may fail: the error, or null.
pub type Call<A> = Option<unsafe extern "C" fn(*mut A) -> Handle>;
/// One that cannot.
pub type Plain<A> = Option<unsafe extern "C" fn(*mut A)>;
/// What is called when an event is ready: with its error, which is then the callee's, and what came with it.
pub type Callback = Option<unsafe extern "C" fn(Handle, Handle)>;
/// What gives back something of the plugin's.
pub type Deleter = Option<unsafe extern "C" fn(Handle)>;

/// A struct whose first field says how long it is.
///
/// # Safety
/// Whoever has a pointer to one may read its first field, which is a `usize`.
pub unsafe trait Args {
    /// Bytes up to the end of the last field, as the header's `PJRT_STRUCT_SIZE` has it.
    const SIZE: usize;
}
/// Structs of arguments: two fields that all have, then these.
macro_rules! args {
    ($($name:ident { $($field:ident: $ty:ty),* $(,)? })*) => { $(
        #[repr(C)]
        #[derive(Default, Debug)]
        pub struct $name {
            pub struct_size: usize,
            pub extension_start: Handle,
            $(pub $field: $ty,)*
        }
        // SAFETY: the first field.
        unsafe impl Args for $name {
            #[allow(unused_assignments, unused_mut, reason = "the last field counts")]
            const SIZE: usize = {
                let mut end = std::mem::offset_of!(Self, extension_start) + size_of::<Handle>();
                $(end = std::mem::offset_of!(Self, $field) + size_of::<$ty>();)*
                end
            };
        }
        impl $name {
            /// All fields zero, but for the size.
            pub fn new() -> Self {
                Self { struct_size: Self::SIZE, ..Self::default() }
            }
        }
    )* };
}

args! {
    ErrorDestroy { error: Handle }
    ErrorMessage { error: Handle, message: *const c_char, message_size: usize }
    ErrorGetCode { error: Handle, code: c_int }
    PluginInitialize {}
    PluginAttributes { attributes: *const NamedValue, num_attributes: usize }
    EventDestroy { event: Handle }
    EventIsReady { event: Handle, is_ready: bool }
    EventError { event: Handle }
    EventAwait { event: Handle }
    EventOnReady { event: Handle, callback: Callback, user_arg: Handle }
    ClientCreate { create_options: *const NamedValue, num_options: usize, kv_get_callback: Handle, kv_get_user_arg: Handle, kv_put_callback: Handle, kv_put_user_arg: Handle, client: Handle, kv_try_get_callback: Handle, kv_try_get_user_arg: Handle }
    ClientDestroy { client: Handle }
    ClientPlatformName { client: Handle, name: *const c_char, name_size: usize }
    ClientProcessIndex { client: Handle, process_index: c_int }
    ClientPlatformVersion { client: Handle, version: *const c_char, version_size: usize }
    ClientDevices { client: Handle, devices: *const Handle, num_devices: usize }
    ClientAddressableDevices { client: Handle, devices: *const Handle, num_devices: usize }
    ClientLookupDevice { client: Handle, id: c_int, device: Handle }
    ClientLookupAddressableDevice { client: Handle, local_hardware_id: c_int, addressable_device: Handle }
    ClientAddressableMemories { client: Handle, addressable_memories: *const Handle, num_addressable_memories: usize }
    ClientCompile { client: Handle, program: *const Program, compile_options: *const c_char, compile_options_size: usize, executable: Handle }
    ClientDefaultDeviceAssignment { client: Handle, num_replicas: c_int, num_partitions: c_int, default_assignment_size: usize, default_assignment: *mut c_int }
    ClientBufferFromHostBuffer { client: Handle, data: *const c_void, element: c_int, dims: *const i64, num_dims: usize, byte_strides: *const i64, num_byte_strides: usize, host_buffer_semantics: c_int, device: Handle, memory: Handle, device_layout: *mut MemoryLayout, done_with_host_buffer: Handle, buffer: Handle }
    DeviceDescriptionId { device_description: Handle, id: c_int }
    DeviceDescriptionProcessIndex { device_description: Handle, process_index: c_int }
    DeviceDescriptionAttributes { device_description: Handle, num_attributes: usize, attributes: *const NamedValue }
    DeviceDescriptionKind { device_description: Handle, device_kind: *const c_char, device_kind_size: usize }
    DeviceDescriptionDebugString { device_description: Handle, debug_string: *const c_char, debug_string_size: usize }
    DeviceDescriptionToString { description: Handle, text: *const c_char, text_size: usize }
    DeviceGetDescription { device: Handle, description: Handle }
    DeviceIsAddressable { device: Handle, is_addressable: bool }
    DeviceLocalHardwareId { device: Handle, local_hardware_id: c_int }
    DeviceAddressableMemories { device: Handle, memories: *const Handle, num_memories: usize }
    DeviceDefaultMemory { device: Handle, memory: Handle }
    DeviceMemoryStats { device: Handle, bytes_in_use: i64, peak_bytes_in_use: i64, peak_bytes_in_use_is_set: bool, num_allocs: i64, num_allocs_is_set: bool, largest_alloc_size: i64, largest_alloc_size_is_set: bool, bytes_limit: i64, bytes_limit_is_set: bool, bytes_reserved: i64, bytes_reserved_is_set: bool, peak_bytes_reserved: i64, peak_bytes_reserved_is_set: bool, bytes_reservable_limit: i64, bytes_reservable_limit_is_set: bool, largest_free_block_bytes: i64, largest_free_block_bytes_is_set: bool, pool_bytes: i64, pool_bytes_is_set: bool, peak_pool_bytes: i64, peak_pool_bytes_is_set: bool }
    MemoryId { memory: Handle, id: c_int }
    MemoryKind { memory: Handle, kind: *const c_char, kind_size: usize }
    MemoryDebugString { memory: Handle, debug_string: *const c_char, debug_string_size: usize }
    MemoryToString { memory: Handle, to_string: *const c_char, to_string_size: usize }
    MemoryAddressableByDevices { memory: Handle, devices: *const Handle, num_devices: usize }
    ExecutableDestroy { executable: Handle }
    ExecutableName { executable: Handle, executable_name: *const c_char, executable_name_size: usize }
    ExecutableNumReplicas { executable: Handle, num_replicas: usize }
    ExecutableNumPartitions { executable: Handle, num_partitions: usize }
    ExecutableNumOutputs { executable: Handle, num_outputs: usize }
    ExecutableSizeOfGeneratedCodeInBytes { executable: Handle, size_in_bytes: i64 }
    ExecutableGetCostAnalysis { executable: Handle, num_properties: usize, properties: *const NamedValue }
    ExecutableOutputMemoryKinds { executable: Handle, num_outputs: usize, memory_kinds: *const *const c_char, memory_kind_sizes: *const usize }
    ExecutableOptimizedProgram { executable: Handle, program: *mut Program }
    ExecutableSerialize { executable: Handle, serialized_bytes: *const c_char, serialized_bytes_size: usize, serialized_executable: Handle, serialized_executable_deleter: Deleter }
    LoadedExecutableDestroy { executable: Handle }
    LoadedExecutableGetExecutable { loaded: Handle, executable: Handle }
    LoadedExecutableAddressableDevices { executable: Handle, addressable_devices: *const Handle, num_addressable_devices: usize }
    LoadedExecutableDelete { executable: Handle }
    LoadedExecutableIsDeleted { executable: Handle, is_deleted: bool }
    LoadedExecutableExecute { executable: Handle, options: *mut ExecuteOptions, argument_lists: *const *const Handle, num_devices: usize, num_args: usize, output_lists: *const *mut Handle, device_complete_events: *mut Handle, execute_device: Handle }
    ExecutableDeserializeAndLoad { client: Handle, serialized_executable: *const c_char, serialized_executable_size: usize, loaded_executable: Handle, overridden_serialized_compile_options: *const c_char, overridden_serialized_compile_options_size: usize }
    LoadedExecutableFingerprint { executable: Handle, executable_fingerprint: *const c_char, executable_fingerprint_size: usize }
    BufferDestroy { buffer: Handle }
    BufferElementType { buffer: Handle, element: c_int }
    BufferDimensions { buffer: Handle, dims: *const i64, num_dims: usize }
    BufferDynamicDimensionIndices { buffer: Handle, dynamic_dim_indices: *const usize, num_dynamic_dims: usize }
    BufferGetMemoryLayout { buffer: Handle, layout: MemoryLayout }
    BufferOnDeviceSizeInBytes { buffer: Handle, on_device_size_in_bytes: usize }
    BufferDevice { buffer: Handle, device: Handle }
    BufferMemory { buffer: Handle, memory: Handle }
    BufferDelete { buffer: Handle }
    BufferIsDeleted { buffer: Handle, is_deleted: bool }
    BufferCopyToDevice { buffer: Handle, dst_device: Handle, dst_buffer: Handle }
    BufferToHostBuffer { src: Handle, host_layout: *mut MemoryLayout, dst: Handle, dst_size: usize, event: Handle }
    BufferIsOnCpu { buffer: Handle, is_on_cpu: bool }
    BufferReadyEvent { buffer: Handle, event: Handle }
    BufferUnsafePointer { buffer: Handle, buffer_pointer: usize }
    BufferIncreaseExternalReferenceCount { buffer: Handle }
    BufferDecreaseExternalReferenceCount { buffer: Handle }
    BufferOpaqueDeviceMemoryDataPointer { buffer: Handle, device_memory_ptr: Handle }
    ExecutableOutputElementTypes { executable: Handle, output_types: *mut c_int, num_output_types: usize }
    ExecutableOutputDimensions { executable: Handle, num_outputs: usize, dims: *const i64, dim_sizes: *const usize }
    BufferCopyToMemory { buffer: Handle, dst_memory: Handle, dst_buffer: Handle }
    ExecutableFingerprint { executable: Handle, executable_fingerprint: *const c_char, executable_fingerprint_size: usize }
    ClientTopologyDescription { client: Handle, topology: Handle }
    ExecutableGetCompiledMemoryStats { executable: Handle, generated_code_size_in_bytes: i64, argument_size_in_bytes: i64, output_size_in_bytes: i64, alias_size_in_bytes: i64, temp_size_in_bytes: i64, host_generated_code_size_in_bytes: i64, host_argument_size_in_bytes: i64, host_output_size_in_bytes: i64, host_alias_size_in_bytes: i64, host_temp_size_in_bytes: i64, peak_memory_in_bytes: i64 }
    MemoryKindId { memory: Handle, kind_id: c_int }
    ExecuteContextCreate { context: Handle }
    ExecuteContextDestroy { context: Handle }
    LoadedExecutableGetDeviceAssignment { executable: Handle, serialized_bytes: *const c_char, serialized_bytes_size: usize, serialized_device_assignment: Handle, serialized_device_assignment_deleter: Deleter }
    Program { code: *mut c_char, code_size: usize, format: *const c_char, format_size: usize }
    ExecuteOptions {
        send_callbacks: Handle,
        recv_callbacks: Handle,
        num_send_ops: usize,
        num_recv_ops: usize,
        launch_id: c_int,
        non_donatable_input_indices: *const i64,
        num_non_donatable_input_indices: usize,
        context: Handle,
        call_location: *const c_char,
        num_tasks: usize,
        task_ids: *mut c_int,
        incarnation_ids: *mut i64,
    }
    // The arm of a union whose other arm is shorter.
    Tiled {
        minor_to_major: *const i64,
        minor_to_major_size: usize,
        tile_dims: *const i64,
        tile_dim_sizes: *const usize,
        num_tiles: usize,
    }
    MemoryLayout { tiled: Tiled, kind: c_int }
    // Of a function that is not called here, and whose arguments are not looked at.
    Unused {}
}

/// `PJRT_HostBufferSemantics`: the data is the caller's again when the call ends.
pub const DURING_CALL: c_int = 0;
/// The plugin is done with the data when the event says so.
pub const UNTIL_TRANSFER: c_int = 1;
/// The same: the buffer may be the data for as long as it lives.
pub const ZERO_COPY: c_int = 2;
/// `PJRT_Buffer_MemoryLayout_Type_Tiled`.
pub const TILED: c_int = 0;
/// `PJRT_Buffer_MemoryLayout_Type_Strides`.
pub const STRIDES: c_int = 1;

/// `PJRT_Buffer_Type`: the number of an element type, by the name that it has in this project; those that it has not are left out.
pub const ELEMENTS: [(c_int, &str); 27] = [
    (1, "bool"),
    (2, "i8"),
    (3, "i16"),
    (4, "i32"),
    (5, "i64"),
    (6, "u8"),
    (7, "u16"),
    (8, "u32"),
    (9, "u64"),
    (10, "f16"),
    (11, "f32"),
    (12, "f64"),
    (13, "bf16"),
    (14, "c32"),
    (15, "c64"),
    (16, "f8e5m2"),
    (17, "f8e4m3fn"),
    (18, "f8e4m3b11fnuz"),
    (19, "f8e5m2fnuz"),
    (20, "f8e4m3fnuz"),
    (21, "i4"),
    (22, "u4"),
    (24, "i2"),
    (25, "u2"),
    (26, "f8e4m3"),
    (27, "f8e3m4"),
    (29, "f4e2m1fn"),
];
/// The number of the element type of this name.
pub fn element(name: &str) -> Option<c_int> {
    ELEMENTS.iter().find(|e| e.1 == name).map(|e| e.0)
}

/// What a named value holds, as its kind says.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Value {
    pub text: *const c_char,
    pub number: i64,
    pub list: *const i64,
    pub real: f32,
    pub yes: bool,
}
/// `PJRT_NamedValue`.
#[repr(C)]
pub struct NamedValue {
    pub struct_size: usize,
    pub extension_start: Handle,
    pub name: *const c_char,
    pub name_size: usize,
    /// 0 a string, 1 an `int64_t`, 2 a list of those, 3 a `float`, 4 a `bool`.
    pub kind: c_int,
    pub value: Value,
    pub value_size: usize,
}

/// `PJRT_Api_Version`, which the plugin fills.
#[repr(C)]
#[derive(Debug)]
pub struct Version {
    pub struct_size: usize,
    pub extension_start: Handle,
    pub major: c_int,
    pub minor: c_int,
}
/// The beginning of `PJRT_Api` that is read before anything is known of it.
#[repr(C)]
#[derive(Debug)]
pub struct Head {
    pub struct_size: usize,
    pub extension_start: Handle,
    pub version: Version,
}
/// `PJRT_Api`, all functions of the version.
macro_rules! api {
    ($($slot:ident: $ty:ty,)*) => {
        #[repr(C)]
        #[derive(Debug)]
        pub struct Api {
            pub head: Head,
            $(pub $slot: $ty,)*
        }
        impl Api {
            /// A table in which every function is this one, whatever its arguments.
            pub const fn all(head: Head, other: Other) -> Api {
                // SAFETY: functions of one pointer are called alike, and `other` looks at nothing behind it. One whose answer nobody
                // reads may have one.
                Api { head, $($slot: unsafe { std::mem::transmute::<Other, $ty>(other) },)* }
            }
        }
    };
}
/// A function of any arguments.
pub type Other = unsafe extern "C" fn(Handle) -> Handle;
api! {
    error_destroy: Plain<ErrorDestroy>,
    error_message: Plain<ErrorMessage>,
    error_get_code: Call<ErrorGetCode>,
    plugin_initialize: Call<PluginInitialize>,
    plugin_attributes: Call<PluginAttributes>,
    event_destroy: Call<EventDestroy>,
    event_is_ready: Call<EventIsReady>,
    event_error: Call<EventError>,
    event_await: Call<EventAwait>,
    event_on_ready: Call<EventOnReady>,
    client_create: Call<ClientCreate>,
    client_destroy: Call<ClientDestroy>,
    client_platform_name: Call<ClientPlatformName>,
    client_process_index: Call<ClientProcessIndex>,
    client_platform_version: Call<ClientPlatformVersion>,
    client_devices: Call<ClientDevices>,
    client_addressable_devices: Call<ClientAddressableDevices>,
    client_lookup_device: Call<ClientLookupDevice>,
    client_lookup_addressable_device: Call<ClientLookupAddressableDevice>,
    client_addressable_memories: Call<ClientAddressableMemories>,
    client_compile: Call<ClientCompile>,
    client_default_device_assignment: Call<ClientDefaultDeviceAssignment>,
    client_buffer_from_host_buffer: Call<ClientBufferFromHostBuffer>,
    device_description_id: Call<DeviceDescriptionId>,
    device_description_process_index: Call<DeviceDescriptionProcessIndex>,
    device_description_attributes: Call<DeviceDescriptionAttributes>,
    device_description_kind: Call<DeviceDescriptionKind>,
    device_description_debug_string: Call<DeviceDescriptionDebugString>,
    device_description_to_string: Call<DeviceDescriptionToString>,
    device_get_description: Call<DeviceGetDescription>,
    device_is_addressable: Call<DeviceIsAddressable>,
    device_local_hardware_id: Call<DeviceLocalHardwareId>,
    device_addressable_memories: Call<DeviceAddressableMemories>,
    device_default_memory: Call<DeviceDefaultMemory>,
    device_memory_stats: Call<DeviceMemoryStats>,
    memory_id: Call<MemoryId>,
    memory_kind: Call<MemoryKind>,
    memory_debug_string: Call<MemoryDebugString>,
    memory_to_string: Call<MemoryToString>,
    memory_addressable_by_devices: Call<MemoryAddressableByDevices>,
    executable_destroy: Call<ExecutableDestroy>,
    executable_name: Call<ExecutableName>,
    executable_num_replicas: Call<ExecutableNumReplicas>,
    executable_num_partitions: Call<ExecutableNumPartitions>,
    executable_num_outputs: Call<ExecutableNumOutputs>,
    executable_size_of_generated_code_in_bytes: Call<ExecutableSizeOfGeneratedCodeInBytes>,
    executable_get_cost_analysis: Call<ExecutableGetCostAnalysis>,
    executable_output_memory_kinds: Call<ExecutableOutputMemoryKinds>,
    executable_optimized_program: Call<ExecutableOptimizedProgram>,
    executable_serialize: Call<ExecutableSerialize>,
    loaded_executable_destroy: Call<LoadedExecutableDestroy>,
    loaded_executable_get_executable: Call<LoadedExecutableGetExecutable>,
    loaded_executable_addressable_devices: Call<LoadedExecutableAddressableDevices>,
    loaded_executable_delete: Call<LoadedExecutableDelete>,
    loaded_executable_is_deleted: Call<LoadedExecutableIsDeleted>,
    loaded_executable_execute: Call<LoadedExecutableExecute>,
    executable_deserialize_and_load: Call<ExecutableDeserializeAndLoad>,
    loaded_executable_fingerprint: Call<LoadedExecutableFingerprint>,
    buffer_destroy: Call<BufferDestroy>,
    buffer_element_type: Call<BufferElementType>,
    buffer_dimensions: Call<BufferDimensions>,
    buffer_unpadded_dimensions: Call<BufferDimensions>,
    buffer_dynamic_dimension_indices: Call<BufferDynamicDimensionIndices>,
    buffer_get_memory_layout: Call<BufferGetMemoryLayout>,
    buffer_on_device_size_in_bytes: Call<BufferOnDeviceSizeInBytes>,
    buffer_device: Call<BufferDevice>,
    buffer_memory: Call<BufferMemory>,
    buffer_delete: Call<BufferDelete>,
    buffer_is_deleted: Call<BufferIsDeleted>,
    buffer_copy_to_device: Call<BufferCopyToDevice>,
    buffer_to_host_buffer: Call<BufferToHostBuffer>,
    buffer_is_on_cpu: Call<BufferIsOnCpu>,
    buffer_ready_event: Call<BufferReadyEvent>,
    buffer_unsafe_pointer: Call<BufferUnsafePointer>,
    buffer_increase_external_reference_count: Call<BufferIncreaseExternalReferenceCount>,
    buffer_decrease_external_reference_count: Call<BufferDecreaseExternalReferenceCount>,
    buffer_opaque_device_memory_data_pointer: Call<BufferOpaqueDeviceMemoryDataPointer>,
    copy_to_device_stream_destroy: Call<Unused>,
    copy_to_device_stream_add_chunk: Call<Unused>,
    copy_to_device_stream_total_bytes: Call<Unused>,
    copy_to_device_stream_granule_size: Call<Unused>,
    copy_to_device_stream_current_bytes: Call<Unused>,
    topology_description_create: Call<Unused>,
    topology_description_destroy: Call<Unused>,
    topology_description_platform_name: Call<Unused>,
    topology_description_platform_version: Call<Unused>,
    topology_description_get_device_descriptions: Call<Unused>,
    topology_description_serialize: Call<Unused>,
    topology_description_attributes: Call<Unused>,
    compile: Call<Unused>,
    executable_output_element_types: Call<ExecutableOutputElementTypes>,
    executable_output_dimensions: Call<ExecutableOutputDimensions>,
    buffer_copy_to_memory: Call<BufferCopyToMemory>,
    client_create_view_of_device_buffer: Call<Unused>,
    executable_fingerprint: Call<ExecutableFingerprint>,
    client_topology_description: Call<ClientTopologyDescription>,
    executable_get_compiled_memory_stats: Call<ExecutableGetCompiledMemoryStats>,
    memory_kind_id: Call<MemoryKindId>,
    execute_context_create: Call<ExecuteContextCreate>,
    execute_context_destroy: Call<ExecuteContextDestroy>,
    buffer_copy_raw_to_host: Call<Unused>,
    async_host_to_device_transfer_manager_destroy: Call<Unused>,
    async_host_to_device_transfer_manager_transfer_data: Call<Unused>,
    client_create_buffers_for_async_host_to_device: Call<Unused>,
    async_host_to_device_transfer_manager_retrieve_buffer: Call<Unused>,
    async_host_to_device_transfer_manager_device: Call<Unused>,
    async_host_to_device_transfer_manager_buffer_count: Call<Unused>,
    async_host_to_device_transfer_manager_buffer_size: Call<Unused>,
    async_host_to_device_transfer_manager_set_buffer_error: Call<Unused>,
    async_host_to_device_transfer_manager_add_metadata: Call<Unused>,
    client_dma_map: Call<Unused>,
    client_dma_unmap: Call<Unused>,
    client_create_uninitialized_buffer: Call<Unused>,
    client_update_global_process_info: Call<Unused>,
    topology_description_deserialize: Call<Unused>,
    client_create_alias_buffer: Call<Unused>,
    client_fulfill_alias_buffer: Call<Unused>,
    loaded_executable_get_device_assignment: Call<LoadedExecutableGetDeviceAssignment>,
}

/// What is tested from inside stands beside the code, is compiled with it where assertions are, and is run by `tests/it`.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod inside {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    /// What a C compiler says of version 0.81's header on a 64-bit machine.
    fn sizes_are_the_headers() {
        assert_eq!(ErrorDestroy::SIZE, 24);
        assert_eq!(ErrorMessage::SIZE, 40);
        assert_eq!(ErrorGetCode::SIZE, 28);
        assert_eq!(PluginInitialize::SIZE, 16);
        assert_eq!(PluginAttributes::SIZE, 32);
        assert_eq!(EventDestroy::SIZE, 24);
        assert_eq!(EventIsReady::SIZE, 25);
        assert_eq!(EventError::SIZE, 24);
        assert_eq!(EventAwait::SIZE, 24);
        assert_eq!(EventOnReady::SIZE, 40);
        assert_eq!(ClientCreate::SIZE, 88);
        assert_eq!(ClientDestroy::SIZE, 24);
        assert_eq!(ClientPlatformName::SIZE, 40);
        assert_eq!(ClientProcessIndex::SIZE, 28);
        assert_eq!(ClientPlatformVersion::SIZE, 40);
        assert_eq!(ClientDevices::SIZE, 40);
        assert_eq!(ClientAddressableDevices::SIZE, 40);
        assert_eq!(ClientLookupDevice::SIZE, 40);
        assert_eq!(ClientLookupAddressableDevice::SIZE, 40);
        assert_eq!(ClientAddressableMemories::SIZE, 40);
        assert_eq!(ClientCompile::SIZE, 56);
        assert_eq!(ClientDefaultDeviceAssignment::SIZE, 48);
        assert_eq!(ClientBufferFromHostBuffer::SIZE, 120);
        assert_eq!(DeviceDescriptionId::SIZE, 28);
        assert_eq!(DeviceDescriptionProcessIndex::SIZE, 28);
        assert_eq!(DeviceDescriptionAttributes::SIZE, 40);
        assert_eq!(DeviceDescriptionKind::SIZE, 40);
        assert_eq!(DeviceDescriptionDebugString::SIZE, 40);
        assert_eq!(DeviceDescriptionToString::SIZE, 40);
        assert_eq!(DeviceGetDescription::SIZE, 32);
        assert_eq!(DeviceIsAddressable::SIZE, 25);
        assert_eq!(DeviceLocalHardwareId::SIZE, 28);
        assert_eq!(DeviceAddressableMemories::SIZE, 40);
        assert_eq!(DeviceDefaultMemory::SIZE, 32);
        assert_eq!(DeviceMemoryStats::SIZE, 185);
        assert_eq!(MemoryId::SIZE, 28);
        assert_eq!(MemoryKind::SIZE, 40);
        assert_eq!(MemoryDebugString::SIZE, 40);
        assert_eq!(MemoryToString::SIZE, 40);
        assert_eq!(MemoryAddressableByDevices::SIZE, 40);
        assert_eq!(ExecutableDestroy::SIZE, 24);
        assert_eq!(ExecutableName::SIZE, 40);
        assert_eq!(ExecutableNumReplicas::SIZE, 32);
        assert_eq!(ExecutableNumPartitions::SIZE, 32);
        assert_eq!(ExecutableNumOutputs::SIZE, 32);
        assert_eq!(ExecutableSizeOfGeneratedCodeInBytes::SIZE, 32);
        assert_eq!(ExecutableGetCostAnalysis::SIZE, 40);
        assert_eq!(ExecutableOutputMemoryKinds::SIZE, 48);
        assert_eq!(ExecutableOptimizedProgram::SIZE, 32);
        assert_eq!(ExecutableSerialize::SIZE, 56);
        assert_eq!(LoadedExecutableDestroy::SIZE, 24);
        assert_eq!(LoadedExecutableGetExecutable::SIZE, 32);
        assert_eq!(LoadedExecutableAddressableDevices::SIZE, 40);
        assert_eq!(LoadedExecutableDelete::SIZE, 24);
        assert_eq!(LoadedExecutableIsDeleted::SIZE, 25);
        assert_eq!(LoadedExecutableExecute::SIZE, 80);
        assert_eq!(ExecutableDeserializeAndLoad::SIZE, 64);
        assert_eq!(LoadedExecutableFingerprint::SIZE, 40);
        assert_eq!(BufferDestroy::SIZE, 24);
        assert_eq!(BufferElementType::SIZE, 28);
        assert_eq!(BufferDimensions::SIZE, 40);
        assert_eq!(BufferDynamicDimensionIndices::SIZE, 40);
        assert_eq!(BufferGetMemoryLayout::SIZE, 104);
        assert_eq!(BufferOnDeviceSizeInBytes::SIZE, 32);
        assert_eq!(BufferDevice::SIZE, 32);
        assert_eq!(BufferMemory::SIZE, 32);
        assert_eq!(BufferDelete::SIZE, 24);
        assert_eq!(BufferIsDeleted::SIZE, 25);
        assert_eq!(BufferCopyToDevice::SIZE, 40);
        assert_eq!(BufferToHostBuffer::SIZE, 56);
        assert_eq!(BufferIsOnCpu::SIZE, 25);
        assert_eq!(BufferReadyEvent::SIZE, 32);
        assert_eq!(BufferUnsafePointer::SIZE, 32);
        assert_eq!(BufferIncreaseExternalReferenceCount::SIZE, 24);
        assert_eq!(BufferDecreaseExternalReferenceCount::SIZE, 24);
        assert_eq!(BufferOpaqueDeviceMemoryDataPointer::SIZE, 32);
        assert_eq!(ExecutableOutputElementTypes::SIZE, 40);
        assert_eq!(ExecutableOutputDimensions::SIZE, 48);
        assert_eq!(BufferCopyToMemory::SIZE, 40);
        assert_eq!(ExecutableFingerprint::SIZE, 40);
        assert_eq!(ClientTopologyDescription::SIZE, 32);
        assert_eq!(ExecutableGetCompiledMemoryStats::SIZE, 112);
        assert_eq!(MemoryKindId::SIZE, 28);
        assert_eq!(ExecuteContextCreate::SIZE, 24);
        assert_eq!(ExecuteContextDestroy::SIZE, 24);
        assert_eq!(LoadedExecutableGetDeviceAssignment::SIZE, 56);
        assert_eq!(ExecuteOptions::SIZE, 112);
        assert_eq!(MemoryLayout::SIZE, 76);
        assert_eq!(size_of::<Api>(), 984);
        assert_eq!(std::mem::offset_of!(Api, error_destroy), 40);
        assert_eq!(std::mem::offset_of!(Api, client_process_index), 144);
        assert_eq!(std::mem::offset_of!(Api, device_description_kind), 248);
        assert_eq!(std::mem::offset_of!(Api, memory_addressable_by_devices), 352);
        assert_eq!(std::mem::offset_of!(Api, loaded_executable_addressable_devices), 456);
        assert_eq!(std::mem::offset_of!(Api, buffer_device), 560);
        assert_eq!(std::mem::offset_of!(Api, copy_to_device_stream_add_chunk), 664);
        assert_eq!(std::mem::offset_of!(Api, executable_output_dimensions), 768);
        assert_eq!(std::mem::offset_of!(Api, async_host_to_device_transfer_manager_retrieve_buffer), 872);
        assert_eq!(std::mem::offset_of!(Api, loaded_executable_get_device_assignment), 976);
        assert_eq!(size_of::<NamedValue>(), 56);
    }
    /// All of them.
    pub const ALL: &[fn()] = &[sizes_are_the_headers];
}
