//! [`Extent`] and its ring arithmetic, substitution and evaluation.
use std::sync::Arc;

use super::calls::{self, CallOp};
use super::poly::{Call, Factor, MAX_PRODUCTS, MAX_SIZE, Mono, Poly, Term, finish};
use super::{Atom, ExistId, SymId, overflow, too_large, unbound};
use crate::Result;

/// An extent in normal form. Cloning is cheap: an exact extent is held inline, any other behind a shared pointer.
///
/// `min` and `max` are also names of [`Ord`]: on an owned value call them as `Extent::min(&a, &b)`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Extent(Repr);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Repr {
    Exact(i64),
    Poly(Arc<Poly>),
}

impl Extent {
    /// The extent `n`.
    pub const fn exact(n: i64) -> Extent {
        Extent(Repr::Exact(n))
    }
    /// The extent that is one symbol.
    pub fn sym(s: SymId) -> Extent {
        Extent::atom(Atom::Sym(s))
    }
    /// The extent that is one existential.
    pub fn exist(e: ExistId) -> Extent {
        Extent::atom(Atom::Exist(e))
    }
    /// The extent that is one atom.
    pub fn atom(a: Atom) -> Extent {
        Extent::from_poly(Poly::of_atom(a))
    }
    /// The integer, if that is what it is.
    pub fn as_exact(&self) -> Option<i64> {
        match self.0 {
            Repr::Exact(n) => Some(n),
            Repr::Poly(_) => None,
        }
    }
    /// The atom, if the extent is that and nothing else.
    pub fn as_atom(&self) -> Option<Atom> {
        match self.as_factor()? {
            Factor::Atom(a) => Some(*a),
            Factor::Call(_) => None,
        }
    }
    pub(super) fn from_poly(p: Poly) -> Extent {
        Extent(Repr::Poly(Arc::new(p)))
    }
    pub(super) fn poly(&self) -> Option<&Poly> {
        match &self.0 {
            Repr::Exact(_) => None,
            Repr::Poly(p) => Some(p),
        }
    }
    pub(super) fn terms(&self) -> &[Term] {
        self.poly().map_or(&[], |p| &p.terms)
    }
    pub(super) fn constant(&self) -> i64 {
        match &self.0 {
            Repr::Exact(n) => *n,
            Repr::Poly(p) => p.constant,
        }
    }
    /// The factor, if the extent is one factor and nothing else.
    pub(super) fn as_factor(&self) -> Option<&Factor> {
        match self.poly() {
            Some(Poly { terms, constant: 0, .. }) => match &**terms {
                [Term { mono, coef: 1 }] => mono.as_factor(),
                _ => None,
            },
            _ => None,
        }
    }
    /// The call, if the extent is one call and nothing else.
    pub(super) fn as_call(&self) -> Option<&Arc<Call>> {
        match self.as_factor()? {
            Factor::Call(c) => Some(c),
            Factor::Atom(_) => None,
        }
    }

