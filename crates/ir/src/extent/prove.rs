//! The prover: *bounded linear search*. To show `p >= 0`, in this order:
//!
//! 1. the interval of `p`, also with every factor measured from its lower bound, and of `p` without a common factor;
//! 2. one known inequality `f >= 0`, scaled so that it cancels a monomial of `p`, with the rest decided by 1;
//! 3. a case for each argument of a `min` or `max` in `p`;
//! 4. as 2, with the rest decided by 1 to 4.
//!
//! Each proof visits at most [`NODES`] polynomials and nests at most [`DEPTH`] cancellations. *Yes* and *no* are right
//! for all values of the atoms that satisfy the facts and for which both sides are defined; numbers that do not fit end
//! a line of proof, they never decide it.
use std::sync::Arc;

use super::calls::{CallOp, gcd};
use super::facts::{definition, never_zero};
use super::normal::Extent;
use super::poly::{Call, Factor, Mono, Term};
use super::range::Range;
use super::{CmpOp, Constraint, Facts};

/// Polynomials visited by one proof; each [`TERMS`] terms count as one more.
const NODES: u32 = 64;
/// See [`NODES`].
const TERMS: usize = 8;
/// Known inequalities used one after the other.
const DEPTH: u32 = 4;
/// Known inequalities tried for one monomial.
const CANDIDATES: usize = 8;
/// Calls of a goal whose defining inequalities are used.
const CALLS: usize = 8;
/// Terms of a polynomial above which factors are not measured from their lower bounds.
const SHIFT_TERMS: usize = 32;
/// Degree above which they are not either.
const SHIFT_POWER: u32 = 4;

/// What the prover knows about a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Truth {
    /// True whatever the atoms are, as far as the facts allow.
    Yes,
    /// False whatever the atoms are, as far as the facts allow.
    No,
    /// Left to a run-time guard.
    Unknown,
}

impl Facts {
    /// Whether `c` follows from the facts.
    pub fn prove(&self, c: &Constraint) -> Truth {
        match c.op {
            CmpOp::Le => self.prove_order(&c.lhs, &c.rhs),
            CmpOp::Ge => self.prove_order(&c.rhs, &c.lhs),
            CmpOp::Eq => self.prove_eq(&c.lhs, &c.rhs),
        }
    }
    /// Whether `a == b` follows from the facts. See [`Facts::foreign_existentials`].
    pub fn prove_eq(&self, a: &Extent, b: &Extent) -> Truth {
        if a == b {
            return Truth::Yes;
        }
        if a.as_exact().is_some() && b.as_exact().is_some() {
            return Truth::No;
        }
        let Some(d) = a.sub(b).ok().and_then(|d| self.reduce(&d)) else { return Truth::Unknown };
        if d.as_exact() == Some(0) {
            return Truth::Yes;
        }
        if never_zero(&d) || self.at_least(&d, 1, 1) || self.at_least(&d, -1, 1) {
            return Truth::No;
        }
        if self.at_least(&d, 1, 0) && self.at_least(&d, -1, 0) { Truth::Yes } else { Truth::Unknown }
    }
    fn prove_order(&self, low: &Extent, high: &Extent) -> Truth {
        if let (Some(l), Some(h)) = (low.as_exact(), high.as_exact()) {
            return if l <= h { Truth::Yes } else { Truth::No };
        }
        let Some(d) = high.sub(low).ok().and_then(|d| self.reduce(&d)) else { return Truth::Unknown };
        match (self.at_least(&d, 1, 0), || self.at_least(&d, -1, 1)) {
            (true, _) => Truth::Yes,
            (false, refuted) if refuted() => Truth::No,
            _ => Truth::Unknown,
        }
    }
    /// Whether `sign * p >= least`.
    fn at_least(&self, p: &Extent, sign: i64, least: i64) -> bool {
        p.combine(sign, &Extent::exact(least), -1).is_ok_and(|p| Search::new(self).non_negative(&p))
    }
}

