//! Scalar functions: accuracy against a table computed with mpmath (`data/scalar.py`), exact values at special points,
//! and agreement of every loop shape with one element at a time.
//!
//! `TFC_SCALAR_TABLE=FILE cargo test -p tfc-kernels --test it scalar::table -- --nocapture` prints the worst case of each function in a
//! longer table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use tfc_ir::{C32, C64, DType, Element, ScalarOp, Tensor, with_dtype};
use tfc_kernels::functions::FUNCTIONS;
use tfc_kernels::scalar::{Kernel, Src, apply1, apply2, kernel, result_dtype};

/// Lines of the table: op, inputs, outputs.
fn table() -> Vec<(ScalarOp, Vec<f64>, Vec<f64>)> {
    let own = format!("{}/tests/data/scalar.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(std::env::var("TFC_SCALAR_TABLE").unwrap_or(own)).expect("a table");
    let number = |s: &str| f64::from_bits(u64::from_str_radix(s, 16).expect("bits"));
    text.lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| {
            let (left, right) = l.split_once(" = ").expect("op inputs = output");
            let (name, inputs) = left.split_once(' ').expect("op inputs");
            let op = *ScalarOp::ALL.iter().find(|o| o.name() == name).expect("a scalar op");
            (op, inputs.split(' ').map(number).collect(), right.split(' ').map(number).collect())
        })
        .collect()
}
/// Distance between neighbouring doubles at `x`.
fn ulp(x: f64) -> f64 {
    if x.is_finite() { x.abs().next_up() - x.abs() } else { f64::INFINITY }
}
fn error(got: f64, want: f64) -> f64 {
    if got == want || got.is_nan() && want.is_nan() {
        0.0
    } else if !got.is_finite() || !want.is_finite() {
        f64::INFINITY
    } else {
        (got - want).abs() / ulp(want)
    }
}
/// Units of 2⁻⁵² of the modulus.
fn complex_error(got: C64, want: &[f64]) -> f64 {
    let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
    if same(got.re, want[0]) && same(got.im, want[1]) {
        return 0.0;
    }
    // Scaled, so that the modulus does not overflow.
    let d = (got.re * 0.25 - want[0] * 0.25).hypot(got.im * 0.25 - want[1] * 0.25);
    let e = d / ((want[0] * 0.25).hypot(want[1] * 0.25) * f64::EPSILON).max(f64::from_bits(1));
    if e.is_nan() { f64::INFINITY } else { e }
}
/// TFIR §5.
fn limit(op: ScalarOp) -> f64 {
    use ScalarOp::*;
    match op {
        Lgamma | Digamma | Polygamma | Zeta | BesselI0e | BesselI1e | ErfInv => 16.0,
        _ => 2.0,
    }
}

#[test]
fn table_is_met() {
    let mut worst = BTreeMap::<(&str, usize, usize), (f64, String)>::new();
    for f in FUNCTIONS {
        let points = |parts: usize| table().iter().filter(|(op, _, want)| *op == f.op && want.len() == parts).count();
        assert!(!f.real || points(1) >= 30, "{} has {} points of reals", f.op.name(), points(1));
        assert!(!f.complex || points(2) >= 30, "{} has {} points of complex numbers", f.op.name(), points(2));
    }
    for (op, x, want) in table() {
        let c = |k: usize| C64::new(x[2 * k], x[2 * k + 1]);
        let (e, got) = if want.len() == 1 {
            let got: f64 =
                if x.len() == 1 { apply1(op, x[0]) } else { apply2(op, x[0], x[1]) }.expect("defined on f64");
            let near_zero = limit(op) > 2.0 && (got - want[0]).abs() <= 1e-14;
            (if near_zero { 0.0 } else { error(got, want[0]) }, format!("{got:?}"))
        } else {
            let got: C64 =
                if x.len() == 2 { apply1(op, c(0)) } else { apply2(op, c(0), c(1)) }.expect("defined on c64");
            (complex_error(got, &want), format!("{got:?}"))
        };
        let text = format!("{e:.2} at {}{x:?} = {want:?}, got {got}", op.name());
        assert!(e <= limit(op), "{text}");
        let w = worst.entry((op.name(), x.len(), want.len())).or_insert((-1.0, String::new()));
        if e > w.0 {
            *w = (e, text);
        }
    }
    worst.values().for_each(|w| println!("{}", w.1));
}

