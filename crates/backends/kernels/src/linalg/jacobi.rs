//! Jacobi's methods: slow, and sure. What the other ones fail on is done again by these, in double precision, real matrices as complex
//! ones. Each rotation takes the angle between two columns (or an element beside the diagonal) away, in an order that does not depend on
//! the elements; the sum of what is left falls with each, in the end quadratically.
#[cfg(debug_assertions)]
pub mod tests;

use faer::dyn_stack::{MemStack, StackReq};
use faer::{MatMut, MatRef};
use tfc_ir::C64;

use super::columns::Columns;
use super::parts::power;
use super::{Failed, Field};

/// Sweeps over all pairs; a matrix of any size that fits in memory needs a dozen.
const SWEEPS: usize = 60;
/// Columns shorter than this part of the matrix are 0: their squares are no numbers any more.
const NOTHING: f64 = 1e-140;

fn zero() -> C64 {
    C64::new(0.0, 0.0)
}
fn times(z: C64, by: f64) -> C64 {
    C64::new(z.re * by, z.im * by)
}
/// `xᴴ y`.
fn product(x: &[C64], y: &[C64]) -> C64 {
    x.iter().zip(y).fold(zero(), |s, (x, y)| s + x.conj() * *y)
}
fn square(x: &[C64]) -> f64 {
    x.iter().map(|x| x.re * x.re + x.im * x.im).sum()
}
/// Cosine and sine of the smaller rotation that makes the real `[alpha, gamma; gamma, beta]` diagonal (Golub & Van Loan, §8.5.2).
fn rotation(alpha: f64, beta: f64, gamma: f64) -> (f64, f64) {
    let zeta = (beta - alpha) / (2.0 * gamma);
    let t = 1f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    (c, c * t)
}
/// Turns a pair of columns, the second one by the phase `e` first.
fn turn(x: &mut Columns<C64>, p: usize, q: usize, rows: usize, (c, s): (f64, f64), e: C64) {
    x.in_columns(p, q, 0, rows, |x, y| {
        let y = y * e.conj();
        (times(x, c) - times(y, s), times(x, s) + times(y, c))
    });
}

