//! `docs/complex.md`: twelve gradients by our convention beside those of JAX and PyTorch (`data/complex.txt`, written by
//! `data/complex.py`), and complex functions on the axes against C99 (`data/cuts.txt`, written by `data/cuts.py`).
//!
//! `TFC_ACCEPT=1 cargo test -p tfc-lang --test it complex` rewrites the page's table.
use crate::common::{empty, ran};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Key in the table of the others, the loss as a formula, parameters, statements that give the real scalar `%y`, inputs.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static [&'static str]);

const Z: &str = "(0.6, -0.8)";
const W: &str = "(1.2, 0.5)";
const V: &str = "[(0.6, -0.8), (1.2, 0.5)]";
const ROWS: [Row; 12] = [
    ("square", "abs(z)²", "%z: c64[]", "%a = abs(%z)\n %y = mul(%a, %a)", &[Z]),
    ("modulus", "abs(z)", "%z: c64[]", "%y = abs(%z)", &[Z]),
    ("real", "Re z", "%z: c64[]", "%y = real(%z)", &[Z]),
    ("imag", "Im z", "%z: c64[]", "%y = imag(%z)", &[Z]),
    ("product", "Re(z w)", "%z: c64[], %w: c64[]", "%p = mul(%z, %w)\n %y = real(%p)", &[Z, W]),
    ("inner", "Re(conj(z) w)", "%z: c64[], %w: c64[]", "%c = conj(%z)\n %p = mul(%c, %w)\n %y = real(%p)", &[Z, W]),
    ("quotient", "Re(z / w)", "%z: c64[], %w: c64[]", "%q = div(%z, %w)\n %y = real(%q)", &[Z, W]),
    ("exp", "Re exp z", "%z: c64[]", "%e = exp(%z)\n %y = real(%e)", &[Z]),
    ("log", "Im log z", "%z: c64[]", "%l = log(%z)\n %y = imag(%l)", &[Z]),
    ("sqrt", "Re √z", "%z: c64[]", "%s = sqrt(%z)\n %y = real(%s)", &[Z]),
    (
        "residual",
        "‖A v − 1‖²",
        "%v: c64[2]",
        "%a: c64[2, 2] = const([[(1.0, 2.0), (0.0, 0.5)], [(-1.0, 0.0), (2.0, -1.0)]])\n %one: c64[2] = const(splat = (1.0, 0.0))\n \
         %av = dot_general(%a, %v, contract = [[1], [0]])\n %r = sub(%av, %one)\n %m = abs(%r)\n \
         %y = dot_general(%m, %m, contract = [[0], [0]])",
        &[V],
    ),
    (
        "fft",
        "Σ (k + 1) abs(FFT(v)_k)²",
        "%v: c64[2]",
        "%f = fft.fft(%v, axes = [0])\n %m = abs(%f)\n %sq = mul(%m, %m)\n %k: f64[2] = const([1.0, 2.0])\n \
         %y = dot_general(%sq, %k, contract = [[0], [0]])",
        &[V],
    ),
];

/// The numbers in a text, in order; anything else separates them.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(['[', ']', '(', ')', ',', ' ', '\n']).filter(|w| !w.is_empty());
    words.map(|w| w.parse().unwrap_or_else(|_| panic!("`{w}` in `{text}` is no number"))).collect()
}
/// Complex numbers to six digits.
fn show(v: &[f64]) -> String {
    let digits = |x: f64| {
        let s = format!("{x:.6}");
        let s = s.trim_end_matches('0').trim_end_matches('.');
        if s == "-0" { "0".to_owned() } else { s.replace('-', "−") }
    };
    let one = |p: &[f64]| match digits(p[1]) {
        im if im.starts_with('−') => format!("{} − {}i", digits(p[0]), im.trim_start_matches('−')),
        im => format!("{} + {im}i", digits(p[0])),
    };
    v.chunks(2).map(one).collect::<Vec<_>>().join(", ")
}
/// Our gradients by all parameters, by reverse mode.
fn ours((key, _, params, body, inputs): &Row) -> Vec<f64> {
    let names: Vec<_> = params.split('%').skip(1).map(|p| p.split(':').next().unwrap()).collect();
    let types: Vec<_> =
        params.split('%').skip(1).map(|p| p.split_once(": ").unwrap().1.trim_end_matches(", ")).collect();
    let list = |f: &dyn Fn(usize) -> String| (0..names.len()).map(f).collect::<Vec<_>>().join(", ");
    let program = format!(
        "tfir 1.0\nfunc @f({params}) -> f64[] {{\n {body}\n return %y\n}}\nexport func @main({params}) -> ({}) {{\n {} = grad(@f, {}, \
         wrt = [{}])\n return {}\n}}\n",
        list(&|i| format!("g{i}: {}", types[i])),
        list(&|i| format!("%g{i}")),
        list(&|i| format!("%{}", names[i])),
        list(&|i| i.to_string()),
        list(&|i| format!("%g{i}")),
    );
    let dir = empty(&format!("complex-{key}"));
    fs::write(dir.join("p.tfir"), program).unwrap();
    let given: String = names.iter().zip(*inputs).map(|(n, x)| format!(" -i {n}={}", x.replace(' ', ""))).collect();
    let all = ["cpu", "interp"].map(|backend| {
        let text = ran(&dir, &format!("run p.tfir --print full --backend {backend}{given}")).ok();
        let values: Vec<f64> = text.lines().flat_map(|l| numbers(l.rsplit('=').next().unwrap())).collect();
        assert!(!values.is_empty(), "{key}: {text}");
        values
    });
    let [a, b] = all;
    assert!(close(&a, &b), "{key}: cpu {a:?}, interp {b:?}");
    a
}
fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs()))
}

