//! Factorisations of one matrix, shared by the engines: own ones of real matrices (`svd`, `qr`), else faer's; run on the
//! calling thread, so that results do not depend on how many threads there are. Inputs are copied first, so that results do
//! not depend on their layout either.
//!
//! Own ones have the same bits on every instruction set. faer chooses vectors by what the machine has, whatever `TFC_CPU`
//! says: what it computes (complex matrices, `eigh`, `qr_pivoted`, `triangular_solve`, the core of an `svd` of 192 and more)
//! has the same bits under every engine of one machine, and may be rounded otherwise on a machine with other vectors.
//!
//! Signs and phases are fixed here: see the documentation of each op.
mod factor;
mod real;

use faer::dyn_stack::{MemStack, StackReq};
use faer::traits::{ComplexField, RealField};
use faer::{MatMut, MatRef};
use real::Real;
use tfc_ir::ops::linalg::Triangular;
use tfc_ir::{C32, C64, Element, Error};

/// The iteration did not converge, or an element is a NaN or an infinity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed;

/// Element types that matrices are factored in.
pub trait Field: ComplexField<Real = Self::Part> + Element {
    /// Of the parts of a number.
    type Part: RealField + Element;
    /// The modulus.
    fn modulus(self) -> f64;
    /// The real part times `by`.
    fn part(self, by: f64) -> Self::Part;
    /// The number times `by`.
    fn scaled(self, by: f64) -> Self;
    /// Squares of numbers between these neither overflow nor lose bits.
    const RANGE: (f64, f64);
    /// The conjugate.
    fn conjugate(self) -> Self;
    /// The product with a number of modulus 1, given by its parts.
    fn turned(self, re: f64, im: f64) -> Self;
    /// Its parts.
    fn parts(self) -> (f64, f64);
    /// The arithmetic mean, without overflow; of equal numbers, that number.
    fn mean(self, other: Self) -> Self;
    /// A NaN.
    fn nan() -> Self;
    /// A real NaN.
    fn part_nan() -> Self::Part;
    /// The factorisations for this type.
    fn functions() -> &'static Functions<Self>;
    /// Own functions for this type, if there are any.
    fn own() -> Option<&'static Own<Self>> {
        None
    }
}
/// What is computed of matrices of one type: compiled in this crate, not where it is called.
pub struct Functions<T: Field> {
    svd_scratch: fn(usize, usize) -> StackReq,
    svd: Factor<T>,
    qr_scratch: fn(usize, usize) -> StackReq,
    qr: fn(MatRef<T>, MatMut<T>, MatMut<T>, Option<MatMut<i64>>, &mut MemStack) -> Result<(), Failed>,
    eigh_scratch: fn(usize) -> StackReq,
    eigh: fn(MatRef<T>, MatMut<T::Part>, MatMut<T>, bool, &mut MemStack) -> Result<(), Failed>,
    triangular_solve: fn(MatRef<T>, MatRef<T>, MatMut<T>, Triangular),
}
type Factor<T> = fn(MatRef<T>, MatMut<T>, MatMut<<T as Field>::Part>, MatMut<T>, &mut MemStack) -> Result<(), Failed>;
macro_rules! functions {
    ($t:ty) => {
        fn functions() -> &'static Functions<$t> {
            static ALL: Functions<$t> = Functions {
                svd_scratch: factor::svd_scratch::<$t>,
                svd: factor::svd,
                qr_scratch: factor::qr_scratch::<$t>,
                qr: factor::qr,
                eigh_scratch: factor::eigh_scratch::<$t>,
                eigh: factor::eigh,
                triangular_solve: factor::triangular_solve,
            };
            &ALL
        }
    };
}
/// Functions that replace the library's.
pub struct Own<T: Field> {
    svd_scratch: fn(usize, usize) -> StackReq,
    svd: Factor<T>,
    qr_scratch: fn(usize, usize) -> StackReq,
    qr: fn(MatRef<T>, MatMut<T>, MatMut<T>, &mut MemStack) -> Result<(), Failed>,
}
macro_rules! real {
    ($($t:ty),*) => { $(impl Field for $t {
        type Part = $t;
        functions!($t);
        fn modulus(self) -> f64 { f64::from(self).abs() }
        fn part(self, by: f64) -> $t { (f64::from(self) * by) as $t }
        fn scaled(self, by: f64) -> $t { self.part(by) }
        const RANGE: (f64, f64) = if size_of::<$t>() == 4 { (1e-12, 1e12) } else { (1e-100, 1e100) };
        fn conjugate(self) -> $t { self }
        fn turned(self, re: f64, _: f64) -> $t { if re < 0.0 { -self } else { self } }
        fn parts(self) -> (f64, f64) { (f64::from(self), 0.0) }
        fn mean(self, other: $t) -> $t { if self == other { self } else { self * 0.5 + other * 0.5 } }
        fn nan() -> $t { <$t>::NAN }
        fn part_nan() -> $t { <$t>::NAN }
        fn own() -> Option<&'static Own<$t>> {
            static OWN: Own<$t> = Own {
                svd_scratch: |m, n| real::svd::scratch::<$t>(m, n, true, true),
                svd: |a, u, s, vt, stack| real::svd::thin(<$t>::kernels(), a, u, s, vt, stack),
                qr_scratch: real::qr::scratch::<$t>,
                qr: |a, q, r, stack| real::qr::thin(<$t>::kernels(), a, q, r, stack),
            };
            Some(&OWN)
        }
    })* };
}
macro_rules! complex {
    ($($c:ty, $t:ty);*) => { $(impl Field for $c {
        type Part = $t;
        functions!($c);
        fn modulus(self) -> f64 { f64::from(self.re).hypot(f64::from(self.im)) }
        fn part(self, by: f64) -> $t { self.re.part(by) }
        fn scaled(self, by: f64) -> $c { <$c>::new(self.re.part(by), self.im.part(by)) }
        const RANGE: (f64, f64) = <$t as Field>::RANGE;
        fn conjugate(self) -> $c { self.conj() }
        fn turned(self, re: f64, im: f64) -> $c {
            let (x, y) = self.parts();
            <$c>::new((x * re - y * im) as $t, (x * im + y * re) as $t)
        }
        fn parts(self) -> (f64, f64) { (f64::from(self.re), f64::from(self.im)) }
        fn mean(self, other: $c) -> $c { if self == other { self } else { self * 0.5 + other * 0.5 } }
        fn nan() -> $c { <$c>::new(<$t>::NAN, <$t>::NAN) }
        fn part_nan() -> $t { <$t>::NAN }
    })* };
}
real!(f32, f64);
complex!(C32, f32; C64, f64);

