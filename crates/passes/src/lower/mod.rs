//! What backends ask for.
pub mod fuse;
