//! Singular values and vectors by turning columns until all are orthogonal (Hestenes, 1958; Golub and Van Loan, §8.6.3), in rounds
//! of pairs that have no column in common. Small values have the relative accuracy that the columns give them (Demmel and
//! Veselić, SIAM J. Matrix Anal. 13, 1992).
use super::eigh::insert;
use super::grid::{Grid, any, failed, gauge, where_, write};
use super::{Group, SMALL, Work};
use crate::linalg::real::Real;
use crate::vmath::v::V;

/// `linalg.svd`.
#[derive(Clone, Copy, Debug)]
pub(in crate::linalg) struct Svd;
/// Sweeps over all pairs; six to eight are usual.
const SWEEPS: usize = 24;

/// Turns columns `p` and `q` of `x`, and of `v`, where they are not orthogonal; gives the lanes that it did so in.
#[inline(always)]
fn turn<T: V>(x: &mut Grid<T>, v: &mut Grid<T>, p: usize, q: usize, tolerance: T) -> T
where
    T::E: Real,
{
    let (zero, one) = (T::c(0.0), T::c(1.0));
    let (xp, xq) = x.two(p, q);
    let (mut alpha, mut beta, mut gamma) = (zero, zero, zero);
    for (x, y) in xp.iter().zip(&*xq) {
        alpha = x.fma(*x, alpha);
        beta = y.fma(*y, beta);
        gamma = x.fma(*y, gamma);
    }
    let much = T::lt(alpha.mul(beta).sqrt().mul(tolerance), gamma.abs());
    if !T::any(much) {
        return T::bits(0);
    }
    let zeta = beta.sub(alpha).div(gamma.add(gamma));
    let t = one.or(zeta.sign()).div(zeta.abs().add(zeta.fma(zeta, one).sqrt()));
    let t = T::sel(much, t, zero);
    let c = one.div(t.fma(t, one).sqrt());
    let s = c.mul(t);
    for (x, y) in xp.iter_mut().zip(xq) {
        let (a, b) = (*x, *y);
        *x = s.fnma(b, c.mul(a));
        *y = s.fma(a, c.mul(b));
    }
    let (vp, vq) = v.two(p, q);
    for (x, y) in vp.iter_mut().zip(vq) {
        let (a, b) = (*x, *y);
        *x = s.fnma(b, c.mul(a));
        *y = s.fma(a, c.mul(b));
    }
    where_(much)
}
impl Work for Svd {
    // Sweeps cost more than a reduction to bidiagonal form, the more the larger.
    const LIMIT: usize = 16;
    fn vectors(&self, m: usize, n: usize) -> usize {
        let (m, n) = (m.max(n), m.min(n));
        n.saturating_mul(m.saturating_add(n).saturating_add(1))
    }
    #[inline(always)]
    unsafe fn run<T: V>(&self, g: &Group, memory: &mut [T]) -> u32
    where
        T::E: Real,
    {
        let ([a], [u, s, vt]) = (g.ins, g.outs) else { return 0 };
        let mut a = *a;
        let wide = a.dims[0] < a.dims[1];
        if wide {
            a.dims.swap(0, 1);
            a.strides.swap(0, 1);
        }
        let [m, n] = a.dims;
        let (mut x, rest) = Grid::<T>::new(m, n, memory);
        let (mut v, rest) = Grid::<T>::new(n, n, rest);
        let (mut d, _) = Grid::<T>::new(n, 1, rest);
        // SAFETY: by contract.
        unsafe { x.pack(&a, [m, n], false, g.count) };
        let mut good = T::bits(!0);
        let undo = x.scale(&mut good);
        for j in 0..n {
            v[(j, j)] = T::c(1.0);
        }
        // Rounding of a product of columns leaves about this.
        let root = (m as f64).sqrt();
        let tolerance = T::pick(f64::from(f32::EPSILON) * root, f64::EPSILON * root);
        // As in a tournament: in each round all columns meet another one, that of the last number stays where it is.
        let (even, mut turned) = (n.next_multiple_of(2), T::bits(0));
        for _ in 0..SWEEPS {
            turned = T::bits(0);
            for round in 0..even - 1 {
                for k in 0..even / 2 {
                    let i = if k == 0 { even - 1 } else { (round + k) % (even - 1) };
                    let j = (round + even - 1 - k) % (even - 1);
                    if i.max(j) < n {
                        turned = turned.or(turn(&mut x, &mut v, i.min(j), i.max(j), tolerance));
                    }
                }
            }
            if !any(turned) {
                break;
            }
        }
        good = good.and(T::bits(!0).xor(turned));
        for j in 0..n {
            let mut squares = T::c(0.0);
            for i in 0..m {
                squares = x[(i, j)].fma(x[(i, j)], squares);
            }
            // Columns below this are lost in their squares, or are 0.
            good = good.and(where_(T::lt(T::pick(1e-18, 1e-130), squares))).and(where_(squares.below_inf()));
            let size = squares.sqrt();
            d[(j, 0)] = size.mul(undo);
            let by = T::c(1.0).div(size);
            for i in 0..m {
                x[(i, j)] = x[(i, j)].mul(by);
            }
            let sign = if wide { gauge(&v, n, j) } else { gauge(&x, m, j) };
            for i in 0..m {
                // Others' rotations have turned some −0 to 0.
                x[(i, j)] = x[(i, j)].xor(sign).add(T::c(0.0));
            }
            for i in 0..n {
                v[(i, j)] = v[(i, j)].xor(sign).add(T::c(0.0));
            }
        }
        let bad = failed(good, g.count);
        for lane in 0..g.count {
            if bad >> lane & 1 == 1 {
                continue;
            }
            let mut order = [0; SMALL];
            for j in 0..n {
                insert(&mut order, j, &d, lane, true);
            }
            for to in 0..n {
                let from = order[to];
                // SAFETY: by contract.
                unsafe {
                    write(s, lane, [to, 0], d.at(from, 0, lane));
                    let column = u.first[lane].wrapping_offset(to as isize * u.strides[1]);
                    let row = vt.first[lane].wrapping_offset(to as isize * vt.strides[0]);
                    if wide {
                        x.unpack_column(from, m, lane, row, vt.strides[1]);
                        v.unpack_column(from, n, lane, column, u.strides[0]);
                    } else {
                        x.unpack_column(from, m, lane, column, u.strides[0]);
                        v.unpack_column(from, n, lane, row, vt.strides[1]);
                    }
                }
            }
        }
        bad
    }
}
