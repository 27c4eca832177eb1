//! Singular values and vectors of real upper bidiagonal matrices by implicit QR iterations.
//!
//! Shifts, the zero-shift iteration and the tests for convergence are those of Demmel and Kahan, "Accurate singular values
//! of bidiagonal matrices" (1990), so that small singular values keep their relative accuracy.
use super::kern::{Kernels, Real};

/// Columns that rotations are applied to: pointer, padded length.
pub(crate) type Columns<E> = Option<(*mut E, usize)>;

/// Rotations `(c, s)` of an iteration, from the right and from the left.
pub(crate) type Rotations<'a, E> = [&'a mut [(E, E)]; 2];

/// `(c, s, r)` with `c f + s g = r`, `c g - s f = 0`, `c² + s² = 1`.
#[inline(always)]
fn givens<E: Real>(f: E, g: E) -> (E, E, E) {
    if g == E::ZERO {
        return (E::ONE, E::ZERO, f);
    }
    let square = f * f + g * g;
    if square >= E::TINY / (E::ROUND * E::ROUND) && square <= E::MAX {
        let r = square.root();
        return (f / r, g / r, r);
    }
    let top = if f.mag() > g.mag() { f.mag() } else { g.mag() };
    let (f, g) = (f / top, g / top);
    let r = (f * f + g * g).root();
    (f / r, g / r, r * top)
}
/// The smaller singular value of `[f g; 0 h]`: `2 f h / (√((f + h)² + g²) + √((f - h)² + g²))`, scaled.
fn smaller<E: Real>(f: E, g: E, h: E) -> E {
    let (f, g, h) = (f.mag(), g.mag(), h.mag());
    let (low, high) = if f < h { (f, h) } else { (h, f) };
    if low == E::ZERO {
        return E::ZERO;
    }
    let top = if g > high { g } else { high };
    let (l, u, g) = (low / top, high / top, g / top);
    let root = |x: E| (x * x + g * g).root();
    (u * low) * E::of(2.0) / (root(u + l) + root(u - l))
}

/// One iteration from top to bottom on a block, with the rotations it took.
fn sweep<E: Real>(d: &mut [E], e: &mut [E], shift: E, [right, left]: &mut Rotations<E>) {
    let last = d.len() - 1;
    if shift == E::ZERO {
        let (mut c, mut old) = (E::ONE, (E::ONE, E::ZERO));
        for i in 0..last {
            let (c1, s1, r) = givens(d[i] * c, e[i]);
            if i > 0 {
                e[i - 1] = old.1 * r;
            }
            let (c2, s2, r) = givens(old.0 * r, d[i + 1] * s1);
            d[i] = r;
            (c, old) = (c1, (c2, s2));
            right[i] = (c1, s1);
            left[i] = (c2, s2);
        }
        let h = d[last] * c;
        d[last] = h * old.0;
        e[last - 1] = h * old.1;
        return;
    }
    let mut f = (d[0].mag() - shift) * (E::ONE.with_sign(d[0]) + shift / d[0]);
    let mut g = e[0];
    for i in 0..last {
        let (c1, s1, r) = givens(f, g);
        if i > 0 {
            e[i - 1] = r;
        }
        f = c1 * d[i] + s1 * e[i];
        let t = c1 * e[i] - s1 * d[i];
        (g, d[i + 1]) = (s1 * d[i + 1], c1 * d[i + 1]);
        let (c2, s2, r) = givens(f, g);
        d[i] = r;
        (f, d[i + 1]) = (c2 * t + s2 * d[i + 1], c2 * d[i + 1] - s2 * t);
        if i + 1 < last {
            (g, e[i + 1]) = (s2 * e[i + 1], c2 * e[i + 1]);
        }
        right[i] = (c1, s1);
        left[i] = (c2, s2);
    }
    e[last - 1] = f;
}

/// The block's elements that may be taken as zero, by the criterion that changes no singular value by more than `tol`
/// relative to it; or else a lower estimate of the smallest one. The block is to be swept downwards.
fn settled<E: Real>(d: &[E], e: &[E], tol: E) -> Result<E, usize> {
    let last = d.len() - 1;
    if e[last - 1].mag() <= tol * d[last].mag() {
        return Err(last - 1);
    }
    let (mut mu, mut least) = (d[0].mag(), d[0].mag());
    for i in 0..last {
        if e[i].mag() <= tol * mu {
            return Err(i);
        }
        mu = d[i + 1].mag() * (mu / (mu + e[i].mag()));
        least = if mu < least { mu } else { least };
    }
    Ok(least)
}

