//! Elementwise ops, reductions and `fused` ops as regions. A `fused` body is ordinary IR; what it reads through
//! `broadcast_in_dim` and `transpose` becomes strides of the region's operands. A body that is more than that runs as
//! steps of its own.
use std::collections::HashMap;

use tfc_ir::{Attr, Def, Op, Result, ScalarOp, Tensor, ValueId, with_dtype};

use super::lower::{Lower, bug};
use super::mem::tensor_ptr;
use super::plan::*;
use super::region::{Node, Region, Role, Tape};

/// The fold of each reduction op.
pub(crate) fn reduction(name: &str) -> Option<ScalarOp> {
    Some(match name {
        "reduce_sum" => ScalarOp::Add,
        "reduce_prod" => ScalarOp::Mul,
        "reduce_max" => ScalarOp::Max,
        "reduce_min" => ScalarOp::Min,
        "reduce_and" => ScalarOp::And,
        "reduce_or" => ScalarOp::Or,
        "reduce_xor" => ScalarOp::Xor,
        _ => return None,
    })
}
/// The bytes of a rank-0 tensor.
fn scalar_bytes(t: &Tensor) -> [u8; 16] {
    let mut b = [0u8; 16];
    let p = tensor_ptr(t);
    if t.len() == 1 && !p.0.is_null() {
        // SAFETY: the tensor has an element of that size.
        unsafe { std::ptr::copy_nonoverlapping(p.0, b.as_mut_ptr(), t.dtype().size().min(16)) };
    }
    b
}
/// The element of a constant whose elements are all one.
pub(crate) fn splat(op: &Op) -> Option<[u8; 16]> {
    let t = op.attrs.tensor("splat").or_else(|| op.attrs.tensor("value").filter(|t| t.rank() == 0))?;
    (op.def.name == "const").then(|| scalar_bytes(t))
}

/// A region being built over loops.
struct Build<'l, 'a> {
    lw: &'l mut Lower<'a>,
    region: Region,
    rank: usize,
    slots: Vec<Slot>,
    maps: Vec<u32>,
    /// Values already made, by the loops that their axes walk.
    memo: HashMap<(ValueId, Vec<u32>), u32>,
    loads: HashMap<(Slot, Vec<u32>), u32>,
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
        self.maps.extend(by_loop);
        self.region.operand(d, role)
    }
    fn load(&mut self, s: Slot, map: &[u32]) -> u32 {
        if let Some(&n) = self.loads.get(&(s, map.to_vec())) {
            return n;
        }
        let k = self.operand(s, map, Role::In);
        if map.len() == self.rank && map.iter().enumerate().all(|(i, &l)| i as u32 == l) {
            self.plain.push((k, s));
        }
        let n = self.region.node(Node::Load(k));
        self.loads.insert((s, map.to_vec()), n);
        n
    }
    /// The node of a value whose axis `i` walks loop `map[i]`; `inside` are the values of the fused body, with what
    /// its parameters stand for.
    fn value(&mut self, v: ValueId, map: &[u32], inside: Option<&HashMap<ValueId, ValueId>>) -> Result<u32> {
        let v = inside.and_then(|m| m.get(&v).copied()).unwrap_or(v);
        let known = (v, map.to_vec());
        if let Some(&n) = self.memo.get(&known) {
            return Ok(n);
        }
        let f = self.lw.f.clone();
        let n = match f.value(v).def {
            Def::Result(o, _) if self.lw.of[v.ix()] == NONE => {
                let op = f.op(o);
                match op.def.name {
                    "const" => {
                        let b = splat(op).ok_or_else(|| bug(op, "a fused region holds a large constant"))?;
                        self.region.node(Node::Const(b, f.ty(v).dtype))
                    }
                    "broadcast_in_dim" => {
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
                    "transpose" => {
                        let mut m = vec![NONE; map.len()];
                        op.attrs.indices("perm").iter().zip(map).for_each(|(&p, &l)| m[p] = l);
                        self.value(op.operands[0], &m, inside)?
                    }
                    _ => {
                        let s = op.def.scalar.ok_or_else(|| bug(op, "is not elementwise"))?;
                        let mut a = [0u32; 3];
                        for (a, &x) in a.iter_mut().zip(&op.operands) {
                            let scalar = f.ty(x).is_scalar();
                            *a = self.value(x, if scalar { &[] } else { map }, inside)?;
                        }
                        self.region.node(Node::Apply(s, a, f.ty(v).dtype))
                    }
                }
            }
            _ => match f.def_op(v).and_then(splat) {
                Some(b) => self.region.node(Node::Const(b, f.ty(v).dtype)),
                None => {
                    let s = self.lw.value(v)?;
                    self.load(s, map)
                }
            },
        };
        self.memo.insert(known, n);
        Ok(n)
    }
}

