//! From a call of an op to the function that it is, and that to a plan.
use super::key::Query;
use super::plan::Plan;
use crate::backend::Backend;
use std::sync::Arc;
use tfc_engine::Executable;
use tfc_ir::{Builder, Extent, Finished, FuncId, Module, NewOp, Result, Type};

/// The op as a function of its operands.
fn function(m: &Module, q: &Query) -> Result<Finished> {
    let mut b = Builder::new(m, q.row.name);
    b.export(true);
    let (mut params, mut first) = (vec![], None);
    for (i, (t, class)) in q.operands.iter().zip(q.classes()).enumerate() {
        let ty = match &first {
            Some(dims) if class.like_first => Type::new(t.dtype(), Arc::clone(dims)),
            _ => {
                let mut dims = vec![];
                for (axis, &n) in t.shape().iter().enumerate() {
                    dims.push(if q.exact || axis >= 64 || class.ones >> axis & 1 == 1 {
                        Extent::from(n)
                    } else {
                        Extent::sym(b.sym(&format!("n{i}_{axis}"), Default::default()))
                    });
                }
                Type::new(t.dtype(), dims)
            }
        };
        first.get_or_insert_with(|| ty.dims.clone());
        params.push(b.param(ty, q.row.operands.get(i).map_or("x", |n| n.trim_end_matches('…'))));
    }
    let mut new = NewOp::new(q.row, &params).attrs(q.attrs.clone());
    new.declared = q.types.map(<[Type]>::to_vec);
    let results = b.emit(new)?;
    b.finish(results)
}
/// Only asks whether the op takes these operands.
///
/// # Errors
/// Those of its inference.
pub(crate) fn infer(backend: &dyn Backend, q: &Query) -> Result<()> {
    function(&Module::new(backend.ops().clone()), q).map(drop)
}
/// # Errors
/// Those of the op's inference and of compiling.
pub(crate) fn plan(backend: &dyn Backend, q: &Query) -> Result<Arc<Plan>> {
    let m = Module::new(backend.ops().clone());
    let f = m.add(function(&m, q)?);
    let run = compile(backend, &m, f)?;
    Ok(Arc::new(Plan::new(q.row.name, Arc::new(m), f, run)?))
}
/// Compiles a function of a module, which stays as it is.
///
/// # Errors
/// Those of passes and of the engine.
pub(crate) fn compile(backend: &dyn Backend, m: &Module, f: FuncId) -> Result<Box<dyn Executable>> {
    let mut m = m.fork();
    // Other entries of the module are plans of their own.
    for (id, _) in m.funcs().into_iter().filter(|(id, other)| *id != f && other.export) {
        m.remove(id);
    }
    let passes = crate::backend::pipeline(backend.engine(), backend.level());
    passes.run(&mut m, &mut |_| {}).map_err(|e| e.error)?;
    backend.engine().compile(m, f, backend.options())
}
