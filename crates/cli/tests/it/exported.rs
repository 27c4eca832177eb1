//! Programs by way of StableHLO text: exported, read back by this project's own reader and compiled, they give what they
//! gave. Samples of single rows are in `crates/testkit/tests/it/exported.rs`.
//!
//! `TFC_EXPORT_TO=FOLDER` writes each case there for judges from outside.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tfc::filetest::{Exported, discover};
use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_frontend::data::{Format, Want, load_as, save};
use tfc_ir::{Budget, Module, OpSet, Tensor};
use tfc_stablehlo::{Checks, Dynamic, Options, Spellings, export, narrowed, prepare};
use tfc_testkit::Need;
use tfc_testkit::tensors::distance;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
/// Writes a case for judges from outside, where that is asked for: all, or about one in `TFC_EXPORT_EVERY`, by their names.
fn keep(name: &str, text: &str, args: &[Tensor], want: &[Tensor]) {
    let Some(folder) = std::env::var_os("TFC_EXPORT_TO").map(PathBuf::from) else { return };
    let every = std::env::var("TFC_EXPORT_EVERY").ok().map_or(1, |n| n.parse().unwrap());
    if !name.bytes().map(usize::from).sum::<usize>().is_multiple_of(every) {
        return;
    }
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.mlir")), text).unwrap();
    for (kind, list) in [("in", args), ("out", want)] {
        for (i, t) in list.iter().enumerate() {
            save(&folder.join(format!("{name}.{kind}{i}.npy")), &[("x", t)]).unwrap();
            if t.dtype().is_tiny() {
                std::fs::write(folder.join(format!("{name}.{kind}{i}.dtype")), t.dtype().name()).unwrap();
            }
        }
    }
}
/// Calls that give something else, and why.
const OTHER: &[(&str, &str)] = &[
    (
        "complex_exp2_of_large_imaginary",
        "StableHLO has no power of 2, and the turn of `exp(z ln 2)` loses what `ln 2` is rounded by, times the imaginary part",
    ),
    (
        "product_of_one_number",
        "windows of StableHLO multiply by the 1 that they start from, and 1 times a complex infinity has a NaN",
    ),
];
/// The calls of file tests below a folder: how many give the same, and of how many of each code it was refused.
fn calls(folder: &str) -> (usize, BTreeMap<&'static str, usize>, Vec<String>) {
    let runner = tfc::runner(OpSet::core(), tfc::Kernels::default());
    let (mut same, mut refused, mut wrong) = (0, BTreeMap::new(), vec![]);
    for file in discover(&root().join(folder)).unwrap() {
        let part = |p: &Path| p.file_stem().unwrap().to_string_lossy().into_owned();
        let name = format!("{} {}", part(file.parent().unwrap()), part(&file));
        for call in runner.exported(&file, 4096).unwrap() {
            let at = format!("{name} {}", call.line);
            match call {
                Exported { refused: Some((code @ ("E1103" | "E1105" | "E1120" | "E1121"), _)), .. } => {
                    *refused.entry(code).or_default() += 1;
                }
                Exported { refused: Some((code, why)), text, .. } => {
                    wrong.push(format!("{at}: {code} {why}\n{}", text.unwrap_or_default()));
                }
                Exported { differs: Some(_), .. } if OTHER.iter().any(|o| name.ends_with(o.0)) => {
                    *refused.entry("other").or_default() += 1;
                }
                Exported { differs: Some(why), text, .. } => {
                    wrong.push(format!("{at}: {why}\n{}", text.unwrap_or_default()))
                }
                Exported { text, arguments, results, .. } => {
                    keep(&at, &text.unwrap_or_default(), &arguments, &results);
                    same += 1;
                }
            }
        }
    }
    (same, refused, wrong)
}
#[test]
fn calls_of_file_tests_come_back() {
    let (mut same, mut refused, mut wrong) = (0, BTreeMap::<&str, usize>::new(), vec![]);
    for folder in ["tests/ir/run", "tests/ir/regress"] {
        let (s, r, w) = calls(folder);
        same += s;
        r.into_iter().for_each(|(code, n)| *refused.entry(code).or_default() += n);
        wrong.extend(w);
    }
    println!("{same} calls come back, refused: {refused:?}");
    assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same > 400, "only {same}");
    assert_eq!(refused.remove("other"), Some(4), "an entry of OTHER that is not needed");
}

