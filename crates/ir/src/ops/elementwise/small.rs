//! Elementwise ops on small dtypes that are more than the op on wide operands: what reads or counts bits, and conversions. Each
//! is built of moves, of ops on wide dtypes and of conversions between a small dtype and its wide one.
use super::{BITCAST, CLAMP, MUL, SHL, SHR_ARITH, SHR_LOGICAL, apply};
use crate::DType;
use crate::attr::Attr;
use crate::builder::Builder;
use crate::diag::Result;
use crate::extent::{CmpOp, Constraint, Extent};
use crate::func::{Func, Op, ValueId};
use crate::op::{NewOp, OpDef};
use crate::ops::constant::{CONST, splat_of};

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
        ([x], [y]) if op.def.is(&BITCAST) => is_same_bytes(dtype(x), dtype(y)),
        _ => false,
    };
    f.ops.iter().find(|op| touches(f, op) && !op.def.keeps_small(&op.attrs, op.regions.len()) && !own(op))
}
/// Whether engines have the conversion: between a small dtype and its wide one, or of a wide number to a small float.
fn is_own_conversion(from: DType, to: DType) -> bool {
    to == from.wide() || from == to.wide() || (!from.is_small() && from != DType::Bool && to.is_float())
}
/// Whether the bytes of elements that hold the same bits are the same, so that a `bitcast` is another reading of memory: not
/// where either dtype leaves bits of its bytes unused, but where both leave the same ones 0.
fn is_same_bytes(from: DType, to: DType) -> bool {
    let full = |d: DType| d.bits() == 8 * d.size() as u32;
    let zero = |d: DType| !d.is_signed();
    from == to || full(from) && full(to) || from.bits() == to.bits() && zero(from) && zero(to)
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
/// The same bits as an element of a dtype of as many.
fn bits(b: &mut Builder, x: ValueId, to: DType) -> Result<ValueId> {
    let ty = b.ty(x).with_dtype(to);
    match () {
        () if b.func().ty(x) == &ty => Ok(x),
        () if is_same_bytes(b.ty(x).dtype, to) => b.emit1(NewOp::new(&BITCAST, &[x]).types(vec![ty])),
        () => {
            let pattern = pattern(b, x)?;
            of_pattern(b, pattern, to)
        }
    }
}
/// The bits of an element of at most eight bits, as a `u32`.
fn pattern(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let d = b.ty(x).dtype;
    if d.is_unsigned() {
        return widened(b, x);
    }
    if d.is_signed() {
        let x = widened(b, x)?;
        let x = b.convert(x, DType::U32)?;
        return cut(b, x, d.bits());
    }
    let x = bits(b, x, int_of(d, false))?;
    widened(b, x)
}
/// The element whose bits are the lowest of a `u32`.
fn of_pattern(b: &mut Builder, x: ValueId, to: DType) -> Result<ValueId> {
    if to.is_int() {
        let x = b.convert(x, to.wide())?;
        return b.convert(x, to);
    }
    let x = b.convert(x, int_of(to, false))?;
    bits(b, x, to)
}
/// The integer dtype of as many bits, signed or not.
fn int_of(d: DType, signed: bool) -> DType {
    match (d.bits(), signed) {
        (2, true) => DType::I2,
        (2, false) => DType::U2,
        (4, true) => DType::I4,
        (4, false) => DType::U4,
        (8, true) => DType::I8,
        (8, false) => DType::U8,
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
    let bits = b.ty(op.operands[0]).dtype.bits();
    of_bits(b, op, false, |b, xs| {
        let all = apply(b, op.def, xs)?;
        let besides = b.like(all, f64::from(32 - bits))?;
        b.sub(all, besides)
    })
}
/// `mulhi`: the whole product has room in the wide dtype.
pub(super) fn mulhi(b: &mut Builder, op: &NewOp) -> Built {
    let d = b.ty(op.operands[0]).dtype;
    let row: &'static OpDef = if d.is_signed() { &SHR_ARITH } else { &SHR_LOGICAL };
    of_bits(b, op, d.is_signed(), |b, xs| {
        let all = apply(b, &MUL, xs)?;
        let width = b.like(all, d.bits().into())?;
        apply(b, row, &[all, width])
    })
}
/// `nextafter`: as bits of the wide dtype, one more or one less in the last bit that the small one has; near zero, where its numbers
/// stand at equal distances, one distance more or less.
pub(super) fn nextafter(b: &mut Builder, op: &NewOp) -> Built {
    let (x, y) = (op.operands[0], op.operands[1]);
    let d = b.ty(x).dtype;
    let Some(format) = d.format() else { return Ok(None) };
    let (from, to) = (widened(b, x)?, widened(b, y)?);
    let zero = b.like(from, 0.0)?;
    let (up, positive) = (b.gt(to, from)?, b.gt(from, zero)?);
    let away = b.eq(up, positive)?;
    let size = b.abs(from)?;
    let number = bits_of_single(b, size, DType::I32)?;
    let last = f64::from(format.lacks()).exp2();
    let step = either(b, away, number, [last, -last])?;
    let number = b.add(number, step)?;
    let far = bits_of_single(b, number, DType::F32)?;
    // From infinity to the greatest number.
    let most = b.like(far, format.most().into())?;
    let inner = b.min(far, most)?;
    let far = b.select(away, far, inner)?;
    let least = f64::from(format.least_normal());
    let distance = least * (-f64::from(format.mantissa)).exp2();
    let step = either(b, away, size, [distance, -distance])?;
    let near = b.add(size, step)?;
    let least = b.like(size, least)?;
    let is_near = b.le(size, least)?;
    let next = b.select(is_near, near, far)?;
    // From a zero to the number next to it on the side of `y`.
    let (above, at_zero) = (b.gt(to, zero)?, b.eq(from, zero)?);
    let distance = b.like(size, distance)?;
    let next = b.select(at_zero, distance, next)?;
    let positive = b.select(at_zero, above, positive)?;
    let negative = b.neg(next)?;
    let next = b.select(positive, next, negative)?;
    let (same, sum) = (b.eq(from, to)?, b.add(from, to)?);
    let next = b.select(same, to, next)?;
    let (p, q) = (b.eq(from, from)?, b.eq(to, to)?);
    let numbers = b.and(p, q)?;
    let next = b.select(numbers, next, sum)?;
    Ok(Some(vec![b.convert(next, d)?]))
}
/// The bits of an `f32` as an integer, or back.
fn bits_of_single(b: &mut Builder, x: ValueId, to: DType) -> Result<ValueId> {
    let ty = b.ty(x).with_dtype(to);
    b.emit1(NewOp::new(&BITCAST, &[x]).types(vec![ty]))
}
/// One number where `p`, the other elsewhere, of the type of `like`.
fn either(b: &mut Builder, p: ValueId, like: ValueId, numbers: [f64; 2]) -> Result<ValueId> {
    let (x, y) = (b.like(like, numbers[0])?, b.like(like, numbers[1])?);
    b.select(p, x, y)
}
/// `bitcast` to or from a dtype that leaves bits of its bytes unused: by way of bits in `u32`, and of whole bytes where the other
/// dtype has several.
pub(super) fn bitcast(b: &mut Builder, op: &NewOp) -> Built {
    let (x, Some([ty])) = (op.operands[0], op.declared.as_deref()) else { return Ok(None) };
    let from = b.ty(x);
    let (few, many) = (from.dtype.bits().min(ty.dtype.bits()), from.dtype.bits().max(ty.dtype.bits()));
    if is_same_bytes(from.dtype, ty.dtype) {
        return Ok(None);
    }
    if few == many {
        return Ok(Some(vec![bits(b, x, ty.dtype)?]));
    }
    let (wide, narrow) = if from.dtype.bits() == many { (&from, ty) } else { (ty, &from) };
    // What the op asks of the extent of its last axis, it asks still.
    let count = Extent::exact((many / few).into());
    b.state_for_good(narrow.dims.last().map(|n| Constraint { lhs: n.clone(), op: CmpOp::Eq, rhs: count }))?;
    // Bytes of the wider dtype, and how many of the narrower one make a byte, or make the wider one where that is less than a byte.
    let (bytes, parts) = (many.div_ceil(8), many.min(8) / few);
    let word = if many > 8 { DType::U8 } else { int_of(wide.dtype, false) };
    let mut words = wide.with_dtype(word);
    if bytes > 1 {
        words = words.with_axis(words.rank(), Extent::from(bytes as usize));
    }
    let split = words.with_axis(words.rank(), Extent::from(parts as usize));
    let shifts = (0..parts).map(|i| i * few).collect();
    let shifts = Attr::Tensor(crate::Tensor::from_column_major(&[parts as usize], shifts)?);
    let line = crate::Type::new(DType::U32, vec![Extent::from(parts as usize)]);
    let shifts = b.emit1(NewOp::new(&CONST, &[]).attr("value", shifts).types(vec![line]))?;
    let shifts = b.broadcast(shifts, &split.with_dtype(DType::U32), &[split.rank() - 1])?;
    if from.dtype.bits() == many {
        let x =
            if many > 8 { b.emit1(NewOp::new(&BITCAST, &[x]).types(vec![words.clone()]))? } else { bits(b, x, word)? };
        let x = widened(b, x)?;
        let axes: Vec<usize> = (0..words.rank()).collect();
        let x = b.broadcast(x, &split.with_dtype(DType::U32), &axes)?;
        let x = apply(b, &SHR_LOGICAL, &[x, shifts])?;
        let x = cut(b, x, few)?;
        let x = of_pattern(b, x, ty.dtype)?;
        return Ok(Some(vec![b.reshape(x, ty)?]));
    }
    let x = b.reshape(x, &split.with_dtype(from.dtype))?;
    let x = pattern(b, x)?;
    let x = apply(b, &SHL, &[x, shifts])?;
    let x = b.reduce_sum(x, &[split.rank() - 1])?;
    let x = b.convert(x, word)?;
    Ok(Some(vec![match many > 8 {
        true => b.emit1(NewOp::new(&BITCAST, &[x]).types(vec![ty.clone()]))?,
        false => bits(b, x, ty.dtype)?,
    }]))
}
/// The lowest bits of a `u32`.
fn cut(b: &mut Builder, x: ValueId, bits: u32) -> Result<ValueId> {
    let mask = b.like(x, f64::from((1u32 << bits) - 1))?;
    b.and(x, mask)
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
