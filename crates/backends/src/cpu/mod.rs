//! The CPU engine: programs compiled once into plans over numbered slots, run for every value of their symbolic extents.
mod copy;
mod ew;
mod fold;
mod gemm;
mod index;
mod mem;
mod pool;
mod region;
mod space;
#[cfg(test)]
mod tests;
mod walk;

use tfc_ir::{DType, Error};

fn unsupported(d: DType) -> Error {
    Error::new("E0801", format!("the CPU backend does not compute with `{d}`"))
}
