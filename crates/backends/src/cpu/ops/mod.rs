//! Ops with an algorithm of their own, one file a family: how it enters a plan, and what runs.
pub(crate) mod cumulative;
pub(crate) mod gather;
pub(crate) mod linalg;
pub(crate) mod positions;
pub(crate) mod precision;
mod radix;
pub(crate) mod scatter;
pub(crate) mod sort;
mod sort_key;
