//! Samples of every row, made ready for a backend, with what the interpreter makes of them.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "what fails here fails the test that calls it")]
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tfc_api::Kernels;
use tfc_engine::{Backend, Executable, Limits, Options};
use tfc_interp::Oracle;
use tfc_ir::sample::SampleCx;
use tfc_ir::{C64, DType, FuncId, Module, OpSet, Result, Tensor};

/// A sample: what it is called, its function made ready, its operands and results.
pub struct Case {
    /// Row, element type and number.
    pub name: String,
    /// The row.
    pub row: &'static str,
    /// Its program, after the passes of a backend.
    pub module: Module,
    /// The function.
    pub func: FuncId,
    /// Operands.
    pub args: Vec<Tensor>,
    /// Results by the interpreter.
    pub want: Vec<Tensor>,
}
/// A function after the passes that run before a backend.
///
/// # Errors
/// What they report.
pub fn ready(m: &Module, f: FuncId) -> Result<(Module, FuncId)> {
    let mut m = m.fork();
    let name = m.func_name(f).to_string();
    tfc_passes::level(2).run(&mut m, &mut |_| {}).map_err(|e| e.error)?;
    let f = m.find(&name).unwrap_or(f);
    Ok((m, f))
}
/// Runs a program without limits.
///
/// # Errors
/// What it reports.
pub fn run(p: &dyn Executable, args: &[Tensor]) -> Result<Vec<Tensor>> {
    p.run(args, &Limits::default())
}
/// The samples of all rows, or of one, in every element type that the interpreter runs them in.
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
    let tolerance = match want.dtype() {
        d if d.is_small() => 2.0 * d.epsilon(),
        DType::F32 | DType::C32 => 2e-5,
        _ => 1e-12,
    };
    differs_by(want, got, tolerance)
}
/// How a result differs: in type or shape, in an exact element, or by more than the tolerance beside 1 and the size of what is wanted.
pub fn differs_by(want: &Tensor, got: &Tensor, tolerance: f64) -> Option<String> {
    if want.dtype() != got.dtype() || want.shape() != got.shape() {
        return Some(format!("{}{:?}, not {}{:?}", got.dtype(), got.shape(), want.dtype(), want.shape()));
    }
    if !want.dtype().is_inexact() {
        return (!want.same(got)).then(|| format!("{got:?}, not {want:?}"));
    }
    let nan = |z: &C64| z.re.is_nan() || z.im.is_nan();
    let same = |w: &C64, g: &C64| w == g || (nan(w) && nan(g)) || (w - g).norm() <= tolerance * (1.0 + w.norm());
    let (w, g) = (numbers(want), numbers(got));
    let at = w.iter().zip(&g).position(|(w, g)| !same(w, g))?;
    Some(format!("element {at} in logical order is {}, not {}", g[at], w[at]))
}
/// What became of samples on a backend.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many agree with the interpreter.
    pub same: usize,
    /// Those that do not, and why.
    pub wrong: Vec<String>,
    /// What there is no kernel for (`E1304`), and rows that it is said of.
    pub none: BTreeMap<String, BTreeSet<&'static str>>,
}
impl Tally {
    /// Counts a sample.
    pub fn see(&mut self, c: &Case, got: Result<Vec<Tensor>>) {
        match got {
            Ok(got) => match c.want.iter().zip(&got).find_map(|(w, g)| differs(w, g)) {
                None => self.same += 1,
                Some(why) => self.wrong.push(format!("{}: {why}", c.name)),
            },
            Err(e) if e.data().code.name() == "E1304" => {
                self.none.entry(e.data().message.clone()).or_default().insert(c.row);
            }
            Err(e) => self.wrong.push(format!("{}: {}: {}", c.name, e.data().code.name(), e.data().message)),
        }
    }
    /// Says it, and fails where a sample is wrong, or, of all samples, fewer than `least` agree.
    pub fn judge(&self, least: Option<usize>) {
        println!("{} samples agree; without a kernel: {:#?}", self.same, self.none);
        assert!(least.is_none_or(|n| self.same >= n), "kernels have been lost: {}", self.same);
        assert!(self.wrong.is_empty(), "{}:\n{}", self.wrong.len(), self.wrong.join("\n"));
    }
}
