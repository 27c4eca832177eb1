//! Elementwise ops, reductions and `fused` ops as programs. A `fused` body is ordinary IR; what it reads through
//! `broadcast_in_dim` and `transpose` becomes strides of the program's operands, and what it computes from reductions of
//! its own is cut into phases. A body that is more than that runs as steps of its own.
use std::collections::HashMap;

use tfc_ir::hash::WordHash;
use tfc_ir::op::Loops;
use tfc_ir::{
    Attr, CmpOp, Code, Constraint, Def, Extent, Facts, Op, Result, ScalarOp, Tensor, Truth, ValueId, ops, with_dtype,
};

use super::build::{Lower, bug, built_in};
use super::factors::Lies;
use super::*;
use crate::region::body::Role;
use crate::region::phases::{Graph, Val};

/// The fold of a reduction op.
fn reduction(op: &Op) -> Option<ScalarOp> {
    if let Loops::Fold(s) = op.def.loops { Some(s) } else { None }
}
/// The element of a constant whose elements are all one.
pub fn splat(op: &Op) -> Option<[u8; 16]> {
    let t = op.attrs.tensor("splat").or_else(|| op.attrs.tensor("value").filter(|t| t.rank() == 0))?;
    op.def.is(&ops::constant::CONST).then(|| t.scalar_bytes())
}

/// Operands that are looked through one by one.
const FEW: usize = 16;
/// A program being built over loops.
pub(super) struct Build<'l, 'a> {
    lw: &'l mut Lower<'a>,
    graph: Graph,
    rank: usize,
    /// Which loops reductions fold.
    reduced: Vec<bool>,
    /// Something in it is no single loop nest.
    misfit: bool,
    slots: Vec<Slot>,
    maps: Vec<u32>,
    /// Values already made, by the loops that their axes walk.
    memo: HashMap<(ValueId, Vec<u32>), u32, WordHash>,
    loads: HashMap<(Slot, Vec<u32>), u32, WordHash>,
    /// Operands that share the loops without any displacement, candidates for in-place.
    plain: Vec<(u32, Slot)>,
}
impl Build<'_, '_> {
    fn operand(&mut self, s: Slot, map: &[u32], role: Role) -> u32 {
        let d = self.lw.dtype(s);
        self.slots.push(s);
        let mut by_loop = vec![NONE; self.rank];
        for (axis, &l) in map.iter().enumerate() {
            if l != NONE {
                by_loop[l as usize] = axis as u32;
            }
        }
        let full = by_loop.iter().zip(&self.reduced).any(|(&a, &r)| r && a != NONE);
        self.maps.extend(by_loop);
        self.graph.operand(d, role, full)
    }
    fn load(&mut self, s: Slot, map: &[u32]) -> u32 {
        if let Some(&n) = self.loads.get(&(s, map.to_vec())) {
            return n;
        }
        let k = self.operand(s, map, Role::In);
        if map.len() == self.rank && map.iter().enumerate().all(|(i, &l)| i as u32 == l) {
            self.plain.push((k, s));
        }
        let n = self.graph.val(Val::Load(k));
        self.loads.insert((s, map.to_vec()), n);
        n
    }
    /// The node of a value whose axis `i` walks loop `map[i]`; `inside` are the values of the fused body, with what
    /// its parameters stand for.
    pub(super) fn value(&mut self, v: ValueId, map: &[u32], inside: Option<&HashMap<ValueId, ValueId>>) -> Result<u32> {
        let v = inside.and_then(|m| m.get(&v).copied()).unwrap_or(v);
        let known = (v, map.to_vec());
        if let Some(&n) = self.memo.get(&known) {
            return Ok(n);
        }
        let f = self.lw.f.clone();
        let n = match f.value(v).def {
            Def::Result(o, _) if self.lw.of[v.ix()] == NONE => {
                let op = f.op(o);
                match op.def {
                    d if d.is(&ops::constant::CONST) => {
                        let b = splat(op).ok_or_else(|| bug(op, "a fused region holds a large constant"))?;
                        self.graph.val(Val::Const(b, f.ty(v).dtype))
                    }
                    d if d.is(&ops::shape::BROADCAST_IN_DIM) => {
                        let x = op.operands[0];
                        let to = f.ty(v);
                        let m: Vec<u32> = op
                            .attrs
                            .indices("dims")
                            .iter()
                            .zip(f.ty(x).dims.iter())
                            .map(|(&d, e)| if *e == to.dims[d] { map[d] } else { NONE })
                            .collect();
                        self.value(x, &m, inside)?
                    }
                    d if d.is(&ops::shape::TRANSPOSE) => {
                        let mut m = vec![NONE; map.len()];
                        op.attrs.indices("perm").iter().zip(map).for_each(|(&p, &l)| m[p] = l);
                        self.value(op.operands[0], &m, inside)?
                    }
                    _ if reduction(op).is_some() => self.fold(op, map, inside)?,
                    _ => {
                        let s = op.def.scalar.ok_or_else(|| bug(op, "is not elementwise"))?;
                        let mut a = [0u32; 3];
                        for (a, &x) in a.iter_mut().zip(&op.operands) {
                            let scalar = f.ty(x).is_scalar();
                            *a = self.value(x, if scalar { &[] } else { map }, inside)?;
                        }
                        self.graph.val(Val::Apply(s, a, f.ty(v).dtype))
                    }
                }
            }
            _ => match f.def_op(v).and_then(splat) {
                Some(b) => self.graph.val(Val::Const(b, f.ty(v).dtype)),
                None => {
                    let s = self.lw.slot_with(v)?;
                    self.load(s, map)
                }
            },
        };
        self.memo.insert(known, n);
        Ok(n)
    }
    /// A reduction whose result walks the loops of `map`: those that are kept, in order.
    fn fold(&mut self, op: &Op, map: &[u32], inside: Option<&HashMap<ValueId, ValueId>>) -> Result<u32> {
        let axes = op.attrs.indices("axes");
        let mut kept = map.iter();
        let mut full: Vec<u32> = (0..map.len() + axes.len())
            .map(|a| if axes.contains(&a) { a as u32 } else { kept.next().copied().unwrap_or(NONE) })
            .collect();
        self.misfit |= full.len() != self.rank
            || full.iter().enumerate().any(|(a, &l)| a as u32 != l || self.reduced[a] != axes.contains(&a));
        if self.misfit {
            full = (0..full.len() as u32).map(|_| NONE).collect();
        }
        let s = reduction(op).ok_or_else(|| bug(op, "is not a reduction"))?;
        let x = self.value(op.operands[0], &full, inside)?;
        Ok(self.graph.val(Val::Reduce(s, x, self.lw.f.ty(op.results[0]).dtype)))
    }
}

