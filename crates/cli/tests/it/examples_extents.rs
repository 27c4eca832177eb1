//! The examples whose shapes are decided by values give the figures that theory asks: ranks of quantics tensor trains,
//! the error that the discarded singular values add up to, and derivatives through truncated matrix-product states.
use crate::common::{empty, ran};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/programs").canonicalize().unwrap()
}
/// A fresh folder of this test.
fn folder(name: &str) -> PathBuf {
    empty(&format!("extents-{name}"))
}
/// Standard output of a command line, split at spaces, that must succeed in `dir`.
#[track_caller]
fn tfc(dir: &Path, line: &str) -> String {
    ran(dir, line).ok()
}
/// The numbers of each result that `tfc run --print full` shows.
struct Results(BTreeMap<String, Vec<f64>>);
impl Results {
    #[track_caller]
    fn of(dir: &Path, line: &str) -> Results {
        let text = tfc(dir, &format!("{line} --print full"));
        let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut name = String::new();
        for l in text.lines() {
            let values = match l.split_once(" =") {
                Some((head, rest)) => {
                    name = head.split(':').next().unwrap().to_owned();
                    rest
                }
                None => l,
            };
            let numbers = values.split(['[', ']', '(', ')', ',', ' ']).filter_map(|w| w.parse::<f64>().ok());
            found.entry(name.clone()).or_default().extend(numbers);
        }
        assert!(!found.is_empty(), "`{line}` prints nothing that can be read:\n{text}");
        Results(found)
    }
    #[track_caller]
    fn list(&self, name: &str) -> &[f64] {
        self.0.get(name).unwrap_or_else(|| panic!("no result `{name}` in {:?}", self.0.keys()))
    }
    #[track_caller]
    fn one(&self, name: &str) -> f64 {
        let [x] = self.list(name) else { panic!("`{name}` is {:?}", self.list(name)) };
        *x
    }
}
/// Numbers that cores with these ranks hold, `p` points each.
fn size(ranks: &[f64], p: f64) -> f64 {
    ranks.iter().fold((0.0, 1.0), |(sum, left), r| (sum + left * p * r, *r)).0
}
/// The error is at most what the cuts discarded (and not less than that, as far as rounding lets one see).
#[track_caller]
fn bounded(error: f64, bound: f64, tol: f64) {
    assert!(error <= bound * (1.0 + 1e-9) + 1e-13, "error {error}, discarded {bound}");
    assert!(bound <= tol + 1e-12, "discarded {bound}, allowed {tol}");
    assert!(bound < 1e-12 || (error / bound - 1.0).abs() < 1e-3, "error {error}, discarded {bound}");
}

#[test]
fn what_examples_say_of_themselves_is_true() {
    let report = tfc(&examples(), "test .");
    fn programs(dir: &Path) -> usize {
        let entries = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
        entries
            .map(|p| if p.is_dir() { programs(&p) } else { usize::from(p.extension().is_some_and(|e| e == "tfir")) })
            .sum()
    }
    let all = programs(&examples());
    assert!(all >= 16 && report.contains("0 failed") && report.contains(&format!("{all} files")), "{all}: {report}");
}

#[test]
fn quantics_ranks_are_those_of_theory() {
    for backend in ["cpu", "interp"] {
        let r = Results::of(&examples().join("tt_svd"), &format!("run tt_svd.tfir --backend {backend}"));
        let cuts = |name: &str| {
            let ranks = r.list(name);
            assert_eq!((ranks.len(), ranks.last()), (16, Some(&1.0)), "{name}: {ranks:?}");
            ranks[..15].to_vec()
        };
        assert!(cuts("exp_ranks").iter().all(|&k| k == 1.0), "{:?}", r.list("exp_ranks"));
        assert!(cuts("sin_ranks").iter().all(|&k| k == 2.0), "{:?}", r.list("sin_ranks"));
        // A quintic has six coefficients: six vectors span the shifted copies of which its matricisations are made.
        assert!(cuts("poly_ranks").iter().all(|&k| k <= 6.0), "{:?}", r.list("poly_ranks"));
        assert!(cuts("poly_ranks").contains(&6.0), "{:?}", r.list("poly_ranks"));
        for f in ["exp", "sin", "poly"] {
            bounded(r.one(&format!("{f}_error")), r.one(&format!("{f}_bound")), 1e-10);
            assert_eq!(r.one(&format!("{f}_size")), size(r.list(&format!("{f}_ranks")), 2.0));
        }
    }
}

#[test]
fn a_polynomial_of_degree_p_has_ranks_of_at_most_p_plus_one() {
    let all = ["1", "0.5,-2", "1,-1,0.1", "2,-3,0.5,1", "1,1,-3,0.2,0.7", "9,-20,14,-3,0.1,1"];
    for (degree, coefficients) in all.iter().enumerate() {
        let line = format!("run tt_svd.tfir --entry polynomial -i coefficients=[{coefficients}] -i tol=1e-11");
        let r = Results::of(&examples().join("tt_svd"), &line);
        let largest = r.list("ranks").iter().fold(0.0_f64, |a, &b| a.max(b));
        assert!(largest <= degree as f64 + 1.0, "degree {degree}: {:?}", r.list("ranks"));
        assert!(largest >= 1.0 + f64::from(u8::from(degree > 0)), "degree {degree}: {:?}", r.list("ranks"));
        bounded(r.one("error"), r.one("bound"), 1e-11);
    }
}