impl<'a> Lower<'a> {
    fn build<'l>(&'l mut self, rank: usize) -> Build<'l, 'a> {
        Build {
            lw: self,
            region: Region::default(),
            rank,
            slots: vec![],
            maps: vec![],
            memo: HashMap::new(),
            loads: HashMap::new(),
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
        let mut b = self.build(rank);
        let mut a = [0u32; 3];
        for (a, &x) in a.iter_mut().zip(&op.operands) {
            *a = b.value(x, if f.ty(x).is_scalar() { &[] } else { &all }, None)?;
        }
        let n = b.region.node(Node::Apply(s, a, f.ty(out).dtype));
        b.finish(&f.ty(out).dims, &[(out, n, None)], &[])
    }
    /// Elementwise ops on scalars, as one tape; what is used behind them is stored.
    pub(crate) fn scalar_run(&mut self, f: &tfc_ir::Func, ops: &[tfc_ir::OpId]) -> Result<()> {
        let mut left: HashMap<ValueId, u32> = HashMap::new();
        for &o in ops {
            let op = f.op(o);
            op.operands.iter().for_each(|v| *left.entry(*v).or_default() += 1);
            if op.def.scalar.is_none() {
                self.constant_op(op)?;
            }
        }
        let uses = |l: &Self, v: ValueId| l.uses[v.ix()] - left.get(&v).copied().unwrap_or(0);
        let outside: Vec<bool> = ops.iter().map(|&o| uses(self, f.op(o).results[0]) > 0).collect();
        let mut b = self.build(0);
        let mut outs = vec![];
        for (&o, outside) in ops.iter().zip(outside) {
            let op = f.op(o);
            if op.def.scalar.is_some() {
                let n = b.value(op.results[0], &[], None)?;
                if outside {
                    outs.push((op.results[0], n, None));
                }
            }
        }
        if outs.is_empty() { Ok(()) } else { b.finish(&[], &outs, &[]) }
    }
    /// A reduction on its own.
    pub(crate) fn reduce(&mut self, op: &Op) -> Result<()> {
        let f = self.f.clone();
        let x = op.operands[0];
        let rank = f.ty(x).rank();
        let all: Vec<u32> = (0..rank as u32).collect();
        let s = reduction(op.def.name).ok_or_else(|| bug(op, "is not a reduction"))?;
        let mut b = self.build(rank);
        let n = b.value(x, &all, None)?;
        let axes = op.attrs.indices("axes");
        b.finish(&f.ty(x).dims, &[(op.results[0], n, Some(s))], &axes)
    }
    /// A `fused` op.
    pub(crate) fn fused(&mut self, op: &Op) -> Result<()> {
        let f = self.f.clone();
        let body = f.region(op.regions[0]);
        let map: HashMap<ValueId, ValueId> = body.params.iter().copied().zip(op.operands.iter().copied()).collect();
        // The loops: the shape of what is reduced, or of the results.
        let reduced =
            |v: ValueId| f.def_op(v).filter(|o| reduction(o.def.name).is_some() && body.ops.contains(&def_id(&f, v)));
        let first = body.yields.iter().find_map(|&v| reduced(v));
        let (shape, axes) = match first {
            Some(r) => (f.ty(r.operands[0]).dims.clone(), r.attrs.indices("axes")),
            None => (body.yields.first().map(|&v| f.ty(v).dims.clone()).unwrap_or_default(), vec![]),
        };
        let one_kernel = body.ops.iter().all(|&o| {
            let q = f.op(o);
            q.guards.is_empty()
                && (q.def.scalar.is_some()
                    || matches!(q.def.name, "broadcast_in_dim" | "transpose")
                    || (q.def.name == "const" && splat(q).is_some())
                    || (reduction(q.def.name).is_some() && body.yields.contains(&q.results[0])))
        }) && body.yields.iter().all(|&v| match reduced(v) {
            Some(r) => f.ty(r.operands[0]).dims == shape && r.attrs.indices("axes") == axes,
            None => f.ty(v).dims == shape,
        }) && !body.ops.iter().any(|&o| f.op(o).operands.iter().any(|&x| reduced(x).is_some()));
        if !one_kernel {
            return self.inline_region(op);
        }
        let rank = shape.len();
        let all: Vec<u32> = (0..rank as u32).collect();
        let mut b = self.build(rank);
        let mut outs = vec![];
        // In order, so that nothing nests deeply.
        for &o in &body.ops {
            let v = f.op(o).results[0];
            if f.op(o).def.scalar.is_some() && (f.ty(v).dims == shape || f.ty(v).is_scalar()) {
                b.value(v, if f.ty(v).is_scalar() { &[] } else { &all }, Some(&map))?;
            }
        }
        for (&v, &r) in body.yields.iter().zip(&op.results) {
            let (n, red) = match reduced(v) {
                Some(q) => (b.value(q.operands[0], &all, Some(&map))?, reduction(q.def.name)),
                None => (b.value(v, &all, Some(&map))?, None),
            };
            outs.push((r, n, red));
        }
        b.finish(&shape, &outs, &axes)
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
            tfc_ir::Error::new("E0717", format!("the contents of @{} have not been loaded", decl.name))
        })?;
        let s = self.constant(f.ty(v), f.value(v).name.clone(), t);
        self.of[v.ix()] = s;
        Ok(())
    }
}
fn def_id(f: &tfc_ir::Func, v: ValueId) -> tfc_ir::OpId {
    match f.value(v).def {
        Def::Result(o, _) => o,
        Def::Param(_) => tfc_ir::OpId(u32::MAX),
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
                return Err(tfc_ir::Error::new("E0225", "`bytes` of a bool constant holds something else than 0 and 1"));
            }
            // SAFETY: any bytes are a value of a number type, and 0 and 1 are those of `bool`; the file is little-endian,
            // as are the targets that this crate supports.
            unsafe { std::ptr::copy_nonoverlapping(b.as_ptr(), std::ptr::from_mut(x).cast::<u8>(), size) };
        }
        Ok(Tensor::from_logical(&shape, v))
    }, _ => Err(super::unsupported(ty.dtype)))
}

