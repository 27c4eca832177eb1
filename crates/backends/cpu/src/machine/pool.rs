//! Threads: an explicit handle, no global state. A pool starts only when a step has enough work to share, so programs on
//! small tensors never pay for one. Work is cut by the caller into pieces that do not depend on the thread count.
use std::num::NonZeroUsize;
use std::sync::OnceLock;

use faer::Par;
use rayon::prelude::*;

use super::denormal::Flush;

/// Work below this many nanoseconds (estimated) stays on the calling thread.
pub(crate) const THRESHOLD_NS: u64 = 100_000;

/// How many threads may work, and the pool once it is needed.
#[derive(Debug)]
pub(crate) struct Pool {
    threads: usize,
    /// Whether the pool's threads, and the one that hands them work, flush denormal numbers to zero.
    flush: bool,
    pool: OnceLock<Option<rayon::ThreadPool>>,
}
impl Pool {
    /// A handle for as many threads as [`crate::threads_of`] says.
    pub(crate) fn new(threads: usize) -> Pool {
        let threads = crate::threads_of(threads);
        Pool { threads, flush: false, pool: OnceLock::new() }
    }
    /// A pool whose threads flush denormal numbers to zero if `flush`, as the caller has to.
    pub(crate) fn flushing(self, flush: bool) -> Pool {
        Pool { flush, ..self }
    }
    /// Whether denormal numbers are flushed to zero.
    pub(crate) fn flushes(&self) -> bool {
        self.flush
    }
    /// How many threads may work.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }
    /// Whether work of this length is shared.
    pub(crate) fn shares(&self, work_ns: u64) -> bool {
        self.threads > 1 && work_ns >= THRESHOLD_NS
    }
    /// Hands work to the pool and waits. While a thread of another pool waits, it may be lent to work that has nothing to do
    /// with this: that finds the usual arithmetic.
    fn hand<R: Send>(&self, p: &rayon::ThreadPool, f: impl FnOnce() -> R + Send) -> R {
        let _usual = self.flush.then(Flush::off);
        p.install(f)
    }
    fn get(&self) -> Option<&rayon::ThreadPool> {
        let flush = self.flush;
        let start = move |_| {
            if flush {
                // Its threads run nothing but this pool's work: for as long as they live.
                std::mem::forget(Flush::on());
            }
        };
        let make = || rayon::ThreadPoolBuilder::new().num_threads(self.threads).start_handler(start).build().ok();
        if self.threads <= 1 { None } else { self.pool.get_or_init(make).as_ref() }
    }
    /// Calls `f(0) … f(pieces - 1)`, in order on this thread or shared where `work_ns` is worth it.
    pub(crate) fn run(&self, pieces: usize, work_ns: u64, f: impl Fn(usize) + Sync) {
        match if pieces > 1 && work_ns >= THRESHOLD_NS { self.get() } else { None } {
            None => (0..pieces).for_each(f),
            Some(p) => self.share(p, pieces, &f),
        }
    }
    /// One loop of rayon's for every closure: of a loop for each, this crate would compile a hundred.
    fn share(&self, p: &rayon::ThreadPool, pieces: usize, f: &(dyn Fn(usize) + Sync)) {
        self.hand(p, || (0..pieces).into_par_iter().for_each(f));
    }
    /// Calls `f` with the parallelism it may hand to a library whose bits do not depend on it.
    pub(crate) fn library<R: Send>(&self, work_ns: u64, f: impl FnOnce(Par) -> R + Send) -> R {
        match if work_ns >= THRESHOLD_NS { self.get() } else { None } {
            None => f(Par::Seq),
            Some(p) => self.hand(p, || f(Par::Rayon(NonZeroUsize::new(self.threads).unwrap_or(NonZeroUsize::MIN)))),
        }
    }
}
