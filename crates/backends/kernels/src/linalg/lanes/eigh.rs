//! Eigenvalues and vectors of symmetric matrices: to tridiagonal form by reflections (Golub and Van Loan, §8.3.1), then by QL
//! steps with implicit shifts (Wilkinson and Reinsch, Linear Algebra, contribution II/4: `tql2`), each lane on the block that
//! it has come to. The errors are those of the usual way: a few units of rounding of the largest eigenvalue.
use super::grid::{Grid, any, failed, gauge, least, reflection, where_, write};
use super::{Group, SMALL, Work};
use crate::linalg::real::Real;
use crate::vmath::v::V;

/// `linalg.eigh`: ascending, or by descending modulus.
#[derive(Clone, Copy, Debug)]
pub(in crate::linalg) struct Eigh {
    pub(in crate::linalg) by_modulus: bool,
}
/// Steps for one eigenvalue; two or three is usual.
const STEPS: usize = 40;

/// Tridiagonal form in place: `d` on the diagonal, `e` below it, the vectors of reflections (with their leading 1) in the columns of `a`.
#[inline(always)]
fn reduce<T: V>(a: &mut Grid<T>, n: usize, [d, e, tau, w]: [&mut Grid<T>; 4])
where
    T::E: Real,
{
    let (zero, half) = (T::c(0.0), T::c(0.5));
    for k in 0..n {
        d[(k, 0)] = a[(k, k)];
        if k + 1 == n {
            break;
        }
        let mut squares = zero;
        for i in k + 2..n {
            squares = a[(i, k)].fma(a[(i, k)], squares);
        }
        // Less than that is nothing beside the largest element, which is about 1.
        let h = reflection(a[(k + 1, k)], squares, T::lt(squares, least()));
        e[(k, 0)] = h.beta;
        tau[(k, 0)] = h.tau;
        a[(k + 1, k)] = T::c(1.0);
        for i in k + 2..n {
            a[(i, k)] = a[(i, k)].mul(h.f);
        }
        let mut sum = zero;
        for i in k + 1..n {
            let mut s = zero;
            for j in k + 1..i {
                s = a[(i, j)].fma(a[(j, k)], s);
            }
            for j in i..n {
                s = a[(j, i)].fma(a[(j, k)], s);
            }
            let p = s.mul(h.tau);
            w[(i, 0)] = p;
            sum = p.fma(a[(i, k)], sum);
        }
        let by = sum.mul(h.tau).mul(half);
        for i in k + 1..n {
            w[(i, 0)] = by.fnma(a[(i, k)], w[(i, 0)]);
        }
        for j in k + 1..n {
            let (v, u) = (a[(j, k)], w[(j, 0)]);
            for i in j..n {
                let x = a[(i, k)].fnma(u, a[(i, j)]);
                a[(i, j)] = w[(i, 0)].fnma(v, x);
            }
        }
    }
}
/// The product of the reflections.
#[inline(always)]
fn form<T: V>(a: &Grid<T>, n: usize, tau: &Grid<T>, z: &mut Grid<T>)
where
    T::E: Real,
{
    for i in 0..n {
        z[(i, i)] = T::c(1.0);
    }
    for k in (0..n.saturating_sub(2)).rev() {
        let t = tau[(k, 0)];
        for l in k + 1..n {
            let mut s = T::c(0.0);
            for i in k + 1..n {
                s = a[(i, k)].fma(z[(i, l)], s);
            }
            let s = s.mul(t);
            for i in k + 1..n {
                z[(i, l)] = a[(i, k)].fnma(s, z[(i, l)]);
            }
        }
    }
}
/// Diagonal form of a tridiagonal matrix, the columns of `z` turned with it. Lanes that do not come to an end are no longer `good`.
#[inline(always)]
fn diagonalize<T: V>(d: &mut Grid<T>, e: &mut Grid<T>, n: usize, z: &mut Grid<T>, good: &mut T)
where
    T::E: Real,
{
    let (zero, one) = (T::c(0.0), T::c(1.0));
    // Half the distance from 1 to the next number; and what is nothing beside elements of about 1 in any case.
    let (unit, nothing) = (T::pick(5.9e-8, 1.1e-16), T::pick(1e-15, 1e-130));
    for l in 0..n.saturating_sub(1) {
        for step in 0..=STEPS {
            // The block from `l` on ends at the first element `end` that is followed by nothing. NaN counts as nothing.
            let (mut end, mut last) = (T::c((n - 1) as f64), d[(n - 1, 0)]);
            for i in (l..n - 1).rev() {
                let beside = d[(i, 0)].abs().add(d[(i + 1, 0)].abs()).mul(unit).max(nothing);
                let more = T::lt(beside, e[(i, 0)].abs());
                end = T::sel(more, end, T::c(i as f64));
                last = T::sel(more, last, d[(i, 0)]);
            }
            let active = T::lt(T::c(l as f64), end);
            if !T::any(active) {
                break;
            }
            if step == STEPS {
                *good = T::sel(active, T::bits(0), *good);
                e[(l, 0)] = e[(l, 0)].and(*good);
                break;
            }
            let (dl, el) = (d[(l, 0)], e[(l, 0)]);
            let g = d[(l + 1, 0)].sub(dl).div(el.add(el));
            let r = g.fma(g, one).sqrt();
            let mut g = last.sub(dl).add(el.div(g.add(r.or(g.sign()))));
            let (mut s, mut c, mut p) = (one, one, zero);
            for i in (l..n - 1).rev() {
                let on = T::lt(T::c(i as f64), end);
                if !T::any(on) {
                    continue;
                }
                let (f, b) = (s.mul(e[(i, 0)]), c.mul(e[(i, 0)]));
                let square = f.fma(f, g.mul(g));
                // A rotation whose squares have lost bits would be none.
                *good = T::sel(on, good.and(where_(T::lt(least(), square))), *good);
                let r = square.sqrt();
                let (s1, c1) = (f.div(r), g.div(r));
                let first = T::eq(T::c((i + 1) as f64), end);
                e[(i + 1, 0)] = T::sel(on, T::sel(first, zero, r), e[(i + 1, 0)]);
                let g1 = d[(i + 1, 0)].sub(p);
                let r1 = d[(i, 0)].sub(g1).fma(s1, c1.add(c1).mul(b));
                let p1 = s1.mul(r1);
                d[(i + 1, 0)] = T::sel(on, g1.add(p1), d[(i + 1, 0)]);
                g = T::sel(on, c1.mul(r1).sub(b), g);
                (s, c, p) = (T::sel(on, s1, s), T::sel(on, c1, c), T::sel(on, p1, p));
                let (sin, cos) = (T::sel(on, s1, zero), T::sel(on, c1, one));
                let (x, y) = z.two(i, i + 1);
                for k in 0..n {
                    let (u, v) = (x[k], y[k]);
                    y[k] = sin.fma(u, cos.mul(v));
                    x[k] = sin.fnma(v, cos.mul(u));
                }
            }
            d[(l, 0)] = T::sel(active, d[(l, 0)].sub(p), d[(l, 0)]);
            e[(l, 0)] = T::sel(active, g, e[(l, 0)]);
            // Lanes that have failed hold up nobody.
            if any(T::bits(!0).xor(*good)) {
                for i in 0..n {
                    (d[(i, 0)], e[(i, 0)]) = (d[(i, 0)].and(*good), e[(i, 0)].and(*good));
                }
            }
        }
    }
}
impl Work for Eigh {
    fn vectors(&self, _: usize, n: usize) -> usize {
        n.saturating_mul(n.saturating_mul(2).saturating_add(4))
    }
    #[inline(always)]
    unsafe fn run<T: V>(&self, g: &Group, memory: &mut [T]) -> u32
    where
        T::E: Real,
    {
        let ([from], [w, v]) = (g.ins, g.outs) else { return 0 };
        let (n, half) = (from.dims[0], T::c(0.5));
        let (mut a, rest) = Grid::<T>::new(n, n, memory);
        let (mut z, rest) = Grid::<T>::new(n, n, rest);
        let (mut d, rest) = Grid::<T>::new(n, 1, rest);
        let (mut e, rest) = Grid::<T>::new(n, 1, rest);
        let (mut tau, rest) = Grid::<T>::new(n, 1, rest);
        let (mut space, _) = Grid::<T>::new(n, 1, rest);
        // SAFETY: by contract.
        unsafe { a.pack(from, [n, n], false, g.count) };
        for j in 0..n {
            for i in j + 1..n {
                let (x, y) = (a[(i, j)], a[(j, i)]);
                let mean = T::sel(T::eq(x, y), x, x.mul(half).add(y.mul(half)));
                (a[(i, j)], a[(j, i)]) = (mean, mean);
            }
        }
        let mut good = T::bits(!0);
        let undo = a.scale(&mut good);
        reduce(&mut a, n, [&mut d, &mut e, &mut tau, &mut space]);
        form(&a, n, &tau, &mut z);
        diagonalize(&mut d, &mut e, n, &mut z, &mut good);
        for j in 0..n {
            good = good.and(where_(d[(j, 0)].abs().below_inf()));
            d[(j, 0)] = d[(j, 0)].mul(undo);
            let sign = gauge(&z, n, j);
            for i in 0..n {
                // Others' rotations have turned some −0 to 0.
                z[(i, j)] = z[(i, j)].xor(sign).add(T::c(0.0));
            }
        }
        let bad = failed(good, g.count);
        for lane in 0..g.count {
            if bad >> lane & 1 == 1 {
                continue;
            }
            let mut order = [0; SMALL];
            for j in 0..n {
                insert(&mut order, j, &d, lane, false);
            }
            if self.by_modulus {
                // Ascending before: of two equal ones the positive comes first when the order is turned round.
                let mut other = [0; SMALL];
                for j in 0..n {
                    other[j] = order[n - 1 - j];
                }
                order = by_modulus(other, n, &d, lane);
            }
            for to in 0..n {
                // SAFETY: by contract.
                unsafe {
                    write(w, lane, [to, 0], d.at(order[to], 0, lane));
                    let column = v.first[lane].wrapping_offset(to as isize * v.strides[1]);
                    z.unpack_column(order[to], n, lane, column, v.strides[0]);
                }
            }
        }
        bad
    }
}
/// Puts `j` among the first `j` of `order`, behind what is not greater (not less, where `down`).
#[inline(always)]
pub(super) fn insert<T: V>(order: &mut [usize; SMALL], j: usize, d: &Grid<T>, lane: usize, down: bool)
where
    T::E: Real,
{
    let (x, mut i) = (d.at(j, 0, lane), j);
    while i > 0 {
        let y = d.at(order[i - 1], 0, lane);
        if if down { y >= x } else { y <= x } {
            break;
        }
        order[i] = order[i - 1];
        i -= 1;
    }
    order[i] = j;
}
/// By descending modulus; equal ones as they stand.
#[inline(always)]
fn by_modulus<T: V>(mut order: [usize; SMALL], n: usize, d: &Grid<T>, lane: usize) -> [usize; SMALL]
where
    T::E: Real,
{
    for j in 1..n {
        let (this, mut i) = (order[j], j);
        while i > 0 && d.at(order[i - 1], 0, lane).mag() < d.at(this, 0, lane).mag() {
            order[i] = order[i - 1];
            i -= 1;
        }
        order[i] = this;
    }
    order
}
