//! Bad input: a diagnostic at the place, the exit code of its kind, never a panic, nothing half-written.
//!
//! | input | test |
//! |---|---|
//! | empty file; BOM; NUL; invalid UTF-8; bidi controls | `bytes_that_are_no_program` |
//! | unterminated string; bad escape; `1..2`, `1e`, `0x`; an integer of 400 digits | `tokens` |
//! | missing or newer header; missing terminator; `yield` in a function; statement after `return`; operand after attribute | `form` |
//! | 10⁶ nested `[`; 10⁶ terms in an extent; regions nested 10⁴ deep; a long line; many errors | `size_is_no_weapon` |
//! | duplicate function; undefined, reused, out-of-scope value; unknown op; recursion; undeclared extent | `names` |
//! | wrong arity; unknown, duplicate, missing, wrong-kind attribute; axis out of range, negative, repeated | `arguments` |
//! | dtype mismatch; ordering on complex; written type ≠ inferred; constant count ≠ shape; reshape of unequal size | `types` |
//! | unsatisfiable or unsolvable `where`; extent overflow; division by zero in an extent; wrong number of extent arguments | `extents` |
//! | negative extent at run time; failed guards; trips over `max_trips` | `extents_at_run_time`, `trips` |
//! | missing input file; wrong dtype, rank or extent of an input; malformed literals and specs | `inputs` |
//! | truncated npy; npy header of 2⁶³ elements; other malformed data files | `data_files` |
//! | checksum mismatch; `..`, absolute paths and links out in a data path; wrong shape of data | `declared_data` |
//! | out of memory limit; time and step limits | `limits` |
//! | gradient of a non-scalar, of an integer input, through an op without a rule | `gradients` |
//! | unknown backend; backends of other builds | `backends` |
//! | closed stdout; full or read-only output; unwritable `-o`; `-o` equal to an input | `outputs` |
use crate::common::{Ran, command, empty};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that is removed when the test ends, and the program run in it.
struct Place(PathBuf);
impl Place {
    fn new(name: &str) -> Place {
        Place(empty(&format!("bad-{name}-{}", std::process::id())))
    }
    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), bytes).unwrap();
    }
    fn command(&self, args: &[&str]) -> Command {
        let mut c = command(&self.0, args);
        c.env("TMPDIR", &self.0);
        c
    }
    /// Runs a command line split at spaces.
    #[track_caller]
    fn tfc(&self, line: &str) -> Ran {
        self.args(&line.split_whitespace().collect::<Vec<_>>())
    }
    #[track_caller]
    fn args(&self, args: &[&str]) -> Ran {
        let before = self.names();
        let ran = sound(args.join(" "), self.command(args).output().unwrap());
        if ran.code != 0 {
            assert_eq!(self.names(), before, "`{}` fails and leaves files behind", ran.line);
        }
        ran
    }
    /// `tfc check` of a program.
    #[track_caller]
    fn check(&self, bytes: impl AsRef<[u8]>) -> Ran {
        self.write("p.tfir", bytes);
        self.tfc("check --error-format short p.tfir")
    }
    fn names(&self) -> Vec<String> {
        crate::common::names(&self.0)
    }
}
impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What it did, which was neither to die by a signal (overflowed stack, abort) nor to panic.
#[track_caller]
fn sound(line: String, o: Output) -> Ran {
    let ran = Ran::of(line, o);
    assert!(ran.code >= 0, "`{}` died", ran.line);
    assert!(!ran.err.contains("panicked") && ran.code != 101, "{}", ran.err);
    ran
}
/// A function of some parameters whose body are these lines; the first of them is line 3.
fn body(params: &str, lines: &str) -> String {
    format!("tfir 1.0\nfunc @f({params}) -> () {{\n{lines}\n  return\n}}\n")
}

#[test]
fn bytes_that_are_no_program() {
    let p = Place::new("bytes");
    let good = "tfir 1.0\nfunc @f() -> () {\n  return\n}\n";
    p.check(good).gives("");
    p.check("").says(&["1:1 E0108"]);
    p.check("\n\n").says(&["1:1 E0108"]);
    p.check("// a comment alone").says(&["1:1 E0108"]);
    p.check(format!("\u{feff}{good}")).says(&["1:1 E0002"]);
    p.check(good.replace("@f", "@\u{feff}f")).mentions(&["E0002", "p.tfir:2:7"]);
    p.check("tfir 1.0\nfunc @f() -> () {\n  ret\0urn\n}\n").mentions(&["p.tfir:3:6", "E0003", "U+0000"]);
    p.check("\0".repeat(100_000)).mentions(&["p.tfir:1:1", "E0003"]).fails(1, &[]);
    p.check(b"tfir 1.0\nfunc @f() -> () {\n  // \xff\n  return\n}\n").says(&["3:6 E0001"]);
    p.check(b"\xff\xfet\0f\0i\0r\0").says(&["1:1 E0001"]).mentions(&["UTF-8"]);
    p.check(b"tfir 1.0\n// \xe2\x82").says(&["2:4 E0001"]);
    // Surrogates and overlong forms are no UTF-8 either.
    p.check(b"tfir 1.0\n// \xed\xa0\x80\n").says(&["2:4 E0001"]);
    p.check(b"tfir 1.0\n// \xc0\xaf\n").says(&["2:4 E0001"]);
    for c in ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{200f}', '\u{061c}'] {
        p.check(format!("tfir 1.0\n// a {c} b\nfunc @f() -> () {{\n  return\n}}\n")).says(&["2:6 E0004"]);
        p.check(format!("tfir 1.0\nmodule @m(a = \"{c}\")\nfunc @f() -> () {{\n  return\n}}\n")).says(&["2:16 E0004"]);
    }
    p.check("tfir 1.0\rfunc @f() -> () {\r  return\r}\r").fails(1, &["p.tfir:1:9", "E0003"]);
    // A whole run of nonsense is one diagnostic a line at most, and ends.
    p.check("\u{1}".repeat(10_000)).fails(1, &["p.tfir:1:1"]);
}

