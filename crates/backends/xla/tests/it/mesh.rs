//! Programs on several devices of a plugin beside the same ones on one: results, and what devices tell each other, which is held to
//! the costs that docs/sharding.md states. Needs a plugin, as `plugin.rs` does.

use std::path::Path;
use std::sync::Arc;

use crate::common::plugin;
use tfc_api::Kernels;
use tfc_engine::{Backend, Executable, Limits, Options};
use tfc_interp::Oracle;
use tfc_ir::{C64, Module, OpSet, Tensor};
use tfc_stablehlo::{Shardings, Spellings};
use tfc_xla::Xla;

fn module(text: &str) -> Module {
    let ops = Arc::new(OpSet::core());
    tfc_frontend::text::parse_module(text.as_bytes(), &ops).unwrap_or_else(|d| panic!("{d:?}")).module
}
fn sharded(plugin: &Path, text: &str, entry: &str, mesh: &str, shards: &[&str]) -> Box<dyn Executable> {
    let m = module(text);
    let f = m.find(entry).unwrap();
    // None is the program's own.
    let shardings = (!mesh.is_empty()).then(|| Shardings::parse(mesh, shards).unwrap());
    let xla = Xla::new(Spellings::default(), Some(plugin.to_owned())).sharded(shardings);
    xla.compile(m, f, &Options::default()).unwrap_or_else(|e| panic!("{mesh} {shards:?}: {e}"))
}
fn single(text: &str, entry: &str) -> Box<dyn Executable> {
    let mut m = module(text);
    tfc_passes::level(0).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find(entry).unwrap();
    Oracle(Kernels::default().interp).compile(m, f, &Options::default()).unwrap()
}
fn wave(shape: &[usize], phase: f64) -> Tensor {
    let n: usize = shape.iter().product();
    Tensor::from_column_major(shape, (0..n).map(|i| (i as f64 * 0.7 + phase).sin()).collect()).unwrap()
}
/// `all-reduce` and the like, with bytes and devices, as the executable's description lists them.
fn told(e: &dyn Executable) -> Vec<String> {
    e.describe().lines().filter(|l| l.contains(" bytes among ")).map(|l| l.trim().to_owned()).collect()
}

#[test]
fn steps_of_training_are_those_of_one_device() {
    let Some(p) = plugin() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/programs/sharded_mlp.tfir");
    let text = std::fs::read_to_string(path).unwrap();
    let (rows, inputs, hidden, outputs) = (16, 64, 32, 10);
    let train = |f: &dyn Executable| {
        let (x, y) = (wave(&[rows, inputs], 0.1), wave(&[rows, outputs], 2.0));
        let (mut w1, mut w2, mut losses) = (wave(&[inputs, hidden], 1.0), wave(&[hidden, outputs], 3.0), vec![]);
        for _ in 0..20 {
            let out = f.run(&[x.clone(), y.clone(), w1, w2], &Limits::default()).unwrap();
            let [loss, a, b] = <[Tensor; 3]>::try_from(out).unwrap();
            losses.push(loss.item::<f64>().unwrap());
            (w1, w2) = (a, b);
        }
        (losses, w1, w2)
    };
    let (losses, w1, w2) = train(&*single(&text, "step"));
    assert!(losses[19] < 0.9 * losses[0], "{losses:?}");
    for (mesh, d, m) in [
        ("data=4,model=1", 4, 1),
        ("data=2,model=1", 2, 1),
        ("data=1,model=4", 1, 4),
        ("model=2,data=1", 1, 2),
        ("", 2, 2),
        ("model=4,data=2", 2, 4),
    ] {
        let f = sharded(&p, &text, "step", mesh, &[]);
        let got = train(&*f);
        for (a, b) in losses.iter().zip(&got.0) {
            assert!((a - b).abs() <= 1e-6 * a.abs(), "{mesh}: loss {b}, not {a}");
        }
        for (want, got) in [(&w1, &got.1), (&w2, &got.2)] {
            let why = crate::common::differs(want, got);
            assert!(why.is_none(), "{mesh}: {}", why.unwrap_or_default());
        }
        // The page's model of costs, in doubles: over `data` the loss and the gradients of the weights that a device holds, over `model` the
        // outputs of the rows that it holds.
        let mut model = vec![];
        if d > 1 {
            model.push(8 * (1 + (inputs + outputs) * hidden / m));
        }
        if m > 1 {
            model.push(8 * rows * outputs / d);
        }
        let lines = told(&*f);
        println!("{mesh}: {lines:?}, expected {model:?}");
        let bytes = |l: &String| l.split(' ').nth(2).unwrap().parse::<usize>().unwrap();
        assert!(lines.iter().all(|l| l.starts_with("all-reduce of")), "{mesh}: {lines:?}");
        assert_eq!(lines.iter().map(bytes).sum::<usize>(), model.iter().sum::<usize>(), "{mesh}: {lines:?}");
    }
}