#[test]
fn images_are_compressed_to_the_tolerance_that_is_asked() {
    for entry in ["image", "waves"] {
        let mut last = f64::INFINITY;
        for tol in [0.0, 0.01, 0.1, 0.3] {
            let line = format!("run tt_svd.tfir --entry {entry} -i tol={tol}");
            let r = Results::of(&examples().join("tt_svd"), &line);
            bounded(r.one("error"), r.one("bound"), tol);
            assert_eq!(r.one("size"), size(r.list("ranks"), 4.0));
            assert!(r.one("size") < last, "{entry}: a looser tolerance does not save anything");
            last = r.one("size");
            assert_eq!(r.list("restored").len(), 128 * 128);
        }
        assert!(last < 128.0 * 128.0 / 2.0, "{entry}: {last} numbers");
    }
    // Nothing is cut at tolerance 0: every grey level of the picture comes back.
    let r = Results::of(&examples().join("tt_svd"), "run tt_svd.tfir --entry image -i tol=0");
    let pixels = r.list("restored");
    assert!(pixels.iter().all(|v| (v - v.round()).abs() < 1e-10 && (-0.5..16.5).contains(v)));
    assert!(pixels.iter().any(|v| *v > 15.5) && pixels.iter().any(|v| *v < 0.5));
}

#[test]
fn cores_go_to_files_and_come_back() {
    let dir = folder("files");
    let program = examples().join("tt_svd/tt_svd.tfir").display().to_string();
    for n in [1, 2, 4, 256] {
        let run = |args: &str| tfc(&dir, &format!("run {program} --print none {args}"));
        fs::write(dir.join("x.tfir"), "tfir 1.0\nfunc @f<n>(%x: f64[n]) -> (y: f64[n]) {\n  return %x\n}\n").unwrap();
        tfc(&dir, &format!("run x.tfir -i x=randn:7 --bind n={n} -o y=x.npy --print none"));
        run("--entry compress -i x=@x.npy -i tol=1e-12 -o cores=c.npy -o ranks=r.npy -o weight=w.npy");
        run("--entry restore -i cores=@c.npy -i ranks=@r.npy -i weight=@w.npy --expect x=x.npy --rtol 1e-10");
    }
}

#[test]
fn only_what_the_data_decides_is_left_to_run_time() {
    for (file, guards) in
        [("tt_svd/tt_svd.tfir", 2), ("mps_truncate/mps_truncate.tfir", 2), ("mps_truncate/complex.tfir", 2)]
    {
        let list = tfc(&examples(), &format!("check --guards {file}"));
        assert_eq!(list.lines().filter(|l| l.contains(".tfir:")).count(), guards, "{list}");
    }
}

#[test]
fn truncated_states_and_the_derivative_of_their_overlap() {
    for backend in ["cpu", "interp"] {
        let judge = |state: &str, tol: &str| {
            let line = format!("run mps_truncate.tfir --entry {state} -i tol={tol} --backend {backend}");
            Results::of(&examples().join("mps_truncate"), &line)
        };
        let near = |state: &str, r: &Results, name: &str, want: f64| {
            let got = r.one(name);
            assert!((got - want).abs() <= 1e-11, "{state}, {name}: {got}, not {want}");
        };
        // Nothing but zeros is cut: the state is what it was, and so is the derivative, also where Schmidt values are
        // equal, all of them or all but one.
        for (state, entropy, ranks) in [
            ("generic", None, &[2.0, 4.0, 6.0, 6.0, 6.0, 4.0, 2.0, 1.0][..]),
            ("hidden", Some(0.0), &[1.0; 6]),
            ("padded", Some(0.0), &[1.0; 6]),
            ("ghz", Some(3f64.ln()), &[3.0, 3.0, 3.0, 3.0, 1.0]),
            ("pair", Some(4f64.ln()), &[4.0, 1.0]),
        ] {
            let r = judge(state, "1e-12");
            near(state, &r, "fidelity", 1.0);
            near(state, &r, "slope_gap", 0.0);
            assert_eq!(r.list("ranks"), ranks, "{state}");
            if let Some(h) = entropy {
                near(state, &r, "entropy", h);
            }
            // A product state that is kept in one Schmidt state has lost directions in which another overlap grows.
            if state != "hidden" {
                near(state, &r, "other_gap", 0.0);
            }
            assert!(r.one("other_gap").is_finite());
        }
        // A cut of 0.3 at seven bonds loses something, but at most the sum of the squares.
        let r = judge("generic", "0.3");
        assert!(r.one("fidelity") < 0.99 && r.one("fidelity") > 1.0 - 7.0 * 0.09, "{}", r.one("fidelity"));
        assert!(r.list("ranks").iter().sum::<f64>() < 31.0, "{:?}", r.list("ranks"));
        assert!(r.one("slope_gap") > 1e-3 && r.one("other_gap") > 1e-3);
    }
}

