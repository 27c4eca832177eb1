//! Laws of rows on every backend: what factorisations and orders have to be, on samples and on hard cases. The results are
//! a backend's; whether they keep the law is worked out by the interpreter, by sums, products and comparisons.
use tfc_engine::Backend;
use tfc_ir::law::{self, Seen};
use tfc_ir::op::Law;
use tfc_ir::sample::SampleCx;
use tfc_ir::{DType, Module, OpDef, Tensor};

use crate::context::{Checked, Cx, Found, compile, lowered, run, show, types};

/// An op that has run: what it took and gave.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The op.
    pub seen: Seen,
    /// Its operands.
    pub operands: Vec<Tensor>,
    /// Its results.
    pub results: Vec<Tensor>,
}

pub(crate) fn sweep(cx: &Cx, def: &'static OpDef, found: &mut Found) {
    if !matches!(def.law, Law::Holds { .. }) {
        return;
    }
    for b in cx.kernels.backends() {
        let mut of_row = 0;
        for dtype in DType::WIDE {
            let done = each(cx, def, dtype, &*b, &mut |i, ran| {
                let shapes: Vec<_> = ran.operands.iter().map(Tensor::shape).collect();
                let name = format!("{} of {dtype}{shapes:?}, program {i}, by {}", ran.seen.def.name, b.name());
                of_row += usize::from(ran.seen.def.is(def));
                found.cases += 1;
                match Judge::new(cx, &ran).and_then(|j| j.broken(cx, &ran)) {
                    Ok(broken) => broken.into_iter().for_each(|w| found.faults.push(format!("{name}: {w}"))),
                    Err(e) => found.faults.push(format!("{name}: {e}")),
                }
            });
            if let Err(e) = done {
                found.fault(format!("{dtype} by {}: {e}", b.name()));
            }
        }
        if of_row == 0 && found.faults.is_empty() {
            found.fault(format!("a law, and no op that {} ran", b.name()));
        }
    }
}
/// The law of an op, for operands and results of its types.
pub(crate) struct Judge {
    m: Module,
    law: law::Program,
}
impl Judge {
    pub(crate) fn new(cx: &Cx, ran: &Ran) -> Checked<Judge> {
        let m = cx.module();
        let (seen, operands, results) = (&ran.seen, types(&ran.operands), types(&ran.results));
        let law = law::program(&m, seen.def, &seen.attrs, &operands, &results).map_err(|e| format!("its law: {e}"))?;
        if law.clauses.is_empty() {
            return Err("its law has no clause".into());
        }
        Ok(Judge { m, law })
    }
    /// What does not hold of the op that has run, or of one of the same types.
    pub(crate) fn broken(&self, cx: &Cx, ran: &Ran) -> Checked<Vec<String>> {
        let args: Vec<Tensor> = ran.operands.iter().chain(&ran.results).cloned().collect();
        let values = cx.interp(&self.m, self.law.func, &args).map_err(|e| format!("its law: {e}"))?;
        let mut broken = vec![];
        for (c, v) in self.law.clauses.iter().zip(&values) {
            let v: f64 = v.item().ok_or("a clause is not one number of f64")?;
            if !c.holds(v) {
                broken.push(format!("{} (off by {v:.2e}, allowed {:.2e})", c.says, c.within));
            }
        }
        Ok(broken)
    }
}
/// What the ops of `seen` took and gave, from what the function returned.
fn apart(seen: &[Seen], values: Vec<Tensor>) -> Vec<Ran> {
    let mut values = values.into_iter();
    let mut take = |n: usize| values.by_ref().take(n).collect::<Vec<_>>();
    seen.iter().map(|s| Ran { seen: s.clone(), operands: take(s.operands), results: take(s.results) }).collect()
}
/// Every op with a law that samples and hard cases of the row run on a backend, with the number of the program.
pub(crate) fn each(
    cx: &Cx,
    def: &'static OpDef,
    dtype: DType,
    b: &dyn Backend,
    see: &mut dyn FnMut(usize, Ran),
) -> Checked {
    let Law::Holds { hard, .. } = def.law else { return Ok(()) };
    let (m, mut list) = cx.samples(def, dtype)?;
    let hard = hard(&SampleCx { m: &m, def, dtype });
    list.extend(hard.map_err(|e| format!("a hard case does not build: {e}"))?);
    let watched = list.iter().map(|s| law::witness(&m, s.func).map_err(show)).collect::<Checked<Vec<_>>>()?;
    let lowered = lowered(&m, if b.as_written() { 0 } else { 2 })?;
    for (i, (s, (f, seen))) in list.iter().zip(&watched).enumerate() {
        let args = s.inputs(&m, 7 + i as u64).map_err(show)?;
        let exe = compile(b, &lowered, *f, 2)?;
        let values = run(&*exe, &args).map_err(|e| format!("program {i}: {e}"))?;
        apart(seen, values).into_iter().for_each(|r| see(i, r));
    }
    Ok(())
}