/// The worst case of each special function, on the points of the table that is checked in.
#[test]
fn page_has_the_errors_of_special_functions() {
    if std::env::var_os("TFC_SCALAR_TABLE").is_some() {
        return;
    }
    // Largest error and where, of f64 and of f32, and how many points.
    let mut worst = BTreeMap::<&str, ((f64, Vec<f64>), (f64, Vec<f64>), usize)>::new();
    let special: Vec<ScalarOp> = FUNCTIONS.iter().map(|f| f.op).filter(|&op| limit(op) > 2.0).collect();
    for (op, x, want) in table().into_iter().filter(|(op, _, want)| special.contains(op) && want.len() == 1) {
        let w = worst.entry(op.name()).or_insert(((0.0, x.clone()), (0.0, x.clone()), 0));
        w.2 += 1;
        let wide = |x: &[f64]| -> f64 {
            if x.len() == 1 { apply1(op, x[0]) } else { apply2(op, x[0], x[1]) }.expect("on f64")
        };
        let got = wide(&x);
        let e = error(got, want[0]);
        let near_zero = e > limit(op) && (got - want[0]).abs() <= 1e-14;
        if e > w.0.0 && !near_zero {
            w.0 = (e, x.clone());
        }
        // The operand rounded; what f64 gives there is right to far more digits than an f32 has.
        let y: Vec<f32> = x.iter().map(|&v| v as f32).collect();
        let near = wide(&y.iter().map(|&v| v.into()).collect::<Vec<f64>>());
        let got: f32 = if y.len() == 1 { apply1(op, y[0]) } else { apply2(op, y[0], y[1]) }.expect("on f32");
        if got.is_finite() && got != 0.0 {
            let unit = f64::from(got.abs().next_up()) - f64::from(got.abs());
            let e = (f64::from(got) - near).abs() / unit;
            if e > w.1.0 {
                w.1 = (e, y.iter().map(|&v| v.into()).collect());
            }
        }
    }
    assert!(worst.len() >= 7, "{:?}", worst.keys());
    let place = |x: &[f64]| x.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(", ");
    let mut text = String::from(SPECIAL);
    for (name, (a, b, points)) in &worst {
        let _ = writeln!(text, "| `{name}` | {:.2} | {} | {:.2} | {} | {points} |", b.0, place(&b.1), a.0, place(&a.1));
    }
    crate::page::section("Special functions", &text);
}
const SPECIAL: &str = "Both engines use one scalar library for these. The limit is 16 ULP, or 1e-14 (`f32`: 1e-6) absolute near zeros of a
function, where ULP are not counted; 0.00 means that every point is rounded correctly. Of `f64` against mpmath at the points of
`crates/backends/kernels/tests/data/scalar.txt` (made by `scalar.py` beside it), of `f32` at these points rounded, against
`f64`, of which it is the result rounded once.

| function | `f32` ULP | at | `f64` ULP | at | points |
|---|--:|--:|--:|--:|--:|
";

#[test]
fn f32_is_f64_rounded_once() {
    for (op, x, want) in table() {
        let y: Vec<f32> = x.iter().map(|&v| v as f32).collect();
        let z: Vec<f64> = y.iter().map(|&v| v as f64).collect();
        match (y.len(), want.len()) {
            (1, 1) => {
                assert!(same32(apply1(op, y[0]), apply1::<f64, f64>(op, z[0]).map(|v| v as f32)), "{} {y:?}", op.name())
            }
            (2, 1) => assert!(same32(apply2(op, y[0], y[1]), apply2::<f64, f64>(op, z[0], z[1]).map(|v| v as f32))),
            (2, 2) => {
                let a: C32 = apply1(op, C32::new(y[0], y[1])).expect("c32");
                let b: C64 = apply1(op, C64::new(z[0], z[1])).expect("c64");
                assert!(
                    same32(Some(a.re), Some(b.re as f32)) && same32(Some(a.im), Some(b.im as f32)),
                    "{}",
                    op.name()
                );
            }
            _ => {}
        }
    }
}
fn same32(a: Option<f32>, b: Option<f32>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}

fn op(name: &str) -> ScalarOp {
    *ScalarOp::ALL.iter().find(|o| o.name() == name).expect("a scalar op")
}
/// Bits, with one NaN.
fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}
/// `name(x) = y` in `f64` to the bit, and in `f32` where the numbers allow.
fn one(name: &str, pairs: &[(f64, f64)]) {
    for &(x, y) in pairs {
        let got: f64 = apply1(op(name), x).expect("f64");
        assert_eq!(bits(got), bits(y), "{name}({x:?}) = {got:?}, not {y:?}");
        if x as f32 as f64 == x && y as f32 as f64 == y {
            let got: f32 = apply1(op(name), x as f32).expect("f32");
            assert_eq!(bits(got as f64), bits(y), "f32 {name}({x:?}) = {got:?}, not {y:?}");
        }
    }
}
fn two(name: &str, triples: &[(f64, f64, f64)]) {
    for &(x, y, z) in triples {
        let got: f64 = apply2(op(name), x, y).expect("f64");
        assert_eq!(bits(got), bits(z), "{name}({x:?}, {y:?}) = {got:?}, not {z:?}");
        if [x, y, z].iter().all(|&v| v.is_nan() || v as f32 as f64 == v) {
            let got: f32 = apply2(op(name), x as f32, y as f32).expect("f32");
            assert_eq!(bits(got as f64), bits(z), "f32 {name}({x:?}, {y:?}) = {got:?}, not {z:?}");
        }
    }
}
const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

