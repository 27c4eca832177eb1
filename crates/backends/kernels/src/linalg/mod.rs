//! Factorisations of one matrix, shared by the engines: own ones of real matrices (`svd`, `qr`), of square ones that are not
//! Hermitian (`spectral`), those that others fail on (`jacobi`), many small real ones side by side (`lanes`), else faer's; run on the
//! calling thread, so that results do not depend on how many threads there are. Inputs are copied first, so that results do
//! not depend on their layout either.
//!
//! Own ones have the same bits on every instruction set. faer chooses vectors by what the machine has, whatever `TFC_CPU`
//! says: what it computes (`svd` and `qr` of complex matrices, `qr_pivoted`; `eigh`, `triangular_solve`, `lu_factor` and `cholesky` of
//! complex matrices and of those with more than 32 rows or columns; the core of an `svd` of 192 and more) has the same bits under every engine of one machine, and may be rounded otherwise on
//! a machine with other vectors.
//!
//! Signs and phases are fixed here: see the documentation of each op. Engines find a factorisation by its row ([`Factor::of`]).
mod cholesky;
mod columns;
mod eigh;
pub(crate) mod factor;
mod factorisation;
mod householder;
pub(crate) mod jacobi;
pub(crate) mod lanes;
mod lu;
mod matrix;
mod parts;
mod qr;
pub(crate) mod real;
pub(crate) mod spectral;
mod svd;
mod triangular;
mod tridiagonal;

use faer::traits::{ComplexField, RealField};
use tfc_ir::{C32, C64};

pub use factor::{ALL, Factor, MOST, OfRow, retries};
use factorisation::{Factorisation, Own};
use lanes::Block;
pub use lanes::Group;
use matrix::Entry;
pub use matrix::{Batch, In, LANES, Many, Out, Raw};

/// The iteration did not converge, or an element is a NaN or an infinity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed;

/// Element types that matrices are factored in.
trait Field: ComplexField<Real = Self::Part> + Entry {
    /// The type of the parts of a number.
    type Part: RealField + Entry;
    /// Complex numbers with such parts.
    type Whole: Field;
    /// The number of these parts; `im` counts for nothing where the type is real.
    fn of_parts(re: f64, im: f64) -> Self;
    /// The modulus.
    fn modulus(self) -> f64;
    /// The real part times `by`.
    fn part(self, by: f64) -> Self::Part;
    /// The number times `by`.
    fn scaled(self, by: f64) -> Self;
    /// The distance from 1 to the next number.
    const ULP: f64;
    /// The conjugate.
    fn conjugate(self) -> Self;
    /// The quotient, where neither squares nor products of numbers need be numbers.
    fn over(self, by: Self) -> Self;
    /// The product with a number of modulus 1, given by its parts.
    fn turned(self, re: f64, im: f64) -> Self;
    /// The parts of the number.
    fn parts(self) -> (f64, f64);
    /// The arithmetic mean, without overflow; of equal numbers, that number.
    fn mean(self, other: Self) -> Self;
    /// What a factorisation of these numbers has in place of the functions for all, if that is something else.
    fn own<F: Factorisation>() -> Option<Own> {
        None
    }
    /// What a factorisation of these numbers has for many small matrices at once, if anything.
    fn lanes<F: Factorisation>(_: &F) -> Option<Box<dyn Block>> {
        None
    }
}
macro_rules! real {
    ($($t:ty, $c:ty);*) => { $(impl Field for $t {
        type Part = $t;
        type Whole = $c;
        fn of_parts(re: f64, _: f64) -> $t { re as $t }
        fn modulus(self) -> f64 { f64::from(self).abs() }
        fn part(self, by: f64) -> $t { (f64::from(self) * by) as $t }
        fn scaled(self, by: f64) -> $t { self.part(by) }
        const ULP: f64 = <$t>::EPSILON as f64;
        fn conjugate(self) -> $t { self }
        fn over(self, by: $t) -> $t { self / by }
        fn turned(self, re: f64, _: f64) -> $t { if re < 0.0 { -self } else { self } }
        fn parts(self) -> (f64, f64) { (f64::from(self), 0.0) }
        fn mean(self, other: $t) -> $t { if self == other { self } else { self * 0.5 + other * 0.5 } }
        fn own<F: Factorisation>() -> Option<Own> { F::own::<$t>() }
        fn lanes<F: Factorisation>(f: &F) -> Option<Box<dyn Block>> { f.lanes::<$t>() }
    })* };
}
macro_rules! complex {
    ($($c:ty, $t:ty);*) => { $(impl Field for $c {
        type Part = $t;
        type Whole = $c;
        fn of_parts(re: f64, im: f64) -> $c { <$c>::new(re as $t, im as $t) }
        fn modulus(self) -> f64 { f64::from(self.re).hypot(f64::from(self.im)) }
        fn part(self, by: f64) -> $t { self.re.part(by) }
        fn scaled(self, by: f64) -> $c { <$c>::new(self.re.part(by), self.im.part(by)) }
        const ULP: f64 = <$t>::EPSILON as f64;
        fn conjugate(self) -> $c { self.conj() }
        // Smith, Communications of the ACM 5 (1962).
        fn over(self, by: $c) -> $c {
            let ((a, b), (c, d)) = (self.parts(), by.parts());
            let (re, im) = if c.abs() >= d.abs() {
                let r = d / c;
                let t = c + d * r;
                ((a + b * r) / t, (b - a * r) / t)
            } else {
                let r = c / d;
                let t = c * r + d;
                ((a * r + b) / t, (b * r - a) / t)
            };
            <$c>::of_parts(re, im)
        }
        fn turned(self, re: f64, im: f64) -> $c {
            let (x, y) = self.parts();
            <$c>::new((x * re - y * im) as $t, (x * im + y * re) as $t)
        }
        fn parts(self) -> (f64, f64) { (f64::from(self.re), f64::from(self.im)) }
        fn mean(self, other: $c) -> $c { if self == other { self } else { self * 0.5 + other * 0.5 } }
    })* };
}
real!(f32, C32; f64, C64);
complex!(C32, f32; C64, f64);
