//! A shift that cancels: `exp(x − m) / Σ exp(x − m)`, `log Σ exp(x − m) + m` and `x − m − log Σ exp(x − m)` do not depend on `m`, which keeps
//! exponentials from overflowing. Their derivatives by `m` are sums of terms that cancel but for rounding, and that of the usual `m`, the
//! greatest element, looks for where it is. `m` is handed on by `stop_gradient`, so that none of this is made.
//!
//! What is shifted has to end in such forms alone, and `m` must not differ along the axes of the sum.
use crate::rewrite::Users;
use std::collections::{BTreeMap, HashSet};
use tfc_ir::op::Loops;
use tfc_ir::ops::control::STOP_GRADIENT;
use tfc_ir::ops::elementwise::{ADD, DIV, EXP, LOG, SUB};
use tfc_ir::ops::reduce::REDUCE_SUM;
use tfc_ir::ops::shape::RESHAPE;
use tfc_ir::{Builder, Def, Func, Map, NewOp, Op, OpDef, OpId, Result, ValueId};

/// The operands, by op and place, that are shifts which cancel.
pub(super) type Shifts = BTreeMap<OpId, usize>;

/// Who reads what.
struct Reads<'a> {
    f: &'a Func,
    users: Users,
    yielded: HashSet<ValueId>,
}
/// A value that another one is repeated into: that one, and for each of its axes of more than one element the axis of the value.
#[derive(Clone, PartialEq)]
struct Spread {
    of: ValueId,
    axes: Vec<(usize, usize)>,
}

