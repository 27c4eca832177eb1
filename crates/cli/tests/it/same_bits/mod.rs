//! The same bits under every engine of the backend (`TFC_CPU`, set or not) and from one run to the next: samples of every row, with
//! their own extents and with 0 in place of each and of all; every form of region, loop and kernel over extents that may be
//! 0; factorisations of every size up to 40. Values are held against the interpreter by the tests of each of these; here
//! the forms are.
//!
//! The variable is read once a process, so a test runs itself again for each engine and compares what those print: a line
//! a run, its name and a digest of the results. Of a NaN neither sign nor payload counts, as the language says.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};
use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_interp as interp;
use tfc_interp::Interp;
use tfc_ir::ops::linalg::{EIGH, QR, QR_PIVOTED, SVD, TRIANGULAR_SOLVE};
use tfc_ir::sample::{Domain, Draw, SampleCx};
use tfc_ir::*;
use tfc_testkit::again::{How, again, alone, axes};
use tfc_testkit::tensors::close;

/// What `TFC_CPU` is; first it is not set, so that the engine changes from run to run.
const ENGINES: [&str; 5] = ["", "jit", "tape", "avx2", "scalar"];
/// Set in the processes that a test runs.
const CHILD: &str = "TFC_SAME_BITS";
/// How often each executable runs: for the first time, bound, replayed.
const RUNS: usize = 3;

/// What one process found: digests by name of the run.
#[derive(Default)]
struct Found {
    lines: BTreeMap<String, String>,
    failures: Vec<String>,
}
/// FNV-1a (Fowler, Noll, Vo) over dtype, shape and elements in logical order; all NaN alike.
fn digest(results: &[Tensor]) -> u64 {
    fn add(h: &mut u64, bytes: &[u8]) {
        bytes.iter().for_each(|b| *h = (*h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3));
    }
    let double = |h: &mut u64, x: f64| add(h, &if x.is_nan() { f64::NAN } else { x }.to_le_bytes());
    let single = |h: &mut u64, x: f32| add(h, &if x.is_nan() { f32::NAN } else { x }.to_le_bytes());
    let mut h = 0xcbf2_9ce4_8422_2325;
    for t in results {
        add(&mut h, format!("{}{:?}", t.dtype(), t.shape()).as_bytes());
        match t.dtype() {
            DType::F64 => t.to_logical().unwrap().into_iter().for_each(|x: f64| double(&mut h, x)),
            DType::F32 => t.to_logical().unwrap().into_iter().for_each(|x: f32| single(&mut h, x)),
            DType::C64 => t.to_logical().unwrap().into_iter().for_each(|z: C64| {
                double(&mut h, z.re);
                double(&mut h, z.im);
            }),
            DType::C32 => t.to_logical().unwrap().into_iter().for_each(|z: C32| {
                single(&mut h, z.re);
                single(&mut h, z.im);
            }),
            d => with_dtype!(d, T => add(&mut h, format!("{:?}", t.to_logical::<T>().unwrap()).as_bytes())),
        }
    }
    h
}
impl Found {
    /// Compiles, runs several times, notes what came out. All runs have to agree, and with `want`, if that is given.
    fn run(&mut self, name: &str, m: &Module, f: FuncId, args: &[Tensor], want: Option<Result<Vec<Tensor>>>) {
        self.runs(RUNS, name, m, f, args, want);
    }
    fn runs(
        &mut self,
        runs: usize,
        name: &str,
        m: &Module,
        f: FuncId,
        args: &[Tensor],
        want: Option<Result<Vec<Tensor>>>,
    ) {
        let exe = match Cpu::compile(m, f, &CompileOptions { threads: 1, ..CompileOptions::default() }) {
            Ok(e) => e,
            Err(e) => {
                self.lines.insert(name.into(), e.data().code.name().into());
                return;
            }
        };
        let mut first = None;
        for k in 0..runs {
            if std::env::var(CHILD).is_ok_and(|v| v == "names") {
                println!("RUNS {name} {k}");
            }
            let got = exe.run(args, &RunOptions::default());
            let text = match &got {
                Ok(r) => format!("{:016x}", digest(r)),
                Err(e) => e.data().code.name().into(),
            };
            match (&want, &got) {
                (Some(Ok(w)), Ok(g)) if k == 0 => {
                    if let Some(i) = (0..w.len()).find(|&i| !close(&g[i], &w[i], 1e-4)) {
                        self.failures
                            .push(format!("{name}: result {i} is {:?}, the interpreter says {:?}", g[i], w[i]));
                    }
                }
                (Some(Ok(_)), Err(e)) if k == 0 => self.failures.push(format!("{name}: {e}, the interpreter runs")),
                (Some(Err(e)), Ok(_)) if k == 0 => self.failures.push(format!("{name}: it runs, the interpreter: {e}")),
                _ => {}
            }
            match &first {
                Some(t) if *t != text => self.failures.push(format!("{name}: run {k} has other bits than the first")),
                _ => first = Some(text),
            }
        }
        self.lines.insert(name.into(), first.unwrap_or_default());
    }
}
/// In a child, does the work and prints it; otherwise has each engine do it and compares. `least`: so many runs there are.
fn compared(test: &str, least: usize, work: fn(&mut Found)) {
    if std::env::var_os(CHILD).is_some() {
        let mut found = Found::default();
        work(&mut found);
        let mut out = String::new();
        found.lines.iter().for_each(|(k, v)| writeln!(out, "BITS {k}\t{v}").unwrap());
        println!("\n{out}");
        let n = found.failures.len();
        assert!(n == 0, "{n} failures:\n{}", found.failures[..n.min(12)].join("\n"));
        return;
    }
    let run = |engine: &str, say: &str| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child
            .args(["--exact", &format!("same_bits::{test}"), "--nocapture", "--test-threads=1"])
            .env(CHILD, say)
            .env("TFC_CPU", engine);
        if engine.is_empty() {
            child.env_remove("TFC_CPU");
        }
        let child = child.output().unwrap();
        (child.status, String::from_utf8(child.stdout).unwrap(), String::from_utf8_lossy(&child.stderr).into_owned())
    };
    let ran: Vec<_> = std::thread::scope(|s| {
        let started = ENGINES.map(|engine| s.spawn(move || turn(|| run(engine, "digests"))));
        started.map(|child| child.join().unwrap()).into()
    });
    let mut all: Vec<BTreeMap<String, String>> = vec![];
    for (engine, (status, out, err)) in ENGINES.into_iter().zip(ran) {
        if !status.success() {
            let last = if err.contains("failures:") { String::new() } else { run(engine, "names").1 };
            let at = last.lines().rfind(|l| l.starts_with("RUNS")).unwrap_or_default();
            panic!("TFC_CPU={engine}: {status} {at}\n{err}");
        }
        let lines = out.lines().filter_map(|l| l.strip_prefix("BITS ")?.split_once('\t'));
        all.push(lines.map(|(k, v)| (k.to_owned(), v.to_owned())).collect());
        assert!(all[0].len() >= least, "only {} runs", all[0].len());
    }
    for (engine, got) in ENGINES.iter().zip(&all).skip(1) {
        let differ: Vec<&String> = all[0].keys().filter(|k| got.get(*k) != all[0].get(*k)).collect();
        assert_eq!(got.len(), all[0].len());
        assert!(
            differ.is_empty(),
            "TFC_CPU={engine} has other bits than what is chosen without it: {} of {} runs, first {:?}",
            differ.len(),
            got.len(),
            &differ[..differ.len().min(12)]
        );
    }
}