/// State of one proof.
pub(super) struct Search<'a> {
    facts: &'a Facts,
    /// Inequalities that hold here: definitions of calls, assumptions of the cases above.
    local: Vec<Extent>,
    /// Calls that a case above has chosen an argument for.
    decided: Vec<Arc<Call>>,
    nodes: u32,
}
impl<'a> Search<'a> {
    pub(super) fn new(facts: &'a Facts) -> Search<'a> {
        Search { facts, local: Vec::new(), decided: Vec::new(), nodes: NODES }
    }
    /// Whether `p >= 0` could be shown; `p` has known equalities substituted.
    pub(super) fn non_negative(&mut self, p: &Extent) -> bool {
        if let Some(done) = self.at_once(p) {
            return done;
        }
        self.define_calls(p);
        self.search(p, DEPTH)
    }
    /// Adds the definitions of the calls in `p`, and of those in these.
    fn define_calls(&mut self, p: &Extent) {
        let mut todo = vec![p.clone()];
        let mut seen: Vec<Arc<Call>> = Vec::new();
        while let Some(p) = todo.pop() {
            for c in p.terms().iter().flat_map(|t| t.mono.factors()).filter_map(|f| f.0.as_call()) {
                if seen.len() < CALLS && !seen.contains(c) {
                    seen.push(c.clone());
                    let known = definition(c, &|e| self.facts.range(e));
                    self.local.extend(known.iter().cloned());
                    todo.extend(known);
                }
            }
        }
    }
    /// Step 1: decided without other inequalities, either way.
    fn at_once(&self, p: &Extent) -> Option<bool> {
        let range = self.facts.range(p);
        if range.lo.is_some_and(|lo| lo >= 0) || self.shifted(p).is_some_and(|lo| lo >= 0) {
            return Some(true);
        }
        if range.hi.is_some_and(|hi| hi < 0) { Some(false) } else { None }
    }
    /// A lower bound of `p` with each factor written as its own lower bound plus something non-negative.
    fn shifted(&self, p: &Extent) -> Option<i128> {
        let poly = p.poly()?;
        let powers = || poly.terms.iter().flat_map(|t| t.mono.factors());
        let linear = poly.terms.iter().all(|t| t.mono.as_factor().is_some());
        if linear || poly.terms.len() > SHIFT_TERMS || powers().any(|f| f.1 > SHIFT_POWER) {
            return None;
        }
        let base = |f: &Factor| self.facts.range_of(f).lo.and_then(|lo| i64::try_from(lo).ok()).unwrap_or(0);
        if powers().all(|f| base(&f.0) == 0) {
            return None;
        }
        let mut sum = Extent::exact(poly.constant);
        for t in &poly.terms {
            let mut product = Extent::exact(t.coef);
            for (f, power) in t.mono.factors() {
                product = product.mul(&f.extent().ok()?.add(&Extent::exact(base(f))).ok()?.pow(*power).ok()?).ok()?;
            }
            sum = sum.add(&product).ok()?;
        }
        Range::with(&sum, &|f| self.facts.range_of(f).shift_down(i128::from(base(f)))).lo
    }
    /// `p` without the greatest monomial that divides it, if that is a non-negative one.
    fn without_common_factor(&self, p: &Extent) -> Option<Extent> {
        let poly = p.poly().filter(|q| q.constant == 0)?;
        let mut common: Option<Mono> = None;
        for t in &poly.terms {
            common = Some(match common {
                None => t.mono.clone(),
                Some(m) => m.common(&t.mono)?,
            });
        }
        let common = common?;
        if self.facts.range_of_mono(&common).lo.is_none_or(|lo| lo < 0) {
            return None;
        }
        p.divide_by(&common)
    }

    /// `p` as `at_once`, but counted.
    fn visit(&mut self, p: &Extent) -> Option<bool> {
        let cost = 1 + p.terms().len() / TERMS;
        self.nodes = self.nodes.saturating_sub(u32::try_from(cost).unwrap_or(u32::MAX));
        self.at_once(p)
    }
    /// `p` has been visited and is open.
    fn search(&mut self, p: &Extent, depth: u32) -> bool {
        if let Some(q) = self.without_common_factor(p)
            && self.visit(&q).unwrap_or_else(|| self.search(&q, depth))
        {
            return true;
        }
        let mut open = Vec::new();
        for q in self.cancellations(p) {
            if self.nodes == 0 {
                return false;
            }
            match self.visit(&q) {
                Some(true) => return true,
                Some(false) => {}
                None => open.push(q),
            }
        }
        self.by_cases(p, depth) || (depth > 0 && open.iter().any(|q| self.nodes > 0 && self.search(q, depth - 1)))
    }
    /// What is left to show after each use of one known inequality.
    fn cancellations(&self, p: &Extent) -> Vec<Extent> {
        let open_below = |t: &&Term| self.facts.range_of_mono(&t.mono).scale(i128::from(t.coef)).lo.is_none();
        let mut out = Vec::new();
        if let Some(t) = p.terms().iter().find(open_below) {
            // This one has to go in any case.
            self.cancel_term(p, t, &mut out);
            return out;
        }
        // Monomials that pull `p` down first; those that hold it up may have better bounds too.
        for sign in [-1, 1] {
            for t in p.terms().iter().filter(|t| t.coef.signum() == sign) {
                self.cancel_term(p, t, &mut out);
            }
        }
        out
    }
    fn cancel_term(&self, p: &Extent, t: &Term, out: &mut Vec<Extent>) {
        let sign = t.coef.signum();
        for (part, cofactor) in t.mono.parts() {
            let non_negative = |m: &Mono| self.facts.range_of_mono(m).lo.is_some_and(|lo| lo >= 0);
            if cofactor.as_ref().is_some_and(|m| !non_negative(m)) {
                continue;
            }
            let has = |f: &&Extent| f.terms().iter().any(|u| u.mono == part && u.coef.signum() == sign);
            let local = self.local.iter().filter(has).take(CANDIDATES);
            let known = if sign < 0 { CANDIDATES } else { 0 };
            for f in local.chain(self.facts.bounding(&part).take(known)) {
                if out.len() >= self.nodes as usize {
                    return;
                }
                out.extend(cancel(p, t.coef, f, &part, cofactor.as_ref()));
            }
        }
    }
    /// Step 3.
    fn by_cases(&mut self, p: &Extent, depth: u32) -> bool {
        let factors = p.terms().iter().flat_map(|t| t.mono.factors());
        let open = |c: &&Arc<Call>| matches!(c.op, CallOp::Min | CallOp::Max) && !self.decided.contains(c);
        let Some(call) = factors.filter_map(|f| f.0.as_call()).find(open).cloned() else { return false };
        let (locals, count) = (self.local.len(), self.decided.len());
        self.decided.push(call.clone());
        let mut proved = true;
        for chosen in &call.args {
            let Some(goal) = p.replace(&Factor::Call(call.clone()), chosen) else {
                proved = false;
                break;
            };
            for other in call.args.iter().filter(|x| *x != chosen) {
                let order = if call.op == CallOp::Min { other.sub(chosen) } else { chosen.sub(other) };
                self.local.extend(order);
            }
            let this = Factor::Call(call.clone()).extent();
            self.local.extend(this.and_then(|e| if call.op == CallOp::Min { e.sub(chosen) } else { chosen.sub(&e) }));
            proved = self.visit(&goal).unwrap_or_else(|| self.nodes > 0 && self.search(&goal, depth));
            self.local.truncate(locals);
            if !proved {
                break;
            }
        }
        self.decided.truncate(count);
        proved
    }
}

/// `s*p + s - 1 - k*cofactor*f` without the monomial `part*cofactor`, for the least positive `s` and `k`. As `p` is an
/// integer, `s*p + s - 1 >= 0` is as much as `p >= 0`.
fn cancel(p: &Extent, have: i64, f: &Extent, part: &Mono, cofactor: Option<&Mono>) -> Option<Extent> {
    let unit = f.terms().iter().find(|t| t.mono == *part)?.coef;
    let g = gcd(have.unsigned_abs(), unit.unsigned_abs());
    let scale = i64::try_from(unit.unsigned_abs() / g).ok()?;
    let times = i64::try_from(have.unsigned_abs() / g).ok()?.checked_neg()?;
    let rest = match cofactor {
        None => p.combine(scale, f, times).ok()?,
        Some(m) => p.combine(scale, &f.mul(&m.extent().ok()?).ok()?, times).ok()?,
    };
    rest.add(&Extent::exact(scale - 1)).ok()
}
