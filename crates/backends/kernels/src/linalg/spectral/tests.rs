//! Eigenvalues and vectors on both sides of the size from which matrices are large, by the usual way and by the sure one: of matrices
//! whose values are apart, equal, on a circle or defective, and of those whose vectors have entries of many sizes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::super::factorisation::Factorisation;
use super::super::matrix::{Entry, In, Out};
use super::super::{C32, C64, Field};
use super::{Eig, large};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::{Mat, MatMut, MatRef};
use tfc_ir::Attrs;

const KINDS: [&str; 10] =
    ["random", "graded", "clustered", "jordan", "zero", "cycle", "growing", "symmetric", "tiny", "huge"];
fn matrix<T: Field>(kind: &str, n: usize, seed: u64) -> Mat<T> {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(n as u64);
    let mut next = || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let noise = Mat::<C64>::from_fn(n, n, |_, _| C64::new(next(), if T::IS_REAL { 0.0 } else { next() }));
    let single = size_of::<T::Part>() == 4;
    Mat::from_fn(n, n, |i, j| {
        let z = match kind {
            "graded" => noise[(i, j)] * 10f64.powf(-12.0 * (i as f64 - 0.5 * j as f64) / n as f64),
            // Values 0 and 1 up to rounding, in a basis that is not orthogonal.
            "clustered" => {
                let (u, v) = (noise[(i, 0)], noise[(j, 1)]);
                C64::new(f64::from(i == j && i % 3 == 0), 0.0) + u * v * 1e-3
            }
            "jordan" => C64::new(f64::from(i == j) * 0.5 + f64::from(i + 1 == j), 0.0),
            "zero" => C64::new(0.0, 0.0),
            "cycle" => C64::new(f64::from((i + 1) % n == j), 0.0),
            "growing" => C64::new(
                if i == j {
                    1.0 + i as f64 / 64.0
                } else if j > i {
                    -40.0
                } else {
                    0.0
                },
                0.0,
            ),
            "symmetric" => noise[(i.min(j), i.max(j))],
            "tiny" => noise[(i, j)] * if single { 1e-33 } else { 1e-290 },
            "huge" => noise[(i, j)] * if single { 1e33 } else { 1e290 },
            _ => noise[(i, j)],
        };
        T::of_parts(z.re, z.im)
    })
}
/// How to hand matrices of a type over.
trait Case: Entry {
    fn taken(x: MatRef<Self>) -> In;
    fn given(x: MatMut<Self>) -> Out;
}
macro_rules! cases {
    ($($t:ty: $name:ident;)*) => { $(impl Case for $t {
        fn taken(x: MatRef<Self>) -> In { In::$name(x) }
        fn given(x: MatMut<Self>) -> Out { Out::$name(x) }
    })* };
}
cases! { f32: F32; f64: F64; C32: C32; C64: C64; }

fn check<T: Field + Case>(kind: &str, n: usize, sure: bool)
where
    T::Whole: Case,
{
    let what = format!("eig of {kind} {:?} n = {n}, sure: {sure}", T::DTYPE);
    let a = matrix::<T>(kind, n, 5);
    let (mut w, mut v, mut u) =
        (Mat::<T::Whole>::zeros(n, 1), Mat::<T::Whole>::zeros(n, n), Mat::<T::Whole>::zeros(n, n));
    let f = Eig::of(&Attrs::default());
    let mut memory = MemBuffer::new(if sure { Eig::sure_scratch(n, n) } else { Eig::scratch::<T>(n, n) });
    let stack = MemStack::new(&mut memory);
    let mut outs = [Case::given(w.as_mut()), Case::given(v.as_mut()), Case::given(u.as_mut())];
    let ins = [T::taken(a.as_ref())];
    let done = if sure { f.sure::<T>(&ins, &mut outs, stack) } else { f.run::<T>(&ins, &mut outs, stack) };
    if !sure && n >= large::FROM && ["graded", "clustered", "jordan", "growing"].contains(&kind) && done.is_err() {
        // Substitution in blocks overflows where many values are equal, or a residual is too large: the other way is for this.
        return;
    }
    assert!(done.is_ok(), "{what} failed");
    let wide = |x: (f64, f64)| C64::new(x.0, x.1);
    let by = if kind == "tiny" || kind == "huge" { 1.0 / a[(0, 0)].modulus() } else { 1.0 };
    let a = Mat::<C64>::from_fn(n, n, |i, j| wide(a[(i, j)].parts()) * by);
    let w: Vec<C64> = (0..n).map(|i| wide(w[(i, 0)].parts()) * by).collect();
    let norm = a.norm_l2();
    let limit = 40.0 * T::ULP * norm.max(1e-300) * (n as f64).sqrt();
    for (x, adjoint) in [(&v, false), (&u, true)] {
        let x = Mat::<C64>::from_fn(n, n, |i, j| wide(x[(i, j)].parts()));
        let product = if adjoint { a.adjoint() * &x } else { &a * &x };
        for j in 0..n {
            let value = if adjoint { w[j].conj() } else { w[j] };
            let length = x.col(j).norm_l2();
            assert!((length - 1.0).abs() < 1e3 * T::ULP, "{what}: vector {j} has the norm {length}");
            let off = (0..n).map(|i| (product[(i, j)] - value * x[(i, j)]).norm_sqr()).sum::<f64>().sqrt();
            assert!(off <= limit, "{what}: vector {j}, adjoint: {adjoint}, leaves {off}, more than {limit}");
        }
    }
    let trace = (0..n).fold(C64::new(0.0, 0.0), |s, i| s + a[(i, i)] - w[i]);
    assert!(trace.re.hypot(trace.im) <= limit * n as f64, "{what}: {trace} is missing in the sum of the values");
}
fn on_both_sides_of_the_size() {
    for kind in KINDS {
        for sure in [false, true] {
            for n in [large::FROM - 1, large::FROM, 131] {
                if sure && n < large::FROM {
                    continue;
                }
                check::<f64>(kind, n, sure);
                check::<C64>(kind, n, sure);
            }
            check::<f32>(kind, 90, sure);
            check::<C32>(kind, 90, sure);
        }
    }
    check::<f64>("random", 300, false);
}
/// All of them.
pub const ALL: &[fn()] = &[on_both_sides_of_the_size];
