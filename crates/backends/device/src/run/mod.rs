//! Running a plan on a device: the frame of a call, its steps one by one. The host decides (extents, branches, trips of loops) and
//! the device computes: the host waits for it only where a decision needs a value.
pub mod control;
pub mod frame;
pub mod graph;
pub mod launch;
mod pending;
pub mod product;
pub mod step;
pub mod walks;
