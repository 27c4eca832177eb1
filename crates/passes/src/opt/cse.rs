//! Common subexpressions: an op equal to one that dominates it is that one; loops and branches are equal where what stands
//! in them is, values inside counted by their places. Assertions stay, and what binds an extent.
//!
//! Equal ops are found by reading alone; a function is rebuilt only where there are some.
use crate::PassError;
use crate::rewrite::{improve, rewrite};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use tfc_ir::hash::{WordHash, WordHasher};
use tfc_ir::{BODY, Binder, Effect, ExistId, Extent, Func, Module, OpId, RegionId, ValueId, ValueList};

/// The pass `cse`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    improve(m, |m, f| {
        let equal = Equal::of(m, f);
        if equal.first.iter().all(Option::is_none) {
            return Ok(None);
        }
        let (new, changed) = rewrite(m, f, &mut |_, f, o, _, map| match equal.first[o.ix()] {
            Some(p) => map.all(&f.op(p).results).map(Some),
            None => Ok(None),
        })?;
        Ok(changed.then_some(new))
    })
}

/// Which ops of a function are equal to earlier ones.
struct Equal<'a> {
    m: &'a Module,
    f: &'a Func,
    /// Per op: the one that it equals.
    first: Vec<Option<OpId>>,
    /// Per value: the one that it equals, itself where there is none.
    value: Vec<ValueId>,
    /// The latest op of each hash that dominates the place where we are; `before` leads to earlier ones.
    latest: HashMap<u64, OpId, WordHash>,
    before: Vec<Option<OpId>>,
}
impl<'a> Equal<'a> {
    fn of(m: &'a Module, f: &'a Func) -> Self {
        let mut e = Equal {
            m,
            f,
            first: vec![None; f.ops.len()],
            value: (0..f.values.len() as u32).map(ValueId).collect(),
            latest: HashMap::with_capacity_and_hasher(f.ops.len(), WordHash::default()),
            before: vec![None; f.ops.len()],
        };
        e.region(BODY);
        e
    }
    fn region(&mut self, r: RegionId) {
        let mut here = vec![];
        for &o in &self.f.region(r).ops {
            for &q in &self.f.op(o).regions {
                self.region(q);
            }
            if !self.may_merge(o) {
                continue;
            }
            let hash = self.hash(o);
            let mut at = self.latest.get(&hash).copied();
            while let Some(p) = at.filter(|&p| !self.same(p, o)) {
                at = self.before[p.ix()];
            }
            match at {
                Some(p) => {
                    self.first[o.ix()] = Some(p);
                    for (&v, &w) in self.f.op(o).results.iter().zip(&self.f.op(p).results) {
                        self.value[v.ix()] = w;
                    }
                }
                None => {
                    self.before[o.ix()] = self.latest.insert(hash, o);
                    here.push(hash);
                }
            }
        }
        // What follows the region does not see into it.
        for hash in here.into_iter().rev() {
            if let Some(o) = self.latest.remove(&hash)
                && let Some(p) = self.before[o.ix()]
            {
                self.latest.insert(hash, p);
            }
        }
    }
    fn may_merge(&self, o: OpId) -> bool {
        let (op, open) = (self.f.op(o), !self.f.exists.is_empty());
        // An equal op would bind other names.
        let binds =
            || open && (!op.regions.is_empty() || op.results.iter().any(|&r| self.binds(o, &self.f.ty(r).dims)));
        !op.results.is_empty() && !binds() && self.m.effect(self.f, o) != Effect::Assert
    }
    fn binds(&self, o: OpId, dims: &[Extent]) -> bool {
        let own = |r: ExistId| self.f.binder(r) == Some(Binder::Op(o));
        let mut found = false;
        dims.iter().for_each(|d| {
            d.for_each_atom(&mut |a| found |= matches!(a, tfc_ir::extent::Atom::Exist(r) if own(r)));
        });
        found
    }
    /// Operands as they are after merging, in one order where the order says nothing.
    fn operands(&self, o: OpId, inner: &Inner) -> ValueList {
        let op = self.f.op(o);
        let mut list = self.all(&op.operands, inner);
        if op.def.scalar.is_some_and(|s| s.is_commutative()) {
            list.sort();
        }
        list
    }
    fn all(&self, list: &[ValueId], inner: &Inner) -> ValueList {
        list.iter().map(|v| inner.get(self.value[v.ix()])).collect()
    }
    /// The ops of a region that are not merged away.
    fn ops(&self, r: RegionId) -> impl Iterator<Item = OpId> {
        self.f.region(r).ops.iter().copied().filter(|o| self.first[o.ix()].is_none())
    }
    fn hash(&self, o: OpId) -> u64 {
        let mut h = WordHasher::default();
        self.hash_op(o, &mut Inner::default(), &mut h);
        h.finish()
    }
    fn hash_op(&self, o: OpId, inner: &mut Inner, h: &mut WordHasher) {
        let op = self.f.op(o);
        std::ptr::hash(op.def, h);
        self.operands(o, inner).hash(h);
        op.attrs.hash(h);
        op.results.iter().for_each(|&r| self.f.ty(r).hash(h));
        for &r in &op.regions {
            let region = self.f.region(r);
            region.params.iter().for_each(|&p| self.f.ty(p).hash(h));
            inner.add(&region.params);
            for q in self.ops(r) {
                self.hash_op(q, inner, h);
                inner.add(&self.f.op(q).results);
            }
            self.all(&region.yields, inner).hash(h);
        }
    }
    fn same(&self, a: OpId, b: OpId) -> bool {
        self.same_op(a, b, &mut Inner::default(), &mut Inner::default())
    }
    fn same_op(&self, a: OpId, b: OpId, ina: &mut Inner, inb: &mut Inner) -> bool {
        let (x, y) = (self.f.op(a), self.f.op(b));
        let types = |v: &[ValueId], w: &[ValueId]| {
            v.len() == w.len() && v.iter().zip(w).all(|(&v, &w)| self.f.ty(v) == self.f.ty(w))
        };
        let alike = x.def.is(y.def)
            && types(&x.results, &y.results)
            && self.operands(a, ina) == self.operands(b, inb)
            && x.attrs == y.attrs
            && x.regions.len() == y.regions.len();
        alike
            && x.regions.iter().zip(&y.regions).all(|(&r, &s)| {
                let (p, q) = (self.f.region(r), self.f.region(s));
                if !types(&p.params, &q.params) || self.ops(r).count() != self.ops(s).count() {
                    return false;
                }
                ina.add(&p.params);
                inb.add(&q.params);
                self.ops(r).zip(self.ops(s)).all(|(a, b)| {
                    let same = self.same_op(a, b, ina, inb);
                    ina.add(&self.f.op(a).results);
                    inb.add(&self.f.op(b).results);
                    same
                }) && self.all(&p.yields, ina) == self.all(&q.yields, inb)
            })
    }
}

/// Values inside the regions of an op, each as the number of its place: above the numbers of all others.
#[derive(Default)]
struct Inner(HashMap<ValueId, u32, WordHash>);
impl Inner {
    fn add(&mut self, list: &[ValueId]) {
        for &v in list {
            let place = u32::MAX - self.0.len() as u32;
            self.0.insert(v, place);
        }
    }
    fn get(&self, v: ValueId) -> ValueId {
        if self.0.is_empty() { v } else { self.0.get(&v).map_or(v, |&place| ValueId(place)) }
    }
}