#[test]
fn tokens() {
    let p = Place::new("tokens");
    p.check("tfir 1.0\nmodule @m(a = \"b)\nfunc @f() -> () {\n  return\n}\n").says(&["2:15 E0005"]);
    p.check("tfir 1.0\nmodule @m(a = \"b").says(&["2:15 E0005"]);
    p.check("tfir 1.0\nmodule @m(a = \"b\\").fails(1, &["p.tfir:2:15"]);
    p.check("tfir 1.0\nmodule @m(a = \"b\\qc\")\nfunc @f() -> () {\n  return\n}\n").says(&["2:17 E0006"]);
    p.check("tfir 1.0\nmodule @m(a = \"\\u0041\")\nfunc @f() -> () {\n  return\n}\n").says(&["2:16 E0006"]);
    for bad in ["1..2", "1e", "0x", "1e+", "1.5.2", "12abc", "0b101", "1_000", "0xg"] {
        p.check(body("", &format!("  %a = const({bad})"))).says(&["3:14 E0007"]);
    }
    p.check(body("", "  %a = const(.5)")).fails(1, &["p.tfir:3:14"]);
    p.check(body("", "  %a = const(--1)")).fails(1, &["p.tfir:3:1"]);
    let digits = "7".repeat(400);
    p.check(body("", &format!("  %a = const({digits})"))).says(&["3:14 E0011"]);
    p.check(body("", &format!("  %a: f64[{digits}] = iota(axis = 0)"))).says(&["3:11 E0011"]);
    p.check(body("%x: f64[2]", &format!("  %a = reverse(%x, axes = [{digits}])"))).says(&["3:28 E0011"]);
    // A float may be that long.
    p.check(body("", &format!("  %a: f64[] = const({digits})"))).says(&["3:21 E0011"]);
    p.check(body("", &format!("  %a: f64[] = const(0.{})", "3".repeat(100_000)))).gives("");
    p.check("tfir 99999999999999999999999.0\n").fails(1, &["p.tfir:1:6"]);
    p.check(body("", "  %a = const(1.0);")).says(&["3:18 E0008"]);
    p.check(body("", "  % = const(1.0)")).fails(1, &["p.tfir:3:3"]);
    p.check(body("", "  %å = const(1.0)")).fails(1, &["p.tfir:3:"]);
    p.check(body("", "  @f = const(1.0)")).fails(1, &["p.tfir:3:3"]);
}

#[test]
fn form() {
    let p = Place::new("form");
    p.check("func @f() -> () {\n  return\n}\n").says(&["1:1 E0101"]);
    p.check("// c\n  func @f() -> () {\n  return\n}\n").says(&["2:3 E0101"]);
    p.check("tfir 1.2\nfunky\n").says(&["1:6 E0102"]).mentions(&["tfir 1.2"]);
    p.check("tfir 2.0\n%%%\n").says(&["1:6 E0102"]).mentions(&["2.0"]);
    p.check("tfir\n").fails(1, &["p.tfir:1:", "E0109"]);
    p.check("tfir 0.9\n").fails(1, &["p.tfir:1:6"]);
    p.check("tfir 1.0\nfunc @f(%x: f64[]) -> f64[] {\n  %y = neg(%x)\n}\n").says(&["4:1 E0104"]);
    p.check("tfir 1.0\nfunc @f(%x: f64[]) -> f64[] {\n  yield %x\n}\n").says(&["3:3 E0105"]);
    p.check("tfir 1.0\nfunc @f(%x: f64[]) -> f64[] {\n  return %x\n  %y = neg(%x)\n}\n").says(&["4:3 E0106"]);
    p.check("tfir 1.0\nfunc @f(%x: f64[]) -> f64[] {\n  return %x\n").fails(1, &["E0110", "p.tfir:3:12"]);
    p.check("tfir 1.0\nfunc @f(%x: f64[]) -> f64[]").fails(1, &["p.tfir:2:28"]);
    p.check("tfir 1.0\nfunc").fails(1, &["p.tfir:2:5"]);
    p.check("tfir 1.0\n}\n").says(&["2:1 E0103"]);
    p.check(body("%x: f64[3]", "  %y = reduce_sum(axes = [0], %x)")).says(&["3:31 E0107"]);
    p.check(body("%x: f64[3]", "  %y = reduce_sum(%x, axes = [0]")).fails(1, &["p.tfir:3:33"]);
    p.check(body("%x: f64[3]", "  %y = reduce_sum(%x, axes = [0)")).fails(1, &["p.tfir:3:32"]);
    p.check(body("%x: f64[3]", "  %y = = neg(%x)")).says(&["3:8 E0103"]);
}

