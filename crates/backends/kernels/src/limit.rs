//! What `TFC_CPU` limits the CPU engine to, for tests and comparisons.
use std::sync::OnceLock;

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

/// What `TFC_CPU` holds, read once; `None` where it is unset.
pub fn asked() -> Option<&'static str> {
    static ASKED: OnceLock<Option<String>> = OnceLock::new();
    ASKED.get_or_init(|| std::env::var("TFC_CPU").ok()).as_deref()
}
/// What it means; `None` where it is unset or unknown, and the engine chooses.
pub fn limit() -> Option<Limit> {
    match asked()? {
        "scalar" => Some(Limit::Scalar),
        "avx2" => Some(Limit::Avx2),
        "tape" => Some(Limit::Tape),
        "jit" => Some(Limit::Jit),
        _ => None,
    }
}
