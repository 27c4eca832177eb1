//! Many small matrices at once: a warp each up to 32 rows and columns, a block each beyond, beside the interpreter; and the same bits
//! by either where both do the same operations.

use std::sync::Arc;

use crate::common::{differs, run};
use tfc_api::Kernels;
use tfc_cuda::Cuda;
use tfc_cuda::host::Host;
use tfc_engine::{Backend, Executable, Options};
use tfc_interp::Oracle;
use tfc_ir::{C64, Module, OpSet, Tensor};
use tfc_testkit::Need;

const TEXT: &str = "tfir 1.0
func @cholesky_D<n, b>(%a: D[n, n, b]) -> D[n, n, b] {
  %l = linalg.cholesky(%a)
  return %l
}
func @lu_D<m, n, b>(%a: D[m, n, b]) -> (D[m, n, b], i64[min(m, n), b], i64[m, b]) {
  %lu, %s, %p = linalg.lu_factor(%a)
  return %lu, %s, %p
}
func @solve_D<n, k, b>(%a: D[n, n, b], %y: D[n, k, b]) -> D[n, k, b] {
  %x = linalg.solve(%a, %y)
  return %x
}
func @qr_D<m, n, b>(%a: D[m, n, b]) -> (D[m, min(m, n), b], D[min(m, n), n, b]) {
  %q, %r = linalg.qr(%a)
  return %q, %r
}
func @eigh_D<n, b>(%a: D[n, n, b]) -> R[n, b] {
  %w, %v = linalg.eigh(%a)
  return %w
}
func @svd_D<m, n, b>(%a: D[m, n, b]) -> R[min(m, n), b] {
  %u, %s, %vt = linalg.svd(%a)
  return %s
}
";
const NAMES: [&str; 6] = ["cholesky", "lu", "solve", "qr", "eigh", "svd"];

