//! Copies of checked ops, regions and headers under a substitution of values and extents: nothing is inferred again.
use crate::attr::Attr;
use crate::builder::{Builder, Opened};
use crate::code::Code;
use crate::diag::{Result, Span};
use crate::extent::{Atom, ExistId, Extent, Truth};
use crate::func::*;
use crate::list::ValueList;
use crate::map::Map;
use crate::op::NewOp;
use crate::state::Standing;
use std::sync::Arc;

/// `name`, or where that is taken `name_2`, `name_3`, …; a number that it has already is replaced.
pub(crate) fn free_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let base = name.rsplit_once('_').filter(|x| x.1.parse::<u32>().is_ok()).map_or(name, |x| x.0);
    let free = if taken(name) { (2..).map(|k| format!("{base}_{k}")).find(|n| !taken(n)) } else { None };
    free.unwrap_or_else(|| name.to_string())
}

impl Builder<'_> {
    /// Copies an op of another function, regions included; captured values go through `map`, existentials that the op
    /// binds get fresh names. The op is checked already: it is not inferred again.
    pub fn copy(&mut self, src: &Func, o: OpId, map: &mut Map) -> Result<ValueList> {
        let op = src.op(o);
        let operands = map.list(&op.operands)?;
        let mut regions = Vec::with_capacity(op.regions.len());
        for &r in &op.regions {
            regions.push(self.copy_region(src, r, map)?);
        }
        self.copy_with(src, o, operands, regions, map)
    }
    /// As [`Builder::copy`], with operands and regions that have been rebuilt.
    pub fn copy_with(
        &mut self,
        src: &Func,
        o: OpId,
        operands: ValueList,
        regions: Vec<RegionId>,
        map: &mut Map,
    ) -> Result<ValueList> {
        let op = src.op(o);
        let own = |d: &Extent| {
            let mut own = false;
            d.for_each_atom(&mut |a| {
                own |= matches!(a, Atom::Exist(r) if src.binder(r) == Some(Binder::Op(o)));
            });
            own
        };
        // What it says of extents that it binds follows from what its regions yield, which may show more here than there.
        if !regions.is_empty() && op.results.iter().any(|&v| src.ty(v).dims.iter().any(own)) {
            return self.infer_again(src, op, operands, regions, map);
        }
        self.copy_op(src, op, operands, regions, map)
    }
    /// As [`Builder::copy_with`], for an op of `src` that has been changed.
    pub(crate) fn copy_op(
        &mut self,
        src: &Func,
        op: &Op,
        operands: ValueList,
        regions: Vec<RegionId>,
        map: &mut Map,
    ) -> Result<ValueList> {
        self.unchecked |= !self.fits(src, op, &operands, map);
        let binds = |map: &Map| op.results.iter().any(|&r| !map.knows(src.ty(r)));
        if map.opens() || (map.has_syms() && !src.exists.is_empty() && binds(map)) {
            return self.infer_again(src, op, operands, regions, map);
        }
        if !src.exists.is_empty() {
            self.bind_of(src, op, map);
        }
        let attrs = map.attrs(&op.attrs)?;
        let wheres = op.wheres.iter().map(|c| map.constraint(c)).collect::<Result<Vec<_>>>()?;
        let (mut guards, mut proved) = (vec![], None);
        if !op.guards.is_empty() || op.proved.is_some() {
            let (left, known) = self.guards_of(&op.guards, op.discharged(), map).map_err(|e| e.or_span(op.span))?;
            (guards, proved) = (left, Proved::of(known, vec![], vec![]));
        }
        if op.def.demands {
            for c in &wheres {
                self.standing(c, "`where`").map_err(|e| e.or_span(op.span))?;
            }
        }
        for c in &wheres {
            self.know(c.clone());
        }
        if let Some(old) = &op.proved {
            let gives = old.gives.iter().map(|c| map.constraint(c)).collect::<Result<Vec<_>>>()?;
            gives.iter().for_each(|c| self.know(c.clone()));
            // What followed from a fact that is gone is no fact any more.
            let mut claims = old.claims.iter().map(|c| map.constraint(c)).collect::<Result<Vec<_>>>()?;
            claims.retain(|c| self.facts().prove(c) == Truth::Yes);
            proved = Proved::of(proved.map_or_else(Vec::new, |p| p.discharged), claims, gives);
        }
        let (loc, span) = (op.loc.or(self.loc), op.span);
        let results = ValueList::new();
        let new = Op { def: op.def, operands, attrs, regions, results, wheres, guards, proved, loc, span };
        let like = |&r: &ValueId| {
            let v = src.value(r);
            Ok((map.ty(&v.ty)?, v.name.clone(), v.span))
        };
        let rs = self.push(new, op.results.iter().map(like))?;
        for (&old, &new) in op.results.iter().zip(&rs) {
            map.insert(old, new);
        }
        if !src.shardings.is_empty() {
            op.results.iter().zip(&rs).for_each(|(&old, &new)| self.shard_like(new, src, old));
        }
        Ok(rs)
    }
    /// Do these operands take the place of those of `op`, and are the extents that it binds new here? What else a copy says
    /// has been checked where `src` was built.
    fn fits(&mut self, src: &Func, op: &Op, operands: &[ValueId], map: &Map) -> bool {
        if src.seal.0 != self.seen || self.seen.is_none() {
            self.seen = src.seal.0.filter(|_| self.module().sealed(src));
        }
        if self.seen.is_none() || operands.len() != op.operands.len() {
            return false;
        }
        let like = |(&new, &old): (&ValueId, &ValueId)| {
            self.reaches(new, self.at()) && map.becomes(src.ty(old), self.f.ty(new))
        };
        if !operands.iter().zip(&op.operands).all(like) {
            return false;
        }
        let Some(Def::Result(o, _)) = op.results.first().map(|&r| src.value(r).def) else { return true };
        src.exists.is_empty()
            || op.results.iter().flat_map(|&r| src.ty(r).dims.iter()).all(|d| {
                let mut new = true;
                d.for_each_atom(&mut |a| {
                    if let Atom::Exist(r) = a {
                        let own = src.binder(r) == Some(Binder::Op(o));
                        new &= !own || map.exist(r).is_none();
                    }
                });
                new
            })
    }
    /// What of the conditions of a checked op or region is left to run time here, and what follows from the facts that are
    /// known here: neither is taken over, since the facts that were known there may be gone, and others known. What a
    /// statement has to say is said first.
    pub(crate) fn guards_of(
        &mut self,
        guards: &[Guard],
        discharged: &[Guard],
        map: &Map,
    ) -> Result<(Vec<Guard>, Vec<Guard>)> {
        let (mut left, mut known, mut unsaid) = (vec![], vec![], vec![]);
        for g in guards.iter().chain(discharged) {
            let g = Guard { cond: map.constraint(&g.cond)?, ..g.clone() };
            match if g.found.is_some() { Standing::Open } else { self.standing(&g.cond, &g.what)? } {
                Standing::Known if g.cond.holds_always() => {}
                Standing::Known => known.push(g),
                Standing::Open => left.push(g),
                Standing::Unsaid => unsaid.push(g.cond),
            }
        }
        self.state(unsaid)?;
        Ok((left, known))
    }
    /// Builds a checked op anew, see [`Map::opens`]; of what it says it keeps what follows here.
    pub(crate) fn infer_again(
        &mut self,
        src: &Func,
        op: &Op,
        operands: ValueList,
        regions: Vec<RegionId>,
        map: &mut Map,
    ) -> Result<ValueList> {
        let mut own: Vec<ExistId> = vec![];
        for d in op.results.iter().flat_map(|&r| src.ty(r).dims.iter()) {
            d.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a
                    && map.exist(r).is_none()
                {
                    own.push(r);
                }
            });
        }
        self.bind_of(src, op, map);
        let mut new = NewOp::new(op.def, &operands).attrs(map.attrs(&op.attrs)?).regions(regions);
        new.wheres = op.said().map(|c| map.constraint(c)).collect::<Result<_>>()?;
        new.loc = op.loc;
        new.span = op.span;
        let mut as_written = new.clone();
        as_written.declared = Some(op.results.iter().map(|&r| map.ty(src.ty(r))).collect::<Result<_>>()?);
        let rs = match self.emit(as_written) {
            // What the op found out when it ran is known now.
            Err(e) if e.data().code == Code::E0401 => {
                own.iter().for_each(|&r| drop(map.unbind(r)));
                let known = |&r: &ValueId| map.knows(src.ty(r)).then(|| map.ty(src.ty(r))).transpose();
                let written = op.results.iter().map(known).collect::<Result<Vec<_>>>()?;
                self.emit_partly(new, &written)
            }
            done => done,
        };
        let rs: ValueList = rs.map_err(|e| e.or_span(op.span))?.into();
        for (&old, &new) in op.results.iter().zip(&rs) {
            for (x, y) in src.ty(old).dims.iter().zip(self.ty(new).dims.iter()) {
                if let Some(Atom::Exist(r)) = x.as_atom()
                    && map.exist(r).is_none()
                {
                    map.bind(r, y.clone());
                }
            }
            let v = src.value(old);
            self.rename(new, v.name.clone());
            self.set_span(new, v.span);
            self.shard_like(new, src, old);
            map.insert(old, new);
        }
        Ok(rs)
    }
    /// Existentials that `op` of `src` binds get fresh ones here.
    fn bind_of(&mut self, src: &Func, op: &Op, map: &mut Map) {
        for &r in &op.results {
            self.bind_fresh(src, &src.ty(r).dims, map);
        }
        for c in &op.wheres {
            self.bind_fresh(src, &[c.lhs.clone(), c.rhs.clone()], map);
        }
        for (_, a) in op.attrs.iter() {
            if let Attr::Extents(v) = a {
                self.bind_fresh(src, v, map);
            }
        }
    }
    /// Gives every existential in `extents` that is not mapped yet a fresh one here.
    pub fn bind_fresh(&mut self, src: &Func, extents: &[Extent], map: &mut Map) {
        for e in extents {
            if !e.mentions_existential() {
                continue;
            }
            e.for_each_atom(&mut |a| {
                if let Atom::Exist(r) = a
                    && map.exist(r).is_none()
                {
                    let d = src.exists.get(r.0 as usize);
                    let (name, span) = d.map_or((Arc::from("r"), Span::default()), |d| (d.name.clone(), d.span));
                    // Unique here already: messages name existentials as the printer would.
                    let taken =
                        |n: &str| self.f.exists.iter().any(|d| &*d.name == n && d.binder != Some(Binder::Header));
                    let free = free_name(&name, taken);
                    let new = self.exist(&free, span);
                    map.bind(r, Extent::exist(new));
                }
            });
        }
    }
    /// Opens a copy of region `r` of `src` with its parameters; the caller fills and closes it.
    pub fn open_copy(&mut self, src: &Func, r: RegionId, map: &mut Map) -> Result<Opened> {
        let o = self.open(&src.region(r).label);
        for &p in &src.region(r).params {
            self.bind_fresh(src, &src.ty(p).dims, map);
            let ty = map.ty(src.ty(p))?;
            let q = self.param_like(ty, src, p);
            map.insert(p, q);
        }
        for c in &src.region(r).wheres {
            let c = map.constraint(c)?;
            self.region_where(c);
        }
        Ok(o)
    }
    /// Copies a region of another function.
    pub fn copy_region(&mut self, src: &Func, r: RegionId, map: &mut Map) -> Result<RegionId> {
        let o = self.open_copy(src, r, map)?;
        for &op in &src.region(r).ops {
            self.copy(src, op, map)?;
        }
        self.close_copy(o, src, r, map)
    }
    /// Ends the copy of region `r` that [`Builder::open_copy`] opened: yields and their guards.
    pub fn close_copy(&mut self, o: Opened, src: &Func, r: RegionId, map: &Map) -> Result<RegionId> {
        let ys = map.all(&src.region(r).yields)?;
        let old = src.region(r);
        if !old.guards.is_empty() || !old.discharged.is_empty() {
            let (guards, known) = self.guards_of(&old.guards, &old.discharged, map).map_err(|e| e.or_span(old.span))?;
            // What is checked at each `yield` holds at the region's end.
            guards.iter().for_each(|g| self.know(g.cond.clone()));
            let new = &mut self.f.regions[o.region.ix()];
            new.guards.extend(guards);
            new.discharged.extend(known);
        }
        Ok(self.close(o, ys))
    }
    /// Declares the symbols and header facts of `src` here, under the same ids; the function must still be empty.
    pub fn copy_syms(&mut self, src: &Func) {
        // Copies end about as long as what they copy: long functions are not moved again and again while they grow.
        self.f.values.reserve(src.values.len());
        self.f.ops.reserve(src.ops.len());
        self.f.regions[BODY.ix()].ops.reserve(src.region(BODY).ops.len());
        self.f.syms = src.syms.clone();
        for c in &src.wheres {
            if !c.lhs.mentions_existential() && !c.rhs.mentions_existential() {
                self.add_where(c.clone());
            }
        }
    }
    /// Declares header (name aside) and parameters of `src` here and maps them.
    pub fn copy_header(&mut self, src: &Func, map: &mut Map) -> Result<()> {
        self.copy_syms(src);
        map.reserve(src.values.len());
        for t in &src.result_types {
            self.bind_fresh(src, &t.dims, map);
        }
        for e in &mut self.f.exists {
            e.binder = Some(Binder::Header);
        }
        self.f.wheres = src.wheres.iter().map(|c| map.constraint(c)).collect::<Result<_>>()?;
        self.f.result_types = src.result_types.iter().map(|t| map.ty(t)).collect::<Result<_>>()?;
        // The header's existentials are a pack of their own: the body's bind fresh ones.
        map.forget_exists();
        self.f.export = src.export;
        self.f.result_names = src.result_names.clone();
        self.f.with = src.with.clone();
        self.f.span = src.span;
        for &p in src.params() {
            let q = self.param_like(src.ty(p).clone(), src, p);
            map.insert(p, q);
        }
        Ok(())
    }
}
