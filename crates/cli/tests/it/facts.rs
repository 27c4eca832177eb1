//! What discharges a check outlives it. Each program here holds a statement that says a fact, which is false for the arguments
//! and which nothing else uses, so that `dce` may drop it, and another that reads or writes past the end unless the fact
//! holds. For every source of facts, every consumer and every place where the two may stand, by `jit` and one of the other engines in turn:
//! the program fails, as it does by `interp`, and with arguments for which the fact holds it gives what `interp` gives.

use crate::common::{command, empty};
use std::path::Path;

/// What says that `n` is at least 4, of `%x: f64[n]`, `%m: bool[n]` and `%k: i64[]`: a name, functions, statements.
const SOURCES: &[(&str, &str, &str)] = &[
    ("extent", "", "extent(%k, shape[?r]) where ?r >= 4, ?r <= n"),
    (
        "constant extent",
        "",
        "%seven: i64[] = const(7)\nextent(%seven, shape[?r]) where ?r >= 4, ?r <= n + 3, ?r <= 2*n - 1",
    ),
    (
        "compress",
        "",
        "%h: f64[n - 4] = slice(%x, start = [4], limit = shape[n])\n\
         %g: bool[n - 4] = slice(%m, start = [4], limit = shape[n])\n\
         %c: f64[?r] = compress(%h, %g)",
    ),
    (
        "unique",
        "",
        "%h: f64[n - 4] = slice(%x, start = [4], limit = shape[n])\n\
         %un: f64[?r], %ui: i64[n - 4], %uc: i64[?r] = unique(%h)",
    ),
    (
        "nonzero",
        "",
        "%h: f64[n - 4] = slice(%x, start = [4], limit = shape[n])\n\
         %nz: i64[?r] = nonzero(%h)",
    ),
    (
        "svd_trunc",
        "",
        "%h: f64[n - 4] = slice(%x, start = [4], limit = shape[n])\n\
         %hh: f64[n - 4, 2] = broadcast_in_dim(%h, dims = [0])\n\
         %tol: f64[] = const(0.5)\n\
         %us: f64[n - 4, ?r], %ss: f64[?r], %vs: f64[?r, 2] = linalg.svd_trunc(%hh, %tol)",
    ),
    (
        "max_trips",
        "",
        "%z: i64[] = const(0)\n\
         %lt: i64[], %ks: i64[?t] = while(%z, max_trips = shape[n - 4]) {\n\
           cond(%wc: i64[]) {\n%wp: bool[] = lt(%wc, %k)\nyield %wp\n}\n\
           body(%wc: i64[]) {\n%wo: i64[] = const(1)\n%wd: i64[] = add(%wc, %wo)\nyield %wd, %wc\n}\n\
         }",
    ),
    (
        "where of a region",
        "",
        "%z: i64[] = const(0)\n%one: f64[] = const(1.0)\nextent(%k, shape[?r])\n\
         %s: f64[?r] = broadcast_in_dim(%one, dims = [])\n\
         %a: f64[?q], %e: i64[] = while(%s, %z) {\n\
           cond(%wc: f64[?i], %wj: i64[]) where ?i <= n - 4 {\n%wp: bool[] = lt(%wj, %k)\nyield %wp\n}\n\
           body(%wc: f64[?i], %wj: i64[]) where ?i <= n - 4 {\n%wo: i64[] = const(1)\n%wd: i64[] = add(%wj, %wo)\nyield %wc, %wd\n}\n\
         }",
    ),
    (
        "claim",
        "",
        "%z: i64[] = const(0)\n%one: f64[] = const(1.0)\nextent(%k, shape[?r])\n\
         %s: f64[?r] = broadcast_in_dim(%one, dims = [])\n\
         %a: f64[n - 4], %e: i64[] = while(%s, %z) {\n\
           cond(%wc: f64[?i], %wj: i64[]) where ?i >= 0 {\n%wp: bool[] = lt(%wj, %k)\nyield %wp\n}\n\
           body(%wc: f64[?i], %wj: i64[]) where ?i >= 0 {\n%wo: i64[] = const(1)\n%wd: i64[] = add(%wj, %wo)\nyield %wc, %wd\n}\n\
         }",
    ),
    (
        "result of a call",
        "func @tool<n>(%x: f64[n], %k: i64[]) -> (y: f64[?r]) where ?r >= 4, ?r <= n {\n\
           extent(%k, shape[?r]) where ?r >= 4, ?r <= n\n\
           %y: f64[?r] = take_prefix(%x, axis = 0)\n\
           return %y\n\
         }\n",
        "%t: f64[?r] = call(@tool, %x, %k)",
    ),
    (
        "where of a callee",
        "func @tool<n>(%x: f64[n]) -> (y: f64[n]) where n >= 4 {\n\
           %y: f64[n] = sin(%x)\n\
           return %y\n\
         }\n",
        "extent(%k, shape[?r]) where ?r >= 4, ?r <= n\n%t: f64[n] = call(@tool, %x)",
    ),
    (
        "branches",
        "",
        "%h: f64[n - 4] = slice(%x, start = [4], limit = shape[n])\n\
         %p0: bool[] = eq(%k, %k)\n\
         %b: f64[?r] = cond(%p0) {\nthen() {\nyield %h\n}\nelse() {\n%e0: f64[0] = const(splat = 0.0)\nyield %e0\n}\n} where ?r <= n",
    ),
];
/// What needs at least 4 elements of `%v: f64[n]`, and gives `%l: f64[]`.
const CONSUMERS: &[(&str, &str)] = &[
    (
        "write",
        "%u: f64[4] = const(splat = 7.0)\n%y: f64[n] = dynamic_update_slice(%v, %u, %k)\n%l: f64[] = reduce_sum(%y, axes = [0])",
    ),
    ("read", "%y: f64[4] = dynamic_slice(%v, %k, sizes = [4])\n%l: f64[] = reduce_sum(%y, axes = [0])"),
    (
        "slice",
        "%y: f64[2] = slice(%v, start = [2], limit = [4])\n%ys: f64[2] = sin(%y)\n%l: f64[] = reduce_sum(%ys, axes = [0])",
    ),
    ("prefix", "%y: f64[4] = take_prefix(%v, axis = 0)\n%l: f64[] = reduce_sum(%y, axes = [0])"),
    ("greatest", "%y: f64[4], %yi: i64[4] = top_k(%v, k = 4)\n%l: f64[] = reduce_sum(%y, axes = [0])"),
];
/// Where the two stand: a name, then a function of source and consumer that gives functions and the body of `@main`.
type Place = (&'static str, fn(&str, &str) -> (String, String));
const PLACES: &[Place] = &[
    ("side by side", |s, c| (String::new(), format!("{s}\n{c}\nreturn %l"))),
    ("consumer in a branch", |s, c| {
        let text = format!(
            "%p: bool[] = eq(%k, %k)\n{s}\n%r0: f64[] = cond(%p) {{\nthen() {{\n{c}\nyield %l\n}}\nelse() {{\nyield %w\n}}\n}}\nreturn %r0"
        );
        (String::new(), text)
    }),
    ("both in a branch", |s, c| {
        let text = format!(
            "%p: bool[] = eq(%k, %k)\n%r0: f64[] = cond(%p) {{\nthen() {{\n{s}\n{c}\nyield %l\n}}\nelse() {{\nyield %w\n}}\n}}\nreturn %r0"
        );
        (String::new(), text)
    }),
    ("consumer in a loop", |s, c| {
        let text = format!(
            "{s}\n%r0: f64[] = scan(%w, carry = 1, length = 3) {{\nbody(%acc: f64[]) {{\n{c}\n%more: f64[] = add(%acc, %l)\nyield %more\n}}\n}}\nreturn %r0"
        );
        (String::new(), text)
    }),
    ("both in a loop", |s, c| {
        let text = format!(
            "%r0: f64[] = scan(%w, carry = 1, length = 3) {{\nbody(%acc: f64[]) {{\n{s}\n{c}\n%more: f64[] = add(%acc, %l)\nyield %more\n}}\n}}\nreturn %r0"
        );
        (String::new(), text)
    }),
    ("consumer in a callee", |s, c| {
        let f = format!(
            "func @use<n>(%v: f64[n], %w: f64[], %k: i64[]) -> (l: f64[]) where n >= 4 {{\n{c}\nreturn %l\n}}\n"
        );
        (f, format!("{s}\n%r0: f64[] = call(@use, %v, %w, %k)\nreturn %r0"))
    }),
    ("both in a callee", |s, c| {
        let f = format!(
            "func @use<n>(%x: f64[n], %v: f64[n], %w: f64[], %m: bool[n], %k: i64[]) -> (l: f64[]) {{\n{s}\n{c}\nreturn %l\n}}\n"
        );
        (f, "%r0: f64[] = call(@use, %x, %v, %w, %m, %k)\nreturn %r0".into())
    }),
    ("both in a checkpoint", |s, c| {
        let f = format!(
            "func @use<n>(%x: f64[n], %v: f64[n], %w: f64[], %m: bool[n], %k: i64[]) -> (l: f64[]) {{\n{s}\n{c}\nreturn %l\n}}\n"
        );
        (f, "%r0: f64[] = checkpoint(@use, %x, %v, %w, %m, %k)\nreturn %r0".into())
    }),
];
const HEAD: &str = "<n>(%x: f64[n], %v: f64[n], %w: f64[], %m: bool[n], %k: i64[]) -> (l: f64[])";

/// The program of one case; with `batch`, of many vectors `%v`.
fn program(source: usize, consumer: usize, place: usize, batch: bool) -> String {
    let (_, functions, lines) = SOURCES[source];
    let (own, body) = PLACES[place].1(lines, CONSUMERS[consumer].1);
    let (export, with) = if batch { ("", " with (batch = [none, 0, none, none, none])") } else { ("export ", "") };
    format!("tfir 1.0\n{functions}{own}{export}func @main{HEAD}{with} {{\n{body}\n}}\n")
}
fn run(dir: &Path, engine: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let mut c = command(dir, args);
    if engine != "interp" {
        c.env("TFC_CPU", engine);
    }
    let o = c.output().expect("tfc runs");
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    (o.status.code(), text(&o.stdout), text(&o.stderr))
}
/// Arguments for which the fact does not hold, or does.
const FALSE: &[&str] = &["-i", "x=[0.5]", "-i", "w=0.25", "-i", "m=[true]", "-i", "k=2"];
const TRUE: &[&str] = &["-i", "x=[1, 2, 3, 4, 5, 6, 7, 8]", "-i", "w=0.25", "-i", "m=ones", "-i", "k=4"];

fn walk(part: usize) {
    let dir = empty(&format!("facts-{part}"));
    let mut engines = ["tape", "avx2", "scalar"].iter().cycle();
    let (mut faults, mut cases) = (vec![], 0);
    for (s, c, p) in all().skip(part).step_by(2) {
        let name = format!("{}, {}, {}", SOURCES[s].0, CONSUMERS[c].0, PLACES[p].0);
        let text = program(s, c, p, false);
        std::fs::write(dir.join("p.tfir"), &text).expect("written");
        std::fs::write(dir.join("b.tfir"), program(s, c, p, true)).expect("written");
        let other = *engines.next().expect("cycles");
        let mut judge = |what: &str, got: (Option<i32>, String, String), right: &dyn Fn(&str) -> bool, code: i32| {
            cases += 1;
            if got.0 != Some(code) || !right(&got.1) {
                faults.push(format!("{name}: {what}: {:?} {}{}", got.0, got.1, got.2));
            }
        };
        let short = ["-i", "v=[0.25]"];
        let args = |head: &[&'static str], rest: &[&'static str]| [head, rest].concat();
        let failing = args(&short, FALSE);
        let by = |engine: &str, head: &[&str], rest: &[&str]| {
            let backend = if engine == "interp" { &["--backend", "interp"][..] } else { &[] };
            run(&dir, engine, &[head, backend, rest].concat())
        };
        let any = |_: &str| true;
        judge("interp", by("interp", &["run", "-q", "p.tfir"], &failing), &any, 3);
        for engine in ["jit", other] {
            judge(engine, by(engine, &["run", "-q", "p.tfir"], &failing), &any, 3);
        }
        let without = run(&dir, "jit", &["opt", "-p", "dce", "p.tfir"]);
        std::fs::write(dir.join("dce.tfir"), &without.1).expect("written");
        judge("after dce", by(other, &["run", "-q", "dce.tfir"], &failing), &any, 3);
        let grad = ["grad", "-q", "--mode", "value-and-grad", "--wrt", "v", "--run", "p.tfir"];
        judge("gradient", by("jit", &grad, &failing), &any, 3);
        let batched = run(&dir, "jit", &["opt", "-p", "batch", "b.tfir"]);
        if batched.0 == Some(0) {
            std::fs::write(dir.join("many.tfir"), &batched.1).expect("written");
            let many = args(&["-i", "v=[[0.25], [0.5]]", "--entry", "main.batch"], FALSE);
            judge("batched", by("jit", &["run", "-q", "many.tfir"], &many), &any, 3);
        } else {
            judge("batched", batched, &any, 0);
        }
        let holds = args(&["-i", "v=[1, 2, 3, 4, 5, 6, 7, 8]"], TRUE);
        let want = by("interp", &["run", "-q", "p.tfir"], &holds);
        judge("interp, where it holds", want.clone(), &any, 0);
        judge("where it holds", by(other, &["run", "-q", "p.tfir"], &holds), &|out| out == want.1, 0);
    }
    assert!(faults.is_empty(), "{} faults of {cases}:\n{}", faults.len(), faults.join("\n"));
    assert!(cases > 1000, "{cases}");
}
fn all() -> impl Iterator<Item = (usize, usize, usize)> {
    let pairs = (0..SOURCES.len()).flat_map(|s| (0..CONSUMERS.len()).map(move |c| (s, c)));
    pairs.flat_map(|(s, c)| (0..PLACES.len()).map(move |p| (s, c, p)))
}
#[test]
fn outlive_their_statements() {
    walk(0);
}
#[test]
fn outlive_their_statements_too() {
    walk(1);
}
