//! Factors against what defines them, over shapes, strides, scales, ranks and instruction sets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::kern::{Kernels, Real};
use super::svd::Keep;
use super::{qr, svd};
use crate::isa::Isa;
use crate::linalg::Failed;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::{Mat, MatRef};

/// The kernels that this machine can run.
fn sets<E: Real>() -> impl Iterator<Item = &'static Kernels<E>> {
    Isa::ALL.into_iter().filter(|i| i.available()).filter_map(E::kernels_of)
}
/// Numbers in (-1, 1), by Knuth's linear congruential generator.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut x = seed;
    move || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
fn matrix(m: usize, n: usize, rank: usize, scale: f64) -> Mat<f64> {
    let mut next = noise((m * 1000 + n * 10 + rank) as u64);
    if rank >= m.min(n) {
        return Mat::from_fn(m, n, |_, _| next() * scale);
    }
    let (b, c) = (Mat::from_fn(m, rank, |_, _| next() * scale), Mat::from_fn(rank, n, |_, _| next()));
    b * c
}
const SHAPES: [(usize, usize, usize); 19] = [
    (0, 0, 0),
    (0, 3, 0),
    (3, 0, 0),
    (1, 1, 1),
    (1, 7, 1),
    (7, 1, 1),
    (2, 2, 2),
    (5, 3, 3),
    (3, 5, 3),
    (8, 8, 8),
    (9, 9, 4),
    (16, 17, 16),
    (33, 20, 20),
    (48, 96, 24),
    (96, 48, 48),
    (100, 40, 1),
    (50, 50, 50),
    (70, 70, 0),
    (200, 200, 30),
];

/// The largest element of `x` in magnitude; NaN counts as infinite.
fn worst(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |t, y| {
        if y.abs() <= t {
            t
        } else if y.is_nan() {
            f64::INFINITY
        } else {
            y.abs()
        }
    })
}
fn elements(a: MatRef<f64>) -> Vec<f64> {
    (0..a.ncols()).flat_map(|j| (0..a.nrows()).map(move |i| a[(i, j)])).collect()
}
fn wide<E: Real>(a: MatRef<E>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].wide())
}
/// How far the columns are from orthonormal.
fn skew(q: MatRef<f64>) -> f64 {
    let g = q.transpose() * q;
    worst((0..g.ncols()).flat_map(|j| (0..g.nrows()).map(move |i| (i, j))).map(|(i, j)| g[(i, j)] - f64::from(i == j)))
}
fn qr_of<E: Real>(kern: &'static Kernels<E>, a: MatRef<E>) -> Result<(Mat<E>, Mat<E>), Failed> {
    let (m, n) = a.shape();
    let k = m.min(n);
    // Wrong numbers where something is left unwritten.
    let junk = |m, n| Mat::from_fn(m, n, |_, _| E::of(f64::NAN));
    let (mut q, mut r) = (junk(m, k), junk(k, n));
    let mut memory = MemBuffer::new(qr::scratch::<E>(m, n));
    qr::thin(kern, a, q.as_mut(), r.as_mut(), MemStack::new(&mut memory))?;
    Ok((q, r))
}
fn svd_of<E: Real>(
    kern: &'static Kernels<E>,
    a: MatRef<E>,
    keep: Keep<E>,
    ranks: [usize; 2],
) -> Result<(Mat<E>, Mat<E>, Mat<E>), Failed> {
    let (m, n) = a.shape();
    let mut memory = MemBuffer::new(svd::scratch::<E>(m, n, matches!(keep, Keep::All), true));
    let f = svd::decompose(kern, a, keep, ranks, true, MemStack::new(&mut memory))?;
    let r = f.rank;
    let junk = |m, n| Mat::from_fn(m, n, |_, _| E::of(f64::NAN));
    let (mut u, mut s, mut vt) = (junk(m, r), junk(r, 1), junk(r, n));
    f.write(u.as_mut(), s.as_mut(), vt.as_mut());
    Ok((u, s, vt))
}
/// Reconstruction relative to the norm, and orthogonality of both sides.
fn svd_error<E: Real>(a: MatRef<E>, u: &Mat<E>, s: &Mat<E>, vt: &Mat<E>) -> f64 {
    let (a, u, s, vt) = (wide(a), wide(u.as_ref()), wide(s.as_ref()), wide(vt.as_ref()));
    let us = Mat::from_fn(u.nrows(), u.ncols(), |i, j| u[(i, j)] * s[(j, 0)]);
    let top = worst(elements(a.as_ref())).max(f64::MIN_POSITIVE);
    let off = worst(elements((us * &vt - &a).as_ref())) / top;
    assert!((1..s.nrows()).all(|i| s[(i - 1, 0)] >= s[(i, 0)] && s[(i, 0)] >= 0.0), "order");
    off.max(skew(u.as_ref())).max(skew(vt.transpose()))
}

