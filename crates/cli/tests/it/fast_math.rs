//! `--fast-math` on cpu: denormal numbers are zeros, products are contracted into sums; in every engine and for one and two
//! threads to the same bits, and for nobody else in the process.
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use crate::common::{folder, saved};
use tfc_cpu::{CompileOptions, Cpu, Executable, RunOptions};
use tfc_ir::{Module, OpSet, Tensor};

const PROGRAM: &str = r#"tfir 1.0
export func @small<n>(%x: f64[n]) -> (y: f64[n]) {
  %k: f64[] = const(1e-10)
  %c: f64[n] = broadcast_in_dim(%k, dims = [])
  %y = mul(%x, %c)
  return %y
}
export func @scalar(%x: f64[]) -> (y: f64[]) {
  %c: f64[] = const(1e-10)
  %y = mul(%x, %c)
  return %y
}
export func @raised<n>(%x: f64[n]) -> (y: f64[n]) {
  %k: f64[] = const(1e100)
  %c: f64[n] = broadcast_in_dim(%k, dims = [])
  %y = mul(%x, %c)
  return %y
}
export func @product<n>(%a: f64[n], %b: f64[n], %c: f64[n], %d: f64[n]) -> (y: f64[n], z: f64[n], w: f64[n], v: f64[n]) {
  %p = mul(%a, %b)
  %y = add(%p, %c)
  %q = mul(%a, %a)
  %z = sub(%d, %q)
  %r = mul(%b, %b)
  %w = sub(%r, %d)
  %s = mul(%b, %c)
  %t = add(%s, %a)
  %v = mul(%t, %s)
  return %y, %z, %w, %v
}
export func @chain(%a: f64[], %b: f64[], %c: f64[]) -> (y: f64[]) {
  %p = mul(%a, %b)
  %y = add(%c, %p)
  return %y
}
export func @mixed<m, n>(%x: f64[m, n], %g: f64[n], %b: f64[n]) -> (y: f64[m, n], s: f64[n]) {
  %l = layer_norm(%x, %g, %b, axes = [1])
  %q = mul(%l, %x)
  %e = exp(%q)
  %r = mul(%e, %x)
  %y = sub(%r, %l)
  %s = reduce_sum(%y, axes = [0])
  return %y, %s
}
export func @fails(%x: f64[]) -> (y: f64[]) {
  %z: f64[] = const(0.0)
  %ok = lt(%x, %z)
  check(%ok, "no")
  %y = mul(%x, %x)
  return %y
}
"#;

