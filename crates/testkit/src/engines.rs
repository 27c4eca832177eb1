//! Every backend against the interpreter: samples as they are written where both have the kernels, lowered and optimised,
//! in several layouts of the operands, with one and two threads.
use tfc_engine::Backend;
use tfc_ir::{DType, FuncId, Module, OpDef, Tensor};

use crate::Part;
use crate::again::alone;
use crate::context::{Checked, Cx, Found, compile, lowered, run, show};
use crate::layouts::scattered;
use crate::tensors::distance;

pub(crate) fn sweep(cx: &Cx, def: &'static OpDef, found: &mut Found) {
    for dtype in tfc_ir::sample::DTYPES {
        let (m, list) = cx.samples_or_fault(def, dtype, found);
        for (i, s) in list.iter().enumerate() {
            let args = s.inputs(&m, 7 + i as u64).map_err(show);
            let done = args.and_then(|args| agree(cx, &alone(&m, s.func), s.func, &args));
            if done.is_ok() {
                found.ran.extend([(dtype, Part::Interp), (dtype, Part::Others)]);
            }
            found.case(done, || format!("{dtype}, sample {i}"));
        }
    }
}
/// Compares all backends on a function.
pub(crate) fn agree(cx: &Cx, m: &Module, f: FuncId, args: &[Tensor]) -> Checked {
    let plain = lowered(m, 0)?;
    // What the pass `widen` says of small dtypes is held against the interpreter's own words.
    let mut own = m.fork();
    tfc_passes::plain().run(&mut own, &mut |_| {}).map_err(|e| format!("lowering: {e}"))?;
    let want = cx.interp(&own, f, args).map_err(|e| format!("the interpreter: {e}"))?;
    let small = own.funcs().iter().any(|(_, f)| f.values.iter().any(|v| v.ty.dtype.is_small()));
    let best = lowered(m, 2)?;
    let backends = cx.kernels.backends();
    // Where all have the kernels, composites are run as they are written too.
    let written = (!small && backends.iter().all(|b| b.runs(m, f))).then_some((m, "as written"));
    for (m, how) in written.into_iter().chain([(&plain, "lowered"), (&best, "optimised")]) {
        for b in cx.others() {
            for threads in [1, 2] {
                one(&*b, (m, f), threads, args, &want).map_err(|e| format!("{how}, {threads} threads: {e}"))?;
            }
        }
    }
    Ok(())
}
pub(crate) fn tolerance(t: &Tensor) -> f64 {
    match t.dtype() {
        // One rounding more or less, where what is rounded differs in its last bits.
        d if d.is_small() && d.is_float() => 2.0 * d.epsilon(),
        DType::F32 | DType::C32 => 2e-5,
        _ => 1e-12,
    }
}
/// A backend with so many threads, in each layout of the operands.
fn one(b: &dyn Backend, (m, f): (&Module, FuncId), threads: usize, args: &[Tensor], want: &[Tensor]) -> Checked {
    let exe = compile(b, m, f, threads)?;
    let layouts: [(&str, fn(&Tensor) -> Checked<Tensor>); 3] =
        [("first axis", |t| t.dense().map_err(show)), ("gaps", scattered), ("own", |t| Ok(t.clone()))];
    for (layout, of) in layouts {
        let args = args.iter().map(of).collect::<Checked<Vec<_>>>()?;
        let got = run(&*exe, &args).map_err(|e| format!("{} ({layout}): {e}, the interpreter runs", b.name()))?;
        if got.len() != want.len() {
            return Err(format!("{} gives {} results, the interpreter {}", b.name(), got.len(), want.len()));
        }
        for (i, (w, g)) in want.iter().zip(&got).enumerate() {
            let d = distance(g, w);
            if d > tolerance(w) {
                let (name, plan) = (b.name(), exe.describe());
                return Err(format!("{name} ({layout}): result {i} is off by {d:e}: {g:?}, not {w:?}\n{plan}"));
            }
        }
    }
    Ok(())
}
