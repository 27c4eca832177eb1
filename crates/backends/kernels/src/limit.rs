//! What `TFC_CPU` limits the CPU engine to, for tests and comparisons.
use std::sync::OnceLock;
use tfc_ir::{Code, Error, Result};

/// The best that may be used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Limit {
    /// `scalar`: kernels of one lane.
    Scalar,
    /// `avx2`: kernels of 256 bits.
    Avx2,
    /// `tape`: the best kernels, no generated code.
    Tape,
    /// `jit`: generated code wherever there can be any, also where the tape would be chosen.
    Jit,
}

/// What `TFC_CPU` may be.
pub const VALUES: [&str; 4] = ["jit", "tape", "avx2", "scalar"];

/// What `TFC_CPU` holds, read once; `None` where it is unset or empty.
pub fn asked() -> Option<&'static str> {
    static ASKED: OnceLock<Option<String>> = OnceLock::new();
    let read = || Some(std::env::var_os("TFC_CPU")?.to_string_lossy().into_owned());
    ASKED.get_or_init(read).as_deref().filter(|a| !a.is_empty())
}
/// Fails where the variable holds a word that it may not hold.
///
/// # Errors
/// `E0803` where it does not.
pub fn known() -> Result<()> {
    match asked() {
        Some(a) if !VALUES.contains(&a) => {
            let e = Error::new(Code::E0803, format!("TFC_CPU={} names no engine", a.escape_debug()));
            Err(e.help(format!("unset it, or set it to one of {}", VALUES.join(", "))))
        }
        _ => Ok(()),
    }
}
/// What it means; `None` where it is unset, and the engine chooses.
pub fn limit() -> Option<Limit> {
    match asked()? {
        "scalar" => Some(Limit::Scalar),
        "avx2" => Some(Limit::Avx2),
        "tape" => Some(Limit::Tape),
        "jit" => Some(Limit::Jit),
        _ => None,
    }
}
