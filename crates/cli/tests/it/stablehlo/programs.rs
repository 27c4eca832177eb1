//! The project's own programs: `tests/stablehlo/*.mlir`.
use super::control::changed;
use super::{entries, folder, root, tfc};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Name, path and text of each.
fn programs() -> Vec<(String, PathBuf, String)> {
    let mut out = vec![];
    for e in std::fs::read_dir(root().join("tests/stablehlo")).unwrap() {
        let p = e.unwrap().path();
        let text = std::fs::read_to_string(&p).unwrap();
        out.push((p.file_stem().unwrap().to_str().unwrap().to_owned(), p, text));
    }
    out.sort();
    assert!(!out.is_empty());
    out
}

#[test]
fn programs_hold_what_they_check_on_both_backends() {
    let dir = folder("programs");
    for (_, path, text) in programs() {
        let file = path.to_str().unwrap();
        for entry in entries(&text) {
            for backend in ["cpu", "interp"] {
                let r = tfc(&dir, &["run", file, "--entry", &entry, "--backend", backend, "--print", "none"]);
                assert_eq!(r.code, 0, "{file} @{entry} on {backend}: {}", r.err);
            }
        }
    }
}

#[test]
fn what_is_imported_prints_and_reads_back() {
    let dir = folder("printed");
    for (name, path, text) in programs() {
        let tfir = format!("{name}.tfir");
        let r = tfc(&dir, &["import", path.to_str().unwrap(), "-o", &tfir]);
        assert_eq!((r.code, r.out.as_str()), (0, ""), "{name}: {}", r.err);
        let written = std::fs::read_to_string(dir.join(&tfir)).unwrap();
        let again = tfc(&dir, &["import", &tfir]);
        assert_eq!(again.out, written, "{name}: {}", again.err);
        for entry in entries(&text) {
            let r = tfc(&dir, &["run", &tfir, "--entry", &entry, "--print", "none"]);
            assert_eq!(r.code, 0, "{tfir} @{entry}: {}", r.err);
        }
    }
}

