//! One window at a place that a constant says: a part of the operand, which other rows read and write as a whole.
use super::super::constant::{CONST, IOTA, splat_of};
use super::super::elementwise as e;
use super::super::shape::{BROADCAST_IN_DIM, DYNAMIC_UPDATE_SLICE, RESHAPE, SLICE, TRANSPOSE, declared};
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

/// The first of numbers that count up by 1, as many as the value has elements along its one axis of more than one; `None` where it has other ones.
fn counts(f: &Func, v: ValueId) -> Option<i64> {
    let (op, ty) = (f.def_op(v)?, f.ty(v));
    let n = ty.exact_shape()?.iter().try_fold(1usize, |n, &d| n.checked_mul(d))?;
    let one_axis = ty.dims.iter().filter(|d| d.as_exact() != Some(1)).count() == 1;
    if !one_axis || ty.dtype.size() < 4 || !op.guards.is_empty() {
        return None;
    }
    let from = |x: &ValueId| -> Option<i64> {
        let all = f.ty(*x).exact_shape()?.iter().try_fold(1usize, |n, &d| n.checked_mul(d))?;
        counts(f, *x).filter(|_| all == n)
    };
    let first = op.operands.first();
    if op.def.is(&IOTA) {
        let axis = usize::try_from(op.attrs.int("axis")).ok()?;
        return (ty.dims.get(axis)?.as_exact() != Some(1)).then_some(0);
    }
    if op.def.is(&e::CONVERT) || op.def.is(&RESHAPE) || op.def.is(&BROADCAST_IN_DIM) {
        return from(first?);
    }
    let (true, &[x, y]) = (op.def.is(&e::ADD), &op.operands[..]) else { return None };
    let number = |v: ValueId| splat_of(f, v).filter(|c| c.fract() == 0.0 && c.abs() < 1e9).map(|c| c as i64);
    match (number(x), number(y)) {
        (None, Some(c)) => from(&x)?.checked_add(c),
        (Some(c), None) => from(&y)?.checked_add(c),
        _ => None,
    }
}
/// The axis along which a `gather` takes elements that follow each other, whole along all others, and the first one; all lie inside.
fn consecutive(f: &Func, x: &Type, index: ValueId, d: &IndexDims, sizes: &[Extent]) -> Option<(usize, i64)> {
    let (&[axis], &[collapsed], true) = (&d.map[..], &d.collapsed[..], d.batch.is_empty()) else { return None };
    let ty = f.ty(index);
    let &[along] = &d.index_axes(ty.rank())[..] else { return None };
    let whole = |(a, (n, m)): (usize, (&Extent, &Extent))| a == axis || n == m;
    if axis != collapsed || !sizes.iter().zip(x.dims.iter()).enumerate().all(whole) {
        return None;
    }
    let (start, n, m) = (counts(f, index)?, ty.dims[along].as_exact()?, x.dims[axis].as_exact()?);
    (n > 1 && start >= 0 && start.checked_add(n)? <= m).then_some((axis, start))
}
/// Elements of `x` from `start` on along an axis, which stands in the result where indices do.
fn run(b: &mut Builder, x: ValueId, (axis, start): (usize, i64), d: &IndexDims, to: &Type) -> Result<ValueId> {
    let ty = b.ty(x).clone();
    let place = (0..to.rank()).find(|a| !d.window.contains(a)).unwrap_or(0);
    let mut dims = ty.dims.to_vec();
    dims[axis] = to.dims[place].clone();
    let mut starts = vec![0; ty.rank()];
    starts[axis] = start;
    let part = part(b, x, &starts, &ty.with_dims(dims))?;
    let mut others = d.window_axes(ty.rank()).into_iter();
    let perm: Vec<usize> =
        (0..to.rank()).map(|a| if a == place { axis } else { others.next().unwrap_or(axis) }).collect();
    b.emit1(NewOp::new(&TRANSPOSE, &[part]).attr("perm", Attr::ints(&perm)))
}

/// A `gather` of one window at a known place is that part of the operand, and one of windows behind each other is a part of it as well.
pub(super) fn gathered(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let (&[x, index], Some(to)) = (new.operands.as_slice(), declared(new)) else { return Ok(None) };
    let f = b.func();
    let (ty, d) = (f.ty(x).clone(), IndexDims::of_gather(&new.attrs, f.ty(index)));
    let sizes = new.attrs.extents("slice_sizes").to_vec();
    if let Some((axis, start)) = consecutive(f, &ty, index, &d, &sizes) {
        return Ok(Some(vec![run(b, x, (axis, start), &d, to)?]));
    }
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
