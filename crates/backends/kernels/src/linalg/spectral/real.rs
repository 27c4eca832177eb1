//! Real Schur form of a real Hessenberg matrix by the QR algorithm with double shifts (Francis; Golub & Van Loan, §7.5), with the
//! deflation of Ahues & Tisseur (LAPACK working note 122) and blocks of two rows in a standard form.
use tfc_ir::C64;

use super::super::Failed;
use super::super::columns::Columns;
use super::super::householder::reflect;
use super::SWEEPS;

pub(super) fn schur(h: &mut Columns<f64>, z: &mut Columns<f64>, w: &mut [C64], ulp: f64) -> Result<(), Failed> {
    let n = w.len();
    let tries = SWEEPS * n.max(10);
    // Rows `..end` are still to be done.
    let mut end = n;
    while end > 0 {
        let (i, mut low) = (end - 1, 0);
        let mut found = false;
        for count in 1..=tries + 1 {
            low = deflated(h, n, low, i, ulp);
            if low > 0 {
                h[(low, low - 1)] = 0.0;
            }
            if low + 1 >= i {
                found = true;
                break;
            }
            let shifts = shifts(h, low, i, count);
            sweep(h, z, n, (low, i), shifts, ulp);
        }
        if !found {
            return Err(Failed);
        }
        if low == i {
            w[i] = C64::new(h[(i, i)], 0.0);
        } else {
            pair(h, z, n, i, w);
        }
        end = low;
    }
    Ok(())
}
/// The first row of the block that ends in row `i` and begins at `low` or behind: above it stands a 0, up to rounding.
fn deflated(h: &Columns<f64>, n: usize, low: usize, i: usize, ulp: f64) -> usize {
    let least = f64::MIN_POSITIVE * (n as f64 / ulp);
    let mut k = i;
    while k > low {
        let below = h[(k, k - 1)].abs();
        if below <= least {
            break;
        }
        let (upper, lower) = (h[(k - 1, k - 1)], h[(k, k)]);
        let mut size = upper.abs() + lower.abs();
        if size == 0.0 {
            size += if k >= 2 { h[(k - 1, k - 2)].abs() } else { 0.0 };
            size += if k + 1 < n { h[(k + 1, k)].abs() } else { 0.0 };
        }
        if below <= ulp * size {
            let across = h[(k - 1, k)].abs();
            let (ab, ba) = (below.max(across), below.min(across));
            let gap = (upper - lower).abs();
            let (aa, bb) = (lower.abs().max(gap), lower.abs().min(gap));
            let s = aa + ab;
            if ba * (ab / s) <= least.max(ulp * (bb * (aa / s))) {
                break;
            }
        }
        k -= 1;
    }
    k
}
/// Two shifts, real and imaginary part each: the eigenvalues of the last two rows of the block, or the nearer one twice where they are real;
/// at every tenth sweep others.
fn shifts(h: &Columns<f64>, low: usize, i: usize, count: usize) -> [(f64, f64); 2] {
    let odd = |at: f64, s: f64| [0.75 * s + at, s, -0.4375 * s, 0.75 * s + at];
    let [h11, h21, h12, h22] = if count.is_multiple_of(20) {
        odd(h[(i, i)], h[(i, i - 1)].abs() + h[(i - 1, i - 2)].abs())
    } else if count.is_multiple_of(10) {
        odd(h[(low, low)], h[(low + 1, low)].abs() + h[(low + 2, low + 1)].abs())
    } else {
        [h[(i - 1, i - 1)], h[(i, i - 1)], h[(i - 1, i)], h[(i, i)]]
    };
    let s = h11.abs() + h12.abs() + h21.abs() + h22.abs();
    if s == 0.0 {
        return [(0.0, 0.0); 2];
    }
    let [h11, h21, h12, h22] = [h11 / s, h21 / s, h12 / s, h22 / s];
    let mean = (h11 + h22) / 2.0;
    let det = (h11 - mean) * (h22 - mean) - h12 * h21;
    let root = det.abs().sqrt();
    if det >= 0.0 {
        return [(mean * s, root * s), (mean * s, -root * s)];
    }
    let (p, q) = (mean + root, mean - root);
    let near = if (p - h22).abs() <= (q - h22).abs() { p } else { q };
    [(near * s, 0.0); 2]
}
/// One sweep over the block `low..=i`, of at least three rows.
fn sweep(
    h: &mut Columns<f64>,
    z: &mut Columns<f64>,
    n: usize,
    (low, i): (usize, usize),
    [r1, r2]: [(f64, f64); 2],
    ulp: f64,
) {
    let mut m = i - 2;
    let mut v;
    // As far down as two neighbouring small elements below the diagonal let it start.
    loop {
        let (h11, below) = (h[(m, m)], h[(m + 1, m)]);
        let s = (h11 - r2.0).abs() + r2.1.abs() + below.abs();
        let below = below / s;
        v = [
            below * h[(m, m + 1)] + (h11 - r1.0) * ((h11 - r2.0) / s) - r1.1 * (r2.1 / s),
            below * (h11 + h[(m + 1, m + 1)] - r1.0 - r2.0),
            below * h[(m + 2, m + 1)],
        ];
        let s = v.iter().map(|x| x.abs()).sum::<f64>();
        v = v.map(|x| x / s);
        if m == low {
            break;
        }
        let sizes = h[(m - 1, m - 1)].abs() + h11.abs() + h[(m + 1, m + 1)].abs();
        if h[(m, m - 1)].abs() * (v[1].abs() + v[2].abs()) <= ulp * v[0].abs() * sizes {
            break;
        }
        m -= 1;
    }
    for k in m..i {
        let rows = 3.min(i - k + 1);
        if k > m {
            for (r, x) in v.iter_mut().enumerate().take(rows) {
                *x = h[(k + r, k - 1)];
            }
        }
        let tau = reflect(&mut v[..rows]);
        if k > m {
            h[(k, k - 1)] = v[0];
            for r in 1..rows {
                h[(k + r, k - 1)] = 0.0;
            }
        } else if m > low {
            // A reflection that is all but the identity must not lose the sign.
            h[(k, k - 1)] *= 1.0 - tau;
        }
        let v = [1.0, v[1], v[2]];
        let by = v.map(|x| tau * x);
        for j in k..n {
            let sum: f64 = (0..rows).map(|r| v[r] * h[(k + r, j)]).sum();
            (0..rows).for_each(|r| h[(k + r, j)] -= sum * by[r]);
        }
        for j in 0..=(k + 3).min(i) {
            let sum: f64 = (0..rows).map(|r| v[r] * h[(j, k + r)]).sum();
            (0..rows).for_each(|r| h[(j, k + r)] -= sum * by[r]);
        }
        for j in 0..n {
            let sum: f64 = (0..rows).map(|r| v[r] * z[(j, k + r)]).sum();
            (0..rows).for_each(|r| z[(j, k + r)] -= sum * by[r]);
        }
    }
}
/// Brings the block of rows `i - 1` and `i` to its standard form, and gives its eigenvalues.
fn pair(h: &mut Columns<f64>, z: &mut Columns<f64>, n: usize, i: usize, w: &mut [C64]) {
    let block = [h[(i - 1, i - 1)], h[(i - 1, i)], h[(i, i - 1)], h[(i, i)]];
    let ([a, b, c, d], cos, sin) = standard(block);
    (h[(i - 1, i - 1)], h[(i - 1, i)], h[(i, i - 1)], h[(i, i)]) = (a, b, c, d);
    let turn = |x: f64, y: f64| (cos * x + sin * y, cos * y - sin * x);
    h.in_rows(i - 1, i, i + 1, n, turn);
    h.in_columns(i - 1, i, 0, i - 1, turn);
    z.in_columns(i - 1, i, 0, n, turn);
    let im = if c == 0.0 { 0.0 } else { b.abs().sqrt() * c.abs().sqrt() };
    (w[i - 1], w[i]) = (C64::new(a, im), C64::new(d, -im));
}
/// The Schur form of `[a b; c d]`: `c = 0`, or `a = d` and `b c < 0`; and cosine and sine of the rotation that makes it (LAPACK's `lanv2`).
fn standard([a, b, c, d]: [f64; 4]) -> ([f64; 4], f64, f64) {
    if c == 0.0 {
        return ([a, b, c, d], 1.0, 0.0);
    }
    if b == 0.0 {
        return ([d, -c, 0.0, a], 0.0, 1.0);
    }
    if a == d && (b < 0.0) != (c < 0.0) {
        return ([a, b, c, d], 1.0, 0.0);
    }
    let (gap, large) = (a - d, b.abs().max(c.abs()));
    let half = 0.5 * gap;
    let small = b.abs().min(c.abs()) * 1f64.copysign(b) * 1f64.copysign(c);
    let scale = half.abs().max(large);
    let disc = half / scale * half + large / scale * small;
    if disc >= 4.0 * f64::EPSILON {
        // Real values that are apart.
        let x = half + (scale.sqrt() * disc.sqrt()).copysign(half);
        let r = c.hypot(x);
        return ([d + x, b - c, 0.0, d - large / x * small], x / r, c / r);
    }
    // Complex ones, or real ones that are all but equal: equal numbers on the diagonal.
    let sum = b + c;
    let r = sum.hypot(gap);
    let mut cos = (0.5 * (1.0 + sum.abs() / r)).sqrt();
    let mut sin = -(half / (r * cos)) * 1f64.copysign(sum);
    let (aa, bb) = (a * cos + b * sin, b * cos - a * sin);
    let (cc, dd) = (c * cos + d * sin, d * cos - c * sin);
    let (mut a, mut b, mut c, mut d) =
        (aa * cos + cc * sin, bb * cos + dd * sin, cc * cos - aa * sin, dd * cos - bb * sin);
    let mean = 0.5 * (a + d);
    (a, d) = (mean, mean);
    if c != 0.0 && b == 0.0 {
        (b, c) = (-c, 0.0);
        (cos, sin) = (-sin, cos);
    } else if c != 0.0 && (b < 0.0) == (c < 0.0) {
        // Real after all: one more rotation.
        let (p, q) = (b.abs().sqrt(), c.abs().sqrt());
        let x = (p * q).copysign(c);
        let r = 1.0 / (b + c).abs().sqrt();
        (a, d) = (mean + x, mean - x);
        (b, c) = (b - c, 0.0);
        let (x, y) = (p * r, q * r);
        (cos, sin) = (cos * x - sin * y, cos * y + sin * x);
    }
    ([a, b, c, d], cos, sin)
}
