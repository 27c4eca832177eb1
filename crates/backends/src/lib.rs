//! (being written)
mod assertion;
pub mod choice;
pub mod cpu;
pub mod interp;
mod jit;
mod limit;
mod linalg;
pub mod scalar;
pub mod vmath;
