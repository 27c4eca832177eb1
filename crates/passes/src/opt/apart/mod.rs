//! Takes small arrays of loops apart: where every value of a loop's body has few elements and the body only computes with them
//! one by one or moves them, each element becomes a scalar of its own. A trip is then one straight program of scalars, which an
//! engine keeps in registers, in place of a step for each slice and each join.
//!
//! Elements keep their bits, but for sums and products of an array's elements, whose order nothing fixes (TFIR §5). Rows say what is
//! computed one by one (`scalar`), what moves elements (`element`), what folds (`loops`) and what is a product of sums (`labels`).
mod worth;

use super::fold::fold_row;
use crate::PassError;
use crate::rewrite::{improve, rewrite};
use std::collections::{BTreeMap, HashMap};
use tfc_ir::ops::control::{Gather, ScanDims};
use tfc_ir::outside;
use tfc_ir::{
    Attr, Builder, Code, DType, Def, Error, Extent, Func, Map, Module, NewOp, Op, OpId, RegionId, Result, Type, ValueId,
};
use worth::{How, elements, find, how};

/// The pass `apart`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    let changed = improve(m, |m, f| {
        let found = find(f)?;
        if found.is_empty() {
            return Ok(None);
        }
        let mut stacks = HashMap::new();
        let (new, _) = rewrite(m, f, &mut |b, f, o, args, map| match found.contains(&o) {
            true => Apart { f, parts: HashMap::new(), outer: HashMap::new(), stacks: &mut stacks }
                .a_loop(b, o, args, map)
                .map(Some),
            false => Ok(None),
        })?;
        Ok(Some(new))
    })?;
    if changed {
        // The same element is read in many places, and what has been moved is not wanted as a whole any more.
        super::simplify::run(m)?;
        super::fold::run(m)?;
        super::cse::run(m)?;
        super::dce::run(m)?;
    }
    Ok(changed)
}

/// An index of an array of that shape, the last axis fastest.
fn index(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut out = vec![0; shape.len()];
    for (o, &n) in out.iter_mut().zip(shape).rev() {
        *o = at % n.max(1);
        at /= n.max(1);
    }
    out
}
fn linear(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).fold(0, |at, (&n, &i)| at * n + i)
}
/// Where an element of the result of an op that moves elements comes from: the operand's number, and the index there.
fn source(f: &Func, op: &Op, index: &[usize]) -> Result<(usize, Vec<usize>)> {
    let element = op.def.movement.element.ok_or_else(lost)?;
    outside::column(op.def, "element", || element(f, op, index).ok_or_else(lost))
}
fn lost() -> Error {
    Error::bug(Code::E0599, "an element of a loop is not known where the loop is taken apart")
}

