//! `tfc vmap`: what it prints and runs, of this language and of StableHLO, and what it refuses; functions at many indices beside one index
//! after the other, bit for bit, under every engine.
use crate::common::{folder, ran, saved, tfc};
use std::fs;

const AFFINE: &str = "tfir 1.0

export func @main<m, n>(%w: f64[m, n], %x: f64[n]) -> (y: f64[m]) {
  %y = dot_general(%w, %x, contract = [[1], [0]])
  return %y
}
";
const SCALE: &str = "module @jit_f {
  func.func public @main(%arg0: tensor<f64>, %arg1: tensor<3xf64>) -> tensor<3xf64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.multiply %0, %arg1 : tensor<3xf64>
    return %1 : tensor<3xf64>
  }
}
";

#[test]
fn it_prints_and_runs() {
    let dir = folder("vmap", AFFINE);
    fs::write(dir.join("f.mlir"), SCALE).unwrap();
    ran(&dir, "vmap p.tfir --in none,0 --out -1").shows(&[
        "export func @main.vmap<m, n, batch>(%w: f64[m, n], %x: f64[batch, n]) -> (y: f64[m, batch])",
        "dot_general(%w, %x, contract = [[1], [1]])",
    ]);
    assert_eq!(ran(&dir, "vmap p.tfir --in none,0 -o all.tfir --verify-roundtrip").ok(), "");
    let args = "-q -i w=[[1,2],[3,4]] -i x=[[1,0],[0,1],[1,1]]";
    let rows = "y: f64[3, 2] =\n  [[1.0, 3.0],\n   [2.0, 4.0],\n   [3.0, 7.0]]\n";
    ran(&dir, &format!("run all.tfir {args}")).gives(rows);
    ran(&dir, &format!("vmap p.tfir --in none,0 --run {args}")).gives(rows);
    ran(&dir, "vmap f.mlir --in 0,none --run -q -i arg0=[1,2] -i arg1=[1,1,2]")
        .gives("out0: f64[2, 3] =\n  [[1.0, 1.0, 2.0],\n   [2.0, 2.0, 4.0]]\n");
}
#[test]
fn it_refuses_by_name() {
    let dir = folder("vmap-refused", AFFINE);
    for (options, code, words) in [
        ("--in 0", 1, ["E0228", "1 axes for 2 parameters of @main"]),
        ("--in none,none", 1, ["E0222", "none of whose operands is cut"]),
        ("--in none,2", 1, ["E0212", "axis 2 of parameter 1 is out of range for rank 2"]),
        ("--in none,0 --out 2", 1, ["E0212", "axis 2 of result 0 is out of range for rank 2"]),
        ("--in none,0 --out none", 1, ["E0508", "result 0 of @main differs from index to index"]),
        ("--in none,x", 2, ["--in", "an axis is a number, or `none`"]),
        ("--in none,0 -i x=[1]", 2, ["E0901", "`-i` needs `--run`: the program is printed"]),
        ("--in none,0 -o a.tfir -o b.tfir", 2, ["E0901", "the program goes to one file, but several are named"]),
    ] {
        ran(&dir, &format!("vmap p.tfir {options}")).fails(code, &words);
    }
}
/// Loops of other numbers of trips, branches that go other ways: each index gives what it gives alone, and all engines give the same bits.
#[test]
fn each_index_goes_its_own_way() {
    const COUNT: i64 = 40;
    let dir = folder(
        "vmap-ways",
        "tfir 1.1
func @one(%u: f64[], %v: f64[]) -> (f64[], i64[], f64[3]) {
  %nine = const(9.0)
  %tenth = const(0.1)
  %wide = mul(%u, %nine)
  %a = add(%wide, %tenth)
  %d = add(%v, %tenth)
  %start = const(1.0)
  %none = const(0)
  %x, %e, %n = while(%start, %start, %none) {
    cond(%x: f64[], %e: f64[], %n: i64[]) {
      %size = abs(%e)
      %eps = const(1e-9)
      %least = mul(%eps, %x)
      %go = gt(%size, %least)
      yield %go
    }
    body(%x: f64[], %e: f64[], %n: i64[]) {
      %xx = mul(%x, %x)
      %r = sub(%xx, %a)
      %two = add(%x, %x)
      %s = div(%r, %two)
      %step = mul(%s, %d)
      %y = sub(%x, %step)
      %one = const(1)
      %m = add(%n, %one)
      yield %y, %step, %m
    }
  }
  %p = lt(%d, %x)
  %z = cond(%p, %x) {
    then(%c: f64[]) {
      %big = const(1.5)
      %fine = ge(%c, %d)
      check(%fine, \"d is less\")
      %w: f64[3] = broadcast_in_dim(%c, dims = [])
      %s = cumsum(%w, axis = 0)
      %b: f64[3] = broadcast_in_dim(%big, dims = [])
      %t = pow(%s, %b)
      yield %t
    }
    else(%c: f64[]) {
      %w: f64[3] = broadcast_in_dim(%c, dims = [])
      yield %w
    }
  }
  return %x, %n, %z
}
export func @all<n>(%a: f64[n], %d: f64[n]) -> (x: f64[n], n: i64[n], v: f64[n, 3]) {
  %x, %n, %v = vmap(@one, %a, %d)
  return %x, %n, %v
}
export func @loop<n>(%a: f64[n], %d: f64[n]) -> (x: f64[n], n: i64[n], v: f64[n, 3]) {
  %x, %n, %v = scan(%a, %d, axis = [0, 0, 0, 0, 0]) {
    body(%p: f64[], %q: f64[]) {
      %y, %m, %w = call(@one, %p, %q)
      yield %y, %m, %w
    }
  }
  return %x, %n, %v
}
",
    );
    let args = format!("-i a=uniform:1 -i d=uniform:2 --bind n={COUNT} -q");
    let of = |entry: &str, engine: &str| {
        saved(&dir, engine, &format!("run p.tfir --entry {entry} {args}"), &["x", "n", "v"])
    };
    let want = of("loop", "");
    for engine in ["", "jit", "tape", "avx2", "scalar"] {
        assert_eq!(of("all", engine), want, "{engine}");
    }
    // No index, and one.
    for n in [0, 1] {
        let args = args.replace(&format!("n={COUNT}"), &format!("n={n}"));
        let of = |entry: &str| tfc(&dir, "", &format!("run p.tfir --entry {entry} {args}"));
        assert_eq!(of("all"), of("loop"), "{n} indices");
    }
    // What is run again takes the same memory and gives the same.
    assert_eq!(
        tfc(&dir, "", &format!("run p.tfir --entry all {args} --repeat 3")),
        tfc(&dir, "", &format!("run p.tfir --entry all {args}"))
    );
}
