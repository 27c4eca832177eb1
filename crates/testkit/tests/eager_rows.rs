//! Every built-in row by the Rust API: what its samples compute op by op is what the interpreter makes of them, and the
//! cotangents of an eager tensor are those of the op `vjp`.
use std::collections::BTreeSet;
use std::sync::Arc;
use tfc_api::prelude::*;
use tfc_backends::backend::{Backend as _, Limits, Native, Options};
use tfc_backends::interp::{Interp, RunOptions};
use tfc_ir::op::Linearize;
use tfc_ir::ops::derivative::VJP;
use tfc_ir::sample::SampleCx;
use tfc_ir::{Attr, Builder, Func, FuncId, Module, NewOp, Op, OpDef, OpSet, Type};
use tfc_testkit::tensors::distance;

/// Rows of which no sample is one op on its parameters, and why.
const NOT_ONE_OP: &[(&str, &str)] = &[
    ("call", "it names a function of a module"),
    ("checkpoint", "as call"),
    ("cond", "it has regions"),
    ("const", "it has no operand: constants are tensors already"),
    ("dim_value", "it is about extents of a program"),
    ("extent", "as dim_value"),
    ("fused", "as cond"),
    ("grad", "as call"),
    ("guard", "as dim_value"),
    ("hvp", "as call"),
    ("iota", "as const"),
    ("jvp", "as call"),
    ("load", "as const"),
    ("reduce_by", "as cond"),
    ("scan", "as cond"),
    ("value_and_grad", "as call"),
    ("vjp", "as call"),
    ("while", "as cond"),
];

/// The only op of a sample, if it is one of the row on all parameters in order.
fn only<'f>(f: &'f Func, def: &OpDef) -> Option<&'f Op> {
    let [o] = f.body().ops[..] else { return None };
    let op = f.op(o);
    let plain = op.regions.is_empty() && !op.operands.is_empty() && op.operands[..] == *f.params();
    (op.def.is(def) && plain && f.returns() == &op.results[..] && !def.calls()).then_some(op)
}
fn tolerance(d: DType) -> f64 {
    if matches!(d.real(), DType::F32) { 1e-4 } else { 1e-9 }
}
/// The cotangents of `f` by the op `vjp`, for cotangents of every floating or complex result.
fn by_vjp(m: &Module, f: FuncId, wrt: &[usize], args: &[Tensor], cts: &[Tensor]) -> Result<Vec<Tensor>> {
    let (m, src) = (m.fork(), m.func(f)?);
    let mut b = Builder::new(&m, "cotangents");
    b.func_mut().export = true;
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
/// Runs a sample eagerly; what differs.
fn check(c: &EagerRuntime, m: &Module, f: FuncId, op: &Op, args: &[Tensor], derive: bool) -> Result<usize> {
    let src = m.func(f)?;
    let types = src.types(src.returns());
    let types = op.def.needs_type.then_some(&types[..]);
    let wrong = |what: &str, i: usize, got: &Tensor, want: &Tensor| {
        Error::new("E0299", format!("{what} {i} of {args:?} is {got}, not {want}"))
    };
    let limit = src.types(src.params()).iter().chain(&src.result_types).map(|t| tolerance(t.dtype)).fold(0.0, f64::max);
    let constants: Vec<_> = args.iter().map(|t| c.constant_from(t.clone())).collect();
    let ys = c.apply(op.def, &constants.iter().collect::<Vec<_>>(), &op.attrs, types)?;
    let want = Interp::new(m).run(f, args, &RunOptions::default())?;
    for (i, (y, w)) in ys.iter().zip(&want).enumerate() {
        if distance(y.tensor(), w).is_nan() || distance(y.tensor(), w) > limit {
            return Err(wrong("result", i, y.tensor(), w));
        }
    }
    let wrt: Vec<usize> = (0..args.len()).filter(|&i| args[i].dtype().is_inexact()).collect();
    if !derive || wrt.is_empty() || matches!(op.def.linearize, Linearize::Never(_)) {
        return Ok(0);
    }
    let vars =
        constants.iter().map(|x| if x.dtype().is_inexact() { c.variable_from(x.to_tensor()) } else { Ok(x.clone()) });
    let vars = vars.collect::<Result<Vec<_>>>()?;
    let ys = c.apply(op.def, &vars.iter().collect::<Vec<_>>(), &op.attrs, types)?;
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
        if distance(&got, w).is_nan() || distance(&got, w) > 100.0 * limit {
            return Err(wrong("cotangent", i, &got, w));
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
        for dtype in DType::SUPPORTED {
            let m = Module::new(ops.clone());
            let samples = (def.sample)(&SampleCx { m: &m, def, dtype }).unwrap_or_default();
            for (k, s) in samples.iter().enumerate() {
                let f = m.func(s.func).unwrap();
                let Some(op) = only(&f, def) else { continue };
                seen.insert(def.name);
                let args = s.inputs(&m, 7 + k as u64).unwrap();
                // Derivatives of one real and one complex dtype: rules do not depend on widths.
                let derive = matches!(dtype, DType::F64 | DType::C64);
                match check(&c, &m, s.func, op, &args, derive) {
                    Ok(n) => derived += n,
                    Err(e) => faults.push(format!("{} {dtype} {k}: {e}", def.name)),
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    let missing: Vec<_> = ops.iter().map(|d| d.name).filter(|n| !seen.contains(n)).collect();
    let listed: Vec<_> = NOT_ONE_OP.iter().map(|x| x.0).collect();
    assert_eq!(missing, listed, "rows without such a sample");
    assert!(derived > 300, "only {derived} cotangents were compared");
}
