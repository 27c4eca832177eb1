//! Checks of op rows, for the tests of whoever writes one: [`check_rows`] holds what each row says against what engines,
//! derivatives and batching make of it, reports every fault with the row's name, and needs nothing of a row but the row.
//! What a row is excused from is a list with reasons that the caller passes in ([`Exceptions`]); an entry that is not
//! needed is a fault as well.
//!
//! Besides, what generators of test programs share: [`Rng`], closeness of tensors, functions built again with other extents.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod again;
mod batch;
mod branches;
mod changes;
mod complete;
mod context;
mod derivatives;
mod engines;
mod extents;
mod laws;
mod layouts;
mod needs;
mod report;
mod rng;
pub mod samples;
pub mod tensors;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tfc_api::Kernels;
use tfc_ir::{OpDef, OpSet};

use context::{Cx, Found};
pub use laws::Ran;
pub use needs::Need;
pub use report::{Fault, Part, Report, Sweep};
pub use rng::Rng;

/// Rows by name, each with the reason why it is listed.
pub type Listed<'a> = &'a [(&'a str, &'a str)];
/// A row, a test of what one of its ops took and gave, and why its law leaves such results open.
pub type LeftOpen<'a> = (&'a str, fn(&Ran) -> bool, &'a str);

/// What rows are excused from, and why.
#[derive(Clone, Copy, Default)]
pub struct Exceptions<'a> {
    /// Rows without a sample.
    pub no_sample: Listed<'a>,
    /// Rows whose derivative is, by intent, not that of what they compute.
    pub other_derivative: Listed<'a>,
    /// Rows with a rule for many indices at once that refuses wherever their operands depend on the index.
    pub never_batched: Listed<'a>,
    /// Rows whose rule for many indices refuses some operands.
    pub partly_batched: Listed<'a>,
    /// Rows that add and multiply in an order of their own for many indices: the results are close, and need not have the
    /// same bits.
    pub other_order: Listed<'a>,
    /// Results of which a law does not say every element.
    pub left_open: &'a [LeftOpen<'a>],
    /// Rows that need some extent exact: the row, how the extent was not (`symbols`, `existentials`) with the code of the
    /// refusal, and why.
    pub exact: &'a [(&'a str, &'a str, &'a str)],
}
impl<'a> Exceptions<'a> {
    /// The names of all rows that are listed.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        let plain = [self.no_sample, self.other_derivative, self.never_batched, self.partly_batched, self.other_order];
        let others = self.left_open.iter().map(|x| x.0).chain(self.exact.iter().map(|x| x.0));
        plain.into_iter().flatten().map(|x| x.0).chain(others)
    }
}
/// What [`check_rows`] is to do.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The rows that are checked; every row of the set where there are none.
    pub rows: &'a [&'static OpDef],
    /// The sweeps that are run.
    pub sweeps: &'a [Sweep],
    /// What rows are excused from.
    pub exceptions: Exceptions<'a>,
}
impl Default for Asked<'_> {
    /// Every sweep over every row, without an excuse.
    fn default() -> Self {
        Asked { rows: &[], sweeps: &Sweep::ALL, exceptions: Exceptions::default() }
    }
}

/// Runs sweeps over rows of `ops`, a set that holds the built-in families, with these kernels. It goes on after a fault,
/// also after a panic of a rule; the report is the same whatever the number of threads that share the work.
pub fn check_rows(ops: &OpSet, kernels: &Kernels, asked: &Asked) -> Report {
    let cx = Cx { ops: Arc::new(ops.clone()), kernels, exceptions: &asked.exceptions };
    let rows: Vec<_> = if asked.rows.is_empty() { ops.iter().collect() } else { asked.rows.to_vec() };
    let jobs: Vec<_> = asked.sweeps.iter().flat_map(|&s| rows.iter().map(move |&def| (s, def))).collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(sweep, def)) = jobs.get(i) else { return };
            let mut found = Found::default();
            if catch_unwind(AssertUnwindSafe(|| sweep.run(&cx, def, &mut found))).is_err() {
                found.fault("it panics: standard error says where");
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(i, found);
        }
    };
    std::thread::scope(|s| {
        for _ in 1..std::thread::available_parallelism().map_or(1, usize::from) {
            s.spawn(work);
        }
        work();
    });
    let mut report = Report::default();
    asked.exceptions.names().filter(|name| ops.get(name).is_none()).for_each(|name| report.unknown(name));
    for (i, found) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        report.add(jobs[i].0, jobs[i].1, found);
    }
    report
}
