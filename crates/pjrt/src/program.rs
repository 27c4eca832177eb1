//! Programs: StableHLO as text or bytecode, compiled once for the same bytes, run on buffers.
use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tfc::backend::Backend;
use tfc::ir::tensor::element_count;
use tfc::ir::{Code, Error};
use tfc::prelude::{GraphProgram, Tensor};
use tfc::traced::CompiledProgram;
use tfc_pjrt_abi::*;

use crate::border::{Fault, guarded};
use crate::buffer::{Buffer, element_of};
use crate::client::{Client, Device, MEMORY, functions};
use crate::event::Event;
use crate::options;
use crate::{behind, list};

/// Programs that are kept compiled.
const MOST_KEPT: usize = 512;

/// A compiled program: what an executable is.
pub(crate) struct Program {
    compiled: CompiledProgram,
    /// As it was given.
    bytes: Arc<[u8]>,
    name: CString,
    fingerprint: String,
    /// Arguments whose memory may be used anew.
    donated: Vec<usize>,
    elements: Vec<i32>,
    /// Extents of all results, and how many each has.
    dims: Vec<i64>,
    ranks: Vec<usize>,
    /// For each result the kind of its memory, as addresses, and how long that is.
    kinds: Vec<usize>,
    kind_sizes: Vec<usize>,
    /// Sizes: of arguments, results.
    sizes: [i64; 2],
}
/// Compiled programs by their bytes, each with when it was last asked for.
#[derive(Default)]
pub(crate) struct Kept {
    all: HashMap<Arc<[u8]>, (u64, Arc<Program>)>,
    clock: u64,
}
impl Kept {
    fn find(&mut self, bytes: &[u8]) -> Option<Arc<Program>> {
        self.clock += 1;
        let (last, program) = self.all.get_mut(bytes)?;
        *last = self.clock;
        Some(program.clone())
    }
    fn keep(&mut self, p: &Arc<Program>) {
        if self.all.len() >= MOST_KEPT
            && let Some(oldest) = self.all.iter().min_by_key(|x| x.1.0).map(|x| x.0.clone())
        {
            self.all.remove(&oldest);
        }
        self.all.insert(p.bytes.clone(), (self.clock, p.clone()));
    }
}
/// A program on a device of a client.
struct Loaded {
    program: Arc<Program>,
    device: &'static Device,
    assignment: Vec<u8>,
    deleted: AtomicBool,
}

