//! What a function is compiled into, for every engine: a [`plan`] of steps over slots and storages, with fused
//! [`region`]s cut into phases; what one call of it knows of extents and strides is in [`sizes`]. None of them knows an
//! engine, nor runs anything; an engine keeps what it makes of steps by their numbers, and its kernels in a table by
//! row ([`kernels`]).
//!
//! For those who write engines: what is here changes with the engines, not with the language.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod kernels;
pub mod plan;
pub mod region;
pub mod sizes;
