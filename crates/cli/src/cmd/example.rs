//! An op in a program, and the derivative of that program: made of the first sample of its row that has axes.
use super::made::PIPELINE;
use crate::args::Mode;
use crate::entry::{export_only, keep_only};
use std::sync::Arc;
use tfc_ir::sample::SampleCx;
use tfc_ir::{DType, FuncId, Module, OpDef, OpSet, print};
use tfc_passes::Pipeline;

/// Longer programs show too much.
const MOST_LINES: usize = 30;

/// The program, and its reverse derivative where it has one.
pub(super) fn of(ops: &Arc<OpSet>, def: &'static OpDef) -> Option<(String, Option<String>)> {
    let (m, f) = [DType::F64, DType::C64, DType::I64, DType::Bool, DType::I32, DType::U32]
        .into_iter()
        .find_map(|dtype| sample(ops, def, dtype))?;
    let program = text(&m, def, &[f])?;
    Some((program, derivative(&m, def, f)))
}

fn sample(ops: &Arc<OpSet>, def: &'static OpDef, dtype: DType) -> Option<(Module, FuncId)> {
    let m = Module::new(ops.clone());
    let all = (def.sample)(&SampleCx { m: &m, def, dtype }).ok()?;
    let shown = |f: FuncId| {
        let f = m.try_func(f)?;
        let elements = f.params().iter().map(|&p| f.ty(p).exact_shape().map_or(0, |s| s.iter().product::<usize>()));
        Some(elements.max().unwrap_or(0) > 1 && f.ops.iter().any(|o| o.def.is(def)))
    };
    let f = all.iter().find(|s| shown(s.func) == Some(true)).or(all.first())?.func;
    Some((m, f))
}

/// The functions as people write them; `None` where that is long, or names data.
fn text(m: &Module, def: &OpDef, roots: &[FuncId]) -> Option<String> {
    let mut only = m.fork();
    keep_only(&mut only, roots);
    export_only(&only, roots, |_| true);
    let text = print::nested_module(&only).replace(&format!("@sample.{}", def.name), "@f");
    let text = tfc_frontend::text::fmt(&text).ok()?;
    (only.data.is_empty() && text.lines().count() <= MOST_LINES).then_some(text)
}

fn derivative(m: &Module, def: &OpDef, f: FuncId) -> Option<String> {
    let func = m.try_func(f)?;
    let wrt: Vec<usize> = (0..func.params().len()).filter(|&i| func.ty(func.params()[i]).dtype.is_inexact()).collect();
    if wrt.is_empty() || !func.result_types.iter().any(|t| t.dtype.is_inexact()) {
        return None;
    }
    let mut made = m.fork();
    let root = super::grad::derivative(&made, f, Mode::Vjp, &wrt).ok()?;
    keep_only(&mut made, &[root]);
    Pipeline::parse(PIPELINE).ok()?.run(&mut made, &mut |_| {}).ok()?;
    text(&made, def, &[root])
}
