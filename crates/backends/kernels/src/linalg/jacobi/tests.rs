//! Singular values and eigenvalues by the usual way and by Jacobi's, of every size up to 64, on matrices that such methods have failed
//! on elsewhere: graded, with clusters of values, of tiny and of huge norm.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::super::eigh::Eigh;
use super::super::factor::Factor;
use super::super::factorisation::Factorisation;
use super::super::matrix::{Entry, In, Out};
use super::super::svd::Svd;
use super::super::{C32, C64, Field};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::{Mat, MatMut, MatRef};
use tfc_ir::Attrs;

/// Numbers in (-1, 1), by Knuth's linear congruential generator.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    move || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
const KINDS: [&str; 5] = ["random", "graded", "clustered", "tiny", "huge"];
/// A square matrix of that kind, Hermitian if asked for.
fn matrix<T: Field>(kind: &str, n: usize, seed: u64, hermitian: bool) -> Mat<T> {
    let mut next = noise(seed * 64 + n as u64);
    let mut x = Mat::<C64>::from_fn(n, n, |_, _| C64::new(next(), if T::IS_REAL { 0.0 } else { next() }));
    if kind == "clustered" {
        // A unitary matrix between values of which most are equal up to rounding: a reflection of a random vector on either side.
        let d: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1e-9 } else { 1.0 + i as f64 * 1e-15 }).collect();
        let (u, v) = (reflection(&x, 0), reflection(&x, n / 2));
        let v = if hermitian { u.clone() } else { v };
        x = Mat::from_fn(n, n, |i, j| (0..n).fold(C64::new(0.0, 0.0), |s, l| s + u[(i, l)] * d[l] * v[(j, l)].conj()));
    } else if hermitian {
        x = Mat::from_fn(n, n, |i, j| (x[(i, j)] + x[(j, i)].conj()) * 0.5);
    }
    let single = size_of::<T::Part>() == 4;
    let scale = match (kind, single) {
        ("tiny", false) => 1e-290,
        ("tiny", true) => 1e-33,
        ("huge", false) => 1e290,
        ("huge", true) => 1e33,
        _ => 1.0,
    };
    let grade = |i: usize| if kind == "graded" { 10f64.powf(-9.0 * i as f64 / n as f64) } else { 1.0 };
    Mat::from_fn(n, n, |i, j| {
        let z = x[(i, j)] * (scale * grade(i) * grade(j));
        T::of_parts(z.re, z.im)
    })
}
/// `1 − 2 v vᴴ / vᴴ v` for a column.
fn reflection(x: &Mat<C64>, j: usize) -> Mat<C64> {
    let n = x.nrows();
    let size: f64 = (0..n).map(|i| x[(i, j)].norm_sqr()).sum();
    Mat::from_fn(n, n, |i, l| C64::new(f64::from(i == l), 0.0) - x[(i, j)] * x[(l, j)].conj() * (2.0 / size))
}

