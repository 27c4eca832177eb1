//! Vector math: errors against points computed with mpmath (`data/vmath_points.py`) and, for `f32`, against the scalar
//! library in `f64`; special values; every loop shape against single elements; the same bits on every instruction set.

use std::fmt::Write as _;
use tfc_ir::{C32, C64, DType, Element, ScalarOp};
use tfc_kernels::functions::FUNCTIONS;
use tfc_kernels::scalar::{KernelFn, Src, kernel};
use tfc_kernels::vmath::{Isa, kernel_for};

/// The functions of vectors, those of two operands last.
fn functions() -> impl Iterator<Item = ScalarOp> {
    FUNCTIONS.iter().filter(|f| f.vector).map(|f| f.op)
}
/// Those of complex vectors.
fn complex_functions() -> impl Iterator<Item = ScalarOp> {
    FUNCTIONS.iter().filter(|f| f.complex_vector).map(|f| f.op)
}
const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn isas() -> Vec<Isa> {
    Isa::ALL.into_iter().filter(|i| i.available()).collect()
}
fn run<T: Element>(f: KernelFn, a: &[T], b: &[T]) -> Vec<T> {
    let mut out = vec![T::default(); a.len()];
    // SAFETY: dense operands of one length and type, a fresh result.
    unsafe { f(a.len(), &[Src::slice(a), Src::slice(b), Src::NONE], out.as_mut_ptr().cast()) };
    out
}
fn vector<T: Element>(isa: Isa, op: ScalarOp, a: &[T], b: &[T]) -> Vec<T> {
    run(kernel_for(isa, op, T::DTYPE).unwrap_or_else(|| panic!("{} {isa:?}", op.name())), a, b)
}
fn scalar(op: ScalarOp, a: &[f64], b: &[f64]) -> Vec<f64> {
    run(kernel(op, &[DType::F64; 2][..op.arity()], DType::F64).expect("in the catalogue").f(), a, b)
}
fn narrow(x: &[f64]) -> Vec<f32> {
    x.iter().map(|&v| v as f32).collect()
}
fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&v| v as f64).collect()
}
fn same64(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// Error in units in the last place of `want`; infinite for a wrong zero, infinity or NaN. `top` is the power of two
/// above all finite numbers, `unit` the distance between numbers at a magnitude.
fn error(got: f64, want: f64, top: f64, unit: fn(f64) -> f64) -> f64 {
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() { 0.0 } else { INF };
    }
    if got == want {
        return if got != 0.0 || got.is_sign_negative() == want.is_sign_negative() { 0.0 } else { INF };
    }
    let finite = |x: f64| if x.abs() >= top { top * x.signum() } else { x };
    (finite(got) - finite(want)).abs() / unit(want.abs().min(top.next_down()))
}
/// `rest` units are to be added to `want`.
fn error64(got: f64, want: f64, rest: f64) -> f64 {
    if got.is_infinite() != want.is_infinite() {
        let edge = |x: f64| x.is_infinite() || x.abs() == f64::MAX;
        return if edge(got) && edge(want) && got.signum() == want.signum() { 1.0 } else { INF };
    }
    let e = error(got, want, INF, |x| x.next_up() - x);
    if !e.is_finite() || got.is_infinite() || got.is_nan() {
        e
    } else if got > want {
        e - rest
    } else {
        (e + rest).abs()
    }
}
fn error32(got: f32, want: f64) -> f64 {
    error(got as f64, want, f64::from_bits(0x47f0_0000_0000_0000), |x| {
        2f64.powi((x.max(f64::MIN_POSITIVE).to_bits() >> 52) as i32 - 1023 - 23).max(2f64.powi(-149))
    })
}

