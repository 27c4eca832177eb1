//! Matrices side by side: element `(i, j)` of all of them is one vector.
use super::{LANES, Many};
use crate::linalg::real::Real;
use crate::vmath::v::V;
use std::ops::{Index, IndexMut};

/// Matrices of `m` rows, column after column.
pub(super) struct Grid<'a, T> {
    data: &'a mut [T],
    m: usize,
}
impl<T> Index<(usize, usize)> for Grid<'_, T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[i + j * self.m]
    }
}
impl<T> IndexMut<(usize, usize)> for Grid<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[i + j * self.m]
    }
}
impl<'a, T: V> Grid<'a, T>
where
    T::E: Real,
{
    /// A grid of `m × n` elements, and the memory behind it.
    #[inline(always)]
    pub(super) fn new(m: usize, n: usize, memory: &'a mut [T]) -> (Grid<'a, T>, &'a mut [T]) {
        let (data, rest) = memory.split_at_mut(m * n);
        (Grid { data, m }, rest)
    }
    /// Columns `p` and `q`, to write.
    #[inline(always)]
    pub(super) fn two(&mut self, p: usize, q: usize) -> (&mut [T], &mut [T]) {
        let (lo, hi) = if p < q { (p, q) } else { (q, p) };
        let (head, tail) = self.data.split_at_mut(hi * self.m);
        let (x, y) = (&mut head[lo * self.m..lo * self.m + self.m], &mut tail[..self.m]);
        if p < q { (x, y) } else { (y, x) }
    }
    /// All elements.
    #[inline(always)]
    pub(super) fn all(&mut self) -> &mut [T] {
        self.data
    }
    /// Element `(i, j)` of lane `l`.
    #[inline(always)]
    pub(super) fn at(&self, i: usize, j: usize, l: usize) -> T::E {
        let all: &T = &self.data[i + j * self.m];
        debug_assert!(l < T::N, "a lane");
        // SAFETY: a vector is its `N` elements.
        unsafe { std::ptr::from_ref(all).cast::<T::E>().add(l).read() }
    }
    /// The address of element `(i, j)` of lane `l`, where lanes of an element are [`V::N`] apart.
    #[inline(always)]
    fn lane(&mut self, i: usize, j: usize, l: usize) -> *mut T::E {
        debug_assert!(l < T::N, "a lane");
        std::ptr::from_mut(&mut self.data[i + j * self.m]).cast::<T::E>().wrapping_add(l)
    }
    /// Reads `m × n` elements of `count` matrices, from the diagonal down where `lower`; other lanes hold the identity.
    ///
    /// # Safety
    /// The matrices have these elements.
    #[inline(always)]
    pub(super) unsafe fn pack(&mut self, from: &Many, [m, n]: [usize; 2], lower: bool, count: usize) {
        let [row, col] = from.strides;
        // Where the elements of a column lie side by side, squares of them are read at once, and turned.
        let squares = if row == size_of::<T::E>() as isize && count >= T::N { m / T::N } else { 0 };
        for j in 0..if squares > 0 { n } else { 0 } {
            for s in 0..squares {
                let (at, rows) = (s * T::N, j * self.m + s * T::N);
                if lower && at + T::N <= j {
                    continue;
                }
                let Some(square) = self.data.get_mut(rows..rows + T::N) else { continue };
                for (x, first) in square.iter_mut().zip(&from.first) {
                    // SAFETY: by contract; rows from `at` on, of which there are `N`.
                    *x = unsafe { T::load(first.wrapping_offset(at as isize * row + j as isize * col).cast()) };
                }
                T::turn(square);
                let above = if lower { j.saturating_sub(at) } else { 0 };
                square.iter_mut().take(above).for_each(|x| *x = T::c(0.0));
            }
        }
        let done = squares * T::N;
        for (l, &first) in from.first.iter().enumerate().take(count.min(T::N)) {
            for j in 0..n {
                let top = if lower { j.max(done) } else { done };
                if top < m {
                    let mut x = first.wrapping_offset(top as isize * row + j as isize * col);
                    let mut y = self.lane(m - 1, j, l).wrapping_sub((m - 1 - top) * T::N);
                    for _ in top..m {
                        // SAFETY: by contract; elements of column `j` of this grid, of which the last is one.
                        unsafe { y.write(x.cast::<T::E>().read()) };
                        (x, y) = (x.wrapping_offset(row), y.wrapping_add(T::N));
                    }
                }
            }
        }
        for l in count..T::N {
            for j in 0..n {
                for i in 0..m {
                    // SAFETY: an element of this grid.
                    unsafe { self.lane(i, j, l).write(if i == j { T::E::ONE } else { T::E::ZERO }) };
                }
            }
        }
    }
    /// Writes the first `m` elements of column `j` of lane `l` from `to` on, so many bytes apart.
    ///
    /// # Safety
    /// There is room for them.
    #[inline(always)]
    pub(super) unsafe fn unpack_column(&self, j: usize, m: usize, l: usize, to: *mut u8, step: isize) {
        debug_assert!(l < T::N, "a lane");
        let column = &self.data[j * self.m..j * self.m + m];
        let (mut x, mut y) = (column.as_ptr().cast::<T::E>().wrapping_add(l), to);
        for _ in 0..m {
            // SAFETY: elements of the column, and by contract.
            unsafe { y.cast::<T::E>().write(x.read()) };
            (x, y) = (x.wrapping_add(T::N), y.wrapping_offset(step));
        }
    }
    /// Writes the upper left part of each lane below `count` that is not among the `bad` (as bits) to its matrix.
    ///
    /// # Safety
    /// They have as many elements as `to` says.
    #[inline(always)]
    pub(super) unsafe fn unpack_all(&self, to: &Many, count: usize, bad: u32) {
        let ([m, n], [row, col]) = (to.dims, to.strides);
        let whole = row == size_of::<T::E>() as isize && count >= T::N && bad == 0;
        let squares = if whole { m / T::N } else { 0 };
        let mut square = [T::c(0.0); LANES];
        for j in 0..if squares > 0 { n } else { 0 } {
            for s in 0..squares {
                let (at, rows) = (s * T::N, j * self.m + s * T::N);
                let (Some(from), Some(square)) = (self.data.get(rows..rows + T::N), square.get_mut(..T::N)) else {
                    continue;
                };
                square.copy_from_slice(from);
                T::turn(square);
                for (x, first) in square.iter().zip(&to.first) {
                    // SAFETY: by contract; rows from `at` on, of which there are `N`.
                    unsafe { x.store(first.wrapping_offset(at as isize * row + j as isize * col).cast()) };
                }
            }
        }
        let done = squares * T::N;
        for l in (0..count).filter(|l| bad >> l & 1 == 0) {
            for j in 0..if done < m { n } else { 0 } {
                for i in done..m {
                    // SAFETY: an element of the matrix, by contract.
                    unsafe { write(to, l, [i, j], self.at(i, j, l)) };
                }
            }
        }
    }
    /// Brings the largest element of each lane to a number from 1 to 2 by a power of 2, and gives what undoes it. Lanes with elements
    /// that are not finite, or with no normal number, are no longer `good`, and become 0.
    #[inline(always)]
    pub(super) fn scale(&mut self, good: &mut T) -> T {
        let (zero, one) = (T::c(0.0), T::c(1.0));
        let (mut top, mut bad) = (zero, zero);
        for &x in &*self.data {
            top = x.abs().max(top);
            bad = x.fma(zero, bad);
        }
        // In the exponent's field: of numbers 2ᵉ, whose reciprocals are those with the field `2 · bias` less.
        let (field, twice) = if T::DBL { (0x7ff0_0000_0000_0000, 2046 << 52) } else { (0x7f80_0000, 254 << 23) };
        let power = top.and(T::bits(field));
        let inverse = T::bits(twice).isub(power);
        let nothing = T::eq(top, zero);
        let (undo, by) = (T::sel(nothing, one, power), T::sel(nothing, one, inverse));
        // Neither is 0: the largest element is neither subnormal nor of the last power.
        *good = good.and(where_(T::lt(zero, undo))).and(where_(T::lt(zero, by))).and(where_(T::eq(bad, zero)));
        let by = by.and(*good);
        for x in &mut *self.data {
            *x = (*x).and(*good).mul(by);
        }
        undo
    }
}
/// Writes element `(i, j)` of matrix `l`.
///
/// # Safety
/// There is one.
#[inline(always)]
pub(super) unsafe fn write<E>(to: &Many, l: usize, [i, j]: [usize; 2], x: E) {
    let [row, col] = to.strides;
    // SAFETY: by contract.
    unsafe { to.first[l].offset(i as isize * row + j as isize * col).cast::<E>().write(x) }
}
/// All bits, where it holds.
#[inline(always)]
pub(super) fn where_<T: V>(m: T::Mask) -> T {
    T::sel(m, T::bits(!0), T::bits(0))
}
/// Whether a lane has its bits.
#[inline(always)]
pub(super) fn any<T: V>(bits: T) -> bool {
    T::any(bits.odd())
}
/// The lanes below `count`, as bits, that are not good.
#[inline(always)]
pub(super) fn failed<T: V>(good: T, count: usize) -> u32
where
    T::E: Real,
{
    let mut lanes = [T::E::ZERO; LANES];
    // SAFETY: a vector has at most so many lanes.
    unsafe { good.store(lanes.as_mut_ptr()) };
    let mut out = 0;
    for (l, x) in lanes.iter().enumerate().take(count.min(T::N)) {
        out |= u32::from(x.raw() == 0) << l;
    }
    out
}
/// The sign by which the leading entry of column `j` becomes positive: the first within a thousandth of the largest.
#[inline(always)]
pub(super) fn gauge<T: V>(x: &Grid<T>, m: usize, j: usize) -> T
where
    T::E: Real,
{
    let mut top = T::c(0.0);
    for i in 0..m {
        top = x[(i, j)].abs().max(top);
    }
    let near = top.mul(T::c(tfc_ir::ops::linalg::LEADING));
    let mut sign = T::bits(0);
    for i in (0..m).rev() {
        sign = T::sel(T::lt(x[(i, j)].abs(), near), sign, x[(i, j)].sign());
    }
    sign
}
/// A reflection `H = 1 − tau v vᵀ` with `H x = beta e₁`, `v = (1, f tail)`, of `x = (alpha, tail)`: LAPACK's `larfg`.
pub(super) struct Reflection<T> {
    pub(super) tau: T,
    pub(super) beta: T,
    pub(super) f: T,
}
/// The reflection of a leading element and the squares of those behind it; `none`: where there is nothing behind it.
#[inline(always)]
pub(super) fn reflection<T: V>(alpha: T, squares: T, none: T::Mask) -> Reflection<T> {
    let (zero, one) = (T::c(0.0), T::c(1.0));
    let root = alpha.fma(alpha, squares).sqrt();
    let beta = root.xor(alpha.sign()).xor(T::sign_bit());
    let tau = beta.sub(alpha).div(beta);
    let f = one.div(alpha.sub(beta));
    Reflection { tau: T::sel(none, zero, tau), beta: T::sel(none, alpha, beta), f: T::sel(none, zero, f) }
}
/// Sums of squares below this have lost bits.
#[inline(always)]
pub(super) fn least<T: V>() -> T {
    // The smallest normal number over the square of the unit of rounding.
    T::pick(3.3e-24, 1.8e-276)
}