#[test]
fn every_op_that_is_read_is_in_a_program() {
    let all: String = programs().into_iter().map(|p| p.2).collect();
    let word = |n: &str| {
        let ends =
            |at: usize| !all[at + n.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        all.match_indices(n).any(|m| ends(m.0))
    };
    // The same function serves them all, and its double precision call is in a program.
    let real = |r: &str| format!("lapack_d{}", &r[1..]).replace("dhe", "dsy").replace("dun", "dor");
    let twin = |n: &str| n.strip_prefix("lapack_").is_some_and(|r| word(&real(r)));
    let same = ["SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement"];
    let ops = tfc_stablehlo::ops_read();
    assert!(ops.len() > 130, "{}", ops.len());
    let missing: Vec<_> = ops.into_iter().filter(|n| !word(n) && !twin(n) && !same.contains(&n.as_str())).collect();
    assert!(missing.is_empty(), "no program of tests/stablehlo has {missing:?}");
}

/// Each expected constant by itself, changed in one element, is noticed: exit 4 by one of the functions.
#[test]
fn a_changed_expectation_is_noticed() {
    let dir = folder("control");
    let mut seen = 0;
    for (name, _, text) in programs() {
        for n in 0.. {
            let Some(wrong) = changed(&text, n) else { break };
            std::fs::write(dir.join("p.mlir"), &wrong).unwrap();
            let codes: BTreeSet<i32> = entries(&text)
                .iter()
                .map(|e| tfc(&dir, &["run", "p.mlir", "--entry", e, "--print", "none"]).code)
                .collect();
            assert!(codes.contains(&4), "{name}, expected constant {n}: exit {codes:?}");
            seen += 1;
        }
    }
    assert!(seen > 120, "only {seen} expected constants");
}

#[test]
fn arguments_and_results_by_position_and_a_gradient() {
    let dir = folder("positions");
    let text = "module @m {\n  func.func public @main(%arg0: tensor<2xf64> {mhlo.sharding = \"x\"}, %arg1: tensor<f64>) -> \
                (tensor<f64> {jax.result_info = \"result\"}) {\n    %c = stablehlo.constant dense<0.0> : tensor<f64>\n    \
                %0 = stablehlo.multiply %arg0, %arg0 : tensor<2xf64>\n    %1 = stablehlo.reduce(%0 init: %c) applies \
                stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>\n    %2 = \
                stablehlo.multiply %1, %arg1 : tensor<f64>\n    return %2 : tensor<f64>\n  }\n}\n";
    std::fs::write(dir.join("m.mlir"), text).unwrap();
    let r = tfc(&dir, &["run", "m.mlir", "-i", "0=[1, 2]", "-i", "1=3", "-o", "0=out.npy"]);
    assert!(r.code == 0 && r.out.contains("= 15.0"), "{}{}", r.out, r.err);
    let again = tfc(&dir, &["run", "m.mlir", "-i", "0=[1, 2]", "-i", "1=3", "--expect", "0=@out.npy"]);
    assert_eq!(again.code, 0, "{}", again.err);
    let other = tfc(&dir, &["run", "m.mlir", "-i", "0=[1, 2]", "-i", "1=4", "--expect", "0=@out.npy"]);
    assert_eq!(other.code, 4, "{}", other.err);
    let grad = tfc(&dir, &["grad", "m.mlir", "--wrt", "0", "--run", "-i", "0=[1, 2]", "-i", "1=3"]);
    assert!(grad.code == 0 && grad.out.contains("[6.0, 12.0]"), "{}{}", grad.out, grad.err);
    let check = tfc(&dir, &["grad", "m.mlir", "--wrt", "0,1", "--check"]);
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
}

/// One program serves every size; what JAX asserts of sizes is asked.
#[test]
fn extents_are_named() {
    let dir = folder("symbolic");
    let path = root().join("tests/stablehlo/symbolic.mlir");
    let file = path.to_str().unwrap();
    let text = tfc(&dir, &["import", file]).out;
    assert!(
        text.contains("@main<m, k>(%arg0: f64[m, k], %arg1: f64[k]) -> (f64[m], i32[m, 2]) where m >= 1"),
        "{text}"
    );
    for backend in ["cpu", "interp"] {
        let run = |x: &str, w: &str| tfc(&dir, &["run", file, "--backend", backend, "-i", x, "-i", w]);
        let r = run("0=[[1, 2, 3], [4, 5, 6]]", "1=[1, 0, 2]");
        assert!(r.code == 0 && r.out.contains("[2.3333333333333335, 5.333333333333333]"), "{}{}", r.out, r.err);
        assert!(r.out.contains("i32[2, 2]") && r.out.contains("[1, 1]"), "{}", r.out);
        let r = run("0=[[1], [2], [3], [4]]", "1=[2]");
        assert!(r.code == 0 && r.out.contains("[2.0, 4.0, 6.0, 8.0]"), "{}{}", r.out, r.err);
        let r = run("0=[[1, 2]]", "1=[1, 1]");
        assert!(r.code == 4 && r.err.contains("The number of rows is odd."), "exit {}: {}", r.code, r.err);
        let r = run("0=[[1, 2], [3, 4]]", "1=[1, 1, 1]");
        assert!(r.code == 3 && r.err.contains("E0704"), "exit {}: {}", r.code, r.err);
    }
    let check =
        tfc(&dir, &["grad", file, "--mode", "vjp", "--wrt", "0,1", "--check", "--bind", "m=4", "--bind", "k=3"]);
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
}

/// Divisions that round down, of what is negative too, are extents.
#[test]
fn extents_are_divided() {
    let dir = folder("rounding");
    let path = root().join("tests/stablehlo/rounding.mlir");
    let file = path.to_str().unwrap();
    let text = tfc(&dir, &["import", file]).out;
    let head = "-> (f64[n], i32[floordiv(n + 1, 2)], f64[k, 2]) where k >= 0, n >= 1 {";
    assert!(text.contains(head) && text.contains("start = shape[n - 1]"), "{text}");
    for backend in ["cpu", "interp"] {
        let run = |x: &str, y: &str| tfc(&dir, &["run", file, "--backend", backend, "-i", x, "-i", y]);
        for (x, moved, half) in [("[5]", "[5.0]", "[0]"), ("[5, 6, 7]", "[7.0, 5.0, 6.0]", "[0, 1]")] {
            let r = run(&format!("0={x}"), "1=[1, 2]");
            assert!(r.code == 0 && r.out.contains(moved) && r.out.contains(half), "{x}: {}{}", r.out, r.err);
            assert!(r.out.contains("[[1.0, 2.0]]"), "{}", r.out);
        }
        let r = run("0=[5]", "1=[1, 2, 3]");
        assert!(r.code == 3 && r.err.contains("E0704"), "exit {}: {}", r.code, r.err);
    }
    let check = ["grad", file, "--mode", "vjp", "--wrt", "0,1", "--check", "--bind", "n=5", "--bind", "k=3"];
    let check = tfc(&dir, &check);
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
}

/// A softmax as JAX writes it is one: its derivative does without what cancels. What only looks like it stays what it is.
#[test]
fn softmax_is_recognised() {
    const TEXT: &str = "module @m {
  func.func public @main(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %least = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
    %1 = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %2 = stablehlo.maximum %1, %0 : tensor<2xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x3xf64>
    %6 = stablehlo.exponential %5 : tensor<2x3xf64>
    %zero = stablehlo.constant dense<0.0> : tensor<f64>
    %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %10 = stablehlo.divide %6, %9 : tensor<2x3xf64>
    return %10 : tensor<2x3xf64>
  }
}
";
    let dir = folder("softmax");
    let import = |text: &str| {
        std::fs::write(dir.join("m.mlir"), text).unwrap();
        tfc(&dir, &["import", "m.mlir"]).out
    };
    let read = import(TEXT);
    assert!(read.contains("softmax(%arg0, axis = 1, divide = true)") && !read.contains("exp("), "{read}");
    for backend in ["cpu", "interp"] {
        let r =
            tfc(&dir, &["run", "m.mlir", "--backend", backend, "-i", "0=[[0, 0, 800], [1, 1, 1]]", "-i", "1=zeros"]);
        let want = "[0.3333333333333333, 0.3333333333333333, 0.3333333333333333]";
        assert!(r.code == 0 && r.out.contains(want) && r.out.contains("1.0]"), "{}{}", r.out, r.err);
    }
    let check = tfc(&dir, &["grad", "m.mlir", "--mode", "vjp", "--wrt", "0", "--check"]);
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
    let others = [
        // Another tensor's maximum, sum, exponent; another axis; another bound below.
        ("reduce(%arg0 init: %least)", "reduce(%arg1 init: %least)"),
        ("reduce(%6 init: %zero)", "reduce(%5 init: %zero)"),
        ("divide %6, %9", "divide %5, %9"),
        ("subtract %arg0, %4", "subtract %arg1, %4"),
        ("stablehlo.exponential %5", "stablehlo.tanh %5"),
        ("%1 = stablehlo.broadcast_in_dim %least", "%1 = stablehlo.broadcast_in_dim %zero"),
        ("applies stablehlo.maximum", "applies stablehlo.add"),
        ("divide %6, %9", "divide %9, %6"),
    ];
    for (was, is) in others {
        let text =
            TEXT.replace("    %least =", "    %zero = stablehlo.constant dense<0.0> : tensor<f64>\n    %least =");
        let text = text.replacen("    %zero = stablehlo.constant dense<0.0> : tensor<f64>\n    %7", "    %7", 1);
        assert!(text.contains(was), "{was}");
        let read = import(&text.replace(was, is));
        assert!(read.contains("div(") && !read.contains("softmax"), "{is}:\n{read}");
    }
}

