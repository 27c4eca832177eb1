//! Products with an elementwise region after them (bias, activation, scaling, residual, several results): the same bits
//! where the region is applied to the product's tiles as where it runs in a call of its own, for each instruction set and
//! number of threads; the values of the reference engine; and the plan says what is joined.
use crate::common::{folder, saved, tfc};

const PROGRAM: &str = r#"tfir 1.0
func @dense_rest<m, n>(%p: f32[m, n], %b: f32[n]) -> (y: f32[m, n]) {
  %bs: f32[m, n] = broadcast_in_dim(%b, dims = [1])
  %h = add(%p, %bs)
  %y = gelu(%h)
  return %y
}
func @dense_dot<m, n, k>(%x: f32[m, k], %w: f32[k, n]) -> (p: f32[m, n]) {
  %p = dot_general(%x, %w, contract = [[1], [0]])
  return %p
}
export func @dense<m, n, k>(%x: f32[m, k], %w: f32[k, n], %b: f32[n]) -> (y: f32[m, n]) {
  %p = call(@dense_dot, %x, %w)
  %y = call(@dense_rest, %p, %b)
  return %y
}
// The product is read twice more, the mask is of another type, and the residual lies across.
func @several_rest<m, n>(%p: f64[m, n], %r: f64[n, m], %c: f64[m]) -> (y: f64[m, n], z: f64[m, n], u: bool[m, n]) {
  %t = transpose(%r, perm = [1, 0])
  %cs: f64[m, n] = broadcast_in_dim(%c, dims = [0])
  %s = mul(%p, %cs)
  %y = add(%s, %t)
  %e = tanh(%s)
  %z = mul(%e, %e)
  %u = gt(%y, %z)
  return %y, %z, %u
}
func @several_dot<m, n, k>(%x: f64[m, k], %w: f64[n, k]) -> (p: f64[m, n]) {
  %p = dot_general(%x, %w, contract = [[1], [1]])
  return %p
}
export func @several<m, n, k>(%x: f64[m, k], %w: f64[n, k], %r: f64[n, m], %c: f64[m])
    -> (p: f64[m, n], y: f64[m, n], z: f64[m, n], u: bool[m, n]) {
  %p = call(@several_dot, %x, %w)
  %y, %z, %u = call(@several_rest, %p, %r, %c)
  return %p, %y, %z, %u
}
// The factor is a summand too: nothing may lie over it.
func @itself_rest<n>(%p: f64[n, n], %x: f64[n, n]) -> (y: f64[n, n]) {
  %h = mul(%x, %x)
  %y = add(%p, %h)
  return %y
}
func @itself_dot<n>(%x: f64[n, n], %w: f64[n, n]) -> (p: f64[n, n]) {
  %h = mul(%x, %x)
  %p = dot_general(%h, %w, contract = [[1], [0]])
  return %p
}
export func @itself<n>(%x: f64[n, n], %w: f64[n, n]) -> (y: f64[n, n]) {
  %h = mul(%x, %x)
  %p = dot_general(%h, %w, contract = [[1], [0]])
  %y = add(%p, %h)
  return %y
}
func @batched_rest<b, m, n>(%p: f32[b, n, m], %s: f32[b, n]) -> (y: f32[b, n, m]) {
  %ss: f32[b, n, m] = broadcast_in_dim(%s, dims = [0, 1])
  %q = sub(%p, %ss)
  %y = max(%q, %p)
  return %y
}
func @batched_dot<b, m, n, k>(%x: f32[b, m, k], %w: f32[b, k, n]) -> (p: f32[b, n, m]) {
  %p = dot_general(%x, %w, contract = [[2], [1]], batch = [[0], [0]], out = [2, 1, 0])
  return %p
}
export func @batched<b, m, n, k>(%x: f32[b, m, k], %w: f32[b, k, n], %s: f32[b, n]) -> (y: f32[b, n, m]) {
  %p = call(@batched_dot, %x, %w)
  %y = call(@batched_rest, %p, %s)
  return %y
}
"#;

