//! What this crate uses of the PJRT C API, as `pjrt_c_api.h` of openxla/xla declares it at version 0.81: field by field, in its order.
//! Declarations alone; who calls through them is `ffi`.
//!
//! Every struct of arguments begins with its size, by which a plugin knows how many of its fields there are. Fields are only
//! ever added at the end within a major version.
use std::ffi::{c_char, c_int, c_void};

/// The major version of these declarations.
pub(crate) const MAJOR: c_int = 0;
/// Their minor version.
pub(crate) const MINOR: c_int = 81;

/// Something of the plugin's: an error, an event, a client, a device, a buffer, an executable.
pub(crate) type Handle = *mut c_void;
/// A function of the plugin's that may fail: the error, or null.
pub(crate) type Call<A> = Option<unsafe extern "C" fn(*mut A) -> Handle>;
/// One that cannot.
pub(crate) type Plain<A> = Option<unsafe extern "C" fn(*mut A)>;
/// A function that is not used.
type Unused = Option<unsafe extern "C" fn()>;

/// Structs of arguments: two fields that all have, then these.
macro_rules! args {
    ($($name:ident { $($field:ident: $ty:ty),* $(,)? })*) => { $(
        #[repr(C)]
        #[derive(Default)]
        pub(crate) struct $name {
            struct_size: usize,
            extension_start: Handle,
            $(pub(crate) $field: $ty,)*
        }
        impl $name {
            /// All fields zero, but for the size: up to the end of the last field, as the header's `PJRT_STRUCT_SIZE` has it.
            #[allow(unused_assignments, unused_mut, reason = "the last field counts")]
            pub(crate) fn new() -> Self {
                let mut end = std::mem::offset_of!(Self, extension_start) + size_of::<Handle>();
                $(end = std::mem::offset_of!(Self, $field) + size_of::<$ty>();)*
                Self { struct_size: end, ..Self::default() }
            }
        }
    )* };
}

