//! What is known of rows: how each is spelled, by the row itself. A family from outside adds its own lines.
use tfc_engine::table::Table;
use tfc_ir::op::Batch;
use tfc_ir::{OpDef, Result};

use crate::spelling::BOTH_WAYS;
use crate::write::cx::Cx;
use crate::write::ops;
use crate::write::writer::Val;

/// Writes an op; gives its results.
pub type Spell = fn(&mut Cx) -> Result<Vec<Val>>;

/// How ops of a row are exported.
#[derive(Clone, Copy, Debug)]
pub enum Spelling {
    /// By this StableHLO op, whose operands and result are of one type: `stablehlo.add`, `chlo.erf`.
    Is(&'static str),
    /// By statements that this writes.
    By(Spell),
    /// Not: why, as a message goes on behind “`op`:”.
    Refused(&'static str),
}

/// What an op does with axes of which only a beginning counts, as long as values say (`--dyn`): what stands behind it is anything.
#[derive(Clone, Copy, Debug)]
pub enum Partial {
    /// No element that counts depends on one that does not: nothing has to be done.
    Alone,
    /// Elements meet along some axes of operands. What does not count there is replaced first, by what changes nothing.
    Filled(fn(&Cx, usize) -> Fill),
    /// These axes of operands have to be exact; elements do not meet along the others.
    Exact(fn(&Cx, usize) -> Vec<usize>),
    /// By other statements.
    By(Spell),
}
/// Axes of an operand, and what changes nothing along them.
#[derive(Clone, Debug)]
pub struct Fill {
    /// The axes along which elements meet.
    pub axes: Vec<usize>,
    /// What is put there.
    pub with: Neutral,
}
/// An element that changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Neutral {
    /// 0.
    Zero,
    /// 1.
    One,
    /// Every bit.
    Ones,
    /// The least number.
    Least,
    /// The greatest number.
    Greatest,
    /// The identity matrix, of the two leading axes.
    Identity,
}

/// Spellings by row. What has none and is a composite is exported by its expansion.
#[derive(Clone, Debug)]
pub struct Spellings(Table<Spelling>, Table<Partial>);
impl Default for Spellings {
    /// The spellings of the built-in families.
    fn default() -> Self {
        let mut all = Table::default();
        for &(row, op) in BOTH_WAYS {
            all.set(row, Spelling::Is(op));
        }
        for family in ops::FAMILIES {
            for (row, how) in *family {
                all.set(row, *how);
            }
        }
        let mut partial = Table::default();
        for (row, how) in ops::PARTIAL {
            partial.set(row, *how);
        }
        Spellings(all, partial)
    }
}
impl Spellings {
    /// With the spelling of one more row, or another of a row.
    pub fn with(mut self, row: &'static OpDef, how: Spelling) -> Spellings {
        self.0.set(row, how);
        self
    }
    /// With how a row treats axes of which a beginning counts.
    pub fn with_partial(mut self, row: &'static OpDef, how: Partial) -> Spellings {
        self.1.set(row, how);
        self
    }
    /// How a row treats axes of which a beginning counts. What nobody has said of a row that is elementwise is that no element
    /// meets another.
    pub fn partial(&self, row: &OpDef) -> Option<Partial> {
        let alone = matches!(row.batch, Batch::Elementwise).then_some(Partial::Alone);
        self.1.get(row).copied().or(alone)
    }
    /// How ops of a row are exported, if anything says so.
    pub fn of(&self, row: &OpDef) -> Option<Spelling> {
        self.0.get(row).copied()
    }
}
