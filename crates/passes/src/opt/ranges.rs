//! Finds between which numbers integers lie, and writes what that decides: comparisons, and the larger or the smaller of two numbers. An
//! index that other systems write as "the index, or that plus the extent if it is below zero" is the index where it counts something.
//!
//! A range holds for all elements of a value. Counters of loops of a known number of trips have one, `iota`, what is left of divisions,
//! truth values; sums and products of what has one have one where no number of the dtype is exceeded. Rows say what is computed element
//! by element (`scalar`), what only moves elements (`moved`, `element`, `window`), and what loops and branches hand on (`ports`, `trips`).
use crate::PassError;
use crate::rewrite::{improve, rewrite};
use std::collections::HashMap;
use tfc_ir::op::{PortKind, Window};
use tfc_ir::ops::constant::IOTA;
use tfc_ir::{Builder, DType, Def, Func, Map, Module, Op, OpId, RegionId, Result, ScalarOp, ValueId, outside};

/// Elements of a constant that are looked at, at most.
const MOST: usize = 4096;

/// The least and the largest number that a value's elements may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    low: i128,
    high: i128,
}
impl Range {
    fn new(low: i128, high: i128) -> Range {
        Range { low, high }
    }
    /// Of all numbers of a dtype; `None` for what is no number that this file knows.
    fn all(d: DType) -> Option<Range> {
        if d == DType::Bool { Some(Range::new(0, 1)) } else { d.int_range().map(|(low, high)| Range { low, high }) }
    }
    fn join(self, o: Range) -> Range {
        Range::new(self.low.min(o.low), self.high.max(o.high))
    }
    /// The least and the largest of some numbers.
    fn of(all: impl IntoIterator<Item = Option<i128>>) -> Option<Range> {
        let mut range: Option<Range> = None;
        for x in all {
            let one = Range::new(x?, x?);
            range = Some(range.map_or(one, |r| r.join(one)));
        }
        range
    }
}

/// The pass `ranges`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    improve(m, |m, f| {
        if !f.ops.iter().any(|op| decidable(f, op)) {
            return Ok(None);
        }
        let known = Known::of(f)?;
        let (new, changed) = rewrite(m, f, &mut |b, f, o, args, map| known.decided(b, f, o, args, map))?;
        Ok(changed.then_some(new))
    })
}
/// Whether an op is one that ranges may decide.
fn decidable(f: &Func, op: &Op) -> bool {
    use ScalarOp::*;
    let decides = matches!(op.def.scalar, Some(Eq | Ne | Lt | Le | Gt | Ge | Max | Min | Clamp | Rem));
    decides && op.operands.first().is_some_and(|&x| f.ty(x).dtype.is_int())
}