impl Build<'_, '_> {
    /// Adds the outputs, compiles the tape and emits the step. Each output: value, node, fold.
    fn finish(
        mut self,
        loops: &[tfc_ir::Extent],
        outs: &[(ValueId, u32, Option<ScalarOp>)],
        axes: &[usize],
    ) -> Result<()> {
        let all: Vec<u32> = (0..self.rank as u32).collect();
        let kept: Vec<u32> = all.iter().copied().filter(|&l| !axes.contains(&(l as usize))).collect();
        let mut made = vec![];
        for &(v, n, red) in outs {
            let s = self.lw.own(v);
            made.push(s);
            match red {
                Some(op) => {
                    let k = self.operand(s, &kept, Role::Reduced);
                    // A fold reads a slot or an operand; constants are spread over a slot first.
                    self.region.node(Node::Red(op, k, n));
                }
                None => {
                    let k = self.operand(s, &all, Role::Out);
                    self.region.node(Node::Store(k, n));
                }
            }
        }
        let tape = Tape::new(&self.region)?;
        let inputs: Vec<Slot> = self.slots.iter().copied().filter(|s| !made.contains(s)).collect();
        for (k, &s) in self.slots.iter().enumerate() {
            let candidates: Vec<Slot> = tape
                .in_place
                .iter()
                .filter(|p| p.0 as usize == k)
                .filter_map(|p| self.plain.iter().find(|x| x.0 == p.1).map(|x| x.1))
                .collect();
            if !candidates.is_empty() {
                self.lw.over.push((self.lw.pos, s, candidates, inputs.clone()));
            }
        }
        let like = self.plain.first().map_or(NONE, |p| p.1);
        for &s in &made {
            if axes.is_empty() {
                self.lw.slots[s as usize].like = like;
            }
        }
        let run = Run {
            tape,
            loops: self.lw.ext_list(loops),
            reduced: (0..self.rank).map(|l| axes.contains(&l)).collect(),
            operands: self.slots.into(),
            maps: self.maps.into(),
            outs: made.into(),
        };
        self.lw.push(Do::Run(Box::new(run)));
        Ok(())
    }
}
