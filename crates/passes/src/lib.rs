//! Passes: pipelines over modules, derivatives, optimisation, lowering. No pass names an op: rows say what they need.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod ad;
pub mod batch;
mod error;
mod journal;
pub mod lower;
pub mod manager;
pub mod opt;
mod rewrite;

pub use ad::Memo;
pub use error::PassError;
pub use journal::Change;
pub use manager::{PASSES, Pass, Pipeline, Report, level, nothing, plain};

/// What is tested from inside stands beside the code, is compiled with it where assertions are, and is run by `tests/it`.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod inside {
    pub use crate::opt::raise::find::tests as trips;
}
