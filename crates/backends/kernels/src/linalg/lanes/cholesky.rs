//! The Cholesky factor, column by column (Golub and Van Loan, Matrix Computations, §4.2).
use super::grid::{Grid, failed, where_};
use super::{Group, Work};
use crate::linalg::real::Real;
use crate::vmath::v::V;

/// `linalg.cholesky`: of the lower triangles.
#[derive(Clone, Copy, Debug)]
pub(in crate::linalg) struct Cholesky;
impl Work for Cholesky {
    const LIMIT: usize = 24;
    fn vectors(&self, _: usize, n: usize) -> usize {
        n.saturating_mul(n)
    }
    #[inline(always)]
    unsafe fn run<T: V>(&self, g: &Group, memory: &mut [T]) -> u32
    where
        T::E: Real,
    {
        let ([a], [out]) = (g.ins, g.outs) else { return 0 };
        let n = a.dims[0];
        let (mut l, _) = Grid::<T>::new(n, n, memory);
        // SAFETY: by contract.
        unsafe { l.pack(a, [n, n], true, g.count) };
        let mut good = T::bits(!0);
        for j in 0..n {
            let mut d = l[(j, j)];
            for k in 0..j {
                d = l[(j, k)].fnma(l[(j, k)], d);
            }
            // What is not finite in row `j` makes this so.
            good = good.and(where_(T::lt(T::c(0.0), d))).and(where_(d.below_inf()));
            let d = d.sqrt();
            l[(j, j)] = d;
            // As LAPACK: one quotient a column.
            let by = T::c(1.0).div(d);
            for i in j + 1..n {
                let mut x = l[(i, j)];
                for k in 0..j {
                    x = l[(i, k)].fnma(l[(j, k)], x);
                }
                l[(i, j)] = x.mul(by);
            }
        }
        let bad = failed(good, g.count);
        // SAFETY: by contract.
        unsafe { l.unpack_all(out, g.count, bad) };
        bad
    }
}
