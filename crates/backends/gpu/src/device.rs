//! Adapters by cubecl: memory, copies, launches of modules.
//!
//! An address is a number that names an allocation and a place in it: buffers of this language have no addresses. A launch binds whole
//! allocations, and tells the kernel where its operands begin in them.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cubecl::bytes::Bytes;
use cubecl::client::Client;
use cubecl::future::block_on;
use cubecl::ir::settings::{Dim3, KernelSettings};
use cubecl::ir::{AddressType, ElemType, Scope, UIntKind, metadata::Info};
use cubecl::prelude::{ExecutionMode, KernelDefinition, KernelId, KernelMetadata};
use cubecl::server::{Handle, KernelArguments, MetadataBindingInfo, ServerError};
use cubecl::wgpu::{RuntimeOptions, WgpuSetup, try_init_device, wgpu};
use cubecl::{CubeCount, CubeKernel, PrecompiledSource};
use tfc_device::device::{Arg, Device, Module, Ptr, Shape};
use tfc_ir::{Code, Error, Result};

use crate::text::scalar::PARTS;
use crate::text::{GROUP, Kernel, Kind, NUMBER, Source, kind, module, moves};

/// The variable that says which adapter runs kernels: its number in the list of `tfc doctor`.
pub const VARIABLE: &str = "TFC_GPU_DEVICE";
/// Elements of a launch, at most: indices are 32 bits, and the last step of a loop must not overflow.
const MOST: i64 = (1 << 31) - (1 << 23);

fn failed(what: &str, e: &ServerError) -> Error {
    // What follows is where in cubecl it was seen.
    let text = e.to_string();
    let text: Vec<&str> = text.lines().take_while(|l| !l.starts_with("Backtrace")).map(str::trim).collect();
    Error::new(Code::E1303, format!("{what}: {}", text.join(" ")))
}
/// The adapters of this machine, for people, in their order.
pub fn adapters() -> Vec<String> {
    let instance = instance();
    block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY)).iter().map(|a| described(&a.get_info())).collect()
}
fn instance() -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    })
}
fn described(i: &wgpu::AdapterInfo) -> String {
    let driver = [&*i.driver, &*i.driver_info].iter().filter(|s| !s.is_empty()).copied().collect::<Vec<_>>().join(" ");
    format!("{} by {:?}, {:?}{}{driver}", i.name, i.backend, i.device_type, if driver.is_empty() { "" } else { ", " })
}

