//! tfc as a PJRT plugin: a shared library (`libpjrt_tfc.so`) whose one function, `GetPjrtApi`, gives the table of functions of the PJRT C
//! API. JAX, and every other client of that interface, compiles and runs its programs by it.
//!
//! | module | holds |
//! |---|---|
//! | `border` | calls from outside: arguments that are long enough, errors that are handed out, panics that stay inside |
//! | `event` | what happens later: ready, or not yet, and who wants to know |
//! | `client` | the client, its devices and their memory |
//! | `program` | programs: compiled once for the same bytes, run, stored |
//! | `buffer` | tensors on devices: taken where they lie, handed out without a copy where they lie as the client wants them |
//! | `callback` | calls back into the client's process: a family of one op |
//! | `options` | what a client asks for when it compiles |
//! | `reveal` | programs as text, for the wheel's module `tfc_jax` |
//! | `c` | the functions of the library for C, which that module calls programs by |
//!
//! What is promised: no panic crosses the border; a function that is not there says so; of a struct of arguments nothing is read or written
//! that the caller's version does not have. What the caller promises is what the header of the interface says: handles are those that
//! were given out, and pointers are good for as long as the header says.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod border;
mod buffer;
pub mod callback;
mod client;
mod event;
mod options;
mod program;
pub mod reveal;

pub use tfc_capi as c;
use tfc_pjrt_abi::{Api, Handle, Head, MAJOR, MINOR, NamedValue, PluginAttributes, PluginInitialize, Version};

use border::{Fault, guarded};

/// The table.
struct Table(Api);
// SAFETY: it is constant, and its functions may be called from any thread.
unsafe impl Sync for Table {}

static TABLE: Table = Table({
    let head = Head {
        struct_size: size_of::<Api>(),
        extension_start: std::ptr::null_mut(),
        version: Version {
            struct_size: size_of::<Version>(),
            extension_start: std::ptr::null_mut(),
            major: MAJOR,
            minor: MINOR,
        },
    };
    let api = Api::all(head, border::unimplemented);
    let api = border::fill(api);
    let api = event::fill(api);
    let api = client::fill(api);
    let api = program::fill(api);
    let api = buffer::fill(api);
    Api { plugin_initialize: Some(initialize), plugin_attributes: Some(attributes), ..api }
});

/// The table of functions, which lives as long as the process.
#[unsafe(no_mangle)]
pub extern "C" fn GetPjrtApi() -> *const Api {
    &raw const TABLE.0
}

unsafe extern "C" fn initialize(args: *mut PluginInitialize) -> Handle {
    // SAFETY: as the header says.
    unsafe { guarded(args, |_| Ok(())) }
}

/// A constant list of named values.
struct Attributes([NamedValue; 2]);
// SAFETY: constant.
unsafe impl Sync for Attributes {}
/// The version of StableHLO that programs are to be written in, whatever the client knows.
static STABLEHLO: [i64; 3] = tfc::stablehlo::bytecode::STABLEHLO;
static ATTRIBUTES: Attributes =
    Attributes([versions(b"stablehlo_current_version"), versions(b"stablehlo_minimum_version")]);
const fn versions(name: &'static [u8]) -> NamedValue {
    NamedValue {
        struct_size: size_of::<NamedValue>(),
        extension_start: std::ptr::null_mut(),
        name: name.as_ptr().cast(),
        name_size: name.len(),
        kind: 2,
        value: tfc_pjrt_abi::Value { list: &raw const STABLEHLO as *const i64 },
        value_size: 3,
    }
}
unsafe extern "C" fn attributes(args: *mut PluginAttributes) -> Handle {
    // SAFETY: as the header says.
    unsafe {
        guarded(args, |a| {
            (a.attributes, a.num_attributes) = (ATTRIBUTES.0.as_ptr(), ATTRIBUTES.0.len());
            Ok(())
        })
    }
}

/// What the modules have in common: a handle as what it is.
///
/// # Errors
/// Where it is null.
///
/// # Safety
/// It is null, or was given out as a `T` and has not been given back.
unsafe fn behind<'a, T>(handle: Handle, what: &str) -> Result<&'a T, Fault> {
    // SAFETY: by contract.
    unsafe { handle.cast::<T>().as_ref() }.ok_or_else(|| Fault::invalid(format!("{what} is null")))
}
/// A list behind a pointer.
///
/// # Errors
/// Where it is null and has entries.
///
/// # Safety
/// There are so many entries, which live as long as the answer is used.
unsafe fn list<'a, T>(at: *const T, n: usize, what: &str) -> Result<&'a [T], Fault> {
    match n {
        0 => Ok(&[]),
        _ if at.is_null() => Err(Fault::invalid(format!("{what} is null"))),
        // SAFETY: by contract.
        n => Ok(unsafe { std::slice::from_raw_parts(at, n) }),
    }
}

/// What is tested from inside stands beside the code, is compiled with it where assertions are, and is run by `tests/it`.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod inside {
    pub use crate::options::tests as options;
}
