//! QR by reflections, with LAPACK's signs (`geqr2`, `org2r`).
use super::grid::{Grid, failed, least, reflection, where_};
use super::{Group, Work};
use crate::linalg::real::Real;
use crate::vmath::v::V;

/// `linalg.qr`: the diagonal of `r` is not negative.
#[derive(Clone, Copy, Debug)]
pub(in crate::linalg) struct Qr;
/// `linalg.qr_factor`: packed as LAPACK packs it.
#[derive(Clone, Copy, Debug)]
pub(in crate::linalg) struct Packed;

/// Reflections in place: vectors below the diagonal, behind a 1 that is not written. A lane in which the squares of a column that is
/// not 0 lose bits is no longer `good`.
#[inline(always)]
fn factor<T: V>(a: &mut Grid<T>, [m, n]: [usize; 2], tau: &mut Grid<T>, good: &mut T)
where
    T::E: Real,
{
    let zero = T::c(0.0);
    for j in 0..m.min(n) {
        let (mut top, mut squares) = (zero, zero);
        for i in j + 1..m {
            let x = a[(i, j)];
            squares = x.fma(x, squares);
            top = x.abs().max(top);
        }
        let none = T::eq(top, zero);
        *good = good.and(where_::<T>(none).or(where_(T::lt(least(), squares))));
        let h = reflection(a[(j, j)], squares, none);
        a[(j, j)] = h.beta;
        tau[(j, 0)] = h.tau;
        for i in j + 1..m {
            a[(i, j)] = a[(i, j)].mul(h.f);
        }
        for l in j + 1..n {
            let mut s = a[(j, l)];
            for i in j + 1..m {
                s = a[(i, j)].fma(a[(i, l)], s);
            }
            let s = s.mul(h.tau);
            a[(j, l)] = a[(j, l)].sub(s);
            for i in j + 1..m {
                a[(i, l)] = a[(i, j)].fnma(s, a[(i, l)]);
            }
        }
    }
}
impl Work for Qr {
    const LIMIT: usize = 16;
    fn vectors(&self, m: usize, n: usize) -> usize {
        let k = m.min(n);
        m.saturating_mul(n).saturating_add(m.saturating_mul(k)).saturating_add(k)
    }
    #[inline(always)]
    unsafe fn run<T: V>(&self, g: &Group, memory: &mut [T]) -> u32
    where
        T::E: Real,
    {
        let ([a], [q, r]) = (g.ins, g.outs) else { return 0 };
        let [m, n] = a.dims;
        let (zero, k) = (T::c(0.0), m.min(n));
        let (mut x, rest) = Grid::<T>::new(m, n, memory);
        let (mut y, rest) = Grid::<T>::new(m, k, rest);
        let (mut tau, _) = Grid::<T>::new(k, 1, rest);
        // SAFETY: by contract.
        unsafe { x.pack(a, [m, n], false, g.count) };
        let mut good = T::bits(!0);
        let undo = x.scale(&mut good);
        factor(&mut x, [m, n], &mut tau, &mut good);
        for j in (0..k).rev() {
            let t = tau[(j, 0)];
            for l in j + 1..k {
                let mut s = zero;
                for i in j + 1..m {
                    s = x[(i, j)].fma(y[(i, l)], s);
                }
                let s = s.mul(t);
                y[(j, l)] = zero.sub(s);
                for i in j + 1..m {
                    y[(i, l)] = x[(i, j)].fnma(s, y[(i, l)]);
                }
            }
            y[(j, j)] = T::c(1.0).sub(t);
            for i in j + 1..m {
                y[(i, j)] = x[(i, j)].fnma(t, zero);
            }
        }
        for i in 0..k {
            let flip = T::sel(T::lt(x[(i, i)], zero), T::sign_bit(), T::bits(0));
            for j in 0..n {
                x[(i, j)] = if j < i { zero } else { x[(i, j)].mul(undo).xor(flip) };
            }
            for j in 0..m {
                y[(j, i)] = y[(j, i)].xor(flip);
            }
        }
        let bad = failed(good, g.count);
        // SAFETY: by contract.
        unsafe {
            y.unpack_all(q, g.count, bad);
            x.unpack_all(r, g.count, bad);
        }
        bad
    }
}
impl Work for Packed {
    const LIMIT: usize = 16;
    fn vectors(&self, m: usize, n: usize) -> usize {
        m.saturating_mul(n).saturating_add(m.min(n))
    }
    #[inline(always)]
    unsafe fn run<T: V>(&self, g: &Group, memory: &mut [T]) -> u32
    where
        T::E: Real,
    {
        let ([a], [qr, taus]) = (g.ins, g.outs) else { return 0 };
        let [m, n] = a.dims;
        let (mut x, rest) = Grid::<T>::new(m, n, memory);
        let (mut tau, _) = Grid::<T>::new(m.min(n), 1, rest);
        // SAFETY: by contract.
        unsafe { x.pack(a, [m, n], false, g.count) };
        let mut good = T::bits(!0);
        let undo = x.scale(&mut good);
        factor(&mut x, [m, n], &mut tau, &mut good);
        for j in 0..n {
            for i in 0..m.min(j + 1) {
                x[(i, j)] = x[(i, j)].mul(undo);
            }
        }
        let bad = failed(good, g.count);
        // SAFETY: by contract.
        unsafe {
            x.unpack_all(qr, g.count, bad);
            tau.unpack_all(taus, g.count, bad);
        }
        bad
    }
}
