//! Lanes against each other and against what defines the factors, on every instruction set; and what lanes report.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use faer::{Mat, MatRef};
use tfc_ir::ops::linalg::Triangular;

/// Numbers in (-1, 1), by Knuth's linear congruential generator.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut x = seed;
    move || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
/// What is in a result before it is written.
const JUNK: u64 = 0x7ff9_1234_7fc1_2345;

/// A result: its extents, and the size of its elements.
type Shape = ([usize; 2], usize);

/// The bytes of the results of each matrix, as words; `None` of one that is reported, of which nothing may be written. `at` matrices are
/// taken at once.
fn run<W: Work, E: Lane>(
    work: W,
    entries: Entries<W>,
    at: usize,
    ins: &[(Vec<Mat<E>>, [usize; 2])],
    outs: &[Shape],
) -> Vec<Option<Vec<Vec<u64>>>> {
    let block = With { work, entries, element: std::marker::PhantomData::<E> };
    let [m, n] = ins[0].1;
    let mut all = vec![];
    for from in (0..ins[0].0.len()).step_by(at) {
        let count = at.min(ins[0].0.len() - from);
        let mut results: Vec<Vec<Vec<u64>>> =
            (0..count).map(|_| outs.iter().map(|(d, z)| vec![JUNK; (d[0] * d[1] * z).div_ceil(8)]).collect()).collect();
        let fresh = results.clone();
        let many =
            |dims: [usize; 2], z: usize| Many { dims, strides: [z as isize, (z * dims[0]) as isize], ..Many::NONE };
        let mut operands = vec![];
        for (mats, dims) in ins {
            let mut x = many(*dims, size_of::<E>());
            for l in 0..count {
                let a = &mats[from + l];
                x.first[l] = a.as_ptr().cast_mut().cast();
                x.strides[1] = a.col_stride() * size_of::<E>() as isize;
            }
            operands.push(x);
        }
        let mut targets: Vec<Many> = outs.iter().map(|(d, z)| many(*d, *z)).collect();
        for (l, r) in results.iter_mut().enumerate() {
            targets.iter_mut().zip(r).for_each(|(t, r)| t.first[l] = r.as_mut_ptr().cast());
        }
        let group = Group { ins: &operands, outs: &targets, count };
        let mut memory = vec![[0u64; 8]; block.bytes(m, n, count).div_ceil(64) + 1];
        let p = memory.as_mut_ptr().cast::<u8>();
        // SAFETY: operands and results have these extents, the memory is that asked for, behind its first multiple of 64.
        let bad = unsafe { block.run(&group, p.add(p.align_offset(64))) };
        for (l, (r, fresh)) in results.into_iter().zip(fresh).enumerate() {
            let reported = bad >> l & 1 == 1;
            assert!(!reported || r == fresh, "{work:?} wrote what it reports");
            let r = r.into_iter().zip(outs).map(|(r, o)| if o.1 == size_of::<E>() { quiet::<E>(r, o.0) } else { r });
            all.push((!reported).then(|| r.collect()));
        }
    }
    all
}
/// The same with one NaN for all: which one it is differs between instructions.
fn quiet<E: Lane>(mut words: Vec<u64>, [m, n]: [usize; 2]) -> Vec<u64> {
    // SAFETY: a result of so many elements.
    let all = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<E>(), m * n) };
    all.iter_mut().filter(|x| x.wide().is_nan()).for_each(|x| *x = E::of(f64::NAN));
    words
}
/// The instruction sets of this machine, the portable one first.
fn sets<W: Work, E: Lane>() -> Vec<Entries<W>> {
    let double = size_of::<E>() == 8;
    let portable = if double {
        Entries { one: scalar_64, all: scalar_64, width: 1 }
    } else {
        Entries { one: scalar_32, all: scalar_32, width: 1 }
    };
    let others = Isa::ALL.into_iter().filter(|i| i.available()).map(|i| entries_for(i, double));
    std::iter::once(portable).chain(others).collect()
}
/// Matrices of every kind: general ones, graded, singular, of one number, of zeros and ones, with NaN, huge and tiny.
fn kinds<E: Lane>(m: usize, n: usize, symmetric: bool, count: usize) -> Vec<Mat<E>> {
    let mut next = noise((m * 100 + n) as u64);
    let tiny = E::TINY.wide();
    (0..count)
        .map(|k| {
            let a = Mat::<f64>::from_fn(m, n, |i, j| match k % 12 {
                1 => next() * 10f64.powi(-(j as i32)),
                2 => f64::from(i == j),
                3 => 0.0,
                4 => (i + 1) as f64 * (j + 2) as f64,
                5 if i + j == 3 => f64::NAN,
                6 => next() * tiny * 4.0,
                7 => next() * 1e30,
                8 => f64::from(i >= j),
                9 => f64::from(u8::from(next() > 0.6)),
                10 if i == j => 3.0 + i as f64,
                10 => -0.0,
                _ => next(),
            });
            let (q, d) = (m.min(n), k % 12 == 11);
            Mat::from_fn(m, n, |i, j| {
                let x = if symmetric && i < q && j < q && i < j { a[(j, i)] } else { a[(i, j)] };
                // Every twelfth is positive definite.
                E::of(if d && i == j { x.abs() + 2.0 * m as f64 } else { x })
            })
        })
        .collect()
}
/// The same bits in every lane, beside any others and alone, on every instruction set.
fn alike<W: Work, E: Lane>(work: W, ins: &[(Vec<Mat<E>>, [usize; 2])], outs: &[Shape]) -> usize {
    let mut sets = sets::<W, E>().into_iter();
    let first = run(work, sets.next().unwrap(), 1, ins, outs);
    for set in sets {
        // Beginning elsewhere, each matrix stands in other lanes.
        for from in [0, 1, 5] {
            let moved: Vec<_> = ins.iter().map(|(a, d)| (a[from..].to_vec(), *d)).collect();
            let found = run(work, set, set.width, &moved, outs);
            for (k, (x, y)) in first[from..].iter().zip(&found).enumerate() {
                assert!(x == y, "{work:?} {:?}: matrix {} in groups of {} from {from}", ins[0].1, k + from, set.width);
            }
            assert!(run(work, set, 1, &moved, outs) == found, "{work:?} {:?}: alone", ins[0].1);
        }
    }
    first.iter().flatten().count()
}
fn all_alike<E: Lane>() {
    let z = size_of::<E>();
    // Of 40 matrices four are 0 and four hold NaN or have no elements that would.
    let count = 40;
    for n in [1, 2, 3, 4, 7, 8, 13, 32] {
        let square = vec![(kinds::<E>(n, n, true, count), [n, n])];
        let v = ([n, n], z);
        assert!(alike(Cholesky, &square, &[v]) > 3);
        for by_modulus in [false, true] {
            assert!(alike(Eigh { by_modulus }, &square, &[([n, 1], z), v]) > 30);
        }
        for p in [1, n, 11] {
            let sides = [square[0].clone(), (kinds::<E>(n, p, false, count), [n, p])];
            let t = Triangular { left: true, lower: p == n, transpose: p == 1, conj: false, unit: p == 11 };
            assert_eq!(alike(Substitution(t), &sides, &[([n, p], z)]), count);
            if n <= Solve::LIMIT {
                // More right-hand sides than it takes are reported.
                assert_eq!(alike(Solve, &sides, &[([n, p], z)]) > 3, p <= 8);
            }
        }
        for m in [1, n, n + 3].into_iter().filter(|&m| m <= SMALL) {
            let (k, a) = (m.min(n), vec![(kinds::<E>(m, n, false, count), [m, n])]);
            assert!(alike(Lu, &a, &[([m, n], z), ([k, 1], 8), ([m, 1], 8)]) > 3);
            assert!(alike(Qr, &a, &[([m, k], z), ([k, n], z)]) > 20);
            assert!(alike(Packed, &a, &[([m, n], z), ([k, 1], z)]) > 20);
            assert!(alike(Svd, &a, &[([m, k], z), ([k, 1], z), ([k, n], z)]) > 10);
        }
    }
}
fn a_matrix_has_the_same_bits_in_any_lane_in_f64() {
    all_alike::<f64>();
}
fn a_matrix_has_the_same_bits_in_any_lane_in_f32() {
    all_alike::<f32>();
}