struct Apart<'a> {
    f: &'a Func,
    /// The elements of a value of the loop's regions, the last axis fastest.
    parts: HashMap<ValueId, Vec<ValueId>>,
    /// Elements of values from outside, by the value here.
    outer: HashMap<(ValueId, usize), ValueId>,
    /// Arrays that were put together of what loops collected: the axis of trips, and what was collected of each element.
    stacks: &'a mut HashMap<ValueId, (usize, Vec<ValueId>)>,
}
impl Apart<'_> {
    /// Element `at` of a value that stands outside of the loop.
    fn outside(&mut self, b: &mut Builder, v: ValueId, at: usize) -> Result<ValueId> {
        let ty = b.ty(v);
        if ty.rank() == 0 {
            return Ok(v);
        }
        if let Some(&e) = self.outer.get(&(v, at)) {
            return Ok(e);
        }
        let shape = ty.exact_shape().ok_or_else(lost)?;
        let first: Vec<Extent> = index(&shape, at).iter().map(|&i| Extent::exact(i as i64)).collect();
        let e = one(b, v, first, &[], &Type::scalar(ty.dtype))?;
        self.outer.insert((v, at), e);
        Ok(e)
    }
    /// Before the loop: constants of its regions, and the elements of values from outside that its regions read.
    fn prepare(&mut self, b: &mut Builder, o: OpId, map: &mut Map) -> Result<()> {
        let f = self.f;
        let op = f.op(o);
        let mut wanted: Vec<(ValueId, usize)> = vec![];
        for &r in &op.regions {
            self.wants(b, r, map, &mut wanted)?;
        }
        for (v, i) in wanted {
            if let Some(x) = map.get(v) {
                self.outside(b, x, i)?;
            }
        }
        Ok(())
    }
    /// The elements that a region reads, of whatever values; copies its constants to where the builder stands.
    fn wants(&mut self, b: &mut Builder, r: RegionId, map: &mut Map, wanted: &mut Vec<(ValueId, usize)>) -> Result<()> {
        let f = self.f;
        let region = f.region(r);
        let all = |v: ValueId| (0..elements(f.ty(v)).unwrap_or(0)).map(move |i| (v, i));
        for &o in &region.ops {
            let op = f.op(o);
            match how(f, op)?.ok_or_else(lost)? {
                How::Constant => {
                    b.copy(f, o, map)?;
                    wanted.extend(all(op.results[0]));
                }
                How::Moves => {
                    let shape = f.ty(op.results[0]).exact_shape().ok_or_else(lost)?;
                    for i in 0..shape.iter().product() {
                        let (k, at) = source(f, op, &index(&shape, i))?;
                        let x = *op.operands.get(k).ok_or_else(lost)?;
                        wanted.push((x, linear(&f.ty(x).exact_shape().ok_or_else(lost)?, &at)));
                    }
                }
                _ => op.operands.iter().for_each(|&x| wanted.extend(all(x))),
            }
            for &r in &op.regions {
                self.wants(b, r, map, wanted)?;
            }
        }
        region.yields.iter().for_each(|&y| wanted.extend(all(y)));
        Ok(())
    }
    /// Element `at` of a value that a region of the loop reads.
    fn part(&self, v: ValueId, at: usize, map: &Map) -> Result<ValueId> {
        if let Some(parts) = self.parts.get(&v) {
            return parts.get(at).copied().ok_or_else(lost);
        }
        let x = map.get(v).ok_or_else(lost)?;
        if self.f.ty(v).rank() == 0 { Ok(x) } else { self.outer.get(&(x, at)).copied().ok_or_else(lost) }
    }
    /// All of them.
    fn all(&self, v: ValueId, map: &Map) -> Result<Vec<ValueId>> {
        (0..elements(self.f.ty(v)).unwrap_or(0)).map(|i| self.part(v, i, map)).collect()
    }
    /// The loop with a scalar for each element; its results put together again.
    fn a_loop(mut self, b: &mut Builder, o: OpId, args: &[ValueId], map: &mut Map) -> Result<Vec<ValueId>> {
        let f = self.f;
        let op = f.op(o);
        self.prepare(b, o, map)?;
        let d = match op.def.control.trips {
            Some(trips) => outside::column(op.def, "trips", || trips(f, op))?,
            None => ScanDims { carry: op.operands.len(), ..ScanDims::default() },
        };
        let (mut operands, mut cut, mut collect) = (vec![], vec![], vec![]);
        for (i, (&x, &old)) in args.iter().zip(&op.operands).enumerate() {
            if i < d.carry {
                for e in 0..elements(f.ty(old)).unwrap_or(0) {
                    operands.push(self.outside(b, x, e)?);
                }
            } else {
                let lines = self.lines(b, x, d.cut[i - d.carry])?;
                cut.extend(lines.iter().map(|_| 0));
                operands.extend(lines);
            }
        }
        let count = |n: usize| op.operands.iter().take(n).map(|&x| elements(f.ty(x)).unwrap_or(0)).sum::<usize>();
        let carry = count(d.carry);
        let mut regions = vec![];
        for (&r, label) in op.regions.iter().zip(op.def.regions) {
            regions.push(self.region(b, r, label, map)?);
        }
        let body = *op.regions.last().ok_or_else(lost)?;
        let yields: Vec<&Type> = f.region(body).yields.iter().skip(d.carry).map(|&y| f.ty(y)).collect();
        for y in &yields {
            collect.extend((0..elements(y).unwrap_or(0)).map(|_| Gather::Stack(0)));
        }
        let collected = collect.len();
        let attrs = match op.def.control.trips {
            Some(_) => ScanDims { carry, length: map.extent(&d.length)?, cut, collect, ..d.clone() }
                .attrs(&vec![1; operands.len() - carry], &vec![0; collected]),
            None => map.attrs(&op.attrs)?,
        };
        let new = NewOp::new(op.def, &operands).attrs(attrs).regions(regions);
        let rs = b.emit(new)?;
        let mut rest = rs.iter().copied();
        let mut out = vec![];
        for (i, &r) in op.results.iter().enumerate() {
            let ty = map.ty(f.ty(r))?;
            if i < d.carry {
                let n = elements(&ty).unwrap_or(0);
                let parts: Vec<ValueId> = rest.by_ref().take(n).collect();
                out.push(together(b, &parts, &ty)?);
            } else {
                let n = elements(yields[i - d.carry]).unwrap_or(0);
                let parts: Vec<ValueId> = rest.by_ref().take(n).collect();
                let axis = d.collect[i - d.carry].axis(ty.rank() - 1);
                let y = stacked(b, &parts, axis, &ty)?;
                self.stacks.insert(y, (axis, parts));
                out.push(y);
            }
        }
        Ok(out)
    }
    /// What is cut of an array along an axis, as a line for each element of a slice.
    fn lines(&mut self, b: &mut Builder, x: ValueId, axis: usize) -> Result<Vec<ValueId>> {
        if let Some((at, parts)) = self.stacks.get(&x)
            && *at == axis
        {
            return Ok(parts.clone());
        }
        let ty = b.ty(x);
        let Some(n) = ty.dims.get(axis) else { return Err(lost()) };
        let slice = ty.without(&[axis]);
        if slice.rank() == 0 {
            return Ok(vec![x]);
        }
        let shape = slice.exact_shape().ok_or_else(lost)?;
        let line = Type::new(ty.dtype, [n.clone()]);
        let mut out = vec![];
        for i in 0..shape.iter().product() {
            let mut first: Vec<Extent> = index(&shape, i).iter().map(|&i| Extent::exact(i as i64)).collect();
            first.insert(axis, Extent::exact(0));
            out.push(one(b, x, first, &[axis], &line)?);
        }
        Ok(out)
    }
    fn region(&mut self, b: &mut Builder, r: RegionId, label: &str, map: &mut Map) -> Result<RegionId> {
        let f = self.f;
        let opened = b.open(label);
        for &p in &f.region(r).params {
            let (ty, name) = (f.ty(p), &f.value(p).name);
            let n = elements(ty).unwrap_or(0);
            let parts = (0..n).map(|_| b.param(Type::scalar(ty.dtype), name)).collect();
            self.parts.insert(p, parts);
        }
        let ys = self.inside(b, r, map)?;
        Ok(b.close(opened, ys))
    }
    /// The statements of a region where the builder stands; the elements of what it yields.
    fn inside(&mut self, b: &mut Builder, r: RegionId, map: &mut Map) -> Result<Vec<ValueId>> {
        let f = self.f;
        for &o in &f.region(r).ops {
            let op = f.op(o);
            let old = b.set_loc(op.loc, op.span);
            let all = match how(f, op)?.ok_or_else(lost)? {
                How::Branch => Some(self.branch(b, op, map)?),
                How::Loop => Some(self.inner_loop(b, op, map)?),
                how => self.op(b, op, how, map)?.map(|p| vec![p]),
            };
            b.set_loc(old.0, old.1);
            for (&y, parts) in op.results.iter().zip(all.into_iter().flatten()) {
                if let &[only] = parts.as_slice()
                    && let Def::Result(..) = b.func().value(only).def
                {
                    b.hint(only, f.value(y).name.clone());
                }
                self.parts.insert(y, parts);
            }
        }
        let mut ys = vec![];
        for &y in &f.region(r).yields {
            ys.extend(self.all(y, map)?);
        }
        Ok(ys)
    }
    /// A loop in a region of the loop: the elements of its results.
    fn inner_loop(&mut self, b: &mut Builder, op: &Op, map: &mut Map) -> Result<Vec<Vec<ValueId>>> {
        let f = self.f;
        let mut operands = vec![];
        for &x in &op.operands {
            operands.extend(self.all(x, map)?);
        }
        let mut regions = vec![];
        for (&r, label) in op.regions.iter().zip(op.def.regions) {
            regions.push(self.region(b, r, label, map)?);
        }
        let attrs = match op.def.control.trips {
            Some(trips) => {
                let d = outside::column(op.def, "trips", || trips(f, op))?;
                ScanDims { carry: operands.len(), ..d }.attrs(&[], &[])
            }
            None => map.attrs(&op.attrs)?,
        };
        let mut rest = b.emit(NewOp::new(op.def, &operands).attrs(attrs).regions(regions))?.into_iter();
        Ok(op.results.iter().map(|&y| rest.by_ref().take(elements(f.ty(y)).unwrap_or(0)).collect()).collect())
    }
    /// What all regions of a branch give, and of that what the one gives that is taken.
    fn branch(&mut self, b: &mut Builder, op: &Op, map: &mut Map) -> Result<Vec<Vec<ValueId>>> {
        let f = self.f;
        let choice = self.part(op.operands[0], 0, map)?;
        let mut ways = vec![];
        for &r in &op.regions {
            for (&p, &x) in f.region(r).params.iter().zip(&op.operands[1..]) {
                let parts = self.all(x, map)?;
                self.parts.insert(p, parts);
            }
            ways.push(self.inside(b, r, map)?);
        }
        let mut taken = ways.pop().ok_or_else(lost)?;
        for (i, way) in ways.iter().enumerate().rev() {
            let this = if b.ty(choice).dtype == DType::Bool {
                choice
            } else {
                let k = b.like(choice, i as f64)?;
                b.eq(choice, k)?
            };
            for (t, &w) in taken.iter_mut().zip(way) {
                if *t != w {
                    *t = b.select(this, w, *t)?;
                }
            }
        }
        let mut rest = taken.into_iter();
        Ok(op.results.iter().map(|&y| rest.by_ref().take(elements(f.ty(y)).unwrap_or(0)).collect()).collect())
    }
    /// The elements of the result of an op; `None` where they stand outside.
    fn op(&mut self, b: &mut Builder, op: &Op, how: How, map: &mut Map) -> Result<Option<Vec<ValueId>>> {
        let f = self.f;
        let ty = f.ty(op.results[0]);
        let (n, shape) = (elements(ty).unwrap_or(0), ty.exact_shape().ok_or_else(lost)?);
        let scalar = Type::scalar(ty.dtype);
        Ok(Some(match how {
            How::Constant | How::Branch | How::Loop => return Ok(None),
            How::Same => self.all(op.operands[0], map)?,
            How::Scalar => {
                let mut out = vec![];
                for i in 0..n {
                    let one = |&x: &ValueId| self.part(x, if f.ty(x).rank() == 0 { 0 } else { i }, map);
                    let xs = op.operands.iter().map(one).collect::<Result<Vec<_>>>()?;
                    let new = NewOp::new(op.def, &xs).attrs(map.attrs(&op.attrs)?);
                    out.push(b.emit1(new.types(vec![scalar.clone()]))?);
                }
                out
            }
            How::Moves => {
                let mut out = vec![];
                for i in 0..n {
                    let (k, at) = source(f, op, &index(&shape, i))?;
                    let x = *op.operands.get(k).ok_or_else(lost)?;
                    out.push(self.part(x, linear(&f.ty(x).exact_shape().ok_or_else(lost)?, &at), map)?);
                }
                out
            }
            How::Folds(s) => {
                let (x, axes) = (op.operands[0], op.attrs.indices("axes"));
                let (row, from) = (fold_row(s).ok_or_else(lost)?, f.ty(x).exact_shape().ok_or_else(lost)?);
                let mut out: Vec<Option<ValueId>> = vec![None; n];
                for i in 0..from.iter().product() {
                    let at = index(&from, i).into_iter().enumerate().filter(|x| !axes.contains(&x.0));
                    let to = linear(&shape, &at.map(|x| x.1).collect::<Vec<_>>());
                    let e = self.part(x, i, map)?;
                    out[to] = Some(match out[to] {
                        Some(sum) => b.emit1(NewOp::new(row, &[sum, e]))?,
                        None => e,
                    });
                }
                out.into_iter().collect::<Option<_>>().ok_or_else(lost)?
            }
            How::Product(l) => {
                let shapes = [0, 1].map(|k| f.ty(op.operands[k]).exact_shape().unwrap_or_default());
                let mut extent = BTreeMap::new();
                for k in 0..2 {
                    l.terms[k].iter().zip(&shapes[k]).for_each(|(&t, &n)| {
                        extent.insert(t, n);
                    });
                }
                let summed: Vec<usize> = extent.keys().copied().filter(|t| !l.out.contains(t)).collect();
                let over: Vec<usize> = summed.iter().map(|t| extent[t]).collect();
                let mut out = vec![];
                for i in 0..n {
                    let mut value: BTreeMap<usize, usize> = l.out.iter().copied().zip(index(&shape, i)).collect();
                    let mut sum = None;
                    for j in 0..over.iter().product() {
                        value.extend(summed.iter().copied().zip(index(&over, j)));
                        let term = |k: usize| {
                            let at: Vec<usize> = l.terms[k].iter().map(|t| value[t]).collect();
                            self.part(op.operands[k], linear(&shapes[k], &at), map)
                        };
                        let e = b.mul(term(0)?, term(1)?)?;
                        sum = Some(match sum {
                            Some(s) => b.add(s, e)?,
                            None => e,
                        });
                    }
                    out.push(sum.ok_or_else(lost)?);
                }
                out
            }
        }))
    }
}
/// One element of `x` along each axis, from `first` on, but all along the axes `whole`.
fn one(b: &mut Builder, x: ValueId, first: Vec<Extent>, whole: &[usize], to: &Type) -> Result<ValueId> {
    let dims = b.ty(x).dims;
    let mut limit = vec![];
    for (a, (i, d)) in first.iter().zip(dims.iter()).enumerate() {
        limit.push(if whole.contains(&a) { d.clone() } else { i.add(&Extent::exact(1))? });
    }
    let op = NewOp::new(&tfc_ir::ops::shape::SLICE, &[x]).attr("start", Attr::extents(first));
    let part = b.emit1(op.attr("limit", Attr::extents(limit)))?;
    b.reshape(part, to)
}
fn joined(b: &mut Builder, parts: &[ValueId]) -> Result<ValueId> {
    match parts {
        &[only] => Ok(only),
        _ => b.emit1(NewOp::new(&tfc_ir::ops::shape::CONCAT, parts).attr("axis", Attr::Int(0))),
    }
}
/// Scalars as an array, the last axis fastest.
fn together(b: &mut Builder, parts: &[ValueId], ty: &Type) -> Result<ValueId> {
    if ty.rank() == 0 {
        return parts.first().copied().ok_or_else(lost);
    }
    let one = Type::new(ty.dtype, [Extent::exact(1)]);
    let lines = parts.iter().map(|&x| b.broadcast(x, &one, &[])).collect::<Result<Vec<_>>>()?;
    let all = joined(b, &lines)?;
    b.reshape(all, ty)
}
/// What a loop collected of each element, as an array with the trips along `axis`.
fn stacked(b: &mut Builder, parts: &[ValueId], axis: usize, ty: &Type) -> Result<ValueId> {
    if ty.rank() == 1 {
        return parts.first().copied().ok_or_else(lost);
    }
    let n = ty.dims.get(axis).ok_or_else(lost)?.clone();
    let line = Type::new(ty.dtype, [Extent::exact(1), n.clone()]);
    let lines = parts.iter().map(|&x| b.broadcast(x, &line, &[1])).collect::<Result<Vec<_>>>()?;
    let all = joined(b, &lines)?;
    let mut dims = ty.without(&[axis]).dims.to_vec();
    dims.push(n);
    let last = b.reshape(all, &Type::new(ty.dtype, dims))?;
    let rank = ty.rank();
    let perm: Vec<usize> = (0..rank)
        .map(|a| match a.cmp(&axis) {
            std::cmp::Ordering::Less => a,
            std::cmp::Ordering::Equal => rank - 1,
            std::cmp::Ordering::Greater => a - 1,
        })
        .collect();
    b.transpose(last, &perm)
}
