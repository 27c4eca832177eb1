//! Programs by way of StableHLO text: exported, read back by this project's own reader and run by the interpreter, they give
//! what they gave. Samples of single rows are in `crates/testkit/tests/exported.rs`.
//!
//! `TFC_EXPORT_TO=FOLDER` writes each case there for judges from outside.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tfc::filetest::{Exported, discover};
use tfc_frontend::data::save;
use tfc_ir::{OpSet, Tensor};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
/// Writes a case for judges from outside, where that is asked for.
fn keep(name: &str, text: &str, args: &[Tensor], want: &[Tensor]) {
    let Some(folder) = std::env::var_os("TFC_EXPORT_TO").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.mlir")), text).unwrap();
    for (kind, list) in [("in", args), ("out", want)] {
        for (i, t) in list.iter().enumerate() {
            save(&folder.join(format!("{name}.{kind}{i}.npy")), &[("x", t)]).unwrap();
        }
    }
}
/// The calls of file tests below a folder: how many give the same, and of how many of each code it was refused.
fn calls(folder: &str) -> (usize, BTreeMap<&'static str, usize>, Vec<String>) {
    let runner = tfc::runner(OpSet::core(), tfc::Kernels::default());
    let (mut same, mut refused, mut wrong) = (0, BTreeMap::new(), vec![]);
    for file in discover(&root().join(folder)).unwrap() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        for call in runner.exported(&file).unwrap() {
            let at = format!("{name} {}", call.line);
            match call {
                Exported { refused: Some((code @ ("E1102" | "E1103" | "E1105"), _)), .. } => {
                    *refused.entry(code).or_default() += 1;
                }
                Exported { refused: Some((code, why)), text, .. } => {
                    wrong.push(format!("{at}: {code} {why}\n{}", text.unwrap_or_default()));
                }
                Exported { differs: Some(why), text, .. } => wrong.push(format!("{at}: {why}\n{}", text.unwrap_or_default())),
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
    let (same, refused, wrong) = calls("tests/ir");
    println!("{same} calls come back, refused: {refused:?}");
    assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same > 300, "only {same}");
}
