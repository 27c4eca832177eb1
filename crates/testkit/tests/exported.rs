//! Every sample of every row as StableHLO text, read back by this project's own reader and run by the interpreter: the same
//! results as the sample has. What is not exported is refused for one of a few reasons, which are listed here.
//!
//! `TFC_EXPORT_TO=FOLDER` writes each case there (text, operands, results) for judges from outside:
//! `crates/backends/stablehlo/tests/run_jaxlib.py FOLDER`.
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use tfc_backends::interp::{Interp, RunOptions};
use tfc_frontend::data::save;
use tfc_ir::sample::SampleCx;
use tfc_ir::{DType, FuncId, Module, OpDef, OpSet, Tensor};
use tfc_passes::Pipeline;
use tfc_stablehlo::{Checks, Dynamic, Options, Spelling, Spellings, export, narrowed, prepare};
use tfc_testkit::tensors::distance;

/// Why samples of rows are not exported, each as its message says it, with the rows.
const REFUSED: &[(&str, &[&str])] = &[("takes values from outside", &["scatter"])];
/// Rows without a sample, and why.
const NO_SAMPLE: &[(&str, &str)] = &[
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
enum Came {
    Same,
    Refused(String),
    Wrong(String),
}
struct Judge {
    ops: Arc<OpSet>,
    table: Spellings,
    folder: Option<PathBuf>,
    cases: usize,
    /// Rows of which samples have extents that values decide.
    decided: BTreeSet<String>,
}
impl Judge {
    fn judge(&mut self, m: &Module, f: FuncId, args: &[Tensor], name: &str) -> Came {
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
        let decided = export(&ready, f, &self.table, &plain).is_err_and(|e| e.data().code == "E1102");
        if decided {
            self.decided.insert(name.split(' ').next().unwrap_or_default().to_owned());
        }
        let options = Options { dynamic: Dynamic::Mask, ..plain };
        let text = match export(&ready, f, &self.table, &options) {
            Ok(text) => text,
            Err(e) if matches!(e.data().code, "E1102" | "E1103" | "E1120" | "E1121") => {
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
        let read = tfc_frontend::stablehlo::parse_module(text.as_bytes(), &self.ops);
        let mut m =
            read.map_err(|d| format!("it is not read back: {}", d.first().map(|d| d.to_string()).unwrap_or_default()))?;
        Pipeline::parse("expand-ad,expand").unwrap().run(&mut m, &mut |_| {}).map_err(|e| format!("read back: {e}"))?;
        run(&m, m.find("main").ok_or("no @main")?, args).map_err(|e| format!("it runs no more: {e}"))
    }
    fn keep(&mut self, name: &str, text: &str, args: &[Tensor], want: &[Tensor]) {
        let Some(folder) = &self.folder else { return };
        let at = |what: &str| folder.join(format!("{:05} {name}.{what}", self.cases));
        std::fs::write(at("mlir"), text).unwrap();
        for (kind, list) in [("in", args), ("out", want)] {
            for (i, t) in list.iter().enumerate() {
                save(&at(&format!("{kind}{i}.npy")), &[("x", t)]).unwrap();
            }
        }
        self.cases += 1;
    }
}
/// Of forms whose vectors are known up to a phase, which rounding decides, what does not depend on it: moduli, and eigenvalues.
fn of_phases(name: &str, results: &[Tensor]) -> Vec<Tensor> {
    let mut out = results.to_vec();
    if name.starts_with("linalg.schur") {
        for t in out.iter_mut().take(2) {
            if let Some(v) = t.to_logical::<tfc_ir::C64>() {
                *t = Tensor::from_logical(t.shape(), v.into_iter().map(|z| z.re.hypot(z.im)).collect());
            } else if let Some(v) = t.to_logical::<tfc_ir::C32>() {
                *t = Tensor::from_logical(t.shape(), v.into_iter().map(|z| z.re.hypot(z.im)).collect());
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
        let tolerance = if matches!(w.dtype(), DType::F32 | DType::C32) { 1e-4 } else { 1e-9 };
        let d = distance(g, w);
        if d > tolerance {
            return Some(format!("result {i} is off by {d:e}: {g:?}, not {w:?}"));
        }
    }
    let failed = checks.iter().position(|c| c.item::<bool>() == Some(false));
    failed.map(|i| format!("check {i} fails"))
}

#[test]
fn samples_of_every_row_come_back() {
    let folder = std::env::var_os("TFC_EXPORT_TO").map(PathBuf::from);
    folder.iter().for_each(|f| std::fs::create_dir_all(f).unwrap());
    let only = std::env::var("TFC_ROW").ok();
    let ops = Arc::new(OpSet::core());
    let mut judge = Judge { ops: ops.clone(), table: Spellings::default(), folder, cases: 0, decided: BTreeSet::new() };
    let (mut wrong, mut refused, mut exported) = (vec![], BTreeMap::<&str, BTreeSet<String>>::new(), BTreeMap::new());
    for def in ops.iter().filter(|d| only.as_ref().is_none_or(|o| o == d.name)) {
        for dtype in DType::SUPPORTED {
            let m = Module::new(ops.clone());
            let samples = (def.sample)(&SampleCx { m: &m, def, dtype }).unwrap();
            for (i, s) in samples.iter().enumerate() {
                let args = inputs(def, s.inputs(&m, 7 + i as u64).unwrap());
                match judge.judge(&m, s.func, &args, &format!("{} {dtype} {i}", def.name)) {
                    Came::Same => *exported.entry(def.name).or_insert(0usize) += 1,
                    Came::Refused(why) => drop(refused.entry(def.name).or_default().insert(why)),
                    Came::Wrong(e) => wrong.push(format!("{} {dtype} {i}: {e}", def.name)),
                }
            }
        }
    }
    let total: usize = exported.values().sum();
    println!("{total} samples of {} rows; refused: {refused:#?}", exported.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), wrong.len() + total, wrong.join("\n"));
    if only.is_some() {
        return;
    }
    table(&ops, &judge, &refused, &exported);
    assert!(REFUSED.len() <= 15);
    for def in ops.iter() {
        let listed = REFUSED.iter().find(|r| r.1.contains(&def.name));
        let no_sample = NO_SAMPLE.iter().any(|n| n.0 == def.name);
        match refused.get(def.name) {
            None => assert!(listed.is_none() && (no_sample || exported.contains_key(def.name)), "{}", def.name),
            Some(why) => {
                let reason = listed.unwrap_or_else(|| panic!("{} is refused: {why:?}", def.name)).0;
                assert!(why.iter().all(|w| w.contains(reason)), "{}: {why:?}", def.name);
            }
        }
    }
    assert!(total > 3000, "only {total}");
}
/// The table of `docs/export.md` is what came of the samples.
fn table(ops: &OpSet, judge: &Judge, refused: &BTreeMap<&str, BTreeSet<String>>, exported: &BTreeMap<&str, usize>) {
    let mut out = String::from("| op | becomes |\n|---|---|\n");
    for def in ops.iter() {
        let how = match judge.table.of(def) {
            Some(Spelling::Is(word)) => format!("`{word}`"),
            Some(Spelling::By(_)) => "written".into(),
            Some(Spelling::Refused(_)) => String::new(),
            None if NO_SAMPLE.iter().any(|n| n.0 == def.name) => "taken before".into(),
            None => "expanded".into(),
        };
        let why = REFUSED.iter().find(|r| r.1.contains(&def.name)).map(|r| r.0);
        let how = match (refused.contains_key(def.name), exported.contains_key(def.name)) {
            (true, true) => format!("{how}; refused where {}", why.unwrap_or("?")),
            (true, false) => format!("refused: {}", why.unwrap_or("?")),
            _ if judge.decided.contains(def.name) => format!("{how}; by `--dyn` where values decide extents"),
            _ => how,
        };
        out.push_str(&format!("| `{}` | {how} |\n", def.name));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/export.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (text, _) = page.split_once("| op | becomes |").unwrap_or((&page, ""));
    let want = format!("{text}{out}");
    if std::env::var_os("TFC_ACCEPT").is_some_and(|v| v == "1") {
        std::fs::write(path, want).unwrap();
    } else {
        assert_eq!(page, want, "run it with TFC_ACCEPT=1");
    }
}
/// Iterated functions of large complex numbers leave every range: those of rows with regions are made smaller.
fn inputs(def: &OpDef, x: Vec<Tensor>) -> Vec<Tensor> {
    if def.regions.is_empty() {
        return x;
    }
    let small = |t: Tensor| match t.to_logical::<tfc_ir::C64>() {
        Some(v) => Tensor::from_logical(t.shape(), v.into_iter().map(|z| z * 0.2).collect()),
        None => match t.to_logical::<tfc_ir::C32>() {
            Some(v) => Tensor::from_logical(t.shape(), v.into_iter().map(|z| z * 0.2).collect()),
            None => t,
        },
    };
    x.into_iter().map(small).collect()
}
