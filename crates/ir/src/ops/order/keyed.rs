//! Comparators that compare keys. Most say the same of both places: `lt(k(%a), k(%b))` for some elementwise `k`, or several such
//! keys one after the other. Then `sort` needs no comparator: `k` of whole operands are keys, computed once for each element.
use std::cell::Cell;

use super::sort::{SORT, sort_axis};
use crate::attr::Attr;
use crate::builder::Builder;
use crate::diag::Result;
use crate::func::{Def, Func, OpId, RegionId, ValueId};
use crate::map::Map;
use crate::op::NewOp;
use crate::ops::constant::CONST;
use crate::ops::elementwise::{BITCAST, NOT};
use crate::ops::shape::splat_const;
use crate::{DType, ScalarOp, Tensor, Type};

/// `sort` by keys instead of by its comparator, where that compares keys that are integers, `bool`, or reals whose zeros and NaNs are
/// made equal.
pub(super) fn keyed(b: &mut Builder, f: &Func, o: OpId, args: &[ValueId], map: &Map) -> Result<Option<Vec<ValueId>>> {
    let op = f.op(o);
    let &[region] = &op.regions[..] else { return Ok(None) };
    let read = Reader { f, region, left: Cell::new(MOST) };
    let Some(order) = f.region(region).yields.first().and_then(|&y| read.order(y)) else { return Ok(None) };
    let Some(&first) = args.first() else { return Ok(None) };
    let shape = b.func().ty(first).clone();
    let rank = shape.rank();
    let mut write = Writer { read, b, args, map, shape, made: vec![] };
    let mut operands = vec![];
    for key in &order {
        let Some(mut k) = write.array(key.value)? else { return Ok(None) };
        if key.descends {
            let ty = write.b.ty(k);
            k = write.b.emit1(NewOp::new(&NOT, &[k]).types(vec![ty]))?;
        }
        operands.push(k);
    }
    let keys = operands.len();
    let places: Vec<usize> = args
        .iter()
        .map(|&x| {
            operands.iter().position(|&y| y == x).unwrap_or_else(|| {
                operands.push(x);
                operands.len() - 1
            })
        })
        .collect();
    let axis = sort_axis(&op.attrs, rank);
    let mut new = NewOp::new(&SORT, &operands).attr("axis", Attr::Int(axis as i64));
    if keys > 1 {
        new = new.attr("keys", Attr::Int(keys as i64));
    }
    if let Some(stable) = op.attrs.get("stable") {
        new = new.attr("stable", stable.clone());
    }
    let ys = b.emit(new)?;
    Ok(places.into_iter().map(|i| ys.get(i).copied()).collect())
}

