//! Every unit of the outside suites reads as a tree, whatever ops it holds. The suites lie beside the project, in
//! `../shared/conformance` or where `$TFC_CONFORMANCE` says; where they are absent, the test says so and asks nothing.
use std::path::{Path, PathBuf};
use tfc_stablehlo::syntax_errors;
use tfc_testkit::Need;

fn suites() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    let dir = std::env::var_os("TFC_CONFORMANCE").map_or(beside, PathBuf::from);
    dir.is_dir().then_some(dir)
}
fn programs(dir: &Path, out: &mut Vec<PathBuf>) {
    for e in std::fs::read_dir(dir).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() {
            programs(&p, out);
        } else if p.extension().is_some_and(|e| e == "mlir") {
            out.push(p);
        }
    }
}

#[test]
fn every_unit_of_the_suites_is_read() {
    let Some(dir) = suites() else {
        Need::Suites.missing("there is no ../shared/conformance, and TFC_CONFORMANCE is not set");
        return;
    };
    let mut files = vec![];
    programs(&dir, &mut files);
    files.sort();
    let (mut units, mut wrong) = (0, vec![]);
    for f in &files {
        for (i, unit) in std::fs::read_to_string(f).unwrap().split("// -----").enumerate() {
            if !unit.contains("func.func") {
                continue;
            }
            units += 1;
            if let Some(d) = syntax_errors(unit.as_bytes()).first() {
                let line = unit[..d.span().start as usize].lines().count();
                wrong.push(format!("{}[{i}]:{line}: {d}", f.display()));
            }
        }
    }
    assert!(units > 1000, "only {units} units in {}", dir.display());
    assert!(wrong.is_empty(), "{} of {units} units are not read:\n{}", wrong.len(), wrong.join("\n"));
}
