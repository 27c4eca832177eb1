//! Integer scalars of a loop as lines over its trips: `first + step · t`. A line is found only where none of its values leaves
//! the range of the dtype, nor any on the way to it, so that the numbers are those of wrapping arithmetic.
use crate::opt::fold::number;
use std::collections::BTreeMap;
use tfc_ir::{DType, Func, ScalarOp, ValueId};

/// Most ops that lie between an index and the counter.
const DEPTH: usize = 32;

/// `first + step · t` in trip `t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) first: i128,
    pub(super) step: i128,
}
impl Line {
    pub(super) fn constant(x: i64) -> Line {
        Line { first: x.into(), step: 0 }
    }
    fn times(self, k: i128) -> Option<Line> {
        Some(Line { first: self.first.checked_mul(k)?, step: self.step.checked_mul(k)? })
    }
    fn plus(self, other: Line) -> Option<Line> {
        Some(Line { first: self.first.checked_add(other.first)?, step: self.step.checked_add(other.step)? })
    }
    /// The value in trip `t`.
    pub(super) fn at(&self, t: i64) -> i128 {
        self.first.saturating_add(self.step.saturating_mul(t.into()))
    }
}

/// The lines of one loop.
pub(super) struct Lines<'a> {
    f: &'a Func,
    /// The last trip; there is one at least.
    last: i64,
    known: BTreeMap<ValueId, Option<Line>>,
}
impl<'a> Lines<'a> {
    /// Of a loop of that many trips, at least one, whose counter is `counter`.
    pub(super) fn new(f: &'a Func, trips: i64, counter: ValueId, line: Line) -> Lines<'a> {
        Lines { f, last: trips - 1, known: BTreeMap::from([(counter, Some(line))]) }
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
        let found = match number(self.f, v) {
            Some(x) => Some(Line::constant(x)),
            None => self.computed(v, depth.checked_sub(1)?),
        };
        let found = found.filter(|l| self.fits(l, self.f.ty(v).dtype));
        self.known.insert(v, found);
        found
    }
    fn fits(&self, l: &Line, d: DType) -> bool {
        let Some((low, high)) = range(d) else { return false };
        [l.at(0), l.at(self.last)].iter().all(|x| (low..=high).contains(x))
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
            (S::Mul, [a, Line { first: k, step: 0 }] | [Line { first: k, step: 0 }, a]) => a.times(*k)?,
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
    /// How far `a` is above `b` in the first trip and in the last.
    fn ends(&self, a: Line, b: Line) -> [i128; 2] {
        [0, self.last].map(|t| a.at(t).saturating_sub(b.at(t)))
    }
    /// The one that is the larger in every trip.
    fn larger(&self, a: Line, b: Line) -> Option<Line> {
        let d = self.ends(a, b);
        match d {
            _ if d.iter().all(|d| *d >= 0) => Some(a),
            _ if d.iter().all(|d| *d <= 0) => Some(b),
            _ => None,
        }
    }
    /// What a comparison gives, where that is the same in every trip.
    fn decided(&mut self, p: ValueId, depth: usize) -> Option<bool> {
        use ScalarOp as S;
        let op = self.f.def_op(p)?;
        let (scalar, &[a, b]) = (op.def.scalar?, op.operands.as_slice()) else { return None };
        let (a, b) = (self.line(a, depth)?, self.line(b, depth)?);
        let d = self.ends(a, b);
        let all = |f: fn(i128) -> bool| d.iter().all(|&d| f(d));
        let (yes, no) = match scalar {
            S::Lt => (all(|d| d < 0), all(|d| d >= 0)),
            S::Le => (all(|d| d <= 0), all(|d| d > 0)),
            S::Gt => (all(|d| d > 0), all(|d| d <= 0)),
            S::Ge => (all(|d| d >= 0), all(|d| d < 0)),
            S::Eq => (all(|d| d == 0), all(|d| d > 0) || all(|d| d < 0)),
            S::Ne => (all(|d| d > 0) || all(|d| d < 0), all(|d| d == 0)),
            _ => return None,
        };
        if yes { Some(true) } else { no.then_some(false) }
    }
}

/// Least and largest value of an integer dtype.
pub(super) fn range(d: DType) -> Option<(i128, i128)> {
    Some(match d {
        DType::I32 => (i32::MIN.into(), i32::MAX.into()),
        DType::I64 => (i64::MIN.into(), i64::MAX.into()),
        DType::U32 => (0, u32::MAX.into()),
        DType::U64 => (0, u64::MAX.into()),
        _ => return None,
    })
}
