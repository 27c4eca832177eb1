//! The facts a proof may use, kept in solved form.
//!
//! - An equality from which an atom can be isolated replaces that atom everywhere (existentials before symbols, younger
//!   before older); any other equality rewrites multiples of one of its monomials, and counts as two inequalities.
//! - Inequalities are polynomials `p >= 0`, divided by the common divisor of their coefficients; `min` and `max` that
//!   stand for several inequalities are split.
//! - Each inequality narrows the intervals of its factors; at most [`STEPS`] others are narrowed again after it.
//! - What does not fit 64 bits or the limits of extents is left out: facts only ever help.
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::calls::{CallOp, gcd};
use super::normal::Extent;
use super::poly::{Call, Factor, Mono, Term};
use super::prove::Search;
use super::range::Range;
use super::{Atom, CmpOp, Constraint, ceil_div, floor_div};

/// Inequalities that each fact may use again to narrow intervals.
const STEPS: usize = 64;
/// Terms above which an inequality narrows no interval.
const NARROW_TERMS: usize = 32;
/// Calls whose defining inequalities are added for each fact.
const CALLS: usize = 16;
/// Inequalities into which one fact is split.
const PARTS: usize = 16;

/// Known facts: `where` clauses, passed guards, bounds. Every symbol and existential is ≥ 0 without being told.
///
/// Assuming costs time linear in the facts so far only for an equality that isolates an atom; proving has a fixed limit
/// of steps.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// No key occurs in a value.
    solved: BTreeMap<Atom, Extent>,
    /// `p == 0` and the monomial that it rewrites.
    relations: Vec<(Mono, Extent)>,
    /// `p >= 0`; 0 where another one took its place.
    inequalities: Vec<Extent>,
    /// Inequalities in which a monomial has a negative coefficient.
    by_negative: BTreeMap<Mono, Vec<usize>>,
    /// Inequalities in which a factor occurs.
    by_factor: BTreeMap<Factor, Vec<usize>>,
    ranges: BTreeMap<Factor, Range>,
    /// Calls whose defining inequalities are there.
    defined: BTreeSet<Factor>,
    contradictory: bool,
}