/// Quadratic work on any of these would not end; that some of them, smaller, take no more than linear work is counted in
/// instructions, by `tfc-counts`.
#[test]
fn size_is_no_weapon() {
    let p = Place::new("size");
    for open in ["[", "("] {
        p.check(body("", &format!("  %a = const({})", open.repeat(1_000_000)))).fails(1, &["p.tfir:3:", "E0009"]);
        let closed = format!("{}1{}", open.repeat(1_000_000), if open == "[" { "]" } else { ")" }.repeat(1_000_000));
        p.check(body("", &format!("  %a = const({closed})"))).fails(1, &["p.tfir:3:", "E0009"]);
        p.check(body("", &format!("  %a: f64[{closed}] = const(1.0)"))).fails(1, &["p.tfir:3:", "E0009"]);
    }
    let sum = vec!["1"; 1_000_000].join(" + ");
    p.check(body("%x: f64[3]", &format!("  %a: f64[{sum}] = neg(%x)")))
        .says(&["3:7 E0206"])
        .mentions(&["f64[1000000]", "f64[3]"]);
    let product = vec!["(n + m)"; 100_000].join("*");
    p.check(format!("tfir 1.0\nfunc @f<m, n>(%x: f64[{product}]) -> () {{\n  return\n}}\n"))
        .fails(1, &["p.tfir:2:23", "E0419"]);
    let calls = format!("{}n{}", "max(1, ".repeat(100_000), ")".repeat(100_000));
    p.check(format!("tfir 1.0\nfunc @f<n>(%x: f64[{calls}]) -> () {{\n  return\n}}\n"))
        .fails(1, &["p.tfir:2:", "E0009"]);
    let nested = |n: usize, end: &str| {
        let open = "  %a = cond(%p) {\n then() {\n".repeat(n);
        body("%p: bool[]", &format!("{open}{}", end.repeat(n)))
    };
    p.check(nested(10_000, "")).fails(1, &["p.tfir:", "E0010"]);
    p.check(nested(10_000, "yield\n}\n}\n")).fails(1, &["p.tfir:", "E0010"]);
    p.check("{".repeat(1_000_000)).fails(1, &["p.tfir:1:1"]);
    p.check(format!("tfir 1.0\n// {}\nfunc @f() -> () {{\n  return\n}}\n", "x".repeat(5_000_000))).gives("");
    let name = "a".repeat(1_000_000);
    p.check(body("", &format!("  %a = neg(%{name})"))).says(&["3:12 E0301"]);
    // The number of diagnostics shown is limited, and the rest is counted.
    let many = p.check(body("", &"  %a = neg(%zz)\n".repeat(20_000)));
    assert!(
        many.code == 1 && many.places().len() <= 200 && many.err.lines().count() < 1000,
        "{} diagnostics",
        many.places().len()
    );
    let wide: Vec<_> = (0..100_000).map(|i| format!("%a{i}: f64[]")).collect();
    p.check(format!("tfir 1.0\nfunc @f({}) -> () {{\n  return\n}}\n", wide.join(", "))).gives("");
}

#[test]
fn names() {
    let p = Place::new("names");
    p.check("tfir 1.0\nfunc @f() -> () {\n  return\n}\nfunc @f() -> () {\n  return\n}\n").says(&["5:6 E0306"]);
    p.check(body("%alpha: f64[]", "  %y = neg(%alpah)")).says(&["3:12 E0301"]);
    p.write("h.tfir", body("%alpha: f64[]", "  %y = neg(%alpah)"));
    p.tfc("check h.tfir").fails(1, &["did you mean `%alpha`", "3 |", "^^^^^^"]);
    p.check(body("%x: f64[]", "  %y = neg(%x)\n  %y = exp(%x)")).says(&["4:3 E0304"]);
    p.check(body("%x: f64[]", "  %x = neg(%x)")).says(&["3:3 E0304"]);
    let scope = "  %y = cond(%p) {\n    then() {\n      %i = neg(%x)\n      yield %i\n    }\n    else() {\n      yield %i\n    }\n  }";
    p.check(body("%p: bool[], %x: f64[]", scope)).says(&["9:13 E0303"]);
    p.check(body("%x: f64[3]", "  %y = reduce_sun(%x, axes = [0])")).says(&["3:8 E0217"]);
    p.write("h.tfir", body("%x: f64[3]", "  %y = reduce_sun(%x, axes = [0])"));
    p.tfc("check h.tfir").fails(1, &["did you mean `reduce_sum`", "^^^^^^^^^^"]);
    p.check(body("%x: f64[3]", "  %y: f64[3] = \"acme.op\"(%x)")).says(&["3:16 E0217"]);
    p.check("tfir 1.0\nfunc @f(%x: f64[]) -> f64[] {\n  %y: f64[] = call(@f, %x)\n  return %y\n}\n")
        .says(&["3:20 E0305"]);
    let circle = "tfir 1.0\nfunc @a(%x: f64[]) -> f64[] {\n  %y: f64[] = call(@b, %x)\n  return %y\n}\nfunc @b(%x: f64[]) -> f64[] {\n  %y: f64[] = grad(@a, %x, wrt = [0])\n  return %y\n}\n";
    p.check(circle).says(&["7:20 E0305"]).mentions(&["@a", "@b"]);
    p.check("tfir 1.0\nfunc @f<n>(%x: f64[n, m]) -> () {\n  return\n}\n").says(&["2:23 E0307"]);
    p.check(body("", "  %y: f64[] = call(@nowhere)")).says(&["3:20 E0302"]);
}

