//! Scalar functions of families from outside: rows like those of the table, but values that a family holds. What computes
//! one is not known here; a crate that has loops over elements makes it and finds it again by its type.
use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::tensor::Tensor;

/// A scalar function that this crate does not have, as a row: a `static`, which [`ScalarOp::Outside`](super::ScalarOp::Outside)
/// refers to. It is pure and gives the same result for the same operands at all times: it may be computed once for many,
/// several times for one, and before the program runs. Operands and result have one dtype.
///
/// A function is itself, whatever its name: two rows are equal if they are the same `static`. They are ordered and hashed by
/// name, so that nothing that is printed depends on addresses.
pub struct ScalarFunction {
    /// Name of the function, which is best the name of its op.
    pub name: &'static str,
    /// About how many additions it takes: what costs much is kept rather than computed again.
    pub cost: u32,
    /// What computes it.
    pub formulas: &'static dyn Formulas,
}
/// What computes a [`ScalarFunction`]. Engines run what they know by its type; of anything else they have no kernel.
pub trait Formulas: Any + Send + Sync {
    /// Number of operands, 1 to 3.
    fn arity(&self) -> usize;
    /// The function of these numbers (tensors of rank 0 and of one dtype), with the bits that engines give; `None` where it
    /// has no formula for them, or fails.
    fn value(&self, operands: &[Tensor]) -> Option<Tensor>;
}

impl ScalarFunction {
    /// Number of operands.
    pub fn arity(&self) -> usize {
        self.formulas.arity().clamp(1, 3)
    }
}
impl PartialEq for ScalarFunction {
    fn eq(&self, other: &ScalarFunction) -> bool {
        std::ptr::eq(self, other)
    }
}
impl Eq for ScalarFunction {}
impl Ord for ScalarFunction {
    fn cmp(&self, other: &ScalarFunction) -> Ordering {
        // Two of one name are apart all the same.
        let place = |f: &ScalarFunction| std::ptr::from_ref(f).addr();
        self.name.cmp(other.name).then_with(|| place(self).cmp(&place(other)))
    }
}
impl PartialOrd for ScalarFunction {
    fn partial_cmp(&self, other: &ScalarFunction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Hash for ScalarFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
impl fmt::Debug for ScalarFunction {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}
