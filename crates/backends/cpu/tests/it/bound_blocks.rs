//! Bound blocks: what is resolved once and replayed on addresses gives the bits of what finds out its sizes at each step,
//! for loops of any number of trips, nested ones, branches and calls in bodies, when sizes change between calls, and when
//! several threads call at once.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use tfc_cpu::{CompileOptions, Cpu, Executable, RunOptions};
use tfc_interp as interp;
use tfc_interp::Interp;
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::{DType, Module, OpSet, Tensor, Type};

const NAMES: [&str; 8] = ["tensors", "scalars", "trips", "lanes", "branches", "parts", "grows", "sums"];

fn module() -> Module {
    let ops = Arc::new(OpSet::core());
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/bound_blocks.tfir");
    match tfc_frontend::text::parse_module(&std::fs::read(file).unwrap(), &ops) {
        Ok(p) => p.module,
        Err(d) => panic!("{}", d[0]),
    }
}
fn arguments(n: usize, m: usize, k: i64, seed: u64) -> Vec<Tensor> {
    let mut draw = Draw::new(seed);
    let mut t = |s: &[usize]| draw.tensor(&Type::exact(DType::F64, s), Domain::Range(-0.9, 1.0)).unwrap();
    vec![t(&[n, n]), t(&[n, m]), Tensor::scalar(k)]
}
fn close(a: &Tensor, b: &Tensor) -> bool {
    if a.dtype() != DType::F64 {
        return a.same(b);
    }
    let (x, y) = (a.to_logical::<f64>().unwrap(), b.to_logical::<f64>().unwrap());
    let near = |x: f64, y: f64| x.to_bits() == y.to_bits() || (x - y).abs() <= 1e-11 * (1.0 + y.abs());
    a.shape() == b.shape() && x.iter().zip(&y).all(|(&x, &y)| near(x, y))
}

#[test]
fn replaying_changes_no_bits() {
    for level in [0, 2] {
        let mut m = module();
        tfc_passes::level(level).run(&mut m, &mut |_| {}).unwrap();
        for name in NAMES {
            let f = m.find(name).unwrap();
            let compile = |threads| {
                Cpu::compile(&m, f, &CompileOptions { threads, ..CompileOptions::default() })
                    .unwrap_or_else(|e| panic!("{name}: {}", e.data().message))
            };
            let (bound, plain) = (compile(2), compile(1).plain());
            let mut held: Vec<(Vec<Tensor>, Vec<Tensor>)> = vec![];
            let sizes = [
                (3, 7),
                (3, 7),
                (3, 7),
                (3, 0),
                (3, 1),
                (3, 2),
                (3, 3),
                (5, 4),
                (5, 4),
                (5, 4),
                (5, 40),
                (1, 9),
                (0, 3),
            ];
            for (i, (n, trips)) in sizes.into_iter().enumerate() {
                if n == 0 && matches!(name, "parts") {
                    continue;
                }
                let x = arguments(n, trips, trips as i64 * 3, i as u64);
                let what = format!("@{name}, level {level}, n = {n}, {trips} trips, call {i}");
                let want = Interp::new(&m).run(f, &x, &interp::RunOptions::default()).unwrap();
                let got =
                    bound.run(&x, &RunOptions::default()).unwrap_or_else(|e| panic!("{what}: {}", e.data().message));
                let other = plain.run(&x, &RunOptions::default()).unwrap();
                for (k, ((g, p), w)) in got.iter().zip(&other).zip(&want).enumerate() {
                    assert!(g.same(p), "{what}, result {k}:\n{:?}\n{:?}", g.to_logical::<f64>(), p.to_logical::<f64>());
                    assert!(
                        close(g, w),
                        "{what}, result {k}:\n{:?}\n{:?}",
                        g.to_logical::<f64>(),
                        w.to_logical::<f64>()
                    );
                }
                // Every second result is held while the function is called again.
                if i % 2 == 0 {
                    held.push((got, other));
                }
                for (g, p) in held.iter().flat_map(|(g, p)| g.iter().zip(p)) {
                    assert!(g.same(p), "{what}: a result that is held has changed");
                }
            }
        }
    }
}
#[test]
fn limits_hold_in_replayed_loops() {
    let mut m = module();
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find("scalars").unwrap();
    let exe = Cpu::compile(&m, f, &CompileOptions::default()).unwrap();
    let fuel = |n| RunOptions { fuel: Some(n), ..RunOptions::default() };
    let x = arguments(2, 2, 50, 1);
    for limit in [0, 1, 2, 3, 49] {
        assert_eq!(exe.run(&x, &fuel(limit)).unwrap_err().data().code.name(), "E0713", "{limit}");
    }
    for limit in [50, 51] {
        let r = exe.run(&x, &fuel(limit)).unwrap();
        assert_eq!((r[3].item::<i64>(), r[4].len()), (Some(50), 50));
    }
    // Where trips are joined, too. Those of both loops count: 9 and 81.
    let exe = Cpu::compile(&m, m.find("trips").unwrap(), &CompileOptions::default()).unwrap();
    let x = arguments(2, 2, 9, 1);
    for limit in [8, 10, 17, 30, 79, 80, 89] {
        assert_eq!(exe.run(&x, &fuel(limit)).unwrap_err().data().code.name(), "E0713", "{limit}");
    }
    assert_eq!(exe.run(&x, &fuel(90)).unwrap()[4].item::<i64>(), Some(81));
    let mut exe = Cpu::compile(&m, f, &CompileOptions::default()).unwrap();
    let x = arguments(2, 2, 50, 1);
    let small = RunOptions { memory: Some(200), ..RunOptions::default() };
    exe.release();
    assert_eq!(exe.run(&x, &small).unwrap_err().data().code.name(), "E0715");
    assert_eq!(exe.run(&x, &RunOptions::default()).unwrap()[5].len(), 50);
}
#[test]
fn threads_share_what_was_compiled() {
    let mut m = module();
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    for name in NAMES {
        let f = m.find(name).unwrap();
        let compile = || Cpu::compile(&m, f, &CompileOptions { threads: 2, ..CompileOptions::default() }).unwrap();
        let calls: Vec<Vec<Tensor>> = [(3, 7), (3, 7), (5, 4), (5, 40), (2, 1), (5, 40)]
            .into_iter()
            .enumerate()
            .map(|(i, (n, trips))| arguments(n, trips, trips as i64 * 3, i as u64))
            .collect();
        let alone = compile();
        let run = |exe: &Executable, x: &[Tensor]| {
            exe.run(x, &RunOptions::default()).unwrap_or_else(|e| panic!("@{name}: {}", e.data().message))
        };
        let want: Vec<Vec<Tensor>> = calls.iter().map(|x| run(&alone, x)).collect();
        let (shared, start) = (compile(), Barrier::new(4));
        let most = AtomicUsize::new(0);
        std::thread::scope(|s| {
            for thread in 0..4 {
                let (shared, start, most, calls, want, run) = (&shared, &start, &most, &calls, &want, &run);
                s.spawn(move || {
                    start.wait();
                    for k in 0..60 {
                        let i = (k * (thread + 1) + thread) % calls.len();
                        let got = run(shared, &calls[i]);
                        assert!(got.iter().zip(&want[i]).all(|(g, w)| g.same(w)), "@{name}, thread {thread}, call {k}");
                        most.fetch_max(shared.peak_bytes(), Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(most.into_inner() > 0, "@{name}");
    }
}
