//! Times of kernels and of programs of one kernel: `cargo bench -p tfc-benches`, with words to choose
//! (`cargo bench -p tfc-benches -- vmath exp`). One thread; pin it (`taskset -c 1 cargo bench …`) on a machine that does
//! other things.
//!
//! A line has the least time of many calls and what that is for each element, byte or operation. A kernel of vector math,
//! or a cheap one of the scalar table, that takes more than 2 ns an element is a bug: such are listed at the end, and the
//! exit status is 1.
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tfc_api::backend::{Backend, pipeline};
use tfc_api::prelude::{CpuBackend, DirectContext, EagerRuntime, GraphExecutor, TensorOpsExt, f64s, pick, trace};
use tfc_benches::{Order, Program, elementwise, least, many, mixed, optimise, parse, plan};
use tfc_ir::{DType, ScalarOp, Tensor};
use tfc_kernels::scalar::{self, Src};
use tfc_kernels::vmath::{self, Isa};

/// Nanoseconds an element above which a kernel is a bug; twice that under AVX2, which has half the lanes.
const LIMIT: f64 = 2.0;
/// Elements of a tile: what kernels are called with.
const TILE: usize = 1024;

/// What is measured, and how long.
struct Bench {
    /// Words that all have to be in a name.
    words: Vec<String>,
    budget: Duration,
    slow: Vec<String>,
}
impl Bench {
    fn wanted(&self, name: &str) -> bool {
        self.words.iter().all(|w| name.contains(w.as_str()))
    }
    /// Times `f`, if it is wanted, and says what that is a unit of `work`.
    fn time(&self, name: &str, work: f64, unit: Unit, f: impl FnMut()) -> Option<f64> {
        let s = self.wanted(name).then(|| least(self.budget, f))?;
        self.line(name, s, work, unit);
        Some(s)
    }
    fn line(&self, name: &str, s: f64, work: f64, unit: Unit) {
        let rate = match unit {
            Unit::Element => format!("{:8.3} ns/element", s / work * 1e9),
            Unit::Byte => format!("{:8.1} GB/s", work / s / 1e9),
            Unit::Operation => format!("{:8.1} GF/s", work / s / 1e9),
            Unit::Call => format!("{:8.1} ns/op", s / work * 1e9),
        };
        if self.wanted(name) {
            println!("{name:44} {:>12} {rate}", time(s));
        }
    }
    /// Times a program.
    fn program(&self, name: &str, text: &str, order: Order, work: f64, unit: Unit) {
        if self.wanted(name) {
            match Program::new(text, order) {
                Ok(mut p) => drop(self.time(name, work, unit, || p.run())),
                Err(e) => println!("{name:44} {e}"),
            }
        }
    }
}
#[derive(Clone, Copy)]
enum Unit {
    Element,
    Byte,
    Operation,
    Call,
}

