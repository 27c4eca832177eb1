//! Products that a loop need not make trip by trip: those of a value from outside with a cut one are one product before the
//! loop (`u x[t]` of a recurrent network), and sums of products over the trips are one product after it (the cotangents of
//! its weights, `sum + c[t] h[t]ᵀ`). One large product runs at many times the speed of small ones.
//!
//! Only where sizes are known and what has to be kept for it stays small. A sum over the trips becomes a sum inside of a
//! contraction, whose order nothing fixes (TFIR §5); all else keeps its bits. Rows say what is a loop (`trips`) and what is a
//! product (`product`).
use crate::PassError;
use crate::rewrite::improve;
use std::collections::{BTreeMap, BTreeSet};
use tfc_ir::extent::Extent;
use tfc_ir::ops::control::{Gather, ScanDims};
use tfc_ir::outside;
use tfc_ir::{
    BODY, Builder, Code, Def, Error, Func, Map, Module, NewOp, Op, OpId, RegionId, Result, ScalarOp, Type, ValueId,
};

/// Most bytes that are kept to make one product of many.
const MOST: usize = 64 << 20;
/// Fewest trips that are worth it.
const TRIPS: usize = 4;
/// A product made before the loop is kept for all trips: at most so many times what it is made of.
const GROWTH: usize = 4;

/// The pass `hoist`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    improve(m, |m, f| {
        let found = find(f)?;
        if found.is_empty() {
            return Ok(None);
        }
        let mut b = Builder::new(m, &f.name);
        b.mend();
        let mut map = Map::new();
        b.copy_header(f, &mut map)?;
        Hoist { b: &mut b, f, found: &found }.region(BODY, &mut map)?;
        let ys = map.all(f.returns())?;
        b.finish_rewritten(ys).map(Some)
    })
}

/// What leaves a loop.
#[derive(Default)]
struct Found {
    before: Vec<Before>,
    sums: Vec<Sum>,
    /// The statements of the body that this makes needless.
    gone: BTreeSet<OpId>,
}
/// A product of a cut value with one from outside.
struct Before {
    product: OpId,
    /// Which of its operands is cut, and which of the loop's cut values that is.
    side: usize,
    cut: usize,
}
/// A carry to which each trip adds a product.
struct Sum {
    carry: usize,
    add: OpId,
    product: OpId,
    factors: [Factor; 2],
}
/// Where a factor is over all trips.
#[derive(Clone, Copy)]
enum Factor {
    /// A cut value of the loop.
    Cut(usize),
    /// A value of the body, to be collected.
    Collected(ValueId),
}

fn elements(dims: &[Extent]) -> Option<usize> {
    dims.iter().try_fold(1usize, |n, d| n.checked_mul(usize::try_from(d.as_exact()?).ok()?))
}
fn bytes(ty: &Type, trips: usize) -> Option<usize> {
    elements(&ty.dims)?.checked_mul(trips)?.checked_mul(ty.dtype.size())
}
/// Nothing is to be checked where it runs.
fn plain(op: &Op) -> bool {
    op.guards.is_empty() && op.wheres.is_empty()
}

