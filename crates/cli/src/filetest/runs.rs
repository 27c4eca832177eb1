//! `//! run:` lines: a call on every backend of this build, its results compared.
use super::{Outcome, RunLine};
use crate::args::BackendName;
use crate::bind::Inputs;
use crate::engine::{Engine, Target};
use crate::entry::{keep_only, with_extents};
use crate::limits::bindings;
use crate::program::load_from;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::path::Path;
use tfc_frontend::data::compare::{Tolerance, compare, default_tolerance};
use tfc_frontend::data::parse_literal;
use tfc_frontend::data::show::literal;
use tfc_ir::{Code, Error, Tensor};

/// What fails; one text a backend, each under a session of its own.
pub(super) fn run(session: impl Fn() -> Session, file: &Path, line: &RunLine) -> Vec<String> {
    let on = |backend| call(&session(), file, line, backend);
    let judged = [("interp", BackendName::Interp), ("cpu", BackendName::Cpu)].map(|(name, backend)| {
        let why = judge(line, on(backend));
        why.map(|why| format!("line {}: on {name}: {why}", line.line))
    });
    judged.into_iter().flatten().collect()
}

/// What came of a call on one backend.
pub(crate) enum Came {
    /// What is expected.
    Right,
    /// The backend has no way to run it, and says so by this code.
    Refused(String),
    /// Something else.
    Wrong(String),
}
/// Codes by which backends say that they cannot run a program, before anything has run: nothing is wrong with it.
const REFUSALS: [Code; 6] = [Code::E1102, Code::E1103, Code::E1105, Code::E1120, Code::E1121, Code::E1304];
/// The call on that backend.
pub(super) fn on(session: &Session, file: &Path, line: &RunLine, backend: BackendName) -> Came {
    let got = call(session, file, line, backend);
    let code = got.as_ref().err().and_then(|s| s.diagnostics().first().map(|d| d.code));
    if let Some(code) = code.filter(|c| REFUSALS.contains(c)) {
        return Came::Refused(code.to_string());
    }
    judge(line, got).map_or(Came::Right, |why| Came::Wrong(format!("line {}: {why}", line.line)))
}

fn call(session: &Session, file: &Path, line: &RunLine, backend: BackendName) -> Done<Vec<Tensor>> {
    let mut program = load_from(session, file, None)?;
    let entry = crate::entry::pick(&program.module, Some(&line.entry)).or_usage()?;
    let mut bind = bindings(&line.bind).or_usage()?;
    let entry = with_extents(&program.module, entry, &mut bind).or_usage()?;
    let func = program.module.func(entry).or_usage()?;
    let specs: Vec<String> = line.args.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let inputs = Inputs::parse(&program.module, &func, &specs, &[]).or_usage()?;
    inputs.complete(&func).or_usage()?;
    keep_only(&mut program.module, &[entry]);
    program.load_data(session)?;
    let arguments = inputs.resolve(&program.module, &func, &bind, None, session.reading()).or_run_time()?;
    let source = program.source.clone();
    let engine = Engine::compile(session, program, entry, Target { backend, level: 2, threads: None })?;
    engine.run(&arguments).or_at(Exit::RunTime, &source)
}

pub(super) fn judge(line: &RunLine, got: Done<Vec<Tensor>>) -> Option<String> {
    match (&line.outcome, got) {
        (Outcome::Fails { code, text }, Err(stop)) => {
            let fits =
                stop.diagnostics().iter().any(|d| d.code.name() == code && d.to_string().contains(text.as_str()));
            (!fits).then(|| format!("{code} {text} is expected, but {}", said(&stop)))
        }
        (Outcome::Fails { code, .. }, Ok(_)) => Some(format!("{code} is expected, but it runs")),
        (Outcome::Values { .. }, Err(stop)) => Some(said(&stop)),
        (Outcome::Values { values, exact, tolerance }, Ok(results)) => {
            values_differ(values, *exact, *tolerance, &results).err().map(|e| e.data().message.clone())
        }
    }
}
pub(super) fn said(stop: &Stop) -> String {
    stop.diagnostics().first().map(|d| d.to_string()).unwrap_or_else(|| "it fails without a word".into())
}

fn values_differ(values: &[String], exact: bool, tolerance: Option<f64>, results: &[Tensor]) -> tfc_ir::Result<()> {
    let wrong = |text: String| Error::new(Code::E0731, text);
    if values.len() != results.len() {
        return Err(wrong(format!("{} results are expected, {} come", values.len(), results.len())));
    }
    for (i, (text, got)) in values.iter().zip(results).enumerate() {
        let want = parse_literal(text, got.dtype(), None).map_err(|e| e.context(format_args!("result {i}: ")))?;
        if exact {
            if !got.same(&want) {
                return Err(wrong(format!("result {i} is {}, expected exactly {}", literal(got), literal(&want))));
            }
            continue;
        }
        let allowed = tolerance.map_or_else(|| default_tolerance(got.dtype()), |t| Tolerance { rtol: t, atol: t });
        compare(got, &want, allowed).map_err(|d| wrong(format!("result {i}: {d}")))?;
    }
    Ok(())
}
