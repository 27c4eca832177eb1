//! The shape of the workspace holds: which crate may use which, and what every op must have.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tfc_ir::op::{Batch, Expand, Law, Linearize};
use tfc_ir::sample::SampleCx;
use tfc_ir::*;

/// Workspace crate → workspace crates it may depend on.
const MAY_USE: &[(&str, &[&str])] = &[
    ("tfc-ir", &[]),
    ("tfc-passes", &["tfc-ir"]),
    ("tfc-kernels", &["tfc-ir"]),
    ("tfc-backends", &["tfc-ir", "tfc-kernels"]),
    ("tfc-frontend", &["tfc-ir", "tfc-passes", "tfc-backends"]),
    ("tfc", &["tfc-ir", "tfc-passes", "tfc-backends", "tfc-frontend"]),
    ("tfc-benches", &["tfc-ir", "tfc-passes", "tfc-backends", "tfc-frontend"]),
    ("tfc-limits", &[]),
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
const NO_PANIC: &[&str] = &["ir", "backends", "passes", "backends/kernels", "frontend", "cli"];

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

/// Rows without a sample, and why.
const NO_SAMPLE: &[(&str, &str)] = &[
    ("load", "needs external data"),
    ("grad", "tested through its expansion, on every other row's samples"),
    ("value_and_grad", "as grad"),
    ("vjp", "as grad"),
    ("jvp", "as grad"),
    ("hvp", "as grad"),
];
/// Every row can be documented, sampled, printed, read back, verified, run by both engines and – unless it says why not –
/// differentiated.
#[test]
fn every_row_is_complete() {
    let ops = Arc::new(OpSet::core());
    let mut holes = vec![];
    for def in ops.iter() {
        let mut hole = |what: &str| holes.push(format!("{}: {what}", def.name));
        if def.doc.is_empty() {
            hole("no documentation");
        }
        if let Linearize::Never(why) = def.linearize
            && why == "no rule is written"
            && !matches!(def.expand, Expand::Derivative(_) | Expand::Composite(_))
        {
            hole("no derivative and no reason");
        }
        match def.batch {
            Batch::Never(why) if why.is_empty() || why == Batch::UNWRITTEN => {
                hole("no rule for many indices and no reason")
            }
            Batch::Expand if !matches!(def.expand, Expand::Composite(_) | Expand::Derivative(_)) => {
                hole("it is batched by an expansion that it does not have")
            }
            _ => {}
        }
        if let Law::None(why) = def.law
            && why.is_empty()
        {
            hole("no law and no reason");
        }
        let mut samples = 0;
        for dtype in DType::SUPPORTED {
            let m = Module::new(ops.clone());
            let list = match (def.sample)(&SampleCx { m: &m, def, dtype }) {
                Ok(l) => l,
                Err(e) => {
                    hole(&format!("its {dtype} sample does not build: {e}"));
                    continue;
                }
            };
            samples += list.len();
            if list.is_empty() {
                continue;
            }
            for (f, e) in verify::module(&m) {
                hole(&format!("@{} does not verify: {e}", f.name));
            }
            let text = print::module(&m);
            match tfc_frontend::text::parse_module(text.as_bytes(), &ops) {
                Ok(p) if print::module(&p.module) == text => {}
                Ok(p) => hole(&format!("prints, parses and prints otherwise:\n{text}\n{}", print::module(&p.module))),
                Err(d) => hole(&format!("what it prints does not parse: {}\n{text}", d[0])),
            }
            let mut plain = m.fork();
            if let Err(e) = tfc_passes::level(0).run(&mut plain, &mut |_| {}) {
                hole(&format!("lowering: {e}"));
            }
            for s in &list {
                let missing =
                    plain.func(s.func).map(|f| tfc_backends::interp::Interp::new(&plain).missing(&f)).unwrap();
                if !missing.is_empty() {
                    hole(&format!("interp has no kernel for {:?}", missing[0].0));
                }
                let options = tfc_backends::cpu::CompileOptions::default();
                if let Err(e) = tfc_backends::cpu::Cpu::compile(&plain, s.func, &options) {
                    hole(&format!("cpu: {e}"));
                }
            }
        }
        if samples == 0 && !NO_SAMPLE.iter().any(|n| n.0 == def.name) {
            hole("no sample for any dtype");
        }
    }
    assert!(holes.is_empty(), "{} holes:\n{}", holes.len(), holes.join("\n"));
}
