//! Kernels and scalar functions of outside families: what they do wrong is said of them, by name.
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use tfc_ir::outside::{ADVICE, Panicked, panicked};
use tfc_ir::{Code, Error, Result};

/// Runs the kernel of `op`; a panic is an error, but for one that `ours` recognises as not the kernel's.
pub fn call<S, R>(
    op: &str,
    state: &mut S,
    kernel: impl FnOnce(&mut S) -> Result<R>,
    ours: impl FnOnce(&S) -> bool,
) -> Result<R> {
    // What the kernel leaves half done is not looked at again: the error ends the run.
    match catch_unwind(AssertUnwindSafe(|| kernel(state))) {
        Ok(done) => done,
        Err(panic) if ours(state) => resume_unwind(panic),
        Err(panic) => Err(panicked(format_args!("kernel of `{op}`"), &*panic)),
    }
}
/// Runs what may call scalar functions from outside, whose panics are errors. What it leaves half done is not to be read again.
pub fn functions<R>(run: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| match panic.downcast::<Panicked>() {
        Ok(p) => Err(panicked(format_args!("scalar function `{}`", p.function), &*p.with)),
        Err(panic) => resume_unwind(panic),
    })
}

/// The kernel of `op` gave another number of results.
pub fn wrong_count(op: &str, found: usize, expected: usize) -> Error {
    let text = format!("the kernel of `{op}` gave {found} results where {expected} are expected");
    Error::new(Code::E0802, text).help(ADVICE)
}
/// The kernel of `op` gave a result of another type.
pub fn wrong_type(op: &str, i: usize, found: impl std::fmt::Display, expected: impl std::fmt::Display) -> Error {
    Error::new(Code::E0802, format!("result {i} of the kernel of `{op}` is {found} where {expected} is expected"))
        .help(ADVICE)
}
/// The kernel of `op` ran a region in a way that the region does not allow.
pub fn wrong_region(op: &str, how: &str) -> Error {
    Error::new(Code::E0802, format!("the kernel of `{op}` runs {how}")).help(ADVICE)
}