/// A system solved in one step has the bits that its factors and two substitutions give.
fn a_system_is_solved_as_by_its_factors() {
    let (set, f) = (<f64 as Lane>::entries::<Solve>(), <f64 as Lane>::entries::<Lu>());
    let t = <f64 as Lane>::entries::<Substitution>();
    let mut solved = 0;
    for (n, p) in [(1, 1), (2, 3), (5, 1), (8, 8), (24, 2)] {
        let (a, b) = (kinds::<f64>(n, n, false, 24), kinds::<f64>(n, p, false, 24));
        let (a, b) = ((a, [n, n]), (b, [n, p]));
        let x = run(Solve, set, set.width, &[a.clone(), b.clone()], &[([n, p], 8)]);
        let parts = run(Lu, f, f.width, std::slice::from_ref(&a), &[([n, n], 8), ([n, 1], 8), ([n, 1], 8)]);
        for (k, (x, parts)) in x.iter().zip(&parts).enumerate() {
            let (Some(x), Some(parts)) = (x, parts) else {
                assert!(x.is_none() && parts.is_none(), "{n} {k}");
                continue;
            };
            let lu = matrix::<f64>(&parts[0], [n, n]);
            let moved = Mat::from_fn(n, p, |i, j| b.0[k][(parts[2][i] as usize, j)]);
            let left = Triangular { left: true, lower: true, transpose: false, conj: false, unit: true };
            let right = Triangular { lower: false, unit: false, ..left };
            let step = |t_of: Triangular, b: Mat<f64>| {
                let ins = [(vec![lu.clone()], [n, n]), (vec![b], [n, p])];
                run(Substitution(t_of), t, 1, &ins, &[([n, p], 8)])[0].clone().unwrap()[0].clone()
            };
            let y = matrix::<f64>(&step(left, moved), [n, p]);
            assert_eq!(x[0], step(right, y), "{n} {k}");
            solved += 1;
        }
    }
    assert!(solved > 60, "{solved}");
}

