//! The tests of the crate, one program.
mod elementwise;
mod printed_names;
mod rows;
mod shape_rows;
mod shape_simplify;
mod tensor_values;
