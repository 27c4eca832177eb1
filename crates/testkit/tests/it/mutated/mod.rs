//! StableHLO text that has been damaged: 300 texts here, 20 000 or as many as asked by
//! `TFC_PROGRAMS=20000 cargo test -p tfc-testkit --test it -- --ignored mutated::many --nocapture`. `make.rs` says how they are changed.
//!
//! Of every text holds: it is read or refused within a time and a memory, without a panic and without the end of the process; what
//! is wrong has a code and a place inside the text. What is accepted verifies, prints as this language and reads back as the same
//! text, and each of its functions that exact types describe gives the same by `cpu` and by `interp`, or fails by the same code.
//!
//! With `TFC_KEEP=FOLDER` every text is written there as `SEED.mlir`, and what became of it as `verdicts.txt`, for a judge from outside.
mod make;

use make::Corpus;
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tfc_api::Kernels;
use tfc_engine::{Backend, Limits as RunLimits, Options};
use tfc_ir::diag::ErrorData;
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::*;
use tfc_ir::{Code, ErrorClass};
use tfc_testkit::tensors::distance;

/// What one text may use.
const TIME: Duration = Duration::from_secs(10);
const MEMORY: usize = 64 << 20;
const FUEL: u64 = 20_000;
const OPS: usize = 100_000;
/// Bytes of arguments above which a function is not run.
const ARGUMENTS: usize = 1 << 20;
/// After so long without a word a process is taken to hang.
const PATIENCE: Duration = Duration::from_secs(60);
/// What a process may have at most, in kB.
const RESIDENT: u64 = 2 << 20;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
fn budget() -> Budget {
    Budget::new(Limits { time: Some(TIME), memory: Some(MEMORY), fuel: Some(FUEL), ops: Some(OPS) })
}

/// What became of a text.
enum Verdict {
    /// The code of the first mistake.
    Refused(Code),
    /// How many of its functions ran on both engines to an end.
    Accepted(usize),
}
type Checked<T> = std::result::Result<T, String>;

/// What is said of a refused text has a code and lies inside it.
fn said(bytes: &[u8], errors: &[Diagnostic]) -> Checked<Code> {
    let Some(first) = errors.first() else { return Err("refused without a word".into()) };
    for d in errors {
        let digits = |c: &str| c.len() == 5 && c.starts_with('E') && c[1..].bytes().all(|b| b.is_ascii_digit());
        if !digits(d.code.name()) || d.message.is_empty() {
            return Err(format!("a diagnostic without code or words: {d:?}"));
        }
        for (s, _) in &d.labels {
            if s.start > s.end || s.end as usize > bytes.len() {
                return Err(format!("{} stands at {s:?}, the text has {} bytes", d.code, bytes.len()));
            }
        }
        // Only limits, the encoding and an empty text are of no place.
        if d.span() == Span::default()
            && !d.code.is_limit()
            && !d.code.name().starts_with("E000")
            && d.code != Code::E0108
        {
            return Err(format!("{} has no place: {}", d.code, d.message));
        }
    }
    Ok(first.code)
}

/// The results of `f` by a backend, or the error.
fn run(m: &Module, f: FuncId, backend: &dyn Backend, args: &[Tensor]) -> Result<Vec<Tensor>> {
    let limits = RunLimits { budget: budget(), fuel: Some(FUEL), print: None, profile: None, progress: None };
    let mut m = m.fork();
    // What no result needs may fail where an engine does not run it.
    let dead = tfc_passes::Pipeline::parse("dce")?;
    dead.run(&mut m, &mut |_| {}).map_err(|e| e.error)?;
    let passes = tfc_passes::level(if backend.as_written() { 0 } else { 2 });
    passes.run(&mut m, &mut |_| {}).map_err(|e| e.error)?;
    let compiled = backend.compile(m, f, &Options { threads: 1, fast_math: false })?;
    compiled.run(args, &limits)
}
/// Guards may be asked in another order than what they guard; a negative extent is met by one engine, the guard against it by
/// the other.
fn is_guard(code: Code) -> bool {
    code.class() == ErrorClass::Extent
}
/// Does a check fail that allows for some rounding? By other roundings it may hold.
fn by_rounding(e: &ErrorData) -> bool {
    e.code == Code::E0711 && e.message.contains("check_close")
}
fn same(want: &Result<Vec<Tensor>>, got: &Result<Vec<Tensor>>) -> Checked<bool> {
    match (want, got) {
        (Ok(want), Ok(got)) => {
            if want.len() != got.len() {
                return Err(format!("{} results and {}", want.len(), got.len()));
            }
            for (k, (x, y)) in want.iter().zip(got).enumerate() {
                let single = matches!(x.dtype(), DType::F32 | DType::C32);
                if distance(x, y) > if single { 1e-2 } else { 1e-3 } {
                    return Err(format!("result {k}: interp {x:?}, cpu {y:?}"));
                }
            }
            Ok(true)
        }
        (Err(x), Err(y)) => {
            let (x, y) = (x.data(), y.data());
            let limits = x.code.is_limit() || y.code.is_limit();
            if x.code == y.code || limits || is_guard(x.code) && is_guard(y.code) {
                Ok(false)
            } else {
                Err(format!("interp {}: {}; cpu {}: {}", x.code, x.message, y.code, y.message))
            }
        }
        (Err(e), Ok(_)) | (Ok(_), Err(e)) if e.data().code.is_limit() || by_rounding(e.data()) => Ok(false),
        (Err(e), Ok(_)) => Err(format!("interp {}: {}; cpu gives results", e.data().code.name(), e.data().message)),
        (Ok(_), Err(e)) => Err(format!("cpu {}: {}; interp gives results", e.data().code.name(), e.data().message)),
    }
}
fn arguments(m: &Module, f: FuncId, seed: u64) -> Option<Vec<Tensor>> {
    let f = m.func(f).ok()?;
    let mut bytes = 0usize;
    for &p in f.params() {
        let n = f.ty(p).exact_shape()?.iter().try_fold(f.ty(p).dtype.size(), |n, d| n.checked_mul(*d))?;
        bytes = bytes.checked_add(n)?;
    }
    if bytes > ARGUMENTS {
        return None;
    }
    let mut draw = Draw::new(seed);
    f.params().iter().map(|&p| draw.tensor(f.ty(p), Domain::Any).ok()).collect()
}

