//! Typed random programs in every engine: all dtypes, shifts, scatters of every mode, extents that values decide, loops
//! and branches with derivatives inside them, at sizes of which some are 0, each size twice in a row and again later.
//!
//! Every engine of `cpu` gives the same bits; `interp`, on the program as it was written, agrees wherever the language
//! fixes the bits and comes close elsewhere; a failure has the same code everywhere. `make.rs` says what may be compared how.
//!
//! The long run, 20 000 programs or as many as asked:
//! `TFC_PROGRAMS=20000 cargo test --release -p tfc-testkit --test it -- --ignored typed::engines_agree_on_many --nocapture`
mod adapters;
mod blocks;
mod kernels;
mod make;
mod places;

use make::{DTYPES, Gen, Rng};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_interp::{Interp, RunOptions as InterpOptions};
use tfc_ir::ops::derivative::VJP;
use tfc_ir::*;

/// Sizes of `m` and `n`: the second call of a size is bound, the third finds other sizes before it.
const SIZES: [(i64, i64); 9] = [(3, 4), (3, 4), (0, 4), (0, 4), (2, 0), (1, 1), (17, 3), (3, 4), (0, 0)];

struct Program {
    m: Module,
    /// Which parameters of `@main` are rough, and which of its results are.
    rough: (Vec<bool>, Vec<bool>),
}

fn smooth(m: &Module, rng: &mut Rng, k: usize) -> Result<FuncId> {
    let mut b = Builder::new(m, &format!("smooth{k}"));
    let n = Extent::sym(b.sym("k", Span::default()));
    let x = b.param(Type::new(DType::F64, vec![n]), "x");
    let mut g = Gen { rng, b: &mut b, pool: vec![x], rough: HashSet::from([x]), smooth: &[], refused: 0 };
    let y = g.smooth_body(x)?;
    Ok(m.add(b.finish(vec![y])?))
}
/// `@main<m, n>` over parameters of several dtypes, and `@vjp`, its pull-back to the rough ones.
fn program(seed: u64) -> Result<Program> {
    let mut m = Module::new(Arc::new(OpSet::core()));
    m.name = Some("typed".into());
    let mut rng = Rng::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 77);
    let functions = [smooth(&m, &mut rng, 0)?, smooth(&m, &mut rng, 1)?];
    let mut b = Builder::new(&m, "main");
    b.export(true);
    let rows = Extent::sym(b.sym("m", Span::default()));
    let cols = Extent::sym(b.sym("n", Span::default()));
    let shapes: [Vec<Extent>; 6] = [
        vec![],
        vec![cols.clone()],
        vec![rows.clone(), cols.clone()],
        vec![Extent::exact(2), cols.clone()],
        vec![rows.clone()],
        vec![rows.clone(), Extent::exact(2), cols.clone()],
    ];
    let mut params =
        vec![(Type::new(DType::F64, shapes[1].clone()), true), (Type::new(DType::F64, shapes[2].clone()), true)];
    let inexact = [DType::F32, DType::F64, DType::C32, DType::C64];
    params.push((Type::new(rng.one_of(&inexact), shapes[rng.below(6)].clone()), true));
    for _ in 0..5 {
        params.push((Type::new(rng.one_of(&DTYPES), shapes[rng.below(6)].clone()), false));
    }
    let pool: Vec<_> = params.iter().enumerate().map(|(i, p)| b.param(p.0.clone(), &format!("x{i}"))).collect();
    let rough = pool.iter().zip(&params).filter(|(_, p)| p.1).map(|(v, _)| *v).collect();
    let mut g = Gen { rng: &mut rng, b: &mut b, pool, rough, smooth: &functions, refused: 0 };
    for _ in 0..16 {
        g.step(0)?;
    }
    g.call(functions[0])?;
    for _ in 0..4 {
        g.step(0)?;
    }
    // The last few values: those before them are in their making.
    let last = g.pool.len();
    let returns: Vec<ValueId> = g.pool[last.saturating_sub(6)..].to_vec();
    let results: Vec<bool> = returns.iter().map(|v| g.rough.contains(v)).collect();
    let f = b.finish(returns)?;
    let types = f.result_types.clone();
    let main = m.add(f);
    let rough: Vec<bool> = params.iter().map(|p| p.1).collect();
    let program = Program { m, rough: (rough.clone(), results) };
    let m = &program.m;
    if types.iter().any(Type::mentions_existential) || !types.iter().any(|t| t.dtype.is_inexact()) {
        return Ok(program);
    }
    let mut v = Builder::new(m, "vjp");
    v.copy_syms(&*m.func(main)?);
    v.export(true);
    let mut xs: Vec<_> = params.iter().enumerate().map(|(i, p)| v.param(p.0.clone(), &format!("x{i}"))).collect();
    xs.extend(types.iter().filter(|t| t.dtype.is_inexact()).map(|t| v.param(t.clone(), "ct")));
    let wrt: Vec<usize> = (0..params.len()).filter(|&i| rough[i]).collect();
    let op = NewOp::new(&VJP, &xs).attr("callee", Attr::Sym(main.into())).attr("wrt", Attr::ints(&wrt));
    let ys = v.emit(op)?;
    m.add(v.finish(ys)?);
    Ok(program)
}

