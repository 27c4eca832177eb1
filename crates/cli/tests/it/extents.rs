//! What is said about extents: the two binders that may differ, the places that a condition comes from, the axis that does
//! not fit, the statement that would need a negative size; and the answers of truncation where its arguments are unusual.
use crate::common::{Ran, command, folder};
use std::fs;
use std::path::PathBuf;

/// A program in a folder of its own.
struct Program(PathBuf);
impl Program {
    fn new(name: &str, text: &str) -> Program {
        Program(folder(&format!("extents-{name}"), text))
    }
    fn tfc(&self, args: &[&str]) -> Ran {
        Ran::of(args.join(" "), command(&self.0, args).output().unwrap())
    }
}
/// `text` has the line `line` and right below it one with exactly these characters underlined.
#[track_caller]
fn underlined(text: &str, line: &str, word: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|l| l.ends_with(line)).unwrap_or_else(|| panic!("`{line}` is not shown:\n{text}"));
    let start = lines[at].rfind(line).unwrap() + line.find(word).unwrap();
    let below = lines.get(at + 1).and_then(|l| l.get(start..start + word.len()));
    assert!(below.is_some_and(|b| b.bytes().all(|c| c == b'^' || c == b'-')), "`{word}` is not underlined:\n{text}");
}

#[test]
fn value_dependent_extents_that_differ_are_an_error_with_both_binders() {
    let p = Program::new(
        "binders",
        "\
tfir 1.0
func @f<n>(%x: f64[n], %j: i64[], %tol: f64[], %m: f64[n, n]) -> f64[] {
  extent(%j, shape[?r]) where ?r <= n
  %a: f64[?r] = take_prefix(%x, axis = 0)
  %u, %s: f64[?q], %v = linalg.svd_trunc(%m, %tol)
  %c = add(%a, %s)
  %y = reduce_sum(%a, axes = [0])
  return %y
}
",
    );
    let r = p.tfc(&["check", "p.tfir"]);
    let e = r.error(1);
    assert!(e.starts_with("error[E0404]: operands 0 and 1, axis 0: ?r and ?q are not known to be equal\n"), "{e}");
    assert!(e.contains("--> p.tfir:6:"), "{e}");
    underlined(e, "  extent(%j, shape[?r]) where ?r <= n", "?r");
    underlined(e, "  %u, %s: f64[?q], %v = linalg.svd_trunc(%m, %tol)", "?q");
    assert!(e.contains("?r is bound here") && e.contains("?q is bound here"), "{e}");
    let help = "add `guard() where ?r == ?q` before this statement, or cut both with one `extent`";
    assert!(e.contains(help), "{e}");
    // The advice works.
    let text = fs::read_to_string(p.0.join("p.tfir")).unwrap();
    fs::write(p.0.join("p.tfir"), text.replace("  %c =", "  guard() where ?r == ?q\n  %c =")).unwrap();
    p.tfc(&["check", "p.tfir"]).ok();
}

#[test]
fn headers_that_cannot_work_say_what_they_need() {
    let p = Program::new("square", "tfir 1.0\nexport func @f<n>(%x: f64[n*n]) -> f64[n*n] {\n  return %x\n}\n");
    let r = p.tfc(&["check", "p.tfir"]);
    let e = r.error(1);
    assert!(e.starts_with("error[E0415]: extent `n` of @f does not follow from its arguments\n"), "{e}");
    assert!(e.contains("some argument needs a plain `n` as an extent"), "{e}");
    assert!(e.contains("--> p.tfir:2:16"), "{e}");
    let p = Program::new("never", "tfir 1.0\nfunc @f<n>(%x: f64[n]) -> () where n >= 5, n <= 3 {\n  return\n}\n");
    let r = p.tfc(&["check", "p.tfir"]);
    assert!(r.error(1).starts_with("error[E0414]: `where n >= 5, n <= 3` can never hold\n"), "{}", r.err);
}

