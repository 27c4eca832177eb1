//! The tests of the crate, one program.
mod arrays;
mod cuda_backend;
mod devices;
mod direct;
mod eager;
mod limits;
mod mapping;
mod ops;
mod traced;
mod trap;