fn qr_shapes<E: Real>() {
    for kern in sets::<E>() {
        for (m, n, rank) in SHAPES {
            for scale in [1.0, 1e-30, 1e30] {
                let a = matrix(m, n, rank, scale);
                let a = Mat::from_fn(m, n, |i, j| E::of(a[(i, j)]));
                let (q, r) = qr_of(kern, a.as_ref()).unwrap();
                let (q, r, a) = (wide(q.as_ref()), wide(r.as_ref()), wide(a.as_ref()));
                let below = (0..n).flat_map(|j| (j + 1..r.nrows()).map(move |i| (i, j)));
                assert!((0..m.min(n)).all(|i| r[(i, i)] >= 0.0), "{m}x{n}: diagonal");
                assert!(below.into_iter().all(|(i, j)| r[(i, j)] == 0.0), "{m}x{n}: not upper triangular");
                let off = &q * &r - &a;
                for j in 0..n {
                    let bound = 16.0 * E::ROUND.wide() * (m as f64).sqrt() * a.col(j).norm_l2();
                    assert!(off.col(j).norm_l2() <= bound, "{m}x{n} rank {rank} scale {scale}: column {j}");
                }
                assert!(skew(q.as_ref()) <= 40.0 * E::ROUND.wide(), "{m}x{n} rank {rank}: {}", skew(q.as_ref()));
            }
        }
    }
}
fn qr_is_backward_stable_by_columns_in_f64() {
    qr_shapes::<f64>();
}
fn qr_is_backward_stable_by_columns_in_f32() {
    qr_shapes::<f32>();
}
fn qr_does_not_depend_on_strides() {
    for kern in sets::<f64>() {
        let a = matrix(20, 13, 13, 1.0);
        let by_rows = Mat::from_fn(13, 20, |i, j| a[(j, i)]);
        let flipped = Mat::from_fn(20, 13, |i, j| a[(19 - i, 12 - j)]);
        let (q, r) = qr_of(kern, a.as_ref()).unwrap();
        assert_eq!(Ok((q.clone(), r.clone())), qr_of(kern, by_rows.transpose()));
        assert_eq!(Ok((q.clone(), r.clone())), qr_of(kern, flipped.as_ref().reverse_rows_and_cols()));
        let (mut p, mut t) = (Mat::zeros(13, 20), Mat::zeros(13, 13));
        let mut memory = MemBuffer::new(qr::scratch::<f64>(20, 13));
        let (pt, tt) = (p.as_mut().transpose_mut(), t.as_mut().transpose_mut());
        qr::thin(kern, a.as_ref(), pt, tt, MemStack::new(&mut memory)).unwrap();
        assert_eq!((q, r), (p.transpose().to_owned(), t.transpose().to_owned()));
    }
}
fn qr_of_a_triangle_is_itself_and_fails_on_what_is_not_finite() {
    for kern in sets::<f64>() {
        let a = Mat::from_fn(12, 12, |i, j| if i <= j { 1.0 / (1.0 + (i * 12 + j) as f64) } else { 0.0 });
        let (q, r) = qr_of(kern, a.as_ref()).unwrap();
        assert_eq!(q, Mat::<f64>::identity(12, 12));
        assert_eq!(r, a);
        let mut b = matrix(12, 5, 5, 1.0);
        for bad in [f64::NAN, f64::INFINITY] {
            b[(3, 4)] = bad;
            assert_eq!(qr_of(kern, b.as_ref()).err(), Some(Failed));
        }
    }
}
fn qr_of_numbers_at_the_ends_of_the_range() {
    for kern in sets::<f64>() {
        for scale in [1e-320, 1e-308, 1e-160, 1e160, 1e307] {
            let a = matrix(9, 4, 4, scale);
            let (q, r) = qr_of(kern, a.as_ref()).unwrap();
            let off = worst(elements((&q * &r - &a).as_ref())) / worst(elements(a.as_ref()));
            // Denormals have few bits.
            let eps = if scale < 1e-307 { 0.01 } else { 1e-15 };
            assert!(off <= eps && skew(q.as_ref()) <= eps, "{scale}: {off} {}", skew(q.as_ref()));
        }
    }
}

