//! Tridiagonal systems, by elimination with exchanges of neighbouring rows. A pivot that is 0 is a failure.
use faer::dyn_stack::{MemStack, StackReq};
use faer::{MatMut, MatRef};
use tfc_ir::{Attrs, OpDef, ops};

use super::factorisation::Factorisation;
use super::matrix::{In, Out};
use super::parts::finite;
use super::{Failed, Field};

/// `linalg.tridiagonal_solve`.
#[derive(Debug)]
pub(super) struct Tridiagonal;
impl Factorisation for Tridiagonal {
    const ROW: &'static OpDef = &ops::linalg::TRIDIAGONAL_SOLVE;
    const FAILS: &'static str = "came to a pivot that is 0";
    fn of(_: &Attrs) -> Tridiagonal {
        Tridiagonal
    }
    fn scratch<T: Field>(n: usize, _: usize) -> StackReq {
        StackReq::new::<T>(n).and(StackReq::new::<T>(n)).and(StackReq::new::<T>(n))
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([dl, d, du, b], [x]) = (ins, outs) else { return Err(Failed) };
        solve::<T>([dl.typed()?, d.typed()?, du.typed()?], b.typed()?, x.typed()?, stack)
    }
}
/// Row `i` of what is left has `diag[i]`, `next[i]` and `second[i]` from its diagonal on.
fn solve<T: Field>(
    [dl, d, du]: [MatRef<T>; 3],
    b: MatRef<T>,
    mut x: MatMut<T>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let n = d.nrows();
    if n == 0 {
        return Ok(());
    }
    let read = |i: usize, k: usize| !finite(MatRef::from_column_major_slice(&[[dl, d, du][k][(i, 0)]], 1, 1));
    // The first of `dl` and the last of `du` are not read.
    if !finite(b) || (0..n).any(|i| read(i, 1) || (i > 0 && read(i, 0)) || (i + 1 < n && read(i, 2))) {
        return Err(Failed);
    }
    let zero = T::zero_impl();
    let (mut diag, stack) = stack.make_with(n, |i| d[(i, 0)]);
    let (mut next, stack) = stack.make_with(n, |i| if i + 1 < n { du[(i, 0)] } else { zero });
    let (mut second, _) = stack.make_with(n, |_| zero);
    for j in 0..b.ncols() {
        for i in 0..n {
            x[(i, j)] = b[(i, j)];
        }
    }
    for i in 0..n - 1 {
        let below = dl[(i + 1, 0)];
        let exchange = diag[i].modulus() < below.modulus();
        if exchange {
            let by = diag[i].over(below);
            diag[i] = below;
            let (above, after) = (next[i], next[i + 1]);
            next[i] = diag[i + 1];
            diag[i + 1] = above - by * next[i];
            second[i] = after;
            next[i + 1] = zero - by * after;
            for j in 0..b.ncols() {
                let (p, q) = (x[(i, j)], x[(i + 1, j)]);
                x[(i, j)] = q;
                x[(i + 1, j)] = p - by * q;
            }
        } else {
            if diag[i].modulus() == 0.0 {
                return Err(Failed);
            }
            let by = below.over(diag[i]);
            diag[i + 1] -= by * next[i];
            for j in 0..b.ncols() {
                let above = x[(i, j)];
                x[(i + 1, j)] -= by * above;
            }
        }
    }
    if diag[n - 1].modulus() == 0.0 {
        return Err(Failed);
    }
    for j in 0..b.ncols() {
        for i in (0..n).rev() {
            let mut y = x[(i, j)];
            if i + 1 < n {
                y -= next[i] * x[(i + 1, j)];
            }
            if i + 2 < n {
                y -= second[i] * x[(i + 2, j)];
            }
            x[(i, j)] = y.over(diag[i]);
        }
    }
    Ok(())
}
