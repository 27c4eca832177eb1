//! What a piece of work may use: time, memory, steps, ops. One [`Budget`] goes with a program from its text to its
//! results; whoever makes or reads things asks it, and it alone knows what was allowed. A [`Module`](crate::Module)
//! holds one, and the builder asks it for every op, so that no pass and no rule needs a thought for it.
//!
//! Counts, not the machine, decide: of memory, an account of what was asked for is kept ([`Budget::hold`]), and a program
//! is taken for [`BYTES_PER_OP`] bytes an op. So a limit stops the same work at the same place everywhere; only time
//! depends on the machine. Questions cost an atomic load each, and the clock is read only where there is a deadline.
use crate::code::Code;
use crate::diag::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Ops of a module, where nothing else is said.
pub const MOST_OPS: usize = 4_000_000;
/// What an op takes while a program is compiled: itself, its results, and what passes keep of it (measured, rounded up).
pub const BYTES_PER_OP: usize = 1024;
/// A program of so many bytes counts nothing towards a limit on memory, as tfc itself does not.
pub const FREE_BYTES: usize = 16 << 20;

/// How much is allowed; `None` is without limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the making of the budget on (`E0714`).
    pub time: Option<Duration>,
    /// Bytes at one time (`E0715`).
    pub memory: Option<usize>,
    /// Steps of a run (`E0713`).
    pub fuel: Option<u64>,
    /// Ops of a module (`E0720`); one of several results counts as that many.
    pub ops: Option<usize>,
}
impl Default for Limits {
    /// [`MOST_OPS`], and no other limit.
    fn default() -> Limits {
        Limits { time: None, memory: None, fuel: None, ops: Some(MOST_OPS) }
    }
}