/// Numbers without a pattern, from -1 to 1; the diagonal is `n` more where `heavy`, and lines are Hermitian.
fn matrices(n: usize, m: usize, b: usize, seed: u64, heavy: bool) -> Vec<C64> {
    let part = |i: usize, j: usize, k: usize, s: u64| {
        let x = ((i * 71 + j * 13 + k * 101) as u64 + 7 * s + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let x = (x ^ x >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((x ^ x >> 32) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let entry = |i: usize, j: usize, k: usize| match (heavy, i.cmp(&j)) {
        (false, _) => C64::new(part(i, j, k, 0), part(i, j, k, 1)),
        (_, std::cmp::Ordering::Equal) => C64::new(n as f64 + 1.0, 0.0),
        (_, std::cmp::Ordering::Less) => C64::new(part(i, j, k, 0), part(i, j, k, 1)),
        _ => C64::new(part(j, i, k, 0), -part(j, i, k, 1)),
    };
    (0..n * m * b).map(|e| entry(e / (m * b), e / b % m, e % b)).collect()
}
fn tensor(complex: bool, dims: &[usize], x: &[C64]) -> Tensor {
    if complex {
        Tensor::from_logical(dims, x.to_vec()).unwrap()
    } else {
        Tensor::from_logical(dims, x.iter().map(|z| z.re).collect::<Vec<_>>()).unwrap()
    }
}
fn made() -> Option<(Module, Vec<String>, Vec<Box<dyn Executable>>)> {
    let host = Need::Cxx.found(Host::new())?;
    let cuda = Cuda::new(Arc::new(host));
    let ops = Arc::new(OpSet::core());
    let real = TEXT.replace('D', "f64").replace("R[", "f64[");
    let complex = TEXT.replace("tfir 1.0\n", "").replace('D', "c64").replace("R[", "f64[");
    let mut m = tfc_frontend::text::parse_module((real + &complex).as_bytes(), &ops).unwrap().module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let names: Vec<String> = ["f64", "c64"].iter().flat_map(|d| NAMES.map(|n| format!("{n}_{d}"))).collect();
    let list: Vec<_> = names.iter().map(|n| (&m, m.find(n).unwrap())).collect();
    let all = cuda.compile_all(&list, false).unwrap_or_else(|e| panic!("{e} {:?}", e.data().notes));
    let all = all.into_iter().map(|p| Box::new(p.unwrap()) as Box<dyn Executable>).collect();
    Some((m, names, all))
}
#[test]
fn batches_of_small_matrices() {
    let Some((m, names, all)) = made() else { return };
    for (name, p) in names.iter().zip(&all) {
        let oracle =
            Oracle(Kernels::default().interp).compile(m.fork(), m.find(name).unwrap(), &Options::default()).unwrap();
        let complex = name.ends_with("c64");
        let square = !["lu", "qr", "svd"].iter().any(|s| name.starts_with(s));
        for (n, b) in [(1, 3), (2, 50), (5, 11), (8, 40), (16, 9), (31, 2), (32, 5), (33, 2)] {
            let cols = if square { n } else { (n * 2) / 3 + 1 };
            for (rows, cols) in [(n, cols), (cols, n)] {
                let heavy = name.starts_with("cholesky");
                let mut args = vec![tensor(complex, &[rows, cols, b], &matrices(rows, cols, b, 5, heavy))];
                if name.starts_with("solve") {
                    args.push(tensor(complex, &[rows, 3, b], &matrices(rows, 3, b, 9, false)));
                }
                let want = run(&*oracle, &args).unwrap();
                let got = run(&**p, &args).unwrap_or_else(|e| panic!("{name} {n} {b}: {e} {:?}", e.data().notes));
                for (w, g) in want.iter().zip(&got) {
                    // Solutions lose digits where a matrix is nearly singular.
                    let why = if name.starts_with("solve") { apart(w, g) } else { differs(w, g) };
                    assert!(why.is_none(), "{name} {rows} {cols} {b}: {}", why.unwrap());
                }
            }
        }
    }
}
fn list(t: &Tensor) -> Vec<C64> {
    match t.to_logical::<f64>() {
        Some(v) => v.into_iter().map(|x| C64::new(x, 0.0)).collect(),
        None => t.to_logical::<C64>().unwrap(),
    }
}
fn apart(w: &Tensor, g: &Tensor) -> Option<String> {
    let (w, g) = (list(w), list(g));
    let most = w.iter().map(|z| z.norm()).fold(1.0, f64::max);
    let at = w.iter().zip(&g).position(|(w, g)| (w - g).norm() > 1e-9 * most * most)?;
    Some(format!("element {at} is {}, not {}", g[at], w[at]))
}
/// A matrix of 32 rows, and the same beside a 1 on the diagonal: a warp and a block do the same to it.
#[test]
fn a_warp_and_a_block_give_the_same_bits() {
    let Some((_, names, all)) = made() else { return };
    let larger = |x: &[C64], cols: usize, last: f64| -> Vec<C64> {
        let wide = if cols == 32 { 33 } else { cols };
        let entry = |i: usize, j: usize| match (i < 32, j < cols) {
            (true, true) => x[i * cols + j],
            (false, false) => C64::new(last, 0.0),
            _ => C64::ZERO,
        };
        (0..33 * wide).map(|e| entry(e / wide, e % wide)).collect()
    };
    for name in ["cholesky_f64", "cholesky_c64", "lu_f64", "lu_c64", "solve_f64", "solve_c64"] {
        let p = &all[names.iter().position(|n| n == name).unwrap()];
        let complex = name.ends_with("c64");
        let a = matrices(32, 32, 1, 3, name.starts_with("cholesky"));
        let y = matrices(32, 2, 1, 4, false);
        let mut small = vec![tensor(complex, &[32, 32, 1], &a)];
        let mut large = vec![tensor(complex, &[33, 33, 1], &larger(&a, 32, 1.0))];
        if name.starts_with("solve") {
            small.push(tensor(complex, &[32, 2, 1], &y));
            large.push(tensor(complex, &[33, 2, 1], &larger(&y, 2, 0.0)));
        }
        let (s, l) = (run(&**p, &small).unwrap(), run(&**p, &large).unwrap());
        let cols = if name.starts_with("solve") { 2 } else { 32 };
        let wide = if cols == 32 { 33 } else { cols };
        let (s, l) = (list(&s[0]), list(&l[0]));
        for e in 0..32 * cols {
            let other = l[e / cols * wide + e % cols];
            assert_eq!((s[e].re.to_bits(), s[e].im.to_bits()), (other.re.to_bits(), other.im.to_bits()), "{name} {e}");
        }
    }
}
/// A pivot whose square is none any more is one all the same.
#[test]
fn the_smallest_pivots() {
    let Some((_, names, all)) = made() else { return };
    for n in [2, 33] {
        for (name, complex) in [("solve_f64", false), ("solve_c64", true)] {
            let p = &all[names.iter().position(|x| x == name).unwrap()];
            let a: Vec<C64> = (0..n * n)
                .map(|e| {
                    C64::new(
                        if e / n == e % n {
                            1e-200
                        } else if e / n > e % n {
                            5e-201
                        } else {
                            0.0
                        },
                        0.0,
                    )
                })
                .collect();
            // Sums of rows: the solution is 1 everywhere.
            let y: Vec<C64> = a.chunks(n).map(|r| r.iter().sum()).collect();
            let x = run(&**p, &[tensor(complex, &[n, n, 1], &a), tensor(complex, &[n, 1, 1], &y)]).unwrap();
            assert!(list(&x[0]).iter().all(|z| (z - C64::ONE).norm() < 1e-13), "{name} {n}: {:?}", x[0]);
        }
    }
}
