//! Each eval on a small input: derivatives beside differences of the function, and the answers that GradBench expects.
use crate::{Tool, evals};
use serde_json::{Value, json};
use tfc::prelude::*;

fn answer(module: &str, function: &str, input: &Value) -> Value {
    let tool = Tool { executor: GraphExecutor::new(CpuBackend::new().threads(1)), print: false };
    let message = json!({ "module": module, "function": function, "input": input });
    let answer = tool.evaluate(&message).unwrap_or_else(|e| panic!("{module} {function}: {e}"));
    assert_eq!(answer["success"], true);
    assert!(answer["timings"].as_array().is_some_and(|t| t.len() > 1));
    answer["output"].clone()
}
/// The numbers of an output, in order.
fn numbers(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(all) => all.iter().flat_map(numbers).collect(),
        Value::Object(all) => all.values().flat_map(numbers).collect(),
        v => v.as_f64().into_iter().collect(),
    }
}
/// Numbers that look random, between −1 and 1.
fn some(n: usize, seed: f64) -> Vec<f64> {
    (0..n).map(|i| ((i as f64 + seed) * (i as f64 + 2.0 * seed) * 1.7).sin()).collect()
}
fn rows(n: usize, length: usize, seed: f64) -> Vec<Vec<f64>> {
    some(n * length, seed).chunks(length).map(<[f64]>::to_vec).collect()
}
/// The number of an input at a place: a name, then indices.
fn place<'v>(input: &'v mut Value, at: &[&str]) -> &'v mut Value {
    at.iter().fold(input, |v, step| match step.parse::<usize>() {
        Ok(i) => &mut v[i],
        Err(_) => &mut v[*step],
    })
}
/// The difference quotient of a function's numbers by one number of its input.
fn quotient(module: &str, function: &str, input: &Value, at: &[&str]) -> Vec<f64> {
    let h = 1e-5;
    let moved = |by: f64| {
        let mut input = input.clone();
        let v = place(&mut input, at);
        *v = (v.as_f64().unwrap_or_else(|| panic!("a number at {at:?}")) + by).into();
        numbers(&answer(module, function, &input))
    };
    moved(h).into_iter().zip(moved(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect()
}
fn close(got: f64, want: f64, what: &str) {
    assert!((got - want).abs() <= 1e-6 * (1.0 + want.abs()), "{what}: {got}, by differences {want}");
}

#[test]
fn hello() {
    assert_eq!(answer("hello", "square", &json!(3.0)), json!(9.0));
    assert_eq!(answer("hello", "double", &json!(3.0)), json!(6.0));
}
#[test]
fn functions_of_a_vector() {
    let x = some(4, 3.0);
    for (module, input) in
        [("lse", json!({ "x": x })), ("llsq", json!({ "x": x, "n": 7 })), ("ode", json!({ "x": x, "s": 3 }))]
    {
        let gradient = numbers(&answer(module, "gradient", &input));
        assert_eq!(gradient.len(), 4);
        for (i, g) in gradient.iter().enumerate() {
            let by = quotient(module, "primal", &input, &["x", &i.to_string()]);
            close(*g, *by.last().unwrap_or(&f64::NAN), &format!("{module} {i}"));
        }
    }
}
#[test]
fn determinants() {
    let input = json!({ "A": [2.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 4.0], "ell": 3 });
    assert_eq!(answer("det", "primal", &input), json!(18.0));
    let gradient = numbers(&answer("det", "gradient", &input));
    for (i, g) in gradient.iter().enumerate() {
        close(*g, quotient("det", "primal", &input, &["A", &i.to_string()])[0], "det");
    }
    assert_eq!(answer("det", "primal", &json!({ "A": [5.0], "ell": 1 })), json!(5.0));
}
#[test]
fn mixtures() {
    for d in [1, 3] {
        let (k, n) = (2, 5);
        let lower = d * (d - 1) / 2;
        let l = if lower == 0 { vec![vec![]; k] } else { rows(k, lower, 7.0) };
        let input = json!({
            "d": d, "k": k, "n": n, "x": rows(n, d, 1.0), "m": 2, "gamma": 1.5,
            "alpha": some(k, 2.0), "mu": rows(k, d, 4.0), "q": rows(k, d, 5.0), "l": l,
        });
        let jacobian = answer("gmm", "jacobian", &input);
        for name in ["mu", "q", "l"] {
            for (i, row) in jacobian[name].as_array().into_iter().flatten().enumerate() {
                for (j, g) in numbers(row).into_iter().enumerate() {
                    let by = quotient("gmm", "objective", &input, &[name, &i.to_string(), &j.to_string()]);
                    close(g, by[0], &format!("gmm {name} {i} {j}"));
                }
            }
        }
        for (i, g) in numbers(&jacobian["alpha"]).into_iter().enumerate() {
            close(g, quotient("gmm", "objective", &input, &["alpha", &i.to_string()])[0], "gmm alpha");
        }
    }
}
#[test]
fn networks() {
    let (b, l, c) = (3, 2, 4);
    let input = json!({
        "main_params": rows(2 * l, 4 * b, 1.0), "extra_params": rows(3, b, 2.0),
        "state": rows(2 * l, b, 3.0), "sequence": rows(c, b, 4.0),
    });
    let gradient = numbers(&answer("lstm", "jacobian", &input));
    assert_eq!(gradient.len(), 2 * l * 4 * b + 3 * b);
    for (i, g) in gradient.iter().enumerate() {
        let (name, i, length) =
            if i < 8 * l * b { ("main_params", i, 4 * b) } else { ("extra_params", i - 8 * l * b, b) };
        let at = [name, &(i / length).to_string(), &(i % length).to_string()];
        close(*g, quotient("lstm", "objective", &input, &at)[0], &format!("lstm {at:?}"));
    }
}
#[test]
fn clusters() {
    // Newton's step goes to the mean of the points of each cluster, with the other sign.
    let input = json!({ "points": [[0.0, 0.0], [2.0, 0.0], [10.0, 9.0]], "centroids": [[0.5, 1.0], [10.0, 10.0]] });
    close(numbers(&answer("kmeans", "cost", &input))[0], 0.25 + 1.0 + 2.25 + 1.0 + 1.0, "cost");
    let step = numbers(&answer("kmeans", "dir", &input));
    for (got, want) in step.into_iter().zip([-0.5, 1.0, 0.0, 1.0]) {
        close(got, want, "dir");
    }
}
#[test]
fn bundles() {
    // With and without a rotation.
    for turn in [0.3, 0.0] {
        let mut cam = some(11, 2.0);
        (cam[0], cam[1], cam[2]) = (turn, -turn, 0.5 * turn);
        let input = json!({ "n": 1, "m": 1, "p": 1, "cam": cam, "x": [0.2, -0.4, 5.0], "w": 0.7, "feat": [0.1, 0.2] });
        let out = answer("ba", "jacobian", &input);
        let values = numbers(&out["vals"]);
        assert_eq!(numbers(&out["rows"]), [0.0, 15.0, 30.0, 31.0, 31.0]);
        assert_eq!(numbers(&out["cols"])[..15], (0..15).map(f64::from).collect::<Vec<_>>()[..]);
        for i in (0..15).filter(|&i| turn != 0.0 || i > 2) {
            let at: &[&str] = match i {
                0..11 => &["cam", &i.to_string()],
                11..14 => &["x", &(i - 11).to_string()],
                _ => &["w"],
            };
            let by = quotient("ba", "objective", &input, at);
            // Objects come in the order of their names: elements, repeated, element.
            close(values[i], by[0], &format!("ba {i}"));
            close(values[15 + i], by[1], &format!("ba {i}"));
        }
        close(values[30], -1.4, "ba w");
    }
}
#[test]
fn hands() {
    let bones = 22;
    let matrices = |seed: f64| -> Vec<Vec<Vec<f64>>> { (0..bones).map(|b| rows(4, 4, seed + b as f64)).collect() };
    let parents: Vec<i64> = (0..bones as i64).map(|b| if b == 0 { -1 } else { (b - 1) / 2 }).collect();
    let mut input = json!({
        "theta": some(26, 1.0), "us": [],
        "data": {
            "correspondences": [2, 0],
            "points": rows(2, 3, 2.0),
            "model": {
                "parents": parents, "base_relatives": matrices(3.0), "inverse_base_absolutes": matrices(40.0),
                "base_positions": rows(5, 4, 5.0), "weights": rows(5, bones, 6.0), "triangles": [[0, 1, 2], [1, 2, 3], [4, 3, 0]],
                "is_mirrored": true,
            },
        },
    });
    let check = |input: &Value, own: usize| {
        let jacobian = answer("ht", "jacobian", input);
        let lines = jacobian.as_array().map_or(0, Vec::len);
        assert_eq!(lines, 6);
        for i in 0..26 {
            let by = quotient("ht", "objective", input, &["theta", &i.to_string()]);
            for (line, by) in by.into_iter().enumerate() {
                let got = jacobian[line][own + i].as_f64().unwrap_or(f64::NAN);
                assert!((got - by).abs() <= 1e-5 * (1.0 + by.abs()), "ht {line} {i}: {got}, by differences {by}");
            }
        }
    };
    check(&input, 0);
    input["us"] = json!([[0.2, 0.3], [0.5, 0.1]]);
    check(&input, 2);
    let jacobian = answer("ht", "jacobian", &input);
    for (point, i) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let by = quotient("ht", "objective", &input, &["us", &point.to_string(), &i.to_string()]);
        for axis in 0..3 {
            close(jacobian[3 * point + axis][i].as_f64().unwrap_or(f64::NAN), by[3 * point + axis], "ht us");
        }
    }
}
#[test]
fn nested() {
    for modes in ["ff", "fr", "rf", "rr"] {
        close(numbers(&answer("particle", modes, &json!({ "w": 0.0 })))[0], 0.207_191_874_648_611_6, modes);
        for x in numbers(&answer("saddle", modes, &json!({ "start": [1.0, 1.0] }))) {
            close(x, 8.246_324_826_140_356e-6, modes);
        }
    }
}
#[test]
fn wrong_inputs() {
    for (module, function, input) in [
        ("lse", "primal", json!({ "y": [1.0] })),
        ("lse", "hessian", json!({ "x": [1.0] })),
        ("kmeans", "cost", json!({ "points": [[1.0], [1.0, 2.0]], "centroids": [[1.0]] })),
        ("det", "primal", json!({ "A": [1.0], "ell": 40 })),
        ("gmm", "objective", json!({ "d": 2 })),
    ] {
        assert!(evals::job(module, function, &input).is_err(), "{module} {function}");
    }
}