/// Places of the Python source go along.
#[test]
fn locations_are_kept() {
    let dir = folder("locations");
    let text = "module {\n  func.func @main(%x: tensor<f64> loc(unknown)) -> tensor<f64> {\n    %0 = stablehlo.negate %x : \
                tensor<f64> loc(#loc4)\n    %1 = stablehlo.sine %0 : tensor<f64> loc(\"net.py\":9:2)\n    return %1 : \
                tensor<f64> loc(#loc)\n  } loc(#loc)\n} loc(#loc)\n#loc = loc(unknown)\n#loc1 = loc(\"model.py\":41:13)\n#loc2 = \
                loc(\"main.py\":7:0)\n#loc3 = loc(callsite(#loc1 at #loc2))\n#loc4 = loc(\"jit(f)/neg\"(#loc3))\n";
    std::fs::write(dir.join("m.mlir"), text).unwrap();
    let r = tfc(&dir, &["import", "m.mlir"]);
    assert_eq!(r.code, 0, "{}", r.err);
    for want in ["file(\"model.py\", 41, 13)", "file(\"net.py\", 9, 2)", "= neg(%x) #", "= sin("] {
        assert!(r.out.contains(want), "`{want}` is expected in\n{}", r.out);
    }
}

/// MLIR's generic form, modules and functions included, whatever the order of attributes.
#[test]
fn the_generic_form_is_the_same_program() {
    let dir = folder("generic");
    let path = root().join("crates/cli/tests/data/generic.mlir");
    let file = path.to_str().unwrap();
    for backend in ["cpu", "interp"] {
        let r = tfc(&dir, &["run", file, "--backend", backend]);
        assert_eq!(r.code, 0, "{}", r.err);
    }
    let text = tfc(&dir, &["import", file]).out;
    assert!(text.contains("argmax(") && text.contains("module @generic") && !text.contains("reduce {"), "{text}");
    let wrong = std::fs::read_to_string(&path).unwrap().replace("dense<[1, 0]>", "dense<[1, 1]>");
    std::fs::write(dir.join("wrong.mlir"), wrong).unwrap();
    assert_eq!(tfc(&dir, &["run", "wrong.mlir"]).code, 4);
}

