//! Programs that are short and unfold into long ones, and calls that nest deep: every command ends soon, with a result or a
//! diagnostic, in little memory.
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with that program as `p.tfir`.
fn folder(name: &str, program: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deep").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("p.tfir"), program).unwrap();
    dir
}
/// Runs `tfc` on the program of `dir` with at most that many MiB of address space and that many seconds.
fn tfc(dir: &Path, mib: usize, seconds: usize, line: &str) -> Output {
    let script =
        format!("ulimit -v {}; exec timeout -s KILL {seconds} {} {line}", mib << 10, env!("CARGO_BIN_EXE_tfc"));
    Command::new("bash").args(["-c", &script]).current_dir(dir).env("NO_COLOR", "1").output().unwrap()
}
/// Exit status 0, or 3 with one of these codes. What was printed.
fn ends(dir: &Path, mib: usize, seconds: usize, line: &str, codes: &[&str]) -> String {
    let out = tfc(dir, mib, seconds, line);
    let err = String::from_utf8_lossy(&out.stderr);
    let limit = out.status.code() == Some(3) && codes.iter().any(|c| err.contains(c));
    let said: String = err.chars().take(400).collect();
    assert!(out.status.success() || limit, "tfc {line} ({}): {:?}\n{said}", dir.display(), out.status);
    String::from_utf8(out.stdout).unwrap()
}
/// Function `k` of `n`, `body` made of the name of the one before.
fn chain(n: usize, body: impl Fn(&str) -> String) -> String {
    let mut text = String::from("tfir 1.0\nfunc @f0(%x: f64[]) -> f64[] {\n  %y = sin(%x)\n  return %y\n}\n");
    for k in 1..=n {
        let export = if k == n { "export " } else { "" };
        let name = if k == n { "main".to_owned() } else { format!("f{k}") };
        let body = body(&format!("@f{}", k - 1));
        let _ = writeln!(text, "{export}func @{name}(%x: f64[]) -> f64[] {{\n{body}  return %y\n}}");
    }
    text
}
/// Each function calls the one before twice.
fn doubling(n: usize, call: &str) -> String {
    chain(n, |f| format!("  %a = {call}({f}, %x)\n  %b = cos(%a)\n  %y = {call}({f}, %b)\n"))
}
fn value(out: &str) -> f64 {
    out.rsplit(" = ").next().and_then(|x| x.trim().parse().ok()).unwrap_or_else(|| panic!("no number in {out:?}"))
}

#[test]
fn inlining_does_not_double_without_end() {
    let dir = folder("doubling", &doubling(40, "call"));
    for line in [
        "run p.tfir -i x=0.5 --timeout 2",
        "run p.tfir -i x=0.5 --timeout 2 --backend interp",
        "run p.tfir -i x=0.5 --timeout 2 --max-memory 100M",
        "opt p.tfir -p inline -o out.tfir",
        "opt p.tfir --limit ops=1000 -o out.tfir",
        "grad p.tfir --mode jvp -o out.tfir",
        "compile p.tfir --emit plan -O0",
    ] {
        ends(&dir, 3000, 60, line, &["E0714", "E0715"]);
    }
    // A gradient keeps what every call computes: that doubles whatever passes do.
    ends(&dir, 3000, 60, "grad p.tfir -o out.tfir", &["E0720"]);
    ends(&dir, 1500, 60, "grad p.tfir --run -i x=0.5 --max-memory 200M", &["E0715"]);
    // What is doubled 15 times is too much to be written out where it is called, and runs.
    let dir = folder("doubling_15", &doubling(15, "call"));
    let on = |b: &str| value(&ends(&dir, 3000, 60, &format!("run p.tfir -i x=0.5 --backend {b}"), &[]));
    let (cpu, interp) = (on("cpu"), on("interp"));
    assert!((cpu - interp).abs() <= 1e-12, "cpu {cpu}, interp {interp}");
}

#[test]
fn nested_checkpoints_are_planned_once() {
    let dir = folder("checkpoints", &doubling(12, "checkpoint"));
    ends(&dir, 400, 20, "compile p.tfir --emit plan", &[]);
    let dir = folder("checkpoints_16", &doubling(16, "checkpoint"));
    ends(&dir, 400, 20, "compile p.tfir --emit plan", &[]);
    ends(&dir, 400, 20, "grad p.tfir --check", &[]);
    let dir = folder("checkpoints_40", &doubling(40, "checkpoint"));
    ends(&dir, 400, 20, "compile p.tfir --emit plan", &[]);
    ends(&dir, 400, 20, "grad p.tfir", &[]);
}

/// A long chain of calls, through every command; tests of their own, which run beside each other.
fn deep_calls_end(name: &str, body: impl Fn(&str) -> String) {
    let deep = std::env::var("TFC_DEEP").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let dir = folder(&format!("deep_{name}"), &chain(deep, body));
    for line in [
        "check p.tfir",
        "opt p.tfir -o out.tfir",
        "opt p.tfir -p verify,cse,dce,simplify -o out.tfir",
        "compile p.tfir -O0 --emit plan=out.txt",
        "compile p.tfir -O1 --emit plan=out.txt",
        "compile p.tfir --emit tfir=out.tfir",
        "run p.tfir -i x=0.5 --timeout 5",
        "run p.tfir -i x=0.5 --timeout 5 --backend interp",
        "grad p.tfir -o out.tfir",
        "grad p.tfir --mode jvp -o out.tfir",
        "grad p.tfir --mode hvp -o out.tfir",
        "grad p.tfir --mode transpose -o out.tfir",
        "grad p.tfir --run -i x=0.5 --timeout 5",
    ] {
        ends(&dir, 3000, 120, line, &["E0714", "E0715", "E0719", "E0720"]);
    }
    if ["plain", "work"].contains(&name) {
        ends(&dir, 1000, 60, "run p.tfir -i x=0.5", &[]);
        ends(&dir, 1000, 60, "grad p.tfir --run -i x=0.5", &[]);
    }
}
#[test]
fn deep_plain_calls_end() {
    deep_calls_end("plain", |f| format!("  %y = call({f}, %x)\n"));
}
#[test]
fn deep_calls_with_work_end() {
    deep_calls_end("work", |f| format!("  %a = sin(%x)\n  %y = call({f}, %a)\n"));
}
#[test]
fn deep_calls_in_branches_end() {
    deep_calls_end("branch", |f| {
        format!(
            "  %p = lt(%x, %x)\n  %y = cond(%p) {{\n    then() {{\n      %a = call({f}, %x)\n      yield %a\n    }}\n    \
             else() {{\n      yield %x\n    }}\n  }}\n"
        )
    });
}
#[test]
fn deep_checkpoints_end() {
    deep_calls_end("kept", |f| format!("  %y = checkpoint({f}, %x)\n"));
}
#[test]
fn deep_calls_and_checkpoints_end() {
    deep_calls_end("twice", |f| format!("  %a = call({f}, %x)\n  %y = checkpoint({f}, %a)\n"));
}
