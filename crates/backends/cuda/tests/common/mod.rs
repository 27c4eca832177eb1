//! Samples of every row, made ready for the backend.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(unreachable_pub, reason = "a module of each test")]
use std::sync::Arc;

use tfc_backends::backend::{Backend, Executable, Kernels, Limits, Options, Oracle};
use tfc_ir::sample::SampleCx;
use tfc_ir::{DType, FuncId, Module, OpSet, Result, Tensor};

/// A sample: what it is called, its function made ready, its operands and results.
pub struct Case {
    pub name: String,
    pub row: &'static str,
    pub module: Module,
    pub func: FuncId,
    pub args: Vec<Tensor>,
    pub want: Vec<Tensor>,
}
pub fn ready(m: &Module, f: FuncId) -> Result<(Module, FuncId)> {
    let mut m = m.fork();
    let name = m.func_name(f).to_string();
    tfc_passes::level(2).run(&mut m, &mut |_| {}).map_err(|e| e.error)?;
    let f = m.find(&name).unwrap_or(f);
    Ok((m, f))
}
pub fn run(p: &dyn Executable, args: &[Tensor]) -> Result<Vec<Tensor>> {
    p.run(args, &Limits::default())
}
pub fn cases(ops: &Arc<OpSet>, only: Option<&str>) -> Vec<Case> {
    let mut out = vec![];
    for def in ops.iter().filter(|d| only.is_none_or(|o| o == d.name)) {
        for dtype in DType::SUPPORTED {
            let m = Module::new(ops.clone());
            for (i, s) in (def.sample)(&SampleCx { m: &m, def, dtype }).unwrap().iter().enumerate() {
                let args = s.inputs(&m, 7 + i as u64).unwrap();
                let Ok((module, func)) = ready(&m, s.func) else { continue };
                let mut plain = m.fork();
                if tfc_passes::level(0).run(&mut plain, &mut |_| {}).is_err() {
                    continue;
                }
                let oracle = Oracle(Kernels::default().interp).compile(plain, s.func, &Options::default()).unwrap();
                if let Ok(want) = run(&*oracle, &args) {
                    out.push(Case {
                        name: format!("{} {dtype} {i}", def.name),
                        row: def.name,
                        module,
                        func,
                        args,
                        want,
                    });
                }
            }
        }
    }
    out
}
