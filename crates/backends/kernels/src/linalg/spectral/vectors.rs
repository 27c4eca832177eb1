//! Eigenvectors from a Schur form: those of the form by substitution (Golub & Van Loan, §7.6.4), then `z` times them, of norm 1.
//!
//! Left vectors are right ones of the adjoint, which, with rows and columns in reverse order, is upper triangular again, in the
//! same blocks. Where values are equal, differences are taken as rounding of the form: each vector then has a small residual, and
//! vectors of equal values may be equal.
use faer::MatMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::prelude::ReborrowMut;
use tfc_ir::C64;

use super::super::Field;
use super::super::columns::Columns;

/// A solution that grows beyond is scaled down.
const LARGE: f64 = 1e100;

pub(super) fn scratch(n: usize) -> StackReq {
    Columns::<C64>::scratch(n, n).and(StackReq::new::<C64>(n)).and(StackReq::new::<C64>(n))
}
/// The right vectors of the form `t` for the values `w`, or the left ones for their conjugates, times `z`, rows times
/// `scale`, as columns of `to`.
pub(super) fn write<W: Field, C: Field>(
    t: &Columns<W>,
    z: &Columns<W>,
    w: &[C64],
    (left, scale): (bool, &[f64]),
    mut to: MatMut<C>,
    stack: &mut MemStack,
) {
    let n = w.len();
    let wide = |x: W| C64::new(x.parts().0, x.parts().1);
    let (mut form, stack) = Columns::<C64>::zeros(n, n, stack);
    let (mut x, stack) = stack.make_with(n, |_| C64::new(0.0, 0.0));
    let (mut y, _) = stack.make_with(n, |_| C64::new(0.0, 0.0));
    let mut norm = 0.0f64;
    for j in 0..n {
        for i in 0..n {
            let e = if left { wide(t[(n - 1 - j, n - 1 - i)]).conj() } else { wide(t[(i, j)]) };
            norm = norm.max(e.modulus());
            form[(i, j)] = e;
        }
    }
    // The matrix is scaled: its norm is about 1, or 0.
    let least = f64::EPSILON * if norm == 0.0 { 1.0 } else { norm };
    for j in 0..n {
        let k = if left { n - 1 - j } else { j };
        of_form(&form, k, w[j], least, &mut x);
        y.fill(C64::new(0.0, 0.0));
        for (l, &e) in x.iter().enumerate().filter(|e| e.1.modulus() != 0.0) {
            let l = if left { n - 1 - l } else { l };
            y.iter_mut().enumerate().for_each(|(i, y)| *y += wide(z[(i, l)]) * e);
        }
        y.iter_mut().zip(scale).for_each(|(y, d)| *y = C64::new(y.re * d, y.im * d));
        unit(&y, to.rb_mut(), j);
    }
}
/// Column `j` of `to` becomes `y`, divided by its norm.
pub(super) fn unit<C: Field>(y: &[C64], mut to: MatMut<C>, j: usize) {
    let square: f64 = y.iter().map(|y| y.re * y.re + y.im * y.im).sum();
    // Where squares lose nothing that counts; else one after the other.
    let length = match square {
        1e-200..1e200 => square.sqrt(),
        _ => y.iter().fold(0.0f64, |s, y| s.hypot(y.modulus())),
    };
    for (i, y) in y.iter().enumerate() {
        to[(i, j)] = C::of_parts(y.re / length, y.im / length);
    }
}
/// Whether a block of two rows begins at row `i`.
fn begins(t: &Columns<C64>, n: usize, i: usize) -> bool {
    i + 1 < n && t[(i + 1, i)] != C64::new(0.0, 0.0)
}
/// The vector `x` with `(t − w) x = 0`, of the block at row `k`.
fn of_form(t: &Columns<C64>, k: usize, w: C64, least: f64, x: &mut [C64]) {
    let n = x.len();
    x.fill(C64::new(0.0, 0.0));
    let first = if k > 0 && begins(t, n, k - 1) { k - 1 } else { k };
    if begins(t, n, first) {
        // Of [a − w, b; c, d − w] the row with the larger element beside the diagonal.
        let (b, c) = (t[(first, first + 1)], t[(first + 1, first)]);
        let one = C64::new(1.0, 0.0);
        (x[first], x[first + 1]) = if b.modulus() >= c.modulus() {
            (one, (w - t[(first, first)]).over(b))
        } else {
            ((w - t[(first + 1, first + 1)]).over(c), one)
        };
    } else {
        x[first] = C64::new(1.0, 0.0);
    }
    let known = if begins(t, n, first) { first + 2 } else { first + 1 };
    let mut row = first;
    while row > 0 {
        let two = row > 1 && begins(t, n, row - 2);
        let from = row - if two { 2 } else { 1 };
        let rest = |x: &[C64], i: usize| (row..known).fold(C64::new(0.0, 0.0), |s, l| s - t[(i, l)] * x[l]);
        if two {
            let (p, q) = (rest(x, from), rest(x, from + 1));
            let block = [t[(from, from)] - w, t[(from, from + 1)], t[(from + 1, from)], t[(from + 1, from + 1)] - w];
            (x[from], x[from + 1]) = solved(block, p, q, least);
        } else {
            let d = t[(from, from)] - w;
            let d = if d.modulus() < least { C64::new(least, 0.0) } else { d };
            x[from] = rest(x, from).over(d);
        }
        let top = x[from].modulus().max(x[from + usize::from(two)].modulus());
        if top > LARGE {
            x.iter_mut().for_each(|x| *x = C64::new(x.re / top, x.im / top));
        }
        row = from;
    }
}
/// The solution of `[a b; c d] (x, y) = (p, q)`, by elimination from the row with the larger first entry.
fn solved([a, b, c, d]: [C64; 4], p: C64, q: C64, least: f64) -> (C64, C64) {
    let ((a, b, p), (c, d, q)) =
        if a.modulus() >= c.modulus() { ((a, b, p), (c, d, q)) } else { ((c, d, q), (a, b, p)) };
    let a = if a.modulus() < least { C64::new(least, 0.0) } else { a };
    let by = c.over(a);
    let last = d - by * b;
    let last = if last.modulus() < least { C64::new(least, 0.0) } else { last };
    let y = (q - by * p).over(last);
    ((p - b * y).over(a), y)
}
