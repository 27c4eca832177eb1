//! The interpreter: what ops give, and what stops them.
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tfc_cpu as cpu;
use tfc_interp::{Interp, Kernels, RunOptions};
use tfc_ir::{
    Attr, Attrs, Budget, Builder, C64, CmpOp, Constraint, DType, DataDecl, DataId, Element, Extent, FuncId, Limits,
    Module, NewOp, OpDef, OpSet, Result, Span, SymRef, Tensor, Type, ValueId,
};

mod gives;
mod stops;

fn row(name: &str) -> &'static OpDef {
    OpSet::core().get(name).unwrap_or_else(|| panic!("no row `{name}`"))
}
fn module() -> Module {
    Module::new(Arc::new(OpSet::core()))
}
fn op(name: &str, operands: &[ValueId]) -> NewOp {
    NewOp::new(row(name), operands)
}
fn exact(v: &[i64]) -> Attr {
    Attr::extents(v.iter().map(|&i| Extent::exact(i)).collect::<Vec<_>>())
}
type Body<'b> = &'b dyn Fn(&mut Builder, &[ValueId]) -> Result<Vec<ValueId>>;
/// Runs a program whose parameters have the arguments' types.
fn run(args: &[Tensor], body: Body) -> Result<Vec<Tensor>> {
    run_with(args, &RunOptions::default(), body)
}
fn run_with(args: &[Tensor], options: &RunOptions, body: Body) -> Result<Vec<Tensor>> {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let ps: Vec<_> = args.iter().map(|t| b.param(Type::exact(t.dtype(), t.shape()), "x")).collect();
    let ys = body(&mut b, &ps)?;
    let f = m.add(b.finish(ys)?);
    Interp::new(&m).run(f, args, options)
}
/// One op with one result.
fn one(args: &[Tensor], make: &dyn Fn(&[ValueId]) -> NewOp) -> Result<Tensor> {
    Ok(run(args, &|b, x| b.emit(make(x)))?.remove(0))
}
fn list<T: Element>(t: &Tensor) -> Vec<T> {
    t.to_logical::<T>().expect("the dtype")
}
fn f64s(shape: &[usize], v: &[f64]) -> Tensor {
    Tensor::from_logical(shape, v.to_vec()).unwrap()
}
/// 0, 1, 2, … in logical order.
fn count(shape: &[usize]) -> Tensor {
    Tensor::from_logical(shape, (0..shape.iter().product::<usize>()).map(|i| i as f64).collect()).unwrap()
}
fn code<T>(r: Result<T>) -> (&'static str, String) {
    match r {
        Ok(_) => ("", String::new()),
        Err(e) => (e.data().code.name(), e.to_string()),
    }
}
