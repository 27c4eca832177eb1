//! What one call knows of sizes: values of extents, shapes and strides that follow from them, loops over strided operands,
//! and what assertions of a program say when they fail.
pub mod check;
pub mod shapes;
pub mod space;
