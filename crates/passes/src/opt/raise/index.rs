//! Integer scalars of a loop as lines over its trips: `first + step · t`, where `first` may be so and so many times the number
//! of trips. A line is found only where none of its values leaves the range of the dtype, nor any on the way to it, so that the
//! numbers are those of wrapping arithmetic.
use crate::opt::fold::number;
use std::collections::BTreeMap;
use tfc_ir::ops::extents::extent_of;
use tfc_ir::{CmpOp, Constraint, DType, Extent, Func, ScalarOp, ValueId};

/// Most ops that lie between an index and the counter.
const DEPTH: usize = 32;

/// How often a loop runs, given that it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Count {
    /// So often, at least once.
    Known(i64),
    /// As an extent says, which is at most this.
    Extent(Extent, i64),
}
/// `a + b · n`, where `n` is the number of trips.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub(super) a: i128,
    pub(super) b: i128,
}
impl Number {
    pub(super) fn constant(x: i64) -> Number {
        Number { a: x.into(), b: 0 }
    }
    fn times(self, k: i128) -> Option<Number> {
        Some(Number { a: self.a.checked_mul(k)?, b: self.b.checked_mul(k)? })
    }
    fn plus(self, other: Number) -> Option<Number> {
        Some(Number { a: self.a.checked_add(other.a)?, b: self.b.checked_add(other.b)? })
    }
}
impl Count {
    /// Least and largest value of a number.
    fn ends(&self, x: Number) -> (i128, i128) {
        let (low, high) = match self {
            Count::Known(n) => (*n, *n),
            Count::Extent(_, most) => (1, *most),
        };
        let at = |n: i64| x.a.saturating_add(x.b.saturating_mul(n.into()));
        (at(low).min(at(high)), at(low).max(at(high)))
    }
    /// An extent as a number.
    pub(super) fn number(&self, e: &Extent) -> Option<Number> {
        match (e.as_exact(), self) {
            (Some(x), _) => Some(Number::constant(x)),
            (None, Count::Extent(n, _)) => Some(Number { a: e.sub(n).ok()?.as_exact()?.into(), b: 1 }),
            (None, Count::Known(_)) => None,
        }
    }
    /// A number as an extent.
    pub(super) fn extent(&self, x: Number) -> Option<Extent> {
        let n = match self {
            Count::Known(n) => Extent::exact(*n),
            Count::Extent(n, _) => n.clone(),
        };
        let (a, b) = (i64::try_from(x.a).ok()?, i64::try_from(x.b).ok()?);
        n.mul(&Extent::exact(b)).and_then(|e| e.add(&Extent::exact(a))).ok()
    }
}

/// `first + step · t` in trip `t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) first: Number,
    pub(super) step: i128,
}
impl Line {
    fn constant(first: Number) -> Line {
        Line { first, step: 0 }
    }
    fn times(self, k: i128) -> Option<Line> {
        Some(Line { first: self.first.times(k)?, step: self.step.checked_mul(k)? })
    }
    fn plus(self, other: Line) -> Option<Line> {
        Some(Line { first: self.first.plus(other.first)?, step: self.step.checked_add(other.step)? })
    }
    /// The values in the first trip and in the last.
    pub(super) fn both(&self) -> Option<[Number; 2]> {
        let way = Number { a: self.step.checked_neg()?, b: self.step };
        Some([self.first, self.first.plus(way)?])
    }
}

