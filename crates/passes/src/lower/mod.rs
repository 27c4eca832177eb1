//! What backends ask for.
pub mod fuse;
pub mod widen;
