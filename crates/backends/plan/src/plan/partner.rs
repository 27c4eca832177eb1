//! Whom a value meets that nothing else lays out: where the step that makes it may choose, it had better choose the layout of what
//! it is computed with next.
use tfc_ir::{Func, OpId, ValueId, ops};

use super::build::Lower;
use super::fused::splat;
use super::{NONE, Near};

/// The first op that reads each value.
pub(crate) fn first_users(f: &Func) -> Vec<Option<OpId>> {
    let mut users = vec![None; f.values.len()];
    for (i, op) in f.ops.iter().enumerate() {
        for v in &op.operands {
            users[v.ix()].get_or_insert(OpId(i as u32));
        }
    }
    users
}
/// How far a value is followed through transpositions and loops over elements.
const FAR: usize = 4;

impl Lower<'_> {
    /// What orders the axes of `v` by the operand that it meets first in an op over their elements, if that has a slot by now; nothing
    /// where there is none.
    pub(crate) fn near_partner(&self, v: ValueId) -> Box<[Near]> {
        let (f, mut at) = (&*self.f, v);
        let meets = |d: &tfc_ir::OpDef| d.scalar.is_some() || d.is(&ops::fused::FUSED) || d.is(&ops::shape::TRANSPOSE);
        if !self.users[v.ix()].is_some_and(|o| meets(f.op(o).def)) {
            return Box::default();
        }
        // Axis `i` of `v` is axis `axes[i]` of `at`.
        let mut axes: Vec<u32> = (0..f.ty(v).rank() as u32).collect();
        for _ in 0..FAR {
            let Some(op) = self.users[at.ix()].map(|o| f.op(o)) else { break };
            if op.def.is(&ops::shape::TRANSPOSE) {
                let perm = op.attrs.indices("perm");
                let to = |a: u32| perm.iter().position(|&p| p == a as usize);
                let Some(moved) = axes.iter().map(|&a| Some(to(a)? as u32)).collect() else { break };
                (axes, at) = (moved, op.results[0]);
                continue;
            }
            let over_elements = op.def.scalar.is_some() || op.def.is(&ops::fused::FUSED);
            if !over_elements {
                break;
            }
            let ordered = |x: ValueId| {
                let lies = |d: &tfc_ir::Op| {
                    !d.def.is(&ops::shape::BROADCAST_IN_DIM) && !d.def.is(&ops::constant::IOTA) && splat(d).is_none()
                };
                let made = f.def_op(x).is_none_or(lies);
                x != at && made && f.ty(x).dims == f.ty(at).dims && self.of[x.ix()] != NONE
            };
            if let Some(&x) = op.operands.iter().find(|&&x| ordered(x)) {
                let s = self.of[x.ix()];
                return axes.iter().map(|&a| Near { least: [(s, a)].into(), then: None }).collect();
            }
            // What it makes of it, where that has the same shape.
            let [y] = op.results[..] else { break };
            if f.ty(y).dims != f.ty(at).dims {
                break;
            }
            at = y;
        }
        Box::default()
    }
}
