//! The tests of the crate, one program.
mod cases;
mod common;
mod mesh;
mod plugin;
