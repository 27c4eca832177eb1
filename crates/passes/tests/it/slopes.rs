//! First and second derivatives of every elementwise row and activation at points where a rule may go wrong, against a table
//! computed with mpmath (`data/slopes.py`, which says how): zeros, integers, ends of domains, infinities, arguments whose
//! squares overflow or vanish; mixed derivatives in both orders, each order in all four nestings of the two modes.
//!
//! What the table does not hold, or a rule does not meet, is in the lists here, with the reason.
use std::collections::BTreeMap;
use std::sync::Arc;
use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_interp::{Interp, RunOptions as InterpOptions};
use tfc_ir::op::Linearize;
use tfc_ir::ops::derivative::{JVP, VJP};
use tfc_ir::ops::{composite, elementwise as e};
use tfc_ir::*;
use tfc_passes::Pipeline;

/// Rows that are not in the table.
const ELSEWHERE: &[(&str, &str)] = &[
    ("select", "linear in what it chooses between: `points.tfir`"),
    ("clamp", "constant, or linear in what it takes: `points.tfir`, `scalar_rows.rs`"),
    ("complex", "linear; its samples are differentiated as those of every row"),
    ("convert", "linear"),
    ("reduce_precision", "counts as linear"),
];
/// Rows whose rule goes by the result: where that is near a bound, the derivative has its absolute error, not a relative one.
const ABSOLUTE: &[(&str, f64)] = &[
    ("expm1", 1e-15),
    ("tanh", 1e-15),
    ("logistic", 1e-15),
    ("silu", 1e-12),
    ("gelu", 1e-12),
    ("gelu_exact", 1e-12),
    ("softplus", 1e-15),
    // Differences of neighbouring orders, which cancel for large arguments.
    ("bessel_i0e", 1e-13),
    ("bessel_i1e", 1e-13),
];
/// Row, a test of operands and place in the table (the first derivatives count first), why the rule does not give the limit there.
type Exception = (&'static str, fn(&[C64], usize) -> bool, &'static str);
const EXCEPTIONS: &[Exception] = &[
    ("silu", |x, _| x[0].re.is_infinite(), AT_INFINITY),
    ("gelu", |x, _| x[0].re.is_infinite(), AT_INFINITY),
    ("gelu_exact", |x, _| x[0].re.is_infinite(), AT_INFINITY),
    ("atan2", |x, k| k > 1 && x[0].re.hypot(x[1].re) < 1e-154, "the inverse square of the radius overflows"),
    ("pow", |x, k| k == 2 && x[0].re.abs() < 1e-154, "a^(b-2) overflows before a factor b makes it small"),
    ("pow", |x, k| k == 3 && !in_range(x[0].re.powf(x[1].re)), "made of a^b, which overflows or vanishes"),
    (
        "acosh",
        |x, k| k == 1 && x[0].norm() < 1e-3,
        "derivatives of its two roots cancel near 0: an absolute error of 1e-16",
    ),
];
const AT_INFINITY: &str =
    "x times a share of it, whose derivative is 0: to tell would cost each element a fifth more time";
fn in_range(y: f64) -> bool {
    y != 0.0 && y.is_finite()
}

