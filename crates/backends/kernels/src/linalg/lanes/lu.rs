//! LU with partial pivoting, right-looking (Golub and Van Loan, §3.4): each lane exchanges rows of its own.
use super::grid::{Grid, failed, where_, write};
use super::{Group, SMALL, Work};
use crate::linalg::real::Real;
use crate::vmath::v::V;
use tfc_ir::ops::linalg::SMALL_SOLVE as LARGEST;

/// `linalg.lu_factor`.
#[derive(Clone, Copy, Debug)]
pub(in crate::linalg) struct Lu;
impl Work for Lu {
    const LIMIT: usize = 24;
    fn vectors(&self, m: usize, n: usize) -> usize {
        m.saturating_mul(n).saturating_add(m.min(n))
    }
    #[inline(always)]
    unsafe fn run<T: V>(&self, g: &Group, memory: &mut [T]) -> u32
    where
        T::E: Real,
    {
        let ([a], [lu, pivots, p]) = (g.ins, g.outs) else { return 0 };
        let [m, n] = a.dims;
        let k = m.min(n);
        let (mut x, rest) = Grid::<T>::new(m, n, memory);
        let (mut rows, _) = Grid::<T>::new(k, 1, rest);
        // SAFETY: by contract.
        unsafe { x.pack(a, [m, n], false, g.count) };
        let good = eliminate(&mut x, [m, n], n, rows.all());
        let bad = failed(good, g.count);
        // SAFETY: by contract.
        unsafe { x.unpack_all(lu, g.count, bad) };
        for lane in 0..g.count {
            if bad >> lane & 1 == 1 {
                continue;
            }
            let mut from = [0i64; SMALL];
            for i in 0..m {
                from[i] = i as i64;
            }
            // SAFETY: by contract.
            unsafe {
                for i in 0..k {
                    let at = rows.at(i, 0, lane).wide() as usize;
                    from.swap(i, at);
                    write(pivots, lane, [i, 0], at as i64);
                }
                for i in 0..m {
                    write(p, lane, [i, 0], from[i]);
                }
            }
        }
        bad
    }
}
/// Brings the left `m × n` part of `all` columns to factors, in place, and does to the others what is done to rows on the way: those
/// become `l⁻¹ b[p, :]`. Writes with which row each was exchanged; gives the lanes, as bits, where there are such factors.
#[inline(always)]
fn eliminate<T: V>(x: &mut Grid<T>, [m, n]: [usize; 2], all: usize, rows: &mut [T]) -> T
where
    T::E: Real,
{
    let zero = T::c(0.0);
    let mut good = T::bits(!0);
    for (s, row) in rows.iter_mut().enumerate() {
        let (mut top, mut at) = (x[(s, s)].abs(), T::c(s as f64));
        for i in s + 1..m {
            let y = x[(i, s)].abs();
            let more = T::lt(top, y);
            at = T::sel(more, T::c(i as f64), at);
            top = T::sel(more, y, top);
        }
        *row = at;
        good = good.and(where_(T::lt(zero, top)));
        for i in s + 1..m {
            let here = T::eq(at, T::c(i as f64));
            if !T::any(here) {
                continue;
            }
            for j in 0..all {
                let (y, z) = (x[(s, j)], x[(i, j)]);
                x[(s, j)] = T::sel(here, z, y);
                x[(i, j)] = T::sel(here, y, z);
            }
        }
        // As LAPACK: one quotient a column. Of a pivot so small that this overflows, the lane is reported.
        let by = T::c(1.0).div(x[(s, s)]);
        for i in s + 1..m {
            x[(i, s)] = x[(i, s)].mul(by);
        }
        for j in s + 1..all {
            let y = x[(s, j)];
            for i in s + 1..m {
                x[(i, j)] = x[(i, s)].fnma(y, x[(i, j)]);
            }
        }
    }
    let mut sum = zero;
    for &x in &x.all()[..m * n] {
        sum = x.fma(zero, sum);
    }
    good.and(where_(T::eq(sum, zero)))
}

/// `linalg.solve`: elimination of matrix and right-hand sides together, then substitution.
#[derive(Clone, Copy, Debug)]
pub(in crate::linalg) struct Solve;
impl Work for Solve {
    const LIMIT: usize = LARGEST[0];
    fn vectors(&self, n: usize, _: usize) -> usize {
        n.saturating_mul(n.saturating_add(LARGEST[1]).saturating_add(1))
    }
    #[inline(always)]
    unsafe fn run<T: V>(&self, g: &Group, memory: &mut [T]) -> u32
    where
        T::E: Real,
    {
        let ([a, b], [out]) = (g.ins, g.outs) else { return 0 };
        let (n, sides) = (a.dims[0], b.dims[1]);
        if sides > LARGEST[1] {
            return !0;
        }
        let (mut left, rest) = Grid::<T>::new(n, n, memory);
        let (mut right, _) = Grid::<T>::new(n, sides, rest);
        // SAFETY: by contract.
        unsafe {
            left.pack(a, [n, n], false, g.count);
            right.pack(b, [n, sides], false, g.count);
        }
        let (mut x, rest) = Grid::<T>::new(n, n + sides, memory);
        let good = eliminate(&mut x, [n, n], n + sides, &mut rest[..n]);
        for j in n..n + sides {
            for i in (0..n).rev() {
                let mut s = x[(i, j)];
                for k in (i + 1..n).rev() {
                    s = x[(i, k)].fnma(x[(k, j)], s);
                }
                x[(i, j)] = s.div(x[(i, i)]);
            }
        }
        let bad = failed(good, g.count);
        for lane in 0..g.count {
            for j in (0..sides).filter(|_| bad >> lane & 1 == 0) {
                let column = out.first[lane].wrapping_offset(j as isize * out.strides[1]);
                // SAFETY: by contract.
                unsafe { x.unpack_column(n + j, n, lane, column, out.strides[0]) };
            }
        }
        bad
    }
}
