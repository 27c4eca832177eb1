//! Limits hold wherever time and memory go: reading, running on every backend, printing, saving. And what the command line
//! says where something goes wrong: of every file, of the op at fault, of what this build has.
//!
//! No test looks at a clock: where a limit does not hold, what these programs do goes on for minutes or for ever, and the test
//! with it.
use crate::common::{Ran, command, folder, names};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn tfc(dir: &Path, line: &str) -> Ran {
    fed(dir, line, &mut |_| {})
}
/// With what `feed` writes on standard input.
fn fed(dir: &Path, line: &str, feed: &mut dyn FnMut(&mut dyn Write)) -> Ran {
    let mut child = command(dir, &line.split_whitespace().collect::<Vec<_>>())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // What is printed must be taken while something is fed.
    let o = std::thread::scope(|s| {
        let o = s.spawn(|| child.wait_with_output().unwrap());
        feed(&mut stdin);
        drop(stdin);
        o.join().unwrap()
    });
    Ran::of(line, o)
}

const SUM: &str = "tfir 1.0
export func @main<n>(%x: f64[n]) -> (y: f64[]) {
  %y = reduce_sum(%x, axes = [0])
  return %y
}
";
/// Of 10¹² elements for n = 1000, all in the place of one.
const VIEW: &str = "tfir 1.0
export func @main<n>(%k: f64[n]) -> (s: f64[n, n, n, n]) {
  %x: f64[n, n, n, n] = broadcast_in_dim(%k, dims = [0])
  return %x
}
";

#[test]
fn inputs_and_data_count() {
    let d = folder("limits_inputs", SUM);
    std::fs::write(d.join("p1.tfir"), SUM.replace("<n>", "").replace("f64[n]", "f64[1000000]")).unwrap();
    let of_data = "tfir 1.0\ndata @w: f64[1000000] = npy(\"x.npy\")\nexport func @main() -> (y: f64[]) {\n  \
                   %x = load(@w)\n  %y = reduce_sum(%x, axes = [0])\n  return %y\n}\n";
    std::fs::write(d.join("data.tfir"), of_data).unwrap();
    let ones = "tfir 1.0\nexport func @main<n>(%x: f64[n]) -> (x: f64[n]) {\n  return %x\n}\n";
    std::fs::write(d.join("ones.tfir"), ones).unwrap();
    tfc(&d, "run ones.tfir -i x=ones --bind n=1000000 -o x=x.npy -o x=x.npz --print none").fails(0, &[]);
    for backend in ["cpu", "interp"] {
        for spec in ["ones", "zeros", "randn:1", "uniform:1"] {
            let line = format!("run p.tfir -i x={spec} --backend {backend} --bind n=50000000 --max-memory 10M");
            tfc(&d, &line).fails(3, &["E0715", "`x`"]);
        }
        for file in ["x.npy", "x.npz"] {
            let line = format!("run p1.tfir -i x=@{file} --backend {backend} --max-memory");
            tfc(&d, &format!("{line} 7M")).fails(3, &["E0715", "`x`"]);
            tfc(&d, &format!("{line} 8M")).shows(&["y = 1000000.0"]);
        }
        let line = format!("run data.tfir --backend {backend} --max-memory");
        tfc(&d, &format!("{line} 7M")).fails(3, &["E0715", "data.tfir:2:1"]);
        tfc(&d, &format!("{line} 8M")).shows(&["y = 1000000.0"]);
    }
    tfc(&d, "grad p.tfir --check --bind n=1000000 --max-memory 20M").fails(3, &["E0715"]);
    tfc(&d, "run p1.tfir -i x=@x.npy --expect y=x.npy --max-memory 12M").fails(3, &["E0715"]);
}

#[test]
fn what_is_printed_and_saved_takes_time() {
    let d = folder("limits_print", VIEW);
    let run = |rest: &str| tfc(&d, &format!("run p.tfir -i k=ones --bind n=1000 --max-memory 1G {rest}"));
    run("").shows(&["s: f64[1000, 1000, 1000, 1000], min 1.0, max 1.0"]);
    run("--trap nan,inf --print none").fails(0, &[]);
    run("--print full --timeout 1").fails(3, &["E0714"]);
    run("--print none --timeout 1 -o s=s.npy").fails(3, &["E0714"]);
    run("--print none --timeout 1 -o s=s.safetensors").fails(3, &["E0714"]);
    run("--print none -o s=s.npz").fails(3, &["E0715"]);
    assert_eq!(names(&d), ["p.tfir"], "half a file was left");
}