/// A key, as a value of the first place, and whether the largest comes first.
struct Key {
    value: ValueId,
    descends: bool,
}
/// What a comparator says.
struct Reader<'a> {
    f: &'a Func,
    region: RegionId,
    /// Comparisons of values left: what is used often is compared often.
    left: Cell<u32>,
}
/// Comparisons of values, at most: known comparators take fewer than a hundred.
const MOST: u32 = 4096;
impl Reader<'_> {
    /// The function and operands of an elementwise op of the comparator.
    fn apply(&self, v: ValueId) -> Option<(ScalarOp, &[ValueId])> {
        let op = self.f.def_op(v)?;
        Some((op.def.scalar?, &op.operands))
    }
    fn is(&self, v: ValueId, want: ScalarOp) -> Option<&[ValueId]> {
        self.apply(v).filter(|a| a.0 == want).map(|a| a.1)
    }
    /// The number of an operand's element at the first (0) or second place (1), if that is what the value is.
    fn param(&self, v: ValueId) -> Option<(usize, usize)> {
        let Def::Param(_) = self.f.value(v).def else { return None };
        let i = self.f.region(self.region).params.iter().position(|&p| p == v)?;
        Some((i / 2, i % 2))
    }
    fn constant(&self, v: ValueId) -> Option<&Tensor> {
        let op = self.f.def_op(v).filter(|o| o.def.is(&CONST))?;
        op.attrs.tensor("value").or_else(|| op.attrs.tensor("splat")).filter(|t| t.rank() == 0)
    }
    /// Is `q` of the second place what `p` is of the first? Nothing in them is of the other place.
    fn mirrored(&self, p: ValueId, q: ValueId) -> bool {
        if let (Some((i, a)), Some((j, b))) = (self.param(p), self.param(q)) {
            return i == j && (a, b) == (0, 1);
        }
        self.alike(p, q, &|p, q| self.mirrored(p, q))
    }
    /// Whether both values are the same.
    fn same(&self, p: ValueId, q: ValueId) -> bool {
        p == q || self.alike(p, q, &|p, q| self.same(p, q))
    }
    fn alike(&self, p: ValueId, q: ValueId, operands: &dyn Fn(ValueId, ValueId) -> bool) -> bool {
        let Some(left) = self.left.get().checked_sub(1) else { return false };
        self.left.set(left);
        if let (Some(s), Some(t)) = (self.constant(p), self.constant(q)) {
            return s.same(t);
        }
        let (Some(x), Some(y)) = (self.f.def_op(p), self.f.def_op(q)) else { return false };
        x.def.is(y.def)
            && (x.def.scalar.is_some() || x.def.is(&BITCAST))
            && x.attrs == y.attrs
            && self.f.ty(p) == self.f.ty(q)
            && x.operands.len() == y.operands.len()
            && x.operands.iter().zip(&y.operands).all(|(&p, &q)| operands(p, q))
    }
    fn equal(&self, v: ValueId, key: ValueId) -> bool {
        let Some(&[p, q]) = self.is(v, ScalarOp::Eq) else { return false };
        let of = |p, q| self.mirrored(p, q) && self.same(p, key);
        of(p, q) || of(q, p)
    }
    /// What is compared where the value is one comparison of a key of both places.
    fn less(&self, v: ValueId) -> Option<Key> {
        let (op, &[p, q]) = self.apply(v)? else { return None };
        let descends = match op {
            ScalarOp::Lt => false,
            ScalarOp::Gt => true,
            _ => return None,
        };
        // The places may have changed sides.
        let (key, turned) =
            [(p, q, false), (q, p, true)].into_iter().find_map(|(p, q, t)| self.mirrored(p, q).then_some((p, t)))?;
        Some(Key { value: key, descends: descends != turned })
    }
    /// The keys by which the value orders: one; or the first is less, or it is equal and the others decide.
    fn order(&self, v: ValueId) -> Option<Vec<Key>> {
        if let Some(key) = self.less(v) {
            return Some(vec![self.ordered(key)?]);
        }
        let either = |v, op| self.is(v, op).and_then(|x| Some([(*x.first()?, *x.get(1)?), (*x.get(1)?, *x.first()?)]));
        let (first, rest) = match self.is(v, ScalarOp::Select) {
            Some(&[equal, rest, less]) => (self.less(less).filter(|k| self.equal(equal, k.value))?, rest),
            _ => either(v, ScalarOp::Or)?.into_iter().find_map(|(less, rest)| {
                let first = self.less(less)?;
                let (_, rest) = either(rest, ScalarOp::And)?.into_iter().find(|&(e, _)| self.equal(e, first.value))?;
                Some((first, rest))
            })?,
        };
        let mut keys = vec![self.ordered(first)?];
        keys.extend(self.order(rest)?);
        Some(keys)
    }
    /// A key that orders as `sort` does: an integer or `bool`; or, where it is the total order of a real whose zeros are one and whose
    /// NaNs are one, that real.
    fn ordered(&self, key: Key) -> Option<Key> {
        let dtype = self.f.ty(key.value).dtype;
        if !dtype.is_int() && dtype != DType::Bool {
            return None;
        }
        let real = if key.descends { None } else { self.total(key.value).and_then(|x| self.canonical(x)) };
        Some(Key { value: real.unwrap_or(key.value), ..key })
    }
    /// The real of which this is the total order: its bits, all but the sign turned where it is negative.
    fn total(&self, v: ValueId) -> Option<ValueId> {
        let &[bits, mask] = self.is(v, ScalarOp::Xor)? else { return None };
        let &[sign, one] = self.is(mask, ScalarOp::ShrLogical)? else { return None };
        let &[same, all] = self.is(sign, ScalarOp::ShrArith)? else { return None };
        let op = self.f.def_op(bits).filter(|o| o.def.is(&BITCAST))?;
        let &[x] = &op.operands[..] else { return None };
        let (from, to) = (self.f.ty(x).dtype, self.f.ty(bits).dtype);
        let width = 8 * to.size() as i128 - 1;
        (self.same(bits, same)
            && from.is_float()
            && from.size() == to.size()
            && self.number(one) == Some(1)
            && self.number(all) == Some(width))
        .then_some(x)
    }
    /// `x` of `select(ne(x, x), nan, select(eq(x, 0), 0, x))`.
    fn canonical(&self, v: ValueId) -> Option<ValueId> {
        let &[odd, nan, rest] = self.is(v, ScalarOp::Select)? else { return None };
        let &[zero, none, x] = self.is(rest, ScalarOp::Select)? else { return None };
        let of = |v, op, other: &dyn Fn(ValueId) -> bool| match self.is(v, op) {
            Some(&[p, q]) => self.same(p, x) && other(q),
            _ => false,
        };
        (of(odd, ScalarOp::Ne, &|q| self.same(q, x))
            && of(zero, ScalarOp::Eq, &|q| self.real(q) == Some(0.0))
            && self.real(none) == Some(0.0)
            && self.real(nan).is_some_and(f64::is_nan))
        .then_some(x)
    }
    fn number(&self, v: ValueId) -> Option<i128> {
        self.constant(v)?.int()
    }
    fn real(&self, v: ValueId) -> Option<f64> {
        self.constant(v)?.real()
    }
}
/// Writes keys of whole operands.
struct Writer<'a, 'b, 'm> {
    read: Reader<'a>,
    b: &'b mut Builder<'m>,
    args: &'a [ValueId],
    map: &'a Map,
    shape: Type,
    made: Vec<(ValueId, ValueId)>,
}
impl Writer<'_, '_, '_> {
    /// The scalar `v` of the comparator, for all elements at once.
    fn array(&mut self, v: ValueId) -> Result<Option<ValueId>> {
        if let Some(m) = self.made.iter().find(|m| m.0 == v) {
            return Ok(Some(m.1));
        }
        let f = self.read.f;
        let ty = self.shape.with_dtype(f.ty(v).dtype);
        let made = if let Some((i, _)) = self.read.param(v) {
            self.args[i]
        } else if let Some(t) = self.read.constant(v) {
            splat_const(self.b, t.clone(), &ty)?
        } else if let Some(op) = f.def_op(v) {
            let mut xs = vec![];
            for &x in &op.operands {
                match self.array(x)? {
                    Some(x) => xs.push(x),
                    None => return Ok(None),
                }
            }
            self.b.emit1(NewOp::new(op.def, &xs).attrs(self.map.attrs(&op.attrs)?).types(vec![ty]))?
        } else {
            return Ok(None);
        };
        self.made.push((v, made));
        Ok(Some(made))
    }
}