    /// `self * scale + other * other_scale`.
    pub(super) fn combine(&self, scale: i64, other: &Extent, other_scale: i64) -> Result<Extent> {
        let (s, o) = (i128::from(scale), i128::from(other_scale));
        let constant = i128::from(self.constant()) * s;
        let constant = constant.checked_add(i128::from(other.constant()) * o).ok_or_else(overflow)?;
        if self.poly().is_none() && other.poly().is_none() {
            return i64::try_from(constant).map(Extent::exact).map_err(|_| overflow());
        }
        let mut raw = Vec::with_capacity(self.terms().len() + other.terms().len());
        raw.extend(self.terms().iter().map(|t| (t.mono.clone(), i128::from(t.coef) * s)));
        raw.extend(other.terms().iter().map(|t| (t.mono.clone(), i128::from(t.coef) * o)));
        finish(raw, constant)
    }
    /// `self + other`.
    ///
    /// # Errors
    /// E0405 overflow, E0419 too large.
    pub fn add(&self, other: &Extent) -> Result<Extent> {
        match (self.as_exact(), other.as_exact()) {
            (Some(a), Some(b)) => a.checked_add(b).map(Extent::exact).ok_or_else(overflow),
            (Some(0), None) => Ok(other.clone()),
            (None, Some(0)) => Ok(self.clone()),
            _ => self.combine(1, other, 1),
        }
    }
    /// `self - other`.
    ///
    /// # Errors
    /// E0405 overflow, E0419 too large.
    pub fn sub(&self, other: &Extent) -> Result<Extent> {
        match (self.as_exact(), other.as_exact()) {
            (Some(a), Some(b)) => a.checked_sub(b).map(Extent::exact).ok_or_else(overflow),
            (None, Some(0)) => Ok(self.clone()),
            _ => self.combine(1, other, -1),
        }
    }
    /// `-self`.
    ///
    /// # Errors
    /// E0405 overflow.
    pub fn neg(&self) -> Result<Extent> {
        match self.as_exact() {
            Some(a) => a.checked_neg().map(Extent::exact).ok_or_else(overflow),
            None => self.combine(-1, &Extent::exact(0), 0),
        }
    }
    /// `self * other`.
    ///
    /// # Errors
    /// E0405 overflow, E0419 too large.
    pub fn mul(&self, other: &Extent) -> Result<Extent> {
        match (self.as_exact(), other.as_exact()) {
            (Some(a), Some(b)) => return a.checked_mul(b).map(Extent::exact).ok_or_else(overflow),
            (Some(1), None) => return Ok(other.clone()),
            (None, Some(1)) => return Ok(self.clone()),
            (Some(a), None) => return other.combine(a, &Extent::exact(0), 0),
            (None, Some(b)) => return self.combine(b, &Extent::exact(0), 0),
            (None, None) => {}
        }
        if (self.terms().len() + 1).saturating_mul(other.terms().len() + 1) > MAX_PRODUCTS {
            return Err(too_large());
        }
        let mut raw = Vec::new();
        for a in self.terms() {
            for b in other.terms() {
                raw.push((a.mono.mul(&b.mono)?, i128::from(a.coef) * i128::from(b.coef)));
            }
            raw.push((a.mono.clone(), i128::from(a.coef) * i128::from(other.constant())));
        }
        raw.extend(other.terms().iter().map(|b| (b.mono.clone(), i128::from(b.coef) * i128::from(self.constant()))));
        finish(raw, i128::from(self.constant()) * i128::from(other.constant()))
    }
    /// `self` to the power `e`, by repeated multiplication.
    pub(super) fn pow(&self, e: u32) -> Result<Extent> {
        if e > MAX_SIZE {
            return Err(too_large());
        }
        let mut out = Extent::exact(1);
        for _ in 0..e {
            out = out.mul(self)?;
        }
        Ok(out)
    }
    /// The lesser of the two.
    ///
    /// # Errors
    /// E0419 too large.
    pub fn min(&self, other: &Extent) -> Result<Extent> {
        calls::extremum(CallOp::Min, self, other)
    }
    /// The greater of the two.
    ///
    /// # Errors
    /// E0419 too large.
    pub fn max(&self, other: &Extent) -> Result<Extent> {
        calls::extremum(CallOp::Max, self, other)
    }
    /// `self / divisor`, rounded down.
    ///
    /// # Errors
    /// E0405 overflow, E0407 a divisor that is certainly 0, E0419 too large.
    pub fn floordiv(&self, divisor: &Extent) -> Result<Extent> {
        calls::divide(CallOp::FloorDiv, self, divisor)
    }
    /// `self / divisor`, rounded up.
    ///
    /// # Errors
    /// E0405 overflow, E0407 a divisor that is certainly 0, E0419 too large.
    pub fn ceildiv(&self, divisor: &Extent) -> Result<Extent> {
        calls::divide(CallOp::CeilDiv, self, divisor)
    }
    /// `self - divisor*floordiv(self, divisor)`: in `[0, divisor)` for a positive divisor, in `(divisor, 0]` for a
    /// negative one.
    ///
    /// # Errors
    /// E0405 overflow, E0407 a divisor that is certainly 0, E0419 too large.
    pub fn modulo(&self, divisor: &Extent) -> Result<Extent> {
        calls::modulo(self, divisor)
    }

