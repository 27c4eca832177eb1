//! Fused regions on this machine: tapes that run tile by tile out of L1, their binding to extents and strides, and the code
//! that stands in for them.
pub(crate) mod bind_rows;
pub(crate) mod blocks;
pub(crate) mod bound;
pub(crate) mod code;
pub(crate) mod fold;
pub(crate) mod program;
pub(crate) mod row_code;
pub(crate) mod rows;
pub(crate) mod tape;
pub(crate) mod tiles;
