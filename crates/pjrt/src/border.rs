//! The border: calls from outside, and the errors that they give.
use std::panic::{AssertUnwindSafe, catch_unwind};

use tfc::ir::{Code, Error};
use tfc_pjrt_abi::{Api, Args, ErrorDestroy, ErrorGetCode, ErrorMessage, Handle};

/// What went wrong: `PJRT_Error_Code`, and in words.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    code: i32,
    message: String,
}
const INVALID: i32 = 3;
const DEADLINE: i32 = 4;
const EXHAUSTED: i32 = 8;
const UNIMPLEMENTED: i32 = 12;
const INTERNAL: i32 = 13;
impl Fault {
    /// An argument that is wrong.
    pub(crate) fn invalid(message: impl Into<String>) -> Fault {
        Fault { code: INVALID, message: message.into() }
    }
    /// In words.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
    /// What this plugin does not do.
    pub(crate) fn unimplemented(message: impl Into<String>) -> Fault {
        Fault { code: UNIMPLEMENTED, message: message.into() }
    }
}
impl From<Error> for Fault {
    fn from(e: Error) -> Fault {
        let code = match e.code() {
            Code::E0714 => DEADLINE,
            Code::E0705 | Code::E0715 | Code::E0720 => EXHAUSTED,
            Code::E0240 | Code::E0241 | Code::E0801 => UNIMPLEMENTED,
            Code::E0718 => INTERNAL,
            _ => INVALID,
        };
        Fault { code, message: e.to_string() }
    }
}
/// An error as the caller gets it; null where there is none.
pub(crate) fn handed(fault: Option<Fault>) -> Handle {
    fault.map_or(std::ptr::null_mut(), |f| Box::into_raw(Box::new(f)).cast())
}

/// Runs what a function does.
///
/// # Safety
/// `args` is null or points to a struct whose first field is its size, as the header says, which nobody else uses meanwhile.
pub(crate) unsafe fn guarded<A: Args>(args: *mut A, f: impl FnOnce(&mut A) -> Result<(), Fault>) -> Handle {
    let run = || {
        // SAFETY: by contract.
        let size = if args.is_null() { 0 } else { unsafe { args.cast::<usize>().read() } };
        if size < A::SIZE {
            let name = std::any::type_name::<A>().rsplit("::").next().unwrap_or_default();
            let text =
                format!("the arguments of {name} have {size} bytes, {} are read: the client is too old", A::SIZE);
            return Err(Fault::invalid(text));
        }
        // SAFETY: it is long enough; padding behind the last field is never touched.
        f(unsafe { &mut *args })
    };
    let done = catch_unwind(AssertUnwindSafe(run));
    handed(match done {
        Ok(done) => done.err(),
        Err(_) => Some(Fault { code: INTERNAL, message: "this is a bug in tfc: it panicked".into() }),
    })
}
/// What this plugin is asked for before there is a client: a description of devices that are not there.
unsafe extern "C" fn no_topology(_: *mut tfc_pjrt_abi::Unused) -> Handle {
    handed(Some(Fault::unimplemented("topology not implemented: programs are compiled for the devices that are there")))
}
/// Every function that is not there.
pub(crate) unsafe extern "C" fn unimplemented(_: Handle) -> Handle {
    handed(Some(Fault::unimplemented("tfc's plugin does not have this function")))
}

pub(crate) const fn fill(api: Api) -> Api {
    Api {
        error_destroy: Some(error_destroy),
        error_message: Some(error_message),
        error_get_code: Some(error_get_code),
        topology_description_create: Some(no_topology),
        ..api
    }
}
unsafe extern "C" fn error_destroy(args: *mut ErrorDestroy) {
    // SAFETY: as the header says: an error that was handed out, or null.
    if let Some(a) = unsafe { args.as_ref() }
        && !a.error.is_null()
    {
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(a.error.cast::<Fault>()) });
    }
}
unsafe extern "C" fn error_message(args: *mut ErrorMessage) {
    // SAFETY: as the header says.
    if let Some(a) = unsafe { args.as_mut() } {
        // SAFETY: an error that was handed out, or null.
        let text = unsafe { a.error.cast::<Fault>().as_ref() }.map_or("", |f| &f.message);
        (a.message, a.message_size) = (text.as_ptr().cast(), text.len());
    }
}
unsafe extern "C" fn error_get_code(args: *mut ErrorGetCode) -> Handle {
    // SAFETY: as the header says.
    unsafe {
        guarded(args, |a| {
            a.code = a.error.cast::<Fault>().as_ref().map_or(0, |f| f.code);
            Ok(())
        })
    }
}