struct Point {
    at: Vec<C64>,
    want: Vec<Option<C64>>,
}
/// Points by row; of complex rows too.
fn table(complex: bool) -> BTreeMap<String, Vec<Point>> {
    let file = format!("{}/tests/data/slopes.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).expect("a table");
    let mut rows = BTreeMap::<String, Vec<Point>>::new();
    let part = |w: &str| if w == "-" { None } else { Some(w.parse::<f64>().expect("a number")) };
    for l in text.lines().filter(|l| !l.starts_with('#') && l.starts_with("c ") == complex) {
        let (left, right) = l.trim_start_matches("c ").split_once(" = ").expect("row operands = derivatives");
        let (row, at) = left.split_once(' ').expect("row operands");
        let numbers = |s: &str| -> Vec<Option<C64>> {
            let parts: Vec<_> = s.split(' ').map(part).collect();
            if !complex {
                return parts.into_iter().map(|p| p.map(|x| C64::new(x, 0.0))).collect();
            }
            parts.chunks(2).map(|p| Some(C64::new(p[0]?, p[1]?))).collect()
        };
        let at = numbers(at).into_iter().flatten().collect();
        rows.entry(row.to_owned()).or_default().push(Point { at, want: numbers(right) });
    }
    rows
}
/// The row, and the attributes it needs.
fn row(name: &str) -> (&'static OpDef, Attrs) {
    if name == "gelu_exact" {
        return (&composite::GELU, Attrs::of([("approximate", Attr::Bool(false))]));
    }
    let def =
        e::FAMILY.iter().chain(composite::FAMILY).find(|d| d.name == name).unwrap_or_else(|| panic!("no row {name}"));
    (def, Attrs::none())
}
fn function(
    m: &Module,
    name: &str,
    ty: &Type,
    n: usize,
    body: impl FnOnce(&mut Builder, &[ValueId]) -> Result<ValueId>,
) -> FuncId {
    let mut b = Builder::new(m, name);
    let xs: Vec<_> = (0..n).map(|_| b.param(ty.clone(), "x")).collect();
    let y = body(&mut b, &xs).expect("builds");
    b.export(true);
    m.add(b.finish(vec![y]).expect("a function"))
}
/// The partial of `f` by operand `i`, element by element, by that mode.
fn slope(m: &Module, f: FuncId, ty: &Type, n: usize, i: usize, mode: &'static OpDef) -> FuncId {
    function(m, "d", ty, n, |b, xs| {
        let one = b.splat(ty, 1.0)?;
        let op = NewOp::new(mode, &[xs, &[one]].concat());
        Ok(b.emit(op.attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(&[i])))?[1])
    })
}
const MODES: [&OpDef; 2] = [&JVP, &VJP];