/// A line of a table: op, operands, result rounded, what rounding took away in units of the last place.
type Point = (ScalarOp, Vec<f64>, f64, f64);
fn points(file: &str) -> Vec<Point> {
    let text = std::fs::read_to_string(file).expect("a table");
    let number = |s: &str| f64::from_bits(u64::from_str_radix(s, 16).expect("bits"));
    let known = |l: &&str| functions().any(|o| l.split(' ').next() == Some(o.name()));
    let lines = text.lines().filter(known).map(|l| {
        let (left, right) = l.split_once(" = ").expect("op inputs = output");
        let (name, inputs) = left.split_once(' ').expect("op inputs");
        let op = *ScalarOp::ALL.iter().find(|o| o.name() == name).expect("a scalar op");
        (op, inputs.split(' ').map(number).collect::<Vec<_>>(), right)
    });
    // Complex results have two parts, complex operands are two numbers.
    let real = lines.filter(|l| l.1.len() == l.0.arity() && (!l.2.contains(' ') || l.2.contains('+')));
    let split = |(op, x, right): (_, _, &str)| {
        let (y, rest) = right.split_once(" + ").unwrap_or((right, "0"));
        (op, x, number(y), rest.parse().expect("a number"))
    };
    real.map(split).collect()
}
fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}
struct Worst {
    ulp: f64,
    at: String,
    points: usize,
}
impl Worst {
    const NONE: Worst = Worst { ulp: 0.0, at: String::new(), points: 0 };
    fn see(&mut self, ulp: f64, at: &[f64]) {
        self.points += 1;
        if ulp > self.ulp {
            *self = Worst { ulp, at: at.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", "), ..*self };
        }
    }
}
fn worst64(isa: Isa, op: ScalarOp, table: &[Point]) -> Worst {
    let rows: Vec<_> = table.iter().filter(|r| r.0 == op).collect();
    let column = |k: usize| -> Vec<f64> { rows.iter().map(|r| r.1.get(k).copied().unwrap_or(0.0)).collect() };
    let got = vector(isa, op, &column(0), &column(1));
    let mut w = Worst::NONE;
    rows.iter().zip(got).for_each(|(r, g)| w.see(error64(g, r.2, r.3), &r.1));
    w
}
/// Operands of `f32`: every `step`-th bit pattern from `first` to `end`, and for two operands a second that goes with it:
/// powers with results in range, coordinates of all ratios.
fn sweep(op: ScalarOp, first: u64, end: u64, step: usize) -> (Vec<f32>, Vec<f32>) {
    let a: Vec<f32> = (first..end).step_by(step).map(|b| f32::from_bits(b as u32)).collect();
    let power = |(i, x): (usize, &f32)| (((i * 7919) % 1000) as f32 - 500.0) * 0.3 / x.log2().abs().max(1e-6);
    let side =
        |(i, y): (usize, &f32)| y * (((i * 7919) % 1000) as f32 - 500.0).powi(if i % 3 == 0 { 3 } else { 1 }) / 99.0;
    match op {
        ScalarOp::Pow => {
            let a: Vec<f32> = a.into_iter().filter(|x| *x > 0.0 && x.is_finite()).collect();
            let b = a.iter().enumerate().map(power).collect();
            (a, b)
        }
        ScalarOp::Atan2 => {
            let b = a.iter().enumerate().map(side).collect();
            (a, b)
        }
        _ => (a, vec![]),
    }
}
fn worst32(isa: Isa, op: ScalarOp, step: usize) -> Worst {
    let (mut w, all, piece) = (Worst::NONE, 1u64 << 32, step as u64 * 1_000_000);
    for first in (0..all).step_by(piece as usize) {
        let (a, b) = sweep(op, first, all.min(first + piece), step);
        let (wide_a, wide_b) = (widen(&a), widen(&b));
        let (got, want) = (vector(isa, op, &a, &b), scalar(op, &wide_a, &wide_b));
        for i in 0..a.len() {
            w.see(error32(got[i], want[i]), &[wide_a[i], wide_b.get(i).copied().unwrap_or(0.0)][..op.arity()]);
        }
    }
    w
}