/// `factors` and `others` are the inputs of the product and those of the region besides it.
fn same(name: &str, outs: &[&str], [factors, others]: [&str; 2], sizes: &[&str], rtol: &str) {
    let dir = folder(&format!("epilogues-{name}"), PROGRAM);
    let inputs = |names: &str| -> String {
        names.split_whitespace().map(|n| format!(" -i {n}=randn:{}", n.as_bytes()[0])).collect()
    };
    for size in sizes {
        let binds: String = size.split_whitespace().map(|b| format!(" --bind {b}")).collect();
        // The region knows nothing of the contracted axis.
        let kept: String =
            size.split_whitespace().filter(|b| !b.starts_with('k')).map(|b| format!(" --bind {b}")).collect();
        let both: std::collections::BTreeSet<&str> =
            factors.split_whitespace().chain(others.split_whitespace()).collect();
        let all = inputs(&both.into_iter().collect::<Vec<_>>().join(" "));
        let line = |what: &str, data: &str, more: &str| format!("run p.tfir --entry {what}{data}{binds} {more}");
        let product = saved(&dir, "tape", &line(&format!("{name}_dot"), &inputs(factors), "--threads 1"), &["p"]);
        let rest: Vec<&str> = outs.iter().copied().filter(|o| *o != "p").collect();
        let after = format!("run p.tfir --entry {name}_rest{} -i p=@p.npy{kept} --threads 1", inputs(others));
        let later = saved(&dir, "tape", &after, &rest);
        let want: Vec<_> = if outs.len() > rest.len() { product.into_iter().chain(later).collect() } else { later };
        for engine in ["tape", "jit", "avx2", "scalar"] {
            for threads in [1, 2] {
                // The second call replays what the first has bound.
                let got = saved(&dir, engine, &line(name, &all, &format!("--threads {threads} --repeat 2")), outs);
                assert!(want == got, "{name} {size} by {engine} with {threads} threads differs from two calls");
            }
        }
        let expect: String = outs.iter().map(|o| format!(" --expect {o}={o}.npy")).collect();
        let oracle = format!("--backend interp --print none --rtol {rtol} --atol {rtol}{expect}");
        tfc(&dir, "tape", &line(name, &all, &oracle));
    }
}

#[test]
fn bias_and_activation() {
    let sizes =
        ["m=3 n=5 k=7", "m=130 n=100 k=40", "m=97 n=301 k=300", "m=300 n=97 k=1", "m=200 n=0 k=3", "m=96 n=96 k=0"];
    same("dense", &["y"], ["x w", "b"], &sizes, "1e-4");
}
#[test]
fn several_results_and_readers() {
    let sizes = ["m=3 n=5 k=7", "m=130 n=101 k=40", "m=97 n=301 k=270", "m=1 n=9000 k=5"];
    same("several", &["p", "y", "z", "u"], ["x w", "r c"], &sizes, "1e-11");
}
#[test]
fn a_factor_that_is_a_summand() {
    same("itself", &["y"], ["x w", "x"], &["n=1", "n=97", "n=130"], "1e-11");
}
#[test]
fn batches() {
    let sizes = ["b=3 m=40 n=50 k=20", "b=20 m=33 n=35 k=300", "b=300 m=8 n=8 k=8", "b=2 m=200 n=130 k=9"];
    same("batched", &["y"], ["x w", "s"], &sizes, "1e-4");
}
#[test]
fn the_plan_says_what_is_joined() {
    let dir = folder("epilogues-plan", PROGRAM);
    let plan = |entry: &str, n: usize| {
        let binds = if n > 0 { format!("--bind m={n} --bind n={n} --bind k={n}") } else { String::new() };
        tfc(&dir, "jit", &format!("compile p.tfir --entry {entry} {binds} --emit plan"))
    };
    let joined = plan("dense", 512);
    assert!(joined.contains("= dot_general(s0:x, s1:w), and on parts of it\n    s"), "{joined}");
    assert!(joined.contains("in place of s"), "{joined}");
    assert!(!plan("dense", 16).contains("on parts of it"));
    assert!(plan("dense", 0).contains("on parts of it"));
}