/// Does the work once one of as many places as there are processors is free: whatever tests run beside each other, no processor
/// waits for the last of them, and none is shared by many.
fn turn<T>(work: impl FnOnce() -> T) -> T {
    static RUNNING: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());
    let places = std::thread::available_parallelism().map_or(1, usize::from);
    let mut running = RUNNING.1.wait_while(RUNNING.0.lock().unwrap(), |n| *n >= places).unwrap();
    *running += 1;
    drop(running);
    let done = work();
    *RUNNING.0.lock().unwrap() -= 1;
    RUNNING.1.notify_one();
    done
}

fn lowered(m: &Module, level: u8) -> Module {
    let mut plain = m.fork();
    tfc_passes::level(level).run(&mut plain, &mut |_| {}).unwrap();
    plain
}
/// The samples of every row on one dtype, as they are and with extents 0.
fn samples(found: &mut Found, dtype: DType) {
    for def in OpSet::core().iter() {
        let m = Module::new(Arc::new(OpSet::core()));
        let list = (def.sample)(&SampleCx { m: &m, def, dtype }).expect("samples build");
        for (i, s) in list.iter().enumerate() {
            let src = m.func(s.func).unwrap();
            let dims = |&(p, k): &(usize, usize)| src.ty(src.params()[p]).dims[k].as_exact();
            let values: BTreeSet<i64> = axes(&src).iter().filter_map(dims).collect();
            let mut sizes: Vec<BTreeMap<i64, i64>> = vec![BTreeMap::new()];
            sizes.extend(values.iter().map(|&v| BTreeMap::from([(v, 0)])));
            sizes.push(values.iter().map(|&v| (v, 0)).collect());
            for to in sizes {
                let own = m.fork();
                let Ok(made) = again(&own, &src, &How::At(to.clone()), &BTreeSet::new(), false) else { continue };
                let mut draw = Draw::new(11 + i as u64);
                let own = alone(&own, made.func);
                let f = own.func(made.func).unwrap();
                let args: Vec<Tensor> =
                    f.params().iter().zip(&s.domains).map(|(&p, &d)| draw.tensor(f.ty(p), d).unwrap()).collect();
                // Composites expanded, no more; then as programs are run.
                for level in [0, 2] {
                    let name = format!("{} {dtype} {i} {to:?} -O{level}", def.name);
                    found.run(&name, &lowered(&own, level), made.func, &args, None);
                }
            }
        }
    }
}
#[test]
fn samples_of_every_row_on_floats() {
    compared("samples_of_every_row_on_floats", 1500, |found| {
        [DType::F32, DType::F64, DType::BF16, DType::F16].into_iter().for_each(|d| samples(found, d));
    });
}
#[test]
fn samples_of_every_row_on_other_numbers() {
    compared("samples_of_every_row_on_other_numbers", 2000, |found| {
        let rest = tfc_ir::sample::DTYPES.into_iter().filter(|d| !d.is_float());
        rest.for_each(|d| samples(found, d));
    });
}

