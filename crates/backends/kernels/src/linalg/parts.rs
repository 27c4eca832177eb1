//! What factorisations do to a matrix before and after the library: look at its elements, scale it, turn columns.
use faer::{MatMut, MatRef};
use tfc_ir::ops::linalg::LEADING;

use super::Field;

/// Is every element finite?
pub(super) fn finite<T: Field>(a: MatRef<T>) -> bool {
    (0..a.ncols()).all(|j| {
        (0..a.nrows()).all(|i| {
            let (x, y) = a[(i, j)].parts();
            x.is_finite() && y.is_finite()
        })
    })
}
/// Scales a matrix of very large or small numbers by a power of 2; gives what undoes it.
pub(super) fn rescale<T: Field>(mut a: MatMut<T>) -> f64 {
    let mut top = 0.0f64;
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            let (x, y) = a[(i, j)].parts();
            top = top.max(x.abs()).max(y.abs());
        }
    }
    if top == 0.0 || (T::RANGE.0..=T::RANGE.1).contains(&top) {
        return 1.0;
    }
    // Not the whole way from a subnormal number: its reciprocal overflows.
    let e = top.log2().floor().clamp(-1000.0, 1000.0);
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            a[(i, j)] = a[(i, j)].scaled((-e).exp2());
        }
    }
    e.exp2()
}
/// The factor of modulus 1 that makes the entry of largest modulus in column `j` real and positive: the first that is
/// within a thousandth of the largest, so that rounding does not choose between equal ones. `None`: it is so already.
pub(super) fn phase<T: Field>(u: MatRef<T>, j: usize) -> Option<(f64, f64)> {
    let top = (0..u.nrows()).fold(0.0f64, |t, i| t.max(u[(i, j)].modulus()));
    let i = (0..u.nrows()).find(|&i| u[(i, j)].modulus() >= LEADING * top)?;
    let (re, im) = u[(i, j)].parts();
    let size = u[(i, j)].modulus();
    if size == 0.0 || (im == 0.0 && re > 0.0) { None } else { Some((re / size, -im / size)) }
}
pub(super) fn turn_column<T: Field>(mut u: MatMut<T>, j: usize, (re, im): (f64, f64)) {
    for i in 0..u.nrows() {
        u[(i, j)] = u[(i, j)].turned(re, im);
    }
}