#[test]
fn arguments() {
    let p = Place::new("arguments");
    let one = |line: &str| p.check(body("%x: f64[2, 3]", &format!("  {line}")));
    one("%y = add(%x)").says(&["3:8 E0210"]).mentions(&["2 operands, not 1"]);
    one("%y = neg(%x, %x)").says(&["3:8 E0210"]);
    one("%y, %z = neg(%x)").says(&["3:12 E0211"]);
    one("%y = reduce_sum(%x, axis = [0])").says(&["3:23 E0220"]).mentions(&["axis"]);
    one("%y = reduce_sum(%x, axes = [0], axes = [1])").says(&["3:35 E0221"]);
    one("%y = transpose(%x)").says(&["3:8 E0222"]);
    one("%y = reduce_sum(%x, axes = 0)").says(&["3:30 E0223"]);
    one("%y = reduce_sum(%x, axes = [a])").fails(1, &["p.tfir:3:30", "E0223"]);
    one("%y = reduce_sum(%x, axes = [0.5])").fails(1, &["p.tfir:3:", "E0223"]);
    one("%y = reduce_sum(%x, axes = [2])").says(&["3:23 E0212"]).mentions(&["axis 2", "rank 2"]);
    one("%y = reduce_sum(%x, axes = [-1])").says(&["3:23 E0212"]).mentions(&["negative"]);
    one("%y = reduce_sum(%x, axes = [0, 0])").says(&["3:23 E0213"]);
    one("%y = transpose(%x, perm = [1])").says(&["3:22 E0228"]);
    one("%y = neg(%x, 1.0)").says(&["3:16 E0229"]);
}

#[test]
fn types() {
    let p = Place::new("types");
    let one =
        |line: &str| p.check(body("%x: f64[2, 3], %y: f32[2, 3], %z: c64[2, 3], %w: f64[3, 2]", &format!("  {line}")));
    one("%a = add(%x, %y)").says(&["3:16 E0202"]);
    one("%a = lt(%z, %z)").says(&["3:11 E0203"]);
    one("%a = max(%z, %z)").says(&["3:12 E0203"]);
    one("%a = reduce_max(%z, axes = [0])").says(&["3:19 E0203"]);
    one("%a = add(%x, %w)").says(&["3:16 E0204"]);
    one("%a: f64[3, 2] = neg(%x)").says(&["3:7 E0206"]);
    one("%a: f64[3] = const([1.0, 2.0])").says(&["3:7 E0206"]);
    one("%a: f64[2] = const(bytes = \"AAAAAAAA8D8=\")").says(&["3:22 E0225"]);
    one("%a: f64[7] = reshape(%x)").says(&["3:7 E0204"]);
    one("%a: f8e8m0fnu[2, 3] = convert(%x)").says(&["3:7 E0201"]);
    one("%a = reshape(%x)").says(&["3:8 E0207"]);
    p.check("tfir 1.0\nfunc @f(%x: f64[2]) -> f64[3] {\n  return %x\n}\n").says(&["3:10 E0208"]);
    p.check("tfir 1.0\nfunc @f(%x: f64[2]) -> (f64[2], f64[2]) {\n  return %x\n}\n").says(&["3:3 E0208"]);
}

#[test]
fn extents() {
    let p = Place::new("extents");
    let header = |h: &str, w: &str| p.check(format!("tfir 1.0\nexport func @f{h} -> () {w} {{\n  return\n}}\n"));
    header("<n>(%x: f64[n])", "").gives("");
    header("<n>(%x: f64[n])", "where n >= 1, n <= 2*n").gives("");
    for never in ["n + 1 <= 0", "n >= 3, n <= 2", "2*n == 5", "3 == 4", "n == n + 1"] {
        header("<n>(%x: f64[n])", &format!("where {never}")).fails(1, &["p.tfir:2:", "E0414"]);
    }
    header("<n>(%x: f64[n*n])", "").fails(1, &["p.tfir:2:", "E0415", "`n`"]);
    header("<m, n>(%x: f64[m + n])", "").fails(1, &["p.tfir:2:", "E0415"]);
    header("<n>()", "").fails(1, &["p.tfir:2:", "E0415"]);
    let one = |ty: &str| {
        p.check(format!("tfir 1.0\nfunc @f<n>(%x: f64[n]) -> () {{\n  %a: f64[{ty}] = iota(axis = 0)\n  return\n}}\n"))
    };
    one("9223372036854775807 + 1").fails(1, &["p.tfir:3:11", "E0405"]);
    one("n*9223372036854775807*2").fails(1, &["p.tfir:3:11", "E0405"]);
    one("n - 9223372036854775807 - 2").fails(1, &["p.tfir:3:11", "E0405"]);
    one("floordiv(n, 0)").fails(1, &["p.tfir:3:11", "E0407"]);
    one("mod(7, n - n)").fails(1, &["p.tfir:3:11", "E0407"]);
    one("2 - 3").fails(1, &["p.tfir:3:11", "E0402"]);
    one("-1").fails(1, &["p.tfir:3:11", "E0402"]);
    one("n/2").fails(1, &["p.tfir:3:12"]);
    one("1.5").fails(1, &["p.tfir:3:11"]);
    let call = |args: &str| {
        p.check(format!(
            "tfir 1.0\nfunc @f(%x: f64[6]) -> () {{\n  %a = call(@g{args}, %x)\n  return\n}}\nfunc @g<m, n>(%x: f64[m*n]) -> f64[m, n] {{\n  %y: f64[m, n] = reshape(%x)\n  return %y\n}}\n"
        ))
    };
    call("<2, 3>").gives("");
    call("<2>").fails(1, &["p.tfir:3:", "E0411", "takes 2 extents, not 1"]);
    call("<2, 3, 1>").fails(1, &["p.tfir:3:", "E0411"]);
    call("").fails(1, &["p.tfir:3:", "E0412"]);
    call("<2, 4>").fails(1, &["p.tfir:3:"]);
}

