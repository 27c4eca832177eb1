//! Small products of complex matrices, and products with a vector, by the kernels of real ones: with real and imaginary parts of the
//! left factor as rows of their own, the products with the real parts and with the imaginary parts of the right factor are real products, and
//! each element of the result is a sum of one element of either. Conjugations are signs in these sums. Each part of the
//! result is two sums in the order of [`super::tile`], then their sum or difference.
//!
//! A matrix of which rows lie in one piece is one of real numbers with twice the columns: real parts of a product with a vector are its product
//! with `re, −im, re, −im, …` of the vector, imaginary parts that with `im, re, im, re, …`, in the order of [`super::vector`].
use super::Kernels;
use super::lanes::{Element, Lanes};
use super::run::{Shape, of_one};
use super::tile::Product;
use super::vector::{MatVec, by_rows};
use crate::copy::GRAIN;
use crate::machine::mem::{Ptr, with_scratch};
use crate::machine::pool::Pool;
use tfc_kernels::vmath::Isa;
use tfc_plan::space::Space;

/// Most rows, columns and terms of a sum: beyond, the library is about as fast.
const MOST: usize = 24;

/// A product of complex matrices; strides are in complex elements, sides exchanged so that the rows of the result are one
/// element apart.
#[derive(Debug)]
pub(crate) struct Complex<E: 'static> {
    table: &'static Kernels<E>,
    form: Form,
    swap: bool,
    mnk: [usize; 3],
    a: [isize; 2],
    b: [isize; 2],
    c: [isize; 2],
    signs: Signs<E>,
    /// Estimated nanoseconds of one product.
    work: u64,
}
/// What is multiplied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Two small matrices.
    Small,
    /// A matrix of which rows lie in one piece, and a vector.
    Rows,
    /// A matrix of which columns do, and a vector.
    Columns,
}
/// Signs of the real and the imaginary element that come from the products with the real parts, and of those that come
/// from the products with the imaginary parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signs<E> {
    direct: [E; 2],
    turned: [E; 2],
}
/// Two real products to be joined: each `rows` by `columns`, dense.
pub(crate) struct Parts<E> {
    pub(crate) real: *const E,
    pub(crate) imaginary: *const E,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Result and the stride of its columns, in real elements.
    pub(crate) c: (*mut E, isize),
    pub(crate) signs: Signs<E>,
}

