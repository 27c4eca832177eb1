//! The `tfc` program: the library's [`tfc::main_with`] over the built-in ops and kernels.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use std::process::ExitCode;

fn main() -> ExitCode {
    tfc::main_with(tfc_ir::OpSet::core(), tfc::Kernels::default())
}
