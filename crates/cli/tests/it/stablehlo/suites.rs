//! The suites of openxla/stablehlo and Enzyme-JAX, where they lie: in `../shared/conformance` beside the project, or where `$TFC_CONFORMANCE`
//! says. Where they are absent, the test says so and asks nothing. Each unit checks itself.
use super::control::changed;
use super::{folder, root, tfc};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tfc_testkit::Need;

/// Units that fail for a reason.
const KNOWN: &[(&str, &str)] = &[
    (
        "testdata/conv_general_dilated_float32_2_3_9_float32_12_1_3.mlir[0]",
        "4 units in the last place where a product almost cancels the others, 3 are allowed",
    ),
    ("testdata/cosh_float32_20_20_chlo.mlir[0]", "4 units in the last place at one of 400 elements, 3 are allowed"),
    ("testdata/dot_general_float32_4_3_complex128_3_6.mlir[0]", "sums of products in another order, by rounding"),
    ("testdata/dot_general_uint32_4_3_complex128_3_6.mlir[0]", "sums of products in another order, by rounding"),
    ("testdata/dot_general_int32_4_3_float32_3_6.mlir[0]", "sums of products in another order, by rounding"),
    ("tests/interpret/call.mlir[0]", "its first function takes an argument, for which the index has no value"),
    ("tests/interpret/composite.mlir[0]", "its first function takes an argument, for which the index has no value"),
];

struct Unit {
    name: String,
    text: String,
    entry: String,
}
fn units() -> Option<Vec<Unit>> {
    let dir = std::env::var_os("TFC_CONFORMANCE").map_or(root().join("../shared/conformance"), PathBuf::from);
    let (enzyme, dir) = (dir.join("enzyme"), dir.join("stablehlo"));
    let index: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.join("INDEX.json")).ok()?).unwrap();
    let mut out = vec![];
    for e in index.as_array().unwrap() {
        let judged = e["tier"].as_u64() <= Some(1) && e["disabled"] == false && e["distributed"] == false;
        if !judged || e["checks"].as_array().unwrap().is_empty() {
            continue;
        }
        let (file, chunk) = (e["file"].as_str().unwrap(), e["chunk"].as_u64().unwrap() as usize);
        let text = std::fs::read_to_string(dir.join(file)).unwrap();
        let text = text.split("// -----").nth(chunk).unwrap().to_owned();
        let heads = text.split("func.func").skip(1).map(|f| f.trim_start().trim_start_matches("public "));
        let entry = heads.filter_map(|f| f.strip_prefix('@')?.split('(').next()).next().unwrap().trim().to_owned();
        out.push(Unit { name: format!("{file}[{chunk}]"), entry, text });
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(enzyme).ok()?.map(|e| e.unwrap().path()).collect();
    files.sort();
    for p in files.into_iter().filter(|p| p.extension().is_some_and(|e| e == "mlir")) {
        let text = std::fs::read_to_string(&p).unwrap();
        out.push(Unit { name: format!("enzyme/{}", p.file_stem().unwrap().display()), entry: "main".into(), text });
    }
    Some(out)
}
/// Runs every text on both cores; exit codes and first lines of what was said, in order.
fn run_all(dir: &std::path::Path, units: &[(usize, String)], entries: &[Unit]) -> Vec<(usize, i32, String)> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let work = |worker: usize| {
        while let Some((i, text)) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
            let file = format!("u{worker}.mlir");
            std::fs::write(dir.join(&file), text).unwrap();
            let r = tfc(dir, &["run", &file, "-q", "--entry", &entries[*i].entry, "--print", "none", "--threads", "1"]);
            let first = r.err.lines().next().unwrap_or_default().to_owned();
            done.lock().unwrap().push((*i, r.code, first));
        }
    };
    std::thread::scope(|s| {
        s.spawn(|| work(0));
        work(1);
    });
    let mut done = done.into_inner().unwrap();
    done.sort();
    done
}

#[test]
fn units_hold_and_notice_what_is_changed() {
    let Some(units) = units() else {
        Need::Suites.missing("there is no ../shared/conformance, and TFC_CONFORMANCE is not set");
        return;
    };
    let dir = folder("suites");
    let texts: Vec<(usize, String)> = units.iter().enumerate().map(|(i, u)| (i, u.text.clone())).collect();
    let ran = run_all(&dir, &texts, &units);
    let known = |name: &str| KNOWN.iter().any(|k| k.0 == name);
    let wrong: Vec<String> = ran
        .iter()
        .filter(|(i, code, _)| *code != 0 && !known(&units[*i].name))
        .map(|(i, code, said)| format!("{}: exit {code}: {said}", units[*i].name))
        .collect();
    assert!(wrong.is_empty(), "{} units fail:\n{}", wrong.len(), wrong.join("\n"));
    let passed: Vec<usize> = ran.iter().filter(|r| r.1 == 0).map(|r| r.0).collect();
    assert!(passed.len() * 100 >= ran.len() * 92, "{} of {} units pass", passed.len(), ran.len());

    let changed: Vec<(usize, String)> = passed.iter().filter_map(|&i| Some((i, changed(&units[i].text, 0)?))).collect();
    assert!(changed.len() * 100 >= passed.len() * 90, "of {} units {} could be changed", passed.len(), changed.len());
    let again = run_all(&dir, &changed, &units);
    let blind: Vec<&str> = again.iter().filter(|r| r.1 != 4).map(|r| units[r.0].name.as_str()).collect();
    let counts = (passed.len(), ran.len(), again.len(), blind.len());
    eprintln!(
        "{} of {} units pass; of {} changed expectations {} are not noticed: {blind:?}",
        counts.0, counts.1, counts.2, counts.3
    );
    assert!(blind.len() * 100 <= again.len(), "{} changes of {} are not noticed: {blind:?}", blind.len(), again.len());
}
