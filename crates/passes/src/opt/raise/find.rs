//! What a loop that only running it ends is as a scan: its trips, and which windows become cut and collected values.
use super::index::{Count, Line, Lines, Number};
use crate::opt::fold::number;
use std::collections::BTreeMap;
use tfc_ir::op::{PortKind, Repeats, Window};
use tfc_ir::ops::extents::extent_of;
use tfc_ir::{BODY, DType, Def, Effect, Extent, Func, Module, Op, OpId, RegionId, ScalarOp, ValueId};

/// A loop that becomes a scan.
pub(super) struct Raised {
    pub(super) trips: Trips,
    /// By carry, what becomes of it.
    pub(super) carries: Vec<Kept>,
    /// Windows that are read at another place in each trip, by the op that reads.
    pub(super) cuts: BTreeMap<OpId, Along>,
    /// The scan runs from the last index to the first.
    pub(super) reverse: bool,
}
/// How often a loop runs.
pub(super) enum Trips {
    /// So often.
    Known(i64),
    /// As often as an extent says, with an index of this dtype, whose range bounds the number.
    Extent(Extent, DType),
    /// As often as the first is above the second: integers from outside, of which the difference fits `i64`.
    Above(ValueId, ValueId),
}
/// What becomes of a carry.
pub(super) enum Kept {
    /// The value is carried.
    Carried,
    /// Every trip hands it on as it came.
    Same,
    /// Each trip writes a part of it that no other trip writes, and none reads it: the op that writes.
    Collected(OpId, Along),
}
/// Windows of extent 1 along an axis, at `first`, `first + step`, …; all of them inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Along {
    /// The value that has the windows.
    pub(super) of: ValueId,
    pub(super) axis: usize,
    /// Their places; the step is not 0.
    pub(super) line: Line,
}
impl Along {
    /// Whether the windows move to larger indices.
    pub(super) fn up(&self) -> bool {
        self.line.step > 0
    }
    /// The least index of any window, and one beyond the largest.
    pub(super) fn ends(&self, count: &Count) -> Option<(Extent, Extent)> {
        let [first, last] = self.line.both()?;
        let (low, high) = if self.up() { (first, last) } else { (last, first) };
        Some((count.extent(low)?, count.extent(Number { a: high.a.checked_add(1)?, ..high })?))
    }
}
impl Trips {
    /// Their number where there is one at least, for who asks where indices lie.
    pub(super) fn count(&self) -> Option<Count> {
        match self {
            Trips::Known(n) if *n > 0 => Some(Count::Known(*n)),
            Trips::Extent(e, d) => Some(Count::Extent(e.clone(), i64::try_from(d.int_range()?.1).ok()?)),
            _ => None,
        }
    }
}

/// Every loop of a function that becomes a scan.
pub(super) fn find(m: &Module, f: &Func) -> BTreeMap<OpId, Raised> {
    let mut around = vec![None; f.regions.len()];
    let mut loops = vec![];
    f.walk(BODY, &mut |o| {
        f.op(o).regions.iter().for_each(|r| around[r.ix()] = Some(o));
        loops.extend(f.op(o).def.control.repeats.map(|r| (o, r)));
    });
    let mut uses = vec![];
    if !loops.is_empty() {
        uses = vec![0u32; f.values.len()];
        let yields = f.regions.iter().flat_map(|r| &r.yields);
        f.ops.iter().flat_map(|o| &o.operands).chain(yields).for_each(|v| uses[v.ix()] += 1);
    }
    let found = |(o, r): (OpId, Repeats)| Some((o, Look::new(m, f, &around, &uses, o, r)?.raised()?));
    loops.into_iter().filter_map(found).collect()
}

