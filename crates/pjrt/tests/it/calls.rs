//! Calls one by one: what they give, and what becomes of arguments that are wrong.
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use tfc_pjrt_abi::*;

fn api() -> &'static Api {
    unsafe { &*pjrt_tfc::GetPjrtApi() }
}
/// Calls a function; its error as code and text.
fn call<A>(f: Call<A>, args: &mut A) -> Result<(), (i32, String)> {
    let error = unsafe { f.unwrap()(args) };
    if error.is_null() {
        return Ok(());
    }
    let (mut code, mut text) = (ErrorGetCode::new(), ErrorMessage::new());
    (code.error, text.error) = (error, error);
    assert!(unsafe { api().error_get_code.unwrap()(&mut code) }.is_null());
    unsafe { api().error_message.unwrap()(&mut text) };
    let message = unsafe { std::slice::from_raw_parts(text.message.cast::<u8>(), text.message_size) };
    let message = String::from_utf8(message.to_vec()).unwrap();
    let mut gone = ErrorDestroy::new();
    gone.error = error;
    unsafe { api().error_destroy.unwrap()(&mut gone) };
    Err((code.code, message))
}
fn client(options: &[(&str, i64)]) -> Result<Handle, (i32, String)> {
    let named = |&(name, n): &(&str, i64)| NamedValue {
        struct_size: size_of::<NamedValue>(),
        extension_start: std::ptr::null_mut(),
        name: name.as_ptr().cast(),
        name_size: name.len(),
        kind: 1,
        value: Value { number: n },
        value_size: 1,
    };
    let list: Vec<NamedValue> = options.iter().map(named).collect();
    let mut a = ClientCreate::new();
    (a.create_options, a.num_options) = (list.as_ptr(), list.len());
    call(api().client_create, &mut a).map(|()| a.client)
}
fn buffer(client: Handle, data: &[f32], dims: &[i64], strides: &[i64], semantics: i32) -> (Handle, Handle) {
    let mut a = ClientBufferFromHostBuffer::new();
    (a.client, a.data, a.element) = (client, data.as_ptr().cast(), element("f32").unwrap());
    (a.dims, a.num_dims) = (dims.as_ptr(), dims.len());
    if !strides.is_empty() {
        (a.byte_strides, a.num_byte_strides) = (strides.as_ptr(), strides.len());
    }
    a.host_buffer_semantics = semantics;
    call(api().client_buffer_from_host_buffer, &mut a).unwrap();
    (a.buffer, a.done_with_host_buffer)
}
fn compile(client: Handle, text: &str) -> Result<Handle, (i32, String)> {
    let mut p = Program::new();
    (p.code, p.code_size) = (text.as_ptr().cast_mut().cast(), text.len());
    (p.format, p.format_size) = ("mlir".as_ptr().cast(), 4);
    let mut a = ClientCompile::new();
    (a.client, a.program) = (client, &p);
    call(api().client_compile, &mut a).map(|()| a.executable)
}
fn execute(loaded: Handle, arguments: &[Handle], results: usize, kept: &[i64]) -> Result<Vec<Handle>, (i32, String)> {
    let mut out = vec![std::ptr::null_mut(); results];
    let mut o = ExecuteOptions::new();
    (o.non_donatable_input_indices, o.num_non_donatable_input_indices) = (kept.as_ptr(), kept.len());
    let (given, to) = (arguments.as_ptr(), out.as_mut_ptr());
    let mut event = std::ptr::null_mut();
    let mut a = LoadedExecutableExecute::new();
    (a.executable, a.options, a.num_devices) = (loaded, &mut o, 1);
    (a.argument_lists, a.num_args, a.output_lists) = (&given, arguments.len(), &to);
    a.device_complete_events = &mut event;
    call(api().loaded_executable_execute, &mut a)?;
    assert!(is_ready(event));
    forget(event);
    Ok(out)
}
fn is_ready(event: Handle) -> bool {
    let mut a = EventIsReady::new();
    a.event = event;
    call(api().event_is_ready, &mut a).unwrap();
    a.is_ready
}
fn forget(event: Handle) {
    let mut a = EventDestroy::new();
    a.event = event;
    call(api().event_destroy, &mut a).unwrap();
}
fn values(b: Handle) -> Result<Vec<f32>, (i32, String)> {
    let mut a = BufferToHostBuffer::new();
    a.src = b;
    call(api().buffer_to_host_buffer, &mut a)?;
    let mut out = vec![0.0f32; a.dst_size / 4];
    a.dst = out.as_mut_ptr().cast();
    call(api().buffer_to_host_buffer, &mut a)?;
    forget(a.event);
    Ok(out)
}
fn is_deleted(b: Handle) -> bool {
    let mut a = BufferIsDeleted::new();
    a.buffer = b;
    call(api().buffer_is_deleted, &mut a).unwrap();
    a.is_deleted
}
fn destroy(b: Handle) {
    let mut a = BufferDestroy::new();
    a.buffer = b;
    call(api().buffer_destroy, &mut a).unwrap();
}
const DOUBLED: &str = "func.func @main(%x: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2x3xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}";

