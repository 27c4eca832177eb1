//! Front ends of the toolchain: the text format, StableHLO text, data files, and how diagnostics are shown.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#[cfg(feature = "data")]
pub mod data;
pub mod render;
pub mod stablehlo;
pub mod text;