#[test]
fn extents_at_run_time() {
    let p = Place::new("guards");
    p.write("s.tfir", "tfir 1.0\nexport func @f<n>(%x: f64[n]) -> (y: f64[n - 3]) {\n  %y: f64[n - 3] = slice(%x, start = [0], limit = shape[n - 3])\n  return %y\n}\n");
    p.write("h.tfir", "tfir 1.0\nexport func @f<n>(%x: f64[2*n]) -> (y: f64[n]) {\n  %y: f64[n] = slice(%x, start = [0], limit = shape[n])\n  return %y\n}\n");
    p.write("k.tfir", "tfir 1.0\nexport func @f<n>(%x: f64[n], %k: i64[]) -> (y: f64[?r]) where ?r <= n {\n  extent(%k, shape[?r]) where ?r <= n\n  %y: f64[?r] = take_prefix(%x, axis = 0)\n  return %y\n}\n");
    p.write("d.tfir", "tfir 1.0\nexport func @f<m, n>(%x: f64[m], %y: f64[n]) -> (z: f64[floordiv(m, n)]) {\n  %z: f64[floordiv(m, n)] = const(splat = 1.0)\n  return %z\n}\n");
    for b in ["cpu", "interp"] {
        let run = |rest: &str| p.tfc(&format!("run --backend {b} --error-format short -o y=y.npy {rest}"));
        run("s.tfir -i x=[1,2]").fails(3, &["s.tfir:", "n - 3", "error[E04"]);
        run("h.tfir -i x=[1,2,3,4,5]").fails(3, &["%x axis 0 has extent 5, but 2*n needs an even number"]);
        run("k.tfir -i x=[1,2,3] -i k=4").fails(3, &["k.tfir:3:3", "?r <= n", "E0420"]);
        run("k.tfir -i x=[1,2,3] -i k=-1").fails(3, &["k.tfir:3:3", "negative", "E0422"]);
        run("k.tfir -i x=[1,2,3] -i k=9223372036854775807").fails(3, &["k.tfir:3:3", "E0420"]);
        let divided = p.tfc(&format!("run --backend {b} --error-format short d.tfir -i x=[1,2] -i y=[]"));
        divided.fails(3, &["d.tfir:", "E0407"]);
    }
}

#[test]
fn trips() {
    let p = Place::new("trips");
    let text = "tfir 1.0\nexport func @f(%n: i64[]) -> (y: i64[]) {\n  %y = while(%n, max_trips = 5) {\n    cond(%i: i64[]) {\n      %zero = const(0)\n      %go = gt(%i, %zero)\n      yield %go\n    }\n    body(%i: i64[]) {\n      %one = const(1)\n      %j = sub(%i, %one)\n      yield %j\n    }\n  }\n  return %y\n}\n";
    p.write("w.tfir", text);
    for b in ["cpu", "interp"] {
        p.tfc(&format!("run w.tfir --backend {b} -i n=5")).gives("y = 0\n");
        p.tfc(&format!("run w.tfir --backend {b} --error-format short -i n=6 -o y=y.npy"))
            .fails(3, &["w.tfir:3:", "E0712", "max_trips", "5"]);
    }
}

const SUM: &str = "tfir 1.0\nexport func @f<n>(%x: f64[n, 3], %w: f64[3]) -> (s: f64[]) {\n  %y = dot_general(%x, %w, contract = [[1], [0]])\n  %s = reduce_sum(%y, axes = [0])\n  return %s\n}\n";

/// A `.npy` file of version 1.
fn npy(descr: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), elements].concat()
}

