//! Threads: an explicit handle, no global state. A pool starts only when a step has enough work to share, so programs on
//! small tensors never pay for one. Work is cut by the caller into pieces that do not depend on the thread count.
use std::num::NonZeroUsize;
use std::sync::OnceLock;

use faer::Par;
use rayon::prelude::*;

/// Work below this many nanoseconds (estimated) stays on the calling thread.
pub(crate) const THRESHOLD_NS: u64 = 100_000;

/// How many threads may work, and the pool once it is needed.
#[derive(Debug)]
pub(crate) struct Pool {
    threads: usize,
    pool: OnceLock<Option<rayon::ThreadPool>>,
}
impl Pool {
    /// A handle for that many threads; 0 means as many as the machine offers.
    pub(crate) fn new(threads: usize) -> Pool {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            n => n,
        };
        Pool { threads, pool: OnceLock::new() }
    }
    /// How many threads may work.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }
    /// Is work of this length shared?
    pub(crate) fn shares(&self, work_ns: u64) -> bool {
        self.threads > 1 && work_ns >= THRESHOLD_NS
    }
    fn get(&self) -> Option<&rayon::ThreadPool> {
        let make = || rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().ok();
        if self.threads <= 1 { None } else { self.pool.get_or_init(make).as_ref() }
    }
    /// Calls `f(0) … f(pieces - 1)`, in order on this thread or shared where `work_ns` is worth it.
    pub(crate) fn run(&self, pieces: usize, work_ns: u64, f: impl Fn(usize) + Sync) {
        let pool = if pieces > 1 && work_ns >= THRESHOLD_NS { self.get() } else { None };
        match pool {
            None => (0..pieces).for_each(&f),
            Some(p) => p.install(|| (0..pieces).into_par_iter().for_each(&f)),
        }
    }
    /// Calls `f` with the parallelism it may hand to a library whose bits do not depend on it.
    pub(crate) fn library<R: Send>(&self, work_ns: u64, f: impl FnOnce(Par) -> R + Send) -> R {
        match if work_ns >= THRESHOLD_NS { self.get() } else { None } {
            None => f(Par::Seq),
            Some(p) => p.install(|| f(Par::Rayon(NonZeroUsize::new(self.threads).unwrap_or(NonZeroUsize::MIN)))),
        }
    }
}
