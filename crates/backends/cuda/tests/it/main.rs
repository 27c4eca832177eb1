//! The tests of the crate, one program.
mod bodies;
mod common;
mod driver;
mod host;
#[cfg(debug_assertions)]
mod inside;
mod nvrtc;
mod rows;
mod scalar;
mod scale;
mod small;
mod text;
mod walks;
