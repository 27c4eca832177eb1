//! Calls of a PJRT plugin. All of this crate's `unsafe` stands here, behind an interface without any.
//!
//! What a plugin is trusted with: that it is what `GetPjrtApi` says, that it fills the fields which the header calls out, and that
//! it keeps to its own documentation. What it is not trusted with: that it is there, speaks this version, or has every function.
//! A plugin stays loaded until the process ends: its threads outlive whoever asked for it.
use std::ffi::{c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tfc_ir::tensor::{Data, element_count, row_major};
use tfc_ir::{Code, DType, Error, Result, Tensor};

use crate::proto::{self, Collective};
use tfc_pjrt_abi::{self as abi, Api, Call, Handle};

/// What XLA does on CPUs unless it is told not to, though it changes results: a maximum that loses NaN.
const TURNED_OFF: &[&str] = &["xla_cpu_enable_fast_min_max"];
/// `CompileOptionsProto` for a platform: one replica, as many partitions as devices, and
/// `env_option_overrides { key: FLAG value { bool_field: false } }` for each flag.
fn compile_options(platform: &str, devices: usize) -> Vec<u8> {
    // `num_replicas` and `num_partitions`.
    let mut build = proto::number(4, 1);
    build.extend(proto::number(5, devices as u64));
    if devices > 1 {
        // `use_spmd_partitioning`; `device_assignment { replica_count computation_count computation_devices* }`, of which each says
        // which device it is; `use_shardy_partitioner`, without which the partitioner does not know these attributes.
        build.extend(proto::number(6, 1));
        let mut assignment = [proto::number(1, 1), proto::number(2, devices as u64)].concat();
        for device in 0..devices as u64 {
            assignment.extend(proto::bytes(3, &proto::number(1, device)));
        }
        build.extend(proto::bytes(9, &assignment));
        build.extend(proto::number(19, 1));
    }
    let mut out = proto::bytes(3, &build);
    for flag in TURNED_OFF.iter().filter(|_| platform == "cpu") {
        let entry = [proto::bytes(1, flag.as_bytes()), proto::bytes(2, &proto::number(2, 0))].concat();
        out.extend(proto::bytes(7, &entry));
    }
    out
}
/// How to get a plugin.
pub(crate) const HOW: &str = "`--plugin PATH` or the variable TFC_PJRT_PLUGIN says where one is; `pip install xla-cpu-pjrt` brings \
                              `xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so`";

/// A plugin that has been loaded.
#[derive(Debug)]
pub(crate) struct Plugin {
    path: PathBuf,
    api: &'static Api,
    version: (i32, i32),
    attributes: Vec<(String, String)>,
}
// SAFETY: the table of functions is constant, and PJRT's functions may be called from any thread.
unsafe impl Send for Plugin {}
// SAFETY: as above.
unsafe impl Sync for Plugin {}
/// What a plugin says where a function of it fails.
struct Failure {
    what: &'static str,
    message: String,
}

/// The text of that many bytes.
///
/// # Safety
/// There are so many bytes at `at`, unless it is null.
unsafe fn text(at: *const c_char, size: usize) -> String {
    if at.is_null() || size == 0 {
        return String::new();
    }
    // SAFETY: by contract.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(at.cast::<u8>(), size) }).into_owned()
}

impl Plugin {
    /// Loads the file and asks it who it is.
    ///
    /// # Errors
    /// `E1110` where it cannot be loaded, `E1111` where it is no plugin that this crate can talk to, `E1112` where it does not start.
    fn load(path: &Path) -> Result<Plugin> {
        let shown = path.display();
        // SAFETY: initialisers of the library run. That is what a plugin is for; the user has named this file as one.
        let library = unsafe { libloading::Library::new(path) }
            .map_err(|e| Error::new(Code::E1110, format!("the plugin {shown} cannot be loaded: {e}")).help(HOW))?;
        let none =
            |why: String| Error::new(Code::E1111, format!("{shown} is no PJRT plugin for this build: {why}")).help(HOW);
        // SAFETY: the symbol has this type by the header of PJRT; nothing else has that name.
        let get = unsafe { library.get::<unsafe extern "C" fn() -> *const c_void>(b"GetPjrtApi\0") }
            .map_err(|_| none("it has no function `GetPjrtApi`".into()))?;
        // SAFETY: a function without arguments.
        let at = unsafe { get() };
        // What it has handed out must stay.
        std::mem::forget(library);
        if at.is_null() || !at.cast::<Api>().is_aligned() {
            return Err(none("`GetPjrtApi` gives no table of functions".into()));
        }
        // SAFETY: every version of the table begins with its size.
        let size = unsafe { at.cast::<usize>().read() };
        if size < size_of::<abi::Head>() {
            return Err(none(format!("its table of functions has {size} bytes, too few to say a version")));
        }
        // SAFETY: the table is that long.
        let head = unsafe { &*at.cast::<abi::Head>() };
        let (major, minor) = (head.version.major, head.version.minor);
        let speaks = format!("it speaks PJRT API {major}.{minor}, tfc {}.{}", abi::MAJOR, abi::MINOR);
        if major != abi::MAJOR {
            return Err(none(speaks));
        }
        if size < size_of::<Api>() {
            let text =
                format!("{speaks}, and its table of functions has {size} bytes where {} are used", size_of::<Api>());
            return Err(none(text));
        }
        // SAFETY: the table is that long, of this major version, and constant while the library is loaded, which is for ever.
        let api: &'static Api = unsafe { &*at.cast::<Api>() };
        let mut plugin = Plugin { path: path.to_owned(), api, version: (major, minor), attributes: vec![] };
        plugin.start().map_err(|f| plugin.error(Code::E1112, &f))?;
        Ok(plugin)
    }
    fn start(&mut self) -> std::result::Result<(), Failure> {
        let mut args = abi::PluginInitialize::new();
        // SAFETY: no argument is a pointer.
        unsafe { self.call("PJRT_Plugin_Initialize", self.api.plugin_initialize, &mut args)? };
        let mut args = abi::PluginAttributes::new();
        // Some plugins have none of these: nothing depends on them.
        // SAFETY: no argument is a pointer.
        if unsafe { self.call("PJRT_Plugin_Attributes", self.api.plugin_attributes, &mut args) }.is_err()
            || args.attributes.is_null()
        {
            return Ok(());
        }
        let mut at = args.attributes.cast::<u8>();
        for _ in 0..args.num_attributes {
            // SAFETY: there are so many, and they live as long as the process. The first says how long each is: one of a later
            // version may be longer.
            let a = unsafe { &*at.cast::<abi::NamedValue>() };
            // SAFETY: the field says how long the name is.
            let name = unsafe { text(a.name, a.name_size) };
            // SAFETY: the kind says which of them it is; texts and lists are as long as the field says.
            let value = unsafe {
                match a.kind {
                    0 => text(a.value.text, a.value_size),
                    1 => a.value.number.to_string(),
                    2 if !a.value.list.is_null() => {
                        let list = std::slice::from_raw_parts(a.value.list, a.value_size);
                        list.iter().map(i64::to_string).collect::<Vec<_>>().join(".")
                    }
                    _ => String::new(),
                }
            };
            self.attributes.push((name, value));
            let step = a.struct_size.max(size_of::<abi::NamedValue>()).next_multiple_of(align_of::<abi::NamedValue>());
            // SAFETY: the next one, or the end.
            at = unsafe { at.add(step) };
        }
        Ok(())
    }
    /// Calls a function.
    ///
    /// # Safety
    /// Pointers among the arguments are what the header asks for, for as long as it asks for it.
    unsafe fn call<A>(&self, what: &'static str, f: Call<A>, args: &mut A) -> std::result::Result<(), Failure> {
        let Some(f) = f else { return Err(Failure { what, message: "the plugin does not have it".into() }) };
        // SAFETY: the struct is the function's own, with its size in it; the rest is by contract.
        let error = unsafe { f(args) };
        if error.is_null() { Ok(()) } else { Err(self.failure(what, error)) }
    }
    /// What an error says, which is then given back.
    fn failure(&self, what: &'static str, error: Handle) -> Failure {
        let mut args = abi::ErrorMessage::new();
        args.error = error;
        let mut message = String::new();
        if let Some(f) = self.api.error_message {
            // SAFETY: the error is the plugin's, and lives.
            unsafe { f(&mut args) };
            // SAFETY: the message lives as long as the error does.
            message = unsafe { text(args.message, args.message_size) };
        }
        let mut args = abi::ErrorDestroy::new();
        args.error = error;
        if let Some(f) = self.api.error_destroy {
            // SAFETY: the error is the plugin's, and nobody uses it from here on.
            unsafe { f(&mut args) };
        }
        Failure { what, message }
    }
    /// An error of that code in the plugin's words, with its version.
    fn error(&self, code: Code, f: &Failure) -> Error {
        Error::new(code, format!("{}: {}", f.what, f.message.trim_end()))
            .note(format!("the plugin: {}", self.describe()))
    }
    /// Where it is and what it speaks.
    pub(crate) fn describe(&self) -> String {
        let mut out = format!("{}, PJRT API {}.{}", self.path.display(), self.version.0, self.version.1);
        if let Some((_, v)) = self.attributes.iter().find(|a| a.0 == "stablehlo_current_version") {
            out.push_str(&format!(", StableHLO {v}"));
        }
        out
    }
    /// Waits for an event and gives it back.
    fn wait(&self, event: Handle) -> std::result::Result<(), Failure> {
        if event.is_null() {
            return Ok(());
        }
        let mut args = abi::EventAwait::new();
        args.event = event;
        // SAFETY: the event is the plugin's, and lives.
        let done = unsafe { self.call("PJRT_Event_Await", self.api.event_await, &mut args) };
        let mut args = abi::EventDestroy::new();
        args.event = event;
        // SAFETY: nobody uses it from here on.
        let gone = unsafe { self.call("PJRT_Event_Destroy", self.api.event_destroy, &mut args) };
        done.and(gone)
    }
}

/// A plugin at work: its devices, of which the first runs what has no shardings. It lives until the process ends.
#[derive(Debug)]
pub(crate) struct Client {
    plugin: Plugin,
    client: Handle,
    devices: Vec<(Handle, String)>,
    platform: String,
}
// SAFETY: PJRT's clients and devices may be used from any thread.
unsafe impl Send for Client {}
// SAFETY: as above.
unsafe impl Sync for Client {}

/// The clients of this process, by the path of the plugin and how many devices were asked for.
static CLIENTS: Mutex<Vec<(PathBuf, usize, &'static Client)>> = Mutex::new(vec![]);

impl Client {
    /// The client of the plugin at that path; the same one for every caller. A plugin that makes devices of a machine's cores, as XLA's for
    /// CPUs does, makes so many where there are to be several.
    ///
    /// # Errors
    /// `E1110` where it cannot be loaded, `E1111` where it is no plugin that this crate can talk to, `E1112` where it does not start
    /// or has no device, `E1114` where it has fewer than are asked for.
    pub(crate) fn of(path: &Path, devices: usize) -> Result<&'static Client> {
        let mut all = CLIENTS.lock().unwrap_or_else(|e| e.into_inner());
        if let Some((_, c)) = all.iter().find(|c| c.0 == path && c.1 == devices).map(|c| (c.0.clone(), c.2)) {
            return Ok(c);
        }
        let client: &'static Client = Box::leak(Box::new(Client::new(path, devices)?));
        all.push((path.to_owned(), devices, client));
        Ok(client)
    }
    fn new(path: &Path, devices: usize) -> Result<Client> {
        let plugin = Plugin::load(path)?;
        let name = "cpu_device_count";
        let option = abi::NamedValue {
            struct_size: size_of::<abi::NamedValue>(),
            extension_start: std::ptr::null_mut(),
            name: name.as_ptr().cast(),
            name_size: name.len(),
            kind: 1,
            value: abi::Value { number: devices as i64 },
            value_size: 1,
        };
        let create = |options: usize| {
            let mut args = abi::ClientCreate::new();
            (args.create_options, args.num_options) = (&option, options);
            // SAFETY: the options, none or one, live during the call; there are no callbacks.
            unsafe { plugin.call("PJRT_Client_Create", plugin.api.client_create, &mut args) }.map(|()| args)
        };
        // Plugins of machines with real devices may not know the option.
        let made = if devices > 1 { create(1).or_else(|_| create(0)) } else { create(0) };
        let args = made.map_err(|f| plugin.error(Code::E1112, &f))?;
        let mut out = Client { plugin, client: args.client, devices: vec![], platform: String::new() };
        let asked = out.ask();
        asked.map_err(|f| out.plugin.error(Code::E1112, &f))?;
        match out.devices.len() {
            0 => {
                Err(out.plugin.error(Code::E1112, &Failure { what: "PJRT_Client_Create", message: "no device".into() }))
            }
            n if n < devices => {
                let e = Error::new(Code::E1114, format!("the mesh has {devices} devices, the plugin {n}"));
                Err(e
                    .help("`tfc doctor` lists them; a mesh has the product of its axes")
                    .note(format!("the plugin: {}", out.plugin.describe())))
            }
            _ => Ok(out),
        }
    }
    /// Platform and devices.
    fn ask(&mut self) -> std::result::Result<(), Failure> {
        let (p, api) = (&self.plugin, self.plugin.api);
        let mut args = abi::ClientPlatformName::new();
        args.client = self.client;
        // SAFETY: the client is the plugin's, and lives.
        unsafe { p.call("PJRT_Client_PlatformName", api.client_platform_name, &mut args)? };
        // SAFETY: the text lives as long as the client.
        self.platform = unsafe { text(args.name, args.name_size) };
        let mut args = abi::ClientPlatformVersion::new();
        args.client = self.client;
        // SAFETY: the client is the plugin's, and lives.
        if unsafe { p.call("PJRT_Client_PlatformVersion", api.client_platform_version, &mut args) }.is_ok() {
            // SAFETY: the text lives as long as the client.
            let version = unsafe { text(args.version, args.version_size) };
            let first = version.lines().next().unwrap_or_default();
            if !first.is_empty() && first != self.platform {
                self.platform = format!("{} ({first})", self.platform);
            }
        }
        let mut args = abi::ClientAddressableDevices::new();
        args.client = self.client;
        // SAFETY: the client is the plugin's, and lives.
        unsafe { p.call("PJRT_Client_AddressableDevices", api.client_addressable_devices, &mut args)? };
        if args.devices.is_null() {
            return Ok(());
        }
        // SAFETY: there are so many devices, which live as long as the client.
        for &device in unsafe { std::slice::from_raw_parts(args.devices, args.num_devices) } {
            let mut about = abi::DeviceGetDescription::new();
            about.device = device;
            // SAFETY: the device is the client's.
            unsafe { p.call("PJRT_Device_GetDescription", api.device_get_description, &mut about)? };
            let mut args = abi::DeviceDescriptionToString::new();
            args.description = about.description;
            // SAFETY: the description is the device's.
            unsafe { p.call("PJRT_DeviceDescription_ToString", api.device_description_to_string, &mut args)? };
            // SAFETY: the text lives as long as the description.
            self.devices.push((device, unsafe { text(args.text, args.text_size) }));
        }
        Ok(())
    }
    /// The plugin.
    pub(crate) fn plugin(&self) -> &Plugin {
        &self.plugin
    }
    /// What it runs on, with the version that it says.
    pub(crate) fn platform(&self) -> &str {
        &self.platform
    }
    /// Names of the client's devices.
    pub(crate) fn devices(&self) -> impl ExactSizeIterator<Item = &str> {
        self.devices.iter().map(|d| &*d.1)
    }
    /// Compiles StableHLO text for that many devices, from the first on, over which its attributes cut it.
    ///
    /// # Errors
    /// `E1112`, in the plugin's words.
    pub(crate) fn compile(&'static self, text: &str, devices: usize) -> Result<Loaded> {
        let (p, format) = (&self.plugin, "mlir");
        let mut program = abi::Program::new();
        (program.code, program.code_size) = (text.as_ptr().cast_mut().cast(), text.len());
        (program.format, program.format_size) = (format.as_ptr().cast(), format.len());
        let mut args = abi::ClientCompile::new();
        (args.client, args.program) = (self.client, &program);
        let name = self.platform.split(' ').next().unwrap_or_default();
        let options = compile_options(name, devices);
        (args.compile_options, args.compile_options_size) = (options.as_ptr().cast(), options.len());
        // SAFETY: text, format and options live during the call, which reads them only.
        let made = unsafe { p.call("PJRT_Client_Compile", p.api.client_compile, &mut args) };
        made.map_err(|f| p.error(Code::E1112, &f))?;
        let mut out = Loaded { client: self, loaded: args.executable, devices, results: 0 };
        out.results = out.count().map_err(|f| p.error(Code::E1112, &f))?;
        Ok(out)
    }
    /// Hands a tensor to a device. Where it is dense with the last axis fastest, the device may use it where it lies.
    fn upload(&'static self, t: &Tensor, device: usize) -> std::result::Result<Sent, Failure> {
        // Strides that go backwards or stand still are not for every plugin.
        let forward = t.is_empty() || t.shape().iter().zip(t.strides()).all(|(&n, &s)| n == 1 || s > 0);
        let tensor = if forward { Ok(t.clone()) } else { t.dense() };
        let tensor =
            tensor.map_err(|e| Failure { what: "PJRT_Client_BufferFromHostBuffer", message: e.to_string() })?;
        let size = tensor.dtype().size();
        let what = "PJRT_Client_BufferFromHostBuffer";
        let large = || Failure { what, message: "an extent is too large".into() };
        let dims = tensor.shape().iter().map(|&n| i64::try_from(n)).collect::<std::result::Result<Vec<i64>, _>>();
        let dims = dims.map_err(|_| large())?;
        let rows = row_major(tensor.shape());
        let plain = tensor.is_order(&rows);
        // Along an axis of one element or none nobody steps.
        let order = if plain { &rows } else { tensor.strides() };
        let step = |&s: &isize| i64::try_from(s).ok().and_then(|s| s.checked_mul(size as i64)).ok_or_else(large);
        let strides = order.iter().map(step).collect::<std::result::Result<Vec<i64>, _>>()?;
        let element = element(tensor.dtype())
            .ok_or_else(|| Failure { what, message: format!("`{}` is no element type of XLA's", tensor.dtype()) })?;
        let mut args = abi::ClientBufferFromHostBuffer::new();
        args.client = self.client;
        args.data = tensor.data().address().wrapping_add(tensor.offset().wrapping_mul(size)).cast();
        args.element = element;
        (args.dims, args.num_dims) = (dims.as_ptr(), dims.len());
        (args.byte_strides, args.num_byte_strides) = (strides.as_ptr(), strides.len());
        args.host_buffer_semantics = if plain { abi::ZERO_COPY } else { abi::UNTIL_TRANSFER };
        args.device = self.devices.get(device).map_or(std::ptr::null_mut(), |d| d.0);
        let p = &self.plugin;
        // SAFETY: extents and strides live during the call and stay within the tensor's storage, as every tensor's do. The storage is
        // shared with the copy that is kept until the plugin says that it is done, so that nobody writes it.
        unsafe { p.call(what, p.api.client_buffer_from_host_buffer, &mut args)? };
        let buffer = Buffer { client: self, buffer: args.buffer };
        Ok(Sent { buffer: Some(buffer), done: args.done_with_host_buffer, client: self, _kept: tensor })
    }
}

/// A buffer of the plugin's.
struct Buffer {
    client: &'static Client,
    buffer: Handle,
}
impl Drop for Buffer {
    fn drop(&mut self) {
        let (p, mut args) = (&self.client.plugin, abi::BufferDestroy::new());
        args.buffer = self.buffer;
        if !self.buffer.is_null() {
            // SAFETY: it is ours, and nobody uses it from here on. That it cannot be given back harms nobody.
            let _ = unsafe { p.call("PJRT_Buffer_Destroy", p.api.buffer_destroy, &mut args) };
        }
    }
}
/// An argument on its way, or there.
struct Sent {
    buffer: Option<Buffer>,
    done: Handle,
    client: &'static Client,
    /// What the plugin may read until it is done.
    _kept: Tensor,
}
impl Drop for Sent {
    fn drop(&mut self) {
        // A plugin that uses the tensor where it lies is done when the buffer is gone.
        self.buffer = None;
        // Whether the transfer has failed is seen by what was run on it.
        let _ = self.client.plugin.wait(self.done);
    }
}

/// A program that the plugin has compiled.
pub(crate) struct Loaded {
    client: &'static Client,
    loaded: Handle,
    devices: usize,
    results: usize,
}
// SAFETY: PJRT's executables may be run from any thread.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}
impl Drop for Loaded {
    fn drop(&mut self) {
        let (p, mut args) = (&self.client.plugin, abi::LoadedExecutableDestroy::new());
        args.executable = self.loaded;
        // SAFETY: it is ours, and nobody uses it from here on.
        let _ = unsafe { p.call("PJRT_LoadedExecutable_Destroy", p.api.loaded_executable_destroy, &mut args) };
    }
}
impl Loaded {
    /// What `f` asks of the program behind it.
    fn ask<R>(&self, f: impl FnOnce(Handle) -> std::result::Result<R, Failure>) -> std::result::Result<R, Failure> {
        let p = &self.client.plugin;
        let mut of = abi::LoadedExecutableGetExecutable::new();
        of.loaded = self.loaded;
        // SAFETY: it is the plugin's, and lives.
        unsafe { p.call("PJRT_LoadedExecutable_GetExecutable", p.api.loaded_executable_get_executable, &mut of)? };
        let asked = f(of.executable);
        let mut end = abi::ExecutableDestroy::new();
        end.executable = of.executable;
        // SAFETY: nobody uses it from here on.
        unsafe { p.call("PJRT_Executable_Destroy", p.api.executable_destroy, &mut end)? };
        asked
    }
    /// How many results it has.
    fn count(&self) -> std::result::Result<usize, Failure> {
        let p = &self.client.plugin;
        self.ask(|executable| {
            let mut args = abi::ExecutableNumOutputs::new();
            args.executable = executable;
            // SAFETY: it is the plugin's, and lives.
            unsafe { p.call("PJRT_Executable_NumOutputs", p.api.executable_num_outputs, &mut args)? };
            Ok(args.num_outputs)
        })
    }
    /// What devices tell each other when it runs, as far as the plugin shows its program.
    ///
    /// # Errors
    /// `E1112`, in the plugin's words.
    pub(crate) fn collectives(&self) -> Result<Vec<Collective>> {
        let (p, what) = (&self.client.plugin, "PJRT_Executable_OptimizedProgram");
        let program = self.ask(|executable| {
            let mut program = abi::Program::new();
            let mut args = abi::ExecutableOptimizedProgram::new();
            (args.executable, args.program) = (executable, &mut program);
            // SAFETY: it is the plugin's, and lives; without room for the text it says how much that takes.
            unsafe { p.call(what, p.api.executable_optimized_program, &mut args)? };
            let mut code = vec![0u8; program.code_size];
            program.code = code.as_mut_ptr().cast();
            // SAFETY: there is as much room as it has asked for.
            unsafe { p.call(what, p.api.executable_optimized_program, &mut args)? };
            // SAFETY: the name of the format lives as long as the plugin.
            let format = unsafe { text(program.format, program.format_size) };
            match format.as_str() {
                "hlo_with_config" => Ok(code),
                _ => Err(Failure { what, message: format!("a program in the format `{format}`") }),
            }
        });
        let program = program.map_err(|f| p.error(Code::E1112, &f))?;
        let unread = || p.error(Code::E1112, &Failure { what, message: "the program cannot be read".into() });
        proto::collectives(&program, self.devices).ok_or_else(unread)
    }
    /// Runs it on these. What the plugin computes is waited for.
    ///
    /// # Errors
    /// `E1113`, in the plugin's words; `E0705` where the memory for results cannot be had.
    pub(crate) fn run(&self, args: &[&Tensor]) -> Result<Vec<Tensor>> {
        Ok(self.run_on_all(&[args.iter().map(|&t| t.clone()).collect()])?.pop().unwrap_or_default())
    }
    /// Runs it on each device's parts of the arguments; each device's parts of the results.
    ///
    /// # Errors
    /// As [`Loaded::run`].
    pub(crate) fn run_on_all(&self, args: &[Vec<Tensor>]) -> Result<Vec<Vec<Tensor>>> {
        let p = &self.client.plugin;
        let failed = |f: Failure| p.error(Code::E1113, &f);
        let each = |(device, args): (usize, &Vec<Tensor>)| args.iter().map(|t| self.client.upload(t, device)).collect();
        let sent = args.iter().enumerate().map(each).collect::<std::result::Result<Vec<Vec<_>>, _>>();
        let sent = sent.map_err(failed)?;
        let made = self.execute(&sent).map_err(failed)?;
        made.iter().map(|each| each.iter().map(|b| self.client.download(b)).collect()).collect()
    }
    fn execute(&self, sent: &[Vec<Sent>]) -> std::result::Result<Vec<Vec<Buffer>>, Failure> {
        let (p, what) = (&self.client.plugin, "PJRT_LoadedExecutable_Execute");
        let handle = |s: &Sent| s.buffer.as_ref().map(|b| b.buffer);
        let handles: Vec<Vec<Handle>> = sent.iter().map(|s| s.iter().filter_map(handle).collect()).collect();
        let count = handles.first().map_or(0, Vec::len);
        if handles.len() != self.devices || handles.iter().any(|h| h.len() != count) {
            return Err(Failure { what, message: "devices have other numbers of arguments".into() });
        }
        // Nothing is given away: tensors are their owner's.
        let kept: Vec<i64> = (0..count as i64).collect();
        let mut options = abi::ExecuteOptions::new();
        options.non_donatable_input_indices = kept.as_ptr();
        options.num_non_donatable_input_indices = kept.len();
        let mut outs: Vec<Vec<Handle>> = vec![vec![std::ptr::null_mut(); self.results]; self.devices];
        let inputs: Vec<*const Handle> = handles.iter().map(|h| h.as_ptr()).collect();
        let outputs: Vec<*mut Handle> = outs.iter_mut().map(|o| o.as_mut_ptr()).collect();
        let mut events: Vec<Handle> = vec![std::ptr::null_mut(); self.devices];
        let mut args = abi::LoadedExecutableExecute::new();
        (args.executable, args.options) = (self.loaded, &mut options);
        (args.argument_lists, args.num_devices, args.num_args) = (inputs.as_ptr(), self.devices, count);
        (args.output_lists, args.device_complete_events) = (outputs.as_ptr(), events.as_mut_ptr());
        // SAFETY: each device has as many arguments, and room for as many results, as the executable has; all lists live during the
        // call, and the arguments' buffers until their owner has seen the end of the run.
        let ran = unsafe { p.call(what, p.api.loaded_executable_execute, &mut args) };
        let buffers = |o: Vec<Handle>| o.into_iter().map(|buffer| Buffer { client: self.client, buffer }).collect();
        let made = outs.into_iter().map(buffers).collect();
        ran?;
        // All of them, before an error ends it: they use the arguments.
        let done: Vec<_> = events.into_iter().map(|e| p.wait(e)).collect();
        done.into_iter().collect::<std::result::Result<(), _>>().map_err(|f| Failure { what, ..f })?;
        Ok(made)
    }
}
impl Client {
    /// The tensor that a buffer holds, with the last axis fastest.
    fn download(&'static self, b: &Buffer) -> Result<Tensor> {
        let (dtype, shape) = self.ty(b).map_err(|f| self.plugin.error(Code::E1113, &f))?;
        let n = element_count(&shape)?;
        let bytes = n.saturating_mul(dtype.size());
        let copy =
            |at: *mut c_void| self.copy(b, shape.len(), at, bytes).map_err(|f| self.plugin.error(Code::E1113, &f));
        if dtype == DType::Bool {
            // A `bool` is 0 or 1, which is not left to others.
            let mut v = vec![0u8; n];
            if n > 0 {
                copy(v.as_mut_ptr().cast())?;
            }
            return Tensor::from_logical(&shape, v.into_iter().map(|x| x != 0).collect::<Vec<bool>>());
        }
        if dtype.is_tiny() && dtype.bits() < 8 {
            // Only the lowest bits of others' bytes count.
            let mut v = vec![0u8; n];
            if n > 0 {
                copy(v.as_mut_ptr().cast())?;
            }
            return Tensor::from_small_bytes(dtype, &shape, &v);
        }
        let mut data = Data::room(dtype, n)?;
        if n > 0 {
            let at = data.exclusive().ok_or_else(|| Error::new(Code::E1113, "storage of a result is shared"))?;
            copy(at.cast())?;
            // SAFETY: so many elements have been written, and whatever their bits, they are numbers.
            unsafe { data.set_len(n) };
        }
        Tensor::view(data, shape.clone(), row_major(&shape), 0)
    }
    fn ty(&self, b: &Buffer) -> std::result::Result<(DType, Vec<usize>), Failure> {
        let p = &self.plugin;
        let mut kind = abi::BufferElementType::new();
        kind.buffer = b.buffer;
        // SAFETY: the buffer is ours, and lives.
        unsafe { p.call("PJRT_Buffer_ElementType", p.api.buffer_element_type, &mut kind)? };
        let mut args = abi::BufferDimensions::new();
        args.buffer = b.buffer;
        let what = "PJRT_Buffer_Dimensions";
        // What counts of a buffer that says itself how large it is; some plugins have no such buffers, and no such function.
        // SAFETY: the buffer is ours, and lives.
        if unsafe { p.call(what, p.api.buffer_unpadded_dimensions, &mut args) }.is_err() {
            // SAFETY: as above.
            unsafe { p.call(what, p.api.buffer_dimensions, &mut args)? };
        }
        let dims: &[i64] = match args.num_dims {
            0 => &[],
            // SAFETY: so many numbers live as long as the buffer.
            n => unsafe { std::slice::from_raw_parts(args.dims, n) },
        };
        let shape = dims.iter().map(|&d| usize::try_from(d)).collect::<std::result::Result<Vec<_>, _>>();
        let shape = shape.map_err(|_| Failure { what, message: format!("{dims:?} is no shape") })?;
        let dtype = DType::ALL.into_iter().find(|&d| element(d) == Some(kind.element));
        let unknown =
            || Failure { what, message: format!("element type {} is not one of this language", kind.element) };
        Ok((dtype.ok_or_else(unknown)?, shape))
    }
    /// Copies a buffer to `bytes` bytes at `at`, with the last axis fastest.
    fn copy(&self, b: &Buffer, rank: usize, at: *mut c_void, bytes: usize) -> std::result::Result<(), Failure> {
        let (p, what) = (&self.plugin, "PJRT_Buffer_ToHostBuffer");
        let order: Vec<i64> = (0..rank as i64).rev().collect();
        let mut layout = abi::MemoryLayout::new();
        layout.kind = abi::TILED;
        layout.tiled = abi::Tiled::new();
        (layout.tiled.minor_to_major, layout.tiled.minor_to_major_size) = (order.as_ptr(), order.len());
        let mut args = abi::BufferToHostBuffer::new();
        args.src = b.buffer;
        args.host_layout = &mut layout;
        // SAFETY: without a destination it says how much room it takes.
        unsafe { p.call(what, p.api.buffer_to_host_buffer, &mut args)? };
        p.wait(std::mem::replace(&mut args.event, std::ptr::null_mut()))?;
        if args.dst_size != bytes {
            let message = format!("a result takes {} bytes where its type has {bytes}", args.dst_size);
            return Err(Failure { what, message });
        }
        args.dst = at;
        // SAFETY: there is room for so many bytes, which nobody else uses until the copy has ended.
        unsafe { p.call(what, p.api.buffer_to_host_buffer, &mut args)? };
        p.wait(args.event).map_err(|f| Failure { what, ..f })
    }
}

/// `PJRT_Buffer_Type` of a dtype.
fn element(d: DType) -> Option<i32> {
    abi::element(d.name())
}
