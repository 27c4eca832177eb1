//! Every built-in row by the Rust API: what its samples compute op by op is what the interpreter makes of them, and the
//! cotangents of an eager tensor are those of the op `vjp`.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tfc_api::prelude::*;
use tfc_cpu::Native;
use tfc_engine::{Backend as _, Limits, Options};
use tfc_interp::{Interp, RunOptions};
use tfc_ir::op::Linearize;
use tfc_ir::ops::derivative::VJP;
use tfc_ir::sample::SampleCx;
use tfc_ir::{Attr, Builder, Func, FuncId, Module, NewOp, OpSet, Type, ValueId};
use tfc_testkit::tensors::distance;

/// Rows of which no sample can be run op by op, and why.
const NOT_BY_OPS: &[(&str, &str)] = &[
    ("call", "it names a function of a module"),
    ("checkpoint", "as call"),
    ("cond", "it has regions"),
    ("extent", "it is about extents of a program"),
    ("fused", "as cond"),
    ("grad", "as call"),
    ("guard", "as extent"),
    ("hessian", "as call"),
    ("hvp", "as call"),
    ("jacobian", "as call"),
    ("jvp", "as call"),
    ("linalg.eigh_trunc", "its samples use the rank, which only running tells, in written types"),
    ("linalg.svd_trunc", "as linalg.eigh_trunc"),
    ("load", "its data is a part of a module"),
    ("reduce", "as cond"),
    ("reduce_window", "as cond"),
    ("scan", "as cond"),
    ("select_and_scatter", "as cond"),
    ("switch", "as cond"),
    ("value_and_grad", "as call"),
    ("vjp", "as call"),
    ("vmap", "as call"),
    ("while", "as cond"),
];

