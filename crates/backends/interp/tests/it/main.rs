//! The tests of the crate, one program.
mod interp;
