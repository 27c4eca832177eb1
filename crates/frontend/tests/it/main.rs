//! The tests of the crate, one program.
#[cfg(debug_assertions)]
mod inside;
mod text_names;
mod text_syntax;
