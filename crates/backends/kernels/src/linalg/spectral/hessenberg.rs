//! Reduction to Hessenberg form by reflections (Golub & Van Loan, algorithm 7.4.2).
use super::super::Field;
use super::super::columns::Columns;
use super::super::householder::{reflect, times};

/// `qᴴ a q`: above and on the first diagonal below the main one the form, below it the vectors of the reflections, whose factors are
/// `tau[..n - 1]`. `line` is memory for a row.
pub(super) fn reduce<T: Field>(a: &mut Columns<T>, n: usize, tau: &mut [T], line: &mut [T]) {
    for j in 0..n.saturating_sub(1) {
        let t = reflect(&mut a.column(j)[j + 1..]);
        tau[j] = t;
        // a · H: the sum of columns, each times its entry of the vector.
        let entry = |a: &Columns<T>, l: usize| if l == j + 1 { T::of_parts(1.0, 0.0) } else { a[(l, j)] };
        line.fill(T::zero_impl());
        for l in j + 1..n {
            let v = entry(a, l);
            a.column(l).iter().zip(line.iter_mut()).for_each(|(x, s)| *s += *x * v);
        }
        for l in j + 1..n {
            let v = t * entry(a, l).conjugate();
            a.column(l).iter_mut().zip(line.iter()).for_each(|(x, s)| *x -= *s * v);
        }
        for l in j + 1..n {
            let (v, x) = a.two(j, l);
            times(&v[j + 1..], t.conjugate(), &mut x[j + 1..]);
        }
    }
}
/// `q` itself, in `z`, which holds zeros.
pub(super) fn form<T: Field>(a: &Columns<T>, n: usize, tau: &[T], z: &mut Columns<T>) {
    for i in 0..n {
        z[(i, i)] = T::of_parts(1.0, 0.0);
    }
    for j in (0..n.saturating_sub(1)).rev() {
        let v = a.read(j);
        for l in j + 1..n {
            times(&v[j + 1..], tau[j], &mut z.column(l)[j + 1..]);
        }
    }
}