/// Everything that must hold of one text.
fn check(bytes: &[u8], seed: u64) -> Checked<Verdict> {
    let ops = Arc::new(OpSet::core());
    let m = match tfc_stablehlo::parse_within(bytes, &ops, &budget()) {
        Ok(m) => m,
        Err(errors) => return said(bytes, &errors).map(Verdict::Refused),
    };
    if let Some((f, e)) = verify::module(&m).first() {
        return Err(format!("verify @{}: {e}", f.name));
    }
    let text = print::module(&m);
    let again = tfc_frontend::text::parse_within(text.as_bytes(), &ops, &budget())
        .map_err(|d| format!("what was printed is not read: {}\n{text}", d[0]))?;
    if print::module(&again.module) != text {
        return Err(format!("printed, read and printed again, it is another text\n{text}"));
    }
    let backends = Kernels::default().backends();
    let (cpu, interp) = (&*backends[0], &*backends[1]);
    let public: Vec<FuncId> = m.funcs().into_iter().filter(|(_, f)| f.export).map(|(id, _)| id).collect();
    let mut ran = 0;
    for f in public {
        let Some(args) = arguments(&m, f, seed) else { continue };
        let (want, got) = (run(&m, f, interp, &args), run(&m, f, cpu, &args));
        let agree = same(&want, &got).map_err(|e| format!("@{}: {e}", m.func_name(f)))?;
        ran += usize::from(agree);
    }
    Ok(Verdict::Accepted(ran))
}

/// The most memory that this process has had since the last question, in kB; none where the system does not say.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    line.trim().split(' ').next()?.parse().ok()
}