args! {
    ErrorDestroy { error: Handle }
    ErrorMessage { error: Handle, message: *const c_char, message_size: usize }
    PluginInitialize {}
    PluginAttributes { attributes: *const NamedValue, num_attributes: usize }
    EventDestroy { event: Handle }
    EventAwait { event: Handle }
    ClientCreate {
        create_options: *const NamedValue,
        num_options: usize,
        kv_get_callback: Handle,
        kv_get_user_arg: Handle,
        kv_put_callback: Handle,
        kv_put_user_arg: Handle,
        client: Handle,
        kv_try_get_callback: Handle,
        kv_try_get_user_arg: Handle,
    }
    ClientPlatformName { client: Handle, name: *const c_char, name_size: usize }
    ClientPlatformVersion { client: Handle, version: *const c_char, version_size: usize }
    ClientAddressableDevices { client: Handle, devices: *const Handle, num_devices: usize }
    Program { code: *mut c_char, code_size: usize, format: *const c_char, format_size: usize }
    ClientCompile {
        client: Handle,
        program: *const Program,
        compile_options: *const c_char,
        compile_options_size: usize,
        executable: Handle,
    }
    ClientBufferFromHostBuffer {
        client: Handle,
        data: *const c_void,
        element: c_int,
        dims: *const i64,
        num_dims: usize,
        byte_strides: *const i64,
        num_byte_strides: usize,
        host_buffer_semantics: c_int,
        device: Handle,
        memory: Handle,
        device_layout: *mut MemoryLayout,
        done_with_host_buffer: Handle,
        buffer: Handle,
    }
    DeviceGetDescription { device: Handle, description: Handle }
    DeviceDescriptionToString { description: Handle, text: *const c_char, text_size: usize }
    ExecutableDestroy { executable: Handle }
    ExecutableNumOutputs { executable: Handle, num_outputs: usize }
    ExecutableOptimizedProgram { executable: Handle, program: *mut Program }
    LoadedExecutableDestroy { executable: Handle }
    LoadedExecutableGetExecutable { loaded: Handle, executable: Handle }
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
    LoadedExecutableExecute {
        executable: Handle,
        options: *mut ExecuteOptions,
        argument_lists: *const *const Handle,
        num_devices: usize,
        num_args: usize,
        output_lists: *const *mut Handle,
        device_complete_events: *mut Handle,
        execute_device: Handle,
    }
    BufferDestroy { buffer: Handle }
    BufferElementType { buffer: Handle, element: c_int }
    BufferDimensions { buffer: Handle, dims: *const i64, num_dims: usize }
    BufferToHostBuffer {
        src: Handle,
        host_layout: *mut MemoryLayout,
        dst: *mut c_void,
        dst_size: usize,
        event: Handle,
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
}

/// `PJRT_HostBufferSemantics`: the plugin is done with the data when the event says so.
pub(crate) const UNTIL_TRANSFER: c_int = 1;
/// The same: the buffer may be the data for as long as it lives.
pub(crate) const ZERO_COPY: c_int = 2;
/// `PJRT_Buffer_MemoryLayout_Type_Tiled`.
pub(crate) const TILED: c_int = 0;

/// `PJRT_NamedValue`.
#[repr(C)]
pub(crate) struct NamedValue {
    pub(crate) struct_size: usize,
    pub(crate) extension_start: Handle,
    pub(crate) name: *const c_char,
    pub(crate) name_size: usize,
    /// 0 a string, 1 an `int64_t`, 2 a list of those.
    pub(crate) kind: c_int,
    /// A pointer, or the number itself.
    pub(crate) value: u64,
    pub(crate) value_size: usize,
}

/// `PJRT_Api_Version`, which the plugin fills.
#[repr(C)]
pub(crate) struct Version {
    struct_size: usize,
    extension_start: Handle,
    pub(crate) major: c_int,
    pub(crate) minor: c_int,
}
/// The beginning of `PJRT_Api` that is read before anything is known of it.
#[repr(C)]
pub(crate) struct Head {
    pub(crate) struct_size: usize,
    pub(crate) extension_start: Handle,
    pub(crate) version: Version,
}
/// `PJRT_Api` up to the last function that is used.
#[repr(C)]
pub(crate) struct Api {
    pub(crate) head: Head,
    pub(crate) error_destroy: Plain<ErrorDestroy>,
    pub(crate) error_message: Plain<ErrorMessage>,
    error_get_code: Unused,
    pub(crate) plugin_initialize: Call<PluginInitialize>,
    pub(crate) plugin_attributes: Call<PluginAttributes>,
    pub(crate) event_destroy: Call<EventDestroy>,
    event_is_ready: Unused,
    event_error: Unused,
    pub(crate) event_await: Call<EventAwait>,
    event_on_ready: Unused,
    pub(crate) client_create: Call<ClientCreate>,
    client_destroy: Unused,
    pub(crate) client_platform_name: Call<ClientPlatformName>,
    client_process_index: Unused,
    pub(crate) client_platform_version: Call<ClientPlatformVersion>,
    client_devices: Unused,
    pub(crate) client_addressable_devices: Call<ClientAddressableDevices>,
    client_lookup_device: Unused,
    client_lookup_addressable_device: Unused,
    client_addressable_memories: Unused,
    pub(crate) client_compile: Call<ClientCompile>,
    client_default_device_assignment: Unused,
    pub(crate) client_buffer_from_host_buffer: Call<ClientBufferFromHostBuffer>,
    device_description_id: Unused,
    device_description_process_index: Unused,
    device_description_attributes: Unused,
    device_description_kind: Unused,
    device_description_debug_string: Unused,
    pub(crate) device_description_to_string: Call<DeviceDescriptionToString>,
    pub(crate) device_get_description: Call<DeviceGetDescription>,
    device_is_addressable: Unused,
    device_local_hardware_id: Unused,
    device_addressable_memories: Unused,
    device_default_memory: Unused,
    device_memory_stats: Unused,
    memory_id: Unused,
    memory_kind: Unused,
    memory_debug_string: Unused,
    memory_to_string: Unused,
    memory_addressable_by_devices: Unused,
    pub(crate) executable_destroy: Call<ExecutableDestroy>,
    executable_name: Unused,
    executable_num_replicas: Unused,
    executable_num_partitions: Unused,
    pub(crate) executable_num_outputs: Call<ExecutableNumOutputs>,
    executable_size_of_generated_code: Unused,
    executable_get_cost_analysis: Unused,
    executable_output_memory_kinds: Unused,
    pub(crate) executable_optimized_program: Call<ExecutableOptimizedProgram>,
    executable_serialize: Unused,
    pub(crate) loaded_executable_destroy: Call<LoadedExecutableDestroy>,
    pub(crate) loaded_executable_get_executable: Call<LoadedExecutableGetExecutable>,
    loaded_executable_addressable_devices: Unused,
    loaded_executable_delete: Unused,
    loaded_executable_is_deleted: Unused,
    pub(crate) loaded_executable_execute: Call<LoadedExecutableExecute>,
    executable_deserialize_and_load: Unused,
    loaded_executable_fingerprint: Unused,
    pub(crate) buffer_destroy: Call<BufferDestroy>,
    pub(crate) buffer_element_type: Call<BufferElementType>,
    pub(crate) buffer_dimensions: Call<BufferDimensions>,
    pub(crate) buffer_unpadded_dimensions: Call<BufferDimensions>,
    buffer_dynamic_dimension_indices: Unused,
    buffer_get_memory_layout: Unused,
    buffer_on_device_size: Unused,
    buffer_device: Unused,
    buffer_memory: Unused,
    buffer_delete: Unused,
    buffer_is_deleted: Unused,
    buffer_copy_to_device: Unused,
    pub(crate) buffer_to_host_buffer: Call<BufferToHostBuffer>,
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    /// What a C compiler says of version 0.81's header on a 64-bit machine.
    fn sizes_are_the_headers() {
        assert_eq!(PluginInitialize::new().struct_size, 16);
        assert_eq!(ClientCreate::new().struct_size, 88);
        assert_eq!(ClientCompile::new().struct_size, 56);
        assert_eq!(ClientBufferFromHostBuffer::new().struct_size, 120);
        assert_eq!(LoadedExecutableExecute::new().struct_size, 80);
        assert_eq!(ExecuteOptions::new().struct_size, 112);
        assert_eq!(BufferToHostBuffer::new().struct_size, 56);
        assert_eq!(MemoryLayout::new().struct_size, 76);
        assert_eq!(size_of::<NamedValue>(), 56);
        assert_eq!(std::mem::offset_of!(Api, error_destroy), 40);
        assert_eq!(std::mem::offset_of!(Api, client_compile), 200);
        assert_eq!(std::mem::offset_of!(Api, buffer_to_host_buffer), 600);
    }
    /// All of them.
    pub const ALL: &[fn()] = &[sizes_are_the_headers];
}
