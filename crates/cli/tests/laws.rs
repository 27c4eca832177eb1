//! Laws of rows on both engines: what factorisations and orders have to be, on the samples of every row that has a law and
//! on its hard cases. The results are an engine's; whether they keep the law is worked out by the interpreter, by sums,
//! products and comparisons. And a law says enough: whatever is changed in any result breaks it.
use std::sync::Arc;
use tfc_backends::{cpu, interp};
use tfc_ir::law::{self, Seen};
use tfc_ir::op::Law;
use tfc_ir::ops::{linalg, order};
use tfc_ir::sample::{Sample, SampleCx};
use tfc_ir::*;
use tfc_passes::level;

/// An op that has run: what it took and gave.
struct Ran {
    seen: Seen,
    operands: Vec<Tensor>,
    results: Vec<Tensor>,
}
fn types(of: &[Tensor]) -> Vec<Type> {
    of.iter().map(|t| Type::exact(t.dtype(), t.shape())).collect()
}
/// What does not hold, and the largest share of what is allowed that any clause takes.
fn judged(ran: &Ran) -> (Vec<String>, f64) {
    let m = Module::new(Arc::new(OpSet::core()));
    let p = law::program(&m, ran.seen.def, &ran.seen.attrs, &types(&ran.operands), &types(&ran.results)).unwrap();
    let args: Vec<Tensor> = ran.operands.iter().chain(&ran.results).cloned().collect();
    let values = interp::Interp::new(&m).run(p.func, &args, &interp::RunOptions::default()).unwrap();
    assert!(!p.clauses.is_empty() && values.len() == p.clauses.len());
    let (mut broken, mut share) = (vec![], 0f64);
    for (c, v) in p.clauses.iter().zip(&values) {
        let v: f64 = v.item().unwrap();
        if !c.holds(v) {
            broken.push(format!("{} (off by {v:.2e}, allowed {:.2e})", c.says, c.within));
        } else if c.within > 0.0 {
            share = share.max(v / c.within);
        }
    }
    (broken, share)
}
/// Samples and hard cases of a row, as functions that show what its ops did.
fn witnesses(m: &Module, def: &'static OpDef, dtype: DType) -> Vec<(Sample, FuncId, Vec<Seen>)> {
    let Law::Holds { hard, .. } = def.law else { return vec![] };
    let cx = SampleCx { m, def, dtype };
    let all =
        [(def.sample)(&cx), hard(&cx)].into_iter().flat_map(|s| s.unwrap_or_else(|e| panic!("{}: {e}", def.name)));
    all.map(|s| {
        let (f, seen) = law::witness(m, s.func).unwrap_or_else(|e| panic!("{}: {e}", def.name));
        (s, f, seen)
    })
    .collect()
}
/// What the ops of `seen` took and gave, from what the function returned.
fn apart(seen: &[Seen], mut values: Vec<Tensor>) -> Vec<Ran> {
    let mut out = vec![];
    for s in seen {
        let rest = values.split_off(s.operands + s.results);
        let results = values.split_off(s.operands);
        out.push(Ran { seen: s.clone(), operands: values, results });
        values = rest;
    }
    out
}
#[derive(Clone, Copy, PartialEq)]
enum Engine {
    Interp,
    Cpu,
}
fn run(engine: Engine, m: &Module, f: FuncId, args: &[Tensor]) -> Result<Vec<Tensor>> {
    match engine {
        Engine::Interp => interp::Interp::new(m).run(f, args, &interp::RunOptions::default()),
        Engine::Cpu => {
            let options = cpu::CompileOptions { threads: 2, ..cpu::CompileOptions::default() };
            cpu::Cpu::compile(m, f, &options)?.run(args, &cpu::RunOptions::default())
        }
    }
}
/// Every op with a law that the row's programs run on that engine.
fn each(def: &'static OpDef, dtype: DType, engine: Engine, mut see: impl FnMut(usize, Ran)) {
    let m = Module::new(Arc::new(OpSet::core()));
    let list = witnesses(&m, def, dtype);
    let mut lowered = m.fork();
    level(if engine == Engine::Interp { 0 } else { 2 }).run(&mut lowered, &mut |_| {}).unwrap();
    for (i, (s, f, seen)) in list.iter().enumerate() {
        let args = s.inputs(&m, 7 + i as u64).unwrap();
        let values = run(engine, &lowered, *f, &args).unwrap_or_else(|e| panic!("{} {dtype}, {i}: {e}", def.name));
        apart(seen, values).into_iter().for_each(|r| see(i, r));
    }
}

/// Clauses of rows of any kind hold on an engine.
fn hold_on(engine: Engine) {
    let (mut count, mut worst, mut broken) = (0, (0.0, String::new()), vec![]);
    for def in OpSet::core().iter().filter(|d| matches!(d.law, Law::Holds { .. })) {
        let before = count;
        for dtype in DType::SUPPORTED {
            each(def, dtype, engine, |i, ran| {
                let shapes: Vec<_> = ran.operands.iter().map(Tensor::shape).collect();
                let name = format!("{} of {dtype}{shapes:?}, program {i} of {}", ran.seen.def.name, def.name);
                let (wrong, share) = judged(&ran);
                broken.extend(wrong.into_iter().map(|w| format!("{name}: {w}")));
                if share > worst.0 {
                    worst = (share, name);
                }
                count += 1;
            });
        }
        assert!(count > before + 2, "{}: a law, and no program", def.name);
    }
    println!("{count} ops keep their laws; the closest takes {:.2} of what is allowed: {}", worst.0, worst.1);
    assert!(broken.is_empty(), "{} of {count}:\n{}", broken.len(), broken.join("\n"));
    assert!(count > 1500, "only {count} ops");
}
#[test]
fn the_interpreter_keeps_them() {
    hold_on(Engine::Interp);
}
#[test]
fn the_compiled_engine_keeps_them() {
    hold_on(Engine::Cpu);
}