    /// Calls `f` for every occurrence of an atom, also inside calls, in print order.
    pub fn for_each_atom(&self, f: &mut dyn FnMut(Atom)) {
        for (factor, _) in self.terms().iter().flat_map(|t| t.mono.factors()) {
            match factor {
                Factor::Atom(a) => f(*a),
                Factor::Call(c) => c.args.iter().for_each(|x| x.for_each_atom(f)),
            }
        }
    }
    /// Whether any `?r` occurs.
    pub fn mentions_existential(&self) -> bool {
        let mut found = false;
        self.for_each_atom(&mut |a| found |= matches!(a, Atom::Exist(_)));
        found
    }
    /// Whether `a` occurs.
    pub fn mentions(&self, a: Atom) -> bool {
        let mut found = false;
        self.for_each_atom(&mut |b| found |= a == b);
        found
    }
    /// Replaces atoms all at once; where `f` gives `None` the atom stays.
    ///
    /// # Errors
    /// As the arithmetic that the substituted expression needs.
    pub fn subst(&self, f: &dyn Fn(Atom) -> Option<Extent>) -> Result<Extent> {
        let mut touched = false;
        self.for_each_atom(&mut |a| touched = touched || f(a).is_some());
        if !touched {
            return Ok(self.clone());
        }
        let mut sum = Extent::exact(self.constant());
        for t in self.terms() {
            let mut product = Extent::exact(t.coef);
            for (factor, e) in t.mono.factors() {
                let value = match factor {
                    Factor::Atom(a) => f(*a).unwrap_or_else(|| Extent::atom(*a)),
                    Factor::Call(c) => {
                        let args = c.args.iter().map(|x| x.subst(f)).collect::<Result<Vec<_>>>()?;
                        calls::apply(c.op, &args)?
                    }
                };
                product = product.mul(&value.pow(*e)?)?;
            }
            sum = sum.add(&product)?;
        }
        Ok(sum)
    }
    /// The value under `value`, in 128 bits.
    pub(super) fn eval_wide(&self, value: &dyn Fn(Atom) -> Option<i64>) -> Result<i128> {
        let mut sum = i128::from(self.constant());
        for t in self.terms() {
            let mut product = i128::from(t.coef);
            for (factor, e) in t.mono.factors() {
                let v = match factor {
                    Factor::Atom(a) => i128::from(value(*a).ok_or_else(|| unbound(*a))?),
                    Factor::Call(c) => c.eval_wide(value)?,
                };
                for _ in 0..*e {
                    product = product.checked_mul(v).ok_or_else(overflow)?;
                }
            }
            sum = sum.checked_add(product).ok_or_else(overflow)?;
        }
        Ok(sum)
    }
    /// Replaces a factor of monomials, not what is inside calls.
    pub(super) fn replace(&self, old: &Factor, value: &Extent) -> Option<Extent> {
        let mut sum = Extent::exact(self.constant());
        for t in self.terms() {
            let mut product = Extent::exact(t.coef);
            for (f, e) in t.mono.factors() {
                let power = if f == old { value.pow(*e) } else { f.extent().and_then(|x| x.pow(*e)) };
                product = product.mul(&power.ok()?).ok()?;
            }
            sum = sum.add(&product).ok()?;
        }
        Some(sum)
    }
    /// `self / m`, where `m` divides every term.
    pub(super) fn divide_by(&self, m: &Mono) -> Option<Extent> {
        let (mut raw, mut constant) = (Vec::with_capacity(self.terms().len()), 0);
        if self.constant() != 0 {
            return None;
        }
        for t in self.terms() {
            match t.mono.quotient(m)? {
                Some(q) => raw.push((q, i128::from(t.coef))),
                None => constant = i128::from(t.coef),
            }
        }
        finish(raw, constant).ok()
    }
    /// `(c, rest)` with `self == c*a + rest`, `c` not 0 and `a` not in `rest`; `None` if `a` occurs otherwise or not.
    pub(super) fn linear_in(&self, a: Atom) -> Option<(i64, Extent)> {
        let this = |t: &&Term| t.mono.as_factor() == Some(&Factor::Atom(a));
        let coef = self.terms().iter().find(this)?.coef;
        let rest = self.terms().iter().filter(|t| !this(t)).map(|t| (t.mono.clone(), i128::from(t.coef))).collect();
        let rest = finish(rest, i128::from(self.constant())).ok()?;
        if rest.mentions(a) { None } else { Some((coef, rest)) }
    }
    /// `self / d`, where every coefficient and the constant divide.
    pub(super) fn divide_exactly(&self, d: i64) -> Option<Extent> {
        let (wide, mut raw) = (i128::from(d), Vec::with_capacity(self.terms().len()));
        let part = |c: i64| if i128::from(c).checked_rem(wide)? == 0 { Some(i128::from(c) / wide) } else { None };
        for t in self.terms() {
            raw.push((t.mono.clone(), part(t.coef)?));
        }
        finish(raw, part(self.constant())?).ok()
    }
}
impl From<i64> for Extent {
    fn from(n: i64) -> Extent {
        Extent::exact(n)
    }
}
/// Host sizes fit: no allocation has more than `isize::MAX` elements. A greater number saturates.
impl From<usize> for Extent {
    fn from(n: usize) -> Extent {
        Extent::exact(i64::try_from(n).unwrap_or(i64::MAX))
    }
}
