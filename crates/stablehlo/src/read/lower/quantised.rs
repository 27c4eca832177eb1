//! Quantised tensors: `!quant.uniform<i8:f32, 0.5:3>` says that an integer `q` stands for the number `(q − 3)·0.5`. A value of such a
//! type is its integers (the *storage*); an op on such values is the op on the numbers that they stand for, whose result is
//! quantised: `dequantize_op_quantize` of StableHLO's specification, which says so of every op that takes such types.
use super::Made;
use super::types::Pattern;
use tfc_ir::ops::elementwise as e;
use tfc_ir::{Attr, Builder, DType, Extent, NewOp, Tensor, Type, ValueId};

/// How integers stand for numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quant {
    /// The dtype of the integers.
    pub(super) storage: DType,
    /// The dtype of the numbers.
    expressed: DType,
    /// The least and the greatest integer.
    range: (i64, i64),
    /// Along which axis scales and zero points differ.
    axis: Option<usize>,
    /// One, or one an index of the axis.
    scales: Vec<f64>,
    /// Which integers stand for 0.
    zeros: Vec<i64>,
}
impl Quant {
    /// What is written between `!quant.uniform<` and `>`: `i8<-127:127>:f32:1, {0.5:3, 0.25}`.
    pub(super) fn of(text: &str) -> Option<Quant> {
        let inner = text.strip_prefix("!quant.uniform<")?.strip_suffix('>')?;
        let (types, scales) = inner.split_once(',')?;
        let (storage, rest) = match types.split_once('<') {
            Some((storage, rest)) => {
                let (range, rest) = rest.split_once('>')?;
                ((storage, Some(range)), rest.trim_start().strip_prefix(':')?)
            }
            None => {
                let (storage, rest) = types.split_once(':')?;
                ((storage, None), rest)
            }
        };
        let (name, range) = storage;
        let name = name.trim();
        let storage = super::types::dtype(name).filter(|d| d.is_signed());
        let storage = storage.or_else(|| super::types::dtype(&format!("ui{}", name.strip_prefix('u')?)))?;
        let (least, most) = storage.int_range()?;
        let own = (i64::try_from(least).ok()?, i64::try_from(most).ok()?);
        let range = match range {
            None => own,
            Some(r) => {
                let (low, high) = r.split_once(':')?;
                (low.trim().parse().ok()?, high.trim().parse().ok()?)
            }
        };
        let (expressed, axis) = match rest.split_once(':') {
            Some((d, axis)) => (d, Some(axis.trim().parse().ok()?)),
            None => (rest, None),
        };
        let expressed = super::types::dtype(expressed.trim()).filter(|d| d.is_float())?;
        let scales = scales.trim();
        let list = match axis {
            Some(_) => scales.strip_prefix('{')?.strip_suffix('}')?,
            None => scales,
        };
        let one = |s: &str| {
            let (scale, zero) = s.trim().split_once(':').unwrap_or((s.trim(), "0"));
            Some((scale.trim().parse::<f64>().ok()?, zero.trim().parse::<i64>().ok()?))
        };
        let (scales, zeros): (Vec<f64>, Vec<i64>) =
            list.split(',').map(one).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let inside = |n: &i64| (own.0..=own.1).contains(n);
        let ok = scales.iter().all(|s| s.is_finite() && *s > 0.0)
            && range.0 < range.1
            && inside(&range.0)
            && inside(&range.1)
            && zeros.iter().all(|z| (range.0..=range.1).contains(z));
        ok.then_some(Quant { storage, expressed, range, axis, scales, zeros })
    }
    pub(super) fn expressed(&self) -> DType {
        self.expressed
    }
    /// Whether a tensor of these extents has as many scales as there are indices.
    pub(super) fn suits(&self, t: &Pattern) -> bool {
        match self.axis {
            None => true,
            Some(a) => t.dims.get(a).is_some_and(|n| n.is_none_or(|n| n == self.scales.len())),
        }
    }
    /// The scales, or the zero points, each beside the elements it is of.
    fn beside(&self, b: &mut Builder, x: ValueId, list: &[f64]) -> Made<ValueId> {
        let ty = b.ty(x);
        let Some(axis) = self.axis else { return Ok(b.splat(&ty, list[0])?) };
        let line = Type::new(ty.dtype, vec![Extent::from(list.len())]);
        let list = Tensor::from_reals(ty.dtype, &[list.len()], list.iter().copied())?;
        let list = b.emit1(
            NewOp::new(&tfc_ir::ops::constant::CONST, &[]).attr("value", Attr::Tensor(list)).types(vec![line]),
        )?;
        Ok(b.broadcast(list, &ty, &[axis])?)
    }
    fn zero_points(&self) -> Vec<f64> {
        self.zeros.iter().map(|&z| z as f64).collect()
    }
    /// The numbers that integers stand for.
    pub(super) fn dequantised(&self, b: &mut Builder, q: ValueId) -> Made<ValueId> {
        // The difference is exact where the sum is made in a dtype that holds every integer of the storage.
        let exact = self.work();
        let x = b.convert(q, exact)?;
        let zero = self.beside(b, x, &self.zero_points())?;
        let x = b.sub(x, zero)?;
        let x = b.convert(x, self.expressed)?;
        let scale = self.beside(b, x, &self.scales)?;
        Ok(b.mul(x, scale)?)
    }
    /// A float in which integers of the storage, and sums of two, are exact, and which holds the numbers they stand for.
    fn work(&self) -> DType {
        if self.expressed == DType::F64 || self.storage.bits() > 16 { DType::F64 } else { DType::F32 }
    }
    /// The integers that stand for the nearest numbers, the even one of two; the ends for what lies beyond.
    pub(super) fn quantised(&self, b: &mut Builder, x: ValueId) -> Made<ValueId> {
        let scale = self.beside(b, x, &self.scales)?;
        let x = b.div(x, scale)?;
        let x = b.emit1(NewOp::new(&e::ROUND_EVEN, &[x]))?;
        let x = b.convert(x, self.work())?;
        let zero = self.beside(b, x, &self.zero_points())?;
        let x = b.add(x, zero)?;
        let scalar = Type::scalar(b.ty(x).dtype);
        let (low, high) = (b.splat(&scalar, self.range.0 as f64)?, b.splat(&scalar, self.range.1 as f64)?);
        let x = b.emit1(NewOp::new(&e::CLAMP, &[low, x, high]))?;
        Ok(b.convert(x, self.storage)?)
    }
}