impl Facts {
    /// No fact.
    pub fn new() -> Facts {
        Facts::default()
    }
    /// Adds a fact.
    pub fn assume(&mut self, c: Constraint) {
        let difference = match c.op {
            CmpOp::Le => c.rhs.sub(&c.lhs),
            CmpOp::Ge | CmpOp::Eq => c.lhs.sub(&c.rhs),
        };
        let Ok(d) = difference else { return };
        match c.op {
            CmpOp::Eq => self.assume_zero(&d),
            CmpOp::Le | CmpOp::Ge => self.assume_non_negative(&d),
        }
    }
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.solved.is_empty()
            && self.relations.is_empty()
            && self.inequalities.is_empty()
            && self.ranges.is_empty()
            && !self.contradictory
    }
    /// Whether the facts are known to exclude each other (`n >= 5, n <= 3`).
    pub fn contradictory(&self) -> bool {
        self.contradictory
    }
    /// Whether the two sides, after known equalities are substituted, differ and mention existentials, but not the same
    /// ones. An equality of such sides is a compile error, whatever [`Facts::prove_eq`] finds: ask this first. A side
    /// without any existential is never foreign.
    pub fn foreign_existentials(&self, a: &Extent, b: &Extent) -> bool {
        if a == b {
            return false;
        }
        let (Some(a), Some(b)) = (self.reduce(a), self.reduce(b)) else { return false };
        let of = |e: &Extent| {
            let mut set = BTreeSet::new();
            e.for_each_atom(&mut |x| {
                if let Atom::Exist(id) = x {
                    set.insert(id);
                }
            });
            set
        };
        let (in_a, in_b) = (of(&a), of(&b));
        a != b && !in_a.is_empty() && !in_b.is_empty() && in_a != in_b
    }

    /// With known equalities substituted; `None` where the result does not fit.
    pub(crate) fn reduce(&self, e: &Extent) -> Option<Extent> {
        if e.as_exact().is_some() || (self.solved.is_empty() && self.relations.is_empty()) {
            return Some(e.clone());
        }
        let mut out = e.subst(&|a| self.solved.get(&a).cloned()).ok()?;
        for (lead, p) in &self.relations {
            let (Some(have), Some(unit)) = (coefficient(&out, lead), coefficient(p, lead)) else { continue };
            if have.checked_rem(unit) == Some(0) {
                out = out.combine(1, p, have.checked_div(unit)?.checked_neg()?).ok()?;
            }
        }
        Some(out)
    }
    /// The interval of a factor under the facts.
    pub(super) fn range_of(&self, f: &Factor) -> Range {
        let own = match f {
            Factor::Atom(_) => Range::NON_NEGATIVE,
            Factor::Call(c) => c.range_with(&|g| self.range_of(g)),
        };
        self.ranges.get(f).map_or(own, |r| own.meet(*r))
    }
    pub(super) fn range(&self, e: &Extent) -> Range {
        Range::with(e, &|f| self.range_of(f))
    }
    /// Inequalities in which `m` has a negative coefficient, the latest first.
    pub(super) fn bounding<'a>(&'a self, m: &Mono) -> impl Iterator<Item = &'a Extent> {
        let list = self.by_negative.get(m).map_or(&[] as &[usize], |v| v);
        list.iter().rev().filter_map(|i| self.inequalities.get(*i))
    }

    fn assume_zero(&mut self, d: &Extent) {
        let mut todo = vec![d.clone()];
        while let Some(d) = todo.pop().and_then(|d| self.reduce(&d)) {
            self.contradictory |= never_zero(&d);
            let Some(d) = d.divide_exactly(content(&d)).filter(|d| d.poly().is_some()) else { continue };
            match self.isolate(&d) {
                Some(affected) => todo.extend(affected),
                None => self.relate(&d),
            }
        }
    }
    /// Keeps `d == 0`, from which no atom can be isolated.
    fn relate(&mut self, d: &Extent) {
        let lead = d.terms().iter().max_by_key(|t| lead_rank(t)).map(|t| t.mono.clone());
        self.relations.extend(lead.map(|m| (m, d.clone())));
        // Not reduced: the relation would make them vanish.
        for p in [Ok(d.clone()), d.neg()].into_iter().flatten() {
            let mut calls = VecDeque::new();
            self.add(&p, true, &mut calls);
            self.define(calls);
        }
    }
    /// Replaces an atom by what `d == 0` says it is; `None` where none can be. Gives the equalities to assume again.
    fn isolate(&mut self, d: &Extent) -> Option<Vec<Extent>> {
        let mut atoms: Vec<Atom> = Vec::new();
        for t in d.terms().iter().filter(|t| t.coef.unsigned_abs() == 1) {
            if let Some(Factor::Atom(a)) = t.mono.as_factor() {
                atoms.push(*a);
            }
        }
        atoms.sort();
        for atom in atoms.into_iter().rev() {
            let Some((coef, rest)) = d.linear_in(atom) else { continue };
            let Ok(value) = rest.mul(&Extent::exact(-coef)) else { continue };
            let put = |a: Atom| (a == atom).then(|| value.clone());
            let solved = self.solved.iter().map(|(a, e)| Some((*a, e.subst(&put).ok()?)));
            let Some(mut solved) = solved.collect::<Option<BTreeMap<_, _>>>() else { continue };
            solved.insert(atom, value.clone());
            let range = self.ranges.remove(&Factor::Atom(atom)).unwrap_or(Range::NON_NEGATIVE);
            self.solved = solved;
            let affected = self.restate(atom);
            for (end, sign) in [(range.lo, 1), (range.hi, -1)] {
                let end = end.and_then(|x| i64::try_from(x).ok());
                if let Some(p) = end.and_then(|x| value.combine(sign, &Extent::exact(x), -sign).ok()) {
                    self.assume_non_negative(&p);
                }
            }
            return Some(affected);
        }
        None
    }
    /// Puts a newly solved atom into the inequalities, takes away and gives back the relations with it.
    fn restate(&mut self, atom: Atom) -> Vec<Extent> {
        for index in self.by_factor.remove(&Factor::Atom(atom)).unwrap_or_default() {
            if let Some(slot) = self.inequalities.get_mut(index) {
                let p = std::mem::replace(slot, Extent::exact(0));
                self.assume_non_negative(&p);
            }
        }
        let (old, kept) = std::mem::take(&mut self.relations).into_iter().partition(|r| r.1.mentions(atom));
        self.relations = kept;
        let old: Vec<(Mono, Extent)> = old;
        old.into_iter().map(|r| r.1).collect()
    }

    fn assume_non_negative(&mut self, p: &Extent) {
        let mut todo = vec![p.clone()];
        let mut calls = VecDeque::new();
        let mut parts = 0;
        while let Some(p) = todo.pop() {
            match conjuncts(&p) {
                Some(split) if parts + split.list.len() <= PARTS => {
                    parts += split.list.len();
                    todo.extend(split.list);
                    if !split.equal {
                        self.add_reduced(&p, true, &mut calls);
                    }
                }
                _ => self.add_reduced(&p, true, &mut calls),
            }
        }
        self.define(calls);
    }
    /// Adds the inequalities that define `calls`, and the calls in these.
    fn define(&mut self, mut calls: VecDeque<Arc<Call>>) {
        let mut defined = 0;
        while let Some(call) = calls.pop_front() {
            if defined < CALLS && self.defined.insert(Factor::Call(call.clone())) {
                defined += 1;
                for p in definition(&call, &|e| self.range(e)) {
                    self.add_reduced(&p, false, &mut calls);
                }
            }
        }
    }
    fn add_reduced(&mut self, p: &Extent, check: bool, calls: &mut VecDeque<Arc<Call>>) {
        if let Some(p) = self.reduce(p) {
            self.add(&p, check, calls);
        }
    }
    /// Stores `p >= 0` and narrows intervals; `calls` receives the calls in it.
    fn add(&mut self, p: &Extent, check: bool, calls: &mut VecDeque<Arc<Call>>) {
        let Some(p) = tighten(p) else { return };
        if p.as_exact().is_some_and(|n| n < 0) {
            self.contradictory = true;
        }
        let lists = p.terms().iter().flat_map(|t| t.mono.factors()).map(|f| self.by_factor.get(&f.0));
        let known = lists.min_by_key(|list| list.map_or(0, Vec::len)).flatten();
        let known = known.is_some_and(|list| list.iter().any(|i| self.inequalities.get(*i) == Some(&p)));
        if p.poly().is_none() || known {
            return;
        }
        // `-p - 1 >= 0` is the negation of `p >= 0`.
        if check && p.combine(-1, &Extent::exact(-1), 1).is_ok_and(|e| Search::new(self).non_negative(&e)) {
            self.contradictory = true;
        }
        let index = self.inequalities.len();
        for t in p.terms() {
            if t.coef < 0 {
                self.by_negative.entry(t.mono.clone()).or_default().push(index);
            }
            calls.extend(t.mono.factors().iter().filter_map(|f| f.0.as_call().cloned()));
        }
        let mut factors: BTreeSet<Factor> =
            p.terms().iter().flat_map(|t| t.mono.factors()).map(|f| f.0.clone()).collect();
        p.for_each_atom(&mut |a| {
            factors.insert(Factor::Atom(a));
        });
        for f in factors {
            self.by_factor.entry(f).or_default().push(index);
        }
        self.inequalities.push(p);
        self.narrow(index);
    }

    /// Interval propagation from one inequality.
    fn narrow(&mut self, start: usize) {
        let mut queue = VecDeque::from([start]);
        let mut queued = 1;
        while let Some(index) = queue.pop_front() {
            let Some(p) = self.inequalities.get(index).filter(|p| p.terms().len() <= NARROW_TERMS).cloned() else {
                continue;
            };
            for (i, t) in p.terms().iter().enumerate() {
                let Some(bound) = self.implied(&p, i) else { continue };
                for (f, _) in t.mono.factors() {
                    let narrower = match (t.mono.as_factor(), bound.lo) {
                        (Some(_), _) => bound,
                        // A product of non-negative factors is at least 1 only if each factor is.
                        (None, Some(lo)) if lo >= 1 && self.all_non_negative(&t.mono) => {
                            Range { lo: Some(1), hi: None }
                        }
                        _ => continue,
                    };
                    let old = self.range_of(f);
                    let new = old.meet(narrower);
                    if new != old {
                        self.contradictory |= new.is_empty();
                        self.ranges.insert(f.clone(), new);
                        let again = self.by_factor.get(f).into_iter().flatten().filter(|j| **j != index);
                        let again: Vec<usize> = again.copied().take(STEPS.saturating_sub(queued)).collect();
                        queued += again.len();
                        queue.extend(again);
                    }
                }
            }
            if self.contradictory {
                return;
            }
        }
    }
    fn all_non_negative(&self, m: &Mono) -> bool {
        m.factors().iter().all(|(f, _)| self.range_of(f).lo.is_some_and(|lo| lo >= 0))
    }
    /// What `p >= 0` says of its `i`-th monomial, given the intervals of the others.
    fn implied(&self, p: &Extent, i: usize) -> Option<Range> {
        let mut rest = Range::exact(i128::from(p.constant()));
        for (_, t) in p.terms().iter().enumerate().filter(|(j, _)| *j != i) {
            rest = rest.add(self.range_of_mono(&t.mono).scale(i128::from(t.coef)));
        }
        let (most, coef) = (rest.hi?, i128::from(p.terms().get(i)?.coef));
        Some(if coef > 0 {
            Range { lo: ceil_div(most.checked_neg()?, coef), hi: None }
        } else {
            Range { lo: None, hi: floor_div(most, -coef) }
        })
    }
    pub(super) fn range_of_mono(&self, m: &Mono) -> Range {
        Range::of_mono(m, &|f| self.range_of(f))
    }
}

