//! Contractions that [`crate::dot`] has no kernels for: larger complex matrices by faer's GEMM, whose bits do not depend on its
//! degree of parallelism; matrix times vector by own loops, because faer's do depend on it; integers of 64 bits and `bool` by
//! own loops; the others where strides fit no kernel or the machine has no fused multiply-add.
//!
//! Own loops cut the work by sizes alone, and each result element is summed in one fixed order.
use faer::linalg::matmul::matmul_with_conj;
use faer::{Accum, Conj, MatMut, MatRef};
use tfc_ir::{C32, C64, DType};

use crate::copy::GRAIN;
use crate::machine::mem::Ptr;
use crate::machine::pool::Pool;
use tfc_plan::space::Space;

/// A strided matrix: address, and byte strides of rows and columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mat {
    /// Element `[0, 0]`.
    pub(crate) ptr: Ptr,
    /// Bytes from a row to the next.
    pub(crate) row: isize,
    /// Bytes from a column to the next.
    pub(crate) col: isize,
}
impl Mat {
    fn t(self) -> Mat {
        Mat { ptr: self.ptr, row: self.col, col: self.row }
    }
    fn at(self, bytes: isize) -> Mat {
        Mat { ptr: self.ptr.at(bytes), ..self }
    }
}
/// `out[m, n] = lhs[m, k] · rhs[k, n]`, for each of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gemm<'a> {
    /// Element type of all three.
    pub(crate) dtype: DType,
    /// Extents `m`, `n`, `k`.
    pub(crate) mnk: [usize; 3],
    /// Left factor.
    pub(crate) lhs: Mat,
    /// Whether the first factor is conjugated.
    pub(crate) conj_lhs: bool,
    /// Right factor.
    pub(crate) rhs: Mat,
    /// Whether the second factor is conjugated.
    pub(crate) conj_rhs: bool,
    /// Result.
    pub(crate) out: Mat,
    /// Batch loops; operands are `lhs rhs out`.
    pub(crate) batch: &'a Space,
}

trait Num: Copy + Send + Sync {
    const ZERO: Self;
    fn mul_add(self, b: Self, acc: Self) -> Self;
    fn add(self, b: Self) -> Self;
    fn conj_if(self, c: bool) -> Self;
    /// The library's GEMM, where it has one for this type.
    unsafe fn library(_g: &Gemm, _a: Mat, _b: Mat, _c: Mat, _pool: &Pool) -> bool {
        false
    }
}
macro_rules! float {
    ($($t:ty, $zero:expr, $one:expr, |$x:ident| $conj:expr;)*) => { $(impl Num for $t {
        const ZERO: $t = $zero;
        #[inline(always)]
        fn mul_add(self, b: $t, acc: $t) -> $t { acc + self * b }
        #[inline(always)]
        fn add(self, b: $t) -> $t { self + b }
        #[inline(always)]
        fn conj_if(self, c: bool) -> $t { let $x = self; if c { $conj } else { $x } }
        unsafe fn library(g: &Gemm, a: Mat, b: Mat, c: Mat, pool: &Pool) -> bool {
            let [m, n, k] = g.mnk;
            let z = size_of::<$t>() as isize;
            let conj = |c| if c { Conj::Yes } else { Conj::No };
            let work = (m as u64).saturating_mul(n as u64).saturating_mul(k as u64).saturating_mul(size_of::<$t>() as u64) / 512;
            pool.library(work, move |par| {
                let (a, b, c) = (&a, &b, &c);
                // SAFETY: the caller's matrices cover these extents; the result overlaps neither factor.
                unsafe {
                    let a = MatRef::from_raw_parts(a.ptr.0.cast_const().cast::<$t>(), m, k, a.row / z, a.col / z);
                    let b = MatRef::from_raw_parts(b.ptr.0.cast_const().cast::<$t>(), k, n, b.row / z, b.col / z);
                    let c = MatMut::from_raw_parts_mut(c.ptr.0.cast::<$t>(), m, n, c.row / z, c.col / z);
                    matmul_with_conj(c, Accum::Replace, a, conj(g.conj_lhs), b, conj(g.conj_rhs), $one, par);
                }
            });
            true
        }
    })* };
}
float! {
    f32, 0.0, 1.0, |x| x;
    f64, 0.0, 1.0, |x| x;
    C32, C32::new(0.0, 0.0), C32::new(1.0, 0.0), |x| x.conj();
    C64, C64::new(0.0, 0.0), C64::new(1.0, 0.0), |x| x.conj();
}
macro_rules! int {
    ($($t:ty)*) => { $(impl Num for $t {
        const ZERO: $t = 0;
        #[inline(always)]
        fn mul_add(self, b: $t, acc: $t) -> $t { acc.wrapping_add(self.wrapping_mul(b)) }
        #[inline(always)]
        fn add(self, b: $t) -> $t { self.wrapping_add(b) }
        #[inline(always)]
        fn conj_if(self, _: bool) -> $t { self }
    })* };
}
int!(i32 i64 u32 u64);
impl Num for bool {
    const ZERO: bool = false;
    #[inline(always)]
    fn mul_add(self, b: bool, acc: bool) -> bool {
        acc | (self & b)
    }
    #[inline(always)]
    fn add(self, b: bool) -> bool {
        self | b
    }
    #[inline(always)]
    fn conj_if(self, _: bool) -> bool {
        self
    }
}