/// Loops with something that can leave them.
fn find(f: &Func) -> Result<BTreeMap<OpId, Found>> {
    let mut loops = vec![];
    f.walk(BODY, &mut |o| {
        if f.op(o).def.control.trips.is_some() {
            loops.push(o);
        }
    });
    let mut all = BTreeMap::new();
    if loops.is_empty() {
        return Ok(all);
    }
    let mut uses = vec![0u32; f.values.len()];
    let mut count = |vs: &[ValueId]| vs.iter().for_each(|v| uses[v.ix()] += 1);
    f.ops.iter().for_each(|op| count(&op.operands));
    f.regions.iter().for_each(|r| count(&r.yields));
    for o in loops {
        let (op, Some(trips)) = (f.op(o), f.op(o).def.control.trips) else { continue };
        let &[body] = op.regions.as_slice() else { continue };
        let known = op.results.iter().all(|&r| !f.ty(r).dims.iter().any(Extent::mentions_existential));
        let region = f.region(body);
        if !plain(op) || !region.guards.is_empty() || !region.wheres.is_empty() || !known {
            continue;
        }
        let d = outside::column(op.def, "trips", || trips(f, op))?;
        let Some(n) = d.length.as_exact().and_then(|n| usize::try_from(n).ok()).filter(|&n| n >= TRIPS) else {
            continue;
        };
        let mut found = Found::default();
        let look = Look { f, uses: &uses, body, d: &d, trips: n };
        for carry in 0..d.carry {
            if let Some(s) = look.sum(carry)? {
                found.gone.extend([s.add, s.product]);
                found.sums.push(s);
            }
        }
        for &product in &region.ops {
            if !found.gone.contains(&product)
                && let Some(p) = look.before(product)?
            {
                found.gone.insert(product);
                found.before.push(p);
            }
        }
        if !found.gone.is_empty() {
            all.insert(o, found);
        }
    }
    Ok(all)
}
/// One loop.
struct Look<'a> {
    f: &'a Func,
    uses: &'a [u32],
    body: RegionId,
    d: &'a ScanDims,
    trips: usize,
}
impl Look<'_> {
    /// The number of a cut value.
    fn cut(&self, v: ValueId) -> Option<usize> {
        self.f.region(self.body).params.iter().position(|&p| p == v)?.checked_sub(self.d.carry)
    }
    /// A product of which many can be one, where operands have a further axis at the places.
    fn product(&self, o: OpId, at: impl Fn(usize, usize) -> Option<usize>) -> Result<bool> {
        let op = self.f.op(o);
        let (Some(one), &[x, y]) = (op.def.contraction.product, op.operands.as_slice()) else { return Ok(false) };
        let ranks = [self.f.ty(x).rank(), self.f.ty(y).rank()];
        // A product whose place is to be kept is in the loop for a reason: what it makes may be too large for all trips.
        if let Some(labels) = op.def.contraction.labels
            && outside::column(op.def, "labels", || labels(&op.attrs, ranks))?.is_none()
        {
            return Ok(false);
        }
        let at = [at(0, ranks[0]), at(1, ranks[1])];
        Ok(plain(op) && outside::column(op.def, "product", || one(&op.attrs, ranks, at))?.is_some())
    }
    /// The carry as a sum of products: nobody else reads it, the sum, or the product.
    fn sum(&self, carry: usize) -> Result<Option<Sum>> {
        let (f, region) = (self.f, self.f.region(self.body));
        let (p, Some(&y)) = (region.params[carry], region.yields.get(carry)) else { return Ok(None) };
        let once = |v: ValueId| self.uses[v.ix()] == 1;
        let made = |v: ValueId| match f.value(v).def {
            Def::Result(o, _) if f.value(v).region == self.body && once(v) => Some(o),
            _ => None,
        };
        let Some(add) = made(y).filter(|_| once(p)) else { return Ok(None) };
        let op = f.op(add);
        let e = match op.operands[..] {
            [a, b] if a == p => b,
            [a, b] if b == p => a,
            _ => return Ok(None),
        };
        let adds = op.def.scalar == Some(ScalarOp::Add) && plain(op) && !f.ty(y).is_scalar();
        let Some(product) = made(e).filter(|_| adds && elements(&f.ty(y).dims).is_some()) else { return Ok(None) };
        if !self.product(product, |_, rank| Some(rank))? {
            return Ok(None);
        }
        let mut kept = 0usize;
        let mut factor = |v: ValueId| {
            if f.value(v).region != self.body {
                return None;
            }
            let n = bytes(f.ty(v), self.trips)?;
            Some(match self.cut(v) {
                Some(j) => Factor::Cut(j),
                None => {
                    kept = kept.checked_add(n)?;
                    Factor::Collected(v)
                }
            })
        };
        let args = &f.op(product).operands;
        let (Some(x), Some(y)) = (factor(args[0]), factor(args[1])) else { return Ok(None) };
        Ok((kept <= MOST).then_some(Sum { carry, add, product, factors: [x, y] }))
    }
    /// A product of a cut value with one from outside, which is not much more than what it is made of.
    fn before(&self, o: OpId) -> Result<Option<Before>> {
        let (f, op) = (self.f, self.f.op(o));
        for side in 0..2 {
            let (Some(&x), Some(&other), Some(&v)) =
                (op.operands.get(side), op.operands.get(1 - side), op.results.first())
            else {
                continue;
            };
            let Some(cut) = self.cut(x).filter(|_| !f.within(f.value(other).region, self.body)) else { continue };
            let (Some(nx), Some(nv)) = (elements(&f.ty(x).dims), elements(&f.ty(v).dims)) else { continue };
            let fits = nv <= nx.saturating_mul(GROWTH) && bytes(f.ty(v), self.trips).is_some_and(|n| n <= MOST);
            if fits && self.product(o, |k, rank| (k == side).then_some(rank))? {
                return Ok(Some(Before { product: o, side, cut }));
            }
        }
        Ok(None)
    }
}

