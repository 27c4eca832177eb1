//! Contractions.
use crate::attr::{Attr, Attrs};
use crate::op::*;
use crate::{Error, Result};
/// (stub)
pub static DOT_GENERAL: OpDef = OpDef { name: "dot_general", ..OpDef::BASE };
/// The rows.
pub static FAMILY: Family = &[&DOT_GENERAL];

/// The dimension numbers of `dot_general`; `[lhs, rhs]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotDims {
    /// Axes summed over, pairwise.
    pub contract: [Vec<usize>; 2],
    /// Axes kept, pairwise.
    pub batch: [Vec<usize>; 2],
    /// Result axis `i` is axis `out[i]` of (lhs free, rhs free, batch); `None`: that order itself.
    pub out: Option<Vec<usize>>,
    /// Conjugate the left operand.
    pub conj_lhs: bool,
    /// Conjugate the right operand.
    pub conj_rhs: bool,
}
impl DotDims {
    /// From attributes that inference has checked.
    pub fn of(a: &Attrs) -> Result<DotDims> {
        let pair = |k: &'static str| match a.get(k) {
            None => Ok([vec![], vec![]]),
            Some(Attr::List(l)) if l.len() == 2 => {
                let side = |i: usize| match &l[i] {
                    Attr::List(v) => v.iter().map(|x| if let Attr::Int(i) = x { usize::try_from(*i).ok() } else { None }).collect::<Option<Vec<_>>>(),
                    _ => None,
                };
                match (side(0), side(1)) {
                    (Some(x), Some(y)) => Ok([x, y]),
                    _ => Err(Error::new("E0212", format!("`{k}` holds a negative axis")).attr(k)),
                }
            }
            Some(_) => Err(Error::new("E0223", format!("`{k}` is two lists of axes: `[[1], [0]]`")).attr(k)),
        };
        Ok(DotDims {
            contract: pair("contract")?,
            batch: pair("batch")?,
            out: a.get("out").map(|_| a.indices("out")),
            conj_lhs: a.flag("conj_lhs"),
            conj_rhs: a.flag("conj_rhs"),
        })
    }
    /// As attributes.
    pub fn attrs(&self) -> Attrs {
        let mut a = Attrs::none();
        for (k, p) in [("contract", &self.contract), ("batch", &self.batch)] {
            if !p[0].is_empty() || k == "contract" {
                a.set(k, Attr::int_lists(&[&p[0], &p[1]]));
            }
        }
        if let Some(o) = &self.out
            && o.iter().enumerate().any(|(i, &x)| i != x)
        {
            a.set("out", Attr::ints(o));
        }
        if self.conj_lhs {
            a.set("conj_lhs", Attr::Bool(true));
        }
        if self.conj_rhs {
            a.set("conj_rhs", Attr::Bool(true));
        }
        a
    }
    /// Axes of side `k` that are contracted or batched.
    pub fn bound(&self, k: usize) -> Vec<usize> {
        [&self.contract[k][..], &self.batch[k]].concat()
    }
    /// Free axes of side `k`, in order.
    pub fn free(&self, k: usize, rank: usize) -> Vec<usize> {
        let b = self.bound(k);
        (0..rank).filter(|i| !b.contains(i)).collect()
    }
}
