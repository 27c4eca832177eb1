//! The tests of the crate, one program.
mod budget;
mod hoist;
mod scalar_rows;
mod slopes;