#[test]
fn two_units_in_f64() {
    let mut table = points(&data("vmath.txt"));
    table.extend(points(&data("scalar.txt")));
    for isa in isas() {
        for op in functions() {
            let w = worst64(isa, op, &table);
            assert!(
                w.points >= 30 && w.ulp <= 2.0,
                "{} {isa:?}: {} at {}, {} points",
                op.name(),
                w.ulp,
                w.at,
                w.points
            );
        }
    }
}
#[test]
fn two_units_in_f32() {
    let isa = *isas().last().expect("scalar at least");
    for op in functions() {
        let w = worst32(isa, op, 20_011);
        assert!(w.points >= 100_000 && w.ulp <= 2.0, "{}: {} at {}, {} points", op.name(), w.ulp, w.at, w.points);
    }
}
#[test]
fn every_instruction_set_gives_the_same_bits() {
    let mut table = points(&data("vmath.txt"));
    table.extend(points(&data("scalar.txt")));
    for op in functions() {
        let column = |k: usize| -> Vec<f64> {
            table.iter().filter(|r| r.0 == op).map(|r| r.1.get(k).copied().unwrap_or(0.0)).collect()
        };
        let (a, b) = (column(0), column(1));
        let (c, d) = sweep(op, 0, 1 << 32, 200_003);
        let (want64, want32) = (vector(Isa::Scalar, op, &a, &b), vector(Isa::Scalar, op, &c, &d));
        for isa in isas() {
            for (i, g) in vector(isa, op, &a, &b).into_iter().enumerate() {
                assert!(
                    same64(g, want64[i]),
                    "{} {isa:?} at {:?}, {:?}: {g:?}, {:?}",
                    op.name(),
                    a[i],
                    b[i],
                    want64[i]
                );
            }
            for (i, g) in vector(isa, op, &c, &d).into_iter().enumerate() {
                assert!(
                    same64(g as f64, want32[i] as f64),
                    "{} {isa:?} at {:?}: {g:?}, {:?}",
                    op.name(),
                    c[i],
                    want32[i]
                );
            }
        }
    }
}

