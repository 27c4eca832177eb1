//! Triangular systems by substitution. Of the four kinds of triangles one is left: `op(a)` is read as a lower triangle, from the
//! other end where it is an upper one, and solutions are columns.
use super::grid::Grid;
use super::{Group, Many, Work};
use crate::linalg::real::Real;
use crate::vmath::v::V;
use tfc_ir::ops::linalg::Triangular;

/// `linalg.triangular_solve`.
#[derive(Clone, Copy, Debug)]
pub(in crate::linalg) struct Substitution(pub(in crate::linalg) Triangular);

/// Right-hand sides at a time.
const SIDES: usize = 8;

/// The transposed matrices.
fn transposed(mut x: Many) -> Many {
    x.dims.swap(0, 1);
    x.strides.swap(0, 1);
    x
}
/// Their rows from the last one on.
fn turned(mut x: Many) -> Many {
    let by = (x.dims[0] as isize - 1) * x.strides[0];
    for p in &mut x.first {
        *p = p.wrapping_offset(by);
    }
    x.strides[0] = -x.strides[0];
    x
}
impl Work for Substitution {
    fn vectors(&self, n: usize, _: usize) -> usize {
        n.saturating_mul(n.saturating_add(SIDES))
    }
    #[inline(always)]
    unsafe fn run<T: V>(&self, g: &Group, memory: &mut [T]) -> u32
    where
        T::E: Real,
    {
        let ([a, b], [x], t) = (g.ins, g.outs, self.0) else { return 0 };
        let n = a.dims[0];
        let (mut a, mut b, mut x) = (*a, *b, *x);
        // `x · op(a) = b` is `op(a)ᵀ · xᵀ = bᵀ`.
        if !t.left {
            (b, x) = (transposed(b), transposed(x));
        }
        if t.transpose == t.left {
            a = transposed(a);
        }
        if t.lower == (t.transpose == t.left) {
            a = transposed(turned(transposed(turned(a))));
            (b, x) = (turned(b), turned(x));
        }
        let (mut l, rest) = Grid::<T>::new(n, n, memory);
        let (mut y, _) = Grid::<T>::new(n, SIDES, rest);
        // SAFETY: by contract.
        unsafe { l.pack(&a, [n, n], true, g.count) };
        let sides = b.dims[1];
        for first in (0..sides).step_by(SIDES) {
            let some = SIDES.min(sides - first);
            for p in &mut b.first {
                *p = p.wrapping_offset(if first > 0 { SIDES as isize * b.strides[1] } else { 0 });
            }
            // SAFETY: by contract.
            unsafe { y.pack(&b, [n, some], false, g.count) };
            for j in 0..some {
                for i in 0..n {
                    let mut s = y[(i, j)];
                    for k in 0..i {
                        s = l[(i, k)].fnma(y[(k, j)], s);
                    }
                    y[(i, j)] = if t.unit { s } else { s.div(l[(i, i)]) };
                }
            }
            for lane in 0..g.count {
                for j in 0..some {
                    let column = x.first[lane].wrapping_offset((first + j) as isize * x.strides[1]);
                    // SAFETY: by contract.
                    unsafe { y.unpack_column(j, n, lane, column, x.strides[0]) };
                }
            }
        }
        0
    }
}
