//! Which loops are taken apart, and how each op of their bodies is.
use super::super::fold::fold_row;
use std::collections::BTreeSet;
use tfc_ir::op::{Effect, Labels, Loops};
use tfc_ir::ops::control::{Checkpoint, Gather};
use tfc_ir::outside;
use tfc_ir::{DType, Func, Op, OpId, RegionId, Result, ScalarOp, Tensor, Type, ValueId};

/// An array of more elements stays whole.
const MOST_ELEMENTS: usize = 64;
/// Most elements of what a trip cuts or collects: each of them is a line of memory of its own.
const MOST_LINES: usize = 32;
/// Most elements that are read of what comes from outside of the loop and is read in places.
const MOST_READ: usize = 128;
/// Scalars that a trip may compute for each step that it saves, and in all.
const SCALARS_A_STEP: usize = 24;
const MOST_SCALARS: usize = 4096;

/// The number of elements, if that is a number.
pub(super) fn elements(ty: &Type) -> Option<usize> {
    ty.exact_shape()?.iter().try_fold(1usize, |n, &d| n.checked_mul(d))
}
/// The number of elements of an array that can be taken apart.
fn small(ty: &Type) -> Option<usize> {
    elements(ty).filter(|n| (1..=MOST_ELEMENTS).contains(n))
}
/// How an op of a body is taken apart.
pub(super) enum How {
    /// Element by element.
    Scalar,
    /// The op moves elements.
    Moves,
    /// The operand of the op is its result.
    Same,
    /// The op folds axes of its operand away.
    Folds(ScalarOp),
    /// The op is a product of two arrays.
    Product(Labels),
    /// The op has no operand: it stands before the loop.
    Constant,
    /// One of the op's regions runs: all of them are computed, and elements are selected.
    Branch,
    /// The op is a loop that carries values, and neither cuts nor collects any.
    Loop,
}
pub(super) fn how(f: &Func, op: &Op) -> Result<Option<How>> {
    let free = op.guards.is_empty() && op.wheres.is_empty();
    // A loop may not end; it does not as the loop of scalars either.
    if free && (op.def.control.trips.is_some() || op.def.control.repeats.is_some()) {
        return Ok(carries_alone(f, op)?.then_some(How::Loop));
    }
    let plain = free && op.def.effect == Effect::Pure;
    if plain && op.def.control.taken.is_some() {
        return Ok(selects(f, op)?.then_some(How::Branch));
    }
    let &[y] = op.results.as_slice() else { return Ok(None) };
    if !plain
        || !op.regions.is_empty()
        || small(f.ty(y)).is_none()
        || !op.operands.iter().all(|&x| elements(f.ty(x)).is_some_and(|n| n > 0))
    {
        return Ok(None);
    }
    let read = || op.operands.iter().all(|&x| elements(f.ty(x)).is_some_and(|n| n <= MOST_READ));
    if op.operands.is_empty() {
        return Ok(op.def.constant.then_some(How::Constant));
    }
    if op.def.scalar.is_some() {
        return Ok(Some(How::Scalar));
    }
    if let Some(element) = op.def.movement.element {
        let first = vec![0; f.ty(y).rank()];
        let known = outside::column(op.def, "element", || Ok(element(f, op, &first)))?.is_some();
        return Ok(known.then_some(How::Moves));
    }
    match op.def.loops {
        Loops::Same => return Ok(Some(How::Same)),
        Loops::Fold(s) if read() => return Ok(fold_row(s).map(|_| How::Folds(s))),
        _ => {}
    }
    if let (Some(labels), &[x, z]) = (op.def.contraction.labels, op.operands.as_slice())
        && read()
        && let Some(l) = outside::column(op.def, "labels", || labels(&op.attrs, [f.ty(x).rank(), f.ty(z).rank()]))?
    {
        let real = !f.ty(y).dtype.is_complex() && f.ty(x).dtype == f.ty(y).dtype && f.ty(z).dtype == f.ty(y).dtype;
        return Ok(real.then_some(How::Product(l)));
    }
    Ok(None)
}
/// Whether a loop only carries values, and its number of trips is none that a value inside of a loop decides.
fn carries_alone(f: &Func, op: &Op) -> Result<bool> {
    let counted = match op.def.control.trips {
        Some(trips) => {
            let d = outside::column(op.def, "trips", || trips(f, op))?;
            d.carry == op.operands.len() && d.checkpoint == Checkpoint::None && d.length.as_exact().is_some()
        }
        None => true,
    };
    Ok(counted && op.results.len() == op.operands.len())
}
/// Whether a branch is by a flag, or by a number, of which those that are none of a region's take the last, as selections say it.
fn selects(f: &Func, op: &Op) -> Result<bool> {
    let (Some(taken), n) = (op.def.control.taken, op.regions.len()) else { return Ok(false) };
    let Some(&choice) = op.operands.first() else { return Ok(false) };
    let at = |k: i64| {
        let t = match f.ty(choice).dtype {
            DType::Bool => Tensor::scalar(k != 0),
            DType::I32 => Tensor::scalar(k as i32),
            DType::I64 => Tensor::scalar(k),
            _ => return None,
        };
        outside::column(op.def, "taken", || Ok(taken(&t, n))).ok().flatten()
    };
    Ok(match f.ty(choice).dtype {
        DType::Bool => n == 2 && at(1) == Some(0) && at(0) == Some(1),
        _ => n > 0 && (-1..=n as i64).all(|k| at(k) == Some(usize::try_from(k).unwrap_or(n).min(n - 1))),
    })
}
/// The loops that are worth it.
pub(super) fn find(f: &Func) -> Result<BTreeSet<OpId>> {
    let (mut loops, mut found) = (vec![], BTreeSet::new());
    f.walk(tfc_ir::BODY, &mut |o| {
        if f.op(o).def.control.trips.is_some() || f.op(o).def.control.repeats.is_some() {
            loops.push(o);
        }
    });
    for o in loops {
        if worth(f, o)? {
            found.insert(o);
        }
    }
    Ok(found)
}
fn worth(f: &Func, o: OpId) -> Result<bool> {
    let op = f.op(o);
    if !op.guards.is_empty() || !op.wheres.is_empty() || !op.results.iter().all(|&r| !f.ty(r).mentions_existential()) {
        return Ok(false);
    }
    let carries = match (op.def.control.trips, op.def.control.repeats) {
        (Some(trips), _) => {
            let d = outside::column(op.def, "trips", || trips(f, op))?;
            let stacked = d.collect.iter().all(|g| matches!(g, Gather::Stack(_)));
            let few = |v: &ValueId| elements(f.ty(*v)).is_some_and(|n| n <= MOST_LINES);
            let lines = op.regions.iter().map(|&r| f.region(r));
            let few = lines.into_iter().all(|r| [&r.params, &r.yields].iter().all(|l| l.iter().skip(d.carry).all(few)));
            if !few || !stacked || d.checkpoint != Checkpoint::None {
                return Ok(false);
            }
            d.carry
        }
        _ => op.operands.len(),
    };
    // A loop that collects as long as it runs has results whose extents it binds; those are out already.
    if op.def.control.repeats.is_some() && op.results.len() != carries {
        return Ok(false);
    }
    let mut cost = Cost { scalars: 0, steps: 1, gains: false };
    Ok(cost.of_loop(f, op)? && cost.gains && cost.scalars <= MOST_SCALARS.min(SCALARS_A_STEP * cost.steps))
}
/// What taking a loop apart costs and saves.
struct Cost {
    /// Scalars that are computed.
    scalars: usize,
    /// Steps of the whole arrays that become nothing.
    steps: usize,
    /// Whether there is an array, or a branch.
    gains: bool,
}
impl Cost {
    /// Adds the regions of a loop. Returns whether it can be taken apart.
    fn of_loop(&mut self, f: &Func, op: &Op) -> Result<bool> {
        for &r in &op.regions {
            for &p in &f.region(r).params {
                self.gains |= f.ty(p).rank() > 0;
                self.steps += usize::from(f.ty(p).rank() > 0);
            }
            if !self.region(f, r, false)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    /// Adds a region. Returns whether it can be taken apart; a loop in a region that is computed although another is taken would run
    /// on values for which it may not end.
    fn region(&mut self, f: &Func, r: RegionId, in_branch: bool) -> Result<bool> {
        let region = f.region(r);
        if !region.guards.is_empty() || !region.wheres.is_empty() {
            return Ok(false);
        }
        if !region.params.iter().chain(&region.yields).all(|&v| small(f.ty(v)).is_some()) {
            return Ok(false);
        }
        for &o in &region.ops {
            let op = f.op(o);
            let Some(how) = how(f, op)? else { return Ok(false) };
            let Some(&y) = op.results.first() else { return Ok(false) };
            let n = elements(f.ty(y)).unwrap_or(0);
            let read = elements(f.ty(op.operands.first().copied().unwrap_or(y))).unwrap_or(0);
            self.gains |= f.ty(y).rank() > 0;
            match how {
                How::Scalar => self.scalars += n,
                How::Moves => self.steps += usize::from(f.ty(y).rank() > 0 || read > 1),
                How::Folds(_) => (self.scalars, self.steps) = (self.scalars + read, self.steps + 1),
                How::Product(l) => {
                    let summed = l.terms[0].iter().enumerate().filter(|(_, x)| !l.out.contains(x));
                    let shape = f.ty(op.operands[0]).exact_shape().unwrap_or_default();
                    let k: usize = summed.map(|(a, _)| shape[a]).product();
                    (self.scalars, self.steps) = (self.scalars + 2 * n * k, self.steps + 2);
                }
                How::Same | How::Constant => {}
                How::Loop => {
                    if in_branch || !self.of_loop(f, op)? {
                        return Ok(false);
                    }
                }
                How::Branch => {
                    (self.gains, self.steps) = (true, self.steps + 2);
                    for &r in &op.regions {
                        if !self.region(f, r, true)? {
                            return Ok(false);
                        }
                        self.scalars += op.results.iter().filter_map(|&y| elements(f.ty(y))).sum::<usize>();
                    }
                }
            }
        }
        Ok(true)
    }
}
