//! The same programs on a GPU's adapter, in single precision: their text with `f32` for `f64` and `c32` for `c64`, by the interpreter and by
//! kernels in WGSL. What has no kernel is counted, and says so. Skipped with a word where there is no adapter, or the build has none.
//!
//! Many: `TFC_PROGRAMS=2000 cargo test --release -p tfc-testkit --test it -- --ignored typed::adapters::many_by_adapters --nocapture`
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tfc_engine::{Executable, Limits};
use tfc_gpu::Gpu;
use tfc_gpu::backend::adapter_named;
use tfc_interp::{Interp, RunOptions};
use tfc_ir::{OpSet, print};
use tfc_testkit::Need;
use tfc_testkit::samples::ready;

use super::{Program, inputs, program, same};

const SIZES: [(i64, i64); 3] = [(3, 4), (0, 4), (17, 3)];

/// The program in single precision; `None` where a constant has none.
fn single(seed: u64) -> Option<Program> {
    let p = program(seed).ok()?;
    let text = print::module(&p.m).replace("f64", "f32").replace("c64", "c32");
    let m = tfc_frontend::text::parse_module(text.as_bytes(), &Arc::new(OpSet::core())).ok()?.module;
    Some(Program { m, rough: p.rough })
}
/// Checks programs; faults. Says how many calls agree, of which there are to be so many.
fn check(seeds: Range<u64>, least: usize) -> Vec<String> {
    let Some(device) = Need::Gpu.found(adapter_named(None)) else { return vec![] };
    let gpu = Gpu::new(device);
    let (mut faults, mut calls, mut other, mut without) = (vec![], 0, 0, BTreeMap::<String, usize>::new());
    for seed in seeds {
        let Some(p) = single(seed) else {
            other += 1;
            continue;
        };
        let mut plain = p.m.fork();
        if tfc_passes::level(0).run(&mut plain, &mut |_| {}).is_err() {
            other += 1;
            continue;
        }
        let (Some(main), Some(f)) = (plain.find("main"), p.m.find("main")) else { continue };
        let exe = match ready(&p.m, f).map(|(m, f)| gpu.compile_all(&[(&m, f)], false).map(|mut all| all.remove(0))) {
            Ok(Ok(Ok(exe))) => exe,
            Ok(Ok(Err(e))) if e.data().code.name() == "E1304" => {
                *without.entry(e.data().message.clone()).or_default() += 1;
                continue;
            }
            Ok(Ok(Err(e)) | Err(e)) | Err(e) => {
                faults.push(format!("FAIL {seed}: {e}"));
                continue;
            }
        };
        let Ok(func) = plain.func(main) else { continue };
        for sizes in SIZES {
            let Ok(args) = inputs(&p, &func, sizes, seed) else { continue };
            let want = Interp::new(&plain).run(main, &args, &RunOptions::default());
            match same(want, exe.run(&args, &Limits::default()), &|_| true) {
                Ok(()) => calls += 1,
                Err(why) => faults.push(format!("FAIL {seed} at {sizes:?}: {why}")),
            }
        }
    }
    println!(
        "{calls} calls agree, {} faults, {other} have no single precision; without a kernel: {without:#?}",
        faults.len()
    );
    if faults.is_empty() && calls < least {
        faults.push(format!("only {calls} calls were compared"));
    }
    faults
}

#[test]
fn adapters_agree_on_typed_programs() {
    super::report(&check(0..12, 20));
}
#[test]
#[ignore = "the long run: some minutes"]
fn many_by_adapters() {
    let n: u64 = std::env::var("TFC_PROGRAMS").ok().and_then(|s| s.parse().ok()).unwrap_or(2000);
    let from: u64 = std::env::var("TFC_FROM").ok().and_then(|s| s.parse().ok()).unwrap_or(1000);
    super::report(&check(from..from + n, 1));
}
