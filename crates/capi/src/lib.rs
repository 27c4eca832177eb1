//! tfc from C. The header `include/tfc.h` is the documentation: what each function takes, gives and owns.
//!
//! Everything behind a pointer is checked as far as that can be: NULL, dtypes, ranks, extents, strides that leave no room. A
//! panic does not cross the border: it is an error like others.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// The border is made of pointers that C gives: nothing here is sound without the promises of the header.
#![allow(clippy::missing_safety_doc, reason = "the header says what each pointer has to be")]
mod dlpack;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::Arc;
use tfc::ir::tensor::foreign::{self, Layout, copied};
use tfc::ir::{Code, OpSet, with_dtype};
use tfc::prelude::*;
use tfc::traced::{CompiledProgram, Derivative};

/// `tfc_program`.
pub struct Program(GraphProgram);
/// `tfc_compiled`.
pub struct Compiled(CompiledProgram);
/// `tfc_tensor`.
pub struct Owned {
    tensor: Tensor,
    shape: Vec<i64>,
    strides: Vec<i64>,
}
impl Owned {
    fn new(tensor: Tensor) -> Owned {
        let shape = tensor.shape().iter().map(|&n| n as i64).collect();
        let strides = tensor.strides().iter().map(|&s| s as i64).collect();
        Owned { tensor, shape, strides }
    }
}
/// `tfc_buffer`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the header says it")]
pub struct Buffer {
    pub data: *mut u8,
    pub dtype: c_int,
    pub rank: i32,
    pub shape: *const i64,
    pub strides: *const i64,
}
/// In the order of `tfc_dtype`.
const DTYPES: [DType; 29] = {
    use DType::*;
    [
        Bool,
        I32,
        I64,
        U32,
        U64,
        F32,
        F64,
        C32,
        C64,
        I8,
        I16,
        U8,
        U16,
        BF16,
        F16,
        I2,
        I4,
        U2,
        U4,
        F4E2M1FN,
        F6E2M3FN,
        F6E3M2FN,
        F8E3M4,
        F8E4M3,
        F8E4M3B11FNUZ,
        F8E4M3FN,
        F8E4M3FNUZ,
        F8E5M2,
        F8E5M2FNUZ,
    ]
};

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}
fn remember(text: &str) {
    let text = CString::new(text.replace('\0', "?")).unwrap_or_default();
    LAST.with(|l| l.replace(text));
}
/// Runs what a function of the border does; what goes wrong is remembered.
fn guarded<T>(f: impl FnOnce() -> Result<T>) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(x)) => Some(x),
        Ok(Err(e)) => {
            remember(&e.to_string());
            None
        }
        Err(_) => {
            remember("error[E0718]: this is a bug in tfc: it panicked");
            None
        }
    }
}
fn given<T>(x: Option<T>) -> *mut T {
    x.map_or(null_mut(), |x| Box::into_raw(Box::new(x)))
}
fn code(x: Option<()>) -> c_int {
    c_int::from(x.is_none())
}
fn null(what: &str) -> Error {
    Error::new(Code::E1040, format!("{what} is NULL")).help("give what the header asks for")
}
/// SAFETY: `p` is NULL, or points to a `T` that lives and is not written as long as the reference is used.
unsafe fn behind<'a, T>(p: *const T, what: &str) -> Result<&'a T> {
    // SAFETY: by contract.
    unsafe { p.as_ref() }.ok_or_else(|| null(what))
}
/// SAFETY: `p` is NULL, or points to `n` values as in [`behind`].
unsafe fn list<'a, T>(p: *const T, n: usize, what: &str) -> Result<&'a [T]> {
    match n {
        0 => Ok(&[]),
        _ if p.is_null() => Err(null(what)),
        n if n > isize::MAX as usize / size_of::<T>().max(1) => {
            Err(Error::new(Code::E1042, format!("{what} cannot have {n} entries")).help("see tfc.h"))
        }
        // SAFETY: by contract.
        n => Ok(unsafe { std::slice::from_raw_parts(p, n) }),
    }
}
/// SAFETY: `p` is NULL, or points to a text that ends in NUL.
unsafe fn text<'a>(p: *const c_char, what: &str) -> Result<&'a str> {
    if p.is_null() {
        return Err(null(what));
    }
    // SAFETY: by contract.
    let text = unsafe { CStr::from_ptr(p) };
    text.to_str().map_err(|_| Error::new(Code::E1041, format!("{what} is not UTF-8")).help("encode it in UTF-8"))
}

