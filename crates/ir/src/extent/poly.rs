//! The data of the normal form: a polynomial with sorted monomials over atoms and calls.
//!
//! Invariants of [`Poly`]: at least one term; terms strictly increasing by monomial; no coefficient 0; factors of a
//! monomial strictly increasing, exponents ≥ 1; calls are normal themselves. So structural equality is equality of
//! normal forms. Terms order by falling degree, then by their factors: symbols before existentials before calls.
use std::cmp::Ordering;
use std::sync::Arc;

use super::calls::CallOp;
use super::normal::Extent;
use super::range::Range;
use super::{Atom, overflow, too_large};
use crate::Result;

/// Nodes of an expression, counted as a tree. Printing, hashing and comparing are linear in this.
pub(super) const MAX_SIZE: u32 = 4096;
/// Nesting of calls: recursion over an extent never goes deeper.
const MAX_DEPTH: u32 = 64;
/// Products of terms that one multiplication may form.
pub(super) const MAX_PRODUCTS: usize = 1 << 14;

/// `sum of terms + constant`, not exact.
#[derive(PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) struct Poly {
    pub(super) terms: Vec<Term>,
    pub(super) constant: i64,
    size: u32,
    depth: u32,
}

impl Poly {
    pub(super) fn of_atom(a: Atom) -> Poly {
        Poly { terms: vec![Term { mono: Mono::of(Factor::Atom(a)), coef: 1 }], constant: 0, size: 3, depth: 0 }
    }
}

/// `coef * mono`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) struct Term {
    pub(super) mono: Mono,
    pub(super) coef: i64,
}

/// A product of powers of factors.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Mono(Arc<[(Factor, u32)]>);

/// What monomials are made from.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) enum Factor {
    Atom(Atom),
    Call(Arc<Call>),
}

/// A normal application of `op` that is no polynomial.
#[derive(PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) struct Call {
    pub(super) op: CallOp,
    pub(super) args: Vec<Extent>,
    /// What is known of the value from its form alone.
    pub(super) range: Range,
    size: u32,
    depth: u32,
}

