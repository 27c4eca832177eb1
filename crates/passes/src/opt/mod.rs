//! Optimisations that change no bit that TFIR §5 fixes.
pub mod apart;
pub mod chains;
pub mod cse;
pub mod dce;
pub mod fold;
pub mod functions;
pub mod halo;
pub mod hoist;
pub mod inline;
pub mod licm;
pub mod outer;
pub mod pads;
pub mod raise;
pub mod recompute;
pub mod short;
pub mod simplify;
pub mod unroll;
