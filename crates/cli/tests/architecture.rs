//! The shape of the workspace holds: which crate may use which, and what every op must have.
use std::collections::BTreeMap;
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