/// Whether all ops of a function can be run one by one.
fn by_ops(f: &Func) -> bool {
    f.body().ops.iter().all(|&o| {
        let op = f.op(o);
        let exact = |a: &Attr| !matches!(a, Attr::Extents(e) if e.iter().any(|e| e.as_exact().is_none()));
        let types = !op.def.needs_type || f.types(&op.results).iter().all(Type::is_exact);
        // A demand on extents is one on symbols.
        let free = op.regions.is_empty() && !op.def.calls() && !op.def.demands;
        free && types && op.attrs.iter().all(|(_, a)| exact(a))
    })
}
/// Runs a function op by op.
fn play(c: &EagerRuntime, f: &Func, args: &[EagerTensor]) -> Result<Vec<EagerTensor>> {
    let mut known: BTreeMap<ValueId, EagerTensor> = f.params().iter().copied().zip(args.iter().cloned()).collect();
    for &o in &f.body().ops {
        let op = f.op(o);
        let types = f.types(&op.results);
        // Constants say by their type what they are.
        let types = (op.def.needs_type || op.operands.is_empty()).then_some(&types[..]);
        let operands: Vec<&EagerTensor> = op.operands.iter().map(|v| &known[v]).collect();
        let results = c.apply(op.def, &operands, &op.attrs, types)?;
        assert_eq!(results.len(), op.results.len(), "{}", op.def.name);
        known.extend(op.results.iter().copied().zip(results));
    }
    Ok(f.returns().iter().map(|v| known[v].clone()).collect())
}
fn tolerance(d: DType) -> f64 {
    if matches!(d.real(), DType::F32) { 1e-4 } else { 1e-9 }
}
/// The cotangents of `f` by the op `vjp`, for cotangents of every floating or complex result.
fn by_vjp(m: &Module, f: FuncId, wrt: &[usize], args: &[Tensor], cts: &[Tensor]) -> Result<Vec<Tensor>> {
    let (m, src) = (m.fork(), m.func(f)?);
    let mut b = Builder::new(&m, "cotangents");
    b.export(true);
    let exact = |t: &Tensor| Type::exact(t.dtype(), t.shape());
    let all: Vec<_> = args.iter().chain(cts).map(|t| b.param(exact(t), "x")).collect();
    let op = NewOp::new(&VJP, &all).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(wrt));
    let results = b.emit(op)?;
    let entry = m.add(b.finish(results[src.returns().len()..].to_vec())?);
    let mut m = m;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).map_err(|e| e.error)?;
    let options = Options { threads: 1, ..Options::default() };
    let exe = Native::default().compile(m, entry, &options)?;
    exe.run(&args.iter().chain(cts).cloned().collect::<Vec<_>>(), &Limits::default())
}
/// Runs a sample eagerly; what differs. How many cotangents were compared.
fn check(c: &EagerRuntime, m: &Module, f: FuncId, args: &[Tensor], derive: bool) -> Result<usize> {
    let src = m.func(f)?;
    let wrong = |what: &str, i: usize, got: &Tensor, want: &Tensor| {
        Err(Error::new(tfc_ir::Code::E0731, format!("{what} {i} of {args:?} is {got}, not {want}")))
    };
    let far = |a: &Tensor, b: &Tensor, times: f64| {
        let params = src.types(src.params());
        let limit = params.iter().chain(&src.result_types).map(|t| tolerance(t.dtype));
        let d = distance(a, b);
        d.is_nan() || d > times * limit.fold(1e-9, f64::max)
    };
    let constants: Vec<_> = args.iter().map(|t| c.constant_from(t.clone())).collect();
    let ys = play(c, &src, &constants)?;
    // Composites have no kernel of their own there.
    let mut lowered = m.fork();
    lowered.define(f, src.exported(true));
    tfc_passes::level(0).run(&mut lowered, &mut |_| {}).map_err(|e| e.error)?;
    let want = Interp::new(&lowered).run(f, args, &RunOptions::default())?;
    for (i, (y, w)) in ys.iter().zip(&want).enumerate() {
        if far(y.tensor(), w, 1.0) {
            return wrong("result", i, y.tensor(), w);
        }
    }
    let wrt: Vec<usize> = (0..args.len()).filter(|&i| args[i].dtype().is_inexact()).collect();
    let never = |o: &tfc_ir::OpId| matches!(src.op(*o).def.linearize, Linearize::Never(_));
    if !derive || wrt.is_empty() || src.body().ops.iter().any(never) {
        return Ok(0);
    }
    let vars = args
        .iter()
        .map(|x| if x.dtype().is_inexact() { c.variable_from(x.clone()) } else { Ok(c.constant_from(x.clone())) });
    let vars = vars.collect::<Result<Vec<_>>>()?;
    let ys = play(c, &src, &vars)?;
    let ones = |t: &Tensor| Tensor::ones(t.dtype(), &[])?.broadcast(t.shape());
    for y in ys.iter().filter(|y| y.tracks_grad()) {
        y.backward_with(&c.constant_from(ones(y.tensor())?))?;
    }
    let cts = ys.iter().filter(|y| y.dtype().is_inexact()).map(|y| ones(y.tensor())).collect::<Result<Vec<_>>>()?;
    let want = by_vjp(m, f, &wrt, args, &cts)?;
    for (&i, w) in wrt.iter().zip(&want) {
        let got = match vars[i].grad_optional() {
            Some(g) => g,
            None => Tensor::zeros(w.dtype(), w.shape())?,
        };
        if far(&got, w, 100.0) {
            return wrong("cotangent", i, &got, w);
        }
    }
    Ok(wrt.len())
}

#[test]
fn every_row_runs_eagerly() {
    let ops = Arc::new(OpSet::core());
    let c = EagerRuntime::with_cpu_backend(CpuBackend::new().threads(1));
    let (mut faults, mut seen, mut derived) = (vec![], BTreeSet::new(), 0);
    for def in ops.iter() {
        for dtype in DType::WIDE {
            let m = Module::new(ops.clone());
            let samples = (def.sample)(&SampleCx { m: &m, def, dtype }).unwrap_or_default();
            for (k, s) in samples.iter().enumerate() {
                let f = m.func(s.func).unwrap();
                if !by_ops(&f) {
                    continue;
                }
                seen.extend(f.body().ops.iter().map(|&o| f.op(o).def.name).filter(|n| *n == def.name));
                let args = s.inputs(&m, 7 + k as u64).unwrap();
                // Derivatives of one real and one complex dtype: rules do not depend on widths.
                let derive = matches!(dtype, DType::F64 | DType::C64);
                match check(&c, &m, s.func, &args, derive) {
                    Ok(n) => derived += n,
                    Err(e) => faults.push(format!("{} {dtype} {k}: {e}", def.name)),
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    let missing: Vec<_> = ops.iter().map(|d| d.name).filter(|n| !seen.contains(n)).collect();
    let listed: Vec<_> = NOT_BY_OPS.iter().map(|x| x.0).collect();
    assert_eq!(missing, listed, "rows that no sample runs op by op");
    assert!(derived > 300, "only {derived} cotangents were compared");
}