/// A function being built again.
struct Hoist<'h, 'm> {
    b: &'h mut Builder<'m>,
    f: &'h Func,
    found: &'h BTreeMap<OpId, Found>,
}
impl Hoist<'_, '_> {
    fn region(&mut self, r: RegionId, map: &mut Map) -> Result<()> {
        self.ops(r, &BTreeSet::new(), map)
    }
    fn ops(&mut self, r: RegionId, gone: &BTreeSet<OpId>, map: &mut Map) -> Result<()> {
        let f = self.f;
        for &o in f.region(r).ops.iter().filter(|o| !gone.contains(o)) {
            let op = f.op(o);
            if let Some(found) = self.found.get(&o) {
                let old = self.b.set_loc(op.loc, op.span);
                self.a_loop(op, found, map).map_err(|e| e.or_span(op.span))?;
                self.b.set_loc(old.0, old.1);
                continue;
            }
            let args = map.list(&op.operands)?;
            let mut regions = Vec::with_capacity(op.regions.len());
            for &q in &op.regions {
                let opened = self.b.open_copy(f, q, map)?;
                self.region(q, map)?;
                regions.push(self.b.close_copy(opened, f, q, map)?);
            }
            self.b.copy_with(f, o, args, regions, map)?;
        }
        Ok(())
    }
    /// One product in place of that of every trip, of operands with a further axis at the places.
    fn product(&mut self, o: OpId, args: [ValueId; 2], at: [Option<usize>; 2]) -> Result<ValueId> {
        let (f, op) = (self.f, self.f.op(o));
        let ranks = [f.ty(op.operands[0]).rank(), f.ty(op.operands[1]).rank()];
        let lost = || Error::bug(Code::E0599, "a product is none any more where it leaves its loop");
        let one = op.def.contraction.product.ok_or_else(lost)?;
        let attrs = outside::column(op.def, "product", || one(&op.attrs, ranks, at))?.ok_or_else(lost)?;
        let v = self.b.emit1(NewOp::new(op.def, &args).attrs(attrs))?;
        self.b.shard_like(v, f, op.results[0]);
        Ok(self.b.hint(v, f.value(op.results[0]).name.clone()))
    }
    fn a_loop(&mut self, op: &Op, found: &Found, map: &mut Map) -> Result<()> {
        let (f, body) = (self.f, op.regions[0]);
        let region = f.region(body);
        let Some(trips) = op.def.control.trips else { return Ok(()) };
        let old = outside::column(op.def, "trips", || trips(f, op))?;
        let args: Vec<ValueId> = map.all(&op.operands)?;
        let summed = |i: &usize| found.sums.iter().any(|s| s.carry == *i);
        let stay: Vec<usize> = (0..old.carry).filter(|i| !summed(i)).collect();
        let mut operands: Vec<ValueId> =
            stay.iter().map(|&i| args[i]).chain(args[old.carry..].iter().copied()).collect();
        let mut d = ScanDims { carry: stay.len(), length: map.extent(&old.length)?, ..old.clone() };
        for p in &found.before {
            let q = f.op(p.product);
            let (mut two, mut at) = ([args[old.carry + p.cut]; 2], [None; 2]);
            two[1 - p.side] = map.list(&q.operands[1 - p.side..][..1])?[0];
            at[p.side] = Some(old.cut[p.cut]);
            operands.push(self.product(p.product, two, at)?);
            d.cut.push(f.ty(q.results[0]).rank());
        }

        let opened = self.b.open_copy(f, body, map)?;
        let mut params = self.b.func().region(opened.region).params.clone();
        for p in &found.before {
            let v = f.op(p.product).results[0];
            let ty = map.ty(f.ty(v))?;
            let q = self.b.param_like(ty, f, v);
            map.insert(v, q);
            params.push(q);
        }
        let mut at = 0..;
        params.retain(|_| !at.next().is_some_and(|i: usize| i < old.carry && summed(&i)));
        self.b.set_params(opened.region, params);
        self.ops(body, &found.gone, map)?;
        let mut factors: Vec<ValueId> = vec![];
        for s in &found.sums {
            for x in s.factors {
                if let Factor::Collected(v) = x
                    && !factors.contains(&v)
                {
                    factors.push(v);
                    d.collect.push(Gather::Stack(f.ty(v).rank()));
                }
            }
        }
        let kept = stay.iter().copied().chain(old.carry..region.yields.len());
        let old_ys: Vec<ValueId> = kept.clone().map(|i| region.yields[i]).collect();
        let mut ys: Vec<ValueId> = map.all(&old_ys)?;
        ys.extend(map.all(&factors)?);
        let made = self.b.close(opened, ys);

        let ranks: Vec<usize> = operands[d.carry..].iter().map(|&x| self.b.func().ty(x).rank()).collect();
        let outs: Vec<usize> =
            self.b.func().region(made).yields[d.carry..].iter().map(|&y| self.b.func().ty(y).rank()).collect();
        let types = kept.clone().map(|i| map.ty(f.ty(op.results[i]))).collect::<Result<Vec<_>>>()?;
        let n = d.carry + outs.len();
        let new = NewOp::new(op.def, &operands).attrs(d.attrs(&ranks, &outs)).regions(vec![made]);
        let rs = self.b.emit_typed(new, n, &types)?;
        for (i, &r) in kept.clone().zip(&rs) {
            self.b.rename(r, f.value(op.results[i]).name.clone());
            self.b.shard_like(r, f, op.results[i]);
            map.insert(op.results[i], r);
        }
        for (&v, &r) in factors.iter().zip(&rs[kept.count()..]) {
            self.b.hint(r, f.value(v).name.clone());
            self.b.shard_like(r, f, v);
        }
        for s in &found.sums {
            let whole = s.factors.map(|x| match x {
                Factor::Cut(j) => (args[old.carry + j], old.cut[j]),
                Factor::Collected(v) => {
                    let at = factors.iter().position(|&w| w == v).unwrap_or(0);
                    (rs[rs.len() - factors.len() + at], f.ty(v).rank())
                }
            });
            let e = self.product(s.product, whole.map(|w| w.0), whole.map(|w| Some(w.1)))?;
            let add = f.op(s.add);
            let two = add.operands.iter().map(|&x| if x == region.params[s.carry] { args[s.carry] } else { e });
            let sum = self.b.emit1(NewOp::new(add.def, &two.collect::<Vec<_>>()).attrs(add.attrs.clone()))?;
            self.b.rename(sum, f.value(op.results[s.carry]).name.clone());
            self.b.shard_like(sum, f, op.results[s.carry]);
            map.insert(op.results[s.carry], sum);
        }
        Ok(())
    }
}
