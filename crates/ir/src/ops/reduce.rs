//! Reductions.
use crate::op::*;
/// (stub)
pub static REDUCE_SUM: OpDef = OpDef { name: "reduce_sum", ..OpDef::BASE };
/// The rows.
pub static FAMILY: Family = &[&REDUCE_SUM];