/// An adapter, ready.
pub struct Adapter {
    about: String,
    client: Client,
    /// Bytes of a buffer, and buffers of a kernel, at most.
    most: (u64, usize),
    /// Whether a product and a sum are rounded once.
    fuses: bool,
    heap: Arc<Mutex<Heap>>,
    turn: Mutex<()>,
    copies: [Loaded; 2],
}
/// Allocations by address.
struct Heap {
    all: BTreeMap<u64, (Handle, u64)>,
    next: u64,
}
impl Heap {
    fn find(&self, p: Ptr) -> Option<(&Handle, u64, u64)> {
        let (base, (handle, size)) = self.all.range(..=p.0).next_back()?;
        (p.0 - base <= *size).then_some((handle, p.0 - base, *size))
    }
}
fn lock(heap: &Mutex<Heap>) -> MutexGuard<'_, Heap> {
    heap.lock().unwrap_or_else(PoisonError::into_inner)
}
impl Adapter {
    /// The adapter of that number, or the first that is no software: one for all who ask for it.
    ///
    /// # Errors
    /// `E1305` there is none.
    pub fn shared(name: Option<&str>) -> Result<Arc<Adapter>> {
        static OPEN: Mutex<BTreeMap<String, Arc<Adapter>>> = Mutex::new(BTreeMap::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let key = name.unwrap_or_default();
        if let Some(known) = open.get(key) {
            return Ok(known.clone());
        }
        let made = Arc::new(Adapter::open(name)?);
        open.insert(key.to_owned(), made.clone());
        Ok(made)
    }
    fn open(name: Option<&str>) -> Result<Adapter> {
        let instance = instance();
        let all = block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let known =
            || all.iter().enumerate().map(|(i, a)| format!("{i}: {}", described(&a.get_info()))).collect::<Vec<_>>();
        let hard = || all.iter().position(|a| a.get_info().device_type != wgpu::DeviceType::Cpu);
        let number = match name {
            Some(n) => n.parse::<usize>().ok(),
            None => hard().or(Some(0)),
        };
        let Some(adapter) = number.and_then(|n| all.get(n)) else {
            if all.is_empty() {
                return Err(Error::new(Code::E1305, "there is no GPU adapter").help(
                    "install a driver for Vulkan; Mesa's `mesa-vulkan-drivers` with `libvulkan1` has one for processors",
                ));
            }
            return Err(Error::new(Code::E1305, format!("`{}` is no GPU adapter", name.unwrap_or("0")))
                .note(format!("adapters: {}", known().join("; ")))
                .help(format!("{VARIABLE} is the number of one")));
        };
        let (about, limits) = (described(&adapter.get_info()), adapter.limits());
        let asked = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("tfc"),
            required_features: wgpu::Features::empty(),
            required_limits: limits.clone(),
            ..Default::default()
        });
        let refused = |e: String| Error::new(Code::E1305, format!("{about} cannot be used: {e}"));
        let (device, queue) = block_on(asked).map_err(|e| refused(e.to_string()))?;
        let most = (
            limits.max_buffer_size.min(limits.max_storage_buffer_binding_size),
            limits.max_storage_buffers_per_shader_stage as usize,
        );
        let backend = adapter.get_info().backend;
        let setup = WgpuSetup { instance, adapter: adapter.clone(), device, queue, backend };
        let device = try_init_device(setup, RuntimeOptions::default()).map_err(|e| refused(e.to_string()))?;
        let client = cubecl::Device::from(device).client();
        let copies = [4, 1].map(|size| moves::copy(size, 1).map(|k| Loaded::of(&k, "", true)).unwrap_or_default());
        let heap = Arc::new(Mutex::new(Heap { all: BTreeMap::new(), next: 1 << 20 }));
        let mut made = Adapter { about, client, most, fuses: true, heap, turn: Mutex::default(), copies };
        made.fuses = made.probe()?;
        Ok(made)
    }
    /// What it is, for people.
    pub fn about(&self) -> &str {
        &self.about
    }
    /// What it can do, for people.
    pub fn can(&self) -> String {
        let sums = if self.fuses { "a product and a sum rounded once" } else { "a product and a sum rounded twice" };
        format!("buffers up to {} MiB, {} operands of a kernel, {sums}", self.most.0 >> 20, self.most.1)
    }
    /// Whether `fma` rounds once.
    fn probe(&self) -> Result<bool> {
        let body =
            "  let x = bitcast<f32>(0x3f800800u | p.zero);\n  y_[0] = fma(x, x, bitcast<f32>(0xbf801000u | p.zero));\n";
        let kernel =
            Kernel { name: "fuses".into(), params: vec![crate::text::param("Out<f32>", "y_")], body: body.into() };
        let loaded = Loaded::of(&kernel, "", true);
        let y = self.alloc(4)?;
        let mut b = [0; 4];
        let done = self.start(&loaded, Shape { grid: [1, 1, 1], block: [1, 1, 1] }, &[Arg::Ptr(y)]);
        let done = done.and_then(|()| self.download(y, &mut b));
        self.free(y);
        done.map(|()| f32::from_le_bytes(b) != 0.0)
    }
    fn start(&self, k: &Loaded, shape: Shape, args: &[Arg]) -> Result<()> {
        start(&self.client, &self.heap, k, shape, args)
    }
}
fn no_memory(bytes: u64, why: &str) -> Error {
    Error::new(Code::E0705, format!("there is no memory for {bytes} bytes on the device: {why}"))
}
impl Device for Adapter {
    fn describe(&self) -> String {
        self.about.clone()
    }
    fn alloc(&self, bytes: usize) -> Result<Ptr> {
        let size = (bytes as u64).next_multiple_of(16).max(16);
        if size > self.most.0 || size >= 1 << 31 {
            let most = self.most.0.min((1 << 31) - 16);
            return Err(no_memory(size, &format!("a buffer of this adapter has at most {most}")));
        }
        let handle = self.client.empty(size as usize);
        let mut heap = lock(&self.heap);
        let base = heap.next;
        // A gap between allocations: what points behind one never points into the next.
        heap.next = (base + size).next_multiple_of(256) + 256;
        heap.all.insert(base, (handle, size));
        Ok(Ptr(base))
    }
    fn free(&self, p: Ptr) {
        lock(&self.heap).all.remove(&p.0);
    }
    fn upload(&self, to: Ptr, from: &[u8]) -> Result<()> {
        if from.is_empty() {
            return Ok(());
        }
        let mut bytes = from.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let n = bytes.len() as u64;
        let heap = lock(&self.heap);
        let place = heap.find(to).filter(|(_, at, size)| at % 4 == 0 && at + n <= *size);
        let (handle, at, size) = place.ok_or_else(|| Error::bug(Code::E0718, "bytes for memory that is not there"))?;
        let part = handle.clone().offset_start(at).offset_end(size - at - n);
        if at % 32 == 0 {
            self.client.write(&part, Bytes::from_bytes_vec(bytes));
            return Ok(());
        }
        drop(heap);
        // Buffers begin where the adapter has it: elsewhere words are copied there.
        let there = self.alloc(bytes.len())?;
        let done = self.upload(there, &bytes).and_then(|()| self.copy(to, there, bytes.len()));
        self.free(there);
        done
    }
    fn download(&self, from: Ptr, to: &mut [u8]) -> Result<()> {
        if to.is_empty() {
            return Ok(());
        }
        let (part, skip) = {
            let heap = lock(&self.heap);
            let n = to.len() as u64;
            let place = heap.find(from).filter(|(_, at, size)| at + n <= *size);
            let (handle, at, size) =
                place.ok_or_else(|| Error::bug(Code::E0718, "bytes of memory that is not there"))?;
            let first = at / 32 * 32;
            let end = (at + n).next_multiple_of(4);
            (handle.clone().offset_start(first).offset_end(size - end), (at - first) as usize)
        };
        let bytes = self.client.read_one(part).map_err(|e| failed("a kernel fails", &e))?;
        let n = to.len();
        let part =
            bytes.get(skip..skip + n).ok_or_else(|| Error::bug(Code::E0718, "fewer bytes than were asked for"))?;
        to.copy_from_slice(part);
        Ok(())
    }
    fn copy(&self, to: Ptr, from: Ptr, bytes: usize) -> Result<()> {
        let whole = to.0.is_multiple_of(4) && from.0.is_multiple_of(4) && bytes.is_multiple_of(4);
        let (kernel, size) = if whole { (&self.copies[0], 4) } else { (&self.copies[1], 1) };
        let n = bytes / size;
        if n == 0 {
            return Ok(());
        }
        let args = [Arg::Ptr(from), Arg::Ptr(to), Arg::Longs(vec![n as i64, size as i64, size as i64])];
        self.start(kernel, tfc_device::run::launch::threads(n), &args)
    }
    fn load(&self, source: &Source) -> Result<Box<dyn Module>> {
        let mut all = BTreeMap::new();
        for k in &source.kernels {
            let buffers = k.params.iter().filter(|q| kind(&q.ty) == Kind::Buffer).count();
            if buffers > self.most.1 {
                let text =
                    format!("kernel `{}` has {buffers} operands, and this adapter binds {}", k.name, self.most.1);
                return Err(Error::new(Code::E1302, text).help("use the backend cpu, or take the computation apart"));
            }
            all.insert(k.name.clone(), Loaded::of(k, &source.functions, self.fuses));
        }
        let (client, heap) = (self.client.clone(), self.heap.clone());
        Ok(Box::new(Modules { client, heap, all }))
    }
    fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        Some(self.turn.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A kernel as the device takes it.
#[derive(Clone, Default)]
struct Loaded {
    text: Arc<str>,
    kinds: Vec<Kind>,
    /// Threads of the grid have a number each, and workgroups may be of any size.
    flat: bool,
}
impl Loaded {
    fn of(k: &Kernel, functions: &str, fuses: bool) -> Loaded {
        let whole = module(k, functions);
        let text = if fuses { whole } else { by_parts(&whole) };
        let kinds = k.params.iter().map(|q| kind(&q.ty)).filter(|k| *k != Kind::Shared).collect();
        Loaded { text: text.into(), kinds, flat: k.body.contains(NUMBER) }
    }
}
/// The module with `fused` by parts.
fn by_parts(text: &str) -> String {
    let own = "fn fused(a: f32, b: f32, c: f32) -> f32 { return fma(a, b, c); }\n";
    text.replace(own, PARTS)
}
/// A module as cubecl launches it. Its text is its identity, and is not copied for a launch.
struct Text(Arc<str>);
impl KernelMetadata for Text {
    fn id(&self) -> KernelId {
        KernelId::new::<Text>().info(self.0.clone())
    }
    fn address_type(&self) -> ElemType {
        ElemType::UInt(UIntKind::U32)
    }
}
impl CubeKernel for Text {
    fn define(&self) -> KernelDefinition {
        let group = Dim3 { x: GROUP, y: 1, z: 1 };
        let settings = KernelSettings::new(group, ExecutionMode::Unchecked, AddressType::U32);
        KernelDefinition { body: Scope::root(settings.clone()), settings, info: Info::default() }
    }
    fn source(&self) -> Option<PrecompiledSource> {
        Some(PrecompiledSource { source: self.0.to_string(), entrypoint_name: "main".into(), lang: "wgsl" })
    }
}
struct Modules {
    client: Client,
    heap: Arc<Mutex<Heap>>,
    all: BTreeMap<String, Loaded>,
}
impl Module for Modules {
    fn launch(&self, kernel: &str, shape: Shape, args: &[Arg]) -> Result<()> {
        let k = self.all.get(kernel);
        let k = k.ok_or_else(|| Error::bug(Code::E0718, format!("kernel `{kernel}` was not loaded")))?;
        start(&self.client, &self.heap, k, shape, args).map_err(|e| e.note(format!("kernel `{kernel}`")))
    }
}
fn start(client: &Client, heap: &Mutex<Heap>, k: &Loaded, shape: Shape, args: &[Arg]) -> Result<()> {
    let large = || Error::new(Code::E0406, "extents or strides of a launch have no 32 bits");
    let word = |x: i64| i32::try_from(x).map(|x| x as u32).map_err(|_| large());
    if k.kinds.len() != args.len() {
        return Err(Error::bug(Code::E0718, format!("a kernel of {} parameters got {}", k.kinds.len(), args.len())));
    }
    let (mut at, mut rest, mut bound) = (vec![], vec![], KernelArguments::new());
    {
        let heap = lock(heap);
        for (kind, arg) in k.kinds.iter().zip(args) {
            match (kind, arg) {
                (Kind::Buffer, Arg::Ptr(p)) => {
                    // An operand without elements: any buffer, of which nothing is read.
                    let place = heap.find(*p).or_else(|| heap.all.iter().next().map(|(_, (h, s))| (h, 0, *s)));
                    let (handle, place, _) =
                        place.ok_or_else(|| Error::bug(Code::E0718, "nothing has been allocated"))?;
                    at.push(word(place as i64)?);
                    bound = bound.with_buffer(handle.clone().binding());
                }
                (Kind::Loops(rank, _), Arg::Longs(v)) => {
                    let all = v.iter().take(*rank).try_fold(1i64, |n, &m| n.checked_mul(m)).filter(|&n| n < MOST);
                    all.ok_or_else(large)?;
                    rest.extend(v.iter().map(|&x| word(x)).collect::<Result<Vec<_>>>()?);
                }
                (_, Arg::Longs(v)) => rest.extend(v.iter().map(|&x| word(x)).collect::<Result<Vec<_>>>()?),
                (_, Arg::Words(v)) => rest.extend(v),
                _ => return Err(Error::bug(Code::E0718, "an argument that is no operand")),
            }
        }
    }
    let [grid, ..] = shape.grid;
    let threads = shape.block[0];
    let groups = match k.flat {
        false => grid,
        true => (u64::from(grid) * u64::from(threads)).div_ceil(GROUP.into()).clamp(1, 65535) as u32,
    };
    let mut words = at;
    words.extend(rest);
    words.extend([threads, 0]);
    words.resize(words.len().next_multiple_of(4), 0);
    let data = words.chunks_exact(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect();
    let bound = bound.with_info(MetadataBindingInfo::custom(data));
    client.launch(Box::new(Text(k.text.clone())), CubeCount::Static(groups, 1, 1), bound);
    Ok(())
}
