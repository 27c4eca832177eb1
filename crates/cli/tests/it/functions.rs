//! Functions that JAX, Flax and Optax write out, as they export them (`data/functions/*.mlir`): their first and second derivatives
//! are those of the function, at overflows, ties and removable poles too. What is expected is in `data/functions.txt`, written with
//! the programs by `data/functions.py`.
use crate::common::tfc;
use std::path::{Path, PathBuf};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/functions")
}
/// The numbers behind `name` in what was printed, the rows of a matrix one after another.
fn printed(text: &str) -> Vec<f64> {
    let value = text.split_once('=').map_or(text, |p| p.1);
    let words = value.split(|c: char| c == ',' || c == '[' || c == ']' || c.is_whitespace());
    words.filter(|w| !w.is_empty()).map(|w| w.parse().unwrap()).collect()
}
fn list(text: &str) -> Vec<f64> {
    text.trim_matches(['[', ']']).split(',').map(|w| w.parse().unwrap()).collect()
}
/// Within `tolerance`, relative, or as near as denormal numbers can be.
#[track_caller]
fn near(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}: {got:?}");
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let close = g == w || (g - w).abs() <= tolerance * w.abs() + 1e-320;
        assert!(close, "{what}, element {i}: {g:e}, not {w:e}\n{got:?}\n{want:?}");
    }
}
fn derivative(line: &str) -> Vec<f64> {
    printed(&tfc(&programs(), "jit", line))
}

