//! Generated programs of calls, nested and in branches, whose extents are equal, are not, or may be: numbers, symbols and
//! what values decide. No pass may refuse what `check` accepts; what runs as written runs optimised, and fails where it
//! fails.
use std::fmt::Write as _;
use std::path::Path;
use tfc_ir::OpSet;
use tfc_testkit::Rng;

/// A statement that asks something of the extents of `%a: f64[l]` and `%b: f64[m]` and gives `%c`.
const ASKS: [&str; 7] = [
    "%c = add(%a, %b)",
    "%c = add(%b, %a)",
    "guard() where l == m\n  %c = add(%a, %b)",
    "%two: f64[2] = const(splat = 0.5)\n  %c = mul(%a, %two)",
    "%two: f64[2] = const(splat = 0.5)\n  %t = mul(%two, %b)\n  %c = sub(%t, %a)",
    "guard() where l <= m\n  %z: f64[] = const(0.0)\n  %c = pad(%a, %z, low = [0], high = shape[m - l])",
    "%c = slice(%a, start = [0], limit = shape[m])",
];
/// `@f0` asks; each further one calls one before it, in a branch or not; `@main` calls some.
fn program(seed: u64) -> String {
    let mut g = Rng::new(seed);
    let mut text = String::from("tfir 1.0\n");
    let functions = 2 + g.below(4);
    for i in 0..functions {
        let asks = g.one_of(&ASKS);
        let _ = write!(text, "func @f{i}<l, m>(%a: f64[l], %b: f64[m], %p: bool[]) -> (s: f64[]) {{\n  ");
        if i == 0 || g.below(3) == 0 {
            let _ = writeln!(text, "{asks}\n  %r = reduce_sum(%c, axes = [0])\n  %s = sin(%r)");
        } else {
            let callee = g.below(i);
            let (x, y) = (g.one_of(&["a", "b"]), g.one_of(&["a", "b"]));
            let call = format!("call(@f{callee}, %{x}, %{y}, %p)");
            let _ = match g.below(3) {
                0 => writeln!(text, "%s = {call}"),
                1 => writeln!(text, "%r = {call}\n  %s = cos(%r)"),
                _ => writeln!(
                    text,
                    "%s = cond(%p) {{\n    then() {{\n      %r = {call}\n      yield %r\n    }}\n    else() {{\n      \
                     %q = reduce_sum(%a, axes = [0])\n      yield %q\n    }}\n  }}"
                ),
            };
        }
        text.push_str("  return %s\n}\n");
    }
    text.push_str(
        "export func @main<n>(%x: f64[3], %y: f64[2], %z: f64[n], %p: bool[]) -> (s: f64[]) {\n  %o: f64[n] = const(splat = 0.0)\n  \
         %g = gt(%z, %o)\n  %v: f64[?v] = compress(%z, %g, axis = 0)\n  %w: f64[?w] = compress(%z, %g, axis = 0)\n",
    );
    let mut sum = String::new();
    for k in 0..1 + g.below(3) {
        let (f, x, y) =
            (g.below(functions), g.one_of(&["x", "y", "z", "v", "w"]), g.one_of(&["x", "y", "z", "v", "w"]));
        if g.below(2) == 0 {
            let _ = writeln!(text, "  %c{k} = call(@f{f}, %{x}, %{y}, %p)");
        } else {
            let _ = writeln!(
                text,
                "  %c{k} = cond(%p) {{\n    then() {{\n      %r = call(@f{f}, %{x}, %{y}, %p)\n      yield %r\n    }}\n    else() \
                 {{\n      %r = reduce_sum(%y, axes = [0])\n      yield %r\n    }}\n  }}"
            );
        }
        sum = if k == 0 { "%c0".into() } else { format!("%s{k}") };
        if k > 0 {
            let before = if k == 1 { "%c0".into() } else { format!("%s{}", k - 1) };
            let _ = writeln!(text, "  {sum} = add({before}, %c{k})");
        }
    }
    let _ = writeln!(text, "  return {sum}\n}}");
    text
}
fn walk(seeds: std::ops::Range<u64>) {
    let runner = tfc::runner(OpSet::core(), tfc::Kernels::default());
    let (mut ran, mut failed, mut all) = (0, 0, 0);
    for seed in seeds {
        let text = program(seed);
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("calls-{seed}.tfir"));
        std::fs::write(&file, &text).unwrap();
        let about = |words: &[&str], said: &str| format!("seed {seed}, {}: {said}\n{text}", words.join(" "));
        let (code, _, said) = runner.tell(&["check"], &file).unwrap();
        assert!(code == 0, "{}", about(&["check"], &said));
        for words in [
            &["compile", "-O0"] as &[&str],
            &["compile", "-O1"],
            &["compile", "-O2"],
            &["compile", "--bind", "n=3"],
            &["compile", "--bind", "n=2"],
            &["opt"],
            &["grad", "--mode", "vjp", "--wrt", "x,y,z"],
            &["grad", "--mode", "jvp", "--wrt", "z"],
            &["grad", "--mode", "hvp", "--wrt", "y"],
        ] {
            let words = [words, &["--verify-roundtrip"]].concat();
            let (code, _, said) = runner.tell(&words, &file).unwrap();
            assert!(code == 0, "{}", about(&words, &said));
        }
        for (z, p) in [("[1, 2]", "true"), ("[1, 2, 3]", "true"), ("[1, -2, 3]", "false"), ("[]", "true")] {
            let input = [format!("z={z}"), format!("p={p}")];
            let run = |backend: &'static str| {
                let words = [
                    "run",
                    "-q",
                    "--backend",
                    backend,
                    "-i",
                    "x=[1, 2, 3]",
                    "-i",
                    "y=[4, 5]",
                    "-i",
                    &input[0],
                    "-i",
                    &input[1],
                ];
                runner.tell(&words, &file).unwrap()
            };
            let (written, optimised) = (run("interp"), run("cpu"));
            // Which of several conditions fails first is not said.
            let code = |said: &str| said.split(['[', ']']).nth(1).map(str::to_owned);
            let same = written.0 == optimised.0 && code(&written.2) == code(&optimised.2);
            assert!(same, "{}\n{}", about(&input.each_ref().map(|s| s.as_str()), &written.2), optimised.2);
            assert!(matches!(written.0, 0 | 3), "{}", about(&["run"], &written.2));
            ran += usize::from(written.0 == 0);
            failed += usize::from(written.0 == 3);
            all += 1;
        }
        std::fs::remove_file(&file).unwrap();
    }
    assert!(ran * 10 > all && failed * 10 > all, "{ran} ran, {failed} failed of {all}: says little");
}
#[test]
fn calls_that_may_not_fit() {
    walk(0..60);
}
#[test]
#[ignore = "minutes; the same with other seeds"]
fn calls_that_may_not_fit_at_length() {
    walk(60..5000);
}
