//! What a function is compiled into, for every engine: a [`plan`] of steps over slots and storages, with fused
//! [`region`]s cut into phases, which run over iteration [`space`]s. None of them knows an
//! engine, nor runs anything; an engine keeps what it makes of steps by their numbers.
//!
//! For those who write engines: what is here changes with the engines, not with the language.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod plan;
pub mod region;
pub mod space;
