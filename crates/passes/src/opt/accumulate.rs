//! Adds a part to a sum where the part is. The derivative of a loop that reads a row of an array at each trip, written out by another
//! system, puts the row's derivative into an array of zeros and adds that to the sum so far: each trip writes and reads the whole array. Instead
//! the row is added to that row of the sum, which an engine does in place.
//!
//! Elsewhere the sum gets a zero, by which −0 would become 0. So it has to be known that the sum is nowhere −0: a sum is −0 only where
//! both terms are.
use crate::PassError;
use crate::rewrite::{improve, rewrite, uses};
use std::collections::{BTreeMap, BTreeSet};
use tfc_ir::op::Window;
use tfc_ir::ops::constant::splat_of;
use tfc_ir::ops::elementwise::ADD;
use tfc_ir::ops::shape::DYNAMIC_UPDATE_SLICE;
use tfc_ir::{BODY, Func, Module, NewOp, Op, OpId, Result, ValueId, outside};

/// The pass `accumulate`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    let changed = improve(m, |m, f| {
        if !f.ops.iter().any(|op| op.def.is(&DYNAMIC_UPDATE_SLICE)) {
            return Ok(None);
        }
        let (uses, positive) = (uses(f), without_minus_zero(f)?);
        let (new, changed) = rewrite(m, f, &mut |b, f, o, _, map| {
            let op = f.op(o);
            let (&[l, r], &[y], true) = (&op.operands[..], &op.results[..], op.def.is(&ADD) && plain(op)) else {
                return Ok(None);
            };
            let here = f.value(y).region;
            let part = |v: ValueId| f.def_op(v).filter(|d| part_of_zeros(f, d) && uses[v.ix()] == 1);
            let found = [(l, r, true), (r, l, false)].into_iter().find_map(|(sum, v, first)| {
                let d = part(v).filter(|_| f.value(v).region == here && positive[sum.ix()])?;
                Some((sum, d, first))
            });
            let Some((sum, d, first)) = found else { return Ok(None) };
            let (x, u, at) = (map.value(sum)?, map.value(d.operands[1])?, map.list(&d.operands[2..])?);
            let sizes = b.ty(u).dims.to_vec();
            let row = b.dynamic_slice(x, &at, sizes)?;
            // The order of the terms decides which NaN a sum of two is.
            let row = b.emit1(NewOp::new(&ADD, &if first { [row, u] } else { [u, row] }))?;
            let operands = [&[x, row], &at[..]].concat();
            Ok(Some(vec![b.emit1(NewOp::new(&DYNAMIC_UPDATE_SLICE, &operands))?]))
        })?;
        Ok(changed.then_some(new))
    })?;
    Ok(if changed { super::dce::run(m)? || changed } else { false })
}
fn plain(op: &Op) -> bool {
    op.guards.is_empty() && op.wheres.is_empty()
}
/// Whether an op puts a value into zeros that are many more than its elements.
fn part_of_zeros(f: &Func, op: &Op) -> bool {
    let (true, [zeros, u, ..]) = (op.def.is(&DYNAMIC_UPDATE_SLICE) && plain(op), &op.operands[..]) else {
        return false;
    };
    let fewer =
        f.ty(*u).dims.iter().zip(f.ty(*zeros).dims.iter()).any(|(part, all)| match (part.as_exact(), all.as_exact()) {
            (Some(p), Some(n)) => p <= n / 2,
            (Some(1), None) => true,
            _ => false,
        });
    fewer && splat_of(f, *zeros).is_some_and(|z| z.to_bits() == 0)
}
/// Which values have nowhere the element −0, by value.
fn without_minus_zero(f: &Func) -> Result<Vec<bool>> {
    let mut carries = BTreeMap::new();
    for (i, op) in f.ops.iter().enumerate() {
        if let (Some(trips), [_]) = (op.def.control.trips, &op.regions[..]) {
            carries.insert(OpId(i as u32), outside::column(op.def, "trips", || trips(f, op))?.carry);
        }
    }
    // What is carried is taken to have none until that turns out to be wrong.
    let mut wrong = BTreeSet::new();
    loop {
        let known = none_but(f, &carries, &wrong);
        let before = wrong.len();
        for (&o, &n) in &carries {
            let (op, region) = (f.op(o), f.region(f.op(o).regions[0]));
            let carried = region.params.iter().zip(&op.operands).zip(&region.yields).take(n);
            wrong.extend(carried.filter(|((_, x), y)| !(known[x.ix()] && known[y.ix()])).map(|((&p, _), _)| p));
        }
        if wrong.len() == before {
            return Ok(known);
        }
    }
}
/// The same, where the first so many parameters of the loops have none, but these.
fn none_but(f: &Func, carries: &BTreeMap<OpId, usize>, wrong: &BTreeSet<ValueId>) -> Vec<bool> {
    let without = |v: usize| !f.values[v].ty.dtype.is_float() && !f.values[v].ty.dtype.is_complex();
    let mut known: Vec<bool> = (0..f.values.len()).map(without).collect();
    f.walk(BODY, &mut |o| {
        let op = f.op(o);
        if let Some(&n) = carries.get(&o) {
            for (i, (p, x)) in f.region(op.regions[0]).params.iter().zip(&op.operands).enumerate() {
                let none = if i < n { !wrong.contains(p) } else { known[x.ix()] };
                known[p.ix()] |= none;
                if let Some(y) = op.results.get(i).filter(|_| i < n) {
                    known[y.ix()] |= none;
                }
            }
            return;
        }
        let of = |x: &ValueId| known[x.ix()];
        let moves = op.def.movement.moved.is_some() || op.def.movement.element.is_some();
        let none = if op.def.is(&ADD) {
            op.operands.iter().any(of)
        } else if moves || op.def.movement.window != Window::No {
            op.operands.iter().all(of)
        } else {
            let number = op.results.first().and_then(|&y| splat_of(f, y));
            number.is_some_and(|x| x.to_bits() != (-0f64).to_bits())
        };
        op.results.iter().for_each(|y| known[y.ix()] |= none);
    });
    known
}
