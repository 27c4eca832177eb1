//! What is known of rows: how each is spelled, by the row itself. A family from outside adds its own lines.
use tfc_backends::kernels::Table;
use tfc_ir::{OpDef, Result};

use crate::cx::Cx;
use crate::ops;
use crate::writer::Val;

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

/// Spellings by row. What has none and is a composite is exported by its expansion.
#[derive(Clone, Debug)]
pub struct Spellings(Table<Spelling>);
impl Default for Spellings {
    /// Those of the built-in families.
    fn default() -> Self {
        let mut all = Table::default();
        for family in ops::FAMILIES {
            for (row, how) in *family {
                all.set(row, *how);
            }
        }
        Spellings(all)
    }
}
impl Spellings {
    /// With the spelling of one more row, or another of a row.
    pub fn with(mut self, row: &'static OpDef, how: Spelling) -> Spellings {
        self.0.set(row, how);
        self
    }
    /// How ops of a row are exported, if anything says so.
    pub fn of(&self, row: &OpDef) -> Option<Spelling> {
        self.0.get(row).copied()
    }
}