/// Every instruction set against the first one, by bits, at sizes on either side of vectors and panels.
fn sets_agree<E: Real>() {
    let bits = |m: &Mat<E>| elements(wide(m.as_ref()).as_ref()).into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let mut count = 0;
    for m in (1..=40).chain([48, 100]) {
        for n in [1, m / 2 + 1, m, 2 * m + 3] {
            let a = matrix(m, n, if m % 3 == 0 { 1 } else { m }, if m % 2 == 0 { 1.0 } else { 1e-30 });
            let a = Mat::from_fn(m, n, |i, j| E::of(a[(i, j)]));
            let of = |kern| {
                let (q, r) = qr_of(kern, a.as_ref()).unwrap();
                let (u, s, vt) = svd_of(kern, a.as_ref(), Keep::All, [0, usize::MAX]).unwrap();
                let (x, t, y) = svd_of(kern, a.as_ref(), Keep::Relative(E::of(1e-3)), [1, usize::MAX]).unwrap();
                [q, r, u, s, vt, x, t, y].map(|m| bits(&m))
            };
            let mut all = sets::<E>().map(of);
            let first = all.next().unwrap();
            // Emulation takes its time.
            let emulated = (m % 7 == 0).then(|| of(E::portable()));
            for other in all.chain(emulated) {
                assert!(first == other, "{m}x{n}");
                count += 1;
            }
        }
    }
    assert!(count > 0 || sets::<E>().count() == 1, "nothing to compare with");
}
fn instruction_sets_agree_to_the_bit_in_f64() {
    sets_agree::<f64>();
}
fn instruction_sets_agree_to_the_bit_in_f32() {
    sets_agree::<f32>();
}

