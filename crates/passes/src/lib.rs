//! Passes: pipelines over modules, derivatives, optimisation, lowering. No pass names an op: rows say what they need.
pub mod ad;
pub mod batch;
pub mod lower;
pub mod manager;
pub mod opt;
mod rewrite;

pub use ad::Memo;
pub use batch::Batches;
pub use manager::{PASSES, Pass, PassError, Pipeline, Report, level};
