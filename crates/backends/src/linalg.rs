//! Factorisations of one matrix, shared by the engines: faer's, run on the calling thread, so that results do not depend
//! on how many threads there are. Inputs are copied first, so that results do not depend on their layout either.
//!
//! Signs and phases are fixed here: see the documentation of each op.
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::svd::{self, ComputeSvdVectors};
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::traits::{ComplexField, RealField};
use faer::{Auto, MatMut, MatRef, Par, Spec};
use tfc_ir::{C32, C64, Element, Error};

/// The iteration did not converge, or an element is a NaN or an infinity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failed;

/// Element types that matrices are factored in.
pub(crate) trait Field: ComplexField<Real = Self::Part> + Element {
    /// Of the parts of a number.
    type Part: RealField + Element;
    /// The modulus.
    fn modulus(self) -> f64;
    /// The real part.
    fn part(self) -> Self::Part;
    /// The conjugate.
    fn conjugate(self) -> Self;
    /// The product with a number of modulus 1, given by its parts.
    fn turned(self, re: f64, im: f64) -> Self;
    /// Its parts.
    fn parts(self) -> (f64, f64);
    /// A NaN.
    fn nan() -> Self;
    /// A real NaN.
    fn part_nan() -> Self::Part;
}
macro_rules! real {
    ($($t:ty),*) => { $(impl Field for $t {
        type Part = $t;
        fn modulus(self) -> f64 { f64::from(self).abs() }
        fn part(self) -> $t { self }
        fn conjugate(self) -> $t { self }
        fn turned(self, re: f64, _: f64) -> $t { if re < 0.0 { -self } else { self } }
        fn parts(self) -> (f64, f64) { (f64::from(self), 0.0) }
        fn nan() -> $t { <$t>::NAN }
        fn part_nan() -> $t { <$t>::NAN }
    })* };
}
macro_rules! complex {
    ($($c:ty, $t:ty);*) => { $(impl Field for $c {
        type Part = $t;
        fn modulus(self) -> f64 { f64::from(self.re).hypot(f64::from(self.im)) }
        fn part(self) -> $t { self.re }
        fn conjugate(self) -> $c { self.conj() }
        fn turned(self, re: f64, im: f64) -> $c {
            let (x, y) = self.parts();
            <$c>::new((x * re - y * im) as $t, (x * im + y * re) as $t)
        }
        fn parts(self) -> (f64, f64) { (f64::from(self.re), f64::from(self.im)) }
        fn nan() -> $c { <$c>::new(<$t>::NAN, <$t>::NAN) }
        fn part_nan() -> $t { <$t>::NAN }
    })* };
}
real!(f32, f64);
complex!(C32, f32; C64, f64);

/// Is every element finite?
fn finite<T: Field>(a: MatRef<T>) -> bool {
    (0..a.ncols()).all(|j| {
        (0..a.nrows()).all(|i| {
            let (x, y) = a[(i, j)].parts();
            x.is_finite() && y.is_finite()
        })
    })
}
/// The factor of modulus 1 that makes the entry of largest modulus in column `j` real and positive: the first that is
/// within a thousandth of the largest, so that rounding does not choose between equal ones. `None`: it is so already.
fn phase<T: Field>(u: MatRef<T>, j: usize) -> Option<(f64, f64)> {
    let top = (0..u.nrows()).fold(0.0f64, |t, i| t.max(u[(i, j)].modulus()));
    let i = (0..u.nrows()).find(|&i| u[(i, j)].modulus() >= 0.999 * top)?;
    let (re, im) = u[(i, j)].parts();
    let size = u[(i, j)].modulus();
    if size == 0.0 || (im == 0.0 && re > 0.0) { None } else { Some((re / size, -im / size)) }
}
fn turn_column<T: Field>(mut u: MatMut<T>, j: usize, (re, im): (f64, f64)) {
    for i in 0..u.nrows() {
        u[(i, j)] = u[(i, j)].turned(re, im);
    }
}

fn svd_params<T: Field>() -> Spec<svd::SvdParams, T> {
    Spec::new(Auto::<T>::auto())
}
/// Memory that [`svd`] needs.
pub(crate) fn svd_scratch<T: Field>(m: usize, n: usize) -> StackReq {
    let k = m.min(n);
    let thin = ComputeSvdVectors::Thin;
    StackReq::all_of(&[
        temp_mat_scratch::<T>(m, n),
        temp_mat_scratch::<T>(m, k),
        temp_mat_scratch::<T>(n, k),
        temp_mat_scratch::<T>(k, 1),
        svd::svd_scratch::<T>(m, n, thin, thin, Par::Seq, svd_params::<T>()),
    ])
}
/// `a = u · diag(s) · vt`: `u` is `m × k`, `s` is `k × 1`, `vt` is `k × n`; values descend; the entry of largest modulus in
/// each column of `u` is real and positive.
pub(crate) fn svd<T: Field>(
    a: MatRef<T>,
    mut u: MatMut<T>,
    mut s: MatMut<T::Part>,
    mut vt: MatMut<T>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let (m, n) = a.shape();
    let k = m.min(n);
    if !finite(a) {
        return Err(Failed);
    }
    if k == 0 {
        return Ok(());
    }
    let (mut copy, stack) = temp_mat_zeroed::<T, _, _>(m, n, stack);
    let mut copy = copy.as_mat_mut();
    copy.copy_from(a);
    let (mut left, stack) = temp_mat_zeroed::<T, _, _>(m, k, stack);
    let mut left = left.as_mat_mut();
    let (mut v, stack) = temp_mat_zeroed::<T, _, _>(n, k, stack);
    let mut v = v.as_mat_mut();
    let (mut values, stack) = temp_mat_zeroed::<T, _, _>(k, 1, stack);
    let mut values = values.as_mat_mut();
    let diag: DiagMut<T> = values.rb_mut().col_mut(0).as_diagonal_mut();
    svd::svd(copy.rb(), diag, Some(left.rb_mut()), Some(v.rb_mut()), Par::Seq, stack, svd_params::<T>())
        .map_err(|_| Failed)?;
    for j in 0..k {
        if let Some(p) = phase(left.rb(), j) {
            turn_column(left.rb_mut(), j, p);
            turn_column(v.rb_mut(), j, p);
        }
        s[(j, 0)] = values[(j, 0)].part();
        for i in 0..m {
            u[(i, j)] = left[(i, j)];
        }
        for i in 0..n {
            vt[(j, i)] = v[(i, j)].conjugate();
        }
    }
    Ok(())
}

/// What is computed of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// [`svd`].
    Svd,
}
impl Kind {
    /// The name of the op.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Svd => "linalg.svd",
        }
    }
    /// Memory that it needs for an `m × n` matrix.
    pub(crate) fn scratch<T: Field>(self, m: usize, n: usize) -> StackReq {
        match self {
            Kind::Svd => svd_scratch::<T>(m, n),
        }
    }
    /// Its error at one matrix, which `at` names in a batch.
    pub(crate) fn failed(self, at: Option<&[usize]>) -> Error {
        let which = at.filter(|at| !at.is_empty()).map_or(String::new(), |at| format!(" of the matrix at {at:?}"));
        Error::new(
            "E0740",
            format!("`{}`{which} failed: it holds a NaN or an infinity, or did not converge", self.name()),
        )
        .help("`on_fail = nan` gives NaN instead; `check` the operand with `is_finite` to find out where it comes from")
    }
}