/// One loop.
struct Look<'a> {
    f: &'a Func,
    /// The op that each region belongs to.
    around: &'a [Option<OpId>],
    uses: &'a [u32],
    op: &'a Op,
    cond: RegionId,
    body: RegionId,
}
/// A counter: which carry, its values, and how often the loop runs.
struct Counter {
    carry: usize,
    line: Option<Line>,
    trips: Trips,
}
impl<'a> Look<'a> {
    /// Of a loop whose types stay from trip to trip, with nothing to be checked but what its ops check.
    fn new(
        m: &Module,
        f: &'a Func,
        around: &'a [Option<OpId>],
        uses: &'a [u32],
        o: OpId,
        r: Repeats,
    ) -> Option<Look<'a>> {
        let op = f.op(o);
        let (&cond, &body) = (op.regions.get(r.cond)?, op.regions.get(r.body)?);
        let plain = |r: RegionId| f.region(r).guards.is_empty() && f.region(r).wheres.is_empty();
        let carries = op.operands.len();
        let same = |i: usize| {
            let ty = f.ty(op.operands[i]);
            f.ty(f.region(body).params[i]) == ty && f.ty(op.results[i]) == ty
        };
        let fixed = op.guards.is_empty() && op.wheres.is_empty() && plain(cond) && plain(body);
        let pure = f.region(cond).ops.iter().all(|&o| m.effect(f, o) == Effect::Pure);
        // What it collects besides is as long as it runs, which has a name of its own.
        let whole = op.results.len() == carries && (0..carries).all(same);
        (fixed && pure && whole).then_some(Look { f, around, uses, op, cond, body })
    }
    fn raised(&self) -> Option<Raised> {
        let f = self.f;
        let counter = self.counter()?;
        let most = self.op.attrs.extents("max_trips").first();
        if let Some(most) = most {
            match counter.trips {
                Trips::Known(n) if most.as_exact().is_some_and(|m| n <= m) => {}
                Trips::Extent(ref n, _) if n == most => {}
                _ => return None,
            }
        }
        let n = self.op.operands.len();
        let same = |i: usize| self.origin(f.region(self.body).yields[i]) == f.region(self.body).params[i];
        let mut carries: Vec<Kept> = (0..n).map(|i| if same(i) { Kept::Same } else { Kept::Carried }).collect();
        let mut cuts = BTreeMap::new();
        if let (Some(count), Some(line)) = (counter.trips.count(), counter.line) {
            let mut lines = Lines::new(f, count, f.region(self.body).params[counter.carry], line);
            for (i, c) in carries.iter().enumerate() {
                if matches!(c, Kept::Same) {
                    lines.same(f.region(self.body).params[i], self.op.operands[i]);
                }
            }
            f.walk(self.body, &mut |o| {
                if f.op(o).def.movement.window == Window::Read
                    && let Some(along) = self.cut(o, &carries, &mut lines)
                {
                    cuts.insert(o, along);
                }
            });
            for (i, c) in carries.iter_mut().enumerate() {
                if let Some((o, along)) = self.collected(i, &mut lines) {
                    *c = Kept::Collected(o, along);
                }
            }
        }
        let written = carries.iter().filter_map(|c| if let Kept::Collected(_, a) = c { Some(a) } else { None });
        let reverse = cuts.values().chain(written).next().is_some_and(|a| !a.up());
        Some(Raised { trips: counter.trips, carries, cuts, reverse })
    }
    /// The parameter of `region` of which `v` is the value.
    fn param(&self, region: RegionId, v: ValueId) -> Option<usize> {
        self.f.region(region).params.iter().position(|&p| p == v)
    }
    fn outside(&self, v: ValueId) -> bool {
        let r = self.f.value(v).region;
        !self.f.within(r, self.body) && !self.f.within(r, self.cond)
    }
    /// The value that `v` is, looked at through loops that hand it on as it came.
    fn origin(&self, mut v: ValueId) -> ValueId {
        let f = self.f;
        loop {
            let (o, carried): (OpId, Box<dyn Fn(&tfc_ir::op::Port) -> bool>) = match f.value(v).def {
                Def::Result(o, i) => (o, Box::new(move |p| p.result == Some(i as usize))),
                Def::Param(i) => match self.around[f.value(v).region.ix()] {
                    Some(o) if f.op(o).results != self.op.results => {
                        let at = f.op(o).regions.iter().position(|&r| r == f.value(v).region);
                        (o, Box::new(move |p| at.is_some_and(|r| p.params.contains(&(r, i as usize)))))
                    }
                    _ => return v,
                },
            };
            let op = f.op(o);
            let is_loop = op.def.control.trips.is_some() || op.def.control.repeats.is_some();
            let Some(ports) = op.def.control.ports.filter(|_| is_loop) else { return v };
            let Some(p) = (ports.of)(f, o).into_iter().find(|p| p.kind == PortKind::Carry && carried(p)) else {
                return v;
            };
            let handed = |&(r, i): &(usize, usize)| {
                let y = f.region(op.regions[r]).yields[i];
                p.params.iter().any(|&(q, j)| q == r && f.region(op.regions[q]).params[j] == y)
            };
            match p.operand.and_then(|i| op.operands.get(i)) {
                Some(&x) if p.yields.iter().all(handed) => v = x,
                _ => return v,
            }
        }
    }
    /// A value from outside that is `v` in every trip, `v` being of the condition or outside.
    fn bound(&self, v: ValueId) -> Option<ValueId> {
        let f = self.f;
        if let Some(i) = self.param(self.cond, v) {
            let y = f.region(self.body).yields[i];
            return (self.origin(y) == f.region(self.body).params[i]).then(|| self.op.operands[i]);
        }
        self.outside(v).then_some(v)
    }
    /// The comparison that the condition is: counter on the left.
    fn counter(&self) -> Option<Counter> {
        use ScalarOp as S;
        let f = self.f;
        let flag = *f.region(self.cond).yields.first()?;
        let op = f.def_op(flag).filter(|_| f.value(flag).region == self.cond)?;
        let (test, &[a, b]) = (op.def.scalar?, op.operands.as_slice()) else { return None };
        let turned = match test {
            S::Lt => S::Gt,
            S::Le => S::Ge,
            S::Gt => S::Lt,
            S::Ge => S::Le,
            S::Ne => S::Ne,
            _ => return None,
        };
        let counts = |v: ValueId| {
            let i = self.param(self.cond, v)?;
            Some((i, self.step(i)?))
        };
        let (test, (carry, step), bound) = match (counts(a), counts(b)) {
            (Some(c), _) => (test, c, b),
            (None, Some(c)) => (turned, c, a),
            (None, None) => return None,
        };
        let (start, dtype) = (self.op.operands[carry], f.ty(a).dtype);
        let limit = number(f, bound).or_else(|| number(f, self.bound(bound)?));
        if let (Some(s), Some(l)) = (number(f, start), limit) {
            let trips = trips(test, s, l, step, dtype)?;
            let line = Line { first: Number::constant(s), step: step.into() };
            return Some(Counter { carry, line: Some(line), trips: Trips::Known(trips) });
        }
        let limit = self.bound(bound)?;
        if let (S::Lt | S::Ne, 1, Some(0), Some(e)) = (test, step, number(f, start), extent_of(f, limit))
            && matches!(dtype, DType::I32 | DType::I64)
        {
            let line = Line { first: Number::constant(0), step: 1 };
            return Some(Counter { carry, line: Some(line), trips: Trips::Extent(e.clone(), dtype) });
        }
        // A difference that cannot leave 64 bits, whatever the values.
        let (high, low) = match (test, step) {
            (S::Lt, 1) => (limit, start),
            (S::Gt, -1) => (start, limit),
            _ => return None,
        };
        let narrow = dtype == DType::I32 || (dtype == DType::I64 && number(f, low).is_some_and(|x| x >= 0));
        narrow.then_some(Counter { carry, line: None, trips: Trips::Above(high, low) })
    }
    /// By how much each trip moves a carry.
    fn step(&self, carry: usize) -> Option<i64> {
        let f = self.f;
        let (p, y) = (f.region(self.body).params[carry], f.region(self.body).yields[carry]);
        let op = f.def_op(y).filter(|op| f.ty(y).is_scalar() && op.guards.is_empty())?;
        f.ty(y).dtype.int_range()?;
        match (op.def.scalar?, op.operands.as_slice()) {
            (ScalarOp::Add, &[a, b]) if a == p => number(f, b),
            (ScalarOp::Add, &[a, b]) if b == p => number(f, a),
            (ScalarOp::Sub, &[a, b]) if a == p => number(f, b)?.checked_neg(),
            _ => None,
        }
    }
    /// Where the windows of `op` are, of a value with these extents: one axis along which they move, extent 1 there.
    fn along(&self, op: &Op, of: ValueId, sizes: &[Extent], lines: &mut Lines) -> Option<Along> {
        let starts = op.operands.get(op.def.movement.window.starts()..)?;
        let dims = &self.f.ty(of).dims;
        let mut found = None;
        for (axis, &i) in starts.iter().enumerate() {
            let Some(line) = lines.of(i).filter(|l| l.step != 0) else { continue };
            let one = sizes.get(axis)?.as_exact() == Some(1);
            if found.is_some() || !one || !lines.inside(&line, dims.get(axis)?) {
                return None;
            }
            found = Some(Along { of, axis, line });
        }
        let (_, all) = (found.as_ref()?.ends(&lines.count)?, found);
        all
    }
    /// A window that is read of the same value in every trip, at another place in each.
    fn cut(&self, o: OpId, carries: &[Kept], lines: &mut Lines) -> Option<Along> {
        let op = self.f.op(o);
        let (&x, &y) = (op.operands.first()?, op.results.first()?);
        let of = self.origin(x);
        let of = match self.param(self.body, of) {
            Some(i) if matches!(carries[i], Kept::Same) => self.op.operands[i],
            None if self.outside(of) => of,
            _ => return None,
        };
        let safe = op.guards.iter().all(|g| lines.holds(&g.cond));
        let along = safe.then(|| self.along(op, of, &self.f.ty(y).dims, lines))?;
        // Strides are numbers, and so is what they walk over.
        along.filter(|a| matches!(a.line.step, 1 | -1) || matches!(lines.count, Count::Known(_)))
    }
    /// A carry of which each trip replaces another whole part, and that nobody else reads.
    fn collected(&self, i: usize, lines: &mut Lines) -> Option<(OpId, Along)> {
        let f = self.f;
        let (p, y) = (f.region(self.body).params[i], f.region(self.body).yields[i]);
        let Def::Result(o, _) = f.value(y).def else { return None };
        let op = f.op(o);
        let (&x, &part) = (op.operands.first()?, op.operands.get(1)?);
        let alone = self.uses[p.ix()] == 1 && self.uses[y.ix()] == 1 && self.param(self.body, x) == Some(i);
        let read = self.uses[f.region(self.cond).params[i].ix()] > 0;
        let here = f.value(y).region == self.body
            && op.def.movement.window == Window::Written
            && op.guards.iter().all(|g| lines.holds(&g.cond));
        if !alone || read || !here {
            return None;
        }
        let along = self.along(op, self.op.operands[i], &f.ty(part).dims, lines)?;
        // A part of a buffer, one piece of it, is put back at a number.
        let number = along.ends(&lines.count)?.0.as_exact().is_some();
        if !number || !matches!(along.line.step, 1 | -1) {
            return None;
        }
        let (whole, part) = (f.ty(x), f.ty(part));
        (whole.without(&[along.axis]) == part.without(&[along.axis])).then_some((o, along))
    }
}
/// How often `for (i = start; i test bound; i += step)` runs, where the counter never leaves its dtype.
fn trips(test: ScalarOp, start: i64, bound: i64, step: i64, dtype: DType) -> Option<i64> {
    use ScalarOp as S;
    let (start, step) = (i128::from(start), i128::from(step));
    // How far the counter may go, in its direction.
    let way = (i128::from(bound) - start) * step.signum();
    let n = match test {
        S::Lt if step > 0 => (way.max(0) + step - 1) / step,
        S::Gt if step < 0 => (way.max(0) - step - 1) / -step,
        S::Le if step > 0 => (way + step).max(0) / step,
        S::Ge if step < 0 => (way - step).max(0) / -step,
        S::Ne if step != 0 && way >= 0 && way % step == 0 => way / step.abs(),
        _ => return None,
    };
    let (low, high) = dtype.int_range()?;
    (low..=high).contains(&(start + n * step)).then(|| i64::try_from(n).ok())?
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    /// Runs the loop that is asked about.
    fn run(test: ScalarOp, start: i32, bound: i32, step: i32) -> Option<i64> {
        let (mut i, mut n) = (start, 0);
        loop {
            let goes = match test {
                ScalarOp::Lt => i < bound,
                ScalarOp::Le => i <= bound,
                ScalarOp::Gt => i > bound,
                ScalarOp::Ge => i >= bound,
                _ => i != bound,
            };
            if !goes {
                return Some(n);
            }
            i = i.checked_add(step)?;
            n += 1;
        }
    }
    fn trips_are_those_of_the_loop() {
        use ScalarOp as S;
        let ends = [-3, -1, 0, 1, 2, 7, i32::MIN, i32::MIN + 2, i32::MAX - 3, i32::MAX];
        let near = |a: i32, b: i32| (i64::from(a) - i64::from(b)).abs() < 20;
        let mut known = 0;
        for test in [S::Lt, S::Le, S::Gt, S::Ge, S::Ne] {
            for start in ends {
                for bound in ends.into_iter().filter(|&b| near(start, b)) {
                    for step in [-3, -2, -1, 1, 2, 3] {
                        let found = trips(test, start.into(), bound.into(), step.into(), DType::I32);
                        let up = matches!(test, S::Lt | S::Le);
                        let runs_away = match test {
                            S::Ne => {
                                (i64::from(bound) - i64::from(start)) % i64::from(step) != 0
                                    || (bound < start) == (step > 0) && bound != start
                            }
                            _ => up != (step > 0),
                        };
                        if runs_away {
                            assert_eq!(found, None, "{test:?} {start} {bound} {step}");
                        } else {
                            known += 1;
                            assert_eq!(found, run(test, start, bound, step), "{test:?} {start} {bound} {step}");
                        }
                    }
                }
            }
        }
        assert!(known > 100);
    }
    /// All of them.
    pub const ALL: &[fn()] = &[trips_are_those_of_the_loop];
}
