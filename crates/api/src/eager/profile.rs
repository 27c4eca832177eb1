//! Where the time goes: a line an op.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The calls of one op while the profile was on.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OpProfile {
    /// The op's name; with ` (backward)` or ` (tangent)` behind it, its derivative's.
    pub name: String,
    /// How often it ran.
    pub calls: u64,
    /// The time of all its calls together, plans that had to be compiled included.
    pub total: Duration,
}
impl std::fmt::Display for OpProfile {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:12.3?} {:9} calls  {}", self.total, self.calls, self.name)
    }
}
/// What is done with an op.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Forward,
    Backward,
    Tangent,
}
#[derive(Default)]
pub(super) struct Profile {
    on: AtomicBool,
    ops: Mutex<BTreeMap<(&'static str, Kind), (u64, Duration)>>,
}
impl Profile {
    pub(super) fn set(&self, on: bool) {
        self.on.store(on, Relaxed);
    }
    /// Runs `f`, and counts its time where that is wanted.
    #[inline]
    pub(super) fn time<R>(&self, name: &'static str, kind: Kind, f: impl FnOnce() -> R) -> R {
        if !self.on.load(Relaxed) {
            return f();
        }
        let at = Instant::now();
        let r = f();
        let mut ops = self.ops.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = ops.entry((name, kind)).or_default();
        *entry = (entry.0 + 1, entry.1 + at.elapsed());
        r
    }
    /// What was counted, the longest first, and from now on anew.
    pub(super) fn take(&self) -> Vec<OpProfile> {
        let ops = std::mem::take(&mut *self.ops.lock().unwrap_or_else(PoisonError::into_inner));
        let line = |((name, kind), (calls, total)): ((&str, Kind), _)| {
            let of = match kind {
                Kind::Forward => "",
                Kind::Backward => " (backward)",
                Kind::Tangent => " (tangent)",
            };
            OpProfile { name: format!("{name}{of}"), calls, total }
        };
        let mut all: Vec<OpProfile> = ops.into_iter().map(line).collect();
        all.sort_by_key(|p| std::cmp::Reverse(p.total));
        all
    }
}
