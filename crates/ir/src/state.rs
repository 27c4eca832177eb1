//! Facts that a program which a pass writes has to state itself. What is known where an op stands is what statements in
//! scope say there (their `where`, the header's, a region's) and nothing else: a condition that an op asks at run time is
//! no fact for the next one. A pass that lets an op go, or puts a value in another's place, therefore states by a `guard`
//! what the types behind it rest on; text, verifier and builder then know the same.
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::extent::{CmpOp, Constraint, Truth};
use crate::func::ValueId;
use crate::op::NewOp;
use crate::types::Type;

/// How a condition stands where it is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// The condition follows from what is known.
    Known,
    /// The condition is left to run time.
    Open,
    /// The condition is an equality of extents that different statements decide: a statement has to say it.
    Unsaid,
}
impl Builder<'_> {
    /// How `c` stands here; E0204 or E0403 where it certainly does not hold.
    pub(crate) fn standing(&self, c: &Constraint, what: &str) -> Result<Standing> {
        if c.lhs == c.rhs {
            return Ok(Standing::Known);
        }
        let foreign = c.op == CmpOp::Eq
            && c.lhs.mentions_existential()
            && c.rhs.mentions_existential()
            && self.facts().foreign_existentials(&c.lhs, &c.rhs);
        match self.facts().prove(c) {
            Truth::No if c.op == CmpOp::Eq => {
                let (l, r) = (c.lhs.display(self.func()), c.rhs.display(self.func()));
                Err(Error::new(Code::E0204, format!("extents differ: {what}: {l} and {r}")))
            }
            Truth::No => Err(Error::new(Code::E0403, format!("{what}: {} does not hold", c.display(self.func())))),
            _ if foreign => Ok(Standing::Unsaid),
            Truth::Yes => Ok(Standing::Known),
            Truth::Unknown => Ok(Standing::Open),
        }
    }
    /// States by a `guard` what of `conditions` is not known here.
    pub fn state(&mut self, conditions: impl IntoIterator<Item = Constraint>) -> Result<()> {
        let mut unknown: Vec<Constraint> = vec![];
        for c in conditions {
            if self.standing(&c, "what a rewritten statement rests on")? != Standing::Known
                && !unknown.iter().any(|u| u.says(&c))
            {
                unknown.push(c);
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        let mut op = NewOp::new(&crate::ops::extents::GUARD, &[]);
        op.wheres = unknown;
        self.emit(op).map(|_| ())
    }
    /// As [`Builder::state`], also where `conditions` follow from statements that may be dropped later: nothing but the
    /// statement made here holds them together from now on.
    pub fn state_for_good(&mut self, conditions: impl IntoIterator<Item = Constraint>) -> Result<()> {
        let firm = self.firm_facts();
        let (mut soft, mut rest) = (vec![], vec![]);
        for c in conditions {
            if c.lhs == c.rhs || firm.prove(&c) == Truth::Yes {
                continue;
            }
            match self.standing(&c, "what a rewritten statement rests on")? {
                Standing::Known if !soft.iter().any(|s: &Constraint| s.says(&c)) => soft.push(c),
                Standing::Known => {}
                _ => rest.push(c),
            }
        }
        if !soft.is_empty() {
            let mut op = NewOp::new(&crate::ops::extents::GUARD, &[]);
            op.wheres = soft;
            self.emit(op)?;
        }
        self.state(rest)
    }
    /// States that value `v`, which takes the place of one of type `of`, has its extents.
    pub fn state_type(&mut self, v: ValueId, of: &Type) -> Result<()> {
        let ty = self.ty(v);
        if ty == *of {
            return Ok(());
        }
        if ty.dtype != of.dtype || ty.rank() != of.rank() {
            let (is, was) = (ty.display(self.func()).to_string(), of.display(self.func()).to_string());
            return Err(Error::bug(Code::E0399, format!("a value of {is} takes the place of one of {was}")));
        }
        let pairs = of.dims.iter().cloned().zip(ty.dims.iter().cloned());
        self.state_for_good(pairs.map(|(lhs, rhs)| Constraint { lhs, op: CmpOp::Eq, rhs }))
    }
}
