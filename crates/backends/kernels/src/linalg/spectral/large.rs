//! Eigenvalues and vectors of large matrices by faer: reflections in blocks, many shifts at once and aggressive early deflation (Braman,
//! Byers & Mathias, SIAM J. Matrix Anal. Appl. 23(4), 2002), substitution in blocks. It does not say when it gave up, and its
//! substitution may overflow: residuals tell.
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::matmul::matmul;
use faer::linalg::{evd, temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::prelude::ReborrowMut;
use faer::{Accum, Auto, MatMut, MatRef, Par, Spec};
use tfc_ir::C64;

use super::super::columns::Columns;
use super::super::{Failed, Field};

/// The least matrix that is large; LAPACK changes its algorithm there, too.
pub(super) const FROM: usize = 76;
/// Residuals of vectors of norm 1 are smaller than this many roundings of the matrix's norm.
const RESIDUAL: f64 = 1e4;

/// What faer has for the elements `f64` and `C64`.
pub(super) trait Library: Field {
    fn scratch(n: usize) -> StackReq;
    /// Values and vectors, left ones first. Of a pair of conjugate values of a real matrix, two columns are the real and the imaginary
    /// part of the vector of the one above the axis, which comes first.
    fn decompose(
        a: MatRef<Self>,
        w: &mut [C64],
        vectors: [MatMut<Self>; 2],
        stack: &mut MemStack,
    ) -> Result<(), Failed>;
    /// Element `(i, j)` of the vectors so written.
    fn element(v: &Columns<Self>, w: &[C64], i: usize, j: usize) -> C64;
}
impl Library for f64 {
    fn scratch(n: usize) -> StackReq {
        let (both, params) = (evd::ComputeEigenvectors::Yes, Spec::new(Auto::<f64>::auto()));
        let parts = temp_mat_scratch::<f64>(n, 1);
        StackReq::all_of(&[evd::evd_scratch::<f64>(n, both, both, Par::Seq, params), parts, parts])
    }
    fn decompose(
        a: MatRef<f64>,
        w: &mut [C64],
        [left, right]: [MatMut<f64>; 2],
        stack: &mut MemStack,
    ) -> Result<(), Failed> {
        let (mut re, stack) = temp_mat_zeroed::<f64, _, _>(w.len(), 1, stack);
        let (mut im, stack) = temp_mat_zeroed::<f64, _, _>(w.len(), 1, stack);
        let (mut re, mut im) = (re.as_mat_mut(), im.as_mat_mut());
        let (x, y) = (re.rb_mut().col_mut(0).as_diagonal_mut(), im.rb_mut().col_mut(0).as_diagonal_mut());
        let params = Spec::new(Auto::<f64>::auto());
        evd::evd_real(a, x, y, Some(left), Some(right), Par::Seq, stack, params).map_err(|_| Failed)?;
        w.iter_mut().enumerate().for_each(|(i, w)| *w = C64::new(re[(i, 0)], im[(i, 0)]));
        // Pairs, and nothing but pairs.
        let mut j = 0;
        while j < w.len() {
            j += match w[j].im {
                0.0 => 1,
                y if y > 0.0 && w.get(j + 1) == Some(&w[j].conj()) => 2,
                _ => return Err(Failed),
            };
        }
        Ok(())
    }
    fn element(v: &Columns<f64>, w: &[C64], i: usize, j: usize) -> C64 {
        match w[j].im {
            0.0 => C64::new(v[(i, j)], 0.0),
            y if y > 0.0 => C64::new(v[(i, j)], v[(i, j + 1)]),
            _ => C64::new(v[(i, j - 1)], -v[(i, j)]),
        }
    }
}
impl Library for C64 {
    fn scratch(n: usize) -> StackReq {
        let (both, params) = (evd::ComputeEigenvectors::Yes, Spec::new(Auto::<C64>::auto()));
        evd::evd_scratch::<C64>(n, both, both, Par::Seq, params).and(temp_mat_scratch::<C64>(n, 1))
    }
    fn decompose(
        a: MatRef<C64>,
        w: &mut [C64],
        [left, right]: [MatMut<C64>; 2],
        stack: &mut MemStack,
    ) -> Result<(), Failed> {
        let (mut values, stack) = temp_mat_zeroed::<C64, _, _>(w.len(), 1, stack);
        let mut values = values.as_mat_mut();
        let diag = values.rb_mut().col_mut(0).as_diagonal_mut();
        let params = Spec::new(Auto::<C64>::auto());
        evd::evd_cplx(a, diag, Some(left), Some(right), Par::Seq, stack, params).map_err(|_| Failed)?;
        w.iter_mut().enumerate().for_each(|(i, w)| *w = values[(i, 0)]);
        Ok(())
    }
    fn element(v: &Columns<C64>, _: &[C64], i: usize, j: usize) -> C64 {
        v[(i, j)]
    }
}

/// Memory for [`eigen`], and for the vectors that it makes.
pub(super) fn scratch<W: Library>(n: usize) -> StackReq {
    let square = Columns::<W>::scratch(n, n);
    StackReq::all_of(&[square, square, square, W::scratch(n).or(square)])
}
fn square<'a, W: Library>(x: &'a mut Columns<W>) -> MatMut<'a, W> {
    let n = x.order();
    MatMut::from_column_major_slice_mut(x.all(), n, n)
}
/// The values of `a`, and its left and right vectors as [`Library::decompose`] leaves them, each of a small residual.
pub(super) fn eigen<'a, W: Library>(
    a: &Columns<W>,
    w: &mut [C64],
    stack: &'a mut MemStack,
) -> Result<([Columns<'a, W>; 2], &'a mut MemStack), Failed> {
    let n = w.len();
    let (mut left, stack) = Columns::<W>::zeros(n, n, stack);
    let (mut right, stack) = Columns::<W>::zeros(n, n, stack);
    let elements = a.elements();
    let a = MatRef::from_column_major_slice(elements, n, n);
    W::decompose(a, w, [square(&mut left), square(&mut right)], stack)?;
    let sum: f64 = elements.iter().map(|x| x.parts()).map(|(x, y)| x * x + y * y).sum();
    let limit = RESIDUAL * f64::EPSILON * sum.sqrt();
    for (x, adjoint) in [(&left, true), (&right, false)] {
        let (mut product, _) = Columns::<W>::zeros(n, n, stack);
        let from = MatRef::from_column_major_slice(x.elements(), n, n);
        let to = square(&mut product);
        let one = W::of_parts(1.0, 0.0);
        match adjoint {
            true => matmul(to, Accum::Replace, a.adjoint(), from, one, Par::Seq),
            false => matmul(to, Accum::Replace, a, from, one, Par::Seq),
        }
        for (j, &value) in w.iter().enumerate() {
            let value = if adjoint { value.conj() } else { value };
            let (mut length, mut residual) = (0.0, 0.0);
            for i in 0..n {
                let e = W::element(x, w, i, j);
                let r = W::element(&product, w, i, j) - value * e;
                length += e.re * e.re + e.im * e.im;
                residual += r.re * r.re + r.im * r.im;
            }
            let fits = length.is_finite() && length > f64::MIN_POSITIVE && residual <= limit * limit * length;
            if !fits {
                return Err(Failed);
            }
        }
    }
    Ok(([left, right], stack))
}
