//! What shows a program: pages of its passes, drawings of results, what passes say; and what begins one and runs it again.
use crate::common::{command, empty, folder, names, ran};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

const PROGRAM: &str = "tfir 1.1

export func @main<n>(%x: f64[n, 3], %s: f64[]) -> (y: f64[n, 3], total: f64[]) {
  %k = mul(2.0, 3.0)
  %y = mul(%x, mul(%s, %k))
  %same = mul(%x, mul(%s, %k))
  return add(%y, %same), reduce_sum(%y)
}
";

#[test]
fn a_page_shows_every_pass() {
    let dir = folder("tools-html", PROGRAM);
    ran(&dir, "compile p.tfir --emit html=p.html --bind n=4").gives("");
    ran(&dir, "compile p.tfir -o open.html").gives("");
    let page = fs::read_to_string(dir.join("p.html")).unwrap();
    let states = page.matches("<section class=\"state\"").count();
    assert!(states >= 4 && page.contains(&format!("max=\"{}\"", states - 1)), "{states} states");
    for words in
        ["data-title=\"as it is written\"", "cse", "class=\"line gone\"", "class=\"line new\"", "<svg", "bytes held"]
    {
        assert!(page.contains(words), "`{words}` is missing");
    }
    // It is whole: nothing comes from elsewhere.
    let links = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!links.contains("http") && !links.contains("src="), "a page needs no network");
    assert!(fs::read_to_string(dir.join("open.html")).unwrap().contains("--bind n=1000"));
    // The same program is the same page.
    ran(&dir, "compile p.tfir --emit html --bind n=4").gives(&page);
}
/// The page works in a browser, where there is one.
#[test]
fn a_page_works_in_a_browser() {
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = browsers.into_iter().find(|b| Command::new(b).arg("--version").output().is_ok()) else {
        println!("skipped: there is no browser");
        return;
    };
    let dir = folder("tools-browser", PROGRAM);
    ran(&dir, "compile p.tfir --emit html=p.html --bind n=4").gives("");
    let out = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("file://{}#2-memory", dir.join("p.html").display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&out.stdout);
    assert!(dom.contains("data-view=\"memory\""), "{dom}");
    assert_eq!(dom.matches("class=\"state on\"").count(), 1, "one state is shown");
    assert!(dom.contains("<span id=\"title\">2. "), "its pass is named");
}

#[test]
fn results_are_drawn() {
    let dir = folder("tools-plot", PROGRAM);
    let line = "run p.tfir -i x=[[1,2,3],[4,nan,6],[-1,0,2]] -i s=1 --print none";
    ran(&dir, &format!("{line} --plot y --plot y:heat=heat.svg --plot 0:hist=hist.svg --plot y:image=image.svg"))
        .gives("");
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    let lines = read("y.svg");
    assert!(lines.starts_with("<svg ") && lines.contains("y: f64[3, 3]") && lines.contains("column 2"), "{lines}");
    // What is no number is a gap: two beginnings of one line.
    assert_eq!(lines.lines().filter(|l| l.contains("stroke-width=\"1.5\"") && l.matches('M').count() == 2).count(), 1);
    assert!(read("heat.svg").contains("fill=\"#bbb\""));
    assert!(read("hist.svg").contains("1 not finite"));
    assert!(read("image.svg").matches("<rect").count() > 5);
    ran(&dir, &format!("{line} --plot total:hist")).gives("");
    ran(&dir, &format!("{line} --plot total")).fails(3, &["E0607", "lines are of 1 or 2 axes"]);
    ran(&dir, &format!("{line} --plot y:pie")).fails(2, &["E0901", "lines, heat, image and hist"]);
    ran(&dir, &format!("{line} --plot y=y.png")).fails(2, &["E0901", "--plot y=y.svg"]);
    ran(&dir, &format!("{line} --plot z")).fails(2, &["E0904", "it has y, total"]);
    ran(&dir, "grad p.tfir --plot y").fails(2, &["E0901", "`--plot` needs"]);
    // Empty, alone, beyond all numbers.
    fs::write(dir.join("v.tfir"), "tfir 1.1\nexport func @main<n>(%y: f64[n]) -> (y: f64[n]) {\n  return %y\n}\n")
        .unwrap();
    for value in ["[]", "[1]", "[1e308,-1e308]", "[inf,nan]", "[0,0]"] {
        for kind in ["lines", "hist"] {
            ran(&dir, &format!("run v.tfir -i y={value} --plot y:{kind}=v.svg --print none")).gives("");
            let svg = read("v.svg");
            assert!(!svg.contains("NaN") && !svg.contains("=\"inf"), "{value} {kind}: {svg}");
        }
    }
    ran(&dir, "run v.tfir -i y=linspace:0:1:100000 --plot y --print none").gives("");
    assert!(read("y.svg").len() < 100_000);
}