/// Elements for which arithmetic has rules of its own.
const SPECIAL: [f64; 12] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 5e-324, 1e-310, -1e300, 1e300, 0.5, 2147483648.0, -1.5];
fn tensor(ty: &Type, rough: bool, env: &ExtentEnv, rng: &mut Rng) -> Result<Tensor> {
    let extent = |d: &Extent| {
        d.eval(env).and_then(|n| usize::try_from(n).map_err(|_| Error::new(tfc_ir::Code::E0422, "negative")))
    };
    let shape: Vec<usize> = ty.dims.iter().map(extent).collect::<Result<_>>()?;
    let n = shape.iter().product::<usize>();
    let mut int = || match rng.below(5) {
        0 => rng.bits(),
        1 => [0, 1, u64::MAX, 1 << 63, 1 << 31, u64::from(u32::MAX)][rng.below(6)],
        _ => (rng.below(9) as i64 - 3) as u64,
    };
    macro_rules! list {
        ($e:expr) => {
            Tensor::from_logical(&shape, (0..n).map(|_| $e).collect()).unwrap()
        };
    }
    Ok(match ty.dtype {
        DType::Bool => list!(int() & 1 == 1),
        DType::I32 => list!(int() as i32),
        DType::I64 => list!(int() as i64),
        DType::U32 => list!(int() as u32),
        DType::U64 => list!(int()),
        d => {
            let mut real = || match rng.below(4) {
                _ if rough || d.is_complex() => rng.unit(),
                0 => rng.one_of(&SPECIAL),
                _ => (rng.below(17) as f64 - 8.0) / 2.0,
            };
            match d {
                DType::F32 => list!(real() as f32),
                DType::F64 => list!(real()),
                DType::C32 => list!(C32::new(real() as f32, real() as f32)),
                _ => list!(C64::new(real(), real())),
            }
        }
    })
}
fn inputs(p: &Program, f: &Func, sizes: (i64, i64), seed: u64) -> Result<Vec<Tensor>> {
    let env = ExtentEnv { syms: vec![Some(sizes.0), Some(sizes.1)], exists: vec![] };
    let mut rng = Rng::new(seed);
    let rough = |i: usize| p.rough.0.get(i).copied().unwrap_or(true);
    f.params().iter().enumerate().map(|(i, &v)| tensor(f.ty(v), rough(i), &env, &mut rng)).collect()
}

/// The bits of an element, any NaN being one.
fn bits(t: &Tensor) -> Vec<u64> {
    let f = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    macro_rules! list {
        ($t:ty, $f:expr) => {
            t.to_logical::<$t>().unwrap_or_default().into_iter().flat_map($f).collect()
        };
    }
    match t.dtype() {
        DType::Bool => list!(bool, |x| [u64::from(x)]),
        DType::I32 => list!(i32, |x| [x as u64]),
        DType::I64 => list!(i64, |x| [x as u64]),
        DType::U32 => list!(u32, |x| [u64::from(x)]),
        DType::U64 => list!(u64, |x| [x]),
        DType::F32 => list!(f32, |x| [f(x.into())]),
        DType::F64 => list!(f64, |x| [f(x)]),
        DType::C32 => list!(C32, |z| [f(z.re.into()), f(z.im.into())]),
        DType::C64 => list!(C64, |z| [f(z.re), f(z.im)]),
        _ => vec![],
    }
}
/// Checks that `got` is the tensor `want`, to the bit or, where it is rough, nearly.
fn agree(want: &Tensor, got: &Tensor, rough: bool) -> std::result::Result<(), String> {
    if want.shape() != got.shape() || want.dtype() != got.dtype() {
        return Err(format!("{}{:?} and {}{:?}", want.dtype(), want.shape(), got.dtype(), got.shape()));
    }
    let (x, y) = (bits(want), bits(got));
    if x == y {
        return Ok(());
    }
    let single = matches!(want.dtype(), DType::F32 | DType::C32);
    if rough && want.dtype().is_inexact() {
        let (x, y): (Vec<f64>, Vec<f64>) =
            (x.into_iter().map(f64::from_bits).collect(), y.into_iter().map(f64::from_bits).collect());
        let scale = 1.0 + x.iter().filter(|a| a.is_finite()).fold(0.0f64, |a, b| a.max(b.abs()));
        // Single precision somewhere in its making shows in a double as well.
        let tolerance = if single { 1e-3 } else { 2e-4 } * scale;
        let near =
            |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a - b).abs() <= tolerance || a.is_nan() && b.is_nan();
        if x.iter().zip(&y).all(near) {
            return Ok(());
        }
    }
    Err(format!("interp {want:?}, the engine {got:?}"))
}
/// One engine may meet the negative extent, the other the guard against it.
fn code(e: &Error) -> &'static str {
    if e.data().code.name() == "E0402" { "E0420" } else { e.data().code.name() }
}