impl Program {
    fn new(bytes: &[u8], client: &Client) -> Result<Arc<Program>, Fault> {
        if let Some(found) = client.kept.lock().unwrap_or_else(|e| e.into_inner()).find(bytes) {
            return Ok(found);
        }
        // Once for both that read it.
        let text = tfc::stablehlo::as_text(bytes);
        let text = text.as_deref().unwrap_or(bytes);
        let read = GraphProgram::parse_bytes(text, true, client.backend.ops())?;
        let compiled = CompiledProgram::new(&read, &client.backend)?;
        let entry = read.entry()?;
        let (mut elements, mut dims, mut ranks, mut sizes) = (vec![], vec![], vec![], [0i64; 2]);
        let inexact =
            || Error::new(Code::E0240, "a program with extents that its values decide").help("fix the shapes");
        let bytes_of = |d: tfc::ir::DType, shape: &[usize]| -> Result<i64, Fault> {
            Ok(element_count(shape)?.saturating_mul(d.size()) as i64)
        };
        for t in &entry.result_types {
            let shape = t.exact_shape().ok_or_else(inexact)?;
            elements.push(element_of(t.dtype)?);
            ranks.push(shape.len());
            sizes[1] = i64::saturating_add(sizes[1], bytes_of(t.dtype, &shape)?);
            dims.extend(shape.into_iter().map(|n| n as i64));
        }
        for &p in entry.params() {
            let t = entry.ty(p);
            let shape = t.exact_shape().ok_or_else(inexact)?;
            sizes[0] = i64::saturating_add(sizes[0], bytes_of(t.dtype, &shape)?);
        }
        let made = Arc::new(Program {
            name: CString::new(entry.name.replace('\0', "?")).unwrap_or_default(),
            fingerprint: format!("{:016x}", fingerprint(bytes)),
            donated: tfc::stablehlo::donated(text),
            kinds: vec![MEMORY.as_ptr() as usize; elements.len()],
            kind_sizes: vec![MEMORY.count_bytes(); elements.len()],
            bytes: bytes.into(),
            compiled,
            elements,
            dims,
            ranks,
            sizes,
        });
        client.kept.lock().unwrap_or_else(|e| e.into_inner()).keep(&made);
        Ok(made)
    }
    /// The program behind a handle of an executable.
    ///
    /// # Errors
    /// Where it is null.
    ///
    /// # Safety
    /// As [`behind`].
    unsafe fn of<'a>(handle: Handle) -> Result<&'a Program, Fault> {
        // SAFETY: by contract.
        unsafe { behind::<Arc<Program>>(handle, "the executable") }.map(|p| &**p)
    }
}
impl Loaded {
    /// # Errors
    /// Where it is null.
    ///
    /// # Safety
    /// As [`behind`].
    unsafe fn of<'a>(handle: Handle) -> Result<&'a Loaded, Fault> {
        // SAFETY: by contract.
        unsafe { behind::<Loaded>(handle, "the loaded executable") }
    }
    fn load(client: &'static Client, code: &[u8], asked: &[u8]) -> Result<Handle, Fault> {
        let asked = options::read(asked)?;
        if asked.replicas > 1 || asked.partitions > 1 {
            let text = format!(
                "tfc runs a program on one device; {} replicas of {} partitions are asked for",
                asked.replicas, asked.partitions
            );
            return Err(Fault::unimplemented(text));
        }
        let device = client.device(asked.device.unwrap_or(0))?;
        let assignment = options::assignment(device.id());
        let loaded =
            Loaded { program: Program::new(code, client)?, device, assignment, deleted: AtomicBool::new(false) };
        Ok(Box::into_raw(Box::new(loaded)).cast())
    }
}
/// FNV-1a, of 64 bits.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

