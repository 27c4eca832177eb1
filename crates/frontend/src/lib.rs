//! The text format, data files, and how diagnostics are shown.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#[cfg(feature = "data")]
pub mod data;
pub mod render;
pub mod source;
pub mod text;
