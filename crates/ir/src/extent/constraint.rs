//! Relations between extents: `where` clauses, guards, bounds.
use super::{Atom, Extent, ExtentEnv, Facts, Truth};
use crate::Result;

/// The relations that `where` knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum CmpOp {
    /// `<=`.
    Le,
    /// `>=`.
    Ge,
    /// `==`.
    Eq,
}
impl CmpOp {
    /// The relation as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            CmpOp::Le => "<=",
            CmpOp::Ge => ">=",
            CmpOp::Eq => "==",
        }
    }
    /// The relation with its sides exchanged.
    pub fn mirrored(self) -> CmpOp {
        match self {
            CmpOp::Le => CmpOp::Ge,
            CmpOp::Ge => CmpOp::Le,
            CmpOp::Eq => CmpOp::Eq,
        }
    }
}

/// `lhs op rhs`.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Constraint {
    /// Left side.
    pub lhs: Extent,
    /// Relation.
    pub op: CmpOp,
    /// Right side.
    pub rhs: Extent,
}
impl Constraint {
    /// Whether both are one relation, perhaps written from the other side: `m == n` and `n == m`.
    pub fn says(&self, other: &Constraint) -> bool {
        self == other || (self.op.mirrored() == other.op && self.lhs == other.rhs && self.rhs == other.lhs)
    }
    /// Whether the condition follows from nothing but that extents are at least 0.
    pub fn holds_always(&self) -> bool {
        self.lhs == self.rhs || Facts::new().prove(self) == Truth::Yes
    }
    /// Replaces atoms on both sides, see [`Extent::subst`].
    ///
    /// # Errors
    /// As [`Extent::subst`].
    pub fn subst(&self, f: &dyn Fn(Atom) -> Option<Extent>) -> Result<Constraint> {
        Ok(Constraint { lhs: self.lhs.subst(f)?, op: self.op, rhs: self.rhs.subst(f)? })
    }
    /// Whether it is true under `env`.
    ///
    /// # Errors
    /// As [`Extent::eval`] of either side.
    pub fn holds(&self, env: &ExtentEnv) -> Result<bool> {
        let (l, r) = (self.lhs.eval(env)?, self.rhs.eval(env)?);
        Ok(match self.op {
            CmpOp::Le => l <= r,
            CmpOp::Ge => l >= r,
            CmpOp::Eq => l == r,
        })
    }
}