fn matrix<E: Lane>(words: &[u64], [m, n]: [usize; 2]) -> Mat<f64> {
    // SAFETY: a result of so many elements.
    let all = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<E>(), m * n) };
    Mat::from_fn(m, n, |i, j| all[i + j * m].wide())
}
fn wide<E: Lane>(a: &Mat<E>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].wide())
}
/// The largest element in magnitude; NaN counts as infinite.
fn worst(a: MatRef<f64>) -> f64 {
    let all = (0..a.ncols()).flat_map(|j| (0..a.nrows()).map(move |i| a[(i, j)].abs()));
    all.fold(0.0, |t, x| {
        if x <= t {
            t
        } else if x.is_nan() {
            f64::INFINITY
        } else {
            x
        }
    })
}
fn skew(q: MatRef<f64>) -> f64 {
    let n = q.ncols();
    worst((q.transpose() * q - Mat::<f64>::identity(n, n)).as_ref())
}
/// The machine's lanes on matrices of every kind: residual and orthogonality in units of rounding, relative to the norm.
fn errors<E: Lane>() {
    let (z, round) = (size_of::<E>(), E::ROUND.wide());
    let mut done = 0;
    for (m, n) in [(1, 1), (2, 2), (3, 3), (5, 3), (3, 5), (8, 8), (16, 16), (32, 20), (32, 32)] {
        let (k, count) = (m.min(n), 48);
        let bound = 20.0 + 2.0 * m.max(n) as f64;
        let a = kinds::<E>(m, n, true, count);
        let ins = vec![(a.clone(), [m, n])];
        let size = |a: &Mat<f64>| {
            let top = worst(a.as_ref()).max(f64::MIN_POSITIVE);
            let all = (0..n).flat_map(|j| (0..m).map(move |i| a[(i, j)] / top));
            top * all.map(|x| x * x).sum::<f64>().sqrt().max(1.0)
        };
        let check = |what: &str, i: usize, off: Mat<f64>, a: &Mat<f64>, skews: &[f64]| {
            // Subnormal numbers have no units of that size.
            let off = if worst(a.as_ref()) < E::TINY.wide() * 1e3 { 0.0 } else { worst(off.as_ref()) / size(a) };
            let e = skews.iter().copied().fold(off, f64::max) / round;
            // Each rotation of a sweep adds a rounding to both sides.
            let bound = if what == "svd" { bound + 40.0 } else { bound };
            assert!(e <= bound, "{what} of {m} x {n}, kind {}: {e}", i % 12);
        };
        let of = run(Qr, E::entries::<Qr>(), E::entries::<Qr>().width, &ins, &[([m, k], z), ([k, n], z)]);
        for (i, r) in of.iter().enumerate() {
            let (Some(r), a) = (r, wide(&a[i])) else { continue };
            let (q, r) = (matrix::<E>(&r[0], [m, k]), matrix::<E>(&r[1], [k, n]));
            assert!((0..k).all(|i| r[(i, i)] >= 0.0), "diagonal");
            check("qr", i, &q * &r - &a, &a, &[skew(q.as_ref())]);
            done += 1;
        }
        let outs = [([m, k], z), ([k, 1], z), ([k, n], z)];
        // Larger ones go the other way.
        let small = m.max(n) <= Svd::LIMIT;
        let of = if small { run(Svd, E::entries::<Svd>(), E::entries::<Svd>().width, &ins, &outs) } else { vec![] };
        for (i, r) in of.iter().enumerate() {
            let (Some(r), a) = (r, wide(&a[i])) else { continue };
            let (u, s, vt) = (matrix::<E>(&r[0], [m, k]), matrix::<E>(&r[1], [k, 1]), matrix::<E>(&r[2], [k, n]));
            assert!((1..k).all(|i| s[(i - 1, 0)] >= s[(i, 0)] && s[(i, 0)] >= 0.0), "order");
            let us = Mat::from_fn(m, k, |i, j| u[(i, j)] * s[(j, 0)]);
            check("svd", i, &us * &vt - &a, &a, &[skew(u.as_ref()), skew(vt.transpose())]);
            done += 1;
        }
        if m != n {
            continue;
        }
        let work = Eigh { by_modulus: false };
        let of = run(work, E::entries::<Eigh>(), E::entries::<Eigh>().width, &ins, &[([n, 1], z), ([n, n], z)]);
        for (i, r) in of.iter().enumerate() {
            let (Some(r), a) = (r, wide(&a[i])) else { continue };
            let (w, v) = (matrix::<E>(&r[0], [n, 1]), matrix::<E>(&r[1], [n, n]));
            assert!((1..n).all(|i| w[(i - 1, 0)] <= w[(i, 0)]), "order");
            let vw = Mat::from_fn(n, n, |i, j| v[(i, j)] * w[(j, 0)]);
            check("eigh", i, &a * &v - &vw, &a, &[skew(v.as_ref())]);
            done += 1;
        }
        let outs = [([n, n], z), ([n, 1], 8), ([n, 1], 8)];
        let of = run(Lu, E::entries::<Lu>(), E::entries::<Lu>().width, &ins, &outs);
        for (i, r) in of.iter().enumerate() {
            let (Some(r), a) = (r, wide(&a[i])) else { continue };
            let lu = matrix::<E>(&r[0], [n, n]);
            let l = Mat::from_fn(n, n, |i, j| if i > j { lu[(i, j)] } else { f64::from(i == j) });
            let u = Mat::from_fn(n, n, |i, j| if i <= j { lu[(i, j)] } else { 0.0 });
            let pa = Mat::from_fn(n, n, |i, j| a[(r[2][i] as usize, j)]);
            assert!(worst(l.as_ref()) <= 1.0, "pivots");
            check("lu", i, &l * &u - &pa, &a, &[]);
            done += 1;
        }
    }
    assert!(done > 1000, "{done}");
}
fn factors_are_those_of_the_matrix_in_f64() {
    errors::<f64>();
}
fn factors_are_those_of_the_matrix_in_f32() {
    errors::<f32>();
}
fn singular_values_of_graded_columns_are_found_to_their_last_digits() {
    // Orthogonal columns of sizes 1, 1e-6, 1e-12 …: their sizes are the values.
    let n = 8;
    let h = |i: usize, j: usize| if (i & j).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
    let a = Mat::from_fn(n, n, |i, j| h(i, j) * 10f64.powi(-6 * j as i32));
    let entries = <f64 as Lane>::entries::<Svd>();
    let outs = [([n, n], 8), ([n, 1], 8), ([n, n], 8)];
    let of = run(Svd, entries, entries.width, &[(vec![a.clone(), a], [n, n])], &outs);
    for r in of {
        let s = matrix::<f64>(&r.unwrap()[1], [n, 1]);
        for j in 0..n {
            let want = 8f64.sqrt() * 10f64.powi(-6 * j as i32);
            assert!((s[(j, 0)] - want).abs() <= 1e-15 * want, "value {j}: {}", s[(j, 0)]);
        }
    }
}
fn what_has_no_factors_is_reported() {
    let one = |a: Mat<f64>| {
        let n = a.nrows();
        let ins = [(vec![a], [n, n])];
        let outs = [([n, n], 8)];
        run(Cholesky, <f64 as Lane>::entries::<Cholesky>(), 1, &ins, &outs)[0].is_some()
    };
    assert!(one(Mat::identity(3, 3)));
    assert!(!one(Mat::zeros(3, 3)));
    assert!(!one(Mat::from_fn(2, 2, |i, j| if i == j { -1.0 } else { 0.0 })));
    assert!(!one(Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 2.0 })));
    assert!(!one(Mat::from_fn(2, 2, |i, j| if i == j { f64::NAN } else { 0.0 })));
    assert!(!one(Mat::from_fn(2, 2, |i, j| if i == j { f64::INFINITY } else { 0.0 })));
    let zeros = [(vec![Mat::<f64>::zeros(3, 3)], [3, 3])];
    let outs = [([3, 3], 8), ([3, 1], 8), ([3, 1], 8)];
    assert!(run(Lu, <f64 as Lane>::entries::<Lu>(), 1, &zeros, &outs)[0].is_none());
}
/// All of them.
pub const ALL: &[fn()] = &[
    a_matrix_has_the_same_bits_in_any_lane_in_f64,
    a_matrix_has_the_same_bits_in_any_lane_in_f32,
    a_system_is_solved_as_by_its_factors,
    factors_are_those_of_the_matrix_in_f64,
    factors_are_those_of_the_matrix_in_f32,
    singular_values_of_graded_columns_are_found_to_their_last_digits,
    what_has_no_factors_is_reported,
];