#[test]
fn the_overlap_is_what_the_discarded_weights_leave() {
    for tol in ["0", "0.05", "0.2", "0.5"] {
        let state = "--bind chi=5 --bind d=2 --bind l=7 -i psi=randn:3";
        let dir = examples().join("mps_truncate");
        let run = |line: &str| Results::of(&dir, &format!("run {line} {state}"));
        let r = run(&format!("mps_truncate.tfir --entry overlap -i tol={tol}"));
        let full = run("mps_truncate.tfir --entry norm_sq").one("norm_sq");
        let (overlap, norm_sq) = (r.one("overlap"), r.one("norm").powi(2));
        assert!((overlap / norm_sq - 1.0).abs() < 1e-12, "⟨T|ψ⟩ = {overlap}, ⟨T|T⟩ = {norm_sq}");
        assert!(((overlap + r.one("cut")) / full - 1.0).abs() < 1e-12, "{overlap} + {} = {full}", r.one("cut"));

        let r = run(&format!("complex.tfir --entry overlap -i tol={tol}"));
        let full = run("complex.tfir --entry full -i phi=randn:3");
        // `(re, im)`.
        let [re, im] = r.list("overlap") else { panic!("{:?}", r.list("overlap")) };
        assert!(im.abs() < 1e-12 * re, "({re}, {im})");
        assert!((re / r.one("norm_sq") - 1.0).abs() < 1e-12, "⟨T|ψ⟩ = {re}, ⟨T|T⟩ = {}", r.one("norm_sq"));
        assert!(((re + r.one("cut")) / full.list("overlap")[0] - 1.0).abs() < 1e-12, "{re} + {}", r.one("cut"));
    }
}

#[test]
fn derivatives_agree_with_differences_in_both_modes_and_orders() {
    let line = "grad mps_truncate/mps_truncate.tfir --wrt psi --check --entry";
    for args in [
        "overlap --bind chi=4 --bind d=2 --bind l=6 -i tol=0.2",
        "truncated --bind chi=3 --bind ksi=2 --bind d=3 --bind l=4 -i tol=0.3",
    ] {
        let r = tfc(&examples(), &format!("{line} {args}"));
        assert!(r.lines().count() > 3 && r.lines().all(|l| l.ends_with(": ok")), "{r}");
    }
    // Hessian times vector against a difference of gradients, through all cuts.
    let dir = folder("second");
    for (file, call, types, args) in [
        ("tt_svd/tt_svd.tfir", "@misfit", "f64[n]", "--bind n=16"),
        ("mps_truncate/mps_truncate.tfir", "@fidelity", "f64[3, 2, 3, 4]", ""),
    ] {
        let mut text = fs::read_to_string(examples().join(file)).unwrap();
        let extents = if args.is_empty() { "" } else { "<n>" };
        let axes = if args.is_empty() { "[0, 1, 2, 3]" } else { "[0]" };
        text += &format!(
            "
export func @second{extents}(%x: {types}, %v: {types}) -> (gap: f64[], size: f64[]) {{
  %tol: f64[] = const(0.3)
  %h: {types} = const(splat = 1e-5)
  %hv = mul(%h, %v)
  %right = add(%x, %hv)
  %left = sub(%x, %hv)
  %y, %g, %hvp: {types} = hvp({call}, %x, %tol, %v, wrt = [0])
  %gr = grad({call}, %right, %tol, wrt = [0])
  %gl = grad({call}, %left, %tol, wrt = [0])
  %dg = sub(%gr, %gl)
  %twice: {types} = const(splat = 2e-5)
  %slope = div(%dg, %twice)
  %miss = sub(%hvp, %slope)
  %miss_abs = abs(%miss)
  %gap = reduce_max(%miss_abs, axes = {axes})
  %all = abs(%hvp)
  %size = reduce_max(%all, axes = {axes})
  return %gap, %size
}}
"
        );
        fs::write(dir.join("second.tfir"), text).unwrap();
        for seed in 1..4 {
            let line = format!("run second.tfir --entry second {args} -i x=randn:{seed} -i v=randn:9");
            let r = Results::of(&dir, &line);
            let (gap, size) = (r.one("gap"), r.one("size"));
            assert!(gap <= 1e-6 * size, "{file}, seed {seed}: {gap} of {size}");
        }
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let image = tfc(&examples(), &format!("run tt_svd/tt_svd.tfir --entry image -i tol=0.1 --threads {threads}"));
        image + &tfc(&examples(), &format!("run mps_truncate/mps_truncate.tfir --threads {threads}"))
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(5));
}
