//! Elementwise ops on small dtypes that are more than the op on wide operands: what reads or counts bits, and conversions. Each
//! is built of moves, of ops on wide dtypes and of conversions between a small dtype and its wide one.
use super::{BITCAST, CLAMP, MUL, SHR_ARITH, SHR_LOGICAL, apply};
use crate::DType;
use crate::builder::Builder;
use crate::diag::Result;
use crate::func::{Func, Op, ValueId};
use crate::op::{NewOp, OpDef};
use crate::ops::constant::splat_of;

type Built = Result<Option<Vec<ValueId>>>;

/// A value of a small dtype as one of its wide dtype; others as they are. A constant is made in the wide dtype.
pub fn widened(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let ty = b.ty(x);
    let wide = ty.with_dtype(ty.dtype.wide());
    match splat_of(b.func(), x).filter(|_| ty.dtype.is_small()) {
        Some(number) => b.splat(&wide, number),
        None => b.convert(x, wide.dtype),
    }
}
/// Whether the op has small dtypes with which its row does not deal itself. Its result types are known.
pub fn wants_wide(b: &Builder, op: &NewOp) -> bool {
    let small = |t: &crate::Type| t.dtype.is_small();
    let any = op.operands.iter().any(|&x| small(b.func().ty(x))) || op.declared.iter().flatten().any(small);
    any && !op.def.keeps_small(&op.attrs, op.regions.len())
}
/// Whether an operand or a result of the op is of a small dtype.
pub fn touches(f: &Func, op: &Op) -> bool {
    op.operands.iter().chain(&op.results).any(|&v| f.ty(v).dtype.is_small())
}
/// The first op of a function that an engine which computes in wide dtypes alone cannot run: the pass `widen` leaves none.
pub fn unwidened(f: &Func) -> Option<&Op> {
    let dtype = |v: &ValueId| f.ty(*v).dtype;
    let own = |op: &Op| match (&op.operands[..], &op.results[..]) {
        ([x], [y]) if op.def.is(&super::CONVERT) => is_own_conversion(dtype(x), dtype(y)),
        _ => false,
    };
    f.ops.iter().find(|op| touches(f, op) && !op.def.keeps_small(&op.attrs, op.regions.len()) && !own(op))
}
/// Whether engines have the conversion: between a small dtype and its wide one, or of a wide number to a small float.
fn is_own_conversion(from: DType, to: DType) -> bool {
    to == from.wide() || from == to.wide() || (!from.is_small() && from != DType::Bool && to.is_float())
}
/// What `make` gives for the op on wide operands, rounded or cut to the dtypes of its results, which are known.
///
/// # Errors
/// Those of `make`.
pub fn on_wide(
    b: &mut Builder,
    op: &NewOp,
    make: impl FnOnce(&mut Builder, &NewOp) -> Result<Vec<ValueId>>,
) -> Result<Vec<ValueId>> {
    let mut wide = op.clone();
    wide.operands = op.operands.iter().map(|&x| widened(b, x)).collect::<Result<Vec<_>>>()?.as_slice().into();
    let types = op.declared.as_deref().unwrap_or_default();
    wide.declared = Some(types.iter().map(|t| t.with_dtype(t.dtype.wide())).collect());
    let made = make(b, &wide)?;
    made.into_iter().zip(types).map(|(y, t)| b.convert(y, t.dtype)).collect()
}
/// The same bits as that dtype.
fn bits(b: &mut Builder, x: ValueId, to: DType) -> Result<ValueId> {
    let ty = b.ty(x).with_dtype(to);
    if b.func().ty(x) == &ty { Ok(x) } else { b.emit1(NewOp::new(&BITCAST, &[x]).types(vec![ty])) }
}
/// The integer dtype of the same size, signed or not.
fn int_of(d: DType, signed: bool) -> DType {
    match (d.size(), signed) {
        (1, true) => DType::I8,
        (1, false) => DType::U8,
        (_, true) => DType::I16,
        (_, false) => DType::U16,
    }
}
/// An op on the bits of integers, read as signed or as unsigned ones.
fn of_bits(
    b: &mut Builder,
    op: &NewOp,
    signed: bool,
    f: impl FnOnce(&mut Builder, &[ValueId]) -> Result<ValueId>,
) -> Built {
    let d = b.ty(op.operands[0]).dtype;
    let read = int_of(d, signed);
    let mut xs = vec![];
    for &x in &op.operands {
        let x = bits(b, x, read)?;
        xs.push(widened(b, x)?);
    }
    let y = f(b, &xs)?;
    let y = b.convert(y, read)?;
    Ok(Some(vec![bits(b, y, d)?]))
}
/// The row on bits that are read as unsigned ones.
pub(super) fn unsigned(b: &mut Builder, op: &NewOp) -> Built {
    of_bits(b, op, false, |b, xs| apply(b, op.def, xs))
}
/// `shr_arith`: the distance is read as unsigned.
pub(super) fn shr_arith(b: &mut Builder, op: &NewOp) -> Built {
    let d = b.ty(op.operands[1]).dtype;
    let n = bits(b, op.operands[1], int_of(d, false))?;
    let n = widened(b, n)?;
    let n = b.convert(n, DType::I32)?;
    let x = NewOp::new(op.def, &[op.operands[0]]);
    of_bits(b, &x, true, |b, xs| apply(b, &SHR_ARITH, &[xs[0], n]))
}
/// `clz`: without the zeros that the wide dtype has besides.
pub(super) fn clz(b: &mut Builder, op: &NewOp) -> Built {
    let size = b.ty(op.operands[0]).dtype.size();
    of_bits(b, op, false, |b, xs| {
        let all = apply(b, op.def, xs)?;
        let besides = b.like(all, f64::from(32 - 8 * size as u32))?;
        b.sub(all, besides)
    })
}
/// `mulhi`: the whole product has room in the wide dtype.
pub(super) fn mulhi(b: &mut Builder, op: &NewOp) -> Built {
    let d = b.ty(op.operands[0]).dtype;
    let row: &'static OpDef = if d.is_signed() { &SHR_ARITH } else { &SHR_LOGICAL };
    of_bits(b, op, d.is_signed(), |b, xs| {
        let all = apply(b, &MUL, xs)?;
        let width = b.like(all, 8.0 * d.size() as f64)?;
        apply(b, row, &[all, width])
    })
}
/// `nextafter`: one more or one less than the bits as a number.
pub(super) fn nextafter(b: &mut Builder, op: &NewOp) -> Built {
    let (x, y) = (op.operands[0], op.operands[1]);
    let (d, ty) = (b.ty(x).dtype, b.ty(x).with_dtype(DType::I32));
    let (from, to) = (widened(b, x)?, widened(b, y)?);
    let number = bits(b, x, DType::I16)?;
    let number = b.convert(number, DType::I32)?;
    let zero = b.like(from, 0.0)?;
    let (up, positive) = (b.gt(to, from)?, b.gt(from, zero)?);
    let away = b.eq(up, positive)?;
    let (one, less) = (b.splat(&ty, 1.0)?, b.splat(&ty, -1.0)?);
    let step = b.select(away, one, less)?;
    let next = b.add(number, step)?;
    // From a zero to the number next to it on the side of `y`.
    let low = b.splat(&ty, f64::from(i16::MIN + 1))?;
    let (above, at_zero) = (b.gt(to, zero)?, b.eq(from, zero)?);
    let least = b.select(above, one, low)?;
    let next = b.select(at_zero, least, next)?;
    let next = b.convert(next, DType::I16)?;
    let next = bits(b, next, d)?;
    let next = b.convert(next, DType::F32)?;
    let (same, sum) = (b.eq(from, to)?, b.add(from, to)?);
    let next = b.select(same, to, next)?;
    let (p, q) = (b.eq(from, from)?, b.eq(to, to)?);
    let numbers = b.and(p, q)?;
    let next = b.select(numbers, next, sum)?;
    Ok(Some(vec![b.convert(next, d)?]))
}
/// `convert`: the conversions that engines have are those between a small dtype and its wide one, and those of all numbers to the
/// small floats, which are rounded once.
pub(super) fn convert(b: &mut Builder, op: &NewOp) -> Built {
    let (x, Some([ty])) = (op.operands[0], op.declared.as_deref()) else { return Ok(None) };
    let (from, to) = (b.ty(x).dtype, ty.dtype);
    if is_own_conversion(from, to) {
        return Ok(None);
    }
    if from.is_small() {
        let x = widened(b, x)?;
        let via = b.convert(x, to.wide())?;
        // Of an integer that has room in `f32`, or in both wide dtypes, nothing is lost on the way.
        return match to.is_small() {
            true if from.is_float() && to.is_int() => saturated(b, x, to).map(|y| Some(vec![y])),
            _ => Ok(Some(vec![b.convert(via, to)?])),
        };
    }
    if from.is_float() && to.is_int() {
        return saturated(b, x, to).map(|y| Some(vec![y]));
    }
    let via = b.convert(x, to.wide())?;
    Ok(Some(vec![b.convert(via, to)?]))
}
/// A wide float as a small integer: the nearest end of what `to` has for what lies beyond, 0 for NaN.
fn saturated(b: &mut Builder, x: ValueId, to: DType) -> Result<ValueId> {
    let (low, high) = to.int_range().unwrap_or_default();
    let scalar = crate::Type::scalar(b.ty(x).dtype);
    let (low, high) = (b.splat(&scalar, low as f64)?, b.splat(&scalar, high as f64)?);
    let x = apply(b, &CLAMP, &[low, x, high])?;
    let x = b.convert(x, to.wide())?;
    b.convert(x, to)
}
