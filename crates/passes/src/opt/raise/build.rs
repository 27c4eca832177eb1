//! Builds a function again with the scans that its loops are.
use super::find::{Along, Kept, Raised, Trips};
use super::index::Count;
use crate::opt::fold::constant;
use std::collections::BTreeMap;
use tfc_ir::ops::control::{Checkpoint, Gather, ScanDims};
use tfc_ir::ops::shape::SLICE;
use tfc_ir::{
    Attr, Builder, CmpOp, Code, Constraint, DType, Error, Extent, Func, Map, NewOp, Op, OpId, RegionId, Result, Tensor,
    Type, ValueId,
};

/// By op, the parameter that its window is a part of and the axis along which that was cut; `None`: the op is left out, what it
/// writes is collected.
type Windows = BTreeMap<OpId, Option<(ValueId, usize)>>;

/// A function being built again.
pub(super) struct Raise<'r, 'm> {
    pub(super) b: &'r mut Builder<'m>,
    pub(super) f: &'r Func,
    pub(super) found: &'r BTreeMap<OpId, Raised>,
}
impl Raise<'_, '_> {
    /// The ops of a region.
    pub(super) fn ops(&mut self, r: RegionId, map: &mut Map) -> Result<()> {
        self.inner(r, &BTreeMap::new(), map)
    }
    /// The same in loops with these windows.
    fn inner(&mut self, r: RegionId, cut: &Windows, map: &mut Map) -> Result<()> {
        let f = self.f;
        for &o in &f.region(r).ops {
            let op = f.op(o);
            let old = self.b.set_loc(op.loc, op.span);
            match (self.found.get(&o), cut.get(&o)) {
                (Some(raised), _) => self.a_loop(op, raised, cut, map),
                (None, Some(&Some(window))) => self.window(op, window, map),
                (None, Some(None)) => Ok(()),
                (None, None) => self.copied(o, cut, map),
            }
            .map_err(|e| e.or_span(op.span))?;
            self.b.set_loc(old.0, old.1);
        }
        Ok(())
    }
    fn copied(&mut self, o: OpId, cut: &Windows, map: &mut Map) -> Result<()> {
        let (f, op) = (self.f, self.f.op(o));
        let args = map.list(&op.operands)?;
        let mut regions = Vec::with_capacity(op.regions.len());
        for &q in &op.regions {
            let opened = self.b.open_copy(f, q, map)?;
            self.inner(q, cut, map)?;
            regions.push(self.b.close_copy(opened, f, q, map)?);
        }
        self.b.copy_with(f, o, args, regions, map).map(|_| ())
    }
    /// A window of what has been cut along `axis`: all of `part`, or a window of that along other axes.
    fn window(&mut self, op: &Op, (part, axis): (ValueId, usize), map: &mut Map) -> Result<()> {
        let f = self.f;
        let ty = map.ty(f.ty(op.results[0]))?;
        let whole = self.b.ty(part).with_axis(axis, Extent::exact(1));
        let mut v = self.b.reshape(part, &whole)?;
        if whole != ty {
            let mut args = map.all(&op.operands)?;
            // Along the axis that was cut there is one place.
            (args[0], args[op.def.movement.window.starts() + axis]) = (v, self.number(0)?);
            let new = NewOp::new(op.def, &args).attrs(map.attrs(&op.attrs)?).types(vec![ty]);
            v = self.b.emit1(new)?;
        }
        self.b.hint(v, f.value(op.results[0]).name.clone());
        self.b.shard_like(v, f, op.results[0]);
        map.insert(op.results[0], v);
        Ok(())
    }
    fn number(&mut self, x: i64) -> Result<ValueId> {
        constant(self.b, &Type::scalar(DType::I64), Tensor::scalar(x))
    }
    /// How often the loop runs, as an extent.
    fn trips(&mut self, trips: &Trips, map: &Map) -> Result<Extent> {
        let (high, low) = match *trips {
            Trips::Known(n) => return Ok(Extent::exact(n)),
            Trips::Extent(ref n, dtype) => {
                let n = map.extent(n)?;
                if dtype == DType::I32 {
                    // The counter would turn negative.
                    let most = Extent::exact(i64::from(i32::MAX));
                    self.b.state([Constraint { lhs: n.clone(), op: CmpOp::Le, rhs: most }])?;
                }
                return Ok(n);
            }
            Trips::Above(high, low) => (map.value(high)?, map.value(low)?),
        };
        let wide =
            |b: &mut Builder, v: ValueId| if b.ty(v).dtype == DType::I64 { Ok(v) } else { b.convert(v, DType::I64) };
        let (high, low) = (wide(self.b, high)?, wide(self.b, low)?);
        let end = self.b.max(high, low)?;
        let n = self.b.sub(end, low)?;
        let e = Extent::exist(self.b.exist("trips", tfc_ir::Span::default()));
        self.b.bind_extent(n, e.clone(), vec![])?;
        Ok(e)
    }
    fn a_loop(&mut self, op: &Op, raised: &Raised, around: &Windows, map: &mut Map) -> Result<()> {
        let f = self.f;
        let row = op.def.control.repeats.ok_or_else(|| Error::bug(Code::E0599, "a loop is none any more"))?;
        let body = op.regions[row.body];
        let region = f.region(body);
        let args: Vec<ValueId> = map.all(&op.operands)?;
        let length = self.trips(&raised.trips, map)?;
        let count = raised.trips.count();
        let stay: Vec<usize> = (0..args.len()).filter(|&i| matches!(raised.carries[i], Kept::Carried)).collect();
        let mut d = ScanDims {
            carry: stay.len(),
            length,
            cut: vec![],
            collect: vec![],
            reverse: raised.reverse,
            checkpoint: Checkpoint::read(&op.attrs)?,
        };
        let mut operands: Vec<ValueId> = stay.iter().map(|&i| args[i]).collect();
        // Each cut once, however many windows read it.
        let mut cuts: Vec<Along> = vec![];
        for along in raised.cuts.values() {
            if !cuts.contains(along) {
                cuts.push(*along);
                let x = self.part(map.value(along.of)?, along, count.as_ref(), map)?;
                operands.push(self.turned(x, along, raised)?);
                d.cut.push(along.axis);
            }
        }

        let opened = self.b.open("body");
        for (i, kept) in raised.carries.iter().enumerate() {
            let p = region.params[i];
            match kept {
                Kept::Carried => {
                    let q = self.b.param_like(map.ty(f.ty(p))?, f, p);
                    map.insert(p, q);
                }
                Kept::Same => map.insert(p, args[i]),
                Kept::Collected(..) => {}
            }
        }
        let mut params = vec![];
        for (x, along) in operands[d.carry..].iter().copied().zip(&cuts) {
            let ty = self.b.ty(x).without(&[along.axis]);
            let name = self.b.name(x);
            params.push(self.b.param_named(ty, name));
        }
        let mut inside = around.clone();
        for (&o, along) in &raised.cuts {
            if let Some(i) = cuts.iter().position(|c| c == along) {
                inside.insert(o, Some((params[i], along.axis)));
            }
        }
        for kept in &raised.carries {
            if let Kept::Collected(o, _) = kept {
                inside.insert(*o, None);
            }
        }
        self.inner(body, &inside, map)?;
        let mut ys: Vec<ValueId> = vec![];
        for &i in &stay {
            ys.push(map.value(region.yields[i])?);
        }
        for kept in &raised.carries {
            if let Kept::Collected(o, along) = kept {
                let part = map.value(f.op(*o).operands[1])?;
                let ty = self.b.ty(part).without(&[along.axis]);
                ys.push(self.b.reshape(part, &ty)?);
                d.collect.push(Gather::Stack(along.axis));
            }
        }
        let made = self.b.close(opened, ys);
        let types = stay.iter().map(|&i| map.ty(f.ty(op.results[i]))).collect::<Result<Vec<_>>>()?;
        let rs = self.b.scan_typed(&operands, &d, made, &types)?;
        let (mut carried, mut stacks) = (rs[..d.carry].iter(), rs[d.carry..].iter());
        for (i, kept) in raised.carries.iter().enumerate() {
            let lost = || Error::bug(Code::E0599, "a result of a scan is missing");
            let v = match kept {
                Kept::Same => args[i],
                Kept::Carried => *carried.next().ok_or_else(lost)?,
                Kept::Collected(o, along) => {
                    let stack = *stacks.next().ok_or_else(lost)?;
                    let all = self.turned(stack, along, raised)?;
                    self.put(f.op(*o), args[i], all, along, count.as_ref())?
                }
            };
            if !matches!(kept, Kept::Same) {
                self.b.rename(v, f.value(op.results[i]).name.clone());
                self.b.shard_like(v, f, op.results[i]);
            }
            map.insert(op.results[i], v);
        }
        Ok(())
    }
    /// Windows as the scan counts them, or back.
    fn turned(&mut self, x: ValueId, along: &Along, raised: &Raised) -> Result<ValueId> {
        if along.up() == raised.reverse { self.b.reverse(x, along.axis) } else { Ok(x) }
    }
    /// The windows of `x`, behind each other as they lie there.
    fn part(&mut self, x: ValueId, along: &Along, count: Option<&Count>, map: &Map) -> Result<ValueId> {
        let ends = count.and_then(|c| along.ends(c)).map(|(a, b)| Ok::<_, Error>((map.extent(&a)?, map.extent(&b)?)));
        let (low, high) = ends.ok_or_else(|| Error::bug(Code::E0599, "a loop of windows without a length"))??;
        let ty = self.b.ty(x);
        let stride = i64::try_from(along.line.step.abs()).map_err(|_| Error::bug(Code::E0599, "a stride of 2^63"))?;
        if low.as_exact() == Some(0) && high == ty.dims[along.axis] && stride == 1 {
            return Ok(x);
        }
        let (mut start, mut limit, mut strides) =
            (vec![Extent::exact(0); ty.rank()], ty.dims.to_vec(), vec![1; ty.rank()]);
        (start[along.axis], limit[along.axis], strides[along.axis]) = (low, high, stride);
        let mut new = NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(start)).attr("limit", Attr::extents(limit));
        if stride != 1 {
            new = new.attr("stride", Attr::ints(&strides));
        }
        self.b.emit1(new)
    }
    /// All that was collected, in the buffer `x` that it is a part of or all of.
    fn put(&mut self, op: &Op, x: ValueId, all: ValueId, along: &Along, count: Option<&Count>) -> Result<ValueId> {
        let ty = self.b.ty(x);
        if self.b.ty(all) == ty {
            return Ok(all);
        }
        let least = count.and_then(|c| along.ends(c)?.0.as_exact());
        let least = least.ok_or_else(|| Error::bug(Code::E0599, "a place is no number any more"))?;
        let mut operands = vec![x, all];
        for axis in 0..ty.rank() {
            operands.push(self.number(if axis == along.axis { least } else { 0 })?);
        }
        self.b.emit1(NewOp::new(op.def, &operands).types(vec![ty]))
    }
}