#[test]
fn passes_say_what_they_do() {
    let dir = folder("tools-explain", PROGRAM);
    let said = ran(&dir, "opt p.tfir -p fold,cse,dce --explain");
    said.shows(&["export func @main"]).mentions(&[
        "fold: p.tfir:4:3: @main: %k = mul(2.0, 3.0): 6.0",
        "cse: p.tfir:6:3: @main: %same = mul(%x, %same_mul): %y",
        "dce: p.tfir:4:",
        "nothing needs it",
    ]);
    assert!(ran(&dir, "opt p.tfir -p fold,cse,dce").err.is_empty());
}

/// A statement that `simplify` replaces shows the identity: its operands as far as they matter, and what it is now.
#[test]
fn identities_are_seen() {
    let text = "tfir 1.1
func @main(%x: f64[4], %y: f64[4]) -> f64[4] {
  %a = mul(%x, 1)
  %n = neg(%y)
  %b = add(%a, %n)
  %t = transpose(transpose(%b[_, :], perm = [1, 0]), perm = [1, 0])
  %s = select(true, %b, %y)
  return add(%s, %t[0, :])
}
";
    let dir = folder("tools-identities", text);
    ran(&dir, "opt p.tfir -p simplify --explain").mentions(&[
        "simplify: p.tfir:3:3: @main: %a = mul(%x, 1.0): %x",
        "simplify: p.tfir:5:3: @main: %b = add(mul(%x, 1.0), neg(%y)): sub(%x, %y)",
        "transpose(transpose(%b)): %b",
    ]);
}