/// The ranges of a function's values.
struct Known {
    ranges: Vec<Option<Range>>,
    /// Carries of loops that nothing is known of before their trips are.
    carries: HashMap<ValueId, Range>,
}
impl Known {
    fn of(f: &Func) -> Result<Known> {
        let all = || f.values.iter().map(|v| Range::all(v.ty.dtype)).collect();
        let mut known = Known { ranges: all(), carries: HashMap::new() };
        // What a trip hands on does not depend on what is carried where it is known before the carry is. So it is known the second time.
        for first in [true, false] {
            known.region(f, tfc_ir::BODY)?;
            if first {
                known.carried(f)?;
                known.ranges = all();
            }
        }
        Ok(known)
    }
    fn get(&self, v: ValueId) -> Option<Range> {
        self.ranges[v.ix()]
    }
    fn set(&mut self, v: ValueId, r: Option<Range>) {
        if r.is_some() && self.ranges[v.ix()].is_some() {
            self.ranges[v.ix()] = r;
        }
    }
    fn region(&mut self, f: &Func, r: RegionId) -> Result<()> {
        for &o in &f.region(r).ops {
            self.op(f, o)?;
        }
        Ok(())
    }
    fn op(&mut self, f: &Func, o: OpId) -> Result<()> {
        let op = f.op(o);
        if op.regions.is_empty() {
            if let &[y] = &op.results[..] {
                let r = self.result(f, op, y);
                self.set(y, r);
            }
            return Ok(());
        }
        let Some(ports) = op.def.control.ports else {
            return op.regions.iter().try_for_each(|&r| self.region(f, r));
        };
        let ports = (ports.of)(f, o);
        let at = |&(r, i): &(usize, usize)| op.regions.get(r).map(|&r| (r, i));
        for p in &ports {
            let Some(x) = p.operand.and_then(|i| op.operands.get(i)) else { continue };
            for (r, i) in p.params.iter().filter_map(at) {
                let Some(&v) = f.region(r).params.get(i) else { continue };
                let r = match p.kind {
                    PortKind::In => self.get(*x),
                    PortKind::Carry => self.counter(f, op, p.operand, v, *x)?.or(self.carries.get(&v).copied()),
                    _ => None,
                };
                self.set(v, r);
            }
        }
        op.regions.iter().try_for_each(|&r| self.region(f, r))?;
        for p in &ports {
            let Some(&y) = p.result.and_then(|i| op.results.get(i)) else { continue };
            let mut r = p.operand.filter(|_| p.kind == PortKind::Carry).and_then(|i| self.get(op.operands[i]));
            let first = r.is_none() && p.kind != PortKind::Carry;
            for (k, (q, i)) in p.yields.iter().filter_map(at).enumerate() {
                let y = f.region(q).yields.get(i).and_then(|&v| self.get(v));
                r = if first && k == 0 { y } else { r.zip(y).map(|(a, b)| a.join(b)) };
            }
            if !p.yields.is_empty() {
                self.set(y, r);
            }
        }
        Ok(())
    }
    /// The range of a carry that each trip of a loop changes by one constant.
    fn counter(&self, f: &Func, op: &Op, operand: Option<usize>, param: ValueId, x: ValueId) -> Result<Option<Range>> {
        let (Some(trips), &[body], Some(i)) = (op.def.control.trips, &op.regions[..], operand) else { return Ok(None) };
        let (Some(&y), Some(begin)) = (f.region(body).yields.get(i), self.get(x)) else { return Ok(None) };
        let d = outside::column(op.def, "trips", || trips(f, op))?;
        let Some(trips) = d.length.as_exact().filter(|_| i < d.carry) else { return Ok(None) };
        let Some(by) = step(f, param, y) else { return Ok(None) };
        let Some(far) = by.checked_mul(i128::from(trips)) else { return Ok(None) };
        // The last trip hands on what no trip reads; it has to be a number all the same.
        let reach = Range::new(begin.low + far.min(0), begin.high + far.max(0));
        let fits = Range::all(f.ty(param).dtype).is_some_and(|all| all.low <= reach.low && reach.high <= all.high);
        let last = by * i128::from((trips - 1).max(0));
        Ok(fits.then(|| Range::new(begin.low + last.min(0), begin.high + last.max(0))))
    }
    /// Notes of each carry the range of what it begins with and what trips hand on, whatever it is in them.
    fn carried(&mut self, f: &Func) -> Result<()> {
        for (i, op) in f.ops.iter().enumerate() {
            let Some(ports) = op.def.control.ports else { continue };
            for p in (ports.of)(f, OpId(i as u32)).iter().filter(|p| p.kind == PortKind::Carry) {
                let Some(&x) = p.operand.and_then(|i| op.operands.get(i)) else { continue };
                let of = |&(r, i): &(usize, usize)| Some(*f.region(*op.regions.get(r)?).yields.get(i)?);
                let Some(yields) = p.yields.iter().map(of).collect::<Option<Vec<_>>>() else { continue };
                let handed = yields.iter().try_fold(self.get(x), |r, &y| Some(Some(r?.join(self.get(y)?)))).flatten();
                let Some(range) = handed.filter(|_| !yields.is_empty()) else { continue };
                let params = p.params.iter().filter_map(|&(r, i)| f.region(*op.regions.get(r)?).params.get(i));
                self.carries.extend(params.map(|&v| (v, range)));
            }
        }
        Ok(())
    }
    /// The range of the result of an op without regions.
    fn result(&self, f: &Func, op: &Op, y: ValueId) -> Option<Range> {
        let dtype = f.ty(y).dtype;
        let all = Range::all(dtype)?;
        let x = |i: usize| op.operands.get(i).and_then(|&v| self.get(v));
        let moves = op.def.movement.moved.is_some() || op.def.movement.element.is_some();
        let r = if let Some(scalar) = op.def.scalar {
            let from = f.ty(*op.operands.first()?).dtype;
            let rounds = scalar == ScalarOp::Convert && Range::all(from).is_none();
            if rounds { None } else { of(scalar, [x(0), x(1), x(2)]) }
        } else if op.def.is(&IOTA) {
            let n = f.ty(y).dims.get(usize::try_from(op.attrs.int("axis")).ok()?)?.as_exact()?;
            Some(Range::new(0, i128::from((n - 1).max(0))))
        } else if op.def.constant {
            let t = op.attrs.tensor("splat").or_else(|| op.attrs.tensor("value")).filter(|t| t.len() <= MOST)?;
            match dtype {
                DType::Bool => Range::of([Some(i128::from(t.item::<bool>()?))]),
                _ => Range::of(t.ints()?.into_iter().map(Some)),
            }
        } else if op.def.movement.window == Window::Read {
            x(0)
        } else if op.def.movement.window == Window::Written {
            Some(x(0)?.join(x(1)?))
        } else if moves {
            op.operands.iter().try_fold(x(0)?, |r, &v| Some(r.join(self.get(v)?)))
        } else {
            None
        }?;
        // What would exceed the dtype wraps.
        Some(if r.low < all.low || r.high > all.high { all } else { r })
    }
    /// What takes the place of an op that ranges decide.
    fn decided(
        &self,
        b: &mut Builder,
        f: &Func,
        o: OpId,
        args: &[ValueId],
        map: &mut Map,
    ) -> Result<Option<Vec<ValueId>>> {
        use ScalarOp::*;
        let op = f.op(o);
        let (true, Some(scalar), &[y]) = (decidable(f, op), op.def.scalar, &op.results[..]) else { return Ok(None) };
        if !op.guards.is_empty() || !op.wheres.is_empty() {
            return Ok(None);
        }
        let range = |i: usize| op.operands.get(i).and_then(|&v| self.get(v));
        let like = |i: usize| op.operands.get(i).is_some_and(|&v| f.ty(v) == f.ty(y));
        let (Some(l), Some(r)) = (range(0), range(1)) else { return Ok(None) };
        let kept = match scalar {
            Max if l.low >= r.high => Some(0),
            Max if r.low >= l.high => Some(1),
            Min if l.high <= r.low => Some(0),
            Min if r.high <= l.low => Some(1),
            Clamp if l.high <= r.low && range(2).is_some_and(|h| r.high <= h.low) => Some(1),
            Rem if l.low >= 0 && r.low > l.high => Some(0),
            _ => None,
        };
        if let Some(i) = kept.filter(|&i| like(i)) {
            return Ok(Some(vec![args[i]]));
        }
        let Some(truth) = compared(scalar, l, r) else { return Ok(None) };
        let ty = map.ty(f.ty(y))?;
        Ok(Some(vec![b.splat(&ty, f64::from(u8::from(truth)))?]))
    }
}
/// By how much a value is more than `from`, always.
fn step(f: &Func, from: ValueId, v: ValueId) -> Option<i128> {
    if v == from {
        return Some(0);
    }
    let Def::Result(o, 0) = f.value(v).def else { return None };
    let op = f.op(o);
    let &[l, r] = &op.operands[..] else { return None };
    let number = |v: ValueId| {
        let op = f.def_op(v).filter(|op| op.def.constant)?;
        op.attrs.tensor("splat").or_else(|| op.attrs.tensor("value"))?.int()
    };
    match op.def.scalar? {
        ScalarOp::Add if l == from => number(r),
        ScalarOp::Add if r == from => number(l),
        ScalarOp::Sub if l == from => number(r).map(|x| -x),
        _ => None,
    }
}
/// What a comparison of integers is, where ranges tell.
fn compared(op: ScalarOp, l: Range, r: Range) -> Option<bool> {
    use ScalarOp::*;
    let (less, at_most) = (l.high < r.low, l.high <= r.low);
    let (more, at_least) = (l.low > r.high, l.low >= r.high);
    let same = at_most && at_least;
    let pick = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
    match op {
        Lt => pick(less, at_least),
        Le => pick(at_most, more),
        Gt => pick(more, at_most),
        Ge => pick(at_least, less),
        Eq => pick(same, less || more),
        Ne => pick(less || more, same),
        _ => None,
    }
}
/// The range of a function of integers or truth values; numbers beyond those of the dtype say that it wraps.
fn of(op: ScalarOp, x: [Option<Range>; 3]) -> Option<Range> {
    use ScalarOp::*;
    let [a, b, c] = x;
    let ends = |f: fn(i128, i128) -> Option<i128>| {
        let (a, b) = (a?, b?);
        Range::of([f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)])
    };
    match op {
        Convert => a,
        Neg => a.map(|a| Range::new(-a.high, -a.low)),
        Abs => a.map(|a| {
            let low = if a.low <= 0 && a.high >= 0 { 0 } else { a.low.abs().min(a.high.abs()) };
            Range::new(low, a.low.abs().max(a.high.abs()))
        }),
        Sign => a.map(|a| Range::new(a.low.signum(), a.high.signum())),
        Add => ends(i128::checked_add),
        Sub => ends(i128::checked_sub),
        Mul => ends(i128::checked_mul),
        Max => ends(|x, y| Some(x.max(y))),
        Min => ends(|x, y| Some(x.min(y))),
        // By what is never 0, and not the least number by −1, which wraps: it is not in the range.
        Div => ends(|x, y| x.checked_div(y)).filter(|_| b.is_some_and(|b| b.low > 0)),
        Rem => {
            let (a, b) = (a?, b.filter(|b| b.low > 0)?);
            let most = b.high - 1;
            Some(Range::new(a.low.clamp(-most, 0), a.high.clamp(0, most)))
        }
        // Of what is not below zero, no bit is set that is not in both.
        And => {
            let (a, b) = (a?, b?);
            match (a.low >= 0, b.low >= 0) {
                (true, true) => Some(Range::new(0, a.high.min(b.high))),
                (true, false) => Some(Range::new(0, a.high)),
                (false, true) => Some(Range::new(0, b.high)),
                _ => None,
            }
        }
        Clamp => {
            let (low, x, high) = (a?, b?, c?);
            let at = |l: i128, x: i128, h: i128| x.max(l).min(h);
            Some(Range::new(at(low.low, x.low, high.low), at(low.high, x.high, high.high)))
        }
        Select => match (a?, b?, c?) {
            (p, t, _) if p.low == 1 => Some(t),
            (p, _, e) if p.high == 0 => Some(e),
            (_, t, e) => Some(t.join(e)),
        },
        Eq | Ne | Lt | Le | Gt | Ge => {
            let known = compared(op, a?, b?).map(i128::from);
            Some(known.map_or(Range::new(0, 1), |k| Range::new(k, k)))
        }
        _ => None,
    }
}
