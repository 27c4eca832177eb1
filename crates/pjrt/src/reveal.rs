//! Programs for people to read: what JAX hands over, as text of this project's language, or as the plan that the engine makes of it. The wheel's
//! module `tfc_jax` calls this; it is not of the PJRT interface.
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use tfc::backend::Backend;
use tfc::prelude::{CpuBackend, GraphProgram};
use tfc::traced::CompiledProgram;

use crate::border::Fault;

/// The text of a program: StableHLO as text or bytecode, `size` bytes at `code`, after the passes that `passes` names (as `tfc opt -p` does;
/// `O0`, `O1` and `O2` are those levels, and no name is none), or with `plan` the plan that the engine runs. `out` gets the text, or where the result is not 0 what is
/// wrong; [`tfc_free_text`](crate::c::tfc_free_text) takes it back.
///
/// # Safety
/// `code` points to `size` bytes, `passes` to a string that ends with a zero, `out` to a place for an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfc_jax_reveal(
    code: *const u8,
    size: usize,
    passes: *const c_char,
    plan: c_int,
    out: *mut *mut c_char,
) -> c_int {
    if code.is_null() || passes.is_null() || out.is_null() {
        return 1;
    }
    // SAFETY: by contract.
    let (code, passes) = unsafe { (std::slice::from_raw_parts(code, size), CStr::from_ptr(passes)) };
    let made = catch_unwind(AssertUnwindSafe(|| text(code, &passes.to_string_lossy(), plan != 0)));
    let (failed, text) = match made {
        Ok(Ok(text)) => (0, text),
        Ok(Err(fault)) => (1, fault.message().to_owned()),
        Err(_) => (1, "this is a bug in tfc: a program could not be printed".to_owned()),
    };
    let text = CString::new(text.replace('\0', "?")).unwrap_or_default();
    // SAFETY: by contract.
    unsafe { out.write(text.into_raw()) };
    failed
}
fn text(code: &[u8], passes: &str, plan: bool) -> Result<String, Fault> {
    let backend = CpuBackend::with_families(crate::callback::ops()?, crate::callback::kernels());
    let text = tfc::stablehlo::as_text(code);
    let read = GraphProgram::parse_bytes(text.as_deref().unwrap_or(code), true, backend.ops())?;
    if plan {
        return Ok(CompiledProgram::new(&read, &backend)?.describe());
    }
    let mut module = read.module().fork();
    let pipeline = match passes {
        "" => tfc::passes::nothing(),
        "O0" => tfc::passes::level(0),
        "O1" => tfc::passes::level(1),
        "O2" => tfc::passes::level(2),
        names => tfc::passes::Pipeline::parse(names)?,
    };
    pipeline.run(&mut module, &mut |_| ()).map_err(|e| Fault::from(e.error))?;
    let text = tfc::ir::print::nested_module(&module);
    Ok(tfc::frontend::text::fmt(&text).unwrap_or(text))
}
