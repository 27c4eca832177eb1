//! What CUDA's libraries do, as this crate asks for it: one call a routine, on matrices in the memory of the device, first axis
//! fastest. Calls follow everything started before on the device; what follows them waits for them.
use tfc_ir::{DType, Result};

use crate::device::Ptr;

/// An operand of a product: `rows × cols` as it enters the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrix {
    /// The first element of the matrix.
    pub at: Ptr,
    /// Elements from column to column; from row to row where it lies transposed.
    pub ld: usize,
    /// Whether the matrix lies transposed: elements of a row follow each other.
    pub transposed: bool,
    /// Whether the conjugate of the matrix enters the product; only where the matrix lies transposed.
    pub conj: bool,
    /// Elements from one matrix of a batch to the next.
    pub step: isize,
}
/// What is added to a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// A matrix that lies as the result does, apart from it.
    Matrix(Matrix),
    /// A vector, the same for each column and each of a batch, its elements one after the other, from an address that is a multiple
    /// of 16. Only of `f32`.
    Column(Ptr),
}
/// A sum with a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plus {
    /// What is added.
    pub what: Added,
    /// The product is subtracted.
    pub minus_product: bool,
    /// What is added is subtracted instead; not a vector.
    pub minus_added: bool,
}
/// `c = a · b`, or the sum of that and something else, for each of a batch; `a` is `m × k`, `b` is `k × n`, and `c` does not lie
/// transposed (cuBLASLt's `cublasLtMatmul`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Product {
    /// The element type: `f32`, `f64`, `c32`, `c64`.
    pub dtype: DType,
    /// Rows of the result, its columns, and what is summed over; none is 0.
    pub mnk: [usize; 3],
    /// How many products.
    pub batch: usize,
    /// `a`.
    pub a: Matrix,
    /// `b`.
    pub b: Matrix,
    /// `c`.
    pub c: Matrix,
    /// What is added before `c` is written, of real numbers: rounded as if the product had been written first.
    pub plus: Option<Plus>,
    /// Numbers may be rounded to 10 bits before they are multiplied.
    pub tf32: bool,
}
/// `op(a) · x = b`, or `x · op(a) = b`, where `x` takes the place of `b` (cuBLAS's `trsm`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Substitution {
    /// The element type.
    pub dtype: DType,
    /// `a` stands on the left.
    pub left: bool,
    /// Whether the lower triangle of `a` is read.
    pub lower: bool,
    /// `op` is the transpose.
    pub transpose: bool,
    /// `op` conjugates, too.
    pub conj: bool,
    /// The diagonal of `a` is 1.
    pub unit: bool,
    /// Rows and columns of `b`.
    pub mn: [usize; 2],
    /// `a`, and elements from column to column.
    pub a: (Ptr, usize),
    /// `b`, and elements from column to column.
    pub b: (Ptr, usize),
}
/// A routine of cuSOLVER that works on the matrix `a` in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routine {
    /// `potrf`: the lower factor of Cholesky; above the diagonal stays what is there.
    Cholesky {
        /// Rows.
        n: usize,
    },
    /// `getrf`: LU with partial pivoting.
    Lu {
        /// Rows.
        m: usize,
        /// Columns.
        n: usize,
        /// `i64`, from 1: the row with which each row was exchanged in turn.
        pivots: Ptr,
    },
    /// `geqrf`: QR by reflections.
    Qr {
        /// Rows.
        m: usize,
        /// Columns.
        n: usize,
        /// Their factors.
        tau: Ptr,
    },
    /// `orgqr`, `ungqr`: the first `n` columns of the product of `k` reflections.
    Reflections {
        /// Rows.
        m: usize,
        /// Columns.
        n: usize,
        /// How many.
        k: usize,
        /// Their factors.
        tau: Ptr,
    },
    /// `syevd`, `heevd`: eigenvalues, ascending, and vectors in place of the matrix, of which the lower triangle is read.
    Eigen {
        /// Rows.
        n: usize,
        /// The values: real.
        values: Ptr,
    },
    /// `syevBatched`, `heevBatched`: the same for matrices one after the other, whose values and words are, too.
    Eigens {
        /// Rows of each.
        n: usize,
        /// The values: real.
        values: Ptr,
        /// How many.
        count: usize,
    },
    /// `geev` without vectors: complex eigenvalues, a pair of conjugate ones side by side. The matrix is lost.
    General {
        /// Rows.
        n: usize,
        /// The values: complex.
        values: Ptr,
    },
    /// `gesvdj`: singular values by Jacobi's method, with as many vectors as values; `m >= n`. The matrix is lost.
    Jacobi {
        /// Rows.
        m: usize,
        /// Columns.
        n: usize,
        /// The values, descending: real.
        s: Ptr,
        /// `m × n`.
        u: Ptr,
        /// `n × n`: vectors are columns.
        v: Ptr,
    },
    /// `gesvd` with as many vectors as values; `m >= n`. The matrix is lost.
    Svd {
        /// Rows.
        m: usize,
        /// Columns.
        n: usize,
        /// The values, descending: real.
        s: Ptr,
        /// `m × n`.
        u: Ptr,
        /// `n × n`.
        vt: Ptr,
    },
}
impl Routine {
    /// The function that a library has to have, where not every one has it.
    pub fn symbol(&self) -> Option<&'static str> {
        match self {
            Routine::Eigens { .. } => Some("cusolverDnXsyevBatched"),
            Routine::General { .. } => Some("cusolverDnXgeev"),
            Routine::Jacobi { .. } => Some("cusolverDnDgesvdj"),
            _ => None,
        }
    }
    /// Matrices that one call is about.
    pub fn matrices(&self) -> usize {
        if let Routine::Eigens { count, .. } = self { *count } else { 1 }
    }
}
/// A call of a routine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Which.
    pub routine: Routine,
    /// The element type.
    pub dtype: DType,
    /// The matrix, elements of a column one after the other, columns one after the other.
    pub a: Ptr,
    /// An `i32` for each matrix that says how it went: 0 is well.
    pub info: Ptr,
}
/// Lines that are transformed together (cuFFT's `cufftPlanMany`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Lines {
    /// Real numbers to half a spectrum and back, or complex ones to complex ones.
    pub kind: LineKind,
    /// In double precision.
    pub double: bool,
    /// Numbers of a line, of the real side.
    pub n: usize,
    /// Elements from one number to the next and from line to line, of what is read.
    pub from: [usize; 2],
    /// Extents of what is written.
    pub to: [usize; 2],
    /// How many lines.
    pub count: usize,
}
/// What a transform reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LineKind {
    /// Complex to complex, with `exp(−2πi…)`.
    Forward,
    /// Complex to complex, with `exp(+2πi…)`.
    Inverse,
    /// Real to the first half of the spectrum.
    Real,
    /// The first half of a spectrum to real numbers; `exp(+2πi…)`.
    InverseReal,
}
/// CUDA's libraries. Nothing is scaled; nothing is checked but what is documented: dimensions are not 0 and fit an `i32`.
pub trait Libraries: Send + Sync {
    /// Rows or columns of matrices from which on they are left to it.
    fn least_matrix(&self) -> usize;
    /// Numbers of lines from which on they are left to it.
    fn least_line(&self) -> usize;
    /// Multiplications of products from which on they are left to it.
    fn least_product(&self) -> usize;
    /// A product; whether it has an algorithm for it. If not, nothing has been started.
    ///
    /// # Errors
    /// `E1306` the library is not there; `E1303` what it says.
    fn product(&self, p: &Product) -> Result<bool>;
    /// A triangular system.
    ///
    /// # Errors
    /// The same.
    fn substitution(&self, s: &Substitution) -> Result<()>;
    /// A factorisation.
    ///
    /// # Errors
    /// The same.
    fn solver(&self, c: &Call) -> Result<()>;
    /// Has the library that routine? Older ones lack some.
    ///
    /// # Errors
    /// `E1306` the library is not there.
    fn has(&self, r: &Routine) -> Result<bool>;
    /// Fourier transforms of lines, from one place to another.
    ///
    /// # Errors
    /// The same.
    fn transform(&self, l: &Lines, from: Ptr, to: Ptr) -> Result<()>;
}