#[test]
fn inputs() {
    let p = Place::new("inputs");
    p.write("a.tfir", SUM);
    p.write("c64.npy", npy("<c16", "(1, 3)", &[0; 48]));
    // More than an f64 has digits for.
    p.write("i64.npy", npy("<i8", "(1, 3)", &[0x55; 24]));
    p.write("rank1.npy", npy("<f8", "(3,)", &[0; 24]));
    p.write("rank2.npy", npy("<f8", "(3, 1)", &[0; 24]));
    p.write("wide.npy", npy("<f8", "(1, 4)", &[0; 32]));
    p.write("ok.npy", npy("<f8", "(2, 3)", &[0; 48]));
    let run = |x: &str, w: &str| {
        p.args(&["run", "a.tfir", "-i", &format!("x={x}"), "-i", &format!("w={w}"), "-o", "s=s.npy"])
    };
    run("@none.npy", "ones").fails(3, &["E0601", "none.npy"]);
    run("@.", "ones").fails(2, &["E0602"]);
    run("@c64.npy", "ones").fails(3, &["E0606", "`x`", "c64", "f64"]);
    run("@i64.npy", "ones").fails(3, &["E0606", "`x`", "i64", "f64"]);
    run("@rank1.npy", "ones").fails(3, &["E0607", "`x`", "1 axis", "2 axes"]);
    run("@ok.npy", "@rank2.npy").fails(3, &["E0607", "`w`", "2 axes", "1 axis"]);
    run("@wide.npy", "[1, 1, 1]").fails(3, &["x", "axis 1", "4", "3"]);
    run("@wide.npy", "ones").fails(3, &["x", "axis 1", "4", "3"]);
    run("@ok.npy", "[1, 2]").fails(3, &["%w", "axis 0", "2", "3"]);
    run("[[1, 2], [3]]", "ones").fails(3, &["E0611", "`x`"]);
    run("[[1, 2, nope]]", "ones").fails(3, &["E0611", "nope"]);
    run("[[1, 2, 1+2j]]", "ones").fails(3, &["E0612"]);
    run(&"[".repeat(100_000), "ones").fails(3, &["E0611"]);
    run("", "ones").fails(2, &["E0908"]);
    run("@ok.npy:key", "ones").fails(2, &["E0602", "ok.npy:key"]);
    run("@ok.txt", "ones").fails(2, &["E0602", ".npy"]);
    run("randn:x", "ones").fails(2, &["E0908"]);
    run("randn:1", "ones").fails(3, &["--bind n="]);
    p.tfc("run a.tfir -i x=randn:1 -i w=ones --bind n=-1").fails(2, &["-1"]);
    p.tfc("run a.tfir -i x=zeros -i w=ones --bind n=99999999999999").fails(3, &["E0613", "`x`"]);
    p.tfc("run a.tfir -i x=ones").fails(2, &["E0905", "w"]);
    p.tfc("run a.tfir -i x=ones -i w=ones -i q=1").fails(2, &["E0904", "q"]);
    p.tfc("run none.tfir").fails(3, &["E0601", "none.tfir"]);
    p.tfc("run .").fails(2, &["E0901"]);
}

#[test]
fn data_files() {
    let p = Place::new("files");
    p.write("a.tfir", SUM);
    let try_file = |name: &str, bytes: &[u8], code: &str| {
        p.write(name, bytes);
        let spec = if name.ends_with("npz") || name.ends_with("safetensors") {
            format!("x=@{name}:k")
        } else {
            format!("x=@{name}")
        };
        p.args(&["run", "a.tfir", "-i", &spec, "-i", "w=ones", "-o", "s=s.npy"]).fails(3, &[code, name]);
    };
    let whole = npy("<f8", "(2, 3)", &[0; 48]);
    for n in [0, 5, 6, 7, 8, 9, 10, 30, whole.len() - 49, whole.len() - 48, whole.len() - 1] {
        try_file("t.npy", &whole[..n], "E060");
    }
    try_file("t.npy", &whole[..whole.len() - 1], "E0603");
    try_file("h.npy", &npy("<f8", "(9223372036854775808,)", &[]), "E0603");
    try_file("h.npy", &npy("<f8", "(4294967296, 2147483648)", &[]), "E0603");
    try_file("h.npy", &npy("<f8", "(4294967296, 4294967296)", &[]), "E0603");
    try_file("h.npy", &npy("<f8", "(1000000000000, 3)", &[]), "E0603");
    try_file("h.npy", &npy("<f8", "(-1, 3)", &[]), "E060");
    try_file("h.npy", &npy("|O", "(1, 3)", &[0; 24]), "E0605");
    try_file("h.npy", &npy("<f16", "(1, 3)", &[0; 48]), "E0605");
    try_file("h.npy", &npy("|S3", "(1, 3)", &[0; 9]), "E0605");
    try_file("h.npy", b"\x93NUMPY\x01\x00\xff\xff{'descr'", "E0603");
    try_file("h.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'", "E0602");
    try_file("h.npy", b"\x93NUMPY\x09\x00\x02\x00{}", "E0602");
    try_file("h.npy", b"not numpy at all", "E0602");
    try_file("h.npz", b"PK\x03\x04 and then nothing", "E060");
    try_file("h.npz", b"", "E060");
    try_file("h.safetensors", b"", "E060");
    try_file("h.safetensors", b"\xff\xff\xff\xff\xff\xff\xff\x7f{}", "E060");
    try_file("h.safetensors", b"\x02\0\0\0\0\0\0\0{}", "E0604");
    let header = br#"{"k":{"dtype":"F64","shape":[2,3],"data_offsets":[0,48]}}"#;
    try_file("h.safetensors", &[&(header.len() as u64).to_le_bytes()[..], header, &[0; 20]].concat(), "E0603");
    let header = br#"{"k":{"dtype":"F64","shape":[9223372036854775807,9],"data_offsets":[0,48]}}"#;
    try_file("h.safetensors", &[&(header.len() as u64).to_le_bytes()[..], header, &[0; 48]].concat(), "E060");
    let header = br#"{"k":{"dtype":"F64","shape":[2,3],"data_offsets":[48,0]}}"#;
    try_file("h.safetensors", &[&(header.len() as u64).to_le_bytes()[..], header, &[0; 48]].concat(), "E060");
}

