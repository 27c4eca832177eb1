//! Instructions of hot paths, counted by valgrind's callgrind and held against `benches/kernels/counts.txt`: unlike
//! times they say the same on a busy machine. More than 5 % above fails; less than that below asks for new counts. And
//! instructions of work that may grow as what it is done to, and no faster.
//!
//!     tfc-counts                     compares; exit status 1 where a path has grown
//!     TFC_ACCEPT=1 tfc-counts        writes the counts of now
//!
//! Valgrind knows no AVX-512, so it is the AVX2 path that is counted. Counts are those of the development profile, which
//! is what CI builds, and of one version of the compiler, which the file names: under another one differences are shown
//! but not held.
use std::process::{Command, ExitCode};
use tfc_api::prelude::{GraphProgram, TracedTensor, cond, f64s, trace};
use tfc_benches::{Order, Program, counting, elementwise, many, mixed, optimise, parse, plan};
use tfc_ir::Module;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/counts.txt");
/// How much a count may grow, and shrink before new counts are asked for.
const TOLERANCE: f64 = 0.05;

fn main() -> ExitCode {
    let run = if std::env::args().nth(1).as_deref() == Some("--paths") { paths() } else { compare() };
    match run {
        Ok(code) => code,
        Err(e) => {
            eprintln!("tfc-counts: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Work on programs of some size, or of loops of so many trips, and that number: work on one [`TIMES`] as large may take [`GROWTH`] times the instructions.
const GROWING: [(&str, usize); 13] = [
    ("parse ops", 1000),
    ("optimise ops", 1000),
    ("gradient of ops", 1000),
    ("plan ops", 1000),
    ("plan one loop nest", 1000),
    ("read open brackets", 20_000),
    ("read terms", 2000),
    ("read undefined names", 1000),
    ("loop by index", 500),
    ("loop by index, gradient", 500),
    ("loop in a buffer", 500),
    ("loop in a buffer, gradient", 500),
    ("trace regions", 25),
];
const TIMES: usize = 4;
/// For sizes like these n log n gives less than 5, and work that is one half linear and one tenth of that quadratic gives 5.
const GROWTH: f64 = 5.0;

/// Valgrind counts within this function, and writes what it has at its end.
#[inline(never)]
fn hot_path(f: &mut dyn FnMut() -> Result<(), String>) -> Result<(), String> {
    let done = f();
    // Something after the call, so that it is a call and not a jump.
    std::hint::black_box(&done);
    done
}

/// Names of the paths, in the order in which [`paths`] runs them.
const PATHS: [&str; 15] = [
    "parse 1000 ops",
    "optimise 1000 ops",
    "gradient of 1000 ops",
    "plan 1000 ops",
    "elementwise chain",
    "reduction",
    "softmax",
    "scan of products",
    "call of 100 scalars",
    "transpose",
    "loop of small arrays",
    "remainders",
    "rows and masks",
    "loop over elements",
    "loop of moves",
];

const SOFTMAX: &str = "tfir 1.0\nexport func @main(%x: f32[512, 64]) -> (y: f32[512, 64]) {
  %y = softmax(%x, axis = 0)\n  return %y\n}\n";
const TRANSPOSE: &str = "tfir 1.0\nexport func @main(%x: f32[200, 300]) -> (y: f32[300, 200]) {
  %t = transpose(%x, perm = [1, 0])\n  %one: f32[300, 200] = const(splat = 1.0)\n  %y = add(%t, %one)\n  return %y\n}\n";
const RECURRENT: &str = "tfir 1.0
export func @main(%w: f64[32, 32], %u: f64[32, 32], %x: f64[32, 50]) -> (y: f64[32]) {
  %zero: f64[32] = const(splat = 0.0)
  %y: f64[32] = scan(%zero, %x, carry = 1) {
    body(%h: f64[32], %xt: f64[32]) {
      %wh = dot_general(%w, %h, contract = [[1], [0]])
      %ux = dot_general(%u, %xt, contract = [[1], [0]])
      %s = add(%wh, %ux)
      %n = tanh(%s)
      yield %n
    }
  }
  return %y
}
";

/// A state of two numbers, and a branch.
const SMALL: &str = "tfir 1.0
export func @main(%x: f64[2], %w: f64[2]) -> (y: f64[2], all: f64[2, 500]) {
  %y: f64[2], %all: f64[2, 500] = scan(%x, carry = 1, length = 500) {
    body(%s: f64[2]) {
      %r = reverse(%s, axes = [0])
      %d = mul(%r, %w)
      %sum = reduce_sum(%d, axes = [0])
      %one = const(1.0)
      %p = gt(%sum, %one)
      %c: f64[2] = cond(%p, %d) {
        then(%v: f64[2]) {
          %n = neg(%v)
          yield %n
        }
        else(%v: f64[2]) {
          yield %v
        }
      }
      %n = add(%s, %c)
      yield %n, %n
    }
  }
  return %y, %all
}
";
const REMAINDERS: &str = "tfir 1.0
export func @main(%a: f64[20000], %b: f64[]) -> (y: i64[20000], z: i64[20000]) {
  %big: f64[20000] = const(splat = 1e12)
  %scaled = mul(%a, %big)
  %x: i64[20000] = convert(%scaled)
  %some = const(1e4)
  %by = mul(%b, %some)
  %d: i64[] = convert(%by)
  %k: i64[20000] = const(splat = 7)
  %r = rem(%x, %k)
  %q = div(%x, %k)
  %y = add(%r, %q)
  %all: i64[20000] = broadcast_in_dim(%d, dims = [])
  %z = rem(%x, %all)
  return %y, %z
}
";
/// Row-major operands, and values that no operand orders: a mask, and sums of rows that columns are divided by.
const MASKED: &str = "tfir 1.0
export func @main(%x: f32[200, 150]) -> (y: f32[200, 150]) {
  %i: i64[200, 150] = iota(axis = 0)
  %j: i64[200, 150] = iota(axis = 1)
  %m = ge(%i, %j)
  %one: f32[200, 150] = const(splat = 1.0)
  %zero: f32[200, 150] = const(splat = 0.0)
  %w = select(%m, %one, %zero)
  %s = reduce_sum(%w, axes = [1])
  %r: f32[200, 150] = broadcast_in_dim(%s, dims = [0])
  %p = mul(%x, %w)
  %y = div(%p, %r)
  return %y
}
";

/// Elements that are read and written at computed places, in a loop inside a loop.
const ELEMENTS: &str = "tfir 1.0
export func @main(%x: f64[16]) -> (y: f64[16]) {
  %k: i64[] = const(0)
  %one: i64[] = const(1)
  %y, %last = scan(%x, %k, carry = 2, length = shape[50]) {
    body(%y: f64[16], %i: i64[]) {
      %z, %j = scan(%y, %k, carry = 2, length = shape[15]) {
        body(%z: f64[16], %j: i64[]) {
          %j1 = add(%j, %one)
          %a = gather(%z, %j, collapsed_slice_dims = [0], slice_sizes = [1])
          %b = gather(%z, %j1, collapsed_slice_dims = [0], slice_sizes = [1])
          %low = min(%a, %b)
          %high = max(%a, %b)
          %z1 = scatter(%z, %j, %low, inserted_window_dims = [0], combine = set)
          %z2 = scatter(%z1, %j1, %high, inserted_window_dims = [0], combine = set)
          yield %z2, %j1
        }
      }
      %i1 = add(%i, %one)
      yield %z, %i1
    }
  }
  return %y
}
";
/// Parts of arrays that are put elsewhere in each trip.
const MOVES: &str = "tfir 1.0
export func @main(%x: f64[100]) -> (y: f64[100]) {
  %zero: f64[] = const(0.0)
  %y = scan(%x, carry = 1, length = shape[50]) {
    body(%y: f64[100]) {
      %a = pad(%y, %zero, low = [1], high = [-1], interior = [0])
      %l = slice(%y, start = [50], limit = [100])
      %r = slice(%y, start = [0], limit = [50])
      %b = concat(%l, %r, axis = 0)
      %s = sub(%a, %b)
      yield %s
    }
  }
  return %y
}
";

/// Runs every path once under [`hot_path`], then the work of [`GROWING`], small and large.
fn paths() -> Result<ExitCode, String> {
    let text = mixed(1000, false);
    hot_path(&mut || parse(&text).map(drop))?;
    let mut m = parse(&text)?;
    hot_path(&mut || optimise(&mut m))?;
    let mut g = parse(&mixed(1000, true))?;
    hot_path(&mut || expand(&mut g))?;
    hot_path(&mut || plan(&m).map(drop))?;
    const CHAIN: [&str; 6] =
        ["%p = mul(%a, %b)", "%z = add(%p, %c)", "%t = tanh(%z)", "%n = neg(%a)", "%e = exp(%n)", "%y = mul(%t, %e)"];
    const SUM: [&str; 5] =
        ["%q = mul(%a, %a)", "%n = neg(%q)", "%e = exp(%n)", "%w = mul(%e, %b)", "%y = reduce_sum(%w, axes = [0])"];
    let programs = [
        (elementwise("f32", 50_000, &CHAIN), 1, Order::Columns),
        (elementwise("f64", 50_000, &SUM), 1, Order::Columns),
        (SOFTMAX.into(), 1, Order::Columns),
        (RECURRENT.into(), 1, Order::Columns),
        (many(100, "f64[]"), 100, Order::Columns),
        (TRANSPOSE.into(), 1, Order::Columns),
        (SMALL.into(), 1, Order::Columns),
        (REMAINDERS.into(), 1, Order::Columns),
        (MASKED.into(), 1, Order::Rows),
        (ELEMENTS.into(), 1, Order::Columns),
        (MOVES.into(), 1, Order::Columns),
    ];
    for (text, times, order) in programs {
        let mut p = Program::new(&text, order)?;
        // Memory that the first calls take is there for the others.
        (0..2).for_each(|_| p.run());
        hot_path(&mut || {
            (0..times).for_each(|_| p.run());
            Ok(())
        })?;
    }
    for (what, n) in GROWING {
        grow(what, n)?;
        grow(what, TIMES * n)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Does the work of one row of [`GROWING`] under [`hot_path`].
fn grow(what: &str, n: usize) -> Result<(), String> {
    if what == "trace regions" {
        return hot_path(&mut || traced(n).map(drop).map_err(|e| e.to_string()));
    }
    let text = match what {
        "plan one loop nest" => many(n, "f64[8]"),
        "read open brackets" => format!("tfir 1.0\nfunc @f() -> () {{\n  %a = const({})\n", "[".repeat(n)),
        "read terms" => {
            format!("tfir 1.0\nfunc @f(%a: f64[{}]) -> () {{\n  return\n}}\n", vec!["1"; n].join(" + "))
        }
        "read undefined names" => {
            format!("tfir 1.0\nfunc @f() -> () {{\n{}  return\n}}\n", "  %a = neg(%zz)\n".repeat(n))
        }
        _ => mixed(n, what == "gradient of ops"),
    };
    if what.starts_with("read") {
        // What is no program may be refused at once, or after a while; either way is counted.
        return hot_path(&mut || {
            let _ = std::hint::black_box(parse(&text));
            Ok(())
        });
    }
    if what.starts_with("loop") {
        let text = counting(n, what.contains("buffer"), what.ends_with("gradient"));
        let mut p = Program::new(&text, Order::Rows)?;
        (0..2).for_each(|_| p.run());
        return hot_path(&mut || {
            p.run();
            Ok(())
        });
    }
    if what == "parse ops" {
        return hot_path(&mut || parse(&text).map(drop));
    }
    let mut m = parse(&text)?;
    match what {
        "optimise ops" => hot_path(&mut || optimise(&mut m)),
        "gradient of ops" => hot_path(&mut || expand(&mut m)),
        _ => {
            optimise(&mut m)?;
            hot_path(&mut || plan(&m).map(drop))
        }
    }
}
/// A traced program of so many branches, each of which uses the result of the one before.
fn traced(n: usize) -> tfc_api::Result<GraphProgram> {
    trace([f64s("x", ["n"]), f64s("t", [0; 0])], |[x, t]| {
        let mut x = x.clone();
        for i in 0..n {
            let high = t.gt(&TracedTensor::scalar(i as f64)?)?;
            let (yes, no) = (x.clone(), x.clone());
            [x] = cond(&high, || Ok([(&yes + 1.0)?]), || Ok([(&no - 1.0)?]))?;
        }
        Ok([x])
    })
}
/// Expands derivatives, without the verifier.
fn expand(m: &mut Module) -> Result<(), String> {
    let expand = tfc_passes::Pipeline::parse("expand-ad").map_err(|e| e.to_string())?.unchecked();
    expand.run(m, &mut |_| {}).map(drop).map_err(|e| e.to_string())
}

/// Runs [`paths`] under valgrind; instructions of each, in the order of their calls of [`hot_path`].
fn count() -> Result<Vec<u64>, String> {
    let folder = std::env::temp_dir().join(format!("tfc-counts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=tfc_counts::hot_path", "--dump-after=tfc_counts::hot_path"])
        .arg(format!("--callgrind-out-file={}", folder.join("out").display()))
        .arg(me)
        .arg("--paths")
        // What the best machine would do is not what this one can.
        .env("TFC_CPU", "avx2")
        .output()
        .map_err(|e| format!("cannot start valgrind: {e}"))?;
    let talk = String::from_utf8_lossy(&out.stderr).into_owned();
    let read = |i: usize| {
        let text = std::fs::read_to_string(folder.join(format!("out.{}", i + 1))).ok()?;
        text.lines().find_map(|l| l.strip_prefix("totals:"))?.trim().parse::<u64>().ok()
    };
    let counts: Option<Vec<u64>> = (0..PATHS.len() + 2 * GROWING.len()).map(read).collect();
    let _ = std::fs::remove_dir_all(&folder);
    match counts {
        Some(c) if out.status.success() => Ok(c),
        _ => Err(format!("valgrind gave no counts ({}):\n{talk}", out.status)),
    }
}

/// The compiler, as the file names it.
fn compiler() -> String {
    let out = Command::new("rustc").arg("--version").output();
    let text = out.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    format!("{} {}", text.split_whitespace().take(2).collect::<Vec<_>>().join(" "), std::env::consts::ARCH)
}

/// Prints what the work of [`GROWING`] takes. Returns whether all of it grows as it may.
fn grows_as_it_may(counts: &[u64]) -> bool {
    let mut fits = true;
    for ((what, n), two) in GROWING.iter().zip(counts.chunks(2)) {
        let times = two[1] as f64 / two[0].max(1) as f64;
        let word = if times > GROWTH { "grows too fast" } else { "" };
        fits &= times <= GROWTH;
        println!("{:24} {:>12} for {n}, {times:.2} times that for {} {word}", what, two[0], TIMES * n);
    }
    fits
}

fn too_fast() -> ExitCode {
    eprintln!(
        "{TIMES} times the program, or the trips, may take {GROWTH} times the instructions: something is done over and over"
    );
    ExitCode::FAILURE
}

fn compare() -> Result<ExitCode, String> {
    let all = count()?;
    let (now, growing) = all.split_at(PATHS.len());
    let fits = grows_as_it_may(growing);
    let with = compiler();
    if std::env::var_os("TFC_ACCEPT").is_some_and(|v| v == "1") {
        let lines: String = PATHS.iter().zip(now).map(|(p, n)| format!("{n:>12} {p}\n")).collect();
        let head = "# Instructions of hot paths, AVX2, development profile; written by `TFC_ACCEPT=1 tfc-counts`.";
        std::fs::write(FILE, format!("{head}\n# {with}\n{lines}")).map_err(|e| format!("{FILE}: {e}"))?;
        println!("{FILE} is written");
        return Ok(ExitCode::SUCCESS);
    }
    let text = std::fs::read_to_string(FILE).map_err(|e| format!("{FILE}: {e}"))?;
    let then = |path: &str| {
        text.lines().find_map(|l| l.trim().split_once(' ').filter(|(_, p)| *p == path)?.0.parse::<u64>().ok())
    };
    let same_compiler = text.lines().any(|l| l.strip_prefix("# ") == Some(&with));
    let (mut grown, mut shrunk) = (false, false);
    for (path, &n) in PATHS.iter().zip(now) {
        let before = then(path);
        let change = before.map_or(f64::INFINITY, |b| n as f64 / b as f64 - 1.0);
        let word = match change {
            c if c > TOLERANCE => "grown",
            c if c < -TOLERANCE => "less",
            _ => "",
        };
        grown |= change > TOLERANCE;
        shrunk |= change < -TOLERANCE;
        println!("{path:24} {n:>12} {:>+8.1} % {word}", change * 100.0);
    }
    if !same_compiler {
        println!("the counts on file are of another compiler or machine than {with}: nothing is held against them");
        return Ok(if fits { ExitCode::SUCCESS } else { too_fast() });
    }
    if !fits {
        return Ok(too_fast());
    }
    if grown {
        eprintln!("a path has grown by more than {:.0} %; if it must, `TFC_ACCEPT=1 tfc-counts`", TOLERANCE * 100.0);
        return Ok(ExitCode::FAILURE);
    }
    if shrunk {
        println!("a path has become shorter: `TFC_ACCEPT=1 tfc-counts` keeps it so");
    }
    Ok(ExitCode::SUCCESS)
}
