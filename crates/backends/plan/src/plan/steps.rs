//! Ops that become a step with a kernel, and what is said of extents.
use tfc_ir::extent::{Atom, Extent};
use tfc_ir::ops::index::IndexDims;
use tfc_ir::{Attr, Code, Op, Result, Tensor, Type};

use super::build::{Lower, bug};
use super::control::bound_by_results;
use super::rules::of_matrices;
use super::*;

impl Lower<'_> {
    /// A step for the engine's kernel: operands and results in the op's order. Regions are steps that the kernel runs.
    pub(crate) fn kernel(&mut self, op: &Op) -> Result<()> {
        let args = (0..op.operands.len()).map(|i| self.operand(op, i)).collect::<Result<_>>()?;
        let dsts: Box<[Slot]> = op.results.iter().map(|&v| self.own(v)).collect();
        if of_matrices(op.def) {
            dsts.iter().for_each(|&s| self.slots[s as usize].columns = true);
        }
        self.kernel_step(op, args, dsts, false)
    }
    /// As [`Lower::kernel`], for an op whose first result follows the axes of its first operand and may be computed over it.
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
/// Updates go where they lie: where the first operand is one element everywhere, axes of windows go as in the updates, the others as
/// the indices of the updates.
pub(crate) fn scatter(l: &mut Lower, op: &Op) -> Result<()> {
    update(l, op)?;
    let (Some(index), Some(&y)) = (op.operands.get(1), op.results.first()) else {
        return Err(bug(op, "it has no operands or results"));
    };
    let dims = IndexDims::of_scatter(&op.attrs, l.f.ty(*index));
    let (u, y) = (l.operand(op, 2)?, l.value(y)?);
    let rank = l.slots[y as usize].dims.len();
    let others = (0..l.slots[u as usize].dims.len()).filter(|a| !dims.window.contains(a));
    let outside = Near { least: others.map(|a| (u, a as u32)).collect(), then: None };
    let mut near = vec![outside; rank];
    for (a, &w) in dims.window_axes(rank).into_iter().zip(&dims.window) {
        near[a] = Near { least: [(u, w as u32)].into(), then: None };
    }
    l.slots[y as usize].near = near.into();
    Ok(())
}
/// Windows lie in the result as they do in the operand: their axes inside, if they are closer there than those on which indices move
/// them; axes of indices as these lie.
pub(crate) fn gather(l: &mut Lower, op: &Op) -> Result<()> {
    l.kernel(op)?;
    let (Some(index), Some(&y)) = (op.operands.get(1), op.results.first()) else {
        return Err(bug(op, "it has no operands or results"));
    };
    let dims = IndexDims::of_gather(&op.attrs, l.f.ty(*index));
    let (x, i, y) = (l.operand(op, 0)?, l.operand(op, 1)?, l.value(y)?);
    let rank = |s: Slot| l.slots[s as usize].dims.len();
    let mapped: Box<[(Slot, u32)]> = dims.map.iter().map(|&a| (x, a as u32)).collect();
    let (mut windows, mut indices) = (dims.window_axes(rank(x)).into_iter(), dims.index_axes(rank(i)).into_iter());
    let near = (0..rank(y)).map(|a| match dims.window.contains(&a) {
        true => Near { least: windows.next().map(|w| (x, w as u32)).into_iter().collect(), then: None },
        false => Near { least: mapped.clone(), then: indices.next().map(|b| (i, b as u32)) },
    });
    l.slots[y as usize].near = near.collect();
    Ok(())
}
/// Parts of one element along the axis are stacked: each is written in one piece, and what runs over the stack goes from one to the next.
/// (Not where the stack is read as another shape, in which parts alternate.)
pub(crate) fn concat(l: &mut Lower, op: &Op) -> Result<()> {
    l.kernel(op)?;
    let f = l.f.clone();
    let axis = op.attrs.int("axis") as usize;
    let one = |&x: &tfc_ir::ValueId| f.ty(x).dims.get(axis).and_then(Extent::as_exact) == Some(1);
    let (&[y], Some(&first)) = (&op.results[..], op.operands.first()) else { return Err(bug(op, "it joins nothing")) };
    let alternate = l.users[y.ix()].is_some_and(|o| f.op(o).def.is(&tfc_ir::ops::shape::RESHAPE));
    if f.ty(y).rank() < 2 || alternate || !op.operands.iter().all(one) {
        return Ok(());
    }
    let (s, y) = (l.slot_with(first)?, l.slot_with(y)?);
    let rank = l.slots[y as usize].dims.len();
    // No axis has the number `NONE`: that one comes last.
    let near = (0..rank).map(|a| Near { least: [(s, if a == axis { NONE } else { a as u32 })].into(), then: None });
    l.slots[y as usize].near = near.collect();
    Ok(())
}
/// Where neither factor orders the axes of the result, what that meets does.
pub(crate) fn product(l: &mut Lower, op: &Op) -> Result<()> {
    l.kernel(op)?;
    let (near, y) = (l.near_partner(op.results[0]), l.slot_with(op.results[0])?);
    l.slots[y as usize].near = near;
    Ok(())
}
/// The first factor of a transposed matrix is transposed as well, as the code that transposed wants it; lines that a Fourier
/// transform reads in one piece are written in one.
pub(crate) fn like_first(l: &mut Lower, op: &Op) -> Result<()> {
    l.kernel_like_first(op, false)
}
/// Longest line of numbers that is written when the program is compiled.
const MOST_COUNTED: i64 = 1 << 16;

/// One line of numbers, seen along the axis; the other axes stand still.
pub(crate) fn iota(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let (v, axis) = (op.results[0], op.attrs.int("axis") as usize);
    let ty = f.ty(v);
    let extent = ty.dims.get(axis).ok_or_else(|| bug(op, "axis out of range"))?.clone();
    // A result is handed over as elements, not as a promise of them.
    let given = l.forward.contains_key(&v) || f.returns().contains(&v);
    let known = extent.as_exact().filter(|n| !given && (1..=MOST_COUNTED).contains(n)).map(|n| n as usize);
    let counted = match known {
        Some(n) if ty.dtype.is_int() => Some(Tensor::from_ints(ty.dtype, &[n], 0..n as i128)?),
        Some(n) if ty.dtype.is_float() => Some(Tensor::from_reals(ty.dtype, &[n], (0..n).map(|i| i as f64))?),
        _ => None,
    };
    let (name, of_line) = (f.value(v).name.clone(), Type::new(ty.dtype, [extent]));
    let line = match counted {
        Some(t) => l.constant(&of_line, name, t),
        None if ty.rank() == 1 || given => return l.kernel(op),
        None => {
            let line = l.own_type(&of_line, name);
            l.kernel_step(op, [].into(), [line].into(), false)?;
            line
        }
    };
    if ty.rank() == 1 {
        l.of[v.ix()] = line;
        return Ok(());
    }
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
        l.guard(c, "`guard`".into(), Code::E0420);
    }
    Ok(())
}
