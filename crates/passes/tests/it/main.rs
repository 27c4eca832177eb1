//! The tests of the crate, one program.
mod budget;
mod hoist;
#[cfg(debug_assertions)]
mod inside;
mod scalar_rows;
mod slopes;
