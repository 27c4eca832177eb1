//! Products that a scan need not make trip by trip: those of a constant matrix with a cut value are one product before the
//! loop (`u x[t]` of a recurrent network), and sums of products over the trips are one product after it (the cotangents of
//! its weights, `sum + c[t] h[t]ᵀ`). One large product runs at many times the speed of small ones.
//!
//! Only where sizes are known and what has to be kept for it stays small.
use std::collections::HashMap;

use tfc_ir::extent::Extent;
use tfc_ir::ops::contract::DotDims;
use tfc_ir::ops::control::ScanDims;
use tfc_ir::{Def, Func, Op, OpId, RegionId, Result, Type, ValueId, ops};

use super::build::Lower;
use super::control::Ports;
use super::*;

/// Most bytes that are kept to make one product of many.
const MOST: usize = 64 << 20;

/// A carry that is a sum of products.
pub(crate) struct Sum {
    carry: usize,
    /// The statements of the body that it replaces.
    add: OpId,
    product: OpId,
    /// Where the factors are, over all trips: cut values by number, collected ones by position among those of the loop.
    factors: [Factor; 2],
}
#[derive(Clone, Copy)]
enum Factor {
    Cut(usize),
    Collected(ValueId, usize),
}

fn elements(dims: &[Extent]) -> Option<usize> {
    dims.iter().try_fold(1usize, |n, d| n.checked_mul(usize::try_from(d.as_exact()?).ok()?))
}
fn with_trips(ty: &Type, trips: &Extent) -> Type {
    Type::new(ty.dtype, ty.dims.iter().cloned().chain([trips.clone()]).collect::<Vec<_>>())
}
/// Axes of a value as axes of the tensor it is cut from along `cut`.
fn lifted(axes: &[usize], cut: usize) -> Vec<usize> {
    axes.iter().map(|&a| a + usize::from(a >= cut)).collect()
}
impl Lower<'_> {
    /// A product without conditions and without batch axes.
    fn plain_dot<'f>(&self, f: &'f Func, o: OpId) -> Option<(&'f Op, DotDims)> {
        let op = f.op(o);
        let ok = op.def.is(&ops::contract::DOT_GENERAL)
            && !self.replaced(op.def)
            && op.guards.is_empty()
            && op.wheres.is_empty()
            && op.operands.len() == 2;
        let d = if ok { DotDims::of(&op.attrs).ok()? } else { return None };
        d.batch[0].is_empty().then_some((op, d))
    }
    /// Finds the carries that are sums of products, and takes their statements out of the body.
    pub(crate) fn sums(&mut self, body: RegionId, d: &ScanDims) -> Vec<Sum> {
        let f = self.f.clone();
        let region = f.region(body);
        let mut out = vec![];
        for carry in 0..d.carry {
            if let Some(s) = self.sum(&f, body, d, carry) {
                self.skip.extend([s.add, s.product]);
                self.summed.insert(region.params[carry]);
                out.push(s);
            }
        }
        out
    }
    fn sum(&self, f: &Func, body: RegionId, d: &ScanDims, carry: usize) -> Option<Sum> {
        let region = f.region(body);
        let (p, y) = (region.params[carry], *region.yields.get(carry)?);
        let once = |v: ValueId| self.uses[v.ix()] == 1;
        let made = |v: ValueId| match f.value(v).def {
            Def::Result(o, _) if f.value(v).region == body && once(v) => Some(o),
            _ => None,
        };
        let add = made(y).filter(|_| once(p))?;
        let op = f.op(add);
        if !op.def.is(&ops::elementwise::ADD)
            || self.replaced(op.def)
            || !op.guards.is_empty()
            || !op.wheres.is_empty()
            || f.ty(y).is_scalar()
        {
            return None;
        }
        let e = match op.operands[..] {
            [a, b] if a == p => b,
            [a, b] if b == p => a,
            _ => return None,
        };
        let product = made(e)?;
        let (dot, _) = self.plain_dot(f, product)?;
        let trips = usize::try_from(d.length.as_exact()?).ok().filter(|&n| n >= 4)?;
        elements(&f.ty(y).dims)?;
        let mut bytes = 0usize;
        let factor = |v: ValueId, bytes: &mut usize| {
            if f.value(v).region != body {
                return None;
            }
            let n = elements(&f.ty(v).dims)?.checked_mul(trips)?.checked_mul(f.ty(v).dtype.size())?;
            Some(match region.params.iter().position(|&q| q == v) {
                Some(i) if i >= d.carry => Factor::Cut(i - d.carry),
                _ => {
                    *bytes = bytes.checked_add(n)?;
                    Factor::Collected(v, 0)
                }
            })
        };
        let factors = [factor(dot.operands[0], &mut bytes)?, factor(dot.operands[1], &mut bytes)?];
        (bytes <= MOST).then_some(Sum { carry, add, product, factors })
    }
    /// Collects the factors of the sums.
    pub(crate) fn collect_factors(&mut self, d: &ScanDims, sums: &mut [Sum], l: &mut Loop) {
        let f = self.f.clone();
        let mut known: HashMap<ValueId, usize> = HashMap::new();
        for factor in sums.iter_mut().flat_map(|s| &mut s.factors) {
            if let Factor::Collected(v, at) = factor {
                *at = *known.entry(*v).or_insert_with(|| {
                    let result = self.own_type(&with_trips(f.ty(*v), &d.length), f.value(*v).name.clone());
                    let store = self.slots[result as usize].place.store().unwrap_or(NONE);
                    let axis = f.ty(*v).rank() as u32;
                    l.later.push((l.ys.len() as u32, *v));
                    l.ys.push(Collect { yielded: NONE, result, store, axis, joined: false, direct: false });
                    l.ys.len() - 1
                });
            }
        }
    }
    /// After the loop: one product over all trips, added to the initial value.
    pub(crate) fn emit_sums(&mut self, op: &Op, body: RegionId, sums: &[Sum], l: &Ports) -> Result<()> {
        let f = self.f.clone();
        for s in sums {
            let Some((dot, d)) = self.plain_dot(&f, s.product) else { continue };
            let (mut args, mut cut) = ([NONE; 2], [0; 2]);
            for k in 0..2 {
                (args[k], cut[k]) = match s.factors[k] {
                    Factor::Cut(j) => (l.xs[j].0, l.xs[j].2 as usize),
                    Factor::Collected(_, at) => (l.ys[at].result, l.ys[at].axis as usize),
                };
            }
            let ranks = [f.ty(dot.operands[0]).rank(), f.ty(dot.operands[1]).rank()];
            let side = |k: usize| {
                let mut c = lifted(&d.contract[k], cut[k]);
                c.push(cut[k]);
                (c.into_boxed_slice(), lifted(&d.free(k, ranks[k]), cut[k]).into_boxed_slice())
            };
            let ((c0, f0), (c1, f1)) = (side(0), side(1));
            let rank = f0.len() + f1.len();
            let e = dot.results[0];
            let out = self.own_type(f.ty(e), f.value(e).name.clone());
            self.of[e.ix()] = out;
            self.push(Do::Dot(Box::new(Dot {
                args,
                out,
                order: d.out.clone().unwrap_or_else(|| (0..rank).collect()).into(),
                contract: [c0, c1],
                batch: [[].into(), [].into()],
                free: [f0, f1],
                conj: [d.conj_lhs, d.conj_rhs],
                then: None,
            })));
            let (p, y) = (f.region(body).params[s.carry], f.region(body).yields[s.carry]);
            self.of[p.ix()] = l.carries[s.carry].init;
            self.of[y.ix()] = NONE;
            self.elementwise(f.op(s.add))?;
            self.of[op.results[s.carry].ix()] = self.of[y.ix()];
        }
        Ok(())
    }
    /// Products of a constant value with a cut one, made for all trips before the loop; inside they are cut values.
    pub(crate) fn products(&mut self, body: RegionId, d: &ScanDims, l: &mut Loop) -> Result<()> {
        let f = self.f.clone();
        let region = f.region(body);
        for &o in &region.ops {
            let Some((op, dot)) = self.plain_dot(&f, o).filter(|_| !self.skip.contains(&o)) else { continue };
            for side in 0..2 {
                let (x, other) = (op.operands[side], op.operands[1 - side]);
                let number = region.params.iter().position(|&q| q == x).filter(|&i| i >= d.carry);
                let stays = f.value(other).region != body && self.of[other.ix()] != NONE;
                let (Some(number), true) = (number, stays) else { continue };
                let v = op.results[0];
                let sizes = (elements(&f.ty(x).dims), elements(&f.ty(v).dims), d.length.as_exact());
                let (Some(nx), Some(nv), Some(trips)) = sizes else { continue };
                let bytes =
                    usize::try_from(trips).ok().and_then(|t| t.checked_mul(nv)?.checked_mul(f.ty(v).dtype.size()));
                if nv > nx.saturating_mul(4) || trips < 4 || bytes.is_none_or(|b| b > MOST) {
                    continue;
                }
                let (src, _, cut) = l.xs[number - d.carry];
                let cut = cut as usize;
                let ranks = [f.ty(op.operands[0]).rank(), f.ty(op.operands[1]).rank()];
                let mut free = [dot.free(0, ranks[0]), dot.free(1, ranks[1])];
                let mut contract = dot.contract.clone();
                free[side] = lifted(&free[side], cut);
                contract[side] = lifted(&contract[side], cut);
                // The trips become the last of this side's free axes, and the last axis of the result.
                free[side].push(cut);
                let (n0, n1) = (free[0].len(), free[1].len());
                let new = if side == 0 { n0 - 1 } else { n0 + n1 - 1 };
                let rank = n0 + n1 - 1;
                let mut order: Vec<usize> = dot.out.clone().unwrap_or_else(|| (0..rank).collect());
                order.iter_mut().for_each(|i| *i += usize::from(*i >= new));
                order.push(new);
                let mut args = [src; 2];
                args[1 - side] = self.value(other)?;
                let out = self.own_type(&with_trips(f.ty(v), &d.length), f.value(v).name.clone());
                self.push(Do::Dot(Box::new(Dot {
                    args,
                    out,
                    order: order.into(),
                    contract: contract.map(Into::into),
                    batch: [[].into(), [].into()],
                    free: free.map(Into::into),
                    conj: [dot.conj_lhs, dot.conj_rhs],
                    then: None,
                })));
                let s = self.alias(v, &[out]);
                l.xs.push((out, s, f.ty(v).rank() as u32));
                self.skip.insert(o);
                break;
            }
        }
        Ok(())
    }
}
