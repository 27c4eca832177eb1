//! What every engine needs and none of them owns: the traits by which the others know engines ([`Backend`], [`Executable`]),
//! options and limits of a run, tables of kernels by row ([`table`]), the extents of a call ([`shapes`]), what assertions of
//! a program say when they fail ([`check`]), and what is said of kernels from outside that do wrong ([`outside`]).
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod backend;
pub mod check;
pub mod outside;
mod printing;
mod profile;
mod progress;
pub mod shapes;
pub mod table;

pub use backend::{Backend, Executable, Limits, Options, Print, Step, Watch};
pub use printing::{Printed, Printing};
pub use profile::{Profile, StepTime};
pub use progress::{Progress, Reached};
