//! One sample as StableHLO text, read back by this project's own reader and run by the interpreter.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(unreachable_pub, reason = "a module of each test")]
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use tfc_frontend::data::save;
use tfc_interp::{Interp, RunOptions};
use tfc_ir::sample::SampleCx;
use tfc_ir::{DType, FuncId, Module, OpDef, OpSet, Tensor};
use tfc_passes::Pipeline;
use tfc_stablehlo::{Checks, Dynamic, Options, Spellings, export, narrowed, prepare};
use tfc_testkit::tensors::distance;

/// Why samples of rows are not exported, each as its message says it, with the rows.
pub const REFUSED: &[(&str, &[&str])] = &[("takes values from outside", &["scatter"])];
/// Rows without a sample, and why.
pub const NO_SAMPLE: &[(&str, &str)] = &[
    ("load", "needs external data: tests/ir has one"),
    ("grad", "expanded before"),
    ("value_and_grad", "as grad"),
    ("vjp", "as grad"),
    ("jvp", "as grad"),
    ("hvp", "as grad"),
    ("jacobian", "as grad"),
    ("hessian", "as grad"),
];

fn run(m: &Module, f: FuncId, args: &[Tensor]) -> Result<Vec<Tensor>, String> {
    Interp::new(m).run(f, args, &RunOptions::default()).map_err(|e| e.to_string())
}
/// What came of one sample.
pub enum Came {
    Same,
    Refused(String),
    Wrong(String),
}
/// What came of the samples of a row.
#[derive(Default)]
pub struct Judged {
    /// The dtype of each sample that came back the same.
    pub same: Vec<DType>,
    /// Why others are not exported.
    pub refused: BTreeSet<String>,
    /// What is wrong with the rest.
    pub wrong: Vec<String>,
    /// Whether one has extents that values decide.
    pub decided: bool,
}
/// What `f` gives for each row, in their order. As many threads as processors share the rows.
pub fn each_row<T: Send>(rows: &[&'static OpDef], f: impl Fn(usize, &'static OpDef) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        while let i = next.fetch_add(1, Ordering::Relaxed)
            && let Some(&def) = rows.get(i)
        {
            let made = f(i, def);
            done.lock().unwrap().insert(i, made);
        }
    };
    std::thread::scope(|s| {
        for _ in 1..std::thread::available_parallelism().map_or(1, usize::from) {
            s.spawn(work);
        }
        work();
    });
    done.into_inner().unwrap().into_values().collect()
}
/// Judges the samples of these rows, and writes them to the folder `TFC_EXPORT_TO`, if there is one: all, or one in `TFC_EXPORT_EVERY`.
pub fn judge_rows(ops: &Arc<OpSet>, rows: &[&'static OpDef]) -> BTreeMap<&'static str, Judged> {
    let folder = std::env::var_os("TFC_EXPORT_TO").map(PathBuf::from);
    folder.iter().for_each(|f| std::fs::create_dir_all(f).unwrap());
    let every = std::env::var("TFC_EXPORT_EVERY").ok().map_or(1, |n| n.parse().unwrap());
    let one = |number: usize, def: &'static OpDef| {
        // Numbers of cases are those of their rows, whichever thread judges them.
        let (table, folder, cases) = (Spellings::default(), folder.clone(), 1000 * number);
        let mut judge = Judge { ops: ops.clone(), table, folder, cases, every, decided: BTreeSet::new() };
        let mut of = Judged::default();
        for dtype in tfc_ir::sample::DTYPES {
            let m = Module::new(ops.clone());
            for (i, s) in (def.sample)(&SampleCx { m: &m, def, dtype }).unwrap().iter().enumerate() {
                let args = inputs(def, s.inputs(&m, 7 + i as u64).unwrap());
                let name = format!("{} {dtype} {i}", def.name);
                match judge.judge(&m, s.func, &args, &name) {
                    Came::Same => of.same.push(dtype),
                    Came::Refused(why) => drop(of.refused.insert(why)),
                    Came::Wrong(e) => of.wrong.push(format!("{name}: {e}")),
                }
            }
        }
        of.decided = judge.decided.contains(def.name);
        (def.name, of)
    };
    each_row(rows, one).into_iter().collect()
}
/// The samples of every built-in row, judged once.
pub fn judged() -> &'static BTreeMap<&'static str, Judged> {
    static ALL: OnceLock<BTreeMap<&'static str, Judged>> = OnceLock::new();
    ALL.get_or_init(|| {
        let ops = Arc::new(OpSet::core());
        judge_rows(&ops, &ops.iter().collect::<Vec<_>>())
    })
}
pub struct Judge {
    pub ops: Arc<OpSet>,
    pub table: Spellings,
    pub folder: Option<PathBuf>,
    pub cases: usize,
    /// One in so many is written.
    pub every: usize,
    /// Rows of which samples have extents that values decide.
    pub decided: BTreeSet<String>,
}
impl Judge {
    pub fn judge(&mut self, m: &Module, f: FuncId, args: &[Tensor], name: &str) -> Came {
        let mut plain = m.fork();
        if let Err(e) = Pipeline::parse("expand-ad,expand").unwrap().run(&mut plain, &mut |_| {}) {
            return Came::Wrong(format!("lowering: {e}"));
        }
        let want = match run(&plain, f, args) {
            Ok(want) => want,
            Err(e) => return Came::Wrong(format!("the sample itself: {e}")),
        };
        let mut ready = m.fork();
        if let Err(e) = prepare(&mut ready, 0, &self.table) {
            return Came::Wrong(format!("lowering: {e}"));
        }
        let plain = Options { checks: Checks::Results, ..Options::default() };
        let decided = export(&ready, f, &self.table, &plain).is_err_and(|e| e.data().code.name() == "E1102");
        if decided {
            self.decided.insert(name.split(' ').next().unwrap_or_default().to_owned());
        }
        let options = Options { dynamic: Dynamic::Mask, ..plain };
        let text = match export(&ready, f, &self.table, &options) {
            Ok(text) => text,
            Err(e) if matches!(e.data().code.name(), "E1102" | "E1103" | "E1120" | "E1121") => {
                return Came::Refused(e.data().message.clone());
            }
            Err(e) => return Came::Wrong(e.to_string()),
        };
        self.keep(name, &text, args, &want);
        if decided && let Some(e) = self.bounded(&ready, f, args, &want, name) {
            return Came::Wrong(e);
        }
        let own = ready.func(f).unwrap();
        let cut = |got| narrowed(&own, got).map_err(|e| e.to_string());
        match self.again(&text, args).and_then(cut) {
            Err(e) => Came::Wrong(format!("{e}\n{text}")),
            Ok(got) => match differs(&of_phases(name, &want), &of_phases(name, &got)) {
                None => Came::Same,
                Some(e) => Came::Wrong(format!("{e}\n{text}")),
            },
        }
    }
    /// With results that say themselves how large they are, it gives the same.
    fn bounded(&mut self, m: &Module, f: FuncId, args: &[Tensor], want: &[Tensor], name: &str) -> Option<String> {
        let options = Options { checks: Checks::Results, dynamic: Dynamic::Bounds };
        let text = match export(m, f, &self.table, &options) {
            Ok(text) => text,
            Err(e) => return Some(format!("bounded: {e}")),
        };
        self.keep(&format!("{name} bounded"), &text, args, want);
        match self.again(&text, args) {
            Err(e) => Some(format!("bounded: {e}\n{text}")),
            Ok(got) => differs(want, &got).map(|e| format!("bounded: {e}\n{text}")),
        }
    }
    /// Read back and run.
    fn again(&self, text: &str, args: &[Tensor]) -> Result<Vec<Tensor>, String> {
        let read = tfc_stablehlo::parse_module(text.as_bytes(), &self.ops);
        let mut m =
            read.map_err(|d| format!("it is not read back: {}", d.first().map(|d| d.to_string()).unwrap_or_default()))?;
        Pipeline::parse("expand-ad,expand").unwrap().run(&mut m, &mut |_| {}).map_err(|e| format!("read back: {e}"))?;
        run(&m, m.find("main").ok_or("no @main")?, args).map_err(|e| format!("it runs no more: {e}"))
    }
    fn keep(&mut self, name: &str, text: &str, args: &[Tensor], want: &[Tensor]) {
        let Some(folder) = &self.folder else { return };
        self.cases += 1;
        if !self.cases.is_multiple_of(self.every) {
            return;
        }
        let at = |what: &str| folder.join(format!("{:06} {name}.{what}", self.cases));
        std::fs::write(at("mlir"), text).unwrap();
        for (kind, list) in [("in", args), ("out", want)] {
            for (i, t) in list.iter().enumerate() {
                save(&at(&format!("{kind}{i}.npy")), &[("x", t)]).unwrap();
                if t.dtype().is_tiny() {
                    std::fs::write(at(&format!("{kind}{i}.dtype")), t.dtype().name()).unwrap();
                }
            }
        }
    }
}
/// Of forms whose vectors are known up to a phase, which rounding decides, what does not depend on it: moduli, and eigenvalues.
fn of_phases(name: &str, results: &[Tensor]) -> Vec<Tensor> {
    let mut out = results.to_vec();
    if name.starts_with("linalg.schur") {
        for t in out.iter_mut().take(2) {
            if let Some(v) = t.to_logical::<tfc_ir::C64>() {
                *t = Tensor::from_logical(t.shape(), v.into_iter().map(|z| z.re.hypot(z.im)).collect()).unwrap();
            } else if let Some(v) = t.to_logical::<tfc_ir::C32>() {
                *t = Tensor::from_logical(t.shape(), v.into_iter().map(|z| z.re.hypot(z.im)).collect()).unwrap();
            }
        }
    }
    out
}
/// How results differ; checks behind them are all true.
fn differs(want: &[Tensor], got: &[Tensor]) -> Option<String> {
    if got.len() < want.len() {
        return Some(format!("{} results, not {}", got.len(), want.len()));
    }
    let (own, checks) = got.split_at(want.len());
    for (i, (w, g)) in want.iter().zip(own).enumerate() {
        let tolerance = match w.dtype() {
            d if d.is_small() => 2.0 * d.epsilon(),
            DType::F32 | DType::C32 => 1e-4,
            _ => 1e-9,
        };
        let d = distance(g, w);
        if d > tolerance {
            return Some(format!("result {i} is off by {d:e}: {g:?}, not {w:?}"));
        }
    }
    let failed = checks.iter().position(|c| c.item::<bool>() == Some(false));
    failed.map(|i| format!("check {i} fails"))
}

/// Iterated functions of large complex numbers leave every range: those of rows with regions are made smaller.
pub fn inputs(def: &OpDef, x: Vec<Tensor>) -> Vec<Tensor> {
    if def.regions.is_empty() {
        return x;
    }
    let small = |t: Tensor| match t.to_logical::<tfc_ir::C64>() {
        Some(v) => Tensor::from_logical(t.shape(), v.into_iter().map(|z| z * 0.2).collect()).unwrap(),
        None => match t.to_logical::<tfc_ir::C32>() {
            Some(v) => Tensor::from_logical(t.shape(), v.into_iter().map(|z| z * 0.2).collect()).unwrap(),
            None => t,
        },
    };
    x.into_iter().map(small).collect()
}