/// What of a result is checked: vectors, values, and what the matrix is made of with them.
struct Made {
    left: Mat<C64>,
    values: Vec<f64>,
    right: Mat<C64>,
}
/// The largest violation of `a = left · diag(values) · rightᴴ` beside the matrix, and of orthonormality, in units in the last place
/// times the size; and whether values are in order.
fn off<T: Field>(a: &Mat<T>, made: &Made) -> f64 {
    let n = a.nrows();
    let wide = |x: T| C64::new(x.parts().0, x.parts().1);
    let top = made.values.iter().fold(0.0f64, |t, s| t.max(s.abs()));
    let mut worst = 0.0f64;
    let mut see = |x: f64| worst = if x <= worst { worst } else { x };
    for i in 0..n {
        for j in 0..n {
            let unit = C64::new(f64::from(i == j), 0.0);
            let zero = C64::new(0.0, 0.0);
            let back =
                (0..n).fold(zero, |s, l| s + made.left[(i, l)] * (made.values[l] / top) * made.right[(j, l)].conj());
            let entry = wide(a[(i, j)]);
            see((back - C64::new(entry.re / top, entry.im / top)).norm());
            for x in [&made.left, &made.right] {
                let gram = (0..n).fold(zero, |s, l| s + x[(l, i)].conj() * x[(l, j)]);
                see((gram - unit).norm());
            }
        }
    }
    worst / (T::ULP * n as f64)
}
fn taken<T: Field>(x: &Mat<T>) -> Mat<C64> {
    Mat::from_fn(x.nrows(), x.ncols(), |i, j| C64::new(x[(i, j)].parts().0, x[(i, j)].parts().1))
}
/// Runs it: the usual way with what follows where it fails, or the sure way.
type Run<'a> = &'a dyn Fn(&[In], &mut [Out]) -> bool;
fn by<T: Field + Case, F: Factorisation>(n: usize, sure: bool, run: impl FnOnce(Run)) {
    let f = F::of(&Attrs::none());
    let usual = Factor::of(F::ROW, &Attrs::none(), T::DTYPE).unwrap();
    let need = usual.scratch(n, n).or(F::sure_scratch(n, n));
    run(&|ins, outs| {
        let mut memory = MemBuffer::new(need);
        let stack = MemStack::new(&mut memory);
        if sure {
            f.sure::<T>(ins, outs, stack).is_ok()
        } else {
            // SAFETY: each caller makes the results for the extents of the operands.
            unsafe { usual.run(ins, outs, stack) }.is_ok()
        }
    });
}
/// An element type as matrices of any type hold it.
trait Case: Entry {
    fn taken(x: MatRef<Self>) -> In;
    fn given(x: MatMut<Self>) -> Out;
    fn number(self) -> f64;
}
macro_rules! cases {
    ($($t:ty: $name:ident, $real:expr;)*) => { $(impl Case for $t {
        fn taken(x: MatRef<Self>) -> In { In::$name(x) }
        fn given(x: MatMut<Self>) -> Out { Out::$name(x) }
        fn number(self) -> f64 { $real(self) }
    })* };
}
cases! {
    f32: F32, f64::from;
    f64: F64, f64::from;
    C32: C32, |z: C32| f64::from(z.re);
    C64: C64, |z: C64| z.re;
}

