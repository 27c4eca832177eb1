//! How far a run is, for those who watch it from another thread.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Trips of the loop that runs and is inside of no other.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counts>);
#[derive(Debug, Default)]
struct Counts {
    loops: AtomicU64,
    trips: AtomicU64,
    /// Trips that there will be; 0 where that is not known.
    of: AtomicU64,
}
/// What a [`Progress`] shows at one time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// How many loops have begun so far.
    pub loops: u64,
    /// Trips that the last one has made.
    pub trips: u64,
    /// How many it will make, where that is known before.
    pub of: Option<u64>,
}
// Counts are looked at by people: that one of them is a moment older than another matters to nobody.
impl Progress {
    /// A loop begins.
    pub fn begin(&self, of: Option<u64>) {
        self.0.trips.store(0, Ordering::Relaxed);
        self.0.of.store(of.unwrap_or(0), Ordering::Relaxed);
        self.0.loops.fetch_add(1, Ordering::Relaxed);
    }
    /// It has made so many trips.
    #[inline]
    pub fn reach(&self, trips: u64) {
        self.0.trips.store(trips, Ordering::Relaxed);
    }
    /// Where it is.
    pub fn now(&self) -> Reached {
        let get = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let of = get(&self.0.of);
        Reached { loops: get(&self.0.loops), trips: get(&self.0.trips), of: (of > 0).then_some(of) }
    }
}