#[test]
fn arguments_that_do_not_fit_are_named_with_axis_and_values() {
    let p = Program::new(
        "arguments",
        "\
tfir 1.0
export func @f<m, n>(%x: f64[m, 2*n]) -> f64[m, n] {
  %y = slice(%x, start = [0, 0], limit = shape[m, n])
  return %y
}
export func @g<n>(%x: f64[n]) -> f64[n - 5] {
  %z = neg(%x)
  %y = slice(%z, start = [0], limit = shape[n - 5])
  return %y
}
export func @h<n>(%x: f64[n]) -> f64[n - 5] {
  %y: f64[n - 5] = iota(axis = 0)
  return %y
}
",
    );
    for backend in ["interp", "cpu"] {
        let run = |entry: &str, x: &str| p.tfc(&["run", "p.tfir", "--entry", entry, "-i", x, "--backend", backend]);
        let r = run("f", "x=[[1,2,3,4,5],[6,7,8,9,10]]");
        assert!(r.error(3).contains("%x axis 1 has extent 5, but 2*n needs an even number"), "{}", r.err);
        assert!(run("f", "x=[[1,2],[3,4]]").ok().contains('3'));
        let r = run("g", "x=[1,2,3]");
        let e = r.error(3);
        assert!(e.contains("`0 <= n - 5` does not hold: n = 3") && e.contains("p.tfir:8:3"), "{e}");
        underlined(
            e,
            "  %y = slice(%z, start = [0], limit = shape[n - 5])",
            "slice(%z, start = [0], limit = shape[n - 5])",
        );
        let r = run("h", "x=[1,2,3]");
        let e = r.error(3);
        assert!(e.contains("extent n - 5 is -2") && e.contains("n = 3") && e.contains("p.tfir:12:3"), "{e}");
    }
}

#[test]
fn conditions_left_to_run_time_are_listed_with_the_places_they_come_from() {
    let text = "\
tfir 1.0
func @f<m, n>(%x: f64[m], %y: f64[n]) -> f64[m] {
  %z = add(%x, %y)
  %w = slice(%y, start = [0], limit = [2])
  return %z
}
";
    let p = Program::new("guards", text);
    let r = p.tfc(&["check", "--guards", "p.tfir"]);
    assert_eq!(
        r.ok(),
        "p.tfir:3:3: m == n (operands 0 and 1, axis 0): m is an extent of %x (2:15), n is an extent of %y (2:27)\n\
         p.tfir:4:3: 2 <= n (axis 0): n is an extent of %y (2:27)\n"
    );
    let r = p.tfc(&["check", "--strict-shapes", "p.tfir"]);
    let e = r.error(1);
    assert_eq!(e.matches("error[E0430]").count(), 2, "{e}");
    assert!(e.contains("checked only at run time: m == n (operands 0 and 1, axis 0)"), "{e}");
    assert!(e.contains("m is an extent of %x") && e.contains("n is an extent of %y"), "{e}");
    underlined(e, "func @f<m, n>(%x: f64[m], %y: f64[n]) -> f64[m] {", "%x: f64[m]");
    underlined(e, "func @f<m, n>(%x: f64[m], %y: f64[n]) -> f64[m] {", "%y: f64[n]");
    let stated = text.replace("f64[m] {", "f64[m] where m == n, n >= 2 {");
    fs::write(p.0.join("p.tfir"), stated).unwrap();
    assert_eq!(p.tfc(&["check", "--guards", "--strict-shapes", "p.tfir"]).ok(), "");
}

#[test]
fn truncation_has_an_answer_to_unusual_arguments() {
    let p = Program::new(
        "truncation",
        "\
tfir 1.0
export func @f<m, n>(%a: f64[m, n], %tol: f64[]) -> (s: f64[?r], rank: i64[]) {
  %u, %s: f64[?r], %v = linalg.svd_trunc(%a, %tol)
  %rank = dim_value(shape[?r])
  return %s, %rank
}
",
    );
    for backend in ["interp", "cpu"] {
        let run = |a: &str, tol: &str, bind: &[&str]| {
            let (a, tol) = (format!("a={a}"), format!("tol={tol}"));
            let args = ["run", "p.tfir", "-i", &a, "-i", &tol, "--backend", backend];
            p.tfc(&[&args, bind].concat()).ok().to_owned()
        };
        assert!(run("[[8,0],[0,4]]", "nan", &[]).contains("rank = 1"), "a NaN tolerance keeps `min_rank`");
        assert!(run("zeros", "0.1", &["--bind", "m=3", "--bind", "n=0"]).contains("rank = 0"), "an empty matrix");
        assert!(run("[[0,0],[0,0]]", "0.1", &[]).contains("rank = 1"), "a zero matrix keeps `min_rank`");
    }
    let bad = fs::read_to_string(p.0.join("p.tfir")).unwrap().replace("%tol)\n", "%tol, max_rank = 2, min_rank = 3)\n");
    fs::write(p.0.join("p.tfir"), bad).unwrap();
    let r = p.tfc(&["check", "p.tfir"]);
    assert!(r.error(1).contains("E0403") && r.err.contains("min_rank"), "{}", r.err);
}
