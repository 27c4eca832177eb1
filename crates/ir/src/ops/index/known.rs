//! One window at a place that a constant says: a part of the operand, which other rows read and write as a whole.
use super::super::constant::CONST;
use super::super::elementwise as e;
use super::super::shape::{DYNAMIC_UPDATE_SLICE, SLICE, declared};
use super::*;
use crate::extent::{Constraint, Facts, Truth};
use crate::func::Func;
use crate::types::Type;

/// The elements of a constant of integers, in logical order; `None` where it is none, or a long one.
fn numbers(f: &Func, v: ValueId) -> Option<Vec<i64>> {
    /// More than the axes of any operand.
    const MOST: usize = 64;
    let op = f.def_op(v).filter(|op| op.def.is(&CONST))?;
    let count = f.ty(v).exact_shape()?.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n <= MOST)?;
    let list =
        |t: &crate::Tensor| -> Option<Vec<i64>> { t.ints()?.into_iter().map(|x| i64::try_from(x).ok()).collect() };
    match op.attrs.tensor("splat") {
        Some(t) => Some(vec![*list(t)?.first()?; count]),
        None => list(op.attrs.tensor("value")?),
    }
}
/// Where the only window starts along each axis of an operand of type `x`, if its place is known and it lies inside whatever the
/// extents are.
fn place(f: &Func, x: &Type, index: ValueId, d: &IndexDims, sizes: &[Extent]) -> Option<Vec<i64>> {
    let ty = f.ty(index);
    let one = d.index_axes(ty.rank()).into_iter().all(|a| ty.dims[a].as_exact() == Some(1));
    if !one || !d.batch.is_empty() {
        return None;
    }
    let mut starts = vec![0; x.rank()];
    for (&a, n) in d.map.iter().zip(numbers(f, index)?) {
        *starts.get_mut(a)? = n;
    }
    // What is proved here nobody states: it must not rest on facts of the program.
    let facts = Facts::new();
    let inside = |((&s, n), m): ((&i64, &Extent), &Extent)| {
        let end = Extent::exact(s).add(n).ok();
        let holds = |lhs: Extent| facts.prove(&Constraint { lhs, op: CmpOp::Le, rhs: m.clone() }) == Truth::Yes;
        s >= 0 && end.is_some_and(holds)
    };
    starts.iter().zip(sizes).zip(x.dims.iter()).all(inside).then_some(starts)
}
fn part(b: &mut Builder, x: ValueId, starts: &[i64], ty: &Type) -> Result<ValueId> {
    let start: Vec<Extent> = starts.iter().map(|&s| Extent::exact(s)).collect();
    let limit = start.iter().zip(ty.dims.iter()).map(|(s, n)| s.add(n)).collect::<Result<Vec<_>>>()?;
    let op = NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(start)).attr("limit", Attr::extents(limit));
    b.emit1(op.types(vec![ty.clone()]))
}

/// A `gather` of one window at a known place is that part of the operand.
pub(super) fn gathered(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let (&[x, index], Some(to)) = (new.operands.as_slice(), declared(new)) else { return Ok(None) };
    let f = b.func();
    let (ty, d) = (f.ty(x).clone(), IndexDims::of_gather(&new.attrs, f.ty(index)));
    let sizes = new.attrs.extents("slice_sizes").to_vec();
    let Some(starts) = place(f, &ty, index, &d, &sizes) else { return Ok(None) };
    let window = part(b, x, &starts, &ty.with_dims(sizes))?;
    Ok(Some(vec![b.reshape(window, to)?]))
}
/// A `scatter` of one window at a known place replaces that part of the operand by what it becomes.
pub(super) fn scattered(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let (&[x, index, u], true) = (new.operands.as_slice(), new.regions.is_empty()) else { return Ok(None) };
    let f = b.func();
    let (ty, d) = (f.ty(x).clone(), IndexDims::of_scatter(&new.attrs, f.ty(index)));
    let row = match new.attrs.word("combine") {
        Some("set") => None,
        _ if ty.dtype == DType::Bool => return Ok(None),
        Some("add") => Some(&e::ADD),
        Some("mul") => Some(&e::MUL),
        Some("min") => Some(&e::MIN),
        Some("max") => Some(&e::MAX),
        _ => return Ok(None),
    };
    let sizes = d.sizes(f.ty(u), ty.rank());
    let Some(starts) = place(f, &ty, index, &d, &sizes) else { return Ok(None) };
    let window = ty.with_dims(sizes);
    let mut u = b.reshape(u, &window)?;
    if let Some(row) = row {
        let old = part(b, x, &starts, &window)?;
        u = b.emit1(NewOp::new(row, &[old, u]))?;
    }
    if window == ty {
        return Ok(Some(vec![u]));
    }
    let mut operands = vec![x, u];
    for s in starts {
        let at = crate::Tensor::scalar(s);
        let at = NewOp::new(&CONST, &[]).attr("value", Attr::Tensor(at)).types(vec![Type::scalar(DType::I64)]);
        operands.push(b.emit1(at)?);
    }
    Ok(Some(vec![b.emit1(NewOp::new(&DYNAMIC_UPDATE_SLICE, &operands))?]))
}