/// Of values that a call prints under one label every so many, the first among them.
#[test]
fn every_so_many_are_printed() {
    let text = "tfir 1.1
func @main(%x: f64[]) -> f64[] {
  %y, %_n = scan(%x, 0, carry = 2, length = 10) {
    body(%z: f64[], %i: i64[]) {
      %next = add(%z, 1)
      print(%next, \"z\", every = 4)
      print(%i, \"i\", every = 9)
      yield %next, add(%i, 1)
    }
  }
  print(%y, \"z\", every = 4)
  return %y
}
";
    let dir = folder("tools-every", text);
    for engine in ["cpu", "interp"] {
        let said = ran(&dir, &format!("run p.tfir -i x=0 --repeat 2 --backend {engine} --print none"));
        let lines: Vec<&str> = said.err.lines().filter(|l| l.contains(" = ")).collect();
        // Each run counts anew.
        let once = ["z = 1.0", "i = 0", "z = 5.0", "z = 9.0", "i = 9"];
        assert_eq!(lines, [once, once].concat(), "{engine}");
    }
}

/// What the file says of data is known where the program is read, and two data with a name in common agree.
#[test]
fn files_say_extents() {
    let text = "tfir 1.1
data @x: f64[n, 3] = npy(\"x.npy\")
data @y: f64[n] = npz(\"y.npz\", key = \"y\")
data @w: f64[k] = safetensors(\"w.safetensors\", key = \"w\")
data @t: f64[n, 2] = csv(\"t.csv\")
func @main() -> (y: f64[n], w: f64[k], t: f64[n, 2]) {
  %x: f64[n, 3] = load(@x)
  return add(reduce_sum(%x, axes = [1]), load(@y)), load(@w), load(@t)
}
";
    let dir = folder("tools-extents", text);
    let make = "tfir 1.1
func @main<n, m, k, l>(%x: f64[n, m], %y: f64[k], %w: f64[l], %t: f64[n, 2]) -> (x: f64[n, m], y: f64[k], w: f64[l], t: f64[n, 2]) {
  return %x, %y, %w, %t
}
";
    fs::write(dir.join("make.tfir"), make).unwrap();
    let write = |x: &str, y: &str| {
        let line = format!(
            "run make.tfir -i x={x} -i y={y} -i w=[7,8,9] -i t=ones --bind n=2 --print none -o x=x.npy -o y=y.npz -o w=w.safetensors -o t=t.csv"
        );
        ran(&dir, &line).gives("");
    };
    write("[[1,2,3],[4,5,6]]", "[10,20]");
    ran(&dir, "run p.tfir").shows(&["y: f64[2] = [16.0, 35.0]", "w: f64[3] = [7.0, 8.0, 9.0]", "t: f64[2, 2]"]);
    ran(&dir, "opt p.tfir -p dce").shows(&["data @x: f64[2, 3] = npy", "tfir 1.0"]);
    write("[[1,2,3],[4,5,6]]", "[10,20,30]");
    ran(&dir, "check p.tfir").fails(1, &["E0607", "the file has 3 here, but `n` is 2"]);
    write("[[1,2],[4,5]]", "[10,20]");
    ran(&dir, "run p.tfir").fails(3, &["E0607", "axis 1 has extent 2, but 3 is expected"]);
    fs::remove_file(dir.join("x.npy")).unwrap();
    ran(&dir, "check p.tfir").fails(1, &["E0601", "x.npy"]);
}

/// A file that is mapped costs no memory, and gives what reading it gives.
#[test]
fn mapped_files_are_the_same() {
    let text = "tfir 1.1
func @main<n>(%x: f64[n, 256], %i: i64[] = 3) -> (row: f64[256]) {
  return dynamic_slice(%x, %i, 0, sizes = shape[1, 256])[0, :]
}
";
    let dir = folder("tools-map", text);
    let make = "tfir 1.1
func @main<n>(%x: f64[n, 256]) -> (x: f64[n, 256]) {
  return %x
}
";
    fs::write(dir.join("make.tfir"), make).unwrap();
    for name in ["x.npy", "x.safetensors"] {
        let spec = if name == "x.npy" { "@x.npy" } else { "@x.safetensors:x" };
        ran(&dir, &format!("run make.tfir -i x=randn:1 --bind n=4096 --print none -o x={name}")).gives("");
        let read = ran(&dir, &format!("run p.tfir -i x={spec} --print full")).ok();
        // 8 MiB of elements under a limit of one.
        ran(&dir, &format!("run p.tfir -i x={spec} --print full --map --max-memory 1M")).gives(&read);
        ran(&dir, &format!("run p.tfir -i x={spec} --print full --max-memory 1M")).fails(3, &["E0715"]);
        // A result may take the place of an input.
        ran(&dir, &format!("run make.tfir -i x={spec} --map --print none -o x={name}")).gives("");
        ran(&dir, &format!("run p.tfir -i x={spec} --print full")).gives(&read);
    }
    // What has to be converted is read.
    let small = make.replace("f64", "f32");
    fs::write(dir.join("small.tfir"), small).unwrap();
    ran(&dir, "run small.tfir -i x=randn:1 --bind n=4096 --print none -o x=s.npy").gives("");
    ran(&dir, "run p.tfir -i x=@s.npy --map --print none").gives("");
}

#[test]
fn suspect_programs_are_warned_of() {
    let text = "tfir 1.1
export func @main<m, n>(%x: f64[m], %y: f64[n], %rate: f64[], %_spare: f64[]) -> (z: f64[m]) {
  %idle = exp(%x)
  %more = log(%idle)
  %_kept = exp(%x)
  return add(%x, %y)
}
";
    let dir = folder("tools-warnings", text);
    let said = ran(&dir, "check p.tfir --error-format short");
    said.gives("");
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!(lines.len(), 4, "{}", said.err);
    for (line, start) in lines.iter().zip([
        "p.tfir:2:49: warning[E0316]: the parameter `%rate` of @main is not used",
        "p.tfir:3:3: warning[E0315]: `%idle` is not used",
        "p.tfir:4:3: warning[E0315]: `%more` is not used",
        "p.tfir:6:10: warning[E0430]: checked only at run time: m == n",
    ]) {
        assert!(line.starts_with(start), "{line}");
    }
    assert_eq!(ran(&dir, "check p.tfir -q").err, "");
    ran(&dir, "check p.tfir --mesh data=2 --shard q=data")
        .fails(2, &["E0904", "no parameter or result `q`", "x, y, rate"]);
    ran(&dir, "check p.tfir -q --mesh data=2 --shard x=data").gives("");
    // What a loop counts its trips by is used.
    fs::write(
        dir.join("loop.tfir"),
        "tfir 1.1\nexport func @main(%x: f64[]) -> f64[] {\n  %step: f64[20] = iota(axis = 0)\n  %y = scan(%x, %step, carry = 1) {\n    body(%a: f64[], %s: f64[]) {\n      yield mul(2, %a)\n    }\n  }\n  return %y\n}\n",
    )
    .unwrap();
    assert_eq!(ran(&dir, "check loop.tfir").err, "");
}

#[test]
fn programs_begin() {
    let dir = empty("tools-new");
    ran(&dir, "new fit").gives("");
    let fit = dir.join("fit");
    assert_eq!(names(&fit), ["README.md", "main.tfir", "points.csv", "test.tfir"]);
    // Every command of its page works, but for the one that never ends.
    let page = fs::read_to_string(fit.join("README.md")).unwrap();
    let commands: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("    tfc ")).collect();
    assert_eq!(commands.len(), 6);
    for line in commands.iter().filter(|c| !c.starts_with("watch")) {
        let done = ran(&fit, line);
        done.ok();
        assert!(!done.err.contains("warning"), "`{line}`: {}", done.err);
    }
    assert!(fit.join("losses.svg").exists());
    ran(&dir, "new fit").fails(2, &["E0901", "`fit` is not empty"]);
    for name in ["main.tfir", "test.tfir"] {
        ran(&fit, &format!("fmt --check {name}")).gives("");
    }
}

/// A process that does not outlive the test.
struct Killed(std::process::Child);
impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
/// The lines of a stream as they come.
fn lines_of(stream: impl std::io::Read + Send + 'static) -> mpsc::Receiver<String> {
    let (to, from) = mpsc::channel();
    std::thread::spawn(move || BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|l| to.send(l)));
    from
}

#[test]
fn a_change_runs_it_again() {
    let dir = folder(
        "tools-watch",
        "tfir 1.1\nimport \"k.tfir\" as k\nexport func @main() -> (y: f64[]) {\n  return call(@k.k)\n}\n",
    );
    let part = |k: &str| format!("tfir 1.1\nfunc @k() -> f64[] {{\n  return {k}\n}}\n");
    fs::write(dir.join("k.tfir"), part("mul(1, 2)")).unwrap();
    let child =
        command(&dir, &["watch", "run", "p.tfir"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut child = Killed(child);
    let out = lines_of(child.0.stdout.take().unwrap());
    let err = lines_of(child.0.stderr.take().unwrap());
    let wait = |from: &mpsc::Receiver<String>, words: &str| {
        let line = std::iter::from_fn(|| from.recv_timeout(Duration::from_secs(60)).ok()).find(|l| l.contains(words));
        assert!(line.is_some(), "`{words}` does not come");
    };
    wait(&out, "y = 2.0");
    wait(&err, "waiting");
    // A file that the program imports; a program that is wrong, and right again.
    fs::write(dir.join("k.tfir"), part("mul(1.5, 2)")).unwrap();
    wait(&out, "y = 3.0");
    wait(&err, "waiting");
    fs::write(dir.join("k.tfir"), part("mul(%nothing, 2)")).unwrap();
    wait(&err, "E0301");
    wait(&err, "waiting");
    fs::write(dir.join("k.tfir"), part("mul(10, 20)")).unwrap();
    wait(&out, "y = 200.0");
    drop(child);
    // What a run writes is no reason to run again, also where it reads it.
    fs::write(
        dir.join("next.tfir"),
        "tfir 1.1\nexport func @main(%x: f64[1]) -> (x: f64[1]) {\n  return mul(2, %x)\n}\n",
    )
    .unwrap();
    ran(&dir, "run next.tfir -i x=[1] -o x=x.npz --plot x --print none").gives("");
    let line = ["watch", "run", "next.tfir", "-i", "x=@x.npz:x", "-o", "x=x.npz", "--plot", "x=x.svg"];
    let mut child = Killed(command(&dir, &line).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap());
    let err = lines_of(child.0.stderr.take().unwrap());
    wait(&err, "waiting");
    assert!(err.recv_timeout(Duration::from_millis(700)).is_err(), "it runs without a change");
    drop(child);
    ran(&dir, "watch watch run p.tfir").fails(2, &["E0901", "cannot be watched"]);
    ran(&dir, "watch rum p.tfir").fails(2, &["E0901", "rum"]);
}

#[test]
fn loops_say_how_far_they_are() {
    let text = "tfir 1.1
export func @main<n>(%a: f64[n, n], %x: f64[n]) -> (x: f64[n]) {
  %y = scan(%x, carry = 1, length = 12000) {
    body(%v: f64[n]) {
      yield tanh(matmul(%a, %v))
    }
  }
  return %y
}
";
    let dir = folder("tools-progress", text);
    let line = "run p.tfir -q -i a=randn:1 -i x=randn:2 --bind n=600 --print none --threads 1";
    // So long that it is looked at several times.
    let said = ran(&dir, &format!("{line} --progress=always"));
    said.gives("");
    let lines: Vec<&str> = said.err.lines().filter(|l| l.starts_with("progress: ")).collect();
    assert!(!lines.is_empty() && lines.iter().all(|l| l.contains(" of 12000 trips, ")), "{}", said.err);
    // Not without a terminal, unless it is asked for.
    assert_eq!(ran(&dir, &format!("{line} --progress")).err, "");
}

#[test]
fn a_trap_in_a_derivative_names_the_primal_line() {
    let text = "tfir 1.1
export func @main<n>(%x: f64[n]) -> (y: f64[]) {
  %r = sqrt(reduce_sum(mul(%x, %x)))
  return mul(2, %r)
}
";
    let dir = folder("tools-trap", text);
    let line = "grad p.tfir --run -i x=[0,0] --trap";
    ran(&dir, &format!("{line} nan,inf")).fails(
        3,
        &[
            "E0732",
            "`g_x` holds nan",
            "which `div` makes, in the derivative or the expansion of this statement",
            "p.tfir:3:",
        ],
    );
    // 0 · ∞, of the derivative of a product.
    ran(&dir, &format!("{line} nan"))
        .fails(3, &["which `mul` makes, in this statement or its derivative", "p.tfir:3:24"]);
    fs::write(dir.join("d.tfir"), text.replace("sqrt(reduce_sum(mul(%x, %x)))", "div(reduce_sum(%x), 0)")).unwrap();
    ran(&dir, "run d.tfir -i x=[0,0] --trap nan").fails(3, &["which `div` makes\n"]);
}

#[test]
fn a_condition_that_fails_is_underlined() {
    let text = "tfir 1.1
export func @main<m, n>(%x: f64[m], %y: f64[n]) -> (z: f64[]) where m >= 2, n<=3 {
  return add(reduce_sum(%x), reduce_sum(%y))
}
";
    let dir = folder("tools-where", text);
    let run = "run p.tfir -q --error-format short";
    ran(&dir, &format!("{run} -i x=[1] -i y=[1]")).fails(3, &["p.tfir:2:69: error[E0421]"]);
    // Written otherwise than it is printed: the word in front of the conditions.
    ran(&dir, &format!("{run} -i x=[1,2] -i y=[1,2,3,4]")).fails(3, &["p.tfir:2:63: error[E0421]"]);
}

#[test]
fn a_factorisation_that_fails_says_why() {
    let text = "tfir 1.1
export func @cholesky<n>(%a: f64[n, n]) -> (l: f64[n, n]) {
  return linalg.cholesky(%a)
}
export func @inv<n>(%a: f64[n, n]) -> (b: f64[n, n]) {
  return linalg.inv(%a)
}
";
    let dir = folder("tools-factorisations", text);
    let large: Vec<String> = (0..20).map(|i| format!("[{}]", vec![(i + 1).to_string(); 20].join(","))).collect();
    for backend in ["cpu", "interp"] {
        let fails = |entry: &str, a: &str, words: &str| {
            ran(&dir, &format!("run p.tfir --entry {entry} -i a={a} --backend {backend}")).fails(3, &["E0740", words]);
        };
        // Its upper triangle is not read.
        for a in ["[[1,2],[2,1]]", "[[1,nan],[2,1]]", &format!("[{}]", large.join(","))] {
            fails("cholesky", a, "`linalg.cholesky` of the matrix does not exist: the matrix is not positive definite");
        }
        fails("cholesky", "[[1,2],[nan,1]]", "the matrix that `linalg.cholesky` is given holds a NaN or an infinity");
        fails("inv", "[[1,2],[inf,1]]", "is given holds a NaN or an infinity");
    }
}