#[test]
fn declared_data() {
    let p = Place::new("declared");
    fs::create_dir(p.0.join("inside")).unwrap();
    p.write("w.npy", npy("<f8", "(2,)", &[0; 16]));
    p.write("inside/w.npy", npy("<f8", "(2,)", &[0; 16]));
    std::os::unix::fs::symlink("../w.npy", p.0.join("inside/link.npy")).unwrap();
    let program = |d: &str| {
        format!(
            "tfir 1.0\ndata @w: f64[2] = {d}\nexport func @f() -> (s: f64[]) {{\n  %w = load(@w)\n  %s = reduce_sum(%w, axes = [0])\n  return %s\n}}\n"
        )
    };
    let try_data = |d: &str| {
        p.write("inside/d.tfir", program(d));
        p.tfc("run --error-format short inside/d.tfir -o s=s.npy")
    };
    try_data("npy(\"w.npy\")").fails(0, &[]);
    fs::remove_file(p.0.join("s.npy")).unwrap();
    let sum = "0".repeat(64);
    try_data(&format!("npy(\"w.npy\", sha256 = \"{sum}\")")).fails(3, &["inside/d.tfir:2:", "E0608", "w.npy"]);
    try_data("npy(\"w.npy\", sha256 = \"xyz\")").fails(3, &["inside/d.tfir:2:", "E060"]);
    try_data("npy(\"../w.npy\")").mentions(&["inside/d.tfir:2:", "E0609", ".."]);
    try_data("npy(\"./../inside/w.npy\")").mentions(&["inside/d.tfir:2:", "E0609"]);
    try_data("npy(\"/etc/passwd\")").mentions(&["inside/d.tfir:2:", "E0609"]);
    try_data("npy(\"link.npy\")").mentions(&["inside/d.tfir:2:", "E0609"]);
    try_data("npy(\"\")").mentions(&["inside/d.tfir:2:", "E06"]);
    try_data("npy(\"none.npy\")").fails(3, &["inside/d.tfir:2:", "E0601", "none.npy"]);
    p.write("inside/three.npy", npy("<f8", "(3,)", &[0; 24]));
    try_data("npy(\"three.npy\")").fails(3, &["inside/d.tfir:2:", "E0607", "axis 0", "3", "2"]);
    p.write("inside/f32.npy", npy("<f4", "(2,)", &[0; 8]));
    try_data("npy(\"f32.npy\")").fails(3, &["inside/d.tfir:2:", "E0606", "f32", "f64"]);
    p.write("inside/cut.npy", &npy("<f8", "(2,)", &[0; 16])[..80]);
    try_data("npy(\"cut.npy\")").fails(3, &["inside/d.tfir:2:", "E0603"]);
    // A checked program needs none of its data.
    p.write("inside/d.tfir", program("npy(\"none.npy\")"));
    p.tfc("check inside/d.tfir").gives("");
}

#[test]
fn limits() {
    let p = Place::new("limits");
    p.write("big.tfir", "tfir 1.0\nexport func @f<n>(%x: f64[n]) -> (y: f64[n, n]) {\n  %y = dot_general(%x, %x, contract = [[], []])\n  return %y\n}\n");
    p.write("huge.tfir", "tfir 1.0\nexport func @f() -> (y: f64[1000000, 1000000, 1000]) {\n  %y: f64[1000000, 1000000, 1000] = iota(axis = 0)\n  return %y\n}\n");
    p.write("too.tfir", "tfir 1.0\nexport func @f() -> (y: f64[4294967296, 4294967296]) {\n  %y: f64[4294967296, 4294967296] = iota(axis = 0)\n  return %y\n}\n");
    for b in ["cpu", "interp"] {
        let run = |rest: &str| p.tfc(&format!("run --backend {b} --error-format short -o y=y.npy --print none {rest}"));
        run("big.tfir -i x=ones --bind n=2000 --max-memory 10M").fails(3, &["E0715", "big.tfir:3:", "10"]);
        run("huge.tfir").fails(3, &["huge.tfir:3:", "error[E0"]);
        run("too.tfir").fails(3, &["too.tfir:3:", "E0406"]);
    }
    p.tfc("run big.tfir -i x=ones --bind n=4 --max-memory ten").fails(2, &["ten"]);
    p.tfc("check big.tfir --limit errors=x").fails(2, &["errors"]);
}