impl<E: Element> Complex<E> {
    /// For an instruction set; `None` where the product is not small, or the strides of the result are no matrix's.
    pub(crate) fn choose(isa: Isa, s: &Shape, conj: [bool; 2]) -> Option<Complex<E>> {
        let z = 2 * size_of::<E>() as isize;
        let el = |x: [isize; 2]| x.map(|b| b / z);
        let ([mut m, mut n, k], [mut a, mut b, mut c]) = (s.mnk, [s.a, s.b, s.c].map(el));
        let mut conj = conj;
        let vector = m == 1 || n == 1;
        if vector {
            (a, b, c) = (of_one(a, [m, k]), of_one(b, [k, n]), of_one(c, [m, n]));
        }
        let swap = match vector {
            true => n != 1 || (m == 1 && a[1] != 1 && b[0] == 1),
            false => c[0] != 1 && c[1] == 1,
        };
        if swap {
            (m, n) = (n, m);
            (a, b, c) = ([b[1], b[0]], [a[1], a[0]], [c[1], c[0]]);
            conj.reverse();
        }
        let form = match vector {
            true if a[0] == 1 && m > 1 && c[0] == 1 => Form::Columns,
            true if a[1] == 1 => Form::Rows,
            false if c[0] == 1 && m > 1 && n > 1 && m.max(n).max(k) <= MOST => Form::Small,
            _ => return None,
        };
        if k == 0 || m == 0 || n == 0 {
            return None;
        }
        let one = |minus: bool| E::of(if minus { -1.0 } else { 1.0 });
        let signs = Signs { direct: [one(false), one(conj[0])], turned: [one(conj[0] == conj[1]), one(conj[1])] };
        let work = (m * n * k * size_of::<E>()) as u64 / 80 + 20;
        Some(Complex { table: E::kernels_of(isa), form, swap, mnk: [m, n, k], a, b, c, signs, work })
    }
    /// Multiplies.
    ///
    /// # Safety
    /// The matrices of every batch index are inside memory of the caller; results overlap neither each other nor a factor.
    /// `false`: there was no memory to work in, and nothing has been done.
    pub(crate) unsafe fn run(&self, batch: &Space, pool: &Pool, at: [Ptr; 3]) -> bool {
        let [m, n, k] = self.mnk;
        let count = batch.len();
        if self.form != Form::Small {
            // SAFETY: passed on.
            return unsafe { self.vectors(batch, pool, at) };
        }
        let group = ((1usize << 13) / self.work as usize).max(1);
        let failed = std::sync::atomic::AtomicBool::new(false);
        let bytes = (4 * m * n + 2 * m * k) * size_of::<E>();
        pool.run(count.div_ceil(group), self.work.saturating_mul(count as u64), |p| {
            let done = with_scratch(bytes, |mem| {
                for i in p * group..((p + 1) * group).min(count) {
                    // SAFETY: matrices of one batch index; the scratch memory holds both products and a copy.
                    unsafe { self.one([0, 1, 2].map(|x| at[x].at(batch.offset(x, i))), mem.0.cast()) };
                }
            });
            failed.fetch_or(done.is_err(), std::sync::atomic::Ordering::Relaxed);
        });
        !failed.into_inner()
    }
    /// Products of matrices and vectors, in pieces of whole rows.
    unsafe fn vectors(&self, batch: &Space, pool: &Pool, at: [Ptr; 3]) -> bool {
        let [m, _, k] = self.mnk;
        let each = match self.work * batch.len() as u64 {
            work if pool.shares(work) => (GRAIN / k).clamp(8, 4096).next_multiple_of(8),
            _ => m,
        };
        let (pieces, failed) = (m.div_ceil(each), std::sync::atomic::AtomicBool::new(false));
        let group = if pieces > 1 { 1 } else { ((1usize << 13) / self.work as usize).max(1) };
        let items = pieces * batch.len();
        let numbers = if self.form == Form::Rows { 4 * k } else { 4 * each };
        pool.run(items.div_ceil(group), self.work.saturating_mul(batch.len() as u64), |g| {
            let done = with_scratch(numbers * size_of::<E>(), |mem| {
                for i in g * group..((g + 1) * group).min(items) {
                    let lo = i % pieces * each;
                    let at = [0, 1, 2].map(|x| at[x].at(batch.offset(x, i / pieces)));
                    // SAFETY: rows of the matrix of one batch index; the scratch memory is this thread's.
                    unsafe { self.vector(at, lo..(lo + each).min(m), mem.0.cast()) };
                }
            });
            failed.fetch_or(done.is_err(), std::sync::atomic::Ordering::Relaxed);
        });
        !failed.into_inner()
    }
    /// Some rows of one product; `mem`: four numbers a column where rows lie in one piece, else four a row.
    unsafe fn vector(&self, [a, b, c]: [Ptr; 3], rows: std::ops::Range<usize>, mem: *mut E) {
        let ([m, _, k], (a, b)) = (self.mnk, if self.swap { (b, a) } else { (a, b) });
        let (a, b, c) = (a.0.cast_const().cast::<E>(), b.0.cast_const().cast::<E>(), c.0.cast::<E>());
        let (lo, len) = (rows.start as isize, rows.len());
        let (step, to) = (2 * self.b[0], c.wrapping_offset(2 * lo * self.c[0]));
        let a = a.wrapping_offset(2 * lo * self.a[0]);
        // SAFETY: elements of the caller's matrix, vector and result; the memory is as said.
        unsafe {
            if self.form == Form::Columns {
                let (real, imaginary) = (mem, mem.wrapping_add(2 * len));
                for (part, to) in [real, imaginary].into_iter().enumerate() {
                    let x = (b.wrapping_add(part), step);
                    let v =
                        MatVec { mk: [2 * len, k], total: 2 * m, a: (a, 2 * self.a[1]), x, y: (to, 1), more: false };
                    (self.table.columns)(&v);
                }
                let c = (to, 2 * len as isize);
                return (self.table.join)(&Parts { real, imaginary, rows: 2 * len, columns: 1, c, signs: self.signs });
            }
            let (real, imaginary) = (mem, mem.wrapping_add(2 * k));
            let ([re, im], [turned_re, turned_im]) = (self.signs.direct, self.signs.turned);
            for p in 0..k {
                let [x, y] = b.wrapping_offset(p as isize * step).cast::<[E; 2]>().read();
                real.add(2 * p).cast::<[E; 2]>().write([re.times(x), turned_re.times(y)]);
                imaginary.add(2 * p).cast::<[E; 2]>().write([turned_im.times(y), im.times(x)]);
            }
            let (x, y) = ((real.cast_const(), 1), (to, 2 * self.c[0]));
            let v = MatVec { mk: [len, 2 * k], total: m, a: (a, 2 * self.a[0]), x, y, more: false };
            by_rows(self.table.rows, &v, 2, [2 * k as isize, 1]);
        }
    }
    unsafe fn one(&self, [a, b, c]: [Ptr; 3], mem: *mut E) {
        let [m, n, k] = self.mnk;
        let (a, b) = if self.swap { (b, a) } else { (a, b) };
        let (a, b) = (a.0.cast_const().cast::<E>(), b.0.cast_const().cast::<E>());
        let (real, imaginary, copy) = (mem, mem.wrapping_add(2 * m * n), mem.wrapping_add(4 * m * n));
        let mut left = (a, 1, 2 * self.a[1]);
        // SAFETY: elements of the caller's matrices; two products of `2 m` by `n` and a copy of the left factor fit.
        unsafe {
            if self.a[0] != 1 {
                for p in 0..k {
                    for i in 0..m {
                        let from = a.wrapping_offset(2 * (i as isize * self.a[0] + p as isize * self.a[1]));
                        copy.add(2 * (p * m + i)).cast::<[E; 2]>().write(from.cast::<[E; 2]>().read());
                    }
                }
                left = (copy.cast_const(), 1, 2 * m as isize);
            }
            for (part, to) in [real, imaginary].into_iter().enumerate() {
                let right = (b.wrapping_add(part), 2 * self.b[0], 2 * self.b[1]);
                let g =
                    Product { mnk: [2 * m, n, k], a: left, b: right, c: (to, 2 * m as isize), then: None, taps: None };
                (self.table.direct)(&g);
            }
            let c = (c.0.cast::<E>(), 2 * self.c[1]);
            let (rows, columns) = if c.1 == 2 * m as isize { (2 * m * n, 1) } else { (2 * m, n) };
            (self.table.join)(&Parts { real, imaginary, rows, columns, c, signs: self.signs });
        }
    }
}
/// Joins two real products.
///
/// # Safety
/// The parts have their elements, and the result room for them.
#[inline(always)]
pub(crate) unsafe fn join<T: Lanes>(p: &Parts<T::E>) {
    let (mut direct, mut turned) = ([T::E::ZERO; 16], [T::E::ZERO; 16]);
    for i in 0..T::N {
        (direct[i], turned[i]) = (p.signs.direct[i % 2], p.signs.turned[i % 2]);
    }
    // SAFETY: the caller's parts; 16 lanes at most.
    unsafe {
        let (direct, turned) = (T::load(direct.as_ptr()), T::load(turned.as_ptr()));
        for j in 0..p.columns {
            let (x, y) = (p.real.add(j * p.rows), p.imaginary.add(j * p.rows));
            let c = p.c.0.wrapping_offset(j as isize * p.c.1);
            let mut i = 0;
            while i + T::N <= p.rows {
                let z = T::load(y.add(i)).pairs().fma(turned, T::load(x.add(i)).mul(direct));
                z.store(c.add(i));
                i += T::N;
            }
            if i < p.rows {
                let mask = T::mask(p.rows - i);
                let (x, y) = (T::load_mask(x.add(i), mask), T::load_mask(y.add(i), mask));
                y.pairs().fma(turned, x.mul(direct)).store_mask(c.add(i), mask);
            }
        }
    }
}
