//! The tests of the crate, one program.
mod text_names;
mod text_syntax;