/// Where the elements of a buffer lie.
///
/// SAFETY: shape and strides are NULL or point to as many numbers as the rank says.
unsafe fn layout(b: &Buffer) -> Result<Layout> {
    let wrong = |what: String| Error::new(Code::E1042, what).help("see `tfc_buffer` in tfc.h");
    let dtype = usize::try_from(b.dtype).ok().and_then(|i| DTYPES.get(i)).copied();
    let dtype = dtype.ok_or_else(|| wrong(format!("a buffer has the dtype {}, which there is not", b.dtype)))?;
    let rank = usize::try_from(b.rank).map_err(|_| wrong(format!("a buffer has the rank {}", b.rank)))?;
    // SAFETY: by contract.
    let dims = unsafe { list(b.shape, rank, "the shape of a buffer") }?;
    let shape = dims.iter().map(|&n| usize::try_from(n).map_err(|_| wrong(format!("a buffer has the extent {n}"))));
    let shape = shape.collect::<Result<Vec<_>>>()?;
    let strides = if b.strides.is_null() {
        None
    } else {
        // SAFETY: by contract.
        let given = unsafe { list(b.strides, rank, "the strides of a buffer") }?;
        Some(given.iter().map(|&s| s as isize).collect())
    };
    let made = Layout::new(dtype, shape, strides)?;
    if b.data.is_null() && !made.is_empty() {
        return Err(null("the data of a buffer"));
    }
    Ok(made)
}
/// Writes a tensor into a buffer.
///
/// SAFETY: the elements of the buffer may be written.
unsafe fn write(t: &Tensor, b: &Buffer, i: usize) -> Result<()> {
    // SAFETY: by contract of the caller.
    let l = unsafe { layout(b) }?;
    if l.dtype() != t.dtype() || l.shape() != t.shape() {
        let e = Error::new(
            Code::E1043,
            format!("output {i} is {}{:?}; its buffer is {}{:?}", t.dtype(), t.shape(), l.dtype(), l.shape()),
        );
        return Err(e.help("give a buffer of that type, or use `tfc_call`, which makes tensors"));
    }
    // SAFETY: by contract; the result is the library's.
    unsafe { foreign::write(t, b.data, &l) }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn tfc_error() -> *const c_char {
    LAST.with(|l| l.borrow().as_ptr())
}
/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn tfc_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_load(path: *const c_char) -> *mut Program {
    // SAFETY: as the header says.
    given(guarded(|| GraphProgram::load(unsafe { text(path, "the path") }?).map(Program)))
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_parse(source: *const c_char, bytes: usize, mlir: c_int) -> *mut Program {
    given(guarded(|| {
        // SAFETY: as the header says.
        let bytes = unsafe { list(source.cast::<u8>(), bytes, "the text") }?;
        let ops = Arc::new(OpSet::core());
        GraphProgram::parse_bytes(bytes, mlir != 0, &ops).map(Program)
    }))
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_differentiate(
    program: *const Program,
    kind: c_int,
    by: *const usize,
    n: usize,
) -> *mut Program {
    given(guarded(|| {
        let kind = match kind {
            0 => Derivative::Grad,
            1 => Derivative::ValueAndGrad,
            2 => Derivative::Vjp,
            3 => Derivative::Jvp,
            4 => Derivative::Hvp,
            k => {
                let e = Error::new(Code::E1042, format!("{k} is no `tfc_derivative`"));
                return Err(e.help("see `tfc_derivative` in tfc.h"));
            }
        };
        // SAFETY: as the header says.
        let (p, by) = unsafe { (behind(program, "the program")?, list(by, n, "the list of inputs")?) };
        p.0.derivative(kind, by).map(Program)
    }))
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_vmap(
    program: *const Program,
    ins: *const i64,
    in_count: usize,
    outs: *const i64,
    out_count: usize,
) -> *mut Program {
    given(guarded(|| {
        // SAFETY: as the header says.
        let p = unsafe { behind(program, "the program")? };
        // SAFETY: as the header says.
        let (ins, outs) =
            unsafe { (list(ins, in_count, "the list of axes")?, list(outs, out_count, "the list of axes")?) };
        let axes = |l: &[i64]| l.iter().map(|&a| (a != i64::MIN).then_some(a)).collect::<Vec<_>>();
        p.0.vmap(&axes(ins), &axes(outs)).map(Program)
    }))
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_text(program: *const Program) -> *mut c_char {
    let made = guarded(|| {
        // SAFETY: as the header says.
        let p = unsafe { behind(program, "the program") }?;
        Ok(CString::new(p.0.to_string().replace('\0', "?")).unwrap_or_default())
    });
    made.map_or(null_mut(), CString::into_raw)
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_input_count(program: *const Program) -> usize {
    // SAFETY: as the header says.
    guarded(|| Ok(unsafe { behind(program, "the program") }?.0.inputs()?.len())).unwrap_or_default()
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_output_count(program: *const Program) -> usize {
    // SAFETY: as the header says.
    guarded(|| Ok(unsafe { behind(program, "the program") }?.0.outputs()?.len())).unwrap_or_default()
}
fn position(list: &[(String, String)], name: &str, what: &str) -> Result<i64> {
    list.iter().position(|p| p.0 == name).map(|i| i as i64).ok_or_else(|| {
        let names: Vec<&str> = list.iter().map(|p| p.0.as_str()).collect();
        Error::new(Code::E1008, format!("there is no {what} `{}`", name.escape_debug()))
            .help(format!("there are {}", names.join(", ")))
    })
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_input_position(program: *const Program, name: *const c_char) -> i64 {
    // SAFETY: as the header says.
    let found =
        guarded(|| unsafe { position(behind(program, "the program")?.0.inputs()?, text(name, "the name")?, "input") });
    found.unwrap_or(-1)
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_output_position(program: *const Program, name: *const c_char) -> i64 {
    // SAFETY: as the header says.
    let found = guarded(|| unsafe {
        position(&behind(program, "the program")?.0.outputs()?, text(name, "the name")?, "output")
    });
    found.unwrap_or(-1)
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_compile(program: *const Program, threads: u32) -> *mut Compiled {
    given(guarded(|| {
        // SAFETY: as the header says.
        let p = unsafe { behind(program, "the program") }?;
        CompiledProgram::new(&p.0, &CpuBackend::new().threads(threads as usize)).map(Compiled)
    }))
}
/// SAFETY: the caller's memory stays what it is as long as the tensors live.
unsafe fn tensors(inputs: *const Buffer, n: usize) -> Result<Vec<Tensor>> {
    // SAFETY: by contract.
    let inputs = unsafe { list(inputs, n, "the list of inputs") }?;
    // SAFETY: by contract.
    inputs.iter().map(|b| unsafe { foreign::borrowed(b.data, layout(b)?, Box::new(())) }).collect()
}
/// SAFETY: as the header says of `tfc_run`.
unsafe fn results(compiled: *const Compiled, inputs: *const Buffer, n: usize) -> Result<Vec<Tensor>> {
    // SAFETY: the caller's memory stays what it is during the call; the tensors do not outlive it, see below.
    let (c, given) = unsafe { (behind(compiled, "the compiled program")?, tensors(inputs, n)?) };
    let out = c.0.run(&given)?;
    // A result may be an argument, or a view of one: it must not refer to memory that the caller takes back.
    out.into_iter().map(|t| if is_borrowed(&t, &given) { copied(&t) } else { Ok(t) }).collect()
}
fn is_borrowed(t: &Tensor, given: &[Tensor]) -> bool {
    given.iter().any(|g| g.data().same_storage(t.data()))
}
fn counted(wanted: usize, given: usize) -> Result<()> {
    if wanted == given {
        return Ok(());
    }
    let e = Error::new(Code::E1043, format!("the program has {wanted} outputs; room for {given} is given"));
    Err(e.help("`tfc_output_count` says how many there are"))
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_run(
    compiled: *const Compiled,
    inputs: *const Buffer,
    input_count: usize,
    outputs: *const Buffer,
    output_count: usize,
) -> c_int {
    code(guarded(|| {
        // SAFETY: as the header says.
        let outputs = unsafe { list(outputs, output_count, "the list of outputs") }?;
        // SAFETY: as the header says.
        let all = unsafe { results(compiled, inputs, input_count) }?;
        counted(all.len(), outputs.len())?;
        // SAFETY: as the header says.
        all.iter().zip(outputs).enumerate().try_for_each(|(i, (t, b))| unsafe { write(t, b, i) })
    }))
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_call(
    compiled: *const Compiled,
    inputs: *const Buffer,
    input_count: usize,
    outputs: *mut *mut Owned,
    output_count: usize,
) -> c_int {
    code(guarded(|| {
        if outputs.is_null() && output_count > 0 {
            return Err(null("the list of outputs"));
        }
        // SAFETY: as the header says.
        let all = unsafe { results(compiled, inputs, input_count) }?;
        counted(all.len(), output_count)?;
        for (i, t) in all.into_iter().enumerate() {
            // SAFETY: there is room for as many pointers.
            unsafe { outputs.add(i).write(given(Some(Owned::new(t)))) };
        }
        Ok(())
    }))
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_explain(
    program: *const Program,
    inputs: *const Buffer,
    input_count: usize,
    infinities: c_int,
) -> *mut c_char {
    let made = guarded(|| {
        // SAFETY: as the header says; the tensors do not outlive the call, and what is returned is text.
        let (p, given) = unsafe { (behind(program, "the program")?, tensors(inputs, input_count)?) };
        let traps: &[Trap] = if infinities == 0 { &[Trap::Nan] } else { &[Trap::Nan, Trap::Inf] };
        let said = p.0.explain(&given, traps)?.map_or_else(String::new, |e| e.to_string());
        Ok(CString::new(said.replace('\0', "?")).unwrap_or_default())
    });
    made.map_or(null_mut(), CString::into_raw)
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_view(tensor: *const Owned, view: *mut Buffer) -> c_int {
    code(guarded(|| {
        // SAFETY: as the header says.
        let t = unsafe { behind(tensor, "the tensor") }?;
        if view.is_null() {
            return Err(null("the view"));
        }
        let b = Buffer {
            data: first_element(&t.tensor),
            dtype: DTYPES.iter().position(|&d| d == t.tensor.dtype()).unwrap_or_default() as c_int,
            rank: t.shape.len() as i32,
            shape: t.shape.as_ptr(),
            strides: t.strides.as_ptr(),
        };
        // SAFETY: not NULL, and as the header says.
        unsafe { view.write(b) };
        Ok(())
    }))
}
/// The address of element `[0, …, 0]`.
fn first_element(t: &Tensor) -> *mut u8 {
    let size = with_dtype!(t.dtype(), T => size_of::<T>());
    t.data().address().wrapping_add(t.offset() * size).cast_mut()
}

/// SAFETY: `p` is NULL or was given out by this library as a `T`, and is not used again.
unsafe fn free<T>(p: *mut T) {
    if !p.is_null() {
        // SAFETY: by contract.
        drop(unsafe { Box::from_raw(p) });
    }
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_free_program(program: *mut Program) {
    // SAFETY: as the header says.
    unsafe { free(program) }
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_free_compiled(compiled: *mut Compiled) {
    // SAFETY: as the header says.
    unsafe { free(compiled) }
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_free_tensor(tensor: *mut Owned) {
    // SAFETY: as the header says.
    unsafe { free(tensor) }
}
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_free_text(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: given out by `tfc_text`, and not used again.
        drop(unsafe { CString::from_raw(text) });
    }
}
