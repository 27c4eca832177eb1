//! Shape ops.
use crate::op::*;
/// (stub)
pub static BROADCAST_IN_DIM: OpDef = OpDef { name: "broadcast_in_dim", ..OpDef::BASE };
/// (stub)
pub static TRANSPOSE: OpDef = OpDef { name: "transpose", ..OpDef::BASE };
/// (stub)
pub static RESHAPE: OpDef = OpDef { name: "reshape", ..OpDef::BASE };
/// The rows.
pub static FAMILY: Family = &[&BROADCAST_IN_DIM, &TRANSPOSE, &RESHAPE];