fn svd_shapes<E: Real>() {
    for kern in sets::<E>() {
        for (m, n, rank) in SHAPES {
            for scale in [1.0, 1e-30, 1e30] {
                let a = matrix(m, n, rank, scale);
                let a = Mat::from_fn(m, n, |i, j| E::of(a[(i, j)]));
                let (u, s, vt) = svd_of(kern, a.as_ref(), Keep::All, [0, usize::MAX]).unwrap();
                assert_eq!(s.nrows(), m.min(n));
                let e = svd_error(a.as_ref(), &u, &s, &vt) / E::ROUND.wide();
                assert!(e <= 60.0 + 2.0 * m.max(n) as f64, "{m}x{n} rank {rank} scale {scale}: {e}");
                let mut t = Mat::zeros(m.min(n), 1);
                let mut memory = MemBuffer::new(svd::scratch::<E>(m, n, true, false));
                svd::values(kern, a.as_ref(), t.as_mut(), MemStack::new(&mut memory)).unwrap();
                let (s, t) = (wide(s.as_ref()), wide(t.as_ref()));
                let top = worst(elements(s.as_ref()));
                assert!(worst(elements((&s - &t).as_ref())) <= 20.0 * E::ROUND.wide() * top, "{m}x{n}: values");
            }
        }
    }
}
fn svd_reconstructs_in_f64() {
    svd_shapes::<f64>();
}
fn svd_reconstructs_in_f32() {
    svd_shapes::<f32>();
}
fn svd_does_not_depend_on_strides() {
    for kern in sets::<f64>() {
        for (m, n) in [(20, 13), (13, 20), (9, 9)] {
            let a = matrix(m, n, m, 1.0);
            let by_rows = Mat::from_fn(n, m, |i, j| a[(j, i)]);
            let all = |a| svd_of(kern, a, Keep::All, [0, usize::MAX]).unwrap();
            assert_eq!(all(a.as_ref()), all(by_rows.transpose()));
        }
    }
}
fn svd_keeps_the_relative_accuracy_of_graded_values() {
    for kern in sets::<f64>() {
        // Scaled columns of the identity in another order, and a bidiagonal matrix whose values are known to be close to
        // its diagonal.
        let n = 12;
        let a = Mat::from_fn(n, n, |i, j| if (i * 5 + 3) % n == j { 10f64.powi(-(j as i32) * 12) } else { 0.0 });
        let (_, s, _) = svd_of(kern, a.as_ref(), Keep::All, [0, usize::MAX]).unwrap();
        for j in 0..n {
            let want = 10f64.powi(-(j as i32) * 12);
            assert!((s[(j, 0)] - want).abs() <= 1e-15 * want, "value {j}");
        }
        let b = Mat::from_fn(n, n, |i, j| match j.wrapping_sub(i) {
            0 => 10f64.powi(-(i as i32) * 3),
            1 => 10f64.powi(-(i as i32) * 3 - 9),
            _ => 0.0,
        });
        let (_, s, _) = svd_of(kern, b.as_ref(), Keep::All, [0, usize::MAX]).unwrap();
        for j in 0..n {
            let want = 10f64.powi(-(j as i32) * 3);
            assert!((s[(j, 0)] - want).abs() <= 1e-11 * want, "value {j}: {}", s[(j, 0)]);
        }
    }
}
fn svd_fails_on_what_is_not_finite() {
    for kern in sets::<f64>() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for (m, n) in [(1, 1), (5, 3), (3, 5), (20, 20)] {
                let mut a = matrix(m, n, n, 1.0);
                a[(m - 1, n / 2)] = bad;
                assert_eq!(svd_of(kern, a.as_ref(), Keep::All, [0, usize::MAX]).err(), Some(Failed));
            }
        }
    }
}
fn svd_at_the_ends_of_the_range() {
    for kern in sets::<f64>() {
        for scale in [1e-320, 1e-308, 1e-160, 1e160, 1e307] {
            let a = matrix(9, 4, 4, scale);
            let (u, s, vt) = svd_of(kern, a.as_ref(), Keep::All, [0, usize::MAX]).unwrap();
            let eps = if scale < 1e-307 { 0.02 } else { 1e-14 };
            assert!(svd_error(a.as_ref(), &u, &s, &vt) <= eps, "{scale}");
        }
    }
}
fn truncation_keeps_what_the_rule_says_whatever_the_rank() {
    for kern in sets::<f64>() {
        for (m, n, rank) in SHAPES {
            let a = matrix(m, n, rank, 1.0);
            let (u, s, vt) = svd_of(kern, a.as_ref(), Keep::Relative(1e-10), [1, usize::MAX]).unwrap();
            assert_eq!(s.nrows(), rank.max(1).min(m).min(n), "{m}x{n} rank {rank}");
            assert!(svd_error(a.as_ref(), &u, &s, &vt) <= 2e-14, "{m}x{n} rank {rank}");
            let (_, whole, _) = svd_of(kern, a.as_ref(), Keep::All, [0, usize::MAX]).unwrap();
            for i in 0..s.nrows() {
                assert!((s[(i, 0)] - whole[(i, 0)]).abs() <= 2e-14 * whole[(0, 0)]);
            }
            // More than stands out from rounding errors, and less than that.
            let (u, s, vt) = svd_of(kern, a.as_ref(), Keep::Relative(1e-10), [rank + 2, usize::MAX]).unwrap();
            assert_eq!(s.nrows(), (rank + 2).min(m).min(n));
            assert!(svd_error(a.as_ref(), &u, &s, &vt) <= 2e-14, "{m}x{n} rank {rank}");
            assert_eq!(svd_of(kern, a.as_ref(), Keep::Relative(1e-10), [0, 3]).unwrap().1.nrows(), rank.min(3));
        }
    }
}
fn truncation_by_each_rule() {
    for kern in sets::<f64>() {
        let a = Mat::from_fn(6, 5, |i, j| if i == j { 0.5f64.powi(i as i32) } else { 0.0 });
        let rank = |keep| svd_of(kern, a.as_ref(), keep, [0, usize::MAX]).unwrap().1.nrows();
        assert_eq!(rank(Keep::Relative(0.2)), 3);
        assert_eq!(rank(Keep::Relative(0.0)), 5);
        assert_eq!(rank(Keep::Relative(f64::NAN)), 0);
        assert_eq!(rank(Keep::Absolute(0.125)), 3);
        assert_eq!(rank(Keep::Absolute(-1.0)), 5);
        assert_eq!(rank(Keep::Tail(0.3)), 2);
        assert_eq!(rank(Keep::Tail(1.0)), 0);
    }
}
/// All of them.
pub const ALL: &[fn()] = &[
    qr_is_backward_stable_by_columns_in_f64,
    qr_is_backward_stable_by_columns_in_f32,
    qr_does_not_depend_on_strides,
    qr_of_a_triangle_is_itself_and_fails_on_what_is_not_finite,
    qr_of_numbers_at_the_ends_of_the_range,
    instruction_sets_agree_to_the_bit_in_f64,
    instruction_sets_agree_to_the_bit_in_f32,
    svd_reconstructs_in_f64,
    svd_reconstructs_in_f32,
    svd_does_not_depend_on_strides,
    svd_keeps_the_relative_accuracy_of_graded_values,
    svd_fails_on_what_is_not_finite,
    svd_at_the_ends_of_the_range,
    truncation_keeps_what_the_rule_says_whatever_the_rank,
    truncation_by_each_rule,
];
