//! What was asked of rows, and what was found wrong.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use tfc_ir::{DType, OpDef};

use crate::context::{Cx, Found};
use crate::{batch, branches, changes, complete, derivatives, engines, extents, laws};

/// One thing that is asked of every row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sweep {
    /// It is documented and says why it lacks what it lacks; its samples are built, verify, print, read back as what they
    /// are, and every backend compiles them.
    Complete,
    /// `jvp` agrees with central differences, `vjp` with `jvp`, and both leave the results bit for bit; on `f64` and `c64`
    /// the same once more for `jvp` of `jvp`.
    Derivatives,
    /// Every backend gives what the interpreter gives: as written, lowered and optimised, for each layout of the operands,
    /// with one and two threads; by the engine that `TFC_CPU` chooses for the process.
    Engines,
    /// A function for many indices gives what the function gives at each, wherever the batch axes are; and for no index.
    Batch,
    /// Where the row has a law: results of every backend keep it, on samples and hard cases.
    Laws,
    /// Where the row has a law: whatever element of a result is changed, a clause says so.
    Changes,
    /// Samples with symbols, then with existentials, in place of exact extents: compiled once, they run at the sample's
    /// sizes, at 0 in place of each and of all, and at larger ones, with results and derivatives of the exact program.
    Extents,
    /// What a `select` did not choose has the derivative 0 in both modes, also where the row is given infinities and NaN; and
    /// the derivative of a sample is the same called, written out, in a branch and in a loop.
    Branches,
}
impl Sweep {
    /// All of them.
    pub const ALL: [Sweep; 8] = [
        Sweep::Complete,
        Sweep::Derivatives,
        Sweep::Engines,
        Sweep::Batch,
        Sweep::Laws,
        Sweep::Changes,
        Sweep::Extents,
        Sweep::Branches,
    ];
    pub(crate) fn run(self, cx: &Cx, def: &'static OpDef, found: &mut Found) {
        let sweep = match self {
            Sweep::Complete => complete::sweep,
            Sweep::Derivatives => derivatives::sweep,
            Sweep::Engines => engines::sweep,
            Sweep::Batch => batch::sweep,
            Sweep::Laws => laws::sweep,
            Sweep::Changes => changes::sweep,
            Sweep::Extents => extents::sweep,
            Sweep::Branches => branches::sweep,
        };
        sweep(cx, def, found);
    }
}

/// Something that a sample does, as far as sweeps look at it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// The interpreter runs it ([`Sweep::Engines`]).
    Interp,
    /// Every other backend does, with the interpreter's results ([`Sweep::Engines`]).
    Others,
    /// It has a forward derivative, that of its values ([`Sweep::Derivatives`]).
    Jvp,
    /// It has a reverse derivative, that of its values ([`Sweep::Derivatives`]).
    Vjp,
    /// Both derivatives of `jvp` as well ([`Sweep::Derivatives`]).
    Second,
    /// A derivative is refused with E0503, since the row says that there is none ([`Sweep::Derivatives`]).
    NoDerivative,
    /// Made with symbols for extents, it runs where one or all of these are 0 ([`Sweep::Extents`]).
    Empty,
    /// The same where it says, with an error, that it has no result there ([`Sweep::Extents`]).
    EmptyRefused,
}

/// Something wrong with a row.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// The row's name.
    pub row: String,
    /// What found it.
    pub sweep: Sweep,
    /// What is wrong, and on which sample.
    pub text: String,
}
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} ({:?}): {}", self.row, self.sweep, self.text)
    }
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Every fault, by sweep, then in the order of the rows.
    pub faults: Vec<Fault>,
    cases: BTreeMap<(Sweep, &'static str), usize>,
    counts: BTreeMap<&'static str, usize>,
    ran: BTreeSet<(&'static str, DType, Part)>,
}
impl Report {
    pub(crate) fn add(&mut self, sweep: Sweep, def: &'static OpDef, found: Found) {
        self.faults.extend(found.faults.into_iter().map(|text| Fault { row: def.name.into(), sweep, text }));
        *self.cases.entry((sweep, def.name)).or_default() += found.cases;
        self.ran.extend(found.ran.into_iter().map(|(dtype, part)| (def.name, dtype, part)));
        for (what, n) in found.counts {
            *self.counts.entry(what).or_default() += n;
        }
    }
    /// A list of excuses names a row that is not there.
    pub(crate) fn unknown(&mut self, name: &str) {
        let text = "it is listed, and there is no such row".into();
        self.faults.push(Fault { row: name.into(), sweep: Sweep::Complete, text });
    }
    /// How many cases a sweep looked at: samples with their seeds, functions for many indices, ops with a law.
    pub fn cases(&self, sweep: Sweep) -> usize {
        self.cases.iter().filter(|c| c.0.0 == sweep).map(|c| c.1).sum()
    }
    /// Whether some sample of that row and dtype did this, and was right.
    pub fn ran(&self, row: &str, dtype: DType, part: Part) -> bool {
        self.ran.iter().any(|r| *r == (row, dtype, part))
    }
    /// How many of them were of that row.
    pub fn cases_of(&self, sweep: Sweep, row: &str) -> usize {
        self.cases.iter().filter(|c| c.0 == &(sweep, row)).map(|c| c.1).sum()
    }
    /// What a sweep counted besides: [`Sweep::Extents`] `axes`, of them `axes that stay exact`, and `second derivatives`.
    pub fn count(&self, what: &str) -> usize {
        self.counts.get(what).copied().unwrap_or(0)
    }
}
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let cases: usize = self.cases.values().sum();
        write!(f, "{} faults in {cases} cases", self.faults.len())?;
        self.faults.iter().try_for_each(|x| write!(f, "\n{x}"))
    }
}
