//! Ops that move nothing: the result is a strided view of the operand, or can be one.
use tfc_ir::extent::Extent;
use tfc_ir::{Attr, Op, Result};

use super::build::{Lower, bug};
use super::*;

impl Lower<'_> {
    /// A list of extents or integers.
    fn numbers(&mut self, op: &Op, name: &str, len: usize, default: i64) -> Box<[Ext]> {
        let list: Vec<Extent> = match op.attrs.get(name) {
            Some(Attr::Extents(v)) => v.to_vec(),
            Some(Attr::List(v)) => {
                v.iter().map(|a| Extent::exact(if let Attr::Int(i) = a { *i } else { default })).collect()
            }
            Some(Attr::Int(i)) => vec![Extent::exact(*i)],
            _ => vec![Extent::exact(default); len],
        };
        self.ext_list(&list)
    }
    /// A view of operand 0.
    fn view(&mut self, op: &Op, axes: Vec<ViewAxis>, start: Vec<(u32, Start)>, also: u32) -> Result<()> {
        let src = self.operand(op, 0)?;
        let dst = self.alias(op.results[0], &[src]);
        self.push(Do::View(ViewOf { src, dst, axes: axes.into(), start: start.into(), also }));
        Ok(())
    }
    pub(crate) fn rank(&self, op: &Op, i: usize) -> usize {
        op.operands.get(i).map_or(0, |&v| self.f.ty(v).rank())
    }
    /// The extent 1.
    pub(crate) fn one(&mut self) -> Ext {
        self.ext(&Extent::exact(1))
    }
}
/// The operand itself.
pub(crate) fn alias(l: &mut Lower, op: &Op) -> Result<()> {
    let s = l.operand(op, 0)?;
    l.of[op.results[0].ix()] = s;
    Ok(())
}
pub(crate) fn transpose(l: &mut Lower, op: &Op) -> Result<()> {
    let step = l.one();
    let axes = op.attrs.indices("perm").iter().map(|&p| ViewAxis { from: p as u32, step, reversed: false }).collect();
    l.view(op, axes, vec![], NONE)
}
pub(crate) fn broadcast(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let (from, to) = (f.ty(op.operands[0]), f.ty(op.results[0]));
    let step = l.one();
    let mut axes = vec![ViewAxis { from: NONE, step, reversed: false }; to.rank()];
    for (i, &d) in op.attrs.indices("dims").iter().enumerate() {
        let axis = axes.get_mut(d).ok_or_else(|| bug(op, "axis out of range"))?;
        if from.dims[i].as_exact() != Some(1) {
            axis.from = i as u32;
        }
    }
    l.view(op, axes, vec![], NONE)
}
pub(crate) fn slice(l: &mut Lower, op: &Op) -> Result<()> {
    let n = l.rank(op, 0);
    let (start, step) = (l.numbers(op, "start", n, 0), l.numbers(op, "stride", n, 1));
    let axes = step.iter().enumerate().map(|(i, &s)| ViewAxis { from: i as u32, step: s, reversed: false }).collect();
    l.view(op, axes, start.iter().enumerate().map(|(i, &e)| (i as u32, Start::Ext(e))).collect(), NONE)
}
pub(crate) fn reverse(l: &mut Lower, op: &Op) -> Result<()> {
    let (n, axes, step) = (l.rank(op, 0), op.attrs.indices("axes"), l.one());
    let axes = (0..n).map(|i| ViewAxis { from: i as u32, step, reversed: axes.contains(&i) }).collect();
    l.view(op, axes, vec![], NONE)
}
pub(crate) fn prefix(l: &mut Lower, op: &Op) -> Result<()> {
    let (n, step) = (l.rank(op, 0), l.one());
    l.view(op, (0..n).map(|i| ViewAxis { from: i as u32, step, reversed: false }).collect(), vec![], NONE)
}
pub(crate) fn extract_diag(l: &mut Lower, op: &Op) -> Result<()> {
    let (n, step) = (l.rank(op, 0), l.one());
    // The two leading axes become one; batch axes follow.
    let axes = std::iter::once(0).chain(2..n).map(|i| ViewAxis { from: i as u32, step, reversed: false }).collect();
    l.view(op, axes, vec![], 1)
}
/// Windows overlap in memory as they do in the operand.
pub(crate) fn windows(l: &mut Lower, op: &Op) -> Result<()> {
    let (n, axes, one) = (l.rank(op, 0), op.attrs.indices("axes"), l.one());
    let (stride, dilation) = (l.numbers(op, "stride", axes.len(), 1), l.numbers(op, "dilation", axes.len(), 1));
    let walk = |a: usize, step: Ext| ViewAxis { from: a as u32, step, reversed: false };
    let counts = (0..n).map(|a| walk(a, axes.iter().position(|&x| x == a).map_or(one, |i| stride[i])));
    let all = counts.chain(axes.iter().zip(&dilation).map(|(&a, &d)| walk(a, d))).collect();
    l.view(op, all, vec![], NONE)
}
pub(crate) fn reshape(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let src = l.operand(op, 0)?;
    let v = op.results[0];
    let (from, to) = (f.ty(op.operands[0]), f.ty(v));
    let first = op.attrs.word("order") == Some("first");
    // Only axes of extent 1 come and go: always a view.
    let one = Extent::exact(1);
    let long = |t: &tfc_ir::Type| t.dims.iter().filter(|&d| *d != one).cloned().collect::<Vec<_>>();
    if long(from) == long(to) {
        let mut at = (0..from.rank() as u32).filter(|&i| from.dims[i as usize] != one);
        let step = l.one();
        let axes = to.dims.iter().map(|d| ViewAxis {
            from: if *d == one { NONE } else { at.next().unwrap_or(NONE) },
            step,
            reversed: false,
        });
        let axes = axes.collect();
        return l.view(op, axes, vec![], NONE);
    }
    // The elements of a constant line are there.
    if let (Place::Const(c), 1, Some(shape)) = (l.slots[src as usize].place, from.rank(), to.exact_shape())
        && let Some(line) = l.consts.get(c as usize)
    {
        let t = if first { line.reshape(shape)? } else { line.reshape_c(shape)? };
        l.of[v.ix()] = l.constant(to, f.value(v).name.clone(), t);
        return Ok(());
    }
    let store = l.store(to);
    let dst = l.alias(v, &[src]);
    l.roots[dst as usize].push(store);
    let how = if first { Reading::First } else { Reading::Last };
    l.push(Do::Reshape { src, dst, store, how });
    Ok(())
}
pub(crate) fn bitcast(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let src = l.operand(op, 0)?;
    let to = f.ty(op.results[0]);
    let store = l.store(to);
    let dst = l.alias(op.results[0], &[src]);
    l.roots[dst as usize].push(store);
    // Results never share storage of another element type.
    l.push(Do::Reshape { src, dst, store, how: Reading::Bits });
    Ok(())
}
pub(crate) fn dynamic_slice(l: &mut Lower, op: &Op) -> Result<()> {
    let (n, step) = (l.rank(op, 0), l.one());
    let axes = (0..n).map(|i| ViewAxis { from: i as u32, step, reversed: false }).collect();
    let mut start = vec![];
    for axis in 1..op.operands.len() {
        start.push((axis as u32 - 1, Start::Index(l.operand(op, axis)?)));
    }
    l.view(op, axes, start, NONE)
}
