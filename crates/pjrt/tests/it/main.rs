//! The plugin as a client sees it: every call goes through the table of functions.
#![allow(clippy::undocumented_unsafe_blocks, reason = "each is a call by the header's rules")]
mod calls;
mod client;
mod inside;