/// The shifts of a function that cancel.
pub(super) fn find(f: &Func) -> Shifts {
    let mut shifts = Shifts::new();
    if !f.ops.iter().any(|op| op.def.is(&EXP)) {
        return shifts;
    }
    let users = Users::of(f);
    let yielded = f.regions.iter().flat_map(|r| r.yields.iter().copied()).collect();
    let reads = Reads { f, users, yielded };
    for op in f.ops.iter().filter(|op| op.def.is(&EXP)) {
        if let Some(found) = reads.around(op) {
            shifts.extend(found);
        }
    }
    shifts
}
impl Reads<'_> {
    fn made<'f>(&'f self, v: ValueId, by: &'static OpDef) -> Option<(OpId, &'f Op)> {
        match self.f.value(v).def {
            Def::Result(o, 0) => Some((o, self.f.op(o))).filter(|x| x.1.def.is(by) && x.1.guards.is_empty()),
            _ => None,
        }
    }
    /// What reads a value that nothing hands on.
    fn readers(&self, v: ValueId) -> Option<&[OpId]> {
        let all = self.users.of_value(v);
        let here =
            |o: &OpId| self.f.op(*o).results.first().is_some_and(|&y| self.f.value(y).region == self.f.value(v).region);
        (!self.yielded.contains(&v) && all.iter().all(here)).then_some(all)
    }
    /// What a value is repeated from, through any number of ops.
    fn spread(&self, v: ValueId) -> Spread {
        let f = self.f;
        let long = |v: ValueId| -> Option<Vec<usize>> {
            let shape = f.ty(v).exact_shape()?;
            Some((0..shape.len()).filter(|&a| shape[a] != 1).collect())
        };
        let mut s = Spread { of: v, axes: long(v).unwrap_or_default().into_iter().map(|a| (a, a)).collect() };
        while let Def::Result(o, 0) = f.value(s.of).def {
            let op = f.op(o);
            let &[x] = &op.operands[..] else { break };
            let (Some(from), Some(to), true) = (long(x), long(s.of), op.guards.is_empty()) else { break };
            // Where each long axis of the operand is in the result.
            let places: Vec<usize> = if let Loops::Repeat = op.def.loops {
                let dims = op.attrs.indices("dims");
                from.iter().filter_map(|&a| dims.get(a).copied()).collect()
            } else if op.def.is(&RESHAPE) && from.len() == to.len() {
                let (a, b) = (f.ty(x).exact_shape().unwrap_or_default(), f.ty(s.of).exact_shape().unwrap_or_default());
                if from.iter().zip(&to).any(|(&i, &j)| a[i] != b[j]) {
                    break;
                }
                to
            } else {
                break;
            };
            if places.len() != from.len() {
                break;
            }
            let next = from.iter().zip(&places).filter_map(|(&a, p)| Some((a, s.axes.iter().find(|x| x.0 == *p)?.1)));
            s = Spread { of: x, axes: next.collect() };
        }
        s
    }
    /// The values that `v` is repeated into, itself among them, and what else reads any of these.
    fn closure(&self, v: ValueId) -> Option<(HashSet<ValueId>, Vec<(OpId, ValueId)>)> {
        let (mut all, mut open, mut others) = (HashSet::from([v]), vec![v], vec![]);
        while let Some(v) = open.pop() {
            for &o in self.readers(v)? {
                let op = self.f.op(o);
                match op.results[..] {
                    [y] if matches!(op.def.loops, Loops::Repeat) || op.def.is(&RESHAPE) => {
                        if all.insert(y) {
                            open.push(y);
                        }
                    }
                    _ => others.push((o, v)),
                }
            }
        }
        Some((all, others))
    }
    /// The places of the shift of an exponential that cancels in all that is made of it.
    fn around(&self, op: &Op) -> Option<Shifts> {
        let (f, &[d], &[e]) = (self.f, &op.operands[..], &op.results[..]) else { return None };
        let (first, sub) = self.made(d, &SUB)?;
        let shift = self.spread(sub.operands[1]);
        let mut shifts = Shifts::from([(first, 1)]);
        let mut sums = vec![];
        let mut quotients = vec![];
        for &o in self.readers(e)? {
            let user = f.op(o);
            if user.def.is(&REDUCE_SUM) {
                let axes = user.attrs.indices("axes");
                if shift.axes.iter().any(|a| axes.contains(&a.1)) {
                    return None;
                }
                sums.push((*user.results.first()?, axes));
            } else if user.def.is(&DIV) && user.operands[0] == e && user.operands[1] != e {
                quotients.push(user.operands[1]);
            } else {
                return None;
            }
        }
        let [(sum, axes)] = &sums[..] else { return None };
        let (sums, readers) = self.closure(*sum)?;
        // A sum stands beside what was summed where its axes are those that were kept, in their order.
        let kept: Vec<usize> = (0..f.ty(e).rank()).filter(|a| !axes.contains(a)).collect();
        let beside = |v: ValueId| {
            let s = self.spread(v);
            s.of == *sum && s.axes.iter().all(|&(a, at)| kept.get(a) == Some(&at))
        };
        if !quotients.iter().all(|&q| sums.contains(&q) && beside(q)) {
            return None;
        }
        let mut logs = vec![];
        for (o, v) in readers {
            let user = f.op(o);
            if user.def.is(&LOG) {
                logs.push((*user.results.first()?, v));
            } else if !(user.def.is(&DIV) && user.operands[0] == e && quotients.contains(&v)) {
                return None;
            }
        }
        let mut differences = HashSet::new();
        for &(l, of) in &logs {
            // The logarithm of the sum itself, or of the sum with axes of one element.
            let places = self.spread(of);
            if places.of != *sum {
                return None;
            }
            for (o, v) in self.closure(l)?.1 {
                let user = f.op(o);
                let [x, y] = user.operands[..] else { return None };
                let s = self.spread(v);
                // For each axis of the sum, the axis here.
                let at = |a: usize| {
                    let through = places.axes.iter().find(|p| p.0 == a)?.1;
                    Some(s.axes.iter().find(|p| p.0 == through)?.1)
                };
                let long: Vec<usize> = places.axes.iter().map(|p| p.0).collect();
                if user.def.is(&SUB) && x == d && y == v && long.iter().all(|&a| at(a) == kept.get(a).copied()) {
                    differences.insert(o);
                } else if user.def.is(&ADD) && x != y {
                    let other = if x == v { y } else { x };
                    let own = self.spread(other);
                    // The shift at each place is that of the sum there.
                    let same = shift.axes.iter().all(|&(a, to)| {
                        let of_sum = kept.iter().position(|&k| k == to);
                        let here = own.axes.iter().find(|p| p.0 == a).map(|p| p.1);
                        of_sum.and_then(at) == here && here.is_some()
                    });
                    if own.of != shift.of || own.axes.len() != shift.axes.len() || !same {
                        return None;
                    }
                    shifts.insert(o, usize::from(x == v));
                } else {
                    return None;
                }
            }
        }
        // What is shifted is read by nothing else.
        let whole = |o: &OpId| differences.contains(o) || f.op(*o).results[..] == [e];
        if !self.readers(d)?.iter().all(whole) || quotients.is_empty() && logs.is_empty() {
            return None;
        }
        Some(shifts)
    }
}
/// An op with its shift handed on by `stop_gradient`.
pub(super) fn stopped(
    b: &mut Builder,
    f: &Func,
    o: OpId,
    at: usize,
    args: &[ValueId],
    map: &Map,
) -> Result<Vec<ValueId>> {
    let mut args = args.to_vec();
    args[at] = b.emit1(NewOp::new(&STOP_GRADIENT, &[args[at]]))?;
    b.emit(crate::rewrite::new_op(f, o, &args, map)?)
}