#[test]
fn real_specials() {
    one("sign", &[(0.0, 0.0), (-0.0, -0.0), (-3.5, -1.0), (INF, 1.0), (NAN, NAN)]);
    one("neg", &[(0.0, -0.0), (INF, -INF), (1.5, -1.5)]);
    one("abs", &[(-0.0, 0.0), (-INF, INF), (NAN, NAN)]);
    one(
        "round",
        &[(0.5, 1.0), (-0.5, -1.0), (1.5, 2.0), (2.5, 3.0), (-2.5, -3.0), (-0.25, -0.0), (0.49999999999999994, 0.0)],
    );
    one("round_even", &[(0.5, 0.0), (-0.5, -0.0), (1.5, 2.0), (2.5, 2.0), (-2.5, -2.0), (INF, INF)]);
    one("floor", &[(-0.5, -1.0), (0.5, 0.0), (-0.0, -0.0), (1e300, 1e300)]);
    one("ceil", &[(-0.5, -0.0), (0.5, 1.0), (NAN, NAN)]);
    one("exp", &[(0.0, 1.0), (-INF, 0.0), (INF, INF), (710.0, INF), (-746.0, 0.0), (NAN, NAN)]);
    one("exp", &[(709.782712893384, 1.7976931348622732e308)]);
    one("expm1", &[(-0.0, -0.0), (-INF, -1.0), (INF, INF)]);
    one("log", &[(0.0, -INF), (-0.0, -INF), (-1.0, NAN), (1.0, 0.0), (INF, INF)]);
    one("log1p", &[(-0.0, -0.0), (-1.0, -INF), (-2.0, NAN), (INF, INF)]);
    one("sqrt", &[(-0.0, -0.0), (-1.0, NAN), (INF, INF), (4.0, 2.0)]);
    one("rsqrt", &[(0.0, INF), (-0.0, -INF), (INF, 0.0), (4.0, 0.5), (-1.0, NAN)]);
    one("cbrt", &[(-8.0, -2.0), (-0.0, -0.0), (INF, INF)]);
    one("sin", &[(-0.0, -0.0), (INF, NAN)]);
    one("tanh", &[(-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (30.0, 1.0)]);
    one("asinh", &[(-0.0, -0.0), (-INF, -INF), (INF, INF), (NAN, NAN)]);
    one("acosh", &[(1.0, 0.0), (0.5, NAN), (INF, INF), (-INF, NAN)]);
    one("atanh", &[(-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN)]);
    one("logistic", &[(0.0, 0.5), (INF, 1.0), (-INF, 0.0), (-800.0, 0.0), (800.0, 1.0), (NAN, NAN)]);
    one("erf", &[(-0.0, -0.0), (INF, 1.0), (-INF, -1.0)]);
    one("erfc", &[(INF, 0.0), (-INF, 2.0), (0.0, 1.0)]);
    one("erf_inv", &[(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (NAN, NAN)]);
    one("lgamma", &[(0.0, INF), (-1.0, INF), (1.0, 0.0), (2.0, 0.0), (INF, INF), (-INF, INF)]);
    one("digamma", &[(0.0, NAN), (-3.0, NAN), (INF, INF), (-INF, NAN)]);
    one("bessel_i0e", &[(0.0, 1.0), (INF, 0.0), (NAN, NAN)]);
    one("bessel_i1e", &[(0.0, 0.0), (-0.0, -0.0), (INF, 0.0), (-INF, -0.0)]);
    for (x, y) in [(0.0, true), (INF, false), (NAN, false), (-INF, false), (f64::MAX, true)] {
        assert_eq!(apply1::<f64, bool>(ScalarOp::IsFinite, x), Some(y));
    }
}

#[test]
fn real_pairs() {
    two(
        "max",
        &[(NAN, 1.0, NAN), (1.0, NAN, NAN), (-0.0, 0.0, 0.0), (0.0, -0.0, 0.0), (-INF, INF, INF), (2.0, 1.0, 2.0)],
    );
    two(
        "min",
        &[(NAN, 1.0, NAN), (1.0, NAN, NAN), (-0.0, 0.0, -0.0), (0.0, -0.0, -0.0), (-INF, INF, -INF), (2.0, 1.0, 1.0)],
    );
    two(
        "rem",
        &[(5.5, 2.0, 1.5), (-5.5, 2.0, -1.5), (5.5, -2.0, 1.5), (-4.0, 2.0, -0.0), (1.0, 0.0, NAN), (1.0, INF, 1.0)],
    );
    two("div", &[(1.0, 0.0, INF), (1.0, -0.0, -INF), (0.0, 0.0, NAN), (6.0, 3.0, 2.0)]);
    two(
        "pow",
        &[(0.0, 0.0, 1.0), (NAN, 0.0, 1.0), (-2.0, 3.0, -8.0), (-2.0, 0.5, NAN), (0.0, -1.0, INF), (2.0, -2.0, 0.25)],
    );
    two("atan2", &[(0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (0.0, -1.0, std::f64::consts::PI)]);
    two("nextafter", &[(1.0, 1.0, 1.0), (0.0, -0.0, -0.0), (NAN, 1.0, NAN), (INF, INF, INF)]);
    assert_eq!(apply2(op("nextafter"), 0.0f64, 1.0), Some(f64::from_bits(1)));
    assert_eq!(apply2(op("nextafter"), 0.0f32, -1.0), Some(-f32::from_bits(1)));
    assert_eq!(apply2(op("nextafter"), 1.0f32, 2.0), Some(1.0 + f32::EPSILON));
    assert_eq!(apply2(op("nextafter"), f64::MAX, INF), Some(INF));
    two(
        "zeta",
        &[(1.0, 2.0, INF), (0.5, 1.0, NAN), (2.0, 0.0, INF), (3.0, -1.0, NAN), (2.5, -0.5, NAN), (NAN, 1.0, NAN)],
    );
    two("polygamma", &[(-1.0, 1.0, NAN), (1.5, 1.0, NAN), (1.0, 0.0, INF), (0.0, 0.0, NAN), (2.0, -1.0, NAN)]);
    assert_eq!(apply2::<f64, f64>(op("polygamma"), 0.0, 2.5), apply1(op("digamma"), 2.5));
}

/// Where a power overflows or vanishes though the sum, or the sum times a factorial, does not; and where rounding an argument
/// would count as often as the exponent says. References by mpmath, to sixty digits.
#[test]
fn zeta_and_polygamma_at_the_ends() {
    let zeta: &[(f64, f64, f64)] = &[
        (1.5, 1e250, 2e-125),
        (1.2, 1e300, 5.000000000000155e-60),
        (2.0, 1e200, 1e-200),
        (3.0, 1e110, 5e-221),
        (1.0000001, 1e308, 9999290.823100055),
        (5.0, 1000.0, 2.50500416666375e-13),
        (5.0, 999.99, 2.5051044194213085e-13),
        (100.3, 123.456, 3.013390631034134e-210),
        (140.0, 123.456, 2.2842815300696508e-293),
        (65.0, 100000.0, 1.6e-322),
        (50.25, 1000000.0, 6.421026460726764e-298),
        (1.5, 1e-200, 1e300),
        (300.5, 10.7, 4.6792344480117e-310),
        (2.0, 1e-153, 9.999999999999999e305),
        (2.0, 0.3, 12.245364546107732),
        (1.5, 1000.0, 0.06326136854451493),
        (12.5, 1e17, 2.749806661015982e-197),
        (2.0, -1e-150, 1e300),
        (3.0, -1e-100, -9.999999999999999e299),
        (3.0, -0.4999, 0.4047278749701594),
        (2.0, -7.3, 14.951383181433922),
        (108.0, 1000.5, 1e-323),
        (2.0, 5e-324, INF),
        (3.0, -1e-160, -INF),
    ];
    let polygamma: &[(f64, f64, f64)] = &[
        (1.0, 1e200, 1e-200),
        (1.0, 1e308, 1e-308),
        (2.0, 1e150, -1e-300),
        (5.0, 1e60, 2.4000000000000007e-299),
        (100.0, 10000.0, -9.379363201543512e-245),
        (170.0, 500.0, -7.536907377048329e-155),
        (171.0, 60.5, 455.6516033727864),
        (171.0, 900.0, 5.320160502618632e-199),
        (500.0, 300.5, -5.992303735171146e-108),
        (2000.0, 1000.0, -3.8355185180233863e-268),
        (2000.0, 800.25, -1.5970190331286996e-74),
        (1.0, 1e-154, 1e308),
        (3.0, 0.3, 743.1417646550498),
        (1.0, -0.5, 8.934802200544679),
        (4.0, -1e-60, 2.4e301),
        (30.0, 1234.5, -1.6109163067832572e-62),
        (30.0, 1000000000.0, -8.841762126366132e-240),
        (170.0, 0.7, -INF),
        (300.0, 120.0, -4.893261427806198e-12),
        (2.0, -3.75, -124.07972713378925),
        (100000.0, 37000.0, -5.500746002501157e-252),
        (1.0, -1e-160, INF),
        (2.0, -1e-160, INF),
        (2.0, 1e-160, -INF),
        (1.0, INF, 0.0),
        (3.0, 1e-300, INF),
        (171.0, -0.25, INF),
        (1000000000000000.0, 10.0, -INF),
    ];
    for (name, points) in [("zeta", zeta), ("polygamma", polygamma)] {
        for &(a, b, want) in points {
            let got = apply2::<f64, f64>(op(name), a, b).expect("f64");
            assert!(error(got, want) <= 16.0, "{name}({a:?}, {b:?}) is {got:?}, not {want:?}");
        }
    }
}

#[test]
fn integers() {
    let two = |name: &str, a: i32, b: i32| apply2::<i32, i32>(op(name), a, b).expect("i32");
    let big = |name: &str, a: i64, b: i64| apply2::<i64, i64>(op(name), a, b).expect("i64");
    let unsigned = |name: &str, a: u32, b: u32| apply2::<u32, u32>(op(name), a, b).expect("u32");
    assert_eq!(
        [two("div", 7, 0), two("div", i32::MIN, -1), two("div", -7, 2), two("div", 0, 0)],
        [-1, i32::MIN, -3, -1]
    );
    assert_eq!([two("rem", 7, 0), two("rem", i32::MIN, -1), two("rem", -7, 2), two("rem", 7, -2)], [7, 0, -1, 1]);
    assert_eq!([unsigned("div", 7, 0), unsigned("rem", 7, 0), unsigned("div", 7, 2)], [u32::MAX, 7, 3]);
    assert_eq!([two("add", i32::MAX, 1), two("sub", i32::MIN, 1), two("mul", i32::MAX, 2)], [i32::MIN, i32::MAX, -2]);
    assert_eq!(
        [two("pow", 2, -1), two("pow", 1, -5), two("pow", -1, -5), two("pow", -1, -4), two("pow", 0, -1)],
        [0, 1, -1, 1, 0]
    );
    assert_eq!([two("pow", 0, 0), two("pow", 3, 5), two("pow", 2, 31), two("pow", -3, 3)], [1, 243, i32::MIN, -27]);
    assert_eq!(unsigned("pow", 3, u32::MAX), 3u32.wrapping_pow(u32::MAX));
    assert_eq!([two("shl", 1, 31), two("shl", 1, 32), two("shl", 1, -1)], [i32::MIN, 0, 0]);
    assert_eq!([two("shr_arith", -8, 1), two("shr_arith", -8, 99), two("shr_arith", 8, -1)], [-4, -1, 0]);
    assert_eq!([two("shr_logical", -1, 28), two("shr_logical", -1, 32), two("shr_logical", 8, -1)], [15, 0, 0]);
    assert_eq!([unsigned("shr_arith", 0x8000_0000, 31), unsigned("shr_arith", 0x8000_0000, 40)], [u32::MAX, u32::MAX]);
    assert_eq!([big("shl", 1, 63), big("shl", 1, 64), big("shr_logical", -1, 60)], [i64::MIN, 0, 15]);
    assert_eq!(
        [two("mulhi", 1 << 30, 1 << 30), two("mulhi", -1, 1), two("mulhi", i32::MIN, i32::MIN)],
        [1 << 28, -1, 1 << 30]
    );
    assert_eq!(unsigned("mulhi", u32::MAX, u32::MAX), u32::MAX - 1);
    assert_eq!(big("mulhi", i64::MIN, -1), 0);
    assert_eq!(apply2::<u64, u64>(op("mulhi"), u64::MAX, 2), Some(1));
    let one = |name: &str, a: i32| apply1::<i32, i32>(op(name), a).expect("i32");
    assert_eq!([one("neg", i32::MIN), one("abs", i32::MIN), one("abs", -3)], [i32::MIN, i32::MIN, 3]);
    assert_eq!([one("sign", -7), one("sign", 0), one("sign", 7), one("not", 0)], [-1, 0, 1, -1]);
    assert_eq!([one("popcnt", -1), one("clz", 0), one("clz", 1), one("clz", -1)], [32, 32, 31, 0]);
    assert_eq!(apply1::<u32, u32>(op("neg"), 1), Some(u32::MAX));
    assert_eq!(apply1::<u64, u64>(op("sign"), u64::MAX), Some(1));
    assert_eq!(apply1::<u64, u64>(op("clz"), 1), Some(63));
}

#[test]
fn bools_and_comparisons() {
    let b = |name: &str, x: bool, y: bool| apply2::<bool, bool>(op(name), x, y).expect("bool");
    assert!(b("lt", false, true) && !b("lt", true, true) && b("le", true, true) && b("gt", true, false));
    assert!(b("max", false, true) && !b("min", false, true) && b("xor", true, false) && !b("and", true, false));
    assert_eq!(apply1::<bool, bool>(op("not"), true), Some(false));
    for name in ["eq", "lt", "le", "gt", "ge"] {
        assert_eq!(apply2::<f64, bool>(op(name), NAN, NAN), Some(false), "{name}");
    }
    assert_eq!(apply2::<f64, bool>(op("ne"), NAN, NAN), Some(true));
    assert_eq!(apply2::<f64, bool>(op("eq"), -0.0, 0.0), Some(true));
    assert_eq!(apply2::<u64, bool>(op("lt"), 1, u64::MAX), Some(true));
    assert_eq!(apply2::<C64, bool>(op("eq"), C64::new(1.0, 2.0), C64::new(1.0, 2.0)), Some(true));
}

#[test]
fn conversions() {
    macro_rules! cast {
        ($($from:ty, $x:expr => $to:ty, $y:expr;)*) => { $(
            assert_eq!(apply1::<$from, $to>(ScalarOp::Convert, $x), Some($y), "{} of {}", stringify!($to), stringify!($x));
        )* };
    }
    cast! {
        f64, 1e30 => i32, i32::MAX; f64, -1e30 => i32, i32::MIN; f64, NAN => i64, 0; f64, -1.0 => u32, 0; f64, 2.9 => i32, 2;
        f64, -2.9 => i32, -2; f32, f32::INFINITY => u64, u64::MAX; f64, 1e300 => f32, f32::INFINITY;
        i64, -1 => u32, u32::MAX; i64, 4294967296 => i32, 0; u64, u64::MAX => i32, -1; i32, -1 => u64, u64::MAX;
        f64, NAN => bool, true; f64, -0.0 => bool, false; f64, 1e-300 => bool, true; i32, 2 => bool, true;
        bool, true => f64, 1.0; bool, true => i64, 1; bool, false => u32, 0; bool, true => C32, C32::new(1.0, 0.0);
        i64, 16777217 => f32, 16777216.0; u64, u64::MAX => f64, 18446744073709551616.0;
        f64, 1.5 => C32, C32::new(1.5, 0.0); C64, C64::new(1.0, 1e300) => C32, C32::new(1.0, f32::INFINITY);
        C32, C32::new(0.0, 1.0) => C64, C64::new(0.0, 1.0);
    }
    for to in DType::WIDE.into_iter().filter(|d| !d.is_complex() && *d != DType::Bool) {
        assert!(kernel(ScalarOp::Convert, &[DType::C64], to).is_none(), "{to}");
    }
}

#[test]
fn what_is_not_offered() {
    let none = |name: &str, from: &[DType], to: DType| assert!(kernel(op(name), from, to).is_none(), "{name}");
    for d in [DType::C32, DType::C64] {
        for name in ["lt", "le", "gt", "ge"] {
            none(name, &[d, d], DType::Bool);
        }
        ["max", "min", "rem", "atan2", "nextafter", "and"].iter().for_each(|n| none(n, &[d, d], d));
        ["floor", "erf", "lgamma", "not"].iter().for_each(|n| none(n, &[d], d));
        none("clamp", &[d, d, d], d);
        assert_eq!(result_dtype(op("abs"), &[d]), Some(d.real()));
        assert_eq!(result_dtype(op("imag"), &[d]), Some(d.real()));
        assert_eq!(result_dtype(op("eq"), &[d, d]), Some(DType::Bool));
    }
    none("add", &[DType::Bool, DType::Bool], DType::Bool);
    none("add", &[DType::I32, DType::I64], DType::I64);
    none("exp", &[DType::I32], DType::I32);
    none("add", &[DType::BF16, DType::BF16], DType::BF16);
    none("select", &[DType::I32, DType::F32, DType::F32], DType::F32);
    assert_eq!(result_dtype(op("complex"), &[DType::F32, DType::F32]), Some(DType::C32));
}

/// Values that cover the interesting cases of a dtype.
fn samples<T: Element>() -> Vec<T> {
    const F: [f64; 11] = [0.0, -0.0, 1.0, -1.5, 2.5, INF, -INF, NAN, 1e-310, 1e30, -3.25];
    let ints = [0i64, 1, -1, 2, 7, i32::MIN as i64, i64::MIN, i64::MAX, 31, 33, -100];
    let t = match T::DTYPE {
        DType::Bool => Tensor::from_logical(&[11], ints.map(|x| x & 1 == 1).to_vec()).unwrap(),
        DType::I32 => Tensor::from_logical(&[11], ints.map(|x| x as i32).to_vec()).unwrap(),
        DType::I64 => Tensor::from_logical(&[11], ints.to_vec()).unwrap(),
        DType::U32 => Tensor::from_logical(&[11], ints.map(|x| x as u32).to_vec()).unwrap(),
        DType::U64 => Tensor::from_logical(&[11], ints.map(|x| x as u64).to_vec()).unwrap(),
        DType::F32 => Tensor::from_logical(&[11], F.map(|x| x as f32).to_vec()).unwrap(),
        DType::F64 => Tensor::from_logical(&[11], F.to_vec()).unwrap(),
        DType::C32 => Tensor::from_logical(&[11], F.map(|x| C32::new(x as f32, 1.0 - x as f32)).to_vec()).unwrap(),
        _ => Tensor::from_logical(&[11], F.map(|x| C64::new(x, 1.0 - x)).to_vec()).unwrap(),
    };
    t.to_logical().expect("this dtype")
}
fn operand(d: DType, n: usize, phase: usize) -> Tensor {
    with_dtype!(d, T => {
        let s = samples::<T>();
        Tensor::from_logical(&[n], (0..n).map(|i| s[(i * (phase + 1) + phase) % s.len()]).collect()).unwrap()
    })
}
fn element(t: &Tensor, i: usize) -> Tensor {
    with_dtype!(t.dtype(), T => Tensor::scalar(t.get::<T>(&[if t.len() == 1 { 0 } else { i }]).expect("inside")))
}
fn all_kernels() -> Vec<(ScalarOp, Kernel)> {
    let mut v = vec![];
    for &op in ScalarOp::ALL.iter().chain(ScalarOp::MADE) {
        for a in DType::WIDE {
            for to in DType::WIDE {
                let from = match (op, op.arity()) {
                    (ScalarOp::Select, _) => vec![DType::Bool, a, a],
                    (_, n) => vec![a; n],
                };
                v.extend(kernel(op, &from, to).map(|k| (op, k)));
            }
        }
    }
    v
}

#[test]
fn loops_agree_with_single_elements() {
    let n = 53;
    for (op, k) in all_kernels() {
        for scalar in 0..1 << k.arity() {
            let args: Vec<Tensor> = (0..k.arity())
                .map(|j| operand(k.from()[j], n, j))
                .enumerate()
                .map(|(j, t)| if scalar >> j & 1 == 1 { element(&t, 3) } else { t })
                .collect();
            let whole = k.apply(&args).expect("applies");
            for i in 0..whole.len() {
                let at: Vec<Tensor> =
                    args.iter().map(|t| if t.rank() == 0 { t.clone() } else { element(t, i) }).collect();
                let want = k.apply(&at).expect("applies");
                let got = if whole.rank() == 0 { whole.clone() } else { element(&whole, i) };
                assert!(got.same(&want), "{} {:?} element {i}: {at:?} gives {got:?} and {want:?}", op.name(), k.from());
            }
        }
    }
}

/// The kernel where the operands in `own` are the result too and those in `splat` are one value.
fn in_place(op: ScalarOp, k: &Kernel, n: usize, own: usize, splat: usize) {
    let place = |j: usize| own >> j & 1 == 1;
    let value = |j: usize| {
        let t = operand(k.from()[j], n, if place(j) { 0 } else { j });
        if splat >> j & 1 == 1 { element(&t, 2) } else { t }
    };
    let args: Vec<Tensor> = (0..k.arity()).map(value).collect();
    let want = k.apply(&args).expect("applies");
    with_dtype!(k.to(), T => {
        let mut result = operand(k.to(), n, 0).to_logical::<T>().expect("dtype");
        let mut src = [Src::NONE; 3];
        let dst = result.as_mut_ptr().cast::<u8>();
        for (j, (s, t)) in src.iter_mut().zip(&args).enumerate() {
            let stride = isize::from(t.rank() != 0);
            *s = with_dtype!(t.dtype(), U => Src { stride, ..Src::slice(t.storage::<U>().expect("dtype")) });
            if place(j) {
                *s = Src { ptr: dst, stride: 1 };
            }
        }
        // SAFETY: operands of `n` elements or one; the result is its own storage or an operand of the same type.
        unsafe { k.run(n, &src, dst) };
        assert!(Tensor::from_logical(&[n], result).unwrap().same(&want), "{} n = {n} in place of {own:b}, splat {splat:b}", op.name());
    });
}
#[test]
fn in_place_and_strided() {
    let n = 37;
    for (op, k) in all_kernels() {
        let args: Vec<Tensor> = (0..k.arity()).map(|j| operand(k.from()[j], n, j)).collect();
        let want = k.apply(&args).expect("applies");
        for own in (1..1 << k.arity()).filter(|own| (0..k.arity()).all(|j| own >> j & 1 == 0 || k.from()[j] == k.to()))
        {
            for splat in (0..1 << k.arity()).filter(|s| s & own == 0) {
                for n in [n, if k.cheap() { 700 } else { 3 }] {
                    in_place(op, &k, n, own, splat);
                }
            }
        }
        let reversed: Vec<Tensor> = args
            .iter()
            .map(|t| {
                with_dtype!(t.dtype(), T => {
                    let v = t.to_logical::<T>().expect("dtype");
                    Tensor::from_logical(&[n], v.into_iter().rev().collect()).unwrap()
                })
            })
            .collect();
        with_dtype!(k.to(), T => {
            let mut out = vec![T::default(); n];
            let mut src = [Src::NONE; 3];
            for (s, t) in src.iter_mut().zip(&reversed) {
                *s = with_dtype!(t.dtype(), U => Src { stride: -1, ..Src::slice(&t.storage::<U>().expect("dtype")[n - 1..]) });
            }
            // SAFETY: operands run backwards from the last of `n` elements; the result is fresh.
            unsafe { k.run(n, &src, out.as_mut_ptr().cast()) };
            assert!(Tensor::from_logical(&[n], out).unwrap().same(&want), "{} reversed", op.name());
        });
    }
}

#[test]
fn apply_refuses_what_does_not_fit() {
    let k = kernel(ScalarOp::Add, &[DType::F64, DType::F64], DType::F64).expect("add");
    let (a, b) = (Tensor::full(&[3], 1.0f64).unwrap(), Tensor::full(&[4], 1.0f64).unwrap());
    assert!(k.apply(&[a.clone(), b]).is_err());
    assert!(k.apply(&[a.clone(), Tensor::full(&[3], 1i64).unwrap()]).is_err());
    assert!(k.apply(std::slice::from_ref(&a)).is_err());
    assert_eq!(
        k.apply(&[a, Tensor::scalar(2.0f64)]).expect("scalar serves all").to_logical::<f64>(),
        Some(vec![3.0; 3])
    );
    let t = Tensor::from_column_major(&[2, 2], vec![1.0f64, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(k.apply(&[t.clone(), t]).expect("views").to_logical::<f64>(), Some(vec![2.0, 6.0, 4.0, 8.0]));
}

#[test]
fn complex_specials() {
    let f = |name: &str, re: f64, im: f64| apply1::<C64, C64>(op(name), C64::new(re, im)).expect("c64");
    let eq = |z: C64, re: f64, im: f64| {
        assert!(bits(z.re) == bits(re) && bits(z.im) == bits(im), "{z:?} is not ({re:?}, {im:?})")
    };
    use std::f64::consts::{FRAC_PI_2, PI};
    eq(f("sqrt", -4.0, 0.0), 0.0, 2.0);
    eq(f("sqrt", -4.0, -0.0), 0.0, -2.0);
    eq(f("sqrt", -INF, 1.0), 0.0, INF);
    eq(f("sqrt", f64::MAX, 0.0), f64::MAX.sqrt(), 0.0);
    eq(f("log", -1.0, 0.0), 0.0, PI);
    eq(f("log", -1.0, -0.0), 0.0, -PI);
    eq(f("log", 0.0, 0.0), -INF, 0.0);
    eq(f("exp", -INF, NAN), 0.0, 0.0);
    eq(f("exp", 0.0, -0.0), 1.0, -0.0);
    assert!(f("exp", 710.0, 1.57).re.is_finite());
    eq(f("tanh", 1000.0, 1.0), 1.0, 0.0);
    eq(f("asin", 2.0, 0.0), FRAC_PI_2, 1.3169578969248166);
    eq(f("asin", 2.0, -0.0), FRAC_PI_2, -1.3169578969248166);
    eq(f("acos", 2.0, 0.0), 0.0, -1.3169578969248166);
    eq(f("acosh", 0.25, -0.0), 0.0, -1.318116071652818);
    eq(f("atanh", 2.0, 0.0), 0.5493061443340549, FRAC_PI_2);
    eq(f("sign", 0.0, 0.0), 0.0, 0.0);
    eq(f("sign", 3e300, 4e300), 0.6, 0.8);
    eq(f("sign", 0.0, -5e-324), 0.0, -1.0);
    let d = |a: (f64, f64), b: (f64, f64)| {
        apply2::<C64, C64>(ScalarOp::Div, C64::new(a.0, a.1), C64::new(b.0, b.1)).expect("c64")
    };
    eq(d((1e300, 1e300), (1e300, 1e300)), 1.0, 0.0);
    eq(d((1e-310, 0.0), (0.0, 1e-310)), 0.0, -1.0);
    eq(d((f64::MAX, f64::MAX), (1.0, 1.0)), f64::MAX, 0.0);
    eq(d((1.0, 1.0), (0.0, 0.0)), INF, INF);
    eq(d((1.0, 1.0), (INF, 0.0)), 0.0, 0.0);
    let p = |a: (f64, f64), b: (f64, f64)| {
        apply2::<C64, C64>(ScalarOp::Pow, C64::new(a.0, a.1), C64::new(b.0, b.1)).expect("c64")
    };
    eq(p((0.0, 0.0), (0.0, 0.0)), 1.0, 0.0);
    eq(p((0.0, 0.0), (2.0, 1.0)), 0.0, 0.0);
    assert!((p((0.0, 1.0), (2.0, 0.0)) - C64::new(-1.0, 0.0)).norm() < 1e-15);
    assert_eq!(apply1::<C64, f64>(ScalarOp::Abs, C64::new(3e300, 4e300)), Some(5e300));
    assert_eq!(apply1::<C32, f32>(ScalarOp::Abs, C32::new(3e30, 4e30)), Some(5e30));
}
