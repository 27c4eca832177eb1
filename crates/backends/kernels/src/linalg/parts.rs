//! What factorisations do to a matrix before and after the library: look at its elements, scale it, turn columns.
use faer::{MatMut, MatRef};
use tfc_ir::ops::linalg::LEADING;

use super::Field;
use super::columns::Columns;

/// Whether every element is finite.
pub(super) fn finite<T: Field>(a: MatRef<T>) -> bool {
    // A column at a time: without a way out in between, several elements are looked at in one step.
    a.col_iter().all(|x| {
        let all = |ok: bool, (x, y): (f64, f64)| ok & x.is_finite() & y.is_finite();
        match x.try_as_col_major() {
            Some(x) => x.as_slice().iter().map(|x| x.parts()).fold(true, all),
            None => x.iter().map(|x| x.parts()).fold(true, all),
        }
    })
}
/// Scales a matrix by a power of 2, so that its largest element is about 1; gives what undoes it. No bits are lost but those of elements
/// that are nothing beside the largest.
pub(super) fn rescale<T: Field>(mut a: MatMut<T>) -> f64 {
    let mut top = 0.0f64;
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            let (x, y) = a[(i, j)].parts();
            top = top.max(x.abs()).max(y.abs());
        }
    }
    let (by, undo) = scale(top);
    if by != 1.0 {
        for j in 0..a.ncols() {
            for i in 0..a.nrows() {
                a[(i, j)] = a[(i, j)].scaled(by);
            }
        }
    }
    undo
}
/// The power of 2 that makes `top` a number from 1 to 2, and what undoes it.
fn scale(top: f64) -> (f64, f64) {
    if top == 0.0 {
        return (1.0, 1.0);
    }
    // Not the whole way from a subnormal number: its reciprocal overflows.
    let e = top.log2().floor().clamp(-1000.0, 1000.0);
    ((-e).exp2(), e.exp2())
}
/// As [`rescale`], of columns.
pub(super) fn power<T: Field>(a: &mut Columns<T>) -> f64 {
    let top = a.all().iter().fold(0.0f64, |t, x| t.max(x.parts().0.abs()).max(x.parts().1.abs()));
    let (by, undo) = scale(top);
    if by != 1.0 {
        a.all().iter_mut().for_each(|x| *x = x.scaled(by));
    }
    undo
}
/// The factor of modulus 1 that makes the entry of largest modulus in column `j` real and positive: the first that is
/// within a thousandth of the largest, so that rounding does not choose between equal ones. `None`: it is so already.
pub(super) fn phase<T: Field>(u: MatRef<T>, j: usize) -> Option<(f64, f64)> {
    // A modulus is at most √2 times the larger part: most need not be known.
    let reaches = |i: usize, t: f64| {
        let (x, y) = u[(i, j)].parts();
        1.5 * x.abs().max(y.abs()) >= t
    };
    let top = (0..u.nrows()).fold(0.0f64, |t, i| if reaches(i, t) { t.max(u[(i, j)].modulus()) } else { t });
    let least = LEADING * top;
    let i = (0..u.nrows()).find(|&i| reaches(i, least) && u[(i, j)].modulus() >= least)?;
    let (re, im) = u[(i, j)].parts();
    let size = u[(i, j)].modulus();
    if size == 0.0 || (im == 0.0 && re > 0.0) { None } else { Some((re / size, -im / size)) }
}
pub(super) fn turn_column<T: Field>(mut u: MatMut<T>, j: usize, (re, im): (f64, f64)) {
    for i in 0..u.nrows() {
        u[(i, j)] = u[(i, j)].turned(re, im);
    }
}