/// What is left of [`Limits`]. Clones share it, in any thread.
///
/// ```
/// use tfc_ir::{Budget, Code, Limits};
/// let budget = Budget::new(Limits { memory: Some(1000), ..Limits::default() });
/// let held = budget.hold(800)?;
/// assert_eq!(budget.hold(300).unwrap_err().code(), Code::E0715);
/// drop(held);
/// assert!(budget.hold(300).is_ok());
/// // From another thread:
/// budget.cancel();
/// assert_eq!(budget.check().unwrap_err().code(), Code::E0714);
/// # Ok::<(), tfc_ir::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Budget(Arc<State>);
#[derive(Debug)]
struct State {
    limits: Limits,
    deadline: Option<Instant>,
    /// The smaller of what `ops` and `memory` allow.
    most_ops: usize,
    stopped: AtomicBool,
    bytes: AtomicUsize,
    steps: AtomicU64,
}
impl Default for Budget {
    fn default() -> Budget {
        Budget::new(Limits::default())
    }
}
impl Budget {
    /// Starts the clock.
    pub fn new(limits: Limits) -> Budget {
        let by_memory = limits.memory.map(|m| m.saturating_add(FREE_BYTES) / BYTES_PER_OP);
        Budget(Arc::new(State {
            // A time that the clock cannot show is without end.
            deadline: limits.time.and_then(|t| Instant::now().checked_add(t)),
            most_ops: limits.ops.unwrap_or(usize::MAX).min(by_memory.unwrap_or(usize::MAX)),
            stopped: AtomicBool::new(false),
            bytes: AtomicUsize::new(0),
            steps: AtomicU64::new(0),
            limits,
        }))
    }
    /// Without any limit, [`Budget::cancel`] aside.
    pub fn unlimited() -> Budget {
        Budget::new(Limits { time: None, memory: None, fuel: None, ops: None })
    }
    /// What was allowed.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }
    /// A budget with the same limits, of which nothing has been used: its clock starts again.
    pub fn again(&self) -> Budget {
        Budget::new(self.0.limits.clone())
    }
    /// From now on every question is answered by an error: whoever works for this budget stops soon.
    pub fn cancel(&self) {
        self.0.stopped.store(true, Relaxed);
    }
    /// Fails where the work may not go on: it was cancelled, or is out of time.
    ///
    /// # Errors
    /// `E0714` where the time is over or [`Budget::cancel`] was called.
    #[inline]
    pub fn check(&self) -> Result<()> {
        match self.0.deadline {
            None if !self.0.stopped.load(Relaxed) => Ok(()),
            deadline => self.check_time(deadline),
        }
    }
    #[inline(never)]
    fn check_time(&self, deadline: Option<Instant>) -> Result<()> {
        // Once over, over for everyone: a clock need not be asked twice.
        if !self.0.stopped.load(Relaxed) {
            if deadline.is_none_or(|d| Instant::now() < d) {
                return Ok(());
            }
            self.cancel();
        }
        match (deadline, self.0.limits.time) {
            (Some(d), Some(t)) if Instant::now() >= d => {
                Err(Error::new(Code::E0714, format!("this takes longer than {} s", t.as_secs_f64()))
                    .help("raise the limit on time, or look for a loop that does not end"))
            }
            _ => Err(Error::new(Code::E0714, "the work was cancelled").help("start it again to have its result")),
        }
    }
    /// What is left of the time; `None` where it is not limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.0.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }
    /// Takes `bytes` until [`Budget::release`], before they are allocated; nothing is taken where that fails.
    ///
    /// # Errors
    /// `E0715` where they are more than are left.
    pub fn charge(&self, bytes: usize) -> Result<()> {
        let used = self.0.bytes.fetch_add(bytes, Relaxed);
        let limit = self.0.limits.memory.unwrap_or(usize::MAX);
        if used.saturating_add(bytes) <= limit {
            return Ok(());
        }
        self.release(bytes);
        Err(Error::new(Code::E0715, format!("{bytes} bytes would exceed the memory limit of {limit} bytes"))
            .note(format!("{used} bytes are in use"))
            .help("raise the limit, or use smaller extents"))
    }
    /// Gives back what [`Budget::charge`] took.
    pub fn release(&self, bytes: usize) {
        self.0.bytes.fetch_sub(bytes, Relaxed);
    }
    /// As [`Budget::charge`], until the answer is dropped.
    ///
    /// # Errors
    /// As [`Budget::charge`].
    pub fn hold(&self, bytes: usize) -> Result<Held> {
        self.charge(bytes)?;
        Ok(Held { budget: self.clone(), bytes })
    }
    /// Bytes that are taken now.
    pub fn bytes(&self) -> usize {
        self.0.bytes.load(Relaxed)
    }
    /// Takes `n` steps of a run.
    ///
    /// # Errors
    /// `E0713` where they are more than are left; the rest is as [`Budget::check`].
    #[inline]
    pub fn spend(&self, n: u64) -> Result<()> {
        if let Some(fuel) = self.0.limits.fuel {
            let spent = self.0.steps.fetch_add(n, Relaxed);
            if spent.saturating_add(n) > fuel {
                return Err(Error::new(Code::E0713, format!("this takes more than {fuel} steps"))
                    .help("raise the limit on steps, or look for a loop that does not end"));
            }
        }
        self.check()
    }
    /// Fails where a module may not have `n` ops.
    ///
    /// # Errors
    /// `E0720`, or `E0715` where so many take more memory than is allowed; the rest is as [`Budget::check`].
    #[inline]
    pub fn ops(&self, n: usize) -> Result<()> {
        if n > self.0.most_ops { Err(self.too_many(n)) } else { self.check() }
    }
    /// By how many ops a module of `n` ops may still grow.
    pub fn room(&self, n: usize) -> usize {
        self.0.most_ops.saturating_sub(n)
    }
    #[cold]
    fn too_many(&self, n: usize) -> Error {
        match (self.0.limits.ops, self.0.limits.memory) {
            (Some(most), _) if n > most => {
                Error::new(Code::E0720, format!("the program would have more than {most} ops"))
                    .help("raise the limit on ops; where a gradient keeps too much of calls, `checkpoint` keeps less")
            }
            (_, memory) => {
                let limit = memory.unwrap_or(usize::MAX);
                Error::new(Code::E0715, format!("a program of {n} ops would exceed the memory limit of {limit} bytes"))
                    .help("raise the limit, or write fewer ops")
            }
        }
    }
}
/// Memory that is taken from a [`Budget`] while this lives.
#[derive(Debug)]
#[must_use]
pub struct Held {
    budget: Budget,
    bytes: usize,
}
impl Held {
    /// Takes more, or gives some back.
    ///
    /// # Errors
    /// As [`Budget::charge`]; then it is as before.
    pub fn resize(&mut self, bytes: usize) -> Result<()> {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.budget.charge(more)?,
            None => self.budget.release(self.bytes - bytes),
        }
        self.bytes = bytes;
        Ok(())
    }
    /// How much it is.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
impl Drop for Held {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}
