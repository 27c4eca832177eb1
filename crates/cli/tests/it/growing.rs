//! Generated programs whose loops carry and join tensors of changing extents, with cuts and branches that values decide,
//! nested: each is checked, its derivative and its second derivative compared with differences and with each other.
//!
//! `vjp` against `jvp` is exact. Differences of functions as steep as these are rough, and say nothing where a branch turns
//! between their points: most must agree.
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use tfc_testkit::Rng;

/// A vector: name and extent.
type Vector = (String, String);
#[derive(Clone)]
struct Scope {
    vectors: Vec<Vector>,
    scalars: Vec<String>,
}
struct Gen {
    rng: Rng,
    names: usize,
    text: String,
    depth: usize,
}
impl Gen {
    fn value(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }
    fn extent(&mut self) -> String {
        self.names += 1;
        format!("?e{}", self.names)
    }
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * self.depth + 2);
    }
    fn vector(&mut self, s: &Scope) -> Vector {
        s.vectors[self.rng.below(s.vectors.len())].clone()
    }
    fn scalar(&mut self, s: &Scope) -> String {
        s.scalars[self.rng.below(s.scalars.len())].clone()
    }
    fn total(&mut self, v: &str) -> String {
        let t = self.value();
        self.line(&format!("{t} = reduce_sum({v}, axes = [0])"));
        t
    }
    fn block(&mut self, s: &mut Scope, levels: usize, size: usize) {
        for _ in 0..size {
            let (a, e) = self.vector(s);
            let o = self.value();
            match self.rng.below(12) {
                0..=2 => {
                    let op = ["sin", "tanh", "cos", "logistic"][self.rng.below(4)];
                    self.line(&format!("{o} = {op}({a})"));
                    s.vectors.push((o, e));
                }
                3 | 4 => {
                    let (w, wide) = (self.scalar(s), self.value());
                    self.line(&format!("{wide}: f64[{e}] = broadcast_in_dim({w}, dims = [])"));
                    self.line(&format!("{o} = mul({a}, {wide})"));
                    s.vectors.push((o, e));
                }
                5 => {
                    let t = self.total(&a);
                    self.line(&format!("{o} = sin({t})"));
                    s.scalars.push(o);
                }
                6 => {
                    let (b, f) = self.vector(s);
                    self.line(&format!("{o} = concat({a}, {b}, axis = 0)"));
                    s.vectors.push((o, format!("{e} + {f}")));
                }
                7 => self.cut(s, &a, &e, o),
                8 | 9 if levels > 0 => self.a_loop(s, levels - 1),
                10 if levels > 0 => self.branch(s, levels - 1),
                _ => {
                    self.line(&format!("{o} = mul({a}, {a})"));
                    s.vectors.push((o, e));
                }
            }
        }
    }
    /// A prefix whose length is a value.
    fn cut(&mut self, s: &mut Scope, a: &str, e: &str, o: String) {
        let (n, m, k, x) = (self.value(), self.value(), self.value(), self.extent());
        self.line(&format!("{n} = dim_value(shape[{e}])"));
        let most = 1 + self.rng.below(3);
        self.line(&format!("{m}: i64[] = const({most})"));
        self.line(&format!("{k} = min({n}, {m})"));
        self.line(&format!("extent({k}, shape[{x}]) where {x} <= {e}"));
        self.line(&format!("{o}: f64[{x}] = take_prefix({a}, axis = 0)"));
        s.vectors.push((o, x));
    }
    fn branch(&mut self, s: &mut Scope, levels: usize) {
        let (w, z, p, o, t, x) =
            (self.scalar(s), self.value(), self.value(), self.value(), self.value(), self.extent());
        let bound = ["-0.3", "0.0", "0.3"][self.rng.below(3)];
        self.line(&format!("{z} = const({bound})"));
        self.line(&format!("{p} = lt({w}, {z})"));
        self.line(&format!("{o}: f64[{x}], {t} = cond({p}) {{"));
        for label in ["then", "else"] {
            self.depth += 1;
            self.line(&format!("{label}() {{"));
            self.depth += 1;
            let mut inner = s.clone();
            let size = 1 + self.rng.below(4);
            self.block(&mut inner, levels, size);
            let w = self.scalar(&inner);
            let last = inner.vectors[inner.vectors.len() - 1].0.clone();
            self.line(&format!("yield {last}, {w}"));
            self.depth -= 1;
            self.line("}");
            self.depth -= 1;
        }
        self.line("}");
        s.vectors.push((o, x));
        s.scalars.push(t);
    }
    fn a_loop(&mut self, s: &mut Scope, levels: usize) {
        let ((a, _), w) = (self.vector(s), self.scalar(s));
        let (own, last, all) = (self.extent(), self.extent(), self.extent());
        let (c, q, i, trips) = (self.value(), self.value(), self.value(), 1 + self.rng.below(3));
        let (r, t, joined) = (self.value(), self.value(), self.value());
        let scan = self.rng.below(2) == 0;
        if scan {
            let reverse = ["", ", reverse = true"][self.rng.below(2)];
            self.line(&format!(
                "{r}: f64[{last}], {t}, {joined}: f64[{all}] = scan({a}, {w}, carry = 2, length = {trips}, \
                 collect = concat{reverse}) {{"
            ));
            self.depth += 1;
            self.line(&format!("body({c}: f64[{own}], {q}: f64[]) {{"));
        } else {
            let [zero, count, x, y, k, n, go] = std::array::from_fn(|_| self.value());
            self.line(&format!("{zero} = const(0)"));
            self.line(&format!(
                "{r}: f64[{last}], {t}, {count}, {joined}: f64[{all}] = while({a}, {w}, {zero}, collect = concat) {{"
            ));
            self.depth += 1;
            self.line(&format!("cond({x}: f64[{own}], {y}: f64[], {k}: i64[]) {{"));
            self.line(&format!("  {n} = const({trips})"));
            self.line(&format!("  {go} = lt({k}, {n})"));
            self.line(&format!("  yield {go}"));
            self.line("}");
            self.line(&format!("body({c}: f64[{own}], {q}: f64[], {i}: i64[]) {{"));
        }
        self.depth += 1;
        let mut inner = s.clone();
        inner.vectors.push((c, own.clone()));
        inner.scalars.push(q);
        let size = 2 + self.rng.below(5);
        self.block(&mut inner, levels, size);
        let grown: Vec<_> = inner.vectors.iter().filter(|v| v.1.contains(&own)).cloned().collect();
        let next = grown[self.rng.below(grown.len())].0.clone();
        let (sum, turned, share) = (self.total(&next), self.value(), self.vector(&inner).0);
        self.line(&format!("{turned} = sin({sum})"));
        if scan {
            self.line(&format!("yield {next}, {turned}, {share}"));
        } else {
            let (one, more) = (self.value(), self.value());
            self.line(&format!("{one} = const(1)"));
            self.line(&format!("{more} = add({i}, {one})"));
            self.line(&format!("yield {next}, {turned}, {more}, {share}"));
        }
        for _ in 0..2 {
            self.depth -= 1;
            self.line("}");
        }
        s.vectors.extend([(r, last), (joined, all)]);
        s.scalars.push(t);
    }
    fn program(seed: u64) -> String {
        let mut g = Gen { rng: Rng::new(seed), names: 0, text: String::new(), depth: 0 };
        let mut s = Scope { vectors: vec![("%x".into(), "n".into())], scalars: vec!["%w".into()] };
        let size = 3 + g.rng.below(5);
        g.block(&mut s, 2, size);
        g.a_loop(&mut s, 1);
        let mut sum = g.scalar(&s);
        for (v, _) in s.vectors.iter().rev().take(4) {
            let (bounded, next) = (g.value(), g.value());
            g.line(&format!("{bounded} = sin({v})"));
            let t = g.total(&bounded);
            g.line(&format!("{next} = add({sum}, {t})"));
            sum = next;
        }
        format!("tfir 1.0\nexport func @f<n>(%x: f64[n], %w: f64[]) -> (l: f64[]) {{\n{}  return {sum}\n}}\n", g.text)
    }
}
/// Checks the programs of these seeds.
fn walk(seeds: std::ops::Range<u64>) {
    let (mut apart, mut all) = (vec![], 0);
    for seed in seeds {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("growing-{seed}.tfir"));
        let program = Gen::program(seed);
        std::fs::write(&file, &program).expect("written");
        for mode in ["vjp", "hvp"] {
            let out = Command::new(env!("CARGO_BIN_EXE_tfc"))
                .args(["grad", "--wrt", "x,w", "--mode", mode, "--check", "-i", "w=0.4"])
                .args(["-i", &format!("x=randn:{}", seed % 7), "--bind", &format!("n={}", seed % 4 + 1)])
                .arg(&file)
                .env("TFC_POISON", "1")
                .output()
                .expect("tfc runs");
            let said = String::from_utf8_lossy(&out.stdout);
            let about = || format!("seed {seed}, {mode}: {said}{}\n{program}", String::from_utf8_lossy(&out.stderr));
            assert!(matches!(out.status.code(), Some(0 | 4)), "{}", about());
            let error = |line: &str| -> f64 {
                line.split("error ")
                    .nth(1)
                    .and_then(|e| e.split(',').next())
                    .map_or(f64::NAN, |e| e.parse().expect("number"))
            };
            let (exact, rough): (Vec<_>, Vec<_>) = said.lines().partition(|l| l.contains("vjp against jvp"));
            assert!(!exact.is_empty() && exact.iter().all(|l| error(l) <= 1e-10), "{}", about());
            all += 1;
            if !rough.iter().all(|l| error(l) <= 1e-3) {
                apart.push((seed, mode));
            }
        }
        read_back(&file, seed);
        std::fs::remove_file(&file).expect("removed");
    }
    assert!(apart.len() * 8 <= all, "far from differences: {apart:?}");
}
/// What passes make of it reads back after each of them.
fn read_back(file: &Path, seed: u64) {
    let runner = tfc::runner(tfc_ir::OpSet::core(), tfc::Kernels::default());
    let of = |mode: &'static str| vec!["grad", "--wrt", "x,w", "--mode", mode, "--verify-roundtrip"];
    let mut commands: Vec<_> = ["vjp", "jvp", "hvp", "linearize", "transpose"].into_iter().map(of).collect();
    commands.extend(["-O0", "-O1", "-O2"].map(|level| vec!["compile", level, "--verify-roundtrip"]));
    for words in commands {
        let (code, _, said) = runner.tell(&words, file).expect("a command");
        assert!(code == 0, "seed {seed}, {}: {said}", words.join(" "));
    }
}
#[test]
fn derivatives_of_loops_that_grow() {
    walk(0..40);
}
#[test]
#[ignore = "minutes; the same with other seeds"]
fn derivatives_of_loops_that_grow_at_length() {
    walk(40..2000);
}