fn tensor(ty: &Type, v: Vec<C64>) -> Tensor {
    match ty.dtype {
        DType::C64 => Tensor::from_logical(&[v.len()], v).unwrap(),
        DType::F32 => Tensor::from_logical(&[v.len()], v.iter().map(|z| z.re as f32).collect::<Vec<f32>>()).unwrap(),
        _ => Tensor::from_logical(&[v.len()], v.iter().map(|z| z.re).collect::<Vec<f64>>()).unwrap(),
    }
}
fn values(t: &Tensor) -> Vec<C64> {
    match t.dtype() {
        DType::C64 => t.to_logical::<C64>().expect("c64"),
        DType::F32 => t.to_logical::<f32>().expect("f32").into_iter().map(|x| C64::new(x.into(), 0.0)).collect(),
        _ => t.to_logical::<f64>().expect("f64").into_iter().map(|x| C64::new(x, 0.0)).collect(),
    }
}
/// Is it the number within 1e-10 (`f32`: 1e-4) of its size? Where it is tiny or infinite, of that size. (A complex number out of range has
/// no parts that mean anything.)
fn close(got: C64, want: C64, absolute: f64, single: bool) -> bool {
    let (relative, tiny, huge) = if single { (1e-4, 1e-30, 1e38) } else { (1e-10, 1e-290, 1e307) };
    if want.im.is_infinite() || want.re.is_infinite() && want.im != 0.0 {
        return !got.is_finite();
    }
    let part = |g: f64, w: f64, size: f64| {
        if w.is_infinite() || w.abs() > huge {
            return g.signum() == w.signum() && g.abs() > 0.1 * huge;
        }
        (g - w).abs() <= relative * size + absolute + tiny
    };
    let size = want.re.abs().max(want.im.abs());
    part(got.re, want.re, size) && part(got.im, want.im, size)
}
/// One derivative of a row: what it is, its place in the table, whether a complex one comes out conjugate.
struct Slope<'a> {
    row: &'a str,
    what: String,
    k: usize,
    conj: bool,
}
/// Compares what an engine gives for one derivative.
fn compare(slope: &Slope, engine: &str, points: &[Point], got: &Tensor, failures: &mut Vec<String>) {
    let (name, k, single) = (slope.row, slope.k, got.dtype() == DType::F32);
    let absolute = ABSOLUTE.iter().find(|a| a.0 == name).map_or(0.0, |a| a.1);
    let absolute = if single { (absolute * 1e9).max(1e-7) } else { absolute };
    let (conj, got) = (slope.conj && got.dtype().is_complex(), values(got));
    for (p, &g) in points.iter().zip(&got) {
        let Some(w) = p.want.get(k).copied().flatten() else { continue };
        let w = if conj { w.conj() } else { w };
        let excused = EXCEPTIONS.iter().any(|x| x.0 == name && x.1(&p.at, k));
        if !close(g, w, absolute, single) && !excused {
            let at: Vec<String> =
                p.at.iter().map(|z| if z.im == 0.0 { format!("{:?}", z.re) } else { format!("{z:?}") }).collect();
            failures.push(format!("{name}({}) {} by {engine}: {g} instead of {w}", at.join(", "), slope.what));
        }
    }
}
/// All derivatives of a row at its points, by both engines.
fn check(name: &str, points: &[Point], dtype: DType, failures: &mut Vec<String>) {
    let (def, attrs) = row(name);
    let (n, ty) = (points[0].at.len(), Type::exact(dtype, &[points.len()]));
    let mut m = Module::new(Arc::new(OpSet::core()));
    let f = function(&m, "f", &ty, n, |b, xs| b.emit1(NewOp::new(def, xs).attrs(attrs)));
    let by = if matches!(name, "polygamma" | "zeta") { 1..2 } else { 0..n };
    let mut all: Vec<(Slope, FuncId)> = vec![];
    for i in by.clone() {
        for outer in MODES {
            let d = slope(&m, f, &ty, n, i, outer);
            let reverse = outer.is(&VJP);
            all.push((Slope { row: name, what: format!("by {i} ({})", outer.name), k: i, conj: reverse }, d));
            for j in by.clone() {
                for inner in MODES {
                    let dd = slope(&m, d, &ty, n, j, inner);
                    let what = format!("by {i} ({}) and {j} ({})", outer.name, inner.name);
                    all.push((Slope { row: name, what, k: n + i + j, conj: reverse || inner.is(&VJP) }, dd));
                }
            }
        }
    }
    if let Err(e) = Pipeline::parse("expand-ad,expand").expect("passes").run(&mut m, &mut |_| {}) {
        failures.push(format!("{name}: {e}"));
        return;
    }
    let args: Vec<_> = (0..n).map(|i| tensor(&ty, points.iter().map(|p| p.at[i]).collect())).collect();
    for (slope, f) in all {
        let y = Interp::new(&m).run(f, &args, &InterpOptions::default()).expect("runs");
        compare(&slope, "interp", points, &y[0], failures);
        let exe = Cpu::compile(&m, f, &CompileOptions::default()).expect("compiles");
        let y = exe.run(&args, &RunOptions::default()).expect("runs");
        compare(&slope, "cpu", points, &y[0], failures);
    }
}
fn sweep(dtype: DType) {
    let mut failures = vec![];
    for (name, mut points) in table(dtype.is_complex()) {
        if dtype == DType::F32 {
            // What is no number of this precision has other derivatives.
            points.retain(|p| p.at.iter().all(|z| f64::from(z.re as f32) == z.re));
        }
        check(&name, &points, dtype, &mut failures);
    }
    assert!(failures.is_empty(), "{} values:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn reals() {
    sweep(DType::F64);
}
#[test]
fn single_precision() {
    sweep(DType::F32);
}
#[test]
fn complex_numbers() {
    sweep(DType::C64);
}
#[test]
fn every_row_is_there() {
    let rows = table(false);
    for def in e::FAMILY {
        let constant = matches!(def.linearize, Linearize::Never(_) | Linearize::Zero);
        let elsewhere = ELSEWHERE.iter().any(|x| x.0 == def.name);
        assert!(constant || elsewhere || rows.contains_key(def.name), "`{}` is not in the table", def.name);
        assert!(!elsewhere || !rows.contains_key(def.name), "`{}` is in the table too", def.name);
    }
}
