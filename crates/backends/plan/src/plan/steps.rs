//! Ops that become a step with a kernel, and what is said of extents.
use tfc_ir::extent::{Atom, Extent};
use tfc_ir::{Attr, Op, Result};

use super::build::{Lower, bug};
use super::control::bound_by_results;
use super::*;

impl Lower<'_> {
    /// A step for the engine's kernel: operands and results in the op's order. Regions are steps that the kernel runs.
    pub(crate) fn kernel(&mut self, op: &Op) -> Result<()> {
        let args = (0..op.operands.len()).map(|i| self.operand(op, i)).collect::<Result<_>>()?;
        let dsts = op.results.iter().map(|&v| self.own(v)).collect();
        self.kernel_step(op, args, dsts, false)
    }
    /// The same where the first result follows the axes of the first operand, and may be computed over it.
    fn kernel_like_first(&mut self, op: &Op, over: bool) -> Result<()> {
        let args: Box<[Slot]> = (0..op.operands.len()).map(|i| self.operand(op, i)).collect::<Result<_>>()?;
        let dsts: Box<[Slot]> = op.results.iter().map(|&v| self.own(v)).collect();
        if let (Some(&x), Some(&y)) = (args.first(), dsts.first()) {
            self.slots[y as usize].like = x;
            if over {
                self.may_lie_over(y, vec![x]);
            }
        }
        self.kernel_step(op, args, dsts, over)
    }
    fn kernel_step(&mut self, op: &Op, args: Box<[Slot]>, dsts: Box<[Slot]>, updates: bool) -> Result<()> {
        let (f, op_id) = (self.f.clone(), self.op_id);
        let mut exts: Vec<(&'static str, Box<[Ext]>)> = vec![];
        for (name, a) in op.attrs.iter() {
            if let Attr::Extents(v) = a {
                exts.push((name, self.ext_list(v)));
            }
        }
        let mut regions = vec![];
        // Operands and results live while regions run.
        for &r in &op.regions {
            self.enter_loop();
            let params = f.region(r).params.iter().map(|&p| self.slot_of(p, Place::Given)).collect();
            let block = self.nested_block(|l| l.block_ops(r))?;
            let yields = f.region(r).yields.iter().map(|&v| self.value(v)).collect::<Result<_>>()?;
            self.leave_loop();
            // Small constants have no slot where steps hold them themselves.
            let captures = f.captures(r).into_iter().filter_map(|v| Some((v, self.slot_with(v).ok()?))).collect();
            regions.push(Inner { params, block, yields, captures });
        }
        (self.span, self.op_id) = (op.span, op_id);
        let binds = bound_by_results(&f, op).iter().map(|b| b.2).collect();
        let id = self.kernels;
        self.kernels += 1;
        let (exts, regions) = (exts.into(), regions.into());
        let step = KernelStep { id, op: op_id, exts, args, dsts, regions, binds, updates, then: None };
        self.target.kernel(&f, &step)?;
        self.push(Do::Kernel(Box::new(step)));
        Ok(())
    }
}
/// A part of the first operand is replaced.
pub(crate) fn update(l: &mut Lower, op: &Op) -> Result<()> {
    // A region reads elements while others are written.
    l.kernel_like_first(op, op.regions.is_empty())
}
/// The first factor of a transposed matrix is transposed as well, as the code that transposed wants it; lines that a Fourier
/// transform reads in one piece are written in one.
pub(crate) fn like_first(l: &mut Lower, op: &Op) -> Result<()> {
    l.kernel_like_first(op, false)
}
/// One line of numbers, seen along the axis; the other axes stand still.
pub(crate) fn iota(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let (v, axis) = (op.results[0], op.attrs.int("axis") as usize);
    let ty = f.ty(v);
    // A result is handed over as elements, not as a promise of them.
    if ty.rank() == 1 || l.forward.contains_key(&v) || f.returns().contains(&v) {
        return l.kernel(op);
    }
    let extent = ty.dims.get(axis).ok_or_else(|| bug(op, "axis out of range"))?.clone();
    let line = l.own_type(&tfc_ir::Type::new(ty.dtype, [extent]), f.value(v).name.clone());
    l.kernel_step(op, [].into(), [line].into(), false)?;
    let step = l.one();
    let axes =
        (0..ty.rank()).map(|a| ViewAxis { from: if a == axis { 0 } else { NONE }, step, reversed: false }).collect();
    let dst = l.alias(v, &[line]);
    l.push(Do::View(ViewOf { src: line, dst, axes, start: Box::default(), also: NONE }));
    Ok(())
}
fn first_extent(op: &Op) -> Result<Extent> {
    let mut it = op.attrs.iter().filter_map(|(_, a)| if let Attr::Extents(v) = a { v.first().cloned() } else { None });
    it.next().ok_or_else(|| bug(op, "no extent"))
}
/// `extent`: a value as an extent.
pub(crate) fn extent(l: &mut Lower, op: &Op) -> Result<()> {
    let src = l.operand(op, 0)?;
    match first_extent(op)?.as_atom() {
        Some(Atom::Exist(exist)) => l.push(Do::Bind { src, exist }),
        _ => return Err(bug(op, "binds nothing")),
    }
    Ok(())
}
/// `guard`.
pub(crate) fn guard(l: &mut Lower, op: &Op) -> Result<()> {
    for c in &op.wheres {
        l.guard(c, "`guard`".into(), "E0420");
    }
    Ok(())
}