/// Values of one symbol of the forms: nothing, one, what is shorter than a vector, what is longer.
const SIZES: [i64; 4] = [0, 1, 5, 37];
/// Most elements of an operand or a result.
const MOST: i64 = 100_000;
/// Where code is worth compiling at once, rows are cut into chunks, and regions are joined to the tiles of products: also
/// around nothing.
const LARGE: [&[i64]; 14] = [
    &[300],
    &[0, 9000],
    &[9000, 0],
    &[70, 300],
    &[2, 9000],
    &[100, 0, 100],
    &[0, 100, 100],
    &[100, 100, 0],
    &[100, 7, 100],
    &[70, 300, 300],
    &[2, 9000, 300],
    &[0, 9000, 9000],
    &[9000, 0, 0],
    &[9000, 0, 37],
];
#[test]
fn every_form_over_every_extent() {
    compared("every_form_over_every_extent", 500, |found| {
        let text = include_bytes!("forms.tfir");
        let p = tfc_frontend::text::parse_module(text, &Arc::new(OpSet::core())).unwrap_or_else(|d| panic!("{}", d[0]));
        let (plain, best) = (lowered(&p.module, 0), lowered(&p.module, 2));
        for (f, func) in p.module.funcs() {
            let n = func.syms.len();
            let seed = Draw::new(5);
            let all = 0..SIZES.len().pow(n as u32);
            let small = all.map(|code| (0..n).map(|k| SIZES[code / SIZES.len().pow(k as u32) % SIZES.len()]).collect());
            for size in small.chain(LARGE.iter().filter(|s| s.len() == n).map(|s| s.to_vec())) {
                let env = ExtentEnv { syms: size.iter().map(|&s| Some(s)).collect(), exists: vec![] };
                let elements = |t: &Type| t.dims.iter().map(|d| d.eval(&env).unwrap_or(0)).product::<i64>();
                let types = func.params().iter().map(|&p| func.ty(p)).chain(&func.result_types);
                if types.map(elements).max() > Some(MOST) {
                    continue;
                }
                let mut draw = seed.clone();
                let one = |&p: &ValueId| {
                    let ty = func.ty(p);
                    let dims: Vec<Extent> = ty.dims.iter().map(|d| Extent::exact(d.eval(&env).unwrap())).collect();
                    draw.tensor(&ty.with_dims(dims), Domain::Any).unwrap()
                };
                let args: Vec<Tensor> = func.params().iter().map(one).collect();
                // Of one engine: the others have the same bits and the same errors as that one.
                let interp = || Interp::new(&plain).run(f, &args, &interp::RunOptions::default());
                let want = std::env::var_os("TFC_CPU").is_none().then(interp);
                for (level, m) in [(0, &plain), (2, &best)] {
                    let name = format!("@{} {size:?} -O{level}", func.name);
                    // Bits of a sum that is made in another order are others.
                    let want = if &*func.name == "bits" { None } else { want.clone() };
                    found.run(&name, m, f, &args, want);
                }
            }
        }
    });
}

