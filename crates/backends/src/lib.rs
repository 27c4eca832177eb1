//! (being written)
mod assertion;
pub mod cpu;
pub mod interp;
pub mod scalar;
pub mod vmath;
