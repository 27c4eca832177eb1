//! The tests of the crate, one program.
mod budget;
mod einsum_spec;
mod elementwise;
mod extent;
mod hash;
mod lists;
mod printed_names;
mod rows;
mod shape_rows;
mod shape_simplify;
mod small;
mod storage;
mod tensor_values;
mod words;
