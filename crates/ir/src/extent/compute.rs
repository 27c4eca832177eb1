//! Extents computed in other terms: as intervals, as statements of a target.
use super::calls::CallOp;
use super::normal::Extent;
use super::poly::Factor;
use super::{Atom, overflow};
use crate::Result;

/// The functions of extents besides sums and products.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExtentFn {
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// The quotient, rounded down.
    FloorDiv,
    /// The quotient, rounded up.
    CeilDiv,
    /// What the quotient rounded down leaves.
    Mod,
}
/// What an extent is computed by.
pub trait Arithmetic {
    /// What stands for an integer.
    type Value: Clone;
    /// An integer.
    ///
    /// # Errors
    /// Those of the implementation, as for all others.
    fn exact(&mut self, n: i64) -> Result<Self::Value>;
    /// A symbol or an existential.
    ///
    /// # Errors
    /// As above.
    fn atom(&mut self, a: Atom) -> Result<Self::Value>;
    /// `x + y`.
    ///
    /// # Errors
    /// As above.
    fn add(&mut self, x: &Self::Value, y: &Self::Value) -> Result<Self::Value>;
    /// `x * y`.
    ///
    /// # Errors
    /// As above.
    fn mul(&mut self, x: &Self::Value, y: &Self::Value) -> Result<Self::Value>;
    /// Another function of two.
    ///
    /// # Errors
    /// As above.
    fn call(&mut self, f: ExtentFn, x: &Self::Value, y: &Self::Value) -> Result<Self::Value>;
}
impl Extent {
    /// Its value by `a`, which sees each part of the normal form: sums of products of atoms and calls.
    ///
    /// # Errors
    /// What `a` reports; `E0405` a call without arguments, of which there is none.
    pub fn compute<A: Arithmetic>(&self, a: &mut A) -> Result<A::Value> {
        let mut sum: Option<A::Value> = None;
        for t in self.terms() {
            let mut product = if t.coef == 1 { None } else { Some(a.exact(t.coef)?) };
            for (factor, power) in t.mono.factors() {
                let v = match factor {
                    Factor::Atom(x) => a.atom(*x)?,
                    Factor::Call(c) => {
                        let f = match c.op {
                            CallOp::Min => ExtentFn::Min,
                            CallOp::Max => ExtentFn::Max,
                            CallOp::FloorDiv => ExtentFn::FloorDiv,
                            CallOp::CeilDiv => ExtentFn::CeilDiv,
                            CallOp::Mod => ExtentFn::Mod,
                        };
                        let mut made: Option<A::Value> = None;
                        for x in &c.args {
                            let x = x.compute(a)?;
                            made = Some(match made {
                                None => x,
                                Some(m) => a.call(f, &m, &x)?,
                            });
                        }
                        made.ok_or_else(overflow)?
                    }
                };
                for _ in 0..*power {
                    product = Some(match product {
                        None => v.clone(),
                        Some(p) => a.mul(&p, &v)?,
                    });
                }
            }
            let term = match product {
                Some(p) => p,
                None => a.exact(1)?,
            };
            sum = Some(match sum {
                None => term,
                Some(s) => a.add(&s, &term)?,
            });
        }
        match sum {
            None => a.exact(self.constant()),
            Some(s) if self.constant() == 0 => Ok(s),
            Some(s) => {
                let c = a.exact(self.constant())?;
                a.add(&s, &c)
            }
        }
    }
}