impl<'a> Lower<'a> {
    pub(super) fn build<'l>(&'l mut self, rank: usize, axes: &[usize]) -> Build<'l, 'a> {
        Build {
            lw: self,
            graph: Graph::default(),
            rank,
            reduced: (0..rank).map(|l| axes.contains(&l)).collect(),
            misfit: false,
            slots: vec![],
            maps: vec![],
            memo: HashMap::default(),
            loads: HashMap::default(),
            plain: vec![],
        }
    }
    /// An elementwise op on its own.
    pub(crate) fn elementwise(&mut self, op: &Op) -> Result<()> {
        let f = self.f.clone();
        let out = op.results[0];
        let rank = f.ty(out).rank();
        let all: Vec<u32> = (0..rank as u32).collect();
        let s = op.def.scalar.ok_or_else(|| bug(op, "is not elementwise"))?;
        let mut b = self.build(rank, &[]);
        let mut a = [0u32; 3];
        for (a, &x) in a.iter_mut().zip(&op.operands) {
            *a = b.value(x, if f.ty(x).is_scalar() { &[] } else { &all }, None)?;
        }
        let n = b.graph.val(Val::Apply(s, a, f.ty(out).dtype));
        b.finish(&f.ty(out).dims, &[(out, n, all)])
    }
    /// A reduction on its own.
    pub(crate) fn reduce(&mut self, op: &Op) -> Result<()> {
        let f = self.f.clone();
        let x = op.operands[0];
        let rank = f.ty(x).rank();
        let all: Vec<u32> = (0..rank as u32).collect();
        let axes = op.attrs.indices("axes");
        let kept: Vec<u32> = all.iter().copied().filter(|&l| !axes.contains(&(l as usize))).collect();
        let s = reduction(op).ok_or_else(|| bug(op, "is not a reduction"))?;
        let mut b = self.build(rank, &axes);
        let x = b.value(x, &all, None)?;
        let n = b.graph.val(Val::Reduce(s, x, f.ty(op.results[0]).dtype));
        b.finish(&f.ty(op.operands[0]).dims, &[(op.results[0], n, kept)])
    }
    /// A `fused` op.
    pub(crate) fn fused(&mut self, op: &Op) -> Result<()> {
        let f = self.f.clone();
        let body = f.region(op.regions[0]);
        let map: HashMap<ValueId, ValueId> = body.params.iter().copied().zip(op.operands.iter().copied()).collect();
        let known = |q: &Op| {
            !self.replaced(q.def)
                && (q.def.scalar.is_some() && self.in_step(&f, q)
                    || q.def.is(&ops::shape::BROADCAST_IN_DIM)
                    || q.def.is(&ops::shape::TRANSPOSE)
                    || splat(q).is_some()
                    || reduction(q).is_some() && built_in(q.def))
        };
        if !body.ops.iter().all(|&o| f.op(o).guards.is_empty() && known(f.op(o))) {
            return self.inline_region(op);
        }
        // The loops: the shape of what is reduced, or of the results.
        let first = body.ops.iter().map(|&o| f.op(o)).find(|q| reduction(q).is_some());
        let (shape, axes) = match first {
            Some(r) => (f.ty(r.operands[0]).dims.clone(), r.attrs.indices("axes")),
            None => (body.yields.first().map(|&v| f.ty(v).dims.clone()).unwrap_or_default(), vec![]),
        };
        // The loops that the axes of a value of this shape walk.
        let along = |dims: &[tfc_ir::Extent]| -> Option<Vec<u32>> {
            let kept: Vec<usize> = (0..shape.len()).filter(|l| !axes.contains(l)).collect();
            if dims.is_empty() {
                Some(vec![])
            } else if dims.len() == shape.len() {
                let one = |l: usize| axes.contains(&l) && dims[l].as_exact() == Some(1);
                (0..dims.len())
                    .map(|l| if dims[l] == shape[l] { Some(l as u32) } else { one(l).then_some(NONE) })
                    .collect()
            } else if dims.len() == kept.len() && dims.iter().zip(&kept).all(|(d, &l)| *d == shape[l]) {
                Some(kept.iter().map(|&l| l as u32).collect())
            } else {
                None
            }
        };
        let mut b = self.build(shape.len(), &axes);
        let mut outs = vec![];
        // In order, so that nothing nests deeply.
        for &o in &body.ops {
            let v = f.op(o).results[0];
            if f.op(o).def.scalar.is_some()
                && let Some(m) = along(&f.ty(v).dims)
            {
                b.value(v, &m, Some(&map))?;
            }
        }
        for (&v, &r) in body.yields.iter().zip(&op.results) {
            let v = if let Lies::As(x) = b.lw.factors[r.ix()] { x } else { v };
            match along(&f.ty(v).dims) {
                Some(m) => outs.push((r, b.value(v, &m, Some(&map))?, m)),
                None => b.misfit = true,
            }
        }
        if b.misfit || b.graph.phases() > b.lw.target.most_phases() {
            return self.inline_region(op);
        }
        b.finish(&shape, &outs)
    }
    /// Runs the body of a region op once, as steps.
    fn inline_region(&mut self, op: &Op) -> Result<()> {
        let f = self.f.clone();
        let body = f.region(op.regions[0]);
        for (&p, &x) in body.params.iter().zip(&op.operands) {
            let s = self.value(x)?;
            self.of[p.ix()] = s;
        }
        self.block_ops(op.regions[0])?;
        for (&y, &r) in body.yields.iter().zip(&op.results) {
            let s = self.value(y)?;
            self.of[r.ix()] = s;
        }
        Ok(())
    }
    /// `const`.
    pub(crate) fn constant_op(&mut self, op: &Op) -> Result<()> {
        let f = self.f.clone();
        let (v, a) = (op.results[0], &op.attrs);
        let ty = f.ty(v);
        let t = match (a.tensor("value"), a.tensor("splat"), a.str("bytes")) {
            (Some(t), ..) | (_, Some(t), _) => t.clone(),
            (_, _, Some(s)) => bytes(op, ty, s)?,
            _ => return Err(bug(op, "no value")),
        };
        // No step makes it, so nothing else asks: the statement that gave it this extent may be gone, with its guard.
        for e in ty.dims.iter().filter(|e| e.as_exact().is_none() && e.as_atom().is_none()) {
            let c = Constraint { lhs: Extent::exact(0), op: CmpOp::Le, rhs: e.clone() };
            if Facts::new().prove(&c) != Truth::Yes {
                self.require(&c, "an extent of a constant".into());
            }
        }
        let s = self.constant(ty, f.value(v).name.clone(), t);
        self.of[v.ix()] = s;
        Ok(())
    }
    /// `load`: external data.
    pub(crate) fn load_op(&mut self, op: &Op) -> Result<()> {
        let f = self.f.clone();
        let v = op.results[0];
        let id = op.attrs.iter().find_map(|(_, a)| if let Attr::Data(d) = a { Some(*d) } else { None });
        let decl = id.and_then(|d| self.m.data_decl(d)).ok_or_else(|| bug(op, "no data"))?;
        let t = decl.value.clone().ok_or_else(|| {
            tfc_ir::Error::new(Code::E0717, format!("the contents of @{} have not been loaded", decl.name))
        })?;
        let s = self.constant(f.ty(v), f.value(v).name.clone(), t);
        self.of[v.ix()] = s;
        Ok(())
    }
}
fn bytes(op: &Op, ty: &tfc_ir::Type, s: &str) -> Result<Tensor> {
    let raw = tfc_ir::ops::constant::decode_base64(s).ok_or_else(|| bug(op, "malformed base64"))?;
    let shape = ty.exact_shape().ok_or_else(|| bug(op, "`bytes` of an unknown shape"))?;
    let n = tfc_ir::tensor::element_count(&shape)?;
    if raw.len() != n * ty.dtype.size() {
        return Err(bug(op, "`bytes` of another length"));
    }
    with_dtype!(ty.dtype, T => {
        let mut v = vec![T::default(); n];
        let size = size_of::<T>();
        for (x, b) in v.iter_mut().zip(raw.chunks_exact(size.max(1))) {
            let valid = ty.dtype != tfc_ir::DType::Bool || b[0] <= 1;
            if !valid {
                return Err(tfc_ir::Error::new(Code::E0225, "`bytes` of a bool constant holds something else than 0 and 1"));
            }
            // SAFETY: any bytes are a value of a number type, and 0 and 1 are those of `bool`; the file is little-endian,
            // as are the targets that this crate supports.
            unsafe { std::ptr::copy_nonoverlapping(b.as_ptr(), std::ptr::from_mut(x).cast::<u8>(), size) };
        }
        Tensor::from_logical(&shape, v)
    })
}

