//! Factorisations of real matrices on the vector units of this machine: faster than the library's on matrices of a few
//! hundred rows or less, and backward stable at any rank.
//!
//! Everything runs on the calling thread, in memory that the caller gives, and reads its operand into columns of its own
//! first: bits depend neither on threads nor on strides, nor on the instruction set.
#![expect(clippy::neg_cmp_op_on_partial_ord, reason = "a NaN has to fail these tests")]
mod bidiag;
mod kern;
mod loops;
pub(crate) mod qr;
mod reduce;
mod reflect;
pub(crate) mod svd;
#[cfg(debug_assertions)]
pub mod tests;

pub(crate) use kern::Real;