#[test]
fn parts_come_together_in_their_places() {
    let Some(p) = plugin() else { return };
    let same = |text: &str, args: &[Tensor], mesh: &str, shards: &[&str]| {
        let f = sharded(&p, text, "f", mesh, shards);
        let (got, want) = (f.run(args, &Limits::default()), single(text, "f").run(args, &Limits::default()).unwrap());
        let got = got.unwrap_or_else(|e| panic!("{mesh} {shards:?}: {e}"));
        for (i, (w, g)) in want.iter().zip(&got).enumerate() {
            let why = crate::common::differs(w, g);
            assert!(why.is_none(), "{mesh} {shards:?}, result {i}: {}", why.unwrap_or_default());
        }
        told(&*f)
    };
    // A contracted axis that is cut: one sum over all devices.
    let dot = "tfir 1.0\nexport func @f(%a: f64[6, 8], %b: f64[8, 4]) -> (c: f64[6, 4]) {\n  %c: f64[6, 4] = \
               dot_general(%a, %b, contract = [[1], [0]])\n  return %c\n}";
    let args = [wave(&[6, 8], 0.0), wave(&[8, 4], 1.0)];
    assert_eq!(same(dot, &args, "k=4", &["a=_,k", "b=k,_"]), ["all-reduce of 192 bytes among 4 devices"]);
    // Every way to cut these, of two axes, on one axis or both; nothing is said where nothing has to be.
    assert!(same(dot, &args, "i=2,j=2", &["a=i,_", "b=_,j", "c=i,j"]).is_empty());
    same(dot, &args, "i=2,j=2", &["a=_,i+j", "b=j+i,_", "c=_,i+j"]);
    same(dot, &args, "i=2,j=2", &["a=_,j+i", "c=_,j"]);
    same(dot, &args, "i=2,j=1,k=3", &["a=k,j", "c=k+i,_"]);
    // Views of other orders, integers, bools, complex numbers, scalars, prints and checks, and extents of the arguments.
    let more =
        "tfir 1.0\nexport func @f<n>(%z: c64[n, 4], %p: bool[n], %k: i64[n]) -> (w: c64[4, n], q: bool[n], s: i64[]) {
  %w: c64[4, n] = transpose(%z, perm = [1, 0])
  %q: bool[n] = not(%p)
  %s: i64[] = reduce_sum(%k, axes = [0])
  check(%all, \"signs\")
  return %w, %q, %s
}"
        .replace("  check(", "  %yes: i64[] = const(100)\n  %all: bool[] = lt(%s, %yes)\n  check(");
    for n in [4usize, 12] {
        let z = (0..4 * n).map(|i| C64::new(i as f64, -0.5 * i as f64)).collect();
        let z = Tensor::from_column_major(&[n, 4], z).unwrap();
        let bools = Tensor::from_column_major(&[n], (0..n).map(|i| i % 3 == 0).collect()).unwrap();
        let args = [z, bools, Tensor::from_column_major(&[n], (0..n as i64).collect()).unwrap()];
        same(&more, &args, "d=4", &["z=d,_", "w=_,d", "p=d", "q=d", "k=d"]);
        same(&more, &args, "d=2,e=2", &["z=e,d", "w=d,_", "q=e+d", "k=d"]);
    }
    let f = sharded(&p, &more, "f", "d=4", &["k=d"]);
    let large = [
        wave_complex(5),
        Tensor::from_column_major(&[5], vec![true; 5]).unwrap(),
        Tensor::from_column_major(&[5], vec![90i64; 5]).unwrap(),
    ];
    let e = f.run(&large, &Limits::default()).unwrap_err();
    assert_eq!(e.data().code.name(), "E1125", "{e}");
}
fn wave_complex(n: usize) -> Tensor {
    Tensor::from_column_major(&[n, 4], (0..4 * n).map(|i| C64::new(i as f64, 1.0)).collect()).unwrap()
}
