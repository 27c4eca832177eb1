//! What `TFC_CPU` limits the CPU engine to, for tests and comparisons.
use std::sync::OnceLock;

/// The best that may be used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Limit {
    /// `scalar`: kernels of one lane.
    Scalar,
    /// `avx2`: kernels of 256 bits.
    Avx2,
    /// `tape`: the best kernels, no generated code.
    Tape,
    /// `jit`: generated code wherever there can be any, also where the tape would be chosen.
    Jit,
}

/// What `TFC_CPU` says, read once; `None` where it is unset or unknown, and the engine chooses.
pub(crate) fn limit() -> Option<Limit> {
    static LIMIT: OnceLock<Option<Limit>> = OnceLock::new();
    *LIMIT.get_or_init(|| match std::env::var("TFC_CPU").as_deref() {
        Ok("scalar") => Some(Limit::Scalar),
        Ok("avx2") => Some(Limit::Avx2),
        Ok("tape") => Some(Limit::Tape),
        Ok("jit") => Some(Limit::Jit),
        _ => None,
    })
}