#[test]
fn the_table_is_whole() {
    let a = api();
    assert_eq!((a.head.struct_size, a.head.version.major, a.head.version.minor), (size_of::<Api>(), 0, 81));
    // No function is missing: those that are not there say so.
    let all = unsafe {
        std::slice::from_raw_parts(
            (&raw const *a).cast::<usize>().add(size_of::<Head>() / size_of::<usize>()),
            (size_of::<Api>() - size_of::<Head>()) / size_of::<usize>(),
        )
    };
    assert_eq!(all.len(), 118);
    assert!(all.iter().all(|&f| f != 0));
    let (code, text) = call(a.compile, &mut Unused::new()).unwrap_err();
    assert!(code == 12 && text.contains("does not have"), "{code} {text}");
}
#[test]
fn arguments_that_are_wrong_are_errors() {
    // A struct that is too short, as an old client's is, and none at all.
    let mut short = ClientPlatformName::new();
    short.struct_size = 24;
    let (code, text) = call(api().client_platform_name, &mut short).unwrap_err();
    assert!(code == 3 && text.contains("24 bytes"), "{text}");
    assert!(short.name.is_null());
    let (_, text) = call(api().event_await, &mut EventAwait::new()).unwrap_err();
    assert!(text.contains("event is null"), "{text}");
    let (_, text) = client(&[("colour", 3)]).unwrap_err();
    assert!(text.contains("`colour`") && text.contains("threads"), "{text}");
    assert!(client(&[("num_devices", 0)]).is_err());
    let c = client(&[("threads", 1)]).unwrap();
    let mut a = ClientBufferFromHostBuffer::new();
    let dims = [2, -1];
    (a.client, a.element, a.dims, a.num_dims) = (c, 11, dims.as_ptr(), 2);
    assert!(call(api().client_buffer_from_host_buffer, &mut a).unwrap_err().1.contains("-1"));
    let dims = [2, 3];
    a.dims = dims.as_ptr();
    assert!(call(api().client_buffer_from_host_buffer, &mut a).unwrap_err().1.contains("no memory"));
    a.element = 28;
    let (code, text) = call(api().client_buffer_from_host_buffer, &mut a).unwrap_err();
    assert!(code == 12 && text.contains("element type 28"), "{text}");
    let (_, text) = compile(c, "func.func @main(").unwrap_err();
    assert!(text.contains("error[E0103]"), "{text}");
    let (code, text) = compile(c, "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = acme.op %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}").unwrap_err();
    assert!(code == 12 && text.contains("acme.op"), "{code} {text}");
    let loaded = compile(c, DOUBLED).unwrap();
    assert!(execute(loaded, &[], 1, &[]).is_err());
    // As many replicas that, times as many partitions, they would be 1 again: still more than one.
    let many = [0xabu8, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0x01];
    let options = [&[0x1a, 13, 0x20][..], &many, &[0x28, 3]].concat();
    let mut p = Program::new();
    (p.code, p.code_size) = (DOUBLED.as_ptr().cast_mut().cast(), DOUBLED.len());
    (p.format, p.format_size) = ("mlir".as_ptr().cast(), 4);
    let mut a = ClientCompile::new();
    (a.client, a.program) = (c, &p);
    (a.compile_options, a.compile_options_size) = (options.as_ptr().cast(), options.len());
    let (code, text) = call(api().client_compile, &mut a).unwrap_err();
    assert!(code == 12 && text.contains("on one device"), "{code} {text}");
    let (small, done) = buffer(c, &[1.0], &[1], &[], DURING_CALL);
    assert!(is_ready(done));
    assert!(execute(loaded, &[small], 1, &[0]).unwrap_err().1.contains("E070"));
}
#[test]
fn memory_is_used_where_it_lies_and_given_back() {
    let c = client(&[]).unwrap();
    let data = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    // Without a copy the memory is the caller's again when the buffer is gone; a copy is done with it at once.
    let (b, done) = buffer(c, &data, &[2, 3], &[], ZERO_COPY);
    assert!(!is_ready(done));
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn told(error: *mut c_void, with: *mut c_void) {
        assert!(error.is_null());
        TOLD.fetch_add(with as usize, Ordering::SeqCst);
    }
    let mut a = EventOnReady::new();
    let told: unsafe extern "C" fn(_, _) = told;
    (a.event, a.callback, a.user_arg) = (done, Some(told), 7 as Handle);
    call(api().event_on_ready, &mut a).unwrap();
    let mut p = BufferOpaqueDeviceMemoryDataPointer::new();
    p.buffer = b;
    call(api().buffer_opaque_device_memory_data_pointer, &mut p).unwrap();
    assert_eq!(p.device_memory_ptr, data.as_ptr().cast_mut().cast());
    assert_eq!(values(b).unwrap(), data);
    assert_eq!(TOLD.load(Ordering::SeqCst), 0);
    destroy(b);
    assert_eq!(TOLD.load(Ordering::SeqCst), 7);
    assert!(is_ready(done));
    // Other orders, and backwards.
    let (b, done) = buffer(c, &data, &[3, 2], &[4, 12], DURING_CALL);
    assert!(is_ready(done));
    assert_eq!(values(b).unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let (b, _) = buffer(c, &data[5..], &[6], &[-4], DURING_CALL);
    assert_eq!(values(b).unwrap(), [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    // The caller's own layout.
    let (b, _) = buffer(c, &data, &[2, 3], &[], DURING_CALL);
    let order = [0i64, 1];
    let mut layout = MemoryLayout::new();
    layout.kind = TILED;
    (layout.tiled.minor_to_major, layout.tiled.minor_to_major_size) = (order.as_ptr(), 2);
    let mut out = [0.0f32; 6];
    let mut a = BufferToHostBuffer::new();
    (a.src, a.host_layout, a.dst, a.dst_size) = (b, &mut layout, out.as_mut_ptr().cast(), 24);
    call(api().buffer_to_host_buffer, &mut a).unwrap();
    assert_eq!(out, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    a.dst_size = 23;
    assert!(call(api().buffer_to_host_buffer, &mut a).unwrap_err().1.contains("room for 23"));
}
#[test]
fn donated_buffers_are_gone() {
    let c = client(&[]).unwrap();
    let loaded = compile(c, DOUBLED).unwrap();
    let data = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let want = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0];
    let (b, _) = buffer(c, &data, &[2, 3], &[], DURING_CALL);
    // Not this time.
    assert_eq!(values(execute(loaded, &[b], 1, &[0]).unwrap()[0]).unwrap(), want);
    assert!(!is_deleted(b));
    // Somebody looks at its memory, which has to stay as it is.
    let mut w = BufferIncreaseExternalReferenceCount::new();
    w.buffer = b;
    call(api().buffer_increase_external_reference_count, &mut w).unwrap();
    assert_eq!(values(execute(loaded, &[b], 1, &[]).unwrap()[0]).unwrap(), want);
    assert_eq!(values(b).unwrap(), data);
    let mut w = BufferDecreaseExternalReferenceCount::new();
    w.buffer = b;
    call(api().buffer_decrease_external_reference_count, &mut w).unwrap();
    assert!(call(api().buffer_decrease_external_reference_count, &mut w).is_err());
    assert_eq!(values(execute(loaded, &[b], 1, &[]).unwrap()[0]).unwrap(), want);
    assert!(is_deleted(b));
    assert!(values(b).unwrap_err().1.contains("deleted or donated"));
    assert!(execute(loaded, &[b], 1, &[]).unwrap_err().1.contains("deleted or donated"));
    // Memory of the caller's is never written, whoever gives it away.
    let (b, done) = buffer(c, &data, &[2, 3], &[], ZERO_COPY);
    let made = execute(loaded, &[b], 1, &[]).unwrap();
    assert_eq!(values(made[0]).unwrap(), want);
    assert_eq!(data, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert!(is_ready(done));
}
#[test]
fn programs_are_stored_and_loaded() {
    let c = client(&[("num_devices", 3)]).unwrap();
    let loaded = compile(c, DOUBLED).unwrap();
    let mut a = LoadedExecutableGetExecutable::new();
    a.loaded = loaded;
    call(api().loaded_executable_get_executable, &mut a).unwrap();
    let mut s = ExecutableSerialize::new();
    s.executable = a.executable;
    call(api().executable_serialize, &mut s).unwrap();
    let mut l = ExecutableDeserializeAndLoad::new();
    (l.client, l.serialized_executable, l.serialized_executable_size) =
        (c, s.serialized_bytes, s.serialized_bytes_size);
    call(api().executable_deserialize_and_load, &mut l).unwrap();
    unsafe { s.serialized_executable_deleter.unwrap()(s.serialized_executable) };
    let (b, _) = buffer(c, &[1.0; 6], &[2, 3], &[], DURING_CALL);
    assert_eq!(values(execute(l.loaded_executable, &[b], 1, &[]).unwrap()[0]).unwrap(), [2.0; 6]);
    let mut d = ExecutableOutputDimensions::new();
    d.executable = a.executable;
    call(api().executable_output_dimensions, &mut d).unwrap();
    assert_eq!(unsafe { std::slice::from_raw_parts(d.dims, 2) }, [2, 3]);
    let mut e = ExecutableDestroy::new();
    e.executable = a.executable;
    call(api().executable_destroy, &mut e).unwrap();
    // Devices are told apart.
    let mut n = ClientLookupDevice::new();
    (n.client, n.id) = (c, 2);
    call(api().client_lookup_device, &mut n).unwrap();
    let mut t = DeviceDescriptionToString::new();
    t.description = n.device;
    call(api().device_description_to_string, &mut t).unwrap();
    let text = unsafe { std::slice::from_raw_parts(t.text.cast::<u8>(), t.text_size) };
    assert_eq!(text, b"TfcDevice(id=2)");
    n.id = 3;
    assert!(call(api().client_lookup_device, &mut n).unwrap_err().1.contains("no device 3"));
    let mut m = DeviceMemoryStats::new();
    m.device = n.device;
    call(api().device_memory_stats, &mut m).unwrap();
    assert_eq!(m.bytes_in_use, 0);
}
#[test]
fn threads_share_a_program() {
    let c = client(&[]).unwrap() as usize;
    let loaded = compile(c as Handle, DOUBLED).unwrap() as usize;
    std::thread::scope(|s| {
        for k in 0..4 {
            s.spawn(move || {
                for i in 0..200 {
                    let x = (k * 1000 + i) as f32;
                    let (b, done) = buffer(c as Handle, &[x; 6], &[2, 3], &[], DURING_CALL);
                    let made = execute(loaded as Handle, &[b], 1, &[]).unwrap();
                    assert_eq!(values(made[0]).unwrap(), [2.0 * x; 6]);
                    [b, made[0]].into_iter().for_each(destroy);
                    forget(done);
                }
            });
        }
    });
}
/// Twice the first argument and the sum of the second, or a failure.
unsafe extern "C" fn called(
    id: i64,
    n: usize,
    given: *const *const c_void,
    m: usize,
    made: *const *mut c_void,
    message: *mut std::ffi::c_char,
    room: usize,
) -> i32 {
    assert_eq!((n, m), (2, 2));
    if id != 7 {
        let text = b"nobody has that number\0";
        assert!(room >= text.len());
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), message.cast(), text.len()) };
        return 1;
    }
    let (x, y) = unsafe {
        (
            std::slice::from_raw_parts(given.read().cast::<f32>(), 6),
            std::slice::from_raw_parts(given.add(1).read().cast::<f32>(), 6),
        )
    };
    let to = unsafe { std::slice::from_raw_parts_mut(made.read().cast::<f32>(), 6) };
    to.iter_mut().zip(x).for_each(|(to, x)| *to = 2.0 * x);
    unsafe { made.add(1).read().cast::<f32>().write(y.iter().sum()) };
    0
}
#[test]
fn programs_call_back() {
    let text = |id: i64| {
        format!(
            "func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>) {{
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %r = stablehlo.reshape %t : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %0:2 = stablehlo.custom_call @jax.callback(%x, %r) {{has_side_effect = true, mhlo.backend_config = {{id = {id} : i64}}}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<f32>
}}"
        )
    };
    let c = client(&[]).unwrap();
    let (b, _) = buffer(c, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3], &[], DURING_CALL);
    let (known, other) = (compile(c, &text(7)).unwrap(), compile(c, &text(8)).unwrap());
    let e = execute(known, &[b], 2, &[]).unwrap_err();
    assert!(e.1.contains("nobody is there to be called"), "{e:?}");
    pjrt_tfc::callback::tfc_pjrt_on_callback(Some(called));
    let made = execute(known, &[b], 2, &[]).unwrap();
    assert_eq!(values(made[0]).unwrap(), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
    assert_eq!(values(made[1]).unwrap(), [21.0]);
    let e = execute(other, &[b], 2, &[]).unwrap_err();
    assert!(e.1.contains("nobody has that number"), "{e:?}");
    // What it takes is said where it is written wrongly.
    let e = compile(c, &text(7).replace("id = 7", "colour = 7")).unwrap_err();
    assert!(e.1.contains("`colour` is no attribute of `jax.callback`"), "{e:?}");
}