const COLLECT: &str = "tfir 1.0
export func @main(%x: f64[]) -> (y: f64[]) {
  %y, %all = while(%x) {
    cond(%a: f64[]) {
      %t = const(true)
      yield %t
    }
    body(%a: f64[]) {
      %b = sin(%a)
      yield %b, %b
    }
  }
  %s = reduce_sum(%all, axes = [0])
  return %s
}
";
const OPS: &str = "tfir 1.0
export func @product<n>(%x: f64[n, n]) -> (y: f64[n, n]) {
  %y = dot_general(%x, %x, contract = [[1], [0]])
  return %y
}
export func @svd<n>(%x: f64[n, n]) -> (s: f64[n]) {
  %u, %s, %v = linalg.svd(%x)
  return %s
}
export func @sort<n>(%x: f64[n]) -> (y: f64[n]) {
  %y = sort(%x)
  return %y
}
";
#[test]
fn engines_stop_in_the_middle() {
    let d = folder("limits_engines", OPS);
    std::fs::write(d.join("collect.tfir"), COLLECT).unwrap();
    for backend in ["cpu", "interp"] {
        let line = format!("run collect.tfir -i x=1 --backend {backend} --max-memory 20M --timeout 60");
        tfc(&d, &line).fails(3, &["E0715", "collect.tfir:3:3"]);
        tfc(&d, &format!("run collect.tfir -i x=1 --backend {backend} --timeout 0.5")).fails(3, &["E0714"]);
        let line = format!("run p.tfir --entry svd -i x=randn:1 --bind n=4000 --backend {backend} --timeout 1");
        tfc(&d, &line).fails(3, &["E0714"]);
    }
    let long = "-i x=ones --backend interp --timeout 1";
    tfc(&d, &format!("run p.tfir --entry product --bind n=3000 {long}")).fails(3, &["E0714", "p.tfir:3:3"]);
    tfc(&d, &format!("run p.tfir --entry sort --bind n=20000000 {long}")).fails(3, &["E0714"]);
}

#[test]
fn fuel_is_of_all_loops() {
    let scan = "tfir 1.0
export func @main<n>(%x: f64[n]) -> (y: f64[]) {
  %zero = const(0.0)
  %y = scan(%zero, %x, carry = 1) {
    body(%s: f64[], %a: f64[]) {
      %t = scan(%s, %x, carry = 1) {
        body(%p: f64[], %b: f64[]) {
          %q = add(%p, %b)
          yield %q
        }
      }
      yield %t
    }
  }
  return %y
}
";
    let d = folder("limits_fuel", scan);
    std::fs::write(d.join("while.tfir"), COLLECT).unwrap();
    // Ten trips outside, a hundred inside.
    let run = |fuel: u32| tfc(&d, &format!("run p.tfir -i x=ones --bind n=10 --fuel {fuel}"));
    run(110).shows(&["y = 100.0"]);
    run(109).fails(3, &["E0713", "109 trips", "p.tfir:"]);
    tfc(&d, "run p.tfir -i x=ones --bind n=10 --fuel 200 --backend interp").shows(&["y = 100.0"]);
    tfc(&d, "run p.tfir -i x=ones --bind n=10 --fuel 9 --backend interp").fails(3, &["E0713"]);
    let r = tfc(&d, "run while.tfir -i x=1 --fuel 100");
    r.fails(3, &["E0713", "100 trips", "while.tfir:3:3"]);
    assert!(!r.err.contains("max_trips"), "{}", r.err);
    tfc(&d, "run while.tfir -i x=1 --fuel 100 --backend interp").fails(3, &["E0713"]);
}

#[cfg(unix)]
#[test]
fn pipes_that_say_nothing_are_not_waited_for() {
    let d = folder("limits_pipes", SUM);
    let pipe = |name: &str| {
        assert!(Command::new("mkfifo").arg(d.join(name)).status().unwrap().success());
    };
    pipe("silent.tfir");
    pipe("silent.npy");
    for line in ["check silent.tfir", "run silent.tfir", "compile silent.tfir", "opt silent.tfir", "fmt silent.tfir"] {
        tfc(&d, &format!("{line} --timeout 0.3")).fails(3, &["E0714"]);
    }
    tfc(&d, "run p.tfir -i x=@silent.npy --timeout 0.3").fails(3, &["E0714"]);
    // A pipe that is open and silent.
    let r = fed(&d, "check - --timeout 0.3", &mut |_| std::thread::sleep(Duration::from_secs(2)));
    r.fails(3, &["E0714"]);
}

