//! The CPU engine against the interpreter: every sample program of every row, in several layouts of the inputs, with one
//! and two threads.
use std::sync::Arc;

use tfc_backends::cpu::{CompileOptions, Cpu, RunOptions};
use tfc_backends::interp::{Interp, RunOptions as InterpOptions};
use tfc_ir::sample::SampleCx;
use tfc_ir::tensor::column_major;
use tfc_ir::{C32, C64, DType, FuncId, Module, OpSet, Tensor, with_dtype};

/// The same elements with the first axis fastest.
fn columns(t: &Tensor) -> Tensor {
    t.dense()
}
/// The same elements in a larger storage: every axis reversed, with a gap between elements.
fn scattered(t: &Tensor) -> Tensor {
    with_dtype!(t.dtype(), T => {
        let dense: Vec<T> = t.to_column_major().unwrap();
        let mut v = vec![T::default(); 2 * dense.len() + 1];
        for (i, x) in dense.iter().enumerate() {
            v[2 * (dense.len() - 1 - i) + 1] = *x;
        }
        let s: Vec<isize> = column_major(t.shape()).iter().map(|s| -2 * s).collect();
        let offset = if dense.is_empty() { 0 } else { 2 * dense.len() - 1 };
        Tensor::with_strides(t.shape(), s, offset, v)
    }, _ => t.clone())
}
/// Largest distance relative to the magnitude; infinite where dtype, shape, or NaN differ.
fn distance(a: &Tensor, b: &Tensor) -> f64 {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return f64::INFINITY;
    }
    let gap = |x: C64, y: C64| {
        let nan = |z: C64| z.re.is_nan() || z.im.is_nan();
        if x == y || (nan(x) && nan(y)) { 0.0 } else { ((x - y).norm() / (1.0 + y.norm())).max(0.0) }
    };
    let worst = |v: Vec<(C64, C64)>| {
        v.into_iter()
            .map(|(x, y)| gap(x, y))
            .fold(0.0, |w, g| if g.is_nan() || g > w { if g.is_nan() { f64::INFINITY } else { g } } else { w })
    };
    fn pair<T: tfc_ir::Element>(a: &Tensor, b: &Tensor, f: impl Fn(T) -> C64) -> Vec<(C64, C64)> {
        let (x, y) = (a.to_logical::<T>().unwrap(), b.to_logical::<T>().unwrap());
        x.into_iter().zip(y).map(|(x, y)| (f(x), f(y))).collect()
    }
    match a.dtype() {
        DType::F32 => worst(pair(a, b, |x: f32| C64::new(x.into(), 0.0))),
        DType::F64 => worst(pair(a, b, |x: f64| C64::new(x, 0.0))),
        DType::C32 => worst(pair(a, b, |x: C32| C64::new(x.re.into(), x.im.into()))),
        DType::C64 => worst(pair(a, b, |x: C64| x)),
        _ => {
            if a.same(b) {
                0.0
            } else {
                f64::INFINITY
            }
        }
    }
}
fn tolerance(t: &Tensor) -> f64 {
    if matches!(t.dtype(), DType::F32 | DType::C32) { 2e-5 } else { 1e-12 }
}
/// Runs a function on both engines, in each layout; `Err` says what differs.
fn agree(m: &Module, f: FuncId, args: &[Tensor]) -> Result<(), String> {
    let want = Interp::new(m).run(f, args, &InterpOptions::default());
    for threads in [1, 2] {
        let options = CompileOptions { threads, ..CompileOptions::default() };
        let exe = match Cpu::compile(m, f, &options) {
            Ok(e) => e,
            Err(e) => return Err(format!("compile: {e}")),
        };
        for layout in [columns, scattered, Tensor::clone] {
            let args: Vec<Tensor> = args.iter().map(layout).collect();
            let got = exe.run(&args, &RunOptions::default());
            match (&want, got) {
                (Ok(w), Ok(g)) => {
                    for (i, (w, g)) in w.iter().zip(&g).enumerate() {
                        let d = distance(g, w);
                        if d > tolerance(w) {
                            let plan = exe.describe();
                            return Err(format!("result {i} differs by {d:e}\n want {w:?}\n got {g:?}\n{plan}"));
                        }
                    }
                    if w.len() != g.len() {
                        return Err("another number of results".into());
                    }
                }
                (Err(a), Err(b)) if a.data().code == b.data().code => {}
                (a, b) => return Err(format!("interp {a:?}, cpu {b:?}")),
            }
        }
    }
    Ok(())
}

#[test]
fn samples_of_every_row_agree_with_the_interpreter() {
    let ops = Arc::new(OpSet::core());
    let mut failures = vec![];
    let mut count = 0;
    for def in ops.iter() {
        for dtype in DType::SUPPORTED {
            let m = Module::new(ops.clone());
            let cx = SampleCx { m: &m, def, dtype };
            let Ok(samples) = (def.sample)(&cx) else { continue };
            for (i, s) in samples.iter().enumerate() {
                let f = m.func(s.func).unwrap();
                if !Interp::new(&m).missing(&f).is_empty() {
                    continue;
                }
                let args = s.inputs(&m, 7 + i as u64).unwrap();
                count += 1;
                if let Err(e) = agree(&m, s.func, &args) {
                    failures.push(format!("{} {dtype} sample {i}: {e}", def.name));
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {count} fail:\n{}",
        failures.len(),
        failures[..failures.len().min(12)].join("\n")
    );
    assert!(count > 300, "only {count} samples were run");
}