/// `t` with its element `at` (in logical order) changed by a little more than rounding, or to another integer.
fn changed(t: &Tensor, at: usize) -> Tensor {
    fn put<T: Element>(t: &Tensor, at: usize, f: impl Fn(T) -> T) -> Tensor {
        let mut v = t.to_logical::<T>().unwrap();
        v[at] = f(v[at]);
        Tensor::from_logical(t.shape(), v)
    }
    let by = |x: f64| if x.is_finite() { x + 0.01 * x.abs().max(1.0) } else { 1.5 };
    match t.dtype() {
        DType::Bool => put(t, at, |x: bool| !x),
        DType::I32 => put(t, at, |x: i32| x.wrapping_add(1)),
        DType::I64 => put(t, at, |x: i64| x.wrapping_add(1)),
        DType::U32 => put(t, at, |x: u32| x.wrapping_add(1)),
        DType::U64 => put(t, at, |x: u64| x.wrapping_add(1)),
        DType::F32 => put(t, at, |x: f32| by(x.into()) as f32),
        DType::F64 => put(t, at, by),
        DType::C32 => put(t, at, |z: C32| C32::new(z.re, by(z.im.into()) as f32)),
        _ => put(t, at, |z: C64| C64::new(z.re, by(z.im))),
    }
}
/// Of how many elements the operands are at most whose results are changed one by one.
const FEW: usize = 12;
/// A singular system: that there is an infinity or a NaN is all that is said of its solution.
fn left_open(ran: &Ran) -> bool {
    let finite = |t: &Tensor| match t.dtype() {
        DType::F64 => t.to_logical::<f64>().unwrap().iter().all(|x| x.is_finite()),
        _ => t.to_logical::<C64>().unwrap().iter().all(|z| z.re.is_finite() && z.im.is_finite()),
    };
    ran.seen.def.is(&linalg::TRIANGULAR_SOLVE) && !ran.results.iter().all(finite)
}
/// Each element of each result of each row with a law: were it another, a clause would say so.
#[test]
fn whatever_is_changed_is_noticed() {
    let (mut count, mut missed) = (0, vec![]);
    for def in OpSet::core().iter().filter(|d| matches!(d.law, Law::Holds { .. })) {
        let before = count;
        for dtype in DType::SUPPORTED {
            if matches!(dtype, DType::F32 | DType::C32 | DType::U32 | DType::U64 | DType::I32) {
                continue;
            }
            each(def, dtype, Engine::Interp, |i, ran| {
                let size = |t: &Tensor| t.shape().iter().product::<usize>();
                if !ran.seen.def.is(def) || left_open(&ran) || ran.operands.iter().any(|t| size(t) > FEW) {
                    return;
                }
                for (k, t) in ran.results.iter().enumerate() {
                    for at in 0..size(t) {
                        let mut results = ran.results.clone();
                        results[k] = changed(t, at);
                        let other = Ran { seen: ran.seen.clone(), operands: ran.operands.clone(), results };
                        count += 1;
                        if judged(&other).0.is_empty() {
                            let shape = ran.operands.first().map(|t| t.shape().to_vec());
                            missed.push(format!(
                                "{} {dtype}{shape:?}, program {i}: element {at} of result {k}",
                                def.name
                            ));
                        }
                    }
                }
            });
        }
        assert!(count > before, "{}: nothing was changed", def.name);
    }
    assert!(missed.is_empty(), "{} of {count} changes pass:\n{}", missed.len(), missed.join("\n"));
    assert!(count > 5000, "only {count} changes");
}

/// A kernel that gives the factors with both signs turned gives the matrix back all the same, and breaks the law.
#[test]
fn a_wrong_kernel_breaks_it() {
    let matrix = |v: [f64; 4]| Tensor::from_logical(&[2, 2], v.to_vec());
    let a = matrix([3.0, 1.0, 4.0, 2.0]);
    for (sign, says) in [(1.0, ""), (-1.0, "the diagonal of r is not negative")] {
        let factors = [matrix([0.6, -0.8, 0.8, 0.6].map(|x| sign * x)), matrix([5.0, 2.2, 0.0, 0.4].map(|x| sign * x))];
        let kernels = interp::Kernels::core().with(&linalg::QR, move |_| Ok(factors.to_vec()));
        let m = Module::new(Arc::new(OpSet::core()));
        let mut b = Builder::new(&m, "f");
        let x = b.param(Type::exact(DType::F64, &[2, 2]), "x");
        let ys = b.emit(NewOp::new(&linalg::QR, &[x])).unwrap();
        let f = m.add(b.finish(ys).unwrap());
        let (f, seen) = law::witness(&m, f).unwrap();
        let engine = interp::Interp::new(&m).with_kernels(kernels);
        let values = engine.run(f, std::slice::from_ref(&a), &interp::RunOptions::default()).unwrap();
        let (broken, _) = judged(&apart(&seen, values)[0]);
        assert_eq!(broken.len(), usize::from(sign < 0.0), "{broken:?}");
        assert!(broken.iter().all(|b| b.starts_with(says)), "{broken:?}");
    }
}

/// Rows whose engines call one kernel have a law.
#[test]
fn rows_of_shared_kernels_have_laws() {
    let rows = linalg::FAMILY.iter().copied().chain([&order::SORT, &order::TOP_K, &order::UNIQUE]);
    for def in rows {
        assert!(matches!(def.law, Law::Holds { .. }), "{} has no law", def.name);
    }
}