pub(super) fn svd_scratch(m: usize, n: usize) -> StackReq {
    let (m, n) = (m.max(n), m.min(n));
    let line = StackReq::new::<C64>(m);
    StackReq::all_of(&[
        Columns::<C64>::scratch(m, n),
        Columns::<C64>::scratch(n, n),
        StackReq::new::<f64>(n),
        StackReq::new::<usize>(n),
        line,
    ])
}
/// `a = u diag(s) vt` of a finite matrix, `s` descending, by turning columns until all are orthogonal (Hestenes; Golub & Van Loan,
/// §8.6.3). Phases are as they come.
pub(super) fn svd<T: Field>(
    a: MatRef<T>,
    mut u: MatMut<T>,
    mut s: MatMut<T::Part>,
    mut vt: MatMut<T>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let turned = a.nrows() < a.ncols();
    let (m, n) = if turned { (a.ncols(), a.nrows()) } else { a.shape() };
    let (mut x, stack) = Columns::<C64>::zeros(m, n, stack);
    let (mut v, stack) = Columns::<C64>::zeros(n, n, stack);
    let (mut length, stack) = stack.make_with(n, |_| 0.0f64);
    let (mut order, stack) = stack.make_with(n, |j| j);
    let (mut line, _) = stack.make_with(m, |_| zero());
    for j in 0..n {
        for i in 0..m {
            let (re, im) = if turned { a[(j, i)].conjugate() } else { a[(i, j)] }.parts();
            x[(i, j)] = C64::new(re, im);
        }
        v[(j, j)] = C64::new(1.0, 0.0);
    }
    let undo = power(&mut x);
    // Rounding of a product of columns leaves about this.
    let least = 2.0 * f64::EPSILON * (m as f64).sqrt();
    let mut settled = false;
    for _ in 0..SWEEPS {
        settled = true;
        for p in 0..n {
            for q in p + 1..n {
                let (alpha, beta, gamma) = (square(x.read(p)), square(x.read(q)), product(x.read(p), x.read(q)));
                let size = gamma.modulus();
                if size <= least * alpha.sqrt() * beta.sqrt() || size < NOTHING * NOTHING {
                    continue;
                }
                settled = false;
                let (by, e) = (rotation(alpha, beta, size), times(gamma, 1.0 / size));
                turn(&mut x, p, q, m, by, e);
                turn(&mut v, p, q, n, by, e);
            }
        }
        if settled {
            break;
        }
    }
    if !settled {
        return Err(Failed);
    }
    for j in 0..n {
        length[j] = x.read(j).iter().fold(0.0, |s, z| s.hypot(z.modulus()));
    }
    order.sort_by(|&i, &j| length[j].total_cmp(&length[i]));
    for j in 0..n {
        if length[j] > NOTHING {
            let by = 1.0 / length[j];
            x.column(j).iter_mut().for_each(|z| *z = times(*z, by));
        } else {
            x.column(j).fill(zero());
        }
    }
    complete(&mut x, &length, m, n, &mut line);
    for (to, &from) in order.iter().enumerate() {
        s[(to, 0)] = T::of_parts(length[from] * undo, 0.0).part(1.0);
        for i in 0..m {
            let z = x[(i, from)];
            if turned {
                vt[(to, i)] = T::of_parts(z.re, -z.im);
            } else {
                u[(i, to)] = T::of_parts(z.re, z.im);
            }
        }
        for i in 0..n {
            let z = v[(i, from)];
            if turned {
                u[(i, to)] = T::of_parts(z.re, z.im);
            } else {
                vt[(to, i)] = T::of_parts(z.re, -z.im);
            }
        }
    }
    Ok(())
}
/// Puts orthonormal columns where there are none yet: of each unit vector what the others leave, the first that leaves enough.
fn complete(x: &mut Columns<C64>, length: &[f64], m: usize, n: usize, line: &mut [C64]) {
    let mut next = 0;
    for j in (0..n).filter(|&j| length[j] <= NOTHING) {
        while next < m {
            line.fill(zero());
            line[next] = C64::new(1.0, 0.0);
            next += 1;
            // Twice, so that rounding leaves nothing (Kahan and Parlett).
            for _ in 0..2 {
                for l in (0..n).filter(|&l| l != j) {
                    let by = product(x.read(l), line);
                    line.iter_mut().zip(x.read(l)).for_each(|(y, z)| *y -= by * *z);
                }
            }
            let size = square(line).sqrt();
            // Some unit vector leaves at least this: m of them share the squares of m − n + 1 dimensions or more.
            if size * size * m as f64 >= 0.5 {
                x.column(j).iter_mut().zip(line.iter()).for_each(|(z, y)| *z = times(*y, 1.0 / size));
                break;
            }
        }
    }
}
pub(super) fn eigh_scratch(n: usize) -> StackReq {
    StackReq::all_of(&[Columns::<C64>::scratch(n, n), Columns::<C64>::scratch(n, n), StackReq::new::<usize>(n)])
}
/// `a v = v diag(w)` of a finite Hermitian matrix whose lower triangle is read, `w` ascending, by turning away what stands beside the
/// diagonal (Golub & Van Loan, §8.5). Phases are as they come.
pub(super) fn eigh<T: Field>(
    a: MatRef<T>,
    mut w: MatMut<T>,
    mut v: MatMut<T>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let n = a.nrows();
    let (mut x, stack) = Columns::<C64>::zeros(n, n, stack);
    let (mut z, stack) = Columns::<C64>::zeros(n, n, stack);
    let (mut order, _) = stack.make_with(n, |j| j);
    for j in 0..n {
        for i in j..n {
            let (re, im) = a[(i, j)].parts();
            x[(i, j)] = C64::new(re, if i == j { 0.0 } else { im });
            x[(j, i)] = x[(i, j)].conj();
        }
        z[(j, j)] = C64::new(1.0, 0.0);
    }
    let undo = power(&mut x);
    let norm = square(x.all()).sqrt();
    let mut settled = false;
    for _ in 0..SWEEPS {
        settled = true;
        for p in 0..n {
            for q in p + 1..n {
                let gamma = x[(p, q)];
                let size = gamma.modulus();
                if size <= 0.125 * f64::EPSILON * norm / n as f64 {
                    continue;
                }
                settled = false;
                let (c, s) = rotation(x[(p, p)].re, x[(q, q)].re, size);
                let e = times(gamma, 1.0 / size);
                turn(&mut x, p, q, n, (c, s), e);
                turn(&mut z, p, q, n, (c, s), e);
                x.in_rows(p, q, 0, n, |x, y| {
                    let y = y * e;
                    (times(x, c) - times(y, s), times(x, s) + times(y, c))
                });
                (x[(p, q)], x[(q, p)]) = (zero(), zero());
            }
        }
        if settled {
            break;
        }
    }
    if !settled {
        return Err(Failed);
    }
    order.sort_by(|&i, &j| x[(i, i)].re.total_cmp(&x[(j, j)].re));
    for (to, &from) in order.iter().enumerate() {
        w[(to, 0)] = T::of_parts(x[(from, from)].re * undo, 0.0);
        for i in 0..n {
            v[(i, to)] = T::of_parts(z[(i, from)].re, z[(i, from)].im);
        }
    }
    Ok(())
}