/// Checks that an engine gives what the interpreter does, or fails as it does.
fn same(
    want: Result<Vec<Tensor>>,
    got: Result<Vec<Tensor>>,
    rough: &dyn Fn(usize) -> bool,
) -> std::result::Result<(), String> {
    match (want, got) {
        (Ok(want), Ok(got)) => {
            let mut pairs = want.iter().zip(&got).enumerate();
            pairs.try_for_each(|(k, (x, y))| agree(x, y, rough(k)).map_err(|e| format!("result {k}: {e}")))
        }
        (Err(x), Err(y)) if code(&x) == code(&y) => Ok(()),
        // A dead statement need not run, and optimisation finds more of them.
        (Err(x), Ok(_)) if code(&x) == "E0420" => Ok(()),
        // Where several statements fail, engines ask conditions on symbols first.
        (Err(_), Err(y)) if code(&y) == "E0420" => Ok(()),
        (x, y) => {
            let short = |r: Result<Vec<Tensor>>| r.map(|_| "results").map_err(|e| e.to_string());
            Err(format!("interp {:?}, the engine {:?}", short(x), short(y)))
        }
    }
}

/// Checks that what is printed of a module is read as the same module.
fn reads_back(m: &Module) -> std::result::Result<(), String> {
    let text = print::module(m);
    let parsed = tfc_frontend::text::parse_module(text.as_bytes(), m.op_set())
        .map_err(|d| format!("what was printed does not parse: {}", d[0]))?;
    if print::module(&parsed.module) == text { Ok(()) } else { Err("printing what was parsed gives other text".into()) }
}
/// Checks one program in the engine of this process; what the other engines have to give, a line a call.
fn check(seed: u64, against_interp: bool, threads: usize, out: &mut String) -> std::result::Result<(), String> {
    let show = |e: Error| e.to_string();
    let p = program(seed).map_err(show)?;
    let m = &p.m;
    if against_interp {
        if let Some((f, e)) = verify::module(m).first() {
            return Err(format!("verify @{}: {e}", f.name));
        }
        reads_back(m)?;
    }
    let (mut plain, mut wrong) = (m.fork(), None);
    let mut watch = |r: tfc_passes::Report| {
        if against_interp && r.changed && wrong.is_none() {
            wrong = reads_back(r.module).err().map(|e| format!("after pass `{}`: {e}", r.pass.name));
        }
    };
    let ad = tfc_passes::Pipeline::parse("expand-ad,expand,dce").map_err(show)?;
    match ad.run(&mut plain, &mut watch) {
        Ok(_) => {}
        // Combinations by products have one only window by window; bits have none.
        Err(e) if matches!(e.error.data().code.name(), "E0503" | "E0504") => return Ok(()),
        Err(e) => return Err(format!("expand-ad: {e}")),
    }
    let mut fast = m.fork();
    tfc_passes::level(2).run(&mut fast, &mut watch).map_err(|e| format!("O2: {e}"))?;
    wrong.map_or(Ok(()), Err)?;
    for name in ["main", "vjp"] {
        let (Some(f), Some(g)) = (plain.find(name), fast.find(name)) else { continue };
        let options = CompileOptions { threads, ..CompileOptions::default() };
        let exe = Cpu::compile(&fast, g, &options).map_err(|e| format!("compile @{name}: {e}"))?;
        let func = plain.func(f).map_err(show)?;
        for (i, sizes) in SIZES.into_iter().enumerate() {
            let what = format!("@{name} at {sizes:?}, call {i}");
            // A cotangent of a result that cannot be.
            let Ok(args) = inputs(&p, &func, sizes, seed) else { continue };
            let got = exe.run(&args, &RunOptions::default());
            let line = match &got {
                Ok(list) => {
                    let mut h = DefaultHasher::new();
                    list.iter().for_each(|t| (t.shape(), bits(t)).hash(&mut h));
                    format!("{:016x}", h.finish())
                }
                Err(e) => code(e).into(),
            };
            let _ = writeln!(out, "{seed} {what}: {line}");
            if !against_interp {
                continue;
            }
            let want = Interp::new(&plain).run(f, &args, &InterpOptions::default());
            same(want, got, &|k| name == "vjp" || p.rough.1[k]).map_err(|e| format!("{what}: {e}"))?;
        }
    }
    Ok(())
}

