//! Matrices of a batch: here their two axes lead, in loops there is one axis of the batch before them. What loops are made of.
use tfc_ir::{DType, Result};

use super::super::index::at_indices;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken};

/// The axes of a batch.
pub(super) struct Batch {
    dims: Vec<usize>,
}
impl Batch {
    /// `x`, whose first `own` axes are those of a matrix or a vector, as `[count, …]`.
    pub(super) fn of(w: &mut Writer, x: &Val, own: usize) -> (Batch, Val) {
        let (head, dims) = x.dims().split_at(own.min(x.rank()));
        let (head, dims) = (head.to_vec(), dims.to_vec());
        let count = dims.iter().product();
        let perm: Vec<usize> = (own..x.rank()).chain(0..own.min(x.rank())).collect();
        let moved = w.transpose(x, &perm);
        let flat = w.reshape(&moved, &[vec![count], head].concat());
        (Batch { dims }, flat)
    }
    /// The way back.
    pub(super) fn back(&self, w: &mut Writer, y: &Val) -> Val {
        let own = y.rank().saturating_sub(1);
        let tail = y.dims().get(1..).unwrap_or_default().to_vec();
        let apart = w.reshape(y, &[self.dims.clone(), tail].concat());
        let n = self.dims.len();
        let perm: Vec<usize> = (n..n + own).chain(0..n).collect();
        w.transpose(&apart, &perm)
    }
}

