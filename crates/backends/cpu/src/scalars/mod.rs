//! Arithmetic on single numbers: programs without loops, and loops whose whole trip is one.
pub(crate) mod loops;
pub(crate) mod program;
pub(crate) mod trips;
