//! The machine: memory, threads, how it treats denormal numbers.
pub(crate) mod denormal;
pub(crate) mod mem;
pub(crate) mod poison;
pub(crate) mod pool;