/// Makes `diag(d) + superdiag(e)` diagonal: `B = X diag(s) Yᵀ`, where `left` and `right` are multiplied by `X` and `Y`
/// from the right. Signs and order of the values are left as they come. `false`: no convergence.
///
/// # Safety
/// `left` and `right` have as many columns as `d` elements, each of its padded length.
pub(crate) unsafe fn diagonalize<E: Real>(
    kern: &Kernels<E>,
    d: &mut [E],
    e: &mut [E],
    [left, right]: [Columns<E>; 2],
    mut rotations: Rotations<E>,
) -> bool {
    let n = d.len();
    let of = |x: usize| E::of(x as f64);
    let tol = E::of(if size_of::<E>() == 8 { 98.7 } else { 10.0 }) * E::ROUND;
    let max = |a: E, b: &E| if b.mag() > a { b.mag() } else { a };
    let (mut mu, mut least) = (d[0].mag(), d[0].mag());
    for i in 1..n {
        if least == E::ZERO {
            break;
        }
        mu = d[i].mag() * (mu / (mu + e[i - 1].mag()));
        least = if mu < least { mu } else { least };
    }
    let floor = of(6 * n).with_sign(E::ONE) * of(n) * E::TINY;
    let thresh = max(tol * least / of(n).root(), &floor);
    let (mut hi, mut steps, limit) = (n - 1, 0usize, 6 * n * n + 60);
    // The direction of the last sweep, kept while the block stays within the one before.
    let mut known: Option<(usize, usize, bool)> = None;
    while hi > 0 {
        if e[hi - 1].mag() <= thresh {
            e[hi - 1] = E::ZERO;
            hi -= 1;
            continue;
        }
        let mut lo = hi - 1;
        while lo > 0 && e[lo - 1].mag() > thresh {
            lo -= 1;
        }
        if lo > 0 {
            e[lo - 1] = E::ZERO;
        }
        if steps > limit || !e[hi - 1].mag().le(&E::MAX) {
            return false;
        }
        let up = match known {
            Some((l, h, up)) if lo >= l && hi <= h => up,
            _ => d[lo].mag() < d[hi].mag(),
        };
        known = Some((lo, hi, up));
        let (bd, be) = (&mut d[lo..=hi], &mut e[lo..hi]);
        // Upwards is downwards on the transpose in reversed order, with left and right exchanged.
        if up {
            bd.reverse();
            be.reverse();
        }
        let len = bd.len();
        let mut swept = false;
        match settled(bd, be, tol) {
            Err(i) => be[i] = E::ZERO,
            Ok(least) => {
                let top = be.iter().fold(bd.iter().fold(E::ZERO, max), max);
                let mut shift = E::ZERO;
                let small = max(E::ROUND, &(tol * E::of(0.01)));
                if of(n) * tol * (least / top) > small {
                    shift = smaller(bd[len - 2], be[len - 2], bd[len - 1]);
                    let ratio = shift / bd[0].mag();
                    if ratio * ratio < E::ROUND {
                        shift = E::ZERO;
                    }
                }
                sweep(bd, be, shift, &mut rotations);
                if be[len - 2].mag() <= thresh {
                    be[len - 2] = E::ZERO;
                }
                (steps, swept) = (steps + len - 1, true);
            }
        }
        if up {
            bd.reverse();
            be.reverse();
        }
        if swept {
            let (right_of, left_of) = if up { (left, right) } else { (right, left) };
            for (columns, turns) in [right_of, left_of].into_iter().zip(&rotations) {
                if let Some((x, m)) = columns {
                    let (from, ld) = if up { (hi, -(m as isize)) } else { (lo, m as isize) };
                    // SAFETY: columns `lo..=hi` of the caller's.
                    unsafe { (kern.rotate)(m, x.add(from * m), ld, &turns[..hi - lo]) }
                }
            }
        }
    }
    d.iter().all(|x| x.mag() <= E::MAX)
}