/// Engines by `TFC_CPU`, with how many threads; the first is also compared with the interpreter.
const ENGINES: [(&str, usize); 5] = [("tape", 1), ("jit", 1), ("avx2", 2), ("scalar", 1), ("", 2)];
/// Those whose memory is poisoned.
const POISONED: [&str; 2] = ["jit", "scalar"];

/// This test again, in a process of that engine.
fn start(engine: &str, threads: usize, seeds: &Range<u64>, out: &Path) -> Child {
    let mut c = Command::new(std::env::current_exe().unwrap());
    c.args(["--exact", "typed::worker", "--ignored", "--nocapture", "--test-threads=1"]);
    c.env("TYPED_SEEDS", format!("{} {}", seeds.start, seeds.end)).env("TYPED_OUT", out);
    c.env("TYPED_THREADS", threads.to_string()).env("TYPED_INTERP", if engine == ENGINES[0].0 { "1" } else { "0" });
    if engine.is_empty() {
        c.env_remove("TFC_CPU")
    } else {
        c.env("TFC_CPU", engine)
    };
    if POISONED.contains(&engine) {
        c.env("TFC_POISON", "1");
    }
    c.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
}
/// All seeds in that engine: after a crash a new process goes on behind the program that it died of.
fn run(engine: &str, threads: usize, seeds: &Range<u64>, out: &Path) -> (Vec<String>, Vec<String>) {
    let (mut lines, mut faults, mut rest) = (vec![], vec![], seeds.clone());
    loop {
        start(engine, threads, &rest, out).wait().unwrap();
        let text = std::fs::read_to_string(out).unwrap_or_default();
        let (bad, good): (Vec<&str>, Vec<&str>) = text.lines().partition(|l| l.starts_with("FAIL"));
        faults.extend(bad.iter().map(|l| format!("{engine}: {l}")));
        lines.extend(good.iter().filter(|l| **l != "end").map(|l| (*l).to_owned()));
        if text.ends_with("end\n") {
            return (lines, faults);
        }
        let last = good.iter().rev().find_map(|l| l.strip_prefix("seed ")?.parse::<u64>().ok()).unwrap_or(rest.start);
        faults.push(format!("{engine}: FAIL {last}: the process ended in it"));
        rest.start = last + 1;
    }
}
/// What a process of the engine does; it writes lines, and `seed SEED` before each program.
#[test]
#[ignore = "a part of the others, which start it"]
fn worker() {
    let Ok(out) = std::env::var("TYPED_OUT") else { return };
    let get = |name: &str| std::env::var(name).unwrap();
    let seeds: Vec<u64> = get("TYPED_SEEDS").split(' ').map(|s| s.parse().unwrap()).collect();
    let (threads, interp) = (get("TYPED_THREADS").parse().unwrap(), get("TYPED_INTERP") == "1");
    use std::io::Write as _;
    let mut file = std::fs::File::create(out).unwrap();
    for seed in seeds[0]..seeds[1] {
        // Before it runs: a crash is the last program named.
        writeln!(file, "seed {seed}").unwrap();
        let mut lines = String::new();
        if let Err(e) = check(seed, interp, threads, &mut lines) {
            writeln!(file, "FAIL {seed}: {}", e.replace('\n', " ")).unwrap();
        }
        file.write_all(lines.as_bytes()).unwrap();
    }
    writeln!(file, "end").unwrap();
}
fn check_all(name: &str, seeds: Range<u64>) -> Vec<String> {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("typed-{name}"));
    std::fs::create_dir_all(&dir).unwrap();
    let path = |engine: &str| dir.join(format!("{}.txt", if engine.is_empty() { "default" } else { engine }));
    // Two processes at a time, the longest of them first.
    let next = AtomicUsize::new(0);
    let some = || {
        let more = || ENGINES.get(next.fetch_add(1, Ordering::Relaxed));
        let one = |&(e, t): &(&'static str, usize)| (e, run(e, t, &seeds, &path(e)));
        std::iter::from_fn(more).map(one).collect::<Vec<_>>()
    };
    let ran: BTreeMap<&str, (Vec<String>, Vec<String>)> = std::thread::scope(|s| {
        let both = [s.spawn(some), s.spawn(some)];
        both.into_iter().flat_map(|r| r.join().unwrap()).collect()
    });
    let all: Vec<&(Vec<String>, Vec<String>)> = ENGINES.iter().map(|(e, _)| &ran[e]).collect();
    let by_call = |lines: &[String]| -> BTreeMap<String, String> {
        lines.iter().filter_map(|l| l.split_once(": ")).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    };
    let want = by_call(&all[0].0);
    assert!(want.len() > 4 * seeds.clone().count(), "only {} calls", want.len());
    let mut faults = vec![];
    for ((lines, found), (engine, _)) in all.iter().zip(&ENGINES) {
        faults.extend(found.iter().cloned());
        let mut seen = HashSet::new();
        for (call, got) in by_call(lines) {
            let seed = call.split(' ').next().unwrap_or_default().to_owned();
            if want.get(&call).is_some_and(|w| *w != got) && seen.insert(seed) {
                faults.push(format!("{engine}: FAIL {call}: {got}, {}: {}", ENGINES[0].0, want[&call]));
            }
        }
    }
    faults
}
/// Programs of these faults, then the faults.
fn report(faults: &[String]) {
    if faults.is_empty() {
        return;
    }
    let seed = faults[0].split("FAIL ").nth(1).and_then(|w| w.split([' ', ':']).next()?.parse().ok());
    let text = seed.and_then(|s| program(s).ok()).map(|p| print::module(&p.m)).unwrap_or_default();
    let first: Vec<&str> = faults.iter().take(20).map(String::as_str).collect();
    panic!("{} faults, these first\n{}\nthe first program:\n{text}", faults.len(), first.join("\n"));
}

