//! The same programs by CUDA's kernels, on this machine under watch: kernels are compiled as C++, each access is checked; calls of
//! libraries go to stand-ins behind the functions of a driver, which checks them; and a function that is called again with other numbers
//! is a graph from the third time on. What has no kernel is counted, and says so. Skipped with a word where there is no C++ compiler.
//!
//! Many: `TFC_PROGRAMS=2000 cargo test --release -p tfc-testkit --test it -- --ignored typed::kernels::many_by_kernels --nocapture`
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tfc_cuda::Cuda;
use tfc_cuda::driver::stub::Stub;
use tfc_cuda::driver::{Driver, Least};
use tfc_engine::{Executable, Limits};
use tfc_interp::{Interp, RunOptions};
use tfc_ir::{FuncId, Module};
use tfc_testkit::Need;

use super::{Program, inputs, program, same};

/// Programs whose kernels are compiled together.
const TOGETHER: u64 = 25;
/// Calls of a function with the same sizes.
const CALLS: u64 = 3;
const SIZES: [(i64, i64); 4] = [(3, 4), (0, 4), (17, 3), (0, 0)];

/// A function of a program: as it was written, for the interpreter, and made ready for kernels.
struct Case {
    what: String,
    seed: u64,
    program: Arc<Program>,
    plain: (Arc<Module>, FuncId),
    fast: (Arc<Module>, FuncId),
}
fn cases(seed: u64) -> Result<Vec<Case>, String> {
    let p = Arc::new(program(seed).map_err(|e| e.to_string())?);
    let mut plain = p.m.fork();
    match tfc_passes::Pipeline::parse("expand-ad,expand,dce").map_err(|e| e.to_string())?.run(&mut plain, &mut |_| {}) {
        Ok(_) => {}
        // Combinations by products have a derivative only window by window; bits have none.
        Err(e) if matches!(e.error.data().code.name(), "E0503" | "E0504") => return Ok(vec![]),
        Err(e) => return Err(format!("expand-ad: {e}")),
    }
    let mut fast = p.m.fork();
    tfc_passes::level(2).run(&mut fast, &mut |_| {}).map_err(|e| format!("O2: {e}"))?;
    let (plain, fast) = (Arc::new(plain), Arc::new(fast));
    let case = |name: &str| {
        let (f, g) = (plain.find(name)?, fast.find(name)?);
        let what = format!("{seed} @{name}");
        Some(Case { what, seed, program: p.clone(), plain: (plain.clone(), f), fast: (fast.clone(), g) })
    };
    Ok(["main", "vjp"].into_iter().filter_map(case).collect())
}

/// Checks programs; faults. Says how many calls agree.
fn check(seeds: Range<u64>) -> Vec<String> {
    let Some(s) = Need::Cxx.found(Stub::new()) else { return vec![] };
    let device = Arc::new(Driver::with(s, false, Some(Least::ALL)));
    let cuda = Cuda::new(device.clone());
    let (mut faults, mut calls, mut without) = (vec![], 0, BTreeMap::<String, usize>::new());
    let (mut from, to) = (seeds.start, seeds.end);
    while from < to {
        let mut some = vec![];
        for seed in from..to.min(from + TOGETHER) {
            match cases(seed) {
                Ok(list) => some.extend(list),
                Err(why) => faults.push(format!("FAIL {seed}: {why}")),
            }
        }
        from += TOGETHER;
        let list: Vec<_> = some.iter().map(|c| (&*c.fast.0, c.fast.1)).collect();
        let made = match cuda.compile_all(&list, false) {
            Ok(made) => made,
            Err(e) => {
                faults.push(format!("FAIL {}: {e} {:?}", from - TOGETHER, e.data().notes));
                continue;
            }
        };
        for (c, exe) in some.iter().zip(made) {
            let exe = match exe {
                Ok(exe) => exe,
                Err(e) if e.data().code.name() == "E1304" => {
                    *without.entry(e.data().message.clone()).or_default() += 1;
                    continue;
                }
                Err(e) => {
                    faults.push(format!("FAIL {}: {e}", c.what));
                    continue;
                }
            };
            let func = c.plain.0.func(c.plain.1).unwrap();
            for sizes in SIZES {
                // A cotangent of a result that cannot be.
                for round in 0..CALLS {
                    let Ok(args) = inputs(&c.program, &func, sizes, c.seed + round) else { continue };
                    let want = Interp::new(&c.plain.0).run(c.plain.1, &args, &RunOptions::default());
                    let got = exe.run(&args, &Limits::default());
                    let rough = |k: usize| c.what.ends_with("vjp") || c.program.rough.1[k];
                    match same(want, got, &rough) {
                        Ok(()) => calls += 1,
                        Err(why) => faults.push(format!("FAIL {} at {sizes:?}, call {round}: {why}", c.what)),
                    }
                }
            }
        }
    }
    let graphs = device.bindings().calls().into_iter().filter(|&c| c == "cuGraphLaunch").count();
    println!("{calls} calls agree, {graphs} of them as graphs, {} faults; without a kernel: {without:?}", faults.len());
    faults
}

#[test]
fn kernels_agree_on_typed_programs() {
    super::report(&check(0..25));
}
#[test]
#[ignore = "the long run: a quarter of an hour"]
fn many_by_kernels() {
    let n: u64 = std::env::var("TFC_PROGRAMS").ok().and_then(|s| s.parse().ok()).unwrap_or(2000);
    let from: u64 = std::env::var("TFC_FROM").ok().and_then(|s| s.parse().ok()).unwrap_or(1000);
    super::report(&check(from..from + n));
}
