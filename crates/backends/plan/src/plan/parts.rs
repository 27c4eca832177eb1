//! Values that are computed where what joins, pads or places them wants them: the operand of a `pad`, the operands of a `concat`, the
//! window of a `dynamic_update_slice` that is most of it. The storage of the whole is had when the first part is computed, or a loop
//! around says where it is; the part is a window of it, and the step of the whole writes what no part has written.
use tfc_ir::op::Moved;
use tfc_ir::ops::fused::FUSED;
use tfc_ir::{Def, Func, Op, RegionId, ValueId, outside};

use super::build::Lower;
use super::*;

/// Fewest elements of a part along an axis on which the part is not the whole: where it is the innermost one, that is how long the
/// rows of a loop over the part are.
const LEAST: usize = 16;

impl Lower<'_> {
    /// Notes which values of a region are computed as parts of others.
    pub(crate) fn find_parts(&mut self, r: RegionId) {
        if !self.target.parts() {
            return;
        }
        let f = self.f.clone();
        let region = f.region(r);
        for &o in &region.ops {
            let op = f.op(o);
            let &[y] = &op.results[..] else { continue };
            // What an engine makes in its own way it makes whole.
            if self.replaced(op.def) {
                continue;
            }
            for (k, start) in parts(&f, op) {
                let x = op.operands[k];
                // Others would read it with gaps between its rows: products pack more, and another shape is a copy.
                if self.uses[x.ix()] as usize == 1 + self.pieces(&f, op, x) && self.computes(&f, r, x) {
                    self.parts.entry(x).or_insert((y, start.into()));
                }
            }
        }
    }
    /// How many operands of an op are windows of `x` that nothing else reads: a rotation joins a value with parts of it.
    fn pieces(&self, f: &Func, op: &Op, x: ValueId) -> usize {
        let piece = |y: &&ValueId| {
            let of_x = |d: &&Op| d.operands[..] == [x] && matches!(moved(f, d), Some(Moved::Window(_)));
            self.uses[y.ix()] == 1 && f.def_op(**y).filter(of_x).is_some()
        };
        op.operands.iter().filter(piece).count()
    }
    /// Whether a loop over elements computes `x` in that region.
    fn computes(&self, f: &Func, r: RegionId, x: ValueId) -> bool {
        let v = f.value(x);
        let Def::Result(o, _) = v.def else { return false };
        let op = f.op(o);
        let loops = op.def.is(&FUSED) || (op.def.scalar.is_some() && self.in_step(f, op));
        v.region == r && loops && !self.forward.contains_key(&x)
    }
    /// The slot of a value that is a part, or that parts have been computed of.
    pub(crate) fn own_in_parts(&mut self, v: ValueId) -> Option<Slot> {
        let known = self.of[v.ix()];
        if known != NONE && matches!(self.slots[known as usize].place, Place::Around(_) | Place::Given) {
            self.read(known);
            return Some(known);
        }
        let (whole, start) = self.parts.remove(&v)?;
        if self.forward.contains_key(&v) {
            return None;
        }
        let f = self.f.clone();
        let mut first = self.of[whole.ix()] == NONE;
        if first && let Some(roots) = self.forward.remove(&whole) {
            first = false;
            self.given(whole, roots);
        } else if first {
            let s = self.own_type(f.ty(whole), f.value(whole).name.clone());
            let Place::Own(r) = self.slots[s as usize].place else { return None };
            self.slots[s as usize].place = Place::Around(r);
            self.of[whole.ix()] = s;
        }
        let of = self.of[whole.ix()];
        let s = self.slot_of(v, Place::Part { of, first });
        self.slots[s as usize].start = start;
        self.join(s, &[of]);
        self.read(s);
        Some(s)
    }
}
/// How a statement moves elements, where nothing has to hold for it.
fn moved(f: &Func, op: &Op) -> Option<Moved> {
    let moved = op.def.movement.moved.filter(|_| op.guards.is_empty() && op.wheres.is_empty())?;
    let exact = |v: &ValueId| f.ty(*v).exact_shape().is_some();
    if !op.operands.iter().chain(&op.results).all(exact) {
        return None;
    }
    outside::column(op.def, "moved", || Ok(moved(f, op))).ok().flatten()
}
/// The operands that a statement moves into its result as they are, and where each of them begins.
pub(super) fn parts(f: &Func, op: &Op) -> Vec<(usize, Vec<usize>)> {
    let (Some(moved), Some(&y)) = (moved(f, op), op.results.first()) else { return vec![] };
    let shape = |v: ValueId| f.ty(v).exact_shape();
    let Some(whole) = shape(y) else { return vec![] };
    // Along an axis on which a part is one element there is no loop; what the others walk is long enough, or too little to matter.
    let fits = |part: &[usize]| part.iter().zip(&whole).all(|(&n, &m)| n == m || n == 1 || n >= LEAST);
    match moved {
        Moved::Window(_) => vec![],
        Moved::Replaced(start) => {
            let size = |n: &[usize]| n.iter().fold(1usize, |n, &m| n.saturating_mul(m));
            match op.operands.get(1).and_then(|&u| shape(u)) {
                // The rest is copied, which costs less than to compute the part elsewhere and to copy that.
                Some(part) if fits(&part) && size(&part) > size(&whole) / 2 => vec![(1, start)],
                _ => vec![],
            }
        }
        Moved::Surrounded(widths) => match op.operands.first().and_then(|&x| shape(x)) {
            Some(part) if fits(&part) => vec![(0, widths.iter().map(|w| w[0]).collect())],
            _ => vec![],
        },
        Moved::Joined(axis) => {
            let (mut all, mut at) = (vec![], 0);
            for (k, &x) in op.operands.iter().enumerate() {
                let Some(part) = shape(x) else { return vec![] };
                let mut start = vec![0; part.len()];
                start[axis] = at;
                at += part[axis];
                if fits(&part) {
                    all.push((k, start));
                }
            }
            all
        }
    }
}
