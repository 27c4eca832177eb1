//! The tests of the crate, one program.
mod complex;
mod outside;
mod page;
mod scalar;
mod vmath;