#[test]
fn special_values() {
    use ScalarOp::*;
    let (pi, top, tiny) = (std::f64::consts::PI, 709.782712893384, f64::from_bits(1));
    let unary: &[(ScalarOp, &[(f64, f64)])] = &[
        (Exp, &[(0.0, 1.0), (-0.0, 1.0), (-INF, 0.0), (INF, INF), (710.0, INF), (-746.0, 0.0), (-745.0, tiny)]),
        (Exp, &[(1e300, INF), (-1e300, 0.0), (tiny, 1.0)]),
        (Exp2, &[(0.0, 1.0), (-INF, 0.0), (INF, INF), (1024.0, INF), (1023.0, 2f64.powi(1023)), (-1074.0, tiny)]),
        (Exp2, &[(-1076.0, 0.0), (5.0, 32.0), (-3.0, 0.125)]),
        (Expm1, &[(-0.0, -0.0), (0.0, 0.0), (-INF, -1.0), (INF, INF), (tiny, tiny), (-1e300, -1.0), (-50.0, -1.0)]),
        (Log, &[(0.0, -INF), (-0.0, -INF), (-1.0, NAN), (-INF, NAN), (1.0, 0.0), (INF, INF), (-tiny, NAN)]),
        (Log1p, &[(-0.0, -0.0), (0.0, 0.0), (-1.0, -INF), (-2.0, NAN), (INF, INF), (-INF, NAN), (-tiny, -tiny)]),
        (Tanh, &[(-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (30.0, 1.0), (-tiny, -tiny)]),
        (Logistic, &[(0.0, 0.5), (INF, 1.0), (-INF, 0.0), (-800.0, 0.0), (800.0, 1.0)]),
        (Sinh, &[(-0.0, -0.0), (INF, INF), (-INF, -INF), (711.0, INF), (-tiny, -tiny)]),
        (Cosh, &[(-0.0, 1.0), (INF, INF), (-INF, INF), (711.0, INF), (tiny, 1.0)]),
        (Sin, &[(-0.0, -0.0), (0.0, 0.0), (INF, NAN), (-INF, NAN), (-tiny, -tiny)]),
        (Cos, &[(-0.0, 1.0), (INF, NAN), (-INF, NAN)]),
        (Tan, &[(-0.0, -0.0), (0.0, 0.0), (INF, NAN), (-tiny, -tiny)]),
        (Asin, &[(-0.0, -0.0), (1.0, pi / 2.0), (-1.0, -pi / 2.0), (1.5, NAN), (-INF, NAN), (-tiny, -tiny)]),
        (Acos, &[(1.0, 0.0), (-1.0, pi), (0.0, pi / 2.0), (1.5, NAN), (-INF, NAN)]),
        (Asinh, &[(-0.0, -0.0), (INF, INF), (-INF, -INF), (-tiny, -tiny)]),
        (Acosh, &[(1.0, 0.0), (INF, INF), (0.5, NAN), (-1e17, NAN), (-INF, NAN)]),
        (Atanh, &[(-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (INF, NAN), (-tiny, -tiny)]),
        (Sin, &[(1e22, -0.8522008497671888), (f64::MAX, 0.004961954789184062)]),
        (Atan, &[(-0.0, -0.0), (INF, pi / 2.0), (-INF, -pi / 2.0), (1e300, pi / 2.0), (1.0, pi / 4.0), (tiny, tiny)]),
        (Erf, &[(-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (10.0, 1.0)]),
        (Erfc, &[(0.0, 1.0), (INF, 0.0), (-INF, 2.0), (30.0, 0.0), (-30.0, 2.0)]),
        (ErfInv, &[(-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (INF, NAN), (-INF, NAN)]),
        (Sqrt, &[(-0.0, -0.0), (-1.0, NAN), (INF, INF), (4.0, 2.0)]),
        (Rsqrt, &[(0.0, INF), (-0.0, -INF), (INF, 0.0), (4.0, 0.5), (-1.0, NAN)]),
        (Cbrt, &[(-0.0, -0.0), (0.0, 0.0), (INF, INF), (-INF, -INF), (-8.0, -2.0), (27.0, 3.0)]),
    ];
    let listed = |op: &ScalarOp| op.arity() == 2 || unary.iter().any(|row| row.0 == *op);
    assert!(
        functions().all(|op| listed(&op)),
        "a function has no special values here: {:?}",
        functions().find(|o| !listed(o))
    );
    for isa in isas() {
        for &(op, pairs) in unary {
            for &(x, y) in pairs.iter().chain(&[(NAN, NAN)]) {
                let got = vector(isa, op, &[x], &[0.0])[0];
                assert!(same64(got, y), "{} {isa:?} of {x:?} is {got:?}, not {y:?}", op.name());
                let fits = |v: f64| v.is_nan() || v as f32 as f64 == v;
                if fits(x) && (fits(y) || y.is_infinite()) {
                    let got = vector(isa, op, &[x as f32], &[0.0])[0];
                    assert!(same64(got as f64, y), "f32 {} {isa:?} of {x:?} is {got:?}, not {y:?}", op.name());
                }
            }
        }
        assert!(vector(isa, Exp, &[top], &[0.0])[0] < INF, "{isa:?}");
        assert!(error64(vector(isa, Cos, &[1e22], &[0.0])[0], 0.5232147853951389, 0.0) <= 2.0, "{isa:?}");
        assert!(vector(isa, Exp, &[88.72283f32], &[0.0])[0] < f32::INFINITY, "{isa:?}");
        assert!(vector(isa, Sinh, &[710.4758600739439], &[0.0])[0] < INF, "{isa:?}");
    }
}
#[test]
fn special_angles() {
    let x = [0.0, -0.0, 1.0, -1.0, 2.5, -3.0, INF, -INF, NAN, 1e300, -1e300, 5e-324, -1e-310, f64::MAX];
    let (a, b): (Vec<f64>, Vec<f64>) = x.iter().flat_map(|&p| x.iter().map(move |&q| (p, q))).unzip();
    for isa in isas() {
        let (got, single) =
            (vector(isa, ScalarOp::Atan2, &a, &b), vector(isa, ScalarOp::Atan2, &narrow(&a), &narrow(&b)));
        for i in 0..a.len() {
            let (want, p, q) = (a[i].atan2(b[i]), a[i] as f32, b[i] as f32);
            assert!(error64(got[i], want, 0.0) <= 2.0, "{isa:?} atan2({:?}, {:?}) is {:?}", a[i], b[i], got[i]);
            let want = (p as f64).atan2(q as f64);
            assert!(error32(single[i], want) <= 2.0, "{isa:?} f32 atan2({p:?}, {q:?}) is {:?}", single[i]);
        }
    }
}
/// Complex kernels against the scalar ones: ordinary arguments to five units of the larger part, all others exactly; the
/// same bits on every instruction set, in place and for pairs of `f32`.
#[test]
fn complex_functions_everywhere() {
    let special = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e-310, 1e300, -1e300, 0.5, 800.0, -720.0, 22.5, 1e-160];
    let mut z: Vec<C64> = special.iter().flat_map(|&a| special.iter().map(move |&b| C64::new(a, b))).collect();
    let turn = |i: usize| {
        C64::new(
            1.7f64.powi(i as i32 % 9 - 4) * (i as f64).cos(),
            2.1f64.powi(i as i32 % 7 - 3) * (1.3 * i as f64).sin(),
        )
    };
    z.extend((0..3000).map(turn));
    let w: Vec<C64> = z.iter().rev().copied().collect();
    let same = |a: C64, b: C64| same64(a.re, b.re) && same64(a.im, b.im);
    for op in complex_functions() {
        let f = kernel(op, &[DType::C64; 2][..op.arity()], DType::C64).expect("in the catalogue").f();
        let want = run(f, &z, &w);
        let first = vector(Isa::Scalar, op, &z, &w);
        for (i, (g, e)) in first.iter().zip(&want).enumerate() {
            let (large, d) = (e.re.abs().max(e.im.abs()), (g - e).re.abs().max((g - e).im.abs()));
            assert!(same(*g, *e) || d <= 5.0 * f64::EPSILON * large, "{} of {:?}: {g:?}, {e:?}", op.name(), z[i]);
        }
        let (z32, w32) = (z.iter().map(half).collect::<Vec<_>>(), w.iter().map(half).collect::<Vec<_>>());
        for isa in isas() {
            let got = vector(isa, op, &z, &w);
            assert!(got.iter().zip(&first).all(|(a, b)| same(*a, *b)), "{} {isa:?}", op.name());
            let mut own = z.clone();
            let src = [Src { ptr: own.as_ptr().cast(), stride: 1 }, Src::slice(&w), Src::NONE];
            // SAFETY: dense operands of one length, of which one is the result.
            unsafe { kernel_for(isa, op, DType::C64).expect("a kernel")(z.len(), &src, own.as_mut_ptr().cast()) };
            assert!(own.iter().zip(&first).all(|(a, b)| same(*a, *b)), "{} {isa:?} in place", op.name());
            let (wide_z, wide_w): (Vec<_>, Vec<_>) =
                (z32.iter().map(double).collect(), w32.iter().map(double).collect());
            let wide = vector(isa, op, &wide_z, &wide_w);
            let got = vector(isa, op, &z32, &w32);
            assert!(got.iter().zip(&wide).all(|(a, b)| same(double(a), double(&half(b)))), "{} {isa:?} c32", op.name());
        }
    }
}
/// A denormal part is rounded once, alike on every instruction set.
#[test]
fn complex_functions_of_denormal_parts() {
    let parts = [-2.0, 0.3, -0.7, 5.5, -37.0, 250.0, -699.0, 0.0, -0.0];
    let mut z: Vec<C64> = vec![];
    for d in DENORMAL.into_iter().chain([3e-308, -7e-309, 1.2e-300]) {
        z.extend(parts.iter().flat_map(|&p| [C64::new(p, d), C64::new(d, p)]));
    }
    let w: Vec<C64> = z.iter().rev().copied().collect();
    for op in complex_functions() {
        let want = vector(Isa::Scalar, op, &z, &w);
        for isa in isas() {
            let got = vector(isa, op, &z, &w);
            for i in 0..z.len() {
                let same = same64(got[i].re, want[i].re) && same64(got[i].im, want[i].im);
                assert!(same, "{} {isa:?} of {:?}, {:?}: {:?}, {:?}", op.name(), z[i], w[i], got[i], want[i]);
            }
        }
    }
}
fn half(z: &C64) -> C32 {
    C32::new(z.re as f32, z.im as f32)
}
fn double(z: &C32) -> C64 {
    C64::new(z.re as f64, z.im as f64)
}
/// Numbers with few digits, of both precisions.
const DENORMAL: [f64; 8] = [5e-324, -5e-324, 1e-310, -1e-310, 1e-45, -1e-45, 1e-40, -1e-40];
#[test]
fn denormal_arguments() {
    let (a, b) = (DENORMAL.to_vec(), DENORMAL.iter().rev().copied().collect::<Vec<_>>());
    for isa in isas() {
        for op in functions() {
            let (got, want) = (vector(isa, op, &a, &b), scalar(op, &a, &b));
            let one = vector(Isa::Scalar, op, &a, &b);
            assert!(got.iter().zip(&one).all(|(x, y)| same64(*x, *y)), "{} {isa:?}: {got:?}, {one:?}", op.name());
            let (small_a, small_b) = (narrow(&a), narrow(&b));
            let (single, wide) = (vector(isa, op, &small_a, &small_b), scalar(op, &widen(&small_a), &widen(&small_b)));
            for i in 0..a.len() {
                let e = error64(got[i], want[i], 0.0);
                assert!(e <= 2.0, "{} {isa:?} at {:?}, {:?}: {:?}, {:?}", op.name(), a[i], b[i], got[i], want[i]);
                let e = error32(single[i], wide[i]);
                assert!(e <= 2.0, "f32 {} {isa:?} at {:?}, {:?}: {:?}", op.name(), small_a[i], small_b[i], single[i]);
            }
        }
    }
}
#[test]
fn special_powers() {
    let big = 9_007_199_254_740_993.0;
    let x = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, INF, -INF, NAN, 1e300, -1e300, 1e-300, f64::MAX];
    let y = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5, -2.5, INF, -INF, NAN, big, -big, 1e16, 1e300];
    // Half of the least number is 0, and yet it is no even integer.
    let (x, y) = ([&x[..], &DENORMAL].concat(), [&y[..], &DENORMAL].concat());
    let pairs = |k: usize| -> Vec<f64> {
        x.iter().flat_map(|&a| y.iter().map(move |&b| if k == 0 { a } else { b }).collect::<Vec<_>>()).collect()
    };
    let (a, b) = (pairs(0), pairs(1));
    for isa in isas() {
        let got = vector(isa, ScalarOp::Pow, &a, &b);
        let single = vector(isa, ScalarOp::Pow, &narrow(&a), &narrow(&b));
        for i in 0..a.len() {
            let want = a[i].powf(b[i]);
            assert!(
                error64(got[i], want, 0.0) <= 2.0,
                "{isa:?} pow({:?}, {:?}) is {:?}, not {want:?}",
                a[i],
                b[i],
                got[i]
            );
            let (p, q) = (a[i] as f32, b[i] as f32);
            let want = p.powf(q);
            assert!(
                error32(single[i], want as f64) <= 3.0,
                "{isa:?} f32 pow({p:?}, {q:?}) is {:?}, not {want:?}",
                single[i]
            );
        }
    }
}

/// Lengths, strides and in-place use against one element at a time; nothing is written outside.
fn shapes<T: Element + Into<f64>>(isa: Isa, op: ScalarOp, from: fn(f64) -> T) {
    let f = kernel_for(isa, op, T::DTYPE).expect("a kernel");
    let value = |i: usize| from(0.37 + 0.211 * i as f64 + if i % 13 == 5 { 4e4 } else { 0.0 });
    let store: Vec<T> = (0..600).map(value).collect();
    let at = |i: usize, j: usize| vector(isa, op, &[store[i]], &[store[j]])[0];
    let mark = from(-77.25);
    let check = |n: usize, s: [isize; 2], base: [usize; 2]| {
        let mut out = vec![mark; n + 8];
        let src = |k: usize| Src { ptr: store[base[k]..].as_ptr().cast(), stride: s[k] };
        // SAFETY: `n` elements from `base` in steps of `s` lie inside `store`; the result has room.
        unsafe { f(n, &[src(0), src(1), Src::NONE], out[4..].as_mut_ptr().cast()) };
        for (i, got) in out.into_iter().enumerate() {
            let place = |k: usize| (base[k] as isize + (i as isize - 4) * s[k]) as usize;
            let want = if (4..n + 4).contains(&i) { at(place(0), place(1)) } else { mark };
            assert!(same64(got.into(), want.into()), "{} {isa:?} n = {n}, strides {s:?}, element {i}", op.name());
        }
    };
    for n in 0..=70 {
        check(n, [1, 1], [n % 7, 3]);
    }
    for s in [[0, 0], [2, 1], [-1, 0], [0, 1], [1, 0], [-2, -1], [0, 3]] {
        for n in [0, 1, 37] {
            check(n, s, [200, 300]);
        }
    }
    check(290, [1, 0], [1, 7]);
    check(290, [-1, 2], [300, 9]);
    for place in 0..op.arity() {
        let (mut own, want) = (store.clone(), vector(isa, op, &store, &store));
        let mut src = [Src::slice(&store), Src::slice(&store), Src::NONE];
        let dst = own.as_mut_ptr().cast::<u8>();
        src[place] = Src { ptr: dst, stride: 1 };
        // SAFETY: dense operands of one length; the result is one of them.
        unsafe { f(own.len(), &src, dst) };
        assert!(own.iter().zip(&want).all(|(&a, &b)| same64(a.into(), b.into())), "{} {isa:?} in place", op.name());
    }
}
#[test]
fn every_shape_gives_the_same_elements() {
    for isa in isas() {
        for op in functions() {
            shapes::<f32>(isa, op, |x| x as f32);
            shapes::<f64>(isa, op, |x| x);
        }
    }
}

/// Every function of vectors, and no other, has its line in `docs/vmath.md`.
#[test]
fn the_page_lists_every_function() {
    let page = std::fs::read_to_string(crate::page::FILE).expect("the page");
    let first = page.split("\n## ").next().unwrap_or_default();
    let listed = first.lines().filter_map(|l| l.strip_prefix("| `")?.split('`').next());
    assert_eq!(listed.collect::<Vec<_>>(), functions().map(ScalarOp::name).collect::<Vec<_>>());
}
/// Writes `docs/vmath.md`; the command is in the page.
#[test]
#[ignore = "writes a page of documentation"]
fn write_page() {
    let table = points(&std::env::var("TFC_VMATH_POINTS").unwrap_or_else(|_| data("vmath.txt")));
    let isa = *isas().last().expect("scalar at least");
    let step = std::env::var("TFC_VMATH_STEP").ok().and_then(|s| s.parse().ok()).unwrap_or(499);
    let mut page = PAGE.replace("STEP", &step.to_string());
    for op in functions() {
        let (a, b) = (worst32(isa, op, step), worst64(isa, op, &table));
        let row = (op.name(), a.ulp, a.at, a.points, b.ulp, b.at, b.points);
        writeln!(page, "| `{}` | {:.2} | {} | {} | {:.2} | {} | {} |", row.0, row.1, row.2, row.3, row.4, row.5, row.6)
            .expect("memory");
    }
    page.push_str(&crate::page::sections());
    std::fs::write(crate::page::FILE, page).expect("docs is writable");
}
const PAGE: &str = "# Errors of the vector math

The CPU engine computes elementary functions of `f32` and `f64` with its own vector code. The limit is 2 units in the
last place (ULP) on the whole domain; the result of an element depends neither on its place nor on the instruction set.
Largest errors found, and where:

- `f32`: every STEPth bit pattern (`pow` and `atan2`: with a second operand that goes with it), against the scalar library
  in `f64`;
- `f64`: points drawn over the domain and near its critical places, against mpmath.

```text
python crates/backends/kernels/tests/data/vmath_points.py 1500 > points.txt
TFC_VMATH_POINTS=$PWD/points.txt cargo test -p tfc-kernels --test it -- --ignored vmath::write_page
```

| function | `f32` ULP | at | points | `f64` ULP | at | points |
|---|--:|--:|--:|--:|--:|--:|
";

/// Nanoseconds an element, 1024 elements in L1, the least of many runs.
fn nanoseconds<T: Element>(f: KernelFn, from: fn(f64) -> T) -> f64 {
    let a: Vec<T> = (0..1024).map(|i| from(0.01 + 0.0039 * i as f64)).collect();
    let mut out = vec![T::default(); a.len()];
    let mut best = INF;
    for _ in 0..300 {
        let start = std::time::Instant::now();
        for _ in 0..8 {
            // SAFETY: dense operands of one length and type, a fresh result.
            unsafe { f(a.len(), &[Src::slice(&a), Src::slice(&a), Src::NONE], out.as_mut_ptr().cast()) };
        }
        best = (start.elapsed().as_nanos() as f64 / (8 * a.len()) as f64).min(best);
    }
    best
}
/// Prints the speed of each function, on each instruction set and in the scalar library.
#[test]
#[ignore = "measures"]
fn speed() {
    let all = functions().chain([ScalarOp::Add, ScalarOp::Mul, ScalarOp::Div, ScalarOp::Max]);
    for op in all {
        let column = |d: DType| {
            let time =
                |f| if d == DType::F32 { nanoseconds::<f32>(f, |x| x as f32) } else { nanoseconds::<f64>(f, |x| x) };
            let library = kernel(op, &[d; 2][..op.arity()], d).expect("in the catalogue").f();
            let own =
                isas().into_iter().rev().filter_map(|i| Some(format!("{i:?} {:.3}, ", time(kernel_for(i, op, d)?))));
            format!("{d}: {}library {:.3}", own.collect::<String>(), time(library))
        };
        println!("{:9} {}; {}", op.name(), column(DType::F32), column(DType::F64));
    }
}
