//! Row programs (softmax, log-sum-exp, layer norm, variance, their gradients) in every engine of the backend: the same
//! bits from generated code, from tapes of each instruction set and for one and two threads, and the values of the
//! reference engine; along each axis, for short, long, empty and single rows.
use crate::common::{folder, saved, tfc};

const PROGRAM: &str = r#"tfir 1.0
export func @rows<m, n>(%x: f64[m, n], %g: f64[n], %b: f64[n]) -> (p: f64[m, n], l: f64[m], v: f64[m], y: f64[m, n]) {
  %p = softmax(%x, axis = 1)
  %l = logsumexp(%x, axes = [1])
  %v = var(%x, axes = [1])
  %y = layer_norm(%x, %g, %b, axes = [1])
  return %p, %l, %v, %y
}
export func @columns<m, n>(%x: f32[m, n]) -> (p: f32[m, n], l: f32[n], s: f32[n], t: f32[m, n]) {
  %p = softmax(%x, axis = 0)
  %l = logsumexp(%x, axes = [0])
  %e = exp(%p)
  %s = reduce_sum(%e, axes = [0])
  %r: f32[m, n] = broadcast_in_dim(%s, dims = [1])
  %q = div(%e, %r)
  %t = mul(%q, %x)
  return %p, %l, %s, %t
}
export func @narrow<m, n>(%x: f32[m, n]) -> (p: f32[m, n], l: f32[m], y: f32[m, n], i: f32[m], b: f32[m, n]) {
  %p = softmax(%x, axis = 1)
  %l = logsumexp(%x, axes = [1])
  %t = tanh(%l)
  %c: f32[m, n] = broadcast_in_dim(%t, dims = [0])
  %y = mul(%c, %x)
  %k: i64[m, n] = convert(%y)
  %a = reduce_max(%k, axes = [1])
  %i: f32[m] = convert(%a)
  %s = reduce_min(%x, axes = [1])
  %d: f32[m, n] = broadcast_in_dim(%s, dims = [0])
  %g = gt(%y, %d)
  %b = select(%g, %y, %p)
  return %p, %l, %y, %i, %b
}
export func @large<m, n>(%x: f64[m, n], %g: f64[m]) -> (y: f64[m, n], z: f64[m, n], w: f64[n, m]) {
  %t = tanh(%x)
  %c: f64[m, n] = broadcast_in_dim(%g, dims = [0])
  %y = mul(%t, %c)
  %z = add(%t, %y)
  %s = sub(%z, %x)
  %w = transpose(%s, perm = [1, 0])
  return %y, %z, %w
}
func @loss<m, n>(%x: f64[m, n]) -> f64[] {
  %p = softmax(%x, axis = 1)
  %q = mul(%p, %x)
  %s = reduce_sum(%q, axes = [0, 1])
  return %s
}
"#;

/// The numbers of a `.npy` file whose elements have `size` bytes.
fn numbers(npy: &[u8], size: usize) -> Vec<f64> {
    let start = 10 + u16::from_le_bytes([npy[8], npy[9]]) as usize;
    npy[start..]
        .chunks_exact(size)
        .map(|b| match b.try_into() {
            Ok(b) => f64::from_le_bytes(b),
            Err(_) => f64::from(f32::from_le_bytes(b.try_into().unwrap())),
        })
        .collect()
}
fn same(name: &str, entry: &str, outs: &[&str], size: usize, data: &str, shapes: &[(usize, usize)]) {
    let dir = folder(&format!("rows-{name}"), PROGRAM);
    for &(m, n) in shapes {
        let line = |backend: &str, threads: u8| {
            format!(
                "run p.tfir --entry {entry} {data} --bind m={m} --bind n={n} --backend {backend} --threads {threads}"
            )
        };
        let want = saved(&dir, "tape", &line("cpu", 1), outs);
        for engine in ["jit", "avx2", "scalar"] {
            for threads in [1, 2] {
                let got = saved(&dir, engine, &line("cpu", threads), outs);
                assert!(want == got, "{entry} [{m}, {n}] by {engine} with {threads} threads differs from the tape");
            }
        }
        let plain = saved(&dir, "tape", &line("interp", 1), outs);
        let tolerance = if size == 8 { 1e-11 } else { 2e-4 };
        for ((a, b), out) in want.iter().zip(&plain).zip(outs) {
            for (x, y) in numbers(a, size).into_iter().zip(numbers(b, size)) {
                let near = (x - y).abs() <= tolerance * (1.0 + y.abs()) || x.is_nan() && y.is_nan() || x == y;
                assert!(near, "{entry} [{m}, {n}]: {out} is {x}, {y} by interp");
            }
        }
    }
}

#[test]
fn rows_of_every_kind() {
    let shapes = [(1, 1), (3, 5), (0, 4), (4, 0), (7, 65), (300, 33), (64, 700), (2, 70_001)];
    same("rows", "rows", &["p", "l", "v", "y"], 8, "-i x=randn:1 -i g=randn:2 -i b=randn:3", &shapes);
}
/// Around the lengths of vectors and of what is unrolled; outputs of one element a row between those of whole rows.
#[test]
fn rows_around_vectors() {
    let lengths = [0, 1, 2, 15, 16, 17, 63, 64, 65, 100, 2048];
    let shapes: Vec<(usize, usize)> = lengths.into_iter().map(|n| (9, n)).chain([(700, 40)]).collect();
    same("narrow", "narrow", &["p", "l", "y", "i", "b"], 4, "-i x=randn:1", &shapes);
}
#[test]
fn columns_of_every_kind() {
    let shapes = [(1, 1), (5, 3), (0, 4), (4, 0), (65, 7), (33, 300), (2100, 40), (70_001, 2), (1_100_000, 1)];
    same("columns", "columns", &["p", "l", "s", "t"], 4, "-i x=randn:1", &shapes);
}
/// Large results are written past the caches once their memory is warm, which it is from the second run on.
#[test]
fn results_past_the_caches() {
    let data = "-i x=randn:1 -i g=randn:2 --repeat 3";
    same("large", "large", &["y", "z", "w"], 8, data, &[(1101, 903), (1_000_003, 1), (3, 300_001)]);
}
#[test]
fn gradients_of_rows() {
    let dir = folder("rows-gradients", PROGRAM);
    for (m, n) in [(3, 5), (40, 130)] {
        let line = format!("grad p.tfir --entry loss --wrt x --check --bind m={m} --bind n={n}");
        tfc(&dir, "jit", &line);
    }
}