fn load(path: &Path) -> tfc_ir::Result<Tensor> {
    load_as(path, Format::Npy, None, Want { dtype: None, convert: false }, &Budget::default())
}
/// Where JAX's modules lie, if they do.
fn zoo() -> Option<PathBuf> {
    let given = std::env::var_os("TFC_CONFORMANCE").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| root().join("../shared/conformance")).join("jaxzoo");
    folder.is_dir().then_some(folder)
}
fn run(mut m: Module, args: &[Tensor]) -> Vec<Tensor> {
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let main = m.find("main").unwrap();
    Cpu::compile(&m, main, &CompileOptions::default()).unwrap().run(args, &RunOptions::default()).unwrap()
}
/// Modules of JAX, imported, exported and imported again, give what they gave.
#[test]
fn modules_of_jax_come_back() {
    let Some(folder) = zoo() else {
        Need::Suites.missing("there is no conformance/jaxzoo beside the project");
        return;
    };
    let ops = Arc::new(OpSet::core());
    let (mut wrong, mut same, mut refused) = (vec![], 0, BTreeMap::<&str, usize>::new());
    let mut all: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    for dir in all {
        let name = dir.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(text) = std::fs::read(dir.join("module.mlir")) else { continue };
        // Those of symbolic extents are no entries of exact ones.
        if name.starts_with("dyn_") {
            continue;
        }
        let read = |text: &[u8]| tfc_stablehlo::parse_module(text, &ops).unwrap_or_else(|d| panic!("{name}: {d:?}"));
        let m = read(&text);
        let mut args = vec![];
        while let Ok(t) = load(&dir.join(format!("in_{}.npy", args.len()))) {
            args.push(t);
        }
        let mut ready = m.fork();
        prepare(&mut ready, 2, &Spellings::default()).unwrap();
        let main = ready.find("main").unwrap();
        let options = Options { checks: Checks::Results, dynamic: Dynamic::Mask };
        let text = match export(&ready, main, &Spellings::default(), &options) {
            Ok(text) => text,
            Err(e) if matches!(e.data().code.name(), "E1103" | "E1120" | "E1121") => {
                *refused.entry(e.data().code.name()).or_default() += 1;
                continue;
            }
            Err(e) => panic!("{name}: {e}"),
        };
        let own = ready.func(main).unwrap();
        let (want, got) = (run(m, &args), narrowed(&own, run(read(text.as_bytes()), &args)).unwrap());
        let worst = want.iter().zip(&got).map(|(w, g)| distance(g, w)).fold(0.0, f64::max);
        let allowed = if name.ends_with("f32") { 1e-4 } else { 1e-7 };
        if worst > allowed || got.len() < want.len() {
            wrong.push(format!("{name}: off by {worst:e}"));
        } else {
            keep(&format!("zoo {name}"), &text, &args, &want);
            same += 1;
        }
    }
    println!("{same} modules come back, refused: {refused:?}");
    assert!(wrong.is_empty(), "{} modules:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same > 60, "only {same}");
}
/// A truncated factorisation by both ways, without checks: padded, with the rank beside it, and with results that say how large they are.
#[test]
fn a_truncated_factorisation_goes_both_ways() {
    let ops = Arc::new(OpSet::core());
    let text = "tfir 1.0
func @cut(%a: f64[4, 3], %tol: f64[]) -> (u: f64[4, ?r], s: f64[?r], vt: f64[?r, 3], low: f64[4, 3]) where ?r <= 3 {
  %u: f64[4, ?r], %s: f64[?r], %vt: f64[?r, 3] = linalg.svd_trunc(%a, %tol, on_fail = nan)
  %wide: f64[4, ?r] = broadcast_in_dim(%s, dims = [1])
  %us: f64[4, ?r] = mul(%u, %wide)
  %low: f64[4, 3] = dot_general(%us, %vt, contract = [[1], [0]])
  return %u, %s, %vt, %low
}
";
    let m = tfc_frontend::text::parse_module(text.as_bytes(), &ops).unwrap_or_else(|d| panic!("{d:?}")).module;
    let a = vec![3.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 4.0, 2.0, 0.0, 1.0];
    for (tol, rank) in [(0.0, 3), (0.5, 2), (0.9, 1)] {
        let args = [Tensor::from_logical(&[4, 3], a.clone()).unwrap(), Tensor::scalar(tol)];
        let mut own = m.fork();
        tfc_passes::level(2).run(&mut own, &mut |_| {}).unwrap();
        let cut = own.find("cut").unwrap();
        let want = Cpu::compile(&own, cut, &CompileOptions::default()).unwrap();
        let want = want.run(&args, &RunOptions::default()).unwrap();
        assert_eq!(want[1].shape(), [rank]);
        for (dynamic, name) in [(Dynamic::Mask, "mask"), (Dynamic::Bounds, "bounds")] {
            let mut ready = m.fork();
            prepare(&mut ready, 2, &Spellings::default()).unwrap();
            let cut = ready.find("cut").unwrap();
            let options = Options { checks: Checks::Refuse, dynamic };
            let text = export(&ready, cut, &Spellings::default(), &options).unwrap();
            let got = run(tfc_stablehlo::parse_module(text.as_bytes(), &ops).unwrap(), &args);
            let got = match dynamic {
                Dynamic::Mask => {
                    assert_eq!((got.len(), got[4].item::<i64>()), (5, Some(rank as i64)));
                    assert_eq!(got[0].shape(), [4, 3], "as long as it can get");
                    narrowed(&ready.func(cut).unwrap(), got).unwrap()
                }
                _ => got,
            };
            for (w, g) in want.iter().zip(&got) {
                assert_eq!(w.shape(), g.shape(), "{name} {tol}");
                assert!(distance(g, w) < 1e-12, "{name} {tol}: {g:?}, not {w:?}");
            }
            keep(&format!("svd_trunc {name} {rank}"), &text, &args, &want);
        }
    }
}