/// Runs a batch of products.
///
/// # Safety
/// The matrices and batch strides stay inside memory of the caller with elements of `g.dtype`; results are disjoint from
/// each other and from the factors.
pub(crate) unsafe fn gemm(pool: &Pool, g: &Gemm) {
    // SAFETY: passed on.
    unsafe {
        match g.dtype {
            DType::F32 => batched::<f32>(pool, g),
            DType::F64 => batched::<f64>(pool, g),
            DType::C32 => batched::<C32>(pool, g),
            DType::C64 => batched::<C64>(pool, g),
            DType::I32 => batched::<i32>(pool, g),
            DType::I64 => batched::<i64>(pool, g),
            DType::U32 => batched::<u32>(pool, g),
            DType::U64 => batched::<u64>(pool, g),
            _ => batched::<bool>(pool, g),
        }
    }
}
unsafe fn batched<T: Num>(pool: &Pool, g: &Gemm) {
    let [m, n, k] = g.mnk;
    let (count, each) = (g.batch.len(), (m * n) as u64 * k.max(1) as u64);
    if m == 0 || n == 0 || count == 0 {
        return;
    }
    let one = |i: usize, pool: &Pool| {
        let (a, b, c) =
            (g.lhs.at(g.batch.offset(0, i)), g.rhs.at(g.batch.offset(1, i)), g.out.at(g.batch.offset(2, i)));
        // SAFETY: matrices of one batch index, inside the caller's memory.
        unsafe { single::<T>(pool, g, a, b, c) }
    };
    if count == 1 {
        one(0, pool);
    } else if each >= 1 << 24 {
        (0..count).for_each(|i| one(i, pool));
    } else {
        let group = ((1usize << 16) / each as usize).max(1);
        let quiet = Pool::new(1);
        pool.run(count.div_ceil(group), each * count as u64 / 8, |p| {
            (p * group..((p + 1) * group).min(count)).for_each(|i| one(i, &quiet));
        });
    }
}
unsafe fn single<T: Num>(pool: &Pool, g: &Gemm, a: Mat, b: Mat, c: Mat) {
    let [m, n, k] = g.mnk;
    // SAFETY: passed on; a product with a vector is one on transposed matrices.
    unsafe {
        if k == 0 {
            for j in 0..n as isize {
                for i in 0..m as isize {
                    c.ptr.at(i * c.row + j * c.col).0.cast::<T>().write(T::ZERO);
                }
            }
        } else if n == 1 {
            matvec::<T>(pool, m, k, a, g.conj_lhs, Vector(b.ptr, b.row), g.conj_rhs, Vector(c.ptr, c.row));
        } else if m == 1 {
            matvec::<T>(pool, n, k, b.t(), g.conj_rhs, Vector(a.ptr, a.col), g.conj_lhs, Vector(c.ptr, c.col));
        } else if !T::library(g, a, b, c, pool) {
            pool.run(n, (m * n) as u64 * k as u64, |j| {
                let (b, c) = (b.at(j as isize * b.col), c.at(j as isize * c.col));
                // SAFETY: columns of the result are disjoint.
                matvec::<T>(&Pool::new(1), m, k, a, false, Vector(b.ptr, b.row), false, Vector(c.ptr, c.row));
            });
        }
    }
}

