//! Schur form of a complex Hessenberg matrix by the QR algorithm with single shifts (Golub & Van Loan, §7.5), with the
//! deflation of Ahues & Tisseur (LAPACK working note 122). What stands below the diagonal is kept real.
use tfc_ir::C64;

use super::super::columns::Columns;
use super::super::householder::reflect;
use super::super::{Failed, Field};
use super::SWEEPS;

/// The sum of the moduli of the parts.
fn size(z: C64) -> f64 {
    z.re.abs() + z.im.abs()
}
fn times(z: C64, by: f64) -> C64 {
    C64::new(z.re * by, z.im * by)
}
pub(super) fn schur(h: &mut Columns<C64>, z: &mut Columns<C64>, w: &mut [C64], ulp: f64) -> Result<(), Failed> {
    let n = w.len();
    let tries = SWEEPS * n.max(10);
    for i in (0..n).rev() {
        let mut low = 0;
        let mut found = false;
        for count in 1..=tries + 1 {
            low = deflated(h, n, low, i, ulp);
            if low > 0 {
                h[(low, low - 1)] = C64::new(0.0, 0.0);
            }
            if low == i {
                found = true;
                break;
            }
            let t = shift(h, low, i, count);
            sweep(h, z, n, (low, i), t, ulp);
        }
        if !found {
            return Err(Failed);
        }
        w[i] = h[(i, i)];
    }
    Ok(())
}
/// The first row of the block that ends in row `i` and begins at `low` or behind: above it stands a 0, up to rounding.
fn deflated(h: &Columns<C64>, n: usize, low: usize, i: usize, ulp: f64) -> usize {
    let least = f64::MIN_POSITIVE * (n as f64 / ulp);
    let mut k = i;
    while k > low {
        let below = h[(k, k - 1)];
        if size(below) <= least {
            break;
        }
        let (upper, lower) = (h[(k - 1, k - 1)], h[(k, k)]);
        let mut sum = size(upper) + size(lower);
        if sum == 0.0 {
            sum += if k >= 2 { h[(k - 1, k - 2)].re.abs() } else { 0.0 };
            sum += if k + 1 < n { h[(k + 1, k)].re.abs() } else { 0.0 };
        }
        if below.re.abs() <= ulp * sum {
            let (below, across) = (size(below), size(h[(k - 1, k)]));
            let (ab, ba) = (below.max(across), below.min(across));
            let gap = size(upper - lower);
            let (aa, bb) = (size(lower).max(gap), size(lower).min(gap));
            let s = aa + ab;
            if ba * (ab / s) <= least.max(ulp * (bb * (aa / s))) {
                break;
            }
        }
        k -= 1;
    }
    k
}
/// The eigenvalue of the last two rows of the block that is nearer to its last element (Wilkinson); at every tenth sweep another.
fn shift(h: &Columns<C64>, low: usize, i: usize, count: usize) -> C64 {
    if count.is_multiple_of(20) {
        return h[(i, i)] + C64::new(0.75 * h[(i, i - 1)].re.abs(), 0.0);
    }
    if count.is_multiple_of(10) {
        return h[(low, low)] + C64::new(0.75 * h[(low + 1, low)].re.abs(), 0.0);
    }
    let t = h[(i, i)];
    let u = root(h[(i - 1, i)]) * root(h[(i, i - 1)]);
    let mut s = size(u);
    if s == 0.0 {
        return t;
    }
    let x = times(h[(i - 1, i - 1)] - t, 0.5);
    let sx = size(x);
    s = s.max(sx);
    let (p, q) = (times(x, 1.0 / s), times(u, 1.0 / s));
    let mut y = times(root(p * p + q * q), s);
    if sx > 0.0 && x.re * y.re + x.im * y.im < 0.0 {
        y = times(y, -1.0);
    }
    t - u * u.over(x + y)
}
/// The principal square root.
fn root(z: C64) -> C64 {
    let r = z.modulus();
    if r == 0.0 {
        return z;
    }
    let re = (0.5 * (r + z.re.abs())).sqrt();
    let im = 0.5 * z.im.abs() / re;
    let (re, im) = if z.re >= 0.0 { (re, im) } else { (im, re) };
    C64::new(re, im.copysign(z.im))
}
/// One sweep over the block `low..=i`, of at least two rows.
fn sweep(h: &mut Columns<C64>, z: &mut Columns<C64>, n: usize, (low, i): (usize, usize), t: C64, ulp: f64) {
    let mut m = i - 1;
    let mut v;
    // As far down as two neighbouring small elements below the diagonal let it start.
    loop {
        let (h11, h22) = (h[(m, m)], h[(m + 1, m + 1)]);
        let (first, below) = (h11 - t, h[(m + 1, m)].re);
        let s = size(first) + below.abs();
        let (first, below) = (times(first, 1.0 / s), below / s);
        v = [first, C64::new(below, 0.0)];
        if m == low || h[(m, m - 1)].re.abs() * below.abs() <= ulp * (size(first) * (size(h11) + size(h22))) {
            break;
        }
        m -= 1;
    }
    for k in m..i {
        if k > m {
            v = [h[(k, k - 1)], h[(k + 1, k - 1)]];
        }
        let tau = reflect(&mut v);
        if k > m {
            h[(k, k - 1)] = v[0];
            h[(k + 1, k - 1)] = C64::new(0.0, 0.0);
        }
        let u = v[1];
        h.in_rows(k, k + 1, k, n, |x, y| {
            let s = tau.conj() * (x + u.conj() * y);
            (x - s, y - s * u)
        });
        let columns = |x: C64, y: C64| {
            let s = tau * (x + u * y);
            (x - s, y - s * u.conj())
        };
        h.in_columns(k, k + 1, 0, (k + 2).min(i) + 1, columns);
        z.in_columns(k, k + 1, 0, n, columns);
        if k == m && m > low {
            // The sweep started below the top: what stands above it is made real again.
            let turn = C64::new(1.0, 0.0) - tau;
            let turn = times(turn, 1.0 / turn.modulus());
            h[(m + 1, m)] *= turn.conj();
            if m + 2 <= i {
                h[(m + 2, m + 1)] *= turn;
            }
            for j in (m..=i).filter(|&j| j != m + 1) {
                turned(h, z, n, j, turn);
            }
        }
    }
    let last = h[(i, i - 1)];
    if last.im != 0.0 {
        let r = last.modulus();
        h[(i, i - 1)] = C64::new(r, 0.0);
        turned(h, z, n, i, times(last, 1.0 / r).conj());
    }
}
/// Row `j` behind the diagonal times `by`, of modulus 1, column `j` above it and in `z` by its conjugate.
fn turned(h: &mut Columns<C64>, z: &mut Columns<C64>, n: usize, j: usize, by: C64) {
    for l in j + 1..n {
        h[(j, l)] *= by;
    }
    for r in 0..j {
        h[(r, j)] *= by.conj();
    }
    z.column(j).iter_mut().for_each(|x| *x *= by.conj());
}
