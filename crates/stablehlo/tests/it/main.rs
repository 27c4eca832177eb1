//! The tests of the crate, one program.
mod damaged;
mod suite;