/// A strided vector: address and bytes from an element to the next.
#[derive(Clone, Copy)]
struct Vector(Ptr, isize);
impl Vector {
    #[inline(always)]
    unsafe fn get<T: Num>(self, i: usize, conj: bool) -> T {
        // SAFETY: the caller's index is inside the vector.
        unsafe { self.0.at(i as isize * self.1).0.cast::<T>().read().conj_if(conj) }
    }
}

/// Rows of one panel of a matrix–vector product.
const PANEL: usize = 512;

/// `y = A x`, by panels of rows. A row's sum depends on the layout of `A` and on `k` only.
unsafe fn matvec<T: Num>(pool: &Pool, m: usize, k: usize, a: Mat, ca: bool, x: Vector, cx: bool, y: Vector) {
    let z = size_of::<T>() as isize;
    let work = m as u64 * k as u64 * size_of::<T>() as u64 / 16;
    let by_column = a.row.unsigned_abs() <= a.col.unsigned_abs() && m > 1;
    if by_column {
        pool.run(m.div_ceil(PANEL), work, |p| {
            let (lo, n) = (p * PANEL, PANEL.min(m - p * PANEL));
            let mut acc = [T::ZERO; PANEL];
            // SAFETY: rows `lo..lo + n` of the matrix and the result.
            unsafe {
                for j in 0..k {
                    let s = x.get::<T>(j, cx);
                    let col = a.ptr.at(j as isize * a.col + lo as isize * a.row);
                    if a.row == z && !ca {
                        let v = std::slice::from_raw_parts(col.0.cast_const().cast::<T>(), n);
                        acc[..n].iter_mut().zip(v).for_each(|(t, &e)| *t = e.mul_add(s, *t));
                    } else {
                        acc[..n].iter_mut().enumerate().for_each(|(i, t)| {
                            *t = Vector(col, a.row).get::<T>(i, ca).mul_add(s, *t);
                        });
                    }
                }
                for (i, &t) in acc[..n].iter().enumerate() {
                    y.0.at((lo + i) as isize * y.1).0.cast::<T>().write(t);
                }
            }
        });
    } else {
        let group = (GRAIN / k).clamp(1, PANEL);
        pool.run(m.div_ceil(group), work, |p| {
            for i in p * group..((p + 1) * group).min(m) {
                // SAFETY: row `i` of the matrix and the result.
                unsafe {
                    let row = Vector(a.ptr.at(i as isize * a.row), a.col);
                    let r = dot::<T>(k, row, ca, x, cx, z);
                    y.0.at(i as isize * y.1).0.cast::<T>().write(r);
                }
            }
        });
    }
}
/// Sum of products with a fixed number of partial sums.
unsafe fn dot<T: Num>(k: usize, a: Vector, ca: bool, x: Vector, cx: bool, z: isize) -> T {
    const LANES: usize = 16;
    let mut acc = [T::ZERO; LANES];
    let whole = k / LANES * LANES;
    // SAFETY: both vectors have `k` elements.
    unsafe {
        if a.1 == z && x.1 == z && !ca && !cx {
            let a = std::slice::from_raw_parts(a.0.0.cast_const().cast::<T>(), whole);
            let x = std::slice::from_raw_parts(x.0.0.cast_const().cast::<T>(), whole);
            for (a, x) in a.chunks_exact(LANES).zip(x.chunks_exact(LANES)) {
                for l in 0..LANES {
                    acc[l] = a[l].mul_add(x[l], acc[l]);
                }
            }
        } else {
            for i in (0..whole).step_by(LANES) {
                for (l, t) in acc.iter_mut().enumerate() {
                    *t = a.get::<T>(i + l, ca).mul_add(x.get(i + l, cx), *t);
                }
            }
        }
        for i in whole..k {
            acc[i - whole] = a.get::<T>(i, ca).mul_add(x.get(i, cx), acc[i - whole]);
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            acc[l] = acc[l].add(acc[l + half]);
        }
        half /= 2;
    }
    acc[0]
}
