//! What the toolchain promises to show: several mistakes at their characters, derivatives that a person can read and
//! that are right, the same bits for any number of threads, and two engines that agree.
use crate::common::{empty, ran as tfc};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
/// A fresh folder of this test.
fn folder(name: &str) -> PathBuf {
    empty(&format!("show-{name}"))
}
/// Every example: its file, the function that is differentiated, by what, and what that needs.
const EXAMPLES: [(&str, &str, &str, &str); 17] = [
    ("least_squares.tfir", "loss", "x,y,w", "--bind n=5 --bind k=3"),
    ("newton_sqrt.tfir", "root", "a", "-i a=2"),
    ("kepler.tfir", "anomaly", "e,M", "-i e=0.6 -i M=1.2"),
    ("heat.tfir", "amplitude", "u,mode,r", "--bind n=6 -i r=0.25"),
    ("sharded_mlp.tfir", "loss", "x,y,w1,w2", "--bind n=3 --bind i=4 --bind h=3 --bind o=2"),
    ("rosenbrock.tfir", "rosenbrock", "x", "--bind n=4"),
    ("kalman/kalman.tfir", "log_likelihood", "y,theta", "--bind n=6 -i theta=[0.1,0.3]"),
    ("gp/gp.tfir", "log_likelihood", "theta,y", "--bind n=4 -i theta=[0.2,0.1,0.3]"),
    ("spin_chain.tfir", "heisenberg_energy", "psi,j", "--bind m=2 --bind n=3"),
    ("phase_retrieval.tfir", "misfit", "z", "--bind n=5 --bind l=2"),
    ("helium.tfir", "local_energy", "x,b", "-i b=0.15"),
    ("rnn.tfir", "loss", "weights,wave", "--bind t=5"),
    ("digits/train.tfir", "loss", "x,w,b", "--bind n=3"),
    ("digits/mlp.tfir", "loss", "x,hidden,output", "--bind n=3"),
    ("tt_svd/tt_svd.tfir", "misfit", "x", "--bind n=16 -i tol=0.3"),
    ("mps_truncate/mps_truncate.tfir", "fidelity", "psi", "--bind chi=3 --bind d=2 --bind l=4 -i tol=0.3"),
    ("mps_truncate/complex.tfir", "fidelity", "psi,phi", "--bind chi=3 --bind d=2 --bind l=4 -i tol=0.2"),
];
fn examples() -> PathBuf {
    root().join("examples/programs")
}

#[test]
fn five_mistakes_are_five_diagnostics_at_the_right_characters() {
    let text = "\
tfir 1.0
func @f<n>(%x: f64[n, 3], %w: f64[3, 2], %k: i64[]) -> (f64[n, 2]) {
  %z: f64[n, 3] = dot_general(%x, %w, contract = [[1], [0]])
  %e: f64[n, 3] = expp(%x)
  %s = reduce_sum(%x, axes = [0, 2])
  %c = lt(%x, %k)
  %y: f64[n, 2] = neg(%zz)
  return %y
}
";
    let dir = folder("five");
    fs::write(dir.join("five.tfir"), text).unwrap();
    let r = tfc(&dir, "check five.tfir");
    assert_eq!((r.code, r.out.as_str()), (1, ""), "{}", r.err);
    // Place, code, and the source line with what is underlined in it.
    let want = [
        ("3:7", "E0206", "%z: f64[n, 3] =", "f64[n, 3]"),
        ("4:19", "E0217", "expp(%x)", "expp"),
        ("5:23", "E0212", "axes = [0, 2]", "axes = [0, 2]"),
        ("6:15", "E0202", "lt(%x, %k)", "%k"),
        ("7:23", "E0301", "neg(%zz)", "%zz"),
    ];
    let found: Vec<&str> = r.err.split("\n\n").filter(|b| !b.trim().is_empty()).collect();
    assert_eq!(found.len(), want.len(), "{}", r.err);
    for (block, (place, code, line, word)) in found.iter().zip(want) {
        assert!(block.starts_with(&format!("error[{code}]")), "{code}:\n{block}");
        assert!(block.contains(&format!("--> five.tfir:{place}\n")), "{place}:\n{block}");
        let lines: Vec<&str> = block.lines().collect();
        let at =
            lines.iter().position(|l| l.contains(line)).unwrap_or_else(|| panic!("`{line}` is not shown:\n{block}"));
        let (start, end) = (
            lines[at].find(line).unwrap() + line.find(word).unwrap(),
            lines[at].find(line).unwrap() + line.find(word).unwrap() + word.len(),
        );
        let carets = lines[at + 1];
        assert_eq!(carets.get(start..end), Some("^".repeat(word.len()).as_str()), "{block}");
        assert_eq!(carets.matches('^').count(), word.len(), "{block}");
    }
}

