//! Front ends of the toolchain: the text format, data files, and how diagnostics are shown.
pub mod data;
pub mod render;
pub mod text;