#[test]
fn engines_agree_on_typed_programs() {
    report(&check_all("some", 0..150));
}
#[test]
#[ignore = "the long run: an hour"]
fn engines_agree_on_many_typed_programs() {
    let n: u64 = std::env::var("TFC_PROGRAMS").ok().and_then(|s| s.parse().ok()).unwrap_or(20_000);
    let from: u64 = std::env::var("TFC_FROM").ok().and_then(|s| s.parse().ok()).unwrap_or(1000);
    report(&check_all("many", from..from + n));
}
/// One program in this process: `TFC_FROM=SEED TFC_CPU=… cargo test -p tfc-testkit --test it -- --ignored typed::one --nocapture`.
#[test]
#[ignore = "to look at a fault"]
fn one() {
    let Some(seed) = std::env::var("TFC_FROM").ok().and_then(|s| s.parse().ok()) else { return };
    let mut lines = String::new();
    println!("{}", program(seed).map_or_else(|e| e.to_string(), |p| print::module(&p.m)));
    let r = check(seed, true, 1, &mut lines);
    println!("{lines}{r:?}");
}
/// The generator asks for what it means to ask for: most of it is accepted, and no name is misspelt.
#[test]
fn the_generator_is_not_idle() {
    let set = OpSet::core();
    for name in [make::EXACT_UNARY, make::EXACT_BINARY, make::FOLDS, make::RUNNING, make::COMPOSITES].concat() {
        assert!(set.get(name).is_some(), "no row {name}");
    }
    let mut rows = HashSet::new();
    let mut failed = 0;
    for seed in 0..300 {
        match program(seed) {
            Ok(p) => {
                for (_, f) in p.m.funcs() {
                    f.walk(BODY, &mut |o| {
                        rows.insert(f.op(o).def.name);
                    });
                }
            }
            Err(e) => {
                failed += 1;
                println!("{seed}: {e}");
            }
        }
    }
    assert!(failed == 0, "{failed} of 300 programs were not built");
    assert!(rows.len() > 85, "only {} rows: {rows:?}", rows.len());
}