#[test]
fn derivatives_are_those_of_the_function() {
    let table = include_str!("../data/functions.txt");
    for row in table.lines() {
        let fields: Vec<&str> = row.split(" | ").collect();
        let grad = |rest: &str| format!("grad -q {}.mlir --run --print full {rest}", fields[0]);
        match fields.as_slice() {
            [name, x, slope] => near(name, &derivative(&grad(&format!("-i 0={x}"))), &list(slope), 1e-12),
            [name, x, slope, bend] => {
                near(name, &derivative(&grad(&format!("-i 0={x}"))), &list(slope), 2e-14);
                let n = list(x).len();
                let all = derivative(&grad(&format!("--mode hessian -i 0={x}")));
                let diagonal: Vec<f64> = all.chunks(n).enumerate().map(|(i, row)| row[i]).collect();
                near(&format!("second derivative of {name}"), &diagonal, &list(bend), 1e-12);
            }
            [name, x, y, by_x, by_y] => {
                for (wrt, want) in [("0", by_x), ("1", by_y)] {
                    let got = derivative(&grad(&format!("--wrt {wrt} -i 0={x} -i 1={y}")));
                    near(&format!("{name} by {wrt}"), &got, &list(want), 2e-14);
                }
            }
            _ => panic!("{row}"),
        }
    }
}
/// Loops that stop when a value has converged: the incomplete gamma and beta functions, what JAX makes of them, and roots of them by
/// Newton's method. Written by `data/incomplete.py`.
#[test]
fn derivatives_of_loops_have_converged() {
    for row in include_str!("../data/incomplete.txt").lines() {
        let fields: Vec<&str> = row.split(" | ").collect();
        let [name, by, inputs, wanted, tolerance] = fields.as_slice() else { panic!("{row}") };
        let mut line = format!(
            "grad -q {name}.mlir --run --print full --wrt {}",
            by.split_once(',').map_or(*by, |p| if p.0 == p.1 { p.0 } else { by })
        );
        for (i, x) in inputs.split(" ; ").enumerate() {
            line += &format!(" -i {i}={x}");
        }
        let (wanted, tolerance) = (list(wanted), tolerance.parse().unwrap());
        let got = match by.split_once(',') {
            None => derivative(&line),
            Some((i, j)) => {
                let all = tfc(&programs(), "jit", &format!("{line} --mode hessian"));
                // Of two variables: their own second derivatives, and twice the mixed ones.
                let block = all.split("h_").nth(if i == j { 1 } else { 2 }).unwrap();
                printed(block).chunks(wanted.len()).enumerate().map(|(i, row)| row[i]).collect()
            }
        };
        near(&format!("{name} by {by}"), &got, &wanted, tolerance);
    }
}
/// At the ends of what the incomplete functions are defined for, there are the limits from inside; nothing is known where the value is NaN.
#[test]
fn incomplete_functions_have_slopes_at_ends() {
    let grad = |rest: &str| derivative(&format!("grad -q {rest} --run --print full"));
    let gamma = "gammainc_exported.mlir -i 0=[1,2,0.5,3,2,0,-1] -i 1=[0,0,0,0,inf,1,2]";
    let by_x = grad(&format!("{gamma} --wrt 1"));
    assert_eq!(by_x[..6], [1.0, 0.0, f64::INFINITY, 0.0, 0.0, 0.0]);
    let by_a = grad(&format!("{gamma} --wrt 0"));
    assert_eq!(by_a[..5], [0.0; 5]);
    // The exponential integral (DLMF 6.6.2) with its sign.
    near("by a at a = 0", &by_a[5..6], &[-0.219_383_934_395_520_27], 1e-14);
    assert!(by_x[6].is_nan() && by_a[6].is_nan());
    let beta =
        "betainc_exported.mlir -i 0=[1,2,0.5,3,3,3,0,2,inf] -i 1=[3,3,3,1,2,0.5,2,0,2] -i 2=[0,0,0,1,1,1,0.5,0.5,0.5]";
    let by_x = grad(&format!("{beta} --wrt 2"));
    near("by x", &by_x, &[3.0, 0.0, f64::INFINITY, 3.0, 0.0, f64::INFINITY, 0.0, 0.0, 0.0], 1e-14);
    // At a = 0 the slope is that of `a ∫ t^(a-1) (1 - t) dt`, less its limit: log x - x + 1.
    let by_a = grad(&format!("{beta} --wrt 0"));
    near("by a", &by_a, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5_f64.ln() + 0.5, 0.0, 0.0], 1e-13);
}
/// The formula that computes the value stays.
#[test]
fn values_keep_their_bits() {
    let dir = programs();
    let value =
        |name: &str, inputs: &str, mode: &str| tfc(&dir, "jit", &format!("{mode} {name}.mlir --print full {inputs}"));
    for (name, inputs) in [
        ("softplus_naive", "-i 0=[-720,-0.1,3,800]"),
        ("gammainc_exported", "-i 0=[2,200,0.001,7] -i 1=[3,199,0.5,0.1]"),
        ("gammaincc_f32", "-i 0=[2,200,0.001,7] -i 1=[3,199,0.5,0.1]"),
        ("betainc_exported", "-i 0=[2,200,0.001] -i 1=[3,5,0.5] -i 2=[0.3,0.98,1e-5]"),
    ] {
        let plain = value(name, inputs, "run -q --entry main");
        let both = value(name, inputs, "grad -q --mode value-and-grad --run");
        assert_eq!(printed(plain.lines().next().unwrap()), printed(both.lines().next().unwrap()), "{name}");
    }
}
/// A loop that stops at another bound is another function, of which nothing is known.
#[test]
fn what_is_nearly_a_function_is_not_touched() {
    let dir = std::env::temp_dir().join(format!("tfc-nearly-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let text = std::fs::read_to_string(programs().join("gammainc.mlir")).unwrap();
    let other = text.replace("2.2204460492503131E-16", "2.2204460492503131E-6");
    assert_ne!(text, other);
    for (name, text) in [("same.mlir", &text), ("other.mlir", &other)] {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let slope = |name: &str| {
        let at = "-i 0=[2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2] -i 1=[3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3]";
        printed(&tfc(&dir, "jit", &format!("grad -q {name} --run --print full {at}")))[0]
    };
    let (same, other) = (slope("same.mlir"), slope("other.mlir"));
    std::fs::remove_dir_all(&dir).unwrap();
    near("the function", &[same], &[-0.197_425_419_579_202_48], 1e-10);
    // The fraction ends after one trip at a natural number.
    assert!((other - same).abs() > 1e-5, "{other}");
}
