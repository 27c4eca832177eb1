//! (being written)
pub mod cpu;
pub mod interp;
pub mod scalar;
pub mod vmath;
