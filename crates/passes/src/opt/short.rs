//! Reductions over a few elements are written out: the sum over an axis of three becomes two additions of windows. A loop of three trips inside
//! of every element costs more than what it does, and a reduction ends a loop over elements, in which what is made of its result could
//! be computed too. What is computed of the reduced value element by element is computed for each of its few elements apart.
//!
//! Rows say what a reduction folds by, and what is computed element by element (`loops`, `scalar`).
use crate::PassError;
use crate::rewrite::{Users, improve, new_op, rewrite};
use std::collections::{BTreeSet, HashMap, HashSet};
use tfc_ir::op::Loops;
use tfc_ir::ops::elementwise::ADD;
use tfc_ir::{Builder, Def, Extent, Func, Map, Module, NewOp, Op, OpId, RegionId, Result, ScalarOp, Type, ValueId};

use super::fold::{constant, fold_row};
use super::halo::part;

/// Elements of a reduction that is written out, at most: those of a window of 3 by 3.
const MOST: usize = 9;
/// Ops that a reduction is written out in, about, at most: what is computed of its operand, for each of the elements.
const MOST_OPS: usize = 512;
/// How far readers of readers are followed.
const FAR: usize = 200;
/// Elements of its result, at least: below that, a loop is as good.
const LEAST: usize = 4;