#[test]
fn gradients_are_those_of_pytorch_and_conjugates_of_those_of_jax() {
    let text = include_str!("../data/complex.txt");
    let mut others: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for l in text.lines().skip(1) {
        let cells: Vec<&str> = l.split(" | ").collect();
        others.insert(cells[0], (cells[1], cells[2]));
    }
    let mut table = String::from("| loss | tfc | JAX | PyTorch |\n|---|---|---|---|\n");
    for row in &ROWS {
        let (jax, torch) = others.remove(row.0).unwrap_or_else(|| panic!("data/complex.txt lacks {}", row.0));
        let (own, jax, torch) = (ours(row), numbers(jax), numbers(torch));
        let conj: Vec<f64> = own.iter().enumerate().map(|(i, x)| if i % 2 == 1 { -x } else { *x }).collect();
        assert!(close(&conj, &jax), "{}: {own:?}, JAX {jax:?}", row.0);
        assert!(close(&own, &torch), "{}: {own:?}, PyTorch {torch:?}", row.0);
        table += &format!("| `{}` | {} | {} | {} |\n", row.1, show(&own), show(&jax), show(&torch));
    }
    assert!(others.is_empty(), "no row for {:?}", others.keys());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/complex.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("| loss |").unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    let want = format!("{before}{table}\n{after}");
    if std::env::var_os("TFC_ACCEPT").is_some_and(|v| v == "1") {
        fs::write(&path, &want).unwrap();
    } else {
        assert_eq!(page, want, "run it with TFC_ACCEPT=1");
    }
}

