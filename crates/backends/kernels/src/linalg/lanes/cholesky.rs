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
        let good = match n {
            2 => fixed::<2, T>(l.all()),
            3 => fixed::<3, T>(l.all()),
            4 => fixed::<4, T>(l.all()),
            5 => fixed::<5, T>(l.all()),
            6 => fixed::<6, T>(l.all()),
            7 => fixed::<7, T>(l.all()),
            8 => fixed::<8, T>(l.all()),
            _ => factor(l.all(), n),
        };
        let bad = failed(good, g.count);
        // SAFETY: by contract.
        unsafe { l.unpack_all(out, g.count, bad) };
        bad
    }
}
/// Column `j` of the factors of `n × n` elements, column after column, of which the lower triangles are read; where it succeeded.
#[inline(always)]
fn column<T: V>(l: &mut [T], j: usize, n: usize) -> T
where
    T::E: Real,
{
    let mut d = l[j + j * n];
    for k in 0..j {
        d = l[j + k * n].fnma(l[j + k * n], d);
    }
    // What is not finite in row `j` makes this so.
    let good = where_::<T>(T::lt(T::c(0.0), d)).and(where_(d.below_inf()));
    let d = d.sqrt();
    l[j + j * n] = d;
    // As LAPACK: one quotient a column.
    let by = T::c(1.0).div(d);
    for i in j + 1..n {
        let mut x = l[i + j * n];
        for k in 0..j {
            x = l[i + k * n].fnma(l[j + k * n], x);
        }
        l[i + j * n] = x.mul(by);
    }
    good
}
/// All columns.
#[inline(always)]
fn factor<T: V>(l: &mut [T], n: usize) -> T
where
    T::E: Real,
{
    let mut good = T::bits(!0);
    for j in 0..n {
        good = good.and(column(l, j, n));
    }
    good
}
/// The same of an extent that is known to the compiler, which then writes no loops: `N` is 8 or less.
#[inline(always)]
fn fixed<const N: usize, T: V>(l: &mut [T]) -> T
where
    T::E: Real,
{
    let Some(l) = l.get_mut(..N * N) else { return T::bits(0) };
    let mut good = T::bits(!0);
    macro_rules! columns {
        ($($j:literal)*) => { $(if $j < N {
            good = good.and(column(l, $j, N));
        })* };
    }
    columns!(0 1 2 3 4 5 6 7);
    good
}