/// Runs an entry; the elements of its outputs.
fn run(dir: &Path, engine: &str, options: &str, entry: &str, inputs: &str, outs: &[&str]) -> Vec<Vec<f64>> {
    let line = format!("run p.tfir --entry {entry} {inputs} {options}");
    saved(dir, engine, &line, outs).iter().map(|o| numbers(o)).collect()
}
fn numbers(npy: &[u8]) -> Vec<f64> {
    let start = 10 + u16::from_le_bytes([npy[8], npy[9]]) as usize;
    npy[start..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}
fn save(dir: &Path, name: &str, x: &[f64]) {
    let t = Tensor::from_logical(&[x.len()], x.to_vec()).unwrap();
    tfc_frontend::data::npy::write(&t, &mut fs::File::create(dir.join(name)).unwrap()).unwrap();
}
const ENGINES: [&str; 4] = ["jit", "tape", "avx2", "scalar"];

#[test]
fn denormals_are_kept_unless_they_are_flushed() {
    let dir = folder("fast-denormals", PROGRAM);
    // Enough for two threads to share.
    let n = 300_000;
    save(&dir, "x.npy", &vec![-1e-300; n]);
    save(&dir, "d.npy", &vec![3e-310; 1000]);
    for engine in ENGINES {
        for threads in [1, 2] {
            let go = |more: &str, entry: &str, x: &str| {
                run(&dir, engine, &format!("--threads {threads} {more}"), entry, &format!("-i x={x}"), &["y"]).remove(0)
            };
            let same = |v: Vec<f64>, x: f64| v.iter().all(|y| y.to_bits() == x.to_bits());
            assert!(same(go("", "small", "@x.npy"), -1e-300 * 1e-10), "{engine}");
            assert!(same(go("--fast-math", "small", "@x.npy"), -0.0), "{engine}");
            assert!(same(go("", "scalar", "1e-300"), 1e-310), "{engine}");
            assert!(same(go("--fast-math", "scalar", "1e-300"), 0.0), "{engine}");
            // As operands too.
            assert!(same(go("", "raised", "@d.npy"), 3e-310 * 1e100), "{engine}");
            assert!(same(go("--fast-math", "raised", "@d.npy"), 0.0), "{engine}");
        }
    }
    // The oracle knows nothing of it.
    let v = run(&dir, "jit", "--fast-math --backend interp", "scalar", "-i x=1e-300", &["y"]);
    assert_eq!(v[0][0].to_bits(), 1e-310f64.to_bits());
}

#[test]
fn products_are_contracted_into_sums() {
    let dir = folder("fast-products", PROGRAM);
    let (a, b, n) = (1.0 + 2f64.powi(-30), 1.0 - 2f64.powi(-30), 37);
    let (c, d) = (-1.0, 1.0);
    for (name, x) in [("a.npy", a), ("b.npy", b), ("c.npy", c), ("d.npy", d)] {
        save(&dir, name, &vec![x; n]);
    }
    let plain = [a * b + c, d - a * a, b * b - d, (b * c + a) * (b * c)];
    // The last product has two readers and stays.
    let fused = [a.mul_add(b, c), (-a).mul_add(a, d), b.mul_add(b, -d), (b * c + a) * (b * c)];
    assert!(plain[..3].iter().zip(&fused).all(|(x, y)| x != y), "the example shows the difference");
    for engine in ENGINES {
        for (option, want) in [("", plain), ("--fast-math", fused)] {
            let inputs = "-i a=@a.npy -i b=@b.npy -i c=@c.npy -i d=@d.npy";
            let got = run(&dir, engine, option, "product", inputs, &["y", "z", "w", "v"]);
            for (g, w) in got.iter().zip(want) {
                assert!(g.iter().all(|x| x.to_bits() == w.to_bits()), "{engine} {option}: {} and {w}", g[0]);
            }
            let inputs = format!("-i a={a:?} -i b={b:?} -i c={c:?}");
            let got = run(&dir, engine, option, "chain", &inputs, &["y"]);
            assert_eq!(got[0][0].to_bits(), want[0].to_bits(), "{engine} {option}");
        }
    }
}

#[test]
fn engines_agree() {
    let dir = folder("fast-engines", PROGRAM);
    for (m, n) in [(3, 5), (1, 1), (0, 4), (40, 700)] {
        let inputs = format!("-i x=randn:1 -i g=randn:2 -i b=randn:3 --bind m={m} --bind n={n}");
        let go = |engine: &str, threads: u8| {
            run(&dir, engine, &format!("--fast-math --threads {threads}"), "mixed", &inputs, &["y", "s"])
        };
        let want = go("tape", 1);
        for engine in ENGINES {
            for threads in [1, 2] {
                let got = go(engine, threads);
                let bits = |v: &[Vec<f64>]| v.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert!(bits(&want) == bits(&got), "[{m}, {n}] by {engine} with {threads} threads differs");
            }
        }
    }
}

fn compiled(name: &str) -> Executable {
    let ops = Arc::new(OpSet::core());
    let Ok(p) = tfc_frontend::text::parse_module(PROGRAM.as_bytes(), &ops) else { panic!("{name}") };
    let m: Module = p.module;
    let options = CompileOptions { threads: 2, fast_math: true, ..CompileOptions::default() };
    Cpu::compile(&m, m.find(name).unwrap(), &options).unwrap()
}

#[test]
fn the_caller_keeps_denormals() {
    let usual = || black_box(1e-300f64) * black_box(1e-10) == 1e-310;
    let exe = compiled("small");
    for n in [1, 300_000] {
        let x = Tensor::from_logical(&[n], vec![1e-300f64; n]).unwrap();
        let y = exe.run(&[x], &RunOptions::default()).unwrap().remove(0);
        assert_eq!(y.get::<f64>(&[n - 1]), Some(0.0));
        assert!(usual(), "after a run");
    }
    let exe = compiled("fails");
    assert!(exe.run(&[Tensor::scalar(1.0f64)], &RunOptions::default()).is_err());
    assert!(usual(), "after an error");
}
