//! The tests of the crate, one program.
mod complex;
#[cfg(debug_assertions)]
mod inside;
mod outside;
mod page;
mod scalar;
mod vmath;
