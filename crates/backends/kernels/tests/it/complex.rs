//! Complex functions at arguments of every size, all quadrants, against a table computed with mpmath (`data/complex.py`, which
//! says how it is made): within 2 units of the modulus (TFIR §5) for the scalar library, and for the vector functions of every
//! instruction set within what `vmath.rs` allows them; pairs of `f32` are those of `f64` rounded.
//!
//! `TFC_COMPLEX_TABLE=FILE` names a longer table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use tfc_ir::{C32, C64, DType, Element, ScalarOp};
use tfc_kernels::functions::FUNCTIONS;
use tfc_kernels::scalar::{KernelFn, Src, apply1, apply2, kernel};
use tfc_kernels::vmath::{Isa, kernel_for};

struct Point {
    op: ScalarOp,
    /// One operand or two.
    at: Vec<C64>,
    want: C64,
    /// `Some(s)` where `f(-z)` is known to be `s · f(z)`.
    parity: Option<f64>,
}
fn op(name: &str) -> ScalarOp {
    *ScalarOp::ALL.iter().find(|o| o.name() == name).expect("a scalar op")
}
fn bits(s: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(s, 16).expect("bits"))
}
fn table() -> Vec<Point> {
    let own = format!("{}/tests/data/complex.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(std::env::var("TFC_COMPLEX_TABLE").unwrap_or(own)).expect("a table");
    let mut lines = text.lines().filter(|l| !l.starts_with('#'));
    let head = lines.next().expect("the exponents");
    let sizes: Vec<f64> = head.split(' ').skip(1).map(|k| format!("1e{k}").parse().expect("a number")).collect();
    let mut out = vec![];
    while let Some(title) = lines.next() {
        let Some((name, quadrants)) = title.split_once(' ') else {
            let op = op(title);
            let pairs = lines.clone().take_while(|l| l.contains(" = ")).count();
            for l in lines.by_ref().take(pairs) {
                let v: Vec<f64> = l.split(' ').filter(|s| *s != "=").map(bits).collect();
                let c = |k: usize| C64::new(v[2 * k], v[2 * k + 1]);
                out.push(Point { op, at: vec![c(0), c(1)], want: c(2), parity: None });
            }
            continue;
        };
        let sides: &[f64] = if quadrants == "1" { &[1.0] } else { &[1.0, -1.0] };
        for &x in &sizes {
            for &y in &sizes {
                for &side in sides {
                    let (re, im) = lines.next().and_then(|l| l.split_once(' ')).expect("a value");
                    let parity = (quadrants == "1").then_some(if name.starts_with("cos") { 1.0 } else { -1.0 });
                    let at = vec![C64::new(side * x, y)];
                    out.push(Point { op: op(name), at, want: C64::new(bits(re), bits(im)), parity });
                }
            }
        }
    }
    out
}
/// Units of 2⁻⁵² of the modulus.
fn error(got: C64, want: C64) -> f64 {
    let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
    if same(got.re, want.re) && same(got.im, want.im) {
        return 0.0;
    }
    // A part that overflows has the greatest number's place.
    let finite = |z: C64| C64::new(z.re.clamp(-f64::MAX, f64::MAX) * 0.25, z.im.clamp(-f64::MAX, f64::MAX) * 0.25);
    let (g, w) = (finite(got), finite(want));
    let unit = (w.re.hypot(w.im) * f64::EPSILON).max(f64::from_bits(1));
    let e = (g.re - w.re).hypot(g.im - w.im) / unit;
    if e.is_nan() { f64::INFINITY } else { e }
}
/// The point and its images in the other quadrants.
fn images(p: &Point) -> Vec<(Vec<C64>, C64)> {
    let conj = (p.at.iter().map(|z| z.conj()).collect(), p.want.conj());
    let mut all = vec![(p.at.clone(), p.want), conj];
    if let Some(sign) = p.parity {
        all.extend(all.clone().into_iter().map(|(at, w)| (at.iter().map(|z| -z).collect(), w * sign)));
    }
    all
}
fn run<T: Element>(f: KernelFn, a: &[T], b: &[T]) -> Vec<T> {
    let mut out = vec![T::default(); a.len()];
    // SAFETY: dense operands of one length and type, a fresh result.
    unsafe { f(a.len(), &[Src::slice(a), Src::slice(b), Src::NONE], out.as_mut_ptr().cast()) };
    out
}
fn half(z: C64) -> C32 {
    C32::new(z.re as f32, z.im as f32)
}
fn same32(a: C32, b: C32) -> bool {
    let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    same(a.re, b.re) && same(a.im, b.im)
}

#[test]
fn scalar_library_at_every_size() {
    let (mut worst, mut failures) = (BTreeMap::<&str, (f64, String)>::new(), vec![]);
    for p in table() {
        for (at, want) in images(&p) {
            let got: C64 = match at[..] {
                [z] => apply1(p.op, z),
                [z, w] => apply2(p.op, z, w),
                _ => None,
            }
            .expect("defined on c64");
            let (e, text) = (error(got, want), format!("{}{at:?} is {got:?}, not {want:?}", p.op.name()));
            if e.is_nan() || e > 2.0 {
                failures.push(format!("{e:.3e} units: {text}"));
            }
            let w = worst.entry(p.op.name()).or_insert((-1.0, String::new()));
            if e > w.0 {
                *w = (e, text);
            }
        }
    }
    worst.values().for_each(|w| println!("{:.2} {}", w.0, w.1));
    assert!(failures.is_empty(), "{} points:\n{}", failures.len(), failures.join("\n"));
}

/// The worst case of each function, scalar and of vectors, on the points of the table that is checked in.
#[test]
fn page_has_the_errors_of_complex_functions() {
    if std::env::var_os("TFC_COMPLEX_TABLE").is_some() {
        return;
    }
    let points: Vec<_> = table().into_iter().flat_map(|p| images(&p).into_iter().map(move |i| (p.op, i))).collect();
    let isa = Isa::Scalar; // Every instruction set gives the same bits.
    let mut text = String::from(ERRORS);
    let mut ops: Vec<ScalarOp> = points.iter().map(|p| p.0).collect();
    ops.sort_by_key(|op| op.name());
    ops.dedup();
    assert!(ops.len() >= 20, "{}", ops.len());
    for op in ops {
        let own: Vec<_> = points.iter().filter(|p| p.0 == op).map(|p| &p.1).collect();
        let column = |k: usize| own.iter().map(|(at, _)| at.get(k).copied().unwrap_or_default()).collect::<Vec<_>>();
        let (a, b) = (column(0), column(1));
        let two = op.arity() == 2;
        let single = |z: C64, w: C64| -> C64 { if two { apply2(op, z, w) } else { apply1(op, z) }.expect("on c64") };
        // Largest error, and where.
        let worst = |got: &[C64]| {
            let errors = got.iter().zip(&own).map(|(g, (_, want))| error(*g, *want)).enumerate();
            let (i, e) = errors.fold((0, -1.0), |most, e| if e.1 > most.1 { e } else { most });
            let at = own[i].0.iter().map(|z| format!("({:e}, {:e})", z.re, z.im)).collect::<Vec<_>>().join(", ");
            format!("{e:.2} | {at}")
        };
        let scalar: Vec<C64> = a.iter().zip(&b).map(|(&z, &w)| single(z, w)).collect();
        let vector = kernel_for(isa, op, DType::C64).map_or("– | –".into(), |f| worst(&run(f, &a, &b)));
        // At operands rounded to c32, against c64, in units of 2⁻²³ of the modulus.
        let mut narrow = 0.0f64;
        for (&z, &w) in a.iter().zip(&b) {
            let (z, w) = (half(z), half(w));
            let wide = |z: C32| C64::new(z.re.into(), z.im.into());
            let want = single(wide(z), wide(w));
            let got: C32 = if two { apply2(op, z, w) } else { apply1(op, z) }.expect("on c32");
            let size = want.re.hypot(want.im);
            if size < 1e38 && size > 1e-37 {
                let off = wide(got) - want;
                narrow = narrow.max(off.re.hypot(off.im) / (size * f64::from(f32::EPSILON)));
            }
        }
        let _ = writeln!(text, "| `{}` | {narrow:.2} | {} | {vector} | {} |", op.name(), worst(&scalar), own.len());
    }
    crate::page::section("Complex functions", &text);
}
const ERRORS: &str = "In units of the last place of the modulus (2⁻²³ and 2⁻⁵² of it): parts near 0 beside a large other part have no bound of their
own. The limit is 2. Of `c64` against mpmath at the points of `crates/backends/kernels/tests/data/complex.txt` (made by `complex.py`
beside it: every size of both parts, in all quadrants), of `c32` at these points rounded, against `c64`, of which it is the result
rounded once. Where the CPU engine has vector code of its own for a function, that stands beside the scalar library's.

| function | `c32` | scalar `c64` | at | vector `c64` | at | points |
|---|--:|--:|--:|--:|--:|--:|
";

#[test]
fn vectors_at_every_size() {
    let points: Vec<_> = table().into_iter().flat_map(|p| images(&p).into_iter().map(move |i| (p.op, i))).collect();
    let mut failures = vec![];
    for isa in Isa::ALL.into_iter().filter(|i| i.available()) {
        for op in FUNCTIONS.iter().filter(|f| f.complex_vector).map(|f| f.op) {
            let [f, f32] = [DType::C64, DType::C32].map(|d| kernel_for(isa, op, d).expect("its row says so"));
            let own: Vec<_> = points.iter().filter(|p| p.0 == op).map(|p| &p.1).collect();
            assert!(own.len() >= 100, "{} has {} points", op.name(), own.len());
            let column =
                |k: usize| own.iter().map(|(at, _)| at.get(k).copied().unwrap_or_default()).collect::<Vec<_>>();
            let (a, b) = (column(0), column(1));
            let first = run(kernel_for(Isa::Scalar, op, DType::C64).expect("on any machine"), &a, &b);
            for ((got, first), (at, want)) in run(f, &a, &b).into_iter().zip(first).zip(&own) {
                let same = got == first || got.re.is_nan() || got.im.is_nan();
                if !same || error(got, *want).is_nan() || error(got, *want) > 5.0 {
                    failures.push(format!("{isa:?} {}{at:?} is {got:?}, not {want:?}", op.name()));
                }
            }
            let (a, b) = (a.into_iter().map(half).collect::<Vec<_>>(), b.into_iter().map(half).collect::<Vec<_>>());
            let wide = |v: &[C32]| v.iter().map(|z| C64::new(z.re.into(), z.im.into())).collect::<Vec<_>>();
            let narrow = run(f, &wide(&a), &wide(&b)).into_iter().map(half);
            for ((got, want), z) in run(f32, &a, &b).into_iter().zip(narrow).zip(&a) {
                if !same32(got, want) {
                    failures.push(format!("{isa:?} {} of the c32 {z:?} is {got:?}, not {want:?}", op.name()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} points:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn single_precision_is_rounded_once() {
    for p in table() {
        let narrow: Vec<C32> = p.at.iter().copied().map(half).collect();
        let wide: Vec<C64> = narrow.iter().map(|z| C64::new(z.re.into(), z.im.into())).collect();
        let (got, want): (Option<C32>, Option<C64>) = match (&narrow[..], &wide[..]) {
            (&[z], &[w]) => (apply1(p.op, z), apply1(p.op, w)),
            (&[z, u], &[w, v]) => (apply2(p.op, z, u), apply2(p.op, w, v)),
            _ => (None, None),
        };
        let (got, want) = (got.expect("c32"), want.expect("c64"));
        assert!(same32(got, half(want)), "{}{narrow:?} is {got:?}, not {want:?}", p.op.name());
    }
}

/// |2^{iy}| = 1 for every y.
#[test]
fn powers_of_two_on_the_unit_circle() {
    let f = kernel(op("exp2"), &[DType::C64], DType::C64).expect("in the catalogue").f();
    let mut state = 1u64;
    let y = (0..200_000).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from_bits(state)
    });
    let z: Vec<C64> = y.filter(|y| y.is_finite()).map(|y| C64::new(0.0, y)).collect();
    for (w, z) in run(f, &z, &z).into_iter().zip(&z) {
        assert!((w.re.hypot(w.im) - 1.0).abs() <= 2.0 * f64::EPSILON, "2^{z:?} is {w:?}");
    }
}

/// What vectors take to be ordinary is: the square of a modulus stays where their formula holds.
#[test]
fn logarithms_of_vectors_at_every_size() {
    let vector = kernel_for(Isa::Scalar, ScalarOp::Log, DType::C64).expect("a formula");
    let mut at = vec![];
    for k in -320..=308 {
        let r: f64 = format!("1e{k}").parse().expect("a number");
        at.extend([
            C64::new(r, 0.3 * r),
            C64::new(-0.9, -3.37 * r),
            C64::new(-0.27 * r, 1.0),
            C64::new(0.6 * r, -0.8 * r),
            C64::new(f64::NAN, r),
            C64::new(r, f64::NAN),
        ]);
    }
    let got = run(vector, &at, &at);
    for (z, got) in at.iter().zip(got) {
        let want: C64 = apply1(ScalarOp::Log, *z).expect("defined on c64");
        assert!(error(got, want) <= 2.0, "log {z:?} is {got:?}, not {want:?}");
    }
}
