//! Fused regions: scalar values over loops, some of which reductions fold, and their cut into phases.
pub(crate) mod body;
pub(crate) mod contract;
pub(crate) mod phases;