/// The pass `short`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    let changed = improve(m, |m, f| {
        let short = reductions(f);
        if short.is_empty() {
            return Ok(None);
        }
        let mut made = Elements::new();
        let (new, changed) = rewrite(m, f, &mut |b, f, o, _, map| {
            let op = f.op(o);
            let (Loops::Fold(by), true) = (op.def.loops, short.contains(&o)) else { return Ok(None) };
            let (axes, ty) = (op.attrs.indices("axes"), map.ty(f.ty(op.results[0]))?);
            let here = f.value(op.results[0]).region;
            let mut all = Written { f, map, made: &mut made, here, axes, ty };
            Ok(all.reduction(b, by, op.operands[0])?.map(|y| vec![y]))
        })?;
        Ok(changed.then_some(new))
    })?;
    Ok(if changed { super::dce::run(m)? || changed } else { false })
}
/// The reductions that are written out: short ones of what is in memory, or of what short reductions alone read.
fn reductions(f: &Func) -> BTreeSet<OpId> {
    let all = f.ops.iter().enumerate().map(|(i, op)| (OpId(i as u32), op));
    let mut found: BTreeSet<OpId> = all.filter(|(_, op)| is_short(f, op)).map(|(o, _)| o).collect();
    if found.is_empty() {
        return found;
    }
    let users = Users::of(f);
    let yielded: HashSet<ValueId> = f.regions.iter().flat_map(|r| r.yields.iter().copied()).collect();
    loop {
        let mut known = HashMap::new();
        let mut reads = Reads { f, users: &users, yielded: &yielded, found: &found, known: &mut known };
        let gone: Vec<OpId> = found.iter().copied().filter(|&o| !reads.apart(f.op(o).operands[0], FAR)).collect();
        if gone.is_empty() {
            return found;
        }
        gone.iter().for_each(|o| _ = found.remove(o));
    }
}
/// Whether an op is a reduction over a few elements, for several results.
fn is_short(f: &Func, op: &Op) -> bool {
    let (Loops::Fold(by), &[x], &[y]) = (op.def.loops, &op.operands[..], &op.results[..]) else { return false };
    let (Some(n), Some(k)) = (count(f, x), count(f, y)) else { return false };
    let d = f.ty(x).dtype;
    // A product of complex numbers leaves out the ones that it starts from.
    let plain = !(d.is_small() || d.is_complex() && by != ScalarOp::Add);
    let short = plain && op.guards.is_empty() && op.wheres.is_empty() && k >= LEAST && n > k && n / k <= MOST;
    short && computed(f, x, MOST_OPS / (n / k)) <= MOST_OPS / (n / k)
}
/// How many ops of its region compute a value element by element, counted no further than just beyond `most`.
fn computed(f: &Func, v: ValueId, most: usize) -> usize {
    let (mut seen, mut open) = (HashSet::new(), vec![v]);
    while let Some(x) = open.pop() {
        let Some(op) = f.def_op(x).filter(|op| op.def.scalar.is_some()) else { continue };
        if f.value(x).region == f.value(v).region && seen.insert(x) {
            open.extend(&op.operands[..]);
        }
        if seen.len() > most {
            break;
        }
    }
    seen.len()
}
fn count(f: &Func, v: ValueId) -> Option<usize> {
    f.ty(v).exact_shape()?.iter().try_fold(1usize, |n, &d| n.checked_mul(d))
}
/// Who reads what.
struct Reads<'a> {
    f: &'a Func,
    users: &'a Users,
    yielded: &'a HashSet<ValueId>,
    found: &'a BTreeSet<OpId>,
    known: &'a mut HashMap<ValueId, bool>,
}
impl Reads<'_> {
    /// Whether what is computed of a value element by element ends in short reductions, all of it: nothing of that shape would be stored for
    /// somebody else. What is in memory may be read by others as well.
    fn apart(&mut self, v: ValueId, far: usize) -> bool {
        if let Some(&known) = self.known.get(&v) {
            return known;
        }
        let Some(far) = far.checked_sub(1) else { return false };
        let (f, here) = (self.f, self.f.value(v).region);
        let inside = |x: &ValueId| f.value(*x).region == here;
        let computed = f.def_op(v).is_some_and(|op| op.def.scalar.is_some());
        let mut apart = !(computed && self.yielded.contains(&v));
        for &u in self.users.of_value(v) {
            let user = f.op(u);
            apart &= match (user.def.scalar, &user.results[..]) {
                _ if !apart => false,
                // What a loop or a branch inside reads is there whole.
                _ if !user.results.first().is_some_and(inside) => !computed,
                (Some(_), &[y]) => self.apart(y, far),
                _ if self.found.contains(&u) => true,
                // A longer reduction shares a loop with what computes its operand.
                _ => !computed && !matches!(user.def.loops, Loops::Fold(_)),
            };
        }
        // Beside others that read it, an operand of something computed is reached from there as well.
        if apart
            && computed
            && let Def::Result(o, _) = f.value(v).def
        {
            self.known.insert(v, true);
            apart = f.op(o).operands.iter().all(|&x| !inside(&x) || !self.same_shape(x, v) || self.apart(x, far));
        }
        self.known.insert(v, apart);
        apart
    }
    fn same_shape(&self, x: ValueId, y: ValueId) -> bool {
        self.f.ty(x).dims == self.f.ty(y).dims
    }
}
/// Elements of values of the old function: the value, the axes that have gone, the index along them.
type Elements = HashMap<(RegionId, ValueId, Vec<usize>, Vec<usize>), ValueId>;

