//! Front ends of the toolchain: the text format, data files, and how diagnostics are shown.
#[cfg(feature = "data")]
pub mod data;
pub mod render;
pub mod text;
