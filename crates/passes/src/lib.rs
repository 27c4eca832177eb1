//! Passes: pipelines over modules, derivatives, optimisation, lowering. No pass names an op: rows say what they need.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod ad;
pub mod batch;
mod error;
pub mod lower;
pub mod manager;
pub mod opt;
mod rewrite;

pub use ad::Memo;
pub use batch::Batches;
pub use error::PassError;
pub use manager::{PASSES, Pass, Pipeline, Report, level, nothing, plain};
