//! Fused regions: scalar values over loops, some of which reductions fold, and their cut into phases.
pub mod body;
pub mod contract;
pub mod phases;
