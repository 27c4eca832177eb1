//! StableHLO text, both ways: [`parse_module`] reads a program that JAX or another front end wrote, op by op from a table, and
//! [`export`] writes one for XLA and whatever else reads it (jaxlib, PJRT plugins, IREE).
//!
//! [`export`] turns one function of a verified module, with all that it calls, into a module whose `@main` it is. Before that,
//! [`prepare`] takes derivatives and replaces composites by what they are made of, but for those that StableHLO has itself.
//!
//! * **Shapes are known.** Every extent must have a number by the time it is written: symbols are bound (`--bind n=4`), and
//!   each function is written once for the extents that it is called with. An extent that values decide is refused by the name
//!   of what binds it (`E1102`), unless it is asked for ([`Dynamic`]): then axes are as long as they can get, what counts stands first,
//!   and a table by row says what is done with the rest ([`Partial`]). A condition on extents that does not hold is said at once
//!   (`E1104`).
//! * **A spelling is an entry of a table by row** ([`Spellings`]): the name of a StableHLO op, or a function that writes
//!   statements by [`Cx`], which offers one method a StableHLO op. No op is named outside of the tables, and a family from
//!   outside adds lines of its own.
//! * **Meaning is this language's.** Tensors are logical on both sides; where the two differ (the order of `reshape`, NaN in a
//!   sort, windows outside of an operand, the side on which batch axes stand) statements make up for it.
//! * **What fails or prints** has no counterpart. It is refused by name, or becomes results of `@main` besides its own, each
//!   named in its `jax.result_info` ([`Checks`]).
//!
//! The text is what jax 0.10.2 would write: StableHLO 1.17, of which nothing is used that 1.13 lacks, and CHLO for functions
//! that StableHLO has not. Values keep their names.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod read;
mod spelling;
mod write;

pub use read::*;
pub use write::*;
