//! Writes loops of few trips out, where they stand in a loop: each trip with its own statements. What a trip counts becomes a constant
//! and with it the places that the trip reads and writes; what stays is straight code, which runs without bookkeeping and which other
//! passes take apart or fuse.
//!
//! Elements keep their bits: each trip computes what it computed before. Rows say what a loop's trips are (`trips`).
use crate::PassError;
use crate::rewrite::{improve, rewrite};
use std::collections::BTreeSet;
use tfc_ir::ops::control::{Checkpoint, Gather, ScanDims};
use tfc_ir::ops::shape::{CONCAT, SLICE};
use tfc_ir::outside;
use tfc_ir::{Attr, BODY, Builder, Extent, Func, Map, Module, NewOp, Op, OpId, RegionId, Result, Type, ValueId};

/// A loop of more trips stays a loop.
const MOST_TRIPS: usize = 8;
/// Most statements of all trips of one loop.
const MOST_OPS: usize = 1000;
/// Most statements that are written in a function.
const MOST_IN_ALL: usize = 8000;

/// The pass `unroll`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    let mut left = MOST_IN_ALL;
    let mut any = false;
    // Loops that hold no other such loop first: each round ends one level.
    while left > 0 {
        let changed = improve(m, |m, f| {
            let mut found = Found { loops: BTreeSet::new(), left };
            found.region(f, BODY, false)?;
            left = found.left;
            if found.loops.is_empty() {
                return Ok(None);
            }
            let (new, _) = rewrite(m, f, &mut |b, f, o, args, map| match found.loops.contains(&o) {
                true => trips(b, f, f.op(o), args, map).map(Some),
                false => Ok(None),
            })?;
            Ok(Some(new))
        })?;
        any |= changed;
        if !changed {
            break;
        }
        // What trips count are constants now, and what they would have read again is there.
        super::fold::run(m)?;
        super::simplify::run(m)?;
        super::cse::run(m)?;
        super::dce::run(m)?;
    }
    Ok(any)
}

/// The loops that are written out.
struct Found {
    loops: BTreeSet<OpId>,
    /// Statements that may still be written.
    left: usize,
}
impl Found {
    /// Looks at a region; says whether it has such a loop, and how many statements it has.
    fn region(&mut self, f: &Func, r: RegionId, in_loop: bool) -> Result<(bool, usize)> {
        let (mut any, mut ops) = (false, 0);
        for &o in &f.region(r).ops {
            let op = f.op(o);
            let repeats = op.def.control.trips.is_some() || op.def.control.repeats.is_some();
            let (mut inner, mut n) = (false, 1);
            for &r in &op.regions {
                let (found, size) = self.region(f, r, in_loop || repeats)?;
                (inner, n) = (inner | found, n + size);
            }
            if in_loop
                && !inner
                && let Some(d) = few(f, op)?
                && let Some(count) = d.length.as_exact()
            {
                let all = n * count as usize;
                if all <= MOST_OPS.min(self.left) {
                    self.left -= all;
                    self.loops.insert(o);
                    (inner, n) = (true, all);
                }
            }
            (any, ops) = (any | inner, ops + n);
        }
        Ok((any, ops))
    }
}
/// The trips of a loop that can be written out: there are few, and nothing in its body binds an extent or has a condition.
fn few(f: &Func, op: &Op) -> Result<Option<ScanDims>> {
    let Some(trips) = op.def.control.trips.filter(|_| plain(f, op)) else { return Ok(None) };
    let d = outside::column(op.def, "trips", || trips(f, op))?;
    let count = d.length.as_exact().and_then(|n| usize::try_from(n).ok());
    let stacked = d.collect.iter().all(|g| matches!(g, Gather::Stack(_)));
    let fits = count.is_some_and(|n| (1..=MOST_TRIPS).contains(&n)) && stacked && d.checkpoint == Checkpoint::None;
    Ok((fits && op.regions.len() == 1).then_some(d))
}
/// Whether an op and all in its regions have numbers for extents, and no conditions.
fn plain(f: &Func, op: &Op) -> bool {
    let exact = |v: &ValueId| f.ty(*v).exact_shape().is_some();
    op.guards.is_empty()
        && op.wheres.is_empty()
        && op.operands.iter().chain(&op.results).all(exact)
        && op.regions.iter().all(|&r| {
            let region = f.region(r);
            region.guards.is_empty()
                && region.wheres.is_empty()
                && region.params.iter().all(exact)
                && region.ops.iter().all(|&o| plain(f, f.op(o)))
        })
}
/// All trips where the builder stands; the results of the loop.
fn trips(b: &mut Builder, f: &Func, op: &Op, args: &[ValueId], map: &mut Map) -> Result<Vec<ValueId>> {
    let Some(d) = few(f, op)? else { return Ok(vec![]) };
    let count = d.length.as_exact().unwrap_or(0) as usize;
    let body = f.region(op.regions[0]);
    let (mut carries, cut) = (args[..d.carry].to_vec(), &args[d.carry..]);
    let mut collected: Vec<Vec<ValueId>> = vec![vec![]; d.collect.len()];
    for trip in 0..count {
        let at = if d.reverse { count - 1 - trip } else { trip };
        for (i, &p) in body.params.iter().enumerate() {
            let x = match carries.get(i) {
                Some(&c) => c,
                None => slice(b, cut[i - d.carry], d.cut[i - d.carry], at, f.ty(p))?,
            };
            map.insert(p, x);
        }
        for &o in &body.ops {
            b.copy(f, o, map)?;
        }
        let mut ys = map.all(&body.yields)?;
        for (list, y) in collected.iter_mut().zip(ys.split_off(d.carry)) {
            list.push(y);
        }
        carries = ys;
    }
    for ((mut list, g), &y) in collected.into_iter().zip(&d.collect).zip(&op.results[d.carry..]) {
        if d.reverse {
            list.reverse();
        }
        carries.push(stack(b, &list, *g, f.ty(y))?);
    }
    Ok(carries)
}
/// The slice of `x` at index `at` of an axis, which it does not have any more.
fn slice(b: &mut Builder, x: ValueId, axis: usize, at: usize, to: &Type) -> Result<ValueId> {
    let mut limit = b.ty(x).dims.to_vec();
    let mut start = vec![Extent::exact(0); limit.len()];
    (start[axis], limit[axis]) = (Extent::exact(at as i64), Extent::exact(at as i64 + 1));
    let op = NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(start)).attr("limit", Attr::extents(limit));
    let part = b.emit1(op)?;
    b.reshape(part, to)
}
/// What the trips collected, along a new axis of an array of type `to`.
fn stack(b: &mut Builder, list: &[ValueId], g: Gather, to: &Type) -> Result<ValueId> {
    let axis = g.axis(to.rank() - 1);
    let mut dims = to.dims.to_vec();
    dims[axis] = Extent::exact(1);
    let one = Type::new(to.dtype, dims);
    let lines = list.iter().map(|&x| b.reshape(x, &one)).collect::<Result<Vec<_>>>()?;
    match lines.as_slice() {
        &[only] => Ok(only),
        lines => b.emit1(NewOp::new(&CONCAT, lines).attr("axis", Attr::Int(axis as i64))),
    }
}
