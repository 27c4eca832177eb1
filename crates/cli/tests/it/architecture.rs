//! The shape of the workspace holds: which crate and which folder may use which, and that libraries deny what panics.
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Examples and benchmarks: workspace crates that the page's table does not have → what they may use.
const OTHERS: &[(&str, &[&str])] = &[
    ("tfc-benches", &["tfc-ir", "tfc-frontend", "tfc-passes", "tfc-kernels", "tfc-engine", "tfc-cpu", "tfc-api"]),
    ("tfc-limits", &[]),
    ("tfc-gradbench", &["tfc-lang"]),
    // From outside there is one dependency.
    ("tfc-tropical", &["tfc-lang"]),
    ("tfc-training", &["tfc-lang"]),
];
/// Workspace crate → folder below `crates`, and the workspace crates that it uses: the table of docs/architecture.md.
fn table() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let page = std::fs::read_to_string(crates("../docs/architecture.md")).unwrap();
    let rows = page.lines().filter(|l| l.starts_with("| `tfc-"));
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let read = |row: &str| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let uses = quoted(cells[3]).into_iter().map(|c| format!("tfc-{c}")).collect();
        (quoted(cells[0]).remove(0), (quoted(cells[1]).remove(0), uses))
    };
    rows.map(read).collect()
}
/// What the crate of the language must not pull in.
const TOO_HEAVY_FOR_IR: &[&str] = &["clap", "logos", "lalrpop", "faer", "rayon", "cudarc"];

#[test]
fn dependencies_point_one_way() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let out = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path", manifest])
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let (table, mut seen) = (table(), 0);
    for p in json["packages"].as_array().unwrap() {
        let name = p["name"].as_str().unwrap();
        let uses = |kind: bool| {
            let list = p["dependencies"].as_array().unwrap().iter().filter(move |d| d["kind"].is_null() == kind);
            list.map(|d| d["name"].as_str().unwrap().to_owned())
        };
        let ours: BTreeSet<String> = uses(true).filter(|d| d.starts_with("tfc")).collect();
        if let Some((_, may)) = OTHERS.iter().find(|o| o.0 == name) {
            assert!(ours.iter().all(|d| may.contains(&d.as_str())), "{name} uses {ours:?}, and may use {may:?}");
            continue;
        }
        let (folder, said) = table.get(name).unwrap_or_else(|| panic!("docs/architecture.md does not name {name}"));
        seen += 1;
        assert_eq!(ours, *said, "{name} uses the first, docs/architecture.md says the second");
        let manifest = crates(folder).join("Cargo.toml").canonicalize().unwrap();
        assert_eq!(Path::new(p["manifest_path"].as_str().unwrap()), manifest, "the folder of {name}");
        if name == "tfc-ir" {
            let heavy: Vec<String> = uses(true).filter(|d| TOO_HEAVY_FOR_IR.contains(&d.as_str())).collect();
            assert!(heavy.is_empty(), "the language must not depend on {heavy:?}");
        }
    }
    assert_eq!(seen, table.len());
}
/// No crate's folder holds another crate.
#[test]
fn no_crate_lies_in_another() {
    let folders: Vec<String> = table().into_values().map(|(folder, _)| folder).collect();
    for a in &folders {
        for b in &folders {
            assert!(!b.starts_with(&format!("{a}/")), "crates/{b} lies in the folder of another crate, crates/{a}");
        }
    }
}

/// A folder of sources below `crates`, and what nothing in it names: inside a crate dependencies point one way too.
const NEVER_NAMES: &[(&str, &str)] = &[
    // Scalar functions and vector math stand on one ground; the latter asks the former for rare arguments.
    ("backends/kernels/src/scalar", "vmath"),
    // The runner of file tests is itself a command, and is handed what runs the others.
    ("cli/src/filetest", "crate::cmd"),
    // Regions stand under the plan.
    ("backends/plan/src/region", "crate::plan"),
    ("passes/src/ad", "manager"),
    ("passes/src/lower", "manager"),
    ("passes/src/opt", "manager"),
    // Derivative sweeps read rows.
    ("ir/src/derive", "crate::ops"),
];
fn crates(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}
fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for e in std::fs::read_dir(dir).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() { sources(&p, out) } else { out.push(p) }
    }
}
#[test]
fn folders_stand_on_one_another() {
    for (folder, name) in NEVER_NAMES {
        let mut files = vec![];
        sources(&crates(folder), &mut files);
        assert!(!files.is_empty(), "{folder} is empty");
        for f in files {
            let text = std::fs::read_to_string(&f).unwrap();
            let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
            let found: Vec<_> = code.filter(|l| l.contains(name)).collect();
            assert!(found.is_empty(), "{} names `{name}`: {found:?}", f.display());
        }
    }
}
/// In a library a value that is not there is an error, never a panic.
#[test]
fn libraries_deny_what_panics() {
    for (folder, _) in table().into_values() {
        let text = std::fs::read_to_string(crates(&folder).join("src/lib.rs")).unwrap();
        let denied = "#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]";
        assert!(text.contains(denied), "crates/{folder}/src/lib.rs lacks `{denied}`");
    }
}
