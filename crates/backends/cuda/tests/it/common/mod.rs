//! Samples of every row, made ready for the backend.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(unreachable_pub, reason = "a module of each test")]
use std::sync::Arc;

use tfc_api::Kernels;
use tfc_cuda::Cuda;
use tfc_cuda::backend::Program;
use tfc_engine::{Backend, Executable, Limits, Options};
use tfc_interp::Oracle;
use tfc_ir::sample::SampleCx;
use tfc_ir::{C64, DType, FuncId, Module, OpSet, Result, Tensor};

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
        for dtype in tfc_ir::sample::DTYPES {
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
/// The cases as programs, in their order. The compiler of this machine takes one text at a time: of those that are compiled together
/// there are as many at a time as processors.
pub fn compiled(cuda: &Cuda, cases: &[Case], together: usize) -> Vec<Result<Program>> {
    let chunks: Vec<&[Case]> = cases.chunks(together).collect();
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get().min(4));
    let compile = |some: &[Case]| {
        let list: Vec<_> = some.iter().map(|c| (&c.module, c.func)).collect();
        cuda.compile_all(&list, false).unwrap_or_else(|e| panic!("{e}\n{:?}", e.data().notes))
    };
    let (chunks, compile) = (&chunks, &compile);
    let mut made: Vec<_> = std::thread::scope(|s| {
        let own = |w: usize| {
            move || chunks.iter().enumerate().skip(w).step_by(workers).map(|(i, c)| (i, compile(c))).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..workers).map(|w| s.spawn(own(w))).collect();
        threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    made.sort_by_key(|m| m.0);
    made.into_iter().flat_map(|m| m.1).collect()
}
fn numbers(t: &Tensor) -> Vec<C64> {
    let re = |x: f64| C64::new(x, 0.0);
    match t.dtype() {
        d if d.is_float() => t.reals().unwrap().into_iter().map(re).collect(),
        DType::C32 => {
            t.to_logical().unwrap().into_iter().map(|x: tfc_ir::C32| C64::new(x.re.into(), x.im.into())).collect()
        }
        _ => t.to_logical().unwrap(),
    }
}
/// How a result differs: by more than rounding in another order does.
pub fn differs(want: &Tensor, got: &Tensor) -> Option<String> {
    if want.dtype() != got.dtype() || want.shape() != got.shape() {
        return Some(format!("{}{:?}, not {}{:?}", got.dtype(), got.shape(), want.dtype(), want.shape()));
    }
    if !want.dtype().is_inexact() {
        return (!want.same(got)).then(|| format!("{got:?}, not {want:?}"));
    }
    let tolerance = match want.dtype() {
        d if d.is_small() => 2.0 * d.epsilon(),
        DType::F32 | DType::C32 => 2e-5,
        _ => 1e-12,
    };
    let nan = |z: &C64| z.re.is_nan() || z.im.is_nan();
    let same = |w: &C64, g: &C64| w == g || (nan(w) && nan(g)) || (w - g).norm() <= tolerance * (1.0 + w.norm());
    let (w, g) = (numbers(want), numbers(got));
    let at = w.iter().zip(&g).position(|(w, g)| !same(w, g))?;
    Some(format!("element {at} in logical order is {}, not {}", g[at], w[at]))
}