fn time(s: f64) -> String {
    match s {
        s if s < 1e-6 => format!("{:.1} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s => format!("{:.3} ms", s * 1e3),
    }
}

fn main() -> ExitCode {
    // Cargo passes `--bench`.
    let words = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let mut b = Bench { words, budget: Duration::from_millis(60), slow: vec![] };
    vector_math(&mut b);
    scalar_table(&mut b);
    chains(&b);
    reductions(&b);
    copies(&b);
    products(&b);
    calls(&b);
    if let Err(e) = eager(&b) {
        println!("eager: {e}");
    }
    compiling(&b);
    if b.slow.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\nabove {LIMIT} ns an element:");
    b.slow.iter().for_each(|s| println!("  {s}"));
    ExitCode::FAILURE
}

/// Runs a kernel on a tile of numbers between ¼ and 1¼.
fn tile<T: tfc_ir::Element>(b: &Bench, name: &str, f: scalar::KernelFn, make: impl Fn(usize) -> T) -> Option<f64> {
    let v: Vec<T> = (0..TILE).map(make).collect();
    let w: Vec<T> = v.iter().rev().copied().collect();
    let mut out = vec![[0u64; 2]; TILE];
    let src = [Src::slice(&v), Src::slice(&w), Src::slice(&v)];
    // SAFETY: operands hold `TILE` elements of the kernel's dtype, the result has 16 bytes for each, which is the most.
    let s = b.time(name, TILE as f64, Unit::Element, || unsafe { f(TILE, &src, out.as_mut_ptr().cast()) })?;
    Some(s / TILE as f64 * 1e9)
}
fn unit(i: usize) -> f64 {
    0.25 + (i * 389 % TILE) as f64 / TILE as f64
}

fn vector_math(b: &mut Bench) {
    for isa in Isa::ALL {
        for &op in ScalarOp::ALL {
            for dtype in [DType::F32, DType::F64] {
                let Some(f) = vmath::kernel_for(isa, op, dtype) else { continue };
                let name = format!("vmath {isa:?} {} {dtype}", op.name()).to_lowercase();
                let ns = match dtype {
                    DType::F32 => tile(b, &name, f, |i| unit(i) as f32),
                    _ => tile(b, &name, f, unit),
                };
                // One element at a time is what there is elsewhere, not what is meant to be fast.
                let limit = if isa == Isa::Avx2 { 2.0 * LIMIT } else { LIMIT };
                if isa != Isa::Scalar && ns.is_some_and(|ns| ns > limit) {
                    b.slow.push(format!("{name}: {:.2} ns", ns.unwrap_or_default()));
                }
            }
        }
    }
}

fn scalar_table(b: &mut Bench) {
    for &op in ScalarOp::ALL {
        for dtype in [DType::F32, DType::F64, DType::I32, DType::I64] {
            let from = [dtype; 3];
            let to = scalar::result_dtype(op, &from[..op.arity()]);
            let Some(k) = to.and_then(|to| scalar::kernel(op, &from[..op.arity()], to)) else { continue };
            let name = format!("table {} {dtype}", op.name());
            let ns = match dtype {
                DType::F32 => tile(b, &name, k.f(), |i| unit(i) as f32),
                DType::F64 => tile(b, &name, k.f(), unit),
                DType::I32 => tile(b, &name, k.f(), |i| i as i32 % 29 + 1),
                _ => tile(b, &name, k.f(), |i| i as i64 % 29 + 1),
            };
            if k.cheap() && ns.is_some_and(|ns| ns > LIMIT) {
                b.slow.push(format!("{name}: {:.2} ns", ns.unwrap_or_default()));
            }
        }
    }
}

/// Sizes that stay in the first level, in the second, and in neither.
const SIZES: [(&str, usize); 3] = [("l1", 1 << 11), ("l2", 1 << 16), ("memory", 10_000_000)];

fn chains(b: &Bench) {
    const TANH_EXP: [&str; 6] =
        ["%p = mul(%a, %b)", "%z = add(%p, %c)", "%t = tanh(%z)", "%n = neg(%a)", "%e = exp(%n)", "%y = mul(%t, %e)"];
    const ADD: [&str; 2] = ["%s = add(%a, %b)", "%y = add(%s, %c)"];
    // Horner's rule to degree 12, as products and sums.
    let mut poly = vec!["%k: T = const(splat = 0.1)".to_owned(), "%h0 = mul(%a, %k)".into()];
    for i in 0..12 {
        let last = if i == 11 { "y".into() } else { format!("h{}", i + 1) };
        poly.extend([format!("%s{i} = add(%h{i}, %k)"), format!("%{last} = mul(%s{i}, %a)")]);
    }
    let poly: Vec<&str> = poly.iter().map(String::as_str).collect();
    for dtype in ["f32", "f64"] {
        for (place, n) in SIZES {
            for (what, lines) in [("tanh_exp", &TANH_EXP[..]), ("add", &ADD[..]), ("poly12", &poly[..])] {
                let name = format!("chain {what} {dtype} {place}");
                b.program(&name, &elementwise(dtype, n, lines), Order::Columns, n as f64, Unit::Element);
            }
        }
    }
}

fn reductions(b: &Bench) {
    const EXP: [&str; 5] =
        ["%q = mul(%a, %a)", "%n = neg(%q)", "%e = exp(%n)", "%w = mul(%e, %b)", "%y = reduce_sum(%w, axes = [0])"];
    for (dtype, size) in [("f32", 4.0), ("f64", 8.0)] {
        for (place, n) in SIZES {
            let all = |op: &str| elementwise(dtype, n, &[&format!("%y = {op}(%a, axes = [0])")]);
            for op in ["reduce_sum", "reduce_max"] {
                b.program(&format!("{op} {dtype} {place}"), &all(op), Order::Columns, n as f64 * size, Unit::Byte);
            }
            let name = format!("reduce_sum of exp {dtype} {place}");
            b.program(&name, &elementwise(dtype, n, &EXP), Order::Columns, n as f64, Unit::Element);
        }
    }
    for (order, o) in [(Order::Columns, "columns"), (Order::Rows, "rows")] {
        for axis in [0, 1] {
            let head = "tfir 1.0\nexport func @main(%x: f32[2048, 1024])";
            let left = [1024, 2048][axis];
            let sum =
                format!("{head} -> (y: f32[{left}]) {{\n  %y = reduce_sum(%x, axes = [{axis}])\n  return %y\n}}\n");
            let bytes = 2048.0 * 1024.0 * 4.0;
            b.program(&format!("reduce_sum axis {axis} of {o} f32"), &sum, order, bytes, Unit::Byte);
            for op in ["softmax(%x, axis = A)", "layer_norm(%x, axes = [A])"] {
                let line = op.replace('A', &axis.to_string());
                let text = format!("{head} -> (y: f32[2048, 1024]) {{\n  %y = {line}\n  return %y\n}}\n");
                let name = format!("{} axis {axis} of {o} f32", op.split('(').next().unwrap_or_default());
                b.program(&name, &text, order, 2.0 * bytes, Unit::Byte);
            }
        }
    }
}

fn copies(b: &Bench) {
    for (dtype, size) in [("f32", 4.0), ("f64", 8.0)] {
        for n in [64, 256, 1000, 4096] {
            let ty = format!("{dtype}[{n}, {n}]");
            let text = format!(
                "tfir 1.0\nexport func @main(%x: {ty}) -> (y: {ty}) {{\n  %t = transpose(%x, perm = [1, 0])\n  \
                 %one: {ty} = const(splat = 1.0)\n  %y = add(%t, %one)\n  return %y\n}}\n"
            );
            let bytes = 2.0 * size * (n * n) as f64;
            b.program(&format!("transpose {n} {dtype}"), &text, Order::Columns, bytes, Unit::Byte);
        }
        let (x, y) = (format!("{dtype}[16, 8, 16, 8, 16, 16]"), format!("{dtype}[16, 8, 8, 16, 16, 16]"));
        let text = format!(
            "tfir 1.0\nexport func @main(%x: {x}) -> (y: {y}) {{\n  %t = transpose(%x, perm = [5, 3, 1, 4, 2, 0])\n  \
             %one: {y} = const(splat = 1.0)\n  %y = add(%t, %one)\n  return %y\n}}\n"
        );
        b.program(&format!("transpose of six axes {dtype}"), &text, Order::Columns, 8_388_608.0 * size, Unit::Byte);
    }
}

fn products(b: &Bench) {
    let text = |dtype: &str, x: &str, y: &str, z: &str, more: &str| {
        format!(
            "tfir 1.0\nexport func @main(%a: {dtype}[{x}], %b: {dtype}[{y}]) -> (y: {dtype}[{z}]) {{\n  \
             %y = dot_general(%a, %b, {more})\n  return %y\n}}\n"
        )
    };
    const PLAIN: &str = "contract = [[1], [0]]";
    for dtype in ["f32", "f64"] {
        for n in [4, 8, 16, 32, 64, 128, 256, 512, 1024] {
            let s = format!("{n}, {n}");
            let work = 2.0 * (n as f64).powi(3);
            b.program(
                &format!("matmul {n} {dtype}"),
                &text(dtype, &s, &s, &s, PLAIN),
                Order::Columns,
                work,
                Unit::Operation,
            );
        }
        for (m, k) in [(32, 32), (1024, 1024), (10000, 100)] {
            for (order, o) in [(Order::Columns, "columns"), (Order::Rows, "rows")] {
                let t = text(dtype, &format!("{m}, {k}"), &k.to_string(), &m.to_string(), PLAIN);
                b.program(&format!("matvec {m}x{k} {dtype} {o}"), &t, order, 2.0 * (m * k) as f64, Unit::Operation);
            }
        }
        for (order, o) in [(Order::Columns, "columns"), (Order::Rows, "rows")] {
            let s = "1000, 16, 16";
            let t = text(dtype, s, s, s, "contract = [[2], [1]], batch = [[0], [0]], out = [2, 0, 1]");
            b.program(&format!("batch 1000x16 {dtype} {o}"), &t, order, 2000.0 * 4096.0, Unit::Operation);
        }
    }
}

fn calls(b: &Bench) {
    for n in [1, 100] {
        for ty in ["f64[]", "f64[16]", "f32[16]"] {
            let text = match n {
                1 => format!(
                    "tfir 1.0\nexport func @main(%a: {ty}, %b: {ty}) -> (y: {ty}) {{\n  %y = add(%a, %b)\n  return %y\n}}\n"
                ),
                n => many(n, ty),
            };
            b.program(&format!("call of {n} ops {ty}"), &text, Order::Columns, f64::from(n as u32), Unit::Call);
        }
    }
}

/// Single ops of the Rust API on eight numbers, and a gradient.
fn eager(b: &Bench) -> tfc_ir::Result<()> {
    let one = || CpuBackend::new().threads(1);
    let (runtime, mut direct) = (EagerRuntime::with_cpu_backend(one()), DirectContext::with_cpu_backend(one()));
    let [u, v] = [1.5, 2.5].map(|x| Tensor::full(&[8], x));
    let (u, v) = (u?, v?);
    let (x, y) = (runtime.constant_from(u.clone()), runtime.constant_from(v.clone()));
    let (w, z) = (runtime.variable_from(u.clone())?, runtime.variable_from(v.clone())?);
    // The first call of each finds out whether it can be made.
    let all = || (&w * &z)?.sum()?.backward();
    all()?;
    drop((u.mul(&v, &mut direct)?, (&x * &y)?));
    b.time("api direct mul f64[8]", 1.0, Unit::Call, || drop(u.mul(&v, &mut direct)));
    b.time("api eager mul f64[8]", 1.0, Unit::Call, || drop(&x * &y));
    b.time("api eager mul f64[8], followed", 1.0, Unit::Call, || drop(&w * &z));
    b.time("api eager mul, sum, backward f64[8]", 1.0, Unit::Call, || {
        runtime.clear_grads();
        drop(all());
    });
    b.time("api eager mul, sum, backward f64[8], added", 1.0, Unit::Call, || drop(all()));
    // What the way to the engine costs: by the engine's own interface, by a compiled program, by an executor that looks for it.
    let program = trace([f64s("x", [8]), f64s("y", [8])], |[x, y]| Ok([(x * y)?]))?;
    let executor = GraphExecutor::new(one());
    let compiled = executor.prepare(&program)?;
    let backend = executor.backend();
    let mut module = program.module().fork();
    pipeline(backend.engine(), backend.level()).run(&mut module, &mut |_| {}).map_err(|e| e.error)?;
    let entry = pick(&module, None)?;
    let engine = backend.engine().compile(module, entry, backend.options())?;
    let given = [u, v];
    b.time("api run f64[8], engine", 1.0, Unit::Call, || drop(engine.run(&given, backend.limits())));
    b.time("api run f64[8], compiled program", 1.0, Unit::Call, || drop(compiled.run(&given)));
    let named = [("x", given[0].clone()), ("y", given[1].clone())];
    b.time("api run f64[8], executor", 1.0, Unit::Call, || drop(executor.run_with(&program, &named)));
    Ok(())
}

fn compiling(b: &Bench) {
    for (n, gradient) in [(1000, false), (1000, true), (10_000, false), (10_000, true)] {
        let kind = if gradient { "gradient" } else { "value" };
        let name = |part: &str| format!("{part} {n} ops {kind}");
        if !["parse", "optimise", "plan"].iter().any(|p| b.wanted(&name(p))) {
            continue;
        }
        let text = mixed(n, gradient);
        // A module is used up by its passes, so the three are timed in turn.
        let mut best = [f64::INFINITY; 3];
        for _ in 0..5 {
            let mut at = Instant::now();
            let mut lap = |i: usize| {
                best[i] = best[i].min(at.elapsed().as_secs_f64());
                at = Instant::now();
            };
            let done = parse(&text).and_then(|mut m| {
                lap(0);
                optimise(&mut m)?;
                lap(1);
                plan(&m).map(drop)?;
                lap(2);
                Ok(())
            });
            if let Err(e) = done {
                println!("{n} ops: {e}");
            }
        }
        for (part, s) in ["parse", "optimise", "plan"].into_iter().zip(best) {
            b.line(&name(part), s, n as f64, Unit::Call);
        }
    }
}
