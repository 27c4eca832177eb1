//! Programs on devices that have memory of their own. A function is planned as for every engine (`tfc-plan`); each fused region of
//! the plan, and each step with a kernel, becomes a kernel in the language of a [dialect](dialect::Dialect): CUDA C, WGSL. What a
//! dialect does not say stands here: frames and memory of a call, loops and branches that the host decides, which walk a region takes
//! with these extents and strides, how many threads.
//!
//! * **Text knows no sizes.** Extents and strides are arguments of kernels, so that one text serves every call; two regions
//!   with the same body are one kernel.
//! * **A device is a trait** ([`device::Device`]): memory, copies, launches.
//! * **Nothing falls back.** What has no kernel is an error before anything runs.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod backend;
pub mod device;
pub mod dialect;
pub mod libraries;
pub mod program;
pub mod region;
pub mod rehearsal;
pub mod resident;
pub mod run;
pub mod steps;
pub mod text;
