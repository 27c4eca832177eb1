//! Intervals of extents, in 128 bits: an end that is not known, or does not fit, is open.
use super::calls::CallOp;
use super::normal::Extent;
use super::poly::{Call, Factor, Mono};
use super::{ceil_div, floor_div};

/// The integers from `lo` to `hi`, both included; `None` is infinite.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) struct Range {
    pub(super) lo: Option<i128>,
    pub(super) hi: Option<i128>,
}
impl Range {
    /// Everything.
    pub(super) const ALL: Range = Range { lo: None, hi: None };
    /// What is true of every atom.
    pub(super) const NON_NEGATIVE: Range = Range { lo: Some(0), hi: None };

    pub(super) fn exact(n: i128) -> Range {
        Range { lo: Some(n), hi: Some(n) }
    }
    pub(super) fn excludes_zero(self) -> bool {
        self.lo.is_some_and(|l| l > 0) || self.hi.is_some_and(|h| h < 0)
    }
    /// Both hold.
    pub(super) fn meet(self, other: Range) -> Range {
        let pick = |a: Option<i128>, b: Option<i128>, f: fn(i128, i128) -> i128| match (a, b) {
            (Some(x), Some(y)) => Some(f(x, y)),
            (x, y) => x.or(y),
        };
        Range { lo: pick(self.lo, other.lo, i128::max), hi: pick(self.hi, other.hi, i128::min) }
    }
    /// The range of `x - by`.
    pub(super) fn shift_down(self, by: i128) -> Range {
        Range { lo: self.lo.and_then(|x| x.checked_sub(by)), hi: self.hi.and_then(|x| x.checked_sub(by)) }
    }
    pub(super) fn is_empty(self) -> bool {
        self.lo.zip(self.hi).is_some_and(|(l, h)| l > h)
    }
    pub(super) fn add(self, other: Range) -> Range {
        let sum = |a: Option<i128>, b: Option<i128>| a.zip(b).and_then(|(x, y)| x.checked_add(y));
        Range { lo: sum(self.lo, other.lo), hi: sum(self.hi, other.hi) }
    }
    pub(super) fn scale(self, c: i128) -> Range {
        let times = |a: Option<i128>| a.and_then(|x| x.checked_mul(c));
        match c {
            0 => Range::exact(0),
            _ if c > 0 => Range { lo: times(self.lo), hi: times(self.hi) },
            _ => Range { lo: times(self.hi), hi: times(self.lo) },
        }
    }
    pub(super) fn mul(self, other: Range) -> Range {
        if let (Some(a), Some(b)) = (self.lo, self.hi)
            && a == b
        {
            return other.scale(a);
        }
        if let (Some(a), Some(b)) = (other.lo, other.hi)
            && a == b
        {
            return self.scale(a);
        }
        match (self.lo, self.hi, other.lo, other.hi) {
            (Some(a), Some(b), Some(c), Some(d)) => {
                let products = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
                let all = products.iter().copied().collect::<Option<Vec<i128>>>();
                Range {
                    lo: all.as_ref().and_then(|v| v.iter().min().copied()),
                    hi: all.and_then(|v| v.iter().max().copied()),
                }
            }
            // One of them is open: only the case of two non-negative ones is worth the words.
            (Some(a), hi, Some(c), other_hi) if a >= 0 && c >= 0 => {
                Range { lo: a.checked_mul(c).or(Some(0)), hi: hi.zip(other_hi).and_then(|(x, y)| x.checked_mul(y)) }
            }
            _ => Range::ALL,
        }
    }
    fn pow(self, e: u32) -> Range {
        let mut out = self;
        for _ in 1..e {
            out = out.mul(self);
        }
        // An even power is no product of independent values.
        if e.is_multiple_of(2) { out.meet(Range::NON_NEGATIVE) } else { out }
    }

    /// Range of the value of a call, wherever it is defined, from those of its arguments.
    pub(super) fn of_call(op: CallOp, args: &[Range]) -> Range {
        match (op, args) {
            (CallOp::Min, _) => Range {
                lo: args.iter().map(|r| r.lo).collect::<Option<Vec<_>>>().and_then(|v| v.into_iter().min()),
                hi: args.iter().filter_map(|r| r.hi).min(),
            },
            (CallOp::Max, _) => Range {
                lo: args.iter().filter_map(|r| r.lo).max(),
                hi: args.iter().map(|r| r.hi).collect::<Option<Vec<_>>>().and_then(|v| v.into_iter().max()),
            },
            (CallOp::FloorDiv, [x, d]) => quotient(*x, *d, floor_div),
            (CallOp::CeilDiv, [x, d]) => quotient(*x, *d, ceil_div),
            (CallOp::Mod, [x, d]) => remainder(*x, *d),
            _ => Range::ALL,
        }
    }
    /// Range of a monomial, with the range of each factor given.
    pub(super) fn of_mono(m: &Mono, of: &dyn Fn(&Factor) -> Range) -> Range {
        m.factors().iter().fold(Range::exact(1), |product, (f, power)| product.mul(of(f).pow(*power)))
    }
    /// Range of a polynomial, with the range of each factor given.
    pub(super) fn with(e: &Extent, of: &dyn Fn(&Factor) -> Range) -> Range {
        let mut sum = Range::exact(i128::from(e.constant()));
        for t in e.terms() {
            sum = sum.add(Range::of_mono(&t.mono, of).scale(i128::from(t.coef)));
        }
        sum
    }
    /// What the form alone says: atoms are ≥ 0.
    pub(super) fn intrinsic(e: &Extent) -> Range {
        Range::with(e, &Factor::range)
    }
}
impl Factor {
    /// What the form alone says of a factor.
    pub(super) fn range(&self) -> Range {
        match self {
            Factor::Atom(_) => Range::NON_NEGATIVE,
            Factor::Call(c) => c.range,
        }
    }
}
impl Call {
    /// The range from ranges of the factors inside, cut to what the form alone says.
    pub(super) fn range_with(&self, of: &dyn Fn(&Factor) -> Range) -> Range {
        let args: Vec<Range> = self.args.iter().map(|x| Range::with(x, of)).collect();
        self.range.meet(Range::of_call(self.op, &args))
    }
}

/// A defined quotient has a divisor other than 0; only positive divisors are followed.
fn quotient(x: Range, d: Range, round: fn(i128, i128) -> Option<i128>) -> Range {
    let Some(low) = d.lo.filter(|l| *l >= 0).map(|l| l.max(1)) else { return Range::ALL };
    // A non-negative dividend gives its least quotient with the greatest divisor, a negative one with the least.
    let towards = |v: i128, least: bool| match if (v >= 0) == least { d.hi } else { Some(low) } {
        Some(by) => round(v, by),
        // As with a divisor greater than any dividend.
        None => round(v.signum(), 2),
    };
    Range { lo: x.lo.and_then(|v| towards(v, true)), hi: x.hi.and_then(|v| towards(v, false)) }
}
fn remainder(x: Range, d: Range) -> Range {
    if d.lo.is_none_or(|l| l < 0) {
        return Range::ALL;
    }
    let below = Range { lo: Some(0), hi: d.hi.map(|h| (h - 1).max(0)) };
    if x.lo.is_some_and(|l| l >= 0) { below.meet(Range { lo: None, hi: x.hi }) } else { below }
}
