//! Cholesky factor `l` of a Hermitian positive definite matrix, of which the lower triangle is read.
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::cholesky::llt::factor;
use faer::prelude::ReborrowMut;
use faer::traits::math_utils::zero;
use faer::{Auto, MatMut, MatRef, Par, Spec};
use tfc_ir::{Attrs, OpDef, ops};

use super::factorisation::Factorisation;
use super::lanes::{self, Block, Lane};
use super::matrix::{In, Out};
use super::{Failed, Field};

/// `linalg.cholesky`.
#[derive(Debug)]
pub(super) struct Cholesky;
impl Factorisation for Cholesky {
    const ROW: &'static OpDef = &ops::linalg::CHOLESKY;
    const FAILS: &'static str = "does not exist: the matrix is not positive definite";
    const LOWER: bool = true;
    fn of(_: &Attrs) -> Cholesky {
        Cholesky
    }
    fn scratch<T: Field>(_: usize, n: usize) -> StackReq {
        factor::cholesky_in_place_scratch::<T>(n, Par::Seq, Spec::new(Auto::<T>::auto()))
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [l]) = (ins, outs) else { return Err(Failed) };
        decompose::<T>(a.typed()?, l.typed()?, stack)
    }
    fn lanes<E: Lane>(&self) -> Option<Box<dyn Block>> {
        lanes::block::<_, E>(lanes::Cholesky)
    }
}
/// Up to here the library's preparations take longer than the work.
const SMALL: usize = 16;
/// Column by column, in place of the lower triangle.
fn plain<T: Field>(mut l: MatMut<T>) -> Result<(), Failed> {
    for j in 0..l.nrows() {
        let square = |l: &MatMut<T>, k: usize| {
            let (re, im) = l[(j, k)].parts();
            re * re + im * im
        };
        let d = (0..j).fold(l[(j, j)].parts().0, |d, k| d - square(&l, k));
        // A NaN has to fail this.
        if !(d > 0.0 && d.is_finite()) {
            return Err(Failed);
        }
        let d = d.sqrt();
        l[(j, j)] = T::of_parts(d, 0.0);
        for i in j + 1..l.nrows() {
            let x = (0..j).fold(l[(i, j)], |x, k| x - l[(i, k)] * l[(j, k)].conjugate());
            let (re, im) = x.parts();
            l[(i, j)] = T::of_parts(re / d, im / d);
        }
    }
    Ok(())
}
fn decompose<T: Field>(a: MatRef<T>, mut l: MatMut<T>, stack: &mut MemStack) -> Result<(), Failed> {
    let n = a.nrows();
    for j in 0..n {
        for i in 0..j {
            l[(i, j)] = zero();
        }
        // The imaginary part of the diagonal counts for nothing.
        l[(j, j)] = T::mean(a[(j, j)], a[(j, j)].conjugate());
        for i in j + 1..n {
            l[(i, j)] = a[(i, j)];
        }
        if (j..n).any(|i| !l[(i, j)].modulus().is_finite()) {
            return Err(Failed);
        }
    }
    if n == 0 {
        return Ok(());
    }
    if n <= SMALL {
        return plain(l);
    }
    let params = Spec::new(Auto::<T>::auto());
    factor::cholesky_in_place(l.rb_mut(), Default::default(), Par::Seq, stack, params).map_err(|_| Failed)?;
    // What was left on the way above the diagonal, and in its imaginary parts.
    for j in 0..n {
        for i in 0..j {
            l[(i, j)] = zero();
        }
        l[(j, j)] = T::mean(l[(j, j)], l[(j, j)].conjugate());
    }
    Ok(())
}