functions! {
    compile(a: ClientCompile) {
        let client = behind::<Client>(a.client, "the client")?;
        let p = a.program.as_ref().ok_or_else(|| Fault::invalid("the program is null"))?;
        let format = list(p.format.cast::<u8>(), p.format_size, "the format")?;
        if format != b"mlir" {
            let text = format!("programs of the format `{}` are not read; `mlir` is", String::from_utf8_lossy(format));
            return Err(Fault::unimplemented(text));
        }
        let code = list(p.code.cast_const().cast::<u8>(), p.code_size, "the program")?;
        let asked = list(a.compile_options.cast::<u8>(), a.compile_options_size, "the options")?;
        a.executable = Loaded::load(client, code, asked)?;
    }
    deserialize(a: ExecutableDeserializeAndLoad) {
        let client = behind::<Client>(a.client, "the client")?;
        let code = list(a.serialized_executable.cast::<u8>(), a.serialized_executable_size, "the program")?;
        let asked = list(
            a.overridden_serialized_compile_options.cast::<u8>(),
            a.overridden_serialized_compile_options_size,
            "the options",
        )?;
        a.loaded_executable = Loaded::load(client, code, asked)?;
    }
    serialize(a: ExecutableSerialize) {
        let p = Program::of(a.executable)?;
        (a.serialized_bytes, a.serialized_bytes_size) = (p.bytes.as_ptr().cast(), p.bytes.len());
        // The bytes are the program's, which the copy of its handle keeps.
        let kept = behind::<Arc<Program>>(a.executable, "the executable")?.clone();
        a.serialized_executable = Box::into_raw(Box::new(kept)).cast();
        a.serialized_executable_deleter = Some(forget);
    }
    destroy(a: ExecutableDestroy) {
        if !a.executable.is_null() {
            drop(Box::from_raw(a.executable.cast::<Arc<Program>>()));
        }
    }
    name(a: ExecutableName) {
        let p = Program::of(a.executable)?;
        (a.executable_name, a.executable_name_size) = (p.name.as_ptr(), p.name.count_bytes())
    }
    replicas(a: ExecutableNumReplicas) { a.num_replicas = 1 }
    partitions(a: ExecutableNumPartitions) { a.num_partitions = 1 }
    outputs(a: ExecutableNumOutputs) { a.num_outputs = Program::of(a.executable)?.elements.len() }
    code_size(a: ExecutableSizeOfGeneratedCodeInBytes) { a.size_in_bytes = -1 }
    costs(a: ExecutableGetCostAnalysis) { (a.properties, a.num_properties) = (std::ptr::null(), 0) }
    memory_kinds(a: ExecutableOutputMemoryKinds) {
        let p = Program::of(a.executable)?;
        a.num_outputs = p.kinds.len();
        (a.memory_kinds, a.memory_kind_sizes) = (p.kinds.as_ptr().cast::<*const c_char>(), p.kind_sizes.as_ptr())
    }
    element_types(a: ExecutableOutputElementTypes) {
        let p = Program::of(a.executable)?;
        (a.output_types, a.num_output_types) = (p.elements.as_ptr().cast_mut(), p.elements.len())
    }
    dimensions(a: ExecutableOutputDimensions) {
        let p = Program::of(a.executable)?;
        (a.num_outputs, a.dims, a.dim_sizes) = (p.ranks.len(), p.dims.as_ptr(), p.ranks.as_ptr())
    }
    memory_stats(a: ExecutableGetCompiledMemoryStats) {
        let p = Program::of(a.executable)?;
        a.generated_code_size_in_bytes = 0;
        (a.argument_size_in_bytes, a.output_size_in_bytes) = (p.sizes[0], p.sizes[1]);
        (a.alias_size_in_bytes, a.temp_size_in_bytes) = (0, 0);
        a.host_generated_code_size_in_bytes = 0;
        (a.host_argument_size_in_bytes, a.host_output_size_in_bytes) = (0, 0);
        (a.host_alias_size_in_bytes, a.host_temp_size_in_bytes) = (0, 0);
        a.peak_memory_in_bytes = p.sizes[0].saturating_add(p.sizes[1]);
    }
    fingerprint_of(a: ExecutableFingerprint) {
        let p = Program::of(a.executable)?;
        (a.executable_fingerprint, a.executable_fingerprint_size) = (p.fingerprint.as_ptr().cast(), p.fingerprint.len())
    }
    loaded_destroy(a: LoadedExecutableDestroy) {
        if !a.executable.is_null() {
            drop(Box::from_raw(a.executable.cast::<Loaded>()));
        }
    }
    loaded_executable(a: LoadedExecutableGetExecutable) {
        let program = Loaded::of(a.loaded)?.program.clone();
        a.executable = Box::into_raw(Box::new(program)).cast()
    }
    loaded_devices(a: LoadedExecutableAddressableDevices) {
        (a.addressable_devices, a.num_addressable_devices) = (Loaded::of(a.executable)?.device.alone(), 1)
    }
    loaded_assignment(a: LoadedExecutableGetDeviceAssignment) {
        let bytes = Box::new(Loaded::of(a.executable)?.assignment.clone());
        (a.serialized_bytes, a.serialized_bytes_size) = (bytes.as_ptr().cast(), bytes.len());
        a.serialized_device_assignment = Box::into_raw(bytes).cast();
        a.serialized_device_assignment_deleter = Some(forget_bytes);
    }
    loaded_delete(a: LoadedExecutableDelete) { Loaded::of(a.executable)?.deleted.store(true, Relaxed) }
    loaded_is_deleted(a: LoadedExecutableIsDeleted) { a.is_deleted = Loaded::of(a.executable)?.deleted.load(Relaxed) }
    loaded_fingerprint(a: LoadedExecutableFingerprint) {
        let p = &Loaded::of(a.executable)?.program;
        (a.executable_fingerprint, a.executable_fingerprint_size) = (p.fingerprint.as_ptr().cast(), p.fingerprint.len())
    }
    execute(a: LoadedExecutableExecute) {
        let loaded = Loaded::of(a.executable)?;
        if a.num_devices != 1 || loaded.deleted.load(Relaxed) {
            let what = if a.num_devices == 1 { "the executable has been deleted" } else { "tfc runs a program on one device" };
            return Err(Fault::invalid(what));
        }
        let kept = match a.options.as_ref() {
            Some(o) => list(o.non_donatable_input_indices, o.num_non_donatable_input_indices, "the list")?,
            None => &[],
        };
        let (Some(&given), Some(&to)) = (a.argument_lists.as_ref(), a.output_lists.as_ref()) else {
            return Err(Fault::invalid("the lists of arguments and results are null"));
        };
        let arguments = list(given, a.num_args, "the list of arguments")?;
        let p = &loaded.program;
        let one = |(i, &b): (usize, &Handle)| {
            // SAFETY: buffers that were given out, as the header says.
            let b = unsafe { Buffer::of(b) }?;
            let gives = p.donated.contains(&i) && !kept.contains(&(i as i64));
            if gives { b.donate() } else { b.tensor() }
        };
        let tensors = arguments.iter().enumerate().map(one).collect::<Result<Vec<Tensor>, Fault>>()?;
        let mut results = vec![];
        p.compiled.run_into(tensors, &mut results)?;
        let device = if a.execute_device.is_null() { loaded.device } else { behind::<Device>(a.execute_device, "the device")? };
        let made = results.into_iter().map(|t| Buffer::new(t, device)).collect::<Result<Vec<Buffer>, Fault>>()?;
        for (i, b) in made.into_iter().enumerate() {
            to.add(i).write(b.handle());
        }
        if !a.device_complete_events.is_null() {
            a.device_complete_events.write(Event::ready().handle());
        }
    }
}
unsafe extern "C" fn forget(program: Handle) {
    if !program.is_null() {
        // SAFETY: given out by `serialize`, and not used again.
        drop(unsafe { Box::from_raw(program.cast::<Arc<Program>>()) });
    }
}
unsafe extern "C" fn forget_bytes(bytes: Handle) {
    if !bytes.is_null() {
        // SAFETY: given out with a device assignment, and not used again.
        drop(unsafe { Box::from_raw(bytes.cast::<Vec<u8>>()) });
    }
}
pub(crate) const fn fill(api: Api) -> Api {
    Api {
        client_compile: Some(compile),
        executable_deserialize_and_load: Some(deserialize),
        executable_serialize: Some(serialize),
        executable_destroy: Some(destroy),
        executable_name: Some(name),
        executable_num_replicas: Some(replicas),
        executable_num_partitions: Some(partitions),
        executable_num_outputs: Some(outputs),
        executable_size_of_generated_code_in_bytes: Some(code_size),
        executable_get_cost_analysis: Some(costs),
        executable_output_memory_kinds: Some(memory_kinds),
        executable_output_element_types: Some(element_types),
        executable_output_dimensions: Some(dimensions),
        executable_get_compiled_memory_stats: Some(memory_stats),
        executable_fingerprint: Some(fingerprint_of),
        loaded_executable_destroy: Some(loaded_destroy),
        loaded_executable_get_executable: Some(loaded_executable),
        loaded_executable_addressable_devices: Some(loaded_devices),
        loaded_executable_get_device_assignment: Some(loaded_assignment),
        loaded_executable_delete: Some(loaded_delete),
        loaded_executable_is_deleted: Some(loaded_is_deleted),
        loaded_executable_fingerprint: Some(loaded_fingerprint),
        loaded_executable_execute: Some(execute),
        ..api
    }
}
