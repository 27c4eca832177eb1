//! Programs on any GPU that Vulkan, Metal, Direct3D 12 or WebGPU reach. A function is planned as for every engine, and what its regions
//! and steps do is written as WGSL ([`text`]); cubecl has the devices, their memory and their queues
//! (`device`, with the feature `adapters`).
//!
//! Numbers are `f32 i32 u32 bool`, `i64 u64` as two words, `c32` as two floats: what every adapter has. Everything else is refused by
//! name. Frames, loops, branches and walks are those of every device (`tfc-device`).
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod backend;
#[cfg(feature = "adapters")]
pub mod device;
pub mod ops;
pub mod text;

pub use backend::Gpu;