#[test]
fn programs_have_a_largest_size() {
    let d = folder("limits_text", SUM);
    let endless = &mut |w: &mut dyn Write| while w.write_all(&[b'y'; 1 << 16]).is_ok() {};
    fed(&d, "check -", endless).fails(1, &["E0012", "256 MiB"]);
    fed(&d, "check - --max-memory 20M", endless).fails(3, &["E0715"]);
    fed(&d, "fmt -", endless).fails(1, &["E0012"]);
}

/// Of many tokens a tree is made, which is larger than they are: they are counted one by one, before it is there. Where the file is refused
/// says how far it was read.
#[test]
fn tokens_count_before_there_is_a_tree() {
    let d = folder("limits_tokens", SUM);
    let lines = 40_000;
    let mut text = "tfir 1.0\nexport func @main(%x: f64[]) -> f64[] {\n  %v0: f64[] = sin(%x)\n".to_owned();
    let mut mlir =
        "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n  %v0 = stablehlo.sine %x : tensor<f64>\n".to_owned();
    for i in 1..lines {
        text += &format!("  %v{i}: f64[] = sin(%v{})\n", i - 1);
        mlir += &format!("  %v{i} = stablehlo.sine %v{} : tensor<f64>\n", i - 1);
    }
    std::fs::write(d.join("long.tfir"), format!("{text}  return %v{}\n}}\n", lines - 1)).unwrap();
    std::fs::write(d.join("long.mlir"), format!("{mlir}  return %v{} : tensor<f64>\n}}\n", lines - 1)).unwrap();
    for line in [
        "check long.tfir",
        "fmt --check long.tfir",
        "fmt long.tfir",
        "opt long.tfir",
        "check long.mlir",
        "import long.mlir",
    ] {
        let r = tfc(&d, &format!("{line} --max-memory 20M"));
        r.fails(3, &["E0715", "long."]);
        let at = r.err.split("long.").nth(1).and_then(|s| s.split(':').nth(1)).and_then(|n| n.parse::<usize>().ok());
        assert!(at.is_some_and(|at| (10_000..39_000).contains(&at)), "{line}: {}", r.err);
    }
    // File tests run commands of their own; the limit is that of each.
    let r = tfc(&d, "test long.tfir --max-memory 20M");
    assert!(r.code == 4 && r.out.contains("E0715") && r.out.contains("1 failed"), "{}{}", r.out, r.err);
    for line in ["check long.tfir", "check long.mlir", "test long.tfir"] {
        tfc(&d, &format!("{line} --max-memory 200M")).fails(0, &[]);
    }
}

/// Tensors without elements print in a line, however long they are.
#[test]
fn nothing_is_short() {
    let text = "func.func public @main() -> tensor<1000000000x0xf32> {
  %0 = stablehlo.constant dense<> : tensor<1000000000x0xf32>
  return %0 : tensor<1000000000x0xf32>
}
";
    let d = folder("limits_empty", SUM);
    std::fs::write(d.join("m.mlir"), text).unwrap();
    tfc(&d, "import m.mlir --max-memory 20M -o m.tfir").fails(0, &[]);
    for file in ["m.mlir", "m.tfir"] {
        tfc(&d, &format!("run {file} --print full --max-memory 20M")).shows(&["f32[1000000000, 0] = []"]);
    }
    tfc(&d, "compile m.mlir --emit stablehlo --max-memory 20M").shows(&["tensor<1000000000x0xf32>"]);
}

#[test]
fn standard_input_is_tfir() {
    let d = folder("limits_stdin", SUM);
    let feed = &mut |w: &mut dyn Write| w.write_all(SUM.as_bytes()).unwrap();
    fed(&d, "check -", feed).fails(0, &[]);
    fed(&d, "run - -i x=[1,2]", feed).shows(&["y = 3.0"]);
    fed(&d, "opt -", feed).shows(&["reduce_sum"]);
    fed(&d, "compile - --emit plan", feed).shows(&["plan @main"]);
    fed(&d, "grad -", feed).shows(&["g_x"]);
}