/// `a = u · diag(s) · vt`: `u` is `m × k`, `s` is `k × 1`, `vt` is `k × n`; values descend; the entry of largest modulus in
/// each column of `u` is real and positive.
///
/// # Errors
/// [`Failed`].
pub fn svd<T: Field>(
    a: MatRef<T>,
    u: MatMut<T>,
    s: MatMut<T::Part>,
    vt: MatMut<T>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    (T::functions().svd)(a, u, s, vt, stack)
}
/// `a = q · r` (`a[:, p] = q · r` where `p`, of one column, is given): `q` is `m × k`, `r` is `k × n`, its diagonal real and not
/// negative.
///
/// # Errors
/// [`Failed`].
pub fn qr<T: Field>(
    a: MatRef<T>,
    q: MatMut<T>,
    r: MatMut<T>,
    p: Option<MatMut<i64>>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    (T::functions().qr)(a, q, r, p, stack)
}
/// Eigenvalues `w` (`n × 1`) and vectors of the Hermitian part of `a`, ascending or by descending modulus.
///
/// # Errors
/// [`Failed`].
pub fn eigh<T: Field>(
    a: MatRef<T>,
    w: MatMut<T::Part>,
    v: MatMut<T>,
    by_modulus: bool,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    (T::functions().eigh)(a, w, v, by_modulus, stack)
}
/// Solves `op(a) · x = b` or `x · op(a) = b`.
pub fn triangular_solve<T: Field>(a: MatRef<T>, b: MatRef<T>, x: MatMut<T>, t: Triangular) {
    (T::functions().triangular_solve)(a, b, x, t)
}

/// What is computed of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// [`svd`].
    Svd,
    /// [`qr`].
    Qr,
    /// [`qr`] with pivoting.
    QrPivoted,
    /// [`eigh`]; by modulus?
    Eigh(bool),
    /// [`triangular_solve`].
    Triangular(Triangular),
}
impl Kind {
    /// The name of the op.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Svd => "linalg.svd",
            Kind::Qr => "linalg.qr",
            Kind::QrPivoted => "linalg.qr_pivoted",
            Kind::Eigh(_) => "linalg.eigh",
            Kind::Triangular(_) => "linalg.triangular_solve",
        }
    }
    /// Memory that it needs for an `m × n` matrix; none where that is empty.
    pub fn scratch<T: Field>(self, m: usize, n: usize) -> StackReq {
        if m == 0 || n == 0 {
            return StackReq::EMPTY;
        }
        match self {
            Kind::Svd => (T::functions().svd_scratch)(m, n),
            Kind::Qr | Kind::QrPivoted => (T::functions().qr_scratch)(m, n),
            Kind::Eigh(_) => (T::functions().eigh_scratch)(n),
            Kind::Triangular(_) => StackReq::EMPTY,
        }
    }
    /// Its error at one matrix, which `at` names in a batch.
    pub fn failed(self, at: Option<&[usize]>) -> Error {
        let which = at.filter(|at| !at.is_empty()).map_or(String::new(), |at| format!(" at {at:?} of the batch"));
        Error::new(
            "E0740",
            format!("the matrix{which} holds a NaN or an infinity, or `{}` did not converge", self.name()),
        )
        .help("`on_fail = nan` gives NaN instead; `check` the operand with `is_finite` to find out where it comes from")
    }
}
