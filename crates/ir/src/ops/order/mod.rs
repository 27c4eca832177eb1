//! Ops along an axis whose order counts: running reductions, `sort`, `top_k`, `unique`.
mod cumulative;
mod derive;
mod distinct;
mod keyed;
pub(crate) mod laws;
mod permute;
mod sort;
mod top;

pub(crate) use cumulative::running;
pub use cumulative::{CUMLOGSUMEXP, CUMMAX, CUMMIN, CUMPROD, CUMSUM};
pub use distinct::UNIQUE;
pub use sort::{SORT, sort_axis, sort_keys};
pub use top::TOP_K;

use crate::op::Family;

/// The rows.
pub static FAMILY: Family = &[&CUMSUM, &CUMPROD, &CUMMAX, &CUMMIN, &CUMLOGSUMEXP, &SORT, &TOP_K, &UNIQUE];
