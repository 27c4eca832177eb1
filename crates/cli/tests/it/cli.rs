//! The program as its users meet it: exit codes, what goes where, and bad input.
use crate::common::{Ran, command, names};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder that is removed when the test ends, and the program run in it.
struct Place(PathBuf);
impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("tfc-cli-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }
    fn with(name: &str, files: &[(&str, &str)]) -> Place {
        let p = Place::new(name);
        for (file, text) in files {
            fs::write(p.0.join(file), text).unwrap();
        }
        p
    }
    fn command(&self, args: &[&str]) -> Command {
        let mut c = command(&self.0, args);
        c.env("TMPDIR", &self.0);
        c
    }
    fn tfc(&self, args: &[&str]) -> Ran {
        Ran::of(args.join(" "), self.command(args).output().unwrap())
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
    fn names(&self) -> Vec<String> {
        names(&self.0)
    }
}
impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

const LOSS: &str = "tfir 1.0
export func @loss<b>(%x: f64[b, 3], %w: f64[3]) -> (loss: f64[]) {
  %y: f64[b] = dot_general(%x, %w, contract = [[1], [0]])
  %s: f64[b] = mul(%y, %y)
  %loss: f64[] = reduce_sum(%s, axes = [0])
  return %loss
}
";
const TWO: &str = "tfir 1.0
export func @f(%x: f64[2, 3]) -> (y: f64[2, 3], n: i64[]) {
  %y: f64[2, 3] = neg(%x)
  %n: i64[] = const(7)
  return %y, %n
}
";

#[test]
fn usage_errors_give_two() {
    let p = Place::with("usage", &[("a.tfir", LOSS)]);
    assert_eq!(p.tfc(&["--version"]).out, format!("tfc {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(p.tfc(&["--help"]).code, 0);
    p.tfc(&[]).fails(2, &["Usage"]);
    p.tfc(&["walk"]).fails(2, &["walk"]);
    p.tfc(&["run", "a.tfir", "--backend", "abacus"]).fails(2, &["abacus", "interp"]);
    p.tfc(&["run", "a.tfir", "--threads", "0"]).fails(2, &["threads"]);
    p.tfc(&["run", "a.txt"]).fails(2, &["E0901", "--format"]);
    p.tfc(&["run", "a.tfir", "--entry", "f"]).fails(2, &["E0907", "@loss"]);
    p.tfc(&["run", "a.tfir"]).fails(2, &["E0905", "x: f64[b, 3]", "w: f64[3]", "-i x="]);
    p.tfc(&["run", "a.tfir", "-i", "v=1"]).fails(2, &["E0904", "x, w"]);
    p.tfc(&["run", "a.tfir", "-i", "x"]).fails(2, &["E0901"]);
    p.tfc(&["run", "a.tfir", "-i", "x=1", "-i", "0=1"]).fails(2, &["twice"]);
    p.tfc(&["run", "a.tfir", "-i", "x=randn"]).fails(2, &["E0908"]);
    p.tfc(&["run", "a.tfir", "-i", "x=ones", "-i", "w=ones", "-o", "loss=x.txt"]).fails(2, &["x.txt"]);
    p.tfc(&["opt", "a.tfir", "-p", "polish"]).fails(2, &["polish", "cse"]);
    p.tfc(&["compile", "a.tfir", "--emit", "gold"]).fails(2, &["gold"]);
    p.tfc(&["explain", "E9999"]).fails(2, &["E0903"]);
    p.tfc(&["check", "a.tfir", "--limit", "depth=1"]).fails(2, &["errors"]);
    p.tfc(&["grad", "a.tfir", "--wrt", "v"]).fails(2, &["x, w"]);
    p.tfc(&["grad", "a.tfir", "-i", "x=1"]).fails(2, &["--run"]);
}

#[test]
fn results_go_to_standard_output_and_talk_elsewhere() {
    let p = Place::with("run", &[("a.tfir", LOSS), ("two.tfir", TWO)]);
    for backend in ["cpu", "interp"] {
        let r = p.tfc(&["run", "a.tfir", "--backend", backend, "-i", "x=[[1, 2, 3], [4, 5, 6]]", "-i", "w=ones"]);
        r.gives("loss = 261.0\n");
        assert!(r.err.starts_with(&format!("device: {backend}")), "{}", r.err);
    }
    let quiet = p.tfc(&["run", "-q", "a.tfir", "-i", "x=zeros", "-i", "1=ones", "--bind", "b=4"]);
    quiet.gives("loss = 0.0\n");
    assert_eq!(quiet.err, "");
    p.tfc(&["run", "two.tfir", "-i", "x=[[1, 2, 3], [4, 5, 6]]"])
        .gives("y: f64[2, 3] =\n  [[-1.0, -2.0, -3.0],\n   [-4.0, -5.0, -6.0]]\nn = 7\n");
    p.tfc(&["run", "two.tfir", "-i", "x=ones", "--print", "none"]).gives("");
    p.tfc(&["run", "a.tfir", "-i", "x=ones", "-i", "w=ones"]).fails(3, &["--bind b="]);
}

#[test]
fn programs_come_from_standard_input_too() {
    let p = Place::new("stdin");
    let mut child = p
        .command(&["run", "-", "--format", "tfir", "-i", "x=[[1, 1, 1]]", "-i", "w=ones"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(LOSS.as_bytes()).unwrap();
    Ran::of("run", child.wait_with_output().unwrap()).gives("loss = 9.0\n");
}

#[test]
fn results_are_written_whole_or_not_at_all() {
    let p = Place::with("write", &[("two.tfir", TWO)]);
    let x = "x=[[1, 2, 3], [4, 5, 6]]";
    p.tfc(&[
        "run",
        "two.tfir",
        "-i",
        x,
        "-o",
        "y=y.npy",
        "-o",
        "y=d.npz",
        "-o",
        "n=d.npz",
        "-o",
        "1=n.safetensors",
        "--print",
        "none",
    ])
    .gives("");
    for spec in ["@y.npy", "@d.npz:y"] {
        p.tfc(&["run", "two.tfir", "-i", &format!("x={spec}"), "--expect", "n=n.safetensors"])
            .gives("y: f64[2, 3] =\n  [[1.0, 2.0, 3.0],\n   [4.0, 5.0, 6.0]]\nn = 7\n");
    }
    p.tfc(&["run", "two.tfir", "-i", x, "-o", "y=/dev/null", "--print", "none"]).gives("");
    // A result that cannot be written leaves the others' files as they were, whichever comes first.
    #[cfg(target_os = "linux")]
    for [first, second] in [["y=y.npy", "n=/dev/full"], ["y=/dev/full", "n=d.npz"]] {
        let before = ["y.npy", "d.npz"].map(|f| std::fs::read(p.path(f)).unwrap());
        let other = "x=[[7, 7, 7], [8, 8, 8]]";
        p.tfc(&["run", "two.tfir", "-i", other, "-o", first, "-o", second]).fails(3, &["E0610", "/dev/full"]);
        assert!(["y.npy", "d.npz"].map(|f| std::fs::read(p.path(f)).unwrap()) == before);
    }
    assert_eq!(p.tfc(&["run", "two.tfir", "-i", x, "--out-dir", "all"]).code, 0);
    assert!(p.path("all/y.npy").exists() && p.path("all/n.npy").exists());
    let before = p.names();
    p.tfc(&["run", "two.tfir", "-i", x, "-o", "y=none/y.npy"]).fails(3, &["E0610", "none/y.npy"]);
    p.tfc(&["run", "two.tfir", "-i", x, "-o", "y=z.npy", "-o", "n=z.npy"]).fails(2, &["z.npy"]);
    p.tfc(&["run", "two.tfir", "-i", x, "-o", "q=z.npy"]).fails(2, &["y, n"]);
    p.tfc(&["run", "two.tfir", "-i", "x=[[1, 2]]", "-o", "y=z.npy"]).fails(3, &[]);
    p.tfc(&["opt", "two.tfir", "-p", "cse", "-o", "two.tfir"]).fails(2, &["E0906"]);
    assert_eq!(p.names(), before);
}

#[test]
fn expectations_that_fail_give_four() {
    let p = Place::with("expect", &[("two.tfir", TWO)]);
    p.tfc(&["run", "two.tfir", "-i", "x=[[1, 2, 3], [4, 5, 6]]", "-o", "y=y.npy", "--print", "none"]).gives("");
    let r = p.tfc(&["run", "two.tfir", "-i", "x=[[1, 2, 3], [4, 5, 6.5]]", "--expect", "y=y.npy", "--print", "none"]);
    r.fails(4, &["[1, 2]", "-6.5", "-6.0", "1 of 6"]);
    p.tfc(&[
        "run",
        "two.tfir",
        "-i",
        "x=[[1, 2, 3], [4, 5, 6.5]]",
        "--expect",
        "y=y.npy",
        "--rtol",
        "0.1",
        "--print",
        "none",
    ])
    .gives("");
    p.tfc(&["run", "two.tfir", "-i", "x=ones", "--expect", "y=none.npy"]).fails(3, &["none.npy"]);
}

#[test]
fn checks_that_fail_give_four() {
    let program =
        "tfir 1.0\nfunc @f(%x: f64[2], %y: f64[2]) -> f64[2] {\n  check_close(%x, %y, atol = 0.1)\n  return %x\n}\n";
    let p = Place::with("checks", &[("f.tfir", program)]);
    for backend in ["cpu", "interp"] {
        let run =
            |y: &str| p.tfc(&["run", "f.tfir", "-i", "x=[1, 2]", "-i", y, "--backend", backend, "--print", "none"]);
        run("y=[1, 2.05]").gives("");
        run("y=[1, 2.5]").fails(4, &["E0711", "f.tfir:3:3", "[1]"]);
    }
}

#[test]
fn inputs_that_do_not_fit_give_three_and_say_which() {
    let p = Place::with("unfit", &[("a.tfir", LOSS), ("two.tfir", TWO)]);
    assert_eq!(p.tfc(&["run", "two.tfir", "-i", "x=ones", "-o", "n=n.npy", "-o", "y=y.npy"]).code, 0);
    let run = |x: &str, w: &str| {
        p.tfc(&["run", "a.tfir", "-i", &format!("x={x}"), "-i", &format!("w={w}"), "-o", "loss=l.npy"])
    };
    run("@none.npy", "ones").fails(3, &["E0601", "none.npy"]);
    run("@n.npy", "ones").fails(3, &["E0607", "0 axes"]);
    run("[1, 2]", "ones").fails(3, &["E0607", "`x`", "1 axis", "2 axes"]);
    run("[[1, 2]]", "[1, 1, 1]").fails(3, &["x", "axis 1", "2", "3"]);
    run("@y.npy", "[1, 2]").fails(3, &["w", "axis 0", "2", "3"]);
    run("[[1, 2, oops]]", "ones").fails(3, &["E0611", "oops"]);
    run("[[1, 2, 1+1j]]", "ones").fails(3, &["E0612"]);
    fs::write(p.path("t.npy"), &fs::read(p.path("y.npy")).unwrap()[..140]).unwrap();
    run("@t.npy", "ones").fails(3, &["E0603", "t.npy"]);
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808,)}";
    let huge = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    fs::write(p.path("h.npy"), huge).unwrap();
    run("@h.npy", "ones").fails(3, &["E0603"]);
    assert!(!p.path("l.npy").exists());
}

#[test]
fn wrong_programs_give_one_at_their_places() {
    let five = "tfir 1.0
func @f(%a: f64[3], %b: f64[4]) -> (f64[3]) {
  %c: f64[3] = ad(%a, %a)
  %d: f64[3] = add(%a, %b)
  %e: f64[2] = neg(%a)
  %g: f64[] = reduce_sum(%a, axes = [1])
  %h: f64[3] = add(%a, %zz)
  return %a
}
";
    let p = Place::with("wrong", &[("five.tfir", five), ("empty.tfir", ""), ("good.tfir", LOSS)]);
    let r = p.tfc(&["check", "five.tfir"]);
    r.fails(1, &["five.tfir:3:", "five.tfir:4:", "five.tfir:5:", "five.tfir:6:", "five.tfir:7:"]);
    assert_eq!(r.err.matches("error[").count(), 5, "{}", r.err);
    p.tfc(&["check", "empty.tfir"]).fails(1, &["empty.tfir:1:1"]);
    p.tfc(&["check", "good.tfir"]).gives("");
    p.tfc(&["check", "none.tfir"]).fails(3, &["E0601", "none.tfir"]);
    // One bad file does not hide the others.
    p.tfc(&["check", "five.tfir", "empty.tfir"]).fails(1, &["five.tfir:3:", "empty.tfir:1:1"]);
    let short = p.tfc(&["check", "--error-format", "short", "five.tfir"]);
    assert_eq!(
        short.err.lines().filter(|l| l.starts_with("five.tfir:") && l.contains(": error[E")).count(),
        5,
        "{}",
        short.err
    );
    let json = p.tfc(&["check", "--error-format", "json", "five.tfir"]);
    assert!(json.err.lines().all(|l| l.starts_with('{') && l.ends_with('}')), "{}", json.err);
    p.tfc(&["run", "five.tfir"]).fails(1, &["five.tfir:3:"]);
    let unknown =
        "tfir 1.0\nfunc @f(%x: f64[2]) -> f64[2] {\n  %y: f64[2] = \"acme.op\"(%x, fast = true)\n  return %y\n}\n";
    fs::write(p.path("u.tfir"), unknown).unwrap();
    p.tfc(&["check", "u.tfir"]).fails(1, &["E0217", "acme.op", "u.tfir:3:"]);
    p.tfc(&["check", "--allow-unregistered", "u.tfir"]).gives("");
    fs::write(p.path("u.tfir"), unknown.replace("return %y", "return %z")).unwrap();
    p.tfc(&["check", "--allow-unregistered", "u.tfir"]).fails(1, &["u.tfir:4:"]);
    p.tfc(&["check", "--allow-unregistered", "five.tfir"]).fails(1, &["five.tfir:3:"]);
}

#[test]
fn a_closed_output_is_no_error() {
    let mut long = String::from("tfir 1.0\nexport func @f(%a: f64[3]) -> (f64[3]) {\n");
    for i in 0..20_000 {
        let from = if i == 0 { "a".into() } else { format!("v{}", i - 1) };
        long.push_str(&format!("  %v{i}: f64[3] = neg(%{from})\n"));
    }
    long.push_str("  return %v19999\n}\n");
    let p = Place::with("closed", &[("long.tfir", long.as_str())]);
    let mut child =
        p.command(&["opt", "long.tfir", "-p", "verify"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0u8; 8];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let r = Ran::of("run", child.wait_with_output().unwrap());
    assert_eq!((r.code, r.err.as_str()), (0, ""));
}

#[test]
fn data_declarations_are_held_to_their_folder_and_checksum() {
    let program = |decl: &str| {
        format!(
            "tfir 1.0\ndata @w: f64[2, 3] = {decl}\nexport func @f() -> (s: f64[]) {{\n  %w: f64[2, 3] = load(@w)\n  %s: f64[] = reduce_sum(%w, axes = [0, 1])\n  return %s\n}}\n"
        )
    };
    let p = Place::with("data", &[("two.tfir", TWO)]);
    p.tfc(&["run", "two.tfir", "-i", "x=[[1, 2, 3], [4, 5, 6]]", "-o", "y=y.npy", "--print", "none"]).gives("");
    let try_decl = |decl: &str, more: &[&str]| {
        fs::write(p.path("d.tfir"), program(decl)).unwrap();
        p.tfc(&[&["run", "d.tfir"], more].concat())
    };
    try_decl("npy(\"y.npy\")", &[]).gives("s = -21.0\n");
    let sum = tfc_frontend::data::sha256(&p.path("y.npy"), &tfc_ir::Budget::unlimited()).unwrap();
    try_decl(&format!("npy(\"y.npy\", sha256 = \"{sum}\")"), &[]).gives("s = -21.0\n");
    try_decl(&format!("npy(\"y.npy\", sha256 = \"{}\")", sum.replace('0', "1")), &[]).fails(3, &["E0608", "d.tfir:2:"]);
    try_decl("npy(\"none.npy\")", &[]).fails(3, &["E0601", "none.npy"]);
    try_decl("npy(\"../y.npy\")", &[]).fails(1, &["E0609", "..", "d.tfir:2:"]);
    p.tfc(&["check", "d.tfir"]).fails(1, &["E0609", "..", "d.tfir:2:"]);
    fs::create_dir(p.path("other")).unwrap();
    fs::rename(p.path("y.npy"), p.path("other/z.npy")).unwrap();
    try_decl("npy(\"z.npy\")", &[]).fails(3, &["E0601"]);
    try_decl("npy(\"z.npy\")", &["--data-root", "other"]).gives("s = -21.0\n");
    p.tfc(&["run", "d.tfir", "--data-root", "other", "-o", "s=other/z.npy"]).fails(2, &["E0906"]);
}

#[test]
fn gradients_print_run_and_check() {
    let p = Place::with("grad", &[("a.tfir", LOSS)]);
    let g = p.tfc(&["grad", "a.tfir", "--wrt", "w"]);
    assert_eq!(g.code, 0, "{}", g.err);
    assert!(g.out.contains("-> (g_w: f64[3])"), "{}", g.out);
    fs::write(p.path("g.tfir"), &g.out).unwrap();
    let args = ["-i", "x=[[1, 2, 3], [4, 5, 6]]", "-i", "w=ones"];
    p.tfc(&[&["run", "g.tfir"], &args[..]].concat()).gives("g_w: f64[3] = [132.0, 174.0, 216.0]\n");
    p.tfc(&[&["grad", "a.tfir", "--wrt", "w", "--run"], &args[..]].concat())
        .gives("g_w: f64[3] = [132.0, 174.0, 216.0]\n");
    let both = ["grad", "a.tfir", "--wrt", "w,x", "--mode", "value-and-grad", "--run", "-o", "g_x=gx.npy"];
    assert_eq!(p.tfc(&[&both[..], &args[..]].concat()).code, 0);
    assert!(p.path("gx.npy").exists());
    for (mode, header) in [
        ("jvp", "(%x: f64[b, 3], %w: f64[3], %d_w: f64[3]) -> (loss: f64[], d_loss: f64[])"),
        ("vjp", "(%x: f64[b, 3], %w: f64[3], %ct_loss: f64[]) -> (loss: f64[], ct_w: f64[3])"),
        ("hvp", "(%x: f64[b, 3], %w: f64[3], %v_w: f64[3]) -> (loss: f64[], g_w: f64[3], hv_w: f64[3])"),
        ("linearize", "@loss.lin"),
        ("transpose", "@loss.lin"),
    ] {
        let r = p.tfc(&["grad", "a.tfir", "--wrt", "w", "--mode", mode]);
        assert!(r.code == 0 && r.out.contains(header), "{mode}: {}{}", r.out, r.err);
        fs::write(p.path("m.tfir"), &r.out).unwrap();
        p.tfc(&["check", "m.tfir"]).gives("");
    }
    let c = p.tfc(&["grad", "a.tfir", "--check"]);
    assert!(
        c.code == 0 && c.out.lines().count() == 2 && c.out.lines().all(|l| l.ends_with("ok")),
        "{}{}",
        c.out,
        c.err
    );
}

#[test]
fn what_has_no_derivative_is_said_at_its_place() {
    let p = Place::with(
        "nograd",
        &[("two.tfir", TWO), ("i.tfir", "tfir 1.0\nfunc @f(%n: i64[]) -> (i64[]) {\n  return %n\n}\n")],
    );
    p.tfc(&["grad", "two.tfir"]).fails(1, &["E0501", "two.tfir:2:"]);
    p.tfc(&["grad", "i.tfir"]).fails(1, &["E0502", "i.tfir:2:"]);
    p.tfc(&["grad", "i.tfir", "--wrt", "n"]).fails(1, &["E0502"]);
}

#[test]
fn limits_and_traps_give_three() {
    let endless = "tfir 1.0
export func @f(%x: f64[]) -> (y: f64[]) {
  %y: f64[] = while(%x) {
    cond(%c: f64[]) {
      %t: bool[] = eq(%c, %c)
      yield %t
    }
    body(%c: f64[]) {
      %d: f64[] = neg(%c)
      yield %d
    }
  }
  return %y
}
";
    let log = "tfir 1.0\nexport func @f(%x: f64[2]) -> (y: f64[2]) {\n  %y: f64[2] = log(%x)\n  return %y\n}\n";
    let p = Place::with("limits", &[("e.tfir", endless), ("log.tfir", log)]);
    for backend in ["interp", "cpu"] {
        p.tfc(&["run", "e.tfir", "--backend", backend, "-i", "x=1", "--timeout", "0.2"]).fails(3, &["E07"]);
        p.tfc(&["run", "e.tfir", "--backend", backend, "-i", "x=1", "--fuel", "1000"]).fails(3, &["E07"]);
        let huge = ["run", "log.tfir", "--backend", backend, "-i", "x=[1, 1]", "--max-memory", "8"];
        p.tfc(&huge).fails(3, &["E0715"]);
    }
    p.tfc(&["run", "log.tfir", "-i", "x=[1, -1]", "--trap", "nan"]).fails(3, &["E0732", "y", "nan"]);
    p.tfc(&["run", "log.tfir", "-i", "x=[1, 0]", "--trap", "nan"]).gives("y: f64[2] = [0.0, -inf]\n");
    p.tfc(&["run", "log.tfir", "-i", "x=[1, 0]", "--trap", "nan,inf"]).fails(3, &["inf"]);
    for backend in ["cuda", "gpu", "xla"] {
        p.tfc(&["run", "log.tfir", "-i", "x=[1, 1]", "--backend", backend]).fails(3, &["E0811", backend]);
    }
}

#[test]
fn programs_are_laid_out_and_lowered() {
    let p = Place::with("lower", &[("a.tfir", LOSS), ("m.mlir", "module {}\n")]);
    let ugly = LOSS.replace("  %y", "      %y").replace("(%x, %w,", "( %x,%w,");
    fs::write(p.path("u.tfir"), format!("// kept\n{ugly}")).unwrap();
    p.tfc(&["fmt", "--check", "u.tfir"]).fails(1, &["u.tfir"]);
    p.tfc(&["fmt", "u.tfir"]).gives("");
    let laid = fs::read_to_string(p.path("u.tfir")).unwrap();
    assert!(laid.contains("// kept") && laid.contains("dot_general(%x, %w,"), "{laid}");
    p.tfc(&["fmt", "--check", "u.tfir"]).gives("");
    for kind in ["tfir", "json", "plan", "dot", "svg"] {
        let r = p.tfc(&["compile", "a.tfir", "--emit", kind]);
        assert!(r.code == 0 && r.out.contains("loss"), "{kind}: {}{}", r.out, r.err);
        p.tfc(&["compile", "a.tfir", "--emit", &format!("{kind}=o.{kind}")]).gives("");
        assert_eq!(fs::read_to_string(p.path(&format!("o.{kind}"))).unwrap(), r.out);
    }
    p.tfc(&["compile", "a.tfir", "--emit", "ptx"]).fails(3, &["E0812"]);
    let text = p.tfc(&["compile", "a.tfir", "--bind", "b=4", "--emit", "stablehlo"]);
    assert!(text.out.contains("func.func public @main(%"), "{}{}", text.out, text.err);
    p.tfc(&["compile", "a.tfir", "--bind", "b=4", "-o", "o.mlir"]).gives("");
    assert_eq!(fs::read_to_string(p.path("o.mlir")).unwrap(), text.out);
    p.tfc(&["compile", "a.tfir", "--emit", "stablehlo"]).fails(1, &["E1101", "--bind b=4"]);
    let bound = p.tfc(&["compile", "a.tfir", "--bind", "b=4", "-O0"]);
    assert!(bound.out.contains("%x: f64[4, 3]") && !bound.out.contains("<b>"), "{}{}", bound.out, bound.err);
    p.tfc(&["compile", "a.tfir", "--bind", "q=4"]).fails(2, &["E0904"]);
    p.tfc(&["compile", "a.tfir", "--after", "polish"]).fails(2, &["polish"]);
    assert_eq!(p.tfc(&["opt", "a.tfir", "--verify-roundtrip", "-p", "cse,dce"]).code, 0);
    p.tfc(&["fmt", "m.mlir"]).fails(2, &["E0901", "tfc import"]);
    assert!(p.tfc(&["opt", "--list-passes"]).out.contains("cse"));
    assert!(p.tfc(&["ops"]).out.lines().count() > 50);
    // What samples did: a line a built-in op, and only the reasons that it refers to.
    let whole = p.tfc(&["ops", "--table"]).ok();
    assert_eq!(whole.split("\n\n").next().unwrap().lines().count(), p.tfc(&["ops"]).out.lines().count());
    let one = p.tfc(&["ops", "reduce_sum", "--table"]).ok();
    let lines: Vec<&str> = one.lines().collect();
    assert!(lines.len() == 4 && lines[1].starts_with("reduce_sum  int float complex [4]  yes"), "{one}");
    assert!(lines[3].starts_with("[4] "), "{one}");
    p.tfc(&["ops", "no_such", "--table"]).fails(2, &["E0903"]);
    assert!(p.tfc(&["ops", "reduce_sum"]).out.contains("axes"));
    assert!(p.tfc(&["explain", "reduce_sum"]).out.contains("axes"));
    assert!(p.tfc(&["completions", "bash"]).out.contains("complete"));
    assert!(p.tfc(&["doctor"]).out.contains("interp: ready"));
    let engine = |value: &str| {
        let out = Ran::of("doctor", p.command(&["doctor"]).env("TFC_CPU", value).output().unwrap()).out;
        out.lines().find(|l| l.contains("fused loops:")).unwrap().to_owned()
    };
    assert!(engine("tape").contains(": tape, "), "{}", engine("tape"));
    assert!(engine("scalar").contains(": tape, ") && !engine("scalar").contains("avx"), "{}", engine("scalar"));
    assert_eq!(engine(""), engine("jit"), "empty is as good as not set");
    let wrong = |args: &[&str]| Ran::of("TFC_CPU=abacus", p.command(args).env("TFC_CPU", "abacus").output().unwrap());
    assert!(wrong(&["doctor"]).out.contains("backend cpu: error[E0803]: TFC_CPU=abacus names no engine"));
    for args in [
        &["run", "a.tfir", "-i", "x=zeros", "-i", "w=zeros", "--bind", "b=2"][..],
        &["ops"],
        &["ops", "exp"],
        &["check", "a.tfir", "--unsupported", "cpu"],
    ] {
        wrong(args).fails(2, &["E0803", "abacus", "jit, tape, avx2, scalar"]);
    }
    assert_eq!(wrong(&["check", "a.tfir"]).code, 0, "nothing runs");
}

#[test]
fn times_are_for_people_or_for_programs() {
    let text = "tfir 1.0\nexport func @f(%x: f64[2]) -> (y: f64[2]) {\n  %y: f64[2] = exp(%x)\n  return %y\n}\n";
    let p = Place::with("times", &[("f.tfir", text)]);
    let run = |more: &[&str]| p.tfc(&[&["run", "f.tfir", "-i", "x=zeros"], more].concat());
    for n in ["1", "2", "5000"] {
        let r = run(&["--repeat", n, "--time=json"]);
        assert_eq!((r.code, r.out.as_str()), (0, "y: f64[2] = [1.0, 1.0]\n"), "{}", r.err);
        let object = r.err.lines().find(|l| l.starts_with('{')).expect("an object on a line");
        let v: serde_json::Value = serde_json::from_str(object).unwrap();
        let get = |k: &str| v[k].as_f64().unwrap_or_else(|| panic!("no {k} in {object}"));
        assert_eq!(get("runs").to_string(), n);
        assert!(
            get("min_ms") > 0.0 && get("min_ms") <= get("median_ms") && get("median_ms") <= get("max_ms"),
            "{object}"
        );
        assert!(get("first_ms") >= get("min_ms") && get("compile_ms") > 0.0 && get("parse_and_verify_ms") > 0.0);
        assert!(get("peak_bytes") >= 16.0 && v["device"].as_str().unwrap().starts_with("cpu, "), "{object}");
    }
    let lines = run(&["--repeat", "3", "--time"]).err;
    assert!(lines.contains("time: 3 runs: least ") && lines.contains("memory: at most "), "{lines}");
    assert!(run(&["--time"]).err.contains("time: run: "));
    // Threads that the process has no processors for are not started, and it says so.
    let n = std::thread::available_parallelism().unwrap().get().min(4096);
    let many = run(&["--threads", "4096", "--time"]).err;
    assert!(many.contains(&format!("device: cpu, {n} thread")), "{many}");
    assert_eq!(many.contains("(of 4096 asked for: the process may use no more)"), n < 4096, "{many}");
    assert!(!run(&["--threads", "1", "--time"]).err.contains("asked for"));
    assert!(!run(&[]).err.contains("time:"));
}

#[test]
fn steps_say_where_the_time_goes() {
    let text = "tfir 1.0
export func @f(%x: f64[64, 64]) -> (y: f64[64, 64]) {
  %y: f64[64, 64] = scan(%x, carry = 1, length = 10) {
    body(%p: f64[64, 64]) {
      %q = dot_general(%p, %x, contract = [[1], [0]])
      %r = tanh(%q)
      yield %r
    }
  }
  return %y
}
";
    let p = Place::with("steps", &[("f.tfir", text)]);
    let run = |more: &[&str]| p.tfc(&[&["run", "f.tfir", "-i", "x=uniform:1", "--print", "none"], more].concat());
    for repeat in ["1", "4"] {
        let lines = run(&["--repeat", repeat, "--time=steps"]).err;
        // A run executes the body's steps ten times; the loop's own time is that of moving addresses.
        let product = lines.lines().find(|l| l.starts_with("step: ") && l.contains("dot_general(")).expect(&lines);
        assert!(product.contains(" 10 × ") && product.contains(" GB/s") && product.contains("f64[64, 64]"), "{lines}");
        // Rates, and what they are of those of the machine.
        assert!(product.contains(" Gop/s") && product.matches(" %").count() == 2, "{lines}");
        assert!(lines.contains("scan 10 trips") || lines.contains(" others"), "{lines}");
        assert!(lines.contains("time: compile: "), "{lines}");
    }
    run(&["--backend", "interp", "--time=steps"]).fails(2, &["E0811", "interp", "--backend cpu"]);
    run(&["--repeat", "3", "--profile", "p.json"]);
    let v: serde_json::Value = serde_json::from_str(&fs::read_to_string(p.path("p.json")).unwrap()).unwrap();
    let steps = v["steps"].as_array().unwrap();
    let product = steps.iter().find(|s| s["what"].as_str().unwrap().contains("dot_general(")).unwrap();
    // The first run is not counted.
    assert_eq!((product["times"].as_u64(), product["function"].as_str()), (Some(20), Some("f")), "{product}");
    // Two operands and a result.
    assert_eq!(product["bytes"].as_u64(), Some(20 * 3 * 64 * 64 * 8));
    assert_eq!(product["operations"].as_u64(), Some(20 * 2 * 64 * 64 * 64));
    assert!(product["nanoseconds"].as_u64().unwrap() > 0);
    // A bar for each step, none over another, beside those of the parts.
    let events = v["traceEvents"].as_array().unwrap();
    let bars: Vec<_> = events.iter().filter(|e| e["ph"] == "X" && e["tid"] == 2).collect();
    assert_eq!(bars.len(), steps.len());
    let bar = bars.iter().find(|e| e["name"].as_str().unwrap().contains("dot_general(")).unwrap();
    assert_eq!(bar["args"]["times"].as_f64(), Some(10.0), "{bar}");
    let end = |e: &serde_json::Value| e["ts"].as_f64().unwrap() + e["dur"].as_f64().unwrap();
    assert!(bars.windows(2).all(|w| (end(w[0]) - w[1]["ts"].as_f64().unwrap()).abs() < 1e-6));
    assert!(events.iter().any(|e| e["name"] == "compile" && e["tid"] == 1));
}

#[test]
fn file_tests_are_run_and_accepted() {
    let good =
        format!("//! test: opt -p \"cse\"\n//! run: @loss(x = [[1, 2, 3]], w = [1, 1, 1]) ~= 36.0 tol = 1e-12\n{LOSS}");
    let wrong = "tfir 1.0\nfunc @f(%a: f64[3]) -> (f64[3]) {\n  %e: f64[2] = neg(%a) //~ E0206\n  return %a\n}\n";
    let p = Place::with("tests", &[("good.tfir", &good), ("wrong.tfir", wrong)]);
    let run = |args: &[&str]| p.tfc(&[&["test", "."], args].concat());
    let r = run(&[]);
    assert!(r.code == 4 && r.out.contains("no snapshot") && r.out.contains("1 passed, 1 failed"), "{}{}", r.out, r.err);
    assert_eq!(run(&["--accept"]).code, 0);
    assert!(fs::read_to_string(p.path("good.snap")).unwrap().starts_with("---\nsource: "));
    run(&[]).gives("2 files: 2 passed, 0 failed\n");
    run(&["--backend", "cpu"]).gives("calls on cpu: 1 passed, 0 failed, 0 refused\n");
    fs::write(p.path("good.tfir"), good.replace("~= 36.0", "~= 37.0")).unwrap();
    let r = run(&[]);
    assert!(
        r.code == 4 && r.out.contains("on interp") && r.out.contains("on cpu") && r.out.contains("36.0"),
        "{}",
        r.out
    );
    let r = run(&["--backend", "interp"]);
    assert!(r.code == 4 && r.out.contains("36.0"), "{}", r.out);
    assert!(r.out.ends_with("calls on interp: 0 passed, 1 failed, 0 refused\n"), "{}", r.out);
    fs::write(p.path("wrong.tfir"), wrong.replace("E0206", "E0101")).unwrap();
    assert!(run(&[]).out.contains("this diagnostic is missing: line 3: E0101"));
}

#[test]
fn same_bytes_for_any_number_of_threads() {
    let p = Place::with("threads", &[("a.tfir", LOSS)]);
    let run = |n: &str| {
        let out = format!("loss=l{n}.npy");
        p.tfc(&[
            "run",
            "a.tfir",
            "-i",
            "x=randn:1",
            "-i",
            "w=randn:2",
            "--bind",
            "b=100000",
            "--threads",
            n,
            "-o",
            &out,
            "--print",
            "none",
        ])
        .gives("");
        fs::read(p.path(&format!("l{n}.npy"))).unwrap()
    };
    let one = run("1");
    assert_eq!(one, run("2"));
    assert_eq!(one, run("5"));
}

#[test]
fn the_folder_is_left_as_it_was() {
    let p = Place::with("clean", &[("a.tfir", LOSS)]);
    p.tfc(&["run", "a.tfir", "-i", "x=[[1, 2, 3]]", "-i", "w=ones"]).gives("loss = 36.0\n");
    p.tfc(&["check", "a.tfir"]).gives("");
    assert_eq!(p.names(), ["a.tfir"]);
    assert!(Path::new(env!("CARGO_BIN_EXE_tfc")).exists());
}