impl Mono {
    fn of(f: Factor) -> Mono {
        Mono(Arc::from([(f, 1)]))
    }
    pub(super) fn factors(&self) -> &[(Factor, u32)] {
        &self.0
    }
    fn degree(&self) -> u64 {
        self.0.iter().map(|f| u64::from(f.1)).sum()
    }
    /// The factor, if this is one factor to the first power.
    pub(super) fn as_factor(&self) -> Option<&Factor> {
        match &*self.0 {
            [(f, 1)] => Some(f),
            _ => None,
        }
    }
    pub(super) fn mul(&self, other: &Mono) -> Result<Mono> {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut out = Vec::with_capacity(self.0.len() + other.0.len());
        loop {
            let order = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(x), Some(y)) => x.0.cmp(&y.0),
            };
            let x = if order != Ordering::Greater { a.next() } else { None };
            let y = if order != Ordering::Less { b.next() } else { None };
            match (x, y) {
                (Some((f, e)), Some((_, d))) => out.push((f.clone(), e.checked_add(*d).ok_or_else(too_large)?)),
                (Some(p), None) | (None, Some(p)) => out.push(p.clone()),
                (None, None) => break,
            }
        }
        Ok(Mono(out.into()))
    }
    /// `self / other`, where it divides; `None` in the outer option where it does not, `Some(None)` for 1.
    pub(super) fn quotient(&self, other: &Mono) -> Option<Option<Mono>> {
        let mut out = Vec::new();
        let mut rest = other.0.iter().peekable();
        for (f, e) in self.0.iter() {
            match rest.next_if(|(g, _)| g == f) {
                Some((_, d)) if d > e => return None,
                Some((_, d)) if d == e => {}
                Some((_, d)) => out.push((f.clone(), e - d)),
                None => out.push((f.clone(), *e)),
            }
        }
        if rest.next().is_some() {
            return None;
        }
        Some(if out.is_empty() { None } else { Some(Mono(out.into())) })
    }
    /// The greatest monomial that divides both, if that is not 1.
    pub(super) fn common(&self, other: &Mono) -> Option<Mono> {
        let in_other = |f: &Factor| other.0.iter().find(|g| g.0 == *f).map(|g| g.1);
        let shared = self.0.iter().filter_map(|(f, e)| Some((f.clone(), in_other(f)?.min(*e))));
        let list: Vec<(Factor, u32)> = shared.collect();
        if list.is_empty() { None } else { Some(Mono(list.into())) }
    }
    /// The monomial itself and each of its factors, with what they are multiplied by.
    pub(super) fn parts(&self) -> Vec<(Mono, Option<Mono>)> {
        let mut out = vec![(self.clone(), None)];
        if self.as_factor().is_none() {
            for (f, _) in self.0.iter() {
                let part = Mono::of(f.clone());
                out.extend(self.quotient(&part).map(|q| (part, q)));
            }
        }
        out
    }
    /// As an extent of coefficient 1.
    pub(super) fn extent(&self) -> Result<Extent> {
        finish(vec![(self.clone(), 1)], 0)
    }
}
impl Ord for Mono {
    fn cmp(&self, other: &Mono) -> Ordering {
        let by_factor = |x: &(Factor, u32), y: &(Factor, u32)| x.0.cmp(&y.0).then(y.1.cmp(&x.1));
        other.degree().cmp(&self.degree()).then_with(|| {
            let differs = self.0.iter().zip(other.0.iter()).map(|(x, y)| by_factor(x, y)).find(|o| o.is_ne());
            differs.unwrap_or_else(|| self.0.len().cmp(&other.0.len()))
        })
    }
}
impl PartialOrd for Mono {
    fn partial_cmp(&self, other: &Mono) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Factor {
    pub(super) fn as_call(&self) -> Option<&Arc<Call>> {
        match self {
            Factor::Atom(_) => None,
            Factor::Call(c) => Some(c),
        }
    }
    /// As an extent.
    pub(super) fn extent(&self) -> Result<Extent> {
        finish(vec![(Mono::of(self.clone()), 1)], 0)
    }
    fn size(&self) -> u32 {
        match self {
            Factor::Atom(_) => 1,
            Factor::Call(c) => c.size,
        }
    }
    fn depth(&self) -> u32 {
        match self {
            Factor::Atom(_) => 0,
            Factor::Call(c) => c.depth,
        }
    }
}

/// Sorts and merges terms, drops zeros, checks 64 bits and the limits.
pub(super) fn finish(mut raw: Vec<(Mono, i128)>, constant: i128) -> Result<Extent> {
    raw.sort_by(|a, b| a.0.cmp(&b.0));
    let constant = i64::try_from(constant).map_err(|_| overflow())?;
    let mut merged: Vec<(Mono, i128)> = Vec::with_capacity(raw.len());
    for (mono, coef) in raw {
        match merged.last_mut() {
            Some(last) if last.0 == mono => last.1 = last.1.checked_add(coef).ok_or_else(overflow)?,
            _ => merged.push((mono, coef)),
        }
    }
    let mut terms = Vec::with_capacity(merged.len());
    for (mono, coef) in merged.into_iter().filter(|t| t.1 != 0) {
        terms.push(Term { mono, coef: i64::try_from(coef).map_err(|_| overflow())? });
    }
    if terms.is_empty() {
        return Ok(Extent::exact(constant));
    }
    let (mut size, mut depth) = (1u32, 0);
    for (f, e) in terms.iter().flat_map(|t| t.mono.factors()) {
        size = size.saturating_add(f.size().saturating_mul(*e)).saturating_add(1);
        depth = depth.max(f.depth());
    }
    if size > MAX_SIZE {
        return Err(too_large());
    }
    Ok(Extent::from_poly(Poly { terms, constant, size, depth }))
}

/// The extent that is one call; `args` are normal and no rule of [`super::calls`] applies.
pub(super) fn call_extent(op: CallOp, args: Vec<Extent>) -> Result<Extent> {
    let (mut size, mut depth) = (1u32, 0);
    for p in args.iter().filter_map(Extent::poly) {
        size = size.saturating_add(p.size);
        depth = depth.max(p.depth);
    }
    size = size.saturating_add(args.len() as u32);
    if size > MAX_SIZE || depth >= MAX_DEPTH {
        return Err(too_large());
    }
    let ranges: Vec<Range> = args.iter().map(Range::intrinsic).collect();
    let range = Range::of_call(op, &ranges);
    let call = Call { op, args, range, size, depth: depth + 1 };
    finish(vec![(Mono::of(Factor::Call(Arc::new(call))), 1)], 0)
}

impl Call {
    pub(super) fn eval_wide(&self, value: &dyn Fn(Atom) -> Option<i64>) -> Result<i128> {
        let mut out: Option<i128> = None;
        for arg in &self.args {
            let v = arg.eval_wide(value)?;
            out = Some(match out {
                None => v,
                Some(x) => self.op.of_values(x, v)?,
            });
        }
        out.ok_or_else(too_large)
    }
}
