//! Ops along an axis whose order counts: running reductions.
mod cumulative;
mod derive;

pub use cumulative::{CUMLOGSUMEXP, CUMMAX, CUMMIN, CUMPROD, CUMSUM};

use crate::op::Family;

/// The rows.
pub static FAMILY: Family = &[&CUMSUM, &CUMPROD, &CUMMAX, &CUMMIN, &CUMLOGSUMEXP];
