//! The text format, data files, and how diagnostics are shown.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#[cfg(feature = "data")]
pub mod data;
pub mod render;
pub mod source;
pub mod text;

/// What is tested from inside stands beside the code, is compiled with it where assertions are, and is run by `tests/it`.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod inside {
    #[cfg(feature = "data")]
    pub use crate::data::{
        compare::tests as compare, literal::tests as literal, npy::tests as npy, random::tests as random,
        show::tests as show, spec::tests as spec, storage::tests as storage, tests as files,
        tests_files as damaged_files,
    };
}
