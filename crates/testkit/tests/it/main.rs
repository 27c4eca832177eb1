//! The tests of the crate, one program.
mod batched_rules;
mod broken_rows;
mod checked;
mod core_rows;
mod eager_rows;
mod einsum;
mod elements;
mod exported;
mod generated;
mod judge;
mod mutated;
mod outside_regions;
mod polymorphic;
mod table;
mod typed;
mod zeros;
