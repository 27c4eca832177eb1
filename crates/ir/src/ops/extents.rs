//! Extents and run-time checks.
use crate::op::*;
/// The rows.
pub static FAMILY: Family = &[];
