//! What the process tells who started it.
use std::process::ExitCode;

/// The exit codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(crate) enum Exit {
    Ok = 0,
    /// The program is wrong.
    Program = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Reading, running or writing failed.
    RunTime = 3,
    /// A result or an assertion differs.
    Mismatch = 4,
    /// This toolchain is wrong.
    Bug = 101,
}
impl From<Exit> for ExitCode {
    fn from(e: Exit) -> ExitCode {
        ExitCode::from(e as u8)
    }
}