fn coefficient(e: &Extent, m: &Mono) -> Option<i64> {
    e.terms().iter().find(|t| t.mono == *m).map(|t| t.coef)
}
/// Coefficients of size 1 rewrite most; among them the monomials with the youngest existentials.
fn lead_rank(t: &Term) -> (bool, Option<Atom>) {
    let mut youngest = None;
    if let Ok(e) = t.mono.extent() {
        e.for_each_atom(&mut |a| youngest = youngest.max(Some(a)));
    }
    (t.coef.unsigned_abs() == 1, youngest)
}
/// The common divisor of all coefficients and the constant, at least 1.
fn content(p: &Extent) -> i64 {
    let g = p.terms().iter().fold(p.constant().unsigned_abs(), |g, t| gcd(g, t.coef.unsigned_abs()));
    i64::try_from(g.max(1)).unwrap_or(1)
}
/// Whether `p == 0` has no solution in integers because of divisibility, or because `p` is another number.
pub(super) fn never_zero(p: &Extent) -> bool {
    let g = p.terms().iter().fold(0, |g, t| gcd(g, t.coef.unsigned_abs()));
    match g {
        0 => p.constant() != 0,
        _ => !p.constant().unsigned_abs().is_multiple_of(g),
    }
}
/// `p >= 0` divided by the common divisor of its coefficients, the constant rounded down.
fn tighten(p: &Extent) -> Option<Extent> {
    let g = p.terms().iter().fold(0, |g, t| gcd(g, t.coef.unsigned_abs()));
    if g <= 1 {
        return Some(p.clone());
    }
    let g = i64::try_from(g).ok()?;
    let constant = floor_div(i128::from(p.constant()), i128::from(g)).and_then(|c| c.checked_mul(i128::from(g)))?;
    let constant = i64::try_from(constant).ok()?;
    p.combine(1, &Extent::exact(p.constant()), -1).ok()?.add(&Extent::exact(constant)).ok()?.divide_exactly(g)
}
/// Inequalities that follow from another.
struct Split {
    list: Vec<Extent>,
    /// Together they say as much.
    equal: bool,
}
/// The inequalities that follow from `p >= 0` where `p` has a `min` added or a `max` taken away: all that it says, unless the
/// call has a part in other terms too.
fn conjuncts(p: &Extent) -> Option<Split> {
    for t in p.terms() {
        let Some(Factor::Call(call)) = t.mono.as_factor() else { continue };
        if call.op != if t.coef > 0 { CallOp::Min } else { CallOp::Max } {
            continue;
        }
        let rest = p.combine(1, &t.mono.extent().ok()?, t.coef.checked_neg()?).ok()?;
        let list = call.args.iter().map(|x| rest.combine(1, x, t.coef).ok()).collect::<Option<_>>()?;
        let within = |u: &Term| u.mono.factors().iter().any(|f| f.0.as_call() == Some(call));
        return Some(Split { list, equal: p.terms().iter().filter(|u| within(u)).count() == 1 });
    }
    None
}
/// Polynomials that are ≥ 0 wherever `call` is defined.
pub(super) fn definition(call: &Arc<Call>, range: &dyn Fn(&Extent) -> Range) -> Vec<Extent> {
    let Ok(this) = Factor::Call(call.clone()).extent() else { return vec![] };
    let list = match (call.op, &*call.args) {
        (CallOp::Min, args) => args.iter().map(|x| x.sub(&this)).collect(),
        (CallOp::Max, args) => args.iter().map(|x| this.sub(x)).collect(),
        (op, [x, d]) if range(d).lo.is_some_and(|lo| lo >= 0) => divided(op, &this, x, d),
        _ => return vec![],
    };
    list.unwrap_or_default()
}
fn divided(op: CallOp, this: &Extent, x: &Extent, d: &Extent) -> crate::Result<Vec<Extent>> {
    let last = d.sub(&Extent::exact(1))?;
    Ok(match op {
        CallOp::FloorDiv => {
            let over = x.sub(&d.mul(this)?)?;
            vec![last.sub(&over)?, over]
        }
        CallOp::CeilDiv => {
            let under = d.mul(this)?.sub(x)?;
            vec![last.sub(&under)?, under]
        }
        _ => {
            let whole = x.sub(&d.mul(&x.floordiv(d)?)?)?;
            vec![last.sub(this)?, whole.sub(this)?, this.sub(&whole)?]
        }
    })
}