/// The lines of one loop.
pub(super) struct Lines<'a> {
    f: &'a Func,
    pub(super) count: Count,
    known: BTreeMap<ValueId, Option<Line>>,
}
impl<'a> Lines<'a> {
    /// Of a loop that runs so often and whose counter is `counter`.
    pub(super) fn new(f: &'a Func, count: Count, counter: ValueId, line: Line) -> Lines<'a> {
        Lines { f, count, known: BTreeMap::from([(counter, Some(line))]) }
    }
    /// `v` has the line that `of` has.
    pub(super) fn same(&mut self, v: ValueId, of: ValueId) {
        let line = self.line(of, DEPTH);
        self.known.insert(v, line);
    }
    /// The line of `v`, if it is one.
    pub(super) fn of(&mut self, v: ValueId) -> Option<Line> {
        self.line(v, DEPTH)
    }
    fn line(&mut self, v: ValueId, depth: usize) -> Option<Line> {
        if let Some(l) = self.known.get(&v) {
            return *l;
        }
        let constant = match (number(self.f, v), extent_of(self.f, v)) {
            (Some(x), _) => Some(Number::constant(x)),
            (None, Some(e)) => self.count.number(e),
            (None, None) => None,
        };
        let found = match constant {
            Some(x) => Some(Line::constant(x)),
            None => self.computed(v, depth.checked_sub(1)?),
        };
        let found = found.filter(|l| self.fits(l, self.f.ty(v).dtype));
        self.known.insert(v, found);
        found
    }
    fn fits(&self, l: &Line, d: DType) -> bool {
        let (Some(range), Some(both)) = (d.int_range(), l.both()) else { return false };
        both.iter().map(|x| self.count.ends(*x)).all(|(low, high)| range.0 <= low && high <= range.1)
    }
    /// Whether the line lies within an axis of extent `n` in every trip.
    pub(super) fn inside(&self, l: &Line, n: &Extent) -> bool {
        let (Some(both), Some(n)) = (l.both(), self.count.number(n).and_then(|n| n.times(-1))) else { return false };
        let below = |x: &Number| x.plus(n).is_some_and(|d| self.count.ends(d).1 < 0);
        both.iter().all(|x| self.count.ends(*x).0 >= 0 && below(x))
    }
    /// Whether the condition holds in every trip.
    pub(super) fn holds(&self, c: &Constraint) -> bool {
        let above = || self.count.number(&c.rhs)?.plus(self.count.number(&c.lhs)?.times(-1)?);
        above().is_some_and(|d| match (c.op, self.count.ends(d)) {
            (CmpOp::Le, (low, _)) => low >= 0,
            (CmpOp::Eq, ends) => ends == (0, 0),
            _ => false,
        })
    }
    fn computed(&mut self, v: ValueId, depth: usize) -> Option<Line> {
        use ScalarOp as S;
        let op = self.f.def_op(v)?;
        let scalar = op.def.scalar.filter(|_| self.f.ty(v).is_scalar() && op.guards.is_empty())?;
        if scalar == S::Select {
            let &[p, yes, no] = op.operands.as_slice() else { return None };
            let chosen = if self.decided(p, depth)? { yes } else { no };
            return self.line(chosen, depth);
        }
        let xs: Vec<Line> = op.operands.iter().map(|&x| self.line(x, depth)).collect::<Option<_>>()?;
        Some(match (scalar, xs.as_slice()) {
            (S::Convert, [a]) => *a,
            (S::Neg, [a]) => a.times(-1)?,
            (S::Add, [a, b]) => a.plus(*b)?,
            (S::Sub, [a, b]) => a.plus(b.times(-1)?)?,
            (S::Mul, [a, k] | [k, a]) if k.step == 0 && k.first.b == 0 => a.times(k.first.a)?,
            (S::Max, [a, b]) => self.larger(*a, *b)?,
            (S::Min, [a, b]) => {
                if self.larger(*a, *b)? == *a {
                    *b
                } else {
                    *a
                }
            }
            _ => return None,
        })
    }
    /// How far `a` is above `b`: least and largest number over all trips.
    fn above(&self, a: Line, b: Line) -> Option<(i128, i128)> {
        let [first, last] = a.plus(b.times(-1)?)?.both()?.map(|d| self.count.ends(d));
        Some((first.0.min(last.0), first.1.max(last.1)))
    }
    /// The one that is the larger in every trip.
    fn larger(&self, a: Line, b: Line) -> Option<Line> {
        match self.above(a, b)? {
            (0.., _) => Some(a),
            (_, ..=0) => Some(b),
            _ => None,
        }
    }
    /// What a comparison gives, where that is the same in every trip.
    fn decided(&mut self, p: ValueId, depth: usize) -> Option<bool> {
        use ScalarOp as S;
        let op = self.f.def_op(p)?;
        let (scalar, &[a, b]) = (op.def.scalar?, op.operands.as_slice()) else { return None };
        let (a, b) = (self.line(a, depth)?, self.line(b, depth)?);
        let (low, high) = self.above(a, b)?;
        let (less, more, same) = (high < 0, low > 0, low == 0 && high == 0);
        let (yes, no) = match scalar {
            S::Lt => (less, low >= 0),
            S::Le => (high <= 0, more),
            S::Gt => (more, high <= 0),
            S::Ge => (low >= 0, less),
            S::Eq => (same, less || more),
            S::Ne => (less || more, same),
            _ => return None,
        };
        if yes { Some(true) } else { no.then_some(false) }
    }
}
