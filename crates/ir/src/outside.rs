//! What a row from outside of the core does wrong is said of that row, by name.
use crate::code::Code;
use crate::op::OpDef;
use crate::{Error, OpSet, Result};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A panic in a row of the core, which is a bug of the core wherever it passes.
struct Ours(#[allow(dead_code, reason = "whoever catches the panic at last may look at it")] Box<dyn Any + Send>);

/// Runs what the row `def` says in its column `column`: `infer`, `linearize`, …. What is left half done is not to be read
/// again: the error ends the pass, and with it the function under construction.
///
/// # Errors
/// Those of the row; `E0721` where a row from outside of the core panics. A panic in a row of the core goes on.
pub fn column<R>(def: &'static OpDef, column: &str, run: impl FnOnce() -> Result<R>) -> Result<R> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(done) => done,
        Err(panic) if panic.is::<Ours>() => resume_unwind(panic),
        Err(panic) if OpSet::core().iter().any(|row| std::ptr::eq(row, def)) => resume_unwind(Box::new(Ours(panic))),
        Err(panic) => Err(panicked(format_args!("column `{column}` of the op `{}`", def.name), &*panic)),
    }
}
/// The error that says that `what`, which comes from outside of the core, panicked with this payload.
pub fn panicked(what: std::fmt::Arguments, panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given");
    Error::new(Code::E0721, format!("the {what} panicked: {text}")).help(ADVICE)
}
/// What to do about the faults of rows and kernels from outside.
pub const ADVICE: &str = "the op and its kernel come from outside of tfc: report it where they come from";
/// What a panic of a function from outside unwinds with.
pub struct Panicked {
    /// The function's type, as Rust prints it.
    pub function: &'static str,
    /// What it panicked with.
    pub with: Box<dyn Any + Send>,
}
