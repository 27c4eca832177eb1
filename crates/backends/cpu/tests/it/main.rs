//! The tests of the crate, one program.
mod bound_blocks;
mod in_place;
mod index;
#[cfg(debug_assertions)]
mod inside;
mod linalg;
mod memory;
mod one_plan;
mod order;
mod outside_rows;
mod parts;
mod products;
mod programs;
