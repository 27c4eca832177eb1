//! Computes what is stacked where it is stacked: of values that become the rows of one array, each through a reshape that gives it
//! the axis of extent 1 along which they are joined, the ops over elements are done with that axis. What joins then has them for
//! operands, not views of them, so that an engine can compute each where it goes, in place of moving it there.
//!
//! Rows say what joins (`moved`) and what is computed element by element (`scalar`).
use super::recompute::{constant, plain};
use crate::PassError;
use crate::rewrite::{improve, new_op, rewrite, uses};
use tfc_ir::op::Moved;
use tfc_ir::ops::shape::{BROADCAST_IN_DIM, RESHAPE};
use tfc_ir::{Attr, Builder, Def, Func, Map, Module, NewOp, Op, RegionId, Result, Type, ValueId, outside};

/// Elements of a value, at least: a few are moved as fast.
const LEAST: usize = 16;

/// The pass `stacks`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    let changed = improve(m, |m, f| {
        if !f.ops.iter().any(|op| op.def.movement.moved.is_some() && op.operands.len() > 1) {
            return Ok(None);
        }
        let uses = uses(f);
        let (new, changed) = rewrite(m, f, &mut |b, f, o, _, map| {
            let op = f.op(o);
            let Some(&y) = op.results.first() else { return Ok(None) };
            let here = f.value(y).region;
            let with_axes = Stack { f, uses: &uses, here };
            if !with_axes.joins(op)? || !op.operands.iter().any(|&x| with_axes.stacked(x).is_some()) {
                return Ok(None);
            }
            let mut args = vec![];
            for &x in &op.operands {
                args.push(match with_axes.stacked(x) {
                    Some((z, axes)) => with_axes.value(b, map, z, f.ty(x), &axes)?,
                    None => map.value(x)?,
                });
            }
            Ok(Some(vec![b.emit1(new_op(f, o, &args, map)?)?]))
        })?;
        Ok(changed.then_some(new))
    })?;
    if changed {
        super::cse::run(m)?;
        super::dce::run(m)?;
    }
    Ok(changed)
}

struct Stack<'a> {
    f: &'a Func,
    uses: &'a [u32],
    /// The region of what joins.
    here: RegionId,
}
impl Stack<'_> {
    fn joins(&self, op: &Op) -> Result<bool> {
        let Some(moved) = op.def.movement.moved.filter(|_| op.operands.len() > 1 && plain(self.f, op)) else {
            return Ok(false);
        };
        Ok(matches!(outside::column(op.def, "moved", || Ok(moved(self.f, op)))?, Some(Moved::Joined(_))))
    }
    /// Whether nothing but one op needs a value that is computed element by element.
    fn computed(&self, v: ValueId) -> Option<&Op> {
        let once = self.uses[v.ix()] == 1 && self.f.value(v).region == self.here;
        self.f.def_op(v).filter(|op| once && op.def.scalar.is_some() && op.results.len() == 1 && plain(self.f, op))
    }
    /// The value that is given axes of extent 1 to be `x`, where it is computed for that alone; and where its own axes are.
    fn stacked(&self, x: ValueId) -> Option<(ValueId, Vec<usize>)> {
        let op = self.f.def_op(x).filter(|op| self.uses[x.ix()] == 1 && plain(self.f, op))?;
        let z = *op.operands.first()?;
        let (from, to) = (self.f.ty(z).exact_shape()?, self.f.ty(x).exact_shape()?);
        self.computed(z)?;
        let many = !from.is_empty() && from.iter().product::<usize>() >= LEAST && to.len() > from.len();
        let axes = if op.def.is(&BROADCAST_IN_DIM) {
            op.attrs.indices("dims")
        } else if op.def.is(&RESHAPE) {
            axes_of(&from, &to)?
        } else {
            return None;
        };
        let alike = axes.iter().zip(&from).all(|(&a, n)| to.get(a) == Some(n));
        let ones = (0..to.len()).all(|a| axes.contains(&a) || to[a] == 1);
        (many && alike && ones && axes.is_sorted()).then_some((z, axes))
    }
    /// A value of the old function with the extents of `like`, in which its axes are these.
    fn value(&self, b: &mut Builder, map: &mut Map, v: ValueId, like: &Type, axes: &[usize]) -> Result<ValueId> {
        let f = self.f;
        let ty = f.ty(v).with_dims(like.dims.to_vec());
        if let Some(op) = self.computed(v)
            && let Def::Result(o, _) = f.value(v).def
        {
            let mut args = vec![];
            for &x in &op.operands {
                args.push(if f.ty(x).is_scalar() { map.value(x)? } else { self.value(b, map, x, like, axes)? });
            }
            let mut new = new_op(f, o, &args, map)?;
            new.declared = Some(vec![ty]);
            return b.emit1(new);
        }
        match f.def_op(v) {
            Some(op) if op.def.constant && op.attrs.tensor("splat").is_some() => constant(b, map, op, ty),
            Some(op) if op.def.is(&BROADCAST_IN_DIM) && plain(f, op) => {
                let dims: Vec<usize> = op.attrs.indices("dims").iter().map(|&d| axes[d]).collect();
                let x = map.value(op.operands[0])?;
                b.emit1(NewOp::new(op.def, &[x]).attr("dims", Attr::ints(&dims)).types(vec![ty]))
            }
            _ => b.emit1(NewOp::new(&RESHAPE, &[map.value(v)?]).types(vec![ty])),
        }
    }
}
/// Where the axes of a shape are in one that has more of extent 1; `None` where it is another shape.
fn axes_of(from: &[usize], to: &[usize]) -> Option<Vec<usize>> {
    let mut axes = vec![];
    for (a, &n) in to.iter().enumerate() {
        if from.get(axes.len()) == Some(&n) {
            axes.push(a);
        } else if n != 1 {
            return None;
        }
    }
    (axes.len() == from.len()).then_some(axes)
}
