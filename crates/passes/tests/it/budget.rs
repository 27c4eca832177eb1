//! Limits hold in every pass: the module's budget is asked for each op that is made.
use std::sync::Arc;
use tfc_ir::ops::derivative::{GRAD, JVP};
use tfc_ir::*;
use tfc_passes::Pipeline;

/// `@main`, the derivative of a function that doubles `n` times.
fn doubling(n: usize, def: &'static OpDef) -> Result<Module> {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut last: Option<FuncId> = None;
    for k in 0..n {
        let mut b = Builder::new(&m, &format!("f{k}"));
        let x = b.param(Type::scalar(DType::F64), "x");
        let mut y = b.sin(x)?;
        for _ in 0..2 {
            y = match last {
                Some(f) => b.call(f, None, &[y])?.0[0],
                None => b.cos(y)?,
            };
        }
        last = Some(m.add(b.finish(vec![y])?));
    }
    let mut b = Builder::new(&m, "main");
    let operands: Vec<ValueId> =
        (0..if def.is(&JVP) { 2 } else { 1 }).map(|_| b.param(Type::scalar(DType::F64), "x")).collect();
    let callee = last.ok_or_else(|| Error::new(tfc_ir::Code::E0302, "no function"))?;
    let r = b.emit(NewOp::new(def, &operands).attr("callee", Attr::Sym(callee.into())))?;
    b.export(true);
    m.add(b.finish(r)?);
    Ok(m)
}
fn run(m: &mut Module, passes: &str) -> &'static str {
    let p = Pipeline::parse(passes).unwrap();
    p.run(m, &mut |_| {}).err().map_or("", |e| e.error.data().code.name())
}

#[test]
fn each_function_is_differentiated_once() {
    let mut m = doubling(40, &JVP).unwrap();
    assert_eq!(run(&mut m, "expand-ad"), "");
    // Each has a joint derivative and nothing else is left.
    assert_eq!(m.funcs().len(), 41);
    assert!(m.size() < 1000, "{} ops", m.size());
}
#[test]
fn a_gradient_that_keeps_too_much_is_refused() {
    let mut m = doubling(40, &GRAD).unwrap();
    m.budget = Budget::new(Limits { ops: Some(100_000), ..Limits::default() });
    assert_eq!(run(&mut m, "expand-ad"), "E0720");
    m.budget = Budget::new(Limits { memory: Some(1 << 20), ..Limits::default() });
    assert_eq!(run(&mut m, "expand-ad"), "E0715");
}
#[test]
fn inlining_leaves_calls_where_they_would_be_too_much() {
    for (ops, most) in [(None, 200_000), (Some(5000), 5000)] {
        let mut m = doubling(40, &JVP).unwrap();
        m.budget = Budget::new(Limits { ops, ..Limits::default() });
        assert_eq!(run(&mut m, "expand-ad,inline,verify"), "");
        assert!(m.size() <= most && m.funcs().len() > 1, "{} ops, {} functions", m.size(), m.funcs().len());
    }
    let mut m = doubling(5, &JVP).unwrap();
    assert_eq!(run(&mut m, "expand-ad,inline,verify"), "");
    assert_eq!(m.funcs().len(), 1);
}
#[test]
fn work_can_be_called_off() {
    let mut m = doubling(5, &GRAD).unwrap();
    m.budget.cancel();
    assert_eq!(run(&mut m, "expand-ad"), "E0714");
}