/// What a process does that checks texts; it writes the seed before each.
#[test]
#[ignore = "a part of the others, which start it"]
fn worker() {
    let Ok(out) = std::env::var("MUTATED_OUT") else { return };
    let seeds = std::env::var("MUTATED_SEEDS").unwrap();
    let (from, to) = seeds.split_once(' ').unwrap();
    let corpus = Corpus::new(&root());
    let mut file = std::fs::File::create(out).unwrap();
    let keep = std::env::var_os("TFC_KEEP").map(PathBuf::from);
    std::panic::set_hook(Box::new(|_| {}));
    for seed in from.parse::<u64>().unwrap()..to.parse().unwrap() {
        let bytes = corpus.text(seed);
        if let Some(dir) = &keep {
            std::fs::write(dir.join(format!("{seed}.mlir")), &bytes).unwrap();
        }
        writeln!(file, "seed {seed}").unwrap();
        let start = Instant::now();
        let line = match catch_unwind(AssertUnwindSafe(|| check(&bytes, seed))) {
            Ok(Ok(Verdict::Refused(code))) => format!("{seed}: refused {code}"),
            Ok(Ok(Verdict::Accepted(ran))) => format!("{seed}: accepted {ran}"),
            Ok(Err(e)) => format!("FAIL {seed}: {}", e.replace('\n', "\u{2424}")),
            Err(p) => {
                let words = p.downcast_ref::<String>().cloned().or(p.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                format!("FAIL {seed}: panic: {}", words.unwrap_or_default().replace('\n', " "))
            }
        };
        writeln!(file, "{line}").unwrap();
        if start.elapsed() > 4 * TIME {
            writeln!(file, "FAIL {seed}: it took {} s", start.elapsed().as_secs()).unwrap();
        }
        if let Some(kb) = resident().filter(|kb| *kb > RESIDENT) {
            writeln!(file, "FAIL {seed}: the process had {kb} kB").unwrap();
        }
    }
    writeln!(file, "end").unwrap();
}
fn start(seeds: &Range<u64>, out: &Path) -> Child {
    let mut c = Command::new(std::env::current_exe().unwrap());
    c.args(["--exact", "mutated::worker", "--ignored", "--nocapture", "--test-threads=1"]);
    c.env("MUTATED_SEEDS", format!("{} {}", seeds.start, seeds.end)).env("MUTATED_OUT", out);
    c.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
}
/// All seeds; behind a text that ends a process, or at which it stays, a new process goes on. Lines and faults.
fn check_all(name: &str, seeds: Range<u64>) -> (Vec<String>, Vec<String>) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mutated");
    std::fs::create_dir_all(&dir).unwrap();
    let out = dir.join(format!("{name}.txt"));
    let (mut lines, mut faults, mut rest) = (vec![], vec![], seeds);
    loop {
        let mut child = start(&rest, &out);
        let (mut size, mut since) = (0, Instant::now());
        let mut hangs = false;
        while child.try_wait().unwrap().is_none() {
            let now = std::fs::metadata(&out).map_or(0, |m| m.len());
            if now != size {
                (size, since) = (now, Instant::now());
            }
            if since.elapsed() > PATIENCE {
                hangs = true;
                child.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let text = std::fs::read_to_string(&out).unwrap_or_default();
        let (bad, good): (Vec<&str>, Vec<&str>) = text.lines().partition(|l| l.starts_with("FAIL"));
        faults.extend(bad.iter().map(|l| (*l).to_owned()));
        lines.extend(good.iter().filter(|l| l.contains(": ")).map(|l| (*l).to_owned()));
        if text.ends_with("end\n") {
            break;
        }
        let last = good.iter().rev().find_map(|l| l.strip_prefix("seed ")?.parse::<u64>().ok()).unwrap_or(rest.start);
        faults.push(format!("FAIL {last}: {}", if hangs { "it hangs" } else { "it ended the process" }));
        rest.start = last + 1;
    }
    if let Some(dir) = std::env::var_os("TFC_KEEP") {
        std::fs::write(Path::new(&dir).join("verdicts.txt"), [lines.clone(), faults.clone()].concat().join("\n"))
            .unwrap();
    }
    (lines, faults)
}
fn report((lines, faults): (Vec<String>, Vec<String>), least: usize) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for l in &lines {
        *counts.entry(l.split_once(": ").map_or("", |p| p.1)).or_default() += 1;
    }
    println!("{} texts, {} faults: {counts:?}", lines.len() + faults.len(), faults.len());
    if let Some(first) = faults.first() {
        let seed = first.split(' ').nth(1).and_then(|s| s.trim_end_matches(':').parse().ok()).unwrap_or(0);
        let text = Corpus::new(&root()).text(seed);
        let some: Vec<&str> = faults.iter().take(40).map(String::as_str).collect();
        panic!("{}\nthe first text:\n{}", some.join("\n"), String::from_utf8_lossy(&text));
    }
    // Both ways out are taken, and what is accepted has run.
    let with = |word: &str| lines.iter().filter(|l| l.split_once(": ").is_some_and(|p| p.1.starts_with(word))).count();
    let ran = with("accepted") - with("accepted 0");
    assert!(with("refused") >= least && ran >= least / 4, "{counts:?}");
}

#[test]
fn damaged_texts_are_read_or_refused() {
    report(check_all("some", 0..300), 100);
}
#[test]
#[ignore = "the long run: twenty minutes"]
fn many_damaged_texts_are_read_or_refused() {
    let n: u64 = std::env::var("TFC_PROGRAMS").ok().and_then(|s| s.parse().ok()).unwrap_or(20_000);
    let from: u64 = std::env::var("TFC_FROM").ok().and_then(|s| s.parse().ok()).unwrap_or(1000);
    report(check_all("many", from..from + n), n as usize / 3);
}
/// `TFC_FROM=SEED cargo test -p tfc-testkit --test it -- --ignored mutated::one --nocapture` shows one text and what becomes of it.
#[test]
#[ignore = "to look at a fault"]
fn one() {
    let Some(seed) = std::env::var("TFC_FROM").ok().and_then(|s| s.parse().ok()) else { return };
    let text = Corpus::new(&root()).text(seed);
    println!("{}", String::from_utf8_lossy(&text));
    match check(&text, seed) {
        Ok(Verdict::Refused(code)) => println!("refused: {code}"),
        Ok(Verdict::Accepted(n)) => println!("accepted, {n} functions ran"),
        Err(e) => println!("FAIL: {e}"),
    }
}