/// Both sides of every branch cut, and both axes elsewhere: values, signs of zeros, infinities and NaN are those of C99, in
/// both precisions, on both engines.
#[test]
fn axes_and_cuts_are_those_of_c99() {
    let mut by: BTreeMap<&str, Vec<[f64; 4]>> = BTreeMap::new();
    for l in include_str!("../data/cuts.txt").lines().skip(1) {
        let (name, rest) = l.split_once(' ').unwrap();
        by.entry(name).or_default().push(numbers(&rest.replace('|', " ")).try_into().unwrap());
    }
    assert!(by.len() == 15 && by.values().all(|v| v.len() > 30), "the table is too short");
    let mut wrong = vec![];
    for (name, points) in &by {
        let n = points.len();
        let z: Vec<String> = points.iter().map(|p| format!("({:?},{:?})", p[0], p[1])).collect();
        for (dtype, part, error) in [("c64", "f64", 4e-15), ("c32", "f32", 1.6e-6)] {
            let dir = empty(&format!("cuts-{name}-{dtype}"));
            let program = format!(
                "tfir 1.0\nexport func @main(%z: {dtype}[{n}]) -> (re: {part}[{n}], im: {part}[{n}]) {{\n %w = {name}(%z)\n %re = \
                 real(%w)\n %im = imag(%w)\n return %re, %im\n}}\n"
            );
            fs::write(dir.join("p.tfir"), program).unwrap();
            for backend in ["cpu", "interp"] {
                let line = format!("run p.tfir --print full --backend {backend} -i z=[{}]", z.join(","));
                let text = ran(&dir, &line).ok();
                let (re, im) = text.split_once("im:").unwrap();
                let [re, im] = [re, im].map(|t| numbers(t.split_once('=').unwrap().1));
                assert!(re.len() == n && im.len() == n, "{text}");
                let same = |got: f64, want: f64| match want {
                    w if w.is_nan() => got.is_nan(),
                    w if w == 0.0 || w.is_infinite() => got.to_bits() == w.to_bits(),
                    w => (got - w).abs() <= error * w.abs().max(1.0),
                };
                for (i, p) in points.iter().enumerate() {
                    if !(same(re[i], p[2]) && same(im[i], p[3])) {
                        wrong.push(format!(
                            "{name}({:?}, {:?}) in {dtype} by {backend}: ({:?}, {:?}), not ({:?}, {:?})",
                            p[0], p[1], re[i], im[i], p[2], p[3]
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} points:\n{}", wrong.len(), wrong.join("\n"));
}

/// Cuts of functions that C99 does not have: what they are made of says the sides.
#[test]
fn cuts_of_other_functions() {
    let (pi, third) = (std::f64::consts::PI, std::f64::consts::FRAC_PI_3);
    let root = 2.0f64.cbrt();
    // Statements that give `%w` of `%z`, where, and the value above the cut; below it, the conjugate.
    let cases: [(&str, f64, [f64; 2]); 4] = [
        ("%w = rsqrt(%z)", -2.0, [0.0, -std::f64::consts::FRAC_1_SQRT_2]),
        ("%w = cbrt(%z)", -2.0, [root * third.cos(), root * third.sin()]),
        ("%w = log1p(%z)", -3.0, [std::f64::consts::LN_2, pi]),
        ("%h: c64[] = const((1.5, 0.0))\n %w = pow(%z, %h)", -2.0, [0.0, -(2.0f64.powf(1.5))]),
    ];
    for (i, (body, at, above)) in cases.iter().enumerate() {
        let dir = empty(&format!("cuts-other-{i}"));
        let program = format!("tfir 1.0\nexport func @main(%z: c64[]) -> (w: c64[]) {{\n {body}\n return %w\n}}\n");
        fs::write(dir.join("p.tfir"), program).unwrap();
        for backend in ["cpu", "interp"] {
            for (zero, side) in [("0.0", 1.0), ("-0.0", -1.0)] {
                let line = format!("run p.tfir --print full --backend {backend} -i z=({at:?},{zero})");
                let got = numbers(ran(&dir, &line).ok().split_once('=').unwrap().1);
                let off = (got[0] - above[0]).hypot(got[1] - side * above[1]);
                assert!(off <= 2e-15, "{body} by {backend} at {at} {zero}: {got:?}, not {above:?} or its conjugate");
            }
        }
    }
}
