//! The shape of the workspace holds: which crate and which folder may use which, and that libraries deny what panics.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Workspace crate → workspace crates it may depend on.
const MAY_USE: &[(&str, &[&str])] = &[
    ("tfc-ir", &[]),
    ("tfc-passes", &["tfc-ir"]),
    ("tfc-kernels", &["tfc-ir"]),
    ("tfc-plan", &["tfc-ir"]),
    ("tfc-backends", &["tfc-ir", "tfc-kernels", "tfc-plan"]),
    ("tfc-stablehlo", &["tfc-ir", "tfc-passes", "tfc-backends"]),
    ("tfc-xla", &["tfc-ir", "tfc-backends", "tfc-stablehlo"]),
    ("tfc-cuda", &["tfc-ir", "tfc-plan", "tfc-kernels", "tfc-backends"]),
    ("tfc-frontend", &["tfc-ir"]),
    ("tfc-api", &["tfc-ir", "tfc-passes", "tfc-backends", "tfc-frontend", "tfc-cuda"]),
    (
        "tfc-lang",
        &["tfc-ir", "tfc-passes", "tfc-backends", "tfc-stablehlo", "tfc-xla", "tfc-cuda", "tfc-frontend", "tfc-api"],
    ),
    // For tests alone: nothing that is built into the tool may use it.
    ("tfc-testkit", &["tfc-ir", "tfc-passes", "tfc-backends", "tfc-frontend"]),
    ("tfc-benches", &["tfc-ir", "tfc-passes", "tfc-backends", "tfc-frontend", "tfc-api"]),
    ("tfc-limits", &[]),
    // From outside there is one dependency.
    ("tfc-capi", &["tfc-lang"]),
    ("tfc-tropical", &["tfc-lang"]),
];
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
    let allowed: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let mut seen = 0;
    for p in json["packages"].as_array().unwrap() {
        let name = p["name"].as_str().unwrap();
        let may = allowed.get(name).unwrap_or_else(|| panic!("{name} is not in the table above"));
        seen += 1;
        for d in p["dependencies"].as_array().unwrap() {
            let on = d["name"].as_str().unwrap();
            if d["kind"].is_null() && on.starts_with("tfc") {
                assert!(may.contains(&on), "{name} must not depend on {on}");
            }
            if name == "tfc-ir" && d["kind"].is_null() {
                assert!(!TOO_HEAVY_FOR_IR.contains(&on), "the language must not depend on {on}");
            }
        }
    }
    assert_eq!(seen, MAY_USE.len());
}

/// A folder of sources below `crates`, and what nothing in it names: inside a crate dependencies point one way too.
const NEVER_NAMES: &[(&str, &str)] = &[
    // Scalar functions and vector math stand on one ground; the latter asks the former for rare arguments.
    ("backends/kernels/src/scalar", "vmath"),
    // The runner of file tests is itself a command, and is handed what runs the others.
    ("cli/src/filetest", "crate::cmd"),
    ("passes/src/ad", "manager"),
    ("passes/src/lower", "manager"),
    ("passes/src/opt", "manager"),
    // Derivative sweeps read rows.
    ("ir/src/derive", "crate::ops"),
];
/// Libraries, below `crates`, in which a value that is not there is an error, never a panic.
const NO_PANIC: &[&str] = &[
    "ir",
    "backends",
    "passes",
    "backends/plan",
    "backends/kernels",
    "backends/stablehlo",
    "backends/xla",
    "backends/cuda",
    "frontend",
    "frontend/api",
    "cli",
    "cli/capi",
    "testkit",
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
#[test]
fn libraries_deny_what_panics() {
    for lib in NO_PANIC {
        let text = std::fs::read_to_string(crates(lib).join("src/lib.rs")).unwrap();
        let denied = "#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]";
        assert!(text.contains(denied), "crates/{lib}/src/lib.rs lacks `{denied}`");
    }
}