#[test]
fn gradients() {
    let p = Place::new("gradients");
    p.write("v.tfir", "tfir 1.0\nexport func @f(%x: f64[3]) -> (y: f64[3]) {\n  return %x\n}\n");
    p.write("i.tfir", "tfir 1.0\nexport func @f(%x: f64[], %k: i64[]) -> (y: f64[]) {\n  return %x\n}\n");
    p.write("b.tfir", "tfir 1.0\nexport func @f(%x: f64[3]) -> (y: f64[]) {\n  %b: i64[3] = bitcast(%x)\n  %c: f64[3] = bitcast(%b)\n  %y = reduce_sum(%c, axes = [0])\n  return %y\n}\n");
    p.write(
        "n.tfir",
        "tfir 1.0\nexport func @f(%n: f64[], %x: f64[]) -> (y: f64[]) {\n  %y = polygamma(%n, %x)\n  return %y\n}\n",
    );
    for mode in ["", "--check", "--mode value-and-grad", "--mode hvp"] {
        let grad = |rest: &str| p.tfc(&format!("grad --error-format short {mode} {rest}"));
        if mode != "--check" {
            grad("v.tfir").fails(1, &["v.tfir:2:", "E0501"]);
        }
        grad("i.tfir --wrt k").fails(1, &["i.tfir:2:", "E0502", "i64"]);
        grad("b.tfir").fails(1, &["b.tfir:3:", "E0503", "bitcast"]);
        grad("n.tfir").fails(1, &["n.tfir:3:", "E0503", "polygamma"]);
        if mode != "--check" {
            grad("n.tfir --wrt x").fails(0, &[]);
        }
        grad("i.tfir --wrt q").fails(2, &["q"]);
    }
    p.tfc("grad v.tfir -o v.tfir --mode vjp").fails(2, &["E0906"]);
    p.tfc("grad v.tfir -o none/v.tfir --mode vjp").fails(3, &["E0610"]);
    p.tfc("grad v.tfir -o g.tfir").fails(1, &["E0501"]);
}

#[test]
fn backends() {
    let p = Place::new("backends");
    p.write("v.tfir", "tfir 1.0\nexport func @f(%x: f64[3]) -> (y: f64[3]) {\n  return %x\n}\n");
    p.tfc("run v.tfir -i x=ones --backend abacus -o y=y.npy").fails(2, &["abacus", "cpu", "interp"]);
    for b in ["cuda", "gpu", "xla"] {
        p.tfc(&format!("run v.tfir -i x=ones --backend {b} -o y=y.npy")).fails(3, &["E0811", b]);
    }
    p.tfc("opt v.tfir -p polish").fails(2, &["E0902", "polish"]);
    p.tfc("compile v.tfir --emit gold").fails(2, &["gold"]);
}

#[test]
fn outputs() {
    let p = Place::new("outputs");
    p.write(
        "v.tfir",
        "tfir 1.0\nexport func @f(%x: f64[3]) -> (y: f64[3], z: f64[3]) {\n  %z = neg(%x)\n  return %x, %z\n}\n",
    );
    p.write("x.npy", npy("<f8", "(3,)", &[7; 24]));
    let program = fs::read(p.0.join("v.tfir")).unwrap();
    for out in ["v.tfir", "./v.tfir", "../bad-outputs-PID/v.tfir"] {
        let out = out.replace("PID", &std::process::id().to_string());
        p.tfc(&format!("opt v.tfir -p cse -o {out}")).fails(2, &["E0906"]);
    }
    std::os::unix::fs::symlink("v.tfir", p.0.join("link.npy")).unwrap();
    p.tfc("run v.tfir -i x=@x.npy -o y=link.npy").fails(2, &["E0906"]);
    assert_eq!(fs::read(p.0.join("v.tfir")).unwrap(), program);
    p.tfc("run v.tfir -i x=ones -o y=none/y.npy").fails(3, &["E0610", "none/y.npy"]);
    p.tfc("run v.tfir -i x=ones -o y=.").fails(2, &["E0901"]);
    p.tfc("run v.tfir -i x=ones -o y=y.txt").fails(2, &["y.txt"]);
    p.tfc("run v.tfir -i x=ones -o q=y.npy").fails(2, &["q"]);
    // The second result cannot be written: the first is not there either.
    p.tfc("run v.tfir -i x=ones -o y=a.npy -o z=none/b.npy").fails(3, &["E0610", "none/b.npy"]);
    p.tfc("run v.tfir -i x=ones -o y=same.npy -o z=same.npy").fails(2, &["same.npy"]);
    if Path::new("/dev/full").exists() {
        p.tfc("opt v.tfir -p cse -o /dev/full").fails(3, &["E0610", "/dev/full"]);
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let o = p.command(&["run", "v.tfir", "-i", "x=ones"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
        sound("> /dev/full".into(), o).fails(3, &["E0610"]);
    }
    // A reader that goes away ends the program quietly.
    let mut long = String::from("tfir 1.0\nexport func @f(%a: f64[3]) -> (f64[3]) {\n");
    for i in 0..20_000 {
        let from = if i == 0 { "a".into() } else { format!("v{}", i - 1) };
        long.push_str(&format!("  %v{i}: f64[3] = neg(%{from})\n"));
    }
    long.push_str("  return %v19999\n}\n");
    p.write("long.tfir", long);
    for line in ["opt long.tfir -p verify", "compile long.tfir --emit tfir -O0", "ops", "completions bash"] {
        let args: Vec<_> = line.split(' ').collect();
        let mut child = p.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        sound(line.into(), child.wait_with_output().unwrap()).fails(0, &[]);
    }
    // Standard input that ends early is an empty or broken program, not a wait.
    for text in ["", "tfir 1.0\nfunc @f("] {
        let mut child = p
            .command(&["check", "-", "--format", "tfir"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        sound("check -".into(), child.wait_with_output().unwrap()).fails(1, &["error[E01"]);
    }
}
