//! Programs as StableHLO text; the page of the crate says what holds.
mod cx;
mod known;
mod literal;
mod ops;
mod partial;
mod polymorphic;
mod shard;
mod sizes;
mod specialise;
mod table;
mod ty;
mod walk;
mod writer;

pub use cx::Cx;
pub use partial::{extents, narrowed};
pub use polymorphic::export_polymorphic;
pub use shard::{Shardings, Side};
pub use specialise::specialise;
pub use table::{Fill, Neutral, Partial, Spell, Spelling, Spellings};
pub use ty::Ty;
pub use writer::{Block, Val, Writer};

use tfc_ir::{Code, FuncId, Module, Result, Span};
use tfc_passes::{PassError, Pipeline};

/// What becomes of checks and prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Checks {
    /// A program that has them is refused (`E1105`).
    #[default]
    Refuse,
    /// Each is one more result of `@main`: an `i1` that is true where the check holds, or the value that is printed.
    Results,
}
/// What becomes of extents that values decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dynamic {
    /// A program that has them is refused (`E1102`).
    #[default]
    Refuse,
    /// Axes are as long as they can get, with zeros behind what counts in results of `@main`. Each extent is one more result, an
    /// `i64[]`, behind its own.
    Mask,
    /// The same inside; results of `@main` say themselves how large they are, by `set_dimension_size` and `#stablehlo.bounds`.
    Bounds,
}
/// What may be chosen.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What becomes of checks and prints.
    pub checks: Checks,
    /// What becomes of extents that values decide.
    pub dynamic: Dynamic,
}

/// Replaces composites that have no spelling of their own by what they are made of; whether there were any.
///
/// # Errors
/// What expansions report.
pub fn lower(m: &mut Module, table: &Spellings) -> std::result::Result<bool, PassError> {
    let expanded = tfc_passes::ad::expand_composites_but(m, &|row| table.of(row).is_some())?;
    // What one op of StableHLO says has small dtypes as it is; what takes several is rounded at its end only.
    let widened = tfc_passes::lower::widen::widen_but(m, &|row| matches!(table.of(row), Some(Spelling::Is(_))))?;
    Ok(expanded || widened)
}

/// Makes a module ready for [`export`] at an optimisation level from 0 to 2: derivatives are taken, composites lowered, and
/// above 0 what is left is cleaned up.
///
/// # Errors
/// What passes report.
pub fn prepare(m: &mut Module, level: u8, table: &Spellings) -> std::result::Result<(), PassError> {
    let (first, then) = match level {
        0 => ("raise-functions,expand-ad", ""),
        1 => ("raise-loops,raise-functions,expand-ad", "inline,fold,cse,dce"),
        _ => ("raise-loops,raise-functions,expand-ad", "inline,fold,simplify,cse,dce"),
    };
    Pipeline::parse(first)?.run(m, &mut |_| {})?;
    lower(m, table)?;
    Pipeline::parse(then)?.run(m, &mut |_| {})?;
    Ok(())
}

/// The function as a StableHLO module, whose `@main` it is. Derivatives have been taken (see [`prepare`]).
///
/// # Errors
/// `E1101` an extent that nobody has given, `E1102` one that values decide, `E1103` an op that is not exported, `E1104` a
/// condition on extents that does not hold, `E1105` a check or a print that is refused, `E1120` an extent that values decide without
/// a bound, `E1121` an op that needs the whole of an axis of such an extent, `E0717` data that have not been loaded.
/// The error's span is the statement's.
pub fn export(m: &Module, root: FuncId, table: &Spellings, options: &Options) -> Result<String> {
    Ok(export_said(m, root, table, options)?.0)
}

/// The same for many devices: a mesh, and parameters and results of `@main` that are cut along its axes, by Shardy's attributes,
/// whatever the program says of them. (What it says itself is exported by [`export`] too.) XLA's partitioner does the rest.
///
/// # Errors
/// As [`export`]; `E1124` a sharding of something that is neither parameter nor result, `E1125` one that does not fit its value.
pub fn export_sharded(
    m: &Module,
    root: FuncId,
    table: &Spellings,
    options: &Options,
    shardings: &Shardings,
) -> Result<String> {
    Ok(export_sharded_said(m, root, table, options, Some(shardings))?.0)
}

/// A result of `@main` besides the program's own ([`Checks::Results`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// An `i1` that is true where the check holds.
    Check {
        /// The code of the error that it is where it does not hold.
        code: Code,
        /// What that error says.
        message: String,
        /// The statement.
        span: Option<Span>,
    },
    /// What is printed.
    Print {
        /// What it is called.
        label: String,
    },
}
/// The same, with what the results behind the program's own, and behind its extents, say; in the order of the program.
///
/// # Errors
/// As [`export`].
pub fn export_said(m: &Module, root: FuncId, table: &Spellings, options: &Options) -> Result<(String, Vec<Said>)> {
    export_sharded_said(m, root, table, options, None)
}
/// The same for many devices, where there are shardings.
///
/// # Errors
/// As [`export_sharded`].
pub fn export_sharded_said(
    m: &Module,
    root: FuncId,
    table: &Spellings,
    options: &Options,
    shardings: Option<&Shardings>,
) -> Result<(String, Vec<Said>)> {
    let shardings = Shardings::of(m, root, shardings)?;
    let (text, outcomes) = walk::module(m, root, table, options, shardings.as_ref())?;
    let said = outcomes.into_iter().map(|o| match o.code {
        None => Said::Print { label: o.text },
        Some(code) => Said::Check { code, message: o.text, span: o.span },
    });
    Ok((text, said.collect()))
}
