//! A plan at work: the frame of a call, steps one by one, and the same bound to sizes that stay and replayed on addresses.
pub(crate) mod clock;
pub(crate) mod control;
pub(crate) mod direct;
pub(crate) mod frame;
pub(crate) mod replay;
pub(crate) mod replay_loop;
pub(crate) mod step;
