//! What the linear part reads of the forward one. A value is stored by the frame (function or region) that defines it, one a
//! trip of a loop; what differs in extent from trip to trip is joined and cut out again; constants, and what cannot leave a
//! branch, are made again. Extents go the same way: symbols of the linear function, or bound anew in each linear trip.
use super::linearizer::{Keep, Kept, Linearizer};
use super::masks::repeated;
use crate::builder::Builder;
use crate::code::Code;
use crate::copy::free_name;
use crate::diag::{Error, Result};
use crate::extent::{Atom, CmpOp, Constraint, ExistId, Extent};
use crate::func::*;
use crate::types::Type;

/// No source can write a dot there.
pub(super) fn unique_name(e: ExistId) -> String {
    format!("lin.{}", e.0)
}
impl<'m> Linearizer<'m> {
    /// Makes every existential of `extents` (of `fwd`) known in `lin`: bound in the function's own region, it is an
    /// extent parameter; bound deeper, its binder runs again there.
    pub(super) fn need_extents(&mut self, extents: &[Extent]) -> Result<()> {
        let mut missing = vec![];
        for e in extents {
            e.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a
                    && self.to_lin.exist(r).is_none()
                    && !missing.contains(&r)
                {
                    missing.push(r);
                }
            });
        }
        for r in missing {
            if self.to_lin.exist(r).is_some() {
                continue;
            }
            let d = self.fwd.func().exists[r.0 as usize].clone();
            let by_params = matches!(d.binder, Some(Binder::Params(_)));
            if d.region != BODY && (by_params || self.frame_of(d.region).is_ok_and(|k| self.frames[k].looped)) {
                self.bind_again(r)?;
                continue;
            }
            if d.region != BODY
                && let Some(Binder::Op(o)) = d.binder
            {
                let k = self.frame_of(d.region)?;
                self.remake(o, k)?;
                continue;
            }
            if d.region != BODY {
                return Err(Error::bug(Code::E0599, format!("?{} is bound by a region that is closed", d.name)));
            }
            let name = unique_name(r);
            self.fwd.f.exists[r.0 as usize].name = name.as_str().into();
            if let Some(l) = &mut self.lin {
                let taken = |n: &str| l.func().syms.iter().any(|s| &*s.name == n);
                let name = free_name(&d.name, taken);
                let s = l.sym(&name, d.span);
                self.to_lin.bind(r, Extent::sym(s));
                self.lin_syms.push((r, d.name.clone()));
            }
        }
        Ok(())
    }
    pub(super) fn frame_of(&self, fwd: RegionId) -> Result<usize> {
        self.frames
            .iter()
            .rposition(|f| f.fwd == fwd)
            .ok_or_else(|| Error::bug(Code::E0599, "a residual of a region that is closed already"))
    }
    /// The forward value `v`, seen from the linear part: stored by the frame that defines it, unless it costs nothing
    /// to make again (constants) or cannot leave its region (its type names an extent bound in there).
    pub fn residual(&mut self, v: ValueId) -> Result<ValueId> {
        if self.lin.is_none() {
            return Ok(v);
        }
        if let Some(&r) = self.residual.get(&v) {
            return Ok(r);
        }
        let home = self.fwd.func().value(v).region;
        let k = self.frame_of(home)?;
        let ragged = self.ragged(v, k);
        if let Def::Result(o, _) = self.fwd.func().value(v).def
            && (self.fwd.func().op(o).def.constant || (ragged && !self.frames[k].looped))
        {
            self.remake(o, k)?;
            return self.residual.get(&v).copied().ok_or_else(|| Error::bug(Code::E0599, "a value was not made again"));
        }
        if ragged {
            let r = self.join(v, k)?;
            self.residual.insert(v, r);
            return Ok(r);
        }
        let fwd_ty = self.fwd.ty(v);
        let ty = self.lin_type(&fwd_ty)?;
        let name = self.fwd.name(v);
        let p = self.keep(k, v, ty, if name.is_empty() { "res" } else { &name }, Keep::Each);
        self.residual.insert(v, p);
        Ok(p)
    }
    /// As [`Linearizer::residual`]; of what repeats a smaller value that is kept, and is repeated in the linear part, where it is
    /// known then along which axes it is the same.
    pub fn small_residual(&mut self, v: ValueId) -> Result<ValueId> {
        let ty = self.fwd.ty(v);
        let (mut x, mut dims) = (v, (0..ty.rank()).collect::<Vec<_>>());
        while !self.inline()
            && let Some((y, at)) = repeated(&mut self.fwd, x)?
        {
            dims = at.into_iter().filter_map(|d| dims.get(d).copied()).collect();
            x = y;
        }
        if x == v {
            return self.residual(v);
        }
        let x = self.residual(x)?;
        let ty = self.lin_type(&ty)?;
        self.t().broadcast(x, &ty, &dims)
    }
    /// A parameter of frame `k`'s linear region that stands for `value`.
    fn keep(&mut self, k: usize, value: ValueId, ty: Type, name: &str, how: Keep) -> ValueId {
        let region = self.frames[k].lin;
        let param = self.t().param_to(region, ty, name);
        let sharding = self.fwd.func().sharding(value).filter(|_| matches!(how, Keep::Each)).cloned();
        if let Some(s) = sharding {
            self.t().shard(param, s);
        }
        self.frames[k].kept.push(Kept { value, param, how });
        param
    }
    /// Runs `f` on the forward builder at the end of frame `k`'s region.
    fn in_frame<R>(&mut self, k: usize, f: impl FnOnce(&mut Builder<'m>) -> Result<R>) -> Result<R> {
        let back = self.fwd.go_to(self.frames[k].fwd);
        let r = f(&mut self.fwd);
        self.fwd.go_to(back);
        r
    }
    /// The same on the linear builder.
    fn in_lin<R>(&mut self, k: usize, f: impl FnOnce(&mut Builder<'m>) -> Result<R>) -> Result<R> {
        let region = self.frames[k].lin;
        let back = self.t().go_to(region);
        let r = f(self.t());
        self.t().go_to(back);
        r
    }
    /// A residual whose extents differ at each trip of loop frame `k`: flattened, joined to those of the other trips, cut
    /// out again by the sum of the lengths before it (TFIR §7).
    fn join(&mut self, v: ValueId, k: usize) -> Result<ValueId> {
        let ty = self.fwd.ty(v);
        let count = ty.dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))?;
        let flat_ty = Type::new(ty.dtype, [count.clone()]);
        let flat = if ty.rank() == 1 { v } else { self.in_frame(k, |b| b.reshape_first(v, &flat_ty))? };
        let start = self.start_of(k, &count)?;
        let (lin_ty, lin_count) = (self.lin_type(&ty)?, self.lin_extent(&count)?);
        let name = self.fwd.name(v);
        let all = self.in_lin(k, |b| Ok(Extent::exist(b.exist("all", Default::default()))))?;
        let param = self.keep(k, flat, Type::new(ty.dtype, [all]), &name, Keep::Each);
        let cut = self.in_lin(k, |b| b.dynamic_slice(param, &[start], vec![lin_count]))?;
        let Def::Result(op, _) = self.t().func().value(cut).def else {
            return Err(Error::bug(Code::E0599, "a cut is an op's result"));
        };
        if let Some(last) = self.frames[k].kept.last_mut() {
            last.how = Keep::Joined(op);
        }
        if ty.rank() == 1 { Ok(cut) } else { self.in_lin(k, |b| b.reshape_first(cut, &lin_ty)) }
    }
    /// The value of an extent in frame `k`'s forward region.
    fn size(&mut self, k: usize, e: &Extent) -> Result<ValueId> {
        if let Some((_, n)) = self.frames[k].sizes.iter().find(|s| s.0 == *e) {
            return Ok(*n);
        }
        let n = self.in_frame(k, |b| b.dim_value(e.clone()))?;
        self.frames[k].sizes.push((e.clone(), n));
        Ok(n)
    }
    /// Where, in the joined values of loop frame `k`, this trip's `count` elements start.
    fn start_of(&mut self, k: usize, count: &Extent) -> Result<ValueId> {
        if let Some((_, p)) = self.frames[k].starts.iter().find(|s| s.0 == *count) {
            return Ok(*p);
        }
        let n = self.size(k, count)?;
        let p = self.keep(k, n, Type::scalar(crate::DType::I64), "start", Keep::Starts);
        self.frames[k].starts.push((count.clone(), p));
        Ok(p)
    }
    /// Existential `r` of a looped frame's forward region, bound again in each linear trip from its value in the forward
    /// one. Gives the op that binds it.
    fn bind_again(&mut self, r: ExistId) -> Result<OpId> {
        let d = self.fwd.func().exists[r.0 as usize].clone();
        let k = self.frame_of(d.region)?;
        let n = self.size(k, &Extent::exist(r))?;
        let p = self.keep(k, n, Type::scalar(crate::DType::I64), &d.name, Keep::Each);
        let f = self.fwd.func();
        let known = match d.binder {
            Some(Binder::Op(o)) => f.op(o).wheres.clone(),
            Some(Binder::Params(q)) => f.region(q).wheres.clone(),
            _ => vec![],
        };
        let e = self.in_lin(k, |b| Ok(Extent::exist(b.exist(&d.name, d.span))))?;
        self.to_lin.bind(r, e.clone());
        let mut wheres = vec![];
        for c in known.iter().filter(|c| c.lhs.mentions(Atom::Exist(r)) || c.rhs.mentions(Atom::Exist(r))) {
            let mut all = true;
            for side in [&c.lhs, &c.rhs] {
                side.for_each_atom(&mut |a| all &= !matches!(a, Atom::Exist(x) if self.to_lin.exist(x).is_none()));
            }
            if all {
                wheres.push(self.to_lin.constraint(c)?);
            }
        }
        self.in_lin(k, |b| b.bind_extent(p, e, wheres))
    }
    fn ragged(&self, v: ValueId, k: usize) -> bool {
        let (f, mut found) = (self.fwd.func(), false);
        for d in f.ty(v).dims.iter().filter(|_| k > 0) {
            d.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a {
                    found |= f.within(f.exists[r.0 as usize].region, self.frames[k].fwd);
                }
            });
        }
        found
    }
    fn remake(&mut self, o: OpId, k: usize) -> Result<()> {
        let f = self.fwd.func();
        let op = f.op(o).clone();
        let mut needs = op.operands.to_vec();
        for &r in &op.regions {
            needs.extend(f.captures(r));
        }
        // Extents that other statements bind must be known before this one is copied.
        let foreign: Vec<_> = f.extents_named(o).into_iter().map(Extent::exist).collect();
        self.need_extents(&foreign)?;
        let mut map = std::mem::take(&mut self.to_lin);
        for v in needs {
            self.to_lin = map;
            let r = self.residual(v)?;
            map = std::mem::take(&mut self.to_lin);
            map.insert(v, r);
        }
        // What the op's regions bind is bound anew: its linear part may have bound it already, in regions of its own.
        let f = self.fwd.func();
        let inner: Vec<ExistId> = (0..f.exists.len())
            .filter(|&i| op.regions.iter().any(|&r| f.within(f.exists[i].region, r)))
            .map(|i| ExistId(i as u32))
            .collect();
        let known: Vec<_> = inner.iter().map(|&r| (r, map.unbind(r))).collect();
        let region = self.frames[k].lin;
        let Some(lin) = &mut self.lin else { return Ok(()) };
        let back = lin.go_to(region);
        let made = lin.copy(self.fwd.func(), o, &mut map);
        lin.go_to(back);
        for (r, e) in known {
            map.unbind(r);
            if let Some(e) = e {
                map.bind(r, e);
            }
        }
        self.to_lin = map;
        self.residual.extend(op.results.iter().copied().zip(made?.iter().copied()));
        Ok(())
    }
    /// The type of the tangent parameter of region parameter `p`. In a linear region an extent that the forward region's
    /// parameters bind is one that the linear region's parameters bind: `stands` gets (the former, the latter).
    pub(super) fn tangent_param(&mut self, p: ValueId, stands: &mut Vec<(Extent, Extent)>) -> Result<Type> {
        let at = self.fwd.at();
        let ty = self.primal_type(p)?;
        if self.inline() || at == BODY || !ty.dims.iter().any(|d| self.fwd.func().bound_within(d, at)) {
            return self.lin_type(&ty);
        }
        let mut dims = vec![];
        for d in ty.dims.iter() {
            if !self.fwd.func().bound_within(d, at) {
                dims.push(self.lin_extent(d)?);
                continue;
            }
            let known = stands.iter().find(|s| s.0 == *d).map(|s| s.1.clone());
            dims.push(known.unwrap_or_else(|| {
                let e = Extent::exist(self.t().exist("d", Default::default()));
                stands.push((d.clone(), e.clone()));
                e
            }));
        }
        Ok(ty.with_dims(dims))
    }
    /// States in the linear region that extents of its own are those of the forward trip.
    pub(super) fn tie(&mut self, stands: Vec<(Extent, Extent)>) -> Result<()> {
        let mut last = None;
        for (d, _) in &stands {
            let mut open = vec![];
            d.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a
                    && self.to_lin.exist(r).is_none()
                {
                    open.push(r);
                }
            });
            for r in open {
                if self.to_lin.exist(r).is_none() {
                    last = Some(self.bind_again(r)?);
                }
            }
        }
        let Some(op) = last else { return Ok(()) };
        for (d, own) in stands {
            let c = Constraint { lhs: self.lin_extent(&d)?, op: CmpOp::Eq, rhs: own };
            self.t().know(c.clone());
            self.t().f.ops[op.ix()].wheres.push(c);
        }
        Ok(())
    }
}
