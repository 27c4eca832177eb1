//! Cases that other tests have written, by a PJRT plugin: samples of every row, calls of the file tests, modules of JAX.
//!
//! A case is `NAME.mlir` with `NAME.in0.npy …` and `NAME.out0.npy …`. `TFC_EXPORT_TO=FOLDER` makes
//! `cargo test -p tfc-testkit --test it exported` and `cargo test -p tfc-lang --test it exported` write them; `TFC_CASES=FOLDER`, or
//! `target/cases`, is where this test looks. One in `TFC_EXPORT_EVERY` is written, all unless that is set; every fifth one is run, all with `TFC_CASES_EVERY=1`; `TFC_CASE=WORD` chooses by name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{differs, plugin};
use tfc_frontend::data::{Format, Want, load_as};
use tfc_ir::{Budget, DType, Tensor};
use tfc_stablehlo::Spellings;
use tfc_testkit::Need;
use tfc_xla::Xla;

/// What differs for a reason that is not the text's: what a case's name begins with, what the finding says, and why.
const KNOWN: &[(&str, &str, &str)] = &[
    ("run elementary_f", "check_close fails", "elementary functions of XLA are further off than this language allows"),
    ("run linalg_qr_eigh 20", "i64[2] = [0, 1], not", "denormal numbers are zeros, and the matrix has no others"),
    ("run linalg_square 3", "NaN", "a singular system: infinities here, NaN there as of all that fails"),
    ("convert", "PRIMITIVE_TYPE_INVALID", "XLA has no floats of six bits"),
];

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("TFC_CASES").map(PathBuf::from);
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/cases");
    let found = named.unwrap_or(here);
    if found.is_dir() {
        return Some(found);
    }
    Need::Cases.missing("there is no folder of cases; TFC_EXPORT_TO=FOLDER makes the tests `exported` write one");
    None
}
fn numbered(base: &str, kind: &str) -> Vec<Tensor> {
    let mut out = vec![];
    loop {
        let path = PathBuf::from(format!("{base}.{kind}{}.npy", out.len()));
        if !path.exists() {
            return out;
        }
        let load = |dtype| load_as(&path, Format::Npy, None, Want { dtype, convert: false }, &Budget::default());
        // A file does not say which tiny dtype it holds: a name beside it does.
        let dtype = std::fs::read_to_string(path.with_extension("dtype")).ok();
        out.push(load(dtype.and_then(|d| DType::from_name(&d))).unwrap());
    }
}
/// What counts of a result that is as long as it can get.
fn counted(want: &Tensor, got: Tensor) -> Tensor {
    let fits = got.rank() == want.rank() && got.shape().iter().zip(want.shape()).all(|(g, w)| g >= w);
    if !fits {
        return got;
    }
    Tensor::view(got.data().clone(), want.shape().to_vec(), got.strides().to_vec(), got.offset()).unwrap()
}
/// Moduli of vectors that are known up to a phase, which rounding decides.
fn moduli(t: Tensor) -> Tensor {
    if let Some(v) = t.to_logical::<tfc_ir::C64>() {
        Tensor::from_logical(t.shape(), v.into_iter().map(|z| z.norm()).collect()).unwrap()
    } else if let Some(v) = t.to_logical::<tfc_ir::C32>() {
        Tensor::from_logical(t.shape(), v.into_iter().map(|z| z.norm()).collect()).unwrap()
    } else {
        t
    }
}
/// What is wrong with a case.
fn judged(xla: &Xla, path: &Path, name: &str) -> Option<String> {
    let base = path.with_extension("").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let (args, want) = (numbered(&base, "in"), numbered(&base, "out"));
    let got = match xla.run_text(&text, &args) {
        Ok(got) => got,
        Err(e) => return Some(format!("{}: {}", e.data().code.name(), e.data().message)),
    };
    let infos: Vec<&str> = text.split("jax.result_info = \"").skip(1).collect();
    if got.len() < want.len() || got.len() != infos.len() {
        return Some(format!("{} results, not {}", got.len(), infos.len()));
    }
    let phases = name.contains("linalg.schur");
    for (i, (g, info)) in got.into_iter().zip(infos).enumerate() {
        let Some(w) = want.get(i) else {
            if info.starts_with("check: ") && g.to_logical::<bool>().is_none_or(|v| v.contains(&false)) {
                return Some(format!("{} fails", info.split('"').next().unwrap_or_default()));
            }
            continue;
        };
        let g = counted(w, g);
        let why = if phases && i < 2 { differs(&moduli(w.clone()), &moduli(g)) } else { differs(w, &g) };
        if let Some(why) = why {
            return Some(format!("result {i}: {why}"));
        }
    }
    None
}

#[test]
fn cases_of_other_tests_agree() {
    let (Some(p), Some(folder)) = (plugin(), folder()) else { return };
    let xla = Xla::new(Spellings::default(), Some(p));
    let (word, every) = (std::env::var("TFC_CASE").ok(), std::env::var("TFC_CASES_EVERY").ok());
    let every: usize = every.map_or(5, |n| n.parse().unwrap());
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    all.retain(|p| p.extension().is_some_and(|e| e == "mlir"));
    all.sort();
    let name = |p: &Path| p.file_stem().unwrap().to_string_lossy().into_owned();
    match &word {
        Some(word) => all.retain(|p| name(p).contains(&**word)),
        None => all = all.into_iter().step_by(every).collect(),
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        while let Some(path) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = name(path);
            if std::env::var_os("TFC_CASES_SAY").is_some() {
                eprintln!("{name}");
            }
            if let Some(why) = judged(&xla, path, &name) {
                found.lock().unwrap().insert(name, why);
            }
        }
    };
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            s.spawn(work);
        }
    });
    let found = found.into_inner().unwrap();
    // Numbers in front count cases.
    let plain = |name: &str| name.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().to_owned();
    let reason =
        |name: &str, why: &str| KNOWN.iter().find(|k| plain(name).starts_with(k.0) && why.contains(k.1)).map(|k| k.2);
    let (known, wrong): (Vec<_>, Vec<_>) = found.iter().partition(|(name, why)| reason(name, why).is_some());
    for (name, why) in &known {
        println!("{name}: {why} ({})", reason(name, why).unwrap_or_default());
    }
    println!("{} of {} cases agree, {} differ for a known reason", all.len() - found.len(), all.len(), known.len());
    let wrong: Vec<String> = wrong.into_iter().map(|(name, why)| format!("{name}: {why}")).collect();
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}
