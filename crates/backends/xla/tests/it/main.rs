//! The tests of the crate, one program.
mod cases;
mod common;
#[cfg(debug_assertions)]
mod inside;
mod mesh;
mod plugin;