impl Build<'_, '_> {
    /// Adds the outputs, compiles the program and emits the step. Each output: value, node, the loops its axes walk.
    pub(super) fn finish(mut self, loops: &[tfc_ir::Extent], outs: &[(ValueId, u32, Vec<u32>)]) -> Result<()> {
        let mut made = vec![];
        let mut stores = vec![];
        for (v, n, map) in outs {
            let s = self.lw.own(*v);
            made.push(s);
            let k = self.operand(s, map, Role::Out);
            stores.push((*n, k));
        }
        if self.lw.fast_math {
            self.graph.contract(&mut stores);
        }
        let hot = self.lw.in_loop();
        // Loops of one trip each are none: the region is one of single elements, whatever axes these have.
        let single = !self.graph.reduces() && loops.iter().all(|e| e.as_exact() == Some(1));
        let loops = if single { &[] } else { loops };
        if single {
            self.maps.clear();
            self.reduced.clear();
        }
        let mut in_place = self.lw.target.fused(&self.graph, &stores, loops.len(), hot)?;
        let id = self.lw.regions;
        self.lw.regions += 1;
        // Large regions have many operands: they are found by number.
        let by_number: Option<HashMap<u32, Slot>> =
            (self.plain.len() > FEW).then(|| self.plain.iter().rev().copied().collect());
        let slot_of = |k: u32| match &by_number {
            Some(all) => all.get(&k).copied(),
            None => self.plain.iter().find(|p| p.0 == k).map(|p| p.1),
        };
        in_place.sort_by_key(|p| p.0);
        for pairs in in_place.chunk_by(|a, b| a.0 == b.0) {
            let candidates: Vec<Slot> = pairs.iter().filter_map(|p| slot_of(p.1)).collect();
            if let Some(&s) = self.slots.get(pairs[0].0 as usize).filter(|_| !candidates.is_empty()) {
                self.lw.may_lie_over(s, candidates);
            }
        }
        let like = self.plain.first().map_or(NONE, |p| p.1);
        for (&s, out) in made.iter().zip(outs) {
            if out.2.len() == self.rank {
                self.lw.slots[s as usize].like = like;
                // What is no view has an order of its own.
                let views = || self.plain.iter().all(|p| self.lw.slots[p.1 as usize].place == Place::View);
                if self.rank > 1 && views() {
                    self.lw.slots[s as usize].near = self.lw.near_partner(out.0);
                }
            }
        }
        let run = Run {
            id,
            loops: self.lw.ext_list(loops),
            reduced: self.reduced.into(),
            reduces: self.graph.reduces(),
            operands: self.slots.into(),
            maps: self.maps.into(),
            outs: made.into(),
        };
        self.lw.push(Do::Run(Box::new(run)));
        Ok(())
    }
}