/// `b` of a parameter of `2*b + 1` elements is a symbol, and so is what follows from others.
#[test]
fn multiples_of_extents_are_named() {
    let dir = folder("multiples");
    let path = root().join("crates/cli/tests/data/roll.mlir");
    let file = path.to_str().unwrap();
    let text = tfc(&dir, &["import", file]).out;
    assert!(text.contains("@main<b>(%arg0: f32[2*b]) -> f32[2*b] where b >= 1"), "{text}");
    let r = tfc(&dir, &["run", file, "-i", "0=[1, 2, 3, 4]"]);
    assert!(r.code == 0 && r.out.contains("[2.0, 3.0, 4.0, 1.0]"), "{}{}", r.out, r.err);
    assert_eq!(tfc(&dir, &["run", file, "-i", "0=[1, 2, 3]"]).code, 3);
}

/// The other triangle of a factor of LAPACK is what it was.
#[test]
fn the_other_triangle_stays() {
    let dir = folder("triangle");
    for (uplo, want) in [(76, "2.0, 3.0],"), (85, " 1.0,")] {
        let text = format!(
            "func.func @main(%a: tensor<2x2xf64>) -> tensor<2x2xf64> {{\n%0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) \
             {{mhlo.backend_config = {{uplo = {uplo} : ui8}}}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)\nreturn \
             %0#0 : tensor<2x2xf64>\n}}\n"
        );
        std::fs::write(dir.join("p.mlir"), text).unwrap();
        let r = tfc(&dir, &["run", "p.mlir", "-i", "0=[[4, 3], [1, 9]]"]);
        let out = r.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(r.code == 0 && out.contains(want), "{uplo}: {}{}", r.out, r.err);
    }
}

/// A bound that says nothing is not written.
#[test]
fn a_negative_bound_reads_back() {
    let dir = folder("bound");
    let text = "func.func public @main(%x: tensor<?xf64>) -> tensor<?xf64> {\n%0 = stablehlo.get_dimension_size %x, dim = 0 : \
                (tensor<?xf64>) -> tensor<i32>\n%c = stablehlo.constant dense<-1> : tensor<i32>\n%1 = stablehlo.compare GE, \
                %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.custom_call @shape_assertion(%1, %0) \
                {error_message = \"{0}\"} : (tensor<i1>, tensor<i32>) -> ()\n%2 = stablehlo.sine %x : \
                tensor<?xf64>\nreturn %2 : tensor<?xf64>\n}\n";
    std::fs::write(dir.join("p.mlir"), text).unwrap();
    let r = tfc(&dir, &["import", "p.mlir", "-o", "p.tfir"]);
    assert_eq!(r.code, 0, "{}", r.err);
    let again = tfc(&dir, &["check", "p.tfir"]);
    assert_eq!(again.code, 0, "{}", again.err);
}