/// Sizes of factorisations on either side of blocks and vectors, the library's divide-and-conquer among them.
#[test]
fn factorisations_of_every_size() {
    compared("factorisations_of_every_size", 1200, |found| {
        let rows = [(&SVD, false), (&QR, false), (&QR_PIVOTED, false), (&EIGH, true), (&TRIANGULAR_SOLVE, true)];
        for (def, square) in rows {
            for dtype in [DType::F32, DType::F64, DType::C32, DType::C64] {
                let m = Module::new(Arc::new(OpSet::core()));
                let mut b = Builder::new(&m, def.name);
                let dims = [b.sym("m", Span::default()), b.sym("n", Span::default())].map(Extent::sym);
                let dims = if square { [dims[0].clone(), dims[0].clone()] } else { dims };
                let xs: Vec<_> = def.operands.iter().map(|_| b.param(Type::new(dtype, dims.to_vec()), "x")).collect();
                let ys = b.emit(NewOp::new(def, &xs)).unwrap();
                let f = m.add(b.finish(ys).unwrap());
                let others =
                    |n: usize| if square || !n.is_multiple_of(4) { vec![n] } else { vec![n, 2 * n + 3, n / 2] };
                let mut sizes: Vec<[usize; 2]> =
                    (0..=40).flat_map(|n| others(n).into_iter().map(move |k| [n, k])).collect();
                sizes.push([200, 200]);
                // The library rounds otherwise on several threads where there are 65 to 128 rows.
                if square {
                    sizes.extend([[72, 72], [128, 128], [129, 129]]);
                }
                for size in sizes {
                    let ty = Type::exact(dtype, &size);
                    let mut draw = Draw::new(size[0] as u64 + 3);
                    let x: Vec<Tensor> = xs.iter().map(|_| draw.tensor(&ty, Domain::Any).unwrap()).collect();
                    let name = format!("{} {dtype} {size:?}", def.name);
                    found.runs(if size[0] % 8 == 0 { RUNS } else { 1 }, &name, &m, f, &x, None);
                    if size[0] <= 12 {
                        // Of rank one: the others of its vectors are chosen by rounding errors alone.
                        let ones: Vec<Tensor> = x.iter().map(|t| ones(dtype, t.shape())).collect();
                        found.runs(1, &format!("{name} of ones"), &m, f, &ones, None);
                    }
                }
            }
        }
    });
}
/// Which NaN an operation makes is the machine's choice; what is printed and saved is one, for each engine and run.
#[test]
fn one_nan_leaves() {
    const PROGRAM: &str = r#"tfir 1.0
export func @main<n>(%x: f64[n], %y: f32[n]) -> (t: f64[n], d: f64[n], s: f32[n], c: c64[n], r: f64[], k: f64[], i: bool[n]) {
  %t = tanh(%x)
  %z = sub(%x, %x)
  %d = div(%z, %z)
  %w = sub(%y, %y)
  %n = neg(%w)
  %s = sqrt(%n)
  %c = complex(%d, %x)
  %r = reduce_sum(%d, axes = [0])
  %k = const(0xfff8000000000001)
  %i = ne(%t, %t)
  return %t, %d, %s, %c, %r, %k, %i
}
"#;
    let (mut text, mut files) = (BTreeSet::new(), BTreeSet::new());
    let dir = crate::common::folder("one_nan_leaves", PROGRAM);
    for engine in ENGINES {
        for more in ["", " --repeat 3"] {
            for x in ["[nan,inf,0,-1,2]", "[0xfff8000000000000,inf,0,-1,2]"] {
                let line = format!("run p.tfir -i x={x} -i y=[nan,inf,0,-inf,1]{more}");
                text.insert(crate::common::tfc(&dir, engine, &line));
                files.insert(crate::common::saved(&dir, engine, &line, &["t", "d", "s", "c", "r", "k"]));
            }
        }
    }
    assert!(text.len() == 1 && files.len() == 1, "{text:?}");
    let text = text.first().unwrap();
    assert!(text.contains("r = nan") && text.contains("k = nan") && !text.contains("0x"), "{text}");
}

fn ones(dtype: DType, shape: &[usize]) -> Tensor {
    match dtype {
        DType::F32 => Tensor::full(shape, 1.0f32),
        DType::F64 => Tensor::full(shape, 1.0f64),
        DType::C32 => Tensor::full(shape, C32::new(1.0, 0.0)),
        _ => Tensor::full(shape, C64::new(1.0, 0.0)),
    }
    .unwrap()
}