#[test]
fn the_gradient_of_the_main_job_is_a_program_to_read() {
    let text = tfc(&examples(), "grad digits/train.tfir --entry loss --wrt w").ok();
    let statements: Vec<&str> = text.lines().filter(|l| l.starts_with("  %")).collect();
    assert!((10..40).contains(&statements.len()), "{} statements\n{text}", statements.len());
    assert_eq!(text.matches("func ").count(), 1, "{text}");
    // No dead code: every value is used after it is made; and most have names.
    let mut unnamed = 0;
    for (i, s) in statements.iter().enumerate() {
        let name = s.trim_start().split(':').next().unwrap();
        unnamed += usize::from(name[1..].bytes().all(|b| b.is_ascii_digit()));
        let used = |l: &&str| l.split(['(', ',', ' ', ')']).any(|w| w == name);
        let later = statements[i + 1..].iter().any(&used)
            || text.lines().any(|l| l.trim_start().starts_with("return") && used(&l));
        assert!(later, "{name} is dead\n{text}");
    }
    assert!(unnamed * 4 < statements.len(), "{unnamed} of {} values have no name\n{text}", statements.len());
    let dir = folder("train");
    fs::write(dir.join("g.tfir"), &text).unwrap();
    assert_eq!(tfc(&dir, "check g.tfir").ok(), "");
    assert_eq!(
        tfc(&dir, "opt g.tfir -p inline,fold,simplify,cse,dce").ok(),
        text,
        "the printed gradient is not yet simplified"
    );
}

#[test]
fn derivatives_of_every_example_agree_with_differences() {
    let mut listed: Vec<_> = ["", "digits", "tt_svd", "mps_truncate", "kalman", "gp"]
        .iter()
        .flat_map(|d| fs::read_dir(examples().join(d)).unwrap())
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "tfir"))
        .map(|p| p.strip_prefix(examples()).unwrap().display().to_string())
        .collect();
    listed.sort();
    let mut known: Vec<_> = EXAMPLES.iter().map(|e| e.0.to_owned()).collect();
    known.sort();
    assert_eq!(listed, known, "an example is missing here");
    for (file, entry, wrt, needs) in EXAMPLES {
        for backend in ["cpu", "interp"] {
            let r = tfc(
                &examples(),
                &format!("grad {file} --entry {entry} --wrt {wrt} --check --backend {backend} {needs}"),
            )
            .ok();
            assert!(r.lines().count() >= 2 && r.lines().all(|l| l.ends_with(": ok")), "{file}\n{r}");
        }
    }
}

/// Their `//! run:` lines, on both engines. (Training on digits by `interp` takes long: `.ci/run` has it on `cpu`.)
#[test]
fn examples_print_what_they_say() {
    for (file, ..) in EXAMPLES.iter().filter(|e| !e.0.starts_with("digits/")) {
        assert_eq!(tfc(&examples(), &format!("test {file}")).ok(), "1 file: 1 passed, 0 failed\n", "{file}");
    }
}

/// What programs of science have to find, computed elsewhere (statsmodels, scikit-learn, exact diagonalisation) or known
/// exactly: the command, a result, its numbers, and how far off each may be.
#[test]
fn examples_reproduce_their_figures() {
    let chain = |m: usize, n: usize| {
        let j = "1,".repeat(n - 1);
        format!("run spin_chain.tfir --entry heisenberg --bind m={m} -i psi=randn:5 -i j=[{j}0]")
    };
    let figures: [(String, &str, &[f64], f64); 13] = [
        ("run kalman/kalman.tfir".into(), "eps_var", &[15098.5], 0.05),
        ("run kalman/kalman.tfir".into(), "eta_var", &[1469.18], 0.005),
        ("run kalman/kalman.tfir".into(), "log_l", &[-632.5456], 5e-5),
        ("run gp/gp.tfir".into(), "log_p", &[-144.6469446], 5e-8),
        ("run gp/gp.tfir".into(), "slope", &[-10.0023221, 4.7072421, -4.6818919], 1e-7),
        ("run gp/gp.tfir --entry fit".into(), "log_p", &[-126.59224912], 1e-7),
        (chain(64, 8), "energy", &[-3.3749325987], 1e-10),
        (chain(256, 10), "energy", &[-4.2580352073], 1e-10),
        (chain(1024, 12), "energy", &[-5.1420906328], 1e-10),
        (
            "run spin_chain.tfir --entry ising --bind m=256 -i psi=randn:5 -i j=[1,1,1,1,1,1,1,1,1,0] -i h=1".into(),
            "energy",
            &[-12.3814899997],
            1e-10,
        ),
        ("run phase_retrieval.tfir".into(), "distance", &[0.0], 1e-6),
        ("run rosenbrock.tfir".into(), "x", &[1.0; 5], 1e-8),
        ("run heat.tfir --entry inverse".into(), "error", &[0.0], 1e-10),
    ];
    for (line, name, want, allowed) in figures {
        let text = tfc(&examples(), &format!("{line} --print full")).ok();
        // `name = 1.5`, or `name: f64[2] =` and the numbers behind it, perhaps on the next line.
        let of = |l: &&str| l.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', ':']));
        let at = text.lines().position(|l| of(&l)).unwrap_or_else(|| panic!("`{line}` prints no `{name}`:\n{text}"));
        let (_, here) = text.lines().nth(at).unwrap().split_once('=').unwrap();
        let numbers = if here.is_empty() { text.lines().nth(at + 1).unwrap() } else { here };
        let words = numbers.split(['[', ']', ',', ' ']).filter(|w| !w.is_empty());
        let got: Vec<f64> = words.map(|w| w.parse().unwrap()).collect();
        assert_eq!(got.len(), want.len(), "`{line}`, `{name}`:\n{text}");
        for (g, w) in got.iter().zip(want) {
            assert!((g - w).abs() <= allowed, "`{line}`: `{name}` is {g}, not {w}");
        }
    }
}