/// `x`, of the shape of axes `axes` of `like`, as often as `like` has the others.
pub(super) fn over(w: &mut Writer, x: &Val, axes: &[usize], like: &Val) -> Val {
    w.broadcast(x, axes, &like.ty.with(x.dtype()))
}
/// The number of each element along an axis.
pub(super) fn places(w: &mut Writer, like: &Val, axis: usize) -> Val {
    w.iota(&like.ty.with(DType::I64), axis)
}
/// Where the number along an axis compares so with `k`, an `i64[]`.
pub(super) fn where_is(w: &mut Writer, like: &Val, axis: usize, how: &str, k: &Val) -> Val {
    let at = places(w, like, axis);
    let k = w.broadcast(k, &[], &at.ty);
    w.compare(how, &at, &k)
}
/// `x` where the mask holds, else 0.
pub(super) fn keep(w: &mut Writer, mask: &Val, x: &Val) -> Result<Val> {
    let zero = w.splat(&x.ty, 0.0)?;
    Ok(w.select(mask, x, &zero))
}
/// Real moduli.
pub(super) fn abs(w: &mut Writer, x: &Val) -> Val {
    let ty = x.ty.with(x.dtype().real());
    w.to("abs", x, ty)
}
/// Squares of moduli.
pub(super) fn squares(w: &mut Writer, x: &Val) -> Val {
    let a = abs(w, x);
    w.bin("multiply", &a, &a)
}
/// The greatest over axes.
pub(super) fn most(w: &mut Writer, x: &Val, axes: &[usize]) -> Result<Val> {
    let least = w.end(&Ty::scalar(x.dtype()), false)?;
    Ok(w.reduce("maximum", x, &least, axes))
}
/// `x`, or 1 where it is 0.
pub(super) fn or_one(w: &mut Writer, x: &Val) -> Result<Val> {
    let (zero, one) = (w.splat(&x.ty, 0.0)?, w.splat(&x.ty, 1.0)?);
    let none = w.compare("EQ", x, &zero);
    Ok(w.select(&none, &one, x))
}
/// Length of vectors along an axis; squares neither overflow nor vanish.
pub(super) fn norm(w: &mut Writer, x: &Val, axis: usize) -> Result<Val> {
    let size = abs(w, x);
    let top = most(w, &size, &[axis])?;
    // Of nothing it is 0, and not the least number.
    let zero = w.splat(&top.ty, 0.0)?;
    let top = w.bin("maximum", &top, &zero);
    let scale = or_one(w, &top)?;
    let axes: Vec<usize> = (0..x.rank()).filter(|&a| a != axis).collect();
    let wide = over(w, &scale, &axes, &size);
    let part = w.bin("divide", &size, &wide);
    let square = w.bin("multiply", &part, &part);
    let sum = w.sum(&square, &[axis])?;
    let root = w.un("sqrt", &sum);
    Ok(w.bin("multiply", &root, &scale))
}
/// Index `k`, an `i64[]`, of an axis, which goes.
pub(super) fn pick(w: &mut Writer, x: &Val, axis: usize, k: &Val) -> Result<Val> {
    let zero = w.int(0)?;
    let starts: Vec<Val> = (0..x.rank()).map(|a| if a == axis { k.clone() } else { zero.clone() }).collect();
    let mut sizes = x.dims().to_vec();
    *sizes.get_mut(axis).ok_or_else(|| broken("an axis"))? = 1;
    let one = w.dynamic_slice(x, &starts, &sizes);
    sizes.remove(axis);
    Ok(w.reshape(&one, &sizes))
}
/// `x` with index `k` of an axis replaced by `u`, which lacks that axis.
pub(super) fn put(w: &mut Writer, x: &Val, axis: usize, k: &Val, u: &Val) -> Result<Val> {
    let zero = w.int(0)?;
    let starts: Vec<Val> = (0..x.rank()).map(|a| if a == axis { k.clone() } else { zero.clone() }).collect();
    let mut sizes = x.dims().to_vec();
    *sizes.get_mut(axis).ok_or_else(|| broken("an axis"))? = 1;
    let u = w.reshape(u, &sizes);
    Ok(w.dynamic_update(x, &u, &starts))
}
/// Rows of each matrix or elements of each vector, `x` of `[count, m, …]`, at the places `at`, `i64[count, k]`.
pub(super) fn take(w: &mut Writer, x: &Val, at: &Val) -> Result<Val> {
    let (&[count, m, ref rest @ ..], &[_, k]) = (x.dims(), at.dims()) else { return Err(broken("rows")) };
    let rest = rest.to_vec();
    let flat = w.reshape(x, &[vec![count * m], rest.clone()].concat());
    let own = w.iota(&at.ty, 0);
    let by = w.splat(&at.ty, m as f64)?;
    let first = w.bin("multiply", &own, &by);
    let at = w.bin("add", &first, at);
    let at = w.reshape(&at, &[count * k, 1]);
    let rows = at_indices(w, &flat, &at, &[0], 0);
    Ok(w.reshape(&rows, &[vec![count, k], rest].concat()))
}
/// The first place along axis 1 of `[count, n]` where the greatest stands.
pub(super) fn first_of_most(w: &mut Writer, x: &Val) -> Result<Val> {
    let top = most(w, x, &[1])?;
    let top = over(w, &top, &[0], x);
    let hit = w.compare("GE", x, &top);
    let at = places(w, x, 1);
    let beyond = w.end(&at.ty, true)?;
    let at = w.select(&hit, &at, &beyond);
    let init = w.end(&Ty::scalar(DType::I64), true)?;
    let first = w.reduce("minimum", &at, &init, &[1]);
    // Beside a NaN nothing is greatest; any place will do then.
    let last = w.splat(&first.ty, x.dims().get(1).map_or(0, |n| n.saturating_sub(1)) as f64)?;
    Ok(w.bin("minimum", &first, &last))
}
/// Places `0, 1, …` with `i` and `j`, `i64[count]`, exchanged: `i64[count, n]`.
pub(super) fn exchange(w: &mut Writer, ty: &Ty, i: &Val, j: &Val) -> Val {
    let at = w.iota(ty, 1);
    let (i, j) = (w.broadcast(i, &[0], ty), w.broadcast(j, &[0], ty));
    let (on_i, on_j) = (w.compare("EQ", &at, &i), w.compare("EQ", &at, &j));
    let other = w.select(&on_j, &i, &at);
    w.select(&on_i, &j, &other)
}
/// Products `x y` of matrices, `yᵀ` or not as the axis says that is summed over.
pub(super) fn product(w: &mut Writer, x: &Val, y: &Val, axes: [usize; 2]) -> Val {
    w.dot(x, y, [&[0], &[0]], [&[axes[0]], &[axes[1]]])
}
/// `x yᵀ` of vectors.
pub(super) fn outer(w: &mut Writer, x: &Val, y: &Val) -> Val {
    w.dot(x, y, [&[0], &[0]], [&[], &[]])
}
/// Identities `n × n`.
pub(super) fn identity(w: &mut Writer, count: usize, n: usize, d: DType) -> Result<Val> {
    let ty = Ty::new(DType::I64, [count, n, n]);
    let (i, j) = (w.iota(&ty, 1), w.iota(&ty, 2));
    let same = w.compare("EQ", &i, &j);
    let one = w.splat(&ty.with(d), 1.0)?;
    keep(w, &same, &one)
}
/// For each matrix of the batch, a flag that is true where all elements of `x` are finite.
pub(super) fn finite(w: &mut Writer, x: &Val) -> Result<Val> {
    let size = abs(w, x);
    let ok = size.ty.with(DType::Bool);
    let ok = w.to("is_finite", &size, ok);
    let truth = w.splat(&Ty::scalar(DType::Bool), 1.0)?;
    let axes: Vec<usize> = (1..x.rank()).collect();
    Ok(w.reduce("and", &ok, &truth, &axes))
}
/// `x`, or NaN for the matrices of the batch where `ok` does not hold. Integers stay.
pub(super) fn or_nan(w: &mut Writer, ok: &Val, x: &Val) -> Result<Val> {
    if !x.dtype().is_inexact() {
        return Ok(x.clone());
    }
    let nan = w.splat(&x.ty.with(x.dtype().real()), f64::NAN)?;
    let nan = if x.dtype().is_complex() { super::super::elementwise::complex(w, &nan, &nan) } else { nan };
    let ok = over(w, ok, &[0], x);
    Ok(w.select(&ok, x, &nan))
}
