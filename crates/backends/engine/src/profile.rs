//! Where the time of a program goes: what its steps took, summed over calls.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What the calls of one step took together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepTime {
    /// The function whose plan it is of, and its position there.
    pub at: (String, u32),
    /// The step as in the plan's text.
    pub what: String,
    /// How often it ran.
    pub times: u64,
    /// Nanoseconds, without those of steps inside it.
    pub nanos: u64,
    /// Bytes of the elements that it read and wrote; of a loop or a branch, which only moves addresses, 0.
    pub bytes: u64,
    /// Operations on elements: an addition, an exponential, each of the two of a multiply-add. 0 where the number is not known: of kernels
    /// that are no products, and of loops, whose steps say theirs.
    pub operations: u64,
    /// Bytes of the widest element that it computes.
    pub element: u8,
}
/// Collects times of steps from every call that it is given to.
#[derive(Clone, Debug, Default)]
pub struct Profile(Arc<Mutex<BTreeMap<(String, u32), StepTime>>>);
impl Profile {
    /// Adds what a call measured.
    pub fn add(&self, steps: impl IntoIterator<Item = StepTime>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for s in steps {
            match all.get_mut(&s.at) {
                Some(known) => {
                    known.times += s.times;
                    known.nanos += s.nanos;
                    known.bytes += s.bytes;
                    known.operations += s.operations;
                }
                None => {
                    all.insert(s.at.clone(), s);
                }
            }
        }
    }
    /// Forgets what was added.
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
    /// The steps in the order of their positions.
    pub fn steps(&self) -> Vec<StepTime> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}
