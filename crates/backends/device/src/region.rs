//! Fused regions, and how they may be walked.
//!
//! Without a reduction, the elements are shared out among all threads: one at a time, packs of neighbours at a
//! time, or by tiles that are turned in shared memory where an operand's neighbours lie along another axis. With one, a region
//! is cut into phases (as for every engine) that a kernel runs one after the other for each kept index, by a *team* of threads
//! of a block: a whole block, a part of a warp, a thread, or threads that are 32 apart where kept indices lie side by
//! side in memory. Teams walk a row once a phase; or once for all, with the row in registers; or several teams a part of the
//! row each, whose folds a second kernel folds.
//!
//! Sizes and strides, and how a team is made up, are arguments: which form a call takes is decided where it is launched.
mod forms;

use std::collections::BTreeSet;

use tfc_ir::{Code, DType, Result};
use tfc_plan::region::body::{Node, Role};
use tfc_plan::region::phases::{Cutting, Part};

pub use forms::{Extents, LEAST_ONCE, LEAST_PACKED, LEAST_PARTS, forms};

/// Threads of a block, as a rule. It decides how sums are ordered, and so it is the same for every device.
pub const THREADS: u32 = 256;
/// Chunks of a row in registers beyond which those are scarce: what only one phase has to do with is not held then.
pub const SCARCE: usize = 8;
/// Bytes that one access moves, at most.
pub const PACK: usize = 16;

/// How a region is walked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Walk {
    /// No reduction: a thread an element.
    Elements,
    /// No reduction: a thread some neighbours.
    Packs,
    /// No reduction: a block a tile, whose operands may be turned.
    Tiles,
    /// A team a kept index.
    Teams,
    /// A team a kept index, each thread with so many chunks of the row in registers.
    Once(usize),
    /// Several teams a kept index, one phase; their folds are left in buffers.
    Parts,
    /// What parts have left is folded, and what follows is computed.
    Fold,
}
impl Walk {
    /// Threads of a block, at most. Of 512 each may have 128 registers, of 1024 there are 64.
    pub fn most_threads(self) -> u32 {
        match self {
            Walk::Once(4) => 512,
            Walk::Once(_) => 1024,
            _ => THREADS,
        }
    }
}
/// A kernel of a region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Form {
    /// How it is walked.
    pub walk: Walk,
    /// Loops over kept indices (all loops, without a reduction).
    pub kept: usize,
    /// Loops over reduced indices.
    pub reduced: usize,
}
/// A region to be written.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// Phases of the region.
    pub cutting: &'a Cutting,
    /// Names of its operands.
    pub names: &'a [String],
    /// Element types of its operands.
    pub dtypes: &'a [DType],
    /// Which operands walk a reduced loop (any loop, without a reduction).
    pub full: &'a [bool],
    /// Whether there are so few elements (of a row, where something is reduced), whatever the call, that packs of them are of no
    /// use.
    pub few: bool,
}

/// Names for kernels: what is no letter, digit or `_` becomes `_`; unique, and none that a language of kernels has itself.
pub fn names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    names
        .map(|n| {
            let mut base: String = n.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            // Variables of kernels themselves end in a digit or a letter: operands do not.
            if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
                base.insert(0, 'v');
            }
            base.push('_');
            let mut name = base.clone();
            let mut k = 1;
            while !seen.insert(name.clone()) {
                k += 1;
                name = format!("{base}{k}_");
            }
            name
        })
        .collect()
}

impl Site<'_> {
    /// Number of operands.
    pub fn operands(&self) -> u32 {
        self.cutting.roles.len() as u32
    }
    /// The first number of a kept value.
    pub fn first_kept(&self) -> u32 {
        self.operands() + self.cutting.temps.len() as u32
    }
    /// Element types of the row buffers.
    ///
    /// # Errors
    /// `E0718` where nothing writes one.
    pub fn rows(&self) -> Result<Vec<DType>> {
        let missing = || tfc_ir::Error::bug(Code::E0718, "a row that no phase writes");
        (self.operands()..self.first_kept()).map(|k| self.dtype(k).ok_or_else(missing)).collect()
    }
    /// The element type of an operand, a row or a kept value.
    pub fn dtype(&self, k: u32) -> Option<DType> {
        let mut all = self.cutting.parts.iter().flat_map(|p| p.operands.iter().zip(&p.region.operands));
        all.find(|o| *o.0 == k).map(|o| o.1.dtype)
    }
    /// Whether the operand, or row, differs from element to element of a row.
    pub fn is_full(&self, k: u32) -> bool {
        k < self.first_kept() && self.full.get(k as usize).is_none_or(|&f| f)
    }
    /// Whether the region reduces.
    pub fn reduces(&self) -> bool {
        self.cutting.parts.iter().any(|p| p.region.operands.iter().any(|o| o.role == Role::Reduced))
    }
    /// Phases along whole rows.
    pub fn phases(&self) -> impl Iterator<Item = &Part> {
        self.cutting.parts.iter().filter(|p| !p.kept)
    }
    /// Element types of what the phases fold, in order.
    pub fn folds(&self) -> Vec<DType> {
        let all = self.phases().flat_map(|p| p.region.body.iter().map(move |n| (p, n)));
        all.filter_map(
            |(p, n)| if let Node::Red(_, o, _) = n { Some(p.region.operands[*o as usize].dtype) } else { None },
        )
        .collect()
    }
    /// What is read or written along whole rows, each once, and by how many phases.
    pub fn along(&self) -> Vec<(u32, usize)> {
        let mut all: Vec<(u32, usize)> = vec![];
        for p in self.phases() {
            let here: BTreeSet<u32> = p.operands.iter().copied().filter(|&k| self.is_full(k)).collect();
            let here = here.into_iter().filter(|&k| {
                p.operands.iter().zip(&p.region.operands).any(|(&o, x)| o == k && x.role != Role::Reduced)
            });
            for k in here {
                match all.iter_mut().find(|a| a.0 == k) {
                    Some(a) => a.1 += 1,
                    None => all.push((k, 1)),
                }
            }
        }
        all
    }
    /// Neighbours that an access moves: 16 bytes of the widest elements.
    fn widest_pack(&self) -> usize {
        let widest = self.along().iter().filter_map(|&(k, _)| self.dtype(k)).map(DType::size).max();
        (PACK / widest.unwrap_or(PACK)).max(1)
    }
}
