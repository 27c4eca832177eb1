//! (being written)
pub mod scalar;