#[test]
fn every_derivative_of_every_example_reads_back() {
    let dir = folder("derivatives");
    for (file, entry, wrt, _) in EXAMPLES {
        for mode in ["grad", "value-and-grad", "jvp", "vjp", "hvp", "linearize", "transpose"] {
            let text = tfc(&examples(), &format!("grad {file} --entry {entry} --wrt {wrt} --mode {mode}")).ok();
            fs::write(dir.join("d.tfir"), &text).unwrap();
            assert_eq!(tfc(&dir, "check d.tfir").ok(), "", "{file} {mode}");
            assert_eq!(tfc(&dir, "opt d.tfir -p verify --verify-roundtrip").ok(), text, "{file} {mode}");
        }
    }
}

#[test]
fn second_derivatives_work() {
    // ½‖Xw − y‖² or a multiple of it is quadratic: its Hessian times v does not depend on w.
    let args =
        "--entry loss --wrt w --mode hvp --run -i x=[[1,2],[3,4],[5,6]] -i y=[1,-1,2] -i v_w=[1,-2] --print full";
    let hv = |w: &str| {
        let text = tfc(&examples(), &format!("grad least_squares.tfir {args} -i w={w}")).ok();
        text.lines().find(|l| l.starts_with("hv_w")).unwrap().to_owned()
    };
    assert_eq!(hv("[0,0]"), hv("[3,-5]"));
    // The Hessian of √ at 4 is −1/32.
    let text = tfc(&examples(), "grad newton_sqrt.tfir --entry root --mode hvp --run -i a=4 -i v_a=1").ok();
    let value: f64 = text.lines().find_map(|l| l.strip_prefix("hv_a = ")).unwrap().parse().unwrap();
    assert!((value + 1.0 / 32.0).abs() < 1e-9, "{text}");
    for (file, entry, wrt, needs) in EXAMPLES.iter().filter(|e| e.0 != "newton_sqrt.tfir") {
        let r = tfc(&examples(), &format!("grad {file} --entry {entry} --wrt {wrt} --mode hvp --check {needs}")).ok();
        assert!(r.lines().all(|l| l.ends_with(": ok")), "{file}\n{r}");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let text = "\
tfir 1.0
export func @f<n>(%x: f64[n, n], %y: f32[n, n]) -> (a: f64[n, n], b: f64[n, n], c: f64[n], d: f64[], e: f32[n, n], g: f32[n]) {
  %s = sin(%x)
  %t = exp(%s)
  %a = mul(%t, %x)
  %b = dot_general(%a, %x, contract = [[1], [0]])
  %c = reduce_sum(%b, axes = [0])
  %d = reduce_sum(%a, axes = [0, 1])
  %e = dot_general(%y, %y, contract = [[0], [0]])
  %g = reduce_sum(%e, axes = [1])
  return %a, %b, %c, %d, %e, %g
}
";
    let dir = folder("threads");
    fs::write(dir.join("t.tfir"), text).unwrap();
    let results = |threads: usize| {
        let out = format!("out{threads}");
        tfc(
            &dir,
            &format!(
                "run t.tfir -i x=randn:1 -i y=randn:2 --bind n=700 --threads {threads} --out-dir {out} --print none"
            ),
        )
        .ok();
        ["a", "b", "c", "d", "e", "g"].map(|n| fs::read(dir.join(&out).join(format!("{n}.npy"))).unwrap())
    };
    let one = results(1);
    for threads in [2, 3, 7] {
        assert!(one == results(threads), "{threads} threads give other bits than one");
    }
    let train = |threads: usize| tfc(&examples(), &format!("run digits/train.tfir --threads {threads}")).ok();
    assert_eq!(train(1), train(2));
}

#[test]
fn a_chain_of_elementwise_ops_needs_less_than_three_buffers() {
    let mut text = String::from("tfir 1.0\nexport func @f<n>(%x0: f64[n]) -> (y: f64[n]) {\n");
    for i in 0..100 {
        let op = ["sin", "exp", "tanh", "neg"][i % 4];
        text += &format!("  %x{} = {op}(%x{i})\n", i + 1);
    }
    text += "  return %x100\n}\n";
    let dir = folder("chain");
    fs::write(dir.join("c.tfir"), text).unwrap();
    // A buffer has 8 MB.
    let run = |limit: &str| {
        tfc(&dir, &format!("run c.tfir -i x0=uniform:1 --bind n=1000000 --print none --max-memory {limit}"))
    };
    run("24000000").ok();
    assert_eq!(run("7000000").code, 3, "the limit is not held");
}

/// One loop nest and no more memory for four times the ops. (That the work is linear is counted by `tfc-counts`.)
#[test]
fn ten_thousand_ops_are_one_loop_nest() {
    let dir = folder("long");
    let compile = |n: usize| {
        let mut text = String::from("tfir 1.0\nexport func @f(%v0: f64[8], %w: f64[8]) -> (y: f64[8]) {\n");
        for i in 0..n {
            let op = ["sin(%V)", "mul(%V, %w)", "add(%V, %w)", "tanh(%V)"][i % 4].replace('V', &format!("v{i}"));
            text += &format!("  %v{} = {op}\n", i + 1);
        }
        text += &format!("  return %v{n}\n}}\n");
        fs::write(dir.join("l.tfir"), text).unwrap();
        let plan = tfc(&dir, "compile l.tfir --emit plan").ok();
        assert!(plan.contains(&format!(", {n} instructions,")), "{plan}");
        plan.replace(&n.to_string(), "N")
    };
    assert_eq!(compile(2_500), compile(10_000));
}

#[test]
fn interp_and_cpu_agree_on_the_examples() {
    let dir = folder("agree");
    for (i, (file, entry, wrt, needs)) in EXAMPLES.iter().enumerate() {
        let text = fs::read_to_string(examples().join(file)).unwrap();
        let header = text.split(&format!("func @{entry}")).nth(1).unwrap();
        let params = &header[header.find('(').unwrap() + 1..header.find("->").unwrap()];
        let mut inputs = needs.to_string();
        for p in params.split('%').skip(1).map(|p| p.split(':').next().unwrap()) {
            if !inputs.contains(&format!("-i {p}=")) {
                inputs += &format!(" -i {p}=uniform:{}", i + 1);
            }
        }
        for mode in ["value-and-grad", "hvp"] {
            let inputs = if mode == "hvp" {
                wrt.split(',').fold(inputs.clone(), |s, w| s + &format!(" -i v_{w}=uniform:9"))
            } else {
                inputs.clone()
            };
            let out = dir.join(format!("{i}-{mode}"));
            let call = format!("grad {file} --entry {entry} --wrt {wrt} --mode {mode} --run {inputs} --print none");
            tfc(&examples(), &format!("{call} --backend interp --out-dir {}", out.display())).ok();
            let mut expect = String::new();
            for f in fs::read_dir(&out).unwrap().map(|f| f.unwrap().path()) {
                expect += &format!(" --expect {}={}", f.file_stem().unwrap().to_str().unwrap(), f.display());
            }
            assert!(!expect.is_empty());
            tfc(&examples(), &format!("{call} --backend cpu --rtol 1e-10 --atol 1e-12{expect}")).ok();
        }
    }
    for (file, args) in [
        ("kepler.tfir", "-i e=0.6 -i M=1.2"),
        ("heat.tfir", ""),
        ("rosenbrock.tfir", ""),
        ("newton_sqrt.tfir", "-i a=2"),
    ] {
        let numbers = |backend: &str| {
            let text = tfc(&examples(), &format!("run {file} {args} --backend {backend} --print full")).ok();
            let value = |w: &str| w.trim_matches(['[', ']', ',']).parse::<f64>().ok();
            text.split_whitespace().filter_map(value).collect::<Vec<_>>()
        };
        let (a, b) = (numbers("interp"), numbers("cpu"));
        assert!(!a.is_empty() && a.len() == b.len(), "{file}");
        assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() <= 1e-9 * (1.0 + y.abs())), "{file}: {a:?} {b:?}");
    }
}