#[test]
fn plans_need_no_data() {
    let program = "tfir 1.0
data @w: f64[3, 2] = npy(\"none.npy\")
data @b: f32[2] = npz(\"none.npz\", key = \"b\")
export func @main(%x: f64[4, 3]) -> (y: f64[4, 2], b: f32[2]) {
  %w = load(@w)
  %b = load(@b)
  %y = dot_general(%x, %w, contract = [[1], [0]])
  return %y, %b
}
";
    let d = folder("limits_plan", program);
    for level in ["-O0", "-O1", "-O2"] {
        tfc(&d, &format!("compile p.tfir --emit plan {level}")).shows(&["plan @main", "results:"]);
    }
    tfc(&d, "compile p.tfir --emit plan --backend interp").shows(&["@main: interpreted"]);
    // Of the examples, one that loads weights.
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/programs/digits");
    let program = names(&examples).into_iter().find(|n| n.ends_with(".tfir")).unwrap();
    tfc(&examples, &format!("compile {program} --emit plan")).shows(&["plan @"]);
}

#[test]
fn every_wrong_file_is_said() {
    let program = "tfir 1.0
data @a: f64[2] = npy(\"none.npy\")
data @b: f64[2] = npy(\"short.npy\")
data @c: f64[3] = npy(\"x.npy\")
data @d: f64[2] = npy(\"x.npy\")
export func @main() -> (y: f64[2]) {
  %a = load(@a)
  %b = load(@b)
  %c = load(@c)
  %d = load(@d)
  return %d
}
";
    let d: PathBuf = folder("limits_data", program);
    std::fs::write(d.join("ones.tfir"), "tfir 1.0\nexport func @f(%x: f64[2]) -> (x: f64[2]) {\n  return %x\n}\n")
        .unwrap();
    tfc(&d, "run ones.tfir -i x=ones -o x=x.npy --print none").fails(0, &[]);
    std::fs::write(d.join("short.npy"), b"\x93NUMPY").unwrap();
    let r = tfc(&d, "run p.tfir --error-format short");
    let r = r.fails(3, &["p.tfir:2:1: error[E0601]", "p.tfir:3:1: error[E0603]", "p.tfir:4:1: error[E0607]"]);
    assert!(!r.err.contains("p.tfir:5:"), "{}", r.err);
}

#[test]
fn a_trap_names_the_op() {
    let program = "tfir 1.0
export func @main<n>(%x: f64[n]) -> (y: f64[n]) {
  %zero = const(0.0)
  %masked = div(%zero, %zero)
  %a = log(%x)
  %b = exp(%a)
  return %b
}
export func @loop(%x: f64[]) -> (y: f64[], all: f64[3]) {
  %y, %all: f64[3] = scan(%x, carry = 1, length = 3) {
    body(%p: f64[]) {
      %one = const(1.0)
      %q = sub(%p, %one)
      %r = sqrt(%q)
      yield %r, %r
    }
  }
  return %y, %all
}
";
    let d = folder("limits_trap", program);
    for backend in ["cpu", "interp"] {
        let run = |rest: &str| tfc(&d, &format!("run p.tfir --backend {backend} --error-format short {rest}"));
        run("--trap nan -i x=[1,-1]").fails(3, &["p.tfir:5:3: error[E0732]", "`y`", "element 1", "`log` makes"]);
        run("--trap nan -i x=[1,nan]").fails(3, &["E0732", "comes from the input `x`"]);
        run("--trap nan --entry loop -i x=1").fails(3, &["p.tfir:14:7: error[E0732]", "`sqrt` makes"]);
        run("--trap nan -i x=[1,2]").shows(&["y: f64[2]"]);
    }
}

#[test]
fn help_lists_what_is_there() {
    let d = folder("limits_help", SUM);
    for command in ["run", "grad", "compile", "check", "opt", "fmt", "test", "--help"] {
        let r = tfc(&d, &if command == "--help" { command.to_owned() } else { format!("{command} --help") });
        r.ok();
        for absent in ["cuda", "gpu", "xla", "pjrt", "vulkan", "ptx"] {
            assert!(!r.out.to_lowercase().contains(absent), "{command} --help speaks of {absent}\n{}", r.out);
        }
    }
    tfc(&d, "run p.tfir --backend cuda -i x=[1]").fails(3, &["E0811"]);
    let unknown = tfc(&d, "run p.tfir --backend tpu");
    unknown.fails(2, &["cpu", "interp"]);
    assert!(!unknown.err.contains("cuda"), "{}", unknown.err);
}
