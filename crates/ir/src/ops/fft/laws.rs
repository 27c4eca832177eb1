//! The law of a transform: it is the product with its matrix, whoever computes it and how. Rounding may leave a multiple of
//! `log n` units in the last place, relative to the 2-norm of the result (Higham, *Accuracy and Stability of Numerical
//! Algorithms*, thm. 24.2).
use super::*;
use crate::C64;
use crate::func::ValueId;
use crate::law::LawCx;
use crate::op::NewOp;
use crate::ops::constant::CONST;
use crate::ops::contract::DotDims;
use crate::tensor::Tensor;
use std::f64::consts::TAU;

/// How many units in the last place a result may be off for each doubling of a line.
const STEPS: f64 = 8.0;

/// Law of `fft` and `ifft`.
pub(super) fn complex(cx: &mut LawCx, inverse: bool) -> Result<()> {
    let (x, axes) = (cx.operand(0)?, cx.attrs.indices("axes"));
    let n = cx.shape(x);
    let mut z = leading(cx, x, &axes)?;
    for &a in axes.iter().rev() {
        z = times(cx, &waves([n[a], n[a]], n[a], inverse), z, axes.len())?;
    }
    holds(cx, z, &n, inverse)
}
/// Law of `rfft`: the first rows of the matrix.
pub(super) fn real(cx: &mut LawCx) -> Result<()> {
    let (x, axes) = (cx.operand(0)?, cx.attrs.indices("axes"));
    let y = cx.result(0)?;
    let (n, kept) = (cx.shape(x), cx.shape(y));
    let x = cx.wide(x)?;
    let zero = cx.b.like(x, 0.0)?;
    let x = cx.b.complex(x, zero)?;
    let mut z = leading(cx, x, &axes)?;
    for &a in axes.iter().rev() {
        z = times(cx, &waves([kept[a], n[a]], n[a], false), z, axes.len())?;
    }
    holds(cx, z, &n, false)
}
/// Law of `irfft`: the real part of a product with the first columns of the matrix, twice those whose conjugates are left out.
pub(super) fn inverse_real(cx: &mut LawCx) -> Result<()> {
    let (x, axes) = (cx.operand(0)?, cx.attrs.indices("axes"));
    let y = cx.result(0)?;
    let (n, kept) = (cx.shape(y), cx.shape(x));
    let mut z = leading(cx, x, &axes)?;
    for (i, &a) in axes.iter().enumerate().rev() {
        let mut w = waves([n[a], kept[a]], n[a], true);
        if i + 1 == axes.len() {
            let (n, k) = (n[a], kept[a]);
            let twice = w.1.iter_mut().enumerate().filter(|(at, _)| at % k > 0 && 2 * (at % k) < n);
            twice.for_each(|(_, w)| *w *= 2.0);
        }
        z = times(cx, &w, z, axes.len())?;
    }
    let z = cx.b.real(z)?;
    holds(cx, z, &n, true)
}

/// A matrix: rows and columns, elements with the last axis fastest.
type Matrix = ([usize; 2], Vec<C64>);
/// `exp(∓2πi·jk/n)`: the first rows and columns of the matrix of a transform of `n` elements.
fn waves([rows, cols]: [usize; 2], n: usize, inverse: bool) -> Matrix {
    let sign = if inverse { 1.0 } else { -1.0 };
    let one = |j: usize, k: usize| C64::cis(sign * TAU * (j * k % n.max(1)) as f64 / n.max(1) as f64);
    ([rows, cols], (0..rows).flat_map(|j| (0..cols).map(move |k| one(j, k))).collect())
}
/// `x` in double precision with `axes` in front, in their order.
fn leading(cx: &mut LawCx, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    let x = cx.wide(x)?;
    let rank = cx.shape(x).len();
    let perm: Vec<usize> = axes.iter().copied().chain((0..rank).filter(|a| !axes.contains(a))).collect();
    cx.b.transpose(x, &perm)
}
/// The product of a matrix with the last of `x`'s first `count` axes, which becomes the first.
fn times(cx: &mut LawCx, w: &Matrix, x: ValueId, count: usize) -> Result<ValueId> {
    let w = Tensor::from_logical(&w.0, w.1.clone())?;
    let w = cx.b.emit1(NewOp::new(&CONST, &[]).attr("value", Attr::Tensor(w)))?;
    cx.b.dot(w, x, &DotDims { contract: [vec![1], vec![count - 1]], ..DotDims::default() })
}
/// The result is `z`, the sums with the transform's axes in front, times the factor of the norm. `n` has the extents of lines.
fn holds(cx: &mut LawCx, z: ValueId, n: &[usize], inverse: bool) -> Result<()> {
    let (y, axes) = (cx.result(0)?, cx.attrs.indices("axes"));
    let count: usize = axes.iter().map(|&a| n[a]).product();
    let dtype = cx.b.func().ty(y).dtype;
    let y = leading(cx, y, &axes)?;
    let factor = cx.b.like(z, Norm::of(cx.attrs).scale(count, inverse))?;
    let z = cx.b.mul(factor, z)?;
    let rest = cx.b.sub(y, z)?;
    let size = cx.b.abs(z)?;
    let square = cx.b.mul(size, size)?;
    let sum = cx.b.reduce_sum(square, &(0..axes.len()).collect::<Vec<_>>())?;
    let norm = cx.b.sqrt(sum)?;
    let unit = if dtype.real() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let doublings = (count.max(1) as f64).log2() + 1.0;
    cx.vanishes("y = W · x", rest, norm, STEPS * doublings * unit)
}