/// What is reduced, element by element.
struct Written<'a> {
    f: &'a Func,
    map: &'a Map,
    /// What has been made of it.
    made: &'a mut Elements,
    here: RegionId,
    /// The axes that are reduced.
    axes: Vec<usize>,
    /// The type of the result.
    ty: Type,
}
impl Written<'_> {
    /// The reduction of `x`; `None` where no row folds two elements.
    fn reduction(&mut self, b: &mut Builder, by: ScalarOp, x: ValueId) -> Result<Option<ValueId>> {
        let (Some(row), Some(whole)) = (fold_row(by), self.f.ty(x).exact_shape()) else { return Ok(None) };
        let taps: usize = self.axes.iter().map(|&a| whole[a]).product();
        let mut sum: Option<ValueId> = None;
        for t in 0..taps {
            // In logical order: the last axis fastest.
            let (mut index, mut rest) = (vec![0; self.axes.len()], t);
            for (i, &a) in index.iter_mut().zip(&self.axes).rev() {
                *i = rest % whole[a];
                rest /= whole[a];
            }
            let e = self.element(b, x, &index)?;
            sum = Some(match sum {
                Some(s) => b.emit1(NewOp::new(row, &[s, e]))?,
                // A sum begins with 0, so that one of −0 alone is 0.
                None if by == ScalarOp::Add && !b.ty(e).dtype.is_int() => {
                    let zero = b.zeros(&self.ty)?;
                    b.emit1(NewOp::new(&ADD, &[zero, e]))?
                }
                None => e,
            });
        }
        Ok(sum)
    }
    /// The elements of `v`, which has the shape of what is reduced, at one index along the reduced axes.
    fn element(&mut self, b: &mut Builder, v: ValueId, index: &[usize]) -> Result<ValueId> {
        let key = (self.here, v, self.axes.clone(), index.to_vec());
        if let Some(&y) = self.made.get(&key) {
            return Ok(y);
        }
        let ty = self.ty.with_dtype(self.f.ty(v).dtype);
        let y = match self.f.value(v).def {
            Def::Result(o, 0) => self.of_op(b, o, v, &ty, index)?,
            _ => None,
        };
        let y = match y {
            Some(y) => y,
            None => {
                let mut shape = self.f.ty(v).exact_shape().unwrap_or_default();
                let mut start = vec![0; shape.len()];
                for (&a, &i) in self.axes.iter().zip(index) {
                    (start[a], shape[a]) = (i, 1);
                }
                let cut = part(b, self.map.value(v)?, &start, &shape)?;
                b.reshape(cut, &ty)?
            }
        };
        self.made.insert(key, y);
        Ok(y)
    }
    /// The same of what an op makes element by element, repeats or states.
    fn of_op(&mut self, b: &mut Builder, o: OpId, v: ValueId, ty: &Type, index: &[usize]) -> Result<Option<ValueId>> {
        let (f, op) = (self.f, self.f.op(o));
        if !op.guards.is_empty() || !op.wheres.is_empty() {
            return Ok(None);
        }
        // What is computed outside of the region is there.
        if op.def.scalar.is_some() && f.value(v).region == self.here {
            let mut args = vec![];
            for &x in &op.operands {
                args.push(if f.ty(x).is_scalar() { self.map.value(x)? } else { self.element(b, x, index)? });
            }
            let mut new = new_op(f, o, &args, self.map)?;
            new.declared = Some(vec![ty.clone()]);
            return Ok(Some(b.emit1(new)?));
        }
        if let Some(t) = op.attrs.tensor("splat").filter(|_| op.def.constant) {
            return Ok(Some(constant(b, ty, t.clone())?));
        }
        let (Loops::Repeat, &[x]) = (op.def.loops, &op.operands[..]) else { return Ok(None) };
        // Where the axes of the repeated value stand in the result, and what is left of the value at that index.
        let (dims, rank) = (op.attrs.indices("dims"), f.ty(v).rank());
        let Some(mut shape) = f.ty(x).exact_shape() else { return Ok(None) };
        let mut start = vec![0; shape.len()];
        let left: Vec<usize> = (0..rank).filter(|a| !self.axes.contains(a)).collect();
        let (mut kept, mut to) = (vec![], vec![]);
        for (k, d) in dims.iter().enumerate() {
            match self.axes.iter().position(|a| a == d) {
                Some(at) => {
                    start[k] = index[at].min(shape[k].saturating_sub(1));
                    shape[k] = 1;
                }
                None => {
                    kept.push(Extent::exact(shape[k] as i64));
                    to.push(left.iter().position(|l| l == d).unwrap_or(0));
                }
            }
        }
        let cut = part(b, self.map.value(x)?, &start, &shape)?;
        let narrow = ty.with_dims(kept);
        let line = if b.ty(cut) == narrow { cut } else { b.reshape(cut, &narrow)? };
        Ok(Some(if narrow == *ty { line } else { b.broadcast(line, ty, &to)? }))
    }
}
