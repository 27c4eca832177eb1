//! Calls by way of StableHLO text: what leaves as text and comes back gives what the program gives.
use super::RunLine;
use super::runs::{judge, said};
use crate::args::BackendName;
use crate::bind::Inputs;
use crate::engine::{Engine, Target};
use crate::entry::{keep_only, pick, specialise};
use crate::limits::bindings;
use crate::program::load_from;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::collections::BTreeMap;
use std::path::Path;
use tfc_ir::extent::solve_shapes;
use tfc_ir::{Code, Error, Func, Tensor};
use tfc_stablehlo::{Checks, Dynamic, Options, export, narrowed, prepare};

/// What came of a call.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The line of the file that says what it gives.
    pub line: usize,
    /// The text.
    pub text: Option<String>,
    /// What it was run on.
    pub arguments: Vec<Tensor>,
    /// What the text gave, read back.
    pub results: Vec<Tensor>,
    /// The code of the refusal, and its message; of another error too.
    pub refused: Option<(&'static str, String)>,
    /// How the results differ from what the line says.
    pub differs: Option<String>,
}

pub(super) fn judged(session: &Session, file: &Path, line: &RunLine, most: usize) -> Option<Exported> {
    let mut out =
        Exported { line: line.line, text: None, arguments: vec![], results: vec![], refused: None, differs: None };
    match call(session, file, line, most, &mut out) {
        Ok(None) => return None,
        Ok(Some(results)) => {
            out.results.clone_from(&results);
            out.differs = judge(line, Ok(results));
        }
        Err(stop) => {
            let code = stop.diagnostics().first().map_or("", |d| d.code.name());
            out.refused = Some((code, said(&stop)));
        }
    }
    Some(out)
}
/// The results, unless an argument is too large.
fn call(session: &Session, file: &Path, line: &RunLine, most: usize, out: &mut Exported) -> Done<Option<Vec<Tensor>>> {
    let mut program = load_from(session, file, None)?;
    let entry = pick(&program.module, Some(&line.entry)).or_usage()?;
    let func = program.module.func(entry).or_usage()?;
    let specs: Vec<String> = line.args.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let inputs = Inputs::parse(&program.module, &func, &specs, &[]).or_usage()?;
    inputs.complete(&func).or_usage()?;
    let bind = bindings(&line.bind).or_usage()?;
    let arguments = inputs.resolve(&program.module, &func, &bind, None, session.reading()).or_run_time()?;
    out.arguments.clone_from(&arguments);
    if arguments.iter().any(|t| t.len() > most) {
        return Ok(None);
    }
    let source = program.source.clone();
    let all = extents(&func, &arguments, bind).or_run_time()?;
    let root = match func.syms.is_empty() {
        true => entry,
        false => specialise(&program.module, entry, &func, &all).or_at(Exit::Program, &source)?,
    };
    keep_only(&mut program.module, &[root]);
    program.load_data(session)?;
    let ready = prepare(&mut program.module, 2, &session.spellings);
    ready.map_err(|e| Stop::at(Exit::Program, vec![e.into_diagnostic()], source.clone()))?;
    let options = Options { checks: Checks::Results, dynamic: Dynamic::Mask };
    let own = program.module.func(root).or_at(Exit::Program, &source)?;
    let text = export(&program.module, root, &session.spellings, &options).or_at(Exit::Program, &source)?;
    out.text = Some(text.clone());
    let read = tfc_stablehlo::parse_within(text.as_bytes(), &session.ops, &session.budget);
    program.module = read.map_err(|d| Stop::at(Exit::Program, d, source.clone()))?;
    let main = pick(&program.module, Some("main")).or_usage()?;
    let target = Target { backend: BackendName::Cpu, level: 2, threads: None };
    let results = Engine::compile(session, program, main, target)?.run(&arguments).or_at(Exit::RunTime, &source)?;
    let mut results = narrowed(&own, results).or_at(Exit::RunTime, &source)?;
    // Behind the program's own results stand its checks.
    let checks = results.split_off(func.result_types.len().min(results.len()));
    if let Some(i) = checks.iter().position(|c| c.item::<bool>() == Some(false)) {
        return Err(Stop::with(Exit::Mismatch, Error::new(Code::E0710, format!("check {i} of the text fails"))));
    }
    Ok(Some(results))
}
/// The symbols of a function for these arguments.
fn extents(f: &Func, args: &[Tensor], given: BTreeMap<String, usize>) -> tfc_ir::Result<BTreeMap<String, usize>> {
    let mut out = given;
    let mut equations = vec![];
    for (&p, t) in f.params().iter().zip(args) {
        let dims = f.ty(p).dims.iter().cloned();
        equations.extend(dims.zip(t.shape().iter().map(|&n| n as i64)));
    }
    if let Ok(env) = solve_shapes(f.syms.len(), &equations) {
        for (s, n) in f.syms.iter().zip(env.syms) {
            if let Some(n) = n.and_then(|n| usize::try_from(n).ok()) {
                out.insert(s.name.to_string(), n);
            }
        }
    }
    Ok(out)
}