fn svd<T: Field + Case>(a: &Mat<T>, sure: bool) -> Made
where
    T::Part: Case,
{
    let n = a.nrows();
    let (mut u, mut s, mut vt) = (Mat::<T>::zeros(n, n), Mat::<T::Part>::zeros(n, 1), Mat::<T>::zeros(n, n));
    by::<T, Svd>(n, sure, |run| {
        let mut outs = [T::given(u.as_mut()), Case::given(s.as_mut()), T::given(vt.as_mut())];
        assert!(run(&[T::taken(a.as_ref())], &mut outs), "svd of {a:?} failed, sure: {sure}");
    });
    let values = (0..n).map(|i| s[(i, 0)].number()).collect();
    Made { left: taken(&u), values, right: Mat::from_fn(n, n, |i, j| taken(&vt)[(j, i)].conj()) }
}
fn eigh<T: Field + Case>(a: &Mat<T>, sure: bool) -> Made
where
    T::Part: Case,
{
    let n = a.nrows();
    let (mut w, mut v) = (Mat::<T::Part>::zeros(n, 1), Mat::<T>::zeros(n, n));
    by::<T, Eigh>(n, sure, |run| {
        let mut outs = [Case::given(w.as_mut()), T::given(v.as_mut())];
        assert!(run(&[T::taken(a.as_ref())], &mut outs), "eigh of {a:?} failed, sure: {sure}");
    });
    let values = (0..n).map(|i| w[(i, 0)].number()).collect();
    Made { left: taken(&v), values, right: taken(&v) }
}
/// Both factorisations by both ways, of all kinds and sizes, with these seeds.
fn sweep<T: Field + Case>(seeds: std::ops::Range<u64>, sizes: impl Iterator<Item = usize> + Clone)
where
    T::Part: Case,
{
    for (kind, n, seed) in KINDS
        .iter()
        .flat_map(|k| sizes.clone().map(move |n| (k, n)))
        .flat_map(|(k, n)| seeds.clone().map(move |s| (*k, n, s)))
    {
        for sure in [false, true] {
            let what = |op: &str| format!("{op} of {kind} {:?} n = {n}, seed {seed}, sure: {sure}", T::DTYPE);
            let a = matrix::<T>(kind, n, seed, false);
            let made = svd(&a, sure);
            let error = off(&a, &made);
            assert!(error < 40.0, "{}: {error}", what("svd"));
            assert!(made.values.windows(2).all(|w| w[0] >= w[1] && w[1] >= 0.0), "{}", what("order of svd"));
            let a = matrix::<T>(kind, n, seed, true);
            let made = eigh(&a, sure);
            let error = off(&a, &made);
            assert!(error < 40.0, "{}: {error}", what("eigh"));
            assert!(made.values.windows(2).all(|w| w[0] <= w[1]), "{}", what("order of eigh"));
        }
    }
}
fn every_small_size_is_factored_by_both_ways() {
    sweep::<f64>(0..1, 1..=64);
    sweep::<C64>(0..1, 1..=64);
    sweep::<f32>(0..1, (1..=64).step_by(3));
    sweep::<C32>(0..1, (2..=64).step_by(3));
    sweep::<f64>(1..4, 1..=12);
    sweep::<C64>(1..4, 1..=12);
}
/// From seed `TFC_FROM` on.
fn thousands_of_matrices_of_every_size() {
    let from = std::env::var("TFC_FROM").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    for seed in from..2000 {
        println!("seed {seed}");
        sweep::<f32>(seed..seed + 1, 1..=64);
        sweep::<f64>(seed..seed + 1, 1..=64);
        sweep::<C32>(seed..seed + 1, 1..=64);
        sweep::<C64>(seed..seed + 1, 1..=64);
    }
}
/// Matrices are scaled by a power of 2 first: the bits of vectors do not depend on the norm, those of values follow it.
fn bits_do_not_depend_on_the_norm() {
    for n in [3, 11, 20] {
        let a = matrix::<C64>("random", n, 7, true);
        let b = Mat::from_fn(n, n, |i, j| a[(i, j)] * 2f64.powi(600));
        for f in [svd::<C64>, eigh::<C64>] {
            let (x, y) = (f(&a, false), f(&b, false));
            assert_eq!(x.left, y.left);
            assert_eq!(x.values.iter().map(|s| s * 2f64.powi(600)).collect::<Vec<_>>(), y.values);
        }
    }
}
/// Rank-deficient matrices have whole bases all the same.
fn columns_without_a_value_are_completed() {
    for (rank, n) in [(0, 4), (1, 5), (3, 9)] {
        let x = matrix::<f64>("random", n, 3, false);
        let a = Mat::from_fn(n, n, |i, j| if j < rank { x[(i, j)] } else { 0.0 });
        let made = svd(&a, true);
        assert!(made.values[rank..].iter().all(|&s| s == 0.0), "{:?}", made.values);
        for i in 0..n {
            for j in 0..n {
                let gram = (0..n).fold(C64::new(0.0, 0.0), |s, l| s + made.left[(l, i)].conj() * made.left[(l, j)]);
                assert!((gram - C64::new(f64::from(i == j), 0.0)).norm() < 1e-14 * n as f64, "rank {rank}");
            }
        }
    }
}
/// All of them.
pub const ALL: &[fn()] =
    &[every_small_size_is_factored_by_both_ways, bits_do_not_depend_on_the_norm, columns_without_a_value_are_completed];
/// For hours.
pub const SOAK: &[fn()] = &[thousands_of_matrices_of_every_size];
